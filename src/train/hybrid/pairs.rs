//! Pairs of GPUs on which the same configuration was measured: what a residual is learned from.

use crate::evaluate::{EvaluationWorld, hash};
use crate::gpu::GpuId;
use crate::kernel::{Kernel, KernelId};
use crate::measurement::{ConfigId, Measurement, TimingKind};
use crate::occupancy::Rules;
use crate::pair::Pair;
use crate::predict::{Subject, Visible, question, residual_features, source_clocks};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

/// Most pairs of a kernel that are looked at.
const MOST: usize = 8_000;

/// One pair with a time on either side.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TimedPair {
    pub(super) kernel: KernelId,
    pub(super) source: GpuId,
    pub(super) target: GpuId,
    /// In the order of [`crate::predict::feature_names`].
    pub(super) features: Vec<f64>,
    /// ln(measured / `components`).
    pub(super) ln: f64,
    /// How uncertain `components` calls its answer.
    pub(super) doubt: f64,
}

/// A pair before anything was computed.
#[derive(Debug, Clone, Copy)]
struct PairPlace {
    config: ConfigId,
    source: GpuId,
    target: GpuId,
}

/// A pair's place and the hash of what it is.
type HashedPlace = (u64, PairPlace);

/// A kernel may have millions of pairs: with more than these, those of no use are dropped.
const MOST_HASHED: usize = 16 * MOST;

/// Drops the pairs that cannot be among the [`MOST`] of the least hash. Where more of the same hash than there is room for are left, they
/// stay.
fn keep_least<P>(pairs: &mut Vec<(u64, P)>) {
    let mut hashes: Vec<u64> = pairs.iter().map(|(hash, _)| *hash).collect();
    let (_, most, _) = hashes.select_nth_unstable(MOST - 1);
    pairs.retain(|(hash, _)| hash <= most);
}

/// The GPUs that somebody measured a row on.
pub(super) fn measured_gpus(world: EvaluationWorld<'_>) -> BTreeSet<GpuId> {
    let store = world.store;
    let rows = store.configs().flat_map(move |(config, _)| store.rows_of(config));
    rows.filter(|row| row.kind() == TimingKind::Measured).map(|row| row.gpu).collect()
}

/// All pairs of a world, by kernel, in an order that only depends on what they are.
pub(super) struct TimedPairs<'a> {
    world: EvaluationWorld<'a>,
    /// Every measured GPU.
    pub(super) gpus: BTreeSet<GpuId>,
    places: BTreeMap<KernelId, (Vec<PairPlace>, OnceLock<Vec<TimedPair>>)>,
}

impl<'a> TimedPairs<'a> {
    pub(super) fn from_world(world: EvaluationWorld<'a>) -> Self {
        let mut hashed: BTreeMap<KernelId, Vec<HashedPlace>> = BTreeMap::new();
        for (config, of) in world.store.configs() {
            let rows: Vec<&Measurement> =
                world.store.rows_of(config).filter(|r| r.kind() == TimingKind::Measured).collect();
            let id = &world.kernels[of.kernel].id;
            for (source, target) in rows.iter().flat_map(|s| rows.iter().map(move |t| (s.gpu, t.gpu))) {
                if source == target {
                    continue;
                }
                let [from, to] = [source, target].map(|g| world.gpus[g].id.as_str());
                let hash = hash(&format!("{id}/{}/{}/{from}/{to}", of.problem, of.variant));
                let of_kernel = hashed.entry(of.kernel).or_default();
                of_kernel.push((hash, PairPlace { config, source, target }));
                if of_kernel.len() > MOST_HASHED {
                    keep_least(of_kernel);
                }
            }
        }
        let chosen = |(kernel, mut all): (KernelId, Vec<HashedPlace>)| {
            all.sort_unstable_by_key(|(hash, _)| *hash);
            all.truncate(MOST);
            (kernel, (all.into_iter().map(|(_, place)| place).collect(), OnceLock::new()))
        };
        Self { world, gpus: measured_gpus(world), places: hashed.into_iter().map(chosen).collect() }
    }

    /// The kernels that have any.
    pub(super) fn kernels(&self) -> impl Iterator<Item = KernelId> {
        self.places.keys().copied()
    }

    /// How many a kernel has without these GPUs.
    pub(super) fn pair_count(&self, kernel: KernelId, hidden: &BTreeSet<GpuId>) -> usize {
        let known = |p: &&PairPlace| !hidden.contains(&p.source) && !hidden.contains(&p.target);
        self.places.get(&kernel).map_or(0, |(places, _)| places.iter().filter(known).count())
    }

    /// A kernel's pairs that `components` has an answer for.
    pub(super) fn of_kernel(&self, kernel: KernelId) -> &[TimedPair] {
        let Some((places, pairs)) = self.places.get(&kernel) else { return &[] };
        pairs.get_or_init(|| self.find_pairs(&self.world.kernels[kernel], places))
    }

    fn find_pairs(&self, kernel: &Kernel, places: &[PairPlace]) -> Vec<TimedPair> {
        places.iter().filter_map(|place| self.pair(kernel, *place)).collect()
    }

    /// As an evaluation asks: nothing of the target's rows is known.
    fn pair(&self, kernel: &Kernel, PairPlace { config, source, target }: PairPlace) -> Option<TimedPair> {
        let EvaluationWorld { gpus, store, .. } = self.world;
        let subject = Subject::from_config(kernel, store.config(config), Some(config)).ok()?;
        let visible = Visible::without_gpu(store, target);
        let [from, to] = [source, target].map(|g| &gpus[g]);
        let clocks = source_clocks(from, from, &subject, source, visible);
        let pair = Pair::new((source, clocks.gpu(from)), (target, to));
        let q = question(kernel, &subject, pair, visible, Default::default(), Rules::Exact);
        let (features, told, ln) = residual_features(&q, store.row_on(config, target)?.time)?;
        let doubt = told.doubt?.total();
        Some(TimedPair { kernel: subject.kernel, source, target, features, ln, doubt })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dropping_pairs_leaves_those_of_the_least_hash() {
        // Every hash stands twice.
        let hash = |i: u64| (i / 2).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut all: Vec<(u64, u64)> = (0..40_001).map(|i| (hash(i), i)).collect();
        let mut least: Vec<u64> = all.iter().map(|(hash, _)| *hash).collect();
        least.sort_unstable();
        keep_least(&mut all);
        let mut kept: Vec<u64> = all.iter().map(|(hash, _)| *hash).collect();
        assert!(all.is_sorted_by_key(|(_, i)| *i), "in their order");
        kept.sort_unstable();
        assert!((MOST..=MOST + 1).contains(&kept.len()) && kept[..] == least[..kept.len()]);
    }
}
