//! The user's own rows before the built-in kernels: which they are, how the others are folded, and where the dashboard opens
//! once they are read.

use super::action::Action;
use super::state::DashboardState;
use super::undo::place_undo;
use crate::gpu::GpuId;
use crate::kernel::KernelId;
use crate::measurement::{Measurement, TimingKind};
use crate::predict::Subject;
use std::path::Path;
use std::sync::Arc;

impl DashboardState {
    /// The line of the table that stands for the built-in kernels; none where there is nothing to fold, or a filter looks
    /// through everything.
    #[must_use]
    pub fn fold_line(&self) -> Option<usize> {
        let own = self.workload.own_rows;
        (own > 0 && own < self.rows.len() && self.row_filter.is_empty()).then_some(own)
    }

    /// How many lines the table has.
    #[must_use]
    pub fn table_lines(&self) -> usize {
        self.shown.len() + usize::from(self.fold_line().is_some())
    }

    /// The line of the cursor.
    #[must_use]
    pub fn cursor_line(&self) -> usize {
        let fold = self.fold_line();
        if let Some(fold) = fold.filter(|_| self.workload.on_fold) {
            return fold;
        }
        let place = self.shown.iter().position(|row| *row == self.selected).unwrap_or(0);
        place + usize::from(fold.is_some_and(|fold| place >= fold))
    }

    /// The row on a line; none on the fold and below the last.
    #[must_use]
    pub fn row_on_line(&self, line: usize) -> Option<usize> {
        match self.fold_line() {
            Some(fold) if line == fold => None,
            Some(fold) if line > fold => self.shown.get(line - 1).copied(),
            _ => self.shown.get(line).copied(),
        }
    }

    /// Puts the cursor on a line: selects its row, or stands on the fold.
    pub(super) fn go_to_line(&mut self, line: usize) {
        self.workload.chooses_row = false;
        self.workload.on_fold = self.fold_line() == Some(line);
        if let Some(row) = self.row_on_line(line) {
            self.select_row(row);
        }
    }

    /// Shows the built-in kernels below the user's rows, or folds them.
    pub(super) fn toggle_fold(&mut self) {
        self.workload.unfolded = !self.workload.unfolded;
        self.arrange();
    }

    /// The user's rows stand first; the others are left out where they are folded.
    pub(super) fn own_rows_first(&self, shown: &mut Vec<usize>) {
        if self.fold_line().is_none() {
            return;
        }
        let own = self.workload.own_rows;
        shown.sort_by_key(|row| *row >= own);
        if !self.workload.unfolded {
            shown.truncate(own);
        }
    }

    /// Whether the kernel came with a file of the user's.
    #[must_use]
    pub fn is_own_kernel(&self, kernel: KernelId) -> bool {
        kernel.index() >= self.workload.built_in
    }

    /// The GPU of the user's newest row: the last line of the last file, or what was measured here since; that of the last typed kernel
    /// where there is no such row. No target that was asked for.
    fn newest_gpu(&self) -> Option<GpuId> {
        let asked = if self.workload.targets_asked { &self.selection.targets[..] } else { &[] };
        let is_own = |m: &Measurement| m.kind() == TimingKind::Measured && !asked.contains(&m.gpu);
        let own = || self.session.store.rows().rev().filter(|m| is_own(m));
        own().find(|m| !m.is_typed()).or_else(|| own().next()).map(|m| m.gpu)
    }

    /// Makes a GPU the source; a target that is the same one gives way to the source of before.
    pub(super) fn start_from(&mut self, source: GpuId) {
        let before = std::mem::replace(&mut self.selection.source, source);
        if self.selection.targets[0] == source && before != source {
            self.selection.targets.retain(|t| *t != before && *t != source);
            self.selection.targets.insert(0, before);
        }
    }

    /// Starts from the GPU of the user's newest row and selects their first row of that GPU, unless something else was asked
    /// for.
    pub(super) fn open_on_own_rows(&mut self) {
        if self.workload.own_rows == 0 {
            return;
        }
        if std::mem::take(&mut self.workload.chooses_source) {
            match self.newest_gpu() {
                Some(source) => self.start_from(source),
                None => self.notices.push(format!(
                    "only the targets have rows; {} sets the source",
                    self.key_for(Action::SetSource)
                )),
            }
        }
        if std::mem::take(&mut self.workload.chooses_row) {
            self.selected = self.first_row_measured_on(self.selection.source);
            self.workload.on_fold = false;
        } else if self.selected >= self.workload.own_rows {
            self.workload.unfolded = true;
        }
    }

    /// The user's first row that was measured on this GPU, kernels that were typed after all others; their first one where none was.
    fn first_row_measured_on(&self, gpu: GpuId) -> usize {
        let measured = |row: &usize| {
            let timed = self.session.store.row_on(self.rows[*row].config?, gpu)?;
            (timed.kind() == TimingKind::Measured).then(|| (timed.is_typed(), *row))
        };
        (0..self.workload.own_rows).filter_map(|row| measured(&row)).min().map_or(0, |(_, row)| row)
    }

    /// Selects this row among the user's; puts it before them where it is not there.
    pub(super) fn show_subject(&mut self, subject: Subject) {
        self.workload.on_fold = false;
        self.selected = self.put_own_row(Arc::new(subject));
        place_undo(self);
        self.predict_all();
    }

    /// The place of this row, in the place of the same kernel at the same size, or before the user's rows.
    pub(super) fn put_own_row(&mut self, subject: Arc<Subject>) -> usize {
        let same = |row: &Arc<Subject>| {
            row.kernel == subject.kernel && row.problem == subject.problem && row.variant == subject.variant
        };
        match self.rows.iter().position(same) {
            Some(row) => {
                self.put_subject(row, subject);
                row
            }
            None => {
                Arc::make_mut(&mut self.rows).insert(0, subject);
                self.workload.own_rows += 1;
                0
            }
        }
    }

    /// Selects the first row that a file brought, and starts from the GPU it was measured on.
    pub(super) fn open_on_file(&mut self, file: &Path) {
        let store = &self.session.store;
        let measured = |row: &usize| {
            let rows = self.rows[*row].config.map(|id| store.rows_of(id));
            rows.into_iter().flatten().find(|m| is_of_file(m, file)).map(|m| (*row, m.gpu))
        };
        let Some((row, gpu)) = (0..self.workload.own_rows).find_map(|row| measured(&row)) else { return };
        self.row_filter.clear();
        self.workload.on_fold = false;
        self.start_from(gpu);
        self.selected = row;
    }
}

/// Whether a row was read from this file.
fn is_of_file(row: &Measurement, file: &Path) -> bool {
    *row.file() == *file.display().to_string()
}
