//! `roofswap check FILE...`: a gate for continuous integration: resources of compiled kernels beside a committed baseline.

use super::choices::FormatChoice;
use super::{Usage, output};
use crate::catalogue::{read_limited, shipped_sources};
use crate::compiler::{CodeArchitecture, CompilerReport, UnknownArchitecture, read_from};
use crate::gate::{
    Baseline, GateLimits, GateRow, KernelResources, compare_builds, gate_records, gate_table, resources_of,
};
use crate::gpu::{ComputeCapability, LimitsTable, load_shipped};
use crate::import::OpenedFile;
use crate::rank::boards_named;
use crate::report::TableFormat;
use anyhow::{Result, bail};
use clap::Args;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
#[command(
    after_help = "Example: roofswap check build/*.cubin ptxas.log --on sm_80,sm_90 --baseline resources.json\n\
         Example: roofswap check build/*.cubin --baseline resources.json --update\n\
         Example: roofswap check ptxas.log --no-spills --min-occupancy 50"
)]
pub(super) struct CheckArgs {
    /// Cubins, `ptxas -v` logs (also within nvcc's output), `cuobjdump --dump-resource-usage`
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Architectures to check, such as sm_80,sm_90, or GPUs such as h100 (default: all that the files hold)
    #[arg(long, value_name = "ARCH", value_delimiter = ',', value_parser = architecture)]
    on: Vec<CodeArchitecture>,
    /// The architecture of a compiler's report that names none, such as sm_89
    #[arg(long, value_name = "ARCH")]
    arch: Option<CodeArchitecture>,
    /// The committed baseline; without it --min-occupancy and --no-spills alone are checked
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Write the baseline instead of comparing with it
    #[arg(long, requires = "baseline")]
    update: bool,
    /// Registers per thread that a kernel may use more than in the baseline
    #[arg(long, value_name = "N", default_value = "0", requires = "baseline")]
    max_regs_increase: u32,
    /// The least occupancy in percent
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    min_occupancy: Option<f64>,
    /// Fail on any spill, also one that the baseline has
    #[arg(long)]
    no_spills: bool,
    /// Threads per block of kernels that do not state theirs (default: 256, or their launch bound if smaller)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Option<u32>,
    /// How to write the table
    #[arg(long, value_enum, default_value = "markdown")]
    format: FormatChoice,
}

/// An architecture, or that of a GPU of the catalogue.
fn architecture(text: &str) -> Result<CodeArchitecture, String> {
    text.parse().or_else(|why: UnknownArchitecture| {
        let limits = LimitsTable::shipped().map_err(|why| why.to_string())?;
        let sources = shipped_sources().map_err(|why| why.to_string())?;
        let gpus = load_shipped(&sources, &limits).0;
        let named = match gpus.position(text) {
            Ok(gpu) => vec![gpu],
            // Boards of one name that run the same code: `h100`.
            Err(_) => boards_named(&gpus, &text.to_lowercase()),
        };
        let capabilities: BTreeSet<ComputeCapability> =
            named.into_iter().map(|gpu| gpus[gpu].cuda.compute_capability).collect();
        let codes = capabilities.iter().map(|capability| capability.to_string().parse());
        let codes = codes.collect::<Result<Vec<CodeArchitecture>, _>>();
        match &codes.map_err(|why: UnknownArchitecture| why.to_string())?[..] {
            [] => Err(format!("{why}, or the id of a GPU")),
            [one] => Ok(*one),
            several => {
                let names: Vec<String> = several.iter().map(ToString::to_string).collect();
                Err(format!("GPUs of this name are of {}; type one of them", names.join(", ")))
            }
        }
    })
}

fn percent(text: &str) -> Result<f64, String> {
    let value = text.trim_end_matches('%').trim().parse().ok().filter(|p| (0.0..=100.0).contains(p));
    let is_part_of_one = |p: &f64| *p > 0.0 && *p <= 1.0;
    match value {
        Some(part) if is_part_of_one(&part) => {
            Err("expected a percentage above 1, such as 90 for 90 %".into())
        }
        Some(percent) => Ok(percent),
        None => Err("expected a percentage from 0 to 100".into()),
    }
}

pub(super) fn run_check(args: &CheckArgs) -> Result<()> {
    if let Some(baseline) = &args.baseline {
        output::is_no_input(baseline, args.files.iter().map(PathBuf::as_path))?;
    } else if args.own_conditions().is_empty() {
        let text = "nothing to check: give --baseline FILE, --min-occupancy PERCENT or --no-spills";
        return Err(Usage(text.into()).into());
    }
    let reports: Vec<CompilerReport> =
        args.files.iter().map(|file| report_of(file, args.arch)).collect::<Result<_>>()?;
    let limits = LimitsTable::shipped()?;
    let now = resources_of(&reports, &args.on, &limits, args.threads);
    if let Some(missing) = args.on.iter().find(|a| !now.iter().any(|k| k.target == a.to_string())) {
        bail!(
            "--on {missing}: no kernel of these files is compiled for it{}",
            what_they_hold(&reports, missing)
        );
    }
    if now.is_empty() {
        bail!("no kernel in these files");
    }
    let baseline = match &args.baseline {
        Some(path) if args.update => return write_baseline(path, now),
        Some(path) => Some(read_baseline(path)?),
        None => None,
    };
    let rows = compare_builds(baseline.as_ref(), &now, &args.on, args.limits());
    let table = match args.format.into() {
        format @ (TableFormat::Json | TableFormat::Csv) => gate_records(&rows).render(format),
        format => gate_table(&rows).render(format),
    };
    output::answer(table.as_bytes())?;
    let count = |failed: &dyn Fn(&GateRow) -> bool| rows.iter().filter(|row| failed(row)).count();
    let failed = count(&|row| !row.failures.is_empty());
    let missing = count(&|row| row.misses_limit);
    let advice = match (missing, &args.baseline) {
        (_, None) => String::new(),
        (0, _) => "; where that is meant, write the baseline with --update".to_string(),
        _ => format!("; --update does not help where {} is missed", args.own_conditions().join(" or ")),
    };
    if failed > 0 {
        bail!("{failed} of {} kernels and targets failed{advice}", rows.len());
    }
    Ok(())
}

/// `; they hold sm_89: compile with -gencode arch=compute_120,code=sm_120`.
fn what_they_hold(reports: &[CompilerReport], missing: &CodeArchitecture) -> String {
    let kernels = reports.iter().flat_map(|report| &report.kernels);
    let held: BTreeSet<String> = kernels.map(|kernel| kernel.architecture.to_string()).collect();
    if held.is_empty() {
        return String::new();
    }
    let (held, code) = (Vec::from_iter(held).join(", "), missing.to_string());
    format!("; they hold {held}: compile with -gencode arch={},code={code}", code.replace("sm_", "compute_"))
}

impl CheckArgs {
    /// What is asked of the build by itself, whatever the baseline holds.
    fn own_conditions(&self) -> Vec<&'static str> {
        let flags = [("--no-spills", self.no_spills), ("--min-occupancy", self.min_occupancy.is_some())];
        flags.into_iter().filter_map(|(flag, given)| given.then_some(flag)).collect()
    }

    fn limits(&self) -> GateLimits {
        GateLimits {
            registers_more: self.max_regs_increase,
            least_occupancy: self.min_occupancy,
            no_spills: self.no_spills,
        }
    }
}

fn write_baseline(path: &Path, now: Vec<KernelResources>) -> Result<()> {
    keeps_other_files(path)?;
    let count = now.len();
    output::file(path, Baseline::of_kernels(now).text().as_bytes())?;
    output::remark(format!("{count} kernels and targets written into {}", path.display()));
    Ok(())
}

fn read_baseline(path: &Path) -> Result<Baseline> {
    let file = path.display();
    if !path.exists() {
        return Err(Usage(format!("--baseline {file}: does not exist; write it with --update")).into());
    }
    let text = read_limited(path)?;
    Baseline::parse(&text).map_err(|why| anyhow::anyhow!("{file}: {why}"))
}

/// Refuses to write a baseline over a file that exists and is none; a damaged one, and one of another format, is written anew.
fn keeps_other_files(path: &Path) -> Result<()> {
    if output::is_stdout(path) || !path.exists() {
        return Ok(());
    }
    let text = read_limited(path)?;
    if text.trim().is_empty() || Baseline::is_meant_by(&text) {
        return Ok(());
    }
    let text =
        format!("--baseline {}: this file is no baseline; --update would overwrite it", path.display());
    Err(Usage(text).into())
}

/// Every file must be read as a whole: a gate that passes over a file is open.
fn report_of(path: &Path, arch: Option<CodeArchitecture>) -> Result<CompilerReport> {
    let opened = OpenedFile::path(path)?;
    let (file, size) = (opened.file().to_string(), opened.size());
    let report = read_from(opened, size, &file, arch)?;
    output::remarks(&report.remarks, report.remarks.len());
    if report.refused_count > 0 {
        output::remarks(&report.refused, report.refused_count);
        bail!("{}: {} places cannot be read", path.display(), report.refused_count);
    }
    Ok(report)
}
