//! The models: what each is and needs, how wrong it is on the rows loaded and on questions like the one in hand, which one is
//! used and why; and the learned ones, with what is in the cache of them.

use super::cell::TableCell;
use super::table::{Table, TableColumn, TableFormat};
use crate::evaluate::Score;
use crate::predict::MODELS;
use crate::train::{Survey, Surveyed, TrainableModel, shortened};
use crate::units::significant;

/// Everything that is said of the models.
#[derive(Debug, Clone, Copy)]
pub struct ModelsReport<'a> {
    /// The analytical ones.
    pub survey: &'a Survey,
    /// The learned ones.
    pub learned: &'a [TrainableModel],
    /// Whether a question is in hand: then errors on questions like it stand first.
    pub asked: bool,
}

impl ModelsReport<'_> {
    /// One line per model in this format; on a screen of so many characters without the columns that have no room.
    #[must_use]
    pub fn render(&self, format: TableFormat, screen: Option<usize>) -> String {
        if !format.is_for_people() {
            return self.record_table().render(format);
        }
        let screen = screen.filter(|_| format == TableFormat::Table);
        let (overview, trained) = match screen {
            Some(width) => (
                self.overview_table()
                    .fitted(width, &["n (all)", "median %", "ratio", "within 25 %", "MAPE all"]),
                self.trained().fitted(width, &["seed", "written", "rows"]).shortened(width, "learned"),
            ),
            None => (self.overview_table(), self.trained()),
        };
        format!("{}\n{}", overview.render(format), trained.render(format))
    }

    /// The analytical models for people: numbers, then what each is.
    #[must_use]
    pub fn overview_table(&self) -> Table {
        let mut columns = vec![TableColumn::left("model")];
        if self.asked {
            columns.extend(["n (like)", "MAPE %", "median %", "coverage %"].map(TableColumn::right));
            columns.extend(["n (all)", "MAPE all"].map(TableColumn::right));
        } else {
            columns.extend(
                ["n", "MAPE %", "median %", "ratio", "within 25 %", "coverage %"].map(TableColumn::right),
            );
        }
        columns.push(TableColumn::left("used"));
        let mut table = Table::new(columns);
        table.title = self.title();
        table.rows = self.survey.models.iter().map(|m| self.model_cells(m)).collect();
        for m in &self.survey.models {
            let model = MODELS[m.model];
            let needs = if model.needs_source() { "; needs a time on the source" } else { "" };
            let used = if m.verdict.used { "used, " } else { "" };
            let (id, summary) = (model.id(), model.method_summary());
            table.notes.push(format!("{id}: {summary}{needs}. {used}{}", m.verdict.why));
        }
        table.notes.push(
            "MAPE and median: absolute percentage error; coverage: share of measured times inside the 90 % interval, computed \
             without the held-out rows; the first model is the default"
                .into(),
        );
        table
    }

    fn title(&self) -> String {
        let Survey { protocol, rows, .. } = self.survey;
        let like = format!("; like this question: {}", self.survey.like_with_reason());
        format!("{}; {rows}{}", protocol.sentence(), if self.asked { &like } else { "" })
    }

    fn model_cells(&self, m: &Surveyed) -> Vec<TableCell> {
        let name = self.survey.protocol.model_label(MODELS[m.model].id());
        let n = |s: Option<Score>| TableCell::maybe(s, |s| TableCell::number(s.errors.n as f64));
        let percent = |s: Option<f64>| TableCell::maybe(s, |v| TableCell::shown(v, format!("{v:.1}")));
        let mape = |s: Option<Score>| percent(s.map(|s| s.errors.mape_percent));
        let shown = if self.asked { m.of_like } else { m.overall };
        let mut cells = vec![TableCell::text(name), n(shown), mape(shown)];
        cells.push(percent(shown.map(|s| s.errors.median_ape_percent)));
        if !self.asked {
            let ratio = shown.map(|s| s.errors.median_ratio);
            cells.push(TableCell::maybe(ratio, |r| TableCell::shown(r, format!("{r:.2}"))));
            cells.push(percent(shown.map(|s| s.errors.within_25_percent)));
        }
        cells.push(percent(shown.and_then(|s| s.coverage_90_percent)));
        if self.asked {
            cells.extend([n(m.overall), mape(m.overall)]);
        }
        cells.push(TableCell::Flag(m.verdict.used));
        cells
    }

    /// The learned models for people.
    #[must_use]
    pub fn trained(&self) -> Table {
        let mut table = Table::new(vec![
            TableColumn::left("learned"),
            TableColumn::left("state"),
            TableColumn::right("rows"),
            TableColumn::right("seed"),
            TableColumn::left("written"),
            TableColumn::right("MAPE %"),
            TableColumn::left("used"),
        ]);
        table.title = "learned models, and what is in the cache of them".into();
        for l in &shortened(self.learned) {
            let t = l.trained.as_ref();
            let mape = t.and_then(|t| t.errors.first()).and_then(|e| e.mape);
            table.rows.push(vec![
                TableCell::text(l.model.as_str()),
                TableCell::text(l.state.as_str()),
                TableCell::maybe(t, |t| TableCell::number(t.rows as f64)),
                TableCell::maybe(t, |t| TableCell::number(t.seed as f64)),
                TableCell::maybe(l.written.as_deref(), TableCell::text),
                TableCell::maybe(mape, |v| TableCell::shown(v, significant(v))),
                TableCell::Flag(t.is_some_and(|t| t.used.used)),
            ]);
            table.notes.extend(about(l));
        }
        table.notes.dedup();
        table
    }

    /// One row per model, learned ones after the others, in full precision.
    fn record_table(&self) -> Table {
        const NUMBERS: [&str; 10] = [
            "predictions",
            "mape_percent",
            "median_ape_percent",
            "median_ratio",
            "within_25_percent",
            "coverage_90_percent",
            "like_n",
            "like_mape_percent",
            "like_median_ape_percent",
            "like_coverage_90_percent",
        ];
        const WORDS: [&str; 10] =
            ["like", "used", "why", "kind", "needs", "state", "recipe", "rows", "seed", "written"];
        let mut columns = vec![
            TableColumn::left("model"),
            TableColumn::left("summary"),
            TableColumn::left("needs_source_time"),
        ];
        columns.extend(NUMBERS.map(TableColumn::right));
        columns.extend(WORDS.map(TableColumn::left));
        let mut table = Table::new(columns);
        table.rows.extend(self.survey.models.iter().map(|m| self.record_cells(m)));
        table.rows.extend(self.learned.iter().map(learned_record));
        table
    }

    fn record_cells(&self, m: &Surveyed) -> Vec<TableCell> {
        let model = MODELS[m.model];
        let mut cells = vec![
            TableCell::text(model.id()),
            TableCell::text(model.method_summary()),
            TableCell::Flag(model.needs_source()),
        ];
        let [all, of_like] = [m.overall, m.of_like.filter(|_| self.asked)];
        cells.extend(score_cells(all, &[N, MAPE, MEDIAN, RATIO, WITHIN, HELD]));
        cells.extend(score_cells(of_like, &[N, MAPE, MEDIAN, HELD]));
        let like = if self.asked { self.survey.like.as_str() } else { "" };
        let needs = if model.needs_source() { "a time on the source" } else { "" };
        cells.extend([
            TableCell::text(like),
            TableCell::Flag(m.verdict.used),
            TableCell::text(m.verdict.why.as_str()),
        ]);
        cells.extend([TableCell::text("analytical"), TableCell::text(needs)]);
        cells.extend(std::iter::repeat_n(TableCell::Null, 5));
        cells
    }
}

/// A number of a score.
type Of = fn(&Score) -> Option<f64>;
const N: Of = |s| Some(s.errors.n as f64);
const MAPE: Of = |s| Some(s.errors.mape_percent);
const MEDIAN: Of = |s| Some(s.errors.median_ape_percent);
const RATIO: Of = |s| Some(s.errors.median_ratio);
const WITHIN: Of = |s| Some(s.errors.within_25_percent);
const HELD: Of = |s| s.coverage_90_percent;

fn score_cells(score: Option<Score>, all: &[Of]) -> impl Iterator<Item = TableCell> {
    all.iter().map(move |of| TableCell::maybe(score.as_ref().and_then(of), TableCell::number))
}

fn learned_record(l: &TrainableModel) -> Vec<TableCell> {
    let t = l.trained.as_ref();
    let error = t.and_then(|t| t.errors.first());
    let number = |v: Option<f64>| TableCell::maybe(v, TableCell::number);
    let mut cells =
        vec![TableCell::text(l.model.as_str()), TableCell::text(l.what.as_str()), TableCell::Null];
    cells.push(number(error.map(|e| e.n as f64)));
    cells.extend([number(error.and_then(|e| e.mape)), number(error.and_then(|e| e.median_ape))]);
    cells.extend([TableCell::Null, TableCell::Null, number(error.and_then(|e| e.coverage))]);
    cells.extend(std::iter::repeat_n(TableCell::Null, 5));
    let why = t.map_or(l.why.as_str(), |t| &t.used.why);
    cells.extend([TableCell::Flag(t.is_some_and(|t| t.used.used)), TableCell::text(why)]);
    cells.extend([
        TableCell::text("learned"),
        TableCell::text(l.needs.as_str()),
        TableCell::text(l.state.as_str()),
    ]);
    cells.push(TableCell::maybe(t, |t| TableCell::text(t.recipe.as_str())));
    cells.push(TableCell::maybe(t, |t| TableCell::number(t.rows as f64)));
    cells.push(TableCell::maybe(t, |t| TableCell::number(t.seed as f64)));
    cells.push(TableCell::maybe(l.written.as_deref(), TableCell::text));
    cells
}

/// What a learned model is and needs, its recipe, its state, whether it is used: for notes and the pane.
#[must_use]
pub fn about(l: &TrainableModel) -> Vec<String> {
    let mut all = vec![format!("{}: {}; needs {}", l.model, l.what, l.needs)];
    if let Some(t) = &l.trained {
        let held = t.errors.first().map_or("", |e| &e.protocol);
        all.push(format!("{} ({}): {}; error of {held}", l.model, t.gpus.join(", "), t.recipe));
        let used = if t.used.used { "used" } else { "not used" };
        all.push(format!("{}: {used}, because {}", l.model, t.used.why));
    }
    if !l.why.is_empty() {
        all.push(format!("{}, {}: {}", l.model, l.state, l.why));
    }
    all
}
