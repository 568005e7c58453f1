//! A prediction taken apart, in words: the same in the tables of the command line and in the dashboard's pane.

use super::cell::Cell;
use super::explain::unit;
use super::shown;
use super::table::{Column, Table};
use crate::answer::Answer;
use crate::chart::ranked_components;
use crate::predict::{Amount, Begin, Chain, Elasticity, Explanation, SourceKind, amount, in_words};
use crate::roofline::Component;
use crate::units::{Seconds, significant};

/// One link of the chain in words.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// What changes.
    pub name: String,
    /// `× 1.62`; empty for the first time.
    pub factor: String,
    /// The time after it.
    pub time: String,
    /// What stands behind it.
    pub behind: String,
}

/// Every link, the first time first.
#[must_use]
pub fn links(answer: &Answer, chain: &Chain) -> Vec<Link> {
    let (name, behind) = begin(answer, chain);
    let first = Link { name, factor: String::new(), time: first_time(answer, chain), behind };
    let steps = chain.steps.iter().map(|step| Link {
        name: step.cause.words().into(),
        factor: Amount::Times(step.factor).to_string(),
        time: step.time.to_string(),
        behind: step.cause.to_string(),
    });
    std::iter::once(first).chain(steps).collect()
}

/// The name of the first time, and where it is from.
fn begin(answer: &Answer, chain: &Chain) -> (String, String) {
    match (chain.begin, &answer.source_time) {
        (Begin::SourceTime, Some(t)) => {
            let how = match t.kind {
                SourceKind::Estimated => "estimated from another size: ",
                SourceKind::Measured => "measured: ",
                SourceKind::Published => "published: ",
            };
            ("time on the source".into(), format!("{how}{}", t.source))
        }
        (Begin::Binding(component), _) => (
            format!("{} on the target", component.word()),
            "it binds; nobody timed the kernel on the source".into(),
        ),
        (Begin::SourceTime, None) => ("time on the source".into(), String::new()),
    }
}

fn first_time(answer: &Answer, chain: &Chain) -> String {
    match (chain.begin, &answer.source_time) {
        (Begin::SourceTime, Some(t)) => shown::source_time(t),
        _ => chain.from.to_string(),
    }
}

/// The chain for people.
#[must_use]
pub fn chain_table(answer: &Answer, chain: &Chain) -> Table {
    let mut table = Table::new(vec![
        Column::left("step"),
        Column::right("factor"),
        Column::right("time"),
        Column::left("behind it"),
    ]);
    let row = |l: Link| {
        let factor = if l.factor.is_empty() { Cell::Null } else { Cell::text(l.factor) };
        // A mark behind the first time does not move the unit out of its column.
        let time = if l.time.ends_with(char::is_alphabetic) { format!("{}  ", l.time) } else { l.time };
        vec![Cell::text(l.name), factor, Cell::Text(time), Cell::text(l.behind)]
    };
    table.rows = links(answer, chain).into_iter().map(row).collect();
    let predicted = shown::predicted(answer).unwrap_or_default();
    let range = shown::interval(answer).map(|i| format!("90 % interval {i}")).unwrap_or_default();
    table.rows.push(vec![Cell::text("predicted"), Cell::Null, Cell::text(predicted), Cell::text(range)]);
    table
}

/// `101 µs ◀`: the binding one is marked; `-` where it takes none.
#[must_use]
pub fn component_time(e: &Explanation, side: usize, component: Component) -> String {
    let time = e.components[side].get(component);
    match e.components[side].binding() {
        _ if time.0 <= 0.0 => "-".into(),
        Some(binding) if binding == component => format!("{time} ◀"),
        _ => time.to_string(),
    }
}

/// The components that take any time, the target's longest first.
#[must_use]
pub fn component_table(e: &Explanation, names: [&str; 2]) -> Table {
    let columns = ["component", "source", "part", "target", "part"];
    let mut table = Table::new(columns.map(Column::right).to_vec());
    table.columns[0] = Column::left("component");
    for component in ranked_components(e) {
        let mut row = vec![Cell::text(component.word())];
        for side in 0..2 {
            let text = component_time(e, side, component);
            let text = if text.ends_with('s') { format!("{text}  ") } else { text };
            row.push(if text == "-" { Cell::Null } else { Cell::Text(text) });
            row.push(
                share(e, side, component).map_or(Cell::Null, |s| Cell::Text(format!("{:.0} %", 100.0 * s))),
            );
        }
        table.rows.push(row);
    }
    table.notes = bindings(e, names);
    table
}

/// A component's time over that of the longest one on its GPU.
fn share(e: &Explanation, side: usize, component: Component) -> Option<f64> {
    let time = e.components[side].get(component);
    let longest = e.components[side].ranked()[0].1;
    (time.0 > 0.0).then(|| time / longest)
}

/// `RTX 4070: bound by LSU; next is shared, 2.09 times shorter`, one per GPU, source first.
#[must_use]
pub fn bindings(e: &Explanation, names: [&str; 2]) -> Vec<String> {
    let of = |side: usize| {
        let binding = e.components[side].binding()?;
        let next = match e.next[side] {
            Some(n) => format!("next is {}, {} times shorter", n.next.word(), significant(n.away)),
            None => "it is the only component known".into(),
        };
        Some(format!("{}: bound by {}; {next}", names[side], binding.word()))
    };
    (0..2).filter_map(of).collect()
}

/// `10 % more DRAM bandwidth (504 GB/s): 7.90 % faster`.
#[must_use]
pub fn elasticity(e: &Elasticity) -> String {
    format!("10 % more {} ({}): {}", e.spec.word(), in_words(e.spec, e.number), effect(e))
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
    let (ratio, word) = if ratio >= 1.0 { (ratio, "longer") } else { (1.0 / ratio, "shorter") };
    Some(format!("{model} beside it: {other}, {} times {word}", significant(ratio)))
}

/// Everything under the tables, one line each.
#[must_use]
pub fn sentences(e: &Explanation, time: Seconds) -> Vec<String> {
    let moves = match e.elasticities.is_empty() {
        true => {
            vec!["no number of the target moves this prediction: its launch floor is all of it".to_string()]
        }
        false => e.elasticities.iter().map(elasticity).collect(),
    };
    moves.into_iter().chain(beside(e, time)).chain(to_measure(e)).collect()
}

/// What would narrow the interval, most useful first.
pub fn to_measure(e: &Explanation) -> impl Iterator<Item = String> {
    e.measure.iter().map(|m| format!("would narrow the interval: {m}"))
}

/// One row of the answer for programs: the last cells of [`super::explain::records`].
pub(super) struct Record {
    /// `step`, `elasticity`, `beside` or `measure`.
    pub(super) part: &'static str,
    pub(super) name: String,
    pub(super) numbers: [Option<Amount>; 2],
    pub(super) times: Option<f64>,
    pub(super) time: Option<Seconds>,
    pub(super) elasticity: Option<f64>,
}

impl Record {
    fn new(part: &'static str, name: impl Into<String>) -> Self {
        Self { part, name: name.into(), numbers: [None; 2], times: None, time: None, elasticity: None }
    }

    /// Factor, source, target, unit and the two origins.
    pub(super) fn first_cells(&self) -> [Cell; 6] {
        let number = |a: Option<Amount>| Cell::maybe(a, |a| Cell::shown(a.number(), a.to_string()));
        let of = Cell::maybe(self.numbers[0].or(self.numbers[1]).map(unit), Cell::text);
        let [source, target] = self.numbers.map(number);
        [Cell::text(&*self.name), source, target, of, Cell::Null, Cell::Null]
    }
}

/// Steps, elasticities, the model beside and what to measure, in this order.
pub(super) fn records(answer: &Answer, e: &Explanation) -> Vec<Record> {
    let (name, _) = begin(answer, &e.chain);
    let mut all = vec![Record { time: Some(e.chain.from), ..Record::new("step", name) }];
    all.extend(e.chain.steps.iter().map(|s| Record {
        numbers: s.cause.numbers(),
        times: Some(s.factor),
        time: Some(s.time),
        ..Record::new("step", s.cause.words())
    }));
    all.extend(e.elasticities.iter().map(|x| Record {
        numbers: [None, Some(amount(x.spec, x.number))],
        times: Some(x.ten_percent),
        elasticity: Some(x.value),
        ..Record::new("elasticity", x.spec.word())
    }));
    all.extend(e.beside.map(|(model, time)| Record { time: Some(time), ..Record::new("beside", model) }));
    all.extend(e.measure.iter().map(|m| Record::new("measure", m)));
    all
}

/// The component a factor of a prediction is the time of, and its part of the longest one on both sides.
pub(super) fn shares(e: &Explanation, factor: &str) -> Option<[Option<f64>; 2]> {
    let component = Component::ALL.into_iter().find(|c| c.word() == factor)?;
    Some([0, 1].map(|side| share(e, side, component)))
}
