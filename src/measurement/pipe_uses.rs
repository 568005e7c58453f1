//! Warp instructions of an SM's pipes, where a profiler says how much of each a launch used and not how many there were:
//! use x lanes / 32 x SMs x SM clock x time.
//!
//! Nsight Compute's percentages are of what the pipe takes in the launch's cycles. In three full reports of an RTX A4500 the pipes so
//! counted and the load/store unit's add up to 0.86, 0.89 and 1.07 of the instructions that were issued (branches have another, and special registers take the
//! load/store unit's), and the FP64 pipe to its additions to three digits.

use super::Number;
use crate::gpu::Gpu;
use crate::kernel::Count;
use crate::units::{Hertz, Seconds};

/// The use of a pipe, its instructions as a row states and as a model counts them, and its lanes on a GPU.
type UsedPipe = (Number, Number, Count, fn(&Gpu) -> Option<f64>);

const PIPES: [UsedPipe; 4] = [
    (Number::PipeFma, Number::FmaWarpInsts, Count::FmaWarpInsts, |gpu| {
        Some(f64::from(gpu.fp32_lanes_per_sm.value))
    }),
    (Number::PipeAlu, Number::AluWarpInsts, Count::AluWarpInsts, |gpu| Some(gpu.sm.alu_lanes.value)),
    (Number::PipeXu, Number::XuWarpInsts, Count::XuWarpInsts, |gpu| Some(gpu.sm.xu_lanes.value)),
    (Number::PipeFp64, Number::Fp64WarpInsts, Count::Fp64WarpInsts, |gpu| {
        Some(f64::from(gpu.fp64_lanes_per_sm.as_ref()?.value))
    }),
];

/// Instructions by warp of every pipe whose use is among these numbers of a row and whose instructions are not; at the row's own
/// SM clock, else the GPU's boost clock. A use beyond 100 % says nothing.
pub(super) fn pipe_insts(gpu: &Gpu, time: Seconds, numbers: &[(Number, f64)]) -> Box<[(Count, f64)]> {
    let stated = |column: Number| numbers.iter().find(|(n, _)| *n == column).map(|(_, value)| *value);
    let clock = stated(Number::SmClock).map_or(gpu.boost_clock.value, Hertz::from_mega);
    let cycles = f64::from(gpu.sms.value) * clock.0 * time.0;
    let insts = PIPES.iter().filter_map(|(used, stated_insts, insts, lanes)| {
        let percent =
            stated(*used).filter(|percent| *percent <= MOST_PERCENT && stated(*stated_insts).is_none())?;
        Some((*insts, (percent / 100.0 * lanes(gpu)? / 32.0 * cycles).round()))
    });
    insts.collect()
}

/// A pipe that is always busy, and the rounding of what is printed.
const MOST_PERCENT: f64 = 100.5;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::shipped_sources;
    use crate::gpu::{LimitsTable, load_shipped};

    /// By hand: an RTX 4070 has 46 SMs with 128, 64, 16 and 2 lanes; at 1 GHz 1 ms is 46 million cycles of SMs.
    #[test]
    fn a_pipe_that_is_always_busy_takes_its_lanes_each_cycle() {
        let (gpus, _) = load_shipped(&shipped_sources().unwrap(), &LimitsTable::shipped().unwrap());
        let gpu = &gpus[gpus.id_named("rtx-4070").unwrap()];
        let of = |numbers: &[(Number, f64)]| pipe_insts(gpu, Seconds(1e-3), numbers);
        let clock = (Number::SmClock, 1000.0);
        let full = [clock, (Number::PipeFma, 100.0), (Number::PipeAlu, 50.0), (Number::PipeXu, 100.0)];
        let insts = [
            (Count::FmaWarpInsts, 4.0 * 46e6),
            (Count::AluWarpInsts, 46e6),
            (Count::XuWarpInsts, 0.5 * 46e6),
        ];
        assert_eq!(*of(&full), insts);
        assert_eq!(*of(&[clock, (Number::PipeFp64, 100.0)]), [(Count::Fp64WarpInsts, 46e6 / 16.0)]);
        assert_eq!(
            *of(&[(Number::PipeAlu, 10.0), (Number::AluWarpInsts, 7.0)]),
            [] as [(Count, f64); 0],
            "counted ones stand"
        );
        assert!(of(&[(Number::PipeAlu, 300.0)]).is_empty());
        let boost = of(&[(Number::PipeAlu, 100.0)])[0].1;
        assert_eq!(boost, (2.0 * 46.0 * gpu.boost_clock.value.0 * 1e-3).round());
    }
}
