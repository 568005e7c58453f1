//! The architecture that the name of a library's kernel says its code is for.
//!
//! `sm90_xmma_gemm_…`, `cutlass3x_sm100_tensorop_…` are bound to their compute capability's major version: such code uses instructions
//! that no other has (wgmma, TMA, tcgen05; "architecture-specific" code of the CUDA C++ Programming Guide). `sm80_xmma_…`, `ampere_sgemm_…` run on
//! newer GPUs too, where libraries choose them.

use super::{Cc, Kernel};
use std::fmt;

/// The architecture in a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NamedCode {
    capability: Cc,
}

/// Words that libraries write in place of a compute capability, with its first one.
const WORDS: [(&str, Cc); 5] =
    [("maxwell_", (5, 0)), ("volta_", (7, 0)), ("turing_", (7, 5)), ("ampere_", (8, 0)), ("hopper_", (9, 0))];

/// Code of these major versions and later is taken to run on GPUs of its own alone.
const FIRST_BOUND: u8 = 9;

/// The longest name that is looked at: what comes later are arguments of templates.
const LONGEST_LOOK: usize = 1024;

impl NamedCode {
    /// The first architecture in a kernel's name; `None` where it states none.
    #[must_use]
    pub fn in_name(name: &str) -> Option<Self> {
        let lower: String = name.chars().take(LONGEST_LOOK).collect::<String>().to_ascii_lowercase();
        let by_number = ["sm", "cutlass_"].into_iter().find_map(|before| capability_behind(&lower, before));
        let by_word = || WORDS.iter().find(|(word, _)| lower.starts_with(word)).map(|(_, cc)| *cc);
        by_number.or_else(by_word).map(|capability| Self { capability })
    }

    /// Whether it runs on GPUs of this compute capability.
    #[must_use]
    pub fn runs_on(self, cc: Cc) -> bool {
        let is_bound = self.capability.0 >= FIRST_BOUND;
        cc >= self.capability && (!is_bound || cc.0 == self.capability.0)
    }
}

impl Kernel {
    /// The architecture that the name of a library's kernel states; `None` where a file or a report says more of it.
    #[must_use]
    pub fn named_code(&self) -> Option<NamedCode> {
        let is_library = self.operator.is_none() && self.codes.is_none() && !self.has_formulas();
        NamedCode::in_name(self.name()).filter(|_| is_library)
    }
}

/// `sm_90`.
impl fmt::Display for NamedCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (major, minor) = self.capability;
        write!(f, "sm_{major}{minor}")
    }
}

/// The compute capability behind `sm` or `sm_` at the beginning of a word: `sm90_`, `_sm100_`, `cutlass_80_`.
fn capability_behind(name: &str, before: &str) -> Option<Cc> {
    let starts = name
        .match_indices(before)
        .filter(|(at, _)| !name[..*at].ends_with(|c: char| c.is_ascii_alphanumeric()));
    starts.map(|(at, _)| &name[at + before.len()..]).find_map(|behind| {
        let behind = behind.strip_prefix('_').unwrap_or(behind);
        let digits = behind.find(|c: char| !c.is_ascii_digit()).unwrap_or(behind.len());
        // `sm90a`, `sm90_`: the word ends behind the number, or with the letter of architecture-specific code.
        let rest = behind[digits..].trim_start_matches(['a', 'f']);
        let is_word = (2..=3).contains(&digits) && !rest.starts_with(|c: char| c.is_ascii_alphanumeric());
        let number: u16 = behind[..digits].parse().ok().filter(|_| is_word)?;
        let (major, minor) = ((number / 10) as u8, (number % 10) as u8);
        (5..=19).contains(&major).then_some((major, minor))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_states_an_architecture_or_none() {
        for (name, expected) in [
            ("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_stage4", Some("sm_90")),
            (
                "cutlass3x_sm100_tensorop_s64x256x32gemm_f8_f8_f32_f16_f16_64x256x128_1x1x1_0_tnn_align4_1sm",
                Some("sm_100"),
            ),
            (
                "void cutlass::Kernel<cutlass_80_tensorop_s16816gemm_bf16_256x128_32x3_tn_align8>(Params)",
                Some("sm_80"),
            ),
            ("sm80_xmma_gemm_i8i8_i8i32_f32_tn_n_tilesize128x128x64_stage3", Some("sm_80")),
            ("fmha_v2_flash_attention_bf16_64_128_sm90a", Some("sm_90")),
            ("ampere_sgemm_128x64_tn", Some("sm_80")),
            ("volta_h884gemm_128x128_ldg8_nn", Some("sm_70")),
            ("softmax_warp_forward", None),
            ("prism90", None),
            ("sm9", None),
            ("sm2000", None),
            ("sm64x64", None),
            ("cutlass_simt_sgemm_128x128_8x2", None),
            ("", None),
        ] {
            assert_eq!(NamedCode::in_name(name).map(|code| code.to_string()).as_deref(), expected, "{name}");
        }
    }

    #[test]
    fn code_of_hopper_and_later_is_bound_and_older_code_runs_on_newer_gpus() {
        let runs = |name: &str, cc: Cc| NamedCode::in_name(name).unwrap().runs_on(cc);
        for cc in [(8, 0), (8, 6), (8, 9), (9, 0), (10, 0), (12, 0)] {
            assert!(runs("sm80_xmma_gemm", cc) && runs("ampere_sgemm_128x64_tn", cc), "{cc:?}");
            assert_eq!(runs("sm90_xmma_gemm", cc), cc == (9, 0), "{cc:?}");
            assert_eq!(runs("cutlass3x_sm100_tensorop", cc), cc == (10, 0), "{cc:?}");
        }
        assert!(runs("cutlass3x_sm100_tensorop", (10, 3)) && runs("sm120_xmma", (12, 1)));
        assert!(!runs("ampere_sgemm_128x64_tn", (7, 5)) && !runs("sm89_xmma_gemm", (8, 0)));
    }
}
