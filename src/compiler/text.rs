//! The text of a report, line by line, whatever else stands between: compilers' warnings have paths in any encoding.

use super::{Findings, ReportError, ReportFormat, ReportPlace, quoted};
use std::borrow::Cow;

/// The longest line that is looked at; kernel names can reach 512 KiB.
const LONGEST_LINE: usize = 1 << 20;

/// The bytes of a text in an encoding that contains ASCII.
pub(super) struct AsciiText<'a>(Cow<'a, [u8]>);

impl<'a> AsciiText<'a> {
    /// Takes UTF-8, Latin-1 and their like as they are; UTF-16 with a byte order mark (PowerShell's `>` writes it) is
    /// turned into UTF-8.
    pub(super) fn decode(bytes: &'a [u8]) -> Result<Self, String> {
        let unit: fn([u8; 2]) -> u16 = match bytes {
            [0xff, 0xfe, ..] => u16::from_le_bytes,
            [0xfe, 0xff, ..] => u16::from_be_bytes,
            [0xef, 0xbb, 0xbf, rest @ ..] => return Ok(Self(Cow::Borrowed(rest))),
            _ => return Ok(Self(Cow::Borrowed(bytes))),
        };
        let units = bytes[2..].chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
        let text: Result<String, _> = char::decode_utf16(units).collect();
        let text = text.map_err(|_| "begins like UTF-16 but is not; save it as UTF-8".to_string())?;
        Ok(Self(Cow::Owned(text.into_bytes())))
    }

    /// Lines with their numbers, without line ends. A line too long to be one is empty.
    pub(super) fn numbered_lines(&self) -> impl Iterator<Item = (usize, &[u8])> {
        let bounded = |line| if <[u8]>::len(line) > LONGEST_LINE { &[][..] } else { line };
        let lines = self.0.split(|b| *b == b'\n').map(<[u8]>::trim_ascii_end).map(bounded);
        lines.enumerate().map(|(i, line)| (i + 1, line))
    }

    /// The first line that is too long to be looked at.
    pub(super) fn overlong(&self) -> Option<usize> {
        let lines = self.0.split(|b| *b == b'\n').enumerate();
        lines.into_iter().find(|(_, line)| line.len() > LONGEST_LINE).map(|(i, _)| i + 1)
    }

    fn has(&self, needle: &str) -> bool {
        self.numbered_lines().any(|(_, line)| contains(line, needle))
    }
}

/// Whether these ASCII letters stand in the line.
pub(super) fn contains(line: &[u8], needle: &str) -> bool {
    let Some(first) = needle.as_bytes().first() else { return true };
    let mut rest = line;
    while let Some(at) = rest.iter().position(|b| b == first) {
        if rest[at..].starts_with(needle.as_bytes()) {
            return true;
        }
        rest = &rest[at + 1..];
    }
    false
}

/// What wrote this text, if it was a compiler's tool.
pub(super) fn recognise(text: &AsciiText<'_>) -> Option<ReportFormat> {
    text.numbered_lines().find_map(|(_, line)| {
        if contains(line, "ptxas info") && contains(line, "Compiling entry function") {
            Some(ReportFormat::Ptxas)
        } else if line.trim_ascii_start().starts_with(b"REG:") && contains(line, " STACK:") {
            Some(ReportFormat::ResourceUsage)
        } else {
            None
        }
    })
}

/// Why a file is no report, and what to do, as exactly as its content allows.
pub(super) fn report_error(text: &AsciiText<'_>, bytes: &[u8], found: &Findings) -> ReportError {
    const EXPECTED: &str = "expected a `ptxas -v` log, `cuobjdump --dump-resource-usage` output or a cubin";
    const TAKE_OUT: &str = "take the kernels out with `cuobjdump -xelf all FILE` and read the .cubin files";
    const FAT_BINARY: &[u8] = &[0x50, 0xed, 0x55, 0xba];
    let whole = |message: String| found.report_error(ReportPlace::Whole, message);
    if bytes.is_empty() {
        return whole(format!("is empty; {EXPECTED}"));
    }
    if bytes.starts_with(FAT_BINARY) || bytes.starts_with(b"!<arch>") {
        let what = if bytes.starts_with(FAT_BINARY) { "a fat binary" } else { "a library" };
        return whole(format!("is {what}, which may hold several cubins; {TAKE_OUT}"));
    }
    if bytes.starts_with(b"NVR\0") {
        return whole(format!("is an ncu report, not a compiler report; {EXPECTED}")).of_foreign();
    }
    if let Some(at) = bytes.iter().position(|b| *b == 0).filter(|_| matches!(text.0, Cow::Borrowed(_))) {
        let what = "is a NUL: this is a binary file, or UTF-16 without its mark";
        return found.report_error(ReportPlace::Byte(at as u64), format!("{what}; {EXPECTED}"));
    }
    if text.has("ptxas info") || text.has("Resource usage:") {
        return whole(
            "names no kernel; compile with `-Xptxas -v` and at least one __global__ function".into(),
        );
    }
    if text.has("Function : ") || text.has(".headerflags") {
        let what = "is a listing of machine code, which does not state registers";
        return whole(format!("{what}; give the cubin it was made from, or read it with `roofswap sass`"));
    }
    if text.has(".target sm_") {
        let how = "compile it with `ptxas -v -arch=sm_NN` and give what that prints";
        return whole(format!("is PTX, which has no registers yet; {how}"));
    }
    if let Some(line) = text.overlong() {
        return found.report_error(ReportPlace::Line(line), format!("is longer than 1 MiB; {EXPECTED}"));
    }
    let first = text.numbered_lines().find(|(_, line)| !line.is_empty()).map_or((1, &[][..]), |l| l);
    let begins = quoted(&String::from_utf8_lossy(&first.1[..first.1.len().min(200)]));
    let message = format!("{begins}: not a compiler report; {EXPECTED}");
    found.report_error(ReportPlace::Line(first.0), message).of_foreign()
}

/// A whole number of at most ten digits.
pub(super) fn number_in(text: &str) -> Option<u32> {
    let plain = !text.is_empty() && text.len() <= 10 && text.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|_| plain)
}
