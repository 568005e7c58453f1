//! Cells of a column as the text that a CSV would hold.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type};
use arrow_array::{Array, ArrayRef};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::{ArrowError, DataType};
use std::fmt::Write;

/// Numbers below it are whole to the last digit.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// A column of one batch. Absent values and numbers that are none (NaN) are blank; whole numbers have no fraction, because a
/// column of whole numbers with gaps becomes one of fractions in most engines.
pub(super) enum CellText<'a> {
    /// Bytes that should be UTF-8: the reader of rows refuses those that are not.
    Bytes(Box<dyn Fn(usize) -> &'a [u8] + 'a>),
    Double(&'a [f64]),
    Single(&'a [f32]),
    Other(ArrayFormatter<'a>),
}

impl<'a> CellText<'a> {
    pub(super) fn from_column(column: &'a ArrayRef) -> Result<Self, ArrowError> {
        static OPTIONS: FormatOptions<'static> = FormatOptions::new();
        let bytes = |cell: Box<dyn Fn(usize) -> &'a [u8] + 'a>| Self::Bytes(cell);
        Ok(match column.data_type() {
            DataType::Utf8 => {
                let texts = column.as_string::<i32>();
                bytes(Box::new(move |i| texts.value(i).as_bytes()))
            }
            DataType::LargeUtf8 => {
                let texts = column.as_string::<i64>();
                bytes(Box::new(move |i| texts.value(i).as_bytes()))
            }
            DataType::Utf8View => {
                let texts = column.as_string_view();
                bytes(Box::new(move |i| texts.value(i).as_bytes()))
            }
            DataType::Binary => {
                let texts = column.as_binary::<i32>();
                bytes(Box::new(move |i| texts.value(i)))
            }
            DataType::LargeBinary => {
                let texts = column.as_binary::<i64>();
                bytes(Box::new(move |i| texts.value(i)))
            }
            DataType::BinaryView => {
                let texts = column.as_binary_view();
                bytes(Box::new(move |i| texts.value(i)))
            }
            DataType::Float64 => Self::Double(column.as_primitive::<Float64Type>().values()),
            DataType::Float32 => Self::Single(column.as_primitive::<Float32Type>().values()),
            _ => Self::Other(ArrayFormatter::try_new(column, &OPTIONS)?),
        })
    }

    /// Writes the cell of this row, which has a value; `word` is room to write in.
    pub(super) fn write(&self, row: usize, word: &mut String, out: &mut Vec<u8>) -> Result<(), ArrowError> {
        word.clear();
        match self {
            Self::Bytes(cell) => {
                write_quoted(cell(row), out);
                return Ok(());
            }
            Self::Double(values) => write_number(values[row], |v, word| write!(word, "{v:?}"), word),
            Self::Single(values) => {
                let shortest = |_: f64, word: &mut String| write!(word, "{:?}", values[row]);
                write_number(f64::from(values[row]), shortest, word);
            }
            Self::Other(formatter) => formatter.value(row).write(word)?,
        }
        write_quoted(word.as_bytes(), out);
        Ok(())
    }
}

/// A number in its shortest digits; nothing where it is none.
fn write_number(value: f64, shortest: impl Fn(f64, &mut String) -> std::fmt::Result, word: &mut String) {
    // Writing into memory cannot fail.
    let _ = match value {
        _ if value.is_nan() => Ok(()),
        _ if value.fract() == 0.0 && value.abs() < EXACT => write!(word, "{}", value as i64),
        _ => shortest(value, word),
    };
}

/// A cell in quotation marks where it needs them. A line break is read as a space: rows are lines, and a refused one is
/// named by its number. No text file holds a NUL byte.
pub(super) fn write_quoted(text: &[u8], out: &mut Vec<u8>) {
    if !text.iter().any(|b| matches!(b, b'"' | b',' | b'\n' | b'\r' | 0)) {
        out.extend_from_slice(text);
        return;
    }
    out.push(b'"');
    for byte in text {
        match byte {
            b'"' => out.extend_from_slice(b"\"\""),
            b'\n' | b'\r' => out.push(b' '),
            0 => out.extend_from_slice("\u{fffd}".as_bytes()),
            other => out.push(*other),
        }
    }
    out.push(b'"');
}
