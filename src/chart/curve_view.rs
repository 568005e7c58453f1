//! What the curves of occupancy and of waves are drawn from, and how they name and mark a side.

use super::{ChartSides, Dash, Mark, Meaning, Shape};
use crate::answer::Answer;
use crate::gpu::Gpu;
use crate::kernel::{Kernel, Problem};
use crate::pair::{Pair, Side};
use crate::units::significant;

/// Everything a curve is drawn from.
#[derive(Debug, Clone, Copy)]
pub struct CurveView<'a> {
    /// Source and target.
    pub gpus: Pair<&'a Gpu>,
    /// Which kernel.
    pub kernel: &'a Kernel,
    /// Its whole size.
    pub problem: &'a Problem,
    /// Code variant.
    pub variant: &'a str,
    /// What is known of it.
    pub answer: &'a Answer,
    /// Which GPUs.
    pub show: ChartSides,
}

/// Source and target differ without colour.
pub(super) fn dash(side: Side) -> Dash {
    if side == Side::Source { Dash::Solid } else { Dash::Dashed }
}

/// A GPU with its side, for the legend.
pub(super) fn side_name(view: &CurveView<'_>, side: Side) -> String {
    format!("{} ({})", view.gpus[side].short_name(), side.as_str())
}

/// A share as percent.
pub(super) fn percent(fraction: f64) -> String {
    format!("{} %", significant(100.0 * fraction))
}

/// The mark of what is chosen now, named in the legend.
pub(super) fn chosen(view: &CurveView<'_>, side: Side, what: &str, at: (f64, f64), label: String) -> Mark {
    Mark::Point {
        name: format!("{what} on {}", view.gpus[side].short_name()),
        meaning: Meaning::side_colour(side),
        shape: Shape::Chosen,
        at,
        interval: None,
        label,
    }
}
