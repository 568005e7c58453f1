//! Symbols that no profiler demangled, as far as a label needs them: `_ZN7example6kernelIfLi128EEEvPKT_i` is `example::kernel<float, 128>`.
//!
//! The forms are those of the Itanium C++ ABI, section 5.1; what refers back to an earlier part (`S_`, `T_`) is not followed.

/// A symbol's name.
pub(super) struct SymbolName {
    /// Without template arguments.
    pub(super) bare: String,
    /// With them, where all of them could be read.
    pub(super) with_arguments: Option<String>,
}

/// Arguments within arguments are read so deep.
const DEEPEST: usize = 16;

/// The name that a symbol begins with: `_ZN7cutlass13device_kernelINS_…` is `cutlass::device_kernel`.
pub(super) fn symbol_name(symbol: &str) -> Option<SymbolName> {
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
    let bare = parts.join("::");
    let with_arguments = arguments(rest, 0).map(|(arguments, _)| format!("{bare}{arguments}"));
    (!parts.is_empty()).then_some(SymbolName { bare, with_arguments })
}

/// `6kernel`, and what stands behind it.
fn word(text: &str) -> Option<(&str, &str)> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).filter(|n| *n > 0)?;
    let (length, after) = text.split_at(digits);
    after.split_at_checked(length.parse().ok()?)
}

/// `IfLi128EE` as `<float, 128>`.
fn arguments(text: &str, depth: usize) -> Option<(String, &str)> {
    let mut rest = text.strip_prefix('I').filter(|_| depth < DEEPEST)?;
    let mut all = Vec::new();
    while !rest.starts_with('E') {
        let (argument, after) = argument(rest, depth)?;
        all.push(argument);
        rest = after;
    }
    Some((format!("<{}>", all.join(", ")), &rest[1..]))
}

/// A type or a number.
fn argument(text: &str, depth: usize) -> Option<(String, &str)> {
    if let Some(literal) = text.strip_prefix('L') {
        let (value, after) = literal.split_once('E')?;
        let number = value.strip_prefix(|kind: char| kind.is_ascii_lowercase())?;
        let is_number =
            !number.is_empty() && number.trim_start_matches('n').bytes().all(|b| b.is_ascii_digit());
        let shown = match value {
            "b0" => "false".into(),
            "b1" => "true".into(),
            _ => number.replace('n', "-"),
        };
        return is_number.then_some((shown, after));
    }
    if let Some(nested) = text.strip_prefix('N') {
        let (mut parts, mut rest) = (Vec::new(), nested);
        while !rest.starts_with('E') {
            let (part, after) = named(rest, depth)?;
            parts.push(part);
            rest = after;
        }
        return Some((parts.join("::"), &rest[1..]));
    }
    let built_in = text.chars().next().and_then(built_in_type);
    built_in.map(|name| (name.to_string(), &text[1..])).or_else(|| named(text, depth))
}

/// `5Tile2ILi4EE` as `Tile2<4>`.
fn named(text: &str, depth: usize) -> Option<(String, &str)> {
    let (name, after) = word(text)?;
    if !after.starts_with('I') {
        return Some((name.to_string(), after));
    }
    let (arguments, after) = arguments(after, depth + 1)?;
    Some((format!("{name}{arguments}"), after))
}

fn built_in_type(letter: char) -> Option<&'static str> {
    Some(match letter {
        'a' => "signed char",
        'b' => "bool",
        'c' => "char",
        'd' => "double",
        'f' => "float",
        'h' => "unsigned char",
        'i' => "int",
        'j' => "unsigned int",
        'l' => "long",
        'm' => "unsigned long",
        's' => "short",
        't' => "unsigned short",
        'v' => "void",
        'x' => "long long",
        'y' => "unsigned long long",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::symbol_name;

    #[test]
    fn template_arguments_of_symbols_are_read() {
        for (symbol, name) in [
            ("_ZN7example6kernelIfLi128ELb1EEEvPKT_PS1_i", Some("example::kernel<float, 128, true>")),
            ("_Z4gemmI6__halfN3cub5Tile2ILin4EEEEvi", Some("gemm<__half, cub::Tile2<-4>>")),
            ("_ZN7cutlass13device_kernelINS_4gemm6kernelEEEvT_", None),
            ("_Z5saxpyifPKfPf", None),
            ("_Z1kIL", None),
            ("_Z1kILé", None),
        ] {
            assert_eq!(symbol_name(symbol).unwrap().with_arguments.as_deref(), name, "{symbol}");
        }
        assert!(symbol_name(&format!("_Z1k{}", "I1k".repeat(1 << 18))).unwrap().with_arguments.is_none());
    }
}
