//! How times that overlap in part add up: norms, and their roots.

/// How far the components of a launch overlap, as a norm: infinity = wholly. Of 4 to 16 the families choose 12 or more with the
/// recompiled convolution among them, which gains 0.5 points over 6, and 6 without it (docs/models.md).
pub const NORM: i32 = 10;

/// The p-norm of components, p = [`NORM`].
#[inline]
pub(super) fn p_norm(times: &[f64]) -> f64 {
    let longest = times.iter().fold(0.0, |longest, time| if *time > longest { *time } else { longest });
    let power = longest.powi(NORM);
    if power <= 0.0 {
        return 0.0;
    }
    let all: f64 = times.iter().map(|time| time.powi(NORM)).sum();
    longest * root_beside_one(all / power - 1.0, f64::from(NORM))
}

/// The norm whose p-th power this is, p = [`NORM`].
#[inline]
pub(super) fn root_of_norm(power: f64) -> f64 {
    nth_root(power, f64::from(NORM))
}

/// (a^3 + b^3)^(1/3), one of which is above 0.
#[inline]
pub(super) fn three_norm(a: f64, b: f64) -> f64 {
    let long = a.max(b);
    long * root_beside_one((a.min(b) / long).powi(3), 3.0)
}

/// The n-th root of a number that is not negative: within 1e-14, in a third of the time of an exact one.
#[inline]
fn nth_root(of: f64, n: f64) -> f64 {
    (of.ln() / n).exp()
}

/// Up to here the first terms of a root's series are within 1e-14 of it.
const SMALL: f64 = 0.015;

/// (1 + x)^(1/n), x at least -1: mostly one part takes nearly all of a time, and its series does without a logarithm.
#[inline]
pub(super) fn root_beside_one(x: f64, n: f64) -> f64 {
    if x.abs() > SMALL {
        return nth_root(1.0 + x, n);
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
    let long = a.max(b);
    if long <= 0.0 {
        long
    } else {
        long * root_beside_one((a.min(b) / long).powi(LAUNCH_NORM), f64::from(LAUNCH_NORM))
    }
}

/// What `whole` leaves beside `part`: the b of `joined(part, b) = whole`; 0 where nothing is left.
#[must_use]
#[inline]
pub fn rest(whole: f64, part: f64) -> f64 {
    let share = (part / whole).powi(LAUNCH_NORM).min(1.0);
    if whole <= 0.0 { 0.0 } else { whole * root_beside_one(-share, f64::from(LAUNCH_NORM)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_root_is_that_of_the_whole_number_on_both_sides_of_where_its_series_ends() {
        for n in [3.0, 10.0, 12.0] {
            for x in [-1.0, -0.5, -0.016, -0.015, -0.014, -1e-9, 0.0, 1e-9, 0.013, 0.015, 0.016, 0.5, 10.0] {
                let (found, exact) = (root_beside_one(x, n), (1.0 + x).powf(1.0 / n));
                assert!((found - exact).abs() < 2e-14, "{x} {n}: {found} {exact}");
            }
        }
    }

    #[test]
    fn a_norm_is_the_root_of_the_sum_of_powers() {
        assert_eq!(p_norm(&[0.0; 3]), 0.0);
        assert!((p_norm(&[1.0, 1.0, 0.0]) - 2_f64.powf(0.1)).abs() < 1e-14);
        assert!((three_norm(2.0, 1.0) - 9_f64.cbrt()).abs() < 1e-13);
        assert!((rest(joined(3.0, 4.0), 3.0) - 4.0).abs() < 1e-12 && rest(2.0, 3.0) == 0.0);
    }
}
