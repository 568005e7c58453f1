//! Charts as plain descriptions. The dashboard's panes and the SVG export draw the same [`ChartSpec`], so they cannot
//! disagree.
//!
//! ```text
//! answer ─> roofline, occupancy(_curves), … ──> ChartSpec ─> scene ─> svg
//!           (what is said: caption)                 │        (where it stands: scale, layout, legend, plot, marker)
//!                                                   └─> terminal panes
//! ```

mod bandwidth;
mod caption;
mod ceilings;
mod components;
mod curve_view;
mod evaluation;
mod further;
mod importances;
mod item;
mod layout;
mod legend;
mod marker;
mod occupancy;
mod occupancy_curves;
mod plot;
mod predictions;
mod roofline;
mod roofs;
mod sane_places;
mod scale;
mod scatter;
mod scene;
mod svg;
mod tree;
mod wave_curve;

pub use bandwidth::bandwidth_chart;
pub use components::{component_chart, ranked_components};
pub use curve_view::CurveView;
pub use evaluation::{distribution, distribution_chart, evaluation_chart, groups_chart};
pub use importances::importances_chart;
pub use occupancy::{OccupancyView, occupancy_chart};
pub use occupancy_curves::{Curve, curve_chart};
pub use predictions::{PredictionRow, predictions_chart};
pub use roofline::{RooflineView, level_intensity, roofline_chart};
pub use scale::{Tick, TimeUnit, end_of_bars};
pub use scatter::{ScatterPoint, ScatterText, scatter_chart};
pub use svg::{SvgTheme, render_svg, suggested_size};
pub use tree::{TreeText, tree_chart};

use crate::answer::Answer;
use crate::gpu::Gpu;
use crate::pair::Side;
use crate::predict::{SourceKind, SourceTime};

/// Which of the two GPUs a chart shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ChartSides {
    /// The source alone.
    Source,
    /// The target alone.
    Target,
    /// Both, with the way from one to the other.
    #[default]
    Both,
}

impl ChartSides {
    /// The GPUs that are shown, the source first.
    pub fn shown(self) -> impl Iterator<Item = Side> {
        Side::ALL.into_iter().filter(move |side| self.shows(*side))
    }

    /// Whether this GPU is shown.
    #[must_use]
    pub fn shows(self, side: Side) -> bool {
        match side {
            Side::Source => self != Self::Target,
            Side::Target => self != Self::Source,
        }
    }
}

/// How many targets a chart shows at most: more would be lines that nobody tells apart.
pub const MOST_TARGETS: usize = 4;

/// A target beside the main one on a chart.
#[derive(Debug, Clone, Copy)]
pub struct FurtherTarget<'a> {
    /// The GPU.
    pub gpu: &'a Gpu,
    /// The answer for it, from the same source.
    pub answer: &'a Answer,
}

/// The further targets that a chart has room for, each with what its marks stand for.
fn drawn_targets<'a>(further: &[FurtherTarget<'a>]) -> impl Iterator<Item = (Meaning, FurtherTarget<'a>)> {
    further
        .iter()
        .take(MOST_TARGETS - 1)
        .enumerate()
        .map(|(place, target)| (Meaning::Further(place), *target))
}

/// A chart: axes, and marks in drawing order.
#[derive(Debug, Clone, PartialEq)]
pub struct ChartSpec {
    /// What is compared: kernel, size, GPUs.
    pub title: String,
    /// One line under it: model, ceilings, rules, what the marks mean.
    pub subtitle: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// Everything drawn, back to front.
    pub marks: Vec<Mark>,
    /// Remarks under the chart: sources, cautions.
    pub notes: Vec<String>,
}

/// One axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// Quantity with unit: `operational intensity, FLOP/B`.
    pub label: String,
    /// How values become places.
    pub scale: Scale,
}

/// How values become places.
#[derive(Debug, Clone, PartialEq)]
pub enum Scale {
    /// Decades between these values, both above zero.
    Log {
        /// Left or lower end.
        min: f64,
        /// Right or upper end.
        max: f64,
    },
    /// Even steps between these values.
    Linear {
        /// Left or lower end.
        min: f64,
        /// Right or upper end.
        max: f64,
    },
    /// One slot per name, in order, the first on top; a mark's place is the slot's index, a fraction moves it within
    /// the slot.
    Category(Vec<String>),
}

/// What a mark stands for; a theme turns it into a colour, and shape or dash tell it apart without one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    /// Belongs to the source GPU.
    Source,
    /// Belongs to the target GPU.
    Target,
    /// Belongs to a further target, counted from 0; in stacked bars a colour of its own.
    Further(usize),
    /// The resource that limits.
    Limiter,
    /// Context: other kernels, grid.
    Dim,
}

impl Meaning {
    /// Of the source or the target.
    #[must_use]
    pub fn side_colour(side: Side) -> Self {
        match side {
            Side::Source => Self::Source,
            Side::Target => Self::Target,
        }
    }
}

/// How a line is drawn; one per memory level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dash {
    /// DRAM and compute roofs.
    Solid,
    /// L2.
    Dashed,
    /// L1.
    Dotted,
    /// Shared memory.
    DashDot,
    /// A kernel's own compute ceiling.
    LongDash,
}

/// Lines over a part of a stacked bar: parts of one colour differ in them, and all parts without colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hatch {
    /// None.
    Plain,
    /// Upwards to the right.
    Rising,
    /// Both ways.
    Crossed,
}

/// The shape of a point; each has one meaning everywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// ● timed.
    Measured,
    /// ◆ predicted.
    Predicted,
    /// ~ estimated without a measurement.
    Estimated,
    /// What is chosen now, on a curve: `S` or `T` in the terminal, a square in a picture.
    Chosen,
    /// A small dot: another kernel.
    Other,
}

impl Shape {
    /// That of a time on the source: timed, scaled from another size, or neither.
    fn of_source_time(time: &SourceTime) -> Self {
        match (time.kind, time.rests_on_measurement()) {
            (SourceKind::Estimated, true) => Self::Predicted,
            (SourceKind::Estimated, false) => Self::Estimated,
            (SourceKind::Measured | SourceKind::Published, _) => Self::Measured,
        }
    }
}

/// One thing on a chart.
#[derive(Debug, Clone, PartialEq)]
pub enum Mark {
    /// A polyline with an entry in the legend (none if the name is empty).
    Line {
        /// Legend entry with its value: `TITAN V DRAM 653 GB/s`.
        name: String,
        /// Whose it is.
        meaning: Meaning,
        /// Which level.
        dash: Dash,
        /// Data coordinates.
        points: Vec<(f64, f64)>,
    },
    /// A point, with its interval along the value axis where there is one: along y, or along x where y is categories.
    Point {
        /// Legend entry; empty for none.
        name: String,
        /// Whose it is.
        meaning: Meaning,
        /// What kind of number.
        shape: Shape,
        /// Data coordinates.
        at: (f64, f64),
        /// Lower and upper end.
        interval: Option<(f64, f64)>,
        /// Text beside it; empty for none.
        label: String,
    },
    /// An arrow from a measured to a predicted point.
    Arrow {
        /// Tail.
        from: (f64, f64),
        /// Head.
        to: (f64, f64),
    },
    /// Text at a place: a ridge point.
    Label {
        /// Whose it is.
        meaning: Meaning,
        /// Data coordinates of what it names.
        at: (f64, f64),
        /// The text.
        text: String,
    },
    /// A cell of a matrix, where both axes are categories: the fuller, the stronger.
    Cell {
        /// Its colour.
        meaning: Meaning,
        /// Index of the category on the x axis.
        column: usize,
        /// Index of the category on the y axis.
        row: usize,
        /// How full it is, 0 to 1.
        strength: f64,
        /// Text in it.
        label: String,
    },
    /// A part of a horizontal bar, from one value to another, in a category slot: parts that meet make a stacked bar.
    Segment {
        /// Its colour.
        meaning: Meaning,
        /// Index of the category.
        slot: usize,
        /// Where it begins on the value axis.
        from: f64,
        /// Where it ends.
        to: f64,
        /// How full its colour is, 0 to 1.
        strength: f64,
        /// The lines over it.
        hatch: Hatch,
        /// Legend entry, once per name, and the text in it where that fits.
        label: String,
    },
    /// A horizontal bar from the axis to a value, in a category slot.
    Bar {
        /// Legend entry, once per name; empty for none.
        name: String,
        /// Whose it is.
        meaning: Meaning,
        /// Index of the category; bars of one category are drawn side by side in the order they come.
        slot: usize,
        /// Its length on the value axis.
        value: f64,
        /// Text at its end.
        label: String,
    },
}

/// Why a chart cannot be drawn.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SvgError {
    /// The canvas is absurd.
    #[error("a picture of {width} x {height} cannot be drawn: each side must be 160 to 20000 pixels")]
    Size {
        /// Asked for.
        width: u32,
        /// Asked for.
        height: u32,
    },
    /// The texts leave no room for the plot.
    #[error("{width} x {height} is too small for this chart: about {missing} pixels are missing")]
    TooSmall {
        /// Asked for.
        width: u32,
        /// Asked for.
        height: u32,
        /// How many pixels more it takes.
        missing: u32,
    },
    /// An axis has no extent.
    #[error("the {axis} axis of this chart has no extent")]
    Axis {
        /// `x` or `y`.
        axis: char,
    },
    /// The drawing library refused.
    #[error("drawing failed: {0}")]
    Draw(String),
}
