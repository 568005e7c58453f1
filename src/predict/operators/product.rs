//! Matrix products: the best of a small set of tiles and splits, as a library would pick it for this GPU and shape.
//!
//! One SM does a tile of `rows x columns` in `2 rows columns / F` clocks per element of depth, F the FLOPs per clock of its
//! tensor cores, and takes in `(rows + columns) bytes` for it. Beside that it starts, fills its stages (with the depth) and stores
//! its result (with its size): in part behind the next tile where groups of warps take turns. Waves are whole: ceil(tiles / SMs).
//! Splitting the inner dimension makes more tiles and adds their parts in L2.

use super::constants::{
    CLUSTER_PART, FILL_CLOCKS, FILL_DEPTH, GROUP_TILE_SHOWN, L2_PART, OPERAND_ROOM, OPERAND_SETS, OVERLAP,
    PAIR_PART, REDUCTION_CLOCKS, RESULT_ROOM, SCALED_BYTES_PER_CLOCK, SM_BYTES_PER_CLOCK,
    STORE_BYTES_PER_CLOCK, TILE_CLOCKS, TILE_SHOWN,
};
use super::hardware::Hardware;
use super::{OperatorTimes, missing_share, node_time};
use crate::catalogue::ElementType;
use crate::gpu::{TENSOR_PART, TensorIssue as Issue};
use crate::kernel::{OperatorType, ProductSizes};

/// Rows and columns of the tiles that libraries have for operands of 16 bits on `mma.sync`.
const TILES: [(f64, f64); 16] = [
    (256.0, 128.0),
    (128.0, 256.0),
    (128.0, 128.0),
    (256.0, 64.0),
    (64.0, 256.0),
    (128.0, 64.0),
    (64.0, 128.0),
    (64.0, 64.0),
    (128.0, 32.0),
    (32.0, 128.0),
    (64.0, 32.0),
    (32.0, 64.0),
    (16.0, 64.0),
    (16.0, 128.0),
    (32.0, 32.0),
    (16.0, 32.0),
];

/// Rows, or columns, of the tiles on `wgmma` and `tcgen05`: one, two or four groups of warps.
const GROUP_ROWS: [f64; 3] = [64.0, 128.0, 256.0];

/// Columns, or rows, of them: the instruction has steps of 8, libraries use those of 32.
const GROUP_COLUMNS: [f64; 8] = [16.0, 32.0, 64.0, 96.0, 128.0, 160.0, 192.0, 256.0];

/// Elements of a tile whose sums fit the registers of one SM.
const LARGEST_TILE: f64 = 256.0 * 128.0;

/// The one tile of FP8 kernels with scales on `wgmma`.
const SCALED_TILES: [(f64, f64); 1] = [(128.0, 128.0)];

/// Parts of the inner dimension.
const SPLITS: [f64; 10] = [1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0];

/// Depth that a tile is padded to.
const DEPTH_STEP: f64 = 64.0;

/// Rows of the smallest `wgmma` and `tcgen05`.
const LEAST_GROUP_ROWS: f64 = 64.0;

/// Bytes of a part of a sum.
const PARTIAL_BYTES: f64 = 4.0;

/// The times of a product's parts on this GPU.
pub(super) fn product_parts(hardware: &Hardware, types: OperatorType, sizes: ProductSizes) -> OperatorTimes {
    let on_tiles = best_tiling(hardware, types, sizes) / hardware.clock;
    let flops = 2.0 * sizes.batch * sizes.m * sizes.n * sizes.k;
    let limited = flops / (hardware.tensor_rate * TENSOR_PART * hardware.clock_share());
    let operands = Operands::from_sizes(types, sizes);
    let (l2, dram) = (operands.l2_time(hardware), operands.dram_time(hardware));
    let times = |tensor: f64| OperatorTimes::streamed(node_time(hardware), [tensor, l2, dram], OVERLAP);
    OperatorTimes::limited([on_tiles.max(limited), on_tiles], times)
}

/// SM clocks of the best tile and split.
fn best_tiling(hardware: &Hardware, types: OperatorType, sizes: ProductSizes) -> f64 {
    let scaled = is_scaled(hardware, types);
    let splits = if scaled { &SPLITS[..1] } else { &SPLITS[..] };
    let mut best = f64::INFINITY;
    let mut consider = |tile: (f64, f64)| {
        let whole = Tiling { tile, split: 1.0 }.tile_count(sizes);
        for split in splits {
            // More parts of what fills every SM twice only add sums.
            if *split > 1.0 && whole > 2.0 * hardware.sms {
                break;
            }
            best = best.min(Tiling { tile, split: *split }.clocks(hardware, types, sizes));
        }
    };
    match hardware.issue {
        _ if scaled => SCALED_TILES.into_iter().for_each(consider),
        Issue::Warp => TILES.into_iter().for_each(consider),
        Issue::WarpGroup | Issue::TensorMemory => group_tiles(hardware.issue).for_each(&mut consider),
    }
    best
}

/// Whether a library runs its kernel of FP8 with scales: on Hopper, and the same is taken for compute capability 10.0; FP4 was never timed.
fn is_scaled(hardware: &Hardware, types: OperatorType) -> bool {
    types.input == ElementType::Fp8 && hardware.issue != Issue::Warp
}

/// The tiles of groups of warps.
fn group_tiles(issue: Issue) -> impl Iterator<Item = (f64, f64)> {
    let both_ways = |rows: f64| GROUP_COLUMNS.into_iter().flat_map(move |n| [(rows, n), (n, rows)]);
    // Only pairs of SMs hold the sums of the largest tile.
    let fits = move |tile: &(f64, f64)| tile.0 * tile.1 <= LARGEST_TILE || issue == Issue::TensorMemory;
    GROUP_ROWS.into_iter().flat_map(both_ways).filter(fits)
}

/// One way to cut a product.
#[derive(Debug, Clone, Copy)]
struct Tiling {
    /// Rows and columns.
    tile: (f64, f64),
    /// Parts of the inner dimension.
    split: f64,
}

impl Tiling {
    fn clocks(self, hardware: &Hardware, types: OperatorType, sizes: ProductSizes) -> f64 {
        let (rows, columns) = self.tile;
        let depth = (sizes.k / self.split / DEPTH_STEP).ceil() * DEPTH_STEP;
        let tiles = self.tile_count(sizes);
        let arithmetic = self.flops_per_depth(hardware) * depth / hardware.flops_per_clock();
        let taken_in =
            depth * (rows + columns) * types.input.bytes_with_scales() * shared_by_cluster(hardware);
        let beside = self.clocks_beside(types, depth);
        let shown = if hardware.issue == Issue::Warp { TILE_SHOWN } else { GROUP_TILE_SHOWN };
        let port = if is_scaled(hardware, types) { SCALED_BYTES_PER_CLOCK } else { SM_BYTES_PER_CLOCK };
        let one_tile = arithmetic.max(taken_in / port) + beside;
        // Nothing hides the start of the first tile and the end of the last one.
        let waves =
            (tiles / hardware.sms).ceil() * (arithmetic + shown * beside) + (1.0 - shown).max(0.0) * beside;
        let through_l2 = tiles * taken_in / (hardware.l2_per_clock() * L2_PART);
        waves.max(one_tile).max(through_l2) + self.reduction(hardware, sizes)
    }

    /// Tiles of all products and parts.
    fn tile_count(self, sizes: ProductSizes) -> f64 {
        let (rows, columns) = self.tile;
        sizes.batch * (sizes.m / rows).ceil() * (sizes.n / columns).ceil() * self.split
    }

    /// SM clocks of a tile's start, of filling its stages and of storing its result.
    fn clocks_beside(self, types: OperatorType, depth: f64) -> f64 {
        let stored = self.tile.0 * self.tile.1 * types.output.element_bytes();
        TILE_CLOCKS + FILL_CLOCKS * depth.min(FILL_DEPTH) + stored / STORE_BYTES_PER_CLOCK
    }

    /// FLOPs per element of depth, padded to the smallest instruction.
    fn flops_per_depth(self, hardware: &Hardware) -> f64 {
        let (short, long) = (self.tile.0.min(self.tile.1), self.tile.0.max(self.tile.1));
        let least = if hardware.issue == Issue::Warp { 0.0 } else { LEAST_GROUP_ROWS };
        2.0 * short * long.max(least)
    }

    fn reduction(self, hardware: &Hardware, sizes: ProductSizes) -> f64 {
        if self.split <= 1.0 {
            return 0.0;
        }
        let parts = self.split * sizes.batch * sizes.m * sizes.n * PARTIAL_BYTES;
        REDUCTION_CLOCKS + 2.0 * parts / (hardware.l2_per_clock() * L2_PART)
    }
}

fn shared_by_cluster(hardware: &Hardware) -> f64 {
    match hardware.issue {
        Issue::Warp => 1.0,
        Issue::WarpGroup => CLUSTER_PART,
        Issue::TensorMemory => PAIR_PART,
    }
}

/// Bytes of both operands and of the result.
#[derive(Debug, Clone, Copy)]
struct Operands {
    read: f64,
    written: f64,
}

impl Operands {
    fn from_sizes(types: OperatorType, sizes: ProductSizes) -> Self {
        let ProductSizes { batch, m, n, k } = sizes;
        let read = batch * (m * k + n * k) * types.input.bytes_with_scales();
        Self { read, written: batch * m * n * types.output.element_bytes() }
    }

    fn l2_time(self, hardware: &Hardware) -> f64 {
        (self.read + self.written) / (hardware.l2 * L2_PART)
    }

    /// What does not find its operands in L2, or no room for its result.
    fn dram_time(self, hardware: &Hardware) -> f64 {
        let read = self.read * missing_share(hardware, OPERAND_SETS * self.read + RESULT_ROOM * self.written);
        let written =
            self.written * missing_share(hardware, RESULT_ROOM * self.written + OPERAND_ROOM * self.read);
        (read + written) / hardware.dram
    }
}
