//! `roofswap models`.

use super::choices::FormatChoice;
use super::{load, output};
use crate::evaluate::{ErrorSummary, Settings, compare, summarise};
use crate::predict::MODELS;
use crate::report::Format;
use crate::report::models::{overview, table};
use crate::session::Session;
use anyhow::Result;
use clap::Args;

#[derive(Debug, Args)]
#[command(after_help = "Example: roofswap models --format markdown")]
pub(super) struct ModelsArgs {
    /// How to write the table
    #[arg(long, value_enum, default_value = "table")]
    format: FormatChoice,
}

pub(super) fn run(args: &ModelsArgs) -> Result<()> {
    let session = load::session(&[])?;
    let rows: Vec<_> = MODELS.into_iter().zip(errors(&session)).collect();
    let format: Format = args.format.into();
    let table = if format.is_for_people() { overview(&rows) } else { table(&rows) };
    output::answer(table.render(format).as_bytes())
}

/// Every model, in their order, against every shipped figure that another GPU was timed for as well.
pub(super) fn errors(session: &Session) -> Vec<Option<ErrorSummary>> {
    let of = |model: usize| {
        let settings = Settings { model, ..Settings::default() };
        let all = compare(&session.gpus, &session.kernels, &session.store, settings);
        summarise(&all.iter().map(|c| (c.predicted.0, c.measured.0)).collect::<Vec<_>>())
    };
    (0..MODELS.len()).map(of).collect()
}
