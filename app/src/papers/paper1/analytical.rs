//! Paper 1's three experiments on its own rows: which pairs they take, and what was published (Tables 3, 4 and 5).
//!
//! Pairs are those of equal kernel, N, rows, cols, block and iterations, in both directions. Sizes of a kernel are ordered
//! by the largest working set that any GPU states, then by the text of the configuration.
//!
//! | experiment | pairs |
//! |---|---|
//! | 1 | every configuration, every source, onto TITAN V |
//! | 2 | the largest configuration of each kernel that has at least two, all pairs of GPUs |
//! | 3 | the smallest configuration of four kernels, all pairs of GPUs |
//!
//! `shared_bank_conflict` cannot launch, its occupancy is 0, and so it drops out of all of them.

use super::figures::PredictedPair;
use crate::answer::AnswerTrial;
use crate::evaluate::{
    ErrorSummary, EvaluationSetup, EvaluationWorld, ModelOutcome, Progress, Score, TrialScope, evaluate,
    score,
};
use crate::gpu::{Ceilings, GpuId};
use crate::kernel::{Count, KernelId};
use crate::occupancy::Rules;
use crate::predict::{MODELS, Predictor, model_position};
use std::collections::{BTreeMap, BTreeSet};

/// The GPU that is new in experiment 1.
const NEW_GPU: &str = "titan-v";
/// The kernels that are new in experiment 3.
const NEW_KERNELS: [&str; 4] = ["matmul_tiled", "shared_transpose", "atomic_hotspot", "vector_add_divergent"];
/// Algorithm 1, and the baseline beside it.
const COMPARED: [&str; 2] = ["efficiency-transfer", "same-time"];

/// One published number beside ours.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedFigure {
    /// What it is.
    pub metric: &'static str,
    /// As the paper prints it; empty where it prints none.
    pub published: &'static str,
    /// Ours, on the same pairs.
    pub ours: Option<f64>,
    /// The same of the baseline `same-time`.
    pub same_time: Option<f64>,
}

impl ComparedFigure {
    /// Ours less the published one.
    #[must_use]
    pub fn difference(&self) -> Option<f64> {
        Some(self.ours? - self.published.parse::<f64>().ok()?)
    }

    /// Whether ours is the published number: less than one unit of its last decimal apart, for it may have been rounded
    /// twice (9.7498 %, 9.75 %, 9.8 %).
    #[must_use]
    pub fn agrees(&self) -> Option<bool> {
        let decimals = self.published.split_once('.').map_or(0, |(_, d)| d.len());
        let unit = 10f64.powi(-i32::try_from(decimals).ok()?);
        self.difference().map(|d| d.abs() < unit)
    }
}

/// One experiment.
#[derive(Debug, Clone)]
pub struct AnalyticalExperiment {
    /// 1, 2 or 3.
    pub number: u8,
    /// What is new in it.
    pub what: &'static str,
    /// Pairs that were asked about; those without an answer are in the outcome's refusals.
    pub asked: usize,
    /// The numbers.
    pub figures: Vec<ComparedFigure>,
    /// What Algorithm 1 said.
    pub outcome: ModelOutcome,
}

/// Runs the experiments; `world`'s GPUs have the ceilings that the files state as their achieved ones.
#[must_use]
pub fn reproduce(world: EvaluationWorld<'_>) -> Vec<AnalyticalExperiment> {
    let new_gpu = world.gpus.position(NEW_GPU).ok().into_iter().collect();
    let [largest, smallest] = ends(world);
    let onto = TrialScope { targets: Some(new_gpu), ..TrialScope::default() };
    let of = |configs| TrialScope { configs: Some(configs), ..TrialScope::default() };
    vec![
        experiment(world, 1, "new GPU: all sources to TITAN V", onto),
        experiment(world, 2, "new size: the largest of each kernel", of(largest)),
        experiment(world, 3, "new kernels: the smallest of four", of(smallest)),
    ]
}

/// What Algorithm 1 says of every configuration from every GPU to every other one.
#[must_use]
pub fn analytical_pairs(world: EvaluationWorld<'_>) -> Vec<PredictedPair> {
    let all = experiment(world, 0, "all pairs", TrialScope::default());
    let name = |gpu: GpuId| world.gpus[gpu].name.clone();
    let pair = |t: AnswerTrial| PredictedPair {
        kernel: world.kernels[t.kernel].id.clone(),
        source: name(t.source),
        target: name(t.target),
        measured: t.measured,
        predicted: t.predicted,
    };
    all.outcome.trials.iter().map(pair).collect()
}

/// The largest configuration of each kernel that has two or more, and the smallest of the new kernels.
fn ends(world: EvaluationWorld<'_>) -> [BTreeSet<usize>; 2] {
    let mut by_kernel: BTreeMap<KernelId, Vec<(f64, String, usize)>> = BTreeMap::new();
    for (at, (id, config)) in world.store.configs().enumerate() {
        let sets = world.store.rows_of(id).filter_map(|r| r.measured_count(Count::WorkingSetBytes));
        let size = (sets.fold(0.0, f64::max), config.problem.to_string(), at);
        by_kernel.entry(config.kernel).or_default().push(size);
    }
    let mut found = [BTreeSet::new(), BTreeSet::new()];
    for (kernel, mut sizes) in by_kernel {
        sizes.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
        let id = world.kernels[kernel].id.as_str();
        if let [.., (_, _, last)] = sizes[..]
            && sizes.len() > 1
        {
            found[0].insert(last);
        }
        found[1].extend(sizes.first().filter(|_| NEW_KERNELS.contains(&id)).map(|s| s.2));
    }
    found
}

fn experiment(
    world: EvaluationWorld<'_>,
    number: u8,
    what: &'static str,
    scope: TrialScope,
) -> AnalyticalExperiment {
    let (ceilings, rules) = (Ceilings::Achieved, Rules::Study);
    let setup = EvaluationSetup { ceilings, rules, scope, ..EvaluationSetup::default() };
    let models: Vec<&dyn Predictor> =
        COMPARED.iter().filter_map(|id| model_position(id).ok()).map(|m| MODELS[m]).collect();
    let mut outcomes =
        evaluate(world, &setup, &models, &Progress::default()).expect("nobody cancels it").into_iter();
    let outcome = outcomes.next().expect("both models are in MODELS, and a test asks for them");
    // The baseline on the very pairs that Algorithm 1 answered.
    let answered: BTreeSet<_> = outcome.trials.iter().map(|t| t.asked_place()).collect();
    let baseline = outcomes.next().map(|o| o.trials).unwrap_or_default();
    let same = baseline.iter().filter(|t| answered.contains(&t.asked_place()));
    let scores = [score(outcome.trials.iter()), score(same)];
    let figures = published(number).into_iter().map(|(metric, of, published)| {
        let [ours, same_time] = scores.map(|s: Option<Score>| s.map(|s| of(&s.errors)));
        ComparedFigure { metric, published, ours, same_time }
    });
    AnalyticalExperiment { number, what, asked: outcome.asked(), figures: figures.collect(), outcome }
}

/// A metric's name, and its number.
type NamedMetric = (&'static str, fn(&ErrorSummary) -> f64);
/// The same with what the paper prints.
type PublishedMetric = (&'static str, fn(&ErrorSummary) -> f64, &'static str);

/// Tables 3, 4 and 5. The paper prints no number of pairs, and of experiment 3 the MAPE alone.
fn published(number: u8) -> Vec<PublishedMetric> {
    let printed = match number {
        1 => ["", "86.62", "1.03", "16.3", "30.37", "51.11"],
        2 => ["", "871.52", "1.00", "17.24", "22.41", "46.55"],
        _ => ["", "9.8", "", "", "", ""],
    };
    let metrics: [NamedMetric; 6] = [
        ("pairs", |e| e.n as f64),
        ("MAPE %", |e| e.mape_percent),
        ("median predicted/true", |e| e.median_ratio),
        ("within 10 %", |e| e.within_10_percent),
        ("within 25 %", |e| e.within_25_percent),
        ("within 50 %", |e| e.within_50_percent),
    ];
    metrics.into_iter().zip(printed).map(|((name, of), printed)| (name, of, printed)).collect()
}
