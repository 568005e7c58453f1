//! An application for programs: one object, numbers in full precision. Names of keys are part of the interface.

use super::group::KernelGroup;
use super::recorded::Application;
use super::timeline::Timeline;
use serde_json::{Value, json};

/// The object of `roofswap app --format json`. `source_gpu` is the catalogue's id of its GPU, `targets` the predictions.
#[must_use]
pub fn application_json(application: &Application, source_gpu: Option<&str>, targets: Vec<Value>) -> Value {
    let line = application.timeline.as_ref();
    let millis = |of: fn(&Timeline) -> i64| line.map(|l| of(l) as f64 / 1e6);
    json!({
        "file": application.file,
        "format": application.format.words(),
        "source_gpu": source_gpu.unwrap_or(&application.gpu_name),
        "gpu_name": application.gpu_name,
        "device_index": application.device_index,
        "range": application.range,
        "kernel_count": application.kernel_count,
        "kernel_sum_ms": application.groups_total().millis(),
        "busy_ms": millis(|l| l.busy),
        "copy_ms": application.copy_time().millis(),
        "window_ms": millis(|l| l.window.nanoseconds()),
        "idle_percent": line.map(|l| 100.0 * l.idle_share()),
        "kernels_busy_ms": millis(|l| l.kernels),
        "copy_only_ms": millis(|l| l.copy_only),
        "idle_launch_gap_ms": millis(|l| l.idle.launch_gap),
        "idle_host_ms": millis(|l| l.idle.host),
        "idle_synchronisation_ms": millis(|l| l.idle.synchronisation),
        "idle_unknown_ms": millis(|l| l.idle.unknown),
        "copies": application.copies.iter().map(|c| json!({
            "direction": c.direction.as_str(),
            "count": c.count,
            "bytes": c.bytes.map(|b| b.0),
            "total_ms": c.total.millis(),
        })).collect::<Vec<_>>(),
        "step": application.step.as_ref().map(|s| json!({
            "name": s.name,
            "count": s.count,
            "median_ms": s.median * 1e-6,
            "spread_percent": 100.0 * s.spread,
        })),
        "remarks": application.remarks,
        "groups": application.groups.iter().map(group_json).collect::<Vec<_>>(),
        "targets": targets,
    })
}

fn group_json(group: &KernelGroup) -> Value {
    let counts = group.counts.as_ref();
    json!({
        "name": group.name,
        "operator": group.operator.as_ref().map(|o| &o.name),
        "input_shapes": group.operator.as_ref().map(|o| &o.inputs.shapes),
        "category": group.category.as_str(),
        "calls": group.calls,
        "total_ms": group.total.millis(),
        "share_percent": 100.0 * group.share,
        "block": group.block,
        "grid": group.grid,
        "regs_per_thread": group.registers,
        "shared_bytes": group.shared_bytes,
        "flops": counts.and_then(|c| c.flops),
        "dram_bytes": counts.and_then(|c| c.dram_bytes),
        "counts_from": counts.map(|c| &c.from),
    })
}
