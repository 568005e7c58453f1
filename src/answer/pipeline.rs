//! From a question to its answer: the model, its interval, what must be said, the correction by rows of the target.

use super::answered::Answer;
use super::at_clocks::{RunningGpu, answer_at_clocks, deviation_of, visible_at_clocks};
use super::calibration::StartedFrom;
use super::context::{AnswerContext, StandIn};
use super::correct::{CorrectionQuestion, corrected, target_correction};
use super::kriging::LastKriging;
use super::launch_model::LaunchQuestion;
use super::limited_target::under_its_limit;
use super::settings::Settings;
use crate::gpu::{Gpu, GpuId};
use crate::predict::{
    Cause, Caution, MODELS, ModelRefusal, PreparedKernel, SharedMachines, Subject, TimeEstimate,
    impossible_source, model_position, never_started, source_clocks,
};

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
        || impossible_source(&kernels[subject.kernel], stated).is_some()
        || used.filter(|row| row.describes_launch()).is_some_and(|row| {
            never_started(&kernels[subject.kernel], &subject.instance, stated, row, None).is_some()
        });
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
