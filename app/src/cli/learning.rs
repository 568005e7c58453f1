//! Lets `hybrid` learn from the files of `--data`, with a bar on stderr.

use super::training::watched_as;
use crate::learn::Progress;
use crate::predict::{HYBRID, MODELS, ModelId, model_position};
use crate::session::Session;
use crate::train::cache::ModelCache;
use crate::train::{TrainError, WantedLessons};
use anyhow::Result;
use std::sync::Arc;

/// Lessons for so many kernels are learned sooner than the rows of all are compared with what is kept.
const FEW: usize = 2;

/// The model of this name; without one the default, which is `hybrid` where it may learn from the user's rows. Where it may answer, it has
/// learned what is wanted.
///
/// # Errors
/// No such model; or that learning failed.
pub(super) fn taught_model(
    session: &Session,
    named: Option<&str>,
    wanted: &WantedLessons,
) -> Result<ModelId> {
    let named = named.map(model_position).transpose()?;
    if named.is_none_or(|model| MODELS[model].id() == HYBRID) {
        teach(session, wanted)?;
    }
    Ok(named.unwrap_or_else(|| session.default_model_for(wanted)))
}

/// Learns what is wanted, or takes over what was kept, and leaves it in the session. Rows that teach nothing are no failure.
pub(super) fn teach(session: &Session, wanted: &WantedLessons) -> Result<()> {
    if !session.may_teach() {
        return Ok(());
    }
    let progress = Progress::default();
    let few = wanted.kernels.as_ref().is_some_and(|kernels| kernels.len() <= FEW);
    let what = if few { "fitting `hybrid` to your rows" } else { "fitting `hybrid` to your rows, once" };
    let lessons = watched_as(what, &progress, || {
        if few {
            Ok(session.learn_lessons(wanted, &progress)?)
        } else {
            session.learn_and_keep(ModelCache::of_user().as_ref(), &progress)
        }
    });
    match lessons {
        Ok(lessons) => session.teach(Arc::new(lessons)),
        Err(TrainError::Rows { .. }) => {}
        Err(why) => return Err(why.into()),
    }
    Ok(())
}
