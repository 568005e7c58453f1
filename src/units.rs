//! Quantities with their unit in the type, and how they are printed: three significant digits and an SI prefix.
//!
//! ```
//! use roofswap_engine::units::{Bytes, BytesPerSecond, Seconds};
//! let t = Bytes(12.0 * 1_048_576.0) / BytesPerSecond::from_giga(504.0);
//! assert_eq!(t.to_string(), "25.0 µs");
//! assert_eq!(Seconds::from_millis(0.00934).to_string(), "9.34 µs");
//! ```

mod typed;

pub use typed::{
    KiloBytes, LARGEST_WHOLE, TypedRate, bytes_per, flops_per, is_thousands_comma, list_parts,
    number_and_unit, rate_of, seconds_per, typed_bytes, typed_count, typed_dimensions, typed_flops,
    typed_number, typed_rate, typed_seconds,
};

use std::fmt;
use std::ops::{Div, Mul};

/// Declares a quantity: its doc, its unit symbol, and how it prints (`prefixed` or `plain`).
macro_rules! quantity {
    ($(#[$doc:meta])* $name:ident, $symbol:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default)]
        pub struct $name(pub f64);

        impl $name {
            /// The unit's symbol, without prefix.
            pub const SYMBOL: &'static str = $symbol;

            /// The smaller of the two.
            #[must_use]
            pub fn min(self, other: Self) -> Self {
                Self(self.0.min(other.0))
            }

            /// The larger of the two.
            #[must_use]
            pub fn max(self, other: Self) -> Self {
                Self(self.0.max(other.0))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&prefixed(self.0, $symbol))
            }
        }

        impl Div for $name {
            type Output = f64;
            fn div(self, other: Self) -> f64 {
                self.0 / other.0
            }
        }

        impl Mul<f64> for $name {
            type Output = Self;
            fn mul(self, factor: f64) -> Self {
                Self(self.0 * factor)
            }
        }
    };
}

quantity!(
    /// A duration.
    Seconds, "s");
quantity!(
    /// An amount of data.
    Bytes, "B");
quantity!(
    /// A count of floating-point operations; a fused multiply-add counts two.
    Flops, "FLOP");
quantity!(
    /// Arithmetic throughput.
    FlopsPerSecond, "FLOP/s");
quantity!(
    /// Data throughput; decimal prefixes (1 GB/s = 1e9 B/s), as datasheets use them.
    BytesPerSecond, "B/s");
quantity!(
    /// A clock.
    Hertz, "Hz");
quantity!(
    /// Electrical power.
    Watts, "W");
quantity!(
    /// Energy.
    Joules, "J");
quantity!(
    /// Operational (arithmetic) intensity: FLOPs per byte moved.
    Intensity, "FLOP/B");

/// What the arithmetic of a pipe is counted in: integers have no FLOPs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Floating-point operations.
    Flop,
    /// Operations of integers.
    Op,
}

impl Operation {
    /// `FLOP` or `OP`.
    #[must_use]
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Flop => Flops::SYMBOL,
            Self::Op => "OP",
        }
    }

    /// `14.6 TOP/s`.
    #[must_use]
    pub fn rate_text(self, rate: FlopsPerSecond) -> String {
        prefixed(rate.0, &format!("{}/s", self.symbol()))
    }

    /// `57.7 OP/B`.
    #[must_use]
    pub fn intensity_text(self, intensity: Intensity) -> String {
        prefixed(intensity.0, &format!("{}/B", self.symbol()))
    }
}

impl Mul<Seconds> for Watts {
    type Output = Joules;
    fn mul(self, time: Seconds) -> Joules {
        Joules(self.0 * time.0)
    }
}

impl Seconds {
    /// From milliseconds, the unit of the measurement files.
    #[must_use]
    pub fn from_millis(ms: f64) -> Self {
        Self(ms * 1e-3)
    }

    /// From microseconds, the unit of launch floors.
    #[must_use]
    pub fn from_micros(us: f64) -> Self {
        Self(us * 1e-6)
    }

    /// In milliseconds, the unit of the measurement files.
    #[must_use]
    pub fn millis(self) -> f64 {
        self.0 * 1e3
    }

    /// The milliseconds that somebody typed in whatever unit: 15 digits, what is left of them is rounding.
    #[must_use]
    pub fn typed_millis(self) -> f64 {
        let ms = self.millis();
        format!("{ms:.14e}").parse().unwrap_or(ms)
    }
}

impl FlopsPerSecond {
    /// From 1e9 FLOP/s.
    #[must_use]
    pub fn from_giga(g: f64) -> Self {
        Self(g * 1e9)
    }

    /// From 1e12 FLOP/s, the unit of datasheets.
    #[must_use]
    pub fn from_tera(t: f64) -> Self {
        Self(t * 1e12)
    }
}

impl BytesPerSecond {
    /// From 1e9 B/s, the unit of datasheets.
    #[must_use]
    pub fn from_giga(g: f64) -> Self {
        Self(g * 1e9)
    }
}

impl Hertz {
    /// Whether both are one clock: no more than 0.2 % apart, or half a megahertz. Tools print 10501 MHz for 10500 MHz and 877 MHz for
    /// 876 MHz; the steps in which a clock can be set are above 0.25 %.
    #[must_use]
    pub fn is_same_clock(self, other: Self) -> bool {
        (self.0 - other.0).abs() <= (0.002 * self.0.max(other.0)).max(0.5e6)
    }

    /// From 1e6 Hz, the unit of datasheets.
    #[must_use]
    pub fn from_mega(m: f64) -> Self {
        Self(m * 1e6)
    }
}

impl Bytes {
    /// From 1024² bytes, the unit of cache sizes.
    #[must_use]
    pub fn from_mebi(m: f64) -> Self {
        Self(m * 1_048_576.0)
    }

    /// From 1024³ bytes, the unit of memory sizes.
    #[must_use]
    pub fn from_gibi(g: f64) -> Self {
        Self(g * 1_073_741_824.0)
    }
}

impl Div<FlopsPerSecond> for Flops {
    type Output = Seconds;
    fn div(self, rate: FlopsPerSecond) -> Seconds {
        Seconds(self.0 / rate.0)
    }
}

impl Bytes {
    /// The size of a memory or of what must fit one, in the binary units of datasheets: `36.0 MiB`, `24.0 GiB`.
    ///
    /// ```
    /// use roofswap_engine::units::Bytes;
    /// assert_eq!(Bytes(36.0 * 1_048_576.0).as_capacity(), "36.0 MiB");
    /// assert_eq!(Bytes(1000.0).as_capacity(), "1000 B");
    /// ```
    #[must_use]
    pub fn as_capacity(self) -> String {
        const UNITS: [(&str, f64); 4] =
            [("TiB", 1_099_511_627_776.0), ("GiB", 1_073_741_824.0), ("MiB", 1_048_576.0), ("KiB", 1024.0)];
        let unit = UNITS.into_iter().find(|(_, size)| self.0 >= *size);
        let (unit, size) = unit.unwrap_or(("B", 1.0));
        format!("{} {unit}", significant(self.0 / size))
    }
}

impl Div<BytesPerSecond> for Bytes {
    type Output = Seconds;
    fn div(self, rate: BytesPerSecond) -> Seconds {
        Seconds(self.0 / rate.0)
    }
}

impl Div<Seconds> for Flops {
    type Output = FlopsPerSecond;
    fn div(self, time: Seconds) -> FlopsPerSecond {
        FlopsPerSecond(self.0 / time.0)
    }
}

impl Div<Seconds> for Bytes {
    type Output = BytesPerSecond;
    fn div(self, time: Seconds) -> BytesPerSecond {
        BytesPerSecond(self.0 / time.0)
    }
}

impl Div<Bytes> for Flops {
    type Output = Intensity;
    fn div(self, bytes: Bytes) -> Intensity {
        Intensity(self.0 / bytes.0)
    }
}

impl Div<BytesPerSecond> for FlopsPerSecond {
    type Output = Intensity;
    fn div(self, bandwidth: BytesPerSecond) -> Intensity {
        Intensity(self.0 / bandwidth.0)
    }
}

impl Mul<Intensity> for BytesPerSecond {
    type Output = FlopsPerSecond;
    fn mul(self, intensity: Intensity) -> FlopsPerSecond {
        FlopsPerSecond(self.0 * intensity.0)
    }
}

/// `value` with three significant digits and no prefix: `9.34`, `0.0312`, `1230`, `1.20e9`.
///
/// ```
/// use roofswap_engine::units::significant;
/// assert_eq!(significant(22.857), "22.9");
/// assert_eq!(significant(0.99951), "1.00");
/// assert_eq!(significant(1234.0), "1230");
/// ```
#[must_use]
pub fn significant(value: f64) -> String {
    let mut text = String::with_capacity(16);
    push_significant(&mut text, value);
    text
}

/// What arithmetic leaves of a half a few bits below it goes up with the others: 120.5 µs is 121 µs however it was computed.
const HALF_UP: f64 = 1.0 + 1e-12;

/// The number that [`significant`] shows of this one.
///
/// ```
/// use roofswap_engine::units::as_shown;
/// assert_eq!([3.8912e-3, 3.8949e-3, 0.0].map(as_shown), [3.89e-3, 3.89e-3, 0.0]);
/// ```
#[must_use]
pub fn as_shown(value: f64) -> f64 {
    if !value.is_finite() || value == 0.0 {
        return value;
    }
    let scale = 10_f64.powi(2 - value.abs().log10().floor() as i32);
    let has_scale = scale.is_finite() && scale > 0.0;
    if has_scale { (value * scale * HALF_UP).round() / scale } else { value }
}

/// A count with its thousands apart: `173,680`.
///
/// ```
/// use roofswap_engine::units::with_thousands;
/// assert_eq!([0, 999, 1000, 173_680].map(with_thousands), ["0", "999", "1,000", "173,680"]);
/// ```
#[must_use]
pub fn with_thousands(count: usize) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// [`significant`] behind what stands in the text.
#[inline]
fn push_significant(text: &mut String, value: f64) {
    // What rounds to 1000 has four digits.
    if (1.0..999.499_999).contains(&value) {
        push_three_digits(text, value);
    } else if value == 0.0 {
        text.push('0');
    } else if !value.is_finite() {
        text.push_str(&value.to_string());
    } else {
        text.push_str(&rare_significant(value));
    }
}

/// [`significant`] of a finite number that is neither 0 nor from 1 to nearly 999.5.
fn rare_significant(value: f64) -> String {
    // Round first, so that 999.6 becomes 1000 before its digits are counted.
    let rounded = as_shown(value);
    let exponent = rounded.abs().log10().floor() as i32;
    match exponent {
        -4..=5 => format!("{:.*}", (2 - exponent).max(0) as usize, rounded),
        _ => format!("{rounded:.2e}"),
    }
}

/// [`significant`] from 1 to nearly 999.5, where nearly every number with a prefix lies: a screen has hundreds.
#[inline]
fn push_three_digits(text: &mut String, value: f64) {
    let (scale, before) = match value {
        ..10.0 => (100.0, 1),
        ..100.0 => (10.0, 2),
        _ => (1.0, 3),
    };
    // Halves go up, as `round` has them, without its call.
    let rounded = (value * scale * HALF_UP + 0.5) as u16;
    // 9.996 is 10.0.
    let (before, rounded) = if rounded == 1000 { (before + 1, 100) } else { (before, rounded) };
    // Seven bits, as the compiler sees: a character of one byte.
    let digit = |value: u16| char::from(b'0' | (value as u8 & 0x0f));
    for (place, value) in [rounded / 100, rounded / 10 % 10, rounded % 10].into_iter().enumerate() {
        if place == before {
            text.push('.');
        }
        text.push(digit(value));
    }
}

/// SI prefixes with their scale, largest first.
pub const PREFIXES: [(f64, &str); 11] = [
    (1e18, "E"),
    (1e15, "P"),
    (1e12, "T"),
    (1e9, "G"),
    (1e6, "M"),
    (1e3, "k"),
    (1.0, ""),
    (1e-3, "m"),
    (1e-6, "µ"),
    (1e-9, "n"),
    (1e-12, "p"),
];

/// `value` with an SI prefix and three significant digits: `29.1 TFLOP/s`, `9.34 µs`.
#[must_use]
pub fn prefixed(value: f64, symbol: &str) -> String {
    let (number, prefix) = number_and_prefix(value, symbol);
    let mut text = String::with_capacity(24);
    push_significant(&mut text, number);
    text.extend([" ", prefix, symbol]);
    text
}

/// The number that stands before a unit, and the SI prefix that is put to the unit for it; none where no prefix makes it readable.
#[inline]
fn number_and_prefix(value: f64, symbol: &str) -> (f64, &'static str) {
    // 0.9995 of the next prefix already prints as 1.00 of it. Bytes and FLOPs have no small prefixes.
    let size = value.abs();
    let fits = |&&(scale, _): &&(f64, &str)| size * HALF_UP >= scale * 0.9995;
    let has_small = [Seconds::SYMBOL, Joules::SYMBOL].contains(&symbol);
    let smallest = if has_small { PREFIXES.len() } else { 7 };
    // Nearly all times are below a second.
    let largest = if size < 0.9995 { 7.min(smallest) } else { 0 };
    match PREFIXES[largest..smallest].iter().find(fits) {
        Some(&(scale, prefix)) if size < 1e21 => (value / scale, prefix),
        _ => (value, ""),
    }
}

/// `9.20–12.8 µs`: two times with the unit once, unless they differ in it.
///
/// ```
/// use roofswap_engine::units::{Seconds, range};
/// assert_eq!(range(Seconds(9.2e-6), Seconds(12.8e-6)), "9.20–12.8 µs");
/// assert_eq!(range(Seconds(0.9e-6), Seconds(1.1e-6)), "900 ns–1.10 µs");
/// ```
#[must_use]
pub fn range(low: Seconds, high: Seconds) -> String {
    range_in(low.0, high.0, Seconds::SYMBOL)
}

/// [`range`] in any unit: `0.9–1.2 J`, `900 mJ–1.20 J`.
#[must_use]
#[inline]
pub fn range_in(low: f64, high: f64, symbol: &str) -> String {
    let ((low, of_low), (high, of_high)) = (number_and_prefix(low, symbol), number_and_prefix(high, symbol));
    let mut text = String::with_capacity(32);
    push_significant(&mut text, low);
    if of_low != of_high {
        text.extend([" ", of_low, symbol]);
    }
    text.push('–');
    push_significant(&mut text, high);
    text.extend([" ", of_high, symbol]);
    text
}

/// `+17.2 %`: a deviation with its sign.
///
/// ```
/// assert_eq!(roofswap_engine::units::deviation(-5.0), "-5.0 %");
/// ```
#[must_use]
pub fn deviation(percent: f64) -> String {
    // What is rounded to zero has no sign of its own: `+0.0 %`, not `-0.0 %`.
    let percent = if percent.abs() < 0.05 { 0.0 } else { percent };
    format!("{percent:+.1} %")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_deviation_is_minus_zero() {
        let all = [-0.049, -0.0, 0.0, 0.05, -0.06].map(deviation);
        assert_eq!(all, ["+0.0 %", "+0.0 %", "+0.0 %", "+0.1 %", "-0.1 %"]);
    }

    #[test]
    fn a_time_from_bytes_and_bandwidth_is_the_known_one() {
        // 12 bytes x 2^20 elements over 504 GB/s = 24.97 µs.
        let t = Bytes(12.0 * 1_048_576.0) / BytesPerSecond::from_giga(504.0);
        assert!((t.0 - 24.966e-6).abs() < 1e-9, "{t:?}");
    }

    #[test]
    fn a_ridge_point_is_flops_over_bandwidth() {
        let ridge = FlopsPerSecond::from_tera(29.1) / BytesPerSecond::from_giga(504.0);
        assert_eq!(significant(ridge.0), "57.7");
    }

    #[test]
    fn a_half_is_rounded_alike_however_it_was_computed() {
        let times = [120.5e-6, 120.5 * 1e-6, 0.1205 / 1e3, 120.499_999_999_999_99e-6];
        assert_eq!(times.map(|time| Seconds(time).to_string()), ["121 µs"; 4]);
        let edge = [999.5e-6, 999.5e-6_f64.next_down()].map(|time| Seconds(time).to_string());
        assert_eq!(edge, ["1.00 ms"; 2]);
        assert_eq!([999.499_999_999_999_9, 999.499_9].map(significant), ["1000", "999"]);
    }

    #[test]
    fn three_digits_are_those_of_the_formatter() {
        // Every place where a digit may turn, and its neighbours.
        for turn in (1000..=9_995).flat_map(|n| [1e-3, 1e-2, 1e-1].map(|unit| f64::from(n) * unit)) {
            for value in
                [turn.next_down(), turn, turn.next_up()].into_iter().filter(|v| (1.0..999.5).contains(v))
            {
                let scale = 10f64.powi(2 - value.log10().floor() as i32);
                let rounded = (value * scale * HALF_UP).round() / scale;
                let decimals = (2 - rounded.log10().floor() as i32).max(0) as usize;
                assert_eq!(significant(value), format!("{rounded:.decimals$}"), "{value}");
            }
        }
    }

    #[test]
    fn three_significant_digits_survive_rounding_up_to_the_next_prefix() {
        for (seconds, text) in [
            (0.000_999_6, "1.00 ms"),
            (9.34e-6, "9.34 µs"),
            (0.0, "0 s"),
            (1.0, "1.00 s"),
            (123.456, "123 s"),
            (1e-13, "1.00e-13 s"),
        ] {
            assert_eq!(Seconds(seconds).to_string(), text);
        }
        assert_eq!(FlopsPerSecond::from_tera(29.1).to_string(), "29.1 TFLOP/s");
        assert_eq!(Bytes(0.25).to_string(), "0.250 B");
        assert_eq!(Intensity(0.0833).to_string(), "0.0833 FLOP/B");
        let [flop, op] = [Operation::Flop, Operation::Op].map(|o| o.rate_text(FlopsPerSecond(14.6e12)));
        assert_eq!([flop, op], ["14.6 TFLOP/s", "14.6 TOP/s"]);
        assert_eq!(Operation::Op.intensity_text(Intensity(57.7)), "57.7 OP/B");
    }

    #[test]
    fn absurd_values_print_and_do_not_panic() {
        for v in [f64::NAN, f64::INFINITY, f64::MAX, f64::MIN_POSITIVE, -5e-324, 1e300] {
            assert!(!Seconds(v).to_string().is_empty());
            assert!(!Flops(v).to_string().is_empty());
        }
    }

    #[test]
    fn a_padded_quantity_keeps_its_column() {
        assert_eq!(format!("{:>10}|", Seconds(1e-6)), "   1.00 µs|");
    }
}
