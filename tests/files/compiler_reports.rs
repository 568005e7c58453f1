//! Real reports of compilers against each other, and damaged ones against patience: nothing panics, hangs, or is believed
//! where it cannot be true.

#![allow(clippy::unwrap_used, clippy::print_stderr)] // helpers of tests are tests; a skipped check says so

use crate::skipping::skip_aloud;
use roofswap::compiler::{CodeArchitecture, CompiledKernel, CompilerReport, TakenNames, join, read_report};
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

/// The folder with real reports, where this machine has it.
fn samples() -> Option<PathBuf> {
    let folder = PathBuf::from(env!("ROOFSWAP_CHECKOUT")).join("../shared/samples/compiler");
    if folder.is_dir() {
        return Some(folder);
    }
    skip_aloud("no ../shared/samples/compiler here");
    None
}

fn reports(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut all: Vec<(String, Vec<u8>)> = fs::read_dir(folder)
        .unwrap()
        .flatten()
        .map(|e| (e.file_name().to_string_lossy().into_owned(), fs::read(e.path()).unwrap()))
        .collect();
    all.sort();
    all
}

/// `(kernel, architecture)` to what a column of the table of truth says.
type Truth = HashMap<(String, String), HashMap<String, u32>>;

fn truth(folder: &Path) -> Truth {
    let mut csv = csv::Reader::from_path(folder.join("resources.csv")).unwrap();
    let header = csv.headers().unwrap().clone();
    let row = |r: csv::StringRecord| {
        let numbers =
            header.iter().zip(&r).skip(2).map(|(h, v)| (h.to_string(), v.parse().unwrap())).collect();
        ((r[0].to_string(), r[1].to_string()), numbers)
    };
    csv.records().map(|r| row(r.unwrap())).collect()
}

#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared, other people's measurements")]
fn three_readers_agree_with_the_table_of_truth() {
    let Some(folder) = samples() else { return };
    let truth = truth(&folder);
    assert_eq!(truth.len(), 208);
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for (name, bytes) in reports(&folder) {
        // The spill samples are of other kernels, the seeds of other sources.
        if !["kernels.sm", "ptxas_v.sm", "resusage.sm"].iter().any(|p| name.starts_with(p)) {
            continue;
        }
        let report = read_report(&bytes, &name, None).unwrap();
        assert_eq!((report.kernels.len(), report.refused_count), (16, 0), "{name}");
        *seen.entry(report.format.as_str()).or_default() += 1;
        for k in &report.kernels {
            let expected = &truth[&(k.name.clone(), k.architecture.to_string())];
            let r = &k.resources;
            let what = format!("{name}: {}", k.name);
            assert_eq!(r.registers, expected["registers"], "{what}: registers");
            assert_eq!(r.static_smem_bytes, Some(expected["static_smem"]), "{what}: shared memory");
            assert_eq!(r.stack_bytes, Some(expected["stack"]), "{what}: stack");
            for (found, column) in [
                (r.barriers, "barriers"),
                (r.spill_store_bytes, "spill_stores"),
                (r.spill_load_bytes, "spill_loads"),
            ] {
                assert!(found.is_none_or(|n| n == expected[column]), "{what}: {column} is {found:?}");
            }
        }
    }
    let counts: Vec<usize> = seen.values().copied().collect();
    assert_eq!(counts, [5, 5, 5], "{seen:?}");
}

#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared, other people's measurements")]
fn spills_and_stacks_agree_where_two_readers_see_them() {
    let Some(folder) = samples() else { return };
    let of = |name: &str| {
        let bytes = fs::read(folder.join(name)).unwrap();
        let kernels = read_report(&bytes, name, None).unwrap().kernels;
        kernels.into_iter().map(|k| (k.symbol.clone(), k)).collect::<BTreeMap<String, CompiledKernel>>()
    };
    for arch in ["sm_52", "sm_70", "sm_89", "sm_120"] {
        let log = of(&format!("ptxas_v_spill_maxrreg24.{arch}.txt"));
        let usage = of(&format!("resusage_spill24.{arch}.txt"));
        assert_eq!(log.keys().collect::<Vec<_>>(), usage.keys().collect::<Vec<_>>(), "{arch}");
        for (symbol, kernel) in &log {
            assert!(kernel.resources.joined(&usage[symbol].resources).is_some(), "{arch} {symbol}");
        }
        let (stores, loads) = log["spill"].resources.spills().unwrap();
        assert!(stores > 1000 && loads > 3000, "{arch}: {stores} {loads}");
        assert_eq!(log["_ZN2ns11with_structENS_1SEPf"].name, "ns::with_struct");
        assert_eq!(log["_Z4tmplILi128EEvPf"].name, "tmpl<128>");
    }
}

#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared, other people's measurements")]
fn logs_of_a_whole_build_are_read_behind_their_warnings() {
    let Some(folder) = samples() else { return };
    for (gpu, arch) in [("titanx", "sm_52"), ("titanv", "sm_70"), ("2080ti", "sm_75"), ("4070", "sm_89")] {
        let name = format!("seed_ptxas_{gpu}.log");
        let report = read_report(&fs::read(folder.join(&name)).unwrap(), &name, None).unwrap();
        assert_eq!((report.kernels.len(), report.refused_count), (16, 0), "{name}");
        assert!(report.kernels.iter().all(|k| k.architecture.to_string() == arch), "{name}");
    }
    for name in ["cuobjdump_sass.sm_52.txt", "nvdisasm.sm_89.txt"] {
        let error = read_report(&fs::read(folder.join(name)).unwrap(), name, None).unwrap_err().to_string();
        assert!(error.contains("listing of machine code"), "{error}");
    }
}

/// Reports of our own, for machines without the samples.
fn own() -> Vec<(String, Vec<u8>)> {
    let entry = |name: &str, arch: &str| {
        format!(
            "ptxas info    : Compiling entry function '{name}' for '{arch}'\n\
             ptxas info    : Function properties for {name}\n\
             \x20   16 bytes stack frame, 24 bytes spill stores, 12 bytes spill loads\n\
             ptxas info    : Used 40 registers, used 1 barriers, 4096 bytes smem, 360 bytes cmem[0]\n"
        )
    };
    let log =
        ["_Z4tmplILi128EEvPf", "k", "_ZN1a1bEv"].map(|n| entry(n, "sm_75") + &entry(n, "sm_90a")).concat();
    let usage = "Fatbin elf code:\n================\narch = sm_90\n\nResource usage:\n Function k:\n  \
                 REG:12 STACK:0 SHARED:2048 LOCAL:0\n Function _Z1kv:\n  REG:8 STACK:0 SHARED:0 LOCAL:0\n";
    vec![("own.log".into(), log.into()), ("own.txt".into(), usage.into())]
}

/// A small generator of numbers that are the same every time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % below.max(1) as u64) as usize
    }
}

fn damage(bytes: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut out = bytes.to_vec();
    for _ in 0..=dice.roll(4) {
        let at = dice.roll(out.len());
        match dice.roll(7) {
            0 => out.truncate(at),
            1 if at < out.len() => out[at] ^= 1 << dice.roll(8),
            2 if at < out.len() => out[at] = 0,
            3 if at < out.len() => out[at] = 0xff,
            4 => {
                let until = (at + dice.roll(400)).min(out.len());
                let piece = out[at.min(until)..until].to_vec();
                out.splice(at..at, piece);
            }
            5 => {
                out.splice(at..at, "9".repeat(dice.roll(5000)).into_bytes());
            }
            // A table's offset or size in an ELF header.
            _ if out.len() > 64 => out[16 + dice.roll(48)] = dice.roll(256) as u8,
            _ => {}
        }
    }
    out
}

fn sound(report: &CompilerReport, what: &str) {
    assert!(!report.kernels.is_empty(), "{what}: empty, and not refused");
    for k in &report.kernels {
        assert_eq!(k.resources.unsound(), None, "{what}");
        assert!(!k.symbol.chars().any(char::is_control), "{what}");
    }
    assert!(report.refused.len() <= 100 && report.refused.len() <= report.refused_count, "{what}");
}

/// How often a report is damaged and read.
const DAMAGES: usize = 500;

#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared, other people's measurements")]
fn damaged_reports_neither_panic_nor_hang_nor_lie() {
    let mut all = own();
    all.extend(
        samples().iter().flat_map(|folder| reports(folder)).filter(|(name, _)| name != "resources.csv"),
    );
    let mut dice = Dice(0x5eed_0f5a_7e01);
    for round in 0..DAMAGES.div_ceil(all.len()) {
        for (name, bytes) in &all {
            let bad = damage(bytes, &mut dice);
            match read_report(&bad, name, "sm_89".parse::<CodeArchitecture>().ok()) {
                Ok(report) => sound(&report, &format!("{name}, round {round}")),
                Err(error) => assert!(error.to_string().starts_with(name.as_str()), "{error}"),
            }
        }
    }
}

#[test]
fn other_peoples_files_are_refused_in_words_that_help() {
    for (bytes, words) in [
        (&b""[..], "is empty"),
        (b"hello\nworld\n", "`hello`: not a compiler report; expected a `ptxas -v` log"),
        (b"\x50\xed\x55\xba\x01\x00", "cuobjdump -xelf all"),
        (b"!<arch>\n", "is a library"),
        (b"NVR\0abc", "is an ncu report"),
        (b"abc\0def", "byte 0x3: is a NUL"),
        (b"\xff\xfe\x00\xd8\x00\xd8", "begins like UTF-16 but is not"),
        (b".version 8.0\n.target sm_89\n", "is PTX"),
        (b"ptxas info    : 0 bytes gmem\n", "names no kernel"),
        (b"\x7fELF", "cut off or damaged"),
        (b"\x7fELF\x01\x01", "32-bit"),
    ] {
        let error = read_report(bytes, "file", None).unwrap_err().to_string();
        assert!(error.starts_with("file") && error.contains(words), "{bytes:?}: {error}");
        assert!(error.len() < 400 && !error.contains(char::is_control), "{error:?}");
    }
    let long = b"x".repeat(3 << 20);
    assert!(read_report(&long, "file", None).unwrap_err().to_string().contains("longer than 1 MiB"));
}

#[test]
fn a_name_of_half_a_mebibyte_and_a_hundred_thousand_kernels_are_no_problem() {
    let name = format!("_Z{}{}v", 1 << 19, "a".repeat(1 << 19));
    let entry = |name: &str| {
        format!("ptxas info : Compiling entry function '{name}' for 'sm_89'\nptxas info : Used 8 registers\n")
    };
    let mut log = entry(&name);
    (0..100_000).for_each(|i| log += &entry(&format!("_Z1kILi{i}EEvv")));
    let report = read_report(log.as_bytes(), "big.log", None).unwrap();
    assert_eq!(report.kernels.len(), 100_001);
    let (joined, remarks) = join(&[report], &TakenNames::default());
    assert_eq!((joined.len(), remarks.len()), (100_001, 0));
    assert!(joined.iter().all(|k| k.id.len() < 80), "ids are file names");
}
