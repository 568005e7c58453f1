//! Debts: what the house has and should not have, in lists that may only shrink (`tests/debts.txt`).
//!
//! A debt is known by names that survive a move: those of functions, parameters and types; of a file, the last part.

use super::circles::{Circle, circles_in};
use super::functions::functions_in;
use super::sources::SourceFile;
use super::types::{Declared, types_in};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Public functions of these names say nothing about what they return.
pub const IDLE_NAMES: [&str; 6] = ["of", "told", "said", "one", "at", "both"];

/// Titles of the lists, in the order of the file.
const TITLES: [&str; 4] = ["circles", "type names", "tuple parameters", "idle names"];

/// One list: a key, and where it is found; a key found twice has two places.
type Debts = BTreeMap<String, Vec<String>>;

/// The four lists, found in the sources or read from the file.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    /// Files of one room that need each other; the key names them, the places are empty in the file.
    pub circles: Vec<BTreeSet<String>>,
    /// Public type names declared twice in the crate.
    pub type_names: BTreeMap<String, usize>,
    /// `function(pattern)` of parameters whose type is a tuple.
    pub tuple_parameters: BTreeMap<String, usize>,
    /// Public functions with an idle name.
    pub idle_names: BTreeMap<String, usize>,
}

/// What the sources owe, with places.
pub struct Found {
    circles: Vec<Circle>,
    counted: [Debts; 3],
}

impl Found {
    /// Looks through these files.
    pub fn new(files: &[SourceFile]) -> Self {
        let counted = [shared_type_names(files), tuple_parameters(files), idle_names(files)];
        Self { circles: circles_in(files), counted }
    }

    /// The same without places, as the file keeps it.
    pub fn ledger(&self) -> Ledger {
        let count = |debts: &Debts| debts.iter().map(|(key, places)| (key.clone(), places.len())).collect();
        let [types, tuples, names] = &self.counted;
        Ledger {
            circles: self.circles.iter().map(short_members).collect(),
            type_names: count(types),
            tuple_parameters: count(tuples),
            idle_names: count(names),
        }
    }

    /// What is found and not listed: one message each.
    pub fn beyond(&self, listed: &Ledger) -> Vec<String> {
        let mut messages: Vec<String> =
            self.circles.iter().filter(|c| !listed.allows_circle(c)).map(circle_message).collect();
        for (i, debts) in self.counted.iter().enumerate() {
            let allowed = listed.counted()[i];
            for (key, places) in debts {
                let allowed = allowed.get(key).copied().unwrap_or(0);
                if places.len() > allowed {
                    messages.push(counted_message(i, key, allowed, places));
                }
            }
        }
        messages
    }
}

impl Ledger {
    /// Reads the file's form; lines that start with `#` say something to people.
    pub fn parse(text: &str) -> Self {
        let mut ledger = Self::default();
        let mut title = "";
        for line in text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#')) {
            if let Some(named) = line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
                title = named;
                continue;
            }
            ledger.take_line(title, line);
        }
        ledger
    }

    fn take_line(&mut self, title: &str, line: &str) {
        if title == TITLES[0] {
            self.circles.push(line.split_whitespace().map(str::to_owned).collect());
            return;
        }
        let (key, count) = match line.rsplit_once(" x") {
            Some((key, count)) => (key, count.parse().unwrap_or(1)),
            None => (line, 1),
        };
        let list = match TITLES.iter().position(|t| *t == title) {
            Some(1) => &mut self.type_names,
            Some(2) => &mut self.tuple_parameters,
            Some(3) => &mut self.idle_names,
            _ => panic!("tests/debts.txt: `{line}` stands under no known title but `{title}`"),
        };
        let known = list.entry(key.to_owned()).or_insert(0);
        *known = (*known).max(count);
    }

    /// The file's form.
    pub fn render(&self, head: &str) -> String {
        let mut text = format!("{head}\n[{}]\n", TITLES[0]);
        for circle in &self.circles {
            let members: Vec<&str> = circle.iter().map(String::as_str).collect();
            let _ = writeln!(text, "{}", members.join(" "));
        }
        for (title, list) in TITLES[1..].iter().zip(self.counted()) {
            let _ = write!(text, "\n[{title}]\n");
            for (key, count) in list {
                let _ = if *count == 1 { writeln!(text, "{key}") } else { writeln!(text, "{key} x{count}") };
            }
        }
        text
    }

    fn counted(&self) -> [&BTreeMap<String, usize>; 3] {
        [&self.type_names, &self.tuple_parameters, &self.idle_names]
    }

    fn allows_circle(&self, circle: &Circle) -> bool {
        let members = short_members(circle);
        self.circles.iter().any(|listed| members.is_subset(listed))
    }

    /// What is listed and no longer found: one message each.
    pub fn paid(&self, found: &Ledger) -> Vec<String> {
        let is_gone = |listed: &&BTreeSet<String>| !found.circles.contains(*listed);
        let words = |circle: &BTreeSet<String>| circle.iter().cloned().collect::<Vec<_>>().join(" ");
        let mut messages: Vec<String> =
            self.circles.iter().filter(is_gone).map(|c| format!("[circles] {}", words(c))).collect();
        for (title, (listed, found)) in TITLES[1..].iter().zip(self.counted().iter().zip(found.counted())) {
            for (key, count) in *listed {
                let now = found.get(key).copied().unwrap_or(0);
                if now < *count {
                    messages.push(format!("[{title}] {key}: listed {count}, found {now}"));
                }
            }
        }
        messages
    }

    /// What of this list is still found: never more than is listed.
    pub fn still_owed(&self, found: &Ledger) -> Ledger {
        let least = |listed: &BTreeMap<String, usize>, found: &BTreeMap<String, usize>| {
            let both = listed.iter().filter_map(|(key, n)| Some((key.clone(), *n.min(found.get(key)?))));
            both.collect::<BTreeMap<_, _>>()
        };
        let listed = |c: &&BTreeSet<String>| self.circles.iter().any(|l| c.is_subset(l));
        Ledger {
            circles: found.circles.iter().filter(listed).cloned().collect(),
            type_names: least(&self.type_names, &found.type_names),
            tuple_parameters: least(&self.tuple_parameters, &found.tuple_parameters),
            idle_names: least(&self.idle_names, &found.idle_names),
        }
    }
}

/// The files of a circle without their folders.
fn short_members(circle: &Circle) -> BTreeSet<String> {
    circle.members.iter().map(|m| m.rsplit("::").next().unwrap_or(m).to_owned()).collect()
}

fn circle_message(circle: &Circle) -> String {
    let members = circle.members.join(", ");
    format!("{} files of `{}` need each other: {members}", circle.members.len(), circle.room)
}

fn counted_message(list: usize, key: &str, allowed: usize, places: &[String]) -> String {
    let what = match list {
        0 => "the public type name is declared more than once",
        1 => "a parameter is a tuple; make it a struct whose name says what it is",
        _ => "the public function's name says nothing about what it returns",
    };
    format!("`{key}`: {what} (listed {allowed}, found {}): {}", places.len(), places.join(", "))
}

/// Names declared more than once, where one of them is public.
fn shared_type_names(files: &[SourceFile]) -> Debts {
    let mut all: BTreeMap<&str, Vec<Declared>> = BTreeMap::new();
    for declared in files.iter().flat_map(types_in) {
        all.entry(declared.name).or_default().push(declared);
    }
    let public = |types: &[Declared]| types.iter().any(|t| t.is_public);
    let shared = all.into_iter().filter(|(_, types)| types.len() > 1 && public(types));
    shared.map(|(name, types)| (name.to_owned(), types.into_iter().map(|t| t.place).collect())).collect()
}

fn tuple_parameters(files: &[SourceFile]) -> Debts {
    let mut debts = Debts::new();
    for file in files {
        for function in functions_in(file).iter().filter(|f| !f.in_test) {
            for pattern in &function.tuple_parameters {
                let place = format!("{}:{}", file.path, function.line);
                debts.entry(format!("{} {pattern}", function.name)).or_default().push(place);
            }
        }
    }
    debts
}

fn idle_names(files: &[SourceFile]) -> Debts {
    let mut debts = Debts::new();
    for file in files {
        let is_idle = |name: &str| IDLE_NAMES.contains(&name);
        for function in functions_in(file).iter().filter(|f| f.is_public && !f.in_test && is_idle(f.name)) {
            let place = format!("{}:{}", file.path, function.line);
            debts.entry(function.name.to_owned()).or_default().push(place);
        }
    }
    debts
}
