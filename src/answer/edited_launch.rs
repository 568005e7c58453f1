//! What another launch of a kernel does on one GPU: its occupancy, its waves, and by the model its time.
//!
//! ```text
//! time = t x m(changed launch) / m(launch as it is)
//! ```
//!
//! t is the answer's own time, m the time by `components` of the same work on this GPU alone, without any measured row, whatever model
//! gave t. What m says of a launch: its waves (a last wave that is not full, SMs that get no block), the bytes that its resident warps
//! keep in flight (Little's law, `roofline/in_flight.rs`), whether it can start at all, and where the element type is changed its bytes
//! and its pipe. Other registers than the compiler gave would spill, which is no part of it. The number of threads stays: a larger
//! block makes fewer blocks. The source stays as it was timed.

use super::answered::Answer;
use crate::gpu::{Gpu, GpuId};
use crate::kernel::{Instance, Kernel, Launch, Work};
use crate::measurement::Store;
use crate::occupancy::{
    BlockNeeds, Carveout, LaunchRefusal, Occupancy, Rules, Waves, launch_refusal, occupancy, waves,
};
use crate::predict::{
    Cause, Caution, LaunchEdits, LaunchNumber, ModelRefusal, PreparedKernel, RegistersFrom, Subject,
    TimeEstimate,
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
    model: LaunchModel,
}

/// What a block asks for and what a launch does, as an answer has it.
#[derive(Debug, Clone, PartialEq)]
struct LaunchModel {
    needs: Option<BlockNeeds>,
    launch: Option<Launch>,
    work: Work,
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
    /// The launch of this answer on its target.
    fn from_answer(answer: &Answer) -> Self {
        Self { needs: answer.needs[1], launch: answer.launch[1], work: answer.work }
    }

    /// The same threads in blocks of so many; as it is where that is their number already.
    fn launch_of_threads(&self, threads: u32) -> Option<Launch> {
        let launch = self.launch?;
        if threads == launch.threads() {
            return Some(launch);
        }
        let all = launch.block_count().saturating_mul(u64::from(launch.threads()));
        let blocks = all.div_ceil(u64::from(threads.max(1)));
        Some(Launch { block: [threads, 1, 1], grid: [blocks, 1, 1] })
    }

    /// The subject with a block of these needs: what was compiled or timed goes before what is typed, so that neither is there.
    fn subject(&self, subject: &Subject, needs: Option<BlockNeeds>, work: Work) -> Subject {
        let instance = Instance { work, ..subject.instance.clone() };
        let instance = match needs {
            None => instance,
            Some(needs) => Instance {
                launch: self.launch_of_threads(needs.threads),
                regs_per_thread: Some(needs.regs_per_thread).filter(|regs| *regs > 0),
                smem_static: Some(needs.smem_static),
                smem_dynamic: Some(needs.smem_dynamic),
                carveout_percent: carveout_percent(needs),
                ..instance
            },
        };
        Subject { instance, config: None, launch_edits: LaunchEdits::default(), ..subject.clone() }
    }

    /// The model's times of the launch as it is and as it is changed, on each of these GPUs.
    fn estimates(
        &self,
        question: &LaunchQuestion<'_>,
        gpus: &[Gpu],
    ) -> [Vec<Result<TimeEstimate, ModelRefusal>>; 2] {
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
        let store = Store::default();
        [(&kernel, &as_it_is), (&other.0, &other.1)].map(|(kernel, subject)| {
            let mut prepared = PreparedKernel::new(kernel, subject, gpus, &store, question.rules);
            let on_gpu = |at| prepared.start(GpuId::from_index(at)).estimate(GpuId::from_index(at));
            (0..gpus.len()).map(on_gpu).collect()
        })
    }

    fn on_gpu(&self, question: &LaunchQuestion<'_>, needs: BlockNeeds) -> LaunchOnGpu {
        let launch = self.launch_of_threads(needs.threads);
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

impl LaunchQuestion<'_> {
    /// This answer with the launch changed as the subject says: occupancy, limits and time on the target. Nothing is changed of
    /// the source, which was timed as it is.
    #[must_use]
    pub fn edited_answer(&self, mut answer: Answer) -> Answer {
        let edits = self.subject.launch_edits;
        let model = LaunchModel::from_answer(&answer);
        let before = answer.predicted_time();
        let launches = model.needs.map(|needs| {
            let as_it_is = LaunchOnGpu { time: before, ..model.on_gpu(self, needs) };
            [as_it_is, model.on_gpu(self, edits.changed_needs(needs))]
        });
        let refusal = launches.as_ref().and_then(|[_, changed]| changed.refusal);
        if let Some([_, changed]) = &launches {
            answer.needs[1] = Some(changed.needs);
            answer.occupancy[1] = Some(changed.occupancy);
            answer.launch[1] = changed.launch;
            answer.launch_refusal[1] = changed.refusal;
            if edits.changed_value(LaunchNumber::Registers).is_some() {
                answer.registers[1] = RegistersFrom::Typed;
            }
        }
        // Nobody timed it so.
        answer.measured = None;
        if let Some(why) = refusal {
            answer.prediction = Err(ModelRefusal::CannotLaunch { gpu: self.gpu.id.clone(), why });
        } else {
            self.multiply_by_model(&mut answer, &model);
        }
        let time = answer.predicted_time();
        let launches = launches.map(|[as_it_is, changed]| [as_it_is, LaunchOnGpu { time, ..changed }]);
        answer.edited_launch = Some(Box::new(EditedLaunch { edits, launches, model }));
        answer
    }

    fn multiply_by_model(&self, answer: &mut Answer, model: &LaunchModel) {
        let edits = self.subject.launch_edits;
        let [before, after] = model.estimates(self, std::slice::from_ref(self.gpu));
        let found = before.into_iter().zip(after).next();
        match found {
            Some((Ok(before), Ok(after))) => {
                answer.multiply(Cause::EditedLaunch, after.time / before.time);
                if let Ok(prediction) = &mut answer.prediction {
                    prediction.bound_target = after.limit.or(prediction.bound_target);
                    let edits = edits.to_string().into();
                    prediction.cautions.push(Caution::EditedLaunch { edits });
                }
            }
            Some((_, Err(why))) => answer.prediction = Err(why),
            Some((Err(why), _)) if answer.prediction.is_ok() => answer.prediction = Err(why),
            _ => {}
        }
    }
}

impl EditedLaunch {
    /// What the change multiplies the time by on each of these GPUs; `None` where it cannot start there.
    #[must_use]
    pub fn time_factors(&self, question: &LaunchQuestion<'_>, gpus: &[Gpu]) -> Vec<Option<f64>> {
        let [before, after] = self.model.estimates(question, gpus);
        let factor = |(before, after): (Result<TimeEstimate, _>, Result<TimeEstimate, _>)| {
            before.ok().zip(after.ok()).map(|(before, after)| after.time / before.time)
        };
        before.into_iter().zip(after).map(factor).collect()
    }
}

impl Answer {
    /// The launch on the target as it is, and as it is changed where it is; `None` where nobody knows the threads per block.
    #[must_use]
    pub fn launches(&self, gpu: &Gpu) -> Option<Vec<LaunchOnGpu>> {
        if let Some(edited) = &self.edited_launch {
            return edited.launches.clone().map(Vec::from);
        }
        let model = LaunchModel::from_answer(self);
        let needs = model.needs?;
        let occupancy = self.occupancy[1]?;
        let launch = model.launch;
        let as_it_is = LaunchOnGpu {
            needs,
            occupancy,
            launch,
            waves: launch.and_then(|launch| waves(gpu, &occupancy, launch.block_count())),
            refusal: self.launch_refusal[1],
            time: self.predicted_time(),
        };
        Some(vec![as_it_is])
    }

    /// What a block of the target asks for before anything is changed of it.
    #[must_use]
    pub fn needs_as_launched(&self) -> Option<BlockNeeds> {
        self.edited_launch.as_ref().map_or(self.needs[1], |edited| edited.model.needs)
    }
}
