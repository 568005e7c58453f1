//! Reading a PyTorch trace: against gunzip and a bare tokenizer pass over the same bytes. The board of 100 GPUs for a run of 5,000
//! kernels, as the worker of the dashboard answers it: 100 ms are allowed.
//!
//! `cargo bench --features bench --bench application`; `ROOFSWAP_TRACE_MB=1000` for another size than 64 MB, and
//! `ROOFSWAP_TRACE_KEEP=FILE` to keep the trace (uncompressed) for the memory of `roofswap app FILE`.

#![allow(clippy::unwrap_used, clippy::print_stdout)] // a bench is a test

use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use roofswap::application::{
    BoardSettings, ForecastSettings, PartOfTrace, application_board, forecast, read_application,
};
use roofswap::gpu::GpuId;
use roofswap::progress::Progress;
use roofswap::rank::RankQuestion;
use roofswap::session::Session;
use roofswap::workload::{RunAmount, Workload, WorkloadPart};
use serde::de::IgnoredAny;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::time::{Duration, Instant};

/// The events of one launch, as a trace with stacks holds them: Python frames, an operator, the call, the kernel.
fn launch(i: u64, out: &mut String) {
    let (start, id) = (10 * i, i + 1);
    for depth in 0..6 {
        write!(out, r#"{{"ph": "X", "cat": "python_function", "name": "torch/nn/modules/module.py({}): _call_impl", "pid": 17751, "tid": 17751, "ts": {start}.{depth:03}, "dur": 9.{depth:03}, "args": {{"Python parent id": {i}, "Python id": {id}, "Ev Idx": {i}}}}},"#, 1500 + depth).unwrap();
    }
    let rows = 128 + i % 64;
    write!(out, r#"{{"ph": "X", "cat": "cpu_op", "name": "aten::addmm", "pid": 17751, "tid": 17751, "ts": {start}.100, "dur": 8.250, "args": {{"External id": {id}, "Record function id": 0, "Concrete Inputs": ["", "", "", "1", "1"], "Input type": ["c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "Scalar", "Scalar"], "Input Strides": [[1], [512, 1], [1, 512], [], []], "Input Dims": [[512], [{rows}, 512], [512, 512], [], []], "Ev Idx": {i}}}}},"#).unwrap();
    write!(out, r#"{{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 17751, "tid": 17751, "ts": {start}.200, "dur": 4.500, "args": {{"External id": {id}, "cbid": 211, "correlation": {id}}}}},"#).unwrap();
    write!(out, r#"{{"ph": "s", "id": {id}, "pid": 17751, "tid": 17751, "ts": {start}.200, "cat": "ac2g", "name": "ac2g"}},"#).unwrap();
    write!(out, r#"{{"ph": "X", "cat": "kernel", "name": "void cutlass::Kernel2<cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_32x32_128x2_tn_align8>(cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_32x32_128x2_tn_align8::Params)", "pid": 0, "tid": 7, "ts": {start}.900, "dur": 5.{:03}, "args": {{"External id": {id}, "queued": 0, "device": 0, "context": 1, "stream": 7, "correlation": {id}, "registers per thread": 88, "shared memory": 24576, "blocks per SM": 0.606061, "warps per SM": 2.424242, "grid": [40, 2, 1], "block": [128, 1, 1], "est. achieved occupancy %": 4}}}},"#, i % 1000).unwrap();
}

/// Before the first event.
const HEAD: &str = r#"{"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 85018279936}], "traceEvents": ["#;

/// A trace of so many launches.
fn write_launches(to: &mut impl Write, launches: u64) -> u64 {
    let mut text = HEAD.to_string();
    (0..launches).for_each(|i| launch(i, &mut text));
    text.push_str("{}]}");
    to.write_all(text.as_bytes()).unwrap();
    launches
}

/// A trace of about so many bytes.
fn write_trace(to: &mut impl Write, bytes: u64) -> u64 {
    to.write_all(HEAD.as_bytes()).unwrap();
    let (mut written, mut i, mut text) = (HEAD.len() as u64, 0, String::new());
    while written < bytes {
        text.clear();
        (0..100).for_each(|_| {
            launch(i, &mut text);
            i += 1;
        });
        to.write_all(text.as_bytes()).unwrap();
        written += text.len() as u64;
    }
    to.write_all(b"{}]}").unwrap();
    i
}

/// The fastest of three.
fn fastest(mut run: impl FnMut()) -> Duration {
    (0..3)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed()
        })
        .min()
        .unwrap_or_default()
}

/// 100 GPUs that are not the source.
fn hundred_targets(session: &Session, source: GpuId) -> Vec<GpuId> {
    session.gpus.ids().filter(|gpu| *gpu != source).take(100).collect()
}

/// Ranks 100 GPUs for 5,000 launches of a run, at so many sizes of five kernels.
fn rank_a_run(sizes: usize) {
    let session = Session::load(None).unwrap();
    let source = session.gpus.position("titan-v").unwrap();
    let names = ["saxpy", "vector_add", "dot_product", "reduce_sum", "histogram"];
    let part = |i: usize| {
        let typed = format!("n={}", 4096 * (i / names.len() % sizes + 1));
        let kernel = session.kernels.position(names[i % names.len()]).unwrap();
        let size = session.kernels[kernel].typed(&typed).unwrap();
        let subject = session.subject(kernel, &size, "").unwrap();
        WorkloadPart { subject, amount: RunAmount::Calls(1.0 + (i % 9) as f64), label: typed }
    };
    let parts = (0..5000).map(part).collect();
    let workload =
        Workload { name: "a run of 5,000 launches".into(), parts, run_seconds: None, is_run_assumed: false };
    let question = RankQuestion::new(&session, &workload, source, hundred_targets(&session, source));
    let board = question.answer();
    assert_eq!((board.rows.len(), board.rows.iter().filter(|row| row.time.is_some()).count()), (100, 100));
    let ranked = fastest(|| drop(question.answer()));
    let (cores, kernels) = (cores(), names.len() * sizes);
    println!(
        "100 GPUs ranked for 5,000 launches of {kernels} kernels on {cores} cores: {ranked:.2?}; 100 ms are allowed"
    );
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The board of 100 GPUs for an application of 5,000 launches.
fn forecast_an_application() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.json");
    let launches = write_launches(&mut File::create(&path).unwrap(), 5000);
    let recorded = read_application(&path, &Progress::default()).unwrap();
    let application = recorded.application(&PartOfTrace::default()).unwrap();
    assert_eq!(application.kernel_count, launches);
    let session = Session::load(None).unwrap();
    let source = session.gpus.position("h100-sxm5").unwrap();
    let targets = hundred_targets(&session, source);
    let settings = ForecastSettings::default();
    let took = fastest(|| {
        let forecasts = forecast(&session, &application, source, &targets, settings).unwrap();
        let board = application_board(&session, &application, source, &forecasts, &BoardSettings::default());
        assert_eq!(board.rows.len(), 100);
    });
    let groups = application.groups.len();
    println!(
        "100 GPUs for an application of {launches} launches in {groups} groups on {} cores: {took:.2?}; 100 ms are allowed",
        cores()
    );
}

fn main() {
    rank_a_run(1000);
    rank_a_run(40);
    forecast_an_application();
    let number = |name: &str| std::env::var(name).ok().and_then(|v| v.parse::<u64>().ok());
    let bytes = number("ROOFSWAP_TRACE_MB").unwrap_or(64) * 1_000_000;
    if let Ok(path) = std::env::var("ROOFSWAP_TRACE_KEEP") {
        write_trace(&mut std::io::BufWriter::new(File::create(path).unwrap()), bytes);
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.json.gz");
    let mut packed = GzEncoder::new(File::create(&path).unwrap(), Compression::fast());
    let launches = write_trace(&mut packed, bytes);
    packed.finish().unwrap();
    let bare = fastest(|| {
        let from = BufReader::with_capacity(1 << 18, MultiGzDecoder::new(File::open(&path).unwrap()));
        let mut all = Vec::new();
        BufReader::with_capacity(1 << 18, from).read_to_end(&mut all).unwrap();
        serde_json::from_slice::<IgnoredAny>(&all).unwrap();
    });
    let read = fastest(|| {
        read_application(&path, &Progress::default()).unwrap();
    });
    let recorded = read_application(&path, &Progress::default()).unwrap();
    let start = Instant::now();
    let application = recorded.application(&PartOfTrace::default()).unwrap();
    let grouped = start.elapsed();
    assert_eq!(application.kernel_count, launches);
    let times = read.as_secs_f64() / bare.as_secs_f64();
    println!("{} MB, {launches} launches", bytes / 1_000_000);
    println!("gunzip and a bare tokenizer pass (serde_json): {bare:.2?}");
    println!("read: {read:.2?}, {times:.2}x; grouped and split: {grouped:.2?}");
    assert!(times < 3.0, "slower than three bare passes");
}
