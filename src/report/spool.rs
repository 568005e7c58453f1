//! Text that is written down before it can be printed: in memory as long as it is short, then in a file without a name.

use std::io::{Read, Result, Seek, SeekFrom, Write};
use tempfile::SpooledTempFile;

/// Bytes in memory.
const IN_MEMORY: usize = 4 << 20;

/// Bytes that are written first, and read once all are there.
#[derive(Debug)]
pub struct Spool(SpooledTempFile);

impl Default for Spool {
    fn default() -> Self {
        Self(SpooledTempFile::new(IN_MEMORY))
    }
}

impl Write for Spool {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> Result<()> {
        self.0.flush()
    }
}

impl Spool {
    /// Everything that was written, from its start.
    ///
    /// # Errors
    /// What the file system says.
    pub fn into_reader(mut self) -> Result<impl Read> {
        self.0.seek(SeekFrom::Start(0))?;
        Ok(self.0)
    }

    /// Writes everything that was written to `out`.
    ///
    /// # Errors
    /// What the file system or the writer says.
    pub fn copy_to(self, out: &mut dyn Write) -> Result<()> {
        std::io::copy(&mut self.into_reader()?, out).map(|_| ())
    }
}
