//! Scenarios in columns beside each other, each cell wrapped into its column.

use crate::report::{Table, TableCell};
use crate::tui::look::Look;
use crate::tui::text::{pad_right, paragraph, wrap};
use ratatui::text::{Line, Span};

/// Columns of the facts' names.
const NAME: usize = 14;
/// The widest a scenario gets.
const WIDEST: usize = 30;

/// The table in this width: what is too long for its column goes on below.
pub(super) fn side_by_side_lines(table: &Table, width: usize, look: Look<'_>) -> Vec<Line<'static>> {
    let scenarios = table.columns.len().saturating_sub(1).max(1);
    let column = (width.saturating_sub(NAME) / scenarios).clamp(8, WIDEST);
    let heads: String = table.columns.iter().skip(1).map(|c| pad_right(c.name, column)).collect();
    let mut lines = vec![Line::styled(format!("{}{heads}", " ".repeat(NAME)), look.title())];
    for row in &table.rows {
        let name = row.first().map_or_else(String::new, TableCell::for_people);
        let names = wrap(&name, NAME - 1);
        let cells: Vec<Vec<String>> =
            row.iter().skip(1).map(|cell| wrap(&spaced(&cell.for_people()), column - 1)).collect();
        let height = cells.iter().map(Vec::len).chain([names.len()]).max().unwrap_or(0);
        for at in 0..height {
            let part = |lines: &[String]| lines.get(at).cloned().unwrap_or_default();
            let mut spans = vec![Span::styled(pad_right(&part(&names), NAME), look.dim())];
            spans.extend(cells.iter().enumerate().map(|(scenario, cell)| {
                let style = if scenario == 0 { look.text() } else { look.estimated() };
                Span::styled(pad_right(&part(cell), column), style)
            }));
            lines.push(Line::from(spans));
        }
    }
    lines.push(Line::default());
    lines.extend(table.notes.iter().flat_map(|note| paragraph(note, width, look.dim())));
    lines
}

/// With room to wrap behind every comma.
fn spaced(text: &str) -> String {
    text.replace(", ", ",").replace(',', ", ")
}
