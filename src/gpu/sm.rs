//! What one SM does per clock.

use crate::catalogue::Sourced;

/// What one SM does per clock.
#[derive(Debug, Clone, PartialEq)]
pub struct Sm {
    /// Load/store lanes.
    pub lsu_lanes: Sourced<f64>,
    /// Global load/store warp instructions per clock that hit L1, sustained.
    pub global_per_clock: Sourced<f64>,
    /// Shared-memory bytes per clock.
    pub shared_bytes_per_clock: Sourced<f64>,
    /// Warp instructions issued per clock.
    pub issue_per_clock: Sourced<f64>,
    /// Lanes of the ALU pipe: integer additions and logic.
    pub alu_lanes: Sourced<f64>,
    /// Lanes for 32-bit integer multiply-adds.
    pub imad_lanes: Sourced<f64>,
    /// Lanes of the XU pipe: special functions and conversions.
    pub xu_lanes: Sourced<f64>,
    /// Clock cycles from an FP32 instruction to one that needs its result.
    pub dependent_issue: Sourced<f64>,
    /// Instructions of straight-line code that its caches hold, where a limit is known.
    pub cached_insts: Option<Sourced<f64>>,
    /// Clock cycles that fetching adds to an instruction of a warp beyond them, where it does.
    pub fetch_cycles: Option<Sourced<f64>>,
    /// Warp instructions issued per clock beyond them, where those are fewer.
    pub streamed_per_clock: Option<Sourced<f64>>,
    /// Share of the L2 up to which buffers that are used again stay there whole, where somebody looked.
    pub l2_holds_all_until: Option<Sourced<f64>>,
    /// Share of the L2 from which nothing of them does.
    pub l2_holds_none_from: Option<Sourced<f64>>,
    /// Share of the tensor rate that instructions of one warp (`mma.sync`) reach, where newer ones do more.
    pub warp_mma_share: Option<Sourced<f64>>,
}
