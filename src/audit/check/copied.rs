//! Constants that stand for several GPUs: registers, and calibration numbers.
//!
//! Compilers give a kernel other registers on another architecture. Of the catalogue's kernels two architectures agree on
//! about half; that n kernels agree on every architecture by chance has a probability of at most 0.5^n, and 1 % is asked
//! for: seven kernels. Two GPUs never reach the same bandwidth to the digit.

use super::super::calibration::rate_words;
use super::super::sheet::AuditSheet;
use super::super::words::Word;
use super::super::{AuditCheck, Finding, Remedy, Severity};
use super::compiled::registers;
use crate::gpu::{AchievedRate, GpuId};
use crate::measurement::Number;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Share of kernels on whose registers two architectures agree.
const AGREE: f64 = 0.5;
/// A chance below this is none.
const LEAST_CHANCE: f64 = 0.01;
/// Kernels with fewer registers all get the smallest allocation and agree by nature.
const TRIVIAL: f64 = 5.0;

pub(in super::super) const CHECK: AuditCheck = AuditCheck {
    id: "copied-constants",
    title: "one GPU's constants stand for all",
    harm: "occupancy is computed from one architecture's registers: wrong by whole blocks on the others",
    run: |sheet| copied_registers(sheet).into_iter().chain(copied_calibration(sheet)).collect(),
};

/// One code on several architectures: the registers it has on each.
type CopiedCode = BTreeMap<(u8, u8), BTreeSet<u64>>;

fn copied_registers(sheet: &AuditSheet<'_>) -> Option<Finding> {
    let mut codes: BTreeMap<(Word, Word), (CopiedCode, Vec<u32>)> = BTreeMap::new();
    for (i, row) in (0..).zip(sheet.rows.iter()) {
        let Some((gpu, regs)) = sheet.gpu(&row).zip(row.get(Number::RegsPerThread)) else { continue };
        if regs <= TRIVIAL {
            continue;
        }
        let (code, rows) = codes.entry((row.kernel, row.variant)).or_default();
        let cc = gpu.cuda.compute_capability;
        code.entry((cc.major, cc.minor)).or_default().insert(regs as u64);
        rows.push(i);
    }
    codes.retain(|_, (code, _)| code.len() >= 2);
    let one = |code: &CopiedCode| code.values().flatten().collect::<BTreeSet<_>>().len() == 1;
    let (same, differ): (Vec<_>, Vec<_>) = codes.iter().partition(|(_, (code, _))| one(code));
    // A kernel that differs shows that somebody asked the compiler.
    if AGREE.powi(same.len() as i32) > LEAST_CHANCE || differ.len() * 10 > same.len() {
        return None;
    }
    let rows: Vec<usize> =
        same.iter().flat_map(|(_, (_, rows))| rows.iter().map(|row| *row as usize)).collect();
    let capabilities: BTreeSet<String> =
        same.iter().flat_map(|(_, (c, _))| c.keys()).map(|(a, b)| format!("{a}.{b}")).collect();
    let contradicted = rows.iter().find_map(|r| {
        let compiled = registers(sheet, &sheet.rows.row(*r))?;
        let told = sheet.rows.row(*r).get(Number::RegsPerThread)?;
        (f64::from(compiled.registers) != told).then(|| {
            format!(
                "; {} compiled {} to {} registers, the row has {told}",
                compiled.place, compiled.kernel, compiled.registers
            )
        })
    });
    let evidence = format!(
        "{} of {} kernels have the same registers on compute capabilities {}; by chance less than 1 in {:.0}{}",
        same.len(),
        codes.len(),
        capabilities.into_iter().collect::<Vec<_>>().join(", "),
        AGREE.powi(-(same.len() as i32)),
        contradicted.unwrap_or_default(),
    );
    let remedy =
        Remedy::leave("give the compiler logs (ptxas -v) as further files: rows then get their registers");
    let (severity, subject) = (Severity::Warning, "registers".to_string());
    Some(Finding { check: CHECK.id, severity, subject, rows, evidence, remedy })
}

fn copied_calibration(sheet: &AuditSheet<'_>) -> Vec<Finding> {
    let mut values: BTreeMap<(u64, Reverse<AchievedRate>), BTreeSet<GpuId>> = BTreeMap::new();
    for c in &sheet.calibrations {
        if let Some(gpu) = c.gpu {
            values.entry((c.value.to_bits(), Reverse(c.of))).or_default().insert(gpu);
        }
    }
    let copied = values.into_iter().filter(|(_, gpus)| gpus.len() >= 2);
    copied
        .map(|((bits, Reverse(of)), gpus)| {
            let names: Vec<&str> = gpus.iter().map(|g| sheet.gpus[*g].id.as_str()).collect();
            let (what, unit) = rate_words(of);
            Finding {
                check: CHECK.id,
                severity: Severity::Warning,
                subject: names.join(", "),
                rows: Vec::new(),
                evidence: format!("the same {what} of {} {unit} on all of them", f64::from_bits(bits)),
                remedy: Remedy::leave("measure each GPU"),
            }
        })
        .collect()
}
