//! What `predict` answers, for people: units, marks, cautions as footnotes; what is the same in all rows stands in the title.
//!
//! ```text
//! titan-v → rtx-4070 · components · sustained rates · exact occupancy · 90 % intervals
//!
//! kernel  size           source  predicted      interval  speedup  bound    occupancy   measured    error  notes
//! saxpy   n=1048576  24.6 µs ●  10.7 µs ◆  8.43–13.5 µs    2.31×  DRAM→L2      100 %  9.30 µs ●  +14.5 %  [1]
//! ```

use super::cell::TableCell;
use super::predictions::{Comparison, VARIANT};
use super::shown;
use super::sources;
use super::spool::Spool;
use super::spooled_table::{SpooledTable, TableFrame};
use super::table::{TableColumn, TableFormat, one_line};
use crate::answer::{Answer, COVERAGE};
use std::collections::BTreeSet;
use std::io::{Result, Write};

/// The table of any number of predictions, filled row by row and written once all are there.
#[derive(Debug)]
pub struct PredictionOverview {
    table: SpooledTable,
    first: Option<FirstRow>,
    /// Whether rows differ in their targets.
    targets: bool,
    /// Whether rows of a question that names no source differ in what is scaled.
    sources: bool,
    /// Whether rows differ in their models.
    models: bool,
    levels: bool,
    /// Whether any source was measured at other clocks than it is set to.
    at_stock: bool,
    /// Whether clocks of any such source were typed.
    at_set: bool,
    /// Whether any time is that of several sources.
    several: bool,
    /// Whether several sources were asked for: each has a row.
    listed: bool,
    /// Whether any row has a variant.
    variants: bool,
    /// The rates that times rest on.
    rates: BTreeSet<String>,
    /// How far the sources of combined answers are apart, a line each.
    spreads: Spool,
}

/// What the title says of all rows where they do not differ in it.
#[derive(Debug)]
struct FirstRow {
    source: String,
    target: String,
    model: &'static str,
    rules: &'static str,
}

/// The names of kernels, which a narrow screen has shorter.
const KERNEL: &str = "kernel";

/// The targets, the same.
const TARGET: &str = "target";

/// Their sizes, the same.
const SIZE: &str = "size";

/// The source's time at the clocks it is set to, where it was measured at others: what the speedup is over.
const STOCK_TIME: &str = "at stock clocks";

/// The same column where clocks were typed for the source.
const SET_TIME: &str = "at set clocks";

/// Columns that a narrow screen goes without, the first one first.
const LEFT_OUT: [&str; 9] =
    ["occupancy", "bound", shown::AS_PROFILED, "levels", STOCK_TIME, "weight", "measured", "source", "error"];

/// What the speedups are over, where the source was measured at other clocks than it is set to: a line for each column.
const CLOCKS_NOTES: [&str; 2] = [
    "speedup: over the time at the clocks that the source is set to",
    "as profiled: over the measured time, at the profiled clocks",
];

/// What the column of levels is, and what it is not.
const LEVELS_NOTE: &str = "levels: the model's own times at DRAM, L2 and L1, the prediction in their middle; no interval of coverage";

impl Default for PredictionOverview {
    fn default() -> Self {
        Self {
            table: SpooledTable::new(overview_columns(), "notes"),
            first: None,
            targets: false,
            sources: false,
            models: false,
            levels: false,
            at_stock: false,
            at_set: false,
            several: false,
            listed: false,
            variants: false,
            rates: BTreeSet::new(),
            spreads: Spool::default(),
        }
    }
}

impl PredictionOverview {
    /// Adds a row.
    ///
    /// # Errors
    /// What the file system says, where the rows no longer fit into memory.
    pub fn add_row(&mut self, row: &Comparison<'_>) -> Result<()> {
        let first = self.first.get_or_insert_with(|| FirstRow {
            source: if row.answer.is_without_source { row.start_words() } else { row.source_id.clone() },
            target: row.target.id.clone(),
            model: row.model(),
            rules: row.answer.settings.rules.as_str(),
        });
        self.targets |= first.target != row.target.id;
        self.sources |= row.answer.is_without_source && first.source != row.start_words();
        self.models |= first.model != row.model();
        self.levels |= shown::levels(row.answer).is_some();
        self.at_stock |= shown::stock_time(row.answer).is_some();
        self.at_set |= has_typed_clocks(row.answer);
        self.listed |= row.share.is_some();
        let is_combined = row.answer.combined.is_some() && !row.answer.is_without_source;
        self.several |= row.share.is_some() || is_combined;
        self.variants |= !row.variant.is_empty();
        let rates = row.answer.rates_used();
        if !self.rates.contains(&rates) {
            self.rates.insert(rates);
        }
        if let Some(note) = sources::table_note(row) {
            writeln!(self.spreads, "{}", one_line(&note))?;
        }
        self.table.push(overview_row(row))
    }

    /// Whether rows differ in their models.
    #[must_use]
    pub const fn has_several_models(&self) -> bool {
        self.models
    }

    /// Writes the table for people, with these notes under its own; of columns that have no room on a screen of so many characters that of
    /// long variants stands under its rows, and others are left out.
    ///
    /// # Errors
    /// What the file system or the writer says.
    pub fn write(
        mut self,
        notes: &[String],
        format: TableFormat,
        screen: Option<usize>,
        out: &mut dyn Write,
    ) -> Result<()> {
        let title = self.title();
        let stock_time = if self.at_set { SET_TIME } else { STOCK_TIME };
        self.table.rename(STOCK_TIME, stock_time);
        let same = [
            (VARIANT.name, self.variants),
            (TARGET, self.targets),
            ("model", self.models),
            ("levels", self.levels),
            (stock_time, self.at_stock),
            (shown::AS_PROFILED, self.at_stock),
            ("from", self.several),
            ("weight", self.several),
        ];
        let hidden: Vec<&str> = same.iter().filter(|(_, differs)| !differs).map(|(name, _)| *name).collect();
        let mut under = Spool::default();
        writeln!(under, "{}", shown::MARKS)?;
        if self.levels {
            writeln!(under, "{LEVELS_NOTE}")?;
        }
        if self.at_stock {
            CLOCKS_NOTES.iter().try_for_each(|note| writeln!(under, "{note}"))?;
        }
        self.spreads.copy_to(&mut under)?;
        notes.iter().try_for_each(|note| writeln!(under, "{}", one_line(note)))?;
        let screen = screen.filter(|_| format == TableFormat::Table);
        let least_needed = LEFT_OUT.map(|name| if name == STOCK_TIME { stock_time } else { name });
        let frame = TableFrame {
            title,
            hidden: &hidden,
            under_rows: Some(VARIANT.name),
            least_needed: &least_needed,
            said_once: &[KERNEL, SIZE],
            shortened: &[KERNEL, SIZE],
            last_left_out: &["speedup", "notes"],
            screen,
            notes: Some(under),
        };
        self.table.write(frame, format, out)
    }

    fn title(&self) -> String {
        let Some(FirstRow { source, target, model, rules }) = &self.first else {
            return "nothing to predict".into();
        };
        let target = if self.targets { "several targets" } else { target };
        let model = if self.models { "several models" } else { model };
        let source = match (self.listed, self.sources) {
            (true, _) => "several sources",
            (false, true) => "measured times",
            (false, false) => source,
        };
        let (ceilings, covered) = (self.rates_title(), 100.0 * COVERAGE);
        format!("{source} → {target} · {model} · {ceilings} · {rules} occupancy · {covered:.0} % intervals")
    }

    /// The rates that every row's time rests on: `sustained rates`, `peak roofs`; or that models differ in them.
    fn rates_title(&self) -> String {
        let used: Vec<&str> = self.rates.iter().map(String::as_str).collect();
        match used[..] {
            // Achieved ceilings fall back to peak, pair by pair, where one GPU has none.
            ["achieved roofs", "peak roofs"] => "achieved roofs where both GPUs have them, else peak".into(),
            _ => used.join(", "),
        }
    }
}

fn overview_columns() -> Vec<TableColumn> {
    vec![
        TableColumn::left(KERNEL),
        TableColumn::left(SIZE),
        VARIANT,
        TableColumn::left(TARGET),
        TableColumn::left("model"),
        TableColumn::left("from"),
        TableColumn::right("weight"),
        TableColumn::right("source"),
        TableColumn::right(STOCK_TIME),
        TableColumn::right("predicted"),
        TableColumn::right("interval"),
        TableColumn::right("levels"),
        TableColumn::right("speedup"),
        TableColumn::right(shown::AS_PROFILED),
        TableColumn::left("bound"),
        TableColumn::right("occupancy"),
        TableColumn::right("measured"),
        TableColumn::right("error"),
        TableColumn::left("notes"),
    ]
}

fn overview_row(row: &Comparison<'_>) -> Vec<TableCell> {
    let a = row.answer;
    let prediction = a.prediction.as_ref().ok();
    let alone = a.has_one_source();
    let bounds = prediction
        .and_then(|p| shown::bounds(p.bound_source.filter(|_| alone).or(p.bound_target), p.bound_target));
    vec![
        TableCell::text(row.kernel.label()),
        TableCell::text(row.kernel.short_problem(row.problem)),
        row.variant_cell(),
        TableCell::text(&row.target.id),
        TableCell::text(row.model()),
        TableCell::text(sources::width_word(row)),
        TableCell::maybe(row.share, |s| TableCell::text(format!("{:.0} %", 100.0 * s))),
        TableCell::maybe(a.source_time.as_ref().filter(|_| alone), |t| {
            TableCell::text(shown::source_time(t))
        }),
        TableCell::maybe(shown::stock_time(a).filter(|_| alone), TableCell::Text),
        TableCell::maybe(shown::predicted(a), TableCell::Text),
        TableCell::maybe(shown::interval(a), TableCell::Text),
        TableCell::maybe(shown::levels(a), TableCell::Text),
        TableCell::maybe(shown::speedup(a).filter(|_| alone), TableCell::Text),
        TableCell::maybe(shown::speedup_as_profiled(a).filter(|_| alone), TableCell::Text),
        TableCell::maybe(bounds, TableCell::Text),
        TableCell::maybe(shown::occupancies(a), TableCell::Text),
        TableCell::maybe(a.measured, |m| TableCell::text(shown::measured(m.time, m.kind))),
        TableCell::maybe(a.error_percent(), |e| TableCell::text(shown::error_text(e))),
        TableCell::List(row.caution_texts()),
    ]
}

/// Whether the source was measured at other clocks than those that were typed for it.
fn has_typed_clocks(answer: &Answer) -> bool {
    shown::stock_time(answer).is_some()
        && answer.profiled.as_ref().is_some_and(|clocks| clocks.has_typed_clocks)
}
