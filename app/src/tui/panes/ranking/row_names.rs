//! Names of the board's rows: of variants what tells them apart, the rest is in the title.
//!
//! `MWG=128;NWG=64;SA=0` beside `MWG=64;NWG=64;SA=0` is `MWG=128`; where many keys differ and names are long, the keys stand in the
//! heading, as `MWG;NWG` over `128;64`.

use crate::gpu::GpuId;
use crate::kernel::clip_apart;
use crate::rank::{RankedRow, marked_name};
use crate::tui::ranked::BoardRows;
use crate::tui::state::DashboardState;
use crate::tui::text::clipped_apart;
use unicode_width::UnicodeWidthStr;

/// The rows' names.
pub(super) struct RowNames {
    /// The one GPU of variants or blocks, which the title names.
    only: Option<GpuId>,
    /// Places of the `key=value` parts in which labels differ; none where they are not made of the same keys.
    differing: Vec<usize>,
    /// The keys of these, where the names are their values alone.
    keys: Option<String>,
}

impl RowNames {
    /// Those of these rows, in about so many columns.
    pub(super) fn of_rows(state: &DashboardState, rows: &[&RankedRow], most: usize) -> Self {
        let only = only_gpu(state, rows);
        let is_of_variants = only.is_some() && state.ranked.rows == BoardRows::Variants;
        let differing = if is_of_variants { differing_parts(rows) } else { Vec::new() };
        let names = Self { only, differing, keys: None };
        let is_long = rows.iter().any(|row| names.row_name(row).width() > most);
        let first = rows.first().filter(|_| is_long && !names.differing.is_empty());
        let keys = first.map(|row| names.parts_of(row).map(|(key, _)| key).collect::<Vec<_>>().join(";"));
        Self { keys, ..names }
    }

    /// Over the names.
    pub(super) fn heading(&self) -> &str {
        let usual = if self.only.is_some() { "" } else { "GPU" };
        self.keys.as_deref().unwrap_or(usual)
    }

    /// The GPU, with the variant or block; that alone where all rows are on one GPU.
    pub(super) fn row_name(&self, row: &RankedRow) -> String {
        if self.only.is_none() {
            return marked_name(row);
        }
        if self.differing.is_empty() {
            return row.label.clone();
        }
        let shown = |(key, value): (&str, &str)| match self.keys {
            Some(_) => value.to_string(),
            None => format!("{key}={value}"),
        };
        self.parts_of(row).map(shown).collect::<Vec<_>>().join(";")
    }

    fn parts_of<'a>(&'a self, row: &'a RankedRow) -> impl Iterator<Item = (&'a str, &'a str)> {
        let parts = parts(&row.label).unwrap_or_default();
        self.differing.iter().filter_map(move |place| parts.get(*place).copied())
    }
}

/// Names in so many columns, apart from each other: GPUs differ before their memory, variants and kernels anywhere.
pub(super) fn cut_names(state: &DashboardState, names: Vec<String>, width: usize) -> Vec<(String, String)> {
    let cut = match state.ranked.rows {
        BoardRows::Gpus => {
            let others = || names.iter().map(String::as_str);
            names.iter().map(|name| clipped_apart(name, others(), width)).collect()
        }
        _ => clip_apart(&names, width),
    };
    names.into_iter().zip(cut).collect()
}

/// The GPU of all rows, where they are its variants or blocks.
pub(super) fn only_gpu(state: &DashboardState, rows: &[&RankedRow]) -> Option<GpuId> {
    let first = rows.first()?.gpu;
    (state.ranked.rows != BoardRows::Gpus && rows.iter().all(|row| row.gpu == first)).then_some(first)
}

/// `MWG=128;NWG=64` as keys and values; nothing where a part is none.
fn parts(label: &str) -> Option<Vec<(&str, &str)>> {
    label.split(';').map(|part| part.split_once('=')).collect()
}

/// Where labels of the same keys differ.
fn differing_parts(rows: &[&RankedRow]) -> Vec<usize> {
    let all: Option<Vec<_>> = rows.iter().map(|row| parts(&row.label)).collect();
    let Some((first, others)) = all.as_deref().and_then(|all| all.split_first()) else { return Vec::new() };
    let keys = |parts: &[(&str, &str)]| parts.iter().map(|(key, _)| key.to_string()).collect::<Vec<_>>();
    let of_first = keys(first);
    if others.iter().any(|parts| keys(parts) != of_first) {
        return Vec::new();
    }
    (0..first.len()).filter(|at| others.iter().any(|parts| parts[*at] != first[*at])).collect()
}
