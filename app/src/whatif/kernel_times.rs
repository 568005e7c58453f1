//! Kernels on changed GPUs: of each the answer on the base, times what the model says of the change alone.
//!
//! A model that is prepared ([`PreparedKernel`]) brings what a GPU has once for all answers; any other is asked GPU by GPU.

use super::changed_times::{ChangedTimes, GoalTime, NotedTime, RunPower, RunSum, WhatIfTime};
use super::model_time::ModelTime;
use super::part_answers::{PartAnswers, PartNotes, tuned_source};
use crate::answer::{EditedLaunch, IntervalQuestion, LaunchQuestion, Settings, StartedFrom, load_at_limit};
use crate::gpu::{Ceilings, Gpu, GpuId, board_place};
use crate::kernel::Work;
use crate::pair::Pair;
use crate::power::{Load, gpu_at_limit};
use crate::predict::{
    Doubt, GpuPlaces, MODELS, Prediction, PreparedKernel, SourceTime, Subject, TimeEstimate, Width,
    graph_launch_time, model_position, question,
};
use crate::progress::Progress;
use crate::report::shown::{TimeKind, useless_interval};
use crate::session::{Session, Sources};
use crate::units::{Joules, Seconds};
use crate::workload::{RunAmount, Workload, WorkloadPart};
use std::cell::OnceCell;

/// GPUs that are asked about between two looks at the progress.
const WATCHED: usize = 16;

/// How many values of each number a grid has: times of kernels cost microseconds.
const GRID: usize = 25;

/// One kernel of the workload: its time on the base, and launches in a run.
struct BasePart<'a> {
    subject: &'a Subject,
    label: &'a str,
    /// By the whole answer: measured, corrected, combined.
    base: Option<Seconds>,
    /// The ends of its interval over that time.
    ends: Option<[f64; 2]>,
    /// Whether it was made of several sources, each of which a changed GPU is asked from.
    is_combined: bool,
    /// How wide the rows of the base leave an interval of the model, in ln, beside what it says itself.
    width_by_rows: f64,
    /// What is known of it on the base beside its time.
    notes: PartNotes,
    /// How that time is known.
    kind: TimeKind,
    calls: Option<f64>,
    /// What is changed of its launch, where anything is.
    edited: Option<Box<EditedLaunch>>,
    /// The GPU whose rows time the kernel on the source.
    source: GpuId,
    /// The source at the clocks that its row states, where they are other ones than its documents'.
    tuned_source: Option<Gpu>,
}

/// Kernels of a workload on GPUs made of a base.
pub(super) struct KernelTimes<'a> {
    session: &'a Session,
    workload: &'a Workload,
    source: GpuId,
    base: GpuId,
    /// Whether the source is the base itself: there is none to speak of then.
    is_own_source: bool,
    /// Whose times the kernels are predicted from.
    sources: Sources,
    /// What answers: the model of changes stands in `model_of_changes`.
    settings: Settings,
    model_of_changes: Settings,
    parts: Vec<BasePart<'a>>,
    /// Asked for only where a goal is sought: a tornado needs none.
    source_time: OnceCell<Option<GoalTime>>,
    progress: Option<&'a Progress>,
}

/// How uncertain a model calls its answer.
#[derive(Clone, Copy)]
struct Certainty {
    doubt: Option<Doubt>,
    width: Option<Width>,
}

/// What a model is asked of one kernel, on GPUs that stand behind those of the catalogue.
struct PartQuestion<'a> {
    session: &'a Session,
    subject: &'a Subject,
    source: GpuId,
    /// Whose rows hold for these GPUs.
    board: GpuId,
    /// The source as it ran, where that is not as the catalogue has it.
    tuned_source: Option<&'a Gpu>,
    settings: Settings,
    width_by_rows: f64,
}

impl<'a> KernelTimes<'a> {
    /// This workload, timed on the first of these GPUs, on GPUs like the second.
    pub(super) fn new(
        session: &'a Session,
        workload: &'a Workload,
        Pair { source, target: base }: Pair<GpuId>,
        sources: Sources,
        settings: Settings,
    ) -> Self {
        let is_own_source = source == base || source == workload.own_source(session, base);
        let part = |part: &'a WorkloadPart| {
            let answer = PartAnswers { session, source, settings, subject: &part.subject };
            let on_base = answer.whole_answer(&sources, base);
            let calls = match part.amount {
                RunAmount::Calls(calls) => Some(calls),
                RunAmount::Share(share) => {
                    let on_source = answer.on_source().predicted_time();
                    workload.run_seconds.zip(on_source).map(|(run, time)| share * run / time.0)
                }
            };
            let time = on_base.predicted_time();
            let edited = on_base.edited_launch.clone();
            BasePart {
                subject: &part.subject,
                label: &part.label,
                base: time,
                ends: on_base.interval.zip(time).map(|(interval, time)| interval.ends_over(time)),
                is_combined: on_base.combined.is_some(),
                width_by_rows: on_base.correction.map_or(1.0, |correction| correction.width),
                kind: TimeKind::new(on_base.is_of_measurement(), !on_base.is_estimate()),
                notes: answer.notes(on_base, &session.gpus[base], is_own_source),
                edited,
                calls,
                source: session.place_of_rows(&part.subject, source),
                tuned_source: tuned_source(session, &part.subject, Pair::new(source, base), settings),
            }
        };
        let parts = workload.parts.iter().map(part).collect();
        let of_changes = MODELS[settings.model].model_of_changes().and_then(|id| model_position(id).ok());
        let model_of_changes = Settings { model: of_changes.unwrap_or(settings.model), ..settings };
        let source_time = OnceCell::new();
        let progress = None;
        Self {
            session,
            workload,
            source,
            base,
            is_own_source,
            sources,
            settings,
            model_of_changes,
            parts,
            source_time,
            progress,
        }
    }

    fn run_on_source(&self) -> Option<GoalTime> {
        *self.source_time.get_or_init(|| self.time_on_source())
    }

    /// A run on the source; `None` where a kernel has no time there.
    fn time_on_source(&self) -> Option<GoalTime> {
        let Self { session, source, settings, .. } = *self;
        let mut sum = GoalTime { time: Seconds(0.0), is_estimate: false };
        for part in &self.parts {
            let answers = PartAnswers { session, source, settings, subject: part.subject };
            let answer = answers.on_source();
            sum.time.0 += answer.predicted_time()?.0 * part.calls?;
            sum.is_estimate |= answer.is_estimate();
        }
        Some(sum)
    }
}

impl<'a> ChangedTimes<'a> for KernelTimes<'a> {
    fn workload_name(&self) -> &str {
        &self.workload.name
    }

    fn watch_progress(&mut self, progress: &'a Progress) {
        self.progress = Some(progress);
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

    fn base_id(&self) -> String {
        self.session.id_with_settings(self.base)
    }

    fn base_name(&self) -> String {
        self.session.name_with_settings(self.base)
    }

    fn source_time(&self) -> Option<Seconds> {
        Some(self.run_on_source()?.time)
    }

    fn is_source_estimated(&self) -> bool {
        self.run_on_source().is_some_and(|run| run.is_estimate)
    }

    fn launch_overhead_on(&self, made: &Gpu) -> Option<Seconds> {
        let [part] = &self.parts[..] else { return None };
        let session = self.session;
        let gpus = Pair::new(
            (part.source, &session.gpus[part.source]),
            (board_place(&session.gpus, self.base), made),
        );
        let kernel = &session.kernels[part.subject.kernel];
        let asked =
            question(kernel, part.subject, gpus, &session.store, Ceilings::default(), self.settings.rules);
        Some(asked.floors.target.time)
    }

    fn graph_launch_on(&self, made: &Gpu) -> Option<Seconds> {
        let [part] = &self.parts[..] else { return None };
        graph_launch_time(made, part.subject)
    }

    fn on_base(&self) -> WhatIfTime {
        let mut sum = RunSum::NOTHING;
        for part in &self.parts {
            let time = part.base.zip(part.calls).map(|(time, calls)| time.0 * calls);
            sum.add(time, part.ends, None);
        }
        sum.what_if_time()
    }

    fn noted_time_on_base(&self) -> NotedTime {
        let notes: Vec<&PartNotes> = self.parts.iter().map(|part| &part.notes).collect();
        let is_measured =
            !self.workload.is_run_assumed && self.parts.iter().all(|part| part.kind == TimeKind::Measured);
        self.noted_time(self.on_base(), is_measured, &notes)
    }

    fn noted_time_on(&mut self, made: &Gpu) -> NotedTime {
        let time = self.times_on(std::slice::from_ref(made))[0];
        let Self { session, source, settings, .. } = *self;
        let notes = |part: &BasePart<'a>| {
            let asked = PartAnswers { session, source, settings, subject: part.subject };
            let answer = asked.answer_on_made(&self.sources, self.base, made)?;
            Some(asked.notes(answer, made, self.is_own_source))
        };
        let notes: Vec<PartNotes> = self.parts.iter().filter_map(notes).collect();
        self.noted_time(time, false, &notes.iter().collect::<Vec<_>>())
    }

    fn rests_on_measurement(&self) -> bool {
        self.parts.iter().all(|part| part.kind.rests_on_measurement())
    }

    fn grid_steps(&self) -> usize {
        GRID
    }

    fn times_on(&mut self, made: &[Gpu]) -> Vec<WhatIfTime> {
        if let Some(progress) = self.progress {
            progress.expect(made.len());
            let each = made.chunks(WATCHED).flat_map(|made| {
                let found = (!progress.is_cancelled()).then(|| self.unwatched_times(made));
                progress.advance(made.len());
                found.unwrap_or_else(|| vec![WhatIfTime::NONE; made.len()])
            });
            return each.collect();
        }
        self.unwatched_times(made)
    }
}

impl KernelTimes<'_> {
    /// The times, whoever watches.
    fn unwatched_times(&self, made: &[Gpu]) -> Vec<WhatIfTime> {
        let mut sums: Vec<RunSum> = made.iter().map(|_| RunSum::NOTHING).collect();
        for part in &self.parts {
            let on_made = match part.is_combined {
                true => self.combined_times(part, made),
                false => self.modelled_times(part, made),
            };
            for (sum, on_made) in sums.iter_mut().zip(&on_made) {
                let time = on_made.map(|made| made.time.0).zip(part.calls).map(|(time, calls)| time * calls);
                let ends = on_made.and_then(|made| made.ends).or(part.ends);
                sum.add(time, ends, on_made.and_then(|made| made.limit));
            }
        }
        sums.iter().map(RunSum::what_if_time).collect()
    }

    fn part_question<'p>(&'p self, part: &'p BasePart<'_>) -> PartQuestion<'p> {
        PartQuestion {
            session: self.session,
            subject: part.subject,
            source: part.source,
            board: board_place(&self.session.gpus, self.base),
            tuned_source: part.tuned_source.as_ref(),
            settings: self.model_of_changes,
            width_by_rows: part.width_by_rows,
        }
    }

    /// This time with what the kernels' notes say of it; `is_measured`: whether it is the measured one of the base.
    fn noted_time(&self, time: WhatIfTime, is_measured: bool, notes: &[&PartNotes]) -> NotedTime {
        let labelled = || self.parts.iter().map(|part| part.label).zip(notes.iter().copied());
        let energy = self.parts.iter().zip(notes);
        let energy = energy.map(|(part, notes)| Some(notes.energy?.0 * part.calls?)).sum::<Option<f64>>();
        let is_useless = |[low, high]: [Seconds; 2]| useless_interval(low, high, self.is_own_source);
        // What is said of every kernel is said once.
        let is_of_all = |text: &String| notes.iter().all(|notes| notes.cautions.contains(text));
        let mut cautions: Vec<String> = time.interval.and_then(is_useless).into_iter().collect();
        for (label, notes) in labelled() {
            let of_part = notes.cautions.iter();
            let of_part =
                of_part.map(|text| if is_of_all(text) { text.clone() } else { format!("{label}: {text}") });
            cautions.extend(of_part.filter(|text| !cautions.contains(text)).collect::<Vec<_>>());
        }
        let assumed_run = self.workload.assumed_run_note().filter(|_| time.time.is_some());
        cautions.extend(assumed_run.map(str::to_string));
        NotedTime {
            time,
            kind: TimeKind::new(is_measured, self.rests_on_measurement()),
            power: RunPower::of_run(energy.map(Joules), time.time),
            refusal: labelled().find_map(|(label, notes)| {
                let why = notes.refusal.as_ref()?;
                Some(if self.parts.len() == 1 { why.clone() } else { format!("{label}: {why}") })
            }),
            cautions,
        }
    }

    /// The times of a kernel: that on the base times what the model says of the changes.
    fn modelled_times(&self, part: &BasePart<'_>, made: &[Gpu]) -> Vec<Option<ModelTime>> {
        let asked = self.part_question(part);
        let edited = part.edited.as_deref();
        let on_base = asked.times_at_limits(std::slice::from_ref(self.base()), edited)[0];
        let on_made = asked.times_at_limits(made, edited);
        let moved = |made: Option<ModelTime>| {
            let (made, on_base, base) = (made?, on_base?, part.base?);
            let is_left = made.time == on_base.time && made.ends == on_base.ends;
            let ends = if is_left { part.ends.or(made.ends) } else { made.ends };
            Some(ModelTime { time: base * (made.time / on_base.time), ends, ..made })
        };
        on_made.into_iter().map(moved).collect()
    }

    /// The times of a kernel that several sources are combined for: each is asked on the changed GPU, as `predict` asks it.
    fn combined_times(&self, part: &BasePart<'_>, made: &[Gpu]) -> Vec<Option<ModelTime>> {
        let Self { session, base, settings, .. } = *self;
        let on = |gpu: &Gpu| {
            let answer = session.answer_on_made(part.subject, &self.sources, base, gpu, settings)?;
            let time = answer.predicted_time()?;
            let limit = answer.prediction.ok()?.bound_target;
            Some(ModelTime { time, limit, ends: answer.interval.map(|interval| interval.ends_over(time)) })
        };
        let Some(unchanged) = on(self.base()) else { return vec![None; made.len()] };
        let moved =
            |made: ModelTime| Some(ModelTime { time: part.base? * (made.time / unchanged.time), ..made });
        made.iter().map(|gpu| on(gpu).and_then(moved)).collect()
    }
}

impl PartQuestion<'_> {
    /// The model's times on these GPUs, each at the clock that its power limit leaves it under this kernel's load.
    fn times_at_limits(&self, gpus: &[Gpu], edited: Option<&EditedLaunch>) -> Vec<Option<ModelTime>> {
        let mut times = self.model_times(gpus);
        for (time, gpu) in times.iter_mut().zip(gpus) {
            if let Some(slower) = gpu_at_limit(gpu, |gpu| self.load_on(gpu)) {
                let at_own_limit = gpu.at_own_limit().and_then(|board| self.model_time(&board));
                *time = self.model_time(&slower).map(|time| time.under_limit(at_own_limit));
            }
        }
        if let Some(edited) = edited {
            self.change_launch(edited, &mut times, gpus);
        }
        times
    }

    fn model_time(&self, gpu: &Gpu) -> Option<ModelTime> {
        self.model_times(std::slice::from_ref(gpu))[0]
    }

    /// The model's times on these GPUs.
    fn model_times(&self, gpus: &[Gpu]) -> Vec<Option<ModelTime>> {
        if MODELS[self.settings.model].is_prepared() {
            return self.with_prepared(gpus, |from, first| {
                let time = |at| {
                    let found = from.estimate(GpuId::from_index(first + at)).ok()?;
                    let sure = Certainty { doubt: found.doubt, width: found.width };
                    let ends = self.ends(&gpus[at], found.time, sure, from.source_time.as_ref());
                    Some(ModelTime { time: found.time, limit: found.limit, ends })
                };
                (0..gpus.len()).map(time).collect()
            });
        }
        gpus.iter().map(|gpu| Some(self.asked_time(gpu)?.0)).collect()
    }

    /// The source as it ran.
    fn source_gpu(&self) -> &Gpu {
        self.tuned_source.unwrap_or(&self.session.gpus[self.source])
    }

    /// The ends of the interval of this time over the time, for how uncertain the model calls it.
    fn ends(
        &self,
        gpu: &Gpu,
        time: Seconds,
        Certainty { doubt, width }: Certainty,
        source_time: Option<&SourceTime>,
    ) -> Option<[f64; 2]> {
        let Self { session, subject, board, settings, .. } = *self;
        let asked = IntervalQuestion {
            settings,
            kernel: subject.kernel,
            target: board,
            start: StartedFrom::of_time(settings, source_time),
            kernel_id: &session.kernels[subject.kernel].id,
            doubt,
            width,
        };
        let interval = session.calibration().interval(time, asked)?.widened_by(self.width_by_rows, time);
        let starts = source_time.filter(|_| MODELS[settings.model].needs_source());
        let range = starts.and_then(|timed| timed.time_range(self.source_gpu(), gpu));
        Some(range.map_or(interval, |range| interval.within(time, range)).ends_over(time))
    }

    /// The times of the changed launch.
    fn change_launch(&self, edited: &EditedLaunch, times: &mut [Option<ModelTime>], gpus: &[Gpu]) {
        let Some(base) = gpus.first() else { return };
        let (kernel, rules) = (&self.session.kernels[self.subject.kernel], self.settings.rules);
        let question = LaunchQuestion { kernel, subject: self.subject, gpu: base, rules };
        for (time, estimates) in times.iter_mut().zip(edited.estimates(&question, gpus)) {
            let changed = |(time, [before, after]): (ModelTime, [TimeEstimate; 2])| ModelTime {
                time: time.time * (after.time / before.time),
                limit: after.limit.or(time.limit),
                ..time
            };
            *time = time.zip(estimates).map(changed);
        }
    }

    /// The kernel from its source, ready to be asked for these GPUs, whose first stands at the place that is given too.
    fn with_prepared<T>(
        &self,
        gpus: &[Gpu],
        ask: impl FnOnce(crate::predict::Starting<'_, '_>, usize) -> T,
    ) -> T {
        let Self { session, subject, source, .. } = self;
        let catalogued = session.gpus.entries();
        let places = GpuPlaces::from(catalogued).with_stand_in(*source, self.tuned_source);
        let places = places.followed_by(gpus, self.board);
        let kernel = &session.kernels[subject.kernel];
        let mut prepared = PreparedKernel::new(kernel, subject, places, &session.store, self.settings.rules);
        ask(prepared.start(*source), catalogued.len())
    }

    /// What a model that is not prepared says of this GPU, with the work and the blocks of a launch.
    fn asked_time(&self, gpu: &Gpu) -> Option<(ModelTime, Work, Option<f64>)> {
        let kernel = &self.session.kernels[self.subject.kernel];
        let pair = Pair::new((self.source, self.source_gpu()), (self.board, gpu));
        let Settings { model, ceilings, rules } = self.settings;
        let q = question(kernel, self.subject, pair, &self.session.store, ceilings, rules);
        let prediction = MODELS[model].predict(&q).ok()?;
        let Prediction { time, doubt, width, .. } = prediction;
        let ends = self.ends(gpu, time, Certainty { doubt, width }, q.source_time.as_ref());
        let time = ModelTime { time, limit: prediction.bound_target, ends };
        Some((time, q.work, q.target.launch.map(|launch| launch.block_count() as f64)))
    }

    /// What the kernel asks of this GPU.
    fn load_on(&self, gpu: &Gpu) -> Option<Load> {
        let (kernel, instance) = (&self.session.kernels[self.subject.kernel], &self.subject.instance);
        if !MODELS[self.settings.model].is_prepared() {
            let (found, work, blocks) = self.asked_time(gpu)?;
            return Some(load_at_limit(kernel, instance, &work, blocks, gpu, found.time));
        }
        self.with_prepared(std::slice::from_ref(gpu), |from, first| {
            let place = GpuId::from_index(first);
            let time = from.estimate(place).ok()?.time;
            Some(load_at_limit(kernel, instance, from.work(), from.blocks(place), gpu, time))
        })
    }
}
