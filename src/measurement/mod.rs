//! What was measured: rows of the canonical CSV, and the store that joins them by kernel, problem, variant and GPU.

mod any;
mod canonical;
mod chunks;
mod columns;
mod csv;
mod dataset;
mod decimal;
pub mod import;
mod line_guard;
mod new_kernels;
mod records;
mod roofs;
mod row;
mod side_by_side;
mod store;
mod text;
mod words;

pub use self::csv::{ReadError, ReadResult, RowError, read_csv};
pub use any::{ReadAny, read_any};
use canonical::written_millis;
pub use canonical::{CanonicalRow, Number, read_rows, write_csv};
pub use dataset::Dataset;
pub(crate) use line_guard::LineGuard;
pub use roofs::with_achieved;
pub use store::{Config, ConfigId, Store};
pub use text::Text;

use crate::kernel::{Count, Launch, Mix, Operations, Problem, Work};
use crate::units::Seconds;
use std::sync::Arc;

/// How many refused rows of a file are described; the rest are only counted.
pub(crate) const DESCRIBED: usize = 100;

/// The longest time of one launch that is believed, in milliseconds: eleven days.
pub(crate) const LONGEST_MS: f64 = 1e9;

/// Who timed it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A published figure that ships with the program.
    Published,
    /// A measurement of our own or of the user's.
    Measured,
}

/// One row: one GPU, one kernel, one configuration; per launch.
#[derive(Debug, Clone, PartialEq)]
pub struct Measurement {
    /// Position of the GPU in its catalogue.
    pub gpu: usize,
    /// Position of the kernel in its catalogue.
    pub kernel: usize,
    /// The sizes.
    pub problem: Arc<Problem>,
    /// Tells code variants apart; often empty.
    pub variant: Arc<str>,
    /// Element type as the row has it; often empty.
    pub dtype: Arc<str>,
    /// Block and grid, if both are known; see also [`Measurement::block`] and [`Measurement::grid`].
    pub launch: Option<Launch>,
    /// Registers per thread.
    pub regs_per_thread: Option<u32>,
    /// Static shared memory per block in bytes.
    pub smem_static: Option<u32>,
    /// Dynamic shared memory per block in bytes.
    pub smem_dynamic: Option<u32>,
    /// Counts that the row brings.
    pub work: Work,
    /// Time per launch.
    pub time: Seconds,
    /// Its standard deviation over trials.
    pub time_std: Option<Seconds>,
    /// Number of trials.
    pub trials: Option<u32>,
    /// Published or the user's.
    pub kind: Kind,
    /// Where the row comes from, as the row says.
    pub source: Text,
    /// The file it was read from, as messages name it.
    pub file: Arc<str>,
    /// Its line there; the first is 1.
    pub line: u32,
    /// What few rows have; see [`Measurement::number`] and [`Measurement::attributes`].
    further: Option<Box<Further>>,
}

/// What few rows have.
#[derive(Debug, Clone, PartialEq, Default)]
struct Further {
    /// Numbers that have no field of their own.
    numbers: Box<[(Number, f64)]>,
    /// Columns nobody knows: name and text.
    attributes: Box<[(Arc<str>, Arc<str>)]>,
    /// Block or grid where the other is unknown.
    half: Option<Half>,
}

/// Half a launch.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Half {
    Block([u32; 3]),
    Grid([u64; 3]),
}

impl Measurement {
    /// Any number column, in the column's own unit and as the file had it.
    #[must_use]
    pub fn number(&self, column: Number) -> Option<f64> {
        match Place::of(column) {
            Place::Regs => self.regs_per_thread.map(f64::from),
            Place::SmemStatic => self.smem_static.map(f64::from),
            Place::SmemDynamic => self.smem_dynamic.map(f64::from),
            Place::Time => Some(written_millis(self.time)),
            Place::TimeStd => self.time_std.map(written_millis),
            Place::Trials => self.trials.map(f64::from),
            Place::Work(count) => self.work.get(count),
            Place::Further => {
                let numbers = &self.further.as_ref()?.numbers;
                numbers.iter().find(|(n, _)| *n == column).map(|(_, value)| *value)
            }
        }
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

    /// Threads per block, also where the grid is unknown.
    #[must_use]
    pub fn block(&self) -> Option<[u32; 3]> {
        let half = || match self.further.as_ref()?.half? {
            Half::Block(block) => Some(block),
            Half::Grid(_) => None,
        };
        self.launch.map(|l| l.block).or_else(half)
    }

    /// Blocks in the grid, also where the block is unknown.
    #[must_use]
    pub fn grid(&self) -> Option<[u64; 3]> {
        let half = || match self.further.as_ref()?.half? {
            Half::Grid(grid) => Some(grid),
            Half::Block(_) => None,
        };
        self.launch.map(|l| l.grid).or_else(half)
    }

    /// What stood in columns that nobody knows: name and text, in the order of the columns; blank ones are left out.
    #[must_use]
    pub fn attributes(&self) -> &[(Arc<str>, Arc<str>)] {
        self.further.as_ref().map_or(&[], |f| &f.attributes)
    }
}

/// Where a row keeps a number column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Regs,
    SmemStatic,
    SmemDynamic,
    Time,
    TimeStd,
    Trials,
    Work(Count),
    Further,
}

impl Place {
    fn of(column: Number) -> Self {
        match column {
            Number::RegsPerThread => Self::Regs,
            Number::SmemStatic => Self::SmemStatic,
            Number::SmemDynamic => Self::SmemDynamic,
            Number::Time => Self::Time,
            Number::TimeStd => Self::TimeStd,
            Number::Trials => Self::Trials,
            Number::Flops => Self::Work(Count::Flops),
            Number::DramBytes => Self::Work(Count::DramBytes),
            Number::L2Bytes => Self::Work(Count::L2Bytes),
            Number::L1Bytes => Self::Work(Count::L1Bytes),
            Number::WorkingSet => Self::Work(Count::WorkingSetBytes),
            Number::GlobalWarpInsts => Self::Work(Count::GlobalWarpInsts),
            Number::LsuWarpInsts => Self::Work(Count::LsuWarpInsts),
            Number::SmemWavefronts => Self::Work(Count::SmemWavefronts),
            Number::WarpInstsIssued => Self::Work(Count::WarpInstsIssued),
            Number::GlobalAtomicRequests => Self::Work(Count::GlobalAtomicRequests),
            Number::ActiveThreads => Self::Work(Count::ActiveThreadsPerInst),
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
            | Number::AchievedOccupancy
            | Number::RegsLimit
            | Number::SmemLimit
            | Number::WarpsLimit => Self::Further,
        }
    }
}
