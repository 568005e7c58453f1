//! Paper 4's equations that have numbers in them, beside ours: 1 (predicted over actual runtime), 3 (energy of time and power), 9
//! (weights of the stack).

use super::predictions::{PUBLISHED_LINE, TestPredictions};
use crate::gemm::GemmTarget;
use crate::report::{Table, TableCell, TableColumn};

/// One number of an equation.
#[derive(Debug, Clone, PartialEq)]
pub struct EquationNumber {
    /// The equation's number in the paper.
    pub equation: &'static str,
    /// What it is.
    pub what: String,
    /// Ours.
    pub ours: Option<f64>,
    /// As the paper prints it; `None` where it prints none.
    pub published: Option<f64>,
}

/// All of them.
#[must_use]
pub fn equation_numbers(predictions: &TestPredictions) -> Vec<EquationNumber> {
    let line = predictions.line(GemmTarget::Time);
    let number = |equation, what: &str, ours, published| EquationNumber {
        equation,
        what: what.to_string(),
        ours,
        published,
    };
    let mut all = vec![
        number(
            "1",
            "α, slope of predicted over actual runtime",
            line.map(|l| l.slope),
            Some(PUBLISHED_LINE.slope),
        ),
        number("1", "β, its intercept in ms", line.map(|l| l.intercept), Some(PUBLISHED_LINE.intercept)),
        number(
            "3",
            "γ, predicted energy over predicted time x power, median",
            predictions.energy_factor(),
            None,
        ),
    ];
    let bases = ["forest", "boosting", "linear"];
    for target in [GemmTarget::Time, GemmTarget::Power, GemmTarget::Energy] {
        for (base, weight) in bases.into_iter().zip(&predictions.stack_weights[target as usize]) {
            let what = format!("w of the {base} model, {}", target.as_str());
            all.push(number("9", &what, Some(*weight), None));
        }
    }
    all
}

/// A table for people.
#[must_use]
pub fn equation_table(predictions: &TestPredictions) -> Table {
    let mut table = Table::new(vec![
        TableColumn::left("equation"),
        TableColumn::left("number"),
        TableColumn::right("ours"),
        TableColumn::right("published"),
    ]);
    table.title = "Paper 4, equations 1, 3 and 9, on the test rows".into();
    let shown = |v: f64| TableCell::shown(v, format!("{v:.3}"));
    for n in equation_numbers(predictions) {
        table.rows.push(vec![
            TableCell::text(n.equation),
            TableCell::text(n.what),
            TableCell::maybe(n.ours, shown),
            TableCell::maybe(n.published, |v| TableCell::shown(v, format!("{v:.2}"))),
        ]);
    }
    table.notes.push("γ of 1: energy = time x power; the paper prints neither γ nor weights".into());
    table
}

/// The same for programs, in the columns of [`super::Paper4Report::record_table`].
#[must_use]
pub fn equation_records(predictions: &TestPredictions) -> Vec<Vec<TableCell>> {
    let record = |n: EquationNumber| {
        let words = ["equation", "rows, 80:20", n.equation, "", n.what.as_str()].map(TableCell::text);
        let numbers = [n.ours, n.published, None, None, None, None];
        words.into_iter().chain(numbers.map(|v| TableCell::maybe(v, TableCell::number))).collect()
    };
    equation_numbers(predictions).into_iter().map(record).collect()
}
