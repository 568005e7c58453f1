//! The board power model fitted again, with every GPU and every kernel left out once, and beside it a learned residual that
//! was tried and is not used.

mod residual;
pub mod study;
mod table;

pub use table::study_table;

use super::FitError;
use crate::gemm::physical::LIBRARY;
use crate::learn::Progress;
use crate::measurement::Measurement;
use crate::power::PowerModel;
use crate::power::fit::PowerRow;
use crate::session::Session;
use study::{PowerFold, PowerTrial, Study, study};

/// The power model's fit, and what it gets wrong.
pub struct PowerFit {
    /// The fit, every GPU and every kernel left out once.
    pub study: Study,
    /// The same with a learned residual.
    pub learned: Vec<(PowerFold, Vec<PowerTrial>)>,
    /// Rows that only check it.
    pub checked: Vec<PowerTrial>,
    /// The fit as it would ship.
    pub model: PowerModel,
}

/// The power model's fit to these rows, with every GPU and every kernel left out once. Rows of paper 4's kernel only
/// check it: their readings do not belong to their runs.
///
/// # Errors
/// [`FitError::Power`] where fewer than two GPUs or kernels have a power.
pub fn fit_power(session: &Session, rows: &[Measurement], progress: &Progress) -> Result<PowerFit, FitError> {
    let gpus = session.stock_gpus();
    let library = session.kernels.id_named(LIBRARY);
    let all: Vec<PowerRow> = rows.iter().filter_map(|r| PowerRow::from_measurement(r, gpus)).collect();
    let (check, rows): (Vec<PowerRow>, Vec<PowerRow>) =
        all.into_iter().partition(|r| Some(r.kernel) == library);
    let study = study(&rows, gpus)?;
    let mut learned = Vec::new();
    for fold in [PowerFold::Gpu, PowerFold::Kernel] {
        learned.push((fold, residual::trials(&rows, gpus, fold, progress)?));
    }
    let model = study.model(&rows, gpus);
    let checked = study.residual_trials(&rows, &check, gpus);
    Ok(PowerFit { study, learned, checked, model })
}
