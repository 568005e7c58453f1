//! What was measured: rows of the canonical CSV, and the store that joins them by kernel, problem, variant and GPU.

mod any;
mod canonical;
mod chunks;
mod columns;
mod csv;
mod dataset;
mod decimal;
mod floors;
pub mod import;
mod line_guard;
mod measured;
mod new_kernels;
mod opened;
mod records;
mod refused;
mod roofs;
mod row;
mod side_by_side;
mod store;
mod text;
mod words;

pub use self::csv::{ReadError, ReadResult, RowError, read_csv};
pub use any::{ReadAny, read_any, read_opened};
pub use canonical::{CanonicalRow, Number, read_rows, write_csv};
pub(crate) use columns::header_names;
pub use dataset::Dataset;
pub use floors::{Floors, LaunchTiming, collection};
pub(crate) use line_guard::LineGuard;
pub use measured::Measurement;
pub use opened::{Format, Opened};
pub use refused::told;
pub use roofs::with_achieved;
pub(crate) use row::{Refusal as CellRefusal, dimensions, number, time};
pub use store::{Config, ConfigId, Store};
pub use text::Text;

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
