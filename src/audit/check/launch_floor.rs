//! The launch floor of each GPU: the common minimum on which small rows sit.
//!
//! A floor is where several kernels agree: the smallest time above which, within a quarter, at least three rows of two
//! kernels lie. Rows within one and a half times of it are mostly launch. Rows of ignored sizes and refused launches say
//! nothing of it.

use super::super::series::shown_ms;
use super::super::sheet::{Sheet, Word};
use super::super::{Check, Finding, Remedy, Severity};
use super::{ignored_size, impossible_launch};
use std::collections::{BTreeMap, HashSet};

const TOGETHER: f64 = 1.25;
const ON_IT: f64 = 1.5;
const ROWS: usize = 3;
const KERNELS: usize = 2;
/// What is longer is no launch floor: frameworks' dispatch reaches some tens of microseconds.
const LONGEST_MS: f64 = 0.1;

pub(in super::super) const CHECK: Check = Check {
    id: "launch-floor",
    title: "small rows sit on the GPU's launch floor",
    harm: "their time says nothing of the kernel; scaled by a roof it is wrong by as much as the floors differ",
    run,
};

fn run(sheet: &Sheet<'_>) -> Vec<Finding> {
    let mut out = ignored_size::rows(sheet);
    out.extend((impossible_launch::CHECK.run)(sheet).into_iter().flat_map(|f| f.rows));
    let mut gpus: BTreeMap<(usize, Word), Vec<usize>> = BTreeMap::new();
    for (i, r) in sheet.rows.iter().enumerate().filter(|(i, _)| !out.contains(i)) {
        gpus.entry((r.file, r.gpu)).or_default().push(i);
    }
    gpus.into_values().filter_map(|rows| floor(sheet, rows)).collect()
}

fn floor(sheet: &Sheet<'_>, mut rows: Vec<usize>) -> Option<Finding> {
    let time = |r: usize| sheet.rows[r].time_ms();
    rows.sort_by(|a, b| time(*a).total_cmp(&time(*b)));
    rows.truncate(rows.partition_point(|r| time(*r) <= LONGEST_MS));
    let agree = |start: &usize| {
        let end = rows.partition_point(|r| time(*r) <= TOGETHER * time(rows[*start]));
        let kernels: HashSet<Word> = rows[*start..end].iter().map(|r| sheet.rows[*r].kernel).collect();
        end - start >= ROWS && kernels.len() >= KERNELS
    };
    let start = (0..rows.len()).find(agree)?;
    let floor = time(rows[start]);
    let end = rows.partition_point(|r| time(*r) <= ON_IT * floor);
    let on: Vec<usize> = rows[..end].to_vec();
    let kernels: HashSet<Word> = on.iter().map(|r| sheet.rows[*r].kernel).collect();
    let evidence = format!(
        "floor about {}: {} rows of {} kernels lie between {} and {}",
        shown_ms(floor),
        on.len(),
        kernels.len(),
        shown_ms(time(on[0])),
        shown_ms(time(on[on.len() - 1])),
    );
    Some(Finding {
        check: CHECK.id,
        severity: Severity::Note,
        subject: sheet.text(sheet.rows[on[0]].gpu).to_string(),
        rows: on,
        evidence,
        remedy: Remedy::leave("true times, mostly of the launch"),
    })
}
