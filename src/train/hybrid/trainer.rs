//! `hybrid` as something that is trained once and kept: every lesson for every kernel and target of the rows.

use super::lesson::{FEWEST, FEWEST_GROUPS};
use super::pairs::{TimedPairs, measured_gpus};
use super::{WantedLessons, lessons};
use crate::evaluate::EvaluationWorld;
use crate::learn::LearnError;
use crate::learn::Progress;
use crate::learn::saved::DataHash;
use crate::predict::{CORRECTIONS_NEED, HYBRID, Lesson, Lessons};
use crate::text::counted;
use crate::train::cache::Stamp;
use crate::train::{Errors, Made, ModelVerdict, TrainError, Trained, TrainedImportance, Trainer};
use crate::units::significant;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// The recipe; it has no options.
#[derive(Debug, Clone, Copy, Default)]
pub struct HybridRecipe {
    /// The seed of the trees.
    pub seed: u64,
}

/// A lesson by name, so that a file holds for any order of the catalogues.
#[derive(Serialize, Deserialize)]
struct KeptLesson {
    kernels: Vec<String>,
    /// The GPUs that it has not seen, and is for; none: for those nobody measured.
    hidden: Vec<String>,
    lesson: Lesson,
}

impl Trainer for HybridRecipe {
    fn id(&self) -> &'static str {
        HYBRID
    }

    fn recipe_summary(&self) -> &'static str {
        "corrections per kernel, fitted to the errors that your rows of other GPUs show in `components`"
    }

    fn needs(&self) -> &'static str {
        CORRECTIONS_NEED
    }

    fn stamp(&self, world: EvaluationWorld<'_>) -> Result<Stamp, TrainError> {
        let pairs = TimedPairs::from_world(world);
        let mut hash = DataHash::default();
        for kernel in pairs.kernels() {
            for pair in pairs.of_kernel(kernel) {
                let [from, to] = [pair.source, pair.target].map(|g| &world.gpus[g].id);
                hash = hash.with_bytes(from.as_bytes()).with_bytes(to.as_bytes());
                hash = hash.with_numbers(&pair.features).with_numbers(&[pair.ln, pair.doubt]);
            }
        }
        let recipe =
            "boosted trees of ln(measured / components), one correction per kernel and target, no group worse, kernels checked with 1,000 pairs".into();
        Ok(Stamp { model: HYBRID.into(), recipe, seed: self.seed, data: hash.hex_digest() })
    }

    fn train(&self, world: EvaluationWorld<'_>, progress: &Progress) -> Result<Made, TrainError> {
        let lessons = lessons(world, &WantedLessons::default(), self.seed, progress)?;
        let kept = kept(world, &lessons);
        if kept.is_empty() {
            let gpus = world.store.rows().map(|r| r.gpu).collect::<BTreeSet<_>>().len();
            return Err(TrainError::Rows {
                model: HYBRID,
                why: match world.store.len() {
                    0 => "no rows".into(),
                    rows => format!(
                        "too few pairs (one configuration on two GPUs) in {} of {} to validate on GPUs or kernels left \
                         out: {FEWEST} are needed without each of {FEWEST_GROUPS}",
                        counted(rows, "row"),
                        counted(gpus, "GPU")
                    ),
                },
                what_to_do: format!("measure {CORRECTIONS_NEED}"),
            });
        }
        let unwritten = |e: postcard::Error| LearnError::File { file: HYBRID.into(), what: e.to_string() };
        let model = postcard::to_allocvec(&kept).map_err(unwritten)?;
        Ok(Made { trained: self.told(&kept), model })
    }

    fn check_model(&self, made: &Made) -> Result<(), LearnError> {
        kept_lessons(made).map(drop)
    }
}

/// The lessons of a training, by name.
fn kept_lessons(made: &Made) -> Result<Vec<KeptLesson>, LearnError> {
    let unread = |e: postcard::Error| LearnError::File { file: HYBRID.into(), what: e.to_string() };
    postcard::from_bytes(&made.model).map_err(unread)
}

impl HybridRecipe {
    /// The lessons that a training kept, for the catalogues of this world.
    ///
    /// # Errors
    /// [`LearnError::File`] where the bytes are not of this recipe.
    pub fn lessons(world: EvaluationWorld<'_>, made: &Made) -> Result<Lessons, LearnError> {
        let kept = kept_lessons(made)?;
        let gpus = measured_gpus(world);
        let mut all = Lessons::new(gpus);
        for KeptLesson { kernels, hidden, lesson } in kept {
            let lesson = Arc::new(lesson);
            for kernel in kernels.iter().filter_map(|id| world.kernels.id_named(id)) {
                if hidden.is_empty() {
                    all.insert(kernel, None, lesson.clone());
                }
                let gpus = hidden.iter().filter_map(|id| world.gpus.id_named(id));
                gpus.for_each(|gpu| all.insert(kernel, Some(gpu), lesson.clone()));
            }
        }
        Ok(all)
    }

    fn told(&self, kept: &[KeptLesson]) -> Trained {
        let of = |ids: fn(&KeptLesson) -> &Vec<String>| -> Vec<String> {
            kept.iter().flat_map(|k| ids(k).iter().cloned()).collect::<BTreeSet<_>>().into_iter().collect()
        };
        let used = kept.iter().filter(|k| k.lesson.taught.is_some()).count();
        let errors = errors(kept);
        let shown = |at: usize| errors.get(at).and_then(|e| e.mape).map_or_else(String::new, significant);
        let why = match used {
            0 => "no correction lowers the error of `components` on GPUs or kernels left out".into(),
            n => format!(
                "{n} of {} corrections lower the error on GPUs or kernels left out: MAPE {} % instead of {} % over all",
                kept.len(),
                shown(0),
                shown(1)
            ),
        };
        Trained {
            model: HYBRID.into(),
            what: self.recipe_summary().into(),
            recipe: "120 boosted trees of depth 3, rate 0.05, each on half of at most 4,000 pairs; half of the residual".into(),
            seed: self.seed,
            rows: kept.iter().map(|k| k.lesson.pairs).max().unwrap_or(0),
            gpus: of(|k| &k.lesson.gpus),
            kernels: of(|k| &k.kernels),
            importances: mean_importances(kept),
            importance_unit: String::new(),
            errors,
            used: ModelVerdict { used: used > 0, why },
            notes: recipe_notes(kept),
        }
    }
}

/// Lessons that several kernels or GPUs share are kept once; in an order of their own.
fn kept(world: EvaluationWorld<'_>, lessons: &Lessons) -> Vec<KeptLesson> {
    let mut shared: HashMap<*const Lesson, (&Lesson, BTreeSet<String>, BTreeSet<String>)> = HashMap::new();
    for (kernel, hidden, lesson) in lessons.iter() {
        let (_, kernels, gpus) = shared
            .entry(std::ptr::from_ref(lesson))
            .or_insert_with(|| (lesson, BTreeSet::new(), BTreeSet::new()));
        kernels.insert(world.kernels[kernel].id.clone());
        gpus.extend(hidden.map(|gpu| world.gpus[gpu].id.clone()));
    }
    let mut kept: Vec<KeptLesson> = shared
        .into_values()
        .map(|(lesson, kernels, gpus)| KeptLesson {
            kernels: kernels.into_iter().collect(),
            hidden: gpus.into_iter().collect(),
            lesson: lesson.clone(),
        })
        .collect();
    kept.sort_by(|a, b| (&a.hidden, &a.kernels).cmp(&(&b.hidden, &b.kernels)));
    kept
}

/// The mean errors of all checks: of the model, then of what it corrects.
fn errors(kept: &[KeptLesson]) -> Vec<Errors> {
    let checks = || kept.iter().flat_map(|k| &k.lesson.checks);
    let n = checks().map(|c| c.pairs).sum::<usize>();
    let mean = |of: fn(&crate::predict::HeldOutCheck) -> f64| {
        checks().map(|c| of(c) * c.pairs as f64).sum::<f64>() / n as f64
    };
    let one = |protocol: &str, mape: f64| Errors {
        protocol: protocol.into(),
        n,
        mape: mape.is_finite().then_some(mape),
        ..Errors::default()
    };
    vec![
        one("GPUs and kernels left out: with the residual", mean(|c| c.with)),
        one("GPUs and kernels left out: `components` alone", mean(|c| c.without)),
    ]
}

/// Mean over the lessons that are used of what each number's splits saved.
fn mean_importances(kept: &[KeptLesson]) -> Vec<TrainedImportance> {
    let mut sums: BTreeMap<String, (f64, usize)> = BTreeMap::new();
    for taught in kept.iter().filter_map(|k| k.lesson.taught.as_ref()) {
        for (feature, share) in taught.fitted.importances().unwrap_or_default() {
            let sum = sums.entry(feature).or_default();
            *sum = (sum.0 + share, sum.1 + 1);
        }
    }
    let mean = |(feature, (sum, n)): (String, (f64, usize))| TrainedImportance {
        feature,
        impurity: Some(sum / n as f64),
        ..TrainedImportance::default()
    };
    let mut all: Vec<TrainedImportance> = sums.into_iter().map(mean).collect();
    all.sort_by(|a, b| b.impurity.unwrap_or(0.0).total_cmp(&a.impurity.unwrap_or(0.0)));
    all
}

/// For each lesson, whom it is for and how it did.
fn recipe_notes(kept: &[KeptLesson]) -> Vec<String> {
    let one = |k: &KeptLesson| {
        let [without, with] = k.lesson.errors()?;
        let target = match k.hidden.as_slice() {
            [] => "a GPU that is not among the rows".into(),
            gpus => gpus.join(", "),
        };
        let verdict = if k.lesson.taught.is_some() { "used" } else { "not used" };
        let of = if k.kernels.len() == 1 {
            k.kernels[0].clone()
        } else {
            format!("{} kernels together", k.kernels.len())
        };
        Some(format!("{of} to {target}: {} -> {} %, {verdict}", significant(without), significant(with)))
    };
    kept.iter().filter_map(one).collect()
}
