//! What a framework's call of an operator takes before the GPU has anything to do.

use crate::catalogue::Spanned;
use crate::units::Seconds;
use serde::Deserialize;
use std::ops::Range;

/// `[dispatch]` of a kernel file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DispatchFile {
    /// Microseconds, of a call that finds the GPU idle.
    us: Spanned<f64>,
    source: Spanned<String>,
}

/// The longest that is taken for a call, microseconds.
const LONGEST_US: f64 = 10_000.0;

impl DispatchFile {
    /// Whose word it is.
    pub(super) fn source(&self) -> &Spanned<String> {
        &self.source
    }

    /// The time, or where and how it is none.
    pub(super) fn checked(&self) -> Result<Seconds, (Range<usize>, &'static str)> {
        let us = *self.us.get_ref();
        match us > 0.0 && us <= LONGEST_US {
            true => Ok(Seconds(us * 1e-6)),
            false => Err((self.us.span(), "expected microseconds above 0, at most 10000")),
        }
    }
}
