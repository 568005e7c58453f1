//! How often instructions ran: the weights of basic blocks (paper 2, section 4.2, "traces").
//!
//! Two forms, both CSV. Nsight Compute's source page (`ncu --page source --csv`, view `sass`) has for each kernel a line
//! `"Kernel Name","…"` and a table with the columns `Address`, `Thread Instructions Executed` and others. A file of one's
//! own needs the columns `address` (of any instruction of the block, as the listing has it, hexadecimal) and `threads` (how
//! many threads ran it), and may have `kernel`:
//!
//! ```text
//! kernel,address,threads
//! saxpy,0x0000,1048576
//! saxpy,0x0090,1000000
//! ```

use super::SassFunction;
use crate::compiler::{ReportError, ReportPlace, bytes_from, quoted};
use crate::text::unreadable;
use std::collections::BTreeMap;
use std::path::Path;

/// Columns that count threads, the one that counts best first.
const THREADS: [&str; 3] = ["threads", "thread instructions executed", "instructions executed"];

/// What a file says of the instructions of one kernel.
#[derive(Debug, Clone, PartialEq, Default)]
struct ExecutedKernel {
    /// As the file calls it; empty where it does not.
    name: String,
    /// Address and how often it ran.
    counts: BTreeMap<u64, f64>,
}

/// How often the instructions of some kernels ran.
#[derive(Debug, Clone, PartialEq)]
pub struct ExecutedInstructions {
    file: String,
    kernels: Vec<ExecutedKernel>,
}

/// Threads that ran each basic block of a function, by the block's address.
pub type BlockWeights = BTreeMap<u64, f64>;

/// Where the columns of a table stand.
struct CountColumns {
    address: usize,
    threads: usize,
    kernel: Option<usize>,
}

impl CountColumns {
    /// `None` for a line that heads no such table.
    fn in_header(cells: &[String]) -> Option<Self> {
        let place = |name: &str| cells.iter().position(|cell| cell.trim().eq_ignore_ascii_case(name));
        Some(Self {
            address: place("address")?,
            threads: THREADS.into_iter().find_map(place)?,
            kernel: place("kernel"),
        })
    }
}

impl ExecutedInstructions {
    /// Reads the file.
    ///
    /// # Errors
    /// [`ReportError`] where it cannot be read, has no such table, or a number is none.
    pub fn read_path(path: &Path) -> Result<Self, ReportError> {
        let file = path.display().to_string();
        let refuse = |place, message: String| ReportError::new(&file, place, message);
        let opened = std::fs::File::open(path).map_err(|e| refuse(ReportPlace::Whole, unreadable(&e)))?;
        let size = opened.metadata().ok().map(|m| m.len());
        Self::read_counts(&bytes_from(opened, size, &file)?, &file)
    }

    /// Reads the content of such a file.
    ///
    /// # Errors
    /// [`ReportError`] where there is no such table, or a number is none.
    pub fn read_counts(bytes: &[u8], file: &str) -> Result<Self, ReportError> {
        let refuse = |place, message: String| ReportError::new(file, place, message);
        let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(bytes);
        let (mut kernels, mut name) = (BTreeMap::<String, ExecutedKernel>::new(), String::new());
        let mut columns: Option<CountColumns> = None;
        for record in reader.byte_records() {
            let record = record.map_err(|e| refuse(ReportPlace::Whole, format!("is no CSV: {e}")))?;
            let line = record.position().map_or(1, |p| p.line() as usize);
            let cells: Vec<String> = record.iter().map(|c| String::from_utf8_lossy(c).into_owned()).collect();
            if cells.first().is_some_and(|c| c.trim().eq_ignore_ascii_case("kernel name")) {
                name = cells.get(1).cloned().unwrap_or_default();
                columns = None;
                continue;
            }
            let Some(known) = &columns else {
                columns = CountColumns::in_header(&cells);
                continue;
            };
            let cell = |at: usize| cells.get(at).map_or("", |c| c.trim());
            let Some(address) = typed_address(cell(known.address)) else {
                let what = format!(
                    "address {}: expected a hexadecimal number such as 0x0090",
                    quoted(cell(known.address))
                );
                return Err(refuse(ReportPlace::Line(line), what));
            };
            let threads = cell(known.threads).replace(',', "");
            let Some(threads) = threads.parse::<f64>().ok().filter(|n| n.is_finite() && *n >= 0.0) else {
                let what = format!("count {}: expected a number, 0 or above", quoted(cell(known.threads)));
                return Err(refuse(ReportPlace::Line(line), what));
            };
            let of = known.kernel.map_or(name.as_str(), cell).to_string();
            let kernel = kernels
                .entry(of.clone())
                .or_insert_with(|| ExecutedKernel { name: of, ..Default::default() });
            *kernel.counts.entry(address).or_default() += threads;
        }
        let kernels: Vec<ExecutedKernel> = kernels.into_values().filter(|k| !k.counts.is_empty()).collect();
        if kernels.is_empty() {
            let what = "has no counts: expected the columns address and threads, or what `ncu --page source --csv` prints";
            return Err(refuse(ReportPlace::Whole, what.into()));
        }
        Ok(Self { file: file.to_string(), kernels })
    }

    /// Threads that ran each block of this function: the largest count among the block's instructions.
    ///
    /// # Errors
    /// [`ReportError`] where the file does not name this kernel among several, or counts none of its instructions.
    pub fn block_weights(&self, function: &SassFunction) -> Result<BlockWeights, ReportError> {
        let refuse = |message: String| ReportError::new(&self.file, ReportPlace::Whole, message);
        let is_named = |kernel: &&ExecutedKernel| {
            let bare = kernel.name.split(['(', '<']).next().unwrap_or_default().trim();
            let bare = bare.rsplit([' ', ':']).next().unwrap_or_default();
            let own = function.name.split(['(', '<']).next().unwrap_or_default();
            kernel.name == function.symbol || kernel.name == function.name || bare == own
        };
        let only = if let [one] = &self.kernels[..] { Some(one) } else { None };
        let found = self.kernels.iter().find(is_named).or(only.filter(|k| k.name.is_empty()));
        let Some(kernel) = found else {
            let names: Vec<String> = self.kernels.iter().take(5).map(|k| quoted(&k.name)).collect();
            return Err(refuse(format!(
                "counts {}, not {}; give the counts of this kernel",
                names.join(", "),
                quoted(&function.name)
            )));
        };
        let first = function.blocks.first().map_or(0, |block| block.address);
        let last = function.blocks.last().map_or(0, |block| block.address);
        let lowest = kernel.counts.keys().next().copied().unwrap_or(0);
        // A profiler states where the code was loaded, and lists it from its first instruction on.
        let shift = if lowest > last { lowest - first } else { 0 };
        let mut weights: BlockWeights = function.blocks.iter().map(|block| (block.address, 0.0)).collect();
        let mut met = false;
        for (address, threads) in &kernel.counts {
            let Some((_, weight)) = weights.range_mut(..=address.saturating_sub(shift)).next_back() else {
                continue;
            };
            *weight = weight.max(*threads);
            met |= *threads > 0.0;
        }
        if met {
            Ok(weights)
        } else {
            Err(refuse(format!("counts no instruction of {}", quoted(&function.name))))
        }
    }
}

/// `0x0090`, or the same without its prefix.
fn typed_address(text: &str) -> Option<u64> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")).unwrap_or(text);
    u64::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compiler::sass::read_listing;

    const LISTING: &str = "code for sm_70\nFunction : k\n/*0000*/ FFMA R1, R1, R1, R1 ;\n/*0010*/ @P0 BRA 0x40 ;\n\
         /*0020*/ MUFU.RCP R2, R1 ;\n/*0030*/ FFMA R2, R2, R2, R2 ;\n/*0040*/ EXIT ;\n";

    fn weights(text: &str) -> Result<BlockWeights, String> {
        let listing = read_listing(LISTING.as_bytes(), "l", None).unwrap();
        let counts =
            ExecutedInstructions::read_counts(text.as_bytes(), "c.csv").map_err(|e| e.to_string())?;
        counts.block_weights(&listing.functions[0]).map_err(|e| e.to_string())
    }

    #[test]
    fn both_forms_give_the_threads_of_each_block() {
        let expected = BTreeMap::from([(0, 1024.0), (0x20, 64.0), (0x40, 1024.0)]);
        let own = "kernel,address,threads\nk,0x0010,1024\nk,0x20,64\nother,0x20,5\nk,40,1024\n";
        assert_eq!(weights(own), Ok(expected.clone()));
        let page = "\"Kernel Name\",\"k(float *, int)\"\n\
            \"Address\",\"Source\",\"Instructions Executed\",\"Thread Instructions Executed\"\n\
            \"0x7f10\",\"FFMA R1\",\"32\",\"1,024\"\n\"0x7f20\",\"@P0 BRA\",\"32\",\"1,024\"\n\
            \"0x7f30\",\"MUFU.RCP\",\"2\",\"64\"\n\"0x7f40\",\"FFMA\",\"2\",\"64\"\n\"0x7f50\",\"EXIT\",\"32\",\"1024\"\n";
        assert_eq!(weights(page), Ok(expected));
    }

    #[test]
    fn what_is_no_count_names_its_line_and_what_is_expected() {
        let refused = |text: &str, words: &str| {
            let why = weights(text).unwrap_err();
            assert!(why.contains(words), "{why}");
        };
        refused("address,threads\n0x10,many\n", ":2");
        refused("address,threads\nzz,1\n", "expected a hexadecimal number");
        refused("a,b\n1,2\n", "expected the columns address and threads");
        refused("kernel,address,threads\nother,0x10,1\n", "not `k`");
        refused("address,threads\n0x10,0\n", "counts no instruction of `k`");
    }
}
