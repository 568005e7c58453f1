//! Kernels without an operator, by their name and launch: PyTorch's element-wise kernels state elements per thread, the number
//! of their tensors and their type as template arguments.

use super::tensors::element_bytes;
use crate::application::group::{GroupCounts, KernelGroup};
use crate::application::label::LONGEST_LOOK;

/// The counts of an element-wise kernel: blocks x threads x elements per thread, read and written by each of its tensors. The
/// last block may be partly empty, so that small launches count a little too much.
pub(super) fn counts_by_name(group: &KernelGroup) -> Option<GroupCounts> {
    let name = crate::text::clipped_text(&group.name, LONGEST_LOOK);
    let per_thread = elements_per_thread(&name)?;
    let launch = |s: [u32; 3]| s.iter().map(|n| f64::from(*n)).product::<f64>();
    let elements = launch(group.grid?) * launch(group.block?) * per_thread;
    let tensors = tensor_count(&name)?;
    let bytes = element_bytes_in(&name)? * tensors * elements;
    // One operation per element: what it is does not matter for a kernel that waits for memory.
    let flops = if name.contains("copy") || name.contains("Fill") { 0.0 } else { elements };
    let from = "name and launch".to_string();
    Some(GroupCounts { flops: Some(flops), dram_bytes: Some(bytes), touched_bytes: Some(bytes), from })
}

/// `vectorized_elementwise_kernel<4, …>`: elements per thread; `elementwise_kernel<128, 4, …>`: the second.
fn elements_per_thread(name: &str) -> Option<f64> {
    let after = |word: &str| name.split_once(word).map(|(_, rest)| rest);
    let numbers = |text: &str| -> Vec<f64> {
        let arguments = text.split(',').take(2).map(|a| a.trim().trim_start_matches("(int)"));
        arguments.map_while(|a| a.parse().ok()).collect()
    };
    if let Some(rest) = after("vectorized_elementwise_kernel<") {
        return numbers(rest).first().copied();
    }
    let rest = after("elementwise_kernel<")?;
    numbers(rest).get(1).copied()
}

/// Tensors that are read or written: `std::array<char*, 3ul>`, `at::detail::Array<char*, 2>`; else by the functor.
fn tensor_count(name: &str) -> Option<f64> {
    if let Some((_, rest)) = name.split_once("rray<char") {
        let digits: String = rest
            .trim_start_matches([' ', '*', ','])
            .trim_start_matches("(unsigned long)")
            .trim_start_matches("(int)")
            .chars()
            .take_while(char::is_ascii_digit)
            .collect();
        return digits.parse().ok();
    }
    let binary = ["BinaryFunctor", "CUDAFunctor_add<"];
    let unary = ["direct_copy", "AUnaryFunctor", "BUnaryFunctor", "CUDAFunctorOnSelf"];
    if binary.iter().any(|word| name.contains(word)) {
        return Some(3.0);
    }
    unary.iter().any(|word| name.contains(word)).then_some(2.0)
}

/// Bytes of an element by the first type among the template arguments: `OpaqueType<2u>`, `c10::BFloat16`, `float`.
pub(super) fn element_bytes_in(name: &str) -> Option<f64> {
    if let Some((_, rest)) = name.split_once("OpaqueType<") {
        let digits: String =
            rest.trim_start_matches("(unsigned int)").chars().take_while(char::is_ascii_digit).collect();
        return digits.parse().ok();
    }
    let words = name.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    let types = ["BFloat16", "Half", "float", "double", "bool", "long", "__nv_bfloat16", "__half"];
    words.filter(|w| types.contains(w)).find_map(element_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::application::KernelCategory;

    fn counted(name: &str) -> Option<(f64, f64)> {
        let category = KernelCategory::Elementwise;
        let group = KernelGroup {
            grid: Some([141, 1, 1]),
            block: Some([128, 1, 1]),
            ..KernelGroup::unlaunched(name, category)
        };
        let counts = counts_by_name(&group)?;
        Some((counts.flops?, counts.dram_bytes?))
    }

    #[test]
    fn element_wise_kernels_state_their_elements() {
        let elements = 141.0 * 128.0 * 4.0;
        for (name, expected) in [
            (
                "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul> >(int)",
                Some((elements, 6.0 * elements)),
            ),
            (
                "void at::native::vectorized_elementwise_kernel<(int)4, at::native::FillFunctor<float>, std::array<char *, (unsigned long)1>>(int)",
                Some((0.0, 4.0 * elements)),
            ),
            (
                "void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl<at::native::direct_copy_kernel_cuda(float)>>",
                Some((0.0, 8.0 * elements)),
            ),
            ("sgemm_128x64_tn", None),
        ] {
            assert_eq!(counted(name), expected, "{name}");
        }
    }
}
