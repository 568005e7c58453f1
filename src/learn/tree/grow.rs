//! Growing one tree: greedy splits that lower the squared error most (CART; Breiman et al. 1984), as scikit-learn grows
//! them with `squared_error`. Equally good splits are common in our tables (columns that say the same), and which one wins
//! is left to chance there and here: the columns are tried in a random order at each node, and the first best one stays.

use super::bins::{Binned, BinnedColumn};
use super::{Node, Trees, depths, node_index};
use crate::learn::random::Random;

/// Gains closer than this are one: the same rows on both sides, summed in another order. Rounding must not choose the column.
const TIED: f64 = 1.0 + 1e-9;

/// What stops a tree.
#[derive(Debug, Clone)]
pub(in crate::learn) struct TreeLimits<'a> {
    /// The root is at depth 0.
    pub max_depth: usize,
    /// Fewest rows in a leaf.
    pub min_leaf: usize,
    /// Fewest rows in a node that is split.
    pub min_split: usize,
    /// Columns tried at a node.
    pub tried: usize,
    /// Per column 1 (never falls as the column rises), -1 (never rises) or 0; empty: no constraint.
    pub monotone: &'a [i8],
}

/// A row in the tree: its place, how often it was drawn, and its target.
#[derive(Debug, Clone, Copy)]
pub(in crate::learn) struct TreePoint {
    pub row: u32,
    pub weight: f32,
    pub target: f64,
}

/// A node still to be worked on: its place, its points, its depth, and the limits of its answer.
#[derive(Clone, Copy)]
struct OpenNode {
    node: usize,
    start: usize,
    end: usize,
    depth: usize,
    least: f64,
    most: f64,
}

/// Sums over one bin of a node.
#[derive(Clone, Copy, Default)]
struct Bin {
    sum: f64,
    weight: f32,
    rows: u32,
}

/// Sums over a node.
#[derive(Clone, Copy)]
struct NodeSums {
    weight: f64,
    mean: f64,
    rows: usize,
    pure: bool,
}

/// The best split so far.
#[derive(Clone, Copy)]
struct BestSplit {
    gain: f64,
    column: usize,
    /// Last bin that goes left, first that goes right.
    bins: (usize, usize),
    /// Means of both sides.
    means: (f64, f64),
}

/// Grows trees over one binned table; holds the memory they share.
pub(in crate::learn) struct Grower<'a> {
    binned: &'a Binned,
    limits: TreeLimits<'a>,
    histogram: Vec<Bin>,
    keys: Vec<u64>,
    order: Vec<usize>,
    scratch: Vec<TreePoint>,
    /// By column, whether it was searched at this node; its twins have the same splits with the same gains.
    searched: Vec<bool>,
}

impl<'a> Grower<'a> {
    pub(in crate::learn) fn new(binned: &'a Binned, limits: TreeLimits<'a>) -> Self {
        let most = binned.columns.iter().map(BinnedColumn::len).max().unwrap_or(0);
        Self {
            binned,
            limits,
            histogram: vec![Bin::default(); most],
            keys: Vec::new(),
            order: (0..binned.width()).collect(),
            scratch: Vec::new(),
            searched: vec![false; binned.width()],
        }
    }

    /// One tree over these points, which it reorders; adds what each column's splits saved to `gains`. The points' targets
    /// should be about centred, so that their sums keep their digits.
    pub(in crate::learn) fn grow(
        &mut self,
        points: &mut [TreePoint],
        random: &mut Random,
        gains: &mut [f64],
    ) -> Trees {
        // A tree must not depend on which trees this memory has served before.
        self.order.iter_mut().enumerate().for_each(|(at, column)| *column = at);
        let mut tree = Trees { roots: vec![0], ..Trees::default() };
        tree.push_leaf(0.0);
        let (least, most) = (f64::NEG_INFINITY, f64::INFINITY);
        let mut open = vec![OpenNode { node: 0, start: 0, end: points.len(), depth: 0, least, most }];
        while let Some(next) = open.pop() {
            let here = &mut points[next.start..next.end];
            let whole = NodeSums::from_points(here);
            let Some(split) = self.best(here, whole, &next, random) else {
                tree.answers[next.node] = whole.mean.clamp(next.least, next.most);
                continue;
            };
            gains[split.column] += split.gain;
            let column = &self.binned.columns[split.column];
            let middle = next.start + partition(here, &mut self.scratch, column, split.bins.0);
            let left = tree.nodes.len();
            tree.push_leaf(0.0);
            tree.push_leaf(0.0);
            tree.nodes[next.node] = Node {
                number: column.between(split.bins.0, split.bins.1),
                column: node_index(split.column),
                left: node_index(left),
            };
            open.extend(self.children(&next, left, middle, &split));
        }
        tree.depths = depths(&tree.nodes, &tree.roots);
        tree
    }

    /// Both sides of a split; under a constraint neither may cross the middle between them.
    fn children(&self, parent: &OpenNode, left: usize, middle: usize, split: &BestSplit) -> [OpenNode; 2] {
        let (low, high) =
            (split.means.0.clamp(parent.least, parent.most), split.means.1.clamp(parent.least, parent.most));
        let between = f64::midpoint(low, high);
        let depth = parent.depth + 1;
        let mut a = OpenNode { node: left, end: middle, depth, ..*parent };
        let mut b = OpenNode { node: left + 1, start: middle, depth, ..*parent };
        match self.limits.monotone.get(split.column) {
            Some(1) => (a.most, b.least) = (between, between),
            Some(-1) => (a.least, b.most) = (between, between),
            _ => {}
        }
        [b, a] // the left one is taken first
    }

    fn best(
        &mut self,
        here: &[TreePoint],
        whole: NodeSums,
        open: &OpenNode,
        random: &mut Random,
    ) -> Option<BestSplit> {
        let TreeLimits { max_depth, min_leaf, min_split, .. } = self.limits;
        let too_small = whole.rows < min_split || whole.rows < 2 * min_leaf;
        if open.depth >= max_depth || too_small || whole.pure {
            return None;
        }
        let mut best: Option<BestSplit> = None;
        let mut varied = 0;
        // Where every column is tried, one of equal columns is enough: an equal gain never takes the place of the first.
        let skips_twins = self.limits.tried >= self.order.len() && self.limits.monotone.is_empty();
        self.searched.fill(false);
        // The random order is drawn as far as it is needed. Constant columns count as tried, as in scikit-learn, but one
        // that varies is looked for as long as there are columns.
        for tried in 0..self.order.len() {
            if tried >= self.limits.tried && varied > 0 {
                break;
            }
            let other = tried + random.below(self.order.len() - tried);
            self.order.swap(tried, other);
            let column = self.order[tried];
            let twin = self.binned.twins[column];
            if skips_twins && std::mem::replace(&mut self.searched[twin], true) {
                continue;
            }
            varied += usize::from(self.search(column, here, whole, open, &mut best));
        }
        best
    }

    /// Tries every split on one column; whether the column varies here.
    fn search(
        &mut self,
        column: usize,
        here: &[TreePoint],
        whole: NodeSums,
        open: &OpenNode,
        best: &mut Option<BestSplit>,
    ) -> bool {
        let binned = &self.binned.columns[column];
        if binned.len() < 2 {
            return false;
        }
        let sign = self.limits.monotone.get(column).copied().unwrap_or(0);
        let bounds = (open.least, open.most);
        let mut scan =
            Scan { column, sign, bounds, whole, min_leaf: self.limits.min_leaf, best, seen: Seen::default() };
        if binned.len() <= 4 * here.len() {
            let histogram = &mut self.histogram[..binned.len()];
            fill(histogram, here, &binned.bins);
            let filled = histogram.iter().enumerate().filter(|(_, b)| b.rows > 0);
            filled.for_each(|(at, bin)| scan.take(at, *bin));
        } else {
            self.keys.clear();
            let key = |(i, p): (usize, &TreePoint)| (u64::from(binned.bins[p.row as usize]) << 32) | i as u64;
            self.keys.extend(here.iter().enumerate().map(key));
            self.keys.sort_unstable();
            for group in self.keys.chunk_by(|a, b| a >> 32 == b >> 32) {
                let points = group.iter().map(|key| &here[(*key & 0xFFFF_FFFF) as usize]);
                let bin = points.fold(Bin::default(), Bin::with);
                scan.take((group[0] >> 32) as usize, bin);
            }
        }
        scan.seen.bins > 1
    }
}

impl Bin {
    fn with(self, point: &TreePoint) -> Self {
        Self {
            sum: self.sum + point.target * f64::from(point.weight),
            weight: self.weight + point.weight,
            rows: self.rows + 1,
        }
    }
}

fn fill(histogram: &mut [Bin], here: &[TreePoint], bins: &[u16]) {
    histogram.fill(Bin::default());
    for point in here {
        let bin = &mut histogram[usize::from(bins[point.row as usize])];
        *bin = bin.with(point);
    }
}

/// The way through one column's bins, from low to high.
struct Scan<'a> {
    column: usize,
    sign: i8,
    bounds: (f64, f64),
    whole: NodeSums,
    min_leaf: usize,
    best: &'a mut Option<BestSplit>,
    seen: Seen,
}

/// The bins behind us: how many, the last of them, and their sums.
#[derive(Clone, Copy, Default)]
struct Seen {
    bins: usize,
    last: usize,
    sum: f64,
    weight: f64,
    rows: usize,
}

impl Scan<'_> {
    /// Weighs the split before this bin, then goes past it.
    fn take(&mut self, at: usize, bin: Bin) {
        let Seen { bins, last, sum, weight, rows } = self.seen;
        if bins > 0 && rows >= self.min_leaf && self.whole.rows - rows >= self.min_leaf {
            let other = self.whole.weight - weight;
            // What the left side has above the node's mean, and the right side below it.
            let above = sum - self.whole.mean * weight;
            let gain = above * above * self.whole.weight / (weight * other);
            if self.best.is_none_or(|b| gain > b.gain * TIED) {
                let means = (self.whole.mean + above / weight, self.whole.mean - above / other);
                if self.allowed(means) {
                    *self.best = Some(BestSplit { gain, column: self.column, bins: (last, at), means });
                }
            }
        }
        self.seen = Seen {
            bins: bins + 1,
            last: at,
            sum: sum + bin.sum,
            weight: weight + f64::from(bin.weight),
            rows: rows + bin.rows as usize,
        };
    }

    fn allowed(&self, means: (f64, f64)) -> bool {
        let [left, right] = [means.0, means.1].map(|m| m.clamp(self.bounds.0, self.bounds.1));
        match self.sign {
            1 => left <= right,
            -1 => left >= right,
            _ => true,
        }
    }
}

impl NodeSums {
    fn from_points(here: &[TreePoint]) -> Self {
        let bin = here.iter().fold(Bin::default(), Bin::with);
        let weight: f64 = here.iter().map(|p| f64::from(p.weight)).sum();
        let first = here.first().map_or(0.0, |p| p.target);
        let pure = here.iter().all(|p| p.target == first);
        let mean = if pure { first } else { bin.sum / weight };
        Self { weight, mean, rows: here.len(), pure }
    }
}

/// Brings the points of bins up to `last` to the front, both sides in their order; how many they are.
fn partition(
    here: &mut [TreePoint],
    scratch: &mut Vec<TreePoint>,
    column: &BinnedColumn,
    last: usize,
) -> usize {
    scratch.clear();
    let mut kept = 0;
    for i in 0..here.len() {
        let point = here[i];
        if usize::from(column.bins[point.row as usize]) <= last {
            here[kept] = point;
            kept += 1;
        } else {
            scratch.push(point);
        }
    }
    here[kept..].copy_from_slice(scratch);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::LearningTable;

    /// The trees that grow one after the other on this table.
    fn grown(table: &LearningTable, monotone: &[i8]) -> (Vec<Trees>, Vec<f64>) {
        let binned = Binned::new(table);
        let tried = table.width();
        let limits = TreeLimits { max_depth: 3, min_leaf: 5, min_split: 2, tried, monotone };
        let mut grower = Grower::new(&binned, limits);
        let (mut random, mut gains) = (Random::new(7, 0), vec![0.0; tried]);
        let target = |row: usize| (row as f64 * 0.37).sin() + (row % 7) as f64 * 0.2;
        let point = |row: usize| TreePoint { row: row as u32, weight: 1.0, target: target(row) };
        let mut grow = || {
            let mut points: Vec<TreePoint> = (0..400).filter(|_| random.below(3) > 0).map(point).collect();
            grower.grow(&mut points, &mut random, &mut gains)
        };
        let trees = (0..20).map(|_| grow()).collect();
        (trees, gains)
    }

    #[test]
    fn equal_columns_are_searched_once_and_the_trees_stay_the_same() {
        let row = |r: usize| {
            let (a, b, c) = ((r % 7) as f64, (r as f64 * 0.37).sin(), (r / 50) as f64);
            [a, b, 3.0 * a + 1.0, c, b.exp(), c, -a, 5.0]
        };
        let names = (0..8).map(|i| format!("c{i}")).collect();
        let table = LearningTable::new(names, (0..400).flat_map(row).collect()).unwrap();
        assert_eq!(Binned::new(&table).twins, [0, 1, 0, 3, 1, 3, 6, 7]);
        // With signs, though all of them are 0, every column is searched.
        assert_eq!(grown(&table, &[]), grown(&table, &[0; 8]));
    }
}
