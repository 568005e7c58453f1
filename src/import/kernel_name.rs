//! The short name in a demangled one: `void Sobel<float>(uchar4 *, int)` is `Sobel<float>`.

/// The longest name that is believed.
pub(super) const LONGEST_NAME: usize = 512 * 1024;

/// The longest full signature that is kept beside the short name.
const LONGEST_SIGNATURE: usize = 4096;

/// Without return type and parameters; the name itself where it is not of that form.
#[must_use]
pub(super) fn short_name(full: &str) -> &str {
    let full = full.trim();
    let name = without_parameters(full);
    let short = without_return_type(name).trim();
    if short.is_empty() { full } else { short }
}

/// The full signature, where it says more than the short name and is not endless.
#[must_use]
pub(super) fn signature(full: &str) -> Option<&str> {
    let full = full.trim();
    (full.len() <= LONGEST_SIGNATURE && full != short_name(full)).then_some(full)
}

/// Cuts the last pair of round brackets with what follows it (`const`, ` [clone .1]`, nvprof's ` [110]`).
fn without_parameters(full: &str) -> &str {
    let bytes = full.as_bytes();
    let Some(close) = bytes.iter().rposition(|b| *b == b')') else { return without_launch_id(full) };
    let mut depth = 0usize;
    for i in (0..=close).rev() {
        match bytes[i] {
            b')' => depth += 1,
            b'(' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            // `(anonymous namespace)::k` has no parameters: what follows its brackets is part of the name.
            return if bytes[close + 1..].starts_with(b"::") { full } else { &full[..i] };
        }
    }
    full
}

/// `kernel [110]` as nvprof writes a name that was not demangled.
fn without_launch_id(full: &str) -> &str {
    let Some((name, id)) = full.rsplit_once(" [") else { return full };
    let number = id.strip_suffix(']').is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
    if number { name } else { full }
}

/// What follows the last blank outside of all brackets.
fn without_return_type(name: &str) -> &str {
    let (mut depth, mut after) = (0i32, 0);
    for (i, byte) in name.bytes().enumerate() {
        match byte {
            b'(' | b'<' | b'[' | b'{' => depth += 1,
            b')' | b'>' | b']' | b'}' => depth -= 1,
            b' ' if depth == 0 => after = i + 1,
            _ => {}
        }
    }
    // Unbalanced (`operator<`): no guess about where the name begins.
    if depth == 0 { &name[after..] } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_without_their_types() {
        for (full, short) in [
            ("void Sobel<float>(uchar4 *, uchar4 *, int, int)", "Sobel<float>"),
            ("saxpy(int, float, float const*, float*) [110]", "saxpy"),
            ("saxpy [7]", "saxpy"),
            ("VecAdd_kernel", "VecAdd_kernel"),
            ("void ns::k<(int)3, ns::T<float> >(float (*)(int), int)", "ns::k<(int)3, ns::T<float> >"),
            ("(anonymous namespace)::k", "(anonymous namespace)::k"),
            ("void (anonymous namespace)::k(int)", "(anonymous namespace)::k"),
            ("copy[v1,abc](Array<long long, 1, C>, long long)", "copy[v1,abc]"),
            ("a)b", "a)b"),
            (")))", ")))"),
            ("(x)", "(x)"),
            ("", ""),
        ] {
            assert_eq!(short_name(full), short, "{full}");
        }
    }

    #[test]
    fn a_signature_is_kept_where_it_says_more() {
        assert_eq!(signature("k(int)"), Some("k(int)"));
        assert_eq!(signature("k"), None);
        assert_eq!(signature(&format!("k({})", "int, ".repeat(2000))), None);
    }
}
