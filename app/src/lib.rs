//! roofswap: what if this kernel ran on that GPU instead?
//!
//! The upper rooms, and those of the engine under the same roof. `ARCHITECTURE.md` says which may use which, and
//! `tests/architecture.rs` enforces it.

pub use roofswap_engine::{
    answer, audit, calendar, catalogue, chart, columnar, compiler, config, cores, device, evaluate, gpu,
    import, kernel, learn, measurement, occupancy, pair, power, predict, progress, report, roofline, session,
    stats, text, train, units,
};

pub mod application;
pub mod cli;
pub mod gate;
pub mod gemm;
pub mod papers;
pub mod rank;
pub mod tui;
pub mod whatif;
pub mod workload;
