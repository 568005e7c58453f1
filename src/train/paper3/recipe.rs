//! Paper 3's recipe: a random forest for the speedup, an 80:20 split, a random search of at least 50 trials that minimises
//! MAPE (the paper's Optuna run), its five metrics and both kinds of importances.
//!
//! Features and target are raw, as published. Beside the paper's split of rows stand harder ones, of problems, kernels and
//! GPUs that the forest has not seen; the same forest on ln(speedup); and the median speedup as a baseline.

use super::facts::NoFacts;
use super::metrics::{METRICS, MetricFormulas};
use super::published;
use super::samples::{ReferenceLaunch, Samples};
use super::speed_up::{SpeedUpForest, half_width, known_ranges};
use crate::evaluate::EvaluationWorld;
use crate::gpu::GpuId;
use crate::kernel::KernelId;
use crate::learn::importance::permutation;
use crate::learn::prepare::{MedianImputer, with_known_columns};
use crate::learn::random::Random;
use crate::learn::saved::DataHash;
use crate::learn::search::{self, SearchResult, SearchTask};
use crate::learn::{
    Features, Fitted, ForestParameters, LearnError, LearningTable, Progress, Recipe, Regressor,
    RegressorKind, RowFold, folds, metrics,
};
use crate::train::cache::Stamp;
use crate::train::trained::{Errors, ModelVerdict, Trained, TrainedImportance};
use crate::train::{Made, TrainError, Trainer};
use std::collections::BTreeSet;

/// The paper's share of rows for testing.
const TESTED: f64 = 0.2;
/// Folds of the search.
const FOLDS: usize = 3;
/// Fewest samples that a forest is trained on: one fifth of them are tested on.
const FEWEST: usize = 20;
/// The search looks at this many rows at most; the forest itself at all.
const SEARCHED: usize = 2000;
/// How often a column is dealt out anew.
const REPEATS: usize = 10;

/// The recipe with its options.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paper3 {
    /// What speedups are over; `None`: one thread where enough rows have such a reference, else the slowest launch.
    pub reference: Option<ReferenceLaunch>,
    /// Which form of the metrics.
    pub formulas: MetricFormulas,
    /// Candidates of the search.
    pub trials: usize,
    /// Seed of split, search and forest.
    pub seed: u64,
}

impl Default for Paper3 {
    fn default() -> Self {
        Self { reference: None, formulas: MetricFormulas::Exact, trials: 50, seed: 1 }
    }
}

/// Measured and predicted speedups in one order.
type SpeedUps = (Vec<f64>, Vec<f64>);

/// What the forest is trained on.
struct TrainingData {
    samples: Samples,
    reference: ReferenceLaunch,
    /// Places in [`METRICS`] of the columns that anybody knows.
    columns: Vec<usize>,
    target: Vec<f64>,
}

impl Trainer for Paper3 {
    fn id(&self) -> &'static str {
        "paper3"
    }

    fn recipe_summary(&self) -> &'static str {
        "random forest on paper 3's seven metrics for the speedup over one thread"
    }

    fn needs(&self) -> &'static str {
        "measured rows with block and grid, several launches of one kernel and problem on one GPU"
    }

    fn stamp(&self, world: EvaluationWorld<'_>) -> Result<Stamp, TrainError> {
        Ok(self.stamp_of(&self.data(world)?))
    }

    fn train(&self, world: EvaluationWorld<'_>, progress: &Progress) -> Result<Made, TrainError> {
        let data = self.data(world)?;
        let split = folds::shuffled_split(data.target.len(), TESTED, self.seed)?;
        let found = self.search(&data, &split, progress)?;
        let recipe = found.best().recipe.clone();
        let (train, test, imputer) = data.tables(&split)?;
        let fitted = recipe.fit_model(&train, &data.targets(&split.train), progress)?;
        let truth = data.targets(&split.test);
        let tested = fitted.predict(&test)?;
        let mut errors = vec![Errors::from_predictions("80:20 of the rows", &truth, &tested)];
        let (beside, problems) = self.beside(&data, &split, &recipe, progress)?;
        errors.extend(beside);
        errors.push(published::errors());
        let importances = measured_importances(&fitted, &test, &truth, self.seed)?;
        let trained = self.told(world, &data, &found, importances, errors);
        let whole = |e: postcard::Error| LearnError::File { file: "paper3".into(), what: e.to_string() };
        let (measured, predicted) = problems.unwrap_or((truth, tested));
        let model = SpeedUpForest {
            imputer,
            fitted,
            ranges: known_ranges(&data.feature_rows(&split.train), data.columns.len()),
            columns: data.columns,
            ln_90: half_width(&measured, &predicted),
            reference: data.reference,
        };
        Ok(Made { trained, model: postcard::to_allocvec(&model).map_err(whole)? })
    }

    fn check_model(&self, made: &Made) -> Result<(), LearnError> {
        SpeedUpForest::from_made(made).map(drop)
    }
}

impl Paper3 {
    fn data(&self, world: EvaluationWorld<'_>) -> Result<TrainingData, TrainError> {
        let mut reference = self.reference.unwrap_or_default();
        let mut samples = Samples::from_world(world, reference, self.formulas);
        if self.reference.is_none() && samples.all.len() < FEWEST {
            reference = ReferenceLaunch::Slowest;
            samples = Samples::from_world(world, reference, self.formulas);
        }
        if samples.all.len() < FEWEST {
            return Err(self.too_few(&samples, reference));
        }
        let known = |i: &usize| samples.all.iter().any(|s| s.metrics[*i].value.is_some());
        let columns = (0..METRICS.len()).filter(known).collect();
        let target = samples.all.iter().map(|s| s.speedup).collect();
        Ok(TrainingData { samples, reference, columns, target })
    }

    fn too_few(&self, samples: &Samples, reference: ReferenceLaunch) -> TrainError {
        let have = match samples.all.len() {
            1 => "1 launch has".to_string(),
            n => format!("{n} launches have"),
        };
        let left_out = left_out(samples).map_or_else(String::new, |text| format!(" (left out: {text})"));
        let why = format!("{have} a reference, and {FEWEST} are needed{left_out}");
        let what_to_do = match reference {
            ReferenceLaunch::OneThread => {
                "give rows with one thread per block or one block, or say --reference slowest"
            }
            ReferenceLaunch::Slowest => {
                "give files by --data with block, grid and several launches of one kernel and problem on one GPU"
            }
        };
        TrainError::Rows { model: self.id(), why, what_to_do: what_to_do.into() }
    }

    fn stamp_of(&self, data: &TrainingData) -> Stamp {
        let value = |v: Option<f64>| v.unwrap_or(f64::NAN);
        let mut hash = DataHash::default();
        for sample in &data.samples.all {
            let row: Vec<f64> = sample.metrics.iter().map(|m| value(m.value)).collect();
            hash = hash.with_numbers(&row).with_numbers(&[sample.speedup, sample.group as f64]);
        }
        let recipe = format!(
            "forest, {} formulas, speed-up over {}, {} trials, with ranges and reference",
            self.formulas.as_str(),
            data.reference.as_str(),
            self.trials
        );
        Stamp { model: self.id().into(), recipe, seed: self.seed, data: hash.hex_digest() }
    }

    /// The forest of the smallest MAPE under folds of the training rows.
    fn search(
        &self,
        data: &TrainingData,
        split: &RowFold,
        progress: &Progress,
    ) -> Result<SearchResult, TrainError> {
        let mut rows = split.train.clone();
        rows.truncate(SEARCHED);
        let (train, _, _) = data.tables(&RowFold { train: rows.clone(), ..split.clone() })?;
        let target = data.targets(&rows);
        // The rows are in random order already.
        let parts: Vec<usize> = (0..rows.len()).map(|i| i % FOLDS).collect();
        let folds = folds::leave_one_out(&parts)?;
        let task =
            SearchTask { table: &train, target: &target, groups: None, folds: &folds, metric: metrics::mape };
        let draw =
            |random: &mut Random| Recipe { regressor: candidate(random), scaled: false, seed: self.seed };
        Ok(search::random(draw, self.trials.max(1), self.seed, &task, progress)?)
    }

    /// The baseline, the same forest on ln(speedup), and what whole problems, kernels and GPUs held out cost; speedups of
    /// the held-out problems with what was predicted of them, where there are several.
    fn beside(
        &self,
        data: &TrainingData,
        split: &RowFold,
        recipe: &Recipe,
        progress: &Progress,
    ) -> Result<(Vec<Errors>, Option<SpeedUps>), TrainError> {
        let truth = data.targets(&split.test);
        let median = metrics::median(data.targets(&split.train)).unwrap_or(1.0);
        let mut all = vec![Errors::from_predictions(
            "80:20, the median speedup alone",
            &truth,
            &vec![median; truth.len()],
        )];
        let log = data.predicted(std::slice::from_ref(split), recipe, ForestTarget::Log, progress)?;
        all.push(Errors::from_predictions("80:20, of ln(speedup)", &log.0, &log.1));
        let of = |word: &str| format!("whole {word} held out");
        let samples = &data.samples.all;
        let groups = [
            (of("problems"), samples.iter().map(|s| s.group).collect::<Vec<_>>(), 5),
            (of("kernels"), samples.iter().map(|s| s.kernel.index()).collect(), usize::MAX),
            (of("GPUs"), samples.iter().map(|s| s.gpu.index()).collect(), usize::MAX),
        ];
        let mut problems = None;
        for (name, groups, most) in groups {
            if groups.iter().collect::<BTreeSet<_>>().len() > 1 {
                let folds = folds::grouped(&groups, most.min(groups.len()))?;
                let (truth, said) = data.predicted(&folds, recipe, ForestTarget::Raw, progress)?;
                all.push(Errors::from_predictions(name, &truth, &said));
                problems.get_or_insert((truth, said));
            }
        }
        // Where there is one problem alone, what was held out first is a kernel or a GPU.
        let several = samples.iter().map(|s| s.group).collect::<BTreeSet<_>>().len() > 1;
        Ok((all, problems.filter(|_| several)))
    }

    fn told(
        &self,
        world: EvaluationWorld<'_>,
        data: &TrainingData,
        found: &SearchResult,
        importances: Vec<TrainedImportance>,
        errors: Vec<Errors>,
    ) -> Trained {
        let samples = &data.samples.all;
        let gpus: BTreeSet<GpuId> = samples.iter().map(|s| s.gpu).collect();
        let kernels: BTreeSet<KernelId> = samples.iter().map(|s| s.kernel).collect();
        let best = found.best();
        Trained {
            model: self.id().into(),
            what: self.recipe_summary().into(),
            recipe: format!(
                "{}; best of {} trials by MAPE under {FOLDS} folds: {:.1} %",
                in_words(&best.recipe.regressor),
                found.trials.len(),
                best.mean().unwrap_or(f64::NAN)
            ),
            seed: self.seed,
            rows: samples.len(),
            gpus: gpus.into_iter().map(|gpu| world.gpus[gpu].id.clone()).collect(),
            kernels: kernels.into_iter().map(|kernel| world.kernels[kernel].id.clone()).collect(),
            importances,
            importance_unit: "points of MAPE on the tested rows".into(),
            errors,
            used: ModelVerdict {
                used: false,
                why:
                    "it says how much faster than a reference launch on the same GPU, no time on another GPU"
                        .into(),
            },
            notes: recipe_notes(data, self.formulas),
        }
    }
}

/// Raw as published, or its logarithm.
#[derive(Clone, Copy, PartialEq)]
enum ForestTarget {
    Raw,
    Log,
}

impl TrainingData {
    fn targets(&self, rows: &[usize]) -> Vec<f64> {
        rows.iter().map(|i| self.target[*i]).collect()
    }

    /// The metrics of these samples, as far as they are known.
    fn feature_rows(&self, places: &[usize]) -> Vec<Vec<Option<f64>>> {
        let row = |i: &usize| self.columns.iter().map(|c| self.samples.all[*i].metrics[*c].value).collect();
        places.iter().map(row).collect()
    }

    /// Training and test rows, gaps filled with the medians of the training rows alone.
    fn tables(&self, split: &RowFold) -> Result<(LearningTable, LearningTable, MedianImputer), LearnError> {
        let names: Vec<String> = self.columns.iter().map(|c| METRICS[*c].to_string()).collect();
        let train = with_known_columns(self.feature_rows(&split.train));
        let imputer = MedianImputer::fit_medians(&names, &train)?;
        Ok((imputer.fill(&train)?, imputer.fill(&self.feature_rows(&split.test))?, imputer))
    }

    /// True and predicted speedups of every fold's held-out rows.
    fn predicted(
        &self,
        folds: &[RowFold],
        recipe: &Recipe,
        target: ForestTarget,
        progress: &Progress,
    ) -> Result<(Vec<f64>, Vec<f64>), LearnError> {
        let (mut truth, mut said) = (Vec::new(), Vec::new());
        for fold in folds {
            let (train, test, _) = self.tables(fold)?;
            let goal = self.targets(&fold.train);
            let log = |v: &f64| if target == ForestTarget::Log { v.ln() } else { *v };
            let goal: Vec<f64> = goal.iter().map(log).collect();
            let answers = recipe.fit_model(&train, &goal, progress)?.predict(&test)?;
            said.extend(answers.iter().map(|v| if target == ForestTarget::Log { v.exp() } else { *v }));
            truth.extend(self.targets(&fold.test));
        }
        Ok((truth, said))
    }
}

/// A forest made up for the search.
fn candidate(random: &mut Random) -> Regressor {
    let depth = random.below(20);
    Regressor::Forest(ForestParameters {
        trees: 50 + 25 * random.below(11),
        max_depth: (depth > 0).then_some(2 + depth),
        min_samples_leaf: 1 + random.below(8),
        min_samples_split: 2 + random.below(12),
        features_per_split: match random.below(4) {
            0 => Features::All,
            1 => Features::Sqrt,
            _ => Features::Share(0.3 + 0.1 * random.below(7) as f64),
        },
        bootstrap: true,
    })
}

/// `forest of 150 trees, depth at most 12, …`.
fn in_words(regressor: &Regressor) -> String {
    let Regressor::Forest(p) = regressor else { return regressor.name().into() };
    let depth = p.max_depth.map_or("any depth".into(), |d| format!("depth at most {d}"));
    let tried = match p.features_per_split {
        Features::All => "all columns".into(),
        Features::Sqrt => "the root of the columns".into(),
        Features::Share(s) => format!("{:.0} % of the columns", 100.0 * s),
    };
    format!(
        "forest of {} trees, {depth}, leaves of {} rows or more, nodes of {} or more split by {tried}",
        p.trees, p.min_samples_leaf, p.min_samples_split
    )
}

fn measured_importances(
    fitted: &Fitted,
    test: &LearningTable,
    truth: &[f64],
    seed: u64,
) -> Result<Vec<TrainedImportance>, LearnError> {
    let dealt = permutation(fitted, test, truth, REPEATS, seed, metrics::mape)?;
    let saved = fitted.importances().unwrap_or_default();
    let of = |i: crate::learn::importance::ColumnImportance| TrainedImportance {
        impurity: saved.iter().find(|(name, _)| *name == i.name).map(|(_, share)| *share),
        published: published::importance(&i.name),
        permutation: Some(i.mean),
        feature: i.name,
    };
    let mut all: Vec<TrainedImportance> = dealt.into_iter().map(of).collect();
    all.sort_by(|a, b| b.impurity.unwrap_or(0.0).total_cmp(&a.impurity.unwrap_or(0.0)));
    Ok(all)
}

/// What speedups are over, what was left out and why, and what was filled in.
fn recipe_notes(data: &TrainingData, formulas: MetricFormulas) -> Vec<String> {
    let samples = &data.samples;
    let [threads, blocks, others] = samples.references;
    let mut notes = vec![
        format!("speedup over {}", data.reference.sentence()),
        format!(
            "{} launches have a reference: {threads} references of one thread per block, {blocks} of one block, {others} of \
             other shapes; {} are a single thread, as in the paper",
            samples.all.len(),
            samples.single_threads
        ),
        format!("left out: {}", left_out(samples).unwrap_or_else(|| "none".into())),
        format!("{} formulas of the metrics, raw features and raw speedups as published", formulas.as_str()),
    ];
    if samples.all.len() as f64 * (1.0 - TESTED) > SEARCHED as f64 {
        notes.push(format!(
            "the search looked at {SEARCHED} of the training rows, the forest learned from all"
        ));
    }
    for ((unknown, bounds), name) in samples.unknown_and_bounds().into_iter().zip(METRICS) {
        if unknown == samples.all.len() {
            notes.push(format!("{name}: unknown, not used as a column"));
        } else if unknown > 0 {
            notes.push(format!(
                "{name}: unknown in {unknown} rows, filled with the median of the training rows"
            ));
        }
        if bounds > 0 {
            notes.push(format!("{name}: only a bound or an assumption in {bounds} rows"));
        }
    }
    notes
}

/// Which rows are no samples, and why; `None` where all are.
fn left_out(samples: &Samples) -> Option<String> {
    let l = samples.left_out;
    let counts = [
        (l.no_launch, format!("({})", NoFacts::NoLaunch.as_str())),
        (l.cannot_launch, format!("({})", NoFacts::CannotLaunch.as_str())),
        (l.no_reference, "without a reference".into()),
        (l.is_reference, "used as the reference".into()),
    ];
    let some = counts.into_iter().filter(|(n, _)| *n > 0);
    let parts: Vec<String> = some.map(|(n, why)| format!("{n} {why}")).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}
