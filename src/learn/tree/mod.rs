//! Regression trees, kept as flat arrays: what a forest and boosting are made of.

mod bins;
mod grow;
mod outline;

pub(super) use bins::Binned;
pub(super) use grow::{Grower, TreeLimits, TreePoint};
pub use outline::{OutlinedNode, OutlinedPart};
use serde::{Deserialize, Serialize};

/// Marks a leaf in the saved form.
const LEAF: u32 = u32::MAX;
/// Rows that walk down a tree side by side: while one waits for memory the others go on.
const LANES: usize = 16;

/// A branching; the right child stands behind the left one. A leaf is one that leads to itself.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Node {
    /// Rows at or below it go left; infinite at a leaf.
    number: f64,
    /// The column asked; the first at a leaf.
    column: u32,
    /// Place of the left child; its own at a leaf.
    left: u32,
}

/// Trees behind each other.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(try_from = "Arrays", into = "Arrays")]
pub(super) struct Trees {
    nodes: Vec<Node>,
    /// By node; of a leaf what it answers.
    answers: Vec<f64>,
    roots: Vec<u32>,
    /// The longest way from each root.
    depths: Vec<u32>,
}

/// The same as three arrays and the roots: how trees are saved.
#[derive(Serialize, Deserialize)]
struct Arrays {
    roots: Vec<u32>,
    column: Vec<u32>,
    number: Vec<f64>,
    left: Vec<u32>,
}

impl From<Trees> for Arrays {
    fn from(trees: Trees) -> Self {
        let places = || 0..trees.nodes.len();
        let leaf = |i: usize| trees.is_leaf(i);
        Self {
            column: places().map(|i| if leaf(i) { LEAF } else { trees.nodes[i].column }).collect(),
            number: places()
                .map(|i| if leaf(i) { trees.answers[i] } else { trees.nodes[i].number })
                .collect(),
            left: places().map(|i| if leaf(i) { 0 } else { trees.nodes[i].left }).collect(),
            roots: trees.roots,
        }
    }
}

impl TryFrom<Arrays> for Trees {
    type Error = String;

    /// Refuses arrays that are no trees: lengths that differ, numbers that are not finite, children that do not stand
    /// behind their parent (a walk could run for ever) or nowhere.
    fn try_from(arrays: Arrays) -> Result<Self, String> {
        let Arrays { roots, column, number, left } = arrays;
        let n = number.len();
        if column.len() != n || left.len() != n {
            return Err(format!("trees: {} columns, {n} numbers, {} children", column.len(), left.len()));
        }
        let mut trees = Self::default();
        for i in 0..n {
            let child = left[i] as usize;
            let leaf = column[i] == LEAF;
            if !number[i].is_finite() || (!leaf && (child <= i || child + 1 >= n)) {
                return Err(format!(
                    "trees: node {i} of {n} is no node (number {}, child {child})",
                    number[i]
                ));
            }
            if leaf {
                trees.push_leaf(number[i]);
            } else {
                trees.nodes.push(Node { number: number[i], column: column[i], left: left[i] });
                trees.answers.push(0.0);
            }
        }
        if let Some(root) = roots.iter().find(|r| **r as usize >= n) {
            return Err(format!("trees: a root at {root} of {n} nodes"));
        }
        trees.depths = depths(&trees.nodes, &roots);
        Ok(Self { roots, ..trees })
    }
}

/// The longest way from each root. Children stand behind their parents, so that one pass from the back knows all.
fn depths(nodes: &[Node], roots: &[u32]) -> Vec<u32> {
    let mut below = vec![0_u32; nodes.len()];
    for (i, node) in nodes.iter().enumerate().rev() {
        let left = node.left as usize;
        if left != i {
            below[i] = 1 + below[left].max(below[left + 1]);
        }
    }
    roots.iter().map(|root| below[*root as usize]).collect()
}

impl Trees {
    /// Whether every column asked is below `width`.
    pub(super) fn ask_below(&self, width: usize) -> bool {
        self.nodes.iter().all(|n| (n.column as usize) < width)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.roots.is_empty()
    }

    /// How many trees.
    pub(super) fn len(&self) -> usize {
        self.roots.len()
    }

    fn is_leaf(&self, place: usize) -> bool {
        self.nodes[place].left as usize == place
    }

    /// Puts a leaf behind the other nodes.
    fn push_leaf(&mut self, answer: f64) {
        let left = node_index(self.nodes.len());
        self.nodes.push(Node { number: f64::INFINITY, column: 0, left });
        self.answers.push(answer);
    }

    /// Puts the trees of `other` behind these.
    pub(super) fn append(&mut self, other: &Self) {
        let offset = node_index(self.nodes.len());
        self.nodes.extend(other.nodes.iter().map(|node| Node { left: node.left + offset, ..*node }));
        self.answers.extend_from_slice(&other.answers);
        self.roots.extend(other.roots.iter().map(|root| root + offset));
        self.depths.extend_from_slice(&other.depths);
    }

    /// The sum of what all trees answer for this row.
    pub(super) fn sum(&self, row: &[f64]) -> f64 {
        self.roots.iter().fold(0.0, |sum, root| {
            let mut at = *root as usize;
            loop {
                let next = self.next(at, row);
                if next == at {
                    break sum + self.answers[at];
                }
                at = next;
            }
        })
    }

    fn next(&self, at: usize, row: &[f64]) -> usize {
        let node = self.nodes[at];
        (node.left + u32::from(row[node.column as usize] > node.number)) as usize
    }

    /// The same for rows behind each other, each of `width` numbers: tree by tree, so that a tree stays in the cache, and
    /// several rows at once.
    pub(super) fn sums(&self, rows: &[f64], width: usize) -> Vec<f64> {
        let mut sums = vec![0.0; rows.len() / width];
        for (root, depth) in self.roots.iter().zip(&self.depths) {
            for (rows, sums) in rows.chunks(LANES * width).zip(sums.chunks_mut(LANES)) {
                if sums.len() < LANES {
                    continue;
                }
                let leaves = self.leaves(*root, *depth, rows, width);
                sums.iter_mut().zip(leaves).for_each(|(sum, at)| *sum += self.answers[at as usize]);
            }
        }
        let rest = sums.len() - sums.len() % LANES;
        for (row, sum) in rows.chunks_exact(width).zip(&mut sums).skip(rest) {
            *sum = self.sum(row);
        }
        sums
    }

    /// The leaves that this many rows end in.
    fn leaves(&self, root: u32, depth: u32, rows: &[f64], width: usize) -> [u32; LANES] {
        let mut at = [root; LANES];
        for _ in 0..depth {
            let mut moved = 0;
            for (lane, at) in at.iter_mut().enumerate() {
                let node = &self.nodes[*at as usize];
                let right = rows[lane * width + node.column as usize] > node.number;
                let next = node.left + u32::from(right);
                moved |= next ^ *at;
                *at = next;
            }
            if moved == 0 {
                break;
            }
        }
        at
    }
}

/// A node's place in 32 bits.
fn node_index(place: usize) -> u32 {
    u32::try_from(place).expect("2^32 nodes of 24 bytes each do not fit beside the rows they were grown on")
}
