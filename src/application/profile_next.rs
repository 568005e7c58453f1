//! Which groups of kernels to profile next, and what to type for it.

use super::forecast::{TargetForecast, total_of};
use super::group_forecast::{ForecastBasis, TimeRange};
use super::recorded::Application;
use std::collections::BTreeSet;

/// A group whose profiling would narrow the total most.
#[derive(Debug, Clone, PartialEq)]
pub struct ProfileNext {
    /// Its place among the groups.
    pub group: usize,
    /// Half-width of the total of kernels now and with counters of this group, in percent of the total.
    pub half_width_percent: [f64; 2],
    /// What to type before the program.
    pub command: String,
}

/// With counters of a profiler an interval is about this wide, in ln: `roofswap evaluate` on the shipped figures, whose kernels are
/// all counted, gives intervals whose ends are a factor of 1.88 apart.
const PROFILED_HALF_WIDTH: f64 = 0.3;

/// So many groups are tried. They come the longest first: none behind these has more than 1 % of the recorded time.
const TRIED: usize = 100;

/// The groups whose profiling would narrow the total on this target most, at most `most` of them.
#[must_use]
pub fn profile_next(application: &Application, forecast: &TargetForecast, most: usize) -> Vec<ProfileNext> {
    let now = forecast.kernels.half_width();
    let mut groups = forecast.groups.clone();
    let mut narrowed = |place: usize| {
        let time = forecast.groups[place].time;
        let half = time.half_width().min(PROFILED_HALF_WIDTH);
        groups[place].time =
            TimeRange { low: time.value * (-half).exp(), high: time.value * half.exp(), ..time };
        let total = total_of(&application.groups, &groups);
        groups[place].time = time;
        total.half_width()
    };
    let mut all: Vec<(usize, f64)> = (0..forecast.groups.len().min(TRIED))
        .filter(|at| forecast.groups[*at].basis != ForecastBasis::Unchanged)
        .filter(|at| application.groups[*at].profiled.is_none_or(|row| !row.is_fully_counted))
        .map(|at| (at, narrowed(at)))
        .collect();
    all.sort_by(|a, b| a.1.total_cmp(&b.1));
    let mut seen = BTreeSet::new();
    let useful = all.into_iter().filter(|(_, half)| *half < 0.999 * now);
    let named = useful.filter_map(|(group, half)| {
        let command = ncu_command(&application.groups[group].name);
        seen.insert(command.clone()).then_some(ProfileNext {
            group,
            half_width_percent: [now, half].map(|h| 100.0 * (h.exp() - 1.0)),
            command,
        })
    });
    named.take(most).collect()
}

/// `ncu --set full --kernel-name regex:^name$ --launch-count 3 -o profile`, by the function's name without namespace and arguments.
fn ncu_command(name: &str) -> String {
    let short = crate::kernel::short_name(name);
    let function = short.rsplit("::").next().unwrap_or(&short);
    let plain: String = function
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || c == '_' { c.to_string() } else { ".*".into() })
        .collect();
    format!("ncu --set full --kernel-name 'regex:^{plain}$' --launch-count 3 -o profile")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_names_the_function_alone() {
        let name = "void at::native::(anonymous namespace)::layer_norm_kernel<c10::BFloat16, float>(int)";
        assert!(ncu_command(name).contains("'regex:^layer_norm_kernel$'"), "{}", ncu_command(name));
        let odd = ncu_command("k'; rm -rf /; '");
        assert!(!odd.contains(';') && odd.matches('\'').count() == 2, "{odd}");
    }
}
