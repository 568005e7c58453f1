//! How much of the user's files was refused.

use crate::text::counted;

/// Rows that were refused, and files that could not be read at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RefusedCounts {
    /// Refused rows.
    pub rows: usize,
    /// Files that could not be read.
    pub files: usize,
}

impl RefusedCounts {
    /// Whether nothing was refused.
    #[must_use]
    pub const fn is_none(self) -> bool {
        self.rows == 0 && self.files == 0
    }

    /// `1 file not read, 2 rows refused`; empty where nothing was.
    #[must_use]
    pub fn in_words(self) -> String {
        let said = |n: usize, noun: &str, what: &str| (n > 0).then(|| format!("{} {what}", counted(n, noun)));
        let parts = [said(self.files, "file", "not read"), said(self.rows, "row", "refused")];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_rows_are_counted_apart() {
        let words = |files, rows| RefusedCounts { rows, files }.in_words();
        assert_eq!(words(1, 0), "1 file not read");
        assert_eq!(words(2, 1), "2 files not read, 1 row refused");
        assert_eq!(words(0, 3), "3 rows refused");
    }
}
