//! Whose registers an answer rests on.

use super::Caution;
use crate::gpu::Gpu;
use crate::kernel::Kernel;
use crate::measurement::Measurement;
use std::fmt;
use std::sync::Arc;

/// Where a number of registers per thread comes from, best first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RegistersFrom {
    /// The row that was timed on this GPU, with its source.
    TimedRow(Arc<str>),
    /// A compiler's report for this compute capability, with its source.
    Build(Arc<str>),
    /// A compiler's report for the nearest compute capability.
    NearestBuild {
        /// That compute capability.
        cc: (u8, u8),
        /// Its source.
        source: Arc<str>,
        /// Whether that build spills.
        spills: bool,
    },
    /// A row that was timed on another GPU.
    OtherRow(Arc<str>),
    /// Nobody said.
    Unknown,
}

impl RegistersFrom {
    /// In a word or two, for a column.
    #[must_use]
    pub fn word(&self) -> String {
        match self {
            Self::TimedRow(_) => "timed row".into(),
            Self::Build(_) => "compiler".into(),
            Self::NearestBuild { cc: (a, b), .. } => format!("cc {a}.{b}"),
            Self::OtherRow(_) => "other GPU".into(),
            Self::Unknown => "unknown".into(),
        }
    }

    /// What must be said about them.
    pub(super) fn caution(&self, gpu: &Gpu) -> Option<Caution> {
        let gpu = || gpu.id.as_str().into();
        match self {
            Self::TimedRow(_) | Self::Build(_) => None,
            Self::NearestBuild { cc, spills, .. } => {
                Some(Caution::RegistersBorrowed { gpu: gpu(), from: *cc, spills: *spills })
            }
            Self::OtherRow(_) => Some(Caution::RegistersOfOtherBuild(gpu())),
            Self::Unknown => Some(Caution::RegistersUnknown),
        }
    }
}

/// `compiler: roofswap-ptxas`.
impl fmt::Display for RegistersFrom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TimedRow(source) => write!(f, "the row timed here: {source}"),
            Self::Build(source) => write!(f, "compiler: {source}"),
            Self::NearestBuild { cc: (a, b), source, .. } => write!(f, "compiler, for {a}.{b}: {source}"),
            Self::OtherRow(source) => write!(f, "a row timed on another GPU: {source}"),
            Self::Unknown => f.write_str("unknown"),
        }
    }
}

/// Registers per thread, from the best source: the row timed here, the compiler's word for this compute capability, the
/// nearest one's, a row timed elsewhere. 0 = unknown.
pub(super) fn registers(
    kernel: &Kernel,
    gpu: &Gpu,
    row: Option<&Measurement>,
    any_row: Option<&Measurement>,
) -> (u32, RegistersFrom) {
    let of_row =
        |row: Option<&Measurement>| row.and_then(|r| Some((r.regs_per_thread()?, Arc::from(&*r.source))));
    if let Some((regs, source)) = of_row(row) {
        return (regs, RegistersFrom::TimedRow(source));
    }
    let cc = gpu.compute_capability;
    if let Some(known) = kernel.resources_on(cc.major, cc.minor) {
        let from = match known.borrowed_from {
            None => RegistersFrom::Build(known.source.clone()),
            Some(cc) => {
                let spills = known.resources.spills().is_some();
                RegistersFrom::NearestBuild { cc, source: known.source.clone(), spills }
            }
        };
        return (known.resources.registers, from);
    }
    of_row(any_row).map_or((0, RegistersFrom::Unknown), |(regs, s)| (regs, RegistersFrom::OtherRow(s)))
}
