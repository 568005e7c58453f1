//! Kernel files against what was recorded of the same kernels elsewhere: launch shapes, shared memory, FLOPs and bytes of
//! every row of three collections, and the profiler's counters of one.
//!
//! The collections are not ours to ship: where `../shared/data` is missing the tests say that they skip.

#![allow(clippy::unwrap_used, clippy::print_stdout)] // helpers of tests are tests, and say what was skipped

use crate::skipping::skip_aloud;
use roofswap::kernel::{Count, Instance, Kernel, RunsAs, Work};
use roofswap::measurement::{Measurement, Number};
use roofswap::occupancy::bounded_registers;
use roofswap::roofline::{Component, MachineNumbers};
use roofswap::session::Session;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::LazyLock;

static SHIPPED: LazyLock<Session> = LazyLock::new(|| Session::load(None).unwrap());

/// The shipped session with a collection's rows, if the collection is here.
fn with(collection: &str) -> Option<Session> {
    let path = Path::new(env!("ROOFSWAP_CHECKOUT")).join("../shared/data").join(collection);
    if !path.exists() {
        skip_aloud(&format!("{} is not here", path.display()));
        return None;
    }
    let mut session = SHIPPED.clone();
    let loaded = session.add_data(&path).unwrap();
    assert_eq!(loaded.refused_count, 0, "{:?}", loaded.refused.first());
    Some(session)
}

/// Every row of the collection with its kernel, and what the kernel's file says of it.
fn rows<'s>(session: &'s Session, collection: &str) -> Vec<(&'s Kernel, Instance, &'s Measurement)> {
    let file = collection.rsplit('/').next().unwrap();
    let here = session.store.rows().filter(|row| row.file().ends_with(file));
    let of = |row: &'s Measurement| {
        let kernel = &session.kernels[row.kernel];
        assert!(kernel.has_formulas(), "{}: line {} joins no kernel file", kernel.id, row.line);
        let instance = kernel.instance(&row.problem, row.variant());
        (kernel, instance.unwrap_or_else(|e| panic!("line {}: {e}", row.line)), row)
    };
    here.map(of).collect()
}

/// Rows by kernel.
fn tally(rows: &[(&Kernel, Instance, &Measurement)]) -> BTreeMap<String, usize> {
    let mut all = BTreeMap::new();
    rows.iter().for_each(|(kernel, ..)| *all.entry(kernel.id.clone()).or_default() += 1);
    all
}

/// Values at these parts of the sorted list: 0 is the smallest, 0.5 the median, 1 the largest.
fn quantiles<const N: usize>(mut values: Vec<f64>, at: [f64; N]) -> [f64; N] {
    values.sort_by(f64::total_cmp);
    at.map(|part| values[(part * (values.len() - 1) as f64).round() as usize])
}

const TUNING: &str = "schoonhoven_tuning/gemm_conv_dev.csv";
const KTT: &str = "ktt/ktt_convolution.csv";
const NEUSIGHT: &str = "neusight/neusight_ops_dev.csv";

#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared, other people's measurements")]
fn launch_and_shared_memory_of_every_tuned_row_are_the_files() {
    for (collection, expected) in [
        (TUNING, vec![("clblast_xgemm", 7_500), ("convolution2d_15x15", 7_500)]),
        (KTT, vec![("ktt_convolution2d_15x15", 10_520)]),
    ] {
        let Some(session) = with(collection) else { continue };
        let rows = rows(&session, collection);
        let expected = expected.into_iter().map(|(id, n)| (id.to_string(), n)).collect();
        assert_eq!(tally(&rows), expected, "{collection}");
        for (kernel, filed, row) in &rows {
            let at = format!("{} line {}: {}", kernel.id, row.line, row.variant());
            assert_eq!(row.launch(), filed.launch, "{at}");
            assert!(row.launch().is_some() && row.smem_static().is_some(), "{at}");
            assert_eq!(row.smem_static(), filed.smem_static, "{at}");
            assert_eq!(row.smem_dynamic(), filed.smem_dynamic, "{at}");
        }
    }
}

#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared, other people's measurements")]
fn flops_and_bytes_of_every_row_are_the_files() {
    for (collection, expected) in [(TUNING, 15_000), (KTT, 10_520), (NEUSIGHT, 26_400)] {
        let Some(session) = with(collection) else { continue };
        let rows = rows(&session, collection);
        assert_eq!(rows.len(), expected, "{collection}");
        for (kernel, filed, row) in &rows {
            let at = format!("{} line {}: {}", kernel.id, row.line, row.problem);
            // Blank where the collection counts none, and then the file counts none either.
            assert_eq!(row.work().get(Count::Flops), filed.work.get(Count::Flops), "{at}");
            if !row.source().to_string().ends_with("dram=counted") {
                assert_eq!(row.work().get(Count::DramBytes), filed.work.get(Count::DramBytes), "{at}");
            }
        }
    }
}

#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared, other people's measurements")]
fn every_operator_of_the_framework_is_known_as_one() {
    let Some(session) = with(NEUSIGHT) else { return };
    let rows = rows(&session, NEUSIGHT);
    assert_eq!(tally(&rows).len(), 9);
    for (kernel, filed, _) in &rows {
        assert_eq!((kernel.runs_as, filed.launch), (RunsAs::Operator, None), "{}", kernel.id);
    }
}

/// A key of the KTT convolution's variant.
fn key(row: &Measurement, name: &str) -> f64 {
    let value = row.variant().split(';').find_map(|p| p.strip_prefix(name)?.strip_prefix('='));
    value.unwrap().parse().unwrap()
}

/// Rows that a profiler counted, each with the count of the file over the counter.
fn counted(session: &Session, count: impl Fn(&Instance, &Measurement) -> f64) -> Vec<(&Measurement, f64)> {
    let rows =
        rows(session, KTT).into_iter().filter(|(_, _, r)| r.source().to_string().ends_with("dram=counted"));
    rows.map(|(_, filed, row)| (row, count(&filed, row))).collect()
}

#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared, other people's measurements")]
fn shared_memory_wavefronts_of_the_convolution_are_those_of_the_profiler() {
    let Some(session) = with(KTT) else { return };
    let all = counted(&session, |filed, row| {
        let counter = row.number(Number::SmemBytes).unwrap() / 128.0;
        filed.work.get(Count::SmemWavefronts).unwrap() / counter
    });
    assert_eq!(all.len(), 5_280);
    let [low, p5, median, p95, high] =
        quantiles(all.iter().map(|r| r.1).collect(), [0.0, 0.05, 0.5, 0.95, 1.0]);
    println!("shared wavefronts, file / counter: {low:.3} {p5:.3} {median:.3} {p95:.3} {high:.3}");
    assert!((0.99..1.01).contains(&median) && p5 > 0.97 && p95 < 1.03, "{p5} {median} {p95}");
    // The worst are blocks of one or two rows whose threads have 24 outputs and more: the compiler keeps fewer inputs.
    assert!(low > 0.75 && high < 1.05, "{low} {high}");
    for (row, ratio) in all.iter().filter(|(_, ratio)| *ratio < 0.93) {
        let outputs = key(row, "TILE_SIZE_X") * key(row, "TILE_SIZE_Y");
        assert!(outputs >= 24.0 && key(row, "BLOCK_SIZE_Y") <= 2.0, "{}: {ratio}", row.variant());
    }
}

#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared, other people's measurements")]
fn l2_bytes_of_the_convolution_are_those_of_the_profiler_where_code_and_registers_fit() {
    let Some(session) = with(KTT) else { return };
    let all = counted(&session, |filed, row| {
        filed.work.get(Count::L2Bytes).unwrap() / row.work().get(Count::L2Bytes).unwrap()
    });
    // Unrolled code of 16 bytes an instruction: multiply-adds, and as many reads at most. Turing's instruction cache below
    // L2 holds 46 KB; fetches beyond it and spilled registers are L2 traffic that the file does not count.
    let fits = |row: &Measurement| {
        16.0 * 225.0 * 2.0 * key(row, "TILE_SIZE_X") * key(row, "TILE_SIZE_Y") < 46e3
            && row.regs_per_thread().unwrap() < 250
    };
    let fitting: Vec<f64> = all.iter().filter(|(row, _)| fits(row)).map(|r| r.1).collect();
    println!("{} of {} rows fit", fitting.len(), all.len());
    assert_eq!(fitting.len(), 1_984);
    let [low, p5, median, p95, high] = quantiles(fitting, [0.0, 0.05, 0.5, 0.95, 1.0]);
    println!("L2 bytes where it fits, file / counter: {low:.3} {p5:.3} {median:.3} {p95:.3} {high:.3}");
    assert!((0.98..1.02).contains(&median) && p5 > 0.9 && p95 < 1.1, "{p5} {median} {p95}");
    assert!(low > 0.75 && high < 1.25, "{low} {high}");
    // Over all variants the file says too little, never a quarter too much.
    let [median, high] = quantiles(all.iter().map(|r| r.1).collect(), [0.5, 1.0]);
    println!("L2 bytes of all rows, file / counter: median {median:.3}, largest {high:.3}");
    assert!(median > 0.8 && median < 1.0 && high < 1.25, "{median} {high}");
}

#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared, other people's measurements")]
fn dram_bytes_of_the_convolution_are_those_of_the_profiler_where_nothing_spills() {
    let Some(session) = with(KTT) else { return };
    let all = counted(&session, |filed, row| {
        filed.work.get(Count::DramBytes).unwrap() / row.work().get(Count::DramBytes).unwrap()
    });
    let spilled = |row: &Measurement| row.regs_per_thread().unwrap() >= 250;
    let kept: Vec<f64> = all.iter().filter(|(row, _)| !spilled(row)).map(|r| r.1).collect();
    let [low, median, high] = quantiles(kept, [0.05, 0.5, 0.95]);
    println!("DRAM bytes, file / counter: {low:.3} {median:.3} {high:.3}");
    assert!(low > 1.0 && (1.01..1.03).contains(&median) && high < 1.03, "{low} {median} {high}");
}

// ---------------------------------------------------------------------------------------------------------------------
// Properties that need no data

/// What this kernel counts at this size in this variant.
fn at(id: &str, size: &str, variant: &str, count: Count) -> f64 {
    let kernel = SHIPPED.kernels.entry_named(id).unwrap();
    let instance = kernel.instance(&kernel.typed(size).unwrap(), variant).unwrap();
    instance.work.get(count).unwrap()
}

#[test]
fn larger_tiles_of_the_matrix_product_read_less_and_compute_the_same() {
    let variant = |tile: u32, sa: u32| {
        format!("MWG={tile};NWG={tile};KWG=32;MDIMC=8;NDIMC=8;MDIMA=8;NDIMB=8;VWM=2;VWN=2;SA={sa};SB={sa}")
    };
    let of = |tile, sa, count| at("clblast_xgemm", "n=4096", &variant(tile, sa), count);
    for count in [Count::L2Bytes, Count::LsuWarpInsts, Count::WarpInstsIssued] {
        assert!(of(128, 1, count) < of(64, 1, count) && of(64, 1, count) < of(32, 1, count), "{count:?}");
    }
    for count in [Count::Flops, Count::DramBytes, Count::WorkingSetBytes] {
        assert_eq!(of(128, 1, count), of(32, 0, count), "{count:?}");
    }
    // By hand, MWG = NWG = 32, 8 x 8 threads, vectors of 2: 128^2 groups x 2 warps x 4096 steps; a thread has 4 x 4 outputs,
    // two reads of A and two of B a step; 8 lanes 4 words apart fill the banks once, 4 lanes do not.
    let steps = 128.0 * 128.0 * 2.0 * 4096.0;
    assert_eq!(of(32, 0, Count::SmemWavefronts), 0.0);
    let output = 2.0 * 4096.0 * 4096.0 / 64.0;
    // A read touches one line and hands two words to a lane, as a write does that touches two: (1 + 2) / 2, (2 + 2) / 2.
    assert_eq!(of(32, 0, Count::GlobalWarpInsts), 1.5 * 4.0 * steps + 2.0 * output);
    // Copies: 32 words a step and group for A and for B, 64 lanes-words an instruction, 4 rows in the same banks.
    let copies = 2.0 * 128.0 * 128.0 * 4096.0 * 32.0 / 64.0;
    // A read of A hands two words to each lane, one after another; of B both at once, for lanes beside each other read the same.
    assert_eq!(of(32, 1, Count::SmemWavefronts), (2.0 * 2.0 + 2.0) * steps + 4.0 * copies);
    assert_eq!(of(32, 1, Count::LsuWarpInsts), 4.0 * steps + 2.0 * copies + output);
}

/// Passes through the banks of a warp's read of `words` words a lane: of two words half a warp at a time, of four a quarter, and
/// twice as many lanes where those beside each other, or two apart, read the same (an NVIDIA engineer in thread 77228 of its developer forum).
fn passes(addresses: &[u32; 32], words: u32) -> f64 {
    let same = |apart: usize| (0..32).all(|lane| addresses[lane] == addresses[lane ^ apart]);
    let lanes = 32 / words as usize * if words > 1 && (same(1) || same(2)) { 2 } else { 1 };
    let of_lanes = |group: &[u32]| {
        let touched: BTreeSet<u32> = group.iter().flat_map(|from| *from..from + words).collect();
        (0..32).map(|bank| touched.iter().filter(|word| *word % 32 == bank).count()).max().unwrap()
    };
    addresses.chunks(lanes).map(of_lanes).sum::<usize>() as f64
}

/// Lines of 128 bytes that a warp's read of `words` words a lane touches, those of lanes that are served at once together.
fn lines(addresses: &[u32; 32], words: u32) -> f64 {
    let of_lanes = |group: &[u32]| {
        group
            .iter()
            .flat_map(|from| *from..from + words)
            .map(|word| word / 32)
            .collect::<BTreeSet<u32>>()
            .len()
    };
    addresses.chunks(32 / words as usize).map(of_lanes).sum::<usize>() as f64
}

#[test]
fn reads_of_the_matrix_product_pass_banks_and_lines_as_simulated() {
    let mut compared = 0;
    for (threads, tile, vector) in [8, 16, 32].into_iter().flat_map(|threads: u32| {
        [16, 32, 64, 128].into_iter().flat_map(move |tile: u32| [1, 2, 4].map(|v| (threads, tile, v)))
    }) {
        if tile % (threads * vector) != 0 {
            continue;
        }
        let of = |sa, sb, count| {
            let text = format!(
                "MWG={tile};NWG={tile};KWG=32;MDIMC={threads};NDIMC={threads};MDIMA=32;NDIMB=32;VWM={vector};VWN={vector};SA={sa};SB={sb}"
            );
            at("clblast_xgemm", "n=1024", &text, count)
        };
        let of_thread = tile / threads;
        let (along_m, along_n): (Vec<u32>, Vec<u32>) =
            (0..32).map(|lane| (lane % threads * of_thread, lane / threads * of_thread)).unzip();
        let groups = (1024.0 / f64::from(tile)).powi(2);
        let reads = groups * f64::from(threads * threads / 32 * of_thread / vector) * 1024.0;
        let copied = groups * 1024.0 * f64::from(tile) / f64::from(32 * vector);
        // A warp writes its part of a tile without a gap, MWG / 32 words beside each other.
        let copies = copied * f64::from((tile / 32).max(1));
        // In global memory both a tile and the result lie without a gap: a line for each word of a lane.
        let beside = f64::from(vector) * (copied + 2.0 * 1024.0 * 1024.0 / f64::from(32 * vector));
        for (sa, addresses) in [(1, along_m), (0, along_n)] {
            let addresses = addresses.try_into().unwrap();
            let what = format!("{threads} threads, tile {tile}, vectors of {vector}");
            let banks = of(sa, 1 - sa, Count::SmemWavefronts);
            assert_eq!(banks, reads * passes(&addresses, vector) + copies, "{what}");
            let touched = of(1 - sa, sa, Count::GlobalWavefronts);
            assert_eq!(touched, reads * lines(&addresses, vector) + beside, "{what}");
            compared += 1;
        }
    }
    assert_eq!(compared, 52);
}

#[test]
fn lines_limit_global_loads_where_l1_and_shared_memory_are_one() {
    let time_on = |gpu: &str, lines: f64| {
        let gpu = SHIPPED.gpus.entry_named(gpu).unwrap();
        let work = Work::default().with(Count::GlobalWarpInsts, Some(1e9));
        let machine = MachineNumbers::from_gpu(gpu, "fp32");
        let work = work.with(Count::GlobalWavefronts, Some(lines));
        let time = machine
            .components(&work, roofswap::roofline::BufferReuse::BySameLaunch)
            .component_time(Component::Global)
            .0;
        time * f64::from(gpu.sms.value) * gpu.boost_clock.value.0 / 1e9
    };
    // 64 bytes a clock: two clocks for a line; instructions alone one in 0.33 of a clock; 128 bytes on an A100.
    let clocks = [1.0, 4.0].map(|lines| time_on("rtx-2080-ti", lines * 1e9));
    assert!((clocks[0] - 1.0 / 0.33).abs() < 1e-9 && (clocks[1] - 8.0).abs() < 1e-9, "{clocks:?}");
    assert!((time_on("a100-pcie-40gb", 4e9) - 4.0).abs() < 1e-9);
    assert_eq!(time_on("gtx-1080-ti", 4e9), time_on("gtx-1080-ti", 0.0));
}

#[test]
fn registers_that_there_must_be_bound_the_blocks_of_an_sm_and_refuse_nothing() {
    let kernel = SHIPPED.kernels.entry_named("clblast_xgemm").unwrap();
    let least = |tile: u32, threads: u32| {
        let text = format!(
            "MWG={tile};NWG={tile};KWG=32;MDIMC={threads};NDIMC={threads};MDIMA=8;NDIMB=8;VWM=1;VWN=1;SA=0;SB=0"
        );
        kernel.instance(&kernel.typed("n=1024").unwrap(), &text).unwrap().least_registers.unwrap()
    };
    // 8 x 8 sums, 8 and 8 operands, 8 for the rest.
    assert_eq!((least(64, 8), least(128, 8)), (88, 296));
    let limits = &SHIPPED.gpus.entry_named("rtx-2080-ti").unwrap().cuda.limits;
    // 65,536 registers: 64 for each of 1,024 threads. A thread has 255 at most, and whoever has use for more has all of them.
    let bound = |threads, least| bounded_registers(limits, threads, least);
    assert_eq!((bound(64, 88), bound(1024, 88), bound(64, 250), bound(64, 296)), (88, 64, 247, 255));
}

#[test]
fn padding_of_the_convolution_takes_the_conflicts_away_and_costs_shared_memory() {
    let variant =
        |pad| format!("block_size_x=16;block_size_y=16;tile_size_x=2;tile_size_y=2;use_padding={pad}");
    let of = |pad, count| at("convolution2d_15x15", "h=4096", &variant(pad), count);
    // Two rows of 16 lanes, 46 words apart: 14 mod 32, so that two lanes meet.
    assert_eq!(of(0, Count::SmemWavefronts), 2.0 * of(1, Count::SmemWavefronts));
    for count in [Count::LsuWarpInsts, Count::L2Bytes, Count::WarpInstsIssued, Count::GlobalWarpInsts] {
        assert_eq!(of(0, count), of(1, count), "{count:?}");
    }
    let kernel = SHIPPED.kernels.entry_named("convolution2d_15x15").unwrap();
    let bytes = |pad| kernel.instance(&kernel.typed("h=4096").unwrap(), &variant(pad)).unwrap().smem_static;
    // 46 rows of 46 words; two more words bring a row to 48, 16 mod 32.
    assert_eq!((bytes(0), bytes(1)), (Some(4 * 46 * 46), Some(4 * 46 * 48)));
}

#[test]
fn only_padding_may_be_zero() {
    let size = |kernel: &str, text: &str| {
        let kernel = SHIPPED.kernels.entry_named(kernel).unwrap();
        kernel.typed(text).map_err(|why| why.to_string())
    };
    let unpadded = size("torch_conv", "ic=64;hw=56;ks=1;pad=0").unwrap();
    assert_eq!(unpadded.number_at("pad"), Some(0.0));
    for (kernel, bad) in [("torch_conv", "ic=64;hw=0"), ("saxpy", "n=0"), ("saxpy", "0")] {
        assert!(size(kernel, bad).unwrap_err().contains("expected a whole number from 1"), "{kernel} {bad}");
    }
}
