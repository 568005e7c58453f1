//! Pairs of GPUs on which the same configuration was measured, each as a row of numbers beside the time on the target.

use super::columns::column_values;
use crate::answer::AnswerTrial;
use crate::cores;
use crate::evaluate::{EvaluationWorld, RowSplit, hash};
use crate::gpu::GpuId;
use crate::kernel::KernelId;
use crate::measurement::{ConfigId, Measurement};
use crate::occupancy::Rules;
use crate::pair::Pair;
use crate::predict::{
    MODELS, ModelId, Subject, Visible, gpu_at_row_clocks, never_started, question, source_clocks, weight,
};
use rayon::prelude::*;
use std::collections::BTreeSet;

/// One pair: which rows of which configuration.
#[derive(Debug, Clone, Copy)]
pub(super) struct RowPairPlace {
    /// The configuration's place in the order of the store.
    config: usize,
    id: ConfigId,
    kernel: KernelId,
    /// Places of the rows among those of the configuration.
    rows: Pair<usize>,
    /// Source and target.
    gpus: Pair<GpuId>,
}

impl RowPairPlace {
    pub(super) fn target(&self) -> GpuId {
        self.gpus.target
    }

    /// The question, as it is counted where nobody answers it.
    pub(super) fn unanswered_trial(&self) -> AnswerTrial {
        AnswerTrial {
            rows: self.rows.map(|row| u16::try_from(row).unwrap_or(u16::MAX)),
            ..AnswerTrial::unanswered(self.config, self.kernel, self.gpus)
        }
    }
}

/// One pair with its numbers.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RegressorPair {
    /// In the order of [`super::columns::column_names`].
    pub(super) values: Vec<Option<f64>>,
    /// The question as an evaluation asks it; nothing is predicted in it yet.
    pub(super) trial: AnswerTrial,
    /// What the default model says, in seconds.
    pub(super) default_time: Option<f64>,
    /// Whether source or target timed the largest size of the kernel there.
    pub(super) is_largest: bool,
}

impl RegressorPair {
    /// The measured time on the target in ms.
    pub(super) fn target_ms(&self) -> f64 {
        self.trial.measured * 1e3
    }

    /// Whether neither side is one of these GPUs.
    pub(super) fn is_free_of(&self, gpus: &BTreeSet<GpuId>) -> bool {
        !gpus.contains(&self.trial.source) && !gpus.contains(&self.trial.target)
    }
}

/// All pairs of a world, before their numbers are looked up.
pub(super) struct PairsOfWorld<'a> {
    world: EvaluationWorld<'a>,
    /// By configuration, target and source.
    pub(super) places: Vec<RowPairPlace>,
    /// Configuration and GPU of the largest size of each kernel and variant on each GPU.
    largest: BTreeSet<(usize, GpuId)>,
}

impl<'a> PairsOfWorld<'a> {
    pub(super) fn new(world: EvaluationWorld<'a>) -> Self {
        let mut places = Vec::new();
        for (config, (id, of)) in world.store.configs().enumerate() {
            let gpus: Vec<GpuId> = world.store.rows_at_all_clocks(id).map(|row| row.gpu).collect();
            for (to, target) in gpus.iter().enumerate() {
                for (from, source) in gpus.iter().enumerate().filter(|(_, source)| *source != target) {
                    let (rows, gpus) = (Pair::new(from, to), Pair::new(*source, *target));
                    places.push(RowPairPlace { config, id, kernel: of.kernel, rows, gpus });
                }
            }
        }
        let largest = RowSplit::largest_of(world.store).held_out.into_iter().collect();
        Self { world, places, largest }
    }

    /// Every target GPU.
    pub(super) fn targets(&self) -> BTreeSet<GpuId> {
        self.places.iter().map(RowPairPlace::target).collect()
    }

    /// At most so many pairs, chosen by what they are and not by how long they took, in their order.
    pub(super) fn chosen(&self, most: usize) -> Vec<RegressorPair> {
        let mut hashed: Vec<(u64, usize)> =
            self.places.par_iter().enumerate().map(|(at, place)| (self.hash(place), at)).collect();
        hashed.sort_unstable();
        hashed.truncate(most);
        let mut chosen: Vec<usize> = hashed.into_iter().map(|(_, at)| at).collect();
        chosen.sort_unstable();
        let pairs = cores::collect(chosen.len(), |at| self.pair(&self.places[chosen[at]]).ok());
        pairs.into_iter().flatten().collect()
    }

    fn hash(&self, place: &RowPairPlace) -> u64 {
        let config = self.world.store.config(place.id);
        let Pair { source: from, target: to } = place.gpus.map(|gpu| self.world.gpus[gpu].id.as_str());
        let kernel = &self.world.kernels[place.kernel].id;
        hash(&format!("{kernel}/{}/{}/{from}/{to}/{:?}", config.problem, config.variant, place.rows))
    }

    /// A pair with its numbers. As an evaluation asks: nothing of the target's rows is known but its clocks.
    ///
    /// # Errors
    /// Why it is no question, in words.
    pub(super) fn pair(&self, place: &RowPairPlace) -> Result<RegressorPair, String> {
        let EvaluationWorld { gpus, kernels, store } = self.world;
        let rows: Vec<&Measurement> = store.rows_at_all_clocks(place.id).collect();
        let Pair { source, target } = place.rows.map(|at| rows[at]);
        let kernel = &kernels[place.kernel];
        let config = store.config(place.id);
        let subject = Subject::from_config(kernel, config, Some(place.id))
            .map_err(|why| format!("{}: {why}", kernel.id))?;
        let any_row = rows.iter().copied().find(|row| row.launch().is_some());
        for row in [target, source] {
            let gpu = &gpus[row.gpu];
            if never_started(kernel, &subject.instance, gpu, row, any_row).is_some() {
                return Err(format!("cannot launch on {}", gpu.id));
            }
        }
        let visible = Visible::without_gpu(store, target.gpu).with_row(place.id, source);
        let Pair { source: from, target: to } = place.gpus.map(|gpu| &gpus[gpu]);
        let clocks = source_clocks(from, from, &subject, source.gpu, visible);
        let tuned = gpu_at_row_clocks(to, to, target).map_err(|why| format!("clocks of a row: {why}"))?;
        let pair = Pair::new((source.gpu, clocks.gpu(from)), (target.gpu, tuned.as_ref().unwrap_or(to)));
        let asked = question(kernel, &subject, pair, visible, Default::default(), Rules::Exact);
        let largest = |gpu: GpuId| self.largest.contains(&(place.config, gpu));
        Ok(RegressorPair {
            values: column_values(&asked, config.problem.volume(), source.time),
            trial: AnswerTrial {
                information: asked.work.information(),
                source_time: Some(source.time.0).into(),
                measured: target.time.0,
                weight: weight(&asked),
                ..place.unanswered_trial()
            },
            default_time: MODELS[ModelId::default()].predicted_time(&asked).ok().map(|time| time.0),
            is_largest: largest(source.gpu) || largest(target.gpu),
        })
    }
}
