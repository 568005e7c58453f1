//! The bodies of the fuzz targets (`tests/fuzz`), played over seeded mutations on every `cargo test`. The seeds are small
//! samples of our own, one per format, in `tests/fuzz/seeds/`.

#![allow(clippy::unwrap_used, clippy::print_stdout)] // helpers of tests are tests

#[path = "../fuzz/bodies/canonical_csv.rs"]
mod canonical_csv;
#[path = "../fuzz/bodies/compiler_reports.rs"]
mod compiler_reports;
use crate::mutations;
#[path = "../fuzz/bodies/reports.rs"]
mod reports;

use flate2::read::GzDecoder;
use mutations::replay;
use roofswap::compiler;
use roofswap::import::{FileFormat, IMPORTERS, ImportJob, read_bytes};
use roofswap::measurement::Number;
use roofswap::progress::Progress;
use std::io::Read;
use std::path::Path;

#[test]
fn canonical_csv() {
    let shipped = concat!(env!("ROOFSWAP_CHECKOUT"), "/datasets/published/measurements.csv");
    let all = "gpu,kernel,problem,variant,dtype,block,grid,regs_per_thread,smem_static_bytes,smem_dynamic_bytes,flops,\
               dram_bytes,time_ms,time_std_ms,trials,power_w,source,stream\n\
               titan-v,\"void k<int, 3>(float*)\",m=512;layout=nt,a,fp32,16x16,4x4x1,32,0,2048,1e6,4096,0.05,0.001,10,\
               201.5,mine:row1,7\n\
               rtx-4070,saxpy,n=1048576,,fp32,256,4096,,,,,,0.02,,,,,\n";
    replay("canonical_csv", &[std::fs::read(shipped).unwrap(), all.as_bytes().to_vec()], canonical_csv::body);
}

/// Every sample with its name, by name.
fn samples() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("ROOFSWAP_CHECKOUT")).join("tests/fuzz/seeds");
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    let mut all: Vec<(String, Vec<u8>)> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (name(&path), std::fs::read(&path).unwrap()))
        .collect();
    all.sort();
    all
}

fn of_compilers(name: &str) -> bool {
    ["ptxas.log", "resource-usage.txt", "own.sm_80.cubin", "own.sm_90.cubin"].contains(&name)
}

#[test]
fn there_is_a_sound_sample_of_every_format() {
    let mut seen: Vec<&str> = Vec::new();
    for (name, bytes) in samples() {
        if of_compilers(&name) {
            let report = compiler::read_report(&bytes, &name, None).unwrap();
            assert_eq!((report.kernels.len(), report.refused_count), (1, 0), "{name}");
            continue;
        }
        let FileFormat::Report(importer) = FileFormat::from_head(&bytes) else {
            panic!("{name} is not recognised")
        };
        seen.push(importer.name);
        let strings = Progress::default();
        let read = read_bytes(&*bytes, &ImportJob::new(&name, &strings)).unwrap();
        assert!(read.rows.len() + read.roofs.len() > 0 && read.refused_count == 0, "{name}: {read:?}");
    }
    for importer in IMPORTERS {
        assert!(seen.contains(&importer.name), "there is no sample of: {}", importer.name);
    }
}

#[test]
fn a_european_page_says_what_the_other_one_does() {
    let rows = |name: &str| {
        let (_, bytes) = samples().into_iter().find(|(n, _)| n == name).unwrap();
        let strings = Progress::default();
        let read = read_bytes(&*bytes, &ImportJob::new("page.csv", &strings)).unwrap();
        assert_eq!(read.refused_count, 0, "{name}: {:?}", read.refused);
        read.rows.to_vec()
    };
    let (plain, european) = (rows("ncu-raw.csv"), rows("ncu-european.csv"));
    assert_eq!(plain, european);
    assert_eq!(plain[0].get(Number::Time), Some(1.0125));
}

#[test]
fn reports() {
    let seeds: Vec<Vec<u8>> =
        samples().into_iter().filter(|(name, _)| !of_compilers(name)).map(|(_, bytes)| bytes).collect();
    replay("reports", &seeds, reports::body);
    // PowerShell's way of writing the same.
    let wide = |text: &[u8]| -> Vec<u8> {
        let text = format!("\u{feff}{}", String::from_utf8_lossy(text));
        text.encode_utf16().flat_map(u16::to_le_bytes).collect()
    };
    seeds.iter().for_each(|seed| reports::body(&wide(seed)));
}

#[test]
fn compiler_reports() {
    let seeds: Vec<Vec<u8>> =
        samples().into_iter().filter(|(name, _)| of_compilers(name)).map(|(_, bytes)| bytes).collect();
    replay("compiler_reports", &seeds, compiler_reports::body);
}

/// The files of a packed corpus: what libFuzzer found to run the code differently, from our own samples.
fn packed(target: &str) -> Vec<Vec<u8>> {
    let path = Path::new(env!("ROOFSWAP_CHECKOUT")).join(format!("tests/fuzz/corpus/{target}.tar.gz"));
    let mut rest = Vec::new();
    GzDecoder::new(std::fs::File::open(path).unwrap()).read_to_end(&mut rest).unwrap();
    let (mut rest, mut files) = (rest.as_slice(), Vec::new());
    // A header of 512 bytes with the size in octal digits and the kind, then the content in blocks as long.
    while rest.len() > 512 && rest[0] != 0 {
        let digits = String::from_utf8_lossy(&rest[124..135]).into_owned();
        let size = usize::from_str_radix(digits.trim(), 8).unwrap();
        if rest[156] == b'0' {
            files.push(rest[512..512 + size].to_vec());
        }
        rest = &rest[512 + size.next_multiple_of(512)..];
    }
    files
}

#[test]
fn what_libfuzzer_found_is_read_or_refused() {
    for (target, fewest, body) in [
        ("canonical_csv", 300, canonical_csv::body as fn(&[u8])),
        ("compiler_reports", 800, compiler_reports::body),
        ("reports", 1000, reports::body),
    ] {
        let files = packed(target);
        assert!(files.len() >= fewest, "{target}: {}", files.len());
        mutations::play_all(target, &files, body);
    }
}
