//! What the cells of a row say, one by one, or why they are refused.

use super::decimal::{decimal, whole};
use super::{LONGEST_MS, Number, SHORTEST_MS};
use crate::units::{Seconds, number_and_unit, typed_dimensions, typed_number};

/// Why a row is refused.
#[derive(Debug)]
pub(crate) struct RowRefusal {
    /// The column to blame.
    pub(crate) column: String,
    /// The value, what was expected, what to do.
    pub(crate) message: String,
}

impl RowRefusal {
    pub(crate) fn new(column: &str, why: impl std::fmt::Display) -> Self {
        Self { column: column.to_string(), message: why.to_string() }
    }
}

/// A time in milliseconds that a launch can have taken.
pub(crate) fn parsed_time(bytes: &[u8]) -> Result<Seconds, RowRefusal> {
    as_time(parsed_number(bytes, Number::Time)?)
}

/// Milliseconds as the time of a launch.
pub(super) fn as_time(ms: Option<f64>) -> Result<Seconds, RowRefusal> {
    let refuse = |why: &dyn std::fmt::Display| RowRefusal::new("time_ms", why);
    let ms = ms.ok_or_else(|| refuse(&"is blank; expected milliseconds above 0"))?;
    let time = Seconds::from_millis(ms);
    if time.0 <= 0.0 {
        return Err(refuse(&format!("{}: expected more than 0", short_number(ms))));
    }
    if ms < SHORTEST_MS {
        let why = "expected milliseconds of at least 1e-6, a nanosecond; is it in another unit?";
        return Err(refuse(&format!("{}: {why}", short_number(ms))));
    }
    if ms >= LONGEST_MS {
        return Err(refuse(&format!("{}: expected milliseconds below 1e9", short_number(ms))));
    }
    Ok(time)
}

/// A number of at least 0; blank = unknown.
pub(crate) fn parsed_number(bytes: &[u8], column: Number) -> Result<Option<f64>, RowRefusal> {
    if let Some(value) = decimal(bytes).filter(is_count) {
        return within_bounds(value, column).map(Some);
    }
    let text = utf8(bytes, column.column())?;
    if text.is_empty() {
        return Ok(None);
    }
    match separated_number(text, column) {
        Some(value) => within_bounds(value, column).map(Some),
        None => Err(refused_number(text, column)),
    }
}

/// A number as people type it: `2^20`, `1_000_000`, `4k`. A comma parts thousands of what is counted; in a time or a rate it may
/// be a decimal comma, and the number is refused.
fn separated_number(text: &str, column: Number) -> Option<f64> {
    typed_number(text).filter(|value| is_count(value) && (column.is_counted() || !text.contains(',')))
}

/// A number that was read already.
pub(super) fn as_number(value: f64, column: Number) -> Result<f64, RowRefusal> {
    if is_count(&value) {
        within_bounds(value, column)
    } else {
        Err(refused_number(&value.to_string(), column))
    }
}

/// A number that the column can hold; times have bounds and words of their own.
fn within_bounds(value: f64, column: Number) -> Result<f64, RowRefusal> {
    let most = column.most();
    if column == Number::RegsPerThread && (value < 1.0 || value.fract() != 0.0) {
        let why = format!("{}: expected a whole number from 1, or blank", short_number(value));
        return Err(RowRefusal::new(column.column(), why));
    }
    if value <= most || column == Number::Time {
        return Ok(value);
    }
    let why = "is it in another unit, or damaged?";
    let (found, most) = (short_number(value), short_number(most));
    Err(RowRefusal::new(column.column(), format!("{found}: expected at most {most}; {why}")))
}

/// A number for a message: in powers of ten where it has very many digits.
pub(crate) fn short_number(value: f64) -> String {
    if value == 0.0 || (1e-4..1e15).contains(&value.abs()) { value.to_string() } else { format!("{value:e}") }
}

fn is_count(value: &f64) -> bool {
    value.is_finite() && *value >= 0.0
}

fn refused_number(text: &str, column: Number) -> RowRefusal {
    let expected = match column {
        Number::Time => "milliseconds above 0",
        _ => "a number of at least 0, or blank",
    };
    let has_unit = number_and_unit(text).is_some_and(|(_, unit)| !unit.is_empty());
    let form = match text.contains(',') {
        true => ", with a decimal point",
        false if has_unit => ", without a unit",
        false => "",
    };
    RowRefusal::new(column.column(), format!("`{}`: expected {expected}{form}", clipped_cell(text)))
}

/// `256`, `16x16`, `16x16x1`; blank = unknown.
pub(crate) fn dimensions(bytes: &[u8], column: &str) -> Result<Option<[u64; 3]>, RowRefusal> {
    if bytes.is_empty() {
        return Ok(None);
    }
    let mut out = [1; 3];
    let mut parts = bytes.split(|b| *b == b'x');
    let fits = out.iter_mut().all(|slot| match parts.next() {
        None => true,
        Some(part) => whole(part).filter(|n| *n > 0).map(|n| *slot = n).is_some(),
    });
    if fits && parts.next().is_none() {
        return Ok(Some(out));
    }
    let text = utf8(bytes, column)?;
    if text.is_empty() {
        return Ok(None);
    }
    typed_dimensions(text).map(Some).ok_or_else(|| refused_dimensions(text, column))
}

pub(super) fn refused_dimensions(text: &str, column: &str) -> RowRefusal {
    let is_digits = |side: &str| !side.is_empty() && side.bytes().all(|b| b.is_ascii_digit());
    let is_large = text.split('x').all(is_digits) && text.split('x').any(|side| side.parse::<u64>().is_err());
    let why = if is_large { " is too large" } else { "" };
    RowRefusal::new(column, format!("`{}`{why}: expected 256, 16x16 or 16x16x1", clipped_cell(text)))
}

/// A cell as text, without white space around it.
pub(super) fn utf8<'t>(bytes: &'t [u8], column: &str) -> Result<&'t str, RowRefusal> {
    std::str::from_utf8(bytes).map(str::trim).map_err(|_| not_utf8(column))
}

pub(super) fn not_utf8(column: &str) -> RowRefusal {
    RowRefusal::new(column, "is not UTF-8; save the file as UTF-8")
}

/// The beginning of a cell, for messages.
pub(super) fn clipped_cell(text: &str) -> String {
    crate::text::clipped_text(text, 40)
}
