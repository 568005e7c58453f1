//! Changes of a GPU's numbers as people type them: `mem=+20%,l2=72MiB,sms=60,power=150W`.

use super::{Gpu, clock, power};
use crate::units::{
    KiloBytes, bytes_per, number_and_unit, significant, typed_bytes, typed_count, typed_number, typed_seconds,
};

/// A number of a GPU that can be changed. SI units; sizes in bytes, per SM where it says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GpuNumber {
    /// Streaming multiprocessors.
    Sms,
    /// SM clock in hertz.
    SmClock,
    /// DRAM bandwidth in bytes per second.
    Bandwidth,
    /// Width of the DRAM bus in bits.
    BusBits,
    /// Data rate per pin in bits per second.
    DataRate,
    /// L2 size in bytes.
    L2Size,
    /// L2 bandwidth in bytes per second.
    L2Bandwidth,
    /// Shared memory per SM in bytes.
    SharedPerSm,
    /// 32-bit registers per SM.
    RegistersPerSm,
    /// Resident warps per SM.
    MaxWarps,
    /// FP32 lanes per SM.
    Fp32Lanes,
    /// FP64 lanes per SM.
    Fp64Lanes,
    /// FP32 peak in FLOP/s: it follows from lanes, SMs and clock, and may only repeat what they say.
    Fp32Peak,
    /// Tensor rates, as a multiple of those of the base.
    TensorRate,
    /// Load/store lanes per SM.
    LsuLanes,
    /// Time of an empty launch in seconds.
    LaunchOverhead,
    /// Board power limit in watts.
    PowerLimit,
    /// DRAM size in bytes.
    MemorySize,
}

/// What a value is typed and shown in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NumberDimension {
    Count,
    Clock,
    ByteRate,
    BitRate,
    Size,
    Rate,
    Multiple,
    Time,
    Power,
}

impl GpuNumber {
    /// All of them, in the order of a list to edit.
    pub const ALL: [Self; 18] = [
        Self::Sms,
        Self::SmClock,
        Self::Bandwidth,
        Self::BusBits,
        Self::DataRate,
        Self::L2Size,
        Self::L2Bandwidth,
        Self::SharedPerSm,
        Self::RegistersPerSm,
        Self::MaxWarps,
        Self::Fp32Lanes,
        Self::Fp64Lanes,
        Self::Fp32Peak,
        Self::TensorRate,
        Self::LsuLanes,
        Self::LaunchOverhead,
        Self::PowerLimit,
        Self::MemorySize,
    ];

    /// As typed before `=`.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Sms => "sms",
            Self::SmClock => "sm",
            Self::Bandwidth => "mem",
            Self::BusBits => "bus",
            Self::DataRate => "data-rate",
            Self::L2Size => "l2",
            Self::L2Bandwidth => "l2-bw",
            Self::SharedPerSm => "smem",
            Self::RegistersPerSm => "regs",
            Self::MaxWarps => "warps",
            Self::Fp32Lanes => "fp32-lanes",
            Self::Fp64Lanes => "fp64-lanes",
            Self::Fp32Peak => "fp32",
            Self::TensorRate => "tensor",
            Self::LsuLanes => "lsu",
            Self::LaunchOverhead => "launch",
            Self::PowerLimit => "power",
            Self::MemorySize => "memory",
        }
    }

    /// Its name on screen.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Sms => "SMs",
            Self::SmClock => "SM clock",
            Self::Bandwidth => "memory bandwidth",
            Self::BusBits => "memory bus",
            Self::DataRate => "memory data rate",
            Self::L2Size => "L2 size",
            Self::L2Bandwidth => "L2 bandwidth",
            Self::SharedPerSm => "shared memory per SM",
            Self::RegistersPerSm => "registers per SM",
            Self::MaxWarps => "warps per SM",
            Self::Fp32Lanes => "FP32 lanes per SM",
            Self::Fp64Lanes => "FP64 lanes per SM",
            Self::Fp32Peak => "FP32 peak",
            Self::TensorRate => "tensor rate",
            Self::LsuLanes => "load/store lanes per SM",
            Self::LaunchOverhead => "launch overhead",
            Self::PowerLimit => "power limit",
            Self::MemorySize => "memory size",
        }
    }

    /// The unit of its value: `GB/s`, `MHz`, `µs`; empty for a count.
    #[must_use]
    pub fn unit(self) -> &'static str {
        self.unit_and_scale().0
    }

    /// The same in ASCII, as JSON has it: `us`, and `x` for a multiple.
    #[must_use]
    pub fn unit_for_programs(self) -> &'static str {
        match self.unit() {
            "µs" => "us",
            "×" => "x",
            unit => unit,
        }
    }

    /// The value in [`GpuNumber::unit`].
    #[must_use]
    pub fn in_unit(self, value: f64) -> f64 {
        let scaled = value / self.unit_and_scale().1;
        // Without the digits that a change of unit leaves behind.
        format!("{scaled:.12e}").parse().unwrap_or(scaled)
    }

    fn unit_and_scale(self) -> (&'static str, f64) {
        match (self.dimension(), self) {
            (NumberDimension::Count, Self::BusBits) => ("bit", 1.0),
            (NumberDimension::Count, _) => ("", 1.0),
            (NumberDimension::Clock, _) => ("MHz", 1e6),
            (NumberDimension::ByteRate, _) => ("GB/s", 1e9),
            (NumberDimension::BitRate, _) => ("Gbit/s", 1e9),
            (NumberDimension::Size, Self::SharedPerSm) => ("KiB", 1024.0),
            (NumberDimension::Size, Self::MemorySize) => ("GiB", 1_073_741_824.0),
            (NumberDimension::Size, _) => ("MiB", 1_048_576.0),
            (NumberDimension::Rate, _) => ("TFLOP/s", 1e12),
            (NumberDimension::Multiple, _) => ("×", 1.0),
            (NumberDimension::Time, _) => ("µs", 1e-6),
            (NumberDimension::Power, _) => ("W", 1.0),
        }
    }

    fn dimension(self) -> NumberDimension {
        match self {
            Self::SmClock => NumberDimension::Clock,
            Self::Bandwidth | Self::L2Bandwidth => NumberDimension::ByteRate,
            Self::DataRate => NumberDimension::BitRate,
            Self::L2Size | Self::SharedPerSm | Self::MemorySize => NumberDimension::Size,
            Self::Fp32Peak => NumberDimension::Rate,
            Self::TensorRate => NumberDimension::Multiple,
            Self::LaunchOverhead => NumberDimension::Time,
            Self::PowerLimit => NumberDimension::Power,
            _ => NumberDimension::Count,
        }
    }

    /// Whether it counts things, so that its values are whole.
    #[must_use]
    pub fn is_whole(self) -> bool {
        self.dimension() == NumberDimension::Count
    }

    /// `504 GB/s`, `46`, `36.0 MiB`: a value in words.
    #[must_use]
    pub fn in_words(self, value: f64) -> String {
        let unit = self.unit();
        let number = self.in_unit(value);
        let digits = if self.is_whole() { format!("{number}") } else { significant(number) };
        if unit == "×" { format!("{digits}×") } else { format!("{digits} {unit}").trim().to_string() }
    }

    /// The number that this key means; case and `_` for `-` do not matter.
    #[must_use]
    pub fn from_key(key: &str) -> Option<Self> {
        let key = key.trim().to_lowercase().replace('_', "-");
        let also = match key.as_str() {
            "clock" | "sm-clock" => Some(Self::SmClock),
            "bandwidth" | "mem-bw" | "dram" => Some(Self::Bandwidth),
            "l2-size" => Some(Self::L2Size),
            "l2-bandwidth" => Some(Self::L2Bandwidth),
            "mem-size" => Some(Self::MemorySize),
            _ => None,
        };
        also.or_else(|| Self::ALL.into_iter().find(|number| number.key() == key))
    }

    /// A typed value in SI; `None` where it is none of this number.
    fn typed(self, text: &str) -> Option<f64> {
        let rate = |text: &str| {
            let (value, unit) = number_and_unit(text)?;
            // Without a unit: GB/s, as datasheets state it.
            if unit.is_empty() {
                return Some(value * 1e9);
            }
            Some(value * bytes_per(unit.strip_suffix("/s")?, KiloBytes::Decimal)?)
        };
        let found = match self.dimension() {
            NumberDimension::Count => typed_count(text.trim_end_matches("bit").trim()).map(|n| n as f64),
            NumberDimension::Clock => clock(text).ok().map(|c| c.0),
            NumberDimension::ByteRate => rate(text),
            NumberDimension::BitRate => {
                typed_number(text.trim_end_matches("bps").trim_end_matches("bit/s").trim())
                    .map(|v| if v < 1e6 { v * 1e9 } else { v })
            }
            NumberDimension::Size => {
                let (value, unit) = number_and_unit(text)?;
                let of_unit = typed_bytes(text, KiloBytes::Binary).map(|b| b.0);
                if unit.is_empty() { Some(value * self.unit_and_scale().1) } else { of_unit }
            }
            NumberDimension::Rate => {
                let (value, unit) = number_and_unit(text)?;
                let prefix = unit.trim_end_matches("FLOP/s").trim_end_matches("FLOPS");
                match prefix {
                    "" | "T" => Some(value * 1e12),
                    "G" => Some(value * 1e9),
                    _ => None,
                }
            }
            NumberDimension::Multiple => None,
            NumberDimension::Time => typed_seconds(text).map(|t| t.0),
            NumberDimension::Power => power(text).ok().map(|w| w.0),
        };
        found.filter(|v| v.is_finite() && *v > 0.0)
    }

    /// What its values look like.
    #[must_use]
    pub fn example(self) -> &'static str {
        match self.dimension() {
            NumberDimension::Count => "60, +20% or x1.5",
            NumberDimension::Clock => "1200MHz, 1.2GHz or +20%",
            NumberDimension::ByteRate => "600GB/s, +20% or x1.5",
            NumberDimension::BitRate => "21Gbit/s or +20%",
            NumberDimension::Size => "72MiB, +20% or x2",
            NumberDimension::Rate => "40TFLOP/s",
            NumberDimension::Multiple => "+20% or x2",
            NumberDimension::Time => "3us or -20%",
            NumberDimension::Power => "150W or -20%",
        }
    }
}

/// How a number is changed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ChangeAmount {
    /// To this value, SI.
    To(f64),
    /// By this factor.
    By(f64),
}

impl ChangeAmount {
    /// What a value becomes.
    #[must_use]
    pub fn applied(self, value: f64) -> f64 {
        match self {
            Self::To(new) => new,
            Self::By(factor) => value * factor,
        }
    }
}

/// One number and its change.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GpuChange {
    /// Which number.
    pub number: GpuNumber,
    /// To what, or by how much.
    pub amount: ChangeAmount,
}

/// Changes of one GPU, each number at most once, in the order they were typed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GpuChanges(Vec<GpuChange>);

/// What is said of a text that begins as the decimals behind a comma do: changes are parted by commas.
fn decimal_point(text: &str) -> &'static str {
    if text.starts_with(|c: char| c.is_ascii_digit()) { ", decimals have a point" } else { "" }
}

/// A change that cannot be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ChangeError {
    /// Not `key=value`.
    #[error("`{0}`: expected changes such as mem=+20%,l2=72MiB{point}; the keys are {keys}", point = decimal_point(.0), keys = all_keys())]
    NotAPair(String),
    /// No such number.
    #[error("`{0}` is no number of a GPU; the keys are {keys}", keys = all_keys())]
    Key(String),
    /// No value of this number.
    #[error("{key}={value}: {reason}expected {example}")]
    Value {
        /// As typed.
        key: &'static str,
        /// As typed.
        value: String,
        /// What is wrong with it, with `; ` behind it; empty where the example says enough.
        reason: &'static str,
        /// What it looks like.
        example: &'static str,
    },
    /// A number stands twice.
    #[error("{0} stands twice; give it once")]
    Twice(&'static str),
    /// Two numbers that cannot both be true.
    #[error("{gpu}: {first} contradicts {second}: {advice}")]
    Contradiction {
        /// The base GPU's id.
        gpu: String,
        /// A number with its value.
        first: String,
        /// The other one with its value.
        second: String,
        /// What to do.
        advice: &'static str,
    },
    /// A value that no GPU could have.
    #[error("{gpu}: {} {value}: expected {least} to {most} (it has {stated})", number.title())]
    OutOfRange {
        /// The base GPU's id; boxed, so that results with this error stay small.
        gpu: Box<str>,
        /// Of what.
        number: GpuNumber,
        /// The value in words.
        value: String,
        /// The least that is taken.
        least: String,
        /// The most.
        most: String,
        /// What the base has.
        stated: String,
    },
    /// A change of something counted that leaves its count: which, and the next value.
    #[error("{0}")]
    RoundedAway(String),
    /// A power limit that no clock is low enough for.
    #[error(transparent)]
    LimitTooLow(#[from] super::LimitTooLow),
    /// The base has no such number.
    #[error("{gpu}: has no {number} to change")]
    Unknown {
        /// The base GPU's id.
        gpu: String,
        /// Its title.
        number: &'static str,
    },
}

fn all_keys() -> String {
    GpuNumber::ALL.map(GpuNumber::key).join(", ")
}

impl GpuChange {
    /// Reads `mem=+20%`.
    ///
    /// # Errors
    /// [`ChangeError`] with what was expected.
    pub fn read(key: &str, value: &str) -> Result<Self, ChangeError> {
        let short = |text: &str| crate::text::harmless_line(&crate::text::clipped_text(text.trim(), 40));
        let number = GpuNumber::from_key(key).ok_or_else(|| ChangeError::Key(short(key)))?;
        let typed = value.trim();
        let is_signed = typed.starts_with(['+', '-']);
        let (amount, reason) = match relative_factor(typed) {
            Some(factor) if factor <= 0.0 => (None, "nothing would be left; "),
            Some(factor) => (Some(ChangeAmount::By(factor)), ""),
            None if is_signed => (None, "only a percentage takes a sign; "),
            None => (number.typed(typed).map(ChangeAmount::To), ""),
        };
        let refuse = || ChangeError::Value {
            key: number.key(),
            value: short(value),
            reason,
            example: number.example(),
        };
        Ok(Self { number, amount: amount.filter(is_sound).ok_or_else(refuse)? })
    }
}

fn is_sound(amount: &ChangeAmount) -> bool {
    let (ChangeAmount::To(value) | ChangeAmount::By(value)) = amount;
    value.is_finite() && *value > 0.0
}

/// `+20%` is 1.2, `-20 %` is 0.8, `x1.5` and `1.5x` are 1.5; `None` for an absolute value.
#[must_use]
pub fn relative_factor(text: &str) -> Option<f64> {
    let text = text.trim();
    if let Some(percent) = text.strip_suffix('%') {
        let signed = percent.trim();
        let value = typed_number(signed.trim_start_matches('+'))?;
        return signed.starts_with(['+', '-']).then_some(1.0 + value / 100.0);
    }
    let factor = text.strip_prefix(['x', '×']).or_else(|| text.strip_suffix(['x', '×']))?;
    typed_number(factor)
}

impl GpuChanges {
    /// The changes, in order.
    #[must_use]
    pub fn all(&self) -> &[GpuChange] {
        &self.0
    }

    /// Whether nothing is changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The change of this number.
    #[must_use]
    pub fn get(&self, number: GpuNumber) -> Option<ChangeAmount> {
        self.0.iter().find(|change| change.number == number).map(|change| change.amount)
    }

    /// Adds a change.
    ///
    /// # Errors
    /// [`ChangeError::Twice`].
    pub fn push(&mut self, change: GpuChange) -> Result<(), ChangeError> {
        if self.get(change.number).is_some() {
            return Err(ChangeError::Twice(change.number.key()));
        }
        self.0.push(change);
        Ok(())
    }

    /// The same changes with this number at another value.
    #[must_use]
    pub fn with(mut self, number: GpuNumber, amount: ChangeAmount) -> Self {
        match self.0.iter_mut().find(|change| change.number == number) {
            Some(change) => change.amount = amount,
            None => self.0.push(GpuChange { number, amount }),
        }
        self
    }

    /// The same changes but for this number.
    #[must_use]
    pub fn without(mut self, number: GpuNumber) -> Self {
        self.0.retain(|change| change.number != number);
        self
    }

    /// The value of this number on a GPU so changed, of what is counted the whole one; `None` where it has none.
    #[must_use]
    pub fn value_on(&self, base: &Gpu, number: GpuNumber) -> Option<f64> {
        let stated = base.number(number)?;
        let value = self.get(number).map_or(stated, |amount| amount.applied(stated));
        // There is no half of an SM, and what follows goes with those that there are.
        Some(if number.is_whole() { value.round() } else { value })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_is_read_and_shown_again() {
        for (text, shown) in [
            ("mem=+20%,l2=72MiB", "mem=+20%,l2=72MiB"),
            ("MEM=x1.5 sms=60", "mem=+50%,sms=60"),
            ("mem=600", "mem=600GB/s"),
            ("mem=0.6TB/s", "mem=600GB/s"),
            ("sm=1.2GHz,power=0.15kW", "sm=1200MHz,power=150W"),
            ("smem=100KB;regs=64Ki", "smem=100KiB,regs=65536"),
            ("launch=3us,memory=24GiB", "launch=3us,memory=24GiB"),
            ("tensor=2x", "tensor=+100%"),
            ("l2=-50%", "l2=-50%"),
            ("", ""),
        ] {
            let changes: GpuChanges = text.parse().unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!(changes.to_string(), shown, "{text}");
            assert_eq!(shown.parse::<GpuChanges>().unwrap().to_string(), shown);
        }
    }

    #[test]
    fn nonsense_is_refused_with_what_was_expected() {
        for (text, said) in [
            ("mem", "expected changes such as"),
            ("speed=2", "is no number of a GPU"),
            ("mem=-100%", "nothing would be left; expected 600GB/s"),
            ("mem=-150%", "nothing would be left; expected 600GB/s"),
            ("mem=+20", "only a percentage takes a sign; expected 600GB/s, +20%"),
            ("l2=+8MiB", "only a percentage takes a sign; expected 72MiB"),
            ("mem=0", "expected 600GB/s"),
            ("mem=nan", "expected 600GB/s"),
            ("mem=3parsec/s", "expected 600GB/s"),
            ("sms=1.5", "expected 60"),
            ("sms=-4", "only a percentage takes a sign; expected 60"),
            ("l2=20%", "expected 72MiB"),
            ("power=3ms", "expected 150W"),
            ("tensor=400", "expected +20% or x2"),
            ("mem=+20%,mem=+30%", "stands twice"),
        ] {
            let why = text.parse::<GpuChanges>().unwrap_err().to_string();
            assert!(why.contains(said), "{text}: {why}");
        }
    }
}
