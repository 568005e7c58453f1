//! Kernels on changed GPUs: of each the answer on the base, times what the model says of the change alone.
//!
//! A model that is prepared ([`PreparedKernel`]) brings what a GPU has once for all answers; any other is asked GPU by GPU.

use super::changed_times::{COPY, ChangedTimes, WhatIfTime};
use crate::answer::{EditedLaunch, LaunchQuestion, Settings};
use crate::gpu::{Gpu, GpuId};
use crate::kernel::Work;
use crate::pair::Pair;
use crate::power::{Load, PowerModel};
use crate::predict::{MODELS, PreparedKernel, Subject, model_position, question, source_clocks};
use crate::roofline::Bound;
use crate::session::Session;
use crate::units::Seconds;
use crate::workload::{RunAmount, Workload, WorkloadPart};

/// How many values of each number a grid has: times of kernels cost microseconds.
const GRID: usize = 25;

/// One kernel of the workload: its time on the base, and launches in a run.
struct BasePart<'a> {
    subject: &'a Subject,
    label: &'a str,
    /// By the whole answer: measured, corrected, combined.
    base: Option<Seconds>,
    low: Option<Seconds>,
    high: Option<Seconds>,
    /// Why there is no time on the base.
    refusal: Option<String>,
    calls: Option<f64>,
    /// What is changed of its launch, where anything is.
    edited: Option<Box<EditedLaunch>>,
    /// The source at the clocks that its row states, where they are other ones than its documents'.
    tuned_source: Option<Gpu>,
}

/// Kernels of a workload on GPUs made of a base.
pub(super) struct KernelTimes<'a> {
    session: &'a Session,
    workload: &'a Workload,
    source: GpuId,
    base: GpuId,
    /// What answers: the model of changes stands in `model_of_changes`.
    settings: Settings,
    model_of_changes: Settings,
    parts: Vec<BasePart<'a>>,
    source_time: Option<Seconds>,
    /// The catalogue, the base under another id, and room for what is asked about.
    gpus: Vec<Gpu>,
}

/// What a model says of one kernel on one GPU.
#[derive(Clone, Copy)]
struct ModelTime {
    time: Seconds,
    limit: Option<Bound>,
}

/// What a model is asked of one kernel: on the GPU at the place of the copy, and on those behind it.
struct PartQuestion<'a> {
    session: &'a Session,
    subject: &'a Subject,
    source: GpuId,
    settings: Settings,
}

impl<'a> KernelTimes<'a> {
    /// This workload, timed on the first of these GPUs, on GPUs like the second.
    pub(super) fn new(
        session: &'a Session,
        workload: &'a Workload,
        Pair { source, target: base }: Pair<GpuId>,
        settings: Settings,
    ) -> Self {
        let mut source_total = Some(0.0);
        let part = |part: &'a WorkloadPart| {
            let sources = session.usual_sources(&part.subject, source, settings.model);
            let [on_source, on_base] = [source, base].map(|target| {
                let alone = || session.answer(&part.subject, source, target, settings);
                session.answer_from(&part.subject, &sources, target, settings).unwrap_or_else(alone)
            });
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
                label: &part.label,
                base: on_base.predicted_time(),
                low: interval.map(|i| i.low),
                high: interval.map(|i| i.high),
                edited: on_base.edited_launch,
                refusal: on_base.prediction.err().map(|why| why.to_string()),
                calls,
                tuned_source: tuned_source(session, &part.subject, source),
            }
        };
        let parts = workload.parts.iter().map(part).collect();
        let mut gpus = session.gpus.entries().to_vec();
        gpus.push(session.gpus[base].as_copy(COPY));
        let of_changes = MODELS[settings.model].model_of_changes().and_then(|id| model_position(id).ok());
        let model_of_changes = Settings { model: of_changes.unwrap_or(settings.model), ..settings };
        let source_time = source_total.map(Seconds);
        Self { session, workload, source, base, settings, model_of_changes, parts, source_time, gpus }
    }

    fn total(&self, of: impl Fn(&BasePart<'_>) -> Option<Seconds>) -> Option<Seconds> {
        let one = |part: &BasePart<'_>| Some(of(part)?.0 * part.calls?);
        self.parts.iter().map(one).sum::<Option<f64>>().map(Seconds)
    }

    /// The interval of the base, moved as the time is.
    fn interval(&self, time: Seconds) -> Option<[Seconds; 2]> {
        let base = self.total(|part| part.base)?;
        let ends = [self.total(|part| part.low)?, self.total(|part| part.high)?];
        Some(ends.map(|end| Seconds(end.0 * (time / base))))
    }
}

impl ChangedTimes for KernelTimes<'_> {
    fn workload_name(&self) -> &str {
        &self.workload.name
    }

    fn model_id(&self) -> Option<&'static str> {
        Some(MODELS[self.settings.model].id())
    }

    fn launch_changes(&self) -> Vec<String> {
        let edits =
            self.workload.single().map(|subject| subject.launch_edits.to_string()).unwrap_or_default();
        edits.split(',').filter(|edit| !edit.is_empty()).map(str::to_string).collect()
    }

    fn base(&self) -> &Gpu {
        &self.session.gpus[self.base]
    }

    fn source_time(&self) -> Option<Seconds> {
        self.source_time
    }

    fn on_base(&self) -> WhatIfTime {
        let time = self.total(|part| part.base);
        WhatIfTime { time, interval: time.and_then(|time| self.interval(time)), limit: None }
    }

    fn refusal(&self) -> Option<String> {
        let refused = |part: &BasePart<'_>| Some(format!("{}: {}", part.label, part.refusal.as_ref()?));
        self.parts.iter().find_map(refused)
    }

    fn grid_steps(&self) -> usize {
        GRID
    }

    fn times_on(&mut self, made: Vec<Gpu>) -> Vec<WhatIfTime> {
        let first = self.session.gpus.entries().len();
        let count = made.len();
        self.gpus.truncate(first + 1);
        self.gpus.extend(made);
        let mut sums = vec![(Some(0.0), Vec::<(Bound, f64)>::new()); count];
        for part in &self.parts {
            let asked = PartQuestion {
                session: self.session,
                subject: part.subject,
                source: self.source,
                settings: self.model_of_changes,
            };
            if let Some(gpu) = &part.tuned_source {
                self.gpus[self.source.index()] = gpu.clone();
            }
            let limited = asked.gpus_at_their_limit(&self.gpus, first);
            let unlimited: Vec<(usize, Gpu)> = limited
                .into_iter()
                .map(|(at, gpu)| (at, std::mem::replace(&mut self.gpus[at], gpu)))
                .collect();
            let mut times = asked.model_times(&self.gpus, first);
            if let Some(edited) = &part.edited {
                asked.change_launch(edited, &mut times, &self.gpus[first..]);
            }
            // The next kernel has another load, and perhaps another source.
            unlimited.into_iter().for_each(|(at, gpu)| self.gpus[at] = gpu);
            self.gpus[self.source.index()] = self.session.gpus[self.source].clone();
            let unchanged = times[0];
            for ((sum, limits), on_made) in sums.iter_mut().zip(&times[1..]) {
                let factor = on_made.zip(unchanged).map(|(made, unchanged)| made.time / unchanged.time);
                let time = factor.zip(part.base).zip(part.calls).map(|((f, base), calls)| base.0 * f * calls);
                *sum = sum.zip(time).map(|(sum, time)| sum + time);
                if let (Some(limit), Some(time)) = (on_made.and_then(|m| m.limit), time) {
                    limits.push((limit, time));
                }
            }
        }
        let found = |(sum, limits): (Option<f64>, Vec<(Bound, f64)>)| {
            let time = sum.map(Seconds);
            let interval = time.and_then(|time| self.interval(time));
            WhatIfTime { time, interval, limit: largest(&limits) }
        };
        sums.into_iter().map(found).collect()
    }
}

impl PartQuestion<'_> {
    /// The model's times on every GPU from this place on.
    fn model_times(&self, gpus: &[Gpu], first: usize) -> Vec<Option<ModelTime>> {
        if MODELS[self.settings.model].is_prepared() {
            return self.with_prepared(gpus, |from| {
                let time = |at| {
                    let estimate = from.estimate(GpuId::from_index(at)).ok()?;
                    Some(ModelTime { time: estimate.time, limit: estimate.limit })
                };
                (first..gpus.len()).map(time).collect()
            });
        }
        (first..gpus.len()).map(|at| Some(self.asked_time(gpus, at)?.0)).collect()
    }

    /// The times of the changed launch.
    fn change_launch(&self, edited: &EditedLaunch, times: &mut [Option<ModelTime>], gpus: &[Gpu]) {
        let Some(base) = gpus.first() else { return };
        let (kernel, rules) = (&self.session.kernels[self.subject.kernel], self.settings.rules);
        let question = LaunchQuestion { kernel, subject: self.subject, gpu: base, rules };
        for (time, factor) in times.iter_mut().zip(edited.time_factors(&question, gpus)) {
            let changed = |(time, factor): (ModelTime, f64)| ModelTime { time: time.time * factor, ..time };
            *time = time.zip(factor).map(changed);
        }
    }

    fn with_prepared<T>(&self, gpus: &[Gpu], ask: impl FnOnce(crate::predict::Starting<'_, '_>) -> T) -> T {
        let kernel = &self.session.kernels[self.subject.kernel];
        let mut prepared =
            PreparedKernel::new(kernel, self.subject, gpus, &self.session.store, self.settings.rules);
        ask(prepared.start(self.source))
    }

    /// What a model that is not prepared says of the GPU at this place, with the work and the blocks of a launch.
    fn asked_time(&self, gpus: &[Gpu], at: usize) -> Option<(ModelTime, Work, Option<f64>)> {
        let kernel = &self.session.kernels[self.subject.kernel];
        let pair =
            Pair::new((self.source, &gpus[self.source.index()]), (GpuId::from_index(at), gpus.get(at)?));
        let Settings { model, ceilings, rules } = self.settings;
        let q = question(kernel, self.subject, pair, &self.session.store, ceilings, rules);
        let prediction = MODELS[model].predict(&q).ok()?;
        let time = ModelTime { time: prediction.time, limit: prediction.bound_target };
        Some((time, q.work, q.target.launch.map(|launch| launch.block_count() as f64)))
    }

    /// Of the GPUs that were made, those whose lower power limit leaves them another clock under this kernel's load: place and GPU.
    /// The model of operators has the power limit in its own clock.
    fn gpus_at_their_limit(&self, gpus: &[Gpu], first: usize) -> Vec<(usize, Gpu)> {
        let power = PowerModel::shipped_once().filter(|_| self.subject.instance.operator.is_none());
        let Some(power) = power else { return Vec::new() };
        let mut found = Vec::new();
        let mut tried: Vec<Gpu> = Vec::new();
        for at in (first + 1..gpus.len()).filter(|at| gpus[*at].lowered_from().is_some()) {
            if tried.is_empty() {
                tried = gpus[..=first].to_vec();
            }
            let made = &gpus[at];
            let share = power.capped_clock(&made.under_base_limit(), made.power_limit.value, |share| {
                tried.truncate(first + 1);
                tried.push(made.at_clock_share(share)?);
                self.load_on(&tried, first + 1, made)
            });
            if share < 1.0 {
                found.extend(made.at_clock_share(share).map(|slower| (at, slower)));
            }
        }
        found
    }

    /// What the kernel asks of the GPU at this place, which is `made` at some clock.
    fn load_on(&self, gpus: &[Gpu], at: usize, made: &Gpu) -> Option<Load> {
        if !MODELS[self.settings.model].is_prepared() {
            let (found, work, blocks) = self.asked_time(gpus, at)?;
            return Some(Load::from_work(&work, blocks, made, found.time));
        }
        self.with_prepared(gpus, |from| {
            let place = GpuId::from_index(at);
            let time = from.estimate(place).ok()?.time;
            Some(Load::from_work(from.work(), from.blocks(place), made, time))
        })
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
