//! What the board and the What if view ask about: the selected kernel, or the mix or application that is loaded beside it.

use super::action::Action;
use super::asked_workload::{AskedAbout, AskedApplication};
use super::layout::DashboardView;
use super::message::Effect;
use super::panes::application::findings::no_gpu_text;
use super::ranked::BoardRows;
use super::state::{DashboardState, Tone};
use super::text::clipped_apart;
use crate::gpu::{Gpu, GpuId};
use crate::predict::{MODELS, ModelId};
use crate::text::harmless_line;
use crate::train::WantedLessons;

impl DashboardState {
    /// What is asked about now: the kernel, where nothing else is loaded.
    #[must_use]
    pub fn asked_about(&self) -> AskedAbout {
        match self.ranked.asked_about {
            AskedAbout::Mix if self.ranked.mix.is_some() => AskedAbout::Mix,
            AskedAbout::Application if self.application.can_be_asked() => AskedAbout::Application,
            _ => AskedAbout::Kernel,
        }
    }

    /// Whether the selected kernel is asked about, whose launch can be edited.
    pub(super) fn asks_of_kernel(&self) -> bool {
        self.asked_about() == AskedAbout::Kernel
    }

    /// Whether this view speaks of what is loaded beside the kernel: the application, or what the board and What if ask about.
    pub(super) fn is_beside_kernel(&self) -> bool {
        match self.view {
            DashboardView::Swap | DashboardView::Evidence => false,
            DashboardView::Application => self.application.application.is_some(),
            DashboardView::Board | DashboardView::WhatIf => !self.asks_of_kernel(),
        }
    }

    /// Says that the selected kernel changed and where it is seen, in a view that is about an application or a mix.
    pub(super) fn say_unseen_kernel(&mut self) {
        if self.message.is_none() && self.is_beside_kernel() {
            let (name, swap) = (self.with_size(self.kernel().label()), self.key_for(Action::ViewSwap));
            let text = format!("selected kernel: {name}; {swap} shows it");
            self.say(Tone::Done, text);
        }
    }

    /// Whether this view speaks of the application, whose source and models are not those of kernels.
    pub(super) fn speaks_of_application(&self) -> bool {
        let is_application =
            self.view == DashboardView::Application || self.asked_about() == AskedAbout::Application;
        is_application && self.is_beside_kernel()
    }

    /// The model of the selected row on the target: the chosen one; of the default ones `hybrid` only where it corrects that kernel there, as
    /// commands say it.
    #[must_use]
    pub fn model_shown(&self) -> ModelId {
        let model = self.selection.settings.model;
        if self.model_chosen || model == ModelId::default() {
            return model;
        }
        let kernels = Some([self.rows[self.selected].kernel].into());
        self.session.default_model_for(&WantedLessons { kernels, targets: Some([self.target()].into()) })
    }

    /// `model: hybrid`; beside an application, which does not use it, also where it is seen.
    pub(super) fn model_words(&self) -> String {
        let model = MODELS[self.selection.settings.model].id();
        match self.speaks_of_application() {
            true => format!(
                "model of kernels: {model}; {} shows it; applications use the operator model or `components`",
                self.key_for(Action::ViewSwap)
            ),
            false => format!("model: {model}"),
        }
    }

    /// Beside an application, which keeps its own source: which one kernels have, and where it is seen.
    pub(super) fn source_words(&self) -> Option<String> {
        let name = |gpu: GpuId| self.session.gpus[gpu].short_name();
        let recorded = self.application.source.filter(|_| self.speaks_of_application())?;
        Some(format!(
            "source of kernels: {}; {} shows it; the application was recorded on {}",
            name(self.selection.source),
            self.key_for(Action::ViewSwap),
            name(recorded)
        ))
    }

    /// Its name: of a kernel with its size, of an application that of its file.
    pub(super) fn asked_name(&self) -> String {
        match (self.asked_about(), &self.application.application, &self.ranked.mix) {
            (AskedAbout::Application, Some(application), _) => harmless_line(application.file_name()),
            (AskedAbout::Mix, _, Some(mix)) => harmless_line(&mix.name),
            _ => self.with_size(self.kernel().label()),
        }
    }

    /// The part of the trace that is asked about, and the factor of its host; nothing where it is asked about as it was recorded, or
    /// not at all.
    pub(super) fn asked_part(&self) -> String {
        match self.asked_about() {
            AskedAbout::Application => self.application.part_words().join(", "),
            AskedAbout::Kernel | AskedAbout::Mix => String::new(),
        }
    }

    /// A name of the selected kernel with its size, where it has one.
    pub(super) fn with_size(&self, name: &str) -> String {
        format!("{name} {}", self.size_of(self.selected)).trim_end().to_string()
    }

    /// A GPU's name over a column of this width, apart from those of the other GPUs that are selected.
    pub(super) fn column_name(&self, gpu: &Gpu, width: usize) -> String {
        let selected = std::iter::once(&self.selection.source).chain(&self.selection.targets);
        let names = selected.map(|gpu| self.session.gpus[*gpu].short_name());
        clipped_apart(gpu.short_name(), names, width)
    }

    /// What the rows of the board have in common: of variants the kernel and its size, of block sizes its variant, too.
    pub(super) fn name_of_rows(&self) -> String {
        let row = &self.rows[self.selected];
        let variant = match self.ranked.rows {
            BoardRows::Gpus | BoardRows::Kernels => return self.asked_name(),
            BoardRows::Variants => "",
            BoardRows::Blocks => &*row.variant,
        };
        let kernel = self.kernel();
        let words = [kernel.label(), &kernel.short_problem(&row.problem), variant];
        words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
    }

    /// The GPU that the loaded application ran on; the selected source where no forecast is made of it.
    pub(super) fn application_source(&self) -> GpuId {
        self.application.source.unwrap_or(self.selection.source)
    }

    /// A name for a chart's file that says what is on it and between which GPUs; it is made safe where it is offered.
    #[must_use]
    pub fn chart_name(&self, what: &str) -> String {
        self.chart_name_from(what, self.selection.source)
    }

    /// The same from another source: that of an application.
    #[must_use]
    pub fn chart_name_from(&self, what: &str, source: GpuId) -> String {
        let (source, target) = (&self.session.gpus[source].id, &self.pair().target.id);
        let what: String = what.chars().take(80).collect();
        format!("{what}-{source}-{target}.svg")
    }

    /// A name for a chart of what is asked about: of an application with the GPU that it ran on.
    pub(super) fn asked_chart_name(&self, chart: &str) -> String {
        let source = match self.asked_about() {
            AskedAbout::Application => self.application_source(),
            AskedAbout::Kernel | AskedAbout::Mix => self.selection.source,
        };
        self.chart_name_from(&format!("{chart}-{}", self.asked_name()), source)
    }

    /// The application that is asked about.
    pub(super) fn asked_application(&self) -> Option<AskedApplication> {
        let found = &self.application;
        let application =
            found.application.as_ref().filter(|_| self.asked_about() == AskedAbout::Application)?;
        Some(AskedApplication::of_part(application, found.part.clone(), found.settings))
    }
}

/// Asks about the mix and the application, where they are loaded, and about the kernel again.
pub(super) fn ask_about_next(state: &mut DashboardState) -> Vec<Effect> {
    let mut all = vec![AskedAbout::Kernel];
    all.extend(state.ranked.mix.as_ref().map(|_| AskedAbout::Mix));
    all.extend(state.application.can_be_asked().then_some(AskedAbout::Application));
    if all.len() == 1 {
        let text = format!("{}; `:mix FILE` loads a mix of kernels", none_loaded_text(state));
        return state.say(Tone::Refused, text);
    }
    let now = state.asked_about();
    let place = all.iter().position(|workload| *workload == now).unwrap_or(0);
    ask_about(state, all[(place + 1) % all.len()]);
    let what = match state.asked_about() {
        AskedAbout::Kernel => "kernel",
        AskedAbout::Mix => "mix",
        AskedAbout::Application => "application",
    };
    state.say(Tone::Done, format!("compared now: {what} {}", state.asked_name()))
}

/// Asks about this from now on; the rows of its board are GPUs.
pub(super) fn ask_about(state: &mut DashboardState, workload: AskedAbout) {
    state.ranked.asked_about = workload;
    (state.ranked.rows, state.ranked.reversed, state.ranked.cursor) = (BoardRows::Gpus, false, None);
}

/// That no application is there, and how one is opened; of one whose GPU nobody knows, that it has to be chosen.
pub(super) fn none_loaded_text(state: &DashboardState) -> String {
    if let Some(application) = &state.application.application {
        return no_gpu_text(&state.session.gpus, application);
    }
    let key = state.key_for(Action::Import);
    format!("no application is loaded: {key} opens the trace of one")
}
