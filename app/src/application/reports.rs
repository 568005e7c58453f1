//! Reports of profilers without a time line, as an application: the kernel summary of `nsys stats`, ncu and nvprof reports.

use super::category::KernelCategory;
use super::group::{GroupCounts, KernelGroup, ProfiledRow, set_labels, set_shares};
use super::recorded::Application;
use super::trace::TraceFormat;
use crate::import::{Imported, NAMES_NO_GPU};
use crate::measurement::{CanonicalRow, Number, ReadError};
use crate::units::Seconds;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

const NO_TIMES: &str = "counts of kernels without their times: an application needs the time of each; give a trace of the same \
                        program (nvprof --print-gpu-trace, or ncu with gpu__time_duration.sum)";

/// The application of these rows: one group each, with its calls where the report states them.
///
/// # Errors
/// [`ReadError`] where there are none, or they are of several GPUs.
pub(super) fn application_of_rows(imported: Imported, file: &str) -> Result<Application, ReadError> {
    let refuse = |message: &str| ReadError { file: file.to_string(), message: message.to_string() };
    let first = imported.rows.iter().next().ok_or_else(|| refuse("has no kernel with a time"))?;
    if imported.rows.gpus().iter().any(|name| *name != first.gpu) {
        return Err(refuse("holds several GPUs; an application ran on one: give a report of each"));
    }
    let all = imported.rows.len();
    let mut without_time = 0;
    let mut groups: Vec<KernelGroup> = Vec::new();
    // A report may have as many kernels as rows.
    let mut places = HashMap::new();
    let mut rows = imported.rows.reader();
    let mut place = 0;
    while let Some(row) = rows.next_row() {
        let group = group_of_row(row, place);
        place += 1;
        if row.get(Number::Time).is_none() {
            without_time += 1;
            continue;
        }
        match places.entry(launch_key(&group, row)) {
            Entry::Occupied(place) => {
                let known: &mut KernelGroup = &mut groups[*place.get()];
                known.calls += group.calls;
                known.total.0 += group.total.0;
                known.profiled = group.profiled;
            }
            Entry::Vacant(place) => {
                place.insert(groups.len());
                groups.push(group);
            }
        }
    }
    if groups.is_empty() {
        return Err(refuse(NO_TIMES));
    }
    groups.sort_by(|a, b| b.total.0.total_cmp(&a.total.0).then(a.name.cmp(&b.name)));
    set_shares(&mut groups);
    set_labels(&mut groups);
    // Which GPU an application ran on is asked when it is carried to another one.
    let mut remarks: Vec<String> =
        imported.remarks.iter().filter(|remark| *remark != NAMES_NO_GPU).cloned().collect();
    if imported.refused_count > 0 {
        remarks.push(format!("{} rows were refused; roofswap import says why", imported.refused_count));
    }
    if without_time > 0 {
        remarks.push(format!("{without_time} of {all} kernels have no time and are left out"));
    }
    remarks.push("no time line in this file: totals of kernels only, no idle time, no copies".into());
    Ok(Application {
        file: file.to_string(),
        format: TraceFormat::Report,
        gpu_name: first.gpu.clone(),
        gpu_sms: None,
        gpu_memory: None,
        device_index: 0,
        devices: Vec::new(),
        peak_memory: None,
        kernel_count: groups.iter().map(|g| g.calls).sum(),
        groups,
        copies: Vec::new(),
        timeline: None,
        activities: Vec::new(),
        calls: Vec::new(),
        range: None,
        ranges: Vec::new(),
        step: None,
        rows: Some(Arc::new(imported.rows)),
        remarks,
    })
}

/// What makes two rows launches of one group: one kernel at one size, launched alike.
fn launch_key(group: &KernelGroup, row: &CanonicalRow) -> LaunchKey {
    let texts = [&group.name, &row.kernel, &row.problem, &row.variant].map(Clone::clone);
    (texts, group.grid, group.block)
}

type LaunchKey = ([String; 4], Option<[u32; 3]>, Option<[u32; 3]>);

fn group_of_row(row: &CanonicalRow, place: usize) -> KernelGroup {
    let calls = row.attributes.get("calls").and_then(|c| c.parse::<u64>().ok()).unwrap_or(1);
    let name = row.attributes.get("kernel_signature").unwrap_or(&row.kernel);
    let mean = Seconds::from_millis(row.get(Number::Time).unwrap_or(0.0));
    let shape = |s: Option<[u64; 3]>| s.map(|s| s.map(|n| u32::try_from(n).unwrap_or(u32::MAX)));
    let whole = |n: Number| row.get(n).filter(|v| *v <= f64::from(u32::MAX)).map(|v| v as u32);
    let shared = [Number::SmemStatic, Number::SmemDynamic].map(whole);
    KernelGroup {
        block: shape(row.block),
        grid: shape(row.grid),
        registers: whole(Number::RegsPerThread).and_then(|n| u16::try_from(n).ok()).filter(|n| *n > 0),
        shared_bytes: shared.iter().any(Option::is_some).then(|| shared.iter().flatten().sum()),
        calls,
        total: Seconds(mean.0 * calls as f64),
        counts: counted(row),
        profiled: Some(ProfiledRow::from_row(row, place)),
        ..KernelGroup::unlaunched(name, KernelCategory::of_names(name, ""))
    }
}

/// What the profiler counted.
fn counted(row: &CanonicalRow) -> Option<GroupCounts> {
    let (flops, dram_bytes) = (row.get(Number::Flops), row.get(Number::DramBytes));
    let from = "profiler".to_string();
    flops.or(dram_bytes).map(|_| GroupCounts { flops, dram_bytes, touched_bytes: None, from })
}
