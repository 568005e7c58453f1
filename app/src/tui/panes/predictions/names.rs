//! Names and sizes of the kernels on the page, each cut where it differs from the others.

use super::size_text::sizes_apart;
use crate::kernel::{KernelId, clip_at_difference, clip_middle};
use crate::tui::arrange::rows_in;
use crate::tui::layout::{Pane, page_start};
use crate::tui::state::DashboardState;
use std::collections::HashMap;
use unicode_width::UnicodeWidthStr;

/// The kernel's name behind the mark of the selected row, in so many columns and the blank behind them.
pub(super) fn name_in_row(state: &DashboardState, row: usize, width: usize) -> String {
    let mark = if row == state.selected && !state.workload.on_fold { "▸" } else { " " };
    let (name, room) = (state.kernel_of(row).label(), width.saturating_sub(3));
    if name.width() <= room {
        return format!("{mark} {name}");
    }
    // The mark is part of what is cut.
    let clip = |name: &str| clip_middle(&format!("  {name}"), room + 2).chars().skip(2).collect();
    format!("{mark} {}", clip_at_difference(name, names_on_page(state), room, clip))
}

fn names_on_page(state: &DashboardState) -> impl Iterator<Item = &str> {
    rows_on_page(state).map(|row| state.kernel_of(row).label())
}

/// The sizes on the page in so many columns, by their rows.
pub(super) fn sizes_on_page(state: &DashboardState, width: usize) -> HashMap<usize, String> {
    let mut of_kernel: HashMap<KernelId, Vec<usize>> = HashMap::new();
    for row in rows_on_page(state) {
        of_kernel.entry(state.rows[row].kernel).or_default().push(row);
    }
    let cut = |rows: Vec<usize>| {
        let sizes: Vec<String> = rows.iter().map(|row| state.size_of(*row)).collect();
        rows.into_iter().zip(sizes_apart(&sizes, width)).collect::<Vec<_>>()
    };
    of_kernel.into_values().flat_map(cut).collect()
}

fn rows_on_page(state: &DashboardState) -> impl Iterator<Item = usize> {
    let rows = rows_in(state.areas().pane_area(Pane::Predictions));
    let lines = state.table_lines();
    let start = page_start(state.cursor_line(), rows, lines);
    (start..lines.min(start + rows)).filter_map(|line| state.row_on_line(line))
}
