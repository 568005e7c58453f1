//! From a question to its answer: the model, its interval, what must be said, the correction by rows of the target.

use super::answered::{Answer, Measured, ProfiledClocks};
use super::calibration::{IntervalQuestion, StartedFrom};
use super::caution_points::{MeasuredPoint, above_roof, named_code_cautions, unstated_type};
use super::context::{AnswerContext, StandIn};
use super::correct::{CorrectionQuestion, corrected, target_correction};
use super::kriging::LastKriging;
use super::launch_model::LaunchQuestion;
use super::limited_source::LimitedSource;
use super::limited_target::under_its_limit;
use super::settings::Settings;
use super::unused_measurement::unused_measurement;
use crate::gpu::{Clocks, DerivedGpu, Gpu, GpuId};
use crate::kernel::{Count, Kernel, RunsAs};
use crate::measurement::{Dataset, LaunchTiming, Measurement, Store};
use crate::pair::Pair;
use crate::predict::{
    Cause, Caution, Interval, MODELS, ModelRefusal, Prediction, PreparedKernel, Question, SharedMachines,
    SourceKind, SourceTime, Subject, TimeEstimate, Visible, clock_distance, differences,
    gpu_with_differences, impossible_source, is_at, is_near, is_timed_at, kernel_roofs, model_position,
    question, source_clocks, stated_clocks, states_clocks, unused_target_clocks, weight,
};
use crate::roofline::{Bound, pipe_note, tensor_fp64_note};
use crate::units::{Bytes, Seconds};

/// Below this a time may be mostly launch: floors up to 9 µs were seen (study, defect 5).
const NEAR_FLOOR: Seconds = Seconds(10e-6);

/// Answers one question about a source and a target, given by their places in the catalogue: the model's time, corrected
/// by the user's other rows on the target, with the launch changed where the subject says so.
#[must_use]
pub fn answer_pair(
    context: AnswerContext<'_>,
    subject: &Subject,
    source: GpuId,
    target: GpuId,
    settings: Settings,
) -> Answer {
    let answer = answer_as_launched(context, subject, source, target, settings);
    let (kernel, gpu) = (&context.kernels[subject.kernel], context.gpu(target));
    if !subject.launch_edits.change(kernel, answer.needs.target.as_ref()) {
        return answer;
    }
    LaunchQuestion { kernel, subject, gpu, rules: settings.rules }.edited_answer(answer, context.calibration)
}

/// The answer for the launch as it is. A GPU with changed numbers or settings, however they were spelled, is its board at these: one
/// question, asked in the board's place, whose rows hold for it.
fn answer_as_launched(
    context: AnswerContext<'_>,
    subject: &Subject,
    source: GpuId,
    target: GpuId,
    settings: Settings,
) -> Answer {
    let (on_board, board) = context.on_board(target);
    let (on_board, start) = on_board.on_source_board(subject, source);
    let held = answer_with_held_residual(on_board, subject, start, board, settings);
    let plain = held.unwrap_or_else(|| answer_of_model(on_board, subject, start, board, settings));
    Answer { source, target, ..corrected(on_board, plain, subject) }
}

/// The answer of a learned model on a GPU at typed clocks or with changed numbers: what another model says of those, times what was learned
/// at the stated ones. Trees see shares, which change with a number by steps; held, the time follows every one as that model's does.
/// `None` for other models, and where nothing is changed.
fn answer_with_held_residual(
    context: AnswerContext<'_>,
    subject: &Subject,
    source: GpuId,
    target: GpuId,
    settings: Settings,
) -> Option<Answer> {
    let stock = context.stock_of_typed(target)?;
    let of_changes = MODELS[settings.model].model_of_changes().and_then(|id| model_position(id).ok())?;
    let of_changes = Settings { model: of_changes, ..settings };
    let mut answer = answer_of_model(context, subject, source, target, of_changes);
    answer.settings = settings;
    let unchanged = StandIn { place: target, gpu: stock, stock, named: None };
    let at_stock = AnswerContext { stand_in: Some(unchanged), ..context };
    let learned = answer_of_model(at_stock, subject, source, target, settings);
    let plain = answer_of_model(at_stock, subject, source, target, of_changes).predicted_time();
    let abstains = |caution: &&Caution| matches!(caution, Caution::Abstains(_));
    let said = learned.prediction.as_ref().ok().and_then(|p| p.cautions.iter().find(abstains)).cloned();
    let factor = learned.predicted_time().zip(plain).map(|(learned, plain)| learned / plain);
    let lesson = context.lessons.lesson_for(subject.kernel, target);
    if let (Some(factor), Some(lesson), None) = (factor, lesson, &said) {
        answer.multiply(Cause::Residual(lesson.pairs, lesson.gpus.len()), factor);
    }
    if let Ok(prediction) = &mut answer.prediction {
        prediction.cautions.push(said.unwrap_or(Caution::ResidualHeld));
    }
    Some(answer)
}

/// A GPU as it runs: at typed clocks, or at the clock that its power limit leaves it.
#[derive(Clone, Copy)]
struct RunningGpu<'a> {
    /// Whose rows hold for it.
    place: GpuId,
    gpu: &'a Gpu,
}

/// What the model alone says, with its interval. Where the power limit of the target is not its board's, however that was said: at the
/// clock that the limit leaves it under this kernel's load, as its board where the limit does nothing to this kernel.
fn answer_of_model(
    context: AnswerContext<'_>,
    subject: &Subject,
    source: GpuId,
    target: GpuId,
    settings: Settings,
) -> Answer {
    let asked = context.gpu(target);
    let at =
        |gpu: &Gpu| answer_at_clocks(context, subject, source, RunningGpu { place: target, gpu }, settings);
    let starts_from_time = MODELS[settings.model].needs_source();
    let is_timed = starts_from_time && is_timed_at_settings(context, subject, source, target);
    if is_timed {
        return at(asked);
    }
    let kernel = &context.kernels[subject.kernel];
    under_its_limit(kernel, &subject.instance, asked, context.stock(target), at)
}

/// Whether the source's row was taken on the very board at the very settings that are asked about: whatever clock a limit leaves it there,
/// it is the same on both sides.
fn is_timed_at_settings(context: AnswerContext<'_>, subject: &Subject, source: GpuId, target: GpuId) -> bool {
    let (stated, asked) = (context.source_gpu(source, target), context.gpu(target));
    if !stated.is_same_board_and_settings(asked) {
        return false;
    }
    let visible = visible_at_clocks(context.store, subject, source, None, stated);
    visible.start_row(subject, source).is_some()
        && source_clocks(context.stock(source), stated, subject, source, visible).is_catalogued()
}

/// The answer of the model where the target runs as this GPU does: the one that is asked about, or the same at the clock that its power
/// limit leaves it.
fn answer_at_clocks(
    context: AnswerContext<'_>,
    subject: &Subject,
    source: GpuId,
    running: RunningGpu<'_>,
    settings: Settings,
) -> Answer {
    let AnswerContext { kernels, store, datasets, calibration, lessons, .. } = context;
    let target = running.place;
    let on_target = context.gpu(target);
    let kernel = &kernels[subject.kernel];
    let typed = Pair::new(context.stock_of_typed_source(source), context.stock_of_typed(target));
    let stated = context.source_gpu(source, target);
    // On one board a row at the clocks that are asked about is the answer.
    let is_one_board = source == target && context.source_stand_in.is_none();
    let at_target = (is_one_board && typed.target.is_some()).then_some(on_target);
    let visible = visible_at_clocks(store, subject, source, at_target, stated);
    let clocks = source_clocks(context.stock(source), stated, subject, source, visible);
    let on_source = clocks.gpu(stated);
    let limited = LimitedSource { kernel, subject, source, store: visible, settings };
    let is_one = on_source.is_same_board_and_settings(running.gpu);
    let slower_source = if is_one { None } else { limited.source_at_limit(on_source) };
    let pair = Pair::new((source, slower_source.as_ref().unwrap_or(on_source)), (target, running.gpu));
    let mut q = question(kernel, subject, pair, visible, settings.ceilings, settings.rules);
    q.lesson = lessons.lesson_for(subject.kernel, target);
    let is_set = |stock: &Gpu| !running.gpu.clocks().is_same_setting(&stock.clocks());
    let timed = measured_on(store, subject, target, on_target, typed.target.is_some_and(is_set));
    let data = of_datasets(datasets, kernel, &q, timed);
    let mut prediction = MODELS[settings.model].predict(&q);
    // On one board they were typed for the target.
    let typed_source = typed.source.filter(|_| !is_one_board);
    let profiled = clocks.tuned().map(|at_row| ProfiledClocks {
        gpu: at_row.clone(),
        stock_time: time_at_set_clocks(&q, source, stated, subject, visible, settings),
        has_typed_clocks: typed_source.is_some(),
    });
    let starts_from_nothing = !MODELS[settings.model].needs_source();
    let is_untimed = q.source_time.as_ref().is_none_or(|t| t.extrapolation.is_none());
    let own_estimate =
        (starts_from_nothing && is_untimed).then(|| limited.time_by_model(on_source)).flatten();
    let own_time = q.own_time().filter(|_| !starts_from_nothing);
    if let Ok(p) = &mut prediction {
        // What a ratio of equal numbers leaves of a bit.
        p.time = own_time.unwrap_or(p.time);
        let rows = subject.config.into_iter().flat_map(|config| visible.rows_of(config));
        p.cautions.extend(unstated_type(&q, rows));
        observe(p, &q, timed);
        p.cautions.extend(source_cannot_launch(&q));
        match timed {
            Some(row) => p.cautions.extend(unused_target_clocks(row, on_target)),
            None => p.cautions.extend(unused_measurement(context, subject, source, target)),
        }
        let named = Pair::new(typed_source, context.named_of_typed(target));
        // Under a limit that does nothing it is its board.
        let is_limited = running.gpu.boost_clock.value != on_target.boost_clock.value;
        let run_on = Pair::new(on_source, if is_limited { on_target } else { running.gpu });
        p.cautions.extend(condition_cautions(kernel, run_on, named, clocks.cautions()));
        // Nothing is predicted where the very clocks were measured.
        let is_of_settings = |c: &Caution| matches!(c, Caution::Hypothetical(_) | Caution::DerivedGpu(_));
        p.cautions.retain(|c| own_time.is_none() || !is_of_settings(c));
        p.cautions.extend(data.iter().cloned());
    }
    let used = Settings { ceilings: q.ceilings, ..settings };
    let weight = weight(&q);
    let asked = IntervalQuestion {
        settings: used,
        kernel: subject.kernel,
        target,
        start: StartedFrom::of_time(used, q.source_time.as_ref()),
        kernel_id: &kernel.id,
        doubt: prediction.as_ref().ok().and_then(|p| p.doubt),
        width: prediction.as_ref().ok().and_then(|p| p.width),
    };
    // What is changed of the board and not used by the kernel leaves the time that was measured.
    let on_board = q.source_time.as_ref().filter(|_| is_one_board).and_then(SourceTime::timed_at_size);
    let is_left = |p: &Prediction| p.doubt.is_some_and(|d| d.is_of_timed_gpu()) && on_board == Some(p.time);
    let left = on_board.filter(|_| prediction.as_ref().is_ok_and(is_left));
    let own =
        own_time.or(left).map(|time| OwnTime { time, deviation: deviation_of(subject, source, visible) });
    let interval = prediction.as_ref().ok().and_then(|p| match own {
        Some(OwnTime { time, deviation: Some(deviation) }) => Some(Interval::of_trials(time, deviation)),
        Some(OwnTime { time, .. }) if p.doubt.is_none() => Some(Interval::exactly(time)),
        _ => Some(within_source_range(calibration.interval(p.time, asked)?, p, &q, settings)),
    });
    let levels = prediction.as_ref().ok().and_then(|p| p.levels.as_ref());
    Answer {
        source,
        target,
        // A limit that does nothing is asked about all the same.
        clocks: Pair::new(
            Clocks { power_limit: stated.power_limit.value, ..q.source.gpu.clocks() },
            Clocks { power_limit: on_target.power_limit.value, ..q.target.gpu.clocks() },
        ),
        profiled,
        settings,
        ceilings_used: levels.map_or(q.ceilings, |l| l.ceilings),
        kernel_roofs: kernel_roofs(&q).ok(),
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
        weight,
        correction: None,
        combined: None,
        edited_launch: None,
        source_time: own_estimate.or(q.source_time),
        is_without_source: false,
    }
}

/// That the time of the source cannot be of the launch as it is stated.
fn source_cannot_launch(q: &Question<'_>) -> Option<Caution> {
    let is_timed = q.source_time.as_ref().is_some_and(|time| time.kind != SourceKind::Estimated);
    let why = q.source.refusal.filter(|_| is_timed)?;
    Some(Caution::SourceCannotLaunch { gpu: q.source.gpu.id.as_str().into(), why })
}

/// A time that was measured on the very GPU at the settings that are asked about.
struct OwnTime {
    time: Seconds,
    /// Of its trials.
    deviation: Option<Seconds>,
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
    of_row: &[Caution],
) -> Vec<Caution> {
    let mut cautions: Vec<Caution> = Caution::of_made_gpu(gpus.target).into_iter().collect();
    let typed_source = named.source.filter(|_| of_row.is_empty());
    cautions.extend(typed_source.map(|named| Caution::SourceTyped(differences(gpus.source, named))));
    cautions.extend_from_slice(of_row);
    let typed_target = named.target.filter(|named| !gpus.target.clocks().is_same_setting(&named.clocks()));
    cautions
        .extend(typed_target.map(|named| Caution::Hypothetical(gpu_with_differences(gpus.target, named))));
    cautions.extend(pipe_note(kernel, gpus).map(|text| Caution::Arithmetic(text.into())));
    cautions.extend(named_code_cautions(kernel, gpus));
    let [of_source, of_target] =
        [gpus.source, gpus.target].map(|gpu| gpu.derived.as_deref().and_then(DerivedGpu::difference));
    // A slice and what is made of it are derived alike.
    let derived = of_source.filter(|_| of_source != of_target).into_iter().chain(of_target);
    cautions.extend(derived.map(|description| Caution::DerivedGpu(description.into())));
    cautions
}

/// The rows, with that of the source which is asked about; else that which was timed at the clocks of the target where both are one
/// board, else at those it has now or nearest to them; of several the latest.
fn visible_at_clocks<'a>(
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
fn deviation_of(subject: &Subject, source: GpuId, visible: Visible<'_>) -> Option<Seconds> {
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
    let rows = || store.rows_at_all_clocks(config).filter(|row| row.gpu == target);
    let at_clocks = rows().find(|row| if is_typed { is_at(row, on_target) } else { is_near(row, on_target) });
    at_clocks.or_else(|| rows().find(|row| !is_typed && !states_clocks(row)))
}

/// What the model makes of the source's time on the source at the clocks it is set to.
fn time_at_set_clocks(
    q: &Question<'_>,
    source: GpuId,
    stated: &Gpu,
    subject: &Subject,
    visible: Visible<'_>,
    settings: Settings,
) -> Option<Seconds> {
    let pair = Pair::new((source, q.source.gpu), (source, stated));
    let q = question(q.kernel, subject, pair, visible, settings.ceilings, settings.rules);
    MODELS[settings.model].predicted_time(&q).ok()
}

/// One kernel, timed on one GPU, and the GPUs where it might run.
#[derive(Debug, Clone, Copy)]
pub struct TargetsQuestion<'a, 't> {
    /// The kernel at its size.
    pub subject: &'a Subject,
    /// Where it was timed.
    pub source: GpuId,
    /// Where it might run.
    pub targets: &'t [GpuId],
    /// How it is asked.
    pub settings: Settings,
}

/// The numbers of [`answer_pair`] for many targets of one source, in their order, or why there is no prediction: handed to `take` target by
/// target, for boards of half a million. `machines` are those of the context's GPUs, for all kernels that are asked about.
pub fn estimate_targets<'a>(
    context: AnswerContext<'a>,
    machines: &SharedMachines<'a>,
    asked: TargetsQuestion<'a, '_>,
    mut take: impl FnMut(GpuId, Result<TimeEstimate, ModelRefusal>),
) {
    let TargetsQuestion { subject, source, targets, settings } = asked;
    let AnswerContext { gpus, kernels, store, calibration, .. } = context;
    let whole = |target: GpuId| answer_pair(context, subject, source, target, settings).estimate_or_refusal();
    let stated = &gpus[source];
    let visible = visible_at_clocks(store, subject, source, None, stated);
    let latest = subject.config.and_then(|config| store.row_on(config, source));
    let used = subject.config.and_then(|config| visible.row_on(config, source));
    let is_latest = latest.map(std::ptr::from_ref) == used.map(std::ptr::from_ref);
    let at_row_clocks =
        !is_latest || !source_clocks(stated, stated, subject, source, visible).is_catalogued();
    let is_set = context.stock_of_typed(source).is_some()
        || stated.other_limit().is_some()
        || context.place_of_rows(subject, source) != source
        || impossible_source(&kernels[subject.kernel], stated).is_some();
    if !MODELS[settings.model].is_prepared() || is_set || at_row_clocks {
        return targets.iter().for_each(|target| take(*target, whole(*target)));
    }
    let kernel = &kernels[subject.kernel];
    let mut prepared = PreparedKernel::with_machines(kernel, subject, machines, store, settings.rules);
    let from = prepared.start(source);
    let scale =
        calibration.family_scale(&kernel.id, StartedFrom::of_time(settings, from.source_time.as_ref()), None);
    let mut last = LastKriging::default();
    for target in targets.iter().copied() {
        // Typed clocks belong to whole answers.
        let is_made = gpus[target].is_hypothetical() || !subject.launch_edits.is_empty();
        let has_deviation = target == source && deviation_of(subject, source, visible).is_some();
        if is_made || has_deviation || context.stock_of_typed(target).is_some() {
            take(target, whole(target));
            continue;
        }
        let mut found = from.estimate_once(target);
        if let Ok(plain) = &mut found {
            let doubt = plain.doubt.as_ref();
            plain.interval = scale.zip(doubt).map(|(scale, doubt)| scale.around(plain.time, doubt));
            let source_time = from.source_time.as_ref().map(|t| t.time);
            let asked = CorrectionQuestion { subject, source, target, settings, source_time };
            if let Some((_, correction)) = target_correction(context, asked, &mut last) {
                *plain = plain.multiplied(correction.factor, correction.width);
            }
        }
        take(target, found);
    }
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
        let gpu = q.target.gpu.id.as_str().into();
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
