//! Calibrations that contradict each other, the datasheet, or the rows.
//!
//! Two ways of measuring one ceiling differ by a few percent, by ten at most (copy against triad, clocks, ECC). A reached
//! bandwidth that the file's own rows exceed from DRAM was not the reachable one.

use super::super::calibration::{ReachedCeiling, rate_words};
use super::super::sheet::AuditSheet;
use super::super::{AuditCheck, Finding, Remedy, Severity};
use super::ignored_size;
use crate::gpu::{AchievedRate, Gpu, GpuId};
use crate::measurement::Number;
use std::cmp::Reverse;
use std::collections::BTreeMap;

const SAME: f64 = 1.1;

pub(in super::super) const CHECK: AuditCheck = AuditCheck {
    id: "calibration",
    title: "calibrated ceilings contradict each other or the rows",
    harm: "a roof at half its height doubles every efficiency below it; carried to a GPU calibrated otherwise, times are off by that",
    run: calibration_findings,
};

fn calibration_findings(sheet: &AuditSheet<'_>) -> Vec<Finding> {
    let mut all: BTreeMap<(GpuId, Reverse<AchievedRate>), Vec<&ReachedCeiling>> = BTreeMap::new();
    for c in &sheet.calibrations {
        if let Some(gpu) = c.gpu {
            // Bandwidths stand before arithmetic.
            all.entry((gpu, Reverse(c.of))).or_default().push(c);
        }
    }
    let ignored = ignored_size::fixed_rows(sheet);
    let sound = |r: usize| !ignored.contains(&r);
    all.into_iter()
        .filter_map(|((gpu, Reverse(of)), values)| {
            let fastest = (of == AchievedRate::Dram).then(|| fastest(sheet, gpu, sound)).flatten();
            rate_finding(sheet, gpu, of, &values, fastest)
        })
        .collect()
}

/// The highest bandwidth of a row of this GPU that must have come from DRAM, in GB/s.
fn fastest(sheet: &AuditSheet<'_>, gpu: GpuId, sound: impl Fn(usize) -> bool) -> Option<(f64, usize)> {
    let of = &sheet.gpus[gpu];
    let rate = |(i, row): (usize, super::super::SheetRow<'_>)| {
        let here = sheet.gpu(&row).is_some_and(|g| g.id == of.id) && sound(i);
        let beyond = row.get(Number::DramBytes)? - of.l2_size.value.0;
        (here && beyond > 0.0).then(|| (beyond / row.seconds() / 1e9, i))
    };
    sheet.rows.iter().enumerate().filter_map(rate).max_by(|a, b| a.0.total_cmp(&b.0))
}

fn rate_finding(
    sheet: &AuditSheet<'_>,
    gpu: GpuId,
    of: AchievedRate,
    values: &[&ReachedCeiling],
    fastest: Option<(f64, usize)>,
) -> Option<Finding> {
    let low = values.iter().min_by(|a, b| a.value.total_cmp(&b.value))?;
    let high = values.iter().max_by(|a, b| a.value.total_cmp(&b.value))?;
    let beaten = fastest.filter(|(rate, _)| *rate > SAME * low.value);
    if high.value <= SAME * low.value && beaten.is_none() {
        return None;
    }
    let of_gpu = &sheet.gpus[gpu];
    let ((what, unit), peak) = (rate_words(of), stated_peak(of_gpu, of));
    let say = |c: &ReachedCeiling| {
        let base = c.file.rsplit('/').next().unwrap_or("");
        format!("{:.1} {unit} ({base}, {}; {:.0} % of the peak)", c.value, c.name, 100.0 * c.value / peak)
    };
    let mut evidence = format!("{what}: {}", say(low));
    if high.value > SAME * low.value {
        evidence += &format!(" against {}: {:.2}× apart", say(high), high.value / low.value);
    }
    let mut rows = Vec::new();
    if let Some((rate, row)) = beaten {
        evidence += &format!("; a row reaches {rate:.1} {unit} beyond L2");
        rows.push(row);
    }
    let remedy = Remedy::leave("use the higher value; no row holds it");
    let (severity, subject) = (Severity::Warning, of_gpu.id.clone());
    Some(Finding { check: CHECK.id, severity, subject, rows, evidence, remedy })
}

/// The datasheet's peak in the unit of calibrations.
fn stated_peak(gpu: &Gpu, of: AchievedRate) -> f64 {
    match of {
        AchievedRate::Dram => gpu.bandwidth_peak.value.0 / 1e9,
        _ => gpu.fp32_peak.value.0 / 1e9,
    }
}
