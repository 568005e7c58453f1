//! `roofswap models`.

use super::choices::FormatChoice;
use super::{load, output};
use crate::evaluate::{ErrorSummary, Settings, summarise};
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
    let rows: Vec<_> = (0..MODELS.len()).map(|model| (MODELS[model], errors(&session, model))).collect();
    let format: Format = args.format.into();
    let table = if format.is_for_people() { overview(&rows) } else { table(&rows) };
    output::answer(table.render(format).as_bytes())
}

/// The model against every shipped figure that another GPU was timed for as well.
fn errors(session: &Session, model: usize) -> Option<ErrorSummary> {
    let settings = Settings { model, ..Settings::default() };
    let mut pairs = Vec::new();
    for (id, config) in session.store.configs() {
        let Ok(subject) = session.subject(config.kernel, &config.problem, &config.variant) else { continue };
        let timed: Vec<usize> = session.store.rows_of(id).map(|row| row.gpu).collect();
        for target in &timed {
            let sources = timed.iter().filter(|source| *source != target);
            // Without a source time the answer is the same from everywhere: it counts once.
            let counted = if MODELS[model].needs_source() { timed.len() } else { 1 };
            for source in sources.take(counted) {
                let answer = session.answer(&subject, *source, *target, settings);
                if let (Ok(prediction), Some(measured)) = (&answer.prediction, answer.measured) {
                    pairs.push((prediction.time.0, measured.time.0));
                }
            }
        }
    }
    summarise(&pairs)
}
