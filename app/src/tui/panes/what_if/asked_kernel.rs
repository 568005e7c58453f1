//! The selected kernel, asked about changes of a GPU at once.

use crate::answer::Settings;
use crate::gpu::GpuId;
use crate::pair::Pair;
use crate::predict::Subject;
use crate::session::{EditedGpu, Session, Sources};
use crate::whatif::{WhatIf, WhatIfAnswer, WhatIfParts};
use crate::workload::Workload;

/// A kernel whose time is asked for.
#[derive(Debug, Clone)]
pub(super) struct AskedKernel<'a> {
    pub(super) session: &'a Session,
    /// The kernel at its size.
    pub(super) subject: &'a Subject,
    /// Where it was timed.
    pub(super) source: GpuId,
    /// Whose times it is predicted from.
    pub(super) sources: Sources,
    /// Model, ceilings, rules.
    pub(super) settings: Settings,
}

impl AskedKernel<'_> {
    /// Asks about changes of this base.
    pub(super) fn ask<T>(&self, base: GpuId, ask: impl FnOnce(&mut WhatIf<'_>) -> T) -> T {
        let workload = Workload::of_kernel(self.session, self.subject.clone());
        let pair = Pair::new(self.source, base);
        ask(&mut WhatIf::with_sources(self.session, &workload, pair, self.sources.clone(), self.settings))
    }

    /// The time on this GPU, and these parts.
    ///
    /// # Errors
    /// Why there is none.
    pub(super) fn whole_answer(
        &self,
        edited: &EditedGpu,
        parts: &WhatIfParts,
    ) -> Result<WhatIfAnswer, String> {
        let changes = edited.changes.clone();
        self.ask(edited.base, |asked| asked.whole_answer(changes, parts)).map_err(|e| e.to_string())
    }
}
