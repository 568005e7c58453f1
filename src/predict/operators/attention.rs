//! Attention: blocks of queries over tiles of keys (prefill), one query over a split cache (decode). Softmax stands between two
//! products, so that tensor cores are busy for a part of the time alone and no power limit is met.

use super::constants::{
    DECODE_KEYS, DECODE_L2_PART, DECODE_OVERLAP, DECODE_PART, DECODE_READ_PART, FLASH_2, FLASH_3,
    FLASH_INFER, FamilyCosts, PREFILL_KEYS, PREFILL_L2_PART, PREFILL_OVERLAP, PREFILL_PART,
    PREFILL_READ_PART, PREFILL_TILES, TENSOR_PART, UNSEEN, WRITE_PART,
};
use super::hardware::{AttentionFamily, Hardware};
use super::{OperatorTimes, missing_share, node_time};
use crate::kernel::{AttentionSizes, OperatorType};

fn costs(hardware: &Hardware) -> FamilyCosts {
    match hardware.attention {
        AttentionFamily::Flash2 => FLASH_2,
        AttentionFamily::Flash3 => FLASH_3,
        AttentionFamily::FlashInfer => FLASH_INFER,
        AttentionFamily::Unseen => UNSEEN,
    }
}

/// FLOPs per clock and SM that are left beside the softmax.
fn rate_per_clock(hardware: &Hardware, part: f64) -> f64 {
    hardware.flops_per_clock() / TENSOR_PART * part
}

/// The times of causal prefill on this GPU.
pub(super) fn prefill_parts(
    hardware: &Hardware,
    types: OperatorType,
    sizes: AttentionSizes,
) -> OperatorTimes {
    let tilings = PREFILL_TILES.into_iter().flat_map(|tile| [false, true].map(|packed| (tile, packed)));
    let clocks = tilings.map(|((rows, part), packed)| Queries { rows, part, packed }.clocks(hardware, sizes));
    let tensor = clocks.fold(f64::INFINITY, f64::min) / hardware.clock;
    let AttentionSizes { batch, sequence, heads, kv_heads, head_size } = sizes;
    let read = batch * sequence * (heads + 2.0 * kv_heads) * head_size * types.input.element_bytes();
    let written = batch * sequence * heads * head_size * types.output.element_bytes();
    let missing = missing_share(hardware, read + written);
    let dram = (read / PREFILL_READ_PART + written / WRITE_PART) * missing / hardware.dram;
    let l2 = (read + written) / (hardware.l2 * PREFILL_L2_PART);
    let launch = costs(hardware).prefill_nodes * node_time(hardware);
    OperatorTimes::joined(launch, [tensor, l2, dram], PREFILL_OVERLAP)
}

/// How prefill cuts its queries.
#[derive(Debug, Clone, Copy)]
struct Queries {
    /// Rows of a block.
    rows: f64,
    /// What this tile gets of the tensor rate.
    part: f64,
    /// Whether the heads that share keys stand in one block.
    packed: bool,
}

impl Queries {
    /// SM clocks of all blocks: whole waves, or the longest block.
    fn clocks(self, hardware: &Hardware, sizes: AttentionSizes) -> f64 {
        let AttentionSizes { batch, sequence, heads, kv_heads, head_size } = sizes;
        let group = if self.packed { heads / kv_heads } else { 1.0 };
        let span = self.rows / group;
        let blocks = batch * (heads / group) * (sequence * group / self.rows).ceil();
        let rate = rate_per_clock(hardware, PREFILL_PART) * self.part;
        let key_tile = 4.0 * self.rows * PREFILL_KEYS * head_size / rate;
        let usual =
            ((sequence.min(span) / PREFILL_KEYS).ceil() * ((sequence / span).max(1.0) + 1.0) / 2.0).max(1.0);
        let fixed = costs(hardware).prefill_clocks;
        let block = usual * key_tile + fixed;
        let longest = (sequence / PREFILL_KEYS).ceil() * key_tile + fixed;
        ((blocks / hardware.sms).ceil() * block).max(longest)
    }
}

/// The times of decode on this GPU.
pub(super) fn decode_parts(hardware: &Hardware, types: OperatorType, sizes: AttentionSizes) -> OperatorTimes {
    let AttentionSizes { batch, sequence, heads, kv_heads, head_size } = sizes;
    let tensor = decode_clocks(hardware, types, sizes) / hardware.clock;
    let cache = 2.0 * batch * sequence * kv_heads * head_size * types.input.element_bytes();
    let moved = cache + 2.0 * batch * heads * head_size * types.output.element_bytes();
    let dram = moved * missing_share(hardware, moved) / (hardware.dram * DECODE_READ_PART);
    let l2 = moved / (hardware.l2 * DECODE_L2_PART);
    let launch = costs(hardware).decode_nodes * node_time(hardware);
    OperatorTimes::joined(launch, [tensor, l2, dram], DECODE_OVERLAP)
}

/// SM clocks of decode: the cache is split until every SM has a block.
fn decode_clocks(hardware: &Hardware, types: OperatorType, sizes: AttentionSizes) -> f64 {
    let AttentionSizes { batch, sequence, heads, kv_heads, head_size } = sizes;
    let costs = costs(hardware);
    let rows = (heads / kv_heads / costs.decode_rows).ceil() * costs.decode_rows;
    let (blocks, key_tiles) = (batch * kv_heads, (sequence / DECODE_KEYS).ceil());
    let split = (hardware.sms / blocks).floor().clamp(1.0, key_tiles);
    let each = (key_tiles / split).ceil();
    let arithmetic = 4.0 * rows * DECODE_KEYS * head_size * each / rate_per_clock(hardware, DECODE_PART);
    let taken_in = 2.0 * each * DECODE_KEYS * head_size * types.input.element_bytes();
    let taken_in = taken_in / costs.decode_bytes_per_clock;
    let block = arithmetic.max(taken_in) + costs.decode_clocks;
    let waves = (blocks * split / hardware.sms).ceil() * block;
    if split > 1.0 { waves + 0.5 * costs.decode_clocks } else { waves }
}
