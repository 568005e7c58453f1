//! How wrong the models are: over all trials, per kernel, per pair of GPUs.

use super::cell::TableCell;
use super::table::{Table, TableColumn, TableFormat, pretty_json};
use crate::answer::{AnswerTrial, AnswerTrials, TrialPlaces};
use crate::cores;
use crate::evaluate::{
    Asking, EvaluationSetup, EvaluationWorld, ModelOutcome, Protocol, Ranking, Score, answered_by_all,
    ranking, score, scores_by,
};
use crate::gpu::GpuId;
use crate::kernel::Kernel;
use crate::units::{Seconds, significant};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The numbers of a score: JSON key and CSV column, and the heading for people.
const SCORE_COLUMNS: [(&str, &str); 12] = [
    ("n", "predicted"),
    ("mape_percent", "MAPE %"),
    ("median_ape_percent", "median %"),
    ("median_ratio", "ratio"),
    ("within_10_percent", "within 10 %"),
    ("within_25_percent", "within 25 %"),
    ("within_50_percent", "within 50 %"),
    ("order_accuracy_percent", "rank accuracy %"),
    ("coverage_90_percent", "coverage %"),
    ("width", "width"),
    ("r2", "R2"),
    ("mae_ms", "MAE"),
];

/// The numbers of a ranking.
const RANKING_COLUMNS: [(&str, &str); 5] = [
    ("bandwidth_order_percent", "bandwidth %"),
    ("spearman", "Spearman"),
    ("source_spearman", "source Spearman"),
    ("regret_percent", "regret %"),
    ("source_regret_percent", "source regret %"),
];

/// Below this a coefficient of determination says no more than that it is.
const LEAST_R2: f64 = -99.0;

/// Columns that a narrow screen goes without, the first one first.
const LEAST_NEEDED: [&str; 12] = [
    "source Spearman",
    "source regret %",
    "R2",
    "MAE",
    "width",
    "within 10 %",
    "within 50 %",
    "ratio",
    "predicted",
    "median %",
    "within 25 %",
    "bandwidth %",
];

/// With more trials than these, models are told of one after the other.
const MANY: usize = 4_000_000;

/// Said where each model answered, but none the same questions.
pub const NOTHING_IN_COMMON: &str = "no case is covered by every model: their errors are of different rows";

/// `every model covers`, `every model but same-time covers`: who answered the cases in common, those aside that answered none.
#[must_use]
pub fn covered_by<M: AsRef<str>>(common: &[(M, Option<Score>)]) -> String {
    let without: Vec<&str> = common.iter().filter(|(_, s)| s.is_none()).map(|(m, _)| m.as_ref()).collect();
    match without.as_slice() {
        [] => "every model covers".into(),
        without => format!("every model but {} covers", without.join(", ")),
    }
}

/// An evaluation to be told.
#[derive(Debug, Clone, Copy)]
pub struct EvaluationReport<'a> {
    /// The names behind the numbers.
    pub world: EvaluationWorld<'a>,
    /// How it was asked.
    pub setup: &'a EvaluationSetup,
    /// The word for the ceilings: `peak`, `achieved`, `sustained`.
    pub ceilings: &'a str,
    /// One per model.
    pub outcomes: &'a [ModelOutcome],
}

/// One group of trials and its score.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoredGroup {
    /// The kernel, or `titan-v -> rtx-4070`.
    pub name: String,
    /// What is said of it.
    pub score: Score,
}

impl EvaluationReport<'_> {
    /// Every kernel of an outcome, worst first.
    #[must_use]
    pub fn per_kernel(&self, outcome: &ModelOutcome) -> Vec<ScoredGroup> {
        self.per_named_kernel(outcome, |kernel| &kernel.id)
    }

    fn per_named_kernel(&self, outcome: &ModelOutcome, name: fn(&Kernel) -> &str) -> Vec<ScoredGroup> {
        grouped(outcome, |t| t.kernel, |kernel| name(&self.world.kernels[*kernel]).to_string())
    }

    /// Every ordered pair of GPUs of an outcome, worst first; a GPU alone where source and target are the same.
    #[must_use]
    pub fn per_pair(&self, outcome: &ModelOutcome) -> Vec<ScoredGroup> {
        let id = |gpu: GpuId| self.world.gpus[gpu].id.as_str();
        let name = |(s, t): &(GpuId, GpuId)| {
            if s == t { id(*s).to_string() } else { format!("{} -> {}", id(*s), id(*t)) }
        };
        grouped(outcome, |t| (t.source, t.target), name)
    }

    /// Every architecture of targets, class of kernels and degree of information of an outcome: where intervals hold.
    #[must_use]
    pub fn per_kind(&self, outcome: &ModelOutcome) -> Vec<ScoredGroup> {
        let world = self.world;
        let on = |t: &AnswerTrial| world.gpus[t.target].architecture.as_str();
        let class = |t: &AnswerTrial| world.kernels[t.kernel].known_category().unwrap_or("class unknown");
        let mut all = grouped(outcome, on, |a| format!("onto {a}"));
        all.extend(grouped(outcome, class, |class| format!("kernels: {class}")));
        all.extend(grouped(outcome, |t| t.information, |i| format!("known: {}", i.as_str())));
        all
    }

    /// The evaluation in this format; on a screen of so many characters without the columns that have no room.
    #[must_use]
    pub fn render(&self, format: TableFormat, screen: Option<usize>) -> String {
        let fitted = |table: Table| match screen.filter(|_| format == TableFormat::Table) {
            Some(width) => {
                let name = table.columns.first().map_or("", |column| column.name);
                table.fitted(width, &LEAST_NEEDED).shortened(width, name)
            }
            None => table,
        };
        match format {
            TableFormat::Json => self.json(),
            TableFormat::Csv => self.record_table().render(format),
            TableFormat::Table | TableFormat::Markdown => {
                let mut text = fitted(self.overall()).render(format);
                let groups = self.outcomes.iter().take(1).flat_map(|o| self.groups(o));
                let tables = self.common_table().into_iter().chain(self.ranking_table()).chain(groups);
                for table in tables {
                    text.push_str(&format!("\n{}", fitted(table).render(format)));
                }
                text
            }
        }
    }

    /// `sustained rates (components), peak roofs (plain-roofline)`: the rates of the models that use any.
    fn rates_title(&self) -> String {
        let mut used: Vec<(String, Vec<&str>)> = Vec::new();
        for outcome in self.outcomes {
            let Some(words) = outcome.rates_words(self.ceilings) else { continue };
            match used.iter_mut().find(|(known, _)| *known == words) {
                Some((_, models)) => models.push(outcome.model),
                None => used.push((words, vec![outcome.model])),
            }
        }
        let named = |(words, models): &(String, Vec<&str>)| format!("{words} ({})", models.join(", "));
        used.iter().map(named).collect::<Vec<_>>().join(", ")
    }

    /// One line per model, and under it what was refused and why.
    #[must_use]
    pub fn overall(&self) -> Table {
        let mut columns = vec![TableColumn::left("model"), TableColumn::right("cases")];
        columns.extend(SCORE_COLUMNS.map(|(_, heading)| TableColumn::right(heading)));
        let mut table = Table::new(columns);
        table.title = format!(
            "{}{}; roofs: {}; occupancy: {}",
            self.setup.protocol.sentence(),
            self.setup.asking.sentence(),
            self.rates_title(),
            self.setup.rules.as_str()
        );
        for outcome in self.outcomes {
            let first = [self.outcome_label(outcome), TableCell::number(outcome.asked() as f64)];
            table.rows.push(first.into_iter().chain(cells(score(outcome.trials.iter()))).collect());
        }
        table.notes.extend(self.refusals());
        table.notes.extend(self.nothing_answered());
        let alone = self.on_common().is_some_and(|all| all.iter().all(|(_, s)| s.is_none()));
        table.notes.extend(alone.then(|| NOTHING_IN_COMMON.to_string()));
        table.notes.extend(self.setup.protocol.of_labels().map(String::from));
        table.notes.push(
            "rank accuracy: which GPU is faster, where measured times are 5 % apart (equal counts half); ratio: median of predicted \
             over measured; coverage and width (upper over lower end) of 90 % intervals made without what is held out"
                .into(),
        );
        table
    }

    fn outcome_label(&self, outcome: &ModelOutcome) -> TableCell {
        TableCell::text(self.setup.protocol.model_label(outcome.model))
    }

    /// Every model on the questions that all of them answered, where those are not all that any of them did.
    #[must_use]
    pub fn on_common(&self) -> Option<Vec<(&'static str, Option<Score>)>> {
        let common = answered_by_all(self.outcomes);
        let pairs = || self.outcomes.iter().zip(&common);
        let differ = pairs().any(|(o, trials)| o.trials.len() != trials.len());
        differ.then(|| pairs().map(|(o, trials)| (o.model, score_on(&o.trials, trials))).collect())
    }

    /// [`EvaluationReport::on_common`] as a table.
    fn common_table(&self) -> Option<Table> {
        let common = self.on_common()?;
        let n = common.first().and_then(|(_, s)| *s)?.errors.n;
        let mut columns = vec![TableColumn::left("model")];
        columns.extend(SCORE_COLUMNS.map(|(_, heading)| TableColumn::right(heading)));
        let mut table = Table::new(columns);
        table.title = format!("on the {n} cases {}: compare models by these", covered_by(&common));
        let label = |model: &str| TableCell::text(self.setup.protocol.model_label(model));
        let row = |(model, s): (&str, Option<Score>)| [label(model)].into_iter().chain(cells(s)).collect();
        table.rows = common.into_iter().map(row).collect();
        Some(table)
    }

    /// How well each model orders configurations and GPUs; `None` where no source was timed.
    fn ranking_table(&self) -> Option<Table> {
        let all: Vec<(TableCell, Ranking, Option<Score>)> = self
            .outcomes
            .iter()
            .map(|o| (self.outcome_label(o), ranking(self.world, &o.trials), score(o.trials.iter())))
            .collect();
        all.iter().find(|(_, r, _)| *r != Ranking::default())?;
        let mut columns = vec![TableColumn::left("model")];
        columns.extend(RANKING_COLUMNS.map(|(_, heading)| TableColumn::right(heading)));
        let mut table = Table::new(columns);
        table.title = "rank accuracy: of configurations on the target, and of GPUs".into();
        table.rows = all
            .into_iter()
            .map(|(label, r, s)| {
                let order = TableCell::maybe(s.and_then(|s| s.order_accuracy_percent), percent);
                [label, order].into_iter().chain(ranking_cells(&r)).collect()
            })
            .collect();
        table.columns.insert(1, TableColumn::right("rank accuracy %"));
        table.notes.push(
            "Spearman: rank correlation over the configurations of a kernel (5 or more), mean over kernels and pairs; \
             regret: how much slower the configuration predicted to be the fastest of a problem is than the fastest; source: \
             the same with the times on the source as the prediction; bandwidth: the GPU with more DRAM bandwidth predicted faster"
                .into(),
        );
        Some(table)
    }

    /// Every reason with its number and the models that gave it: `4 not applicable: cannot launch on titan-v (same-time, …)`.
    #[must_use]
    pub fn refusals(&self) -> Vec<String> {
        let mut by_reason: BTreeMap<(&str, usize), Vec<&str>> = BTreeMap::new();
        for outcome in self.outcomes {
            for (why, n) in &outcome.refused {
                by_reason.entry((why, *n)).or_default().push(outcome.model);
            }
        }
        let line = |((why, n), models): ((&str, usize), Vec<&str>)| {
            let all = models.len() == self.outcomes.len();
            let who = if all { "all models".to_string() } else { models.join(", ") };
            format!("{n} not applicable: {why} ({who})")
        };
        by_reason.into_iter().map(line).collect()
    }

    /// Why there is no picture of these models: no score at all, with what was refused; `None` where any model answered anything.
    #[must_use]
    pub fn picture_refusal(&self) -> Option<String> {
        let why = self.nothing_answered()?;
        Some(std::iter::once(why).chain(self.refusals()).collect::<Vec<_>>().join("; "))
    }

    /// Why there is no score at all; `None` where any model answered anything.
    #[must_use]
    pub fn nothing_answered(&self) -> Option<String> {
        if self.outcomes.iter().any(|o| !o.trials.is_empty()) {
            return None;
        }
        let asked = self.outcomes.iter().map(ModelOutcome::asked).max().unwrap_or(0);
        if asked > 0 {
            return Some(format!("nothing was predicted: none of the {asked} cases is covered by a model"));
        }
        let within = if self.setup.scope.is_everything() { "" } else { " among what was asked for" };
        Some(match self.setup.protocol {
            Protocol::NewSize => {
                format!("no case: no kernel was measured at two sizes on one GPU{within}")
            }
            Protocol::NewClocks => {
                format!("no case: no configuration was measured on one GPU at two clocks{within}")
            }
            Protocol::NewKernel => format!("no case: no row is left{within}"),
            Protocol::NewGpu if self.setup.asking.known_rows > 0 => format!(
                "no case: no configuration was measured on two GPUs{within}, or every row is known: lower --known-rows"
            ),
            Protocol::NewGpu => format!(
                "no case: no configuration (kernel, problem, variant) was measured on two GPUs{within}"
            ),
        })
    }

    /// Kernels and pairs of one model.
    fn groups(&self, outcome: &ModelOutcome) -> Vec<Table> {
        let table = |first, all: Vec<ScoredGroup>| {
            let mut columns = vec![TableColumn::left(first)];
            columns.extend(SCORE_COLUMNS.map(|(_, heading)| TableColumn::right(heading)));
            let mut table = Table::new(columns);
            table.title = format!("{}, per {first}, worst first", outcome.model);
            let row =
                |g: ScoredGroup| [TableCell::text(g.name)].into_iter().chain(cells(Some(g.score))).collect();
            table.rows = all.into_iter().map(row).collect();
            table
        };
        let kernels = self.per_named_kernel(outcome, Kernel::label);
        let mut all = vec![table("kernel", kernels), table("pair", self.per_pair(outcome))];
        let mut kinds = table("kind", self.per_kind(outcome));
        kinds.title = format!("{}, by target architecture, kernel class and what is known", outcome.model);
        all.push(kinds);
        all
    }

    /// One row per model and group, in full precision.
    fn record_table(&self) -> Table {
        let mut columns =
            vec![TableColumn::left("model"), TableColumn::left("group"), TableColumn::left("name")];
        columns.extend(SCORE_COLUMNS.map(|(key, _)| TableColumn::right(key)));
        let mut table = Table::new(columns);
        let unnamed = |score: Option<Score>| score.map(|score| ScoredGroup { name: String::new(), score });
        for (outcome, common) in self.outcomes.iter().zip(answered_by_all(self.outcomes)) {
            let groups = [
                ("overall", unnamed(score(outcome.trials.iter())).into_iter().collect()),
                ("common", unnamed(score_on(&outcome.trials, &common)).into_iter().collect()),
                ("pair", self.per_pair(outcome)),
                ("kernel", self.per_kernel(outcome)),
                ("kind", self.per_kind(outcome)),
            ];
            for (kind, group) in
                groups.into_iter().flat_map(|(kind, all)| all.into_iter().map(move |g| (kind, g)))
            {
                let first =
                    [TableCell::text(outcome.model), TableCell::text(kind), TableCell::text(group.name)];
                table.rows.push(first.into_iter().chain(cells(Some(group.score))).collect());
            }
            if let Some(why) = self.nothing_answered() {
                let first = [TableCell::text(outcome.model), TableCell::text("reason"), TableCell::text(why)];
                table.rows.push(first.into_iter().chain(cells(None)).collect());
            }
        }
        table
    }

    fn json(&self) -> String {
        let object = |groups: Vec<ScoredGroup>| {
            Value::Object(groups.into_iter().map(|g| (g.name, json_of(Some(g.score)))).collect())
        };
        let model = |o: &ModelOutcome, common: &TrialPlaces| {
            let refused: Vec<Value> =
                o.refused.iter().map(|(why, n)| json!({ "reason": why, "n": n })).collect();
            json!({
                "asked": o.asked(),
                "overall": json_of(score(o.trials.iter())),
                "common": json_of(score_on(&o.trials, common)),
                "per_pair": object(self.per_pair(o)),
                "per_kernel": object(self.per_kernel(o)),
                "per_kind": object(self.per_kind(o)),
                "ranking": ranking_json(&ranking(self.world, &o.trials)),
                "refused": refused,
            })
        };
        let common = answered_by_all(self.outcomes);
        let told = |(o, c): (&ModelOutcome, &TrialPlaces)| (o.model.to_string(), model(o, c));
        // Half a million trials per model are worth a thread each. Of many more those of one model are memory enough.
        let many = self.outcomes.iter().map(|o| o.trials.len()).sum::<usize>() > MANY;
        let told: Vec<(String, Value)> = if many {
            self.outcomes.iter().zip(&common).map(told).collect()
        } else {
            cores::collect(common.len(), |at| told((&self.outcomes[at], &common[at])))
        };
        let models: Map<String, Value> = told.into_iter().collect();
        let mut all = json!({
            "protocol": self.setup.protocol.as_str(),
            "ceilings": self.ceilings,
            "rules": self.setup.rules.as_str(),
            "models": models,
        });
        let asking = self.setup.asking;
        // Only where more was known: what reads the plain form is not surprised.
        if asking != Asking::default() {
            all["sources"] = json!(if asking.all_sources { "all" } else { "pairs" });
            all["known_rows"] = json!(asking.known_rows);
        }
        if let Some(why) = self.nothing_answered() {
            all["reason"] = why.into();
        }
        pretty_json(&all)
    }
}

/// The score of the trials at these places.
fn score_on(trials: &AnswerTrials, places: &TrialPlaces) -> Option<Score> {
    score(trials.chosen(places.iter()))
}

fn grouped<K: Ord>(
    outcome: &ModelOutcome,
    key: impl Fn(&AnswerTrial) -> K,
    name: impl Fn(&K) -> String,
) -> Vec<ScoredGroup> {
    let scores = scores_by(outcome.trials.iter(), key);
    worst_first(scores.into_iter().map(|(key, score)| ScoredGroup { name: name(&key), score }).collect())
}

fn worst_first(mut all: Vec<ScoredGroup>) -> Vec<ScoredGroup> {
    all.sort_by(|a, b| b.score.errors.mape_percent.total_cmp(&a.score.errors.mape_percent));
    all
}

/// The numbers of [`SCORE_COLUMNS`], in their order.
fn cells(score: Option<Score>) -> [TableCell; 12] {
    let Some(s) = score else {
        return SCORE_COLUMNS.map(|(key, _)| if key == "n" { TableCell::number(0) } else { TableCell::Null });
    };
    let e = s.errors;
    let ratio = |v: f64| TableCell::shown(v, format!("{v:.3}"));
    [
        TableCell::number(e.n as f64),
        percent(e.mape_percent),
        percent(e.median_ape_percent),
        ratio(e.median_ratio),
        percent(e.within_10_percent),
        percent(e.within_25_percent),
        percent(e.within_50_percent),
        TableCell::maybe(s.order_accuracy_percent, percent),
        TableCell::maybe(s.coverage_90_percent, percent),
        TableCell::maybe(s.width, |w| TableCell::shown(w, significant(w))),
        TableCell::maybe(e.r2, |r2| TableCell::shown(r2, r2_text(r2))),
        TableCell::shown(Seconds(e.mean_absolute_error).millis(), Seconds(e.mean_absolute_error).to_string()),
    ]
}

/// `0.915`; of times that vary little beside the errors only that it is far below 0.
fn r2_text(r2: f64) -> String {
    if r2 < LEAST_R2 { format!("< {LEAST_R2}") } else { format!("{r2:.3}") }
}

fn percent(v: f64) -> TableCell {
    TableCell::shown(v, format!("{v:.2}"))
}

/// The numbers of [`RANKING_COLUMNS`], in their order.
fn ranking_cells(r: &Ranking) -> [TableCell; 5] {
    let ratio = |v: f64| TableCell::shown(v, format!("{v:.3}"));
    [
        TableCell::maybe(r.bandwidth_order_percent, percent),
        TableCell::maybe(r.spearman, ratio),
        TableCell::maybe(r.source_spearman, ratio),
        TableCell::maybe(r.regret_percent, percent),
        TableCell::maybe(r.source_regret_percent, percent),
    ]
}

fn ranking_json(ranking: &Ranking) -> Value {
    let pairs = RANKING_COLUMNS.iter().zip(ranking_cells(ranking));
    Value::Object(pairs.map(|((key, _), cell)| ((*key).to_string(), cell.for_json())).collect())
}

fn json_of(score: Option<Score>) -> Value {
    let pairs = SCORE_COLUMNS.iter().zip(cells(score));
    Value::Object(pairs.map(|((key, _), cell)| ((*key).to_string(), cell.for_json())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::AnswerTrial;

    #[test]
    fn a_coefficient_far_below_zero_is_short() {
        assert_eq!([0.9154, -1.6667, -4.95e29].map(r2_text), ["0.915", "-1.667", "< -99"]);
    }

    #[test]
    fn a_model_that_covers_no_case_is_not_said_to_cover_them() {
        let trials: AnswerTrials = std::iter::once(AnswerTrial::of_pair(0, 1)).collect();
        let some = score(trials.iter());
        assert!(some.is_some());
        assert_eq!(covered_by(&[("components", some), ("plain-roofline", some)]), "every model covers");
        assert_eq!(
            covered_by(&[("components", some), ("same-time", None)]),
            "every model but same-time covers"
        );
    }
}
