//! The words around a chart, the same for every chart of one answer: title, subtitle, remarks.

use super::{ChartSides, Shape};
use crate::answer::{Answer, COVERAGE, Interval};
use crate::gpu::Gpu;
use crate::kernel::{Kernel, long_name, short_name};
use crate::occupancy::Waves;
use crate::pair::Pair;
use crate::predict::{MODELS, SourceKind};
use crate::text::marked_estimate;
use crate::units::{Seconds, range, significant};

/// `saxpy n=1048576, fp32: TITAN V → RTX 4070`.
pub(super) fn title(kernel: &Kernel, problem: &str, gpus: Pair<&Gpu>, show: ChartSides) -> String {
    let size = if problem.is_empty() { String::new() } else { format!(" {problem}") };
    let on = match show {
        ChartSides::Both => format!(": {} → {}", gpus.source.short_name(), gpus.target.short_name()),
        _ => show.shown().map(|side| format!(" on {}", gpus[side].short_name())).collect(),
    };
    let dtype = if kernel.dtype.is_empty() { String::new() } else { format!(", {}", kernel.dtype) };
    format!("{}{size}{dtype}{on}", kernel_name(kernel))
}

/// The kernel as tables show it, with the template arguments that its profiler's name has: a picture stands alone.
fn kernel_name(kernel: &Kernel) -> String {
    let (full, label) = (kernel.name(), kernel.label());
    if short_name(full) == label { long_name(full) } else { label.to_string() }
}

/// Model, ceilings and rules, with the predicted speedup in front where the target is shown; of one of several targets with its name.
pub(super) fn subtitle(answer: &Answer, show: ChartSides, one_of_several: Option<&Gpu>) -> String {
    let settings = answer.settings;
    if show == ChartSides::Source {
        return format!(
            "{} ceilings, {} occupancy rules",
            answer.ceilings_used.as_str(),
            settings.rules.as_str()
        );
    }
    let model = MODELS[settings.model].id();
    let profiled = answer.profiled_speedup_words().map_or(String::new(), |words| format!(" {words}"));
    let verdict = answer.speedup().map_or(String::new(), |s| {
        let speedup = marked_estimate(format!("{}×", significant(s)), !answer.is_estimate());
        let on = one_of_several.map_or(String::new(), |gpu| format!(" on {}", gpu.short_name()));
        format!("predicted speedup{on} {speedup}{profiled}; ")
    });
    format!("{verdict}model {model}, {}", answer.used())
}

/// Why there is no prediction, then its cautions.
pub(super) fn remarks(answer: &Answer, show: ChartSides) -> Vec<String> {
    if show == ChartSides::Source {
        let cautions = answer.source_time.iter().flat_map(|t| &t.cautions);
        return cautions.map(|c| format!("caution: {c}")).collect();
    }
    match &answer.prediction {
        Ok(prediction) => prediction.cautions.iter().map(|c| format!("caution: {c}")).collect(),
        Err(refusal) => vec![format!("no prediction: {refusal}")],
    }
}

/// How a time is known that no measurement stands behind.
pub(super) const MODELLED: &str = "modelled without a measurement";

/// How the source's time is known that is drawn in this shape: `measured`, `scaled from another size`.
pub(super) fn source_words(shape: Shape) -> &'static str {
    match shape {
        Shape::Measured => "measured",
        Shape::Predicted => "scaled from another size",
        _ => MODELLED,
    }
}

/// How a time is known: `measured`, `measured (published figure)`, `modelled without a measurement`.
pub(super) fn kind_words(kind: SourceKind) -> &'static str {
    match kind {
        SourceKind::Measured => "measured",
        SourceKind::Published => "measured (published figure)",
        SourceKind::Estimated => MODELLED,
    }
}

/// The word for a number of the model's: `predicted`, or that no measurement stands behind it.
pub(super) fn predicted_word(estimate: bool) -> &'static str {
    if estimate { MODELLED } else { "predicted" }
}

/// `10.9 µs`, or `10.9 µs (9.20–12.8 µs)` with its interval; of an estimate `~10.9 µs (~9.20–12.8 µs)`.
pub(super) fn time_with_interval(time: Seconds, interval: Option<&Interval>, estimate: bool) -> String {
    let marked_time = marked_estimate(time, !estimate);
    match interval {
        Some(i) => format!("{marked_time} ({})", marked_estimate(range(i.low, i.high), !estimate)),
        None => marked_time,
    }
}

/// `6.4 waves of 160 blocks, the last 40 % full with 16 idle SMs, 91.4 % of the slots used`.
pub(super) fn waves(w: &Waves) -> String {
    let idle = match w.idle_sms {
        0 => String::new(),
        n => format!(" with {n} idle SMs"),
    };
    format!(
        "{} waves of {} blocks, the last {} % full{idle}, {} % of the slots used",
        significant(w.waves),
        w.blocks_per_wave,
        significant(100.0 * w.last_fill),
        significant(100.0 * w.efficiency())
    )
}

/// `90 % interval`.
pub(super) fn coverage() -> String {
    format!("{:.0} % interval", 100.0 * COVERAGE)
}
