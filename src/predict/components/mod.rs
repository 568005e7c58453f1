//! `components`: every part of the GPU a kernel keeps busy has its time; the time above their roof is carried over.
//!
//! The components of [`crate::roofline::Components`] give a roof on either GPU, stretched where warps wait for loads and results and too
//! few others fill the wait ([`crate::roofline::ExposedLatency`]), and by a last wave that is not full.
//! With the source's time T_s and its launch floor T0_s:
//!
//! | step | formula |
//! |---|---|
//! | body of the source | body_s = (T_s^12 - T0_s^12)^(1/12); behind a framework's dispatch with 1.5 for 12; of a cold launch T_s - T0_s |
//! | its efficiency | η_s = body_s / roof_s |
//! | what holds elsewhere | ln η = ln 1.05 + a x (ln η_s - ln 1.05): less, the nearer the floor |
//! | what stands beside its roof | beside_s = roof_s (η^q - 1)^(1/q), q = 1 where every pipe was counted (latency, added), 3 where none was (work, which overlaps) |
//! | slower than its roof | body_t = (1 - m) (roof_t^q + (beside_s w_s/w_t)^q)^(1/q) + m η roof_t: it goes with other rates, and with the roof by m = 0.7 c²/(1 + ln² η) |
//! | faster than its roof | body_t = η roof_t |
//! | no further than what differs | body_t >= min(1, body_s / comp_s) comp_t, comp the roof without waiting; on a GPU of the same architecture body_s x the least of the ratios of rates and roofs <= body_t <= body_s x the largest, where no library picks the kernel |
//! | time | T_t = (T0_t^12 + body_t^12)^(1/12); behind a dispatch with 1.5 for 12; of a cold launch T0_t + body_t |
//!
//! w is the weighted geometric mean of the rates that the time above the roof may wait for (`excess.rs`): those of pipes
//! whose work nobody counted first. So one formula reaches from every counter to a time alone: what is not counted is not
//! zero, it is part of the time above the roof. c is the share of pipes that were counted. a = 0.74 where every pipe of the SM was counted, 0.93 where none was, 0.65 of
//! that where η_s is below 1.05, times the share of the source's time that is the kernel's own. On the source itself, at its clocks, the answer is T_s.
//!
//! Without a time on the source, body_t = 1.05 roof_t. Occupancy is in the waves, in the bytes that threads wait for
//! ([`crate::roofline::bandwidth_in_flight`]) and in what is feasible, never a factor.
//!
//! More of any number of a GPU, but of what a launch costs, never makes a prediction slower, other numbers equal: roofs and rates
//! only grow with them, and everything beside them is of the source. A test asks every kernel on every GPU.
//! The constants were chosen once for all kernels, with whole GPUs left out: see `docs/models.md`.
//! Reference: the ceilings are those of Williams et al. 2009 and of Lennartsson et al., Euro-Par 2024 (paper 2).

mod bounded_work;
mod chain;
mod end;
mod ends;
mod excess;
mod explain;
mod features;
mod launching;
mod machines;
mod nearness;
mod places;
mod prepared;
mod sides;
mod transfer;
mod unstated_type;
mod wave_shape;

pub(super) use features::estimate_with_features;
pub use features::feature_names;
pub(super) use launching::{is_launch_limited, launch_share};
pub use machines::SharedMachines;
pub use places::GpuPlaces;
pub use prepared::{PreparedKernel, Starting};
pub(super) use sides::{ResizedTime, resized, unmeasured};
pub use transfer::{CARRIED, Carried, LaunchRoof, USUAL};

use super::operators::operator_prediction;
use super::{
    Caution, Doubt, ModelRates, ModelRefusal, Prediction, Predictor, Question, TimeEstimate, distance_between,
};
use crate::kernel::{Count, Work};
use crate::pair::{Pair, Side};
use crate::roofline::Component;
use crate::units::Seconds;
use bounded_work::integers_beyond_time;
use end::End;
use ends::{SourceShare, slower_supply};
use launching::LaunchStart;
use sides::QuestionSides;
use transfer::TypicalEfficiency;

/// The model.
pub(super) struct ComponentsModel;

/// As typed.
pub(super) const ID: &str = "components";

impl Predictor for ComponentsModel {
    fn id(&self) -> &'static str {
        ID
    }

    fn method_summary(&self) -> &'static str {
        "T_t = roof_t + (T_s - roof_s) w_s/w_t over DRAM, L2, L1, LSU, shared, FP, issue and atomics; tail, power limit and launch overhead"
    }

    fn needs_source(&self) -> bool {
        true
    }

    fn is_corrected(&self) -> bool {
        true
    }

    fn predict(&self, q: &Question<'_>) -> Result<Prediction, ModelRefusal> {
        let sides = QuestionSides::new(q)?;
        let (found, doubt) = doubted(q, &sides, &ends(&sides))?;
        let of_operator = operator_prediction(q, found.time, doubt);
        Ok(of_operator.unwrap_or_else(|| explain::prediction(q, sides, found, doubt)))
    }

    fn estimate(&self, q: &Question<'_>) -> Result<TimeEstimate, ModelRefusal> {
        let sides = QuestionSides::new(q)?;
        let (answered, doubt) = doubted(q, &sides, &ends(&sides))?;
        Ok(TimeEstimate::of_question(q, answered.time, Some(doubt)))
    }

    fn rates(&self) -> ModelRates {
        ModelRates::Sustained
    }

    fn is_prepared(&self) -> bool {
        true
    }

    fn predicted_time(&self, q: &Question<'_>) -> Result<Seconds, ModelRefusal> {
        Ok(answered(&QuestionSides::new(q)?)?.time)
    }
}

/// What the model found.
#[derive(Debug, Clone, Copy)]
struct Answered {
    time: Seconds,
    /// The time on the target without its launch, in seconds.
    body: f64,
    start: LaunchStart,
    /// Roofs in seconds, source first; 0 where nothing was counted.
    roofs: Pair<f64>,
    carried: Carried,
    /// Whether the target is the very GPU that was timed, so that its time is the answer.
    same: bool,
}

fn answered(sides: &QuestionSides) -> Result<Answered, ModelRefusal> {
    let (origin, target) = ends(sides);
    origin.answered(&target, sides.nearness)
}

/// Both ends of one question.
fn ends(sides: &QuestionSides) -> (SourceShare, End) {
    let excess = sides.excess;
    let end = |side: Side| {
        let (floor, filled) = (sides.floors[side], sides.filled(side));
        End {
            roof: sides.roofs[side],
            pace: excess.pace(&filled),
            floor: floor.time.0,
            knows_floor: floor.is_known(),
            unknown_build: sides.unknown_builds[side],
            operator: sides.operators[side],
            slower_supply: slower_supply(&sides.machines[side], &filled),
            library_share: sides.shapes[side].library_share,
            ln_tensor_lead: sides.ln_tensor_leads[side],
            may_lack_ecc: sides.machines[side].has_ecc()
                && sides.components[side].binding() == Some(Component::Dram),
        }
    };
    let source = end(Side::Source);
    let typical =
        TypicalEfficiency::new(excess.uncounted, sides.source_build).on_tensor_cores(excess.on_tensor_cores);
    let source = SourceShare::new(source, sides.timed, sides.launching, excess, typical)
        .timed_at_size(sides.is_of_size);
    (source, end(Side::Target))
}

/// [`answered`], with what makes this answer less certain than others.
fn doubted(
    q: &Question<'_>,
    sides: &QuestionSides,
    (origin, target): &(SourceShare, End),
) -> Result<(Answered, Doubt), ModelRefusal> {
    let answered = origin.answered(target, sides.nearness)?;
    let distance = distance_between(q.source.gpu, q.target.gpu);
    Ok((answered, origin.doubt(target, &answered, sides.nearness, distance)))
}

/// The missing counts behind the components.
fn missing(work: &Work) -> Vec<Count> {
    let has = |count: Count| work.get(count).is_some();
    let counts = Component::OF_FORMULAS.into_iter().map(Component::component_count);
    let is_known =
        |count: Count| has(count) || count == Count::GlobalAtomicRequests && has(Count::AtomicLineSectors);
    counts.filter(|count| !is_known(*count)).collect()
}

/// From so many times its roof on it is not the longest of what was counted that takes a kernel's time.
const FAR_BELOW_ROOF: f64 = 3.0;

/// That a kernel which is no launch overhead took far longer than its roof on the source.
fn far_below_roof(q: &Question<'_>, answered: &Answered) -> Option<Caution> {
    let ratio = answered.start.body? / answered.roofs.source;
    let is_far = ratio.is_finite() && ratio > FAR_BELOW_ROOF && answered.start.own > 0.5 && !answered.same;
    is_far.then(|| Caution::FarBelowRoof { gpu: q.source.gpu.id.as_str().into(), ratio })
}

/// What must be said of an answer.
fn answer_cautions(q: &Question<'_>, answered: &Answered) -> Vec<Caution> {
    let mut all = q.question_cautions(true);
    all.retain(|c| !matches!(c, Caution::AtomicsNotModelled | Caution::SourceModelled));
    if answered.start.body.is_none() {
        all.push(Caution::NoMeasurement);
    }
    all.extend(far_below_roof(q, answered));
    all.extend(integers_beyond_time(q));
    let missing = missing(&q.work);
    if !missing.is_empty() && !answered.same {
        all.push(Caution::CountsPartly(missing.into()));
    }
    all
}

#[cfg(test)]
mod tests;
