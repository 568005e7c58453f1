//! The functions of kernel files beyond arithmetic, comparisons and the bank conflicts of a tile in shared memory among them.

/// Lanes of a warp, and banks of shared memory (CUDA C++ Programming Guide, compute capabilities 5.x and later).
const LANES: usize = 32;

/// The widest block whose warps are all looked at; a wider one is no block of any GPU.
const WIDEST: f64 = 1024.0;

/// A function of one value.
pub(super) type OneValue = fn(f64) -> f64;

/// A function of two values.
pub(super) type TwoValues = fn(f64, f64) -> f64;

/// The function of one value with this name; `log` is the natural one.
pub(super) fn of_one_value(name: &str) -> Option<OneValue> {
    let function: OneValue = match name {
        "abs" => f64::abs,
        "signum" => f64::signum,
        "sin" => f64::sin,
        "cos" => f64::cos,
        "tan" => f64::tan,
        "asin" => f64::asin,
        "acos" => f64::acos,
        "atan" => f64::atan,
        "sinh" => f64::sinh,
        "cosh" => f64::cosh,
        "tanh" => f64::tanh,
        "asinh" => f64::asinh,
        "acosh" => f64::acosh,
        "atanh" => f64::atanh,
        "floor" => f64::floor,
        "round" => f64::round,
        "ceil" => f64::ceil,
        "trunc" => f64::trunc,
        "fract" => f64::fract,
        "exp" => f64::exp,
        "sqrt" => f64::sqrt,
        "cbrt" => f64::cbrt,
        "ln" | "log" => f64::ln,
        "log2" => f64::log2,
        "log10" => f64::log10,
        _ => return None,
    };
    Some(function)
}

/// The function of two values with this name: `less(a, b)` is 1 where a < b, else 0; `at_most(a, b)` is 1 where a <= b, else 0;
/// `bank_conflict(bx, width)` is the wavefronts of a warp's read from a row-major tile, see [`bank_conflict`].
pub(super) fn of_two_values(name: &str) -> Option<TwoValues> {
    let function: TwoValues = match name {
        "min" => f64::min,
        "max" => f64::max,
        "atan2" => f64::atan2,
        "less" => |a, b| f64::from(u8::from(a < b)),
        "at_most" => |a, b| f64::from(u8::from(a <= b)),
        "bank_conflict" => bank_conflict,
        _ => return None,
    };
    Some(function)
}

/// Whether a function or a constant has this name.
pub(super) fn is_taken(name: &str) -> bool {
    constant(name).is_some() || of_one_value(name).is_some() || of_two_values(name).is_some()
}

/// The number with this name: pi, tau and Euler's number.
pub(super) fn constant(name: &str) -> Option<f64> {
    match name {
        "PI" => Some(std::f64::consts::PI),
        "TAU" => Some(std::f64::consts::TAU),
        "E" | "e" => Some(std::f64::consts::E),
        _ => None,
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
