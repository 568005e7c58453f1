//! From a question to its answer: the model, the interval, the words about it.

use super::answered::{Answer, Brief, Measured};
use super::calibration::{Asked, Calibration, Start};
use super::settings::Settings;
use crate::catalogue::Catalogue;
use crate::gpu::Gpu;
use crate::kernel::Kernel;
use crate::measurement::{Dataset, Measurement, Store};
use crate::predict::{
    Caution, Explanation, Lessons, MODELS, Prediction, Prepared, Question, Quick, Reckoned, SourceKind,
    SourceTime, Subject, body, differences, is_at, kernel_roofs, question, reckoned, weight,
};
use crate::units::Seconds;
use std::sync::Arc;

/// Below this a time may be mostly launch: floors up to 9 µs were seen (study, defect 5).
const NEAR_FLOOR: Seconds = Seconds(10e-6);

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
    (source, target): (usize, usize),
    settings: Settings,
) -> Answer {
    let Known { gpus, kernels, store, datasets, calibration, lessons, stock } = known;
    let on_target = &gpus.entries()[target];
    let kernel = &kernels.entries()[subject.kernel];
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
        let brief = |target: &usize| answer(known, subject, (source, *target), settings).brief();
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
    (source, target): (usize, usize),
    settings: Settings,
) -> Option<Explanation> {
    let Known { gpus, kernels, store, lessons, .. } = known;
    let kernel = &kernels.entries()[subject.kernel];
    let (stated, reckoned) = at_clocks(known, subject, (source, target));
    let pair = [(source, reckoned.gpu(stated)), (target, &gpus.entries()[target])];
    let mut q = question(kernel, subject, pair, store, settings.ceilings, settings.rules);
    q.lesson = lessons.of(subject.kernel, target);
    MODELS[settings.model].explain(&q)
}

/// The source as its documents or typed clocks have it, and as the row behind its time states it. On the same GPU typed
/// clocks are those of the target: the time was taken at the stated ones.
fn at_clocks<'a>(
    known: Known<'a>,
    subject: &Subject,
    (source, target): (usize, usize),
) -> (&'a Gpu, Reckoned) {
    let stock = known.stock[0];
    let stated = stock.filter(|_| source == target).unwrap_or(&known.gpus.entries()[source]);
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
