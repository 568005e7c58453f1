//! Paper 3's metrics as tables: of one kernel on some GPUs, each number in both forms; of many measured launches.

use super::cell::Cell;
use super::table::{Column, Table};
use crate::train::paper3::{Formulas, LaunchMetrics, METRICS, Metric, Sense, SpeedUp};
use crate::units::significant;

/// The metrics of one launch on one GPU, in both forms.
#[derive(Debug, Clone)]
pub struct OnGpu {
    /// The GPU's id.
    pub gpu: String,
    /// By the tool's own occupancy and counts.
    pub exact: [Metric; METRICS.len()],
    /// As the paper writes them.
    pub paper: [Metric; METRICS.len()],
    /// What the trained forest says of it, where it was asked.
    pub speed_up: Option<SpeedUp>,
}

/// A row of `--data`, named.
#[derive(Debug, Clone)]
pub struct Named {
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
        Column::left("gpu"),
        Column::left("metric"),
        Column::left("unit"),
        Column::right("exact"),
        Column::right("paper_formula"),
        Column::left("exact_sense"),
        Column::left("exact_from"),
        Column::left("paper_from"),
    ]);
    table.title = title.into();
    for on in all {
        for (i, name) in METRICS.iter().enumerate() {
            let (e, p) = (&on.exact[i], &on.paper[i]);
            table.rows.push(vec![
                Cell::text(on.gpu.as_str()),
                Cell::text(*name),
                Cell::text(UNITS[i]),
                cell(e),
                cell(p),
                Cell::text(sense(e)),
                Cell::text(e.from),
                Cell::text(p.from),
            ]);
        }
        table.rows.extend(on.speed_up.iter().flat_map(|s| speed_up_rows(&on.gpu, s)));
    }
    table.notes = notes();
    table
}

/// The speed-up and the ends of its interval.
fn speed_up_rows(gpu: &str, said: &SpeedUp) -> Vec<Vec<Cell>> {
    let ends = said.interval.map(|(low, high)| [("speed_up_low", low), ("speed_up_high", high)]);
    let all = [("speed_up", said.value)].into_iter().chain(ends.into_iter().flatten());
    let row = |(name, value): (&str, f64)| {
        let from = if name == "speed_up" { "forest of `train paper3`" } else { "its 90 % interval" };
        vec![
            Cell::text(gpu),
            Cell::text(name),
            Cell::text("×"),
            Cell::shown(value, format!("~ {}", significant(value))),
            Cell::Null,
            Cell::text("predicted"),
            Cell::text(from),
            Cell::Null,
        ]
    };
    all.map(row).collect()
}

/// [`of_kernel`] for people.
#[must_use]
pub fn overview(title: &str, all: &[OnGpu]) -> Table {
    of_kernel(title, all).without(&["exact_sense"]).renamed(&[
        ("paper_formula", "paper 3"),
        ("exact_from", "from"),
        ("paper_from", "paper's from"),
    ])
}

/// One row per measured launch, by one of the two forms; what is unknown is named.
#[must_use]
pub fn of_rows(rows: &[Named], formulas: Formulas) -> Table {
    let mut columns = ["gpu", "kernel", "problem", "variant"].map(Column::left).to_vec();
    columns.extend(METRICS.map(Column::right));
    columns.extend([Column::left("bounds"), Column::left("unknown")]);
    let mut table = Table::new(columns);
    table.title =
        format!("Paper 3's metrics of {} measured launches, {} formulas", rows.len(), formulas.word());
    table.rows = rows.iter().map(row).collect();
    table.notes = notes();
    table
}

/// [`of_rows`] for people: short headings, no words beside the marks.
#[must_use]
pub fn rows_overview(rows: &[Named], formulas: Formulas) -> Table {
    of_rows(rows, formulas).without(&["bounds", "variant"]).renamed(&[
        ("problem_size", "size"),
        ("threads_per_block", "threads"),
        ("max_percentage_of_blocks", "max %"),
        ("branch_divergence_percent", "diverg. %"),
        ("shared_memory_utilization", "shared"),
        ("global_memory_reduction_bytes", "reduction, B"),
    ])
}

fn row(named: &Named) -> Vec<Cell> {
    let mut cells: Vec<Cell> = named.names.iter().map(|n| Cell::text(n.as_str())).collect();
    let of = |keep: &dyn Fn(&Metric) -> bool, all: &[Metric; METRICS.len()]| {
        let kept = METRICS.iter().zip(all).filter(|(_, m)| keep(m));
        Cell::List(kept.map(|(name, _)| (*name).to_string()).collect())
    };
    match &named.of.metrics {
        Ok(all) => {
            cells.extend(all.iter().map(cell));
            cells.push(of(&|m| m.value.is_some() && m.sense != Sense::Exact, all));
            cells.push(of(&|m| m.value.is_none(), all));
        }
        Err(why) => {
            cells.extend(METRICS.map(|_| Cell::Null));
            cells.extend([Cell::Null, Cell::text(why.word())]);
        }
    }
    cells
}

/// `≤ 0.875`; `unknown` for people where there is none.
fn cell(metric: &Metric) -> Cell {
    let mark = match metric.sense {
        Sense::Exact => "",
        Sense::AtMost => "≤ ",
        Sense::AtLeast => "≥ ",
        Sense::Assumed => "~ ",
    };
    Cell::maybe(metric.value, |v| Cell::shown(v, format!("{mark}{}", number(v))))
}

/// Three significant digits, but every digit of a count: a grid of 3907 blocks is not one of 3910.
fn number(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e9 { format!("{value}") } else { significant(value) }
}

fn sense(metric: &Metric) -> &'static str {
    match (metric.value, metric.sense) {
        (None, _) => "unknown",
        (_, Sense::Exact) => "exact",
        (_, Sense::AtMost) => "at most",
        (_, Sense::AtLeast) => "at least",
        (_, Sense::Assumed) => "assumed",
    }
}

fn notes() -> Vec<String> {
    vec![
        MARKS.into(),
        "exact: NVIDIA's allocation rules and our counts; paper 3: fractions of blocks (its occupancy may exceed 1), \
         1024 x blocks / size as shared-memory use, instructions over DRAM bytes as CGMA; - is unknown"
            .into(),
    ]
}
