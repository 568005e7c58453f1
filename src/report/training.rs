//! A trained model in tables: its errors by what was held out, and which columns matter.

use super::cell::TableCell;
use super::table::{Table, TableColumn, TableFormat, pretty_json};
use crate::train::{Errors, Trained, TrainedImportance};
use crate::units::significant;
use serde_json::{Value, json};

/// A trained model to be told.
#[derive(Debug, Clone, Copy)]
pub struct TrainingReport<'a>(pub &'a Trained);

impl TrainingReport<'_> {
    /// Errors and importances in this format; in CSV the two stand in one table, told apart by `kind`.
    #[must_use]
    pub fn render(&self, format: TableFormat) -> String {
        match format {
            TableFormat::Json => self.json(),
            TableFormat::Csv => self.record_table().render(format),
            TableFormat::Table | TableFormat::Markdown => {
                let mut text = self.errors().render(format);
                if !self.0.importances.is_empty() {
                    text.push('\n');
                    text.push_str(&self.importance_table().render(format));
                }
                text
            }
        }
    }

    /// One line per protocol, and under it what has to be known.
    #[must_use]
    pub fn errors(&self) -> Table {
        let t = self.0;
        let mut columns = vec![TableColumn::left("held out")];
        let headings = ["n", "MAPE %", "median %", "MAE", "RMSE", "R2", "expl. var.", "coverage %"];
        columns.extend(headings.map(TableColumn::right));
        let mut table = Table::new(columns);
        table.title = format!(
            "{}: {}; {} rows, kernels: {}; {}; seed {}",
            t.model,
            t.what,
            t.rows,
            named(&t.kernels),
            t.gpus.join(", "),
            t.seed
        );
        table.rows = t.errors.iter().map(error_cells).collect();
        if t.errors.iter().all(|e| e.coverage.is_none()) {
            table = table.without(&["coverage %"]);
        }
        table.notes.push(format!("recipe: {}", t.recipe));
        table.notes.extend(t.notes.iter().cloned());
        let used = if t.used.used { "used" } else { "not used for predictions" };
        table.notes.push(format!("{used}: {}", t.used.why));
        table
    }

    /// One line per column of the model, the most important first.
    #[must_use]
    pub fn importance_table(&self) -> Table {
        let t = self.0;
        let mut table = Table::new(vec![
            TableColumn::left("column"),
            TableColumn::right("impurity"),
            TableColumn::right("permutation"),
            TableColumn::right("published"),
        ]);
        table.title = format!("Which columns matter to {}", t.model);
        table.rows = t.importances.iter().map(importance_cells).collect();
        let impurity = "impurity: share of the squared error that its splits saved in training";
        let permutation = format!(
            "permutation: rise in {} when its values are dealt out to the wrong rows",
            t.importance_unit
        );
        for (column, note, is_known) in [
            ("impurity", impurity.to_string(), t.importances.iter().any(|i| i.impurity.is_some())),
            ("permutation", permutation, t.importances.iter().any(|i| i.permutation.is_some())),
        ] {
            if is_known {
                table.notes.push(note);
            } else {
                table = table.without(&[column]);
            }
        }
        if t.importances.iter().all(|i| i.published.is_none()) {
            return table.without(&["published"]);
        }
        table.notes.push("published: the paper's impurity on its own data, which is another data set".into());
        table
    }

    fn record_table(&self) -> Table {
        const NUMBERS: [&str; 11] = [
            "n",
            "mape_percent",
            "median_ape_percent",
            "mae",
            "rmse",
            "r2",
            "explained_variance",
            "coverage_90_percent",
            "impurity",
            "permutation",
            "published",
        ];
        let mut columns =
            vec![TableColumn::left("model"), TableColumn::left("kind"), TableColumn::left("name")];
        columns.extend(NUMBERS.map(TableColumn::right));
        let mut table = Table::new(columns);
        let first = |kind: &str, name: &str| [&self.0.model, kind, name].map(TableCell::text).to_vec();
        for e in &self.0.errors {
            let kind = if e.published { "published" } else { "errors" };
            let mut row = first(kind, &e.protocol);
            row.extend(error_cells(e).into_iter().skip(1));
            row.extend([TableCell::Null, TableCell::Null, TableCell::Null]);
            table.rows.push(row);
        }
        for i in &self.0.importances {
            let mut row = first("importance", &i.feature);
            row.extend(std::iter::repeat_n(TableCell::Null, 8));
            row.extend(importance_cells(i).into_iter().skip(1));
            table.rows.push(row);
        }
        table
    }

    fn json(&self) -> String {
        let t = self.0;
        let errors: Vec<Value> = t
            .errors
            .iter()
            .map(|e| {
                json!({
                    "held_out": e.protocol, "published": e.published, "n": e.n, "mape_percent": e.mape,
                    "median_ape_percent": e.median_ape, "mae": e.mae, "rmse": e.rmse, "r2": e.r2,
                    "explained_variance": e.explained_variance, "coverage_90_percent": e.coverage,
                })
            })
            .collect();
        let importance = |i: &TrainedImportance| {
            json!({
                "column": i.feature, "impurity": i.impurity, "permutation": i.permutation, "published": i.published,
            })
        };
        let importances: Vec<Value> = t.importances.iter().map(importance).collect();
        let all = json!({
            "model": t.model, "what": t.what, "recipe": t.recipe, "seed": t.seed, "rows": t.rows, "gpus": t.gpus,
            "kernels": t.kernels, "errors": errors, "importance_unit": t.importance_unit, "importances": importances,
            "used": t.used.used, "why": t.used.why, "notes": t.notes,
        });
        pretty_json(&all)
    }
}

/// Names, or how many where they are many.
fn named(all: &[String]) -> String {
    if all.len() <= 4 { all.join(", ") } else { all.len().to_string() }
}

fn number_cell(value: Option<f64>) -> TableCell {
    TableCell::maybe(value.filter(|v| v.is_finite()), |v| TableCell::shown(v, significant(v)))
}

/// Percentages and shares with two decimals more than a person needs, so that published figures can be compared.
fn fixed(value: Option<f64>, digits: usize) -> TableCell {
    TableCell::maybe(value.filter(|v| v.is_finite()), |v| TableCell::shown(v, format!("{v:.digits$}")))
}

fn error_cells(e: &Errors) -> Vec<TableCell> {
    vec![
        TableCell::text(if e.published {
            format!("published, other data: {}", e.protocol)
        } else {
            e.protocol.clone()
        }),
        TableCell::number(e.n as f64),
        fixed(e.mape, 2),
        fixed(e.median_ape, 2),
        fixed(e.mae, 2),
        fixed(e.rmse, 2),
        fixed(e.r2, 4),
        fixed(e.explained_variance, 4),
        fixed(e.coverage, 1),
    ]
}

fn importance_cells(i: &TrainedImportance) -> Vec<TableCell> {
    vec![
        TableCell::text(i.feature.as_str()),
        fixed(i.impurity, 4),
        number_cell(i.permutation),
        fixed(i.published, 4),
    ]
}
