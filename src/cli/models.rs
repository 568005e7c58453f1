//! `roofswap models`.

use super::choices::FormatChoice;
use super::{load, output};
use crate::evaluate::{ErrorSummary, Progress, Setup, score};
use crate::measurement::{Kind, Store};
use crate::predict::MODELS;
use crate::report::Format;
use crate::report::models::{overview, table};
use crate::session::Session;
use anyhow::{Context, Result};
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
    let rows: Vec<_> = MODELS.into_iter().zip(errors(&session)?).collect();
    let format: Format = args.format.into();
    let table = if format.is_for_people() { overview(&rows) } else { table(&rows) };
    output::answer(table.render(format).as_bytes())
}

/// Every model, in their order, on the shipped figures, each of their GPUs held out once; whatever the user's rows.
pub(super) fn errors(session: &Session) -> Result<Vec<Option<ErrorSummary>>> {
    let mut store = Store::default();
    store.add(session.store.rows().filter(|r| r.kind == Kind::Published).cloned().collect());
    let every: Vec<usize> = (0..MODELS.len()).collect();
    let outcomes =
        session.evaluate(&store, &Setup::default(), &every, &Progress::default()).context("cancelled")?;
    Ok(outcomes.iter().map(|o| score(&o.trials).map(|s| s.errors)).collect())
}
