//! `roofswap sass A.txt [B.txt]`: listings of machine code, alone or two of the same kernels side by side.

use super::choices::FormatChoice;
use super::terminal::{fitted_to_screen, shortened_on_screen, text_on_screen};
use super::{Usage, output};
use crate::compiler::sass::{
    Compared, ExecutedInstructions, SassFunction, SassListing, compare, read_path, translation,
};
use crate::kernel::Translation;
use crate::report::{Table, TableFormat, sass};
use anyhow::{Result, bail};
use clap::Args;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
#[command(
    after_help = "Example: roofswap sass app.sm_70.txt app.sm_90.txt --kernel saxpy\n(each from `cuobjdump -sass -arch sm_NN app`)"
)]
pub(super) struct SassArgs {
    /// What `cuobjdump -sass` or `nvdisasm` printed
    source: PathBuf,
    /// The same kernels for another architecture: the target's code is compared with the source's
    target: Option<PathBuf>,
    /// One kernel: its symbol, or its readable name with or without template arguments
    #[arg(long, value_name = "KERNEL")]
    kernel: Option<String>,
    /// How many threads ran each basic block of the first listing: what `ncu --page source --csv` printed, or CSV with the
    /// columns address and threads (and kernel)
    #[arg(long, value_name = "FILE", requires = "target")]
    block_counts: Option<PathBuf>,
    /// One row per basic block instead of one per kernel
    #[arg(long)]
    blocks: bool,
    /// How to write the table
    #[arg(long, value_enum, default_value = "table")]
    format: FormatChoice,
}

/// Columns that a narrow screen goes without, the first of them first: what says least of the time.
const LEFT_OUT: [&str; 25] = [
    "branch",
    "barrier",
    "move",
    "blocks",
    "conv",
    "copy",
    "other",
    "float",
    "atomic",
    "half",
    "local",
    "instr on target",
    "FLOPs on target",
    "special",
    "sts",
    "lds",
    "stg",
    "int",
    "type",
    "for",
    "FLOPs",
    "source_instructions",
    "target_instructions",
    "source_fp64_flops",
    "target_fp64_flops",
];

pub(super) fn run_sass(args: &SassArgs) -> Result<()> {
    let format: TableFormat = args.format.into();
    let source = listing(&args.source)?;
    let table = match &args.target {
        None => {
            let chosen = chosen(&source, args.kernel.as_deref())?;
            let table = if args.blocks { sass::block_table(&chosen) } else { sass::mix(&chosen) };
            if format.is_for_people() { sass::overview_table(table).footnoted("special") } else { table }
        }
        Some(path) => {
            let target = listing(path)?;
            let mut compared = side_by_side(&source, &target, args.kernel.as_deref())?;
            weigh_blocks(&mut compared, args.block_counts.as_deref())?;
            match (args.blocks, format.is_for_people()) {
                (true, _) => pairs(&compared, &source.file, &target.file),
                (false, true) => sass::comparison_overview(&compared).footnoted("special"),
                (false, false) => sass::comparison(&compared),
            }
        }
    };
    let table = shortened_on_screen(fitted_to_screen(table, format, &LEFT_OUT), format, "kernel");
    output::answer(text_on_screen(&table, format).as_bytes())
}

/// The pairs of blocks; why there are none where that is so.
fn pairs(compared: &[Compared<'_>], source: &str, target: &str) -> Table {
    let table = sass::pairs(compared);
    if table.rows.is_empty() {
        output::remark(format!(
            "{source} and {target} have no blocks to pair: none has a special function (division, root, exponential …); \
             `roofswap sass FILE --blocks` shows the blocks of one file"
        ));
    }
    table
}

/// Reads a listing and says what of it could not be read.
fn listing(path: &Path) -> Result<SassListing> {
    let listing = read_path(path, None)?;
    output::remarks(&listing.refused, listing.refused_count);
    output::remarks(&listing.remarks, listing.remarks.len());
    Ok(listing)
}

/// The functions that were asked for, or which there are.
fn chosen<'a>(listing: &'a SassListing, kernel: Option<&'a str>) -> Result<Vec<&'a SassFunction>> {
    let Some(name) = kernel else { return Ok(listing.functions.iter().collect()) };
    let found: Vec<&SassFunction> = listing.named(name).collect();
    if found.is_empty() {
        const SHOWN: usize = 5;
        let names: Vec<String> =
            listing.functions.iter().take(SHOWN).map(|f| clipped_name(&f.name)).collect();
        let more = if listing.functions.len() > SHOWN { ", …" } else { "" };
        let text = format!(
            "{}: has no kernel `{}`; it has {}{more}",
            listing.file,
            clipped_name(name),
            names.join(", ")
        );
        return Err(Usage(text).into());
    }
    Ok(found)
}

fn clipped_name(name: &str) -> String {
    crate::text::clipped_text(name, 60)
}

/// Every kernel that both listings have, by symbol, else by name.
fn side_by_side<'a>(
    source: &'a SassListing,
    target: &'a SassListing,
    kernel: Option<&'a str>,
) -> Result<Vec<Compared<'a>>> {
    let candidates = chosen(target, kernel)?;
    let find = |f: &SassFunction| {
        let same =
            |by: fn(&SassFunction) -> &String| candidates.iter().copied().find(move |t| by(t) == by(f));
        same(|t| &t.symbol).or_else(|| same(|t| &t.name))
    };
    let of_source = chosen(source, kernel)?;
    let all: Vec<Compared<'a>> = of_source.iter().filter_map(|f| find(f).map(|t| compare(f, t))).collect();
    if all.is_empty() {
        bail!(
            "{} and {} have no kernel in common; give listings of the same program",
            source.file,
            target.file
        );
    }
    if all.len() < of_source.len() {
        output::remark(format!(
            "{} kernels of {} are not in {}",
            of_source.len() - all.len(),
            source.file,
            target.file
        ));
    }
    Ok(all)
}

/// Weighs the blocks of every kernel by the threads that ran them, where a file counts them.
fn weigh_blocks(all: &mut [Compared<'_>], counts: Option<&Path>) -> Result<()> {
    let Some(path) = counts else { return Ok(()) };
    let counted = ExecutedInstructions::read_path(path)?;
    for compared in all {
        compared.executed = Some(counted.block_weights(compared.source)?);
    }
    Ok(())
}

/// The files that say how a kernel's arithmetic changes from one GPU to another.
#[derive(Debug, Clone, Copy)]
pub(super) struct TranslationFiles<'a> {
    /// The listing for the source.
    pub(super) source: &'a Path,
    /// The listing for the target.
    pub(super) target: &'a Path,
    /// How many threads ran each block of the source.
    pub(super) block_counts: Option<&'a Path>,
}

/// How this kernel's arithmetic changes from one listing to the other, for `predict`.
pub(super) fn translation_of(files: TranslationFiles<'_>, names: &[&str]) -> Result<Translation> {
    let [from, to] = [listing(files.source)?, listing(files.target)?];
    let known = |listing: &SassListing| names.iter().copied().find(|n| listing.named(n).next().is_some());
    let name = known(&from).or_else(|| names.first().copied());
    let mut compared = side_by_side(&from, &to, name)?;
    if let [_] = &compared[..] {
        weigh_blocks(&mut compared, files.block_counts)?;
    }
    match &compared[..] {
        [one] => Ok(translation(one)),
        several => {
            let found: Vec<String> = several.iter().take(5).map(|c| clipped_name(&c.source.symbol)).collect();
            let text = format!(
                "the listings have {} kernels of this name ({}); give listings with one of them",
                several.len(),
                found.join(", ")
            );
            Err(Usage(text).into())
        }
    }
}
