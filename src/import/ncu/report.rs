//! `.ncu-rep`: the report itself. `NVR\0`, then a file header and blocks, each message after its size in four bytes.
//!
//! A block is its header and a payload of sources (code, skipped), results (launches) and range results. Metrics name
//! themselves by a place in a table whose pieces stand in the headers of all blocks: headers are read first.

use super::collector::Collector;
use super::launch::{ProfiledLaunch, refusal};
use super::messages::{BlockHeader, Dimensions, ProfileResult};
use super::metrics::wanted;
use crate::import::{ImportJob, Imported, Importer};
use crate::measurement::ReadError;
use prost::Message;
use std::io::{BufRead, Read};
use std::sync::Arc;

pub(in crate::import) const IMPORTER: Importer =
    Importer { name: "Nsight Compute report (.ncu-rep)", recognises: is_own_format, read: read_rows };

const MAGIC: &[u8] = b"NVR\0";

/// The largest report that is read into memory.
const LARGEST: u64 = 2 << 30;

/// The most metric names a report may have.
const MOST_NAMES: usize = 1 << 20;

/// Reports of more launches than these have no launches as small as the next number, in bytes: real ones have thousands. A
/// row takes a kilobyte of memory, whatever a damaged or made-up report says of it in four bytes.
const MANY_LAUNCHES: usize = 1 << 16;
const SMALL_LAUNCH: usize = 128;

/// The metric that names the GPU.
const DEVICE: &str = "device__attribute_display_name";

fn is_own_format(head: &[u8]) -> bool {
    head.starts_with(MAGIC)
}

fn read_rows(from: &mut dyn BufRead, job: &ImportJob<'_>) -> Result<Imported, ReadError> {
    let mut all = Vec::new();
    from.take(LARGEST + 1)
        .read_to_end(&mut all)
        .map_err(|e| job.read_error(format!("cannot be read: {e}")))?;
    if all.len() as u64 > LARGEST {
        return Err(job.read_error("is larger than 2 GiB; export it with ncu --import FILE --csv --page raw"));
    }
    let blocks = file_blocks(&all).map_err(|why| job.read_error(why))?;
    let mut collector = Collector::new(job);
    let mut at = 0u64;
    for result in blocks.results {
        at += 1;
        if job.is_cancelled() {
            return Err(job.read_error("cancelled"));
        }
        match parsed_launch(result, &blocks.names, at) {
            Ok(launch) => collector.push(&launch),
            Err((column, message)) => collector.add_refusal(at, column, message),
        }
    }
    if blocks.ranges > 0 {
        collector.out.remark(format!(
            "{} ranges of several launches were left out: they are no launches",
            blocks.ranges
        ));
    }
    if blocks.unknown > 0 {
        let what =
            "bytes of an unknown kind are ignored: the report is from another version of ncu, or damaged";
        collector.out.remark(format!("{} {what}", blocks.unknown));
    }
    Ok(collector.into_imported())
}

/// What lies in a report, its messages still as bytes.
struct Blocks<'a> {
    /// The names that are wanted, by their place.
    names: Vec<Option<Arc<str>>>,
    results: Vec<&'a [u8]>,
    ranges: u64,
    /// Bytes of payloads that are of no known kind.
    unknown: u64,
}

/// Where the reading stands.
struct Cursor<'a> {
    all: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    /// The message that comes next.
    fn message(&mut self, what: &str) -> Result<&'a [u8], String> {
        let cut = |at: usize| format!("byte {at}: the report ends within a {what}; copy the whole file");
        let size = self.all.get(self.at..self.at + 4).and_then(|b| b.try_into().ok());
        let size = u32::from_le_bytes(size.ok_or_else(|| cut(self.at))?) as usize;
        let start = self.at + 4;
        let message = self.all.get(start..start.saturating_add(size)).ok_or_else(|| cut(self.at))?;
        self.at = start + size;
        Ok(message)
    }
}

fn file_blocks(all: &[u8]) -> Result<Blocks<'_>, String> {
    let mut cursor = Cursor { all, at: MAGIC.len() };
    cursor.message("file header")?;
    let mut out = Blocks { names: Vec::new(), results: Vec::new(), ranges: 0, unknown: 0 };
    while cursor.at < all.len() {
        let start = cursor.at;
        let header = cursor.message("block header")?;
        let header = BlockHeader::decode(header).map_err(|e| {
            format!("byte {start}: a block header cannot be read ({e}); is this from a newer ncu?")
        })?;
        block(&mut cursor, &header, &mut out)?;
    }
    Ok(out)
}

/// Takes in one block's names and launches.
fn block<'a>(cursor: &mut Cursor<'a>, header: &BlockHeader, out: &mut Blocks<'a>) -> Result<(), String> {
    let start = cursor.at;
    let names = header.strings.iter().flat_map(|s| &s.names);
    for name in names {
        let text = std::str::from_utf8(name).ok();
        let kept = text.filter(|t| *t == DEVICE || wanted(t).is_some());
        out.names.push(kept.map(Arc::from));
    }
    if out.names.len() > MOST_NAMES {
        return Err(format!(
            "byte {start}: the report has more than {MOST_NAMES} metric names; is it damaged?"
        ));
    }
    for _ in 0..header.sources.unwrap_or(0) {
        cursor.message("source")?;
    }
    for _ in 0..header.results.unwrap_or(0) {
        out.results.push(cursor.message("launch")?);
    }
    let launches = out.results.len();
    if launches > MANY_LAUNCHES && launches > cursor.at / SMALL_LAUNCH {
        return Err(format!(
            "byte {start}: the report has more than {MANY_LAUNCHES} launches of fewer than {SMALL_LAUNCH} bytes; is it damaged?"
        ));
    }
    for _ in 0..header.ranges.unwrap_or(0) {
        cursor.message("range")?;
        out.ranges += 1;
    }
    // What a later version adds to a payload is passed over by the size that the header states.
    let stated = header.payload.and_then(|n| usize::try_from(n).ok()).and_then(|n| start.checked_add(n));
    match stated {
        Some(end) if end < cursor.at || end > cursor.all.len() => {
            Err(format!("byte {start}: a block does not have the size it states; is the report damaged?"))
        }
        Some(end) => {
            out.unknown += (end - cursor.at) as u64;
            cursor.at = end;
            Ok(())
        }
        None => Ok(()),
    }
}

/// One launch with the metrics that are wanted.
fn parsed_launch(
    result: &[u8],
    names: &[Option<Arc<str>>],
    at: u64,
) -> Result<ProfiledLaunch, super::super::ImportRefusal> {
    let result = ProfileResult::decode(result)
        .map_err(|e| refusal("launch", format!("cannot be read ({e}); is the report damaged?")))?;
    let name = [result.demangled, result.function].into_iter().flatten().find(|n| !n.is_empty());
    let name = String::from_utf8(name.unwrap_or_default())
        .map_err(|_| refusal("Kernel Name", "is not UTF-8; is the report damaged?"))?;
    let shape = |d: Option<Dimensions>| d.map(|d| [d.x, d.y, d.z].map(|n| u64::from(n.unwrap_or(0))));
    let mut launch = ProfiledLaunch {
        line: at,
        id: (at - 1).to_string(),
        kernel: name,
        block: shape(result.block),
        grid: shape(result.grid),
        ..ProfiledLaunch::default()
    };
    for metric in result.metrics {
        let place = metric.name.unwrap_or(0) as usize;
        let Some(name) = names.get(place) else {
            let message = format!("metric {place} has no name; is the report damaged?");
            return Err(refusal("launch", message));
        };
        let (Some(name), Some(value)) = (name, metric.value) else { continue };
        if **name == *DEVICE {
            launch.device = value.text.and_then(|t| String::from_utf8(t).ok()).unwrap_or_default();
        } else if let Some(number) = value.as_number() {
            launch.values.set(name.clone(), number);
        }
    }
    Ok(launch)
}
