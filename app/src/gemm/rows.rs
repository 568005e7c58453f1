//! Measured GEMMs: what paper 4's program takes from a row.

use crate::gpu::GpuId;
use crate::learn::metrics::median;
use crate::measurement::{Measurement, Number};
use std::collections::BTreeMap;

/// From this utilisation on, the audit takes a reading of power for the run's.
pub const BUSY_PERCENT: f64 = crate::measurement::BUSY_PERCENT;

/// One measured GEMM.
#[derive(Debug, Clone, PartialEq)]
pub struct GemmRow {
    /// The GPU's place in its catalogue.
    pub gpu: GpuId,
    /// m, n, k.
    pub size: [f64; 3],
    /// `alpha=1;beta=0;layout=nn`, the variant with its parts sorted.
    pub variant: String,
    /// What the run was told of its block; it selected nothing (see [`super::sharing`]). Zeros where nobody says.
    pub nominal_block: [f64; 3],
    /// Time in milliseconds.
    pub ms: f64,
    /// Power as it was read, whether the GPU was busy or not, in watts.
    pub watts: Option<f64>,
    /// GPU utilisation beside it, in percent.
    pub busy_percent: Option<f64>,
}

impl GemmRow {
    /// A measured row, if it has the sizes of a matrix product.
    #[must_use]
    pub fn from_measurement(row: &Measurement) -> Option<Self> {
        let size = |key| row.problem.number_at(key).filter(|v| *v >= 1.0);
        let read_idle = || attribute(row, "idle_power_w")?.parse().ok();
        Some(Self {
            gpu: row.gpu,
            size: [size("m")?, size("n")?, size("k")?],
            variant: sorted(row.variant()),
            nominal_block: nominal_block(row).unwrap_or([0.0; 3]),
            ms: row.time.millis(),
            watts: row.number(Number::Power).or_else(read_idle),
            busy_percent: row.number(Number::GpuUtil),
        })
    }

    /// A product that is asked about, with nothing measured; the nominal block is the 128x128 kernel's first.
    #[must_use]
    pub fn asked(gpu: GpuId, size: [f64; 3]) -> Self {
        let nominal_block = [64.0, 64.0, 32.0];
        Self { gpu, size, variant: String::new(), nominal_block, ms: 0.0, watts: None, busy_percent: None }
    }

    /// Whether the reading of power was taken while the GPU was busy.
    #[must_use]
    pub fn is_audited(&self) -> bool {
        self.watts.is_some() && self.busy_percent.is_some_and(|u| u >= BUSY_PERCENT)
    }

    /// 2 m n k.
    #[must_use]
    pub fn flops(&self) -> f64 {
        2.0 * self.size.iter().product::<f64>()
    }

    /// 4 (m k + k n + m n), paper 4's bytes.
    #[must_use]
    pub fn moved_bytes(&self) -> f64 {
        let [m, n, k] = self.size;
        4.0 * (m * k + k * n + m * n)
    }

    /// GFLOP/s.
    #[must_use]
    pub fn gflops(&self) -> f64 {
        self.flops() / (self.ms * 1e6)
    }

    /// Power x time in joules.
    #[must_use]
    pub fn joules(&self) -> Option<f64> {
        Some(self.watts? * self.ms / 1e3)
    }

    /// `512x1024x512`.
    #[must_use]
    pub fn shape(&self) -> String {
        let [m, n, k] = self.size;
        format!("{m}x{n}x{k}")
    }

    /// Shape and variant: rows with the same are repeats.
    #[must_use]
    pub fn problem_text(&self) -> String {
        format!("{} {}", self.shape(), self.variant)
    }
}

/// One row a problem with the median of its times; of rows at a low utilisation where there are any, because the GPU is
/// somebody else's at a high one (see [`super::sharing`]).
#[must_use]
pub fn medians(rows: &[GemmRow]) -> Vec<GemmRow> {
    let mut all: BTreeMap<String, Vec<&GemmRow>> = BTreeMap::new();
    for row in rows {
        all.entry(row.problem_text()).or_default().push(row);
    }
    let quiet = |r: &&&GemmRow| r.busy_percent.is_none_or(|u| u < BUSY_PERCENT);
    let one = |of: Vec<&GemmRow>| {
        let calm: Vec<f64> = of.iter().filter(quiet).map(|r| r.ms).collect();
        let every = || of.iter().map(|r| r.ms).collect();
        let ms = median(if calm.is_empty() { every() } else { calm })?;
        Some(GemmRow { ms, watts: None, ..(*of.first()?).clone() })
    };
    all.into_values().filter_map(one).collect()
}

/// The parts of a variant in the order of the alphabet: a kernel's file may have turned them round.
#[must_use]
pub fn sorted(variant: &str) -> String {
    let mut parts: Vec<&str> = variant.split(';').collect();
    parts.sort_unstable();
    parts.join(";")
}

fn attribute<'r>(row: &'r Measurement, name: &str) -> Option<&'r str> {
    row.attributes().iter().find(|(n, _)| **n == *name).map(|(_, text)| &**text)
}

/// `128x64x32`, of an attribute or among the words of the source.
fn nominal_block(row: &Measurement) -> Option<[f64; 3]> {
    let source = row.source().text();
    let in_source = || source.split(';').find_map(|part| part.strip_prefix("nominal_block="));
    let text = attribute(row, "nominal_block").or_else(in_source)?;
    let mut sides = text.split('x').map(|side| side.parse::<f64>().ok());
    Some([sides.next()??, sides.next()??, sides.next()??])
}
