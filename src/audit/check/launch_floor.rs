//! The launch floor of each GPU: the common minimum on which small rows sit.
//!
//! A floor is where several kernels agree: the smallest time above which, within a quarter, at least three rows of two
//! kernels lie that the roofs explain less than a third of, and no more than twice the shortest time. Rows within one and a
//! half times of it are mostly launch. Rows of ignored sizes say nothing of it; refused launches are the bare floor.

use super::super::rows::SheetRow;
use super::super::series::{compute_peak, shown_ms};
use super::super::sheet::AuditSheet;
use super::super::words::Word;
use super::super::{AuditCheck, Finding, Remedy, Severity};
use super::{ignored_size, impossible_launch};
use crate::measurement::Number;
use std::collections::{BTreeMap, HashMap, HashSet};

const TOGETHER: f64 = 1.25;
const ON_IT: f64 = 1.5;
const EXPLAINED: f64 = 1.0 / 3.0;
const NEAR_SHORTEST: f64 = 2.0;
const ROWS: usize = 3;
const KERNELS: usize = 2;
/// What is longer is no launch floor: frameworks' dispatch reaches some tens of microseconds.
const LONGEST_MS: f64 = 0.1;

pub(in super::super) const CHECK: AuditCheck = AuditCheck {
    id: "launch-floor",
    title: "small rows are mostly launch overhead",
    harm: "their time says nothing of the kernel; scaled by a roof it is wrong by as much as the floors differ",
    run: launch_floor_findings,
};

fn launch_floor_findings(sheet: &AuditSheet<'_>) -> Vec<Finding> {
    let mut out = ignored_size::fixed_rows(sheet).clone();
    let refused: Vec<usize> =
        (impossible_launch::CHECK.run)(sheet).into_iter().flat_map(|f| f.rows).collect();
    out.extend(&refused);
    let mut gpus: BTreeMap<(usize, Word), Vec<usize>> = BTreeMap::new();
    let short = |r: &SheetRow<'_>| r.time_ms() <= LONGEST_MS;
    for (i, r) in sheet.rows.iter().enumerate().filter(|(i, r)| short(r) && !out.contains(i)) {
        gpus.entry((r.file, r.gpu)).or_default().push(i);
    }
    gpus.into_values().filter_map(|rows| floor(sheet, rows, &refused)).collect()
}

/// Milliseconds that DRAM needs for what L2 cannot hold, or the lanes for the FLOPs.
fn explained(sheet: &AuditSheet<'_>, row: &SheetRow<'_>) -> f64 {
    let Some(gpu) = sheet.gpu(row) else { return 0.0 };
    let beyond = row.get(Number::DramBytes).map_or(0.0, |b| (b - gpu.l2_size.value.0).max(0.0));
    let flops = row.get(Number::Flops).unwrap_or(0.0);
    let compute = flops / compute_peak(gpu, sheet.text_of(row.dtype));
    1e3 * compute.max(beyond / gpu.bandwidth_peak.value.0)
}

/// The first of these rows, sorted by time, from which on enough rows of enough kernels lie together; one of the first `near`.
fn first_agreement(sheet: &AuditSheet<'_>, rows: &[usize], near: usize) -> Option<usize> {
    let time = |at: usize| sheet.rows.row(rows[at]).time_ms();
    let kernel = |at: usize| sheet.rows.row(rows[at]).kernel;
    let mut together: HashMap<Word, usize> = HashMap::new();
    let mut end = 0;
    for start in 0..near {
        while end < rows.len() && time(end) <= TOGETHER * time(start) {
            *together.entry(kernel(end)).or_default() += 1;
            end += 1;
        }
        if end - start >= ROWS && together.len() >= KERNELS {
            return Some(start);
        }
        // The window moves on: the row at its start leaves.
        let left = together.get_mut(&kernel(start)).map(|count| {
            *count -= 1;
            *count
        });
        if left == Some(0) {
            together.remove(&kernel(start));
        }
    }
    None
}

fn floor(sheet: &AuditSheet<'_>, mut rows: Vec<usize>, refused: &[usize]) -> Option<Finding> {
    let time = |r: usize| sheet.rows.row(r).time_ms();
    rows.sort_by(|a, b| time(*a).total_cmp(&time(*b)));
    let shortest = time(*rows.first()?);
    rows.retain(|r| explained(sheet, &sheet.rows.row(*r)) < EXPLAINED * time(*r));
    let near = rows.partition_point(|r| time(*r) <= NEAR_SHORTEST * shortest);
    let start = first_agreement(sheet, &rows, near)?;
    let floor = time(rows[start]);
    let end = rows.partition_point(|r| time(*r) <= ON_IT * floor);
    let on: Vec<usize> = rows[start..end].to_vec();
    let kernels: HashSet<Word> = on.iter().map(|r| sheet.rows.row(*r).kernel).collect();
    let here = |r: &&usize| sheet.rows.row(**r).gpu == sheet.rows.row(on[0]).gpu;
    let bare = refused.iter().filter(here).map(|r| time(*r)).reduce(f64::min);
    let evidence = format!(
        "floor about {}: {} rows of {} kernels lie between {} and {}{}",
        shown_ms(floor),
        on.len(),
        kernels.len(),
        shown_ms(time(on[0])),
        shown_ms(time(on[on.len() - 1])),
        bare.map_or(String::new(), |ms| format!("; a refused launch returns after {}", shown_ms(ms))),
    );
    Some(Finding {
        check: CHECK.id,
        severity: Severity::Note,
        subject: sheet.text_of(sheet.rows.row(on[0]).gpu).to_string(),
        rows: on,
        evidence,
        remedy: Remedy::leave("true times, mostly of the launch"),
    })
}
