//! A reader that stops at what no text file of measurements contains: NUL bytes, and lines without end.

use memchr::{memchr, memchr_iter, memrchr};
use std::io::{Error, ErrorKind, Read, Result};

/// The longest line a measurement file may have; kernel names can reach 512 KiB.
pub(super) const LONGEST_LINE: usize = 1 << 20;

/// Passes bytes through and fails on a NUL byte or a line of more than 1 MiB.
pub(crate) struct LineGuard<R> {
    inner: R,
    /// The line in which the next byte stands.
    line: usize,
    /// How long that line is already.
    length: usize,
}

impl<R: Read> LineGuard<R> {
    pub(crate) fn new(inner: R) -> Self {
        Self { inner, line: 1, length: 0 }
    }

    fn line_error(&self, lines_later: usize, what: &str) -> Error {
        Error::new(ErrorKind::InvalidData, format!("line {} {what}", self.line + lines_later))
    }
}

impl<R: Read> Read for LineGuard<R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        // Never more at once than one line may have: then only the first and the last line of it can be too long.
        let room = buffer.len().min(LONGEST_LINE);
        let n = self.inner.read(&mut buffer[..room])?;
        let bytes = &buffer[..n];
        if let Some(at) = memchr(0, bytes) {
            let lines = memchr_iter(b'\n', &bytes[..at]).count();
            return Err(self.line_error(
                lines,
                "contains a NUL byte: this is a binary file or UTF-16; give a UTF-8 CSV",
            ));
        }
        let too_long = "is longer than 1 MiB; expected a CSV with one measurement per line";
        let first_end = memchr(b'\n', bytes);
        if self.length + first_end.unwrap_or(n) > LONGEST_LINE {
            return Err(self.line_error(0, too_long));
        }
        self.length = match memrchr(b'\n', bytes) {
            Some(end) => n - end - 1,
            None => self.length + n,
        };
        self.line += memchr_iter(b'\n', bytes).count();
        Ok(n)
    }
}
