//! `roofswap kernels [ID]`.

use super::asked_config::AskedConfig;
use super::choices::FormatChoice;
use super::output::NOT_KEPT;
use super::terminal::{fitted_to_screen, screen_width, text_on_screen};
use super::{load, output};
use crate::gpu::GpuId;
use crate::kernel::KernelId;
use crate::report::kernels::{self, KernelRow, KernelsOverview, kernel_cells, kernel_columns};
use crate::report::{TableFormat, write_rows};
use crate::session::Session;
use anyhow::{Context, Result};
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "Example: roofswap kernels matmul_tiled --size n=2048")]
pub(super) struct KernelsArgs {
    /// A kernel: every formula of it, with value and source
    id: Option<String>,
    /// The size its formulas are evaluated at
    #[arg(long, value_name = "KEY=N", requires = "id", allow_hyphen_values = true)]
    size: Option<String>,
    /// The code variant they are evaluated in, such as MWG=64;NWG=64 (default: the first timed one or the file's example)
    #[arg(long, value_name = "KEY=N;…", requires = "id")]
    variant: Option<String>,
    /// Measurement files (canonical CSV), whose kernels are listed too
    #[arg(long, value_name = "FILE", num_args = 1..)]
    data: Vec<PathBuf>,
    /// How to write the table
    #[arg(long, value_enum, default_value = "table")]
    format: FormatChoice,
}

pub(super) fn run_kernels(args: &KernelsArgs) -> Result<()> {
    let session = load::session(&args.data)?;
    let format: TableFormat = args.format.into();
    let Some(id) = &args.id else { return write_list(&session, format) };
    let at = session.kernels.position(id)?;
    let mut row = kernel_row(&session, at);
    if args.size.is_some() || args.variant.is_some() {
        let asked =
            AskedConfig { size: args.size.as_deref(), variant: args.variant.as_deref(), source: None };
        let typed = asked.typed_size(&session, at)?;
        let variant = asked.chosen_variant(&session, at, typed.as_ref())?;
        let subject = session.subject(at, typed.as_ref().unwrap_or(&row.size), &variant)?;
        row.size = (*subject.problem).clone();
        row.variant = subject.variant;
        row.instance = Some(subject.instance);
    }
    let table = kernels::show(&row, &session.sources);
    // Titles are long; for people they go under the table.
    let table = if format.is_for_people() { table.footnoted("source") } else { table };
    let table = fitted_to_screen(table, format, &LEAST_NEEDED);
    output::answer(text_on_screen(&table, format).as_bytes())
}

/// Columns of one kernel that a narrow screen goes without, the first one first.
const LEAST_NEEDED: [&str; 2] = ["formula", "source"];

/// Every kernel; none of the rows is kept.
fn write_list(session: &Session, format: TableFormat) -> Result<()> {
    let mut rows = session.kernels.ids().map(|at| kernel_row(session, at));
    let Some(format) = format.for_programs() else {
        let mut overview = KernelsOverview::default();
        rows.try_for_each(|row| overview.add_kernel(&row)).context(NOT_KEPT)?;
        return output::streamed_answer(|out| overview.write(format, screen_width(), out));
    };
    let columns = kernel_columns();
    output::streamed_answer(|out| write_rows(out, &columns, format, rows.map(|row| kernel_cells(&row))))
}

fn kernel_row(session: &Session, at: KernelId) -> KernelRow<'_> {
    let kernel = &session.kernels[at];
    let size = session.default_size(at, None);
    let variant = session.default_variant(at);
    let configs = session.store.of_kernel(at).iter();
    let mut timed: Vec<GpuId> = configs.flat_map(|c| session.store.rows_of(*c)).map(|row| row.gpu).collect();
    timed.sort_unstable();
    timed.dedup();
    KernelRow {
        kernel,
        instance: kernel.has_formulas().then(|| kernel.instance(&size, &variant).ok()).flatten(),
        size,
        variant,
        measured_on: timed.iter().map(|g| session.gpus[*g].id.clone()).collect(),
    }
}
