//! Labels that change nothing: a setting whose levels never change the time selects no other code.
//!
//! Every key of `problem`, `variant` and `source` and every column the format does not know is a factor. Rows alike in
//! everything else are compared across its levels. It is said to change nothing where that was tried at least eight
//! times and for half of its rows, the medians of the levels lie within 1 % in the middle and 3 % in nine of ten, no level is
//! first more often than chance has it, and registers, shared memory, grid and counts are the same: kernels repeat within
//! one or two percent, and another kernel is seldom that close everywhere. A switch of two positions may well be without
//! effect, so that is a note; three settings without any are a warning.

use super::super::kept::KeptRecords;
use super::super::robust::{median, quantile, range};
use super::super::sheet::AuditSheet;
use super::super::words::{NumberedWords, Word};
use super::super::{AuditCheck, Finding, Remedy, Severity};
use crate::measurement::Number;
use crate::text::counted;
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

/// A factor and its level; both are numbers of texts.
type FactorLevel = (u32, u32);

/// Rows as factors and levels: those of all rows stand in one list.
#[derive(Debug, Default)]
struct LabelledRows {
    rows: Vec<u32>,
    /// Where the levels of each row end.
    ends: Vec<usize>,
    /// Of each row by factor.
    levels: Vec<FactorLevel>,
}

impl LabelledRows {
    /// The levels behind those of the last row are this one's.
    fn end_row(&mut self, row: usize) {
        self.rows.push(u32::try_from(row).expect("a sheet holds fewer than 2^32 rows"));
        self.ends.push(self.levels.len());
    }

    /// Rows and their levels.
    fn iter(&self) -> impl Iterator<Item = (usize, &[FactorLevel])> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let places = starts.zip(&self.ends).map(|(start, end)| start..*end);
        self.rows.iter().zip(places).map(|(row, place)| (*row as usize, &self.levels[place]))
    }

    /// Forgets these factors.
    fn forget(&mut self, factors: &HashSet<u32>) {
        let (mut kept, mut start) = (0, 0);
        for end in &mut self.ends {
            for place in start..*end {
                let level = self.levels[place];
                if !factors.contains(&level.0) {
                    self.levels[kept] = level;
                    kept += 1;
                }
            }
            (start, *end) = (*end, kept);
        }
        self.levels.truncate(kept);
    }
}

fn idle_label_findings(sheet: &AuditSheet<'_>) -> Vec<Finding> {
    let mut kernels: BTreeMap<Word, Vec<u32>> = BTreeMap::new();
    for (i, r) in (0..).zip(sheet.rows.iter()) {
        kernels.entry(r.kernel).or_default().push(i);
    }
    // Found once: it goes through all rows, and there may be as many kernels as rows.
    let extra = unknown_columns(sheet);
    kernels.into_iter().flat_map(|(kernel, rows)| of_kernel(sheet, kernel, &rows, &extra)).collect()
}

fn of_kernel(sheet: &AuditSheet<'_>, kernel: Word, rows: &[u32], extra: &[UnknownColumn]) -> Vec<Finding> {
    let (mut labels, mut labelled) = (LabelTexts::default(), LabelledRows::default());
    for row in rows {
        add_labelled(sheet, *row as usize, extra, &mut labels, &mut labelled);
    }
    let texts = labels.texts;
    let mut levels: BTreeMap<u32, HashSet<u32>> = BTreeMap::new();
    for (factor, level) in &labelled.levels {
        levels.entry(*factor).or_default().insert(*level);
    }
    // What has a level for nearly every row says where the row stood, not how it was run.
    let identity = |n: usize| n > LEVELS && 2 * n > rows.len();
    let identities: HashSet<u32> =
        levels.iter().filter(|(_, all)| identity(all.len())).map(|(factor, _)| *factor).collect();
    labelled.forget(&identities);
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
    let mut first: Option<Vec<String>> = None;
    // A record is taken apart once: looking for each field by itself would take the square of the columns.
    for (place, row) in sheet.rows.iter().enumerate() {
        let record = sheet.records.whole(place);
        let fields: Vec<&str> = KeptRecords::fields(&record).collect();
        let own = columns.iter().map(|column| column.field(row.file, &fields));
        match &first {
            None => first = Some(own.map(str::to_string).collect()),
            Some(first) => {
                differs.iter_mut().zip(own.zip(first)).for_each(|(d, (own, first))| *d |= own != first);
            }
        }
    }
    columns.into_iter().zip(differs).filter(|(_, differs)| *differs).map(|(column, _)| column).collect()
}

fn add_labelled(
    sheet: &AuditSheet<'_>,
    row: usize,
    extra: &[UnknownColumn],
    labels: &mut LabelTexts,
    labelled: &mut LabelledRows,
) {
    let r = &sheet.rows.row(row);
    let levels = &mut labelled.levels;
    let first = levels.len();
    let [problem, variant] = [r.problem, r.variant].map(|word| sheet.text_of(word));
    let has_keys = sheet.files[r.file].has_source_keys;
    let source = if has_keys { sheet.field(row, "source") } else { String::new() };
    for (place, text) in [problem, variant, source.trim()].into_iter().enumerate() {
        for part in text.split([';', ',']) {
            let Some((key, value)) = part.split_once('=') else { continue };
            levels.push((labels.key_number(place, key.trim()), number_of(&mut labels.texts, value.trim())));
        }
    }
    let texts = &mut labels.texts;
    let record = if extra.is_empty() { String::new() } else { sheet.records.whole(row) };
    let fields: Vec<&str> = KeptRecords::fields(&record).collect();
    for column in extra {
        levels.push((
            number_of(texts, &format!("column `{}`", column.name)),
            number_of(texts, column.field(r.file, &fields)),
        ));
    }
    levels.push((number_of(texts, "gpu"), r.gpu.0));
    levels.push((number_of(texts, "dtype"), r.dtype.0));
    levels.push((number_of(texts, "block"), texts_of(r.block)));
    levels[first..].sort_unstable();
    labelled.end_row(row);
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
    labelled: &LabelledRows,
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
fn compared(sheet: &AuditSheet<'_>, factor: u32, labelled: &LabelledRows) -> Option<Vec<Levels>> {
    let mut strata: HashMap<Vec<(u32, u32)>, Levels> = HashMap::new();
    for (row, levels) in labelled.iter() {
        let Some((_, level)) = levels.iter().find(|(f, _)| *f == factor) else { continue };
        let rest = levels.iter().copied().filter(|(f, _)| *f != factor).collect();
        strata.entry(rest).or_default().entry(*level).or_default().push(row);
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
        "{name} has {} levels ({}): compared {} times with all else equal, their medians lie {:.2} % apart in the middle, {:.2} % in nine of ten; {} of {}",
        levels.len(),
        levels.join(", "),
        strata.len(),
        100.0 * spread.half,
        100.0 * spread.most,
        counted(rows.len(), "row"),
        counted(strata.len(), "configuration"),
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
    median(&mut rows.iter().map(|r| sheet.rows.row(*r).time_ms()).collect::<Vec<_>>())
}

/// Whether the levels differ in what the code needs or does, where the rows say so.
fn is_other_code(sheet: &AuditSheet<'_>, levels: &Levels) -> bool {
    const NEEDS: [Number; 5] =
        [Number::RegsPerThread, Number::SmemStatic, Number::SmemDynamic, Number::Flops, Number::DramBytes];
    let needs = |r: &usize| {
        let row = &sheet.rows.row(*r);
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
