//! `--set mem=+20%`: hypothetical GPUs beside those that were named.

use crate::gpu::{GpuChanges, GpuId};
use crate::session::Session;
use anyhow::Result;

/// These GPUs with what `--set` changes of them; none where nothing is changed.
///
/// # Errors
/// Changes that cannot be read, or that one of the GPUs cannot have.
pub(super) fn changed_gpus(session: &mut Session, gpus: &[GpuId], set: Option<&str>) -> Result<Vec<GpuId>> {
    let Some(set) = set else { return Ok(Vec::new()) };
    let changes: GpuChanges = set.parse()?;
    if changes.is_empty() {
        return Ok(Vec::new());
    }
    Ok(gpus.iter().map(|gpu| session.add_hypothetical(*gpu, &changes)).collect::<Result<_, _>>()?)
}
