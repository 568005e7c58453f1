//! Which of an evaluation's trials are meant: a bit for each, as there are millions of them.

/// Places of trials, in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrialPlaces {
    words: Vec<u64>,
    count: usize,
}

impl TrialPlaces {
    /// All places below this one.
    #[must_use]
    pub fn all_below(length: usize) -> Self {
        (0..length).collect()
    }

    /// Adds a place.
    pub fn insert(&mut self, place: usize) {
        let (word, bit) = (place / 64, 1 << (place % 64));
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.count += usize::from(self.words[word] & bit == 0);
        self.words[word] |= bit;
    }

    /// How many there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.count
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The places, the smallest first.
    pub fn iter(&self) -> impl Iterator<Item = usize> + Clone + '_ {
        self.words.iter().enumerate().flat_map(|(word, bits)| SetBits(*bits).map(move |bit| 64 * word + bit))
    }
}

impl FromIterator<usize> for TrialPlaces {
    fn from_iter<I: IntoIterator<Item = usize>>(places: I) -> Self {
        let mut all = Self::default();
        places.into_iter().for_each(|place| all.insert(place));
        all
    }
}

/// The bits that are set, the lowest first.
#[derive(Clone)]
struct SetBits(u64);

impl Iterator for SetBits {
    type Item = usize;
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let bit = self.0.trailing_zeros() as usize;
        self.0 &= self.0 - 1;
        Some(bit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_come_once_and_in_order() {
        let places: TrialPlaces = [64, 3, 200, 3, 63, 0].into_iter().collect();
        assert_eq!(places.iter().collect::<Vec<_>>(), [0, 3, 63, 64, 200]);
        assert_eq!((places.len(), places.is_empty()), (5, false));
        assert!(TrialPlaces::default().is_empty() && TrialPlaces::all_below(0).iter().next().is_none());
        assert_eq!(TrialPlaces::all_below(130).iter().collect::<Vec<_>>(), (0..130).collect::<Vec<_>>());
    }
}
