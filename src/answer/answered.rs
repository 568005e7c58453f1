//! The answer to one question: the prediction, its interval, and the measured time where the target was timed too.

use super::known_rows::KnownCorrection;
use super::launch_model::EditedLaunch;
use super::settings::Settings;
use crate::gpu::{Ceilings, Clocks, Gpu, GpuId};
use crate::kernel::{Launch, VectorPrecision, Work};
use crate::occupancy::{BlockNeeds, LaunchRefusal, Occupancy};
use crate::pair::Pair;
use crate::predict::{
    Breakdown, Cause, Caution, Explanation, Interval, KernelRoofs, MODELS, ModelRefusal, Prediction,
    RegistersFrom, SourceKind, SourceTime, TimeEstimate,
};
use crate::units::{FlopsPerSecond, Intensity, Seconds, significant};
use std::sync::Arc;

/// A time somebody measured on the target.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measured {
    /// Time per launch.
    pub time: Seconds,
    /// Published or the user's.
    pub kind: SourceKind,
}

/// The source where its row was timed at other clocks than it is set to: `ncu` locks clocks at base.
#[derive(Debug, Clone)]
pub struct ProfiledClocks {
    /// The source at the clocks of its row.
    pub gpu: Arc<Gpu>,
    /// The source's time at the clocks it is set to, predicted from that row; `None` where the model gives none.
    pub stock_time: Option<Seconds>,
    /// Whether clocks were typed for the source: else those are its stock clocks.
    pub has_typed_clocks: bool,
}

impl ProfiledClocks {
    /// What the source is set to: `stock clocks`, or `set clocks` where some were typed for it.
    #[must_use]
    pub const fn clocks_name(&self) -> &'static str {
        if self.has_typed_clocks { "set clocks" } else { "stock clocks" }
    }
}

/// Everything a row of the predictions table shows.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The source GPU's place in the catalogue.
    pub source: GpuId,
    /// The target GPU's place in the catalogue.
    pub target: GpuId,
    /// Whether the question named no source: what is of one is then the target's own, and compared with nothing.
    pub is_without_source: bool,
    /// How it was asked.
    pub settings: Settings,
    /// Where the source's row was timed at other clocks than the source is set to.
    pub profiled: Option<ProfiledClocks>,
    /// The clocks and limits that source and target were modelled at.
    pub clocks: Pair<Clocks>,
    /// The ceilings really used (achieved ones may be missing on one side).
    pub ceilings_used: Ceilings,
    /// The work, counters of the measured row included.
    pub work: Work,
    /// The launch shape on source and target, where known: another GPU's row may have timed another one.
    pub launch: Pair<Option<Launch>>,
    /// The time on the source.
    pub source_time: Option<SourceTime>,
    /// The prediction, or why there is none.
    pub prediction: Result<Prediction, ModelRefusal>,
    /// The kernel's own ceilings on source and target, where enough of it was counted; whatever the model.
    pub kernel_roofs: Option<KernelRoofs>,
    /// Its interval, where the calibration can give one.
    pub interval: Option<Interval>,
    /// What a block asks for on source and target.
    pub needs: Pair<Option<BlockNeeds>>,
    /// Occupancy on source and target.
    pub occupancy: Pair<Option<Occupancy>>,
    /// Whose registers the occupancy of source and target rests on.
    pub registers: Pair<RegistersFrom>,
    /// What must be said about either side's build: registers of another one, spills, an assumed block.
    pub build: Pair<Vec<Caution>>,
    /// Why it cannot launch on source or target.
    pub launch_refusal: Pair<Option<LaunchRefusal>>,
    /// The measured time on the target.
    pub measured: Option<Measured>,
    /// What the datasets of the source's and the target's row say of their rows of this kernel; a prediction's cautions
    /// have it too.
    pub data: Vec<Caution>,
    /// How much this source says about this target beside others: [`crate::predict::weight`].
    pub weight: f64,
    /// What the rows measured on the target did to the predicted time.
    pub correction: Option<KnownCorrection>,
    /// What the predicted time was made of, where several sources were asked.
    pub combined: Option<Combined>,
    /// The launch on the target as it is and as it is changed, where it is; everything about the target is that of the changed one.
    pub edited_launch: Option<Box<EditedLaunch>>,
}

impl Answer {
    /// `sustained rates, exact occupancy rules`: what the answer really used.
    #[must_use]
    pub fn used(&self) -> String {
        format!("{}, {} occupancy rules", self.rates_used(), self.settings.rules.as_str())
    }

    /// The rates that the predicted time rests on: `sustained rates`, `peak ceilings`.
    #[must_use]
    pub fn rates_used(&self) -> String {
        MODELS[self.settings.model].rates().words(self.ceilings_used)
    }

    /// The predicted time, where there is one.
    #[must_use]
    pub fn predicted_time(&self) -> Option<Seconds> {
        self.prediction.as_ref().ok().map(|p| p.time)
    }

    /// The predicted time as a product, with everything behind it; made of what the answer kept, asking nothing again.
    #[must_use]
    pub fn breakdown(&self) -> Option<Breakdown<'_>> {
        self.prediction.as_ref().ok().map(Prediction::breakdown)
    }

    /// The component times behind it; `None` for no prediction, or a model that has no components.
    #[must_use]
    pub fn component_times(&self) -> Option<Explanation> {
        self.prediction.as_ref().ok()?.component_times()
    }

    /// The width whose vector ceiling belongs to the kernel: that of its counted arithmetic, else FP32.
    #[must_use]
    pub fn width(&self) -> VectorPrecision {
        self.kernel_roofs.as_ref().map_or(VectorPrecision::Single, |k| k.precision)
    }

    /// Operational intensity and performance on the source, where that was timed and the work is known; an estimate is no
    /// measured point.
    #[must_use]
    pub fn timed_point(&self) -> Option<(Intensity, FlopsPerSecond)> {
        let time = self.source_time.as_ref().filter(|t| t.kind != SourceKind::Estimated)?.time;
        let intensity = self.work.intensity().filter(|i| i.0 > 0.0)?;
        Some((intensity, self.work.flops()? / time))
    }

    /// The answer of the target from itself, to a question that named no source.
    #[must_use]
    pub fn without_source(mut self) -> Self {
        self.is_without_source = true;
        let model = MODELS[self.settings.model];
        if model.takes_source_time() && !self.has_timed_source() {
            let prediction = self.prediction.and(Err(ModelRefusal::NeedsSource { model: model.id() }));
            return Self { prediction, interval: None, source_time: None, ..self };
        }
        let of_prediction = self.prediction.iter_mut().map(|prediction| &mut prediction.cautions);
        let of_source = self.source_time.iter_mut().map(|known| &mut known.cautions);
        for cautions in of_prediction.chain(of_source) {
            *cautions = cautions.drain(..).map(|caution| caution.without_source()).collect();
        }
        self
    }

    /// Whether there is one source that the target is compared with: neither several nor none.
    #[must_use]
    pub fn has_one_source(&self) -> bool {
        self.is_seen_from_one() && !self.is_without_source
    }

    /// Source time over predicted time, both at the clocks the GPUs are set to: above 1, the target is faster.
    #[must_use]
    pub fn speedup(&self) -> Option<f64> {
        if self.is_without_source {
            return None;
        }
        let at_clocks = self.profiled.as_ref().and_then(|p| p.stock_time);
        let source = at_clocks.or(self.source_time.as_ref().map(|t| t.time))?;
        Some(source / self.prediction.as_ref().ok()?.time)
    }

    /// The time measured on the source over the predicted one, where it was measured at other clocks than the source is set
    /// to.
    #[must_use]
    pub fn speedup_over_profile(&self) -> Option<f64> {
        self.profiled.as_ref()?.stock_time?;
        Some(self.source_time.as_ref()?.time / self.prediction.as_ref().ok()?.time)
    }

    /// `at stock clocks, 5.73× at the profiled clocks (SM 1000 MHz)`: the words behind the speedup where the source was measured at
    /// other clocks than it is set to; the same wherever both are said.
    #[must_use]
    pub fn profiled_speedup_words(&self) -> Option<String> {
        let profiled = significant(self.speedup_over_profile()?);
        let clocks = self.profiled.as_ref()?;
        let (name, mhz) = (clocks.clocks_name(), clocks.gpu.clocks().sm.0 / 1e6);
        Some(format!("at {name}, {profiled}× at the profiled clocks (SM {mhz:.0} MHz)"))
    }

    /// The source at the clocks of its row, which its points and roofs are drawn at; `stated` where those are its own.
    #[must_use]
    pub fn source_as_timed<'a>(&'a self, stated: &'a Gpu) -> &'a Gpu {
        self.profiled.as_ref().map_or(stated, |p| &p.gpu)
    }

    /// Predicted over measured, minus one, in percent; `None` where the measured time is the answer.
    #[must_use]
    pub fn error_percent(&self) -> Option<f64> {
        if self.is_of_measurement() {
            return None;
        }
        Some(100.0 * (self.prediction.as_ref().ok()?.time / self.measured?.time - 1.0))
    }

    /// Multiplies the predicted time and its interval by what the rows measured on this target say.
    pub fn correct(&mut self, correction: KnownCorrection) {
        let KnownCorrection { factor, width, rows } = correction;
        if !self.multiply(Cause::TargetRows(rows), factor) {
            return;
        }
        if let Ok(prediction) = &mut self.prediction {
            let time = prediction.time;
            self.interval = self.interval.map(|interval| interval.widened_by(width, time));
            prediction.cautions.push(Caution::RowsMeasuredHere { factor, rows });
        }
        self.correction = Some(correction);
    }

    /// Multiplies the predicted time and its interval, for this reason; whether that gave a time.
    pub(super) fn multiply(&mut self, cause: Cause, factor: f64) -> bool {
        let Ok(prediction) = &mut self.prediction else { return false };
        let multiplied = prediction.time.0 * factor;
        if !multiplied.is_finite() || multiplied <= 0.0 {
            return false;
        }
        prediction.multiply(cause, factor);
        self.interval = self.interval.map(|interval| interval.multiplied(factor));
        true
    }

    /// What must be said of either side's build, each once.
    #[must_use]
    pub fn of_builds(&self) -> Vec<&Caution> {
        let mut all: Vec<&Caution> = Vec::new();
        for caution in self.build.iter().flatten() {
            if !all.contains(&caution) {
                all.push(caution);
            }
        }
        all
    }

    /// Whether nobody stated the threads per block, so that every occupancy is that of an assumed one.
    #[must_use]
    pub fn block_is_assumed(&self) -> bool {
        self.build.iter().flatten().any(|c| matches!(c, Caution::BlockAssumed(_)))
    }

    /// The numbers alone; `None` where there is no prediction.
    #[must_use]
    pub fn estimate(&self) -> Option<TimeEstimate> {
        self.prediction.as_ref().ok().map(|prediction| self.estimate_of(prediction))
    }

    /// The numbers alone.
    ///
    /// # Errors
    /// Why there is no prediction.
    pub fn estimate_or_refusal(&self) -> Result<TimeEstimate, ModelRefusal> {
        let prediction = self.prediction.as_ref().map_err(Clone::clone)?;
        Ok(self.estimate_of(prediction))
    }

    fn estimate_of(&self, prediction: &Prediction) -> TimeEstimate {
        let Prediction { time, doubt, width, .. } = *prediction;
        let rests_on_measurement = !self.is_estimate();
        TimeEstimate {
            time,
            doubt,
            width,
            interval: self.interval,
            rests_on_measurement,
            limit: prediction.bound_target,
            occupancy: self.occupancy.target.map(|o| o.fraction()),
        }
    }

    /// Whether it is seen from one source, whose time it has and whose speedup: not that of several that stand side by side.
    #[must_use]
    pub fn is_seen_from_one(&self) -> bool {
        self.combined.as_ref().is_none_or(|combined| combined.is_beside)
    }

    /// Whether the answer is a measured time of the target itself, to which no model added anything.
    #[must_use]
    pub fn is_of_measurement(&self) -> bool {
        let has_added = self.measured.is_none() || self.is_estimate() || self.edited_launch.is_some();
        !has_added && self.interval.is_some_and(Interval::is_of_measurement)
    }

    /// Whether the predicted time rests on no measurement, of this size or another.
    #[must_use]
    pub fn is_estimate(&self) -> bool {
        if let Some(combined) = &self.combined {
            return combined.is_estimate();
        }
        !self.has_timed_source() || !MODELS[self.settings.model].needs_source()
    }

    /// Whether the source was timed, at this size or another.
    #[must_use]
    pub fn has_timed_source(&self) -> bool {
        self.source_time.as_ref().is_some_and(SourceTime::rests_on_measurement)
    }
}

/// One source's part in a combined answer.
#[derive(Debug, Clone)]
pub struct Share {
    /// What this source alone says.
    pub answer: Answer,
    /// Its share of all weights, 0 to 1.
    pub weight: f64,
}

/// What a combined answer is made of.
#[derive(Debug, Clone)]
pub struct Combined {
    /// The heaviest first; equal ones by their place in the catalogue.
    pub shares: Vec<Share>,
    /// Whether the rest of the answer is that of one GPU, which they stand beside.
    pub is_beside: bool,
    /// The sources without a time, and why.
    pub left_out: Vec<(GpuId, ModelRefusal)>,
    /// The weighted standard deviation of ln T over the sources.
    pub spread: f64,
}

impl Combined {
    /// The sources that have a part in the time: one without a measurement has none beside one with.
    pub fn counted(&self) -> impl Iterator<Item = &Share> {
        self.shares.iter().filter(|s| s.weight > 0.0)
    }

    /// Whether more than half of the weight rests on estimates.
    #[must_use]
    pub fn is_estimate(&self) -> bool {
        let estimated = self.shares.iter().filter(|s| s.answer.is_estimate());
        estimated.map(|s| s.weight).sum::<f64>() > 0.5
    }
}
