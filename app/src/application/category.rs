//! What a kernel is for, by its operator and its name: the colours of the bar.

/// What a kernel is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KernelCategory {
    /// Matrix products.
    Gemm,
    /// Attention.
    Attention,
    /// Convolution.
    Convolution,
    /// Layer, batch and RMS norms, softmax.
    Normalisation,
    /// Reductions.
    Reduction,
    /// Every element read, changed and written.
    Elementwise,
    /// Copies, transpositions, gathers made by kernels.
    Movement,
    /// Messages between GPUs.
    Communication,
    /// A CUDA graph that ran as a whole.
    Graph,
    /// Anything else.
    Other,
}

/// Starts of the names that TorchInductor gives: what follows lists every operator that went into a kernel.
const COMPILED: [(KernelCategory, &str); 4] = [
    (KernelCategory::Elementwise, "triton_poi_"),
    (KernelCategory::Reduction, "triton_red_"),
    (KernelCategory::Reduction, "triton_per_"),
    (KernelCategory::Elementwise, "triton_for_"),
];

/// Words of names and operators, the most particular first.
const WORDS: [(KernelCategory, &[&str]); 8] = [
    (
        KernelCategory::Communication,
        &["nccl", "allreduce", "all_reduce", "allgather", "reducescatter", "rccl"],
    ),
    (KernelCategory::Attention, &["flash", "fmha", "attention", "mha_", "ckt_fmha", "attn_fwd", "attn_bwd"]),
    (
        KernelCategory::Convolution,
        &[
            "convolution",
            "conv2d",
            "conv3d",
            "fprop",
            "dgrad",
            "wgrad",
            "winograd",
            "implicit_gemm",
            "cudnn_conv",
        ],
    ),
    (
        KernelCategory::Gemm,
        &[
            "gemm",
            "gemv",
            "nvjet", // cuBLAS 12.6 and later, from compute capability 9.0 on
            "cublas",
            "matmul",
            "aten::mm",
            "aten::bmm",
            "aten::addmm",
            "aten::linear",
            "grouped_mm",
            "cijk_",
            "splitk",
        ],
    ),
    (KernelCategory::Normalisation, &["norm", "softmax"]),
    (
        KernelCategory::Movement,
        &[
            "copy",
            "transpose",
            "nchwtonhwc",
            "nhwctonchw",
            "index",
            "gather",
            "scatter",
            "catarray",
            "embedding",
            "permute",
        ],
    ),
    (KernelCategory::Reduction, &["reduce", "aten::sum", "aten::mean", "argmax", "cumsum"]),
    (
        KernelCategory::Elementwise,
        &[
            "elementwise",
            "fusion", // XLA's: loop_add_fusion; input_reduce_fusion is a reduction
            "pointwise",
            "gelu",
            "relu",
            "silu",
            "aten::add",
            "aten::mul",
            "fill",
            "bias",
            "activation",
            "subtensorop",
        ],
    ),
];

impl KernelCategory {
    /// All, in the order of a bar.
    pub const ALL: [Self; 10] = [
        Self::Gemm,
        Self::Attention,
        Self::Convolution,
        Self::Normalisation,
        Self::Reduction,
        Self::Elementwise,
        Self::Movement,
        Self::Communication,
        Self::Graph,
        Self::Other,
    ];

    /// As tables, pictures and JSON have it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Gemm => "matrix product",
            Self::Attention => "attention",
            Self::Convolution => "convolution",
            Self::Normalisation => "norm, softmax",
            Self::Reduction => "reduction",
            Self::Elementwise => "element-wise",
            Self::Movement => "copy, gather",
            Self::Communication => "communication",
            Self::Graph => "CUDA graph",
            Self::Other => "other",
        }
    }

    /// By the kernel's name first, then by its operator.
    #[must_use]
    pub fn of_names(kernel: &str, operator: &str) -> Self {
        if let Some((category, _)) = COMPILED.iter().find(|(_, start)| kernel.starts_with(start)) {
            return *category;
        }
        let lower = |text: &str| crate::text::clipped_text(text, 512).to_ascii_lowercase();
        let texts = [lower(kernel), lower(operator)];
        let found = |text: &String| WORDS.iter().find(|(_, words)| words.iter().any(|w| text.contains(w)));
        let generic = [Self::Elementwise, Self::Reduction, Self::Movement];
        let [of_kernel, of_operator] = texts.each_ref().map(|t| found(t).map(|(category, _)| *category));
        match (of_kernel, of_operator) {
            // `elementwise_kernel<…direct_copy…>` of `aten::copy_`: the operator knows what for, unless it is a product whose
            // helper this is.
            (Some(a), Some(b)) if generic.contains(&a) && generic.contains(&b) => b,
            (Some(a), _) => a,
            (None, b) => b.unwrap_or(Self::Other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_operators_say_what_for() {
        use KernelCategory as K;
        for (kernel, operator, expected) in [
            ("sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize64x256x8_stage3", "", K::Gemm),
            ("nvjet_tst_128x64_64x6_1x2_h_bz_TNT", "aten::addmm", K::Gemm),
            ("nvjet_sm90_tst_192x192_64x4_1x2_h_bz_coopB_bias_TNN", "", K::Gemm),
            ("void pytorch_flash::flash_fwd_kernel<...>", "aten::_flash_attention_forward", K::Attention),
            (
                "void cudnn::engines_precompiled::nchwToNhwcKernel<...>",
                "aten::cudnn_convolution",
                K::Movement,
            ),
            (
                "cutlass__5x_cudnn::Kernel<cutlass_tensorop_bf16_s16816fprop_optimized>",
                "aten::cudnn_convolution",
                K::Convolution,
            ),
            (
                "void at::native::vectorized_elementwise_kernel<4, CUDAFunctor_add>",
                "aten::add",
                K::Elementwise,
            ),
            (
                "void at::native::unrolled_elementwise_kernel<direct_copy_kernel_cuda>",
                "aten::copy_",
                K::Movement,
            ),
            (
                "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel",
                "aten::native_layer_norm",
                K::Normalisation,
            ),
            ("ncclDevKernel_AllReduce_Sum_bf16_RING_LL", "", K::Communication),
            ("triton_poi_fused__scaled_dot_product_cudnn_attention_view_1", "", K::Elementwise),
            ("triton_red_fused__to_copy_add_mean_pow_rsqrt_10", "", K::Reduction),
            ("triton_tem_fused_mm_3", "", K::Other),
            ("mystery", "", K::Other),
        ] {
            assert_eq!(K::of_names(kernel, operator), expected, "{kernel}");
        }
    }
}
