//! Quantiles of everybody's values but one's own, over a window that slides: each question takes the logarithm of the rows
//! instead of all of them, so that a million rows can ask.

use super::words::Word;
use std::collections::BTreeMap;

/// How many of the first places are taken: a Fenwick tree (P. Fenwick, "A new data structure for cumulative frequency
/// tables", Software: Practice and Experience 24(3), 1994).
#[derive(Debug, Default, Clone)]
struct TakenPlaces(Vec<u32>);

impl TakenPlaces {
    fn none_taken(places: usize) -> Self {
        Self(vec![0; places + 1])
    }

    fn change(&mut self, place: usize, change: impl Fn(u32) -> u32) {
        let mut at = place + 1;
        while at < self.0.len() {
            self.0[at] = change(self.0[at]);
            at += at & at.wrapping_neg();
        }
    }

    /// How many places before this one are taken.
    fn before(&self, place: usize) -> usize {
        let (mut at, mut sum) = (place, 0);
        while at > 0 {
            sum += self.0[at] as usize;
            at &= at - 1;
        }
        sum
    }
}

/// One owner's values: their places among all, ascending, and which are in the window.
#[derive(Debug, Default)]
struct Own {
    places: Vec<usize>,
    taken: TakenPlaces,
}

/// Values with owners, some of them in a window.
#[derive(Debug)]
pub(super) struct Others {
    sorted: Vec<f64>,
    /// For each value as it was given, its place in `sorted` and its owner.
    place: Vec<(usize, Word)>,
    taken: TakenPlaces,
    own: BTreeMap<Word, Own>,
}

impl Others {
    /// All values with their owners; the window is empty.
    pub(super) fn new(values: &[(f64, Word)]) -> Self {
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by(|a, b| values[*a].0.total_cmp(&values[*b].0));
        let mut place: Vec<(usize, Word)> = values.iter().map(|(_, owner)| (0, *owner)).collect();
        let mut own: BTreeMap<Word, Own> = BTreeMap::new();
        for (at, value) in order.iter().enumerate() {
            place[*value].0 = at;
            own.entry(values[*value].1).or_default().places.push(at);
        }
        own.values_mut().for_each(|o| o.taken = TakenPlaces::none_taken(o.places.len()));
        let sorted = order.iter().map(|i| values[*i].0).collect();
        Self { sorted, place, taken: TakenPlaces::none_taken(values.len()), own }
    }

    /// Takes a value into the window, by its place among those given.
    pub(super) fn enter(&mut self, value: usize) {
        self.change(value, |n| n + 1);
    }

    /// Takes it out again.
    pub(super) fn leave(&mut self, value: usize) {
        self.change(value, |n| n - 1);
    }

    fn change(&mut self, value: usize, change: impl Fn(u32) -> u32 + Copy) {
        let (place, owner) = self.place[value];
        self.taken.change(place, change);
        let own = self.own.entry(owner).or_default();
        own.taken.change(own.places.partition_point(|p| *p < place), change);
    }

    /// How many values of others are in the window, and the value below which this share of them lies; NaN of none.
    pub(super) fn in_window(&self, owner: Word, share: f64) -> (usize, f64) {
        let own = &self.own[&owner];
        let mine = |place: usize| own.taken.before(own.places.partition_point(|p| *p < place));
        self.quantile(share, |place| self.taken.before(place) - mine(place))
    }

    /// The same of all values of others.
    pub(super) fn of_all(&self, owner: Word, share: f64) -> (usize, f64) {
        let own = &self.own[&owner];
        self.quantile(share, |place| place - own.places.partition_point(|p| *p < place))
    }

    fn quantile(&self, share: f64, before: impl Fn(usize) -> usize) -> (usize, f64) {
        let n = before(self.sorted.len());
        if n == 0 {
            return (0, f64::NAN);
        }
        let nth = |nth: usize| {
            let (mut low, mut high) = (0, self.sorted.len() - 1);
            while low < high {
                let middle = usize::midpoint(low, high);
                if before(middle + 1) > nth { high = middle } else { low = middle + 1 }
            }
            self.sorted[low]
        };
        let at = share * (n - 1) as f64;
        let (low, high) = (nth(at.floor() as usize), nth(at.ceil() as usize));
        (n, low + (high - low) * at.fract())
    }
}

#[cfg(test)]
mod tests {
    use super::super::robust::quantile;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn quantiles_are_those_of_the_values_sorted(
            values in prop::collection::vec((0u8..20, 0u32..3), 1..40),
            window in (0usize..40, 0usize..40),
            share in 0.0f64..=1.0,
        ) {
            let values: Vec<(f64, Word)> = values.iter().map(|(v, o)| (f64::from(*v), Word(*o))).collect();
            let mut others = Others::new(&values);
            (0..values.len()).for_each(|i| others.enter(i));
            let inside = |i: usize| (window.0..window.1).contains(&i);
            (0..values.len()).filter(|i| !inside(*i)).for_each(|i| others.leave(i));
            let owner = values[0].1;
            let slow = |inside: &dyn Fn(usize) -> bool| {
                let kept = values.iter().enumerate().filter(|(i, (_, o))| *o != owner && inside(*i));
                let mut kept: Vec<f64> = kept.map(|(_, (v, _))| *v).collect();
                (kept.len(), quantile(&mut kept, share).to_bits())
            };
            let bits = |(n, value): (usize, f64)| (n, value.to_bits());
            prop_assert_eq!(bits(others.in_window(owner, share)), slow(&inside));
            prop_assert_eq!(bits(others.of_all(owner, share)), slow(&|_| true));
        }
    }
}
