//! Ceilings that calibration files and benchmarks state, as the importers read them.

use crate::catalogue::Catalogue;
use crate::gpu::{AchievedRate, Gpu, GpuId};
use crate::import::AchievedRoof;

/// One ceiling that somebody says was reached.
#[derive(Debug, Clone, PartialEq)]
pub struct ReachedCeiling {
    /// Place in the catalogue.
    pub gpu: Option<GpuId>,
    /// What.
    pub of: AchievedRate,
    /// GB/s or GFLOP/s.
    pub value: f64,
    /// As the file calls it.
    pub name: String,
    /// Where it stands.
    pub file: String,
}

impl ReachedCeiling {
    /// The calibration that a measured roof is; `None` for a roof that no check looks at.
    pub(super) fn from_roof(roof: &AchievedRoof, file: &str, gpus: &Catalogue<Gpu>) -> Option<Self> {
        let of = Some(roof.of).filter(|of| matches!(of, AchievedRate::Dram | AchievedRate::Fp32))?;
        let name = roof.source.split_once(": ").map_or(roof.source.as_str(), |(_, name)| name);
        let value = roof.per_second / 1e9;
        Some(Self {
            gpu: gpus.id_named(&roof.gpu),
            of,
            value,
            name: name.to_string(),
            file: file.to_string(),
        })
    }
}

/// A rate that calibrations state in words, and its unit.
pub(super) fn rate_words(of: AchievedRate) -> (&'static str, &'static str) {
    match of {
        AchievedRate::Dram => ("DRAM bandwidth", "GB/s"),
        _ => ("FP32 rate", "GFLOP/s"),
    }
}
