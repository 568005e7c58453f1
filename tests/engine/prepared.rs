//! What is prepared for many answers gives the numbers of each question asked on its own: every kernel from every GPU, every
//! ordered pair of GPUs, with rows and without, whoever states shapes and counters.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

use roofswap::answer::Settings;
use roofswap::gpu::GpuId;
use roofswap::kernel::KernelId;
use roofswap::measurement::{TimingKind, read_csv};
use roofswap::occupancy::Rules;
use roofswap::pair::Pair;
use roofswap::predict::{MODELS, ModelId, ModelRefusal, PreparedKernel, Subject, Visible, question};
use roofswap::session::Session;
use std::collections::BTreeSet;

/// Every kernel at its first size.
fn subjects(session: &Session) -> Vec<Subject> {
    let first = |kernel: KernelId| {
        let variant = session.default_variant(kernel);
        session.subject(kernel, &session.default_size(kernel, None), &variant).ok()
    };
    session.kernels.ids().filter_map(first).collect()
}

fn the_same(a: f64, b: f64) -> bool {
    (a / b - 1.0).abs() <= 1e-12 || a == b
}

/// Of the targets of a kernel and a source every seventh is asked about, another seventh for the next kernel or source: seven
/// kernels ask about every pair of GPUs.
const EVERY_PAIR: usize = 7;

/// The same for all kernels together.
const SOME_PAIRS: usize = 29;

/// Asks both ways for every kernel and source, and for targets so far apart; how many answers there were, and the kinds of refusals.
fn compare(
    session: &Session,
    visible: Visible<'_>,
    rules: Rules,
    targets_apart: usize,
) -> (usize, BTreeSet<String>) {
    let gpus = &session.gpus;
    let (mut answers, mut refused) = (0, BTreeSet::new());
    for (k, subject) in subjects(session).into_iter().enumerate() {
        let kernel = &session.kernels[subject.kernel];
        let mut prepared = PreparedKernel::new(kernel, &subject, gpus.entries(), visible, rules);
        for (s, source) in gpus.with_ids() {
            let from = prepared.start(s);
            let first = (k + s.index()) % targets_apart;
            for (t, target) in gpus.with_ids().skip(first).step_by(targets_apart) {
                let pair = Pair::new((s, source), (t, target));
                let q = question(kernel, &subject, pair, visible, Default::default(), rules);
                let place = || format!("{} {}: {} -> {}", kernel.id, subject.problem, source.id, target.id);
                assert_eq!(from.source_time, q.source_time, "{}", place());
                match (from.estimate(t), MODELS[ModelId::default()].estimate(&q)) {
                    (Ok(quick), Ok(told)) => {
                        let (time, doubt) = (told.time, told.doubt.unwrap());
                        assert!(the_same(quick.time.0, time.0), "{}: {quick:?}, {time:?}", place());
                        assert!(
                            the_same(quick.doubt.unwrap().total(), doubt.total()),
                            "{}: {quick:?}, {doubt:?}",
                            place()
                        );
                        answers += 1;
                    }
                    (quick, one) => {
                        let why = one.map(|told| told.time).unwrap_err();
                        let quick = quick.unwrap_err();
                        // Of a row that its own GPU refuses every target is asked by itself (`estimate_targets`).
                        let is_of_row = matches!(why, ModelRefusal::RefusedSource { .. })
                            && matches!(quick, ModelRefusal::CannotLaunch { .. });
                        assert!(is_of_row || quick == why, "{}: {quick:?}, {why:?}", place());
                        refused.insert(kind(&why));
                    }
                }
            }
        }
    }
    (answers, refused)
}

fn kind(why: &ModelRefusal) -> String {
    format!("{why:?}").chars().take_while(|c| c.is_alphabetic()).collect()
}

#[test]
fn shipped_kernels_and_rows() {
    let session = Session::load(None).unwrap();
    for (rules, apart, at_least) in [(Rules::Exact, EVERY_PAIR, 50_000), (Rules::Study, SOME_PAIRS, 10_000)] {
        let (answers, _) = compare(&session, (&session.store).into(), rules, apart);
        assert!(answers > at_least, "{answers}");
    }
}

/// GPUs that state other launches, registers, shared memory and counters of the same configuration, GPUs that state
/// nothing, one that times another size, blocks that do not fit everywhere, and kernels nobody has a file of.
#[test]
fn rows_that_state_something_else_on_every_gpu() {
    let mut session = Session::load(None).unwrap();
    let mut csv = String::from(
        "gpu,kernel,problem,block,grid,time_ms,regs_per_thread,smem_dynamic_bytes,flops,dram_bytes,lsu_warp_insts\n",
    );
    for (i, gpu) in session.gpus.entries().iter().enumerate() {
        let id = &gpu.id;
        let time = 0.004 + 0.01 * i as f64;
        csv += &match i % 4 {
            0 => format!(
                "{id},own,n=1000,{},{},{time},{},{},2e6,{},\n",
                128 + i,
                4096 / (i + 1),
                20 + i,
                1024 * i,
                3e6 + i as f64
            ),
            1 => format!("{id},own,n=1000,,,{time},,,,,\n"),
            2 => format!("{id},own,n=1000,256,7,{time},,,,{},{}\n", 5e5 * i as f64, 10_000 * i),
            _ => String::new(),
        };
        csv += &match i % 3 {
            0 => format!("{id},saxpy,n=1048576,256,4096,{time},{},,,,\n", 16 + i),
            1 => format!("{id},saxpy,n=2097152,,,{time},,,,,\n"),
            _ => format!("{id},alike,n=5,512,64,{time},32,0,1e8,1e7,\n"),
        };
    }
    let read = session
        .edit(|w| read_csv(csv.as_bytes(), "mine.csv", TimingKind::Measured, &w.gpus, &mut w.kernels))
        .unwrap();
    assert!(read.refused.is_empty(), "{:?}", read.refused);
    session.edit(|w| w.store.add_rows(read.rows));
    let (answers, refused) = compare(&session, (&session.store).into(), Rules::Exact, EVERY_PAIR);
    assert!(answers > 50_000, "{answers}");
    assert!(refused.contains("CannotLaunch"), "{refused:?}");
    for hidden in [0, 2, 5] {
        let visible = Visible::without_gpu(&session.store, GpuId::from_index(hidden));
        compare(&session, visible, Rules::Exact, SOME_PAIRS);
    }
}

/// What the dashboard shows of further targets is what it shows of the main one.
#[test]
fn brief_answers_are_whole_answers_cut_short() {
    let session = Session::load(None).unwrap();
    let targets: Vec<GpuId> = session.gpus.ids().collect();
    let source = GpuId::from_index(3);
    for model in MODELS.ids() {
        let settings = Settings { model, ..Settings::default() };
        for subject in subjects(&session).iter().step_by(3) {
            let briefs = session.estimates(subject, source, &targets, settings);
            for (brief, &target) in briefs.into_iter().zip(&targets) {
                let whole = session.answer(subject, source, target, settings);
                let time = whole.prediction.as_ref().ok().map(|p| p.time);
                assert_eq!(brief.map(|b| b.time), time, "{model:?} {target:?}");
                assert_eq!(brief.and_then(|b| b.interval), whole.interval.filter(|_| time.is_some()));
                let limit = whole.prediction.as_ref().ok().and_then(|p| p.bound_target);
                let place = || format!("{model:?} {} {target:?}", session.kernels[subject.kernel].id);
                assert_eq!(brief.and_then(|b| b.limit), limit, "{}", place());
                assert!(brief.is_none_or(|b| b.rests_on_measurement != whole.is_estimate()));
            }
        }
    }
}
