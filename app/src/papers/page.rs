//! Every published number that is reproduced, on one page: paper, table, published, ours, whether they agree.

use super::paper1;
use super::paper4::conclusions::Conclusion;
use super::paper4::equations::{EquationNumber, equation_numbers};
use super::paper4::models::Paper4Architecture;
use super::paper4::predictions::TestPredictions;
use super::paper4::tables::{DIMENSIONS, METRICS, Paper4Tables, TABLE4, TABLE5, TABLE6};
use super::paper4::tiled::TiledRegression;
use crate::gemm::GemmTarget;
use crate::report::{Table, TableCell, TableColumn};
use crate::units::significant;

/// How far a number that chance is in may be off.
const NEAR: f64 = 0.02;

/// One published number.
#[derive(Debug, Clone, PartialEq)]
pub struct PublishedNumber {
    /// The paper, 1 to 5.
    pub paper: u8,
    /// Its table: `3`, `IV`.
    pub table: &'static str,
    /// What it is.
    pub what: String,
    /// As the paper prints it.
    pub published: String,
    /// Ours; `None` where it could not be made.
    pub ours: Option<f64>,
    /// Whether they agree, by the rule of the table.
    pub agrees: bool,
}

/// Whether `ours`, written with as many decimals, is the printed number, which may have been rounded twice.
#[must_use]
pub fn is_rounded_to(ours: f64, printed: &str) -> bool {
    let decimals = printed.split_once('.').map_or(0, |(_, d)| d.len());
    let unit = 10f64.powi(-i32::try_from(decimals).unwrap_or(0));
    printed.parse::<f64>().is_ok_and(|p| (ours - p).abs() < unit)
}

fn is_near(ours: f64, printed: f64) -> bool {
    (ours / printed - 1.0).abs() <= NEAR
}

/// Paper 1's Tables 3, 4 and 5.
#[must_use]
pub fn analytical_numbers(experiments: &[paper1::AnalyticalExperiment]) -> Vec<PublishedNumber> {
    let mut all = Vec::new();
    for (experiment, table) in experiments.iter().zip(["3", "4", "5"]) {
        for figure in experiment.figures.iter().filter(|f| !f.published.is_empty()) {
            all.push(PublishedNumber {
                paper: 1,
                table,
                what: format!("Algorithm 1, {}: {}", experiment.what, figure.metric),
                published: figure.published.into(),
                ours: figure.ours,
                agrees: figure.agrees().unwrap_or(false),
            });
        }
    }
    all
}

/// Paper 1's Table 6, and the learned columns of Tables 3 and 4.
#[must_use]
pub fn learned_numbers(figures: &[paper1::ComparedCell]) -> Vec<PublishedNumber> {
    let number = |figure: &paper1::ComparedCell| {
        let model = paper1::MODELS[figure.model].name();
        let experiment = paper1::EXPERIMENTS[figure.experiment].what;
        Some(PublishedNumber {
            paper: 1,
            table: "6",
            what: format!("{model}, {experiment}: MAPE %"),
            published: figure.published()?.into(),
            ours: figure.ours.as_ref().ok().copied(),
            agrees: figure.agrees().unwrap_or(false),
        })
    };
    let beside = figures.iter().flat_map(learned_columns);
    beside.chain(figures.iter().filter_map(number)).collect()
}

/// The learned columns of Tables 3 and 4.
fn learned_columns(figure: &paper1::ComparedCell) -> Vec<PublishedNumber> {
    let Some((printed, ours)) = figure.published_beside().zip(figure.ours_beside()) else {
        return Vec::new();
    };
    let model = paper1::MODELS[figure.model].name();
    let experiment = paper1::EXPERIMENTS[figure.experiment].what;
    let number = |((name, printed), ours): ((&&str, &&str), f64)| PublishedNumber {
        paper: 1,
        table: ["3", "4"][figure.experiment],
        what: format!("{model}, {experiment}: {name}"),
        published: (*printed).into(),
        ours: Some(ours),
        agrees: is_rounded_to(ours, printed),
    };
    paper1::BESIDE.iter().zip(printed).zip(ours).map(number).collect()
}

/// Paper 4's Tables II and III.
#[must_use]
pub fn regression_numbers(found: &TiledRegression) -> Vec<PublishedNumber> {
    let number = |(name, ours, published): (String, f64, &'static str)| PublishedNumber {
        paper: 4,
        table: found.target.table_number(),
        what: format!("linear regression of {}: {name}", found.target.as_str()),
        published: published.into(),
        ours: Some(ours),
        agrees: is_rounded_to(ours, published),
    };
    found.named_numbers().map(number).collect()
}

/// Paper 4's Tables IV, V and VI.
#[must_use]
pub fn gemm_numbers(tables: &Paper4Tables) -> Vec<PublishedNumber> {
    let near = |table, what: String, published: f64, ours: f64| PublishedNumber {
        paper: 4,
        table,
        what,
        published: published.to_string(),
        ours: Some(ours),
        agrees: is_near(ours, published),
    };
    let mut all = Vec::new();
    for (target, (ours, printed)) in GemmTarget::ALL.into_iter().zip(tables.table4.iter().zip(TABLE4)) {
        for (name, ours, printed) in [
            ("R2", ours.r2, printed.r2),
            ("MSE", ours.mse, printed.mse),
            ("MAE", ours.mae, printed.mae),
            ("median error %", ours.median_percent, printed.median_percent),
            ("mean error %", ours.mean_percent, printed.mean_percent),
        ] {
            all.push(near("IV", format!("forest, {}: {name}", target.as_str()), printed, ours));
        }
    }
    for (row, (dimension, printed)) in DIMENSIONS[3..].iter().zip(TABLE5).enumerate() {
        for (column, metric) in METRICS.iter().enumerate() {
            let ours = tables.correlations[3 + row][DIMENSIONS.len() + column];
            let published = format!("{:.2}", printed[column]);
            let agrees = ours.is_some_and(|r| is_rounded_to(r, &published));
            let what = format!("correlation of {dimension} and {metric}");
            all.push(PublishedNumber { paper: 4, table: "V", what, published, ours, agrees });
        }
    }
    for (architecture, (ours, printed)) in
        Paper4Architecture::ALL.iter().zip(tables.table6.iter().zip(TABLE6))
    {
        for (target, printed) in GemmTarget::ALL.into_iter().zip(printed) {
            let what = format!("{}, {}: R2", architecture.as_str(), target.as_str());
            all.push(near("VI", what, printed, ours[target as usize].r2));
        }
    }
    all
}

/// Paper 4's equation 1, the one with printed coefficients.
#[must_use]
pub fn equation_page_numbers(predictions: &TestPredictions) -> Vec<PublishedNumber> {
    let number = |n: EquationNumber| {
        let published = format!("{:.2}", n.published?);
        let agrees = n.ours.is_some_and(|o| is_rounded_to(o, &published));
        Some(PublishedNumber { paper: 4, table: "eq. 1", what: n.what, published, ours: n.ours, agrees })
    };
    equation_numbers(predictions).into_iter().filter_map(number).collect()
}

/// Paper 4's conclusions about tiles, as its rows have them.
#[must_use]
pub fn conclusion_numbers(all: &[Conclusion]) -> Vec<PublishedNumber> {
    let printed = all.iter().filter(|c| !c.published.is_empty() && c.rows.is_some());
    let number = |c: &Conclusion| PublishedNumber {
        paper: 4,
        table: "text",
        what: c.what.to_string(),
        published: c.published.to_string(),
        ours: c.rows,
        agrees: c.agrees().unwrap_or(false),
    };
    printed.map(number).collect()
}

/// The page; `missing` says what could not be made, and why.
#[must_use]
pub fn page_table(numbers: &[PublishedNumber], missing: Vec<String>) -> Table {
    let mut table = Table::new(vec![
        TableColumn::right("paper"),
        TableColumn::left("table"),
        TableColumn::left("what"),
        TableColumn::right("published"),
        TableColumn::right("ours"),
        TableColumn::left("agrees"),
    ]);
    let agree = numbers.iter().filter(|n| n.agrees).count();
    table.title = format!("Published numbers reproduced: {agree} of {} agree", numbers.len());
    table.rows = numbers.iter().map(number_cells).collect();
    table.notes = missing;
    table.notes.push(
        "agrees: less than one unit of the last printed digit apart in paper 1's Tables 3 to 5 and paper 4's I to III and V; within 1 % in paper 1's Tables 1 and 6, \
         within 2 % in IV and VI, where chance or the order of sums is in the model; docs/papers.md says of each why not"
            .into(),
    );
    table.notes.push(
        "paper 4's eq. 1: less than one unit of the last printed digit; fig. 1: within 1 FLOP/B; text: 3.2 and -22 within 5 % (baselines chosen \
         here), 100 within 10 % and 1 within 20 % (readings of its words)"
            .into(),
    );
    table
}

fn number_cells(n: &PublishedNumber) -> Vec<TableCell> {
    let decimals = n.published.split_once('.').map_or(0, |(_, d)| d.len());
    let ours = |v: f64| {
        let text = if v.abs() < 1e6 { format!("{v:.decimals$}") } else { significant(v) };
        TableCell::shown(v, text)
    };
    vec![
        TableCell::number(n.paper),
        TableCell::text(n.table),
        TableCell::text(n.what.as_str()),
        TableCell::text(n.published.as_str()),
        TableCell::maybe(n.ours, ours),
        TableCell::Flag(n.agrees),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_agrees_to_its_last_printed_digit() {
        assert!(is_rounded_to(-2_588.457_604_6, "-2588.457605") && is_rounded_to(9.7498, "9.8"));
        assert!(!is_rounded_to(0.1333, "0.1344") && !is_rounded_to(1.0, "word"));
    }

    #[test]
    fn what_disagrees_is_counted_and_said() {
        let number = |ours: f64, agrees: bool| PublishedNumber {
            paper: 4,
            table: "II",
            what: "R2".into(),
            published: "0.1344".into(),
            ours: Some(ours),
            agrees,
        };
        let page = page_table(&[number(0.13435, true), number(0.2, false)], vec!["no files".into()]);
        assert!(page.title.ends_with("1 of 2 agree") && page.notes[0] == "no files");
        let csv = page.render(crate::report::TableFormat::Csv);
        assert!(csv.contains("4,II,R2,0.1344,0.13435,true"), "{csv}");
    }
}
