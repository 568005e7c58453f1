//! The records of the files, verbatim, and typed rows beside them.

use super::flat_runs::FlatRuns;
use super::kept::KeptRecords;
use super::rows::{SheetRow, SheetRows};
use super::words::{NumberedWords, Word, WordSet};
use super::{CompiledReport, ReachedCeiling, compiled};
use crate::catalogue::Catalogue;
use crate::gpu::{Gpu, GpuId};
use crate::kernel::{Instance, Kernel, KernelId, Problem};
use crate::measurement::{Number, RowError, WorksByShape};
use hashbrown::HashMap;
use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

/// One data file's header, as places in the sheet's columns.
#[derive(Debug, Clone)]
pub(super) struct DataFile {
    pub(super) name: String,
    /// For each field of a record, its column of the sheet.
    pub(super) columns: Vec<usize>,
    /// Whether some source says keys and values: `tile=16`.
    pub(super) has_source_keys: bool,
}

/// By kernel, problem and variant; nothing where the kernel's file does not take them.
type KnownInstances = HashMap<(Word, Word, Word), Option<Rc<Instance>>>;

/// Everything that was given to the audit.
#[derive(Debug)]
pub struct AuditSheet<'a> {
    /// The GPUs that are known.
    pub gpus: &'a Catalogue<Gpu>,
    /// The kernels that are known.
    pub kernels: &'a Catalogue<Kernel>,
    /// Every column of every data file, in the order they were met.
    pub columns: Vec<String>,
    /// The good rows.
    pub rows: SheetRows,
    /// Ceilings that calibration files state.
    pub calibrations: Vec<ReachedCeiling>,
    /// What compiler logs say of kernels.
    pub compiled: Vec<CompiledReport>,
    /// The first refused rows.
    pub refused: Vec<RowError>,
    /// How many rows were refused in all; they are no part of what `--fix` writes.
    pub refused_count: usize,
    pub(super) files: Vec<DataFile>,
    /// For each row, its record.
    pub(super) records: KeptRecords,
    pub(super) words: NumberedWords,
    /// GPUs and kernels by word, where the catalogues know them.
    pub(super) gpu_of: HashMap<Word, GpuId>,
    pub(super) kernel_of: HashMap<Word, KernelId>,
    /// Problems whose text alone does not say them, as a kernel's file completes them.
    pub(super) problems: HashMap<(Word, Word), Problem>,
    /// The words that were read as a problem and say all of it.
    pub(super) plain_problems: WordSet,
    /// What launches of one GPU, kernel, shape and variant have done.
    pub(super) works: WorksByShape<[Word; 4]>,
    /// Flat runs of sizes, once they are looked for.
    pub(super) flat: OnceCell<FlatRuns>,
    /// What the compilers' reports say, by kernel, once it is looked for.
    pub(super) by_build: OnceCell<compiled::Index>,
    /// Of the kernels that have formulas; an instance is large, and a file may have a million sizes.
    instances: RefCell<KnownInstances>,
}

impl<'a> AuditSheet<'a> {
    /// An empty sheet that knows these GPUs and kernels.
    #[must_use]
    pub fn new(gpus: &'a Catalogue<Gpu>, kernels: &'a Catalogue<Kernel>) -> Self {
        Self {
            gpus,
            kernels,
            columns: Vec::new(),
            rows: SheetRows::default(),
            calibrations: Vec::new(),
            compiled: Vec::new(),
            refused: Vec::new(),
            refused_count: 0,
            files: Vec::new(),
            records: KeptRecords::default(),
            words: NumberedWords::default(),
            gpu_of: HashMap::new(),
            kernel_of: HashMap::new(),
            problems: HashMap::new(),
            plain_problems: WordSet::default(),
            works: WorksByShape::default(),
            flat: OnceCell::new(),
            by_build: OnceCell::new(),
            instances: RefCell::default(),
        }
    }

    /// The text of a word.
    #[must_use]
    pub fn text_of(&self, word: Word) -> &str {
        self.words.text(word)
    }

    /// The GPU of this row, where the catalogue knows it.
    #[must_use]
    pub fn gpu(&self, row: &SheetRow<'_>) -> Option<&'a Gpu> {
        self.gpu_named(row.gpu)
    }

    pub(super) fn gpu_named(&self, word: Word) -> Option<&'a Gpu> {
        self.gpu_of.get(&word).map(|i| &self.gpus[*i])
    }

    /// The kernel of this row, where the catalogue knows it with formulas.
    pub(super) fn kernel(&self, row: &SheetRow<'_>) -> Option<&'a Kernel> {
        self.kernel_of.get(&row.kernel).map(|i| &self.kernels[*i])
    }

    /// The sizes of this row.
    pub(super) fn row_problem(&self, row: &SheetRow<'_>) -> Option<Cow<'_, Problem>> {
        if let Some(completed) = self.problems.get(&(row.kernel, row.problem)) {
            return Some(Cow::Borrowed(completed));
        }
        Problem::parse_recorded(self.text_of(row.problem)).ok().map(Cow::Owned)
    }

    /// What the kernel's file says of this size in this variant, where there is one.
    pub(super) fn instance(&self, row: &SheetRow<'_>) -> Option<Rc<Instance>> {
        let kernel = self.kernel(row).filter(|k| k.has_formulas())?;
        let key = (row.kernel, row.problem, row.variant);
        if let Some(known) = self.instances.borrow().get(&key) {
            return known.clone();
        }
        let variant = self.text_of(row.variant);
        let at_size = |problem: Cow<'_, Problem>| {
            kernel.instance(&kernel.completed_problem(&problem).ok()?, variant).ok()
        };
        let made = self.row_problem(row).and_then(at_size).map(Rc::new);
        self.instances.borrow_mut().insert(key, made.clone());
        made
    }

    /// The field of a row's record as it was written.
    pub(super) fn field(&self, row: usize, column: &str) -> String {
        let Some(at) = self.columns.iter().position(|c| c == column) else { return String::new() };
        let place = self.files[self.rows.row(row).file].columns.iter().position(|c| *c == at);
        let Some(place) = place else { return String::new() };
        KeptRecords::fields(&self.records.whole(row)).nth(place).unwrap_or("").to_string()
    }

    /// Bytes a launch touches: as the row says, else as the kernel's file, else its compulsory traffic.
    pub(super) fn working_set(&self, row: &SheetRow<'_>) -> Option<f64> {
        let filed = || self.instance(row).and_then(|i| i.work.get(crate::kernel::Count::WorkingSetBytes));
        row.get(Number::WorkingSet).or_else(filed).or_else(|| row.get(Number::DramBytes))
    }

    /// File and lines of these rows: `runs.csv:4-7,12`; long lists end in a count.
    #[must_use]
    pub fn places(&self, rows: &[usize]) -> String {
        /// Ranges shown before the rest is counted.
        const SHOWN: usize = 12;
        let ranges = self.ranges(rows);
        let mut out = String::new();
        let mut file_before = None;
        for (file, first, last) in ranges.iter().take(SHOWN) {
            let name = self.files[*file].name.rsplit('/').next().unwrap_or("");
            let lead = match file_before {
                Some(before) if before == *file => ",".to_string(),
                Some(_) => format!(" {name}:"),
                None => format!("{name}:"),
            };
            file_before = Some(*file);
            out += &format!("{lead}{}", shown_range(*first, *last));
        }
        if ranges.len() > SHOWN {
            out += &format!(",… ({} rows)", rows.len());
        }
        out
    }

    /// File and lines of these rows, all of them: `runs.csv:4-7`, `runs.csv:12`.
    #[must_use]
    pub fn row_lines(&self, rows: &[usize]) -> Vec<String> {
        let line = |(file, first, last): &(usize, u64, u64)| {
            format!("{}:{}", self.files[*file].name, shown_range(*first, *last))
        };
        self.ranges(rows).iter().map(line).collect()
    }

    /// File, first and last line of each stretch of neighbours.
    fn ranges(&self, rows: &[usize]) -> Vec<(usize, u64, u64)> {
        // Rows stand in the order of files and lines. There may be millions: those in their order are not copied.
        let mut sorted = Cow::Borrowed(rows);
        if !rows.is_sorted() {
            sorted.to_mut().sort_unstable();
        }
        let mut ranges: Vec<(usize, u64, u64)> = Vec::new();
        for row in sorted.iter() {
            let SheetRow { file, line, .. } = self.rows.row(*row);
            match ranges.last_mut() {
                Some((f, _, end)) if *f == file && (*end == line || *end + 1 == line) => *end = line,
                _ => ranges.push((file, line, line)),
            }
        }
        ranges
    }
}

fn shown_range(first: u64, last: u64) -> String {
    if first == last { first.to_string() } else { format!("{first}-{last}") }
}
