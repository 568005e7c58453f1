//! A workload on a base GPU, ready to be asked about changes of it.

use crate::gpu::{ChangeError, Gpu, GpuChanges, GpuId};
use crate::occupancy::Rules;
use crate::power::{Load, PowerModel};
use crate::predict::{PreparedKernel, Subject, source_clocks};
use crate::roofline::Bound;
use crate::session::Session;
use crate::units::Seconds;
use crate::workload::{RunAmount, Workload};

/// The time of a run on a changed GPU.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WhatIfTime {
    /// The time; `None` where the workload cannot run or be predicted there.
    pub time: Option<Seconds>,
    /// What takes the largest share of it.
    pub limit: Option<Bound>,
}

/// One kernel of the workload: its time on the base, and launches in a run.
struct BasePart<'a> {
    subject: &'a Subject,
    /// By the whole answer: measured, corrected, combined.
    base: Option<Seconds>,
    low: Option<Seconds>,
    high: Option<Seconds>,
    calls: Option<f64>,
    /// The source at the clocks that its row states, where they are other ones than its documents'.
    tuned_source: Option<Gpu>,
}

/// A workload and a base GPU, ready to be asked.
pub struct WhatIf<'a> {
    session: &'a Session,
    workload: &'a Workload,
    source: GpuId,
    base: GpuId,
    parts: Vec<BasePart<'a>>,
    source_time: Option<Seconds>,
    /// The catalogue, the base under another id, and room for what is asked about.
    gpus: Vec<Gpu>,
}

/// The id of copies, which no row is of.
const COPY: &str = "what-if";

impl<'a> WhatIf<'a> {
    /// This workload, timed on `source`, on a GPU like `base`.
    #[must_use]
    pub fn new(session: &'a Session, workload: &'a Workload, source: GpuId, base: GpuId) -> Self {
        let settings = crate::answer::Settings { model: session.default_model(), ..Default::default() };
        let answer = |subject: &Subject, target: GpuId| {
            let sources = session.usual_sources(subject, source, settings.model);
            let alone = || session.answer(subject, source, target, settings);
            session.answer_from(subject, &sources, target, settings).unwrap_or_else(alone)
        };
        let mut source_total = Some(0.0);
        let part = |part: &'a crate::workload::WorkloadPart| {
            let [on_source, on_base] = [source, base].map(|gpu| answer(&part.subject, gpu));
            let source_time = on_source.predicted_time();
            let calls = match part.amount {
                RunAmount::Calls(calls) => Some(calls),
                RunAmount::Share(share) => {
                    workload.run_seconds.zip(source_time).map(|(run, time)| share * run / time.0)
                }
            };
            source_total = source_total.zip(source_time).zip(calls).map(|((sum, t), n)| sum + t.0 * n);
            let interval = on_base.interval;
            BasePart {
                subject: &part.subject,
                base: on_base.predicted_time(),
                low: interval.map(|i| i.low),
                high: interval.map(|i| i.high),
                calls,
                tuned_source: tuned_source(session, &part.subject, source),
            }
        };
        let parts = workload.parts.iter().map(part).collect();
        let mut gpus = session.gpus.entries().to_vec();
        gpus.push(session.gpus[base].as_copy(COPY));
        Self { session, workload, source, base, parts, source_time: source_total.map(Seconds), gpus }
    }

    /// The workload, as titles show it.
    #[must_use]
    pub fn workload_name(&self) -> &str {
        &self.workload.name
    }

    /// The base GPU as it is.
    #[must_use]
    pub fn base(&self) -> &Gpu {
        &self.session.gpus[self.base]
    }

    /// The time of a run on the source; the goal that a break-even is sought for.
    #[must_use]
    pub fn source_time(&self) -> Option<Seconds> {
        self.source_time
    }

    /// The time of a run on the base.
    #[must_use]
    pub fn base_time(&self) -> Option<Seconds> {
        self.total(|part| part.base)
    }

    /// The 90 % interval of a time on a changed GPU: that of the base, moved as the time is; the interval of numbers that no GPU
    /// has was never validated.
    #[must_use]
    pub fn interval(&self, time: Seconds) -> Option<[Seconds; 2]> {
        let base = self.base_time()?;
        let ends = [self.total(|part| part.low)?, self.total(|part| part.high)?];
        Some(ends.map(|end| Seconds(end.0 * (time / base))))
    }

    fn total(&self, of: impl Fn(&BasePart<'_>) -> Option<Seconds>) -> Option<Seconds> {
        let one = |part: &BasePart<'_>| Some(of(part)?.0 * part.calls?);
        self.parts.iter().map(one).sum::<Option<f64>>().map(Seconds)
    }

    /// The time of a run with these changes; `None` where it cannot run there.
    ///
    /// # Errors
    /// [`ChangeError`] for changes that cannot be made.
    pub fn time(&mut self, changes: &GpuChanges) -> Result<Option<Seconds>, ChangeError> {
        let made = self.made(changes)?;
        Ok(self.times_on(vec![made])[0].time)
    }

    /// The times of a run on each of these GPUs, made of the base: one preparation for all.
    pub fn times_on(&mut self, made: Vec<Gpu>) -> Vec<WhatIfTime> {
        let first = self.session.gpus.entries().len();
        let count = made.len();
        self.gpus.truncate(first + 1);
        self.gpus.extend(made.iter().cloned());
        let mut sums = vec![(Some(0.0), Vec::<(Bound, f64)>::new()); count];
        for part in &self.parts {
            let kernel = &self.session.kernels[part.subject.kernel];
            let store = &self.session.store;
            if let Some(gpu) = &part.tuned_source {
                self.gpus[self.source.index()] = gpu.clone();
            }
            let limited = self.limited_gpus(part.subject, first);
            for (at, gpu) in &limited {
                self.gpus[*at] = gpu.clone();
            }
            let mut prepared = PreparedKernel::new(kernel, part.subject, &self.gpus, store, Rules::Exact);
            let from = prepared.start(self.source);
            let unchanged = from.estimate(GpuId::from_index(first)).ok().map(|e| e.time);
            for (at, (sum, limits)) in sums.iter_mut().enumerate() {
                let estimate = from.estimate(GpuId::from_index(first + 1 + at)).ok();
                let factor = estimate.zip(unchanged).map(|(e, unchanged)| e.time / unchanged);
                let time = factor.zip(part.base).zip(part.calls).map(|((f, base), calls)| base.0 * f * calls);
                *sum = sum.zip(time).map(|(sum, time)| sum + time);
                if let (Some(limit), Some(time)) = (estimate.and_then(|e| e.limit), time) {
                    limits.push((limit, time));
                }
            }
            drop(prepared);
            self.gpus[self.source.index()] = self.session.gpus[self.source].clone();
            // The next kernel has another load.
            for at in limited.into_iter().map(|(at, _)| at) {
                self.gpus[at] = made[at - first - 1].clone();
            }
        }
        sums.into_iter()
            .map(|(sum, limits)| WhatIfTime { time: sum.map(Seconds), limit: largest(&limits) })
            .collect()
    }
}

impl WhatIf<'_> {
    /// The changes as a GPU.
    ///
    /// # Errors
    /// [`ChangeError`] for changes that cannot be made, a power limit below what the board draws idle among them.
    pub(super) fn made(&self, changes: &GpuChanges) -> Result<Gpu, ChangeError> {
        PowerModel::changed_gpu(self.base(), changes, COPY)
    }

    /// Of the GPUs that were made, those whose lower power limit leaves them another clock under this kernel's load: place and GPU.
    fn limited_gpus(&self, subject: &Subject, first: usize) -> Vec<(usize, Gpu)> {
        let Some(model) = PowerModel::shipped_once() else { return Vec::new() };
        let kernel = &self.session.kernels[subject.kernel];
        let lowered = (first + 1..self.gpus.len()).filter(|at| self.gpus[*at].lowered_from().is_some());
        let mut found = Vec::new();
        let mut gpus = Vec::new();
        for at in lowered {
            if gpus.is_empty() {
                gpus = self.gpus[..=first].to_vec();
            }
            let made = &self.gpus[at];
            let share = model.capped_clock(&made.under_base_limit(), made.power_limit.value, |share| {
                gpus.truncate(first + 1);
                gpus.push(made.at_clock_share(share)?);
                let mut prepared =
                    PreparedKernel::new(kernel, subject, &gpus, &self.session.store, Rules::Exact);
                let from = prepared.start(self.source);
                let place = GpuId::from_index(first + 1);
                let time = from.estimate(place).ok()?.time;
                Some(Load::from_work(from.work(), from.blocks(place), made, time))
            });
            if share < 1.0 {
                found.extend(made.at_clock_share(share).map(|slower| (at, slower)));
            }
        }
        found
    }
}

fn tuned_source(session: &Session, subject: &Subject, source: GpuId) -> Option<Gpu> {
    let stated = &session.gpus[source];
    let clocks = source_clocks(session.stock(source), stated, subject, source, &session.store);
    (!clocks.is_catalogued()).then(|| clocks.gpu(stated).clone())
}

/// The limit with the largest sum of times.
fn largest(limits: &[(Bound, f64)]) -> Option<Bound> {
    let total =
        |of: Bound| limits.iter().filter(|(limit, _)| *limit == of).map(|(_, time)| time).sum::<f64>();
    limits.iter().map(|(limit, _)| *limit).max_by(|a, b| total(*a).total_cmp(&total(*b)))
}
