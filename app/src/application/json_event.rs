//! The members of one event, as raw bytes: an event has a dozen, of which half are wanted. Words that are no JSON (`nan`,
//! `inf`, as profilers write them) are passed like numbers.

use super::json_stream::ValueScan;
use std::borrow::Cow;

/// The members of an object, one after the other.
pub(super) struct Members<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Whether something was found that is no object.
    pub(super) is_broken: bool,
}

impl<'a> Members<'a> {
    /// Of `{…}`.
    pub(super) fn new(object: &'a [u8]) -> Self {
        let is_broken = object.first() != Some(&b'{');
        Self { bytes: object, at: 1, is_broken }
    }

    fn skip_blanks(&mut self) {
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    /// The bytes of the next value.
    fn value(&mut self) -> Option<&'a [u8]> {
        self.skip_blanks();
        let rest = self.bytes.get(self.at..)?;
        let used = ValueScan::default().step(rest)?;
        self.at += used;
        Some(&rest[..used])
    }

    fn pair(&mut self) -> Option<(&'a [u8], &'a [u8])> {
        let key = self.value()?;
        let key = key.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
        self.skip_blanks();
        if self.bytes.get(self.at) != Some(&b':') {
            return None;
        }
        self.at += 1;
        Some((key, self.value()?))
    }
}

impl<'a> Iterator for Members<'a> {
    type Item = (&'a [u8], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_broken {
            return None;
        }
        self.skip_blanks();
        if self.bytes.get(self.at) == Some(&b',') {
            self.at += 1;
            self.skip_blanks();
        }
        if self.bytes.get(self.at) == Some(&b'}') {
            return None;
        }
        let pair = self.pair();
        self.is_broken = pair.is_none();
        pair
    }
}

/// A device or stream number; 0 for what is none.
pub(super) fn number(value: &[u8]) -> u32 {
    whole(value).and_then(|n| u32::try_from(n).ok()).unwrap_or(0)
}

/// The text of a JSON string; `None` for anything else.
pub(super) fn text(value: &[u8]) -> Option<Cow<'_, str>> {
    let inner = value.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    if memchr::memchr(b'\\', inner).is_none() {
        return Some(String::from_utf8_lossy(inner));
    }
    match serde_json::from_slice::<String>(value) {
        Ok(text) => Some(text.into()),
        // Half a pair of surrogates, or an escape that JSON does not have: shown as it stands.
        Err(_) => Some(String::from_utf8_lossy(inner).into_owned().into()),
    }
}

/// Without quotation marks: some profilers write numbers as texts.
fn unquoted(value: &[u8]) -> &str {
    let inner = value.strip_prefix(b"\"").and_then(|v| v.strip_suffix(b"\"")).unwrap_or(value);
    std::str::from_utf8(inner).unwrap_or("").trim()
}

/// A whole number of at least 0.
pub(super) fn whole(value: &[u8]) -> Option<u64> {
    let text = unquoted(value);
    text.parse().ok().or_else(|| text.parse().ok().filter(|n: &f64| *n >= 0.0 && *n < 9e15).map(|n| n as u64))
}

/// Three whole numbers: `[16, 1, 1]`, or a text of them.
pub(super) fn three(value: &[u8]) -> Option<[u32; 3]> {
    let inner = unquoted(value).strip_prefix('[')?.strip_suffix(']')?;
    let mut out = [1; 3];
    let mut parts = inner.split(',');
    for slot in &mut out {
        *slot = parts.next()?.trim().parse().ok()?;
    }
    parts.next().is_none().then_some(out)
}

/// Microseconds with decimals, as traces state times, in nanoseconds. Not read as a float: at 1.7e15 µs its step is a
/// quarter of a microsecond.
pub(super) fn nanoseconds(value: &[u8]) -> Option<i64> {
    let text = unquoted(value);
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
    let (whole, decimals) = digits.split_once('.').unwrap_or((digits, ""));
    let plain = |t: &str| t.bytes().all(|b| b.is_ascii_digit());
    if !plain(whole) || !plain(decimals) || whole.is_empty() {
        // `1.5e3`: small enough for a float.
        let micros: f64 = text.parse().ok()?;
        return (micros.is_finite() && micros.abs() < 9e15).then(|| (micros * 1e3).round() as i64);
    }
    let thousandths = decimals.bytes().chain(*b"0000").take(4).map(|b| i64::from(b - b'0'));
    let mut after = thousandths.fold(0, |all, digit| 10 * all + digit);
    after = (after + 5) / 10;
    let micros: i64 = whole.parse().ok()?;
    micros.checked_mul(1000)?.checked_add(after)?.checked_mul(sign)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_found_whatever_stands_in_them() {
        let event = br#"{ "ph" : "X","args":{"a":[1,{"b":2}],"x":nan}, "dur":-1.5 ,"name":"a\"}b" }"#;
        let found: Vec<(String, String)> = Members::new(event)
            .map(|(k, v)| (String::from_utf8_lossy(k).into(), String::from_utf8_lossy(v).into()))
            .collect();
        let keys: Vec<&str> = found.iter().map(|(k, _)| k.as_str()).collect();
        assert_eq!(keys, ["ph", "args", "dur", "name"]);
        assert_eq!(found[1].1, r#"{"a":[1,{"b":2}],"x":nan}"#);
        assert_eq!(text(found[3].1.as_bytes()).unwrap(), "a\"}b");
        for broken in ["[1]", "{1:2}", "{\"a\"}", "{\"a\":", "{\"a\" 1}"] {
            let mut members = Members::new(broken.as_bytes());
            assert!(members.by_ref().count() == 0 && members.is_broken, "{broken}");
        }
    }

    #[test]
    fn times_keep_their_nanoseconds() {
        for (text, expected) in [
            ("1414456661859.938", Some(1_414_456_661_859_938)),
            ("1717072473264747.456", Some(1_717_072_473_264_747_456)),
            ("10", Some(10_000)),
            ("\"2.5\"", Some(2_500)),
            ("0.0006", Some(1)),
            ("-3.25", Some(-3_250)),
            ("1e3", Some(1_000_000)),
            ("nan", None),
            ("", None),
            ("99999999999999999999", None),
        ] {
            assert_eq!(nanoseconds(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn numbers_and_shapes() {
        assert_eq!(
            [whole(b"12"), whole(b"\"12\""), whole(b"1.0"), whole(b"-1"), whole(b"x")],
            [Some(12), Some(12), Some(1), None, None]
        );
        assert_eq!(three(b"[16, 3, 1]"), Some([16, 3, 1]));
        assert_eq!(three(b"\"[16,3,1]\""), Some([16, 3, 1]));
        assert_eq!([three(b"[1,2]"), three(b"[1,2,3,4]"), three(b"[-1,2,3]"), three(b"7")], [None; 4]);
    }
}
