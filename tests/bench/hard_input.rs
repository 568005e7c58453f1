//! Input made to be slow: `cargo bench --features bench --bench hard_input`. That it is answered at all, and how, the tests say; here is
//! how long it takes. A quadratic step shows as seconds where there were milliseconds.

#![allow(clippy::unwrap_used, missing_docs, reason = "a benchmark, run by hand")]

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use roofswap::compiler::{TakenNames, join, read_report};
use roofswap::import::read_any;
use roofswap::import::{ImportJob, read_bytes};
use roofswap::kernel::short_name;
use roofswap::measurement::{TimingKind, read_csv};
use roofswap::progress::Progress;
use roofswap::session::Session;
use std::hint::black_box;
use std::time::Duration;

/// Half a mebibyte of brackets that open and never close.
fn bracketed_names(c: &mut Criterion) {
    let mut group = c.benchmark_group("short name");
    for unit in ["<", "k<", "k(", "é<"] {
        let full = unit.repeat((1 << 19) / unit.len());
        group.bench_with_input(BenchmarkId::from_parameter(unit), &full, |b, full| {
            b.iter(|| short_name(black_box(full)));
        });
    }
    group.finish();
}

/// An ELF file for NVIDIA's machines with a table of `kernels` symbols that all name the same `names` bytes without an end.
fn endless_names(names: usize, kernels: usize) -> Vec<u8> {
    let mut file = vec![0; 64];
    file.resize(64 + names, b'k');
    let symbols = file.len() as u64;
    file.resize(file.len() + 24, 0);
    for _ in 0..kernels {
        file.extend([1, 0, 0, 0, 0x12, 0x10, 0, 0]);
        file.extend([0; 16]);
    }
    let table = file.len() as u64;
    file.resize(file.len() + 64, 0);
    section(&mut file, 3, [64, names as u64, 0, 0]);
    section(&mut file, 2, [symbols, table - symbols, 1, 24]);
    file[..16].copy_from_slice(&[0x7f, b'E', b'L', b'F', 2, 1, 1, 0x33, 7, 0, 0, 0, 0, 0, 0, 0]);
    file[16..21].copy_from_slice(&[2, 0, 190, 0, 1]);
    file[40..48].copy_from_slice(&table.to_le_bytes());
    file[48..52].copy_from_slice(&0x34_0534_u32.to_le_bytes());
    file[52..64].copy_from_slice(&[64, 0, 56, 0, 0, 0, 64, 0, 3, 0, 1, 0]);
    file
}

/// A header of a section: its place, its size, the section it is linked to and the bytes of an entry.
fn section(file: &mut Vec<u8>, kind: u32, [place, size, link, entry]: [u64; 4]) {
    file.extend(1_u32.to_le_bytes());
    file.extend(kind.to_le_bytes());
    file.extend([0, 0, place, size].map(u64::to_le_bytes).concat());
    file.extend((link as u32).to_le_bytes());
    file.extend(0_u32.to_le_bytes());
    file.extend([1, entry].map(u64::to_le_bytes).concat());
}

/// A log of a hundred thousand kernels, one of them with a name of half a mebibyte.
fn long_log() -> String {
    let entry = |name: &str| {
        format!("ptxas info : Compiling entry function '{name}' for 'sm_89'\nptxas info : Used 8 registers\n")
    };
    let mut log = entry(&format!("_Z{}{}v", 1 << 19, "a".repeat(1 << 19)));
    (0..100_000).for_each(|i| log += &entry(&format!("_Z1kILi{i}EEvv")));
    log
}

fn compiler_reports(c: &mut Criterion) {
    let cubin = endless_names(4 << 20, 200_000);
    assert!(read_report(&cubin, "k.cubin", None).is_err(), "a name lies outside the file");
    let log = long_log();
    let mut group = c.benchmark_group("compiler report");
    group.bench_function("names without end", |b| b.iter(|| read_report(black_box(&cubin), "k.cubin", None)));
    group.bench_function("100001 kernels", |b| {
        b.iter(|| {
            let report = read_report(black_box(log.as_bytes()), "big.log", None).unwrap();
            join(&[report], &TakenNames::default()).0.len()
        });
    });
    group.finish();
}

/// Summaries of one profiler, whole and cut off at every hundredth byte.
fn profiler_reports(c: &mut Criterion) {
    let head = "Time (%),Total Time (ns),Instances,Avg (ns),StdDev (ns),GridXYZ,BlockXYZ,Name\n";
    let rows: String =
        (0..200).map(|i| format!("100.0,6,3,2.0,0.0, 64 64 1, 16 16 1,\"k{i}(int)\"\n")).collect();
    let whole = [head, &rows].concat();
    c.bench_function("profiler report, cut off", |b| {
        b.iter(|| {
            let cuts = (1..=whole.len()).rev().step_by(100);
            cuts.filter(|n| {
                read_bytes(&whole.as_bytes()[..*n], &ImportJob::new("report", &Progress::default())).is_ok()
            })
            .count()
        });
    });
}

fn measurement_files(c: &mut Criterion) {
    let shipped = Session::load(None).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let sparse = folder.path().join("big.csv");
    std::fs::File::create(&sparse).unwrap().set_len(200 << 20).unwrap();
    let mut unknown = "gpu,kernel,problem,time_ms\n".to_owned();
    for i in 0..20_000 {
        unknown += &format!("gpu-{i},saxpy,n=4,1\nt4,kernel_number_{i},n=4,1\n");
    }
    let mut group = c.benchmark_group("measurement file");
    group.bench_function("200 MiB of nothing", |b| {
        b.iter(|| {
            read_any(&sparse, TimingKind::Measured, &shipped.gpus, &mut shipped.kernels.clone()).is_err()
        });
    });
    group.bench_function("40000 unknown names", |b| {
        b.iter(|| {
            let mut kernels = shipped.kernels.clone();
            let text = black_box(unknown.as_bytes());
            read_csv(text, "f.csv", TimingKind::Measured, &shipped.gpus, &mut kernels).unwrap().refused_count
        });
    });
    group.finish();
}

criterion_group!(
    name = benches;
    config = Criterion::default().sample_size(10).measurement_time(Duration::from_secs(5));
    targets = bracketed_names, compiler_reports, profiler_reports, measurement_files
);
criterion_main!(benches);
