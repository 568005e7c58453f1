//! The table of measures: what a reviewer counts before reading (`just measures`).

use super::circles::{Circle, circles_in};
use super::functions::{Function, functions_in};
use super::sources::SourceFile;
use super::types::{Declared, types_in};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display, Formatter};

/// Methods that take a closure or tie iterators together.
const COMBINATORS: [&str; 40] = [
    "all",
    "and_then",
    "any",
    "chain",
    "collect",
    "copied",
    "enumerate",
    "filter",
    "filter_map",
    "find",
    "find_map",
    "flat_map",
    "flatten",
    "fold",
    "for_each",
    "inspect",
    "is_none_or",
    "is_some_and",
    "map",
    "map_err",
    "map_or",
    "map_or_else",
    "max_by",
    "min_by",
    "ok_or_else",
    "or_else",
    "partition",
    "position",
    "product",
    "rev",
    "scan",
    "skip_while",
    "sum",
    "take_while",
    "then",
    "then_some",
    "try_fold",
    "try_for_each",
    "unwrap_or_else",
    "zip",
];

/// Lines longer than this are counted.
const COLUMNS: usize = 100;

/// What one room is made of; tests left out.
#[derive(Default)]
struct Room {
    files: usize,
    code_lines: usize,
    long_lines: usize,
    lengths: Vec<usize>,
    two_word_names: usize,
    names: usize,
    tuple_parameters: usize,
    closures: usize,
    combinators: usize,
}

/// The whole table.
pub struct Measures {
    rooms: BTreeMap<String, Room>,
    types: usize,
    shared_types: usize,
    public_types: usize,
    shared_public_types: usize,
    circles: Vec<Circle>,
    longest: Vec<(usize, String)>,
}

impl Measures {
    /// Counts in these files: `(path, text)`.
    pub fn new(texts: &[(String, String)]) -> Self {
        let files: Vec<SourceFile> = texts.iter().map(|(path, text)| SourceFile::new(path, text)).collect();
        let mut rooms: BTreeMap<String, Room> = BTreeMap::new();
        let mut longest = Vec::new();
        for (file, (_, text)) in files.iter().zip(texts) {
            let functions: Vec<Function> = functions_in(file).into_iter().filter(|f| !f.in_test).collect();
            rooms.entry(file.parts[0].to_owned()).or_default().add(file, text, &functions);
            longest
                .extend(functions.iter().map(|f| (f.length, format!("{}:{} {}", file.path, f.line, f.name))));
        }
        longest.sort_by(|a, b| b.cmp(a));
        longest.truncate(10);
        let types: Vec<Declared> = files.iter().flat_map(types_in).collect();
        let public: Vec<&Declared> = types.iter().filter(|t| t.is_public).collect();
        Self {
            rooms,
            types: types.len(),
            shared_types: shared_count(types.iter()),
            public_types: public.len(),
            shared_public_types: shared_count(public.iter().copied()),
            circles: circles_in(&files),
            longest,
        }
    }
}

/// How many of these types have a name that another has too.
fn shared_count<'a, 'b: 'a>(types: impl Iterator<Item = &'a Declared<'b>>) -> usize {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for declared in types {
        *counts.entry(declared.name).or_default() += 1;
    }
    counts.values().filter(|n| **n > 1).sum()
}

impl Room {
    fn add(&mut self, file: &SourceFile, text: &str, functions: &[Function]) {
        let code: BTreeSet<usize> =
            (0..file.tokens.len()).filter(|i| !file.in_test[*i]).map(|i| file.tokens[i].line).collect();
        if code.is_empty() {
            return;
        }
        self.files += 1;
        self.code_lines += code.len();
        let is_long = |(i, line): &(usize, &str)| code.contains(&(i + 1)) && line.chars().count() > COLUMNS;
        self.long_lines += text.lines().enumerate().filter(is_long).count();
        self.lengths.extend(functions.iter().map(|f| f.length).filter(|length| *length > 0));
        self.names += functions.len();
        self.two_word_names += functions.iter().filter(|f| f.name.trim_matches('_').contains('_')).count();
        self.tuple_parameters += functions.iter().map(|f| f.tuple_parameters.len()).sum::<usize>();
        self.closures += closures_in(file);
        self.combinators += combinators_in(file);
    }

    fn merge(&mut self, other: &Self) {
        self.files += other.files;
        self.code_lines += other.code_lines;
        self.long_lines += other.long_lines;
        self.lengths.extend(&other.lengths);
        self.names += other.names;
        self.two_word_names += other.two_word_names;
        self.tuple_parameters += other.tuple_parameters;
        self.closures += other.closures;
        self.combinators += other.combinators;
    }
}

/// Closures outside tests: a `|` where a value may start, up to its twin.
fn closures_in(file: &SourceFile) -> usize {
    let mut count = 0;
    let mut i = 1;
    while i < file.tokens.len() {
        let before = file.text(i - 1);
        let arrow = before == ">" && i > 1 && file.text(i - 2) == "=";
        let may_start =
            arrow || matches!(before, "(" | "," | "=" | "move" | "{" | "}" | ";" | ":" | "return" | "&");
        if file.text(i) == "|" && may_start && !file.in_test[i] {
            count += 1;
            i += 1;
            while i < file.tokens.len() && file.text(i) != "|" {
                i += 1;
            }
        }
        i += 1;
    }
    count
}

fn combinators_in(file: &SourceFile) -> usize {
    let is_call = |i: &usize| {
        let called = matches!(file.text(i + 1), "(" | "::");
        file.text(i - 1) == "." && called && COMBINATORS.contains(&file.text(*i)) && !file.in_test[*i]
    };
    (1..file.tokens.len()).filter(is_call).count()
}

/// The value below which this share of the sorted lengths lies.
fn quantile(sorted: &[usize], share: f64) -> usize {
    let last = sorted.len().saturating_sub(1);
    sorted.get((share * last as f64).round() as usize).copied().unwrap_or(0)
}

fn percent(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

impl Display for Measures {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        writeln!(
            f,
            "{:<12} {:>5} {:>6} {:>5} {:>6} {:>4} {:>4} {:>7} {:>6} {:>8} {:>8} {:>6}",
            "room",
            "files",
            "code",
            "fns",
            "median",
            "p90",
            "max",
            "2 words",
            "tuples",
            "closures",
            "combin.",
            ">100"
        )?;
        let mut house = Room::default();
        for (name, room) in &self.rooms {
            house.merge(room);
            write_room(f, name, room)?;
        }
        write_room(f, "all", &house)?;
        writeln!(f, "(2 words: share of names; closures, combinators: per 100 code lines; >100: lines)\n")?;
        write_shares(f, "types that share their name", self.shared_types, self.types)?;
        write_shares(f, "public types that share their name", self.shared_public_types, self.public_types)?;
        let over: usize = house.lengths.iter().filter(|length| **length > 80).count();
        writeln!(f, "functions over 80 lines: {over}; the longest:")?;
        for (length, place) in &self.longest {
            writeln!(f, "  {length:>4} {place}")?;
        }
        let members: usize = self.circles.iter().map(|c| c.members.len()).sum();
        writeln!(f, "circles of files inside rooms: {} with {members} files", self.circles.len())?;
        for circle in &self.circles {
            writeln!(f, "  {:>4} {}", circle.members.len(), circle.members.join(" "))?;
        }
        Ok(())
    }
}

fn write_shares(f: &mut Formatter, what: &str, part: usize, whole: usize) -> fmt::Result {
    writeln!(f, "{what}: {part} of {whole} ({:.0} %)", percent(part, whole))
}

fn write_room(f: &mut Formatter, name: &str, room: &Room) -> fmt::Result {
    let mut lengths = room.lengths.clone();
    lengths.sort_unstable();
    writeln!(
        f,
        "{name:<12} {:>5} {:>6} {:>5} {:>6} {:>4} {:>4} {:>5.0} % {:>6} {:>8.1} {:>8.1} {:>6}",
        room.files,
        room.code_lines,
        lengths.len(),
        quantile(&lengths, 0.5),
        quantile(&lengths, 0.9),
        lengths.last().copied().unwrap_or(0),
        percent(room.two_word_names, room.names),
        room.tuple_parameters,
        percent(room.closures, room.code_lines),
        percent(room.combinators, room.code_lines),
        room.long_lines,
    )
}
