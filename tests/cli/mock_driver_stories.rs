//! The real driver's code against libraries of our own: no GPU, but every call with its types, and everything given back.
//! Linux with a C compiler; skipped elsewhere.

#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a skipped story says so; clippy.toml allows unwrap in test functions, and their builders stand outside"
)]

use crate::desk::{Desk, Outcome};
use crate::skipping::skip_aloud;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// Compiles both libraries into the desk's folder; says why not where that fails.
fn install_libraries(desk: &Desk) -> bool {
    let sources = Path::new(env!("ROOFSWAP_CHECKOUT")).join("tests/mock_driver");
    for (source, library) in [("libcuda.c", "libcuda.so.1"), ("libnvidia-ml.c", "libnvidia-ml.so.1")] {
        let mut compiler = Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()));
        compiler.args(["-shared", "-fPIC", "-O1", "-o"]).arg(desk.path(library)).arg(sources.join(source));
        match compiler.output() {
            Ok(done) => assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr)),
            Err(why) => {
                skip_aloud(&format!("no C compiler: {why}"));
                return false;
            }
        }
    }
    true
}

/// What the program answers where these libraries are the machine's; `fail` is what the driver is to fail at.
fn answer(desk: &Desk, words: &str, fail: &str) -> Outcome {
    let mut command = desk.command(words, &[]);
    command.env("LD_LIBRARY_PATH", desk.path("")).env("MOCK_LOG", desk.path("log")).env("MOCK_FAIL", fail);
    let done = command.output().expect("the program starts");
    Outcome {
        code: done.status.code().expect("it ended by itself"),
        stdout: String::from_utf8(done.stdout).expect("UTF-8"),
        stderr: String::from_utf8(done.stderr).expect("UTF-8"),
    }
}

/// How often each thing was taken, and that it was given back as often.
#[track_caller]
fn taken_and_returned(desk: &Desk) -> BTreeMap<String, i32> {
    let mut taken = BTreeMap::new();
    let mut open: BTreeMap<String, i32> = BTreeMap::new();
    for line in desk.read("log").lines() {
        let (sign, what) = line.split_at(1);
        *open.entry(what.to_owned()).or_default() += if sign == "+" { 1 } else { -1 };
        *taken.entry(what.to_owned()).or_default() += i32::from(sign == "+");
    }
    assert!(open.values().all(|left| *left == 0), "not given back: {open:?}");
    taken
}

#[test]
fn the_probe_says_what_driver_and_nvml_say() {
    let desk = Desk::new();
    if !install_libraries(&desk) {
        return;
    }
    let answer = answer(&desk, "probe --gpu 0", "").works();
    let head =
        "0: NVIDIA GeForce RTX 4070 (GPU-000d1a27-3441-4e5b-6875-828f9ca9b6c3), driver 570.86.15, CUDA 12.9";
    assert!(answer.stdout.starts_with(head), "{}", answer.stdout);
    for (what, value) in [
        ("compute_capability", "8.9"),
        ("sms", "46"),
        ("sm_clock", "2475"),
        ("mem_clock", "10501"),
        ("bus", "192"),
        ("memory", "12288"),
        ("l2", "36864"),
        ("power_limit", "200.123"),
        ("power_limit_default", "215"),
        ("threads_per_sm", "1536"),
        ("blocks_per_sm", "24"),
        ("threads_per_block", "1024"),
        ("registers_per_sm", "65536"),
        ("shared_per_sm", "102400"),
        ("shared_per_block", "49152"),
        ("shared_per_block_opt_in", "101376"),
        ("launch_alone", "20.0"),
    ] {
        let line = answer.stdout.lines().find(|l| l.split_whitespace().next() == Some(what));
        assert!(line.is_some_and(|l| l.split_whitespace().nth(2) == Some(value)), "{what}: {line:?}");
    }
    let taken = taken_and_returned(&desk);
    assert_eq!((taken["context"], taken["stream"], taken["event"]), (1, 1, 2), "{taken:?}");
    assert!(taken["alloc"] > 2 && taken["module"] > 0, "{taken:?}");
}

#[test]
fn a_driver_that_fails_is_quoted_and_everything_given_back() {
    let desk = Desk::new();
    if !install_libraries(&desk) {
        return;
    }
    let lost = answer(&desk, "probe --gpu 0", "launch");
    let words = "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered";
    assert!(lost.code == 1 && lost.stderr.contains(words), "{} {}", lost.code, lost.stderr);
    assert!(!lost.stderr.contains("panicked"), "{}", lost.stderr);
    taken_and_returned(&desk);
}

#[test]
fn a_driver_without_a_function_is_too_old() {
    let desk = Desk::new();
    if !install_libraries(&desk) {
        return;
    }
    desk.file("old.c", "int cuInit(unsigned flags) { return flags; }");
    let mut compiler = Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()));
    compiler.args(["-shared", "-fPIC", "-o"]).args([desk.path("libcuda.so.1"), desk.path("old.c")]);
    assert!(compiler.status().unwrap().success());
    let words = "the driver is too old, it has no cuDriverGetVersion; install one of CUDA 11.4 or later";
    answer(&desk, "probe", "").ends(1, &["no NVIDIA GPU can be used here", words]);
}
