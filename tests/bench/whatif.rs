//! The What if view: a held key until its frame with the tornado open, a tornado of a mix of 20 kernels, a chart of two numbers, and
//! the tornado of every kernel on 60 GPUs.
//! `cargo bench --features bench --bench whatif`; percentiles are printed, what takes longer than a second is timed once.

#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs, reason = "a benchmark, run by hand")]

use criterion::{Criterion, criterion_group, criterion_main};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use roofswap::answer::Settings;
use roofswap::gpu::{GpuChanges, GpuNumber};
use roofswap::predict::Subject;
use roofswap::session::{Session, Sources};
use roofswap::tui::{DashboardOptions, DashboardState, Message, first_state, update, view};
use roofswap::whatif::{ManyWorkloads, WhatIf, WhatIfParts};
use roofswap::workload::{RunAmount, Workload, WorkloadPart};
use std::hint::black_box;
use std::time::{Duration, Instant};

const SCREEN: (u16, u16) = (200, 60);

/// Values held down and let up again: small steps, coarse ones, another number.
const KEYS: [&str; 12] = ["l", "l", "l", "l", "h", "h", "h", "h", "L", "H", "down", "up"];

fn view_three() -> DashboardState {
    let mut state = first_state(Session::load(None).unwrap(), &DashboardOptions::default()).unwrap();
    update(&mut state, Message::Resize(SCREEN.0, SCREEN.1));
    for key in ["3", "down", "down"] {
        update(&mut state, Message::Key(key.into()));
    }
    state
}

fn press_and_draw(state: &mut DashboardState, terminal: &mut Terminal<TestBackend>, key: &str) -> Duration {
    let start = Instant::now();
    update(state, Message::Key(key.into()));
    terminal.draw(|frame| view(frame, state)).unwrap();
    start.elapsed()
}

fn percentiles(mut times: Vec<Duration>) -> String {
    times.sort();
    let [p50, p99] = [50, 99].map(|percent| times[times.len() * percent / 100]);
    format!("n {}, p50 {p50:?}, p99 {p99:?}, max {:?}", times.len(), times[times.len() - 1])
}

/// Every kernel of the catalogue at its first size.
fn subjects(session: &Session) -> Vec<Subject> {
    let subject = |kernel| {
        let variant = session.default_variant(kernel);
        session.subject(kernel, &session.default_size(kernel, None), &variant).ok()
    };
    session.kernels.ids().filter_map(subject).collect()
}

/// Twenty kernels with ten launches each.
fn mix_of_twenty(session: &Session) -> Workload {
    let part = |subject: Subject| WorkloadPart {
        label: session.kernels[subject.kernel].label().to_string(),
        subject,
        amount: RunAmount::Calls(10.0),
    };
    let parts = subjects(session).into_iter().take(20).map(part).collect();
    Workload { name: "mix of 20 kernels".into(), parts, run_seconds: None, is_run_assumed: false }
}

fn tornado_of_everything(session: &Session) {
    let source = session.gpus.id_named("titan-v").unwrap();
    let workloads: Vec<Workload> =
        subjects(session).into_iter().map(|subject| Workload::of_kernel(session, subject)).collect();
    let settings = Settings { model: session.default_model(), ..Settings::default() };
    let changes = GpuChanges::default();
    let asked = ManyWorkloads {
        session,
        workloads: &workloads,
        sources: Some(Sources::from_gpu(source)),
        changes,
        with_tornado: true,
        settings,
    };
    let start = Instant::now();
    let answers = session.gpus.ids().take(60).flat_map(|base| asked.answers_on(base).unwrap());
    let bars: usize = answers.map(|answer| answer.tornado.len()).sum();
    let count = workloads.len();
    println!("tornado of {count} kernels on 60 GPUs: {bars} bars in {:?}", start.elapsed());
}

fn what_if(c: &mut Criterion) {
    let session = Session::load(None).unwrap();
    tornado_of_everything(&session);
    let mut terminal = Terminal::new(TestBackend::new(SCREEN.0, SCREEN.1)).unwrap();
    let mut state = view_three();
    let held = |state: &mut DashboardState, terminal: &mut Terminal<TestBackend>| {
        let times = (0..2000).map(|i| press_and_draw(state, terminal, KEYS[i % KEYS.len()])).collect();
        percentiles(times)
    };
    println!("key to frame, 200x60, tornado of a kernel open: {}", held(&mut state, &mut terminal));
    let [source, base] = ["titan-v", "rtx-4070"].map(|id| session.gpus.id_named(id).unwrap());
    let mix = mix_of_twenty(&session);
    let tornado = WhatIfParts { tornado: true, ..WhatIfParts::default() };
    let changes: GpuChanges = "mem=+20%".parse().unwrap();
    let of_mix: Vec<Duration> = (0..200)
        .map(|_| {
            let start = Instant::now();
            let mut asked = WhatIf::new(&session, &mix, source, base);
            black_box(asked.whole_answer(changes.clone(), &tornado).unwrap());
            start.elapsed()
        })
        .collect();
    println!("tornado of a mix of 20 kernels: {}", percentiles(of_mix));
    let kernel = Workload::of_kernel(&session, subjects(&session).swap_remove(0));
    let contour = Some([GpuNumber::Bandwidth, GpuNumber::SmClock]);
    let parts = WhatIfParts { contour, ..WhatIfParts::default() };
    c.bench_function("what_if/two_numbers_of_a_kernel", |b| {
        b.iter(|| {
            let mut asked = WhatIf::new(&session, &kernel, source, base);
            asked.whole_answer(changes.clone(), &parts).unwrap()
        })
    });
    c.bench_function("what_if/step_with_tornado_200x60", |b| {
        let mut i = 0;
        b.iter(|| {
            i += 1;
            press_and_draw(&mut state, &mut terminal, if i % 16 < 8 { "l" } else { "h" })
        })
    });
}

criterion_group!(benches, what_if);
criterion_main!(benches);
