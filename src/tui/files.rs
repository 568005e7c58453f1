//! The file picker: a folder's list, filtered while typing. What it lists and reads comes from the worker.

use super::message::Effect;
use super::prompt::{Overlay, edit};
use super::run::say;
use super::state::{State, Tone};
use std::path::{Path, PathBuf};
use tui_input::Input;

/// Where a picker begins.
const START: &str = ".";

/// What stands where the list will be.
const READING: &str = "reading the folder …";

/// The most entries of a folder that are listed.
pub const MOST_ENTRIES: usize = 20_000;

/// A folder as the worker found it.
#[derive(Debug, Clone)]
pub struct Listing {
    /// As it was asked for.
    pub asked: PathBuf,
    /// Its full name.
    pub folder: PathBuf,
    /// Folders, then files, by name.
    pub entries: Vec<FileEntry>,
    /// What has to be said about it: entries left out, or why it cannot be read.
    pub remark: String,
}

/// One entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileEntry {
    /// Whether it is no folder; folders sort first.
    pub is_file: bool,
    /// Its name.
    pub name: String,
}

/// The open picker.
#[derive(Debug, Clone)]
pub struct Picker {
    /// The folder that was asked for last; an answer for another one comes too late.
    wanted: PathBuf,
    /// What is shown.
    pub listing: Listing,
    /// The filter.
    pub input: Input,
    /// The chosen line among [`Picker::shown`].
    pub cursor: usize,
}

impl Picker {
    /// The entries that contain the typed text, `..` first while nothing is typed.
    #[must_use]
    pub fn shown(&self) -> Vec<&str> {
        let typed = self.input.value().to_lowercase();
        let up = (typed.is_empty() && self.listing.folder.parent().is_some()).then_some("..");
        let fits = |e: &&FileEntry| e.name.to_lowercase().contains(&typed);
        up.into_iter().chain(self.listing.entries.iter().filter(fits).map(|e| e.name.as_str())).collect()
    }

    /// Whether this entry is a folder.
    #[must_use]
    pub fn is_folder(&self, name: &str) -> bool {
        let known = |e: &FileEntry| !e.is_file && e.name == name;
        name == ".." || self.listing.entries.iter().any(known)
    }

    /// Moves the cursor.
    pub fn scroll(&mut self, by: isize) {
        let last = self.shown().len().saturating_sub(1);
        self.cursor = self.cursor.saturating_add_signed(by).min(last);
    }

    fn go(&mut self, folder: PathBuf) -> Vec<Effect> {
        // At once, not when the list arrives: what is typed meanwhile filters the new folder.
        self.input.reset();
        self.cursor = 0;
        self.listing.entries.clear();
        self.listing.remark = READING.into();
        self.wanted.clone_from(&folder);
        vec![Effect::List(folder)]
    }

    fn up(&mut self) -> Vec<Effect> {
        let parent = self.listing.folder.parent().map(Path::to_path_buf);
        parent.map_or_else(Vec::new, |folder| self.go(folder))
    }
}

/// Opens the picker; the list comes from the worker.
pub(super) fn open(state: &mut State) -> Vec<Effect> {
    let start = PathBuf::from(START);
    let listing =
        Listing { asked: start.clone(), folder: start.clone(), entries: Vec::new(), remark: READING.into() };
    state.overlay = Overlay::Files(Box::new(Picker {
        wanted: start.clone(),
        listing,
        input: Input::default(),
        cursor: 0,
    }));
    vec![Effect::List(start)]
}

/// Shows a folder, if it is still wanted.
pub(super) fn listed(state: &mut State, listing: Listing) {
    let Overlay::Files(picker) = &mut state.overlay else { return };
    if picker.wanted == listing.asked {
        picker.listing = listing;
    }
}

/// A key while the picker is open.
pub(super) fn in_files(state: &mut State, key: &str) -> Vec<Effect> {
    state.message = None;
    let Overlay::Files(picker) = &mut state.overlay else { return Vec::new() };
    match key {
        "esc" => state.overlay = Overlay::None,
        "up" => picker.scroll(-1),
        "down" => picker.scroll(1),
        "pageup" => picker.scroll(-10),
        "pagedown" => picker.scroll(10),
        "backspace" if picker.input.value().is_empty() => return picker.up(),
        "enter" => return choose(state),
        _ => {
            if let Some(request) = edit(key) {
                super::keys::edit_line(&mut state.overlay, request);
            }
        }
    }
    Vec::new()
}

/// Enter: opens a folder, or has the file read.
fn choose(state: &mut State) -> Vec<Effect> {
    let Overlay::Files(picker) = &mut state.overlay else { return Vec::new() };
    let Some(name) = picker.shown().get(picker.cursor).map(ToString::to_string) else {
        return say(state, Tone::Refused, "nothing here has this name; Backspace widens the filter");
    };
    if name == ".." {
        return picker.up();
    }
    let path = picker.listing.folder.join(&name);
    if picker.is_folder(&name) {
        return picker.go(path);
    }
    if state.job.is_some() {
        return say(state, Tone::Refused, "another file is being read; Esc, then Esc again cancels it");
    }
    state.overlay = Overlay::None;
    state.job = Some(format!("reading {} …", path.display()));
    vec![Effect::Import(state.session.clone(), path)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picker(names: &[(&str, bool)]) -> Picker {
        let entries = names.iter().map(|(n, f)| FileEntry { is_file: *f, name: (*n).into() }).collect();
        let (folder, remark) = (PathBuf::from("/a/b"), String::new());
        let listing = Listing { asked: folder.clone(), folder: folder.clone(), entries, remark };
        Picker { wanted: folder, listing, input: Input::default(), cursor: 0 }
    }

    #[test]
    fn typing_filters_and_the_cursor_stays_inside() {
        let mut p = picker(&[("build", false), ("build.log", true), ("k.cubin", true)]);
        assert_eq!(p.shown(), ["..", "build", "build.log", "k.cubin"]);
        p.scroll(99);
        assert_eq!(p.cursor, 3);
        p.input = Input::new("LOG".into());
        assert_eq!(p.shown(), ["build.log"]);
        assert!(p.is_folder("build") && !p.is_folder("build.log"));
    }

    #[test]
    fn going_up_asks_for_the_parent_and_stops_at_the_root() {
        let mut p = picker(&[]);
        assert!(matches!(&p.up()[..], [Effect::List(f)] if f == Path::new("/a")));
        p.listing.folder = PathBuf::from("/");
        assert!(p.up().is_empty() && p.shown().is_empty());
    }
}
