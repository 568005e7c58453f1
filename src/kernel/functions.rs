//! The functions of kernel files beyond arithmetic: comparisons, and the bank conflicts of a tile in shared memory.

use exmex::{BinOp, FloatOpsFactory, MakeOperators, Operator};

/// Lanes of a warp, and banks of shared memory (CUDA C++ Programming Guide, compute capabilities 5.x and later).
const LANES: usize = 32;

/// The widest block whose warps are all looked at; a wider one is no block of any GPU.
const WIDEST: f64 = 1024.0;

/// Everything a formula may call: `min`, `max`, `ceil`, `floor` and the other functions of the parser, and
///
/// - `less(a, b)`: 1 where a < b, else 0;
/// - `at_most(a, b)`: 1 where a <= b, else 0;
/// - `bank_conflict(bx, width)`: wavefronts of a warp's read from a row-major tile, see [`bank_conflict`].
#[derive(Debug, Clone)]
pub(super) struct Functions;

impl MakeOperators<f64> for Functions {
    fn make<'a>() -> Vec<Operator<'a, f64>> {
        let mut all = FloatOpsFactory::<f64>::make();
        let mut add = |name, apply| {
            all.push(Operator::make_bin(name, BinOp { apply, prio: 0, is_commutative: false }));
        };
        add("less", |a, b| f64::from(u8::from(a < b)));
        add("at_most", |a, b| f64::from(u8::from(a <= b)));
        add("bank_conflict", bank_conflict);
        all
    }
}

/// The most lanes of a warp that fall in one of 32 banks, where lane (x, y) of a `bx` wide block reads word
/// `y * width + x`; the mean over the warps of such blocks, which start at different x where `bx` is no divisor of 32.
/// NaN where `bx` is no width of a block or `width` no number of words.
pub(super) fn bank_conflict(bx: f64, width: f64) -> f64 {
    if !(1.0..=WIDEST).contains(&bx) || !(0.0..=f64::from(u32::MAX)).contains(&width) {
        return f64::NAN;
    }
    let (bx, width) = (bx as usize, width as usize);
    let mut start = 0;
    let (mut sum, mut warps) = (0, 0);
    loop {
        sum += most_in_a_bank(start, bx, width);
        warps += 1;
        start = (start + LANES) % bx;
        if start == 0 {
            return f64::from(sum) / f64::from(warps);
        }
    }
}

/// For the warp whose first lane stands at this x.
fn most_in_a_bank(start: usize, bx: usize, width: usize) -> u32 {
    let mut banks = [0_u32; LANES];
    let (mut x, mut row) = (start, 0);
    for _ in 0..LANES {
        banks[(row + x) % LANES] += 1;
        x += 1;
        if x == bx {
            (x, row) = (0, (row + width) % LANES);
        }
    }
    banks.into_iter().max().unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_a_warp_has_no_conflict_and_a_column_has_all() {
        for width in [1.0, 31.0, 32.0, 33.0, 142.0] {
            assert_eq!(bank_conflict(32.0, width), 1.0, "{width}");
            assert_eq!(bank_conflict(64.0, width), 1.0, "{width}");
        }
        assert_eq!(bank_conflict(1.0, 32.0), 32.0);
        assert_eq!(bank_conflict(1.0, 33.0), 1.0);
        // Sixteen lanes a row: two rows meet where the width is a multiple of 32, and overlap by 14 at a width of 30 + 32.
        assert_eq!(bank_conflict(16.0, 64.0), 2.0);
        assert_eq!(bank_conflict(16.0, 48.0), 1.0);
        assert_eq!(bank_conflict(16.0, 30.0), 2.0);
    }

    #[test]
    fn a_conflict_is_at_least_one_and_at_most_all_lanes_and_has_the_period_of_the_banks() {
        for bx in 1..=130 {
            for width in 1..=70 {
                let (b, w) = (f64::from(bx), f64::from(width));
                let conflict = bank_conflict(b, w);
                assert!((1.0..=32.0).contains(&conflict), "{bx} {width}: {conflict}");
                assert_eq!(conflict, bank_conflict(b, w + 32.0), "{bx} {width}");
            }
        }
    }

    #[test]
    fn what_is_no_block_has_no_conflict() {
        for (bx, width) in
            [(0.0, 4.0), (-1.0, 4.0), (2000.0, 4.0), (f64::NAN, 4.0), (4.0, f64::NAN), (4.0, -1.0)]
        {
            assert!(bank_conflict(bx, width).is_nan(), "{bx} {width}");
        }
    }
}
