//! Which rows are the user's, and whether the others are folded.

/// What is the user's among the rows.
#[derive(Debug, Clone, Copy, Default)]
pub struct OwnRows {
    /// The first so many rows are the user's.
    pub own_rows: usize,
    /// How many kernels were there before any file of the user's was read.
    pub built_in: usize,
    /// Whether the built-in kernels are shown below the user's rows.
    pub unfolded: bool,
    /// Whether the cursor is on the line that stands for the built-in kernels.
    pub on_fold: bool,
    /// Whether the user's rows, once they are read, choose the row.
    pub chooses_row: bool,
    /// Whether they choose the source.
    pub chooses_source: bool,
    /// Whether a person asked for the targets: then none of them becomes the source.
    pub targets_asked: bool,
}
