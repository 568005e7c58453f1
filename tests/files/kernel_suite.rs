//! The suite of kernels: its file, the CUDA sources, the kernel files, the references and the compiled fallback are one set of
//! facts in five places.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

use crate::types;

use roofswap::device::suite::reference::reference;
use roofswap::device::suite::{
    Argument, BufferData, BufferRole, Fill, SuiteCase, SuiteKernel, cases, joined, paper3_suite,
    shipped_suite,
};
use roofswap::kernel::Kernel;
use roofswap::session::Session;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use types::c_type;

static SESSION: LazyLock<Session> = LazyLock::new(|| Session::load(None).unwrap());
static SUITE: LazyLock<Vec<SuiteKernel>> = LazyLock::new(|| shipped_suite().unwrap());

const SEED: u64 = 1;

fn all() -> Vec<(&'static SuiteKernel, &'static Kernel)> {
    joined(&SUITE, &SESSION.kernels).unwrap()
}

fn assets() -> PathBuf {
    Path::new(env!("ROOFSWAP_CHECKOUT")).join("assets/kernels")
}

fn source(of: &SuiteKernel) -> String {
    std::fs::read_to_string(assets().join(&of.file)).unwrap()
}

/// The CUDA sources of the folder, by kernel.
fn sources() -> BTreeMap<String, Vec<u8>> {
    let files = std::fs::read_dir(assets()).unwrap().map(|e| e.unwrap().path());
    let cuda = files.filter(|p| p.extension().is_some_and(|e| e == "cu"));
    cuda.map(|p| (p.file_stem().unwrap().to_str().unwrap().into(), std::fs::read(&p).unwrap())).collect()
}

// ---------------------------------------------------------------------------------------------------------------------
// The file and what it names

#[test]
fn every_entry_has_a_source_a_kernel_file_and_a_reference_and_every_source_an_entry() {
    let ids: Vec<&str> = SUITE.iter().map(|k| k.id.as_str()).collect();
    let unique: BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(unique.len(), ids.len(), "an id stands twice: {ids:?}");
    assert_eq!(unique, sources().keys().map(String::as_str).collect());
    for (of, kernel) in all() {
        assert_eq!(
            (of.id.as_str(), of.file.as_str()),
            (kernel.id.as_str(), format!("{}.cu", of.id).as_str())
        );
        assert!(reference(&of.id).is_some(), "{}: no reference", of.id);
        assert!(!kernel.compiled.is_empty(), "{}: no registers", of.id);
        assert!(of.check.why.len() > 10, "{}: why this tolerance?", of.id);
    }
}

#[test]
fn arguments_are_the_parameters_of_the_source_in_type_name_and_order() {
    for of in SUITE.iter() {
        let text = source(of);
        let (_, rest) = text.split_once(&format!(" {}(", of.symbol)).unwrap();
        let (parameters, _) = rest.split_once(')').unwrap();
        let words = |p: &str| {
            p.replace("__restrict__", " ").split_whitespace().collect::<Vec<_>>().join(" ").replace("* ", "*")
        };
        let typed: Vec<String> = parameters.split(',').map(words).collect();
        let expected: Vec<String> = of.arguments.iter().map(|a| parameter(of, a)).collect();
        assert_eq!(typed, expected, "{}", of.id);
    }
}

/// As the source declares it: what is only read is constant.
fn parameter(of: &SuiteKernel, argument: &Argument) -> String {
    if let Some(name) = &argument.buffer {
        let buffer = of.buffers.iter().find(|b| b.name == *name).unwrap();
        let constant = if buffer.role == BufferRole::Input { "const " } else { "" };
        return format!("{constant}{} *{name}", c_type(buffer.element));
    }
    let kind = match argument {
        Argument { u32: Some(_), .. } => "unsigned int",
        Argument { i32: Some(_), .. } => "int",
        Argument { f32: Some(_), .. } => "float",
        _ => "double",
    };
    format!("{kind} {}", argument.name)
}

#[test]
fn the_default_suite_has_the_kernels_of_the_papers_at_more_than_71_sizes() {
    let mut count = 0;
    let mut by_source: BTreeMap<&str, usize> = BTreeMap::new();
    for (of, kernel) in all() {
        let cases = cases(of, kernel, SEED).unwrap();
        *by_source.entry(&kernel.source).or_default() += 1;
        let sizes: BTreeSet<&str> = cases.iter().map(|c| c.size.as_str()).collect();
        let expected = if of.id == "shared_bank_conflict" { 1 } else { 4 };
        assert_eq!(sizes.len(), expected, "{}: {sizes:?}", of.id);
        let problems: BTreeSet<String> = cases.iter().map(|c| c.problem.to_string()).collect();
        assert_eq!(problems.len(), cases.len(), "{}: a problem stands twice", of.id);
        count += cases.len();
    }
    assert_eq!(by_source, BTreeMap::from([("paper1", 18), ("paper3", 11), ("paper4", 1), ("paper5", 1)]));
    assert_eq!(count, 134);
    let tiles = cases_of("gemm_tiled").iter().map(|c| c.size_of("tile")).collect::<BTreeSet<_>>();
    assert_eq!(tiles, BTreeSet::from([1, 4, 8, 16, 32]));
}

fn cases_of(id: &str) -> Vec<SuiteCase> {
    let (of, kernel) = all().into_iter().find(|(of, _)| of.id == id).unwrap();
    cases(of, kernel, SEED).unwrap()
}

#[test]
fn every_case_can_be_launched_on_every_architecture() {
    for (of, kernel) in all() {
        for case in cases(of, kernel, SEED).unwrap() {
            let at = format!("{} {}", of.id, case.problem);
            let threads = case.launch.threads();
            assert!((1..=1024).contains(&threads) && case.launch.grid[1] <= 65_535, "{at}");
            assert!(case.launch.grid[0] < 1 << 31 && case.dynamic_smem <= 48 * 1024, "{at}");
            assert!(case.moved_bytes() <= 256 << 20, "{at}: {} bytes", case.moved_bytes());
            for (cc, resources) in &kernel.compiled {
                // Registers come in eights for each thread.
                let registers = resources.value.registers.next_multiple_of(8) * threads.next_multiple_of(32);
                assert!(registers <= 65_536, "{at} on {cc:?}: {registers} registers");
            }
            let declared = source(of).contains("extern __shared__");
            assert_eq!(declared, case.dynamic_smem > 0, "{at}: dynamic shared memory");
        }
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// What stands in the buffers

#[test]
fn nothing_that_is_read_is_all_zero_and_inputs_do_what_their_kernel_is_for() {
    for of in SUITE.iter() {
        for buffer in of.buffers.iter().filter(|b| b.role == BufferRole::Input) {
            let one_value = matches!(buffer.fill, Fill::Zero | Fill::Constant { .. });
            // The study's two, which are timed as it ran them too.
            let as_the_study = [("random_access", "idx"), ("histogram", "in")];
            let expected = as_the_study.contains(&(of.id.as_str(), buffer.name.as_str()));
            assert_eq!(one_value, expected, "{}: {}", of.id, buffer.name);
        }
    }
    let small = |id: &str| {
        let mut case = cases_of(id).swap_remove(0);
        case.fill();
        case
    };
    let gather = small("random_gather");
    let far = gather.i32s("idx").windows(2).filter(|w| w[0].abs_diff(w[1]) > 1024).count();
    assert!(far > 250_000, "neighbours read far from each other: {far} of 262,143");
    for id in ["histogram_spread", "count_numbers", "count_numbers_shared"] {
        let mut counts = [0; 256];
        small(id).i32s("in").iter().for_each(|v| counts[*v as usize] += 1);
        assert!(counts.iter().all(|c| (850..1200).contains(c)), "{id}: {counts:?}");
    }
    let search = small("binary_search");
    let target = search.scalar("target").unwrap();
    let numbers = search.i32s("sorted");
    assert!(numbers.is_sorted() && numbers.iter().filter(|v| f64::from(**v) == target).count() > 0);
    let doubles = numbers.windows(2).filter(|w| w[0] == w[1]).count();
    assert!((10_000..100_000).contains(&doubles), "{doubles}");
}

#[test]
fn a_buffer_takes_content_of_its_type_and_length_only() {
    let mut case = cases_of("shared_bank_conflict").swap_remove(0);
    let ones = || BufferData::F32(vec![1.0; 1024]);
    assert!(!case.put("in", ones()), "it is not filled yet");
    case.fill();
    assert!(case.put("in", ones()) && case.f32s("in") == [1.0; 1024]);
    for (buffer, data) in
        [("in", BufferData::F32(vec![1.0; 1023])), ("in", BufferData::U32(vec![1; 1024])), ("none", ones())]
    {
        assert!(!case.put(buffer, data), "{buffer}");
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// The compiled fallback

/// FNV-1a, 64 bits, as `compile.py` writes it.
fn fingerprint(bytes: &[u8]) -> String {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    format!("{:016x}", bytes.iter().fold(0xcbf2_9ce4_8422_2325, step))
}

#[test]
fn what_is_recorded_of_the_compiler_is_of_these_sources() {
    let table = std::fs::read_to_string(assets().join("compiled/sources.csv")).unwrap();
    let recorded: BTreeMap<String, String> = table
        .lines()
        .skip(1)
        .map(|line| line.split_once(',').map(|(k, v)| (k.into(), v.into())).unwrap())
        .collect();
    let now: BTreeMap<String, String> = sources().into_iter().map(|(k, b)| (k, fingerprint(&b))).collect();
    assert_eq!(recorded, now, "run assets/kernels/compile.py, then compile.py --specs");
    assert_eq!(fingerprint(b""), "cbf29ce484222325");
    assert_eq!(fingerprint(b"a"), "af63dc4c8601ec8c", "the published value for one letter");
}

#[test]
fn the_fallback_is_ptx_of_every_kernel_that_old_drivers_and_all_gpus_take() {
    let folder = assets().join("compiled/ptx");
    let there: BTreeSet<String> =
        std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    let expected = SUITE.iter().map(|k| format!("{}.compute_52.ptx", k.id)).collect();
    assert_eq!(there, expected);
    let mut bytes = 0;
    for of in SUITE.iter() {
        let text = std::fs::read_to_string(folder.join(format!("{}.compute_52.ptx", of.id))).unwrap();
        bytes += text.len();
        for line in [".version 6.0", ".target sm_52", ".address_size 64"] {
            assert!(text.lines().any(|l| l == line), "{}: no `{line}`", of.id);
        }
        assert!(text.contains(&format!(".visible .entry {}(", of.symbol)), "{}", of.id);
        let parameters = text.lines().filter(|l| l.trim_start().starts_with(".param ")).count();
        assert_eq!(parameters, of.arguments.len(), "{}: parameters", of.id);
    }
    assert!(bytes < 120_000, "{bytes} bytes: the repository is to stay small");
}

#[test]
fn paper_3s_launches_are_every_size_at_every_block_and_one_thread_beside() {
    let suite = paper3_suite(&SUITE);
    let mut launches = [0, 0];
    for of in &suite {
        let kernel = SESSION.kernels.entry_named(&of.id).unwrap();
        for case in cases(of, kernel, 1).unwrap() {
            launches[usize::from(of.one_thread)] += 1;
            let single = (case.launch.threads(), case.launch.block_count()) == (1, 1);
            assert_eq!(single, of.one_thread, "{} {}", of.id, case.problem);
        }
    }
    // Nine kernels at 7 x 9, two at their own block; one thread for each of eleven at seven sizes.
    assert_eq!((suite.len(), launches), (22, [9 * 63 + 2 * 7, 77]));
}
