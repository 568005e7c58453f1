//! The GPU catalogue: one row per GPU, or one GPU with every number and where it comes from.

use super::cell::TableCell;
use super::table::{Table, TableColumn};
use crate::catalogue::{SourceTable, Sourced};
use crate::gpu::{Gpu, SmLimits};
use crate::units::significant;

/// One row per GPU.
#[must_use]
pub fn list<'a>(gpus: impl IntoIterator<Item = &'a Gpu>) -> Table {
    let mut table = Table::new(vec![
        TableColumn::left("id"),
        TableColumn::left("name"),
        TableColumn::left("architecture"),
        TableColumn::right("compute_capability"),
        TableColumn::right("sms"),
        TableColumn::right("boost_mhz"),
        TableColumn::right("fp32_tflops"),
        TableColumn::right("dram_gb_per_s"),
        TableColumn::right("dram_achieved_gb_per_s"),
        TableColumn::right("l2_mib"),
        TableColumn::right("power_w"),
        TableColumn::right("year"),
    ]);
    table.rows = gpus.into_iter().map(gpu_cells).collect();
    table
}

/// [`list`] for people: headings as datasheets write them.
#[must_use]
pub fn overview_table<'a>(gpus: impl IntoIterator<Item = &'a Gpu>) -> Table {
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

fn gpu_cells(gpu: &Gpu) -> Vec<TableCell> {
    let achieved = gpu.bandwidth_achieved.as_ref();
    vec![
        TableCell::text(&gpu.id),
        TableCell::text(&gpu.name),
        TableCell::text(&gpu.architecture),
        TableCell::text(gpu.cuda.compute_capability.to_string()),
        TableCell::number(gpu.sms.value),
        scaled(gpu.boost_clock.value.0, 1e6),
        scaled(gpu.fp32_peak.value.0, 1e12),
        scaled(gpu.bandwidth_peak.value.0, 1e9),
        TableCell::maybe(achieved, |b| scaled(b.value.0, 1e9)),
        scaled(gpu.l2_size.value.0, MEBI),
        TableCell::number(gpu.power_limit.value.0),
        TableCell::number(gpu.launch_year),
    ]
}

const MEBI: f64 = 1_048_576.0;
const GIBI: f64 = 1_073_741_824.0;

/// A number in a datasheet's unit, without the noise the change of unit leaves in its last digit.
fn scaled(value: f64, unit: f64) -> TableCell {
    let clean = format!("{:.14e}", value / unit).parse().unwrap_or(value / unit);
    let shown = if clean >= 1000.0 { format!("{clean:.0}") } else { format!("{clean}") };
    let short = if shown.len() > 6 { significant(clean) } else { shown };
    TableCell::shown(clean, short)
}

/// One GPU: every number with unit, origin, source and remark; what nobody stated is listed too, as absent.
#[must_use]
pub fn show(gpu: &Gpu, sources: &SourceTable) -> Table {
    let mut sheet = GpuSheet { sources, rows: Vec::new() };
    sheet.compute(gpu);
    sheet.memory(gpu);
    sheet.rest(gpu);
    sheet.limits(&gpu.cuda.limits);
    let columns = ["field", "value", "unit", "origin", "source", "note"];
    let column = |name| if name == "value" { TableColumn::right(name) } else { TableColumn::left(name) };
    // Spellings of its settings are typed, and no names.
    let names: Vec<&str> =
        gpu.aliases.iter().map(String::as_str).filter(|name| !name.contains('@')).collect();
    let other_names = match names.join(", ") {
        none if none.is_empty() => none,
        names => format!(" · also: {names}"),
    };
    Table {
        title: format!(
            "{} ({}) · {} {} · compute capability {} · {}{other_names}",
            gpu.name, gpu.id, gpu.architecture, gpu.chip, gpu.cuda.compute_capability, gpu.launch_year,
        ),
        columns: columns.map(column).to_vec(),
        rows: sheet.rows,
        notes: Vec::new(),
    }
}

/// What `specs/compute-capabilities.toml` follows where its two sources differ.
const LIMITS_SOURCE: &str = "cuda-occupancy";

struct GpuSheet<'a> {
    sources: &'a SourceTable,
    rows: Vec<Vec<TableCell>>,
}

impl GpuSheet<'_> {
    fn add_number(&mut self, field: impl Into<String>, unit: &str, number: Option<Sourced<f64>>) {
        let field = TableCell::text(field);
        let Some(n) = number else {
            self.rows.push(vec![
                field,
                TableCell::Null,
                TableCell::text(unit),
                TableCell::Null,
                TableCell::Null,
                TableCell::Null,
            ]);
            return;
        };
        let title = self.sources.get(&*n.source).map_or(&*n.source, |s| s.title.as_str());
        let dated = n.date.as_deref().map(|d| format!("as of {d}"));
        let note: Vec<&str> = n.note.as_deref().into_iter().chain(dated.as_deref()).collect();
        self.rows.push(vec![
            field,
            as_stated(n.value),
            TableCell::text(unit),
            TableCell::text(n.origin.as_str()),
            TableCell::text(title),
            TableCell::text(note.join("; ")),
        ]);
    }

    fn compute(&mut self, gpu: &Gpu) {
        self.add_number("SMs", "", whole(Some(&gpu.sms)));
        self.add_number("FP32 lanes per SM", "", whole(Some(&gpu.fp32_lanes_per_sm)));
        self.add_number("FP64 lanes per SM", "", whole(gpu.fp64_lanes_per_sm.as_ref()));
        self.add_number("load/store lanes per SM", "", Some(gpu.sm.lsu_lanes.clone()));
        self.add_number("ALU lanes per SM", "", Some(gpu.sm.alu_lanes.clone()));
        self.add_number("integer multiply-add lanes per SM", "", Some(gpu.sm.imad_lanes.clone()));
        self.add_number("XU lanes per SM", "", Some(gpu.sm.xu_lanes.clone()));
        self.add_number(
            "global loads per SM (L1 hits)",
            "warp insts/clock",
            Some(gpu.sm.global_per_clock.clone()),
        );
        self.add_number("issue per SM", "warp insts/clock", Some(gpu.sm.issue_per_clock.clone()));
        self.add_number("base clock", "MHz", in_unit(gpu.base_clock.as_ref(), |h| h.0, 1e6));
        self.add_number("boost clock", "MHz", in_unit(Some(&gpu.boost_clock), |h| h.0, 1e6));
        self.add_number("sustained clock", "MHz", in_unit(gpu.sustained_clock.as_ref(), |h| h.0, 1e6));
        self.add_number("FP32 peak", "TFLOP/s", in_unit(Some(&gpu.fp32_peak), |r| r.0, 1e12));
        self.add_number("FP32 achieved", "TFLOP/s", in_unit(gpu.fp32_achieved.as_ref(), |r| r.0, 1e12));
        self.add_number("FP32 sustained", "TFLOP/s", in_unit(Some(gpu.fp32_sustained()), |r| r.0, 1e12));
        self.add_number("FP64 peak", "TFLOP/s", in_unit(gpu.fp64_peak.as_ref(), |r| r.0, 1e12));
        self.add_number(
            "FP16 peak (no tensor cores)",
            "TFLOP/s",
            in_unit(gpu.fp16_peak.as_ref(), |r| r.0, 1e12),
        );
        // Known only where somebody measured them; elsewhere they are not worth a line.
        for (field, rate) in [("FP64 achieved", &gpu.fp64_achieved), ("FP16 achieved", &gpu.fp16_achieved)] {
            if rate.is_some() {
                self.add_number(field, "TFLOP/s", in_unit(rate.as_ref(), |r| r.0, 1e12));
            }
        }
        for rate in &gpu.tensor {
            let unit = if rate.input.starts_with("int") { "TOP/s" } else { "TFLOP/s" };
            for (kind, number) in [("dense", &rate.dense), ("sparse", &rate.sparse)] {
                if let Some(number) = number {
                    let field = format!("tensor {} into {}, {kind}", rate.input, rate.accumulate);
                    self.add_number(field, unit, in_unit(Some(number), |r| r.0, 1e12));
                }
            }
        }
    }

    fn memory(&mut self, gpu: &Gpu) {
        self.add_number(
            format!("{} size", gpu.memory_type),
            "GiB",
            in_unit(Some(&gpu.memory_size), |b| b.0, GIBI),
        );
        self.add_number("bus width", "bit", whole(Some(&gpu.bus_bits)));
        self.add_number("data rate per pin", "Gbit/s", in_unit(Some(&gpu.data_rate), |b| *b, 1e9));
        self.add_number("DRAM bandwidth, peak", "GB/s", in_unit(Some(&gpu.bandwidth_peak), |b| b.0, 1e9));
        self.add_number(
            "DRAM bandwidth, achieved",
            "GB/s",
            in_unit(gpu.bandwidth_achieved.as_ref(), |b| b.0, 1e9),
        );
        self.add_number(
            "DRAM bandwidth, sustained",
            "GB/s",
            in_unit(Some(gpu.bandwidth_sustained()), |b| b.0, 1e9),
        );
        self.add_number("L2 size", "MiB", in_unit(Some(&gpu.l2_size), |b| b.0, MEBI));
        self.add_number("L2 bandwidth", "GB/s", in_unit(Some(gpu.l2_bandwidth_or_derived()), |b| b.0, 1e9));
        self.add_number("L1 per SM", "B/clock", in_unit(gpu.l1_bytes_per_clock.as_ref(), |b| *b, 1.0));
        // Known only where somebody measured it; elsewhere it is not worth a line.
        if gpu.l1_achieved.is_some() {
            self.add_number(
                "L1 bandwidth, achieved",
                "GB/s",
                in_unit(gpu.l1_achieved.as_ref(), |b| b.0, 1e9),
            );
        }
        self.add_number("shared memory per SM", "B/clock", Some(gpu.sm.shared_bytes_per_clock.clone()));
    }

    fn rest(&mut self, gpu: &Gpu) {
        self.add_number("power limit", "W", in_unit(Some(&gpu.power_limit), |w| w.0, 1.0));
        self.add_number("idle power", "W", in_unit(gpu.idle_power.as_ref(), |w| w.0, 1.0));
        self.add_number("launch overhead", "µs", in_unit(Some(gpu.launch_floor_or_assumed()), |s| s.0, 1e-6));
        self.add_number(
            "blocks started",
            "per clock",
            in_unit(Some(gpu.block_starts_per_clock()), |n| *n, 1.0),
        );
        self.add_number("list price", "USD", in_unit(gpu.list_usd.as_ref(), |p| *p, 1.0));
        self.add_number("cloud price", "USD/h", in_unit(gpu.cloud_usd_per_hour.as_ref(), |p| *p, 1.0));
    }

    fn limits(&mut self, limits: &SmLimits) {
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
            self.add_number(field, unit, number);
        }
        if let Some(pool) = limits.barrier_pool {
            let note =
                limits.later_barrier_pool.map(|later| format!("CUDA 12.9's header; {later} in CUDA 13.5's"));
            let number = stated(pool).map(|n| Sourced { note: note.map(Into::into), ..n });
            self.add_number("barriers per SM", "", number);
        }
    }
}

/// A number as its document prints it; what a rule worked out to many digits is shown to three, and exported in full.
fn as_stated(value: f64) -> TableCell {
    if value.to_string().len() > 9 {
        TableCell::shown(value, significant(value))
    } else {
        TableCell::number(value)
    }
}

fn whole(number: Option<&Sourced<u32>>) -> Option<Sourced<f64>> {
    number.map(|n| n.map(|v| f64::from(*v)))
}

fn in_unit<T>(number: Option<&Sourced<T>>, si: fn(&T) -> f64, unit: f64) -> Option<Sourced<f64>> {
    // 15 digits: what a change of unit leaves in the last one is noise.
    let clean = |v: f64| format!("{v:.14e}").parse().unwrap_or(v);
    number.map(|n| n.map(|v| clean(si(v) / unit)))
}
