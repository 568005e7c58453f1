//! The occupancy rules against NVIDIA's own calculator, `cuda_occupancy.h` 12.9.79: on a table of its answers that is kept
//! here, on another beside the checkout, and on as many random configurations as asked for where the calculator itself
//! can be built (see `reference/`).

// A malformed table shall fail the test; how many were compared is worth reading.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use crate::reference;
use crate::skipping::skip_aloud;

use reference::{Asked, Dice, WHEEL, adversarial, answered, compute_capability, launchable, needs};
use roofswap::gpu::{ComputeCapability, LimitsTable, SmLimits};
use roofswap::occupancy::{Rules, best_block, occupancy};
use roofswap::report::batch::{BatchSetup, answer_line};
use std::fmt::Write;
use std::path::Path;

const GOLDEN: &str = concat!(env!("ROOFSWAP_CHECKOUT"), "/tests/golden/occupancy.txt");

/// Every line `configuration => answer`; the reference's last field, the caching in effect, is not printed by the command.
fn differences(text: &str) -> (usize, Vec<String>) {
    let table = LimitsTable::shipped().unwrap();
    let (mut checked, mut wrong) = (0, Vec::new());
    for line in text.lines().filter(|l| !l.starts_with('#')) {
        let (asked, answer) = line.split_once(" => ").unwrap();
        let mut ours = Vec::new();
        answer_line(&table, BatchSetup::default(), asked.as_bytes(), &mut ours).unwrap();
        let ours = String::from_utf8(ours).unwrap();
        let theirs: Vec<&str> = answer.split(' ').take(9).collect();
        checked += 1;
        if ours.trim_end() != theirs.join(" ") {
            wrong.push(format!("{line}\n   ours {ours}"));
        }
    }
    (checked, wrong)
}

fn assert_no_difference(text: &str, at_least: usize) {
    let (checked, wrong) = differences(text);
    let first = &wrong[..wrong.len().min(10)];
    assert!(wrong.is_empty(), "{} of {checked} differ:\n{}", wrong.len(), first.join("\n"));
    assert!(checked >= at_least, "only {checked} configurations");
    println!("{checked} configurations agree");
}

#[test]
fn no_difference_to_the_answers_beside_the_checkout() {
    let path = concat!(env!("ROOFSWAP_CHECKOUT"), "/../shared/samples/occupancy/vectors.txt");
    match std::fs::read_to_string(path) {
        Ok(text) => assert_no_difference(&text, 5000),
        Err(_) => skip_aloud(&format!("{path} is not here")),
    }
}

#[test]
fn no_difference_to_the_answers_kept_here() {
    assert_no_difference(&std::fs::read_to_string(GOLDEN).unwrap(), 1000);
}

/// `ROOFSWAP_OCCUPANCY_PER_CC` says how many random configurations per compute capability; a million take seconds in
/// release. `ROOFSWAP_REDRAW` writes the golden table anew.
#[test]
fn no_difference_to_nvidias_calculator_itself() {
    let program = match reference::build(Path::new(env!("CARGO_TARGET_TMPDIR"))) {
        Ok(program) => program,
        Err(why) => return skip_aloud(&format!("{WHEEL} could not be built: {why}")),
    };
    let count = std::env::var("ROOFSWAP_OCCUPANCY_PER_CC").ok().map_or(50_000, |n| n.parse().unwrap());
    let limits = LimitsTable::shipped().unwrap();
    let mut dice = Dice(20_261_120);
    for cc in known_to_the_header() {
        let asked: Vec<Asked> = (0..count)
            .map(|i| if i % 4 == 0 { launchable(&mut dice, cc) } else { adversarial(&mut dice, cc) })
            .collect();
        let theirs = reference::ask(&program, &asked).unwrap();
        assert_eq!(theirs.len(), asked.len(), "{cc}: the reference answered all");
        let limits = limits.limits_at(cc).unwrap();
        let ours = asked.iter().map(|a| answered(&occupancy(&limits, needs(a), Rules::Exact)));
        let wrong: Vec<_> = asked.iter().zip(theirs).zip(ours).filter(|((_, t), o)| t != o).collect();
        assert!(wrong.is_empty(), "{cc}: {} of {count} differ, first {:?}", wrong.len(), wrong[0]);
        assert_same_suggestion(&program, &limits, &asked[..count.min(2_000)]);
    }
    println!("{count} random configurations per compute capability agree");
    if std::env::var_os("ROOFSWAP_REDRAW").is_some() {
        std::fs::write(GOLDEN, golden(&program)).unwrap();
    }
}

/// Rule 9: the suggested block size, and how many of it an SM holds.
fn assert_same_suggestion(program: &Path, limits: &SmLimits, asked: &[Asked]) {
    for (a, theirs) in asked.iter().zip(reference::ask_for_block(program, asked).unwrap()) {
        let best = best_block(limits, needs(a), Rules::Exact);
        let ours = best.map_or([0, 0], |b| [b.threads as i32, b.occupancy.active_blocks as i32]);
        assert_eq!(ours, theirs, "{a:?}");
    }
}

/// The header of CUDA 12.9 knows the chip of 11.0 as 10.1.
fn known_to_the_header() -> impl Iterator<Item = ComputeCapability> {
    reference::compute_capabilities().into_iter().filter(|cc| (cc.major, cc.minor) != (11, 0))
}

/// A table of the reference's answers: known corners, then random ones.
fn golden(program: &Path) -> String {
    let mut text = format!(
        "# Answers of NVIDIA's cuda_occupancy.h ({WHEEL}), computed by tests/reference with opt-in allowed.\n\
         # cc threads regs static_smem dynamic_smem carveout barriers gc => active flags lim_warps lim_regs lim_smem \
         lim_blocks lim_barriers alloc_regs alloc_smem gc\n"
    );
    let mut dice = Dice(12_979);
    for cc in known_to_the_header() {
        let number = i32::from(cc.major) * 10 + i32::from(cc.minor);
        let corner = |c: [i32; 7]| [number, c[0], c[1], c[2], c[3], c[4], c[5], c[6], 0];
        let mut asked: Vec<Asked> = CORNERS.iter().map(|c| corner(*c)).collect();
        asked.extend((0..32).map(|_| adversarial(&mut dice, cc)));
        asked.extend((0..16).map(|_| launchable(&mut dice, cc)));
        for (a, b) in asked.iter().zip(reference::ask(program, &asked).unwrap()) {
            let rest: Vec<String> = a[1..8].iter().map(ToString::to_string).collect();
            let limits: Vec<String> = b[2..].iter().map(ToString::to_string).collect();
            let cc = compute_capability(a);
            writeln!(text, "{cc} {} => {} {} {}", rest.join(" "), b[0], flags(b[1]), limits.join(" "))
                .unwrap();
        }
    }
    text
}

/// threads, registers, static, dynamic shared memory, carveout, barriers, caching.
const CORNERS: [[i32; 7]; 12] = [
    [704, 88, 0, 0, -1, 1, 0], // 22 warps round up to 24: no launch, though 704 x 88 < 65,536
    [1024, 64, 0, 0, -1, 1, 0], // the whole register file, exactly
    [1024, 65, 0, 0, -1, 1, 0], // one register more
    [1025, 32, 0, 0, -1, 1, 0], // too many threads
    [32, 0, 0, 0, -1, 1, 0],   // no registers, no shared memory
    [32, 256, 0, 0, -1, 1, 0], // accepted from 7.0 on
    [1024, 40, 0, 8192, -1, 1, 0], // paper 4, Table I, tile 32
    [256, 40, 0, 2048, -1, 1, 0], // tile 16
    [128, 32, 49_152, 0, -1, 1, 0], // 48 KiB
    [128, 32, 49_152, 1, -1, 1, 0], // one byte more
    [128, 32, 0, 12_000, 0, 1, 0], // a carveout that does not hold one block
    [1024, 64, 0, 0, -1, 1, 1], // partitioned caching that has to be given up
];

fn flags(bits: i32) -> String {
    let letters = ["W", "R", "S", "B", "N"];
    let set: Vec<&str> =
        letters.iter().enumerate().filter(|(i, _)| bits >> i & 1 == 1).map(|(_, l)| *l).collect();
    if set.is_empty() { "-".into() } else { set.join("|") }
}
