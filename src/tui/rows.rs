//! The rows of the predictions: which there are, their answers, their order, and how wrong the models are over them.

use super::filter::Filter;
use super::message::Effect;
use super::prompt::Overlay;
use super::state::{Selection, Sort, State};
use crate::answer::{Answer, Settings};
use crate::evaluate::{ErrorSummary, summarise};
use crate::gpu::{Gpu, GpuId};
use crate::kernel::{BlockSize, KernelId};
use crate::predict::{MODELS, ModelId, Subject};
use crate::session::{Session, Sources};
use crate::units::Seconds;
use std::sync::Arc;

/// The most rows that are predicted again within a frame.
const MOST_ROWS: usize = 10_000;

/// One row per kernel at its first size, then every other configuration that somebody timed, by size; and what to say of
/// those that have no room. Kernels that nobody timed come last.
pub(super) fn first_rows(session: &Session, source: GpuId) -> (Vec<Subject>, Option<String>) {
    let store = &session.store;
    let (timed, others): (Vec<KernelId>, Vec<KernelId>) =
        session.kernels.ids().partition(|k| !store.of_kernel(*k).is_empty());
    let kernels = timed.into_iter().chain(others);
    let of_kernel = |kernel: KernelId| {
        let first = session.default_size(kernel, Some(source));
        let variant = session.default_variant(kernel);
        let top = session.subject(kernel, &first, &variant).ok();
        let first = top.as_ref().and_then(|subject| subject.config);
        let others = store.by_volume(kernel).iter().filter(move |id| Some(**id) != first);
        top.into_iter().chain(others.filter_map(move |id| session.timed_subject(*id).ok()))
    };
    let rows: Vec<Subject> = kernels.clone().flat_map(of_kernel).take(MOST_ROWS).collect();
    let all: usize = kernels.map(|kernel| store.of_kernel(kernel).len().max(1)).sum();
    let left_out = (rows.len() == MOST_ROWS && all > MOST_ROWS)
        .then(|| format!("{all} configurations: the first {MOST_ROWS} are shown; `predict` answers all"));
    (rows, left_out)
}

impl State {
    /// Takes a new world in (a measurement file was loaded) and keeps the selection; a kernel that was asked for at the
    /// start and came with the data is selected.
    pub fn take_session(&mut self, session: Arc<Session>) {
        let selected = self.rows[self.selected].clone();
        self.session = session;
        if !self.model_chosen {
            self.selection.settings.model = self.session.default_model();
        }
        let (rows, left_out) = first_rows(&self.session, self.selection.source);
        self.rows = rows;
        self.notices.extend(left_out);
        let same = |r: &Subject| {
            r.kernel == selected.kernel && r.problem == selected.problem && r.variant == selected.variant
        };
        self.selected = self.rows.iter().position(same).unwrap_or_else(|| {
            let row = self.rows.iter().position(|r| r.kernel == selected.kernel).unwrap_or(0);
            self.rows[row] = selected;
            row
        });
        if let Some((kernel, problem)) = self.awaited.take() {
            match self.session.kernels.position(&kernel) {
                Ok(_) => self.select_kernel(&kernel, problem.as_deref()),
                Err(unknown) => self.notices.push(unknown.to_string()),
            }
        }
        self.undo.clear();
        self.predict_all();
    }

    /// The user's rows are learned from as soon as they are there, where two GPUs have any.
    pub(super) fn ask_to_learn(&self) -> Vec<Effect> {
        if self.session.may_teach() { vec![Effect::Learn(self.session.clone())] } else { Vec::new() }
    }

    /// Puts typed threads per block into the rows of their kernels, and takes back those that were undone.
    fn put_blocks(&mut self) {
        for row in self.rows.iter_mut().filter(|r| r.instance.launch.is_none()) {
            let typed = self.selection.blocks.get(&row.kernel).copied().map(BlockSize::Typed);
            row.instance.block_size = typed.or_else(|| self.session.kernels[row.kernel].block_size());
        }
    }

    /// One row onto one target: from the source, or from all of them.
    #[must_use]
    pub fn ask(&self, row: &Subject, target: GpuId, settings: Settings) -> Answer {
        let source = self.selection.source;
        let alone = || self.session.answer(row, source, target, settings);
        if !self.selection.all_sources {
            return alone();
        }
        let from = Sources::AllBeside(source);
        self.session.answer_from(row, &from, target, settings).unwrap_or_else(alone)
    }

    /// The times of [`State::ask`] for many targets.
    fn times(&self, row: &Subject, targets: &[GpuId], settings: Settings) -> Vec<Option<Seconds>> {
        if self.selection.all_sources {
            let time = |target: &GpuId| Some(self.ask(row, *target, settings).prediction.ok()?.time);
            return targets.iter().map(time).collect();
        }
        let estimates = self.session.estimates(row, self.selection.source, targets, settings);
        estimates.into_iter().map(|found| found.map(|estimate| estimate.time)).collect()
    }

    /// Answers every row again: source, target, model or ceilings changed.
    pub(super) fn predict_all(&mut self) {
        self.put_blocks();
        // Copied only while a job still reads the old one.
        if self.session.tunings() != self.selection.tunings {
            Arc::make_mut(&mut self.session).tune_all(&self.selection.tunings);
        }
        let Selection { settings, targets, .. } = &self.selection;
        let answers = self.rows.iter().map(|r| self.ask(r, targets[0], *settings)).collect();
        let others = &targets[1..];
        let mut further: Vec<Vec<_>> = vec![Vec::new(); others.len()];
        for row in self.rows.iter().filter(|_| !others.is_empty()) {
            let times = self.times(row, others, *settings);
            further.iter_mut().zip(times).for_each(|(column, time)| column.push(time));
        }
        (self.answers, self.further) = (answers, further);
        self.arrange();
    }

    /// Answers the selected row again: its size changed.
    pub(super) fn predict_selected(&mut self) {
        self.put_blocks();
        let (row, selection) = (self.selected, &self.selection);
        let main = self.ask(&self.rows[row], selection.targets[0], selection.settings);
        let times = self.times(&self.rows[row], &selection.targets[1..], selection.settings);
        self.answers[row] = main;
        for (column, time) in self.further.iter_mut().zip(times) {
            column[row] = time;
        }
        self.arrange();
    }

    /// Filters and sorts the rows; the selected row stays selected if it is still shown.
    pub(super) fn arrange(&mut self) {
        let filter = Filter::new(&self.row_filter);
        let mut scored: Vec<(u32, usize)> = if filter.is_empty() {
            (0..self.rows.len()).map(|row| (0, row)).collect()
        } else {
            (0..self.rows.len()).filter_map(|row| Some((self.fits(&filter, row)?, row))).collect()
        };
        // What fits best comes first, unless a column was chosen to sort by.
        if self.sort.0 == Sort::Kernel {
            scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        }
        let mut shown: Vec<usize> = scored.into_iter().map(|(_, row)| row).collect();
        let key = |row: usize| {
            let a = &self.answers[row];
            let predicted = a.prediction.as_ref().ok().map(|p| p.time.0);
            match self.sort.0 {
                Sort::Kernel => None,
                Sort::Source => a.source_time.as_ref().map(|t| t.time.0),
                Sort::Predicted => predicted,
                Sort::Speedup => a.speedup().map(|s| -s),
                Sort::Error => a.error_percent().map(|e| -e.abs()),
            }
            .unwrap_or(f64::INFINITY)
        };
        if self.sort.0 != Sort::Kernel {
            let mut keyed: Vec<(f64, usize)> = shown.iter().map(|r| (key(*r), *r)).collect();
            keyed.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            shown = keyed.into_iter().map(|(_, r)| r).collect();
        }
        if self.sort.1 {
            // What has no number stays last in either direction.
            let finite = |r: &usize| self.sort.0 == Sort::Kernel || key(*r).is_finite();
            let numbers = shown.partition_point(finite);
            shown[..numbers].reverse();
        }
        if !shown.contains(&self.selected)
            && let Some(first) = shown.first()
        {
            self.selected = *first;
        }
        self.shown = shown;
    }

    fn fits(&self, filter: &Filter, row: usize) -> Option<u32> {
        let kernel = self.kernel_of(row);
        filter.score(&[&kernel.label, &kernel.id, &self.size_of(row)])
    }

    /// Filters the GPUs; the cursor stays on its GPU if that is still shown.
    pub(super) fn arrange_gpus(&mut self) {
        let under = self.gpus.get(self.gpu_cursor).copied();
        let gpus = &self.session.gpus;
        let filter = Filter::new(&self.gpu_filter);
        let fits = |g: &Gpu| {
            let capability = g.compute_capability.to_string();
            filter.score(&[&g.id, &g.name, &g.architecture.to_string(), &capability])
        };
        let mut scored: Vec<(u32, GpuId)> =
            gpus.with_ids().filter_map(|(i, g)| Some((fits(g)?, i))).collect();
        scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        self.gpus = scored.into_iter().map(|(_, i)| i).collect();
        self.gpu_cursor = self.gpus.iter().position(|g| Some(*g) == under).unwrap_or(0);
    }

    /// Sums up how wrong the current model is, and all others while they are compared.
    pub(super) fn sum_up_errors(&mut self) {
        let comparing = matches!(self.overlay, Overlay::Compare(_));
        self.errors = MODELS
            .ids()
            .map(|m| if comparing || m == self.selection.settings.model { self.errors_of(m) } else { None })
            .collect();
    }

    fn errors_of(&self, model: ModelId) -> Option<ErrorSummary> {
        let settings = Settings { model, ..self.selection.settings };
        let time = |a: &Answer| a.prediction.as_ref().ok().map(|p| p.time.0);
        let predicted = |row: usize| {
            if model == self.selection.settings.model {
                return time(&self.answers[row]);
            }
            self.times(&self.rows[row], &[self.target()], settings).first()?.map(|t| t.0)
        };
        let timed = self.shown.iter().filter_map(|r| Some((*r, self.answers[*r].measured?.time.0)));
        let pairs: Vec<(f64, f64)> =
            timed.filter_map(|(row, measured)| Some((predicted(row)?, measured))).collect();
        summarise(&pairs)
    }
}
