//! Which rows train and which test. A model is judged on whole groups it has not seen (GPUs, kernels), never on rows whose
//! twins it was trained on; the shuffled split is there because papers use it.

use super::LearnError;
use super::random::Random;
use std::collections::{BTreeMap, BTreeSet};

/// Places of training and test rows; no row is in both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowFold {
    /// What is held out, where it has a name.
    pub name: String,
    /// Rows to train on.
    pub train: Vec<usize>,
    /// Rows to test on.
    pub test: Vec<usize>,
}

/// `n` rows in random order, the last `share` of them (rounded up, as scikit-learn does) for testing.
///
/// # Errors
/// A share outside 0..1, or too few rows for one on each side.
pub fn shuffled_split(n: usize, share: f64, seed: u64) -> Result<RowFold, LearnError> {
    if !(share > 0.0 && share < 1.0) {
        return Err(LearnError::Parameter {
            model: "shuffled split",
            parameter: "share",
            value: share.to_string(),
            expected: "above 0 and below 1".into(),
        });
    }
    let tested = (n as f64 * share).ceil() as usize;
    if n < 2 || tested == n {
        let why = format!("a split with {tested} for testing");
        return Err(LearnError::TooFew { what: "rows", found: n, needed: tested.max(1) + 1, why });
    }
    let mut order: Vec<usize> = (0..n).collect();
    Random::new(seed, 0).shuffle(&mut order);
    let test = order.split_off(n - tested);
    Ok(RowFold { name: format!("{:.0} % of the rows", 100.0 * share), train: order, test })
}

/// At most `k` folds that hold out whole groups: the largest group first, each into the fold that has the fewest rows.
///
/// # Errors
/// Fewer than two groups, or `k` below 2.
pub fn grouped<G: Ord + ToString>(groups: &[G], k: usize) -> Result<Vec<RowFold>, LearnError> {
    let by_group = rows_by_group(groups)?;
    if k < 2 {
        return Err(LearnError::Parameter {
            model: "grouped folds",
            parameter: "k",
            value: k.to_string(),
            expected: "at least 2".into(),
        });
    }
    Ok(folds_by_size(by_group, k, groups.len()))
}

/// The largest groups first, each into the emptiest of `k` folds.
fn folds_by_size(by_group: Vec<(String, Vec<usize>)>, k: usize, count: usize) -> Vec<RowFold> {
    let mut by_size = by_group;
    by_size.sort_by_key(|(_, rows)| std::cmp::Reverse(rows.len())); // stable: equal ones stay in the order of the groups
    let mut folds: Vec<(Vec<String>, Vec<usize>)> = vec![(Vec::new(), Vec::new()); k.min(by_size.len())];
    for (name, rows) in by_size {
        let emptiest = folds.iter_mut().min_by_key(|(_, rows)| rows.len());
        let (names, held) = emptiest.expect("k is at least 2 and there are at least two groups");
        names.push(name);
        held.extend(rows);
    }
    folds.into_iter().map(|(names, rows)| fold(names.join(", "), rows, count)).collect()
}

/// One fold per group, in the order of the groups.
///
/// # Errors
/// Fewer than two groups.
pub fn leave_one_out<G: Ord + ToString>(groups: &[G]) -> Result<Vec<RowFold>, LearnError> {
    let by_group = rows_by_group(groups)?;
    Ok(by_group.into_iter().map(|(name, rows)| fold(name, rows, groups.len())).collect())
}

/// These in at most so many groups, one each where they are few; neighbours in different ones.
#[must_use]
pub fn spread_groups<T: Copy + Ord>(all: &BTreeSet<T>, most: usize) -> Vec<BTreeSet<T>> {
    let count = all.len().min(most);
    let member = |fold: usize| all.iter().copied().skip(fold).step_by(count.max(1)).collect();
    (0..count).map(member).collect()
}

fn rows_by_group<G: Ord + ToString>(groups: &[G]) -> Result<Vec<(String, Vec<usize>)>, LearnError> {
    let mut by_group: BTreeMap<&G, Vec<usize>> = BTreeMap::new();
    for (row, group) in groups.iter().enumerate() {
        by_group.entry(group).or_default().push(row);
    }
    if by_group.len() < 2 {
        let why = "holding out a whole group (a GPU, a kernel)".into();
        return Err(LearnError::TooFew { what: "groups", found: by_group.len(), needed: 2, why });
    }
    Ok(by_group.into_iter().map(|(group, rows)| (group.to_string(), rows)).collect())
}

fn fold(name: String, mut test: Vec<usize>, n: usize) -> RowFold {
    test.sort_unstable();
    let train = (0..n).filter(|row| test.binary_search(row).is_err()).collect();
    RowFold { name, train, test }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_are_left_out_one_by_one_and_many_in_groups_that_share_nothing() {
        let all: BTreeSet<u32> = (0..7).collect();
        assert!(
            spread_groups(&all, 8).iter().all(|fold| fold.len() == 1) && spread_groups(&all, 8).len() == 7
        );
        let groups = spread_groups(&all, 3);
        assert_eq!(groups.iter().map(BTreeSet::len).collect::<Vec<_>>(), [3, 2, 2]);
        assert_eq!(groups.into_iter().flatten().collect::<BTreeSet<_>>(), all);
        assert!(spread_groups(&BTreeSet::<u32>::new(), 8).is_empty());
    }
}
