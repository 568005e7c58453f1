//! Grids, FLOPs and bytes that are not those of the kernel's file in the catalogue.
//!
//! Only kernels that the catalogue knows with formulas are looked at. A grid is compared where the block is the file's;
//! FLOPs may differ by 2 % (borders). Bytes may well be more than the compulsory ones, if a profiler counted them, but
//! never less than what is touched once, but for what L2 still holds when the launch ends.

use super::super::rows::SheetRow;
use super::super::sheet::AuditSheet;
use super::super::words::Word;
use super::super::{AuditCheck, Edit, Finding, Remedy, Severity};
use super::ignored_size;
use crate::kernel::Count;
use crate::measurement::Number;
use crate::units::significant;
use std::collections::BTreeMap;

const BORDERS: f64 = 1.02;

/// What L2 still holds when a launch ends is in no counter of DRAM: its size may be missing, but no more than this part.
const LEFT_IN_L2: f64 = 0.05;

pub(in super::super) const CHECK: AuditCheck = AuditCheck {
    id: "kernel-file",
    title: "a grid or a count is not that of the kernel's file",
    harm: "waves, occupancy tails and efficiencies are computed for a launch that did not take place",
    run: kernel_file_findings,
};

/// What differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    Grid,
    Flops,
    Bytes,
}

/// Row, how many times the truth it says, the truth as text.
type FiledDifference = (usize, f64, String);

fn kernel_file_findings(sheet: &AuditSheet<'_>) -> Vec<Finding> {
    let ignored = ignored_size::fixed_rows(sheet);
    let mut found: BTreeMap<(What, Word), Vec<FiledDifference>> = BTreeMap::new();
    for (i, row) in sheet.rows.iter().enumerate() {
        for (what, ratio, truth) in differences(sheet, &row) {
            found.entry((what, row.kernel)).or_default().push((i, ratio, truth));
        }
    }
    // Rows whose size is wrong have the grid of another size: that is said elsewhere.
    found.retain(|_, rows| rows.iter().any(|(i, ..)| !ignored.contains(i)));
    found.iter().map(|((what, kernel), rows)| kernel_finding(sheet, *what, *kernel, rows)).collect()
}

fn differences(sheet: &AuditSheet<'_>, row: &SheetRow<'_>) -> Vec<(What, f64, String)> {
    let Some(filed) = sheet.instance(row) else { return Vec::new() };
    let mut out = Vec::new();
    if let Some((grid, launch)) = row.grid.zip(filed.launch)
        && row.block == Some(launch.block)
        && !is_one_thread(row)
        && row.launched_blocks() != Some(launch.block_count())
    {
        let ratio = grid.iter().map(|g| f64::from(*g)).product::<f64>() / launch.block_count() as f64;
        out.push((What::Grid, ratio, shape(launch.grid)));
    }
    // What executed has more operations than an exponential or a root of the file.
    let executed = row.get(Number::Fp32Fma).is_some();
    if let Some((told, truth)) = row.get(Number::Flops).zip(filed.work.get(Count::Flops))
        && !executed
        && (told > BORDERS * truth || truth > BORDERS * told)
    {
        out.push((What::Flops, told / truth, format!("{truth}")));
    }
    let bytes = row.get(Number::DramBytes).zip(filed.work.get(Count::WorkingSetBytes));
    let l2 = sheet.gpu(row).map_or(0.0, |g| g.l2_size.value.0);
    // Who counted DRAM and L2 in one run counted what a small launch leaves there.
    let left = |truth: f64| if row.get(Number::L2Bytes).is_some() { l2 } else { l2.min(LEFT_IN_L2 * truth) };
    let too_few = |told: f64, truth: f64| BORDERS * told < truth && truth - told > left(truth);
    if let Some((told, truth)) = bytes.filter(|(told, truth)| too_few(*told, *truth)) {
        let truth_text = filed.work.get(Count::DramBytes).unwrap_or(truth);
        out.push((What::Bytes, told / truth, format!("{truth_text}")));
    }
    out
}

/// Whether all of the problem was one thread's: a reference (`roofswap measure --suite paper3`), whose grid is no mistake.
fn is_one_thread(row: &SheetRow<'_>) -> bool {
    row.launched_blocks() == Some(1) && row.block == Some([1; 3])
}

fn shape(grid: [u64; 3]) -> String {
    let kept = grid.iter().rposition(|n| *n != 1).map_or(1, |at| at + 1);
    grid[..kept].iter().map(u64::to_string).collect::<Vec<_>>().join("x")
}

fn kernel_finding(sheet: &AuditSheet<'_>, what: What, kernel: Word, found: &[FiledDifference]) -> Finding {
    let rows: Vec<usize> = found.iter().map(|(r, ..)| *r).collect();
    let far = |r: f64| r.max(1.0 / r);
    let (row, ratio, truth) = found.iter().max_by(|a, b| far(a.1).total_cmp(&far(b.1))).unwrap_or(&found[0]);
    let column = match what {
        What::Grid => "grid",
        What::Flops => "flops",
        What::Bytes => "dram_bytes",
    };
    let evidence = format!(
        "{column} is {} at {}, the kernel's file says {truth}: a factor of {}",
        sheet.field(*row, column),
        sheet.text_of(sheet.rows.row(*row).problem),
        significant(*ratio),
    );
    let edits = found.iter().map(|(r, _, value)| (*r, Edit::Set { column, value: value.clone() })).collect();
    let remedy = Remedy::set(format!("{column} of the kernel's file"), edits);
    let subject = sheet.text_of(kernel).to_string();
    Finding { check: CHECK.id, severity: Severity::Warning, subject, rows, evidence, remedy }
}
