//! What a power limit below its board's does to the kernels of an application, in words.

use super::group::KernelGroup;
use super::group_forecast::{ForecastBasis, GroupForecast};
use super::table::percent;
use crate::gpu::Gpu;

/// The kernel time under which the limit lowers the SM clock and to which clocks, or that it lowers none; `None` for a board at its own limit.
pub(super) fn limit_note(
    target: &Gpu,
    groups: &[KernelGroup],
    forecasts: &[GroupForecast],
) -> Option<String> {
    target.lowered_from()?;
    let (gpu, limit) = (target.board_id(), target.power_limit.value.0);
    let slowed = || {
        let all = groups.iter().zip(forecasts);
        all.filter_map(|(group, found)| Some((group.share, found.clock_at_limit?.0 / 1e6)))
    };
    let clocks = || slowed().map(|(_, clock)| clock);
    let least = clocks().fold(f64::INFINITY, f64::min);
    if least.is_finite() {
        let (from, most) = (target.boost_clock.value.0 / 1e6, clocks().fold(0.0, f64::max));
        let to = if most - least < 1.0 { format!("{least:.0}") } else { format!("{least:.0}–{most:.0}") };
        let share = percent(100.0 * slowed().map(|(share, _)| share).sum::<f64>());
        return Some(format!(
            "{gpu} ({limit:.0} W, SM {from:.0} to {to} MHz, {share} of kernel time): the power limit lowers the SM clock under load (modelled)"
        ));
    }
    let is_modelled =
        |found: &GroupForecast| matches!(found.basis, ForecastBasis::Counts | ForecastBasis::Operator);
    forecasts.iter().any(is_modelled).then(|| {
        format!(
            "{gpu} ({limit:.0} W): the power limit is above what the predicted kernels draw (modelled): it does not change their times"
        )
    })
}
