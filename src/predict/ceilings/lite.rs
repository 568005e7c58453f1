//! `ceilings-lite`: where only FLOPs and bytes are known.
//!
//! roof = max(D (h/B_L2 + (1 - h)/B_D), F/C φ); T_t = roof_t + max(T_s - roof_s, 0) w_s/w_t, with w the width of the SM side,
//! N f (lsu gl s)^(1/3): the time above the roof scales with the SMs, not with the roof. T_s roof_t/roof_s below it. Refuses,
//! like the plain roofline, where same-address atomics bind.

use super::ends::ends;
use super::sides::Sides;
use super::{Answered, explain};
use crate::kernel::{Count, Work};
use crate::predict::{Prediction, Predictor, Question, Rates, Refusal};
use crate::roofline::{Machine, Spec};
use crate::units::Seconds;

/// As typed.
pub(super) const ID: &str = "ceilings-lite";

/// The model.
pub(in crate::predict) struct CeilingsLite;

impl Predictor for CeilingsLite {
    fn id(&self) -> &'static str {
        ID
    }

    fn summary(&self) -> &'static str {
        "T_t = roof_t + (T_s - roof_s) w_s/w_t: FLOPs and bytes alone, the rest scales with the width of the SMs"
    }

    fn needs_source(&self) -> bool {
        true
    }

    fn is_corrected(&self) -> bool {
        true
    }

    fn rates(&self) -> Rates {
        Rates::Sustained
    }

    fn predict(&self, q: &Question<'_>) -> Result<Prediction, Refusal> {
        let sides = Sides::new(q)?;
        let answered = lite(&sides, self.id())?;
        Ok(explain::prediction(q, sides, answered, None, lite_of_its_own))
    }

    fn time(&self, q: &Question<'_>) -> Result<Seconds, Refusal> {
        let sides = Sides::new(q)?;
        Ok(lite(&sides, self.id())?.time)
    }
}

/// max(D (h/B_L2 + (1 - h)/B_D), F/C) in seconds.
pub(super) fn roof(machine: &Machine, work: &Work) -> f64 {
    let dram = work.get(Count::DramBytes).unwrap_or(0.0);
    let touched = work.get(Count::WorkingSetBytes).unwrap_or(dram);
    let h = machine.l2_residency(touched);
    let memory = dram * (h / machine.get(Spec::L2Bandwidth) + (1.0 - h) / machine.get(Spec::DramBandwidth));
    let rate = machine.get(Spec::FlopsPerClock) * machine.get(Spec::Sms) * machine.get(Spec::Clock);
    memory.max(work.get(Count::Flops).unwrap_or(0.0) / rate)
}

/// The model asked by its own name.
fn lite_of_its_own(sides: &Sides) -> Result<Answered, Refusal> {
    lite(sides, ID)
}

/// The model's answer.
pub(super) fn lite(sides: &Sides, model: &'static str) -> Result<Answered, Refusal> {
    let (origin, target) = ends(sides);
    origin.lite(&target, model)
}
