//! Whose registers an answer rests on.

use super::Caution;
use crate::gpu::Gpu;
use crate::kernel::{CompiledResources, Instance};
use crate::measurement::Measurement;
use crate::occupancy::bounded_registers;
use std::fmt;
use std::sync::Arc;

/// Where a number of registers per thread comes from, best first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RegistersFrom {
    /// The row that was timed on this GPU, with its source.
    TimedRow(Arc<str>),
    /// Typed.
    Typed,
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
    /// Not stated; the kernel's file says how many a thread has use for at least.
    AtLeast,
    /// Not stated.
    Unknown,
}

impl RegistersFrom {
    /// Whether those of no build are known.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        matches!(self, Self::AtLeast | Self::Unknown)
    }

    /// In a word or two, for a column.
    #[must_use]
    pub fn origin_text(&self) -> String {
        match self {
            Self::TimedRow(_) => "measured".into(),
            Self::Typed => "typed".into(),
            Self::Build(_) => "compiler".into(),
            Self::NearestBuild { cc: (a, b), .. } => format!("cc {a}.{b}"),
            Self::OtherRow(_) => "other GPU".into(),
            Self::AtLeast => "at least".into(),
            Self::Unknown => "unknown".into(),
        }
    }

    /// What must be said about them.
    pub(super) fn caution(&self, gpu: &Gpu) -> Option<Caution> {
        let gpu = || gpu.id.as_str().into();
        match self {
            Self::TimedRow(_) | Self::Typed | Self::Build(_) => None,
            Self::NearestBuild { cc, spills, .. } => {
                Some(Caution::RegistersBorrowed { gpu: gpu(), from: *cc, spills: *spills })
            }
            Self::OtherRow(_) => Some(Caution::RegistersOfOtherBuild(gpu())),
            Self::AtLeast | Self::Unknown => Some(Caution::RegistersUnknown),
        }
    }
}

/// `compiler: roofswap-ptxas`.
impl fmt::Display for RegistersFrom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TimedRow(source) => write!(f, "its measured row: {source}"),
            Self::Typed => f.write_str("typed"),
            Self::Build(source) => write!(f, "compiler: {source}"),
            Self::NearestBuild { cc: (a, b), source, .. } => write!(f, "compiler, for {a}.{b}: {source}"),
            Self::OtherRow(source) if source.is_empty() => f.write_str("a row measured on another GPU"),
            Self::OtherRow(source) => write!(f, "a row measured on another GPU: {source}"),
            Self::AtLeast => f.write_str("at least, by the kernel's file"),
            Self::Unknown => f.write_str("unknown"),
        }
    }
}

/// [`RegistersFrom`], as long as nobody keeps it.
#[derive(Debug, Clone, Copy)]
pub(super) enum FoundRegisters<'a> {
    TimedRow(&'a Measurement),
    Typed,
    Compiled(CompiledResources<'a>),
    OtherRow(&'a Measurement),
    AtLeast,
    Unknown,
}

impl FoundRegisters<'_> {
    /// As [`RegistersFrom::is_unknown`].
    pub(super) fn is_unknown(&self) -> bool {
        matches!(self, Self::AtLeast | Self::Unknown)
    }
}

impl From<FoundRegisters<'_>> for RegistersFrom {
    fn from(found: FoundRegisters<'_>) -> Self {
        match found {
            FoundRegisters::TimedRow(row) => Self::TimedRow(Arc::from(row.source().text())),
            FoundRegisters::Typed => Self::Typed,
            FoundRegisters::Compiled(known) => match known.borrowed_from {
                None => Self::Build(known.source.clone()),
                Some(cc) => {
                    let spills = known.resources.spills().is_some();
                    Self::NearestBuild { cc, source: known.source.clone(), spills }
                }
            },
            FoundRegisters::OtherRow(row) => Self::OtherRow(Arc::from(row.source().text())),
            FoundRegisters::AtLeast => Self::AtLeast,
            FoundRegisters::Unknown => Self::Unknown,
        }
    }
}

/// Registers that a thread has at least in a block of so many threads on this GPU, where the kernel's file says what it must keep.
pub(super) fn least_registers(instance: &Instance, gpu: &Gpu, threads: Option<u32>) -> Option<u32> {
    Some(bounded_registers(&gpu.cuda.limits, threads?, instance.least_registers?))
}

/// Registers per thread, from the best source: its measured row, what somebody typed, the compiler's word for this compute capability, the
/// nearest one's, a row timed elsewhere, as many as there must be. 0 = unknown. `compiled` is [`Kernel::resources_on`] this GPU, `least` the
/// [`least_registers`].
///
/// [`Kernel::resources_on`]: crate::kernel::Kernel::resources_on
pub(super) fn registers<'a>(
    compiled: Option<CompiledResources<'a>>,
    instance: &Instance,
    row: Option<&'a Measurement>,
    any_row: Option<&'a Measurement>,
    least: Option<u32>,
) -> (u32, FoundRegisters<'a>) {
    let of_row = |row: Option<&'a Measurement>| row.and_then(|r| Some((r.regs_per_thread()?, r)));
    if let Some((regs, row)) = of_row(row) {
        return (regs, FoundRegisters::TimedRow(row));
    }
    if let Some(regs) = instance.regs_per_thread {
        return (regs, FoundRegisters::Typed);
    }
    if let Some(known) = compiled {
        return (known.resources.registers, FoundRegisters::Compiled(known));
    }
    if let Some((regs, row)) = of_row(any_row) {
        return (regs, FoundRegisters::OtherRow(row));
    }
    least.map_or((0, FoundRegisters::Unknown), |regs| (regs, FoundRegisters::AtLeast))
}
