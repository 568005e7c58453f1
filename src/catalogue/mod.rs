//! What the GPU and the kernel catalogue have in common: entries found by id or alias, numbers that know their
//! source, and TOML files that are refused with their line while the rest still loads.

mod element;
mod feature;
mod file;
mod id;
mod library_toml;
mod plain_toml;
mod shipped;
mod sourced;
mod spanned;
mod toml_tree;
mod toml_values;
mod user_folder;

pub use element::ElementType;
pub use feature::Feature;
pub(crate) use file::FieldExample;
pub use file::{FileError, SpecFile, limited_text, read_limited};
pub use id::Id;
pub use shipped::{FRAMEWORK_OPERATORS, HOST_LINKS, load_shipped_files};
pub(crate) use sourced::unknown_source;
pub use sourced::{NumberFile, NumberOrigin, Source, SourceTable, Sourced, joined_sources, shipped_sources};
pub use spanned::Spanned;
pub use user_folder::{user_folder, user_path_text};

use hashbrown::{DefaultHashBuilder, HashTable};
use std::collections::HashMap;
use std::hash::BuildHasher;
use std::ops::Index;

/// Something with an id that people type, and other names for it.
pub trait CatalogueEntry {
    /// The id as engineers type it: `rtx-4070`.
    fn id(&self) -> &str;
    /// Other names of the same thing, as drivers, papers and people write them.
    fn aliases(&self) -> &[String];
}

/// Entries in a fixed order, found by id or alias; case, spaces, `-` and `_` do not matter.
#[derive(Debug, Clone)]
pub struct Catalogue<T> {
    what: &'static str,
    entries: Vec<T>,
    /// Which entry has a name, by half of the hash of its one spelling: the names themselves stand in the entries.
    names: HashTable<(u32, u32)>,
    hasher: DefaultHashBuilder,
    /// What the user calls names that may not be in the catalogue yet.
    nicknames: HashMap<String, String>,
}

/// So many ids an error names.
const MOST_CANDIDATES: usize = 24;

/// A name that is not in the catalogue, or fits several entries; says what to type instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// No entry has this name.
    #[error("{}", unknown_name(name, nearest, what))]
    Unknown {
        /// What was looked for: "GPU" or "kernel".
        what: &'static str,
        /// As typed.
        name: String,
        /// Up to five ids, best first; none where no name is near.
        nearest: Vec<String>,
    },
    /// The name begins several ids.
    #[error(
        "{what} `{name}` is ambiguous; type one of: {}",
        crate::text::first_names(candidates, MOST_CANDIDATES)
    )]
    Ambiguous {
        /// What was looked for.
        what: &'static str,
        /// As typed.
        name: String,
        /// The ids it could mean.
        candidates: Vec<String>,
    },
}

/// Two entries that claim the same name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("name `{name}` of `{id}` already belongs to `{owner}`; rename one of them")]
pub struct NameClash {
    /// The contested name.
    pub name: String,
    /// The entry that came second.
    pub id: String,
    /// The entry that has it.
    pub owner: String,
}

impl<T: CatalogueEntry> Catalogue<T> {
    /// An empty catalogue; `what` names its entries in errors ("GPU").
    #[must_use]
    pub fn new(what: &'static str) -> Self {
        Self {
            what,
            entries: Vec::new(),
            names: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
            nicknames: HashMap::new(),
        }
    }

    /// Makes room for so many more entries at once.
    pub fn reserve(&mut self, more: usize) {
        self.entries.reserve(more);
        self.names.reserve(4 * more, |(half, _)| whole_hash(*half));
    }

    /// Adds an entry, or replaces the one with the same id (a user's file wins over the shipped one).
    ///
    /// # Errors
    /// [`NameClash`] if one of its names belongs to another entry; nothing is changed then.
    pub fn insert(&mut self, entry: T) -> Result<(), NameClash> {
        let same = self.slot(entry.id()).filter(|i| self.entries[*i].id() == entry.id());
        let slot = same.unwrap_or(self.entries.len());
        let mut names: Vec<String> = Vec::new();
        for name in spellings(&entry) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let mut owners = names.iter().filter_map(|name| Some((name, self.slot_spelled(name)?)));
        if let Some((name, owner)) = owners.find(|(_, owner)| *owner != slot) {
            let owner = self.entries[owner].id().to_string();
            return Err(NameClash { name: name.clone(), id: entry.id().to_string(), owner });
        }
        let place = Id::<T>::from_index(slot).index() as u32;
        if same.is_some() {
            self.names.retain(|(_, owner)| *owner != place);
        }
        for name in &names {
            let half = self.hasher.hash_one(name) as u32;
            self.names.insert_unique(whole_hash(half), (half, place), |(half, _)| whole_hash(*half));
        }
        match same {
            Some(i) => self.entries[i] = entry,
            None => self.entries.push(entry),
        }
        Ok(())
    }

    /// Changes an entry in what is no name that it is found by.
    pub fn edit_entry(&mut self, place: Id<T>, change: impl FnOnce(&mut T)) {
        change(&mut self.entries[place.index()]);
    }

    /// Drops the entries from this place on and adds one there.
    ///
    /// # Errors
    /// [`NameClash`] if one of its names belongs to an entry before; nothing is added then.
    pub fn replace_from(&mut self, place: usize, entry: T) -> Result<(), NameClash> {
        self.entries.truncate(place);
        self.names.retain(|(_, owner)| (*owner as usize) < place);
        self.insert(entry)
    }

    /// Says that what files call `name` is to be known as `short`, whether that is in the catalogue or not.
    pub fn nickname(&mut self, name: &str, short: &str) {
        self.nicknames.insert(normalise(name), short.to_string());
    }

    /// What the user calls this name.
    #[must_use]
    pub fn nickname_of(&self, name: &str) -> Option<&str> {
        // Nobody pays for what nobody uses: the name may be half a mebibyte.
        if self.nicknames.is_empty() {
            return None;
        }
        self.nicknames.get(&normalise(name)).map(String::as_str)
    }

    /// Where the entry of exactly this name stands; says nothing about nearly right ones, and is quick.
    #[must_use]
    pub fn id_named(&self, name: &str) -> Option<Id<T>> {
        self.slot(name).map(Id::from_index)
    }

    /// Where the entry of this name stands.
    ///
    /// # Errors
    /// [`NameError`] with the nearest ids.
    pub fn position(&self, name: &str) -> Result<Id<T>, NameError> {
        let key = normalise(name);
        if let Some(place) = self.slot_spelled(&key) {
            return Ok(Id::from_index(place));
        }
        let fits = |e: &&T| {
            !key.is_empty() && (contains_whole_numbers(&normalise(e.id()), &key) || has_words(*e, name))
        };
        let candidates: Vec<String> = self.entries.iter().filter(fits).map(|e| e.id().to_string()).collect();
        if candidates.len() > 1 {
            return Err(NameError::Ambiguous { what: self.what, name: clipped_name(name), candidates });
        }
        Err(NameError::Unknown {
            what: self.what,
            name: clipped_name(name),
            nearest: self.nearest(&key, candidates),
        })
    }

    /// The entry of this name.
    ///
    /// # Errors
    /// [`NameError`] with the nearest ids.
    pub fn entry_named(&self, name: &str) -> Result<&T, NameError> {
        self.position(name).map(|id| &self[id])
    }

    /// All entries, in order.
    #[must_use]
    pub fn entries(&self) -> &[T] {
        &self.entries
    }

    /// The ids of all entries, in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = Id<T>> + ExactSizeIterator + Clone + use<T> {
        (0..self.entries.len()).map(Id::from_index)
    }

    /// Every entry with its id, in order.
    pub fn with_ids(&self) -> impl DoubleEndedIterator<Item = (Id<T>, &T)> + ExactSizeIterator + Clone {
        self.ids().zip(&self.entries)
    }

    /// The entry of this id; none where the id is of a larger catalogue.
    #[must_use]
    pub fn entry(&self, id: Id<T>) -> Option<&T> {
        self.entries.get(id.index())
    }

    /// Puts the entries into another order; ids handed out before mean other entries afterwards.
    pub fn sort_by_key<K: Ord>(&mut self, key: impl Fn(&T) -> K) {
        let mut order: Vec<usize> = (0..self.entries.len()).collect();
        order.sort_by_cached_key(|&i| key(&self.entries[i]));
        let mut moved = vec![0; order.len()];
        for (new, old) in (0..).zip(order) {
            moved[old] = new;
        }
        self.names.iter_mut().for_each(|(_, owner)| *owner = moved[*owner as usize]);
        self.entries.sort_by_cached_key(key);
    }

    fn slot(&self, name: &str) -> Option<usize> {
        self.slot_spelled(&normalise(name))
    }

    /// The place of the entry that has a name of this spelling.
    fn slot_spelled(&self, spelling: &str) -> Option<usize> {
        let half = self.hasher.hash_one(spelling) as u32;
        let is_meant = |(of, place): &(u32, u32)| {
            *of == half && spellings(&self.entries[*place as usize]).any(|name| name == spelling)
        };
        self.names.find(whole_hash(half), is_meant).map(|(_, place)| *place as usize)
    }

    fn nearest(&self, key: &str, mut first: Vec<String>) -> Vec<String> {
        // A long name is nobody's typing slip: comparing its head is enough and keeps this quick.
        let key: String = crate::text::clipped_text(key, 64);
        let mut scored: Vec<(f64, &str)> = Vec::new();
        for entry in &self.entries {
            scored.extend(spellings(entry).map(|name| (strsim::jaro_winkler(&key, &name), entry.id())));
        }
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
        for (_, id) in scored.into_iter().filter(|(likeness, _)| *likeness >= LEAST_LIKENESS) {
            if first.len() >= 5 {
                break;
            }
            if !first.iter().any(|f| f == id) {
                first.push(id.to_string());
            }
        }
        first
    }
}

impl<T> Index<Id<T>> for Catalogue<T> {
    type Output = T;

    fn index(&self, id: Id<T>) -> &T {
        &self.entries[id.index()]
    }
}

/// Whether this is near enough to a name to be a typing slip of it.
#[must_use]
pub fn is_near_name(typed: &str, name: &str) -> bool {
    strsim::jaro_winkler(&normalise(&crate::text::clipped_text(typed, 64)), &normalise(name))
        >= LEAST_LIKENESS
}

/// The one spelling that names are compared in: two names with the same one are the same entry's.
pub(crate) fn same_spelling(name: &str) -> String {
    normalise(name)
}

/// The spellings of an entry's id and aliases; a name of separators alone (`--`) is nobody's.
fn spellings<T: CatalogueEntry>(entry: &T) -> impl Iterator<Item = String> {
    let names = std::iter::once(entry.id()).chain(entry.aliases().iter().map(String::as_str));
    names.map(normalise).filter(|name| !name.is_empty())
}

/// A hash of which half is kept, so that growing the table touches no name.
fn whole_hash(half: u32) -> u64 {
    u64::from(half) << 32 | u64::from(half)
}

/// One spelling for all: lower case, without the vendor's name, spaces, `-` and `_`.
fn normalise(name: &str) -> String {
    let lower = name.trim().to_lowercase();
    let separator = |c: char| matches!(c, ' ' | '-' | '_');
    let bare = lower.strip_prefix("nvidia").filter(|rest| rest.starts_with(separator)).unwrap_or(&lower);
    bare.chars().filter(|c| !separator(*c)).collect()
}

/// Jaro-Winkler likeness below which a name is not offered for the one typed: a slip of the finger or another member of the
/// family stays above it, a name of something else below.
const LEAST_LIKENESS: f64 = 0.82;

/// Whether `name` holds `part` without cutting a number in two: `h200` does not hold `h20`, nor `a100` `a10`.
fn contains_whole_numbers(name: &str, part: &str) -> bool {
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    name.match_indices(part).any(|(start, _)| {
        let (before, after) = (&name[..start], &name[start + part.len()..]);
        let cut_before = digit(before.chars().next_back()) && digit(part.chars().next());
        let cut_after = digit(after.chars().next()) && digit(part.chars().next_back());
        !cut_before && !cut_after
    })
}

/// Whether `word` begins with `part` without cutting a number in two.
fn begins_with_whole_numbers(word: &str, part: &str) -> bool {
    word.strip_prefix(part).is_some_and(|rest| {
        let cut = rest.starts_with(|c: char| c.is_ascii_digit());
        !(cut && part.ends_with(|c: char| c.is_ascii_digit()))
    })
}

/// That a name is in no catalogue, or is none, and what to type instead.
fn unknown_name(name: &str, nearest: &[String], what: &str) -> String {
    if name.trim().is_empty() {
        let list = if what == "GPU" { "gpus" } else { "kernels" };
        return format!("expected a {what} and found an empty name; `roofswap {list}` lists them");
    }
    format!("unknown {what} `{name}`; {}", set_or_nearest(name, nearest, what))
}

/// What an unknown name is answered with. Answers name a GPU with changed numbers `rtx-4070?mem=+20%`: it is asked for by `--set`.
fn set_or_nearest(name: &str, nearest: &[String], what: &str) -> String {
    match name.split_once('?').filter(|(_, changes)| what == "GPU" && changes.contains('=')) {
        Some((base, changes)) => {
            format!("a GPU with changed numbers is named by --set: `{base}` with `--set {changes}`")
        }
        None => nearest_or_none(nearest, what),
    }
}

/// What an unknown name is answered with.
fn nearest_or_none(nearest: &[String], what: &str) -> String {
    if nearest.is_empty() {
        let (list, beyond) = match what {
            "GPU" => ("gpus", " (GPUs of other vendors than NVIDIA are not modelled)"),
            _ => ("kernels", ""),
        };
        return format!("no name is near it{beyond}; `roofswap {list}` lists them");
    }
    format!("nearest: {}", nearest.join(", "))
}

/// Whether every word typed begins a word of one of the entry's names: `v100-16gb` means any V100 of 16 GB.
fn has_words<T: CatalogueEntry>(entry: &T, typed: &str) -> bool {
    let words = |name: &str| -> Vec<String> {
        let lower = name.to_lowercase();
        lower.split([' ', '-', '_']).filter(|w| !w.is_empty() && *w != "nvidia").map(str::to_string).collect()
    };
    let head: String = crate::text::clipped_text(typed, 64);
    let typed = words(&head);
    let mut names = std::iter::once(entry.id()).chain(entry.aliases().iter().map(String::as_str));
    !typed.is_empty()
        && names.any(|name| {
            let has = words(name);
            typed.iter().all(|t| has.iter().any(|w| begins_with_whole_numbers(w, t)))
        })
}

/// A name short enough for an error message.
fn clipped_name(name: &str) -> String {
    match name.char_indices().nth(60) {
        Some((i, _)) => format!("{}…", &name[..i]),
        None => name.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Named(&'static str, Vec<String>);
    impl CatalogueEntry for Named {
        fn id(&self) -> &str {
            self.0
        }
        fn aliases(&self) -> &[String] {
            &self.1
        }
    }

    fn three() -> Catalogue<Named> {
        let mut c = Catalogue::new("GPU");
        for (id, alias) in
            [("h100-pcie", "H100"), ("rtx-4070", "GeForce RTX 4070"), ("rtx-4080", "GeForce RTX 4080")]
        {
            c.insert(Named(id, vec![alias.into()])).unwrap();
        }
        c
    }

    #[test]
    fn any_spelling_finds_the_entry() {
        for name in ["rtx-4070", "RTX_4070", "rtx 4070", "NVIDIA GeForce RTX 4070"] {
            assert_eq!(three().entry_named(name).map(CatalogueEntry::id).ok(), Some("rtx-4070"), "{name}");
        }
    }

    #[test]
    fn an_unknown_or_ambiguous_name_is_answered_with_the_nearest() {
        let c = three();
        assert!(c.entry_named("rtx").err().unwrap().to_string().contains("rtx-4070, rtx-4080"));
        let e = c.entry_named("rtx-4071").err().unwrap().to_string();
        assert!(e.starts_with("unknown GPU `rtx-4071`; nearest: rtx-4070"), "{e}");
        assert!(c.entry_named("").is_err());
        assert!(c.entry_named(&"é".repeat(100_000)).err().unwrap().to_string().len() < 400);
    }

    #[test]
    fn a_taken_alias_is_refused_and_the_same_id_is_replaced() {
        let mut c = three();
        let clash = c.insert(Named("mine", vec!["h100".into()])).unwrap_err();
        assert_eq!(clash.owner, "h100-pcie");
        assert!(c.entry_named("mine").is_err(), "nothing was changed");
        c.insert(Named("rtx-4070", vec!["my 4070".into()])).unwrap();
        assert_eq!(c.entries().len(), 3);
        assert!(c.entry_named("my4070").is_ok() && c.entry_named("GeForce RTX 4070").is_err());
    }

    #[test]
    fn sorting_keeps_names_and_entries_together() {
        let mut c = three();
        c.sort_by_key(|e| std::cmp::Reverse(e.0));
        assert_eq!(c.entries()[0].id(), "rtx-4080");
        for e in c.entries() {
            assert_eq!(c.entry_named(e.id()).map(CatalogueEntry::id).ok(), Some(e.id()));
        }
    }
}
