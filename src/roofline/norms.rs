//! How times that overlap in part add up: norms, and their roots.

/// How far the components of a launch overlap, as a norm: infinity = wholly. Of 4 to 16 the families choose 12 or more with the
/// recompiled convolution among them, which gains 0.5 points over 6, and 6 without it (docs/models.md).
pub const NORM: i32 = 10;

/// The p-norm of components, p = [`NORM`].
#[inline]
pub(super) fn p_norm(times: &[f64]) -> f64 {
    norm_of_power(times, times.iter().map(|time| time.powi(NORM)).sum())
}

/// The same of times whose p-th powers have this sum.
#[inline]
pub(super) fn norm_of_power(times: &[f64], sum: f64) -> f64 {
    norm_of_longest(longest(times), sum)
}

/// The same of times of which this is the longest.
#[inline]
pub(super) fn norm_of_longest(longest: f64, sum: f64) -> f64 {
    let power = longest.powi(NORM);
    if power <= 0.0 { 0.0 } else { longest * root_beside_one(sum / power - 1.0, NORM) }
}

/// The longest of these times; 0 of none.
#[inline]
pub(super) fn longest(times: &[f64]) -> f64 {
    times.iter().fold(0.0, |longest, time| if *time > longest { *time } else { longest })
}

/// The norm whose p-th power this is, p = [`NORM`].
#[inline]
pub(super) fn root_of_norm(power: f64) -> f64 {
    nth_root(power, f64::from(NORM))
}

/// The longer of two times and the shorter one.
#[inline]
fn longer_and_shorter(a: f64, b: f64) -> [f64; 2] {
    if a > b { [a, b] } else { [b, a] }
}

/// (a^3 + b^3)^(1/3), one of which is above 0.
#[inline]
pub(super) fn three_norm(a: f64, b: f64) -> f64 {
    let [long, short] = longer_and_shorter(a, b);
    long * root_beside_one((short / long).powi(3), 3)
}

/// The n-th root of a number that is not negative: within 1e-14, in a third of the time of an exact one.
#[inline]
fn nth_root(of: f64, n: f64) -> f64 {
    (of.ln() / n).exp()
}

/// Up to here the first terms of a root's series are within 1e-14 of it.
const SMALL: f64 = 0.015;

/// (1 + x)^(1/n), x at least -1: mostly one part takes nearly all of a time, and its series does without a logarithm; so do two of Halley's
/// steps from the first Padé approximant where both take as long.
#[inline]
pub(super) fn root_beside_one(x: f64, power: i32) -> f64 {
    let (n, whole) = (f64::from(power), 1.0 + x);
    if x > SMALL && x <= 1.0 {
        let step = |root: f64| {
            let found = root.powi(power);
            root * ((n - 1.0) * found + (n + 1.0) * whole) / ((n + 1.0) * found + (n - 1.0) * whole)
        };
        return step(step((2.0 * n + (n + 1.0) * x) / (2.0 * n + (n - 1.0) * x)));
    }
    if x.abs() > SMALL {
        return nth_root(whole, n);
    }
    let next = |k: f64, rest: f64| 1.0 - x * ((k * n - 1.0) / ((k + 1.0) * n)) * rest;
    1.0 + x * (1.0 / n) * next(1.0, next(2.0, next(3.0, next(4.0, next(5.0, 1.0)))))
}

/// How far launches back to back overlap with their kernels, as a norm: 1 = one after the other, infinity = wholly. The driver's queue
/// hides a launch behind the kernel before it: of 4 to 20 both families of short kernels choose 12 and more, where nothing changes any more
/// (paper 1 went from 12.6 to 12.0 % when it was chosen).
pub const LAUNCH_NORM: i32 = 12;

/// (a^12 + b^12)^(1/12).
#[must_use]
#[inline]
pub fn joined(a: f64, b: f64) -> f64 {
    let [long, short] = longer_and_shorter(a, b);
    // A part that is this short adds less than a bit.
    if long <= 0.0 || short < 0.04 * long {
        long
    } else {
        long * root_beside_one((short / long).powi(LAUNCH_NORM), LAUNCH_NORM)
    }
}

/// What `whole` leaves beside `part`: the b of `joined(part, b) = whole`; 0 where nothing is left.
#[must_use]
#[inline]
pub fn rest(whole: f64, part: f64) -> f64 {
    let share = (part / whole).powi(LAUNCH_NORM).min(1.0);
    if whole <= 0.0 { 0.0 } else { whole * root_beside_one(-share, LAUNCH_NORM) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_root_is_that_of_the_whole_number_on_both_sides_of_where_its_series_ends() {
        for n in [3, 10, 12] {
            for x in [
                -1.0, -0.5, -0.016, -0.015, -0.014, -1e-9, 0.0, 1e-9, 0.013, 0.015, 0.016, 0.5, 1.0, 1.1,
                10.0,
            ] {
                let (found, exact) = (root_beside_one(x, n), (1.0 + x).powf(1.0 / f64::from(n)));
                assert!((found - exact).abs() < 2e-14, "{x} {n}: {found} {exact}");
            }
        }
    }

    #[test]
    fn a_norm_is_the_root_of_the_sum_of_powers() {
        assert_eq!(p_norm(&[0.0; 3]), 0.0);
        for short in [0.0, 0.03, 0.0399, 0.04, 0.0401, 0.7] {
            let exact = root_beside_one(f64::powi(short, LAUNCH_NORM), LAUNCH_NORM);
            assert_eq!([joined(1.0, short), joined(short, 1.0)], [exact; 2], "{short}");
        }
        assert!((p_norm(&[1.0, 1.0, 0.0]) - 2_f64.powf(0.1)).abs() < 1e-14);
        assert!((three_norm(2.0, 1.0) - 9_f64.cbrt()).abs() < 1e-13);
        assert!((rest(joined(3.0, 4.0), 3.0) - 4.0).abs() < 1e-12 && rest(2.0, 3.0) == 0.0);
    }
}
