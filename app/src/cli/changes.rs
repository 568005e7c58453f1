//! `--set mem=+20%`: hypothetical GPUs beside those that were named.

use super::Usage;
use super::output::keep_fitting;
use crate::gpu::{GpuChanges, GpuId};
use crate::session::Session;
use anyhow::Result;

/// These GPUs with what `--set` changes of them; none without `--set`. Of several those that can have it: the others are named on stderr.
///
/// # Errors
/// Changes that cannot be read, or that none of the GPUs can have.
pub(super) fn changed_gpus(session: &mut Session, gpus: &[GpuId], set: Option<&str>) -> Result<Vec<GpuId>> {
    let Some(set) = set else { return Ok(Vec::new()) };
    let changes = typed_changes(set)?;
    keep_fitting(gpus.iter().map(|gpu| {
        changes.check_effect(&session.gpus[*gpu])?;
        Ok(session.add_hypothetical(*gpu, &changes)?)
    }))
}

/// What one `--set` changes.
///
/// # Errors
/// Changes that cannot be read, and none at all.
pub(super) fn typed_changes(set: &str) -> Result<GpuChanges> {
    let changes: GpuChanges = set.parse()?;
    if changes.is_empty() {
        return Err(Usage("--set changes nothing: write changes such as mem=+20%,l2=72MiB".into()).into());
    }
    Ok(changes)
}
