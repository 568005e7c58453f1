//! Latency that nothing hides: blocks that wait for their loads, and warps that wait for the results of their own instructions.
//!
//! T = (max(R, E)^3 + W^3)^(1/3), E = turns x rounds x τ + P / together, W = turns x (rounds x τ + (8 L + 3 I + s I') / f)
//!
//! | symbol | what it is | unit |
//! |---|---|---|
//! | rounds | loads that a block waits for one after another: load, barrier, compute, barrier; 1 where nobody counted them and DRAM is read | |
//! | τ | time from a load to its data in DRAM | s |
//! | together | blocks that an SM runs at a time: those that it holds, or all that it gets | |
//! | turns | blocks that an SM gets / together | |
//! | P | time of the SMs' pipes for all blocks ([`Components::on_sms`]) | s |
//! | R | the components together, without waiting ([`Components::roof`]) | s |
//! | L, I | instructions of one warp: of the load/store unit, and all others | |
//! | s, I' | cycles that fetching adds to an instruction, and the instructions it adds them to ([`StraightLine`]) | |
//! | f | SM clock | Hz |
//!
//! E is no less than the time in which blocks start: blocks / (n f), on however many SMs, n blocks per clock (0.8 where a GPU's file says nothing).
//! A last wave that is not full makes everything longer but that: every block starts once.
//!
//! E: in a round a block waits for its data, then keeps the pipes busy for P / (turns x rounds x together). Other blocks of its SM
//! fill the wait where there are enough: T is P then, and the bound lies below it. A block alone pays for both.
//!
//! W: a warp issues its instructions in order, and many wait for one before them. However idle the pipes are, it takes its own
//! time for them, and a block stays for that long; the more warps an SM holds, the fewer turns there are. It overlaps with the
//! components in part: norm 3, as bandwidth and latency do in [`super::in_flight`].
//!
//! τ is that of DRAM wherever the data lie: L2 answers in 0.4 of it, but a round also stores to shared memory, meets two barriers and
//! reads the first words, which nothing else counts. docs/models.md has the figures of both readings, and of W.
//! References: Hong and Kim, "An analytical model for a GPU architecture with memory-level and thread-level parallelism
//! awareness", ISCA 2009; Volkov, "Understanding latency hiding on GPUs", 2016.

use super::component_times::Components;
use super::components::{MachineNumbers, Residents, Spec, lsu_insts};
use super::norms::three_norm;
use crate::kernel::{Count, Work};

/// Cycles from an instruction of the load/store unit to the next of its warp: shared memory answers in 19 to 33 cycles (Jia et al.
/// 2018 and 2019, Maxwell to Turing), and a warp has about three loads under way. Of 4 to 16 the three families of kernels with
/// launches and counts of instructions choose 8, whichever is left out.
const LSU_CYCLES: f64 = 8.0;

/// The same of any other instruction: it takes 4 to 6 cycles to its result, and every second or third needs that of the one before.
const OTHER_CYCLES: f64 = 3.0;

/// What a launch waits for, in seconds; 0 where that is unknown.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ExposedLatency {
    /// E: the least time of a launch whose blocks load, meet a barrier and compute.
    of_blocks: f64,
    /// The time in which its blocks start, one after another.
    of_starts: f64,
    /// W: the time its warps take for their own instructions.
    of_warps: f64,
}

impl ExposedLatency {
    /// Of a launch of this work on a GPU as the launch finds it ([`MachineNumbers::filled`]); nothing where its blocks or those
    /// that an SM holds are unknown.
    #[must_use]
    #[inline]
    pub fn of_launch(
        filled: &MachineNumbers,
        components: &Components,
        work: &Work,
        residents: &Residents,
    ) -> Self {
        let Some((blocks, per_sm)) = residents.blocks.zip(residents.per_sm) else { return Self::default() };
        let of_sm = (blocks / filled.spec_value(Spec::Sms)).max(1.0);
        let together = per_sm.clamp(1.0, of_sm);
        let turns = of_sm / together;
        let rounds = work.get(Count::LoadRounds);
        let of_rounds = |rounds: f64| turns * rounds * filled.dram_latency();
        let reads = work.get(Count::DramBytes).is_some_and(|bytes| bytes > 0.0);
        let least_rounds = rounds.unwrap_or(if reads { 1.0 } else { 0.0 });
        let warps = blocks * residents.warps;
        let issuing = if warps > 0.0 { turns * warp_seconds(filled, work, warps) } else { 0.0 };
        // Bytes of DRAM that nobody counted take the time of a launch of many blocks as well as their starts do.
        let counted = if work.get(Count::DramBytes).is_some() { blocks } else { 0.0 };
        let of_starts = counted / (filled.block_starts_per_clock() * filled.spec_value(Spec::Clock));
        let of_blocks = rounds.map_or(0.0, |rounds| of_rounds(rounds) + components.on_sms() / together);
        Self { of_blocks, of_starts, of_warps: of_rounds(least_rounds) + issuing }
    }

    /// How many times longer a launch takes than its components, which take so many seconds together in whole waves; `tail`: how many times longer
    /// its last wave makes them and what it waits for.
    #[must_use]
    #[inline]
    pub fn stretch(&self, components: f64, tail: f64) -> f64 {
        if components <= 0.0 {
            return 1.0;
        }
        let of_blocks = self.of_blocks.max(self.of_starts / tail);
        three_norm((of_blocks / components).max(1.0), self.of_warps / components)
    }

    /// Whether it is longer than components of so many seconds in whole waves, with such a tail.
    #[must_use]
    #[inline]
    pub fn binds(&self, components: f64, tail: f64) -> bool {
        components > 0.0 && self.of_blocks.max(self.of_starts / tail).max(self.of_warps) > components
    }
}

/// The time in seconds that one of so many warps takes for its own instructions.
#[inline]
fn warp_seconds(filled: &MachineNumbers, work: &Work, warps: f64) -> f64 {
    let loads = lsu_insts(work);
    let lanes = work.active_lane_factor();
    // What one instruction of a tensor core, or one of two halves, does is not known.
    let flops = work.get(Count::Flops).filter(|_| filled.own_pipe.is_some());
    let multiply_adds = || loads + flops.unwrap_or(0.0) / 64.0 * lanes;
    let issued = work.get(Count::WarpInstsIssued).unwrap_or_else(multiply_adds);
    let fetching = filled.straight_line().fetch_cycles(work) * issued;
    let cycles = LSU_CYCLES * loads + OTHER_CYCLES * (issued - loads).max(0.0) + fetching;
    cycles / warps / filled.spec_value(Spec::Clock)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::shipped_sources;
    use crate::gpu::{LimitsTable, load_shipped};
    use crate::roofline::BufferReuse;

    fn machine(id: &str) -> MachineNumbers {
        let (gpus, _) = load_shipped(&shipped_sources().unwrap(), &LimitsTable::shipped().unwrap());
        MachineNumbers::from_gpu(&gpus[gpus.id_named(id).unwrap()], "fp32")
    }

    fn near(found: f64, expected: f64) {
        assert!((found / expected - 1.0).abs() < 1e-9, "{found} {expected}");
    }

    fn of_blocks(blocks: f64, per_sm: f64, warps: f64) -> Residents {
        Residents { blocks: Some(blocks), per_sm: Some(per_sm), warps, ..Residents::default() }
    }

    /// Paper 4's product of 8192 on an RTX 4070: 46 SMs, 254 ns. By hand: blocks of 32x32 stand alone on an SM, 65,536 / 46 turns of 256
    /// rounds; of 16x16 six stand together, 262,144 / 46 / 6 turns of 512.
    #[test]
    fn a_block_alone_pays_for_its_loads_and_its_pipes() {
        let machine = machine("rtx-4070");
        let time = |blocks: f64, per_sm: f64, rounds: f64| {
            let work =
                Work::default().with(Count::LoadRounds, Some(rounds)).with(Count::LsuWarpInsts, Some(1e10));
            let components = machine.components(&work, BufferReuse::BySameLaunch);
            let residents = of_blocks(blocks, per_sm, 0.0);
            let latency = ExposedLatency::of_launch(&machine, &components, &work, &residents);
            (latency.of_blocks.max(latency.of_starts), components.on_sms())
        };
        let (alone, pipes) = time(65_536.0, 1.0, 256.0);
        near(alone, 65_536.0 / 46.0 * 256.0 * 254e-9 + pipes);
        let (six, pipes) = time(262_144.0, 6.0, 512.0);
        near(six, 262_144.0 / 46.0 / 6.0 * 512.0 * 254e-9 + pipes / 6.0);
        // Fewer blocks than SMs: one turn of each, alone.
        let (few, pipes) = time(10.0, 6.0, 512.0);
        near(few, 512.0 * 254e-9 + pipes);
    }

    /// By hand: 46,000 blocks of two warps, four on an SM, 250 turns; a warp loads 100 times and multiplies 300 times, 1,700 cycles, and
    /// waits 254 ns for its first word.
    #[test]
    fn a_warp_takes_its_time_for_its_own_instructions() {
        let (machine, warps) = (machine("rtx-4070"), 92_000.0);
        let work = Work::default()
            .with(Count::DramBytes, Some(1e6))
            .with(Count::LsuWarpInsts, Some(100.0 * warps))
            .with(Count::WarpInstsIssued, Some(400.0 * warps));
        let components = machine.components(&work, BufferReuse::BySameLaunch);
        let of = |per_sm| {
            ExposedLatency::of_launch(&machine, &components, &work, &of_blocks(46_000.0, per_sm, 2.0))
        };
        let clock = machine.spec_value(Spec::Clock);
        near(of(4.0).of_warps, 250.0 * (254e-9 + 1700.0 / clock));
        near(of(8.0).of_warps, 125.0 * (254e-9 + 1700.0 / clock));
        near(of(4.0).of_starts, 46_000.0 / (0.8 * clock));
        // Multiply-adds say how many other instructions there are at least, where nobody counted them.
        let by_flops = work.with(Count::WarpInstsIssued, None).with(Count::Flops, Some(64.0 * 300.0 * warps));
        let latency =
            ExposedLatency::of_launch(&machine, &components, &by_flops, &of_blocks(46_000.0, 4.0, 2.0));
        near(latency.of_warps, of(4.0).of_warps);
    }

    #[test]
    fn it_stretches_the_components_by_a_norm_and_binds_where_it_is_longer() {
        let latency = ExposedLatency { of_warps: 2.0, ..ExposedLatency::default() };
        near(latency.stretch(2.0, 1.0), 2_f64.cbrt());
        let binds = |components| latency.binds(components, 1.0);
        assert!(binds(1.9) && !binds(2.0) && !binds(0.0));
        assert_eq!((latency.stretch(0.0, 1.0), ExposedLatency::default().stretch(1.0, 1.0)), (1.0, 1.0));
        near(ExposedLatency { of_blocks: 3.0, ..ExposedLatency::default() }.stretch(2.0, 1.6), 1.5);
    }

    /// Waves of 2 s whose last makes them 3 s: blocks that start in 6 s take those, however full the last wave is.
    #[test]
    fn starts_of_blocks_know_no_tail() {
        let latency = ExposedLatency { of_starts: 6.0, ..ExposedLatency::default() };
        near(2.0 * latency.stretch(2.0, 1.0), 6.0);
        near(3.0 * latency.stretch(2.0, 1.5), 6.0);
        assert!(latency.binds(3.9, 1.5) && !latency.binds(4.1, 1.5));
    }

    #[test]
    fn nothing_is_said_of_a_launch_that_nobody_knows() {
        let machine = machine("rtx-4070");
        let work = Work::default().with(Count::LoadRounds, Some(3.0));
        let found = |residents: &Residents| {
            ExposedLatency::of_launch(
                &machine,
                &machine.components(&work, BufferReuse::BySameLaunch),
                &work,
                residents,
            )
        };
        assert_eq!(found(&Residents::default()), ExposedLatency::default());
        let residents = of_blocks(100.0, 2.0, 1.0);
        let unread = Work::default().with(Count::DramBytes, Some(0.0));
        let none = ExposedLatency::of_launch(
            &machine,
            &machine.components(&unread, BufferReuse::BySameLaunch),
            &unread,
            &residents,
        );
        near(none.of_starts, 100.0 / (0.8 * machine.spec_value(Spec::Clock)));
        assert_eq!(none.of_warps, 0.0);
        let uncounted = Work::default();
        let none = ExposedLatency::of_launch(
            &machine,
            &machine.components(&uncounted, BufferReuse::BySameLaunch),
            &uncounted,
            &residents,
        );
        assert_eq!(none, ExposedLatency::default(), "bytes may take the time that starts do");
    }
}
