//! Tables that a person reads and a program parses: what `predict`, `gpus`, `kernels`, `occupancy` and `models` answer.
//!
//! Every builder returns a [`Table`]; [`Table::render`] turns it into text, JSON, CSV or Markdown. Nothing here prints.
//!
//! [`Table`]: table::Table
//! [`Table::render`]: table::Table::render

pub mod audit;
pub mod batch;
pub mod breakdown;
mod cell;
mod column;
pub mod compiled;
pub mod evaluation;
mod footnotes;
pub mod gpus;
pub mod interval_words;
pub mod kernels;
pub mod metrics;
pub mod models;
pub mod occupancy;
pub mod prediction_overview;
pub mod predictions;
pub mod row_predictions;
pub mod sass;
pub mod shown;
pub mod side_by_side;
pub mod sources;
mod spool;
mod spooled_table;
mod stream;
pub mod table;
pub mod training;

pub use cell::TableCell;
pub use spool::Spool;
pub use stream::{RecordFormat, RecordStream, StreamFormat, TableStream, write_rows};
pub use table::{Align, Table, TableColumn, TableFormat, pretty_json};
