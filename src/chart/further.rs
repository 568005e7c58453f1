//! Targets beside the main one on a roofline or bandwidth chart: their DRAM roof with their name at its end, and their point.

use super::caption::{predicted_word, time_with_interval};
use super::{
    ChartSpec, Dash, FurtherTarget, MOST_TARGETS, Mark, Meaning, RooflineView, Shape, drawn_targets,
};
use crate::gpu::Gpu;
use crate::pair::Side;
use crate::roofline::{Level, Roofline, roofline};
use crate::text::{first_names, marked_estimate};
use crate::units::{Operation, Seconds};

/// Where a chart begins and ends, in its own units.
#[derive(Clone, Copy)]
pub(super) struct ChartEnds {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

/// A further target on a chart, with what its marks stand for.
pub(super) struct DrawnTarget<'a> {
    pub(super) meaning: Meaning,
    pub(super) target: FurtherTarget<'a>,
    /// Its roofs for the kernel.
    pub(super) roof: Roofline,
}

/// The further targets of a view: none where the target is not shown.
pub(super) fn targets_of_view<'a>(view: &RooflineView<'a>) -> Vec<DrawnTarget<'a>> {
    let drawn = |(meaning, target): (Meaning, FurtherTarget<'a>)| {
        let used = target.answer.ceilings_used;
        let roof = roofline(target.gpu, used).of_kernel(
            target.gpu,
            &target.answer.kernel_on_target(view.kernel),
            target.answer.width(),
            used,
        );
        DrawnTarget { meaning, target, roof }
    };
    let shown: &[FurtherTarget<'a>] = if view.show.shows(Side::Target) { &view.further } else { &[] };
    drawn_targets(shown).map(drawn).collect()
}

impl DrawnTarget<'_> {
    /// The DRAM roof up to the right end of the chart, and the GPU's name there; `None` where it lies off the chart.
    pub(super) fn roof_and_name(&self, ends: ChartEnds, operation: Operation) -> Option<[Mark; 2]> {
        let (gpu, meaning, compute) = (self.target.gpu, self.meaning, self.roof.compute.value);
        let bandwidth = self.roof.bandwidth(Level::Dram)?;
        let (left, ridge) = (ends.left.max(ends.bottom / bandwidth.0), compute.0 / bandwidth.0);
        if !(ridge.is_finite() && ridge > left) {
            return None;
        }
        let points = vec![(left, bandwidth.0 * left), (ridge, compute.0), (ends.right, compute.0)];
        let rate = operation.rate_text(compute);
        let name = format!("{}: {rate}, DRAM {bandwidth}", gpu.short_name());
        let text = format!("{} {rate}", gpu.short_name());
        Some([
            Mark::Line { name, meaning, dash: Dash::Solid, points },
            Mark::Label { meaning, at: (ends.right, compute.0), text },
        ])
    }

    /// The predicted time as a point; `height` makes a time a place. Its interval stands in the legend: bars of several
    /// targets would stand on one another.
    pub(super) fn point(&self, across: f64, height: impl Fn(Seconds) -> f64) -> Option<Mark> {
        let answer = self.target.answer;
        let time = answer.predicted_time()?;
        let at = (across, height(time));
        if !(at.0 > 0.0 && at.1 > 0.0 && at.0.is_finite() && at.1.is_finite()) {
            return None;
        }
        let estimate = answer.is_estimate();
        let interval = answer.interval.as_ref();
        let (name, word) = (self.target.gpu.short_name(), predicted_word(estimate));
        Some(Mark::Point {
            name: format!("{name}: {} {word}", time_with_interval(time, interval, estimate)),
            meaning: self.meaning,
            shape: if estimate { Shape::Estimated } else { Shape::Predicted },
            at,
            interval: None,
            label: format!("{} {}", self.target.gpu.short_name(), marked_estimate(time, !estimate)),
        })
    }
}

/// The title of a chart with its further targets behind: `saxpy: TITAN V → RTX 4070, H100 PCIe`.
pub(super) fn with_targets(title: String, view: &RooflineView<'_>) -> String {
    let names = targets_of_view(view).into_iter().map(|drawn| drawn.target.gpu.short_name().to_string());
    std::iter::once(title).chain(names).collect::<Vec<_>>().join(", ")
}

/// The main target, where others are shown beside it.
pub(super) fn one_of_several<'a>(view: &RooflineView<'a>) -> Option<&'a Gpu> {
    (view.show.shows(Side::Target) && !view.further.is_empty()).then_some(view.gpus.target)
}

/// Adds to a chart that some targets are not on it, where that is so.
pub(super) fn note_left_out(chart: &mut ChartSpec, further: &[FurtherTarget<'_>]) {
    let names: Vec<&str> = further.iter().skip(MOST_TARGETS - 1).map(|left| left.gpu.short_name()).collect();
    if !names.is_empty() {
        let names = first_names(&names, MOST_TARGETS);
        chart.notes.insert(0, format!("not drawn, as a chart shows {MOST_TARGETS} targets: {names}"));
    }
}
