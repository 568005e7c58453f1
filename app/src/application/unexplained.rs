//! Kernel time that no model predicts, or that no count explains, in words.

use super::group::KernelGroup;
use super::group_forecast::{COMMUNICATION_WITHIN, ForecastBasis, GroupForecast};
use super::table::percent;
use crate::text::counted;

/// Less of the kernel time than this is not worth a line.
const SAID_OF_SHARE: f64 = 0.05;

/// Groups without a prediction for one reason.
struct UnpredictedGroups {
    basis: ForecastBasis,
    why: String,
    /// Of the recorded kernel time.
    share: f64,
    groups: usize,
}

/// What is said of them.
pub(super) fn unexplained(groups: &[KernelGroup], forecasts: &[GroupForecast]) -> Vec<String> {
    let mut all = not_predicted(groups, forecasts);
    all.extend(far_below_roof(groups, forecasts));
    all
}

/// The share of kernel time whose limit is not what takes it, and its largest kernel.
fn far_below_roof(groups: &[KernelGroup], forecasts: &[GroupForecast]) -> Option<String> {
    let far = || groups.iter().zip(forecasts).filter(|(_, forecast)| forecast.far_below_roof);
    let share: f64 = far().map(|(group, _)| group.share).sum();
    let (largest, _) = far().max_by(|a, b| a.0.share.total_cmp(&b.0.share))?;
    let text = format!(
        "{} of kernel time is far below its roof ({} most); counters do not explain why: more of its limit gains little",
        percent(100.0 * share),
        largest.label
    );
    (share >= SAID_OF_SHARE).then_some(text)
}

/// The three largest shares of kernel time that no model predicts, and why; what cannot start there first.
fn not_predicted(groups: &[KernelGroup], forecasts: &[GroupForecast]) -> Vec<String> {
    let mut all: Vec<UnpredictedGroups> = Vec::new();
    for (group, forecast) in groups.iter().zip(forecasts) {
        let (basis, Some(reason)) = (forecast.basis, &forecast.reason) else { continue };
        let why = match basis {
            ForecastBasis::Unchanged => format!(
                "kept as recorded, assumed within a factor of {COMMUNICATION_WITHIN}: communication between GPUs is not modelled"
            ),
            ForecastBasis::CannotStart => {
                format!(
                    "of kernels that cannot start there as recorded, scaled by the hardware ratios: {reason}"
                )
            }
            _ => format!("scaled by the hardware ratios: {reason}"),
        };
        match all.iter_mut().find(|known| known.why == why) {
            Some(known) => (known.share, known.groups) = (known.share + group.share, known.groups + 1),
            None => all.push(UnpredictedGroups { basis, why, share: group.share, groups: 1 }),
        }
    }
    let starts = |of: &UnpredictedGroups| of.basis != ForecastBasis::CannotStart;
    all.sort_by(|a, b| starts(a).cmp(&starts(b)).then(b.share.total_cmp(&a.share)));
    let text = |of: &UnpredictedGroups| {
        format!(
            "{} of kernel time ({}) is {}",
            percent(100.0 * of.share),
            counted(of.groups, "group"),
            of.why
        )
    };
    all.iter().take(3).map(text).collect()
}
