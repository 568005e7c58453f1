//! GEMM rows of files, and paper 4 and the power model again from them.

use super::Session;
use crate::catalogue::FileError;
use crate::learn::{LearnError, Progress};
use crate::measurement::{Measurement, ReadAny, ReadError};
use crate::train::gemm::GemmRow;
use crate::train::gemm::audited::{self, Line};
use crate::train::gemm::paper4::{Tables, reproduce};
use crate::train::gemm::physical::LIBRARY;
use crate::train::gemm::sharing::{Shared, shared};
use crate::train::power::PowerModel;
use crate::train::power::fit::PowerRow;
use crate::train::power::residual;
use crate::train::power::study::{Fold, PowerError, Study, Trial, study};
use std::path::PathBuf;

/// Paper 4 from its rows.
#[derive(Debug, Clone)]
pub struct Paper4 {
    /// Its tables.
    pub tables: Tables,
    /// Errors with problems held out.
    pub lines: Vec<Line>,
    /// Shapes whose time depends on the utilisation.
    pub shared: Vec<Shared>,
}

/// The power model's fit, and what it gets wrong.
pub struct PowerFit {
    /// The fit, every GPU and every kernel left out once.
    pub study: Study,
    /// The same with a learned residual.
    pub learned: Vec<(Fold, Vec<Trial>)>,
    /// Rows that only check it.
    pub checked: Vec<Trial>,
    /// The fit as it would ship.
    pub model: PowerModel,
}

/// Why a model cannot be made from files.
#[derive(Debug, thiserror::Error)]
pub enum FitError {
    /// A file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// Too little to learn from, or it was cancelled.
    #[error(transparent)]
    Learn(#[from] LearnError),
    /// Too little to fit power.
    #[error(transparent)]
    Power(#[from] PowerError),
    /// A table inside the program is damaged.
    #[error(transparent)]
    Table(#[from] FileError),
    /// No row is a matrix product.
    #[error(
        "no row has the sizes m, n and k: give the GEMM runs, such as paper 4's cutlass_sgemm_rtx4070 as canonical CSV or as its script wrote them"
    )]
    NoGemm,
}

impl Session {
    /// The rows of these files, and what was said while reading.
    ///
    /// # Errors
    /// [`ReadError`] where a file cannot be read as a whole.
    pub fn rows_of_files(&self, files: &[PathBuf]) -> Result<(Vec<Measurement>, Vec<ReadAny>), ReadError> {
        self.rows_by(files, &mut self.kernels.clone())
    }

    /// Paper 4's tables, and what its models are worth.
    ///
    /// # Errors
    /// [`FitError`] where the rows are no GEMM runs with power, or it was cancelled.
    pub fn reproduce_paper4(&self, rows: &[Measurement], progress: &Progress) -> Result<Paper4, FitError> {
        let rows: Vec<GemmRow> = rows.iter().filter_map(GemmRow::of).collect();
        if rows.is_empty() {
            return Err(FitError::NoGemm);
        }
        let power = PowerModel::shipped()?;
        let world = (self.stock_gpus(), &self.kernels);
        Ok(Paper4 {
            tables: reproduce(&rows, progress)?,
            lines: audited::study(&rows, world, &power, progress)?,
            shared: shared(&rows),
        })
    }

    /// The power model's fit to these rows, with every GPU and every kernel left out once. Rows of paper 4's kernel only
    /// check it: their readings do not belong to their runs.
    ///
    /// # Errors
    /// [`FitError::Power`] where fewer than two GPUs or kernels have a power.
    pub fn fit_power(&self, rows: &[Measurement], progress: &Progress) -> Result<PowerFit, FitError> {
        let gpus = self.stock_gpus();
        let library = self.kernels.get(LIBRARY);
        let all: Vec<PowerRow> = rows.iter().filter_map(|r| PowerRow::of(r, &gpus)).collect();
        let (check, rows): (Vec<PowerRow>, Vec<PowerRow>) =
            all.into_iter().partition(|r| Some(r.kernel) == library);
        let study = study(&rows, &gpus)?;
        let mut learned = Vec::new();
        for fold in [Fold::Gpu, Fold::Kernel] {
            learned.push((fold, residual::trials(&rows, &gpus, fold, progress)?));
        }
        let model = study.model(&rows, &gpus);
        let checked = study.check(&rows, &check, &gpus);
        Ok(PowerFit { study, learned, checked, model })
    }
}
