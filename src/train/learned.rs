//! What can be trained beside what has been: one line per recipe and per file of the cache.

use super::cache::{Entry, State};
use super::trained::Trained;
use super::trainer::Trainer;
use crate::calendar::utc_date;
use std::path::PathBuf;

/// A learned model, trained or not.
#[derive(Debug, Clone, PartialEq)]
pub struct Learned {
    /// Its id.
    pub model: String,
    /// What it predicts.
    pub what: String,
    /// What it needs of the rows.
    pub needs: String,
    /// Its state: a word of [`State`], or `not trained`.
    pub state: String,
    /// Why it is in that state, or what would change it.
    pub why: String,
    /// The file, where there is one.
    pub path: Option<PathBuf>,
    /// When it was written: `2026-11-21`.
    pub written: Option<String>,
    /// What it says of itself, where it is whole.
    pub trained: Option<Trained>,
}

/// Every recipe with its files in the cache, fresh ones first; recipes without any say how to train them.
#[must_use]
pub fn learned(trainers: &[Box<dyn Trainer>], entries: Vec<Entry>) -> Vec<Learned> {
    let mut all: Vec<Learned> = entries.into_iter().map(|e| of_file(trainers, e)).collect();
    all.sort_by_key(|l| l.state != State::Fresh.word());
    for t in trainers {
        if all.iter().all(|l| l.model != t.id()) {
            all.push(Learned {
                model: t.id().into(),
                what: t.summary().into(),
                needs: t.needs().into(),
                state: "not trained".into(),
                why: format!("`roofswap train {} --data FILE` trains it", t.id()),
                path: None,
                written: None,
                trained: None,
            });
        }
    }
    all
}

fn of_file(trainers: &[Box<dyn Trainer>], entry: Entry) -> Learned {
    let Entry { path, written, state, trained } = entry;
    let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let named = stem.rsplit_once('-').map_or(stem.as_str(), |(model, _)| model);
    let model = trained.as_ref().map_or(named, |t| &t.model).to_string();
    let recipe = trainers.iter().find(|t| t.id() == model);
    let why = match &state {
        State::Fresh => String::new(),
        State::OtherData => "made from other rows than those loaded; trained again where it is wanted".into(),
        State::Stale(why) | State::Damaged(why) => format!("{why}; it is trained again where it is wanted"),
    };
    Learned {
        what: recipe.map_or("no recipe of this version", |t| t.summary()).into(),
        needs: recipe.map_or("", |t| t.needs()).into(),
        state: state.word().into(),
        why,
        written: written.and_then(utc_date),
        path: Some(path),
        model,
        trained,
    }
}
