//! What the reader of a prediction must know.

use super::caution_texts::{
    above_roof_text, between_sizes_text, borrowed_registers_text, both_widths_text, capped_text,
    dispatch_seen_text, fallen_back_text, far_below_roof_text, fits_target_l2_text, launch_bound_text,
    measured_unused_text, missing_counts_text, near_sizes_text, nearest_size_text, not_compared_text,
    other_clocks_text, other_sizes_text, rate_capped_text, rewritten_text, target_rows_text,
    unfit_listings_text, unused_limit_text,
};
use super::lesson::Abstains;
use crate::catalogue::ElementType;
use crate::gpu::Gpu;
use crate::kernel::{BlockSize, Count, NamedCode, Problem, VectorPrecision};
use crate::occupancy::LaunchRefusal;
use crate::units::{Bytes, Seconds};
use std::fmt;
use std::sync::Arc;

/// How many SMs of a GPU have a block of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BusySms {
    /// Those that have one.
    pub busy: u64,
    /// All of them.
    pub of: u64,
}

/// One caution; its text is made when it is shown.
#[derive(Debug, Clone, PartialEq)]
pub enum Caution {
    /// The source time is scaled from another size.
    NearestSize(Arc<Problem>),
    /// The source time is the mean of what so many sizes near it give.
    NearSizes {
        /// The nearest of them.
        nearest: Arc<Problem>,
        /// How many there are.
        sizes: usize,
    },
    /// The source time is interpolated between two sizes, the nearer one first.
    BetweenSizes([Arc<Problem>; 2]),
    /// This kernel was not measured on the source; its time is a model's.
    SourceModelled,
    /// `first-principles`: what the launch overheads that paper 5 gives make of the time.
    LaunchRange(Arc<str>),
    /// This kernel was not measured on the source: the roof and the usual efficiency are all there is.
    NoMeasurement,
    /// The same of an operator of a tensor library, whose model has no such efficiency.
    NoMeasuredOperator,
    /// The same of a question that named no source.
    NoSource,
    /// Of such a question: the time is scaled from times on these GPUs.
    NoSourceScaled(Arc<str>),
    /// Of such a question: the time is scaled from times of other sizes on so many GPUs.
    NoSourceOtherSizes(usize),
    /// Of such a question: how the time is made of those of other sizes on the target itself.
    NoSourceOwnSizes(Arc<str>),
    /// This kernel was not measured on the source; the time is scaled from its times on these GPUs.
    ScaledFromOthers(Arc<str>),
    /// The same from times of other sizes on so many GPUs.
    ScaledFromOtherSizes(usize),
    /// These counts are missing: `components` answers without the components that rest on them.
    CountsPartly(Arc<[Count]>),
    /// The source's time lies far above the roof of what was counted.
    FarBelowRoof {
        /// Where it was timed.
        gpu: Arc<str>,
        /// Its time over its roof.
        ratio: f64,
    },
    /// Counts that cannot both be true: which, whose, why, and what the model did.
    Contradiction(Arc<str>),
    /// Registers are those of another compute capability.
    RegistersBorrowed {
        /// Whose they should be.
        gpu: Arc<str>,
        /// Whose they are.
        from: (u8, u8),
        /// Whether that build spills.
        spills: bool,
    },
    /// Registers are those of another GPU's measured build.
    RegistersOfOtherBuild(Arc<str>),
    /// Registers are not known; occupancy is an upper bound.
    RegistersUnknown,
    /// The build on this GPU spills registers to memory.
    Spills {
        /// The GPU.
        gpu: Arc<str>,
        /// Bytes stored per thread.
        stores: u32,
        /// Bytes loaded per thread.
        loads: u32,
    },
    /// The threads per block are not stated; this many are assumed.
    BlockAssumed(u32),
    /// Without a launch shape there is no occupancy; both sides are taken as equal.
    OccupancyUnknown,
    /// Achieved ceilings were asked for, and one GPU has none.
    CeilingsFellBack {
        /// The GPU without.
        gpu: Arc<str>,
    },
    /// The measured point lies above its roof.
    AboveRoof {
        /// Where it was timed.
        gpu: Arc<str>,
        /// How far: achieved over roof.
        ratio: f64,
        /// Whether the working set fits in L2.
        in_l2: bool,
        /// The type of tensor cores, where its vector pipes cannot have done it and that can.
        tensor_type: Option<ElementType>,
        /// The SMs that have a block, where their roof is below the point and that of the whole GPU is not.
        busy_sms: Option<BusySms>,
    },
    /// The kernel's name states code that does not run on the target.
    NamedCodeOfTarget {
        /// The target.
        gpu: Arc<str>,
        /// What the name states.
        code: NamedCode,
    },
    /// The kernel's name states code that does not run on the source.
    NamedCodeOfSource {
        /// The source.
        gpu: Arc<str>,
        /// What the name states.
        code: NamedCode,
    },
    /// The working set fits in the L2 of this GPU.
    FitsL2(Arc<str>),
    /// The working set fits in the L2 of the target and not in that of the source.
    FitsTargetL2 {
        /// The target.
        gpu: Arc<str>,
        /// What is touched.
        working_set: Bytes,
        /// L2 of the target.
        l2: Bytes,
        /// Whether it is not stated, so that its DRAM bytes stand for it.
        is_assumed: bool,
    },
    /// No FLOPs: bandwidth alone is carried over.
    NoFlops,
    /// No FLOPs: the kernel has no compute ceiling.
    NoComputeCeiling,
    /// Arithmetic of both widths runs; the ceiling is that of one.
    BothWidths(VectorPrecision),
    /// Two listings give the FLOPs on the target, and without a trace it is unknown how often each block runs.
    Rewritten {
        /// The least factor, whatever runs how often.
        least: f64,
        /// The largest.
        most: f64,
    },
    /// Two listings were given, and they are not code for these GPUs.
    ListingsDoNotFit {
        /// The source's: `sm_70`.
        from: Arc<str>,
        /// The target's.
        to: Arc<str>,
    },
    /// A time near the launch floor says little about the kernel.
    LaunchBound(Arc<str>),
    /// The rows of the kernel say that a framework's dispatch of this length is in its times; no file says so.
    DispatchSeen(Seconds),
    /// Same-address atomics are only in the source time.
    AtomicsNotModelled,
    /// A time scaled from another size is mostly the smallest time of a launch.
    FloorApplied {
        /// The source GPU.
        gpu: Arc<str>,
        /// That smallest time.
        floor: Seconds,
    },
    /// The source's row states its clocks: the source is modelled at them.
    SourceAtRowClocks(Arc<str>),
    /// The target was measured, but at other clocks than are asked about.
    MeasuredAtOtherClocks {
        /// Which GPU at which clocks.
        at: Arc<str>,
        /// What it took there.
        time: Seconds,
    },
    /// The target as it is was measured, and another GPU is the source: that time has no part in the one that is predicted.
    MeasuredUnused {
        /// The target as it is.
        gpu: Arc<str>,
        /// What it took.
        time: Seconds,
    },
    /// The source's row states a clock that no such board can be set to.
    ClockUnused(Arc<str>),
    /// The source is modelled at typed clocks or a typed limit, and its time taken as one of those.
    SourceTyped(Arc<str>),
    /// The target is modelled at typed clocks or a typed limit.
    Hypothetical(Arc<str>),
    /// `hybrid` at typed clocks: its correction is the one at stated clocks.
    ResidualHeld,
    /// The launch on the target is changed: it was not measured so.
    EditedLaunch {
        /// `block=128,regs=32`.
        edits: Arc<str>,
    },
    /// The target is none that exists: its base, and what was changed.
    HypotheticalGpu {
        /// The id of the GPU it is based on.
        based_on: Arc<str>,
        /// `mem=+20%`.
        changes: Arc<str>,
    },
    /// Which pipe does the kernel's arithmetic, and why that one is taken.
    Arithmetic(Arc<str>),
    /// Source or target is a GPU of the catalogue under a limit, at other clocks, or a slice of one.
    DerivedGpu(Arc<str>),
    /// The power limit lowers the SM clock of the target under this load.
    PowerCapped {
        /// The target's board.
        gpu: Arc<str>,
        /// The limit in watts.
        limit: f64,
        /// The SM clock without and with it, in hertz.
        clocks: [f64; 2],
    },
    /// The power limit lowers what the target sustains of its FP32 rate at an SM clock that it leaves.
    RateCapped {
        /// The target's board.
        gpu: Arc<str>,
        /// The limit in watts.
        limit: f64,
        /// What is left of the rate, 0 to 1.
        share: f64,
    },
    /// The power limit of the target is above what this kernel draws there.
    LimitUnused {
        /// The target's board.
        gpu: Arc<str>,
        /// The limit in watts.
        limit: f64,
    },
    /// The launch cannot have run on the source as it is stated.
    SourceCannotLaunch {
        /// The source GPU.
        gpu: Arc<str>,
        /// Why not.
        why: LaunchRefusal,
    },
    /// The time was corrected by other rows that were measured on the target.
    RowsMeasuredHere {
        /// What it was multiplied by.
        factor: f64,
        /// How many rows said so.
        rows: usize,
    },
    /// Some of the rows that corrected it were timed at other clocks than are asked about.
    RowsAtOtherClocks {
        /// The target GPU.
        gpu: Arc<str>,
        /// How many of them.
        rows: usize,
        /// Of how many.
        all: usize,
    },
    /// Two sources of a combined time say times that lie far apart.
    SourcesDisagree {
        /// The source of the shortest time, and that time.
        shortest: (Arc<str>, Seconds),
        /// The source of the longest time, and that time.
        longest: (Arc<str>, Seconds),
    },
    /// A source that was asked for has no part in the combined time.
    SourceLeftOut {
        /// The source GPU.
        gpu: Arc<str>,
        /// What it refused.
        why: Arc<str>,
    },
    /// `hybrid` has nothing to add to `components`.
    Abstains(Abstains),
    /// What the dataset of a row says of its rows of this kernel.
    Data(Arc<str>),
    /// A caution of the kernel file.
    Kernel(Arc<str>),
}

impl Caution {
    /// What must be said about threads per block that stand in for an unknown launch shape.
    pub(super) fn of_block(block: BlockSize) -> Option<Self> {
        match block {
            BlockSize::Assumed(threads) => Some(Self::BlockAssumed(threads)),
            BlockSize::Typed(_) | BlockSize::Required(_) => None,
        }
    }

    /// What the power limit of a GPU does to a kernel, by what it leaves of that GPU.
    #[must_use]
    pub fn of_limit(asked: &Gpu, left: &Gpu) -> Self {
        let (gpu, limit) = (asked.board_id().into(), asked.power_limit.value.0);
        let clocks = [asked, left].map(|gpu| gpu.boost_clock.value.0);
        if clocks[0] != clocks[1] {
            return Self::PowerCapped { gpu, limit, clocks };
        }
        let share = left.fp32_sustained().value / asked.fp32_sustained().value;
        if share < 1.0 { Self::RateCapped { gpu, limit, share } } else { Self::unused_limit(asked) }
    }

    /// That the power limit of a GPU does nothing to a kernel.
    #[must_use]
    pub fn unused_limit(asked: &Gpu) -> Self {
        Self::LimitUnused { gpu: asked.board_id().into(), limit: asked.power_limit.value.0 }
    }

    /// That no such GPU exists, and what it was made of; `None` of any other.
    #[must_use]
    pub fn of_made_gpu(gpu: &Gpu) -> Option<Self> {
        let made = gpu.hypothetical.as_deref()?;
        let (based_on, changes) = (made.based_on.as_str().into(), made.changes.to_string().into());
        Some(Self::HypotheticalGpu { based_on, changes })
    }

    /// How a time is made of those of other sizes, where this says so.
    fn sizes_words(&self) -> Option<String> {
        match self {
            Self::NearestSize(size) => Some(nearest_size_text(size)),
            Self::NearSizes { nearest, sizes } => Some(near_sizes_text(nearest, *sizes)),
            Self::BetweenSizes(sizes) => Some(between_sizes_text(sizes)),
            _ => None,
        }
    }

    /// The same of a question that names no source.
    #[must_use]
    pub fn without_source(self) -> Self {
        match self {
            Self::NoMeasurement | Self::NoMeasuredOperator | Self::SourceModelled => Self::NoSource,
            Self::ScaledFromOthers(gpus) => Self::NoSourceScaled(gpus),
            Self::ScaledFromOtherSizes(gpus) => Self::NoSourceOtherSizes(gpus),
            other => other.sizes_words().map_or(other, |words| Self::NoSourceOwnSizes(words.into())),
        }
    }

    /// The text of those that name nothing of the question.
    fn fixed_text(&self) -> Option<&'static str> {
        Some(match self {
            Self::SourceModelled => {
                "source time is an estimate (~): no measurement of this kernel there; roofline with typical efficiency"
            }
            Self::NoMeasurement => "no measurement on the source GPU: roofline with typical efficiency",
            Self::NoMeasuredOperator => {
                "no measurement on the source GPU: modelled from the rates of the GPUs alone, no measured time corrects it"
            }
            Self::NoSource => "no source: predicted from the kernel's counts and the GPU's rates",
            Self::RegistersUnknown => "registers unknown: occupancy is an upper bound",
            Self::OccupancyUnknown => "launch shape unknown: occupancy taken as equal on both GPUs",
            Self::NoFlops => {
                "no FLOPs: the bandwidth's efficiency is carried over (Algorithm 1, case FLOPs = 0)"
            }
            Self::NoComputeCeiling => {
                "no FLOPs: bandwidth ceilings alone (equation 9 as the intensity goes to 0)"
            }
            Self::AtomicsNotModelled => {
                "same-address atomics: carried over with the efficiency, not modelled"
            }
            Self::ResidualHeld => {
                "hybrid: its correction is that of the GPU as it is; `components` models what is changed"
            }
            _ => return None,
        })
    }
}

impl fmt::Display for Caution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(text) = self.fixed_text() {
            return f.write_str(text);
        }
        if let Some(words) = self.sizes_words() {
            return write!(f, "source time is an estimate: {words}");
        }
        match self {
            Self::NoSourceOwnSizes(words) => write!(f, "no source: {words}"),
            Self::ScaledFromOthers(gpus) => {
                write!(f, "no measurement on the source GPU: scaled from the measured time on {gpus}")
            }
            Self::NoSourceScaled(gpus) => write!(f, "scaled from the measured time on {gpus}"),
            Self::ScaledFromOtherSizes(gpus) => {
                write!(f, "no measurement on the source GPU: {}", other_sizes_text(*gpus))
            }
            Self::NoSourceOtherSizes(gpus) => f.write_str(&other_sizes_text(*gpus)),
            Self::LaunchRange(text) => f.write_str(text),
            Self::CountsPartly(missing) => f.write_str(&missing_counts_text(missing)),
            Self::FarBelowRoof { gpu, ratio } => f.write_str(&far_below_roof_text(gpu, *ratio)),
            Self::Contradiction(text) => write!(f, "counts contradict each other: {text}"),
            Self::RegistersBorrowed { gpu, from: (major, minor), spills } => {
                f.write_str(&borrowed_registers_text(gpu, *major, *minor, *spills))
            }
            Self::RegistersOfOtherBuild(gpu) => {
                write!(f, "{gpu}: registers on this GPU unknown; using those of another GPU's row")
            }
            Self::Spills { gpu, stores, loads } => {
                write!(f, "spills {stores} B stores, {loads} B loads per thread on {gpu}")
            }
            Self::BlockAssumed(threads) => {
                write!(f, "launch shape unknown: ~{threads} threads per block are assumed")
            }
            Self::CeilingsFellBack { gpu } => f.write_str(&fallen_back_text(gpu)),
            Self::AboveRoof { gpu, ratio, busy_sms: Some(BusySms { busy, of }), .. } => write!(
                f,
                "measured point lies {ratio:.2}× above the roof of the SMs that have a block ({busy} of {of} on {gpu}): look at \
                 the grid and the FLOP and byte counts"
            ),
            Self::AboveRoof { gpu, ratio, in_l2, tensor_type, busy_sms: None } => {
                f.write_str(&above_roof_text(gpu, *ratio, *in_l2, *tensor_type))
            }
            Self::NamedCodeOfTarget { gpu, code } => write!(
                f,
                "{gpu}: code for {code}, which the name states, does not run there; modelled as if the library's kernel for \
                 that GPU were as efficient; measure it there"
            ),
            Self::NamedCodeOfSource { gpu, code } => write!(
                f,
                "{gpu}: code for {code}, which the name states, does not run there; the time is used as given; check the source \
                 and the name"
            ),
            Self::FitsL2(gpu) => {
                write!(f, "{gpu}: the working set fits in L2; warm buffers can beat the DRAM roof")
            }
            Self::FitsTargetL2 { gpu, working_set, l2, is_assumed } => {
                f.write_str(&fits_target_l2_text(gpu, [*working_set, *l2], *is_assumed))
            }
            Self::BothWidths(precision) => f.write_str(&both_widths_text(*precision)),
            Self::Rewritten { least, most } => f.write_str(&rewritten_text(*least, *most)),
            Self::ListingsDoNotFit { from, to } => f.write_str(&unfit_listings_text(from, to)),
            Self::DispatchSeen(shortest) => f.write_str(&dispatch_seen_text(*shortest)),
            Self::LaunchBound(gpu) => f.write_str(&launch_bound_text(gpu)),
            Self::FloorApplied { gpu, floor } => {
                write!(f, "{gpu}: the scaled source time is mostly launch overhead ({floor})")
            }
            Self::SourceAtRowClocks(text) => {
                write!(f, "clocks: source measured with {text} and modelled at those clocks")
            }
            Self::MeasuredAtOtherClocks { at, time } => f.write_str(&not_compared_text(at, *time)),
            Self::MeasuredUnused { gpu, time } => f.write_str(&measured_unused_text(gpu, *time)),
            Self::ClockUnused(text) => {
                write!(f, "clocks: a row states one that is ignored: {text}")
            }
            Self::SourceTyped(text) => {
                write!(f, "clocks set: {text}; source time assumed measured at these clocks")
            }
            Self::EditedLaunch { edits } => {
                write!(f, "{edits}: launch changed on the target; modelled, not measured with this launch")
            }
            Self::HypotheticalGpu { based_on, changes } => {
                write!(f, "{based_on} ({changes}): hypothetical GPU; interval not validated for it")
            }
            Self::Arithmetic(text) => f.write_str(text),
            Self::Hypothetical(text) | Self::DerivedGpu(text) => {
                write!(f, "{text}: interval not validated for it")
            }
            Self::PowerCapped { gpu, limit, clocks } => f.write_str(&capped_text(gpu, *limit, *clocks)),
            Self::RateCapped { gpu, limit, share } => f.write_str(&rate_capped_text(gpu, *limit, *share)),
            Self::LimitUnused { gpu, limit } => f.write_str(&unused_limit_text(gpu, *limit)),
            Self::SourceCannotLaunch { gpu, why } => {
                write!(
                    f,
                    "{gpu}: {why}: its time must come from another launch; check block, registers and shared memory"
                )
            }
            Self::RowsMeasuredHere { factor, rows } => f.write_str(&target_rows_text(*factor, *rows)),
            Self::RowsAtOtherClocks { gpu, rows, all } => f.write_str(&other_clocks_text(gpu, *rows, *all)),
            Self::SourcesDisagree { shortest: (a, low), longest: (b, high) } => write!(
                f,
                "sources disagree by {:.1}×: {low} from {a}, {high} from {b}; measure one of them again",
                *high / *low
            ),
            Self::SourceLeftOut { gpu, why } => write!(f, "source {gpu} left out: {why}"),
            Self::Abstains(why) => why.fmt(f),
            Self::Data(text) => write!(f, "data: {text}"),
            Self::Kernel(text) => f.write_str(text),
            Self::NearestSize(_)
            | Self::NearSizes { .. }
            | Self::BetweenSizes(_)
            | Self::SourceModelled
            | Self::NoMeasurement
            | Self::NoMeasuredOperator
            | Self::NoSource
            | Self::RegistersUnknown
            | Self::OccupancyUnknown
            | Self::NoFlops
            | Self::NoComputeCeiling
            | Self::AtomicsNotModelled
            | Self::ResidualHeld => Ok(()),
        }
    }
}
