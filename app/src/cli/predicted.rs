//! The answers to a question, handed over as they are made: a file of a million configurations is not kept as answers.

use super::question::CheckedQuestion;
use super::{Usage, output};
use crate::answer::{Answer, Settings};
use crate::cores;
use crate::gpu::GpuId;
use crate::predict::Subject;
use crate::report::predictions::Comparison;
use crate::report::sources;
use anyhow::{Result, bail};
use std::borrow::Cow;

/// Kernels on targets that are answered at once, on all cores.
const AT_ONCE: usize = 256;

/// A kernel on a target, and what each model says.
struct Answered<'q> {
    subject: Cow<'q, Subject>,
    target: GpuId,
    answers: Vec<Option<Answer>>,
}

/// What became of the questions.
#[derive(Debug, Default)]
pub(super) struct Predicted {
    rows: usize,
    timed: usize,
    /// Why the first row has no time.
    first_refusal: Option<String>,
    /// Kernels on targets that no other GPU timed, and the first of them.
    without: usize,
    first_without: Option<String>,
}

impl Predicted {
    /// Whether there is nothing to write, because of no question any source is known.
    pub(super) fn is_without_sources(&self) -> bool {
        self.rows == 0 && self.without > 0
    }

    /// Says what was left out.
    ///
    /// # Errors
    /// Where no question could be put, or none has an answer.
    pub(super) fn tell(self) -> Result<()> {
        if let Some(first) = self.first_without {
            if self.rows == 0 {
                let text = format!(
                    "--from all: no GPU has a measurement for {first}; name one GPU, or give measurements with --data"
                );
                return Err(Usage(text).into());
            }
            let n = self.without;
            output::remark(format!(
                "{n} cases left out, because the kernel was measured on no other GPU; the first is {first}"
            ));
        }
        match self.first_refusal {
            Some(why) if self.timed == 0 => bail!("nothing could be predicted: {why}"),
            _ => Ok(()),
        }
    }

    fn count(&mut self, q: &CheckedQuestion, asked: &Answered<'_>, rows: &[Comparison<'_>]) {
        if asked.answers.iter().any(Option::is_none) {
            self.without += 1;
            self.first_without.get_or_insert_with(|| {
                let kernel = &q.session.kernels[asked.subject.kernel].id;
                format!("{kernel} on {}", q.session.gpus[asked.target].id)
            });
        }
        self.rows += rows.len();
        self.timed += rows.iter().filter(|row| row.answer.prediction.is_ok()).count();
        let refusal = rows.first().and_then(|row| row.answer.prediction.as_ref().err());
        if let Some(why) = refusal.filter(|_| self.first_refusal.is_none()) {
            self.first_refusal = Some(why.to_string());
        }
    }
}

/// Every kernel on every target with every model, in that order: the rows of a kernel on a target are handed over together.
///
/// # Errors
/// What `take` fails with.
pub(super) fn each_question(
    q: &CheckedQuestion,
    take: &mut dyn FnMut(&[Comparison<'_>]) -> std::io::Result<()>,
) -> std::io::Result<Predicted> {
    let mut predicted = Predicted::default();
    let all = q.subjects.len() * q.targets.len();
    for from in (0..all).step_by(AT_ONCE) {
        let places = from..all.min(from + AT_ONCE);
        let answered: Vec<Answered<'_>> = cores::collect(places.len(), |at| answered(q, from + at));
        for asked in &answered {
            let rows = rows(q, asked);
            predicted.count(q, asked, &rows);
            take(&rows)?;
        }
    }
    Ok(predicted)
}

/// Whether any of the times is that of several sources. Asked before the first row is written, for such times have columns of their own.
pub(super) fn are_several(q: &CheckedQuestion) -> bool {
    let is_combined = |subject: &Subject, target: GpuId, settings: Settings| {
        let answer = || q.answer(subject, target, settings);
        q.sources_of(subject, target, settings).only().is_none()
            && answer().is_some_and(|answer| answer.combined.is_some())
    };
    let each_model = |subject: &Subject, target| q.settings.iter().any(|s| is_combined(subject, target, *s));
    q.subjects.each(&q.session).any(|subject| q.targets.iter().any(|target| each_model(&subject, *target)))
}

fn answered(q: &CheckedQuestion, place: usize) -> Answered<'_> {
    let subject = q.subjects.subject_at(&q.session, place / q.targets.len());
    let target = q.targets[place % q.targets.len()];
    let answers = q.settings.iter().map(|settings| q.answer(&subject, target, *settings)).collect();
    Answered { subject, target, answers }
}

/// The answers as rows; of several sources that were asked for, each one's share first.
fn rows<'a>(q: &'a CheckedQuestion, asked: &'a Answered<'_>) -> Vec<Comparison<'a>> {
    let (gpus, kernels) = (&q.session.gpus, &q.session.kernels);
    let answers = asked.answers.iter().flatten();
    let named = |row: Comparison<'a>| row.with_source_ids(|gpu| q.session.id_with_settings(gpu));
    // Where one GPU was asked and others had timed the kernel, their shares are for --explain.
    if q.sources.as_ref().is_none_or(|named| named.only().is_some()) {
        return answers.map(|answer| named(Comparison::new(gpus, kernels, &asked.subject, answer))).collect();
    }
    let rows = answers.flat_map(|answer| sources::source_rows(gpus, kernels, &asked.subject, answer));
    rows.map(named).collect()
}
