//! What a model alone says where the target runs at certain clocks: its time, what must be said beside it, its interval.

use super::answered::{Answer, Measured, ProfiledClocks};
use super::calibration::{IntervalQuestion, StartedFrom};
use super::caution_points::{MeasuredPoint, above_roof, named_code_cautions, unstated_type};
use super::context::AnswerContext;
use super::limited_source::LimitedSource;
use super::settings::Settings;
use super::unused_measurement::unused_measurement;
use crate::gpu::{Clocks, Gpu, GpuId};
use crate::kernel::{Count, Kernel, RunsAs};
use crate::measurement::{Dataset, LaunchTiming, Measurement, Store};
use crate::pair::Pair;
use crate::predict::{
    Caution, Interval, MODELS, Prediction, Question, SourceClocks, SourceKind, SourceTime, Subject, Visible,
    clock_distance, differences, gpu_with_differences, is_at, is_at_stated_limit, is_near, is_timed_at,
    kernel_roofs, question, source_clocks, stated_clocks, states_clocks, unused_target_clocks, weight,
};
use crate::roofline::{Bound, pipe_note, tensor_fp64_note};
use crate::units::{Bytes, Seconds};

/// A GPU as it runs: at typed clocks, or at the clock that its power limit leaves it.
#[derive(Clone, Copy)]
pub(super) struct RunningGpu<'a> {
    /// Whose rows hold for it.
    pub(super) place: GpuId,
    pub(super) gpu: &'a Gpu,
}

/// The answer of the model where the target runs as this GPU does: the one that is asked about, or the same at the clock that its power
/// limit leaves it.
pub(super) fn answer_at_clocks(
    context: AnswerContext<'_>,
    subject: &Subject,
    source: GpuId,
    running: RunningGpu<'_>,
    settings: Settings,
) -> Answer {
    let asked = ClockedQuestion::new(context, subject, source, running, settings);
    let ClockedQuestion { kernel, visible, target, on_target, .. } = asked;
    let model = &MODELS[settings.model];
    let (on_source, limited) = (asked.clocks.gpu(asked.stated), asked.limited_source());
    let is_one = on_source.is_same_board_and_settings(running.gpu);
    let slower_source = if is_one { None } else { limited.source_at_limit(on_source) };
    let pair = Pair::new((source, slower_source.as_ref().unwrap_or(on_source)), (target, running.gpu));
    let mut q = question(kernel, subject, pair, visible, settings.ceilings, settings.rules);
    q.lesson = context.lessons.lesson_for(subject.kernel, target);
    let timed = asked.timed_on_target();
    let data = of_datasets(context.datasets, kernel, &q, timed);
    let profiled = asked.profiled_clocks(&q);
    let is_untimed = q.source_time.as_ref().is_none_or(|t| t.extrapolation.is_none());
    let own_estimate =
        (!model.needs_source() && is_untimed).then(|| limited.time_by_model(on_source)).flatten();
    let own_time = q.own_time().filter(|_| model.needs_source());
    let mut prediction = model.predict(&q);
    if let Ok(p) = &mut prediction {
        // What a ratio of equal numbers leaves of a bit.
        p.time = own_time.unwrap_or(p.time);
        asked.add_cautions(p, &q, timed);
        // Nothing is predicted where the very clocks were measured.
        let is_of_settings = |c: &Caution| matches!(c, Caution::Hypothetical(_) | Caution::DerivedGpu(_));
        p.cautions.retain(|c| own_time.is_none() || !is_of_settings(c));
        p.cautions.extend(data.iter().cloned());
    }
    let interval = prediction.as_ref().ok().and_then(|p| asked.interval(p, &q, own_time));
    let levels = prediction.as_ref().ok().and_then(|p| p.levels.as_ref());
    Answer {
        source,
        target,
        // A limit that does nothing is asked about all the same.
        clocks: Pair::new(
            Clocks { power_limit: on_source.power_limit.value, ..q.source.gpu.clocks() },
            Clocks { power_limit: on_target.power_limit.value, ..q.target.gpu.clocks() },
        ),
        profiled,
        settings,
        ceilings_used: levels.map_or(q.ceilings, |l| l.ceilings),
        kernel_roofs: kernel_roofs(&q).ok(),
        weight: weight(&q),
        work: q.work,
        launch: Pair::new(q.source.launch, q.target.launch),
        prediction,
        interval,
        needs: Pair::new(q.source.needs, q.target.needs),
        occupancy: Pair::new(q.source.occupancy, q.target.occupancy),
        registers: Pair::new(q.source.registers, q.target.registers),
        build: Pair::new(q.source.build, q.target.build),
        launch_refusal: Pair::new(q.source.refusal, q.target.refusal),
        measured: timed.map(|r| Measured { time: r.time, kind: r.kind().into() }),
        data,
        correction: None,
        combined: None,
        edited_launch: None,
        source_time: own_estimate.or(q.source_time),
        is_without_source: false,
    }
}

/// What is asked, with the row of the source and the clocks it was taken at.
struct ClockedQuestion<'a> {
    context: AnswerContext<'a>,
    subject: &'a Subject,
    kernel: &'a Kernel,
    source: GpuId,
    target: GpuId,
    /// The target as it is asked about.
    on_target: &'a Gpu,
    /// The target as it runs.
    running: &'a Gpu,
    /// The source as it is asked about.
    stated: &'a Gpu,
    settings: Settings,
    /// The boards whose clocks were typed.
    typed: Pair<Option<&'a Gpu>>,
    /// Whether both are one board: a row at the clocks that are asked about is the answer, and typed ones are the target's.
    is_one_board: bool,
    visible: Visible<'a>,
    clocks: SourceClocks,
}

impl<'a> ClockedQuestion<'a> {
    fn new(
        context: AnswerContext<'a>,
        subject: &'a Subject,
        source: GpuId,
        running: RunningGpu<'a>,
        settings: Settings,
    ) -> Self {
        let target = running.place;
        let (on_target, stated) = (context.gpu(target), context.source_gpu(source, target));
        let typed = Pair::new(context.stock_of_typed_source(source), context.stock_of_typed(target));
        let is_one_board = source == target && context.source_stand_in.is_none();
        let at_target = (is_one_board && typed.target.is_some()).then_some(on_target);
        let visible = visible_at_clocks(context.store, subject, source, at_target, stated);
        Self {
            context,
            subject,
            kernel: &context.kernels[subject.kernel],
            source,
            target,
            on_target,
            running: running.gpu,
            stated,
            settings,
            typed,
            is_one_board,
            visible,
            clocks: source_clocks(context.stock(source), stated, subject, source, visible),
        }
    }

    fn limited_source(&self) -> LimitedSource<'a> {
        let Self { kernel, subject, source, visible, settings, .. } = *self;
        LimitedSource { kernel, subject, source, store: visible, settings }
    }

    /// The board of the source whose clocks were typed for it alone.
    fn typed_source(&self) -> Option<&'a Gpu> {
        self.typed.source.filter(|_| !self.is_one_board)
    }

    /// The row that timed the kernel on the target.
    fn timed_on_target(&self) -> Option<&'a Measurement> {
        let is_set = |stock: &Gpu| !self.running.clocks().is_same_setting(&stock.clocks());
        let is_typed = self.typed.target.is_some_and(is_set);
        measured_on(self.context.store, self.subject, self.target, self.on_target, is_typed)
    }

    /// The clocks of the source's row, where they are others than those that are asked about.
    fn profiled_clocks(&self, q: &Question<'_>) -> Option<ProfiledClocks> {
        self.clocks.tuned().map(|at_row| ProfiledClocks {
            gpu: at_row.clone(),
            stock_time: self.limited_source().time_at_settings(q.source.gpu, self.stated),
            has_typed_clocks: self.typed_source().is_some(),
        })
    }

    /// Says what holds whatever the model: of types, rows, clocks and GPUs.
    fn add_cautions(&self, p: &mut Prediction, q: &Question<'_>, timed: Option<&Measurement>) {
        let Self { context, subject, source, target, on_target, running, .. } = *self;
        let rows = subject.config.into_iter().flat_map(|config| self.visible.rows_of(config));
        p.cautions.extend(unstated_type(q, rows));
        observe(p, q, timed);
        p.cautions.extend(source_cannot_launch(q));
        match timed {
            Some(row) => p.cautions.extend(unused_target_clocks(row, on_target)),
            None => p.cautions.extend(unused_measurement(context, subject, source, target)),
        }
        let named = Pair::new(self.typed_source(), context.named_of_typed(target));
        // Under a limit that does nothing it is its board.
        let is_limited = running.boost_clock.value != on_target.boost_clock.value;
        let on_source = self.clocks.gpu(self.stated);
        let run_on = Pair::new(on_source, if is_limited { on_target } else { running });
        p.cautions.extend(condition_cautions(self.kernel, run_on, named, &self.clocks));
        p.cautions.extend(derived_cautions(run_on, context.stock(target)));
    }

    /// The interval around the predicted time; that of the trials, or none in width, where it is a measured one.
    fn interval(&self, p: &Prediction, q: &Question<'_>, own_time: Option<Seconds>) -> Option<Interval> {
        // What is changed of the board and not used by the kernel leaves the time that was measured.
        let on_board =
            q.source_time.as_ref().filter(|_| self.is_one_board).and_then(SourceTime::timed_at_size);
        let is_left = p.doubt.is_some_and(|d| d.is_of_timed_gpu()) && on_board == Some(p.time);
        if let Some(time) = own_time.or(on_board.filter(|_| is_left)) {
            if let Some(deviation) = deviation_of(self.subject, self.source, self.visible) {
                return Some(Interval::of_trials(time, deviation));
            }
            if p.doubt.is_none() {
                return Some(Interval::exactly(time));
            }
        }
        let used = Settings { ceilings: q.ceilings, ..self.settings };
        let asked = IntervalQuestion {
            settings: used,
            kernel: self.subject.kernel,
            target: self.target,
            start: StartedFrom::of_time(used, q.source_time.as_ref()),
            kernel_id: &self.kernel.id,
            doubt: p.doubt,
            width: p.width,
        };
        let found = self.context.calibration.interval(p.time, asked)?;
        Some(within_source_range(found, p, q, self.settings))
    }
}

/// Below this a time may be mostly launch: floors up to 9 µs were seen (study, defect 5).
const NEAR_FLOOR: Seconds = Seconds(10e-6);

/// That the time of the source cannot be of the launch as it is stated.
fn source_cannot_launch(q: &Question<'_>) -> Option<Caution> {
    let is_timed = q.source_time.as_ref().is_some_and(|time| time.kind != SourceKind::Estimated);
    let why = q.source.refusal.filter(|_| is_timed)?;
    Some(Caution::SourceCannotLaunch { gpu: q.source.gpu.id.as_str().into(), why })
}

/// The interval of a model, within what the same board at other settings can take where the source is that.
fn within_source_range(found: Interval, p: &Prediction, q: &Question<'_>, settings: Settings) -> Interval {
    let timed = q.source_time.as_ref().filter(|_| MODELS[settings.model].needs_source());
    let range = timed.and_then(|timed| timed.time_range(q.source.gpu, q.target.gpu));
    range.map_or(found, |range| found.within(p.time, range))
}

/// What is said of the GPUs as they run and of the arithmetic: which do not exist, at whose typed clocks (`named` are the
/// ones that clocks were typed for), what the source's row states.
fn condition_cautions(
    kernel: &Kernel,
    gpus: Pair<&Gpu>,
    named: Pair<Option<&Gpu>>,
    of_row: &SourceClocks,
) -> Vec<Caution> {
    let mut cautions: Vec<Caution> = Caution::of_made_gpu(gpus.target).into_iter().collect();
    let is_set = |gpu: &Gpu, named: &Gpu| !gpu.clocks().is_same_setting(&named.clocks());
    let typed_source = named.source.filter(|named| of_row.keeps_set_clocks() && is_set(gpus.source, named));
    cautions.extend(typed_source.map(|named| Caution::SourceTyped(differences(gpus.source, named))));
    cautions.extend_from_slice(of_row.cautions());
    let typed_target = named.target.filter(|named| is_set(gpus.target, named));
    cautions
        .extend(typed_target.map(|named| Caution::Hypothetical(gpu_with_differences(gpus.target, named))));
    cautions.extend(pipe_note(kernel, gpus).map(|text| Caution::Arithmetic(text.into())));
    cautions.extend(named_code_cautions(kernel, gpus));
    cautions
}

/// What GPUs that are named by rule are made of; nothing of a source at other settings, whose clocks are said already, and of a target under a
/// limit that does nothing, which runs as its board.
fn derived_cautions(gpus: Pair<&Gpu>, board: &Gpu) -> impl Iterator<Item = Caution> {
    let Pair { source, target } = gpus;
    let of_source = source.derived.clone().filter(|_| source.id == source.board_id());
    let is_of_board = board.id != target.id && board.id == target.board_id();
    let runs_as_board = is_of_board && target.clocks().is_same_setting(&board.clocks());
    let of_target = target.derived.clone().filter(|_| !runs_as_board);
    // A slice and what is made of it are derived alike.
    let of_source = of_source.filter(|of_source| Some(of_source) != of_target.as_ref());
    of_source.into_iter().chain(of_target).map(|made| Caution::DerivedGpu(made.description.as_str().into()))
}

/// The rows, with that of the source which is asked about; else that which was timed at the clocks of the target where both are one
/// board, else at those it has now or nearest to them; of several the latest.
pub(super) fn visible_at_clocks<'a>(
    store: &'a Store,
    subject: &Subject,
    source: GpuId,
    at_target: Option<&Gpu>,
    stated: &Gpu,
) -> Visible<'a> {
    let visible = Visible::from(store);
    let Some(config) = subject.config else { return visible };
    let rows = || store.rows_at_all_clocks(config).filter(|row| row.gpu == source);
    let asked = at_target.filter(|gpu| gpu.is_board_at_settings());
    let asked = asked.and_then(|gpu| rows().find(|row| is_timed_at(row, gpu)));
    let nearest = || rows().min_by(|a, b| clock_distance(a, stated).total_cmp(&clock_distance(b, stated)));
    let of_row = subject.timed_at.and_then(|clocks| rows().find(|row| stated_clocks(row) == clocks));
    let chosen = of_row.or(asked).or_else(|| rows().find(|row| is_at(row, stated))).or_else(nearest);
    chosen.map_or(visible, |row| visible.with_row(config, row))
}

/// The standard deviation of the trials behind the source's time, where its row states one.
pub(super) fn deviation_of(subject: &Subject, source: GpuId, visible: Visible<'_>) -> Option<Seconds> {
    let row = subject.config.and_then(|config| visible.row_on(config, source))?;
    row.time_std().filter(|deviation| *deviation > Seconds(0.0))
}

/// The row that timed the kernel on this GPU at the clocks it has now: at typed ones only where it states them, else also
/// where it states none. None timed it on a GPU with changed numbers.
fn measured_on<'a>(
    store: &'a Store,
    subject: &Subject,
    target: GpuId,
    on_target: &Gpu,
    is_typed: bool,
) -> Option<&'a Measurement> {
    let config = subject.config.filter(|_| on_target.is_board_at_settings())?;
    let is_of_target = |row: &&Measurement| row.gpu == target && is_at_stated_limit(row, on_target);
    let rows = || store.rows_at_all_clocks(config).filter(is_of_target);
    let at_clocks = rows().find(|row| if is_typed { is_at(row, on_target) } else { is_near(row, on_target) });
    at_clocks.or_else(|| rows().find(|row| !is_typed && !states_clocks(row)))
}

/// What holds of the times whatever the model: timed points above their roof, and times so short that the launch may be
/// most of them.
fn observe(prediction: &mut Prediction, q: &Question<'_>, target_row: Option<&Measurement>) {
    let known = q.source_time.as_ref();
    let on_source = known.filter(|t| t.kind != SourceKind::Estimated).map(|t| MeasuredPoint {
        gpu: q.source.gpu,
        time: t.time,
        work: q.work,
        launch: q.source.launch,
    });
    let on_target = target_row.map(|r| {
        let launch = r.launch().or(q.target.launch);
        MeasuredPoint { gpu: q.target.gpu, time: r.time, work: q.work.overlaid(&r.work()), launch }
    });
    for point in on_source.into_iter().chain(on_target) {
        let Some(caution) = above_roof(q, &point) else { continue };
        // The same working set in the same L2 is said once.
        let fits = Caution::FitsL2(point.gpu.id.as_str().into());
        prediction.cautions.retain(|c| *c != fits && *c != caution);
        prediction.cautions.push(caution);
    }
    if q.timing == LaunchTiming::Dispatched && q.kernel.runs_as == RunsAs::Kernel {
        prediction.cautions.push(Caution::DispatchSeen(q.floors.source.time));
    }
    if matches!(prediction.bound_target, Some(Bound::Compute)) {
        let note = tensor_fp64_note(q.target.gpu, q.kernel);
        prediction.cautions.extend(note.map(|text| Caution::Arithmetic(text.into())));
    }
    // What arithmetic limits on the source gains nothing from a cache.
    let waits_for_memory = matches!(prediction.bound_source, None | Some(Bound::Dram | Bound::L2));
    prediction.cautions.extend(fits_target_l2(q).filter(|_| {
        let said = |c: &Caution| matches!(c, Caution::FitsL2(gpu) if **gpu == *q.target.gpu.id);
        waits_for_memory && !prediction.cautions.iter().any(said)
    }));
    let times = [(q.source.gpu, known.map(|t| t.time)), (q.target.gpu, Some(prediction.time))];
    let is_short = |(_, time): &(&Gpu, Option<Seconds>)| time.is_some_and(|t| t < NEAR_FLOOR);
    let mut short: Vec<&Gpu> = times.into_iter().filter(is_short).map(|(gpu, _)| gpu).collect();
    // Of one board, changed or not, it is said once.
    short.dedup_by_key(|gpu| gpu.board_id().to_string());
    for gpu in short {
        let caution = Caution::LaunchBound(gpu.id.as_str().into());
        if !prediction.cautions.contains(&caution) {
            prediction.cautions.push(caution);
        }
    }
}

/// That the buffers fit the L2 of the target and not that of the source: the larger part of a speedup may be that.
fn fits_target_l2(q: &Question<'_>) -> Option<Caution> {
    if matches!(q.timing, LaunchTiming::Cold | LaunchTiming::Profiled) {
        return None;
    }
    let stated = q.work.get(Count::WorkingSetBytes);
    let working_set = stated.map(Bytes).or_else(|| q.work.dram())?;
    let (source, l2) = (q.source.gpu.l2_size.value, q.target.gpu.l2_size.value);
    let fits = working_set <= l2 && working_set > source;
    fits.then(|| {
        let gpu = q.target.gpu.board_id().into();
        Caution::FitsTargetL2 { gpu, working_set, l2, is_assumed: stated.is_none() }
    })
}

/// What the datasets behind the source time and the target's row say of this kernel.
fn of_datasets(
    datasets: &[Dataset],
    kernel: &Kernel,
    q: &Question<'_>,
    target_row: Option<&Measurement>,
) -> Vec<Caution> {
    let of_target = target_row.map(|r| r.source().text());
    let sources = [q.source_time.as_ref().map(|t| &*t.source), of_target.as_deref()];
    let behind = |d: &&Dataset| sources.into_iter().flatten().any(|source| *source == *d.source);
    let texts = datasets.iter().filter(behind).flat_map(|d| d.of_kernel(&kernel.id));
    texts.map(|text| Caution::Data(text.as_str().into())).collect()
}
