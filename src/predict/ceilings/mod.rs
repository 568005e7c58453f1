//! `ceilings`: every part of the GPU a kernel keeps busy has its time; the time above their roof is carried over.
//!
//! The components of [`crate::roofline::Components`] give a memory side M and an SM side S on either GPU, stretched by a
//! last wave that is not full; roof = (M^4 + S^4)^(1/4). With the source's time T_s and its launch floor T0_s:
//!
//! | step | formula |
//! |---|---|
//! | body of the source | body_s = (T_s^4 - T0_s^4)^(1/4); behind a framework's dispatch T_s - T0_s |
//! | its efficiency | η_s = body_s / roof_s |
//! | what holds elsewhere | ln η = ln 1.1 + 0.8 x (ln η_s - ln 1.1), x = 1 - (T0_s/T_s)^4: less, the nearer the floor |
//! | everything is as slow | E = η roof_t |
//! | the SMs alone are | Q = (M_t^4 + (S_t S'/S_s)^4)^(1/4), with S' so that the source's roof becomes η roof_s |
//! | body on the target | E^(1-w) Q^w, w = 1/(1 + ln²(S'/S_s)): the slower the SMs would have to be, the less it is believed |
//! | time | T_t = (T0_t^4 + body_t^4)^(1/4); behind a dispatch T0_t + body_t |
//!
//! Without a time on the source, body_t = 1.1 roof_t. Occupancy is in the waves and in what is feasible, never a factor.
//! Where no count of the SM side is known, [`lite`] answers. 1.1 (the median of η), 0.8, 4 and the cap of 1.6 on the last
//! wave were chosen once for all kernels, with whole GPUs left out: see `docs/models.md`.
//! Reference: the ceilings are those of Williams et al. 2009 and of Lennartsson et al., Euro-Par 2024 (paper 2).

mod chain;
mod ends;
mod explain;
mod features;
mod lite;
mod prepared;
mod sides;
mod transfer;

pub(super) use features::estimate_with_features;
pub use features::feature_names;
pub(super) use lite::CeilingsLite;
pub use prepared::{Prepared, Starting};
pub(super) use sides::{resized, unmeasured};
pub use transfer::{CARRIED, Carried, Roof, USUAL, carry};

use super::operators::operator_prediction;
use super::{Caution, Doubt, Estimate, Prediction, Predictor, Question, Rates, Refusal};
use crate::kernel::{Count, Kernel, RunsAs, Work};
use crate::roofline::Component;
use crate::units::Seconds;
use ends::{End, Origin, ends};
use sides::{Sides, Start};

/// The model.
pub(super) struct CeilingsModel;

/// As typed.
pub(super) const ID: &str = "ceilings";

impl Predictor for CeilingsModel {
    fn id(&self) -> &'static str {
        ID
    }

    fn summary(&self) -> &'static str {
        "T_t = η roof_t over DRAM, L2, L1, LSU, shared, FP, issue and atomics; η mostly that of the source, waves and floor"
    }

    fn needs_source(&self) -> bool {
        true
    }

    fn is_corrected(&self) -> bool {
        true
    }

    fn predict(&self, q: &Question<'_>) -> Result<Prediction, Refusal> {
        if let Some(operator) = operator_prediction(q, ID) {
            return operator;
        }
        let sides = Sides::new(q)?;
        let (found, doubt) = doubted(q, &ends(&sides))?;
        Ok(explain::prediction(q, sides, found, Some(doubt), answered))
    }

    fn estimate(&self, q: &Question<'_>) -> Result<Estimate, Refusal> {
        let (answered, doubt) = doubted(q, &ends(&Sides::new(q)?))?;
        Ok(Estimate::of_question(q, answered.time, Some(doubt)))
    }

    fn rates(&self) -> Rates {
        Rates::Sustained
    }

    fn is_prepared(&self) -> bool {
        true
    }

    fn time(&self, q: &Question<'_>) -> Result<Seconds, Refusal> {
        Ok(answered(&Sides::new(q)?)?.time)
    }
}

/// What a model of this family found.
#[derive(Debug, Clone, Copy)]
struct Answered {
    time: Seconds,
    /// The time on the target without its launch, in seconds.
    body: f64,
    start: Start,
    /// Roofs in seconds, source first.
    roofs: [f64; 2],
    /// The body carried over, where it was carried by [`carry`].
    carried: Option<Carried>,
    /// Whether FLOPs and bytes alone were looked at.
    lite: bool,
}

/// The full model where a count of the SM side is known, the lite one elsewhere.
fn answered(sides: &Sides) -> Result<Answered, Refusal> {
    let (origin, target) = ends(sides);
    origin.answered(&target)
}

/// [`answered`], with what makes this answer less certain than others.
fn doubted(q: &Question<'_>, (origin, target): &(Origin, End)) -> Result<(Answered, Doubt), Refusal> {
    let answered = origin.answered(target)?;
    let other = q.source.gpu.architecture != q.target.gpu.architecture;
    Ok((answered, origin.doubt(target, &answered, other)))
}

/// Whether FLOPs and bytes are all that is known of a kernel.
fn is_lite(kernel: &Kernel, work: &Work) -> bool {
    kernel.runs_as == RunsAs::Kernel && !knows_sm_side(work)
}

/// Whether anything on the SMs was counted beside FLOPs.
fn knows_sm_side(work: &Work) -> bool {
    let on_sm = Component::ALL.into_iter().filter(|c| !c.is_memory() && *c != Component::Fp);
    on_sm.map(Component::count).any(|count| work.get(count).is_some())
}

/// The counts behind the components that nobody made.
fn missing(work: &Work) -> Vec<Count> {
    let counts = Component::ALL.into_iter().map(Component::count);
    counts.filter(|count| work.get(*count).is_none()).collect()
}

/// Cautions of both models.
fn cautions(q: &Question<'_>, answered: &Answered) -> Vec<Caution> {
    let mut all = q.cautions(true);
    all.retain(|c| !matches!(c, Caution::AtomicsNotModelled | Caution::SourceModelled));
    if answered.start.body.is_none() {
        all.push(Caution::NoMeasurement);
    }
    // Asked by its own name, the lite model leaves known counts aside.
    let missing = missing(&q.work);
    if answered.lite && !knows_sm_side(&q.work) {
        all.push(Caution::CountsMissing(missing.into()));
    } else if !answered.lite && !missing.is_empty() {
        all.push(Caution::CountsPartly(missing.into()));
    }
    all
}

#[cfg(test)]
mod tests;
