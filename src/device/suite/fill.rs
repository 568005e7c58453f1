//! First contents of buffers: from a seed, the same on every machine and for any number of threads.

use super::{BufferData, Element};
use serde::Deserialize;

/// What stands in a buffer before the first launch.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Fill {
    /// All zero: outputs and counters.
    #[default]
    Zero,
    /// One value.
    Constant {
        /// The value.
        value: f64,
    },
    /// Spread evenly over `low..high`; for integers, whole numbers from `low` up to `high - 1`.
    Uniform {
        /// The smallest.
        low: f64,
        /// Above the largest.
        high: f64,
    },
    /// Every number from 0 up to the length, once each, in random order.
    Permutation,
    /// Ascending: element i is `i * step` plus a random part of `step`, rounded down for integers.
    Sorted {
        /// Mean distance of neighbours.
        step: f64,
    },
}

/// The random number at this place of this stream (splitmix64: Steele, Lea, Flood 2014). Any place can be had at once.
fn at(stream: u64, place: u64) -> u64 {
    let mut z = stream.wrapping_add(place.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A number in 0..1, of 24 bits, so that single precision holds it exactly.
fn unit_share(random: u64) -> f64 {
    (random >> 40) as f64 / (1_u64 << 24) as f64
}

/// The stream of a buffer: streams of different names do not meet.
fn stream(seed: u64, name: &str) -> u64 {
    name.bytes().fold(at(seed, 0), |s, b| at(s, u64::from(b)))
}

/// `length` elements of this type.
#[must_use]
pub fn fill(fill: Fill, element: Element, length: usize, name: &str, seed: u64) -> BufferData {
    let stream = stream(seed, name);
    if fill == Fill::Permutation {
        return permutation(element, length, stream);
    }
    let value = |i: usize| match fill {
        Fill::Zero | Fill::Permutation => 0.0,
        Fill::Constant { value } => value,
        Fill::Uniform { low, high } => low + (high - low) * unit_share(at(stream, i as u64)),
        Fill::Sorted { step } => step * (i as f64 + unit_share(at(stream, i as u64))),
    };
    match element {
        Element::F32 => BufferData::F32((0..length).map(|i| value(i) as f32).collect()),
        Element::F64 => BufferData::F64((0..length).map(value).collect()),
        Element::I32 => BufferData::I32((0..length).map(|i| value(i).floor() as i32).collect()),
        Element::U32 => BufferData::U32((0..length).map(|i| value(i).floor() as u32).collect()),
    }
}

/// Fisher and Yates's shuffle.
fn permutation(element: Element, length: usize, stream: u64) -> BufferData {
    let mut order: Vec<u32> = (0..length as u32).collect();
    for i in (1..length).rev() {
        let other = (u128::from(at(stream, i as u64)) * (i as u128 + 1)) >> 64;
        order.swap(i, other as usize);
    }
    match element {
        Element::F32 => BufferData::F32(order.into_iter().map(|v| v as f32).collect()),
        Element::F64 => BufferData::F64(order.into_iter().map(f64::from).collect()),
        Element::I32 => BufferData::I32(order.into_iter().map(|v| v as i32).collect()),
        Element::U32 => BufferData::U32(order),
    }
}

/// Which of `length` elements are looked at: all, or `sample` of them in ascending order, the first and last among them.
#[must_use]
pub(super) fn sampled(length: usize, sample: Option<usize>, seed: u64) -> Vec<usize> {
    let Some(sample) = sample.filter(|s| *s < length) else { return (0..length).collect() };
    let stream = stream(seed, "checked elements");
    let mut chosen: Vec<usize> = (0..sample.saturating_sub(2))
        .map(|i| ((u128::from(at(stream, i as u64)) * length as u128) >> 64) as usize)
        .chain([0, length - 1])
        .collect();
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_are_spread_repeatable_and_different_from_buffer_to_buffer() {
        let uniform = Fill::Uniform { low: 0.5, high: 1.5 };
        let BufferData::F32(x) = fill(uniform, Element::F32, 10_000, "x", 7) else { panic!("f32") };
        let mean = x.iter().map(|v| f64::from(*v)).sum::<f64>() / 1e4;
        assert!(x.iter().all(|v| (0.5..1.5).contains(v)) && (mean - 1.0).abs() < 0.02, "{mean}");
        assert_eq!(BufferData::F32(x.clone()), fill(uniform, Element::F32, 10_000, "x", 7));
        assert_ne!(BufferData::F32(x), fill(uniform, Element::F32, 10_000, "y", 7));
    }

    #[test]
    fn whole_numbers_fill_their_whole_range() {
        let BufferData::I32(bins) =
            fill(Fill::Uniform { low: 0.0, high: 256.0 }, Element::I32, 100_000, "in", 1)
        else {
            panic!("i32")
        };
        let mut counts = [0; 256];
        bins.iter().for_each(|b| counts[*b as usize] += 1);
        assert!(counts.iter().all(|c| (250..550).contains(c)), "{counts:?}");
    }

    #[test]
    fn a_permutation_has_every_number_once_and_sorted_ascends() {
        let BufferData::I32(mut p) = fill(Fill::Permutation, Element::I32, 1000, "idx", 3) else {
            panic!("i32")
        };
        assert!(p.iter().enumerate().filter(|(i, v)| *i as i32 == **v).count() < 10);
        p.sort_unstable();
        assert!(p.iter().enumerate().all(|(i, v)| i as i32 == *v));
        let BufferData::U32(s) = fill(Fill::Sorted { step: 4.0 }, Element::U32, 1000, "table", 3) else {
            panic!("u32")
        };
        assert!(s.windows(2).all(|w| w[0] < w[1]));
    }

    #[test]
    fn a_sample_holds_both_ends_and_no_element_twice() {
        assert_eq!(sampled(5, None, 1), [0, 1, 2, 3, 4]);
        assert_eq!(sampled(5, Some(5), 1), [0, 1, 2, 3, 4]);
        let some = sampled(1_000_000, Some(1000), 1);
        assert!(some.len() > 990 && some[0] == 0 && some.last() == Some(&999_999));
        assert!(some.windows(2).all(|w| w[0] < w[1]));
    }
}
