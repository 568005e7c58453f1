//! What must be said of a time that was measured on the target and has no part in the predicted one.

use super::context::AnswerContext;
use crate::gpu::{GpuId, board_place};
use crate::predict::{Caution, Subject, differences, gpu_at_usable_clocks, states_clocks};

/// That the target was measured at other clocks than are asked about, or as it is and another GPU is the source.
pub(super) fn unused_measurement(
    context: AnswerContext<'_>,
    subject: &Subject,
    source: GpuId,
    target: GpuId,
) -> Option<Caution> {
    let elsewhere = measured_elsewhere(context, subject, target);
    elsewhere.or_else(|| measured_unchanged(context, subject, source, target))
}

/// The time measured on the target at other clocks than are asked about.
fn measured_elsewhere(context: AnswerContext<'_>, subject: &Subject, target: GpuId) -> Option<Caution> {
    let on_target = context.gpu(target);
    let config = subject.config.filter(|_| on_target.is_board_at_settings())?;
    let row = context.store.row_on(config, target).filter(|row| states_clocks(row))?;
    let at_row = gpu_at_usable_clocks(context.stock(target), on_target, row).0?;
    Some(Caution::MeasuredAtOtherClocks { at: differences(&at_row, on_target), time: row.time })
}

/// That the target, which is asked about at other settings or with other numbers, was measured as it is, and another GPU is the source.
fn measured_unchanged(
    context: AnswerContext<'_>,
    subject: &Subject,
    source: GpuId,
    target: GpuId,
) -> Option<Caution> {
    let stock = context.stock_of_typed(target)?;
    let row = context.store.row_on(subject.config?, target)?;
    let is_source = board_place(context.gpus, source) == target;
    (!is_source).then(|| Caution::MeasuredUnused { gpu: stock.id.as_str().into(), time: row.time })
}
