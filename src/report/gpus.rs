//! The GPU catalogue: one row per GPU, or one GPU with every number and where it comes from.

use super::cell::Cell;
use super::table::{Column, Table};
use crate::catalogue::{SourceTable, Sourced};
use crate::gpu::{Gpu, Limits};
use crate::units::significant;

/// One row per GPU.
#[must_use]
pub fn list<'a>(gpus: impl IntoIterator<Item = &'a Gpu>) -> Table {
    let mut table = Table::new(vec![
        Column::left("id"),
        Column::left("name"),
        Column::left("architecture"),
        Column::right("compute_capability"),
        Column::right("sms"),
        Column::right("boost_mhz"),
        Column::right("fp32_tflops"),
        Column::right("dram_gb_per_s"),
        Column::right("dram_achieved_gb_per_s"),
        Column::right("l2_mib"),
        Column::right("power_w"),
        Column::right("year"),
    ]);
    table.rows = gpus.into_iter().map(row).collect();
    table
}

/// [`list`] for people: headings as datasheets write them.
#[must_use]
pub fn overview<'a>(gpus: impl IntoIterator<Item = &'a Gpu>) -> Table {
    list(gpus).renamed(&[
        ("compute_capability", "CC"),
        ("sms", "SMs"),
        ("boost_mhz", "boost MHz"),
        ("fp32_tflops", "FP32 TFLOPS"),
        ("dram_gb_per_s", "DRAM GB/s"),
        ("dram_achieved_gb_per_s", "DRAM achieved"),
        ("l2_mib", "L2 MiB"),
        ("power_w", "W"),
    ])
}

fn row(gpu: &Gpu) -> Vec<Cell> {
    let achieved = gpu.bandwidth_achieved.as_ref();
    vec![
        Cell::text(&gpu.id),
        Cell::text(&gpu.name),
        Cell::text(&gpu.architecture),
        Cell::text(gpu.cuda.compute_capability.to_string()),
        Cell::number(gpu.sms.value),
        scaled(gpu.boost_clock.value.0, 1e6),
        scaled(gpu.fp32_peak.value.0, 1e12),
        scaled(gpu.bandwidth_peak.value.0, 1e9),
        Cell::maybe(achieved, |b| scaled(b.value.0, 1e9)),
        scaled(gpu.l2_size.value.0, MEBI),
        Cell::number(gpu.power_limit.value.0),
        Cell::number(gpu.launch_year),
    ]
}

const MEBI: f64 = 1_048_576.0;
const GIBI: f64 = 1_073_741_824.0;

/// A number in a datasheet's unit, without the noise the change of unit leaves in its last digit.
fn scaled(value: f64, unit: f64) -> Cell {
    let clean = format!("{:.14e}", value / unit).parse().unwrap_or(value / unit);
    let shown = if clean >= 1000.0 { format!("{clean:.0}") } else { format!("{clean}") };
    let short = if shown.len() > 6 { significant(clean) } else { shown };
    Cell::shown(clean, short)
}

/// One GPU: every number with unit, origin, source and remark; what nobody stated is listed too, as absent.
#[must_use]
pub fn show(gpu: &Gpu, sources: &SourceTable) -> Table {
    let mut sheet = Sheet { sources, rows: Vec::new() };
    sheet.compute(gpu);
    sheet.memory(gpu);
    sheet.rest(gpu);
    sheet.limits(&gpu.cuda.limits);
    let columns = ["field", "value", "unit", "origin", "source", "note"];
    let column = |name| if name == "value" { Column::right(name) } else { Column::left(name) };
    Table {
        title: format!(
            "{} ({}) · {} {} · compute capability {} · {} · also: {}",
            gpu.name,
            gpu.id,
            gpu.architecture,
            gpu.chip,
            gpu.cuda.compute_capability,
            gpu.launch_year,
            gpu.aliases.join(", ")
        ),
        columns: columns.map(column).to_vec(),
        rows: sheet.rows,
        notes: Vec::new(),
    }
}

/// What `specs/compute-capabilities.toml` follows where its two sources differ.
const LIMITS_SOURCE: &str = "cuda-occupancy";

struct Sheet<'a> {
    sources: &'a SourceTable,
    rows: Vec<Vec<Cell>>,
}

impl Sheet<'_> {
    fn add(&mut self, field: impl Into<String>, unit: &str, number: Option<Sourced<f64>>) {
        let field = Cell::text(field);
        let Some(n) = number else {
            self.rows.push(vec![field, Cell::Null, Cell::text(unit), Cell::Null, Cell::Null, Cell::Null]);
            return;
        };
        let title = self.sources.get(&*n.source).map_or(&*n.source, |s| s.title.as_str());
        let dated = n.date.as_deref().map(|d| format!("as of {d}"));
        let note: Vec<&str> = n.note.as_deref().into_iter().chain(dated.as_deref()).collect();
        self.rows.push(vec![
            field,
            as_stated(n.value),
            Cell::text(unit),
            Cell::text(n.origin.word()),
            Cell::text(title),
            Cell::text(note.join("; ")),
        ]);
    }

    fn compute(&mut self, gpu: &Gpu) {
        self.add("SMs", "", whole(Some(&gpu.sms)));
        self.add("FP32 lanes per SM", "", whole(Some(&gpu.fp32_lanes_per_sm)));
        self.add("FP64 lanes per SM", "", whole(gpu.fp64_lanes_per_sm.as_ref()));
        self.add("load/store lanes per SM", "", Some(gpu.sm.lsu_lanes.clone()));
        self.add("global loads per SM (L1 hits)", "warp insts/clock", Some(gpu.sm.global_per_clock.clone()));
        self.add("issue per SM", "warp insts/clock", Some(gpu.sm.issue_per_clock.clone()));
        self.add("base clock", "MHz", of(gpu.base_clock.as_ref(), |h| h.0, 1e6));
        self.add("boost clock", "MHz", of(Some(&gpu.boost_clock), |h| h.0, 1e6));
        self.add("sustained clock", "MHz", of(gpu.sustained_clock.as_ref(), |h| h.0, 1e6));
        self.add("FP32 peak", "TFLOP/s", of(Some(&gpu.fp32_peak), |r| r.0, 1e12));
        self.add("FP32 achieved", "TFLOP/s", of(gpu.fp32_achieved.as_ref(), |r| r.0, 1e12));
        self.add("FP32 sustained", "TFLOP/s", of(Some(gpu.fp32_sustained()), |r| r.0, 1e12));
        self.add("FP64 peak", "TFLOP/s", of(gpu.fp64_peak.as_ref(), |r| r.0, 1e12));
        self.add("FP16 peak (no tensor cores)", "TFLOP/s", of(gpu.fp16_peak.as_ref(), |r| r.0, 1e12));
        // Known only where somebody measured them; elsewhere they are not worth a line.
        for (field, rate) in [("FP64 achieved", &gpu.fp64_achieved), ("FP16 achieved", &gpu.fp16_achieved)] {
            if rate.is_some() {
                self.add(field, "TFLOP/s", of(rate.as_ref(), |r| r.0, 1e12));
            }
        }
        for rate in &gpu.tensor {
            let unit = if rate.input.starts_with("int") { "TOP/s" } else { "TFLOP/s" };
            for (kind, number) in [("dense", &rate.dense), ("sparse", &rate.sparse)] {
                if let Some(number) = number {
                    let field = format!("tensor {} into {}, {kind}", rate.input, rate.accumulate);
                    self.add(field, unit, of(Some(number), |r| r.0, 1e12));
                }
            }
        }
    }

    fn memory(&mut self, gpu: &Gpu) {
        self.add(format!("{} size", gpu.memory_type), "GiB", of(Some(&gpu.memory_size), |b| b.0, GIBI));
        self.add("bus width", "bit", whole(Some(&gpu.bus_bits)));
        self.add("data rate per pin", "Gbit/s", of(Some(&gpu.data_rate), |b| *b, 1e9));
        self.add("DRAM bandwidth, peak", "GB/s", of(Some(&gpu.bandwidth_peak), |b| b.0, 1e9));
        self.add("DRAM bandwidth, achieved", "GB/s", of(gpu.bandwidth_achieved.as_ref(), |b| b.0, 1e9));
        self.add("DRAM bandwidth, sustained", "GB/s", of(Some(gpu.bandwidth_sustained()), |b| b.0, 1e9));
        self.add("L2 size", "MiB", of(Some(&gpu.l2_size), |b| b.0, MEBI));
        self.add("L2 bandwidth", "GB/s", of(Some(gpu.l2_bandwidth_or_derived()), |b| b.0, 1e9));
        self.add("L1 per SM", "B/clock", of(gpu.l1_bytes_per_clock.as_ref(), |b| *b, 1.0));
        // Known only where somebody measured it; elsewhere it is not worth a line.
        if gpu.l1_achieved.is_some() {
            self.add("L1 bandwidth, achieved", "GB/s", of(gpu.l1_achieved.as_ref(), |b| b.0, 1e9));
        }
        self.add("shared memory per SM", "B/clock", Some(gpu.sm.shared_bytes_per_clock.clone()));
    }

    fn rest(&mut self, gpu: &Gpu) {
        self.add("power limit", "W", of(Some(&gpu.power_limit), |w| w.0, 1.0));
        self.add("idle power", "W", of(gpu.idle_power.as_ref(), |w| w.0, 1.0));
        self.add("launch overhead", "µs", of(Some(gpu.launch_floor_or_assumed()), |s| s.0, 1e-6));
        self.add("list price", "USD", of(gpu.list_usd.as_ref(), |p| *p, 1.0));
        self.add("cloud price", "USD/h", of(gpu.cloud_usd_per_hour.as_ref(), |p| *p, 1.0));
    }

    fn limits(&mut self, limits: &Limits) {
        let stated = |value: u32| {
            let (source, origin) = (LIMITS_SOURCE, self.sources.get(LIMITS_SOURCE)?.kind);
            Some(Sourced { value: f64::from(value), origin, source: source.into(), note: None, date: None })
        };
        let rows = [
            ("warps per SM", "", limits.warps_per_sm()),
            ("blocks per SM", "", limits.blocks_per_sm),
            ("threads per block, at most", "", limits.threads_per_block),
            ("registers per SM", "", limits.regs_per_sm),
            ("registers per thread, at most", "", limits.regs_per_thread),
            ("shared memory per SM", "B", limits.smem_per_sm),
            ("shared memory per block, at most", "B", limits.smem_per_block),
            ("shared memory per block, opted in", "B", limits.smem_opt_in),
        ]
        .map(|(field, unit, value)| (field, unit, stated(value)));
        for (field, unit, number) in rows {
            self.add(field, unit, number);
        }
    }
}

/// A number as its document prints it; what a rule worked out to many digits is shown to three, and exported in full.
fn as_stated(value: f64) -> Cell {
    if value.to_string().len() > 9 { Cell::shown(value, significant(value)) } else { Cell::number(value) }
}

fn whole(number: Option<&Sourced<u32>>) -> Option<Sourced<f64>> {
    number.map(|n| n.map(|v| f64::from(*v)))
}

fn of<T>(number: Option<&Sourced<T>>, si: fn(&T) -> f64, unit: f64) -> Option<Sourced<f64>> {
    // 15 digits: what a change of unit leaves in the last one is noise.
    let clean = |v: f64| format!("{v:.14e}").parse().unwrap_or(v);
    number.map(|n| n.map(|v| clean(si(v) / unit)))
}
