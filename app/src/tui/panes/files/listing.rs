//! A folder as the worker found it.

use std::path::PathBuf;

/// The most entries of a folder that are listed.
pub const MOST_ENTRIES: usize = 20_000;

/// A folder as the worker found it.
#[derive(Debug, Clone)]
pub struct FolderListing {
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
