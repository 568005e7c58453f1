//! `roofswap predict --from GPU --to GPU --kernel KERNEL`.

use super::choices::FormatChoice;
use super::question::{Question, QuestionArgs};
use super::{Usage, models, output};
use crate::answer::Answer;
use crate::predict::{Explanation, Subject};
use crate::report::predictions::{self, Comparison};
use crate::report::{Format, explain, explanation, side_by_side, sources};
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
    /// Show each prediction factor by factor: what binds and is next, which GPU numbers move it, what to measure, and where
    /// every number comes from; in json and csv, instead of the predictions
    #[arg(long)]
    explain: bool,
    /// How to write the table
    #[arg(long, value_enum, default_value = "table")]
    format: FormatChoice,
}

/// An answer, and the prediction taken apart where that was asked for.
type Row<'a> = (Comparison<'a>, Option<Explanation>);

pub(super) fn run(args: &PredictArgs) -> Result<()> {
    let question = args.question.check()?;
    let answers = answers(&question)?;
    let session = &question.session;
    // A share is explained by the combined answer it is part of.
    let explanation = |s: &Subject, row: &Comparison<'_>| {
        if args.explain && row.share.is_none() { session.explain(s, row.answer) } else { None }
    };
    let mut rows: Vec<Row<'_>> = Vec::new();
    for (subject, answer) in &answers {
        let of = sources::rows(&session.gpus, &session.kernels, subject, answer);
        rows.extend(of.into_iter().map(|row| {
            let explained = explanation(subject, &row);
            (row, explained)
        }));
    }
    output::answer(text(session, &rows, args.explain, args.format.into())?.as_bytes())
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

fn text(session: &Session, rows: &[Row<'_>], explained: bool, format: Format) -> Result<String> {
    let plain = || rows.iter().map(|(row, _)| row.clone()).collect::<Vec<_>>();
    if !format.is_for_people() {
        let table = if explained { explain::records(rows) } else { predictions::records(&plain()) };
        return Ok(table.render(format));
    }
    let plain = plain();
    let mut overview = predictions::overview(&plain);
    if rows.iter().any(|(row, _)| row.answer.settings.model != rows[0].0.answer.settings.model) {
        overview.notes.extend(side_by_side::spreads(&plain));
        let errors = models::errors(session)?;
        overview
            .notes
            .push(side_by_side::default_model(&errors, "over the shipped figures, each GPU held out once"));
    }
    let mut text = overview.render(format);
    // A combined answer is explained by its shares in the table, and by its own chain.
    for row in rows.iter().filter(|(row, _)| explained && row.share.is_none()) {
        text.push_str(&explained_text(session, row, format));
    }
    Ok(text)
}

/// One prediction taken apart, then the interval's reason, the measured time, and what the data behind it say of themselves.
fn explained_text(session: &Session, (row, explanation): &Row<'_>, format: Format) -> String {
    let mut text = format!("\n{}\n", explain::heading(row));
    if let Ok(prediction) = &row.answer.prediction {
        if let Some(e) = explanation {
            let names = [row.source.short_name(), row.target.short_name()];
            let chain = explanation::chain_table(row.answer, &e.chain).render(format);
            let components = explanation::component_table(e, names).render(format);
            text.push_str(&format!("\n{chain}\n{components}\n"));
            for line in explanation::sentences(e, prediction.time) {
                text.push_str(&format!("{line}\n"));
            }
        }
        text.push_str(&format!("\n{}\n", explain::chain(prediction).render(format)));
        let source = row.answer.source_time.as_ref().map_or("", |t| &t.source);
        let data = session.data_cautions(source).map(|t| format!("data: {t}"));
        let shares = sources::lines(&session.gpus, row.answer).into_iter().chain(sources::spread(row.answer));
        let own = explain::levels(row.answer).into_iter().chain(explain::interval(row.answer));
        for line in shares.chain(own).chain(explain::measured(row.answer)).chain(data) {
            text.push_str(&format!("{line}\n"));
        }
    }
    text
}
