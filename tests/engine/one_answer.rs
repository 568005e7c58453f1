//! One question, one answer: clocks and limits of a GPU have one meaning however they are spelled, with measured rows on the target and
//! without, and a change by nothing is the measured time.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

use crate::dice::Dice;
use roofswap::answer::Settings;
use roofswap::gpu::{GpuChanges, GpuId};
use roofswap::measurement::{TimingKind, read_csv};
use roofswap::pair::Pair;
use roofswap::predict::{MODELS, ModelId, Subject, TimeEstimate, model_position};
use roofswap::session::{EditedGpu, Session, Sources, TypedTunings};
use roofswap::units::Seconds;
use roofswap::whatif::{WhatIf, WhatIfTime};
use roofswap::workload::Workload;
use std::fmt::Write as _;

/// Relative.
const SAME: f64 = 1e-9;

/// A GPU with rows, and two without.
const BOARDS: [&str; 4] = ["rtx-2080-ti", "titan-v", "rtx-4070", "h100-pcie"];

/// Times of one's own, in milliseconds.
const ROWS: [&str; 5] = [
    "saxpy,n=1048576,0.0123",
    "saxpy,n=67108864,1.7",
    "vector_add,n=4194304,0.151",
    "matmul_naive,n=1024,2.9",
    "sigmoid,n=2097152,0.05",
];

/// A kernel at one of its sizes, on the way from one GPU to another one at this clock.
struct Asked<'a> {
    loaded: &'a Session,
    subject: &'a Subject,
    source: GpuId,
    board: GpuId,
    mhz: usize,
    settings: Settings,
}

impl Asked<'_> {
    /// The time of every spelling and the ends of its interval, by its name.
    fn times(&self) -> Vec<(&'static str, Option<[Seconds; 3]>)> {
        let Self { loaded, subject, source, board, mhz, settings } = *self;
        let mut session = loaded.clone();
        let id = session.gpus[board].id.clone();
        let mut all = Vec::new();
        let mut ask = |name: &'static str, session: &Session, target: GpuId| {
            let whole = session.answer(subject, source, target, settings).estimate();
            let brief = session.estimates(subject, source, &[target], settings)[0];
            all.extend([whole, brief].map(|found| (name, found.map(time_and_ends))));
        };
        let changes: GpuChanges = format!("sm={mhz}MHz").parse().unwrap();
        let made = session.add_hypothetical(board, &changes).unwrap();
        ask("--set", &session, made);
        let name = format!("{id}@{mhz}MHz");
        session.add_derived_gpus([&*name]).unwrap();
        ask("@", &session, session.gpus.position(&name).unwrap());
        let mut editing = loaded.clone();
        editing.set_edited_gpu(Some(EditedGpu { base: board, changes: changes.clone() })).unwrap();
        ask("edited", &editing, editing.edited_place());
        let workload = Workload::of_kernel(&session, subject.clone());
        let pair = Pair::new(source, board);
        let what_if = WhatIf::with_settings(&session, &workload, pair, settings).changed_time(&changes);
        let typed = TypedTunings { sm_clock: vec![format!("{mhz}")], ..TypedTunings::default() };
        typed.lay(&mut session, &[board]).unwrap();
        ask("--sm-clock", &session, board);
        // The what-if combines the sources that a kernel is usually predicted from.
        let WhatIfTime { time, interval, .. } = what_if.unwrap();
        let found = time.map(|time| with_ends(time, interval));
        if session.usual_sources(subject, source, settings.model).only().is_some() {
            all.push(("whatif", found));
        } else {
            self.is_the_combined_time(&session, made, found);
        }
        all
    }
}

impl Asked<'_> {
    /// Of several sources a what-if has the time of all of them on the changed GPU.
    fn is_the_combined_time(&self, session: &Session, made: GpuId, found: Option<[Seconds; 3]>) {
        let Self { subject, source, settings, .. } = *self;
        let combined = session.answer_asked(subject, &Sources::from_gpu(source), made, settings);
        let combined = combined.and_then(|answer| answer.estimate()).map(time_and_ends);
        let near = |[a, b]: [Seconds; 2]| (a / b - 1.0).abs() < SAME;
        let is_same = match (found, combined) {
            (Some(found), Some(combined)) => (0..3).all(|i| near([found[i], combined[i]])),
            (found, combined) => found == combined,
        };
        assert!(is_same, "{} {}: {found:?} {combined:?}", session.gpus[made].id, subject.problem);
    }
}

/// A time and the ends of its interval; the time itself for a model that gives none.
fn with_ends(time: Seconds, interval: Option<[Seconds; 2]>) -> [Seconds; 3] {
    let [low, high] = interval.unwrap_or([time; 2]);
    [time, low, high]
}

fn time_and_ends(found: TimeEstimate) -> [Seconds; 3] {
    with_ends(found.time, found.interval.map(|interval| [interval.low, interval.high]))
}

/// A random size of a random kernel, timed or not.
fn random_subject(session: &Session, dice: &mut Dice) -> Option<Subject> {
    let kernels: Vec<_> = session.kernels.ids().collect();
    let kernel = kernels[dice.below(kernels.len())];
    let variant = session.default_variant(kernel);
    let sizes = session.sizes(kernel, &variant);
    let size = sizes.get(dice.below(sizes.len())).cloned();
    let size = size.unwrap_or_else(|| session.default_size(kernel, None));
    session.subject(kernel, &size, &variant).ok()
}

/// Asks random questions of these rows; how many had a time, and of those how many were on the very board of the source.
fn ask_at_random(loaded: &Session, models: &[ModelId], questions: usize) -> [usize; 2] {
    let mut dice = Dice::named("one answer");
    let mut found = [0; 2];
    for _ in 0..questions {
        let Some(subject) = random_subject(loaded, &mut dice) else { continue };
        let [source, board] = [(); 2].map(|()| {
            let id = BOARDS[dice.below(BOARDS.len())];
            loaded.gpus.id_named(id).unwrap()
        });
        let stated = loaded.gpus[board].boost_clock.value.0 / 1e6;
        let mhz = (stated * (0.5 + dice.below(900) as f64 / 1000.0)) as usize;
        let settings = Settings { model: models[dice.below(models.len())], ..Settings::default() };
        let asked = Asked { loaded, subject: &subject, source, board, mhz, settings };
        let times = asked.times();
        let kernel = &loaded.kernels[subject.kernel].id;
        let said = || {
            let gpus = [source, board].map(|gpu| loaded.gpus[gpu].id.clone());
            format!(
                "{kernel} {} {gpus:?} at {mhz}, {}: {times:?}",
                subject.problem,
                MODELS[settings.model].id()
            )
        };
        let Some(first) = times[0].1 else {
            assert!(times.iter().all(|(_, time)| time.is_none()), "{}", said());
            continue;
        };
        let near = |[a, b]: [Seconds; 2]| (a / b - 1.0).abs() < SAME;
        let same = |found: &Option<[Seconds; 3]>| {
            found.is_some_and(|found| (0..3).all(|i| near([found[i], first[i]])))
        };
        assert!(times.iter().all(|(_, time)| same(time)), "{}", said());
        found[0] += 1;
        found[1] += usize::from(source == board);
    }
    found
}

fn models(ids: &[&str]) -> Vec<ModelId> {
    ids.iter().map(|id| model_position(id).unwrap()).collect()
}

#[test]
fn every_spelling_of_a_clock_gives_one_time_without_rows_on_the_target() {
    let session = Session::load(None).unwrap();
    let all = models(&["components", "projection", "plain-roofline", "efficiency-transfer"]);
    let [times, on_source] = ask_at_random(&session, &all, 300);
    assert!(times > 150 && on_source > 30, "{times} {on_source}");
}

#[test]
fn every_spelling_of_a_clock_gives_one_time_with_rows_on_the_target() {
    let mut session = Session::load(None).unwrap();
    let mut csv = String::from("gpu,kernel,problem,time_ms\n");
    for gpu in ["rtx-2080-ti", "rtx-4070", "titan-v"] {
        for row in ROWS {
            writeln!(csv, "{gpu},{row}").unwrap();
        }
    }
    session.edit(|w| {
        let (gpus, kernels) = (&w.gpus, &mut w.kernels);
        let read = read_csv(csv.as_bytes(), "mine.csv", TimingKind::Measured, gpus, kernels).unwrap();
        assert_eq!(read.refused_count, 0, "{:?}", read.refused);
        w.store.add_rows(read.rows);
    });
    let [times, on_source] = ask_at_random(&session, &models(&["components", "hybrid"]), 300);
    assert!(times > 150 && on_source > 30, "{times} {on_source}");
}

#[test]
fn a_source_at_settings_is_its_board_timed_at_them() {
    let loaded = Session::load(None).unwrap();
    let settings = Settings::default();
    let other = loaded.gpus.id_named("rtx-2080-ti").unwrap();
    let mut compared = 0;
    for (id, setting) in [("rtx-4070", "150W"), ("rtx-4070", "2000MHz"), ("titan-v", "100W")] {
        let board = loaded.gpus.id_named(id).unwrap();
        let mut session = loaded.clone();
        let name = format!("{id}@{setting}");
        session.add_derived_gpus([&*name]).unwrap();
        let at_settings = session.gpus.position(&name).unwrap();
        let mut typed = loaded.clone();
        let said = vec![format!("{id}={setting}")];
        let typed_tunings = if setting.ends_with('W') {
            TypedTunings { power_limit: said, ..TypedTunings::default() }
        } else {
            TypedTunings { sm_clock: said, ..TypedTunings::default() }
        };
        typed_tunings.lay(&mut typed, &[]).unwrap();
        for kernel in loaded.kernels.ids() {
            let variant = loaded.default_variant(kernel);
            let size = loaded.default_size(kernel, Some(board));
            let Ok(subject) = loaded.subject(kernel, &size, &variant) else { continue };
            let of = |session: &Session, source| {
                session.answer(&subject, source, other, settings).estimate().map(time_and_ends)
            };
            let kernel = &loaded.kernels[kernel].id;
            assert_eq!(of(&session, at_settings), of(&typed, board), "{kernel} from {name}");
            let brief = session.estimates(&subject, at_settings, &[other], settings)[0];
            assert_eq!(brief.map(time_and_ends), of(&session, at_settings), "{kernel} from {name}");
            let Some(row) = subject.config.and_then(|config| loaded.store.row_on(config, board)) else {
                continue;
            };
            let itself = session.answer(&subject, at_settings, at_settings, settings);
            let Some(time) = itself.predicted_time() else { panic!("{kernel} from {name} to itself") };
            if setting.ends_with('W') {
                // The row states no limit: it was taken at the board's own.
                let limited =
                    session.answer(&subject, board, at_settings, settings).predicted_time().unwrap();
                assert!((time / limited - 1.0).abs() < 1e-3, "{kernel} on {name}: {time}, {limited}");
                assert!(time >= row.time, "{kernel} on {name}: {time}, {} at its own limit", row.time);
            } else {
                assert_eq!(time, row.time, "{kernel} from {name} to itself");
            }
            assert_eq!(
                session.usual_sources(&subject, at_settings, settings.model).only(),
                Some(at_settings)
            );
            compared += 1;
        }
    }
    assert!(compared > 30, "{compared}");
}

#[test]
fn the_nearer_a_change_the_nearer_the_measured_time() {
    let session = Session::load(None).unwrap();
    let settings = Settings { model: session.default_model(), ..Settings::default() };
    let board = session.gpus.id_named("titan-v").unwrap();
    let mut compared = 0;
    for kernel in session.kernels.ids() {
        let size = session.default_size(kernel, None);
        let Ok(subject) = session.subject(kernel, &size, &session.default_variant(kernel)) else { continue };
        let Some(measured) = session.answer(&subject, board, board, settings).predicted_time() else {
            continue;
        };
        let workload = Workload::of_kernel(&session, subject);
        let mut asked = WhatIf::with_settings(&session, &workload, Pair::same(board), settings);
        for (changes, off) in [("sm=+0%", 0.0), ("sms=+0%", 0.003), ("mem=+0.01%", 0.003)] {
            let time = asked.time(&changes.parse().unwrap()).unwrap().unwrap();
            let said = format!("{} {changes}: {time} and {measured}", workload.name);
            assert!((time / measured - 1.0).abs() <= off, "{said}");
        }
        compared += 1;
    }
    assert!(compared > 20, "{compared}");
}

/// A GPU at its own settings, and the models that start from a time there.
fn starting_models() -> Vec<ModelId> {
    MODELS.ids().filter(|model| MODELS[*model].needs_source()).collect()
}

#[test]
fn what_was_measured_is_the_answer_on_its_own_gpu_in_every_model_that_starts_from_a_time() {
    let session = Session::load(None).unwrap();
    let mut compared = 0;
    for (config, row) in session
        .store
        .configs()
        .map(|(id, _)| id)
        .flat_map(|id| session.store.rows_of(id).map(move |row| (id, row)).collect::<Vec<_>>())
    {
        let Ok(subject) = session.timed_subject(config) else { continue };
        for model in starting_models() {
            let settings = Settings { model, ..Settings::default() };
            let answer = session.answer(&subject, row.gpu, row.gpu, settings);
            let Ok(prediction) = &answer.prediction else { continue };
            let said = format!("{} on {}, {}", row.source(), session.gpus[row.gpu].id, MODELS[model].id());
            assert_eq!(prediction.time, row.time, "{said}");
            let (interval, half) =
                (answer.interval.unwrap(), 1.645 * row.time_std().map_or(0.0, |std| std.0));
            let ends = [row.time.0 - half, row.time.0 + half];
            for (end, expected) in [interval.low.0, interval.high.0].into_iter().zip(ends) {
                assert!((end / expected - 1.0).abs() < SAME, "{said}: {end}, {expected}");
            }
            compared += 1;
        }
    }
    assert!(compared > 100, "{compared}");
}

/// Rows of one kernel of one's own, on one GPU at two clocks each.
const AT_CLOCKS: &str = "gpu,kernel,problem,flops,dram_bytes,time_ms,sm_clock_mhz,mem_clock_mhz\n\
    gtx-980,mine,n=1,2e6,1.2e8,0.98313,1300,3600\n\
    gtx-980,mine,n=1,2e6,1.2e8,0.89943,1500,3900\n\
    rtx-a4500,mine,n=1,2e6,1.2e8,0.31872,941.9295485513483,7537.349397590361\n";

#[test]
fn clocks_that_a_row_was_timed_at_are_answered_by_that_row() {
    let mut session = Session::load(None).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("clocks.csv");
    std::fs::write(&file, AT_CLOCKS).unwrap();
    session.add_data(&file).unwrap();
    let kernel = session.kernels.id_named("mine").unwrap();
    let subject = session.subject(kernel, &"n=1".parse().unwrap(), "").unwrap();
    // As the program prints them: whole megahertz.
    for (gpu, sm, mem, millis) in [
        ("gtx-980", "1300", "3600", 0.98313),
        ("gtx-980", "1500", "3900", 0.89943),
        ("rtx-a4500", "942", "7537", 0.31872),
    ] {
        let board = session.gpus.id_named(gpu).unwrap();
        let mut session = session.clone();
        let typed = TypedTunings {
            sm_clock: vec![sm.into()],
            mem_clock: vec![mem.into()],
            ..TypedTunings::default()
        };
        typed.lay(&mut session, &[board]).unwrap();
        for model in starting_models() {
            let answer = session.answer(&subject, board, board, Settings { model, ..Settings::default() });
            let Some(time) = answer.predicted_time() else { continue };
            assert!(
                (time.millis() / millis - 1.0).abs() < 1e-12,
                "{gpu} {sm}: {time}, {}",
                MODELS[model].id()
            );
            assert_eq!(answer.interval.map(|i| i.factor), Some(1.0), "{gpu} {sm}, {}", MODELS[model].id());
        }
    }
}

#[test]
fn a_limit_above_what_a_kernel_draws_changes_no_time() {
    let session = Session::load(None).unwrap();
    let board = session.gpus.id_named("rtx-4070").unwrap();
    let kernel = session.kernels.id_named("random_access").unwrap();
    let size = session.default_size(kernel, Some(board));
    let subject = session.subject(kernel, &size, "").unwrap();
    let settings = Settings::default();
    let plain = session.answer(&subject, board, board, settings);
    for limit in ["250W", "190W"] {
        let mut session = session.clone();
        let typed = TypedTunings { power_limit: vec![limit.into()], ..TypedTunings::default() };
        typed.lay(&mut session, &[board]).unwrap();
        let answer = session.answer(&subject, board, board, settings);
        assert_eq!(answer.predicted_time(), plain.predicted_time(), "{limit}");
        assert_eq!(answer.interval, plain.interval, "{limit}");
        let said = answer
            .prediction
            .unwrap()
            .cautions
            .iter()
            .any(|c| c.to_string().contains("does not change the time"));
        assert!(said, "{limit}");
    }
}

/// On the board of the measurement a change of rates moves a time by no more than their ratios, and it is a prediction all the same.
#[test]
fn an_interval_on_the_board_of_the_measurement_is_no_wider_than_what_was_changed() {
    let session = Session::load(None).unwrap();
    let settings = Settings { model: model_position("components").unwrap(), ..Settings::default() };
    let board = session.gpus.id_named("titan-v").unwrap();
    let mut compared = 0;
    for kernel in session.kernels.ids() {
        let size = session.default_size(kernel, Some(board));
        let Ok(subject) = session.subject(kernel, &size, &session.default_variant(kernel)) else { continue };
        let Some(row) = subject.config.and_then(|config| session.store.row_on(config, board)) else {
            continue;
        };
        let workload = Workload::of_kernel(&session, subject);
        let mut asked = WhatIf::with_settings(&session, &workload, Pair::same(board), settings);
        for (changes, [least, most]) in [("mem=+25%", [0.8, 1.0]), ("sm=-20%", [1.0, 1.25])] {
            let found = asked.changed_time(&changes.parse().unwrap()).unwrap();
            let [low, high] = found.interval.unwrap();
            let time = found.time.unwrap();
            let said = format!("{} {changes}: {time}, {low} to {high}, measured {}", workload.name, row.time);
            assert!(low <= time && time <= high && low < high, "{said}");
            // More of one number and less of none is never slower, and the other way round.
            let is_more = changes.contains('+');
            assert!(if is_more { high <= row.time * 1.0001 } else { low >= row.time * 0.9999 }, "{said}");
            // A power limit may take more clock than was asked for.
            assert!(low >= row.time * (least / 1.1 * 0.999), "{said}");
            assert!(high <= row.time * (most * 1.1 * 1.001) || time > row.time * most, "{said}");
        }
        compared += 1;
    }
    assert!(compared > 10, "{compared}");
}

/// The time of a typed kernel on a target, from its row on a source: 256 threads a block, FLOPs and DRAM bytes.
fn typed_time(row: &str, source: &str, target: &str) -> Seconds {
    let mut session = Session::load(None).unwrap();
    let csv = format!(
        "gpu,kernel,problem,block,grid,regs_per_thread,flops,dram_bytes,dtype,pipe,time_ms\n{source},own,n=1,256,{row}\n"
    );
    session.edit(|w| {
        let read =
            read_csv(csv.as_bytes(), "own.csv", TimingKind::Measured, &w.gpus, &mut w.kernels).unwrap();
        assert_eq!(read.refused_count, 0, "{:?}", read.refused);
        w.store.add_rows(read.rows);
    });
    let [source, target] = [source, target].map(|id| session.gpus.id_named(id).unwrap());
    let config = session.own_config_ids().next().unwrap();
    let subject = session.timed_subject(config).unwrap();
    let settings = Settings { model: model_position("components").unwrap(), ..Settings::default() };
    session.answer(&subject, source, target, settings).predicted_time().unwrap()
}

/// Of the same architecture, and with less of everything: whatever efficiency is usual elsewhere, it is not faster.
#[test]
fn a_lesser_gpu_of_the_same_architecture_is_not_faster() {
    for [more, less] in
        [["h200", "h200-nvl"], ["rtx-3090-ti", "rtx-3090"], ["v100s-pcie-32gb", "v100-pcie-32gb"]]
    {
        for millis in [0.5, 1.0, 2.0, 5.0, 20.0] {
            let time = typed_time(&format!("10000,40,1e9,3e8,fp32,,{millis}"), more, less).millis();
            assert!(time >= millis * (1.0 - SAME), "{more} {millis} ms, {less} {time} ms");
        }
    }
}

/// 6 TFLOP of BF16 in 10 ms on an H100: an RTX 4090 has a sixth of its rate.
#[test]
fn flops_of_tensor_cores_are_no_vector_instructions() {
    let time = typed_time("132,168,6e12,2e8,bf16,tensor bf16,10", "h100-sxm5", "rtx-4090").millis();
    assert!(time > 6e12 / 165.2e12 * 1e3, "{time} ms");
}
