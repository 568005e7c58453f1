//! The constants a model divides by: every GPU has them all, its own before its architecture's, and says which.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

use roofswap::catalogue::{NumberOrigin, SpecFile, shipped_sources};
use roofswap::gpu::{Gpu, LimitsTable, load_shipped, load_text};
use roofswap::session::Session;
use std::sync::LazyLock;

static SESSION: LazyLock<Session> = LazyLock::new(|| Session::load(None).unwrap());

/// A line of the table below: id, load/store lanes, loads, shared bytes and issue per clock and SM, L2 and DRAM in GB/s,
/// sustained FP32 in TFLOP/s.
type Line = (&'static str, f64, f64, f64, f64, f64, f64, f64);

/// Worked out apart from the program, from the spec files, by the rules of `specs/architectures.toml`.
#[rustfmt::skip]
const RESOLVED: [Line; 17] = [
    ("gtx-titan-x", 32.0, 0.5, 128.0, 6.0, 619.0, 256.4, 6.21),
    ("gtx-1080-ti", 32.0, 0.5, 128.0, 6.0, 1417.0, 382.8, 11.30),
    ("p4", 32.0, 0.5, 128.0, 6.0, 680.0, 144.0, 4.79),
    ("p100-pcie-12gb", 28.0, 0.25, 128.0, 3.0, 1605.0, 405.7, 9.30),
    ("p100-pcie-16gb", 28.0, 0.25, 128.0, 3.0, 1605.0, 541.3, 9.30),
    ("v100-pcie-16gb", 32.0, 0.66, 128.0, 4.0, 2437.0, 802.0, 13.97),
    ("titan-v", 32.0, 0.66, 128.0, 4.0, 2572.0, 609.9, 13.48),
    ("t4", 16.0, 0.33, 64.0, 4.0, 1272.0, 242.0, 5.44),
    ("rtx-2080-ti", 16.0, 0.33, 64.0, 4.0, 2101.0, 541.1, 11.38),
    ("rtx-2070-super", 16.0, 0.33, 64.0, 4.0, 1416.0, 393.3, 9.10),
    ("titan-rtx", 16.0, 0.33, 64.0, 4.0, 2549.0, 590.0, 16.00),
    ("a100-pcie-40gb", 32.0, 0.66, 128.0, 4.0, 5411.0, 1381.0, 19.5),
    ("a100-pcie-80gb", 32.0, 0.66, 128.0, 4.0, 5411.0, 1732.0, 19.5),
    ("rtx-3090", 16.0, 0.5, 128.0, 4.0, 2307.0, 877.0, 25.73),
    ("rtx-4070", 16.0, 0.5, 128.0, 4.0, 1674.0, 449.1, 17.16),
    ("l4", 16.0, 0.5, 128.0, 4.0, 1739.0, 228.0, 12.44),
    ("h100-sxm5", 32.0, 0.66, 128.0, 4.0, 8629.0, 2900.0, 65.14),
];

#[test]
fn seventeen_gpus_resolve_to_the_table() {
    for (id, lsu, loads, shared, issue, l2, dram, fp32) in RESOLVED {
        let g = SESSION.gpus.entry_named(id).unwrap();
        let sm =
            [&g.sm.lsu_lanes, &g.sm.global_per_clock, &g.sm.shared_bytes_per_clock, &g.sm.issue_per_clock];
        assert_eq!(sm.map(|n| n.value), [lsu, loads, shared, issue], "{id}");
        let near = |value: f64, expected: f64, within: f64| (value - expected).abs() <= within;
        let (b2, bd, f) = (g.l2_bandwidth_or_derived(), g.bandwidth_sustained(), g.fp32_sustained());
        assert!(near(b2.value.0 / 1e9, l2, 0.51), "{id}: L2 {}", b2.value);
        assert!(near(bd.value.0 / 1e9, dram, 0.051), "{id}: DRAM {}", bd.value);
        assert!(near(f.value.0 / 1e12, fp32, 0.0051), "{id}: FP32 {}", f.value);
    }
}

#[test]
fn every_shipped_gpu_has_every_constant_and_no_impossible_one() {
    for g in SESSION.gpus.entries() {
        let id = &g.id;
        assert!(g.fp32_sustained().value <= g.fp32_peak.value, "{id}: FP32 above peak");
        assert!(g.fp32_sustained_part() > 0.3 && g.fp32_sustained_part() <= 1.0, "{id}");
        assert!(g.bandwidth_sustained().value <= g.bandwidth_peak.value, "{id}: DRAM above peak");
        assert!(g.l2_bandwidth_or_derived().value > g.bandwidth_sustained().value, "{id}: L2 below DRAM");
        assert!(g.sm.global_per_clock.value <= g.sm.lsu_lanes.value / 32.0, "{id}: more loads than lanes");
        assert!(g.sm.shared_bytes_per_clock.value <= 128.0, "{id}: more than 32 banks");
        let fma = f64::from(g.fp32_lanes_per_sm.value) / 32.0;
        assert!(g.sm.issue_per_clock.value >= fma, "{id}: issues less than its FP32 lanes take");
        let floor = g.launch_floor_or_assumed().value.0 * 1e6;
        assert!((1.0..=10.0).contains(&floor), "{id}: {floor} µs");
    }
}

#[test]
fn what_is_not_of_this_gpu_says_so_and_by_which_rule() {
    let mut derived = 0;
    for g in SESSION.gpus.entries() {
        let cc = format!("compute capability {}: ", g.cuda.compute_capability);
        let of_architecture = |stated: bool, origin: NumberOrigin, note: Option<&str>, what: &str| {
            assert_eq!(note.is_some_and(|n| n.starts_with(&cc)), !stated, "{} {what}: {note:?}", g.id);
            assert!(
                stated || matches!(origin, NumberOrigin::Derived | NumberOrigin::Assumed),
                "{} {what}",
                g.id
            );
            usize::from(!stated)
        };
        let dram = g.bandwidth_sustained();
        derived += of_architecture(g.bandwidth_achieved.is_some(), dram.origin, dram.note.as_deref(), "DRAM");
        let l2 = g.l2_bandwidth_or_derived();
        derived += of_architecture(g.l2_bandwidth.is_some(), l2.origin, l2.note.as_deref(), "L2");
        let loads = &g.sm.global_per_clock;
        derived +=
            of_architecture(g.global_per_clock.is_some(), loads.origin, loads.note.as_deref(), "loads");
        let (fp32, own) = (g.fp32_sustained(), g.fp32_achieved.is_some());
        assert!(own || fp32.origin != NumberOrigin::Measured, "{}: FP32", g.id);
        assert!(own || fp32.note.as_deref().is_some_and(|n| n.contains("mW per lane-GHz")), "{}", g.id);
    }
    assert!(derived > 100, "only {derived}");
}

/// Table, field, a value of its own, and how the constant is read.
type Case = (&'static str, &'static str, f64, fn(&Gpu) -> f64);

#[test]
fn a_gpus_own_constant_wins_over_its_architectures_and_the_rest_stays() {
    let sources = shipped_sources().unwrap();
    let limits = LimitsTable::shipped().unwrap();
    let tail = "\n[sources.own]\nkind = \"measured\"\ntitle = \"t\"\n";
    let cases: [Case; 7] = [
        ("compute", "lsu_lanes_per_sm", 24.0, |g| g.sm.lsu_lanes.value),
        ("compute", "global_insts_per_clock_per_sm", 0.41, |g| g.sm.global_per_clock.value),
        ("compute", "issue_per_clock_per_sm", 3.5, |g| g.sm.issue_per_clock.value),
        ("cache", "shared_bytes_per_clock_per_sm", 99.0, |g| g.sm.shared_bytes_per_clock.value),
        ("cache", "l2_gb_per_s", 1234.0, |g| g.l2_bandwidth_or_derived().value.0 / 1e9),
        ("memory", "achieved_gb_per_s", 111.0, |g| g.bandwidth_sustained().value.0 / 1e9),
        ("launch", "floor_us", 7.0, |g| g.launch_floor_or_assumed().value.0 * 1e6),
    ];
    for id in [
        "gtx-980",
        "p4",
        "titan-v",
        "t4",
        "a100-sxm4-80gb",
        "rtx-3090",
        "l4",
        "h100-sxm5",
        "b200",
        "rtx-5090",
    ] {
        let (shipped, _) = load_shipped(&sources, &limits);
        let before: Vec<f64> = cases.iter().map(|c| c.3(shipped.entry_named(id).unwrap())).collect();
        for (at, (table, field, value, _)) in cases.iter().enumerate() {
            let mut gpus = shipped.clone();
            let text = format!(
                "id = \"{id}\"\n[{table}]\n{field} = {{ value = {value}, source = \"own\" }}\n{tail}"
            );
            load_text(SpecFile { name: "own.toml", text: &text }, &sources, &limits, &mut gpus).unwrap();
            let mut expected = before.clone();
            expected[at] = *value;
            let after: Vec<f64> = cases.iter().map(|c| c.3(gpus.entry_named(id).unwrap())).collect();
            let near = after.iter().zip(&expected).all(|(a, e)| (a / e - 1.0).abs() < 1e-12);
            assert!(near, "{id} {field}: {after:?}, expected {expected:?}");
        }
    }
}

#[test]
fn a_constant_no_sm_has_is_refused_with_its_line() {
    let sources = shipped_sources().unwrap();
    let limits = LimitsTable::shipped().unwrap();
    let (mut gpus, _) = load_shipped(&sources, &limits);
    for (table, field) in [
        ("compute", "lsu_lanes_per_sm"),
        ("compute", "global_insts_per_clock_per_sm"),
        ("compute", "issue_per_clock_per_sm"),
        ("cache", "shared_bytes_per_clock_per_sm"),
    ] {
        let text = format!("id = \"l4\"\n[{table}]\n{field} = {{ value = 1000, source = \"study\" }}\n");
        let refused = load_text(SpecFile { name: "own.toml", text: &text }, &sources, &limits, &mut gpus);
        let error = refused.unwrap_err();
        assert_eq!(error.line, Some(3), "{error}");
        assert!(error.message.contains(field) && error.message.contains("expected at most"), "{error}");
    }
}

#[test]
fn the_command_shows_the_constants_with_their_origin() {
    let show = roofswap::report::gpus::show(SESSION.gpus.entry_named("rtx-3090").unwrap(), &SESSION.sources);
    let csv = show.render(roofswap::report::TableFormat::Csv);
    for line in [
        "global loads per SM (L1 hits),0.5,warp insts/clock,derived,",
        "issue per SM,4,warp insts/clock,derived,",
        "load/store lanes per SM,16,,published,",
        "ALU lanes per SM,64,,derived,",
        "XU lanes per SM,16,,derived,",
        "\"DRAM bandwidth, sustained\",877.032,GB/s,derived,",
        "compute capability 8.6: 16.6 B/clock x 82 SMs x 1695 MHz",
        "launch overhead,3,µs,assumed,",
    ] {
        assert!(csv.contains(line), "`{line}` is not in\n{csv}");
    }
}
