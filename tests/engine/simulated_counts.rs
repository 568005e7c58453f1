//! The formulas of kernel files against a simulator that walks every warp of a launch: memory instructions, sectors through
//! L2, wavefronts of shared memory with their conflicts, atomics, FLOPs. The kernels are described here once more, from
//! their sources in `assets/kernels`, as what each warp does; nothing of the formulas is used.
//!
//! What the simulator takes for granted, as the files do: L1 keeps what one block reads, and nothing from block to block; an
//! instruction that no lane takes part in is not issued, but for the steps of a tree; a store writes bytes, and one that
//! leaves parts of sectors unwritten is seen as sectors only where a file says so.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

use super::simulated_products::{cutlass_simt, gemm_tiled, matmul_naive, matmul_tiled};
use roofswap::kernel::Count;
use roofswap::session::Session;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

static SHIPPED: LazyLock<Session> = LazyLock::new(|| Session::load(None).unwrap());

const LANES: usize = 32;
const WORDS_PER_SECTOR: usize = 8;

/// What was counted so far.
#[derive(Clone, Default)]
pub(super) struct Simulated {
    pub(super) flops: f64,
    pub(super) global: f64,
    pub(super) lsu: f64,
    wavefronts: f64,
    atomics: f64,
    /// Sectors that atomics change, by the line of 128 bytes.
    changed: BTreeMap<usize, f64>,
    l2_bytes: f64,
    /// Sectors of every load and store, each time.
    l1_bytes: f64,
    /// Sectors that the block at hand has read: buffer and sector.
    read: BTreeSet<(usize, usize)>,
}

/// The words that a warp's lanes touch; `None` for a lane that takes no part.
pub(super) type Words = Vec<Option<usize>>;

impl Simulated {
    pub(super) fn new_block(&mut self) {
        self.read.clear();
    }

    pub(super) fn load(&mut self, buffer: usize, words: &Words) {
        if words.iter().all(Option::is_none) {
            return;
        }
        self.issue_global();
        self.pass_l1(words);
        for word in words.iter().flatten() {
            if self.read.insert((buffer, word / WORDS_PER_SECTOR)) {
                self.l2_bytes += 32.0;
            }
        }
    }

    /// A store of whole words.
    pub(super) fn store(&mut self, words: &Words) {
        let written = words.iter().flatten().count();
        if written > 0 {
            self.issue_global();
            self.pass_l1(words);
            self.l2_bytes += 4.0 * written as f64;
        }
    }

    /// A store that is counted in sectors, those written in part `times` times.
    fn store_sectors(&mut self, words: &Words, times: f64) {
        let mut sectors: BTreeMap<usize, usize> = BTreeMap::new();
        words.iter().flatten().for_each(|w| *sectors.entry(w / WORDS_PER_SECTOR).or_default() += 1);
        if !sectors.is_empty() {
            self.issue_global();
            self.pass_l1(words);
        }
        for touched in sectors.into_values() {
            self.l2_bytes += if touched == WORDS_PER_SECTOR { 32.0 } else { 32.0 * times };
        }
    }

    fn pass_l1(&mut self, words: &Words) {
        let sectors: BTreeSet<usize> = words.iter().flatten().map(|word| word / WORDS_PER_SECTOR).collect();
        self.l1_bytes += 32.0 * sectors.len() as f64;
    }

    pub(super) fn issue_global(&mut self) {
        self.global += 1.0;
        self.lsu += 1.0;
    }

    /// An access of shared memory: as many wavefronts as different words lie in one bank.
    pub(super) fn shared(&mut self, words: &Words) {
        self.lsu += 1.0;
        let mut banks = vec![BTreeSet::new(); LANES];
        words.iter().flatten().for_each(|w| {
            banks[w % LANES].insert(*w);
        });
        self.wavefronts += banks.iter().map(BTreeSet::len).max().unwrap_or(0) as f64;
    }

    /// Four neighbouring words per lane, all lanes the same ones.
    pub(super) fn shared_broadcast(&mut self) {
        self.lsu += 1.0;
        self.wavefronts += 1.0;
    }

    fn global_atomic(&mut self, words: &Words) {
        self.lsu += 1.0;
        self.atomics += 1.0;
        let sectors: BTreeSet<usize> = words.iter().flatten().map(|w| w / WORDS_PER_SECTOR).collect();
        for sector in sectors {
            *self.changed.entry(sector / 4).or_default() += 1.0;
        }
        self.pass_l1(words);
        self.l2_bytes += 4.0 * words.iter().flatten().count() as f64;
    }
}

/// A warp: for each lane the threads' places in the block, x and y.
pub(super) fn warps(block: [usize; 2]) -> Vec<Vec<[usize; 2]>> {
    let threads: Vec<[usize; 2]> = (0..block[0] * block[1]).map(|i| [i % block[0], i / block[0]]).collect();
    threads.chunks(LANES).map(<[[usize; 2]]>::to_vec).collect()
}

/// The word of each lane by its place, where it takes part.
pub(super) fn words(warp: &[[usize; 2]], word: impl Fn(usize, usize) -> Option<usize>) -> Words {
    warp.iter().map(|[x, y]| word(*x, *y)).collect()
}

/// `reads` streams in, one out, one thread per element.
fn stream(n: usize, t: usize, reads: usize, flops: f64) -> Simulated {
    let mut s = Simulated { flops: flops * n as f64, ..Simulated::default() };
    for block in 0..n.div_ceil(t) {
        s.new_block();
        for warp in warps([t, 1]) {
            let at = words(&warp, |x, _| Some(block * t + x).filter(|i| *i < n));
            (0..reads).for_each(|buffer| s.load(buffer, &at));
            s.store(&at);
        }
    }
    s
}

fn strided_copy(n: usize) -> Simulated {
    let mut s = Simulated::default();
    for block in 0..n.div_ceil(8).div_ceil(256) {
        s.new_block();
        for warp in warps([256, 1]) {
            let at = words(&warp, |x, _| Some(8 * (block * 256 + x)).filter(|i| *i < n));
            s.load(0, &at);
            s.store_sectors(&at, 2.0);
        }
    }
    s
}

fn naive_transpose(rows: usize, cols: usize) -> Simulated {
    let mut s = Simulated::default();
    for (by, bx) in grid(rows.div_ceil(16), cols.div_ceil(16)) {
        s.new_block();
        for warp in warps([16, 16]) {
            let place = |x: usize, y: usize| {
                Some((by * 16 + y, bx * 16 + x)).filter(|(row, col)| *row < rows && *col < cols)
            };
            s.load(0, &words(&warp, |x, y| place(x, y).map(|(row, col)| row * cols + col)));
            s.store_sectors(&words(&warp, |x, y| place(x, y).map(|(row, col)| col * rows + row)), 2.0);
        }
    }
    s
}

fn shared_transpose(rows: usize, cols: usize) -> Simulated {
    let mut s = Simulated::default();
    for (by, bx) in grid(rows.div_ceil(32), cols.div_ceil(32)) {
        s.new_block();
        for warp in warps([32, 32]) {
            let inside = by * 32 + warp[0][1] < rows;
            s.load(0, &words(&warp, |x, y| inside.then_some((by * 32 + y) * cols + bx * 32 + x)));
            s.shared(&words(&warp, |x, y| Some(33 * y + x)));
            s.shared(&words(&warp, |x, y| Some(33 * x + y)));
            s.store(&words(&warp, |x, y| Some((bx * 32 + y) * rows + by * 32 + x)));
        }
    }
    s
}

pub(super) fn grid(down: usize, across: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..down).flat_map(move |y| (0..across).map(move |x| (y, x)))
}

/// A tree over the block: every warp issues two reads and a store a step, also where no lane takes part.
fn tree(s: &mut Simulated, t: usize, halves: impl Iterator<Item = (usize, usize)>) {
    for (taking, distance) in halves {
        for warp in warps([t, 1]) {
            let own = words(&warp, |x, _| (x < taking).then_some(x));
            let other = words(&warp, |x, _| (x < taking).then_some(x + distance));
            [&own, &other, &own].into_iter().for_each(|at| s.shared(at));
        }
    }
}

/// Partial sums of 512 elements by blocks of 256; `reads` arrays.
fn reduction(n: usize, reads: usize) -> Simulated {
    let blocks = n.div_ceil(512);
    let flops = if reads == 1 { n - blocks } else { 2 * n - blocks } as f64;
    let mut s = Simulated { flops, ..Simulated::default() };
    for block in 0..blocks {
        s.new_block();
        for warp in warps([256, 1]) {
            for half in 0..2 {
                let at = words(&warp, |x, _| Some(block * 512 + half * 256 + x).filter(|i| *i < n));
                (0..reads).for_each(|buffer| s.load(buffer, &at));
            }
            s.shared(&words(&warp, |x, _| Some(x)));
        }
        tree(&mut s, 256, [128, 64, 32, 16, 8, 4, 2, 1].into_iter().map(|half| (half, half)));
        s.shared(&vec![Some(0)]);
        s.store(&vec![Some(block)]);
    }
    s
}

fn softmax([rows, cols, t]: [usize; 3]) -> Simulated {
    let mut s = Simulated { flops: (rows * (6 * cols + t - 1)) as f64, ..Simulated::default() };
    for row in 0..rows {
        s.new_block();
        let halves = || {
            std::iter::successors(Some(t), |width| Some(width.div_ceil(2)))
                .take_while(|width| *width > 1)
                .map(|width| (width - width.div_ceil(2), width.div_ceil(2)))
        };
        for pass in 0..3 {
            for warp in warps([t, 1]) {
                for round in 0..cols.div_ceil(t) {
                    let at = |x: usize| Some(round * t + x).filter(|c| *c < cols);
                    let clamped =
                        |x: usize| if pass == 0 && round == 0 { Some(x.min(cols - 1)) } else { at(x) };
                    s.load(0, &words(&warp, |x, _| clamped(x).map(|c| row * cols + c)));
                    if pass == 2 {
                        s.store(&words(&warp, |x, _| at(x).map(|c| row * cols + c)));
                    }
                }
                if pass < 2 {
                    s.shared(&words(&warp, |x, _| Some(x)));
                    s.shared(&words(&warp, |_, _| Some(0)));
                }
            }
            if pass < 2 {
                tree(&mut s, t, halves());
            }
        }
    }
    s
}

/// Of an image with a square filter, where the result is smaller; the grid covers the image, stores are counted in sectors.
fn convolution([h, w, f]: [usize; 3]) -> Simulated {
    let (down, across) = (h + 1 - f, w + 1 - f);
    let mut s = Simulated { flops: (2 * f * f * down * across) as f64, ..Simulated::default() };
    for (by, bx) in grid(h.div_ceil(16), w.div_ceil(16)) {
        s.new_block();
        for warp in warps([16, 16]) {
            let output = |x: usize, y: usize| {
                Some((by * 16 + y, bx * 16 + x)).filter(|(row, col)| *row < down && *col < across)
            };
            for (dy, dx) in grid(f, f) {
                s.load(0, &words(&warp, |x, y| output(x, y).map(|(row, col)| (row + dy) * w + col + dx)));
                // The filter is a few sectors that every block finds in L1 or L2; its instruction counts, and the one sector
                // that passes L1 with it.
                let all_lanes = words(&warp, |x, y| output(x, y).map(|_| dy * f + dx));
                if all_lanes.iter().any(Option::is_some) {
                    s.issue_global();
                    s.pass_l1(&all_lanes);
                }
            }
            let at = words(&warp, |x, y| output(x, y).map(|(row, col)| row * across + col));
            s.store_sectors(&at, 1.0);
        }
    }
    s
}

fn histogram(n: usize) -> Simulated {
    let mut s = Simulated::default();
    for block in 0..n.div_ceil(256) {
        s.new_block();
        for warp in warps([256, 1]) {
            let own = words(&warp, |x, _| Some(x));
            s.shared(&own);
            let at = words(&warp, |x, _| Some(block * 256 + x).filter(|i| *i < n));
            s.load(0, &at);
            // All in one bin, which the compiler merges to one addition a warp.
            if at.iter().any(Option::is_some) {
                s.shared(&words(&warp, |_, _| Some(0)));
            }
            s.shared(&own);
            s.global_atomic(&own);
        }
    }
    s
}

/// Every launch that is walked: kernel, size, what the simulator found.
fn walked() -> Vec<(&'static str, String, Simulated)> {
    let mut all: Vec<(&str, String, Simulated)> = Vec::new();
    for n in [4096, 65536] {
        let size = format!("n={n}");
        all.push(("saxpy", size.clone(), stream(n, 256, 2, 2.0)));
        all.push(("vector_add", size.clone(), stream(n, 256, 2, 1.0)));
        all.push(("strided_copy_8", size.clone(), strided_copy(n)));
        all.push(("reduce_sum", size.clone(), reduction(n, 1)));
        all.push(("dot_product", size.clone(), reduction(n, 2)));
        all.push(("histogram", size, histogram(n)));
    }
    for (n, t) in [(10_000, 200), (8192, 64)] {
        all.push(("elementwise_add", format!("n={n};t={t}"), stream(n, t, 2, 1.0)));
        all.push(("elementwise_multiply", format!("n={n};t={t}"), stream(n, t, 2, 1.0)));
    }
    for (rows, cols) in [(64, 128), (256, 96)] {
        let size = format!("rows={rows};cols={cols}");
        all.push(("naive_transpose", size.clone(), naive_transpose(rows, cols)));
        all.push(("shared_transpose", size, shared_transpose(rows, cols)));
    }
    for [m, n, k] in [[64, 128, 96], [40, 72, 50], [256, 256, 256]] {
        all.push(("matmul_tiled", format!("m={m};n={n};k={k}"), matmul_tiled([m, n, k])));
    }
    // No multiples of a tile among them: edge blocks compute whole tiles.
    for [m, n, k] in [[64, 96, 128], [60, 88, 100], [33, 40, 64]] {
        let size = format!("m={m};n={n};k={k}");
        all.push(("matmul_naive", size.clone(), matmul_naive([m, n, k])));
        for tile in [8, 16, 32] {
            all.push(("gemm_tiled", format!("{size};tile={tile}"), gemm_tiled([m, n, k, tile])));
        }
    }
    for [m, n, k] in [[128, 256, 64], [129, 136, 60], [1, 512, 256]] {
        let size = format!("m={m};n={n};k={k}");
        all.push(("cutlass_simt_sgemm_128x128_8x2", size, cutlass_simt([m, n, k])));
    }
    for [rows, cols, t] in [[4, 1024, 256], [3, 64, 128], [3, 700, 96]] {
        all.push(("softmax", format!("rows={rows};cols={cols};t={t}"), softmax([rows, cols, t])));
    }
    for (h, w) in [(64, 96), (128, 256)] {
        let size = format!("h={h};w={w}");
        all.push(("conv2d_3x3", size.clone(), convolution([h, w, 3])));
        all.push(("conv2d_7x7", size, convolution([h, w, 7])));
    }
    all
}

/// Whether the file counts bytes through L1, and rows of this size are whole sectors, as its formula takes them.
fn compares_l1(id: &str, size: &str) -> bool {
    let kernel = SHIPPED.kernels.entry_named(id).unwrap();
    let is_whole = |pair: &str| {
        let (key, value) = pair.split_once('=').unwrap();
        ["rows", "t", "tile"].contains(&key) || value.parse::<usize>().unwrap() % WORDS_PER_SECTOR == 0
    };
    kernel.count_formula(Count::L1Bytes).is_some() && size.split(';').all(is_whole)
}

/// Which counts of the kernel's file are not those of the walk.
fn differing_counts(id: &str, size: &str, s: &Simulated) -> Vec<String> {
    let kernel = SHIPPED.kernels.entry_named(id).unwrap();
    let work = kernel.instance(&kernel.typed(size).unwrap(), "").unwrap().work;
    let mut counts = vec![
        (Count::Flops, s.flops),
        (Count::GlobalWarpInsts, s.global),
        (Count::LsuWarpInsts, s.lsu),
        (Count::SmemWavefronts, s.wavefronts),
        (Count::GlobalAtomicRequests, s.atomics),
        (Count::AtomicLineSectors, s.changed.values().copied().fold(0.0, f64::max)),
    ];
    // A naive product's L2 bytes are said to be compulsory: no walk gives them.
    if id != "matmul_naive" {
        counts.push((Count::L2Bytes, s.l2_bytes));
    }
    if compares_l1(id, size) {
        counts.push((Count::L1Bytes, s.l1_bytes));
    }
    let differing = |(count, walked): (Count, f64)| {
        // Of CUTLASS's product the load/store unit was not counted.
        let filed = work.get(count).or((walked == 0.0).then_some(0.0)).unwrap();
        let is_off = (filed - walked).abs() > 0.01 * walked.abs();
        is_off.then(|| format!("{id} {size}: {} is {filed} in the file, {walked} walked", count.name()))
    };
    counts.into_iter().filter_map(differing).collect()
}

#[test]
fn formulas_are_what_a_walk_through_every_warp_counts() {
    let walked = walked();
    assert!(walked.len() > 30);
    let off: Vec<String> = walked.iter().flat_map(|(id, size, s)| differing_counts(id, size, s)).collect();
    assert!(off.is_empty(), "{}", off.join("\n"));
}

/// Where a walk keeps one of its counts.
type CountOf = fn(&mut Simulated) -> &mut f64;

#[test]
fn a_wrong_count_is_seen() {
    let counts: [(Count, CountOf); 7] = [
        (Count::Flops, |s| &mut s.flops),
        (Count::GlobalWarpInsts, |s| &mut s.global),
        (Count::LsuWarpInsts, |s| &mut s.lsu),
        (Count::SmemWavefronts, |s| &mut s.wavefronts),
        (Count::GlobalAtomicRequests, |s| &mut s.atomics),
        (Count::L2Bytes, |s| &mut s.l2_bytes),
        (Count::L1Bytes, |s| &mut s.l1_bytes),
    ];
    let mut seen = [0; 7];
    for (id, size, walked) in walked() {
        for (seen, (count, of)) in seen.iter_mut().zip(counts) {
            let mut wrong = walked.clone();
            *of(&mut wrong) *= 1.03;
            // Three per cent of nothing is nothing.
            let is_left_out = match count {
                Count::L2Bytes => id == "matmul_naive",
                Count::L1Bytes => !compares_l1(id, &size),
                _ => false,
            };
            let is_compared = *of(&mut wrong) > 0.0 && !is_left_out;
            let off = differing_counts(id, &size, &wrong);
            assert_eq!(off.len(), usize::from(is_compared), "{id} {size} {}: {off:?}", count.name());
            assert!(off.iter().all(|text| text.contains(&format!(": {} is ", count.name()))), "{off:?}");
            *seen += off.len();
        }
    }
    assert!(seen.iter().all(|seen| *seen > 0), "{seen:?}");
}

#[test]
fn the_walk_by_hand() {
    // 4096 elements in 128 warps; two reads and a write each.
    let s = stream(4096, 256, 2, 2.0);
    assert_eq!((s.global, s.lsu, s.l2_bytes, s.flops), (384.0, 384.0, 12.0 * 4096.0, 8192.0));
    // A column of 32 words 32 apart lies in one bank, with one word of padding in all.
    let conflicts = |row: usize| {
        let mut s = Simulated::default();
        s.shared(&(0..32).map(|lane| Some(row * lane)).collect());
        s.wavefronts
    };
    assert_eq!((conflicts(32), conflicts(33), conflicts(34), conflicts(0)), (32.0, 1.0, 2.0, 1.0));
}
