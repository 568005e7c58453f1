//! One value for the GPU that was timed and one for the GPU asked about: by name, so that nobody has to know which comes first.

use std::ops::Index;

/// Either GPU of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// The GPU that was timed.
    Source,
    /// The GPU asked about.
    Target,
}

impl Side {
    /// Both, the source first.
    pub const ALL: Pair<Self> = Pair::new(Self::Source, Self::Target);

    /// `source` or `target`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Target => "target",
        }
    }
}

/// A value of either side of a question.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pair<T> {
    /// Of the GPU that was timed.
    pub source: T,
    /// Of the GPU asked about.
    pub target: T,
}

impl<T> Pair<T> {
    /// One value for either side.
    pub const fn new(source: T, target: T) -> Self {
        Self { source, target }
    }

    /// What `change` makes of either side, the source's first.
    #[inline]
    pub fn map<U>(self, mut change: impl FnMut(T) -> U) -> Pair<U> {
        Pair { source: change(self.source), target: change(self.target) }
    }

    /// Both values, borrowed.
    pub const fn as_ref(&self) -> Pair<&T> {
        Pair { source: &self.source, target: &self.target }
    }

    /// These values beside those of another pair.
    #[inline]
    pub fn zip<U>(self, other: Pair<U>) -> Pair<(T, U)> {
        Pair { source: (self.source, other.source), target: (self.target, other.target) }
    }

    /// Both values, borrowed, the source's first.
    #[inline]
    pub fn iter(&self) -> std::array::IntoIter<&T, 2> {
        [&self.source, &self.target].into_iter()
    }
}

impl<T: Clone> Pair<T> {
    /// One value for both sides.
    #[inline]
    pub fn same(value: T) -> Self {
        Self { source: value.clone(), target: value }
    }
}

impl<T> Pair<Option<T>> {
    /// Both values, where either side has one.
    pub fn known(self) -> Option<Pair<T>> {
        Some(Pair { source: self.source?, target: self.target? })
    }
}

impl<T> IntoIterator for Pair<T> {
    type Item = T;
    type IntoIter = std::array::IntoIter<T, 2>;

    fn into_iter(self) -> Self::IntoIter {
        [self.source, self.target].into_iter()
    }
}

impl<T> Index<Side> for Pair<T> {
    type Output = T;

    fn index(&self, side: Side) -> &T {
        match side {
            Side::Source => &self.source,
            Side::Target => &self.target,
        }
    }
}
