//! A question in numbers without names: what a learned residual may look at.
//!
//! Every number is a ratio, a share or a logarithm of one, so that no GPU, kernel or size can be recognised by its digits
//! alone, and all of them mean the same on every pair of GPUs. "Towards" numbers are ln(target / source).

use super::ends::ends;
use super::sides::{Sides, waves_on};
use crate::predict::{Question, Refusal};
use crate::roofline::{Component, Spec};

/// Components below this share of the roof weigh nothing in it, and are all written as this.
const LEAST_SHARE: f64 = 0.02;

/// The names of [`features`], in order.
#[must_use]
pub fn feature_names() -> Vec<String> {
    let shares = ["source", "target"].into_iter().flat_map(|side| {
        Component::ALL.into_iter().map(move |c| format!("{} share, {side}", c.word()))
    });
    let towards = Spec::ALL.into_iter().map(|s| format!("{} towards", s.word()));
    let rest = [
        "efficiency",
        "believed",
        "roof towards",
        "floor share, source",
        "floor share, target",
        "waves, source",
        "waves, target",
        "occupancy, source",
        "occupancy, target",
        "occupancy towards",
        "L2 fit, source",
        "L2 fit, target",
        "lite towards full",
        "registers unknown",
        "intensity over ridge, source",
        "intensity over ridge, target",
        "body, source",
    ];
    shares.chain(towards).chain(rest.into_iter().map(String::from)).collect()
}

/// The numbers of this question, in the order of [`feature_names`]; where nobody knows one it is 0, in logarithms "as much
/// on both sides".
///
/// # Errors
/// [`Refusal`] where the model has no roof for it.
pub fn features(q: &Question<'_>) -> Result<Vec<f64>, Refusal> {
    let sides = Sides::new(q)?;
    let (origin, target) = ends(q, &sides);
    let answered = origin.answered(&target)?;
    let doubt = origin.doubt(&target, &answered, false);
    let mut all = Vec::with_capacity(48);
    for at in 0..2 {
        let roof = sides.roofs[at].whole() / sides.roofs[at].tail;
        let share = |c| (sides.components[at].get(c).0 / roof).clamp(LEAST_SHARE, 1.0).ln();
        all.extend(Component::ALL.map(share));
    }
    let [from, to] = &sides.machines;
    all.extend(Spec::ALL.map(|s| (to.get(s) / from.get(s)).ln()));
    let body = answered.start.body.unwrap_or(answered.roofs[0]);
    let timed = sides.timed.unwrap_or(answered.roofs[0]);
    let questions = [&q.source, &q.target];
    let waves = questions.map(|s| waves_on(s.gpu, s.launch, s.stated_occupancy()).unwrap_or(0.0));
    let waves = waves.map(|w| if w > 0.0 { w.clamp(0.05, 100.0).ln() } else { 0.0 });
    let occupancy = questions.map(|s| s.stated_occupancy().map_or(1.0, |o| o.fraction()).max(0.02));
    let touched = q.work.get(crate::kernel::Count::WorkingSetBytes).or(q.work.dram().map(|b| b.0)).unwrap_or(0.0);
    let fit = [from, to].map(|m| (touched / m.get(Spec::L2Size)).clamp(0.01, 100.0).ln());
    let ridge = [0, 1].map(|at| {
        let t = |c| sides.components[at].get(c).0.max(1e-12);
        (t(Component::Fp) / t(Component::Dram).max(t(Component::L2))).clamp(0.01, 100.0).ln()
    });
    let lite = origin.lite(&target, "lite").map_or(0.0, |l| (l.time / answered.time).ln());
    all.extend([
        (body / answered.roofs[0]).ln(),
        answered.start.carried,
        (answered.roofs[1] / answered.roofs[0]).ln(),
        (sides.floors[0].time.0 / timed).min(1.0),
        (sides.floors[1].time.0 / answered.time.0).min(1.0),
        waves[0],
        waves[1],
        occupancy[0].ln(),
        occupancy[1].ln(),
        (occupancy[1] / occupancy[0]).ln(),
        fit[0],
        fit[1],
        lite,
        f64::from(u8::from(doubt.build > 0.0)),
        ridge[0],
        ridge[1],
        body.ln(),
    ]);
    Ok(all)
}
