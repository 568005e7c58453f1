//! The words in which an answer is shown, the same in the tables of the command line and in the dashboard's panes:
//! `24.6 µs ●`, `31.8 µs ◆`, `9.20–12.8 µs`, `2.26×`, `100→67 %`, `+12.3 %`.

use crate::answer::Answer;
use crate::catalogue::NumberOrigin;
use crate::occupancy::Occupancy;
use crate::pair::Pair;
use crate::predict::{SourceKind, SourceTime};
use crate::roofline::Bound;
use crate::text::marked_estimate;
use crate::units::{Seconds, deviation, range, significant};

pub use crate::text::ESTIMATED;

/// The mark of a predicted time that starts from a measured one.
pub const PREDICTED: char = '◆';
/// What the marks of times mean.
pub const MARKS: &str = "● measured  ◆ scaled from a measurement  ~ modelled without one";

/// `24.6 µs ●`, `◆` where it is scaled from another size, or `~` where no measurement stands behind it.
#[must_use]
pub fn source_time(time: &SourceTime) -> String {
    marked_time(time.time, time.kind, time.rests_on_measurement())
}

/// The same of a time that is known so.
pub(super) fn marked_time(time: Seconds, kind: SourceKind, rests_on_measurement: bool) -> String {
    if kind == SourceKind::Estimated {
        return modelled_time(time, rests_on_measurement);
    }
    measured(time, kind)
}

/// `31.8 µs ◆`, or `~` where no measurement stands behind it, `●` where the measured time is the answer; nothing where there is no
/// prediction.
#[must_use]
pub fn predicted(answer: &Answer) -> Option<String> {
    let time = answer.prediction.as_ref().ok()?.time;
    if let Some(own) = answer.measured.filter(|_| answer.is_of_measurement()) {
        return Some(measured(time, own.kind));
    }
    Some(modelled_time(time, !answer.is_estimate()))
}

/// `9.20–12.8 µs`, or `~9.20–12.8 µs` around an estimate; nothing where there is no interval.
#[must_use]
pub fn interval(answer: &Answer) -> Option<String> {
    answer.interval.map(|i| marked_interval(i.low, i.high, !answer.is_estimate()))
}

/// `9.20–12.8 µs`, or `~9.20–12.8 µs` where no measurement stands behind it.
#[must_use]
pub fn marked_interval(low: Seconds, high: Seconds, rests_on_measurement: bool) -> String {
    marked_estimate(range(low, high), rests_on_measurement)
}

/// `9.20–12.8 µs`: the model's own times from its fastest to its slowest memory level; nothing for a model that has none.
#[must_use]
pub fn levels(answer: &Answer) -> Option<String> {
    let levels = answer.prediction.as_ref().ok()?.levels.as_ref()?;
    Some(marked_interval(levels.low, levels.high, !answer.is_estimate()))
}

/// The interval; of a model that has times at memory levels in its place, those with the word that says so: `8.35–8.87 ms levels`.
#[must_use]
pub fn interval_or_levels(answer: &Answer) -> Option<String> {
    interval(answer).or_else(|| levels(answer).map(|range| format!("{range} levels")))
}

/// `2.26×`, or `~2.26×` where it is an estimate; nothing where there is no prediction.
#[must_use]
pub fn speedup(answer: &Answer) -> Option<String> {
    Some(speedup_over_source(answer, answer.speedup()?, !answer.is_estimate()))
}

/// A speedup over the time on the source of this answer: an estimate where either time is one.
#[must_use]
pub fn speedup_over_source(answer: &Answer, speedup: f64, rests_on_measurement: bool) -> String {
    marked_speedup(speedup, answer.has_timed_source() && rests_on_measurement)
}

/// `2.26×`, or `~2.26×` where no measurement stands behind it.
#[must_use]
pub fn marked_speedup(speedup: f64, rests_on_measurement: bool) -> String {
    marked_estimate(format!("{}×", significant(speedup)), rests_on_measurement)
}

/// `31.8 µs ◆`, or `~` where no measurement stands behind it.
#[must_use]
pub fn modelled_time(time: Seconds, rests_on_measurement: bool) -> String {
    format!("{time} {}", if rests_on_measurement { PREDICTED } else { ESTIMATED })
}

/// `18.3 µs ◆`: the source's time at the clocks it is set to, which the speedup is over, where it was measured at others.
#[must_use]
pub fn stock_time(answer: &Answer) -> Option<String> {
    Some(format!("{} {PREDICTED}", answer.profiled.as_ref()?.stock_time?))
}

/// The column of speedups over the time as it was measured, where that was at other clocks than the source is set to.
pub const AS_PROFILED: &str = "as profiled";

/// `5.73×`: that speedup, or `~5.73×` where it is an estimate.
#[must_use]
pub fn speedup_as_profiled(answer: &Answer) -> Option<String> {
    Some(speedup_over_source(answer, answer.speedup_over_profile()?, !answer.is_estimate()))
}

/// `78.5 %` of the roof, or `~78.5 %` where it is an estimate; `launch` where that is most of the source's time, and what is left of it
/// too little to set beside a roof; nothing for a model that carries no efficiency over.
#[must_use]
pub fn efficiency(answer: &Answer) -> Option<String> {
    let prediction = answer.prediction.as_ref().ok()?;
    let efficiency = prediction.efficiency?;
    if prediction.bound_source == Some(Bound::Launch) {
        return Some(Bound::Launch.as_str().to_string());
    }
    Some(marked_estimate(format!("{} %", significant(100.0 * efficiency)), !answer.is_estimate()))
}

/// `0.53`, or `~0.53` where it was neither measured nor published for this very GPU.
#[must_use]
pub fn constant(value: f64, origin: NumberOrigin) -> String {
    marked_estimate(significant(value), origin <= NumberOrigin::Published)
}

/// How a time is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeKind {
    /// Measured on this very GPU; no model added anything.
    Measured,
    /// Scaled from a measurement.
    Scaled,
    /// Modelled without one.
    Modelled,
}

impl TimeKind {
    /// Of a time that is a measured one, or else rests on one.
    #[must_use]
    pub fn new(is_measured: bool, rests_on_measurement: bool) -> Self {
        match (is_measured, rests_on_measurement) {
            (true, _) => Self::Measured,
            (false, true) => Self::Scaled,
            (false, false) => Self::Modelled,
        }
    }

    /// Whether a measured time is or stands behind it.
    #[must_use]
    pub fn rests_on_measurement(self) -> bool {
        self != Self::Modelled
    }

    /// The mark of such a time.
    #[must_use]
    pub fn mark(self) -> char {
        match self {
            Self::Measured => SourceKind::Measured.mark(),
            Self::Scaled => PREDICTED,
            Self::Modelled => ESTIMATED,
        }
    }

    /// The word for programs.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Scaled => "scaled",
            Self::Modelled => "modelled",
        }
    }

    /// `9.30 µs ●`.
    #[must_use]
    pub fn marked(self, time: Seconds) -> String {
        format!("{time} {}", self.mark())
    }

    /// `9.20–12.8 µs`, or `~9.20–12.8 µs` around an estimate; nothing of a measured time without trials.
    #[must_use]
    pub fn interval(self, low: Seconds, high: Seconds) -> Option<String> {
        let has_width = self != Self::Measured || low < high;
        has_width.then(|| marked_interval(low, high, self.rests_on_measurement()))
    }
}

/// `DRAM`, or `DRAM→compute` where the two sides differ.
#[must_use]
pub fn bounds(source: Option<Bound>, target: Option<Bound>) -> Option<String> {
    let [source, target] = [source, target].map(|bound| bound.map(Bound::as_str));
    // A source that has no time of it says nothing about what binds.
    if source.is_some() { pair(source, target, "") } else { target.map(str::to_string) }
}

/// `100 %`, or `100→67 %` where the two sides differ; `~100 %` of a block that nobody stated.
#[must_use]
pub fn occupancies(answer: &Answer) -> Option<String> {
    let mark = if answer.block_is_assumed() { ESTIMATED.to_string() } else { String::new() };
    let Pair { source, target } =
        answer.occupancy.map(|side| side.map(|o| format!("{mark}{:.0}", 100.0 * o.fraction())));
    pair(source.as_deref(), target.as_deref(), " %")
}

fn pair(source: Option<&str>, target: Option<&str>, unit: &str) -> Option<String> {
    match (source, target) {
        (None, None) => None,
        (Some(s), Some(t)) if s == t => Some(format!("{s}{unit}")),
        (s, t) => Some(format!("{}→{}{unit}", s.unwrap_or("?"), t.unwrap_or("?"))),
    }
}

/// `9.30 µs ●`.
#[must_use]
pub fn measured(time: Seconds, kind: SourceKind) -> String {
    format!("{time} {}", kind.mark())
}

/// `+12.3 %`.
#[must_use]
pub fn error_text(percent: f64) -> String {
    deviation(percent)
}

/// Everything a reader must know of an answer, the refusal first where there is one.
#[must_use]
pub fn caution_texts(answer: &Answer, kernel_cautions: &[String]) -> Vec<String> {
    match &answer.prediction {
        Ok(prediction) => prediction.cautions.iter().map(ToString::to_string).collect(),
        Err(refusal) => {
            let of_source = answer.source_time.iter().flat_map(|t| &t.cautions);
            std::iter::once(refusal.to_string())
                .chain(of_source.map(ToString::to_string))
                .chain(answer.of_builds().iter().map(ToString::to_string))
                .chain(kernel_cautions.iter().cloned())
                .chain(answer.data.iter().map(ToString::to_string))
                .collect()
        }
    }
}

/// An interval this wide, high over low, says nothing that one could act on.
const USELESS: f64 = 10.0;

/// What is said of an interval that is too wide to act on, and what would narrow it; `None` for any other.
#[must_use]
pub fn useless_interval(low: Seconds, high: Seconds, is_without_source: bool) -> Option<String> {
    let is_useless = high / low > USELESS;
    let measure = if is_without_source {
        "on a GPU, with counters (`ncu --set full`), and give --from GPU"
    } else {
        "on the source, with counters (`ncu --set full`)"
    };
    is_useless.then(|| {
        format!("interval wider than {USELESS:.0}×, too wide to decide by: measure the kernel {measure}")
    })
}

/// Milliseconds without the noise that the factor 1000 leaves in the 17th digit.
#[must_use]
pub fn millis(time: Seconds) -> f64 {
    let ms = time.millis();
    format!("{ms:.14e}").parse().unwrap_or(ms)
}

/// `32/48 warps`.
#[must_use]
pub fn warps(occupancy: &Occupancy) -> String {
    format!("{}/{}", occupancy.active_warps, occupancy.max_warps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_that_agree_are_shown_once() {
        assert_eq!(bounds(Some(Bound::Dram), Some(Bound::Dram)).as_deref(), Some("DRAM"));
        assert_eq!(bounds(Some(Bound::Dram), Some(Bound::Compute)).as_deref(), Some("DRAM→compute"));
        assert_eq!(bounds(None, Some(Bound::Launch)).as_deref(), Some("launch"));
        assert_eq!(bounds(None, None), None);
    }

    #[test]
    fn a_constant_that_is_not_of_this_very_gpu_is_marked() {
        let of = |origin| constant(0.5, origin);
        assert_eq!([of(NumberOrigin::Measured), of(NumberOrigin::Published)], ["0.500", "0.500"]);
        assert_eq!([of(NumberOrigin::Derived), of(NumberOrigin::Assumed)], ["~0.500", "~0.500"]);
    }

    #[test]
    fn milliseconds_come_back_as_they_were_typed() {
        for typed in [0.024558, 0.017922, 0.666912, 0.1, 123.456, 1e-9] {
            assert!(millis(Seconds::from_millis(typed)).to_bits() == f64::to_bits(typed), "{typed}");
        }
        assert!(millis(Seconds(f64::INFINITY)).is_infinite());
    }
}
