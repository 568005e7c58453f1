//! Keys of a size that are left out: the sides of a square, and the choices of a program.

use super::formula::Formula;
use super::problem::{Problem, ProblemKey, ProblemValue};
use std::collections::BTreeMap;

/// The size with the side that the others follow: of `m`, `n` and `k` with the defaults `n = "m"` and `k = "m"`, `n=8192` alone is
/// `m=8192;n=8192`. `None` where nothing is to add: that side is typed, or two of the others are, which make no square.
pub(super) fn with_square_side(
    typed: &Problem,
    keys: &[String],
    defaults: &BTreeMap<String, Formula>,
) -> Option<Problem> {
    let is_missing = |key: &&String| !defaults.contains_key(*key) && typed.get(key).is_none();
    let mut missing = keys.iter().filter(is_missing);
    let (Some(side), None) = (missing.next(), missing.next()) else { return None };
    let followers = || defaults.iter().filter(|(_, default)| default.source_text() == side);
    let mut given = followers().filter_map(|(key, _)| typed.number_at(key));
    // Width and height, or heads, are two; a product has three.
    let (Some(value), None, 2..) = (given.next(), given.next(), followers().count()) else { return None };
    let mut pairs = typed.pairs().to_vec();
    pairs.push((ProblemKey::new(side), ProblemValue::Number(value)));
    Some(Problem::from_pairs(pairs))
}

/// The keys whose default no other key says; where there is no other key, every row there is has it.
pub(super) fn chosen(keys: &[String], defaults: &BTreeMap<String, Formula>) -> Vec<String> {
    let constant = defaults.iter().filter(|(_, f)| keys.len() > 1 && f.is_constant());
    constant.map(|(key, _)| key.clone()).collect()
}
