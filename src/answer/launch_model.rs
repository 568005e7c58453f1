//! A launch on a GPU, as it is and as it is changed: what fits, and the model's times of both.

use crate::gpu::{Ceilings, Gpu, GpuId};
use crate::kernel::{Instance, Kernel, Launch, Work};
use crate::measurement::Store;
use crate::occupancy::{
    BlockNeeds, Carveout, LaunchRefusal, Occupancy, Rules, Waves, launch_refusal, occupancy, waves,
};
use crate::pair::Pair;
use crate::predict::{
    LaunchEdits, MODELS, ModelId, ModelRefusal, Prediction, PreparedKernel, Subject, TimeEstimate, question,
};
use crate::units::Seconds;

/// A launch on one GPU.
#[derive(Debug, Clone, PartialEq)]
pub struct LaunchOnGpu {
    /// What a block asks for.
    pub needs: BlockNeeds,
    /// Resident blocks.
    pub occupancy: Occupancy,
    /// Block and grid, where the grid is known.
    pub launch: Option<Launch>,
    /// How the grid falls on the GPU, where it is known and something fits.
    pub waves: Option<Waves>,
    /// Why it cannot start.
    pub refusal: Option<LaunchRefusal>,
    /// The time of the launch; `None` where it cannot start or nothing is known of it.
    pub time: Option<Seconds>,
}

/// The launch of an answer as it is and as it is changed.
#[derive(Debug, Clone, PartialEq)]
pub struct EditedLaunch {
    /// What is changed.
    pub edits: LaunchEdits,
    /// The launch as it is, and as it is changed; `None` where nobody knows the threads per block.
    pub launches: Option<[LaunchOnGpu; 2]>,
    /// What the models are asked, as it is and changed.
    pub(super) model: LaunchModel,
}

/// What a block asks for and what a launch does, as an answer has it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LaunchModel {
    pub(super) needs: Option<BlockNeeds>,
    pub(super) launch: Option<Launch>,
    pub(super) work: Work,
}

/// A kernel on a GPU, and how its launch is changed.
#[derive(Debug, Clone, Copy)]
pub struct LaunchQuestion<'a> {
    /// The kernel.
    pub kernel: &'a Kernel,
    /// At this size, with what is changed of its launch.
    pub subject: &'a Subject,
    /// The GPU.
    pub gpu: &'a Gpu,
    /// How occupancy is counted.
    pub rules: Rules,
}

impl LaunchModel {
    /// The subject with a block of these needs: what was compiled or timed goes before what is typed, so that neither is there.
    fn subject(&self, subject: &Subject, needs: Option<BlockNeeds>, work: Work) -> Subject {
        let instance = Instance { work, is_compared: true, ..subject.instance.clone() };
        let instance = match needs {
            None => instance,
            Some(needs) => Instance {
                launch: self.launch.map(|launch| launch.in_blocks_of(needs.threads)),
                regs_per_thread: Some(needs.regs_per_thread).filter(|regs| *regs > 0),
                smem_static: Some(needs.smem_static),
                smem_dynamic: Some(needs.smem_dynamic),
                carveout_percent: carveout_percent(needs),
                ..instance
            },
        };
        Subject { instance, config: None, launch_edits: LaunchEdits::default(), ..subject.clone() }
    }

    /// The kernel as it is launched and as its launch is changed.
    fn launched(&self, question: &LaunchQuestion<'_>) -> [(Kernel, Subject); 2] {
        let edits = question.subject.launch_edits;
        let mut kernel = question.kernel.clone();
        kernel.compiled.clear();
        let as_it_is = self.subject(question.subject, self.needs, self.work);
        let changed = self.needs.map(|needs| edits.changed_needs(needs));
        let mut other = (kernel.clone(), self.subject(question.subject, changed, self.work));
        if let Some(element) = edits.element()
            && let Ok((in_type, instance)) = kernel.in_element(&other.1.instance, element)
        {
            other = (in_type, Subject { instance, ..other.1 });
        }
        [(kernel, as_it_is), other]
    }

    /// The model's times of the launch as it is and as it is changed, on each of these GPUs.
    pub(super) fn estimates(
        &self,
        question: &LaunchQuestion<'_>,
        gpus: &[Gpu],
    ) -> [Vec<Result<TimeEstimate, ModelRefusal>>; 2] {
        let store = Store::default();
        self.launched(question).each_ref().map(|(kernel, subject)| {
            let mut prepared = PreparedKernel::new(kernel, subject, gpus, &store, question.rules);
            let on_gpu = |at| prepared.start(GpuId::from_index(at)).estimate(GpuId::from_index(at));
            (0..gpus.len()).map(on_gpu).collect()
        })
    }

    /// The same with everything behind them, on this GPU; `None` where there is no time of one.
    pub(super) fn predictions(&self, asked: &LaunchQuestion<'_>, gpu: &Gpu) -> Option<[Prediction; 2]> {
        let store = Store::default();
        let of_components = MODELS[ModelId::default()];
        let [as_it_is, changed] = self.launched(asked).map(|(kernel, subject)| {
            let pair = Pair::same((GpuId::from_index(0), gpu));
            of_components.predict(&question(
                &kernel,
                &subject,
                pair,
                &store,
                Ceilings::default(),
                asked.rules,
            ))
        });
        Some([as_it_is.ok()?, changed.ok()?])
    }

    pub(super) fn on_gpu(&self, question: &LaunchQuestion<'_>, needs: BlockNeeds) -> LaunchOnGpu {
        let launch = self.launch.map(|launch| launch.in_blocks_of(needs.threads));
        let limits = &question.gpu.cuda.limits;
        let resident = occupancy(limits, needs, question.rules);
        let refusal = launch_refusal(limits, needs, launch.as_ref());
        let is_refused = refusal.is_some() && question.rules == Rules::Exact;
        LaunchOnGpu {
            needs,
            occupancy: if is_refused { resident.refused() } else { resident },
            waves: launch.and_then(|launch| waves(question.gpu, &resident, launch.block_count())),
            launch,
            refusal,
            time: None,
        }
    }
}

fn carveout_percent(needs: BlockNeeds) -> Option<u8> {
    match needs.carveout {
        Carveout::Default => None,
        Carveout::Percent(percent) => Some(percent),
    }
}

impl EditedLaunch {
    /// The model's estimates of the launch as it is and as it is changed on each of these GPUs; `None` where it cannot start there.
    #[must_use]
    pub fn estimates(&self, question: &LaunchQuestion<'_>, gpus: &[Gpu]) -> Vec<Option<[TimeEstimate; 2]>> {
        let [before, after] = self.model.estimates(question, gpus);
        let both = before.into_iter().zip(after);
        both.map(|(before, after)| Some([before.ok()?, after.ok()?])).collect()
    }
}
