//! What the attention kernels of libraries do, by architecture: as their sources say where it is a rule, fitted where it is a cost.
//!
//! Read in public copies on 22 November 2026: FlashAttention's `hopper/heuristics.h` (`num_splits_heuristic`: one part where blocks fill
//! 0.8 of the SMs, or where there are at most four tiles), FlashInfer's `scheduler.cuh` (`PrefillSplitQOKVIndptr`: parts of 128 keys or
//! more) and `utils.cuh`, sglang's `flashinfer_backend.py`. How many kernels a graph has, and how many keys a tile, are not read but seen
//! as steps in the measured times.

use super::hardware::AttentionFamily;

/// How one library's attention runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct AttentionRules {
    /// Kernels of one operator: the store of keys and values, what plans, the attention, what joins its parts.
    pub(super) kernels: f64,
    /// Kernels more where a cache is cut.
    pub(super) kernels_to_join: f64,
    /// Keys of a tile.
    pub(super) keys: f64,
    /// Keys of the smallest part that a cache is cut into.
    pub(super) least_part: f64,
    /// A cache of so many tiles is never cut.
    pub(super) uncut_tiles: f64,
    /// Rows of queries that a block of decode is padded to.
    pub(super) decode_rows: f64,
    /// Whether blocks of prefill are smaller for short queries.
    pub(super) has_small_blocks: bool,
    /// Whether few query heads per key head run on CUDA cores.
    pub(super) has_cuda_core_kernels: bool,
    /// What a further kernel of a graph costs, over the first.
    pub(super) next_kernel: f64,
    /// SM clocks of decode per tile of keys of head size 128 after the first: two loads that follow each other.
    pub(super) tile_clocks: f64,
    /// SM clocks of joining the parts of a cache.
    pub(super) join_clocks: f64,
}

/// Of a library that was not measured: the values that three families share (docs/models.md, "Operators").
const UNSEEN: AttentionRules = AttentionRules {
    kernels: 2.0,
    kernels_to_join: 0.0,
    keys: 128.0,
    least_part: 128.0,
    uncut_tiles: 0.0,
    decode_rows: 64.0,
    has_small_blocks: false,
    has_cuda_core_kernels: false,
    next_kernel: 0.75,
    tile_clocks: 3500.0,
    join_clocks: 5000.0,
};

/// FlashAttention's kernels of `mma.sync`: four kernels (sglang's `FlashAttentionBackend`), no cut up to four tiles
/// (`num_splits_heuristic`), 64 keys a tile: the steps of the measured times.
const FLASH_2: AttentionRules = AttentionRules {
    kernels: 4.0,
    keys: 64.0,
    least_part: 64.0,
    uncut_tiles: 4.0,
    next_kernel: 0.9,
    tile_clocks: 3700.0,
    join_clocks: 13_500.0,
    ..UNSEEN
};

/// FlashAttention's kernels of `wgmma`: the same with 128 keys a tile, and launches that overlap (programmatic dependent launch).
const FLASH_3: AttentionRules =
    AttentionRules { kernels: 4.0, uncut_tiles: 4.0, next_kernel: 0.65, tile_clocks: 3000.0, ..UNSEEN };

/// FlashInfer: the store and the attention, one more to join; parts of 128 keys or more, blocks by the length of the queries.
const FLASH_INFER: AttentionRules = AttentionRules {
    kernels_to_join: 1.0,
    keys: 64.0,
    decode_rows: 16.0,
    has_small_blocks: true,
    has_cuda_core_kernels: true,
    next_kernel: 0.6,
    tile_clocks: 2700.0,
    join_clocks: 4300.0,
    ..UNSEEN
};

/// Those of the library that this GPU runs.
pub(super) fn attention_rules(family: AttentionFamily) -> AttentionRules {
    match family {
        AttentionFamily::Flash2 => FLASH_2,
        AttentionFamily::Flash3 => FLASH_3,
        AttentionFamily::FlashInfer => FLASH_INFER,
        AttentionFamily::Unseen => UNSEEN,
    }
}
