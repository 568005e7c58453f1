//! The answer to one question: the prediction, its interval, and the measured time where the target was timed too.

use super::calibration::{Calibration, Interval};
use crate::catalogue::Catalogue;
use crate::gpu::{Ceilings, Gpu};
use crate::kernel::{Kernel, Launch, Work};
use crate::measurement::Store;
use crate::occupancy::{BlockNeeds, LaunchRefusal, Occupancy, Rules};
use crate::predict::{MODELS, Prediction, Refusal, SourceKind, SourceTime, Subject, question};
use crate::units::Seconds;

/// How to answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
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
    /// The launch shape, where known.
    pub launch: Option<Launch>,
    /// The time on the source.
    pub source_time: Option<SourceTime>,
    /// The prediction, or why there is none.
    pub prediction: Result<Prediction, Refusal>,
    /// Its interval, where the calibration can give one.
    pub interval: Option<Interval>,
    /// What a block asks for on source and target.
    pub needs: [Option<BlockNeeds>; 2],
    /// Occupancy on source and target.
    pub occupancy: [Option<Occupancy>; 2],
    /// Why it cannot launch on source or target.
    pub launch_refusal: [Option<LaunchRefusal>; 2],
    /// The measured time on the target.
    pub measured: Option<Measured>,
}

impl Answer {
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
    let Known { gpus, kernels, store, calibration } = known;
    let at = |i: usize| (i, &gpus.entries()[i]);
    let kernel = &kernels.entries()[subject.kernel];
    let q = question(kernel, subject, [at(source), at(target)], store, settings.ceilings, settings.rules);
    let model = MODELS[settings.model];
    let prediction = model.predict(&q);
    let source_used = model.needs_source().then(|| q.source_time.as_ref().and_then(|t| t.extrapolation));
    let interval = prediction
        .as_ref()
        .ok()
        .and_then(|p| calibration.interval(p.time, (settings.model, subject.kernel, target), source_used));
    let timed =
        store.find(subject.kernel, &subject.problem, &subject.variant).and_then(|c| store.row(c, target));
    Answer {
        source,
        target,
        settings,
        ceilings_used: q.ceilings,
        work: q.work,
        launch: q.launch,
        prediction,
        interval,
        needs: [q.source.needs, q.target.needs],
        occupancy: [q.source.occupancy, q.target.occupancy],
        launch_refusal: [q.source.refusal, q.target.refusal],
        measured: timed.map(|r| Measured { time: r.time, kind: r.kind.into() }),
        source_time: q.source_time,
    }
}
