//! How fast the default model answers: one core, (kernel, source, target) after (kernel, source, target); and a whole table
//! of 1,000 kernels on 60 targets with intervals as text.
//!
//! `cargo bench --bench predict`. Kernels are those of the catalogue at growing sizes, each with a generated time on every
//! source.

#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

use roofswap::evaluate::Settings;
use roofswap::gpu::Gpu;
use roofswap::measurement::{Kind, read_csv};
use roofswap::predict::{MODELS, Subject, question};
use roofswap::session::Session;
use std::fmt::Write;
use std::hint::black_box;
use std::time::Instant;

const KERNELS: [&str; 6] =
    ["saxpy", "vector_add", "dot_product", "reduce_sum", "matmul_tiled", "naive_transpose"];
const SUBJECTS: usize = 1000;

/// One CSV: every subject timed on every GPU of the catalogue.
fn world() -> (Session, Vec<Subject>) {
    let mut session = Session::load(None).unwrap();
    let mut text = String::from("gpu,kernel,problem,time_ms\n");
    let size = |i: usize| {
        let kernel = KERNELS[i % KERNELS.len()];
        let n = if kernel.contains("matmul") || kernel.contains("transpose") {
            256 + i
        } else {
            65_536 + 4096 * i
        };
        let problem =
            if kernel.contains("transpose") { format!("rows={n};cols={n}") } else { format!("n={n}") };
        (kernel, problem)
    };
    for i in 0..SUBJECTS {
        for gpu in session.gpus.entries() {
            let (kernel, problem) = size(i);
            writeln!(text, "{},{kernel},{problem},{}", gpu.id, 0.01 + i as f64 * 0.001).unwrap();
        }
    }
    let read =
        read_csv(text.as_bytes(), "generated", Kind::Measured, &session.gpus, &mut session.kernels).unwrap();
    assert_eq!(read.refused_count, 0);
    session.store.add(read.rows);
    let subject = |i: usize| {
        let (kernel, problem) = size(i);
        let kernel = session.kernels.position(kernel).unwrap();
        let full = session.kernels.entries()[kernel].problem(&problem.parse().unwrap()).unwrap();
        session.subject(kernel, &full, "").unwrap()
    };
    let subjects = (0..SUBJECTS).map(subject).collect();
    (session, subjects)
}

fn main() {
    let (session, subjects) = world();
    let gpus: Vec<(usize, &Gpu)> = session.gpus.entries().iter().enumerate().collect();
    let model = MODELS[0];
    let mut best = f64::INFINITY;
    let mut n = 0;
    for _ in 0..3 {
        let start = Instant::now();
        n = 0;
        for subject in &subjects {
            let kernel = &session.kernels.entries()[subject.kernel];
            for source in gpus.iter().step_by(8) {
                for target in &gpus {
                    let pair = [*source, *target];
                    let q = question(
                        kernel,
                        subject,
                        pair,
                        &session.store,
                        Default::default(),
                        Default::default(),
                    );
                    n += usize::from(black_box(model.time(&q)).is_ok());
                }
            }
        }
        best = best.min(start.elapsed().as_secs_f64());
    }
    println!(
        "{n} answers, one core: {:.2} M/s ({:.0} ns each)",
        n as f64 / best / 1e6,
        best / n as f64 * 1e9
    );
    let start = Instant::now();
    let mut letters = 0;
    for subject in &subjects {
        for (target, _) in &gpus {
            let a = session.answer(subject, gpus[0].0, *target, Settings::default());
            letters += roofswap::report::shown::interval(&a).map_or(0, |t| t.len());
        }
    }
    let all = subjects.len() * gpus.len();
    println!(
        "{all} whole answers with interval text, one core: {:.1} ms ({letters} letters)",
        start.elapsed().as_secs_f64() * 1e3
    );
}
