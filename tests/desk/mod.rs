//! A user's machine, on which command-line stories take place.

#![allow(dead_code)] // no story needs all of it

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tempfile::TempDir;

/// A user's machine: an empty configuration folder, and a folder for files.
pub struct Desk(TempDir);

/// What a command left behind.
pub struct Outcome {
    /// The exit code.
    pub code: i32,
    /// What it answered.
    pub stdout: String,
    /// What it remarked.
    pub stderr: String,
}

impl Desk {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::fs::create_dir(folder.path().join("config")).expect("an empty configuration folder");
        Self(folder)
    }

    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, content).expect("a file in the temporary folder");
        path
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).expect("a file in the temporary folder")
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The program with words separated by spaces, then one more argument per path.
    pub fn command(&self, words: &str, paths: &[&Path]) -> std::process::Command {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_roofswap"));
        command.args(words.split_whitespace()).args(paths).stdin(Stdio::null());
        command.env("ROOFSWAP_CONFIG", self.path("config")).env("ROOFSWAP_CACHE", self.path("cache"));
        command.current_dir(self.0.path());
        command
    }

    pub fn types(&self, words: &str) -> Outcome {
        self.types_with(words, &[])
    }

    pub fn types_with(&self, words: &str, paths: &[&Path]) -> Outcome {
        let done = self.command(words, paths).output().expect("the program starts");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8 on the terminal");
        Outcome {
            code: done.status.code().expect("it ended by itself"),
            stdout: text(done.stdout),
            stderr: text(done.stderr),
        }
    }
}

impl Outcome {
    #[track_caller]
    pub fn works(self) -> Self {
        assert_eq!(self.code, 0, "{}", self.stderr);
        self
    }

    #[track_caller]
    pub fn ends(self, code: i32, said: &[&str]) -> Self {
        assert_eq!(self.code, code, "{}", self.stderr);
        for words in said {
            assert!(self.stderr.contains(words), "{words:?} is not in: {}", self.stderr);
        }
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
        self
    }

    #[track_caller]
    pub fn json(&self) -> Vec<Value> {
        serde_json::from_str(&self.stdout).expect("an array")
    }
}

/// A number of an answer in JSON.
pub fn number(row: &Value, field: &str) -> f64 {
    row[field].as_f64().unwrap_or_else(|| panic!("{field}: {row}"))
}
