//! Training on what is loaded, with the cache beside it.

use super::Session;
use crate::evaluate::EvaluationWorld;
use crate::learn::Progress;
use crate::predict::{HYBRID, Lessons, MODELS, model_position};
use crate::train::cache::{CachedModel, Came, ModelCache};
use crate::train::{Made, Survey, SurveyOf, TrainError, Trained, Trainer, WantedLessons, survey, trainers};
use std::sync::Arc;

/// A trained model, and how it came about.
#[derive(Debug, Clone, PartialEq)]
pub struct Training {
    /// What is said of it.
    pub trained: Trained,
    /// From the cache, or trained now.
    pub came: Came,
}

impl Training {
    /// Where it came from, in one line; what in the cache could not be used, in another.
    #[must_use]
    pub fn remarks(&self) -> Vec<String> {
        match &self.came {
            Came::FromCache(path) => vec![format!("from the cache: {}", path.display())],
            Came::Trained { instead_of, kept } => {
                let instead = instead_of.iter().map(|why| format!("trained again: {why}"));
                let kept = match kept {
                    Ok(path) => format!("kept in {}", path.display()),
                    Err(why) => format!("not kept: {why}"),
                };
                instead.chain([kept]).collect()
            }
        }
    }
}

impl Session {
    /// A model of this recipe on the rows to evaluate: from the cache where it is fresh and `anew` is not asked for, else
    /// trained now and kept.
    ///
    /// # Errors
    /// [`TrainError`] where the rows lack what the recipe needs, or it was cancelled; nothing is kept then.
    pub fn train(
        &self,
        trainer: &dyn Trainer,
        cache: Option<&ModelCache>,
        anew: bool,
        progress: &Progress,
    ) -> Result<Training, TrainError> {
        let (made, came) = self.on_rows(|world| made(world, trainer, cache, anew, progress))?;
        Ok(Training { trained: made.trained, came })
    }

    /// [`Session::train`], and the model with what is said of it.
    ///
    /// # Errors
    /// As there.
    pub fn trained_model(
        &self,
        trainer: &dyn Trainer,
        cache: Option<&ModelCache>,
        progress: &Progress,
    ) -> Result<Made, TrainError> {
        Ok(self.on_rows(|world| made(world, trainer, cache, false, progress))?.0)
    }

    /// Asks something of the rows to evaluate, with the GPUs as their documents state them.
    pub(super) fn on_rows<T>(&self, ask: impl FnOnce(EvaluationWorld<'_>) -> T) -> T {
        let (gpus, store) = (self.stock_gpus(), self.rows_to_evaluate());
        ask(EvaluationWorld { gpus, kernels: &self.kernels, store: &store })
    }

    /// Every model on the rows to evaluate; `None` if it was cancelled.
    #[must_use]
    pub fn survey(&self, of: &SurveyOf, progress: &crate::evaluate::Progress) -> Option<Survey> {
        self.on_rows(|world| {
            let Some(setup) = self.taught(world, &of.setup, &MODELS, progress)? else {
                return survey(world, of, progress);
            };
            let WantedLessons { kernels, targets } = WantedLessons::of_question(&of.wanted);
            let is_used = |lessons: &Arc<Lessons>| lessons.any_used_for(kernels.as_ref(), targets.as_ref());
            let learned = setup.lessons.as_ref().is_some_and(is_used);
            let used =
                if of.chosen || !learned { of.used } else { model_position(HYBRID).unwrap_or(of.used) };
            survey(world, &SurveyOf { setup, used, ..of.clone() }, progress)
        })
    }

    /// What is in the cache, and whether it fits the rows that are loaded.
    #[must_use]
    pub fn trained(&self, cache: &ModelCache, seed: u64) -> Vec<CachedModel> {
        // A stamp takes a look at all rows: only what is kept is compared with them.
        let kept = trainers(seed).into_iter().filter(|t| cache.has_file_of(t.id()));
        let wanted: Vec<_> = self.on_rows(|world| kept.filter_map(|t| t.stamp(world).ok()).collect());
        cache.list(&wanted)
    }
}

/// A model of this recipe: from the cache where it is fresh and `anew` is not asked for, else trained now and kept.
pub(super) fn made(
    world: EvaluationWorld<'_>,
    trainer: &dyn Trainer,
    cache: Option<&ModelCache>,
    anew: bool,
    progress: &Progress,
) -> Result<(Made, Came), TrainError> {
    let train = || trainer.train(world, progress);
    let stamp = trainer.stamp(world)?;
    progress.check_cancelled().map_err(crate::learn::LearnError::from)?;
    match cache {
        Some(cache) if anew => cache.train(&stamp, None, train),
        Some(cache) => {
            let (made, came) = cache.get_or_train(&stamp, train)?;
            match (&came, trainer.check_model(&made)) {
                (Came::FromCache(path), Err(why)) => {
                    cache.train(&stamp, Some(format!("{}: {why}", path.display())), train)
                }
                _ => Ok((made, came)),
            }
        }
        None => {
            let kept = Err("there is no cache folder on this system; set ROOFSWAP_CACHE".into());
            Ok((train()?, Came::Trained { instead_of: None, kept }))
        }
    }
}
