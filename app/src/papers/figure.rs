//! A figure of a paper, drawn anew.

use crate::chart::ChartSpec;

/// One figure.
#[derive(Debug, Clone, PartialEq)]
pub struct PaperFigure {
    /// The paper, 1 to 5.
    pub paper: u8,
    /// Its number in the paper: `3a`.
    pub figure: String,
    /// What is drawn.
    pub chart: ChartSpec,
}

impl PaperFigure {
    /// `paper1-figure3a.svg`.
    #[must_use]
    pub fn file_name(&self) -> String {
        format!("paper{}-figure{}.svg", self.paper, self.figure)
    }
}
