//! The shipped errors of `components` (specs/intervals.toml) are recomputed from the measurements they were derived from, where
//! those are at hand; `ROOFSWAP_REDRAW=1` writes them.

#![allow(clippy::unwrap_used, clippy::print_stdout)] // helpers of tests are tests

use crate::skipping::skip_aloud;
use roofswap::answer::ShippedErrors;
use roofswap::evaluate::{EvaluationSetup, ModelOutcome, Progress};
use roofswap::gpu::GpuId;
use roofswap::import::read_any;
use roofswap::kernel::KernelId;
use roofswap::measurement::{Store, TimingKind};
use roofswap::pair::Pair;
use roofswap::predict::{MODELS, Subject, model_position, question};
use roofswap::session::Session;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Quantiles of a family.
const POINTS: usize = 40;

/// A family's name, and the ids of its kernels; none = all of the file.
type Named = (&'static str, &'static [&'static str]);

/// One file of measurements, and the families its kernels are of.
const FILES: [(&str, &[Named]); 4] = [
    ("study/measurements_corrected.csv", &[("paper 1's kernels", &[])]),
    (
        "schoonhoven_tuning/gemm_conv_dev.csv",
        &[("CLBlast's GEMM", &["clblast_xgemm"]), ("a tuned convolution", &["convolution2d_15x15"])],
    ),
    ("ktt/ktt_convolution.csv", &[("a recompiled convolution", &["ktt_convolution2d_15x15"])]),
    ("neusight/neusight_ops_dev.csv", &[("PyTorch operators", &[])]),
];

/// The study's GTX TITAN X ran other sizes than its rows say; what was repaired is not learned from.
const UNSOUND: &str = "gtx-titan-x";

fn path(file: &str) -> PathBuf {
    Path::new(env!("ROOFSWAP_CHECKOUT")).join("../shared/data").join(file)
}

/// The session with this file's rows alone.
fn world(file: &str) -> Session {
    let mut session = Session::load(None).unwrap();
    let read =
        session.edit(|w| read_any(&path(file), TimingKind::Measured, &w.gpus, &mut w.kernels)).unwrap().read;
    assert_eq!(read.refused_count, 0, "{file}: {:?}", read.refused);
    let unsound = session.gpus.position(UNSOUND).unwrap();
    let mut store = Store::default();
    store
        .add_rows(read.rows.into_iter().filter(|r| !file.starts_with("study") || r.gpu != unsound).collect());
    session.edit(|w| w.store = store);
    session
}

fn evaluated(session: &Session) -> ModelOutcome {
    let model = model_position("components").unwrap();
    let setup = EvaluationSetup::default();
    session.evaluate(&session.store, &setup, &[model], &Progress::default()).unwrap().remove(0)
}

/// |ln(measured / predicted)| of every row, as if nobody had timed its kernel anywhere.
fn unmeasured(session: &Session, kernels: &BTreeSet<KernelId>) -> Vec<f64> {
    let (model, empty) = (MODELS[model_position("components").unwrap()], Store::default());
    let mut all = Vec::new();
    for (id, config) in session.store.configs() {
        if !kernels.contains(&config.kernel) {
            continue;
        }
        let kernel = &session.kernels[config.kernel];
        let subject = Subject::from_config(kernel, config, None).unwrap();
        for row in session.store.rows_of(id) {
            let gpu = (row.gpu, &session.gpus[row.gpu]);
            let q = question(
                kernel,
                &subject,
                Pair::new(gpu, gpu),
                &empty,
                Default::default(),
                Default::default(),
            );
            all.extend(model.predicted_time(&q).ok().map(|t| (row.time / t).ln().abs()));
        }
    }
    all
}

/// Quantiles (i + 0.5)/n, three decimals.
fn quantiles(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_by(f64::total_cmp);
    let at = |i: usize| values[(i * values.len() + values.len() / 2) / POINTS];
    (0..POINTS).map(|i| (at(i) * 1000.0).round() / 1000.0).collect()
}

/// The `[[family]]` tables of one file.
fn families(file: &str, named: &[Named]) -> String {
    let session = world(file);
    let outcome = evaluated(&session);
    let mut text = String::new();
    for (name, only) in named {
        let id = |kernel: KernelId| session.kernels[kernel].id.as_str();
        let of = |kernel: KernelId| only.is_empty() || only.contains(&id(kernel));
        let trials: Vec<_> = outcome.trials.iter().filter(|t| of(t.kernel)).collect();
        let kernels: BTreeSet<KernelId> = trials.iter().map(|t| t.kernel).collect();
        let gpus: BTreeSet<GpuId> = trials.iter().map(|t| t.target).collect();
        let ids: BTreeSet<&str> = kernels.iter().map(|k| id(*k)).collect();
        let list = |v: &[f64]| v.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let scores = quantiles(trials.iter().map(|t| t.score()).collect());
        let blind = quantiles(unmeasured(&session, &kernels));
        write!(
            text,
            "\n[[family]] # {file}\nname = {name:?}\nkernels = {:?}\ngpus = {}\npairs = {}\nscores = [{}]\nunmeasured = [{}]\n",
            ids.into_iter().collect::<Vec<_>>(),
            gpus.len(),
            trials.len(),
            list(&scores),
            list(&blind)
        )
        .unwrap();
    }
    text
}

#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared, other people's measurements")]
fn the_shipped_errors_are_those_of_the_measurements_they_name() {
    if !path(FILES[0].0).exists() {
        skip_aloud("../shared/data is not here");
        return;
    }
    let found: String = FILES.iter().map(|(file, named)| families(file, named)).collect();
    let file = concat!(env!("ROOFSWAP_CHECKOUT"), "/specs/intervals.toml");
    let shipped = std::fs::read_to_string(file).unwrap();
    let (rest, tables) = shipped.split_at(shipped.find("\n[[family]]").unwrap_or(shipped.len()));
    if std::env::var_os("ROOFSWAP_REDRAW").is_some() {
        std::fs::write(file, format!("{rest}{found}")).unwrap();
        return;
    }
    assert!(
        tables == found,
        "specs/intervals.toml is not what the measurements give; ROOFSWAP_REDRAW=1 writes\n{found}"
    );
}

/// 90 % intervals from the other families cover 85 to 95 % of each of the files: what `evaluate` reports.
#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared, other people's measurements")]
fn intervals_made_from_other_families_hold() {
    if !path(FILES[0].0).exists() {
        skip_aloud("../shared/data is not here");
        return;
    }
    let shipped = ShippedErrors::from_specs().unwrap();
    assert_eq!(shipped.families.iter().map(|f| f.scores.len()).collect::<BTreeSet<_>>(), [POINTS].into());
    let mut held = BTreeMap::new();
    for (file, _) in FILES {
        let session = world(file);
        let setup =
            EvaluationSetup { shipped: Some(session.calibration().shipped()), ..EvaluationSetup::default() };
        let model = model_position("components").unwrap();
        let outcome =
            session.evaluate(&session.store, &setup, &[model], &Progress::default()).unwrap().remove(0);
        let (inside, all) = outcome
            .trials
            .iter()
            .filter_map(|t| t.held())
            .fold((0, 0), |(i, n), h| (i + usize::from(h), n + 1));
        held.insert(file, 100.0 * inside as f64 / all as f64);
    }
    println!("{held:?}");
    assert!(held.values().all(|percent| (85.0..=95.0).contains(percent)), "{held:?}");
}
