//! Which groups of kernels to profile next, and what to type for it.

use super::category::KernelCategory;
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
        .filter(|at| {
            !matches!(forecast.groups[*at].basis, ForecastBasis::Unchanged | ForecastBasis::CannotStart)
        })
        .filter(|at| application.groups[*at].category != KernelCategory::Graph)
        .filter(|at| application.groups[*at].profiled.is_none_or(|row| !row.is_fully_counted))
        .map(|at| (at, narrowed(at)))
        .collect();
    all.sort_by(|a, b| a.1.total_cmp(&b.1));
    let names: Vec<&str> = application.groups.iter().map(|group| &*group.name).collect();
    let mut seen = BTreeSet::new();
    let useful = all.into_iter().filter(|(_, half)| *half < 0.999 * now);
    let named = useful.filter_map(|(group, half)| {
        let command = ncu_command(&application.groups[group].name, &names);
        seen.insert(command.clone()).then_some(ProfileNext {
            group,
            half_width_percent: [now, half].map(|h| 100.0 * (h.exp() - 1.0)),
            command,
        })
    });
    named.take(most).collect()
}

/// Words of many kernels of PyTorch, whether or not a recording has those: the frame around what an element-wise kernel computes.
const SHARED_WORDS: [&str; 12] = [
    "TensorIteratorBase",
    "TensorIterator",
    "gpu_kernel_impl_nocast",
    "gpu_kernel_impl",
    "vectorized_elementwise_kernel",
    "unrolled_elementwise_kernel",
    "elementwise_kernel",
    "elementwise_kernel_with_index",
    "operator",
    "instance",
    "BFloat16",
    "lambda",
];

/// `ncu --set full --kernel-name regex:^name$ --launch-count 3 -o profile`, by the function's name without namespace and arguments; by a
/// word that only its full name has where `others` are of the same function.
fn ncu_command(name: &str, others: &[&str]) -> String {
    let function = function_of(name);
    let is_of_function = |other: &&str| *other != name && function_of(other) == function;
    let alike: Vec<&str> = others.iter().copied().filter(is_of_function).collect();
    let is_own =
        |word: &&str| !SHARED_WORDS.contains(word) && !alike.iter().any(|other| other.contains(word));
    let own_word = words_of(name).filter(is_own);
    let named = match own_word.max_by_key(|word| word.len()).filter(|_| !alike.is_empty()) {
        Some(word) => format!("--kernel-name-base demangled --kernel-name 'regex:{word}'"),
        None => format!("--kernel-name 'regex:{}$'", pattern_of(&function)),
    };
    format!("ncu --set full {named} --launch-count 3 -o profile")
}

/// The function's name without namespace and arguments; the end of one that was cut in its middle.
fn function_of(name: &str) -> String {
    // Not as a label: those are cut in their middle, in the midst of a word.
    let bare = crate::kernel::short_name_within(name, usize::MAX);
    bare.rsplit("::").next().unwrap_or(&bare).to_string()
}

fn pattern_of(function: &str) -> String {
    if let Some((_, end)) = function.rsplit_once('…') {
        return words_of(end).last().unwrap_or_default().to_string();
    }
    let any = |c: char| if is_of_word(c) { c.to_string() } else { ".*".into() };
    format!("^{}", function.chars().map(any).collect::<String>())
}

fn words_of(name: &str) -> impl Iterator<Item = &str> {
    name.split(|c: char| !is_of_word(c)).filter(|word| !word.is_empty())
}

fn is_of_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_names_the_function_alone() {
        let name = "void at::native::(anonymous namespace)::layer_norm_kernel<c10::BFloat16, float>(int)";
        let command = ncu_command(name, &[name]);
        assert!(command.contains("--kernel-name 'regex:^layer_norm_kernel$'"), "{command}");
        let cut = ncu_command("at::native::(anonymous n…rized_layer_norm_kernel", &[]);
        assert!(cut.contains("'regex:rized_layer_norm_kernel$'"), "{cut}");
        let of_tiles =
            ["64x3_tn", "32x1_tn"].map(|tile| format!("void cutlass::Kernel2<cutlass_80_{tile}>(P)"));
        let one_of_two = ncu_command(&of_tiles[0], &of_tiles.each_ref().map(String::as_str));
        assert!(one_of_two.contains("demangled --kernel-name 'regex:cutlass_80_64x3_tn'"), "{one_of_two}");
        let odd = ncu_command("k'; rm -rf /; '", &[]);
        assert!(!odd.contains(';') && odd.matches('\'').count() == 2, "{odd}");
    }
}
