//! What an instruction does, by its name: the classes that performance counters and ceilings know.

/// A class of instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OpcodeKind {
    /// FP32 fused multiply-add.
    Ffma,
    /// FP32 addition.
    Fadd,
    /// FP32 multiplication.
    Fmul,
    /// FP64 fused multiply-add.
    Dfma,
    /// FP64 addition.
    Dadd,
    /// FP64 multiplication.
    Dmul,
    /// FP16 and BF16 arithmetic on the vector pipes.
    Half,
    /// Tensor cores.
    Tensor,
    /// Special functions: reciprocal, root, exponential, logarithm, sine.
    Mufu,
    /// Floating-point comparisons, minima and the like: no FLOP.
    FloatOther,
    /// Integer and logic arithmetic.
    Integer,
    /// Between integers and floats, or between widths.
    Conversion,
    /// Moves, shuffles, special registers, constants.
    Move,
    /// Loads from global memory.
    GlobalLoad,
    /// Stores to global memory.
    GlobalStore,
    /// Loads from shared memory.
    SharedLoad,
    /// Stores to shared memory.
    SharedStore,
    /// Loads from and stores to local memory: spills and stacks.
    Local,
    /// Copies from global to shared memory without registers.
    Copy,
    /// Atomics and reductions.
    Atomic,
    /// Textures and surfaces.
    Texture,
    /// Barriers and fences.
    Barrier,
    /// Branches, calls, returns, and where threads meet again.
    Branch,
    /// What is in none of these classes.
    Other,
}

impl OpcodeKind {
    /// Every class, in the order they are shown.
    pub const ALL: [Self; 24] = [
        Self::Ffma,
        Self::Fadd,
        Self::Fmul,
        Self::Dfma,
        Self::Dadd,
        Self::Dmul,
        Self::Half,
        Self::Tensor,
        Self::Mufu,
        Self::FloatOther,
        Self::Integer,
        Self::Conversion,
        Self::Move,
        Self::GlobalLoad,
        Self::GlobalStore,
        Self::SharedLoad,
        Self::SharedStore,
        Self::Local,
        Self::Copy,
        Self::Atomic,
        Self::Texture,
        Self::Barrier,
        Self::Branch,
        Self::Other,
    ];

    /// The column of a table: `ffma`, `global_load`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ffma => "ffma",
            Self::Fadd => "fadd",
            Self::Fmul => "fmul",
            Self::Dfma => "dfma",
            Self::Dadd => "dadd",
            Self::Dmul => "dmul",
            Self::Half => "half",
            Self::Tensor => "tensor",
            Self::Mufu => "mufu",
            Self::FloatOther => "float_other",
            Self::Integer => "integer",
            Self::Conversion => "conversion",
            Self::Move => "move",
            Self::GlobalLoad => "global_load",
            Self::GlobalStore => "global_store",
            Self::SharedLoad => "shared_load",
            Self::SharedStore => "shared_store",
            Self::Local => "local",
            Self::Copy => "copy",
            Self::Atomic => "atomic",
            Self::Texture => "texture",
            Self::Barrier => "barrier",
            Self::Branch => "branch",
            Self::Other => "other",
        }
    }

    /// The class of an opcode such as `FFMA.FTZ`, and how many operations of it one instruction is (packed ones are two).
    pub(super) fn from_opcode(opcode: &str) -> (Self, u32) {
        let base = opcode.split('.').next().unwrap_or_default();
        // Immediates have a name of their own on Maxwell: `FADD32I`.
        let base = base.strip_suffix("32I").unwrap_or(base);
        let kind = match base {
            "FFMA" => Self::Ffma,
            "FADD" | "FSWZADD" => Self::Fadd,
            "FMUL" => Self::Fmul,
            "FFMA2" => return (Self::Ffma, 2),
            "FADD2" => return (Self::Fadd, 2),
            "FMUL2" => return (Self::Fmul, 2),
            "DFMA" => Self::Dfma,
            "DADD" => Self::Dadd,
            "DMUL" => Self::Dmul,
            "MUFU" => Self::Mufu,
            _ => Self::of_memory(base)
                .or_else(|| Self::of_control(base))
                .unwrap_or_else(|| Self::of_rest(base)),
        };
        (kind, 1)
    }

    fn of_memory(base: &str) -> Option<Self> {
        Some(match base {
            "LDG" | "LD" | "LDGMC" => Self::GlobalLoad,
            "STG" | "ST" => Self::GlobalStore,
            "LDS" | "LDSM" => Self::SharedLoad,
            "STS" | "STSM" => Self::SharedStore,
            "LDL" | "STL" => Self::Local,
            "LDGSTS" | "UBLKCP" | "UBLKPF" | "UTMALDG" | "UTMASTG" | "UTMAPF" | "UTMAREDG" => Self::Copy,
            "ATOM" | "ATOMG" | "ATOMS" | "RED" | "REDG" | "REDS" | "CCTL" => Self::Atomic,
            "TEX" | "TEXS" | "TLD" | "TLDS" | "TLD4" | "TLD4S" | "TMML" | "TXD" | "TXQ" => Self::Texture,
            "SULD" | "SUST" | "SUATOM" | "SURED" => Self::Texture,
            _ => return None,
        })
    }

    fn of_control(base: &str) -> Option<Self> {
        Some(match base {
            "BAR" | "MEMBAR" | "DEPBAR" | "ERRBAR" | "WARPSYNC" | "NANOSLEEP" | "SYNCS" | "LDGDEPBAR"
            | "FENCE" => Self::Barrier,
            "BRA" | "BRX" | "JMP" | "JMX" | "CALL" | "CAL" | "JCAL" | "RET" | "EXIT" | "SSY" | "SYNC"
            | "PBK" | "BRK" | "PCNT" | "CONT" | "BSSY" | "BSYNC" | "BREAK" | "BMOV" | "KILL" | "RTT"
            | "BPT" | "PRET" | "PEXIT" | "RPCMOV" | "YIELD" => Self::Branch,
            _ => return None,
        })
    }

    fn of_rest(base: &str) -> Self {
        const FLOAT_OTHER: [&str; 18] = [
            "FSETP", "FSET", "FSEL", "FMNMX", "FCMP", "FCHK", "RRO", "DSETP", "DSET", "DMNMX", "FMNMX3",
            "DSEL", "HSETP2", "HSET2", "HMNMX2", "VHMNMX", "FSWZ", "DMNMX3",
        ];
        const CONVERSIONS: [&str; 9] = ["I2F", "F2I", "F2F", "I2I", "FRND", "F2FP", "I2FP", "F2IP", "I2IP"];
        const MOVES: [&str; 22] = [
            "MOV", "UMOV", "S2R", "S2UR", "CS2R", "SEL", "USEL", "PRMT", "UPRMT", "SHFL", "LDC", "LDCU",
            "ULDC", "R2P", "P2R", "VOTE", "VOTEU", "R2UR", "MOVM", "MATCH", "REDUX", "ELECT",
        ];
        match base {
            _ if FLOAT_OTHER.contains(&base) => Self::FloatOther,
            _ if CONVERSIONS.contains(&base) => Self::Conversion,
            _ if MOVES.contains(&base) => Self::Move,
            "HMMA" | "IMMA" | "BMMA" | "DMMA" | "QMMA" | "OMMA" | "HGMMA" | "IGMMA" | "BGMMA" | "QGMMA" => {
                Self::Tensor
            }
            _ if base.starts_with("UTC") => Self::Tensor,
            "HFMA2" | "HADD2" | "HMUL2" | "HFMA" | "HADD" | "HMUL" => Self::Half,
            _ if is_integer(base) => Self::Integer,
            _ => Self::Other,
        }
    }
}

/// Integer and logic instructions, those of the uniform path (`UIADD3`) among them.
fn is_integer(base: &str) -> bool {
    const STEMS: [&str; 37] = [
        "IADD",
        "IADD2",
        "IADD3",
        "IADD64",
        "IMAD",
        "IMADSP",
        "IMUL",
        "XMAD",
        "IMNMX",
        "IABS",
        "IDP",
        "IDP4A",
        "ISETP",
        "ISET",
        "ISCADD",
        "ISAD",
        "ICMP",
        "LEA",
        "LOP",
        "LOP3",
        "PLOP3",
        "PSETP",
        "PSET",
        "SHF",
        "SHL",
        "SHR",
        "BFE",
        "BFI",
        "BMSK",
        "BREV",
        "FLO",
        "POPC",
        "SGXT",
        "VABSDIFF",
        "VABSDIFF4",
        "VIADD",
        "VIMNMX",
    ];
    STEMS.contains(&base) || base.strip_prefix('U').is_some_and(|stem| STEMS.contains(&stem))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opcodes_of_every_generation_find_their_class() {
        for (opcode, kind) in [
            ("FFMA.FTZ", OpcodeKind::Ffma),
            ("FADD32I", OpcodeKind::Fadd),
            ("DMUL", OpcodeKind::Dmul),
            ("MUFU.RCP64H", OpcodeKind::Mufu),
            ("I2F.U32.RP", OpcodeKind::Conversion),
            ("F2FP.BF16.PACK_AB", OpcodeKind::Conversion),
            ("LDG.E.CONSTANT", OpcodeKind::GlobalLoad),
            ("LDS.U.32", OpcodeKind::SharedLoad),
            ("STL.64", OpcodeKind::Local),
            ("LDGSTS.E.BYPASS.128", OpcodeKind::Copy),
            ("ATOMS.POPC.INC.32", OpcodeKind::Atomic),
            ("BAR.SYNC.DEFER_BLOCKING", OpcodeKind::Barrier),
            ("SSY", OpcodeKind::Branch),
            ("XMAD.PSL.CBCC", OpcodeKind::Integer),
            ("UIADD3", OpcodeKind::Integer),
            ("HGMMA.64x64x16.F32", OpcodeKind::Tensor),
            ("HFMA2.MMA", OpcodeKind::Half),
            ("FCHK", OpcodeKind::FloatOther),
            ("S2UR", OpcodeKind::Move),
            ("SOMETHING.NEW", OpcodeKind::Other),
        ] {
            assert_eq!(OpcodeKind::from_opcode(opcode), (kind, 1), "{opcode}");
        }
        assert_eq!(OpcodeKind::from_opcode("FFMA2"), (OpcodeKind::Ffma, 2));
    }
}
