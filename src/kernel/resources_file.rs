//! A kernel file without problem, launch and work: only what compilers made of a kernel. `roofswap import` writes them.

use super::compiled::CompiledFile;
use super::field_examples::EXAMPLES;
use super::file::KernelChecker;
use super::{Cc, Codes, Kernel, Resources};
use crate::catalogue::Spanned;
use crate::catalogue::{Catalogue, FileError, SourceTable, Sourced, SpecFile, joined_sources};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write;

/// A resources file as it is typed.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResourcesFile {
    id: Spanned<String>,
    #[serde(default)]
    name: String,
    #[serde(default)]
    aliases: Vec<String>,
    #[serde(default)]
    symbol: String,
    #[serde(default)]
    code: Option<Spanned<Vec<String>>>,
    compiled: Vec<CompiledFile>,
    #[serde(default)]
    sources: SourceTable,
}

/// The tables that tell the two forms of a kernel file apart.
#[derive(Debug, Deserialize)]
struct ResourceTables {
    problem: Option<serde::de::IgnoredAny>,
    launch: Option<serde::de::IgnoredAny>,
    work: Option<serde::de::IgnoredAny>,
    compiled: Option<serde::de::IgnoredAny>,
}

impl ResourcesFile {
    /// The file, if it is one of resources alone; `None` for a whole kernel file and for what is no TOML, which the reader
    /// of kernel files refuses with better words.
    ///
    /// # Errors
    /// [`FileError`] with the line of what does not fit.
    pub fn recognise(file: SpecFile<'_>) -> Result<Option<Self>, FileError> {
        match file.parse::<ResourceTables>() {
            Ok(ResourceTables { problem: None, launch: None, work: None, compiled: Some(_) }) => {
                file.parse_with(&EXAMPLES).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// The id.
    #[must_use]
    pub fn id(&self) -> &str {
        self.id.get_ref()
    }

    /// The mangled name it was written for; empty where nobody wrote it down.
    #[must_use]
    pub fn symbol(&self) -> &str {
        &self.symbol
    }

    /// The kernel with these resources: the one of that name in the catalogue with them laid over its own, else a new
    /// one that is known by nothing else.
    ///
    /// # Errors
    /// [`FileError`] for an unknown source or an impossible number.
    pub(super) fn over(
        self,
        file: SpecFile<'_>,
        sources: &SourceTable,
        kernels: &Catalogue<Kernel>,
    ) -> Result<Kernel, FileError> {
        let compiled = self.compiled(file, sources)?;
        let codes = self.codes(file)?;
        let mut kernel = match kernels.id_named(self.id()) {
            Some(at) => kernels[at].clone(),
            None => {
                let name = if self.name.is_empty() { self.id() } else { &self.name };
                // Overloads share their readable name; who comes first is found by it.
                let free = |alias: &&String| kernels.id_named(alias).is_none();
                let aliases = self.aliases.iter().filter(free).cloned().collect();
                Kernel::from_compiler(self.id(), name, aliases)
            }
        };
        kernel.lay_over(&self.symbol, compiled, codes.as_ref());
        Ok(kernel)
    }

    /// The code that the reports behind it listed; `None` where the file does not say.
    ///
    /// # Errors
    /// [`FileError`] for a word that is no architecture.
    pub fn codes(&self, file: SpecFile<'_>) -> Result<Option<Codes>, FileError> {
        let Some(code) = &self.code else { return Ok(None) };
        Codes::from_words(code.get_ref()).map(Some).map_err(|why| file.file_error(Some(code.span()), why))
    }

    /// The resources by compute capability, each with the title of its source.
    ///
    /// # Errors
    /// [`FileError`] for an unknown source or an impossible number.
    pub fn compiled(
        &self,
        file: SpecFile<'_>,
        sources: &SourceTable,
    ) -> Result<BTreeMap<Cc, Sourced<Resources>>, FileError> {
        let sources = joined_sources(&self.sources, sources);
        let check = KernelChecker { file, sources: &sources };
        if !self.id().contains(char::is_alphanumeric) {
            return Err(file.file_error(Some(self.id.span()), "id: expected at least one letter"));
        }
        let mut compiled = check.compiled(&self.compiled)?;
        // The file's own sources are forgotten with the file; what they are called is not.
        for known in compiled.values_mut() {
            if let Some(source) = self.sources.get(&*known.source) {
                known.source = source.title.as_str().into();
            }
        }
        Ok(compiled)
    }

    /// This file with these builds, as [`ResourcesFile::file_text`] writes it.
    #[must_use]
    pub fn written(&self, compiled: &BTreeMap<Cc, Sourced<Resources>>, codes: Option<&Codes>) -> String {
        Self::file_text(self.id(), &self.name, &self.symbol, &self.aliases, compiled, codes)
    }

    /// The text of a resources file for these builds.
    #[must_use]
    pub fn file_text(
        id: &str,
        name: &str,
        symbol: &str,
        aliases: &[String],
        compiled: &BTreeMap<Cc, Sourced<Resources>>,
        codes: Option<&Codes>,
    ) -> String {
        let quoted = |text: &str| toml::Value::from(text).to_string();
        let mut out = format!("id = {}\nname = {}\n", quoted(id), quoted(name));
        let in_memory = "writing to memory cannot fail";
        if !symbol.is_empty() {
            writeln!(out, "symbol = {}", quoted(symbol)).expect(in_memory);
        }
        if !aliases.is_empty() {
            let aliases: Vec<String> = aliases.iter().map(|a| quoted(a)).collect();
            writeln!(out, "aliases = [{}]", aliases.join(", ")).expect(in_memory);
        }
        if let Some(codes) = codes {
            let words: Vec<String> = codes.words().iter().map(|word| quoted(word)).collect();
            writeln!(out, "code = [{}]", words.join(", ")).expect(in_memory);
        }
        let mut titles: Vec<&str> = Vec::new();
        for known in compiled.values() {
            if !titles.contains(&&*known.source) {
                titles.push(&known.source);
            }
        }
        for (i, title) in titles.iter().enumerate() {
            write!(out, "\n[[compiled]]\nsource = \"report-{}\"\n\n[compiled.resources]\n", i + 1)
                .expect(in_memory);
            for ((major, minor), known) in compiled.iter().filter(|(_, c)| &*c.source == *title) {
                writeln!(out, "\"{major}.{minor}\" = {}", inline(&known.value)).expect(in_memory);
            }
        }
        for (i, title) in titles.iter().enumerate() {
            let (number, title) = (i + 1, quoted(title));
            write!(out, "\n[sources.report-{number}]\nkind = \"measured\"\ntitle = {title}\n")
                .expect(in_memory);
        }
        out
    }
}

/// `{ registers = 27, barriers = 1 }`, in the order of the fields.
fn inline(r: &Resources) -> String {
    let numbers = [
        ("registers", Some(r.registers)),
        ("static_smem_bytes", r.static_smem_bytes),
        ("barriers", r.barriers),
        ("spill_store_bytes", r.spill_store_bytes),
        ("spill_load_bytes", r.spill_load_bytes),
        ("stack_bytes", r.stack_bytes),
        ("max_threads", r.max_threads),
    ];
    let mut parts: Vec<String> =
        numbers.into_iter().filter_map(|(name, n)| Some(format!("{name} = {}", n?))).collect();
    parts.extend(r.required_block.map(|[x, y, z]| format!("required_block = [{x}, {y}, {z}]")));
    format!("{{ {} }}", parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::NumberOrigin;

    #[test]
    fn what_is_written_is_read_again() {
        let value = Resources {
            registers: 24,
            static_smem_bytes: Some(0),
            required_block: Some([32, 4, 1]),
            ..Resources::default()
        };
        let known = |source: &str| Sourced {
            value: value.clone(),
            origin: NumberOrigin::Measured,
            source: source.into(),
            note: None,
            date: None,
        };
        let compiled = BTreeMap::from([((5, 2), known("a \"log\"")), ((9, 0), known("b\\c.cubin"))]);
        let codes = Codes::from_words(&["sm_52".into(), "sm_90a".into(), "compute_?".into()]).unwrap();
        let text =
            ResourcesFile::file_text("k", "ns::k<\"x\">", "_Z1k", &["kk".into()], &compiled, Some(&codes));
        let file = SpecFile { name: "k.toml", text: &text };
        let read = ResourcesFile::recognise(file).unwrap().unwrap();
        assert_eq!((read.id(), read.symbol()), ("k", "_Z1k"));
        assert_eq!(read.codes(file).unwrap(), Some(codes));
        assert_eq!(read.compiled(file, &SourceTable::new()).unwrap(), compiled, "{text}");
    }

    #[test]
    fn a_whole_kernel_file_is_not_one() {
        for text in ["id = \"k\"\n", "id = = 1", "id = \"k\"\n[launch]\n[[compiled]]\n"] {
            assert!(ResourcesFile::recognise(SpecFile { name: "k.toml", text }).unwrap().is_none(), "{text}");
        }
    }
}
