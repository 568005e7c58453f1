//! The time of each component of a kernel on one GPU, and how they add up to a roof.
//!
//! | component | time | symbols |
//! |---|---|---|
//! | DRAM | (1 - h) D / B_D | D compulsory DRAM bytes, B_D sustained bandwidth, h share that stays in L2 |
//! | L2 | Q / B_L2 | Q bytes through L2, B_L2 its sustained bandwidth |
//! | global | G / (g N f) | G global load and store warp requests, g of them per clock and SM, N SMs, f clock |
//! | LSU | L / (lsu/32 N f) | L warp instructions of the load/store unit, lsu its lanes |
//! | shared | 128 S / (s N f) | S shared-memory wavefronts, s bytes per clock and SM |
//! | FP | F 32/(t C φ) | F FLOPs, t active threads per instruction, C the rate of the type, φ the share of C that power allows |
//! | issue | I / (i N f) | I warp instructions, i issued per clock and SM |
//! | atomics | A / (f/2) | A same-address atomic warp requests, one per two clocks |
//!
//! h = clamp((1.25 S_L2 - WS) / (0.5 S_L2), 0, 1) for buffers that are used again, with WS the bytes touched.
//! The components overlap, but not wholly: a roof is their p-norm, p = 4, over the memory side (DRAM, L2) and the SM side.

use crate::gpu::Gpu;
use crate::kernel::{Count, Work};
use crate::units::Seconds;

/// A part of the GPU that a kernel keeps busy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Component {
    /// Device memory.
    Dram,
    /// The L2 cache.
    L2,
    /// The L1 path of global loads and stores.
    Global,
    /// The load/store units.
    Lsu,
    /// Shared memory, bank conflicts included.
    Shared,
    /// The floating-point pipes.
    Fp,
    /// The schedulers.
    Issue,
    /// Atomics on one address.
    Atomics,
}

impl Component {
    /// All components, memory side first.
    pub const ALL: [Self; 8] =
        [Self::Dram, Self::L2, Self::Global, Self::Lsu, Self::Shared, Self::Fp, Self::Issue, Self::Atomics];

    /// Those that FLOPs and bytes alone tell of.
    pub const LITE: [Self; 3] = [Self::Dram, Self::L2, Self::Fp];

    /// The word on screen and in exports.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Dram => "DRAM",
            Self::L2 => "L2",
            Self::Global => "global L1",
            Self::Lsu => "LSU",
            Self::Shared => "shared",
            Self::Fp => "FP",
            Self::Issue => "issue",
            Self::Atomics => "atomics",
        }
    }

    /// Whether it lies outside the SMs.
    #[must_use]
    pub fn is_memory(self) -> bool {
        matches!(self, Self::Dram | Self::L2)
    }

    /// The count that keeps it busy.
    #[must_use]
    pub fn count(self) -> Count {
        match self {
            Self::Dram => Count::DramBytes,
            Self::L2 => Count::L2Bytes,
            Self::Global => Count::GlobalWarpInsts,
            Self::Lsu => Count::LsuWarpInsts,
            Self::Shared => Count::SmemWavefronts,
            Self::Fp => Count::Flops,
            Self::Issue => Count::WarpInstsIssued,
            Self::Atomics => Count::GlobalAtomicRequests,
        }
    }
}

/// A number of a GPU that a component time rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Spec {
    /// SMs.
    Sms,
    /// SM clock.
    Clock,
    /// Sustained rate of the kernel's type per SM and clock.
    FlopsPerClock,
    /// Load/store lanes per SM.
    LsuLanes,
    /// Global warp requests per clock and SM.
    GlobalPerClock,
    /// Shared-memory bytes per clock and SM.
    SharedPerClock,
    /// Warp instructions issued per clock and SM.
    IssuePerClock,
    /// Sustained L2 bandwidth.
    L2Bandwidth,
    /// Sustained DRAM bandwidth.
    DramBandwidth,
    /// L2 size.
    L2Size,
}

impl Spec {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Sms,
        Self::Clock,
        Self::FlopsPerClock,
        Self::LsuLanes,
        Self::GlobalPerClock,
        Self::SharedPerClock,
        Self::IssuePerClock,
        Self::L2Bandwidth,
        Self::DramBandwidth,
        Self::L2Size,
    ];

    /// The words on screen and in exports.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Sms => "SMs",
            Self::Clock => "SM clock",
            Self::FlopsPerClock => "FLOPs per clock and SM",
            Self::LsuLanes => "load/store lanes",
            Self::GlobalPerClock => "global requests per clock",
            Self::SharedPerClock => "shared bytes per clock",
            Self::IssuePerClock => "issue per clock",
            Self::L2Bandwidth => "L2 bandwidth",
            Self::DramBandwidth => "DRAM bandwidth",
            Self::L2Size => "L2 size",
        }
    }
}

/// The numbers of one GPU that component times rest on, SI, in the order of [`Spec::ALL`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Machine([f64; Spec::ALL.len()]);

impl Machine {
    /// Those of this GPU for a kernel of this type (`fp64`, `fp16`; every other type runs on the FP32 pipes).
    #[must_use]
    pub fn of(gpu: &Gpu, dtype: &str) -> Self {
        let (sms, clock) = (f64::from(gpu.sms.value), gpu.boost_clock.value.0);
        let per_clock = |rate: f64| rate / (sms * clock);
        let fp32 = gpu.fp32_sustained().value.0;
        let rate = match dtype {
            "fp64" => gpu.fp64_peak.as_ref().map_or(fp32 / 32.0, |r| r.value.0),
            "fp16" => gpu.fp16_peak.as_ref().map_or(fp32, |r| r.value.0),
            _ => fp32,
        };
        Self([
            sms,
            clock,
            per_clock(rate),
            gpu.sm.lsu_lanes.value,
            gpu.sm.global_per_clock.value,
            gpu.sm.shared_bytes_per_clock.value,
            gpu.sm.issue_per_clock.value,
            gpu.l2_bandwidth_or_derived().value.0,
            gpu.bandwidth_sustained().value.0,
            gpu.l2_size.value.0,
        ])
    }

    /// One of the numbers.
    #[must_use]
    #[inline]
    pub fn get(&self, spec: Spec) -> f64 {
        self.0[spec as usize]
    }

    /// The same GPU with one number changed by this factor.
    #[must_use]
    pub fn scaled(mut self, spec: Spec, factor: f64) -> Self {
        self.0[spec as usize] *= factor;
        self
    }

    /// The same GPU with one number in the place of its own.
    #[must_use]
    pub fn with(mut self, spec: Spec, value: f64) -> Self {
        self.0[spec as usize] = value;
        self
    }

    /// The time scale of the SM side: 1 / (N f (lsu gl s)^(1/3)), for time nobody can lay to a component.
    #[must_use]
    #[inline]
    pub fn width(&self) -> f64 {
        let pipes =
            self.get(Spec::LsuLanes) * self.get(Spec::GlobalPerClock) * self.get(Spec::SharedPerClock);
        self.get(Spec::Sms) * self.get(Spec::Clock) * pipes.cbrt()
    }

    /// h: the share of the working set that stays in L2 when buffers are used again.
    #[must_use]
    #[inline]
    pub fn l2_residency(&self, working_set: f64) -> f64 {
        let l2 = self.get(Spec::L2Size);
        ((1.25 * l2 - working_set) / (0.5 * l2)).clamp(0.0, 1.0)
    }

    /// The time of every component for this work; what nobody counted takes none.
    ///
    /// The launch is taken to find its buffers where an earlier one left them.
    #[must_use]
    #[inline]
    pub fn components(&self, work: &Work) -> Components {
        let count = |c: Count| work.get(c).unwrap_or(0.0);
        let sm_clocks = self.get(Spec::Sms) * self.get(Spec::Clock);
        let dram = count(Count::DramBytes);
        let touched = work.get(Count::WorkingSetBytes).unwrap_or(dram);
        let resident = self.l2_residency(touched);
        // A load that no profile followed passes L2 at least once.
        let l2 = work.get(Count::L2Bytes).unwrap_or(dram);
        let lanes = work.get(Count::ActiveThreadsPerInst).map_or(1.0, |t| 32.0 / t.clamp(1.0, 32.0));
        Components([
            (1.0 - resident) * dram / self.get(Spec::DramBandwidth),
            l2 / self.get(Spec::L2Bandwidth),
            count(Count::GlobalWarpInsts) / (self.get(Spec::GlobalPerClock) * sm_clocks),
            count(Count::LsuWarpInsts) / (self.get(Spec::LsuLanes) / 32.0 * sm_clocks),
            128.0 * count(Count::SmemWavefronts) / (self.get(Spec::SharedPerClock) * sm_clocks),
            count(Count::Flops) * lanes / (self.get(Spec::FlopsPerClock) * sm_clocks),
            count(Count::WarpInstsIssued) / (self.get(Spec::IssuePerClock) * sm_clocks),
            count(Count::GlobalAtomicRequests) / (0.5 * self.get(Spec::Clock)),
        ])
    }
}

/// The time of every component in seconds, in the order of [`Component::ALL`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Components([f64; Component::ALL.len()]);

/// How far components overlap: 1 = one after the other, infinity = wholly. See docs of [`super`].
const P: i32 = 4;

impl Components {
    /// These times in seconds; every other component takes none.
    #[must_use]
    pub fn of_times(times: &[(Component, f64)]) -> Self {
        let mut all = [0.0; Component::ALL.len()];
        for (component, time) in times {
            all[*component as usize] = *time;
        }
        Self(all)
    }

    /// The time of this component.
    #[must_use]
    pub fn get(&self, component: Component) -> Seconds {
        Seconds(self.0[component as usize])
    }

    /// These components alone; the others take no time.
    #[must_use]
    pub fn only(mut self, kept: [Component; 3]) -> Self {
        for component in Component::ALL.into_iter().filter(|c| !kept.contains(c)) {
            self.0[component as usize] = 0.0;
        }
        self
    }

    /// The components, longest first.
    #[must_use]
    pub fn ranked(&self) -> Vec<(Component, Seconds)> {
        let mut all: Vec<_> = Component::ALL.into_iter().map(|c| (c, self.get(c))).collect();
        all.sort_by(|a, b| b.1.0.total_cmp(&a.1.0));
        all
    }

    /// The longest one; `None` where there is no work.
    #[must_use]
    pub fn binding(&self) -> Option<Component> {
        self.ranked().first().filter(|(_, t)| t.0 > 0.0).map(|(c, _)| *c)
    }

    /// The memory side and the SM side, each the p-norm of its components.
    #[must_use]
    #[inline]
    pub fn sides(&self) -> [f64; 2] {
        let powers = self.0.map(|t| t.powi(P));
        [powers[0] + powers[1], powers[2..].iter().sum()].map(root)
    }
}

/// (a^p + b^p)^(1/p).
#[must_use]
#[inline]
pub fn joined(a: f64, b: f64) -> f64 {
    root(a.powi(P) + b.powi(P))
}

/// What `whole` leaves beside `part`: the b of `joined(part, b) = whole`; 0 where nothing is left.
#[must_use]
#[inline]
pub fn rest(whole: f64, part: f64) -> f64 {
    root((whole.powi(P) - part.powi(P)).max(0.0))
}

/// The p-th root.
#[inline]
fn root(sum: f64) -> f64 {
    sum.sqrt().sqrt()
}
