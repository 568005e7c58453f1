//! The numbers of an answer, without its reasons.

use super::{Doubt, Question, SourceTime};
use crate::roofline::Bound;
use crate::units::Seconds;
use serde::{Deserialize, Serialize};

/// A predicted time with what is known of its error: for those who ask half a million times.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeEstimate {
    /// Time per launch on the target.
    pub time: Seconds,
    /// How uncertain it is beside others of its model; `None` for a model that cannot say.
    pub doubt: Option<Doubt>,
    /// How wide its interval is by the model's own errors; `None` where those of the shipped families stand for it.
    pub width: Option<Width>,
    /// Its interval, where a calibration has given one.
    pub interval: Option<Interval>,
    /// Whether a measured or published time on the source stands behind it, of this size or another.
    pub rests_on_measurement: bool,
    /// What limits it on the target, where whoever made it looked.
    pub limit: Option<Bound>,
    /// Occupancy on the target, 0 to 1, where it is known.
    pub occupancy: Option<f64>,
}

impl Question<'_> {
    /// The time of the source, where it was measured at this very size on the GPU that is asked about, at its clocks and limits: no
    /// model has anything to add to it.
    #[must_use]
    pub fn own_time(&self) -> Option<Seconds> {
        self.source_time.as_ref().filter(|_| self.is_same_gpu()).and_then(SourceTime::timed_at_size)
    }
}

impl TimeEstimate {
    /// The time of a model that starts from the time on the source.
    pub(super) fn of_question(q: &Question<'_>, time: Seconds, doubt: Option<Doubt>) -> Self {
        let known = q.source_time.as_ref();
        let rests_on_measurement = known.is_some_and(SourceTime::rests_on_measurement);
        let occupancy = q.target.occupancy.map(|o| o.fraction());
        Self { time, doubt, width: None, interval: None, rests_on_measurement, limit: None, occupancy }
    }

    /// The same with its time and interval multiplied, and so many times as wide in ln where the model says how uncertain it is; as it is
    /// where that gives no time.
    #[must_use]
    #[inline]
    pub fn multiplied(self, factor: f64, width: f64) -> Self {
        let time = Seconds(self.time.0 * factor);
        if !time.0.is_finite() || time.0 <= 0.0 {
            return self;
        }
        let interval = self.interval.map(|interval| interval.multiplied(factor).widened_by(width, time));
        Self { time, interval, ..self }
    }
}

/// Half an interval in units of [`Doubt`], found on rows that the answer's model had not seen.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Width {
    /// The 90 % point of |ln(measured / predicted)| over doubt.
    pub in_doubts: f64,
    /// How many such rows there were.
    pub rows: usize,
}

/// A multiplicative interval around a predicted time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub low: Seconds,
    /// Upper end.
    pub high: Seconds,
    /// Half its width: high / time = time / low, where no end is a limit of the target ([`Doubt::interval_ends`]); where it is cut, the
    /// root of high / low.
    pub factor: f64,
    /// Residuals behind it.
    pub n: usize,
    /// Whether it was widened because the source time is an estimate.
    pub widened: bool,
    /// Whether an end was further off than a change of rates can move a time.
    pub is_cut: bool,
    /// Why this answer is as uncertain as it is, where the model can say; the width is then that of the shipped families.
    pub doubt: Option<Doubt>,
    /// For a target that none of the residuals knows: the share of times that such intervals held, 0 to 1, when each GPU
    /// of the residuals in turn was left out.
    pub held_for_new_gpus: Option<f64>,
}

/// The ends of an interval over its time under a lower limit than that of a board, which has these ends over its own time, this share of it: no
/// nearer to it, for the board's time may be modelled as well, and no sooner.
#[must_use]
pub fn ends_under_limit([low, high]: [f64; 2], [least, most]: [f64; 2], shorter: f64) -> [f64; 2] {
    [low.min(least).max(shorter * least), high.max(most)]
}

impl Interval {
    /// Of a time that was measured at the very settings that are asked about: nothing is predicted.
    #[must_use]
    pub fn exactly(time: Seconds) -> Self {
        Self {
            low: time,
            high: time,
            factor: 1.0,
            n: 0,
            widened: false,
            is_cut: false,
            doubt: None,
            held_for_new_gpus: None,
        }
    }

    /// Of a time that was measured at the very settings that are asked about, with the standard deviation of its trials: nine of ten of a
    /// normal distribution. Where that reaches below half the time, trials are no such: few long ones lie far above the others.
    #[must_use]
    pub fn of_trials(time: Seconds, deviation: Seconds) -> Self {
        let half = 1.645 * deviation.0;
        let skewed = time.0 / (1.0 + 2.0 * half / time.0);
        let (low, high) = (Seconds((time.0 - half).max(skewed)), Seconds(time.0 + half));
        Self { low, high, factor: (high / low).sqrt(), ..Self::exactly(time) }
    }

    /// Whether it is that of a time measured at the very settings that are asked about, to which no model added anything.
    #[must_use]
    pub fn is_of_measurement(self) -> bool {
        self.factor == 1.0 || (self.n == 0 && self.doubt.is_none())
    }

    /// The same around a time multiplied by this.
    #[must_use]
    #[inline]
    pub fn multiplied(self, factor: f64) -> Self {
        let (low, high) = (Seconds(self.low.0 * factor), Seconds(self.high.0 * factor));
        Self { low, high, ..self }
    }

    /// The same with its ends no further from this time than these.
    #[must_use]
    pub fn within(self, time: Seconds, [least, most]: [Seconds; 2]) -> Self {
        let low = self.low.max(least).min(time);
        let high = self.high.min(most).max(time);
        let is_cut = self.is_cut || low > self.low || high < self.high;
        Self { low, high, factor: (high / low).sqrt(), is_cut, ..self }
    }

    /// The same around this time under a lower limit than that of its board, which has this interval around that time.
    #[must_use]
    pub fn under_limit(self, time: Seconds, board: Self, on_board: Seconds) -> Self {
        let ends = ends_under_limit(self.ends_over(time), board.ends_over(on_board), on_board / time);
        let [low, high] = ends.map(|end| time * end);
        Self { low, high, factor: self.factor.max((high / low).sqrt()), ..self }
    }

    /// Its ends over this time.
    #[must_use]
    pub fn ends_over(self, time: Seconds) -> [f64; 2] {
        [self.low / time, self.high / time]
    }

    /// The same around this time and so many times as wide, in ln; as it is for a model that cannot say how uncertain it is.
    #[must_use]
    pub fn widened_by(self, width: f64, time: Seconds) -> Self {
        let Some(doubt) = self.doubt.filter(|_| width != 1.0) else { return self };
        let factor = self.factor.powf(width);
        let ends = doubt.interval_ends(factor).map(|share| time * share);
        let [low, high] = if self.is_cut { [ends[0].max(self.low), ends[1].min(self.high)] } else { ends };
        Self { low, high, factor, ..self }
    }
}
