//! Numbers as engineers type them, read the same way in every prompt, flag and file: `1_000_000`, `1,000,000`, `2**20`,
//! `2^20`, `1<<20`, `4k`, `1Mi`, `16x16`, `4.2ms`, `8KB`, `17.2 GFLOP`.
//!
//! ```
//! use roofswap_engine::units::{typed_count, typed_number, typed_seconds};
//! assert_eq!(typed_number("1_000_000"), Some(1e6));
//! assert_eq!(typed_count("1<<20"), Some(1_048_576));
//! assert_eq!(typed_number("1,5"), None); // a decimal comma, or half of a thousand: nobody knows
//! assert_eq!(typed_seconds("4.2ms").map(|t| t.to_string()), Some("4.20 ms".into()));
//! ```

use super::{Bytes, BytesPerSecond, Flops, FlopsPerSecond, Seconds};
use std::borrow::Cow;
use std::fmt;

/// Above it an f64 no longer holds every whole number.
pub const LARGEST_WHOLE: f64 = 9_007_199_254_740_992.0;

/// Binary and decimal prefixes with their scale; the longer one first where one begins the other.
const SCALES: [(&str, f64); 11] = [
    ("Ki", 1024.0),
    ("Mi", 1_048_576.0),
    ("Gi", 1_073_741_824.0),
    ("Ti", 1_099_511_627_776.0),
    ("k", 1e3),
    ("K", 1e3),
    ("M", 1e6),
    ("G", 1e9),
    ("T", 1e12),
    ("P", 1e15),
    ("", 1.0),
];

/// What a prefix of bytes means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KiloBytes {
    /// 1 KB = 1000 B, as traffic and memory rates are counted.
    Decimal,
    /// 1 KB = 1024 B, as CUDA's tools count the shared memory of a block.
    Binary,
}

/// A number: plain, with separators of thousands, a power, a shift, a product of such (`16x16`), with a prefix behind it
/// (`4k`, `1Mi`). `None` for anything else, and for what is not finite.
#[must_use]
pub fn typed_number(text: &str) -> Option<f64> {
    // Hexadecimal, and no product with nothing.
    if text.trim_start().starts_with("0x") {
        return None;
    }
    let is_power = text.contains(['^', '*', '<']);
    let text = if is_power { Cow::Owned(text.replace(' ', "")) } else { Cow::Borrowed(text) };
    let factors = text.split(['x', '×']).map(|factor| scaled_factor(factor.trim()));
    factors.product::<Option<f64>>().filter(|value| value.is_finite())
}

/// A whole number from 0 to 2^53.
#[must_use]
pub fn typed_count(text: &str) -> Option<u64> {
    let value = typed_number(text)?;
    ((0.0..=LARGEST_WHOLE).contains(&value) && value.fract() == 0.0).then_some(value as u64)
}

/// `256`, `16x16`, `16x16x1`: one to three whole numbers above 0; what is left out is 1.
#[must_use]
pub fn typed_dimensions(text: &str) -> Option<[u64; 3]> {
    let mut sides = [1; 3];
    let mut parts = text.split(['x', '×']);
    for (side, part) in sides.iter_mut().zip(parts.by_ref()) {
        *side = typed_count(part.trim()).filter(|n| *n > 0)?;
    }
    parts.next().is_none().then_some(sides)
}

/// A time with its unit: `4.2ms`, `31 µs`, `1.5 s`. A bare number has none and is refused.
#[must_use]
pub fn typed_seconds(text: &str) -> Option<Seconds> {
    let (value, unit) = number_and_unit(text)?;
    seconds_per(unit).map(|scale| Seconds(value * scale)).filter(|t| t.0.is_finite())
}

/// Seconds in this unit of time; `None` where it is none.
#[must_use]
pub fn seconds_per(unit: &str) -> Option<f64> {
    Some(match unit {
        "s" | "sec" => 1.0,
        "ms" | "msec" => 1e-3,
        "us" | "µs" | "μs" | "usec" => 1e-6,
        "ns" | "nsec" => 1e-9,
        _ => return None,
    })
}

/// Bytes: `50MB`, `1.5 GiB`, `8KB`, or a bare number of them.
#[must_use]
pub fn typed_bytes(text: &str, kilo: KiloBytes) -> Option<Bytes> {
    let (value, unit) = number_and_unit(text)?;
    bytes_per(unit, kilo).map(|scale| Bytes(value * scale)).filter(|b| b.0.is_finite())
}

/// Bytes in `B`, `KB`, `MiB`, or the bare prefix; `None` where it is no unit of them. `Mb` is one of bits, `mb` a way to type `MB`.
#[must_use]
pub fn bytes_per(unit: &str, kilo: KiloBytes) -> Option<f64> {
    if matches!(unit, "Kb" | "Mb" | "Gb" | "Tb") {
        return None;
    }
    let prefix = ["bytes", "byte", "B", "b"].iter().find_map(|b| unit.strip_suffix(b)).unwrap_or(unit);
    let binary = |prefix: &str| match (kilo, prefix) {
        (KiloBytes::Binary, "k" | "K") => Some(1024.0),
        (KiloBytes::Binary, "M") => Some(1_048_576.0),
        (KiloBytes::Binary, "G") => Some(1_073_741_824.0),
        _ => None,
    };
    binary(prefix.trim()).or_else(|| scale_of(prefix.trim()))
}

/// Floating-point operations: `17.2 GFLOP`, `17.2G`, `1.72e10`. A rate (`GFLOP/s`, `TFLOPS`) is none and is refused.
#[must_use]
pub fn typed_flops(text: &str) -> Option<Flops> {
    let (value, unit) = number_and_unit(text)?;
    let scale = if unit.is_empty() { Some(1.0) } else { flops_per(unit).or_else(|| scale_of(unit)) };
    scale.map(|scale| Flops(value * scale)).filter(|f| f.0.is_finite())
}

/// FLOPs in `FLOP`, `GFLOP`, `TFLOPs`; `None` for a rate (`TFLOPS`, `GFLOP/s`) and for anything else.
#[must_use]
pub fn flops_per(unit: &str) -> Option<f64> {
    // `TFLOPS` is the field's word for a rate, `TFLOPs` one for an amount.
    let head = unit.strip_suffix('s').unwrap_or(unit);
    let at = head.len().checked_sub(4)?;
    let is_flop = head.get(at..)?.eq_ignore_ascii_case("flop");
    is_flop.then(|| scale_of(head[..at].trim())).flatten()
}

/// A rate of work: what an amount takes the place of its time by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TypedRate {
    /// `700 TFLOPS`.
    Flops(FlopsPerSecond),
    /// `900 GB/s`, of DRAM.
    Bytes(BytesPerSecond),
}

/// `700 TFLOP/s`, `900 GB/s`.
impl fmt::Display for TypedRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flops(rate) => rate.fmt(f),
            Self::Bytes(rate) => rate.fmt(f),
        }
    }
}

/// A rate with its unit: `700TFLOPS`, `700 TFLOP/s`, `1.2 TB/s`.
///
/// ```
/// use roofswap_engine::units::typed_rate;
/// assert_eq!(typed_rate("700TFLOPS").map(|rate| rate.to_string()), Some("700 TFLOP/s".into()));
/// assert_eq!(typed_rate("0.9 TB/s").map(|rate| rate.to_string()), Some("900 GB/s".into()));
/// assert_eq!(typed_rate("700 TFLOP"), None); // an amount
/// ```
#[must_use]
pub fn typed_rate(text: &str) -> Option<TypedRate> {
    let (value, unit) = number_and_unit(text)?;
    rate_of(unit, value)
}

/// More than any GPU does, by far.
const MOST_PER_SECOND: f64 = 1e21;

/// A rate of this value in `TFLOPS`, `GFLOP/s`, `GB/s`, `GiB/s`; `None` where the unit is none of a rate.
#[must_use]
pub fn rate_of(unit: &str, value: f64) -> Option<TypedRate> {
    let amount = unit.strip_suffix("/s");
    let flops = amount.and_then(flops_per).or_else(|| unit.strip_suffix('S').and_then(flops_per));
    let bytes = || {
        let amount = amount.filter(|amount| amount.ends_with(['B', 's', 'e']))?;
        bytes_per(amount, KiloBytes::Decimal)
    };
    let (rate, per_second) = match flops {
        Some(scale) => (TypedRate::Flops(FlopsPerSecond(value * scale)), value * scale),
        None => {
            let bytes = value * bytes()?;
            (TypedRate::Bytes(BytesPerSecond(bytes)), bytes)
        }
    };
    (per_second > 0.0 && per_second <= MOST_PER_SECOND).then_some(rate)
}

/// The number that a text begins with, and the letters behind it without the space between: `17.2 GFLOP` is 17.2 and
/// `GFLOP`. `None` where it begins with no number.
#[must_use]
pub fn number_and_unit(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let mut end = 0;
    for (i, c) in text.char_indices() {
        if !belongs_to_number(text, i, c) {
            break;
        }
        end = i + c.len_utf8();
    }
    let (number, unit) = text.split_at(end);
    Some((plain_number(number.trim())?, unit.trim()))
}

/// Whether the character at `i` still belongs to the number that `text` begins with.
fn belongs_to_number(text: &str, i: usize, c: char) -> bool {
    let (before, after) = (&text[..i], &text[i + c.len_utf8()..]);
    let digit_before = before.ends_with(|c: char| c.is_ascii_digit());
    let digit_after = after.starts_with(|c: char| c.is_ascii_digit());
    match c {
        '0'..='9' | '.' | '_' | ',' | '^' | '*' | '<' => true,
        '-' | '+' => i == 0 || before.ends_with(['e', 'E', '^', '*']),
        'e' | 'E' => digit_before && (digit_after || after.starts_with(['-', '+'])),
        _ => false,
    }
}

/// A plain number or power with a prefix behind it.
fn scaled_factor(text: &str) -> Option<f64> {
    let (value, unit) = number_and_unit(text)?;
    scale_of(unit).map(|scale| value * scale)
}

fn scale_of(prefix: &str) -> Option<f64> {
    SCALES.iter().find(|(name, _)| *name == prefix).map(|(_, scale)| *scale)
}

/// `1048576`, `1_048_576`, `1,048,576`, `2^20`, `2**20`, `1<<20`, `1e6`.
fn plain_number(text: &str) -> Option<f64> {
    let power = text.split_once("**").or_else(|| text.split_once('^'));
    if let Some((base, exponent)) = power {
        let exponent: i32 = exponent.trim().parse().ok()?;
        return Some(decimal_number(base.trim())?.powi(exponent));
    }
    if let Some((base, places)) = text.split_once("<<") {
        let places: i32 = places.trim().parse().ok().filter(|places| *places >= 0)?;
        return Some(decimal_number(base.trim())? * 2f64.powi(places));
    }
    decimal_number(text)
}

/// A decimal number, its thousands apart or not.
fn decimal_number(text: &str) -> Option<f64> {
    let begins = text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+'));
    if !begins {
        return None; // no `nan`, no `inf`
    }
    without_separators(text)?.parse().ok()
}

/// The digits without `_` between two of them, and without commas that part thousands; `None` where one stands elsewhere.
fn without_separators(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains(['_', ',']) {
        return Some(Cow::Borrowed(text));
    }
    let is_apart = |c: char| matches!(c, '_' | ',');
    let whole = text.split(['.', 'e', 'E']).next().unwrap_or_default();
    let groups: Vec<&str> = whole.split(is_apart).collect();
    let digits = |group: &&str| !group.is_empty() && group.bytes().all(|b| b.is_ascii_digit());
    let thousands = groups[1..].iter().all(|g| g.len() == 3) && groups[0].len() <= 3;
    let sound = groups.iter().all(digits) && (!whole.contains(',') || thousands);
    let rest_is_plain = !text[whole.len()..].contains(is_apart);
    (sound && rest_is_plain).then(|| Cow::Owned(text.replace(is_apart, "")))
}

/// Whether the comma at this place of a list parts thousands: one to three digits before it, exactly three behind it.
///
/// ```
/// use roofswap_engine::units::is_thousands_comma;
/// assert!(is_thousands_comma("n=1,000", 3));
/// assert!(!is_thousands_comma("m=512,n=512", 5));
/// ```
#[must_use]
pub fn is_thousands_comma(list: &str, at: usize) -> bool {
    let digit = |c: &char| c.is_ascii_digit();
    let before = list[..at].chars().rev().take_while(digit).count();
    let left = list[..at].chars().rev().nth(before);
    let after = list[at + 1..].chars().take_while(digit).count();
    let right = list[at + 1..].chars().nth(after);
    let goes_on = matches!(right, Some(c) if c == '=' || c == '_' || c == '.' && after == 3);
    (1..=3).contains(&before) && after == 3 && !goes_on && !matches!(left, Some('.' | '_'))
}

/// The parts of a list at `;` and `,`, where a comma between thousands parts nothing.
pub fn list_parts(list: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(list);
    std::iter::from_fn(move || {
        let text = rest?;
        let offset = list.len() - text.len();
        let ends = |(i, c): &(usize, char)| match c {
            ';' => true,
            ',' => !is_thousands_comma(list, offset + i),
            _ => false,
        };
        match text.char_indices().find(ends) {
            Some((end, _)) => {
                rest = Some(&text[end + 1..]);
                Some(&text[..end])
            }
            None => {
                rest = None;
                Some(text)
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_way_to_type_a_number_is_read() {
        for (text, value) in [
            ("1048576", 1_048_576.0),
            ("1_048_576", 1_048_576.0),
            ("1,048,576", 1_048_576.0),
            ("2^20", 1_048_576.0),
            ("2**20", 1_048_576.0),
            (" 2 ** 20 ", 1_048_576.0),
            ("1<<20", 1_048_576.0),
            ("1Mi", 1_048_576.0),
            ("4k", 4000.0),
            ("4K", 4000.0),
            ("4Ki", 4096.0),
            ("1.5M", 1.5e6),
            ("1e6", 1e6),
            ("2e-3", 2e-3),
            ("16x16", 256.0),
            ("16×16x2", 512.0),
            ("1kx2", 2000.0),
            ("10^-3", 1e-3),
            ("-4", -4.0),
            ("1,000.5", 1000.5),
        ] {
            assert_eq!(typed_number(text), Some(value), "{text}");
        }
    }

    #[test]
    fn what_is_no_number_is_none() {
        for text in [
            "",
            "x",
            "nan",
            "inf",
            "1,5",
            "1,0000",
            "12,34",
            "1__0",
            "_1",
            "1_",
            "1.5.2",
            "4q",
            "2^",
            "^2",
            "1<<-1",
            "9^9999999999",
            "2^99999",
            "16x",
            "x16",
            "1,000_000,0",
            "0x10",
            "1 000",
            "4ms",
        ] {
            assert_eq!(typed_number(text), None, "{text}");
        }
        assert_eq!((typed_count("1.5"), typed_count("-1"), typed_count("1e30")), (None, None, None));
    }

    #[test]
    fn dimensions_are_up_to_three_counts() {
        assert_eq!(typed_dimensions("256"), Some([256, 1, 1]));
        assert_eq!(typed_dimensions("16 x 16"), Some([16, 16, 1]));
        assert_eq!(typed_dimensions("4kx2x1"), Some([4000, 2, 1]));
        assert_eq!([typed_dimensions("0"), typed_dimensions("1x2x3x4"), typed_dimensions("")], [None; 3]);
    }

    #[test]
    fn quantities_need_the_unit_that_makes_them_clear() {
        let near = |found: Option<f64>, value: f64| found.is_some_and(|f| (f / value - 1.0).abs() < 1e-12);
        assert!(near(typed_seconds("4.2ms").map(|t| t.0), 4.2e-3));
        assert!(near(typed_seconds("31 µs").map(|t| t.0), 31e-6));
        assert_eq!((typed_seconds("4.2"), typed_seconds("4.2m")), (None, None));
        assert_eq!(typed_bytes("8KB", KiloBytes::Binary), Some(Bytes(8192.0)));
        assert_eq!(typed_bytes("8KB", KiloBytes::Decimal), Some(Bytes(8000.0)));
        assert_eq!(typed_bytes("8 KiB", KiloBytes::Decimal), Some(Bytes(8192.0)));
        assert_eq!(typed_bytes("50e6", KiloBytes::Decimal), Some(Bytes(50e6)));
        assert_eq!(typed_bytes("1.5GB", KiloBytes::Decimal), Some(Bytes(1.5e9)));
        assert!(near(typed_flops("17.2 GFLOP").map(|f| f.0), 17.2e9));
        assert!(near(typed_flops("2Tflop").map(|f| f.0), 2e12));
        assert!(near(typed_flops("17.2G").map(|f| f.0), 17.2e9));
        assert_eq!([typed_flops("17.2 GFLOP/s"), typed_flops("83 TFLOPS"), typed_flops("3ms")], [None; 3]);
    }

    #[test]
    fn a_comma_parts_a_list_unless_it_parts_thousands() {
        let parts = |text| list_parts(text).collect::<Vec<_>>();
        assert_eq!(parts("m=512,n=512;k=1k"), ["m=512", "n=512", "k=1k"]);
        assert_eq!(parts("n=1,000,000,m=2"), ["n=1,000,000", "m=2"]);
        assert_eq!(parts("n=1,000;m=2,500"), ["n=1,000", "m=2,500"]);
        assert_eq!(parts("1,2"), ["1", "2"]);
        assert_eq!(parts(""), [""]);
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_a_panic(text in "\\PC{0,30}") {
            let _ = (typed_number(&text), typed_seconds(&text), typed_flops(&text), typed_dimensions(&text));
            let _ = typed_bytes(&text, KiloBytes::Binary);
            prop_assert_eq!(list_parts(&text).map(str::len).sum::<usize>() + list_parts(&text).count(), text.len() + 1);
        }

        #[test]
        fn what_the_standard_library_prints_is_read_back(value in 0u64..(1 << 53)) {
            prop_assert_eq!(typed_count(&value.to_string()), Some(value));
        }
    }
}
