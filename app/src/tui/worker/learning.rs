//! The worker's part of measuring and training models: with progress, until nobody wants it any more.

use super::watch::JobWatch;
use crate::evaluate::EvaluationSetup;
use crate::predict::ModelId;
use crate::progress::Progress;
use crate::session::Session;
use crate::train::cache::ModelCache;
use crate::train::{SurveyOf, learned, trainer, trainers};
use crate::tui::message::Message;
use crate::tui::panes::evaluate::outcome::Evaluated;
use crate::tui::panes::models::findings::SEED;
use std::sync::atomic::Ordering;

/// How far an evaluation is; one that nobody wants any more is told to stop.
fn evaluated_so_far(progress: &Progress, watch: &JobWatch<'_>) -> Option<String> {
    progress.cancelled.store(watch.is_cancelled(), Ordering::Relaxed);
    let done = progress.done.load(Ordering::Relaxed);
    (done > 0).then(|| format!("evaluating the models: {done} configurations"))
}

/// Every model's errors, and what is in the cache.
pub(super) fn survey_models(session: &Session, of: &SurveyOf, watch: &JobWatch<'_>) -> Message {
    let progress = Progress::default();
    let shown = || evaluated_so_far(&progress, watch);
    let found = watch.watch_progress(shown, || {
        let survey = session.survey(of, &progress)?;
        let entries = ModelCache::of_user().map(|cache| session.trained(&cache, SEED)).unwrap_or_default();
        Some(Box::new((survey, learned(&trainers(SEED), entries))))
    });
    Message::Surveyed(found)
}

/// A model of this recipe, from the cache or trained now.
pub(super) fn train_model(session: &Session, model: &str, watch: &JobWatch<'_>) -> Message {
    let progress = Progress::default();
    let shown = || {
        if watch.is_cancelled() {
            progress.cancel();
        }
        let [done, total] = [&progress.done, &progress.total].map(|n| n.load(Ordering::Relaxed));
        (total > 0).then(|| format!("training {model}: {done} of {total}"))
    };
    let trained = watch.watch_progress(shown, || {
        let trainer = trainer(model, SEED)?;
        session.train(&*trainer, ModelCache::of_user().as_ref(), false, &progress)
    });
    Message::Trained(match trained {
        Err(why) if why.is_cancelled() => None,
        trained => Some(trained.map(Box::new).map_err(|e| e.to_string())),
    })
}

/// Runs an evaluation, says how far it is, and stops it once it is not wanted.
pub(super) fn evaluate_model(
    session: &Session,
    model: ModelId,
    setup: &EvaluationSetup,
    watch: &JobWatch<'_>,
) -> Message {
    let progress = Progress::default();
    let shown = || evaluated_so_far(&progress, watch);
    let evaluated = watch.watch_progress(shown, || Evaluated::new(session, model, setup, &progress));
    Message::Evaluated(evaluated.map(Box::new))
}

/// Learns for every kernel and target, and says how far it is; one that was cancelled has learned nothing.
pub(super) fn learn_lessons(session: &Session, watch: &JobWatch<'_>) -> Message {
    let progress = Progress::default();
    let shown = || {
        if watch.is_cancelled() {
            progress.cancel();
        }
        let [done, total] = [&progress.done, &progress.total].map(|n| n.load(Ordering::Relaxed));
        (done > 0).then(|| format!("learning from your rows: {done} of {total}"))
    };
    let learned =
        watch.watch_progress(shown, || session.learn_and_keep(ModelCache::of_user().as_ref(), &progress));
    Message::Learned(session.revision(), Box::new(learned.unwrap_or_default()))
}
