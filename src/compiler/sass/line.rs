//! One line of a listing: an instruction, a label, or what says where a function begins.

use super::opcode::OpcodeKind;

/// What a line of a listing says.
#[derive(Debug, PartialEq)]
pub(super) enum ListingLine<'a> {
    /// Encodings, directives, remarks, blank lines.
    Nothing,
    /// `Function : NAME` of cuobjdump, `.text.NAME:` of nvdisasm.
    Function(&'a str),
    /// `code for sm_52`, `arch = sm_52`, `EF_CUDA_SM89`.
    Architecture(&'a str),
    /// `.L_x_3:` and the names of subroutines.
    Label(&'a str),
    /// An instruction.
    Instruction(Instruction<'a>),
    /// Begins like an instruction and is none.
    Broken(&'a str),
}

/// An instruction as far as anybody looks at it.
#[derive(Debug, PartialEq)]
pub(super) struct Instruction<'a> {
    pub(super) address: u64,
    /// `FFMA.FTZ`.
    pub(super) opcode: &'a str,
    /// Everything behind it.
    pub(super) operands: &'a str,
}

/// Where a branch leads.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum BranchTarget<'a> {
    Address(u64),
    Label(&'a str),
}

/// Names are as long as linkers allow; lines are cut by the text reader.
pub(super) fn sass_line(line: &str) -> ListingLine<'_> {
    let text = line.trim();
    if let Some(rest) = text.strip_prefix("/*") {
        return numbered(rest);
    }
    if let Some(name) = text.strip_prefix("Function :").map(str::trim) {
        return ListingLine::Function(name);
    }
    for start in ["code for ", "arch = ", ".target "] {
        if let Some(arch) = text.strip_prefix(start).filter(|a| a.trim_start().starts_with("sm_")) {
            return ListingLine::Architecture(arch.trim().split([',', ' ']).next().unwrap_or_default());
        }
    }
    if let Some(arch) = text.strip_prefix(".headerflags").and_then(flagged) {
        return ListingLine::Architecture(arch);
    }
    let Some(label) = text.strip_suffix(':').filter(|l| !l.is_empty() && !l.contains(char::is_whitespace))
    else {
        return ListingLine::Nothing;
    };
    match label.strip_prefix(".text.") {
        Some(name) => ListingLine::Function(name),
        None => ListingLine::Label(label),
    }
}

/// `89` of `EF_CUDA_SM89`.
fn flagged(flags: &str) -> Option<&str> {
    let own = flags.split_once("EF_CUDA_SM").map(|(_, rest)| rest)?;
    let end = own.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(own.len());
    Some(&own[..end]).filter(|digits| digits.starts_with(|c: char| c.is_ascii_digit()))
}

/// Behind `/*`: an address and an instruction, or an encoding such as ` 0x001fc400e22007f6 */`.
fn numbered(rest: &str) -> ListingLine<'_> {
    let Some((digits, behind)) = rest.split_once("*/") else { return ListingLine::Nothing };
    let is_hex = !digits.is_empty() && digits.len() <= 16 && digits.bytes().all(|b| b.is_ascii_hexdigit());
    let Some(address) = u64::from_str_radix(digits, 16).ok().filter(|_| is_hex) else {
        return ListingLine::Nothing;
    };
    // Dual issue on Kepler stands in braces.
    let mut text = behind.trim_start().trim_start_matches('{').trim_start();
    if text.starts_with('@') {
        text = text.split_once(char::is_whitespace).map_or("", |(_, rest)| rest.trim_start());
    }
    // nvdisasm writes data sections in the same form: `/*0000*/ .byte 0xff`.
    if text.starts_with('.') {
        return ListingLine::Nothing;
    }
    let end = text.find([' ', '\t', ';', '}']).unwrap_or(text.len());
    let (opcode, behind) = text.split_at(end);
    let legal = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit() || matches!(b, b'.' | b'_') || b == b'x';
    if !opcode.starts_with(|c: char| c.is_ascii_uppercase()) || !opcode.bytes().all(legal) {
        return ListingLine::Broken(opcode);
    }
    let operands = behind.split(';').next().unwrap_or_default().trim();
    ListingLine::Instruction(Instruction { address, opcode, operands })
}

impl<'a> Instruction<'a> {
    /// The opcode without its suffixes.
    pub(super) fn base(&self) -> &'a str {
        self.opcode.split('.').next().unwrap_or_default()
    }

    pub(super) fn kind(&self) -> (OpcodeKind, u32) {
        OpcodeKind::from_opcode(self.opcode)
    }

    /// Where a direct branch, a call or a point of reconvergence leads.
    pub(super) fn target(&self) -> Option<BranchTarget<'a>> {
        if !matches!(self.base(), "BRA" | "SSY" | "PBK" | "PCNT" | "BSSY" | "CAL" | "CALL" | "JMP" | "JCAL") {
            return None;
        }
        if let Some((_, label)) = self.operands.split_once("`(") {
            return label.split(')').next().map(BranchTarget::Label);
        }
        let last = self.operands.rsplit([' ', ',', '\t']).next()?;
        u64::from_str_radix(last.strip_prefix("0x")?, 16).ok().map(BranchTarget::Address)
    }

    /// Whether it hands control to another place and back.
    pub(super) fn is_call(&self) -> bool {
        matches!(self.base(), "CAL" | "CALL" | "JCAL")
    }

    /// Whether the next instruction begins a block of its own.
    pub(super) fn ends_block(&self) -> bool {
        let ends = [
            "BRA", "BRX", "JMP", "JMX", "CAL", "CALL", "JCAL", "RET", "EXIT", "SYNC", "BRK", "CONT", "BSYNC",
            "KILL",
        ];
        ends.contains(&self.base())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_tools_lines_are_told_apart() {
        let instruction = |text| match sass_line(text) {
            ListingLine::Instruction(i) => (i.address, i.opcode, i.operands),
            other => panic!("{text}: {other:?}"),
        };
        let line = "        /*0088*/               @!P0 FFMA.FTZ R1, R2, c[0x0][0x8], R3 ;  /* 0x49a00 */";
        assert_eq!(instruction(line), (0x88, "FFMA.FTZ", "R1, R2, c[0x0][0x8], R3"));
        assert_eq!(instruction("/*0360*/ NOP;"), (0x360, "NOP", ""));
        assert_eq!(instruction("/*0010*/   { MUFU.RCP R1, R2  ;"), (0x10, "MUFU.RCP", "R1, R2"));
        let skipped = [
            "  /* 0x001fc400e22007f6 */",
            "",
            "\t\t........",
            "//--- .text.k ---",
            "/*zz*/ MOV",
            "/*0000*/ .byte 0xff, 0x04",
            ".align 128",
        ];
        for text in skipped {
            assert_eq!(sass_line(text), ListingLine::Nothing, "{text}");
        }
        assert_eq!(sass_line("\t\tFunction : _Z1kPf"), ListingLine::Function("_Z1kPf"));
        assert_eq!(sass_line(".text._Z1kPf:"), ListingLine::Function("_Z1kPf"));
        assert_eq!(sass_line(".L_x_12:"), ListingLine::Label(".L_x_12"));
        assert_eq!(sass_line("\tcode for sm_90a"), ListingLine::Architecture("sm_90a"));
        let flags =
            "\t.headerflags\t@\"EF_CUDA_64BIT_ADDRESS EF_CUDA_SM89 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM89)\"";
        assert_eq!(sass_line(flags), ListingLine::Architecture("89"));
        assert_eq!(sass_line("/*0000*/ 1234 ;"), ListingLine::Broken("1234"));
    }

    #[test]
    fn targets_are_addresses_or_labels() {
        let target = |text| match sass_line(text) {
            ListingLine::Instruction(i) => i.target(),
            other => panic!("{other:?}"),
        };
        assert_eq!(target("/*0108*/ @!P1 BRA 0xc0 ;"), Some(BranchTarget::Address(0xc0)));
        assert_eq!(target("/*0010*/ BSSY B0, `(.L_x_7) ;"), Some(BranchTarget::Label(".L_x_7")));
        assert_eq!(
            target("/*0010*/ CALL.REL.NOINC `($__internal_0_$div) ;"),
            Some(BranchTarget::Label("$__internal_0_$div"))
        );
        assert_eq!(target("/*0010*/ RET.REL.NODEC R2 0x0 ;"), None);
        assert_eq!(target("/*0010*/ BRX R2 -0x120 ;"), None);
    }
}
