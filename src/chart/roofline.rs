//! The roofline chart: both GPUs' roofs in one log-log plane, the measured point, the predicted one, the way between.

use super::caption::{self, kind_words, predicted_word, source_words, time_with_interval};
use super::ceilings;
use super::further::{ChartEnds, note_left_out, one_of_several, targets_of_view, with_targets};
use super::roofs::roof_marks;
use super::sane_places::{SANE_INTENSITY, SANE_PERFORMANCE, is_sane};
use super::{Axis, ChartSides, ChartSpec, Dash, FurtherTarget, Mark, Meaning, Scale, Shape};
use crate::answer::Answer;
use crate::gpu::{Clocks, Gpu};
use crate::kernel::Kernel;
use crate::pair::{Pair, Side};
use crate::roofline::{Level, Roofline, intensity, pipe_of, roofline};
use crate::text::marked_estimate;
use crate::units::{Flops, FlopsPerSecond, Intensity, Operation, Seconds};

const DRAM_AXIS: &str = "operational intensity (DRAM)";
const MARKED_AXIS: &str = "operational intensity (DRAM, or the level a point names)";

/// What a roofline chart shows.
#[derive(Debug, Clone)]
pub struct RooflineView<'a> {
    /// Source and target.
    pub gpus: Pair<&'a Gpu>,
    /// The kernel.
    pub kernel: &'a Kernel,
    /// Its size in short: `n=1048576`.
    pub problem: String,
    /// The answer whose points are drawn.
    pub answer: &'a Answer,
    /// Targets beside the main one; a chart draws the first of them.
    pub further: Vec<FurtherTarget<'a>>,
    /// Which of the two GPUs.
    pub show: ChartSides,
    /// Memory levels to draw roofs of; DRAM is always drawn.
    pub levels: Vec<Level>,
    /// Other kernels on the source: intensity in FLOP/B and FLOP/s.
    pub others: Vec<(f64, f64)>,
}

impl RooflineView<'_> {
    /// What the rates and intensities of the kernel's pipe are counted in.
    pub(super) fn operation(&self) -> Operation {
        pipe_of(self.kernel).pipe.operation()
    }
}

/// A time of the kernel on one of the GPUs, on its way to become a point.
struct TimedPoint {
    side: Side,
    shape: Shape,
    time: Seconds,
    interval: Option<(Seconds, Seconds)>,
    legend: String,
    label: String,
}

/// Draws the roofs, ridge points and points of one answer.
#[must_use]
pub fn roofline_chart(view: &RooflineView<'_>) -> ChartSpec {
    // A point stands under the roofs of the clocks it was measured at.
    let timed_on = view.answer.source_as_timed(view.gpus.source);
    let view = &RooflineView { gpus: Pair { source: timed_on, ..view.gpus }, ..view.clone() };
    let mut notes = Vec::new();
    if view.answer.profiled.is_some() && view.show.shows(Side::Source) {
        notes.push(clocks_note(timed_on));
    }
    let times = times(view);
    let mut points = points(view, &times, &mut notes);
    let by_level = level_points(view, &times);
    let marked = !by_level.is_empty();
    points.extend(by_level);
    // A launch that cannot start is said before anything else; cautions before remarks about the picture.
    let at = if view.show.shows(Side::Target) && view.answer.prediction.is_err() { 0 } else { notes.len() };
    notes.splice(at..at, caption::remarks(view.answer, view.show));
    let others = sane_others(&view.others, &mut notes);
    let (used, width) = (view.answer.ceilings_used, view.answer.width());
    let on_target = view.answer.kernel_on_target(view.kernel);
    let kernels = Pair::new(view.kernel, &*on_target);
    let roofs = Side::ALL.map(|side| {
        let gpu = view.gpus[side];
        roofline(gpu, used).of_kernel(gpu, kernels[side], width, used)
    });
    let targets = targets_of_view(view);
    let drawn: Vec<Level> = std::iter::once(Level::Dram).chain(view.levels.iter().copied()).collect();
    let own: Vec<f64> = view
        .show
        .shown()
        .filter_map(|side| ceilings::of_side(view.answer, side)?.compute.map(|c| c.0))
        .collect();
    let flops = view.answer.work.flops().filter(|flops| flops.0 > 0.0);
    let place = flops.zip(view.answer.work.intensity());
    let further = |(flops, intensity): (Flops, Intensity)| {
        let points = targets.iter().filter_map(|t| t.point(intensity.0, |time| (flops / time).0));
        let has_place = |mark: &Mark| matches!(mark, Mark::Point { at, .. } if is_sane(*at));
        points.filter(has_place).collect::<Vec<_>>()
    };
    points.extend(place.map(further).unwrap_or_default());
    let shown: Vec<&Roofline> =
        view.show.shown().map(|side| &roofs[side]).chain(targets.iter().map(|target| &target.roof)).collect();
    let (x, y) = ranges(&shown, &points, &others, &own, &drawn);
    let mut marks = Vec::new();
    for side in view.show.shown() {
        roof_marks(view, side, &roofs[side], (x, y), &mut marks, &mut notes);
        ceilings::ceiling_marks(view, side, &roofs[side], (x, y), &mut marks, &mut notes);
    }
    let ends = ChartEnds { left: x.0, right: x.1, bottom: y.0 };
    marks.extend(targets.iter().filter_map(|target| target.roof_and_name(ends, view.operation())).flatten());
    let choice = pipe_of(kernels.target);
    if choice.pipe.is_tensor() || view.kernel.stated_arithmetic.is_some() {
        notes.push(format!("compute roof: {}; {}", choice.pipe, choice.why));
    }
    let further = drawn.iter().any(|l| *l != Level::Dram);
    let dashed =
        |m: &Mark| matches!(m, Mark::Line { name, dash, .. } if *dash != Dash::Solid && !name.is_empty());
    if further && marks.iter().any(dashed) {
        let marked_note =
            "arithmetic intensity is per memory level: of DRAM where a point or roof names none";
        let plain_note =
            "arithmetic intensity is per memory level: points of DRAM, dashed and dotted roofs of their own";
        notes.push(if marked { marked_note } else { plain_note }.into());
    }
    marks.extend(other_kernels(others, view.gpus.source));
    marks.extend(way(&points));
    marks.extend(points);
    let operation = view.operation().symbol();
    let mut chart = ChartSpec {
        title: with_targets(caption::title(view.kernel, &view.problem, view.gpus, view.show), view),
        subtitle: subtitle(view),
        x: Axis {
            label: format!("{}, {operation}/B", if marked { MARKED_AXIS } else { DRAM_AXIS }),
            scale: Scale::Log { min: x.0, max: x.1 },
        },
        y: Axis { label: format!("performance, {operation}/s"), scale: Scale::Log { min: y.0, max: y.1 } },
        marks,
        notes,
    };
    note_left_out(&mut chart, &view.further);
    chart
}

/// At which clocks the roofs of this GPU are drawn.
fn clocks_note(gpu: &Gpu) -> String {
    let Clocks { sm, mem, .. } = gpu.clocks();
    let [sm, mem] = [sm, mem].map(|clock| clock.0 / 1e6);
    format!("{}: roofs at the clocks of its point, SM {sm:.0} MHz, memory {mem:.0} MHz", gpu.short_name())
}

/// The points of other kernels, measured on this GPU; the first one names them all.
fn other_kernels(points: Vec<(f64, f64)>, measured_on: &Gpu) -> impl Iterator<Item = Mark> {
    let all = format!("other kernels, measured on {}", measured_on.name);
    points.into_iter().enumerate().map(move |(i, at)| {
        let name = if i == 0 { all.clone() } else { String::new() };
        let (label, interval) = (String::new(), None);
        Mark::Point { name, meaning: Meaning::Dim, shape: Shape::Other, at, interval, label }
    })
}

/// The arrow from the source's point to the target's predicted one.
fn way(points: &[Mark]) -> Option<Mark> {
    let find = |wanted: Meaning, timed: bool| {
        points.iter().find_map(|mark| match mark {
            Mark::Point { meaning, shape, at, .. }
                if *meaning == wanted && (timed || *shape != Shape::Measured) =>
            {
                Some(*at)
            }
            _ => None,
        })
    };
    let (from, to) = (find(Meaning::Source, true)?, find(Meaning::Target, false)?);
    Some(Mark::Arrow { from, to })
}

/// Every time the answer holds for the GPUs shown: source, prediction, measured target.
fn times(view: &RooflineView<'_>) -> Vec<TimedPoint> {
    let answer = view.answer;
    let mut out = Vec::new();
    if let (true, Some(t)) = (view.show.shows(Side::Source), &answer.source_time) {
        let shape = Shape::of_source_time(t);
        let time = marked_estimate(t.time, shape != Shape::Estimated);
        let how = if shape == Shape::Measured { kind_words(t.kind) } else { source_words(shape) };
        let legend = format!("{}: {time} {how}", view.gpus.source.short_name());
        let label = if shape == Shape::Measured { format!("measured {time}") } else { time };
        out.push(TimedPoint { side: Side::Source, shape, time: t.time, interval: None, legend, label });
    }
    if !view.show.shows(Side::Target) {
        return out;
    }
    let name = view.gpus.target.short_name();
    if let Ok(p) = &answer.prediction {
        let estimate = answer.is_estimate();
        let (word, interval) = (predicted_word(estimate), answer.interval.as_ref());
        let time = time_with_interval(p.time, interval, estimate);
        let levels = p.levels.as_ref().filter(|_| interval.is_none());
        let bar = match (interval, levels) {
            (Some(_), _) => format!(", bar: {}", caption::coverage()),
            (None, Some(_)) => ", bar: by memory level".into(),
            (None, None) => String::new(),
        };
        out.push(TimedPoint {
            side: Side::Target,
            shape: if estimate { Shape::Estimated } else { Shape::Predicted },
            time: p.time,
            interval: interval.map(|i| (i.low, i.high)).or(levels.map(|l| (l.low, l.high))),
            legend: format!("{name}: {} {word}{bar}", marked_estimate(p.time, !estimate)),
            label: if estimate { time } else { format!("{word} {time}") },
        });
    }
    if let Some(m) = answer.measured {
        let legend = format!("{name}: {} {}", m.time, kind_words(m.kind));
        let label = format!("measured {}", m.time);
        out.push(TimedPoint {
            side: Side::Target,
            shape: Shape::Measured,
            time: m.time,
            interval: None,
            legend,
            label,
        });
    }
    out
}

/// The times as points, where the kernel has a place on the chart; a note where it has none.
fn points(view: &RooflineView<'_>, times: &[TimedPoint], notes: &mut Vec<String>) -> Vec<Mark> {
    let work = &view.answer.work;
    let Some(flops) = work.flops().filter(|f| f.0 > 0.0) else {
        notes.push(no_flops(view, times));
        return Vec::new();
    };
    let Some(intensity) = work.intensity() else {
        let why =
            if work.dram().is_some() { "it moves no DRAM bytes" } else { "its DRAM bytes are not counted" };
        notes.push(format!("{why}: this kernel has no place along the intensity axis"));
        return Vec::new();
    };
    let mut out = Vec::new();
    for t in times {
        let at = (intensity.0, (flops / t.time).0);
        if !is_sane(at) {
            notes.push(format!(
                "{} {} is off the chart: {}, {}",
                view.gpus[t.side].short_name(),
                t.time,
                view.operation().intensity_text(intensity),
                view.operation().rate_text(FlopsPerSecond(at.1))
            ));
            continue;
        }
        let ends = t.interval.map(|(low, high)| ((flops / high).0, (flops / low).0));
        out.push(Mark::Point {
            name: t.legend.clone(),
            meaning: Meaning::side_colour(t.side),
            shape: t.shape,
            at,
            interval: ends.filter(|(a, b)| is_sane((at.0, *a)) && is_sane((at.0, *b))),
            label: t.label.clone(),
        });
    }
    out
}

/// The timed points once more at the intensity of every further level that is drawn and whose bytes were counted (paper 2,
/// equation 10), and what a model says of that level alone: each belongs under the roof of its level.
fn level_points(view: &RooflineView<'_>, times: &[TimedPoint]) -> Vec<Mark> {
    let Some(flops) = view.answer.work.flops().filter(|f| f.0 > 0.0) else { return Vec::new() };
    let further = Level::ALL.into_iter().filter(|l| *l != Level::Dram && view.levels.contains(l));
    let predicted = view.answer.prediction.as_ref().ok().and_then(|p| p.levels.as_ref());
    let mut out = Vec::new();
    for level in further {
        let measured = times.iter().filter(|t| t.shape == Shape::Measured).map(|t| (t.side, t.shape, t.time));
        let modelled = predicted
            .iter()
            .flat_map(|l| &l.at)
            .filter(|(l, _)| *l == level && view.show.shows(Side::Target));
        let shape = if view.answer.is_estimate() { Shape::Estimated } else { Shape::Predicted };
        let all = measured.chain(modelled.map(|(_, time)| (Side::Target, shape, *time)));
        out.extend(all.filter_map(|(side, shape, time)| {
            let intensity = level_intensity(view.answer, side, level)?;
            let at = (intensity.0, (flops / time).0);
            let whole = level == Level::L1 && ceilings::of_side(view.answer, side).is_some();
            let through = if whole { "L1 and shared memory" } else { level.as_str() };
            let intensity = view.operation().intensity_text(intensity);
            let name =
                format!("{}: {intensity} by the bytes through {through}", view.gpus[side].short_name());
            let (meaning, label) = (Meaning::side_colour(side), level.as_str().to_string());
            is_sane(at).then_some(Mark::Point { name, meaning, shape, at, interval: None, label })
        }));
    }
    out
}

/// The intensity of a kernel at a level on one side, the same wherever it is shown: by the kernel's own roof,
/// which counts everything that traverses the level (equation 6 of paper 2 adds shared memory to L1); else by that level's counter
/// alone.
#[must_use]
pub fn level_intensity(answer: &Answer, side: Side, level: Level) -> Option<Intensity> {
    let own = ceilings::of_side(answer, side).filter(|_| level != Level::Shared);
    own.map_or_else(|| intensity(&answer.work, level), |roof| roof.level(level).intensity)
}

/// Why a kernel without FLOPs is not on the chart, and what its bandwidth is instead.
fn no_flops(view: &RooflineView<'_>, times: &[TimedPoint]) -> String {
    let why = match view.answer.work.flops() {
        Some(Flops(_)) => "no FLOPs: this kernel has no place on a FLOP roofline",
        None => "the FLOPs of this kernel are not counted: no point on a FLOP roofline",
    };
    let Some(bytes) = view.answer.work.dram().filter(|b| b.0 > 0.0) else { return why.into() };
    let bandwidths: Vec<String> = times
        .iter()
        .map(|t| {
            let gpu = view.gpus[t.side];
            let roof = gpu.bandwidth(view.answer.ceilings_used).value;
            let how = match t.shape {
                Shape::Measured => "measured",
                Shape::Predicted => "predicted",
                _ => caption::MODELLED,
            };
            let time = marked_estimate(t.time, t.shape != Shape::Estimated);
            format!("{} of {roof} on {} ({time} {how})", bytes / t.time, gpu.short_name())
        })
        .collect();
    if bandwidths.is_empty() {
        why.into()
    } else {
        format!("{why}; its bandwidth is {}", bandwidths.join(", "))
    }
}

fn sane_others(others: &[(f64, f64)], notes: &mut Vec<String>) -> Vec<(f64, f64)> {
    let kept: Vec<_> = others.iter().copied().filter(|at| is_sane(*at)).collect();
    match others.len() - kept.len() {
        0 => {}
        1 => notes.push("1 other kernel has no place on the chart".into()),
        n => notes.push(format!("{n} other kernels have no place on the chart")),
    }
    kept
}

/// Whole decades around the ridge points, the roofs' tops and every point.
fn ranges(
    roofs: &[&Roofline],
    points: &[Mark],
    others: &[(f64, f64)],
    ceilings: &[f64],
    levels: &[Level],
) -> ((f64, f64), (f64, f64)) {
    let mut xs: Vec<f64> = others.iter().map(|p| p.0).collect();
    let mut ys: Vec<f64> = others.iter().map(|p| p.1).chain(ceilings.iter().copied()).collect();
    for roof in roofs {
        // Every asked level's ridge lies on the chart, so that its slope is seen.
        xs.extend(levels.iter().filter_map(|l| roof.ridge(*l)).map(|r| r.0));
        ys.push(roof.compute.value.0);
        // Two decades under the top, so that a roof without points has a slope to show.
        ys.push(roof.compute.value.0 * 1e-2);
    }
    for mark in points {
        if let Mark::Point { at, interval, .. } = mark {
            xs.push(at.0);
            ys.push(at.1);
            ys.extend(interval.iter().flat_map(|(a, b)| [*a, *b]));
        }
    }
    // Room right of the ridge points for the flat part of the roofs and their names.
    xs.push(2.5 * xs.iter().copied().filter(|x| x.is_finite()).fold(1.0, f64::max) / AIR);
    (decades(&xs, SANE_INTENSITY), decades(&ys, SANE_PERFORMANCE))
}

/// How far beyond the outermost value an axis reaches at least.
const AIR: f64 = 1.3;

/// The decades that hold all these values with a little air.
fn decades(values: &[f64], (least, most): (f64, f64)) -> (f64, f64) {
    let sound = || values.iter().copied().filter(|v| v.is_finite() && *v > 0.0);
    let low = sound().fold(f64::INFINITY, f64::min).clamp(least, most);
    let high = sound().fold(0.0, f64::max).clamp(low, most);
    (10f64.powf((low / AIR).log10().floor()), 10f64.powf((high * AIR).log10().ceil()))
}

/// The caption's words, and which roofs are drawn where the model's time rests on other rates.
fn subtitle(view: &RooflineView<'_>) -> String {
    let words = caption::subtitle(view.answer, view.show, one_of_several(view));
    let drawn = format!("{} ceilings", view.answer.ceilings_used.as_str());
    if words.contains(&drawn) { words } else { format!("{words}; {drawn} are drawn") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decades_hold_every_sound_value_and_survive_the_others() {
        assert_eq!(decades(&[0.0833, 22.8], SANE_INTENSITY), (0.01, 100.0));
        for absurd in [vec![], vec![f64::NAN, 0.0, -1.0, f64::INFINITY], vec![1e-300, 1e300], vec![5e-324]] {
            let (low, high) = decades(&absurd, SANE_INTENSITY);
            assert!(low > 0.0 && low < high && high.is_finite(), "{absurd:?}: {low} {high}");
        }
    }

    #[test]
    fn absurd_points_are_dropped_with_a_note() {
        let mut notes = Vec::new();
        let kept = sane_others(&[(0.1, 1e9), (f64::NAN, 1.0), (0.0, 1e9), (1.0, f64::INFINITY)], &mut notes);
        assert_eq!(kept, [(0.1, 1e9)]);
        assert_eq!(notes, ["3 other kernels have no place on the chart"]);
    }
}
