//! Which machine code and PTX of a kernel there is, and where it runs.
//!
//! CUDA C++ programming guide, "Binary compatibility", "PTX compatibility", "Feature set compiler targets": machine code
//! for X.y runs on X.z with z >= y; PTX for X.y is compiled by the driver for anything newer; code with suffix `a` runs on
//! its very own compute capability only; code with suffix `f` on its family: the same major number, from its own minor
//! number on. 10.1 (renamed 11.0 later) is in no other's family.

use super::Cc;
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

/// One piece of code: `sm_89`, `compute_90a`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CodeVersion {
    /// PTX instead of machine code.
    pub ptx: bool,
    /// What it was compiled for.
    pub capability: Cc,
    /// `a` or `f`: see the module.
    pub suffix: Option<char>,
}

impl CodeVersion {
    /// Whether a GPU of this compute capability can run it.
    #[must_use]
    pub fn runs_on(&self, cc: Cc) -> bool {
        let own = self.capability;
        match (self.suffix, self.ptx) {
            (Some('a'), _) => cc == own,
            (Some(_), _) => cc == own || (same_major(own, cc) && own != (10, 1) && cc != (10, 1)),
            (None, true) => cc >= own,
            (None, false) => same_major(own, cc),
        }
    }
}

fn same_major(own: Cc, cc: Cc) -> bool {
    own.0 == cc.0 && own.1 <= cc.1
}

impl fmt::Display for CodeVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, (major, minor)) = (if self.ptx { "compute" } else { "sm" }, self.capability);
        write!(f, "{kind}_{major}{minor}{}", self.suffix.map(String::from).unwrap_or_default())
    }
}

impl FromStr for CodeVersion {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let refuse = || {
            let short: String = crate::text::clipped_text(text, 40);
            format!("code `{short}`: expected one such as sm_89, sm_90a, compute_90")
        };
        let (ptx, rest) = match (text.strip_prefix("compute_"), text.strip_prefix("sm_")) {
            (Some(rest), _) => (true, rest),
            (_, Some(rest)) => (false, rest),
            _ => return Err(refuse()),
        };
        let digits = rest.trim_end_matches(['a', 'f']);
        let suffix = rest[digits.len()..].chars().next();
        let letters = rest.len() - digits.len();
        let plain =
            (2..=3).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit()) && letters <= 1;
        let number: u16 = digits.parse().ok().filter(|_| plain).ok_or_else(refuse)?;
        let capability = ((number / 10) as u8, (number % 10) as u8);
        Ok(Self { ptx, capability, suffix })
    }
}

/// All code of a kernel that somebody loaded.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Codes {
    all: BTreeSet<CodeVersion>,
    /// Whether PTX may lie beside it that the report does not list: `ptxas -v` sees machine code only.
    ptx_unseen: bool,
}

/// Stands for [`Codes::ptx_unseen`] in a file.
const UNSEEN: &str = "compute_?";

impl Codes {
    /// Nothing yet; `ptx_unseen`: whether the report would not list PTX.
    #[must_use]
    pub fn new(ptx_unseen: bool) -> Self {
        Self { all: BTreeSet::new(), ptx_unseen }
    }

    /// Adds a piece.
    pub fn add_code(&mut self, code: CodeVersion) {
        self.all.insert(code);
    }

    /// Adds what another report lists.
    pub fn join(&mut self, other: &Self) {
        self.all.extend(&other.all);
        self.ptx_unseen |= other.ptx_unseen;
    }

    /// Whether a GPU of this compute capability can run any of it, or might: PTX nobody saw runs on anything newer than
    /// what it was compiled beside.
    #[must_use]
    pub fn may_run_on(&self, cc: Cc) -> bool {
        let beside = |c: &CodeVersion| self.ptx_unseen && c.runs_on_newer(cc);
        self.all.is_empty() || self.all.iter().any(|c| c.runs_on(cc) || beside(c))
    }

    /// As files write it: `sm_89`, `compute_90`, and `compute_?` where PTX was not looked for.
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        let unseen = self.ptx_unseen.then(|| UNSEEN.to_string());
        self.all.iter().map(ToString::to_string).chain(unseen).collect()
    }

    /// Reads [`Codes::words`].
    ///
    /// # Errors
    /// What was expected instead of a word.
    pub fn from_words(words: &[String]) -> Result<Self, String> {
        let mut codes = Self::default();
        for word in words {
            if word == UNSEEN {
                codes.ptx_unseen = true;
            } else {
                codes.add_code(word.parse()?);
            }
        }
        Ok(codes)
    }
}

impl CodeVersion {
    /// Whether PTX of the same compilation would run there.
    fn runs_on_newer(&self, cc: Cc) -> bool {
        Self { ptx: true, ..*self }.runs_on(cc)
    }
}

/// `sm_89, sm_90a`.
impl fmt::Display for Codes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.all.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_runs_where_the_programming_guide_says() {
        for (code, on, not_on) in [
            ("sm_80", vec![(8, 0), (8, 6), (8, 9)], vec![(7, 5), (9, 0), (10, 0)]),
            ("sm_86", vec![(8, 6), (8, 9)], vec![(8, 0), (9, 0)]),
            ("compute_70", vec![(7, 0), (7, 5), (8, 9), (12, 0)], vec![(6, 1), (5, 2)]),
            ("sm_90a", vec![(9, 0)], vec![(8, 9), (10, 0)]),
            ("compute_90a", vec![(9, 0)], vec![(10, 0), (12, 0)]),
            ("sm_100f", vec![(10, 0), (10, 3)], vec![(10, 1), (12, 0), (9, 0)]),
            ("compute_103f", vec![(10, 3)], vec![(10, 0), (12, 0)]),
            ("sm_101f", vec![(10, 1)], vec![(10, 3)]),
        ] {
            let parsed: CodeVersion = code.parse().unwrap();
            assert_eq!(parsed.to_string(), code);
            assert!(on.iter().all(|cc| parsed.runs_on(*cc)), "{code} on {on:?}");
            assert!(!not_on.iter().any(|cc| parsed.runs_on(*cc)), "{code} not on {not_on:?}");
        }
        for bad in
            ["", "sm_", "sm_8", "sm_89x", "sm_90aa", "compute_?", "89", "sm_9000", "sm_+9", "sm_\u{e9}"]
        {
            assert!(bad.parse::<CodeVersion>().is_err(), "{bad}");
        }
    }

    #[test]
    fn ptx_that_nobody_looked_for_may_run_on_anything_newer_and_on_nothing_older() {
        let words = |words: &[&str]| {
            Codes::from_words(&words.iter().map(ToString::to_string).collect::<Vec<_>>()).unwrap()
        };
        let log = words(&["sm_80", "compute_?"]);
        assert!(log.may_run_on((9, 0)) && !log.may_run_on((7, 5)));
        assert_eq!(log.words(), ["sm_80", "compute_?"]);
        let cubin = words(&["sm_80"]);
        assert!(!cubin.may_run_on((9, 0)) && cubin.may_run_on((8, 9)));
        let special = words(&["sm_90a", "compute_?"]);
        assert!(!special.may_run_on((10, 0)), "its PTX is as special");
    }
}
