//! What is asked about, as plain data: a kernel, a mix or an application.

use crate::application::{Application, ForecastSettings, PartOfTrace};

/// A kernel, a mix or an application.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AskedAbout {
    /// The selected kernel.
    #[default]
    Kernel,
    /// The mix, where one is loaded.
    Mix,
    /// The application, where one is loaded.
    Application,
}

/// Which application is asked about, and how.
#[derive(Debug, Clone, PartialEq)]
pub struct AskedApplication {
    /// The file of its trace.
    file: String,
    part: PartOfTrace,
    /// How many kernels were launched in the part of it.
    launches: u64,
    settings: ForecastSettings,
}

impl AskedApplication {
    /// This part of its trace, carried to other GPUs so.
    pub(super) fn of_part(application: &Application, part: PartOfTrace, settings: ForecastSettings) -> Self {
        Self { file: application.file.clone(), part, launches: application.kernel_count, settings }
    }
}
