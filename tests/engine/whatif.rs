//! Hypothetical GPUs: the same in every way of asking, solved values that make their goals, power limits that lower the clock.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

use roofswap::answer::Settings;
use roofswap::gpu::{ChangeAmount, GpuChanges, GpuNumber};
use roofswap::kernel::KernelId;
use roofswap::predict::{LaunchEdits, LaunchNumber, Subject};
use roofswap::session::Session;
use roofswap::whatif::{Solution, TornadoBar, WhatIf, WhatIfParts};
use roofswap::workload::Workload;

/// Every kernel at its first size.
fn workloads(session: &Session) -> Vec<Workload> {
    let subject = |kernel: KernelId| -> Option<Subject> {
        let variant = session.default_variant(kernel);
        session.subject(kernel, &session.default_size(kernel, None), &variant).ok()
    };
    session.kernels.ids().filter_map(subject).map(|s| Workload::of_kernel(session, s)).collect()
}

#[test]
fn a_launch_that_costs_more_never_makes_a_prediction_faster() {
    let session = Session::load(None).unwrap();
    let [source, base] = ["titan-v", "rtx-4070"].map(|id| session.gpus.id_named(id).unwrap());
    let mut compared = 0;
    for workload in workloads(&session) {
        let mut asked = WhatIf::new(&session, &workload, source, base);
        let mut at = |by: f64| {
            asked.time(&GpuChanges::default().with(GpuNumber::LaunchOverhead, ChangeAmount::By(by))).unwrap()
        };
        if let (Some(less), Some(more)) = (at(0.5), at(2.0)) {
            assert!(less <= more, "{}", workload.name);
            compared += 1;
        }
    }
    assert!(compared > 20, "{compared}");
}

#[test]
fn every_way_of_asking_gives_the_same_time_and_no_change_is_the_identity() {
    let mut session = Session::load(None).unwrap();
    let changes: GpuChanges = "mem=+20%,l2=-50%,sms=+10%".parse().unwrap();
    let source = session.gpus.id_named("titan-v").unwrap();
    // The very GPU of the source too.
    for base in ["rtx-4070", "h100-pcie", "titan-v"] {
        let base = session.gpus.id_named(base).unwrap();
        let made = session.add_hypothetical(base, &changes).unwrap();
        let mut compared = 0;
        for workload in workloads(&session) {
            let mut asked = WhatIf::new(&session, &workload, source, base);
            assert_eq!(asked.time(&GpuChanges::default()).unwrap(), asked.base_time(), "{}", workload.name);
            let quick = asked.time(&changes).unwrap();
            let settings = Settings { model: session.default_model(), ..Settings::default() };
            let subject = workload.single().unwrap();
            let sources = session.usual_sources(subject, source, settings.model);
            if sources.only().is_none() {
                continue; // combined answers weigh their sources by the target
            }
            let whole = session.answer(subject, source, made, settings).predicted_time();
            match (quick, whole) {
                (Some(quick), Some(whole)) => {
                    assert!((quick / whole - 1.0).abs() < 1e-9, "{}: {quick} {whole}", workload.name);
                    compared += 1;
                }
                (quick, whole) => assert_eq!(quick.is_some(), whole.is_some(), "{}", workload.name),
            }
        }
        assert!(compared > 0, "{}", session.gpus[base].id);
    }
}

#[test]
fn a_solved_value_makes_its_goal_and_an_impossible_goal_is_said() {
    let session = Session::load(None).unwrap();
    let [source, base] = ["v100-pcie-16gb", "rtx-4070"].map(|id| session.gpus.id_named(id).unwrap());
    let kernel = session.kernels.position("saxpy").unwrap();
    let size = session.kernels[kernel].typed("n=2^28").unwrap();
    let subject = session.subject(kernel, &size, "").unwrap();
    let workload = Workload::of_kernel(&session, subject);
    let mut asked = WhatIf::new(&session, &workload, source, base);
    let goal = asked.base_time().unwrap() * 0.8;
    let none = GpuChanges::default();
    let Solution::Value { value, time, .. } = asked.solve(&none, GpuNumber::Bandwidth, Some(goal)).unwrap()
    else {
        panic!("more bandwidth makes saxpy faster")
    };
    assert!((time / goal - 1.0).abs() < 1e-6, "{time} {goal}");
    let again = asked
        .time(&GpuChanges::default().with(GpuNumber::Bandwidth, ChangeAmount::To(value)))
        .unwrap()
        .unwrap();
    assert!((again / goal - 1.0).abs() < 1e-6);
    let tiny = asked.base_time().unwrap() * 1e-6;
    let Solution::None { limited_by, .. } = asked.solve(&none, GpuNumber::Bandwidth, Some(tiny)).unwrap()
    else {
        panic!("nothing makes it a million times faster")
    };
    assert!(limited_by.is_some_and(|limit| !limit.is_empty()));
    let Solution::None { why, .. } = asked.solve(&none, GpuNumber::Fp64Lanes, Some(goal)).unwrap() else {
        panic!("saxpy has no FP64 arithmetic")
    };
    assert!(why.contains("changes nothing"), "{why}");
}

#[test]
fn a_tornado_is_an_exact_prediction_of_each_end() {
    let session = Session::load(None).unwrap();
    let [source, base] = ["titan-v", "rtx-4070"].map(|id| session.gpus.id_named(id).unwrap());
    for workload in &workloads(&session) {
        let mut asked = WhatIf::new(&session, workload, source, base);
        let changes: GpuChanges = "l2=72MiB".parse().unwrap();
        let tornado = asked.tornado(&changes).unwrap();
        let (matter, rest) = tornado.split_at(tornado.partition_point(|bar| bar.matters()));
        if let Some(now) = asked.time(&changes).unwrap() {
            let key = |bar: &TornadoBar| (bar.gain(now).unwrap_or(0.0), bar.effect);
            assert!(
                matter.windows(2).all(|two| key(&two[0]) >= key(&two[1])),
                "{}: {matter:?}",
                workload.name
            );
            let parts = WhatIfParts { tornado: true, ..WhatIfParts::default() };
            let answer = asked.whole_answer(changes.clone(), &parts);
            let helpful = matter.iter().filter(|bar| bar.gain(now).is_some()).map(|bar| bar.number.title());
            let said = answer.unwrap().advice();
            for (title, place) in helpful.take(2).zip([": ", ", then "]) {
                let said = said.as_deref().unwrap();
                assert!(said.contains(&format!("{place}{title}")), "{}: {said}", workload.name);
            }
        }
        assert!(rest.iter().all(|bar| !bar.matters()));
        let place = |bar: &TornadoBar| GpuNumber::ALL.iter().position(|number| *number == bar.number);
        assert!(rest.is_sorted_by_key(place), "{rest:?}");
        for bar in tornado {
            let moved = changes.clone().with(bar.number, ChangeAmount::To(1.2 * bar.value));
            assert_eq!(
                asked.time(&moved).ok().flatten(),
                bar.more,
                "{} {}",
                workload.name,
                bar.number.title()
            );
        }
    }
}

#[test]
fn a_power_limit_lowers_the_clock_and_the_stated_limit_changes_nothing() {
    let mut session = Session::load(None).unwrap();
    let [source, base] = ["titan-v", "rtx-4070"].map(|id| session.gpus.id_named(id).unwrap());
    let kernel = session.kernels.position("matmul_tiled").unwrap();
    let size = session.kernels[kernel].typed("n=2048").unwrap();
    let subject = session.subject(kernel, &size, "").unwrap();
    let workload = Workload::of_kernel(&session, subject.clone());
    let power = |watts: f64| GpuChanges::default().with(GpuNumber::PowerLimit, ChangeAmount::To(watts));
    let changes = power(80.0);
    let made = session.add_hypothetical(base, &changes).unwrap();
    let mut asked = WhatIf::new(&session, &workload, source, base);
    let at = |asked: &mut WhatIf<'_>, watts: f64| asked.time(&power(watts)).unwrap().unwrap();
    assert_eq!(Some(at(&mut asked, 200.0)), asked.base_time());
    let times: Vec<f64> = [60.0, 80.0, 120.0, 160.0, 200.0].map(|w| at(&mut asked, w).0).to_vec();
    assert!(
        times.windows(2).all(|two| two[1] <= two[0] * (1.0 + 1e-9)) && times[0] > 1.02 * times[4],
        "{times:?}"
    );
    let settings = Settings { model: session.default_model(), ..Settings::default() };
    let answer = session.answer(&subject, source, made, settings);
    assert!((answer.predicted_time().unwrap().0 / times[1] - 1.0).abs() < 1e-9);
    let why = asked.time(&power(10.0)).unwrap_err().to_string();
    assert!(why.contains("power limit 10.0 W is too low"), "{why}");
}

#[test]
fn a_launch_as_it_is_keeps_its_time_and_a_refused_one_has_none() {
    let session = Session::load(None).unwrap();
    let [source, target] = ["titan-v", "rtx-4070"].map(|id| session.gpus.id_named(id).unwrap());
    let settings = Settings { model: session.default_model(), ..Settings::default() };
    let mut compared = 0;
    for workload in workloads(&session) {
        let subject = workload.single().unwrap();
        let answer = session.answer(subject, source, target, settings);
        let edited = |launch_edits: LaunchEdits| {
            session.answer(&Subject { launch_edits, ..subject.clone() }, source, target, settings)
        };
        let gpu = &session.gpus[target];
        let Some(launches) = answer.launches(gpu) else { continue };
        let [as_it_is] = &launches[..] else { panic!("{}: {launches:?}", workload.name) };
        assert_eq!(as_it_is.time, answer.predicted_time(), "{}", workload.name);
        let typed = LaunchEdits::default().with(LaunchNumber::Block, Some(as_it_is.needs.threads));
        let changed = |edits: LaunchEdits| edited(edits).launches(gpu).unwrap().pop().unwrap();
        let again = changed(typed);
        if let (Some(time), Some(again)) = (as_it_is.time, again.time) {
            assert!((again / time - 1.0).abs() < 1e-12, "{}", workload.name);
            compared += 1;
        }
        let too_much = typed.with(LaunchNumber::Block, Some(1024)).with(LaunchNumber::Registers, Some(255));
        let refused = changed(too_much);
        assert!(edited(too_much).prediction.is_err(), "{}", workload.name);
        assert!(refused.refusal.is_some() && refused.time.is_none(), "{}: {refused:?}", workload.name);
    }
    assert!(compared > 20, "{compared}");
}

/// Waves of five blocks an SM may be worse filled than those of three, but blocks start when others end.
#[test]
fn a_launch_of_which_an_sm_holds_fewer_blocks_is_no_faster() {
    let session = Session::load(None).unwrap();
    let settings = Settings { model: session.default_model(), ..Settings::default() };
    let source = session.gpus.id_named("titan-v").unwrap();
    let mut compared = 0;
    for (kernel, size) in [("matmul_naive", "n=256"), ("matmul_tiled", "n=320"), ("conv2d_7x7", "h=256")] {
        let kernel = session.kernels.id_named(kernel).unwrap();
        let size = session.kernels[kernel].typed(size).unwrap();
        let subject = session.subject(kernel, &size, &session.default_variant(kernel)).unwrap();
        for target in ["rtx-4070", "t4", "h100-sxm5", "gtx-titan-x"] {
            let target = session.gpus.id_named(target).unwrap();
            let time = |shared: u32| {
                let launch_edits =
                    LaunchEdits::default().with(LaunchNumber::DynamicShared, Some(shared * 1024));
                let edited = Subject { launch_edits, ..subject.clone() };
                session.answer(&edited, source, target, settings).predicted_time()
            };
            let times: Vec<f64> = (0..48).step_by(4).map_while(time).map(|time| time.0).collect();
            assert!(times.windows(2).all(|two| two[1] >= two[0] * (1.0 - 1e-9)), "{}: {times:?}", size);
            compared += times.len();
        }
    }
    assert!(compared > 100, "{compared}");
}

#[test]
fn a_changed_launch_has_one_time_wherever_it_is_asked() {
    let mut session = Session::load(None).unwrap();
    let [source, base] = ["titan-v", "rtx-4070"].map(|id| session.gpus.id_named(id).unwrap());
    let changes: GpuChanges = "mem=+20%,sms=-25%".parse().unwrap();
    let made = session.add_hypothetical(base, &changes).unwrap();
    let settings = Settings { model: session.default_model(), ..Settings::default() };
    let mut compared = 0;
    for workload in workloads(&session) {
        let launch_edits: LaunchEdits = "block=64,regs=96,dynamic=4KB,carveout=50%".parse().unwrap();
        let subject = Subject { launch_edits, ..workload.single().unwrap().clone() };
        let edited = Workload::of_kernel(&session, subject.clone());
        let mut asked = WhatIf::new(&session, &edited, source, base);
        let answer = |target| session.answer(&subject, source, target, settings);
        let sources = session.usual_sources(&subject, source, settings.model);
        if sources.only().is_none() || answer(base).needs.target.is_none() {
            continue; // combined answers weigh their sources by the target
        }
        assert_eq!(asked.base_time(), answer(base).predicted_time(), "{}", edited.name);
        let estimates = session.estimates(&subject, source, &[base, made], settings);
        let times = [base, made].map(|gpu| answer(gpu).predicted_time());
        assert_eq!(times[0], estimates[0].map(|e| e.time), "{}", edited.name);
        assert_eq!(times[1], estimates[1].map(|e| e.time), "{}", edited.name);
        if let (Some(quick), Some(whole)) = (asked.time(&changes).unwrap(), times[1]) {
            assert!((quick / whole - 1.0).abs() < 1e-9, "{}: {quick} and {whole}", edited.name);
            compared += 1;
        }
        assert!(
            answer(base).measured.is_none()
                && answer(base).needs.source == {
                    let plain = session.answer(workload.single().unwrap(), source, base, settings);
                    plain.needs.source
                }
        );
    }
    assert!(compared > 15, "{compared}");
}

#[test]
fn an_operator_in_another_type_moves_other_bytes_on_another_pipe() {
    let session = Session::load(None).unwrap();
    let [source, target] = ["h100-sxm5", "h200"].map(|id| session.gpus.id_named(id).unwrap());
    let kernel = session.kernels.id_named("linear_bf16").unwrap();
    let settings = Settings { model: session.default_model(), ..Settings::default() };
    let time = |dtype: &str, target| {
        let plain = session.subject(kernel, &"m=8192;n=8192;k=8192".parse().unwrap(), "").unwrap();
        let launch_edits: LaunchEdits = dtype.parse().unwrap();
        let answer = session.answer(&Subject { launch_edits, ..plain }, source, target, settings);
        answer.prediction.map(|p| p.time.0).map_err(|why| why.to_string())
    };
    let (own, fp8, fp16) = (time("", target), time("dtype=fp8", target), time("dtype=fp16", target));
    let (own, fp8, fp16) = (own.unwrap(), fp8.unwrap(), fp16.unwrap());
    assert!((0.4..0.75).contains(&(fp8 / own)), "{fp8} and {own}");
    assert!((fp16 / own - 1.0).abs() < 1e-9, "{fp16} and {own}");
    let a100 = session.gpus.id_named("a100-sxm4-80gb").unwrap();
    let why = time("dtype=fp8", a100).unwrap_err();
    assert!(why.contains("lacks fp8"), "{why}");
}
