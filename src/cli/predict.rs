//! `roofswap predict --from GPU --to GPU --kernel KERNEL`.

use super::choices::{FormatChoice, RowsFormatChoice};
use super::predict_batch::{BatchQuestion, run_predict_batch};
use super::question::{CheckedQuestion, QuestionArgs};
use super::speed_up::{SpeedUpQuestion, predict_speed_up};
use super::{Usage, models, output};
use crate::answer::Answer;
use crate::gpu::GpuId;
use crate::pair::Pair;
use crate::predict::Subject;
use crate::report::predictions::{self, Comparison};
use crate::report::{StreamFormat, TableFormat, breakdown, side_by_side, sources, write_rows};
use crate::session::Session;
use anyhow::{Result, bail};
use clap::Args;
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
    /// Answer every row of a table by itself, as a stream: a canonical CSV, Parquet or Arrow; `-` for standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = BESIDE_BATCH)]
    batch: Option<PathBuf>,
    /// How to write the table; parquet and arrow are for --batch, which writes csv where nothing is said
    #[arg(long, value_enum)]
    format: Option<RowsFormatChoice>,
}

/// Flags that ask about something else than every row of a table by itself.
const BESIDE_BATCH: [&str; 11] = [
    "from",
    "kernel",
    "size",
    "variant",
    "data",
    "time",
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
    let answers = answers(&question)?;
    let session = &question.session;
    let mut rows: Vec<Comparison<'_>> = Vec::new();
    for (subject, answer) in &answers {
        // Where one GPU was asked and others had timed the kernel, their shares are for --explain.
        if question.sources.only().is_some() {
            rows.push(Comparison::new(&session.gpus, &session.kernels, subject, answer));
        } else {
            rows.extend(sources::source_rows(&session.gpus, &session.kernels, subject, answer));
        }
    }
    let format: TableFormat = format.into();
    match format.for_programs() {
        Some(format) if args.explain => write_breakdowns(&rows, format)?,
        Some(format) => output::streamed_answer(|out| predictions::stream_records(&rows, format, out))?,
        None => output::answer(predictions_text(session, &rows, args.explain, format)?.as_bytes())?,
    }
    match rows.iter().map(|row| row.answer.prediction.as_ref().err()).collect::<Option<Vec<_>>>() {
        Some(refusals) if !refusals.is_empty() => {
            bail!("nothing could be predicted: {}", refusals[0])
        }
        _ => Ok(()),
    }
}

/// Every kernel on every target with every model, in that order.
fn answers(q: &CheckedQuestion) -> Result<Vec<(&Subject, Answer)>> {
    let mut all = Vec::with_capacity(q.subjects.len() * q.targets.len() * q.settings.len());
    let mut without = Vec::new();
    for subject in &q.subjects {
        for target in &q.targets {
            for settings in &q.settings {
                let sources = q.sources_of(subject, *settings);
                match q.session.answer_from(subject, &sources, *target, *settings) {
                    Some(answer) => all.push((subject, answer)),
                    None => without.push((subject, *target)),
                }
            }
        }
    }
    // Every model is asked alike.
    without.dedup_by(|a, b| std::ptr::eq(a.0, b.0) && a.1 == b.1);
    let named = |(subject, target): &(&Subject, GpuId)| {
        let kernel = &q.session.kernels[subject.kernel].id;
        format!("{kernel} on {}", q.session.gpus[*target].id)
    };
    let Some(first) = without.first().map(named) else { return Ok(all) };
    if all.is_empty() {
        let text = format!(
            "--from all: no GPU has a measurement for {first}; name one GPU, or give measurements with --data"
        );
        return Err(Usage(text).into());
    }
    let n = without.len();
    output::remark(format!("{n} questions left out, because no other GPU was timed; the first is {first}"));
    Ok(all)
}

/// Every number of every prediction, for programs: thousands of rows per prediction are not kept.
fn write_breakdowns(rows: &[Comparison<'_>], format: StreamFormat) -> Result<()> {
    let columns = breakdown::record_columns();
    let cells = rows.iter().flat_map(breakdown::record_rows);
    output::streamed_answer(|out| write_rows(out, &columns, format, cells))
}

fn predictions_text(
    session: &Session,
    rows: &[Comparison<'_>],
    explained: bool,
    format: TableFormat,
) -> Result<String> {
    let mut overview = predictions::overview_table(rows);
    if rows.iter().any(|row| row.answer.settings.model != rows[0].answer.settings.model) {
        overview.notes.extend(side_by_side::spreads(rows));
        let errors = models::errors(session)?;
        overview
            .notes
            .push(side_by_side::default_model(&errors, "over the shipped figures, each GPU held out once"));
    }
    let mut text = overview.render(format);
    // A combined answer is explained by its shares in the table, and by its own chain.
    for row in rows.iter().filter(|row| explained && row.share.is_none()) {
        text.push_str(&explained_text(session, row, format));
    }
    Ok(text)
}

/// One prediction taken apart, then the interval's reason, the measured time, and what the data behind it say of themselves.
fn explained_text(session: &Session, row: &Comparison<'_>, format: TableFormat) -> String {
    let mut text = format!("\n{}\n", breakdown::heading(row));
    if let Ok(prediction) = &row.answer.prediction {
        let apart = prediction.breakdown();
        let steps = breakdown::steps_table(row.answer, &apart).render(format);
        text.push_str(&format!("\n{steps}"));
        if let Some(e) = &apart.components {
            let names = Pair::new(row.source.short_name(), row.target.short_name());
            let components = breakdown::component_table(e, names).render(format);
            text.push_str(&format!("\n{components}\n"));
            for line in breakdown::sentences(e, prediction.time) {
                text.push_str(&format!("{line}\n"));
            }
        }
        text.push_str(&format!("\n{}\n", breakdown::numbers_table(prediction).render(format)));
        let source = row.answer.source_time.as_ref().map_or("", |t| &t.source);
        let data = session.data_cautions(source).map(|t| format!("data: {t}"));
        let shares =
            sources::source_lines(&session.gpus, row.answer).into_iter().chain(sources::spread(row.answer));
        let own = breakdown::levels(row.answer).into_iter().chain(breakdown::interval(row.answer));
        for line in shares.chain(own).chain(breakdown::measured(row.answer)).chain(data) {
            text.push_str(&format!("{line}\n"));
        }
    }
    text
}
