//! Kernel Tuner's cache file: JSON with one entry per configuration that was compiled and timed.
//!
//! While a tuning run goes on, and after one that was killed, the file ends behind its last entry (`},`): whatever entries
//! are whole are read. Configurations that failed to compile or to run are no measurements and are only counted. The grid
//! depends on the divisors given to the tuner, which the file does not hold: it stays unknown.

mod entry;

use super::{ImportJob, Imported, Importer};
use crate::import::lines::{clipped_cell, has_all};
use crate::measurement::ReadError;
use entry::{EntryVerdict, Tuned, TunedEntry};
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt;
use std::io::{BufRead, Error, ErrorKind, Read};

pub(super) const IMPORTER: Importer =
    Importer { name: "Kernel Tuner cache", recognises: is_own_format, read: read_rows };

/// The largest cache that is read; one of 50,000 configurations has 50 MB.
const LARGEST: u64 = 1 << 30;

fn is_own_format(head: &[u8]) -> bool {
    let start = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    start.starts_with(b"{")
        && (has_all(head, &["\"tune_params_keys\""]) || has_all(head, &["\"cache\"", "\"framework_time\""]))
}

fn read_rows(reader: &mut dyn BufRead, job: &ImportJob<'_>) -> Result<Imported, ReadError> {
    let line = Cell::new(1);
    let mut cache = CacheSoFar::new(job, &line);
    let mut json =
        serde_json::Deserializer::from_reader(CountedLines { inner: reader, line: &line, bytes: 0 });
    let outcome = json.deserialize_map(CacheFile(&mut cache)).and_then(|()| json.end());
    let cut_off = match outcome {
        Ok(()) => false,
        // Nothing is wrong but the end is missing, and the entries had begun.
        Err(e) if e.is_eof() && cache.begun => true,
        Err(e) => {
            // It may quote a text of the file, however long.
            let why: String = crate::text::clipped_text(e.to_string(), 300);
            return Err(job.read_error(format!("line {}: {why}", line.get())));
        }
    };
    cache.into_imported(cut_off)
}

/// Counts lines for messages, and stops at what no cache contains.
struct CountedLines<'a> {
    inner: &'a mut dyn BufRead,
    line: &'a Cell<u64>,
    bytes: u64,
}

impl Read for CountedLines<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let n = self.inner.read(buffer)?;
        let invalid = |what| Err(Error::new(ErrorKind::InvalidData, what));
        for byte in &buffer[..n] {
            match byte {
                b'\n' => self.line.set(self.line.get() + 1),
                0 => return invalid("contains a NUL byte: this is a binary file or UTF-16; give UTF-8"),
                _ => {}
            }
        }
        self.bytes += n as u64;
        if self.bytes > LARGEST {
            return invalid("is larger than 1 GiB; expected the cache of one tuning run");
        }
        Ok(n)
    }
}

/// What has been read so far.
struct CacheSoFar<'a> {
    job: &'a ImportJob<'a>,
    line: &'a Cell<u64>,
    tuned: Tuned,
    /// Which of the members that are used were there.
    seen: Vec<String>,
    begun: bool,
    entries: u64,
    /// Entries that stood before what they need to be understood (the file's keys were sorted by another program).
    waiting: Vec<(u64, String, TunedEntry)>,
    failed: BTreeMap<&'static str, usize>,
    out: Imported,
}

impl<'a> CacheSoFar<'a> {
    fn new(job: &'a ImportJob<'a>, line: &'a Cell<u64>) -> Self {
        Self {
            job,
            line,
            tuned: Tuned::default(),
            seen: Vec::new(),
            begun: false,
            entries: 0,
            waiting: Vec::new(),
            failed: BTreeMap::new(),
            out: Imported::default(),
        }
    }

    fn entry(&mut self, line: u64, key: String, entry: TunedEntry) {
        if !self.tuned.is_complete() {
            self.waiting.push((line, key, entry));
            return;
        }
        match self.tuned.entry_verdict(&key, entry, &format!("{}:{line}", self.job.file)) {
            Ok(EntryVerdict::Timed(row)) => self.out.rows.push(&row),
            Ok(EntryVerdict::Failed(how)) => *self.failed.entry(how).or_default() += 1,
            Err(why) => self.out.add_refusal(self.job, line, why),
        }
    }

    fn into_imported(mut self, cut_off: bool) -> Result<Imported, ReadError> {
        if let Some(missing) = self.tuned.missing() {
            let what = "expected a cache file as Kernel Tuner writes it (option `cache`)";
            return Err(self.job.read_error(format!("has no `{missing}`; {what}")));
        }
        if !self.begun {
            return Err(self.job.read_error("has no `cache`; is the file cut off?"));
        }
        self.tuned.gpu.get_or_insert_default();
        for (line, key, entry) in std::mem::take(&mut self.waiting) {
            self.entry(line, key, entry);
        }
        for (how, n) in &self.failed {
            self.out.remarks.push(format!("{n} configurations {how}: they have no time and are no rows"));
        }
        if cut_off {
            let n = self.entries;
            let what = "the file has no end (a tuning run that goes on, or was killed)";
            self.out.remarks.push(format!("{what}; its {n} whole configurations were read"));
        }
        Ok(self.out)
    }
}

/// The whole file.
struct CacheFile<'c, 'a>(&'c mut CacheSoFar<'a>);

impl<'de> Visitor<'de> for CacheFile<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with device_name, kernel_name, problem_size, tune_params_keys and cache")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            if self.0.seen.contains(&key) {
                return Err(A::Error::custom(format!("`{}` stands twice; keep one", clipped_cell(&key))));
            }
            match key.as_str() {
                "cache" => map.next_value_seed(Entries(self.0))?,
                name if Tuned::MEMBERS.contains(&name) => {
                    let value: Value = map.next_value()?;
                    self.0.tuned.member(name, &value).map_err(A::Error::custom)?;
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
            }
            self.0.seen.push(key);
        }
        Ok(())
    }
}

/// The member `cache`.
struct Entries<'c, 'a>(&'c mut CacheSoFar<'a>);

impl<'de> DeserializeSeed<'de> for Entries<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.0.begun = true;
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Entries<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with one entry per configuration")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            let line = self.0.line.get();
            let entry: TunedEntry = map.next_value()?;
            if self.0.entries.is_multiple_of(256) && self.0.job.is_cancelled() {
                return Err(A::Error::custom("cancelled"));
            }
            self.0.entries += 1;
            self.0.entry(line, key, entry);
        }
        Ok(())
    }
}

#[cfg(test)]
pub(super) mod tests;
