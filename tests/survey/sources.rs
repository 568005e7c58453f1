//! A source file as the tests of the house read it: tokens, which of them are tests, and the paths it names.
//! Only the standard library, so that the table of measures builds in seconds.

use super::tokens::{Token, is_ident, test_items, tokenize};
use std::fs;
use std::path::{Path, PathBuf};

/// Where the sources of the two crates lie: the engine's and the program's.
const FOLDERS: [&str; 2] = ["src", "app/src"];

/// One file, cut into tokens.
pub struct SourceFile<'a> {
    /// From the repository's root: `src/gpu/mod.rs`, `app/src/tui/mod.rs`.
    pub path: &'a str,
    /// Folders and file below the crate's `src/`, without `.rs`: `["gpu", "mod"]`.
    pub parts: Vec<&'a str>,
    /// Code only: no comments, no literals.
    pub tokens: Vec<Token<'a>>,
    /// For each token, whether it belongs to an item under `#[cfg(test)]`.
    pub in_test: Vec<bool>,
    /// Lines of the file.
    pub line_count: usize,
}

impl<'a> SourceFile<'a> {
    /// Cuts `text` into tokens.
    pub fn new(path: &'a str, text: &'a str) -> Self {
        let below =
            FOLDERS.iter().find_map(|folder| path.strip_prefix(folder)?.strip_prefix('/')).unwrap_or(path);
        let parts: Vec<&str> = below.strip_suffix(".rs").unwrap_or(below).split('/').collect();
        let tokens = tokenize(text);
        let mut in_test = test_items(&tokens);
        if parts.contains(&"tests") {
            in_test.fill(true); // `#[cfg(test)] mod tests;` stands in the parent
        }
        Self { path, parts, tokens, in_test, line_count: text.lines().count() }
    }

    /// The token at this place; empty after the last.
    pub fn text(&self, i: usize) -> &'a str {
        self.tokens.get(i).map_or("", |t| t.text)
    }

    /// `(line, path from the crate's root)` of every path that starts at `crate`, `super` or `self`; the path is empty
    /// where the crate itself is imported (`use crate::*`).
    pub fn paths_named(&self) -> Vec<Leaf<'a>> {
        let file_module: Vec<&str> = self.parts.iter().copied().filter(|part| *part != "mod").collect();
        let mut inline_modules: Vec<(&str, usize)> = Vec::new(); // name, depth of braces around it
        let mut depth = 0;
        let mut leaves: Vec<Leaf> = Vec::new();
        let mut i = 0;
        while i < self.tokens.len() {
            match self.text(i) {
                "{" => {
                    if i >= 2 && self.text(i - 2) == "mod" {
                        inline_modules.push((self.text(i - 1), depth));
                    }
                    depth += 1;
                }
                "}" => {
                    depth = depth.saturating_sub(1);
                    inline_modules.retain(|(_, around)| *around < depth);
                }
                "crate" | "super" | "self" if self.starts_path(i) => {
                    let module =
                        file_module.iter().copied().chain(inline_modules.iter().map(|(name, _)| *name));
                    let start = Leaf { path: module.collect(), line: self.tokens[i].line, token: i };
                    i = self.walk_path(i, start, &mut leaves);
                    continue;
                }
                _ => {}
            }
            i += 1;
        }
        leaves
    }

    /// Every path outside tests that starts at a module which this file declares: `file::read`, as seen from the file.
    pub fn child_paths(&self) -> Vec<Leaf<'a>> {
        let declares = |i: &usize| self.text(*i) == "mod" && self.text(i + 2) == ";";
        let children: Vec<&str> = (0..self.tokens.len()).filter(declares).map(|i| self.text(i + 1)).collect();
        let mut leaves = Vec::new();
        for i in 0..self.tokens.len() {
            let is_start = children.contains(&self.text(i)) && self.text(i + 1) == "::";
            if !is_start || self.in_test[i] || (i > 0 && self.text(i - 1) == "::") {
                continue;
            }
            let start = Leaf { path: Vec::new(), line: self.tokens[i].line, token: i };
            self.walk_path(i, start, &mut leaves);
        }
        leaves
    }

    /// Tells `crate::a` and `use crate as c` from `pub(crate)` and from a value called `self`.
    fn starts_path(&self, i: usize) -> bool {
        (i == 0 || self.text(i - 1) != "::")
            && (self.text(i + 1) == "::" || (self.text(i) != "self" && self.text(i + 1) == "as"))
    }

    /// Follows the path at token `i`, groups included, and returns the token after it.
    fn walk_path(&self, mut i: usize, mut at: Leaf<'a>, leaves: &mut Vec<Leaf<'a>>) -> usize {
        loop {
            match self.text(i) {
                "crate" => at.path.clear(),
                "super" => drop(at.path.pop()),
                "self" | "*" => {}
                "{" => {
                    i += 1;
                    while !matches!(self.text(i), "}" | "") {
                        i = if self.text(i) == "," { i + 1 } else { self.walk_path(i, at.clone(), leaves) };
                    }
                    return i + 1;
                }
                name if name.starts_with(is_ident) => {
                    if at.path.is_empty() {
                        at.line = self.tokens[i].line;
                    }
                    at.path.push(name.strip_prefix("r#").unwrap_or(name));
                }
                _ => {
                    leaves.push(at);
                    return i + 1;
                }
            }
            if self.text(i + 1) != "::" {
                leaves.push(at);
                // `as other_name` belongs to this leaf.
                return if self.text(i + 1) == "as" { i + 3 } else { i + 1 };
            }
            i += 2;
        }
    }
}

/// A resolved path, from the crate's root, and where its first name stands.
#[derive(Clone)]
pub struct Leaf<'a> {
    /// Modules and items, the crate itself left out.
    pub path: Vec<&'a str>,
    /// Line of its first name.
    pub line: usize,
    /// The token at which the whole path starts; the same for all leaves of one `use`.
    pub token: usize,
}

impl Leaf<'_> {
    /// The token at which it starts, and its path below this module.
    pub fn below(&self, module: &[String]) -> (usize, Vec<String>) {
        let own = self.path.iter().map(|p| (*p).to_owned());
        (self.token, module.iter().cloned().chain(own).collect())
    }
}

/// The root of the repository: cargo's word, else the folder the program runs in.
pub fn repository() -> PathBuf {
    PathBuf::from(option_env!("ROOFSWAP_CHECKOUT").unwrap_or("."))
}

/// `(path from the root, text)` of every Rust file of the two crates.
pub fn rust_files(root: &Path) -> Vec<(String, String)> {
    FOLDERS.iter().flat_map(|folder| files_below(root, &root.join(folder))).collect()
}

/// `(path from the root, text)` of every Rust file below `folder`.
fn files_below(root: &Path, folder: &Path) -> Vec<(String, String)> {
    let mut files = Vec::new();
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("cannot list {}: {e}", folder.display()));
    for entry in entries {
        let path = entry.expect("a folder's entries can be listed").path();
        if path.is_dir() {
            files.extend(files_below(root, &path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            let text =
                fs::read_to_string(&path).unwrap_or_else(|e| panic!("cannot read {}: {e}", path.display()));
            let below = path.strip_prefix(root).expect("listed below the root");
            files.push((below.to_string_lossy().replace('\\', "/"), text));
        }
    }
    files.sort();
    files
}
