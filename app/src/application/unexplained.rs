//! Kernel time that no model predicts, or that no count explains, in words.

use super::group::KernelGroup;
use super::group_forecast::{COMMUNICATION_WITHIN, ForecastBasis, GroupForecast};
use super::table::percent;
use crate::text::counted;

/// Less of the kernel time than this is not worth a line.
const SAID_OF_SHARE: f64 = 0.05;

/// Groups without a prediction for one reason, whatever the numbers in it.
struct UnpredictedGroups {
    basis: ForecastBasis,
    whys: Vec<String>,
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
        "{} of kernel time is far below its roof ({} most): more of its limit gains little; a trace has no counters that say why: profile it with ncu",
        percent(100.0 * share),
        largest.label
    );
    (share >= SAID_OF_SHARE).then_some(text)
}

/// The shares of kernel time that no model predicts, and why: the largest first, before them what cannot start there.
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
        let is_alike =
            |known: &&mut UnpredictedGroups| without_numbers(&known.whys[0]) == without_numbers(&why);
        match all.iter_mut().find(is_alike) {
            Some(known) => {
                (known.share, known.groups) = (known.share + group.share, known.groups + 1);
                known.whys.push(why);
            }
            None => all.push(UnpredictedGroups { basis, whys: vec![why], share: group.share, groups: 1 }),
        }
    }
    let starts = |of: &UnpredictedGroups| of.basis != ForecastBasis::CannotStart;
    all.sort_by(|a, b| starts(a).cmp(&starts(b)).then(b.share.total_cmp(&a.share)));
    let text = |of: &UnpredictedGroups| {
        format!(
            "{} of kernel time ({}) is {}",
            percent(100.0 * of.share),
            counted(of.groups, "group"),
            with_ranges(&of.whys)
        )
    };
    all.iter().map(text).collect()
}

/// The whole number that a word of a reason is.
fn number_of(word: &str) -> Option<u64> {
    word.trim_end_matches(',').parse().ok()
}

/// A reason with a sign in the place of each number.
fn without_numbers(why: &str) -> String {
    let words = why.split(' ').map(|word| if number_of(word).is_some() { "#" } else { word });
    words.collect::<Vec<_>>().join(" ")
}

/// `cannot launch: 49152 to 98304 bytes of shared memory per block`: reasons that differ in their numbers alone, as one.
fn with_ranges(whys: &[String]) -> String {
    let words: Vec<Vec<&str>> = whys.iter().map(|why| why.split(' ').collect()).collect();
    let range = |at: usize| {
        let least = words.iter().map(|words| words[at]).min_by_key(|word| number_of(word));
        let most = words.iter().map(|words| words[at]).max_by_key(|word| number_of(word));
        match least.and_then(number_of).filter(|least| most.and_then(number_of) != Some(*least)) {
            Some(least) => format!("{least} to {}", most.unwrap_or_default()),
            None => words[0][at].to_string(),
        }
    };
    (0..words[0].len()).map(range).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_that_differ_in_their_numbers_are_one() {
        let why =
            |needed: u32| format!("cannot launch: {needed} bytes of shared memory per block, at most 65536");
        assert_eq!(without_numbers(&why(98_304)), without_numbers(&why(70_000)));
        assert_eq!(
            with_ranges(&[why(98_304), why(70_000), why(98_304)]),
            "cannot launch: 70000 to 98304 bytes of shared memory per block, at most 65536"
        );
        assert_eq!(with_ranges(&[why(98_304), why(98_304)]), why(98_304));
        assert_ne!(without_numbers("code for sm_80"), without_numbers("code for sm_90"));
    }
}
