//! `roofswap predict --from GPU --to GPU --kernel KERNEL`.

use super::choices::FormatChoice;
use super::question::{Question, QuestionArgs};
use super::{Usage, output};
use crate::evaluate::Answer;
use crate::predict::Subject;
use crate::report::predictions::{self, Comparison};
use crate::report::{Format, explain, sources};
use crate::session::Session;
use anyhow::Result;
use clap::Args;

#[derive(Debug, Args)]
#[command(
    after_help = "Example: roofswap predict --from titan-v --to rtx-4070 --kernel saxpy --size n=1048576"
)]
pub(super) struct PredictArgs {
    #[command(flatten)]
    question: QuestionArgs,
    /// Show every factor of every prediction and where it comes from; in json and csv, instead of the predictions
    #[arg(long)]
    explain: bool,
    /// How to write the table
    #[arg(long, value_enum, default_value = "table")]
    format: FormatChoice,
}

pub(super) fn run(args: &PredictArgs) -> Result<()> {
    let question = args.question.check()?;
    let answers = answers(&question)?;
    let session = &question.session;
    let rows: Vec<Comparison<'_>> =
        answers.iter().flat_map(|(s, a)| sources::rows(&session.gpus, &session.kernels, s, a)).collect();
    output::answer(text(session, &rows, args.explain, args.format.into()).as_bytes())
}

/// Every kernel on every target with every model, in that order.
fn answers(q: &Question) -> Result<Vec<(&Subject, Answer)>> {
    let mut all = Vec::with_capacity(q.subjects.len() * q.targets.len() * q.settings.len());
    let mut without = Vec::new();
    for subject in &q.subjects {
        for target in &q.targets {
            for settings in &q.settings {
                match q.session.answer_from(subject, &q.sources, *target, *settings) {
                    Some(answer) => all.push((subject, answer)),
                    None => without.push((subject, *target)),
                }
            }
        }
    }
    // Every model is asked alike.
    without.dedup_by(|a, b| std::ptr::eq(a.0, b.0) && a.1 == b.1);
    let named = |(subject, target): &(&Subject, usize)| {
        let kernel = &q.session.kernels.entries()[subject.kernel].id;
        format!("{kernel} on {}", q.session.gpus.entries()[*target].id)
    };
    let Some(first) = without.first().map(named) else { return Ok(all) };
    if all.is_empty() {
        let text = format!(
            "--from all: nobody timed a source for {first}; name one GPU, or give measurements with --data"
        );
        return Err(Usage(text).into());
    }
    let n = without.len();
    output::remark(format!("{n} questions left out, because no other GPU was timed; the first is {first}"));
    Ok(all)
}

fn text(session: &Session, rows: &[Comparison<'_>], explained: bool, format: Format) -> String {
    if !format.is_for_people() {
        let table = if explained { explain::records(rows) } else { predictions::records(rows) };
        return table.render(format);
    }
    let mut text = predictions::overview(rows).render(format);
    // A combined answer is explained by its shares in the table, and by its own chain.
    for row in rows.iter().filter(|r| explained && r.share.is_none()) {
        text.push_str(&explained_text(session, row, format));
    }
    text
}

/// One chain of factors, then the interval's reason, the measured time, and what the data behind it say of themselves.
fn explained_text(session: &Session, row: &Comparison<'_>, format: Format) -> String {
    let mut text = format!("\n{}\n", explain::heading(row));
    if let Ok(prediction) = &row.answer.prediction {
        text.push_str(&format!("\n{}\n", explain::chain(prediction).render(format)));
        let source = row.answer.source_time.as_ref().map_or("", |t| &t.source);
        let data = session.data_cautions(source).map(|t| format!("data: {t}"));
        let shares = sources::lines(&session.gpus, row.answer).into_iter().chain(sources::spread(row.answer));
        let said = shares.chain(explain::interval(row.answer)).chain(explain::measured(row.answer));
        for line in said.chain(data) {
            text.push_str(&format!("{line}\n"));
        }
    }
    text
}
