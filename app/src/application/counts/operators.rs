//! Operators by the shapes of their arguments: products, convolutions, attention, streams, reductions, gathers, pooling.

use super::by_name::element_bytes_in;
use super::tensors::{ArgumentTensor, all_tensors, broadcast, flag, scalars, tensor};
use crate::application::category::KernelCategory;
use crate::application::group::{GroupCounts, OperatorCall};
use crate::application::shapes::{AttentionShape, OperatorShape, ProductShape};
use crate::application::trace::OperatorInputs;
use crate::catalogue::{FRAMEWORK_OPERATORS, FileError};
use serde::Deserialize;
use std::collections::HashMap;

/// Counts, and what was computed at which size where that is a product or attention.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CountedLaunch {
    /// FLOPs and bytes.
    pub(super) counts: GroupCounts,
    /// What was computed.
    pub(super) shape: Option<OperatorShape>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct OperatorTableFile {
    operator: Vec<OperatorRule>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct OperatorRule {
    names: Vec<String>,
    /// Parts of names of kernels: the rule is of these alone.
    #[serde(default)]
    kernels: Vec<String>,
    kind: RuleKind,
    a: Option<usize>,
    b: Option<usize>,
    #[serde(default)]
    transposed: bool,
    #[serde(default)]
    grouped: bool,
    stride: Option<usize>,
    padding: Option<usize>,
    dilation: Option<usize>,
    layout: Option<String>,
    causal: Option<usize>,
    reads: Option<Vec<usize>>,
    writes: Option<Vec<usize>>,
    flops: Option<f64>,
    result_bytes: Option<f64>,
    table: Option<usize>,
    index: Option<usize>,
    into: Option<usize>,
    first: Option<usize>,
    #[serde(default)]
    backward: bool,
    window: Option<usize>,
    size: Option<usize>,
    block_elements: Option<f64>,
    #[serde(default)]
    writes_all: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum RuleKind {
    Product,
    Convolution,
    Attention,
    Stream,
    Reduction,
    Gather,
    Pooling,
    Fused,
}

/// Characters of the start of a name by which a rule finds the kernels that a compiler named (`triton_poi_`).
const FAMILY: usize = 11;

/// The rules by operator name, or the start of it; of one operator those of some of its kernels before that of the others.
#[derive(Debug)]
pub(super) struct OperatorTable(HashMap<String, Vec<OperatorRule>>);

/// FLOPs and bytes of an operator, and its shape where the models know such an operator.
#[derive(Default)]
struct FoundCounts {
    flops: f64,
    bytes: Option<f64>,
    /// Of these bytes those that are read again.
    again: f64,
    shape: Option<OperatorShape>,
}

impl OperatorTable {
    /// That of `specs/framework-operators.toml`.
    pub(super) fn shipped() -> Result<Self, FileError> {
        let file: OperatorTableFile = FRAMEWORK_OPERATORS.parse()?;
        let mut by_name: HashMap<String, Vec<OperatorRule>> = HashMap::new();
        for rule in file.operator {
            for name in &rule.names {
                by_name.entry(name.clone()).or_default().push(rule.clone());
            }
        }
        by_name.values_mut().for_each(|rules| rules.sort_by_key(|rule| rule.kernels.is_empty()));
        Ok(Self(by_name))
    }

    /// The counts of a launch of this operator by a kernel of this name and so many blocks, if it is the main one.
    pub(super) fn counts(
        &self,
        call: &OperatorCall,
        kernel: &str,
        grid: Option<[u32; 3]>,
    ) -> Option<CountedLaunch> {
        let family = || call.name.get(..FAMILY).and_then(|start| self.0.get(start));
        let rules = self.0.get(&call.name).or_else(family)?;
        let rule = rules.iter().find(|rule| rule.is_of_kernel(kernel))?;
        if !rule.is_main_kernel(kernel) {
            return None;
        }
        let inputs = &call.inputs;
        let found = match rule.kind {
            RuleKind::Product => rule.product(inputs),
            RuleKind::Convolution => rule.convolution(inputs),
            RuleKind::Attention => rule.attention(inputs),
            RuleKind::Stream => rule.stream(inputs, element_bytes_in(kernel), grid),
            RuleKind::Reduction => rule.reduction(inputs),
            RuleKind::Gather => rule.gather(inputs, gathered_rows(kernel, grid)),
            RuleKind::Pooling => rule.pooling(inputs),
            RuleKind::Fused => rule.fused(inputs),
        }?;
        let usable = |n: &f64| n.is_finite() && *n >= 0.0;
        let dram_bytes = found.bytes.filter(usable);
        // Compulsory traffic touches every byte once, but where the result takes the place of what was read.
        let in_place = rule.is_in_place(call).then(|| all_tensors(inputs).iter().map(|t| t.bytes()).sum());
        let counts = GroupCounts {
            flops: Some(found.flops).filter(usable),
            dram_bytes,
            touched_bytes: in_place.unwrap_or(dram_bytes.map(|bytes| bytes - found.again)),
            from: format!("shapes of {}", call.name),
        };
        Some(CountedLaunch { counts, shape: found.shape })
    }
}

/// Bytes of an index whose type was not recorded: PyTorch's are 64 bits wide.
const INDEX_BYTES: f64 = 8.0;

/// Places of the result along one dimension.
fn spatial_output(input: u64, kernel: u64, stride: u64, padding: u64, dilation: u64) -> Option<u64> {
    let reach = dilation.checked_mul(kernel.checked_sub(1)?)?.checked_add(1)?;
    let room = input.checked_add(2 * padding)?.checked_sub(reach)?;
    Some(room / stride.max(1) + 1)
}

/// Rows that PyTorch's `vectorized_gather_kernel` copies: one for each block of the first dimension of its grid.
fn gathered_rows(kernel: &str, grid: Option<[u32; 3]>) -> Option<f64> {
    grid.filter(|_| kernel.contains("vectorized_gather_kernel")).map(|grid| f64::from(grid[0]))
}

/// Parts of names of kernels that do a little beside the one that does an operator's work.
const HELPERS: [&str; 13] = [
    "splitkreduce",
    "split_k_kernel",
    "prepare_grouped_gemm",
    "memset",
    "calc_invstd",
    "update_stats",
    "computefusedparams",
    "init_device_workspace",
    "addpadding",
    "reduction::kernel",
    "compute_dot_do_o",
    "convert_dq",
    "precompute_indices",
];

impl OperatorRule {
    /// Whether the rule is of a kernel of this name.
    fn is_of_kernel(&self, kernel: &str) -> bool {
        self.kernels.is_empty() || self.kernels.iter().any(|part| kernel.contains(part.as_str()))
    }

    /// Whether an operator writes over what it read, as PyTorch's do whose names end so, and all that it touches are its tensors.
    fn is_in_place(&self, call: &OperatorCall) -> bool {
        let has_lists = call.inputs.lists.iter().any(|list| !list.is_empty());
        self.kind == RuleKind::Stream && call.name.ends_with('_') && !has_lists
    }

    /// Whether a kernel of this name does the operator's work, and is no helper beside it.
    fn is_main_kernel(&self, kernel: &str) -> bool {
        let category = KernelCategory::of_names(kernel, "");
        let lower = crate::text::clipped_text(kernel, 512).to_ascii_lowercase();
        if HELPERS.iter().any(|helper| lower.contains(helper)) {
            return false;
        }
        match self.kind {
            RuleKind::Product | RuleKind::Convolution | RuleKind::Attention => {
                matches!(
                    category,
                    KernelCategory::Gemm
                        | KernelCategory::Convolution
                        | KernelCategory::Attention
                        | KernelCategory::Other
                ) || lower.contains("gemv")
            }
            RuleKind::Fused => true,
            RuleKind::Stream | RuleKind::Reduction | RuleKind::Gather | RuleKind::Pooling => !matches!(
                category,
                KernelCategory::Gemm | KernelCategory::Attention | KernelCategory::Convolution
            ),
        }
    }

    fn product(&self, inputs: &OperatorInputs) -> Option<FoundCounts> {
        let (a, b) = (tensor(inputs, self.a?)?, tensor(inputs, self.b?)?);
        let (rows, inner) = matrix(a)?;
        let (b_rows, b_columns) = if b.shape.len() == 1 { (b.shape[0], 1) } else { matrix(b)? };
        let (k, n) = if self.transposed { (b_columns, b_rows) } else { (b_rows, b_columns) };
        if k != inner || (self.grouped && [a.shape.len(), b.shape.len()] != [2, 3]) {
            return None;
        }
        let outer: f64 = a.shape[..a.shape.len() - 2.min(a.shape.len())].iter().map(|n| *n as f64).product();
        let is_batched = b.shape.len() > 2;
        let (batch, m) = match is_batched {
            // The rows of `a` are shared out among the groups; how, its third argument knows, and the trace does not.
            true if self.grouped => (b.shape[0] as f64, rows as f64 / b.shape[0] as f64),
            true => (outer, rows as f64),
            false => (1.0, outer * rows as f64),
        };
        let (n, k) = (n as f64, k as f64);
        let bytes = || {
            let size = a.element_bytes()?;
            let bias = self.a.filter(|at| *at > 0).and_then(|at| tensor(inputs, at - 1));
            let bias = bias.and_then(ArgumentTensor::bytes).unwrap_or(0.0);
            Some(a.bytes()? + b.bytes()? + batch * m * n * size + bias)
        };
        let shape =
            a.element().map(|element| OperatorShape::Product(ProductShape { batch, m, n, k, element }));
        Some(FoundCounts { flops: 2.0 * batch * m * n * k, bytes: bytes(), shape, ..FoundCounts::default() })
    }

    fn convolution(&self, inputs: &OperatorInputs) -> Option<FoundCounts> {
        if self.backward {
            return Self::convolution_backward(inputs);
        }
        let (input, weight) = (tensor(inputs, 0)?, tensor(inputs, 1)?);
        let (batch, spatial) = (*input.shape.first()?, input.shape.get(2..)?);
        let (out_channels, window) = (*weight.shape.first()?, weight.shape.get(2..)?);
        let list = |place: Option<usize>, missing: u64| {
            let known = place.and_then(|p| scalars(inputs, p)).unwrap_or_else(|| vec![missing]);
            move |at: usize| known.get(at).or(known.first()).copied().unwrap_or(missing)
        };
        // Without the recorded stride the size of the result is not known.
        self.stride.and_then(|p| scalars(inputs, p))?;
        let (stride, padding, dilation) =
            (list(self.stride, 1), list(self.padding, 0), list(self.dilation, 1));
        let output: Vec<u64> = spatial
            .iter()
            .zip(window)
            .enumerate()
            .map(|(i, (size, kernel))| spatial_output(*size, *kernel, stride(i), padding(i), dilation(i)))
            .collect::<Option<_>>()?;
        let places = output.iter().map(|n| *n as f64).product::<f64>() * batch as f64;
        let per_place = weight.elements() / out_channels as f64;
        let results = places * out_channels as f64;
        let bytes = || Some(input.bytes()? + weight.bytes()? + results * input.element_bytes()?);
        Some(FoundCounts { flops: 2.0 * results * per_place, bytes: bytes(), ..FoundCounts::default() })
    }

    /// One of its two kernels: the gradient of the input or that of the weight, each as many FLOPs as the forward pass.
    fn convolution_backward(inputs: &OperatorInputs) -> Option<FoundCounts> {
        let (result, input, weight) = (tensor(inputs, 0)?, tensor(inputs, 1)?, tensor(inputs, 2)?);
        let per_place = weight.elements() / *weight.shape.first()? as f64;
        let bytes = || Some(result.bytes()? + input.bytes()? + weight.bytes()?);
        Some(FoundCounts {
            flops: 2.0 * result.elements() * per_place,
            bytes: bytes(),
            ..FoundCounts::default()
        })
    }

    fn attention(&self, inputs: &OperatorInputs) -> Option<FoundCounts> {
        let first = self.first.unwrap_or(0);
        let (query, key, value) =
            (tensor(inputs, first)?, tensor(inputs, first + 1)?, tensor(inputs, first + 2)?);
        let [batch, second, third, head_size] = <[u64; 4]>::try_from(query.shape).ok()?.map(|n| n as f64);
        let [_, key_second, key_third, _] = <[u64; 4]>::try_from(key.shape).ok()?.map(|n| n as f64);
        let value_size = *value.shape.last()? as f64;
        let heads_last = self.layout.as_deref() == Some("batch sequence head");
        let (queries, heads) = if heads_last { (second, third) } else { (third, second) };
        let (keys, kv_heads) = if heads_last { (key_second, key_third) } else { (key_third, key_second) };
        let is_causal = self.causal.and_then(|p| flag(inputs, p)).unwrap_or(false);
        // A causal mask leaves the half: exactly so where queries and keys are as many.
        let looked_at = if is_causal && queries == keys { 0.5 } else { 1.0 };
        // Of the forward pass: queries by keys, and what comes of them by values.
        let products = head_size + value_size;
        // Backward: the products of queries and keys again, and the gradients of queries, keys, weights and values; every tensor has one.
        let [times, tensors] = if self.backward { [2.5, 2.0] } else { [1.0, 1.0] };
        let flops = times * 2.0 * products * batch * heads * queries * keys * looked_at;
        let bytes = || {
            let size = query.element_bytes()?;
            let result = batch * heads * queries * value_size * size;
            Some(tensors * (query.bytes()? + key.bytes()? + value.bytes()? + result))
        };
        let shape = query.element().filter(|_| !self.backward).map(|element| {
            let sizes =
                AttentionShape { batch, queries, keys, heads, kv_heads, head_size, is_causal, element };
            OperatorShape::Attention(sizes)
        });
        Some(FoundCounts { flops, bytes: bytes(), shape, ..FoundCounts::default() })
    }

    fn stream(
        &self,
        inputs: &OperatorInputs,
        of_kernel: Option<f64>,
        grid: Option<[u32; 3]>,
    ) -> Option<FoundCounts> {
        let all = all_tensors(inputs);
        let of_first_list = |per_block: f64| {
            let elements = listed_bytes(inputs, 0, Some(1.0))?;
            Some((per_block * f64::from(grid?[0]) / elements).min(1.0))
        };
        // A list that takes several launches: this one's share of it.
        let share = self.block_elements.map_or(Some(1.0), of_first_list)?;
        let elements = share * broadcast(&all).max(listed_elements(inputs));
        let at_places = |places: &[usize]| -> Option<f64> {
            places
                .iter()
                .map(|p| {
                    let of_list = listed_bytes(inputs, *p, of_kernel);
                    // One number in the place of a second list.
                    let of_list = of_list.or(self.block_elements.filter(|_| *p > 0).map(|_| 0.0));
                    tensor(inputs, *p).map_or(of_list, ArgumentTensor::bytes)
                })
                .sum()
        };
        let read = match &self.reads {
            Some(places) => at_places(places),
            None => all.iter().map(|t| t.bytes()).sum(),
        };
        let written = match &self.writes {
            Some(places) => at_places(places),
            None => self.result_bytes.or(all.first()?.element_bytes()).map(|size| size * elements),
        };
        let bytes = read.zip(written).map(|(read, written)| share * (read + written));
        Some(FoundCounts { flops: self.flops.unwrap_or(0.0) * elements, bytes, ..FoundCounts::default() })
    }

    /// Every tensor once, and no more of it than the places that the kernel goes through: its numbers at the end, in the order of
    /// TorchInductor's arguments (in and out, in, out). Where no tensor follows that all places fit in, the first is written over.
    fn fused(&self, inputs: &OperatorInputs) -> Option<FoundCounts> {
        let all = all_tensors(inputs);
        let (first, others) = all.split_first()?;
        let numbers = (0..inputs.scalars.len()).filter(|at| tensor(inputs, *at).is_none());
        let along_axes: Vec<f64> =
            numbers.filter_map(|at| scalars(inputs, at)).flatten().map(|n| n as f64).collect();
        let largest = all.iter().map(|t| t.elements()).fold(0.0, f64::max);
        // Older versions state none, and sizes that vary stand among them: some tensor holds all places.
        let places =
            if along_axes.is_empty() { largest } else { along_axes.iter().product::<f64>().min(largest) };
        let bytes_of = |t: &ArgumentTensor<'_>| Some(t.elements().min(places) * t.element_bytes()?);
        let once: f64 = all.iter().map(bytes_of).sum::<Option<f64>>()?;
        let is_written_over = self.writes_all && !others.iter().any(|t| t.elements() >= places);
        let again = if is_written_over { bytes_of(first)? } else { 0.0 };
        let flops = self.flops.unwrap_or(0.0) * places;
        Some(FoundCounts { flops, bytes: Some(once + again), ..FoundCounts::default() })
    }

    fn reduction(&self, inputs: &OperatorInputs) -> Option<FoundCounts> {
        let from = tensor(inputs, 0)?;
        Some(FoundCounts {
            flops: self.flops.unwrap_or(1.0) * from.elements(),
            bytes: from.bytes(),
            ..FoundCounts::default()
        })
    }

    /// `rows`: how many, where the launch says it and no argument does.
    fn gather(&self, inputs: &OperatorInputs, rows: Option<f64>) -> Option<FoundCounts> {
        let table = tensor(inputs, self.table?)?;
        let row = table.bytes()? / *table.shape.first()? as f64;
        let index = self.index.and_then(|place| tensor(inputs, place));
        let (rows, indices) = match index {
            Some(index) => (index.elements(), index.bytes()?),
            None => rows.map(|rows| (rows, INDEX_BYTES * rows))?,
        };
        let results = self.into.map_or(Some(rows), |place| Some(tensor(inputs, place)?.elements()))?;
        // No more of the table is touched than there is.
        let again = (rows * row - table.bytes()?).max(0.0);
        Some(FoundCounts { bytes: Some(indices + (rows + results) * row), again, ..FoundCounts::default() })
    }

    fn pooling(&self, inputs: &OperatorInputs) -> Option<FoundCounts> {
        let input = tensor(inputs, 0)?;
        let outer: f64 = input.shape.get(..2)?.iter().map(|n| *n as f64).product();
        let spatial = input.shape.get(2..)?;
        let list = |place: Option<usize>| place.and_then(|p| scalars(inputs, p));
        let at =
            |list: &Option<Vec<u64>>, i: usize| list.as_ref().and_then(|l| l.get(i).or(l.first()).copied());
        let (window, stride, padding) = (list(self.window), list(self.stride), list(self.padding));
        let places = match list(self.size) {
            Some(size) => size.iter().map(|n| *n as f64).product(),
            None => spatial
                .iter()
                .enumerate()
                .map(|(i, n)| {
                    let window = at(&window, i)?;
                    // Without a stride of its own a window follows the other.
                    let stride = at(&stride, i).unwrap_or(window);
                    spatial_output(*n, window, stride, at(&padding, i).unwrap_or(0), 1).map(|n| n as f64)
                })
                .product::<Option<f64>>()?,
        };
        let results = outer * places;
        let looked_at = window.map_or(1.0, |w| w.iter().map(|n| *n as f64).product());
        let result_bytes = input.element_bytes().map(|size| size + self.result_bytes.unwrap_or(0.0));
        let bytes = input.bytes().zip(result_bytes).map(|(read, size)| read + results * size);
        Some(FoundCounts { flops: results * looked_at, bytes, ..FoundCounts::default() })
    }
}

/// Rows and columns of the last two dimensions; a vector is one row.
fn matrix(tensor: ArgumentTensor<'_>) -> Option<(u64, u64)> {
    match tensor.shape {
        [columns] => Some((1, *columns)),
        [.., rows, columns] => Some((*rows, *columns)),
        [] => None,
    }
}

/// Elements of the largest list of tensors among the arguments.
fn listed_elements(inputs: &OperatorInputs) -> f64 {
    let elements = |shape: &Vec<u64>| shape.iter().map(|n| *n as f64).product::<f64>();
    inputs.lists.iter().map(|list| list.iter().map(elements).sum()).fold(0.0, f64::max)
}

/// Bytes of a list of tensors, whose type the trace does not state: the kernel's name does.
fn listed_bytes(inputs: &OperatorInputs, place: usize, element_bytes: Option<f64>) -> Option<f64> {
    let list = inputs.lists.get(place).filter(|l| !l.is_empty())?;
    let elements: f64 = list.iter().map(|shape| shape.iter().map(|n| *n as f64).product::<f64>()).sum();
    Some(elements * element_bytes?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(name: &str, shapes: &[&[u64]], types: &str, scalars: &[&str]) -> OperatorCall {
        let inputs = OperatorInputs {
            shapes: shapes.iter().map(|s| s.to_vec()).collect(),
            types: shapes.iter().map(|_| types.to_string()).collect(),
            scalars: scalars.iter().map(ToString::to_string).collect(),
            ..OperatorInputs::default()
        };
        OperatorCall { name: name.into(), inputs }
    }

    fn counts(call: &OperatorCall, kernel: &str) -> (f64, f64) {
        let found = OperatorTable::shipped().unwrap().counts(call, kernel, Some([500, 1, 1])).unwrap();
        (found.counts.flops.unwrap(), found.counts.dram_bytes.unwrap())
    }

    const BF16: &str = "c10::BFloat16";

    #[test]
    fn products_are_counted_by_hand() {
        let addmm = call("aten::addmm", &[&[768], &[788, 3072], &[3072, 768]], BF16, &[]);
        let flops = 2.0 * 788.0 * 3072.0 * 768.0;
        let elements = 788.0 * 3072.0 + 3072.0 * 768.0 + 788.0 * 768.0 + 768.0;
        assert_eq!(counts(&addmm, "sm90_xmma_gemm_bf16bf16"), (flops, 2.0 * elements));
        let bmm = call("aten::bmm", &[&[96, 3137, 64], &[96, 64, 3137]], BF16, &[]);
        assert_eq!(counts(&bmm, "cutlass_gemm").0, 2.0 * 96.0 * 3137.0 * 3137.0 * 64.0);
        let linear = call("aten::linear", &[&[4, 8, 16], &[32, 16]], "float", &[]);
        assert_eq!(counts(&linear, "sgemm"), (2.0 * 32.0 * 32.0 * 16.0, 4.0 * (512.0 + 512.0 + 1024.0)));
        let odd = call("aten::mm", &[&[4, 8], &[9, 16]], BF16, &[]);
        assert!(OperatorTable::shipped().unwrap().counts(&odd, "gemm", None).is_none(), "8 is not 9");
        assert!(
            OperatorTable::shipped().unwrap().counts(&bmm, "splitKreduce_kernel", None).is_none(),
            "a helper"
        );
    }

    #[test]
    fn convolution_and_attention_are_counted_by_hand() {
        let scalars = ["", "", "[0, 0]", "[16, 16]", "[1, 1]", "1"];
        let shapes: [&[u64]; 6] = [&[4, 3, 224, 224], &[768, 3, 16, 16], &[], &[], &[], &[]];
        let convolution = call("aten::cudnn_convolution", &shapes, BF16, &scalars);
        let flops = 2.0 * 4.0 * 768.0 * 14.0 * 14.0 * 3.0 * 256.0;
        let bytes = 2.0 * (4.0 * 3.0 * 224.0 * 224.0 + 768.0 * 768.0 + 4.0 * 768.0 * 196.0);
        assert_eq!(counts(&convolution, "cutlass_tensorop_bf16_s16816fprop_optimized"), (flops, bytes));
        assert!(OperatorTable::shipped().unwrap().counts(&convolution, "nchwToNhwcKernel", None).is_none());
        let miopen = ["", "", "", "[0, 0]", "[16, 16]", "[1, 1]", "1", "False", "False"];
        let with_sum = ["", "", "", "1", "", "[16, 16]", "[0, 0]", "[1, 1]", "1"];
        for (name, scalars) in [("miopen_convolution", miopen), ("cudnn_convolution_add_relu", with_sum)] {
            let other = call(&format!("aten::{name}"), &shapes, BF16, &scalars);
            assert_eq!(counts(&other, "fprop").0, flops, "{name}");
        }
        let shape: &[u64] = &[4, 197, 12, 64];
        let all: [&[u64]; 9] = [shape, shape, shape, &[], &[], &[], &[], &[], &[]];
        let mut scalars = vec!["", "", "", "", "", "197", "197", "0.", "False"];
        let whole = 4.0 * 4.0 * 12.0 * 197.0 * 197.0 * 64.0;
        let flash = |scalars: &[&str]| call("aten::_flash_attention_forward", &all, BF16, scalars);
        assert_eq!(counts(&flash(&scalars), "flash_fwd_kernel"), (whole, 2.0 * 4.0 * 4.0 * 197.0 * 768.0));
        scalars[8] = "True";
        assert_eq!(counts(&flash(&scalars), "flash_fwd_kernel").0, whole / 2.0);
        let own =
            call("flash_attn::_flash_attn_forward", &all[..6], BF16, &["", "", "", "0.0", "0.125", "True"]);
        assert_eq!(counts(&own, "flash::flash_fwd_kernel").0, whole / 2.0);
        let shape: &[u64] = &[4, 12, 197, 64];
        let all: [&[u64]; 11] = [shape, shape, shape, &[], &[], &[], &[], &[], &[], &[], &[]];
        let cudnn = ["", "", "", "", "", "", "197", "197", "False", "0.", "False"];
        assert_eq!(
            counts(&call("aten::_cudnn_attention_forward", &all, BF16, &cudnn), "cudnn_sdpa").0,
            whole
        );
    }

    #[test]
    fn streams_move_what_they_read_and_write() {
        let add = call("aten::add", &[&[4, 197, 768], &[1, 197, 768], &[]], BF16, &[]);
        let (big, small) = (4.0 * 197.0 * 768.0, 197.0 * 768.0);
        assert_eq!(counts(&add, "elementwise_kernel"), (big, 2.0 * (2.0 * big + small)));
        let copy = call("aten::copy_", &[&[8, 64], &[8, 64]], "float", &[]);
        assert_eq!(counts(&copy, "unrolled_elementwise_kernel"), (0.0, 2.0 * 4.0 * 512.0));
        // An index and the channels of a norm do not broadcast with the rest: the largest tensor has the elements.
        let rows = call("aten::index_add_", &[&[500, 64], &[], &[2000], &[2000, 64]], "float", &[]);
        assert_eq!(counts(&rows, "indexFuncLargeIndex").0, 2000.0 * 64.0);
        let touched = |call| {
            OperatorTable::shipped().unwrap().counts(call, "index", None).unwrap().counts.touched_bytes
        };
        assert_eq!(touched(&rows), Some(4.0 * (500.0 * 64.0 + 2000.0 + 2000.0 * 64.0)));
        let compare = call("aten::eq", &[&[100], &[]], "long int", &[]);
        assert_eq!(counts(&compare, "vectorized_elementwise_kernel").1, 900.0);
        let mut cat = call("aten::cat", &[&[], &[]], "", &[]);
        cat.inputs.lists = vec![vec![vec![4, 1, 8], vec![4, 3, 8]], vec![]];
        assert_eq!(
            counts(
                &cat,
                "CatArrayBatchedCopy<at::native::(anonymous namespace)::OpaqueType<2u>, unsigned int>"
            )
            .1,
            2.0 * 2.0 * 128.0
        );
        let norm = call("_C::fused_add_rms_norm", &[&[64, 4096], &[64, 4096], &[4096]], BF16, &[]);
        assert_eq!(counts(&norm, "vllm::fused_add_rms_norm_kernel").1, 4.0 * 2.0 * 64.0 * 4096.0);
        let select = call("aten::index_select", &[&[30522, 512], &[], &[141]], BF16, &[]);
        assert_eq!(counts(&select, "indexSelectLargeIndex").1, 141.0 * 2.0 + 2.0 * 141.0 * 512.0 * 2.0);
    }

    #[test]
    fn an_operator_in_place_touches_its_tensors_once() {
        let table = OperatorTable::shipped().unwrap();
        for (name, second, touched) in [
            ("aten::clamp_min_", &[][..], 400.0),
            ("aten::add_", &[100][..], 800.0),
            ("aten::add", &[100][..], 1200.0),
        ] {
            let call = call(name, &[&[100], second], "float", &[]);
            let counts = table.counts(&call, "vectorized_elementwise_kernel", None).unwrap().counts;
            let moved = if second.is_empty() { 800.0 } else { 1200.0 };
            assert_eq!((counts.dram_bytes, counts.touched_bytes), (Some(moved), Some(touched)), "{name}");
        }
    }

    #[test]
    fn compiled_kernels_are_counted_by_their_tensors_and_places() {
        let scalars = |at: usize, places: &'static [&'static str]| [&vec![""; at][..], places].concat();
        let image: &[u64] = &[64, 64, 56, 56];
        let norm =
            call("triton_poi_fused_relu_2", &[image, &[64], &[64], &[]], BF16, &scalars(3, &["12845056"]));
        let elements = 64.0 * 64.0 * 3136.0;
        assert_eq!(
            counts(&norm, "triton_poi_fused_relu_2"),
            (8.0 * elements, 2.0 * (2.0 * elements + 128.0))
        );
        let copy = call("triton_poi_fused_clone_3", &[image, image, &[]], BF16, &scalars(2, &["12845056"]));
        assert_eq!(counts(&copy, "triton_poi_fused_clone_3").1, 4.0 * elements);
        // Sizes that vary are numbers too, and older versions state no places.
        for places in [&["8", "12845056"][..], &["12845056"], &[]] {
            let copy = call("triton_poi_fused_clone_3", &[image, image], BF16, &[&["", ""], places].concat());
            assert_eq!(
                counts(&copy, "triton_poi_fused_clone_3"),
                (8.0 * elements, 4.0 * elements),
                "{places:?}"
            );
        }
        // Of a table, what is looked up.
        let shapes: [&[u64]; 5] = [&[2, 2048], &[32000, 2048], &[2, 2048, 2048], &[], &[]];
        let mut looked_up =
            call("triton_red_fused_embedding_mean_0", &shapes, BF16, &scalars(3, &["4096", "2048"]));
        looked_up.inputs.types[0] = "long int".into();
        let rows = 4096.0 * 2048.0;
        assert_eq!(counts(&looked_up, "triton_red_fused_embedding_mean_0").1, 8.0 * 4096.0 + 4.0 * rows);
    }

    #[test]
    fn experts_share_rows_and_a_list_is_shared_out_among_launches() {
        let experts = call("aten::_grouped_mm", &[&[8192, 1024], &[8, 1024, 7168], &[8]], BF16, &[]);
        let found =
            OperatorTable::shipped().unwrap().counts(&experts, "cutlass::device_kernel", None).unwrap();
        assert_eq!(found.counts.flops, Some(2.0 * 8192.0 * 1024.0 * 7168.0));
        assert_eq!(found.counts.dram_bytes, Some(2.0 * 1024.0 * (8192.0 + 8.0 * 7168.0 + 8.0 * 7168.0)));
        let Some(OperatorShape::Product(product)) = found.shape else { panic!("a product") };
        assert_eq!((product.batch, product.m), (8.0, 1024.0));

        let mut adam = call("aten::_fused_adamw_", &[&[][..]; 6], "TensorList", &[]);
        let weights = vec![vec![1000, 65536], vec![1024]];
        adam.inputs.lists = vec![weights; 4];
        // 500 blocks of 65,536 elements: about the half.
        let (flops, bytes) = counts(&adam, "multi_tensor_apply_kernel<FusedAdamMathFunctor<float, 4>>");
        assert!(
            (bytes - 7.0 * 4.0 * 500.0 * 65536.0).abs() < 1.0 && (flops - 12.0 * 500.0 * 65536.0).abs() < 1.0
        );
        let mut scaled = call("aten::_foreach_mul_", &[&[], &[]], "TensorList", &["", "0.9"]);
        scaled.inputs.lists = vec![vec![vec![1000]], vec![]];
        assert_eq!(counts(&scaled, "multi_tensor_apply_kernel<float>").1, 2.0 * 4000.0);
    }

    #[test]
    fn backward_passes_pooling_and_rows_are_counted_by_hand() {
        let grad: &[u64] = &[64, 512, 28, 28];
        let conv =
            call("aten::convolution_backward", &[grad, &[64, 128, 28, 28], &[512, 128, 1, 1]], BF16, &[]);
        let elements = 64.0 * 784.0;
        assert_eq!(
            counts(&conv, "sm90_xmma_dgrad_implicit_gemm"),
            (2.0 * elements * 512.0 * 128.0, 2.0 * (elements * 640.0 + 512.0 * 128.0))
        );
        let norm = call("aten::native_batch_norm_backward", &[grad, grad], BF16, &[]);
        let tensor = 2.0 * elements * 512.0;
        assert_eq!(counts(&norm, "batch_norm_backward_reduce_channels_last_kernel").1, 2.0 * tensor);
        assert_eq!(counts(&norm, "batch_norm_backward_elemt_channels_last_kernel").1, 3.0 * tensor);
        let forward = call("aten::native_batch_norm", &[grad], BF16, &[]);
        assert_eq!(counts(&forward, "batch_norm_collect_statistics_channels_last_kernel").1, tensor);
        assert_eq!(counts(&forward, "batch_norm_transform_input_channels_last_kernel").1, 2.0 * tensor);
        let table = OperatorTable::shipped().unwrap();
        assert!(
            table.counts(&forward, "vectorized_elementwise_kernel<4, batch_norm_calc_invstd", None).is_none()
        );

        let image: &[u64] = &[64, 64, 112, 112];
        let max = ["", "[3, 3]", "[2, 2]", "[1, 1]", "[1, 1]", "False"];
        let max = call("aten::max_pool2d_with_indices", &[image, &[], &[], &[]], BF16, &max);
        let (read, places) = (64.0 * 64.0 * 112.0 * 112.0, 64.0 * 64.0 * 56.0 * 56.0);
        assert_eq!(counts(&max, "max_pool_forward_nhwc"), (9.0 * places, 2.0 * read + 10.0 * places));
        let mean = call("aten::avg_pool2d", &[image], BF16, &["", "[2, 2]", "[]", "[0, 0]"]);
        assert_eq!(counts(&mean, "avg_pool2d_out_cuda_frame"), (4.0 * places, 2.0 * (read + places)));
        let larger = call("aten::upsample_nearest2d", &[image], BF16, &["", "[224, 224]"]);
        assert_eq!(counts(&larger, "upsample_nearest2d_out_frame").1, 2.0 * (read + 16.0 * places));

        let index = call("aten::index", &[&[200_000, 256], &[]], "float", &[]);
        assert_eq!(counts(&index, "vectorized_gather_kernel<16, long>").1, 500.0 * (8.0 + 2.0 * 1024.0));
        assert!(table.counts(&index, "index_elementwise_kernel", Some([500, 1, 1])).is_none());
        let bag = call("aten::_embedding_bag", &[&[1000, 128], &[2048], &[64]], "float", &[]);
        let index_bytes = 2048.0 * 4.0;
        assert_eq!(counts(&bag, "EmbeddingBag_updateOutputKernel").1, index_bytes + (2048.0 + 64.0) * 512.0);

        let head: &[u64] = &[8, 12, 1024, 64];
        let mut scalars = vec![""; 15];
        scalars[14] = "True";
        let shapes =
            [head, head, head, head, head, &[8, 12, 1024, 1], &[], &[], &[], &[], &[], &[], &[], &[], &[]];
        let backward = call("aten::_cudnn_attention_backward", &shapes, BF16, &scalars);
        let forward = 4.0 * 8.0 * 12.0 * 1024.0 * 1024.0 * 64.0 * 0.5;
        let bytes = 8.0 * 2.0 * 8.0 * 12.0 * 1024.0 * 64.0;
        assert_eq!(
            counts(&backward, "cudnn_generated_fort_native_sdpa_sm90_flash_bprop"),
            (2.5 * forward, bytes)
        );
        assert!(table.counts(&backward, "cudnn::fusion::convert_dq_to_16bits", None).is_none());
    }
}
