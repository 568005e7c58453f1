//! A power limit has one meaning: typed, behind an `@`, as a change, edited in the What if view, or asked of `whatif`, it gives one time.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

use roofswap::answer::Settings;
use roofswap::gpu::{ChangeError, GpuId, GpuNumber};
use roofswap::measurement::{TimingKind, read_csv};
use roofswap::pair::Pair;
use roofswap::predict::{MODELS, ModelId, Subject, model_position};
use roofswap::session::{EditedGpu, Session, TypedTunings};
use roofswap::units::Seconds;
use roofswap::whatif::WhatIf;
use roofswap::workload::Workload;

/// Relative: both sides bisect to a part in four thousand of the clock from loads that differ by rounding.
const SAME: f64 = 1e-3;

/// An operator, memory-bound and compute-bound kernels, timed on the source and not.
const KERNELS: [&str; 7] =
    ["linear_bf16", "torch_gelu", "saxpy", "vector_add", "matmul_tiled", "gemm_tiled", "conv2d_7x7"];

fn subjects(session: &Session) -> Vec<Subject> {
    let subject = |id: &str| {
        let kernel = session.kernels.id_named(id)?;
        let size = session.default_size(kernel, None);
        session.subject(kernel, &size, &session.default_variant(kernel)).ok()
    };
    KERNELS.iter().filter_map(|id| subject(id)).collect()
}

/// The time of every way to say that this GPU has this limit, by its spelling.
fn times(
    loaded: &Session,
    subject: &Subject,
    [from, on]: [&str; 2],
    limit: &str,
    model: ModelId,
) -> Vec<(&'static str, Option<Seconds>)> {
    let settings = Settings { model, ..Settings::default() };
    let mut session = loaded.clone();
    let source = session.gpus.id_named(from).unwrap();
    let board = session.gpus.id_named(on).unwrap();
    let changes = format!("power={limit}").parse().unwrap();
    let mut all = Vec::new();
    let ask = |session: &Session, target: GpuId| {
        let whole = session.answer(subject, source, target, settings).predicted_time();
        let brief = session.estimates(subject, source, &[target], settings)[0].map(|found| found.time);
        (whole, brief)
    };
    let made = session.add_hypothetical(board, &changes).unwrap();
    session.add_derived_gpus([&*format!("{on}@{limit}")]).unwrap();
    let named = session.gpus.position(&format!("{on}@{limit}")).unwrap();
    let edited = EditedGpu { base: board, changes: changes.clone() };
    for (spelling, target) in [("--set", made), ("@", named)] {
        let (whole, brief) = ask(&session, target);
        all.extend([(spelling, whole), (spelling, brief)]);
    }
    let mut editing = loaded.clone();
    editing.set_edited_gpu(Some(edited)).unwrap();
    let (whole, brief) = ask(&editing, editing.edited_place());
    all.extend([("edited", whole), ("edited", brief)]);
    let workload = Workload::of_kernel(&session, subject.clone());
    let on_changed =
        WhatIf::with_settings(&session, &workload, Pair::new(source, board), settings).changed_time(&changes);
    all.push(("whatif", on_changed.unwrap().time));
    let typed = TypedTunings { power_limit: vec![limit.into()], ..TypedTunings::default() };
    typed.lay(&mut session, &[board]).unwrap();
    let (whole, brief) = ask(&session, board);
    all.extend([("--power-limit", whole), ("--power-limit", brief)]);
    all
}

#[test]
fn every_spelling_of_a_limit_gives_one_time() {
    let session = Session::load(None).unwrap();
    let subjects = subjects(&session);
    assert!(subjects.len() >= 5, "{}", subjects.len());
    let models: Vec<ModelId> = MODELS
        .ids()
        .filter(|model| ["components", "hybrid", "plain-roofline"].contains(&MODELS[*model].id()))
        .collect();
    let mut slowed = 0;
    for (on, limit) in [("rtx-4090", "200W"), ("h100-sxm5", "300W"), ("rtx-2080-ti", "140W")] {
        let board = session.gpus.id_named(on).unwrap();
        let source = session.gpus.id_named("titan-v").unwrap();
        for subject in &subjects {
            for model in &models {
                let settings = Settings { model: *model, ..Settings::default() };
                let stock = session.answer(subject, source, board, settings).predicted_time();
                let found = times(&session, subject, ["titan-v", on], limit, *model);
                let Some(first) = found[0].1 else {
                    assert!(found.iter().all(|(_, time)| time.is_none()), "{found:?}");
                    continue;
                };
                let kernel = &session.kernels[subject.kernel].id;
                let same = |time: &Option<Seconds>| time.is_some_and(|t| (t / first - 1.0).abs() < SAME);
                let all = found.iter().all(|(_, time)| same(time));
                assert!(all, "{kernel} on {on} at {limit}, {}: {found:?}", MODELS[*model].id());
                let factor = first / stock.unwrap();
                assert!(factor >= 1.0 - SAME, "{kernel} on {on} at {limit}: {factor}");
                slowed += usize::from(factor > 1.05);
            }
        }
    }
    assert!(slowed > 10, "a third of the power slows some: {slowed}");
}

#[test]
fn the_boards_own_limit_or_more_than_is_drawn_changes_nothing() {
    let session = Session::load(None).unwrap();
    let source = session.gpus.id_named("titan-v").unwrap();
    let board = session.gpus.id_named("rtx-4090").unwrap();
    let stream = subjects(&session).into_iter().find(|s| session.kernels[s.kernel].id == "saxpy").unwrap();
    let workload = Workload::of_kernel(&session, stream);
    let mut asked = WhatIf::new(&session, &workload, source, board);
    let stock = asked.base_time().unwrap();
    // A stream keeps no lane busy: two thirds of the limit are more than it draws.
    for changes in ["power=450W", "power=300W"] {
        assert_eq!(asked.changed_time(&changes.parse().unwrap()).unwrap().time, Some(stock), "{changes}");
    }
    let numbers = asked.tornado(&Default::default()).unwrap();
    let power = numbers.iter().find(|bar| bar.number == GpuNumber::PowerLimit).unwrap();
    assert_eq!(power.less, Some(stock));
}

#[test]
fn less_power_is_never_faster_on_any_gpu() {
    let session = Session::load(None).unwrap();
    let source = session.gpus.id_named("titan-v").unwrap();
    let workloads: Vec<Workload> =
        subjects(&session).into_iter().map(|subject| Workload::of_kernel(&session, subject)).collect();
    let mut compared = 0;
    for base in session.gpus.ids() {
        for workload in &workloads {
            let mut asked = WhatIf::new(&session, workload, source, base);
            let Some(mut last) = asked.base_time() else { continue };
            for changes in
                ["power=-10%", "power=-30%", "power=-50%", "power=-60%", "power=-70%", "power=-80%"]
            {
                let changed = match asked.changed_time(&changes.parse().unwrap()) {
                    Err(ChangeError::LimitTooLow(_)) => break,
                    changed => changed.unwrap(),
                };
                let time = changed.time.unwrap();
                let on = &session.gpus[base].id;
                assert!(
                    time >= last * (1.0 - 1e-9),
                    "{} on {on}, {changes}: {time} after {last}",
                    workload.name
                );
                last = time;
                compared += 1;
            }
        }
    }
    assert!(compared > 2000, "{compared}");
}

/// Two sizes of one kernel on a source whose limit slows them; a row on the target that is what the model says there has nothing to correct.
#[test]
fn rows_on_the_target_are_compared_from_the_source_at_its_limit() {
    let source_rows = "gpu,kernel,problem,block,grid,flops,dram_bytes,time_ms,power_limit_w\n\
        titan-v,mine,n=1,256,8000,4e10,1e8,5,100\ntitan-v,mine,n=2,256,16000,8e10,2e8,10,100\n";
    let loaded = |csv: &str| {
        let mut session = Session::load(None).unwrap();
        session.edit(|w| {
            let read =
                read_csv(csv.as_bytes(), "mine.csv", TimingKind::Measured, &w.gpus, &mut w.kernels).unwrap();
            assert_eq!(read.refused_count, 0, "{:?}", read.refused);
            w.store.add_rows(read.rows);
        });
        let typed = TypedTunings { power_limit: vec!["titan-v=100W".into()], ..TypedTunings::default() };
        typed.lay(&mut session, &[]).unwrap();
        session
    };
    let on_target = |session: &Session, size: &str| {
        let [source, target] = ["titan-v", "rtx-4070"].map(|id| session.gpus.id_named(id).unwrap());
        let kernel = session.kernels.id_named("mine").unwrap();
        let subject = session.subject(kernel, &size.parse().unwrap(), "").unwrap();
        let settings = Settings { model: model_position("components").unwrap(), ..Settings::default() };
        session.answer(&subject, source, target, settings).predicted_time().unwrap()
    };
    let plain = loaded(source_rows);
    let row = format!("rtx-4070,mine,n=2,256,16000,8e10,2e8,{},\n", on_target(&plain, "n=2").millis());
    let known = loaded(&format!("{source_rows}{row}"));
    let [without, with] = [&plain, &known].map(|session| on_target(session, "n=1"));
    assert!((with / without - 1.0).abs() < SAME, "{with} and {without}");
}

/// A source under a limit ran at the clock that its FLOPs show, whatever power they are thought to draw: none is carried past the rate of the target's lanes.
#[test]
fn a_limited_source_above_what_its_limit_is_thought_to_leave_is_not_past_the_peak_elsewhere() {
    let mut before = 0.0;
    for ms in [30.0, 40.0, 45.0, 50.0, 58.0, 80.0] {
        let mut session = Session::load(None).unwrap();
        let csv = format!(
            "gpu,kernel,flops,dram_bytes,dtype,time_ms,power_limit_w\nrtx-4090,own,1e12,1e9,fp32,{ms},180\n"
        );
        session.edit(|w| {
            let read =
                read_csv(csv.as_bytes(), "own.csv", TimingKind::Measured, &w.gpus, &mut w.kernels).unwrap();
            w.store.add_rows(read.rows);
        });
        let limited = "rtx-4090@180W";
        session.add_derived_gpus([limited]).unwrap();
        let [limited, stock] = [limited, "rtx-4090"].map(|id| session.gpus.position(id).unwrap());
        let subject = session.timed_subject(session.own_config_ids().next().unwrap()).unwrap();
        let settings = Settings { model: model_position("components").unwrap(), ..Settings::default() };
        let time = session.answer(&subject, limited, stock, settings).predicted_time().unwrap();
        assert!(1e12 / time.0 <= session.gpus[stock].fp32_peak.value.0, "{ms} ms: {time}");
        assert!(time.millis() >= before * (1.0 - SAME), "{ms} ms: {time}, {before} before");
        before = time.millis();
    }
}

/// Tensor cores that do a quarter of their rate are no load that no FP32 lane could be; and the same limit on both sides is one GPU.
#[test]
fn a_limit_on_both_sides_of_a_tensor_kernel_is_the_measured_time() {
    let mut session = Session::load(None).unwrap();
    let csv = "gpu,kernel,problem,block,grid,flops,dram_bytes,dtype,pipe,time_ms,power_limit_w\n\
        a100-sxm4-80gb,own,n=1,,,5e12,1e9,bf16,tensor bf16,60,200\n";
    session.edit(|w| {
        let read =
            read_csv(csv.as_bytes(), "own.csv", TimingKind::Measured, &w.gpus, &mut w.kernels).unwrap();
        assert_eq!(read.refused_count, 0, "{:?}", read.refused);
        w.store.add_rows(read.rows);
    });
    let limited = "a100-sxm4-80gb@200W";
    session.add_derived_gpus([limited]).unwrap();
    let [limited, stock] = [limited, "a100-sxm4-80gb"].map(|id| session.gpus.position(id).unwrap());
    let config = session.own_config_ids().next().unwrap();
    let subject = session.timed_subject(config).unwrap();
    let settings = Settings { model: model_position("components").unwrap(), ..Settings::default() };
    let on = |target| session.answer(&subject, limited, target, settings).predicted_time().unwrap().millis();
    assert_eq!(on(limited), 60.0);
    assert!((30.0..60.0).contains(&on(stock)), "{}", on(stock));
}

/// Where nobody timed a kernel, a model that starts from no time compares its targets with its own time on the source: a GPU is as fast as
/// itself, and every target is compared with the same time.
#[test]
fn a_model_that_starts_from_no_time_compares_with_its_own_on_the_source() {
    let mut session = Session::load(None).unwrap();
    let (stock, limited) = ("v100-sxm2-16gb", "v100-sxm2-16gb@150W");
    session.add_derived_gpus([limited]).unwrap();
    let at = |id: &str| session.gpus.position(id).unwrap();
    for model in ["first-principles", "plain-roofline"] {
        let settings = Settings { model: model_position(model).unwrap(), ..Settings::default() };
        for subject in subjects(&session) {
            for source in [stock, limited] {
                let answer = |target: &str| session.answer(&subject, at(source), at(target), settings);
                let itself = answer(source);
                let Some(own) = itself.predicted_time() else { continue };
                let kernel = &session.kernels[subject.kernel].id;
                assert_eq!(itself.speedup(), Some(1.0), "{model}: {kernel} on {source}");
                for target in [stock, limited, "h200"] {
                    let compared_with = answer(target).source_time.unwrap().time;
                    assert_eq!(compared_with, own, "{model}: {kernel} from {source} to {target}");
                }
            }
        }
    }
}

/// A memory that is asked about draws what the board's does: less bandwidth frees no power for the SMs.
#[test]
fn under_a_limit_less_memory_bandwidth_is_not_faster() {
    let session = Session::load(None).unwrap();
    let source = session.gpus.id_named("rtx-2080-ti").unwrap();
    for base in ["rtx-4090", "h100-sxm5", "l4"] {
        let base = session.gpus.id_named(base).unwrap();
        for subject in subjects(&session) {
            let workload = Workload::of_kernel(&session, subject);
            let mut asked = WhatIf::new(&session, &workload, source, base);
            let mut time =
                |changes: &str| asked.changed_time(&changes.parse().unwrap()).unwrap().time.unwrap();
            let limited = time("power=-50%");
            let slower = time("power=-50%,mem=-20%");
            assert!(slower >= limited * (1.0 - 1e-9), "{}: {slower} after {limited}", workload.name);
        }
    }
}

/// Products that their board's own limit slows and those that it does not, and attention: all of them draw from one budget.
#[test]
fn a_limit_below_what_an_operator_draws_slows_it_at_once_and_by_little() {
    let loaded = Session::load(None).unwrap();
    let sizes = [
        ("linear_bf16", "m=8192;n=8192;k=8192"),
        ("linear_bf16", "m=256;n=8192;k=8192"),
        ("linear_bf16", "m=256;n=4096;k=4096"),
        ("attention_prefill", "b=4;s=4096;h=32;kv=8;d=128"),
    ];
    for (id, size) in sizes {
        let kernel = loaded.kernels.id_named(id).unwrap();
        let subject = loaded.subject(kernel, &size.parse().unwrap(), "").unwrap();
        for board in ["h100-sxm5", "a100-sxm4-80gb", "l40s", "b200"] {
            let on = |id: &str| {
                let mut session = loaded.clone();
                session.add_derived_gpus([id]).unwrap();
                let gpu = session.gpus.position(id).unwrap();
                let answer = session.answer(&subject, gpu, gpu, Settings::default());
                let watts = answer.board_power(&session.kernels[kernel], &session.gpus[gpu]).unwrap().0;
                (answer.predicted_time().unwrap().0, watts)
            };
            let (free, drawn) = on(board);
            let mut last = free;
            for part in [0.98, 0.9, 0.75, 0.6] {
                let (time, watts) = on(&format!("{board}@{}W", (part * drawn).round()));
                assert!(watts <= part * drawn + 1.0, "{id} {size} on {board}: {watts} of {drawn} W");
                assert!(time > last, "{id} {size} on {board} at {part}: {time} s, {last} s at more");
                assert!(part < 0.95 || time < 1.03 * free, "{id} {size} on {board}: {time} s, {free} s free");
                last = time;
            }
            assert!(last < 2.0 * free, "{id} {size} on {board}: {last} s, {free} s free");
        }
    }
}

/// A row that states no limit was taken at the board's own one, whatever is set for the source: that moves the source's time and no target's.
#[test]
fn a_limit_set_for_a_source_is_none_of_the_time_that_was_measured_there() {
    let mut session = Session::load(None).unwrap();
    let limited = "rtx-4070@80W";
    session.add_derived_gpus([limited]).unwrap();
    let [board, limited, other] =
        ["rtx-4070", limited, "h100-sxm5"].map(|id| session.gpus.position(id).unwrap());
    let kernel = session.kernels.id_named("matmul_tiled").unwrap();
    let subject = session.subject(kernel, &"n=512".parse().unwrap(), "").unwrap();
    let answer = |from, to| session.answer(&subject, from, to, Settings::default());
    let time = |from, to| answer(from, to).predicted_time().unwrap();
    assert_eq!(time(limited, other), time(board, other));
    assert_eq!(time(limited, board), time(board, board));
    let at_limit = time(board, limited);
    assert!(at_limit > time(board, board) * 1.3);
    assert!((time(limited, limited) / at_limit - 1.0).abs() < SAME);
    let speedup = answer(limited, other).speedup().unwrap();
    assert!(
        (speedup * time(board, other).0 / at_limit.0 - 1.0).abs() < SAME,
        "over the source at its limit: {speedup}"
    );
    let typed = TypedTunings { power_limit: vec!["rtx-4070=80W".into()], ..TypedTunings::default() };
    let mut set = session.clone();
    typed.lay(&mut set, &[]).unwrap();
    let of_set = set.answer(&subject, board, other, Settings::default());
    assert_eq!((of_set.predicted_time(), of_set.speedup()), (Some(time(board, other)), Some(speedup)));
}

/// What is not known of a board is not known of it under a limit either.
#[test]
fn an_interval_under_a_limit_is_no_narrower_and_ends_no_sooner() {
    let loaded = Session::load(None).unwrap();
    let cases = [
        ("matmul_tiled", "n=700", "rtx-4070", "rtx-4070"),
        ("matmul_tiled", "n=3000", "titan-v", "titan-v"),
        ("matmul_tiled", "n=700", "titan-v", "rtx-4070"),
        ("saxpy", "n=33554432", "rtx-4070", "rtx-4070"),
        ("linear_bf16", "m=4096;n=4096;k=4096", "h100-sxm5", "h200"),
    ];
    for (id, size, from, board) in cases {
        let kernel = loaded.kernels.id_named(id).unwrap();
        let subject = loaded.subject(kernel, &size.parse().unwrap(), "").unwrap();
        let on = |to: &str| {
            let mut session = loaded.clone();
            session.add_derived_gpus([to]).unwrap();
            let [source, target] = [from, to].map(|id| session.gpus.position(id).unwrap());
            let answer = session.answer(&subject, source, target, Settings::default());
            (answer.interval.unwrap(), answer.predicted_time().unwrap())
        };
        let limit = loaded.gpus.entry_named(board).unwrap().power_limit.value.0;
        let (free, _) = on(board);
        for part in [0.99, 0.8, 0.6, 0.5] {
            let to = format!("{board}@{}W", (part * limit).round());
            let (found, time) = on(&to);
            let what = format!("{id} {size} from {from} on {to}: {free:?} {found:?}");
            assert!(found.low <= time && time <= found.high, "{what}");
            assert!(
                found.low.0 >= free.low.0 * (1.0 - 1e-9) && found.high.0 >= free.high.0 * (1.0 - 1e-9),
                "{what}"
            );
            assert!(found.high / found.low >= free.high / free.low * (1.0 - 1e-9), "{what}");
        }
    }
}

/// More of anything leaves a product no lower clock than it is worth.
#[test]
fn under_a_limit_more_of_a_made_gpu_is_not_slower_for_products() {
    let mut session = Session::load(None).unwrap();
    let kernel = session.kernels.id_named("linear_bf16").unwrap();
    let boards = ["rtx-4090@158W", "h100-sxm5@245W", "a100-pcie-40gb@88W", "l40s@122W"];
    session.add_derived_gpus(boards).unwrap();
    let steps = ["sms=+10%", "sms=x2", "tensor=+20%", "tensor=x2", "l2-bw=+20%", "l2-bw=x3", "launch=-20%"];
    for (board, size) in boards.into_iter().flat_map(|board| {
        ["m=64;n=1024;k=1024", "m=512;n=2048;k=2048", "m=1024;n=4096;k=4096"].map(|size| (board, size))
    }) {
        let base = session.gpus.position(board).unwrap();
        let workload =
            Workload::of_kernel(&session, session.subject(kernel, &size.parse().unwrap(), "").unwrap());
        let mut asked = WhatIf::new(&session, &workload, base, base);
        let stock = asked.base_time().unwrap();
        for changes in steps {
            let time = asked.changed_time(&changes.parse().unwrap()).unwrap().time.unwrap();
            assert!(
                time.0 <= stock.0 * (1.0 + 1e-4),
                "{size} on {board}, {changes}: {time}, {stock} without"
            );
        }
    }
}
