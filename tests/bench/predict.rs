//! How fast the default model answers: prepared answers and whole questions on one core, (kernel, source, target) after
//! (kernel, source, target); 1,000 kernels on 60 targets with intervals as text, brief and as whole answers.
//!
//! `cargo bench --features bench --bench predict [-- WORDS OF A NAME]`. Kernels are those of the catalogue at growing sizes, each with a
//! generated time on every source, or on one alone.

#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

use roofswap::answer::{Settings, TargetsQuestion};
use roofswap::gpu::{Gpu, GpuId};
use roofswap::measurement::{TimingKind, read_csv};
use roofswap::occupancy::Rules;
use roofswap::pair::Pair;
use roofswap::predict::{MODELS, ModelId, PreparedKernel, Subject, TimeEstimate, question};
use roofswap::report::shown;
use roofswap::session::Session;
use roofswap::units::range;
use std::fmt::Write;
use std::hint::black_box;
use std::time::Instant;

const KERNELS: [&str; 6] =
    ["saxpy", "vector_add", "dot_product", "reduce_sum", "matmul_tiled", "naive_transpose"];
const SUBJECTS: usize = 1000;
const TARGETS: usize = 60;

/// One CSV: every subject timed on the first so many GPUs of the catalogue.
fn world(timed_gpus: usize) -> (Session, Vec<Subject>) {
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
        for gpu in session.gpus.entries().iter().take(timed_gpus) {
            let (kernel, problem) = size(i);
            writeln!(text, "{},{kernel},{problem},{}", gpu.id, 0.01 + i as f64 * 0.001).unwrap();
        }
    }
    let read = session
        .edit(|w| read_csv(text.as_bytes(), "generated", TimingKind::Measured, &w.gpus, &mut w.kernels))
        .unwrap();
    assert_eq!(read.refused_count, 0);
    session.edit(|w| w.store.add_rows(read.rows));
    let subject = |i: usize| {
        let (kernel, problem) = size(i);
        let kernel = session.kernels.position(kernel).unwrap();
        let full = session.kernels[kernel].completed_problem(&problem.parse().unwrap()).unwrap();
        session.subject(kernel, &full, "").unwrap()
    };
    let subjects = (0..SUBJECTS).map(subject).collect();
    (session, subjects)
}

/// Takes the best of three runs of something that answers so many times.
fn best(name: &str, run: impl Fn() -> usize) {
    if std::env::args().skip(1).any(|word| !word.starts_with('-') && !name.contains(&word)) {
        return;
    }
    let mut best = f64::INFINITY;
    let mut n = 0;
    for _ in 0..3 {
        let start = Instant::now();
        n = black_box(run());
        best = best.min(start.elapsed().as_secs_f64());
    }
    let (rate, each) = (n as f64 / best / 1e6, best / n as f64 * 1e9);
    println!("{name}: {n} answers in {:.1} ms: {rate:.2} M/s ({each:.0} ns each)", best * 1e3);
}

/// Times and doubts of these subjects from every n-th source to every target, preparation included.
fn prepared(session: &Session, subjects: &[Subject], every: usize) -> usize {
    let gpus = &session.gpus;
    let mut n = 0;
    for subject in subjects {
        let kernel = &session.kernels[subject.kernel];
        let mut prepared = PreparedKernel::new(kernel, subject, gpus.entries(), &session.store, Rules::Exact);
        for source in gpus.ids().step_by(every) {
            let from = prepared.start(source);
            n += gpus.ids().filter(|target| black_box(from.estimate(*target)).is_ok()).count();
        }
    }
    n
}

/// The same, each a question of its own.
fn asked(session: &Session, subjects: &[Subject]) -> usize {
    let gpus: Vec<(GpuId, &Gpu)> = session.gpus.with_ids().collect();
    let mut n = 0;
    for subject in subjects {
        let kernel = &session.kernels[subject.kernel];
        for source in gpus.iter().step_by(8) {
            for target in &gpus {
                let pair = Pair::new(*source, *target);
                let q =
                    question(kernel, subject, pair, &session.store, Default::default(), Default::default());
                n += usize::from(black_box(MODELS[ModelId::default()].estimate(&q)).is_ok());
            }
        }
    }
    n
}

/// Times and intervals of these subjects on 60 targets (the catalogue, and its first again), the intervals as text.
fn brief(session: &Session, subjects: &[Subject], text: bool) -> usize {
    let targets: Vec<GpuId> = session.gpus.ids().cycle().take(TARGETS).collect();
    let interval = |brief: Option<TimeEstimate>| -> Option<usize> {
        let interval = brief?.interval?;
        Some(if text { range(interval.low, interval.high).len() } else { 1 })
    };
    let machines = session.machines();
    let mut found = 0;
    for subject in subjects {
        let take = |_: GpuId, estimate: Result<TimeEstimate, _>| {
            found += interval(estimate.ok()).unwrap_or(0).min(1)
        };
        let (source, settings) = (GpuId::default(), Settings::default());
        let asked = TargetsQuestion { subject, source, targets: &targets, settings };
        session.for_each_estimate(&machines, asked, take);
    }
    found
}

/// [`brief`] on all cores; the dashboard answers on one.
fn brief_on_all_cores(session: &Session, subjects: &[Subject]) -> usize {
    let cores = std::thread::available_parallelism().unwrap().get();
    std::thread::scope(|scope| {
        let parts = subjects.chunks(subjects.len().div_ceil(cores));
        let running: Vec<_> = parts.map(|part| scope.spawn(|| brief(session, part, true))).collect();
        running.into_iter().map(|r| r.join().unwrap()).sum()
    })
}

/// The same as whole answers.
fn whole(session: &Session, subjects: &[Subject]) -> usize {
    let targets: Vec<GpuId> = session.gpus.ids().cycle().take(TARGETS).collect();
    let answer =
        |s: &Subject, t: GpuId| shown::interval(&session.answer(s, GpuId::default(), t, Settings::default()));
    subjects.iter().map(|s| targets.iter().filter(|t| answer(s, **t).is_some()).count()).sum()
}

fn main() {
    let (session, subjects) = world(usize::MAX);
    best("prepared, every source, one core", || prepared(&session, &subjects, 1));
    best("prepared, one source in eight, one core", || prepared(&session, &subjects, 8));
    best("prepared, one source, one core", || prepared(&session, &subjects, usize::MAX));
    best("a question each, one core", || asked(&session, &subjects));
    best("brief on 60 targets, one core", || brief(&session, &subjects, false));
    best("brief on 60 targets with interval text, one core", || brief(&session, &subjects, true));
    best("brief on 60 targets with interval text, all cores", || brief_on_all_cores(&session, &subjects));
    let (one_source, of_one) = world(1);
    best("brief on 60 targets, one timed GPU, one core", || brief(&one_source, &of_one, true));
    best("whole answers on 60 targets with interval text, one core", || whole(&session, &subjects));
}
