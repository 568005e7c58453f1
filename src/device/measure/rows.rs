//! A timing as rows of the canonical CSV.

use super::timing::CaseTiming;
use super::{MeasureOptions, Planned};
use crate::device::driver::{DriverVersion, EntryFacts, GpuFacts};
use crate::measurement::{CanonicalRow, Number, POWER_LIMIT_COLUMN};

/// What all rows of a run have in common: the GPU, its driver and what the catalogue calls it.
#[derive(Debug, Clone, PartialEq)]
pub struct RunMachine {
    /// The id in the catalogue, or the driver's name where it has none.
    pub gpu: String,
    /// The GPU.
    pub facts: GpuFacts,
    /// The driver.
    pub version: DriverVersion,
}

/// What is the same for both timings of a configuration.
pub(super) struct Ran<'a> {
    pub(super) machine: &'a RunMachine,
    pub(super) planned: &'a Planned<'a>,
    pub(super) facts: EntryFacts,
    pub(super) compiled_by: &'a str,
    pub(super) options: &'a MeasureOptions,
}

/// What a timing found in the caches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Caches {
    /// The same buffers in every launch.
    Warm,
    /// So many copies of the buffers, taken in turn.
    Cold(usize),
}

/// The variant of a row: a warm one has that of its kernel, so that it joins with other people's times; a cold one says so.
fn variant(planned: &Planned<'_>, caches: Caches) -> String {
    match (caches, planned.of.variant.as_str()) {
        (Caches::Warm, own) => own.to_string(),
        (Caches::Cold(_), "") => "caches=cold".to_string(),
        (Caches::Cold(_), own) => format!("{own};caches=cold"),
    }
}

/// What tells configurations of one file apart: kernel, problem and whether it is the cold timing.
#[must_use]
pub fn row_key(row: &CanonicalRow) -> (String, String, String) {
    (row.kernel.clone(), row.problem.clone(), row.variant.clone())
}

impl Planned<'_> {
    /// The keys of the rows that this configuration gives: warm, then cold.
    #[must_use]
    pub fn keys(&self) -> [(String, String, String); 2] {
        [Caches::Warm, Caches::Cold(0)]
            .map(|c| (self.kernel.id.clone(), self.case.problem.to_string(), variant(self, c)))
    }
}

/// The row of a timing.
pub(super) fn canonical_row(ran: &Ran<'_>, timing: &CaseTiming, caches: Caches) -> CanonicalRow {
    let Ran { machine, planned, facts, compiled_by, options } = ran;
    let case = &planned.case;
    let mut row = CanonicalRow {
        gpu: machine.gpu.clone(),
        kernel: planned.kernel.id.clone(),
        problem: case.problem.to_string(),
        variant: variant(planned, caches),
        dtype: planned.kernel.dtype.clone(),
        block: Some(case.launch.block.map(u64::from)),
        grid: Some(case.launch.grid),
        source: format!("roofswap measure {}", env!("CARGO_PKG_VERSION")),
        ..CanonicalRow::default()
    };
    let mega = |v: Option<f64>| v.map(|v| v / 1e6);
    let mean = timing.mean();
    let power = timing.sampled(|s| s.power_w);
    for (column, value) in [
        (Number::RegsPerThread, Some(facts.registers.into())),
        (Number::SmemStatic, Some(facts.static_smem.into())),
        (Number::SmemDynamic, Some(case.dynamic_smem.into())),
        (Number::Time, Some(mean.millis())),
        (Number::TimeStd, Some(timing.std().millis())),
        (Number::Trials, Some(timing.trials.len() as f64)),
        (Number::Power, power),
        (Number::SmClock, mega(timing.sampled(|s| s.sm_clock_hz))),
        (Number::MemClock, mega(timing.sampled(|s| s.mem_clock_hz))),
        (Number::GpuUtil, timing.sampled(|s| s.util_pct)),
    ] {
        row.set(column, value);
    }
    let trials: Vec<String> = timing.trials.iter().map(|t| format!("{:.7}", t.millis())).collect();
    let copies = if let Caches::Cold(copies) = caches { copies } else { 1 };
    let temperature = timing.sampled(|s| s.temperature_c).map(|t| format!("{t:.1}")).unwrap_or_default();
    let attributes = [
        ("timing", if caches == Caches::Warm { "warm" } else { "cold" }.to_string()),
        ("median_ms", format!("{:.7}", timing.median().millis())),
        ("trials_ms", trials.join(";")),
        ("launches", timing.launches.to_string()),
        ("buffer_copies", copies.to_string()),
        ("samples", timing.samples.len().to_string()),
        ("temperature_c", temperature),
        ("driver_blocks_per_sm", facts.blocks_per_sm.to_string()),
        ("local_bytes", facts.local_bytes.to_string()),
        ("compiled_by", (*compiled_by).to_string()),
        ("seed", options.seed.to_string()),
        ("gpu_uuid", machine.facts.uuid.clone()),
        ("driver", machine.version.driver.clone()),
        ("cuda", format!("{}.{}", machine.version.cuda.0, machine.version.cuda.1)),
        (POWER_LIMIT_COLUMN, machine.facts.power_limit_w.map(|w| format!("{w}")).unwrap_or_default()),
    ];
    row.attributes =
        attributes.into_iter().filter(|(_, v)| !v.is_empty()).map(|(k, v)| (k.to_string(), v)).collect();
    row
}
