//! The live roofline: both roofs, ridge points, the measured and the predicted point, and a read-out under the chart.
//!
//! ```text
//! ┌2 Roofline ─ DRAM, peak ──────────────────────────────┐
//! │ 10T┤              ╭───────────────────────────────   │
//! │    │          ╭───●──┄┄┄┄▶◆                          │
//! │  1T┤      ╭───╯   ridge 22.8   ridge 57.9            │
//! │     0.1        1          10          100     FLOP/B │
//! │ S TITAN V 14.9 TFLOP/s  653 GB/s   T RTX 4070 …      │
//! └──────────────────────────────────────────────────────┘
//! ```

use super::frame::pane_frame;
use crate::chart::{
    ChartSides, ChartSpec, Dash, MOST_TARGETS, Mark, Meaning, RooflineView, Scale, Shape, bandwidth_chart,
    level_intensity, roofline_chart,
};
use crate::gpu::Gpu;
use crate::pair::{Pair, Side};
use crate::roofline::{Level, attainable, bound, compute_roof, pipe_of};
use crate::tui::action::Action;
use crate::tui::canvas;
use crate::tui::layout::Pane;
use crate::tui::look::Look;
use crate::tui::pane::{ChartOffer, Hint, Panel, Reaction, lines_moved};
use crate::tui::state::DashboardState;
use crate::tui::text::{clipped_text, more_targets, wrap_at_most};
use crate::units::{Intensity, Operation};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;
use unicode_width::UnicodeWidthStr;

/// Steps of the read-out, in powers of ten.
const READOUT_STEP: f64 = 0.05;

/// A point this many times as high as the roof lies above it; one that only rounding puts there does not.
const ABOVE_ROOF: f64 = 1.02;

/// The pane.
#[derive(Debug)]
pub struct RooflinePane;

impl Panel<DashboardState> for RooflinePane {
    fn key_context(&self) -> &'static str {
        Pane::Roofline.pane_place()
    }

    fn handle_action(&mut self, action: Action, state: &mut DashboardState) -> Reaction {
        match action {
            Action::Pick => state.zoom = !state.zoom,
            Action::Left => move_readout(state, -READOUT_STEP),
            Action::Right => move_readout(state, READOUT_STEP),
            other => match lines_moved(other, state.focused_lines()) {
                Some(by) => state.move_row(by),
                None => return Reaction::Passed,
            },
        }
        Reaction::Done(Vec::new())
    }

    fn draw_pane(&self, buffer: &mut Buffer, area: Rect, state: &DashboardState, look: Look<'_>) {
        draw_pane(buffer, area, state, look);
    }

    fn chart_offer(&self, state: &DashboardState) -> ChartOffer {
        offer_roofline(state)
    }

    fn hints(&self, _: &DashboardState) -> Vec<Hint> {
        vec![
            Hint { actions: &[Action::Left, Action::Right], text: "read out" },
            Hint { actions: &[Action::Levels], text: "levels" },
            Hint { actions: &[Action::Zoom], text: "zoom" },
            Hint { actions: &[Action::Export], text: "export" },
        ]
    }
}

/// Whether the bandwidth stands in place of a roofline: of a kernel without FLOPs.
pub fn draws_bandwidth(state: &DashboardState) -> bool {
    bandwidth_chart(&roofline_view(state)).is_some()
}

/// The roofline of the selected row, to export.
pub fn offer_roofline(state: &DashboardState) -> ChartOffer {
    let name = state.chart_name(&format!("roofline-{}", state.kernel().label()));
    let view = roofline_view(state);
    let spec = bandwidth_chart(&view).unwrap_or_else(|| roofline_chart(&view));
    ChartOffer::Chart(name, Box::new(spec))
}

fn move_readout(state: &mut DashboardState, by: f64) {
    let start = state.answer().work.intensity().map_or(0.0, |i| i.0.max(1e-3).log10());
    let next = state.readout.unwrap_or(start) + by;
    state.readout = Some(next.clamp(-4.0, 6.0));
}

/// What the roofline of the selected row is drawn of, or the bandwidth of a kernel without FLOPs.
fn roofline_view(state: &DashboardState) -> RooflineView<'_> {
    let answer = state.answer();
    let others = state.shown.iter().filter(|r| **r != state.selected);
    let others = others.filter_map(|r| state.figures_of(*r)?.point);
    RooflineView {
        gpus: state.pair(),
        kernel: state.kernel(),
        problem: state.size_of(state.selected),
        answer,
        further: state.further_targets(),
        show: ChartSides::Both,
        levels: Level::ALL[..state.levels].to_vec(),
        others: others.take(200).map(|(i, p)| (i.0, p.0)).chain(state.former_point).collect(),
    }
}

/// Draws the pane.
fn draw_pane(buffer: &mut Buffer, area: Rect, state: &DashboardState, look: Look<'_>) {
    let used = state.answer().ceilings_used;
    let levels: Vec<&str> = Level::ALL[..state.levels].iter().map(|l| l.as_str()).collect();
    let view = roofline_view(state);
    let bandwidth = bandwidth_chart(&view);
    let shown = if bandwidth.is_some() { "bandwidth".to_string() } else { levels.join(" ") };
    let edited = state.edited_element().map_or_else(String::new, |element| {
        format!(" · ◇ {element}: roofs and points are those of {}", state.kernel().dtype)
    });
    let beside = format!("{shown}, {}{edited}", used.as_str());
    let inside = pane_frame(buffer, area, state, Pane::Roofline, &beside, look);
    let mut spec = bandwidth.unwrap_or_else(|| roofline_chart(&view));
    let mut under = Vec::new();
    let has_place = state.answer().work.intensity().is_some_and(|i| i.0 > 0.0);
    if state.readout.is_some() && has_place {
        spec.marks.extend(cursor_line(state, &spec));
        under.push(readout(state, usize::from(inside.width), look));
    }
    if !has_place {
        let note = spec.notes.first().map(|n| wrap_at_most(n, usize::from(inside.width), 3));
        under.extend(note.unwrap_or_default().into_iter().map(|t| Line::styled(t, look.caution())));
    }
    let above = above_roof(state).map(|text| wrap_at_most(&text, usize::from(inside.width), 2));
    under.extend(above.unwrap_or_default().into_iter().map(|text| Line::styled(text, look.caution())));
    under.extend(intensities(state, look).filter(|_| inside.height >= 10));
    let width = usize::from(inside.width);
    if inside.height >= 10 {
        let gpus = gpus_of_points(state);
        let of_side = |side| legend(state, gpus[side], Meaning::side_colour(side), width, look);
        under.extend(Side::ALL.map(of_side));
    }
    // A legend line per further target leaves the chart at least as many lines.
    let further = view.further.iter().take(MOST_TARGETS - 1);
    if usize::from(inside.height) >= 14 + 2 * further.len() {
        under.extend(
            further
                .enumerate()
                .map(|(place, target)| legend(state, target.gpu, Meaning::Further(place), width, look)),
        );
    }
    let left_out = (view.further.len() + 1).saturating_sub(MOST_TARGETS);
    if left_out > 0 && inside.height >= 14 {
        let key = state.key_for(Action::ViewBoard);
        under.push(Line::styled(format!("{}: press {key}", more_targets(left_out)), look.dim()));
    }
    let is_other = |mark: &Mark| matches!(mark, Mark::Point { shape: Shape::Other, .. });
    if inside.height >= 14 && spec.marks.iter().any(is_other) {
        let name = state.pair().source.short_name();
        under.push(Line::styled(format!("· other kernels, measured on {name}"), look.dim()));
    }
    if state.zoomed().is_some() {
        let notes = spec.notes.iter().skip(1).flat_map(|note| wrap_at_most(note, width, 3));
        under.extend(notes.map(|text| Line::styled(text, look.dim())));
    }
    let room = usize::from(inside.height.saturating_sub(5));
    under.truncate(room);
    let chart = Rect { height: inside.height - under.len() as u16, ..inside };
    canvas::draw_chart(buffer, chart, &spec, look);
    for (i, line) in under.into_iter().enumerate() {
        line.render(Rect { y: chart.bottom() + i as u16, height: 1, ..inside }, buffer);
    }
}

/// The read-out's place as a line through the chart.
fn cursor_line(state: &DashboardState, spec: &ChartSpec) -> Option<Mark> {
    let x = 10f64.powf(state.readout?);
    let Scale::Log { min, max } = spec.y.scale else { return None };
    let points = vec![(x, min), (x, max)];
    Some(Mark::Line { name: String::new(), meaning: Meaning::Limiter, dash: Dash::Solid, points })
}

/// Why a measured or predicted point lies above its DRAM roof; nothing where none does.
fn above_roof(state: &DashboardState) -> Option<String> {
    let answer = state.answer();
    let (flops, intensity, bytes) = (answer.work.flops()?, answer.work.intensity()?, answer.work.dram()?);
    let times = Pair::new(answer.source_time.as_ref().map(|t| t.time), answer.predicted_time());
    let on_target = answer.kernel_on_target(state.kernel());
    let kernels = Pair::new(state.kernel(), &*on_target);
    let above = |side: Side| {
        let gpu = state.pair()[side];
        let compute = compute_roof(gpu, kernels[side], answer.width(), answer.ceilings_used);
        let roof = attainable(compute.value, gpu.bandwidth(answer.ceilings_used).value, intensity);
        let is_above = times[side].is_some_and(|time| (flops / time).0 > ABOVE_ROOF * roof.0);
        let why = if bytes.0 <= gpu.l2_size.value.0 {
            format!("its {} fit L2 ({})", bytes.as_capacity(), gpu.l2_size.value.as_capacity())
        } else {
            "part of its bytes come from caches".to_string()
        };
        is_above.then(|| format!("above the DRAM roof on {}: {why}", gpu.short_name()))
    };
    let texts: Vec<String> = Side::ALL.into_iter().filter_map(above).collect();
    (!texts.is_empty()).then(|| texts.join("; "))
}

/// What the rates and intensities of the selected kernel are counted in.
fn operation(state: &DashboardState) -> Operation {
    pipe_of(state.kernel()).pipe.operation()
}

/// The intensity of a kernel known from measurements at every level whose bytes were counted; nothing where that is DRAM
/// alone. Kernels with formulas show theirs as points when the level is drawn.
fn intensities(state: &DashboardState, look: Look<'_>) -> Option<Line<'static>> {
    if state.kernel().has_formulas() {
        return None;
    }
    let answer = state.answer();
    let known: Vec<String> = Level::ALL
        .into_iter()
        .filter_map(|level| {
            let intensity = level_intensity(answer, Side::Source, level)?;
            Some(format!("{} {}", level.as_str(), operation(state).intensity_text(intensity)))
        })
        .collect();
    (known.len() > 1).then(|| Line::styled(format!("intensity: {}", known.join(", ")), look.dim()))
}

/// The two GPUs at the clocks of their points: of a source that was timed at others than the stated ones, at those.
fn gpus_of_points(state: &DashboardState) -> Pair<&Gpu> {
    let Pair { source, target } = state.pair();
    Pair { source: state.answer().source_as_timed(source), target }
}

/// One GPU's ceilings with their origin.
fn legend(
    state: &DashboardState,
    gpu: &Gpu,
    meaning: Meaning,
    width: usize,
    look: Look<'_>,
) -> Line<'static> {
    let used = state.answer().ceilings_used;
    let compute = compute_roof(gpu, state.kernel(), state.answer().width(), used);
    let bandwidth = gpu.bandwidth(used);
    let ridge = compute.value / bandwidth.value;
    let mark = match meaning {
        Meaning::Source => "S",
        Meaning::Target => "T",
        _ => "+",
    };
    let at_row = state.answer().profiled.as_ref().filter(|_| meaning == Meaning::Source);
    let clock = at_row.map_or_else(String::new, |_| format!(" at SM {}", gpu.clocks().sm));
    let name = format!("{mark} {}{clock}", gpu.short_name());
    let [compute, bandwidth] = [
        (operation(state).rate_text(compute.value), compute.origin.as_str()),
        (bandwidth.value.to_string(), bandwidth.origin.as_str()),
    ];
    let rates = format!("{name}  {} ({})  {} ({})", compute.0, compute.1, bandwidth.0, bandwidth.1);
    // The ridge stands in the chart as well.
    let forms = [
        format!("{rates}  ridge {}", operation(state).intensity_text(ridge)),
        rates,
        format!("{name}  {}  {}", compute.0, bandwidth.0),
    ];
    let fits = forms.iter().find(|text| text.width() <= width);
    let text = fits.cloned().unwrap_or_else(|| clipped_text(&forms[2], width));
    Line::from(vec![Span::styled(text, look.mark(meaning))])
}

/// What can be attained at the read-out's intensity, and what binds there.
fn readout(state: &DashboardState, width: usize, look: Look<'_>) -> Line<'static> {
    let intensity = Intensity(10f64.powf(state.readout.unwrap_or(0.0)));
    let used = state.answer().ceilings_used;
    let on = gpus_of_points(state).map(|gpu| {
        let compute = compute_roof(gpu, state.kernel(), state.answer().width(), used);
        let (c, b) = (compute.value, gpu.bandwidth(used).value);
        (operation(state).rate_text(attainable(c, b, intensity)), bound(c, b, intensity).as_str())
    });
    let Pair { source, target } = &on;
    let with_bounds = [&source, &target].map(|(rate, bound)| format!("{rate} {bound}  "));
    let alone = [&source, &target].map(|(rate, _)| format!("{rate}  "));
    let at = format!("at {}: ", operation(state).intensity_text(intensity));
    // What binds gives way to the two rates, then the intensity.
    let forms = [(at.clone(), with_bounds), (at, alone.clone()), (String::new(), alone)];
    let fits = |(at, rates): &&(String, [String; 2])| {
        at.width() + rates[0].width() + rates[1].trim_end().width() <= width
    };
    let (at, [source, target]) = forms.iter().find(fits).unwrap_or(&forms[2]).clone();
    let room = width.saturating_sub(at.width() + source.width());
    Line::from(vec![
        Span::styled(at, look.title()),
        Span::styled(source, look.side(Side::Source)),
        Span::styled(clipped_text(target.trim_end(), room), look.side(Side::Target)),
    ])
}
