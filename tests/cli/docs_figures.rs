//! The figures of README.md and docs/*.md are what the program prints. `docs/figures.toml` says which command each comes from;
//! `just docs-figures` (or `ROOFSWAP_REDRAW=1 cargo test --test cli docs_figures -- --include-ignored`) writes them anew, says which it
//! wrote, and which it left as they are because a file of other people's measurements is not there.

use crate::desk::Desk;
use crate::skipping::skip_aloud;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// `docs/figures.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FiguresFile {
    run: Vec<Run>,
    figure: Vec<Figure>,
}

/// A command whose CSV holds figures.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Run {
    id: String,
    /// Its words; `{data}` is the folder of other people's measurements, `{datasets}` that of our own.
    command: String,
    /// Whether it takes long without optimisation.
    #[serde(default)]
    slow: bool,
}

/// One line of a text.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Figure {
    file: String,
    /// As it stands there, `{}` in the place of every number.
    line: String,
    /// One for each `{}`: `run: column=value; column=value -> column .1` with the decimals that are written.
    values: Vec<String>,
}

/// What a command needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Needs {
    /// What ships.
    Nothing,
    /// Other people's measurements beside this checkout.
    Data,
    /// The same, and patience.
    DataAndTime,
}

impl Run {
    fn needs(&self) -> Needs {
        match (self.command.contains("{data}"), self.slow) {
            (false, _) => Needs::Nothing,
            (true, false) => Needs::Data,
            (true, true) => Needs::DataAndTime,
        }
    }

    /// The first of its files that is not there.
    fn missing_file(&self) -> Option<PathBuf> {
        let files = self.command.split_whitespace().filter_map(|word| word.strip_prefix("{data}/"));
        files.map(|file| data().join(file)).find(|path| !path.exists())
    }
}

fn root() -> &'static Path {
    Path::new(env!("ROOFSWAP_CHECKOUT"))
}

fn data() -> PathBuf {
    root().join("../shared/data")
}

fn figures() -> FiguresFile {
    let text = std::fs::read_to_string(root().join("docs/figures.toml")).expect("docs/figures.toml");
    toml::from_str(&text).expect("docs/figures.toml is TOML of this form")
}

/// The rows of a command's CSV, by column.
type Rows = Vec<BTreeMap<String, String>>;

fn rows_of(run: &Run) -> Rows {
    let desk = Desk::new();
    let words = run.command.replace("{data}", &data().display().to_string());
    let words = words.replace("{datasets}", &root().join("datasets").display().to_string());
    // Commands that take minutes without optimisation may be given another build of the same sources.
    let program = std::env::var_os("ROOFSWAP_BINARY");
    let mut command = match &program {
        Some(program) => {
            let mut command = std::process::Command::new(program);
            command.args(words.split_whitespace());
            command.env("ROOFSWAP_CONFIG", desk.path("config")).env("ROOFSWAP_CACHE", desk.path("cache"));
            command
        }
        None => desk.command(&words, &[]),
    };
    let done = command.args(["--format", "csv"]).output().expect("the program starts");
    assert!(done.status.success(), "{}: {}", run.command, String::from_utf8_lossy(&done.stderr));
    let mut reader = csv::Reader::from_reader(done.stdout.as_slice());
    reader.deserialize().map(|row| row.expect("CSV")).collect()
}

/// A value of `docs/figures.toml`, apart.
struct Wanted<'f> {
    run: &'f str,
    /// Columns, and what they hold in the one row that is meant.
    filters: Vec<(&'f str, &'f str)>,
    column: &'f str,
    decimals: usize,
}

fn wanted(value: &str) -> Wanted<'_> {
    let apart = || {
        let (run, rest) = value.split_once(": ")?;
        let (filters, rest) = rest.split_once(" -> ")?;
        let (column, decimals) = rest.rsplit_once(" .")?;
        let filters = filters.split("; ").filter(|f| !f.is_empty()).map(|f| f.split_once('='));
        let filters = filters.collect::<Option<Vec<_>>>()?;
        Some(Wanted { run, filters, column, decimals: decimals.parse().ok()? })
    };
    apart().unwrap_or_else(|| panic!("{value}: expected `run: column=value; column=value -> column .1`"))
}

/// The number that a value names, as it is written.
fn written(value: &str, all: &BTreeMap<&str, Rows>) -> String {
    let Wanted { run, filters, column, decimals } = wanted(value);
    let fits =
        |row: &&BTreeMap<String, String>| filters.iter().all(|(c, v)| row.get(*c).is_some_and(|f| f == v));
    let found: Vec<&String> = all[run].iter().filter(fits).filter_map(|r| r.get(column)).collect();
    let [one] = found[..] else { panic!("{value}: {} rows of the command fit, expected one", found.len()) };
    let number: f64 = one.parse().unwrap_or_else(|_| panic!("{value}: `{one}` is no number"));
    let plain = format!("{number:.decimals$}");
    if decimals > 0 || number < 1000.0 { plain } else { grouped(&plain) }
}

/// `30,000`.
fn grouped(whole: &str) -> String {
    let mut text = String::new();
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Where the line stands in the text, and the numbers it has there.
fn find_line<'t>(text: &'t str, line: &str) -> Option<(usize, usize, Vec<&'t str>)> {
    let parts: Vec<&str> = line.split("{}").collect();
    let is_number = |c: char| c.is_ascii_digit() || ".,-−".contains(c);
    let starts = text.match_indices(parts[0]).map(|(at, _)| at);
    starts.into_iter().find_map(|start| {
        let mut at = start + parts[0].len();
        let mut numbers = Vec::new();
        for part in &parts[1..] {
            let rest = &text[at..];
            let most = rest.find(|c| !is_number(c)).unwrap_or(rest.len());
            // A comma or a full stop may belong to the sentence.
            let end = (1..=most).rev().find(|e| rest.is_char_boundary(*e) && rest[*e..].starts_with(part))?;
            numbers.push(&rest[..end]);
            at += end + part.len();
        }
        Some((start, at, numbers))
    })
}

/// Compares the figures whose commands need this, or writes them where that is wished.
fn figures_come_out(needs: Needs) {
    let FiguresFile { run, figure } = figures();
    let redraws = std::env::var_os("ROOFSWAP_REDRAW").is_some();
    let of_run = |id: &str| run.iter().find(|r| r.id == id).unwrap_or_else(|| panic!("no run `{id}`"));
    let needed = |f: &Figure| {
        let all = f.values.iter().map(|v| of_run(wanted(v).run).needs());
        all.max_by_key(|n| *n as u8)
    };
    let mut made: BTreeMap<&str, Rows> = BTreeMap::new();
    let mut wrong = String::new();
    let (mut compared, mut skipped) = (0, 0);
    for f in figure.iter().filter(|f| needed(f) == Some(needs)) {
        assert_eq!(f.line.matches("{}").count(), f.values.len(), "{}", f.line);
        if let Some(path) = f.values.iter().find_map(|v| of_run(wanted(v).run).missing_file()) {
            skip_aloud(&format!("{}: `{}` stays as it is: {} is not there", f.file, f.line, path.display()));
            skipped += 1;
            continue;
        }
        for value in &f.values {
            let run = of_run(wanted(value).run);
            made.entry(&run.id).or_insert_with(|| rows_of(run));
        }
        let path = root().join(&f.file);
        let text = std::fs::read_to_string(&path).expect("a text of the repository");
        let now: Vec<String> = f.values.iter().map(|v| written(v, &made)).collect();
        let Some((start, end, there)) = find_line(&text, &f.line) else {
            writeln!(wrong, "{}: does not have the line `{}`", f.file, f.line).expect("a text");
            continue;
        };
        compared += there.len();
        if there == now {
            continue;
        }
        if redraws {
            let mut line = String::new();
            for (i, part) in f.line.split("{}").enumerate() {
                line.push_str(part);
                line.push_str(now.get(i).map_or("", String::as_str));
            }
            std::fs::write(&path, format!("{}{line}{}", &text[..start], &text[end..])).expect("the text");
            // Past the harness, which keeps what a passing test prints.
            let _ = std::io::stderr().write_all(format!("WROTE {}: {line}\n", f.file).as_bytes());
        } else {
            writeln!(wrong, "{}: `{}` has {there:?}, the program prints {now:?}", f.file, f.line)
                .expect("a text");
        }
    }
    assert!(wrong.is_empty(), "run `just docs-figures`, then read `git diff`:\n{wrong}");
    assert!(compared + skipped > 0, "no figure was compared");
}

#[test]
fn figures_of_what_ships_are_what_the_program_prints() {
    figures_come_out(Needs::Nothing);
}

#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared/data, other people's measurements")]
fn figures_of_other_peoples_measurements_are_what_the_program_prints() {
    figures_come_out(Needs::Data);
}

#[test]
#[ignore = "minutes without optimisation, needs ../shared/data: just docs-figures"]
fn figures_of_large_files_are_what_the_program_prints() {
    figures_come_out(Needs::DataAndTime);
}

/// The slow commands are run by hand alone: a line that was rewritten would not be missed until then.
#[test]
fn every_line_with_figures_stands_in_its_text_once() {
    let mut wrong = String::new();
    for Figure { file, line, .. } in figures().figure {
        let text = std::fs::read_to_string(root().join(&file)).expect("a text of the repository");
        let found = find_line(&text, &line).map(|(_, end, _)| find_line(&text[end..], &line).is_none());
        if found != Some(true) {
            let often = if found.is_none() { "does not have" } else { "has more than once" };
            writeln!(wrong, "{file}: {often} the line `{line}`").expect("a text");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn a_line_is_found_with_its_numbers_whatever_stands_behind_them() {
    let text = "| a | 1.5 | 2.0, 3.0 |\nIt is 14 %, or 30,000.\n";
    assert_eq!(find_line(text, "| a | {} | {}, {} |").unwrap().2, ["1.5", "2.0", "3.0"]);
    assert_eq!(find_line(text, "is {} %, or {}.").unwrap().2, ["14", "30,000"]);
    assert!(find_line(text, "| b | {} |").is_none());
    assert_eq!((grouped("30000"), grouped("168")), ("30,000".into(), "168".into()));
}
