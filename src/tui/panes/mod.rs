//! One file per pane; each draws itself and changes nothing.

pub(super) mod audit;
mod border;
pub(super) mod compare;
mod curves;
pub(super) mod evaluate;
pub(super) mod explain;
pub(super) mod files;
pub(super) mod gemm;
pub(super) mod gpus;
pub(super) mod header;
pub(super) mod models;
pub(super) mod occupancy;
pub(super) mod overlays;
pub(super) mod predictions;
pub(super) mod roofline;
