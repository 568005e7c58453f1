//! Whether predictions order things rightly: configurations of a kernel on one GPU, and GPUs for one kernel. Each stands
//! beside what orders without a model: the times measured on the source, and the bandwidths of the GPUs.

use super::metrics::order_of;
use super::setup::EvaluationWorld;
use crate::answer::{AnswerTrial, AnswerTrials};
use crate::gpu::{Ceilings, GpuId};
use crate::kernel::KernelId;
use crate::measurement::Config;
use crate::stats;
use std::collections::{BTreeMap, HashMap};

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
    predicted: f64,
    measured: f64,
    source: f64,
}

/// The ranking of these trials.
#[must_use]
pub fn ranking(world: EvaluationWorld<'_>, trials: &AnswerTrials) -> Ranking {
    let configs: Vec<_> = world.store.configs().map(|(_, config)| config).collect();
    let mut of_kernel: BTreeMap<(KernelId, GpuId, GpuId), Vec<u32>> = BTreeMap::new();
    let mut bandwidth_orders = Vec::new();
    for (place, t) in (0..).zip(trials.iter()) {
        let Some(source) = timed_elsewhere(&t) else { continue };
        let group = of_kernel.entry((t.kernel, t.source, t.target)).or_default();
        // Of rows at several clocks the first: an order over clocks is no choice of a configuration.
        if group.last().is_none_or(|last| trials.trial(*last as usize).config != t.config) {
            group.push(place);
        }
        let bandwidth = |gpu: GpuId| world.gpus[gpu].bandwidth(Ceilings::Peak).value.0;
        let by_bandwidth = source * bandwidth(t.source) / bandwidth(t.target);
        bandwidth_orders.extend(order_of([source, by_bandwidth], t.measured));
    }
    let mut spearmans = [Vec::new(), Vec::new()];
    let mut regrets = [Vec::new(), Vec::new()];
    for group in of_kernel.into_values() {
        let ranked = |t: AnswerTrial| {
            let source = timed_elsewhere(&t)?;
            Some((t.config_index(), Ranked { predicted: t.predicted, measured: t.measured, source }))
        };
        let group: Vec<(usize, Ranked)> =
            trials.chosen(group.iter().map(|place| *place as usize)).filter_map(ranked).collect();
        let all: Vec<Ranked> = group.iter().map(|(_, ranked)| *ranked).collect();
        let correlated = [spearman(&all, |r| r.predicted), spearman(&all, |r| r.source)];
        add_both(&mut spearmans, correlated);
        for variants in by_problem(&configs, group) {
            add_both(&mut regrets, [regret(&variants, |r| r.predicted), regret(&variants, |r| r.source)]);
        }
    }
    let [spearman, source_spearman] = spearmans.map(|all| stats::mean(&all));
    let [regret_percent, source_regret_percent] = regrets.map(|all| stats::mean(&all).map(|r| 100.0 * r));
    let bandwidth_order_percent = stats::mean(&bandwidth_orders).map(|share| 100.0 * share);
    Ranking { spearman, source_spearman, regret_percent, source_regret_percent, bandwidth_order_percent }
}

/// The variants of each problem, in the order in which the problems first come.
fn by_problem(configs: &[Config<'_>], group: Vec<(usize, Ranked)>) -> Vec<Vec<Ranked>> {
    let mut places = HashMap::new();
    let mut variants: Vec<Vec<Ranked>> = Vec::new();
    for (config, ranked) in group {
        let place = *places.entry(&configs[config].problem).or_insert(variants.len());
        if place == variants.len() {
            variants.push(Vec::new());
        }
        variants[place].push(ranked);
    }
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
fn spearman(all: &[Ranked], time: impl Fn(&Ranked) -> f64) -> Option<f64> {
    if all.len() < FEWEST {
        return None;
    }
    let [a, b] = [ranks(all.iter().map(time)), ranks(all.iter().map(|r| r.measured))];
    let centre = (all.len() as f64 - 1.0) / 2.0;
    let product =
        |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - centre) * (b - centre)).sum::<f64>();
    let scale = (product(&a, &a) * product(&b, &b)).sqrt();
    (scale > 0.0).then(|| product(&a, &b) / scale)
}

/// The rank of each value from 0; equal ones share the middle of theirs.
fn ranks(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut sorted: Vec<(f64, usize)> = values.enumerate().map(|(i, v)| (v, i)).collect();
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

/// Measured time of the configuration with the least such time over the least measured time, minus 1; `None` for few.
fn regret(all: &[Ranked], time: impl Fn(&Ranked) -> f64) -> Option<f64> {
    let chosen = all.iter().min_by(|a, b| time(a).total_cmp(&time(b))).filter(|_| all.len() >= FEWEST)?;
    let best = all.iter().map(|r| r.measured).fold(f64::INFINITY, f64::min);
    Some(chosen.measured / best - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(pairs: &[(f64, f64)]) -> Vec<Ranked> {
        pairs
            .iter()
            .map(|(predicted, measured)| Ranked { predicted: *predicted, measured: *measured, source: 1.0 })
            .collect()
    }

    #[test]
    fn spearman_by_hand() {
        // Ranks 0..4 against 0, 1, 3, 2, 4: 1 - 6 (1 + 1) / (5 x 24) = 0.9.
        let all = group(&[(1.0, 10.0), (2.0, 20.0), (3.0, 40.0), (4.0, 30.0), (9.0, 90.0)]);
        assert!((spearman(&all, |r| r.predicted).unwrap() - 0.9).abs() < 1e-12);
        assert_eq!(spearman(&all, |r| r.source), None, "all equal is no order");
        assert_eq!(spearman(&all[1..], |r| r.predicted), None, "too few");
        assert_eq!(ranks([5.0, 1.0, 5.0].into_iter()), [1.5, 0.0, 1.5]);
    }

    #[test]
    fn regret_is_what_the_choice_costs() {
        let all = group(&[(3.0, 1.0), (1.0, 1.5), (4.0, 2.0), (5.0, 3.0), (6.0, 3.0)]);
        assert!((regret(&all, |r| r.predicted).unwrap() - 0.5).abs() < 1e-12);
        assert_eq!(regret(&all, |r| r.measured), Some(0.0));
    }
}
