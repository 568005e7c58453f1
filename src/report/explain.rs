//! The chain of factors from what is known to the predicted time.

use super::cell::Cell;
use super::predictions::{COLUMNS, Comparison};
use super::shown;
use super::table::{Column, Table};
use crate::evaluate::{Answer, COVERAGE};
use crate::predict::{Amount, Factor, Prediction, Provenance};
use crate::units::significant;

const FACTOR_COLUMNS: [Column; 6] = [
    Column::left("factor"),
    Column::right("source"),
    Column::right("target"),
    Column::left("unit"),
    Column::left("source_from"),
    Column::left("target_from"),
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

/// Every chain as one table for programs: the question's five columns, then one factor per row in SI units.
#[must_use]
pub fn records(rows: &[Comparison<'_>]) -> Table {
    let mut table = Table::new(COLUMNS[..5].iter().chain(&FACTOR_COLUMNS).copied().collect());
    for row in rows {
        let Ok(prediction) = &row.answer.prediction else { continue };
        for factor in &prediction.factors {
            table.rows.push(row.identity().into_iter().chain(cells(factor)).collect());
        }
    }
    table
}

/// The heading over one chain: `saxpy n=1048576: titan-v → rtx-4070, efficiency-transfer, 31.8 µs ◆`.
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
fn unit(amount: Amount) -> &'static str {
    use crate::units::{Bytes, BytesPerSecond, Flops, FlopsPerSecond, Intensity, Seconds};
    match amount {
        Amount::Time(_) => Seconds::SYMBOL,
        Amount::Flops(_) => Flops::SYMBOL,
        Amount::Bytes(_) => Bytes::SYMBOL,
        Amount::Rate(_) => FlopsPerSecond::SYMBOL,
        Amount::Bandwidth(_) => BytesPerSecond::SYMBOL,
        Amount::Intensity(_) => Intensity::SYMBOL,
        Amount::Ratio(_) | Amount::Times(_) => "",
    }
}
