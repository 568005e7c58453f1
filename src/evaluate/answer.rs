//! The answer to one question: the prediction, its interval, and the measured time where the target was timed too.

use super::calibration::{Asked, Calibration, Interval, Start};
use super::combined::Combined;
use super::known_rows::Correction;
use crate::catalogue::{Catalogue, Origin};
use crate::gpu::{Ceilings, Clocks, Gpu, GpuId};
use crate::kernel::{Kernel, Launch, Precision, Work};
use crate::measurement::{Dataset, Measurement, Store};
use crate::occupancy::{BlockNeeds, LaunchRefusal, Occupancy, Rules};
use crate::predict::{
    Amount, Caution, Explanation, Factor, KernelRoofs, Lessons, MODELS, ModelId, Prediction, Prepared,
    Provenance, Question, Quick, Reckoned, Refusal, RegistersFrom, SourceKind, SourceTime, Subject, body,
    differences, is_at, kernel_roofs, question, reckoned, weight,
};
use crate::units::{FlopsPerSecond, Intensity, Seconds};
use std::sync::Arc;

/// Below this a time may be mostly launch: floors up to 9 µs were seen (study, defect 5).
const NEAR_FLOOR: Seconds = Seconds(10e-6);

/// How to answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Settings {
    /// Place of the model in [`MODELS`].
    pub model: ModelId,
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
    pub source: GpuId,
    /// The target GPU's place in the catalogue.
    pub target: GpuId,
    /// How it was asked.
    pub settings: Settings,
    /// The clocks and limits that source and target were reckoned at.
    pub clocks: [Clocks; 2],
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
    /// How much this source says about this target beside others: [`weight`].
    pub weight: f64,
    /// What the rows measured on the target did to the predicted time.
    pub correction: Option<Correction>,
    /// What the predicted time was made of, where several sources were asked.
    pub combined: Option<Combined>,
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

    /// Multiplies the predicted time and its interval by what the rows measured on this target say.
    pub fn correct(&mut self, correction: Correction, target: &str) {
        let Ok(prediction) = &mut self.prediction else { return };
        let time = Seconds(prediction.time.0 * correction.factor);
        if !time.0.is_finite() || time.0 <= 0.0 {
            return;
        }
        prediction.time = time;
        let whose = format!("{} rows on {target}", correction.rows);
        let from = Provenance::Stated(Origin::Derived, whose.into());
        prediction.factors.push(Factor::of_target(
            "rows measured here",
            Amount::Times(correction.factor),
            from,
        ));
        let Correction { factor, rows } = correction;
        prediction.cautions.push(Caution::RowsMeasuredHere { factor, rows });
        if let Some(i) = &mut self.interval {
            (i.low, i.high) = (Seconds(i.low.0 * correction.factor), Seconds(i.high.0 * correction.factor));
        }
        self.correction = Some(correction);
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

    /// The time and the interval alone; `None` where there is no prediction.
    #[must_use]
    pub fn brief(&self) -> Option<Brief> {
        let (interval, is_estimate) = (self.interval, self.is_estimate());
        Some(Brief { time: self.prediction.as_ref().ok()?.time, interval, is_estimate })
    }

    /// Whether the predicted time rests on an estimate instead of a measurement.
    #[must_use]
    pub fn is_estimate(&self) -> bool {
        if let Some(combined) = &self.combined {
            return combined.is_estimate();
        }
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
    /// What `hybrid` learned.
    pub lessons: &'a Lessons,
    /// Source and target as their documents state them, where they are reckoned at typed clocks.
    pub stock: [Option<&'a Gpu>; 2],
}

/// Answers one question about a source and a target, given by their places in the catalogue.
#[must_use]
pub fn answer(
    known: Known<'_>,
    subject: &Subject,
    (source, target): (GpuId, GpuId),
    settings: Settings,
) -> Answer {
    let Known { gpus, kernels, store, datasets, calibration, lessons, stock } = known;
    let on_target = &gpus[target];
    let kernel = &kernels[subject.kernel];
    let (stated, reckoned) = at_clocks(known, subject, (source, target));
    let pair = [(source, reckoned.gpu(stated)), (target, on_target)];
    let mut q = question(kernel, subject, pair, store, settings.ceilings, settings.rules);
    q.lesson = lessons.of(subject.kernel, target);
    let timed = subject.config.and_then(|c| store.row(c, target));
    let timed = timed.filter(|row| stock[1].is_none() || is_at(row, on_target));
    let data = of_datasets(datasets, kernel, &q, timed);
    let mut prediction = MODELS[settings.model].predict(&q);
    if let Ok(p) = &mut prediction {
        observe(p, &q, timed);
        let of_row = reckoned.caution();
        let typed = stock[0].filter(|_| source != target && of_row.is_none());
        p.cautions.extend(typed.map(|stock| Caution::SourceTyped(differences(q.source.gpu, stock))));
        p.cautions.extend(of_row);
        p.cautions.extend(stock[1].map(|stock| Caution::Hypothetical(differences(on_target, stock))));
        p.cautions.extend(data.iter().cloned());
    }
    let used = Settings { ceilings: q.ceilings, ..settings };
    let weight = weight(&q);
    let asked = Asked {
        settings: used,
        kernel: subject.kernel,
        target,
        start: start_of(used, q.source_time.as_ref()),
        kernel_id: &kernel.id,
        doubt: prediction.as_ref().ok().and_then(|p| p.doubt),
        width: prediction.as_ref().ok().and_then(|p| p.width),
    };
    let interval = prediction.as_ref().ok().and_then(|p| calibration.interval(p.time, asked));
    let levels = prediction.as_ref().ok().and_then(|p| p.levels.as_ref());
    Answer {
        source,
        target,
        clocks: [q.source.gpu.clocks(), q.target.gpu.clocks()],
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
        weight,
        correction: None,
        combined: None,
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
    (source, targets): (GpuId, &[GpuId]),
    settings: Settings,
) -> Vec<Option<Brief>> {
    let Known { gpus, kernels, store, calibration, .. } = known;
    if !MODELS[settings.model].is_prepared() {
        let brief = |target: &GpuId| answer(known, subject, (source, *target), settings).brief();
        return targets.iter().map(brief).collect();
    }
    let kernel = &kernels[subject.kernel];
    let mut prepared = Prepared::new(kernel, subject, gpus.entries(), store, settings.rules);
    let from = prepared.start(source);
    let is_estimate = from.source_time.as_ref().is_none_or(|t| t.kind == SourceKind::Estimated);
    let start = start_of(settings, from.source_time.as_ref());
    let brief = |target: &GpuId| {
        let Quick { time, doubt } = from.to(*target).ok()?;
        let (kernel_id, doubt) = (kernel.id.as_str(), Some(doubt));
        let (kernel, target) = (subject.kernel, *target);
        let asked = Asked { settings, kernel, target, start, kernel_id, doubt, width: None };
        Some(Brief { time, interval: calibration.interval(time, asked), is_estimate })
    };
    targets.iter().map(brief).collect()
}

/// The prediction of [`answer`] taken apart; `None` where there is none, or the model has nothing beside its factors.
#[must_use]
pub fn explain(
    known: Known<'_>,
    subject: &Subject,
    (source, target): (GpuId, GpuId),
    settings: Settings,
) -> Option<Explanation> {
    let Known { gpus, kernels, store, lessons, .. } = known;
    let kernel = &kernels[subject.kernel];
    let (stated, reckoned) = at_clocks(known, subject, (source, target));
    let pair = [(source, reckoned.gpu(stated)), (target, &gpus[target])];
    let mut q = question(kernel, subject, pair, store, settings.ceilings, settings.rules);
    q.lesson = lessons.of(subject.kernel, target);
    MODELS[settings.model].explain(&q)
}

/// The source as its documents or typed clocks have it, and as the row behind its time states it. On the same GPU typed
/// clocks are those of the target: the time was taken at the stated ones.
fn at_clocks<'a>(
    known: Known<'a>,
    subject: &Subject,
    (source, target): (GpuId, GpuId),
) -> (&'a Gpu, Reckoned) {
    let stock = known.stock[0];
    let stated = stock.filter(|_| source == target).unwrap_or(&known.gpus[source]);
    (stated, reckoned(stock.unwrap_or(stated), stated, subject, source, known.store))
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
