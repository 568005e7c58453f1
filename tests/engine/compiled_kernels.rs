//! The CUDA sources, what the compiler said about them, and the kernel files: one set of facts in three places.
//!
//! The compilation itself is no test: `assets/kernels/README.md` says how to repeat it.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The compute capabilities the recipe compiles for, as kernel files write them.
const CAPABILITIES: [&str; 11] =
    ["5.2", "6.0", "6.1", "7.0", "7.5", "8.0", "8.6", "8.9", "9.0", "10.0", "12.0"];

/// The resources a kernel file can name; what it does not name is 0.
const KEYS: [&str; 6] =
    ["registers", "static_smem_bytes", "barriers", "stack_bytes", "spill_store_bytes", "spill_load_bytes"];

/// One kernel's resources on one architecture, by the keys of a kernel file.
type Resources = BTreeMap<&'static str, i64>;

fn root() -> &'static Path {
    Path::new(env!("ROOFSWAP_CHECKOUT"))
}

/// The kernel ids that the files of a folder are named after.
fn stems(folder: &str, extension: &str) -> BTreeSet<String> {
    let files = std::fs::read_dir(root().join(folder)).unwrap().map(|e| e.unwrap().path());
    files
        .filter(|p| p.extension().is_some_and(|e| e == extension))
        .map(|p| p.file_stem().unwrap().to_str().unwrap().to_string())
        .collect()
}

fn source(kernel: &str) -> String {
    std::fs::read_to_string(root().join("assets/kernels").join(format!("{kernel}.cu"))).unwrap()
}

fn spec(kernel: &str) -> toml::Table {
    let path = root().join("specs/kernels").join(format!("{kernel}.toml"));
    std::fs::read_to_string(path).unwrap().parse().unwrap()
}

fn record_path(capability: &str) -> PathBuf {
    let digits = capability.replace('.', "");
    root().join("assets/kernels/compiled").join(format!("ptxas_v.sm_{digits}.txt"))
}

/// What `ptxas -v` said, as the program's own importer reads it: kernel, architecture, resources, in its order.
fn ptxas(text: &str) -> Vec<(String, String, Resources)> {
    let report = roofswap::compiler::read_report(text.as_bytes(), "record", None).unwrap();
    assert_eq!((report.refused_count, report.remarks.len()), (0, 0), "{report:?}");
    let of = |k: &roofswap::compiler::CompiledKernel| {
        let (r, number) = (&k.resources, |n: Option<u32>| i64::from(n.unwrap()));
        let all = [
            ("registers", i64::from(r.registers)),
            ("static_smem_bytes", number(r.static_smem_bytes)),
            ("barriers", number(r.barriers)),
            ("stack_bytes", number(r.stack_bytes)),
            ("spill_store_bytes", number(r.spill_store_bytes)),
            ("spill_load_bytes", number(r.spill_load_bytes)),
        ];
        (k.symbol.clone(), k.architecture.to_string(), Resources::from(all))
    };
    report.kernels.iter().map(of).collect()
}

/// The recorded resources by kernel and capability.
fn recorded() -> BTreeMap<(String, &'static str), Resources> {
    let mut all = BTreeMap::new();
    for capability in CAPABILITIES {
        let text = std::fs::read_to_string(record_path(capability)).unwrap();
        for (kernel, arch, resources) in ptxas(&text) {
            assert_eq!(arch, format!("sm_{}", capability.replace('.', "")), "{kernel}");
            let twice = all.insert((kernel.clone(), capability), resources);
            assert!(twice.is_none(), "{kernel} stands twice in the record of {capability}");
        }
    }
    all
}

#[test]
fn every_kernel_file_has_a_source_that_defines_it_and_every_source_a_kernel_file() {
    let compiled = |id: &String| spec(id).contains_key("compiled");
    let ours: BTreeSet<String> = stems("specs/kernels", "toml").into_iter().filter(compiled).collect();
    assert_eq!(stems("assets/kernels", "cu"), ours);
    // The others are of libraries, tuners and frameworks, and say that their registers are not known.
    for other in stems("specs/kernels", "toml").difference(&ours) {
        assert!(spec(other)["unknown"].as_table().unwrap().contains_key("registers"), "{other}");
    }
    for kernel in stems("assets/kernels", "cu") {
        let text = source(&kernel);
        assert!(text.starts_with(&format!("// {kernel}: ")), "{kernel}: the head says what it is");
        assert_eq!(text.matches("__global__").count(), 1, "{kernel}: one kernel in a file");
        let found = text.lines().any(|l| l.starts_with("extern \"C\"") && l.contains(&format!(" {kernel}(")));
        assert!(found, "{kernel}: no function of that name without C++ decoration");
    }
}

#[test]
fn all_kernels_are_recorded_for_all_architectures_and_no_other_record_lies_there() {
    let records = stems("assets/kernels/compiled", "txt");
    let expected: BTreeSet<String> = CAPABILITIES
        .iter()
        .map(|c| record_path(c).file_stem().unwrap().to_str().unwrap().to_string())
        .collect();
    assert_eq!(records, expected);
    let all = recorded();
    for kernel in stems("assets/kernels", "cu") {
        for capability in CAPABILITIES {
            let resources = all.get(&(kernel.clone(), capability));
            assert!(resources.is_some_and(|r| r.len() == KEYS.len()), "{kernel} {capability}: {resources:?}");
        }
    }
    assert_eq!(all.len(), stems("assets/kernels", "cu").len() * CAPABILITIES.len());
}

#[test]
fn kernel_files_say_what_the_compiler_said() {
    let all = recorded();
    for kernel in stems("assets/kernels", "cu") {
        let file = spec(&kernel);
        let tables = file["compiled"].as_array().unwrap();
        let ours: Vec<&toml::Value> =
            tables.iter().filter(|t| t["source"].as_str() == Some("roofswap-ptxas")).collect();
        assert_eq!(ours.len(), 1, "{kernel}: one table of ours");
        let by_capability = ours[0]["resources"].as_table().unwrap();
        assert_eq!(by_capability.len(), CAPABILITIES.len(), "{kernel}");
        for capability in CAPABILITIES {
            let typed = by_capability[capability].as_table().unwrap();
            assert!(typed.keys().all(|k| KEYS.contains(&k.as_str())), "{kernel} {capability}: {typed:?}");
            let typed: Resources =
                KEYS.iter().map(|k| (*k, typed.get(*k).map_or(0, |v| v.as_integer().unwrap()))).collect();
            assert_eq!(typed, all[&(kernel.clone(), capability)], "{kernel} {capability}");
        }
    }
}

#[test]
fn the_table_of_registers_is_that_of_the_record() {
    let all = recorded();
    let text = std::fs::read_to_string(root().join("assets/kernels/compiled/registers.csv")).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next().unwrap(), format!("kernel,{}", CAPABILITIES.join(",")));
    let mut kernels = BTreeSet::new();
    for line in lines {
        let (kernel, numbers) = line.split_once(',').unwrap();
        let expected = CAPABILITIES.map(|c| all[&(kernel.to_string(), c)]["registers"].to_string());
        assert_eq!(numbers, expected.join(","), "{kernel}");
        kernels.insert(kernel.to_string());
    }
    assert_eq!(kernels, stems("assets/kernels", "cu"));
}

#[test]
fn compiled_kernels_spill_nothing_can_be_launched_and_use_the_shared_memory_of_their_files() {
    for ((kernel, capability), r) in recorded() {
        let at = format!("{kernel} {capability}");
        assert_eq!(r["stack_bytes"] + r["spill_store_bytes"] + r["spill_load_bytes"], 0, "{at}: spills");
        // 64 registers x 1,024 threads are the 65,536 of a block; the study's shared_bank_conflict took 206.
        assert!((1..=64).contains(&r["registers"]), "{at}: {} registers", r["registers"]);
        assert_eq!(r["barriers"], i64::from(source(&kernel).contains("__syncthreads")), "{at}: barriers");
        let formula = spec(&kernel)["shared_memory"]["static_bytes"]["formula"].as_str().unwrap().to_string();
        assert_eq!(r["static_smem_bytes"].to_string(), formula, "{at}: static shared memory");
    }
}

#[test]
fn registers_belong_to_an_architecture() {
    let all = recorded();
    let differ = |kernel: &String| {
        let counts: BTreeSet<i64> =
            CAPABILITIES.iter().map(|c| all[&(kernel.clone(), *c)]["registers"]).collect();
        counts.len() > 1
    };
    let kernels = stems("assets/kernels", "cu");
    let same: Vec<&String> = kernels.iter().filter(|k| !differ(k)).collect();
    assert!(same.len() <= 1, "the same registers everywhere, so is the record real? {same:?}");
}

/// `instructions.csv`: FFMA, FADD and FMUL in the code of each kernel, by architecture.
fn instructions() -> BTreeMap<String, Vec<[f64; 3]>> {
    let text = std::fs::read_to_string(root().join("assets/kernels/compiled/instructions.csv")).unwrap();
    let mut lines = text.lines();
    assert!(lines.next().unwrap().starts_with("kernel,capability,ffma,fadd,fmul,"));
    let mut all: BTreeMap<String, Vec<[f64; 3]>> = BTreeMap::new();
    for (i, line) in lines.enumerate() {
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!(cells[1], CAPABILITIES[i % CAPABILITIES.len()], "{line}");
        let numbers = [2, 3, 4].map(|at| cells[at].parse().unwrap());
        all.entry(cells[0].to_string()).or_default().push(numbers);
    }
    all
}

#[test]
fn arithmetic_of_kernel_files_is_that_of_the_machine_code() {
    let session = roofswap::session::Session::load(None).unwrap();
    let all = instructions();
    assert_eq!(all.keys().cloned().collect::<BTreeSet<_>>(), stems("assets/kernels", "cu"));
    for (id, by_architecture) in &all {
        let kernel = session.kernels.entry_named(id).unwrap();
        let in_code = |at: usize| by_architecture.iter().any(|counts| counts[at] > 0.0);
        for (_, size) in &kernel.sizes {
            let instance = kernel.instance(size, kernel.example_variant()).unwrap();
            let found = instance.mix.single.unwrap_or_default();
            for (at, executed) in [found.fma, found.add, found.mul].into_iter().enumerate() {
                assert_eq!(executed > 0.0, in_code(at), "{id} {size}: {executed} of instruction {at}");
            }
        }
    }
    // One element a thread and no loop: what is executed is what stands there, on every architecture.
    for id in ["saxpy", "vector_add", "elementwise_add", "elementwise_multiply", "sigmoid"] {
        let kernel = session.kernels.entry_named(id).unwrap();
        let size = kernel.typed("n=1024").unwrap();
        let found = kernel.instance(&size, "").unwrap().mix.single.unwrap();
        let per_thread = [found.fma, found.add, found.mul].map(|n| n / 1024.0);
        assert!(all[id].iter().all(|counts| *counts == per_thread), "{id}: {per_thread:?}, {:?}", all[id]);
    }
}
