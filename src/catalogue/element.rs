//! Element types of arithmetic, as GPUs, kernels and measurement files name them.

use serde::Deserialize;
use std::fmt;

/// What one element of a tensor is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ElementType {
    /// IEEE double precision.
    Fp64,
    /// IEEE single precision.
    Fp32,
    /// Single precision with a mantissa of 10 bits, stored as [`ElementType::Fp32`].
    Tf32,
    /// IEEE half precision.
    Fp16,
    /// Half precision with the exponent of single precision.
    Bf16,
    /// Eight bits, E4M3 or E5M2.
    Fp8,
    /// Four bits, E2M1, with a scale per block.
    Fp4,
    /// Integers of 32 bits.
    Int32,
    /// Integers of eight bits.
    Int8,
    /// Integers of four bits.
    Int4,
}

impl ElementType {
    /// All of them, widest first.
    pub const ALL: [Self; 10] = [
        Self::Fp64,
        Self::Fp32,
        Self::Tf32,
        Self::Fp16,
        Self::Bf16,
        Self::Fp8,
        Self::Fp4,
        Self::Int32,
        Self::Int8,
        Self::Int4,
    ];

    /// The word in files and on screen.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fp64 => "fp64",
            Self::Fp32 => "fp32",
            Self::Tf32 => "tf32",
            Self::Fp16 => "fp16",
            Self::Bf16 => "bf16",
            Self::Fp8 => "fp8",
            Self::Fp4 => "fp4",
            Self::Int32 => "int32",
            Self::Int8 => "int8",
            Self::Int4 => "int4",
        }
    }

    /// The type that a file, a framework or a library names so: `bf16`, `bfloat16`, `e4m3`, `half`; `None` for any other word.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let lower = name.trim().to_ascii_lowercase();
        let word = lower.strip_prefix("torch.").unwrap_or(&lower);
        Some(match word {
            "fp64" | "float64" | "double" | "f64" => Self::Fp64,
            "fp32" | "float32" | "float" | "single" | "f32" => Self::Fp32,
            "tf32" | "tfloat32" => Self::Tf32,
            "fp16" | "float16" | "half" | "f16" => Self::Fp16,
            "bf16" | "bfloat16" => Self::Bf16,
            "fp8" | "float8" | "e4m3" | "e5m2" | "fp8_e4m3" | "fp8_e5m2" | "float8_e4m3fn"
            | "float8_e5m2" => Self::Fp8,
            "fp4" | "float4" | "e2m1" | "nvfp4" | "mxfp4" | "nvf4" | "mxf4" | "fp4_e2m1"
            | "float4_e2m1fn" | "float4_e2m1fn_x2" => Self::Fp4,
            "int32" | "s32" | "i32" => Self::Int32,
            "int8" | "uint8" | "s8" | "i8" | "u8" => Self::Int8,
            "int4" | "uint4" | "s4" | "i4" | "u4" => Self::Int4,
            _ => return None,
        })
    }

    /// Bytes of one element in memory; half a byte for four bits.
    #[must_use]
    pub fn element_bytes(self) -> f64 {
        match self {
            Self::Fp64 => 8.0,
            Self::Fp32 | Self::Tf32 | Self::Int32 => 4.0,
            Self::Fp16 | Self::Bf16 => 2.0,
            Self::Fp8 | Self::Int8 => 1.0,
            Self::Fp4 | Self::Int4 => 0.5,
        }
    }

    /// Bytes of one element with the scale of its block: NVFP4 has one of eight bits for 16 elements (MXFP4, for 32, takes 0.531).
    #[must_use]
    pub fn bytes_with_scales(self) -> f64 {
        self.element_bytes() + if self == Self::Fp4 { 1.0 / 16.0 } else { 0.0 }
    }

    /// The type that libraries add products of this one in.
    #[must_use]
    pub fn usual_accumulate(self) -> Self {
        match self {
            Self::Fp64 => Self::Fp64,
            Self::Int32 | Self::Int8 | Self::Int4 => Self::Int32,
            _ => Self::Fp32,
        }
    }

    /// Whether it is one of integers, whose operations are no FLOPs.
    #[must_use]
    pub fn is_integer(self) -> bool {
        self.usual_accumulate() == Self::Int32
    }

    /// Whether its arithmetic runs on tensor cores wherever a library multiplies matrices of it.
    #[must_use]
    pub fn is_of_tensor_cores(self) -> bool {
        matches!(self, Self::Tf32 | Self::Bf16 | Self::Fp8 | Self::Fp4 | Self::Int8 | Self::Int4)
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_read_back() {
        for element in ElementType::ALL {
            assert_eq!(ElementType::from_name(element.as_str()), Some(element));
        }
        assert_eq!(ElementType::from_name("torch.bfloat16"), Some(ElementType::Bf16));
        assert_eq!(ElementType::from_name("float8_e4m3fn"), Some(ElementType::Fp8));
        for four in ["nvfp4", "mxfp4", "e2m1", "torch.float4_e2m1fn_x2"] {
            assert_eq!(ElementType::from_name(four), Some(ElementType::Fp4), "{four}");
        }
        assert_eq!(ElementType::Fp4.bytes_with_scales(), 0.5625);
        assert_eq!(ElementType::from_name("complex64"), None);
    }

    #[test]
    fn products_are_added_in_a_type_no_narrower() {
        for element in ElementType::ALL {
            assert!(element.usual_accumulate().element_bytes() >= element.element_bytes(), "{element}");
        }
    }
}
