//! `first-principles` (paper 5): iterations give FLOPs and bytes, the larger of the two times is the body, and a launch
//! costs 4-6 µs.
//!
//! T_t = max(F / C_t, D / B_t) + T_launch, with F and D from the kernel file (for paper 5's template: iterations =
//! ceil(K / threads) x threads x blocks, 3 FLOPs and 8 bytes each), C the FP32 ceiling, B the DRAM bandwidth.
//! T_launch = 5 µs, the middle of the range the paper gives (section 5).
//! Needs no measurement. Refuses, like the plain roofline, where same-address atomics bind.

use super::breakdown::{Cause, MadeOf};
use super::plain_roofline::{body as body_on, body_on_target, target_cautions, work_factors};
use super::{
    Amount, Caution, Factor, ModelRefusal, Prediction, Predictor, Provenance, Question, bound_on, sound,
};
use crate::catalogue::NumberOrigin;
use crate::gpu::Gpu;
use crate::roofline::Bound;
use crate::units::{Seconds, range};

/// The middle of paper 5's 4-6 µs (section 5).
pub(super) const LAUNCH_OVERHEAD: Seconds = Seconds(5e-6);

/// Paper 5's range of it (section 5).
const LAUNCH_RANGE: [Seconds; 2] = [Seconds(4e-6), Seconds(6e-6)];

/// As typed.
pub(super) const ID: &str = "first-principles";

/// The model.
pub(super) struct FirstPrinciples;

/// The time with the least and the most that paper 5 gives for a launch, and with what was measured on this GPU.
fn launch_range(gpu: &Gpu, body: Seconds) -> Caution {
    let [low, high] = LAUNCH_RANGE.map(|launch| Seconds(body.0 + launch.0));
    let mut text = format!("a launch costs 4 to 6 µs (paper 5), 5 µs are used: {}", range(low, high));
    if let Some(floor) = &gpu.launch_floor {
        let time = Seconds(body.0 + floor.value.0);
        text += &format!("; with the launch overhead measured on {} ({}): {time}", gpu.id, floor.value);
    }
    Caution::LaunchRange(text.into())
}

impl Predictor for FirstPrinciples {
    fn id(&self) -> &'static str {
        ID
    }

    fn method_summary(&self) -> &'static str {
        "T_t = max(FLOPs / C_t, bytes / B_t) + 5 µs per launch (paper 5); no measurement"
    }

    fn needs_source(&self) -> bool {
        false
    }

    fn predict(&self, q: &Question<'_>) -> Result<Prediction, ModelRefusal> {
        let time = self.predicted_time(q)?;
        let body = body_on_target(q, self.id())?;
        let overhead = (Cause::LaunchOverhead(LAUNCH_OVERHEAD), time / body);
        let made_of = MadeOf::roof_times(body, vec![overhead]);
        let mut factors = work_factors(q);
        factors.push(Factor::of_target(
            "launch overhead",
            Amount::Time(LAUNCH_OVERHEAD),
            Provenance::Stated(NumberOrigin::Published, "paper5".into()),
        ));
        let bound = |gpu: &Gpu| {
            let launch =
                body_on(gpu, q.kernel, &q.work, q.ceilings).is_some_and(|body| LAUNCH_OVERHEAD > body);
            if launch { Some(Bound::Launch) } else { bound_on(gpu, q.kernel, &q.work, q.ceilings) }
        };
        Ok(Prediction {
            time,
            bound_source: bound(q.source.gpu),
            bound_target: bound(q.target.gpu),
            efficiency: None,
            factors,
            cautions: target_cautions(q).into_iter().chain([launch_range(q.target.gpu, body)]).collect(),
            levels: None,
            doubt: None,
            width: None,
            adjustments: Vec::new(),
            made_of,
        })
    }

    fn predicted_time(&self, q: &Question<'_>) -> Result<Seconds, ModelRefusal> {
        let body = body_on_target(q, self.id())?;
        sound(Seconds(body.0 + LAUNCH_OVERHEAD.0), self.id())
    }
}
