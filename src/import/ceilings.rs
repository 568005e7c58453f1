//! Calibration files: ceilings that somebody reached, as JSON (an object per device) or as `NAME=value` lines of a
//! benchmark program. `import`, `--data` and the audit read them here alike.
//!
//! A field counts where its name says that the rate was reached (`sustained`, `achieved`, `measured`, `calibrated`; a peak is
//! a promise) and has its unit: `…bandwidth…gbps` or `…bw…gbps` in GB/s, `…gflops` in GFLOP/s of FP32.

use super::{AchievedRoof, ImportJob, Imported, Importer};
use crate::gpu::AchievedRate;
use crate::measurement::ReadError;
use serde_json::Value;
use std::io::{BufRead, Read};
use std::path::Path;

/// The format.
pub(super) const IMPORTER: Importer =
    Importer { name: "calibration files", recognises: is_own_format, read: read_rows };

const GIGA: f64 = 1e9;
/// The largest file that is read: those of whole studies have a few kilobytes, and as a tree it takes many times that.
const LARGEST: u64 = 2 << 20;

fn is_own_format(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    if is_json(&text) {
        // The names stand between quotation marks.
        return text.split('"').any(|word| ceiling(word).is_some());
    }
    text.lines().any(|l| assignment(l).is_some_and(|(name, _)| ceiling(name).is_some()))
}

fn is_json(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').trim_start().starts_with(['{', '['])
}

fn read_rows(reader: &mut dyn BufRead, job: &ImportJob<'_>) -> Result<Imported, ReadError> {
    let mut bytes = Vec::new();
    reader.take(LARGEST + 1).read_to_end(&mut bytes).map_err(|e| job.read_error(e.to_string()))?;
    if bytes.len() as u64 > LARGEST {
        return Err(job.read_error("is larger than 2 MiB; expected a calibration file"));
    }
    let text =
        String::from_utf8(bytes).map_err(|_| job.read_error("is not UTF-8; save the file as UTF-8"))?;
    let roofs = if is_json(&text) { of_json(&text, job)? } else { of_lines(&text, job) };
    if roofs.is_empty() {
        return Err(job.read_error(
            "states no reached ceiling above 0; expected fields such as sustained_bandwidth_gbps per device",
        ));
    }
    Ok(Imported { roofs, ..Imported::default() })
}

/// `gpu_metrics.json`: a list, one object per GPU; `device_calibration_*.json`: one object.
fn of_json(text: &str, job: &ImportJob<'_>) -> Result<Vec<AchievedRoof>, ReadError> {
    let text = text.trim_start_matches('\u{feff}');
    let value: Value =
        serde_json::from_str(text).map_err(|e| job.read_error(format!("is no sound JSON: {e}")))?;
    let devices = match &value {
        Value::Array(all) => all.as_slice(),
        one => std::slice::from_ref(one),
    };
    let mut roofs = Vec::new();
    for device in devices.iter().filter_map(Value::as_object) {
        let name = ["device_name", "gpu", "name"].iter().find_map(|k| device.get(*k)?.as_str());
        // Some tools cut the name off after the vendor's.
        let named = name.filter(|n| !matches!(n.trim().to_lowercase().as_str(), "" | "nvidia"));
        let gpu = match named {
            Some(name) => name.to_string(),
            None if devices.len() == 1 => unnamed_gpu(job),
            None => continue,
        };
        let stated = device.iter().filter_map(|(name, v)| roof(&gpu, name, v.as_f64()?, job));
        roofs.extend(stated);
    }
    Ok(roofs)
}

/// `SUSTAINED_MEM_BW_GBPS=541.11`, alone in its line.
fn of_lines(text: &str, job: &ImportJob<'_>) -> Vec<AchievedRoof> {
    let gpu = unnamed_gpu(job);
    let lines = text.trim_start_matches('\u{feff}').lines();
    lines.filter_map(assignment).filter_map(|(name, value)| roof(&gpu, name, value, job)).collect()
}

fn assignment(line: &str) -> Option<(&str, f64)> {
    let (name, value) = line.trim().split_once('=')?;
    Some((name.trim(), value.trim().parse().ok()?))
}

fn roof(gpu: &str, name: &str, value: f64, job: &ImportJob<'_>) -> Option<AchievedRoof> {
    let of = ceiling(name).filter(|_| value.is_finite() && value > 0.0)?;
    let source = format!("{}: {name}", file_name(job.file));
    Some(AchievedRoof { gpu: gpu.to_string(), of, per_second: value * GIGA, source })
}

/// What a field's name says it is.
fn ceiling(name: &str) -> Option<AchievedRate> {
    const LONGEST: usize = 80;
    if name.len() > LONGEST {
        return None;
    }
    let lower = name.to_lowercase();
    let reached = ["sustained", "achieved", "measured", "calibrated"].iter().any(|w| lower.contains(w));
    let bandwidth = (lower.contains("bandwidth") || lower.contains("bw")) && lower.contains("gbps");
    let compute = lower.contains("gflops");
    match (reached, bandwidth, compute) {
        (true, true, _) => Some(AchievedRate::Dram),
        (true, _, true) => Some(AchievedRate::Fp32),
        _ => None,
    }
}

pub(super) fn file_name(file: &str) -> String {
    Path::new(file).file_name().map_or_else(|| file.to_string(), |n| n.to_string_lossy().into_owned())
}

/// The GPU of a file without a device name: the one that the user named, else the one in the file's name.
pub(super) fn unnamed_gpu(job: &ImportJob<'_>) -> String {
    job.gpu.map_or_else(|| gpu_of_file(job.file), str::to_string)
}

/// The name a file ends in: `stream_like_2080ti.out` belongs to `2080ti`. In paper 1's study `titanx` is the Maxwell one.
fn gpu_of_file(file: &str) -> String {
    let stem = Path::new(file).file_stem().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    match stem.rsplit('_').next().unwrap_or_default() {
        "titanx" => "GTX TITAN X".to_string(),
        last => last.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::tests::read_text;

    fn roofs(text: &str) -> Vec<AchievedRoof> {
        assert!(is_own_format(text.as_bytes()), "{text}");
        read_text(&IMPORTER, text).unwrap().roofs
    }

    #[test]
    fn peaks_and_settings_are_no_calibration() {
        assert_eq!(ceiling("SUSTAINED_MEM_BW_GBPS"), Some(AchievedRate::Dram));
        assert_eq!(ceiling("sustained_compute_gflops"), Some(AchievedRate::Fp32));
        assert_eq!(ceiling("peak_mem_bandwidth_gbps"), None);
        assert!(!is_own_format(b"gpu,kernel,time_ms\ntitan-v,saxpy,1\n"));
        assert!(!is_own_format(b"N=134217728  avg_ms=2.976  GBps=541.11\n"));
        assert!(is_own_format(b"N=1\nSUSTAINED_MEM_BW_GBPS=541.11\n"));
    }

    #[test]
    fn devices_are_named_in_the_file_or_by_it() {
        let all = roofs(
            r#"[{"device_name": "NVIDIA TITAN V", "sustained_bandwidth_gbps": 300.0, "sustained_compute_gflops": 11000.5},
                {"device_name": "NVIDIA", "sustained_bandwidth_gbps": 1}, {"gpu": "l4", "achieved_bw_gbps": -1}]"#,
        );
        let shown: Vec<_> = all.iter().map(|r| (r.gpu.as_str(), r.of, r.per_second)).collect();
        assert_eq!(
            shown,
            [
                ("NVIDIA TITAN V", AchievedRate::Dram, 300e9),
                ("NVIDIA TITAN V", AchievedRate::Fp32, 11_000.5e9)
            ]
        );
        assert_eq!(all[1].source, "test.txt: sustained_compute_gflops");
        assert_eq!(
            roofs(r#"{"device_name": "NVIDIA", "sustained_mem_bandwidth_gbps": 541.7}"#)[0].gpu,
            "test"
        );
        assert_eq!(roofs("N=1\nSUSTAINED_MEM_BW_GBPS=541.11\n")[0].per_second, 541.11e9);
        assert_eq!(gpu_of_file("x/stream_like_2080ti.out"), "2080ti");
        assert_eq!(gpu_of_file("stream_like_titanx.out"), "GTX TITAN X");
    }

    #[test]
    fn a_file_without_a_sound_ceiling_is_refused() {
        for (text, says) in [
            (r#"{"sustained_bandwidth_gbps": 0}"#, "no reached ceiling above 0"),
            (r#"{"sustained_bandwidth_gbps": "#, "no sound JSON"),
        ] {
            let error = read_text(&IMPORTER, text).unwrap_err();
            assert!(error.message.contains(says), "{error}");
        }
    }
}
