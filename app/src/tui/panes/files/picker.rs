//! The file picker: a folder's list, filtered while typing; a path is typed with a slash in it and completed. What it lists and reads
//! comes from the worker.

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
    /// The folder that was gone to: a relative path starts there.
    base: PathBuf,
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
    /// The entries that fit the typed text, the best first; `..` before all while nothing is typed. Of a path those of its folder.
    #[must_use]
    pub fn shown(&self) -> Vec<&str> {
        let typed = self.input.value();
        let filter = Filter::new(self.typed_path().map_or(typed, |(_, name)| name));
        let up = (typed.is_empty() && !self.reading && self.parent().is_some()).then_some("..");
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
        self.base.clone_from(&folder);
        self.read(folder)
    }

    /// Asks for a folder's list; what is typed stays.
    fn read(&mut self, folder: PathBuf) -> Vec<Effect> {
        self.cursor = 0;
        self.listing.entries.clear();
        self.listing.remark = READING.into();
        self.listing.folder.clone_from(&folder);
        self.wanted.clone_from(&folder);
        self.reading = true;
        vec![Effect::List(folder)]
    }

    /// The folder of a typed path, with its slash, and the name behind it; `None` where a name of the list is typed.
    fn typed_path(&self) -> Option<(&str, &str)> {
        let typed = self.input.value();
        let slash = typed.rfind(std::path::is_separator)?;
        Some(typed.split_at(slash + 1))
    }

    /// A folder as typed: absolute, from the home folder, or from where the picker is.
    fn folder_of(&self, typed: &str) -> PathBuf {
        let home = typed.strip_prefix("~/").and_then(|rest| Some(etcetera::home_dir().ok()?.join(rest)));
        home.unwrap_or_else(|| self.base.join(typed))
    }

    /// Asks for the list of what is typed, where that is another folder than the one that was asked for.
    fn follow_path(&mut self) -> Vec<Effect> {
        let folder =
            self.typed_path().map_or_else(|| self.base.clone(), |(folder, _)| self.folder_of(folder));
        if folder == self.wanted { Vec::new() } else { self.read(folder) }
    }

    /// Tab: writes the chosen entry out; a folder with its slash, so that its entries follow.
    pub fn complete(&mut self) -> Vec<Effect> {
        match self.shown().get(self.cursor).map(ToString::to_string) {
            Some(name) if name == ".." => self.up(),
            Some(name) if !self.reading => self.type_entry(&name),
            _ => Vec::new(),
        }
    }

    fn type_entry(&mut self, name: &str) -> Vec<Effect> {
        let folder = self.typed_path().map_or("", |(folder, _)| folder);
        let slash = if self.is_folder(name) { "/" } else { "" };
        self.input = Input::new(format!("{folder}{name}{slash}"));
        self.cursor = 0;
        self.follow_path()
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
        let picker = Self {
            wanted: start.clone(),
            base: start.clone(),
            listing,
            input: Input::default(),
            reading: true,
            cursor: 0,
        };
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
        self.follow_path()
    }

    /// Enter: opens a folder, or chooses the file. A path that no entry fits is read as it was typed, and the worker says why not.
    pub fn choose(&mut self) -> Choice {
        let typed = self.typed_path().filter(|(_, name)| !name.is_empty());
        let typed = typed.map(|(folder, name)| self.folder_of(folder).join(name));
        let listed = if self.reading { None } else { self.shown().get(self.cursor).map(ToString::to_string) };
        let Some(name) = listed else {
            return match typed {
                Some(path) => Choice::File(path),
                None if self.reading => Choice::Opened(Vec::new()),
                None => Choice::Nothing,
            };
        };
        if name == ".." {
            return Choice::Opened(self.up());
        }
        let path = self.listing.folder.join(&name);
        match (self.is_folder(&name), self.typed_path().is_some()) {
            (false, _) => Choice::File(path),
            (true, true) => Choice::Opened(self.type_entry(&name)),
            (true, false) => Choice::Opened(self.go(path)),
        }
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
        Picker {
            wanted: folder.clone(),
            base: folder,
            listing,
            input: Input::default(),
            reading: false,
            cursor: 0,
        }
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

    #[test]
    fn a_path_is_typed_completed_and_read() {
        let type_text = |p: &mut Picker, text: &str| -> Vec<Effect> {
            text.chars().flat_map(|c| p.edit_filter(InputRequest::InsertChar(c))).collect()
        };
        let listed = |p: &mut Picker, names: &[(&str, bool)]| {
            let of_folder = picker(names).listing;
            let folder = p.wanted.clone();
            p.take_listing(Some(&FolderListing { asked: folder.clone(), folder, ..of_folder }));
        };
        let mut p = picker(&[("sub", false), ("k.cubin", true)]);
        // Absolute, typed faster than folders are listed.
        let asked = type_text(&mut p, "/tmp/x/few.ncu-rep");
        assert!(matches!(asked.last(), Some(Effect::List(f)) if f == Path::new("/tmp/x/")), "{asked:?}");
        assert!(matches!(p.choose(), Choice::File(f) if f == Path::new("/tmp/x/few.ncu-rep")));
        // Listed, filtered and completed.
        listed(&mut p, &[("deep", false), ("few.ncu-rep", true), ("many.ncu-rep", true)]);
        assert_eq!(p.shown(), ["few.ncu-rep"]);
        p.input = Input::new("/tmp/x/man".into());
        assert!(p.complete().is_empty());
        assert_eq!(p.input.value(), "/tmp/x/many.ncu-rep");
        p.input = Input::new("/tmp/x/dee".into());
        assert!(
            matches!(p.choose(), Choice::Opened(asked) if matches!(&asked[..], [Effect::List(f)] if f == Path::new("/tmp/x/deep/")))
        );
        assert_eq!(p.input.value(), "/tmp/x/deep/");
        // From the folder that was gone to, and from home.
        let mut p = picker(&[("sub", false), ("k.cubin", true)]);
        type_text(&mut p, "su");
        assert!(matches!(&p.complete()[..], [Effect::List(f)] if f == Path::new("/a/b/sub/")));
        assert_eq!(p.input.value(), "sub/");
        let home = etcetera::home_dir().unwrap();
        p.input = Input::default();
        let asked = type_text(&mut p, "~/runs/a.csv");
        assert!(matches!(asked.last(), Some(Effect::List(f)) if *f == home.join("runs/")), "{asked:?}");
        assert!(matches!(p.choose(), Choice::File(f) if f == home.join("runs/a.csv")));
        // A path that is deleted leaves the folder that was gone to.
        p.input = Input::new("/".into());
        let asked = p.edit_filter(InputRequest::DeletePrevChar);
        assert!(matches!(&asked[..], [Effect::List(f)] if f == Path::new("/a/b")), "{asked:?}");
    }
}
