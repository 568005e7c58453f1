//! One kernel out of many reports: several architectures, several files, one id.

use super::{CompiledKernel, CompilerReport, names, quoted};
use crate::catalogue::{Origin, Sourced, same_spelling};
use crate::kernel::{Cc, Resources};
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
}

/// Puts together what several reports say of the same kernel; where they contradict each other the later report counts,
/// and a remark says so. `taken` are ids that belong to other kernels, by their symbol.
#[must_use]
pub fn join(reports: &[CompilerReport], taken: &HashMap<String, String>) -> (Vec<JoinedKernel>, Vec<String>) {
    let mut all: Vec<JoinedKernel> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut remarks = Vec::new();
    for (report, kernel) in reports.iter().flat_map(|r| r.kernels.iter().map(move |k| (r, k))) {
        let at = *places.entry(&kernel.symbol).or_insert_with(|| {
            let (symbol, name) = (kernel.symbol.clone(), kernel.name.clone());
            let (id, aliases, compiled) = (String::new(), Vec::new(), BTreeMap::new());
            all.push(JoinedKernel { id, name, symbol, aliases, compiled });
            all.len() - 1
        });
        remarks.extend(all[at].take(report, kernel));
    }
    name_all(&mut all, taken);
    (all, remarks)
}

impl JoinedKernel {
    /// Adds one report's numbers; says so where they contradict what was there.
    fn take(&mut self, report: &CompilerReport, kernel: &CompiledKernel) -> Option<String> {
        let cc = kernel.architecture.capability;
        let file = report.file.rsplit(['/', '\\']).next().unwrap_or(&report.file);
        let source = format!("{file} ({}, {})", report.format.word(), kernel.architecture);
        let sourced = |value: Resources, source: String| {
            // The compiler is the vendor's; its word is a document's.
            let origin = Origin::Published;
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

/// Gives every kernel an id of its own. Overloads differ in their parameters only, which are not in the name: they are
/// numbered in the order of their symbols, so that the same kernels get the same ids from any report.
fn name_all(all: &mut [JoinedKernel], taken: &HashMap<String, String>) {
    let mut used: HashSet<String> = taken.keys().map(|id| same_spelling(id)).collect();
    let own: HashMap<&str, &str> = taken.iter().map(|(id, symbol)| (symbol.as_str(), id.as_str())).collect();
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by(|a, b| all[*a].symbol.cmp(&all[*b].symbol));
    let mut next: HashMap<String, usize> = HashMap::new();
    for at in order {
        let kernel = &mut all[at];
        if let Some(id) = own.get(kernel.symbol.as_str()) {
            kernel.id = (*id).to_string();
            continue;
        }
        let base = names::id(&kernel.name);
        let number = next.entry(same_spelling(&base)).or_insert(1);
        kernel.id = loop {
            let id = if *number == 1 { base.clone() } else { format!("{base}_{number}") };
            *number += 1;
            if used.insert(same_spelling(&id)) {
                break id;
            }
        };
    }
    // A name is an alias where it is one kernel's alone.
    let mut names: HashMap<String, usize> = HashMap::new();
    for kernel in all.iter() {
        *names.entry(same_spelling(&kernel.name)).or_default() += 1;
    }
    for kernel in all {
        let spelling = same_spelling(&kernel.name);
        let alone = names[&spelling] == 1 && !used.contains(&spelling);
        let typeable = kernel.name.len() <= LONGEST_ALIAS && !spelling.is_empty();
        if alone && typeable {
            kernel.aliases.push(kernel.name.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compiler::read;

    fn log(file: &str, kernels: &[(&str, &str, u32)]) -> CompilerReport {
        let line = |(name, arch, regs): &(&str, &str, u32)| {
            format!(
                "ptxas info : Compiling entry function '{name}' for '{arch}'\nptxas info : Used {regs} registers\n"
            )
        };
        let text: String = kernels.iter().map(line).collect();
        read(text.as_bytes(), file, None).unwrap()
    }

    #[test]
    fn architectures_and_files_meet_in_one_kernel() {
        let reports =
            [log("a/x.log", &[("k", "sm_52", 8), ("k", "sm_89", 10)]), log("y.log", &[("k", "sm_89", 12)])];
        let (all, remarks) = join(&reports, &HashMap::new());
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
            let taken = taken.iter().map(|(id, s)| (id.to_string(), s.to_string())).collect();
            let (all, _) = join(&[log("l", &kernels)], &taken);
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
}
