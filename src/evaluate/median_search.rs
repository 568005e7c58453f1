//! The median of more numbers than memory is wanted for. They come again and again, in any order: each time those of a smaller range are
//! counted, until few different ones are left.

use std::collections::BTreeMap;

/// So many upper bits of a number are found by each count.
const BITS: u32 = 13;

/// Counts before the numbers that are left are kept.
const COUNTS: u32 = 2;

/// The middle value, or the mean of the two in the middle, as [`crate::stats::median`] has it.
#[derive(Debug)]
pub(super) struct MedianSearch {
    count: usize,
    /// How often the numbers came.
    passes: u32,
    /// Where the one or two in the middle stand.
    ranges: Vec<KeyRange>,
}

impl Default for MedianSearch {
    fn default() -> Self {
        Self { count: 0, passes: 0, ranges: vec![KeyRange::beginning_with(0)] }
    }
}

/// Numbers of the same upper bits.
#[derive(Debug, Default)]
struct KeyRange {
    upper: u64,
    /// By the next bits.
    counts: Vec<u32>,
    /// How often each of them comes, of so few that they are kept.
    kept: BTreeMap<u64, u32>,
    /// The places that are looked for, among the numbers of the range in order.
    wanted: Vec<usize>,
}

impl MedianSearch {
    /// How often the numbers must come.
    pub(super) const PASSES: u32 = COUNTS + 1;

    /// Takes a number; the same ones in each pass.
    pub(super) fn add(&mut self, value: f64) {
        let key = key_of(value);
        if self.passes == 0 {
            self.count += 1;
        }
        for range in self.ranges.iter_mut().filter(|range| range.has(key, self.passes)) {
            if self.passes == COUNTS {
                *range.kept.entry(key).or_default() += 1;
            } else {
                range.counts[next_bits(key, self.passes)] += 1;
            }
        }
    }

    /// Every number came once more.
    pub(super) fn end_pass(&mut self) {
        if self.passes == 0 && self.count > 0 {
            self.ranges[0].wanted = vec![(self.count - 1) / 2, self.count / 2];
        }
        if self.passes < COUNTS {
            let narrowed = self.ranges.iter().flat_map(|range| range.narrowed(self.passes == COUNTS - 1));
            self.ranges = narrowed.collect();
        }
        self.passes += 1;
    }

    /// The median, once all passes are over; `None` of nothing.
    pub(super) fn median(&self) -> Option<f64> {
        let mut middle = self.ranges.iter().flat_map(KeyRange::found);
        let (below, above) = (middle.next()?, middle.next()?);
        Some(if self.count % 2 == 1 { above } else { f64::midpoint(below, above) })
    }
}

impl KeyRange {
    fn beginning_with(upper: u64) -> Self {
        Self { upper, counts: vec![0; 1 << BITS], ..Self::default() }
    }

    /// Whether it has this key, after so many passes.
    fn has(&self, key: u64, passes: u32) -> bool {
        passes == 0 || key >> (u64::BITS - BITS * passes) == self.upper
    }

    /// The parts of it that have the wanted places.
    fn narrowed(&self, is_kept: bool) -> Vec<Self> {
        let mut parts: Vec<Self> = Vec::new();
        for wanted in &self.wanted {
            let mut before = 0;
            let next = self.counts.iter().position(|count| {
                before += *count as usize;
                before > *wanted
            });
            let Some(next) = next else { continue };
            let place = wanted + self.counts[next] as usize - before;
            let upper = self.upper << BITS | next as u64;
            if parts.last().is_none_or(|part| part.upper != upper) {
                let counted = || Self::beginning_with(upper);
                parts.push(if is_kept { Self { upper, ..Self::default() } } else { counted() });
            }
            if let Some(part) = parts.last_mut() {
                part.wanted.push(place);
            }
        }
        parts
    }

    /// The numbers at the wanted places.
    fn found(&self) -> impl Iterator<Item = f64> {
        self.wanted.iter().filter_map(|wanted| {
            let mut before = 0;
            let reached = self.kept.iter().find(|(_, count)| {
                before += **count as usize;
                before > *wanted
            });
            reached.map(|(key, _)| value_of(*key))
        })
    }
}

/// The bits of a key behind those that these passes found.
fn next_bits(key: u64, passes: u32) -> usize {
    (key << (BITS * passes) >> (u64::BITS - BITS)) as usize
}

const SIGN: u64 = 1 << 63;

/// A number that grows with the value, in the order of [`f64::total_cmp`].
fn key_of(value: f64) -> u64 {
    let bits = value.to_bits();
    if bits & SIGN == 0 { bits | SIGN } else { !bits }
}

fn value_of(key: u64) -> f64 {
    f64::from_bits(if key & SIGN == 0 { !key } else { key ^ SIGN })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats;

    fn searched(values: &[f64]) -> Option<f64> {
        let mut search = MedianSearch::default();
        for _ in 0..MedianSearch::PASSES {
            values.iter().for_each(|value| search.add(*value));
            search.end_pass();
        }
        search.median()
    }

    #[test]
    fn the_median_is_that_of_all_values() {
        let spread = |i: usize| ((i * 7919 % 1009) as f64 / 500.0).powi(5);
        let near = |i: usize| 1.0 + (i * 31 % 97) as f64 * 1e-9;
        let wide = |i: usize| f64::from_bits((i as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) & !(1 << 62));
        let one_of_two = |i: usize| if i.is_multiple_of(2) { 3.5 } else { -0.0 };
        for count in [0, 1, 2, 3, 10, 11, 500, 501] {
            for of in [&spread as &dyn Fn(usize) -> f64, &near, &wide, &one_of_two, &|_| 2.0] {
                let mut values: Vec<f64> = (0..count).map(of).collect();
                let found = searched(&values);
                let expected = stats::median(&mut values);
                assert_eq!(found.map(f64::to_bits), expected.map(f64::to_bits), "{found:?} {expected:?}");
            }
        }
    }

    #[test]
    fn few_numbers_are_kept_of_many() {
        let values: Vec<f64> = (0..200_000).map(|i| (-((i % 8191) as f64) / 1000.0).exp()).collect();
        let mut search = MedianSearch::default();
        for _ in 0..MedianSearch::PASSES {
            values.iter().for_each(|value| search.add(*value));
            search.end_pass();
        }
        let kept: usize = search.ranges.iter().map(|range| range.kept.len() + range.counts.len()).sum();
        assert!(kept < 100, "{kept} different ones of 8191");
        assert_eq!(search.median(), stats::median(&mut values.clone()));
    }
}
