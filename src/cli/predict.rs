//! `roofswap predict --from GPU --to GPU --kernel KERNEL`.

use super::choices::FormatChoice;
use super::question::{Question, QuestionArgs};
use super::{models, output};
use crate::evaluate::Answer;
use crate::predict::{Explanation, Subject};
use crate::report::predictions::{self, Comparison};
use crate::report::{Format, explain, explanation, side_by_side};
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
    let answers = answers(&question);
    let session = &question.session;
    let explanation = |s: &Subject, a: &Answer| if args.explain { session.explain(s, a) } else { None };
    let row = |s, a| Comparison::new(&session.gpus, &session.kernels, s, a);
    let rows: Vec<Row<'_>> = answers.iter().map(|(s, a)| (row(s, a), explanation(s, a))).collect();
    output::answer(text(session, &rows, args.explain, args.format.into())?.as_bytes())
}

/// Every kernel on every target with every model, in that order.
fn answers(q: &Question) -> Vec<(&Subject, Answer)> {
    let mut all = Vec::with_capacity(q.subjects.len() * q.targets.len() * q.settings.len());
    for subject in &q.subjects {
        for target in &q.targets {
            for settings in &q.settings {
                all.push((subject, q.session.answer(subject, q.source, *target, *settings)));
            }
        }
    }
    all
}

fn text(session: &Session, rows: &[Row<'_>], explained: bool, format: Format) -> Result<String> {
    let plain = || rows.iter().map(|(row, _)| *row).collect::<Vec<_>>();
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
    for row in rows.iter().filter(|_| explained) {
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
        let own = explain::levels(row.answer).into_iter().chain(explain::interval(row.answer));
        for line in own.chain(explain::measured(row.answer)).chain(data) {
            text.push_str(&format!("{line}\n"));
        }
    }
    text
}
