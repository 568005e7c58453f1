//! The file picker: a folder's list, filtered while typing. What it lists and reads comes from the worker.

use super::listing::FolderListing;
use crate::tui::filter::Filter;
use crate::tui::message::Effect;
use crate::tui::text::{LONGEST_TYPED, edit_line};
use std::path::{Path, PathBuf};
use tui_input::{Input, InputRequest};

/// Where a picker begins.
const START: &str = ".";

/// What stands where the list will be.
const READING: &str = "reading the folder …";

/// The open picker.
#[derive(Debug, Clone)]
pub struct Picker {
    /// The folder that was asked for last; an answer for another one comes too late.
    wanted: PathBuf,
    /// What is shown.
    pub listing: FolderListing,
    /// The filter.
    pub input: Input,
    /// Whether the list of [`Picker::listing`]'s folder has not come yet.
    reading: bool,
    /// The chosen line among [`Picker::shown`].
    pub cursor: usize,
}

impl Picker {
    /// The entries that fit the typed text, the best first; `..` before all while nothing is typed.
    #[must_use]
    pub fn shown(&self) -> Vec<&str> {
        let filter = Filter::new(self.input.value());
        let up = (filter.is_empty() && !self.reading && self.parent().is_some()).then_some("..");
        let entries = self.listing.entries.iter().map(|e| (e.name.as_str(), vec![e.name.clone()]));
        up.into_iter().chain(filter.ranked(entries)).collect()
    }

    /// Whether this entry is a folder.
    #[must_use]
    pub fn is_folder(&self, name: &str) -> bool {
        let known = |e: &super::listing::FileEntry| !e.is_file && e.name == name;
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
        self.listing.folder.clone_from(&folder);
        self.wanted.clone_from(&folder);
        self.reading = true;
        vec![Effect::List(folder)]
    }

    fn up(&mut self) -> Vec<Effect> {
        let parent = self.parent().map(Path::to_path_buf);
        parent.map_or_else(Vec::new, |folder| self.go(folder))
    }

    /// The folder above; `None` for a root, and for a relative name whose full name is not known yet.
    fn parent(&self) -> Option<&Path> {
        self.listing.folder.parent().filter(|p| !p.as_os_str().is_empty())
    }
}

impl Picker {
    /// A picker of the folder that the program was started in, which is not listed yet.
    #[must_use]
    pub fn before_listing() -> (Self, Effect) {
        let start = PathBuf::from(START);
        let remark = READING.into();
        let listing =
            FolderListing { asked: start.clone(), folder: start.clone(), entries: Vec::new(), remark };
        let picker =
            Self { wanted: start.clone(), listing, input: Input::default(), reading: true, cursor: 0 };
        (picker, Effect::List(start))
    }

    /// Shows a folder, if it is still wanted; none comes: says so in its place.
    pub fn take_listing(&mut self, listing: Option<&FolderListing>) {
        match listing {
            Some(listing) if self.wanted != listing.asked => return,
            Some(listing) => self.listing = listing.clone(),
            None => self.listing.remark = "cannot be read".into(),
        }
        self.reading = false;
    }

    /// Changes the filter; deleting from an empty one goes up.
    pub fn edit_filter(&mut self, request: InputRequest) -> Vec<Effect> {
        if request == InputRequest::DeletePrevChar && self.input.value().is_empty() {
            return self.up();
        }
        self.cursor = 0;
        edit_line(&mut self.input, request, LONGEST_TYPED);
        Vec::new()
    }

    /// Enter: opens a folder, or chooses the file.
    pub fn choose(&mut self) -> Choice {
        if self.reading {
            return Choice::Opened(Vec::new());
        }
        let Some(name) = self.shown().get(self.cursor).map(ToString::to_string) else {
            return Choice::Nothing;
        };
        if name == ".." {
            return Choice::Opened(self.up());
        }
        let path = self.listing.folder.join(&name);
        if self.is_folder(&name) { Choice::Opened(self.go(path)) } else { Choice::File(path) }
    }
}

/// What Enter chose.
#[derive(Debug)]
pub enum Choice {
    /// No entry stands there.
    Nothing,
    /// Another folder is shown.
    Opened(Vec<Effect>),
    /// This file.
    File(PathBuf),
}

#[cfg(test)]
mod tests {
    use super::super::listing::FileEntry;
    use super::*;

    fn picker(names: &[(&str, bool)]) -> Picker {
        let entries = names.iter().map(|(n, f)| FileEntry { is_file: *f, name: (*n).into() }).collect();
        let (folder, remark) = (PathBuf::from("/a/b"), String::new());
        let listing = FolderListing { asked: folder.clone(), folder: folder.clone(), entries, remark };
        Picker { wanted: folder, listing, input: Input::default(), reading: false, cursor: 0 }
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
    fn going_up_asks_for_the_parent_of_what_was_asked_for_and_stops_at_the_root() {
        let mut p = picker(&[("c", false)]);
        assert!(matches!(&p.up()[..], [Effect::List(f)] if f == Path::new("/a")));
        assert!(p.shown().is_empty(), "nothing of the old folder can be chosen while the new one is read");
        assert!(matches!(&p.up()[..], [Effect::List(f)] if f == Path::new("/")), "not /a again");
        assert!(p.up().is_empty() && p.shown().is_empty());
        p.go("/a/b/c".into());
        assert!(matches!(&p.up()[..], [Effect::List(f)] if f == Path::new("/a/b")));
        p.listing.folder = START.into();
        assert!(p.up().is_empty(), "the folder above has no name yet");
    }
}
