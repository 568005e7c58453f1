//! More bytes or FLOPs per second than the GPU has.
//!
//! Back-to-back launches find in L2 what the launch before left there, so up to the size of L2 need not come from DRAM:
//! rows above the DRAM peak whose bytes beyond L2 could be moved in time are cache-resident, a true property. Where even
//! those could not, the row is impossible. FLOPs above the peak are impossible too, unless other GPUs run the same
//! configuration near or above theirs: then the count is the algorithm's and the code does fewer (Winograd, FFT), or tensor
//! cores do as much: then they may have done it, and a prediction takes it so. Rows that
//! agree on one bandwidth above the peak have found a real roof: the board has other memory than the catalogue says.

use super::super::robust::range;
use super::super::rows::SheetRow;
use super::super::series::{OVER_COMPUTE, compute_peak};
use super::super::sheet::AuditSheet;
use super::super::words::Word;
use super::super::{AuditCheck, Finding, Remedy, Severity};
use super::ignored_size;
use crate::measurement::Number;
use crate::roofline::{first_type_in_reach, tensor_types_of_lanes};
use crate::text::counted;
use crate::units::{FlopsPerSecond, significant};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Memory runs at its rated clock; ratings are rounded.
const OVER_BANDWIDTH: f64 = 1.05;
/// An efficiency that other GPUs reach only if the count is not what ran.
const NEAR_PEAK: f64 = 0.8;
/// Boards of one name come with memory up to this much faster (GDDR5 and GDDR6).
const OTHER_MEMORY: f64 = 1.6;
/// Rows at a real roof agree within this factor, and there are some of them.
const AGREE: f64 = 1.15;
const SOME: usize = 3;

pub(in super::super) const CHECK: AuditCheck = AuditCheck {
    id: "beyond-roof",
    title: "more bytes or FLOPs per second than the GPU has",
    harm: "efficiency above 1; predictions exceed the target's roof",
    run: beyond_roof_findings,
};

/// What is wrong with a row above a roof.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum RoofBreach {
    Cached,
    Counted,
    Bandwidth,
    OtherMemory,
    TensorCores,
    Compute,
}

/// Case, GPU, kernel: cached rows of all kernels are one group.
type CasesAlike = (RoofBreach, Word, Option<Word>);

fn beyond_roof_findings(sheet: &AuditSheet<'_>) -> Vec<Finding> {
    let ignored = ignored_size::fixed_rows(sheet);
    let efficient = near_peak(sheet);
    let mut found: BTreeMap<CasesAlike, Vec<(usize, f64)>> = BTreeMap::new();
    for (i, row) in sheet.rows.iter().enumerate() {
        let Some((case, times)) = case(sheet, &row, &efficient) else { continue };
        // Already said, with the reason.
        if !matches!(case, RoofBreach::Cached | RoofBreach::Counted) && ignored.contains(&i) {
            continue;
        }
        let kernel = (case != RoofBreach::Cached).then_some(row.kernel);
        found.entry((case, row.gpu, kernel)).or_default().push((i, times));
    }
    let mut all = Vec::new();
    for ((case, ..), rows) in found {
        let one_roof = case == RoofBreach::Bandwidth && is_one_roof(&rows);
        all.push(case_finding(sheet, if one_roof { RoofBreach::OtherMemory } else { case }, &rows));
    }
    all
}

/// Whether these factors over the peak are those of a board with faster memory.
fn is_one_roof(rows: &[(usize, f64)]) -> bool {
    let (low, high) = range(rows.iter().map(|r| r.1));
    rows.len() >= SOME && high < OTHER_MEMORY && high <= AGREE * low
}

fn compute(sheet: &AuditSheet<'_>, row: &SheetRow<'_>) -> Option<f64> {
    let peak = compute_peak(sheet.gpu(row)?, sheet.text_of(row.dtype));
    Some(row.get(Number::Flops)? / row.seconds() / peak)
}

fn key(row: &SheetRow<'_>) -> (Word, Word, Word) {
    (row.kernel, row.problem, row.dtype)
}

/// Configurations with the GPUs that run them near their peak.
fn near_peak(sheet: &AuditSheet<'_>) -> HashMap<(Word, Word, Word), HashSet<Word>> {
    let mut all: HashMap<_, HashSet<Word>> = HashMap::new();
    for row in sheet.rows.iter() {
        if compute(sheet, &row).is_some_and(|c| c >= NEAR_PEAK) {
            all.entry(key(&row)).or_default().insert(row.gpu);
        }
    }
    all
}

/// The case of a row above a roof, and how far above it is.
fn case(
    sheet: &AuditSheet<'_>,
    row: &SheetRow<'_>,
    efficient: &HashMap<(Word, Word, Word), HashSet<Word>>,
) -> Option<(RoofBreach, f64)> {
    if let Some(over) = compute(sheet, row).filter(|c| *c > OVER_COMPUTE) {
        let others = efficient.get(&key(row)).is_some_and(|g| g.len() >= 2);
        let case = match others {
            true => RoofBreach::Counted,
            false if is_in_reach_of_tensor_cores(sheet, row) => RoofBreach::TensorCores,
            false => RoofBreach::Compute,
        };
        return Some((case, over));
    }
    let gpu = sheet.gpu(row)?;
    let bytes = row.get(Number::DramBytes)?;
    let peak = gpu.bandwidth_peak.value.0;
    let over = bytes / row.seconds() / peak;
    if over <= OVER_BANDWIDTH {
        return None;
    }
    let from_dram = (bytes - gpu.l2_size.value.0).max(0.0) / row.seconds();
    let case = if from_dram > OVER_BANDWIDTH * peak { RoofBreach::Bandwidth } else { RoofBreach::Cached };
    Some((case, over))
}

/// Whether tensor cores of this GPU do the FLOPs of this row, which its lanes do not.
fn is_in_reach_of_tensor_cores(sheet: &AuditSheet<'_>, row: &SheetRow<'_>) -> bool {
    let reached = row.get(Number::Flops).map(|flops| FlopsPerSecond(flops / row.seconds()));
    let types = tensor_types_of_lanes(sheet.text_of(row.dtype));
    sheet
        .gpu(row)
        .zip(reached)
        .is_some_and(|(gpu, reached)| first_type_in_reach(gpu, types, reached).is_some())
}

fn case_finding(sheet: &AuditSheet<'_>, case: RoofBreach, found: &[(usize, f64)]) -> Finding {
    let rows: Vec<usize> = found.iter().map(|(r, _)| *r).collect();
    let (worst, over) = found.iter().max_by(|a, b| a.1.total_cmp(&b.1)).copied().unwrap_or((rows[0], 0.0));
    let row = &sheet.rows.row(worst);
    let gpu = sheet.gpu(row);
    let size = format!("{} {}", sheet.text_of(row.kernel), sheet.text_of(row.problem));
    let peak = |c: RoofBreach| match c {
        RoofBreach::Cached | RoofBreach::Bandwidth | RoofBreach::OtherMemory => {
            gpu.map(|g| g.bandwidth_peak.value.to_string())
        }
        _ => gpu.map(|g| compute_peak(g, sheet.text_of(row.dtype))).map(|p| FlopsPerSecond(p).to_string()),
    };
    let peak = peak(case).unwrap_or_default();
    let l2 = gpu.map(|g| g.l2_size.value.as_capacity()).unwrap_or_default();
    let (above, over) = (counted(rows.len(), "row"), significant(over));
    let head = format!("{above} above the peak of {peak}; worst: {size}, {over}× the peak");
    let (severity, why, remedy) = verdict(case, &l2, &rows);
    let evidence = format!("{head}; {why}");
    let subject = match case {
        RoofBreach::Cached => sheet.text_of(row.gpu).to_string(),
        _ => format!("{}, {}", sheet.text_of(row.gpu), sheet.text_of(row.kernel)),
    };
    Finding { check: CHECK.id, severity, subject, rows, evidence, remedy }
}

/// How bad a case is, why, and what can be done.
fn verdict(case: RoofBreach, l2: &str, rows: &[usize]) -> (Severity, String, Remedy) {
    match case {
        RoofBreach::Cached => (
            Severity::Note,
            format!("cache-resident: L2 holds {l2}, and what is beyond it fits the DRAM peak"),
            Remedy::leave("true times, but not bound by DRAM"),
        ),
        RoofBreach::Counted => (
            Severity::Note,
            "other GPUs come near their peaks there too, so fewer FLOPs are executed than are counted".into(),
            Remedy::leave("the times are true; the count is the plain algorithm's"),
        ),
        RoofBreach::Bandwidth => (
            Severity::Error,
            format!("impossible: even with {l2} of L2 the rest is more than DRAM moves"),
            Remedy::drop(rows, "the bytes or the time belong to another run"),
        ),
        RoofBreach::OtherMemory => (
            Severity::Warning,
            "they agree on a roof of their own: the board has faster memory than the catalogue says".into(),
            Remedy::leave("add the board as a GPU of its own, or name the right one"),
        ),
        RoofBreach::TensorCores => (
            Severity::Warning,
            "more than its lanes do and no more than its tensor cores: predictions take it that those did"
                .into(),
            Remedy::leave("state the type in the column `pipe` (tensor tf32), or mend the FLOPs or the time"),
        ),
        RoofBreach::Compute => (
            Severity::Error,
            "impossible at any clock the board holds, and no other GPU comes near its peak there".into(),
            Remedy::drop(rows, "the FLOPs or the time belong to another run"),
        ),
    }
}
