//! `roofswap` alone: the dashboard, if there is a terminal to draw it on.

use super::choices::{CeilingsChoice, RulesChoice};
use super::clocks::ClockArgs;
use super::{Usage, output};
use crate::catalogue::user_folder;
use crate::config::{PaintTheme, ThemeBook};
use crate::gpu::Ceilings;
use crate::occupancy::Rules;
use crate::session::TypedTunings;
use anyhow::Result;
use clap::Args;
use std::io::IsTerminal;
use std::path::PathBuf;

/// How the dashboard opens, as it was typed; names are not looked up yet.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DashboardArgs {
    /// Measurement files to load.
    pub data: Vec<PathBuf>,
    /// Prices by the hour.
    pub prices: Option<PathBuf>,
    /// Source GPU.
    pub from: Option<String>,
    /// Target GPUs.
    pub to: Vec<String>,
    /// Kernel.
    pub kernel: Option<String>,
    /// Its sizes: `n=1048576`.
    pub size: Option<String>,
    /// Model.
    pub model: Option<String>,
    /// Peak or achieved ceilings.
    pub ceilings: Option<Ceilings>,
    /// Occupancy arithmetic.
    pub rules: Option<Rules>,
    /// Clocks and power limits.
    pub clocks: TypedTunings,
    /// Colours.
    pub theme: Option<String>,
    /// Without the remembered selection.
    pub fresh: bool,
    /// Without characters beyond ASCII.
    pub ascii: bool,
}

/// The flags of the dashboard.
#[derive(Debug, Args)]
pub(super) struct Flags {
    /// Source GPU: where the kernel was timed
    #[arg(long, value_name = "GPU")]
    from: Option<String>,
    /// Target GPUs: where it might run
    #[arg(long, value_name = "GPU", value_delimiter = ',')]
    to: Vec<String>,
    /// Kernel to show first
    #[arg(long)]
    kernel: Option<String>,
    /// Its sizes
    #[arg(long, value_name = "KEY=N", allow_hyphen_values = true)]
    size: Option<String>,
    /// Model to predict with
    #[arg(long)]
    model: Option<String>,
    /// Ceilings of the roofline
    #[arg(long, value_enum)]
    ceilings: Option<CeilingsChoice>,
    /// Occupancy arithmetic
    #[arg(long, value_enum)]
    rules: Option<RulesChoice>,
    #[command(flatten)]
    clocks: ClockArgs,
    /// Measurement files: the canonical CSV, or any format that `roofswap import` reads
    #[arg(long, value_name = "FILE", num_args = 1..)]
    data: Vec<PathBuf>,
    /// Prices for the board: a CSV with the columns gpu,usd_per_hour,provider,region,date, or a catalogue of gpuhunt or SkyPilot
    /// (default: prices.csv in your config folder)
    #[arg(long, value_name = "FILE")]
    prices: Option<PathBuf>,
    /// Colours: dark, light, mono, or a theme of the folder `themes` in your config folder
    #[arg(long)]
    theme: Option<String>,
    /// Start without what is remembered: the selection and the typed kernels, which stay in the state file
    #[arg(long)]
    fresh: bool,
    /// Draw with ASCII characters only
    #[arg(long)]
    ascii: bool,
}

/// Opens the dashboard, or says which command answers without a terminal.
pub(super) fn run_dashboard(
    flags: Flags,
    open_dashboard: impl FnOnce(DashboardArgs) -> Result<()>,
) -> Result<()> {
    if let Some(name) = &flags.theme {
        let book = ThemeBook::load(user_folder().as_deref())?;
        if let Err(unknown) = PaintTheme::named(name, &book.themes) {
            output::remarks(&book.refused, book.refused.len());
            return Err(unknown.into());
        }
    }
    if !(std::io::stdin().is_terminal() && std::io::stdout().is_terminal()) {
        let commands = "`roofswap predict --from GPU --to GPU --kernel NAME`, `roofswap occupancy`, `roofswap gpus`, \
                        `roofswap kernels` or `roofswap models`; `roofswap --help` lists all";
        return Err(Usage(format!("the dashboard needs a terminal; without one, use {commands}")).into());
    }
    if std::env::var_os("TERM").is_some_and(|term| term == "dumb") {
        let why = "TERM=dumb: this terminal cannot show a full screen; set TERM to what it is, or use a command, \
                   such as `roofswap predict --from GPU --to GPU --kernel NAME`; `roofswap --help` lists all";
        return Err(Usage(why.into()).into());
    }
    open_dashboard(DashboardArgs {
        data: flags.data,
        prices: flags.prices,
        from: flags.from,
        to: flags.to,
        kernel: flags.kernel,
        size: flags.size,
        model: flags.model,
        ceilings: flags.ceilings.map(Into::into),
        rules: flags.rules.map(Into::into),
        clocks: flags.clocks.typed(),
        theme: flags.theme,
        fresh: flags.fresh,
        ascii: flags.ascii,
    })
}
