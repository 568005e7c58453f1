//! `roofswap probe`: what the GPU at hand is, and what it reaches.
//!
//! Every ceiling is the median of repeats of one small kernel (`assets/kernels/probe`), with the best one and the spread
//! beside it. Nothing here compares its answer with anything: these kernels only keep one part of the GPU busy.

mod benches;
mod straight_line;
mod written;

pub use benches::{Bench, run_benches};
pub use written::{WriteError, gpu_file, known};

use super::driver::{DriverVersion, GpuFacts};

/// What a reading is counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadingUnit {
    /// Bytes per second.
    BytesPerSecond,
    /// Operations per second; a fused multiply-add is two.
    FlopsPerSecond,
    /// Seconds.
    Seconds,
}

impl ReadingUnit {
    /// A value as a person reads it.
    #[must_use]
    pub fn shown(self, value: f64) -> String {
        use crate::units::{BytesPerSecond, FlopsPerSecond, Seconds};
        match self {
            Self::BytesPerSecond => BytesPerSecond(value).to_string(),
            Self::FlopsPerSecond => FlopsPerSecond(value).to_string(),
            Self::Seconds => Seconds(value).to_string(),
        }
    }

    /// The word in CSV and JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::BytesPerSecond => "byte/s",
            Self::FlopsPerSecond => "flop/s",
            Self::Seconds => "s",
        }
    }
}

/// One measured ceiling.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// `dram_copy`, `l2_read`, …; several readings of a curve share it.
    pub id: &'static str,
    /// Working set in bytes, or blocks per SM, where it is a point of a curve; empty otherwise.
    pub at: String,
    /// What it is counted in.
    pub unit: ReadingUnit,
    /// Median over the repeats.
    pub median: f64,
    /// The best repeat.
    pub best: f64,
    /// Standard deviation over the repeats, as a share of the mean.
    pub spread: f64,
    /// How many.
    pub repeats: usize,
    /// SM clock in Hz, mean of what was sampled while it ran; `None` where nothing could be sampled.
    pub sm_clock_hz: Option<f64>,
    /// How it was measured, in one line.
    pub method: String,
}

impl Reading {
    /// Method, repeats, best and spread: the note beside the value in a GPU file.
    #[must_use]
    pub fn note(&self) -> String {
        format!(
            "{}; median of {}, best {}, spread {:.1} %",
            self.method,
            self.repeats,
            self.unit.shown(self.best),
            100.0 * self.spread
        )
    }
}

/// Everything that was found out about a GPU.
#[derive(Debug, Clone, PartialEq)]
pub struct Probe {
    /// What driver and NVML say.
    pub facts: GpuFacts,
    /// Which driver.
    pub version: DriverVersion,
    /// What was measured, in order; whole curves.
    pub readings: Vec<Reading>,
    /// Which ceilings could not be measured, and why.
    pub missing: Vec<String>,
    /// Whether it was cancelled before the end.
    pub cancelled: bool,
}

impl Probe {
    /// The reading of this id with the highest median (of times: the lowest).
    #[must_use]
    pub fn ceiling(&self, id: &str) -> Option<&Reading> {
        let of = self.readings.iter().filter(|r| r.id == id);
        let better = |a: &&Reading, b: &&Reading| {
            let sign = if a.unit == ReadingUnit::Seconds { -1.0 } else { 1.0 };
            (sign * a.median).total_cmp(&(sign * b.median))
        };
        of.max_by(better)
    }
}
