//! The room table of ARCHITECTURE.md, enforced by reading the sources under `src/`.
//!
//! The rules live in one pure function, [`violations`], from file texts to complaints; every rule is proven on planted
//! violations at the end of this file. Comments and string literals are no code; code under `#[cfg(test)]` obeys the
//! table as well, but may call `.unwrap()` and does not count against the size of its file.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{env, fs};

// ---------------------------------------------------------------------------------------------------------------------
// The rules
// ---------------------------------------------------------------------------------------------------------------------

/// Room -> the other rooms it may use. A room may only name rooms that stand above it.
/// `src/lib.rs` and `src/main.rs` stand outside and may use everything.
#[rustfmt::skip]
const ROOMS: &[(&str, &[&str])] = &[
    ("units", &[]),
    ("catalogue", &["units"]),
    ("gpu", &["units", "catalogue"]),
    ("kernel", &["units", "catalogue"]),
    ("compiler", &["units", "catalogue", "kernel"]),
    ("occupancy", &["units", "catalogue", "gpu", "kernel"]),
    ("roofline", &["units", "catalogue", "gpu", "kernel", "occupancy"]),
    ("measurement", &["units", "catalogue", "gpu", "kernel", "occupancy", "roofline"]),
    ("device", &["units", "catalogue", "gpu", "kernel", "occupancy", "roofline", "measurement"]),
    ("audit", &["units", "catalogue", "gpu", "kernel", "compiler", "occupancy", "roofline", "measurement"]),
    ("learn", &[]),
    ("predict", &["units", "learn", "catalogue", "gpu", "kernel", "occupancy", "roofline", "measurement"]),
    ("evaluate", &["units", "learn", "catalogue", "gpu", "kernel", "occupancy", "roofline", "measurement", "predict"]),
    ("config", &["units", "catalogue"]),
    ("train", &["units", "learn", "catalogue", "gpu", "kernel", "occupancy", "roofline", "measurement", "predict", "evaluate", "config"]),
    ("chart", &["units", "learn", "catalogue", "gpu", "kernel", "occupancy", "roofline", "measurement", "predict", "evaluate", "train",]),
    ("report", &["units", "learn", "catalogue", "gpu", "kernel", "compiler", "occupancy", "roofline", "measurement", "audit", "predict", "evaluate", "train", "chart"]),
    ("session", &["units", "learn", "catalogue", "gpu", "kernel", "compiler", "occupancy", "roofline", "measurement", "device", "audit", "predict", "evaluate", "train", "chart", "report", "config"]),
    ("cli", &["units", "learn", "catalogue", "gpu", "kernel", "compiler", "occupancy", "roofline", "measurement", "device", "audit", "predict", "evaluate", "train", "chart", "report", "config", "session"]),
    ("tui", &["units", "learn", "catalogue", "gpu", "kernel", "compiler", "occupancy", "roofline", "measurement", "device", "audit", "predict", "evaluate", "train", "chart", "report", "config", "session"]),
];

/// Crates that only some places may name. A place that ends in `/` is a folder.
const CRATES: &[(&[&str], &[&str])] = &[
    (&["ratatui", "crossterm", "tui_input"], &["src/tui/"]),
    (&["clap", "clap_complete", "clap_mangen"], &["src/cli/", "src/main.rs"]),
    (&["anyhow"], &["src/cli/", "src/main.rs"]),
    (&["cpp_demangle"], &["src/compiler/names.rs"]),
    (&["cudarc", "nvml_wrapper", "libloading"], &["src/device/real/"]),
    (&["unsafe", "unsafe_code"], &["src/device/real/cuda.rs", "src/device/real/nvrtc.rs"]),
    (&["plotters", "plotters_svg", "plotters_backend"], &["src/chart/svg.rs"]),
];

const PRINT_MACROS: &[&str] = &["print", "println", "eprint", "eprintln"];
const PRINT_PLACES: &[&str] = &["src/cli/", "src/main.rs"];
/// The dashboard draws on the terminal's own stream, in one file.
const STREAMS: &[&str] = &["stdout", "stderr"];
const STREAM_PLACES: &[&str] = &["src/cli/", "src/main.rs", "src/tui/terminal.rs"];

/// Names that say nothing about what is inside.
const NAMELESS: &[&str] = &["utils", "util", "common", "helpers", "helper", "prelude", "misc"];

const MAX_LINES: usize = 500;

/// Every breach of the rules in these `(path from the repository root, text)` files, one message each.
fn violations(files: &[(String, String)]) -> Vec<String> {
    files.iter().flat_map(|(path, text)| SourceFile::new(path, text).violations()).collect()
}

/// One file, cut into tokens.
struct SourceFile<'a> {
    path: &'a str,
    /// Folders and file below `src/`, without `.rs`: `["gpu", "mod"]`.
    parts: Vec<&'a str>,
    tokens: Vec<Token<'a>>,
    /// For each token, whether it belongs to an item under `#[cfg(test)]`.
    in_test: Vec<bool>,
    line_count: usize,
}

impl<'a> SourceFile<'a> {
    fn new(path: &'a str, text: &'a str) -> Self {
        let below = path.strip_prefix("src/").unwrap_or(path);
        let parts: Vec<&str> = below.strip_suffix(".rs").unwrap_or(below).split('/').collect();
        let tokens = tokenize(text);
        let mut in_test = test_items(&tokens);
        if parts.contains(&"tests") {
            in_test.fill(true); // `#[cfg(test)] mod tests;` stands in the parent
        }
        Self { path, parts, tokens, in_test, line_count: text.lines().count() }
    }

    fn violations(&self) -> Vec<String> {
        let mut found = BTreeSet::new();
        self.check_names(&mut found);
        if !matches!(self.parts[..], ["lib" | "main"]) {
            self.check_rooms(&mut found);
        }
        self.check_crates(&mut found);
        self.check_printing(&mut found);
        self.check_unwrap(&mut found);
        self.check_size(&mut found);
        found.into_iter().map(|(line, what)| format!("{}:{line}: {what}", self.path)).collect()
    }

    /// Rule 1: a room uses only the rooms of its row.
    fn check_rooms(&self, found: &mut BTreeSet<(usize, String)>) {
        let room = self.parts[0];
        let Some((_, allowed)) = ROOMS.iter().find(|(name, _)| *name == room) else {
            found.insert((
                1,
                format!("`{room}` is no room: add its row to ARCHITECTURE.md and tests/architecture.rs"),
            ));
            return;
        };
        let may = if allowed.is_empty() { "no other room".to_owned() } else { allowed.join(", ") };
        for (line, used) in self.rooms_used() {
            match used {
                Some(used) if used == room || allowed.contains(&used) => {}
                Some(used) if ROOMS.iter().any(|(name, _)| *name == used) => {
                    found.insert((line, format!("`{room}` uses `crate::{used}`, but may use: {may}")));
                }
                Some(used) => {
                    found.insert((
                        line,
                        format!("`crate::{used}` is no room; name the room it lives in, one of: {may}"),
                    ));
                }
                None => {
                    found.insert((line, format!("the whole crate is imported; name a room, one of: {may}")));
                }
            }
        }
    }

    /// Rule 2a: some crates are named in one place only.
    fn check_crates(&self, found: &mut BTreeSet<(usize, String)>) {
        for (names, places) in CRATES {
            for token in self.tokens.iter().filter(|t| names.contains(&t.text)) {
                self.only_in(places, token.line, &format!("`{}` is named", token.text), found);
            }
        }
    }

    /// Rule 2b: libraries return bytes and text; only the command line prints.
    fn check_printing(&self, found: &mut BTreeSet<(usize, String)>) {
        for (i, token) in self.tokens.iter().enumerate() {
            if PRINT_MACROS.contains(&token.text) && self.text(i + 1) == "!" {
                self.only_in(PRINT_PLACES, token.line, &format!("`{}!` prints", token.text), found);
            }
            // `output.stdout` is a field of somebody else's value, not our stream.
            if STREAMS.contains(&token.text) && (i == 0 || self.text(i - 1) != ".") {
                self.only_in(STREAM_PLACES, token.line, &format!("`{}` is used", token.text), found);
            }
        }
    }

    fn only_in(&self, places: &[&str], line: usize, what: &str, found: &mut BTreeSet<(usize, String)>) {
        let is_here = |place: &&str| {
            if place.ends_with('/') { self.path.starts_with(*place) } else { self.path == *place }
        };
        if !places.iter().any(is_here) {
            found.insert((line, format!("{what}; allowed only in: {}", places.join(", "))));
        }
    }

    /// Rule 3: a module's name says what it owns.
    fn check_names(&self, found: &mut BTreeSet<(usize, String)>) {
        let declared = self
            .tokens
            .windows(2)
            .filter(|pair| pair[0].text == "mod")
            .map(|pair| (pair[1].line, pair[1].text));
        for (line, name) in self.parts.iter().map(|part| (1, *part)).chain(declared) {
            if NAMELESS.contains(&name) {
                found.insert((
                    line,
                    format!("`{name}` says nothing; allowed: a name for what the module owns"),
                ));
            }
        }
    }

    /// Rule 4: no `.unwrap()` outside tests.
    fn check_unwrap(&self, found: &mut BTreeSet<(usize, String)>) {
        for i in 1..self.tokens.len() {
            if self.text(i) == "unwrap" && matches!(self.text(i - 1), "." | "::") && !self.in_test[i] {
                let what = "`unwrap` outside tests; allowed: `?`, a default, or an `expect` that states the invariant";
                found.insert((self.tokens[i].line, what.to_owned()));
            }
        }
    }

    /// Rule 5: a file that needs a scroll bar is two files.
    fn check_size(&self, found: &mut BTreeSet<(usize, String)>) {
        if self.parts.contains(&"tests") {
            return;
        }
        let mut test_lines = 0;
        let mut start = None;
        for (i, token) in self.tokens.iter().enumerate() {
            match (start, self.in_test[i]) {
                (None, true) => start = Some(token.line),
                (Some(first), false) => {
                    test_lines += self.tokens[i - 1].line - first + 1;
                    start = None;
                }
                _ => {}
            }
        }
        if let Some(first) = start {
            test_lines += self.line_count + 1 - first;
        }
        let lines = self.line_count - test_lines.min(self.line_count);
        if lines > MAX_LINES {
            found.insert((1, format!("{lines} lines of non-test code; allowed: {MAX_LINES}")));
        }
    }

    fn text(&self, i: usize) -> &'a str {
        self.tokens.get(i).map_or("", |t| t.text)
    }

    /// `(line, room)` of every path that starts at `crate`, `super` or `self` and leaves the file's own room;
    /// `None` where the crate itself is imported (`use crate::*`).
    fn rooms_used(&self) -> Vec<(usize, Option<&'a str>)> {
        let file_module: Vec<&str> = self.parts.iter().copied().filter(|part| *part != "mod").collect();
        let mut inline_modules: Vec<(&str, usize)> = Vec::new(); // name, depth of braces around it
        let mut depth = 0;
        let mut leaves = Vec::new();
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
                    i = self.walk_path(
                        i,
                        Leaf { path: module.collect(), line: self.tokens[i].line },
                        &mut leaves,
                    );
                    continue;
                }
                _ => {}
            }
            i += 1;
        }
        leaves.into_iter().map(|leaf| (leaf.line, leaf.path.first().copied())).collect()
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
struct Leaf<'a> {
    path: Vec<&'a str>,
    line: usize,
}

/// Marks the tokens of every item under `#[cfg(test)]`, the attribute included.
fn test_items(tokens: &[Token]) -> Vec<bool> {
    const WHOLE_FILE: [&str; 8] = ["#", "!", "[", "cfg", "(", "test", ")", "]"];
    const ITEM: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
    let starts = |i: usize, wanted: &[&str]| {
        tokens.len() >= i + wanted.len() && tokens[i..].iter().zip(wanted).all(|(t, w)| t.text == *w)
    };
    let mut marked = vec![false; tokens.len()];
    let mut i = 0;
    while i < tokens.len() {
        if starts(i, &WHOLE_FILE) {
            marked.fill(true);
            return marked;
        }
        if !starts(i, &ITEM) {
            i += 1;
            continue;
        }
        let end = item_end(tokens, i + ITEM.len());
        marked[i..end].fill(true);
        i = end;
    }
    marked
}

/// The token after an item: past its `;`, or past the brace that closes its body.
fn item_end(tokens: &[Token], start: usize) -> usize {
    let mut depth = 0_usize;
    for (i, token) in tokens.iter().enumerate().skip(start) {
        match token.text {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => {
                depth = depth.saturating_sub(1);
                if depth == 0 && token.text == "}" {
                    return i + 1;
                }
            }
            ";" if depth == 0 => return i + 1,
            _ => {}
        }
    }
    tokens.len()
}

// ---------------------------------------------------------------------------------------------------------------------
// A lexer, just good enough: what is a comment, what is a literal, what is code
// ---------------------------------------------------------------------------------------------------------------------

/// An identifier, a number, `::`, or any other single character of code. Comments and literals leave no token.
#[derive(Clone, Copy)]
struct Token<'a> {
    text: &'a str,
    line: usize,
}

fn tokenize(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let (mut at, mut line) = (0, 1);
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let (length, is_code) = if let Some(length) = comment(rest).or_else(|| literal(rest)) {
            (length, false)
        } else if rest.starts_with("::") {
            (2, true)
        } else if is_ident(first) {
            let raw = if rest.starts_with("r#") { 2 } else { 0 };
            (raw + rest[raw..].find(|c| !is_ident(c)).unwrap_or(rest.len() - raw), true)
        } else {
            (first.len_utf8(), !first.is_whitespace())
        };
        if is_code {
            tokens.push(Token { text: &rest[..length], line });
        }
        line += rest[..length].matches('\n').count();
        at += length;
    }
    tokens
}

fn is_ident(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Length of the comment at the start of `rest`; block comments nest.
fn comment(rest: &str) -> Option<usize> {
    if rest.starts_with("//") {
        return Some(rest.find('\n').unwrap_or(rest.len()));
    }
    if !rest.starts_with("/*") {
        return None;
    }
    let (mut depth, mut i) = (0, 0);
    while i < rest.len() {
        let pair = rest.as_bytes().get(i..i + 2);
        match pair {
            Some(b"/*") => (depth, i) = (depth + 1, i + 2),
            Some(b"*/") => (depth, i) = (depth - 1, i + 2),
            _ => i += 1,
        }
        if depth == 0 {
            return Some(i);
        }
    }
    Some(rest.len())
}

/// Length of the string or character literal at the start of `rest`, with its prefix (`b`, `c`, `r`, `br`, `cr`).
fn literal(rest: &str) -> Option<usize> {
    let prefix = ["br", "cr", "b", "c", "r", ""].into_iter().find(|p| {
        let after = rest.strip_prefix(p).unwrap_or("");
        let raw_string = p.ends_with('r') && after.trim_start_matches('#').starts_with('"');
        raw_string || (!p.ends_with('r') && after.starts_with(['"', '\'']))
    })?;
    let body = &rest[prefix.len()..];
    if prefix.ends_with('r') {
        let hashes = body.len() - body.trim_start_matches('#').len();
        let close = format!("\"{}", "#".repeat(hashes));
        let end = body[hashes + 1..].find(&close).map_or(body.len(), |i| hashes + 1 + i + close.len());
        return Some(prefix.len() + end);
    }
    let quote = if body.starts_with('"') { '"' } else { '\'' };
    if quote == '\'' && !is_char_literal(body) {
        return if prefix.is_empty() { Some(1) } else { None }; // a lifetime: its name is a harmless token
    }
    let mut escaped = false;
    for (i, c) in body.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return Some(prefix.len() + i + 1),
            _ => {}
        }
    }
    Some(rest.len())
}

/// Tells `'a'` and `'\n'` from the lifetime `'a`.
fn is_char_literal(body: &str) -> bool {
    let mut chars = body.chars().skip(1);
    match chars.next() {
        Some('\\') => true,
        Some(_) => chars.next() == Some('\''),
        None => false,
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// The sources obey
// ---------------------------------------------------------------------------------------------------------------------

fn repository() -> PathBuf {
    PathBuf::from(env::var("CARGO_MANIFEST_DIR").unwrap_or_else(|_| ".".to_owned()))
}

/// `(path from the root, text)` of every Rust file below `folder`.
fn rust_files(root: &Path, folder: &Path) -> Vec<(String, String)> {
    let mut files = Vec::new();
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("cannot list {}: {e}", folder.display()));
    for entry in entries {
        let path = entry.expect("a folder's entries can be listed").path();
        if path.is_dir() {
            files.extend(rust_files(root, &path));
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

#[test]
fn the_sources_keep_to_their_rooms() {
    let root = repository();
    let files = rust_files(&root, &root.join("src"));
    assert!(
        files.iter().any(|(path, _)| path == "src/lib.rs"),
        "src/lib.rs was not found: nothing was checked"
    );
    let found = violations(&files);
    assert!(found.is_empty(), "{} breach(es) of ARCHITECTURE.md:\n{}", found.len(), found.join("\n"));
}

#[test]
fn a_room_uses_only_rooms_above_it() {
    for (i, (room, allowed)) in ROOMS.iter().enumerate() {
        for used in *allowed {
            assert!(
                ROOMS[..i].iter().any(|(above, _)| above == used),
                "`{room}` may use `{used}`, which is not above it"
            );
        }
    }
}

#[test]
fn architecture_md_shows_the_same_rooms() {
    let page = fs::read_to_string(repository().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md can be read");
    let shown: Vec<&str> = page.lines().filter_map(|l| l.strip_prefix("| `")?.split('`').next()).collect();
    let shown: Vec<&str> = shown.into_iter().map(|room| room.trim_end_matches('/')).collect();
    let rooms: Vec<&str> = ROOMS.iter().map(|(room, _)| *room).collect();
    assert_eq!(shown, rooms, "the table of ARCHITECTURE.md (left) and ROOMS (right)");
}

// ---------------------------------------------------------------------------------------------------------------------
// The rules catch what they should, and nothing else
// ---------------------------------------------------------------------------------------------------------------------

fn check(path: &str, text: &str) -> Vec<String> {
    violations(&[(path.to_owned(), text.to_owned())])
}

#[track_caller]
fn assert_caught(path: &str, text: &str, message: &str) {
    let found = check(path, text);
    assert!(
        found.len() == 1 && found[0].contains(message),
        "wanted one message with {message:?}, got {found:#?}"
    );
}

#[track_caller]
fn assert_quiet(path: &str, text: &str) {
    assert_eq!(check(path, text), Vec::<String>::new());
}

#[test]
fn a_legal_file_is_left_alone() {
    let text = r##"
        //! Never `crate::tui`, says this comment; and println!("x").
        use crate::{gpu::{Gpu, limits}, kernel::Kernel, units};
        use super::occupancy::Occupancy;
        /* use crate::predict; /* nested */ ratatui */
        pub(crate) struct Roofline<'a>(&'a Gpu);
        impl Roofline<'_> {
            pub(super) fn name(self) -> &'static str { let _ = ('"', '\'', b'"'); "crate::tui .unwrap() \" println!" }
            fn raw() -> &'static str { r#"use crate::cli; "quoted" "# }
            fn ran(output: &std::process::Output) -> usize { output.stdout.len() + self::raw::LEN }
        }
        #[cfg(test)]
        mod tests {
            use super::*;
            #[test]
            fn works() { Some(1).unwrap(); }
        }
    "##;
    assert_quiet("src/roofline/mod.rs", text);
    assert_quiet("src/lib.rs", "pub mod tui; use crate::tui::run; use crate::units;");
    assert_quiet("src/main.rs", "use anyhow::Result; fn main() { eprintln!(\"{:?}\", clap::command!()); }");
    assert_quiet("src/cli/gpus.rs", "use std::io::stdout; use clap::Args; use crate::session::Session;");
    assert_quiet("src/tui/terminal.rs", "use ratatui::Frame; fn f() { std::io::stdout(); }");
    assert_quiet("src/chart/svg.rs", "use plotters::prelude::*; use super::roofline::draw;");
}

#[test]
fn a_room_below_is_caught() {
    let message = "src/gpu/file.rs:2: `gpu` uses `crate::kernel`, but may use: units";
    assert_caught("src/gpu/file.rs", "use crate::units;\nuse crate::kernel::Kernel;", message);
    assert_caught("src/gpu/file.rs", "use crate::{\nkernel::{self, Kernel}, units};", message);
    assert_caught("src/gpu/file.rs", "\nfn f() -> crate::kernel::Kernel { todo() }", message);
    assert_caught("src/gpu/file.rs", "\npub(in crate::kernel) fn f() {}", message);
    assert_caught("src/units.rs", "use crate::gpu;", "`units` uses `crate::gpu`, but may use: no other room");
    assert_caught("src/chart/mod.rs", "use crate::report;", "`chart` uses `crate::report`");
    assert_caught("src/config/mod.rs", "use crate::gpu;", "`config` uses `crate::gpu`, but may use: units");
    assert_caught("src/session.rs", "use crate::cli;", "`session` uses `crate::cli`");
    assert_caught("src/cli/mod.rs", "use crate::tui;", "`cli` uses `crate::tui`");
    assert_caught("src/tui/mod.rs", "use crate::cli;", "`tui` uses `crate::cli`");
    assert_caught(
        "src/gpu/mod.rs",
        "#[cfg(test)]\nmod tests { use crate::predict::Model; }",
        ":2: `gpu` uses `crate::predict`",
    );
}

#[test]
fn a_detour_to_a_room_below_is_caught() {
    let message = "`gpu` uses `crate::kernel`";
    assert_caught("src/gpu/mod.rs", "use super::kernel::Kernel;", message);
    assert_caught("src/gpu/file.rs", "use super::super::kernel;", message);
    assert_caught("src/gpu/file.rs", "use super::{limits, super::kernel};", message);
    assert_caught("src/gpu/file.rs", "use self::super::super::kernel;", message);
    assert_caught("src/gpu/mod.rs", "mod inner { mod x {} use super::super::kernel; }", message);
    assert_caught("src/gpu/mod.rs", "macro_rules! m { () => { $crate::kernel::f() } }", message);
    assert_caught("src/gpu/mod.rs", "use crate::r#kernel;", message);
    assert_caught("src/gpu/mod.rs", "use crate::*;", "the whole crate is imported");
    assert_caught("src/gpu/mod.rs", "use crate::{self as root};", "the whole crate is imported");
    assert_caught("src/gpu/mod.rs", "use crate as root;", "the whole crate is imported");
    assert_caught("src/gpu/mod.rs", "use crate::Kernel;", "`crate::Kernel` is no room");
    assert_quiet("src/gpu/mod.rs", "mod inner { use super::kernel; } mod kernel {}");
}

#[test]
fn an_unknown_room_is_caught() {
    assert_caught("src/physics/mod.rs", "", "`physics` is no room");
    assert_caught("src/bin/extra.rs", "fn main() {}", "`bin` is no room");
}

#[test]
fn a_crate_outside_its_place_is_caught() {
    let ratatui = "src/config/theme.rs:2: `ratatui` is named; allowed only in: src/tui/";
    assert_caught("src/config/theme.rs", "\nuse ratatui::style::Color;", ratatui);
    assert_caught("src/config/keymap.rs", "fn f(k: crossterm::event::KeyCode) {}", "`crossterm` is named");
    assert_caught(
        "src/tui/mod.rs",
        "use clap::Parser;",
        "`clap` is named; allowed only in: src/cli/, src/main.rs",
    );
    assert_caught(
        "src/chart/mod.rs",
        "use plotters::prelude::*;",
        "`plotters` is named; allowed only in: src/chart/svg.rs",
    );
    assert_caught("src/gpu/file.rs", "fn f() -> anyhow::Result<()> { Ok(()) }", "`anyhow` is named");
}

#[test]
fn printing_outside_the_command_line_is_caught() {
    for name in PRINT_MACROS {
        assert_caught(
            "src/predict/mod.rs",
            &format!("fn f() {{ {name}!(\"x\") }}"),
            &format!("`{name}!` prints"),
        );
    }
    assert_caught(
        "src/report/mod.rs",
        "use std::io::{self, stdout};",
        "`stdout` is used; allowed only in: src/cli/",
    );
    assert_caught("src/tui/view.rs", "fn f() { std::io::stdout(); }", "`stdout` is used");
    assert_caught(
        "src/tui/mod.rs",
        "fn f() { println!(); }",
        "`println!` prints; allowed only in: src/cli/, src/main.rs",
    );
}

#[test]
fn a_nameless_module_is_caught() {
    assert_caught("src/gpu/helpers.rs", "", "`helpers` says nothing");
    assert_caught("src/lib.rs", "pub mod units;\nmod prelude { }", "src/lib.rs:2: `prelude` says nothing");
    assert_eq!(check("src/utils/mod.rs", "").len(), 2, "nameless, and no room");
    assert_eq!(check("src/common.rs", "").len(), 2, "nameless, and no room");
}

#[test]
fn unwrap_outside_tests_is_caught() {
    assert_caught(
        "src/units.rs",
        "\n\nfn f() { Some(1)\n.unwrap(); }",
        "src/units.rs:4: `unwrap` outside tests",
    );
    assert_caught("src/units.rs", "fn f() { [Some(1)].map(Option::unwrap); }", "`unwrap` outside tests");
    let after = "#[cfg(test)]\nuse std::{a, b};\nfn f() { Some(1).unwrap(); }";
    assert_caught("src/units.rs", after, "src/units.rs:3: `unwrap` outside tests");
    assert_quiet("src/units.rs", "fn f() { Some(1).unwrap_or(2); Some(1).expect(\"just made\"); }");
    assert_quiet("src/gpu/tests.rs", "fn f() { Some(1).unwrap(); }");
    assert_quiet("src/gpu/samples.rs", "#![cfg(test)] fn f() { Some(1).unwrap(); }");
}

#[test]
fn a_long_file_is_caught_unless_its_length_is_tests() {
    let full = "fn f() {}\n".repeat(MAX_LINES);
    assert_quiet("src/units.rs", &full);
    assert_caught(
        "src/units.rs",
        &format!("{full}fn g() {{}}\n"),
        "src/units.rs:1: 501 lines of non-test code; allowed: 500",
    );
    let tests = format!("#[cfg(test)]\nmod tests {{\n{full}}}\n");
    assert_quiet("src/units.rs", &format!("{full}{tests}"));
    assert_caught("src/units.rs", &format!("{tests}{full}fn g() {{}}\n"), "501 lines");
}
