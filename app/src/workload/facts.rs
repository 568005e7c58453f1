//! The facts of a typed kernel: which words name them, and what their values may be.

use super::typed_kernel::TypedKernel;
use crate::catalogue::ElementType;
use crate::kernel::{ArithmeticSource, StatedArithmetic};
use crate::predict::LaunchNumber;
use crate::units::{
    Bytes, Flops, KiloBytes, Seconds, typed_bytes, typed_count, typed_dimensions, typed_flops, typed_seconds,
};

/// One thing that can be said of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fact {
    Name,
    Time,
    Block,
    Grid,
    Registers,
    StaticShared,
    DynamicShared,
    Flops,
    DramBytes,
    L2Bytes,
    IntOps,
    WorkingSet,
    Type,
    Pipe,
}

/// The words that name a fact, beside or glued to its value.
const WORDS: [(&str, Fact); 42] = [
    ("name", Fact::Name),
    ("kernel", Fact::Name),
    ("time", Fact::Time),
    ("thr", Fact::Block),
    ("thrd", Fact::Block),
    ("thread", Fact::Block),
    ("threads", Fact::Block),
    ("tpb", Fact::Block),
    ("block", Fact::Block),
    ("threads_per_block", Fact::Block),
    ("grid", Fact::Grid),
    ("blocks", Fact::Grid),
    ("blk", Fact::Grid),
    ("ctas", Fact::Grid),
    ("reg", Fact::Registers),
    ("regs", Fact::Registers),
    ("register", Fact::Registers),
    ("registers", Fact::Registers),
    ("regs_per_thread", Fact::Registers),
    ("smem", Fact::StaticShared),
    ("shmem", Fact::StaticShared),
    ("shared", Fact::StaticShared),
    ("static", Fact::StaticShared),
    ("smem_static", Fact::StaticShared),
    ("dsmem", Fact::DynamicShared),
    ("dynamic", Fact::DynamicShared),
    ("smem_dynamic", Fact::DynamicShared),
    ("flop", Fact::Flops),
    ("flops", Fact::Flops),
    ("dram", Fact::DramBytes),
    ("hbm", Fact::DramBytes),
    ("gmem", Fact::DramBytes),
    ("dram_bytes", Fact::DramBytes),
    ("l2", Fact::L2Bytes),
    ("l2_bytes", Fact::L2Bytes),
    ("int_ops", Fact::IntOps),
    ("working_set", Fact::WorkingSet),
    ("working_set_bytes", Fact::WorkingSet),
    ("dtype", Fact::Type),
    ("type", Fact::Type),
    ("precision", Fact::Type),
    ("pipe", Fact::Pipe),
];

/// The most threads, registers or bytes of shared memory that a flag of `u32` holds.
const MOST: f64 = u32::MAX as f64;

impl Fact {
    /// The fact that this word names: `regs`, `regs/thread`, `L2`.
    pub(super) fn named(word: &str) -> Option<Self> {
        let lower = word.trim_end_matches([':', '=']).to_lowercase().replace('-', "_");
        let bare = lower.split(['/']).next().unwrap_or_default();
        WORDS.iter().find(|(name, _)| *name == bare).map(|(_, fact)| *fact)
    }

    /// Its name in a message and on a chip.
    fn title(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Time => "time",
            Self::Block => "block",
            Self::Grid => "grid",
            Self::Registers => "registers per thread",
            Self::StaticShared => "shared memory per block",
            Self::DynamicShared => "dynamic shared memory per block",
            Self::Flops => "work",
            Self::DramBytes => "DRAM traffic",
            Self::L2Bytes => "L2 traffic",
            Self::IntOps => "integer operations",
            Self::WorkingSet => "working set",
            Self::Type => "data type",
            Self::Pipe => "pipe",
        }
    }

    /// What its value looks like.
    fn example(self) -> &'static str {
        match self {
            Self::Name => "my_kernel",
            Self::Time => "a time above 0, such as 4.2ms",
            Self::Block => "256 or 16x16",
            Self::Grid => "4096 or 64x64",
            Self::Registers => "40 (1 to 255)",
            Self::StaticShared | Self::DynamicShared => "8KB or 8192",
            Self::Flops => "17.2 GFLOP",
            Self::DramBytes => "50MB",
            Self::L2Bytes => "120MB",
            Self::IntOps => "3.6e12",
            Self::WorkingSet => "14GB",
            Self::Type => "fp32, bf16, fp8",
            Self::Pipe => "tensor-bf16-fp32 or fp32",
        }
    }

    /// Sets it to this value; what was understood, in words.
    ///
    /// # Errors
    /// What was expected, or that it was said before.
    pub(super) fn set(self, kernel: &mut TypedKernel, value: &str) -> Result<String, String> {
        let before = kernel.clone();
        if let Some(why) = self.refusal_anywhere(value) {
            return Err(why);
        }
        let shown = self.read(kernel, value.trim()).ok_or_else(|| {
            format!(
                "{} `{}`: expected {}",
                self.title(),
                crate::text::clipped_text(value, 30),
                self.example()
            )
        })?;
        if self.is_known(&before) {
            *kernel = before;
            return Err(format!("{} stands twice; give it once", self.title()));
        }
        Ok(format!("{} {shown}", self.title()))
    }

    /// Why no GPU launches this: more registers than a compiler gives a thread, more threads than a block has. One sentence wherever it is
    /// typed.
    fn refusal_anywhere(self, value: &str) -> Option<String> {
        match self {
            Self::Registers => {
                typed_count(value.trim())?;
                LaunchNumber::Registers.typed_value(value, 0).err()
            }
            Self::Block => {
                let sides = typed_dimensions(value.trim())?;
                let threads = sides.iter().try_fold(1_u64, |a, b| a.checked_mul(*b))?;
                LaunchNumber::Block.typed_value(&threads.to_string(), 0).err()
            }
            _ => None,
        }
    }

    fn is_known(self, kernel: &TypedKernel) -> bool {
        match self {
            Self::Name => kernel.name.is_some(),
            Self::Time => kernel.time.is_some(),
            Self::Block => kernel.block.is_some(),
            Self::Grid => kernel.grid.is_some(),
            Self::Registers => kernel.regs_per_thread.is_some(),
            Self::StaticShared => kernel.smem_static_bytes.is_some(),
            Self::DynamicShared => kernel.smem_dynamic_bytes.is_some(),
            Self::Flops => kernel.flops.is_some(),
            Self::DramBytes => kernel.dram_bytes.is_some(),
            Self::L2Bytes => kernel.l2_bytes.is_some(),
            Self::IntOps => kernel.int_ops.is_some(),
            Self::WorkingSet => kernel.working_set.is_some(),
            Self::Type => kernel.dtype.is_some(),
            Self::Pipe => kernel.pipe.is_some(),
        }
    }

    /// Reads the value into its field; how it is shown.
    fn read(self, kernel: &mut TypedKernel, value: &str) -> Option<String> {
        let shared = || typed_bytes(value, KiloBytes::Binary).map(|b| b.0).and_then(whole_below_most);
        let traffic = || typed_bytes(value, KiloBytes::Decimal).filter(|b| b.0 > 0.0);
        Some(match self {
            Self::Name => {
                let has_letters = value.contains(char::is_alphabetic);
                kernel.name = Some(has_letters.then(|| value.to_string())?);
                value.to_string()
            }
            Self::Time => set_positive(&mut kernel.time, typed_seconds(value)?, |t: Seconds| t.0)?,
            Self::Block => set_shape(&mut kernel.block, value, "threads")?,
            Self::Grid => set_shape(&mut kernel.grid, value, "blocks")?,
            Self::Registers => {
                let count = typed_count(value).filter(|n| (1..=255).contains(n))?;
                kernel.regs_per_thread = u32::try_from(count).ok();
                count.to_string()
            }
            Self::StaticShared => set_whole(&mut kernel.smem_static_bytes, shared()?),
            Self::DynamicShared => set_whole(&mut kernel.smem_dynamic_bytes, shared()?),
            Self::Flops => set_positive(&mut kernel.flops, typed_flops(value)?, |n: Flops| n.0)?,
            Self::DramBytes => set_positive(&mut kernel.dram_bytes, traffic()?, |n: Bytes| n.0)?,
            Self::L2Bytes => set_positive(&mut kernel.l2_bytes, traffic()?, |n: Bytes| n.0)?,
            Self::IntOps => set_positive(&mut kernel.int_ops, typed_flops(value)?.0, |n: f64| n)?,
            Self::WorkingSet => set_positive(&mut kernel.working_set, traffic()?, |n: Bytes| n.0)?,
            Self::Type => {
                let dtype = ElementType::from_name(value)?;
                kernel.dtype = Some(dtype);
                dtype.to_string()
            }
            Self::Pipe => {
                let stated = StatedArithmetic::from_text(value, ArithmeticSource::Typed).ok()?;
                let shown = stated.to_string();
                kernel.pipe = Some(stated);
                shown
            }
        })
    }
}

fn whole_below_most(bytes: f64) -> Option<u32> {
    ((0.0..=MOST).contains(&bytes) && bytes.fract() == 0.0).then_some(bytes as u32)
}

fn set_whole(field: &mut Option<u32>, bytes: u32) -> String {
    *field = Some(bytes);
    format!("{bytes} B")
}

fn set_positive<T: Copy + std::fmt::Display>(
    field: &mut Option<T>,
    value: T,
    number: fn(T) -> f64,
) -> Option<String> {
    (number(value) > 0.0).then(|| {
        *field = Some(value);
        value.to_string()
    })
}

fn set_shape(field: &mut Option<[u64; 3]>, value: &str, of: &str) -> Option<String> {
    let shape = typed_dimensions(value)?;
    let all = shape.iter().try_fold(1_u64, |a, b| a.checked_mul(*b))?;
    *field = Some(shape);
    Some(format!("{all} {of}"))
}
