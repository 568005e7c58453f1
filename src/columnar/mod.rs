//! Tables of data engines: Parquet and Arrow, read as the text of a CSV and written from columns of words and numbers.
//!
//! Reading gives text, so that every cell passes the very checks of a CSV and is refused in the same words. Both ways
//! need the feature `fleet`; without it the same functions say so.

#[cfg(feature = "fleet")]
mod cells;
#[cfg(feature = "fleet")]
mod reading;
#[cfg(not(feature = "fleet"))]
mod without;
#[cfg(feature = "fleet")]
mod writing;

#[cfg(feature = "fleet")]
pub use reading::{text_of_file, text_of_stream};
#[cfg(not(feature = "fleet"))]
pub use without::{NoColumns as ColumnWriter, text_of_file, text_of_stream};
#[cfg(feature = "fleet")]
pub use writing::ColumnWriter;

/// A table of a data engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableForm {
    /// Apache Parquet.
    Parquet,
    /// The file form of Arrow IPC (Feather 2).
    ArrowFile,
    /// The stream form of Arrow IPC.
    ArrowStream,
}

impl TableForm {
    /// The form of a file that begins like this.
    #[must_use]
    pub fn from_head(head: &[u8]) -> Option<Self> {
        match head {
            [b'P', b'A', b'R', b'1', ..] => Some(Self::Parquet),
            [b'A', b'R', b'R', b'O', b'W', b'1', ..] => Some(Self::ArrowFile),
            // The mark of a message, and the length of its description.
            [0xff, 0xff, 0xff, 0xff, _, _, _, 0, ..] => Some(Self::ArrowStream),
            _ => None,
        }
    }

    /// As messages name it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Parquet => "Parquet",
            Self::ArrowFile => "an Arrow file",
            Self::ArrowStream => "an Arrow stream",
        }
    }
}

/// How columns are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnFormat {
    /// Apache Parquet.
    Parquet,
    /// The stream form of Arrow IPC.
    Arrow,
}

impl ColumnFormat {
    /// Its name as a flag's value.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Parquet => "parquet",
            Self::Arrow => "arrow",
        }
    }
}

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// Words.
    Text,
    /// Numbers.
    Number,
    /// Whole numbers.
    Whole,
}

/// A column that is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ColumnShape {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub kind: ColumnKind,
}

/// One value that is written.
#[derive(Debug, Clone, PartialEq)]
pub enum ColumnCell {
    /// Words.
    Text(String),
    /// A number.
    Number(f64),
    /// There is none.
    Null,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_recognised_by_their_first_bytes() {
        assert_eq!(TableForm::from_head(b"PAR1\x15\x04"), Some(TableForm::Parquet));
        assert_eq!(TableForm::from_head(b"ARROW1\0\0"), Some(TableForm::ArrowFile));
        let stream = [0xff, 0xff, 0xff, 0xff, 0x78, 0x01, 0, 0, 0x10];
        assert_eq!(TableForm::from_head(&stream), Some(TableForm::ArrowStream));
        for other in [&b"gpu,kernel"[..], b"", b"PAR", &[0xff, 0xfe, b'g', 0]] {
            assert_eq!(TableForm::from_head(other), None, "{other:?}");
        }
    }
}
