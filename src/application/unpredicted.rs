//! Kernel time that no model predicts, in words.

use super::group::KernelGroup;
use super::group_forecast::{ForecastBasis, GroupForecast};
use super::table::percent;
use crate::text::counted;

/// Groups without a prediction for one reason.
struct UnpredictedGroups {
    basis: ForecastBasis,
    why: String,
    /// Of the recorded kernel time.
    share: f64,
    groups: usize,
}

/// The three largest shares of kernel time that no model predicts, and why; what cannot start there first.
pub(super) fn not_predicted(groups: &[KernelGroup], forecasts: &[GroupForecast]) -> Vec<String> {
    let mut all: Vec<UnpredictedGroups> = Vec::new();
    for (group, forecast) in groups.iter().zip(forecasts) {
        let (basis, Some(reason)) = (forecast.basis, &forecast.reason) else { continue };
        let why = match basis {
            ForecastBasis::Unchanged => "kept as recorded: communication between GPUs is not modelled".into(),
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
