//! How well a library's product fills the SMs: its result is cut into tiles, and an SM does whole ones.
//!
//! share = (b m n k / N) / min over tiles and splits of ceil(tiles / N) tm tn k' / e,  e = a / (a + 2),  a = tm tn / (tm + tn)
//!
//! The least counts what a power limit leaves of the clock: busier SMs draw more.
//!
//! | symbol | what it is |
//! |---|---|
//! | b, m, n, k | products, rows and columns of the result, inner dimension |
//! | N | SMs |
//! | tm, tn | rows and columns of a tile: 32, 64 or 128 |
//! | tiles | b ceil(m / tm) ceil(n / tn) times the parts that k is split into |
//! | k' | a part of k, in whole steps of 8 |
//! | e | what a tile gets of the multiply-adds: it loads tm + tn words for tm tn of them |
//!
//! Nobody says which tile a library takes on a GPU: the best one stands for its choice. Tiles are those of SGEMM kernels (CUTLASS and
//! cuBLAS have 32 to 128 both ways), steps of 8 as well; k is split only where the tiles alone fill every SM less than twice.
//!
//! For many products at once cuBLAS chooses less: no split, and a large tile however few rows there are. NeuSight's rows name the kernels of
//! 600 batched products on each of five GPUs: `maxwell_sgemm_128x64` for 598 on P4 and on P100, `ampere_sgemm_128x128` for 598 on A100, from
//! 64 x 64 to 128 x 64 on V100 and T4; on an H100 and an H200 (CUDA 13) all nine. That Ada does as the A100 and Blackwell as Hopper is assumed.
//!
//! A matrix times a vector is not cut: it has kernels of its own (`gemv2T` in a trace of PyTorch on an H100).
//! The 2 is a guess: 0 to 6 give NeuSight's products the same errors within 0.7 points (docs/models.md, "Another kernel on each GPU").
//! More SMs never make a product slower by it: ceil(tiles / N) falls.

use super::component_times::POWER_EXPONENT;
use crate::gpu::ComputeCapability;
use crate::kernel::ProductSizes;

/// Rows and columns of the result that a block makes.
pub(super) type ProductTile = (f64, f64);

const TILES: [ProductTile; 9] = [
    (128.0, 128.0),
    (128.0, 64.0),
    (64.0, 128.0),
    (64.0, 64.0),
    (128.0, 32.0),
    (32.0, 128.0),
    (64.0, 32.0),
    (32.0, 64.0),
    (32.0, 32.0),
];

/// Parts that the inner dimension is split into.
const SPLITS: [f64; 10] = [1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0];

/// The tiles that a library takes for many products at once, by compute capability. PyTorch's result is the transposed one of cuBLAS: its
/// 128x64 is 64 rows of 128 columns.
#[must_use]
pub(super) fn batched_tiles(capability: ComputeCapability) -> &'static [ProductTile] {
    match capability.major {
        ..=6 => &TILES[2..3],
        7 => &TILES[..3],
        8 => &TILES[..1],
        _ => &TILES,
    }
}

const DEPTH_STEP: f64 = 8.0;

/// Words of operands that cost as much as so many multiply-adds.
const LOAD_COST: f64 = 2.0;

/// What the cut of a product leaves of the SMs, both 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct TiledShare {
    /// Of their arithmetic.
    pub(super) arithmetic: f64,
    /// Of their time: an SM that waits for the others' last tiles draws no power.
    pub(super) busy: f64,
}

/// Of so many SMs whose arithmetic all of them together sustain at this share of its rate under the power limit; many products at once are
/// cut into one of these tiles. The best tile is the one that takes the shortest time under that limit.
#[must_use]
pub(super) fn tiled_share(
    product: ProductSizes,
    sms: f64,
    power_share: f64,
    batched: &[ProductTile],
) -> TiledShare {
    let ProductSizes { batch, m, n, k } = product;
    if m.min(n) <= 1.0 {
        return TiledShare { arithmetic: 1.0, busy: 1.0 };
    }
    let (tiles, splits) = if batch > 1.0 { (batched, &SPLITS[..1]) } else { (&TILES[..], &SPLITS[..]) };
    let (mut shortest, mut busiest, mut busy) = (f64::INFINITY, f64::INFINITY, 1.0);
    for (rows, columns) in tiles {
        let whole = batch * (m / rows).ceil() * (n / columns).ceil();
        let reuse = rows * columns / (rows + columns);
        let efficiency = reuse / (reuse + LOAD_COST);
        for split in splits {
            if *split > 1.0 && whole >= 2.0 * sms {
                break;
            }
            let depth = (k / split / DEPTH_STEP).ceil() * DEPTH_STEP;
            let each = (whole * split / sms).ceil();
            let of_sm = each * rows * columns * depth / efficiency;
            let of_busy = whole * split / (each * sms);
            let time = of_sm / shared_power(power_share, of_busy);
            if time < shortest {
                (shortest, busiest, busy) = (time, of_sm, of_busy);
            }
        }
    }
    TiledShare { arithmetic: (batch * m * n * k / sms / busiest).min(1.0), busy }
}

/// The share of its rate that a power limit leaves of arithmetic, 0 to 1, where all SMs at once have `power_share` and only this part of their
/// time is busy.
#[must_use]
#[inline]
pub(super) fn shared_power(power_share: f64, busy: f64) -> f64 {
    if power_share >= 1.0 { 1.0 } else { (power_share * busy.powf(-POWER_EXPONENT)).min(1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(n: f64) -> ProductSizes {
        ProductSizes { batch: 1.0, m: n, n, k: n }
    }

    fn share(product: ProductSizes, sms: f64) -> f64 {
        tiled_share(product, sms, 1.0, &[]).arithmetic
    }

    #[test]
    fn by_hand() {
        // 64 tiles of 128 x 128, one for each SM, which loads 256 words for 16384 multiply-adds.
        assert!((share(square(1024.0), 64.0) - 64.0 / 66.0).abs() < 1e-12);
        // 33 rows and columns need four tiles of 32 x 32, or one of 64 x 64, which loads less.
        let small = ProductSizes { batch: 1.0, m: 33.0, n: 33.0, k: 8.0 };
        assert!((share(small, 1.0) - 33.0 * 33.0 / 4096.0 * 32.0 / 34.0).abs() < 1e-12);
        // 72 tiles on 64 SMs: eight parts of each come out even.
        let uneven = ProductSizes { m: 1152.0, ..square(1024.0) };
        assert!((share(uneven, 64.0) - 64.0 / 66.0).abs() < 1e-12);
    }

    #[test]
    fn many_products_at_once_have_the_tiles_that_the_library_names() {
        // 40 products of 16 rows and 128 columns on 40 SMs.
        let narrow = ProductSizes { batch: 40.0, m: 16.0, n: 128.0, k: 64.0 };
        let cut = |major, product| {
            tiled_share(product, 40.0, 1.0, batched_tiles(ComputeCapability { major, minor: 0 }))
        };
        let of = |major, product| cut(major, product).arithmetic;
        let (large, wide) = (64.0 / 66.0, 128.0 / 3.0 / (128.0 / 3.0 + 2.0));
        assert!((of(8, narrow) - 16.0 / 128.0 * large).abs() < 1e-12);
        assert!((of(6, narrow) - 16.0 / 64.0 * wide).abs() < 1e-12);
        assert!((of(7, narrow) - of(6, narrow)).abs() < 1e-12);
        assert_eq!(of(8, ProductSizes { m: 1.0, ..narrow }), 1.0, "a vector");
        assert_eq!(cut(8, narrow).busy, 1.0);
        assert_eq!(cut(8, ProductSizes { batch: 10.0, ..narrow }).busy, 0.25, "ten tiles");
        assert_eq!(cut(8, ProductSizes { batch: 50.0, ..narrow }).busy, 0.625, "ten SMs have a second one");
        // Turned, 64 rows of 128 columns do not fit as well; Volta and Turing have 128 x 64.
        let turned = ProductSizes { m: 128.0, n: 16.0, ..narrow };
        assert!((of(6, turned) - 16.0 / 128.0 * wide).abs() < 1e-12);
        assert!((of(7, turned) - 16.0 / 64.0 * wide).abs() < 1e-12);
    }

    #[test]
    fn more_sms_take_no_longer_and_large_products_fill_them() {
        let batched = [6, 7, 8, 9].map(|major| batched_tiles(ComputeCapability { major, minor: 0 }));
        for product in [square(100.0), square(1000.0), ProductSizes { batch: 9.0, m: 33.0, n: 7.0, k: 515.0 }]
        {
            for tiles in batched {
                let mut last = f64::INFINITY;
                for sms in 1..200 {
                    let sms = f64::from(sms);
                    // So much power that 20 SMs have all they want.
                    let power = (sms / 20.0).powf(-POWER_EXPONENT).min(1.0);
                    let share = tiled_share(product, sms, power, tiles);
                    let time = 1.0 / (share.arithmetic * shared_power(power, share.busy) * sms);
                    assert!(time <= last * (1.0 + 1e-12), "{product:?} on {sms}");
                    last = time;
                }
            }
        }
        assert!(share(square(32_768.0), 80.0) > 0.95);
    }
}
