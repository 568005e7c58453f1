//! All models for one question, in words: how far they lie apart, which one is the default and why.

use super::predictions::Comparison;
use crate::answer::Answer;
use crate::evaluate::ErrorSummary;
use crate::predict::{MODELS, ModelId};
use crate::text::marked_estimate;
use crate::units::{Seconds, range, significant};

/// Questions whose spread is told one by one; of more, a reader would have to search.
const MOST_QUESTIONS: usize = 6;

/// `models disagree by 15.2x: 9.22–140 µs; models that start from the source's time, by 1.92x: 73.1–140 µs`; nothing
/// where fewer than two models answer. `~` marks a range in which a time is an estimate.
#[must_use]
pub fn spread<'a>(answers: impl Iterator<Item = &'a Answer>) -> Option<String> {
    let told: Vec<(f64, bool)> =
        answers.filter_map(|a| Some((a.prediction.as_ref().ok()?.time.0, !a.is_estimate()))).collect();
    let ends = |times: &mut dyn Iterator<Item = f64>| {
        let (low, high) = times.fold((f64::INFINITY, 0.0_f64), |(a, b), t| (a.min(t), b.max(t)));
        (high > low).then_some((low, high))
    };
    let is_any_estimate = told.iter().any(|t| !t.1);
    let words = |(low, high): (f64, f64)| (significant(high / low), range(Seconds(low), Seconds(high)));
    let all = ends(&mut told.iter().map(|t| t.0))?;
    let (far, between) = words(all);
    let between = marked_estimate(between, !is_any_estimate);
    let timed = ends(&mut told.iter().filter(|t| t.1).map(|t| t.0)).filter(|timed| *timed != all);
    let timed = timed.map(words).map_or_else(String::new, |(far, between)| {
        format!("; models that start from the source's time, by {far}×: {between}")
    });
    Some(format!("models disagree by {far}×: {between}{timed}"))
}

/// `components is the default: its MAPE over the shipped figures, 12.2 %, is the lowest`, or which model's is lower there.
///
/// `errors` are those of every model in the order of [`MODELS`].
#[must_use]
pub fn default_model(errors: &[Option<ErrorSummary>], over: &str) -> String {
    let default = MODELS[ModelId::default()].id();
    let of = |m: ModelId| errors.get(m.index()).copied().flatten();
    let Some(own) = of(ModelId::default()) else {
        return format!("{default} is the default; its error {over} is unknown: nothing was measured there");
    };
    let own_text = significant(own.mape_percent);
    let better = MODELS.ids().skip(1).filter_map(|m| Some((m, of(m)?)));
    let better = better.filter(|(_, e)| e.mape_percent < own.mape_percent);
    match better.min_by(|a, b| a.1.mape_percent.total_cmp(&b.1.mape_percent)) {
        None => format!("{default} is the default: its MAPE {over}, {own_text} %, is the lowest"),
        Some((m, e)) => format!(
            "{default} is the default (MAPE {own_text} % {over}), though {} has {} % there{}",
            MODELS[m].id(),
            significant(e.mape_percent),
            // A model that refuses what is hard has the lower error of what is left.
            if e.n < own.n {
                format!(", of {} predictions instead of {}", e.n, own.n)
            } else {
                String::new()
            }
        ),
    }
}

/// How far the models of each question lie apart, as long as there are few.
#[derive(Debug, Default)]
pub struct ModelSpreads {
    questions: usize,
    told: Vec<String>,
}

impl ModelSpreads {
    /// Takes in the rows of one question: those of one kernel on one target.
    pub fn add_question(&mut self, rows: &[Comparison<'_>]) {
        self.questions += 1;
        if self.questions > MOST_QUESTIONS {
            return self.told.clear();
        }
        let of = |first: &Comparison<'_>| {
            let text = spread(rows.iter().map(|r| r.answer))?;
            let size = first.kernel.short_problem(first.problem);
            Some(format!("{} {size} on {}: {text}", first.kernel.label(), first.target.id))
        };
        self.told.extend(rows.first().and_then(of));
    }

    /// What is said of each question; nothing of more than a few.
    #[must_use]
    pub fn into_notes(self) -> Vec<String> {
        self.told
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::summarise;

    fn of(errors: &[f64]) -> Vec<Option<ErrorSummary>> {
        errors.iter().map(|off| summarise(&[(1.0 + off, 1.0)])).collect()
    }

    #[test]
    fn the_default_is_not_praised_where_another_model_is_less_wrong() {
        let best = default_model(&of(&[0.1, 0.2, 0.3]), "here");
        assert_eq!(best, "components is the default: its MAPE here, 10.0 %, is the lowest");
        let worse = default_model(&of(&[0.25, 0.25, 0.1]), "here");
        assert!(worse.ends_with("though efficiency-transfer has 10.0 % there"), "{worse}");
        let mut fewer = of(&[0.25, 0.25, 0.2]);
        fewer[0] = summarise(&[(1.25, 1.0), (1.25, 1.0)]);
        let fewer = default_model(&fewer, "here");
        assert!(
            fewer.ends_with("though efficiency-transfer has 20.0 % there, of 1 predictions instead of 2"),
            "{fewer}"
        );
        assert!(default_model(&[], "here").contains("nothing was measured"));
    }
}
