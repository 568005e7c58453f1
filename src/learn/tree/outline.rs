//! One tree for a reader: its first splits, and what lies below them.

use super::Trees;

/// What stands at a place of a tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum OutlinedPart {
    /// Rows whose number in this column is at or below `number` go to the first child.
    Split {
        /// Place of the column in the training table.
        column: usize,
        /// The number, in the column's unit.
        number: f64,
    },
    /// What the tree answers.
    Leaf {
        /// In the target's unit.
        answer: f64,
    },
    /// Further splits that are not shown.
    Cut {
        /// Leaves below it.
        leaves: usize,
        /// Their least answer.
        least: f64,
        /// Their greatest answer.
        greatest: f64,
    },
}

/// One place of a tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OutlinedNode {
    /// Splits above it.
    pub depth: usize,
    /// The place of its parent in the list; `None` at the root.
    pub parent: Option<usize>,
    /// What stands there.
    pub part: OutlinedPart,
}

impl Trees {
    /// The first `splits` levels of a tree, from the first child to the second with the parent between them; `offset` is
    /// added to every answer. Empty where there is no such tree.
    pub(in crate::learn) fn outlined(&self, tree: usize, splits: usize, offset: f64) -> Vec<OutlinedNode> {
        let mut nodes = Vec::new();
        if let Some(root) = self.roots.get(tree) {
            self.outline_below(*root as usize, 0, splits, offset, &mut nodes);
        }
        nodes
    }

    /// Adds what lies at and below a place; returns its own place in the list.
    fn outline_below(
        &self,
        place: usize,
        depth: usize,
        splits: usize,
        offset: f64,
        nodes: &mut Vec<OutlinedNode>,
    ) -> usize {
        let own = |part| OutlinedNode { depth, parent: None, part };
        if self.is_leaf(place) {
            nodes.push(own(OutlinedPart::Leaf { answer: self.answers[place] + offset }));
            return nodes.len() - 1;
        }
        if depth == splits {
            nodes.push(own(self.cut_at(place, offset)));
            return nodes.len() - 1;
        }
        let node = self.nodes[place];
        let left = node.left as usize;
        let first = self.outline_below(left, depth + 1, splits, offset, nodes);
        let here = nodes.len();
        nodes.push(own(OutlinedPart::Split { column: node.column as usize, number: node.number }));
        let second = self.outline_below(left + 1, depth + 1, splits, offset, nodes);
        nodes[first].parent = Some(here);
        nodes[second].parent = Some(here);
        here
    }

    /// Everything below a place in one part.
    fn cut_at(&self, place: usize, offset: f64) -> OutlinedPart {
        let (mut leaves, mut least, mut greatest) = (0, f64::INFINITY, f64::NEG_INFINITY);
        let mut waiting = vec![place];
        while let Some(at) = waiting.pop() {
            if self.is_leaf(at) {
                let answer = self.answers[at] + offset;
                leaves += 1;
                least = least.min(answer);
                greatest = greatest.max(answer);
            } else {
                let left = self.nodes[at].left as usize;
                waiting.extend([left, left + 1]);
            }
        }
        OutlinedPart::Cut { leaves, least, greatest }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::tree::Node;

    /// x0 <= 1 ? 10 : (x1 <= 5 ? 20 : 30)
    fn two_splits() -> Trees {
        let mut trees = Trees { roots: vec![0], depths: vec![2], ..Trees::default() };
        let split = |column, number, left| Node { number, column, left };
        trees.nodes.push(split(0, 1.0, 1));
        trees.answers.push(0.0);
        trees.push_leaf(10.0);
        trees.nodes.push(split(1, 5.0, 3));
        trees.answers.push(0.0);
        trees.push_leaf(20.0);
        trees.push_leaf(30.0);
        trees
    }

    #[test]
    fn parents_stand_between_their_children_and_what_is_cut_is_summed_up() {
        let all = two_splits().outlined(0, 2, 100.0);
        let parts: Vec<_> = all.iter().map(|n| (n.depth, n.parent, n.part)).collect();
        let (split, leaf) =
            (|column, number| OutlinedPart::Split { column, number }, |answer| OutlinedPart::Leaf { answer });
        let expected = [
            (1, Some(1), leaf(110.0)),
            (0, None, split(0, 1.0)),
            (2, Some(3), leaf(120.0)),
            (1, Some(1), split(1, 5.0)),
            (2, Some(3), leaf(130.0)),
        ];
        assert_eq!(parts, expected);
        let cut = two_splits().outlined(0, 1, 0.0);
        assert_eq!(cut[2].part, OutlinedPart::Cut { leaves: 2, least: 20.0, greatest: 30.0 });
        assert!(two_splits().outlined(1, 2, 0.0).is_empty(), "there is one tree");
    }
}
