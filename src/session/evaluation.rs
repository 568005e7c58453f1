//! Evaluations of what is loaded: whose rows, and with whose ceilings.

use super::Session;
use crate::catalogue::{Catalogue, NameError};
use crate::evaluate::{EvaluationSetup, EvaluationWorld, ModelOutcome, Progress, evaluate};
use crate::import::{ReadAny, read_any, with_achieved};
use crate::kernel::Kernel;
use crate::learn::LearnError;
use crate::measurement::{Measurement, ReadError, Store, TimingKind};
use crate::predict::{MODELS, ModelId, Predictor};
use crate::train::{RegressorRecipe, regressor_outcome};
use std::path::PathBuf;
use std::sync::Arc;

impl Session {
    /// The rows that models are evaluated on: the user's, or the shipped ones where no file has any: kernels typed in the dashboard are
    /// no data to evaluate on. Never both: the same run may be among either.
    #[must_use]
    pub fn rows_to_evaluate(&self) -> Store {
        self.store.of_kind(self.kind_to_evaluate())
    }

    /// The same, and the session has no rows from now on: two stores of millions of them would stand side by side.
    #[must_use]
    pub fn take_rows_to_evaluate(&mut self) -> Store {
        let kind = self.kind_to_evaluate();
        self.edit(|workspace| std::mem::take(&mut workspace.store)).into_kind(kind)
    }

    fn kind_to_evaluate(&self) -> TimingKind {
        let own = self.store.rows().any(|r| r.kind() == TimingKind::Measured && !r.is_typed());
        if own { TimingKind::Measured } else { TimingKind::Published }
    }

    /// These models, given by their places, on these rows; `None` if it was cancelled.
    #[must_use]
    pub fn evaluate(
        &self,
        store: &Store,
        setup: &EvaluationSetup,
        models: &[ModelId],
        progress: &Progress,
    ) -> Option<Vec<ModelOutcome>> {
        let models: Vec<&dyn Predictor> = models.iter().map(|m| MODELS[*m]).collect();
        let gpus = self.stock_gpus();
        let world = EvaluationWorld { gpus, kernels: &self.kernels, store };
        let taught = self.taught(world, setup, &models, progress)?;
        evaluate(world, taught.as_ref().unwrap_or(setup), &models, progress)
    }

    /// These regressors of paper 1 on these rows, each fitted without the GPU it is asked about.
    ///
    /// # Errors
    /// [`LearnError`] where one cannot be fitted to the rows, or it was cancelled.
    pub fn evaluate_regressors(
        &self,
        store: &Store,
        setup: &EvaluationSetup,
        recipes: &[RegressorRecipe],
        progress: &Progress,
    ) -> Result<Vec<ModelOutcome>, LearnError> {
        let world = EvaluationWorld { gpus: self.stock_gpus(), kernels: &self.kernels, store };
        recipes.iter().map(|recipe| regressor_outcome(world, setup, *recipe, progress)).collect()
    }

    /// Forgets every kernel and every row, so that files added now say all that is known of theirs.
    pub fn forget_kernels(&mut self) {
        self.replace_kernels(Catalogue::new("kernel"), Store::default());
    }

    /// Makes the ceilings that the user's files state the achieved ones of their GPUs, and no other GPU's: of what
    /// several files state the highest counts.
    ///
    /// # Errors
    /// [`NameError`] where a file names a GPU that is not in the catalogue.
    pub fn use_stated_ceilings(&mut self) -> Result<(), NameError> {
        let gpus = with_achieved(self.stock_gpus(), &self.roofs)?;
        self.edit(|workspace| workspace.gpus = Arc::new(gpus));
        Ok(())
    }

    /// The rows of these files, and what was said while reading.
    ///
    /// # Errors
    /// [`ReadError`] where a file cannot be read as a whole.
    pub fn rows_of_files(&self, files: &[PathBuf]) -> Result<(Vec<Measurement>, Vec<ReadAny>), ReadError> {
        self.rows_by(files, &mut self.kernels.clone())
    }

    /// The rows of these files by this catalogue of kernels, which grows by theirs, and what was said while reading.
    ///
    /// # Errors
    /// [`ReadError`] where a file cannot be read as a whole.
    pub fn rows_by(
        &self,
        files: &[PathBuf],
        kernels: &mut Catalogue<Kernel>,
    ) -> Result<(Vec<Measurement>, Vec<ReadAny>), ReadError> {
        let mut all = Vec::new();
        for file in files {
            all.push(read_any(file, TimingKind::Measured, &self.gpus, kernels)?);
        }
        let rows = all.iter_mut().flat_map(|a| std::mem::take(&mut a.read.rows)).collect();
        Ok((rows, all))
    }
}
