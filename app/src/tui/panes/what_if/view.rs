//! The view drawn: the time, then the list with what stands beside it; where there is no room for both, one of them.

use super::findings::WhatIfForm;
use super::launch_view::launch_lines;
use super::list_view::{draw_list, head_lines};
use super::side_by_side::side_by_side_lines;
use super::tornado_view::tornado_lines;
use crate::answer::LaunchOnGpu;
use crate::chart::{ChartSpec, Mark, Meaning};
use crate::report::shown::modelled_time;
use crate::text::harmless_line;
use crate::tui::action::Action;
use crate::tui::canvas;
use crate::tui::jobs::WorkerJob;
use crate::tui::layout::Pane;
use crate::tui::look::Look;
use crate::tui::panes::frame::{draw_lines, pane_frame};
use crate::tui::state::DashboardState;
use crate::tui::text::{clipped_middle, clipped_text, first_lines, paragraph, wrap, wrap_at_most};
use crate::units::Seconds;
use crate::whatif::{Solution, WhatIfAnswer, contour_chart, scenario_table, speed_words};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;
use unicode_width::UnicodeWidthStr;

/// From this width on something stands beside the list.
const ROOM_BESIDE: u16 = 74;
/// From this width on the list says where its numbers come from.
const ROOM_FOR_SOURCES: u16 = 118;
/// Columns of the list beside something.
const LIST: u16 = 45;
/// The same with the words for where numbers come from.
const WIDE_LIST: u16 = 58;
/// Scenarios have the whole width below this one.
const ROOM_FOR_SCENARIOS: u16 = 118;

/// Whether the list has something beside it.
fn has_room_beside(state: &DashboardState) -> bool {
    state.areas().pane_area(Pane::WhatIf).width >= ROOM_BESIDE
}

/// What can stand there.
pub(super) fn forms_offered(state: &DashboardState) -> &'static [WhatIfForm] {
    const ALL: &[WhatIfForm] =
        &[WhatIfForm::List, WhatIfForm::Tornado, WhatIfForm::Contour, WhatIfForm::Scenarios];
    if has_room_beside(state) { &ALL[1..] } else { ALL }
}

/// What stands there.
pub(super) fn shown_form(state: &DashboardState) -> WhatIfForm {
    match state.what_if.form {
        WhatIfForm::List if has_room_beside(state) => WhatIfForm::Tornado,
        form => form,
    }
}

/// Whether what stands beside the list elsewhere stands in its place.
pub(super) fn hides_list(state: &DashboardState) -> bool {
    let form = shown_form(state);
    let width = state.areas().pane_area(Pane::WhatIf).width;
    let is_whole = form == WhatIfForm::Scenarios && width < ROOM_FOR_SCENARIOS;
    is_whole || form != WhatIfForm::List && !has_room_beside(state)
}

/// Draws the pane.
pub(super) fn draw_what_if(buffer: &mut Buffer, area: Rect, state: &DashboardState, look: Look<'_>) {
    let inside = pane_frame(
        buffer,
        area,
        state,
        Pane::WhatIf,
        &beside(state, usize::from(area.width.saturating_sub(15))),
        look,
    );
    let form = shown_form(state);
    // Scenarios side by side have a row of what they draw.
    let most = if form == WhatIfForm::Scenarios && hides_list(state) { 2 } else { 3 };
    let head = head_lines(state, area).min(most).min(usize::from(inside.height)) as u16;
    let text = Rect { x: inside.x + 1, width: inside.width.saturating_sub(2), ..inside };
    draw_lines(buffer, Rect { height: head, ..text }, heading(state, usize::from(text.width), look), 0);
    let body = Rect { y: inside.y + head, height: inside.height - head, ..inside };
    if hides_list(state) {
        return draw_form(buffer, Rect { x: text.x, width: text.width, ..body }, state, form, look);
    }
    if form == WhatIfForm::List {
        return draw_list(buffer, body, state, look);
    }
    let list = if area.width >= ROOM_FOR_SOURCES { WIDE_LIST } else { LIST };
    draw_list(buffer, Rect { width: list, ..body }, state, look);
    let x = body.x + list + 2;
    let right = Rect { x, width: (inside.right() - 1).saturating_sub(x), ..body };
    draw_form(buffer, right, state, form, look);
}

/// A name in the title is not cut shorter than this.
const LEAST_NAME: usize = 12;

/// The kernel or the part of the application, and the GPU; the first line names the application, too.
fn beside(state: &DashboardState, width: usize) -> String {
    let on = format!(" on {}", state.session.name_with_settings(state.target()));
    let (name, part) = (state.asked_name(), state.asked_part());
    if part.is_empty() {
        return name + &on;
    }
    match width.saturating_sub(part.width() + 2 + on.width()) {
        room if room >= LEAST_NAME.min(name.width()) => {
            format!("{part}, {}{on}", clipped_middle(&name, room))
        }
        _ => part + &on,
    }
}

/// What is said where nothing is found yet.
fn pending_line(state: &DashboardState, look: Look<'_>) -> Line<'static> {
    if state.jobs.is_running(WorkerJob::WhatIf) {
        Line::styled("predicting …", look.dim())
    } else {
        Line::styled("cancelled: the next edit predicts it again", look.caution())
    }
}

/// The time beside that of the base, below it what would help or what was solved for, and what a run draws.
fn heading(state: &DashboardState, width: usize, look: Look<'_>) -> Vec<Line<'static>> {
    let found = match &state.what_if.found {
        None => return vec![pending_line(state, look)],
        Some(found) => &found.answer,
    };
    let answer = match found {
        Err(why) => return paragraph(why, width, look.refusal()),
        Ok(answer) => answer,
    };
    if answer.time.is_none() {
        return paragraph(&answer.without_time(), width, look.refusal());
    }
    let time = Line::styled(in_one_line(time_beside_base(state, answer), width), look.predicted());
    let advice = answer.advice().or_else(|| answer.nothing_matters());
    let below = match (&state.what_if.solution, advice) {
        (Some(solution), _) => {
            let is_value = matches!(solution, Solution::Value { .. });
            let style = if is_value { look.measured() } else { look.caution() };
            Line::styled(in_one_line(solution.in_words(), width), style)
        }
        (None, Some(advice)) => Line::styled(in_one_line(advice, width), look.text()),
        (None, None) => Line::default(),
    };
    let power = answer.power_in_words().map(|text| Line::styled(in_one_line(text, width), look.estimated()));
    vec![time, below, power.unwrap_or_default()]
}

/// A text in so many columns, without what stands behind its last mark, or whole words of it: no number is cut from its unit.
fn in_one_line(text: String, width: usize) -> String {
    let shorter = [", ", " than ", "; "].into_iter().filter_map(|end| Some(text.rsplit_once(end)?.0));
    let fits = std::iter::once(&*text).chain(shorter).find(|form| form.width() <= width);
    fits.map_or_else(|| wrap_at_most(&text, width, 1).concat(), str::to_string)
}

/// `5.60 ms ◆ (3.90–8.10 ms): 1.20× faster than RTX 4070, 6.72 ms ◆`.
fn time_beside_base(state: &DashboardState, answer: &WhatIfAnswer) -> String {
    let Some(time) = answer.marked_time() else {
        return answer.without_time();
    };
    let interval = answer.interval_text().map_or_else(String::new, |text| format!(" ({text})"));
    if answer.changes.is_empty() {
        let found = state.what_if.found.as_ref();
        let launches = found.and_then(|found| found.launches.as_deref());
        let beside = beside_own_launch(launches, answer.kind.rests_on_measurement())
            .or_else(|| beside_stock(state, answer, found?.stock_time?));
        return format!("{time}{interval}{}", beside.unwrap_or("; change a number and watch".into()));
    }
    let beside = answer.beside_base().map_or_else(String::new, |text| format!(": {text}"));
    format!("{time}{interval}{beside}")
}

/// `: 1.20× faster than with its own launch, 6.72 ms ◆`, where another launch was typed.
fn beside_own_launch(launches: Option<&[LaunchOnGpu]>, rests_on_measurement: bool) -> Option<String> {
    let [own, changed] = launches? else { return None };
    let (own, changed) = (own.time?, changed.time?);
    let base = modelled_time(own, rests_on_measurement);
    Some(format!(": {} with its own launch, {base}", speed_words(changed, own)))
}

/// `: 1.12× slower than RTX 4070, 172 µs ◆`, where other clocks or another limit were typed for it.
fn beside_stock(state: &DashboardState, answer: &WhatIfAnswer, stock: Seconds) -> Option<String> {
    let name = state.session.gpus[state.edited_gpu().base].short_name();
    let time = modelled_time(stock, answer.kind.rests_on_measurement());
    Some(format!(": {} {name}, {time}", speed_words(answer.time?, stock)))
}

fn draw_form(buffer: &mut Buffer, area: Rect, state: &DashboardState, form: WhatIfForm, look: Look<'_>) {
    match form {
        WhatIfForm::List | WhatIfForm::Tornado => draw_tornado(buffer, area, state, look),
        WhatIfForm::Contour => draw_contour(buffer, area, state, look),
        WhatIfForm::Scenarios => draw_scenarios(buffer, area, state, look),
    }
}

/// The tornado, and below it the launch; what must be known of the time of several kernels.
fn draw_tornado(buffer: &mut Buffer, area: Rect, state: &DashboardState, look: Look<'_>) {
    let (width, height) = (usize::from(area.width), usize::from(area.height));
    let below = match (state.asks_of_kernel(), state.what_if.answer()) {
        (true, _) => launch_lines(state, width, look),
        // The heading, the bars, what changes nothing and an empty line stand before them.
        (false, Some(answer)) => {
            let bars = answer.tornado.iter().filter(|bar| bar.matters()).count();
            caution_lines(answer, width, height.saturating_sub(bars.max(3) + 3), look)
        }
        (false, None) => Vec::new(),
    };
    // What stands below has the room that it needs where five lines are left for the tornado.
    let room = height.saturating_sub(below.len() + 1).max(height.min(5));
    let mut lines = match state.what_if.answer() {
        Some(answer) => tornado_lines(answer, width, room, look),
        None => Vec::new(),
    };
    lines.push(Line::default());
    lines.extend(below);
    draw_lines(buffer, area, lines, 0);
}

/// What must be known of the time, in at most so many lines.
fn caution_lines(answer: &WhatIfAnswer, width: usize, most: usize, look: Look<'_>) -> Vec<Line<'static>> {
    let lines = |text: &String| wrap(&harmless_line(&format!("! {text}")), width);
    let lines = first_lines(answer.cautions.iter().flat_map(lines).collect(), most, width);
    lines.into_iter().map(|line| Line::styled(line, look.caution())).collect()
}

fn draw_contour(buffer: &mut Buffer, area: Rect, state: &DashboardState, look: Look<'_>) {
    let width = usize::from(area.width);
    let found = state.what_if.contour.as_ref().filter(|_| state.what_if.marked.len() == 2);
    let chart = match found {
        Some(Ok(answer)) => answer.contour.as_ref().map(|contour| contour_chart(answer, contour)),
        Some(Err(why)) => return draw_lines(buffer, area, paragraph(why, width, look.refusal()), 0),
        None => None,
    };
    let Some(spec) = chart else {
        if state.what_if.marked.len() == 2 {
            return draw_lines(buffer, area, vec![pending_line(state, look)], 0);
        }
        let key = state.key_for(Action::MarkNumber);
        let text = format!(
            "The time over two numbers: mark two of the list with {key}. The first is across, the second has a curve per value."
        );
        return draw_lines(buffer, area, paragraph(&text, width, look.dim()), 0);
    };
    let mut notes = paragraph(&curve_names(&spec), width, look.dim());
    notes.extend(spec.notes.iter().flat_map(|note| paragraph(note, width, look.measured())));
    let below = (notes.len() as u16).min(area.height / 3);
    let title = format!("{}: {}", spec.y.label, spec.subtitle);
    let above = Line::styled(clipped_text(&title, width), look.dim());
    draw_lines(buffer, Rect { height: 1.min(area.height), ..area }, vec![above], 0);
    let height = area.height.saturating_sub(below + 1);
    canvas::draw_chart(buffer, Rect { y: area.y + 1, height, ..area }, &spec, look);
    let lower = Rect { y: area.bottom() - below, height: below, ..area };
    draw_lines(buffer, lower, notes, 0);
}

/// Which values the curves are of, and the line of the goal.
fn curve_names(spec: &ChartSpec) -> String {
    let named = |mark: &Mark| match mark {
        Mark::Line { name, meaning, .. } => Some((name.clone(), *meaning)),
        _ => None,
    };
    let (curves, goal): (Vec<_>, Vec<_>) =
        spec.marks.iter().filter_map(named).partition(|(_, meaning)| *meaning == Meaning::Target);
    let ends: Vec<String> =
        [curves.first(), curves.last()].into_iter().flatten().map(|c| c.0.clone()).collect();
    let goal = goal.first().map_or_else(String::new, |(name, _)| format!("; level line: {name}"));
    format!("curves: {}{goal}", ends.join(" … "))
}

fn draw_scenarios(buffer: &mut Buffer, area: Rect, state: &DashboardState, look: Look<'_>) {
    let width = usize::from(area.width);
    let [keep, next, drop] = [Action::KeepScenario, Action::NextScenario, Action::DropScenario]
        .map(|action| state.key_for(action).to_string());
    let keys = format!("{keep} keeps the changes as a scenario, {next} shows the next one, {drop} drops one");
    let mut lines = match &state.what_if.page {
        Some(Ok(page)) => side_by_side_lines(&scenario_table(page), width, look),
        Some(Err(why)) => paragraph(why, width, look.refusal()),
        None => vec![pending_line(state, look)],
    };
    lines.push(Line::default());
    lines.extend(paragraph(&keys, width, look.dim()));
    draw_lines(buffer, area, lines, 0);
}
