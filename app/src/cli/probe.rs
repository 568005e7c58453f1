//! `roofswap probe [-o gpu.toml] [--gpu GPU]`.

use super::choices::FormatChoice;
use super::{here, load, output};
use crate::catalogue::{SpecFile, user_path_text};
use crate::device::FindDriver;
use crate::device::probe::{Probe, gpu_file, run_benches as probe};
use crate::gpu::{LimitsTable, load_text};
use crate::report::{Table, TableCell, TableColumn};
use crate::session::Session;
use anyhow::{Context, Result, bail};
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = format!("Example: roofswap probe -o {}", user_path_text("gpus/mine.toml")))]
pub(super) struct ProbeArgs {
    /// Write a GPU file: overrides numbers of the GPU in the catalogue, or a new GPU if the catalogue has none
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Which GPU of this machine: its number, UUID, name, or id in the catalogue
    #[arg(long, value_name = "GPU")]
    gpu: Option<String>,
    /// How to write the table
    #[arg(long, value_enum, default_value = "table")]
    format: FormatChoice,
}

pub(super) fn run_probe(args: &ProbeArgs, find: FindDriver) -> Result<()> {
    let driver = find()?;
    let session = load::session(&[])?;
    let facts = here::gpu(&*driver, args.gpu.as_deref(), &session)?;
    if facts.mig {
        output::remark(format!(
            "{} is a MIG slice: its rates are its own, not those of the whole GPU",
            facts.name
        ));
    }
    let mut device = driver.open_device(facts.index)?;
    let progress = here::interruptible();
    let bar = here::bar(0);
    let probed = probe(&mut *device, &facts, &driver.version(), &progress, |place, of, name| {
        bar.set_length(of as u64);
        bar.set_position(place as u64);
        bar.set_message(name.to_string());
    });
    bar.finish_and_clear();
    let probed = probed?;
    output::answer(probe_table(&probed).render(args.format.into()).as_bytes())?;
    output::remarks(&probed.missing, probed.missing.len());
    if let Some(path) = &args.output {
        let text = gpu_file(&probed, &session.gpus)?;
        is_readable(&text, &session).context("this GPU cannot be written as a file")?;
        output::file(path, text.as_bytes())?;
        output::remark(format!("{}: written", path.display()));
    }
    if probed.cancelled {
        bail!("cancelled; what was measured before stands above");
    }
    Ok(())
}

/// A file that the loader would refuse is not written.
fn is_readable(text: &str, session: &Session) -> Result<()> {
    let mut gpus = session.stock_gpus().clone();
    let file = SpecFile { name: "the GPU file", text };
    Ok(load_text(file, &session.sources, &LimitsTable::shipped()?, &mut gpus)?)
}

/// What driver and NVML say, then what was measured.
fn probe_table(probe: &Probe) -> Table {
    let columns = vec![
        TableColumn::left("what"),
        TableColumn::left("at"),
        TableColumn::right("value"),
        TableColumn::right("best"),
        TableColumn::right("spread_percent"),
        TableColumn::right("repeats"),
        TableColumn::left("unit"),
        TableColumn::left("kind"),
        TableColumn::left("method"),
    ];
    let mut table = Table::new(columns);
    let f = &probe.facts;
    table.title = format!(
        "{}, driver {}, CUDA {}.{}",
        f.one_line(),
        probe.version.driver,
        probe.version.cuda.0,
        probe.version.cuda.1
    );
    table.rows = stated(probe);
    for r in &probe.readings {
        table.rows.push(vec![
            TableCell::text(r.id),
            TableCell::text(&*r.at),
            TableCell::shown(r.median, r.unit.shown(r.median)),
            TableCell::shown(r.best, r.unit.shown(r.best)),
            TableCell::shown(100.0 * r.spread, format!("{:.2}", 100.0 * r.spread)),
            TableCell::number(r.repeats as f64),
            TableCell::text(r.unit.as_str()),
            TableCell::text("measured"),
            TableCell::text(&*r.method),
        ]);
    }
    table.footnoted("method")
}

/// Facts: value and unit, by the driver's own words.
fn stated(probe: &Probe) -> Vec<Vec<TableCell>> {
    let f = &probe.facts;
    let l = &f.limits;
    let known = |what: &str, value: Option<f64>, unit: &str| {
        let value = TableCell::maybe(value.filter(|v| *v > 0.0), |v| {
            TableCell::shown(v, format!("{}", (v * 1e3).round() / 1e3))
        });
        let nothing = || TableCell::Null;
        vec![
            TableCell::text(what),
            nothing(),
            value,
            nothing(),
            nothing(),
            nothing(),
            TableCell::text(unit),
            TableCell::text("stated"),
            nothing(),
        ]
    };
    let capability = f64::from(f.capability.0) + f64::from(f.capability.1) / 10.0;
    [
        ("compute_capability", Some(capability), ""),
        ("sms", Some(f.sms.into()), ""),
        ("sm_clock", Some(f.sm_clock_hz / 1e6), "MHz"),
        ("mem_clock", Some(f.mem_clock_hz / 1e6), "MHz"),
        ("bus", Some(f.bus_bits.into()), "bit"),
        ("bandwidth", Some(f.bandwidth() / 1e9), "GB/s"),
        ("memory", Some(f.memory_bytes as f64 / f64::from(1 << 20)), "MiB"),
        ("l2", Some(f.l2_bytes as f64 / 1024.0), "KiB"),
        ("power_limit", f.power_limit_w, "W"),
        ("power_limit_default", f.default_power_limit_w, "W"),
        ("threads_per_sm", Some(l.threads_per_sm.into()), ""),
        ("blocks_per_sm", Some(l.blocks_per_sm.into()), ""),
        ("threads_per_block", Some(l.threads_per_block.into()), ""),
        ("registers_per_sm", Some(l.regs_per_sm.into()), ""),
        ("shared_per_sm", Some(l.smem_per_sm.into()), "byte"),
        ("shared_per_block", Some(l.smem_per_block.into()), "byte"),
        ("shared_per_block_opt_in", Some(l.smem_opt_in.into()), "byte"),
    ]
    .into_iter()
    .map(|(what, value, unit)| known(what, value, unit))
    .collect()
}
