//! A row as it is kept: a million of them stand in memory.

use super::canonical::written_millis;
use super::details::ChunkDetails;
use super::row_facts::{FactsOfRow, Further, Small};
use super::text::RowSource;
use super::{Number, TimingKind};
use crate::gpu::GpuId;
use crate::kernel::{BlockSize, Count, KernelId, Launch, Mix, Operations, Problem, Work};
use crate::units::Seconds;
use std::sync::Arc;

/// One row: one GPU, one kernel, one configuration; per launch. What it says beside is kept with that of the rows around it.
#[derive(Debug, Clone)]
pub struct Measurement {
    /// Position of the GPU in its catalogue.
    pub gpu: GpuId,
    /// Position of the kernel in its catalogue.
    pub kernel: KernelId,
    /// The sizes.
    pub problem: Arc<Problem>,
    /// Time per launch.
    pub time: Seconds,
    /// Its line in the file; the first is 1.
    pub line: u32,
    /// Its place in the chunk.
    pub(super) place: u32,
    pub(super) of_chunk: Arc<ChunkDetails>,
}

/// Which chunk it was read with is no part of a row.
impl PartialEq for Measurement {
    fn eq(&self, other: &Self) -> bool {
        let plain = |row: &Self| (row.gpu, row.kernel, row.time, row.line, row.kind(), row.time_std());
        plain(self) == plain(other)
            && (&self.problem, self.variant(), self.dtype())
                == (&other.problem, other.variant(), other.dtype())
            && self.facts() == other.facts()
            && self.source().text() == other.source().text()
    }
}

/// What stands for the file of the rows of typed kernels, and where they come from.
pub const TYPED_SOURCE: &str = "typed";

impl Measurement {
    /// The file it was read from, as messages name it; empty where it was read from none.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.of_chunk.file
    }

    /// Whether it is that of a typed kernel: no file has it.
    #[must_use]
    pub fn is_typed(&self) -> bool {
        self.file() == TYPED_SOURCE
    }

    /// Published or the user's.
    #[must_use]
    pub fn kind(&self) -> TimingKind {
        self.of_chunk.kind
    }

    /// Tells code variants apart; often empty.
    #[must_use]
    pub fn variant(&self) -> &Arc<str> {
        self.of_chunk.variant(self.place)
    }

    /// Element type as the row has it; often empty.
    #[must_use]
    pub fn dtype(&self) -> &str {
        self.of_chunk.dtype(self.place)
    }

    /// Where the row comes from, as the row says.
    #[must_use]
    pub fn source(&self) -> RowSource<'_> {
        self.of_chunk.source(self.place)
    }

    #[inline]
    fn facts(&self) -> FactsOfRow<'_> {
        self.of_chunk.facts(self.place)
    }

    #[inline]
    fn further(&self) -> Option<&Further> {
        self.facts().further()
    }

    /// Any number column, in the column's own unit and as the file had it.
    #[must_use]
    pub fn number(&self, column: Number) -> Option<f64> {
        match NumberPlace::column_place(column) {
            NumberPlace::Small(which) => self.facts().small(which).map(f64::from),
            NumberPlace::Time => Some(written_millis(self.time)),
            NumberPlace::TimeStd => self.time_std().map(written_millis),
            NumberPlace::Flops => self.facts().flops(),
            NumberPlace::DramBytes => self.facts().dram_bytes(),
            NumberPlace::Further(_) => {
                self.further()?.numbers.iter().find(|(n, _)| *n == column).map(|(_, value)| *value)
            }
        }
    }

    /// This count, where the row brings it.
    #[must_use]
    pub fn measured_count(&self, count: Count) -> Option<f64> {
        match count {
            Count::Flops => self.facts().flops(),
            Count::DramBytes => self.facts().dram_bytes(),
            rare => self.rare_counts().find(|(c, _)| *c == rare).map(|(_, value)| value),
        }
    }

    /// The counts that few rows bring.
    fn rare_counts(&self) -> impl Iterator<Item = (Count, f64)> {
        let numbers = self.further().into_iter().flat_map(|f| &f.numbers);
        let counts = numbers.filter_map(|(column, value)| match NumberPlace::column_place(*column) {
            NumberPlace::Further(Some(count)) => Some((count, *value)),
            _ => None,
        });
        counts.chain(self.further().into_iter().flat_map(|f| f.pipe_insts.iter().copied()))
    }

    /// The counts that the row brings.
    #[must_use]
    pub fn work(&self) -> Work {
        self.filling(Work::default())
    }

    /// These counts, and the row's where they have none.
    #[must_use]
    pub fn filling(&self, mut work: Work) -> Work {
        let facts = self.facts();
        for (count, value) in [(Count::Flops, facts.flops()), (Count::DramBytes, facts.dram_bytes())] {
            if value.is_some() && work.get(count).is_none() {
                work = work.with(count, value);
            }
        }
        // Most rows have no other counts.
        if facts.further().is_none() {
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
        let Some(further) = self.further().filter(|f| !f.numbers.is_empty()) else {
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
        self.of_chunk.deviation(self.place).get().map(Seconds)
    }

    /// Number of trials.
    #[must_use]
    pub fn trials(&self) -> Option<u32> {
        self.facts().small(Small::Trials)
    }

    /// Registers per thread.
    #[must_use]
    pub fn regs_per_thread(&self) -> Option<u32> {
        self.facts().small(Small::Regs)
    }

    /// Whether it says anything of the launch or of what a block asks for.
    #[must_use]
    pub fn describes_launch(&self) -> bool {
        let asks = [Small::Regs, Small::SmemStatic, Small::SmemDynamic];
        let facts = self.facts();
        let is_asked = || asks.iter().any(|n| facts.small(*n).is_some());
        facts.block().is_some() || facts.grid().is_some() || is_asked()
    }

    /// Static shared memory per block in bytes.
    #[must_use]
    pub fn smem_static(&self) -> Option<u32> {
        self.facts().small(Small::SmemStatic)
    }

    /// Dynamic shared memory per block in bytes.
    #[must_use]
    pub fn smem_dynamic(&self) -> Option<u32> {
        self.facts().small(Small::SmemDynamic)
    }

    /// Block and grid, if both are known.
    #[must_use]
    pub fn launch(&self) -> Option<Launch> {
        let facts = self.facts();
        facts.block().zip(facts.grid()).map(|(block, grid)| Launch { block, grid })
    }

    /// Threads per block, also where the grid is unknown.
    #[must_use]
    pub fn block(&self) -> Option<[u32; 3]> {
        self.facts().block()
    }

    /// The same, whatever their shape.
    #[must_use]
    pub fn threads_per_block(&self) -> Option<u32> {
        Some(self.block()?.iter().fold(1, |threads: u32, side| threads.saturating_mul(*side)))
    }

    /// Threads per block of a row whose grid is unknown.
    #[must_use]
    pub fn block_of_unknown_grid(&self) -> Option<BlockSize> {
        self.threads_per_block().filter(|_| self.grid().is_none()).map(BlockSize::Typed)
    }

    /// Blocks in the grid, also where the block is unknown.
    #[must_use]
    pub fn grid(&self) -> Option<[u64; 3]> {
        self.facts().grid()
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
        self.further().map_or(&[], |f| &f.attributes)
    }
}

/// The column of a row that states the power limit of its board in watts; kept as text.
pub const POWER_LIMIT_COLUMN: &str = "power_limit_w";

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
            Number::AtomicLineSectors => Self::Further(Some(Count::AtomicLineSectors)),
            Number::ScatteredSetBytes => Self::Further(Some(Count::ScatteredSetBytes)),
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
        assert_eq!(size_of::<Measurement>(), 40, "a million rows: each byte here is a megabyte");
    }
}
