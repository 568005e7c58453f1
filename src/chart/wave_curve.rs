//! The saw-tooth: how well the waves of a grid fill a GPU, over the problem sizes around the chosen one.
//!
//! ```text
//! 100 ┤  ╱│  ╱│ ╱│     a tip where a size fills whole waves,
//!     │ ╱ │ ╱ S╱ │╱    and the fall behind it, where one more block starts another
//!  80 ┤╱  │╱  │  │
//! ```

use super::curve_view::{CurveView, chosen, dash, percent, side_name};
use super::{Axis, Mark, Meaning, Scale};
use crate::kernel::Slider;
use crate::occupancy::{Waves, waves};
use crate::pair::Side;

// ---------------------------------------------------------------------------------------------------------------------
// Over the problem size

/// Sizes looked at, evenly apart; twice a wide terminal's dots.
const SAMPLES: usize = 400;

/// The most teeth whose tips are looked for; more of them lie closer than samples.
const MOST_TEETH: u64 = 40;

/// The chosen size and its surroundings: problem sizes where the kernel has formulas, else grids of so many blocks.
struct Sizes<'a> {
    slider: Option<Slider<'a>>,
    blocks: u64,
}

impl Sizes<'_> {
    fn value(&self) -> f64 {
        self.slider.as_ref().map_or(self.blocks as f64, Slider::value)
    }

    fn block_count(&self, value: f64) -> u64 {
        self.slider.as_ref().map_or(value as u64, |s| s.block_count(value))
    }

    fn holding(&self, blocks: u64) -> f64 {
        self.slider.as_ref().map_or(blocks as f64, |s| s.holding(blocks))
    }
}

pub(super) fn wave_of(view: &CurveView<'_>, side: Side, blocks: u64) -> Option<Waves> {
    waves(view.gpus[side], view.answer.occupancy[side].as_ref()?, blocks)
}

/// The saw-tooth around the chosen size.
pub(super) fn of_size(view: &CurveView<'_>) -> (Axis, Vec<Mark>) {
    let nothing = || {
        let scale = Scale::Linear { min: 0.0, max: 1.0 };
        (Axis { label: "problem size".into(), scale }, Vec::new())
    };
    // One grid is drawn on both GPUs; where their rows differ, the one that the source's time belongs to.
    let Some(launch) = view.answer.launch.source.or(view.answer.launch.target) else { return nothing() };
    // A row timed with another grid than the formulas': then only grids can be compared.
    let slider = view
        .kernel
        .slider(view.problem, view.variant)
        .filter(|s| s.block_count(s.value()) == launch.block_count());
    let sizes = Sizes { slider, blocks: launch.block_count() };
    let now: Vec<(Side, Waves)> =
        view.show.shown().filter_map(|side| Some((side, wave_of(view, side, sizes.blocks)?))).collect();
    let Some((min, max)) = window(&sizes, &now) else { return nothing() };
    let label = match &sizes.slider {
        Some(slider) => format!("problem size {}", slider.key()),
        None => "blocks in the grid".into(),
    };
    let values = samples(&sizes, &now, min, max);
    let grids: Vec<(f64, u64)> = values.into_iter().map(|v| (v, sizes.block_count(v))).collect();
    let mut marks = Vec::new();
    for (side, _) in &now {
        let at = |(value, blocks): &(f64, u64)| {
            wave_of(view, *side, *blocks).map(|w| (*value, 100.0 * w.efficiency()))
        };
        let points = grids.iter().filter_map(at).collect();
        let (name, meaning) = (side_name(view, *side), Meaning::side_colour(*side));
        marks.push(Mark::Line { name, meaning, dash: dash(*side), points });
    }
    for (side, w) in &now {
        let what = format!("{} = {} blocks", view.kernel.short_problem(view.problem), sizes.blocks);
        let at = (sizes.value(), 100.0 * w.efficiency());
        marks.push(chosen(view, *side, &what, at, percent(w.efficiency())));
    }
    (Axis { label, scale: Scale::Linear { min, max } }, marks)
}

/// The sizes to show: three waves of the GPU with the smaller ones to either side, or nearly two of the other GPU, but no
/// more teeth than can be told apart.
fn window(sizes: &Sizes<'_>, now: &[(Side, Waves)]) -> Option<(f64, f64)> {
    let waves = || now.iter().map(|(_, w)| w.blocks_per_wave);
    let (small, large) = (waves().min()?, waves().max()?);
    let half = (3 * small).max(large.saturating_mul(7) / 4).min(small.saturating_mul(MOST_TEETH / 2));
    let first = sizes.blocks.saturating_sub(half);
    let last = sizes.blocks.saturating_add(half).max(half.saturating_mul(2));
    let min = if first == 0 { 0.0 } else { sizes.holding(first) };
    let max = sizes.holding(last).max(sizes.value());
    (max - min >= 1.0).then_some((min, max))
}

/// Even steps, and both sides of every tip in between.
fn samples(sizes: &Sizes<'_>, now: &[(Side, Waves)], min: f64, max: f64) -> Vec<f64> {
    let step = ((max - min) / SAMPLES as f64).max(1.0);
    let mut values: Vec<f64> = (0..=SAMPLES).map(|i| (min + i as f64 * step).floor()).collect();
    let (first, last) = (sizes.block_count(min.max(1.0)), sizes.block_count(max));
    for (_, w) in now {
        let per_wave = w.blocks_per_wave;
        for tooth in (first / per_wave..=last / per_wave).take(MOST_TEETH as usize + 2) {
            let tip = sizes.holding(tooth * per_wave);
            values.extend([tip, tip + 1.0]);
        }
    }
    values.push(max);
    values.retain(|v| *v >= min.max(1.0) && *v <= max);
    values.sort_by(f64::total_cmp);
    values.dedup();
    values
}
