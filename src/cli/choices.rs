//! Words that several commands let one choose from.

use crate::chart::SvgTheme;
use crate::gpu::Ceilings;
use crate::occupancy::{GlobalCaching, Rules};
use crate::report::TableFormat;
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

/// `--ceilings`.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum CeilingsChoice {
    /// What the datasheet states
    Peak,
    /// What somebody measured; peak where one GPU has none
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
    /// Insisted on
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
