//! What the user's own rows on a target say of a model there.
//!
//! A row is compared with the model at the clocks that it was taken at, on both sides: those that it states, else those of
//! the GPU's documents (for a source: those that were typed). What is asked about a target at typed clocks changes none
//! of it: the model's error is a property of GPU and kernel, and the clocks of the question are the model's business.

use super::answered::Answer;
use super::context::AnswerContext;
use super::corrections::{ResidualKey, TargetResiduals};
use super::known_rows::{CorrectedQuestion, KnownCorrection, KnownRow, KnownRows};
use super::kriging::LastKriging;
use super::limited_source::LimitedSource;
use super::settings::Settings;
use crate::gpu::{Clocks, Gpu, GpuId};
use crate::measurement::{ConfigId, Measurement};
use crate::pair::Pair;
use crate::predict::{Caution, MODELS, Subject, gpu_at_row_clocks, question, source_clocks};
use crate::units::Seconds;
use std::sync::Arc;

/// The residual of one row, and the clocks it was compared at.
struct RowResidual {
    row: KnownRow,
    clocks: Clocks,
}

/// An answer with its time corrected by the user's other rows on the target; as it is where there are none, where the
/// model is not corrected, or where source and target are the same.
pub(super) fn corrected(context: AnswerContext<'_>, mut answer: Answer, subject: &Subject) -> Answer {
    let asked = CorrectionQuestion {
        subject,
        source: answer.source,
        target: answer.target,
        settings: answer.settings,
        source_time: answer.source_time.as_ref().map(|t| t.time),
    };
    let found = target_correction(context, asked, &mut LastKriging::default());
    let Some((residuals, correction)) = found else { return answer };
    answer.correct(correction);
    let target = context.gpu(answer.target);
    caution_of_clocks(&mut answer, &residuals, target);
    answer
}

/// Whose time is to be corrected.
#[derive(Clone, Copy)]
pub(super) struct CorrectionQuestion<'a> {
    pub(super) subject: &'a Subject,
    pub(super) source: GpuId,
    pub(super) target: GpuId,
    pub(super) settings: Settings,
    /// The time on the source that the model starts from.
    pub(super) source_time: Option<Seconds>,
}

/// The correction that the user's other rows on the target make, and what it was drawn from; `None` where there are none, where the
/// model is not corrected, or where source and target are the same. `last`: of the target asked about before.
pub(super) fn target_correction(
    context: AnswerContext<'_>,
    asked: CorrectionQuestion<'_>,
    last: &mut LastKriging,
) -> Option<(Arc<TargetResiduals>, KnownCorrection)> {
    let AnswerContext { store, corrections, .. } = context;
    let CorrectionQuestion { subject, source, target, settings, .. } = asked;
    let is_corrected = MODELS[settings.model].is_corrected() && source != target;
    if !is_corrected || !corrections.has_rows(store, target) {
        return None;
    }
    let residuals = residuals_of_target(context, source, target, settings);
    let own = subject.config.and_then(|c| residuals.own.get(&c).copied());
    let about = CorrectedQuestion { kernel: subject.kernel, source_time: asked.source_time, own };
    let correction = residuals.rows.correction_after(&about, last)?;
    Some((residuals, correction))
}

/// Finds what the user's rows on the target say of this model from this source, where it is not known: now instead of at the first answer.
pub fn find_correction(context: AnswerContext<'_>, source: GpuId, target: GpuId, settings: Settings) {
    let is_corrected = MODELS[settings.model].is_corrected() && source != target;
    if is_corrected && context.corrections.has_rows(context.store, target) {
        let _ = residuals_of_target(context, source, target, settings);
    }
}

/// Says how many of the rows were timed at other clocks than the target is asked about: a GPU with other numbers at those of its base,
/// whose rows they are.
fn caution_of_clocks(answer: &mut Answer, residuals: &TargetResiduals, target: &Gpu) {
    let made = target.hypothetical.as_deref().filter(|_| !target.is_board_at_settings());
    let asked = made.map_or(target, |made| made.base()).clocks();
    let rows = residuals.clocks.iter().filter(|clocks| !clocks.is_same_setting(&asked)).count();
    let all = residuals.clocks.len();
    if let Ok(prediction) = answer.prediction.as_mut()
        && rows > 0
    {
        prediction.cautions.push(Caution::RowsAtOtherClocks { gpu: target.board_id().into(), rows, all });
    }
}

fn residuals_of_target(
    context: AnswerContext<'_>,
    source: GpuId,
    target: GpuId,
    settings: Settings,
) -> Arc<TargetResiduals> {
    let Clocks { sm, mem, power_limit } = context.source_gpu(source, target).clocks();
    let key = ResidualKey {
        source,
        target,
        settings,
        source_clocks: [sm.0, mem.0, power_limit.0].map(f64::to_bits),
        with_lessons: !context.lessons.is_empty(),
    };
    if let Some(known) = context.corrections.known(&key) {
        return known;
    }
    let found = Arc::new(find_residuals(context, key));
    context.corrections.keep(key, found.clone());
    found
}

/// The model's residuals on the user's rows of the target, from this source.
fn find_residuals(context: AnswerContext<'_>, key: ResidualKey) -> TargetResiduals {
    let AnswerContext { store, corrections, .. } = context;
    let places = corrections.rows_by_gpu(store).get(&key.target).map_or(&[][..], Vec::as_slice);
    let mut found = TargetResiduals::default();
    let mut known = Vec::with_capacity(places.len());
    for id in places {
        let Some(row) = store.row_on(*id, key.target) else { continue };
        let Some(residual) = row_residual(context, key, *id, row) else { continue };
        known.push(residual.row);
        found.own.insert(*id, residual.row);
        found.clocks.push(residual.clocks);
    }
    found.rows = KnownRows::from_rows(known);
    found
}

/// ln(measured / predicted) at the clocks of the row; `None` where the kernel was not measured on the source, the model
/// refuses, or the row states clocks that no such board can be set to.
fn row_residual(
    context: AnswerContext<'_>,
    key: ResidualKey,
    id: ConfigId,
    row: &Measurement,
) -> Option<RowResidual> {
    let AnswerContext { kernels, store, lessons, .. } = context;
    let kernel = &kernels[row.kernel];
    let subject = Subject::from_config(kernel, store.config(id), Some(id)).ok()?;
    let stock = context.stock(key.target);
    let at_row = gpu_at_row_clocks(stock, stock, row).ok()?;
    let target = at_row.as_ref().unwrap_or(stock);
    let stated = context.source_gpu(key.source, key.target);
    let clocks = source_clocks(context.stock(key.source), stated, &subject, key.source, store);
    let Settings { model, ceilings, rules } = key.settings;
    let on_source = clocks.gpu(stated);
    let limited = LimitedSource {
        kernel,
        subject: &subject,
        source: key.source,
        store: store.into(),
        settings: key.settings,
    };
    let slower_source = limited.source_at_limit(on_source);
    let pair = Pair::new((key.source, slower_source.as_ref().unwrap_or(on_source)), (key.target, target));
    let mut q = question(kernel, &subject, pair, store, ceilings, rules);
    q.lesson = lessons.lesson_for(row.kernel, row.gpu);
    let timed = q.source_time.as_ref().filter(|t| t.extrapolation.is_some())?;
    let source_time = Some(timed.time);
    let estimate = MODELS[model].estimate(&q).ok()?;
    let doubt = estimate.doubt.map(|doubt| doubt.total());
    let known = KnownRow { kernel: row.kernel, source_time, doubt, ln: (row.time / estimate.time).ln() };
    known.ln.is_finite().then_some(RowResidual { row: known, clocks: target.clocks() })
}
