//! How times that overlap in part add up: norms, and their roots.

/// How far the components of a launch overlap, as a norm: infinity = wholly. Of 4 to 16 the families choose 12 or more with the
/// recompiled convolution among them, which gains 0.5 points over 6, and 6 without it (docs/models.md).
pub const NORM: i32 = 10;

/// The p-norm of components, p = [`NORM`].
#[inline]
pub(super) fn p_norm(times: &[f64]) -> f64 {
    root_of_norm(times.iter().map(|t| t.powi(NORM)).sum())
}

/// The norm whose p-th power this is, p = [`NORM`].
#[inline]
pub(super) fn root_of_norm(power: f64) -> f64 {
    nth_root(power, f64::from(NORM))
}

/// (a^3 + b^3)^(1/3).
#[inline]
pub(super) fn three_norm(a: f64, b: f64) -> f64 {
    nth_root(a.powi(3) + b.powi(3), 3.0)
}

/// The n-th root of a number that is not negative: within 1e-14, in a third of the time of an exact one.
#[inline]
pub(super) fn nth_root(of: f64, n: f64) -> f64 {
    (of.ln() / n).exp()
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
    if long <= 0.0 { long } else { long * twelfth_root(1.0 + (a.min(b) / long).powi(LAUNCH_NORM)) }
}

/// What `whole` leaves beside `part`: the b of `joined(part, b) = whole`; 0 where nothing is left.
#[must_use]
#[inline]
pub fn rest(whole: f64, part: f64) -> f64 {
    if whole <= 0.0 { 0.0 } else { whole * twelfth_root((1.0 - (part / whole).powi(LAUNCH_NORM)).max(0.0)) }
}

#[inline]
fn twelfth_root(sum: f64) -> f64 {
    // Of a launch that is long past its floor little is left to add: an exact root takes its time, and is the same to the last digit.
    let beside_one = sum - 1.0;
    if beside_one.abs() < 1e-8 { 1.0 + beside_one / 12.0 } else { sum.cbrt().sqrt().sqrt() }
}
