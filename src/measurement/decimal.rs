//! Numbers as measurement files write them, read from bytes: `0.04352`, `268435456`, `1e-3`.

/// Powers of ten that an f64 holds exactly.
const EXACT: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

/// What `str::parse::<f64>` reads, `None` where it fails. Up to 18 plain digits with a point take a short way: digits and
/// power of ten are exact, so that one division rounds once (Clinger, "How to read floating point numbers accurately",
/// PLDI 1990).
pub(super) fn decimal(bytes: &[u8]) -> Option<f64> {
    short(bytes).or_else(|| std::str::from_utf8(bytes).ok()?.trim().parse().ok())
}

fn short(bytes: &[u8]) -> Option<f64> {
    if bytes.is_empty() || bytes.len() > 18 {
        return None;
    }
    let (mut digits, mut point) = (0u64, None);
    for (i, byte) in bytes.iter().enumerate() {
        match byte {
            b'0'..=b'9' => digits = 10 * digits + u64::from(byte - b'0'),
            b'.' if point.is_none() => point = Some(i),
            _ => return None,
        }
    }
    let decimals = point.map_or(0, |at| bytes.len() - at - 1);
    let only_a_point = bytes.len() == 1 && point.is_some();
    (digits < 1 << 53 && !only_a_point).then(|| digits as f64 / EXACT[decimals])
}

/// A whole number of at least 0 in plain digits; `None` for anything else, and from 2^63 on.
pub(super) fn whole(bytes: &[u8]) -> Option<u64> {
    if bytes.is_empty() || bytes.len() > 18 || !bytes.iter().all(u8::is_ascii_digit) {
        return std::str::from_utf8(bytes).ok()?.trim().parse().ok();
    }
    Some(bytes.iter().fold(0, |n, b| 10 * n + u64::from(b - b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_are_those_of_the_standard_library() {
        for text in [
            "0",
            "1",
            ".5",
            "5.",
            ".",
            "",
            "0.1",
            "0.04352",
            "123456789012345678",
            "9007199254740993",
            "9007199254740991",
            "0.00000000000000001",
            "1e3",
            "-1",
            "+1",
            "1.2.3",
            "1_0",
            "nan",
            "inf",
            "0x1",
            "179769313486231570000000000000",
            "1,5",
            " 7 ",
        ] {
            let expected = text.trim().parse::<f64>().ok();
            let found = decimal(text.as_bytes());
            assert_eq!(found.map(f64::to_bits), expected.map(f64::to_bits), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_decimal_is_that_of_the_standard_library(text in "[0-9]{0,12}\\.?[0-9]{0,8}(e-?[0-9]{1,2})?") {
            let expected = text.parse::<f64>().ok();
            prop_assert_eq!(decimal(text.as_bytes()).map(f64::to_bits), expected.map(f64::to_bits));
        }

        #[test]
        fn any_whole_number_is_that_of_the_standard_library(text in "[0-9]{0,21}") {
            prop_assert_eq!(whole(text.as_bytes()), text.parse::<u64>().ok());
        }
    }
}
