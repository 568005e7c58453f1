//! Paper 3's metrics as tables: of one kernel on some GPUs, each number in both forms; of many measured launches.

use super::cell::TableCell;
use super::spool::Spool;
use super::spooled_table::{SpooledTable, TableFrame};
use super::table::{Table, TableColumn, TableFormat};
use crate::train::paper3::{LaunchMetrics, METRICS, MetricFormulas, ProfileMetric, Sense, SpeedUp};
use crate::units::significant;
use std::io::{Result, Write};

/// The metrics of one launch on one GPU, in both forms.
#[derive(Debug, Clone)]
pub struct OnGpu {
    /// The GPU's id.
    pub gpu: String,
    /// By the tool's own occupancy and counts.
    pub exact: [ProfileMetric; METRICS.len()],
    /// As the paper writes them.
    pub paper: [ProfileMetric; METRICS.len()],
    /// What the trained forest says of it, where it was asked.
    pub speed_up: Option<SpeedUp>,
}

/// A row of `--data`, named.
#[derive(Debug, Clone)]
pub struct NamedRow {
    /// GPU, kernel, problem, variant.
    pub names: [String; 4],
    /// What is known of it.
    pub of: LaunchMetrics,
}

/// The unit of each of [`METRICS`]; empty for a bare ratio.
const UNITS: [&str; METRICS.len()] =
    ["elements", "blocks", "threads", "%", "", "%", "per element", "", "bytes"];

const MARKS: &str =
    "≤ at most: registers unknown · ≥ at least: branches not counted · ~ rests on an assumption";

/// One row per GPU and number.
#[must_use]
pub fn of_kernel(title: &str, all: &[OnGpu]) -> Table {
    let mut table = Table::new(vec![
        TableColumn::left("gpu"),
        TableColumn::left("metric"),
        TableColumn::left("unit"),
        TableColumn::right("exact"),
        TableColumn::right("paper_formula"),
        TableColumn::left("exact_sense"),
        TableColumn::left("exact_from"),
        TableColumn::left("paper_from"),
    ]);
    table.title = title.into();
    for on in all {
        for (i, name) in METRICS.iter().enumerate() {
            let (e, p) = (&on.exact[i], &on.paper[i]);
            table.rows.push(vec![
                TableCell::text(on.gpu.as_str()),
                TableCell::text(*name),
                TableCell::text(UNITS[i]),
                cell(e),
                cell(p),
                TableCell::text(sense(e)),
                TableCell::text(e.from),
                TableCell::text(p.from),
            ]);
        }
        table.rows.extend(on.speed_up.iter().flat_map(|s| speed_up_rows(&on.gpu, s)));
    }
    table.notes = table_notes();
    table
}

/// The speedup and the ends of its interval.
fn speed_up_rows(gpu: &str, said: &SpeedUp) -> Vec<Vec<TableCell>> {
    let ends = said.interval.map(|(low, high)| [("speed_up_low", low), ("speed_up_high", high)]);
    let all = [("speed_up", said.value)].into_iter().chain(ends.into_iter().flatten());
    let row = |(name, value): (&str, f64)| {
        let from = if name == "speed_up" { "forest of `train paper3`" } else { "its 90 % interval" };
        vec![
            TableCell::text(gpu),
            TableCell::text(name),
            TableCell::text("×"),
            TableCell::shown(value, format!("~ {}", significant(value))),
            TableCell::Null,
            TableCell::text("predicted"),
            TableCell::text(from),
            TableCell::Null,
        ]
    };
    all.map(row).collect()
}

/// [`of_kernel`] for people.
#[must_use]
pub fn overview_table(title: &str, all: &[OnGpu]) -> Table {
    of_kernel(title, all).without(&["exact_sense"]).renamed(&[
        ("paper_formula", "paper 3"),
        ("exact_from", "from"),
        ("paper_from", "paper's from"),
    ])
}

/// The columns of a table with one row per measured launch.
#[must_use]
pub fn row_columns() -> Vec<TableColumn> {
    let names = ["gpu", "kernel", "problem", "variant"].map(TableColumn::left);
    let ends = [TableColumn::left("bounds"), TableColumn::left("unknown")];
    names.into_iter().chain(METRICS.map(TableColumn::right)).chain(ends).collect()
}

/// Any number of launches for people: short headings, no words beside the marks.
#[derive(Debug)]
pub struct LaunchesOverview {
    table: SpooledTable,
    launches: usize,
    formulas: MetricFormulas,
}

impl LaunchesOverview {
    /// None so far, of metrics by one of the two forms.
    #[must_use]
    pub fn new(formulas: MetricFormulas) -> Self {
        let short = |column: TableColumn| match SHORT.iter().find(|(name, _)| *name == column.name) {
            Some((_, name)) => TableColumn { name, ..column },
            None => column,
        };
        let columns = row_columns().into_iter().map(short).collect();
        Self { table: SpooledTable::new(columns, ""), launches: 0, formulas }
    }

    /// Adds a launch.
    ///
    /// # Errors
    /// What the file system says, where the rows no longer fit into memory.
    pub fn add_launch(&mut self, named: &NamedRow) -> Result<()> {
        self.launches += 1;
        self.table.push(metric_cells(named))
    }

    /// Writes the table for people.
    ///
    /// # Errors
    /// What the file system or the writer says.
    pub fn write(self, format: TableFormat, out: &mut dyn Write) -> Result<()> {
        let (launches, formulas) = (self.launches, self.formulas.as_str());
        let title = format!("Paper 3's metrics of {launches} measured launches, {formulas} formulas");
        let mut notes = Spool::default();
        table_notes().iter().try_for_each(|note| writeln!(notes, "{note}"))?;
        self.table.write(
            TableFrame { title, hidden: &["bounds", "variant"], notes: Some(notes), ..TableFrame::default() },
            format,
            out,
        )
    }
}

/// Headings for people.
const SHORT: [(&str, &str); 6] = [
    ("problem_size", "size"),
    ("threads_per_block", "threads"),
    ("max_percentage_of_blocks", "max %"),
    ("branch_divergence_percent", "diverg. %"),
    ("shared_memory_utilization", "shared"),
    ("global_memory_reduction_bytes", "reduction, B"),
];

/// The row of one launch, by [`row_columns`].
#[must_use]
pub fn metric_cells(named: &NamedRow) -> Vec<TableCell> {
    let mut cells: Vec<TableCell> = named.names.iter().map(|n| TableCell::text(n.as_str())).collect();
    let of = |keep: &dyn Fn(&ProfileMetric) -> bool, all: &[ProfileMetric; METRICS.len()]| {
        let kept = METRICS.iter().zip(all).filter(|(_, m)| keep(m));
        TableCell::List(kept.map(|(name, _)| (*name).to_string()).collect())
    };
    match &named.of.metrics {
        Ok(all) => {
            cells.extend(all.iter().map(cell));
            cells.push(of(&|m| m.value.is_some() && m.sense != Sense::Exact, all));
            cells.push(of(&|m| m.value.is_none(), all));
        }
        Err(why) => {
            cells.extend(METRICS.map(|_| TableCell::Null));
            cells.extend([TableCell::Null, TableCell::text(why.as_str())]);
        }
    }
    cells
}

/// `≤ 0.875`; `unknown` for people where there is none.
fn cell(metric: &ProfileMetric) -> TableCell {
    let mark = match metric.sense {
        Sense::Exact => "",
        Sense::AtMost => "≤ ",
        Sense::AtLeast => "≥ ",
        Sense::Assumed => "~ ",
    };
    TableCell::maybe(metric.value, |v| TableCell::shown(v, format!("{mark}{}", number_text(v))))
}

/// Three significant digits, but every digit of a count: a grid of 3907 blocks is not one of 3910.
fn number_text(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e9 { format!("{value}") } else { significant(value) }
}

fn sense(metric: &ProfileMetric) -> &'static str {
    match (metric.value, metric.sense) {
        (None, _) => "unknown",
        (_, Sense::Exact) => "exact",
        (_, Sense::AtMost) => "at most",
        (_, Sense::AtLeast) => "at least",
        (_, Sense::Assumed) => "assumed",
    }
}

fn table_notes() -> Vec<String> {
    vec![
        MARKS.into(),
        "exact: NVIDIA's allocation rules and our counts; paper 3: fractions of blocks (its occupancy may exceed 1), \
         1024 x blocks / size as shared-memory use, instructions over DRAM bytes as CGMA; - is unknown"
            .into(),
    ]
}
