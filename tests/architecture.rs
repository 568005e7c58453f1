//! The room table of ARCHITECTURE.md, enforced by reading the sources under `src/` and `app/src/`.
//!
//! The rules live in one pure function, [`violations`], from file texts to complaints; every rule is proven on planted
//! violations at the end of this file. Comments and string literals are no code; code under `#[cfg(test)]` obeys the
//! table as well, but may call `.unwrap()` and does not count against the size of its file.
//!
//! What the sources should not have and still have is listed in `tests/debts.txt`, which may only shrink.

mod survey;

use std::collections::BTreeSet;
use std::fs;
use survey::debts::{Found, Ledger};
use survey::measures::Measures;
use survey::sources::{SourceFile, repository, rust_files};

// ---------------------------------------------------------------------------------------------------------------------
// The rules
// ---------------------------------------------------------------------------------------------------------------------

/// Room -> the other rooms it may use. A room may only name rooms that stand above it.
/// The `lib.rs` of both crates and `app/src/main.rs` stand outside and may use everything.
#[rustfmt::skip]
const ROOMS: &[(&str, &[&str])] = &[
    ("calendar", &[]),
    ("cores", &[]),
    ("pair", &[]),
    ("progress", &[]),
    ("stats", &[]),
    ("text", &[]),
    ("columnar", &[]),
    ("units", &[]),
    ("catalogue", &["units"]),
    ("gpu", &["units", "catalogue"]),
    ("kernel", &["units", "catalogue"]),
    ("compiler", &["units", "catalogue", "kernel"]),
    ("occupancy", &["units", "catalogue", "gpu", "kernel"]),
    ("roofline", &["units", "catalogue", "gpu", "kernel", "occupancy"]),
    ("measurement", &["units", "catalogue", "gpu", "kernel", "occupancy", "roofline"]),
    ("import", &["columnar", "units", "catalogue", "gpu", "kernel", "occupancy", "roofline", "measurement"]),
    ("power", &["units", "catalogue", "gpu", "kernel", "occupancy", "roofline", "measurement"]),
    ("device", &["units", "catalogue", "gpu", "kernel", "occupancy", "roofline", "measurement"]),
    ("audit", &["units", "catalogue", "gpu", "kernel", "compiler", "occupancy", "roofline", "measurement", "import"]),
    ("learn", &[]),
    ("predict", &["units", "learn", "catalogue", "gpu", "kernel", "occupancy", "roofline", "measurement"]),
    ("answer", &["units", "catalogue", "gpu", "kernel", "occupancy", "roofline", "measurement", "power", "predict"]),
    ("evaluate", &["units", "learn", "catalogue", "gpu", "kernel", "occupancy", "roofline", "measurement", "predict", "answer"]),
    ("config", &["units", "catalogue"]),
    ("train", &["units", "learn", "catalogue", "gpu", "kernel", "occupancy", "roofline", "measurement", "predict", "answer", "evaluate", "config"]),
    ("chart", &["units", "learn", "catalogue", "gpu", "kernel", "occupancy", "roofline", "measurement", "predict", "answer", "evaluate", "train",]),
    ("report", &["columnar", "units", "learn", "catalogue", "gpu", "kernel", "compiler", "occupancy", "roofline", "measurement", "audit", "predict", "answer", "evaluate", "train", "chart"]),
    ("session", &["units", "learn", "catalogue", "gpu", "kernel", "compiler", "occupancy", "roofline", "measurement", "import", "power", "device", "audit", "predict", "answer", "evaluate", "train", "chart", "report", "config"]),
    ("gate", &["units", "catalogue", "gpu", "kernel", "compiler", "occupancy", "report"]),
    ("workload", &["units", "catalogue", "gpu", "kernel", "measurement", "predict", "session"]),
    ("rank", &["units", "catalogue", "gpu", "kernel", "roofline", "measurement", "power", "predict", "answer", "chart", "report", "session", "workload"]),
    ("application", &["units", "learn", "catalogue", "gpu", "kernel", "compiler", "occupancy", "roofline", "measurement", "import", "audit", "power", "predict", "answer", "evaluate", "chart", "report", "config", "session", "workload", "rank"]),
    ("whatif", &["units", "catalogue", "gpu", "kernel", "measurement", "config", "occupancy", "roofline", "power", "predict", "answer", "chart", "report", "session", "workload", "application"]),
    ("gemm", &["units", "learn", "catalogue", "gpu", "kernel", "compiler", "occupancy", "roofline", "measurement", "import", "power", "audit", "predict", "answer", "evaluate", "chart", "report", "config", "session"]),
    ("papers", &["units", "learn", "catalogue", "gpu", "kernel", "compiler", "occupancy", "roofline", "measurement", "import", "power", "audit", "predict", "answer", "evaluate", "train", "chart", "report", "config", "session", "gemm"]),
    ("cli", &["columnar", "units", "learn", "catalogue", "gpu", "kernel", "compiler", "occupancy", "roofline", "measurement", "import", "device", "power", "audit", "predict", "answer", "evaluate", "train", "chart", "report", "config", "session", "workload", "rank", "whatif", "gemm", "papers", "application", "gate"]),
    ("tui", &["units", "learn", "catalogue", "gpu", "kernel", "compiler", "occupancy", "roofline", "measurement", "import", "device", "power", "audit", "predict", "answer", "evaluate", "train", "chart", "report", "config", "session", "workload", "rank", "whatif", "gemm", "application"]),
];

/// Rooms that use nothing and that every room may use.
const FOR_ALL: &[&str] = &["calendar", "cores", "pair", "progress", "stats", "text"];

/// Crates that only some places may name. A place that ends in `/` is a folder.
const CRATES: &[(&[&str], &[&str])] = &[
    (&["ratatui", "crossterm", "tui_input"], &["app/src/tui/"]),
    (&["clap", "clap_complete", "clap_mangen", "terminal_size"], &["app/src/cli/", "app/src/main.rs"]),
    (&["anyhow"], &["app/src/cli/", "app/src/main.rs"]),
    // Rooms name rooms by `crate::`, wherever the two crates are cut apart.
    (&["roofswap_engine"], &["app/src/lib.rs"]),
    (&["cpp_demangle"], &["src/kernel/symbol.rs"]),
    (&["libloading"], &["src/device/real/"]),
    (
        &["unsafe", "unsafe_code"],
        &[
            "src/device/real/cuda.rs",
            "src/device/real/libcuda.rs",
            "src/device/real/nvml.rs",
            "src/device/real/nvrtc.rs",
        ],
    ),
    (&["parquet", "arrow_array", "arrow_cast", "arrow_ipc", "arrow_schema"], &["src/columnar/"]),
    (&["plotters", "plotters_svg", "plotters_backend"], &["src/chart/svg.rs"]),
];

const PRINT_MACROS: &[&str] = &["print", "println", "eprint", "eprintln"];
const PRINT_PLACES: &[&str] = &["app/src/cli/", "app/src/main.rs"];
/// The dashboard draws on the terminal's own stream, in one file.
const STREAMS: &[&str] = &["stdout", "stderr"];
const STREAM_PLACES: &[&str] = &["app/src/cli/", "app/src/main.rs", "app/src/tui/terminal.rs"];

/// Names that say nothing about what is inside.
const NAMELESS: &[&str] = &["utils", "util", "common", "helpers", "helper", "prelude", "misc"];

const MAX_LINES: usize = 500;

/// Every breach of the rules in these `(path from the repository root, text)` files, one message each.
fn violations(files: &[(String, String)]) -> Vec<String> {
    files.iter().flat_map(|(path, text)| SourceFile::new(path, text).violations()).collect()
}

impl<'a> SourceFile<'a> {
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
                Some(used) if used == room || allowed.contains(&used) || FOR_ALL.contains(&used) => {}
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

    /// `(line, room)` of every path that starts at `crate`, `super` or `self`; `None` where the crate itself is imported.
    fn rooms_used(&self) -> Vec<(usize, Option<&'a str>)> {
        self.paths_named().into_iter().map(|leaf| (leaf.line, leaf.path.first().copied())).collect()
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// The sources obey
// ---------------------------------------------------------------------------------------------------------------------

#[test]
fn the_sources_keep_to_their_rooms() {
    let root = repository();
    let files = rust_files(&root);
    for wired in ["src/lib.rs", "app/src/lib.rs"] {
        assert!(files.iter().any(|(path, _)| path == wired), "{wired} was not found: nothing was checked");
    }
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

/// The list of what may only shrink.
const DEBTS: &str = "tests/debts.txt";

/// What stands above the lists.
const DEBTS_HEAD: &str = "\
# What the sources have and should not have. Nothing may be added here; what is paid off must be taken out.
# `ROOFSWAP_SHRINK=1 cargo test --test architecture debts` takes it out. Names without folders: moving a file changes nothing.
# circles: files of one room that need each other. type names: public names declared more than once (xN: how often).
# tuple parameters: function and pattern. idle names: public functions.
";

#[test]
fn debts_only_shrink() {
    let root = repository();
    let texts = rust_files(&root);
    let files: Vec<SourceFile> = texts.iter().map(|(path, text)| SourceFile::new(path, text)).collect();
    let listed = Ledger::parse(&fs::read_to_string(root.join(DEBTS)).expect("tests/debts.txt can be read"));
    let found = Found::new(&files);
    let beyond = found.beyond(&listed);
    assert!(beyond.is_empty(), "new debts, listed nowhere; write it without:\n{}", beyond.join("\n"));
    if std::env::var_os("ROOFSWAP_SHRINK").is_some() {
        let left = listed.still_owed(&found.ledger());
        fs::write(root.join(DEBTS), left.render(DEBTS_HEAD)).expect("tests/debts.txt can be written");
        return;
    }
    let paid = listed.paid(&found.ledger());
    let advice = "paid off, and still in the list: remove it from tests/debts.txt, or let \
        `ROOFSWAP_SHRINK=1 cargo test --test architecture debts` do it";
    assert!(paid.is_empty(), "{advice}:\n{}", paid.join("\n"));
}

/// `just measures`.
#[test]
#[ignore = "prints a table; `just measures` runs it"]
fn measures() {
    let root = repository();
    println!("{}", Measures::new(&rust_files(&root)));
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
    assert_quiet(
        "app/src/main.rs",
        "use anyhow::Result; fn main() { eprintln!(\"{:?}\", clap::command!()); }",
    );
    assert_quiet("app/src/cli/gpus.rs", "use std::io::stdout; use clap::Args; use crate::session::Session;");
    assert_quiet("app/src/tui/terminal.rs", "use ratatui::Frame; fn f() { std::io::stdout(); }");
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
    assert_caught("app/src/cli/mod.rs", "use crate::tui;", "`cli` uses `crate::tui`");
    assert_caught("app/src/tui/mod.rs", "use crate::cli;", "`tui` uses `crate::cli`");
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
    let ratatui = "src/config/theme.rs:2: `ratatui` is named; allowed only in: app/src/tui/";
    assert_caught("src/config/theme.rs", "\nuse ratatui::style::Color;", ratatui);
    assert_caught("src/config/keymap.rs", "fn f(k: crossterm::event::KeyCode) {}", "`crossterm` is named");
    assert_caught(
        "app/src/tui/mod.rs",
        "use clap::Parser;",
        "`clap` is named; allowed only in: app/src/cli/, app/src/main.rs",
    );
    assert_caught(
        "src/chart/mod.rs",
        "use plotters::prelude::*;",
        "`plotters` is named; allowed only in: src/chart/svg.rs",
    );
    let engine = "`roofswap_engine` is named; allowed only in: app/src/lib.rs";
    assert_caught("app/src/rank/mod.rs", "use roofswap_engine::train::Recipe;", engine);
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
        "`stdout` is used; allowed only in: app/src/cli/",
    );
    assert_caught("app/src/tui/view.rs", "fn f() { std::io::stdout(); }", "`stdout` is used");
    assert_caught(
        "app/src/tui/mod.rs",
        "fn f() { println!(); }",
        "`println!` prints; allowed only in: app/src/cli/, app/src/main.rs",
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

/// What these files owe beyond an empty list.
fn owed(files: &[(&str, &str)]) -> Vec<String> {
    let files: Vec<SourceFile> = files.iter().map(|(path, text)| SourceFile::new(path, text)).collect();
    Found::new(&files).beyond(&Ledger::default())
}

#[track_caller]
fn assert_owed(files: &[(&str, &str)], message: &str) {
    let found = owed(files);
    assert!(
        found.len() == 1 && found[0].contains(message),
        "wanted one message with {message:?}, got {found:#?}"
    );
}

#[track_caller]
fn assert_owes_nothing(files: &[(&str, &str)]) {
    assert_eq!(owed(files), Vec::<String>::new());
}

#[test]
fn a_circle_of_files_is_caught() {
    let pair = [("src/gpu/a.rs", "use super::b::B;"), ("src/gpu/b.rs", "\nuse crate::gpu::{a::f};")];
    assert_owed(&pair, "2 files of `gpu` need each other: gpu::a, gpu::b");
    let with_the_parent =
        [("src/gpu/mod.rs", "mod a;\nuse a::A;\nstruct B;"), ("src/gpu/a.rs", "use super::B;")];
    assert_owed(&with_the_parent, "need each other: gpu, gpu::a");
    let three = [
        ("app/src/tui/panes/a.rs", "use super::b::B;"),
        ("app/src/tui/panes/b.rs", "use crate::tui::c;"),
        ("app/src/tui/c.rs", "use super::panes::{a::{self, A}};"),
    ];
    assert_owed(&three, "3 files of `tui` need each other: tui::c, tui::panes::a, tui::panes::b");
}

#[test]
fn a_way_down_is_no_circle() {
    assert_owes_nothing(&[("src/gpu/a.rs", "use super::b::B;"), ("src/gpu/b.rs", "use super::c::C;")]);
    // What is handed on is not needed by the one who hands it on; what is only called is the way of a table of children.
    assert_owes_nothing(&[
        ("src/gpu/mod.rs", "mod a;\nmod b;\npub use a::A;\npub(crate) use b::B;\nfn f() { a::f() }"),
        ("src/gpu/a.rs", "use super::{B, C};"),
        ("src/gpu/b.rs", "use super::C;"),
    ]);
    let in_a_test = "use super::b::B;\n#[cfg(test)]\nmod tests { use super::*; }";
    let back = "#[cfg(test)]\nmod tests { use super::super::a::A; }";
    assert_owes_nothing(&[("src/gpu/a.rs", in_a_test), ("src/gpu/b.rs", back)]);
    // Rooms that need each other break the table of rooms, which says so.
    assert_owes_nothing(&[
        ("src/gpu/a.rs", "use crate::kernel::b;"),
        ("src/kernel/b.rs", "use crate::gpu::a;"),
    ]);
}

#[test]
fn a_public_type_name_used_twice_is_caught() {
    let public = ("src/gpu/a.rs", "pub(crate) struct Row;");
    assert_owed(&[public, ("src/kernel/a.rs", "\nenum Row { A }")], "`Row`: the public type name");
    assert_owed(&[public, ("src/kernel/a.rs", "\npub trait Row {}")], "src/gpu/a.rs:1, src/kernel/a.rs:2");
    assert_owed(&[public, ("src/kernel/a.rs", "pub type Row = u8;")], "(listed 0, found 2)");
    assert_owes_nothing(&[("src/gpu/a.rs", "struct Row;"), ("src/kernel/a.rs", "struct Row;")]);
    assert_owes_nothing(&[public, ("src/kernel/a.rs", "#[cfg(test)] struct Row;")]);
    assert_owes_nothing(&[public, ("src/kernel/a.rs", "impl Iterator for X { type Row = u8; }")]);
}

#[test]
fn a_tuple_parameter_is_caught() {
    let caught = |text: &str, message: &str| assert_owed(&[("src/gpu/a.rs", text)], message);
    caught("fn fit((a, b): (u8, u8)) {}", "`fit (a,b)`: a parameter is a tuple");
    caught("fn fit<F: Fn(u8) -> u8>(f: F, pair: &'static mut (Vec<u8>, u8)) {}", "`fit pair`");
    caught("trait T { fn fit(&self, m: HashMap<u8, u8>, p: &(u8, &[u8])); }", "`fit p`");
    let quiet = |text: &str| assert_owes_nothing(&[("src/gpu/a.rs", text)]);
    quiet("fn fit(a: u8, f: impl Fn((u8, u8)) -> (u8, u8), rows: &[(u8, u8)], (): ()) -> (u8, u8) {}");
    quiet("fn fit(Pair { a, b }: Pair, one: (u8)) { let f = |(a, b): (u8, u8)| a; }");
    quiet("#[cfg(test)]\nfn fit((a, b): (u8, u8)) {}");
}

#[test]
fn an_idle_public_name_is_caught() {
    for name in survey::debts::IDLE_NAMES {
        let message = format!("`{name}`: the public function's name");
        assert_owed(&[("src/gpu/a.rs", &format!("impl A {{ pub const fn {name}(&self) {{}} }}"))], &message);
        assert_owed(&[("src/a/mod.rs", &format!("pub(in crate::a) fn {name}<T>() {{}}"))], &message);
    }
    assert_owes_nothing(&[("src/gpu/a.rs", "fn of() {} pub fn offer() {} fn f(g: fn(u8)) {}")]);
}

#[test]
fn a_list_of_debts_only_shrinks() {
    let text = "# people\n[circles]\na b c\n\n[type names]\nRow x3\nTable x2\n[tuple parameters]\nfit (a,b)\n[idle names]\nof\n";
    let listed = Ledger::parse(text);
    assert_eq!(Ledger::parse(&listed.render("# head")), listed, "read back as written");
    let texts = [
        ("src/gpu/a.rs", "use super::b::B; pub struct Row; pub fn of() {} pub fn at() {}"),
        ("src/gpu/b.rs", "use super::a::Row; pub struct Row;"),
    ];
    let files: Vec<SourceFile> = texts.iter().map(|(path, text)| SourceFile::new(path, text)).collect();
    let found = Found::new(&files);
    let beyond = found.beyond(&listed);
    assert!(beyond.len() == 1 && beyond[0].contains("`at`"), "{beyond:#?}");
    let paid = listed.paid(&found.ledger());
    let wanted = [
        "[circles] a b c",
        "[type names] Row: listed 3, found 2",
        "[type names] Table: listed 2, found 0",
        "[tuple parameters] fit (a,b): listed 1, found 0",
    ];
    assert_eq!(paid, wanted);
    let left = listed.still_owed(&found.ledger());
    assert_eq!(left, Ledger::parse("[circles]\na b\n[type names]\nRow x2\n[idle names]\nof\n"));
    assert_eq!(left.paid(&found.ledger()), Vec::<String>::new());
}
