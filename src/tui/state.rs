//! What the dashboard knows. Only `update` changes it; `view` only reads it.

use super::layout::Pane;
use super::prompt::Overlay;
use crate::config::{Keymap, Saved, Theme};
use crate::evaluate::{Answer, ErrorSummary, Settings, summarise};
use crate::gpu::{Ceilings, Gpu};
use crate::kernel::{Kernel, Problem};
use crate::occupancy::Rules;
use crate::predict::{MODELS, Subject, model_position};
use crate::session::Session;
use crate::units::Seconds;
use std::path::PathBuf;
use std::sync::Arc;

/// The pair that shows the most at once and was measured on both sides.
const FIRST_SOURCE: &str = "titan-v";
const FIRST_TARGET: &str = "rtx-4070";
/// The kernel shown first when none is asked for or remembered.
pub const FIRST_KERNEL: &str = "matmul_tiled";

/// The most rows that are predicted again within a frame.
const MOST_ROWS: usize = 10_000;

/// Below this size one pane has the screen.
const ROOM_FOR_FOUR: (u16, u16) = (64, 18);

/// How many changes can be undone.
const UNDO_DEPTH: usize = 100;

/// Source, targets, model and the rest: what is asked of every row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    /// Position of the source GPU.
    pub source: usize,
    /// Positions of the targets; the first is the main one, there is always one.
    pub targets: Vec<usize>,
    /// Model, ceilings, rules.
    pub settings: Settings,
}

/// What the predictions are sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// Name, then size.
    Kernel,
    /// Time on the source.
    Source,
    /// Predicted time.
    Predicted,
    /// Source over predicted.
    Speedup,
    /// Error against the measured time.
    Error,
}

impl Sort {
    /// All, in the order of the columns.
    pub const ALL: [Self; 5] = [Self::Kernel, Self::Source, Self::Predicted, Self::Speedup, Self::Error];

    /// The word in the pane's title.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Kernel => "kernel",
            Self::Source => "source time",
            Self::Predicted => "predicted time",
            Self::Speedup => "speedup",
            Self::Error => "error",
        }
    }
}

/// How a message is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// Something was done.
    Done,
    /// Something could not be done.
    Refused,
}

/// What can be undone: the selection and the rows' sizes that changed.
#[derive(Debug, Clone)]
pub(super) struct Step {
    pub(super) selection: Selection,
    pub(super) row: usize,
    pub(super) subject: Subject,
}

/// The whole state.
#[derive(Debug, Clone)]
pub struct State {
    /// The loaded world.
    pub session: Arc<Session>,
    /// One row per kernel, plus one per measured configuration that is not a kernel's first size.
    pub rows: Vec<Subject>,
    /// The main target's answer for every row.
    pub answers: Vec<Answer>,
    /// The predicted times of the further targets, by target, then row.
    pub further: Vec<Vec<Option<Seconds>>>,
    /// The rows that are shown, filtered and sorted.
    pub shown: Vec<usize>,
    /// The selected row (in `rows`).
    pub selected: usize,
    /// The GPUs that are shown, filtered.
    pub gpus: Vec<usize>,
    /// The GPU under the cursor (in `gpus`).
    pub gpu_cursor: usize,
    /// What is asked.
    pub selection: Selection,
    /// The pane with the keyboard.
    pub focus: Pane,
    /// Whether it fills the screen.
    pub zoom: bool,
    /// How many memory levels the roofline shows.
    pub levels: usize,
    /// log10 of the intensity that the roofline reads out.
    pub readout: Option<f64>,
    /// What lies over the panes.
    pub overlay: Overlay,
    /// Filter of the GPUs.
    pub gpu_filter: String,
    /// Filter of the predictions.
    pub row_filter: String,
    /// Order of the predictions, and whether it is reversed.
    pub sort: (Sort, bool),
    /// The last message.
    pub message: Option<(Tone, String)>,
    /// What was refused while loading.
    pub notices: Vec<String>,
    /// What the worker is doing.
    pub job: Option<String>,
    /// Width and height of the terminal.
    pub size: (u16, u16),
    /// Which key does what.
    pub keymap: Arc<Keymap>,
    /// All themes and the current one.
    pub themes: (Arc<[Theme]>, usize),
    /// The theme to remember: the one chosen with a key, not the one of `--theme` or `NO_COLOR`.
    pub remembered_theme: Option<String>,
    /// Draw with ASCII only.
    pub ascii: bool,
    /// The user's measurement files.
    pub data: Vec<PathBuf>,
    /// How wrong each model is over the rows shown whose target was measured; models other than the current one only
    /// while they are compared.
    pub errors: Vec<Option<ErrorSummary>>,
    /// What was asked for at the start; a kernel may come only with the data.
    wanted: Saved,
    pub(super) undo: Vec<Step>,
}

impl State {
    /// The first screen: the pair asked for, else the remembered one, else one that was measured on both sides.
    #[must_use]
    pub fn new(session: Arc<Session>, keymap: Keymap, themes: (Vec<Theme>, usize), saved: &Saved) -> Self {
        let find = |id: Option<&str>| id.and_then(|id| session.gpus.position(id).ok());
        let source = find(saved.source.as_deref()).or_else(|| find(Some(FIRST_SOURCE))).unwrap_or(0);
        let mut targets: Vec<usize> = Vec::new();
        for target in saved.targets.iter().filter_map(|t| find(Some(t))) {
            if !targets.contains(&target) {
                targets.push(target);
            }
        }
        if targets.is_empty() {
            targets.push(find(Some(FIRST_TARGET)).unwrap_or(0));
        }
        let model = saved.model.as_deref().and_then(|m| model_position(m).ok()).unwrap_or(0);
        let ceilings = match saved.ceilings.as_deref() {
            Some("achieved") => Ceilings::Achieved,
            _ => Ceilings::Peak,
        };
        let rules = match saved.rules.as_deref() {
            Some("study") => Rules::Study,
            _ => Rules::Exact,
        };
        let notices = session.problems.clone();
        let mut state = Self {
            rows: first_rows(&session, source),
            wanted: saved.clone(),
            data: Vec::new(),
            errors: vec![None; MODELS.len()],
            gpus: (0..session.gpus.entries().len()).collect(),
            selection: Selection { source, targets, settings: Settings { model, ceilings, rules } },
            session,
            answers: Vec::new(),
            further: Vec::new(),
            shown: Vec::new(),
            selected: 0,
            gpu_cursor: 0,
            focus: Pane::Predictions,
            zoom: false,
            levels: 1,
            readout: None,
            overlay: Overlay::None,
            gpu_filter: String::new(),
            row_filter: String::new(),
            sort: (Sort::Kernel, false),
            message: None,
            notices,
            job: None,
            size: (80, 24),
            keymap: Arc::new(keymap),
            themes: (themes.0.into(), themes.1),
            remembered_theme: saved.theme.clone(),
            ascii: false,
            undo: Vec::new(),
        };
        state.gpu_cursor = state.gpus.iter().position(|g| *g == state.target()).unwrap_or(0);
        state.select_kernel(saved.kernel.as_deref().unwrap_or(FIRST_KERNEL), saved.problem.as_deref());
        state.predict_all();
        state.sum_up_errors();
        state
    }

    fn select_kernel(&mut self, kernel: &str, problem: Option<&str>) {
        let Ok(kernel) = self.session.kernels.position(kernel) else { return };
        let Some(row) = self.rows.iter().position(|r| r.kernel == kernel) else { return };
        self.selected = row;
        let typed = problem.and_then(|p| Problem::parse_recorded(p).ok());
        if let Some(subject) =
            typed.and_then(|p| self.session.subject(kernel, &p, &self.rows[row].variant).ok())
        {
            self.rows[row] = subject;
        }
    }

    /// The main target.
    #[must_use]
    pub fn target(&self) -> usize {
        self.selection.targets[0]
    }

    /// Source and main target.
    #[must_use]
    pub fn pair(&self) -> [&Gpu; 2] {
        [self.selection.source, self.target()].map(|g| &self.session.gpus.entries()[g])
    }

    /// The selected row's kernel.
    #[must_use]
    pub fn kernel(&self) -> &Kernel {
        self.kernel_of(self.selected)
    }

    /// A row's kernel.
    #[must_use]
    pub fn kernel_of(&self, row: usize) -> &Kernel {
        &self.session.kernels.entries()[self.rows[row].kernel]
    }

    /// A row's size as a person would type it, with its variant.
    #[must_use]
    pub fn size_of(&self, row: usize) -> String {
        let subject = &self.rows[row];
        let size = self.kernel_of(row).short_problem(&subject.problem);
        if subject.variant.is_empty() { size } else { format!("{size} {}", subject.variant) }
    }

    /// Kernel, size and GPUs of the selected row, as a title.
    #[must_use]
    pub fn question_title(&self) -> String {
        let [source, target] = self.pair();
        format!(
            "{} {}: {} to {}",
            self.kernel().id,
            self.size_of(self.selected),
            source.short_name(),
            target.short_name()
        )
    }

    /// The selected row's answer.
    #[must_use]
    pub fn answer(&self) -> &Answer {
        &self.answers[self.selected]
    }

    /// Sums up how wrong the current model is, and all others while they are compared.
    pub(super) fn sum_up_errors(&mut self) {
        let comparing = matches!(self.overlay, Overlay::Compare(_));
        self.errors = (0..MODELS.len())
            .map(|m| if comparing || m == self.selection.settings.model { self.errors_of(m) } else { None })
            .collect();
    }

    fn errors_of(&self, model: usize) -> Option<ErrorSummary> {
        let Selection { source, settings, .. } = &self.selection;
        let settings = Settings { model, ..*settings };
        let time = |a: &Answer| a.prediction.as_ref().ok().map(|p| p.time.0);
        let predicted = |row: usize| {
            if model == self.selection.settings.model {
                return time(&self.answers[row]);
            }
            time(&self.session.answer(&self.rows[row], *source, self.target(), settings))
        };
        let timed = self.shown.iter().filter_map(|r| Some((*r, self.answers[*r].measured?.time.0)));
        let pairs: Vec<(f64, f64)> =
            timed.filter_map(|(row, measured)| Some((predicted(row)?, measured))).collect();
        summarise(&pairs)
    }

    /// The pane that fills the screen, if one does: by choice, or because there is no room for four.
    #[must_use]
    pub fn zoomed(&self) -> Option<Pane> {
        let cramped = self.size.0 < ROOM_FOR_FOUR.0 || self.size.1 < ROOM_FOR_FOUR.1;
        (self.zoom || cramped).then_some(self.focus)
    }

    /// The current theme.
    #[must_use]
    pub fn theme(&self) -> &Theme {
        &self.themes.0[self.themes.1]
    }

    /// The pane's name in keymaps.
    #[must_use]
    pub fn place(&self) -> &'static str {
        self.focus.place()
    }

    /// What to remember.
    #[must_use]
    pub fn saved(&self) -> Saved {
        let id = |g: &usize| self.session.gpus.entries()[*g].id.clone();
        Saved {
            source: Some(id(&self.selection.source)),
            targets: self.selection.targets.iter().map(id).collect(),
            kernel: Some(self.kernel().id.clone()),
            problem: Some(self.rows[self.selected].problem.to_string()),
            model: Some(MODELS[self.selection.settings.model].id().into()),
            ceilings: Some(self.selection.settings.ceilings.word().into()),
            rules: Some(self.selection.settings.rules.word().into()),
            theme: self.remembered_theme.clone(),
        }
    }

    /// Takes a new world in (a measurement file was loaded) and keeps the selection; a kernel that was asked for at the
    /// start and came with the data is selected.
    pub fn take_session(&mut self, session: Arc<Session>) {
        let selected = self.rows[self.selected].clone();
        self.session = session;
        self.rows = first_rows(&self.session, self.selection.source);
        if self.rows.len() > MOST_ROWS {
            let n = self.rows.len();
            self.notices
                .push(format!("{n} configurations: the first {MOST_ROWS} are shown; `predict` answers all"));
            self.rows.truncate(MOST_ROWS);
        }
        let same = |r: &Subject| {
            r.kernel == selected.kernel && r.problem == selected.problem && r.variant == selected.variant
        };
        self.selected = self.rows.iter().position(same).unwrap_or_else(|| {
            let row = self.rows.iter().position(|r| r.kernel == selected.kernel).unwrap_or(0);
            self.rows[row] = selected;
            row
        });
        if let Some(kernel) = self.wanted.kernel.take() {
            match self.session.kernels.position(&kernel) {
                Ok(_) => self.select_kernel(&kernel, self.wanted.problem.clone().as_deref()),
                Err(unknown) => self.notices.push(unknown.to_string()),
            }
        }
        self.undo.clear();
        self.predict_all();
    }

    /// Remembers the present for undo.
    pub(super) fn remember(&mut self) {
        if self.undo.len() == UNDO_DEPTH {
            self.undo.remove(0);
        }
        let (row, subject) = (self.selected, self.rows[self.selected].clone());
        self.undo.push(Step { selection: self.selection.clone(), row, subject });
    }

    /// Answers every row again: source, target, model or ceilings changed.
    pub(super) fn predict_all(&mut self) {
        let Selection { source, settings, targets } = &self.selection;
        let (session, rows) = (&self.session, &self.rows);
        let all = |target: usize| -> Vec<Answer> {
            rows.iter().map(|r| session.answer(r, *source, target, *settings)).collect()
        };
        let times =
            |target: &usize| all(*target).into_iter().map(|a| a.prediction.ok().map(|p| p.time)).collect();
        let (answers, further) = (all(targets[0]), targets[1..].iter().map(times).collect());
        (self.answers, self.further) = (answers, further);
        self.arrange();
    }

    /// Answers the selected row again: its size changed.
    pub(super) fn predict_selected(&mut self) {
        let (row, selection) = (self.selected, &self.selection);
        let answer =
            |target| self.session.answer(&self.rows[row], selection.source, target, selection.settings);
        let main = answer(selection.targets[0]);
        let times: Vec<_> =
            selection.targets[1..].iter().map(|t| answer(*t).prediction.ok().map(|p| p.time)).collect();
        self.answers[row] = main;
        for (column, time) in self.further.iter_mut().zip(times) {
            column[row] = time;
        }
        self.arrange();
    }

    /// Filters and sorts the rows; the selected row stays selected if it is still shown.
    pub(super) fn arrange(&mut self) {
        let words: Vec<String> =
            self.row_filter.to_lowercase().split_whitespace().map(String::from).collect();
        let matches = |row: usize| {
            words.is_empty() || {
                let text = format!("{} {}", self.kernel_of(row).id, self.size_of(row)).to_lowercase();
                words.iter().all(|w| text.contains(w))
            }
        };
        let mut shown: Vec<usize> = (0..self.rows.len()).filter(|r| matches(*r)).collect();
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

    /// Filters the GPUs; the cursor stays on its GPU if that is still shown.
    pub(super) fn arrange_gpus(&mut self) {
        let under = self.gpus.get(self.gpu_cursor).copied();
        let words: Vec<String> =
            self.gpu_filter.to_lowercase().split_whitespace().map(String::from).collect();
        let entries = self.session.gpus.entries();
        let matches = |g: &Gpu| {
            let text =
                format!("{} {} {} {}", g.id, g.name, g.architecture, g.compute_capability).to_lowercase();
            words.iter().all(|w| text.contains(w))
        };
        self.gpus = (0..entries.len()).filter(|i| matches(&entries[*i])).collect();
        self.gpu_cursor = self.gpus.iter().position(|g| Some(*g) == under).unwrap_or(0);
    }
}

/// One row per kernel at its first size, then every other configuration that somebody timed, by size.
fn first_rows(session: &Session, source: usize) -> Vec<Subject> {
    let of_kernel = |kernel: usize| {
        let first = session.default_size(kernel, Some(source));
        let variant = session.default_variant(kernel);
        let mut rows: Vec<Subject> = session.subject(kernel, &first, &variant).into_iter().collect();
        let mut others: Vec<_> =
            session.store.of_kernel(kernel).iter().map(|id| session.store.config(*id)).collect();
        others.retain(|c| !(*c.problem == first && *c.variant == *variant));
        others.sort_by(|a, b| a.problem.volume().total_cmp(&b.problem.volume()));
        rows.extend(others.iter().filter_map(|c| session.subject(kernel, &c.problem, &c.variant).ok()));
        rows
    };
    (0..session.kernels.entries().len()).flat_map(of_kernel).collect()
}
