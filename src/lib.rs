//! The engine of roofswap, what if this kernel ran on that GPU instead: the lower rooms, without a terminal.
//!
//! Programs use them by the names that the crate `roofswap` gives them. `ARCHITECTURE.md` says which room may use which, and
//! `tests/architecture.rs` enforces it.

pub mod answer;
pub mod audit;
pub mod calendar;
pub mod catalogue;
pub mod chart;
pub mod columnar;
pub mod compiler;
pub mod config;
pub mod cores;
pub mod device;
pub mod evaluate;
pub mod gpu;
pub mod import;
pub mod kernel;
pub mod learn;
pub mod measurement;
pub mod occupancy;
pub mod pair;
pub mod power;
pub mod predict;
pub mod progress;
pub mod report;
pub mod roofline;
pub mod session;
pub mod stats;
pub mod text;
pub mod train;
pub mod units;
