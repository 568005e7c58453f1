//! `roofswap gemm --gpu GPU --m M --n N --k K`: a matrix product in FP32 as a workload, tile by tile.

use super::choices::{FormatChoice, ThemeChoice};
use super::clocks::ClockArgs;
use super::numbers::matrix_side;
use super::terminal::fitted_to_screen;
use super::training::watched;
use super::typed_kernel::element_type;
use super::{Usage, load, named_gpus, output, reproduce_gemm};
use crate::catalogue::ElementType;
use crate::gemm::learned::LearnedGemm;
use crate::gemm::tiles::{SIDES, Tile};
use crate::gemm::{ARITHMETIC, Gemm, GemmRow, OTHER_TYPES, answer_tiles, gemm_chart, learn_rows, table};
use crate::gpu::GpuId;
use crate::learn::Progress;
use crate::papers::paper4::predictor::{forest_answers, product_table};
use crate::session::Session;
use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "Example: roofswap gemm --gpu rtx-4070 --m 4096 --n 4096 --k 4096 --tile 16,32,128\n\
         Example: roofswap rank --kernel linear_bf16 --size 4096 --to rtx-4070   # BF16 on tensor cores")]
pub(super) struct GemmArgs {
    /// The GPU it runs on
    #[arg(long, value_name = "GPU")]
    gpu: String,
    /// Rows of A and C (default: n)
    #[arg(long, value_name = "M", value_parser = matrix_side)]
    m: Option<u64>,
    /// Columns of B and C
    #[arg(long, value_name = "N", value_parser = matrix_side)]
    n: u64,
    /// Columns of A, rows of B (default: n)
    #[arg(long, value_name = "K", value_parser = matrix_side)]
    k: Option<u64>,
    /// Element type: fp32 alone, without tensor cores; others are kernels of `rank` and `predict`, such as linear_bf16
    #[arg(long, value_name = "TYPE", value_parser = element_type)]
    dtype: Option<ElementType>,
    /// Layout of A and B; the models do not tell layouts apart, rows of --data do
    #[arg(long, value_enum, default_value = "nn")]
    layout: Layout,
    /// Tiles to compare: 1, 2, 4, 8, 16, 32 (the tiled kernel), 128 (CUTLASS 128x128) (default: all)
    #[arg(long, value_name = "TILE", value_delimiter = ',')]
    tile: Vec<String>,
    /// Scalar of A B
    #[arg(long, default_value = "1", allow_negative_numbers = true)]
    alpha: f64,
    /// Scalar of C; where it is not 0, C is read
    #[arg(long, default_value = "0", allow_negative_numbers = true)]
    beta: f64,
    /// `paper4`: predict the 128x128 tile by paper 4's forest, trained on the rows of --data with power
    #[arg(long, value_enum, requires = "data", conflicts_with_all = PAPER4_IGNORES)]
    model: Option<GemmModel>,
    /// Measured GEMM rows: what they say of this GPU corrects time and power among their sizes
    #[arg(long, value_name = "FILE", num_args = 1..)]
    data: Vec<PathBuf>,
    #[command(flatten)]
    clocks: ClockArgs,
    /// How to write the table
    #[arg(long, value_enum, default_value = "table")]
    format: FormatChoice,
    /// Draw energy over time into this SVG file as well; `-` for stdout, without the table
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Colours of the picture
    #[arg(long, value_enum, default_value = "light")]
    theme: ThemeChoice,
}

/// Flags that the forest of `--model paper4` has no column for.
const PAPER4_IGNORES: [&str; 8] =
    ["tile", "svg", "layout", "alpha", "beta", "sm_clock", "mem_clock", "power_limit"];

/// `--model`.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum GemmModel {
    /// The multi-output forest of paper 4
    Paper4,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Layout {
    Nn,
    Nt,
    Tn,
    Tt,
}

impl Layout {
    fn as_str(self) -> &'static str {
        match self {
            Self::Nn => "nn",
            Self::Nt => "nt",
            Self::Tn => "tn",
            Self::Tt => "tt",
        }
    }
}

pub(super) fn run_gemm(args: &GemmArgs) -> Result<()> {
    let (gemm, tiles) = (args.gemm()?, tiles(&args.tile)?);
    if args.gpu.contains(',') {
        return Err(Usage("--gpu: give one GPU; gemm compares the tiles of one".into()).into());
    }
    let mut session = load::session_naming(&[], [args.gpu.as_str()], None)?;
    let gpu = match named_gpus::gpus(&session, std::slice::from_ref(&args.gpu))?[..] {
        [one] => one,
        _ => return Err(Usage("--gpu: give one GPU".into()).into()),
    };
    args.is_fp32(&gemm, &session.gpus[gpu].id)?;
    if args.model.is_some() {
        return ask_paper4(args, &session, &gemm, gpu);
    }
    let gpu = args.clocks.laid_targets(&mut session, &[gpu])?.pop().unwrap_or(gpu);
    let learned = if args.data.is_empty() {
        LearnedGemm::default()
    } else {
        learn_rows(&session, &reproduce_gemm::gemm_measurements(&session, &args.data)?, gpu)?
    };
    if session.gpus[gpu].board_id() != session.gpus[gpu].id && !args.data.is_empty() {
        output::remark("--data was measured at other clocks than those typed: nothing is learned from it");
    }
    let answers = answer_tiles(&session, &gemm, gpu, &tiles, &learned)?;
    let on = &session.gpus[gpu];
    let product = gemm.to_string();
    if let Some(path) = &args.svg {
        let chart = gemm_chart(on, &product, &answers);
        output::picture(&chart, args.theme.into(), path, args.data.iter().map(PathBuf::as_path))?;
        if output::is_stdout(path) {
            return Ok(());
        }
    }
    let format = args.format.into();
    let table = table::tile_table(on, &gemm, &answers, &learned.cautions, format);
    let table = fitted_to_screen(table, format, &LEAST_NEEDED);
    output::answer(table.render(format).as_bytes())?;
    match answers.first().and_then(|first| first.time.as_ref().err()) {
        Some(why) if answers.iter().all(|answer| answer.time.is_err()) => {
            bail!("nothing could be predicted: {why}")
        }
        _ => Ok(()),
    }
}

/// Columns that a narrow screen goes without, the first one first.
const LEAST_NEEDED: [&str; 10] = [
    "occ. limit",
    "from",
    "blocks/SM",
    "occ.",
    "90 % of power",
    "90 % of energy",
    "TFLOP/s",
    "power",
    "energy",
    "notes",
];

/// What paper 4's forest says of the product, from the rows of this GPU.
fn ask_paper4(args: &GemmArgs, session: &Session, gemm: &Gemm, gpu: GpuId) -> Result<()> {
    let rows = reproduce_gemm::gemm_measurements(session, &args.data)?;
    let own: Vec<GemmRow> =
        rows.iter().filter(|r| r.gpu == gpu).filter_map(GemmRow::from_measurement).collect();
    let asked = GemmRow::asked(gpu, gemm.size.map(|side| side as f64));
    let progress = Progress::default();
    let found = watched(&progress, || forest_answers(&own, &asked, &progress))?;
    let table = product_table(&gemm.to_string(), &session.gpus[gpu].name, &found, args.format.into());
    output::answer(table.render(args.format.into()).as_bytes())
}

impl GemmArgs {
    /// Refuses other types than that of the tiles, with the command that answers for them.
    fn is_fp32(&self, gemm: &Gemm, gpu_id: &str) -> Result<()> {
        let Some(dtype) = self.dtype.filter(|dtype| *dtype != ElementType::Fp32) else { return Ok(()) };
        let others = OTHER_TYPES.map(|(other, _)| other.as_str()).join(", ");
        let instead = match OTHER_TYPES.iter().any(|(other, _)| *other == dtype) {
            true => gemm.other_type_command(gpu_id, Some(dtype)),
            false => format!("of {others}: {}", gemm.other_type_command(gpu_id, None)),
        };
        Err(Usage(format!("--dtype {}: gemm is {ARITHMETIC}; {instead}", dtype.as_str())).into())
    }

    fn gemm(&self) -> Result<Gemm> {
        for (flag, value) in [("--alpha", self.alpha), ("--beta", self.beta)] {
            if !value.is_finite() {
                return Err(Usage(format!("{flag} {value}: expected a finite number")).into());
            }
        }
        let size = [self.m.unwrap_or(self.n), self.n, self.k.unwrap_or(self.n)];
        Ok(Gemm { size, layout: self.layout.as_str().into(), alpha: self.alpha, beta: self.beta })
    }
}

/// The tiles typed; all where none is.
fn tiles(typed: &[String]) -> Result<Vec<Tile>> {
    if typed.is_empty() || typed.iter().any(|t| t == "all") {
        return Ok(Tile::ALL.to_vec());
    }
    let known = |text: &String| {
        let side = text.split('x').next().unwrap_or_default();
        let side = side.parse::<u32>().ok().filter(|s| text == side || *text == format!("{s}x{s}"));
        let found = match side {
            Some(128) => Some(Tile::Library),
            Some(side) if SIDES.contains(&side) => Some(Tile::Side(side)),
            _ => None,
        };
        let why = || Usage(format!("--tile {text}: expected 1, 2, 4, 8, 16, 32 or 128 (CUTLASS), or all"));
        found.ok_or_else(|| why().into())
    };
    typed.iter().map(known).collect()
}
