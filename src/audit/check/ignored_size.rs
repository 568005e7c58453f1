//! Time that does not change while the labelled work grows: the program ignored its size argument.
//!
//! Flat time alone proves nothing: a launch floor is flat, and so is a kernel that does not fill the GPU. A flat run of
//! sizes is called an error where one of these says that the labelled work cannot have been done:
//! the largest label needs more time at the published peaks than was measured; the grids labelled differ by whole waves;
//! the grid is the same while the work grows, so that each thread had more to do; another GPU's time of the same kernel
//! grows over the same sizes. A floor at the small end, left as the sizes grow, is never called so unless a roof is broken.

use super::super::flat_runs::{FlatRun, FlatRuns, Series, SeriesKey, WorkPoint, WorkPoints};
use super::super::rows::SheetRow;
use super::super::series::{
    OVER_COMPUTE, elasticity, ideal, rows_by_kernel, series, shortest, shown_ms, waves,
};
use super::super::sheet::AuditSheet;
use super::super::words::Word;
use super::super::{AuditCheck, Finding, Severity};
use super::true_size::remedies;
use crate::measurement::Number;
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

/// log-log slope below which time counts as flat: 64 times the work may then cost at most a half more time.
const FLAT: f64 = 0.1;

/// Least growth of the labelled work over a flat run; below it noise and cache effects can hide a slope.
const GROWTH: f64 = 4.0;

/// log-log slope from which another GPU counts as following the size.
const GROWS: f64 = 0.5;

/// A flat run must take this many times the shortest time of its GPU, or it may be a launch floor.
const ABOVE_FLOOR: f64 = 3.0;

/// A last step of less than this is noise.
const STEP: f64 = 0.03;

/// A step that follows the size is longer than the one before by at least this factor.
const STEEPER: f64 = 1.5;

/// Dispatch floors of frameworks reach some tens of microseconds; what is longer than this is no launch floor.
const LONGEST_FLOOR_MS: f64 = 0.025;

pub(in super::super) const CHECK: AuditCheck = AuditCheck {
    id: "ignored-size",
    title: "time does not change while the labelled work grows",
    harm: "FLOPs, bytes and grid of these rows belong to another run: every efficiency from them is wrong by the ratio of the sizes",
    run: |sheet| {
        let flat = flat_runs(sheet);
        remedies(sheet, &flat.series, &flat.runs)
            .into_iter()
            .map(|(run, remedy)| run_finding(sheet, &run, remedy))
            .collect()
    },
};

fn flat_runs<'s>(sheet: &'s AuditSheet<'_>) -> &'s FlatRuns {
    sheet.flat.get_or_init(|| {
        let shortest = shortest(sheet);
        let (mut beside, mut found) = (Vec::new(), Vec::new());
        let (mut of_kernel, mut last) = (Vec::new(), None);
        // One kernel after another: its series take several times the room of its rows.
        for (key, rows) in rows_by_kernel(sheet) {
            let kernel = Some((key.kernel, key.variant));
            if std::mem::replace(&mut last, kernel) != kernel {
                keep_beside_runs(&mut of_kernel, &found, &mut beside);
            }
            let series = series(sheet, key, rows);
            found.extend(runs(sheet, &series, &shortest));
            of_kernel.extend(series);
        }
        keep_beside_runs(&mut of_kernel, &found, &mut beside);
        found.sort_by_key(|run| run.key);
        FlatRuns::new(beside, found)
    })
}

/// Moves the series of one kernel and variant to those that are kept, where the last of these runs is one of them.
fn keep_beside_runs(series: &mut Vec<Series>, runs: &[FlatRun], kept: &mut Vec<Series>) {
    let of_kernel = |key: &SeriesKey| (key.kernel, key.variant);
    let has_run = runs.last().map(|run| of_kernel(&run.key)) == series.first().map(|s| of_kernel(&s.key));
    if has_run && !series.is_empty() {
        kept.append(series);
    }
    series.clear();
}

/// Every row that some flat run holds.
pub(super) fn fixed_rows<'s>(sheet: &'s AuditSheet<'_>) -> &'s HashSet<usize> {
    &flat_runs(sheet).rows
}

/// The runs of these series of one kernel, variant and element type.
fn runs(sheet: &AuditSheet<'_>, all: &[Series], shortest: &BTreeMap<(usize, Word), f64>) -> Vec<FlatRun> {
    let run = |s: &Series| {
        let floor = shortest[&(s.key.file, s.key.gpu)].min(LONGEST_FLOOR_MS) * ABOVE_FLOOR;
        let (points, is_last) = longest_flat(&s.of.points)?;
        let of = s.of.part(points);
        let reason = reason(sheet, &of, is_last, floor, all)?;
        Some(FlatRun { key: s.key, of, reason })
    };
    all.iter().filter_map(run).collect()
}

/// The longest run of points over which time is flat, and whether it reaches the largest size.
fn longest_flat(points: &[WorkPoint]) -> Option<(Range<usize>, bool)> {
    let most = points.last()?.work;
    let mut best: Option<(usize, usize)> = None;
    for (start, first) in points.iter().enumerate() {
        // What is left is no longer than what was found.
        if best.is_some_and(|(s, e)| points.len() - 1 - start <= e - s) {
            break;
        }
        let (mut low, mut high) = (first.time, first.time);
        for (end, p) in points.iter().enumerate().skip(start + 1) {
            (low, high) = (low.min(p.time), high.max(p.time));
            // Not even the largest size would make this spread flat.
            if high > low * (most / first.work).powf(FLAT) {
                break;
            }
            // No time between may leave the band that the flat slope allows over the whole run.
            let flat = p.work >= GROWTH * first.work && high <= low * (p.work / first.work).powf(FLAT);
            if flat && best.is_none_or(|(s, e)| end - start > e - s) {
                best = Some((start, end));
            }
        }
    }
    best.map(|(s, e)| (s..e + 1, e + 1 == points.len()))
}

fn reason(
    sheet: &AuditSheet<'_>,
    of: &WorkPoints,
    is_last: bool,
    floor_ms: f64,
    others: &[Series],
) -> Option<String> {
    let points = &of.points;
    let (first, last) = (&points[0], &points[points.len() - 1]);
    let [a, b] = [first, last].map(|point| sheet.rows.row(of.first_row(point)));
    if let Some(reason) = breaks_roof(sheet, &b) {
        return Some(reason);
    }
    if points.len() < 3 || !is_last || first.time < floor_ms || still_grows(points) {
        return None;
    }
    let growth = last.work / first.work;
    if let Some((w, v)) = waves(sheet, &b).zip(waves(sheet, &a))
        && w >= 2.0
        && w >= GROWTH * v.ceil()
    {
        return Some(format!("the grids labelled fill the GPU {:.1} and {w:.1} times", v));
    }
    if a.grid.is_some() && a.grid == b.grid && a.block == b.block {
        return Some(format!("the grid stays the same while the labelled work grows {growth:.0}-fold"));
    }
    let follows = |s: &&Series| s.key.gpu != a.gpu && grows_between(s, first.work, last.work);
    let other = others.iter().find(follows)?;
    Some(format!("on {} the same sizes take time in proportion", sheet.text_of(other.key.gpu)))
}

/// Whether the last steps grow like work upon a floor: then time follows the size, and the floor hides it.
fn still_grows(points: &[WorkPoint]) -> bool {
    let [.., a, b, c] = points else { return false };
    let (before, last) = (b.time - a.time, c.time - b.time);
    last > STEP * b.time && last > STEEPER * before
}

/// Whether the largest label would need more time than was measured, at the peaks and with all of L2 full of its data.
fn breaks_roof(sheet: &AuditSheet<'_>, row: &SheetRow<'_>) -> Option<String> {
    let gpu = sheet.gpu(row)?;
    let beyond_cache = row.get(Number::DramBytes).unwrap_or(0.0) - gpu.l2_size.value.0;
    let memory = beyond_cache.max(0.0) / gpu.bandwidth_peak.value.0;
    let compute = row.get(Number::Flops).filter(|f| *f > 0.0).and_then(|_| ideal(sheet, row));
    let bytes_alone = row.get(Number::DramBytes).unwrap_or(0.0) / gpu.bandwidth_peak.value.0;
    let needed = compute.filter(|c| *c > bytes_alone).unwrap_or(0.0).max(memory);
    (needed > OVER_COMPUTE * row.seconds()).then(|| {
        format!("the largest label needs at least {} at the published peaks", shown_ms(needed * 1e3))
    })
}

/// Whether this series has points in the range that follow the size.
fn grows_between(s: &Series, low: f64, high: f64) -> bool {
    let inside: Vec<&WorkPoint> =
        s.of.points.iter().filter(|p| p.work >= low * 0.999 && p.work <= high * 1.001).collect();
    inside
        .first()
        .zip(inside.last())
        .is_some_and(|(a, b)| b.work >= GROWTH * a.work && elasticity(a, b) >= GROWS)
}

fn run_finding(sheet: &AuditSheet<'_>, run: &FlatRun, remedy: super::super::Remedy) -> Finding {
    let points = &run.of.points;
    let (first, last) = (&points[0], &points[points.len() - 1]);
    let size = |p: &WorkPoint| sheet.text_of(sheet.rows.row(run.of.first_row(p)).problem).to_string();
    let evidence = format!(
        "{} at {}, {} at {}: the labelled work grows {:.0}-fold, the time {:.2}-fold; {}",
        shown_ms(first.time),
        size(first),
        shown_ms(last.time),
        size(last),
        last.work / first.work,
        last.time / first.time,
        run.reason
    );
    Finding {
        check: CHECK.id,
        severity: Severity::Error,
        subject: format!("{}, {}", sheet.text_of(run.key.gpu), sheet.text_of(run.key.kernel)),
        rows: run.row_places(),
        evidence,
        remedy,
    }
}
