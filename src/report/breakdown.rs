//! A prediction taken apart, in words and tables: the product from the first time to the predicted one, the component times,
//! every number with its source. The same for the command line and for the dashboard.

use super::cell::TableCell;
use super::predictions::{COLUMNS, Comparison, VARIANT};
use super::shown;
use super::table::{Table, TableColumn};
use crate::answer::Answer;
use crate::chart::ranked_components;
use crate::pair::{Pair, Side};
use crate::predict::{
    Amount, Breakdown, Cause, Elasticity, Explanation, Factor, FirstTime, Prediction, Provenance, SourceKind,
    Step, amount, in_words,
};
use crate::roofline::Component;
use crate::units::{Seconds, significant};

const FACTOR_COLUMNS: [TableColumn; 12] = [
    TableColumn::left("factor"),
    TableColumn::right("source"),
    TableColumn::right("target"),
    TableColumn::left("unit"),
    TableColumn::left("source_from"),
    TableColumn::left("target_from"),
    TableColumn::left("part"),
    TableColumn::right("times"),
    TableColumn::right("time_s"),
    TableColumn::right("source_share"),
    TableColumn::right("target_share"),
    TableColumn::right("elasticity"),
];

/// What a question that names no source starts from, where the target was timed.
const OWN_TIME: &str = "own time";

/// Every number of one prediction, for people: they carry their unit.
///
/// ```text
/// factor            source      target  from
/// source time      24.6 µs           -  published: …
/// DRAM bandwidth  653 GB/s    504 GB/s  published: nvidia-volta | published: geforce-40
/// ```
#[must_use]
pub fn numbers_table(prediction: &Prediction, has_source: bool) -> Table {
    let columns: &[TableColumn] = match has_source {
        true => &[TableColumn::right("source"), TableColumn::right("target")],
        false => &[TableColumn::right("number")],
    };
    let names = [TableColumn::left("factor"), TableColumn::left("from")];
    let mut table = Table::new([&names[..1], columns, &names[1..]].concat());
    for factor in &prediction.factors {
        let from = TableCell::text(origins(factor));
        let cells = if has_source { cells(factor).into() } else { of_target_alone(cells(factor).into()) };
        let numbers = if has_source { &cells[..3] } else { &[cells[0].clone(), cells[2].clone()] };
        table.rows.push([numbers, &[from]].concat());
    }
    let time = prediction.time;
    let predicted = TableCell::shown(time.0, time.to_string());
    let mut last = vec![TableCell::text("predicted time"), TableCell::Null, predicted, TableCell::Null];
    if !has_source {
        last.remove(1);
    }
    table.rows.push(last);
    table
}

/// Every prediction taken apart as one table for programs: the question's five columns, then one number per row in SI units,
/// and the variant.
///
/// `part` says what a row is: `number` (what the prediction was made of), `component` (a number that is the time of a
/// component; `source_share` and `target_share` are its part of the longest one on that GPU, 1 binds), `step` (the product:
/// `times` is its factor, `time_s` the time after it; the last one is the prediction), `elasticity` (of the time in a number of
/// the target; `times`: with 10 % more of it), `beside` (another model's time), `measure` (what would narrow the interval), `no_time`
/// (the only row of a prediction without a time: `factor` is the reason).
/// A share of a combined answer has its numbers alone: its product is part of the combined one.
#[must_use]
pub fn record_columns() -> Vec<TableColumn> {
    COLUMNS[..5].iter().chain(&FACTOR_COLUMNS).copied().chain([VARIANT]).collect()
}

/// The rows of one prediction, by [`record_columns`].
#[must_use]
pub fn record_rows(row: &Comparison<'_>) -> Vec<Vec<TableCell>> {
    let whole =
        |cells: Vec<TableCell>| row.identity().into_iter().chain(cells).chain([row.variant_cell()]).collect();
    let breakdown = match (&row.answer.prediction, row.answer.breakdown()) {
        (Ok(_), Some(breakdown)) => breakdown,
        (Ok(_), None) => return Vec::new(),
        (Err(why), _) => return vec![whole(PartRecord::new("no_time", why.to_string()).cells())],
    };
    let components = breakdown.components.as_ref().filter(|_| row.share.is_none());
    let numbers = breakdown.numbers.iter().map(|factor| number_cells(factor, components));
    let has_source = !row.answer.is_without_source;
    let parts = if row.share.is_none() { part_records(&breakdown, has_source) } else { Vec::new() };
    let cells = numbers.chain(parts.into_iter().map(|part| part.cells().into_iter().collect()));
    let own = |cells: Vec<TableCell>| if has_source { cells } else { of_target_alone(cells) };
    cells.map(own).map(whole).collect()
}

/// The cells of [`FACTOR_COLUMNS`], or the first six of them, of a question that names no source: what stands on the source's side is the
/// target's own.
fn of_target_alone(mut cells: Vec<TableCell>) -> Vec<TableCell> {
    let (pairs, count) = ([(1, 2), (4, 5), (9, 10)], cells.len());
    for (source, target) in pairs.into_iter().filter(|(_, target)| *target < count) {
        let own = std::mem::replace(&mut cells[source], TableCell::Null);
        if cells[target] == TableCell::Null {
            cells[target] = own;
        }
    }
    if cells[0] == TableCell::text("source time") {
        cells[0] = TableCell::text(OWN_TIME);
    }
    cells
}

/// One number, and its part of the longest component where it is the time of one.
fn number_cells(factor: &Factor, components: Option<&Explanation>) -> Vec<TableCell> {
    let shares = components.and_then(|e| shares(e, factor.name));
    let part = if shares.is_some() { "component" } else { "number" };
    let Pair { source, target } = shares.unwrap_or_default().map(|s| TableCell::maybe(s, TableCell::number));
    let more = [TableCell::text(part), TableCell::Null, TableCell::Null, source, target, TableCell::Null];
    cells(factor).into_iter().chain(more).collect()
}

/// One factor in words.
#[derive(Debug, Clone, PartialEq)]
pub struct FactorWords {
    /// What changes.
    pub name: String,
    /// `× 1.62`; empty for the first time.
    pub factor: String,
    /// The time after it.
    pub time: String,
    /// What stands behind it.
    pub behind: String,
}

/// Every factor, the first time first.
#[must_use]
pub fn links(breakdown: &Breakdown<'_>) -> Vec<FactorWords> {
    links_from(breakdown, true)
}

/// The same, of a question that names a source or none.
fn links_from(breakdown: &Breakdown<'_>, has_source: bool) -> Vec<FactorWords> {
    let steps = breakdown.steps.iter().map(|step| FactorWords {
        name: step.cause.words().into(),
        factor: Amount::Times(step.factor).to_string(),
        time: step.time.to_string(),
        behind: behind(step),
    });
    std::iter::once(first_link(breakdown, has_source)).chain(steps).collect()
}

/// What stands behind a step; of a launch that the kernel hides in part how much of it counts.
fn behind(step: &Step) -> String {
    let said = step.cause.to_string();
    let (Cause::FloorOn(floor, _) | Cause::FloorOff(floor, _)) = step.cause else { return said };
    let counted = Seconds((step.time.0 - step.time.0 / step.factor).abs());
    let how = match counted / floor {
        0.99.. => return said,
        0.005.. => format!("{counted} of {floor} (rest hidden)"),
        _ => format!("{floor}, hidden"),
    };
    said.replacen(&floor.to_string(), &how, 1)
}

/// The first time, and where it is from.
fn first_link(breakdown: &Breakdown<'_>, has_source: bool) -> FactorWords {
    let from = breakdown.from;
    let (time, behind) = match &breakdown.start {
        FirstTime::SourceTime { kind, is_timed, source } => {
            let kind_words = kind_words(*kind, *is_timed);
            let behind =
                if source.is_empty() { kind_words.into() } else { format!("{kind_words}: {source}") };
            (shown::marked_time(from, *kind, *is_timed), behind)
        }
        FirstTime::Binding(_) => {
            let on = if has_source { "on the source GPU" } else { "on this GPU" };
            let is_limited = breakdown.steps.iter().any(|step| step.cause == Cause::PowerLimit);
            let before = if is_limited { ", before the power limit" } else { "" };
            (from.to_string(), format!("the longest limit{before}; no measurement {on}"))
        }
        FirstTime::Roof => (from.to_string(), "the kernel's counts over the target's rates".into()),
    };
    FactorWords { name: first_name(&breakdown.start, has_source), factor: String::new(), time, behind }
}

fn first_name(start: &FirstTime, has_source: bool) -> String {
    match start {
        FirstTime::SourceTime { .. } if has_source => "time on the source".into(),
        FirstTime::SourceTime { .. } => OWN_TIME.into(),
        FirstTime::Binding(component) => format!("{} on the target", component.as_str()),
        FirstTime::Roof => "time at the roof".into(),
    }
}

fn kind_words(kind: SourceKind, is_timed: bool) -> &'static str {
    match kind {
        SourceKind::Estimated if is_timed => "scaled from other sizes",
        SourceKind::Estimated => "modelled",
        SourceKind::Measured => "measured",
        SourceKind::Published => "published",
    }
}

/// The product for people.
#[must_use]
pub fn steps_table(answer: &Answer, breakdown: &Breakdown<'_>) -> Table {
    let mut table = Table::new(vec![
        TableColumn::left("step"),
        TableColumn::right("factor"),
        TableColumn::right("time"),
        TableColumn::left("behind it"),
    ]);
    let row = |l: FactorWords| {
        let factor = if l.factor.is_empty() { TableCell::Null } else { TableCell::text(l.factor) };
        // A mark behind the first time does not move the unit out of its column.
        let time = if l.time.ends_with(char::is_alphabetic) { format!("{}  ", l.time) } else { l.time };
        vec![TableCell::text(l.name), factor, TableCell::Text(time), TableCell::text(l.behind)]
    };
    table.rows = links_from(breakdown, !answer.is_without_source).into_iter().map(row).collect();
    let predicted = shown::predicted(answer).unwrap_or_default();
    let range = shown::interval(answer).map(|i| format!("90 % interval {i}")).unwrap_or_default();
    table.rows.push(vec![
        TableCell::text("predicted"),
        TableCell::Null,
        TableCell::text(predicted),
        TableCell::text(range),
    ]);
    table
}

/// `101 µs ◀`: the binding one is marked; `-` where it takes none.
#[must_use]
pub fn component_time(e: &Explanation, side: Side, component: Component) -> String {
    let time = e.components[side].component_time(component);
    match e.components[side].binding() {
        _ if time.0 <= 0.0 => "-".into(),
        Some(binding) if binding == component => format!("{time} ◀"),
        _ => time.to_string(),
    }
}

/// The components that take any time, the target's longest first.
#[must_use]
pub fn component_table(e: &Explanation, names: Pair<&str>, has_source: bool) -> Table {
    let columns: &[&'static str] = match has_source {
        true => &["component", "source", "part", "target", "part"],
        false => &["component", "time", "part"],
    };
    let sides = &[Side::Source, Side::Target][usize::from(!has_source)..];
    let mut table = Table::new(columns.iter().copied().map(TableColumn::right).collect());
    table.columns[0] = TableColumn::left("component");
    for component in ranked_components(e) {
        let mut row = vec![TableCell::text(component.as_str())];
        for &side in sides {
            let text = component_time(e, side, component);
            let text = if text.ends_with('s') { format!("{text}  ") } else { text };
            row.push(if text == "-" { TableCell::Null } else { TableCell::Text(text) });
            row.push(
                component_share(e, side, component)
                    .map_or(TableCell::Null, |s| TableCell::Text(format!("{:.0} %", 100.0 * s))),
            );
        }
        table.rows.push(row);
    }
    table.notes = bindings_on(sides, e, names);
    table
}

/// A component's time over that of the longest one on its GPU.
fn component_share(e: &Explanation, side: Side, component: Component) -> Option<f64> {
    let time = e.components[side].component_time(component);
    let longest = e.components[side].ranked()[0].1;
    (time.0 > 0.0).then(|| time / longest)
}

/// `RTX 4070: bound by LSU; next limit: shared, 2.09x below`, one per GPU, source first; `bound by latency, 1.20× over LSU`
/// where that is what stretches the roof.
#[must_use]
pub fn bindings(e: &Explanation, names: Pair<&str>) -> Vec<String> {
    bindings_on(&[Side::Source, Side::Target], e, names)
}

fn bindings_on(sides: &[Side], e: &Explanation, names: Pair<&str>) -> Vec<String> {
    let of = |side: &Side| Some(format!("{}: {}", names[*side], e.binding_words(*side)?));
    sides.iter().filter_map(of).collect()
}

/// `10 % more DRAM bandwidth (504 GB/s): 7.90 % faster`.
#[must_use]
pub fn elasticity(e: &Elasticity) -> String {
    format!("10 % more {} ({}): {}", e.spec.as_str(), in_words(e.spec, e.number), effect(e))
}

/// `7.90 % faster`.
#[must_use]
pub fn effect(e: &Elasticity) -> String {
    let faster = 100.0 * (1.0 / e.ten_percent - 1.0);
    let (percent, word) =
        if faster < 0.0 { (100.0 * (e.ten_percent - 1.0), "slower") } else { (faster, "faster") };
    format!("{} % {word}", significant(percent))
}

/// The other model of the family, where it answers.
#[must_use]
pub fn beside(e: &Explanation, time: Seconds) -> Option<String> {
    let (model, other) = e.beside?;
    let ratio = other / time;
    let (ratio, word) = if ratio >= 1.0 { (ratio, "slower") } else { (1.0 / ratio, "faster") };
    Some(format!("{model} beside it: {other}, {}× {word}", significant(ratio)))
}

/// Everything under the tables, one line each.
#[must_use]
pub fn sentences(e: &Explanation, time: Seconds) -> Vec<String> {
    let moves = match e.elasticities.is_empty() {
        true => {
            vec!["no rate of the target changes this prediction: launch overhead is all of it".to_string()]
        }
        false => e.elasticities.iter().map(elasticity).collect(),
    };
    moves.into_iter().chain(beside(e, time)).chain(to_measure(e)).collect()
}

/// What would narrow the interval, most useful first.
pub fn to_measure(e: &Explanation) -> impl Iterator<Item = String> {
    e.measure.iter().map(|m| format!("to narrow it, measure: {m}"))
}

/// One row of the answer for programs: the last cells of a record of predictions.
struct PartRecord {
    /// `step`, `elasticity`, `beside` or `measure`.
    part: &'static str,
    name: String,
    numbers: Pair<Option<Amount>>,
    times: Option<f64>,
    time: Option<Seconds>,
    elasticity: Option<f64>,
}

impl PartRecord {
    fn new(part: &'static str, name: impl Into<String>) -> Self {
        Self { part, name: name.into(), numbers: Pair::same(None), times: None, time: None, elasticity: None }
    }

    /// Every cell behind the question's five.
    fn cells(&self) -> Vec<TableCell> {
        let [times, time] =
            [self.times, self.time.map(|t| t.0)].map(|n| TableCell::maybe(n, TableCell::number));
        let elasticity = TableCell::maybe(self.elasticity, TableCell::number);
        let more = [TableCell::text(self.part), times, time, TableCell::Null, TableCell::Null, elasticity];
        self.first_cells().into_iter().chain(more).collect()
    }

    /// Factor, source, target, unit and the two origins.
    fn first_cells(&self) -> [TableCell; 6] {
        let number =
            |a: Option<Amount>| TableCell::maybe(a, |a| TableCell::shown(a.si_value(), a.to_string()));
        let of = TableCell::maybe(self.numbers.source.or(self.numbers.target).map(unit), TableCell::text);
        let Pair { source, target } = self.numbers.map(number);
        [TableCell::text(&*self.name), source, target, of, TableCell::Null, TableCell::Null]
    }
}

/// Steps, elasticities, the model beside and what to measure, in this order.
fn part_records(breakdown: &Breakdown<'_>, has_source: bool) -> Vec<PartRecord> {
    let first = PartRecord::new("step", first_name(&breakdown.start, has_source));
    let mut all = vec![PartRecord { time: Some(breakdown.from), ..first }];
    all.extend(breakdown.steps.iter().map(|s| PartRecord {
        numbers: s.cause.cause_amounts(),
        times: Some(s.factor),
        time: Some(s.time),
        ..PartRecord::new("step", s.cause.words())
    }));
    let Some(e) = &breakdown.components else { return all };
    all.extend(e.elasticities.iter().map(|x| PartRecord {
        numbers: Pair::new(None, Some(amount(x.spec, x.number))),
        times: Some(x.ten_percent),
        elasticity: Some(x.value),
        ..PartRecord::new("elasticity", x.spec.as_str())
    }));
    let beside = |(model, time)| PartRecord { time: Some(time), ..PartRecord::new("beside", model) };
    all.extend(e.beside.map(beside));
    all.extend(e.measure.iter().map(|m| PartRecord::new("measure", m)));
    all
}

/// The component a factor of a prediction is the time of, and its part of the longest one on both sides.
fn shares(e: &Explanation, factor: &str) -> Option<Pair<Option<f64>>> {
    let component = Component::ALL.into_iter().find(|c| c.as_str() == factor)?;
    Some(Side::ALL.map(|side| component_share(e, side, component)))
}

/// The heading over one chain: `saxpy n=1048576: titan-v → rtx-4070, components, 11.1 µs ◆`.
#[must_use]
pub fn heading(row: &Comparison<'_>) -> String {
    let result = match &row.answer.prediction {
        Ok(_) => shown::predicted(row.answer).unwrap_or_default(),
        Err(refusal) => refusal.to_string(),
    };
    let what = row.configuration();
    let from = row.start_words();
    format!("{what}: {from} → {}, {}, {result}", row.target.id, row.model())
}

/// The times at each memory level of a model that has them, with what their range is not; nothing for any other.
#[must_use]
pub fn levels(answer: &Answer) -> Option<String> {
    let levels = answer.prediction.as_ref().ok()?.levels.as_ref()?;
    let at: Vec<String> =
        levels.at.iter().map(|(level, time)| format!("{} {time}", level.as_str())).collect();
    Some(format!(
        "by memory level: {}; the prediction is the middle between the shortest and the longest, which are no interval of coverage",
        at.join(", ")
    ))
}

/// The measured time on the target and how far off the prediction is; nothing where it was not measured.
#[must_use]
pub fn measured(answer: &Answer) -> Option<String> {
    let (measured, error) = (answer.measured?, answer.error_percent()?);
    let kind = if measured.kind == SourceKind::Published { "measured (published)" } else { "measured" };
    let side = if error < 0.0 { "lower" } else { "higher" };
    Some(format!("{kind} on the target: {}; predicted is {:.1} % {side}", measured.time, error.abs()))
}

/// `published: a`, or `published: a | measured: b` where the two sides differ.
#[must_use]
pub fn origins(factor: &Factor) -> String {
    let words: Vec<String> = factor.from.iter().flatten().map(Provenance::to_string).collect();
    match &words[..] {
        [source, target] if source == target => source.clone(),
        _ => words.join(" | "),
    }
}

fn cells(factor: &Factor) -> [TableCell; 6] {
    let amount = |a: Option<Amount>| TableCell::maybe(a, |a| TableCell::shown(a.si_value(), a.to_string()));
    let Pair { source: source_from, target: target_from } = factor.from.clone();
    let from = |p: Option<Provenance>| TableCell::maybe(p, |p| TableCell::text(p.to_string()));
    let unit = factor.source.or(factor.target).map(unit);
    [
        TableCell::text(factor.name),
        amount(factor.source),
        amount(factor.target),
        TableCell::maybe(unit, TableCell::text),
        from(source_from),
        from(target_from),
    ]
}

/// The SI unit of an amount; empty for a plain number.
pub(super) fn unit(amount: Amount) -> &'static str {
    use crate::units::{Bytes, BytesPerSecond, Flops, FlopsPerSecond, Hertz, Intensity, Seconds};
    match amount {
        Amount::Time(_) => Seconds::SYMBOL,
        Amount::Flops(_) => Flops::SYMBOL,
        Amount::Bytes(_) => Bytes::SYMBOL,
        Amount::Rate(_) => FlopsPerSecond::SYMBOL,
        Amount::Bandwidth(_) => BytesPerSecond::SYMBOL,
        Amount::Clock(_) => Hertz::SYMBOL,
        Amount::Intensity(_) => Intensity::SYMBOL,
        Amount::Ratio(_) | Amount::Times(_) => "",
    }
}
