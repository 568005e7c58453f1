//! How times that overlap in part add up: norms, and their roots.

/// The 6-norm.
#[inline]
pub(super) fn six_norm(times: &[f64]) -> f64 {
    nth_root(times.iter().map(|t| t.powi(3).powi(2)).sum::<f64>(), 6.0)
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

/// How far a launch and its body overlap, as a norm: 1 = one after the other, infinity = wholly.
const P: i32 = 4;

/// (a^4 + b^4)^(1/4).
#[must_use]
#[inline]
pub fn joined(a: f64, b: f64) -> f64 {
    fourth_root(a.powi(P) + b.powi(P))
}

/// What `whole` leaves beside `part`: the b of `joined(part, b) = whole`; 0 where nothing is left.
#[must_use]
#[inline]
pub fn rest(whole: f64, part: f64) -> f64 {
    fourth_root((whole.powi(P) - part.powi(P)).max(0.0))
}

#[inline]
fn fourth_root(sum: f64) -> f64 {
    sum.sqrt().sqrt()
}
