//! A kernel file as it is typed, and the check that turns it into a [`Kernel`].

use super::{Cc, Count, CountFormula, Formula, Formulas, Kernel, Problem, Resources};
use crate::catalogue::{FileError, Origin, SourceTable, Sourced, SpecFile};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use toml::Spanned;

/// The names every kernel's formulas may use beside its own: threads per block, blocks in the grid.
const LAUNCH_NAMES: [&str; 2] = ["threads", "blocks"];

/// The named sizes, smallest first.
const SIZES: [&str; 4] = ["small", "medium", "large", "xlarge"];

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct KernelFile {
    id: Spanned<String>,
    name: String,
    #[serde(default)]
    aliases: Vec<String>,
    summary: String,
    category: String,
    dtype: String,
    source: Spanned<String>,
    #[serde(default)]
    cautions: Vec<String>,
    problem: ProblemFile,
    #[serde(default, rename = "let")]
    lets: BTreeMap<String, Spanned<String>>,
    launch: LaunchFile,
    work: BTreeMap<Count, CountFile>,
    #[serde(default)]
    unknown: BTreeMap<String, String>,
    #[serde(default)]
    shared_memory: SharedMemoryFile,
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
    #[serde(default)]
    defaults: BTreeMap<String, Spanned<String>>,
    sizes: BTreeMap<String, Spanned<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct LaunchFile {
    block: Vec<Spanned<String>>,
    grid: Vec<Spanned<String>>,
    source: Spanned<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CountFile {
    formula: Spanned<String>,
    source: Spanned<String>,
    note: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct SharedMemoryFile {
    static_bytes: Option<CountFile>,
    dynamic_bytes: Option<CountFile>,
}

/// One report of a compiler: the resources by compute capability.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CompiledFile {
    pub(super) source: Spanned<String>,
    pub(super) resources: BTreeMap<String, Spanned<Resources>>,
}

/// Checks one file's formulas and sources.
pub(super) struct Checker<'a> {
    pub(super) file: SpecFile<'a>,
    pub(super) sources: &'a SourceTable,
}

impl Checker<'_> {
    fn formula(&self, field: &str, text: &Spanned<String>, names: &[String]) -> Result<Formula, FileError> {
        let parsed = Formula::parse(text.get_ref(), names).map_err(|e| self.error(field, text.span(), e))?;
        Ok(parsed.in_field(field))
    }

    fn error(&self, field: &str, span: Range<usize>, why: impl std::fmt::Display) -> FileError {
        self.file.error(Some(span), format!("{field}: {why}"))
    }

    pub(super) fn source(&self, field: &str, id: &Spanned<String>) -> Result<Arc<str>, FileError> {
        if self.sources.contains_key(id.get_ref()) {
            return Ok(id.get_ref().as_str().into());
        }
        let why = format!(
            "unknown source `{}`; name one of specs/sources.toml, or describe it in this file's [sources]",
            id.get_ref()
        );
        Err(self.error(field, id.span(), why))
    }

    fn origin(&self, source: &str) -> Origin {
        self.sources.get(source).map_or(Origin::Assumed, |s| s.kind)
    }

    fn formulas(&self, typed: &KernelFile) -> Result<Formulas, FileError> {
        let keys = &typed.problem.keys;
        let mut names = keys.clone();
        let mut defaults = BTreeMap::new();
        for (key, text) in &typed.problem.defaults {
            let field = format!("problem.defaults.{key}");
            if !keys.contains(key) {
                return Err(self.error(&field, text.span(), format!("`{key}` is not among problem.keys")));
            }
            defaults.insert(key.clone(), self.formula(&field, text, keys)?);
        }
        // A `let` sees the keys only, so their order does not matter.
        let mut lets = Vec::new();
        for (name, text) in &typed.lets {
            lets.push(self.formula(&format!("let.{name}"), text, keys)?);
            names.push(name.clone());
        }
        let block = self.dimensions("launch.block", &typed.launch.block, &names)?;
        names.push(LAUNCH_NAMES[0].to_string());
        let grid = self.dimensions("launch.grid", &typed.launch.grid, &names)?;
        names.push(LAUNCH_NAMES[1].to_string());
        let mut work = BTreeMap::new();
        for (count, c) in &typed.work {
            let field = format!("work.{}", count.name());
            let source = self.source(&field, &c.source)?;
            let formula = self.formula(&field, &c.formula, &names)?;
            let origin = self.origin(&source);
            work.insert(*count, CountFormula { formula, origin, source, note: c.note.clone() });
        }
        let bytes = |field: &str, c: &Option<CountFile>| {
            c.as_ref()
                .map(|c| self.source(field, &c.source).and_then(|_| self.formula(field, &c.formula, &names)))
                .transpose()
        };
        Ok(Formulas {
            smem_static: bytes("shared_memory.static_bytes", &typed.shared_memory.static_bytes)?,
            smem_dynamic: bytes("shared_memory.dynamic_bytes", &typed.shared_memory.dynamic_bytes)?,
            chosen: chosen(keys, &defaults),
            defaults,
            lets,
            block,
            grid,
            work,
        })
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
                .error(None, format!("{field}: has {} dimensions; expected 1 to 3", texts.len())));
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
                    return Err(self.error(&field, value.span(), why));
                };
                let value_of = value.get_ref();
                if let Some(why) = value_of.unsound() {
                    return Err(self.error(&field, value.span(), why));
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
pub(super) fn read(file: SpecFile<'_>, sources: &SourceTable) -> Result<Kernel, FileError> {
    let typed: KernelFile = file.parse()?;
    let mut own = typed.sources.clone();
    own.extend(sources.clone());
    let check = Checker { file, sources: &own };
    if !typed.id.get_ref().contains(char::is_alphanumeric) || typed.problem.keys.is_empty() {
        return Err(file
            .error(Some(typed.id.span()), "id and problem.keys: expected at least one letter and one key"));
    }
    check.source("launch.source", &typed.launch.source)?;
    let formulas = Arc::new(check.formulas(&typed)?);
    let mut kernel = Kernel {
        id: typed.id.get_ref().clone(),
        label: typed.id.get_ref().clone(),
        name: typed.name,
        aliases: typed.aliases,
        symbol: String::new(),
        summary: typed.summary,
        category: typed.category,
        dtype: typed.dtype,
        source: check.source("source", &typed.source)?,
        keys: typed.problem.keys,
        sizes: Vec::new(),
        compiled: check.compiled(&typed.compiled)?,
        cautions: typed.cautions,
        unknown: typed.unknown,
        formulas: Some(formulas),
    };
    kernel.sizes = sizes(&check, &typed.problem.sizes, &kernel)?;
    Ok(kernel)
}

fn sizes(
    check: &Checker<'_>,
    typed: &BTreeMap<String, Spanned<String>>,
    kernel: &Kernel,
) -> Result<Vec<(String, Problem)>, FileError> {
    let mut sizes = Vec::new();
    for (name, text) in typed {
        let field = format!("problem.sizes.{name}");
        let refuse = |why: &dyn std::fmt::Display| check.error(&field, text.span(), why);
        if !SIZES.contains(&name.as_str()) {
            return Err(refuse(&format!("expected one of {}", SIZES.join(", "))));
        }
        let typed: Problem = text.get_ref().parse().map_err(|e| refuse(&e))?;
        let problem = kernel.problem(&typed).map_err(|e| refuse(&e))?;
        kernel.instance(&problem).map_err(|e| refuse(&e))?;
        sizes.push((name.clone(), problem));
    }
    if sizes.is_empty() {
        return Err(check
            .file
            .error(None, "problem.sizes: expected at least one of small, medium, large, xlarge"));
    }
    sizes.sort_by_key(|(name, _)| SIZES.iter().position(|s| s == name));
    sizes.dedup_by(|a, b| a.1 == b.1);
    Ok(sizes)
}

/// The keys whose default no other key says; where there is no other key, every row there is has it.
fn chosen(keys: &[String], defaults: &BTreeMap<String, Formula>) -> Vec<String> {
    let constant = defaults.iter().filter(|(_, f)| keys.len() > 1 && f.is_constant());
    constant.map(|(key, _)| key.clone()).collect()
}
