//! Work that differs between GPUs for the same configuration.
//!
//! What an algorithm does depends on its sizes alone. What a profiler counts does not: it varies from run to run and from
//! variant to variant, and that is how counts are told from declarations here, without being told. Differing counts are a
//! note, differing declarations are an error. Below 1 % rounding and partial blocks are forgiven.

use super::super::robust::range;
use super::super::sheet::AuditSheet;
use super::super::words::Word;
use super::super::{AuditCheck, Edit, Finding, Remedy, Severity};
use crate::kernel::Count;
use crate::measurement::Number;
use std::collections::{BTreeMap, HashMap, HashSet};

const FORGIVEN: f64 = 1.01;
/// From this share of distinct values per row on, a GPU's values are counts.
const COUNTED: f64 = 0.25;

const COLUMNS: [(Number, Option<Count>); 4] = [
    (Number::Flops, Some(Count::Flops)),
    (Number::DramBytes, Some(Count::DramBytes)),
    (Number::WorkingSet, Some(Count::WorkingSetBytes)),
    (Number::L2Bytes, None),
];

pub(in super::super) const CHECK: AuditCheck = AuditCheck {
    id: "work-differs",
    title: "the same configuration does other work on another GPU",
    harm: "efficiencies of the GPUs are not comparable: a transfer between them carries the ratio of the counts into the time",
    run: work_differs_findings,
};

/// A row and what tells configurations apart: kernel, then problem, variant and element type.
type PlacedRow = (Word, (Word, Word, Word), u32);

fn work_differs_findings(sheet: &AuditSheet<'_>) -> Vec<Finding> {
    // Side by side in one list: there may be millions of configurations.
    let place = |row| u32::try_from(row).expect("a sheet holds fewer than 2^32 rows");
    let placed = sheet.rows.iter().enumerate();
    let mut placed: Vec<PlacedRow> =
        placed.map(|(i, r)| (r.kernel, (r.problem, r.variant, r.dtype), place(i))).collect();
    placed.sort_unstable();
    let kernels: Vec<&[PlacedRow]> = placed.chunk_by(|a, b| a.0 == b.0).collect();
    let mut found = Vec::new();
    for (number, count) in COLUMNS {
        let all = kernels.iter().filter_map(|rows| Differing::in_number(sheet, rows, number));
        let (counted, declared): (Vec<_>, Vec<_>) = all.partition(|d| d.counted);
        found.extend(declared.iter().map(|d| d.number_finding(sheet, number, count)));
        found.extend(counts(sheet, &counted, number));
    }
    found
}

/// The configurations of one kernel whose GPUs differ in one column.
struct Differing {
    bad: Vec<Vec<usize>>,
    rows: Vec<usize>,
    configs: usize,
    counted: bool,
}

impl Differing {
    fn in_number(sheet: &AuditSheet<'_>, rows: &[PlacedRow], number: Number) -> Option<Self> {
        let value = |r: &usize| sheet.rows[*r].get(number);
        let differ = |rows: &Vec<usize>| {
            let (low, high) = range(rows.iter().filter_map(value));
            let mut gpus = rows.iter().filter(|r| value(r).is_some()).map(|r| sheet.rows[*r].gpu);
            let first = gpus.next();
            high > FORGIVEN * low && gpus.any(|gpu| Some(gpu) != first)
        };
        let configs = || rows.chunk_by(|a, b| a.1 == b.1);
        let places = |config: &[PlacedRow]| config.iter().map(|(_, _, row)| *row as usize).collect();
        let mut bad: Vec<Vec<usize>> = configs().map(places).filter(differ).collect();
        bad.sort();
        let mut rows: Vec<usize> = bad.concat().into_iter().filter(|r| value(r).is_some()).collect();
        rows.sort_unstable();
        let counted = is_counted(sheet, &rows, number);
        (!bad.is_empty()).then_some(Self { bad, rows, configs: configs().count(), counted })
    }

    fn worst(&self, sheet: &AuditSheet<'_>, number: Number) -> &[usize] {
        let by_ratio =
            |a: &&Vec<usize>, b: &&Vec<usize>| ratio(sheet, a, number).total_cmp(&ratio(sheet, b, number));
        self.bad.iter().max_by(by_ratio).map_or(&[], Vec::as_slice)
    }

    fn number_finding(&self, sheet: &AuditSheet<'_>, number: Number, count: Option<Count>) -> Finding {
        let evidence = format!(
            "{} differs in {} of {} configurations, {}; each GPU declares its own",
            number.column(),
            self.bad.len(),
            self.configs,
            example(sheet, self.worst(sheet, number), number)
        );
        Finding {
            check: CHECK.id,
            severity: Severity::Error,
            subject: sheet.text_of(sheet.rows[self.rows[0]].kernel).to_string(),
            rows: self.rows.clone(),
            evidence,
            remedy: remedy(sheet, &self.bad, number, count),
        }
    }
}

/// Counts of all kernels together.
fn counts(sheet: &AuditSheet<'_>, all: &[Differing], number: Number) -> Option<Finding> {
    let far = |d: &&Differing| ratio(sheet, d.worst(sheet, number), number);
    let worst = all.iter().max_by(|a, b| far(a).total_cmp(&far(b)))?;
    let column = number.column();
    let evidence = format!(
        "{column} differs in {} configurations of {} kernels, {} {}; values vary from run to run or variant to variant as counts do",
        all.iter().map(|d| d.bad.len()).sum::<usize>(),
        all.len(),
        sheet.text_of(sheet.rows[worst.rows[0]].kernel),
        example(sheet, worst.worst(sheet, number), number)
    );
    Some(Finding {
        check: CHECK.id,
        severity: Severity::Note,
        subject: column.to_string(),
        rows: all.iter().flat_map(|d| d.rows.iter().copied()).collect(),
        evidence,
        remedy: Remedy::leave("counts are of one run and one cache each"),
    })
}

fn ratio(sheet: &AuditSheet<'_>, rows: &[usize], number: Number) -> f64 {
    let (low, high) = range(rows.iter().filter_map(|r| sheet.rows[*r].get(number)));
    high / low
}

/// `12582912 on rtx-2080-ti and 8388608 on titan-v at n=1048576`.
fn example(sheet: &AuditSheet<'_>, rows: &[usize], number: Number) -> String {
    let value = |r: &&usize| sheet.rows[**r].get(number).unwrap_or(f64::NAN);
    let known = || rows.iter().filter(|r| !value(r).is_nan());
    let high = known().max_by(|a, b| value(a).total_cmp(&value(b)));
    let low = known().min_by(|a, b| value(a).total_cmp(&value(b)));
    let Some((high, low)) = high.zip(low) else { return String::new() };
    let gpu = |r: &usize| sheet.text_of(sheet.rows[*r].gpu);
    let problem = sheet.text_of(sheet.rows[*high].problem);
    format!("at {problem} {} on {} and {} on {}", value(&high), gpu(high), value(&low), gpu(low))
}

/// Whether some GPU's values change though kernel and size stay.
fn is_counted(sheet: &AuditSheet<'_>, rows: &[usize], number: Number) -> bool {
    let mut of: HashMap<(Word, Word), (usize, HashSet<u64>)> = HashMap::new();
    for r in rows.iter().map(|r| &sheet.rows[*r]) {
        let Some(value) = r.get(number) else { continue };
        let entry = of.entry((r.gpu, r.problem)).or_default();
        entry.0 += 1;
        entry.1.insert(value.to_bits());
    }
    of.values().any(|(n, values)| values.len() >= 2 && values.len() as f64 >= COUNTED * *n as f64)
}

/// The kernel's own formula decides, else what two thirds of the GPUs agree on.
fn remedy(sheet: &AuditSheet<'_>, bad: &[Vec<usize>], number: Number, count: Option<Count>) -> Remedy {
    let mut edits = Vec::new();
    let mut undecided = 0;
    let column = number.column();
    for rows in bad {
        let filed = sheet.instance(&sheet.rows[rows[0]]).zip(count).and_then(|(i, c)| i.work.get(c));
        let Some(truth) = filed.or_else(|| majority(sheet, rows, number)) else {
            undecided += 1;
            continue;
        };
        let wrong = rows.iter().filter(|r| sheet.rows[**r].get(number).is_some_and(|v| v != truth));
        edits.extend(wrong.map(|r| (*r, Edit::Set { column, value: format!("{truth}") })));
    }
    if edits.is_empty() {
        return Remedy::leave("neither a kernel file nor a majority says which is true");
    }
    let rest =
        if undecided > 0 { format!("; {undecided} configurations cannot be decided") } else { String::new() };
    Remedy::set(format!("{column} of the kernel's file, else of two thirds of the GPUs{rest}"), edits)
}

fn majority(sheet: &AuditSheet<'_>, rows: &[usize], number: Number) -> Option<f64> {
    let mut votes: BTreeMap<u64, usize> = BTreeMap::new();
    let values: Vec<f64> = rows.iter().filter_map(|r| sheet.rows[*r].get(number)).collect();
    values.iter().for_each(|v| *votes.entry(v.to_bits()).or_default() += 1);
    let (value, count) = votes.into_iter().max_by_key(|(_, n)| *n)?;
    (3 * count >= 2 * values.len()).then(|| f64::from_bits(value))
}
