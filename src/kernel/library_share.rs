//! What a library's kernels reach of a GPU's FP32 rate beside what they reach on older ones.

use super::file::KernelChecker;
use crate::catalogue::{FileError, Spanned};
use serde::Deserialize;

/// `[library]` of a kernel file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LibraryShareFile {
    /// 9 of 9.0: the first architecture whose kernels reach less.
    from_capability_major: u8,
    /// 0 to 1, of the FP32 rate.
    fp32_share: Spanned<f64>,
    source: Spanned<String>,
}

/// From one compute capability on a library reaches this share of the FP32 rate, beside its share on older GPUs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LibraryShare {
    from_major: u8,
    share: f64,
}

impl LibraryShareFile {
    pub(super) fn checked(&self, check: &KernelChecker<'_>) -> Result<LibraryShare, FileError> {
        check.source("library.source", &self.source)?;
        let share = *self.fp32_share.get_ref();
        if !(share > 0.0 && share <= 1.0) {
            let span = self.fp32_share.span();
            return Err(check.field_error("library.fp32_share", span, "expected a share above 0, at most 1"));
        }
        Ok(LibraryShare { from_major: self.from_capability_major, share })
    }
}

impl LibraryShare {
    /// The share on a GPU of this compute capability's major number, 0 to 1.
    #[must_use]
    pub fn on_major(self, major: u8) -> f64 {
        if major >= self.from_major { self.share } else { 1.0 }
    }
}
