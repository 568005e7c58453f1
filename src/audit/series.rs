//! One kernel on one GPU over its sizes, and what its rows would take at the roof.

use super::flat_runs::{Series, SeriesKey, WorkPoint};
use super::robust::{mean, median, range};
use super::sheet::{AuditSheet, SheetRow};
use super::words::Word;
use crate::gpu::Gpu;
use crate::measurement::Number;
use crate::occupancy::{BlockNeeds, Rules, occupancy};
use std::collections::BTreeMap;

/// How much time grows where work grows: the slope between two points on log-log paper. 1 = in proportion, 0 = not at all.
pub(super) fn elasticity(a: &WorkPoint, b: &WorkPoint) -> f64 {
    (b.time / a.time).ln() / (b.work / a.work).ln()
}

/// Every series with at least two different amounts of work.
pub(super) fn series(sheet: &AuditSheet<'_>) -> Vec<Series> {
    let mut groups: BTreeMap<SeriesKey, Vec<usize>> = BTreeMap::new();
    for (i, r) in sheet.rows.iter().enumerate() {
        let key =
            SeriesKey { file: r.file, gpu: r.gpu, kernel: r.kernel, variant: r.variant, dtype: r.dtype };
        groups.entry(key).or_default().push(i);
    }
    groups
        .into_iter()
        .filter_map(|(key, rows)| {
            let points = points(sheet, &rows);
            (points.len() >= 2).then_some(Series { key, points })
        })
        .collect()
}

/// These rows by labelled work; empty where their work is not known alike.
pub(super) fn points(sheet: &AuditSheet<'_>, rows: &[usize]) -> Vec<WorkPoint> {
    let counted = rows.iter().any(|r| {
        let row = &sheet.rows[*r];
        row.get(Number::Flops).is_some() || row.get(Number::DramBytes).is_some()
    });
    let measure = |r: &usize| {
        let row = &sheet.rows[*r];
        let volume = || sheet.row_problem(row).map(crate::kernel::Problem::volume);
        if counted { labelled_work(row) } else { volume() }.filter(|w| *w > 0.0)
    };
    let mut works: Vec<(f64, usize)> = rows.iter().filter_map(|r| Some((measure(r)?, *r))).collect();
    if works.len() < rows.len() {
        return Vec::new();
    }
    works.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut points: Vec<WorkPoint> = Vec::new();
    for (work, row) in works {
        match points.last_mut() {
            // The same amount, counted with another rounding.
            Some(p) if work <= p.work * 1.001 => p.rows.push(row),
            _ => points.push(WorkPoint { work, time: 0.0, rows: vec![row] }),
        }
    }
    for p in &mut points {
        let mut times: Vec<f64> = p.rows.iter().map(|r| sheet.rows[*r].time_ms()).collect();
        p.time = median(&mut times);
    }
    points
}

/// FLOPs and bytes as one number: the time on a machine of ten FLOPs per byte, about what GPUs have.
fn labelled_work(row: &SheetRow) -> Option<f64> {
    let (flops, bytes) = (row.get(Number::Flops), row.get(Number::DramBytes));
    flops.or(bytes)?;
    Some((flops.unwrap_or(0.0) / 10.0).max(bytes.unwrap_or(0.0)))
}

/// The FLOP/s that this element type can reach at most, at the boost clock. A row without a type, or with one that is not
/// known here, may have used any unit: a profiler's report leaves it blank where tensor cores worked.
pub(super) fn compute_peak(gpu: &Gpu, dtype: &str) -> f64 {
    let tensor = |fits: &dyn Fn(&str) -> bool| {
        let rates = gpu.tensor.iter().filter(|t| fits(&t.input)).filter_map(|t| t.dense.as_ref());
        rates.map(|d| d.value.0).fold(0.0_f64, f64::max)
    };
    let of = |input: &str| tensor(&|i| i == input);
    let fp32 = gpu.fp32_peak.value.0;
    let fp16 = gpu.fp16_peak.as_ref().map_or(0.0, |p| p.value.0);
    let fp64 = gpu.fp64_peak.as_ref().map(|p| p.value.0);
    match (dtype, fp64) {
        ("fp32", _) => fp32,
        ("fp64", Some(fp64)) => fp64.max(of("fp64")),
        ("fp16" | "bf16", _) => fp16.max(of(dtype)).max(fp32),
        ("tf32" | "fp8", _) => of(dtype).max(fp32),
        _ => tensor(&|_| true).max(fp32).max(fp16).max(fp64.unwrap_or(0.0)),
    }
}

/// The shortest time in seconds in which the labelled FLOPs and bytes can be done at the published peaks.
pub(super) fn ideal(sheet: &AuditSheet<'_>, row: &SheetRow) -> Option<f64> {
    let gpu = sheet.gpu(row)?;
    let compute = row.get(Number::Flops).map(|f| f / compute_peak(gpu, sheet.text_of(row.dtype)));
    let memory = row.get(Number::DramBytes).map(|b| b / gpu.bandwidth_peak.value.0);
    let longest = compute.unwrap_or(0.0).max(memory.unwrap_or(0.0));
    (longest > 0.0).then_some(longest)
}

/// How often the GPU is filled by this grid: blocks over the blocks that are resident at once.
pub(super) fn waves(sheet: &AuditSheet<'_>, row: &SheetRow) -> Option<f64> {
    let gpu = sheet.gpu(row)?;
    let needs = needs(row)?;
    let resident = occupancy(&gpu.cuda.limits, needs, Rules::Exact).active_blocks;
    let at_once = f64::from(resident) * f64::from(gpu.sms.value);
    (at_once > 0.0).then(|| row.launched_blocks().map(|b| b as f64 / at_once)).flatten()
}

/// What a block of this row needs, as far as the row says.
pub(super) fn needs(row: &SheetRow) -> Option<BlockNeeds> {
    let whole = |n| row.get(n).map_or(0, |v| v.min(f64::from(u32::MAX)) as u32);
    Some(BlockNeeds {
        threads: row.threads()?,
        regs_per_thread: whole(Number::RegsPerThread),
        smem_static: whole(Number::SmemStatic),
        smem_dynamic: whole(Number::SmemDynamic),
        ..BlockNeeds::default()
    })
}

/// The shortest time of each GPU in each file, in milliseconds.
pub(super) fn shortest(sheet: &AuditSheet<'_>) -> BTreeMap<(usize, Word), f64> {
    let mut all = BTreeMap::new();
    for r in &sheet.rows {
        let least = all.entry((r.file, r.gpu)).or_insert(f64::INFINITY);
        *least = r.time_ms().min(*least);
    }
    all
}

/// Mean and range of the times of these rows, in milliseconds.
pub(super) fn times(sheet: &AuditSheet<'_>, rows: &[usize]) -> (f64, f64, f64) {
    let all: Vec<f64> = rows.iter().map(|r| sheet.rows[*r].time_ms()).collect();
    let (low, high) = range(all.iter().copied());
    (mean(&all), low, high)
}

/// Milliseconds as people read them.
pub(super) fn shown_ms(ms: f64) -> String {
    crate::units::Seconds::from_millis(ms).to_string()
}
