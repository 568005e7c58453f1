//! What the operators' model takes of a GPU, in SI units, and how far a power limit slows its tensor cores.

use crate::gpu::{Gpu, TENSOR_PART, TensorIssue, TensorPower};
use crate::kernel::OperatorType;
use crate::roofline::Spec;
use crate::units::FlopsPerSecond;

/// Which attention kernels libraries take on an architecture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AttentionFamily {
    /// FlashAttention on `mma.sync` (GA100).
    Flash2,
    /// FlashAttention on `wgmma` (Hopper).
    Flash3,
    /// FlashInfer (the other boards from Turing on).
    FlashInfer,
    /// None was timed on this architecture.
    Unseen,
}

/// A GPU as the operators' model sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Hardware {
    pub(super) sms: f64,
    /// Boost clock in hertz.
    pub(super) clock: f64,
    /// Dense tensor rate of the operands in FLOP/s, before the power limit.
    pub(super) tensor_rate: f64,
    /// Sustained DRAM bandwidth of a copy, bytes per second.
    pub(super) dram: f64,
    /// L2 bandwidth of reads, bytes per second.
    pub(super) l2: f64,
    /// L2 size in bytes.
    pub(super) l2_size: f64,
    /// FP32 lanes of one SM, and those of special functions.
    pub(super) fp32_lanes: f64,
    pub(super) xu_lanes: f64,
    power: TensorPower,
    pub(super) issue: TensorIssue,
    pub(super) attention: AttentionFamily,
}

impl Hardware {
    /// `None` where the GPU states no dense rate for the operator's types and the operator needs one.
    pub(super) fn from_gpu(gpu: &Gpu, types: OperatorType) -> Option<Self> {
        let rate = if types.kind.uses_tensor_cores() {
            gpu.tensor_rate(types.input, types.accumulate)?.value.0
        } else {
            gpu.fp32_sustained().value.0
        };
        Some(Self {
            sms: f64::from(gpu.sms.value),
            clock: gpu.boost_clock.value.0,
            tensor_rate: rate,
            dram: gpu.bandwidth_sustained().value.0,
            l2: gpu.l2_bandwidth_or_derived().value.0,
            l2_size: gpu.l2_size.value.0,
            fp32_lanes: f64::from(gpu.fp32_lanes_per_sm.value),
            xu_lanes: gpu.sm.xu_lanes.value,
            power: TensorPower::new(gpu, types.input),
            issue: gpu.tensor_issue(),
            attention: attention_of(gpu),
        })
    }

    /// FLOPs that the tensor cores of one SM do per clock, at the best a kernel gets of them.
    pub(super) fn flops_per_clock(&self) -> f64 {
        self.tensor_rate * TENSOR_PART / (self.sms * self.clock)
    }

    /// L2 bytes per clock, all SMs together.
    pub(super) fn l2_per_clock(&self) -> f64 {
        self.l2 / self.clock
    }

    /// The share of its clock that a GPU keeps while its tensor cores are busy: the largest at which idle power and energy
    /// per FLOP stay below the power limit.
    pub(super) fn clock_share(&self) -> f64 {
        self.clock_share_at(1.0)
    }

    /// The same where they take so much of the energy of a product that keeps them busy all the time.
    pub(super) fn clock_share_at(&self, energy: f64) -> f64 {
        self.power.clock_share(self.clock, FlopsPerSecond(energy * self.tensor_rate))
    }

    /// The same GPU with one of its numbers changed by this factor; numbers that the model does not take change nothing.
    pub(super) fn scaled(mut self, spec: Spec, factor: f64) -> Self {
        match spec {
            // A rate per SM and clock, or per clock, comes with both.
            Spec::Sms => {
                self.sms *= factor;
                self.tensor_rate *= factor;
                self.l2 *= factor;
            }
            Spec::Clock => {
                self.clock *= factor;
                self.tensor_rate *= factor;
                self.l2 *= factor;
            }
            Spec::FlopsPerClock => self.tensor_rate *= factor,
            Spec::L2Bandwidth => self.l2 *= factor,
            Spec::DramBandwidth => self.dram *= factor,
            Spec::L2Size => self.l2_size *= factor,
            Spec::XuLanes => self.xu_lanes *= factor,
            Spec::PowerShare
            | Spec::LsuLanes
            | Spec::GlobalPerClock
            | Spec::SharedPerClock
            | Spec::IssuePerClock
            | Spec::AluLanes
            | Spec::Fp64Lanes => {}
        }
        self
    }
}

fn attention_of(gpu: &Gpu) -> AttentionFamily {
    match (gpu.cuda.compute_capability.major, gpu.cuda.compute_capability.minor) {
        (8, 0) => AttentionFamily::Flash2,
        (9, _) => AttentionFamily::Flash3,
        (7 | 8 | 12, _) => AttentionFamily::FlashInfer,
        _ => AttentionFamily::Unseen,
    }
}
