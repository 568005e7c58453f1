//! The answers of the rows: what is on the screen is predicted at once, the rest by the worker, and how wrong the models
//! are over the rows shown.

use super::first_rows::{FirstRows, first_rows};
use super::jobs::WorkerJob;
use super::layout::{Pane, page_start};
use super::many_rows::{ModelsAnswer, ModelsQuestion, RowQuery, RowsAnswer, RowsQuestion};
use super::message::Effect;
use super::pending::{ModelTimes, Pending, ROWS_AT_ONCE};
use super::row_answers::{AnsweredRow, RowAnswers, RowFigures};
use super::selection::Selection;
use super::state::{DashboardState, Tone};
use super::undo::{place_undo, remember, renumber_undo};
use crate::answer::{Answer, Settings};
use crate::evaluate::{ErrorSummary, summarise};
use crate::gpu::GpuId;
use crate::kernel::{BlockSize, KernelId, Problem};
use crate::predict::{MODELS, ModelId, Subject};
use crate::session::Session;
use std::borrow::Cow;
use std::sync::Arc;

impl DashboardState {
    /// Takes a new world in (a measurement file was loaded) and keeps the selection; a kernel that was asked for at the
    /// start and came with the data is selected.
    pub fn take_session(&mut self, session: Arc<Session>) {
        self.undo.clear();
        self.take_more(session);
    }

    /// The same of a session that has more than this one and lacks nothing of it: what can be undone stays.
    pub(super) fn take_more(&mut self, session: Arc<Session>) {
        let selected = self.rows[self.selected].clone();
        let kernel = self.put_session(session, selected.kernel);
        if !self.model_chosen {
            self.selection.settings.model = self.session.default_model();
        }
        let built_in = self.workload.built_in;
        let FirstRows { rows, own, left_out } = first_rows(&self.session, self.selection.source, built_in);
        let former = std::mem::replace(&mut self.rows, Arc::new(rows));
        rayon::spawn(move || drop(former));
        self.workload.own_rows = own;
        for typed in self.typed_rows(&self.session.clone()) {
            self.put_own_row(typed);
        }
        self.notices.extend(left_out);
        self.keep_selected(&selected, kernel);
        if let Some((kernel, problem)) = self.awaited.take() {
            match self.session.kernels.position(&kernel) {
                Ok(_) => self.select_kernel(&kernel, problem.as_deref()),
                Err(unknown) => self.notices.push(unknown.to_string()),
            }
        }
        place_undo(self);
        self.open_on_own_rows();
        self.predict_all();
    }

    /// Puts another session in the place of this one; the edited GPU stands in both, and whoever named it names it still.
    /// Answers where the selected kernel stands in it; none where it was dropped.
    fn put_session(&mut self, mut session: Arc<Session>, selected: KernelId) -> Option<KernelId> {
        let place = self.session.edited_place();
        self.keep_derived_gpus(&mut session);
        let kernel = self.renumber_kernels(&session, selected);
        if place.index() < self.session.gpus.entries().len() {
            Arc::make_mut(&mut session).take_edited_from(&self.session);
        }
        let former = std::mem::replace(&mut self.session, session);
        // A million rows take longer to give back than a key may.
        rayon::spawn(move || drop(former));
        let moved = self.session.edited_place();
        if place == moved {
            return kernel;
        }
        let of_undo = self.undo.iter_mut().map(|step| &mut step.selection);
        for selection in std::iter::once(&mut self.selection).chain(of_undo) {
            let all = std::iter::once(&mut selection.source).chain(&mut selection.targets);
            all.filter(|gpu| **gpu == place).for_each(|gpu| *gpu = moved);
        }
        // What was ranked and predicted names the old place.
        (self.ranked.board, self.application.forecasts) = (None, None);
        kernel
    }

    /// What is kept by kernel follows it to its place in another session, and goes where it was dropped. Answers the place of
    /// the selected one.
    fn renumber_kernels(&mut self, session: &Session, selected: KernelId) -> Option<KernelId> {
        let former = self.session.clone();
        let place = |kernel: KernelId| session.kernels.id_named(&former.kernels.entry(kernel)?.id);
        self.selection.renumber_kernels(place);
        renumber_undo(&mut self.undo, |gpu| gpu, place);
        self.picked = self.picked.iter().filter_map(|kernel| place(*kernel)).collect();
        let kernel = place(selected);
        if kernel.is_none() {
            (self.ranked.board, self.what_if.found) = (None, None);
        }
        kernel
    }

    /// GPUs that are named by rule stand in both sessions: work that began before they were named knows nothing of them.
    fn keep_derived_gpus(&mut self, session: &mut Arc<Session>) {
        let derived = self.session.stock_gpus().entries().iter().filter(|gpu| gpu.derived.is_some());
        let missing = derived.filter(|gpu| session.gpus.id_named(&gpu.id).is_none());
        let names: Vec<&str> = missing.map(|gpu| gpu.id.as_str()).collect();
        if !names.is_empty() {
            // Made of the same catalogue before: what a file changed since cannot take its base away.
            let _ = Arc::make_mut(session).add_derived_gpus(names);
        }
        let former = self.session.clone();
        let place = |gpu: GpuId| {
            let named = former.stock_gpus().entry(gpu);
            named.and_then(|named| session.gpus.id_named(&named.id)).unwrap_or(gpu)
        };
        self.selection.renumber(place);
        renumber_undo(&mut self.undo, place, Some);
        self.ranked.renumber(place);
        self.application.source = self.application.source.map(place);
    }

    /// Selects the row that was selected among other rows, or puts it in its kernel's first place; the first row where its
    /// kernel was dropped.
    fn keep_selected(&mut self, selected: &Subject, kernel: Option<KernelId>) {
        let of_kernel = |r: &Arc<Subject>| Some(r.kernel) == kernel;
        let same =
            |r: &Arc<Subject>| of_kernel(r) && r.problem == selected.problem && r.variant == selected.variant;
        self.selected = self.rows.iter().position(same).unwrap_or_else(|| {
            let row = self.rows.iter().position(of_kernel).unwrap_or(0);
            // Made anew: places in the store are others.
            let typed =
                kernel.and_then(|k| self.session.subject(k, &selected.problem, &selected.variant).ok());
            if let Some(typed) = typed {
                self.put_subject(row, Arc::new(typed));
            }
            row
        });
        self.clear_answers();
    }

    /// Drops every answer: another question is put.
    fn clear_answers(&mut self) {
        let rows = self.rows.len();
        let answers = std::mem::replace(&mut self.answers, RowAnswers::unanswered(rows));
        // Ten thousand rows on many targets take longer to give back than a key may.
        rayon::spawn(move || drop(answers));
        let revision = self.pending.revision + 1;
        self.pending = Pending { revision, missing: rows, errors_are_old: true, ..Pending::default() };
    }

    /// Changes the selection, remembers what was, and predicts again.
    pub(super) fn reselect(&mut self, selection: Selection) {
        if selection != self.selection {
            remember(self);
            let target = self.target();
            self.selection = selection;
            self.predict_all();
            if self.target() != target {
                self.show_target_in_list();
            }
        }
    }

    /// The user's rows are learned from as soon as they are there, where two GPUs have any.
    pub(super) fn ask_to_learn(&mut self) -> Vec<Effect> {
        if !self.session.may_teach() {
            return Vec::new();
        }
        // What the footer says of the rows stays until there is progress.
        self.jobs.start_job(WorkerJob::Learn, "");
        vec![Effect::Learn(self.session.clone())]
    }

    /// Puts typed threads per block into the rows of their kernels, and takes back those that were undone.
    fn put_blocks(&mut self) {
        let of_typed_kernels = self.typed_blocks();
        for place in 0..self.rows.len() {
            let row = &self.rows[place];
            if row.instance.launch.is_some() {
                continue;
            }
            let typed = self.selection.blocks.get(&row.kernel).copied().map(BlockSize::Typed);
            let typed = typed.or_else(|| of_typed_kernels.get(&row.kernel).copied());
            let block_size = typed.or_else(|| self.session.kernels[row.kernel].block_size());
            if row.instance.block_size != block_size {
                self.subject_mut(place).instance.block_size = block_size;
            }
        }
    }

    /// Puts changed launches into the rows of their kernels, and takes back those that were undone.
    pub(super) fn put_launches(&mut self) {
        for place in 0..self.rows.len() {
            let row = &self.rows[place];
            let edits = self.selection.launches.get(&row.kernel).copied().unwrap_or_default();
            if row.launch_edits != edits {
                self.subject_mut(place).launch_edits = edits;
            }
        }
    }

    /// What is asked of every row.
    #[must_use]
    pub fn row_query(&self) -> RowQuery {
        let Selection { source, all_sources, settings, .. } = self.selection;
        RowQuery { source, all_sources, settings }
    }

    /// The selected row's answer by another model.
    #[must_use]
    pub fn answer_by_model(&self, model: ModelId) -> Answer {
        let query = self.row_query().with_model(model);
        query.answer_row(&self.session, &self.rows[self.selected], self.target())
    }

    /// Puts a new question: source, target, model or ceilings changed. What fits into a frame is predicted at once.
    pub(super) fn predict_all(&mut self) {
        self.put_blocks();
        self.put_launches();
        // Copied only while a job still reads the old one.
        let is_tuned = self.session.tunings() != self.selection.tunings;
        if is_tuned {
            Arc::make_mut(&mut self.session).tune_all(&self.selection.tunings);
        }
        if is_tuned || self.session.edited_gpu() != self.selection.edited.as_ref() {
            self.put_edited_gpu();
        }
        self.clear_answers();
        if self.rows.len() <= ROWS_AT_ONCE {
            (0..self.rows.len()).for_each(|row| self.predict_missing(row));
        }
        self.predict_missing(self.selected);
        self.arrange();
    }

    /// Puts the edited GPU into the catalogue as the selection has it, at the clocks that are set for its base.
    fn put_edited_gpu(&mut self) {
        let (place, former) = (self.session.edited_place(), self.session.edited_gpu().map(|e| e.base));
        let was_listed = former.is_some();
        if let Err(why) = Arc::make_mut(&mut self.session).set_edited_gpu(self.selection.edited.clone()) {
            // Whoever edited it tried it: only other clocks of its base can contradict it.
            self.say(Tone::Refused, why.to_string());
        }
        if was_listed != self.session.edited_gpu().is_some() {
            let under = self.gpus.get(self.gpu_cursor).copied();
            let was_on_target = if under == Some(place) { former } else { under };
            self.arrange_gpus();
            // The cursor goes with a target that was changed, or set back.
            if was_on_target == Some(self.existing_gpu(self.target())) {
                let place = self.gpus.iter().position(|gpu| *gpu == self.target());
                self.gpu_cursor = place.unwrap_or(self.gpu_cursor);
            }
        }
    }

    /// Predicts a row whose whole answer is not there.
    pub(super) fn predict_missing(&mut self, row: usize) {
        if row >= self.answers.figures().len() || self.answers.whole(row).is_some() {
            return;
        }
        let (query, subject) = (self.row_query(), &self.rows[row]);
        let answer = query.answer_row(&self.session, subject, self.target());
        if self.figures_of(row).is_none() {
            let (machines, targets) = (self.session.machines(), &self.selection.targets[1..]);
            let further = query.estimate_row(&self.session, &machines, subject, targets);
            self.put_row(AnsweredRow { row, main: RowFigures::from(&answer), further });
        }
        self.answers.put_whole(row, Box::new(answer));
    }

    /// A row's whole answer, made anew where it is not kept.
    #[must_use]
    pub fn whole_answer(&self, row: usize) -> Cow<'_, Answer> {
        let anew = || self.row_query().answer_row(&self.session, &self.rows[row], self.target());
        self.answers.whole(row).map_or_else(|| Cow::Owned(anew()), Cow::Borrowed)
    }

    /// The figures of a row's answer; `None` where the worker still predicts it.
    #[must_use]
    pub fn figures_of(&self, row: usize) -> Option<&RowFigures> {
        self.answers.figures().get(row)?.as_ref()
    }

    fn put_row(&mut self, answered: AnsweredRow) {
        if self.answers.put(answered) {
            self.pending.missing -= 1;
        }
        self.pending.errors_are_old = true;
    }

    /// Drops a row's answer, because its size is another one.
    pub(super) fn forget_answer(&mut self, row: usize) {
        if self.answers.forget(row) {
            self.pending.missing += 1;
        }
        self.pending.changed_rows.push(row);
        self.pending.errors_are_old = true;
    }

    /// Answers the selected row again: its size changed.
    pub(super) fn predict_selected(&mut self) {
        self.put_blocks();
        self.put_launches();
        let row = self.selected;
        self.forget_answer(row);
        self.predict_missing(row);
        self.compare_row(row);
        self.arrange();
    }

    /// Puts the selected row at another size.
    pub(super) fn set_size(&mut self, typed: &Problem) -> Vec<Effect> {
        let row = &self.rows[self.selected];
        match self.session.subject(row.kernel, typed, &row.variant) {
            Ok(subject) => {
                self.change_row(subject);
                Vec::new()
            }
            Err(e) => self.say(Tone::Refused, e.to_string()),
        }
    }

    /// The selected row at another size or of another variant.
    pub(super) fn change_row(&mut self, subject: Subject) {
        remember(self);
        self.put_subject(self.selected, Arc::new(subject));
        self.predict_selected();
    }

    /// Selects a row, which has an answer from then on.
    pub(super) fn select_row(&mut self, row: usize) {
        self.selected = row;
        self.predict_missing(row);
    }

    /// The worker's answers, unless another question was put meanwhile.
    pub(super) fn take_rows(&mut self, answer: RowsAnswer) {
        if answer.revision != self.pending.revision {
            return;
        }
        for answered in answer.rows {
            if self.figures_of(answered.row).is_none() {
                self.put_row(answered);
            }
        }
        self.arrange();
    }

    /// Brings everything in step with the question: the rows on the screen now, the others by the worker.
    pub(super) fn settle_answers(&mut self) -> Vec<Effect> {
        let on_screen = self.rows_on_screen();
        on_screen.iter().for_each(|row| self.predict_missing(*row));
        let selected = self.selected;
        self.answers.drop_unseen(|row| row == selected || on_screen.contains(&row));
        self.answer_further_targets();
        let mut effects: Vec<Effect> = self.ask_for_rows().into_iter().collect();
        effects.extend(self.ask_for_models());
        effects.extend(self.ask_for_board());
        self.sum_up_errors();
        effects
    }

    /// The rows of the page that the predictions show.
    fn rows_on_screen(&self) -> Vec<usize> {
        let page = usize::from(self.areas().pane_area(Pane::Predictions).height);
        let start = page_start(self.cursor_line(), self.predictions_page(), self.table_lines());
        (start..start + page).filter_map(|line| self.row_on_line(line)).collect()
    }

    /// The question for the rows that nobody predicts yet.
    fn ask_for_rows(&mut self) -> Option<Effect> {
        let Pending { revision, missing, asked, .. } = self.pending;
        if missing == 0 || asked == Some(revision) {
            return None;
        }
        self.pending.asked = Some(revision);
        let rows = (0..self.rows.len()).filter(|row| self.figures_of(*row).is_none());
        Some(Effect::Predict(Box::new(RowsQuestion {
            revision,
            session: self.session.clone(),
            query: self.row_query(),
            targets: self.selection.targets.clone(),
            subjects: self.rows.clone(),
            rows: rows.collect(),
        })))
    }

    /// Whether every model's error is on the screen.
    fn compares_models(&self) -> bool {
        self.overlays.iter().any(|overlay| overlay.compares_models())
    }

    /// The models that the compared times are asked of: all but the one in use, whose answers are there.
    fn other_models(&self) -> Vec<ModelId> {
        MODELS.ids().filter(|model| *model != self.selection.settings.model).collect()
    }

    /// Compares the models over the timed rows: a few at once, many by the worker.
    fn ask_for_models(&mut self) -> Option<Effect> {
        let revision = self.pending.revision;
        let known = self.compared.as_ref().is_some_and(|c| c.revision == revision);
        if !self.compares_models()
            || self.pending.missing > 0
            || known
            || self.pending.compare_asked == Some(revision)
        {
            return None;
        }
        let is_timed = |row: &usize| self.figures_of(*row).is_some_and(|f| f.measured.is_some());
        let timed = (0..self.rows.len()).filter(is_timed);
        let question = ModelsQuestion {
            revision,
            session: self.session.clone(),
            query: self.row_query(),
            target: self.target(),
            models: self.other_models(),
            subjects: self.rows.clone(),
            rows: timed.collect(),
        };
        self.pending.changed_rows.clear();
        if question.rows.len() > ROWS_AT_ONCE {
            self.pending.compare_asked = Some(revision);
            return Some(Effect::Compare(Box::new(question)));
        }
        if let Some(answer) = question.answer_models(&|| false) {
            self.take_models(answer);
        }
        None
    }

    /// Every model's times, unless another question was put meanwhile.
    pub(super) fn take_models(&mut self, answer: ModelsAnswer) {
        if answer.revision != self.pending.revision {
            return;
        }
        let mut times = vec![vec![None; self.rows.len()]; MODELS.len()];
        let models = self.other_models();
        for (row, by_model) in answer.rows {
            for (model, time) in models.iter().zip(by_model) {
                times[model.index()][row] = time;
            }
        }
        self.compared = Some(ModelTimes { revision: answer.revision, times });
        self.pending.errors_are_old = true;
        for row in std::mem::take(&mut self.pending.changed_rows) {
            self.compare_row(row);
        }
    }

    /// Compares the models for one row again, where they were compared before.
    fn compare_row(&mut self, row: usize) {
        let models = self.other_models();
        let (query, target) = (self.row_query(), self.target());
        let revision = self.pending.revision;
        let Some(compared) = self.compared.as_mut().filter(|c| c.revision == revision) else { return };
        let times = query.model_times(&self.session, &self.rows[row], target, &models);
        for (model, time) in models.into_iter().zip(times) {
            compared.times[model.index()][row] = time;
        }
    }

    /// Sums up how wrong the current model is, and all others while they are compared; nothing if neither the answers nor
    /// the rows shown have changed.
    pub(super) fn sum_up_errors(&mut self) {
        let all = self.compares_models();
        if !self.pending.errors_are_old && all == self.pending.errors_of_all {
            return;
        }
        (self.pending.errors_are_old, self.pending.errors_of_all) = (false, all);
        let current = self.selection.settings.model;
        let errors =
            MODELS.ids().map(|m| (all || m == current).then(|| self.errors_of(m)).flatten()).collect();
        self.errors = errors;
    }

    /// How wrong a model is over the rows shown; none while rows are still predicted.
    fn errors_of(&self, model: ModelId) -> Option<ErrorSummary> {
        if self.pending.missing > 0 {
            return None;
        }
        let current = model == self.selection.settings.model;
        let compared = self.compared.as_ref().filter(|c| c.revision == self.pending.revision);
        let predicted = |row: usize, figures: &RowFigures| {
            if current {
                return figures.predicted.map(|time| time.0);
            }
            compared?.times[model.index()][row].map(|time| time.0)
        };
        let pair = |row: &usize| {
            let figures = self.figures_of(*row)?;
            Some((predicted(*row, figures)?, figures.measured?.0))
        };
        summarise(&self.shown.iter().filter_map(pair).collect::<Vec<_>>())
    }

    /// Model, ceilings and rules with the next or another value.
    pub(super) fn reselect_settings(&mut self, settings: Settings) {
        self.reselect(Selection { settings, ..self.selection.clone() });
    }
}
