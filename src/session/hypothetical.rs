//! GPUs that do not exist, beside those that do.

use super::Session;
use crate::gpu::{ChangeError, GpuChanges, GpuId};
use crate::power::PowerModel;
use std::sync::Arc;

impl Session {
    /// A GPU like this one with these numbers changed, added to the catalogue as `rtx-4070?mem=+20%`; the same changes asked
    /// again are the same GPU.
    ///
    /// # Errors
    /// [`ChangeError`] for changes that cannot be made; the session is unchanged then.
    pub fn add_hypothetical(&mut self, base: GpuId, changes: &GpuChanges) -> Result<GpuId, ChangeError> {
        let id = format!("{}?{changes}", self.gpus[base].id);
        if let Some(known) = self.gpus.id_named(&id) {
            return Ok(known);
        }
        let made = PowerModel::changed_gpu(self.stock(base), changes, &id)?;
        let added = self.edit(|workspace| Arc::make_mut(&mut workspace.gpus).insert(made));
        debug_assert!(added.is_ok(), "{added:?}: nobody has this name");
        Ok(self.gpus.id_named(&id).unwrap_or(base))
    }
}
