//! What a kernel keeps busy while it runs, as the equation of board power takes it.

use crate::gpu::{Clocks, Gpu, PREFILL_ENERGY, TENSOR_PART, TensorPower};
use crate::kernel::{Count, Kernel, OperatorKind, Work};
use crate::roofline::{BufferReuse, Component, KernelArithmetic};
use crate::units::{FlopsPerSecond, Hertz, Seconds};

/// What tensor cores do while a kernel runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TensorLoad {
    /// What their FLOPs draw.
    pub power: TensorPower,
    /// FLOPs of a matrix product per second that draw as much.
    pub drawing: FlopsPerSecond,
    /// The share of the time that those of the board would be busy, 0 to 1.
    pub busy: f64,
    /// The SM clock that the limit of the board leaves beside them, at most that of the GPU.
    pub clock: Hertz,
}

/// What a kernel moves and computes per second, and how many SMs it reaches; 0 where nobody counted it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Load {
    /// FLOP/s of the FP32 lanes, or what other lanes do that draws as much.
    pub flops_per_s: f64,
    /// What tensor cores do, where the kernel's arithmetic is theirs.
    pub tensor: Option<TensorLoad>,
    /// DRAM bytes per second.
    pub dram_per_s: f64,
    /// L2 bytes per second.
    pub l2_per_s: f64,
    /// SMs that have a block which does something, over all SMs; 0 to 1.
    pub active: f64,
    /// The share of the time that the load/store units or L1 are busy, where somebody counted their instructions; 0 to 1.
    pub lsu: f64,
}

impl Load {
    /// A block on every SM, nothing else.
    #[must_use]
    pub fn of_all_sms() -> Self {
        Self { active: 1.0, ..Self::default() }
    }

    /// The SM clock that busy tensor cores leave of these.
    #[must_use]
    pub fn sm_clock(&self, clocks: Clocks) -> Hertz {
        self.tensor.map_or(clocks.sm, |tensor| Hertz(tensor.clock.0.min(clocks.sm.0)))
    }

    /// The same of a GPU that was made from a board, in shares of what that board has.
    pub(super) fn in_shares_of_board(self, gpu: &Gpu) -> Self {
        let board = gpu.existing();
        let sms = f64::from(gpu.sms.value) / f64::from(board.sms.value);
        let lanes = f64::from(gpu.fp32_lanes_per_sm.value) / f64::from(board.fp32_lanes_per_sm.value);
        let tensor = self.tensor.map(|tensor| TensorLoad { busy: tensor.busy / sms, ..tensor });
        Self {
            flops_per_s: sms * lanes * self.flops_per_s,
            tensor,
            l2_per_s: sms * self.l2_per_s,
            active: sms * self.active,
            lsu: sms * self.lsu,
            ..self
        }
    }

    /// The same with the SMs at this clock while tensor cores work, where somebody knows it: the model of an operator does.
    #[must_use]
    pub fn with_tensor_clock(mut self, clock: Option<Hertz>) -> Self {
        if let (Some(tensor), Some(clock)) = (&mut self.tensor, clock) {
            tensor.clock = clock;
        }
        self
    }

    /// [`Load::from_work`]; `None` where neither operations nor bytes are known.
    #[must_use]
    pub fn of_counted_work(
        kernel: &Kernel,
        work: &Work,
        blocks: Option<f64>,
        gpu: &Gpu,
        time: Seconds,
    ) -> Option<Self> {
        let draws = [Count::Flops, Count::AluWarpInsts, Count::DramBytes, Count::L2Bytes];
        draws.into_iter().find_map(|count| work.get(count))?;
        Some(Self::from_work(kernel, work, blocks, gpu, time))
    }

    /// What this work of this kernel does in this time; `blocks`: in the grid, where that is known (else every SM has one).
    #[must_use]
    pub fn from_work(kernel: &Kernel, work: &Work, blocks: Option<f64>, gpu: &Gpu, time: Seconds) -> Self {
        let counted = Self::from_counts(work, blocks, gpu, time);
        // While a launch begins no SM has a block. What a kernel draws in a time is by the numbers of the board: with those of a made GPU,
        // more of them would draw more in the same time, and be slower under a limit.
        let board = gpu.existing();
        let running = 1.0 - (board.launch_floor_or_assumed().value / time).min(1.0);
        let counted = Self { active: running * counted.active, ..counted };
        let arithmetic = KernelArithmetic::from_kernel(kernel);
        match arithmetic.tensor_rate_on(gpu) {
            Some((input, peak)) => {
                let rate = FlopsPerSecond(work.get(Count::Flops).unwrap_or(0.0) / time.0);
                let of_board = arithmetic.tensor_rate_on(board).map_or(peak, |(_, peak)| peak).0;
                let peak = of_board * (gpu.boost_clock.value / board.boost_clock.value);
                let busy = (rate.0 / (TENSOR_PART * peak)).min(1.0);
                let power = TensorPower::new(gpu, input);
                let drawing = FlopsPerSecond(energy_over_product(kernel) * rate.0);
                // At a lower clock they could not do as much.
                let (own, least) = (gpu.boost_clock.value.0, busy * gpu.boost_clock.value.0);
                let clock = Hertz(power.clock_of_rate(drawing).0.clamp(least, own));
                Self { flops_per_s: 0.0, tensor: Some(TensorLoad { power, drawing, busy, clock }), ..counted }
            }
            None => {
                let components = arithmetic.machine(gpu).components(work, BufferReuse::Never);
                // SMs that wait for atomics on one address draw next to nothing: kernels of which they are all the time draw 131 to 166 W on an
                // H100 and an H200, 283 as others do.
                let busy = |component| (components.component_time(component) / time).min(1.0);
                let active = counted.active * (1.0 - busy(Component::Atomics));
                let lsu = busy(Component::Lsu).max(busy(Component::Global));
                let of_double = double_over_single(gpu);
                let of_flops = if arithmetic.is_double() { of_double } else { 1.0 };
                let lanes = (of_flops * busy(Component::Fp)).max(of_double * busy(Component::Fp64));
                let flops_per_s = lanes.max(busy(Component::Alu)) * gpu.fp32_peak.value.0;
                Self { flops_per_s, active, lsu, ..counted }
            }
        }
    }

    /// [`Load::from_work`] with FLOPs of FP32 lanes and every SM at work, whatever the kernel.
    #[must_use]
    pub fn from_counts(work: &Work, blocks: Option<f64>, gpu: &Gpu, time: Seconds) -> Self {
        let rate = |count| work.get(count).map_or(0.0, |amount| amount / time.0);
        let dram_per_s = rate(Count::DramBytes);
        Self {
            flops_per_s: rate(Count::Flops).min(gpu.fp32_peak.value.0),
            dram_per_s,
            // What no profile followed passes L2 at least once.
            l2_per_s: rate(Count::L2Bytes).max(dram_per_s),
            active: blocks.map_or(1.0, |n| (n / f64::from(gpu.sms.value)).min(1.0)),
            ..Self::default()
        }
    }
}

/// What FP64 lanes draw at their peak over FP32 lanes at theirs: a FLOP of twice the bits is taken to draw twice as much. Packed halves and integers at the peak of
/// their lanes draw as FP32 does: assumed as well.
fn double_over_single(gpu: &Gpu) -> f64 {
    gpu.fp64_peak.as_ref().map_or(0.0, |peak| (2.0 * peak.value.0 / gpu.fp32_peak.value.0).min(1.0))
}

/// Energy per FLOP of this kernel's tensor cores over that of a product.
fn energy_over_product(kernel: &Kernel) -> f64 {
    let is_prefill = kernel.operator.is_some_and(|types| types.kind == OperatorKind::AttentionPrefill);
    if is_prefill { PREFILL_ENERGY } else { 1.0 }
}
