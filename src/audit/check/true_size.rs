//! Which size really ran where the size argument was ignored.
//!
//! Two witnesses are heard. The recorded grid: where every row of a flat run has the same one and the kernel's file knows
//! the real launch, the size whose launch it is has run. The other GPUs: at the size that ran, the ratio of the times is
//! near the ratio of the roofs; a program's default size is one for all kernels with the same sizes on offer, so their
//! deviations are pooled.

use super::super::flat_runs::{FlatRun, Series};
use super::super::robust::{mean, median, range};
use super::super::series::ideal;
use super::super::sheet::AuditSheet;
use super::super::words::Word;
use super::super::{Edit, Remedy};
use crate::measurement::Number;
use std::collections::{BTreeMap, HashMap, HashSet};

/// The winning label may deviate from the ratio of the roofs by this factor in the middle: GPUs reach 50 to 90 % of
/// their roofs, so two of them differ by less than 2.
const NEAR: f64 = 2.0;

/// The runner-up must deviate by this factor more.
const CLEARLY: f64 = 1.5;

/// Each run with what can be done about it.
pub(super) fn remedies(sheet: &AuditSheet<'_>, all: &[Series], runs: &[FlatRun]) -> Vec<(FlatRun, Remedy)> {
    let spoiled: HashSet<_> = runs.iter().map(|r| r.key).collect();
    let sound = Times::from_series(sheet, all.iter().filter(|s| !spoiled.contains(&s.key)));
    let mut pools: BTreeMap<(usize, Word, Vec<Word>), Vec<&FlatRun>> = BTreeMap::new();
    for run in runs {
        pools.entry((run.key.file, run.key.gpu, labels(sheet, run))).or_default().push(run);
    }
    let mut out = Vec::new();
    for ((.., labels), pool) in &pools {
        let by_others = nearest_label(sheet, labels, pool, &sound);
        for run in pool {
            let chosen = label_of_grid(sheet, run)
                .map(|l| (l, "its launch is the recorded grid".to_string()))
                .or_else(|| by_others.clone());
            out.push(((*run).clone(), remedy(sheet, run, chosen)));
        }
    }
    out
}

fn labels(sheet: &AuditSheet<'_>, run: &FlatRun) -> Vec<Word> {
    run.of.points.iter().map(|p| sheet.rows.row(run.of.first_row(p)).problem).collect()
}

/// Times of sound series by kernel, variant and size, on each GPU: the row that stands for them.
struct Times(HashMap<(Word, Word, Word), Vec<usize>>);

impl Times {
    fn from_series<'s>(sheet: &AuditSheet<'_>, sound: impl Iterator<Item = &'s Series>) -> Self {
        let mut all: HashMap<_, Vec<usize>> = HashMap::new();
        for s in sound {
            for p in &s.of.points {
                let row = s.of.first_row(p);
                all.entry((s.key.kernel, s.key.variant, sheet.rows.row(row).problem)).or_default().push(row);
            }
        }
        Self(all)
    }
}

/// The label at which these runs deviate least from what other GPUs and the roofs say, if it is clearly one.
fn nearest_label(
    sheet: &AuditSheet<'_>,
    labels: &[Word],
    pool: &[&FlatRun],
    sound: &Times,
) -> Option<(Word, String)> {
    let mut scored: Vec<(f64, Word)> =
        labels.iter().filter_map(|l| Some((deviation(sheet, *l, pool, sound)?, *l))).collect();
    scored.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (best, label) = *scored.first()?;
    let clear = scored.get(1).is_none_or(|(next, _)| *next >= best + CLEARLY.ln());
    (best <= NEAR.ln() && clear).then(|| {
        (
            label,
            format!("there the other GPUs' times agree within a factor of {:.2} in the middle", best.exp()),
        )
    })
}

/// The median over kernels and other GPUs of |ln(time ratio / roof ratio)| at this label.
fn deviation(sheet: &AuditSheet<'_>, label: Word, pool: &[&FlatRun], sound: &Times) -> Option<f64> {
    let mut all = Vec::new();
    for run in pool {
        let first_row = |p| run.of.first_row(p);
        let Some(point) = run.of.points.iter().find(|p| sheet.rows.row(first_row(p)).problem == label) else {
            continue;
        };
        let mine = &sheet.rows.row(first_row(point));
        let others = sound.0.get(&(run.key.kernel, run.key.variant, label)).into_iter().flatten();
        for other in others.map(|r| sheet.rows.row(*r)).filter(|o| o.gpu != mine.gpu) {
            let Some((a, b)) = ideal(sheet, mine).zip(ideal(sheet, &other)) else { continue };
            all.push(((mine.time_ms() / other.time_ms()).ln() - (a / b).ln()).abs());
        }
    }
    (!all.is_empty()).then(|| median(&mut all))
}

/// The only label whose launch, by the kernel's file, is the grid that every row of the run records.
fn label_of_grid(sheet: &AuditSheet<'_>, run: &FlatRun) -> Option<Word> {
    let rows = run.row_places();
    let first = &sheet.rows.row(rows[0]);
    let grid = first.grid?;
    if rows.iter().any(|r| sheet.rows.row(*r).grid != Some(grid)) {
        return None;
    }
    let mut fits = run.of.points.iter().filter_map(|p| {
        let row = &sheet.rows.row(run.of.first_row(p));
        let launch = sheet.instance(row)?.launch?;
        (launch.grid == grid.map(u64::from) && row.block == Some(launch.block)).then_some(row.problem)
    });
    fits.next().filter(|_| fits.next().is_none())
}

/// The rows become one, under the label that ran; without such a label they go.
fn remedy(sheet: &AuditSheet<'_>, run: &FlatRun, chosen: Option<(Word, String)>) -> Remedy {
    let rows = run.row_places();
    let Some((label, why)) = chosen else {
        return Remedy::drop(&rows, "which size ran cannot be told from these files");
    };
    let keep = rows.iter().copied().find(|r| sheet.rows.row(*r).problem == label).unwrap_or(rows[0]);
    let times: Vec<f64> = rows.iter().map(|r| sheet.rows.row(*r).time_ms()).collect();
    let (low, high) = range(times.iter().copied());
    let stds = rows.iter().filter_map(|r| sheet.rows.row(*r).get(Number::TimeStd));
    let std = stds.fold(high - low, f64::max);
    let trials: Option<f64> = rows.iter().map(|r| sheet.rows.row(*r).get(Number::Trials)).sum();
    let set = |column, value: f64| (keep, Edit::Set { column, value: rounded(value) });
    let mut edits = vec![set("time_ms", mean(&times)), set("time_std_ms", std)];
    edits.extend(trials.map(|t| set("trials", t)));
    edits.extend(rows.iter().filter(|r| **r != keep).map(|r| (*r, Edit::MergeInto(keep))));
    Remedy {
        text: format!("relabel: {} ran ({why}); {} rows become one", sheet.text_of(label), rows.len()),
        edits,
    }
}

/// Six significant digits past the first: more than any clock has.
fn rounded(value: f64) -> String {
    let text = format!("{value:.6e}");
    text.parse::<f64>().map_or(text, |v| format!("{v}"))
}
