//! Which entry of a catalogue is meant: a number that only the catalogue of its own kind takes.

use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::fmt::{Debug, Formatter, Result as FmtResult};
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

/// The place of a `T` in its catalogue, as long as that catalogue is neither sorted anew nor replaced.
#[derive(Serialize, Deserialize)]
#[serde(transparent, bound = "")]
pub struct Id<T: ?Sized> {
    place: u32,
    of: PhantomData<fn() -> Box<T>>,
}

impl<T: ?Sized> Id<T> {
    /// The id of the entry at this place, counted from 0.
    ///
    /// # Panics
    /// Beyond 2^32 - 1: no catalogue holds as many.
    #[must_use]
    pub const fn from_index(index: usize) -> Self {
        assert!(index <= u32::MAX as usize, "a catalogue holds fewer than 2^32 entries");
        Self { place: index as u32, of: PhantomData }
    }

    /// The place, counted from 0: for lists that run beside the catalogue.
    #[must_use]
    pub const fn index(self) -> usize {
        self.place as usize
    }
}

/// The first entry.
impl<T: ?Sized> Default for Id<T> {
    fn default() -> Self {
        Self::from_index(0)
    }
}

impl<T: ?Sized> Clone for Id<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: ?Sized> Copy for Id<T> {}

impl<T: ?Sized> PartialEq for Id<T> {
    fn eq(&self, other: &Self) -> bool {
        self.place == other.place
    }
}

impl<T: ?Sized> Eq for Id<T> {}

impl<T: ?Sized> PartialOrd for Id<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T: ?Sized> Ord for Id<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.place.cmp(&other.place)
    }
}

impl<T: ?Sized> Hash for Id<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.place.hash(state);
    }
}

impl<T: ?Sized> Debug for Id<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> FmtResult {
        write!(f, "#{}", self.place)
    }
}
