//! Seven models, three experiments: Table 6, and what stands beside it.

use super::pairs::{ConfigRole, GpuPairs, PairOrigin};
use crate::cores;
use crate::evaluate::{ErrorSummary, summarise};
use crate::learn::learners::{Learner, Table6Model};
use crate::learn::metrics::{mape, median};
use crate::learn::{LearnError, LearningTable, Progress, Recipe};

/// The GPU that is new in experiment 1.
const NEW_GPU: &str = "NVIDIA TITAN V";
/// The kernels that are new in experiment 3; the other twelve are trained on.
const NEW_KERNELS: [&str; 4] = ["matmul_tiled", "shared_transpose", "atomic_hotspot", "vector_add_divergent"];

/// What is trained on and tested.
#[derive(Debug, Clone, Copy)]
pub struct LearnedExperiment {
    /// `1`, `2`, `3`, or `3s` for the variant of the paper's text.
    pub id: &'static str,
    /// In words.
    pub what: &'static str,
    trains: fn(&PairOrigin) -> bool,
    tests: fn(&PairOrigin) -> bool,
}

fn is_new(origin: &PairOrigin) -> bool {
    NEW_KERNELS.contains(&origin.kernel.as_str())
}

/// The experiments of section 6. Of experiment 3 the text says that only the smallest configurations are trained on; its
/// figures come out when all are. Both are here.
pub const EXPERIMENTS: [LearnedExperiment; 4] = [
    LearnedExperiment {
        id: "1",
        what: "new GPU: trained on the other targets",
        trains: |o| o.target != NEW_GPU,
        tests: |o| o.target == NEW_GPU,
    },
    LearnedExperiment {
        id: "2",
        what: "new size: trained on the two smallest",
        trains: |o| matches!(o.role, ConfigRole::Smallest | ConfigRole::Second),
        tests: |o| o.role == ConfigRole::Largest,
    },
    LearnedExperiment {
        id: "3",
        what: "new kernels: trained on all sizes of twelve",
        trains: |o| !is_new(o),
        tests: is_new,
    },
    LearnedExperiment {
        id: "3s",
        what: "new kernels: trained on the smallest of twelve, as the text says",
        trains: |o| !is_new(o) && o.role == ConfigRole::Smallest,
        tests: is_new,
    },
];

/// One of the seven, and its row of Table 6.
#[derive(Debug, Clone, Copy)]
pub struct Model {
    /// Which one.
    pub regressor: Table6Model,
    /// MAPE in per cent of experiments 1, 2 and 3, as printed.
    pub published: [&'static str; 3],
}

impl Model {
    /// As Table 6 calls it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.regressor.id()
    }
}

/// Table 6 in its order.
pub const MODELS: [Model; 7] = [
    Model { regressor: Table6Model::Linear, published: ["1390.91", "416.62", "1253.85"] },
    Model { regressor: Table6Model::Ridge, published: ["1390.21", "402.93", "1253.37"] },
    Model { regressor: Table6Model::Lasso, published: ["1344.96", "425.75", "1242.31"] },
    Model { regressor: Table6Model::Svr, published: ["78.01", "88.00", "120.62"] },
    Model { regressor: Table6Model::Forest, published: ["355.97", "88.02", "85.08"] },
    Model { regressor: Table6Model::Boosting, published: ["336.25", "87.74", "107.82"] },
    Model { regressor: Table6Model::Nearest, published: ["287.08", "88.55", "186.38"] },
];

/// The forest of Tables 3 and 4.
pub(super) fn forest_recipe(seed: u64) -> Recipe<Learner> {
    Recipe { regressor: Table6Model::Forest.learner(), scaled: false, seed }
}

/// What other seeds give.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SeedSpread {
    /// How many seeds.
    pub seeds: usize,
    /// Smallest MAPE in per cent.
    pub least: f64,
    /// The middle one.
    pub median: f64,
    /// The largest.
    pub most: f64,
}

/// One cell of Table 6 beside ours. Errors are MAPE in per cent.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedCell {
    /// Place in [`EXPERIMENTS`].
    pub experiment: usize,
    /// Place in [`MODELS`].
    pub model: usize,
    /// Pairs trained on and tested.
    pub pairs: (usize, usize),
    /// Ours with seed 0, or why there is none.
    pub ours: Result<f64, LearnError>,
    /// The same predictions by the measures of Tables 3 and 4; `None` where there is none.
    pub errors: Option<ErrorSummary>,
    /// Of a model with chance in it.
    pub spread: Option<SeedSpread>,
    /// The same model with logarithms of the features, scaled, and of the target.
    pub in_logs: Result<f64, LearnError>,
}

impl ComparedCell {
    /// As the paper prints it; none for the variant it has no figures of.
    #[must_use]
    pub fn published(&self) -> Option<&'static str> {
        MODELS[self.model].published.get(self.experiment).copied()
    }

    /// What the learned column of Table 3 or 4, which is the forest's, prints beside the MAPE.
    #[must_use]
    pub fn published_beside(&self) -> Option<&'static [&'static str; 4]> {
        (MODELS[self.model].regressor == Table6Model::Forest)
            .then(|| LEARNED_COLUMN.get(self.experiment))
            .flatten()
    }

    /// Ours in the order of [`BESIDE`].
    #[must_use]
    pub fn ours_beside(&self) -> Option<[f64; 4]> {
        let e = self.errors.as_ref()?;
        Some([e.median_ratio, e.within_10_percent, e.within_25_percent, e.within_50_percent])
    }

    /// Ours over the published figure, less 1.
    #[must_use]
    pub fn difference(&self) -> Option<f64> {
        let published: f64 = self.published()?.parse().ok()?;
        Some(self.ours.as_ref().ok()? / published - 1.0)
    }

    /// Whether they are within 1 % of each other.
    #[must_use]
    pub fn agrees(&self) -> Option<bool> {
        self.difference().map(|d| d.abs() <= 0.01)
    }
}

/// What Tables 3 and 4 print beside the MAPE.
pub const BESIDE: [&str; 4] = ["median predicted/true", "within 10 %", "within 25 %", "within 50 %"];

/// The learned columns of Tables 3 and 4, in the order of [`BESIDE`].
const LEARNED_COLUMN: [[&str; 4]; 2] = [["2.05", "6.57", "19.71", "27.74"], ["0.04", "0", "6.9", "10.34"]];

/// All figures.
pub type Suite = Vec<ComparedCell>;

/// Trains and tests these models, given by their places in [`MODELS`], in every experiment: `seeds` seeds, of which the
/// first counts.
///
/// # Errors
/// [`LearnError::Cancelled`]; what one model cannot do stands in its figure.
pub fn run_suite(
    pairs: &GpuPairs,
    models: &[usize],
    seeds: usize,
    progress: &Progress,
) -> Result<Suite, LearnError> {
    let logs = in_logs(pairs)?;
    let places: Vec<(usize, usize)> =
        (0..EXPERIMENTS.len()).flat_map(|e| models.iter().map(move |m| (e, *m))).collect();
    progress.expect(places.len());
    let figure = |at: usize| {
        let (experiment, model) = places[at];
        progress.check_cancelled()?;
        let figure = figure(experiment, model, pairs, &logs, seeds, progress);
        progress.advance(1);
        figure
    };
    cores::try_collect(places.len(), figure)
}

fn figure(
    experiment: usize,
    model: usize,
    pairs: &GpuPairs,
    logs: &LearningTable,
    seeds: usize,
    progress: &Progress,
) -> Result<ComparedCell, LearnError> {
    let [train, test] =
        [EXPERIMENTS[experiment].trains, EXPERIMENTS[experiment].tests].map(|f| pairs.places(f));
    let one = |table: &LearningTable, seed: u64, in_logs: bool| {
        let recipe = Recipe { regressor: MODELS[model].regressor.learner(), scaled: in_logs, seed };
        let times = |places: &[usize]| places.iter().map(|i| pairs.times[*i]).collect::<Vec<_>>();
        let mut target = times(&train);
        if in_logs {
            target.iter_mut().for_each(|t| *t = t.ln());
        }
        let fitted = recipe.fit_model(&table.select(&train), &target, &progress.aside())?;
        let mut said = fitted.predict(&table.select(&test))?;
        if in_logs {
            said.iter_mut().for_each(|t| *t = t.exp());
        }
        let truth = times(&test);
        let mape =
            mape(&truth, &said).ok_or_else(|| LearnError::NoMeaning { what: "the tested pairs".into() })?;
        let pairs: Vec<(f64, f64)> = said.into_iter().zip(truth).collect();
        Ok((mape, summarise(&pairs)))
    };
    let runs = if MODELS[model].regressor.is_seeded() { seeds.max(1) } else { 1 };
    let all: Vec<Result<(f64, Option<ErrorSummary>), LearnError>> =
        (0..runs as u64).map(|seed| one(&pairs.table, seed, false)).collect();
    let in_logs = one(logs, 0, true).map(|(mape, _)| mape);
    let known: Vec<f64> = all.iter().filter_map(|r| r.as_ref().ok().map(|(mape, _)| *mape)).collect();
    let spread =
        median(known.clone()).filter(|_| MODELS[model].regressor.is_seeded()).map(|median| SeedSpread {
            seeds: known.len(),
            least: known.iter().copied().fold(f64::INFINITY, f64::min),
            median,
            most: known.iter().copied().fold(0.0, f64::max),
        });
    let first = all.into_iter().next().unwrap_or(Err(LearnError::Cancelled));
    let errors = first.as_ref().ok().and_then(|(_, errors)| *errors);
    let ours = first.map(|(mape, _)| mape);
    if matches!(ours, Err(LearnError::Cancelled)) {
        return Err(LearnError::Cancelled);
    }
    Ok(ComparedCell { experiment, model, pairs: (train.len(), test.len()), ours, errors, spread, in_logs })
}

/// The features as ln(1 + x); none is below 0.
fn in_logs(pairs: &GpuPairs) -> Result<LearningTable, LearnError> {
    let values = pairs.table.rows().flatten().map(|v| v.ln_1p()).collect();
    LearningTable::new(pairs.table.names().to_vec(), values)
}
