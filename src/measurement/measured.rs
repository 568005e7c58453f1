//! A row as it is kept: a million of them stand in memory, so that what few have costs the others one pointer.

use super::canonical::written_millis;
use super::{Number, SharedText, SharedWord, TimingKind};
use crate::gpu::GpuId;
use crate::kernel::{BlockSize, Count, KernelId, Launch, Mix, Operations, Problem, Work};
use crate::units::Seconds;
use std::sync::Arc;

/// One row: one GPU, one kernel, one configuration; per launch.
#[derive(Debug, Clone, PartialEq)]
pub struct Measurement {
    /// Position of the GPU in its catalogue.
    pub gpu: GpuId,
    /// Position of the kernel in its catalogue.
    pub kernel: KernelId,
    /// The sizes.
    pub problem: Arc<Problem>,
    /// Tells code variants apart; often empty.
    pub variant: Arc<str>,
    /// Element type as the row has it; often empty.
    pub dtype: SharedWord,
    /// Time per launch.
    pub time: Seconds,
    /// Published or the user's.
    pub kind: TimingKind,
    /// Where the row comes from, as the row says, and the file it was read from.
    pub source: SharedText,
    /// Its line there; the first is 1.
    pub line: u32,
    pub(super) time_std: KnownNumber,
    pub(super) flops: KnownNumber,
    pub(super) dram_bytes: KnownNumber,
    pub(super) small: SmallNumbers,
    /// Threads per block; zeros where nobody says, or where [`Further::wide_block`] does.
    pub(super) block: [u16; 3],
    /// Blocks; zeros where nobody says, or where [`Further::wide_grid`] does.
    pub(super) grid: [u32; 3],
    pub(super) further: Option<Box<Further>>,
}

/// A number, or NaN where nobody knows it.
#[derive(Clone, Copy)]
pub(super) struct KnownNumber(f64);

impl KnownNumber {
    pub(super) const NOT: Self = Self(f64::NAN);

    pub(super) fn new(value: f64) -> Self {
        Self(value)
    }

    fn get(self) -> Option<f64> {
        (!self.0.is_nan()).then_some(self.0)
    }
}

impl PartialEq for KnownNumber {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl std::fmt::Debug for KnownNumber {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.get().fmt(f)
    }
}

/// Small whole numbers that most rows have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Small {
    Regs,
    SmemStatic,
    SmemDynamic,
    Trials,
}

/// [`Small`] numbers, and which of them are known. Packed, for a million rows have them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(C, packed)]
pub(super) struct SmallNumbers {
    values: [u32; 4],
    known: u8,
}

impl SmallNumbers {
    pub(super) fn set(&mut self, which: Small, value: u32) {
        self.values[which as usize] = value;
        self.known |= 1 << which as u8;
    }

    fn get(self, which: Small) -> Option<u32> {
        (self.known & 1 << which as u8 != 0).then_some(self.values[which as usize])
    }
}

/// What few rows have.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Further {
    /// Numbers that have no field of their own.
    pub(super) numbers: Box<[(Number, f64)]>,
    /// Instructions of pipes, by how much of each the row says was used.
    pub(super) pipe_insts: Box<[(Count, f64)]>,
    /// Columns nobody knows: name and text.
    pub(super) attributes: Box<[(Arc<str>, Arc<str>)]>,
    /// A block of more than 65,535 threads in one dimension, which no GPU launches.
    pub(super) wide_block: Option<Box<[u32; 3]>>,
    /// A grid of more than 2^32 blocks in one dimension.
    pub(super) wide_grid: Option<Box<[u64; 3]>>,
}

impl Measurement {
    /// The file it was read from, as messages name it.
    #[must_use]
    pub fn file(&self) -> &str {
        self.source.file()
    }

    /// Any number column, in the column's own unit and as the file had it.
    #[must_use]
    pub fn number(&self, column: Number) -> Option<f64> {
        match NumberPlace::column_place(column) {
            NumberPlace::Small(which) => self.small.get(which).map(f64::from),
            NumberPlace::Time => Some(written_millis(self.time)),
            NumberPlace::TimeStd => self.time_std().map(written_millis),
            NumberPlace::Flops => self.flops.get(),
            NumberPlace::DramBytes => self.dram_bytes.get(),
            NumberPlace::Further(_) => {
                let numbers = &self.further.as_ref()?.numbers;
                numbers.iter().find(|(n, _)| *n == column).map(|(_, value)| *value)
            }
        }
    }

    /// This count, where the row brings it.
    #[must_use]
    pub fn measured_count(&self, count: Count) -> Option<f64> {
        match count {
            Count::Flops => self.flops.get(),
            Count::DramBytes => self.dram_bytes.get(),
            rare => self.rare_counts().find(|(c, _)| *c == rare).map(|(_, value)| value),
        }
    }

    /// The counts that few rows bring.
    fn rare_counts(&self) -> impl Iterator<Item = (Count, f64)> {
        let numbers = self.further.iter().flat_map(|f| &f.numbers);
        let counts = numbers.filter_map(|(column, value)| match NumberPlace::column_place(*column) {
            NumberPlace::Further(Some(count)) => Some((count, *value)),
            _ => None,
        });
        counts.chain(self.further.iter().flat_map(|f| f.pipe_insts.iter().copied()))
    }

    /// The counts that the row brings.
    #[must_use]
    pub fn work(&self) -> Work {
        self.filling(Work::default())
    }

    /// These counts, and the row's where they have none.
    #[must_use]
    pub fn filling(&self, mut work: Work) -> Work {
        for (count, value) in [(Count::Flops, self.flops.get()), (Count::DramBytes, self.dram_bytes.get())] {
            if value.is_some() && work.get(count).is_none() {
                work = work.with(count, value);
            }
        }
        // Most rows have no other counts.
        if self.further.is_none() {
            return work;
        }
        for (count, value) in self.rare_counts() {
            if work.get(count).is_none() {
                work = work.with(count, Some(value));
            }
        }
        // Bytes of shared memory took one wavefront for 128 of them, where none collided.
        if work.get(Count::SmemWavefronts).is_none() {
            let bytes = self.number(Number::SmemBytes);
            work = work.with(Count::SmemWavefronts, bytes.map(|bytes| bytes / 128.0));
        }
        let Mix { single, double, .. } = self.mix();
        for (pipe, threads) in [(Count::FmaWarpInsts, single), (Count::Fp64WarpInsts, double)] {
            let per_warp = work.active_lane_factor() / 32.0;
            if let Some(operations) = threads.filter(|_| work.get(pipe).is_none()) {
                work = work.with(pipe, Some(operations.total() * per_warp));
            }
        }
        work
    }

    /// Arithmetic by instruction and bytes of shared memory, as far as the row counts them.
    #[must_use]
    pub fn mix(&self) -> Mix {
        let Some(further) = self.further.as_ref().filter(|f| !f.numbers.is_empty()) else {
            return Mix::default();
        };
        let get = |column| further.numbers.iter().find(|(n, _)| *n == column).map(|(_, value)| *value);
        let operations = |fma, add, mul| Some(Operations { fma: get(fma)?, add: get(add)?, mul: get(mul)? });
        Mix {
            single: operations(Number::Fp32Fma, Number::Fp32Add, Number::Fp32Mul),
            double: operations(Number::Fp64Fma, Number::Fp64Add, Number::Fp64Mul),
            shared_bytes: get(Number::SmemBytes),
        }
    }

    /// Standard deviation of the time over trials.
    #[must_use]
    pub fn time_std(&self) -> Option<Seconds> {
        self.time_std.get().map(Seconds)
    }

    /// Number of trials.
    #[must_use]
    pub fn trials(&self) -> Option<u32> {
        self.small.get(Small::Trials)
    }

    /// Registers per thread.
    #[must_use]
    pub fn regs_per_thread(&self) -> Option<u32> {
        self.small.get(Small::Regs)
    }

    /// Whether it says anything of the launch or of what a block asks for.
    #[must_use]
    pub fn describes_launch(&self) -> bool {
        let asks = [Small::Regs, Small::SmemStatic, Small::SmemDynamic];
        self.block().is_some() || self.grid().is_some() || asks.iter().any(|n| self.small.get(*n).is_some())
    }

    /// Static shared memory per block in bytes.
    #[must_use]
    pub fn smem_static(&self) -> Option<u32> {
        self.small.get(Small::SmemStatic)
    }

    /// Dynamic shared memory per block in bytes.
    #[must_use]
    pub fn smem_dynamic(&self) -> Option<u32> {
        self.small.get(Small::SmemDynamic)
    }

    /// Block and grid, if both are known.
    #[must_use]
    pub fn launch(&self) -> Option<Launch> {
        self.block().zip(self.grid()).map(|(block, grid)| Launch { block, grid })
    }

    /// Threads per block, also where the grid is unknown.
    #[must_use]
    pub fn block(&self) -> Option<[u32; 3]> {
        if self.block != [0; 3] {
            return Some(self.block.map(u32::from));
        }
        self.further.as_ref()?.wide_block.as_deref().copied()
    }

    /// Threads per block of a row whose grid is unknown, whatever their shape.
    #[must_use]
    pub fn block_of_unknown_grid(&self) -> Option<BlockSize> {
        let block = self.block().filter(|_| self.grid().is_none())?;
        Some(BlockSize::Typed(block.iter().fold(1, |threads: u32, side| threads.saturating_mul(*side))))
    }

    /// Blocks in the grid, also where the block is unknown.
    #[must_use]
    pub fn grid(&self) -> Option<[u64; 3]> {
        if self.grid != [0; 3] {
            return Some(self.grid.map(u64::from));
        }
        self.further.as_ref()?.wide_grid.as_deref().copied()
    }

    /// Whether a profiler flushed the caches before the launch.
    #[must_use]
    pub fn caches_flushed(&self) -> bool {
        let [name, word] = FLUSHED_CACHES;
        self.attributes().iter().any(|(n, text)| **n == *name && **text == *word)
    }

    /// What stood in columns that nobody knows: name and text, in the order of the columns; blank ones are left out.
    #[must_use]
    pub fn attributes(&self) -> &[(Arc<str>, Arc<str>)] {
        self.further.as_ref().map_or(&[], |f| &f.attributes)
    }
}

/// The column and the word of a row whose caches a profiler flushed.
pub const FLUSHED_CACHES: [&str; 2] = ["caches", "flushed"];

/// Where a row keeps a number column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NumberPlace {
    Small(Small),
    Time,
    TimeStd,
    Flops,
    DramBytes,
    /// Among the numbers that few rows have: a count of [`Work`], or nothing that a model looks at.
    Further(Option<Count>),
}

impl NumberPlace {
    /// That of this column.
    pub(super) fn column_place(column: Number) -> Self {
        match column {
            Number::RegsPerThread => Self::Small(Small::Regs),
            Number::SmemStatic => Self::Small(Small::SmemStatic),
            Number::SmemDynamic => Self::Small(Small::SmemDynamic),
            Number::Time => Self::Time,
            Number::TimeStd => Self::TimeStd,
            Number::Trials => Self::Small(Small::Trials),
            Number::Flops => Self::Flops,
            Number::DramBytes => Self::DramBytes,
            Number::L2Bytes => Self::Further(Some(Count::L2Bytes)),
            Number::L1Bytes => Self::Further(Some(Count::L1Bytes)),
            Number::WorkingSet => Self::Further(Some(Count::WorkingSetBytes)),
            Number::GlobalWarpInsts => Self::Further(Some(Count::GlobalWarpInsts)),
            Number::GlobalWavefronts => Self::Further(Some(Count::GlobalWavefronts)),
            Number::LsuWarpInsts => Self::Further(Some(Count::LsuWarpInsts)),
            Number::SmemWavefronts => Self::Further(Some(Count::SmemWavefronts)),
            Number::WarpInstsIssued => Self::Further(Some(Count::WarpInstsIssued)),
            Number::GlobalAtomicRequests => Self::Further(Some(Count::GlobalAtomicRequests)),
            Number::ActiveThreads => Self::Further(Some(Count::ActiveThreadsPerInst)),
            Number::LoadRounds => Self::Further(Some(Count::LoadRounds)),
            Number::StraightLineInsts => Self::Further(Some(Count::StraightLineInsts)),
            Number::FmaWarpInsts => Self::Further(Some(Count::FmaWarpInsts)),
            Number::AluWarpInsts => Self::Further(Some(Count::AluWarpInsts)),
            Number::XuWarpInsts => Self::Further(Some(Count::XuWarpInsts)),
            Number::Fp64WarpInsts => Self::Further(Some(Count::Fp64WarpInsts)),
            Number::SmemBytes
            | Number::Power
            | Number::Energy
            | Number::SmClock
            | Number::MemClock
            | Number::GpuUtil
            | Number::Fp32Fma
            | Number::Fp32Add
            | Number::Fp32Mul
            | Number::Fp64Fma
            | Number::Fp64Add
            | Number::Fp64Mul
            | Number::Fp16Fma
            | Number::Fp16Add
            | Number::Fp16Mul
            | Number::PipeFma
            | Number::PipeAlu
            | Number::PipeXu
            | Number::PipeLsu
            | Number::PipeFp64
            | Number::PipeTensor
            | Number::AchievedOccupancy
            | Number::RegsLimit
            | Number::SmemLimit
            | Number::WarpsLimit => Self::Further(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_stays_small() {
        assert_eq!(size_of::<Measurement>(), 136, "a million rows: each byte here is a megabyte");
    }
}
