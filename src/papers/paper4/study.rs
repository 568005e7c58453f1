//! Paper 4 from the rows of files.

use super::audited::{self, ProtocolErrors};
use super::tables::{Paper4Tables, reproduce};
use crate::gemm::GemmRow;
use crate::gemm::sharing::{SharedTimes, shared};
use crate::learn::Progress;
use crate::measurement::Measurement;
use crate::papers::FitError;
use crate::power::PowerModel;
use crate::session::Session;

/// Paper 4 from its rows.
#[derive(Debug, Clone)]
pub struct Paper4 {
    /// Its tables.
    pub tables: Paper4Tables,
    /// Errors with problems held out.
    pub lines: Vec<ProtocolErrors>,
    /// Shapes whose time depends on the utilisation.
    pub shared: Vec<SharedTimes>,
}

/// Paper 4's tables, and what its models are worth.
///
/// # Errors
/// [`FitError`] where the rows are no GEMM runs with power, or it was cancelled.
pub fn reproduce_tables(
    session: &Session,
    rows: &[Measurement],
    progress: &Progress,
) -> Result<Paper4, FitError> {
    let rows: Vec<GemmRow> = rows.iter().filter_map(GemmRow::from_measurement).collect();
    if rows.is_empty() {
        return Err(FitError::NoGemm);
    }
    let power = PowerModel::shipped()?;
    let world = (session.stock_gpus(), &session.kernels);
    Ok(Paper4 {
        tables: reproduce(&rows, progress)?,
        lines: audited::study(&rows, world, &power, progress)?,
        shared: shared(&rows),
    })
}
