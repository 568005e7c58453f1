//! Listings of machine code: `cuobjdump -sass` and `nvdisasm`, read into basic blocks with their mix of instructions.
//!
//! ```text
//!     code for sm_52                                       .text._Z5saxpyfPf:
//!         Function : _Z5saxpyfPf
//!         /*0008*/   FFMA R1, R2, R3, R4 ;  /* 0x59… */    /*0010*/   @P0 BRA `(.L_x_0) ;
//! ```
//!
//! Maxwell's and Pascal's control words, encodings behind instructions, labels, directives and padding are passed over. What
//! the code says statically is what is counted: how often a block runs is not in a listing, but in files of its own
//! ([`ExecutedInstructions`]).

mod blocks;
mod compare;
mod executed;
mod line;
mod opcode;
mod special;

pub use blocks::Block;
pub use compare::{BlockPair, Compared, compare, translation};
pub use executed::{BlockWeights, ExecutedInstructions};
pub use opcode::OpcodeKind;
pub use special::Special;

use super::text::AsciiText;
use super::{CodeArchitecture, Findings, ReportError, ReportPlace, quoted};
use crate::kernel::{Operations, VectorPrecision};
use crate::text::unreadable;
use blocks::Body;
use line::ListingLine;
use std::path::Path;

/// Whether a text that begins so is a listing: both tools write this directive above the code of a function.
#[must_use]
pub fn is_listing(head: &[u8]) -> bool {
    let directive = b".headerflags";
    head.windows(directive.len()).any(|window| window == directive)
}

/// One function of a listing.
#[derive(Debug, Clone, PartialEq)]
pub struct SassFunction {
    /// As the linker knows it.
    pub symbol: String,
    /// As people write it.
    pub name: String,
    /// What it is code for.
    pub architecture: CodeArchitecture,
    /// The line it begins at; the first is 1.
    pub line: usize,
    /// Its basic blocks, in order.
    pub blocks: Vec<Block>,
}

impl SassFunction {
    /// Instructions of this class, subroutines included.
    #[must_use]
    pub fn kind_count(&self, kind: OpcodeKind) -> u32 {
        self.blocks.iter().fold(0, |sum, b| sum.saturating_add(b.kind_count(kind)))
    }

    /// All instructions.
    #[must_use]
    pub fn instructions(&self) -> u32 {
        self.blocks.iter().fold(0, |sum, b| sum.saturating_add(b.instructions()))
    }

    /// Arithmetic of one width, every block once, without subroutines.
    #[must_use]
    pub fn operations(&self, precision: VectorPrecision) -> Operations {
        let own = self.blocks.iter().filter(|b| !b.subroutine);
        own.fold(Operations::default(), |sum, b| sum.plus(1.0, &b.operations(precision)))
    }

    /// Every special function that some block holds, each once.
    #[must_use]
    pub fn special(&self) -> Vec<Special> {
        let mut all: Vec<Special> = self.blocks.iter().flat_map(|b| b.special.iter().copied()).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// What a listing contains.
#[derive(Debug, Clone, PartialEq)]
pub struct SassListing {
    /// The file as it was named.
    pub file: String,
    /// Its functions, in their order.
    pub functions: Vec<SassFunction>,
    /// The first hundred things that could not be read.
    pub refused: Vec<ReportError>,
    /// How many there were.
    pub refused_count: usize,
    /// What has to be said about what was read.
    pub remarks: Vec<String>,
}

impl SassListing {
    /// The functions of this name: symbol, readable name, or a readable name without its template arguments.
    pub fn named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a SassFunction> {
        let bare = |f: &SassFunction| f.name.split('<').next() == Some(name);
        self.functions.iter().filter(move |f| f.symbol == name || f.name == name || bare(f))
    }
}

/// Reads a listing. `assumed` is the architecture of one that names none; without it the `sm_NN` of the file's name is taken.
///
/// # Errors
/// [`ReportError`] if the file is no listing, or nothing in it could be read.
pub fn read_listing(
    bytes: &[u8],
    file: &str,
    assumed: Option<CodeArchitecture>,
) -> Result<SassListing, ReportError> {
    let mut reader = SassReader::new(file, bytes.len(), assumed);
    let text = AsciiText::decode(bytes).map_err(|why| reader.found.report_error(ReportPlace::Whole, why))?;
    for (at, line) in text.numbered_lines() {
        reader.read_line(at, &String::from_utf8_lossy(line));
    }
    reader.close();
    let SassReader { found, functions, .. } = reader;
    if functions.is_empty() {
        const EXPECTED: &str = "expected what `cuobjdump -sass FILE` or `nvdisasm FILE` prints";
        let what = if bytes.is_empty() { "is empty" } else { "has no function with instructions" };
        let nothing = || found.report_error(ReportPlace::Whole, format!("{what}; {EXPECTED}"));
        return Err(found.refused.first().cloned().unwrap_or_else(nothing));
    }
    let Findings { refused, refused_count, remarks, .. } = found;
    Ok(SassListing { file: file.to_string(), functions, refused, refused_count, remarks })
}

/// Reads the listing in this file.
///
/// # Errors
/// [`ReportError`] if it cannot be opened, is too large, or is no listing.
pub fn read_path(path: &Path, assumed: Option<CodeArchitecture>) -> Result<SassListing, ReportError> {
    let file = path.display().to_string();
    let refuse = |e: std::io::Error| ReportError::new(&file, ReportPlace::Whole, unreadable(&e));
    let opened = std::fs::File::open(path).map_err(refuse)?;
    let size = opened.metadata().ok().map(|m| m.len());
    read_listing(&super::bytes_from(opened, size, &file)?, &file, assumed)
}

/// What is known at a place in the text.
struct SassReader {
    found: Findings,
    functions: Vec<SassFunction>,
    assumed: Option<CodeArchitecture>,
    stated: Option<CodeArchitecture>,
    /// The function that is being read: its line, its symbol.
    open: Option<(usize, String)>,
    body: Body,
    from_name: bool,
}

impl SassReader {
    fn new(file: &str, size: usize, assumed: Option<CodeArchitecture>) -> Self {
        Self {
            found: Findings::new(file, size),
            functions: Vec::new(),
            assumed,
            stated: None,
            open: None,
            body: Body::default(),
            from_name: false,
        }
    }

    fn read_line(&mut self, at: usize, text: &str) {
        match line::sass_line(text) {
            ListingLine::Nothing => {}
            ListingLine::Function(symbol) => {
                self.close();
                self.open = Some((at, symbol.to_string()));
            }
            ListingLine::Architecture(word) => match word.parse() {
                Ok(known) => {
                    // `.headerflags` stands behind cuobjdump's `Function :`, and in front of nvdisasm's.
                    if self.body.last().is_some() {
                        self.close();
                    }
                    self.stated = Some(known);
                }
                Err(why) => self.found.add_refusal(ReportPlace::Line(at), why.to_string()),
            },
            ListingLine::Label(name) => self.body.add_label(name),
            ListingLine::Broken(word) => {
                let what =
                    format!("{}: expected an instruction such as FFMA behind its address", quoted(word));
                self.found.add_refusal(ReportPlace::Line(at), what);
            }
            ListingLine::Instruction(_) if self.open.is_none() => {
                self.found.add_refusal(
                    ReportPlace::Line(at),
                    "an instruction before the first function".to_string(),
                );
            }
            ListingLine::Instruction(i) => match self.body.last() {
                Some(last) if i.address <= last => {
                    let what = format!("address {:#x} after {last:#x}: expected a larger one", i.address);
                    self.found.add_refusal(ReportPlace::Line(at), what);
                }
                _ => self.body.push(&i),
            },
        }
    }

    /// Takes the function that was being read.
    fn close(&mut self) {
        let body = std::mem::take(&mut self.body);
        let Some((line, symbol)) = self.open.take() else { return };
        if body.is_empty() {
            return;
        }
        if symbol.is_empty() || symbol.chars().any(|c| c.is_control() || c == '\u{fffd}') {
            let what = format!("function name {}: expected letters", quoted(&symbol));
            return self.found.add_refusal(ReportPlace::Line(line), what);
        }
        let Some(architecture) = self.architecture() else {
            let what = "says no architecture: expected `code for sm_NN` or .headerflags with EF_CUDA_SMNN";
            let how = "put sm_NN into the file's name";
            return self
                .found
                .add_refusal(ReportPlace::Line(line), format!("function {} {what}; {how}", quoted(&symbol)));
        };
        let name = self.found.readable(&symbol);
        self.functions.push(SassFunction { symbol, name, architecture, line, blocks: body.basic_blocks() });
    }

    /// What the listing says, else what was assumed, else what the file's name says.
    fn architecture(&mut self) -> Option<CodeArchitecture> {
        if let Some(known) = self.stated.or(self.assumed) {
            return Some(known);
        }
        let named = CodeArchitecture::in_name(&self.found.file)?;
        if !std::mem::replace(&mut self.from_name, true) {
            let file = &self.found.file;
            self.found.remarks.push(format!("{file}: {named} is taken from the file's name"));
        }
        Some(named)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOOP: &str = "\tcode for sm_70\n\t\tFunction : _Z1kPf\n\
        \x20       /*0000*/                   MOV R1, c[0x0][0x28] ;    /* 0x00000a0000017a02 */\n\
        \x20                                                             /* 0x000fc40000000f00 */\n\
        \x20       /*0010*/                   FFMA R2, R2, R3, R4 ;     /* 0x0 */\n\
        \x20       /*0020*/                   FADD R2, R2, 1 ;\n\
        \x20       /*0030*/               @P0 BRA 0x10 ;\n\
        \x20       /*0040*/                   MUFU.RCP R5, R2 ;\n\
        \x20       /*0050*/                   CALL.REL.NOINC 0x90 ;\n\
        \x20       /*0060*/                   EXIT ;\n\
        \x20       /*0070*/                   BRA 0x70 ;\n\
        \x20       /*0080*/                   NOP ;\n\
        \x20       /*0090*/                   FMUL R5, R5, R5 ;\n\
        \x20       /*00a0*/                   RET.REL.NODEC R2 0x0 ;\n";

    #[test]
    fn blocks_begin_at_targets_and_behind_branches() {
        let listing = read_listing(LOOP.as_bytes(), "k", None).unwrap();
        let f = &listing.functions[0];
        assert_eq!((f.name.as_str(), f.architecture.to_string().as_str(), f.line), ("k", "sm_70", 2));
        let addresses: Vec<u64> = f.blocks.iter().map(|b| b.address).collect();
        assert_eq!(addresses, [0, 0x10, 0x40, 0x60, 0x90]);
        assert_eq!(f.operations(VectorPrecision::Single), Operations { fma: 1.0, add: 1.0, mul: 0.0 });
        assert_eq!(
            (f.instructions(), f.kind_count(OpcodeKind::Fmul), f.kind_count(OpcodeKind::Branch)),
            (9, 1, 4)
        );
        assert_eq!(f.blocks[2].special, [Special::Division, Special::Call]);
        assert!(f.blocks[4].subroutine && !f.blocks[3].subroutine);
    }

    #[test]
    fn what_is_no_listing_is_refused_in_words() {
        for (text, words) in [
            ("", "is empty"),
            ("hello\n", "no function with instructions"),
            ("\tFunction : k\n/*0000*/ EXIT ;\n", "says no architecture"),
            ("/*0000*/ EXIT ;\n", "before the first function"),
            ("code for sm_70\nFunction : k\n/*0000*/ EXIT ;\n/*0000*/ EXIT ;\n", ""),
        ] {
            match read_listing(text.as_bytes(), "x.txt", None) {
                Ok(listing) => {
                    assert_eq!((listing.refused_count, listing.refused[0].place), (1, ReportPlace::Line(4)))
                }
                Err(e) => assert!(e.to_string().contains(words) && !words.is_empty(), "{text}: {e}"),
            }
        }
        let named = read_listing(b"Function : k\n/*0000*/ EXIT ;\n", "k.sm_86.txt", None).unwrap();
        assert_eq!(named.functions[0].architecture.to_string(), "sm_86");
        assert!(named.remarks[0].contains("taken from the file's name"));
    }
}
