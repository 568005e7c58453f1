//! `roofswap predict --from GPU --to GPU --kernel KERNEL`.

use super::choices::{FormatChoice, RowsFormatChoice};
use super::output::NOT_KEPT;
use super::predict_batch::{BatchQuestion, run_predict_batch};
use super::predicted::{Predicted, are_several, each_question};
use super::question::{CheckedQuestion, QuestionArgs};
use super::speed_up::{SpeedUpQuestion, predict_speed_up};
use super::terminal::{screen_width, text_on_screen};
use super::{models, output};
use crate::pair::Pair;
use crate::report::prediction_overview::PredictionOverview;
use crate::report::predictions::{self, Comparison};
use crate::report::side_by_side::{self, ModelSpreads};
use crate::report::{Spool, StreamFormat, TableCell, TableColumn, TableFormat, TableStream};
use crate::report::{breakdown, interval_words, sources};
use crate::session::Session;
use anyhow::{Context, Result};
use clap::Args;
use std::io::Write;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(
    after_help = "Example: roofswap predict --from titan-v --to rtx-4070 --kernel saxpy --size n=1048576"
)]
pub(super) struct PredictArgs {
    #[command(flatten)]
    question: QuestionArgs,
    /// Show each prediction factor by factor: what binds and is next, which GPU numbers move it, what to measure, and where
    /// every number comes from; in json and csv, instead of the predictions
    #[arg(long)]
    explain: bool,
    /// Answer every row of a table by itself, as a stream: a canonical CSV, Parquet or Arrow (those two in builds with --features fleet); `-` for standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = BESIDE_BATCH)]
    batch: Option<PathBuf>,
    /// How to write the table; parquet and arrow are for --batch, which writes csv where nothing is said
    #[arg(long, value_enum)]
    format: Option<RowsFormatChoice>,
}

/// Flags that ask about something else than every row of a table by itself.
const BESIDE_BATCH: [&str; 12] = [
    "from",
    "kernel",
    "size",
    "variant",
    "data",
    "TypedKernelArgs",
    "launch",
    "roofs",
    "sass_source",
    "sass_target",
    "block_counts",
    "explain",
];

pub(super) fn run_predict(args: &PredictArgs) -> Result<()> {
    if let Some(file) = &args.batch {
        let asked = BatchQuestion { file, question: &args.question, format: args.format };
        return run_predict_batch(asked);
    }
    let format = args.format.map_or(Ok(FormatChoice::Table), RowsFormatChoice::of_table)?;
    if let Some(asked) = SpeedUpQuestion::from_args(&args.question)? {
        return predict_speed_up(asked, format.into());
    }
    let question = args.question.checked_question()?;
    let format: TableFormat = format.into();
    let predicted = match format.for_programs() {
        Some(format) if args.explain => write_breakdowns(&question, format)?,
        Some(format) => write_records(&question, format)?,
        None => write_overview(&question, args.explain, format)?,
    };
    predicted.tell()
}

/// Every number of every prediction, for programs, each row as it comes.
fn write_records(q: &CheckedQuestion, format: StreamFormat) -> Result<Predicted> {
    let several = are_several(q);
    let columns = predictions::record_columns(several);
    write_table(q, &columns, format, |row| vec![predictions::record_cells(row, several)])
}

/// Every number of every prediction taken apart, for programs: thousands of rows per prediction are not kept.
fn write_breakdowns(q: &CheckedQuestion, format: StreamFormat) -> Result<Predicted> {
    let columns = breakdown::record_columns();
    write_table(q, &columns, format, breakdown::record_rows)
}

/// The rows of a table for programs that each prediction has.
fn write_table<I: IntoIterator<Item = Vec<TableCell>>>(
    q: &CheckedQuestion,
    columns: &[TableColumn],
    format: StreamFormat,
    cells: impl Fn(&Comparison<'_>) -> I,
) -> Result<Predicted> {
    let mut predicted = Predicted::default();
    output::streamed_answer(|out| {
        let mut table = TableStream::new(out, columns, format);
        let mut write = |row: &Comparison<'_>| cells(row).into_iter().try_for_each(|c| table.write_row(&c));
        predicted = each_question(q, &mut |rows| rows.iter().try_for_each(&mut write))?;
        if predicted.is_without_sources() { Ok(()) } else { table.finish() }
    })?;
    Ok(predicted)
}

/// The table for people, and what stands under it.
fn write_overview(q: &CheckedQuestion, explained: bool, format: TableFormat) -> Result<Predicted> {
    let (mut overview, mut spreads) = (PredictionOverview::default(), ModelSpreads::default());
    let mut apart = Spool::default();
    let predicted = each_question(q, &mut |rows| {
        spreads.add_question(rows);
        rows.iter().try_for_each(|row| {
            overview.add_row(row)?;
            // A combined answer is explained by its shares in the table, and by its own chain.
            let text = (explained && row.share.is_none()).then(|| explained_text(&q.session, row, format));
            apart.write_all(text.unwrap_or_default().as_bytes())
        })
    });
    let predicted = predicted.context(NOT_KEPT)?;
    if predicted.is_without_sources() {
        return Ok(predicted);
    }
    let mut notes = Vec::new();
    if overview.has_several_models() {
        notes.extend(spreads.into_notes());
        let errors = models::errors(&q.session)?;
        notes.push(side_by_side::default_model(&errors, "over the shipped figures, each GPU held out once"));
    }
    output::streamed_answer(|out| {
        overview.write(&notes, format, screen_width(), out)?;
        apart.copy_to(out)
    })?;
    Ok(predicted)
}

/// One prediction taken apart, then the interval's reason, the measured time, and what the data behind it say of themselves.
fn explained_text(session: &Session, row: &Comparison<'_>, format: TableFormat) -> String {
    let mut text = format!("\n{}\n", breakdown::heading(row));
    if let Ok(prediction) = &row.answer.prediction {
        let (apart, has_source) = (prediction.breakdown(), !row.answer.is_without_source);
        let steps = text_on_screen(&breakdown::steps_table(row.answer, &apart), format);
        text.push_str(&format!("\n{steps}"));
        if let Some(e) = &apart.components {
            let names = Pair::new(row.source.short_name(), row.target.short_name());
            let components = breakdown::component_table(e, names, has_source);
            // Of a kernel without counts no component has a time.
            if !components.rows.is_empty() {
                text.push_str(&format!("\n{}", components.render(format)));
            }
            text.push('\n');
            for line in breakdown::sentences(e, prediction.time) {
                text.push_str(&format!("{line}\n"));
            }
        }
        let numbers = breakdown::numbers_table(prediction, has_source);
        text.push_str(&format!("\n{}\n", text_on_screen(&numbers, format)));
        let source = row.answer.source_time.as_ref().map_or("", |t| &t.source);
        let data = session.data_cautions(source).map(|t| format!("data: {t}"));
        let shares =
            sources::source_lines(&session.gpus, row.answer).into_iter().chain(sources::spread(row.answer));
        let own = breakdown::levels(row.answer).into_iter().chain(interval_words::interval(row.answer));
        for line in shares.chain(own).chain(breakdown::measured(row.answer)).chain(data) {
            text.push_str(&format!("{line}\n"));
        }
    }
    text
}
