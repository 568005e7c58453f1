//! What was measured: rows of the canonical CSV, and the store that joins them by kernel, problem, variant and GPU.

mod any;
mod canonical;
mod csv;
mod dataset;
pub mod import;
mod line_guard;
mod roofs;
mod store;

pub use self::csv::{ReadError, ReadResult, RowError, read_csv, read_path};
pub use any::{ReadAny, read_any};
pub use canonical::{CanonicalRow, Number, write_csv};
pub use dataset::Dataset;
pub use roofs::with_achieved;
pub use store::{Config, ConfigId, Store};

use crate::kernel::{Launch, Problem, Work};
use crate::units::Seconds;
use std::sync::Arc;

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
#[derive(Debug, Clone)]
pub struct Measurement {
    /// Position of the GPU in its catalogue.
    pub gpu: usize,
    /// Position of the kernel in its catalogue.
    pub kernel: usize,
    /// The sizes.
    pub problem: Arc<Problem>,
    /// Tells code variants apart; often empty.
    pub variant: Arc<str>,
    /// Block and grid, if both are known.
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
    pub source: Arc<str>,
}
