//! How long a canonical CSV of a million rows takes to load, and in how much memory: `cargo bench --features bench --bench load`.
//!
//! The measure is the csv crate's own walk over the byte records of the same file, from the same disk cache.
//! `ROOFSWAP_ROWS=100000` makes a smaller file; `ROOFSWAP_CSV=/path/rows.csv` takes a file instead.

#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs, reason = "a benchmark, run by hand")]

use criterion::{Criterion, criterion_group, criterion_main};
use csv::{ByteRecord, ReaderBuilder};
use roofswap::session::{LoadedFile, Session};
use std::fs::File;
use std::hint::black_box;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const HEADER: &str = "gpu,kernel,problem,variant,dtype,block,grid,regs_per_thread,smem_static_bytes,\
                      smem_dynamic_bytes,flops,dram_bytes,l2_bytes,l1_bytes,smem_bytes,time_ms,time_std_ms,trials,\
                      power_w,energy_j,sm_clock_mhz,mem_clock_mhz,gpu_util_pct,source";

const GPUS: [&str; 6] = ["rtx-4070", "titan-v", "t4", "gtx-titan-x", "rtx-2080-ti", "rtx-3090"];

/// How the rows of one file repeat themselves.
#[derive(Clone, Copy, PartialEq)]
enum Shape {
    /// As collections are: a configuration on six GPUs, sizes and variants that recur, a source of its own per row.
    Typical,
    /// No two rows of the same size, variant or source.
    AllDifferent,
}

/// Made-up rows of the form of published collections; a benchmark of the reader, not of a GPU.
fn write_rows(path: &Path, rows: usize, shape: Shape) {
    let mut out = BufWriter::new(File::create(path).unwrap());
    writeln!(out, "{HEADER}").unwrap();
    for i in 0..rows {
        let config = if shape == Shape::Typical { i / GPUS.len() } else { i };
        let (m, n, k) =
            (256 + 64 * (config % 61), 128 + 32 * (config / 61 % 47), 64 + 16 * (config / 2867 % 31));
        let gpu = GPUS[i % GPUS.len()];
        let variant = match shape {
            Shape::Typical => {
                format!("MWG={};NWG={};VWM={}", 16 << (config % 4), 16 << (config % 3), config % 8)
            }
            Shape::AllDifferent => format!("tile={i};seed={}", i * 7),
        };
        let (ms, spread) = (0.01 + (config % 977) as f64 * 0.003_71, 0.0001 * (1 + i % 50) as f64);
        let flops = 2 * m * n * k;
        write!(out, "{gpu},sgemm_{},m={m};n={n};k={k},{variant},fp32,16x16,", config % 17).unwrap();
        write!(out, "{}x{},{},0,2048,{flops},{},,,,", m / 16, n / 16, 32 + config % 96, 4 * (m * n + n * k))
            .unwrap();
        write!(out, "{ms:.6},{spread:.5},32,").unwrap();
        let power =
            if i % 4 == 0 { format!("{:.2},,1590,7000,100", 70.0 + (i % 200) as f64) } else { ",,,,".into() };
        writeln!(out, "{power},collection:gemm_{gpu}:row{i}").unwrap();
    }
}

fn walk(path: &Path) -> usize {
    let mut csv = ReaderBuilder::new().from_reader(File::open(path).unwrap());
    let (mut record, mut fields) = (ByteRecord::new(), 0);
    while csv.read_byte_record(&mut record).unwrap() {
        fields += record.len();
    }
    fields
}

fn load(path: &Path, empty: &Session) -> Session {
    let mut session = empty.clone();
    let LoadedFile { refused: described, refused_count: refused, .. } = session.add_data(path).unwrap();
    assert_eq!(refused, 0, "{:?}", described.first());
    session
}

fn fastest(mut run: impl FnMut() -> Duration) -> Duration {
    (0..5).map(|_| run()).min().unwrap()
}

fn timed<T>(run: impl FnOnce() -> T) -> Duration {
    let started = Instant::now();
    let result = black_box(run());
    let took = started.elapsed();
    drop(result);
    took
}

/// The most memory this process has had, in bytes; Linux only. Writing 5 there starts it over.
fn peak_memory(start_over: bool) -> Option<usize> {
    if start_over {
        std::fs::write("/proc/self/clear_refs", "5").ok()?;
    }
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse::<usize>().ok().map(|kib| 1024 * kib)
}

fn report(name: &str, path: &Path, empty: &Session) {
    let size = std::fs::metadata(path).unwrap().len();
    let before = peak_memory(true);
    let rows = load(path, empty).store.len();
    let memory = peak_memory(false).zip(before).map(|(after, before)| after.saturating_sub(before));
    let walked = fastest(|| timed(|| walk(path)));
    let loaded = fastest(|| timed(|| load(path, empty)));
    println!(
        "{name}: {rows} rows, {size} bytes: walk {walked:?}, load {loaded:?}, {:.2} times the walk; peak memory {:.2} \
         times the file",
        loaded.as_secs_f64() / walked.as_secs_f64(),
        memory.map_or(f64::NAN, |m| m as f64 / size as f64),
    );
}

fn loads(c: &mut Criterion) {
    let rows = std::env::var("ROOFSWAP_ROWS").ok().and_then(|n| n.parse().ok()).unwrap_or(1_000_000);
    let folder = tempfile::tempdir().unwrap();
    let empty = Session::load(None).unwrap();
    let typical = match std::env::var_os("ROOFSWAP_CSV") {
        Some(given) => PathBuf::from(given),
        None => folder.path().join("typical.csv"),
    };
    if std::env::var_os("ROOFSWAP_CSV").is_none() {
        write_rows(&typical, rows, Shape::Typical);
        let different = folder.path().join("different.csv");
        write_rows(&different, rows, Shape::AllDifferent);
        report("typical", &typical, &empty);
        report("every row another size and variant", &different, &empty);
    } else {
        report("given", &typical, &empty);
    }
    let mut group = c.benchmark_group("canonical_csv");
    group.sample_size(10);
    group.bench_function("walk_byte_records", |b| b.iter(|| walk(&typical)));
    group.bench_function("load", |b| b.iter(|| load(&typical, &empty)));
    group.finish();
}

criterion_group!(benches, loads);
criterion_main!(benches);
