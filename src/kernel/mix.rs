//! Arithmetic by instruction: what a launch executes of each width, and how another architecture's compiler writes it.

use super::{Cc, Formula, FormulaError};
use crate::catalogue::NumberOrigin;
use crate::catalogue::Spanned;
use serde::Deserialize;
use std::sync::Arc;

/// The width of vector arithmetic that is counted by instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum VectorPrecision {
    /// 32 bits.
    Single,
    /// 64 bits.
    Double,
}

impl VectorPrecision {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Single, Self::Double];

    /// As canonical rows and kernel files write the element type: `fp32`.
    #[must_use]
    pub fn dtype(self) -> &'static str {
        match self {
            Self::Single => "fp32",
            Self::Double => "fp64",
        }
    }

    /// As people write it: `FP32`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Single => "FP32",
            Self::Double => "FP64",
        }
    }
}

/// Arithmetic instructions of one width, by thread: N_FMA, N_ADD, N_MUL of paper 2, equation 2.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Operations {
    /// Fused multiply-adds; each is two FLOPs.
    pub fma: f64,
    /// Additions.
    pub add: f64,
    /// Multiplications.
    pub mul: f64,
}

impl Operations {
    /// All instructions.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.fma + self.add + self.mul
    }

    /// Their floating-point operations.
    #[must_use]
    pub fn flops(&self) -> f64 {
        2.0 * self.fma + self.add + self.mul
    }

    /// These and `factor` times `other`, never below 0.
    #[must_use]
    pub fn plus(&self, factor: f64, other: &Self) -> Self {
        let sum = |a: f64, b: f64| (a + factor * b).max(0.0);
        Self { fma: sum(self.fma, other.fma), add: sum(self.add, other.add), mul: sum(self.mul, other.mul) }
    }
}

/// `[instructions]` of a kernel file: FP32 arithmetic by instruction, executed by threads.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct InstructionsFile {
    fp32_fma: Spanned<String>,
    fp32_add: Spanned<String>,
    fp32_mul: Spanned<String>,
    pub(super) source: Spanned<String>,
}

impl InstructionsFile {
    /// Its formulas, each read by `parse` from the name of its field and its text.
    pub(super) fn formulas<E>(
        &self,
        origin: NumberOrigin,
        source: Arc<str>,
        parse: impl Fn(&str, &Spanned<String>) -> Result<Formula, E>,
    ) -> Result<InstructionFormulas, E> {
        Ok(InstructionFormulas {
            fma: parse("instructions.fp32_fma", &self.fp32_fma)?,
            add: parse("instructions.fp32_add", &self.fp32_add)?,
            mul: parse("instructions.fp32_mul", &self.fp32_mul)?,
            origin,
            source,
        })
    }
}

/// FP32 arithmetic of a kernel by instruction, as formulas of its problem: what its code executes, by thread.
#[derive(Debug, Clone)]
pub struct InstructionFormulas {
    /// Fused multiply-adds.
    pub fma: Formula,
    /// Additions.
    pub add: Formula,
    /// Multiplications.
    pub mul: Formula,
    /// How far to trust them.
    pub origin: NumberOrigin,
    /// Source id.
    pub source: Arc<str>,
}

impl InstructionFormulas {
    /// The formulas with the name that files and rows give each.
    #[must_use]
    pub fn named(&self) -> [(&'static str, &Formula); 3] {
        [("fp32_fma", &self.fma), ("fp32_add", &self.add), ("fp32_mul", &self.mul)]
    }

    /// The instructions of one launch.
    pub(super) fn operations_in_scope(&self, scope: &[f64]) -> Result<Operations, FormulaError> {
        let [fma, add, mul] = [&self.fma, &self.add, &self.mul].map(|formula| formula.eval(scope));
        Ok(Operations { fma: fma?, add: add?, mul: mul? })
    }
}

/// What few profilers count of a launch; `None` = nobody did.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Mix {
    /// FP32 arithmetic.
    pub single: Option<Operations>,
    /// FP64 arithmetic.
    pub double: Option<Operations>,
    /// Bytes that threads asked of shared memory.
    pub shared_bytes: Option<f64>,
}

impl Mix {
    /// The arithmetic of this width.
    #[must_use]
    pub fn operations_at(&self, precision: VectorPrecision) -> Option<Operations> {
        match precision {
            VectorPrecision::Single => self.single,
            VectorPrecision::Double => self.double,
        }
    }

    /// This mix, and `other` where this one has nothing.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            single: self.single.or(other.single),
            double: self.double.or(other.double),
            shared_bytes: self.shared_bytes.or(other.shared_bytes),
        }
    }
}

/// The same arithmetic as two compilers wrote it, counted in the code: every block once, or as often as threads ran it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rewritten {
    /// In the code for the source.
    pub source: Operations,
    /// In the code for the target.
    pub target: Operations,
    /// The least factor on FLOPs, however often each block runs.
    pub least: f64,
    /// The largest.
    pub most: f64,
}

impl Rewritten {
    /// FLOPs in the target's code over FLOPs in the source's; 1 where the source's code has none.
    #[must_use]
    pub fn rewrite_factor(&self) -> f64 {
        let of = self.source.flops();
        if of > 0.0 { self.target.flops() / of } else { 1.0 }
    }

    /// What the target executes where the source executes `counted`: every block runs as often as before (paper 2, section
    /// 4.2), and without counts all blocks equally often.
    #[must_use]
    pub fn applied(&self, counted: &Operations) -> Operations {
        let of = self.source.total();
        if of <= 0.0 {
            return *counted;
        }
        let weight = counted.total() / of;
        counted.plus(weight, &self.target).plus(-weight, &self.source)
    }
}

/// How a kernel's arithmetic changes from one architecture's code to another's, read from two listings.
#[derive(Debug, Clone, PartialEq)]
pub struct Translation {
    /// The listing of the source: file and architecture.
    pub from: String,
    /// The listing of the target.
    pub to: String,
    /// What the source's listing is code for.
    pub source: Cc,
    /// What the target's listing is code for.
    pub target: Cc,
    /// FP32 arithmetic.
    pub single: Rewritten,
    /// FP64 arithmetic.
    pub double: Rewritten,
}

impl Translation {
    /// The arithmetic of this width.
    #[must_use]
    pub fn rewritten_at(&self, precision: VectorPrecision) -> &Rewritten {
        match precision {
            VectorPrecision::Single => &self.single,
            VectorPrecision::Double => &self.double,
        }
    }

    /// Whether code for `code` runs on `gpu`: same major version, at least its minor one (CUDA programming guide, "Binary
    /// compatibility").
    #[must_use]
    pub fn runs(code: Cc, gpu: Cc) -> bool {
        code.0 == gpu.0 && code.1 <= gpu.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ops(fma: f64, add: f64, mul: f64) -> Operations {
        Operations { fma, add, mul }
    }

    #[test]
    fn rewritten_code_scales_what_was_counted() {
        // 4 FMA + 2 ADD = 10 FLOPs become 6 FMA + 2 ADD = 14; each ran 100 times.
        let r = Rewritten { source: ops(4.0, 2.0, 0.0), target: ops(6.0, 2.0, 0.0), least: 1.0, most: 2.0 };
        assert!((r.rewrite_factor() - 1.4).abs() < 1e-12);
        assert_eq!(r.applied(&ops(400.0, 200.0, 0.0)), ops(600.0, 200.0, 0.0));
        let none = Rewritten { source: ops(0.0, 0.0, 0.0), ..r };
        assert_eq!((none.rewrite_factor(), none.applied(&ops(1.0, 2.0, 3.0))), (1.0, ops(1.0, 2.0, 3.0)));
    }

    #[test]
    fn code_runs_within_its_major_version() {
        assert!(Translation::runs((8, 0), (8, 6)) && Translation::runs((9, 0), (9, 0)));
        assert!(!Translation::runs((8, 6), (8, 0)) && !Translation::runs((7, 0), (8, 0)));
    }
}
