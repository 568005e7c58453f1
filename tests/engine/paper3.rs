//! Paper 3's metrics hold whatever the launch: the exact form never claims more than the paper's fractions, and the closed form
//! of its divergence is what its script would count thread by thread.

#![allow(
    clippy::unwrap_used,
    reason = "clippy.toml allows it in test functions; their builders stand outside"
)]

use proptest::prelude::*;
use roofswap::gpu::LimitsTable;
use roofswap::occupancy::{BlockNeeds, Rules, occupancy};
use roofswap::train::paper3::{Facts, METRICS, MetricFormulas, grid_stride_divergence, metrics};

fn facts(cc: &str, size: u32, blocks: u32, threads: u32, registers: u32, shared: u32) -> Facts {
    let limits = LimitsTable::shipped().unwrap().limits_at(cc.parse().unwrap()).unwrap();
    let needs =
        BlockNeeds { threads, regs_per_thread: registers, smem_dynamic: shared, ..BlockNeeds::default() };
    Facts {
        size: f64::from(size),
        size_is_threads: false,
        one_dimensional: true,
        blocks: u64::from(blocks),
        threads,
        registers: Some(registers),
        shared,
        sms: 68,
        limits,
        occupancy: occupancy(&limits, needs, Rules::Exact),
        flops: Some(f64::from(size)),
        dram_bytes: Some(12.0 * f64::from(size)),
        one_thread_dram_bytes: None,
        active_threads: None,
        warp_instructions: None,
        element_bytes: 4.0,
    }
}

/// The paper's words, thread by thread: the sum over warps of most minus least iterations, over all iterations, in percent.
fn by_simulation(n: u32, blocks: u32, threads: u32) -> f64 {
    let (mut divergent, mut all) = (0, 0);
    for block in 0..blocks {
        let lanes: Vec<u32> = (0..threads)
            .map(|t| {
                let first = block * threads + t;
                (first..n).step_by((blocks * threads) as usize).count() as u32
            })
            .collect();
        for warp in lanes.chunks(32) {
            let (most, least) = (warp.iter().max().unwrap(), warp.iter().min().unwrap());
            divergent += most - least;
            all += warp.iter().sum::<u32>();
        }
    }
    100.0 * f64::from(divergent) / f64::from(all)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn divergence_in_closed_form_is_that_of_the_simulation(n in 1u32..5000, blocks in 1u32..9, threads in 1u32..300) {
        let ours = grid_stride_divergence(f64::from(n), u64::from(blocks), threads);
        let counted = by_simulation(n, blocks, threads);
        prop_assert!((ours - counted).abs() < 1e-9, "{n} over {blocks} x {threads}: {ours}, counted {counted}");
    }

    #[test]
    fn exact_numbers_never_exceed_the_fractions_of_the_paper(
        cc in prop::sample::select(vec!["5.2", "7.0", "7.5", "8.0", "8.9"]),
        size in 1u32..10_000_000,
        blocks in 1u32..100_000,
        threads in 1u32..1025,
        registers in 1u32..65,
        shared in 0u32..40_000,
    ) {
        let f = facts(cc, size, blocks, threads, registers, shared);
        let [exact, paper] = [MetricFormulas::Exact, MetricFormulas::Paper].map(|form| metrics(&f, form));
        for (at, name) in METRICS.iter().enumerate() {
            let finite = |v: Option<f64>| v.is_none_or(|v| v.is_finite() && v >= 0.0);
            prop_assert!(finite(exact[at].value) && finite(paper[at].value), "{name}: {:?} {:?}", exact[at], paper[at]);
        }
        for at in [3, 4] {
            let (e, p) = (exact[at].value.unwrap(), paper[at].value.unwrap());
            prop_assert!(e <= p * (1.0 + 1e-9), "{}: {e} above {p}", METRICS[at]);
        }
        prop_assert!(exact[4].value.unwrap() <= 1.0 && exact[7].value.unwrap() <= 1.0);
        prop_assert!(exact[5].value.unwrap() <= 100.0);
    }
}
