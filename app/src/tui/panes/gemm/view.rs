//! A matrix product on the target: time, power, energy and rate of every tile, and which to take.
//!
//! ```text
//! m 4096  n 4096  k 4096   stepping m, n and k together; left/right choose
//!    tile      occ.       time           90 %   power      90 %    energy  TFLOPS
//! ▸E 128x128   83 %    9.92 ms ~    4.68–21.0 ms   170 W  104–200 W    1.69 J   13.9
//! fastest: 128x128, bound by compute; 32x32 next, 9.03x of it
//! ```

use super::tiles::{tile_answers, tiles_chart};
use crate::gemm::table::watts;
use crate::gemm::tiles::{BestTiles, TileAnswer, best};
use crate::gemm::{ARITHMETIC, OTHER_TYPES};
use crate::kernel::dtype_or_fp32;
use crate::tui::action::Action;
use crate::tui::canvas;
use crate::tui::look::Look;
use crate::tui::panes::frame::{draw_lines, sheet};
use crate::tui::scroll::ScrollTop;
use crate::tui::state::DashboardState;
use crate::tui::text::{clipped_text, paragraph, with_whole_columns};
use crate::units::{range, range_in, significant};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

/// From this width on the energy has its interval beside it.
const ROOM_FOR_ENERGY: usize = 96;
/// A chart lower than this says nothing.
const LEAST_CHART: u16 = 10;

/// Draws the pane.
pub(super) fn draw_gemm(
    buffer: &mut Buffer,
    body: Rect,
    state: &DashboardState,
    scroll: ScrollTop,
    look: Look<'_>,
) {
    let answers = tile_answers(state);
    let width = usize::from(body.width.saturating_sub(4)).min(116);
    let lines = gemm_lines(state, &answers, width, look);
    let page = usize::from(body.height.saturating_sub(2));
    let top = scroll.first_line(lines.len(), page);
    let scrolled = scroll.range_shown(lines.len(), page);
    let scrolled = scrolled.map_or_else(String::new, |range| format!(" pgup/pgdn {range},"));
    let key = |action: Action| state.key_for(action);
    let sizes = format!("{} {} double, halve", key(Action::SizeUp), key(Action::SizeDown));
    let export = format!("{} export", key(Action::Export));
    let mut keys = vec![sizes, "left/right side".into(), export];
    let foot = |keys: &[String]| {
        format!("{scrolled} {}Esc closes ", keys.iter().map(|key| format!("{key}, ")).collect::<String>())
    };
    // Those that have no room are offered in the last line of the screen.
    while !keys.is_empty() && foot(&keys).width() + 2 > usize::from(body.width) {
        keys.pop();
    }
    let foot = foot(&keys);
    let title = format!("GEMM on {}: {ARITHMETIC}", state.session.name_with_settings(state.target()));
    let inside = sheet(buffer, body, &title, &foot, look);
    let shown = lines.len().min(page) as u16;
    draw_lines(buffer, Rect { x: inside.x + 1, width: inside.width.saturating_sub(1), ..inside }, lines, top);
    let free = inside.height.saturating_sub(shown + 2);
    if free >= LEAST_CHART {
        let area = Rect { y: inside.y + shown + 1, height: free + 1, ..inside };
        let spec = tiles_chart(state, &answers);
        buffer.set_stringn(area.x + 1, area.y, "energy, J (up) vs time, ms (right)", width, look.dim());
        canvas::draw_chart(buffer, Rect { y: area.y + 1, height: area.height - 1, ..area }, &spec, look);
    }
}

fn gemm_lines(
    state: &DashboardState,
    answers: &[TileAnswer],
    width: usize,
    look: Look<'_>,
) -> Vec<Line<'static>> {
    let picked = best(answers);
    let wide = width >= ROOM_FOR_ENERGY;
    let mut lines = vec![sizes(state, width, look), Line::default()];
    lines.extend(other_type(state).iter().flat_map(|t| paragraph(t, width, look.caution())));
    lines.push(Line::styled(head(wide, width), look.dim()));
    for (place, answer) in answers.iter().enumerate() {
        lines.extend(tile(place, answer, picked, wide, width, look));
    }
    lines.push(Line::default());
    lines.extend(picked.advice_lines(answers).iter().flat_map(|t| paragraph(t, width, look.text())));
    lines.extend(caution_texts(answers).iter().flat_map(|t| paragraph(t, width, look.caution())));
    let legend = "▸ fastest, E least energy; 90 % intervals; all modelled: power by a fit on three other boards; energy = power x time";
    lines.extend(paragraph(legend, width, look.dim()));
    let others = OTHER_TYPES.map(|(_, kernel)| kernel).join(", ");
    lines.extend(paragraph(&format!("other types are kernels: {others}"), width, look.dim()));
    lines
}

/// That the selected kernel computes with another type than these tiles.
fn other_type(state: &DashboardState) -> Option<String> {
    let kernel = state.kernel();
    let dtype = dtype_or_fp32(&kernel.dtype);
    (!dtype.eq_ignore_ascii_case("fp32"))
        .then(|| format!("{} is {dtype}: view 1 has its time; these tiles are {ARITHMETIC}", kernel.label()))
}

/// What the keys of sizes step.
const ALL_SIDES: &str = "stepping m, n and k together";

/// `m 4096  n 4096  k 4096`, those that step in the colour of keys.
fn sizes(state: &DashboardState, width: usize, look: Look<'_>) -> Line<'static> {
    let pane = &state.gemm;
    let side = |(i, name): (usize, &str)| {
        let style = if pane.stepped.steps(i) { look.key() } else { look.text() };
        Span::styled(format!("{name} {:<8}", pane.gemm.size[i]), style)
    };
    let mut spans: Vec<Span<'static>> = ["m", "n", "k"].into_iter().enumerate().map(side).collect();
    let room = width.saturating_sub(spans.iter().map(Span::width).sum());
    let which = match (0..3).all(|i| pane.stepped.steps(i)) {
        true if room >= ALL_SIDES.len() => ALL_SIDES,
        true => "stepping all",
        false => "stepping one",
    };
    let which = if room < which.len() { "" } else { which };
    spans.push(Span::styled(which, look.dim()));
    Line::from(spans)
}

fn head(wide: bool, width: usize) -> String {
    let cells = ["", "tile", "occ.", "time", "90 %", "power", "90 %", "energy", "90 %", "TFLOP/s"];
    row_text(cells.map(String::from), wide, width)
}

/// The tile and as many whole columns as have room.
fn row_text([mark, tile, numbers @ ..]: [String; 10], wide: bool, width: usize) -> String {
    let widths = [6, 9, 15, 7, 11, 9, if wide { 18 } else { 0 }, 8];
    let (cells, widths): (Vec<String>, Vec<usize>) =
        numbers.into_iter().zip(widths).filter(|(_, width)| *width > 0).unzip();
    with_whole_columns(format!("{mark:<3}{tile:<8}"), &cells, &widths, width)
}

/// One tile's numbers, or why it has none.
fn tile(
    place: usize,
    a: &TileAnswer,
    picked: BestTiles,
    wide: bool,
    width: usize,
    look: Look<'_>,
) -> Vec<Line<'static>> {
    let is = |at: Option<usize>, mark: &str| if at == Some(place) { mark.to_string() } else { String::new() };
    let mark = is(picked.fastest, "▸") + &is(picked.least_energy, "E");
    let style = if mark.is_empty() { look.text() } else { look.predicted() };
    let time = match &a.time {
        Ok(time) => time,
        Err(why) => {
            let text = format!("   {:<8} {why}", a.tile);
            return vec![Line::styled(clipped_text(&text, width), look.refusal())];
        }
    };
    let dash = || "-".to_string();
    let bound = if a.is_occupancy_bound { "≤" } else { "" };
    let text = row_text(
        [
            mark,
            a.tile.to_string(),
            a.occupancy.map_or_else(dash, |o| format!("{bound}{:.0} %", 100.0 * o.fraction())),
            time.value.to_string(),
            range(time.low, time.high),
            a.power.map_or_else(dash, |p| format!("{:.0} W", p.value.0)),
            a.power.map_or_else(dash, |p| watts(&p)),
            a.energy().map_or_else(dash, |e| e.value.to_string()),
            a.energy().map_or_else(dash, |e| range_in(e.low.0, e.high.0, "J")),
            a.rate().map_or_else(dash, |r| significant(r.value.0 / 1e12)),
        ],
        wide,
        width,
    );
    vec![Line::styled(text, style)]
}

/// Every caution once, with the tiles it is about.
fn caution_texts(answers: &[TileAnswer]) -> Vec<String> {
    let mut all: Vec<(&str, Vec<String>)> = Vec::new();
    for answer in answers {
        for caution in &answer.cautions {
            match all.iter_mut().find(|(text, _)| text == caution) {
                Some((_, tiles)) => tiles.push(answer.tile.to_string()),
                None => all.push((caution, vec![answer.tile.to_string()])),
            }
        }
    }
    all.into_iter().map(|(text, tiles)| format!("{}: {text}", tiles.join(", "))).collect()
}
