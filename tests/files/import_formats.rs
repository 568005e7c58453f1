//! Importers against files as their authors wrote them, where such files are here; skipped where they are not.

#![allow(clippy::unwrap_used, clippy::print_stdout)] // helpers of tests are tests, and say what they skip

use crate::skipping::skip_aloud;
use roofswap::import::{HEAD, ImportJob, Imported, recognise};
use roofswap::measurement::{CanonicalRow, Number};
use roofswap::progress::Progress;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

/// A file beside the checkout, if it is there.
fn at_hand(name: &str) -> Option<(PathBuf, Vec<u8>)> {
    let path = PathBuf::from(env!("ROOFSWAP_CHECKOUT")).join("../shared/data").join(name);
    match fs::read(&path) {
        Ok(bytes) => Some((path, bytes)),
        Err(_) => {
            skip_aloud(&format!("{name} is not here"));
            None
        }
    }
}

fn import(bytes: &[u8], importer: &str) -> Imported {
    let job = ImportJob { file: "raw.csv", gpu: None, progress: &Progress::default() };
    let found = recognise(&bytes[..bytes.len().min(HEAD)]).expect("recognised");
    assert_eq!(found.name, importer);
    (found.read)(&mut &*bytes, &job).unwrap()
}

/// The rows of a canonical CSV by problem and variant, as text.
fn canonical(bytes: &[u8]) -> BTreeMap<(String, String), csv::StringRecord> {
    let mut reader = csv::Reader::from_reader(bytes);
    reader.records().map(|r| r.unwrap()).map(|r| ((r[2].to_string(), r[3].to_string()), r)).collect()
}

#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared, other people's measurements")]
fn tiled_times_agree_with_the_rows_that_were_derived_from_them() {
    let (Some((_, raw)), Some((_, derived))) =
        (at_hand("gpperf/execution_times_all.csv"), at_hand("gpperf/tiled_matmul_rtx4070.canonical.csv"))
    else {
        return;
    };
    let (read, derived) = (import(&raw, "tiled matrix product CSV"), canonical(&derived));
    assert_eq!((read.rows.len(), read.refused_count), (derived.len(), 0), "{:?}", read.refused);
    for row in read.rows.iter() {
        // The tile stands in the variant there, and the kernel has the name of an alias.
        let (problem, tile) = row.problem.rsplit_once(';').unwrap();
        let known = &derived[&(problem.to_string(), format!("{tile};{}", row.variant))];
        let shape = |d: Option<[u64; 3]>| match d.unwrap() {
            [1, 1, 1] => "1".to_string(),
            [x, y, _] => format!("{x}x{y}"),
        };
        assert_eq!((&known[1], &*row.kernel, &known[4]), ("tiled_matmul", "gemm_tiled", &*row.dtype));
        assert_eq!((&known[5], &known[6]), (&*shape(row.block), &*shape(row.grid)), "{}", row.problem);
        let same =
            |n: Number, at: usize| assert_eq!(known[at].parse().ok(), row.get(n), "{n:?} of {}", row.problem);
        same(Number::SmemStatic, 8);
        same(Number::SmemDynamic, 9);
        same(Number::Flops, 10);
        same(Number::DramBytes, 11);
        same(Number::Time, 15);
        same(Number::Trials, 17);
        // raw.csv:42 here, …:row42 there
        let (line, from) = (row.source.rsplit(':').next().unwrap(), known[23].rsplit("row").next().unwrap());
        assert_eq!(line, from, "{}", row.problem);
    }
}

#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared, other people's measurements")]
fn powers_alone_are_no_measurements() {
    let Some((_, raw)) = at_hand("gpperf/power_usage_results_all.csv") else { return };
    let read = import(&raw, "tiled matrix product CSV");
    assert_eq!((read.rows.len(), read.refused_count), (0, 0));
    assert!(read.remarks[0].starts_with("195 rows hold a power and no time"), "{:?}", read.remarks);
}

/// Writes a row the way the study's script did; its own file is not here, only the rows derived from it.
fn as_the_script_wrote(r: &csv::StringRecord) -> String {
    let part = |at: usize, name: &str| -> String {
        let found = r[at].split(';').find_map(|p| p.strip_prefix(name)?.strip_prefix('='));
        found.unwrap_or_else(|| panic!("{name} in {}", &r[at])).to_string()
    };
    let [m, n, k] = ["m", "n", "k"].map(|key| part(2, key));
    let [layout, alpha, beta] = ["layout", "alpha", "beta"].map(|key| part(3, key));
    let block = part(23, "nominal_block").replace('x', ",");
    let power = if r[18].is_empty() { "[N/A]" } else { &r[18] };
    format!(
        "1731372844,{m},{n},{k},{}_{layout}_align1,{layout},{block},2,linear_combination,{alpha},{beta},{},,{power}, {}, {}, \
         47, {}, 0,NVIDIA GeForce RTX 4070, 8.9\narithmetic_intensity,1\nproblem_size_k,{k},.003,1,1\n",
        &r[1], &r[15], &r[20], &r[21], &r[22]
    )
}

#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared, other people's measurements")]
fn sixteen_thousand_cutlass_runs_come_back_as_they_were_derived() {
    let Some((_, derived)) = at_hand("gpperf/cutlass_sgemm_rtx4070.canonical.csv") else { return };
    let mut reader = csv::Reader::from_reader(&*derived);
    let records: Vec<csv::StringRecord> = reader.records().map(|r| r.unwrap()).collect();
    let text: String = records.iter().map(as_the_script_wrote).collect();
    let read = import(format!("Energy_Joules,GFLOPS_per_Watt,TFLOPS{text}").as_bytes(), "CUTLASS power runs");
    assert_eq!((read.rows.len(), read.refused_count), (16_128, 0), "{:?}", read.refused.first());
    let known = |r: &csv::StringRecord, at: usize| r[at].parse::<f64>().ok();
    for (row, r) in read.rows.iter().zip(&records) {
        assert_eq!((&*row.kernel, &*row.problem, &*row.variant, &*row.dtype), (&r[1], &r[2], &r[3], &r[4]));
        for (n, at) in
            [(Number::Flops, 10), (Number::DramBytes, 11), (Number::Time, 15), (Number::GpuUtil, 22)]
        {
            assert_eq!(row.get(n), known(r, at), "{n:?} of {}", row.problem);
        }
    }
    let (busy, idle) = powers(&read.rows.to_vec());
    assert_eq!((busy, busy + idle), (1155, 2595), "readings of a busy GPU, and all");
}

/// How many rows have the power of a run, and how many that of an idle GPU.
fn powers(rows: &[CanonicalRow]) -> (usize, usize) {
    let busy = rows.iter().filter(|r| r.get(Number::Power).is_some()).count();
    (busy, rows.iter().filter(|r| r.attributes.contains_key("idle_power_w")).count())
}
