//! One kernel of a workload on the GPUs of a board.

use crate::answer::{Answer, Settings, TargetsQuestion};
use crate::gpu::{GpuId, board_place};
use crate::kernel::{Count, Kernel, Work};
use crate::power::{Load, PowerModel};
use crate::predict::{Caution, Interval, ModelRefusal, SharedMachines, SourceKind, Subject, TimeEstimate};
use crate::report::shown;
use crate::roofline::Bound;
use crate::session::{Session, Sources};
use crate::units::{Seconds, Watts};

/// A kernel on one GPU: per launch.
#[derive(Debug, Clone)]
pub(super) struct PartAnswer {
    /// Time, lower and upper end of its interval; `None` where there is no prediction.
    pub(super) time: Option<Seconds>,
    pub(super) ends: Option<[Seconds; 2]>,
    pub(super) limit: Option<Bound>,
    pub(super) occupancy: Option<f64>,
    pub(super) fits_memory: Option<bool>,
    pub(super) power: Option<Watts>,
    pub(super) rests_on_measurement: bool,
    /// Whether the time is the measured one of this very GPU.
    pub(super) is_measured: bool,
    /// What must be known of it, the refusal first where there is one.
    pub(super) cautions: Vec<String>,
}

impl PartAnswer {
    /// No time.
    pub(super) fn without_time() -> Self {
        Self {
            time: None,
            ends: None,
            limit: None,
            occupancy: None,
            fits_memory: None,
            power: None,
            rests_on_measurement: false,
            is_measured: false,
            cautions: Vec::new(),
        }
    }
}

/// A kernel, what it does, and the blocks of its grid where they are known.
#[derive(Clone, Copy)]
pub(super) struct KernelWork<'a> {
    pub(super) kernel: &'a Kernel,
    pub(super) work: &'a Work,
    pub(super) blocks: Option<f64>,
}

impl<'a> KernelWork<'a> {
    pub(super) fn of_subject(session: &'a Session, subject: &Subject, work: &'a Work) -> Self {
        let blocks = subject.instance.launch.map(|l| l.block_count() as f64);
        Self { kernel: &session.kernels[subject.kernel], work, blocks }
    }
}

/// Whether this is said of a GPU at other settings or with other numbers.
fn is_of_settings(caution: &Caution) -> bool {
    use Caution::{DerivedGpu, Hypothetical, HypotheticalGpu, LimitUnused, PowerCapped, RateCapped};
    matches!(
        caution,
        Hypothetical(_)
            | DerivedGpu(_)
            | HypotheticalGpu { .. }
            | PowerCapped { .. }
            | RateCapped { .. }
            | LimitUnused { .. }
    )
}

/// What is said of clocks, a limit or changed numbers of a GPU.
fn notes_of_settings(answer: &Answer) -> Vec<String> {
    let cautions = answer.prediction.iter().flat_map(|prediction| &prediction.cautions);
    cautions.filter(|caution| is_of_settings(caution)).map(ToString::to_string).collect()
}

/// What is asked of every part.
#[derive(Clone, Copy)]
pub(super) struct PartQuery<'a> {
    pub(super) session: &'a Session,
    pub(super) source: GpuId,
    /// Whose times are asked for.
    pub(super) sources: &'a Sources,
    /// Whether the question names no source: each target is asked about by itself.
    pub(super) is_without_source: bool,
    pub(super) settings: Settings,
    /// Whether a time that was measured on a target is the answer there: not where launches are compared, all of which start from one
    /// time.
    pub(super) takes_measured: bool,
}

impl PartQuery<'_> {
    /// The kernel on each of these GPUs with everything that must be said.
    pub(super) fn whole_answers(self, subject: &Subject, targets: &[GpuId]) -> Vec<PartAnswer> {
        if self.is_without_source {
            let by_itself = |target: &GpuId| {
                let source = self.session.own_source(subject, *target);
                PartQuery { source, sources: &Sources::from_gpu(source), ..self }
                    .whole_answer(subject, *target)
            };
            return targets.iter().map(by_itself).collect();
        }
        targets.iter().map(|target| self.whole_answer(subject, *target)).collect()
    }

    fn whole_answer(self, subject: &Subject, target: GpuId) -> PartAnswer {
        let Self { session, source, sources, settings, .. } = self;
        let alone = || session.answer(subject, source, target, settings);
        let predicted = || session.answer_asked(subject, sources, target, settings).unwrap_or_else(alone);
        let answer = self.measured_answer(subject, target).unwrap_or_else(predicted);
        let answer = if self.is_without_source { answer.without_source() } else { answer };
        let kernel = &session.kernels[subject.kernel];
        let time = answer.predicted_time();
        let cautions = shown::caution_texts(&answer, &kernel.cautions);
        PartAnswer {
            time,
            ends: answer.interval.map(|i| [i.low, i.high]),
            limit: answer.prediction.as_ref().ok().and_then(|p| p.bound_target),
            occupancy: answer.occupancy.target.map(|o| o.fraction()),
            fits_memory: self.fits_memory(&answer.work, target),
            power: answer.board_power(kernel, &session.gpus[target]),
            rests_on_measurement: !answer.is_estimate(),
            is_measured: answer.is_of_measurement(),
            cautions,
        }
    }

    /// The kernel on its source as launched there, whatever other sources stand beside it.
    pub(super) fn on_source(self, subject: &Subject) -> PartAnswer {
        let subject = subject.as_timed();
        let own = PartQuery { sources: &Sources::from_gpu(self.source), ..self };
        self.base_answer(&subject, own.whole_answer(&subject, self.source))
    }

    /// The kernel on its source, which speedups are relative to: code that was loaded and is not of the source's compute capability bars
    /// targets alone, so that a time which is known of the source, or estimated for it, stays the base.
    pub(super) fn base_answer(self, subject: &Subject, answered: PartAnswer) -> PartAnswer {
        if answered.time.is_some() {
            return answered;
        }
        let answer = self.session.answer(&subject.as_timed(), self.source, self.source, self.settings);
        let is_of_code = matches!(answer.prediction, Err(ModelRefusal::NotCompiled { .. }));
        match answer.source_time.filter(|known| is_of_code || known.kind != SourceKind::Estimated) {
            Some(known) => PartAnswer {
                time: Some(known.time),
                ends: Some([known.time; 2]),
                rests_on_measurement: known.rests_on_measurement(),
                is_measured: known.timed_at_size().is_some(),
                ..PartAnswer::without_time()
            },
            None => answered,
        }
    }

    /// What was measured of this very kernel on this GPU at the settings it has: that time is the answer, whatever the source; `None` where
    /// nobody measured it so.
    fn measured_answer(self, subject: &Subject, target: GpuId) -> Option<Answer> {
        let Self { session, settings, .. } = self;
        let row = session.store.row_on(subject.config?, board_place(&session.gpus, target));
        if row.is_none() || !self.takes_measured || !subject.launch_edits.is_empty() {
            return None;
        }
        let own = session.answer(subject, session.own_source(subject, target), target, settings);
        own.is_of_measurement().then_some(own)
    }

    /// The same in numbers alone, for workloads of many kernels: the only words are the refusals, and what settings and changes of a GPU do.
    pub(super) fn brief_answers(
        &self,
        machines: &SharedMachines<'_>,
        subject: &Subject,
        targets: &[GpuId],
    ) -> Vec<PartAnswer> {
        let Self { session, source, sources, settings, .. } = *self;
        let is_of_one = || session.sources_asked(subject, sources, settings.model).only().is_some();
        if self.is_without_source || !is_of_one() {
            return self.whole_answers(subject, targets);
        }
        let work = self.known_work(subject);
        let of_kernel = KernelWork::of_subject(session, subject, &work);
        let part = |target: GpuId, estimate: Result<TimeEstimate, ModelRefusal>, notes: Vec<String>| {
            let measured = self.measured_answer(subject, target);
            let measured = measured.and_then(|answer| answer.estimate()).map(Ok);
            match measured.unwrap_or(estimate) {
                Ok(estimate) => {
                    PartAnswer { cautions: notes, ..self.estimated_part(of_kernel, target, &estimate) }
                }
                Err(why) => PartAnswer { cautions: vec![why.to_string()], ..PartAnswer::without_time() },
            }
        };
        // Settings and changes of a GPU belong to whole answers, which have the words as well.
        let is_set =
            |target: GpuId| session.gpus[target].is_hypothetical() || session.tuning(target).is_some();
        let stock: Vec<GpuId> = targets.iter().copied().filter(|target| !is_set(*target)).collect();
        let mut parts = Vec::with_capacity(targets.len());
        let asked = TargetsQuestion { subject, source, targets: &stock, settings };
        session.for_each_estimate(machines, asked, |target, estimate| {
            parts.push(part(target, estimate, Vec::new()));
        });
        if stock.len() == targets.len() {
            return parts;
        }
        let mut of_stock = parts.into_iter();
        let answered = |target: &GpuId| {
            let estimated = if is_set(*target) { None } else { of_stock.next() };
            estimated.unwrap_or_else(|| {
                let answer = session.answer(subject, source, *target, settings);
                part(*target, answer.estimate_or_refusal(), notes_of_settings(&answer))
            })
        };
        targets.iter().map(answered).collect()
    }

    /// The numbers of an estimate, and what memory and power make of this work.
    pub(super) fn estimated_part(
        self,
        of_kernel: KernelWork<'_>,
        target: GpuId,
        estimate: &TimeEstimate,
    ) -> PartAnswer {
        PartAnswer {
            time: Some(estimate.time),
            ends: estimate.interval.map(|i| [i.low, i.high]),
            limit: estimate.limit,
            occupancy: estimate.occupancy,
            fits_memory: self.fits_memory(of_kernel.work, target),
            power: self.board_power(of_kernel, estimate.time, target),
            rests_on_measurement: estimate.rests_on_measurement,
            is_measured: estimate.rests_on_measurement
                && estimate.interval.is_some_and(Interval::is_of_measurement),
            cautions: Vec::new(),
        }
    }

    /// The kernel's counts: formulas, and what any row counted.
    fn known_work(self, subject: &Subject) -> Work {
        let store = &self.session.store;
        let rows = subject.config.into_iter().flat_map(|config| store.rows_of(config));
        let counted = rows.fold(Work::default(), |known, row| row.filling(known));
        subject.instance.work.with_counts(&counted)
    }

    fn fits_memory(self, work: &Work, target: GpuId) -> Option<bool> {
        let needed = work.get(Count::WorkingSetBytes)?;
        Some(needed <= self.session.gpus[target].memory_size.value.0)
    }

    /// What the board draws; `None` where neither operations nor bytes are known.
    fn board_power(self, of_kernel: KernelWork<'_>, time: Seconds, target: GpuId) -> Option<Watts> {
        let KernelWork { kernel, work, blocks } = of_kernel;
        let gpu = &self.session.gpus[target];
        let load = Load::of_counted_work(kernel, work, blocks, gpu, time)?;
        Some(PowerModel::shipped_once()?.drawn_power(gpu, gpu.clocks(), &load))
    }
}
