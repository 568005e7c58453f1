//! Whether predictions order things rightly: configurations of a kernel on one GPU, and GPUs for one kernel. Each stands
//! beside what orders without a model: the times measured on the source, and the bandwidths of the GPUs.

use super::metrics::order_of;
use super::setup::EvaluationWorld;
use crate::answer::{AnswerTrial, AnswerTrials};
use crate::gpu::{Ceilings, GpuId};
use crate::kernel::KernelId;
use crate::measurement::Store;
use crate::stats;
use std::collections::{BTreeMap, HashMap};
use std::ops::RangeInclusive;

/// Fewer configurations make no order worth a number.
const FEWEST: usize = 5;

/// How well a model orders, as means over groups; `None` where no group is large enough.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Ranking {
    /// Spearman's rank correlation of predicted and measured times over the configurations of one kernel, from one GPU to
    /// another.
    pub spearman: Option<f64>,
    /// The same for the times measured on the source.
    pub source_spearman: Option<f64>,
    /// How much slower the configuration that is predicted to be the fastest of a problem is than the one that is, in percent.
    pub regret_percent: Option<f64>,
    /// The same for the configuration that is the fastest on the source.
    pub source_regret_percent: Option<f64>,
    /// How often the GPU with more DRAM bandwidth is the faster one, in percent, where measured times are 5 % apart.
    pub bandwidth_order_percent: Option<f64>,
}

/// One configuration of a group.
#[derive(Debug, Clone, Copy)]
struct Ranked {
    /// The configuration's place in the order of the store.
    config: u32,
    predicted: f64,
    measured: f64,
    source: f64,
}

/// The ranking of these trials.
#[must_use]
pub fn ranking(world: EvaluationWorld<'_>, trials: &AnswerTrials) -> Ranking {
    let mut groups: BTreeMap<RankedPair, RankedGroup> = BTreeMap::new();
    let (mut ordered, mut right) = (0_usize, 0.0);
    for t in trials.iter() {
        let Some(source) = timed_elsewhere(&t) else { continue };
        groups.entry(pair_of(&t)).or_default().take(&t);
        let bandwidth = |gpu: GpuId| world.gpus[gpu].bandwidth(Ceilings::Peak).value.0;
        let by_bandwidth = source * bandwidth(t.source) / bandwidth(t.target);
        if let Some(order) = order_of([source, by_bandwidth], t.measured) {
            ordered += 1;
            right += order;
        }
    }
    let mut spearmans = [Vec::new(), Vec::new()];
    let mut regrets = [Vec::new(), Vec::new()];
    for few in few_at_once(&groups) {
        for group in ranked_groups(trials, &groups, few).into_values() {
            add_both(&mut spearmans, [spearman(&group, |r| r.predicted), spearman(&group, |r| r.source)]);
            for variants in by_problem(world.store, group).chunk_by(|(a, _), (b, _)| a == b) {
                add_both(&mut regrets, [regret(variants, |r| r.predicted), regret(variants, |r| r.source)]);
            }
        }
    }
    let [spearman, source_spearman] = spearmans.map(|all| stats::mean(&all));
    let [regret_percent, source_regret_percent] = regrets.map(|all| stats::mean(&all).map(|r| 100.0 * r));
    let bandwidth_order_percent = (ordered > 0).then(|| 100.0 * (right / ordered as f64));
    Ranking { spearman, source_spearman, regret_percent, source_regret_percent, bandwidth_order_percent }
}

/// Configurations of one kernel, from one GPU to another.
type RankedPair = (KernelId, GpuId, GpuId);

fn pair_of(t: &AnswerTrial) -> RankedPair {
    (t.kernel, t.source, t.target)
}

/// A group while trials are gone through.
#[derive(Debug, Default)]
struct RankedGroup {
    count: usize,
    last: Option<u32>,
}

impl RankedGroup {
    /// Whether this trial is the first of its configuration. Of rows at several clocks the first is taken: an order over clocks is
    /// no choice of a configuration.
    fn take(&mut self, t: &AnswerTrial) -> bool {
        let is_first = self.last != Some(t.config);
        self.last = Some(t.config);
        self.count += usize::from(is_first);
        is_first
    }
}

/// So many trials are ranked at once.
const FEW: usize = 2_000_000;

/// The groups in parts of so few trials that they fit into memory.
fn few_at_once(groups: &BTreeMap<RankedPair, RankedGroup>) -> Vec<RangeInclusive<RankedPair>> {
    let (mut parts, mut count) = (Vec::<RangeInclusive<RankedPair>>::new(), usize::MAX);
    for (pair, group) in groups {
        count = count.saturating_add(group.count);
        match parts.last_mut().filter(|_| count <= FEW) {
            Some(part) => *part = *part.start()..=*pair,
            None => {
                parts.push(*pair..=*pair);
                count = group.count;
            }
        }
    }
    parts
}

/// What stands in each of these groups, by configuration.
fn ranked_groups(
    trials: &AnswerTrials,
    groups: &BTreeMap<RankedPair, RankedGroup>,
    few: RangeInclusive<RankedPair>,
) -> BTreeMap<RankedPair, Vec<Ranked>> {
    let room = |(pair, group): (&RankedPair, &RankedGroup)| {
        (*pair, (RankedGroup::default(), Vec::with_capacity(group.count)))
    };
    let mut found: BTreeMap<RankedPair, (RankedGroup, Vec<Ranked>)> = groups.range(few).map(room).collect();
    for t in trials.iter() {
        let Some((group, ranked)) = found.get_mut(&pair_of(&t)) else { continue };
        let Some(source) = timed_elsewhere(&t) else { continue };
        if group.take(&t) {
            let AnswerTrial { config, predicted, measured, .. } = t;
            ranked.push(Ranked { config, predicted, measured, source });
        }
    }
    found.into_iter().map(|(pair, (_, ranked))| (pair, ranked)).collect()
}

/// The variants of each problem side by side, in the order in which the problems first come; each with its problem's number.
fn by_problem(store: &Store, group: Vec<Ranked>) -> Vec<(u32, Ranked)> {
    let mut numbers = HashMap::new();
    let numbered = group.into_iter().map(|ranked| {
        let next = numbers.len() as u32;
        let problem = store.config_in_order(ranked.config as usize).problem;
        (*numbers.entry(problem).or_insert(next), ranked)
    });
    let mut variants: Vec<(u32, Ranked)> = numbered.collect();
    variants.sort_by_key(|(number, _)| *number);
    variants
}

/// The time on the source in seconds, where that is another GPU.
fn timed_elsewhere(t: &AnswerTrial) -> Option<f64> {
    t.source_time.known().filter(|_| t.source != t.target)
}

fn add_both(all: &mut [Vec<f64>; 2], found: [Option<f64>; 2]) {
    for (all, found) in all.iter_mut().zip(found) {
        all.extend(found);
    }
}

/// Spearman's rank correlation of these times with the measured ones; `None` for few, or where all are equal.
fn spearman(all: &[Ranked], time: fn(&Ranked) -> f64) -> Option<f64> {
    if all.len() < FEWEST {
        return None;
    }
    let times = |time: fn(&Ranked) -> f64| all.iter().map(time).collect::<Vec<f64>>();
    let [a, b] = [ranks(&times(time)), ranks(&times(|r| r.measured))];
    let centre = (all.len() as f64 - 1.0) / 2.0;
    let product =
        |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - centre) * (b - centre)).sum::<f64>();
    let scale = (product(&a, &a) * product(&b, &b)).sqrt();
    (scale > 0.0).then(|| product(&a, &b) / scale)
}

/// The rank of each value from 0; equal ones share the middle of theirs.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut sorted: Vec<(f64, usize)> = values.iter().enumerate().map(|(i, v)| (*v, i)).collect();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut ranks = vec![0.0; sorted.len()];
    let mut from = 0;
    for tied in sorted.chunk_by(|a, b| a.0 == b.0) {
        let middle = from as f64 + (tied.len() as f64 - 1.0) / 2.0;
        for (_, i) in tied {
            ranks[*i] = middle;
        }
        from += tied.len();
    }
    ranks
}

/// Measured time of the configuration with the least such time over the least measured time, minus 1: of several with the same such time
/// any is as likely to be taken, whatever their order, and their mean counts. `None` for few.
fn regret(all: &[(u32, Ranked)], time: fn(&Ranked) -> f64) -> Option<f64> {
    if all.len() < FEWEST {
        return None;
    }
    let ranked = || all.iter().map(|(_, ranked)| ranked);
    let least = |time: fn(&Ranked) -> f64| ranked().map(time).fold(f64::INFINITY, f64::min);
    let first = least(time);
    let chosen: Vec<f64> = ranked().filter(|r| time(r) == first).map(|r| r.measured).collect();
    Some(stats::mean(&chosen)? / least(|r| r.measured) - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(pairs: &[(f64, f64)]) -> Vec<Ranked> {
        pairs
            .iter()
            .map(|(predicted, measured)| Ranked {
                config: 0,
                predicted: *predicted,
                measured: *measured,
                source: 1.0,
            })
            .collect()
    }

    #[test]
    fn spearman_by_hand() {
        // Ranks 0..4 against 0, 1, 3, 2, 4: 1 - 6 (1 + 1) / (5 x 24) = 0.9.
        let all = group(&[(1.0, 10.0), (2.0, 20.0), (3.0, 40.0), (4.0, 30.0), (9.0, 90.0)]);
        assert!((spearman(&all, |r| r.predicted).unwrap() - 0.9).abs() < 1e-12);
        assert_eq!(spearman(&all, |r| r.source), None, "all equal is no order");
        assert_eq!(spearman(&all[1..], |r| r.predicted), None, "too few");
        assert_eq!(ranks(&[5.0, 1.0, 5.0]), [1.5, 0.0, 1.5]);
    }

    #[test]
    fn parts_of_groups_follow_each_other_and_are_small() {
        let pair = |i: usize| {
            let [kernel, gpu] = [i / 10, i % 10];
            (KernelId::from_index(kernel), GpuId::from_index(gpu), GpuId::default())
        };
        let counts = [FEW / 2, FEW / 2, 1, FEW - 1, 3 * FEW, 5, 6];
        let group = |(i, count): (usize, &usize)| (pair(i), RankedGroup { count: *count, last: None });
        let groups: BTreeMap<RankedPair, RankedGroup> = counts.iter().enumerate().map(group).collect();
        let parts = few_at_once(&groups);
        let ends: Vec<_> = parts.iter().map(|part| (*part.start(), *part.end())).collect();
        assert_eq!(ends, [(0, 1), (2, 3), (4, 4), (5, 6)].map(|(from, to)| (pair(from), pair(to))));
        assert!(few_at_once(&BTreeMap::new()).is_empty());
    }

    #[test]
    fn regret_is_what_the_choice_costs() {
        let all = group(&[(3.0, 1.0), (1.0, 1.5), (4.0, 2.0), (5.0, 3.0), (6.0, 3.0)]);
        let all: Vec<(u32, Ranked)> = all.into_iter().map(|ranked| (0, ranked)).collect();
        assert!((regret(&all, |r| r.predicted).unwrap() - 0.5).abs() < 1e-12);
        assert_eq!(regret(&all, |r| r.measured), Some(0.0));
    }

    #[test]
    fn configurations_that_are_predicted_alike_cost_their_mean_in_any_order() {
        let mut all: Vec<(u32, Ranked)> =
            group(&[(1.0, 1.0), (1.0, 1.5), (1.0, 2.0), (5.0, 3.0), (6.0, 3.0)])
                .into_iter()
                .map(|ranked| (0, ranked))
                .collect();
        for _ in 0..all.len() {
            all.rotate_left(1);
            assert!((regret(&all, |r| r.predicted).unwrap() - 0.5).abs() < 1e-12, "{all:?}");
        }
    }
}
