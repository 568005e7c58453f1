//! The chain of factors from what is known to the predicted time.

use super::cell::Cell;
use super::explanation;
use super::predictions::{COLUMNS, Comparison};
use super::shown;
use super::table::{Column, Table};
use crate::answer::{Answer, COVERAGE, Interval};
use crate::predict::{Amount, Doubt, Explanation, Factor, Prediction, Provenance};
use crate::units::significant;

const FACTOR_COLUMNS: [Column; 12] = [
    Column::left("factor"),
    Column::right("source"),
    Column::right("target"),
    Column::left("unit"),
    Column::left("source_from"),
    Column::left("target_from"),
    Column::left("part"),
    Column::right("times"),
    Column::right("time_s"),
    Column::right("source_share"),
    Column::right("target_share"),
    Column::right("elasticity"),
];

/// The chain of one prediction, for people: numbers carry their unit.
///
/// ```text
/// factor            source      target  from
/// source time      24.6 µs           -  published: …
/// DRAM bandwidth  653 GB/s    504 GB/s  published: nvidia-volta | published: geforce-40
/// ```
#[must_use]
pub fn chain(prediction: &Prediction) -> Table {
    let mut table = Table::new(vec![
        Column::left("factor"),
        Column::right("source"),
        Column::right("target"),
        Column::left("from"),
    ]);
    for factor in &prediction.factors {
        let [name, source, target, ..] = cells(factor);
        table.rows.push(vec![name, source, target, Cell::text(origins(factor))]);
    }
    let time = prediction.time;
    let predicted = Cell::shown(time.0, time.to_string());
    table.rows.push(vec![Cell::text("predicted time"), Cell::Null, predicted, Cell::Null]);
    table
}

/// Every prediction taken apart as one table for programs: the question's five columns, then one number per row in SI units.
///
/// `part` says what a row is: `number` (what the prediction was made of), `component` (a number that is the time of a
/// component; `source_share` and `target_share` are its part of the longest one on that GPU, 1 binds), `step` (the chain:
/// `times` is its factor, `time_s` the time after it; the last one is the prediction), `elasticity` (of the time in a number of
/// the target; `times`: with 10 % more of it), `beside` (another model's time), `measure` (what would narrow the interval).
#[must_use]
pub fn records(rows: &[(Comparison<'_>, Option<Explanation>)]) -> Table {
    let mut table = Table::new(COLUMNS[..5].iter().chain(&FACTOR_COLUMNS).copied().collect());
    for (row, explanation) in rows {
        let Ok(prediction) = &row.answer.prediction else { continue };
        for factor in &prediction.factors {
            let shares = explanation.as_ref().and_then(|e| explanation::shares(e, factor.name));
            let part = if shares.is_some() { "component" } else { "number" };
            let [source, target] = shares.unwrap_or_default().map(|s| Cell::maybe(s, Cell::number));
            let more = [Cell::text(part), Cell::Null, Cell::Null, source, target, Cell::Null];
            table.rows.push(row.identity().into_iter().chain(cells(factor)).chain(more).collect());
        }
        for r in explanation.iter().flat_map(|e| explanation::records(row.answer, e)) {
            let [times, time] = [r.times, r.time.map(|t| t.0)].map(|n| Cell::maybe(n, Cell::number));
            let elasticity = Cell::maybe(r.elasticity, Cell::number);
            let more = [Cell::text(r.part), times, time, Cell::Null, Cell::Null, elasticity];
            table.rows.push(row.identity().into_iter().chain(r.first_cells()).chain(more).collect());
        }
    }
    table
}

/// The heading over one chain: `saxpy n=1048576: titan-v → rtx-4070, ceilings, 11.1 µs ◆`.
#[must_use]
pub fn heading(row: &Comparison<'_>) -> String {
    let (kernel, size) = (&row.kernel.id, row.kernel.short_problem(row.problem));
    let result = match &row.answer.prediction {
        Ok(_) => shown::predicted(row.answer).unwrap_or_default(),
        Err(refusal) => refusal.to_string(),
    };
    format!("{kernel} {size}: {} → {}, {}, {result}", row.from(), row.target.id, row.model())
}

/// Where the interval comes from and why it is as wide as it is; nothing where there is none.
#[must_use]
pub fn interval(answer: &Answer) -> Option<String> {
    let i = answer.interval.as_ref()?;
    if let Some(doubt) = i.doubt {
        return of_families(answer, i, &doubt);
    }
    let why = if i.widened { ", widened because the source time is an estimate" } else { "" };
    let new = i.held_for_new_gpus.map_or_else(String::new, |share| {
        format!(
            "; this GPU is in none of them: for a GPU left out, such intervals held {:.0} % of the times",
            100.0 * share
        )
    });
    Some(format!(
        "{:.0} % interval {}, ÷ and × {}: from {} errors of this model on the published figures of other kernels{why}{new}",
        100.0 * COVERAGE,
        shown::interval(answer)?,
        significant(i.factor),
        i.n
    ))
}

/// The same for an interval that is scaled with the answer's own doubt.
fn of_families(answer: &Answer, i: &Interval, doubt: &Doubt) -> Option<String> {
    let timed = answer.source_time.as_ref().is_some_and(|t| t.extrapolation.is_some());
    let mut why: Vec<&str> = Vec::new();
    if !timed {
        why.push("nobody timed the kernel on the source");
    } else {
        why.extend(i.widened.then_some("the source's time is scaled from another size"));
        why.extend(doubt.reason());
    }
    let why = if why.is_empty() { "nothing stands out".to_string() } else { why.join("; ") };
    Some(format!(
        "{:.0} % interval {}, ÷ and × {}: from {} errors of `ceilings` on other families of kernels; its width: {why}",
        100.0 * COVERAGE,
        shown::interval(answer)?,
        significant(i.factor),
        i.n
    ))
}

/// The times at each memory level of a model that has them, with what their range is not; nothing for any other.
#[must_use]
pub fn levels(answer: &Answer) -> Option<String> {
    let levels = answer.prediction.as_ref().ok()?.levels.as_ref()?;
    let at: Vec<String> = levels.at.iter().map(|(level, time)| format!("{} {time}", level.word())).collect();
    Some(format!(
        "by memory level: {}; the prediction is the middle between the shortest and the longest, which are no interval of coverage",
        at.join(", ")
    ))
}

/// The measured time on the target and how far off the prediction is; nothing where nobody timed it.
#[must_use]
pub fn measured(answer: &Answer) -> Option<String> {
    let (measured, error) = (answer.measured?, answer.error_percent()?);
    Some(format!(
        "{} on the target: {}; the prediction is {} off",
        measured.kind.word(),
        measured.time,
        shown::error(error)
    ))
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

fn cells(factor: &Factor) -> [Cell; 6] {
    let amount = |a: Option<Amount>| Cell::maybe(a, |a| Cell::shown(a.number(), a.to_string()));
    let [source_from, target_from] = factor.from.clone();
    let from = |p: Option<Provenance>| Cell::maybe(p, |p| Cell::text(p.to_string()));
    let unit = factor.source.or(factor.target).map(unit);
    [
        Cell::text(factor.name),
        amount(factor.source),
        amount(factor.target),
        Cell::maybe(unit, Cell::text),
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
