//! What one GPU did over time: how long it was busy, and why it was idle in between.
//!
//! | quantity | how |
//! |---|---|
//! | busy | length of the union of all kernels, copies, fills and graphs over all streams |
//! | copy only | the part of busy in which no kernel and no graph ran |
//! | idle | window - busy, split gap by gap by the call that launched what comes next |
//!
//! A gap `[a, b]` whose next activity was launched by a call `[s, e]`:
//!
//! - `e <= a`: the launch was queued already: a **launch gap**;
//! - `e > a`: the part before `min(e, b)` had nothing to run. Where a thread of the host waited in a synchronisation during it,
//!   that part is **synchronisation**, the rest **host not ready**; what lies after `e` is launch gap;
//!   A copy whose call waits for it (pageable memory) is queued where the call begins;
//! - no call, or one that starts after the activity (clocks that jump): **unknown**.

use super::trace::{CallKind, RuntimeCall, Span};

/// What an activity of the GPU is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActivityKind {
    /// A launch of the group of kernels at this place.
    Kernel(usize),
    /// A copy or fill, by its place among the totals of copies.
    Copy(usize),
}

/// Something that one GPU did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Activity {
    /// What it is.
    pub kind: ActivityKind,
    /// Stream.
    pub stream: u32,
    /// When it ran.
    pub span: Span,
    /// The call that launched it, by its place among the calls.
    pub call: Option<usize>,
}

/// Why a GPU was idle, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IdleSplit {
    /// The next launch was queued already.
    pub launch_gap: i64,
    /// The host had not launched anything.
    pub host: i64,
    /// The host waited for the GPU.
    pub synchronisation: i64,
    /// Nobody knows the call, or its time contradicts.
    pub unknown: i64,
}

impl IdleSplit {
    /// All of it in nanoseconds.
    #[must_use]
    pub fn total(&self) -> i64 {
        self.launch_gap + self.host + self.synchronisation + self.unknown
    }
}

/// What one GPU did within a window; all in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Timeline {
    /// From when to when.
    pub window: Span,
    /// Union of everything.
    pub busy: i64,
    /// Union of kernels and graphs.
    pub kernels: i64,
    /// Busy without a kernel or graph.
    pub copy_only: i64,
    /// The rest of the window.
    pub idle: IdleSplit,
    /// How many activities start before their call: clocks that jump.
    pub contradicting: u64,
}

impl Timeline {
    /// The time line of these activities, in the order of their starts, within a window that holds them.
    #[must_use]
    pub fn new(activities: &[Activity], calls: &[RuntimeCall], window: Span) -> Self {
        let is_kernel = |a: &&Activity| matches!(a.kind, ActivityKind::Kernel(_));
        let busy = union(activities.iter().map(|a| a.span));
        let kernels = length(&union(activities.iter().filter(is_kernel).map(|a| a.span)));
        let busy_length = length(&busy);
        let mut out =
            Self { window, busy: busy_length, kernels, copy_only: busy_length - kernels, ..Self::default() };
        let waits = HostWaits::new(calls);
        let mut from = window.start;
        for span in &busy {
            if span.start > from {
                let next = activities.get(activities.partition_point(|a| a.span.start < span.start));
                let call = next.and_then(|a| a.call).map(|at| calls[at]);
                out.add_gap(Span { start: from, end: span.start }, call, &waits);
            }
            from = from.max(span.end);
        }
        if window.end > from {
            out.add_tail(Span { start: from, end: window.end }, &waits);
        }
        out
    }

    fn add_gap(&mut self, gap: Span, call: Option<RuntimeCall>, waits: &HostWaits) {
        let Some(call) = call.filter(|c| c.span.start <= gap.end) else {
            self.contradicting += u64::from(call.is_some());
            self.idle.unknown += gap.nanoseconds();
            return;
        };
        let ready = call.queued_at().clamp(gap.start, gap.end);
        let before = Span { start: gap.start, end: ready };
        let waiting = waits.within(before);
        self.idle.synchronisation += waiting;
        self.idle.host += before.nanoseconds() - waiting;
        self.idle.launch_gap += gap.end - ready;
    }

    /// After the last activity the host goes on, or waits.
    fn add_tail(&mut self, gap: Span, waits: &HostWaits) {
        let waiting = waits.within(gap);
        self.idle.synchronisation += waiting;
        self.idle.host += gap.nanoseconds() - waiting;
    }

    /// The share of the window in which the GPU was idle, 0 to 1.
    #[must_use]
    pub fn idle_share(&self) -> f64 {
        let window = self.window.nanoseconds();
        if window > 0 { self.idle.total() as f64 / window as f64 } else { 0.0 }
    }
}

/// When some thread of the host waited for the GPU.
struct HostWaits(Vec<Span>);

impl HostWaits {
    fn new(calls: &[RuntimeCall]) -> Self {
        let waiting = calls.iter().filter(|c| c.kind == CallKind::Synchronise);
        Self(union(waiting.map(|c| c.span)))
    }

    /// Nanoseconds of this span in which one did.
    fn within(&self, span: Span) -> i64 {
        let first = self.0.partition_point(|w| w.end <= span.start);
        let meeting = self.0[first..].iter().take_while(|w| w.start < span.end);
        meeting.filter_map(|w| w.overlap(span)).map(Span::nanoseconds).sum()
    }
}

/// The union of intervals, in order and without overlap; empty ones are left out.
#[must_use]
pub fn union(spans: impl Iterator<Item = Span>) -> Vec<Span> {
    let mut all: Vec<Span> = spans.filter(|s| s.nanoseconds() > 0).collect();
    all.sort_unstable();
    let mut out: Vec<Span> = Vec::new();
    for span in all {
        match out.last_mut() {
            Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
            _ => out.push(span),
        }
    }
    out
}

/// The summed length of intervals in nanoseconds.
#[must_use]
pub fn length(spans: &[Span]) -> i64 {
    spans.iter().map(|s| s.nanoseconds()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn activity(start: i64, end: i64, call: Option<usize>) -> Activity {
        Activity { kind: ActivityKind::Kernel(0), stream: 0, span: Span { start, end }, call }
    }

    fn call(kind: CallKind, start: i64, end: i64) -> RuntimeCall {
        RuntimeCall { kind, thread: 1, span: Span { start, end }, correlation: 0 }
    }

    #[test]
    fn gaps_are_split_by_the_call_of_what_comes_next() {
        let launch = |start, end| call(CallKind::Other, start, end);
        let calls = [
            launch(0, 5),
            launch(6, 8),
            call(CallKind::Synchronise, 40, 70),
            launch(80, 90),
            launch(300, 310),
        ];
        let activities = [
            activity(10, 20, Some(0)),
            // Queued before 20: a launch gap of 5.
            activity(25, 50, Some(1)),
            // The host waited until 70, made ready until 90; 10 more until it ran.
            activity(100, 110, Some(3)),
            // Launched after it ran: nobody knows.
            activity(120, 130, Some(4)),
            activity(135, 140, None),
        ];
        let line = Timeline::new(&activities, &calls, Span { start: 10, end: 150 });
        let expected = IdleSplit { launch_gap: 5 + 10, synchronisation: 20, host: 20 + 10, unknown: 10 + 5 };
        assert_eq!((line.busy, line.idle, line.contradicting), (60, expected, 1));
        assert_eq!(line.busy + line.idle.total(), line.window.nanoseconds());
    }

    #[test]
    fn copies_beside_kernels_are_no_time_of_their_own() {
        let copy = |start, end| Activity { kind: ActivityKind::Copy(0), ..activity(start, end, None) };
        let line = Timeline::new(&[activity(0, 10, None), copy(5, 20)], &[], Span { start: 0, end: 20 });
        assert_eq!((line.busy, line.kernels, line.copy_only), (20, 10, 10));
    }

    proptest! {
        #[test]
        fn a_union_covers_what_its_parts_cover(spans in prop::collection::vec((0i64..200, 0i64..40), 0..30)) {
            let spans: Vec<Span> = spans.iter().filter_map(|(s, d)| Span::lasting(*s, *d)).collect();
            let joined = union(spans.iter().copied());
            let covered = (0..300).filter(|t| spans.iter().any(|s| s.start <= *t && *t < s.end)).count();
            prop_assert_eq!(length(&joined), covered as i64);
            prop_assert!(joined.windows(2).all(|w| w[0].end < w[1].start));
        }

        #[test]
        fn busy_and_idle_make_the_window(parts in prop::collection::vec((0i64..500, 1i64..40, 0i64..500, 0usize..3), 1..25)) {
            let calls: Vec<RuntimeCall> = parts.iter().map(|(_, d, s, k)| {
                let kind = if *k == 0 { CallKind::Synchronise } else { CallKind::Other };
                call(kind, *s, s + d)
            }).collect();
            let mut all: Vec<Activity> = parts.iter().enumerate()
                .map(|(i, (s, d, _, k))| activity(*s, s + d, (*k < 2).then_some(i))).collect();
            all.sort_by_key(|a| a.span);
            let window = Span { start: 0, end: 600 };
            let line = Timeline::new(&all, &calls, window);
            prop_assert_eq!(line.busy + line.idle.total(), 600);
            let IdleSplit { launch_gap, host, synchronisation, unknown } = line.idle;
            prop_assert!([launch_gap, host, synchronisation, unknown].iter().all(|part| *part >= 0));
        }
    }
}
