//! Nsight Compute: its CSV pages and its reports, both as launches with metrics, and the canonical row of a launch.
//!
//! What joins launches across GPUs is kernel, grid and block: a report knows no sizes. They make up the problem,
//! `grid=196;block=256` or `grid=64;grid_y=64;block=16;block_y=16`, all numbers, so that their product, the number of
//! threads, orders the sizes. A kernel whose grid follows the GPU's number of SMs is a different row on every GPU.

mod collector;
mod ids;
mod launch;
mod long_page;
mod messages;
mod metrics;
mod number;
pub(super) mod page;
pub(super) mod report;
mod utilisation;
mod wide_page;

pub(in crate::import) use launch::launch_problem;
pub(super) use number::half_digit;
