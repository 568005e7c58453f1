//! A regressor of Table 6 as something that is trained once and kept.

use super::columns::column_names;
use super::held_out::{
    FittedRegressor, HeldOutTimes, RegressorPlan, RegressorScale, gpu_folds, kernel_folds, size_folds,
};
use super::pairs::{PairsOfWorld, RegressorPair};
use crate::evaluate::EvaluationWorld;
use crate::learn::importance::permutation;
use crate::learn::learners::Table6Model;
use crate::learn::saved::DataHash;
use crate::learn::{LearnError, Progress, RowFold, metrics};
use crate::predict::{MODELS, ModelId};
use crate::train::cache::Stamp;
use crate::train::{Errors, Made, ModelVerdict, TrainError, Trained, TrainedImportance, Trainer};
use crate::units::significant;
use std::collections::BTreeSet;

/// Most pairs that are trained on: the time of support vectors grows with their square.
pub(super) const MOST_PAIRS: usize = 1_000;

/// Fewer pairs teach nothing.
pub(super) const FEWEST_PAIRS: usize = 30;

/// Fewer GPUs leave no pair to train on where one of them is held out.
const FEWEST_GPUS: usize = 3;

/// How often a column is dealt out anew.
const REPEATS: usize = 5;

/// The recipe of one of the seven.
#[derive(Debug, Clone, Copy)]
pub struct RegressorRecipe {
    /// Which one.
    pub model: Table6Model,
    /// The seed of those with chance in them.
    pub seed: u64,
}

impl Trainer for RegressorRecipe {
    fn id(&self) -> &'static str {
        self.model.id()
    }

    fn recipe_summary(&self) -> &'static str {
        "time on another GPU from counts and GPU numbers (paper 1, Table 6), to compare with"
    }

    fn needs(&self) -> &'static str {
        "the same configurations measured on three GPUs or more"
    }

    fn is_comparison(&self) -> bool {
        true
    }

    fn stamp(&self, world: EvaluationWorld<'_>) -> Result<Stamp, TrainError> {
        Ok(self.stamp_of_pairs(world, &self.pairs(world)?))
    }

    fn train(&self, world: EvaluationWorld<'_>, progress: &Progress) -> Result<Made, TrainError> {
        let pairs = self.pairs(world)?;
        let checks = HeldOutChecks::new(&pairs);
        progress.expect(checks.fold_count() + 1);
        let plan = self.plan(RegressorScale::Raw);
        let gpus = plan.held_out_times(&pairs, &checks.gpus, progress)?;
        let logarithms =
            self.plan(RegressorScale::Logarithms).held_out_times(&pairs, &checks.gpus, progress)?;
        let mut errors = vec![
            error_line("GPUs left out", &gpus),
            error_line("GPUs left out, logarithms of columns and time", &logarithms),
            default_errors(&pairs, &gpus),
        ];
        for (protocol, folds) in [
            ("kernels left out, their time on the source known", &checks.kernels),
            ("largest sizes left out", &checks.sizes),
        ] {
            if !folds.is_empty() {
                errors.push(error_line(protocol, &plan.held_out_times(&pairs, folds, progress)?));
            }
        }
        let all: Vec<&RegressorPair> = pairs.iter().collect();
        let fitted = plan.fit(&all, &progress.aside())?;
        progress.advance(1);
        let importances = self.importances(&fitted, &all)?;
        let whole = |e: postcard::Error| LearnError::File { file: self.id().into(), what: e.to_string() };
        let model = postcard::to_allocvec(&fitted).map_err(whole)?;
        Ok(Made { trained: self.summary(world, &pairs, errors, importances), model })
    }

    fn check_model(&self, made: &Made) -> Result<(), LearnError> {
        let unread = |e: postcard::Error| LearnError::File { file: self.id().into(), what: e.to_string() };
        postcard::from_bytes::<FittedRegressor>(&made.model).map(drop).map_err(unread)
    }
}

/// What is held out, in which parts.
struct HeldOutChecks {
    gpus: Vec<RowFold>,
    kernels: Vec<RowFold>,
    sizes: Vec<RowFold>,
}

impl HeldOutChecks {
    fn new(pairs: &[RegressorPair]) -> Self {
        Self {
            gpus: gpu_folds(pairs, FEWEST_PAIRS),
            kernels: kernel_folds(pairs, FEWEST_PAIRS),
            sizes: size_folds(pairs, FEWEST_PAIRS),
        }
    }

    /// GPUs are held out twice: raw and as logarithms.
    fn fold_count(&self) -> usize {
        2 * self.gpus.len() + self.kernels.len() + self.sizes.len()
    }
}

impl RegressorRecipe {
    pub(super) fn plan(&self, scale: RegressorScale) -> RegressorPlan {
        RegressorPlan { model: self.model, seed: self.seed, scale }
    }

    fn pairs(&self, world: EvaluationWorld<'_>) -> Result<Vec<RegressorPair>, TrainError> {
        let all = PairsOfWorld::new(world);
        let (gpus, pairs) = (all.targets().len(), all.chosen(MOST_PAIRS));
        if gpus < FEWEST_GPUS || pairs.len() < FEWEST_PAIRS || gpu_folds(&pairs, FEWEST_PAIRS).is_empty() {
            return Err(TrainError::Rows {
                model: self.id(),
                why: format!(
                    "{} pairs of {gpus} GPUs on which the same configuration was measured",
                    pairs.len()
                ),
                what_to_do: format!(
                    "give --data with the same configurations on {FEWEST_GPUS} GPUs or more, {FEWEST_PAIRS} pairs without any one of them"
                ),
            });
        }
        Ok(pairs)
    }

    fn stamp_of_pairs(&self, world: EvaluationWorld<'_>, pairs: &[RegressorPair]) -> Stamp {
        let mut hash = DataHash::default();
        for pair in pairs {
            let values: Vec<f64> = pair.values.iter().map(|v| v.unwrap_or(f64::NAN)).collect();
            let [from, to] = [pair.trial.source, pair.trial.target].map(|gpu| &world.gpus[gpu].id);
            hash = hash.with_bytes(from.as_bytes()).with_bytes(to.as_bytes());
            hash = hash.with_numbers(&values).with_numbers(&[
                pair.trial.measured,
                pair.default_time.unwrap_or(f64::NAN),
                f64::from(u8::from(pair.is_largest)),
            ]);
        }
        let recipe = format!("{}; raw columns and time", self.model.sentence());
        let seed = if self.model.is_seeded() { self.seed } else { 0 };
        Stamp { model: self.id().into(), recipe, seed, data: hash.hex_digest() }
    }

    fn summary(
        &self,
        world: EvaluationWorld<'_>,
        pairs: &[RegressorPair],
        errors: Vec<Errors>,
        importances: Vec<TrainedImportance>,
    ) -> Trained {
        let gpus: BTreeSet<_> = pairs.iter().flat_map(|p| [p.trial.source, p.trial.target]).collect();
        let kernels: BTreeSet<_> = pairs.iter().map(|p| p.trial.kernel).collect();
        let mape = |at: usize| errors.get(at).and_then(|e: &Errors| e.mape).map_or("-".into(), significant);
        let why = format!(
            "a published method to compare with: MAPE {} % on GPUs left out, `{}` {} % on the same pairs",
            mape(0),
            MODELS[ModelId::default()].id(),
            mape(2)
        );
        Trained {
            model: self.id().into(),
            what: self.recipe_summary().into(),
            recipe: format!(
                "{}; {} columns and the time in ms, raw",
                self.model.sentence(),
                column_names().len()
            ),
            seed: if self.model.is_seeded() { self.seed } else { 0 },
            rows: pairs.len(),
            gpus: gpus.into_iter().map(|gpu| world.gpus[gpu].id.clone()).collect(),
            kernels: kernels.into_iter().map(|kernel| world.kernels[kernel].id.clone()).collect(),
            importances,
            importance_unit: "points of MAPE on the pairs trained on".into(),
            errors,
            used: ModelVerdict { used: false, why },
            notes: recipe_notes(pairs),
        }
    }

    fn importances(
        &self,
        fitted: &FittedRegressor,
        pairs: &[&RegressorPair],
    ) -> Result<Vec<TrainedImportance>, LearnError> {
        let (model, table) = (fitted.fitted(), fitted.filled_table(pairs)?);
        let target: Vec<f64> = pairs.iter().map(|pair| pair.target_ms()).collect();
        let dealt = permutation(model, &table, &target, REPEATS, self.seed, metrics::mape)?;
        let saved = model.importances().unwrap_or_default();
        let told = |i: crate::learn::importance::ColumnImportance| TrainedImportance {
            impurity: saved.iter().find(|(name, _)| *name == i.name).map(|(_, share)| *share),
            published: None,
            permutation: Some(i.mean),
            feature: i.name,
        };
        let mut all: Vec<TrainedImportance> = dealt.into_iter().map(told).collect();
        let worth = |i: &TrainedImportance| i.impurity.or(i.permutation).unwrap_or(0.0);
        all.sort_by(|a, b| worth(b).total_cmp(&worth(a)));
        Ok(all)
    }
}

fn error_line(protocol: &str, times: &HeldOutTimes) -> Errors {
    Errors::from_predictions(protocol, &times.measured, &times.predicted)
}

/// What the default model says of the pairs that were asked with GPUs left out.
fn default_errors(pairs: &[RegressorPair], asked: &HeldOutTimes) -> Errors {
    let both =
        asked.places.iter().filter_map(|at| Some((pairs[*at].target_ms(), pairs[*at].default_time? * 1e3)));
    let (measured, predicted): (Vec<f64>, Vec<f64>) = both.unzip();
    let protocol = format!("GPUs left out: `{}` on the same pairs", MODELS[ModelId::default()].id());
    Errors::from_predictions(protocol, &measured, &predicted)
}

/// What was filled in.
fn recipe_notes(pairs: &[RegressorPair]) -> Vec<String> {
    let mut notes = vec![
        "MAE and RMSE in ms; a row is a pair of GPUs on which the same configuration was measured".into(),
    ];
    if pairs.len() == MOST_PAIRS {
        notes.push(format!("{MOST_PAIRS} pairs of more, chosen by the hash of what they are"));
    }
    for (column, name) in column_names().into_iter().enumerate() {
        let unknown = pairs.iter().filter(|pair| pair.values[column].is_none()).count();
        if unknown == pairs.len() {
            notes.push(format!("{name}: unknown, 0 in every row"));
        } else if unknown > 0 {
            notes.push(format!(
                "{name}: unknown in {unknown} rows, filled with the median of the rows trained on"
            ));
        }
    }
    notes
}
