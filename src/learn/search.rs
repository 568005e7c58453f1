//! Looking for hyperparameters: every candidate is fitted on each fold's training rows and judged on its held-out rows. The
//! folds decide what is found: with folds by GPU or kernel, what carries over to a new one; with shuffled rows, what
//! remembers best.

use super::error::LearnError;
use super::folds::RowFold;
use super::importance::no_meaning;
use super::kind::RegressorKind;
use super::metrics::ErrorMetric;
use super::random::Random;
use super::recipe::Recipe;
use super::table::LearningTable;
use super::tree_regressor::Regressor;
use crate::cores;
use crate::progress::Progress;

/// What candidates are judged on.
#[derive(Debug, Clone, Copy)]
pub struct SearchTask<'a> {
    /// The rows.
    pub table: &'a LearningTable,
    /// One number per row.
    pub target: &'a [f64],
    /// One group per row, for stacks; `None`: each row is its own.
    pub groups: Option<&'a [usize]>,
    /// What is trained on and what is held out.
    pub folds: &'a [RowFold],
    /// An error: less is better.
    pub metric: ErrorMetric,
}

/// One candidate.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchTrial<K = Regressor> {
    /// What was tried.
    pub recipe: Recipe<K>,
    /// Its error on each fold's held-out rows, in the order of the folds; or why it could not be fitted.
    pub errors: Result<Vec<f64>, LearnError>,
}

impl<K> SearchTrial<K> {
    /// The mean over the folds.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        let errors = self.errors.as_ref().ok()?;
        Some(errors.iter().sum::<f64>() / errors.len() as f64)
    }
}

/// All trials in the order they were put, and which of them is best.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchResult<K = Regressor> {
    /// In the order of the candidates.
    pub trials: Vec<SearchTrial<K>>,
    best: usize,
}

impl<K> SearchResult<K> {
    /// The candidate of the smallest mean error; of equal ones the first.
    #[must_use]
    pub fn best(&self) -> &SearchTrial<K> {
        &self.trials[self.best]
    }

    /// Trials from the best to the worst, failed ones last.
    #[must_use]
    pub fn ranked(&self) -> Vec<&SearchTrial<K>> {
        let mut ranked: Vec<&SearchTrial<K>> = self.trials.iter().collect();
        ranked.sort_by(|a, b| {
            let error = |t: &SearchTrial<K>| t.mean().unwrap_or(f64::INFINITY);
            error(a).total_cmp(&error(b))
        });
        ranked
    }
}

/// Tries every candidate.
///
/// # Errors
/// No candidates or folds, target or groups that do not fit the table, a cancelled progress, or the first candidate's
/// error where not one could be fitted.
pub fn grid<K: RegressorKind>(
    candidates: &[Recipe<K>],
    task: &SearchTask<'_>,
    progress: &Progress,
) -> Result<SearchResult<K>, LearnError> {
    check_candidates(candidates.len(), task)?;
    progress.expect(candidates.len() * task.folds.len());
    let jobs = candidates.len() * task.folds.len();
    let judge = |job: usize| {
        progress.check_cancelled()?;
        let (recipe, fold) = (&candidates[job / task.folds.len()], &task.folds[job % task.folds.len()]);
        let error = held_out(recipe, fold, task, progress);
        progress.advance(1);
        match error {
            Err(LearnError::Cancelled) => Err(LearnError::Cancelled),
            error => Ok(error),
        }
    };
    let judged: Vec<Result<f64, LearnError>> = cores::try_collect(jobs, judge)?;
    let trials: Vec<SearchTrial<K>> = candidates
        .iter()
        .zip(judged.chunks_exact(task.folds.len()))
        .map(|(recipe, errors)| SearchTrial {
            recipe: recipe.clone(),
            errors: errors.iter().cloned().collect(),
        })
        .collect();
    let means = trials.iter().enumerate().filter_map(|(at, trial)| Some((at, trial.mean()?)));
    match means.min_by(|a, b| a.1.total_cmp(&b.1)) {
        Some((best, _)) => Ok(SearchResult { trials, best }),
        None => {
            Err(trials.into_iter().find_map(|t| t.errors.err()).unwrap_or_else(|| no_meaning("a search")))
        }
    }
}

/// Tries `trials` recipes that `draw` makes up; one that was drawn before is drawn again, a few times.
///
/// # Errors
/// As [`grid`].
pub fn random<K: RegressorKind>(
    draw: impl Fn(&mut Random) -> Recipe<K>,
    trials: usize,
    seed: u64,
    task: &SearchTask<'_>,
    progress: &Progress,
) -> Result<SearchResult<K>, LearnError> {
    let mut candidates: Vec<Recipe<K>> = Vec::with_capacity(trials);
    for trial in 0..trials {
        let mut random = Random::new(seed, trial as u64);
        let mut fresh = (0..20).map(|_| draw(&mut random));
        let new = fresh.find(|recipe| !candidates.contains(recipe));
        candidates.extend(new); // a small space may be exhausted
    }
    grid(&candidates, task, progress)
}

fn check_candidates(candidates: usize, task: &SearchTask<'_>) -> Result<(), LearnError> {
    task.table.check_target("target", task.target)?;
    let need = |what, found, needed| Err(LearnError::TooFew { what, found, needed, why: "a search".into() });
    if candidates == 0 {
        return need("candidates", 0, 1);
    }
    if task.folds.is_empty() {
        return need("folds", 0, 1);
    }
    let rows = task.table.len();
    if let Some(groups) = task.groups.filter(|g| g.len() != rows) {
        return Err(LearnError::Length { what: "groups".into(), found: groups.len(), rows });
    }
    let outside = |fold: &&RowFold| fold.train.iter().chain(&fold.test).any(|i| *i >= rows);
    match task.folds.iter().find(outside) {
        Some(fold) => {
            let what = format!("fold `{}`", fold.name);
            Err(LearnError::Length { what, found: fold.train.len() + fold.test.len(), rows })
        }
        None => Ok(()),
    }
}

/// The error on one fold's held-out rows.
fn held_out<K: RegressorKind>(
    recipe: &Recipe<K>,
    fold: &RowFold,
    task: &SearchTask<'_>,
    progress: &Progress,
) -> Result<f64, LearnError> {
    let of = |rows: &[usize]| rows.iter().map(|i| task.target[*i]).collect::<Vec<_>>();
    let train = task.table.select(&fold.train);
    // The trees inside one candidate are not steps of the search.
    let own = progress.aside();
    let fitted = match task.groups {
        Some(groups) => {
            let groups: Vec<usize> = fold.train.iter().map(|i| groups[*i]).collect();
            recipe.fit_grouped(&train, &of(&fold.train), &groups, &own)?
        }
        None => recipe.fit_model(&train, &of(&fold.train), &own)?,
    };
    let said = fitted.predict(&task.table.select(&fold.test))?;
    (task.metric)(&of(&fold.test), &said).ok_or_else(|| no_meaning("this fold's held-out rows"))
}
