//! Intervals: split conformal on |ln(measured / predicted)|.
//!
//! The residuals are those of the shipped published figures, for each model, ceilings and occupancy rules on their own:
//! the very trials of `evaluate` where the GPU is new, so that no prediction behind a residual knew
//! anything that was measured on its target. For a question about kernel K, every residual of K is left out, so an
//! interval never saw the figures it is asked about. The half-width in ln is the ceil(0.9 (n+1))-th smallest |ln|.
//!
//! A target that is among the four GPUs of the figures has been seen with other kernels; any other has not. How often the
//! intervals hold for a GPU that was left out altogether is counted too, and said beside an interval for a new GPU: four
//! GPUs are few to know a fifth by.

use super::residuals::{ResidualFold, Residuals};
use super::settings::Settings;
use super::shipped::ShippedErrors;
use super::trials::AnswerTrials;
use crate::catalogue::FileError;
use crate::gpu::{Ceilings, GpuId};
use crate::kernel::KernelId;
use crate::occupancy::Rules;
use crate::predict::{Doubt, Interval, MODELS, ModelId, SourceTime, Width, joined_doubts};
use crate::units::Seconds;
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, OnceLock};

/// What an interval is asked for.
#[derive(Debug, Clone, Copy)]
pub struct IntervalQuestion<'a> {
    /// Model and rules, and the ceilings really in use.
    pub settings: Settings,
    /// The kernel's place in its catalogue.
    pub kernel: KernelId,
    /// The target's place in its catalogue.
    pub target: GpuId,
    /// How the source time came about.
    pub start: StartedFrom,
    /// The kernel's id.
    pub kernel_id: &'a str,
    /// How uncertain the model calls its answer.
    pub doubt: Option<Doubt>,
    /// How wide the interval is by the model's own errors, where it is not by those of the shipped families.
    pub width: Option<Width>,
}

/// What a prediction starts from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum StartedFrom {
    /// The model uses no time on the source.
    Nothing,
    /// A timed size, and the ratio of work it is scaled by, or that of its numbers where these differ more, as far as its time is not that of a launch; 1 where it is the size
    /// asked for.
    /// Beside it half a width in ln ([`SourceTime::bend`]).
    Timed(f64, f64),
    /// Several sizes near it, and half the width of the 90 % interval of what they give, in ln.
    NearSizes(f64),
    /// The roof and the usual efficiency stand in for one.
    StandIn,
}

impl StartedFrom {
    /// What a prediction with these settings starts from.
    #[must_use]
    pub fn of_time(settings: Settings, source_time: Option<&SourceTime>) -> Self {
        match source_time {
            Some(t) if MODELS[settings.model].needs_source() => {
                let ratio = t.extrapolation.map(|ratio| (t.in_body * ratio.ln().abs().max(t.distance)).exp());
                let timed = || {
                    ratio.map_or(Self::StandIn, |ratio| Self::Timed(ratio, joined_doubts(t.bend, t.trials)))
                };
                t.spread.map_or_else(timed, Self::NearSizes)
            }
            _ => Self::Nothing,
        }
    }
}

/// What was learned of one model with its settings.
#[derive(Debug, Clone, Default)]
struct LearnedResiduals {
    residuals: Residuals,
    /// The share of times that intervals held when the target's GPU was left out, as target and as source; 0 to 1.
    held_for_new_gpus: Option<f64>,
}

/// What was learned of every model with one choice of ceilings and rules.
#[derive(Debug, Clone, Default)]
pub struct LearnedModels {
    models: HashMap<ModelId, LearnedResiduals>,
    /// The GPUs behind the residuals.
    gpus: BTreeSet<GpuId>,
}

/// Learns from the shipped figures with these ceilings and rules. It runs on the thread that asks: a pool's thread that waited
/// for others could be given a question that waits for this very answer.
type LearnModels = dyn Fn(Ceilings, Rules) -> LearnedModels + Send + Sync;

/// The residuals of every model on the shipped figures, and how well their intervals carry over to a GPU they never saw.
#[derive(Clone, Default)]
pub struct IntervalCalibration {
    learn: Option<Arc<LearnModels>>,
    /// By ceilings and rules, each made when a model that does not say how uncertain it is asks first.
    learned: [[OnceLock<LearnedModels>; 2]; 2],
    shipped: Arc<ShippedErrors>,
}

impl std::fmt::Debug for IntervalCalibration {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IntervalCalibration").field("learned", &self.learned).finish_non_exhaustive()
    }
}

impl LearnedModels {
    /// Takes in what one model got wrong, and the share of times, 0 to 1, that its intervals held for a GPU left out.
    pub fn add_trials(&mut self, model: ModelId, trials: &AnswerTrials, held_for_new_gpus: Option<f64>) {
        let residuals = Residuals::from_trials(trials, MODELS[model].needs_source());
        self.gpus.extend(trials.iter().map(|t| t.target));
        self.models.insert(model, LearnedResiduals { residuals, held_for_new_gpus });
    }
}

/// Half the width, in ln, of launches that are timed again: what a size beside the timed one has, however near.
const REPEATED: f64 = 0.02;

impl IntervalCalibration {
    /// With residuals that are learned when they are first asked for.
    ///
    /// # Errors
    /// [`FileError`] where `specs/intervals.toml` does not parse (a test reads it).
    pub fn with_lesson(
        learn: impl Fn(Ceilings, Rules) -> LearnedModels + Send + Sync + 'static,
    ) -> Result<Self, FileError> {
        let shipped = Arc::new(ShippedErrors::from_specs()?);
        Ok(Self { learn: Some(Arc::new(learn)), shipped, ..Self::default() })
    }

    /// The same without any residual: those of another catalogue's kernels say nothing here.
    #[must_use]
    pub fn without_residuals(&self) -> Self {
        Self { shipped: self.shipped.clone(), ..Self::default() }
    }

    /// The interval around a predicted time; `None` where too few residuals are left for it.
    #[must_use]
    pub fn interval(&self, time: Seconds, asked: IntervalQuestion<'_>) -> Option<Interval> {
        if let Some(doubt) = asked.doubt {
            return self.of_families(time, asked, doubt);
        }
        let learned = self.learned_with(asked.settings.ceilings, asked.settings.rules)?;
        let model = learned.models.get(&asked.settings.model)?;
        let (own, n) = model.residuals.half_width(ResidualFold::Kernel(asked.kernel))?;
        let extra = match asked.start {
            // It was not measured on the source: the stand-in's own error there comes on top.
            StartedFrom::StandIn => self.shipped.unmeasured(asked.kernel_id)?.0,
            start => self.width_of_size(start),
        };
        let ln = joined_doubts(own, extra);
        let factor = ln.exp();
        let (low, high) = (Seconds(time.0 / factor), Seconds(time.0 * factor));
        let known = learned.gpus.contains(&asked.target);
        let held_for_new_gpus = if known { None } else { model.held_for_new_gpus };
        Some(Interval {
            low,
            high,
            factor,
            n,
            widened: extra > 0.0,
            is_cut: false,
            doubt: None,
            held_for_new_gpus,
        })
    }

    /// From the shipped families of kernels, in units of this answer's doubt.
    fn of_families(&self, time: Seconds, asked: IntervalQuestion<'_>, doubt: Doubt) -> Option<Interval> {
        Some(self.family_scale(asked.kernel_id, asked.start, asked.width)?.around(time, &doubt))
    }

    /// How wide the intervals of this kernel's answers are, whatever the target; `None` where nothing is known of it.
    #[must_use]
    pub(super) fn family_scale(
        &self,
        kernel_id: &str,
        start: StartedFrom,
        width: Option<Width>,
    ) -> Option<FamilyScale> {
        Some(match start {
            StartedFrom::Timed(..) | StartedFrom::NearSizes(_) => {
                let own = width.map(|w| (w.in_doubts, w.rows));
                let (width, n) = own.or_else(|| self.shipped.half_width(kernel_id))?;
                let extra = self.width_of_size(start);
                FamilyScale { in_doubts: width, extra, n, widened: extra > 0.0 }
            }
            StartedFrom::Nothing | StartedFrom::StandIn => {
                let (ln, n) = self.shipped.unmeasured(kernel_id)?;
                FamilyScale { in_doubts: 0.0, extra: ln, n, widened: true }
            }
        })
    }

    /// Half the width, in ln, that a size which was not the one asked for brings; 0 where no size was timed.
    fn width_of_size(&self, start: StartedFrom) -> f64 {
        match start {
            StartedFrom::Timed(1.0, 0.0) => 0.0,
            StartedFrom::Timed(ratio, bend) => {
                let by_roofs = self.shipped.size_extrapolation.ln_per_doubling * ratio.log2().abs();
                joined_doubts(joined_doubts(by_roofs, bend), REPEATED)
            }
            StartedFrom::NearSizes(spread) => spread,
            StartedFrom::Nothing | StartedFrom::StandIn => 0.0,
        }
    }

    /// The shipped errors, for an evaluation.
    #[must_use]
    pub fn shipped(&self) -> Arc<ShippedErrors> {
        self.shipped.clone()
    }

    /// What was learned of all models with these ceilings and rules; nothing where nothing can be.
    fn learned_with(&self, ceilings: Ceilings, rules: Rules) -> Option<&LearnedModels> {
        let learn = self.learn.as_ref()?;
        Some(self.learned[ceilings as usize][rules as usize].get_or_init(|| learn(ceilings, rules)))
    }
}

/// How wide the intervals of one kernel's answers are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct FamilyScale {
    /// Half a width in ln, in units of an answer's doubt.
    in_doubts: f64,
    /// What comes on top whatever the doubt, in ln.
    extra: f64,
    n: usize,
    widened: bool,
}

impl FamilyScale {
    /// The interval around this time of an answer of this doubt.
    #[inline]
    pub(super) fn around(self, time: Seconds, doubt: &Doubt) -> Interval {
        let Self { in_doubts, extra, n, widened } = self;
        // Of a kernel that nobody timed the shipped errors say everything but whether its bytes stay in L2.
        let own = if in_doubts > 0.0 { in_doubts * doubt.total() } else { doubt.unknown_reuse() };
        let ln = joined_doubts(own, extra);
        let factor = ln.exp();
        let [least, most] = doubt.interval_ends(factor);
        let (low, high) = (time * least, time * most);
        Interval {
            low,
            high,
            factor,
            n,
            widened,
            is_cut: false,
            doubt: Some(*doubt),
            held_for_new_gpus: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::AnswerTrial;

    fn trial(kernel: usize, source: usize, target: usize, ln: f64) -> AnswerTrial {
        AnswerTrial {
            kernel: KernelId::from_index(kernel),
            config: u32::try_from(kernel).unwrap(),
            measured: ln.exp(),
            ..AnswerTrial::of_pair(source, target)
        }
    }

    /// A calibration by these trials, with the intervals of a new GPU.
    fn learned(trials: Vec<AnswerTrial>) -> IntervalCalibration {
        let mut trials: AnswerTrials = trials.into_iter().collect();
        let without_target = |t: &AnswerTrial| ResidualFold::Gpu(t.target);
        Residuals::from_trials(&trials, true).widen(&mut trials, without_target);
        let held = trials.iter().filter_map(|t| t.held());
        let share = held.clone().filter(|held| *held).count() as f64 / held.count() as f64;
        let mut all = LearnedModels::default();
        all.add_trials(ModelId::default(), &trials, Some(share));
        IntervalCalibration::with_lesson(move |_, _| all.clone()).unwrap()
    }

    fn asked(kernel: usize, target: usize) -> IntervalQuestion<'static> {
        let (kernel, target) = (KernelId::from_index(kernel), GpuId::from_index(target));
        let settings = Settings::default();
        IntervalQuestion {
            settings,
            kernel,
            target,
            start: StartedFrom::Nothing,
            kernel_id: "",
            doubt: None,
            width: None,
        }
    }

    #[test]
    fn a_question_never_sees_its_own_kernel() {
        let tame = (0..20).map(|i| trial(1 + i % 4, 1 + (i + 1) % 3, 1 + i % 3, 0.1));
        let wild = [trial(9, 1, 2, 5.0), trial(9, 2, 1, 5.0), trial(9, 3, 1, 5.0)];
        let c = learned(tame.chain(wild).collect());
        let factor = |kernel| c.interval(Seconds(1.0), asked(kernel, 1)).unwrap().factor;
        assert!((factor(9) - 0.1f64.exp()).abs() < 1e-12, "its own wild errors are left out");
        assert!(factor(77) > 100.0, "for a stranger they count");
    }

    #[test]
    fn a_new_gpu_is_told_how_often_intervals_held_for_one_left_out() {
        // Around the ring 1, 2, 4 the model is good; onto 3 it is always wrong, and only without 3 does nobody know.
        let good = (0..30).map(|i| trial(i, [1, 2, 4][i % 3], [2, 4, 1][i % 3], 0.1));
        let bad = (0..10).map(|i| trial(i, 1, 3, 2.0));
        let c = learned(good.chain(bad).collect());
        let held = |target| c.interval(Seconds(1.0), asked(77, target)).unwrap().held_for_new_gpus;
        assert_eq!(held(3), None, "this one is among the figures");
        assert_eq!(held(50), Some(30.0 / 40.0));
    }
}
