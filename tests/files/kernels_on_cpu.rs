//! Every kernel's own source, run thread by thread on the CPU (`on_cpu/`), against the reference that `measure` will compare
//! a GPU's answer with: at sizes around every block and tile edge, with threads in both orders. It shows that source,
//! arguments, launch and reference belong together; of a GPU's compiler, its speed and its scheduling it shows nothing.
//!
//! Without a C++ compiler the test says so and is skipped. Linux only: threads are `ucontext` fibers.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::print_stdout)] // helpers of tests are tests, and say what was skipped

use crate::on_cpu;
use crate::skipping::skip_aloud;

use roofswap::device::suite::reference::reference;
use roofswap::device::suite::{
    BufferData, BufferRole, SuiteCase, SuiteKernel, SuiteRun, joined, paper3_suite, shipped_suite,
};
use roofswap::session::Session;

/// Sizes around the edges of blocks, tiles, warps and segments.
fn problems(keys: &[String]) -> Vec<&'static str> {
    match keys.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["n"] => vec!["n=1", "n=255", "n=257", "n=1000", "n=1537"],
        ["n", "iters"] => vec!["n=257;iters=3"],
        ["n", "t"] => vec!["n=1;t=256", "n=1001;t=200", "n=1000;t=32", "n=1500;t=1024", "n=97;t=1"],
        ["n", "l", "t"] => vec!["n=300;l=16;t=256", "n=99;l=5;t=50", "n=1;l=1;t=32"],
        ["n", "segment", "t"] => {
            vec![
                "n=5000;segment=16;t=64",
                "n=999;segment=7;t=50",
                "n=20000;segment=64;t=256",
                "n=1;segment=64;t=256",
            ]
        }
        ["rows", "cols"] => {
            vec!["rows=1;cols=1", "rows=33;cols=31", "rows=64;cols=32", "rows=7;cols=70", "rows=2;cols=3"]
        }
        ["rows", "cols", "t"] => {
            vec![
                "rows=3;cols=1024;t=256",
                "rows=5;cols=100;t=256",
                "rows=2;cols=777;t=200",
                "rows=2;cols=40;t=1",
            ]
        }
        ["h", "w"] => vec!["h=7;w=7", "h=20;w=33", "h=32;w=16"],
        ["h", "w", "f"] => vec!["h=5;w=5;f=5", "h=20;w=33;f=5", "h=32;w=40;f=8", "h=17;w=16;f=1"],
        ["m", "n", "k"] => vec!["m=1;n=1;k=1", "m=33;n=65;k=31", "m=40;n=17;k=70"],
        ["m", "n", "k", "tile"] => {
            vec![
                "m=5;n=4;k=6;tile=1",
                "m=33;n=18;k=7;tile=4",
                "m=33;n=31;k=40;tile=16",
                "m=33;n=65;k=31;tile=32",
            ]
        }
        ["k", "b", "t"] => vec!["k=512;b=3;t=256", "k=100;b=4;t=37", "k=5;b=2;t=64", "k=70;b=2;t=1"],
        ["fixed"] => vec!["fixed=1"],
        ref other => panic!("no sizes for the keys {other:?}"),
    }
}

/// The first element that is further off than the suite's file allows.
fn mismatch(of: &SuiteKernel, case: &SuiteCase, got: &BufferData) -> Option<String> {
    let at: Vec<usize> = (0..got.len()).collect();
    let expected = reference(&of.id).unwrap()(case, &at);
    assert_eq!(expected.len(), at.len(), "{}", of.id);
    at.iter().zip(expected).find_map(|(i, expected)| {
        let value = got.value_at(*i).unwrap();
        let near = (value - expected).abs() <= of.check.absolute + of.check.relative * expected.abs();
        (!near).then(|| format!("{}[{i}] is {value}, expected {expected}", of.check.buffer))
    })
}

#[test]
fn every_source_gives_what_its_reference_says_at_every_edge_and_in_either_order() {
    launches_match_their_references(&shipped_suite().unwrap());
}

#[test]
fn one_thread_gives_what_the_reference_says() {
    let suite: Vec<SuiteKernel> = paper3_suite(&shipped_suite().unwrap());
    let own_loop = |of: &SuiteKernel| of.file == "probe/one_thread.cu";
    let loops: Vec<SuiteKernel> = suite.into_iter().filter(own_loop).collect();
    assert_eq!(loops.len(), 9);
    launches_match_their_references(&loops);
}

/// Launches every kernel of this suite on the CPU, where there is a compiler.
fn launches_match_their_references(suite: &[SuiteKernel]) {
    let session = Session::load(None).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let program = match on_cpu::build(suite, folder.path()) {
        Err(why) if why.starts_with("no C++ compiler") => {
            skip_aloud(&why);
            return;
        }
        built => built.unwrap(),
    };
    let mut launched = 0;
    for (place, (of, kernel)) in joined(suite, &session.kernels).unwrap().into_iter().enumerate() {
        for (i, problem) in problems(&kernel.keys).into_iter().enumerate() {
            let run = SuiteRun { size: "small".into(), problem: Some(problem.into()) };
            let mut case = SuiteCase::new(of, kernel, &run, 7 + i as u64).unwrap();
            case.fill();
            let at = format!("{} {problem}", of.id);
            let answer =
                on_cpu::launch(&program, place, &case, i % 2 == 1).unwrap_or_else(|e| panic!("{at}: {e}"));
            assert_eq!(mismatch(of, &case, &answer[case.checked]), None, "{at}");
            for (buffer, (before, after)) in case.buffers.iter().zip(case.contents().iter().zip(&answer)) {
                assert!(
                    buffer.role != BufferRole::Input || before == after,
                    "{at}: `{}` was written",
                    buffer.name
                );
            }
            launched += 1;
        }
    }
    println!("{launched} launches of {} kernels", suite.len());
}

#[test]
fn a_wrong_answer_is_seen() {
    let (session, suite) = (Session::load(None).unwrap(), shipped_suite().unwrap());
    for (of, kernel) in joined(&suite, &session.kernels).unwrap() {
        let run = SuiteRun { size: "small".into(), problem: Some(problems(&kernel.keys)[0].into()) };
        let mut case = SuiteCase::new(of, kernel, &run, 1).unwrap();
        case.fill();
        let at: Vec<usize> = (0..case.buffers[case.checked].length).collect();
        let right = reference(&of.id).unwrap()(&case, &at);
        assert!(right.iter().all(|v| v.is_finite()), "{}", of.id);
        let bytes = |values: &[f64]| match case.contents()[case.checked] {
            BufferData::F32(_) => BufferData::F32(values.iter().map(|v| *v as f32).collect()),
            _ => BufferData::U32(values.iter().map(|v| *v as u32).collect()),
        };
        assert_eq!(mismatch(of, &case, &bytes(&right)), None, "{}", of.id);
        // One element in a thousand too much, or one place, or one count.
        let mut wrong = right.clone();
        let last = wrong.len() - 1;
        wrong[last] = if bytes(&right) == bytes(&[0.0]) { 1.0 } else { wrong[last] * 1.001 + 1.0 };
        assert!(mismatch(of, &case, &bytes(&wrong)).is_some(), "{}", of.id);
        assert!(
            mismatch(of, &case, &bytes(&vec![0.0; right.len()])).is_some() || right == [0.0],
            "{}: zeros",
            of.id
        );
    }
}
