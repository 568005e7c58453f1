//! Which questions of an evaluation are like the one in hand: the narrowest group of kernels and GPUs around it that has
//! enough answers to say something.

use super::protocol::TrialScope;
use super::setup::{EvaluationWorld, ModelOutcome};
use crate::answer::AnswerTrial;
use crate::catalogue::Id;
use crate::gpu::{Gpu, GpuId};
use crate::kernel::{Kernel, KernelId};
use std::collections::BTreeSet;

/// Fewest answers that a group is judged by: as many as an interval of 90 % needs.
pub const FEWEST: usize = 9;

/// The question in hand, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LikeQuestion {
    /// The kernel's place.
    pub kernel: Option<KernelId>,
    /// The source GPU's place.
    pub source: Option<GpuId>,
    /// The target GPU's place.
    pub target: Option<GpuId>,
}

/// A group of questions, in words and as a scope.
#[derive(Debug, Clone, Default)]
pub struct Like {
    /// `memory kernels onto ada GPUs`.
    pub words: String,
    /// The questions that belong to it.
    pub scope: TrialScope,
}

impl Like {
    /// Whether this trial belongs to it.
    #[must_use]
    pub fn has(&self, t: &AnswerTrial) -> bool {
        self.scope.has(t.config_index(), t.kernel, t.source, t.target)
    }
}

/// The groups around a question, the narrowest first; the last one has every question.
#[must_use]
pub fn groups(world: EvaluationWorld<'_>, wanted: LikeQuestion) -> Vec<Like> {
    let kernels = kernels_like(world, wanted.kernel);
    let targets = gpus_like(world, wanted.target);
    let mut all = Vec::new();
    if let (Some(_), Some(source), Some(_)) = (wanted.kernel, wanted.source, wanted.target) {
        let from = (format!(" from {}", world.gpus[source].id), Some(BTreeSet::from([source])));
        all.push(like(&kernels[0], &from, &targets[0]));
    }
    let anywhere = (String::new(), None);
    // The kernel alone goes first, then its kin; for each the GPU, then its kin.
    let pairs = kernels.iter().flat_map(|k| targets.iter().map(move |t| (k, t)));
    all.extend(pairs.map(|(k, t)| like(k, &anywhere, t)));
    all
}

/// The narrowest group in which this outcome has [`FEWEST`] answers or more; the last group where none has.
#[must_use]
pub fn narrowest(groups: &[Like], outcome: &ModelOutcome) -> Like {
    let enough = |like: &Like| outcome.trials.iter().filter(|t| like.has(t)).count() >= FEWEST;
    let at = groups.iter().position(enough).unwrap_or(groups.len().saturating_sub(1));
    groups.get(at).cloned().unwrap_or_default()
}

/// The narrowest of these groups, where it has too few answers and a wider one stands for it.
#[must_use]
pub fn too_few(groups: &[Like], taken: &Like, outcome: &ModelOutcome) -> Option<String> {
    let asked = groups.first().filter(|asked| asked.words != taken.words)?;
    let cases = outcome.trials.iter().filter(|t| asked.has(t)).count();
    let plural = if cases == 1 { "" } else { "s" };
    Some(format!("{} has {cases} case{plural}, {FEWEST} needed", asked.words))
}

type LikePart<T> = (String, Option<BTreeSet<Id<T>>>);

fn like(kernels: &LikePart<Kernel>, sources: &LikePart<Gpu>, targets: &LikePart<Gpu>) -> Like {
    let words = format!("{}{}{}", kernels.0, sources.0, targets.0);
    let scope = TrialScope {
        kernels: kernels.1.clone(),
        sources: sources.1.clone(),
        targets: targets.1.clone(),
        configs: None,
    };
    Like { words, scope }
}

/// The kernel, the kernels of its category, every kernel.
fn kernels_like(world: EvaluationWorld<'_>, kernel: Option<KernelId>) -> Vec<LikePart<Kernel>> {
    let all_kernels = world.kernels;
    let mut all = Vec::new();
    if let Some(at) = kernel {
        all.push((all_kernels[at].label().to_string(), Some(BTreeSet::from([at]))));
        if let Some(category) = all_kernels[at].known_category() {
            let kin = all_kernels.with_ids().filter(|(_, k)| k.known_category() == Some(category));
            all.push((format!("{category} kernels"), Some(kin.map(|(i, _)| i).collect())));
        }
    }
    all.push(("all kernels".into(), None));
    all
}

/// The GPU, the GPUs of its architecture, every GPU.
fn gpus_like(world: EvaluationWorld<'_>, gpu: Option<GpuId>) -> Vec<LikePart<Gpu>> {
    let all_gpus = world.gpus;
    let mut all = Vec::new();
    if let Some(at) = gpu {
        let of = &all_gpus[at].architecture;
        let kin = |g: &Gpu| g.architecture == *of;
        all.push((format!(" onto {}", all_gpus[at].id), Some(BTreeSet::from([at]))));
        let places = all_gpus.with_ids().filter(|(_, g)| kin(g)).map(|(i, _)| i).collect();
        all.push((format!(" onto {of} GPUs"), Some(places)));
    }
    all.push((" onto all GPUs".into(), None));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::{Catalogue, shipped_sources};
    use crate::gpu::{self, LimitsTable};
    use crate::kernel::{self, Kernel};
    use crate::measurement::Store;

    fn catalogues() -> (Catalogue<Gpu>, Catalogue<Kernel>) {
        let sources = shipped_sources().unwrap();
        let (gpus, _) = gpu::load_shipped(&sources, &LimitsTable::shipped().unwrap());
        (gpus, kernel::load_shipped(&sources).0)
    }

    #[test]
    fn groups_widen_from_the_question_to_everything() {
        let ((gpus, kernels), store) = (catalogues(), Store::default());
        let world = EvaluationWorld { gpus: &gpus, kernels: &kernels, store: &store };
        let [source, target] = ["titan-v", "rtx-4070"].map(|g| gpus.position(g).unwrap());
        let kernel = kernels.position("saxpy").unwrap();
        let words = |wanted| groups(world, wanted).into_iter().map(|l| l.words).collect::<Vec<_>>();
        let all = words(LikeQuestion { kernel: Some(kernel), source: Some(source), target: Some(target) });
        assert_eq!(
            all,
            [
                "saxpy from titan-v onto rtx-4070",
                "saxpy onto rtx-4070",
                "saxpy onto ada GPUs",
                "saxpy onto all GPUs",
                "memory kernels onto rtx-4070",
                "memory kernels onto ada GPUs",
                "memory kernels onto all GPUs",
                "all kernels onto rtx-4070",
                "all kernels onto ada GPUs",
                "all kernels onto all GPUs",
            ]
        );
        assert_eq!(words(LikeQuestion::default()), ["all kernels onto all GPUs"]);
        let last =
            groups(world, LikeQuestion { target: Some(target), ..LikeQuestion::default() }).pop().unwrap();
        assert!(last.scope.is_everything());
    }

    #[test]
    fn the_narrowest_group_with_enough_answers_is_taken_and_else_the_widest() {
        let of = |n: usize| {
            let trials = (0..n)
                .map(|i| AnswerTrial {
                    kernel: KernelId::from_index(usize::from(i >= FEWEST)),
                    ..AnswerTrial::of_pair(0, 1)
                })
                .collect();
            ModelOutcome { model: "", trials, refused: Default::default() }
        };
        let group = |words: &str, kernel: Option<KernelId>| Like {
            words: words.into(),
            scope: TrialScope { kernels: kernel.map(|k| BTreeSet::from([k])), ..TrialScope::default() },
        };
        let all = || vec![group("one", Some(KernelId::default())), group("all", None)];
        assert_eq!(narrowest(&all(), &of(FEWEST)).words, "one");
        assert_eq!(narrowest(&all(), &of(FEWEST - 1)).words, "all");
        let why = |n| too_few(&all(), &narrowest(&all(), &of(n)), &of(n));
        assert_eq!((why(FEWEST), why(1)), (None, Some("one has 1 case, 9 needed".into())));
        assert_eq!(narrowest(&[], &of(1)).words, "");
    }
}
