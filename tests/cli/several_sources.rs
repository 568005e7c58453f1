//! Several sources at once, and rows measured on the target: what must hold, how it is typed, and that an evaluation with
//! either feels nothing of what it holds out.

#![allow(clippy::unwrap_used, clippy::print_stdout)] // builders of tests are tests

use crate::desk;
use crate::skipping::skip_aloud;
use roofswap::gpu::GpuId;

use desk::Desk;
use roofswap::answer::{Answer, AnswerTrial, ResidualFold, Settings, log_mean};
use roofswap::evaluate::{
    Asking, EvaluationSetup, EvaluationWorld, ModelOutcome, Progress, evaluate_with, score,
};
use roofswap::measurement::{Measurement, Store, TimingKind, read_csv};
use roofswap::predict::{Caution, MODELS, ModelId, Subject, model_position};
use roofswap::session::{Session, Sources};
use roofswap::units::Seconds;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;
use std::sync::LazyLock;

static SHIPPED: LazyLock<Session> = LazyLock::new(|| Session::load(None).unwrap());

const GPUS: [&str; 4] = ["titan-v", "rtx-4070", "rtx-2080-ti", "gtx-titan-x"];

fn place(gpu: &str) -> GpuId {
    SHIPPED.gpus.position(gpu).unwrap()
}

fn subject(session: &Session, kernel: &str, size: &str) -> Subject {
    session.subject(session.kernels.position(kernel).unwrap(), &size.parse().unwrap(), "").unwrap()
}

fn time(answer: &Answer) -> f64 {
    answer.prediction.as_ref().unwrap().time.0
}

/// The shipped world with rows of the user's.
fn with(rows: &str) -> (tempfile::TempDir, Session) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("own.csv");
    std::fs::write(&file, rows).unwrap();
    let mut session = SHIPPED.clone();
    let loaded = session.add_data(&file).unwrap();
    assert!(loaded.refused.is_empty(), "{:?}", loaded.refused);
    (folder, session)
}

// ---------------------------------------------------------------------------------------------------------------------
// Several sources

#[test]
fn a_combined_time_lies_between_its_sources_whatever_their_order() {
    let s = &*SHIPPED;
    let all: Vec<GpuId> = GPUS.iter().map(|g| place(g)).collect();
    let mut asked = 0;
    for kernel in s.kernels.ids() {
        let Ok(subject) = s.subject(kernel, &s.default_size(kernel, None), &s.default_variant(kernel)) else {
            continue;
        };
        for target in [place("rtx-3090"), place("rtx-4070")] {
            let from = |places: Vec<GpuId>| {
                s.answer_from(&subject, &Sources::These(places), target, Settings::default())
            };
            let forth = from(all.clone()).unwrap();
            let Some(combined) = &forth.combined else { continue };
            let times: Vec<f64> = combined.shares.iter().map(|s| time(&s.answer)).collect();
            let (low, high) =
                (times.iter().copied().fold(f64::MAX, f64::min), times.iter().copied().fold(0.0, f64::max));
            assert!(low <= time(&forth) && time(&forth) <= high, "{low} {} {high}", time(&forth));
            let weights: f64 = combined.shares.iter().map(|s| s.weight).sum();
            assert!(
                (weights - 1.0).abs() < 1e-12 && combined.shares.iter().all(|s| s.answer.source != target)
            );
            let back = from(all.iter().rev().copied().collect()).unwrap();
            assert_eq!((time(&back), back.source), (time(&forth), forth.source));
            asked += 1;
        }
    }
    assert!(asked > 20, "only {asked}");
}

#[test]
fn one_source_is_the_plain_answer() {
    let s = &*SHIPPED;
    let (source, target) = (place("titan-v"), place("rtx-4070"));
    let saxpy = subject(s, "saxpy", "n=2^20");
    let plain = s.answer(&saxpy, source, target, Settings::default());
    for sources in
        [Sources::These(vec![source]), Sources::These(vec![source, target]), Sources::These(vec![source; 2])]
    {
        let one = s.answer_from(&saxpy, &sources, target, Settings::default()).unwrap();
        assert_eq!((time(&one), one.interval, one.combined.is_none()), (time(&plain), plain.interval, true));
    }
    let all = s.answer_from(&saxpy, &Sources::All, target, Settings::default()).unwrap();
    let timed = s.timed_on(&saxpy, target);
    assert_eq!(all.combined.unwrap().shares.len(), timed.len());
    assert!(timed.len() == 3 && !timed.contains(&target));
}

#[test]
fn the_interval_holds_what_its_sources_say_on_the_average_and_is_no_narrower_than_they_are_apart() {
    let (_folder, s) =
        with("gpu,kernel,problem,time_ms\ntitan-v,saxpy,n=4194304,0.08\nrtx-2080-ti,saxpy,n=4194304,2.0\n");
    let saxpy = subject(&s, "saxpy", "n=4194304");
    let answer = s.answer_from(&saxpy, &Sources::All, place("rtx-3090"), Settings::default()).unwrap();
    let combined = answer.combined.as_ref().unwrap();
    let interval = answer.interval.unwrap();
    assert!(interval.factor.ln() >= combined.spread && combined.spread > 1.0, "{interval:?}");
    let disagree = answer.prediction.as_ref().unwrap().cautions.iter().find_map(|c| match c {
        Caution::SourcesDisagree { .. } => Some(c.to_string()),
        _ => None,
    });
    let said = disagree.unwrap();
    assert!(said.contains("titan-v") && said.contains("rtx-2080-ti") && said.contains("disagree"), "{said}");
}

#[test]
fn a_source_on_its_floor_and_a_scaled_one_weigh_less() {
    let (_folder, s) =
        with("gpu,kernel,problem,time_ms\ntitan-v,saxpy,n=4194304,0.08\nrtx-2080-ti,saxpy,n=16777216,0.4\n");
    let saxpy = subject(&s, "saxpy", "n=4194304");
    let ask = |gpu: &str| s.answer(&saxpy, place(gpu), place("rtx-3090"), Settings::default()).weight;
    assert!(ask("titan-v") > 1.9 * ask("rtx-2080-ti") && ask("rtx-2080-ti") > 0.0);
    assert_eq!(ask("h100-pcie"), 0.0, "it was not measured there");
    // The same time from a relative says more.
    let onto = |target: &str| s.answer(&saxpy, place("titan-v"), place(target), Settings::default()).weight;
    assert_eq!(onto("v100-pcie-32gb"), 4.0 * onto("rtx-3090"));
}

#[test]
fn nothing_is_joined_from_nothing_and_zero_weights_count_alike() {
    assert_eq!(log_mean(&[]), None);
    let (mean, _) = log_mean(&[(1.0, 0.0), (4.0, 0.0)]).unwrap();
    assert!((mean - 2.0).abs() < 1e-12);
}

// ---------------------------------------------------------------------------------------------------------------------
// As it is typed

const SAXPY: &str = "predict --to rtx-4070 --kernel saxpy --size n=1048576";

#[test]
fn every_source_stands_above_what_they_say_together() {
    let rows = Desk::new().types(&format!("{SAXPY} --from titan-v,rtx-2080-ti --format json")).works().json();
    let sources: Vec<&Value> = rows.iter().map(|r| &r["gpu_source"]).collect();
    assert_eq!(sources, ["rtx-2080-ti", "titan-v", "rtx-2080-ti+titan-v"]);
    let number = |i: usize, column: &str| rows[i][column].as_f64().unwrap();
    let (a, b) = (number(0, "weight"), number(1, "weight"));
    assert!((a + b - 1.0).abs() < 1e-12, "{a} {b}");
    let mean = (a * number(0, "time_ms").ln() + b * number(1, "time_ms").ln()).exp();
    assert!((number(2, "time_ms") / mean - 1.0).abs() < 1e-12);
    assert!(number(2, "spread") > 0.0 && rows[2]["weight"].is_null() && rows[2]["speedup"].is_null());
    let plain = Desk::new().types(&format!("{SAXPY} --from titan-v --format json")).works().json();
    assert_eq!(plain[0]["time_ms"], rows[1]["time_ms"]);
    assert!(plain[0].get("weight").is_none(), "one source has the columns it always had");
    let text = Desk::new().types(&format!("{SAXPY} --from all --explain")).works().stdout;
    for said in ["several sources → rtx-4070", "3 sources", "geometric mean of 3 sources", "all sources"] {
        assert!(text.contains(said), "{said}: {text}");
    }
}

#[test]
fn slips_with_sources_are_answered() {
    let desk = Desk::new();
    desk.types(&format!("{SAXPY} --from titan-v,rtx-2080-ti,all")).ends(2, &["`all` stands alone or beside"]);
    for command in ["rank --to rtx-4070", "whatif --gpu rtx-4070"] {
        let words = format!("{command} --kernel saxpy --size n=1048576 --from all");
        desk.types(&words).ends(2, &["compared with those of one GPU", "--from titan-v,all"]);
    }
    desk.types(&format!("{SAXPY} --from titan-v,nothing")).ends(2, &["unknown GPU `nothing`"]);
    desk.types("predict --from all --to rtx-4070 --kernel gemm_tiled")
        .ends(2, &["no GPU has a measurement", "gemm_tiled", "--data"]);
    desk.types(&format!("{SAXPY} --from titan-v,rtx-4070")).ends(0, &["rtx-4070 is also a target"]);
    desk.types("export roofline --from titan-v,rtx-2080-ti --to rtx-4070 --kernel saxpy -o x.svg")
        .ends(2, &["one GPU to --from"]);
    // A source without a measurement has no part beside one with, and says so.
    let rows = desk.types(&format!("{SAXPY} --from titan-v,rtx-3090 --format json")).works().json();
    assert_eq!((&rows[1]["gpu_source"], &rows[1]["weight"]), (&"rtx-3090".into(), &0.into()));
    let [alone, joined] = [0, 2].map(|at: usize| rows[at]["time_ms"].as_f64().unwrap());
    assert!((joined / alone - 1.0).abs() < 1e-12, "{joined} {alone}");
    let said = rows[1]["cautions"].to_string();
    assert!(said.contains("no measurement on the source GPU"), "{said}");
    let text = desk.types(&format!("{SAXPY} --from titan-v,rtx-3090 --explain")).works().stdout;
    assert!(text.contains("the only source that has a time") && !text.contains("mean of 1 source"), "{text}");
    // It cannot start on the target, whatever the source.
    let words = "predict --from titan-v,rtx-2080-ti --to rtx-4070 --kernel gemm_tiled --size n=1024,tile=64 --format json";
    let rows = desk.types(words).ends(1, &["nothing could be predicted"]).json();
    assert!(rows.len() == 1 && rows[0]["time_ms"].is_null(), "{rows:?}");
}

/// The same sources in every command: one time, one interval, one speedup.
#[test]
fn rank_and_whatif_take_the_sources_of_predict_and_print_its_numbers() {
    let desk = Desk::new();
    for (from, to, kernel) in [
        ("titan-v,all", "h100-sxm5", "saxpy --size n=1048576"),
        ("titan-v,rtx-2080-ti", "h100-sxm5", "saxpy --size n=1048576"),
        ("a100-pcie-40gb", "h100-sxm5", "saxpy --size n=1048576"),
        ("titan-v,all", "l4", "matmul_tiled --size n=512"),
        ("a100-pcie-40gb,all", "a100-pcie-40gb", "saxpy --size n=1048576"),
    ] {
        let asked = format!("--kernel {kernel} --from {from} --format json");
        let json = |words: String| desk.types(&words).works().json().pop().unwrap();
        let predicted = json(format!("predict --to {to} {asked}"));
        let ranked = json(format!("rank --to {to} {asked}"));
        let of_several = from == "titan-v,rtx-2080-ti";
        for column in ["time_ms", "low_ms", "high_ms", "speedup"] {
            if column != "speedup" || !of_several {
                assert_eq!(ranked[column], predicted[column], "{asked} {column}");
            }
        }
        let whatif = |set: &str| {
            let said = desk.types(&format!("whatif --gpu {to} {asked} {set}")).works().stdout;
            serde_json::from_str::<Value>(&said).unwrap()
        };
        let is_near = |found: &Value, predicted: &Value, set: &str| {
            for column in ["time_ms", "low_ms", "high_ms"] {
                let [a, b] = [found, predicted].map(|row| row[column].as_f64().unwrap());
                assert!((a / b - 1.0).abs() < 1e-12, "{asked} {set} {column}: {a} {b}");
            }
        };
        for unchanged in [whatif(""), whatif("--set mem=+0%")] {
            assert_eq!(unchanged["base_time_ms"], predicted["time_ms"], "{asked}");
            assert_eq!(unchanged["time_ms"], unchanged["base_time_ms"], "{asked}");
            is_near(&unchanged, &predicted, "");
        }
        for set in ["sm=-30%", "l2=x2,sms=-20%", "power=-40%"] {
            let set = format!("--set {set}");
            is_near(&whatif(&set), &json(format!("predict --to {to} {asked} {set}")), &set);
        }
    }
}

/// A GPU is as fast as itself, in every command.
#[test]
fn a_source_without_a_measurement_has_one_time() {
    let desk = Desk::new();
    let asked =
        "--kernel saxpy --size n=1048576 --from a100-pcie-40gb --to h100-sxm5,a100-pcie-40gb --format json";
    let rows = desk.types(&format!("predict {asked}")).works().json();
    assert_eq!(rows[0]["source_time_ms"], rows[1]["time_ms"]);
    assert_eq!((&rows[0]["source_kind"], &rows[1]["speedup"]), (&"estimated".into(), &1.into()));
    let board = desk.types(&format!("rank {asked}")).works().json();
    assert_eq!((&board[0]["speedup"], &board[1]["speedup"]), (&rows[0]["speedup"], &1.into()));
    let s = &*SHIPPED;
    let saxpy = subject(s, "saxpy", "n=1048576");
    let source = Sources::AllBeside(place("a100-pcie-40gb"));
    let answer = s.answer_from(&saxpy, &source, place("h100-sxm5"), Settings::default()).unwrap();
    let shown = answer.source_time.unwrap().time.millis();
    assert!((shown / rows[0]["source_time_ms"].as_f64().unwrap() - 1.0).abs() < 1e-12, "{shown}");
}

#[test]
fn a_source_that_refuses_is_left_out_and_named() {
    let desk = Desk::new();
    let own = desk.file("own.csv", "gpu,kernel,problem,time_ms\ntitan-v,saxpy,n=1048576,0.025\n");
    let words = format!("{SAXPY} --from titan-v,rtx-3090 --model same-time --format json --data");
    let rows = desk.types_with(&words, &[&own]).works().json();
    // same-time takes an estimate too; gemm-like blocks of 4,096 threads have none.
    assert!(rows.iter().all(|r| r["time_ms"].is_number()), "{rows:?}");
    let mut session = SHIPPED.clone();
    let text = "gpu,kernel,problem,block,grid,regs_per_thread,flops,dram_bytes,time_ms\n\
        titan-v,big,n=1,256,1000,32,1e9,1e8,0.5\ngtx-titan-x,big,n=1,2048,1000,32,1e9,1e8,0.5\n";
    let read = session
        .edit(|w| read_csv(text.as_bytes(), "own", TimingKind::Measured, &w.gpus, &mut w.kernels))
        .unwrap();
    session.edit(|w| w.store.add_rows(read.rows));
    let big = subject(&session, "big", "n=1");
    let settings = Settings { model: model_position("efficiency-transfer").unwrap(), ..Settings::default() };
    let both = Sources::These(vec![place("titan-v"), place("gtx-titan-x")]);
    let answer = session.answer_from(&big, &both, place("rtx-4070"), settings).unwrap();
    let said: Vec<String> = answer.prediction.unwrap().cautions.iter().map(ToString::to_string).collect();
    assert!(
        said.iter().any(|c| c.contains("source gtx-titan-x left out") && c.contains("cannot launch")),
        "{said:?}"
    );
}

// ---------------------------------------------------------------------------------------------------------------------
// Rows measured on the target

/// Ten sizes of saxpy on both GPUs; the target takes `slower` times as long as its roof says, more or less.
fn own_rows(slower: f64) -> String {
    let mut text = String::from("gpu,kernel,problem,time_ms\n");
    for i in 1..=10 {
        let n = 8_388_608 * i;
        let bytes = 12.0 * n as f64;
        writeln!(text, "titan-v,saxpy,n={n},{}", bytes / 600e9 * 1e3).unwrap();
        writeln!(text, "rtx-3090,saxpy,n={n},{}", slower * bytes / 850e9 * 1e3).unwrap();
    }
    text
}

#[test]
fn rows_measured_on_the_target_correct_the_rest_there_and_never_themselves() {
    let (_folder, s) = with(&own_rows(2.0));
    let ask = |s: &Session, size: &str| {
        let saxpy = subject(s, "saxpy", size);
        s.answer(&saxpy, place("titan-v"), place("rtx-3090"), Settings::default())
    };
    let answer = ask(&s, "n=12582912");
    let correction = answer.correction.unwrap();
    assert!(correction.rows == 10 && correction.factor > 1.5 && correction.factor < 2.2, "{correction:?}");
    let prediction = answer.prediction.unwrap();
    let said = format!("rows measured on the target: × {:.3} (from 10 rows)", correction.factor);
    assert!(prediction.cautions.iter().any(|c| c.to_string() == said), "{:?}", prediction.cautions);
    let interval = answer.interval.unwrap();
    assert!((interval.high.0 / prediction.time.0 / interval.factor - 1.0).abs() < 1e-12);
    // Whatever is written into the asked row, its prediction stays.
    let own = ask(&s, "n=8388608");
    assert_eq!(own.correction.unwrap().rows, 9);
    let poisoned = own_rows(2.0).replacen(
        &format!("rtx-3090,saxpy,n=8388608,{}", 2.0 * 12.0 * 8_388_608.0 / 850e9 * 1e3),
        "rtx-3090,saxpy,n=8388608,99",
        1,
    );
    assert!(poisoned.contains(",99\n"));
    let (_other, poisoned) = with(&poisoned);
    let (before, after) = (time(&own), time(&ask(&poisoned, "n=8388608")));
    assert!((after / before - 1.0).abs() < 1e-12, "{before} {after}");
    assert_ne!(
        ask(&poisoned, "n=12582912").correction.unwrap().factor,
        correction.factor,
        "the others feel it"
    );
}

#[test]
fn published_rows_and_other_models_correct_nothing_and_new_rows_are_felt_at_once() {
    let saxpy = |s: &Session| subject(s, "saxpy", "n=2^20");
    let ask = |s: &Session, model: ModelId| {
        s.answer(&saxpy(s), place("titan-v"), place("rtx-4070"), Settings { model, ..Settings::default() })
    };
    assert!(ask(&SHIPPED, ModelId::default()).correction.is_none());
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("own.csv");
    std::fs::write(&file, own_rows(2.0).replace("rtx-3090", "rtx-4070")).unwrap();
    let mut s = SHIPPED.clone();
    assert!(ask(&s, ModelId::default()).correction.is_none());
    s.add_data(&file).unwrap();
    assert!(ask(&s, ModelId::default()).correction.is_some());
    for (model, of) in MODELS.ids().zip(MODELS.iter()) {
        let ours = of.id().starts_with("components") || of.id() == "hybrid";
        assert_eq!(ask(&s, model).correction.is_some(), ours, "{}", of.id());
    }
}

#[test]
fn a_correction_is_told_where_predictions_are() {
    let desk = Desk::new();
    let own = desk.file("own.csv", own_rows(2.0));
    let words = "predict --from titan-v --to rtx-3090 --kernel saxpy --size n=12582912 --explain --data";
    let text = desk.types_with(words, &[&own]).works().stdout;
    assert!(text.contains("rows measured on the target: × ") && text.contains("(from 10 rows)"), "{text}");
    let step = text.lines().find(|l| l.starts_with("rows on the target")).unwrap_or_default();
    assert!(step.contains("10 measured rows of other runs there"), "{text}");
}

/// The number of the last JSON row of this part in this column.
fn last_number(rows: &[serde_json::Value], part: Option<&str>, column: &str) -> f64 {
    let mut rows = rows.iter().filter(|row| part.is_none_or(|part| row["part"] == part));
    rows.next_back().unwrap()[column].as_f64().unwrap()
}

#[test]
fn the_last_step_of_the_json_is_the_prediction_with_rows_on_the_target_at_typed_clocks_and_from_all() {
    let desk = Desk::new();
    let own = desk.file("own.csv", own_rows(2.0));
    for from in ["titan-v", "all", "titan-v,rtx-2080-ti"] {
        for more in ["", "--mem-clock 5000MHz", "--model same-time", "--model plain-roofline"] {
            let words = format!(
                "predict --from {from} --to rtx-3090 --kernel saxpy --size n=12582912 {more} --format json"
            );
            let plain = desk.types_with(&format!("{words} --data"), &[&own]).works();
            let told = last_number(&plain.json(), None, "time_ms") / 1e3;
            let apart = desk.types_with(&format!("{words} --explain --data"), &[&own]).works().json();
            let (last, steps) = (last_number(&apart, Some("step"), "time_s"), apart.iter());
            assert!(
                (last / told - 1.0).abs() < 1e-9,
                "{from} {more}: {last} after the last step, {told} told"
            );
            let steps: Vec<_> = steps.filter(|row| row["part"] == "step").collect();
            let first = steps[0]["time_s"].as_f64().unwrap();
            let product: f64 = steps[1..].iter().map(|s| s["times"].as_f64().unwrap()).product();
            assert!((first * product / told - 1.0).abs() < 1e-9, "{from} {more}: {first} x {product}");
        }
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Evaluations

/// Sixteen sizes of two kernels on four GPUs, times that no formula gives.
fn many() -> (Session, Vec<Measurement>) {
    let mut text = String::from("gpu,kernel,problem,time_ms\n");
    for (k, kernel) in ["saxpy", "dot_product"].into_iter().enumerate() {
        for size in 0..16usize {
            for (g, gpu) in GPUS.into_iter().enumerate() {
                let n = 1_048_576 * (size + 1);
                let time = 1e-7 * n as f64 * (1.0 + ((7 * size + 5 * g + 3 * k) % 11) as f64 / 5.0);
                writeln!(text, "{gpu},{kernel},n={n},{time}").unwrap();
            }
        }
    }
    let mut session = SHIPPED.clone();
    let read = session
        .edit(|w| read_csv(text.as_bytes(), "rows", TimingKind::Measured, &w.gpus, &mut w.kernels))
        .unwrap();
    (session, read.rows)
}

fn run(session: &Session, rows: &[Measurement], asking: Asking, leak: bool) -> ModelOutcome {
    let mut store = Store::default();
    store.add_rows(rows.to_vec());
    let world = EvaluationWorld { gpus: &session.gpus, kernels: &session.kernels, store: &store };
    let setup = EvaluationSetup { asking, ..EvaluationSetup::default() };
    let fold = |t: &AnswerTrial| if leak { ResidualFold::Nothing } else { setup.protocol.fold(t) };
    let outcomes =
        evaluate_with(world, &setup, &[MODELS[ModelId::default()]], &fold, &Progress::default()).unwrap();
    outcomes.into_iter().next().unwrap()
}

/// Rows of the target that are scored, and what is said of them.
fn said(outcome: &ModelOutcome, target: GpuId) -> Vec<(usize, f64, f64)> {
    outcome
        .trials
        .iter()
        .filter(|t| t.target == target)
        .map(|t| (t.config_index(), t.predicted, t.interval))
        .collect()
}

/// These rows with every time changed that is on the target and in (or out of) these configurations.
fn poisoned(
    rows: &[Measurement],
    target: GpuId,
    configs: &BTreeSet<usize>,
    inside: bool,
) -> Vec<Measurement> {
    let change = |(i, row): (usize, &Measurement)| {
        let mut row = row.clone();
        // Rows stand four to a configuration, in the order of the store.
        if row.gpu == target && configs.contains(&(i / GPUS.len())) == inside {
            row.time = Seconds(row.time.0 * (3.0 + (i % 7) as f64));
        }
        row
    };
    rows.iter().enumerate().map(change).collect()
}

#[test]
fn an_evaluation_feels_known_rows_and_nothing_else_of_the_target() {
    let (session, rows) = many();
    let target = place("rtx-4070");
    for all_sources in [false, true] {
        for known_rows in [0, 3] {
            let asking = Asking { all_sources, known_rows };
            let before = run(&session, &rows, asking, false);
            let scored: BTreeSet<usize> = said(&before, target).iter().map(|s| s.0).collect();
            assert_eq!(scored.len(), 32 - known_rows, "{asking:?}");
            let held_out = poisoned(&rows, target, &scored, true);
            let after = run(&session, &held_out, asking, false);
            assert_eq!(said(&before, target), said(&after, target), "{asking:?}");
            assert!(said(&before, target).iter().all(|s| s.2 > 1.0), "every trial has an interval");
            let known = run(&session, &poisoned(&rows, target, &scored, false), asking, false);
            assert_eq!(said(&before, target) != said(&known, target), known_rows > 0, "{asking:?}");
            // A planted leak, intervals that know the held-out rows, is seen.
            let [a, b] = [&rows, &held_out].map(|r| said(&run(&session, r, asking, true), target));
            assert_ne!(a, b, "{asking:?}");
        }
    }
}

#[test]
fn all_sources_make_one_trial_per_row_between_those_of_the_pairs() {
    let (session, rows) = many();
    let pairs = run(&session, &rows, Asking::default(), false);
    let all = run(&session, &rows, Asking { all_sources: true, known_rows: 0 }, false);
    assert_eq!((pairs.trials.len(), all.trials.len(), all.asked()), (32 * 12, 32 * 4, 32 * 4));
    for t in all.trials.iter() {
        let of = pairs.trials.iter().filter(|p| (p.config_index(), p.target) == (t.config_index(), t.target));
        let times: Vec<f64> = of.map(|p| p.predicted).collect();
        assert!(times.iter().any(|p| *p <= t.predicted) && times.iter().any(|p| *p >= t.predicted), "{t:?}");
    }
}

#[test]
fn an_evaluation_says_what_else_was_known() {
    let desk = Desk::new();
    let text = desk.types("evaluate --sources all --known-rows 2").works().stdout;
    assert!(text.starts_with("leave-one-GPU-out: ") && text.contains("but for 2 rows of it"), "{text}");
    assert!(text.contains("all sources at once"), "{text}");
    let json = desk.types("evaluate --sources all --known-rows 2 --format json").works().stdout;
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["sources"], &json["known_rows"]), (&"all".into(), &2.into()));
    // Fourteen kernels on four GPUs, two of each known.
    assert_eq!(json["models"]["components"]["asked"], 14 * 4 - 8);
    let plain = desk.types("evaluate --sources all --model plain-roofline").works().stdout;
    assert!(plain.contains("4 not applicable: no source gives a time: "), "{plain}");
    desk.types("evaluate --known-rows 999").ends(1, &["every row is known: lower --known-rows"]);
    for words in
        ["evaluate --sources all --protocol new-size", "evaluate --known-rows 1 --protocol new-kernel"]
    {
        desk.types(words).ends(2, &["--protocol new-gpu"]);
    }
}

/// Error in percent of the same rows without and with what is known more.
fn gain(session: &Session, store: &Store, asking: [Asking; 2]) -> [f64; 2] {
    let world = EvaluationWorld { gpus: &session.gpus, kernels: &session.kernels, store };
    let [plain, more] = asking.map(|asking| {
        let setup = EvaluationSetup { asking, ..EvaluationSetup::default() };
        let fold = |t: &AnswerTrial| setup.protocol.fold(t);
        evaluate_with(world, &setup, &[MODELS[ModelId::default()]], &fold, &Progress::default())
            .unwrap()
            .remove(0)
            .trials
    });
    let scored: BTreeSet<(usize, GpuId)> = more.iter().map(|t| (t.config_index(), t.target)).collect();
    let same = plain.iter().filter(|t| scored.contains(&(t.config_index(), t.target)));
    [score(same).unwrap(), score(more.iter()).unwrap()].map(|s| s.errors.mape_percent)
}

#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared, other people's measurements")]
fn more_sources_and_ten_known_rows_make_the_error_smaller_on_other_peoples_measurements() {
    let shared = Path::new(env!("ROOFSWAP_CHECKOUT")).join("../shared/data");
    let files = [
        "study/measurements_corrected.csv",
        "schoonhoven_tuning/gemm_conv_dev.csv",
        "ktt/ktt_convolution.csv",
    ];
    let mut looked_at = 0;
    for file in files.map(|f| shared.join(f)).into_iter().filter(|f| f.exists()) {
        let mut session = SHIPPED.clone();
        session.add_data(&file).unwrap();
        let store = session.rows_to_evaluate();
        let pairs = Asking::default();
        let all = Asking { all_sources: true, known_rows: 0 };
        let [single, joined] = gain(&session, &store, [pairs, all]);
        // KTT timed two GPUs: one source is all there is.
        let two = file.ends_with("ktt_convolution.csv");
        assert!(if two { joined == single } else { joined < 0.93 * single }, "{file:?}: {single} {joined}");
        for asking in [pairs, all] {
            let [before, after] = gain(&session, &store, [asking, Asking { known_rows: 10, ..asking }]);
            assert!(after < before, "{file:?} {asking:?}: {before} {after}");
        }
        looked_at += 1;
    }
    if looked_at == 0 {
        skip_aloud("the measurements of others are not at hand");
    }
}

/// Others beside a GPU say nothing of it that its own time does not.
#[test]
fn a_gpu_seen_beside_all_others_has_its_own_measured_time() {
    let desk = Desk::new();
    let asked = "--kernel saxpy --size n=1048576 --format json";
    let ask = |words: &str| desk.types(&format!("{words} {asked}")).works();
    let own = &ask("predict --from titan-v --to titan-v").json()[0]["time_ms"];
    let beside = &ask("predict --from titan-v,all --to titan-v").json()[0];
    assert_eq!((&beside["time_ms"], beside["speedup"].as_f64()), (own, Some(1.0)));
    assert_eq!(&ask("rank --from titan-v,all --to titan-v").json()[0]["time_ms"], own);
    let whatif = ask("whatif --from titan-v,all --gpu titan-v --set mem=+10%").stdout;
    assert!(whatif.contains(&format!("\"base_time_ms\": {own}")), "{whatif}");
}

/// What the model does not correct is said of the sources, none of which is the target.
#[test]
fn combined_sources_are_not_said_to_be_the_target() {
    let desk = Desk::new();
    let rows = "titan-v,mine,n=1048576,0.03,8000000\nrtx-4070,mine,n=1048576,0.035,8000000\n";
    desk.file("two.csv", format!("gpu,kernel,problem,time_ms,dram_bytes\n{rows}"));
    let asked = "--data two.csv --kernel mine --model hybrid";
    for command in ["predict --to h100-sxm5", "rank --to h100-sxm5", "whatif --gpu h100-sxm5 --set mem=+20%"]
    {
        let said = desk.types(&format!("{command} {asked} --format json")).works().stdout;
        assert!(!said.contains("are the same GPU"), "{command}: {said}");
        assert!(said.contains("no corrections for this kernel"), "{command}: {said}");
    }
}
