//! What a kernel is: its launch shape, its resources per compute capability and its work, as functions of the
//! problem size.
//!
//! [`Kernel`] is checked; the file it is read from is `file::KernelFile`. [`Kernel::instance`] evaluates everything
//! for one problem.

mod block_formulas;
mod catalogue;
mod code;
mod compiled;
mod contradiction;
mod dispatch;
mod element_edit;
mod expression;
mod facts;
mod field_examples;
mod file;
mod formula;
mod full_share;
mod functions;
mod launch;
mod least_sizes;
mod library_product;
mod library_share;
mod mix;
mod name;
mod name_facts;
mod named_code;
mod operator;
mod problem;
mod recorded;
mod resources_file;
mod runs_as;
mod short_problem;
mod size_defaults;
mod slider;
mod stated_arithmetic;
mod symbol;
mod variant;
mod variant_error;
mod work;

pub use catalogue::{CheckedKernelFile, load_shipped, load_text};
pub use code::{CodeVersion, Codes};
pub use compiled::{BlockSize, Cc, CompiledResources, Resources};
pub use contradiction::{CountContradiction, contradictions};
pub use element_edit::FixedElement;
pub use facts::{KernelFacts, MeasuredKernels, dtype_or_fp32};
pub use formula::{Formula, FormulaError};
pub use launch::Launch;
pub use mix::{InstructionFormulas, Mix, Operations, Rewritten, Translation, VectorPrecision};
pub use name::{
    WIDEST_LABEL, clip_apart, clip_at_difference, clip_middle, count_distinct, listed_names, long_name,
    long_name_within, most_distinct, names_by_difference, shared_parts, short_name, short_name_within,
};
pub use name_facts::NameFacts;
pub use named_code::NamedCode;
pub use operator::{AttentionSizes, Operator, OperatorKind, OperatorSizes, OperatorType, ProductSizes};
pub use problem::{Problem, ProblemError, ProblemKey, ProblemValue};
pub use recorded::{by_other_keys, kernel_and_other_keys, leaves_open};
pub use resources_file::ResourcesFile;
pub use runs_as::RunsAs;
pub use slider::Slider;
pub use stated_arithmetic::{ArithmeticError, ArithmeticSource, StatedArithmetic};
pub use symbol::demangled_name;
pub use variant_error::VariantError;
pub use work::{Count, CountFormula, Information, Work};

use crate::catalogue::{CatalogueEntry, Id};
use crate::units::typed_number;
use launch::LaunchFormulas;
use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use variant::VariantKeys;

/// Which kernel of the catalogue is meant.
pub type KernelId = Id<Kernel>;

/// A kernel of the catalogue, or one known only from a measurement file, of which there may be as many as the file has lines.
#[derive(Debug, Clone)]
pub struct Kernel {
    /// As engineers type it: `matmul_tiled`.
    pub id: String,
    /// Where it has others than the id.
    names: Option<Box<OtherNames>>,
    /// What else is known of it; kernels of which nothing is share one.
    facts: Arc<KernelFacts>,
}

/// What a kernel is called beside its id.
#[derive(Debug, Clone, Default)]
struct OtherNames {
    name: Option<Box<str>>,
    label: Option<Box<str>>,
}

impl Deref for Kernel {
    type Target = KernelFacts;

    fn deref(&self) -> &KernelFacts {
        &self.facts
    }
}

/// What is changed is this kernel's alone.
impl DerefMut for Kernel {
    fn deref_mut(&mut self) -> &mut KernelFacts {
        Arc::make_mut(&mut self.facts)
    }
}

/// Every formula of a kernel. The scope is: keys, variant keys, `let` names in the order they need each other, and where
/// there is a launch shape `threads`, `blocks`.
#[derive(Debug)]
struct KernelFormulas {
    /// For keys that were left out; the scope is the keys.
    defaults: BTreeMap<String, Formula>,
    at_least: Vec<least_sizes::LeastSize>,
    /// Keys whose default is a choice of the program, such as how often it loops, and no consequence of other keys.
    chosen: Vec<String>,
    variant: VariantKeys,
    /// By name, each after those it needs.
    lets: Vec<(String, Formula)>,
    launch: Option<LaunchFormulas>,
    block: block_formulas::BlockFormulas,
    work: BTreeMap<Count, CountFormula>,
    instructions: Option<InstructionFormulas>,
    product: Option<library_product::LibraryProductFormulas>,
}

/// A kernel at one problem size.
#[derive(Debug, Clone, PartialEq)]
pub struct Instance {
    /// Its launch shape, if known.
    pub launch: Option<Launch>,
    /// Share of its blocks that would do as much if all their threads had work, 0 to 1.
    pub full_share: f64,
    /// Whether its launch is compared with another of the same kernel, of which none is slower for the blocks that an SM holds more of.
    pub is_compared: bool,
    /// Threads per block where the launch shape is unknown, but a compiler's report is known.
    pub block_size: Option<BlockSize>,
    /// Registers per thread that somebody typed: they go before any compiler's word.
    pub regs_per_thread: Option<u32>,
    /// Registers that a thread has use for at least, by the kernel's file: they stand where nobody knows those of the build.
    pub least_registers: Option<u32>,
    /// Static shared memory per block in bytes, if known.
    pub smem_static: Option<u32>,
    /// Dynamic shared memory per block in bytes, if known.
    pub smem_dynamic: Option<u32>,
    /// How much of the SRAM that L1 and shared memory share it prefers as shared memory, in percent of the most there is.
    pub carveout_percent: Option<u8>,
    /// Its counts.
    pub work: Work,
    /// Its arithmetic by instruction, where its file counts it.
    pub mix: Mix,
    /// The operator at this size, where it is one.
    pub operator: Option<Operator>,
    /// The matrix product that a library computes on vector pipes, where it is one.
    pub library_product: Option<ProductSizes>,
}

/// Keys that choose the launch of a kernel without a file: tuners' names, and those of profilers' reports.
const OF_THE_LAUNCH: [&str; 13] = [
    "tile",
    "threads",
    "threads_per_block",
    "block",
    "block_size",
    "block_x",
    "block_y",
    "block_z",
    "grid",
    "grid_x",
    "grid_y",
    "grid_z",
    "blocks",
];

impl Kernel {
    /// The category, where somebody stated one: kernels of measurement files and compiler reports have none.
    #[must_use]
    pub fn known_category(&self) -> Option<&str> {
        (!matches!(&*self.category, "measured" | "compiled")).then_some(&*self.category)
    }

    /// A kernel known only by the name it has in a measurement file.
    #[must_use]
    pub fn from_measurements(id: &str, dtype: &str) -> Self {
        MeasuredKernels::default().kernel(id, dtype)
    }

    /// As its authors write it.
    #[must_use]
    pub fn name(&self) -> &str {
        self.names.as_ref().and_then(|names| names.name.as_deref()).unwrap_or(&self.id)
    }

    /// As tables and titles show it: the id, or the short form of a profiler's name.
    #[must_use]
    pub fn label(&self) -> &str {
        self.names.as_ref().and_then(|names| names.label.as_deref()).unwrap_or(&self.id)
    }

    /// Sets what its authors write.
    pub fn set_name(&mut self, name: &str) {
        self.set_other(name, |names| &mut names.name);
    }

    /// Sets what tables and titles show.
    pub fn set_label(&mut self, label: &str) {
        self.set_other(label, |names| &mut names.label);
    }

    fn set_other(&mut self, called: &str, place: fn(&mut OtherNames) -> &mut Option<Box<str>>) {
        let other = (called != self.id).then(|| called.into());
        if other.is_some() || self.names.is_some() {
            *place(self.names.get_or_insert_default()) = other;
        }
    }

    /// What is known of its arithmetic from its name, with what is stated in its place. The name of a kernel of the catalogue is a
    /// title and says nothing.
    #[must_use]
    pub fn arithmetic_facts(&self) -> NameFacts {
        let named = if self.has_formulas() { NameFacts::default() } else { NameFacts::of_name(self.name()) };
        self.stated_arithmetic.as_ref().map_or_else(|| named.clone(), |stated| stated.over_name(&named))
    }

    /// Whether somebody stated the pipe that its arithmetic runs on.
    #[must_use]
    pub fn states_pipe(&self) -> bool {
        self.stated_arithmetic.as_ref().is_some_and(StatedArithmetic::names_pipe)
    }

    /// Takes in what is stated of its arithmetic, unless a later source stated it before.
    ///
    /// # Errors
    /// Why nothing can be stated: an operator declares its types.
    pub fn state_arithmetic(&mut self, stated: StatedArithmetic) -> Result<(), String> {
        if let Some(operator) = self.operator {
            return Err(format!(
                "{} is an operator of {} by its file: take the operator of the type that is meant",
                self.id, operator.input
            ));
        }
        if self.stated_arithmetic.as_ref().is_none_or(|before| before.source <= stated.source) {
            self.stated_arithmetic = Some(stated);
        }
        Ok(())
    }

    /// Whether its arithmetic was assumed from a measured time.
    #[must_use]
    pub fn arithmetic_is_reached(&self) -> bool {
        self.stated_arithmetic.as_ref().is_some_and(|stated| stated.source <= ArithmeticSource::Reached)
    }

    /// Whether a problem key chooses the launch and not the work: one that its file marks, or, of a kernel without a file, one
    /// that tuners and profilers use for blocks and grids.
    #[must_use]
    pub fn is_launch_key(&self, key: &str) -> bool {
        self.launch_keys.iter().any(|k| k == key) || (self.keys.is_empty() && OF_THE_LAUNCH.contains(&key))
    }

    /// Whether a problem key says how many elements there are.
    #[must_use]
    pub fn is_size_key(&self, key: &str) -> bool {
        !self.is_launch_key(key) && self.parameter_keys.iter().all(|k| k != key)
    }

    /// Whether the kernel has formulas, so that any size can be asked for.
    #[must_use]
    pub fn has_formulas(&self) -> bool {
        self.formulas.is_some()
    }

    /// Whether its file states block and grid.
    #[must_use]
    pub fn states_launch(&self) -> bool {
        self.formulas.as_ref().is_some_and(|formulas| formulas.launch.is_some())
    }

    /// The formula behind a count.
    #[must_use]
    pub fn count_formula(&self, count: Count) -> Option<&CountFormula> {
        self.formulas.as_ref()?.work.get(&count)
    }

    /// The formulas of its arithmetic by instruction, where its file has them.
    #[must_use]
    pub fn instruction_formulas(&self) -> Option<&InstructionFormulas> {
        self.formulas.as_ref()?.instructions.as_ref()
    }

    /// Completes typed sizes: the kernel's keys in its order, defaults filled in.
    ///
    /// # Errors
    /// [`ProblemError`] for an unknown, missing or absurd key.
    pub fn completed_problem(&self, typed: &Problem) -> Result<Problem, ProblemError> {
        let Some(formulas) = &self.formulas else { return Ok(typed.clone()) };
        if let Some((key, _)) =
            typed.pairs().iter().find(|(k, _)| self.keys.iter().all(|known| known != k.as_str()))
        {
            let keys = self.keys.join(", ");
            let key = problem::shorten(key.as_str());
            return Err(ProblemError::UnknownKey { kernel: self.id.clone(), key, keys });
        }
        let squared = size_defaults::with_square_side(typed, &self.keys, &formulas.defaults);
        let typed = squared.as_ref().unwrap_or(typed);
        // Defaults look at typed keys only; a key that is neither typed nor defaulted is missing.
        let scope: Vec<f64> = self.keys.iter().map(|k| typed.number_at(k).unwrap_or(f64::NAN)).collect();
        let mut pairs = Vec::with_capacity(self.keys.len());
        for key in &self.keys {
            let missing = |key: &str| ProblemError::Missing { kernel: self.id.clone(), key: key.to_string() };
            let value = match (typed.get(key), formulas.defaults.get(key)) {
                (Some(ProblemValue::Number(n)), _) => *n,
                (Some(ProblemValue::Word(word)), _) => return Err(problem::bad_size(key, word)),
                (None, Some(default)) => default.eval(&scope).map_err(|_| missing(default.source_text()))?,
                (None, None) => return Err(missing(key)),
            };
            if !(problem::is_size(value) || (value == 0.0 && self.may_be_zero(key))) {
                return Err(problem::bad_size(key, value));
            }
            pairs.push((ProblemKey::new(key), ProblemValue::Number(value)));
        }
        let problem = Problem::from_pairs(pairs);
        formulas.at_least.iter().try_for_each(|least| least.check(&self.id, &self.keys, &problem))?;
        match self.operator.and_then(|declared| declared.sized(&problem)).map(|operator| operator.sizes) {
            Some(OperatorSizes::Attention(AttentionSizes { heads, kv_heads, .. }))
                if heads % kv_heads != 0.0 =>
            {
                let [heads, kv_heads] = [heads, kv_heads].map(|heads| heads as u64);
                Err(ProblemError::Heads { kernel: self.id.clone(), heads, kv_heads })
            }
            _ => Ok(problem),
        }
    }

    /// Whether this key has a use for 0.
    #[must_use]
    pub fn may_be_zero(&self, key: &str) -> bool {
        self.zero_keys.iter().any(|k| k == key)
    }

    /// Reads and completes a size that a person typed: `n=2^20`, `m=512,n=1k`, or `2^20` alone where exactly one key has no
    /// default.
    ///
    /// # Errors
    /// [`ProblemError`] with what was expected.
    pub fn typed(&self, text: &str) -> Result<Problem, ProblemError> {
        let number = text.trim();
        if number.contains('=') || typed_number(number).is_none() {
            return self.completed_problem(&Problem::typed(text, |key| self.may_be_zero(key))?);
        }
        let defaults = self.formulas.as_ref().map(|f| &f.defaults);
        let mut needed = self.keys.iter().filter(|k| defaults.is_none_or(|d| !d.contains_key(*k)));
        match (needed.next(), needed.next()) {
            (Some(only), None) => self.completed_problem(&format!("{only}={number}").parse()?),
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

    /// The variant keys that the formulas read, in order.
    #[must_use]
    pub fn variant_keys(&self) -> &[String] {
        self.formulas.as_ref().map_or(&[], |f| &f.variant.names)
    }

    /// The named parts of the formulas: name and formula, each after those it needs.
    pub fn lets(&self) -> impl Iterator<Item = (&str, &str)> {
        let lets = self.formulas.iter().flat_map(|f| &f.lets);
        lets.map(|(name, formula)| (name.as_str(), formula.source_text()))
    }

    /// A whole variant to show the kernel in where none was measured; empty where the formulas read no variant keys.
    #[must_use]
    pub fn example_variant(&self) -> &str {
        self.formulas.as_ref().map_or("", |f| &f.variant.example)
    }

    /// What this variant says of the keys that the kernel's file declares.
    #[must_use]
    pub fn declared_variant(&self, variant: &str) -> String {
        self.formulas.as_ref().map_or_else(String::new, |f| f.variant.declared(variant))
    }

    /// A variant that a person typed, its keys in the file's order.
    ///
    /// # Errors
    /// [`VariantError::Unknown`] for a key that the kernel's file does not declare.
    pub fn typed_variant(&self, text: &str) -> Result<String, VariantError> {
        self.formulas.as_ref().map_or_else(|| Ok(text.to_string()), |f| f.variant.typed(text))
    }

    /// Whether two texts say the same variant, in whatever order.
    #[must_use]
    pub fn same_variant(&self, a: &str, b: &str) -> bool {
        let ordered = |f: &Arc<KernelFormulas>| f.variant.ordered(a) == f.variant.ordered(b);
        a == b || self.formulas.as_ref().is_some_and(ordered)
    }

    /// Launch shape, shared memory and counts at this problem size in this code variant (`k=v;k=v`, as a measurement
    /// file writes it). Keys of the variant that the kernel's file does not declare are not looked at.
    ///
    /// # Errors
    /// [`FormulaError`] where a formula gives no sound number, or the variant has none for a key that formulas read.
    pub fn instance(&self, problem: &Problem, variant: &str) -> Result<Instance, FormulaError> {
        let Some(f) = &self.formulas else {
            return Ok(Instance {
                launch: None,
                full_share: 1.0,
                is_compared: false,
                block_size: self.block_size(),
                regs_per_thread: None,
                least_registers: None,
                smem_static: None,
                smem_dynamic: None,
                carveout_percent: None,
                work: Work::default(),
                mix: Mix::default(),
                operator: None,
                library_product: None,
            });
        };
        let keys = self.numbers(problem);
        let (launch, scope) = self.launch_at(f, &keys, variant)?;
        let asks = f.block.in_scope(&scope)?;
        let mut work = Work::default();
        for (count, c) in &f.work {
            work = work.with(*count, Some(c.formula.eval(&scope)?));
        }
        let single = f.instructions.as_ref().map(|i| i.operations_in_scope(&scope)).transpose()?;
        let full_share =
            launch.map(|launch| self.full_share(f, &keys, variant, &launch, &work)).transpose()?;
        Ok(Instance {
            launch,
            full_share: full_share.unwrap_or(1.0),
            is_compared: false,
            block_size: if launch.is_none() { self.block_size() } else { None },
            regs_per_thread: None,
            least_registers: asks.least_registers,
            smem_static: asks.smem_static,
            smem_dynamic: asks.smem_dynamic,
            carveout_percent: None,
            work,
            mix: Mix { single, ..Mix::default() },
            operator: self.operator.and_then(|o| o.sized(problem)),
            library_product: f.product.as_ref().map(|p| p.sizes_in_scope(&scope)).transpose()?,
        })
    }

    /// The numbers of this problem in the order of the keys; NaN of a word.
    fn numbers(&self, problem: &Problem) -> Vec<f64> {
        self.keys.iter().map(|k| problem.number_at(k).unwrap_or(f64::NAN)).collect()
    }

    /// The launch at these numbers of the keys, if known, and the numbers that other formulas read: of all keys, `let`s and the launch.
    fn launch_at(
        &self,
        f: &KernelFormulas,
        keys: &[f64],
        variant: &str,
    ) -> Result<(Option<Launch>, Vec<f64>), FormulaError> {
        let names = keys.len() + f.variant.names.len() + f.lets.len();
        let mut scope: Vec<f64> = Vec::with_capacity(names + file::LAUNCH_NAMES.len());
        scope.extend(keys);
        f.variant.add_to_scope(variant, &mut scope)?;
        for (_, l) in &f.lets {
            let value = l.eval(&scope)?;
            scope.push(value);
        }
        let launch = f.launch.as_ref().map(|l| l.launch_in_scope(&mut scope)).transpose()?;
        Ok((launch, scope))
    }
}

impl CatalogueEntry for Kernel {
    fn id(&self) -> &str {
        &self.id
    }
    fn aliases(&self) -> &[String] {
        &self.aliases
    }
}
