//! What a kernel is: its launch shape, its resources per compute capability and its work, as functions of the
//! problem size.
//!
//! [`Kernel`] is checked; the file it is read from is `file::KernelFile`. [`Kernel::instance`] evaluates everything
//! for one problem.

mod catalogue;
mod compiled;
mod file;
mod formula;
mod name;
mod problem;
mod recorded;
mod resources_file;
mod slider;

pub use catalogue::{load_shipped, load_text};
pub use compiled::{BlockSize, Cc, Compiled, Resources};
pub use formula::{Formula, FormulaError};
pub use name::{clip_middle, long_name, short_name};
pub use problem::{Key, Problem, ProblemError, Value};
pub use recorded::{by_other_keys, kernel_and_other_keys, leaves_open};
pub use resources_file::ResourcesFile;
pub use slider::Slider;

use crate::catalogue::{Entry, Origin, Sourced};
use crate::units::{Bytes, Flops, Intensity};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A kernel of the catalogue, or one known only from a measurement file.
#[derive(Debug, Clone)]
pub struct Kernel {
    /// As engineers type it: `matmul_tiled`.
    pub id: String,
    /// As its authors write it.
    pub name: String,
    /// As tables and titles show it: the id, or the short form of a profiler's name.
    pub label: String,
    /// Other names.
    pub aliases: Vec<String>,
    /// As the linker knows it, where a compiler's report was read; overloads share all other names. Empty otherwise.
    pub symbol: String,
    /// What it computes, in one line.
    pub summary: String,
    /// Paper 1's category: memory, compute, reduction, atomic, special.
    pub category: String,
    /// Element type: `fp32`.
    pub dtype: String,
    /// Id of the source that describes it.
    pub source: Arc<str>,
    /// Problem keys in order; none for a kernel known only from measurements.
    pub keys: Vec<String>,
    /// Named sizes, smallest first.
    pub sizes: Vec<(String, Problem)>,
    /// What compilers made of it, by compute capability.
    pub compiled: BTreeMap<Cc, Sourced<Resources>>,
    /// What has to be said beside every prediction of it.
    pub cautions: Vec<String>,
    /// Counts nobody made, and why.
    pub unknown: BTreeMap<String, String>,
    /// Formulas; `None` for a kernel known only from measurements.
    formulas: Option<Arc<Formulas>>,
}

/// Every formula of a kernel. The scope is: keys, `let` names, `threads`, `blocks`.
#[derive(Debug)]
struct Formulas {
    /// For keys that were left out; the scope is the keys.
    defaults: BTreeMap<String, Formula>,
    /// Keys whose default is a choice of the program, such as how often it loops, and no consequence of other keys.
    chosen: Vec<String>,
    lets: Vec<Formula>,
    block: Vec<Formula>,
    grid: Vec<Formula>,
    smem_static: Option<Formula>,
    smem_dynamic: Option<Formula>,
    work: BTreeMap<Count, CountFormula>,
}

/// One count of the work with where it comes from.
#[derive(Debug, Clone)]
pub struct CountFormula {
    /// The formula.
    pub formula: Formula,
    /// How far to trust it.
    pub origin: Origin,
    /// Source id.
    pub source: Arc<str>,
    /// A remark.
    pub note: Option<String>,
}

/// What can be counted of a launch; names are the canonical CSV's columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Count {
    /// Floating-point operations; a fused multiply-add counts two.
    Flops,
    /// Compulsory DRAM traffic in bytes.
    DramBytes,
    /// Distinct bytes touched.
    WorkingSetBytes,
    /// Bytes through L2.
    L2Bytes,
    /// Bytes through L1.
    L1Bytes,
    /// Global load and store warp instructions.
    GlobalWarpInsts,
    /// All warp instructions of the load/store unit.
    LsuWarpInsts,
    /// Shared-memory wavefronts of 128 bytes, conflicts included.
    SmemWavefronts,
    /// Warp instructions issued.
    WarpInstsIssued,
    /// Same-address global atomic warp requests.
    GlobalAtomicRequests,
    /// Active threads per warp instruction, at most 32; below it, branches diverge.
    ActiveThreadsPerInst,
}

impl Count {
    /// All counts, in the order they are shown.
    pub const ALL: [Self; 11] = [
        Self::Flops,
        Self::DramBytes,
        Self::WorkingSetBytes,
        Self::L2Bytes,
        Self::L1Bytes,
        Self::GlobalWarpInsts,
        Self::LsuWarpInsts,
        Self::SmemWavefronts,
        Self::WarpInstsIssued,
        Self::GlobalAtomicRequests,
        Self::ActiveThreadsPerInst,
    ];

    /// The column of the canonical CSV and the key of a kernel file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Flops => "flops",
            Self::DramBytes => "dram_bytes",
            Self::WorkingSetBytes => "working_set_bytes",
            Self::L2Bytes => "l2_bytes",
            Self::L1Bytes => "l1_bytes",
            Self::GlobalWarpInsts => "global_warp_insts",
            Self::LsuWarpInsts => "lsu_warp_insts",
            Self::SmemWavefronts => "smem_wavefronts",
            Self::WarpInstsIssued => "warp_insts_issued",
            Self::GlobalAtomicRequests => "global_atomic_requests",
            Self::ActiveThreadsPerInst => "active_threads_per_inst",
        }
    }
}

/// The work of one launch; absent = nobody counted it. Kept as NaN: a million rows hold one each.
#[derive(Debug, Clone, Copy)]
pub struct Work([f64; Count::ALL.len()]);

impl Default for Work {
    fn default() -> Self {
        Self([f64::NAN; Count::ALL.len()])
    }
}

impl PartialEq for Work {
    fn eq(&self, other: &Self) -> bool {
        Count::ALL.into_iter().all(|c| self.get(c) == other.get(c))
    }
}

impl Work {
    /// This count, if it was made.
    #[must_use]
    pub fn get(&self, count: Count) -> Option<f64> {
        Some(self.0[count as usize]).filter(|v| !v.is_nan())
    }

    /// The same work with one count set.
    #[must_use]
    pub fn with(mut self, count: Count, value: Option<f64>) -> Self {
        self.0[count as usize] = value.unwrap_or(f64::NAN);
        self
    }

    /// `other`'s counts where it has them, else this one's.
    #[must_use]
    pub fn overlaid(mut self, other: &Self) -> Self {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine = if theirs.is_nan() { *mine } else { theirs };
        }
        self
    }

    /// Floating-point operations.
    #[must_use]
    pub fn flops(&self) -> Option<Flops> {
        self.get(Count::Flops).map(Flops)
    }

    /// Compulsory DRAM traffic.
    #[must_use]
    pub fn dram(&self) -> Option<Bytes> {
        self.get(Count::DramBytes).map(Bytes)
    }

    /// Bytes through shared memory: wavefronts x 128.
    #[must_use]
    pub fn shared(&self) -> Option<Bytes> {
        self.get(Count::SmemWavefronts).map(|w| Bytes(128.0 * w))
    }

    /// Operational intensity at DRAM, where both counts exist and bytes move.
    #[must_use]
    pub fn intensity(&self) -> Option<Intensity> {
        let (flops, bytes) = (self.flops()?, self.dram()?);
        (bytes.0 > 0.0).then(|| flops / bytes)
    }
}

/// The launch of one problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Launch {
    /// Threads per block, x y z.
    pub block: [u32; 3],
    /// Blocks, x y z.
    pub grid: [u64; 3],
}

impl Launch {
    /// Threads per block. Saturates, so that absurd input is caught by the launch limits.
    #[must_use]
    pub fn threads(&self) -> u32 {
        self.block.iter().fold(1, |a, b| a.saturating_mul(*b))
    }

    /// Blocks in the grid.
    #[must_use]
    pub fn blocks(&self) -> u64 {
        self.grid.iter().fold(1, |a, b| a.saturating_mul(*b))
    }
}

/// A kernel at one problem size.
#[derive(Debug, Clone, PartialEq)]
pub struct Instance {
    /// Its launch shape, if known.
    pub launch: Option<Launch>,
    /// Threads per block where the launch shape is unknown, but a compiler's report is known.
    pub block_size: Option<BlockSize>,
    /// Static shared memory per block in bytes, if known.
    pub smem_static: Option<u32>,
    /// Dynamic shared memory per block in bytes, if known.
    pub smem_dynamic: Option<u32>,
    /// Its counts.
    pub work: Work,
}

impl Kernel {
    /// A kernel known only by the name it has in a measurement file.
    #[must_use]
    pub fn from_measurements(id: &str, dtype: &str) -> Self {
        Self {
            id: id.to_string(),
            name: id.to_string(),
            label: short_name(id),
            aliases: Vec::new(),
            symbol: String::new(),
            summary: "known only from measurement files".into(),
            category: "measured".into(),
            dtype: dtype.to_string(),
            source: "".into(),
            keys: Vec::new(),
            sizes: Vec::new(),
            compiled: BTreeMap::new(),
            cautions: Vec::new(),
            unknown: BTreeMap::new(),
            formulas: None,
        }
    }

    /// Whether the kernel has formulas, so that any size can be asked for.
    #[must_use]
    pub fn has_formulas(&self) -> bool {
        self.formulas.is_some()
    }

    /// The formula behind a count.
    #[must_use]
    pub fn count(&self, count: Count) -> Option<&CountFormula> {
        self.formulas.as_ref()?.work.get(&count)
    }

    /// Completes typed sizes: the kernel's keys in its order, defaults filled in.
    ///
    /// # Errors
    /// [`ProblemError`] for an unknown, missing or absurd key.
    pub fn problem(&self, typed: &Problem) -> Result<Problem, ProblemError> {
        let Some(formulas) = &self.formulas else { return Ok(typed.clone()) };
        if let Some((key, _)) =
            typed.pairs().iter().find(|(k, _)| self.keys.iter().all(|known| known != k.as_str()))
        {
            let keys = self.keys.join(", ");
            let key = problem::shorten(key.as_str());
            return Err(ProblemError::UnknownKey { kernel: self.id.clone(), key, keys });
        }
        // Defaults look at typed keys only; a key that is neither typed nor defaulted is missing.
        let scope: Vec<f64> = self.keys.iter().map(|k| typed.number(k).unwrap_or(f64::NAN)).collect();
        let mut pairs = Vec::with_capacity(self.keys.len());
        for key in &self.keys {
            let missing = |key: &str| ProblemError::Missing { kernel: self.id.clone(), key: key.to_string() };
            let value = match (typed.get(key), formulas.defaults.get(key)) {
                (Some(Value::Number(n)), _) => *n,
                (Some(Value::Word(word)), _) => return Err(problem::bad_size(key, word)),
                (None, Some(default)) => default.eval(&scope).map_err(|_| missing(default.text()))?,
                (None, None) => return Err(missing(key)),
            };
            if !problem::is_size(value) {
                return Err(problem::bad_size(key, value));
            }
            pairs.push((Key::new(key), Value::Number(value)));
        }
        Ok(Problem::from_pairs(pairs))
    }

    /// Reads and completes a size that a person typed: `n=2^20`, `m=512,n=1k`, or `2^20` alone where exactly one key has no
    /// default.
    ///
    /// # Errors
    /// [`ProblemError`] with what was expected.
    pub fn typed(&self, text: &str) -> Result<Problem, ProblemError> {
        let number = text.trim();
        if number.contains('=') || problem::typed_size(number).is_none() {
            return self.problem(&text.parse()?);
        }
        let defaults = self.formulas.as_ref().map(|f| &f.defaults);
        let mut needed = self.keys.iter().filter(|k| defaults.is_none_or(|d| !d.contains_key(*k)));
        match (needed.next(), needed.next()) {
            (Some(only), None) => self.problem(&format!("{only}={number}").parse()?),
            _ => {
                let keys = match self.sizes.first() {
                    None => "no keys of its own; type one of its measured sizes".to_string(),
                    Some((_, size)) => {
                        format!("the keys {}; type {}", self.keys.join(", "), self.short_problem(size))
                    }
                };
                Err(ProblemError::BareNumber {
                    number: problem::shorten(number),
                    kernel: self.id.clone(),
                    keys,
                })
            }
        }
    }

    /// The problem as a person would type it: keys that equal their default are left out.
    #[must_use]
    pub fn short_problem(&self, problem: &Problem) -> String {
        let Some(formulas) = &self.formulas else { return problem.to_string() };
        let typed: Vec<_> = problem
            .pairs()
            .iter()
            .filter(|(k, _)| !formulas.defaults.contains_key(k.as_str()))
            .cloned()
            .collect();
        let typed = Problem::from_pairs(typed);
        match self.problem(&typed) {
            Ok(full) if full == *problem && !typed.pairs().is_empty() => typed.to_string(),
            _ => problem.to_string(),
        }
    }

    /// Launch shape, shared memory and counts at this problem size.
    ///
    /// # Errors
    /// [`FormulaError`] where a formula gives no sound number.
    pub fn instance(&self, problem: &Problem) -> Result<Instance, FormulaError> {
        let Some(f) = &self.formulas else {
            return Ok(Instance {
                launch: None,
                block_size: self.block_size(),
                smem_static: None,
                smem_dynamic: None,
                work: Work::default(),
            });
        };
        let mut scope: Vec<f64> = self.keys.iter().map(|k| problem.number(k).unwrap_or(f64::NAN)).collect();
        for l in &f.lets {
            let value = l.eval(&scope)?;
            scope.push(value);
        }
        let block = dimensions(&f.block, &scope, Formula::at_least_one)?.map(|v| v as u32);
        scope.push(block.iter().map(|b| f64::from(*b)).product());
        let grid = dimensions(&f.grid, &scope, Formula::eval)?.map(|v| v as u64);
        scope.push(grid.iter().map(|g| *g as f64).product());
        let bytes = |formula: &Option<Formula>| {
            formula.as_ref().map(|f| f.eval(&scope)).transpose().map(|v| v.map(|v| v as u32))
        };
        let mut work = Work::default();
        for (count, c) in &f.work {
            work = work.with(*count, Some(c.formula.eval(&scope)?));
        }
        Ok(Instance {
            launch: Some(Launch { block, grid }),
            block_size: None,
            smem_static: bytes(&f.smem_static)?,
            smem_dynamic: bytes(&f.smem_dynamic)?,
            work,
        })
    }
}

/// Up to three dimensions, rounded up, at least 1 each.
fn dimensions(
    formulas: &[Formula],
    scope: &[f64],
    eval: fn(&Formula, &[f64]) -> Result<f64, FormulaError>,
) -> Result<[f64; 3], FormulaError> {
    let mut out = [1.0; 3];
    for (slot, formula) in out.iter_mut().zip(formulas) {
        *slot = eval(formula, scope)?.ceil().max(1.0);
    }
    Ok(out)
}

impl Entry for Kernel {
    fn id(&self) -> &str {
        &self.id
    }
    fn aliases(&self) -> &[String] {
        &self.aliases
    }
}
