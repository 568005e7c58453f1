//! A kernel's own ceilings on a roofline chart (paper 2, figure 2): where its mix of instructions, its active threads and its
//! cache hits put the roof.

use super::{Dash, Mark, Meaning, RooflineView};
use crate::answer::Answer;
use crate::pair::Side;
use crate::roofline::{KernelRoof, Level, Roofline};

/// Two ceilings that lie nearer than this are one line on a chart.
const SAME_ROOF: f64 = 0.01;

/// The kernel's own roof on this side, where enough of it was counted.
pub(super) fn of_side(answer: &Answer, side: Side) -> Option<&KernelRoof> {
    answer.kernel_roofs.as_ref().map(|k| &k.roofs[side]).filter(|roof| roof.compute.is_some())
}

/// Whether the kernel's own ceiling stands for the roof of this level. DRAM's is the same line, and shared memory has none.
pub(super) fn replaces(answer: &Answer, side: Side, level: Level) -> bool {
    matches!(level, Level::L2 | Level::L1)
        && of_side(answer, side).is_some_and(|roof| roof.level(level).bandwidth.is_some())
}

/// The compute ceiling, and the bandwidth ceilings of the levels that are drawn.
pub(super) fn ceiling_marks(
    view: &RooflineView<'_>,
    side: Side,
    roof_of_gpu: &Roofline,
    (x, y): ((f64, f64), (f64, f64)),
    marks: &mut Vec<Mark>,
    notes: &mut Vec<String>,
) {
    let (Some(roof), Some(kernel)) = (of_side(view.answer, side), &view.answer.kernel_roofs) else { return };
    let Some(compute) = roof.compute.filter(|c| c.0 > y.0 && c.0 < y.1) else {
        notes.push(format!(
            "{}: the kernel's compute ceiling lies off the chart",
            view.gpus[side].short_name()
        ));
        return;
    };
    let (meaning, name) = (Meaning::side_colour(side), view.gpus[side].short_name());
    // From where the steepest slope that is drawn meets it.
    let mut from = roof.level(Level::Dram).bandwidth.map_or(x.0, |b| compute.0 / b.0);
    for level in [Level::L2, Level::L1].into_iter().filter(|l| view.levels.contains(l)) {
        let Some(b) = roof.level(level).bandwidth else { continue };
        let (left, ridge) = (x.0.max(y.0 / b.0), compute.0 / b.0);
        if ridge <= left {
            notes.push(format!("{name}: the kernel's {} ceiling lies off the chart", level.as_str()));
            continue;
        }
        marks.push(Mark::Line {
            name: format!("{name}: {} ceiling {b} (by what it serves, and what lies below)", level.as_str()),
            meaning,
            dash: if level == Level::L2 { Dash::Dashed } else { Dash::Dotted },
            points: vec![(left, b.0 * left), (ridge, compute.0)],
        });
        from = from.min(ridge);
    }
    let from = from.clamp(x.0, x.1 / 1.5);
    let (precision, rate) = (kernel.precision.as_str(), view.operation().rate_text(compute));
    // A kernel of multiply-adds alone has the GPU's own roof, which is drawn and named already.
    let is_own_roof = (compute.0 / roof_of_gpu.compute.value.0 - 1.0).abs() <= SAME_ROOF;
    let named =
        format!("{name}: compute ceiling {rate} ({precision}, by instruction mix and active threads)");
    marks.push(Mark::Line {
        name: if is_own_roof { String::new() } else { named },
        meaning,
        dash: Dash::LongDash,
        points: vec![(from, compute.0), (x.1, compute.0)],
    });
    if !is_own_roof {
        let text = format!("ceiling {rate}");
        marks.push(Mark::Label { meaning, at: (x.1, compute.0), text });
    }
}
