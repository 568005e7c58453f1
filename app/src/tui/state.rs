//! What the dashboard knows. Only `update` changes it; `view` only reads it.

use super::action::Action;
use super::first_rows::{FirstRows, first_rows};
use super::jobs::{JobTable, WorkerJob};
use super::layout::{DashboardView, Pane};
use super::message::{Effect, UserFile};
use super::own_rows::OwnRows;
use super::pane::OverlayPanel;
use super::panes::application::findings::ApplicationFindings;
use super::panes::evaluate::outcome::Evaluated;
use super::panes::gemm::product::GemmPane;
use super::panes::models::findings::{EvidenceQuestion, ModelFindings};
use super::panes::what_if::findings::WhatIfFindings;
use super::pending::{FurtherAnswers, ModelTimes, Pending};
use super::ranked::RankedGpus;
use super::refused::RefusedCounts;
use super::row_answers::RowAnswers;
use super::scroll::{PaneScrolls, ScrollTop};
use super::selection::{Choosing, Selection, Sort, UndoStep};
use crate::answer::{Answer, Settings};
use crate::chart::Curve;
use crate::config::{Keymap, PaintTheme, Saved};
use crate::evaluate::{ErrorSummary, Protocol};
use crate::gpu::{Ceilings, Gpu, GpuId};
use crate::kernel::{Kernel, KernelId, Problem};
use crate::measurement::{CanonicalRow, TRACED};
use crate::occupancy::Rules;
use crate::pair::Pair;
use crate::predict::{MODELS, Subject, model_position};
use crate::report::audit::Digest;
use crate::session::Session;
use crate::workload::TypedKernel;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use tui_input::Input;

/// The pair that shows the most at once and was measured on both sides.
const FIRST_SOURCE: &str = "titan-v";
const FIRST_TARGET: &str = "rtx-4070";
/// The kernel shown first when none is asked for or remembered.
pub const FIRST_KERNEL: &str = "matmul_tiled";

/// How a message is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// Something was done.
    Done,
    /// Something could not be done.
    Refused,
}

/// The whole state.
#[derive(Debug, Clone)]
pub struct DashboardState {
    /// The loaded world.
    pub session: Arc<Session>,
    /// The world before any file of the user's was read.
    pub base: Arc<Session>,
    /// Which rows are the user's, and whether the others are folded.
    pub workload: OwnRows,
    /// One row per kernel, plus one per measured configuration that is not a kernel's first size.
    pub rows: Arc<Vec<Arc<Subject>>>,
    /// The main target's answers: figures of every row, the whole answer of rows on the screen.
    pub answers: RowAnswers,
    /// The selected row on the further targets.
    pub(super) further_answers: FurtherAnswers,
    /// The rows that are shown, filtered and sorted.
    pub shown: Vec<usize>,
    /// The selected row (in `rows`).
    pub selected: usize,
    /// The GPUs that are shown, filtered.
    pub gpus: Vec<GpuId>,
    /// The GPU under the cursor (in `gpus`).
    pub gpu_cursor: usize,
    /// What is asked.
    pub selection: Selection,
    /// The view.
    pub view: DashboardView,
    /// The pane that was focused last in each view.
    pub focus_in: [Pane; DashboardView::ALL.len()],
    /// The focused pane.
    pub focus: Pane,
    /// Whether the explanation is open.
    pub explaining: bool,
    /// How far the explanation is scrolled.
    pub explain_scroll: ScrollTop,
    /// How far the other panes of text are scrolled.
    pub scrolls: PaneScrolls,
    /// The ranked GPUs.
    pub ranked: RankedGpus,
    /// What is being chosen among the GPUs.
    pub choosing: Option<Choosing>,
    /// Whether it fills the screen.
    pub zoom: bool,
    /// How many memory levels the roofline shows.
    pub levels: usize,
    /// The curve chosen in the zoomed occupancy.
    pub curve: Curve,
    /// Whether the occupancy table shows its end instead of its beginning, where it does not fit.
    pub table_end: bool,
    /// log10 of the intensity that the roofline reads out.
    pub readout: Option<f64>,
    /// What lies over the panes; the last one is on top and has the keyboard.
    pub overlays: Vec<Box<dyn OverlayPanel<DashboardState>>>,
    /// Filter of the GPUs.
    pub gpu_filter: String,
    /// Filter of the predictions.
    pub row_filter: String,
    /// Order of the predictions, and whether it is reversed.
    pub sort: (Sort, bool),
    /// The last message.
    pub message: Option<(Tone, String)>,
    /// What is to be known of the loaded files, refused rows among it.
    pub notices: Vec<String>,
    /// What was refused of them.
    pub refused: RefusedCounts,
    /// What the audit found in the user's files, once it is done.
    pub audit: Option<Arc<Digest>>,
    /// What the worker is doing.
    pub jobs: JobTable,
    /// What is held out when the models are measured.
    pub protocol: Protocol,
    /// Whether a person chose the model: then none is put in its place.
    pub model_chosen: bool,
    /// The models measured last.
    pub evaluated: Option<Arc<Evaluated>>,
    /// What they were measured for.
    pub evaluated_for: Option<EvidenceQuestion>,
    /// What the Models pane knows.
    pub models: ModelFindings,
    /// What the Application view knows.
    pub application: ApplicationFindings,
    /// What the What if view knows.
    pub what_if: WhatIfFindings,
    /// The product in the GEMM pane.
    pub gemm: GemmPane,
    /// Width and height of the terminal.
    pub size: (u16, u16),
    /// Which key does what.
    pub keymap: Arc<Keymap>,
    /// All themes and the current one.
    pub themes: (Arc<[PaintTheme]>, usize),
    /// The theme to remember: the one chosen with a key, not the one of `--theme` or `NO_COLOR`.
    pub remembered_theme: Option<String>,
    /// Draw with ASCII only.
    pub ascii: bool,
    /// Whether a shell is there that can take the terminal meanwhile.
    pub has_shell: bool,
    /// The user's measurement files.
    pub data: Vec<PathBuf>,
    /// All files of the user's in the order they were read, and the GPU of those that name none.
    pub files: Vec<UserFile>,
    /// Those of them that brought something when they were read last.
    pub(super) filled: BTreeSet<PathBuf>,
    /// Those that could not be read.
    pub(super) unread: BTreeSet<PathBuf>,
    /// The point of the selected row before its file was read again: intensity and performance.
    pub former_point: Option<(f64, f64)>,
    /// How many notes there were before any file was read.
    pub(super) first_notices: usize,
    /// Rows that were measured from here, which no file holds.
    pub(super) kept_rows: Vec<CanonicalRow>,
    /// Kernels that were typed, the newest last.
    pub(super) typed: Vec<TypedKernel>,
    /// The lines of those that were dropped or replaced, so that they do not come back from the state file.
    pub(super) dropped_typed: Vec<String>,
    /// What the state file said at the start.
    pub(super) saved_at_start: Option<Box<Saved>>,
    /// Kernels (by position) with resources from reports that were picked here; no command knows those.
    pub picked: BTreeSet<KernelId>,
    /// How wrong each model is over the rows shown whose target was measured; another than the current one only while compared.
    pub errors: Vec<Option<ErrorSummary>>,
    /// A kernel that was asked for and is not known yet, with its size: it may come with the data.
    pub(super) awaited: Option<(String, Option<String>)>,
    pub(super) undo: Vec<UndoStep>,
    /// Which rows the worker still predicts.
    pub(super) pending: Pending,
    /// The times of every model, once they were compared.
    pub(super) compared: Option<ModelTimes>,
}

/// The targets of the first screen: those asked for or remembered, else the usual one.
#[must_use]
pub fn first_targets(session: &Session, saved: &Saved) -> Vec<GpuId> {
    let mut targets: Vec<GpuId> = Vec::new();
    for target in saved.targets.iter().filter_map(|t| session.gpus.position(t).ok()) {
        if !targets.contains(&target) {
            targets.push(target);
        }
    }
    if targets.is_empty() {
        targets.push(session.gpus.position(FIRST_TARGET).unwrap_or_default());
    }
    targets
}

/// What is asked on the first screen: what was asked for or remembered, else a pair that was measured on both sides.
fn first_selection(session: &Session, saved: &Saved) -> Selection {
    let find = |id: Option<&str>| id.and_then(|id| session.gpus.position(id).ok());
    Selection {
        source: find(saved.source.as_deref()).or_else(|| find(Some(FIRST_SOURCE))).unwrap_or_default(),
        targets: first_targets(session, saved),
        all_sources: false,
        settings: first_settings(saved),
        blocks: BTreeMap::new(),
        tunings: session.tunings(),
        edited: session.edited_gpu().cloned(),
        launches: BTreeMap::new(),
    }
}

fn first_settings(saved: &Saved) -> Settings {
    Settings {
        model: saved.model.as_deref().and_then(|m| model_position(m).ok()).unwrap_or_default(),
        ceilings: if saved.ceilings.as_deref() == Some("achieved") {
            Ceilings::Achieved
        } else {
            Ceilings::Peak
        },
        rules: if saved.rules.as_deref() == Some("study") { Rules::Study } else { Rules::Exact },
    }
}

impl DashboardState {
    /// The first screen: the pair asked for, else the remembered one, else one that was measured on both sides.
    #[must_use]
    pub fn new(
        session: Arc<Session>,
        keymap: Keymap,
        themes: Vec<PaintTheme>,
        theme: usize,
        saved: &Saved,
    ) -> Self {
        let selection = first_selection(&session, saved);
        let built_in = session.kernels.entries().len();
        let FirstRows { rows, own: own_rows, left_out } = first_rows(&session, selection.source, built_in);
        let notices: Vec<String> = session.problems.iter().cloned().chain(left_out).collect();
        let mut state = Self {
            rows: rows.into(),
            awaited: None,
            data: Vec::new(),
            files: Vec::new(),
            filled: BTreeSet::new(),
            unread: BTreeSet::new(),
            former_point: None,
            first_notices: notices.len(),
            kept_rows: Vec::new(),
            typed: Vec::new(),
            dropped_typed: Vec::new(),
            saved_at_start: Some(Box::new(saved.clone())),
            application: ApplicationFindings::default(),
            base: session.clone(),
            workload: OwnRows { own_rows, built_in, ..OwnRows::default() },
            picked: BTreeSet::new(),
            errors: vec![None; MODELS.len()],
            gpus: session.gpus.ids().collect(),
            selection,
            session,
            answers: RowAnswers::default(),
            further_answers: FurtherAnswers::default(),
            shown: Vec::new(),
            selected: 0,
            gpu_cursor: 0,
            view: DashboardView::default(),
            focus_in: DashboardView::ALL.map(DashboardView::first_pane),
            focus: Pane::Predictions,
            explaining: false,
            explain_scroll: ScrollTop::default(),
            scrolls: PaneScrolls::default(),
            ranked: RankedGpus::default(),
            choosing: None,
            zoom: false,
            levels: 1,
            curve: Curve::default(),
            table_end: false,
            readout: None,
            overlays: Vec::new(),
            gpu_filter: String::new(),
            row_filter: String::new(),
            sort: (Sort::Kernel, false),
            message: None,
            notices,
            refused: RefusedCounts::default(),
            audit: None,
            jobs: JobTable::default(),
            protocol: Protocol::default(),
            model_chosen: saved.model.is_some(),
            evaluated: None,
            evaluated_for: None,
            models: ModelFindings::default(),
            what_if: WhatIfFindings::default(),
            gemm: GemmPane::default(),
            size: (80, 24),
            keymap: Arc::new(keymap),
            themes: (themes.into(), theme),
            remembered_theme: saved.theme.clone(),
            ascii: false,
            has_shell: true,
            undo: Vec::new(),
            pending: Pending::default(),
            compared: None,
        };
        state.select_first_question(saved);
        state.predict_all();
        state.answer_further_targets();
        state.sum_up_errors();
        state
    }

    /// The target, and the remembered kernel: it is waited for where no file that brings it is read yet.
    fn select_first_question(&mut self, saved: &Saved) {
        self.gpu_cursor = self.gpus.iter().position(|g| *g == self.target()).unwrap_or(0);
        let kernel = saved.kernel.as_deref().unwrap_or(FIRST_KERNEL);
        if self.session.kernels.position(kernel).is_err() {
            self.awaited = Some((kernel.to_string(), saved.problem.clone()));
        }
        self.select_kernel(kernel, saved.problem.as_deref());
    }

    /// Puts a message into the footer.
    pub(super) fn say(&mut self, tone: Tone, text: impl Into<String>) -> Vec<Effect> {
        self.message = Some((tone, text.into()));
        Vec::new()
    }

    /// Puts a message behind the one that is there.
    pub(super) fn say_more(&mut self, tone: Tone, text: &str) -> Vec<Effect> {
        let before = self.message.take().map(|(_, text)| text + "; ").unwrap_or_default();
        self.say(tone, format!("{before}{text}"))
    }

    /// Cancels the newest running job of these kinds; `None` where none runs.
    pub(super) fn cancel_newest(&mut self, kinds: &[WorkerJob]) -> Option<Vec<Effect>> {
        let job = self.jobs.newest_of(kinds)?;
        self.jobs.end_job(job);
        self.say(Tone::Done, "cancelled");
        Some(vec![Effect::Cancel(job)])
    }

    /// Opens something over the panes.
    pub(super) fn open_overlay(&mut self, overlay: impl OverlayPanel<Self> + 'static) -> Vec<Effect> {
        self.overlays.push(Box::new(overlay));
        Vec::new()
    }

    /// Puts another subject in a row's place; the rows are copied only while a question to the worker still reads them.
    pub(super) fn put_subject(&mut self, row: usize, subject: Arc<Subject>) {
        Arc::make_mut(&mut self.rows)[row] = subject;
    }

    /// A row's subject, to be changed in its place.
    pub(super) fn subject_mut(&mut self, row: usize) -> &mut Subject {
        Arc::make_mut(&mut Arc::make_mut(&mut self.rows)[row])
    }

    /// Selects a kernel's first row, at this size if it is given.
    pub(super) fn select_kernel(&mut self, kernel: &str, problem: Option<&str>) {
        let Ok(kernel) = self.session.kernels.position(kernel) else { return };
        let Some(row) = self.rows.iter().position(|r| r.kernel == kernel) else { return };
        self.selected = row;
        let typed = problem.and_then(|p| Problem::parse_recorded(p).ok());
        // At its own size the row stays as it is: more may have been typed of it.
        let typed = typed.filter(|size| *size != *self.rows[row].problem);
        if let Some(subject) =
            typed.and_then(|p| self.session.subject(kernel, &p, &self.rows[row].variant).ok())
        {
            self.put_subject(row, Arc::new(subject));
            self.put_launches();
            self.forget_answer(row);
        }
        if row >= self.workload.own_rows && self.workload.own_rows > 0 {
            self.workload.unfolded = true;
        }
        self.predict_missing(row);
    }

    /// The main target.
    #[must_use]
    pub fn target(&self) -> GpuId {
        self.selection.targets[0]
    }

    /// The GPU that exists: of the edited one its base.
    #[must_use]
    pub fn existing_gpu(&self, gpu: GpuId) -> GpuId {
        let edited = self.selection.edited.as_ref().filter(|_| gpu == self.session.edited_place());
        edited.map_or(gpu, |edited| edited.base)
    }

    /// Source and main target.
    #[must_use]
    pub fn pair(&self) -> Pair<&Gpu> {
        Pair::new(self.selection.source, self.target()).map(|g| &self.session.gpus[g])
    }

    /// The selected row's kernel.
    #[must_use]
    pub fn kernel(&self) -> &Kernel {
        self.kernel_of(self.selected)
    }

    /// A row's kernel.
    #[must_use]
    pub fn kernel_of(&self, row: usize) -> &Kernel {
        &self.session.kernels[self.rows[row].kernel]
    }

    /// A row's size as a person would type it, with its variant and what is changed of its launch; of a group of a trace its shapes.
    #[must_use]
    pub fn size_of(&self, row: usize) -> String {
        let subject = &self.rows[row];
        let size = self.kernel_of(row).short_problem(&subject.problem);
        let is_traced = &*subject.variant == TRACED;
        let of_group = self.application.group_words.get(&self.kernel_of(row).id).filter(|_| is_traced);
        let size =
            format!("{size} {}", of_group.map_or(&*subject.variant, String::as_str)).trim().to_string();
        let edits = subject.launch_edits;
        if edits.is_empty() { size } else { format!("{size} ◇ {edits}") }
    }

    /// Kernel, size and GPUs of the selected row, as a title.
    #[must_use]
    pub fn question_title(&self) -> String {
        let Pair { source, target } = self.pair();
        format!(
            "{}: {} to {}",
            self.with_size(self.kernel().label()),
            source.short_name(),
            target.short_name()
        )
    }

    /// The selected row's answer.
    #[must_use]
    pub fn answer(&self) -> &Answer {
        self.answers.whole(self.selected).expect("the selected row is predicted before all others")
    }

    /// Whether keys are letters now.
    #[must_use]
    pub fn takes_text(&self) -> bool {
        self.overlays.last().is_some_and(|open| open.takes_text())
    }

    /// The line that is typed into the footer, with the words before it.
    #[must_use]
    pub fn typed_line(&self) -> Option<(String, &Input)> {
        self.overlays.last().and_then(|open| open.typed_line())
    }

    /// The first key that runs this action, for texts; the palette's where it has none.
    #[must_use]
    pub fn key_for(&self, action: Action) -> &str {
        self.keymap.key_of(action.id()).unwrap_or(":")
    }

    /// The current theme.
    #[must_use]
    pub fn theme(&self) -> &PaintTheme {
        &self.themes.0[self.themes.1]
    }

    /// The pane's name in keymaps.
    #[must_use]
    pub fn place(&self) -> &'static str {
        self.focus.pane_place()
    }

    /// What to remember.
    #[must_use]
    pub fn saved(&self) -> Saved {
        let id = |g: &GpuId| self.session.gpus[self.existing_gpu(*g)].id.clone();
        Saved {
            source: Some(id(&self.selection.source)),
            targets: self.selection.targets.iter().map(id).collect(),
            kernel: Some(self.kernel().id.clone()),
            problem: Some(self.rows[self.selected].problem.to_string()),
            model: self.model_chosen.then(|| MODELS[self.selection.settings.model].id().into()),
            ceilings: Some(self.selection.settings.ceilings.as_str().into()),
            rules: Some(self.selection.settings.rules.as_str().into()),
            theme: self.remembered_theme.clone(),
            typed: self.typed.iter().map(ToString::to_string).collect(),
            dropped: self.dropped_typed.clone(),
            at_start: self.saved_at_start.clone(),
            keeps_selection: self.saved_at_start.as_ref().is_some_and(|saved| saved.keeps_selection),
        }
    }
}
