//! What a GPU is: every number with its unit in the type and its source beside it.
//!
//! [`Gpu`] is checked; the file it is read from is `file::GpuFile`. What a datasheet states (`*_peak`) and what
//! somebody measured (`*_achieved`) are different fields; a user's own measurements are laid over a GPU by `overlay`.
//! What nobody measured follows from the architecture (`architectures`, `sustained`), and says so.

mod architectures;
mod catalogue;
mod changes;
mod checker;
mod derived;
mod features;
mod file;
mod gpu_number;
mod hypothetical;
mod hypothetical_file;
mod limited;
mod limits;
mod mig;
mod number_origin;
mod overlay;
mod roof_sets;
mod sm;
mod sustained;
mod tensor;
mod tensor_power;
mod time_range;
mod tuning;
mod typed_changes;
mod typed_note;
mod unchanged;

pub use architectures::{ArchitectureTable, GpuArchitecture, PowerLaw};
pub use catalogue::{load_shipped, load_text};
pub use changes::{ChangeAmount, ChangeError, GpuChange, GpuChanges, relative_factor};
pub use derived::{DerivedError, DerivedGpu, board_place, derived_gpu, unloaded_text};
pub use features::{FeatureTable, Since};
pub use gpu_number::GpuNumber;
pub use hypothetical::Hypothetical;
pub use hypothetical_file::{hypothetical_text, is_hypothetical_file, load_hypothetical};
pub use limited::LimitTooLow;
pub use limits::{CarveoutSizes, ClusterLimits, ComputeCapability, LimitsTable, SmLimits};
pub use mig::{MigProfile, MigTable};
pub use overlay::{AchievedRate, is_overlay, overlay_text};
pub use roof_sets::{RoofSetError, lay_roof_set, roof_set_names};
pub use sm::Sm;
pub use tensor_power::{PREFILL_ENERGY, TENSOR_PART, TensorIssue, TensorPower};
pub use tuning::{Clocks, POWER_LIMIT, RefusedSetting, Tuning, TuningError, clock, most_power, power};

use crate::catalogue::{CatalogueEntry, Id, NumberOrigin, Sourced};
use crate::units::{Bytes, BytesPerSecond, FlopsPerSecond, Hertz, Seconds, Watts};

/// Which GPU of the catalogue is meant.
pub type GpuId = Id<Gpu>;

/// One GPU model, as its documents describe it.
#[derive(Debug, Clone)]
pub struct Gpu {
    /// As engineers type it: `rtx-4070`.
    pub id: String,
    /// As its vendor writes it, without the vendor.
    pub name: String,
    /// The same, shorter, where tables need it; [`Gpu::short_name`] reads it.
    short: Option<String>,
    /// Other names, driver names among them.
    pub aliases: Vec<String>,
    /// Cloud instances that hold this GPU, by their providers' names: `p5.48xlarge`.
    pub instances: Vec<String>,
    /// Aliases and instances: every name but the id that finds it.
    names: Vec<String>,
    /// Architecture in lower case: `ada`.
    pub architecture: String,
    /// The die: `AD104`.
    pub chip: String,
    /// What CUDA says of it: compute capability and limits of a launch.
    pub cuda: CudaFacts,
    /// Year of launch.
    pub launch_year: u16,
    /// Streaming multiprocessors.
    pub sms: Sourced<u32>,
    /// FP32 lanes ("CUDA cores") per SM.
    pub fp32_lanes_per_sm: Sourced<u32>,
    /// FP64 lanes per SM.
    pub fp64_lanes_per_sm: Option<Sourced<u32>>,
    /// What one SM does per clock, without a gap: measured, published, or derived from the architecture.
    pub sm: Sm,
    /// What it sustains, without a gap; read through [`Gpu::fp32_sustained`] and its sisters.
    sustained: sustained::Sustained,
    /// Load/store lanes per SM, where its own file says so.
    pub lsu_lanes_per_sm: Option<Sourced<u32>>,
    /// Guaranteed clock.
    pub base_clock: Option<Sourced<Hertz>>,
    /// Boost clock, the one peak rates are stated at.
    pub boost_clock: Sourced<Hertz>,
    /// Clock held under a sustained load.
    pub sustained_clock: Option<Sourced<Hertz>>,
    /// FP32 vector rate as published.
    pub fp32_peak: Sourced<FlopsPerSecond>,
    /// FP32 rate that somebody reached (SGEMM or FMA loop; see its note).
    pub fp32_achieved: Option<Sourced<FlopsPerSecond>>,
    /// FP64 vector rate.
    pub fp64_peak: Option<Sourced<FlopsPerSecond>>,
    /// FP64 vector rate that somebody reached.
    pub fp64_achieved: Option<Sourced<FlopsPerSecond>>,
    /// FP16 vector rate, not the tensor rate.
    pub fp16_peak: Option<Sourced<FlopsPerSecond>>,
    /// FP16 vector rate that somebody reached.
    pub fp16_achieved: Option<Sourced<FlopsPerSecond>>,
    /// Tensor-core rates, one per input and accumulate type.
    pub tensor: Vec<TensorRate>,
    /// DRAM technology: `GDDR6X`, `HBM2e`.
    pub memory_type: String,
    /// Whether it ships with ECC on that takes a part of the bandwidth (GDDR boards of data centres).
    pub ecc: bool,
    /// DRAM size.
    pub memory_size: Sourced<Bytes>,
    /// Width of the DRAM bus in bits.
    pub bus_bits: Sourced<u32>,
    /// Data rate per pin in bits per second.
    pub data_rate: Sourced<f64>,
    /// DRAM bandwidth as published.
    pub bandwidth_peak: Sourced<BytesPerSecond>,
    /// DRAM bandwidth that somebody reached.
    pub bandwidth_achieved: Option<Sourced<BytesPerSecond>>,
    /// L2 cache size.
    pub l2_size: Sourced<Bytes>,
    /// L2 bandwidth.
    pub l2_bandwidth: Option<Sourced<BytesPerSecond>>,
    /// L1 bytes per clock per SM.
    pub l1_bytes_per_clock: Option<Sourced<f64>>,
    /// L1 bandwidth of all SMs that somebody reached.
    pub l1_achieved: Option<Sourced<BytesPerSecond>>,
    /// Shared-memory bytes per clock per SM, where its own file says so.
    pub shared_bytes_per_clock: Option<Sourced<f64>>,
    /// Global load/store warp instructions per clock per SM that hit L1, where its own file says so.
    pub global_per_clock: Option<Sourced<f64>>,
    /// Warp instructions issued per clock per SM, where its own file says so.
    pub issue_per_clock: Option<Sourced<f64>>,
    /// Instructions without a loop that the caches of an SM hold, where its own file says so.
    pub straight_line_insts: Option<Sourced<f64>>,
    /// Warp instructions issued per clock per SM of longer code, where its own file says so.
    pub straight_line_issue: Option<Sourced<f64>>,
    /// Board power limit.
    pub power_limit: Sourced<Watts>,
    /// Board power while idle.
    pub idle_power: Option<Sourced<Watts>>,
    /// Smallest time per launch seen; belongs to the host as much as to the GPU.
    pub launch_floor: Option<Sourced<Seconds>>,
    /// Blocks of a launch that it starts per clock, where it has an own number.
    pub block_starts: Option<Sourced<f64>>,
    /// The collections of measurements whose host that floor is of; none where it holds for every one.
    pub launch_collections: Vec<String>,
    /// List price at launch, US dollars.
    pub list_usd: Option<Sourced<f64>>,
    /// Typical price of an hour in a public cloud, US dollars.
    pub cloud_usd_per_hour: Option<Sourced<f64>>,
    /// Clocks and limit of the board it was made from, where its own are other ones.
    stated: Option<Clocks>,
    /// What it was made of, where it is none that exists.
    pub hypothetical: Option<std::sync::Arc<Hypothetical>>,
    /// How it was made, where it is a GPU of the catalogue under a limit, at other clocks, or a slice of one.
    pub derived: Option<std::sync::Arc<DerivedGpu>>,
}

/// What holds of NVIDIA's GPUs alone: the compute capability, and what it decides, warp size and allocation granules among
/// it. A GPU of another vendor would bring its own type in place of this one; everything else of [`Gpu`] is any vendor's.
#[derive(Debug, Clone, Copy)]
pub struct CudaFacts {
    /// Decides the limits of a launch, and which code runs.
    pub compute_capability: ComputeCapability,
    /// Limits of that compute capability.
    pub limits: SmLimits,
}

/// A tensor-core rate for one input type and one accumulate type.
#[derive(Debug, Clone)]
pub struct TensorRate {
    /// Input type: `fp16`, `bf16`, `tf32`, `fp8`, `fp4`, `fp64`, `int8`, `int4`.
    pub input: String,
    /// Accumulate type: `fp16`, `fp32`, `fp64`, `int32`.
    pub accumulate: String,
    /// Rate on dense operands (operations per second for integer types).
    pub dense: Option<Sourced<FlopsPerSecond>>,
    /// Rate with 2:4 structured sparsity; never compared with a dense one.
    pub sparse: Option<Sourced<FlopsPerSecond>>,
}

/// Which ceilings a model or chart uses; always shown beside the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Ceilings {
    /// What the datasheet states.
    #[default]
    Peak,
    /// What somebody measured, where somebody did; the published value otherwise.
    Achieved,
}

impl Ceilings {
    /// The word on screen and in exports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Peak => "peak",
            Self::Achieved => "achieved",
        }
    }
}

impl Gpu {
    /// The FP32 compute ceiling of this kind.
    #[must_use]
    pub fn compute(&self, ceilings: Ceilings) -> &Sourced<FlopsPerSecond> {
        match ceilings {
            Ceilings::Peak => &self.fp32_peak,
            Ceilings::Achieved => self.fp32_achieved.as_ref().unwrap_or(&self.fp32_peak),
        }
    }

    /// The DRAM bandwidth ceiling of this kind.
    #[must_use]
    pub fn bandwidth(&self, ceilings: Ceilings) -> &Sourced<BytesPerSecond> {
        match ceilings {
            Ceilings::Peak => &self.bandwidth_peak,
            Ceilings::Achieved => self.bandwidth_achieved.as_ref().unwrap_or(&self.bandwidth_peak),
        }
    }

    /// L1 bandwidth of all SMs: what somebody reached where that is asked for and known, else at the boost clock.
    #[must_use]
    pub fn l1_bandwidth(&self, ceilings: Ceilings) -> Option<Sourced<BytesPerSecond>> {
        let reached = self.l1_achieved.clone().filter(|_| ceilings == Ceilings::Achieved);
        reached.or_else(|| self.l1_bytes_per_clock.as_ref().map(|b| self.over_all_sms(b)))
    }

    /// Whether L1 and shared memory are one memory of one width, as since Volta (CUDA C++ Programming Guide, compute capability 7.x).
    #[must_use]
    pub fn has_unified_l1(&self) -> bool {
        self.cuda.compute_capability.major >= 7
    }

    /// Shared-memory bandwidth of all SMs at the boost clock.
    #[must_use]
    pub fn shared_bandwidth(&self) -> Option<Sourced<BytesPerSecond>> {
        self.shared_bytes_per_clock.as_ref().map(|b| self.over_all_sms(b))
    }

    /// Another name that finds it.
    pub fn add_alias(&mut self, name: &str) {
        self.aliases.push(name.to_string());
        self.names = self.aliases.iter().chain(&self.instances).cloned().collect();
    }

    /// The name without its brand, for narrow columns: `RTX 4070`, `RTX 6000 Ada`.
    #[must_use]
    pub fn short_name(&self) -> &str {
        if let Some(short) = &self.short {
            return short;
        }
        let bare = self.name.strip_prefix("NVIDIA ").unwrap_or(&self.name);
        ["GeForce ", "Tesla "].iter().find_map(|brand| bare.strip_prefix(brand)).unwrap_or(bare)
    }

    /// Gives it another name, which is its short one as well.
    fn rename(&mut self, name: String) {
        (self.name, self.short) = (name, None);
    }

    /// Bytes per clock and SM x SMs x boost clock: computed, whatever the origin of its inputs.
    fn over_all_sms(&self, per_clock: &Sourced<f64>) -> Sourced<BytesPerSecond> {
        let clocks = f64::from(self.sms.value) * self.boost_clock.value.0;
        Sourced { origin: NumberOrigin::Derived, ..per_clock.map(|b| BytesPerSecond(b * clocks)) }
    }
}

impl CatalogueEntry for Gpu {
    fn id(&self) -> &str {
        &self.id
    }
    #[expect(
        clippy::misnamed_getters,
        reason = "a GPU is found by more names than its file lists as aliases"
    )]
    fn aliases(&self) -> &[String] {
        &self.names
    }
}
