//! Matrix products, walked warp by warp, with what hangs over the matrices.

use super::simulated_counts::{Simulated, Words, grid, warps, words};

impl Simulated {
    fn multiply_adds(&mut self, threads: usize) {
        self.flops += 2.0 * threads as f64;
    }

    /// A load that is issued also where all lanes are outside: each chooses between a word and a zero.
    fn load_issued(&mut self, buffer: usize, words: &Words) {
        let before = self.global;
        self.load(buffer, words);
        if self.global == before {
            self.issue_global();
        }
    }
}

/// The word of an element of a row-major matrix, where there is one.
fn inside([rows, cols]: [usize; 2], row: usize, col: usize) -> Option<usize> {
    (row < rows && col < cols).then(|| row * cols + col)
}

pub(super) fn matmul_tiled([m, n, k]: [usize; 3]) -> Simulated {
    let mut s = Simulated::default();
    for (by, bx) in grid(m.div_ceil(32), n.div_ceil(32)) {
        s.new_block();
        for (step, warp) in
            (0..k.div_ceil(32)).flat_map(|step| warps([32, 32]).into_iter().map(move |w| (step, w)))
        {
            s.multiply_adds(warp.len() * 32);
            s.load_issued(0, &words(&warp, |x, y| inside([m, k], by * 32 + y, step * 32 + x)));
            s.load_issued(1, &words(&warp, |x, y| inside([k, n], step * 32 + y, bx * 32 + x)));
            s.shared(&words(&warp, |x, y| Some(32 * y + x)));
            s.shared(&words(&warp, |x, y| Some(32 * y + x)));
            (0..32).for_each(|i| s.shared(&words(&warp, |x, _| Some(32 * i + x))));
            (0..8).for_each(|_| s.shared_broadcast());
        }
        for warp in warps([32, 32]) {
            s.store(&words(&warp, |x, y| inside([m, n], by * 32 + y, bx * 32 + x)));
        }
    }
    s
}

pub(super) fn gemm_tiled([m, n, k, tile]: [usize; 4]) -> Simulated {
    let mut s = Simulated::default();
    for (by, bx) in grid(m.div_ceil(tile), n.div_ceil(tile)) {
        s.new_block();
        for warp in warps([tile, tile]) {
            for step in 0..k.div_ceil(tile) {
                s.multiply_adds(warp.len() * tile);
                s.load_issued(0, &words(&warp, |x, y| inside([m, k], by * tile + y, step * tile + x)));
                s.load_issued(1, &words(&warp, |x, y| inside([k, n], step * tile + y, bx * tile + x)));
                (0..2).for_each(|_| s.shared(&words(&warp, |x, y| Some(tile * y + x))));
                for i in 0..tile {
                    s.shared(&words(&warp, |_, y| Some(tile * y + i)));
                    s.shared(&words(&warp, |x, _| Some(tile * tile + tile * i + x)));
                }
            }
            s.store(&words(&warp, |x, y| inside([m, n], by * tile + y, bx * tile + x)));
        }
    }
    s
}

pub(super) fn matmul_naive([m, n, k]: [usize; 3]) -> Simulated {
    let mut s = Simulated::default();
    s.multiply_adds(m * n * k);
    for (by, bx) in grid(m.div_ceil(16), n.div_ceil(16)) {
        for warp in warps([16, 16]) {
            let own = |x: usize, y: usize| inside([m, n], by * 16 + y, bx * 16 + x);
            // A thread outside returns.
            for i in 0..k {
                s.load(0, &words(&warp, |x, y| own(x, y).map(|_| (by * 16 + y) * k + i)));
                s.load(1, &words(&warp, |x, y| own(x, y).map(|_| i * n + bx * 16 + x)));
            }
            s.store(&words(&warp, own));
        }
    }
    s
}

/// CUTLASS 2.x on the FP32 lanes: 256 threads, a tile of 128 x 128, steps of 8; single words are loaded. Of its output each warp
/// writes whole rows of 32 words.
pub(super) fn cutlass_simt([m, n, k]: [usize; 3]) -> Simulated {
    const SIDE: usize = 128;
    const DEPTH: usize = 8;
    let mut s = Simulated::default();
    for (by, bx) in grid(m.div_ceil(SIDE), n.div_ceil(SIDE)) {
        s.new_block();
        for step in 0..k.div_ceil(DEPTH) {
            s.multiply_adds(SIDE * SIDE * DEPTH);
            for first in (0..SIDE * DEPTH).step_by(32) {
                let a = |i: usize| inside([m, k], by * SIDE + i / DEPTH, step * DEPTH + i % DEPTH);
                let b = |i: usize| inside([k, n], step * DEPTH + i / SIDE, bx * SIDE + i % SIDE);
                s.load_issued(0, &(first..first + 32).map(a).collect());
                s.load_issued(1, &(first..first + 32).map(b).collect());
            }
        }
        for first in (0..SIDE * SIDE).step_by(32) {
            let c = |i: usize| inside([m, n], by * SIDE + i / SIDE, bx * SIDE + i % SIDE);
            s.store(&(first..first + 32).map(c).collect());
        }
    }
    // The load/store unit's other instructions depend on the layout.
    s.lsu = 0.0;
    s
}
