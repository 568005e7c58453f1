//! Paper 4's tables beside ours, and what its models are worth where problems are held out.

use super::audited::{AuditProtocol, AuditedRows, ProtocolErrors};
use super::correlation::correlation_chart;
use super::equations::{equation_records, equation_table};
use super::models::{Paper4Architecture, Scores};
use super::predictions::TestPredictions;
use super::study::Paper4;
use super::tables::{DIMENSIONS, METRICS, Paper4Tables, ScoreSpread, TABLE4, TABLE5, TABLE6};
use crate::chart::ChartSpec;
use crate::gemm::GemmTarget;
use crate::gemm::sharing::SharedTimes;
use crate::report::{Table, TableCell, TableColumn, TableFormat};
use crate::units::significant;

/// Everything that came out.
#[derive(Debug, Clone)]
pub struct Paper4Report<'a> {
    /// The paper's tables.
    pub tables: &'a Paper4Tables,
    /// What the forest says of the test rows.
    pub predictions: &'a TestPredictions,
    /// Errors where problems are held out.
    pub lines: &'a [ProtocolErrors],
    /// Shapes whose time depends on the utilisation.
    pub shared: &'a [SharedTimes],
}

/// A number of a score: its name, and how to take it.
type ScoreMetric = (&'static str, fn(&Scores) -> f64);

/// The five numbers of a score.
const SCORES: [ScoreMetric; 5] = [
    ("R2", |s| s.r2),
    ("MSE", |s| s.mse),
    ("MAE", |s| s.mae),
    ("median error %", |s| s.median_percent),
    ("mean error %", |s| s.mean_percent),
];

impl<'a> Paper4Report<'a> {
    /// Of everything that was made.
    #[must_use]
    pub fn new(made: &'a Paper4) -> Self {
        Self {
            tables: &made.tables,
            predictions: &made.predictions,
            lines: &made.lines,
            shared: &made.shared,
        }
    }
}

impl Paper4Report<'_> {
    /// All of it in this format: for programs one array of records, for people a table each.
    #[must_use]
    pub fn render(&self, format: TableFormat) -> String {
        if !format.is_for_people() {
            return self.record_table().render(format);
        }
        let equations = equation_table(self.predictions);
        let tables = [self.table4(), self.table5(), self.table6(), equations, self.sharing(), self.audited()];
        tables.iter().map(|t| t.render(format)).collect::<Vec<_>>().join("\n")
    }

    /// The columns of [`Paper4Report::record_table`], without rows.
    #[must_use]
    pub fn record_columns() -> Table {
        let words = ["table", "protocol", "target", "model", "metric"].map(TableColumn::left);
        let numbers =
            ["ours", "published", "worst_split", "best_split", "as_written", "rows"].map(TableColumn::right);
        Table::new(words.into_iter().chain(numbers).collect())
    }

    /// One number a record.
    #[must_use]
    pub fn record_table(&self) -> Table {
        let mut table = Self::record_columns();
        let number = |v: f64| TableCell::shown(v, shown(v));
        let text = |words: [&str; 5]| words.map(TableCell::text);
        let mut add = |words: [&str; 5], numbers: [Option<f64>; 6]| {
            let cells = numbers.map(|n| TableCell::maybe(n, number));
            table.rows.push(text(words).into_iter().chain(cells).collect());
        };
        let tested = Some(self.tables.rows[3] as f64);
        for (t, target) in GemmTarget::ALL.into_iter().enumerate() {
            let (ours, ScoreSpread { worst, best }) = (&self.tables.table4[t], &self.tables.spread[t]);
            for (i, (metric, of)) in SCORES.iter().enumerate() {
                let all = [of(ours), published4(t)[i], of(worst), of(best), of(&self.tables.as_written[t])];
                let words =
                    ["IV", "rows, 80:20", target.as_str(), Paper4Architecture::Forest.as_str(), metric];
                let [a, b, c, d, e] = all.map(Some);
                add(words, [a, b, c, d, e, tested]);
            }
        }
        for (row, (dimension, values)) in DIMENSIONS[3..].iter().zip(TABLE5).enumerate() {
            for (column, metric) in METRICS.iter().enumerate() {
                let ours = self.tables.correlations[3 + row][DIMENSIONS.len() + column];
                let words = ["V", "test rows", metric, dimension, "correlation"];
                add(words, [ours, Some(values[column]), None, None, None, tested]);
            }
        }
        for (a, architecture) in Paper4Architecture::ALL.into_iter().enumerate() {
            for (t, target) in GemmTarget::ALL.into_iter().enumerate() {
                let words = ["VI", "rows, 80:20", target.as_str(), architecture.as_str(), "R2"];
                let ours = Some(self.tables.table6[a][t].r2);
                add(words, [ours, TABLE6[a].get(t).copied(), None, None, None, tested]);
            }
        }
        for line in self.lines {
            for (metric, of) in SCORES {
                let words =
                    [line.data.as_str(), line.protocol.as_str(), line.target.as_str(), line.model, metric];
                add(words, [Some(of(&line.scores)), None, None, None, None, Some(line.rows as f64)]);
            }
        }
        table.rows.extend(equation_records(self.predictions));
        table
    }

    fn table4(&self) -> Table {
        let mut table = Table::new(vec![
            TableColumn::left("target"),
            TableColumn::left("metric"),
            TableColumn::right("ours"),
            TableColumn::right("published"),
            TableColumn::right("worst split"),
            TableColumn::right("best split"),
            TableColumn::right("as written"),
        ]);
        let [read, with, train, test] = self.tables.rows;
        table.title = format!(
            "Paper 4, Table IV: forest of 100 trees, depth 6, on {with} of {read} rows that have a power ({train} to train on, {test} to test on)"
        );
        for (t, target) in GemmTarget::ALL.into_iter().enumerate() {
            let ScoreSpread { worst, best } = self.tables.spread[t];
            for (i, (metric, of)) in SCORES.iter().enumerate() {
                let numbers = [
                    of(&self.tables.table4[t]),
                    published4(t)[i],
                    of(&worst),
                    of(&best),
                    of(&self.tables.as_written[t]),
                ];
                let name = if i == 0 { target.as_str() } else { "" };
                let first = [TableCell::Text(name.into()), TableCell::text(*metric)];
                table
                    .rows
                    .push(first.into_iter().chain(numbers.map(|n| TableCell::shown(n, shown(n)))).collect());
            }
        }
        table.notes = vec![
            "ours: the split of scikit-learn's random_state=42, as in the authors' program; trees are drawn by another generator than theirs".into(),
            "worst, best split: by R2 over random states 0 to 9: the published figures are one draw".into(),
            "as written: runtime clipped among the rows with power, as the text's Algorithm 1 reads; published figures come out only where the quantiles of all rows clip it, as the authors' program does".into(),
            "the paper's column R2 is headed MSE, and its TFLOPS are GFLOP/s (an MSE of 2.36e6)".into(),
        ];
        table
    }

    fn table5(&self) -> Table {
        let mut table = Table::new(vec![
            TableColumn::left("dimension"),
            TableColumn::left("metric"),
            TableColumn::right("ours"),
            TableColumn::right("published"),
            TableColumn::left("agrees"),
        ]);
        table.title = "Paper 4, Table V: correlations, on the test rows as the models see them".into();
        for (row, (dimension, values)) in DIMENSIONS[3..].iter().zip(TABLE5).enumerate() {
            for (column, metric) in METRICS.iter().enumerate() {
                let ours = self.tables.correlations[3 + row][DIMENSIONS.len() + column];
                let agrees = ours.map(|r| (r - values[column]).abs() < 0.01);
                table.rows.push(vec![
                    TableCell::text(*dimension),
                    TableCell::text(*metric),
                    TableCell::maybe(ours, |r| TableCell::shown(r, format!("{r:.3}"))),
                    TableCell::shown(values[column], format!("{:.2}", values[column])),
                    TableCell::maybe(agrees, TableCell::Flag),
                ]);
            }
        }
        table
    }

    fn table6(&self) -> Table {
        let mut table = Table::new(vec![
            TableColumn::left("model"),
            TableColumn::left("target"),
            TableColumn::right("R2"),
            TableColumn::right("published"),
            TableColumn::right("mean error %"),
        ]);
        table.title = "Paper 4, Table VI: architectures".into();
        for (a, architecture) in Paper4Architecture::ALL.into_iter().enumerate() {
            for (t, target) in GemmTarget::ALL.into_iter().enumerate() {
                let ours = self.tables.table6[a][t];
                table.rows.push(vec![
                    TableCell::text(architecture.as_str()),
                    TableCell::text(target.as_str()),
                    TableCell::shown(ours.r2, format!("{:.4}", ours.r2)),
                    TableCell::maybe(TABLE6[a].get(t).copied(), |v| TableCell::shown(v, format!("{v:.4}"))),
                    TableCell::shown(ours.mean_percent, shown(ours.mean_percent)),
                ]);
            }
        }
        table.notes = vec![
            "published for the stack are the figures of Table IV, which a forest alone reaches: the authors' program has no stack".into(),
            "published for forest, boosting and linear come from no program we could find; on this split they do not come out".into(),
        ];
        table
    }

    fn sharing(&self) -> Table {
        let mut table = Table::new(vec![
            TableColumn::left("shape"),
            TableColumn::right("rows below 90 %"),
            TableColumn::right("time there"),
            TableColumn::right("rows at 90 %"),
            TableColumn::right("time there "),
            TableColumn::right("ratio"),
            TableColumn::right("drift"),
        ]);
        table.title = "The same problem at a low and at a high utilisation".into();
        for s in self.shared {
            table.rows.push(vec![
                TableCell::text(&s.shape),
                TableCell::number(s.quiet.0 as f64),
                TableCell::shown(s.quiet.1, format!("{} ms", significant(s.quiet.1))),
                TableCell::number(s.busy.0 as f64),
                TableCell::shown(s.busy.1, format!("{} ms", significant(s.busy.1))),
                TableCell::shown(s.ratio(), format!("{}×", significant(s.ratio()))),
                TableCell::shown(s.drift, format!("{}×", significant(s.drift))),
            ]);
        }
        table.notes = vec![
            "utilisation and power were read after each run: a GPU that is busy then is busy with somebody else's work".into(),
            "a ratio or a drift (among tenths of the rows at 90 %) of 1.5 or 2 says that the GPU was shared: such rows have neither the problem's own time nor its own power".into(),
        ];
        table
    }

    /// What the models are worth.
    #[must_use]
    pub fn audited(&self) -> Table {
        let mut table = Table::new(vec![
            TableColumn::left("rows"),
            TableColumn::left("held out"),
            TableColumn::left("target"),
            TableColumn::left("model"),
            TableColumn::left("learns"),
            TableColumn::right("n"),
            TableColumn::right("R2"),
            TableColumn::right("median error %"),
            TableColumn::right("mean error %"),
        ]);
        table.title = "What the models are worth on audited rows, and on all times".into();
        let mut last: Option<(AuditedRows, AuditProtocol)> = None;
        for line in self.lines {
            let group = (line.data, line.protocol);
            let new = last != Some(group);
            last = Some(group);
            let name = |text: &str| TableCell::Text(if new { text.to_string() } else { String::new() });
            table.rows.push(vec![
                name(line.data.as_str()),
                name(line.protocol.as_str()),
                TableCell::text(line.target.as_str()),
                TableCell::text(line.model),
                TableCell::Flag(line.learned),
                TableCell::number(line.rows as f64),
                TableCell::shown(line.scores.r2, r2(line.scores.r2)),
                TableCell::shown(line.scores.median_percent, shown(line.scores.median_percent)),
                TableCell::shown(line.scores.mean_percent, shown(line.scores.mean_percent)),
            ]);
        }
        table.notes = vec![
            "audited: utilisation of at least 90 % beside the power; the same problem stands in up to 28 rows, so that a split by row tests on twins".into(),
            "median of the same problem's rows: what no model of the problem can go below, the spread of repeats".into(),
            "a median a problem: of its rows at a low utilisation where there are any".into(),
        ];
        table
    }

    /// The whole matrix.
    #[must_use]
    pub fn correlations(&self) -> Table {
        let names = names();
        let columns =
            std::iter::once(TableColumn::left("")).chain(names.iter().map(|n| TableColumn::right(n)));
        let mut table = Table::new(columns.collect());
        table.title = "Paper 4, figure 6: correlations on the test rows".into();
        for (name, row) in names.iter().zip(&self.tables.correlations) {
            let cell = |r: &Option<f64>| TableCell::maybe(*r, |r| TableCell::shown(r, format!("{r:.2}")));
            table.rows.push(std::iter::once(TableCell::text(*name)).chain(row.iter().map(cell)).collect());
        }
        table
    }

    /// The same as a picture.
    #[must_use]
    pub fn chart(&self) -> ChartSpec {
        let title = "Correlations of sizes and metrics, paper 4's test rows".to_string();
        let subtitle = format!(
            "{} rows of CUTLASS SGEMM on an RTX 4070, clipped to 1-99 %; orange grow together, blue apart",
            self.tables.rows[3]
        );
        let notes =
            vec!["most of these rows' powers were read while the GPU idled or was shared".to_string()];
        correlation_chart(title, subtitle, &names(), &self.tables.correlations, notes)
    }
}

fn names() -> Vec<&'static str> {
    DIMENSIONS.into_iter().chain(METRICS).collect()
}

fn published4(target: usize) -> [f64; 5] {
    let p = TABLE4[target];
    [p.r2, p.mse, p.mae, p.median_percent, p.mean_percent]
}

/// Three decimals, and no more digits than matter where a model fails.
fn r2(value: f64) -> String {
    if value > -100.0 { format!("{value:.3}") } else { significant(value) }
}

/// Four significant digits below 10, as the paper has them for R2; three above.
fn shown(value: f64) -> String {
    if value.abs() < 1.0 { format!("{value:.4}") } else { significant(value) }
}
