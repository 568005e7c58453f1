//! Launches that are alike, as one line: the same kernel, launch shape and operator shapes.

use super::category::KernelCategory;
use super::shapes::OperatorShape;
use super::trace::{InputsId, NameId, OperatorInputs, RecordedTrace, TracedGraph, TracedKernel};
use crate::kernel::{clip_middle, short_name_within};
use crate::measurement::{CanonicalRow, Number};
use crate::text::clipped_text;
use crate::units::{Hertz, Seconds};
use std::collections::HashMap;

/// The longest label, in characters.
pub(super) const LABEL: usize = 48;

/// The longest part of a name that is looked at, in characters.
pub(super) const LONGEST_LOOK: usize = 4096;

/// The operator of a framework behind a group.
#[derive(Debug, Clone, PartialEq)]
pub struct OperatorCall {
    /// `aten::addmm`.
    pub name: String,
    /// What it was called with.
    pub inputs: OperatorInputs,
}

/// FLOPs and DRAM bytes of one launch, and how they are known.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupCounts {
    /// Floating-point operations; a fused multiply-add counts two.
    pub flops: Option<f64>,
    /// Compulsory DRAM traffic in bytes, or what a profiler counted.
    pub dram_bytes: Option<f64>,
    /// Distinct bytes among them, where that is known: an operator in place writes what it read.
    pub touched_bytes: Option<f64>,
    /// Where they come from: `profiler`, `shapes of aten::addmm`.
    pub from: String,
}

/// A row of a report, which holds everything that was counted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProfiledRow {
    /// Its place among the rows of the report.
    pub place: u32,
    /// The SM clock that it was timed at, where stated.
    pub sm_clock: Option<Hertz>,
    /// Whether everything was counted that `ncu --set full` counts for the models.
    pub is_fully_counted: bool,
}

impl ProfiledRow {
    pub(super) fn from_row(row: &CanonicalRow, place: usize) -> Self {
        const COUNTED: [Number; 4] =
            [Number::Flops, Number::DramBytes, Number::L2Bytes, Number::WarpInstsIssued];
        Self {
            place: u32::try_from(place).unwrap_or(u32::MAX),
            sm_clock: row.get(Number::SmClock).map(Hertz::from_mega),
            is_fully_counted: COUNTED.iter().all(|number| row.get(*number).is_some()),
        }
    }
}

/// Launches that are alike.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelGroup {
    /// Full name of the kernel.
    pub name: String,
    /// Short enough to read.
    pub label: String,
    /// What it is for.
    pub category: KernelCategory,
    /// Threads per block, where recorded.
    pub block: Option<[u32; 3]>,
    /// Blocks, where recorded.
    pub grid: Option<[u32; 3]>,
    /// Registers per thread, where recorded.
    pub registers: Option<u16>,
    /// Shared memory per block in bytes, where recorded.
    pub shared_bytes: Option<u32>,
    /// The operator behind it, where recorded.
    pub operator: Option<OperatorCall>,
    /// Launches.
    pub calls: u64,
    /// Summed time.
    pub total: Seconds,
    /// Its part of the time of all groups, 0 to 1.
    pub share: f64,
    /// FLOPs and DRAM bytes of a launch, where they are known.
    pub counts: Option<GroupCounts>,
    /// The row of its last launch, where a report states rows.
    pub profiled: Option<ProfiledRow>,
    /// What its operator computed, where that is a product or attention of known size.
    pub shape: Option<OperatorShape>,
}

impl KernelGroup {
    /// [`KernelGroup::label`] in at most so many characters.
    #[must_use]
    pub fn label_within(&self, width: usize) -> String {
        label_within(&self.name, width)
    }

    /// Mean time of a launch.
    #[must_use]
    pub fn mean(&self) -> Seconds {
        Seconds(self.total.0 / self.calls.max(1) as f64)
    }

    /// `aten::addmm [564,512] [512,2048]`; nothing where no operator is recorded.
    #[must_use]
    pub fn operator_words(&self) -> Option<String> {
        let operator = self.operator.as_ref()?;
        let shapes = operator.inputs.shapes.iter().filter(|s| !s.is_empty());
        let words =
            shapes.map(|s| format!("[{}]", s.iter().map(u64::to_string).collect::<Vec<_>>().join(",")));
        Some([operator.name.clone()].into_iter().chain(words.take(4)).collect::<Vec<_>>().join(" "))
    }

    /// [`KernelGroup::operator_words`] in 40 columns.
    pub(super) fn short_operator(&self) -> Option<String> {
        self.operator_words().map(|words| crate::kernel::clip_middle(&words, 40))
    }
}

/// What makes launches alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct GroupKey {
    name: NameId,
    grid: [u32; 3],
    block: [u32; 3],
    operator: Option<(NameId, InputsId)>,
}

/// Groups being made.
#[derive(Debug, Default)]
pub(super) struct Grouping {
    places: HashMap<GroupKey, usize>,
    graphs: HashMap<u64, usize>,
    groups: Vec<KernelGroup>,
}

impl Grouping {
    /// Counts a launch, and gives the place of its group.
    pub(super) fn add(&mut self, trace: &RecordedTrace, kernel: &TracedKernel) -> usize {
        let operator = kernel.operator.and_then(|id| trace.operators.get(id.0 as usize));
        let key = GroupKey {
            name: kernel.name,
            grid: kernel.grid,
            block: kernel.block,
            operator: operator.map(|o| (o.name, o.inputs)),
        };
        let next = self.groups.len();
        let place = *self.places.entry(key).or_insert(next);
        if place == next {
            self.groups.push(new_group(trace, kernel));
        }
        self.count(place, kernel.span.seconds());
        place
    }

    /// Counts a graph that ran as a whole.
    pub(super) fn add_graph(&mut self, graph: &TracedGraph) -> usize {
        let next = self.groups.len();
        let place = *self.graphs.entry(graph.graph).or_insert(next);
        if place == next {
            let name = format!("CUDA graph {}", graph.graph);
            self.groups.push(KernelGroup::unlaunched(&name, KernelCategory::Graph));
        }
        self.count(place, graph.span.seconds());
        place
    }

    fn count(&mut self, place: usize, time: Seconds) {
        let group = &mut self.groups[place];
        group.calls += 1;
        group.total.0 += time.0;
    }

    /// The groups with their shares, in the order they were met.
    pub(super) fn finish(mut self) -> Vec<KernelGroup> {
        set_shares(&mut self.groups);
        self.groups
    }
}

/// Each group's part of the time of all.
pub(super) fn set_shares(groups: &mut [KernelGroup]) {
    let all: f64 = groups.iter().map(|g| g.total.0).sum();
    for group in groups {
        group.share = if all > 0.0 { group.total.0 / all } else { 0.0 };
    }
}

impl KernelGroup {
    /// A group of which only the name is known.
    pub(super) fn unlaunched(name: &str, category: KernelCategory) -> Self {
        Self {
            name: name.to_string(),
            label: label_within(name, LABEL),
            category,
            block: None,
            grid: None,
            registers: None,
            shared_bytes: None,
            operator: None,
            calls: 0,
            total: Seconds(0.0),
            share: 0.0,
            counts: None,
            profiled: None,
            shape: None,
        }
    }
}

/// A name short enough to read: without namespaces, and the name of the instance where the kernel is a shell around it
/// (`cutlass::Kernel2<cutlass_80_tensorop_…>`).
pub(super) fn label_within(name: &str, width: usize) -> String {
    let inner = name.split_once("cutlass").and_then(|(_, rest)| rest.split_once("Kernel"));
    let inner =
        inner.and_then(|(_, rest)| rest.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix('<'));
    if let Some(instance) = inner.filter(|i| i.starts_with("cutlass_")) {
        let end = instance.find(['>', ':', ',']).unwrap_or(instance.len());
        return clip_middle(&instance[..end], width);
    }
    let head = clipped_text(name, LONGEST_LOOK);
    let nameless = ["(anonymous namespace)::", "<unnamed>::", "at::native::"];
    let bare = nameless.iter().fold(head, |text, word| text.replace(word, ""));
    let bare = short_name_within(&bare, LONGEST_LOOK);
    let last = bare.rsplit("::").next().filter(|last| !last.is_empty()).unwrap_or(&bare);
    clip_middle(last, width)
}

fn new_group(trace: &RecordedTrace, kernel: &TracedKernel) -> KernelGroup {
    let name = trace.names.text(kernel.name);
    let operator = trace.operator_of(kernel).map(|(operator, inputs)| OperatorCall {
        name: trace.names.text(operator.name).to_string(),
        inputs: inputs.clone(),
    });
    let category = KernelCategory::of_names(name, operator.as_ref().map_or("", |o| &o.name));
    let known = |shape: [u32; 3]| Some(shape).filter(|s| s.iter().all(|n| *n > 0));
    KernelGroup {
        block: known(kernel.block),
        grid: known(kernel.grid),
        registers: kernel.registers,
        shared_bytes: kernel.shared_bytes,
        operator,
        ..KernelGroup::unlaunched(name, category)
    }
}
