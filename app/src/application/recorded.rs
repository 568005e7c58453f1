//! One GPU's part of a trace as an application: groups, copies, time line, ranges.

use super::category::KernelCategory;
use super::counts::count_groups;
use super::group::{Grouping, KernelGroup};
use super::ranges::{ChosenPart, RangeTotal, RepeatedStep, chosen_part, find_step, range_totals};
use super::timeline::{Activity, ActivityKind, Timeline};
use super::trace::{CallKind, CopyDirection, RecordedTrace, RuntimeCall, Span, TraceFormat};
use crate::measurement::PackedRows;
use crate::text::first_names;
use crate::units::{Bytes, Seconds};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// Which part of a trace is looked at.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PartOfTrace {
    /// Number of the GPU; the one with the most kernel time where nobody says.
    pub device: Option<u32>,
    /// A range by name, or `step`; everything where nobody says.
    pub range: Option<String>,
}

/// Copies of one direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CopyTotal {
    /// Between whom.
    pub direction: CopyDirection,
    /// How many.
    pub count: u64,
    /// Bytes, where every one states them.
    pub bytes: Option<Bytes>,
    /// Summed time.
    pub total: Seconds,
}

/// What one GPU did for an application.
#[derive(Debug, Clone, PartialEq)]
pub struct Application {
    /// The file it was read from.
    pub file: String,
    /// What wrote the file.
    pub format: TraceFormat,
    /// The GPU as its driver names it; empty where the file does not say.
    pub gpu_name: String,
    /// Its SMs, where the file states them: a MIG slice has fewer than the board of its name.
    pub gpu_sms: Option<u32>,
    /// Its memory, where the file states it.
    pub gpu_memory: Option<Bytes>,
    /// Its number in the trace.
    pub device_index: u32,
    /// The numbers of all GPUs that did something in the trace; empty for reports that do not tell them apart.
    pub devices: Vec<u32>,
    /// The most device memory that its framework held at once, where recorded.
    pub peak_memory: Option<Bytes>,
    /// Groups of kernels, the longest first.
    pub groups: Vec<KernelGroup>,
    /// Launches of kernels, and of graphs that ran as a whole: the calls of all groups.
    pub kernel_count: u64,
    /// Copies and fills by direction.
    pub copies: Vec<CopyTotal>,
    /// What the GPU did over time; `None` for reports without a time line.
    pub timeline: Option<Timeline>,
    /// What it did, in the order of starts.
    pub activities: Vec<Activity>,
    /// Calls of the host threads that launched it, in the order of starts.
    pub calls: Vec<RuntimeCall>,
    /// The range that was cut out.
    pub range: Option<String>,
    /// The marked ranges of the trace.
    pub ranges: Vec<RangeTotal>,
    /// The step that repeats, where one was found.
    pub step: Option<RepeatedStep>,
    /// The rows of a report, packed; `None` for a trace.
    pub rows: Option<Arc<PackedRows>>,
    /// What the user should know.
    pub remarks: Vec<String>,
}

impl Application {
    /// The trace's name without its folders.
    #[must_use]
    pub fn file_name(&self) -> &str {
        self.file.rsplit(['/', '\\']).next().unwrap_or(&self.file)
    }

    /// Whether its kernels ran on a GPU of AMD, which no model here covers.
    #[must_use]
    pub fn is_amd(&self) -> bool {
        ["AMD", "Radeon", "Instinct"].iter().any(|word| self.gpu_name.contains(word))
    }

    /// Why none of its kernels has a time on another GPU: none of them took any here, or there is none.
    #[must_use]
    pub fn without_times(&self) -> Option<String> {
        let what =
            if self.kernel_count == 0 { "no kernel of this GPU is left" } else { "no kernel has a duration" };
        let is_without = self.groups_total() == Seconds(0.0);
        is_without.then(|| format!("{}: {what}: nothing can be predicted; record it again", self.file))
    }

    /// Whether graphs ran as a whole: their kernels are not told apart.
    #[must_use]
    pub fn has_graphs(&self) -> bool {
        self.groups.iter().any(|group| group.category == KernelCategory::Graph)
    }

    /// The least device memory that it needs: what its framework held at once where recorded, and what any of its kernels touches.
    #[must_use]
    pub fn least_memory(&self) -> Option<Bytes> {
        let touched =
            self.groups.iter().filter_map(|group| group.counts.as_ref()?.touched_bytes).reduce(f64::max);
        self.peak_memory.into_iter().chain(touched.map(Bytes)).max_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// Summed time of all groups, graphs included.
    #[must_use]
    pub fn groups_total(&self) -> Seconds {
        Seconds(self.groups.iter().map(|g| g.total.0).fold(0.0, |all, one| all + one))
    }

    /// Summed time of copies without fills.
    #[must_use]
    pub fn copy_time(&self) -> Seconds {
        let copies = self.copies.iter().filter(|c| c.direction != CopyDirection::Fill);
        Seconds(copies.map(|c| c.total.0).fold(0.0, |all, one| all + one))
    }
}

/// The application of this part of a trace.
///
/// # Errors
/// What to type instead: a GPU or a range that the trace does not have.
pub fn application_of(trace: &RecordedTrace, part: &PartOfTrace) -> Result<Application, String> {
    let device = chosen_device(trace, part.device)?;
    let mut calls = calls_of(trace, device);
    let mut made = activities_of(trace, device, &calls);
    mark_waiting_copies(&made.activities, &mut calls);
    let whole = window_of(&made.activities);
    let order = kernel_order(&made.activities);
    let launches: Vec<Activity> = kernels_only(&made.activities);
    let step = find_step(trace, &launches, &order, whole);
    let mut window = whole;
    let mut remarks = trace.remarks.clone();
    if let Some(asked) = &part.range {
        let chosen = chosen_part(trace, step.as_ref(), asked).map_err(|why| format!("--range {why}"))?;
        window = cut_out(&mut made, &calls, chosen);
        if made.activities.is_empty() {
            return Err(format!("--range {asked}: nothing was launched in it on GPU {device}"));
        }
    }
    let timeline = Timeline::new(&made.activities, &calls, window);
    if timeline.contradicting > 0 {
        let n = timeline.contradicting;
        remarks.push(format!(
            "{n} gaps end before the call that ended them began: clocks jump; their cause is unknown"
        ));
    }
    remarks.extend(other_devices(trace, device));
    if made.doubled > 0 {
        let n = made.doubled;
        remarks.push(format!(
            "{n} activities are recorded twice, alike in name, stream and times: counted once"
        ));
    }
    let mut regrouped = regroup(trace, made);
    count_groups(&mut regrouped.groups).map_err(|why| why.to_string())?;
    let described = trace.described(device);
    let mut application = Application {
        file: trace.file.clone(),
        format: trace.format,
        gpu_name: trace.device_name(device).to_string(),
        gpu_sms: described.and_then(|d| d.sms),
        gpu_memory: described.and_then(|d| d.memory),
        device_index: device,
        devices: trace.active_devices(),
        peak_memory: trace.peak_memory.get(&device).map(|bytes| Bytes(*bytes as f64)),
        kernel_count: regrouped.groups.iter().map(|group| group.calls).sum(),
        groups: regrouped.groups,
        copies: regrouped.copies,
        timeline: Some(timeline),
        activities: regrouped.activities,
        calls,
        range: part.range.clone(),
        ranges: range_totals(trace),
        step,
        rows: None,
        remarks,
    };
    let without = application.without_times();
    application.remarks.extend(without);
    Ok(application)
}

fn chosen_device(trace: &RecordedTrace, asked: Option<u32>) -> Result<u32, String> {
    let active = trace.active_devices();
    let list = || active.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    match asked {
        Some(device) if active.contains(&device) => Ok(device),
        Some(device) => Err(format!("--device {device}: the trace has activity of GPU {}", list())),
        None => {
            let time = |device: &u32| -> i64 {
                let kernels = trace.kernels.iter().filter(|k| k.device == *device);
                kernels.map(|k| k.span.nanoseconds()).fold(0, i64::saturating_add)
            };
            let longest = active.iter().max_by_key(|d| (time(d), std::cmp::Reverse(**d))).copied();
            longest.ok_or_else(|| format!("{}: {}", trace.file, trace.without_activity().unwrap_or_default()))
        }
    }
}

/// So many devices of a trace are named.
const NAMED_DEVICES: usize = 6;

fn other_devices(trace: &RecordedTrace, device: u32) -> Option<String> {
    let others: Vec<String> =
        trace.active_devices().into_iter().filter(|d| *d != device).map(|d| d.to_string()).collect();
    let named = first_names(&others, NAMED_DEVICES);
    (!others.is_empty()).then(|| format!("GPU {named} of this trace is not in these numbers: give --device"))
}

/// Activities with what they refer to in the trace.
struct MadeActivities {
    activities: Vec<Activity>,
    /// For each activity its place in the list of its kind.
    records: Vec<ActivityRecord>,
    /// Activities that were left out, as the trace has them twice.
    doubled: usize,
}

#[derive(Debug, Clone, Copy)]
enum ActivityRecord {
    Kernel(usize),
    Copy(usize),
    Graph(usize),
}

/// The calls of the host threads that launched this GPU, and of those that launched none, in order.
fn calls_of(trace: &RecordedTrace, device: u32) -> Vec<RuntimeCall> {
    let mut launched: HashMap<u64, bool> = HashMap::new();
    let kernels = trace.kernels.iter().map(|k| (k.correlation, k.device));
    let copies = trace.copies.iter().map(|c| (c.correlation, c.device));
    let graphs = trace.graphs.iter().map(|g| (g.correlation, g.device));
    for (correlation, on) in kernels.chain(copies).chain(graphs).filter(|(c, _)| *c != 0) {
        *launched.entry(correlation).or_default() |= on == device;
    }
    let (mut own, mut foreign) = (BTreeSet::new(), BTreeSet::new());
    for call in &trace.calls {
        match launched.get(&call.correlation).filter(|_| call.correlation != 0) {
            Some(true) => own.insert(call.thread),
            Some(false) => foreign.insert(call.thread),
            None => false,
        };
    }
    let is_ours = |c: &&RuntimeCall| own.contains(&c.thread) || !foreign.contains(&c.thread);
    let mut calls: Vec<RuntimeCall> = trace.calls.iter().filter(is_ours).copied().collect();
    calls.sort_by_key(|c| (c.span, c.thread));
    calls
}

fn activities_of(trace: &RecordedTrace, device: u32, calls: &[RuntimeCall]) -> MadeActivities {
    let numbered = calls.iter().enumerate().filter(|(_, c)| c.correlation != 0);
    let call_of: HashMap<u64, usize> = numbered.rev().map(|(at, c)| (c.correlation, at)).collect();
    let mut all: Vec<(Activity, ActivityRecord)> = Vec::new();
    let mut push = |stream, span, correlation: u64, record| {
        let call = call_of.get(&correlation).copied().filter(|_| correlation != 0);
        all.push((Activity { kind: ActivityKind::Kernel(0), stream, span, call }, record));
    };
    for (at, kernel) in trace.kernels.iter().enumerate().filter(|(_, k)| k.device == device) {
        push(kernel.stream, kernel.span, kernel.correlation, ActivityRecord::Kernel(at));
    }
    for (at, graph) in trace.graphs.iter().enumerate().filter(|(_, g)| g.device == device) {
        push(graph.stream, graph.span, graph.correlation, ActivityRecord::Graph(at));
    }
    for (at, copy) in trace.copies.iter().enumerate().filter(|(_, c)| c.device == device) {
        push(copy.stream, copy.span, copy.correlation, ActivityRecord::Copy(at));
    }
    all.sort_by_key(|(a, _)| (a.span, a.stream));
    let recorded = all.len();
    all.dedup_by(|(a, x), (b, y)| {
        let is_at_once = a.span == b.span && a.stream == b.stream && a.span.nanoseconds() > 0;
        is_at_once && is_same_record(trace, *x, *y)
    });
    let doubled = recorded - all.len();
    let mut grouping = Grouping::default();
    let (mut activities, mut records) = (Vec::with_capacity(all.len()), Vec::with_capacity(all.len()));
    for (mut activity, record) in all {
        activity.kind = match record {
            ActivityRecord::Kernel(at) => ActivityKind::Kernel(grouping.add(trace, &trace.kernels[at])),
            ActivityRecord::Graph(at) => ActivityKind::Kernel(grouping.add_graph(&trace.graphs[at])),
            ActivityRecord::Copy(_) => ActivityKind::Copy(0),
        };
        activities.push(activity);
        records.push(record);
    }
    MadeActivities { activities, records, doubled }
}

/// Whether two records of one stream and one span are of one kernel, or of one copy.
fn is_same_record(trace: &RecordedTrace, one: ActivityRecord, other: ActivityRecord) -> bool {
    let kernel = |at: usize| (trace.kernels[at].name, trace.kernels[at].correlation);
    match (one, other) {
        (ActivityRecord::Kernel(one), ActivityRecord::Kernel(other)) => kernel(one) == kernel(other),
        (ActivityRecord::Copy(one), ActivityRecord::Copy(other)) => trace.copies[one] == trace.copies[other],
        (ActivityRecord::Graph(one), ActivityRecord::Graph(other)) => {
            trace.graphs[one] == trace.graphs[other]
        }
        _ => false,
    }
}

/// A copy that has ended before its call returns held the host: from or to pageable memory, it waits like a synchronisation.
fn mark_waiting_copies(activities: &[Activity], calls: &mut [RuntimeCall]) {
    for copy in activities.iter().filter(|a| matches!(a.kind, ActivityKind::Copy(_))) {
        let Some(call) = copy.call.map(|at| &mut calls[at]) else { continue };
        if copy.span.end > call.span.start && copy.span.end <= call.span.end {
            call.kind = CallKind::Synchronise;
        }
    }
}

/// From the first start to the last end.
fn window_of(activities: &[Activity]) -> Span {
    let start = activities.iter().map(|a| a.span.start).min().unwrap_or(0);
    let end = activities.iter().map(|a| a.span.end).max().unwrap_or(start);
    Span { start, end }
}

fn kernels_only(activities: &[Activity]) -> Vec<Activity> {
    activities.iter().filter(|a| matches!(a.kind, ActivityKind::Kernel(_))).copied().collect()
}

fn kernel_order(activities: &[Activity]) -> Vec<usize> {
    let group = |a: &Activity| if let ActivityKind::Kernel(group) = a.kind { Some(group) } else { None };
    activities.iter().filter_map(group).collect()
}

/// Keeps what was launched within a span of the host, or what began within a span of the GPU, and gives its window: it begins once
/// the GPU is done with what came before, and ends with the span or the last activity.
fn cut_out(made: &mut MadeActivities, calls: &[RuntimeCall], chosen: ChosenPart) -> Span {
    let ChosenPart { span, is_on_gpu } = chosen;
    let call_of = |a: &Activity| a.call.filter(|_| !is_on_gpu);
    let launched_at = |a: &Activity| call_of(a).map_or(a.span.start, |at| calls[at].span.start);
    let before = made.activities.iter().filter(|a| launched_at(a) < span.start);
    let backlog = before.map(|a| a.span.end).max().unwrap_or(span.start);
    let keep: Vec<bool> =
        made.activities.iter().map(|a| (span.start..span.end).contains(&launched_at(a))).collect();
    let mut flags = keep.iter();
    made.activities.retain(|_| flags.next() == Some(&true));
    let mut flags = keep.iter();
    made.records.retain(|_| flags.next() == Some(&true));
    let own = window_of(&made.activities);
    let start = own.start.min(span.start.max(backlog));
    Span { start, end: own.end.max(span.end) }
}

/// What comes of the kept activities.
struct Regrouped {
    groups: Vec<KernelGroup>,
    copies: Vec<CopyTotal>,
    activities: Vec<Activity>,
}

/// Groups and totals of the activities that are left, the longest group first.
fn regroup(trace: &RecordedTrace, made: MadeActivities) -> Regrouped {
    let MadeActivities { mut activities, records, .. } = made;
    let mut grouping = Grouping::default();
    let mut totals: BTreeMap<CopyDirection, (u64, Option<u64>, i64)> = BTreeMap::new();
    let mut places = Vec::with_capacity(records.len());
    for record in &records {
        places.push(match record {
            ActivityRecord::Kernel(at) => grouping.add(trace, &trace.kernels[*at]),
            ActivityRecord::Graph(at) => grouping.add_graph(&trace.graphs[*at]),
            ActivityRecord::Copy(at) => {
                let copy = &trace.copies[*at];
                let total = totals.entry(copy.direction).or_insert((0, Some(0), 0));
                total.0 += 1;
                total.1 = total.1.zip(copy.bytes).map(|(a, b)| a.saturating_add(b));
                total.2 = total.2.saturating_add(copy.span.nanoseconds());
                0
            }
        });
    }
    let directions: Vec<CopyDirection> = totals.keys().copied().collect();
    let mut groups: Vec<(usize, KernelGroup)> = grouping.finish().into_iter().enumerate().collect();
    groups.sort_by(|(_, a), (_, b)| b.total.0.total_cmp(&a.total.0).then(a.name.cmp(&b.name)));
    let mut rank = vec![0; groups.len()];
    groups.iter().enumerate().for_each(|(new, (old, _))| rank[*old] = new);
    for ((activity, record), place) in activities.iter_mut().zip(&records).zip(places) {
        activity.kind = match record {
            ActivityRecord::Copy(at) => {
                let direction = trace.copies[*at].direction;
                ActivityKind::Copy(directions.iter().position(|d| *d == direction).unwrap_or(0))
            }
            ActivityRecord::Kernel(_) | ActivityRecord::Graph(_) => ActivityKind::Kernel(rank[place]),
        };
    }
    let copies = totals.into_iter().map(|(direction, (count, bytes, nanoseconds))| CopyTotal {
        direction,
        count,
        bytes: bytes.map(|b| Bytes(b as f64)),
        total: Seconds(nanoseconds as f64 * 1e-9),
    });
    Regrouped {
        copies: copies.collect(),
        groups: groups.into_iter().map(|(_, group)| group).collect(),
        activities,
    }
}
