//! `probe` and `measure` as a person meets them on a machine without an NVIDIA driver, and what needs none.

#![allow(
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a skipped story says so; clippy.toml allows unwrap in test functions, and their builders stand outside"
)]

use crate::desk;

use desk::Desk;
use serde_json::Value;

/// Whether these stories can be told here: they are about machines without a driver.
fn no_driver() -> bool {
    let none = roofswap::device::find_driver().is_err();
    if !none {
        eprintln!("skipped: this machine has an NVIDIA driver");
    }
    none
}

#[test]
fn without_a_driver_probe_and_measure_say_so_in_one_line_and_fail() {
    if !no_driver() {
        return;
    }
    let desk = Desk::new();
    for words in [
        "probe",
        "probe -o gpu.toml --gpu 0",
        "measure -o runs.csv",
        "measure -o none/runs.csv --kernels saxpy",
    ] {
        let outcome = desk.types(words).ends(1, &["no NVIDIA GPU can be used here"]);
        assert_eq!((outcome.stderr.lines().count(), &*outcome.stdout), (1, ""), "{}", outcome.stderr);
        assert!(!outcome.stderr.contains("panicked"));
    }
    assert!(!desk.path("gpu.toml").exists() && !desk.path("runs.csv").exists());
    // Nothing else minds.
    desk.types("predict --from titan-v --to rtx-4070 --kernel saxpy").works();
}

#[test]
fn a_dry_run_needs_no_gpu_and_tells_plan_and_time() {
    let desk = Desk::new();
    let text = desk.types("measure --dry-run").works().stdout;
    let first = text.lines().next().unwrap();
    assert!(
        first.contains("configurations on GeForce RTX 4070") && first.contains("nothing was measured"),
        "{first}"
    );
    let rows: Value =
        serde_json::from_str(&desk.types("measure --dry-run --on h100-sxm5 --format json").works().stdout)
            .unwrap();
    let rows = rows.as_array().unwrap();
    assert!(rows.len() >= 71, "{}", rows.len());
    let seconds: f64 = rows.iter().filter_map(|r| r["takes"].as_f64()).sum();
    assert!(seconds > 1.0 && seconds < 300.0, "{seconds} s on an H100, as estimated");
    let small =
        desk.types("measure --dry-run --kernels saxpy,gemm_tiled --sizes small --format csv").works().stdout;
    assert!(small.lines().count() >= 3 && small.contains("saxpy n=262144,small,"), "{small}");
}

#[test]
fn what_is_typed_wrong_says_what_to_type() {
    let desk = Desk::new();
    desk.types("measure --dry-run --kernels saxpi")
        .ends(2, &["kernel `saxpi` is not in the suite; give some of:", "saxpy"]);
    desk.types("measure --dry-run --sizes huge").ends(2, &["size `huge` is unknown", "xlarge"]);
    desk.types("measure --dry-run --on nosuchgpu").ends(2, &["unknown GPU `nosuchgpu`"]);
    desk.types("measure").ends(2, &["--output"]);
}

/// The program may need no CUDA library to start: nothing of it is among what the loader has to find.
#[cfg(target_os = "linux")]
#[test]
fn nothing_of_cuda_is_linked() {
    use object::Endianness;
    use object::elf::{DT_NEEDED, FileHeader64};
    use object::read::elf::{Dyn, FileHeader};
    let bytes = std::fs::read(env!("CARGO_BIN_EXE_roofswap")).unwrap();
    let elf = FileHeader64::<Endianness>::parse(&*bytes).unwrap();
    let endian = elf.endian().unwrap();
    let sections = elf.sections(endian, &*bytes).unwrap();
    let (entries, link) = sections.dynamic(endian, &*bytes).unwrap().expect("a dynamic program");
    let strings = sections.strings(endian, &*bytes, link).unwrap();
    let needed: Vec<String> = entries
        .iter()
        .filter(|d| i64::from(d.tag32(endian).unwrap_or(0)) == DT_NEEDED)
        .map(|d| String::from_utf8_lossy(d.string(endian, strings).unwrap()).into_owned())
        .collect();
    assert!(needed.iter().any(|n| n.starts_with("libc.")), "{needed:?}");
    let forbidden = |n: &&String| ["cuda", "nvidia", "nvrtc", "nvml", "cudart"].iter().any(|w| n.contains(w));
    assert_eq!(needed.iter().find(forbidden), None, "{needed:?}");
}
