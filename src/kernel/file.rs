//! A kernel file as it is typed, and the check that turns it into a [`Kernel`].

use super::block_formulas::{BlockFormulas, CountFile, RegistersFile, SharedMemoryFile};
use super::compiled::CompiledFile;
use super::dispatch::DispatchFile;
use super::facts::KernelFacts;
use super::field_examples::EXAMPLES;
use super::launch::LaunchFormulas;
use super::least_sizes::LeastSizeFile;
use super::library_product::LibraryProductFile;
use super::library_share::{LibraryShare, LibraryShareFile};
use super::mix::{InstructionFormulas, InstructionsFile};
use super::stated_arithmetic::{ArithmeticSource, StatedArithmetic};
use super::variant::{VariantFile, VariantKeys};
use super::{
    Cc, Count, CountFormula, Formula, Kernel, KernelFormulas, OperatorType, Problem, Resources, RunsAs,
    size_defaults,
};
use crate::catalogue::Spanned;
use crate::catalogue::{
    Feature, FileError, NumberOrigin, SourceTable, Sourced, SpecFile, joined_sources, unknown_source,
};
use crate::units::Seconds;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// The names every kernel's formulas may use beside its own: threads per block, blocks in the grid.
pub(super) const LAUNCH_NAMES: [&str; 2] = ["threads", "blocks"];

/// Names under `[let]`: looking for their order takes the square of them, at every start of every command.
const MOST_LETS: usize = 64;

/// The named sizes, smallest first.
const SIZES: [&str; 4] = ["small", "medium", "large", "xlarge"];

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct KernelFile {
    id: Spanned<String>,
    /// The id, where it is left out.
    name: Option<String>,
    #[serde(default)]
    aliases: Vec<String>,
    #[serde(default)]
    summary: String,
    /// Where it is left out, as of a kernel that is known from measurements alone.
    category: Option<String>,
    dtype: Option<String>,
    source: Option<Spanned<String>>,
    #[serde(default)]
    cautions: Vec<String>,
    /// By compute capability: `"9.0" = ["…"]`.
    #[serde(default)]
    cautions_on: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    runs_as: RunsAs,
    problem: ProblemFile,
    #[serde(default)]
    variant: VariantFile,
    operator: Option<Spanned<OperatorType>>,
    /// Pipe, types, tile: `tensor bf16 fp32 tile=128x128x64`.
    pipe: Option<Spanned<String>>,
    #[serde(default, rename = "let")]
    lets: BTreeMap<String, Spanned<String>>,
    launch: Option<KernelLaunchFile>,
    #[serde(default)]
    work: BTreeMap<Count, CountFile>,
    instructions: Option<InstructionsFile>,
    product: Option<LibraryProductFile>,
    library: Option<LibraryShareFile>,
    dispatch: Option<DispatchFile>,
    #[serde(default)]
    unknown: BTreeMap<String, String>,
    #[serde(default)]
    needs: NeedsFile,
    #[serde(default)]
    shared_memory: SharedMemoryFile,
    #[serde(default)]
    registers: RegistersFile,
    #[serde(default)]
    compiled: Vec<CompiledFile>,
    /// Sources that only this file names.
    #[serde(default)]
    sources: SourceTable,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProblemFile {
    keys: Vec<String>,
    /// Keys that choose the launch and not the work.
    #[serde(default)]
    launch: Vec<Spanned<String>>,
    /// Keys that change the work of an element and are no part of how many there are.
    #[serde(default)]
    parameters: Vec<Spanned<String>>,
    /// Keys that may be 0.
    #[serde(default)]
    may_be_zero: Vec<Spanned<String>>,
    #[serde(default)]
    defaults: BTreeMap<String, Spanned<String>>,
    #[serde(default)]
    at_least: BTreeMap<String, LeastSizeFile>,
    #[serde(default)]
    sizes: BTreeMap<String, Spanned<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct KernelLaunchFile {
    block: Vec<Spanned<String>>,
    grid: Vec<Spanned<String>>,
    source: Spanned<String>,
}

/// Features without which the kernel runs nowhere.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct NeedsFile {
    features: Vec<Feature>,
}

/// Checks one file's formulas and sources.
pub(super) struct KernelChecker<'a> {
    pub(super) file: SpecFile<'a>,
    pub(super) sources: &'a SourceTable,
}

impl KernelChecker<'_> {
    fn formula(&self, field: &str, text: &Spanned<String>, names: &[String]) -> Result<Formula, FileError> {
        let parsed =
            Formula::parse(text.get_ref(), names).map_err(|e| self.field_error(field, text.span(), e))?;
        Ok(parsed.in_field(field))
    }

    /// The declared operator, if the problem has every key that it needs.
    fn operator(&self, typed: &Spanned<OperatorType>, keys: &[String]) -> Result<OperatorType, FileError> {
        let declared = *typed.get_ref();
        let missing = declared.kind.needed_keys().iter().find(|needed| keys.iter().all(|k| k != *needed));
        let Some(key) = missing else { return Ok(declared) };
        let needed = declared.kind.needed_keys().join(", ");
        let why =
            format!("{} needs the problem keys {needed}; `{key}` is not among them", declared.kind.as_str());
        Err(self.field_error("operator.kind", typed.span(), why))
    }

    fn field_error(&self, field: &str, span: Range<usize>, why: impl std::fmt::Display) -> FileError {
        self.file.file_error(Some(span), format!("{field}: {why}"))
    }

    pub(super) fn source(&self, field: &str, id: &Spanned<String>) -> Result<Arc<str>, FileError> {
        if self.sources.contains_key(id.get_ref()) {
            return Ok(id.get_ref().as_str().into());
        }
        Err(self.field_error(field, id.span(), unknown_source(id.get_ref())))
    }

    fn library_share(&self, of: &LibraryShareFile) -> Result<LibraryShare, FileError> {
        self.source("library.source", of.source())?;
        of.checked().map_err(|(span, why)| self.field_error("library.fp32_share", span, why))
    }

    fn dispatch(&self, of: &DispatchFile) -> Result<Seconds, FileError> {
        self.source("dispatch.source", of.source())?;
        of.checked().map_err(|(span, why)| self.field_error("dispatch.us", span, why))
    }

    fn origin(&self, source: &str) -> NumberOrigin {
        self.sources.get(source).map_or(NumberOrigin::Assumed, |s| s.kind)
    }

    fn formulas(&self, typed: &KernelFile) -> Result<KernelFormulas, FileError> {
        let keys = &typed.problem.keys;
        let mut names = keys.clone();
        let mut defaults = BTreeMap::new();
        let of_key = |table: &str, key: &String, text: &Spanned<String>| {
            let field = format!("problem.{table}.{key}");
            if keys.contains(key) {
                return self.formula(&field, text, keys);
            }
            Err(self.field_error(&field, text.span(), format!("`{key}` is not among problem.keys")))
        };
        for (key, text) in &typed.problem.defaults {
            defaults.insert(key.clone(), of_key("defaults", key, text)?);
        }
        let at_least = typed.problem.at_least.iter();
        let at_least = at_least.map(|(key, l)| Ok(l.checked(key, of_key("at_least", key, &l.formula)?)));
        for (field, named) in [
            ("problem.launch", &typed.problem.launch),
            ("problem.parameters", &typed.problem.parameters),
            ("problem.may_be_zero", &typed.problem.may_be_zero),
        ] {
            self.are_keys(field, named, keys)?;
        }
        let variant = self.variant(&typed.variant, &mut names)?;
        let lets = self.lets(&typed.lets, &mut names)?;
        let launch = typed.launch.as_ref().map(|l| self.checked_launch(l, &mut names)).transpose()?;
        let mut work = BTreeMap::new();
        for (count, c) in &typed.work {
            let field = format!("work.{}", count.name());
            let source = self.source(&field, &c.source)?;
            let formula = self.formula(&field, &c.formula, &names)?;
            let origin = self.origin(&source);
            work.insert(*count, CountFormula { formula, origin, source, note: c.note.clone() });
        }
        let instructions = typed.instructions.as_ref().map(|i| self.instructions(i, &names)).transpose()?;
        let formulas = |p: &LibraryProductFile| p.formulas(|f, text| self.formula(f, text, &names));
        let product = typed.product.as_ref().map(formulas).transpose()?;
        let asked = |field: &str, c: &CountFile| {
            self.source(field, &c.source).and_then(|_| self.formula(field, &c.formula, &names))
        };
        Ok(KernelFormulas {
            block: BlockFormulas::from_sections(&typed.shared_memory, &typed.registers, asked)?,
            chosen: size_defaults::chosen(keys, &defaults),
            defaults,
            at_least: at_least.collect::<Result<_, FileError>>()?,
            variant,
            lets,
            launch,
            work,
            instructions,
            product,
        })
    }

    /// The arithmetic by instruction.
    fn instructions(&self, i: &InstructionsFile, names: &[String]) -> Result<InstructionFormulas, FileError> {
        let source = self.source("instructions.source", &i.source)?;
        i.formulas(self.origin(&source), source, |field, text| self.formula(field, text, names))
    }

    /// Refuses a name that is no key of the problem.
    fn are_keys(&self, field: &str, named: &[Spanned<String>], keys: &[String]) -> Result<(), FileError> {
        match named.iter().find(|n| !keys.contains(n.get_ref())) {
            Some(name) => {
                let why = format!("`{}` is not among problem.keys", name.get_ref());
                Err(self.field_error(field, name.span(), why))
            }
            None => Ok(()),
        }
    }

    /// The variant keys; their names are put behind the problem's.
    fn variant(&self, typed: &VariantFile, names: &mut Vec<String>) -> Result<VariantKeys, FileError> {
        let mut keys = VariantKeys::default();
        for key in &typed.keys {
            let name = key.get_ref();
            self.free_name("variant.keys", name, key.span(), names)?;
            let formula = |text| self.formula(&format!("variant.defaults.{name}"), text, names);
            let default = typed.defaults.get(name).map(formula).transpose()?;
            names.push(name.clone());
            keys.names.push(name.clone());
            keys.defaults.push(default);
        }
        for (key, text) in &typed.defaults {
            if !keys.names.contains(key) {
                let field = format!("variant.defaults.{key}");
                let why = format!("`{key}` is not among variant.keys");
                return Err(self.field_error(&field, text.span(), why));
            }
        }
        if let Some(example) = &typed.example {
            keys.example = keys
                .typed(example.get_ref())
                .map_err(|why| self.field_error("variant.example", example.span(), why))?;
        }
        Ok(keys)
    }

    /// Refuses a name that no formula could use, or that stands for something else.
    fn free_name(
        &self,
        field: &str,
        name: &str,
        span: Range<usize>,
        names: &[String],
    ) -> Result<(), FileError> {
        let letters = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) || !name.chars().all(letters) {
            let why = format!("`{name}` is no name; expected a letter, then letters, digits and _");
            return Err(self.field_error(field, span, why));
        }
        if !Formula::is_free_name(name) || names.iter().any(|n| n == name) || LAUNCH_NAMES.contains(&name) {
            let why = format!("`{name}` has a meaning already; choose another name");
            return Err(self.field_error(field, span, why));
        }
        Ok(())
    }

    /// The `let`s in the order they need each other; their names are put behind the keys.
    fn lets(
        &self,
        typed: &BTreeMap<String, Spanned<String>>,
        names: &mut Vec<String>,
    ) -> Result<Vec<(String, Formula)>, FileError> {
        if let Some((name, text)) = typed.iter().nth(MOST_LETS) {
            let why = format!(
                "{} names; expected at most {MOST_LETS}: write formulas out, or share more names",
                typed.len()
            );
            return Err(self.field_error(&format!("let.{name}"), text.span(), why));
        }
        let mut all = names.clone();
        for (name, text) in typed {
            self.free_name(&format!("let.{name}"), name, text.span(), names)?;
            all.push(name.clone());
        }
        let mut waiting = Vec::with_capacity(typed.len());
        for (name, text) in typed {
            waiting.push((name, text, self.formula(&format!("let.{name}"), text, &all)?));
        }
        let mut ordered = Vec::with_capacity(waiting.len());
        while !waiting.is_empty() {
            let ready = |(_, _, f): &(_, _, Formula)| f.uses().iter().all(|used| names.contains(used));
            let Some(at) = waiting.iter().position(ready) else {
                let (name, text, _) = &waiting[0];
                let circle: Vec<&str> = waiting.iter().map(|(name, ..)| name.as_str()).collect();
                let why = format!(
                    "each of {} waits for another or itself; write one without the others",
                    circle.join(", ")
                );
                return Err(self.field_error(&format!("let.{name}"), text.span(), why));
            };
            let (name, text, formula) = waiting.remove(at);
            let bound = formula.bound_to(names);
            let formula = bound.map_err(|e| self.field_error(&format!("let.{name}"), text.span(), e))?;
            ordered.push((name.clone(), formula));
            names.push(name.clone());
        }
        Ok(ordered)
    }

    /// The launch shape; `threads` and `blocks` are put behind the names.
    fn checked_launch(
        &self,
        typed: &KernelLaunchFile,
        names: &mut Vec<String>,
    ) -> Result<LaunchFormulas, FileError> {
        self.source("launch.source", &typed.source)?;
        let block = self.dimensions("launch.block", &typed.block, names)?;
        names.push(LAUNCH_NAMES[0].to_string());
        let grid = self.dimensions("launch.grid", &typed.grid, names)?;
        names.push(LAUNCH_NAMES[1].to_string());
        Ok(LaunchFormulas { block, grid })
    }

    fn dimensions(
        &self,
        field: &str,
        texts: &[Spanned<String>],
        names: &[String],
    ) -> Result<Vec<Formula>, FileError> {
        if !(1..=3).contains(&texts.len()) {
            return Err(self
                .file
                .file_error(None, format!("{field}: has {} dimensions; expected 1 to 3", texts.len())));
        }
        texts.iter().map(|t| self.formula(field, t, names)).collect()
    }

    pub(super) fn compiled(
        &self,
        typed: &[CompiledFile],
    ) -> Result<BTreeMap<Cc, Sourced<Resources>>, FileError> {
        let mut all = BTreeMap::new();
        for table in typed {
            let source = self.source("compiled.source", &table.source)?;
            let origin = self.origin(&source);
            for (cc, value) in &table.resources {
                let field = format!("compiled.resources.\"{cc}\"");
                let pair = cc.split_once('.').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
                let Some(pair) = pair else {
                    let why = "expected a compute capability such as \"8.9\"";
                    return Err(self.field_error(&field, value.span(), why));
                };
                let value_of = value.get_ref();
                if let Some(why) = value_of.unsound() {
                    return Err(self.field_error(&field, value.span(), why));
                }
                let (value, source) = (value_of.clone(), source.clone());
                all.insert(pair, Sourced { value, origin, source, note: None, date: None });
            }
        }
        Ok(all)
    }
}

/// Reads and checks one kernel file; every named size is evaluated once, so that a formula that divides by zero is
/// found here.
///
/// # Errors
/// [`FileError`] with file, line, field, value and what was expected.
pub(super) fn kernel_from_file(file: SpecFile<'_>, sources: &SourceTable) -> Result<Kernel, FileError> {
    let typed: KernelFile = file.parse_with(&EXAMPLES)?;
    let sources = joined_sources(&typed.sources, sources);
    let check = KernelChecker { file, sources: &sources };
    if !typed.id.get_ref().contains(char::is_alphanumeric) || typed.problem.keys.is_empty() {
        return Err(file.file_error(
            Some(typed.id.span()),
            "id and problem.keys: expected at least one letter and one key",
        ));
    }
    let formulas = Arc::new(check.formulas(&typed)?);
    let operator = typed.operator.as_ref().map(|o| check.operator(o, &typed.problem.keys)).transpose()?;
    let library_share = typed.library.as_ref().map(|l| check.library_share(l)).transpose()?;
    let mut kernel = Kernel {
        id: typed.id.get_ref().clone(),
        names: None,
        facts: Arc::new(KernelFacts {
            aliases: typed.aliases,
            symbol: String::new(),
            summary: typed.summary,
            category: typed.category.unwrap_or_else(|| "measured".into()),
            dtype: typed.dtype.unwrap_or_else(|| "fp32".into()),
            source: typed.source.map_or_else(|| Ok("".into()), |source| check.source("source", &source))?,
            runs_as: typed.runs_as,
            keys: typed.problem.keys,
            launch_keys: typed.problem.launch.into_iter().map(Spanned::into_inner).collect(),
            parameter_keys: typed.problem.parameters.into_iter().map(Spanned::into_inner).collect(),
            zero_keys: typed.problem.may_be_zero.into_iter().map(Spanned::into_inner).collect(),
            sizes: Vec::new(),
            compiled: check.compiled(&typed.compiled)?,
            codes: None,
            needs: typed.needs.features,
            cautions: typed.cautions,
            cautions_on: typed.cautions_on,
            unknown: typed.unknown,
            operator,
            stated_arithmetic: None,
            translation: None,
            library_share,
            dispatch: typed.dispatch.as_ref().map(|d| check.dispatch(d)).transpose()?,
            formulas: Some(formulas),
        }),
    };
    kernel.set_name(typed.name.as_deref().unwrap_or(typed.id.get_ref()));
    if let Some(pipe) = &typed.pipe {
        let stated = StatedArithmetic::from_text(pipe.get_ref(), ArithmeticSource::File);
        let taken = stated.map_err(|e| e.to_string()).and_then(|stated| kernel.state_arithmetic(stated));
        taken.map_err(|why| file.file_error(Some(pipe.span()), why))?;
    }
    example_says_all(&check, &typed.variant, &kernel)?;
    // At one size at least every formula is tried.
    if !typed.work.is_empty() && typed.problem.sizes.is_empty() {
        let why = format!("problem.sizes: expected at least one of {}", SIZES.join(", "));
        return Err(file.file_error(None, why));
    }
    kernel.sizes = sizes(&check, &typed.problem.sizes, &kernel)?;
    Ok(kernel)
}

/// Refuses an example that lacks a key, or no example where there is a key without default.
fn example_says_all(
    check: &KernelChecker<'_>,
    typed: &VariantFile,
    kernel: &Kernel,
) -> Result<(), FileError> {
    let mut scope = vec![1.0; kernel.keys.len()];
    let read = kernel.formulas.as_ref().map(|f| f.variant.add_to_scope(kernel.example_variant(), &mut scope));
    let Some(Err(why)) = read else { return Ok(()) };
    Err(match &typed.example {
        Some(example) => check.field_error("variant.example", example.span(), why),
        None => {
            let span = typed.keys.first().map_or(0..0, Spanned::span);
            let why =
                "a key has no default: expected an example beside the keys, such as example = \"KEY=1\"";
            check.field_error("variant.keys", span, why)
        }
    })
}

fn sizes(
    check: &KernelChecker<'_>,
    typed: &BTreeMap<String, Spanned<String>>,
    kernel: &Kernel,
) -> Result<Vec<(String, Problem)>, FileError> {
    let mut sizes = Vec::new();
    for (name, text) in typed {
        let field = format!("problem.sizes.{name}");
        let refuse = |why: &dyn std::fmt::Display| check.field_error(&field, text.span(), why);
        if !SIZES.contains(&name.as_str()) {
            return Err(refuse(&format!("expected one of {}", SIZES.join(", "))));
        }
        let typed = Problem::typed(text.get_ref(), |key| kernel.may_be_zero(key)).map_err(|e| refuse(&e))?;
        let problem = kernel.completed_problem(&typed).map_err(|e| refuse(&e))?;
        kernel.instance(&problem, kernel.example_variant()).map_err(|e| refuse(&e))?;
        sizes.push((name.clone(), problem));
    }
    sizes.sort_by_key(|(name, _)| SIZES.iter().position(|s| s == name));
    sizes.dedup_by(|a, b| a.1 == b.1);
    Ok(sizes)
}
