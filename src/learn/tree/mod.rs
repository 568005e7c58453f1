//! Regression trees, kept as flat arrays: what a forest and boosting are made of.

mod bins;
mod grow;

pub(super) use bins::Binned;
pub(super) use grow::{Grower, Limits, Point};
use serde::{Deserialize, Serialize};

/// Marks a leaf.
const LEAF: u32 = u32::MAX;

/// A branching or a leaf. The right child stands behind the left one.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Node {
    /// Branching: rows at or below it go left. Leaf: the answer.
    number: f64,
    /// The column asked; [`LEAF`] marks a leaf.
    column: u32,
    /// Place of the left child.
    left: u32,
}

/// Trees behind each other.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(try_from = "Arrays", into = "Arrays")]
pub(super) struct Trees {
    nodes: Vec<Node>,
    roots: Vec<u32>,
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
        Self {
            roots: trees.roots,
            column: trees.nodes.iter().map(|n| n.column).collect(),
            number: trees.nodes.iter().map(|n| n.number).collect(),
            left: trees.nodes.iter().map(|n| n.left).collect(),
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
        let nodes: Vec<Node> =
            (0..n).map(|i| Node { number: number[i], column: column[i], left: left[i] }).collect();
        for (i, node) in nodes.iter().enumerate() {
            let child = node.left as usize;
            if !node.number.is_finite() || (node.column != LEAF && (child <= i || child + 1 >= n)) {
                return Err(format!(
                    "trees: node {i} of {n} is no node (number {}, child {child})",
                    node.number
                ));
            }
        }
        if let Some(root) = roots.iter().find(|r| **r as usize >= n) {
            return Err(format!("trees: a root at {root} of {n} nodes"));
        }
        Ok(Self { nodes, roots })
    }
}

impl Trees {
    /// How many trees.
    pub(super) fn len(&self) -> usize {
        self.roots.len()
    }

    /// Puts the trees of `other` behind these.
    pub(super) fn append(&mut self, other: &Self) {
        let offset =
            u32::try_from(self.nodes.len()).expect("fewer than 2^32 nodes fit in memory with their rows");
        let moved =
            |node: &Node| Node { left: node.left + if node.column == LEAF { 0 } else { offset }, ..*node };
        self.nodes.extend(other.nodes.iter().map(moved));
        self.roots.extend(other.roots.iter().map(|root| root + offset));
    }

    /// The sum of what all trees answer for this row.
    pub(super) fn sum(&self, row: &[f64]) -> f64 {
        self.roots.iter().map(|root| self.answer(*root, row)).sum()
    }

    fn answer(&self, root: u32, row: &[f64]) -> f64 {
        let mut node = self.nodes[root as usize];
        while node.column != LEAF {
            let right = u32::from(row[node.column as usize] > node.number);
            node = self.nodes[(node.left + right) as usize];
        }
        node.number
    }
}
