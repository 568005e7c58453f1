//! The only places that write: answers to stdout, remarks to stderr, charts to files.

use super::Usage;
use super::coloured::{coloured, shows_colours};
use super::terminal::{footnote_lines, screen_width};
use crate::chart::{ChartSpec, SvgTheme, render_svg, suggested_size};
use crate::config::write_whole_with;
use crate::measurement::{RowError, counted_reasons};
use crate::text::harmless_line;
use anyhow::{Context, Result};
use std::borrow::Cow;
use std::fmt::Display;
use std::io::{BufWriter, ErrorKind, IsTerminal, Write};
use std::path::Path;

/// How many remarks of one kind are written.
const SHOWN: usize = 5;

/// Writes an answer to stdout. A reader who has gone away (`roofswap gpus | head -1`) is no failure.
pub(super) fn answer(bytes: &[u8]) -> Result<()> {
    let mut out = std::io::stdout().lock();
    // A file or a pipe gets what was asked for, to the byte; a terminal would act on what names hold.
    let shown = match (out.is_terminal(), shows_colours()) {
        (false, _) => Cow::Borrowed(bytes),
        (true, false) => harmless_lines(bytes),
        (true, true) => {
            let lines = harmless_lines(bytes);
            Cow::Owned(coloured(&String::from_utf8_lossy(&lines)).into_bytes())
        }
    };
    match out.write_all(&shown).and_then(|()| out.flush()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => Err(e).context("stdout cannot be written"),
        _ => Ok(()),
    }
}

/// Writes an answer to stdout as it comes, so that none of it is kept. On a terminal it is kept: there it is looked through.
pub(super) fn streamed_answer(write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<()> {
    let out = std::io::stdout().lock();
    if out.is_terminal() {
        let mut kept = Vec::new();
        write(&mut kept)?;
        drop(out);
        return answer(&kept);
    }
    let mut out = BufWriter::new(out);
    match write(&mut out).and_then(|()| out.flush()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => Err(e).context("stdout cannot be written"),
        _ => Ok(()),
    }
}

/// The same lines without what a terminal would act on, footnotes broken between words.
fn harmless_lines(bytes: &[u8]) -> Cow<'_, [u8]> {
    let text = String::from_utf8_lossy(bytes);
    let width = screen_width().unwrap_or(usize::MAX);
    let lines: Vec<String> =
        text.split('\n').map(|line| footnote_lines(&harmless_line(line), width)).collect();
    Cow::Owned(lines.join("\n").into_bytes())
}

/// Writes one remark to stderr, in one line: names in it come from users' files, and must not forge others or reach the
/// terminal raw. Where stderr is closed nobody wants to know.
pub(super) fn remark(text: impl Display) {
    let line = format!("roofswap: {}\n", harmless_line(&text.to_string()));
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
    for (n, text) in counted_reasons(rows).into_iter().take(SHOWN) {
        remark(text);
        left = left.saturating_sub(n);
    }
    if left > 0 {
        remark(format!("… and {left} more"));
    }
}

/// What is said where rows that no longer fit into memory cannot be written down.
pub(super) const NOT_KEPT: &str = "the rows of the table could not be kept in the temporary folder";

/// Whether this is the name of standard output.
pub(super) fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Writes a whole file or leaves what was there; `-` is standard output.
pub(super) fn file(path: &Path, bytes: &[u8]) -> Result<()> {
    if is_stdout(path) {
        return answer(bytes);
    }
    streamed_file(path, |file| file.write_all(bytes))
}

/// [`file`] of what is written as it comes, so that none of it is kept; on a terminal it is kept, as an answer is.
pub(super) fn streamed_file(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<()> {
    if is_stdout(path) {
        return streamed_answer(write);
    }
    match write_whole_with(path, write) {
        Err(e) if e.kind() == ErrorKind::BrokenPipe => Ok(()),
        done => done.with_context(|| format!("{}: was not written", path.display())),
    }
}

/// Draws a chart into a file that is none of the inputs, or to stdout where it is called `-`.
pub(super) fn picture<'a>(
    spec: &ChartSpec,
    theme: SvgTheme,
    target: &Path,
    inputs: impl Iterator<Item = &'a Path>,
) -> Result<()> {
    is_svg(target)?;
    let svg = render_svg(spec, theme, suggested_size(spec))?;
    if is_stdout(target) {
        return answer(&svg);
    }
    is_no_input(target, inputs)?;
    file(target, &svg)
}

/// Pictures of other kinds, by the ends of their names.
const OTHER_PICTURES: [&str; 11] =
    ["png", "jpg", "jpeg", "gif", "pdf", "webp", "bmp", "tif", "tiff", "eps", "ps"];

/// Refuses a name that promises another kind of picture than is drawn.
fn is_svg(target: &Path) -> Result<()> {
    let end = target.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    if !OTHER_PICTURES.contains(&end.as_str()) {
        return Ok(());
    }
    let (name, svg) = (target.display(), target.with_extension("svg"));
    let text = format!("{name}: pictures are drawn as SVG: write {}, and convert that one", svg.display());
    Err(Usage(text).into())
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

/// Of several things that were asked for those that can be answered; the others are named on stderr.
///
/// # Errors
/// The first one's, where none can.
pub(super) fn keep_fitting<T>(asked: impl Iterator<Item = Result<T>>) -> Result<Vec<T>> {
    let (mut fitting, mut refused) = (Vec::new(), Vec::new());
    for one in asked {
        match one {
            Ok(fits) => fitting.push(fits),
            Err(why) => refused.push(why),
        }
    }
    if fitting.is_empty() && !refused.is_empty() {
        return Err(refused.swap_remove(0));
    }
    refused.iter().for_each(|why| remark(format!("left out: {why}")));
    Ok(fitting)
}
