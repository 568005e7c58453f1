//! Ceilings that calibration files state: JSON of device metrics, and the `NAME=value` lines of benchmark programs.

use crate::catalogue::{Catalogue, Entry};
use crate::gpu::Gpu;
use serde_json::Value;

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
    pub gpu: Option<usize>,
    /// What.
    pub of: Ceiling,
    /// GB/s or GFLOP/s.
    pub value: f64,
    /// As the file calls it.
    pub name: String,
    /// Where it stands.
    pub file: String,
}

/// Whether a text that is no JSON is a calibration: `NAME_GBPS=541.11` in a line of its own.
pub(super) fn recognises(head: &str) -> bool {
    head.lines().any(|l| assignment(l).is_some_and(|(name, _)| ceiling(name).is_some()))
}

/// Every ceiling of the file.
pub(super) fn read(
    text: &str,
    file: &str,
    gpus: &Catalogue<Gpu>,
    is_json: bool,
) -> Result<Vec<Calibration>, String> {
    let by_name = named_by_file(file, gpus);
    if !is_json {
        let lines = text.lines().filter_map(assignment);
        return Ok(lines.filter_map(|(n, v)| Some(calibration(by_name, ceiling(n)?, v, n, file))).collect());
    }
    let parsed: Value = serde_json::from_str(text).map_err(|e| format!("is no sound JSON: {e}"))?;
    let devices = match &parsed {
        Value::Array(all) => all.as_slice(),
        one => std::slice::from_ref(one),
    };
    let mut found = Vec::new();
    for device in devices.iter().filter_map(Value::as_object) {
        let name = ["device_name", "gpu", "name"].iter().find_map(|k| device.get(*k)?.as_str());
        let gpu = name.and_then(|n| gpus.get(n)).or(if devices.len() == 1 { by_name } else { None });
        let ceilings = device.iter().filter_map(|(k, v)| Some((k, ceiling(k)?, v.as_f64()?)));
        found.extend(ceilings.map(|(k, of, value)| calibration(gpu, of, value, k, file)));
    }
    if found.is_empty() {
        return Err(
            "states no reached ceiling; expected fields such as sustained_bandwidth_gbps per device".into()
        );
    }
    Ok(found)
}

fn calibration(gpu: Option<usize>, of: Ceiling, value: f64, name: &str, file: &str) -> Calibration {
    Calibration { gpu, of, value, name: name.to_string(), file: file.to_string() }
}

/// `NAME=number`, alone in its line.
fn assignment(line: &str) -> Option<(&str, f64)> {
    let (name, value) = line.trim().split_once('=')?;
    let value = value.trim().parse::<f64>().ok().filter(|v| v.is_finite() && *v > 0.0)?;
    Some((name.trim(), value))
}

/// What a field's name says it is; peaks are promises, no measurements.
fn ceiling(name: &str) -> Option<Ceiling> {
    let lower = name.to_lowercase();
    let reached = ["sustained", "achieved", "measured", "calibrated"].iter().any(|w| lower.contains(w));
    let bandwidth = (lower.contains("bandwidth") || lower.contains("bw")) && lower.contains("gbps");
    let compute = lower.contains("gflops");
    match (reached, bandwidth, compute) {
        (true, true, _) => Some(Ceiling::Bandwidth),
        (true, _, true) => Some(Ceiling::Compute),
        _ => None,
    }
}

/// The only GPU whose name ends in a part of the file's name: `stream_like_2080ti.out`.
fn named_by_file(file: &str, gpus: &Catalogue<Gpu>) -> Option<usize> {
    let base = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let stem = base.split('.').next().unwrap_or(base);
    let plain = |t: &str| t.to_lowercase().replace(['-', '_', ' '], "");
    let ends = |part: &&str| {
        let part = plain(part);
        let fits = |g: &Gpu| part.len() >= 2 && plain(g.id()).ends_with(&part);
        let mut all = gpus.entries().iter().enumerate().filter(|(_, g)| fits(g)).map(|(i, _)| i);
        all.next().filter(|_| all.next().is_none())
    };
    gpus.get(stem).or_else(|| stem.split('_').collect::<Vec<_>>().iter().rev().find_map(ends))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peaks_and_settings_are_no_calibration() {
        assert_eq!(ceiling("SUSTAINED_MEM_BW_GBPS"), Some(Ceiling::Bandwidth));
        assert_eq!(ceiling("sustained_compute_gflops"), Some(Ceiling::Compute));
        assert_eq!(ceiling("peak_mem_bandwidth_gbps"), None);
        assert!(!recognises("gpu,kernel,time_ms\ntitan-v,saxpy,1\n"));
        assert!(!recognises("N=134217728  avg_ms=2.976  GBps=541.11\n"));
        assert!(recognises("N=1\nSUSTAINED_MEM_BW_GBPS=541.11\n"));
    }
}
