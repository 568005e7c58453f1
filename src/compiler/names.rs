//! Kernel names as people write them: `_Z4tmplILi128EEvPf` is `tmpl<128>`.

use crate::kernel::demangled_name;

/// The longest id: it becomes a file name.
const LONGEST_ID: usize = 64;

/// The name without return type and parameters; the symbol itself where it is not mangled, or too long to be read.
#[must_use]
pub(super) fn readable(symbol: &str) -> String {
    demangled_name(symbol).unwrap_or_else(|| symbol.to_string())
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
    fn names_become_ids() {
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
}
