//! Intervals of an evaluation: split conformal on |ln(measured / predicted)|, in units of the answer's doubt where the model
//! has one, over the residuals that a trial may know.

use super::coverage::conformal_rank;
use super::trial::AnswerTrial;
use super::trials::AnswerTrials;
use crate::gpu::GpuId;
use crate::kernel::KernelId;
use crate::pair::Pair;
use hashbrown::HashMap;
use std::collections::BTreeMap;

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

/// The residuals of one model, largest first.
#[derive(Debug, Clone, Default)]
pub struct Residuals {
    all: Vec<Residual>,
    groups: Vec<ResidualGroup>,
    uses_source: bool,
}

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
        let mut all: Vec<Residual> = Vec::with_capacity(trials.len());
        let (mut groups, mut places) = (Vec::new(), HashMap::new());
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
                all.push(Residual { score: trial.score(), group });
            }
            last = target_row;
        }
        all.sort_unstable_by(|a, b| { b.score }.total_cmp(&{ a.score }));
        Self { all, groups, uses_source }
    }

    /// The half-width in ln of a 90 % interval without this fold, and the number of residuals behind it; `None` where too
    /// few are left.
    #[must_use]
    pub fn half_width(&self, fold: ResidualFold) -> Option<(f64, usize)> {
        let known: Vec<bool> = self.groups.iter().map(|group| self.may_know(*group, fold)).collect();
        let kept = || self.all.iter().filter(|r| known[r.group as usize]);
        let n = kept().count();
        // The rank counts from the smallest; the largest stand first.
        let from_top = n - conformal_rank(n)?;
        Some((kept().nth(from_top)?.score, n))
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
    fn without_a_source_each_target_counts_once() {
        let all: AnswerTrials = (0..9).flat_map(|k| [0, 1, 2].map(|s| trial(k, s, 3, k as f64))).collect();
        assert_eq!(Residuals::from_trials(&all, false).all.len(), 9);
        assert_eq!(Residuals::from_trials(&all, true).all.len(), 27);
        // Rows of the target at two clocks are two targets.
        let at_clocks =
            |row| [0, 1].map(|source| AnswerTrial { rows: Pair::new(0, row), ..trial(7, source, 3, 1.0) });
        let all: AnswerTrials = [at_clocks(0), at_clocks(1)].concat().into_iter().collect();
        assert_eq!(
            [false, true].map(|uses_source| Residuals::from_trials(&all, uses_source).all.len()),
            [2, 4]
        );
    }
}
