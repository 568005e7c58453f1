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
use crate::tui::action::Action;
use crate::tui::canvas;
use crate::tui::look::Look;
use crate::tui::panes::frame::{draw_lines, sheet};
use crate::tui::scroll::ScrollTop;
use crate::tui::state::DashboardState;
use crate::tui::text::{clipped_text, paragraph};
use crate::units::{range, range_in, significant};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

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
    let foot = format!(
        "{scrolled} {} {} double, halve, left/right side, {} export, Esc closes ",
        key(Action::SizeUp),
        key(Action::SizeDown),
        key(Action::Export)
    );
    let title = format!("GEMM on {}", state.session.name_with_settings(state.target()));
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
    let mut lines = vec![sizes(state, look), Line::default(), Line::styled(head(wide), look.dim())];
    for (place, answer) in answers.iter().enumerate() {
        lines.extend(tile(place, answer, picked, wide, width, look));
    }
    lines.push(Line::default());
    lines.extend(picked.advice_lines(answers).iter().flat_map(|t| paragraph(t, width, look.text())));
    lines.extend(caution_texts(answers).iter().flat_map(|t| paragraph(t, width, look.caution())));
    let legend = "▸ fastest, E least energy; 90 % intervals; all modelled: power by a fit on three other boards; energy = power x time";
    lines.extend(paragraph(legend, width, look.dim()));
    lines
}

/// `m 4096  n 4096  k 4096`, those that step in the colour of keys.
fn sizes(state: &DashboardState, look: Look<'_>) -> Line<'static> {
    let pane = &state.gemm;
    let side = |(i, name): (usize, &str)| {
        let style = if pane.stepped.steps(i) { look.key() } else { look.text() };
        Span::styled(format!("{name} {:<8}", pane.gemm.size[i]), style)
    };
    let mut spans: Vec<Span<'static>> = ["m", "n", "k"].into_iter().enumerate().map(side).collect();
    let which =
        if (0..3).all(|i| pane.stepped.steps(i)) { "stepping m, n and k together" } else { "stepping one" };
    spans.push(Span::styled(which, look.dim()));
    Line::from(spans)
}

fn head(wide: bool) -> String {
    row_text(
        ["", "tile", "occ.", "time", "90 %", "power", "90 %", "energy", "90 %", "TFLOP/s"].map(String::from),
        wide,
    )
}

fn row_text(cells: [String; 10], wide: bool) -> String {
    let [mark, tile, occupancy, time, interval, power, watts, energy, joules, rate] = cells;
    let joules = if wide { format!("{joules:>18}") } else { String::new() };
    format!(
        "{mark:<3}{tile:<8}{occupancy:>6}{time:>9}{interval:>15}{power:>7}{watts:>11}{energy:>9}{joules}{rate:>8}"
    )
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
