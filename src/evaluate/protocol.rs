//! What is held out, and from whom.
//!
//! | protocol | held out from the question | held out from the intervals |
//! |---|---|---|
//! | new GPU | every row of the target GPU | every residual that the target GPU has a part in |
//! | new size | the largest size of each kernel and variant on each GPU | the same rows; residuals are those of the next size below |
//! | new kernel | every time of the kernel, on every GPU | every residual of the kernel |
//! | new clocks | every row of the GPU but one at other clocks | every residual that the GPU has a part in |

use crate::answer::{AnswerTrial, ResidualFold};
use crate::gpu::GpuId;
use crate::kernel::KernelId;
use crate::measurement::Store;
use crate::predict::BASELINES;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What is new to the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Protocol {
    /// The target GPU: nothing that was measured on it is known.
    #[default]
    NewGpu,
    /// The size: the largest one on each GPU is predicted from smaller ones on the same GPU.
    NewSize,
    /// The kernel: it was measured nowhere; its counts are known.
    NewKernel,
    /// The clocks: timed on the same GPU at others.
    NewClocks,
}

impl Protocol {
    /// The word on the command line and in exports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NewGpu => "new-gpu",
            Self::NewSize => "new-size",
            Self::NewKernel => "new-kernel",
            Self::NewClocks => "new-clocks",
        }
    }

    /// The next one, or the one before it, in a ring.
    #[must_use]
    pub fn next(self, forwards: bool) -> Self {
        let ring = [Self::NewGpu, Self::NewSize, Self::NewKernel, Self::NewClocks];
        let at = ring.iter().position(|p| *p == self).unwrap_or(0);
        ring[(at + if forwards { 1 } else { ring.len() - 1 }) % ring.len()]
    }

    /// What was held out, in words.
    #[must_use]
    pub fn sentence(self) -> &'static str {
        match self {
            Self::NewGpu => "leave-one-GPU-out: no measurement on the target is used",
            Self::NewSize => {
                "new size: the largest size on each GPU, predicted from smaller sizes on the same GPU"
            }
            Self::NewKernel => {
                "leave-one-kernel-out: no measurement of the kernel on any GPU is used, only its counts"
            }
            Self::NewClocks => "new clocks: from a measurement on the same GPU at other clocks",
        }
    }

    /// The model's name in tables, with what it really does where the name says something else: the new size is not measured,
    /// so that the baseline of equal times starts from another one.
    #[must_use]
    pub fn model_label(self, model: &str) -> String {
        let scales = self == Self::NewSize && model == BASELINES[0];
        if scales { format!("{model} (work-scaled)") } else { model.to_string() }
    }

    /// What a work-scaled time is, where a label says so.
    #[must_use]
    pub fn of_labels(self) -> Option<&'static str> {
        let text = "work-scaled: the time of the nearest smaller size times the ratio of roofline times; equal times for \
                    another size are no baseline";
        (self == Self::NewSize).then_some(text)
    }

    /// Whether the intervals of `predict` hold: they are those of a time on another GPU.
    #[must_use]
    pub(super) fn uses_shipped_errors(self) -> bool {
        matches!(self, Self::NewGpu | Self::NewClocks)
    }

    /// What must not be among the residuals of this trial's interval.
    #[must_use]
    pub fn fold(self, trial: &AnswerTrial) -> ResidualFold {
        match self {
            Self::NewGpu | Self::NewClocks => ResidualFold::Gpu(trial.target),
            Self::NewKernel => ResidualFold::Kernel(trial.kernel),
            Self::NewSize => ResidualFold::Nothing,
        }
    }
}

/// Which trials are looked at; `None` = all. What is fitted may use the others.
#[derive(Debug, Clone, Default)]
pub struct TrialScope {
    /// Source GPUs.
    pub sources: Option<BTreeSet<GpuId>>,
    /// Target GPUs.
    pub targets: Option<BTreeSet<GpuId>>,
    /// Kernels.
    pub kernels: Option<BTreeSet<KernelId>>,
    /// Configurations, by their place in the order of the store.
    pub configs: Option<BTreeSet<usize>>,
}

impl TrialScope {
    /// Whether every trial is looked at.
    #[must_use]
    pub fn is_everything(&self) -> bool {
        self.sources.is_none() && self.targets.is_none() && self.kernels.is_none() && self.configs.is_none()
    }

    /// Whether this trial is looked at.
    #[must_use]
    pub fn has(&self, config: usize, kernel: KernelId, source: GpuId, target: GpuId) -> bool {
        is_within(&self.configs, config)
            && is_within(&self.kernels, kernel)
            && is_within(&self.sources, source)
            && is_within(&self.targets, target)
    }
}

/// Whether a set that may be left open holds this.
fn is_within<T: Ord>(set: &Option<BTreeSet<T>>, asked: T) -> bool {
    set.as_ref().is_none_or(|set| set.contains(&asked))
}

/// The rows of a store in two parts: what is known, and the largest sizes.
#[derive(Debug, Clone)]
pub struct RowSplit {
    /// Everything but the largest sizes.
    pub known: Store,
    /// Configuration (its place in the order of the store that was split) and GPU of what was held out.
    pub held_out: Vec<(usize, GpuId)>,
}

impl RowSplit {
    /// Holds out the largest size of each kernel and variant on each GPU, where a smaller one was timed there too.
    #[must_use]
    pub fn largest_of(store: &Store) -> Self {
        let held_out = largest(store);
        let hidden: BTreeSet<(usize, GpuId)> = held_out.iter().copied().collect();
        Self { known: store.part(|config, gpu| !hidden.contains(&(config, gpu))), held_out }
    }
}

fn largest(store: &Store) -> Vec<(usize, GpuId)> {
    type Line = (KernelId, Arc<str>, GpuId);
    let sized_rows = || {
        store.configs().enumerate().flat_map(|(at, (id, config))| {
            let (volume, variant) = (config.problem.volume(), config.variant);
            let line = move |gpu: GpuId| (config.kernel, variant.clone(), gpu);
            store.rows_of(id).map(move |row| (line(row.gpu), volume, at))
        })
    };
    // The smallest and the largest size.
    let mut lines: BTreeMap<Line, [f64; 2]> = BTreeMap::new();
    for (line, volume, _) in sized_rows() {
        let [least, most] = lines.entry(line).or_insert([f64::INFINITY, f64::NEG_INFINITY]);
        (*least, *most) = (least.min(volume), most.max(volume));
    }
    // A line of one size only has nothing to be predicted from.
    lines.retain(|_, [least, most]| least < most);
    let is_largest = |line: &Line, volume: f64| lines.get(line).is_some_and(|[_, most]| volume == *most);
    let largest = sized_rows().filter(|(line, volume, _)| is_largest(line, *volume));
    let mut found: Vec<(usize, GpuId)> = largest.map(|((_, _, gpu), _, at)| (at, gpu)).collect();
    found.sort_unstable();
    found
}
