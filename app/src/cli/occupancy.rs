//! `roofswap occupancy --gpu GPU (--kernel KERNEL | --threads N --regs N)`, or `--batch FILE`.

use super::asked_config::AskedConfig;
use super::changes::changed_gpus;
use super::choices::{CachingChoice, FormatChoice, RulesChoice};
use super::launch_edits::LaunchArgs;
use super::numbers::{carveout_percent, whole_number};
use super::terminal::fitted_to_screen;
use super::typed_kernel::TypedKernelArgs;
use super::{Usage, load, named_gpus, occupancy_batch, output, question};
use crate::gpu::{Ceilings, GpuId};
use crate::kernel::{BlockSize, Kernel, RunsAs};
use crate::occupancy::{BlockNeeds, Carveout, Rules, launch_refusal};
use crate::pair::Pair;
use crate::predict::{self, RegistersFrom, Subject};
use crate::report::TableFormat;
use crate::report::batch::BatchSetup;
use crate::report::occupancy::{Resident, occupancy_table, overview_table};
use crate::session::Session;
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;

/// Columns of the table that a narrow screen goes without, the first one first.
const LEFT_OUT: [&str; 9] =
    ["best", "waves", "idle SMs", "last wave", "slots", "barriers", "next step", "warps/SM", "warps"];

#[derive(Debug, Args)]
#[command(
    after_help = "Example: roofswap occupancy --gpu rtx-4070,titan-v --kernel matmul_tiled --size n=1024\n\
    Batch: a line in is a line out. In: `cc threads regs static_smem dynamic_smem carveout [barriers [gc]]`: the compute \
    capability such as 8.9, per block threads, registers per thread, bytes of static and dynamic shared memory, the preferred carveout in \
    percent (-1 none), barriers (1 if left out), partitioned global caching 0, 1 or 2 (0 if left out); `#` begins a comment. \
    Out: `active flags lim_warps lim_regs lim_smem lim_blocks lim_barriers alloc_regs alloc_smem`: blocks per SM, what limits (W warps, \
    R registers, S shared memory, B block slots, N barriers), the blocks by each limit (-1 is none), registers and bytes of shared memory \
    that a block is given; `err` where the line cannot be read"
)]
pub(super) struct OccupancyArgs {
    /// GPUs, or `all`; with two, the change of the limiter is said
    #[arg(long, value_name = "GPU", value_delimiter = ',')]
    gpu: Vec<String>,
    /// A kernel of the catalogue; `roofswap kernels` lists them
    #[arg(long, conflicts_with_all = ["regs", "smem", "grid"])]
    kernel: Option<String>,
    /// Its sizes such as n=1024 (default: the smallest measured one)
    #[arg(long, value_name = "KEY=N", requires = "kernel", allow_hyphen_values = true)]
    size: Option<String>,
    /// Its code variant, where its file's formulas read one, such as MWG=64;NWG=64 (default: the file's example)
    #[arg(long, value_name = "KEY=N;…", requires = "kernel")]
    variant: Option<String>,
    #[command(flatten)]
    typed: TypedKernelArgs,
    #[command(flatten)]
    launch: LaunchArgs,
    /// Measurement files and profiler reports with kernels of their own
    #[arg(long, value_name = "FILE", num_args = 1..)]
    data: Vec<PathBuf>,
    #[command(flatten)]
    setup: KernelSetup,
    /// Configurations to answer, one per line; `-` for stdin
    #[arg(long, value_name = "FILE", conflicts_with_all = [
        "gpu", "kernel", "size", "variant", "time", "threads", "grid", "regs", "smem", "smem_dynamic", "flops",
        "dram_bytes", "l2_bytes", "working_set", "dtype", "pipe", "name", "LoopArgs", "launch", "barriers", "carveout",
        "global_caching", "rules", "format", "data",
    ])]
    batch: Option<PathBuf>,
    /// Change the GPUs, such as smem=128KiB,regs=+25%: hypothetical ones stand beside them
    #[arg(long, value_name = "CHANGES")]
    set: Option<String>,
    /// Occupancy arithmetic
    #[arg(long, value_enum, default_value = "exact")]
    rules: RulesChoice,
    /// How to write the table
    #[arg(long, value_enum, default_value = "table")]
    format: FormatChoice,
}

/// How the kernel was set up.
#[derive(Debug, Args)]
struct KernelSetup {
    /// Named barriers of a block (default: 1); they limit from compute capability 9.0 on
    #[arg(long, value_name = "N")]
    barriers: Option<u32>,
    /// Preferred shared memory in percent of the most there is; -1 for no preference (default: no preference)
    #[arg(long, value_name = "PERCENT", allow_hyphen_values = true,
        value_parser = carveout_percent)]
    carveout: Option<i64>,
    /// Partitioned global caching (5.2, 5.3, 6.1, 6.2) (default: off)
    #[arg(long, value_enum)]
    global_caching: Option<CachingChoice>,
    /// The kernel did not opt in to more than 48 KiB of dynamic shared memory
    #[arg(long)]
    no_opt_in: bool,
    /// Blocks per cluster (9.0 on)
    #[arg(long, value_name = "N", value_parser = whole_number)]
    cluster: Option<u32>,
}

impl KernelSetup {
    /// What was typed, over what is known of the kernel.
    fn changed_needs(&self, needs: BlockNeeds) -> BlockNeeds {
        BlockNeeds {
            barriers: self.barriers.unwrap_or(needs.barriers),
            carveout: self.carveout.and_then(Carveout::from_number).unwrap_or(needs.carveout),
            global_caching: self.global_caching.map_or(needs.global_caching, Into::into),
            opt_in: needs.opt_in && !self.no_opt_in,
            cluster: self.cluster.unwrap_or(needs.cluster),
            ..needs
        }
    }
}

pub(super) fn run_occupancy(args: &OccupancyArgs) -> Result<()> {
    if let Some(file) = &args.batch {
        let usual = BatchSetup::default();
        let cluster = args.setup.cluster.unwrap_or(usual.cluster);
        return occupancy_batch::run_occupancy_batch(
            file,
            BatchSetup { opt_in: usual.opt_in && !args.setup.no_opt_in, cluster },
        );
    }
    question::size_is_read(args.size.as_deref())?;
    if args.gpu.is_empty() {
        let text = "no --gpu: give one GPU or several, for example --gpu rtx-4070, or --gpu all";
        return Err(Usage(text.into()).into());
    }
    if args.size.is_some() && args.kernel.is_none() {
        return Err(
            Usage("--size is the size of a kernel: give --kernel as well, or leave it out".into()).into()
        );
    }
    let rules: Rules = args.rules.into();
    let beside = args.typed.flags_beside_launch();
    if !beside.is_empty() {
        output::remark(format!("{}: occupancy does not depend on that", beside.join(", ")));
    }
    let mut session = load::session_naming(&args.data, args.gpu.iter().map(String::as_str), None)?;
    let mut gpus = named_gpus::target_gpus(&session, &args.gpu, None)?;
    gpus.extend(changed_gpus(&mut session, &gpus, args.set.as_deref())?);
    let rows = match (&args.kernel, args.typed.threads_per_block(), args.typed.regs) {
        (Some(name), ..) => of_kernel(&session, &gpus, name, args, rules)?,
        (None, Some(threads), Some(regs_per_thread)) => {
            let typed = &args.typed;
            let (smem_static, smem_dynamic) = (typed.smem.unwrap_or(0), typed.smem_dynamic.unwrap_or(0));
            let block =
                BlockNeeds { threads, regs_per_thread, smem_static, smem_dynamic, ..BlockNeeds::default() };
            let resident = |gpu: &GpuId| {
                let gpu = &session.gpus[*gpu];
                let plain = Resident {
                    gpu,
                    needs: block,
                    registers: None,
                    launch: typed.launch(),
                    refusal: None,
                    rules,
                    remark: String::new(),
                };
                args.changed_resident(plain)
            };
            gpus.iter().map(resident).collect()
        }
        _ => {
            let text = match (args.typed.threads, args.typed.regs) {
                (Some(_), None) => "no registers per thread: give --regs N",
                (None, Some(_)) => "no threads per block: give --threads N",
                _ => "no block: give --kernel NAME, or both --threads N and --regs N",
            };
            return Err(Usage(text.into()).into());
        }
    };
    let format: TableFormat = args.format.into();
    let table = if format.is_for_people() { overview_table(&rows) } else { occupancy_table(&rows) };
    output::answer(fitted_to_screen(table, format, &LEFT_OUT).render(format).as_bytes())
}

/// The same gathering of registers and shared memory as a prediction uses, so that the two cannot disagree.
fn of_kernel<'a>(
    session: &'a Session,
    gpus: &[GpuId],
    name: &str,
    args: &OccupancyArgs,
    rules: Rules,
) -> Result<Vec<Resident<'a>>> {
    let at = session.find_kernel(name)?;
    let kernel = &session.kernels[at];
    let asked = AskedConfig { size: args.size.as_deref(), variant: args.variant.as_deref(), source: None };
    let (mut subject, remarks) = asked.subject(session, at)?;
    remarks.into_iter().for_each(output::remark);
    typed_block(kernel, &mut subject, args)?;
    let home = subject.config.and_then(|config| session.store.rows_of(config).next()).map(|row| row.gpu);
    let home = home.filter(|_| !args.data.is_empty());
    let resident = |g: &GpuId| {
        let gpu = &session.gpus[*g];
        // The registers of a build that was timed elsewhere are those of its report.
        let source = home.filter(|_| !has_row(session, &subject, *g)).unwrap_or(*g);
        let pair = Pair::new((source, &session.gpus[source]), (*g, gpu));
        let on_target =
            predict::question(kernel, &subject, pair, &session.store, Ceilings::default(), rules).target;
        if args.typed.threads.is_some() && on_target.launch.is_some() {
            let text = format!("{}: its block was measured; change it with --launch block=N", kernel.id);
            return Err(Usage(text).into());
        }
        let Some(needs) = on_target.needs else {
            let more = match kernel.runs_as {
                RunsAs::Kernel => "give --threads N",
                RunsAs::Operator => "a library picks the kernel; give --threads N of the one it picked",
            };
            let text = format!("{}: its launch shape is not known; {more}", kernel.id);
            return Err(Usage(text).into());
        };
        let cautions: Vec<String> = on_target.build.iter().map(ToString::to_string).collect();
        let plain = Resident {
            gpu,
            needs,
            registers: Some(on_target.registers),
            launch: on_target.launch,
            refusal: on_target.refusal,
            rules,
            remark: cautions.join("; "),
        };
        Ok(args.changed_resident(plain))
    };
    gpus.iter().map(resident).collect()
}

/// Whether a row of this configuration is of this GPU.
fn has_row(session: &Session, subject: &Subject, gpu: GpuId) -> bool {
    subject.config.is_some_and(|config| session.store.row_on(config, gpu).is_some())
}

impl OccupancyArgs {
    /// The same with what was typed of its set-up and changed of its launch.
    fn changed_resident<'a>(&self, plain: Resident<'a>) -> Resident<'a> {
        let needs = self.launch.changed_needs(self.setup.changed_needs(plain.needs));
        if needs == plain.needs {
            return plain;
        }
        let launch = plain.launch.map(|launch| launch.in_blocks_of(needs.threads));
        let refusal = launch_refusal(&plain.gpu.cuda.limits, needs, launch.as_ref());
        let is_typed = needs.regs_per_thread != plain.needs.regs_per_thread;
        let registers = if is_typed { Some(RegistersFrom::Typed) } else { plain.registers };
        Resident { needs, launch, refusal, registers, ..plain }
    }
}

/// Puts typed threads and dynamic shared memory into a kernel that has no launch shape of its own.
fn typed_block(kernel: &Kernel, subject: &mut Subject, args: &OccupancyArgs) -> Result<()> {
    let TypedKernelArgs { threads, smem_dynamic, .. } = &args.typed;
    if threads.is_none() && smem_dynamic.is_none() {
        return Ok(());
    }
    if subject.instance.launch.is_some() {
        let text = format!(
            "{}: its file states its block; change it with --launch block=N,dynamic=BYTES, or give --threads N and --regs N \
             without --kernel",
            kernel.id
        );
        return Err(Usage(text).into());
    }
    if let Some(threads) = args.typed.threads_per_block() {
        subject.instance.block_size = Some(BlockSize::Typed(threads));
    }
    subject.instance.smem_dynamic = smem_dynamic.or(subject.instance.smem_dynamic);
    Ok(())
}
