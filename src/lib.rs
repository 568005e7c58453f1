//! roofswap: what if this kernel ran on that GPU instead?
//!
//! The rooms, lowest first; each may use only rooms above it in this list, with the exceptions `ARCHITECTURE.md` names and
//! `tests/architecture.rs` enforces.

pub mod answer;
pub mod application;
pub mod audit;
pub mod calendar;
pub mod catalogue;
pub mod chart;
pub mod cli;
pub mod columnar;
pub mod compiler;
pub mod config;
pub mod cores;
pub mod device;
pub mod evaluate;
pub mod gate;
pub mod gemm;
pub mod gpu;
pub mod import;
pub mod kernel;
pub mod learn;
pub mod measurement;
pub mod occupancy;
pub mod pair;
pub mod papers;
pub mod power;
pub mod predict;
pub mod progress;
pub mod rank;
pub mod report;
pub mod roofline;
pub mod session;
pub mod stats;
pub mod text;
pub mod train;
pub mod tui;
pub mod units;
pub mod whatif;
pub mod workload;
