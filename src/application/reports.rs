//! Reports of profilers without a time line, as an application: the kernel summary of `nsys stats`, ncu and nvprof reports.

use super::category::KernelCategory;
use super::group::{GroupCounts, KernelGroup, set_shares};
use super::recorded::Application;
use super::trace::TraceFormat;
use crate::import::Imported;
use crate::measurement::{CanonicalRow, Number, ReadError};
use crate::units::Seconds;

/// The application of these rows: one group each, with its calls where the report states them.
///
/// # Errors
/// [`ReadError`] where there are none, or they are of several GPUs.
pub(super) fn application_of_rows(imported: &Imported, file: &str) -> Result<Application, ReadError> {
    let refuse = |message: &str| ReadError { file: file.to_string(), message: message.to_string() };
    let first = imported.rows.first().ok_or_else(|| refuse("has no kernel with a time"))?;
    if imported.rows.iter().any(|r| r.gpu != first.gpu) {
        return Err(refuse("holds several GPUs; an application ran on one: give a report of each"));
    }
    let mut groups: Vec<KernelGroup> = Vec::new();
    for row in &imported.rows {
        let group = group_of_row(row);
        match groups.iter_mut().find(|known| is_same_launch(known, &group)) {
            Some(known) => {
                known.calls += group.calls;
                known.total.0 += group.total.0;
                known.profiled = group.profiled;
            }
            None => groups.push(group),
        }
    }
    groups.sort_by(|a, b| b.total.0.total_cmp(&a.total.0).then(a.name.cmp(&b.name)));
    set_shares(&mut groups);
    let mut remarks = imported.remarks.clone();
    if imported.refused_count > 0 {
        remarks.push(format!("{} rows were refused; roofswap import says why", imported.refused_count));
    }
    remarks.push("no time line in this file: totals of kernels only, no idle time, no copies".into());
    Ok(Application {
        file: file.to_string(),
        format: TraceFormat::Report,
        gpu_name: first.gpu.clone(),
        device_index: 0,
        devices: Vec::new(),
        peak_memory: None,
        kernel_count: groups.iter().map(|g| g.calls).sum(),
        kernel_sum: Seconds(groups.iter().map(|g| g.total.0).sum()),
        groups,
        copies: Vec::new(),
        timeline: None,
        activities: Vec::new(),
        calls: Vec::new(),
        range: None,
        ranges: Vec::new(),
        step: None,
        remarks,
    })
}

/// Whether both are one kernel at one size, launched alike.
fn is_same_launch(a: &KernelGroup, b: &KernelGroup) -> bool {
    let asked = |g: &KernelGroup| {
        g.profiled.as_ref().map(|r| (r.kernel.clone(), r.problem.clone(), r.variant.clone()))
    };
    (&a.name, a.grid, a.block) == (&b.name, b.grid, b.block) && asked(a) == asked(b)
}

fn group_of_row(row: &CanonicalRow) -> KernelGroup {
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
        profiled: Some(Box::new(row.clone())),
        ..KernelGroup::unlaunched(name, KernelCategory::of_names(name, ""))
    }
}

/// What the profiler counted.
fn counted(row: &CanonicalRow) -> Option<GroupCounts> {
    let (flops, dram_bytes) = (row.get(Number::Flops), row.get(Number::DramBytes));
    flops.or(dram_bytes).map(|_| GroupCounts { flops, dram_bytes, from: "profiler".into() })
}
