//! One kernel out of many reports: several architectures, several files, one id.

use super::{CompiledKernel, CompilerReport, names, quoted};
use crate::catalogue::{Catalogue, NumberOrigin, Sourced, same_spelling};
use crate::kernel::{Cc, Codes, Kernel, Resources};
use crate::text::first_names;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Longer symbols and names are no names to type.
const LONGEST_ALIAS: usize = 200;

/// A kernel with all that the reports say of it.
#[derive(Debug, Clone, PartialEq)]
pub struct JoinedKernel {
    /// As engineers will type it, and its file's name: from the readable name, unlike every other's.
    pub id: String,
    /// As people write it.
    pub name: String,
    /// As the linker knows it.
    pub symbol: String,
    /// Other names.
    pub aliases: Vec<String>,
    /// Its resources, each with the report it is from.
    pub compiled: BTreeMap<Cc, Sourced<Resources>>,
    /// The machine code and PTX that the reports list.
    pub codes: Codes,
}

/// Puts together what several reports say of the same kernel; where they contradict each other the later report counts,
/// and a remark says so.
#[must_use]
pub fn join(reports: &[CompilerReport], taken: &TakenNames) -> (Vec<JoinedKernel>, Vec<String>) {
    let mut all: Vec<JoinedKernel> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut remarks = Vec::new();
    for (report, kernel) in reports.iter().flat_map(|r| r.kernels.iter().map(move |k| (r, k))) {
        let at = *places.entry(&kernel.symbol).or_insert_with(|| {
            let (symbol, name) = (kernel.symbol.clone(), kernel.name.clone());
            let (id, aliases, compiled) = (String::new(), Vec::new(), BTreeMap::new());
            all.push(JoinedKernel { id, name, symbol, aliases, compiled, codes: Codes::default() });
            all.len() - 1
        });
        remarks.extend(all[at].take(report, kernel));
    }
    remarks.extend(name_all(&mut all, taken));
    (all, remarks)
}

impl JoinedKernel {
    /// Adds one report's numbers; says so where they contradict what was there.
    fn take(&mut self, report: &CompilerReport, kernel: &CompiledKernel) -> Option<String> {
        let cc = kernel.architecture.capability;
        self.codes.join(&report.codes_beside(kernel));
        let file = report.file.rsplit(['/', '\\']).next().unwrap_or(&report.file);
        let source = format!("{file} ({}, {})", report.format.as_str(), kernel.architecture);
        let sourced = |value: Resources, source: String| {
            // The compiler is the vendor's; its word is a document's.
            let origin = NumberOrigin::Published;
            Sourced { value, origin, source: source.into(), note: None, date: None }
        };
        let Some(known) = self.compiled.get(&cc) else {
            self.compiled.insert(cc, sourced(kernel.resources.clone(), source));
            return None;
        };
        match known.value.joined(&kernel.resources) {
            Some(both) if *known.source == *source => {
                self.compiled.insert(cc, sourced(both, source));
                None
            }
            Some(both) => {
                let both_sources = format!("{}; {source}", known.source);
                self.compiled.insert(cc, sourced(both, both_sources));
                None
            }
            None => {
                let name = quoted(&self.name);
                let text = format!("kernel {name}: {source} contradicts {}; the later counts", known.source);
                self.compiled.insert(cc, sourced(kernel.resources.clone(), source));
                Some(text)
            }
        }
    }
}

/// Names that are in use before a report is read.
#[derive(Debug, Clone, Default)]
pub struct TakenNames {
    /// Ids by the symbol that they belong to.
    ids: HashMap<String, String>,
    /// Symbols by the spelling of their id; empty where nobody wrote the symbol down.
    symbols: HashMap<String, String>,
    /// Spellings of kernels that no report was laid over yet: one kernel of that name may be.
    open: HashSet<String>,
}

impl TakenNames {
    /// The names of these kernels.
    #[must_use]
    pub fn taken_ids(kernels: &Catalogue<Kernel>) -> Self {
        let mut taken = Self::default();
        for kernel in kernels.entries() {
            if kernel.symbol.is_empty() {
                let names = std::iter::once(&kernel.id).chain(&kernel.aliases);
                taken.open.extend(names.map(|name| same_spelling(name)));
            } else {
                taken.add_taken(&kernel.id, &kernel.symbol);
            }
        }
        taken
    }

    /// This id belongs to this symbol, whatever was said before; to none if the symbol is empty.
    pub fn add_taken(&mut self, id: &str, symbol: &str) {
        let spelling = same_spelling(id);
        self.open.remove(&spelling);
        if let Some(before) = self.symbols.insert(spelling, symbol.to_string()) {
            self.ids.remove(&before);
        }
        if !symbol.is_empty() {
            self.ids.insert(symbol.to_string(), id.to_string());
        }
    }

    /// How many symbols have this plain name, of these kernels and those before.
    fn claims(&self, all: &[JoinedKernel]) -> HashMap<String, usize> {
        let new: HashSet<&str> = all.iter().map(|k| k.symbol.as_str()).collect();
        let before = self.ids.keys().filter(|s| !new.contains(s.as_str())).map(|s| names::readable(s));
        let mut claims = HashMap::new();
        for name in before.chain(all.iter().map(|k| k.name.clone())) {
            *claims.entry(same_spelling(&names::id(&name))).or_default() += 1;
        }
        claims
    }
}

/// Gives every kernel an id of its own. Overloads differ in their parameters only, which are not in the name: they are
/// numbered in the order of their symbols, so that the same kernels get the same ids from any report. The name of a
/// kernel of the catalogue is given to the only one that has it; of several nobody knows which one it is, and a remark
/// says that it is none.
fn name_all(all: &mut [JoinedKernel], taken: &TakenNames) -> Vec<String> {
    let claims = taken.claims(all);
    let mut used: HashSet<String> = taken.symbols.keys().cloned().collect();
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by(|a, b| all[*a].symbol.cmp(&all[*b].symbol));
    let mut next: HashMap<String, usize> = HashMap::new();
    let mut contested: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for at in order {
        let kernel = &mut all[at];
        if let Some(id) = taken.ids.get(&kernel.symbol) {
            kernel.id.clone_from(id);
            continue;
        }
        let base = names::id(&kernel.name);
        let spelling = same_spelling(&base);
        let only = claims[&spelling] == 1;
        let number = next.entry(spelling.clone()).or_insert(1);
        kernel.id = loop {
            let id = if *number == 1 { base.clone() } else { format!("{base}_{number}") };
            let of_catalogue = taken.open.contains(&same_spelling(&id)) && !(only && *number == 1);
            *number += 1;
            if !of_catalogue && used.insert(same_spelling(&id)) {
                break id;
            }
        };
        if taken.open.contains(&spelling) && !only {
            contested.entry(base).or_default().push(format!("{} is {}", kernel.id, quoted(&kernel.symbol)));
        }
    }
    alias_all(all, &used, taken);
    contested.into_iter().map(|(name, ids)| nobodys(&name, &ids)).collect()
}

/// A name is an alias where it is one kernel's alone.
fn alias_all(all: &mut [JoinedKernel], used: &HashSet<String>, taken: &TakenNames) {
    let mut names: HashMap<String, usize> = HashMap::new();
    for kernel in all.iter() {
        *names.entry(same_spelling(&kernel.name)).or_default() += 1;
    }
    for kernel in all {
        let spelling = same_spelling(&kernel.name);
        let alone = names[&spelling] == 1 && !used.contains(&spelling) && !taken.open.contains(&spelling);
        let typeable = kernel.name.len() <= LONGEST_ALIAS && !spelling.is_empty();
        if alone && typeable {
            kernel.aliases.push(kernel.name.clone());
        }
    }
}

/// Why several kernels of one name are not the catalogue's.
fn nobodys(name: &str, ids: &[String]) -> String {
    const SHOWN: usize = 4;
    format!(
        "several kernels are called {name}, and which one the catalogue's {name} is cannot be known: it stays as it is; {}",
        first_names(ids, SHOWN)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compiler::read_report;

    fn log(file: &str, kernels: &[(&str, &str, u32)]) -> CompilerReport {
        let line = |(name, arch, regs): &(&str, &str, u32)| {
            format!(
                "ptxas info : Compiling entry function '{name}' for '{arch}'\nptxas info : Used {regs} registers\n"
            )
        };
        let text: String = kernels.iter().map(line).collect();
        read_report(text.as_bytes(), file, None).unwrap()
    }

    #[test]
    fn architectures_and_files_meet_in_one_kernel() {
        let reports =
            [log("a/x.log", &[("k", "sm_52", 8), ("k", "sm_89", 10)]), log("y.log", &[("k", "sm_89", 12)])];
        let (all, remarks) = join(&reports, &TakenNames::default());
        let [k] = &all[..] else { panic!("{all:?}") };
        assert_eq!((k.id.as_str(), k.compiled.len()), ("k", 2));
        assert_eq!(k.compiled[&(8, 9)].value.registers, 12);
        assert_eq!(&*k.compiled[&(5, 2)].source, "x.log (ptxas -v, sm_52)");
        assert!(remarks[0].contains("y.log (ptxas -v, sm_89) contradicts x.log"), "{remarks:?}");
    }

    #[test]
    fn overloads_get_the_same_ids_in_any_order() {
        let ids = |symbols: &[&str], taken: &[(&str, &str)]| {
            let kernels: Vec<_> = symbols.iter().map(|s| (*s, "sm_89", 8)).collect();
            let mut known = TakenNames::default();
            taken.iter().for_each(|(id, symbol)| known.add_taken(id, symbol));
            let (all, _) = join(&[log("l", &kernels)], &known);
            let mut ids: Vec<_> = all.into_iter().map(|k| (k.symbol, k.id)).collect();
            ids.sort();
            ids
        };
        let both = ids(&["_Z1kf", "_Z1ki"], &[]);
        assert_eq!(both, ids(&["_Z1ki", "_Z1kf"], &[]));
        assert_eq!([&*both[0].1, &*both[1].1], ["k", "k_2"]);
        let kept = ids(&["_Z1kf", "_Z1ki"], &[("k", "_Z1ki")]);
        assert_eq!([&*kept[0].1, &*kept[1].1], ["k_2", "k"], "an id once given stays");
    }
    #[test]
    fn a_name_of_the_catalogue_is_given_to_the_only_one_that_has_it() {
        let mut kernels = Catalogue::new("kernel");
        for id in ["k", "k_3"] {
            kernels.insert(Kernel::from_measurements(id, "")).unwrap();
        }
        let join = |symbols: &[&str], taken: &TakenNames| {
            let all: Vec<_> = symbols.iter().map(|s| (*s, "sm_89", 8)).collect();
            let (all, remarks) = join(&[log("l", &all)], taken);
            (all.into_iter().map(|k| k.id).collect::<Vec<_>>(), remarks)
        };
        let mut taken = TakenNames::taken_ids(&kernels);
        assert_eq!(join(&["_Z1kf"], &taken), (vec!["k".to_string()], vec![]));
        let (ids, remarks) = join(&["_Z1kd", "_Z1kf"], &taken);
        assert_eq!(ids, ["k_2", "k_4"], "k_3 is the catalogue's, too");
        assert!(
            remarks[0].contains("the catalogue's k is") && remarks[0].contains("k_4 is `_Z1kf`"),
            "{remarks:?}"
        );
        taken.add_taken("k_2", "_Z1kd");
        let (ids, remarks) = join(&["_Z1kf"], &taken);
        assert_eq!((ids[0].as_str(), remarks.len()), ("k_4", 1), "another one was not, either");
        let mut taken = TakenNames::taken_ids(&kernels);
        taken.add_taken("k", "_Z1kd");
        assert_eq!(join(&["_Z1kd", "_Z1kf"], &taken), (vec!["k".into(), "k_2".into()], vec![]));
    }
}
