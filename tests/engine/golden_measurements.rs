//! What README.md says of the default model, on extracts of the measurements behind it, so that a clone with nothing beside it
//! fails where a model breaks; the whole files are compared where they are at hand. And paper 1's Table 5 to the digit, whose
//! rows are four.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

use roofswap::evaluate::{EvaluationSetup, Score, score};
use roofswap::papers::paper1::reproduce_files;
use roofswap::predict::model_position;
use roofswap::progress::Progress;
use roofswap::session::Session;
use std::path::{Path, PathBuf};

fn golden(file: &str) -> PathBuf {
    Path::new(env!("ROOFSWAP_CHECKOUT")).join("tests/golden/measured").join(file)
}

/// The default model and the same time as on the source, on the shipped figures or a file of extracts, each GPU left out.
fn scores(file: Option<&str>) -> [Score; 2] {
    let mut session = Session::load(None).unwrap();
    if let Some(file) = file {
        session.add_data(&golden(file)).unwrap();
    }
    let store = session.rows_to_evaluate();
    let models = ["components", "same-time"].map(|id| model_position(id).unwrap());
    let setup =
        EvaluationSetup { shipped: Some(session.calibration().shipped()), ..EvaluationSetup::default() };
    let outcomes = session.evaluate(&store, &setup, &models, &Progress::default()).unwrap();
    [&outcomes[0], &outcomes[1]].map(|outcome| score(outcome.trials.iter()).unwrap())
}

/// The claim of README.md, in percent, and how much worse a small extract may be.
#[track_caller]
fn assert_claim(file: Option<&str>, claimed: f64, pairs: usize) {
    const WORSE: f64 = 1.25;
    let [model, same] = scores(file);
    let shown = format!(
        "{file:?}: {} pairs, components {:.1} %, same time {:.1} %, covered {:?}",
        model.errors.n, model.errors.mape_percent, same.errors.mape_percent, model.coverage_90_percent
    );
    assert_eq!(model.errors.n, pairs, "{shown}");
    assert!(model.errors.mape_percent < WORSE * claimed, "{shown}");
    assert!(model.errors.mape_percent < 0.6 * same.errors.mape_percent, "{shown}");
    assert!(model.coverage_90_percent.is_some_and(|c| c > 80.0), "{shown}");
}

#[test]
fn paper_1s_kernels_on_the_figures_that_ship() {
    assert_claim(None, 14.0, 168);
}

#[test]
fn a_tuned_gemm_and_a_tuned_convolution() {
    assert_claim(Some("tuning.csv"), 22.0, 160);
    assert_claim(Some("recompiled.csv"), 16.0, 30);
}

#[test]
fn pytorchs_operators() {
    assert_claim(Some("operators.csv"), 18.0, 252);
    assert_claim(Some("linear_bf16.csv"), 12.0, 90);
}

#[test]
fn teaching_kernels_under_nvbench() {
    assert_claim(Some("nvbench.csv"), 16.0, 102);
}

#[test]
fn paper_1s_table_5_comes_out_of_the_twelve_pairs_of_one_kernel() {
    let session = Session::load(None).unwrap();
    let files = ["paper1_table5.csv", "paper1_ceilings.json"].map(golden);
    let (experiments, _) = reproduce_files(&session, &files).unwrap();
    let figures = &experiments[2].figures;
    let ours = |metric: &str| figures.iter().find(|f| f.metric == metric).unwrap();
    assert_eq!(ours("pairs").ours, Some(12.0));
    assert_eq!(format!("{:.3}", ours("MAPE %").ours.unwrap()), "9.750");
    assert_eq!((ours("MAPE %").published, ours("MAPE %").agrees()), ("9.8", Some(true)));
}
