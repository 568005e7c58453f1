//! The time line of a trace with other kernel times: what the host launched, in its order, on a GPU whose kernels take
//! longer or shorter.
//!
//! | event | when it happens in the replay |
//! |---|---|
//! | the host reaches a call | its last event on the same thread, plus the recorded time since, times the host factor |
//! | a call that waited for the GPU ends | not before what it waited for has ended, plus the recorded rest |
//! | a kernel or copy starts | after the last activity that had ended before it (plus the recorded gap), after the one before it on its stream, and after its call (plus the recorded latency), whichever is last |
//! | a kernel starts beside one of another stream that ends before it | not before so much of that is left as they shared of the GPU: of neither a larger part runs beside the other than was recorded |
//!
//! Where another of the three is last than in the trace, the typical gap or latency of the trace takes the place of the
//! recorded one, if it is shorter. With the recorded times and a host factor of 1 the trace comes out again, exactly. Not
//! modelled: a full launch queue that stops the host, and events between streams beyond the order they were seen in.

use super::recorded::Application;
use super::timeline::{Activity, ActivityKind, Timeline};
use super::trace::{CallKind, RuntimeCall, Span};
use std::collections::HashMap;

/// A latency longer than this is no launch: 1 ms.
const LONGEST_LATENCY: f64 = 1e6;

/// Fewer than these are not typical.
const FEWEST: usize = 5;

/// The gap between queued launches where a trace has too few: the median is 1.2 to 1.4 µs in three traces of H100s.
const USUAL_GAP: f64 = 1300.0;

/// The part of the shorter one that two activities of one stream run beside each other at most, where one still waits for the other.
const MOST_BESIDE: f64 = 0.25;

/// From a call to its kernel on an idle GPU where a trace has too few: the lower quartile is 6.0 to 7.5 µs in three traces of
/// H100s.
const USUAL_LATENCY: f64 = 6000.0;

/// What N replays at once are given: the time of every activity as a factor of the recorded one, and of the host.
pub(super) struct Speeds<'a, const N: usize> {
    /// By group of kernels.
    pub(super) kernels: &'a [f64],
    /// By place among the totals of copies.
    pub(super) copies: &'a [f64],
    /// Of everything on the host.
    pub(super) host: f64,
    /// By replay: of all kernels on top.
    pub(super) scales: [f64; N],
}

/// What comes of N replays.
pub(super) struct SeveralReplays<const N: usize> {
    /// The first.
    pub(super) first: Replayed,
    /// [`Replayed::wall`] of all.
    pub(super) walls: [f64; N],
}

/// What comes of a replay; nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Replayed {
    /// The window as a whole.
    pub wall: f64,
    /// What the GPU did with it.
    pub timeline: Timeline,
}

/// A trace made ready: what follows what.
pub(super) struct Replay<'a> {
    application: &'a Application,
    window: Span,
    steps: Vec<ReplayStep>,
    /// For every activity what it waits for.
    waits: Vec<ActivityWaits>,
    threads: usize,
    /// Place of each call's thread.
    thread_of: Vec<usize>,
    /// What lay before the first activity and behind the last, in nanoseconds.
    lead: f64,
    tail: f64,
}

/// Starts and ends of everything in N replays; nanoseconds. Kept from one to the next for its memory alone.
#[derive(Default)]
pub(super) struct ReplayTimes<const N: usize> {
    activities: [Vec<[f64; N]>; 2],
    calls: [Vec<[f64; N]>; 2],
}

impl<const N: usize> ReplayTimes<N> {
    /// Room for so many activities and calls.
    fn make_room(&mut self, activities: usize, calls: usize) {
        self.activities.iter_mut().for_each(|all| all.resize(activities, [0.0; N]));
        self.calls.iter_mut().for_each(|all| all.resize(calls, [0.0; N]));
    }
}

/// The window of a replay; nanoseconds.
#[derive(Clone, Copy)]
struct MovedWindow {
    wall: f64,
    /// When its first activity starts.
    begin: f64,
    /// What lies before that.
    lead: f64,
}

/// What an activity waits for, with the delay behind each; nanoseconds.
#[derive(Debug, Clone, Copy, Default)]
struct ActivityWaits {
    /// The last activity that had ended before it started.
    ended: Option<(usize, f64)>,
    /// The one before it on its stream, and for how long it ran beside that.
    stream: Option<(usize, f64)>,
    /// A kernel that still ran when this one started and ended before it, and for how long both ran.
    shared: Option<(usize, f64)>,
    /// Its call.
    call: Option<(usize, f64)>,
}

/// One thing after the other, in the order of the trace.
#[derive(Debug, Clone, Copy)]
enum ReplayStep {
    CallStarts(usize),
    Starts(usize),
    /// A call ends; what it waited for, and how long it took beyond.
    CallEnds(usize, Option<(usize, f64)>),
}

impl<'a> Replay<'a> {
    /// `None` for an application without a time line.
    pub(super) fn new(application: &'a Application) -> Option<Self> {
        let window = application.timeline?.window;
        let (activities, calls) = (&application.activities, &application.calls);
        let by_end = sorted_by_end(activities);
        let mut places: HashMap<u64, usize> = HashMap::new();
        let thread_of = calls
            .iter()
            .map(|c| {
                let next = places.len();
                *places.entry(c.thread).or_insert(next)
            })
            .collect();
        let first = activities.iter().map(|a| a.span.start).min().unwrap_or(window.start);
        let last = activities.iter().map(|a| a.span.end).max().unwrap_or(window.end);
        Some(Self {
            lead: (first - window.start).max(0) as f64,
            tail: (window.end - last).max(0) as f64,
            application,
            window,
            steps: steps_of(activities, calls, &by_end),
            waits: waits_of(activities, calls, &by_end),
            threads: places.len(),
            thread_of,
        })
    }

    /// The time line at these speeds.
    pub(super) fn run<const N: usize>(
        &self,
        speeds: &Speeds<'_, N>,
        times: &mut ReplayTimes<N>,
    ) -> SeveralReplays<N> {
        self.set_times(speeds, times);
        let windows: [MovedWindow; N] =
            std::array::from_fn(|lane| self.moved_window(times, lane, speeds.host));
        SeveralReplays { first: self.gathered(&windows[0], times), walls: windows.map(|w| w.wall) }
    }

    /// When everything happens at these speeds.
    fn set_times<const N: usize>(&self, speeds: &Speeds<'_, N>, times: &mut ReplayTimes<N>) {
        let (activities, calls) = (&self.application.activities, &self.application.calls);
        times.make_room(activities.len(), calls.len());
        let ReplayTimes { activities: [starts, ends], calls: [call_starts, call_ends] } = times;
        let origin = self.window.start;
        let recorded = |at: i64| (at - origin) as f64;
        // The last event of each thread: when it was recorded, and when it happens now.
        let mut anchors: Vec<Option<(f64, [f64; N])>> = vec![None; self.threads];
        for step in &self.steps {
            match *step {
                ReplayStep::CallStarts(at) => {
                    let anchor = &mut anchors[self.thread_of[at]];
                    let start = recorded(calls[at].span.start);
                    let now = advanced(*anchor, start, speeds.host);
                    *anchor = Some((start, now));
                    call_starts[at] = now;
                }
                ReplayStep::CallEnds(at, waited) => {
                    let anchor = &mut anchors[self.thread_of[at]];
                    let end = recorded(calls[at].span.end);
                    let now = match waited {
                        Some((activity, rest)) => later(later_by(ends[activity], rest), call_starts[at]),
                        None => advanced(*anchor, end, speeds.host),
                    };
                    *anchor = Some((end, now));
                    call_ends[at] = now;
                }
                ReplayStep::Starts(at) => {
                    let waits = &self.waits[at];
                    let factors = speeds.factors(activities[at].kind);
                    let after = [
                        waits.shared.map(|(a, both)| {
                            let beside = speeds.factors(activities[a].kind);
                            std::array::from_fn(|lane| ends[a][lane] - both * beside[lane].min(factors[lane]))
                        }),
                        waits.ended.map(|(a, gap)| later_by(ends[a], gap)),
                        waits.stream.map(|(a, beside)| later_by(ends[a], -beside)),
                        waits.call.map(|(c, latency)| later_by(call_starts[c], latency)),
                    ];
                    let latest = after.into_iter().flatten().reduce(later);
                    let span = activities[at].span;
                    starts[at] = latest.unwrap_or_else(|| [recorded(span.start); N]);
                    let took = span.nanoseconds() as f64;
                    ends[at] = std::array::from_fn(|lane| starts[at][lane] + took * factors[lane]);
                }
            }
        }
    }

    /// The replayed window: what lay before the first activity and behind the last is the host's.
    fn moved_window<const N: usize>(&self, times: &ReplayTimes<N>, lane: usize, host: f64) -> MovedWindow {
        let [starts, ends] = &times.activities;
        let begin = starts.iter().map(|at| at[lane]).fold(f64::INFINITY, f64::min);
        let end = ends.iter().map(|at| at[lane]).fold(f64::NEG_INFINITY, f64::max);
        let busy_part = if begin.is_finite() { end - begin } else { 0.0 };
        let lead = self.lead * host;
        MovedWindow { wall: lead + busy_part + self.tail * host, begin, lead }
    }

    /// The first replay.
    fn gathered<const N: usize>(&self, moved_window: &MovedWindow, times: &ReplayTimes<N>) -> Replayed {
        let (activities, calls) = (&self.application.activities, &self.application.calls);
        let MovedWindow { wall, begin, lead } = *moved_window;
        let whole = |at: f64| (at - begin + lead).round() as i64;
        let moved = |[starts, ends]: &[Vec<[f64; N]>; 2], at: usize| Span {
            start: whole(starts[at][0]),
            end: whole(ends[at][0]).max(whole(starts[at][0])),
        };
        let mut line: Vec<Activity> = activities
            .iter()
            .enumerate()
            .map(|(at, a)| Activity { span: moved(&times.activities, at), ..*a })
            .collect();
        line.sort_by_key(|a| a.span);
        let host_calls: Vec<RuntimeCall> = calls
            .iter()
            .enumerate()
            .map(|(at, c)| RuntimeCall { span: moved(&times.calls, at), ..*c })
            .collect();
        let window = Span { start: 0, end: wall.round() as i64 };
        Replayed { wall, timeline: Timeline::new(&line, &host_calls, window) }
    }
}

impl<const N: usize> Speeds<'_, N> {
    /// Of an activity of this kind, by replay.
    fn factors(&self, kind: ActivityKind) -> [f64; N] {
        match kind {
            ActivityKind::Kernel(group) => match self.kernels.get(group) {
                Some(factor) => self.scales.map(|scale| factor * scale),
                None => [1.0; N],
            },
            ActivityKind::Copy(place) => [self.copies.get(place).copied().unwrap_or(1.0); N],
        }
    }
}

/// When a thread reaches an event that was recorded at `at`.
fn advanced<const N: usize>(anchor: Option<(f64, [f64; N])>, at: f64, host: f64) -> [f64; N] {
    match anchor {
        Some((recorded, now)) => later_by(now, (at - recorded) * host),
        None => [at * host; N],
    }
}

fn later_by<const N: usize>(times: [f64; N], by: f64) -> [f64; N] {
    times.map(|time| time + by)
}

/// The later of both, replay by replay.
fn later<const N: usize>(a: [f64; N], b: [f64; N]) -> [f64; N] {
    std::array::from_fn(|lane| a[lane].max(b[lane]))
}

/// Activities by their end: (end, place).
fn sorted_by_end(activities: &[Activity]) -> Vec<(i64, usize)> {
    let mut all: Vec<(i64, usize)> = activities.iter().enumerate().map(|(at, a)| (a.span.end, at)).collect();
    all.sort_unstable();
    all
}

/// The last activity that ended at this time or before.
fn last_ended(by_end: &[(i64, usize)], at: i64) -> Option<(i64, usize)> {
    by_end[..by_end.partition_point(|(end, _)| *end <= at)].last().copied()
}

/// Starts and ends of calls and starts of activities, in the order of the trace; at the same time, starts of calls come
/// first and ends last.
fn steps_of(activities: &[Activity], calls: &[RuntimeCall], by_end: &[(i64, usize)]) -> Vec<ReplayStep> {
    let mut all: Vec<(i64, u8, usize, ReplayStep)> = Vec::with_capacity(2 * calls.len() + activities.len());
    for (at, call) in calls.iter().enumerate() {
        all.push((call.span.start, 0, at, ReplayStep::CallStarts(at)));
        all.push((call.span.end, 2, at, ReplayStep::CallEnds(at, waited_for(call, by_end))));
    }
    for (at, activity) in activities.iter().enumerate() {
        all.push((activity.span.start, 1, at, ReplayStep::Starts(at)));
    }
    all.sort_by_key(|(time, rank, at, _)| (*time, *rank, *at));
    all.into_iter().map(|(.., step)| step).collect()
}

/// What a synchronisation waited for: the last activity that ended while it lasted. Activities that end before it began held
/// nobody up.
fn waited_for(call: &RuntimeCall, by_end: &[(i64, usize)]) -> Option<(usize, f64)> {
    if call.kind != CallKind::Synchronise {
        return None;
    }
    let (end, at) = last_ended(by_end, call.span.end)?;
    (end > call.span.start).then_some((at, (call.span.end - end) as f64))
}

fn waits_of(activities: &[Activity], calls: &[RuntimeCall], by_end: &[(i64, usize)]) -> Vec<ActivityWaits> {
    let (typical_gap, typical_latency) = typical_delays(activities, calls, by_end);
    let mut last_on_stream: HashMap<u32, usize> = HashMap::new();
    // Kernels that have started and not ended, the last started last.
    let mut running: Vec<usize> = Vec::new();
    let mut out = Vec::with_capacity(activities.len());
    for (at, activity) in activities.iter().enumerate() {
        let start = activity.span.start;
        // What ends where this starts may be itself, if it takes no time.
        let ended = last_ended(by_end, start).filter(|(_, other)| *other < at);
        let call = activity.call.map(|c| (c, calls[c])).filter(|(_, call)| call.span.start <= start);
        let is_queued = match (&call, ended) {
            (Some((_, call)), Some((end, _))) => call.queued_at() <= end,
            (None, _) => true,
            (Some(_), None) => false,
        };
        let delay = |exact: f64, typical: f64, binds: bool| if binds { exact } else { exact.min(typical) };
        let before = last_on_stream.insert(activity.stream, at);
        let stream = before.and_then(|b| Some((b, ran_beside(activities[b].span, activity.span)?)));
        running.retain(|other| activities[*other].span.end > start);
        let is_kernel = matches!(activity.kind, ActivityKind::Kernel(_));
        let ends_first = |other: &usize| activities[*other].span.end <= activity.span.end;
        let shared = running.iter().rev().copied().find(ends_first).filter(|_| is_kernel);
        if is_kernel {
            running.push(at);
        }
        out.push(ActivityWaits {
            ended: ended.map(|(end, other)| (other, delay((start - end) as f64, typical_gap, is_queued))),
            stream,
            shared: shared
                .filter(|other| stream.is_none_or(|(before, _)| before != *other))
                .map(|other| (other, (activities[other].span.end - start) as f64)),
            call: call.map(|(c, call)| {
                let latency = (start - call.span.start) as f64;
                (c, delay(latency, typical_latency, !is_queued || ended.is_none()))
            }),
        });
    }
    out
}

/// For how many nanoseconds an activity ran beside the one before it on its stream: a launch may begin while the last blocks of that end
/// (programmatic dependent launch). `None` where they ran at the same time for longer: whatever orders them, the stream does not.
fn ran_beside(before: Span, this: Span) -> Option<f64> {
    let beside = (before.end - this.start).max(0) as f64;
    let shorter = before.nanoseconds().min(this.nanoseconds()) as f64;
    (beside <= MOST_BESIDE * shorter).then_some(beside)
}

/// The median gap behind queued launches and the lower quartile from a call to its start where the GPU was idle;
/// nanoseconds. Where there are too few, what is usual.
fn typical_delays(activities: &[Activity], calls: &[RuntimeCall], by_end: &[(i64, usize)]) -> (f64, f64) {
    let (mut gaps, mut latencies) = (Vec::new(), Vec::new());
    for (at, activity) in activities.iter().enumerate() {
        let Some(call) = activity.call.map(|c| calls[c]) else { continue };
        let start = activity.span.start;
        match last_ended(by_end, start).filter(|(_, other)| *other < at) {
            Some((end, _)) if call.queued_at() <= end => gaps.push((start - end) as f64),
            _ if call.span.start <= start => latencies.push((start - call.span.start) as f64),
            _ => {}
        }
    }
    latencies.retain(|l| *l < LONGEST_LATENCY);
    let enough = |all: &[f64]| all.len() >= FEWEST;
    let gap = if enough(&gaps) { crate::stats::median(&mut gaps) } else { None };
    let latency = if enough(&latencies) { crate::stats::quantile(&mut latencies, 0.25) } else { None };
    let (gap, latency) = (gap.unwrap_or(USUAL_GAP), latency.unwrap_or(USUAL_LATENCY));
    (gap, latency)
}

#[cfg(test)]
mod tests {
    use super::super::recorded::{PartOfTrace, application_of};
    use super::super::trace::{NameId, RecordedTrace, TraceFormat, TracedKernel};
    use super::*;
    use proptest::prelude::*;

    /// A host that launches every `interval` µs, kernels of `time` µs each, and a synchronisation at the end.
    fn launched(interval: i64, times: &[i64]) -> Application {
        launched_behind(interval, times, 5000)
    }

    fn kernel_on(stream: u32, name: NameId, span: Span, correlation: u64) -> TracedKernel {
        TracedKernel {
            name,
            device: 0,
            stream,
            span,
            correlation,
            operator: None,
            block: [1; 3],
            grid: [1; 3],
            registers: None,
            shared_bytes: None,
        }
    }

    /// The same with so many nanoseconds between kernels that wait for each other.
    fn launched_behind(interval: i64, times: &[i64], gap: i64) -> Application {
        let mut trace = RecordedTrace::empty("t", TraceFormat::Nsys);
        let (mut free, name) = (0, trace.names.id_of("k"));
        for (i, time) in times.iter().enumerate() {
            let called = 1000 * i as i64 * interval;
            let start = (called + 50_000).max(free + gap);
            free = start + 1000 * time;
            let correlation = i as u64 + 1;
            let call = |kind, start, end, correlation| RuntimeCall {
                kind,
                thread: 1,
                span: Span { start, end },
                correlation,
            };
            trace.calls.push(call(CallKind::Other, called, called + 20_000, correlation));
            if i + 1 == times.len() {
                trace.calls.push(call(CallKind::Synchronise, called + 30_000, free + 10_000, 0));
            }
            trace.kernels.push(kernel_on(7, name, Span { start, end: free }, correlation));
        }
        application_of(&trace, &PartOfTrace::default()).unwrap()
    }

    fn wall(application: &Application, kernels: f64, host: f64) -> f64 {
        // Several at once are each the one alone.
        let alone = replayed(application, kernels, host);
        let speeds = Speeds { kernels: &[1.0], copies: &[], host, scales: [kernels, 2.0, kernels] };
        let several = Replay::new(application).unwrap().run(&speeds, &mut ReplayTimes::default());
        assert_eq!(several.walls, [alone.wall, replayed(application, 2.0, host).wall, alone.wall]);
        alone.wall
    }

    fn replayed(application: &Application, kernels: f64, host: f64) -> Replayed {
        let speeds = Speeds { kernels: &[kernels], copies: &[], host, scales: [1.0] };
        Replay::new(application).unwrap().run(&speeds, &mut ReplayTimes::default()).first
    }

    #[test]
    fn the_recorded_times_give_the_trace_again() {
        for (interval, time) in [(100, 30), (100, 300), (60, 60)] {
            let application = launched(interval, &[time; 20]);
            let line = application.timeline.unwrap();
            let replayed = replayed(&application, 1.0, 1.0);
            assert_eq!(replayed.wall, line.window.nanoseconds() as f64);
            assert_eq!((replayed.timeline.busy, replayed.timeline.idle), (line.busy, line.idle));
        }
    }

    #[test]
    fn a_host_that_is_slower_than_the_gpu_hides_faster_kernels() {
        let bound = launched(100, &[30; 20]);
        let same = wall(&bound, 1.0, 1.0);
        assert!((same - wall(&bound, 0.5, 1.0) - 15_000.0).abs() < 1e-6, "only the last kernel is shorter");
        assert!(wall(&bound, 1.0, 2.0) > 1.9 * same, "a slower host shows");
        // Twenty kernels of 60 behind each other: no longer hidden.
        assert!(wall(&bound, 10.0, 1.0) > 19.0 * 300_000.0);
        let busy = launched(10, &[300; 20]);
        assert!(wall(&busy, 0.5, 1.0) < 0.6 * wall(&busy, 1.0, 1.0), "a busy GPU does not");
        assert!(wall(&busy, 0.01, 1.0) >= 140_000.0, "the host is the limit then");
    }

    #[test]
    fn kernels_of_one_stream_that_overlap_a_little_wait_for_each_other() {
        // Of twenty kernels of 300 us, ten times as slow: one after the other but for what ran beside; at once where most of them did.
        for (gap, [least, most]) in [(-100, [59e6, 61e6]), (-75_000, [57e6, 60e6]), (-200_000, [3e6, 30e6])] {
            let overlapping = launched_behind(10, &[300; 20], gap);
            assert_eq!(
                wall(&overlapping, 1.0, 1.0),
                overlapping.timeline.unwrap().window.nanoseconds() as f64
            );
            let slower = wall(&overlapping, 10.0, 1.0);
            assert!((least..=most).contains(&slower), "{gap}: {slower}");
        }
    }

    /// Ten pairs of kernels of 100 us on two streams, each of which starts when so much of the one before has run; all launched at once.
    fn on_two_streams(after: i64) -> Application {
        let mut trace = RecordedTrace::empty("t", TraceFormat::Nsys);
        let name = trace.names.id_of("k");
        for i in 0..20 {
            let (called, start) = (1000 * i, 50_000 + after * i);
            let (correlation, span) = (i as u64 + 1, Span { start: called, end: called + 900 });
            trace.calls.push(RuntimeCall { kind: CallKind::Other, thread: 1, span, correlation });
            let ran = Span { start, end: start + 100_000 };
            trace.kernels.push(kernel_on(7 + i as u32 % 2, name, ran, correlation));
        }
        application_of(&trace, &PartOfTrace::default()).unwrap()
    }

    #[test]
    fn kernels_of_two_streams_share_the_gpu_as_they_did() {
        for after in [50_000, 62_000, 73_000, 99_000] {
            let application = on_two_streams(after);
            let recorded = application.timeline.unwrap();
            assert_eq!(wall(&application, 1.0, 1.0), recorded.window.nanoseconds() as f64);
            for factor in [1.5, 3.0, 10.0] {
                let busy = replayed(&application, factor, 1.0).timeline.busy as f64;
                let expected = factor * recorded.busy as f64;
                assert!((busy / expected - 1.0).abs() < 1e-3, "{after}, {factor}: {busy} of {expected}");
            }
        }
    }

    proptest! {
        #[test]
        fn a_replay_keeps_its_order(times in prop::collection::vec(1i64..400, 2..40), interval in 20i64..300, factor in 0.05f64..8.0) {
            let application = launched(interval, &times);
            let recorded = application.timeline.unwrap();
            let same = wall(&application, 1.0, 1.0);
            prop_assert_eq!(same, recorded.window.nanoseconds() as f64);
            let other = wall(&application, factor, 1.0);
            let is_ordered = if factor > 1.0 { other >= same } else { other <= same };
            prop_assert!(is_ordered);
            let line = replayed(&application, factor, 1.0).timeline;
            prop_assert_eq!(line.busy + line.idle.total(), line.window.nanoseconds());
        }
    }
}
