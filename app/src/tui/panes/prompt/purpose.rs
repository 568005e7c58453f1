//! What a typed line is for.

use super::new_kernel;
use super::price::price_words;
use crate::chart::ChartSpec;
use crate::gpu::GpuId;
use crate::measurement::CanonicalRow;
use crate::predict::Subject;
use crate::tui::panes::what_if::typing::WhatIfPurpose;
use crate::tui::state::DashboardState;
use crate::whatif::ScenarioPage;
use std::sync::Arc;

/// What a block can have on any GPU.
pub const MOST_THREADS: u32 = 1024;
/// Clocks and a power limit as they may be typed.
pub const CLOCKS_EXAMPLE: &str = "e.g. `sm=1200MHz mem=5000MHz power=150W`; empty = stock";

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

    /// What may be typed, a sentence each.
    #[must_use]
    pub fn typed_help(&self, state: &DashboardState) -> Vec<String> {
        const NAME_FILTER: &str =
            "words of names, or letters in their order: mat til finds matmul_tiled; every word must fit";
        match self {
            Self::WhatIf(purpose) => purpose.typed_help(),
            Self::FilterGpus(_) | Self::FilterBoard => vec![
                "names and architectures, commas between them: ada, h100; letters in their order fit too"
                    .into(),
                "limits that hold as well: <=300W, >=24GB, <=2$/h".into(),
            ],
            Self::FilterRows(_) | Self::FilterGroups(_) => vec![NAME_FILTER.into()],
            Self::Kernel => vec![
                new_kernel::EXAMPLE.into(),
                "units are needed where a number could be several things".into(),
            ],
            Self::Price(gpu) => vec![price_words(state, *gpu)],
            Self::Size => {
                let (kernel, row) = (state.kernel(), &state.rows[state.selected]);
                let now = kernel.short_problem(&row.problem);
                vec![
                    format!("the problem size of {}, now {now}; numbers as 4096, 2^20 or 1k", kernel.label()),
                    "a number alone where the kernel has one size".into(),
                ]
            }
            Self::Block => vec![format!("1 to {MOST_THREADS} threads per block, such as 256 or 16x16")],
            Self::SourceClocks | Self::TargetClocks => vec![CLOCKS_EXAMPLE.into()],
            Self::Export(_) => {
                vec!["the name of an SVG file, in the folder of the program or with its path".into()]
            }
            Self::Page(_) => {
                vec!["the name of a file for the page, in the folder of the program or with its path".into()]
            }
            Self::Rows(_) => {
                vec!["the name of a CSV file, in the folder of the program or with its path".into()]
            }
        }
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
