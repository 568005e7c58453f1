//! What a question is about.

use super::launch_edits::LaunchEdits;
use crate::kernel::{FormulaError, Instance, Kernel, KernelId, Problem};
use crate::measurement::{Config, ConfigId};
use crate::units::Hertz;
use std::sync::Arc;

/// A kernel at one size in one variant, with its counts evaluated: everything that does not depend on a GPU.
#[derive(Debug, Clone)]
pub struct Subject {
    /// Position of the kernel in its catalogue.
    pub kernel: KernelId,
    /// The sizes.
    pub problem: Arc<Problem>,
    /// Code variant.
    pub variant: Arc<str>,
    /// Launch shape, shared memory and counts.
    pub instance: Instance,
    /// Its place in the store, where somebody timed it.
    pub config: Option<ConfigId>,
    /// The SM and memory clock of the row that is asked about, where its source has rows at several.
    pub timed_at: Option<[Option<Hertz>; 2]>,
    /// What is changed of its launch on the target; a source was timed as it is.
    pub launch_edits: LaunchEdits,
}

impl Subject {
    /// What was timed as this configuration of this kernel; `place`: where a store has it, if it does.
    ///
    /// # Errors
    /// [`FormulaError`] where a formula gives no sound number at this size.
    pub fn from_config(
        kernel: &Kernel,
        timed: Config<'_>,
        place: Option<ConfigId>,
    ) -> Result<Self, FormulaError> {
        Ok(Self {
            kernel: timed.kernel,
            problem: timed.problem.clone(),
            variant: timed.variant.clone(),
            instance: kernel.instance(timed.problem, timed.variant)?,
            config: place,
            timed_at: None,
            launch_edits: LaunchEdits::default(),
        })
    }

    /// The same kernel in the launch that was timed.
    #[must_use]
    pub fn as_timed(&self) -> Self {
        Self { launch_edits: LaunchEdits::default(), ..self.clone() }
    }
}
