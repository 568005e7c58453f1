//! Every pair of measurements as the model sees it: counts, launch, the numbers of both GPUs, and what the program says. `docs/leave_one_out.py`
//! fits the model's constants on these tables.
//!
//! `cargo run --example component_table -- OUT.tsv FILE...`; OUT.tsv must be new, so that a file named in its place is not lost.

#![allow(clippy::print_stderr, reason = "a command of its own")]

use roofswap::gpu::{Ceilings, Gpu, GpuId};
use roofswap::kernel::{Count, Kernel};
use roofswap::measurement::{Measurement, Store};
use roofswap::occupancy::Rules;
use roofswap::pair::{Pair, Side};
use roofswap::predict::{MODELS, QuestionSide, Subject, Visible, model_position, never_started, question};
use roofswap::predict::{Question, source_clocks};
use roofswap::roofline::{Spec, machine_of};
use roofswap::session::Session;
use std::error::Error;
use std::io::Write;

/// Columns of one side, named with `_s` and `_t`.
const OF_SIDES: [&str; 18] = [
    "gpu",
    "architecture",
    "time",
    "floor",
    "floor_known",
    "resident",
    "registers",
    "unknown_build",
    "dependent_issue",
    "unified_l1",
    "dram_share",
    "has_ecc",
    "register_gain",
    "cached_insts",
    "fetch_cycles",
    "streamed_per_clock",
    "l2_holds_all_until",
    "l2_holds_none_from",
];

const USAGE: &str = "usage: component_table OUT.tsv FILE...";

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [out, files @ ..] = &words[..] else { return Err(USAGE.into()) };
    if files.is_empty() {
        return Err(USAGE.into());
    }
    let mut session = Session::load(None)?;
    for file in files {
        session.add_data(std::path::Path::new(file))?;
    }
    let store = session.rows_to_evaluate();
    let file = std::fs::File::create_new(out).map_err(|why| format!("{out}: {why}; expected a new file"))?;
    let mut out = std::io::BufWriter::new(file);
    writeln!(out, "{}", header())?;
    for (id, config) in store.configs() {
        let kernel = &session.kernels[config.kernel];
        let Ok(subject) = Subject::from_config(kernel, config, Some(id)) else { continue };
        let rows: Vec<&Measurement> = store.rows_of(id).collect();
        let launched = rows.iter().copied().find(|r| r.launch().is_some());
        let started = |row: &&Measurement| {
            never_started(kernel, &subject.instance, &session.gpus[row.gpu], row, launched).is_none()
        };
        let started: Vec<&Measurement> = rows.iter().copied().filter(started).collect();
        for (source, target) in started.iter().flat_map(|s| started.iter().map(move |t| (*s, *t))) {
            if source.gpu != target.gpu {
                let pair = Pair::new(source, target);
                writeln!(out, "{}", line(&session, &store, kernel, &subject, pair))?;
            }
        }
    }
    Ok(out.flush()?)
}

fn header() -> String {
    let mut columns: Vec<String> = ["kernel", "problem", "variant", "runs_as"].map(String::from).to_vec();
    columns.extend(Count::ALL.map(|c| format!("{c:?}")));
    columns.extend(["blocks", "threads", "uses_shared"].map(String::from));
    for side in ["s", "t"] {
        columns.extend(OF_SIDES.map(|name| format!("{name}_{side}")));
        columns.extend(Spec::ALL.map(|spec| format!("{spec:?}_{side}")));
        columns.push(format!("dram_latency_{side}"));
    }
    columns.extend(["predicted", "doubt"].map(String::from));
    columns.join("\t")
}

/// What is asked from one row about another one's GPU.
fn line(
    session: &Session,
    store: &Store,
    kernel: &Kernel,
    subject: &Subject,
    rows: Pair<&Measurement>,
) -> String {
    let visible = Visible::without_gpu(store, rows.target.gpu);
    let visible = subject.config.map_or(visible, |config| visible.with_row(config, rows.source));
    let gpus: Pair<(GpuId, &Gpu)> = rows.map(|row| (row.gpu, &session.gpus[row.gpu]));
    let (at, stock) = gpus.source;
    let ran = source_clocks(stock, stock, subject, at, visible);
    let gpus = Pair::new((at, ran.gpu(stock)), gpus.target);
    let q = question(kernel, subject, gpus, visible, Ceilings::default(), Rules::default());
    let mut cells = vec![kernel.id.clone(), subject_text(rows.source), rows.source.variant().to_string()];
    cells.push(format!("{:?}", kernel.runs_as));
    cells.extend(Count::ALL.map(|c| q.work.get(c).map_or("nan".into(), |v| v.to_string())));
    let launch = q.source.launch;
    cells.push(launch.map_or("nan".into(), |l| l.block_count().to_string()));
    cells.push(launch.map_or("nan".into(), |l| l.threads().to_string()));
    let shared = q.source.needs.map(|n| n.smem_static + n.smem_dynamic > 0);
    cells.push(shared.map_or("nan".into(), |uses| u8::from(uses).to_string()));
    for side in Side::ALL {
        cells.extend(side_cells(&q, side, rows[side]));
    }
    let answer = model_position("components").ok().and_then(|at| MODELS[at].estimate(&q).ok());
    let doubt = answer.as_ref().and_then(|a| a.doubt).map_or(f64::NAN, |d| d.total());
    cells.push(answer.map_or(f64::NAN, |a| a.time.0).to_string());
    cells.push(doubt.to_string());
    cells.join("\t")
}

fn subject_text(row: &Measurement) -> String {
    row.problem.to_string()
}

fn side_cells(q: &Question<'_>, at: Side, row: &Measurement) -> Vec<String> {
    let side: &QuestionSide<'_> = if at == Side::Source { &q.source } else { &q.target };
    let machine = machine_of(side.gpu, q.kernel);
    let resident = side.occupancy.filter(|_| !side.block_assumed);
    let registers = side.needs.map_or(0, |n| n.regs_per_thread);
    let floor = q.floors[at];
    let mut cells = vec![
        side.gpu.id.clone(),
        format!("{:?}", side.gpu.architecture),
        row.time.0.to_string(),
        floor.time.0.to_string(),
        u8::from(floor.is_known()).to_string(),
        resident.map_or("nan".into(), |o| o.active_blocks.to_string()),
        registers.to_string(),
        u8::from(side.registers.is_unknown()).to_string(),
        machine.dependent_issue().to_string(),
        u8::from(side.gpu.has_unified_l1()).to_string(),
        (side.gpu.bandwidth_sustained().value / side.gpu.bandwidth_peak.value).min(1.0).to_string(),
        u8::from(machine.has_ecc()).to_string(),
        side.gpu.fp32_register_gain().to_string(),
    ];
    let sm = &side.gpu.sm;
    let optional = [
        &sm.cached_insts,
        &sm.fetch_cycles,
        &sm.streamed_per_clock,
        &sm.l2_holds_all_until,
        &sm.l2_holds_none_from,
    ];
    cells.extend(optional.map(|n| n.as_ref().map_or("nan".into(), |n| n.value.to_string())));
    cells.extend(Spec::ALL.map(|spec| machine.spec_value(spec).to_string()));
    cells.push(machine.dram_latency().to_string());
    cells
}
