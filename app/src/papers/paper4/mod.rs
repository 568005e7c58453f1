//! "Understanding GEMM Performance and Energy on NVIDIA Ada Lovelace" (Liu and Halim) from its rows: Tables IV, V and VI,
//! and what its models are worth on problems they have not seen.

pub mod audited;
pub mod conclusions;
mod correlation;
pub mod equations;
mod figures;
pub mod models;
pub mod numpy;
pub mod predictions;
pub mod predictor;
pub mod prepare;
mod report;
mod study;
pub mod tables;
pub mod tiled;
mod tiled_table;

pub use figures::{prediction_figures, tiled_figures};
pub use report::Paper4Report;
pub use study::{ADA, Paper4, reproduce_published, reproduce_tables, tiled_conclusions};
pub use tiled_table::{regression_records, regression_table};
