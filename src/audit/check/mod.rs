//! One file per check. Each exports a `CHECK`; `src/audit/mod.rs` lists them.

pub(super) mod beyond_roof;
pub(super) mod calibration;
pub(super) mod compiled;
pub(super) mod contradictory_counts;
pub(super) mod copied;
pub(super) mod duplicates;
pub(super) mod first_launch;
pub(super) mod gather;
pub(super) mod idle_label;
pub(super) mod ignored_size;
pub(super) mod impossible_clock;
pub(super) mod impossible_launch;
pub(super) mod kernel_file;
pub(super) mod launch_floor;
pub(super) mod mixed_population;
pub(super) mod power;
pub(super) mod unknown_gpu;
pub(super) mod work_differs;

mod true_size;
