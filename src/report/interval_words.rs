//! Where an interval comes from, in words: the same for the command line and for the dashboard.

use super::shown;
use crate::answer::{Answer, COVERAGE, Interval};
use crate::kernel::Count;
use crate::predict::{Caution, Doubt};
use crate::units::{significant, with_thousands};

/// Where the interval comes from and why it is as wide as it is; nothing where there is none.
#[must_use]
pub fn interval(answer: &Answer) -> Option<String> {
    let i = answer.interval.as_ref()?;
    if i.is_of_measurement() {
        let measured = of_measurement(answer);
        let trials = || {
            let (part, range) = (100.0 * COVERAGE, shown::interval(answer)?);
            Some(format!("{measured}; {part:.0} % of its trials are {range}"))
        };
        return if i.factor == 1.0 { Some(measured.into()) } else { trials() };
    }
    if i.is_cut {
        return Some(format!(
            "{:.0} % interval {}: limited to the ratios of the rates that differ between the two boards, plus 10 % for clock variation",
            100.0 * COVERAGE,
            shown::interval(answer)?
        ));
    }
    if let Some(doubt) = i.doubt {
        return of_families(answer, i, &doubt);
    }
    let why = if i.widened { ", widened because the source time is an estimate" } else { "" };
    let new = i.held_for_new_gpus.map_or_else(String::new, |share| {
        format!(
            "; this GPU is in none of them: for a GPU left out, such intervals held {:.0} % of the times",
            100.0 * share
        )
    });
    Some(format!(
        "{:.0} % interval {} (a factor of {} either way): from {} errors of this model on the published figures of other kernels{why}{new}",
        100.0 * COVERAGE,
        shown::interval(answer)?,
        significant(i.factor),
        with_thousands(i.n)
    ))
}

/// What was measured where the interval is that of a measurement.
fn of_measurement(answer: &Answer) -> &'static str {
    let cautions = answer.prediction.iter().flat_map(|prediction| &prediction.cautions);
    let is_made = cautions.into_iter().any(|caution| matches!(caution, Caution::HypotheticalGpu { .. }));
    if is_made && answer.measured.is_none() {
        "measured on the board without these changes, which the kernel does not use"
    } else {
        "measured on this GPU at these settings: nothing is predicted"
    }
}

/// Why an interval is wide where nothing but a time is known.
const NO_COUNTS: &str = "no counts were given: FLOPs and DRAM bytes, or a profiler's report, narrow it";

/// The same for an interval that is scaled with the answer's own doubt.
fn of_families(answer: &Answer, i: &Interval, doubt: &Doubt) -> Option<String> {
    let mut why: Vec<&str> = Vec::new();
    if answer.is_estimate() && answer.is_without_source {
        why.push("no measurement of the kernel");
    } else if answer.is_estimate() {
        why.push("no measurement of the kernel on the source");
    } else {
        why.extend(i.widened.then_some("the measured time is scaled from other sizes"));
        let is_counted = Count::ALL.into_iter().any(|count| answer.work.get(count).is_some());
        why.extend(if is_counted { doubt.reason() } else { Some(NO_COUNTS) });
    }
    let why = if why.is_empty() {
        "no cause widens it".to_string()
    } else {
        format!("wider because {}", why.join("; "))
    };
    Some(format!(
        "{:.0} % interval {} ({}): from {} held-out errors on other kernels; {why}",
        100.0 * COVERAGE,
        shown::interval(answer)?,
        ends(i, doubt),
        with_thousands(i.n)
    ))
}

/// How far the ends of an interval are from its time, and what ends it before.
fn ends(i: &Interval, doubt: &Doubt) -> String {
    let factor = significant(i.factor);
    let [least, most] = doubt.by_rates;
    let low = match doubt.shortest.max(least) {
        share if share <= 1.0 / i.factor => None,
        _ if doubt.shortest >= least => Some("its low end is its FLOPs or DRAM bytes at the stated rates"),
        _ => Some("its low end is 1.6× beyond the rate that grew most"),
    };
    let high = (most < i.factor).then_some("its high end is 1.6× beyond the rate that fell most");
    let ends: Vec<&str> = low.into_iter().chain(high).collect();
    match ends[..] {
        [] => format!("a factor of {factor} either way"),
        _ => format!("at most a factor of {factor} either way; {}", ends.join("; ")),
    }
}
