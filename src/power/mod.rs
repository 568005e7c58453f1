//! Board power from what a kernel keeps busy, on any GPU, at any clocks.
//!
//! P = L (i + φ k (b a + x u_FP + y u_L2) + h (d u_DRAM + g m/m0)) + T, φ = (f/f0) (V/V0)², at most the board's limit.
//!
//! | symbol | what it is | unit |
//! |---|---|---|
//! | L | stated board power limit | W |
//! | i | share of it that an idle board draws; the GPU's own idle power where somebody measured it | - |
//! | b a | share that clocked SMs draw; a = SMs with a block / SMs, but for the time that atomics on one address take; 2.4 times the share of the time that load/store units or L1 are busy, where that is more | - |
//! | x u_FP | FLOP/s of the lanes over the FP32 peak at these clocks | - |
//! | k | 1; where the roofline's law leaves products less than the FP32 peak (`specs/architectures.toml`), what makes them draw the limit at what is left: such a board could not run at that peak | - |
//! | T | FLOP/s of tensor cores times their energy per FLOP at the clock they run at (`gpu::TensorPower`, with a voltage of its own), which their times rest on as well | W |
//! | y u_L2 | bytes through L2 over 64 B per SM and clock | - |
//! | d u_DRAM | DRAM bytes per second over the stated peak | - |
//! | g m/m0 | share that memory draws while it is clocked, whether it moves anything or not | - |
//! | h | what memory of this kind draws over GDDR5: by energy per bit, assumed (`memory_draw`) | - |
//! | f/f0, m/m0 | SM and memory clock over the stated ones | - |
//! | V/V0 | voltage: max(V_floor, 1 - s (1 - f/f0)) below f0, 1 + r (f/f0 - 1) above | - |
//!
//! Dynamic power goes with f V² (Mei, Yung, Zhao, Chu, "A measurement study of GPU DVFS on energy conservation", HotPower
//! 2013). i, b, x, y, d, g and r are fitted to three boards (`fit`, `specs/power.toml`), each weighing the same, and carried to
//! others through L: an assumption, whose error on a board left out is what the interval is made of. V_floor and s are those that
//! find the clock best that a power leaves (`fit::FLOOR`). L, f0 and m0 are those of the board, whatever it is set to.
//!
//! ```
//! use roofswap_engine::power::{Load, PowerModel};
//! let session = roofswap_engine::session::Session::load(None).unwrap();
//! let gpu = session.gpus.entry_named("rtx-4070").unwrap();
//! let model = PowerModel::shipped().unwrap();
//! let busy = Load { flops_per_s: 20e12, dram_per_s: 50e9, l2_per_s: 200e9, ..Load::of_all_sms() };
//! let power = model.estimate(gpu, gpu.clocks(), &busy);
//! assert!(power.idle.0 < power.watts.0 && power.watts.0 <= gpu.power_limit.value.0);
//! ```

mod cap;
pub mod fit;
mod load;

pub use cap::{check_board_limit, gpu_at_limit, with_lowest_limit};
pub use load::{Load, TensorLoad};

use crate::catalogue::{FileError, NumberOrigin, SpecFile};
use crate::gpu::{Clocks, Gpu};
use crate::units::Watts;
use serde::Deserialize;

/// Bytes per SM and clock that the use of L2 is measured against: a scale, no claim about a GPU.
const L2_SCALE: f64 = 64.0;

/// What stacked or low-power memory draws over GDDR5, in the share of the limit: energies per bit of HBM2 and GDDR5 (O'Connor et
/// al., "Fine-Grained DRAM", MICRO 2017, doi 10.1145/3123939.3124545: 3.92 and 14 pJ per bit, as texts that quote it say). That the
/// share of a board's limit goes with it, and that low-power memory draws as little as HBM, is assumed: from 0.2 to 0.3 a board left out is missed by 15 to 18 %.
const STACKED_MEMORY: f64 = 0.28;

/// What GDDR6 and what came after it draw over GDDR5: 7.25 (GDDR6X) and 7.5 pJ per bit (Micron, "Ultra-Bandwidth Solutions", memory
/// comparison) over the 14 of GDDR5 above. Two publications, and again a share of the limit: assumed. On an RTX 4090 it makes
/// 54 W of a memory that moves 1,008 GB/s at 7.25 pJ per bit, which are 58 W.
const GDDR6: f64 = 0.52;

/// The fitted shares of the power limit.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shares {
    /// i: drawn by an idle board, its memory at rest.
    pub idle: f64,
    /// b: by clocked SMs that have a block.
    pub active: f64,
    /// x: by arithmetic at the FP32 peak.
    pub fp: f64,
    /// y: by L2 at 64 bytes per SM and clock.
    pub l2: f64,
    /// d: by GDDR at its stated peak.
    pub dram: f64,
    /// g: by GDDR at its stated clock, moving nothing.
    pub memory: f64,
}

/// The fitted voltage curve, relative to the voltage at the stated boost clock.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Voltage {
    /// The least there is.
    pub floor: f64,
    /// s: slope below the stated clock.
    pub below: f64,
    /// r: slope above it.
    pub above: f64,
}

impl Voltage {
    /// φ at this part of the stated clock.
    #[must_use]
    pub fn dynamic(&self, clock: f64) -> f64 {
        clock * self.squared(clock)
    }

    /// (V/V0)² at this part of the stated clock.
    #[must_use]
    pub fn squared(&self, clock: f64) -> f64 {
        let v = if clock < 1.0 {
            (1.0 - self.below * (1.0 - clock)).max(self.floor)
        } else {
            1.0 + self.above * (clock - 1.0)
        };
        v * v
    }
}

/// How wrong the model was where the GPU, or the kernel, was left out of the fit.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeldOut {
    /// Mean error in percent, every GPU weighing the same.
    pub mean_percent: f64,
    /// Half-width of the 90 % interval in ln.
    pub ln_90: f64,
    /// How often an interval made of the other folds' errors held, in percent.
    pub coverage_percent: f64,
}

/// Numbers of the fit, as `specs/power.toml` has them.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PowerModel {
    /// Rows behind it.
    pub rows: usize,
    /// Ids of the GPUs behind it.
    pub gpus: Vec<String>,
    /// Shares of the power limit.
    pub shares: Shares,
    /// The voltage curve.
    pub voltage: Voltage,
    /// A GPU left out.
    pub new_gpu: HeldOut,
    /// A kernel left out.
    pub new_kernel: HeldOut,
}

/// A board's power under a load. Modelled: nothing here was measured on this board.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoardPower {
    /// What it draws, between idle and its limit.
    pub watts: Watts,
    /// Ends of the 90 % interval; neither leaves what the board can draw.
    pub low: Watts,
    /// As `low`.
    pub high: Watts,
    /// What it draws idle.
    pub idle: Watts,
    /// Where [`BoardPower::idle`] comes from.
    pub idle_origin: NumberOrigin,
    /// What the terms add up to; above the limit the board would lower its clocks.
    pub wanted: Watts,
    /// The board's limit.
    pub limit: Watts,
    /// Whether this GPU is one of the fit.
    pub known_gpu: bool,
}

impl BoardPower {
    /// Whether the limit is what it draws.
    #[must_use]
    pub fn is_capped(&self) -> bool {
        self.wanted > self.limit
    }
}

/// What a board would draw without a limit, in watts.
struct WantedPower {
    /// With nothing to do.
    idle: f64,
    /// With this load.
    wanted: f64,
}

impl PowerModel {
    /// The fit that ships.
    ///
    /// # Errors
    /// [`FileError`] where `specs/power.toml` does not parse (a test reads it).
    pub fn shipped() -> Result<Self, FileError> {
        let text = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/specs/power.toml"));
        SpecFile { name: "specs/power.toml", text }.parse()
    }

    /// The power of this GPU at these clocks and this limit under this load, and what was to be known of it. Whatever it is set to
    /// itself, shares and voltages are those of its board ([`Gpu::stated_clocks`]).
    #[must_use]
    pub fn estimate(&self, stock: &Gpu, clocks: Clocks, load: &Load) -> BoardPower {
        let limit = clocks.power_limit.0;
        let WantedPower { idle, wanted } = self.wanted_power(stock, clocks, load);
        let idle_origin = stock.idle_power.as_ref().map_or(NumberOrigin::Assumed, |p| p.origin);
        let known_gpu = self.gpus.contains(&stock.id);
        let held_out = if known_gpu { self.new_kernel } else { self.new_gpu };
        let watts = wanted.min(limit);
        let factor = held_out.ln_90.exp();
        let within = |w: f64| Watts(w.clamp(idle.min(watts), limit));
        BoardPower {
            watts: Watts(watts),
            low: within(watts / factor),
            high: within(wanted * factor),
            idle: Watts(idle),
            idle_origin,
            wanted: Watts(wanted),
            limit: Watts(limit),
            known_gpu,
        }
    }

    /// [`BoardPower::watts`] alone, for those who ask half a million times. A GPU with another number of SMs or lanes than the board it was made from draws as
    /// much more or less in them; [`PowerModel::capped_share`] leaves that out, so that more SMs are not slower.
    #[must_use]
    pub fn drawn_power(&self, stock: &Gpu, clocks: Clocks, load: &Load) -> Watts {
        let load = load.in_shares_of_board(stock);
        Watts(self.wanted_power(stock, clocks, &load).wanted.min(clocks.power_limit.0))
    }

    fn wanted_power(&self, stock: &Gpu, clocks: Clocks, load: &Load) -> WantedPower {
        let stated = stock.stated_clocks().power_limit.0;
        let terms = Terms::at_clocks(stock, clocks, load, &self.voltage);
        let of_board = self.idle_power(stock).0;
        let shares = self.shares_on(stock, of_board / stated);
        // Tensor cores draw by FLOPs, and no less than SMs that have a block.
        let tensor = load.tensor.map_or(0.0, |tensor| {
            let of_blocks = stated * shares.active * tensor.busy * terms.0[1];
            (tensor.power.watts(load.sm_clock(clocks), tensor.drawing).0 - of_blocks).max(0.0)
        });
        let idle = of_board.min(clocks.power_limit.0);
        WantedPower { idle, wanted: idle + stated * terms.beside_idle(&shares) + tensor }
    }

    /// The shares of this board. Where its limit leaves products less than the FP32 peak, its SMs would draw more than the limit at that peak: they
    /// draw at what is left what the limit leaves beside idle power and memory.
    fn shares_on(&self, stock: &Gpu, idle_share: f64) -> Shares {
        let Shares { active, fp, l2, memory, .. } = self.shares;
        let beside = 1.0 - idle_share - memory_draw(stock) * memory;
        let more = (beside / ((active + fp) * stock.existing().fp32_part_by_power())).max(1.0);
        Shares { active: more * active, fp: more * fp, l2: more * l2, ..self.shares }
    }
}

/// The factors beside the shares, in the order idle, active, fp, l2, dram, memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Terms(pub(crate) [f64; 6]);

impl Terms {
    pub(crate) fn at_clocks(stock: &Gpu, clocks: Clocks, load: &Load, voltage: &Voltage) -> Self {
        let used = Used::at_clocks(stock, clocks, load);
        let dynamic = voltage.dynamic(used.clock);
        let of_memory = memory_draw(stock);
        let memory = [of_memory * used.dram, of_memory * used.mem];
        Self([1.0, dynamic * used.active, dynamic * used.fp, dynamic * used.l2, memory[0], memory[1]])
    }

    /// All but what an idle board draws.
    fn beside_idle(&self, shares: &Shares) -> f64 {
        let [_, active, fp, l2, dram, memory] = self.0;
        let of_memory = shares.dram * dram + shares.memory * memory;
        shares.active * active + shares.fp * fp + shares.l2 * l2 + of_memory
    }
}

/// What busy load/store units draw over SMs that have a block, which is what kernels of the fit do on the average. Loops of loads and FMAs (matmul_naive
/// of 2048³, gemm_tiled with tiles of 8, 16 and 32) drew 458 to 573 W on an H100 and an H200 of 700 W; two boards of one architecture.
const BUSY_LSU: f64 = 2.4;

/// What this board's memory draws over GDDR5.
fn memory_draw(stock: &Gpu) -> f64 {
    match stock.memory_type.strip_prefix("GDDR") {
        Some(generation) if generation.starts_with('5') => 1.0,
        Some(_) => GDDR6,
        None => STACKED_MEMORY,
    }
}

/// How far each part of the GPU is used.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Used {
    /// SM clock, as busy tensor cores leave it, over the stated boost clock.
    pub clock: f64,
    /// Memory clock over the stated one, or over its own where that is higher.
    pub mem: f64,
    /// SMs that have a block, or what their load/store units draw over that.
    pub active: f64,
    /// Of the FP32 peak at this clock.
    pub fp: f64,
    /// Of 64 bytes per SM and clock.
    pub l2: f64,
    /// Of the stated DRAM peak.
    pub dram: f64,
}

impl Used {
    pub(crate) fn at_clocks(stock: &Gpu, clocks: Clocks, load: &Load) -> Self {
        let stated = stock.stated_clocks();
        let own = stock.clocks().mem;
        // Another memory is taken to draw what the board's does, be it faster or slower.
        let full = own.max(stated.mem * stock.memory_gain());
        let at_full_clock = full / own;
        let sm = load.sm_clock(clocks);
        let per_clock = f64::from(stock.sms.value) * sm.0;
        let lanes = f64::from(stock.fp32_lanes_per_sm.value);
        Self {
            clock: sm / stated.sm,
            mem: clocks.mem / full,
            active: load.active.max(BUSY_LSU * load.lsu),
            fp: load.flops_per_s / (2.0 * lanes * per_clock),
            l2: load.l2_per_s / (L2_SCALE * per_clock),
            dram: load.dram_per_s / (stock.bandwidth_peak.value.0 * at_full_clock),
        }
    }
}

#[cfg(test)]
mod tests;
