//! Numbers and units as ncu prints them: thousands separators, two locales, prefixes, several spellings of a unit.

/// Which character divides the whole from the rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::import) enum Decimal {
    Point,
    Comma,
}

/// What a number without context says about its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NumberForm {
    /// No separator: the same in both.
    Plain,
    /// Reads in this one only.
    Only(Decimal),
    /// `1.024`, `12,319`: a fraction in one, thousands in the other.
    Either,
    /// No number.
    Not,
}

/// Why a number could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UnreadNumber {
    /// It is none.
    NotANumber,
    /// `1.024`, and nothing in the file says which.
    Ambiguous,
}

/// What this number alone says about the file's locale.
pub(super) fn evidence(text: &str) -> Option<Decimal> {
    match form(text) {
        NumberForm::Only(decimal) => Some(decimal),
        _ => None,
    }
}

/// Whether this reads differently in the two locales.
#[cfg(test)]
fn is_ambiguous(text: &str) -> bool {
    form(text) == NumberForm::Either
}

/// The number, in a file whose locale is known or not.
pub(super) fn parsed_number(text: &str, decimal: Option<Decimal>) -> Result<f64, UnreadNumber> {
    let text = bare(text);
    match (form(&text), decimal) {
        (NumberForm::Not, _) => Err(UnreadNumber::NotANumber),
        (NumberForm::Plain, _) => parse(&text, None),
        (NumberForm::Only(needed), None) => parse(&text, Some(needed)),
        (NumberForm::Only(needed), Some(known)) if needed == known => parse(&text, Some(known)),
        (NumberForm::Only(_), Some(_)) => Err(UnreadNumber::NotANumber),
        (NumberForm::Either, Some(known)) => parse(&text, Some(known)),
        (NumberForm::Either, None) => Err(UnreadNumber::Ambiguous),
    }
}

fn parse(text: &str, decimal: Option<Decimal>) -> Result<f64, UnreadNumber> {
    let plain: String = match decimal {
        None => text.to_string(),
        Some(Decimal::Point) => text.replace(',', ""),
        Some(Decimal::Comma) => text.replace('.', "").replace(',', "."),
    };
    plain.parse::<f64>().ok().filter(|v| v.is_finite()).ok_or(UnreadNumber::NotANumber)
}

/// Without blanks and apostrophes between digits, which some locales use for thousands.
fn bare(text: &str) -> std::borrow::Cow<'_, str> {
    let odd = |c: char| matches!(c, '\u{a0}' | '\u{202f}' | '\u{2009}' | '\'' | '\u{2019}' | ' ');
    if text.contains(odd) { text.replace(odd, "").into() } else { text.into() }
}

fn form(text: &str) -> NumberForm {
    let text = bare(text);
    let body = text.strip_prefix(['-', '+']).unwrap_or(&text);
    let mantissa = body.split(['e', 'E']).next().unwrap_or(body);
    if !mantissa.starts_with(|c: char| c.is_ascii_digit())
        || text.parse::<f64>().is_err() && has_letters(body)
    {
        return NumberForm::Not;
    }
    if !mantissa.bytes().all(|b| b.is_ascii_digit() || b == b'.' || b == b',') {
        return NumberForm::Not;
    }
    let [point, comma] = [Decimal::Point, Decimal::Comma].map(|d| reads_as(mantissa, d));
    match (mantissa.contains(['.', ',']), point, comma) {
        (false, _, _) => NumberForm::Plain,
        (_, true, true) => NumberForm::Either,
        (_, true, false) => NumberForm::Only(Decimal::Point),
        (_, false, true) => NumberForm::Only(Decimal::Comma),
        (_, false, false) => NumberForm::Not,
    }
}

/// Letters other than those of one exponent.
fn has_letters(body: &str) -> bool {
    let mut parts = body.split(['e', 'E']);
    let exponent = parts.nth(1).map(|e| e.strip_prefix(['-', '+']).unwrap_or(e));
    parts.next().is_some() || exponent.is_some_and(|e| e.is_empty() || !e.bytes().all(|b| b.is_ascii_digit()))
}

/// Whether groups and fraction stand where this locale puts them.
fn reads_as(mantissa: &str, decimal: Decimal) -> bool {
    let (dot, group) = match decimal {
        Decimal::Point => ('.', ','),
        Decimal::Comma => (',', '.'),
    };
    let (whole, fraction) = mantissa.split_once(dot).unwrap_or((mantissa, "0"));
    if !fraction.bytes().all(|b| b.is_ascii_digit()) {
        return false;
    }
    let mut groups = whole.split(group);
    let first = groups.next().unwrap_or("");
    let mut grouped = false;
    let rest = groups.all(|g| {
        grouped = true;
        g.len() == 3
    });
    // Thousands never begin with a lone zero: 0.123 is a fraction.
    rest && !first.is_empty() && (!grouped || (first.len() <= 3 && !first.starts_with('0')))
}

/// How far the number may lie from this text of it, which a page printed with so many decimals: half of its last digit.
pub(in crate::import) fn half_digit(text: &str, decimal: Option<Decimal>) -> f64 {
    let separator = match decimal {
        Some(Decimal::Comma) => ',',
        _ => '.',
    };
    let decimals = text.trim().rsplit_once(separator).map_or(0, |(_, digits)| digits.len());
    0.5 * 0.1_f64.powi(i32::try_from(decimals).unwrap_or(0))
}

/// What a unit measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dimension {
    /// In nanoseconds.
    Time,
    /// In bytes.
    Bytes,
    /// In 1/s.
    PerSecond,
    /// In byte/s.
    BytesPerSecond,
    /// Counts, ratios and percent.
    Plain,
}

/// What a unit measures and its size in ncu's base unit; `None` for a spelling nobody has seen.
pub(super) fn unit(text: &str) -> Option<(Dimension, f64)> {
    let (above, below) = text.trim().split_once('/').unwrap_or((text.trim(), ""));
    let (dimension, scale) = numerator(above)?;
    let per = match below.to_ascii_lowercase().as_str() {
        "second" | "s" => Some(1.0),
        "msecond" | "ms" => Some(1e3),
        "usecond" | "us" | "µs" | "μs" => Some(1e6),
        "nsecond" | "ns" => Some(1e9),
        _ => None,
    };
    match (dimension, per) {
        (Dimension::Bytes, Some(per)) => Some((Dimension::BytesPerSecond, scale * per)),
        (Dimension::Plain, Some(per)) => Some((Dimension::PerSecond, scale * per)),
        (_, Some(_)) => None,
        // Per block, thread, cycle: the metric says so itself.
        (_, None) => Some((dimension, scale)),
    }
}

fn numerator(text: &str) -> Option<(Dimension, f64)> {
    let lower = text.to_ascii_lowercase();
    let time = match lower.as_str() {
        "nsecond" | "ns" => Some(1.0),
        "usecond" | "us" | "µs" | "μs" => Some(1e3),
        "msecond" | "ms" => Some(1e6),
        "second" | "s" => Some(1e9),
        _ => None,
    };
    if let Some(scale) = time {
        return Some((Dimension::Time, scale));
    }
    for (ending, dimension) in [
        ("bytes", Dimension::Bytes),
        ("byte", Dimension::Bytes),
        ("b", Dimension::Bytes),
        ("hz", Dimension::PerSecond),
    ] {
        if let Some(prefix) = lower.strip_suffix(ending) {
            return decimal_prefix(prefix).map(|scale| (dimension, scale));
        }
    }
    let word =
        ["", "%", "block", "thread", "warp", "inst", "cycle", "sector", "register", "request", "wavefront"];
    let known = |t: &str| word.contains(&t) || t.strip_suffix('s').is_some_and(|t| word.contains(&t));
    if known(&lower) {
        return Some((Dimension::Plain, 1.0));
    }
    let scaled = lower.chars().next().and_then(|c| decimal_prefix(&c.to_string()));
    let rest = lower.get(1..).filter(|rest| !rest.is_empty() && known(rest));
    rest.and(scaled).map(|scale| (Dimension::Plain, scale))
}

/// ncu's prefixes are decimal, bytes included.
fn decimal_prefix(prefix: &str) -> Option<f64> {
    match prefix {
        "" => Some(1.0),
        "k" => Some(1e3),
        "m" => Some(1e6),
        "g" => Some(1e9),
        "t" => Some(1e12),
        "p" => Some(1e15),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Decimal::{Comma, Point};

    #[test]
    fn a_number_says_which_locale_it_is_from_or_not() {
        for (text, says) in [
            ("21,058,944", Some(Point)),
            ("21.058.944", Some(Comma)),
            ("4,963,609,951.19", Some(Point)),
            ("4.963.609.951,19", Some(Comma)),
            ("6.65", Some(Point)),
            ("6,65", Some(Comma)),
            ("0.123", Some(Point)),
            ("1234.567", Some(Point)),
            ("31,277902", Some(Comma)),
            ("12,319", None),
            ("1.024", None),
            ("256", None),
            ("1.2.3", None),
            ("(256, 1, 1)", None),
            ("0x10", None),
            ("n/a", None),
            ("1,2345,678.5", None),
        ] {
            assert_eq!(evidence(text), says, "{text}");
        }
        assert!(is_ambiguous("1.024") && is_ambiguous("12,319") && !is_ambiguous("256"));
    }

    #[test]
    fn numbers_read_in_their_locale() {
        assert_eq!(parsed_number("12,319", Some(Point)), Ok(12_319.0));
        assert_eq!(parsed_number("12,319", Some(Comma)), Ok(12.319));
        assert_eq!(parsed_number("12,319", None), Err(UnreadNumber::Ambiguous));
        assert_eq!(parsed_number("4.963.609.951,19", Some(Comma)), Ok(4_963_609_951.19));
        assert_eq!(parsed_number("21\u{202f}058\u{202f}944,5", None), Ok(21_058_944.5));
        assert_eq!(parsed_number("21'058'944", None), Ok(21_058_944.0));
        assert_eq!(parsed_number("1.5e-3", Some(Point)), Ok(0.0015));
        assert_eq!(parsed_number("6.65", Some(Comma)), Err(UnreadNumber::NotANumber));
        for none in ["", "n/a", "no data", "inf", "nan", "1e999", "--1", "1e", "0x1p3", "1.2.3,4"] {
            assert_eq!(parsed_number(none, Some(Point)), Err(UnreadNumber::NotANumber), "{none}");
        }
    }

    #[test]
    fn every_spelling_of_a_unit() {
        use Dimension::{Bytes, BytesPerSecond, PerSecond, Plain, Time};
        for (text, is) in [
            ("msecond", (Time, 1e6)),
            ("ms", (Time, 1e6)),
            ("usecond", (Time, 1e3)),
            ("us", (Time, 1e3)),
            ("\u{b5}s", (Time, 1e3)),
            ("\u{3bc}s", (Time, 1e3)),
            ("nsecond", (Time, 1.0)),
            ("ns", (Time, 1.0)),
            ("second", (Time, 1e9)),
            ("s", (Time, 1e9)),
            ("byte", (Bytes, 1.0)),
            ("Kbyte", (Bytes, 1e3)),
            ("Mbyte", (Bytes, 1e6)),
            ("Kbyte/block", (Bytes, 1e3)),
            ("MB", (Bytes, 1e6)),
            ("GB/s", (BytesPerSecond, 1e9)),
            ("byte/second", (BytesPerSecond, 1.0)),
            ("byte/s", (BytesPerSecond, 1.0)),
            ("Gbyte/second", (BytesPerSecond, 1e9)),
            ("Gbyte/s", (BytesPerSecond, 1e9)),
            ("hz", (PerSecond, 1.0)),
            ("Ghz", (PerSecond, 1e9)),
            ("cycle/nsecond", (PerSecond, 1e9)),
            ("cycle/usecond", (PerSecond, 1e6)),
            ("cycle/second", (PerSecond, 1.0)),
            ("inst", (Plain, 1.0)),
            ("Kinst", (Plain, 1e3)),
            ("sectors", (Plain, 1.0)),
            ("register/thread", (Plain, 1.0)),
            ("inst/cycle", (Plain, 1.0)),
            ("%", (Plain, 1.0)),
            ("", (Plain, 1.0)),
        ] {
            assert_eq!(unit(text), Some(is), "{text}");
        }
        for odd in ["fortnight", "xbyte", "ns/second"] {
            assert_eq!(unit(odd), None, "{odd}");
        }
    }
}
