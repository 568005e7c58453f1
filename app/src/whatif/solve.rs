//! What value of a number makes a time: bisection on the model.

use super::changed_times::{GoalTime, WhatIfTime};
use super::question::WhatIf;
use crate::gpu::{ChangeAmount, ChangeError, GpuChanges, GpuNumber};
use crate::roofline::Bound;
use crate::text::marked_estimate;
use crate::units::Seconds;

/// How far a value is sought: no board has a hundred times another one's number.
const WIDEST: f64 = 100.0;

/// Bisections: enough for ten digits of the widest range.
const STEPS: usize = 40;

/// The value that makes a time.
#[derive(Debug, Clone, PartialEq)]
pub enum Solution {
    /// This value does, the least (of a number of which more is faster) or the most.
    Value {
        /// The number.
        number: GpuNumber,
        /// SI.
        value: f64,
        /// The time that was sought.
        goal: GoalTime,
        /// The time that it makes.
        time: Seconds,
        /// Whether a measured time stands behind it.
        rests_on_measurement: bool,
    },
    /// No value does.
    None {
        /// The number.
        number: GpuNumber,
        /// The time that was sought.
        goal: GoalTime,
        /// What limits the time at the best value there is: `DRAM`, `launch`; `None` where nothing does.
        limited_by: Option<&'static str>,
        /// Why, as a part of a sentence.
        why: String,
        /// The best time there is.
        best: Option<Seconds>,
        /// Whether a measured time stands behind it.
        rests_on_measurement: bool,
    },
}

impl WhatIf<'_> {
    /// The value of this number at which a run takes the goal, over these changes; where it takes less at every value, or more,
    /// none does. The goal is the time on the source where none is given.
    ///
    /// # Errors
    /// [`ChangeError`] for changes that cannot be made, or a number that the base does not have.
    pub fn solve(
        &mut self,
        changes: &GpuChanges,
        number: GpuNumber,
        goal: Option<Seconds>,
    ) -> Result<Solution, ChangeError> {
        let missing = || ChangeError::Unknown { gpu: self.base().id.clone(), number: number.title() };
        let now = changes.value_on(self.base(), number).ok_or_else(missing)?;
        let rests_on_measurement = self.rests_on_measurement();
        let none = |goal, why: String, best| {
            let limited_by = None;
            Solution::None { number, goal, limited_by, why, best, rests_on_measurement }
        };
        let Some(goal) = self.goal(goal) else {
            let goal = GoalTime { time: Seconds(0.0), is_estimate: false };
            return Ok(none(goal, "no time on the source is known: give a goal".into(), None));
        };
        let changes = changes.clone().without(number);
        // A number that contradicts another change has no value to seek.
        self.made(&changes.clone().with(number, ChangeAmount::To(now)))?;
        let [least, most] = self.possible_ends(&changes, number, now);
        let [at_least, at_most] = [least, most].map(|value| self.at(&changes, number, value));
        let (Some(low_end), Some(high_end)) = (at_least.time, at_most.time) else {
            let best = at_least.time.or(at_most.time);
            return Ok(none(goal, "the kernel cannot run at every value of it".into(), best));
        };
        let limited = |best: &WhatIfTime, other: Option<&'static str>, how: &str| {
            let limit = other.or(best.limit).unwrap_or("another number");
            let why = format!("limited by {limit}{how}");
            let (limited_by, best) = (Some(limit), best.time);
            Solution::None { number, goal, limited_by, why, best, rests_on_measurement }
        };
        if (low_end / high_end - 1.0).abs() < 1e-9 {
            return Ok(limited(&at_most, None, ", this number changes nothing"));
        }
        let more_is_faster = high_end < low_end;
        let (best, worst) = if more_is_faster { (at_most, at_least) } else { (at_least, at_most) };
        if best.time.is_none_or(|time| time > goal.time) {
            let value = if more_is_faster { most } else { least };
            // A limit that the number itself raises is none to name: the number that binds then is.
            let raises_limit =
                Bound::raised_by(number).iter().any(|raised| best.limit == Some(raised.as_str()));
            let other = raises_limit.then(|| self.other_number(&changes, number, value)).flatten();
            return Ok(limited(&best, other.map(GpuNumber::title), ""));
        }
        if worst.time.is_some_and(|time| time <= goal.time) {
            let why = format!("every value from {} on is faster", number.in_words(least));
            return Ok(none(goal, why, best.time));
        }
        Ok(self.bisected(&changes, number, goal, if more_is_faster { [least, most] } else { [most, least] }))
    }

    /// Which other number would help most at this value of the one that is sought.
    fn other_number(&mut self, changes: &GpuChanges, number: GpuNumber, value: f64) -> Option<GpuNumber> {
        let changes = changes.clone().with(number, ChangeAmount::To(value));
        let now = self.made(&changes).ok().and_then(|gpu| self.times_on(&[gpu])[0].time)?;
        let first = self.tornado(&changes).ok()?.into_iter().find(|bar| bar.number != number)?;
        first.gain(now).map(|_| first.number)
    }

    /// Between a value that is too slow and one that is fast enough.
    fn bisected(
        &mut self,
        changes: &GpuChanges,
        number: GpuNumber,
        goal: GoalTime,
        ends: [f64; 2],
    ) -> Solution {
        let [mut slow, mut fast] = ends;
        for _ in 0..STEPS {
            let middle = (slow * fast).sqrt();
            match self.at(changes, number, middle).time {
                Some(time) if time <= goal.time => fast = middle,
                _ => slow = middle,
            }
        }
        // A count that is fast enough: the next one on that side.
        let value = match (self.base().counted_in(number), fast > slow) {
            (None, _) => fast,
            (Some(unit), true) => (fast / unit - 1e-6).ceil() * unit,
            (Some(unit), false) => (fast / unit + 1e-6).floor() * unit,
        };
        let time = self.at(changes, number, value).time.unwrap_or(goal.time);
        Solution::Value { number, value, goal, time, rests_on_measurement: self.rests_on_measurement() }
    }

    /// The widest range around a value in which a GPU can be made.
    fn possible_ends(&self, changes: &GpuChanges, number: GpuNumber, now: f64) -> [f64; 2] {
        let is_possible =
            |value: f64| self.made(&changes.clone().with(number, ChangeAmount::To(value))).is_ok();
        let reach = |towards: f64| {
            let (mut inside, mut outside) = (now, now * towards);
            if is_possible(outside) {
                return outside;
            }
            for _ in 0..STEPS {
                let middle = (inside * outside).sqrt();
                if is_possible(middle) { inside = middle } else { outside = middle }
            }
            inside
        };
        [reach(1.0 / WIDEST), reach(WIDEST)]
    }

    fn at(&mut self, changes: &GpuChanges, number: GpuNumber, value: f64) -> WhatIfTime {
        let changes = changes.clone().with(number, ChangeAmount::To(value));
        match self.made(&changes) {
            Ok(gpu) => self.times_on(&[gpu])[0],
            Err(_) => WhatIfTime::NONE,
        }
    }
}

impl Solution {
    /// `memory bandwidth 612 GB/s makes 1.50 ms`, `~1.50 ms` where no measured time stands behind it, or that no value does.
    #[must_use]
    pub fn in_words(&self) -> String {
        match self {
            Self::Value { number, value, goal, time, rests_on_measurement } => {
                let time = marked_estimate(time, *rests_on_measurement);
                format!("{} {} makes {time} (goal {goal})", number.title(), number.in_words(*value))
            }
            Self::None { number, goal, why, best, rests_on_measurement, .. } => {
                let marked = |time| marked_estimate(time, *rests_on_measurement);
                let best = best.map_or_else(String::new, |time| format!("; at best {}", marked(time)));
                format!("no value of {} makes {goal}: {why}{best}", number.title())
            }
        }
    }
}
