//! How well a library's product fills the SMs: its result is cut into tiles, and an SM does whole ones.
//!
//! share = (b m n k / N) / min over tiles and splits of ceil(tiles / N) tm tn k' / e,  e = a / (a + 2),  a = tm tn / (tm + tn)
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
//! The 2 is a guess: 0 to 6 give NeuSight's products the same errors within 0.7 points (docs/models.md, "Another kernel on each GPU").
//! More SMs never make a product slower by it: ceil(tiles / N) falls.

use crate::kernel::ProductSizes;

const TILES: [(f64, f64); 9] = [
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

const DEPTH_STEP: f64 = 8.0;

/// Words of operands that cost as much as so many multiply-adds.
const LOAD_COST: f64 = 2.0;

/// The share of so many SMs' arithmetic that the product gets, 0 to 1.
#[must_use]
pub(super) fn tiled_share(product: ProductSizes, sms: f64) -> f64 {
    let ProductSizes { batch, m, n, k } = product;
    let mut busiest = f64::INFINITY;
    for (rows, columns) in TILES {
        let whole = batch * (m / rows).ceil() * (n / columns).ceil();
        let reuse = rows * columns / (rows + columns);
        let efficiency = reuse / (reuse + LOAD_COST);
        for split in SPLITS {
            if split > 1.0 && whole >= 2.0 * sms {
                break;
            }
            let depth = (k / split / DEPTH_STEP).ceil() * DEPTH_STEP;
            let of_sm = (whole * split / sms).ceil() * rows * columns * depth;
            busiest = busiest.min(of_sm / efficiency);
        }
    }
    (batch * m * n * k / sms / busiest).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(n: f64) -> ProductSizes {
        ProductSizes { batch: 1.0, m: n, n, k: n }
    }

    #[test]
    fn by_hand() {
        // 64 tiles of 128 x 128, one for each SM, which loads 256 words for 16384 multiply-adds.
        assert!((tiled_share(square(1024.0), 64.0) - 64.0 / 66.0).abs() < 1e-12);
        // 33 rows and columns need four tiles of 32 x 32, or one of 64 x 64, which loads less.
        let small = ProductSizes { batch: 1.0, m: 33.0, n: 33.0, k: 8.0 };
        assert!((tiled_share(small, 1.0) - 33.0 * 33.0 / 4096.0 * 32.0 / 34.0).abs() < 1e-12);
        // 72 tiles on 64 SMs: eight parts of each come out even.
        let uneven = ProductSizes { m: 1152.0, ..square(1024.0) };
        assert!((tiled_share(uneven, 64.0) - 64.0 / 66.0).abs() < 1e-12);
    }

    #[test]
    fn more_sms_take_no_longer_and_large_products_fill_them() {
        for product in [square(100.0), square(1000.0), ProductSizes { batch: 9.0, m: 33.0, n: 7.0, k: 515.0 }]
        {
            let mut last = f64::INFINITY;
            for sms in 1..200 {
                let sms = f64::from(sms);
                let time = 1.0 / (tiled_share(product, sms) * sms);
                assert!(time <= last * (1.0 + 1e-12), "{product:?} on {sms}");
                last = time;
            }
        }
        assert!(tiled_share(square(32_768.0), 80.0) > 0.95);
    }
}
