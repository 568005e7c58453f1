//! Attention: blocks of queries over tiles of keys (prefill), one query over a cache that may be cut (decode). Softmax stands
//! between two products, so that tensor cores are busy for a part of the time alone.
//!
//! | part | formula |
//! |---|---|
//! | launches | node (1 + k (n - 1)): n kernels by the library, each further one k of the first |
//! | prefill | waves x (chain + tiles x (products + softmax)), at least the block that sees every key, and all tiles at the power-limited clock |
//! | softmax | scores x (1 / XU lanes + 3.6 / FP32 lanes) clocks |
//! | decode | waves x (chain + (tiles - 1) x tile); or the cache cut into parts, one per SM, and the parts joined |
//! | DRAM | q, k, v and the result; in prefill also the store of keys and values and their second read |
//!
//! The chain is what a block takes from its first load to its last store, whatever it works out. It is the same number of clocks
//! in every library that was timed, so that it carries over to others. How many kernels there are, how many keys a tile has and
//! when a cache is cut are the libraries' rules (`families.rs` says which were read), seen as steps of the measured times.

use super::constants::{
    CUDA_CORE_PART, DECODE_CHAIN_CLOCKS, DECODE_L2_PART, DECODE_OVERLAP, DECODE_PART, DECODE_READ_PART,
    PREFILL_CHAIN_CLOCKS, PREFILL_L2_PART, PREFILL_OVERLAP, PREFILL_READ_PART, PREFILL_WRITE_PART,
    SOFTMAX_FP32_OPS, SOFTMAX_SHOWN_BESIDE_TCGEN05,
};
use super::families::{AttentionRules, attention_rules};
use super::hardware::Hardware;
use super::{OperatorTimes, missing_share, node_time};
use crate::gpu::{PREFILL_ENERGY, TENSOR_PART, TensorIssue};
use crate::kernel::{AttentionSizes, OperatorType};

/// Query heads per key head below which a library that has kernels for CUDA cores uses them (sglang's
/// `flashinfer_backend.py`, `should_use_tensor_core`: 16-bit types with a group of 4 or more).
const LEAST_TENSOR_GROUP: f64 = 4.0;

/// Rows of a block of prefill, and above how many rows of queries it is taken (FlashInfer's `utils.cuh`,
/// `FA2DetermineCtaTileQ`).
const SMALL_BLOCKS: [(f64, f64); 3] = [(128.0, 64.0), (64.0, 16.0), (16.0, 0.0)];

/// Rows of every other block of prefill.
const BLOCK_ROWS: f64 = 128.0;

/// Of every decode that was timed: the loads of a tile are as long as its keys are.
const TIMED_HEAD_SIZE: f64 = 128.0;

/// Rows that a product is padded to, however few a block holds.
const PADDED_ROWS: f64 = 64.0;

/// One tile of keys under a block of queries, in clocks of its SM.
struct TileClocks {
    products: f64,
    softmax: f64,
}

impl TileClocks {
    /// Of so many rows of queries and keys of this head size.
    fn of(hardware: &Hardware, [rows, keys]: [f64; 2], head_size: f64) -> Self {
        let scores = rows * keys;
        let shown = match hardware.issue {
            TensorIssue::TensorMemory => SOFTMAX_SHOWN_BESIDE_TCGEN05,
            TensorIssue::Warp | TensorIssue::WarpGroup => 1.0,
        };
        Self {
            products: 4.0 * scores * head_size / hardware.flops_per_clock(),
            softmax: shown * scores * (1.0 / hardware.xu_lanes + SOFTMAX_FP32_OPS / hardware.fp32_lanes),
        }
    }

    fn all(&self) -> f64 {
        self.products + self.softmax
    }
}

/// Seconds of so many kernels of a graph, one after another.
fn launch_time(hardware: &Hardware, rules: &AttentionRules, kernels: f64) -> f64 {
    node_time(hardware) * (1.0 + rules.next_kernel * (kernels - 1.0))
}

/// The times of causal prefill on this GPU.
pub(super) fn prefill_parts(
    hardware: &Hardware,
    types: OperatorType,
    sizes: AttentionSizes,
) -> OperatorTimes {
    let rules = attention_rules(hardware.attention);
    let AttentionSizes { batch, sequence, heads, kv_heads, head_size } = sizes;
    let bytes_of = |heads: f64, each: f64| batch * sequence * heads * head_size * each;
    let read = bytes_of(heads + 2.0 * kv_heads, types.input.element_bytes());
    let stored = bytes_of(2.0 * kv_heads, types.input.element_bytes());
    let written = bytes_of(heads, types.output.element_bytes());
    let again = stored * missing_share(hardware, stored);
    let moved = (read + again) / PREFILL_READ_PART + (written + stored) / PREFILL_WRITE_PART;
    let dram = moved * missing_share(hardware, read + written + stored) / hardware.dram;
    let l2 = (read + written + 2.0 * stored) / (hardware.l2 * PREFILL_L2_PART);
    let PrefillClocks { all, full_clock, softmax } = prefill_clocks(hardware, &rules, sizes);
    let launch = launch_time(hardware, &rules, rules.kernels);
    let times = |tensor: f64| OperatorTimes::one_after_another(launch, [tensor, l2, dram], PREFILL_OVERLAP);
    let times = OperatorTimes::limited([all, full_clock].map(|clocks| clocks / hardware.clock), times);
    OperatorTimes { softmax: softmax / hardware.clock, ..times }
}

/// SM clocks of prefill.
#[derive(Debug, Clone, Copy)]
struct PrefillClocks {
    all: f64,
    /// Those that no power limit adds to.
    full_clock: f64,
    /// What of them is softmax.
    softmax: f64,
}

/// SM clocks of prefill: whole waves of blocks that see half of the keys, or the block that sees them all; all of it at the clock that the power limit
/// leaves, where that is longer.
fn prefill_clocks(hardware: &Hardware, rules: &AttentionRules, sizes: AttentionSizes) -> PrefillClocks {
    let AttentionSizes { batch, sequence, heads, kv_heads, head_size } = sizes;
    let group = heads / kv_heads;
    let queries = sequence * group;
    let rows = block_rows(rules, queries);
    let per_head = (queries / rows).ceil();
    let tiles = (sequence / rules.keys).ceil();
    let first = ((rows / group).min(sequence) / rules.keys).ceil();
    let usual = if per_head > 1.0 { 0.5 * (first + tiles) } else { tiles };
    let tile = TileClocks::of(hardware, [rows.max(PADDED_ROWS), rules.keys], head_size);
    let per_sm = batch * kv_heads * per_head / hardware.sms;
    let block = |tiles: f64| PREFILL_CHAIN_CLOCKS + tiles * tile.all();
    let busy = tile.products / tile.all();
    let limited = per_sm * usual * tile.all() / hardware.clock_share_at(PREFILL_ENERGY * busy);
    let full_clock = (per_sm.ceil() * block(usual)).max(block(tiles));
    let all = full_clock.max(limited);
    PrefillClocks { all, full_clock, softmax: all * (1.0 - busy) }
}

/// Rows of a block: the query heads that share keys stand in one.
fn block_rows(rules: &AttentionRules, queries: f64) -> f64 {
    let taken = SMALL_BLOCKS.into_iter().find(|(_, above)| rules.has_small_blocks && queries > *above);
    taken.map_or(BLOCK_ROWS, |(rows, _)| rows)
}

/// The times of decode on this GPU: with the cache whole, or cut, whichever is sooner done.
pub(super) fn decode_parts(hardware: &Hardware, types: OperatorType, sizes: AttentionSizes) -> OperatorTimes {
    let rules = attention_rules(hardware.attention);
    let AttentionSizes { batch, sequence, heads, kv_heads, head_size } = sizes;
    let cache = 2.0 * batch * sequence * kv_heads * head_size * types.input.element_bytes();
    let moved = cache + 2.0 * batch * heads * head_size * types.output.element_bytes();
    let dram = moved * missing_share(hardware, moved) / (hardware.dram * DECODE_READ_PART);
    let l2 = moved / (hardware.l2 * DECODE_L2_PART);
    let times = |clocks: f64, kernels: f64| {
        let launch = launch_time(hardware, &rules, kernels);
        OperatorTimes::streamed(launch, [clocks / hardware.clock, l2, dram], DECODE_OVERLAP)
    };
    let DecodeClocks { whole, cut } = decode_clocks(hardware, &rules, sizes);
    let whole = times(whole, rules.kernels);
    let cut = cut.map(|clocks| times(clocks, rules.kernels + rules.kernels_to_join));
    cut.filter(|cut| cut.time < whole.time).unwrap_or(whole)
}

/// SM clocks of decode.
#[derive(Debug, Clone, Copy)]
struct DecodeClocks {
    /// One block for all keys of a head.
    whole: f64,
    /// The keys of a head in parts, one per SM; `None` where there are no SMs or keys for two.
    cut: Option<f64>,
}

fn decode_clocks(hardware: &Hardware, rules: &AttentionRules, sizes: AttentionSizes) -> DecodeClocks {
    let AttentionSizes { batch, sequence, heads, kv_heads, head_size } = sizes;
    let (group, blocks) = (heads / kv_heads, batch * kv_heads);
    let tiles = (sequence / rules.keys).ceil();
    let rows = (group / rules.decode_rows).ceil() * rules.decode_rows;
    let rate = hardware.flops_per_clock() / TENSOR_PART * DECODE_PART;
    let arithmetic = 4.0 * rows * rules.keys * head_size / rate;
    let tile = arithmetic.max(rules.tile_clocks * head_size / TIMED_HEAD_SIZE);
    let on_cuda_cores = rules.has_cuda_core_kernels && group < LEAST_TENSOR_GROUP;
    let part = if on_cuda_cores { CUDA_CORE_PART } else { 1.0 };
    let block = |tiles: f64| part * (DECODE_CHAIN_CLOCKS + (tiles - 1.0) * tile);
    // A cache too short to be cut takes no longer than the shortest that is.
    let cut_tiles = tiles.max(rules.uncut_tiles + 1.0);
    // The last part may be shorter than the smallest.
    let most = (cut_tiles * rules.keys / rules.least_part).ceil();
    let parts = (hardware.sms / blocks).floor().min(most);
    DecodeClocks {
        whole: (blocks / hardware.sms).ceil() * block(tiles),
        cut: (parts >= 2.0).then(|| block((cut_tiles / parts).ceil()) + rules.join_clocks),
    }
}
