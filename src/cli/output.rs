//! The only places that write: answers to stdout, remarks to stderr, charts to files.

use super::Usage;
use crate::chart::{ChartSpec, Theme, render_svg, suggested_size};
use crate::config::write_whole;
use crate::measurement::{RowError, told};
use anyhow::{Context, Result};
use std::fmt::Display;
use std::io::{ErrorKind, Write};
use std::path::Path;

/// How many remarks of one kind are written.
const SHOWN: usize = 5;

/// Writes an answer to stdout. A reader who has gone away (`roofswap gpus | head -1`) is no failure.
pub(super) fn answer(bytes: &[u8]) -> Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => Err(e).context("stdout cannot be written"),
        _ => Ok(()),
    }
}

/// Writes one remark to stderr. Names in it come from users' files, so control characters are made harmless; where
/// stderr is closed nobody wants to know.
pub(super) fn remark(text: impl Display) {
    let harmless = |c: char| if c.is_control() && c != '\n' { '\u{fffd}' } else { c };
    let line: String = format!("roofswap: {text}\n").chars().map(harmless).collect();
    let _ = std::io::stderr().lock().write_all(line.as_bytes());
}

/// Writes the first few remarks, and how many there are beyond them.
pub(super) fn remarks<T: Display>(first: &[T], total: usize) {
    first.iter().take(SHOWN).for_each(remark);
    let shown = first.len().min(SHOWN);
    if total > shown {
        remark(format!("… and {} more", total - shown));
    }
}

/// Writes why rows were refused, each reason once, and how many rows there are beyond the first few reasons.
pub(super) fn refused(rows: &[RowError], total: usize) {
    let mut left = total;
    for (n, text) in told(rows).into_iter().take(SHOWN) {
        remark(text);
        left = left.saturating_sub(n);
    }
    if left > 0 {
        remark(format!("… and {left} more"));
    }
}

/// Whether this is the name of standard output.
pub(super) fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Writes a whole file or leaves what was there; `-` is standard output.
pub(super) fn file(path: &Path, bytes: &[u8]) -> Result<()> {
    if is_stdout(path) {
        return answer(bytes);
    }
    match write_whole(path, bytes) {
        Err(e) if e.kind() == ErrorKind::BrokenPipe => Ok(()),
        done => done.with_context(|| format!("{}: was not written", path.display())),
    }
}

/// Draws a chart into a file that is none of the inputs, or to stdout where it is called `-`.
pub(super) fn picture<'a>(
    spec: &ChartSpec,
    theme: Theme,
    target: &Path,
    inputs: impl Iterator<Item = &'a Path>,
) -> Result<()> {
    let svg = render_svg(spec, theme, suggested_size(spec))?;
    if is_stdout(target) {
        return answer(&svg);
    }
    is_no_input(target, inputs)?;
    file(target, &svg)
}

/// Refuses to write where an input lies.
pub(super) fn is_no_input<'a>(target: &Path, mut inputs: impl Iterator<Item = &'a Path>) -> Result<()> {
    if is_stdout(target) {
        return Ok(());
    }
    let Some(input) = inputs.find(|input| is_same(input, target)) else { return Ok(()) };
    let text = format!("{} is an input and is never written; give another name", input.display());
    Err(Usage(text).into())
}

/// Whether two names lead to one file, through links as well (also hard ones, where the system tells).
pub(super) fn is_same(a: &Path, b: &Path) -> bool {
    let one_file = |a: &Path, b: &Path| match (std::fs::metadata(a), std::fs::metadata(b)) {
        #[cfg(unix)]
        (Ok(a), Ok(b)) => {
            use std::os::unix::fs::MetadataExt;
            (a.dev(), a.ino()) == (b.dev(), b.ino())
        }
        _ => false,
    };
    let real = |p: &Path| std::fs::canonicalize(p).ok();
    a == b || one_file(a, b) || real(a).zip(real(b)).is_some_and(|(a, b)| a == b)
}
