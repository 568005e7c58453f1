//! The board: GPUs ranked for the selected kernel, one bar with its interval per row, the row under the cursor beside it.

mod row_names;
mod view;

use super::gpus::put_gpu;
use super::what_if::editing::put_launch_value;
use crate::predict::{LaunchNumber, Subject};
use crate::rank::{Board, RankOrder, rank_chart, threads_of_label, variant_of_label};
use crate::tui::action::Action;
use crate::tui::asked_about::ask_about_next;
use crate::tui::asked_workload::AskedAbout;
use crate::tui::layout::{Pane, page_start};
use crate::tui::look::Look;
use crate::tui::message::Effect;
use crate::tui::pane::{CellInside, ChartOffer, Hint, Panel, Reaction, lines_moved};
use crate::tui::ranked::BoardRows;
use crate::tui::selection::next_in_ring;
use crate::tui::state::{DashboardState, Tone};
use crate::tui::undo::remember;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::sync::Arc;
use view::{draw_board, order_under, rows_of_board, why_empty};

/// What the board can be sorted by, in the order of the key.
const ORDERS: [RankOrder; 3] = [RankOrder::Time, RankOrder::PerfPerWatt, RankOrder::PerfPerDollar];

/// The pane.
#[derive(Debug)]
pub struct RankingPane;

impl Panel<DashboardState> for RankingPane {
    fn key_context(&self) -> &'static str {
        Pane::Ranking.pane_place()
    }

    fn handle_action(&mut self, action: Action, state: &mut DashboardState) -> Reaction {
        match action {
            Action::Pick => return Reaction::Done(pick_row(state)),
            Action::SetSource | Action::SetTarget | Action::AddTarget => choose_on_board(state, action),
            Action::Pin => pin_gpu(state),
            Action::NextRows => show_next_rows(state),
            Action::NextWorkload => return Reaction::Done(ask_about_next(state)),
            Action::Left => sort_by_neighbour(state, -1),
            Action::Right => sort_by_neighbour(state, 1),
            other => match lines_moved(other, state.focused_lines()) {
                Some(by) => state.move_on_board(by),
                None => return Reaction::Passed,
            },
        }
        Reaction::Done(Vec::new())
    }

    fn refusal(&self, action: Action, state: &DashboardState) -> Option<String> {
        let is_of_gpus = matches!(action, Action::Pin | Action::EachArchitecture);
        let rows = state.ranked.rows;
        if action == Action::NextRows && state.asked_about() == AskedAbout::Application {
            return Some("the board of an application has no other rows than GPUs".into());
        }
        (is_of_gpus && rows != BoardRows::Gpus).then(|| {
            let key = state.key_for(Action::NextRows);
            format!("these rows are {}: {key} goes on to the GPUs", rows.as_str())
        })
    }

    fn draw_pane(&self, buffer: &mut Buffer, area: Rect, state: &DashboardState, look: Look<'_>) {
        draw_board(buffer, area, state, look);
    }

    fn chart_offer(&self, state: &DashboardState) -> ChartOffer {
        let Some(board) = &state.ranked.board else {
            let why = state.ranked.refused.clone();
            let why = why.unwrap_or("the GPUs are still being ranked; try again in a moment".into());
            return ChartOffer::Refused(why);
        };
        let rows = state.ranked.shown_rows(&state.session).into_iter().cloned().collect();
        let mut chart = rank_chart(&Board { rows, order: state.ranked.order, ..(**board).clone() });
        if state.ranked.is_reversed() {
            chart.notes.push("the order is reversed: the best row is the last".into());
        }
        let what =
            if state.asks_of_kernel() { state.kernel().label().to_string() } else { state.asked_name() };
        let name = format!("board-{what}-{}.svg", state.session.gpus[board.source].id);
        ChartOffer::Chart(name, Box::new(chart))
    }

    fn hints(&self, state: &DashboardState) -> Vec<Hint> {
        let rows = match state.asked_about() {
            AskedAbout::Kernel => "GPUs, variants, blocks",
            AskedAbout::Mix | AskedAbout::Application => "GPUs, kernels",
        };
        let (pick, filter) = match state.ranked.rows {
            BoardRows::Gpus => ("target", "filter: ada, <=300W"),
            BoardRows::Variants => ("use variant", "filter"),
            BoardRows::Blocks => ("use block size", "filter"),
            BoardRows::Kernels => ("target", "filter"),
        };
        let mut hints = vec![
            Hint { actions: &[Action::Pick], text: pick },
            Hint { actions: &[Action::Filter], text: filter },
            Hint { actions: &[Action::SortNext], text: "sort" },
            Hint { actions: &[Action::NextRows], text: rows },
            Hint { actions: &[Action::Pin], text: "pin" },
            Hint { actions: &[Action::Price], text: "price" },
            Hint { actions: &[Action::EachArchitecture], text: "one of each architecture" },
            Hint { actions: &[Action::Export], text: "export" },
        ];
        if state.ranked.mix.is_some() || state.application.application.is_some() {
            hints.insert(3, Hint { actions: &[Action::NextWorkload], text: "kernel, mix, application" });
        }
        hints
    }

    fn click(&mut self, at: CellInside, area: Rect, state: &mut DashboardState) {
        let Some(line) = at.line.checked_sub(1) else {
            if let Some(order) = order_under(state, area, at.column) {
                sort_by(state, order);
            }
            return;
        };
        let rows = state.board_places();
        let start = page_start(state.board_cursor(&rows), rows_of_board(area), rows.len());
        state.ranked.cursor = rows.into_iter().nth(start + line).or(state.ranked.cursor.take());
    }

    fn scroll_lines(&mut self, by: isize, state: &mut DashboardState) {
        state.move_on_board(by);
    }
}

/// The next kind of rows; of a mix the kernels that take longest stand first.
fn show_next_rows(state: &mut DashboardState) {
    let ring: &[BoardRows] = match state.asked_about() {
        AskedAbout::Kernel => &BoardRows::OF_KERNEL,
        AskedAbout::Mix => &BoardRows::OF_MIX,
        AskedAbout::Application => return,
    };
    state.ranked.rows = next_in_ring(ring, state.ranked.rows, 1);
    state.ranked.reversed = state.ranked.rows == BoardRows::Kernels;
    state.ranked.cursor = None;
    // Rows of the kind before would stand under the title of this one.
    (state.ranked.board, state.ranked.refused) = (None, None);
}

/// Enter: the GPU under the cursor becomes the target, the variant or block size under it that of the selected kernel.
fn pick_row(state: &mut DashboardState) -> Vec<Effect> {
    let kind = state.ranked.rows;
    let row = state.row_on_board().filter(|_| matches!(kind, BoardRows::Variants | BoardRows::Blocks));
    let Some(row) = row else {
        choose_on_board(state, Action::SetTarget);
        return Vec::new();
    };
    if row.gpu != state.target() {
        put_gpu(state, row.gpu, Action::SetTarget);
    }
    state.ranked.cursor = Some(row.clone());
    if kind == BoardRows::Variants {
        return use_variant(state, variant_of_label(&row.label));
    }
    if let Some(threads) = threads_of_label(&row.label) {
        put_launch_value(state, LaunchNumber::Block, threads);
    }
    state.say(Tone::Done, format!("{}: {} on the target", state.kernel().label(), row.label))
}

/// Selects the kernel's row of this variant; where the table has none, the selected row becomes it.
fn use_variant(state: &mut DashboardState, variant: &str) -> Vec<Effect> {
    let now = state.rows[state.selected].clone();
    let is_row = |row: &Arc<Subject>| {
        row.kernel == now.kernel && row.problem == now.problem && *row.variant == *variant
    };
    if let Some(row) = state.rows.iter().position(is_row) {
        state.select_row(row);
    } else {
        match state.session.subject(now.kernel, &now.problem, variant) {
            Ok(subject) => state.change_row(subject),
            Err(why) => return state.say(Tone::Refused, why.to_string()),
        }
    }
    state.say(Tone::Done, format!("{}: variant selected", state.kernel().label()))
}

/// Makes the GPU under the cursor the source or a target.
fn choose_on_board(state: &mut DashboardState, action: Action) {
    let Some(row) = state.row_on_board() else {
        let why = why_empty(state).to_string();
        state.say(Tone::Refused, why);
        return;
    };
    if action == Action::SetTarget && row.gpu == state.target() {
        let text = format!("{} is the target already", state.session.gpus[row.gpu].short_name());
        state.say(Tone::Done, text);
        return;
    }
    put_gpu(state, row.gpu, action);
    if let Some(words) = state.source_words().filter(|_| action == Action::SetSource) {
        state.say(Tone::Done, words);
    }
}

/// Pins the GPU under the cursor, which makes it a further target; or takes both back.
fn pin_gpu(state: &mut DashboardState) {
    let Some(row) = state.row_on_board() else {
        let why = why_empty(state).to_string();
        state.say(Tone::Refused, why);
        return;
    };
    let gpu = row.gpu;
    state.ranked.cursor = Some(row);
    let is_pinned = state.ranked.pins.contains(&gpu);
    let is_further = state.selection.targets[1..].contains(&gpu);
    let is_in_pair = [state.selection.source, state.target()].contains(&gpu);
    // One step of undo takes back both.
    if is_further == is_pinned && !is_in_pair {
        put_gpu(state, gpu, Action::AddTarget);
    } else {
        remember(state);
    }
    if !state.ranked.pins.remove(&gpu) {
        state.ranked.pins.insert(gpu);
    }
}

/// Sorts by this; by what it is sorted by already, the other way round.
fn sort_by(state: &mut DashboardState, order: RankOrder) {
    let again = state.ranked.order == order;
    state.ranked.reversed = again && !state.ranked.reversed;
    state.ranked.cursor = None;
    state.ranked.order = order;
}

/// The next order, or the one before; no energy is known of an application.
pub fn sort_by_neighbour(state: &mut DashboardState, by: isize) {
    let board = state.ranked.board.as_ref();
    let has_energy = board.is_none_or(|board| board.rows.iter().any(|row| row.energy.is_some()));
    let orders: Vec<RankOrder> =
        ORDERS.into_iter().filter(|order| has_energy || *order != RankOrder::PerfPerWatt).collect();
    sort_by(state, next_in_ring(&orders, state.ranked.order, by));
}
