//! A reader that stops at what no text file of measurements contains: NUL bytes, and lines without end.

use std::io::{Error, ErrorKind, Read, Result};

/// The longest line a measurement file may have; kernel names can reach 512 KiB.
const LONGEST_LINE: usize = 1 << 20;

/// Passes bytes through and fails on a NUL byte or a line of more than 1 MiB.
pub(crate) struct LineGuard<R> {
    inner: R,
    line: u64,
    length: usize,
}

impl<R: Read> LineGuard<R> {
    pub(crate) fn new(inner: R) -> Self {
        Self { inner, line: 1, length: 0 }
    }
}

impl<R: Read> Read for LineGuard<R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let n = self.inner.read(buffer)?;
        for byte in &buffer[..n] {
            match byte {
                b'\n' => (self.line, self.length) = (self.line + 1, 0),
                0 => {
                    let what = "contains a NUL byte: this is a binary file or UTF-16; give a UTF-8 CSV";
                    return Err(Error::new(ErrorKind::InvalidData, format!("line {} {what}", self.line)));
                }
                _ => self.length += 1,
            }
            if self.length > LONGEST_LINE {
                let what = "is longer than 1 MiB; expected a CSV with one measurement per line";
                return Err(Error::new(ErrorKind::InvalidData, format!("line {} {what}", self.line)));
            }
        }
        Ok(n)
    }
}
