//! One kernel on one GPU over its sizes, and what its rows would take at the roof.

use super::flat_runs::{Series, SeriesKey, WorkPoint, WorkPoints};
use super::robust::{mean, median, range};
use super::rows::SheetRow;
use super::sheet::AuditSheet;
use super::words::Word;
use crate::gpu::Gpu;
use crate::kernel::Launch;
use crate::measurement::Number;
use crate::occupancy::{Rules, StatedLaunch, occupancy};
use std::collections::BTreeMap;

/// How much time grows where work grows: the slope between two points on log-log paper. 1 = in proportion, 0 = not at all.
pub(super) fn elasticity(a: &WorkPoint, b: &WorkPoint) -> f64 {
    (b.time / a.time).ln() / (b.work / a.work).ln()
}

/// The rows of one kernel in one variant and element type, whose series are looked at beside each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SeriesKernel {
    pub(super) kernel: Word,
    pub(super) variant: Word,
    dtype: Word,
}

/// The rows of the sheet by kernel, variant and element type.
pub(super) fn rows_by_kernel(sheet: &AuditSheet<'_>) -> BTreeMap<SeriesKernel, Vec<u32>> {
    let mut groups: BTreeMap<SeriesKernel, Vec<u32>> = BTreeMap::new();
    for (row, r) in (0..).zip(sheet.rows.iter()) {
        let key = SeriesKernel { kernel: r.kernel, variant: r.variant, dtype: r.dtype };
        groups.entry(key).or_default().push(row);
    }
    groups
}

/// Every series of these rows of one kernel with at least two different amounts of work, by file and GPU.
pub(super) fn series(sheet: &AuditSheet<'_>, key: SeriesKernel, rows: Vec<u32>) -> Vec<Series> {
    let SeriesKernel { kernel, variant, dtype } = key;
    let mut groups: BTreeMap<SeriesKey, Vec<u32>> = BTreeMap::new();
    for row in rows {
        let r = sheet.rows.row(row as usize);
        let key = SeriesKey { file: r.file, gpu: r.gpu, kernel, variant, dtype };
        groups.entry(key).or_default().push(row);
    }
    let one = |(key, rows): (SeriesKey, Vec<u32>)| {
        let of = points(sheet, rows.into_iter());
        (of.points.len() >= 2).then_some(Series { key, of })
    };
    groups.into_iter().filter_map(one).collect()
}

/// These rows by labelled work; empty where their work is not known alike.
pub(super) fn points(sheet: &AuditSheet<'_>, rows: impl Iterator<Item = u32> + Clone) -> WorkPoints {
    let row_at = |row: u32| sheet.rows.row(row as usize);
    let is_counted =
        |row: &SheetRow<'_>| row.get(Number::Flops).is_some() || row.get(Number::DramBytes).is_some();
    let counted = rows.clone().any(|row| is_counted(&row_at(row)));
    let measure = |row: &SheetRow<'_>| {
        let volume = || sheet.row_problem(row).map(|problem| problem.volume());
        if counted { labelled_work(row) } else { volume() }.filter(|w| *w > 0.0)
    };
    let mut works: Vec<RowWork> = Vec::new();
    for row in rows {
        let Some(work) = measure(&row_at(row)) else { return WorkPoints::default() };
        works.push(RowWork { work, row });
    }
    points_of_works(sheet, works)
}

fn points_of_works(sheet: &AuditSheet<'_>, mut works: Vec<RowWork>) -> WorkPoints {
    works.sort_unstable_by(|a, b| { a.work }.total_cmp(&{ b.work }).then({ a.row }.cmp(&{ b.row })));
    let mut points = WorkPoints::default();
    for RowWork { work, row } in works {
        // The same amount, counted with another rounding.
        points.push(work, row, |last| work <= last * 1.001);
    }
    points.set_times(|rows| median(&mut rows.map(|row| sheet.rows.row(row).time_ms()).collect::<Vec<_>>()));
    points
}

/// A row and its labelled work; packed, as there may be millions.
#[derive(Debug, Clone, Copy)]
#[repr(C, packed(4))]
struct RowWork {
    work: f64,
    row: u32,
}

/// FLOPs and bytes as one number: the time on a machine of ten FLOPs per byte, about what GPUs have.
fn labelled_work(row: &SheetRow<'_>) -> Option<f64> {
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

/// How many times more FLOPs than at its stated clock a board is believed to do: it may hold up to a quarter above its rated boost.
pub(super) const OVER_COMPUTE: f64 = 1.3;

/// The shortest time in seconds in which the labelled FLOPs and bytes can be done at the published peaks.
pub(super) fn ideal(sheet: &AuditSheet<'_>, row: &SheetRow<'_>) -> Option<f64> {
    let gpu = sheet.gpu(row)?;
    let compute = row.get(Number::Flops).map(|f| f / compute_peak(gpu, sheet.text_of(row.dtype)));
    let memory = row.get(Number::DramBytes).map(|b| b / gpu.bandwidth_peak.value.0);
    let longest = compute.unwrap_or(0.0).max(memory.unwrap_or(0.0));
    (longest > 0.0).then_some(longest)
}

/// How often the GPU is filled by this grid: blocks over the blocks that are resident at once.
pub(super) fn waves(sheet: &AuditSheet<'_>, row: &SheetRow<'_>) -> Option<f64> {
    let gpu = sheet.gpu(row)?;
    row.block?;
    let needs = stated_launch(row).needs();
    let resident = occupancy(&gpu.cuda.limits, needs, Rules::Exact).active_blocks;
    let at_once = f64::from(resident) * f64::from(gpu.sms.value);
    (at_once > 0.0).then(|| row.launched_blocks().map(|b| b as f64 / at_once)).flatten()
}

/// The launch of this row, as far as it says.
pub(super) fn stated_launch(row: &SheetRow<'_>) -> StatedLaunch {
    let whole = |n| row.get(n).map(|v| v.min(f64::from(u32::MAX)) as u32);
    StatedLaunch {
        threads: row.threads(),
        regs_per_thread: whole(Number::RegsPerThread),
        smem_static: whole(Number::SmemStatic),
        smem_dynamic: whole(Number::SmemDynamic),
        launch: row.block.zip(row.grid).map(|(block, grid)| Launch { block, grid: grid.map(u64::from) }),
    }
}

/// The shortest time of each GPU in each file, in milliseconds.
pub(super) fn shortest(sheet: &AuditSheet<'_>) -> BTreeMap<(usize, Word), f64> {
    let mut all = BTreeMap::new();
    for r in sheet.rows.iter() {
        let least = all.entry((r.file, r.gpu)).or_insert(f64::INFINITY);
        *least = r.time_ms().min(*least);
    }
    all
}

/// Mean and range of the times of these rows, in milliseconds.
pub(super) fn times(sheet: &AuditSheet<'_>, rows: &[usize]) -> (f64, f64, f64) {
    let all: Vec<f64> = rows.iter().map(|r| sheet.rows.row(*r).time_ms()).collect();
    let (low, high) = range(all.iter().copied());
    (mean(&all), low, high)
}

/// Milliseconds as people read them.
pub(super) fn shown_ms(ms: f64) -> String {
    crate::units::Seconds::from_millis(ms).to_string()
}
