//! `roofswap check FILE...`: a gate for continuous integration: resources of compiled kernels beside a committed baseline.

use super::choices::FormatChoice;
use super::{Usage, output};
use crate::catalogue::read_limited;
use crate::compiler::{CodeArchitecture, CompilerReport, read_from};
use crate::gate::{Baseline, GateLimits, compare_builds, gate_table, resources_of};
use crate::gpu::LimitsTable;
use crate::import::OpenedFile;
use anyhow::{Context, Result, bail};
use clap::Args;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
#[command(
    after_help = "Example: roofswap check build/*.cubin ptxas.log --on sm_80,sm_90 --baseline resources.json\n\
         Example: roofswap check build/*.cubin --baseline resources.json --update"
)]
pub(super) struct CheckArgs {
    /// Cubins, `ptxas -v` logs (also within nvcc's output), `cuobjdump --dump-resource-usage`
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Architectures to check, such as sm_80,sm_90 (default: all that the files hold)
    #[arg(long, value_name = "ARCH", value_delimiter = ',')]
    on: Vec<CodeArchitecture>,
    /// The committed baseline
    #[arg(long, value_name = "FILE")]
    baseline: PathBuf,
    /// Write the baseline instead of comparing with it
    #[arg(long)]
    update: bool,
    /// Registers per thread that a kernel may use more than in the baseline
    #[arg(long, value_name = "N", default_value = "0")]
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
    output::is_no_input(&args.baseline, args.files.iter().map(PathBuf::as_path))?;
    let reports: Vec<CompilerReport> =
        args.files.iter().map(|file| report_of(file)).collect::<Result<_>>()?;
    let limits = LimitsTable::shipped()?;
    let now = resources_of(&reports, &args.on, &limits, args.threads);
    if let Some(missing) = args.on.iter().find(|a| !now.iter().any(|k| k.target == a.to_string())) {
        bail!("--on {missing}: no kernel of these files is compiled for it");
    }
    if now.is_empty() {
        bail!("no kernel in these files");
    }
    if args.update {
        keeps_other_files(&args.baseline)?;
        let count = now.len();
        output::file(&args.baseline, Baseline::of_kernels(now).text().as_bytes())?;
        output::remark(format!("{count} kernels and targets written into {}", args.baseline.display()));
        return Ok(());
    }
    let file = args.baseline.display();
    if !args.baseline.exists() {
        return Err(Usage(format!("--baseline {file}: does not exist; write it with --update")).into());
    }
    let text = read_limited(&args.baseline).with_context(|| format!("{file}"))?;
    let baseline = Baseline::parse(&text).map_err(|why| anyhow::anyhow!("{file}: {why}"))?;
    let allowed = GateLimits {
        registers_more: args.max_regs_increase,
        least_occupancy: args.min_occupancy,
        no_spills: args.no_spills,
    };
    let rows = compare_builds(&baseline, &now, &args.on, allowed);
    output::answer(gate_table(&rows).render(args.format.into()).as_bytes())?;
    let failed = rows.iter().filter(|r| !r.failures.is_empty()).count();
    if failed > 0 {
        bail!(
            "{failed} of {} kernels and targets failed; where that is meant, write the baseline with --update",
            rows.len()
        );
    }
    Ok(())
}

/// Refuses to write a baseline over a file that exists and is none; a damaged one, and one of another format, is written anew.
fn keeps_other_files(path: &Path) -> Result<()> {
    if output::is_stdout(path) || !path.exists() {
        return Ok(());
    }
    let text = read_limited(path).with_context(|| format!("{}", path.display()))?;
    if text.trim().is_empty() || Baseline::is_meant_by(&text) {
        return Ok(());
    }
    let text =
        format!("--baseline {}: this file is no baseline; --update would overwrite it", path.display());
    Err(Usage(text).into())
}

/// Every file must be read as a whole: a gate that passes over a file is open.
fn report_of(path: &Path) -> Result<CompilerReport> {
    let opened = OpenedFile::path(path)?;
    let (file, size) = (opened.file().to_string(), opened.size());
    let report = read_from(opened, size, &file, None)?;
    output::remarks(&report.remarks, report.remarks.len());
    if report.refused_count > 0 {
        output::remarks(&report.refused, report.refused_count);
        bail!("{}: {} places cannot be read", path.display(), report.refused_count);
    }
    Ok(report)
}
