//! `--time 4.2ms --threads 16x16 --regs 40 …`: a kernel of which nobody has a file.

use super::loop_work::{LoopArgs, StatedWork};
use super::numbers::{
    block_dimensions, dimensions, flop_count, launch_rate, launch_time, operation_count, register_count,
    shared_bytes, traffic_bytes,
};
use super::{Usage, output};
use crate::catalogue::ElementType;
use crate::kernel::{ArithmeticSource, Kernel, Launch, Problem, StatedArithmetic};
use crate::session::Session;
use crate::units::{Bytes, Flops, Seconds, TypedRate};
use crate::workload::TypedKernel;
use anyhow::Result;
use clap::Args;

/// Above these flags in the help; not `next_help_heading`, which would stand above all flags behind them too.
const TYPED_KERNEL: &str = "A kernel without a file, per launch";

/// The flags, as they were typed.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct TypedKernelArgs {
    /// Its measured time on the source, such as 4.2ms
    #[arg(long, help_heading = TYPED_KERNEL, value_name = "TIME", value_parser = launch_time)]
    time: Option<Seconds>,
    /// Its measured rate in place of the time, such as 700TFLOPS or 900GB/s of DRAM: of --flops or --dram-bytes, else of what the kernel
    /// counts at --size
    #[arg(long, help_heading = TYPED_KERNEL, value_name = "RATE", value_parser = launch_rate, conflicts_with = "time")]
    rate: Option<TypedRate>,
    /// Threads per block, such as 256 or 16x16
    #[arg(long, help_heading = TYPED_KERNEL, value_name = "N", value_parser = block_dimensions)]
    pub(super) threads: Option<[u64; 3]>,
    /// Blocks of the grid, such as 4096 or 64x64: how many waves they are
    #[arg(long, help_heading = TYPED_KERNEL, value_name = "N", requires = "threads", value_parser = dimensions)]
    grid: Option<[u64; 3]>,
    /// Registers per thread, at most 255: what a compiler can give one
    #[arg(long, help_heading = TYPED_KERNEL, value_name = "N", value_parser = register_count)]
    pub(super) regs: Option<u32>,
    /// Static shared memory per block; 8KB is 8192 bytes
    #[arg(long, help_heading = TYPED_KERNEL, value_name = "BYTES", alias = "smem-static", value_parser = shared_bytes)]
    pub(super) smem: Option<u32>,
    /// Dynamic shared memory per block
    #[arg(long, help_heading = TYPED_KERNEL, value_name = "BYTES", value_parser = shared_bytes)]
    pub(super) smem_dynamic: Option<u32>,
    /// Floating-point operations, such as 17.2GFLOP; a fused multiply-add counts two
    #[arg(long, help_heading = TYPED_KERNEL, value_name = "FLOP", value_parser = flop_count)]
    flops: Option<Flops>,
    /// 32-bit integer operations of all threads, such as 3.6e12 or 3.6T: hashes, indices, comparisons
    #[arg(long, help_heading = TYPED_KERNEL, value_name = "OPS", value_parser = operation_count)]
    int_ops: Option<f64>,
    /// Bytes moved from and to DRAM; 50MB is 50e6
    #[arg(long, help_heading = TYPED_KERNEL, value_name = "BYTES", alias = "bytes", value_parser = traffic_bytes)]
    dram_bytes: Option<Bytes>,
    /// Bytes through L2
    #[arg(long, help_heading = TYPED_KERNEL, value_name = "BYTES", value_parser = traffic_bytes)]
    l2_bytes: Option<Bytes>,
    /// Bytes touched before the same are touched again, such as 14GB of a model's weights: what has to fit L2 to stay there
    #[arg(long, help_heading = TYPED_KERNEL, value_name = "BYTES", value_parser = traffic_bytes)]
    working_set: Option<Bytes>,
    /// Element type: fp32, bf16, fp8 …
    #[arg(long, help_heading = TYPED_KERNEL, value_name = "TYPE", value_parser = element_type)]
    dtype: Option<ElementType>,
    /// Which pipe does its arithmetic, such as "tensor bf16 fp32" or fp32, with tile=128x128x64 stages=4 and mma.sync, wgmma or tcgen05
    /// where known: in place of what its name says
    #[arg(long, help_heading = TYPED_KERNEL, value_name = "PIPE", value_parser = stated_pipe)]
    pipe: Option<StatedArithmetic>,
    #[command(flatten)]
    of_loop: LoopArgs,
    /// Its name (default: typed); with --kernel it is that kernel's launch
    #[arg(long, help_heading = TYPED_KERNEL, value_name = "NAME", conflicts_with = "kernel")]
    name: Option<String>,
}

fn stated_pipe(text: &str) -> Result<StatedArithmetic, String> {
    StatedArithmetic::from_text(text, ArithmeticSource::Typed).map_err(|e| e.to_string())
}

pub(super) fn element_type(text: &str) -> Result<ElementType, String> {
    let all = || ElementType::ALL.map(ElementType::as_str).join(", ");
    ElementType::from_name(text).ok_or_else(|| format!("expected one of {}", all()))
}

impl TypedKernelArgs {
    /// Whether a kernel was typed at all.
    pub(super) fn is_typed(&self) -> bool {
        let Self { time, rate, threads, grid, regs, smem, smem_dynamic, name, .. } = self;
        let launch =
            threads.is_some() || grid.is_some() || regs.is_some() || smem.is_some() || smem_dynamic.is_some();
        let bytes = [self.dram_bytes, self.l2_bytes, self.working_set].iter().any(Option::is_some);
        let work = self.flops.is_some() || self.int_ops.is_some() || bytes || self.types_arithmetic();
        time.is_some() || rate.is_some() || launch || work || name.is_some() || self.of_loop.is_typed()
    }

    /// Threads per block, whatever their shape.
    pub(super) fn threads_per_block(&self) -> Option<u32> {
        let product = |shape: [u64; 3]| shape.iter().try_fold(1_u64, |a, b| a.checked_mul(*b));
        self.threads.map(|shape| product(shape).and_then(|n| u32::try_from(n).ok()).unwrap_or(u32::MAX))
    }

    /// The typed launch, where block and grid are known.
    pub(super) fn launch(&self) -> Option<Launch> {
        let (block, grid) = (self.threads?, self.grid?);
        Some(Launch { block: block.map(|n| u32::try_from(n).unwrap_or(u32::MAX)), grid })
    }

    /// The typed flags that say nothing of what fits an SM.
    pub(super) fn flags_beside_launch(&self) -> Vec<&'static str> {
        let flags = [
            (self.time.is_some(), "--time"),
            (self.rate.is_some(), "--rate"),
            (self.flops.is_some(), "--flops"),
            (self.int_ops.is_some(), "--int-ops"),
            (self.dram_bytes.is_some(), "--dram-bytes"),
            (self.l2_bytes.is_some(), "--l2-bytes"),
            (self.working_set.is_some(), "--working-set"),
            (self.dtype.is_some(), "--dtype"),
            (self.pipe.is_some(), "--pipe"),
            (self.of_loop.is_typed(), "a loop"),
        ];
        flags.into_iter().filter_map(|(is_typed, flag)| is_typed.then_some(flag)).collect()
    }

    fn types_arithmetic(&self) -> bool {
        self.dtype.is_some() || self.pipe.is_some()
    }

    /// Where nothing but the pipe or the type of a known kernel was typed: states it, and says so.
    ///
    /// # Errors
    /// An operator, which declares its types.
    pub(super) fn state_arithmetic(&self, session: &mut Session, kernel: &str) -> Result<bool> {
        let others = Self { dtype: None, pipe: None, ..self.clone() };
        let Some(known) = session.kernels.id_named(kernel) else { return Ok(false) };
        if others.is_typed() || !self.types_arithmetic() {
            return Ok(false);
        }
        let uses_tensor_cores = session.kernels[known].arithmetic_facts().is_tensor;
        let by_dtype = || self.dtype.map(|dtype| StatedArithmetic::with_dtype(dtype, uses_tensor_cores));
        let Some(stated) = self.pipe.clone().or_else(by_dtype) else { return Ok(false) };
        session.state_arithmetic(known, stated).map_err(Usage)?;
        Ok(true)
    }

    /// The kernel that was typed: this one or a new one, timed on this GPU, at this size.
    pub(super) fn kernel(
        &self,
        known: Option<&Kernel>,
        from: Option<&str>,
        size: Option<&str>,
    ) -> Result<TypedKernel> {
        let name = self.name.as_deref().or(known.map(|k| k.id.as_str()));
        let problem = match (size, known) {
            (None, _) => Problem::default(),
            (Some(size), _) if size.contains('=') => {
                Problem::typed(size, |key| known.is_some_and(|known| known.may_be_zero(key)))?
            }
            (Some(size), Some(known)) => known.typed(size)?,
            (Some(size), None) => {
                let text = format!("--size {size}: write the key as well, such as n={size}");
                return Err(Usage(text).into());
            }
        };
        let product = |sides: Option<[u64; 3]>| sides.map(|s| s.iter().product());
        let stated = StatedWork { flops: self.flops.is_some(), dram_bytes: self.dram_bytes.is_some() };
        self.of_loop.check_use(stated)?;
        let of_loop = self.of_loop.work(product(self.threads), product(self.grid))?;
        let mut typed = TypedKernel {
            name: name.map(str::to_string),
            gpu: from.map(str::to_string),
            time: self.time,
            block: self.threads,
            grid: self.grid,
            regs_per_thread: self.regs,
            smem_static_bytes: self.smem,
            smem_dynamic_bytes: self.smem_dynamic,
            flops: self.flops.or(of_loop.map(|w| w.flops)),
            int_ops: self.int_ops,
            dram_bytes: self.dram_bytes.or(of_loop.map(|w| w.bytes)),
            l2_bytes: self.l2_bytes,
            working_set: self.working_set,
            dtype: self.dtype,
            pipe: self.pipe.clone(),
            problem,
        };
        if let Some(rate) = self.rate {
            let time = typed.set_time_at_rate(rate, known)?;
            output::remark(format!("--rate {rate}: a time of {time}"));
        }
        Ok(typed)
    }
}
