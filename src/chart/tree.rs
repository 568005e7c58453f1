//! A tree of splits as a picture: from left to right a column a level, parents between their children.

use super::{Axis, ChartSpec, Dash, Mark, Meaning, Scale};
use crate::learn::{OutlinedNode, OutlinedPart};
use crate::units::significant;

/// What is written around a tree.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TreeText {
    /// What it was trained for.
    pub title: String,
    /// One line under it.
    pub subtitle: String,
    /// What its leaves hold, with the unit: `speedup, x`.
    pub answer: String,
    /// Remarks under the chart.
    pub notes: Vec<String>,
}

/// Draws a tree whose columns have these names.
#[must_use]
pub fn tree_chart(text: TreeText, nodes: &[OutlinedNode], columns: &[String]) -> ChartSpec {
    let deepest = nodes.iter().map(|n| n.depth).max().unwrap_or(0);
    let TreeText { title, subtitle, answer, mut notes } = text;
    // Between two levels of cells a column is left for the lines.
    let name = |i: usize| match i {
        i if i % 2 == 1 => String::new(),
        i if i / 2 == deepest => answer.clone(),
        i => format!("split {}", i / 2 + 1),
    };
    let mut marks: Vec<Mark> =
        nodes.iter().enumerate().filter_map(|(row, n)| branch(row, n, nodes)).collect();
    marks.extend(nodes.iter().enumerate().map(|(row, n)| cell(row, n, columns)));
    notes.insert(0, "upper branch: the condition holds; lower branch: it does not".into());
    ChartSpec {
        title,
        subtitle,
        x: Axis { label: String::new(), scale: Scale::Category((0..=2 * deepest).map(name).collect()) },
        y: Axis { label: String::new(), scale: Scale::Category(vec![String::new(); nodes.len().max(1)]) },
        marks,
        notes,
    }
}

/// From the right side of the parent's cell to the left side of the node's own.
fn branch(row: usize, node: &OutlinedNode, nodes: &[OutlinedNode]) -> Option<Mark> {
    let parent = node.parent?;
    let from = 2.0 * nodes[parent].depth as f64 + 0.5;
    let to = 2.0 * node.depth as f64 - 0.5;
    let middle = (from + to) / 2.0;
    let (up, own) = (parent as f64, row as f64);
    Some(Mark::Line {
        name: String::new(),
        meaning: Meaning::Dim,
        dash: Dash::Solid,
        points: vec![(from, up), (middle, up), (middle, own), (to, own)],
    })
}

fn cell(row: usize, node: &OutlinedNode, columns: &[String]) -> Mark {
    let (meaning, strength, label) = match node.part {
        OutlinedPart::Split { column, number } => {
            let name = columns.get(column).map_or("?", String::as_str);
            (Meaning::Source, 0.35, format!("{name} ≤ {}", significant(number)))
        }
        OutlinedPart::Leaf { answer } => (Meaning::Target, 0.6, significant(answer)),
        OutlinedPart::Cut { leaves, least, greatest } => {
            let range = format!("{} to {}", significant(least), significant(greatest));
            (Meaning::Target, 0.25, format!("{range}: {leaves} leaves"))
        }
    };
    Mark::Cell { meaning, column: 2 * node.depth, row, strength, label }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::{SvgTheme, render_svg, suggested_size};

    #[test]
    fn every_node_has_its_cell_and_every_child_its_line() {
        let node = |depth, parent, part| OutlinedNode { depth, parent, part };
        let nodes = [
            node(1, Some(1), OutlinedPart::Leaf { answer: 3.5 }),
            node(0, None, OutlinedPart::Split { column: 0, number: 0.25 }),
            node(1, Some(1), OutlinedPart::Cut { leaves: 7, least: 1.0, greatest: 40.0 }),
        ];
        let spec = tree_chart(TreeText::default(), &nodes, &["cgma".to_string()]);
        let cells = spec.marks.iter().filter(|m| matches!(m, Mark::Cell { .. })).count();
        assert_eq!((cells, spec.marks.len()), (3, 5));
        let svg = render_svg(&spec, SvgTheme::Light, suggested_size(&spec)).unwrap();
        let svg = String::from_utf8(svg).unwrap();
        assert!(svg.contains("cgma ≤ 0.250") && svg.contains("7 leaves"), "{svg}");
    }
}
