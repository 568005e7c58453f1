//! Rows of a table that are answered each by itself: what other rows of the table know of its kernel plays no part, so that it
//! does not matter how a table is cut into pieces or in which order they come.

use super::{Session, loaded};
use crate::answer::{
    Answer, AnswerContext, Corrections, Settings, TargetsQuestion, answer_pair, estimate_targets,
};
use crate::catalogue::Catalogue;
use crate::gpu::GpuId;
use crate::kernel::Kernel;
use crate::measurement::{Floors, Measurement, RowError, Store};
use crate::predict::{ModelRefusal, SharedMachines, Subject, TimeEstimate};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What is asked about every row.
#[derive(Debug)]
pub struct RowQuestions<'a> {
    session: &'a Session,
    /// Where the rows might run.
    pub targets: Vec<GpuId>,
    /// A set of settings for each model.
    pub settings: Vec<Settings>,
    /// Launch floors of what is loaded.
    floors: Arc<Floors>,
}

/// What a table has in the place of a row: a measurement, or why it is none.
pub trait BatchRow {
    /// The measurement.
    fn measurement(&self) -> Option<&Measurement>;
}

impl BatchRow for Measurement {
    fn measurement(&self) -> Option<&Measurement> {
        Some(self)
    }
}

impl BatchRow for Result<Measurement, RowError> {
    fn measurement(&self) -> Option<&Measurement> {
        self.as_ref().ok()
    }
}

/// A row as a store of its own, and what it is about.
#[derive(Debug)]
pub struct RowAlone {
    /// The kernel as the row has it.
    pub subject: Subject,
    store: Store,
}

impl RowAlone {
    /// The row.
    #[must_use]
    pub fn row(&self) -> &Measurement {
        // It was put there.
        self.store.rows().next().expect("a store of one row")
    }
}

impl<'a> RowQuestions<'a> {
    /// Questions about rows that were timed on any GPU.
    #[must_use]
    pub fn new(session: &'a Session, targets: Vec<GpuId>, settings: Vec<Settings>) -> Self {
        Self { session, targets, settings, floors: session.store.shared_floors() }
    }

    /// What is loaded beside the rows.
    #[must_use]
    pub fn session(&self) -> &'a Session {
        self.session
    }

    /// Calls `answer` with parts of a block of a table, in its order, and with kernels of the arithmetic that each of these rows states or
    /// shows by itself: a kernel has one arithmetic in a part. Returns what columns `pipe` hold that is not understood, once per kernel.
    ///
    /// # Errors
    /// The first of `answer`.
    pub fn for_each_part<R: BatchRow, E>(
        &self,
        kernels: &mut Catalogue<Kernel>,
        rows: Vec<R>,
        mut answer: impl FnMut(&Catalogue<Kernel>, Vec<R>) -> Result<(), E>,
    ) -> Result<Vec<String>, E> {
        let (mut told, mut remarks) = (BTreeSet::new(), Vec::new());
        let (mut part, mut in_part) = (Vec::new(), BTreeSet::new());
        for next in rows {
            if let Some(row) = next.measurement() {
                let kernel = &kernels[row.kernel];
                let (stated, why) = loaded::arithmetic_by_row(row, &self.session.gpus, kernel);
                remarks.extend(why.filter(|_| told.insert(row.kernel)));
                if stated != kernel.stated_arithmetic {
                    let mut changed = kernel.clone();
                    changed.stated_arithmetic = stated;
                    if in_part.contains(&row.kernel) {
                        answer(kernels, std::mem::take(&mut part))?;
                        in_part.clear();
                    }
                    // Its names are those it has.
                    let _ = kernels.insert(changed);
                }
                in_part.insert(row.kernel);
            }
            part.push(next);
        }
        answer(kernels, part)?;
        Ok(remarks)
    }

    /// The row as it is asked about.
    ///
    /// # Errors
    /// Why its kernel cannot be asked about at this size.
    pub fn asked_row(&self, kernels: &Catalogue<Kernel>, row: Measurement) -> Result<RowAlone, String> {
        let kernel = &kernels[row.kernel];
        let store = Store::of_row(row, self.floors.clone());
        let (id, config) = store.configs().next().expect("a store of one row");
        let subject = Subject::from_config(kernel, config, Some(id));
        Ok(RowAlone { subject: subject.map_err(|why| format!("kernel {}: {why}", kernel.id))?, store })
    }

    /// The row on every target with every model, in that order.
    #[must_use]
    pub fn answers(&self, kernels: &Catalogue<Kernel>, asked: &RowAlone) -> Vec<Answer> {
        let corrections = Corrections::default();
        let context = self.context(kernels, asked, &corrections);
        let source = asked.row().gpu;
        let asked_of = |target: GpuId| self.settings.iter().map(move |settings| (target, *settings));
        let each = self.targets.iter().copied().flat_map(asked_of);
        each.map(|(target, settings)| answer_pair(context, &asked.subject, source, target, settings))
            .collect()
    }

    /// The GPUs as many rows find them, for [`RowQuestions::estimates`].
    #[must_use]
    pub fn machines(&self) -> SharedMachines<'a> {
        self.session.machines()
    }

    /// The numbers of [`RowQuestions::answers`] with the first model, or why there are none.
    #[must_use]
    pub fn estimates(
        &self,
        machines: &SharedMachines<'_>,
        kernels: &Catalogue<Kernel>,
        asked: &RowAlone,
    ) -> Vec<Result<TimeEstimate, ModelRefusal>> {
        let corrections = Corrections::default();
        let context = self.context(kernels, asked, &corrections);
        let settings = self.settings.first().copied().unwrap_or_default();
        let (subject, source) = (&asked.subject, asked.row().gpu);
        let asked = TargetsQuestion { subject, source, targets: &self.targets, settings };
        let mut all = Vec::with_capacity(self.targets.len());
        estimate_targets(context, machines, asked, |_, found| all.push(found));
        all
    }

    fn context<'c>(
        &self,
        kernels: &'c Catalogue<Kernel>,
        asked: &'c RowAlone,
        corrections: &'c Corrections,
    ) -> AnswerContext<'c>
    where
        'a: 'c,
    {
        AnswerContext { kernels, store: &asked.store, corrections, ..self.session.answer_context() }
    }
}
