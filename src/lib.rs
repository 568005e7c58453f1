//! roofswap: what if this kernel ran on that GPU instead?
//!
//! The rooms, lowest first; each may use only rooms above it in this list (`ARCHITECTURE.md`, `tests/architecture.rs`):
pub mod catalogue;
pub mod gpu;
pub mod kernel;
pub mod occupancy;
pub mod units;
