//! Problem sizes: `m=512;n=512;k=1024`.

use crate::units::{LARGEST_WHOLE, list_parts, typed_number};
use hashbrown::DefaultHashBuilder;
use std::fmt;
use std::hash::{BuildHasher, Hash, Hasher};
use std::str::FromStr;
use std::sync::LazyLock;

/// Named sizes in the order they were given or the kernel declares them. A file has up to a million of them: a single size stands in
/// place, several in an allocation of their own, and the hash is made once.
#[derive(Clone)]
pub struct Problem {
    pairs: ProblemPairs,
    hash: u64,
}

#[derive(Clone)]
enum ProblemPairs {
    One([(ProblemKey, ProblemValue); 1]),
    Several(Box<[(ProblemKey, ProblemValue)]>),
}

impl From<Vec<(ProblemKey, ProblemValue)>> for ProblemPairs {
    fn from(pairs: Vec<(ProblemKey, ProblemValue)>) -> Self {
        <[_; 1]>::try_from(pairs).map_or_else(|several| Self::Several(several.into()), Self::One)
    }
}

static HASHER: LazyLock<DefaultHashBuilder> = LazyLock::new(DefaultHashBuilder::default);

/// A problem key; short ones, as nearly all are, stand in place.
#[derive(Clone, PartialEq, Eq)]
pub struct ProblemKey(ProblemName);

impl Hash for ProblemKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match &self.0 {
            // What is past its end is zero: equal keys have equal bytes.
            ProblemName::Short(length, bytes) => {
                let mut whole = [*length; 16];
                whole[..14].copy_from_slice(bytes);
                state.write_u128(u128::from_le_bytes(whole));
            }
            ProblemName::Long(name) => name.hash(state),
        }
    }
}

#[derive(Clone, PartialEq, Eq)]
enum ProblemName {
    Short(u8, [u8; 14]),
    #[allow(clippy::box_collection, reason = "one pointer keeps the key at 16 bytes")]
    Long(Box<String>),
}

impl ProblemKey {
    /// A key of this name.
    #[must_use]
    pub fn new(name: &str) -> Self {
        let mut bytes = [0; 14];
        match bytes.get_mut(..name.len()) {
            Some(place) => {
                place.copy_from_slice(name.as_bytes());
                Self(ProblemName::Short(name.len() as u8, bytes))
            }
            None => Self(ProblemName::Long(Box::new(name.to_string()))),
        }
    }

    /// Its name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match &self.0 {
            ProblemName::Short(length, bytes) => {
                std::str::from_utf8(&bytes[..usize::from(*length)]).expect("it was a whole text")
            }
            ProblemName::Long(name) => name,
        }
    }
}

impl fmt::Debug for ProblemKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for ProblemKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.pairs(), f)
    }
}

impl Default for Problem {
    fn default() -> Self {
        Self::from_pairs(Vec::new())
    }
}

impl PartialEq for Problem {
    fn eq(&self, other: &Self) -> bool {
        self.hash == other.hash && self.pairs() == other.pairs()
    }
}
impl Eq for Problem {}

impl Hash for Problem {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

/// The value of a problem key.
#[derive(Debug, Clone, PartialEq)]
pub enum ProblemValue {
    /// A size; integers print as integers.
    Number(f64),
    /// A word such as `layout=nt`, which formulas cannot use.
    Word(Box<str>),
}

impl ProblemValue {
    /// Whether it is a number that can be typed as a size.
    #[must_use]
    pub fn is_size(&self) -> bool {
        matches!(self, Self::Number(number) if is_size(*number))
    }
}

// Numbers are finite, so that equality is one; the sum makes both zeros the same.
impl Eq for ProblemValue {}
impl Hash for ProblemValue {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Self::Number(n) => (n + 0.0).to_bits().hash(state),
            Self::Word(word) => word.hash(state),
        }
    }
}

/// Why a problem text or a set of sizes was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProblemError {
    /// A part is not `key=value`.
    #[error("problem part `{0}`: expected key=value, for example n=1048576")]
    NotAPair(String),
    /// A key stands twice.
    #[error("problem key `{0}` stands twice; give it once")]
    Twice(String),
    /// A size is negative, zero where its kernel has no use for that, fractional or absurd.
    #[error("{key}={value}: expected a whole number from 1 to 2^53 (2^20, 1_000_000, 4k, 1Mi work)")]
    BadSize {
        /// The key.
        key: String,
        /// As typed.
        value: String,
    },
    /// A key the kernel does not have.
    #[error("{kernel} has no problem key `{key}`; its keys are {keys}")]
    UnknownKey {
        /// The kernel's id.
        kernel: String,
        /// As typed.
        key: String,
        /// The kernel's keys.
        keys: String,
    },
    /// A key without a value and without a default.
    #[error("{kernel} needs `{key}`; give it as {key}=…")]
    Missing {
        /// The kernel's id.
        kernel: String,
        /// The key.
        key: String,
    },
    /// Query heads that do not share the key and value heads evenly.
    #[error("{kernel}: h={heads} query heads on kv={kv_heads}: expected a multiple of kv")]
    Heads {
        /// The kernel's id.
        kernel: String,
        /// Query heads.
        heads: u64,
        /// Key and value heads.
        kv_heads: u64,
    },
    /// A size with which the kernel computes nothing.
    #[error("{kernel}: {size}: expected at least {least}")]
    TooSmall {
        /// The kernel's id.
        kernel: String,
        /// The key and its value.
        size: String,
        /// The least value after its formula, and what is wrong with less.
        least: String,
    },
    /// A bare number, and the kernel has not exactly one key it could be.
    #[error("`{number}`: {kernel} has {keys}")]
    BareNumber {
        /// As typed.
        number: String,
        /// The kernel's id.
        kernel: String,
        /// Its keys and what to type.
        keys: String,
    },
}

impl Problem {
    /// From pairs that are already known to be sound.
    #[must_use]
    pub(super) fn from_pairs(pairs: Vec<(ProblemKey, ProblemValue)>) -> Self {
        Self { hash: HASHER.hash_one(&pairs), pairs: pairs.into() }
    }

    /// Keys and values, in order.
    #[must_use]
    pub fn pairs(&self) -> &[(ProblemKey, ProblemValue)] {
        match &self.pairs {
            ProblemPairs::One(pair) => pair,
            ProblemPairs::Several(pairs) => pairs,
        }
    }

    /// The value of this key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&ProblemValue> {
        self.pairs().iter().find(|(k, _)| k.as_str() == key).map(|(_, v)| v)
    }

    /// The number of this key, if it is one.
    #[must_use]
    pub fn number_at(&self, key: &str) -> Option<f64> {
        match self.get(key) {
            Some(ProblemValue::Number(n)) => Some(*n),
            _ => None,
        }
    }

    /// Whether a value is a word.
    #[must_use]
    pub fn has_words(&self) -> bool {
        self.pairs().iter().any(|(_, value)| matches!(value, ProblemValue::Word(_)))
    }

    /// The product of all numbers but zeros: a rough order of size within one kernel.
    #[must_use]
    pub fn volume(&self) -> f64 {
        self.pairs()
            .iter()
            .filter_map(|(_, v)| if let ProblemValue::Number(n) = v { Some(*n) } else { None })
            .filter(|n| *n != 0.0)
            .product()
    }

    /// How far apart two sizes of one kernel are: the sum of |ln| of the ratios of their numbers, and 1 for each other value that differs.
    #[must_use]
    pub fn distance(&self, other: &Self) -> f64 {
        let apart = |(key, value): &(ProblemKey, ProblemValue)| match (value, other.get(key.as_str())) {
            (ProblemValue::Number(a), Some(ProblemValue::Number(b))) if *a > 0.0 && *b > 0.0 => {
                (a / b).ln().abs()
            }
            (a, Some(b)) if a == b => 0.0,
            _ => 1.0,
        };
        self.pairs().iter().map(apart).sum()
    }

    /// Reads `n=1048576` as a measurement file has it: any value that is no number is kept as a word, and nothing is
    /// asked of numbers.
    ///
    /// # Errors
    /// [`ProblemError::NotAPair`] or [`ProblemError::Twice`].
    pub fn parse_recorded(text: &str) -> Result<Self, ProblemError> {
        if let Some(pairs) = plain_pairs(text) {
            return Ok(Self::from_pairs(pairs));
        }
        let read = |pair: Result<(&str, &str), ProblemError>| {
            let (key, value) = pair?;
            Ok((
                ProblemKey::new(key),
                recorded_number(value).map_or_else(|| ProblemValue::Word(value.into()), ProblemValue::Number),
            ))
        };
        pairs(text)?.map(read).collect::<Result<_, _>>().map(Self::from_pairs)
    }
}

impl Problem {
    /// The same, of a kernel whose keys nobody knows: a key may be a switch that is 0, but none is negative, and one is above 0 where
    /// there are numbers.
    ///
    /// # Errors
    /// [`ProblemError::BadSize`] for the first number that is no size then.
    pub fn with_sizes(self) -> Result<Self, ProblemError> {
        let number = |(key, value): &(ProblemKey, ProblemValue)| match value {
            ProblemValue::Number(number) => Some((key.clone(), *number)),
            ProblemValue::Word(_) => None,
        };
        let numbers = || self.pairs().iter().filter_map(number);
        let has_size = numbers().any(|(_, number)| number > 0.0);
        let bad = numbers().find(|(_, number)| *number < 0.0 || *number == 0.0 && !has_size);
        bad.map_or(Ok(()), |(key, number)| Err(bad_size(key.as_str(), number))).map(|()| self)
    }
}

/// Reads a size that a person typed: `n=2^20`, `m=512;n=1k`, separated by `;` or `,`.
impl FromStr for Problem {
    type Err = ProblemError;
    fn from_str(text: &str) -> Result<Self, ProblemError> {
        Self::typed(text, |_| false)
    }
}

impl Problem {
    /// As typed, where some keys may be 0.
    ///
    /// # Errors
    /// [`ProblemError`] with what was expected.
    pub fn typed(text: &str, may_be_zero: impl Fn(&str) -> bool) -> Result<Self, ProblemError> {
        let read = |pair: Result<(&str, &str), ProblemError>| {
            let (key, value) = pair?;
            let size =
                typed_number(value).filter(|size| is_size(*size) || (*size == 0.0 && may_be_zero(key)));
            let size = size.ok_or_else(|| bad_size(key, value))?;
            // The sum makes both zeros the same.
            Ok((ProblemKey::new(key), ProblemValue::Number(size + 0.0)))
        };
        pairs(text)?.map(read).collect::<Result<_, _>>().map(Self::from_pairs)
    }
}

/// Whether a kernel's formulas can be asked about this number.
pub(super) fn is_size(number: f64) -> bool {
    (1.0..=LARGEST_WHOLE).contains(&number) && number.fract() == 0.0
}

pub(super) fn bad_size(key: &str, value: impl fmt::Display) -> ProblemError {
    ProblemError::BadSize { key: shorten(key), value: shorten(&value.to_string()) }
}

/// The pairs of a text as programs write it, `m=512;n_2=64`: a million rows have one each, so that every byte is looked at
/// once. `None` for anything else, which is no error yet.
fn plain_pairs(text: &str) -> Option<Vec<(ProblemKey, ProblemValue)>> {
    let count = text.bytes().filter(|b| *b == b'=').count();
    if count > FEW {
        return None;
    }
    let mut pairs: Vec<(ProblemKey, ProblemValue)> = Vec::with_capacity(count);
    for part in text.as_bytes().split(|b| *b == b';') {
        let at = part.iter().position(|b| *b == b'=')?;
        let (key, value) = (&part[..at], &part[at + 1..]);
        let plain = !key.is_empty() && key.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_');
        // An f64 holds any fifteen digits exactly.
        let whole = (1..=15).contains(&value.len()) && value.iter().all(u8::is_ascii_digit);
        if !(plain && whole) {
            return None;
        }
        let key = ProblemKey::new(std::str::from_utf8(key).ok()?);
        if pairs.iter().any(|(known, _)| *known == key) {
            return None;
        }
        let number = value.iter().fold(0u64, |n, digit| 10 * n + u64::from(digit - b'0'));
        pairs.push((key, ProblemValue::Number(number as f64)));
    }
    Some(pairs)
}

/// Splits `a=1;b=2` and refuses what is not a pair or stands twice.
fn pairs(text: &str) -> Result<impl Iterator<Item = Result<(&str, &str), ProblemError>>, ProblemError> {
    let parts = || list_parts(text).map(str::trim).filter(|p| !p.is_empty());
    let keys = || parts().filter_map(|p| p.split_once('=').map(|(k, _)| k.trim()));
    if let Some(twice) = twice(keys) {
        return Err(ProblemError::Twice(shorten(twice)));
    }
    Ok(parts().map(|part| {
        let pair = part.split_once('=').map(|(key, value)| (key.trim(), value.trim()));
        pair.filter(|(key, _)| !key.is_empty()).ok_or_else(|| ProblemError::NotAPair(shorten(part)))
    }))
}

/// So many keys are compared each with each.
const FEW: usize = 8;

/// A key that stands twice. Few keys are looked through where they stand; only a text of many makes a list.
fn twice<'t, I: Iterator<Item = &'t str>>(keys: impl Fn() -> I) -> Option<&'t str> {
    if keys().nth(FEW).is_none() {
        return keys().enumerate().find(|(i, key)| keys().take(*i).any(|k| k == *key)).map(|(_, key)| key);
    }
    let mut sorted: Vec<&str> = keys().collect();
    sorted.sort_unstable();
    sorted.windows(2).find(|w| w[0] == w[1]).map(|w| w[0])
}

/// The number that a file states; `16x16` stays the word it is: a shape, and no size.
fn recorded_number(value: &str) -> Option<f64> {
    let number = value.parse::<f64>().ok().filter(|n| n.is_finite());
    number.or_else(|| typed_number(value).filter(|_| !value.contains(['x', '×'])))
}

/// A text short enough for an error message.
pub(super) fn shorten(text: &str) -> String {
    crate::text::clipped_text(text, 40)
}

/// Numbers that are written without an exponent.
const PLAIN: std::ops::Range<f64> = 1e-7..1e21;

impl fmt::Display for ProblemValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // A file may hold any number; `1e300` is read back as well as 301 digits are.
            Self::Number(n) if *n != 0.0 && !PLAIN.contains(&n.abs()) => write!(f, "{n:e}"),
            Self::Number(n) => write!(f, "{n}"),
            Self::Word(w) => f.write_str(w),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (key, value)) in self.pairs().iter().enumerate() {
            write!(f, "{}{key}={value}", if i == 0 { "" } else { ";" })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_stays_small() {
        assert_eq!(
            (size_of::<Problem>(), size_of::<(ProblemKey, ProblemValue)>()),
            (40, 32),
            "a million of them"
        );
        for text in ["", "n=1", "n=1;m=2"] {
            assert_eq!(Problem::parse_recorded(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn numbers_without_measure_are_written_with_an_exponent_and_read_back() {
        for (text, printed) in [
            ("n=1e300", "n=1e300"),
            ("n=1.5e-300;m=0", "n=1.5e-300;m=0"),
            ("n=123456789012345678901", "n=123456789012345680000"),
            ("n=0.0000001", "n=0.0000001"),
        ] {
            let problem = Problem::parse_recorded(text).unwrap();
            assert_eq!(problem.to_string(), printed);
            assert_eq!(Problem::parse_recorded(printed).unwrap(), problem);
        }
    }

    #[test]
    fn sizes_are_read_as_people_type_them() {
        for (text, printed) in [
            ("n=1048576", "n=1048576"),
            ("n=2^20", "n=1048576"),
            ("n=1Mi", "n=1048576"),
            (" n = 1e6 ", "n=1000000"),
            ("n=1_000_000", "n=1000000"),
            ("n=1,000,000,m=2", "n=1000000;m=2"),
            ("n=2**20", "n=1048576"),
            ("n=1<<20", "n=1048576"),
            ("n=1024x1024", "n=1048576"),
            ("m=1k,n=2;k=3", "m=1000;n=2;k=3"),
            ("", ""),
        ] {
            assert_eq!(text.parse::<Problem>().unwrap().to_string(), printed, "{text}");
        }
    }

    #[test]
    fn absurd_sizes_are_refused_with_what_was_expected() {
        for bad in [
            "n=0",
            "n=-4",
            "n=1e30",
            "n=1.5",
            "n=nan",
            "n=inf",
            "n=",
            "n=x",
            "n=2^-1",
            "n=2^99999",
            "n=9^9999999999",
        ] {
            let error = bad.parse::<Problem>().unwrap_err().to_string();
            assert!(error.contains("expected a whole number from 1"), "{bad}: {error}");
        }
        assert!("1048576".parse::<Problem>().unwrap_err().to_string().contains("expected key=value"));
        assert!("n=1;n=2".parse::<Problem>().unwrap_err().to_string().contains("twice"));
    }

    #[test]
    fn the_short_way_reads_what_the_long_one_does() {
        for (text, plain) in [
            ("m=512;n_2=64", true),
            ("n=007", true),
            ("n=123456789012345", true),
            ("n=1234567890123456", false),
            ("n=1;n=2", false),
            ("n=1;", false),
            (" n=1", false),
            ("n=1,m=2", false),
            ("n=1.5;layout=nt", false),
            ("=1", false),
            ("n=", false),
            ("é=1", false),
            ("a=1;b=1;c=1;d=1;e=1;f=1;g=1;h=1;i=1", false),
            ("", false),
        ] {
            assert_eq!(plain_pairs(text).is_some(), plain, "{text}");
        }
        // A space in front makes it the long way.
        let long = Problem::parse_recorded(" m=512;n_2=64;k=007").unwrap();
        assert_eq!(Problem::parse_recorded("m=512;n_2=64;k=007").unwrap(), long);
    }

    #[test]
    fn recorded_words_survive() {
        let p = Problem::parse_recorded("m=512;layout=nt;beta=0").unwrap();
        assert_eq!(p.to_string(), "m=512;layout=nt;beta=0");
        assert_eq!((p.number_at("beta"), p.number_at("layout")), (Some(0.0), None));
        let p = Problem::parse_recorded("n=2^20;tile=16x16;k=1,000").unwrap();
        assert_eq!(p.to_string(), "n=1048576;tile=16x16;k=1000");
    }
}
