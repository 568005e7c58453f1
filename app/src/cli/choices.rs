//! Words that several commands let one choose from.

use super::Usage;
use crate::chart::SvgTheme;
use crate::columnar::ColumnFormat;
use crate::gpu::Ceilings;
use crate::occupancy::{GlobalCaching, Rules};
use crate::report::{RecordFormat, StreamFormat, TableFormat};
use clap::ValueEnum;

/// `--format`.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum FormatChoice {
    /// Aligned columns
    Table,
    /// An array of objects
    Json,
    /// A header and rows
    Csv,
    /// A pipe table
    Markdown,
}

impl From<FormatChoice> for TableFormat {
    fn from(choice: FormatChoice) -> Self {
        match choice {
            FormatChoice::Table => Self::Table,
            FormatChoice::Json => Self::Json,
            FormatChoice::Csv => Self::Csv,
            FormatChoice::Markdown => Self::Markdown,
        }
    }
}

/// `--format` where rows may be as many as memory does not hold.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum RowsFormatChoice {
    /// Aligned columns
    Table,
    /// An array of objects
    Json,
    /// A header and rows
    Csv,
    /// A pipe table
    Markdown,
    /// Parquet, for data engines
    #[cfg_attr(
        not(feature = "fleet"),
        value(help = "Parquet, for data engines; not in this build (--features fleet)")
    )]
    Parquet,
    /// An Arrow stream, for data engines
    #[cfg_attr(
        not(feature = "fleet"),
        value(help = "An Arrow stream, for data engines; not in this build (--features fleet)")
    )]
    Arrow,
}

impl RowsFormatChoice {
    /// The format of a table that is answered as a whole.
    ///
    /// # Errors
    /// That only a stream of rows is written so.
    pub(super) fn of_table(self) -> Result<FormatChoice, Usage> {
        match self {
            Self::Table => Ok(FormatChoice::Table),
            Self::Json => Ok(FormatChoice::Json),
            Self::Csv => Ok(FormatChoice::Csv),
            Self::Markdown => Ok(FormatChoice::Markdown),
            Self::Parquet | Self::Arrow => {
                let text = "--format parquet and arrow are for --batch FILE; write csv or json here";
                Err(Usage(text.into()))
            }
        }
    }

    /// The format of records that are written one by one.
    ///
    /// # Errors
    /// That a table for people is made of all its rows at once.
    pub(super) fn of_records(self) -> Result<RecordFormat, Usage> {
        match self {
            Self::Json => Ok(RecordFormat::Text(StreamFormat::Json)),
            Self::Csv => Ok(RecordFormat::Text(StreamFormat::Csv)),
            Self::Parquet => Ok(RecordFormat::Columns(ColumnFormat::Parquet)),
            Self::Arrow => Ok(RecordFormat::Columns(ColumnFormat::Arrow)),
            Self::Table | Self::Markdown => {
                let text = "--batch answers row by row: write csv, json, parquet or arrow";
                Err(Usage(text.into()))
            }
        }
    }
}

/// `--ceilings`.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum CeilingsChoice {
    /// What the datasheet states
    Peak,
    /// Measured rates; peak where one GPU has none
    Achieved,
}

impl From<CeilingsChoice> for Ceilings {
    fn from(choice: CeilingsChoice) -> Self {
        match choice {
            CeilingsChoice::Peak => Self::Peak,
            CeilingsChoice::Achieved => Self::Achieved,
        }
    }
}

/// `--rules`.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum RulesChoice {
    /// As the hardware allocates
    Exact,
    /// Paper 1's formula, without allocation units
    Study,
}

impl From<RulesChoice> for Rules {
    fn from(choice: RulesChoice) -> Self {
        match choice {
            RulesChoice::Exact => Self::Exact,
            RulesChoice::Study => Self::Study,
        }
    }
}

/// `--global-caching`.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum CachingChoice {
    /// Not asked for
    Off,
    /// Asked for, given up where no block fits
    On,
    /// Required: a launch that cannot have it is refused
    Strict,
}

impl From<CachingChoice> for GlobalCaching {
    fn from(choice: CachingChoice) -> Self {
        match choice {
            CachingChoice::Off => Self::Off,
            CachingChoice::On => Self::On,
            CachingChoice::Strict => Self::Strict,
        }
    }
}

/// `--theme` of a picture.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum ThemeChoice {
    /// For paper and white pages
    Light,
    /// For dark pages
    Dark,
}

impl From<ThemeChoice> for SvgTheme {
    fn from(choice: ThemeChoice) -> Self {
        match choice {
            ThemeChoice::Light => Self::Light,
            ThemeChoice::Dark => Self::Dark,
        }
    }
}
