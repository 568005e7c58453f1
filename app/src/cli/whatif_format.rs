//! What `roofswap whatif` says, in the format that was asked for.

use super::terminal::{fitted_to_screen, shortened_on_screen};
use crate::report::{Table, TableFormat};
use crate::whatif::{
    WhatIfAnswer, changed_times_table, tornados_table, whatif_json, whatif_records, whatif_table,
};
use clap::ValueEnum;

/// Columns of several kernels, the first to go where there is no room last.
const LEAST_NEEDED: [&str; 6] = ["unchanged energy", "unchanged power", "energy", "power", "third", "second"];

/// `--format`.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum WhatIfFormat {
    /// Aligned columns
    Table,
    /// One object; of several scenarios an array of them
    Json,
    /// A pipe table
    Markdown,
    /// A row per scenario, or per number of its tornado
    Csv,
}

impl WhatIfFormat {
    /// The scenarios of one workload.
    pub(super) fn text(self, answers: &[WhatIfAnswer]) -> String {
        let each = |text: &dyn Fn(&WhatIfAnswer) -> String| answers.iter().map(text).collect();
        match self {
            Self::Json => whatif_json(answers),
            Self::Csv => whatif_records(answers).render(TableFormat::Csv),
            Self::Table => each(&|answer| fitted(whatif_table(answer), &["gain", "value"])),
            Self::Markdown => each(&|answer| whatif_table(answer).render(TableFormat::Markdown)),
        }
    }

    /// The workloads of one GPU, for people: their times, or the numbers that matter.
    pub(super) fn many_text(self, answers: &[WhatIfAnswer], with_tornado: bool) -> String {
        let table = if with_tornado { tornados_table(answers) } else { changed_times_table(answers) };
        let text = match self {
            Self::Markdown => table.render(TableFormat::Markdown),
            Self::Table | Self::Json | Self::Csv => fitted(table, &LEAST_NEEDED),
        };
        format!("{text}\n")
    }
}

/// The table as wide as the terminal; these columns are left out in turn until it fits.
fn fitted(table: Table, least_needed: &[&str]) -> String {
    let table = fitted_to_screen(table, TableFormat::Table, least_needed);
    shortened_on_screen(table, TableFormat::Table, "kernel").to_text()
}
