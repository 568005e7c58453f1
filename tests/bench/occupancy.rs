//! Configurations per second of the occupancy calculator, and of NVIDIA's own on the same ones in the same run.
//!
//! `cargo bench --features bench --bench occupancy` prints criterion's figures, then the ratio; without a C compiler or the wheel it says
//! that the comparison was skipped. Both sides take one thread and their fastest of interleaved passes.

#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

#[path = "../dice/mod.rs"]
mod dice;
#[path = "../reference/mod.rs"]
#[allow(dead_code)]
mod reference;

use criterion::{BatchSize, Criterion, Throughput};
use reference::{Asked, Dice, adversarial, compute_capability, launchable, needs};
use roofswap::gpu::{ComputeCapability, LimitsTable, SmLimits};
use roofswap::occupancy::{BlockNeeds, Rules, occupancy};
use roofswap::report::batch::answer_line;
use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

const CONFIGURATIONS: usize = 1 << 18;

type Mix = (&'static str, fn(&mut Dice, ComputeCapability) -> Asked);
const MIXES: [Mix; 2] = [("adversarial", adversarial), ("launchable", launchable)];

fn asked(of: fn(&mut Dice, ComputeCapability) -> Asked) -> Vec<Asked> {
    let all = reference::compute_capabilities();
    let mut dice = Dice(7);
    (0..CONFIGURATIONS).map(|i| of(&mut dice, all[i % all.len()])).collect()
}

/// As the reference gets them: limits found and needs filled in beforehand.
fn prepared(table: &[SmLimits], asked: &[Asked]) -> Vec<(usize, BlockNeeds)> {
    let all = reference::compute_capabilities();
    let at = |a: &Asked| all.iter().position(|cc| *cc == compute_capability(a)).unwrap();
    debug_assert_eq!(all.len(), table.len());
    asked.iter().map(|a| (at(a), needs(a))).collect()
}

/// One pass; the sum uses what the reference's sum uses, so that neither side can leave work out.
fn pass(table: &[SmLimits], calls: &[(usize, BlockNeeds)]) -> u64 {
    calls.iter().fold(0, |sum, (at, needs)| {
        let o = occupancy(&table[*at], *needs, Rules::Exact);
        let kept = reference::answered(&o);
        sum.wrapping_add(kept.iter().fold(0, |s, n| s.wrapping_add(*n as u64)))
    })
}

fn seconds_of_pass(table: &[SmLimits], calls: &[(usize, BlockNeeds)]) -> f64 {
    let start = Instant::now();
    black_box(pass(table, black_box(calls)));
    start.elapsed().as_secs_f64()
}

/// The fastest of interleaved passes on either side, in configurations per second.
fn compare(table: &[SmLimits], program: &Path, name: &str, asked: &[Asked]) {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("configurations.bin");
    let bytes: Vec<u8> = asked.iter().flatten().flat_map(|n| n.to_ne_bytes()).collect();
    std::fs::write(&file, bytes).unwrap();
    let calls = prepared(table, asked);
    let [mut ours, mut theirs] = [f64::INFINITY; 2];
    for _ in 0..10 {
        for _ in 0..5 {
            ours = ours.min(seconds_of_pass(table, &calls));
        }
        let out = Command::new(program).arg("time").arg(&file).arg("5").output().unwrap();
        theirs = theirs.min(String::from_utf8_lossy(&out.stdout).trim().parse().unwrap());
    }
    let rate = |seconds: f64| asked.len() as f64 / seconds / 1e6;
    println!(
        "{name}: roofswap {:.1} M/s, cuda_occupancy.h (-O3) {:.1} M/s, ratio {:.2}",
        rate(ours),
        rate(theirs),
        theirs / ours
    );
}

fn main() {
    let table: Vec<SmLimits> = LimitsTable::shipped().unwrap().iter().map(|(_, l)| l).collect();
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("occupancy");
    for (name, mix) in MIXES {
        let calls = prepared(&table, &asked(mix));
        group.throughput(Throughput::Elements(calls.len() as u64));
        group.bench_function(name, |b| b.iter(|| pass(&table, black_box(&calls))));
    }
    let limits = LimitsTable::shipped().unwrap();
    let line = b"8.9 256 40 0 2048 -1 1 0";
    group.throughput(Throughput::Elements(1));
    group.bench_function("batch line", |b| {
        b.iter_batched_ref(
            Vec::new,
            |out| answer_line(&limits, roofswap::report::batch::BatchSetup::default(), black_box(line), out),
            BatchSize::SmallInput,
        )
    });
    group.finish();
    criterion.final_summary();
    match reference::build(Path::new(env!("CARGO_TARGET_TMPDIR"))) {
        Ok(program) => MIXES.iter().for_each(|(name, mix)| compare(&table, &program, name, &asked(*mix))),
        Err(why) => println!("SKIPPED the comparison with the reference: {why}"),
    }
}
