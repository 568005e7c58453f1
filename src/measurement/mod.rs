//! What was measured: rows of the canonical CSV, and the store that joins them by kernel, problem, variant and GPU.

mod attributes;
mod canonical;
mod cells;
mod chunks;
mod columns;
mod content_hash;
mod csv;
mod dataset;
mod decimal;
mod details;
mod draft;
mod floors;
mod handed_over;
mod known_numbers;
mod launches;
mod line_guard;
mod lost_file;
mod measured;
mod new_kernels;
mod other_columns;
mod packed_bytes;
mod packed_column;
mod packed_rows;
mod packed_texts;
mod pipe_uses;
mod records;
mod refused;
mod row;
mod row_facts;
mod seen_floors;
mod sequences;
mod shortest_kernels;
mod side_by_side;
mod store;
mod text;
mod told_apart;
mod words;

pub use self::csv::{ReadError, ReadResult, RowError, read_csv, stream_csv};
pub(crate) use self::csv::{UNCLOSED_QUOTE, wrong_width_text};
pub use attributes::RowAttributes;
pub(crate) use canonical::is_column;
pub use canonical::{CanonicalRow, CanonicalTable, Number, write_csv, write_packed_to};
pub(crate) use cells::{RowRefusal as CellRefusal, dimensions, parsed_number, parsed_time, short_number};
pub(crate) use columns::header_names;
pub use dataset::Dataset;
pub use floors::{Floors, LaunchTiming, TRACED, collection};
pub(crate) use handed_over::check_lengths;
pub use handed_over::{read_packed_rows, read_rows};
pub use known_numbers::KnownNumbers;
pub use launches::{ConfigId, LaunchShape};
pub(crate) use line_guard::LineGuard;
pub use lost_file::LostTemporaryFile;
pub use measured::{FLUSHED_CACHES, Measurement, POWER_LIMIT_COLUMN, TYPED_SOURCE};
pub use other_columns::other_columns_note;
pub(crate) use packed_bytes::{PackedBytes, put_number};
pub use packed_rows::{PackedRowReader, PackedRows, PackedRowsTaken};
pub use refused::counted_reasons;
pub use seen_floors::{FloorsByKernel, LaunchFloors, SeenFloors};
pub use sequences::is_sequence;
pub use store::{Config, NearRow, SAME_CLOCK, Store};
pub use text::{RowSource, SharedWord};
pub(crate) use told_apart::{
    WorkOfLaunch, WorksByShape, is_shape, numbered_shape, shape_and_number, told_apart_text, work_of_shape,
};

/// From this utilisation in percent on, a reading of power is taken for the run's.
pub const BUSY_PERCENT: f64 = 90.0;

/// How many refused rows of a file are described; the rest are only counted.
pub(crate) const DESCRIBED: usize = 100;

/// The longest time of one launch that is believed, in milliseconds: eleven days.
pub(crate) const LONGEST_MS: f64 = 1e9;

/// The shortest time of one launch that is believed, in milliseconds: a nanosecond, a cycle or two.
pub(crate) const SHORTEST_MS: f64 = 1e-6;

/// Who timed it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TimingKind {
    /// A published figure that ships with the program.
    Published,
    /// A measurement of our own or of the user's.
    Measured,
}
