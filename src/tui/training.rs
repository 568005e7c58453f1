//! The worker's part of the Models pane: surveys and trainings, with progress, until nobody wants them any more.

use super::message::Message;
use super::models::SEED;
use super::worker::Watch;
use crate::progress::Progress;
use crate::session::Session;
use crate::train::cache::Cache;
use crate::train::{SurveyOf, learned, trainer, trainers};
use std::sync::atomic::Ordering;

/// Every model's errors, and what is in the cache.
pub(super) fn survey(session: &Session, of: &SurveyOf, watch: &Watch<'_>) -> Message {
    let progress = Progress::default();
    let shown = || {
        progress.cancelled.store(watch.is_cancelled(), Ordering::Relaxed);
        let done = progress.done.load(Ordering::Relaxed);
        (done > 0).then(|| format!("measuring the models: {done} configurations"))
    };
    let found = watch.looking(shown, || {
        let survey = session.survey(of, &progress)?;
        let entries = Cache::of_user().map(|cache| session.trained(&cache, SEED)).unwrap_or_default();
        Some(Box::new((survey, learned(&trainers(SEED), entries))))
    });
    Message::Surveyed(found)
}

/// A model of this recipe, from the cache or trained now.
pub(super) fn train(session: &Session, model: &str, watch: &Watch<'_>) -> Message {
    let progress = Progress::default();
    let shown = || {
        if watch.is_cancelled() {
            progress.cancel();
        }
        let [done, total] = [&progress.done, &progress.total].map(|n| n.load(Ordering::Relaxed));
        (total > 0).then(|| format!("training {model}: {done} of {total}"))
    };
    let trained = watch.looking(shown, || {
        let trainer = trainer(model, SEED)?;
        session.train(&*trainer, Cache::of_user().as_ref(), false, &progress)
    });
    Message::Trained(match trained {
        Err(why) if why.is_cancelled() => None,
        trained => Some(trained.map(Box::new).map_err(|e| e.to_string())),
    })
}
