//! A matrix of correlations: a cell a pair, its number in it, orange where both grow together, blue where one falls.

use crate::chart::{Axis, ChartSpec, Mark, Meaning, Scale};

/// Draws the matrix of these names; a pair without a correlation (one of them does not vary) stays empty.
#[must_use]
pub fn correlation_chart(
    title: String,
    subtitle: String,
    names: &[&str],
    matrix: &[Vec<Option<f64>>],
    notes: Vec<String>,
) -> ChartSpec {
    let axis = || Axis {
        label: String::new(),
        scale: Scale::Category(names.iter().map(ToString::to_string).collect()),
    };
    let cell = |row: usize, column: usize, r: f64| Mark::Cell {
        meaning: if r < 0.0 { Meaning::Source } else { Meaning::Target },
        column,
        row,
        strength: r.abs(),
        label: format!("{r:.2}"),
    };
    let marks = matrix.iter().enumerate().flat_map(|(row, values)| {
        values.iter().enumerate().filter_map(move |(column, r)| Some(cell(row, column, (*r)?)))
    });
    ChartSpec { title, subtitle, x: axis(), y: axis(), marks: marks.collect(), notes }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::{SvgTheme, render_svg};

    #[test]
    fn every_pair_that_varies_has_a_cell_with_its_number() {
        let matrix = vec![vec![Some(1.0), Some(-0.412)], vec![Some(-0.412), None]];
        let spec = correlation_chart("t".into(), "s".into(), &["a", "b"], &matrix, Vec::new());
        assert_eq!(spec.marks.len(), 3);
        let svg = String::from_utf8(render_svg(&spec, SvgTheme::Light, (600, 400)).unwrap()).unwrap();
        assert_eq!(svg.matches("-0.41").count(), 2, "{svg}");
        assert_eq!(
            render_svg(&spec, SvgTheme::Light, (600, 400)).unwrap(),
            svg.into_bytes(),
            "the same bytes"
        );
    }
}
