//! The records of the files, verbatim, and typed rows beside them.

use super::flat_runs::FlatRuns;
use super::kept::{KeptRecords, RowNumbers};
use super::words::{NumberedWords, Word};
use super::{CompiledReport, ReachedCeiling, compiled};
use crate::catalogue::Catalogue;
use crate::gpu::{Gpu, GpuId};
use crate::kernel::{Instance, Kernel, KernelId, Problem};
use crate::measurement::{Number, RowError};
use hashbrown::HashMap;
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

/// One measurement with its place.
#[derive(Debug, Clone)]
pub struct SheetRow {
    /// Which file of the sheet.
    pub file: usize,
    /// Its line there; the first is 1.
    pub line: u64,
    /// The GPU's id where the catalogue knows it, else as written.
    pub gpu: Word,
    /// The kernel's id where the catalogue knows it, else as written.
    pub kernel: Word,
    /// The sizes, completed where the kernel is known.
    pub problem: Word,
    /// The code variant.
    pub variant: Word,
    /// The element type.
    pub dtype: Word,
    /// Threads per block, saturated at 2^32 - 1, which no GPU launches.
    pub block: Option<[u32; 3]>,
    /// Blocks, saturated as well.
    pub grid: Option<[u32; 3]>,
    pub(super) time_ms: f64,
    /// What the row has beside its time: most rows have a few of forty.
    pub(super) numbers: RowNumbers,
}

impl SheetRow {
    /// This number, where the row has it.
    #[must_use]
    pub fn get(&self, number: Number) -> Option<f64> {
        match number {
            Number::Time => Some(self.time_ms),
            _ => self.numbers.value(number),
        }
    }

    /// Milliseconds per launch; every row has them.
    #[must_use]
    pub fn time_ms(&self) -> f64 {
        self.time_ms
    }

    /// Seconds per launch.
    pub(super) fn seconds(&self) -> f64 {
        self.time_ms() / 1e3
    }

    /// Threads per block, saturated.
    pub(super) fn threads(&self) -> Option<u32> {
        let product = self.block?.into_iter().fold(1_u64, |a, b| a.saturating_mul(u64::from(b)));
        Some(product.min(u64::from(u32::MAX)) as u32)
    }

    /// Blocks of the grid, saturated.
    pub(super) fn launched_blocks(&self) -> Option<u64> {
        Some(self.grid?.into_iter().fold(1_u64, |a, b| a.saturating_mul(u64::from(b))))
    }
}

/// One data file's header, as places in the sheet's columns.
#[derive(Debug, Clone)]
pub(super) struct DataFile {
    pub(super) name: String,
    /// For each field of a record, its column of the sheet.
    pub(super) columns: Vec<usize>,
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
    pub rows: Vec<SheetRow>,
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
    pub(super) problems: HashMap<(Word, Word), Problem>,
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
            rows: Vec::new(),
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
    pub fn gpu(&self, row: &SheetRow) -> Option<&'a Gpu> {
        self.gpu_named(row.gpu)
    }

    pub(super) fn gpu_named(&self, word: Word) -> Option<&'a Gpu> {
        self.gpu_of.get(&word).map(|i| &self.gpus[*i])
    }

    /// The kernel of this row, where the catalogue knows it with formulas.
    pub(super) fn kernel(&self, row: &SheetRow) -> Option<&'a Kernel> {
        self.kernel_of.get(&row.kernel).map(|i| &self.kernels[*i])
    }

    /// The sizes of this row.
    pub(super) fn row_problem(&self, row: &SheetRow) -> Option<&Problem> {
        self.problems.get(&(row.kernel, row.problem))
    }

    /// What the kernel's file says of this size in this variant, where there is one.
    pub(super) fn instance(&self, row: &SheetRow) -> Option<Rc<Instance>> {
        let kernel = self.kernel(row).filter(|k| k.has_formulas())?;
        let key = (row.kernel, row.problem, row.variant);
        if let Some(known) = self.instances.borrow().get(&key) {
            return known.clone();
        }
        let variant = self.text_of(row.variant);
        let at_size = |problem| kernel.instance(&kernel.completed_problem(problem).ok()?, variant).ok();
        let made = self.row_problem(row).and_then(at_size).map(Rc::new);
        self.instances.borrow_mut().insert(key, made.clone());
        made
    }

    /// The field of a row's record as it was written.
    pub(super) fn field(&self, row: usize, column: &str) -> &str {
        let Some(at) = self.columns.iter().position(|c| c == column) else { return "" };
        let place = self.files[self.rows[row].file].columns.iter().position(|c| *c == at);
        place.and_then(|p| self.records.fields(row).nth(p)).unwrap_or("")
    }

    /// Bytes a launch touches: as the row says, else as the kernel's file, else its compulsory traffic.
    pub(super) fn working_set(&self, row: &SheetRow) -> Option<f64> {
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
        let mut lines: Vec<(usize, u64)> =
            rows.iter().map(|r| (self.rows[*r].file, self.rows[*r].line)).collect();
        lines.sort_unstable();
        lines.dedup();
        let mut ranges: Vec<(usize, u64, u64)> = Vec::new();
        for (file, line) in lines {
            match ranges.last_mut() {
                Some((f, _, end)) if *f == file && *end + 1 == line => *end = line,
                _ => ranges.push((file, line, line)),
            }
        }
        ranges
    }
}

fn shown_range(first: u64, last: u64) -> String {
    if first == last { first.to_string() } else { format!("{first}-{last}") }
}
