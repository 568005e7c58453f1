//! Ranges that somebody marked, and the step that an application repeats.

use super::timeline::Activity;
use super::trace::{RecordedTrace, Span};
use crate::stats::{median, sample_deviation};
use crate::text::{clipped_text, first_names};
use std::collections::BTreeMap;

/// The most ranges that an application lists.
const LISTED: usize = 200;

/// How many ranges a message names.
const NAMED: usize = 6;

/// The fewest repetitions that are called a step.
const FEWEST: usize = 3;

/// Ranges of one name.
#[derive(Debug, Clone, PartialEq)]
pub struct RangeTotal {
    /// Their text, without the number that counts them: `ProfilerStep#`.
    pub name: String,
    /// How many there are.
    pub count: usize,
    /// Median length in nanoseconds.
    pub median: i64,
}

/// What an application does again and again.
#[derive(Debug, Clone, PartialEq)]
pub struct RepeatedStep {
    /// The range that marks it; `None` where it was found in the order of the kernels.
    pub name: Option<String>,
    /// Repetitions.
    pub count: usize,
    /// Median length in nanoseconds, from start to start.
    pub median: f64,
    /// Standard deviation over repetitions, as a share of the median.
    pub spread: f64,
    /// The repetition of median length.
    pub typical: Span,
}

/// A name without the number that counts its repetitions: `ProfilerStep#6`, `step 12`, `aten::add, op_id = 3`.
#[must_use]
pub fn counted_name(name: &str) -> &str {
    let name = name.split_once(", op_id").or_else(|| name.split_once(", seq")).map_or(name, |(head, _)| head);
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit());
    if bare.is_empty() { name } else { bare.trim_end_matches([' ', '_', ':']) }
}

/// The ranges of a trace by name, the longest first.
#[must_use]
pub fn range_totals(trace: &RecordedTrace) -> Vec<RangeTotal> {
    let mut by_name: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for range in &trace.ranges {
        let name = counted_name(trace.names.text(range.name));
        by_name.entry(name).or_default().push(range.span.nanoseconds() as f64);
    }
    let mut all: Vec<RangeTotal> = by_name
        .into_iter()
        .map(|(name, mut lengths)| RangeTotal {
            name: name.to_string(),
            count: lengths.len(),
            median: median(&mut lengths).unwrap_or(0.0) as i64,
        })
        .collect();
    all.sort_by_key(|r| std::cmp::Reverse(r.median.saturating_mul(r.count as i64)));
    all.truncate(LISTED);
    all
}

/// A part of a trace that somebody asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChosenPart {
    /// From when to when.
    pub span: Span,
    /// Whether these are times of the GPU, as those of a step that was found in the order of kernels: the host may have launched its
    /// kernels long before. Those of a marked range are the host's.
    pub is_on_gpu: bool,
}

/// The part that the user asked for: `NAME` (whole or without its number; of several the one of median length), `NAME:3` (the
/// third), or `step`, the detected one.
///
/// # Errors
/// What to type instead.
pub fn chosen_part(
    trace: &RecordedTrace,
    step: Option<&RepeatedStep>,
    asked: &str,
) -> Result<ChosenPart, String> {
    if asked.eq_ignore_ascii_case("step") {
        let found = step.map(|s| ChosenPart { span: s.typical, is_on_gpu: s.name.is_none() });
        // Ranges that are named so need not repeat as a step does.
        let marked = || marked_span(trace, asked).ok().map(|span| ChosenPart { span, is_on_gpu: false });
        return found.or_else(marked).ok_or_else(|| {
            let names = range_names(trace);
            let or = if names.is_empty() { String::new() } else { format!(", or name a range: {names}") };
            format!("{asked}: no repeating step was found; leave out --range for the whole window{or}")
        });
    }
    Ok(ChosenPart { span: marked_span(trace, asked)?, is_on_gpu: false })
}

fn marked_span(trace: &RecordedTrace, asked: &str) -> Result<Span, String> {
    let matching = |name: &str| -> Vec<Span> {
        let is_it = |text: &str| {
            text == name || counted_name(text) == name || counted_name(text).trim_end_matches('#') == name
        };
        trace.ranges.iter().filter(|r| is_it(trace.names.text(r.name))).map(|r| r.span).collect()
    };
    let mut all = matching(asked);
    if all.is_empty()
        && let Some((name, number)) = asked.rsplit_once(':')
        && let Ok(number) = number.parse::<usize>()
    {
        all = matching(name);
        if all.is_empty() {
            return Err(unknown_range(trace, asked));
        }
        all.sort_unstable();
        let count = all.len();
        let found = number.checked_sub(1).and_then(|at| all.get(at)).copied();
        return found.ok_or_else(|| format!("`{name}` has {count} ranges: give a number from 1 to {count}"));
    }
    all.sort_by_key(|s| s.nanoseconds());
    all.get(all.len() / 2).copied().ok_or_else(|| unknown_range(trace, asked))
}

fn unknown_range(trace: &RecordedTrace, asked: &str) -> String {
    let known = range_names(trace);
    let asked = clipped_text(asked, 40);
    if known.is_empty() {
        format!("`{asked}`: the trace has no ranges; mark them with NVTX or torch.profiler.record_function")
    } else {
        format!("`{asked}`: no such range; there are {known}")
    }
}

/// The names of a trace's ranges, the longest first; empty where it has none.
fn range_names(trace: &RecordedTrace) -> String {
    let names: Vec<String> = range_totals(trace).into_iter().map(|range| range.name).collect();
    first_names(&names, NAMED)
}

/// The step that repeats: marked by ranges that cover most of the window without overlapping, else by the order of kernels.
#[must_use]
pub fn find_step(
    trace: &RecordedTrace,
    activities: &[Activity],
    order: &[usize],
    window: Span,
) -> Option<RepeatedStep> {
    marked_step(trace, window).or_else(|| unmarked_step(activities, order))
}

fn marked_step(trace: &RecordedTrace, window: Span) -> Option<RepeatedStep> {
    let mut by_name: BTreeMap<(&str, u64), Vec<Span>> = BTreeMap::new();
    for range in &trace.ranges {
        let name = counted_name(trace.names.text(range.name));
        by_name.entry((name, range.thread)).or_default().push(range.span);
    }
    let mut best: Option<(i64, RepeatedStep)> = None;
    for ((name, _), mut spans) in by_name {
        spans.sort_unstable();
        let apart = spans.windows(2).all(|w| w[0].end <= w[1].start);
        let inside = spans.iter().filter_map(|s| s.overlap(window)).map(Span::nanoseconds);
        let covered = inside.fold(0, i64::saturating_add);
        if spans.len() < FEWEST || !apart || covered < window.nanoseconds() / 2 {
            continue;
        }
        if best.as_ref().is_none_or(|(most, _)| covered > *most) {
            best = step_of(&spans, Some(name.to_string())).map(|step| (covered, step));
        }
    }
    best.map(|(_, step)| step)
}

/// A step of these repetitions, in order: from start to start, the last by its own length.
fn step_of(spans: &[Span], name: Option<String>) -> Option<RepeatedStep> {
    let lengths: Vec<f64> = spans.windows(2).map(|w| (w[1].start - w[0].start) as f64).collect();
    let typical_length = median(&mut lengths.clone())?;
    let nearest = |i: &usize| (lengths[*i] - typical_length).abs();
    let at = (0..lengths.len()).min_by(|a, b| nearest(a).total_cmp(&nearest(b)))?;
    let typical = Span { start: spans[at].start, end: spans[at + 1].start };
    let spread = sample_deviation(&lengths).unwrap_or(0.0) / typical_length.max(1.0);
    Some(RepeatedStep { name, count: spans.len(), median: typical_length, spread, typical })
}

/// A period in the order of kernels: the shortest distance between launches of the rarest repeated kernel after which at
/// least 95 % of kernels come again.
fn unmarked_step(activities: &[Activity], order: &[usize]) -> Option<RepeatedStep> {
    let mut places: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, group) in order.iter().enumerate() {
        places.entry(*group).or_default().push(at);
    }
    let rarest = places.values().filter(|p| p.len() >= FEWEST).min_by_key(|p| p.len())?;
    let period = rarest.windows(2).map(|w| w[1] - w[0]).min().filter(|p| *p > 1)?;
    let same = order.iter().zip(order.get(period..)?).filter(|(a, b)| a == b).count();
    let compared = order.len() - period;
    if compared < (FEWEST - 1) * period || (same as f64) < 0.95 * compared as f64 {
        return None;
    }
    let starts: Vec<Span> =
        rarest.iter().map(|at| activities.get(*at).map(|a| a.span)).collect::<Option<_>>()?;
    step_of(&starts, None)
}

#[cfg(test)]
mod tests {
    use super::super::timeline::ActivityKind;
    use super::super::trace::{TraceFormat, TracedRange};
    use super::*;

    fn marked(name: impl Fn(usize) -> String, spans: &[(i64, i64)]) -> RecordedTrace {
        let mut trace = RecordedTrace::empty("t", TraceFormat::Nsys);
        for (i, (start, end)) in spans.iter().enumerate() {
            let name = trace.names.id_of(&name(i));
            trace.ranges.push(TracedRange { name, thread: 1, span: Span { start: *start, end: *end } });
        }
        trace
    }

    #[test]
    fn numbers_that_count_are_no_part_of_a_name() {
        for (name, bare) in [
            ("ProfilerStep#6", "ProfilerStep#"),
            ("step 12", "step"),
            ("12", "12"),
            ("aten::add, op_id = 4", "aten::add"),
            ("forward", "forward"),
        ] {
            assert_eq!(counted_name(name), bare);
        }
    }

    #[test]
    fn a_marked_step_is_found_and_chosen() {
        let trace = marked(|i| format!("step {i}"), &[(0, 90), (100, 190), (200, 290), (310, 400)]);
        let step = find_step(&trace, &[], &[], Span { start: 0, end: 400 }).unwrap();
        assert_eq!((step.count, step.name.as_deref(), step.median), (4, Some("step"), 100.0));
        assert!(step.spread > 0.0 && step.spread < 0.1);
        let span = |asked: &str| chosen_part(&trace, Some(&step), asked).map(|part| part.span);
        assert_eq!(span("step 3"), Ok(Span { start: 310, end: 400 }));
        assert_eq!(span("step:2"), Ok(Span { start: 100, end: 190 }));
        assert!(span("step:9").unwrap_err().contains("from 1 to 4"));
        assert!(span("other").unwrap_err().contains("there are step"), "{:?}", span("other"));
        let unmarked = |trace: &RecordedTrace| chosen_part(trace, None, "step").unwrap_err();
        let why = "step: no repeating step was found; leave out --range for the whole window";
        assert_eq!(unmarked(&RecordedTrace::empty("t", TraceFormat::Nsys)), why);
        let forward = marked(|_| "forward".into(), &[(0, 90), (10, 20)]);
        assert_eq!(unmarked(&forward), format!("{why}, or name a range: forward"));
    }

    #[test]
    fn an_unmarked_step_is_found_in_the_order_of_kernels() {
        let order: Vec<usize> = (0..40).map(|i| [0, 1, 1, 2][i % 4]).collect();
        let activity = |i: usize| Activity {
            kind: ActivityKind::Kernel(order[i]),
            stream: 0,
            span: Span { start: 10 * i as i64, end: 10 * i as i64 + 5 },
            call: None,
        };
        let all: Vec<Activity> = (0..40).map(activity).collect();
        let step = unmarked_step(&all, &order).unwrap();
        assert_eq!((step.count, step.median, step.spread), (10, 40.0, 0.0));
        let mixed: Vec<usize> = (0..40usize).map(|i| (i.wrapping_mul(2_654_435_761) >> 7) % 5).collect();
        assert!(unmarked_step(&all, &mixed).is_none());
    }
}
