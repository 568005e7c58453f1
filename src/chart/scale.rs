//! Where values stand on an axis, and the ticks beside it.

use super::{Axis, Scale};
use crate::units::{PREFIXES, Seconds};

/// A tick: its value and its text (`1 T`, `0.1`, `10 µs`).
#[derive(Debug, Clone, PartialEq)]
pub struct Tick {
    /// The value it stands at.
    pub value: f64,
    /// Its text.
    pub label: String,
}

impl Scale {
    /// Where a value stands: 0 at the lower end, 1 at the upper; beyond them where it is outside. `None` for a value
    /// that has no place, or an axis without extent.
    #[must_use]
    pub fn position_of(&self, value: f64) -> Option<f64> {
        let at = match self {
            Self::Log { min, max } => (value.ln() - min.ln()) / (max.ln() - min.ln()),
            Self::Linear { min, max } => (value - min) / (max - min),
            Self::Category(names) => (value + 0.5) / names.len() as f64,
        };
        (self.is_sound() && at.is_finite()).then_some(at)
    }

    /// Whether the axis has an extent that numbers can be placed on.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        match self {
            Self::Log { min, max } => {
                *min > 0.0 && min < max && max.is_finite() && max.ln() - min.ln() > 1e-9
            }
            // Ends that differ in their last digits only leave no room for ticks.
            Self::Linear { min, max } => {
                let extent = max - min;
                extent.is_finite() && extent > 1e-12 * min.abs().max(max.abs())
            }
            Self::Category(names) => !names.is_empty(),
        }
    }
}

impl Axis {
    /// At most `most` ticks, evenly chosen; one per name on an axis of categories.
    #[must_use]
    pub fn ticks(&self, most: usize) -> Vec<Tick> {
        if !self.scale.is_sound() {
            return Vec::new();
        }
        let unit = self.label.rsplit_once(", ").map_or("", |(_, unit)| unit);
        match &self.scale {
            Scale::Log { min, max } => log_ticks(*min, *max, most.max(2), unit),
            Scale::Linear { min, max } => linear_ticks(*min, *max, most.max(2)),
            Scale::Category(names) => {
                let tick = |(i, name): (usize, &String)| Tick { value: i as f64, label: name.clone() };
                names.iter().enumerate().map(tick).collect()
            }
        }
    }

    /// Its title: what the ticks state themselves, as seconds on a log axis do, is left out.
    #[must_use]
    pub fn title(&self) -> &str {
        match self.scale {
            Scale::Log { .. } => self.label.strip_suffix(", s").unwrap_or(&self.label),
            _ => &self.label,
        }
    }

    /// Values of faint lines between the ticks of a log axis: 2 to 9 of each decade, where decades are few.
    pub(super) fn minor(&self) -> Vec<f64> {
        let Scale::Log { min, max } = self.scale else { return Vec::new() };
        if !self.scale.is_sound() || max / min > 1e7 {
            return Vec::new();
        }
        let decades = min.log10().floor() as i32..=max.log10().ceil() as i32;
        decades
            .flat_map(|d| (2..10).map(move |m| power(d) * f64::from(m)))
            .filter(|v| *v > min && *v < max)
            .collect()
    }
}

/// The unit of an even axis of times.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeUnit {
    symbol: &'static str,
    seconds: f64,
}

impl TimeUnit {
    const ALL: [Self; 4] = [
        Self { symbol: "s", seconds: 1.0 },
        Self { symbol: "ms", seconds: 1e-3 },
        Self { symbol: "µs", seconds: 1e-6 },
        Self { symbol: "ns", seconds: 1e-9 },
    ];

    /// The unit in which the longest time is a number from 1 to 1000.
    #[must_use]
    pub fn for_longest(longest: Seconds) -> Self {
        // Rounded as the time is shown: 999.9 µs is 1.00 ms.
        let fits = |unit: &Self| longest.0 >= 0.9995 * unit.seconds;
        Self::ALL.into_iter().find(fits).unwrap_or(Self::ALL[3])
    }

    /// This time in the unit.
    #[must_use]
    pub fn number(self, time: Seconds) -> f64 {
        time.0 / self.seconds
    }

    /// `time, µs`.
    #[must_use]
    pub fn axis_label(self, quantity: &str) -> String {
        format!("{quantity}, {}", self.symbol)
    }
}

/// The end of an axis from 0 whose longest bar has room for the text behind it.
#[must_use]
pub fn end_of_bars(longest: f64) -> f64 {
    let longest = longest * 1.4;
    let step = round_up(longest / 10.0);
    (longest / step).ceil() * step
}

/// 10^d, the float nearest to it.
fn power(d: i32) -> f64 {
    // Parsed, not multiplied: 10f64.powi(-3) is not the float that 0.001 is.
    format!("1e{d}").parse().unwrap_or(0.0)
}

/// 1-2-5 ticks over up to two decades, else whole decades, thinned evenly.
fn log_ticks(min: f64, max: f64, most: usize, unit: &str) -> Vec<Tick> {
    const EDGE: f64 = 1e-6; // a range that ends on a decade keeps that decade's tick
    let within = |v: &f64| *v >= min * (1.0 - EDGE) && *v <= max * (1.0 + EDGE);
    let range = min.log10().floor() as i32..=max.log10().ceil() as i32;
    let fine: Vec<f64> =
        range.clone().flat_map(|d| [1.0, 2.0, 5.0].map(|m| power(d) * m)).filter(within).collect();
    let values = if max / min <= 101.0 && fine.len() <= most {
        fine
    } else {
        let decades: Vec<f64> = range.map(power).filter(within).collect();
        let step = decades.len().div_ceil(most).max(1);
        decades.into_iter().step_by(step).collect()
    };
    values.into_iter().map(|value| Tick { value, label: tick_text(value, unit) }).collect()
}

fn linear_ticks(min: f64, max: f64, most: usize) -> Vec<Tick> {
    let step = round_up((max - min) / most as f64);
    if !(step.is_finite() && step > 0.0) {
        return Vec::new();
    }
    let first = (min / step).ceil();
    let values =
        (0..=most).map(|i| (first + i as f64) * step).filter(|v| *v >= min && *v <= max + 1e-9 * step);
    let label = |value: f64| if max < MILLION { plain(value) } else { tick_text(value, "/s") };
    values.map(|value| Tick { value, label: label(value) }).collect()
}

/// From here on numbers have a prefix on an even axis.
const MILLION: f64 = 1e6;

/// Rates, times and bytes with an SI prefix, other numbers plain.
fn tick_text(value: f64, unit: &str) -> String {
    let prefixed = unit == "s" || unit == "B" || unit.ends_with("/s");
    let found = PREFIXES.iter().find(|(scale, _)| value >= scale * (1.0 - 1e-9));
    match found {
        Some((scale, prefix)) if prefixed && value < 1e21 => {
            // A second is written at each tick, since `10 µ` alone reads oddly.
            let unit = if unit == "s" { "s" } else { "" };
            format!("{} {prefix}{unit}", plain(value / scale)).trim_end().to_string()
        }
        _ => plain(value),
    }
}

/// `0.01`, `20`, `1e-7`: no digit that says nothing.
fn plain(value: f64) -> String {
    let rounded = if value == 0.0 { 0.0 } else { format!("{value:.3e}").parse().unwrap_or(value) };
    if rounded == 0.0 {
        "0".into()
    } else if (1e-4..1e6).contains(&rounded.abs()) {
        format!("{rounded}")
    } else {
        let text = format!("{rounded:e}");
        text.strip_prefix("1e").map_or(text.clone(), |exponent| format!("10^{exponent}"))
    }
}

/// The next 1, 2 or 5 times a power of ten that is not below `value`.
pub(super) fn round_up(value: f64) -> f64 {
    if !(value.is_finite() && value > 0.0) {
        return 1.0;
    }
    let exponent = value.log10().floor() as i32;
    let steps = (exponent - 1..=exponent + 1).flat_map(|d| [1.0, 2.0, 5.0].map(|m| power(d) * m));
    steps.into_iter().find(|s| *s >= value * (1.0 - 1e-9)).unwrap_or(value)
}

/// The last 1, 2 or 5 times a power of ten that is not above `value`: the lower end of a log axis.
pub(super) fn round_down(value: f64) -> f64 {
    if !(value.is_finite() && value > 0.0) {
        return 1e-3;
    }
    1.0 / round_up(1.0 / value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(label: &str, scale: Scale, most: usize) -> Vec<String> {
        Axis { label: label.into(), scale }.ticks(most).into_iter().map(|t| t.label).collect()
    }

    #[test]
    fn ticks_say_si_prefixes_for_rates_and_plain_numbers_for_intensities() {
        let rates = Scale::Log { min: 1e10, max: 1e14 };
        assert_eq!(labels("performance, FLOP/s", rates, 9), ["10 G", "100 G", "1 T", "10 T", "100 T"]);
        let intensity = Scale::Log { min: 0.01, max: 1000.0 };
        let plain = ["0.01", "0.1", "1", "10", "100", "1000"];
        assert_eq!(labels("operational intensity, FLOP/B", intensity, 9), plain);
        let times = Scale::Log { min: 5e-6, max: 1e-4 };
        assert_eq!(labels("time, s", times, 9), ["5 µs", "10 µs", "20 µs", "50 µs", "100 µs"]);
        assert_eq!(
            labels("blocks", Scale::Linear { min: 0.0, max: 50.0 }, 6),
            ["0", "10", "20", "30", "40", "50"]
        );
        assert_eq!(labels("x", Scale::Log { min: 1e-9, max: 1e-6 }, 9)[0], "10^-9");
    }

    #[test]
    fn an_axis_of_times_has_the_unit_of_its_longest() {
        let label = |seconds: f64| TimeUnit::for_longest(Seconds(seconds)).axis_label("time");
        assert_eq!(
            [2.0, 0.04, 53.7e-6, 999.9e-6, 2e-9, 0.0].map(label),
            ["time, s", "time, ms", "time, µs", "time, ms", "time, ns", "time, ns"]
        );
        let number = TimeUnit::for_longest(Seconds(53.7e-6)).number(Seconds(29.7e-6));
        assert!((number - 29.7).abs() < 1e-9);
        let log = Axis { label: "time per launch, s".into(), scale: Scale::Log { min: 1e-6, max: 1e-3 } };
        assert_eq!(log.title(), "time per launch");
    }

    #[test]
    fn many_decades_are_thinned_and_absurd_axes_have_no_ticks() {
        assert!(labels("x", Scale::Log { min: 1e-300, max: 1e300 }, 8).len() <= 8);
        for scale in [
            Scale::Log { min: 0.0, max: 1.0 },
            Scale::Log { min: 1.0, max: 1.0 },
            Scale::Linear { min: f64::NAN, max: 1.0 },
            Scale::Linear { min: f64::MIN, max: f64::MAX },
            Scale::Category(vec![]),
        ] {
            assert_eq!(scale.position_of(1.0), None, "{scale:?}");
            assert!(labels("x", scale, 8).is_empty());
        }
    }

    #[test]
    fn ends_are_one_two_or_five() {
        assert_eq!([0.9, 1.0, 1.1, 3.0, 7.0, 48.0].map(round_up), [1.0, 1.0, 2.0, 5.0, 10.0, 50.0]);
        assert!((round_down(7.1e-6) - 5e-6).abs() < 1e-12);
        assert_eq!(round_up(f64::NAN), 1.0);
    }

    #[test]
    fn places_run_from_zero_to_one() {
        assert_eq!(Scale::Log { min: 1.0, max: 100.0 }.position_of(10.0), Some(0.5));
        assert_eq!(Scale::Log { min: 1.0, max: 100.0 }.position_of(0.0), None);
        assert_eq!(Scale::Category(vec!["a".into(), "b".into()]).position_of(1.0), Some(0.75));
    }
}
