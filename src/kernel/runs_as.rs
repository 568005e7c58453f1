//! How a kernel comes to run.

/// How a kernel comes to run: who chose the binary, and what a time of it includes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunsAs {
    /// One source, compiled for each GPU, started with the same launch shape on every GPU.
    #[default]
    Kernel,
    /// An operator of a framework, which picks the kernels for each GPU; launches are isolated and a time includes the
    /// framework's dispatch.
    Operator,
}

impl RunsAs {
    /// The word in kernel files and tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Kernel => "kernel",
            Self::Operator => "operator",
        }
    }

    /// What follows from it, in one line.
    #[must_use]
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Kernel => "one source, the same launch shape on every GPU",
            Self::Operator => "a framework picks the kernels for each GPU; a time includes its dispatch",
        }
    }
}
