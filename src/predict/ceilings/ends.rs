//! The two ends of a question on plain numbers: what each GPU brings whatever the other is, and what they give together.

use super::sides::{Sides, Start, launched, start};
use super::transfer::{CARRIED, Habit, Roof, USUAL};
use super::{Answered, lite};
use crate::kernel::RunsAs;
use crate::predict::operators::carried;
use crate::predict::{Doubt, Refusal, sound};
use crate::roofline::Component;
use crate::units::Seconds;

/// What one GPU brings, in seconds.
#[derive(Debug, Clone, Copy)]
pub(super) struct End {
    pub(super) roof: Roof,
    /// [`Roof::whole`] of it.
    pub(super) whole: f64,
    /// The roof of the lite model.
    pub(super) lite: f64,
    pub(super) floor: f64,
    /// What same-address atomics take.
    pub(super) atomics: f64,
    /// Whether nobody knows the registers of this build.
    pub(super) unknown_build: bool,
    /// The modelled time of the operator, where it is one.
    operator: Option<f64>,
}

impl End {
    pub(super) fn new(roof: Roof, lite: f64, floor: f64, atomics: f64, unknown_build: bool) -> Self {
        Self { roof, whole: roof.whole(), lite, floor, atomics, unknown_build, operator: None }
    }

    /// The same with an operator's modelled time in seconds.
    pub(super) fn with_operator(self, operator: Option<f64>) -> Self {
        Self { operator, ..self }
    }
}

/// What a source says to every target.
#[derive(Debug, Clone, Copy)]
pub(super) struct Origin {
    end: End,
    runs_as: RunsAs,
    /// The time on this GPU, where one was timed at some size.
    timed: Option<f64>,
    /// Under the full roof, and under the lite one.
    starts: [Start; 2],
    habit: Habit,
    /// Whether the lite model answers.
    is_lite: bool,
    /// |ln η - ln 1.1| as it is carried over.
    unusual: f64,
}

impl Origin {
    /// `timed`: the time on this GPU in seconds, where one was timed at some size.
    pub(super) fn new(end: End, timed: Option<f64>, runs_as: RunsAs, is_lite: bool) -> Self {
        let starts = [end.whole, end.lite].map(|roof| start(runs_as, timed, end.floor, roof));
        let [full, lite] = starts;
        let habit = Habit::of(&end.roof, full.body.unwrap_or(end.whole * USUAL), full.carried);
        let efficiency = match lite.body {
            _ if !is_lite => habit.efficiency,
            Some(body) => USUAL * (body / end.lite / USUAL).powf(lite.carried),
            None => USUAL,
        };
        Self { end, runs_as, timed, starts, habit, is_lite, unusual: (efficiency / USUAL).ln().abs() }
    }

    /// The full model where a count of the SM side is known, the lite one elsewhere.
    #[inline]
    pub(super) fn answered(&self, target: &End) -> Result<Answered, Refusal> {
        if let Some(both) = self.end.operator.zip(target.operator) {
            return self.operator(both);
        }
        if self.is_lite { self.lite(target, super::ID) } else { self.full(target) }
    }

    /// The operators' model: its two times stand in the places of the roofs.
    fn operator(&self, (source, target): (f64, f64)) -> Result<Answered, Refusal> {
        let answer = carried([source, target], self.timed, false, super::ID)?;
        let start = Start { body: self.timed, carried: 1.0 };
        let (time, roofs) = (answer.time, [source, target]);
        Ok(Answered { time, body: time.0, start, roofs, carried: None, lite: false })
    }

    #[inline]
    fn full(&self, target: &End) -> Result<Answered, Refusal> {
        let roofs = [self.end.whole, target.whole];
        if roofs.iter().any(|r| *r <= 0.0) {
            return Err(Refusal::NoWork { model: super::ID });
        }
        let start = self.starts[0];
        let carried = self.habit.under(&target.roof, target.whole);
        let body = carried.body();
        let time = sound(Seconds(launched(self.runs_as, target.floor, body)), super::ID)?;
        Ok(Answered { time, body, start, roofs, carried: Some(carried), lite: false })
    }

    /// The lite model's answer.
    #[inline]
    pub(super) fn lite(&self, end: &End, model: &'static str) -> Result<Answered, Refusal> {
        let [source, target] = [self.end.lite, end.lite];
        if source <= 0.0 || target <= 0.0 {
            return Err(Refusal::NoWork { model });
        }
        if end.atomics > target {
            return Err(Refusal::AtomicsBind { model, time: Seconds(end.atomics) });
        }
        let start = self.starts[1];
        let body = match start.body {
            Some(timed) if timed < source => timed * target / source,
            Some(timed) => target + (timed - source) * self.end.roof.width / end.roof.width,
            None => target * USUAL,
        };
        let time = sound(Seconds(launched(self.runs_as, end.floor, body)), model)?;
        Ok(Answered { time, body, start, roofs: [source, target], carried: None, lite: true })
    }

    /// What makes this answer less certain than others; `other`: whether the architectures differ.
    #[inline]
    pub(super) fn doubt(&self, target: &End, answered: &Answered, other: bool) -> Doubt {
        if let Some((source, _)) = self.end.operator.zip(target.operator) {
            let off = self.timed.map_or(0.0, |timed| (timed / source).ln().abs());
            return Doubt::of_operator(off, other);
        }
        let believed = answered.start.carried / CARRIED;
        let lite = if answered.lite { None } else { self.lite(target, super::ID).ok() };
        let disagreement = lite.map_or(0.0, |lite| (lite.time / answered.time).ln().abs());
        let unknown = self.runs_as == RunsAs::Kernel && (self.end.unknown_build || target.unknown_build);
        Doubt::new(self.unusual, disagreement, other, unknown, believed)
    }
}

/// Both ends of one question.
pub(super) fn ends(sides: &Sides) -> (Origin, End) {
    let end = |at: usize| {
        let lite = lite::roof(&sides.machines[at], &sides.work);
        let atomics = sides.components[at].get(Component::Atomics).0;
        let (floor, unknown) = (sides.floors[at].time.0, sides.unknown_builds[at]);
        End::new(sides.roofs[at], lite, floor, atomics, unknown).with_operator(sides.operators[at])
    };
    (Origin::new(end(0), sides.timed, sides.runs_as, sides.is_lite), end(1))
}
