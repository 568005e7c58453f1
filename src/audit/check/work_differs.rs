//! Work that differs between GPUs for the same configuration.
//!
//! What an algorithm does depends on its sizes alone. What a profiler counts does not: it varies from run to run and from
//! variant to variant, and that is how counts are told from declarations here, without being told. Differing counts are a
//! note, a warning beyond a factor of 10, differing declarations are an error. Below 1 % rounding and partial blocks are forgiven.

use super::super::robust::range;
use super::super::sheet::AuditSheet;
use super::super::words::Word;
use super::super::{AuditCheck, Edit, Finding, Remedy, Severity};
use crate::kernel::Count;
use crate::measurement::Number;
use crate::text::counted;
use std::collections::{BTreeMap, HashMap, HashSet};

const FORGIVEN: f64 = 1.01;
/// Counts that differ by more are no matter of one run.
const FAR_APART: f64 = 10.0;
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

/// What tells the configurations of a kernel apart: problem, variant and element type; and a row.
type PlacedRow = ((Word, Word, Word), u32);

fn work_differs_findings(sheet: &AuditSheet<'_>) -> Vec<Finding> {
    let mut kernels: BTreeMap<Word, Vec<u32>> = BTreeMap::new();
    for (place, row) in (0..).zip(sheet.rows.iter()) {
        kernels.entry(row.kernel).or_default().push(place);
    }
    let mut differing = COLUMNS.map(|_| Vec::new());
    for rows in kernels.into_values() {
        // Side by side in one list: there may be millions of configurations.
        let placed = |place: u32| {
            let row = sheet.rows.row(place as usize);
            ((row.problem, row.variant, row.dtype), place)
        };
        let mut rows: Vec<PlacedRow> = rows.into_iter().map(placed).collect();
        rows.sort_unstable();
        for (all, (number, _)) in differing.iter_mut().zip(COLUMNS) {
            all.extend(Differing::in_number(sheet, &rows, number));
        }
    }
    let mut found = Vec::new();
    for (all, (number, count)) in differing.into_iter().zip(COLUMNS) {
        let (counted, declared): (Vec<_>, Vec<_>) = all.into_iter().partition(|d| d.counted);
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
        let value = |r: &usize| sheet.rows.row(*r).get(number);
        let differ = |config: &&[PlacedRow]| {
            let rows = || config.iter().map(|(_, row)| sheet.rows.row(*row as usize));
            let (low, high) = range(rows().filter_map(|row| row.get(number)));
            let mut gpus = rows().filter(|row| row.get(number).is_some()).map(|row| row.gpu);
            let first = gpus.next();
            high > FORGIVEN * low && gpus.any(|gpu| Some(gpu) != first)
        };
        let configs = || rows.chunk_by(|a, b| a.0 == b.0);
        let places = |config: &[PlacedRow]| config.iter().map(|(_, row)| *row as usize).collect();
        let mut bad: Vec<Vec<usize>> = configs().filter(differ).map(places).collect();
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
            subject: sheet.text_of(sheet.rows.row(self.rows[0]).kernel).to_string(),
            rows: self.rows.clone(),
            evidence,
            remedy: remedy(sheet, &self.bad, number, count),
        }
    }
}

/// Counts of all kernels together: those that differ far, and the others.
fn counts(sheet: &AuditSheet<'_>, all: &[Differing], number: Number) -> Vec<Finding> {
    let configs = all.iter().flat_map(|d| &d.bad);
    let (far, near): (Vec<_>, Vec<_>) = configs.partition(|rows| ratio(sheet, rows, number) > FAR_APART);
    let finding = |configs: Vec<_>, is_far| counts_finding(sheet, &configs, number, is_far);
    [finding(far, true), finding(near, false)].into_iter().flatten().collect()
}

fn counts_finding(
    sheet: &AuditSheet<'_>,
    configs: &[&Vec<usize>],
    number: Number,
    is_far: bool,
) -> Option<Finding> {
    let by_ratio =
        |a: &&&Vec<usize>, b: &&&Vec<usize>| ratio(sheet, a, number).total_cmp(&ratio(sheet, b, number));
    let worst = configs.iter().max_by(by_ratio)?;
    let kernel = |rows: &[usize]| sheet.rows.row(rows[0]).kernel;
    let kernels: HashSet<Word> = configs.iter().map(|rows| kernel(rows)).collect();
    let mut rows: Vec<usize> = configs.iter().flat_map(|rows| rows.iter().copied()).collect();
    rows.retain(|row| sheet.rows.row(*row).get(number).is_some());
    let (severity, by, why, advice) = if is_far {
        let advice = "compare the builds (registers, spills) and the units, and count both again";
        (
            Severity::Warning,
            " by more than 10x",
            "another build, local memory, caches of another size, or another unit",
            advice,
        )
    } else {
        let why = "values vary from run to run or variant to variant as counts do";
        (Severity::Note, "", why, "counts are of one run and one cache each")
    };
    let column = number.column();
    let evidence = format!(
        "{column} differs{by} in {} of {}, {} {}; {why}",
        counted(configs.len(), "configuration"),
        counted(kernels.len(), "kernel"),
        sheet.text_of(kernel(worst)),
        example(sheet, worst, number)
    );
    let (subject, remedy) = (column.to_string(), Remedy::leave(advice));
    Some(Finding { check: CHECK.id, severity, subject, rows, evidence, remedy })
}

fn ratio(sheet: &AuditSheet<'_>, rows: &[usize], number: Number) -> f64 {
    let (low, high) = range(rows.iter().filter_map(|r| sheet.rows.row(*r).get(number)));
    high / low
}

/// `12582912 on rtx-2080-ti and 8388608 on titan-v at n=1048576`.
fn example(sheet: &AuditSheet<'_>, rows: &[usize], number: Number) -> String {
    let value = |r: &&usize| sheet.rows.row(**r).get(number).unwrap_or(f64::NAN);
    let known = || rows.iter().filter(|r| !value(r).is_nan());
    let high = known().max_by(|a, b| value(a).total_cmp(&value(b)));
    let low = known().min_by(|a, b| value(a).total_cmp(&value(b)));
    let Some((high, low)) = high.zip(low) else { return String::new() };
    let gpu = |r: &usize| sheet.text_of(sheet.rows.row(*r).gpu);
    let problem = sheet.text_of(sheet.rows.row(*high).problem);
    format!("at {problem} {} on {} and {} on {}", value(&high), gpu(high), value(&low), gpu(low))
}

/// Whether some GPU's values change though kernel and size stay.
fn is_counted(sheet: &AuditSheet<'_>, rows: &[usize], number: Number) -> bool {
    let mut of: HashMap<(Word, Word), (usize, HashSet<u64>)> = HashMap::new();
    for r in rows.iter().map(|r| sheet.rows.row(*r)) {
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
        let filed = sheet.instance(&sheet.rows.row(rows[0])).zip(count).and_then(|(i, c)| i.work.get(c));
        let Some(truth) = filed.or_else(|| majority(sheet, rows, number)) else {
            undecided += 1;
            continue;
        };
        let wrong = rows.iter().filter(|r| sheet.rows.row(**r).get(number).is_some_and(|v| v != truth));
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
    let values: Vec<f64> = rows.iter().filter_map(|r| sheet.rows.row(*r).get(number)).collect();
    values.iter().for_each(|v| *votes.entry(v.to_bits()).or_default() += 1);
    let (value, count) = votes.into_iter().max_by_key(|(_, n)| *n)?;
    (3 * count >= 2 * values.len()).then(|| f64::from_bits(value))
}
