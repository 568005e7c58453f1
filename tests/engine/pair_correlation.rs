//! How alike the errors of two kernels of one pair of GPUs are: what `application::PAIR_CORRELATION` rests on.

#![allow(clippy::unwrap_used, clippy::print_stdout)] // helpers of tests are tests, and say what was skipped

use crate::skipping::skip_aloud;
use roofswap::answer::AnswerTrials;
use roofswap::application::PAIR_CORRELATION;
use roofswap::evaluate::{EvaluationSetup, Progress, Protocol};
use roofswap::gpu::GpuId;
use roofswap::import::read_any;
use roofswap::kernel::KernelId;
use roofswap::measurement::{Store, TimingKind};
use roofswap::predict::model_position;
use roofswap::session::Session;
use roofswap::stats::median;
use std::collections::BTreeMap;
use std::path::Path;

type GpuPair = (GpuId, GpuId);

/// Mean product over pairs of kernels of one pair of GPUs by the mean square, of the median ln(predicted / measured) of each
/// kernel there; with the number of kernels and pairs of GPUs.
fn error_correlation(trials: &AnswerTrials) -> (f64, usize, usize) {
    let mut errors: BTreeMap<(GpuPair, KernelId), Vec<f64>> = BTreeMap::new();
    for t in trials.iter() {
        let error = (t.predicted / t.measured).ln();
        errors.entry(((t.source, t.target), t.kernel)).or_default().push(error);
    }
    let mut by_pair: BTreeMap<GpuPair, Vec<f64>> = BTreeMap::new();
    let mut kernels: Vec<KernelId> = errors.keys().map(|(_, kernel)| *kernel).collect();
    for ((pair, _), mut all) in errors {
        by_pair.entry(pair).or_default().extend(median(&mut all));
    }
    kernels.sort_unstable();
    kernels.dedup();
    let (mut products, mut count, mut squares, mut all) = (0.0, 0, 0.0, 0);
    for errors in by_pair.values() {
        for (i, a) in errors.iter().enumerate() {
            squares += a * a;
            all += 1;
            for b in &errors[i + 1..] {
                products += a * b;
                count += 1;
            }
        }
    }
    let correlation = products / f64::from(count) / (squares / f64::from(all));
    (correlation, kernels.len(), by_pair.len())
}

/// The correlation with whole GPUs left out, of these rows or of those that ship.
fn measured_correlation(path: Option<&Path>) -> f64 {
    let mut session = Session::load(None).unwrap();
    if let Some(path) = path {
        let kind = TimingKind::Measured;
        let read = session.edit(|w| read_any(path, kind, &w.gpus, &mut w.kernels)).unwrap().read;
        session.edit(|w| w.store = Store::default());
        session.edit(|w| w.store.add_rows(read.rows));
    }
    let setup = EvaluationSetup { protocol: Protocol::NewGpu, ..EvaluationSetup::default() };
    let models = [model_position("components").unwrap()];
    let outcomes = session.evaluate(&session.store, &setup, &models, &Progress::default()).unwrap();
    let (correlation, kernels, pairs) = error_correlation(&outcomes[0].trials);
    println!("{correlation:.2}: {kernels} kernels, {pairs} pairs of GPUs");
    assert!(correlation.is_finite() && kernels > 1 && pairs > 1);
    correlation
}

#[test]
fn the_correlation_of_applications_is_no_less_than_the_measured_ones() {
    let data = Path::new(env!("ROOFSWAP_CHECKOUT")).join("../shared/data");
    let mut found = vec![measured_correlation(None)];
    for file in ["neusight/neusight_ops_dev.csv", "pmpp_nvbench/single_launch.csv"] {
        let path = data.join(file);
        if path.exists() {
            found.push(measured_correlation(Some(&path)));
        } else {
            skip_aloud(&format!("../shared/data/{file} is not here"));
        }
    }
    let most = found.into_iter().fold(f64::MIN, f64::max);
    assert!(most <= PAIR_CORRELATION + 0.02, "{most}");
}
