//! The audit against planted defects, against clean data of random kernels, and against the study's own files.

#![allow(clippy::unwrap_used, clippy::print_stdout)] // helpers of tests are tests, and say what was skipped

use crate::skipping::skip_aloud;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use roofswap::audit::{AuditSheet, CHECKS, Finding, Severity, audit, fix, read_file, read_text};
use roofswap::session::Session;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

static SHIPPED: LazyLock<Session> = LazyLock::new(|| Session::load(None).unwrap());

fn sheet(files: &[(&str, &str)]) -> AuditSheet<'static> {
    let mut sheet = AuditSheet::new(&SHIPPED.gpus, &SHIPPED.kernels);
    for (name, text) in files {
        read_text(text.as_bytes(), name, &mut sheet).unwrap();
    }
    sheet
}

// ---------------------------------------------------------------------------------------------------------------------
// Clean data: kernels under a roofline, with a floor and noise

const HEADER: &str = "gpu,kernel,problem,variant,dtype,block,grid,regs_per_thread,smem_static_bytes,smem_dynamic_bytes,\
    flops,dram_bytes,time_ms,time_std_ms,trials,power_w,gpu_util_pct,remark\n";

/// One kernel of a clean world.
#[derive(Debug, Clone, Copy)]
struct Made {
    flops_per_element: f64,
    bytes_per_element: f64,
    efficiency: f64,
}

/// One row before it is written.
#[derive(Debug, Clone)]
struct Line {
    gpu: &'static str,
    kernel: String,
    n: u64,
    variant: String,
    regs: u32,
    flops: f64,
    bytes: f64,
    ms: f64,
    std: f64,
    power: Option<(f64, f64)>,
}

const GPUS: [&str; 3] = ["titan-v", "rtx-2080-ti", "rtx-4070"];

/// A number from 0 to 1 that depends on its seeds alone.
fn chance(seeds: &[u64]) -> f64 {
    let mixed = seeds.iter().fold(0x9e37_79b9_7f4a_7c15_u64, |a, s| {
        let x = (a ^ s).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (x ^ (x >> 29)).wrapping_mul(0x94d0_49bb_1331_11eb) ^ (x >> 31)
    });
    (mixed >> 11) as f64 / (1_u64 << 53) as f64
}

fn clean(kernels: &[Made], seed: u64) -> Vec<Line> {
    let mut lines = Vec::new();
    for (g, gpu) in GPUS.iter().enumerate() {
        let of = SHIPPED.gpus.entry_named(gpu).unwrap();
        for (k, made) in kernels.iter().enumerate() {
            let regs = 16 + (chance(&[seed, g as u64, k as u64, 7]) * 60.0) as u32;
            for (s, n) in [1_u64 << 18, 1 << 20, 1 << 22, 1 << 24].into_iter().enumerate() {
                let (flops, bytes) = (made.flops_per_element * n as f64, made.bytes_per_element * n as f64);
                let roof = (flops / of.fp32_peak.value.0).max(bytes / of.bandwidth_peak.value.0);
                let noise = 1.0 + 0.02 * chance(&[seed, g as u64, k as u64, s as u64]);
                let ms = 1e3 * (roof / made.efficiency) * noise + 0.003;
                lines.push(Line {
                    gpu,
                    kernel: format!("made_{k}"),
                    n,
                    variant: String::new(),
                    regs,
                    flops,
                    bytes,
                    ms,
                    std: ms * 0.01 * (0.5 + chance(&[seed, 9, g as u64, k as u64, s as u64])),
                    power: None,
                });
            }
        }
    }
    lines
}

fn written(lines: &[Line]) -> String {
    let mut out = HEADER.to_string();
    for l in lines {
        let power = l.power.map_or(",".into(), |(w, u)| format!("{w},{u}"));
        writeln!(
            out,
            "{},{},n={},{},fp32,256,{},{},0,0,{},{},{},{},10,{power},\"kept, verbatim\"",
            l.gpu,
            l.kernel,
            l.n,
            l.variant,
            l.n.div_ceil(256),
            l.regs,
            l.flops,
            l.bytes,
            l.ms,
            l.std
        )
        .unwrap();
    }
    out
}

fn six() -> Vec<Made> {
    [
        (1.0, 12.0, 0.8),
        (2.0, 8.0, 0.6),
        (129.0, 12.0, 0.5),
        (1000.0, 8.0, 0.4),
        (0.0, 16.0, 0.7),
        (30.0, 4.0, 0.55),
    ]
    .map(|(flops_per_element, bytes_per_element, efficiency)| Made {
        flops_per_element,
        bytes_per_element,
        efficiency,
    })
    .to_vec()
}

fn alarms(findings: &[Finding]) -> Vec<String> {
    let bad = findings.iter().filter(|f| f.severity != Severity::Note);
    bad.map(|f| format!("{} {}: {}", f.check, f.subject, f.evidence)).collect()
}

#[test]
fn clean_data_of_random_kernels_raise_no_alarm() {
    let made = (0.0..2000.0_f64, 4.0..64.0_f64, 0.05..0.9_f64).prop_map(|(f, b, efficiency)| Made {
        flops_per_element: f.round(),
        bytes_per_element: b.round(),
        efficiency,
    });
    let worlds = (proptest::collection::vec(made, 2..12), any::<u64>());
    let config = Config { cases: 200, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let quiet = |(kernels, seed): (Vec<Made>, u64)| {
        let text = written(&clean(&kernels, seed));
        let sheet = sheet(&[("clean.csv", &text)]);
        let found = alarms(&audit(&sheet));
        prop_assert!(found.is_empty(), "{found:#?}");
        Ok(())
    };
    if let Err(e) = runner.run(&worlds, quiet) {
        panic!("{e}");
    }
}

/// What the audit says after `spoil` changed a clean world: only findings of `check`, but for notes.
fn planted(check: &str, spoil: impl Fn(&mut Vec<Line>)) -> (Vec<Finding>, AuditSheet<'static>) {
    let mut lines = clean(&six(), 42);
    spoil(&mut lines);
    let sheet = sheet(&[("planted.csv", &written(&lines))]);
    let found = audit(&sheet);
    let (of, others): (Vec<Finding>, Vec<Finding>) = found.into_iter().partition(|f| f.check == check);
    assert!(alarms(&others).is_empty(), "{:#?}", alarms(&others));
    assert!(!of.is_empty(), "{check} found nothing");
    (of, sheet)
}

#[test]
fn an_ignored_size_is_found_and_the_true_one_inferred() {
    // made_3 is bound by compute: no roof is broken, other witnesses are needed.
    for kernel in ["made_0", "made_3"] {
        let (found, sheet) = planted("ignored-size", |lines| {
            let of = |l: &Line| l.gpu == "titan-v" && l.kernel == kernel;
            let true_ms = lines.iter().find(|l| of(l) && l.n == 1 << 20).unwrap().ms;
            let spoilt = lines.iter_mut().filter(|l| of(l));
            spoilt.enumerate().for_each(|(i, l)| l.ms = true_ms * (1.0 + 0.001 * i as f64));
        });
        assert_eq!((found.len(), found[0].severity), (1, Severity::Error));
        assert_eq!(found[0].rows.len(), 4);
        assert!(found[0].remedy.text.contains("n=1048576 ran"), "{}", found[0].remedy.text);
        let fixed = fix(&sheet, &found);
        assert_eq!((fixed.merged, fixed.dropped), (3, 0));
        assert_eq!(fixed.csv.lines().count(), 1 + 72 - 3);
        assert_eq!(fixed.log.lines().count(), 1 + 3 + fixed.changed, "{}", fixed.log);
        assert_eq!(fixed.csv.matches("\"kept, verbatim\"").count(), 69, "unknown columns stay");
    }
}

#[test]
fn a_mixed_population_is_found() {
    let (found, _) = planted("mixed-population", |lines| {
        lines
            .iter_mut()
            .filter(|l| l.gpu == "titan-v" && l.kernel == "made_2")
            .for_each(|l| l.std = 0.33 * l.ms);
    });
    assert_eq!((found[0].severity, found[0].rows.len()), (Severity::Error, 4));
}

#[test]
fn work_that_differs_is_found_and_the_majority_wins() {
    let (found, sheet) = planted("work-differs", |lines| {
        lines.iter_mut().filter(|l| l.gpu == "rtx-4070" && l.kernel == "made_3").for_each(|l| l.flops *= 0.5);
    });
    assert_eq!((found[0].severity, found[0].rows.len()), (Severity::Error, 12));
    assert_eq!(fix(&sheet, &found).changed, 4);
}

#[test]
fn counts_that_are_far_apart_are_a_warning_and_near_ones_a_note() {
    let text = "gpu,kernel,problem,dram_bytes,time_ms\n\
                l4,near,n=1,1000000,1\nl4,near,n=1,1010000,1\nt4,near,n=1,1200000,1\n\
                l4,far,n=1,1000000,1\nl4,far,n=1,1010000,1\nt4,far,n=1,12000000,1\n";
    let found = audit(&sheet(&[("counts.csv", text)]));
    let counts: Vec<&Finding> = found.iter().filter(|f| f.check == "work-differs").collect();
    let severities: Vec<(Severity, usize)> = counts.iter().map(|f| (f.severity, f.rows.len())).collect();
    assert_eq!(severities, [(Severity::Warning, 3), (Severity::Note, 3)], "{counts:?}");
    assert!(
        counts[0].evidence.contains("by more than 10x in 1 configuration of 1 kernel, far"),
        "{counts:?}"
    );
    assert!(counts[0].evidence.contains("another unit") && counts[1].evidence.contains("as counts do"));
}

#[test]
fn an_impossible_bandwidth_is_found() {
    let (found, _) = planted("beyond-roof", |lines| {
        let row = lines.iter_mut().find(|l| l.kernel == "made_0" && l.n == 1 << 24).unwrap();
        row.ms /= 5.0;
    });
    assert!(found.iter().any(|f| f.severity == Severity::Error && f.rows.len() == 1), "{found:?}");
}

#[test]
fn a_row_without_a_type_may_have_used_tensor_cores() {
    let row = |dtype: &str, ms: f64| {
        format!("gpu,kernel,problem,dtype,flops,time_ms\nrtx-4070,gemm_made,n=4096,{dtype},1.374e11,{ms}\n")
    };
    let errors = |text: &str| {
        let found = audit(&sheet(&[("gemm.csv", text)]));
        found.iter().filter(|f| f.check == "beyond-roof" && f.severity == Severity::Error).count()
    };
    // 55 TFLOP/s: twice the lanes, and what the tensor cores of this GPU do, of FP32 as FP16.
    assert_eq!((errors(&row("fp32", 2.5)), errors(&row("", 2.5)), errors(&row("mixed", 2.5))), (0, 0, 0));
    assert_eq!(errors(&row("", 0.01)), 1, "beyond every unit");
}

#[test]
fn impossible_launches_copied_registers_and_idle_power_are_found() {
    let (found, _) = planted("impossible-launch", |lines| {
        lines.iter_mut().filter(|l| l.kernel == "made_1").for_each(|l| l.regs = 300);
    });
    assert!(found.iter().all(|f| f.severity == Severity::Error));
    let mut eight = six();
    eight.extend_from_slice(&six()[..2]);
    let mut lines = clean(&eight, 1);
    lines.iter_mut().for_each(|l| l.regs = 20 + l.kernel.len() as u32);
    let of_all = audit(&sheet(&[("copied.csv", &written(&lines))]));
    assert!(of_all.iter().any(|f| f.check == "copied-constants"));
    let (found, sheet) = planted("power", |lines| {
        lines.iter_mut().enumerate().for_each(|(i, l)| {
            l.power = Some(if i % 2 == 0 { (150.0, 99.0) } else { (30.0, 10.0) });
        });
    });
    assert_eq!(found.iter().map(|f| f.rows.len()).sum::<usize>(), 36);
    assert_eq!(fix(&sheet, &found).changed, 36);
}

#[test]
fn labels_without_effect_and_copies_are_found() {
    let (found, _) = planted("idle-label", |lines| {
        let once = lines.clone();
        lines.clear();
        for (i, l) in once.iter().enumerate() {
            for (j, tile) in ["64", "128", "256"].into_iter().enumerate() {
                let ms = l.ms * (1.0 + 0.002 * chance(&[i as u64, j as u64]));
                lines.push(Line { variant: format!("tile={tile}"), ms, ..l.clone() });
            }
        }
    });
    assert!(
        found.iter().all(|f| f.severity == Severity::Warning && f.evidence.contains("`tile`")),
        "{found:?}"
    );
    let (found, sheet) = planted("duplicates", |lines| {
        let again = lines[5].clone();
        lines.push(again);
    });
    assert_eq!(fix(&sheet, &found).dropped, 1);
}

#[test]
fn a_label_with_a_small_steady_effect_is_no_idle_one() {
    let mut lines = Vec::new();
    for l in clean(&six(), 3) {
        for (tile, factor) in [("64", 1.0), ("128", 1.006), ("256", 1.003)] {
            lines.push(Line { variant: format!("tile={tile}"), ms: l.ms * factor, ..l.clone() });
        }
    }
    let found = audit(&sheet(&[("steady.csv", &written(&lines))]));
    assert!(alarms(&found).is_empty(), "{:#?}", alarms(&found));
}

#[test]
fn first_launches_are_found() {
    let (found, _) = planted("first-launch", |lines| {
        lines.iter_mut().filter(|l| l.kernel == "made_2").for_each(|l| l.ms += 5.5);
    });
    assert_eq!(found.len(), 3, "one for each GPU");
}

#[test]
fn calibrations_are_compared() {
    let metrics = r#"[{"device_name": "NVIDIA TITAN V", "sustained_bandwidth_gbps": 299.9, "peak_mem_bandwidth_gbps": 652.8},
        {"device_name": "NVIDIA GeForce RTX 4070", "sustained_bandwidth_gbps": 299.9}]"#;
    let found = audit(&sheet(&[
        ("clean.csv", &written(&clean(&six(), 1))),
        ("gpu_metrics.json", metrics),
        ("stream_titanv.out", "N=1 avg_ms=2\nSUSTAINED_MEM_BW_GBPS=609.90\n"),
    ]));
    let of = |check: &str| {
        found.iter().filter(|f| f.check == check).map(|f| f.subject.as_str()).collect::<Vec<_>>()
    };
    assert!(of("calibration").contains(&"titan-v"), "{found:#?}");
    let copied = of("copied-constants");
    assert!(
        copied.len() == 1 && copied[0].contains("titan-v") && copied[0].contains("rtx-4070"),
        "{copied:?}"
    );
}

#[test]
fn damaged_input_is_refused_with_its_place_and_never_panics() {
    let read = |text: &[u8]| {
        let mut sheet = AuditSheet::new(&SHIPPED.gpus, &SHIPPED.kernels);
        let read = read_text(text, "f", &mut sheet).map_err(|e| e.to_string());
        let _ = (audit(&sheet), fix(&sheet, &audit(&sheet)));
        read.map(|_| (sheet.rows.len(), sheet.refused.iter().map(ToString::to_string).collect::<Vec<_>>()))
    };
    assert!(read(b"").unwrap_err().contains("is empty"));
    assert!(read(b"{\"a\": 1}").unwrap_err().contains("sustained_bandwidth_gbps"));
    assert!(read(b"[{\"sustained_bw_gbps\": 1, 2").unwrap_err().contains("no sound JSON"));
    assert!(read(b"gpu,kernel,time_ms\n\0").unwrap_err().contains("NUL"));
    let (rows, refused) = read(b"gpu,kernel,time_ms\na,b,1\na,b,-1\na,b,0\na,,1\na,b\n").unwrap();
    assert_eq!((rows, refused.len()), (1, 4));
    assert!(refused[0].starts_with("f:3: time_ms: `-1`: expected milliseconds above 0"), "{refused:?}");
    let mut extreme = String::from(HEADER);
    for v in ["1e-300", "1e300", "4.9e-324", "1"] {
        writeln!(
            extreme,
            "titan-v,saxpy,n=9007199254740992,,fp32,4294967295x9,9x9x9,1e9,1e12,0,{v},{v},{v},{v},{v},1,1,"
        )
        .unwrap();
    }
    read(extreme.as_bytes()).unwrap();
}

#[test]
fn every_check_has_words_for_people() {
    for check in CHECKS {
        assert!(!check.title.is_empty() && check.harm.len() > 20, "{}", check.id);
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// The command

/// Runs the program in a folder; exit code, stdout, stderr.
fn typed(folder: &Path, words: &str) -> (i32, String, String) {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_roofswap"));
    command.args(words.split_whitespace()).current_dir(folder).env("ROOFSWAP_CONFIG", folder);
    let done = command.output().unwrap();
    let text = |b: Vec<u8>| String::from_utf8(b).unwrap();
    (done.status.code().unwrap(), text(done.stdout), text(done.stderr))
}

/// What no other command loads has no clean bill here.
#[test]
fn the_command_refuses_sizes_that_are_no_problem_of_their_kernel() {
    let folder = tempfile::tempdir().unwrap();
    let convolution = |sizes: &str| format!("titan-v,torch_conv,b=16;ic=64;oc=64;hw=16;{sizes};pad=1,0.3\n");
    let text = [
        "gpu,kernel,problem,time_ms\n".to_string(),
        convolution("ks=3;stride=1"),
        convolution("ks=30;stride=1"),
        convolution("ks=3;stride=0"),
        "titan-v,saxpy,grid=64;block=64,0.3\n".to_string(),
    ];
    std::fs::write(folder.path().join("conv.csv"), text.concat()).unwrap();
    let (code, out, err) = typed(folder.path(), "audit conv.csv --strict");
    assert!(
        code == 1 && out.contains("in 2 rows, 2 refused"),
        "keys of another kernel are loaded: {out}{err}"
    );
    for said in
        ["conv.csv:3: problem: ", "filter is larger than the padded image", "conv.csv:4: problem: stride=0"]
    {
        assert!(err.contains(said), "{err}");
    }
    let (_, _, loaded) = typed(folder.path(), "predict --data conv.csv --kernel torch_conv --to h200");
    assert!(loaded.contains("2 rows loaded, 2 refused"), "{loaded}");
}

#[test]
fn the_command_reads_what_importers_know() {
    let folder = tempfile::tempdir().unwrap();
    let tuned = r#"{"device_name": "NVIDIA TITAN V", "kernel_name": "mine", "problem_size": [1024, 1024],
        "tune_params_keys": ["block_size_x"], "tune_params": {"block_size_x": [64]},
        "cache": {"64": {"block_size_x": 64, "time": 1.5}}}"#;
    std::fs::write(folder.path().join("tuned.json"), tuned).unwrap();
    let (code, out, err) = typed(folder.path(), "audit tuned.json --fix -o clean.csv");
    assert!(code == 0 && out.contains("in 1 row"), "{out}{err}");
    let clean = std::fs::read_to_string(folder.path().join("clean.csv")).unwrap();
    assert!(clean.starts_with("gpu,kernel,problem,") && clean.lines().count() == 2, "{clean}");
}

#[test]
fn the_command_finds_repairs_a_copy_and_never_writes_an_input() {
    let folder = tempfile::tempdir().unwrap();
    let mut lines = clean(&six(), 5);
    lines.iter_mut().filter(|l| l.gpu == "titan-v" && l.kernel == "made_0").for_each(|l| l.ms = 0.027);
    let runs = folder.path().join("runs.csv");
    std::fs::write(&runs, written(&lines)).unwrap();
    std::fs::hard_link(&runs, folder.path().join("link.csv")).unwrap();
    let before = std::fs::read(&runs).unwrap();

    let (code, out, _) = typed(folder.path(), "audit runs.csv");
    assert_eq!(code, 0, "findings are no failure");
    assert!(
        out.contains("error ignored-size: titan-v, made_0 (runs.csv:2-5)")
            && out.contains("effect on models (ignored-size): "),
        "{out}"
    );
    assert_eq!(typed(folder.path(), "audit runs.csv --strict").0, 1);
    for format in ["json", "csv", "markdown"] {
        let (code, out, _) = typed(folder.path(), &format!("audit runs.csv --format {format}"));
        assert!(code == 0 && out.contains("ignored-size"), "{format}: {out}");
    }
    for words in [
        "--fix -o runs.csv",
        "--fix -o link.csv",
        "--fix -o clean.csv --log runs.csv",
        "--fix -o a --log a",
        "--fix",
    ] {
        let (code, _, err) = typed(folder.path(), &format!("audit runs.csv {words}"));
        assert_eq!(code, 2, "{words}: {err}");
    }
    let (code, _, err) = typed(folder.path(), "audit runs.csv --fix -o clean.csv");
    assert!(
        code == 0 && err.contains("clean.csv: 69 of 72 rows; 0 could not be read, 0 dropped, 3 merged"),
        "{err}"
    );
    let log = std::fs::read_to_string(folder.path().join("clean.csv.log")).unwrap();
    assert!(log.starts_with("file,line,gpu,kernel,problem,change,column,old,new,check,why\n"), "{log}");
    let (_, out, _) = typed(folder.path(), "audit clean.csv --strict");
    assert!(out.contains("0 errors"), "{out}");
    assert_eq!(std::fs::read(&runs).unwrap(), before, "the input is as it was");
    let (code, _, err) = typed(folder.path(), "audit none.csv");
    assert!(code == 1 && err.contains("none.csv: no such file"), "{err}");
}

// ---------------------------------------------------------------------------------------------------------------------
// Against files that are not ours to ship

fn data(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("ROOFSWAP_CHECKOUT")).join("../shared/data").join(name);
    if path.exists() {
        return Some(path);
    }
    skip_aloud(&format!("{} is not here", path.display()));
    None
}

fn audited(names: &[&str]) -> Option<(AuditSheet<'static>, Vec<Finding>)> {
    let mut sheet = AuditSheet::new(&SHIPPED.gpus, &SHIPPED.kernels);
    for name in names {
        read_file(&data(name)?, &mut sheet).unwrap();
    }
    let found = audit(&sheet);
    Some((sheet, found))
}

const STUDY: [&str; 11] = [
    "study/measurements.csv",
    "study/raw/gpu_metrics.json",
    "study/raw/stream_like_2080ti.out",
    "study/raw/stream_like_4070.out",
    "study/raw/stream_like_titanv.out",
    "study/raw/stream_like_titanx.out",
    "study/raw/gemm_cublas_2080ti.out",
    "study/raw/ptxas_2080ti.log",
    "study/raw/ptxas_4070.log",
    "study/raw/ptxas_titanv.log",
    "study/raw/ptxas_titanx.log",
];

fn of<'f>(found: &'f [Finding], check: &str) -> Vec<&'f Finding> {
    found.iter().filter(|f| f.check == check).collect()
}

fn about(found: &[Finding], check: &str, words: &[&str]) -> bool {
    of(found, check).iter().any(|f| words.iter().all(|w| format!("{} {}", f.subject, f.evidence).contains(w)))
}

#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared, other people's measurements")]
fn every_defect_of_the_study_is_found_by_itself() {
    let Some((sheet, found)) = audited(&STUDY) else { return };
    // 1: 50 rows ignored their size; the 51st of the study is a mixed one.
    let ignored = of(&found, "ignored-size");
    assert!(ignored.iter().all(|f| f.subject.starts_with("gtx-titan-x, ")));
    assert_eq!((ignored.len(), ignored.iter().map(|f| f.rows.len()).sum::<usize>()), (12, 50));
    for (kernel, size) in
        [("saxpy", "n=1048576 ran"), ("matmul_naive", "n=512;k=512 ran"), ("conv2d_7x7", "h=1024;w=1024 ran")]
    {
        let f = ignored.iter().find(|f| f.subject.ends_with(kernel)).unwrap();
        assert!(f.remedy.text.contains(size), "{}", f.remedy.text);
    }
    // 2
    for gpu in ["rtx-4070", "titan-v", "gtx-titan-x"] {
        assert!(about(&found, "mixed-population", &[gpu, "atomic_hotspot"]), "{gpu}");
    }
    assert_eq!(of(&found, "mixed-population").iter().map(|f| f.rows.len()).sum::<usize>(), 7);
    // 4
    let cached: usize =
        of(&found, "beyond-roof").iter().filter(|f| f.severity == Severity::Note).map(|f| f.rows.len()).sum();
    assert_eq!(cached, 14);
    // 5
    assert!(about(&found, "launch-floor", &["rtx-4070", "8.67 µs", "5.37 µs"]));
    assert!(about(&found, "launch-floor", &["titan-v", "3.61 µs", "1.35 µs"]));
    // 6
    assert!(about(&found, "calibration", &["rtx-2080-ti", "267.7", "541.1"]));
    for gpu in ["rtx-4070", "titan-v", "gtx-titan-x"] {
        assert!(about(&found, "calibration", &[gpu, "DRAM"]), "{gpu}");
    }
    // 10
    let refused = of(&found, "impossible-launch");
    assert_eq!(refused.len(), 4);
    assert!(refused.iter().all(|f| f.subject.ends_with("shared_bank_conflict")));
    // 11
    assert!(about(&found, "copied-constants", &["16 of 16 kernels"]));
    assert!(about(
        &found,
        "registers",
        &["conv2d_7x7", "have 40", "rtx-2080-ti 62", "titan-v 32", "gtx-titan-x 32"]
    ));
    // 12: the grids; of the zeros in the buffers, what can be seen.
    assert!(about(&found, "kernel-file", &["strided_copy_8", "a factor of 8.00"]));
    assert!(about(&found, "kernel-file", &["reduce_sum", "a factor of 2.00"]));
    assert!(about(&found, "kernel-file", &["dot_product", "a factor of 2.00"]));
    assert!(about(&found, "gather", &["random_access"]));
    // The repaired copy is what people made by hand: 20 rows of the spoiled GPU less the mixed one, none mixed or refused.
    let fixed = fix(&sheet, &found);
    assert_eq!(fixed.csv.lines().count() - 1, 194);
    let again = self::sheet(&[("fixed.csv", &fixed.csv)]);
    let left = audit(&again);
    assert!(left.iter().all(|f| f.severity != Severity::Error), "{:#?}", alarms(&left));
}

#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared, other people's measurements")]
fn the_repaired_copy_agrees_with_the_one_made_by_hand() {
    let (Some((sheet, found)), Some(by_hand)) = (audited(&STUDY), data("study/measurements_corrected.csv"))
    else {
        return;
    };
    let columns = ["gpu", "kernel", "problem", "grid", "regs_per_thread", "time_ms"];
    let rows = |text: &[u8]| {
        let mut csv = csv::Reader::from_reader(text);
        let at: Vec<usize> = {
            let h = csv.headers().unwrap();
            columns.map(|c| h.iter().position(|n| n == c).unwrap()).to_vec()
        };
        let keep = |r: csv::StringRecord| at.iter().map(|i| r[*i].to_string()).collect::<Vec<_>>();
        let mut all: Vec<Vec<String>> = csv.records().map(|r| keep(r.unwrap())).collect();
        all.sort();
        all
    };
    let (mine, theirs) = (rows(fix(&sheet, &found).csv.as_bytes()), rows(&std::fs::read(by_hand).unwrap()));
    assert_eq!(mine.len(), theirs.len());
    let mut apart = Vec::new();
    for (a, b) in mine.iter().zip(&theirs) {
        let times = |r: &[String]| r[5].parse::<f64>().unwrap();
        if a[..5] != b[..5] || (times(a) / times(b) - 1.0).abs() > 1e-6 {
            apart.push((a, b));
        }
    }
    assert!(apart.is_empty(), "{apart:#?}");
}

/// The published layout as canonical rows: the FLOPs and bytes each file declares.
fn as_published(file: &str, gpu: &str, out: &mut String) -> Option<()> {
    let mut csv = csv::Reader::from_path(data(&format!("study/raw/runs_{file}_final.csv"))?).unwrap();
    let header = csv.headers().unwrap().clone();
    for record in csv.records() {
        let record = record.unwrap();
        let get = |name: &str| header.iter().position(|h| h == name).map_or("", |i| &record[i]);
        let known = |name: &str| Some(get(name)).filter(|v| !matches!(*v, "" | "0"));
        let problem = match (known("N"), known("rows")) {
            (Some(n), _) => {
                format!("n={n}{}", known("iters").map_or(String::new(), |i| format!(";iters={i}")))
            }
            (None, Some(rows)) => format!("rows={rows};cols={}", get("cols")),
            _ => "fixed=1".into(),
        };
        let fields = ["kernel", "block", "FLOPs", "BYTES", "mean_ms", "std_ms"].map(get);
        let [kernel, block, flops, bytes, mean, std] = fields;
        writeln!(out, "{gpu},{kernel},{problem},{block},{flops},{bytes},{mean},{std}").unwrap();
    }
    Some(())
}

#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared, other people's measurements")]
fn work_that_the_study_declares_differently_is_found() {
    let mut text = String::from("gpu,kernel,problem,block,flops,dram_bytes,time_ms,time_std_ms\n");
    for (file, gpu) in
        [("2080ti", "rtx-2080-ti"), ("4070", "rtx-4070"), ("titanv", "titan-v"), ("titanx", "gtx-titan-x")]
    {
        let Some(()) = as_published(file, gpu, &mut text) else { return };
    }
    let found = audit(&sheet(&[("published.csv", &text)]));
    // 3
    for (kernel, configurations) in
        [("histogram", "in 4 of"), ("strided_copy_8", "in 4 of"), ("atomic_hotspot", "in 3 of")]
    {
        assert!(about(&found, "work-differs", &[kernel, "dram_bytes differs", configurations]), "{kernel}");
    }
    // 12, its end: one FLOP per element where the kernel does 129.5.
    assert!(about(&found, "kernel-file", &["vector_add_divergent", "flops"]));
}

#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared, other people's measurements")]
fn the_defects_of_the_gemm_study_are_found() {
    let Some((_, found)) = audited(&["gpperf/cutlass_sgemm_rtx4070.canonical.csv"]) else { return };
    // 8
    assert!(about(&found, "idle-label", &["7 levels", "16128 rows of 576 configurations"]));
    assert!(about(&found, "power", &["1440 of 2595"]) && about(&found, "power", &["13533 of 16128"]));
    assert!(found.iter().all(|f| f.severity != Severity::Error));
    // 9
    let (_, found) = audited(&["gpperf/tiled_matmul_rtx4070.canonical.csv"]).unwrap();
    assert!(about(&found, "first-launch", &["no time below 5.58 ms"]));
}

#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared, other people's measurements")]
fn sound_data_raise_no_error() {
    let folders: [(&str, &[&str]); 7] = [
        ("study/measurements_corrected.csv", &["gather"]),
        ("neusight/neusight_ops_dev.csv", &[]),
        ("schoonhoven_tuning/gemm_conv_dev.csv", &[]),
        // 161 builds move up to 105 times more from DRAM on one GPU.
        ("ktt/ktt_convolution.csv", &["work-differs"]),
        // Counters of separate profiler runs: eigenvalues and one histogram move more from DRAM than through L2. dxtc moves 6.5 GB on one
        // GPU and 34 kB on another.
        ("nv_dvfs/nv_dvfs_dev.csv", &["contradictory-counts", "work-differs"]),
        // Its GTX 1650 streams 168 GB/s; the catalogue's board has 128.
        ("pmpp_nvbench/single_launch.csv", &["beyond-roof"]),
        ("pmpp_nvbench/multi_launch.csv", &[]),
    ];
    for (file, known) in folders {
        let Some((_, found)) = audited(&[file]) else { continue };
        let unexpected: Vec<&Finding> =
            found.iter().filter(|f| f.severity != Severity::Note && !known.contains(&f.check)).collect();
        assert!(unexpected.is_empty(), "{file}: {unexpected:#?}");
        assert!(found.iter().all(|f| f.severity != Severity::Error), "{file}");
    }
}

/// Launches of one 10 µs kernel, and of one labelled by very many columns.
#[test]
fn neither_many_launches_nor_many_labels_take_the_square_of_them() {
    let session = Session::load(None).unwrap();
    let audited = |text: String| {
        let mut sheet = AuditSheet::new(&session.gpus, &session.kernels);
        read_text(text.as_bytes(), "f.csv", &mut sheet).unwrap();
        audit(&sheet)
    };
    let mut launches = String::from("gpu,kernel,problem,time_ms,source\n");
    for i in 0..30_000 {
        launches += &format!("titan-v,mine,n={},{},run {i}\n", 1000 + i, 0.01 + f64::from(i) * 1e-8);
    }
    assert!(audited(launches).iter().all(|f| f.check != "launch-floor"), "one kernel agrees with nobody");
    let names: Vec<String> = (0..3000).map(|i| format!("x{i}")).collect();
    let mut labels = format!("gpu,kernel,problem,time_ms,{}\n", names.join(","));
    for row in 0..60 {
        let cells: Vec<String> = (0..3000).map(|i| ((row >> (i % 6)) & 1).to_string()).collect();
        labels += &format!("titan-v,mine,n=4096,1.{row},{}\n", cells.join(","));
    }
    let found = audited(labels);
    let note = found.iter().find(|f| f.check == "idle-label").unwrap();
    assert!(note.evidence.starts_with("3000 keys and columns") && note.rows.is_empty(), "{}", note.evidence);
}
