//! The time of each component of a kernel on one GPU, and how they add up to a roof.
//!
//! | component | time | symbols |
//! |---|---|---|
//! | DRAM | (1 - h) D / B_D + (1 - k) Z / (0.33 B_D) | D compulsory DRAM bytes, B_D sustained bandwidth, h share that stays in L2; Z bytes of single sectors in no order, k share of them found in L2 |
//! | L2 | Q / B_L2 | Q bytes through L2, B_L2 its sustained bandwidth |
//! | global | max(G, K/128) / (g N f), and 128 W / (s N f) since Volta | G global load and store warp requests, K bytes through L1, g requests of 128 bytes per clock and SM, N SMs, f clock, W lines that the lanes served at once touch |
//! | LSU | L / (lsu/32 N f) | L warp instructions of the load/store unit, lsu its lanes |
//! | shared | 128 S / (s N f) | S shared-memory wavefronts, s bytes per clock and SM |
//! | FP | max(F 32/t, 64 M) / C | F FLOPs, t active threads per instruction, M warp instructions of the type's own pipe (FMA or FP64), where they were counted, C the peak rate of the type |
//! | issue | I / (i N f) | I warp instructions, i issued per clock and SM |
//! | atomics | max(1.45 A, 4 V) / f | A warp requests of atomics, as if on one address; V sectors that they change in the line that most of them go to |
//! | ALU, XU, FP64 | P / (p/32 N f) | P warp instructions of the pipe, p its lanes; only profilers count them |
//!
//! h falls from 1 at WS = a S_L2 to 0 at b S_L2 for buffers that are used again, with WS the bytes touched, a and b those of the compute capability
//! (`specs/architectures.toml`; 0.75 and 1.25 where nobody looked); 0 where L2 is flushed before every launch. N is min(SMs, blocks): an SM without a block does nothing and draws no power, and one
//! that has one moves at most 64 bytes a clock to and from L2. B_D is less where few threads wait for it (`in_flight`). Z is what passes L2 beside the compulsory
//! bytes of everything else; of a set of Y bytes k = a S_L2 / Y is found there, at most 1. Every load and store passes the LSU: where nobody counted its instructions, the
//! global requests and the shared wavefronts stand in.
//!
//! The components overlap, but not wholly: their p-norm, p = 10, is the time R without a power limit. A board under its power
//! limit lowers its clock the more, the larger the share of FP work: roof = max(R, R^0.45 t_FP^0.55 / φ), with φ the part of
//! the FP32 peak that pure FP32 work sustains, more of it where operands stay in registers (`operand_traffic`). A kernel that does nothing else takes t_FP / φ, one that waits for memory
//! is not slowed.

use super::component_times::Components;
use super::in_flight::{WaitingBytes, bandwidth_in_flight};
use super::operand_traffic::operand_traffic;
use super::product_tiles::{ProductTile, batched_tiles, shared_power, tiled_share};
use super::scattered::{
    CLOCKS_IN_ONE_LINE, CLOCKS_ON_ONE_ADDRESS, SCATTERED_OF_STREAM, atomic_clocks, scattered_bytes,
};
use super::straight_line::StraightLine;
use crate::gpu::Gpu;
use crate::kernel::{Count, ProductSizes, Work};

/// A number of a GPU that a component time rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Spec {
    /// SMs.
    Sms,
    /// SM clock.
    Clock,
    /// Peak rate of the kernel's type per SM and clock.
    FlopsPerClock,
    /// Part of that peak which the power limit sustains where a kernel does nothing else.
    PowerShare,
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
    /// ALU lanes per SM.
    AluLanes,
    /// XU lanes per SM.
    XuLanes,
    /// FP64 lanes per SM.
    Fp64Lanes,
}

impl Spec {
    /// All of them.
    pub const ALL: [Self; 14] = [
        Self::Sms,
        Self::Clock,
        Self::FlopsPerClock,
        Self::PowerShare,
        Self::LsuLanes,
        Self::GlobalPerClock,
        Self::SharedPerClock,
        Self::IssuePerClock,
        Self::L2Bandwidth,
        Self::DramBandwidth,
        Self::L2Size,
        Self::AluLanes,
        Self::XuLanes,
        Self::Fp64Lanes,
    ];

    /// The words on screen and in exports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Sms => "SMs",
            Self::Clock => "SM clock",
            Self::FlopsPerClock => "FLOPs per clock and SM",
            Self::PowerShare => "FLOP rate under power limit",
            Self::LsuLanes => "load/store lanes",
            Self::GlobalPerClock => "global requests per clock",
            Self::SharedPerClock => "L1/shared bytes per clock",
            Self::IssuePerClock => "issue per clock",
            Self::L2Bandwidth => "L2 bandwidth",
            Self::DramBandwidth => "DRAM bandwidth",
            Self::L2Size => "L2 size",
            Self::AluLanes => "ALU lanes",
            Self::XuLanes => "XU lanes",
            Self::Fp64Lanes => "FP64 lanes",
        }
    }
}

/// The numbers of one GPU that component times rest on, SI, in the order of [`Spec::ALL`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MachineNumbers {
    specs: [f64; Spec::ALL.len()],
    /// The count of instructions of the pipe that FLOPs run on, 64 FLOPs each, where there is one.
    pub(super) own_pipe: Option<Count>,
    /// Clock cycles from an instruction to one that needs its result: no component rests on it, the time above the roof does.
    dependent_issue: f64,
    /// Seconds from a load to its data in DRAM.
    dram_latency: f64,
    /// Blocks that it starts per clock.
    block_starts: f64,
    /// Whether a power limit holds its SM clock where it is.
    is_clock_held: bool,
    straight_line: StraightLine,
    /// Part of the stated DRAM bandwidth that is sustained, at most 1.
    dram_share: f64,
    /// Whether L1 is one memory with shared memory and has its width, as since Volta.
    has_unified_l1: bool,
    /// Shares of the L2 up to which buffers stay there whole, and from which nothing of them does.
    l2_holds: [f64; 2],
    /// Whether the board ships with ECC on, which costs GDDR bandwidth and can be switched off.
    has_ecc: bool,
    /// How many times more of the peak than [`Spec::PowerShare`] FLOPs sustain whose operands stay in registers.
    register_gain: f64,
    /// The tiles that a library cuts many products at once into.
    batched_tiles: &'static [ProductTile],
    /// What a library's kernels reach of the rate, as in [`Residents::library_share`]: FLOPs per clock are less by it.
    library_share: f64,
}

/// What a launch keeps on a GPU at once, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Residents {
    /// Blocks of the launch: no more SMs than that have one.
    pub blocks: Option<f64>,
    /// Blocks that one SM holds at a time.
    pub per_sm: Option<f64>,
    /// Warps of a block; 0 where no launch is known.
    pub warps: f64,
    /// What its threads wait for at a time.
    pub waiting: Option<WaitingBytes>,
    /// The product whose tiles keep the SMs busy, where a library cuts it.
    pub product: Option<ProductSizes>,
    /// What a library's kernels reach of this GPU's FP32 rate beside older GPUs, 0 to 1.
    pub library_share: f64,
}

impl Default for Residents {
    fn default() -> Self {
        Self { blocks: None, per_sm: None, warps: 0.0, waiting: None, product: None, library_share: 1.0 }
    }
}

impl MachineNumbers {
    /// Those of this GPU for a kernel of this type (`fp64`, `fp16`, `int32`; every other type runs on the FP32 pipes).
    #[must_use]
    pub fn from_gpu(gpu: &Gpu, dtype: &str) -> Self {
        let (sms, clock) = (f64::from(gpu.sms.value), gpu.boost_clock.value.0);
        let per_clock = |rate: f64| rate / (sms * clock);
        let (peak, sustained) = (gpu.fp32_peak.value.0, gpu.fp32_sustained().value.0);
        let other = match dtype {
            "fp64" => Some(gpu.fp64_peak.as_ref().map_or(sustained / 32.0, |r| r.value.0)),
            // Where halves are slower than words, code converts them.
            "fp16" => Some(gpu.fp16_peak.as_ref().map_or(sustained, |r| r.value.0.max(sustained))),
            "int32" => Some(gpu.int32_rate().value.0),
            _ => None,
        };
        let (rate, share) =
            other.map_or((peak.max(sustained), (sustained / peak).min(1.0)), |rate| (rate, 1.0));
        let specs = [
            sms,
            clock,
            per_clock(rate),
            share,
            gpu.sm.lsu_lanes.value,
            gpu.sm.global_per_clock.value,
            gpu.sm.shared_bytes_per_clock.value,
            gpu.sm.issue_per_clock.value,
            gpu.l2_bandwidth_or_derived().value.0,
            gpu.bandwidth_sustained().value.0,
            gpu.l2_size.value.0,
            gpu.sm.alu_lanes.value,
            gpu.sm.xu_lanes.value,
            fp64_lanes(gpu),
        ];
        let own_pipe = match dtype {
            "fp64" => Some(Count::Fp64WarpInsts),
            "fp16" => None, // two halves an instruction: nobody says of which it is
            _ => Some(Count::FmaWarpInsts),
        };
        let dram_latency = gpu.dram_latency().value.0;
        Self {
            specs,
            own_pipe,
            dependent_issue: gpu.sm.dependent_issue.value,
            dram_latency,
            block_starts: gpu.block_starts_per_clock().value,
            is_clock_held: gpu.is_clock_held(),
            straight_line: StraightLine::on_gpu(gpu),
            dram_share: (gpu.bandwidth_sustained().value / gpu.bandwidth_peak.value).min(1.0),
            has_unified_l1: gpu.has_unified_l1(),
            l2_holds: [
                gpu.sm.l2_holds_all_until.as_ref().map_or(L2_HOLDS[0], |share| share.value),
                gpu.sm.l2_holds_none_from.as_ref().map_or(L2_HOLDS[1], |share| share.value),
            ],
            has_ecc: gpu.ecc,
            register_gain: if other.is_none() { gpu.fp32_register_gain() } else { 1.0 },
            batched_tiles: batched_tiles(gpu.cuda.compute_capability),
            library_share: 1.0,
        }
    }

    /// One of the numbers.
    #[must_use]
    #[inline]
    pub fn spec_value(&self, spec: Spec) -> f64 {
        self.specs[spec as usize]
    }

    /// Whether the board ships with ECC on: who switches it off has more of the stated bandwidth.
    #[must_use]
    #[inline]
    pub fn has_ecc(&self) -> bool {
        self.has_ecc
    }

    /// Clock cycles from an FP32 instruction to one that needs its result.
    #[must_use]
    #[inline]
    pub fn dependent_issue(&self) -> f64 {
        self.dependent_issue
    }

    /// The same GPU for a kernel of tensor cores, at this rate per SM and clock and this share of it under the power limit; `None`: it states
    /// none, and the FP32 lanes stand in. What the FMA pipe does beside tensor cores is no part of their FLOPs on any GPU.
    #[must_use]
    pub(super) fn for_tensor_kernel(self, rate: Option<(f64, f64)>) -> Self {
        let with_rate = |(flops_per_clock, share)| {
            self.with(Spec::FlopsPerClock, flops_per_clock).with(Spec::PowerShare, share)
        };
        Self { own_pipe: None, register_gain: 1.0, ..rate.map_or(self, with_rate) }
    }

    /// The same GPU with one number changed by this factor.
    #[must_use]
    pub fn scaled(mut self, spec: Spec, factor: f64) -> Self {
        self.specs[spec as usize] *= factor;
        self
    }

    /// The same GPU with one number changed by this factor under the power limit that it has: where that binds, more SMs, lanes or clock
    /// have less of it each.
    #[must_use]
    pub fn scaled_at_power(self, spec: Spec, factor: f64) -> Self {
        let share = self.spec_value(Spec::PowerShare);
        let shares_power = share < 1.0 && matches!(spec, Spec::Sms | Spec::Clock | Spec::FlopsPerClock);
        let left = if shares_power { shared_power(share, factor) } else { share };
        self.with(Spec::PowerShare, left).scaled(spec, factor)
    }

    /// Whether this number of another GPU differs, or what its L2 holds beside the size.
    #[must_use]
    pub fn differs_in(&self, spec: Spec, other: &Self) -> bool {
        self.spec_value(spec).to_bits() != other.spec_value(spec).to_bits()
            || (spec == Spec::L2Size && self.l2_holds != other.l2_holds)
    }

    /// The same GPU with this number of another one; with the size of its L2, what that holds.
    #[must_use]
    pub fn taking(mut self, spec: Spec, other: &Self) -> Self {
        if spec == Spec::L2Size {
            self.l2_holds = other.l2_holds;
        }
        self.with(spec, other.spec_value(spec))
    }

    /// The same GPU with one number in the place of its own.
    #[must_use]
    pub fn with(mut self, spec: Spec, value: f64) -> Self {
        self.specs[spec as usize] = value;
        self
    }

    /// The same GPU as a launch of this work finds it: an SM without a block does nothing and leaves its power to the others, and
    /// threads that are too few to hide the latency of DRAM draw less of its bandwidth. Whole tiles of a product leave SMs idle as well, and
    /// code without loops is issued as fast as it is supplied. FLOPs whose operands stay in registers draw less power.
    #[must_use]
    #[inline]
    pub fn filled(&self, work: &Work, residents: Residents) -> Self {
        let mut filled = *self;
        filled.fill(work, residents);
        filled
    }

    #[inline]
    fn fill(&mut self, work: &Work, residents: Residents) {
        let sms = self.spec_value(Spec::Sms);
        let issue = &mut self.specs[Spec::IssuePerClock as usize];
        *issue = self.straight_line.issued_per_clock(*issue, work);
        self.specs[Spec::PowerShare as usize] = self.power_share(work);
        if let Some(waiting) = residents.waiting {
            let bandwidth = &mut self.specs[Spec::DramBandwidth as usize];
            *bandwidth = bandwidth_in_flight(*bandwidth, waiting.on_sms(sms), self.dram_latency);
        }
        self.specs[Spec::FlopsPerClock as usize] *= residents.library_share;
        self.library_share *= residents.library_share;
        if let Some(product) = residents.product {
            let power_share = self.spec_value(Spec::PowerShare);
            let share = tiled_share(product, sms, power_share, self.batched_tiles);
            self.specs[Spec::FlopsPerClock as usize] *= share.arithmetic;
            self.specs[Spec::PowerShare as usize] = shared_power(power_share, share.busy);
        }
        let Some(busy) = residents.blocks.filter(|b| *b < sms) else { return };
        let most = L2_PORT_BYTES_PER_CLOCK * busy * self.spec_value(Spec::Clock);
        for memory in [Spec::L2Bandwidth, Spec::DramBandwidth] {
            self.specs[memory as usize] = self.spec_value(memory).min(most);
        }
        let power = &mut self.specs[Spec::PowerShare as usize];
        *power = shared_power(*power, busy / sms);
        self.specs[Spec::Sms as usize] = busy;
    }

    /// Seconds of so many warp requests of atomics on one address.
    #[must_use]
    #[inline]
    pub fn one_address_seconds(&self, requests: f64) -> f64 {
        CLOCKS_ON_ONE_ADDRESS * requests / self.spec_value(Spec::Clock)
    }

    /// The sectors of one line that atomics change in so many seconds.
    #[must_use]
    #[inline]
    pub fn sectors_in_one_line(&self, seconds: f64) -> f64 {
        seconds * self.spec_value(Spec::Clock) / CLOCKS_IN_ONE_LINE
    }

    /// h: the share of the working set that the launch finds in L2.
    #[must_use]
    #[inline]
    pub fn l2_residency(&self, working_set: f64, reuse: BufferReuse) -> f64 {
        let [all, none] = match reuse {
            BufferReuse::Never => return 0.0,
            BufferReuse::BySameLaunch => self.l2_holds,
            BufferReuse::ByNextKernel => [self.l2_holds[0], NOTHING_FOUND_FROM * self.l2_holds[0]],
        };
        let of_size = working_set / self.spec_value(Spec::L2Size);
        ((none - of_size) / (none - all)).clamp(0.0, 1.0)
    }

    /// Seconds from a load to its data in DRAM.
    #[must_use]
    #[inline]
    pub fn dram_latency(&self) -> f64 {
        self.dram_latency
    }

    /// Whether a number can be another one: the share of the FP32 rate that a power limit leaves is none that can be set, nor is a clock that it holds.
    #[must_use]
    pub fn is_settable(&self, spec: Spec) -> bool {
        spec != Spec::PowerShare && !(spec == Spec::Clock && self.is_clock_held)
    }

    /// Blocks of a launch that it starts per clock, on however many SMs.
    #[must_use]
    #[inline]
    pub fn block_starts_per_clock(&self) -> f64 {
        self.block_starts
    }

    /// What its SMs do with straight-line code.
    #[must_use]
    #[inline]
    pub fn straight_line(&self) -> &StraightLine {
        &self.straight_line
    }

    /// The part of the FP peak that this work's FLOPs sustain where they are all it does.
    #[inline]
    fn power_share(&self, work: &Work) -> f64 {
        let share = self.spec_value(Spec::PowerShare);
        if share >= 1.0 || self.register_gain == 1.0 {
            return share;
        }
        let traffic = operand_traffic(work);
        if traffic >= 1.0 { share } else { (share * self.register_gain.powf(1.0 - traffic)).min(1.0) }
    }

    /// The time of every component for this work; what nobody counted takes none.
    #[must_use]
    #[inline]
    pub fn components(&self, work: &Work, reuse: BufferReuse) -> Components {
        let count = |c: Count| work.get(c).unwrap_or(0.0);
        let sm_clocks = self.spec_value(Spec::Sms) * self.spec_value(Spec::Clock);
        let dram = count(Count::DramBytes);
        let touched = work.get(Count::WorkingSetBytes).unwrap_or(dram);
        let resident = self.l2_residency(touched, reuse);
        // A load that no profile followed passes L2 at least once.
        let l2 = work.get(Count::L2Bytes).unwrap_or(dram);
        let lsu = lsu_insts(work);
        let requests = count(Count::GlobalWarpInsts).max(count(Count::L1Bytes) / 128.0);
        let shared_wavefronts = self.spec_value(Spec::SharedPerClock) / 128.0 * sm_clocks;
        let l1_wavefronts = if self.has_unified_l1 { count(Count::GlobalWavefronts) } else { 0.0 };
        let on_own_pipe = self.own_pipe.map_or(0.0, |pipe| 64.0 * count(pipe));
        let flops = (count(Count::Flops) * work.active_lane_factor()).max(on_own_pipe);
        let on_pipe = |pipe: Count, lanes: Spec| match work.get(pipe) {
            Some(insts) if self.own_pipe != Some(pipe) => insts / (self.spec_value(lanes) / 32.0 * sm_clocks),
            _ => 0.0,
        };
        let single = scattered_bytes(work, self.l2_holds[0] * self.spec_value(Spec::L2Size));
        let scattered = single / (SCATTERED_OF_STREAM * self.spec_value(Spec::DramBandwidth));
        let dram_seconds =
            |resident: f64| (1.0 - resident) * dram / self.spec_value(Spec::DramBandwidth) + scattered;
        let times = [
            dram_seconds(resident),
            l2 / self.spec_value(Spec::L2Bandwidth),
            (requests / (self.spec_value(Spec::GlobalPerClock) * sm_clocks))
                .max(l1_wavefronts / shared_wavefronts),
            lsu / (self.spec_value(Spec::LsuLanes) / 32.0 * sm_clocks),
            count(Count::SmemWavefronts) / shared_wavefronts,
            flops / (self.spec_value(Spec::FlopsPerClock) * sm_clocks),
            count(Count::WarpInstsIssued) / (self.spec_value(Spec::IssuePerClock) * sm_clocks),
            on_pipe(Count::AluWarpInsts, Spec::AluLanes),
            on_pipe(Count::XuWarpInsts, Spec::XuLanes),
            on_pipe(Count::Fp64WarpInsts, Spec::Fp64Lanes),
            atomic_clocks(work) / self.spec_value(Spec::Clock),
        ];
        // Single sectors might come as fast as a stream: no GPU is known to give them so.
        let as_stream =
            if scattered > 0.0 { 1.0 - (1.0 - SCATTERED_OF_STREAM) * scattered / times[0] } else { 1.0 };
        let stated = [self.library_share, as_stream * self.dram_share];
        let components = Components::new(times, self.spec_value(Spec::PowerShare), stated);
        let at_least = match work.get(Count::WorkingSetBytes) {
            Some(stated) => self.l2_residency(ROOM_IN_L2 * stated, reuse),
            None => 0.0,
        };
        if at_least < resident {
            return components.with_streamed_dram(dram_seconds(at_least));
        }
        let is_unstated =
            reuse != BufferReuse::Never && resident < 1.0 && work.get(Count::WorkingSetBytes).is_none();
        if is_unstated && work.get(Count::L2Bytes).is_some() {
            let kept = self.l2_residency(touched / PASSES_OF_L2, reuse);
            return components.with_kept_dram(dram_seconds(kept));
        }
        components
    }
}

/// FP64 lanes of an SM; two where nobody states them, as on boards that are not made for it.
fn fp64_lanes(gpu: &Gpu) -> f64 {
    gpu.fp64_lanes_per_sm.as_ref().map_or(2.0, |lanes| f64::from(lanes.value))
}

/// Warp instructions of the load/store unit; where nobody counted them, the global requests and the shared wavefronts.
#[must_use]
#[inline]
pub fn lsu_insts(work: &Work) -> f64 {
    let count = |c: Count| work.get(c).unwrap_or(0.0);
    let passed = || count(Count::GlobalWarpInsts) + count(Count::SmemWavefronts);
    work.get(Count::LsuWarpInsts).unwrap_or_else(passed)
}

/// Whether a launch finds its buffers in L2, where an earlier one left them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BufferReuse {
    /// It does not: caches were flushed, or each launch has other buffers.
    Never,
    /// One launch again and again on the same buffers.
    BySameLaunch,
    /// Kernels one after another, each of which reads what one before it wrote.
    ByNextKernel,
}

/// Shares of the L2 up to which buffers that are used again stay there whole, and from which nothing of them does, where nobody looked.
const L2_HOLDS: [f64; 2] = [0.75, 1.25];

/// Bytes of a kernel from which on it finds nothing in L2 of what the kernel before it wrote, over the bytes that stay whole. By reuse distance: from the
/// writing of a byte to its reading, all bytes of a kernel pass L2 (the first byte) to half of them (the last). Copies in turn between 2 to 8 buffers of
/// an H100, of whose L2 0.6 stays whole, fall from 0.55 to 1.22 (`datasets/h100-sxm5/l2.csv`).
const NOTHING_FOUND_FROM: f64 = 2.0;

/// How much larger than stated a working set may look to L2, which other data share: what it holds differs as much between boards of one chip.
const ROOM_IN_L2: f64 = 1.1;

/// How often the same byte may pass L2 where nobody stated what is touched: a stencil's rows are read by blocks above and below.
const PASSES_OF_L2: f64 = 3.0;

/// The most that one SM moves to and from L2 in a clock: the width of its port.
pub const L2_PORT_BYTES_PER_CLOCK: f64 = 64.0;
