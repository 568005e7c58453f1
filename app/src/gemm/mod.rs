//! A matrix product as a workload: what was measured of it, what the models say of it tile by tile, and which tile to take.
//!
//! ```text
//! rows ─> sharing, learned, measured_tiles ─┐
//! physical ─────────────────────────────────┴─> answers ─> tiles ─> table, chart
//! ```

pub mod answers;
pub mod chart;
pub mod learned;
pub mod measured_tiles;
pub mod physical;
pub mod rows;
pub mod sharing;
pub mod table;
pub mod tiles;

pub use answers::{ARITHMETIC, Gemm, OTHER_TYPES, answer_tiles, learn_rows};
pub use chart::gemm_chart;
pub use rows::GemmRow;

/// What is predicted of a GEMM, in paper 4's order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum GemmTarget {
    /// Milliseconds.
    Time,
    /// Watts.
    Power,
    /// Joules.
    Energy,
    /// GFLOP/s; paper 4's column is called TFLOPS and holds these.
    Rate,
}

impl GemmTarget {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Time, Self::Power, Self::Energy, Self::Rate];

    /// The word in tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Time => "time, ms",
            Self::Power => "power, W",
            Self::Energy => "energy, J",
            Self::Rate => "GFLOP/s",
        }
    }

    /// The value of a row with a power.
    #[must_use]
    pub fn target_value(self, row: &GemmRow) -> Option<f64> {
        match self {
            Self::Time => Some(row.ms),
            Self::Power => row.watts,
            Self::Energy => row.joules(),
            Self::Rate => Some(row.gflops()),
        }
    }
}
