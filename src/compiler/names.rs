//! Kernel names as people write them: `_Z4tmplILi128EEvPf` is `tmpl<128>`.

use cpp_demangle::{BorrowedSymbol, DemangleOptions, ParseOptions};
use std::fmt;

/// Longer mangled names stay as they are: a template's name can have 512 KiB, and nobody reads that.
const LONGEST_MANGLED: usize = 4096;

/// Substitutions can blow a short mangled name up without end.
const LONGEST_READABLE: usize = 16 * 1024;

/// How deep names may be nested. The demangler is recursive; a worker thread's stack is small.
const DEEPEST: u32 = 96;

/// The longest id: it becomes a file name.
const LONGEST_ID: usize = 64;

/// The name without return type and parameters; the symbol itself where it is not mangled, or too long to be read.
#[must_use]
pub(super) fn readable(symbol: &str) -> String {
    demangled(symbol).unwrap_or_else(|| symbol.to_string())
}

fn demangled(symbol: &str) -> Option<String> {
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
    let name = out.0.trim().to_string();
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

/// An id for a name: letters, digits and `_`, short, and safe as a file name on every system.
#[must_use]
pub(super) fn id(name: &str) -> String {
    let mut id = String::new();
    for c in name.chars() {
        if id.len() == LONGEST_ID {
            break;
        }
        match c {
            c if c.is_ascii_alphanumeric() => id.push(c),
            _ if id.is_empty() || id.ends_with('_') => {}
            _ => id.push('_'),
        }
    }
    let id = id.trim_matches('_');
    let lower = id.to_lowercase();
    let device = |d: &&str| lower == **d || (lower.len() == 4 && lower.starts_with(*d) && d.len() == 3);
    let reserved = ["con", "prn", "aux", "nul", "com", "lpt"].iter().any(device);
    if id.is_empty() || reserved {
        format!("kernel_{id}").trim_end_matches('_').to_string()
    } else {
        id.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mangled_names_lose_return_type_and_parameters() {
        for (symbol, name, as_id) in [
            ("saxpy", "saxpy", "saxpy"),
            ("_Z4tmplILi128EEvPf", "tmpl<128>", "tmpl_128"),
            ("_ZN2ns11with_structENS_1SEPf", "ns::with_struct", "ns_with_struct"),
            ("_Z5saxpyPfS_if", "saxpy", "saxpy"),
            ("_Znonsense", "_Znonsense", "Znonsense"),
            ("aux", "aux", "kernel_aux"),
            ("lpt1", "lpt1", "kernel_lpt1"),
            ("\u{e9}", "\u{e9}", "kernel"),
        ] {
            assert_eq!((readable(symbol).as_str(), id(name).as_str()), (name, as_id), "{symbol}");
        }
    }

    #[test]
    fn monstrous_names_end_soon() {
        let long = format!("_Z{}f", "9".repeat(600_000));
        assert_eq!(readable(&long), long);
        assert!(id(&long).len() <= LONGEST_ID);
        let deep = format!("_Z1fI{}iE{}vv", "N1aI".repeat(900), "EE".repeat(900));
        assert!(!readable(&deep).is_empty());
        // Each substitution doubles what stands before it.
        let mut bomb = String::from("_Z1fI1aIiiE");
        for i in 0..200 {
            let s = if i == 0 { "S_".to_string() } else { format!("S{}_", i % 30) };
            bomb += &format!("1bI{s}{s}E");
        }
        bomb += "EvT_";
        assert!(readable(&bomb).len() <= LONGEST_READABLE.max(bomb.len()));
    }
}
