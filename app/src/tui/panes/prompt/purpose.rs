//! What a typed line is for.

use crate::chart::ChartSpec;
use crate::gpu::GpuId;
use crate::measurement::CanonicalRow;
use crate::predict::Subject;
use crate::tui::panes::what_if::typing::WhatIfPurpose;
use crate::whatif::ScenarioPage;
use std::sync::Arc;

/// What happens with the line.
#[derive(Debug, Clone)]
pub enum Purpose {
    /// Filter the GPUs; the one that was under the cursor.
    FilterGpus(Option<GpuId>),
    /// Filter the predictions; the row that was selected.
    FilterRows(Arc<Subject>),
    /// Filter the board.
    FilterBoard,
    /// Filter the groups of the application; the one that was under the cursor.
    FilterGroups(usize),
    /// Add a kernel, typed in one line.
    Kernel,
    /// Set the price of an hour on this GPU.
    Price(GpuId),
    /// Put the selected kernel at this size.
    Size,
    /// Give a kernel whose launch shape is unknown these threads per block.
    Block,
    /// Put the source at these clocks and power limit.
    SourceClocks,
    /// Put the main target at these clocks and power limit.
    TargetClocks,
    /// A line of the What if view.
    WhatIf(WhatIfPurpose),
    /// Write these scenarios into a file.
    Page(Arc<ScenarioPage>),
    /// Write these rows into a measurement file.
    Rows(Arc<[CanonicalRow]>),
    /// Write this chart into a file.
    Export(Box<ChartSpec>),
}

impl Purpose {
    /// The words before the line.
    #[must_use]
    pub fn prompt_label(&self) -> String {
        let words = match self {
            Self::WhatIf(purpose) => return purpose.prompt_label(),
            Self::FilterGpus(_) => "filter GPUs: ",
            Self::FilterRows(_) | Self::FilterGroups(_) => "filter kernels: ",
            Self::FilterBoard => "filter GPUs: ",
            Self::Kernel => "kernel: ",
            Self::Price(_) => "$ per hour [provider]: ",
            Self::Size => "size: ",
            Self::Block => "threads per block: ",
            Self::SourceClocks => "source clocks: ",
            Self::TargetClocks => "target clocks: ",
            Self::Export(_) | Self::Page(_) | Self::Rows(_) => "export to: ",
        };
        words.to_string()
    }

    /// Whether the selected kernel is changed.
    #[must_use]
    pub fn is_of_kernel(&self) -> bool {
        matches!(
            self,
            Self::Size | Self::Block | Self::WhatIf(WhatIfPurpose::Launch(_) | WhatIfPurpose::Element)
        )
    }

    /// Whether the first letter typed replaces what is offered: numbers are typed anew, names are changed.
    #[must_use]
    pub fn is_typed_anew(&self) -> bool {
        matches!(self, Self::Size | Self::Block | Self::SourceClocks | Self::TargetClocks | Self::WhatIf(_))
    }
}
