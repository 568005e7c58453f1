//! Counts that others and the time on the source bound.

use crate::kernel::{Count, Work};
use crate::predict::{Caution, Question};
use crate::roofline::{ABOVE_STATED_CLOCK, KernelArithmetic, MachineNumbers, Spec, lsu_insts};
use crate::units::{Seconds, significant};

/// How many times faster than the GPUs that were timed atomics on one address may be. From the second on they are on several addresses, and in between in part.
const FASTEST_ON_ONE_ADDRESS: [f64; 2] = [1.05, 1.45];

/// The same work with bytes of DRAM and instructions of the load/store unit where they were not counted, and without atomics on one address, where
/// the time of a launch, measured on this GPU, bounds them:
///
/// - DRAM moved what L2 did, or as much as it moves in that time. Of the families of docs/models.md without their DRAM bytes, PyTorch's operators
///   went from 22.8 to 16.2 % error by this and paper 1's kernels from 21.0 to 15.5 %; products, which live in L2, from 16.3 to 16.9 %.
/// - Wavefronts of shared memory are conflicts as much as instructions: no more of them than the unit takes in that time.
/// - Integer lanes do no more than fits that time: who counts by hand counts additions and moves that run with the multiply-adds as well. Of hashes
///   whose operations were guessed (public tables of hashcat on 11 to 14 GPUs) the errors went from 27 to 9 to 14 % with half of the guess.
/// - Atomics that take longer than that one after another are not on one address: L2 takes them as it takes other bytes. No line takes more of their sectors.
pub(super) fn bounded_work(work: Work, time: Seconds, machine: &MachineNumbers) -> Work {
    let dram = || work.get(Count::L2Bytes).map(|l2| l2.min(time.0 * machine.spec_value(Spec::DramBandwidth)));
    let most_insts = most_insts(Spec::LsuLanes, time, machine);
    let integers = |insts: f64| insts.min(self::most_insts(Spec::AluLanes, time, machine));
    let one_by_one = |requests| machine.one_address_seconds(requests) / time.0;
    let [fastest, spread] = FASTEST_ON_ONE_ADDRESS;
    let on_one = |requests| ((spread - one_by_one(requests)) / (spread - fastest)).clamp(0.0, 1.0) * requests;
    let in_line = |sectors: f64| sectors.min(machine.sectors_in_one_line(time.0));
    let exceeded = || Some(most_insts).filter(|most| lsu_insts(&work) > *most);
    work.with(Count::DramBytes, work.get(Count::DramBytes).or_else(dram))
        .with(Count::AluWarpInsts, work.get(Count::AluWarpInsts).map(integers))
        .with(Count::LsuWarpInsts, work.get(Count::LsuWarpInsts).or_else(exceeded))
        .with(Count::GlobalAtomicRequests, work.get(Count::GlobalAtomicRequests).map(on_one))
        .with(Count::AtomicLineSectors, work.get(Count::AtomicLineSectors).map(in_line))
}

/// Instructions of a warp that so many lanes of each SM finish in this time.
fn most_insts(lanes: Spec, time: Seconds, machine: &MachineNumbers) -> f64 {
    time.0 * machine.spec_value(lanes) / 32.0
        * machine.spec_value(Spec::Sms)
        * machine.spec_value(Spec::Clock)
}

/// That far more integer instructions were counted than fit the time on the source.
pub(super) fn integers_beyond_time(q: &Question<'_>) -> Option<Caution> {
    let counted = q.work.get(Count::AluWarpInsts)?;
    let machine = KernelArithmetic::from_kernel(q.kernel).machine(q.source.gpu);
    let most = most_insts(Spec::AluLanes, q.timed()?, &machine);
    let [count, most_shown] = [counted, most].map(significant);
    let text = format!(
        "{} {count} ({}): the integer lanes of {} do {most_shown} in the time on the source; components takes that many",
        Count::AluWarpInsts.name(),
        q.counted(Count::AluWarpInsts),
        q.source.gpu.id.as_str(),
    );
    (counted > ABOVE_STATED_CLOCK * most).then(|| Caution::Contradiction(text.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::shipped_sources;
    use crate::gpu::{LimitsTable, load_shipped};

    fn bounded(work: Work, seconds: f64) -> Work {
        let (gpus, _) = load_shipped(&shipped_sources().unwrap(), &LimitsTable::shipped().unwrap());
        let machine = MachineNumbers::from_gpu(&gpus[gpus.id_named("rtx-a4500").unwrap()], "fp32");
        bounded_work(work, Seconds(seconds), &machine)
    }

    #[test]
    fn dram_moved_no_more_than_l2_nor_than_fits_the_time() {
        let work = Work::default().with(Count::L2Bytes, Some(1e9));
        assert_eq!(bounded(work, 1.0).get(Count::DramBytes), Some(1e9));
        let short = bounded(work, 1e-3).get(Count::DramBytes).unwrap();
        assert!(short < 1e9 && short > 4e8, "{short}");
        let counted = work.with(Count::DramBytes, Some(5.0));
        assert_eq!(bounded(counted, 1.0), counted);
        assert_eq!(bounded(Work::default(), 1.0), Work::default());
    }

    #[test]
    fn atomics_too_fast_for_one_address_are_on_several() {
        let work = Work::default().with(Count::GlobalAtomicRequests, Some(1e6));
        let on_one = |seconds| bounded(work, seconds).get(Count::GlobalAtomicRequests).unwrap();
        assert_eq!((on_one(1.0), on_one(1e-4)), (1e6, 0.0));
        let times = [0.6e-3, 0.65e-3, 0.7e-3, 0.75e-3, 0.8e-3, 0.9e-3];
        assert!(times.windows(2).all(|t| on_one(t[0]) <= on_one(t[1])));
    }

    #[test]
    fn integers_are_no_more_than_the_lanes_do_in_the_time() {
        let work = Work::default().with(Count::AluWarpInsts, Some(1e9));
        let of = |seconds| bounded(work, seconds).get(Count::AluWarpInsts).unwrap();
        // 56 SMs of 64 lanes at 1.65 GHz.
        assert_eq!(of(1.0), 1e9);
        assert!((of(1e-3) / (56.0 * 2.0 * 1.65e6) - 1.0).abs() < 1e-9, "{}", of(1e-3));
    }

    #[test]
    fn wavefronts_are_no_more_instructions_than_fit_the_time() {
        let work = Work::default().with(Count::SmemWavefronts, Some(7e7));
        assert_eq!(bounded(work, 1.0), work);
        let most = bounded(work, 1e-3).get(Count::LsuWarpInsts).unwrap();
        assert!(most < 7e7 && most > 1e7, "{most}");
    }
}
