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
use super::calibration::{IntervalCalibration, IntervalQuestion, StartedFrom};
use super::launch_model::{EditedLaunch, LaunchModel, LaunchOnGpu, LaunchQuestion};
use super::settings::Settings;
use crate::gpu::Gpu;
use crate::kernel::Kernel;
use crate::occupancy::{BlockNeeds, waves};
use crate::predict::{Cause, Caution, Doubt, Interval, LaunchNumber, ModelRefusal, RegistersFrom};
use std::borrow::Cow;

/// The launch of this answer on its target.
fn launch_of_answer(answer: &Answer) -> LaunchModel {
    LaunchModel { needs: answer.needs.target, launch: answer.launch.target, work: answer.work }
}

impl LaunchQuestion<'_> {
    /// This answer with the launch changed as the subject says: occupancy, limits and time on the target. Nothing is changed of
    /// the source, which was timed as it is.
    #[must_use]
    pub fn edited_answer(&self, mut answer: Answer, calibration: &IntervalCalibration) -> Answer {
        let edits = self.subject.launch_edits;
        let model = launch_of_answer(&answer);
        let before = answer.predicted_time();
        let launches = model.needs.map(|needs| {
            let as_it_is = LaunchOnGpu { time: before, ..model.on_gpu(self, needs) };
            [as_it_is, model.on_gpu(self, edits.changed_needs(needs))]
        });
        let refusal = launches.as_ref().and_then(|[_, changed]| changed.refusal);
        if let Some([_, changed]) = &launches {
            answer.needs.target = Some(changed.needs);
            answer.occupancy.target = Some(changed.occupancy);
            answer.launch.target = changed.launch;
            answer.launch_refusal.target = changed.refusal;
            if edits.changed_value(LaunchNumber::Registers).is_some() {
                answer.registers.target = RegistersFrom::Typed;
            }
        }
        // It was not measured so.
        answer.measured = None;
        if let Some(why) = refusal {
            answer.prediction = Err(ModelRefusal::CannotLaunch { gpu: self.gpu.id.clone(), why });
        } else {
            self.multiply_by_model(&mut answer, &model, calibration);
        }
        if answer.prediction.is_err() {
            // The interval was that of the launch as it is.
            answer.interval = None;
        }
        let time = answer.predicted_time();
        let launches = launches.map(|[as_it_is, changed]| [as_it_is, LaunchOnGpu { time, ..changed }]);
        answer.edited_launch = Some(Box::new(EditedLaunch { edits, launches, model }));
        answer
    }

    fn multiply_by_model(&self, answer: &mut Answer, model: &LaunchModel, calibration: &IntervalCalibration) {
        let edits = self.subject.launch_edits;
        let [before, after] = model.estimates(self, std::slice::from_ref(self.gpu));
        let found = before.into_iter().zip(after).next();
        match found {
            Some((Ok(before), Ok(after))) => {
                answer.multiply(Cause::EditedLaunch, after.time / before.time);
                // That of a measured time says nothing of one that is modelled from it.
                if answer.interval.is_some_and(Interval::is_of_measurement) {
                    answer.interval = self.interval_of_change(answer, calibration);
                }
                let explained = model.predictions(self, &self.running_gpu(answer));
                if let Ok(prediction) = &mut answer.prediction {
                    if let Some(both) = explained {
                        prediction.change_launch(after.time / before.time, both);
                    }
                    let edits = edits.to_string().into();
                    prediction.cautions.push(Caution::EditedLaunch { edits });
                }
            }
            Some((_, Err(why))) => answer.prediction = Err(why),
            Some((Err(why), _)) if answer.prediction.is_ok() => answer.prediction = Err(why),
            _ => {}
        }
    }

    /// The GPU at the clock that its power limit left it in this answer.
    fn running_gpu(&self, answer: &Answer) -> Cow<'_, Gpu> {
        let share = answer.clocks.target.sm.0 / self.gpu.boost_clock.value.0;
        if share < 1.0 { Cow::Owned(self.gpu.at_clock_share(share)) } else { Cow::Borrowed(self.gpu) }
    }

    /// The interval of a time that is modelled from one measured on this very GPU: as uncertain as the least uncertain on another.
    fn interval_of_change(&self, answer: &Answer, calibration: &IntervalCalibration) -> Option<Interval> {
        let Answer { target, settings, .. } = *answer;
        let prediction = answer.prediction.as_ref().ok()?;
        let settings = Settings { ceilings: answer.ceilings_used, ..settings };
        let asked = IntervalQuestion {
            settings,
            kernel: self.subject.kernel,
            target,
            start: StartedFrom::of_time(settings, answer.source_time.as_ref()),
            kernel_id: &self.kernel.id,
            doubt: prediction.doubt.map(|_| Doubt::least()),
            width: prediction.width,
        };
        calibration.interval(prediction.time, asked)
    }
}

impl Answer {
    /// The launch on the target as it is, and as it is changed where it is; `None` where nobody knows the threads per block.
    #[must_use]
    pub fn launches(&self, gpu: &Gpu) -> Option<Vec<LaunchOnGpu>> {
        if let Some(edited) = &self.edited_launch {
            return edited.launches.clone().map(Vec::from);
        }
        let model = launch_of_answer(self);
        let needs = model.needs?;
        let occupancy = self.occupancy.target?;
        let launch = model.launch;
        let as_it_is = LaunchOnGpu {
            needs,
            occupancy,
            launch,
            waves: launch.and_then(|launch| waves(gpu, &occupancy, launch.block_count())),
            refusal: self.launch_refusal.target,
            time: self.predicted_time(),
        };
        Some(vec![as_it_is])
    }

    /// This kernel as it runs on the target: in another element type where that is changed.
    #[must_use]
    pub fn kernel_on_target<'k>(&self, kernel: &'k Kernel) -> Cow<'k, Kernel> {
        let element = self.edited_launch.as_ref().and_then(|edited| edited.edits.element());
        let retyped = element.and_then(|element| kernel.retyped(element).ok());
        retyped.map_or(Cow::Borrowed(kernel), Cow::Owned)
    }

    /// What a block of the target asks for before anything is changed of it.
    #[must_use]
    pub fn needs_as_launched(&self) -> Option<BlockNeeds> {
        self.edited_launch.as_ref().map_or(self.needs.target, |edited| edited.model.needs)
    }
}
