//! What compilers say of kernels: registers, shared memory, spills and barriers, per kernel and architecture.
//!
//! Three forms are read, recognised by their content and never by their name: the remarks of `ptxas -v`, the table of
//! `cuobjdump --dump-resource-usage`, and cubins (ELF). All three give the same numbers for the same kernel. A report is
//! read as far as it can be: what does not fit is refused with its line or byte, the good kernels stay.

mod architecture;
mod cubin;
mod join;
mod names;
mod ptxas;
mod resource_usage;
pub mod sass;
mod text;

pub use architecture::{CodeArchitecture, UnknownArchitecture};
pub use join::{JoinedKernel, TakenNames, join};

use crate::kernel::{CodeVersion, Codes, Resources};
use crate::text::unreadable;
use std::fmt;

/// The largest report that is read; the cubins of a large library have some hundred megabytes.
const LARGEST_FILE: u64 = 1 << 29;

/// Refused places that are kept; beyond them only their number is.
const KEPT_REFUSALS: usize = 100;

/// What a kernel reader calls a report's form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportFormat {
    /// The remarks of `ptxas -v` or `nvcc -Xptxas -v`.
    Ptxas,
    /// `cuobjdump --dump-resource-usage`.
    ResourceUsage,
    /// A cubin.
    Cubin,
}

impl ReportFormat {
    /// The form of a file with this content; `None` if it is no compiler's report.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        if bytes.starts_with(cubin::MAGIC) {
            return Some(Self::Cubin);
        }
        text::AsciiText::decode(bytes).ok().and_then(|t| text::recognise(&t))
    }

    /// The tool that writes it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ptxas => "ptxas -v",
            Self::ResourceUsage => "cuobjdump --dump-resource-usage",
            Self::Cubin => "cubin",
        }
    }
}

/// One kernel as compiled for one architecture.
#[derive(Debug, Clone, PartialEq)]
pub struct CompiledKernel {
    /// As the linker knows it.
    pub symbol: String,
    /// As people write it: demangled, without return type and parameters.
    pub name: String,
    /// What it was compiled for.
    pub architecture: CodeArchitecture,
    /// What it uses.
    pub resources: Resources,
    /// Where the report says so.
    pub place: ReportPlace,
}

/// What a report contains.
#[derive(Debug, Clone, PartialEq)]
pub struct CompilerReport {
    /// The file as it was named.
    pub file: String,
    /// Its form.
    pub format: ReportFormat,
    /// The kernels that could be read, in their order.
    pub kernels: Vec<CompiledKernel>,
    /// What PTX it lists beside the machine code: of a program, for all of its kernels.
    pub ptx: Vec<CodeArchitecture>,
    /// The first hundred things that could not.
    pub refused: Vec<ReportError>,
    /// How many there were.
    pub refused_count: usize,
    /// What has to be said about what was read.
    pub remarks: Vec<String>,
}

impl CompilerReport {
    /// The code of this kernel that the report lists: its machine code, and the program's PTX. `ptxas -v` is called once
    /// per piece of machine code and never sees whether PTX is kept.
    fn codes_beside(&self, kernel: &CompiledKernel) -> Codes {
        let code = |ptx, a: CodeArchitecture| CodeVersion { ptx, capability: a.capability, suffix: a.suffix };
        let mut codes = Codes::new(self.format == ReportFormat::Ptxas);
        codes.add_code(code(false, kernel.architecture));
        self.ptx.iter().for_each(|a| codes.add_code(code(true, *a)));
        codes
    }
}

/// Where in a report something does not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportPlace {
    /// The file as a whole.
    Whole,
    /// This line; the first is 1.
    Line(usize),
    /// This byte; the first is 0.
    Byte(u64),
}

/// Why a report or a part of it was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}{place}: {message}")]
pub struct ReportError {
    /// The file as it was named.
    pub file: String,
    /// Where.
    pub place: ReportPlace,
    /// What stands there, what was expected and what to do.
    pub message: String,
    /// Whether nothing in the file is of a compiler: it may be of anybody else.
    pub is_foreign: bool,
}

impl ReportError {
    /// What stands at this place of a file that a compiler may have written.
    fn new(file: &str, place: ReportPlace, message: impl Into<String>) -> Self {
        Self { file: file.to_string(), place, message: message.into(), is_foreign: false }
    }

    /// The same of a file of somebody else's.
    fn of_foreign(self) -> Self {
        Self { is_foreign: true, ..self }
    }
}

impl fmt::Display for ReportPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole => Ok(()),
            Self::Line(line) => write!(f, ":{line}"),
            Self::Byte(byte) => write!(f, ": byte {byte:#x}"),
        }
    }
}

/// Reads one report. `assumed` is the architecture of a report that names none (`cuobjdump` of a cubin); without it the
/// `sm_NN` of the file's name is taken, and a remark says so.
///
/// # Errors
/// [`ReportError`] if the file is no report, or nothing in it could be read.
pub fn read_report(
    bytes: &[u8],
    file: &str,
    assumed: Option<CodeArchitecture>,
) -> Result<CompilerReport, ReportError> {
    let mut found = Findings::new(file, bytes.len());
    let format = if bytes.starts_with(cubin::MAGIC) {
        cubin::read_cubin(bytes, &mut found)?;
        ReportFormat::Cubin
    } else {
        let text =
            text::AsciiText::decode(bytes).map_err(|why| found.report_error(ReportPlace::Whole, why))?;
        let format = text::recognise(&text);
        match format {
            Some(ReportFormat::Ptxas) => ptxas::read_ptxas(&text, &mut found),
            Some(ReportFormat::ResourceUsage) => {
                resource_usage::read_resource_usage(&text, &mut found, assumed)
            }
            _ => return Err(text::report_error(&text, bytes, &found)),
        }
        format.unwrap_or(ReportFormat::Ptxas)
    };
    found.close(format)
}

/// Reads the report that comes from `from`; `size` is its length where that is known beforehand.
///
/// # Errors
/// [`ReportError`] if it cannot be read, is too large, or is no report.
pub fn read_from(
    from: impl std::io::Read,
    size: Option<u64>,
    file: &str,
    assumed: Option<CodeArchitecture>,
) -> Result<CompilerReport, ReportError> {
    read_report(&bytes_from(from, size, file)?, file, assumed)
}

/// What comes from `from`, unless it is too large for a report.
fn bytes_from(from: impl std::io::Read, size: Option<u64>, file: &str) -> Result<Vec<u8>, ReportError> {
    use std::io::Read;
    let refuse = |message: String| ReportError::new(file, ReportPlace::Whole, message);
    let too_large = || {
        let most = LARGEST_FILE >> 20;
        refuse(format!("is larger than {most} MiB; expected one compiler's report or one cubin"))
    };
    if size.is_some_and(|size| size > LARGEST_FILE) {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    from.take(LARGEST_FILE + 1).read_to_end(&mut bytes).map_err(|e| refuse(unreadable(&e)))?;
    if bytes.len() as u64 > LARGEST_FILE {
        return Err(too_large());
    }
    Ok(bytes)
}

/// What a reader collects.
struct Findings {
    file: String,
    kernels: Vec<CompiledKernel>,
    ptx: Vec<CodeArchitecture>,
    refused: Vec<ReportError>,
    refused_count: usize,
    remarks: Vec<String>,
    /// How many bytes readable names may still be longer than the names in the file: short names can be made to grow,
    /// and there may be millions of them.
    growth_left: usize,
}

impl Findings {
    /// Nothing yet of a file of this many bytes.
    fn new(file: &str, size: usize) -> Self {
        Self {
            file: file.to_string(),
            kernels: Vec::new(),
            ptx: Vec::new(),
            refused: Vec::new(),
            refused_count: 0,
            remarks: Vec::new(),
            growth_left: size,
        }
    }

    fn report_error(&self, place: ReportPlace, message: impl Into<String>) -> ReportError {
        ReportError::new(&self.file, place, message)
    }

    fn add_refusal(&mut self, place: ReportPlace, message: impl Into<String>) {
        self.refused_count += 1;
        if self.refused.len() < KEPT_REFUSALS {
            self.refused.push(self.report_error(place, message));
        }
    }

    /// Takes a kernel whose numbers a compiler can have written.
    fn add_resources(
        &mut self,
        symbol: &str,
        architecture: CodeArchitecture,
        resources: Resources,
        place: ReportPlace,
    ) {
        if symbol.is_empty() || symbol.chars().any(|c| c.is_control() || c == '\u{fffd}') {
            return self.add_refusal(place, format!("kernel name {}: expected letters", quoted(symbol)));
        }
        if let Some(why) = resources.unsound() {
            return self.add_refusal(place, format!("kernel {}: {why}", quoted(symbol)));
        }
        let name = self.readable(symbol);
        self.kernels.push(CompiledKernel {
            symbol: symbol.to_string(),
            name,
            architecture,
            resources,
            place,
        });
    }

    /// The name as people write it; as it stands in the file once such names have grown by the file's size.
    fn readable(&mut self, symbol: &str) -> String {
        let name = names::readable(symbol);
        match self.growth_left.checked_sub(name.len().saturating_sub(symbol.len())) {
            Some(left) => {
                self.growth_left = left;
                name
            }
            None => symbol.to_string(),
        }
    }

    /// The report, if anything in it could be read.
    fn close(mut self, format: ReportFormat) -> Result<CompilerReport, ReportError> {
        if self.kernels.is_empty() {
            let nothing =
                || self.report_error(ReportPlace::Whole, format!("{} without a kernel", format.as_str()));
            return Err(self.refused.first().cloned().unwrap_or_else(nothing));
        }
        let Self { file, kernels, ptx, refused, refused_count, remarks, .. } = &mut self;
        let (file, kernels, ptx) = (std::mem::take(file), std::mem::take(kernels), std::mem::take(ptx));
        let (refused, remarks) = (std::mem::take(refused), std::mem::take(remarks));
        Ok(CompilerReport { file, format, kernels, ptx, refused, refused_count: *refused_count, remarks })
    }
}

/// A text of the report, short enough for an error and harmless to a terminal.
fn quoted(text: &str) -> String {
    let short: String = crate::text::harmless_line(&crate::text::clipped_text(text, 60));
    if short.len() < text.len() && text.chars().nth(60).is_some() {
        format!("`{short}…`")
    } else {
        format!("`{short}`")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_grow_stay_within_the_size_of_their_file() {
        let resources = Resources { registers: 8, ..Resources::default() };
        let arch = CodeArchitecture::from_number(89, None).unwrap();
        // `f<aaa…, aaa…, …>`
        let symbol = &format!("_Z1fI24{}{}Evv", "a".repeat(24), "S0_".repeat(20));
        let one = names::readable(symbol).len();
        assert!(one > 3 * symbol.len(), "{}", names::readable(symbol));
        let size = 4 * one;
        let mut found = Findings::new("k.log", size);
        (0..100).for_each(|_| found.add_resources(symbol, arch, resources.clone(), ReportPlace::Whole));
        let names: usize = found.kernels.iter().map(|k| k.name.len()).sum();
        assert!(names <= 100 * symbol.len() + size, "{names}");
        assert_eq!((found.kernels.len(), found.kernels[0].name.len()), (100, one));
        assert_eq!(&found.kernels[99].name, symbol);
    }
}
