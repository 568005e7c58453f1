//! Launches that are alike, as one line: the same kernel, launch shape and operator shapes.

use super::category::KernelCategory;
use super::label::{LABEL, LONGEST_LOOK, label_with_arguments, label_within};
use super::shapes::OperatorShape;
use super::trace::{InputsId, NameId, OperatorInputs, RecordedTrace, TracedGraph, TracedKernel};
use crate::kernel::clip_apart;
use crate::measurement::{CanonicalRow, Number};
use crate::units::{Hertz, Seconds};
use std::collections::{HashMap, HashSet};

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
    /// Whether it is shown with its template arguments: without them it looks like another kernel of its operator.
    pub has_arguments: bool,
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
        let label = if self.has_arguments { label_with_arguments } else { label_within };
        label(&self.name, width)
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

    /// The groups with their shares and labels, in the order they were met.
    pub(super) fn finish(mut self) -> Vec<KernelGroup> {
        set_shares(&mut self.groups);
        set_labels(&mut self.groups);
        self.groups
    }
}

/// Labels groups apart: kernels of one operator that differ in their template arguments alone are shown with them, and labels that are
/// too long are cut where they differ.
pub(super) fn set_labels(groups: &mut [KernelGroup]) {
    let mut of_operators: HashMap<Option<String>, Vec<usize>> = HashMap::new();
    for (place, group) in groups.iter().enumerate() {
        of_operators.entry(group.operator_words()).or_default().push(place);
    }
    for places in of_operators.into_values() {
        let instances = are_instances(&places.iter().map(|place| &groups[*place].name).collect::<Vec<_>>());
        for (place, is_instance) in places.iter().zip(instances) {
            groups[*place].has_arguments = is_instance;
        }
        let whole: Vec<String> =
            places.iter().map(|place| groups[*place].label_within(LONGEST_LOOK)).collect();
        for (place, label) in places.iter().zip(clip_apart(&whole, LABEL)) {
            groups[*place].label = label;
        }
    }
}

/// Of each of these names whether another one has the same label: they are instances of one template.
fn are_instances(names: &[&String]) -> Vec<bool> {
    let labels: Vec<String> = names.iter().map(|name| label_within(name, LONGEST_LOOK)).collect();
    let mut of_label: HashMap<&str, HashSet<&str>> = HashMap::new();
    for (label, name) in labels.iter().zip(names) {
        of_label.entry(label).or_default().insert(name);
    }
    labels.iter().map(|label| of_label[label.as_str()].len() > 1).collect()
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
            has_arguments: false,
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

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(names: &[&str]) -> Vec<String> {
        let group = |name: &&str| KernelGroup::unlaunched(name, KernelCategory::Other);
        let mut groups: Vec<KernelGroup> = names.iter().map(group).collect();
        set_labels(&mut groups);
        groups.into_iter().map(|group| group.label).collect()
    }

    #[test]
    fn instances_of_one_template_are_labelled_by_their_arguments() {
        let add = "void at::native::vectorized_elementwise_kernel<(int)4, at::native::CUDAFunctor_add<float>, std::array<char *, (unsigned long)3>>(int, T2, T3)";
        let on_self = "void at::native::vectorized_elementwise_kernel<(int)4, at::native::CUDAFunctorOnSelf_add<float>, std::array<char *, (unsigned long)2>>(int, T2, T3)";
        let sum = "void at::native::reduce_kernel<(int)512, float>(T3)";
        let found = labels(&[add, on_self, sum, add]);
        assert!(found[0].contains("CUDAFunctor_add<float>") && found[1].contains("OnSelf_add"), "{found:?}");
        assert!(found.iter().all(|label| label.chars().count() <= LABEL), "{found:?}");
        assert_eq!((&*found[2], &found[3]), ("reduce_kernel", &found[0]));
        assert_eq!(labels(&[add, sum]), ["vectorized_elementwise_kernel", "reduce_kernel"]);
    }

    #[test]
    fn long_names_are_cut_where_they_differ() {
        let name = |tile: &str| {
            format!(
                "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize{tile}_stage3_ffma_aligna4_alignc4_execute_kernel__5x_cublas"
            )
        };
        let found = labels(&[&name("64x256x8"), &name("128x128x8")]);
        assert!(found[0].contains("64x256x8") && found[1].contains("128x128x8"), "{found:?}");
    }
}
