//! Labels that change nothing: a setting whose levels never change the time selects no other code.
//!
//! Every key of `problem`, `variant` and `source` and every column the format does not know is a factor. Rows alike in
//! everything else are compared across its levels. It is said to change nothing where that was tried at least eight
//! times and for half of its rows, the medians of the levels lie within 1 % in the middle and 3 % in nine of ten, no level is
//! first more often than chance has it, and registers, shared memory, grid and counts are the same: kernels repeat within
//! one or two percent, and another kernel is seldom that close everywhere. A switch of two positions may well be without
//! effect, so that is a note; three settings without any are a warning.

use super::super::robust::{median, quantile, range};
use super::super::sheet::AuditSheet;
use super::super::words::{NumberedWords, Word};
use super::super::{AuditCheck, Finding, Remedy, Severity};
use crate::measurement::Number;
use std::collections::{BTreeMap, HashMap, HashSet};

const TRIED: usize = 8;
const MIDDLE: f64 = 0.01;
const MOSTLY: f64 = 0.03;
/// A column with more levels than this is an identity, no setting.
const LEVELS: usize = 64;

/// A kernel with more labels than this is not looked through.
const MOST_LABELS: usize = 300;

pub(in super::super) const CHECK: AuditCheck = AuditCheck {
    id: "idle-label",
    title: "a label whose levels never change the time",
    harm: "as many rows as levels pretend to be different configurations: errors of a model look averaged over more than there is",
    run: idle_label_findings,
};

/// One row as factors and levels; both are numbers of texts.
struct Labelled {
    row: usize,
    /// By factor.
    levels: Vec<(u32, u32)>,
}

fn idle_label_findings(sheet: &AuditSheet<'_>) -> Vec<Finding> {
    let mut kernels: BTreeMap<Word, Vec<usize>> = BTreeMap::new();
    for (i, r) in sheet.rows.iter().enumerate() {
        kernels.entry(r.kernel).or_default().push(i);
    }
    // Found once: it goes through all rows, and there may be as many kernels as rows.
    let extra = unknown_columns(sheet);
    kernels.into_iter().flat_map(|(kernel, rows)| of_kernel(sheet, kernel, &rows, &extra)).collect()
}

fn of_kernel(sheet: &AuditSheet<'_>, kernel: Word, rows: &[usize], extra: &[UnknownColumn]) -> Vec<Finding> {
    let mut labels = LabelTexts::default();
    let mut labelled: Vec<Labelled> =
        rows.iter().map(|r| labelled_row(sheet, *r, extra, &mut labels)).collect();
    let texts = labels.texts;
    let mut levels: BTreeMap<u32, HashSet<u32>> = BTreeMap::new();
    for (factor, level) in labelled.iter().flat_map(|l| &l.levels) {
        levels.entry(*factor).or_default().insert(*level);
    }
    // What has a level for nearly every row says where the row stood, not how it was run.
    let identity = |n: usize| n > LEVELS && 2 * n > rows.len();
    let identities: HashSet<u32> =
        levels.iter().filter(|(_, all)| identity(all.len())).map(|(factor, _)| *factor).collect();
    labelled.iter_mut().for_each(|l| l.levels.retain(|(factor, _)| !identities.contains(factor)));
    levels.retain(|factor, all| !identities.contains(factor) && (2..=LEVELS).contains(&all.len()));
    if levels.len() > MOST_LABELS {
        return vec![too_many_labels(sheet, kernel, levels.len())];
    }
    levels.keys().filter_map(|f| test(sheet, kernel, *f, &labelled, &texts)).collect()
}

/// Each label is compared among rows alike in all others: with very many that takes the square of them.
fn too_many_labels(sheet: &AuditSheet<'_>, kernel: Word, labels: usize) -> Finding {
    Finding {
        check: CHECK.id,
        severity: Severity::Note,
        subject: sheet.text_of(kernel).to_string(),
        rows: Vec::new(),
        evidence: format!(
            "{labels} keys and columns differ from row to row: more than {MOST_LABELS} are not compared with each other"
        ),
        remedy: Remedy::leave(
            "give the audit the columns that tell configurations apart, without the others",
        ),
    }
}

/// A column that the canonical form does not know, with its place in the records of each file that has it.
struct UnknownColumn {
    name: String,
    places: Vec<Option<usize>>,
}

impl UnknownColumn {
    /// Its field among those of a record of this file.
    fn field<'s>(&self, file: usize, fields: &[&'s str]) -> &'s str {
        self.places[file].and_then(|at| fields.get(at).copied()).unwrap_or("")
    }
}

/// The columns that the canonical form does not know and that are not the same in every row.
fn unknown_columns(sheet: &AuditSheet<'_>) -> Vec<UnknownColumn> {
    const TEXTS: [&str; 8] = ["gpu", "kernel", "problem", "variant", "dtype", "block", "grid", "source"];
    let known = |c: &str| TEXTS.contains(&c) || Number::ALL.iter().any(|n| n.column() == c);
    let in_file: Vec<HashMap<usize, usize>> = sheet
        .files
        .iter()
        .map(|f| f.columns.iter().enumerate().map(|(at, c)| (*c, at)).rev().collect())
        .collect();
    let unknown = sheet.columns.iter().enumerate().filter(|(_, name)| !known(name));
    let placed = unknown.map(|(column, name)| UnknownColumn {
        name: name.clone(),
        places: in_file.iter().map(|of_file| of_file.get(&column).copied()).collect(),
    });
    let columns: Vec<UnknownColumn> = placed.collect();
    if columns.is_empty() {
        return columns;
    }
    let mut differs = vec![false; columns.len()];
    let mut first: Option<Vec<&str>> = None;
    // A record is taken apart once: looking for each field by itself would take the square of the columns.
    for (place, row) in sheet.rows.iter().enumerate() {
        let fields: Vec<&str> = sheet.records.fields(place).collect();
        let own = columns.iter().map(|column| column.field(row.file, &fields));
        match &first {
            None => first = Some(own.collect()),
            Some(first) => {
                differs.iter_mut().zip(own.zip(first)).for_each(|(d, (own, first))| *d |= own != *first);
            }
        }
    }
    columns.into_iter().zip(differs).filter(|(_, differs)| *differs).map(|(column, _)| column).collect()
}

fn labelled_row(
    sheet: &AuditSheet<'_>,
    row: usize,
    extra: &[UnknownColumn],
    labels: &mut LabelTexts,
) -> Labelled {
    let r = &sheet.rows[row];
    let mut levels = Vec::new();
    let [problem, variant] = [r.problem, r.variant].map(|word| sheet.text_of(word));
    let source = sheet.field(row, "source").trim();
    for (place, text) in [problem, variant, source].into_iter().enumerate() {
        for part in text.split([';', ',']) {
            let Some((key, value)) = part.split_once('=') else { continue };
            levels.push((labels.key_number(place, key.trim()), number_of(&mut labels.texts, value.trim())));
        }
    }
    let texts = &mut labels.texts;
    let fields: Vec<&str> = if extra.is_empty() { Vec::new() } else { sheet.records.fields(row).collect() };
    for column in extra {
        levels.push((
            number_of(texts, &format!("column `{}`", column.name)),
            number_of(texts, column.field(r.file, &fields)),
        ));
    }
    levels.push((number_of(texts, "gpu"), r.gpu.0));
    levels.push((number_of(texts, "dtype"), r.dtype.0));
    levels.push((number_of(texts, "block"), texts_of(r.block)));
    levels.sort_unstable();
    Labelled { row, levels }
}

/// The texts of factors and levels by number.
#[derive(Default)]
struct LabelTexts {
    texts: NumberedWords,
    /// The keys of each of [`KEYED`], and the number of the factor of each.
    keys: [(NumberedWords, Vec<u32>); KEYED.len()],
}

/// The texts of a row that are keys and values.
const KEYED: [&str; 3] = ["problem", "variant", "source"];

impl LabelTexts {
    /// The factor of a key of one of [`KEYED`]: its name is put together once.
    fn key_number(&mut self, place: usize, key: &str) -> u32 {
        let (keys, numbers) = &mut self.keys[place];
        let known = keys.intern(key).0 as usize;
        if known == numbers.len() {
            numbers.push(number_of(&mut self.texts, &format!("{} key `{key}`", KEYED[place])));
        }
        numbers[known]
    }
}

fn number_of(texts: &mut NumberedWords, text: &str) -> u32 {
    texts.intern(text).0
}

/// A block as one number, for comparing only.
fn texts_of(block: Option<[u32; 3]>) -> u32 {
    block.map_or(0, |b| b.iter().fold(17_u64, |a, v| a.wrapping_mul(4099).wrapping_add(u64::from(*v))) as u32)
}

/// Rows by level.
type Levels = BTreeMap<u32, Vec<usize>>;

/// How far apart the medians of the levels lie: 0.01 is one per cent.
#[derive(Clone, Copy)]
struct LevelSpread {
    /// In half of the comparisons at most.
    half: f64,
    /// In nine of ten at most.
    most: f64,
}

/// Compares the levels of one factor among rows that are alike in everything else.
fn test(
    sheet: &AuditSheet<'_>,
    kernel: Word,
    factor: u32,
    labelled: &[Labelled],
    texts: &NumberedWords,
) -> Option<Finding> {
    let name = texts.text(Word(factor));
    if !name.contains(' ') {
        return None;
    }
    let strata = compared(sheet, factor, labelled)?;
    let mut spreads = Vec::new();
    let mut firsts: HashMap<u32, usize> = HashMap::new();
    for levels in &strata {
        let means: Vec<(f64, u32)> = levels.iter().map(|(l, rows)| (middle(sheet, rows), *l)).collect();
        let (low, high) = range(means.iter().map(|m| m.0));
        spreads.push(high / low - 1.0);
        let first = means.iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
        *firsts.entry(first.1).or_default() += 1;
    }
    let spread = LevelSpread { half: quantile(&mut spreads, 0.5), most: quantile(&mut spreads, 0.9) };
    let mut names: Vec<&str> = strata
        .iter()
        .flat_map(BTreeMap::keys)
        .collect::<HashSet<_>>()
        .into_iter()
        .map(|l| texts.text(Word(*l)))
        .collect();
    names.sort_unstable();
    if spread.half > MIDDLE || spread.most > MOSTLY || is_first_too_often(&firsts, strata.len(), names.len())
    {
        return None;
    }
    Some(label_finding(sheet, kernel, name, &names, &strata, spread))
}

/// Groups of rows alike in all but this factor, if they are enough and of one code.
fn compared(sheet: &AuditSheet<'_>, factor: u32, labelled: &[Labelled]) -> Option<Vec<Levels>> {
    let mut strata: HashMap<Vec<(u32, u32)>, Levels> = HashMap::new();
    for l in labelled {
        let Some((_, level)) = l.levels.iter().find(|(f, _)| *f == factor) else { continue };
        let rest = l.levels.iter().copied().filter(|(f, _)| *f != factor).collect();
        strata.entry(rest).or_default().entry(*level).or_default().push(l.row);
    }
    let rows = |all: &mut dyn Iterator<Item = &Levels>| -> usize {
        all.flat_map(BTreeMap::values).map(Vec::len).sum()
    };
    let carried = rows(&mut strata.values());
    let strata: Vec<Levels> = strata.into_values().filter(|levels| levels.len() >= 2).collect();
    let enough = strata.len() >= TRIED && 2 * rows(&mut strata.iter()) >= carried;
    (enough && !strata.iter().any(|s| is_other_code(sheet, s))).then_some(strata)
}

fn label_finding(
    sheet: &AuditSheet<'_>,
    kernel: Word,
    name: &str,
    levels: &[&str],
    strata: &[Levels],
    spread: LevelSpread,
) -> Finding {
    let mut rows: Vec<usize> = strata.iter().flat_map(BTreeMap::values).flatten().copied().collect();
    rows.sort_unstable();
    let evidence = format!(
        "{name} has {} levels ({}): compared {} times with all else equal, their medians lie {:.2} % apart in the middle, {:.2} % in nine of ten; {} rows are {} configurations",
        levels.len(),
        levels.join(", "),
        strata.len(),
        100.0 * spread.half,
        100.0 * spread.most,
        rows.len(),
        strata.len(),
    );
    Finding {
        check: CHECK.id,
        severity: if levels.len() > 2 { Severity::Warning } else { Severity::Note },
        subject: sheet.text_of(kernel).to_string(),
        rows,
        evidence,
        remedy: Remedy::leave(
            "the rows are true repeats; take the label out of what tells configurations apart",
        ),
    }
}

fn middle(sheet: &AuditSheet<'_>, rows: &[usize]) -> f64 {
    median(&mut rows.iter().map(|r| sheet.rows[*r].time_ms()).collect::<Vec<_>>())
}

/// Whether the levels differ in what the code needs or does, where the rows say so.
fn is_other_code(sheet: &AuditSheet<'_>, levels: &Levels) -> bool {
    const NEEDS: [Number; 5] =
        [Number::RegsPerThread, Number::SmemStatic, Number::SmemDynamic, Number::Flops, Number::DramBytes];
    let needs = |r: &usize| {
        let row = &sheet.rows[*r];
        (row.grid, NEEDS.map(|n| row.get(n).map(f64::to_bits)))
    };
    let mut rows = levels.values().flatten();
    rows.next().map(needs).is_some_and(|first| rows.any(|r| needs(r) != first))
}

/// Whether one level is the fastest more often than four standard deviations over its share.
fn is_first_too_often(firsts: &HashMap<u32, usize>, strata: usize, levels: usize) -> bool {
    let (n, p) = (strata as f64, 1.0 / levels as f64);
    let most = firsts.values().copied().max().unwrap_or(0) as f64;
    most > n * p + 4.0 * (n * p * (1.0 - p)).sqrt() + 1.0
}
