//! Ceilings that calibration files and benchmarks state, as the importers read them.

use crate::catalogue::Catalogue;
use crate::gpu::{Gpu, GpuId};
use crate::import::{Roof, RoofOf};

/// Which ceiling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ceiling {
    /// DRAM bandwidth in GB/s.
    Bandwidth,
    /// FP32 rate in GFLOP/s.
    Compute,
}

impl Ceiling {
    /// Words and unit.
    pub(super) fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Bandwidth => ("DRAM bandwidth", "GB/s"),
            Self::Compute => ("FP32 rate", "GFLOP/s"),
        }
    }
}

/// One ceiling that somebody says was reached.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibration {
    /// Place in the catalogue.
    pub gpu: Option<GpuId>,
    /// What.
    pub of: Ceiling,
    /// GB/s or GFLOP/s.
    pub value: f64,
    /// As the file calls it.
    pub name: String,
    /// Where it stands.
    pub file: String,
}

impl Calibration {
    /// The calibration that a measured roof is; `None` for a roof that no check looks at.
    pub(super) fn of(roof: &Roof, file: &str, gpus: &Catalogue<Gpu>) -> Option<Self> {
        let of = match roof.of {
            RoofOf::Dram => Ceiling::Bandwidth,
            RoofOf::Fp32 => Ceiling::Compute,
            _ => return None,
        };
        let name = roof.source.split_once(": ").map_or(roof.source.as_str(), |(_, name)| name);
        let value = roof.per_second / 1e9;
        Some(Self { gpu: gpus.get(&roof.gpu), of, value, name: name.to_string(), file: file.to_string() })
    }
}
