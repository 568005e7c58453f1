//! Groups of kernels as measured rows, so that they are predicted the way every other kernel is.
//!
//! | group | row |
//! |---|---|
//! | a product of a tensor type that the catalogue has an operator for | that operator at its size: a library picks another kernel on each GPU |
//! | causal attention of as many queries as keys, BF16 | the operator `attention_prefill` |
//! | anything else with counts | a kernel of its own: launch shape, registers, shared memory, FLOPs, bytes |
//! | a row of a report with counts | that row: what `predict --data` of the report asks |
//! | no counts | none |

use super::category::KernelCategory;
use super::group::KernelGroup;
use super::group_forecast::ForecastBasis;
use super::label::{LABEL, label_within};
use super::recorded::Application;
use super::shapes::{AttentionShape, OperatorShape, ProductShape};
use crate::catalogue::ElementType;
use crate::kernel::{KernelId, NameFacts};
use crate::measurement::{CanonicalRow, Number, TRACED};
use crate::session::Session;

/// The longest part of a name that a row keeps: what stands behind are template arguments.
const LONGEST_NAME: usize = 1000;

/// The row of the group at this place, measured on this GPU (its id): an operator of the catalogue where its forecast rests on that, else
/// a kernel of its own; `None` where it has no counts.
#[must_use]
pub fn group_row(
    application: &Application,
    place: usize,
    gpu: &str,
    rests_on: Option<ForecastBasis>,
) -> Option<CanonicalRow> {
    let group = application.groups.get(place)?;
    if rests_on == Some(ForecastBasis::Operator) {
        let of_operator = operator_row(place, group, gpu, &application.file);
        return of_operator.or_else(|| counted_row(place, group, gpu, &application.file));
    }
    if let Some((profiled, rows)) = group.profiled.zip(application.rows.as_ref()) {
        return Some(CanonicalRow { gpu: gpu.to_string(), ..rows.row(profiled.place as usize) });
    }
    counted_row(place, group, gpu, &application.file)
}

/// Shows the kernels of rows that groups were added as by the names that the list of groups has: whole ones of templates differ behind
/// what a column shows.
pub fn label_traced_kernels(session: &mut Session, rows: &[CanonicalRow]) {
    let traced = rows.iter().filter(|row| row.variant == TRACED);
    let label = |row: &CanonicalRow| {
        let (name, _) = row.kernel.rsplit_once(" #")?;
        Some((session.kernels.id_named(&row.kernel)?, label_within(name, LABEL)))
    };
    let labels: Vec<(KernelId, String)> = traced.filter_map(label).collect();
    session.edit(|workspace| {
        labels.into_iter().for_each(|(kernel, label)| {
            workspace.kernels.edit_entry(kernel, |kernel| kernel.set_label(&label));
        });
    });
}

/// A group as an operator of the catalogue; `None` where it is none.
pub(super) fn operator_row(place: usize, group: &KernelGroup, gpu: &str, file: &str) -> Option<CanonicalRow> {
    let (kernel, problem) = operator_of(group)?;
    Some(CanonicalRow { kernel: kernel.to_string(), problem, ..measured_row(place, group, gpu, file) })
}

/// What every row of a group states: where and how long it was measured.
fn measured_row(place: usize, group: &KernelGroup, gpu: &str, file: &str) -> CanonicalRow {
    let mut row = CanonicalRow {
        gpu: gpu.to_string(),
        dtype: element_of(group).map_or(String::new(), |e| e.as_str().to_string()),
        source: format!("{file}: group {}", place + 1),
        ..CanonicalRow::default()
    };
    row.set(Number::Time, Some(group.mean().millis()));
    row.set(Number::Trials, Some(group.calls as f64));
    row
}

/// A group as a kernel of its own; `None` where it has no counts.
pub(super) fn counted_row(place: usize, group: &KernelGroup, gpu: &str, file: &str) -> Option<CanonicalRow> {
    let counts = group.counts.as_ref()?;
    let mut row = measured_row(place, group, gpu, file);
    // The number keeps groups of one name apart: they are other problems.
    let name = crate::text::clipped_text(&group.name, LONGEST_NAME);
    row.kernel = format!("{name} #{}", place + 1);
    row.variant = TRACED.to_string();
    row.block = group.block.map(|b| b.map(u64::from));
    row.grid = group.grid.map(|g| g.map(u64::from));
    row.set(Number::RegsPerThread, group.registers.map(f64::from));
    if let Some(shared) = group.shared_bytes {
        // The sum of both is what a trace states; which part is which does not change what fits on an SM.
        row.set(Number::SmemStatic, Some(0.0));
        row.set(Number::SmemDynamic, Some(f64::from(shared)));
    }
    row.set(Number::Flops, counts.flops);
    row.set(Number::DramBytes, counts.dram_bytes);
    row.set(Number::WorkingSet, counts.touched_bytes);
    Some(row)
}

/// A row of which nothing but the time is known: so long that no launch overhead has a part in it.
pub(super) fn time_alone_row(gpu: &str, file: &str) -> CanonicalRow {
    let mut row = CanonicalRow {
        gpu: gpu.to_string(),
        kernel: "a time alone".to_string(),
        source: format!("{file}: a time alone"),
        ..CanonicalRow::default()
    };
    row.set(Number::Time, Some(1000.0));
    row
}

/// The type its arithmetic is done in: that of the tensors for products, attention and convolution, FP32 for the rest, which
/// PyTorch widens to.
pub(super) fn element_of(group: &KernelGroup) -> Option<ElementType> {
    let of_shape = match group.shape {
        Some(OperatorShape::Product(ProductShape { element, .. })) => Some(element),
        Some(OperatorShape::Attention(AttentionShape { element, .. })) => Some(element),
        None => None,
    };
    let facts = NameFacts::of_name(&group.name);
    let by_category = match group.category {
        KernelCategory::Gemm | KernelCategory::Attention | KernelCategory::Convolution => None,
        _ => Some(ElementType::Fp32),
    };
    // Kernels of FP32 tensors that name tensor cores work in TF32.
    let named = facts.input.or_else(|| facts.is_tensor.then_some(ElementType::Tf32));
    match of_shape {
        Some(ElementType::Fp32) => named.or(Some(ElementType::Fp32)),
        known => known.or(named).or(by_category),
    }
}

/// The operator of the catalogue that this group is, and its problem.
fn operator_of(group: &KernelGroup) -> Option<(&'static str, String)> {
    match group.shape? {
        OperatorShape::Product(ProductShape { batch, m, n, k, element }) => {
            let is_batched = batch > 1.0;
            let kernel = match (element, is_batched) {
                (ElementType::Bf16, false) => "linear_bf16",
                (ElementType::Fp16, false) => "linear_fp16",
                (ElementType::Fp8, false) => "linear_fp8",
                (ElementType::Fp4, false) => "linear_fp4",
                (ElementType::Bf16, true) => "bmm_bf16",
                _ => return None,
            };
            let outer = if is_batched { format!("b={batch};") } else { String::new() };
            Some((kernel, format!("{outer}m={m};n={n};k={k}")))
        }
        OperatorShape::Attention(a) => {
            let is_prefill = a.is_causal && a.queries == a.keys && a.element == ElementType::Bf16;
            let problem =
                format!("b={};s={};h={};kv={};d={}", a.batch, a.queries, a.heads, a.kv_heads, a.head_size);
            is_prefill.then_some(("attention_prefill", problem))
        }
    }
}
