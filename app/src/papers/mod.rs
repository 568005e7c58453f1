//! The papers again, each a slice of its own: its rows, its models, its tables, what it published.
//!
//! Nothing in the product leans on this room; it stands on what the product answers.

pub mod figure;
pub mod hardware;
pub mod page;
pub mod paper1;
pub mod paper4;
pub mod power;

use crate::catalogue::FileError;
use crate::learn::LearnError;
use crate::measurement::ReadError;
use power::study::PowerError;

/// Why a paper's model cannot be made from files.
#[derive(Debug, thiserror::Error)]
pub enum FitError {
    /// A file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// Too little to learn from, or it was cancelled.
    #[error(transparent)]
    Learn(#[from] LearnError),
    /// Too little to fit power.
    #[error(transparent)]
    Power(#[from] PowerError),
    /// A table inside the program is damaged.
    #[error(transparent)]
    Table(#[from] FileError),
    /// No row is a matrix product.
    #[error(
        "no row has the sizes m, n and k: give the GEMM runs, such as paper 4's cutlass_sgemm_rtx4070 as canonical CSV or as its script wrote them"
    )]
    NoGemm,
}
