//! Symbols that no profiler demangled: `_ZN7cutlass13device_kernelINS_4gemm6kernelEEEvT_` is `cutlass::device_kernel<cutlass::gemm::kernel>`.

use cpp_demangle::{BorrowedSymbol, DemangleOptions, ParseOptions};
use std::fmt;

/// Longer mangled names stay as they are: a template's name can have 512 KiB, and nobody reads that.
const LONGEST_MANGLED: usize = 4096;

/// Substitutions can blow a short mangled name up without end.
const LONGEST_READABLE: usize = 1024;

/// How deep names may be nested. The demangler is recursive; a worker thread's stack is small.
const DEEPEST: u32 = 96;

/// The name of a mangled symbol without return type and parameters; `None` where it is not mangled, not whole, or too long to be read.
#[must_use]
pub fn demangled_name(symbol: &str) -> Option<String> {
    if !symbol.starts_with("_Z") || symbol.len() > LONGEST_MANGLED {
        return None;
    }
    let parse = ParseOptions::default().recursion_limit(DEEPEST);
    let parsed = BorrowedSymbol::with_tail_and_options(symbol.as_bytes(), &parse);
    // What follows a mangled name (`.part.0`) tells clones apart; such a name is not shortened.
    let (parsed, _) = parsed.ok().filter(|(_, tail)| tail.is_empty())?;
    let options = DemangleOptions::new().no_params().no_return_type().recursion_limit(DEEPEST);
    let mut out = Bounded(String::new());
    parsed.structured_demangle(&mut out, &options).ok()?;
    // Profilers write `a<b<c>>`.
    let name = out.0.trim().replace(" >", ">");
    (!name.is_empty()).then_some(name)
}

/// A text that refuses to grow without end.
struct Bounded(String);

impl fmt::Write for Bounded {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.0.len() + text.len() > LONGEST_READABLE {
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}

/// The name that a symbol begins with, without template arguments, also of one that is cut: `_ZN7cutlass13device_kernelINS_…` is
/// `cutlass::device_kernel`.
pub(super) fn first_name(symbol: &str) -> Option<String> {
    let nested = symbol.strip_prefix("_ZN");
    let mut rest = nested.or_else(|| symbol.strip_prefix("_Z"))?;
    let mut parts = Vec::new();
    while let Some((part, after)) = word(rest) {
        parts.push(part);
        rest = after;
        if nested.is_none() {
            break;
        }
    }
    (!parts.is_empty()).then(|| parts.join("::"))
}

/// `6kernel`, and what stands behind it.
fn word(text: &str) -> Option<(&str, &str)> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).filter(|n| *n > 0)?;
    let (length, after) = text.split_at(digits);
    after.split_at_checked(length.parse().ok()?)
}

#[cfg(test)]
mod tests {
    use super::{LONGEST_READABLE, demangled_name, first_name};

    #[test]
    fn mangled_names_lose_return_type_and_parameters() {
        for (symbol, name) in [
            ("_Z4tmplILi128EEvPf", Some("tmpl<128>")),
            ("_ZN2ns11with_structENS_1SEPf", Some("ns::with_struct")),
            ("_Z5saxpyPfS_if", Some("saxpy")),
            ("_ZN7example6kernelIfLi128ELb1EEEvPKT_PS1_i", Some("example::kernel<float, 128, true>")),
            ("_Z4gemmI6__halfN3cub5Tile2ILin4EEEEvi", Some("gemm<__half, cub::Tile2<-4>>")),
            (
                "_ZN7cutlass13device_kernelINS_4gemm6kernelEEEvT_",
                Some("cutlass::device_kernel<cutlass::gemm::kernel>"),
            ),
            ("_Z1kIN2ns1SES1_EvT_T0_", Some("k<ns::S, ns::S>")),
            ("_Znonsense", None),
            ("saxpy", None),
            ("_Z1kIL", None),
            ("_Z1kILé", None),
        ] {
            assert_eq!(demangled_name(symbol).as_deref(), name, "{symbol}");
        }
        assert_eq!(first_name("_ZN7cutlass13device_kernelINS_").as_deref(), Some("cutlass::device_kernel"));
    }

    #[test]
    fn monstrous_names_end_soon() {
        assert_eq!(demangled_name(&format!("_Z{}f", "9".repeat(600_000))), None);
        assert_eq!(demangled_name(&format!("_Z1k{}", "I1k".repeat(1 << 18))), None);
        let deep = format!("_Z1fI{}iE{}vv", "N1aI".repeat(900), "EE".repeat(900));
        assert_eq!(demangled_name(&deep), None);
        // Each substitution doubles what stands before it.
        let mut bomb = String::from("_Z1fI1aIiiE");
        for i in 0..200 {
            let s = if i == 0 { "S_".to_string() } else { format!("S{}_", i % 30) };
            bomb += &format!("1bI{s}{s}E");
        }
        bomb += "EvT_";
        assert!(demangled_name(&bomb).is_none_or(|name| name.len() <= LONGEST_READABLE));
        let many = |n| demangled_name(&format!("_Z1fI100{}{}Evv", "a".repeat(100), "S0_".repeat(n)));
        assert!(many(5).is_some_and(|name| name.starts_with("f<aaa")), "{:?}", many(5));
        assert_eq!(many(20), None, "two KiB to read");
    }
}
