//! The answer to one question: the prediction, its interval, and the measured time where the target was timed too.

use super::calibration::{Asked, Calibration, Interval, Start};
use crate::catalogue::Catalogue;
use crate::gpu::{Ceilings, Gpu};
use crate::kernel::{Kernel, Launch, Precision, Work};
use crate::measurement::{Dataset, Measurement, Store};
use crate::occupancy::{BlockNeeds, LaunchRefusal, Occupancy, Rules};
use crate::predict::{
    Caution, Explanation, KernelRoofs, MODELS, Prediction, Prepared, Question, Quick, Refusal, RegistersFrom,
    SourceKind, SourceTime, Subject, body, kernel_roofs, question,
};
use crate::units::{FlopsPerSecond, Intensity, Seconds};
use std::sync::Arc;

/// Below this a time may be mostly launch: floors up to 9 µs were seen (study, defect 5).
const NEAR_FLOOR: Seconds = Seconds(10e-6);

/// How to answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Settings {
    /// Place of the model in [`MODELS`].
    pub model: usize,
    /// Peak or achieved ceilings.
    pub ceilings: Ceilings,
    /// Occupancy arithmetic.
    pub rules: Rules,
}

/// A time somebody measured on the target.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measured {
    /// Time per launch.
    pub time: Seconds,
    /// Published or the user's.
    pub kind: SourceKind,
}

/// Everything a row of the predictions table shows.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The source GPU's place in the catalogue.
    pub source: usize,
    /// The target GPU's place in the catalogue.
    pub target: usize,
    /// How it was asked.
    pub settings: Settings,
    /// The ceilings really used (achieved ones may be missing on one side).
    pub ceilings_used: Ceilings,
    /// The work, counters of the measured row included.
    pub work: Work,
    /// The launch shape on source and target, where known: another GPU's row may have timed another one.
    pub launch: [Option<Launch>; 2],
    /// The time on the source.
    pub source_time: Option<SourceTime>,
    /// The prediction, or why there is none.
    pub prediction: Result<Prediction, Refusal>,
    /// The kernel's own ceilings on source and target, where enough of it was counted; whatever the model.
    pub kernel_roofs: Option<KernelRoofs>,
    /// Its interval, where the calibration can give one.
    pub interval: Option<Interval>,
    /// What a block asks for on source and target.
    pub needs: [Option<BlockNeeds>; 2],
    /// Occupancy on source and target.
    pub occupancy: [Option<Occupancy>; 2],
    /// Whose registers the occupancy of source and target rests on.
    pub registers: [RegistersFrom; 2],
    /// What must be said about either side's build: registers of another one, spills, an assumed block.
    pub build: [Vec<Caution>; 2],
    /// Why it cannot launch on source or target.
    pub launch_refusal: [Option<LaunchRefusal>; 2],
    /// The measured time on the target.
    pub measured: Option<Measured>,
    /// What the datasets of the source's and the target's row say of their rows of this kernel; a prediction's cautions
    /// have it too.
    pub data: Vec<Caution>,
}

impl Answer {
    /// `peak ceilings, exact occupancy rules`: what the answer really used.
    #[must_use]
    pub fn used(&self) -> String {
        format!("{} ceilings, {} occupancy rules", self.ceilings_used.word(), self.settings.rules.word())
    }

    /// The width whose vector ceiling belongs to the kernel: that of its counted arithmetic, else FP32.
    #[must_use]
    pub fn width(&self) -> Precision {
        self.kernel_roofs.as_ref().map_or(Precision::Single, |k| k.precision)
    }

    /// Operational intensity and performance on the source, where that was timed and the work is known; an estimate is no
    /// measured point.
    #[must_use]
    pub fn timed_point(&self) -> Option<(Intensity, FlopsPerSecond)> {
        let time = self.source_time.as_ref().filter(|t| t.kind != SourceKind::Estimated)?.time;
        let intensity = self.work.intensity().filter(|i| i.0 > 0.0)?;
        Some((intensity, self.work.flops()? / time))
    }

    /// Source time over predicted time: above 1, the target is faster.
    #[must_use]
    pub fn speedup(&self) -> Option<f64> {
        Some(self.source_time.as_ref()?.time / self.prediction.as_ref().ok()?.time)
    }

    /// Predicted over measured, minus one, in percent.
    #[must_use]
    pub fn error_percent(&self) -> Option<f64> {
        Some(100.0 * (self.prediction.as_ref().ok()?.time / self.measured?.time - 1.0))
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

    /// Whether the predicted time rests on an estimate instead of a measurement.
    #[must_use]
    pub fn is_estimate(&self) -> bool {
        let from_estimate = self.source_time.as_ref().is_none_or(|t| t.kind == SourceKind::Estimated);
        from_estimate || !MODELS[self.settings.model].needs_source()
    }
}

/// What an answer is drawn from.
#[derive(Debug, Clone, Copy)]
pub struct Known<'a> {
    /// Every GPU.
    pub gpus: &'a Catalogue<Gpu>,
    /// Every kernel.
    pub kernels: &'a Catalogue<Kernel>,
    /// Every measurement.
    pub store: &'a Store,
    /// What the shipped datasets say of themselves.
    pub datasets: &'a [Dataset],
    /// How wide intervals are.
    pub calibration: &'a Calibration,
}

/// Answers one question about a source and a target, given by their places in the catalogue.
#[must_use]
pub fn answer(
    known: Known<'_>,
    subject: &Subject,
    (source, target): (usize, usize),
    settings: Settings,
) -> Answer {
    let Known { gpus, kernels, store, datasets, calibration } = known;
    let at = |i: usize| (i, &gpus.entries()[i]);
    let kernel = &kernels.entries()[subject.kernel];
    let q = question(kernel, subject, [at(source), at(target)], store, settings.ceilings, settings.rules);
    let timed = subject.config.and_then(|c| store.row(c, target));
    let data = of_datasets(datasets, kernel, &q, timed);
    let mut prediction = MODELS[settings.model].predict(&q);
    if let Ok(p) = &mut prediction {
        observe(p, &q, timed);
        p.cautions.extend(data.iter().cloned());
    }
    let used = Settings { ceilings: q.ceilings, ..settings };
    let asked = Asked {
        settings: used,
        kernel: subject.kernel,
        target,
        start: start_of(used, q.source_time.as_ref()),
        kernel_id: &kernel.id,
        doubt: MODELS[settings.model].doubt(&q),
    };
    let interval = prediction.as_ref().ok().and_then(|p| calibration.interval(p.time, asked));
    let levels = prediction.as_ref().ok().and_then(|p| p.levels.as_ref());
    Answer {
        source,
        target,
        settings,
        ceilings_used: levels.map_or(q.ceilings, |l| l.ceilings),
        kernel_roofs: kernel_roofs(&q).ok(),
        work: q.work,
        launch: [q.source.launch, q.target.launch],
        prediction,
        interval,
        needs: [q.source.needs, q.target.needs],
        occupancy: [q.source.occupancy, q.target.occupancy],
        registers: [q.source.registers, q.target.registers],
        build: [q.source.build, q.target.build],
        launch_refusal: [q.source.refusal, q.target.refusal],
        measured: timed.map(|r| Measured { time: r.time, kind: r.kind.into() }),
        data,
        source_time: q.source_time,
    }
}

/// An answer without its reasons: the numbers of [`answer`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Brief {
    /// Predicted time per launch on the target.
    pub time: Seconds,
    /// Its interval, where the calibration can give one.
    pub interval: Option<Interval>,
    /// Whether it rests on an estimate instead of a measurement, as [`Answer::is_estimate`].
    pub is_estimate: bool,
}

/// The time and the interval of [`answer`] for many targets of one source, in their order; `None` where there is no
/// prediction.
#[must_use]
pub fn briefs(
    known: Known<'_>,
    subject: &Subject,
    (source, targets): (usize, &[usize]),
    settings: Settings,
) -> Vec<Option<Brief>> {
    let Known { gpus, kernels, store, calibration, .. } = known;
    if !MODELS[settings.model].is_prepared() {
        let brief = |target: &usize| {
            let answer = answer(known, subject, (source, *target), settings);
            let (interval, is_estimate) = (answer.interval, answer.is_estimate());
            Some(Brief { time: answer.prediction.ok()?.time, interval, is_estimate })
        };
        return targets.iter().map(brief).collect();
    }
    let kernel = &kernels.entries()[subject.kernel];
    let mut prepared = Prepared::new(kernel, subject, gpus.entries(), store, settings.rules);
    let from = prepared.start(source);
    let is_estimate = from.source_time.as_ref().is_none_or(|t| t.kind == SourceKind::Estimated);
    let start = start_of(settings, from.source_time.as_ref());
    let brief = |target: &usize| {
        let Quick { time, doubt } = from.to(*target).ok()?;
        let (kernel_id, doubt) = (kernel.id.as_str(), Some(doubt));
        let asked = Asked { settings, kernel: subject.kernel, target: *target, start, kernel_id, doubt };
        Some(Brief { time, interval: calibration.interval(time, asked), is_estimate })
    };
    targets.iter().map(brief).collect()
}

/// The prediction of [`answer`] taken apart; `None` where there is none, or the model has nothing beside its factors.
#[must_use]
pub fn explain(
    known: Known<'_>,
    subject: &Subject,
    (source, target): (usize, usize),
    settings: Settings,
) -> Option<Explanation> {
    let Known { gpus, kernels, store, .. } = known;
    let at = |i: usize| (i, &gpus.entries()[i]);
    let kernel = &kernels.entries()[subject.kernel];
    let q = question(kernel, subject, [at(source), at(target)], store, settings.ceilings, settings.rules);
    MODELS[settings.model].explain(&q)
}

/// What a prediction with these settings starts from.
fn start_of(settings: Settings, source_time: Option<&SourceTime>) -> Start {
    match source_time {
        Some(t) if MODELS[settings.model].needs_source() => {
            t.extrapolation.map_or(Start::StandIn, Start::Timed)
        }
        _ => Start::Nothing,
    }
}

/// What holds of the times whatever the model: timed points above their roof, and times so short that the launch may be
/// most of them.
fn observe(prediction: &mut Prediction, q: &Question<'_>, target_row: Option<&Measurement>) {
    let known = q.source_time.as_ref();
    let on_source = known.filter(|t| t.kind != SourceKind::Estimated).map(|t| (q.source.gpu, t.time, q.work));
    let on_target = target_row.map(|r| (q.target.gpu, r.time, q.work.overlaid(&r.work())));
    for (gpu, time, work) in on_source.into_iter().chain(on_target) {
        let counted = work.flops().and(work.dram()).and_then(|_| body(gpu, &work, q.ceilings));
        let Some(ratio) = counted.map(|body| body / time).filter(|ratio| *ratio > 1.0) else { continue };
        let id: Arc<str> = gpu.id.as_str().into();
        let caution = Caution::AboveRoof { gpu: id.clone(), ratio, in_l2: q.fits_l2(gpu) };
        // The same working set in the same L2 is said once.
        prediction.cautions.retain(|c| *c != Caution::FitsL2(id.clone()) && *c != caution);
        prediction.cautions.push(caution);
    }
    let times = [(q.source.gpu, known.map(|t| t.time)), (q.target.gpu, Some(prediction.time))];
    for (gpu, _) in times.into_iter().filter(|(_, time)| time.is_some_and(|t| t < NEAR_FLOOR)) {
        let caution = Caution::LaunchBound(gpu.id.as_str().into());
        if !prediction.cautions.contains(&caution) {
            prediction.cautions.push(caution);
        }
    }
}

/// What the datasets behind the source time and the target's row say of this kernel.
fn of_datasets(
    datasets: &[Dataset],
    kernel: &Kernel,
    q: &Question<'_>,
    target_row: Option<&Measurement>,
) -> Vec<Caution> {
    let sources = [q.source_time.as_ref().map(|t| &*t.source), target_row.map(|r| &*r.source)];
    let behind = |d: &&Dataset| sources.into_iter().flatten().any(|source| *source == *d.source);
    let texts = datasets.iter().filter(behind).flat_map(|d| d.of_kernel(&kernel.id));
    texts.map(|text| Caution::Data(text.as_str().into())).collect()
}
