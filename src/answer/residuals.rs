//! Intervals of an evaluation: split conformal on |ln(measured / predicted)|, in units of the answer's doubt where the model
//! has one, over the residuals that a trial may know.

use super::coverage::conformal_rank;
use super::filed_list::FiledList;
use super::trial::AnswerTrial;
use super::trials::AnswerTrials;
use crate::gpu::GpuId;
use crate::kernel::KernelId;
use crate::pair::Pair;
use hashbrown::HashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

/// What must not be among the residuals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ResidualFold {
    /// Everything that this GPU has a part in.
    Gpu(GpuId),
    /// Everything of this kernel.
    Kernel(KernelId),
    /// Nothing is left out: the residuals come from other rows altogether.
    Nothing,
}

/// The residuals of one model, largest first: of many only the largest, which are those that an interval may end at.
#[derive(Debug, Clone, Default)]
pub struct Residuals {
    largest: Vec<Residual>,
    groups: Vec<ResidualGroup>,
    /// How many residuals each group has, those that are not among the largest included.
    counts: Vec<usize>,
    uses_source: bool,
    /// Made when an interval is asked for that one kernel is left out of.
    by_kernel: OnceLock<KernelResiduals>,
}

/// Where each kernel's residuals stand. There may be as many kernels as rows.
#[derive(Debug, Clone)]
struct KernelResiduals {
    /// How many residuals there are in all, and of each kernel.
    all: usize,
    counts: HashMap<KernelId, usize>,
    /// By kernel, the places of those that are among the largest.
    places: Vec<(KernelId, u32)>,
}

impl KernelResiduals {
    fn count(&self, kernel: KernelId) -> usize {
        self.counts.get(&kernel).copied().unwrap_or(0)
    }

    /// The place among the largest of the one that stands behind so many of other kernels.
    fn place_without(&self, kernel: KernelId, behind: usize) -> usize {
        let from = self.places.partition_point(|(of, _)| *of < kernel);
        let own = self.places[from..].iter().take_while(|(of, _)| *of == kernel);
        own.fold(behind, |place, (_, own)| place + usize::from(*own as usize <= place))
    }
}

/// Of no more than these all are kept.
const MANY: usize = 1 << 21;

/// Of more this share, 1 in so many, is kept first, and where it is too few, half as many more each time: an interval of 90 % ends at one
/// of the largest tenth of those that it may know.
const FIRST_SHARE: usize = 8;

/// Packed: of a million rows there are four million.
#[derive(Debug, Clone, Copy)]
#[repr(C, packed(4))]
struct Residual {
    score: f64,
    /// Its place among the groups.
    group: u32,
}

/// What decides whether a residual may be known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct ResidualGroup {
    kernel: KernelId,
    gpus: Pair<u16>,
}

/// Residuals as they come: a score and its group; most of many are in a file.
#[derive(Debug)]
struct FiledResiduals {
    list: FiledList<(f64, u32)>,
    /// How many have each [`rank`].
    ranks: Vec<u32>,
}

impl Default for FiledResiduals {
    fn default() -> Self {
        Self { list: FiledList::new((0.0, 0)), ranks: vec![0; 1 << 16] }
    }
}

/// The upper bits of a score as a number that grows with it, in the order of [`f64::total_cmp`].
fn rank(score: f64) -> u32 {
    let bits = score.to_bits();
    let ordered = if bits >> 63 == 0 { bits | 1 << 63 } else { !bits };
    (ordered >> 48) as u32
}

impl FiledResiduals {
    fn push(&mut self, score: f64, group: u32) {
        self.ranks[rank(score) as usize] += 1;
        self.list.push((score, group));
    }

    /// The rank from which on there are at least so many; 0 where there are not as many.
    fn rank_of_largest(&self, wanted: usize) -> u32 {
        let mut found = 0;
        let reached = self.ranks.iter().rposition(|count| {
            found += *count as usize;
            found >= wanted
        });
        if wanted >= self.list.len() { 0 } else { reached.map_or(0, |rank| rank as u32) }
    }

    /// How many of each group have at least this rank.
    fn counts(&self, groups: usize, least: u32) -> Vec<usize> {
        let mut counts = vec![0; groups];
        let counted = self.list.iter().filter(|(score, _)| rank(*score) >= least);
        counted.for_each(|(_, group)| counts[group as usize] += 1);
        counts
    }

    /// Those of at least this rank.
    fn ranked_from(&self, least: u32) -> Vec<Residual> {
        let count = self.ranks[least as usize..].iter().map(|count| *count as usize).sum();
        let mut found = Vec::with_capacity(count);
        let wanted = self.list.iter().filter(|(score, _)| rank(*score) >= least);
        found.extend(wanted.map(|(score, group)| Residual { score, group }));
        found
    }
}

/// A GPU in the room of two bytes; a catalogue holds fewer than 2^16.
fn small_place(gpu: GpuId) -> u16 {
    u16::try_from(gpu.index()).unwrap_or(u16::MAX)
}

impl Residuals {
    /// Those of these trials, in the order of their configuration, target and source. What borrowed from a third GPU is
    /// left out, because that GPU may be the one that must not be known; of a model that looks at no source, each target
    /// row counts once.
    #[must_use]
    pub fn from_trials(trials: &AnswerTrials, uses_source: bool) -> Self {
        let mut all = FiledResiduals::default();
        let (mut groups, mut places, mut counts) = (Vec::new(), HashMap::new(), Vec::new());
        let mut last = None;
        for trial in trials.iter().filter(|t| !t.borrowed) {
            let target_row = Some(trial.target_row());
            if uses_source || last != target_row {
                let AnswerTrial { kernel, source, target, .. } = trial;
                let gpus = Pair::new(small_place(source), small_place(target));
                let group = *places.entry(ResidualGroup { kernel, gpus }).or_insert_with_key(|group| {
                    groups.push(*group);
                    u32::try_from(groups.len() - 1).expect("there are fewer groups than trials")
                });
                counts.resize(groups.len(), 0);
                counts[group as usize] += 1;
                all.push(trial.score(), group);
            }
            last = target_row;
        }
        let mut residuals = Self { groups, counts, uses_source, ..Self::default() };
        residuals.keep_largest(&all, MANY);
        residuals
    }

    /// Keeps the largest of these, as many as every interval needs; all where they are no more than `many`.
    fn keep_largest(&mut self, all: &FiledResiduals, many: usize) {
        let mut wanted =
            if all.list.len() > many { (all.list.len() / FIRST_SHARE).max(1) } else { all.list.len() };
        let mut least = all.rank_of_largest(wanted);
        while least > 0 && !self.is_enough(&all.counts(self.groups.len(), least)) {
            wanted += (all.list.len() / FIRST_SHARE / 2).max(1);
            least = all.rank_of_largest(wanted);
        }
        self.by_kernel.take();
        self.largest = all.ranked_from(least);
        self.largest.sort_unstable_by(|a, b| { b.score }.total_cmp(&{ a.score }));
    }

    /// Whether the end of every interval is among the largest, where these are so many of each group.
    fn is_enough(&self, kept: &[usize]) -> bool {
        let gpus: BTreeSet<u16> = self.groups.iter().flat_map(|g| [g.gpus.source, g.gpus.target]).collect();
        let mut gpus = gpus.into_iter().map(|gpu| ResidualFold::Gpu(GpuId::from_index(usize::from(gpu))));
        let is_enough =
            |known: usize, kept: usize| conformal_rank(known).is_none_or(|rank| kept > known - rank);
        let [all, all_kept] = [&self.counts[..], kept].map(|counts| counts.iter().sum::<usize>());
        let without_gpu = |fold: ResidualFold| {
            let known = |counts: &[usize]| -> usize {
                let known = self.groups.iter().zip(counts).filter(|(group, _)| self.may_know(**group, fold));
                known.map(|(_, count)| count).sum()
            };
            is_enough(known(&self.counts), known(kept))
        };
        let mut kernels: HashMap<KernelId, [usize; 2]> = HashMap::new();
        for ((group, count), kept) in self.groups.iter().zip(&self.counts).zip(kept) {
            let of_kernel = kernels.entry(group.kernel).or_default();
            (of_kernel[0], of_kernel[1]) = (of_kernel[0] + count, of_kernel[1] + kept);
        }
        let without_kernel = |[count, kept]: &[usize; 2]| is_enough(all - count, all_kept - kept);
        is_enough(all, all_kept) && gpus.all(without_gpu) && kernels.values().all(without_kernel)
    }

    /// The half-width in ln of a 90 % interval without this fold, and the number of residuals behind it; `None` where too
    /// few are left.
    #[must_use]
    pub fn half_width(&self, fold: ResidualFold) -> Option<(f64, usize)> {
        if let ResidualFold::Kernel(kernel) = fold {
            return self.half_width_without(kernel);
        }
        let known: Vec<bool> = self.groups.iter().map(|group| self.may_know(*group, fold)).collect();
        let kept = || self.largest.iter().filter(|r| known[r.group as usize]);
        let n = self.counts.iter().zip(&known).filter(|(_, known)| **known).map(|(count, _)| count).sum();
        // The rank counts from the smallest; the largest stand first.
        let from_top = n - conformal_rank(n)?;
        Some((kept().nth(from_top)?.score, n))
    }

    /// [`Residuals::half_width`] without a kernel, in a time that does not grow with how many kernels there are.
    fn half_width_without(&self, kernel: KernelId) -> Option<(f64, usize)> {
        let by_kernel = self.by_kernel.get_or_init(|| self.residuals_by_kernel());
        let n = by_kernel.all - by_kernel.count(kernel);
        let place = by_kernel.place_without(kernel, n - conformal_rank(n)?);
        Some((self.largest.get(place)?.score, n))
    }

    fn residuals_by_kernel(&self) -> KernelResiduals {
        let mut counts = HashMap::new();
        for (group, count) in self.groups.iter().zip(&self.counts) {
            *counts.entry(group.kernel).or_default() += count;
        }
        let of = |(residual, place): (&Residual, u32)| (self.groups[residual.group as usize].kernel, place);
        let mut places: Vec<(KernelId, u32)> = self.largest.iter().zip(0..).map(of).collect();
        places.sort_unstable();
        KernelResiduals { all: self.counts.iter().sum(), counts, places }
    }

    /// The factor of a 90 % interval without this fold; `None` where too few residuals are left.
    #[must_use]
    pub fn interval_factor(&self, fold: ResidualFold) -> Option<f64> {
        self.half_width(fold).map(|(ln, _)| ln.exp())
    }

    /// Sets the interval of every trial.
    pub fn widen(&self, trials: &mut AnswerTrials, fold: impl Fn(&AnswerTrial) -> ResidualFold) {
        let mut factors: BTreeMap<ResidualFold, Option<f64>> = BTreeMap::new();
        trials.set_intervals(|trial| {
            let fold = fold(trial);
            let found = factors.entry(fold).or_insert_with(|| self.half_width(fold).map(|(width, _)| width));
            found.map_or(0.0, |width| (width * trial.unit()).exp())
        });
    }

    fn may_know(&self, r: ResidualGroup, fold: ResidualFold) -> bool {
        match fold {
            ResidualFold::Gpu(gpu) => {
                let gpu = small_place(gpu);
                r.gpus.target != gpu && (r.gpus.source != gpu || !self.uses_source)
            }
            ResidualFold::Kernel(kernel) => r.kernel != kernel,
            ResidualFold::Nothing => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trial(kernel: usize, source: usize, target: usize, ln: f64) -> AnswerTrial {
        let config = u32::try_from(kernel).unwrap();
        let kernel = KernelId::from_index(kernel);
        AnswerTrial {
            kernel,
            config,
            predicted: 1.0,
            measured: ln.exp(),
            ..AnswerTrial::of_pair(source, target)
        }
    }

    #[test]
    fn the_rank_is_that_of_split_conformal() {
        let to = |n: usize| (1..=n).map(|i| trial(i, 0, 1, i as f64)).collect::<AnswerTrials>();
        assert_eq!(Residuals::from_trials(&to(8), true).interval_factor(ResidualFold::Nothing), None);
        assert_eq!(
            Residuals::from_trials(&to(9), true)
                .interval_factor(ResidualFold::Nothing)
                .map(|f| f.ln().round()),
            Some(9.0)
        );
        assert_eq!(
            Residuals::from_trials(&to(19), true)
                .interval_factor(ResidualFold::Nothing)
                .map(|f| f.ln().round()),
            Some(18.0)
        );
    }

    #[test]
    fn a_fold_leaves_out_all_that_its_gpu_or_kernel_has_a_part_in() {
        let tame = (0..20).map(|i| trial(i, 0, 1, 0.5));
        let wild = [trial(50, 2, 1, 4.0), trial(50, 1, 2, 4.0), trial(50, 2, 0, 4.0)];
        let all: AnswerTrials = tame.chain(wild).collect();
        let near = |f: Option<f64>, ln: f64| assert!((f.unwrap().ln() - ln).abs() < 1e-12);
        let residuals = Residuals::from_trials(&all, true);
        near(residuals.interval_factor(ResidualFold::Gpu(GpuId::from_index(2))), 0.5);
        near(residuals.interval_factor(ResidualFold::Kernel(KernelId::from_index(50))), 0.5);
        near(residuals.interval_factor(ResidualFold::Nothing), 4.0);
        assert_eq!(
            residuals.interval_factor(ResidualFold::Gpu(GpuId::from_index(1))),
            None,
            "only 2 -> 0 is left"
        );
    }

    #[test]
    fn of_many_residuals_the_largest_give_the_same_intervals() {
        // One GPU and one kernel take nearly all of the largest.
        let of = |i: usize| {
            let (kernel, source, target) = (i % 7, i % 3, 3 + i % 2);
            let ln = ((i * 7919) % 1009) as f64 / 1000.0;
            trial(kernel, source, target, if source == 2 || kernel == 4 { 2.0 + ln } else { ln })
        };
        let trials: AnswerTrials = (0..5000).map(of).collect();
        for uses_source in [true, false] {
            let whole = Residuals::from_trials(&trials, uses_source);
            let mut all = FiledResiduals::default();
            whole.largest.iter().for_each(|r| all.push(r.score, r.group));
            let mut part = whole.clone();
            part.keep_largest(&all, 0);
            let gpus = (0..5).map(|gpu| ResidualFold::Gpu(GpuId::from_index(gpu)));
            let kernels = (0..7).map(|kernel| ResidualFold::Kernel(KernelId::from_index(kernel)));
            for fold in gpus.chain(kernels).chain([ResidualFold::Nothing]) {
                assert_eq!(part.half_width(fold), whole.half_width(fold), "{fold:?}");
            }
            assert!(part.largest.len() < whole.largest.len(), "{} of them", part.largest.len());
        }
    }

    #[test]
    fn without_a_kernel_the_interval_is_that_of_the_residuals_of_others() {
        let of = |i: usize| trial(i * i % 13, i % 3, 3, ((i * 7919) % 101) as f64 / 100.0);
        let all: Vec<AnswerTrial> = (0..300).map(of).collect();
        let residuals = Residuals::from_trials(&all.iter().copied().collect(), true);
        for kernel in (0..14).map(KernelId::from_index) {
            let others: AnswerTrials = all.iter().copied().filter(|t| t.kernel != kernel).collect();
            let expected = Residuals::from_trials(&others, true).half_width(ResidualFold::Nothing);
            assert_eq!(residuals.half_width(ResidualFold::Kernel(kernel)), expected, "{kernel:?}");
        }
    }

    #[test]
    fn ranks_are_in_the_order_of_the_scores() {
        let scores = [-f64::NAN, -f64::INFINITY, -2.0, -0.0, 0.0, 1e-300, 0.7, 2.0, f64::INFINITY, f64::NAN];
        assert!(scores.map(rank).is_sorted() && scores.is_sorted_by(|a, b| a.total_cmp(b).is_le()));
    }

    #[test]
    fn without_a_source_each_target_counts_once() {
        let all: AnswerTrials = (0..9).flat_map(|k| [0, 1, 2].map(|s| trial(k, s, 3, k as f64))).collect();
        assert_eq!(Residuals::from_trials(&all, false).largest.len(), 9);
        assert_eq!(Residuals::from_trials(&all, true).largest.len(), 27);
        // Rows of the target at two clocks are two targets.
        let at_clocks =
            |row| [0, 1].map(|source| AnswerTrial { rows: Pair::new(0, row), ..trial(7, source, 3, 1.0) });
        let all: AnswerTrials = [at_clocks(0), at_clocks(1)].concat().into_iter().collect();
        assert_eq!(
            [false, true].map(|uses_source| Residuals::from_trials(&all, uses_source).largest.len()),
            [2, 4]
        );
    }
}
