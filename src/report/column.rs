//! A column of a table.

/// Where a column's text stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// One column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableColumn {
    /// Heading, JSON key and CSV column at once.
    pub name: &'static str,
    /// Where its text stands.
    pub align: Align,
}

impl TableColumn {
    /// A column of words.
    #[must_use]
    pub const fn left(name: &'static str) -> Self {
        Self { name, align: Align::Left }
    }

    /// A column of numbers.
    #[must_use]
    pub const fn right(name: &'static str) -> Self {
        Self { name, align: Align::Right }
    }
}
