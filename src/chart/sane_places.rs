//! Which places a roofline chart has room for: numbers outside are a slip of units, not a kernel, and would squeeze the rest
//! into a corner.

/// Operational intensity in FLOP/B.
pub(super) const SANE_INTENSITY: (f64, f64) = (1e-5, 1e7);
/// Performance in FLOP/s.
pub(super) const SANE_PERFORMANCE: (f64, f64) = (1e3, 1e19);

/// Whether a point has a place.
pub(super) fn is_sane((intensity, performance): (f64, f64)) -> bool {
    let within = |v: f64, (low, high): (f64, f64)| v >= low && v <= high; // false for NaN
    within(intensity, SANE_INTENSITY) && within(performance, SANE_PERFORMANCE)
}
