//! What is written beside a number of a GPU that somebody changed by typing.

use super::{Gpu, TensorRate};
use crate::catalogue::{NumberOrigin, Sourced};
use crate::units::FlopsPerSecond;
use std::sync::Arc;

/// Id in `specs/sources.toml` of numbers that somebody typed.
pub(super) const TYPED: &str = "typed";

/// What was typed; empty where nothing was changed.
pub(super) struct TypedNote {
    /// In words: `at 1200 MHz instead of 1740 MHz (typed)`.
    pub said: String,
    /// Whether the remark on the number before is kept behind it.
    pub keeps_remark: bool,
    /// The id of the source of a rule that changed it; `None` where somebody typed it.
    pub rule: Option<Arc<str>>,
}

/// A rule that changes numbers, where nobody typed them.
#[derive(Debug, Clone)]
pub(super) struct NoteRule {
    /// Id in `specs/sources.toml`.
    pub source: Arc<str>,
    /// In words: `MIG 3g.40gb`.
    pub said: String,
}

impl TypedNote {
    /// The changed number, assumed; the same one where nothing is changed.
    pub(super) fn on<T: Clone>(&self, number: &Sourced<T>, change: impl Fn(&T) -> T) -> Sourced<T> {
        if self.said.is_empty() {
            return number.clone();
        }
        let Sourced { origin, source, note, date, .. } =
            self.provenance(number.origin, &number.source, number.note.as_deref());
        Sourced { value: change(&number.value), origin, source, note, date }
    }

    /// Where a changed number comes from, of one that came from there.
    fn provenance(&self, origin: NumberOrigin, source: &str, remark: Option<&str>) -> Sourced<()> {
        let before = remark.filter(|_| self.keeps_remark);
        let before = before.map(|n| format!("; {n}")).unwrap_or_default();
        let note = format!("{}, from {}{before}", self.said, source);
        let (origin, source) = match &self.rule {
            Some(rule) => (origin.max(NumberOrigin::Derived), rule.clone()),
            None => (NumberOrigin::Assumed, Arc::from(TYPED)),
        };
        Sourced { value: (), origin, source, note: Some(note.into()), date: None }
    }

    /// A rate times this; the same one where it is 1.
    pub(super) fn scaled_rate(
        &self,
        rate: &Option<Sourced<FlopsPerSecond>>,
        by: f64,
    ) -> Option<Sourced<FlopsPerSecond>> {
        rate.as_ref().map(|r| if by == 1.0 { r.clone() } else { self.on(r, |v| *v * by) })
    }

    /// Both rates of a tensor type times this.
    pub(super) fn scaled_tensor(&self, rate: &TensorRate, by: f64) -> TensorRate {
        TensorRate {
            input: rate.input.clone(),
            accumulate: rate.accumulate.clone(),
            dense: self.scaled_rate(&rate.dense, by),
            sparse: self.scaled_rate(&rate.sparse, by),
        }
    }
}

impl Gpu {
    /// No clock is held above the highest there is.
    pub(super) fn limit_held_clocks(&mut self, note: &TypedNote) {
        let most = self.boost_clock.value;
        for held in [&mut self.base_clock, &mut self.sustained_clock].into_iter().flatten() {
            if held.value > most {
                *held = note.on(held, |_| most);
            }
        }
    }
}
