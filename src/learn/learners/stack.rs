//! Stacking (Wolpert 1992): a last model learns from what the base models say about rows they were not trained on.

use crate::learn::random::Random;
use crate::learn::{LearnError, LearnedModel, LearningTable, Progress, RegressorKind, TrainingRows};
use serde::{Deserialize, Serialize};

/// Base models fitted on all rows, and the last one, fitted on out-of-fold predictions of theirs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Stack<M> {
    pub(super) bases: Vec<M>,
    pub(super) last: Box<M>,
}

/// What a stack is made of, as its recipe says.
pub(super) struct StackParts<'a, K> {
    pub bases: &'a [K],
    pub last: &'a K,
    pub folds: usize,
}

impl<M: LearnedModel> Stack<M> {
    /// `groups`: one number per row; rows of one group are never on both sides of a fold.
    pub(super) fn fit_stack<K: RegressorKind<Model = M>>(
        parts: &StackParts<'_, K>,
        seed: u64,
        taught: TrainingRows<'_>,
        progress: &Progress,
    ) -> Result<Self, LearnError> {
        let TrainingRows { table, target, groups } = taught;
        let fold_of = folds(groups, table.len(), parts.folds, seed)?;
        let mut said = vec![0.0; table.len() * parts.bases.len()];
        for fold in 0..parts.folds {
            let (held, kept): (Vec<usize>, Vec<usize>) = (0..table.len()).partition(|i| fold_of[*i] == fold);
            let trained = table.select(&kept);
            let known: Vec<f64> = kept.iter().map(|i| target[*i]).collect();
            let groups: Option<Vec<usize>> = groups.map(|g| kept.iter().map(|i| g[*i]).collect());
            let rows = TrainingRows { table: &trained, target: &known, groups: groups.as_deref() };
            for (at, base) in parts.bases.iter().enumerate() {
                let model = base.fit_model(seed, rows, progress)?;
                held.iter()
                    .for_each(|i| said[i * parts.bases.len() + at] = model.predict_row(table.row_values(*i)));
            }
        }
        let names = (0..parts.bases.len()).map(|at| format!("base {at}")).collect();
        let out_of_fold = LearningTable::new(names, said)?;
        let last =
            parts.last.fit_model(seed, TrainingRows { table: &out_of_fold, target, groups }, progress)?;
        let whole = |base: &K| base.fit_model(seed, taught, progress);
        let bases = parts.bases.iter().map(whole).collect::<Result<_, _>>()?;
        Ok(Self { bases, last: Box::new(last) })
    }

    pub(super) fn predict_row(&self, row: &[f64]) -> f64 {
        let said: Vec<f64> = self.bases.iter().map(|base| base.predict_row(row)).collect();
        self.last.predict_row(&said)
    }

    /// The same for rows behind each other.
    pub(super) fn predict_rows(&self, rows: &[f64], width: usize) -> Vec<f64> {
        let said: Vec<Vec<f64>> = self.bases.iter().map(|base| base.predict_rows(rows, width)).collect();
        let joined: Vec<f64> =
            (0..rows.len() / width).flat_map(|i| said.iter().map(move |base| base[i])).collect();
        self.last.predict_rows(&joined, self.bases.len())
    }
}

/// The fold that each row is held out in: whole groups dealt out at random, or rows where there are no groups.
fn folds(groups: Option<&[usize]>, n: usize, k: usize, seed: u64) -> Result<Vec<usize>, LearnError> {
    let own: Vec<usize> = (0..n).collect();
    let groups = groups.unwrap_or(&own);
    let mut distinct = groups.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    if distinct.len() < k {
        let why = format!("stacking with {k} folds");
        return Err(LearnError::TooFew { what: "rows or groups", found: distinct.len(), needed: k, why });
    }
    let mut dealt: Vec<usize> = (0..distinct.len()).map(|i| i % k).collect();
    Random::new(seed, u64::MAX).shuffle(&mut dealt);
    Ok(groups.iter().map(|g| dealt[distinct.binary_search(g).unwrap_or(0)]).collect())
}
