//! Paper 1's raw files with the columns its models were trained on: `runs_*_final.csv` and `gpu_metrics.json`. The reader of
//! `measurement` makes measurements of them and leaves out what is none (the N that one file gives a kernel without sizes);
//! here every number counts as it stands, because the published figures rest on it.

use crate::text::unreadable;
use serde_json::Value;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Numbers of a GPU that became features, in this order; one the file does not have is 0, as in the paper's code: the two
/// calibrated ones and `sm_count` are always 0, but they count in the SVR's gamma.
pub(super) const DEVICE_FIELDS: [&str; 12] = [
    "peak_fp32_gflops",
    "sustained_compute_gflops",
    "calibrated_compute_gflops",
    "peak_mem_bandwidth_gbps",
    "sustained_bandwidth_gbps",
    "calibrated_mem_bandwidth_gbps",
    "sm_count",
    "max_threads_per_sm",
    "max_blocks_per_sm",
    "registers_per_sm",
    "shared_mem_per_sm",
    "warp_size",
];
/// The sizes that tell configurations apart, in the order in which the paper's code writes them.
pub(super) const SIZES: [&str; 5] = ["N", "rows", "cols", "block", "iters"];
/// The largest file that is read: a guard against damage.
const LARGEST: u64 = 64 << 20;

/// One measured row.
#[derive(Debug, Clone, PartialEq)]
pub struct RawRow {
    /// As the file calls the GPU.
    pub gpu: String,
    /// The kernel.
    pub kernel: String,
    /// N, rows, cols, block, iters; 0 where the file has none.
    pub sizes: [f64; 5],
    /// FLOPs per launch.
    pub flops: f64,
    /// Bytes per launch.
    pub bytes: f64,
    /// Registers per thread.
    pub regs: f64,
    /// Bytes of shared memory per block.
    pub shmem: f64,
    /// Bytes touched.
    pub working_set: f64,
    /// Mean time in milliseconds.
    pub time_ms: f64,
}

/// One GPU of `gpu_metrics.json`.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricsDevice {
    /// As the file calls it.
    pub name: String,
    /// By [`DEVICE_FIELDS`]: GFLOP/s, GB/s, counts, bytes.
    pub numbers: [f64; 12],
}

/// What the files hold.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Raw {
    /// In the order of the files and lines.
    pub rows: Vec<RawRow>,
    /// In the order of the file.
    pub devices: Vec<MetricsDevice>,
}

/// Why the raw files cannot be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RawError {
    /// A file cannot be read, or is not what it looks like.
    #[error("{file}: {what}")]
    File {
        /// Its path.
        file: String,
        /// What is wrong.
        what: String,
    },
    /// A column is missing.
    #[error("{file}: no column `{column}`; Table 6 needs the columns of paper 1's runs_*_final.csv")]
    Column {
        /// Its path.
        file: String,
        /// The column.
        column: &'static str,
    },
    /// A field that is no number.
    #[error("{file}:{line}: {column}: `{value}`; expected {expected}")]
    Field {
        /// The file's path.
        file: String,
        /// The header is line 1.
        line: u64,
        /// The column.
        column: &'static str,
        /// What stands there.
        value: String,
        /// What should.
        expected: &'static str,
    },
    /// No file of this layout is among them.
    #[error(
        "no raw rows of paper 1: Table 6 needs runs_*_final.csv with `mean_ms`, `size_kind` and `gpu_device_name`"
    )]
    NoRows,
    /// A GPU was timed, and no file says what it is.
    #[error("no gpu_metrics.json says what {gpu} is: give that file too")]
    NoDevice {
        /// The GPU.
        gpu: String,
    },
}

/// Reads the raw files among these; others, such as calibration runs, are passed over.
///
/// # Errors
/// [`RawError`]: a raw file that is damaged, no rows at all, or a GPU without an entry in `gpu_metrics.json`.
pub fn raw_files(files: &[PathBuf]) -> Result<Raw, RawError> {
    let mut raw = Raw::default();
    for path in files {
        let file = path.display().to_string();
        let text = file_text(path, &file)?;
        let text = text.trim_start_matches('\u{feff}');
        let first = text.lines().next().unwrap_or_default();
        if ["mean_ms", "size_kind", "gpu_device_name"].iter().all(|c| first.contains(c)) {
            raw.rows.extend(parsed_rows(text, &file)?);
        } else if text.trim_start().starts_with('[') && text.contains("device_name") {
            raw.devices.extend(devices(text, &file)?);
        }
    }
    if raw.rows.is_empty() {
        return Err(RawError::NoRows);
    }
    match raw.rows.iter().find(|row| raw.devices.iter().all(|d| d.name != row.gpu)) {
        Some(row) => Err(RawError::NoDevice { gpu: row.gpu.clone() }),
        None => Ok(raw),
    }
}

fn file_text(path: &Path, file: &str) -> Result<String, RawError> {
    let refuse = |what: String| RawError::File { file: file.to_owned(), what };
    let opened = std::fs::File::open(path).map_err(|e| refuse(unreadable(&e)))?;
    let mut bytes = Vec::new();
    opened.take(LARGEST + 1).read_to_end(&mut bytes).map_err(|e| refuse(unreadable(&e)))?;
    if bytes.len() as u64 > LARGEST {
        return Err(refuse("is larger than 64 MiB; expected one of paper 1's raw files".into()));
    }
    String::from_utf8(bytes).map_err(|_| refuse("is not UTF-8; save the file as UTF-8".into()))
}

fn parsed_rows(text: &str, file: &str) -> Result<Vec<RawRow>, RawError> {
    let mut csv = csv::Reader::from_reader(text.as_bytes());
    let refuse = |e: csv::Error| RawError::File { file: file.to_owned(), what: e.to_string() };
    let header = csv.headers().map_err(refuse)?.clone();
    let place = |column: &'static str| header.iter().position(|h| h.trim() == column);
    let needed = |column: &'static str| {
        place(column).ok_or_else(|| RawError::Column { file: file.to_owned(), column })
    };
    let (gpu, kernel) = (needed("gpu_device_name")?, needed("kernel")?);
    let mut numbers = [("", 0); 6];
    for (slot, column) in
        numbers.iter_mut().zip(["FLOPs", "BYTES", "regs", "shmem", "working_set_bytes", "mean_ms"])
    {
        *slot = (column, needed(column)?);
    }
    let mut sizes = [("", None); 5];
    for (slot, column) in sizes.iter_mut().zip(SIZES) {
        // One file has no column for a size that none of its kernels has.
        *slot = (column, if column == "iters" { place(column) } else { Some(needed(column)?) });
    }
    let mut rows = Vec::new();
    for (i, record) in csv.records().enumerate() {
        let record = record.map_err(refuse)?;
        let number = |(column, at): (&'static str, usize)| {
            let value = record.get(at).unwrap_or("").trim();
            let known =
                if value.is_empty() && column != "mean_ms" { Some(0.0) } else { value.parse::<f64>().ok() };
            let least = if column == "mean_ms" { f64::MIN_POSITIVE } else { 0.0 };
            known.filter(|v| v.is_finite() && *v >= least).ok_or_else(|| RawError::Field {
                file: file.to_owned(),
                line: i as u64 + 2,
                column,
                value: crate::text::clipped_text(value, 40),
                expected: if column == "mean_ms" {
                    "a time above 0"
                } else {
                    "a number of at least 0, or nothing"
                },
            })
        };
        let word = |at: usize| record.get(at).unwrap_or("").trim().to_owned();
        let mut known = [0.0; 5];
        for (slot, (column, at)) in known.iter_mut().zip(sizes) {
            *slot = at.map_or(Ok(0.0), |at| number((column, at)))?;
        }
        let [flops, bytes, regs, shmem, working_set, time_ms] = {
            let mut all = [0.0; 6];
            for (slot, column) in all.iter_mut().zip(numbers) {
                *slot = number(column)?;
            }
            all
        };
        rows.push(RawRow {
            gpu: word(gpu),
            kernel: word(kernel),
            sizes: known,
            flops,
            bytes,
            regs,
            shmem,
            working_set,
            time_ms,
        });
    }
    Ok(rows)
}

fn devices(text: &str, file: &str) -> Result<Vec<MetricsDevice>, RawError> {
    let refuse = |what: String| RawError::File { file: file.to_owned(), what };
    let all: Vec<Value> = serde_json::from_str(text).map_err(|e| refuse(e.to_string()))?;
    let device = |entry: &Value| {
        let name = entry.get("device_name").and_then(Value::as_str);
        let name =
            name.ok_or_else(|| refuse("an entry without `device_name`; expected one per GPU".into()))?;
        let mut numbers = [0.0; 12];
        for (slot, field) in numbers.iter_mut().zip(DEVICE_FIELDS) {
            let Some(value) = entry.get(field).filter(|v| !v.is_null()) else { continue };
            *slot = value
                .as_f64()
                .filter(|v| v.is_finite())
                .ok_or_else(|| refuse(format!("{name}, {field}: `{value}`; expected a number")))?;
        }
        Ok(MetricsDevice { name: name.to_owned(), numbers })
    };
    all.iter().map(device).collect()
}
