//! Paper 1's raw files: `runs_*_final.csv`, `stream_like_*.out`, `gemm_cublas_*.out`, `props_*.out`. Its `gpu_metrics.json`
//! and `device_calibration_*.json` are calibration files like any other: `ceilings.rs`.
//!
//! Rows are kept as published: FLOPs, bytes, registers, shared memory and grid are the file's, whether they are right or
//! not. Its modelled columns are left out. A file without a device name belongs to the GPU that the
//! user named, else to the one its own name ends in.

use super::ceilings::{file_name, unnamed_gpu};
use super::{AchievedRoof, ImportJob, ImportRefusal, Imported, Importer};
use crate::gpu::AchievedRate;
use crate::measurement::{CanonicalRow, Number, ReadError};
use std::io::{BufRead, Read};

/// The format.
pub(super) const IMPORTER: Importer =
    Importer { name: "paper 1's raw files", recognises: is_own_format, read: read_rows };

/// Rows between two looks at whether the job was cancelled.
const STEP: usize = 256;
const GIGA: f64 = 1e9;
/// The largest file that is read: a guard against damage.
const LARGEST: u64 = 64 << 20;

/// What a file of this folder is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FolderPart {
    Runs,
    Stream,
    Gemm,
    Properties,
}

impl FolderPart {
    fn from_head(head: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(head);
        let text = text.trim_start_matches('\u{feff}').trim_start();
        let first = text.lines().next().unwrap_or_default();
        let has = |words: &[&str]| words.iter().all(|w| first.contains(w));
        if has(&["kernel,", "mean_ms", "size_kind", "gpu_device_name"]) {
            return Some(Self::Runs);
        }
        if first.starts_with("N=") && has(&["avg_ms="]) {
            let gemm = first.contains("GFLOPS=").then_some(Self::Gemm);
            return gemm.or_else(|| first.contains("GBps=").then_some(Self::Stream));
        }
        if first.starts_with("name=") && text.contains("multiProcessorCount=") {
            return Some(Self::Properties);
        }
        None
    }
}

fn is_own_format(head: &[u8]) -> bool {
    FolderPart::from_head(head).is_some()
}

fn read_rows(reader: &mut dyn BufRead, job: &ImportJob<'_>) -> Result<Imported, ReadError> {
    let mut bytes = Vec::new();
    reader.take(LARGEST + 1).read_to_end(&mut bytes).map_err(|e| job.read_error(e.to_string()))?;
    if bytes.len() as u64 > LARGEST {
        return Err(job.read_error("is larger than 64 MiB; expected one of paper 1's raw files"));
    }
    let text =
        String::from_utf8(bytes).map_err(|_| job.read_error("is not UTF-8; save the file as UTF-8"))?;
    match FolderPart::from_head(text.as_bytes()) {
        Some(FolderPart::Runs) => runs(&text, job),
        Some(part @ (FolderPart::Stream | FolderPart::Gemm)) => Ok(calibration(&text, part, job)),
        Some(FolderPart::Properties) | None => {
            let remark = "device properties only; the catalogue has them".to_string();
            Ok(Imported { remarks: vec![remark], ..Imported::default() })
        }
    }
}

/// Columns that are no measurement.
const MODELLED: [&str; 2] = ["T1_model_ms", "speedup_model"];
/// Columns that become canonical ones; every other one is kept as an attribute.
const CANONICAL: [(&str, Number); 7] = [
    ("regs", Number::RegsPerThread),
    ("shmem", Number::SmemStatic),
    ("mean_ms", Number::Time),
    ("std_ms", Number::TimeStd),
    ("FLOPs", Number::Flops),
    ("BYTES", Number::DramBytes),
    ("working_set_bytes", Number::WorkingSet),
];
const SHAPE: [&str; 8] = ["kernel", "N", "rows", "cols", "iters", "block", "grid_blocks", "gpu_device_name"];

fn runs(text: &str, job: &ImportJob<'_>) -> Result<Imported, ReadError> {
    let mut csv = csv::Reader::from_reader(text.trim_start_matches('\u{feff}').as_bytes());
    let header = csv.headers().map_err(|e| job.read_error(e.to_string()))?.clone();
    for needed in SHAPE.iter().filter(|c| **c != "iters").chain(CANONICAL.iter().map(|(c, _)| c)) {
        if !header.iter().any(|h| h.trim() == *needed) {
            return Err(job.read_error(format!(
                "no column `{needed}`; expected the columns of paper 1's runs_*_final.csv"
            )));
        }
    }
    let name = file_name(job.file);
    let mut out = Imported::default();
    for (i, record) in csv.records().enumerate() {
        if i % STEP == 0 && job.is_cancelled() {
            return Err(job.read_error("cancelled"));
        }
        let line = i as u64 + 2;
        let row = record.map_err(|e| ("row".to_string(), e.to_string())).and_then(|record| {
            let fields: Vec<(&str, &str)> =
                header.iter().map(str::trim).zip(record.iter().map(str::trim)).collect();
            canonical_row(&fields, format!("{name}:{line}"))
        });
        match row {
            Ok(row) => out.rows.push(&row),
            Err(why) => out.add_refusal(job, line, why),
        }
    }
    out.remarks.push("shared memory is one number there; it is taken as static".into());
    Ok(out)
}

fn canonical_row(fields: &[(&str, &str)], source: String) -> Result<CanonicalRow, ImportRefusal> {
    let text = |column: &str| fields.iter().find(|(c, _)| *c == column).map_or("", |(_, v)| v);
    let number = |column: &str| -> Result<Option<f64>, ImportRefusal> {
        let value = text(column);
        if value.is_empty() {
            return Ok(None);
        }
        let read = value.parse::<f64>().ok().filter(|v| v.is_finite() && *v >= 0.0);
        let shown: String = crate::text::clipped_text(value, 40);
        read.map(Some)
            .ok_or_else(|| (column.to_string(), format!("`{shown}`: expected a number of at least 0")))
    };
    // A blank or 0 means that this kernel has no such size.
    let size = |column: &str| number(column).map(|v| v.filter(|v| *v >= 1.0));
    let kernel = text("kernel").to_string();
    let sizes = [size("N")?, size("rows")?, size("cols")?, size("iters")?];
    let shape = |v: Option<f64>| v.map(|v| [v as u64, 1, 1]);
    let mut row = CanonicalRow {
        gpu: text("gpu_device_name").to_string(),
        problem: problem_text(&kernel, sizes),
        kernel,
        block: shape(size("block")?),
        grid: shape(size("grid_blocks")?),
        source,
        ..CanonicalRow::default()
    };
    for (column, as_number) in CANONICAL {
        row.set(as_number, number(column)?);
    }
    row.set(Number::SmemDynamic, Some(0.0));
    let known =
        |c: &str| SHAPE.contains(&c) || MODELLED.contains(&c) || CANONICAL.iter().any(|(n, _)| *n == c);
    let rest = fields.iter().filter(|(c, v)| !known(c) && !v.is_empty());
    row.attributes = rest.map(|(c, v)| ((*c).to_string(), (*v).to_string())).collect();
    Ok(row)
}

/// The sizes under the names of the kernel files; a kernel that has none there gets its own.
fn problem_text(kernel: &str, [n, rows, cols, iters]: [Option<f64>; 4]) -> String {
    let named: Vec<(&str, Option<f64>)> = match kernel {
        // It has one launch shape; the N that one GPU's file gives is none.
        "shared_bank_conflict" => Vec::new(),
        _ if kernel.starts_with("matmul") => vec![("m", rows), ("n", cols), ("k", cols)],
        _ if kernel.starts_with("conv2d") => vec![("h", rows), ("w", cols)],
        _ => vec![("n", n), ("rows", rows), ("cols", cols), ("iters", iters)],
    };
    let pairs = named.into_iter().filter_map(|(key, v)| v.map(|v| format!("{key}={v}")));
    pairs.collect::<Vec<_>>().join(";")
}

/// `N=8192  avg_ms=96.642  GFLOPS=11377.2`: the largest rate of the file is the ceiling.
fn calibration(text: &str, part: FolderPart, job: &ImportJob<'_>) -> Imported {
    let (key, of) = if part == FolderPart::Gemm {
        ("GFLOPS=", AchievedRate::Fp32)
    } else {
        ("GBps=", AchievedRate::Dram)
    };
    let rates = text.split_whitespace().filter_map(|word| word.strip_prefix(key)?.parse::<f64>().ok());
    let best = rates.filter(|v| v.is_finite()).fold(0.0, f64::max);
    let source = format!("{}: {}", file_name(job.file), key.trim_end_matches('='));
    let roof = AchievedRoof { gpu: unnamed_gpu(job), of, per_second: best * GIGA, source };
    Imported { roofs: vec![roof].into_iter().filter(|r| r.per_second > 0.0).collect(), ..Imported::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Progress;

    const RUNS: &str = "\u{feff}kernel,regs,shmem,mean_ms,std_ms,N,rows,cols,iters,block,grid_blocks,size_kind,FLOPs,BYTES,\
working_set_bytes,mem_pattern,gpu_device_name,T1_model_ms\n\
saxpy,12,0,0.05,0.001,1024,0,0,,256,4,N,2048,12288,12288,coalesced,NVIDIA TITAN V,0.9\n\
matmul_tiled,37,8192,0.2,0.001,0,64,64,0,1024,4,rows_cols,524288,49152,49152,mm_tiled,NVIDIA TITAN V,0.9\n\
atomic_hotspot,7,0,x,0,1024,0,0,50,256,4,N,0,4,4,hot,NVIDIA TITAN V,0.9\n";

    fn import(file: &str, text: &str) -> Result<Imported, ReadError> {
        assert!((IMPORTER.recognises)(text.as_bytes()), "{file}");
        let progress = Progress::default();
        let job = ImportJob::new(file, &progress);
        (IMPORTER.read)(&mut text.as_bytes(), &job)
    }

    #[test]
    fn a_row_is_kept_as_published_and_a_modelled_column_is_not() {
        let all = import("a/runs_titanv_final.csv", RUNS).unwrap();
        assert_eq!((all.rows.len(), all.refused_count), (2, 1));
        let saxpy = &all.rows.row(0);
        assert_eq!(
            (saxpy.problem.as_str(), saxpy.block, saxpy.grid),
            ("n=1024", Some([256, 1, 1]), Some([4, 1, 1]))
        );
        assert_eq!((saxpy.get(Number::Flops), saxpy.get(Number::DramBytes)), (Some(2048.0), Some(12288.0)));
        assert_eq!(saxpy.source, "runs_titanv_final.csv:2");
        assert_eq!(saxpy.attributes["mem_pattern"], "coalesced");
        assert!(!saxpy.attributes.contains_key("T1_model_ms"));
        assert_eq!(all.rows.row(1).problem, "m=64;n=64;k=64");
        assert_eq!(all.rows.row(1).get(Number::SmemStatic), Some(8192.0));
        let bad = &all.refused[0];
        assert_eq!((bad.line, bad.column.as_str()), (4, "mean_ms"));
        assert!(bad.message.contains("`x`: expected a number"), "{bad}");
    }

    #[test]
    fn a_file_beyond_the_limit_is_refused() {
        let strings = Progress::default();
        let endless = std::io::Cursor::new(RUNS).chain(std::io::repeat(b'1'));
        let error =
            (IMPORTER.read)(&mut std::io::BufReader::new(endless), &ImportJob::new("r.csv", &strings))
                .unwrap_err();
        assert!(error.message.contains("larger than 64 MiB"), "{error}");
    }

    #[test]
    fn a_missing_column_is_named() {
        let error = import("r.csv", &RUNS.replace("BYTES", "bytes")).unwrap_err().to_string();
        assert!(error.contains("no column `BYTES`"), "{error}");
    }

    #[test]
    fn ceilings_come_from_the_calibration_runs() {
        let stream =
            import("stream_like_titanx.out", "N=2  avg_ms=1  GBps=256.5\nN=1  avg_ms=1  GBps=250\n").unwrap();
        assert_eq!((stream.roofs[0].gpu.as_str(), stream.roofs[0].per_second), ("GTX TITAN X", 256.5e9));
        let gemm = import("gemm_cublas_4070.out", "N=8192  avg_ms=64  GFLOPS=17155.2\n").unwrap();
        assert_eq!((gemm.roofs[0].of, gemm.roofs[0].per_second), (AchievedRate::Fp32, 17_155.2e9));
        let props = import(
            "props_4070.out",
            "name=NVIDIA GeForce RTX 4070\nmajor=8 minor=9\nmultiProcessorCount=46\n",
        );
        assert!(props.unwrap().rows.is_empty());
        assert!(!(IMPORTER.recognises)(b"gpu,kernel,time_ms\n"));
    }
}
