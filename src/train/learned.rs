//! What can be trained beside what has been: one line per recipe and per file of the cache.

use super::cache::{CacheState, CachedModel};
use super::trained::Trained;
use super::trainer::Trainer;
use crate::calendar::utc_date;
use std::path::PathBuf;

/// A learned model, trained or not.
#[derive(Debug, Clone, PartialEq)]
pub struct TrainableModel {
    /// Its id.
    pub model: String,
    /// What it predicts.
    pub what: String,
    /// What it needs of the rows.
    pub needs: String,
    /// Its state: a word of [`CacheState`], or `not trained`.
    pub state: String,
    /// Why it is in that state, or what would change it.
    pub why: String,
    /// The file, where there is one.
    pub path: Option<PathBuf>,
    /// When it was written: `2026-11-21`.
    pub written: Option<String>,
    /// What it says of itself, where it is whole.
    pub trained: Option<Trained>,
    /// Whether it is a published method to compare with, which no prediction uses.
    pub is_comparison: bool,
}

/// Every recipe with its files in the cache, fresh ones first; recipes without any say how to train them.
#[must_use]
pub fn learned(trainers: &[Box<dyn Trainer>], entries: Vec<CachedModel>) -> Vec<TrainableModel> {
    let mut all: Vec<TrainableModel> = entries.into_iter().map(|e| of_file(trainers, e)).collect();
    all.sort_by_key(|l| l.state != CacheState::Fresh.as_str());
    for t in trainers {
        if all.iter().all(|l| l.model != t.id()) {
            all.push(TrainableModel {
                model: t.id().into(),
                what: t.recipe_summary().into(),
                needs: t.needs().into(),
                state: "not trained".into(),
                why: format!("`roofswap train {} --data FILE` trains it", t.id()),
                path: None,
                written: None,
                trained: None,
                is_comparison: t.is_comparison(),
            });
        }
    }
    all
}

/// The same for people: methods to compare with that nobody has trained stand on one line.
#[must_use]
pub fn shortened(all: &[TrainableModel]) -> Vec<TrainableModel> {
    let is_idle = |l: &&TrainableModel| l.is_comparison && l.path.is_none();
    let idle: Vec<&TrainableModel> = all.iter().filter(is_idle).collect();
    let mut shown: Vec<TrainableModel> = all.iter().filter(|l| !is_idle(l)).cloned().collect();
    if let Some(first) = idle.first() {
        shown.push(TrainableModel {
            model: idle.iter().map(|l| l.model.as_str()).collect::<Vec<_>>().join(", "),
            why: "`roofswap train MODEL --data FILE` trains one of them".into(),
            ..(*first).clone()
        });
    }
    shown
}

fn of_file(trainers: &[Box<dyn Trainer>], entry: CachedModel) -> TrainableModel {
    let CachedModel { path, written, state, trained } = entry;
    let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let named = stem.rsplit_once('-').map_or(stem.as_str(), |(model, _)| model);
    let model = trained.as_ref().map_or(named, |t| &t.model).to_string();
    let recipe = trainers.iter().find(|t| t.id() == model);
    let why = match &state {
        CacheState::Fresh => String::new(),
        CacheState::OtherData => {
            "made from other rows than those loaded; trained again where it is wanted".into()
        }
        CacheState::Stale(why) | CacheState::Damaged(why) => {
            format!("{why}; it is trained again where it is wanted")
        }
    };
    TrainableModel {
        what: recipe.map_or("no recipe of this version", |t| t.recipe_summary()).into(),
        needs: recipe.map_or("", |t| t.needs()).into(),
        state: state.as_str().into(),
        why,
        written: written.and_then(utc_date),
        path: Some(path),
        is_comparison: recipe.is_some_and(|t| t.is_comparison()),
        model,
        trained,
    }
}
