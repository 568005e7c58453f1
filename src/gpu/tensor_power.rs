//! How far the power limit of its board slows the tensor cores of a GPU: the largest share of its clock at which idle power and energy per FLOP
//! stay below the limit. What a lower limit does to a kernel is what it does to every other one (`src/power/cap.rs`).
//!
//! `P(share) = IDLE_SHARE P_limit + energy rate share V(share)²`, V relative, `VOLTAGE_AT_REST + VOLTAGE_PER_GHZ f`.

use super::Gpu;
use crate::catalogue::ElementType;
use crate::units::{FlopsPerSecond, Hertz, Watts};

/// The best that a kernel gets of the stated dense tensor rate, before the power limit.
pub const TENSOR_PART: f64 = 0.95;

/// Energy of attention's products per FLOP over that of a product alone, whose operands all come from shared memory: what leaves an L40S of 350 W its
/// measured 223 TFLOPS (0.66 to 0.85 are alike on the three GPUs).
pub const PREFILL_ENERGY: f64 = 0.75;

/// Joules per FLOP of `mma.sync` at a relative voltage of 1 (2.5 GHz), operands of 16 bits, in 7 nm and less.
const ENERGY_MMA: f64 = 2.7e-12;

/// The same in 8 nm: what an RTX A6000 of 300 W is left with at the 95 TFLOPS of FP16 that 8192³ products reach (PyTorch, d2l.ai).
const ENERGY_MMA_8NM: f64 = 4.4e-12;

/// The same in 12 nm: what a V100 and a TITAN V are left with at 95 and 77 TFLOPS (the same products).
const ENERGY_MMA_12NM: f64 = 5.5e-12;

/// The same of Turing: what a T4 of 70 W is left with at the 41.9 TFLOPS of FP16 that large products reach (torch-performance-test-data).
const ENERGY_MMA_TURING: f64 = 3.0e-12;

/// The same of compute capability 12: what RTX PRO 6000 boards of 600 W are left with at 313 to 418 TFLOPS of FP16 and BF16 (the same table: 2.4 to 1.5
/// pJ, the middle of them).
const ENERGY_MMA_BLACKWELL: f64 = 2.0e-12;

/// The same of `wgmma`.
const ENERGY_WGMMA: f64 = 1.29e-12;

/// The same of `tcgen05`: what a B200 of 1000 W is left with at the 1745 TFLOPS of BF16 that it was measured to reach (S. Bekman,
/// ml-engineering, "maximum achievable matmul FLOPS").
const ENERGY_TCGEN05: f64 = 0.76e-12;

/// What halving the operands leaves of the energy per FLOP.
const ENERGY_8_BIT: f64 = 0.72;

/// The same of `tcgen05`: that B200 reaches 3433 TFLOPS of FP8 and 6624 of NVFP4 (the same source).
const ENERGY_8_BIT_TCGEN05: f64 = 0.52;

/// Energy of an FP64 FLOP over one of 16 bits: what leaves an A100 and an H100 at their 19.5 and 67 TFLOPS nearly their limits. Assumed.
const ENERGY_64_BIT: f64 = 9.0;

/// Relative voltage: `VOLTAGE_AT_REST + VOLTAGE_PER_GHZ f`.
const VOLTAGE_AT_REST: f64 = 0.44;

/// Relative voltage per GHz of SM clock.
const VOLTAGE_PER_GHZ: f64 = 0.223;

/// Power without work as a share of the limit: that of boards with HBM and with GDDR lies on either side (`specs/power.toml`).
const IDLE_SHARE: f64 = 0.157;

/// How an architecture's tensor instructions get their operands: what they cost in energy and which tiles libraries use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TensorIssue {
    /// `mma.sync`: a warp's registers (Volta to Ada, and Blackwell boards of compute capability 12).
    Warp,
    /// `wgmma`: four warps, operands in shared memory (Hopper).
    WarpGroup,
    /// `tcgen05`: one thread, sums in tensor memory (Blackwell of compute capability 10).
    TensorMemory,
}

/// What decides the power of busy tensor cores, in SI units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TensorPower {
    /// Joules per FLOP at a relative voltage of 1.
    pub energy_per_flop: f64,
    /// The limit: a higher one where that is set, else that of the board.
    pub limit: Watts,
}

impl TensorPower {
    /// Of this GPU with operands of this type.
    #[must_use]
    pub fn new(gpu: &Gpu, input: ElementType) -> Self {
        let limit = gpu.lowered_from().unwrap_or(gpu.power_limit.value);
        Self { energy_per_flop: energy_per_flop(gpu, input), limit }
    }

    /// The share of this clock in hertz that a GPU keeps while its tensor cores are busy at this dense rate.
    #[must_use]
    pub fn clock_share(&self, clock: f64, rate: FlopsPerSecond) -> f64 {
        let fits = |share: f64| self.at(share, clock, rate) <= self.limit.0;
        if fits(1.0) {
            return 1.0;
        }
        let (mut low, mut high) = (0.2, 1.0);
        for _ in 0..24 {
            let middle = 0.5 * (low + high);
            if fits(middle) { low = middle } else { high = middle }
        }
        low
    }

    /// Watts with all tensor cores busy at this share of the clock.
    fn at(&self, share: f64, clock: f64, rate: FlopsPerSecond) -> f64 {
        let busy = FlopsPerSecond(rate.0 * TENSOR_PART * share);
        IDLE_SHARE * self.limit.0 + self.watts(Hertz(clock * share), busy).0
    }

    /// The highest SM clock at which tensor cores that do this many FLOPs per second stay below the limit, whether they are busy all the time or not.
    #[must_use]
    pub fn clock_of_rate(&self, rate: FlopsPerSecond) -> Hertz {
        let free = (1.0 - IDLE_SHARE) * self.limit.0;
        let voltage = (free / (self.energy_per_flop * rate.0)).sqrt();
        Hertz(1e9 * (voltage - VOLTAGE_AT_REST).max(0.0) / VOLTAGE_PER_GHZ)
    }

    /// Watts of tensor cores that do this many FLOPs per second at this clock.
    #[must_use]
    pub fn watts(&self, clock: Hertz, rate: FlopsPerSecond) -> Watts {
        let voltage = VOLTAGE_AT_REST + VOLTAGE_PER_GHZ * clock.0 * 1e-9;
        Watts(self.energy_per_flop * rate.0 * voltage * voltage)
    }
}

impl Gpu {
    /// How its tensor instructions get their operands.
    #[must_use]
    pub fn tensor_issue(&self) -> TensorIssue {
        match self.cuda.compute_capability.major {
            9 => TensorIssue::WarpGroup,
            10 | 11 => TensorIssue::TensorMemory,
            _ => TensorIssue::Warp,
        }
    }
}

fn energy_per_flop(gpu: &Gpu, input: ElementType) -> f64 {
    let cc = gpu.cuda.compute_capability;
    let of_16_bits = match (gpu.tensor_issue(), cc.major, cc.minor) {
        (TensorIssue::WarpGroup, ..) => ENERGY_WGMMA,
        (TensorIssue::TensorMemory, ..) => ENERGY_TCGEN05,
        (TensorIssue::Warp, 12, _) => ENERGY_MMA_BLACKWELL,
        (TensorIssue::Warp, 7, 5) => ENERGY_MMA_TURING,
        (TensorIssue::Warp, 7, _) => ENERGY_MMA_12NM,
        (TensorIssue::Warp, 8, 6 | 7) => ENERGY_MMA_8NM,
        (TensorIssue::Warp, ..) => ENERGY_MMA,
    };
    if input == ElementType::Fp64 {
        return ENERGY_64_BIT * of_16_bits;
    }
    let narrow = (input.element_bytes() / 2.0).log2();
    let halved =
        if gpu.tensor_issue() == TensorIssue::TensorMemory { ENERGY_8_BIT_TCGEN05 } else { ENERGY_8_BIT };
    of_16_bits * halved.powf(-narrow)
}
