//! Named what-ifs side by side, as one page to attach to a request: HTML with the charts inline, or Markdown.

use super::chart::tornado_chart;
use super::table::{WhatIfAnswer, power_texts};
use crate::chart::{SvgError, SvgTheme, render_svg, suggested_size};
use crate::predict::Caution;
use crate::report::{Table, TableCell, TableColumn, shown};
use std::fmt::Write;
use std::path::Path;

/// A what-if with a name.
#[derive(Debug, Clone, PartialEq)]
pub struct Scenario {
    /// `A`, or what somebody called it.
    pub name: String,
    /// Its answer, the tornado included where it is to be drawn.
    pub answer: WhatIfAnswer,
}

/// How many scenarios stand beside the base.
pub const MOST_SCENARIOS: usize = 4;

/// Up to four scenarios of one workload and one base.
#[derive(Debug, Clone, PartialEq)]
pub struct ScenarioPage {
    /// The heading.
    pub title: String,
    /// The scenarios, the base first.
    pub scenarios: Vec<Scenario>,
}

/// The heads of a table's columns: the base and up to four more, whose names stand below.
const COLUMNS: [&str; MOST_SCENARIOS + 1] = ["base", "1", "2", "3", "4"];

/// The scenarios side by side: a column per scenario, a row per fact.
#[must_use]
pub fn scenario_table(page: &ScenarioPage) -> Table {
    let shown: Vec<&Scenario> = page.scenarios.iter().take(COLUMNS.len()).collect();
    let columns = shown.iter().enumerate().map(|(at, _)| TableColumn::right(COLUMNS[at]));
    let mut table = Table::new(std::iter::once(TableColumn::left("")).chain(columns).collect());
    let row = |title: &str, cell: &dyn Fn(&WhatIfAnswer) -> String| {
        let cells = shown.iter().map(|s| TableCell::text(cell(&s.answer)));
        std::iter::once(TableCell::text(title)).chain(cells).collect::<Vec<_>>()
    };
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".into());
    table.rows.push(
        std::iter::once(TableCell::text("scenario"))
            .chain(shown.iter().map(|s| TableCell::text(&s.name)))
            .collect(),
    );
    table.rows.push(row("GPU", &|a| {
        if a.changes.is_empty() { a.base_name.clone() } else { format!("{} {}", a.marked_base(), a.changes) }
    }));
    table.rows.push(row("time", &|a| or_dash(a.marked_time())));
    table.rows.push(row("90 % interval", &|a| or_dash(a.interval_text())));
    table.rows.push(row("speed over the base", &|a| {
        let speedup = a.base_time.zip(a.time).map(|(base, time)| base / time);
        or_dash(speedup.map(|speedup| shown::marked_speedup(speedup, a.kind.rests_on_measurement())))
    }));
    table.rows.push(row("power", &|a| power_texts(a.power)[0].clone()));
    table.rows.push(row("energy", &|a| power_texts(a.power)[1].clone()));
    table.rows.push(row("what matters", &|a| {
        let titles = a.tornado.iter().filter(|bar| bar.matters()).take(2).map(|bar| bar.number.title());
        let titles = titles.collect::<Vec<_>>().join(", ");
        if titles.is_empty() { "-".into() } else { titles }
    }));
    table.notes.push("◇ hypothetical GPU: predicted, not measured; its interval was not validated".into());
    table.notes.extend(scenario_notes(&shown));
    table
}

/// Every note of every scenario once, behind the heads of the columns that it is of, where it is not of all. Which GPUs are hypothetical a
/// row says.
fn scenario_notes(shown: &[&Scenario]) -> Vec<String> {
    let mut all: Vec<(String, Vec<&str>)> = Vec::new();
    for (head, scenario) in COLUMNS.into_iter().zip(shown) {
        let WhatIfAnswer { noted_base, changes, cautions, .. } = &scenario.answer;
        let (based_on, changes) = (noted_base.as_str().into(), changes.to_string().into());
        let made = Caution::HypotheticalGpu { based_on, changes }.to_string();
        let others = cautions.iter().filter(|note| **note != made).cloned();
        for note in scenario.answer.model_note().into_iter().chain(others) {
            match all.iter_mut().find(|(known, _)| *known == note) {
                Some((_, heads)) if heads.last() != Some(&head) => heads.push(head),
                Some(_) => {}
                None => all.push((note, vec![head])),
            }
        }
    }
    let text = |(note, heads): (String, Vec<&str>)| match heads.len() == shown.len() {
        true => note,
        false => format!("{}: {note}", heads.join(", ")),
    };
    all.into_iter().map(text).collect()
}

/// Why a page was not made.
#[derive(Debug, thiserror::Error)]
pub enum PageError {
    /// The name says no form.
    #[error("a page is written as .html or .md")]
    Form,
    /// A picture in it could not be drawn.
    #[error(transparent)]
    Picture(#[from] SvgError),
}

impl ScenarioPage {
    /// The page in the form that this file's name says: `.html`, or `.md`.
    ///
    /// # Errors
    /// [`PageError`] for another name, or a picture that cannot be drawn.
    pub fn text_for_file(&self, path: &Path) -> Result<String, PageError> {
        let end = path.extension().map(|end| end.to_string_lossy().to_lowercase()).unwrap_or_default();
        match end.as_str() {
            "html" | "htm" => Ok(scenario_html(self)?),
            "md" | "markdown" => Ok(scenario_markdown(self)),
            _ => Err(PageError::Form),
        }
    }
}

/// The page as Markdown.
#[must_use]
pub fn scenario_markdown(page: &ScenarioPage) -> String {
    let title = crate::text::harmless_line(&page.title);
    format!("# {title}\n\n{}", scenario_table(page).to_markdown())
}

/// The page as one HTML file: the table, and each scenario's tornado as a picture in it.
///
/// # Errors
/// [`SvgError`] where a picture cannot be drawn.
pub fn scenario_html(page: &ScenarioPage) -> Result<String, SvgError> {
    let table = scenario_table(page);
    let mut html = String::from("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n");
    let title = escaped(&page.title);
    // Writing into memory cannot fail.
    let _ = writeln!(
        html,
        "<title>{title}</title>\n<style>\n{STYLE}</style></head><body>\n<h1>{title}</h1>\n<table>"
    );
    let heads: String = table.columns.iter().map(|c| format!("<th>{}</th>", escaped(c.name))).collect();
    let _ = writeln!(html, "<tr>{heads}</tr>");
    for row in &table.rows {
        let cells: String =
            row.iter().map(|cell| format!("<td>{}</td>", escaped(&cell.for_people()))).collect();
        let _ = writeln!(html, "<tr>{cells}</tr>");
    }
    html.push_str("</table>\n");
    for note in &table.notes {
        let _ = writeln!(html, "<p>{}</p>", escaped(note));
    }
    for scenario in page.scenarios.iter().filter(|s| s.answer.tornado.iter().any(super::TornadoBar::matters))
    {
        let spec = tornado_chart(&scenario.answer);
        let svg = render_svg(&spec, SvgTheme::Light, suggested_size(&spec))?;
        let _ = writeln!(html, "<h2>{}</h2>\n{}", escaped(&scenario.name), String::from_utf8_lossy(&svg));
    }
    html.push_str("</body></html>\n");
    Ok(html)
}

const STYLE: &str = "body { font-family: sans-serif; margin: 2em auto; max-width: 70em; }\n\
    table { border-collapse: collapse; } td, th { border: 1px solid #ccc; padding: 0.3em 0.8em; text-align: right; }\n\
    td:first-child, th:first-child { text-align: left; } svg { max-width: 100%; height: auto; }\n";

/// A text that a page shows as it is.
fn escaped(text: &str) -> String {
    let text = crate::text::harmless_line(text);
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
