//! Latency that nothing hides: a block that loads, meets a barrier and computes, again and again.
//!
//! T >= turns x rounds x τ + P / together
//!
//! | symbol | what it is | unit |
//! |---|---|---|
//! | rounds | loads that a block waits for one after another: load, barrier, compute, barrier | |
//! | τ | time from a load to its data in DRAM | s |
//! | together | blocks that an SM runs at a time: those that it holds, or all that it gets | |
//! | turns | blocks that an SM gets / together | |
//! | P | time of the SMs' pipes for all blocks ([`Components::on_sms`]) | s |
//!
//! In a round a block waits for its data, then keeps the pipes busy for P / (turns x rounds x together). Other blocks of its SM
//! fill the wait where there are enough: T is P then, and the bound lies below it. A block alone pays for both.
//!
//! τ is that of DRAM wherever the data lie: L2 answers in 0.4 of it, but a round also stores to shared memory, meets two barriers and
//! reads the first words, which nothing else counts. docs/models.md has the figures of both readings.
//! References: Hong and Kim, "An analytical model for a GPU architecture with memory-level and thread-level parallelism
//! awareness", ISCA 2009; Volkov, "Understanding latency hiding on GPUs", 2016.

use super::components::{Components, MachineNumbers, Residents, Spec};
use crate::kernel::{Count, Work};

/// The least time in seconds of a launch of this work whose blocks wait for their loads, on a GPU as the launch finds it
/// ([`MachineNumbers::filled`]); 0 where the rounds or the resident blocks are unknown.
#[must_use]
#[inline]
pub fn exposed_time(
    filled: &MachineNumbers,
    components: &Components,
    work: &Work,
    residents: &Residents,
) -> f64 {
    let known = work.get(Count::LoadRounds).zip(residents.blocks).zip(residents.per_sm);
    let Some(((rounds, blocks), per_sm)) = known else { return 0.0 };
    let of_sm = (blocks / filled.spec_value(Spec::Sms)).max(1.0);
    let together = per_sm.clamp(1.0, of_sm);
    of_sm / together * rounds * filled.dram_latency() + components.on_sms() / together
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::shipped_sources;
    use crate::gpu::{LimitsTable, load_shipped};

    fn rtx_4070() -> MachineNumbers {
        let (gpus, _) = load_shipped(&shipped_sources().unwrap(), &LimitsTable::shipped().unwrap());
        MachineNumbers::from_gpu(&gpus[gpus.id_named("rtx-4070").unwrap()], "fp32")
    }

    /// Paper 4's product of 8192 on an RTX 4070: 46 SMs, 254 ns. By hand: blocks of 32x32 stand alone on an SM, 65,536 / 46 turns of 256
    /// rounds; of 16x16 six stand together, 262,144 / 46 / 6 turns of 512.
    #[test]
    fn a_block_alone_pays_for_its_loads_and_its_pipes() {
        let machine = rtx_4070();
        let time = |blocks: f64, per_sm: f64, rounds: f64| {
            let work =
                Work::default().with(Count::LoadRounds, Some(rounds)).with(Count::LsuWarpInsts, Some(1e10));
            let components = machine.components(&work, true);
            let residents = Residents { blocks: Some(blocks), per_sm: Some(per_sm), ..Residents::default() };
            (exposed_time(&machine, &components, &work, &residents), components.on_sms())
        };
        let near =
            |found: f64, expected: f64| assert!((found / expected - 1.0).abs() < 1e-9, "{found} {expected}");
        let (alone, pipes) = time(65_536.0, 1.0, 256.0);
        near(alone, 65_536.0 / 46.0 * 256.0 * 254e-9 + pipes);
        let (six, pipes) = time(262_144.0, 6.0, 512.0);
        near(six, 262_144.0 / 46.0 / 6.0 * 512.0 * 254e-9 + pipes / 6.0);
        // Fewer blocks than SMs: one turn of each, alone.
        let (few, pipes) = time(10.0, 6.0, 512.0);
        near(few, 512.0 * 254e-9 + pipes);
    }

    #[test]
    fn nothing_is_said_of_rounds_that_nobody_counted() {
        let machine = rtx_4070();
        let residents = Residents { blocks: Some(100.0), per_sm: Some(2.0), ..Residents::default() };
        let work = Work::default();
        assert_eq!(exposed_time(&machine, &machine.components(&work, true), &work, &residents), 0.0);
    }
}
