//! What the name of a library's kernel says of it: types, tile, stages, instruction.
//!
//! ```
//! use roofswap_engine::kernel::NameFacts;
//! let facts = NameFacts::of_name("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_stage4");
//! assert!(facts.is_tensor);
//! assert_eq!(facts.tile, Some([128, 128, 64]));
//! assert_eq!(facts.input.map(|t| t.as_str()), Some("bf16"));
//! assert_eq!(facts.accumulate.map(|t| t.as_str()), Some("fp32"));
//! ```

use crate::catalogue::ElementType;

/// What a name states; `None` for what it does not.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NameFacts {
    /// Whether it names tensor cores: an instruction of theirs, or a family of kernels that uses nothing else.
    pub is_tensor: bool,
    /// Type of the operands.
    pub input: Option<ElementType>,
    /// Type that products are added in.
    pub accumulate: Option<ElementType>,
    /// Rows, columns and depth of a block's tile; depth 0 where the name states two numbers.
    pub tile: Option<[u32; 3]>,
    /// Tiles in flight.
    pub stages: Option<u32>,
    /// The tensor instruction as the name has it: `s16816`, `hgmma`.
    pub instruction: Option<String>,
}

/// Words that mean tensor cores wherever they stand in a name.
const TENSOR_WORDS: [&str; 13] = [
    "tensorop",
    "xmma",
    "hmma",
    "wgmma",
    "hgmma",
    "qgmma",
    "imma",
    "flash_fwd",
    "flash_bwd",
    "flashattn",
    "fmha",
    "tcgen05",
    "nvjet",
];

/// Words that mean FP32 on the vector pipes, of whatever family of kernels: `sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_..._ffma_...`.
const VECTOR_WORDS: [&str; 2] = ["_ffma_", "_simt_"];

/// Instructions of libraries, with the type of their operands and of their sums. CUTLASS names the type of operands that are not
/// FP32, and FP32 ones are rounded to TF32.
const INSTRUCTIONS: [(&str, ElementType, ElementType); 12] = [
    ("80_tensorop_s1688gemm_f16", ElementType::Fp16, ElementType::Fp32),
    ("80_tensorop_s1688gemm", ElementType::Tf32, ElementType::Fp32),
    ("s16816gemm_bf16", ElementType::Bf16, ElementType::Fp32),
    ("bf16_s16816", ElementType::Bf16, ElementType::Fp32),
    ("s16816", ElementType::Fp16, ElementType::Fp32),
    ("h16816", ElementType::Fp16, ElementType::Fp16),
    ("s1688", ElementType::Fp16, ElementType::Fp32),
    ("h1688", ElementType::Fp16, ElementType::Fp16),
    ("s884", ElementType::Fp16, ElementType::Fp32),
    ("h884", ElementType::Fp16, ElementType::Fp16),
    ("i16832", ElementType::Int8, ElementType::Int32),
    ("d884", ElementType::Fp64, ElementType::Fp64),
];

/// Parts of the names of tensor instructions that one warp issues, whatever the GPU has beside them.
const WARP_INSTRUCTIONS: [&str; 8] = ["1688", "16816", "16832", "884", "mma.sync", "wmma", "hmma", "imma"];

/// Words of a name that state the type of the operands.
const INPUT_WORDS: [(&str, ElementType); 16] = [
    // Before the types of their scales: `ue4m3xe2m1`.
    ("e2m1", ElementType::Fp4),
    ("nvf4", ElementType::Fp4),
    ("mxf4", ElementType::Fp4),
    ("nvfp4", ElementType::Fp4),
    ("mxfp4", ElementType::Fp4),
    ("e4m3", ElementType::Fp8),
    ("e5m2", ElementType::Fp8),
    ("f64f64", ElementType::Fp64),
    ("bf16bf16", ElementType::Bf16),
    ("f16f16", ElementType::Fp16),
    ("tf32tf32", ElementType::Tf32),
    ("i8i8", ElementType::Int8),
    ("bf16", ElementType::Bf16),
    ("tf32", ElementType::Tf32),
    ("fp8", ElementType::Fp8),
    ("fp16", ElementType::Fp16),
];

/// Routines of BLAS in double precision, as libraries name their kernels: `volta_dgemm_128x64_nn`.
const DOUBLE_WORDS: [&str; 4] = ["_dgemm", "_dgemv", "_dsyrk", "_dtrsm"];

/// The longest name that is looked at: what comes later are arguments of templates.
const LONGEST_LOOK: usize = 1024;

impl NameFacts {
    /// Whether GPUs of this compute capability's major number have the tensor instruction that it states: those of warp groups are Hopper's alone,
    /// `tcgen05` that of 10 and 11. One that is not stated runs everywhere.
    #[must_use]
    pub fn runs_on_major(&self, major: u8) -> bool {
        match self.instruction.as_deref() {
            Some(name) if name.contains("gmma") => major == 9,
            Some("tcgen05") => matches!(major, 10 | 11),
            _ => true,
        }
    }

    /// Whether it states a tensor instruction of one warp: `s16816`, `mma.sync`, `mma`.
    #[must_use]
    pub fn is_of_one_warp(&self) -> bool {
        let is_one = |name: &String| {
            let lower = name.to_ascii_lowercase();
            lower == "mma" || WARP_INSTRUCTIONS.into_iter().any(|part| lower.contains(part))
        };
        self.instruction.as_ref().is_some_and(is_one)
    }

    /// Reads a kernel's full name, mangled or not. Nothing is assumed: what is not stated stays unknown.
    #[must_use]
    pub fn of_name(name: &str) -> Self {
        let lower: String = name.chars().take(LONGEST_LOOK).collect::<String>().to_ascii_lowercase();
        if let Some(facts) = facts_of_cutlass_3(&lower) {
            return facts;
        }
        let instruction = INSTRUCTIONS.iter().find(|(word, ..)| lower.contains(word));
        let of_cores = TENSOR_WORDS.into_iter().find(|word| lower.contains(word));
        let is_vector = VECTOR_WORDS.into_iter().any(|word| lower.contains(word));
        let is_tensor = !is_vector && (instruction.is_some() || of_cores.is_some());
        if !is_tensor {
            let is_double = DOUBLE_WORDS.into_iter().any(|word| lower.contains(word));
            let input = is_double.then_some(ElementType::Fp64);
            return Self { input, tile: tile_in(&lower), stages: stages_in(&lower), ..Self::default() };
        }
        let stated = INPUT_WORDS.iter().find(|(word, _)| lower.contains(word)).map(|(_, element)| *element);
        let of_nvjet = nvjet_input(&lower);
        let accumulate = accumulate_in(&lower).or(of_nvjet.map(|_| ElementType::Fp32));
        Self {
            is_tensor,
            input: of_nvjet.or(stated).or(instruction.map(|(_, input, _)| *input)),
            accumulate: accumulate.or(instruction.map(|(_, _, sum)| *sum)),
            tile: tile_in(&lower),
            stages: stages_in(&lower),
            instruction: instruction.map(|(word, ..)| (*word).to_string()),
        }
    }
}

/// The operands of cuBLAS's `nvjet_tst_…` and `nvjet_sm90_hsh_…`, where the letters are known: what ran in BF16 and in FP16 on an H200,
/// sums in FP32.
fn nvjet_input(lower: &str) -> Option<ElementType> {
    let (_, behind) = lower.split_once("nvjet_")?;
    let mut words = behind.split('_').skip_while(|word| word.starts_with("sm"));
    match words.next()? {
        "tst" => Some(ElementType::Bf16),
        "hsh" => Some(ElementType::Fp16),
        _ => None,
    }
}

/// Types as CUTLASS 3 ends the word of an operand with: `f8`, `ue4m3xe2m1` (scale and type). Operands of `f32` are rounded
/// to TF32 on tensor cores.
const CUTLASS_3_OPERANDS: [(&str, ElementType); 11] = [
    ("e2m1", ElementType::Fp4),
    ("f4", ElementType::Fp4),
    ("e4m3", ElementType::Fp8),
    ("e5m2", ElementType::Fp8),
    ("f8", ElementType::Fp8),
    ("bf16", ElementType::Bf16),
    ("f16", ElementType::Fp16),
    ("tf32", ElementType::Tf32),
    ("f32", ElementType::Tf32),
    ("s8", ElementType::Int8),
    ("u8", ElementType::Int8),
];

/// `cutlass3x_sm100_tensorop_s64x256x32gemm_f8_f8_f32_f16_f16_64x256x128_1x1x1_0_tnn`: behind the instruction stand the types
/// of A, B, the sum, C and D, then the tile of a block.
fn facts_of_cutlass_3(name: &str) -> Option<NameFacts> {
    let (head, types) = name.split_once("cutlass3x")?.1.split_once("gemm_")?;
    let types = types.strip_prefix("block_scaled_").unwrap_or(types);
    let (operand, sum) = (types.split('_').next()?, types.split('_').nth(2)?);
    let (_, input) = CUTLASS_3_OPERANDS.iter().find(|(end, _)| operand.ends_with(end))?;
    let sums = [("f32", ElementType::Fp32), ("f16", ElementType::Fp16), ("s32", ElementType::Int32)];
    let accumulate = sums.into_iter().find(|(word, _)| *word == sum).map(|(_, sum)| sum);
    let tile = tile_in(types);
    let is_tensor = head.contains("tensorop");
    is_tensor.then(|| NameFacts { is_tensor, input: Some(*input), accumulate, tile, ..NameFacts::default() })
}

/// `bf16f32`, `f16f16` behind the operands in names of cuBLAS: result and sum.
fn accumulate_in(name: &str) -> Option<ElementType> {
    let after = name.split_once("gemm_")?.1;
    let word = after.split('_').nth(1)?;
    let pairs = [("f32", ElementType::Fp32), ("f16", ElementType::Fp16), ("i32", ElementType::Int32)];
    // `bf16` alone is a result; its sum is not in the word.
    let word = Some(word).filter(|w| *w != "bf16")?;
    pairs.into_iter().find(|(end, _)| word.ends_with(end) && word.len() > end.len()).map(|(_, sum)| sum)
}

/// `tilesize128x128x64`, `128x256_32x3`, `64x64_sliced`: the first two or three numbers joined by `x`, the first at least 8.
fn tile_in(name: &str) -> Option<[u32; 3]> {
    let words = name.split(|c: char| !(c.is_ascii_digit() || c == 'x'));
    words.filter_map(tile_of_word).next()
}

fn tile_of_word(word: &str) -> Option<[u32; 3]> {
    let trimmed = word.trim_matches('x');
    let numbers: Vec<u32> = trimmed.split('x').map(str::parse).collect::<Result<_, _>>().ok()?;
    match numbers.as_slice() {
        [m, n] if *m >= 8 && *n >= 8 => Some([*m, *n, 0]),
        [m, n, k] if *m >= 8 && *n >= 8 => Some([*m, *n, *k]),
        _ => None,
    }
}

/// `stage4`, `stages_64x3`, or the `3` of `128x256_32x3`.
fn stages_in(name: &str) -> Option<u32> {
    if let Some((_, after)) = name.split_once("stage") {
        let digits: String =
            after.trim_start_matches(['s', '_']).chars().take_while(char::is_ascii_digit).collect();
        let next = after.split_once('x').map(|(_, rest)| rest);
        let of_pair = next.filter(|_| after.starts_with("s_")).and_then(leading_number);
        return of_pair.or_else(|| digits.parse().ok());
    }
    let depth_by_stages = |word: &str| {
        let (depth, stages) = word.split_once('x')?;
        let depth: u32 = depth.parse().ok()?;
        let stages: u32 = stages.parse().ok()?;
        (stages <= 12 && depth >= 8).then_some(stages)
    };
    name.split(|c: char| !(c.is_ascii_digit() || c == 'x')).find_map(depth_by_stages)
}

fn leading_number(text: &str) -> Option<u32> {
    let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ElementType::{Bf16, Fp8, Fp16, Fp32, Int8, Int32};

    #[test]
    fn names_of_libraries_say_what_they_are() {
        for (name, input, accumulate, tile, stages) in [
            (
                "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1",
                Bf16,
                Some(Fp32),
                Some([128, 128, 64]),
                None,
            ),
            (
                "cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x128_32x3_tn_align8",
                Bf16,
                Some(Fp32),
                Some([256, 128, 0]),
                Some(3),
            ),
            (
                "ampere_fp16_s1688gemm_fp16_128x64_sliced1x2_ldg8_f2f_stages_64x3_tn",
                Fp16,
                Some(Fp32),
                Some([128, 64, 0]),
                Some(3),
            ),
            ("turing_fp16_s1688gemm_fp16_256x128_ldg8_f2f_tn", Fp16, Some(Fp32), Some([256, 128, 0]), None),
            (
                "cutlass_80_tensorop_s1688gemm_128x128_16x5_nn_align4",
                ElementType::Tf32,
                Some(Fp32),
                Some([128, 128, 0]),
                Some(5),
            ),
            (
                "sm90_xmma_gemm_f64f64_f64f64_f64_nn_n_tilesize128x64x16_stage3",
                ElementType::Fp64,
                None,
                Some([128, 64, 16]),
                Some(3),
            ),
            ("volta_h884gemm_128x128_ldg8_nn", Fp16, Some(Fp16), Some([128, 128, 0]), None),
            (
                "sm89_xmma_gemm_e4m3bf16_e4m3f32_f32_tn_n_tilesize64x64x64_stage4",
                Fp8,
                Some(Fp32),
                Some([64, 64, 64]),
                Some(4),
            ),
            (
                "sm80_xmma_gemm_i8i8_i8i32_f32_tn_n_tilesize128x128x64_stage3",
                Int8,
                Some(Int32),
                Some([128, 128, 64]),
                Some(3),
            ),
        ] {
            let facts = NameFacts::of_name(name);
            assert!(facts.is_tensor, "{name}");
            assert_eq!(facts.input, Some(input), "{name}");
            assert_eq!((facts.accumulate, facts.tile, facts.stages), (accumulate, tile, stages), "{name}");
        }
        let eight =
            "cutlass3x_sm100_tensorop_s64x256x32gemm_f8_f8_f32_f16_f16_64x256x128_1x1x1_0_tnn_align4_1sm";
        let facts = NameFacts::of_name(eight);
        assert_eq!((facts.input, facts.accumulate), (Some(Fp8), Some(Fp32)));
        assert_eq!(facts.tile, Some([64, 256, 128]), "of the block, not of the instruction");
        let four = "cutlass3x_sm100_bstensorop_s128x128x64gemm_block_scaled_ue4m3xe2m1_ue4m3xe2m1_f32_bf16_bf16_128x128x256_1x1x1_0_tnn";
        let facts = NameFacts::of_name(four);
        assert_eq!((facts.is_tensor, facts.input), (true, Some(ElementType::Fp4)));
        for (name, input) in [
            ("nvjet_tst_192x192_64x4_1x2_h_bz_TNT", Some(ElementType::Bf16)),
            ("nvjet_sm90_hsh_192x192_64x4_1x2_h_bz_TNT", Some(ElementType::Fp16)),
            ("nvjet_qqtst_192x192_64x4_1x2_h_bz_TNT", None),
        ] {
            let facts = NameFacts::of_name(name);
            assert_eq!(
                (facts.is_tensor, facts.input, facts.tile),
                (true, input, Some([192, 192, 0])),
                "{name}"
            );
        }
        assert!(
            NameFacts::of_name("void flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4>>").is_tensor
        );
    }

    #[test]
    fn instructions_of_one_warp_are_told_from_those_of_warp_groups() {
        let one = |name: &str| NameFacts { instruction: Some(name.into()), ..NameFacts::default() };
        assert!(
            ["s16816", "h1688", "i16832", "mma.sync", "mma", "wmma", "HMMA"]
                .iter()
                .all(|n| one(n).is_of_one_warp())
        );
        assert!(
            ["hgmma", "wgmma", "tcgen05", "utcmma", "s64x256x32"].iter().all(|n| !one(n).is_of_one_warp())
        );
        assert!(!NameFacts::default().is_of_one_warp());
    }

    #[test]
    fn a_name_without_tensor_instructions_says_none() {
        for name in [
            "ampere_sgemm_128x64_tn",
            "cutlass_80_simt_sgemm_128x128_8x4_nn_align1",
            "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize64x256x8_stage3_warpsize1x4x1_ffma_aligna4_alignc4_execute_kernel__5x_cublas",
            "saxpy",
            "",
        ] {
            let facts = NameFacts::of_name(name);
            assert_eq!((facts.is_tensor, facts.input), (false, None), "{name}");
        }
        assert_eq!(NameFacts::of_name("ampere_sgemm_128x64_tn").tile, Some([128, 64, 0]));
    }
}
