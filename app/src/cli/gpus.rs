//! `roofswap gpus [ID]`.

use super::choices::FormatChoice;
use super::clocks::ClockArgs;
use super::terminal::{fitted_to_screen, text_on_screen};
use super::{load, output};
use crate::report::{TableFormat, gpus};
use anyhow::Result;
use clap::Args;

#[derive(Debug, Args)]
#[command(after_help = "Example: roofswap gpus rtx-4070")]
pub(super) struct GpusArgs {
    /// A GPU: every number of it, with unit, origin and source
    id: Option<String>,
    #[command(flatten)]
    clocks: ClockArgs,
    /// How to write the table
    #[arg(long, value_enum, default_value = "table")]
    format: FormatChoice,
}

/// Columns of the list, and of one GPU, that a narrow screen goes without, the first one first.
const LEAST_NEEDED: [&str; 10] =
    ["year", "architecture", "DRAM achieved", "name", "boost MHz", "CC", "L2 MiB", "W", "origin", "source"];

pub(super) fn run_gpus(args: &GpusArgs) -> Result<()> {
    let mut session = load::session_naming(&[], args.id.as_deref(), None)?;
    let shown = args.id.as_deref().map(|id| session.gpus.position(id)).transpose()?;
    let shown = match shown {
        Some(only) => args.clocks.laid_targets(&mut session, &[only])?.pop(),
        None => {
            args.clocks.typed().lay(&mut session, &[])?;
            None
        }
    };
    let format: TableFormat = args.format.into();
    let people = format.is_for_people();
    let table = match shown.map(|gpu| gpus::show(&session.gpus[gpu], &session.sources)) {
        // Titles are long; for people they go under the table.
        Some(table) if people => table.footnoted("source"),
        Some(table) => table,
        None if people => gpus::overview_table(session.gpus.entries()),
        None => gpus::list(session.gpus.entries()),
    };
    let table = fitted_to_screen(table, format, &LEAST_NEEDED);
    output::answer(text_on_screen(&table, format).as_bytes())
}
