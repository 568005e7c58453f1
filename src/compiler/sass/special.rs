//! Special functions: what a compiler makes of a division, a root, an exponential, a sine.

use super::line::Instruction;

/// A special function whose expansion a block holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Special {
    /// FP32 reciprocal or division: `MUFU.RCP` and a chain of FFMA.
    Division,
    /// FP64 reciprocal or division: `MUFU.RCP64H` and a chain of DFMA.
    DoubleDivision,
    /// Integer division by way of an FP32 reciprocal.
    IntegerDivision,
    /// FP32 root: `MUFU.RSQ`, `MUFU.SQRT`.
    Root,
    /// FP64 root: `MUFU.RSQ64H`.
    DoubleRoot,
    /// Exponential: `MUFU.EX2`.
    Exponential,
    /// Logarithm: `MUFU.LG2`.
    Logarithm,
    /// Sine or cosine: `MUFU.SIN`, `MUFU.COS`.
    Sine,
    /// Hyperbolic tangent: `MUFU.TANH`.
    Tangent,
    /// The reduction of an angle by 2/pi, before a sine or a cosine.
    AngleReduction,
    /// A subroutine, as a rule for operands that the fast path does not take.
    Call,
}

impl Special {
    /// The word in a table.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Division => "division",
            Self::DoubleDivision => "FP64 division",
            Self::IntegerDivision => "integer division",
            Self::Root => "root",
            Self::DoubleRoot => "FP64 root",
            Self::Exponential => "exponential",
            Self::Logarithm => "logarithm",
            Self::Sine => "sine",
            Self::Tangent => "tangent",
            Self::AngleReduction => "angle reduction",
            Self::Call => "call",
        }
    }

    /// What this instruction betrays.
    pub(super) fn from_instruction(instruction: &Instruction<'_>) -> Option<Self> {
        if instruction.is_call() {
            return Some(Self::Call);
        }
        if let Some(function) = instruction.opcode.strip_prefix("MUFU.") {
            return match function.split('.').next().unwrap_or_default() {
                "RCP" => Some(Self::Division),
                "RCP64H" => Some(Self::DoubleDivision),
                "RSQ" | "SQRT" => Some(Self::Root),
                "RSQ64H" => Some(Self::DoubleRoot),
                "EX2" => Some(Self::Exponential),
                "LG2" => Some(Self::Logarithm),
                "SIN" | "COS" => Some(Self::Sine),
                "TANH" => Some(Self::Tangent),
                _ => None,
            };
        }
        // 2/pi, as FP32 (0x3f22f983) and as the halves of an FP64 (0x3fe45f306dc9c883).
        let two_over_pi = ["0.6366197", "0x3f22f983", "0x6dc9c883", "0x3fe45f30"];
        two_over_pi.iter().any(|c| instruction.operands.contains(c)).then_some(Self::AngleReduction)
    }
}
