//! Circles: files of one room that need each other, directly or around corners.
//!
//! A file needs another when a `use` line outside tests names a path into its module. What a module hands on with
//! `pub use` is not its need; who takes it from there needs the module that hands it on.

use super::functions::is_public;
use super::sources::SourceFile;
use std::collections::{BTreeMap, BTreeSet};

/// One circle: the room and the files in it, by path below the room.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Circle {
    /// The room.
    pub room: String,
    /// Modules, such as `tui::panes::models`, sorted.
    pub members: Vec<String>,
}

/// Every circle inside a room, the largest first.
pub fn circles_in(files: &[SourceFile]) -> Vec<Circle> {
    let house = House::new(files);
    let mut circles: Vec<Circle> = house.circles().into_iter().map(|c| house.circle(c)).collect();
    circles.sort_by_key(|c| (std::cmp::Reverse(c.members.len()), c.room.clone(), c.members.clone()));
    circles
}

/// The modules of the crate and who needs whom.
struct House {
    /// Path of each module, by number.
    modules: Vec<Vec<String>>,
    /// For each module, those of the same room that it needs.
    needs: Vec<BTreeSet<usize>>,
}

impl House {
    fn new(files: &[SourceFile]) -> Self {
        let kept: Vec<&SourceFile> =
            files.iter().filter(|f| !f.in_test.iter().all(|t| *t) || f.tokens.is_empty()).collect();
        let modules: Vec<Vec<String>> = kept.iter().map(|f| module_of(f)).collect();
        let numbers: BTreeMap<&[String], usize> =
            modules.iter().enumerate().map(|(i, m)| (m.as_slice(), i)).collect();
        let named: Vec<Vec<Vec<String>>> = kept.iter().map(|f| paths_of(f)).collect();
        let mut needs = vec![BTreeSet::new(); modules.len()];
        for (i, named) in named.iter().enumerate() {
            for path in named {
                let Some(j) = owner(path, &numbers) else { continue };
                if j != i && modules[i].first() == modules[j].first() {
                    needs[i].insert(j);
                }
            }
        }
        Self { modules, needs }
    }

    /// Groups of modules that reach each other, by number.
    fn circles(&self) -> Vec<BTreeSet<usize>> {
        let reach: Vec<BTreeSet<usize>> = (0..self.modules.len()).map(|i| self.reached_from(i)).collect();
        let group = |i: usize| -> BTreeSet<usize> {
            reach[i].iter().copied().filter(|j| reach[*j].contains(&i)).collect()
        };
        let groups: BTreeSet<BTreeSet<usize>> = (0..self.modules.len()).map(group).collect();
        groups.into_iter().filter(|g| g.len() > 1).collect()
    }

    fn reached_from(&self, start: usize) -> BTreeSet<usize> {
        let mut reached = BTreeSet::new();
        let mut open = vec![start];
        while let Some(i) = open.pop() {
            open.extend(self.needs[i].iter().filter(|j| reached.insert(**j)));
        }
        reached
    }

    fn circle(&self, numbers: BTreeSet<usize>) -> Circle {
        let mut members: Vec<String> = numbers.into_iter().map(|i| self.modules[i].join("::")).collect();
        members.sort();
        let room = members[0].split("::").next().unwrap_or_default().to_owned();
        Circle { room, members }
    }
}

/// `src/gpu/mod.rs` is `gpu`, `src/gpu/file.rs` is `gpu::file`.
fn module_of(file: &SourceFile) -> Vec<String> {
    file.parts.iter().filter(|p| **p != "mod").map(|p| (*p).to_owned()).collect()
}

/// Every path that the `use` lines of a file name outside tests; what it hands on (`pub use`) is left out.
fn paths_of(file: &SourceFile) -> Vec<Vec<String>> {
    let module = module_of(file);
    let own = file.child_paths().into_iter().map(|leaf| leaf.below(&module));
    let others = file.paths_named().into_iter().map(|leaf| leaf.below(&[]));
    let is_need = |(token, _): &(usize, Vec<String>)| !file.in_test[*token] && is_used(file, *token);
    own.chain(others).filter(is_need).map(|(_, path)| path).collect()
}

/// Whether the path at this token stands in a `use` that is not public.
fn is_used(file: &SourceFile, token: usize) -> bool {
    token > 0 && file.text(token - 1) == "use" && !is_public(file, token - 1)
}

/// The module that a path leads to: the longest part of it that is one.
fn owner(path: &[String], numbers: &BTreeMap<&[String], usize>) -> Option<usize> {
    (1..=path.len()).rev().find_map(|n| numbers.get(&path[..n]).copied())
}
