//! What a library's kernels reach of a GPU's FP32 rate on some architectures beside what they reach on others.

use crate::catalogue::Spanned;
use serde::Deserialize;
use std::ops::{Range, RangeInclusive};

/// `[library]` of a kernel file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LibraryShareFile {
    /// 9 of 9.0: the first and the last architecture whose kernels reach less; without one, all before or after.
    from_capability_major: Option<u8>,
    to_capability_major: Option<u8>,
    /// 0 to 1, of the FP32 rate.
    fp32_share: Spanned<f64>,
    source: Spanned<String>,
}

/// On these architectures a library reaches this share of the FP32 rate, beside its share on others.
#[derive(Debug, Clone, PartialEq)]
pub struct LibraryShare {
    majors: RangeInclusive<u8>,
    share: f64,
}

impl LibraryShareFile {
    /// Whose word it is.
    pub(super) fn source(&self) -> &Spanned<String> {
        &self.source
    }

    /// The share, or where and how it is none.
    pub(super) fn checked(&self) -> Result<LibraryShare, (Range<usize>, &'static str)> {
        let share = *self.fp32_share.get_ref();
        let majors = self.from_capability_major.unwrap_or(0)..=self.to_capability_major.unwrap_or(u8::MAX);
        match share > 0.0 && share <= 1.0 {
            true => Ok(LibraryShare { majors, share }),
            false => Err((self.fp32_share.span(), "expected a share above 0, at most 1")),
        }
    }
}

impl LibraryShare {
    /// The share on a GPU of this compute capability's major number, 0 to 1.
    #[must_use]
    pub fn on_major(&self, major: u8) -> f64 {
        if self.majors.contains(&major) { self.share } else { 1.0 }
    }
}
