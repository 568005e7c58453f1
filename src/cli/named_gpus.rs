//! The GPUs that a flag names.

use crate::gpu::GpuId;
use crate::rank::select_targets;
use crate::session::Session;
use anyhow::Result;

/// Positions of the GPUs of these names; `all` means every one.
pub(super) fn gpus(session: &Session, names: &[String]) -> Result<Vec<GpuId>> {
    let (all, named): (Vec<&String>, Vec<&String>) = names.iter().partition(|name| *name == "all");
    // A slip in another name is one all the same.
    let named = named.into_iter().map(|name| session.gpus.position(name)).collect::<Result<_, _>>()?;
    Ok(if all.is_empty() { named } else { session.gpus.ids().collect() })
}

/// The GPUs that a list of targets means, as `rank` reads it; `except` is one only where it is named itself.
pub(super) fn target_gpus(session: &Session, names: &[String], except: Option<GpuId>) -> Result<Vec<GpuId>> {
    let mut targets = select_targets(&session.gpus, names)?;
    let is_named = |gpu: GpuId| names.iter().any(|name| session.gpus.position(name) == Ok(gpu));
    targets.retain(|gpu| Some(*gpu) != except || is_named(*gpu));
    Ok(targets)
}
