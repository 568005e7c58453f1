//! Columns of a file that no number is read from: which they are, and what they may have been meant as.

use super::canonical::is_column;
use super::columns::header_names;
use super::{FLUSHED_CACHES, Number, POWER_LIMIT_COLUMN};
use crate::text::first_names;

/// Columns that are read though they hold no number of the canonical row.
const READ_ELSEWHERE: [&str; 4] = ["pipe", "kernel_signature", FLUSHED_CACHES[0], POWER_LIMIT_COLUMN];

/// As many names are said.
const MOST_NAMED: usize = 6;

/// From this Jaro-Winkler likeness on a name is taken for a slip of another.
const LIKE: f64 = 0.9;

/// What must be said of the columns of this header that nobody knows; `None` where there are none. What stands behind `source` was
/// brought by a report: this program writes such columns there.
#[must_use]
pub fn other_columns_note(first_line: &[u8]) -> Option<String> {
    let mut header = csv::ByteRecord::new();
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(first_line);
    reader.read_byte_record(&mut header).ok()?;
    let names = header_names(header.iter()).ok()?;
    let typed = names.iter().take_while(|name| *name != "source");
    let unknown: Vec<String> = typed
        .filter(|name| !is_column(name) && !READ_ELSEWHERE.contains(&name.as_str()))
        .map(|name| named_with_nearest(name))
        .collect();
    (!unknown.is_empty()).then(|| {
        let named = first_names(&unknown, MOST_NAMED);
        format!("columns kept as text, no number is read from them: {named}; docs/files.md lists those that are read")
    })
}

/// `smem (meant: smem_static_bytes or smem_dynamic_bytes?)`.
fn named_with_nearest(name: &str) -> String {
    let shown = crate::text::harmless_line(&crate::text::clipped_text(name, 40));
    match &nearest_columns(name)[..] {
        [] => shown,
        near => format!("{shown} (meant: {}?)", near.join(" or ")),
    }
}

/// Up to three columns that this name is near: the same in other letters or another unit, a first word of them, or a slip.
fn nearest_columns(name: &str) -> Vec<&'static str> {
    let plain = |text: &str| text.to_lowercase().replace(['-', ' ', '.'], "_");
    let typed = plain(name);
    let meaning = match typed.as_str() {
        "registers" | "reg" => "regs",
        "threads" | "block_size" | "blocksize" => "block",
        "shared" | "shared_memory" | "shared_mem" | "smem_bytes_per_block" => "smem",
        "bytes" => "dram",
        "duration" | "runtime" | "ms" | "us" => "time",
        other => other,
    };
    let texts = ["block", "grid", "dtype", "problem", "variant"];
    let columns = || Number::ALL.iter().map(|number| number.column()).chain(texts);
    let first_word = |text: &str| text.split('_').next().map(str::to_string);
    let by_word = columns().filter(|column| first_word(column) == first_word(meaning));
    let by_slip = columns().filter(|column| strsim::jaro_winkler(&typed, column) >= LIKE);
    let mut found: Vec<&'static str> = Vec::new();
    for column in columns().filter(|column| *column == meaning).chain(by_word).chain(by_slip) {
        if !found.contains(&column) && found.len() < 3 {
            found.push(column);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_that_nobody_reads_are_named_with_what_they_may_mean() {
        let note = |header: &str| other_columns_note(header.as_bytes());
        let said = note("gpu,kernel,problem,time_ms,smem,Flops,note\n").unwrap();
        for words in
            ["smem (meant: smem_static_bytes or smem_dynamic_bytes", "Flops (meant: flops?)", ", note;"]
        {
            assert!(said.contains(words), "{words}: {said}");
        }
        assert!(note("gpu,kernel,time_ms,registers\n").unwrap().contains("regs_per_thread"));
        assert_eq!(note("gpu,kernel,problem,time_ms,block,grid,dram_bytes,pipe,source\n"), None);
        assert_eq!(note("gpu,kernel,time_ms,source,stream,context\n"), None, "what a report brought");
        assert_eq!(note("name,ms\n"), None, "another file");
    }

    #[test]
    fn the_documentation_lists_every_column() {
        let docs = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/files.md"));
        for number in Number::ALL {
            assert!(docs.contains(&format!("`{}`", number.column())), "{}", number.column());
        }
    }

    #[test]
    fn files_written_here_say_nothing() {
        let row = super::super::CanonicalRow {
            attributes: [("stream".to_string(), "7".to_string())].into_iter().collect(),
            ..Default::default()
        };
        assert_eq!(other_columns_note(&super::super::write_csv(&[row])), None);
    }
}
