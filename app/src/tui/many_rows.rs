//! Questions about many rows, for the worker: the rows that are not on the screen, and every model over the timed rows.
//! Each carries the revision of the question it belongs to; an answer to an older one is dropped.

use super::row_answers::{AnsweredRow, RowFigures};
use crate::answer::{Answer, Settings, TargetsQuestion};
use crate::gpu::GpuId;
use crate::predict::{MODELS, ModelId, SharedMachines, Subject, TimeEstimate};
use crate::session::{Session, Sources};
use crate::units::Seconds;
use std::sync::Arc;

/// From so many GPUs that the user has rows on the corrections are found before anybody asks for all sources.
const SOURCES_AHEAD: usize = 8;

/// What is asked of a row: from which GPUs, and how.
#[derive(Debug, Clone, Copy)]
pub struct RowQuery {
    /// Position of the source GPU.
    pub source: GpuId,
    /// Whether every GPU that timed the kernel is a source.
    pub all_sources: bool,
    /// Model, ceilings, rules.
    pub settings: Settings,
}

impl RowQuery {
    /// The same with another model.
    #[must_use]
    pub fn with_model(self, model: ModelId) -> Self {
        Self { settings: Settings { model, ..self.settings }, ..self }
    }

    /// One row onto one target, from the sources that are asked for.
    #[must_use]
    pub fn answer_row(self, session: &Session, row: &Subject, target: GpuId) -> Answer {
        let asked = session.answer_asked(row, &self.sources(), target, self.settings);
        asked.unwrap_or_else(|| session.answer(row, self.source, target, self.settings))
    }

    /// Whose times are asked for.
    fn sources(self) -> Sources {
        Sources::beside(self.source, self.all_sources)
    }

    /// The times of [`RowQuery::answer_row`] for many targets, in their order; `machines` are those of the session, for many rows.
    #[must_use]
    pub fn estimate_row<'a>(
        self,
        session: &'a Session,
        machines: &SharedMachines<'a>,
        row: &'a Subject,
        targets: &[GpuId],
    ) -> Vec<Option<TimeEstimate>> {
        if targets.is_empty() {
            return Vec::new();
        }
        if session.sources_asked(row, &self.sources(), self.settings.model).only() != Some(self.source) {
            return targets.iter().map(|target| self.answer_row(session, row, *target).estimate()).collect();
        }
        let Self { source, settings, .. } = self;
        let asked = TargetsQuestion { subject: row, source, targets, settings };
        let all = session.estimates_on(machines, asked);
        all.into_iter().map(Result::ok).collect()
    }

    /// The time of this row by each of these models.
    #[must_use]
    pub fn model_times(
        self,
        session: &Session,
        row: &Subject,
        target: GpuId,
        models: &[ModelId],
    ) -> Vec<Option<Seconds>> {
        let machines = session.machines();
        let time = |model: &ModelId| {
            let estimates = self.with_model(*model).estimate_row(session, &machines, row, &[target]);
            estimates.first().copied().flatten().map(|estimate| estimate.time)
        };
        models.iter().map(time).collect()
    }
}

/// The rows that are not on the screen.
#[derive(Debug, Clone)]
pub struct RowsQuestion {
    /// Which question of the dashboard it belongs to.
    pub revision: u64,
    /// What is known.
    pub session: Arc<Session>,
    /// From where, and how.
    pub query: RowQuery,
    /// Positions of the targets, the main one first.
    pub targets: Vec<GpuId>,
    /// All rows of the dashboard.
    pub subjects: Arc<Vec<Arc<Subject>>>,
    /// The places of those that are asked for.
    pub rows: Vec<usize>,
}

/// The answers to a [`RowsQuestion`].
#[derive(Debug, Clone)]
pub struct RowsAnswer {
    /// The question's revision.
    pub revision: u64,
    /// One answer per row.
    pub rows: Vec<AnsweredRow>,
}

impl RowsQuestion {
    /// Answers every row; `None` once it is cancelled.
    #[must_use]
    pub fn answer_rows(&self, is_cancelled: &dyn Fn() -> bool) -> Option<RowsAnswer> {
        let (main, further) = self.targets.split_first()?;
        let machines = self.session.machines();
        let mut rows = Vec::with_capacity(self.rows.len());
        for &row in &self.rows {
            if is_cancelled() {
                return None;
            }
            let subject = &self.subjects[row];
            rows.push(AnsweredRow {
                row,
                main: RowFigures::from(&self.query.answer_row(&self.session, subject, *main)),
                further: self.query.estimate_row(&self.session, &machines, subject, further),
            });
        }
        Some(RowsAnswer { revision: self.revision, rows })
    }

    /// Finds what the user's rows say of the models where one key asks for it next: the same targets by another model, the target as the
    /// source, further sources.
    pub fn find_next_corrections(&self) {
        let Self { session, query: RowQuery { source, settings, .. }, targets, .. } = self;
        for model in MODELS.ids() {
            let settings = Settings { model, ..*settings };
            for target in targets {
                session.find_correction(*source, *target, settings);
                session.find_correction(*target, *source, settings);
            }
        }
        for further in session.gpus_with_rows().take(SOURCES_AHEAD) {
            targets.iter().for_each(|target| session.find_correction(further, *target, *settings));
        }
    }
}

/// Every model over the timed rows.
#[derive(Debug, Clone)]
pub struct ModelsQuestion {
    /// Which question of the dashboard it belongs to.
    pub revision: u64,
    /// What is known.
    pub session: Arc<Session>,
    /// From where, and how; each of `models` takes the model's place.
    pub query: RowQuery,
    /// Position of the main target.
    pub target: GpuId,
    /// The models, by place.
    pub models: Vec<ModelId>,
    /// All rows of the dashboard.
    pub subjects: Arc<Vec<Arc<Subject>>>,
    /// The places of those that are asked for.
    pub rows: Vec<usize>,
}

/// The answer to a [`ModelsQuestion`].
#[derive(Debug, Clone)]
pub struct ModelsAnswer {
    /// The question's revision.
    pub revision: u64,
    /// By row: the time of each asked model.
    pub rows: Vec<(usize, Vec<Option<Seconds>>)>,
}

impl ModelsQuestion {
    /// Answers every row; `None` once it is cancelled.
    #[must_use]
    pub fn answer_models(&self, is_cancelled: &dyn Fn() -> bool) -> Option<ModelsAnswer> {
        let mut rows = Vec::with_capacity(self.rows.len());
        for &row in &self.rows {
            if is_cancelled() {
                return None;
            }
            let subject = &self.subjects[row];
            rows.push((row, self.query.model_times(&self.session, subject, self.target, &self.models)));
        }
        Some(ModelsAnswer { revision: self.revision, rows })
    }
}
