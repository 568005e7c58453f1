//! Paper 1's experiments from the rows of files.

use super::analytical::{AnalyticalExperiment, analytical_pairs, reproduce};
use super::figures::PredictedPair;
use crate::catalogue::{Catalogue, NameError};
use crate::evaluate::EvaluationWorld;
use crate::import::{ReadAny, with_achieved};
use crate::measurement::{ReadError, Store};
use crate::session::Session;
use std::path::PathBuf;

/// Paper 1's experiments on the rows of these files, with the ceilings that they state: on the rows' own counts,
/// registers and shapes, without what the catalogue knows of their kernels. Returns what was said while reading as
/// well.
///
/// # Errors
/// [`ReproduceError`] where a file cannot be read, or the files do not have what the experiments need.
pub fn reproduce_files(
    session: &Session,
    files: &[PathBuf],
) -> Result<(Vec<AnalyticalExperiment>, Vec<ReadAny>), ReproduceError> {
    on_rows_of(session, files, reproduce)
}

/// What Algorithm 1 says of all pairs of these files, on the same terms: the points of figures 1 and 3a.
///
/// # Errors
/// As [`reproduce_files`].
pub fn analytical_pairs_of_files(
    session: &Session,
    files: &[PathBuf],
) -> Result<Vec<PredictedPair>, ReproduceError> {
    on_rows_of(session, files, analytical_pairs).map(|(pairs, _)| pairs)
}

/// Does this on the rows of these files, with the ceilings that they state.
fn on_rows_of<T>(
    session: &Session,
    files: &[PathBuf],
    work: impl FnOnce(EvaluationWorld<'_>) -> T,
) -> Result<(T, Vec<ReadAny>), ReproduceError> {
    let mut kernels = Catalogue::new("kernel");
    let (mut rows, all) = session.rows_by(files, &mut kernels)?;
    let roofs: Vec<_> = all.iter().flat_map(|a| a.roofs.clone()).collect();
    let gpus = with_achieved(&session.gpus, &roofs)?;
    let without = rows.iter().map(|r| &gpus[r.gpu]);
    let mut without = without.filter(|g| g.fp32_achieved.is_none() || g.bandwidth_achieved.is_none());
    if rows.is_empty() {
        return Err(ReproduceError::NoRows);
    }
    if let Some(gpu) = without.next() {
        return Err(ReproduceError::NoCeilings(gpu.id.clone()));
    }
    // The first row of a configuration counts there; a store keeps the last.
    rows.reverse();
    let mut store = Store::default();
    store.add_rows(rows);
    Ok((work(EvaluationWorld { gpus: &gpus, kernels: &kernels, store: &store }), all))
}

/// Why paper 1 cannot be reproduced.
#[derive(Debug, thiserror::Error)]
pub enum ReproduceError {
    /// A file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A file names a GPU that is not in the catalogue.
    #[error(transparent)]
    Gpu(#[from] NameError),
    /// There are ceilings at most.
    #[error("no measured row: give paper 1's runs_*_final.csv or a canonical CSV")]
    NoRows,
    /// A GPU was timed, and nobody states its sustained ceilings.
    #[error("no file states the sustained ceilings of {0}: give gpu_metrics.json too")]
    NoCeilings(String),
}
