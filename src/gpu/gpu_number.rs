//! The numbers of a GPU that can be changed: how they are typed and shown.

use super::{clock, power};
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
    pub(super) fn typed(self, text: &str) -> Option<f64> {
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
