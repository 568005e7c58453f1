//! `sm_89`, `sm_90a`: what code was compiled for.

use crate::kernel::Cc;
use std::fmt;
use std::str::FromStr;

/// What code was compiled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CodeArchitecture {
    /// Its compute capability.
    pub capability: Cc,
    /// `a` for code that runs on this one architecture only, `f` for its family.
    pub suffix: Option<char>,
}

/// A text that is no architecture.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("architecture `{0}`: expected one such as sm_89, sm_90a or 8.9")]
pub struct UnknownArchitecture(String);

impl CodeArchitecture {
    /// From the number in `sm_89`; `None` where no CUDA architecture has it.
    #[must_use]
    pub fn from_number(number: u32, suffix: Option<char>) -> Option<Self> {
        let known = (10..200).contains(&number);
        known.then_some(Self { capability: ((number / 10) as u8, (number % 10) as u8), suffix })
    }

    /// The architecture that a file's name mentions, if it mentions exactly one.
    #[must_use]
    pub fn in_name(file: &str) -> Option<Self> {
        let file = file.rsplit(['/', '\\']).next().unwrap_or(file);
        let mut found = file.match_indices("sm_").filter_map(|(at, _)| {
            let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let text: String = file[at..].chars().take_while(|c| word(*c)).take(8).collect();
            let begins = !file[..at].ends_with(word);
            text.parse::<Self>().ok().filter(|_| begins)
        });
        let first = found.next()?;
        found.all(|other| other == first).then_some(first)
    }

    /// Whether the linker's sizes of shared memory contain what the driver reserves: it reserves from 8.0 on, and they
    /// contain it from 9.0 on.
    #[must_use]
    pub(super) fn sizes_contain_reserve(self) -> bool {
        self.capability >= (9, 0)
    }
}

impl FromStr for CodeArchitecture {
    type Err = UnknownArchitecture;

    fn from_str(text: &str) -> Result<Self, UnknownArchitecture> {
        let refuse = || UnknownArchitecture(crate::text::clipped_text(text, 40));
        let bare = text.strip_prefix("sm_").or_else(|| text.strip_prefix("compute_")).unwrap_or(text);
        let (digits, suffix) = match bare.char_indices().next_back() {
            Some((at, c @ ('a' | 'f'))) => (&bare[..at], Some(c)),
            _ => (bare, None),
        };
        let number = match digits.split_once('.') {
            Some((major, minor)) if minor.len() == 1 => format!("{major}{minor}"),
            Some(_) => return Err(refuse()),
            None => digits.to_string(),
        };
        let plain = (2..=3).contains(&number.len()) && number.bytes().all(|b| b.is_ascii_digit());
        let number = number.parse().ok().filter(|_| plain);
        number.and_then(|n| Self::from_number(n, suffix)).ok_or_else(refuse)
    }
}

impl fmt::Display for CodeArchitecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (major, minor) = self.capability;
        write!(f, "sm_{major}{minor}{}", self.suffix.map(String::from).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_is_read_and_printed_alike() {
        for (text, shown) in [
            ("sm_52", "sm_52"),
            ("sm_90a", "sm_90a"),
            ("sm_120", "sm_120"),
            ("compute_89", "sm_89"),
            ("8.9", "sm_89"),
            ("12.0f", "sm_120f"),
        ] {
            assert_eq!(text.parse::<CodeArchitecture>().unwrap().to_string(), shown, "{text}");
        }
        for bad in ["", "sm_", "sm_9", "sm_9999", "sm_8x", "8.", "8.99", "a", "\u{e9}", "sm_+9", "sm_900"] {
            assert!(bad.parse::<CodeArchitecture>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_file_name_counts_where_it_is_clear() {
        let of = |name| CodeArchitecture::in_name(name).map(|a| a.to_string());
        assert_eq!(of("sm_70/usage.sm_89.txt").as_deref(), Some("sm_89"));
        assert_eq!(of("k_sm_89.txt"), None, "part of a word");
        assert_eq!(of("usage.sm_70.sm_89.txt"), None);
        assert_eq!(of("plain.txt"), None);
    }
}
