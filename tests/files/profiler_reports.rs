//! Profilers' reports become rows: small texts of our own, damage of every kind, and real reports where they are at hand.

#![allow(
    clippy::unwrap_used,
    reason = "clippy.toml allows it in test functions; their builders stand outside"
)]

use crate::skipping::skip_aloud;
use roofswap::answer::Settings;
use roofswap::chart::{ChartSides, Mark, Meaning, RooflineView, roofline_chart};
use roofswap::import::{ImportJob, Imported, read_bytes};
use roofswap::measurement::{CanonicalRow, Number, ReadError, write_csv};
use roofswap::pair::Pair;
use roofswap::progress::Progress;
use roofswap::roofline::{Level, intensity};
use roofswap::session::Session;
use std::path::PathBuf;

fn import(bytes: &[u8]) -> Result<Imported, ReadError> {
    let strings = Progress::default();
    read_bytes(bytes, &ImportJob::new("report", &strings))
}

/// The only row of a report in which nothing is refused.
fn only(bytes: &[u8]) -> CanonicalRow {
    let read = import(bytes).unwrap();
    assert_eq!((read.rows.len(), read.refused_count), (1, 0), "{:?}", read.refused);
    read.rows.into_iter().next().unwrap()
}

fn quoted(fields: &[&str]) -> String {
    let all: Vec<String> = fields.iter().map(|f| format!("\"{}\"", f.replace('"', "\"\""))).collect();
    all.join(",") + "\n"
}

// ---------------------------------------------------------------------------------------------------------------------
// Reports of our own
// ---------------------------------------------------------------------------------------------------------------------

const IDS: [&str; 11] = [
    "ID",
    "Process ID",
    "Process Name",
    "Host Name",
    "Kernel Name",
    "Context",
    "Stream",
    "Block Size",
    "Grid Size",
    "Device",
    "CC",
];

/// Name, unit, value of every metric of the launch that the tests use.
const METRICS: [(&str, &str, &str); 19] = [
    ("device__attribute_display_name", "", "NVIDIA GeForce RTX 3090"),
    ("dram__bytes_read.sum", "Mbyte", "2.500000"),
    ("dram__bytes_write.sum", "Kbyte", "500.000000"),
    ("gpu__time_duration.sum", "usecond", "12.500000"),
    ("l1tex__t_bytes.sum", "Mbyte", "12.000000"),
    ("launch__block_size", "", "256"),
    ("launch__registers_per_thread", "register/thread", "40.000000"),
    ("launch__shared_mem_per_block_dynamic", "byte/block", "0.000000"),
    ("launch__shared_mem_per_block_static", "Kbyte/block", "2.048000"),
    ("lts__t_bytes.sum", "Mbyte", "6.000000"),
    ("sm__cycles_elapsed.avg.per_second", "cycle/nsecond", "1.395000"),
    ("sm__warps_active.avg.pct_of_peak_sustained_active", "%", "81.250000"),
    ("smsp__sass_thread_inst_executed_op_dadd_pred_on.sum", "inst", "0.000000"),
    ("smsp__sass_thread_inst_executed_op_dfma_pred_on.sum", "inst", "0.000000"),
    ("smsp__sass_thread_inst_executed_op_dmul_pred_on.sum", "inst", "0.000000"),
    ("smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", "inst", "1000.000000"),
    ("smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", "Minst", "6.000000"),
    ("smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", "inst", "0.000000"),
    ("smsp__thread_inst_executed_per_inst_executed.ratio", "", "30.500000"),
];

fn ids(id: &str) -> Vec<String> {
    let name = "void ns::blend<float, (int)4>(float const *, \"odd\", float)";
    [id, "77", "app", "127.0.0.1", name, "1", "7", "(16, 16, 1)", "(24, 3, 1)", "0", "8.6"]
        .map(String::from)
        .into()
}

fn line(ids: &[String], further: &[&str]) -> String {
    let all: Vec<&str> = ids.iter().map(String::as_str).chain(further.iter().copied()).collect();
    quoted(&all)
}

/// The raw page of `n` launches.
fn raw_page(n: usize) -> String {
    let blank = vec![String::new(); IDS.len()];
    let mut out = line(&IDS.map(String::from), &METRICS.map(|m| m.0)) + &line(&blank, &METRICS.map(|m| m.1));
    (0..n).for_each(|i| out += &line(&ids(&i.to_string()), &METRICS.map(|m| m.2)));
    out
}

/// The long form: `--metrics` with the raw names.
fn metrics_run() -> String {
    let last = [
        "Section Name",
        "Metric Name",
        "Metric Unit",
        "Metric Value",
        "Rule Name",
        "Rule Type",
        "Rule Description",
    ];
    let mut out = String::from("==PROF== Connected to process 77 (/app)\n3.25 GFLOP/s\n");
    out += &line(&IDS.map(String::from), &last);
    for (name, unit, value) in METRICS {
        out += &line(&ids("0"), &["Command line profiler metrics", name, unit, value, ""]);
    }
    out += &line(&ids("0"), &["Occupancy", "", "", "", "Rule", "WRN", "Says 1,5 and 2.5."]);
    out + "==PROF== Disconnected from process 77\n"
}

fn varint(mut n: u64, out: &mut Vec<u8>) {
    while n >= 128 {
        out.push(n as u8 | 128);
        n >>= 7;
    }
    out.push(n as u8);
}

fn number_field(field: u64, n: u64, out: &mut Vec<u8>) {
    varint(field << 3, out);
    varint(n, out);
}

fn bytes_field(field: u64, bytes: &[u8], out: &mut Vec<u8>) {
    varint(field << 3 | 2, out);
    varint(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

fn framed(message: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(&(message.len() as u32).to_le_bytes());
    out.extend_from_slice(message);
}

/// The same launch as a report: the table of names stands in two pieces, the second after the launch.
fn ncu_rep() -> Vec<u8> {
    let base = |unit: &str| match unit {
        "usecond" | "Kbyte" | "Kbyte/block" => 1e3,
        "Mbyte" | "Minst" => 1e6,
        "cycle/nsecond" => 1e9,
        _ => 1.0,
    };
    let mut result = Vec::new();
    bytes_field(7, ids("0")[4].as_bytes(), &mut result);
    for (field, dims) in [(10, [24, 3, 1]), (11, [16, 16, 1])] {
        let mut message = Vec::new();
        (1..).zip(dims).for_each(|(f, n)| number_field(f, n, &mut message));
        bytes_field(field, &message, &mut result);
    }
    for (place, (_, unit, value)) in METRICS.iter().enumerate() {
        let (mut metric, mut held) = (Vec::new(), Vec::new());
        match value.parse::<f64>() {
            Ok(n) => {
                varint(3 << 3 | 1, &mut held);
                held.extend_from_slice(&(n * base(unit)).to_le_bytes());
            }
            Err(_) => bytes_field(1, value.as_bytes(), &mut held),
        }
        number_field(1, place as u64, &mut metric);
        bytes_field(2, &held, &mut metric);
        bytes_field(13, &metric, &mut result);
    }
    let mut payload = Vec::new();
    framed(&result, &mut payload);
    let mut out = b"NVR\0".to_vec();
    framed(&[8, 7], &mut out);
    for (names, results) in [(&METRICS[..9], 1), (&METRICS[9..], 0)] {
        let (mut table, mut header) = (Vec::new(), Vec::new());
        names.iter().for_each(|m| bytes_field(1, m.0.as_bytes(), &mut table));
        number_field(2, results, &mut header);
        bytes_field(4, &table, &mut header);
        number_field(5, if results > 0 { payload.len() as u64 } else { 0 }, &mut header);
        framed(&header, &mut out);
        out.extend_from_slice(if results > 0 { &payload } else { &[] });
    }
    out
}

/// What every reading of that launch says.
fn check_launch(row: &CanonicalRow) {
    assert_eq!(row.gpu, "NVIDIA GeForce RTX 3090");
    assert_eq!((row.kernel.as_str(), row.variant.as_str()), ("ns::blend<float, (int)4>", ""));
    assert_eq!(row.problem, "grid=24;grid_y=3;block=16;block_y=16");
    assert_eq!((row.block, row.grid), (Some([16, 16, 1]), Some([24, 3, 1])));
    for (number, expected) in [
        (Number::Time, 0.0125),
        (Number::RegsPerThread, 40.0),
        (Number::SmemStatic, 2048.0),
        (Number::SmemDynamic, 0.0),
        (Number::Flops, 12_001_000.0),
        (Number::DramBytes, 3e6),
        (Number::L2Bytes, 6e6),
        (Number::L1Bytes, 12e6),
        (Number::SmClock, 1395.0),
        (Number::AchievedOccupancy, 81.25),
        (Number::ActiveThreads, 30.5),
        (Number::Fp32Fma, 6e6),
    ] {
        let found = row.get(number).unwrap_or(f64::NAN);
        assert!((found - expected).abs() <= 1e-12 * expected, "{number:?}: {found}, expected {expected}");
    }
}

#[test]
fn the_raw_page_the_long_form_and_the_report_say_the_same() {
    check_launch(&only(raw_page(1).as_bytes()));
    check_launch(&only(metrics_run().as_bytes()));
    check_launch(&only(&ncu_rep()));
    assert_eq!(import(raw_page(3).as_bytes()).unwrap().rows.len(), 3);
}

#[test]
fn the_comma_of_european_locales_is_read_and_a_doubt_is_refused() {
    let european = METRICS.iter().fold(raw_page(1), |text, (_, _, value)| {
        if value.contains("e ") {
            text
        } else {
            text.replace(&format!("\"{value}\""), &format!("\"{}\"", value.replace('.', ",")))
        }
    });
    check_launch(&only(european.as_bytes()));
    // Base units with thousands and nothing else: 12.500 ns might be 12.5.
    let doubtful = quoted(&["ID", "Process ID", "Kernel Name", "gpu__time_duration.sum"])
        + &quoted(&["", "", "", "nsecond"])
        + &quoted(&["0", "1", "k", "12.500"]);
    let read = import(doubtful.as_bytes()).unwrap();
    assert_eq!((read.rows.len(), read.refused_count), (0, 1));
    assert!(read.refused[0].message.contains("`12.500` is a fraction in one locale"), "{}", read.refused[0]);
    // A later row that tells settles the earlier one.
    let settled = doubtful.clone() + &quoted(&["1", "1", "k", "1.012.500"]);
    let times: Vec<_> =
        import(settled.as_bytes()).unwrap().rows.iter().map(|r| r.get(Number::Time)).collect();
    assert_eq!(times, [Some(12_500.0 / 1e6), Some(1_012_500.0 / 1e6)]);
    let both = doubtful + &quoted(&["1", "1", "k", "1.5"]) + &quoted(&["2", "1", "k", "1,5"]);
    let read = import(both.as_bytes()).unwrap();
    assert_eq!((read.rows.len(), read.refused_count), (2, 1));
}

#[test]
fn what_is_missing_is_blank_and_said() {
    let text = raw_page(1).replace("\"2.500000\"", "\"n/a\"").replace("\"12.000000\"", "\"no data\"");
    let read = import(text.as_bytes()).unwrap();
    let row = &read.rows.row(0);
    assert_eq!((row.get(Number::DramBytes), row.get(Number::L1Bytes)), (None, None));
    let said = |text: &str| read.remarks.iter().any(|r| r.contains(text));
    assert!(said("no DRAM bytes; add --metrics dram__bytes.sum"), "{:?}", read.remarks);
    assert!(said("no L1 bytes") && !said("no L2 bytes") && !said("no GPU"));
}

#[test]
fn without_columns_of_the_launch_the_metrics_give_its_shape() {
    let text = quoted(&[
        "ID",
        "Process ID",
        "Kernel Name",
        "Kernel Time",
        "launch__block_size",
        "launch__grid_size",
    ]) + &quoted(&["", "", "", "", "", ""])
        + &quoted(&["0", "1", "k", "2022-Oct-10 10:00:00", "128", "1000"]);
    let strings = Progress::default();
    let read = read_bytes(
        text.as_bytes(),
        &ImportJob { gpu: Some("titan-v"), ..ImportJob::new("old.csv", &strings) },
    )
    .unwrap();
    let row = &read.rows.row(0);
    assert_eq!((row.gpu.as_str(), row.problem.as_str()), ("titan-v", "grid=1000;block=128"));
    assert!(read.remarks[0].starts_with("every launch: no time; add"), "{:?}", read.remarks);
}

#[test]
fn a_label_of_the_details_page_is_known_by_its_unit() {
    let head = ["Section Name", "Metric Name", "Metric Unit", "Metric Value"];
    let mut text = line(&IDS.map(String::from), &head);
    for (label, unit, value) in [
        ("Duration", "ns", "2,000,000"),
        ("Memory Throughput", "%", "61.84"),
        ("Memory Throughput", "byte/s", "1,500,000,000.50"),
        ("Registers Per Thread", "register/thread", "32"),
        ("Theoretical Occupancy", "%", "100"),
        ("Something New", "furlong", "1.5"),
    ] {
        text += &line(&ids("0"), &["S", label, unit, value]);
    }
    let row = only(text.as_bytes());
    assert_eq!(row.get(Number::Time), Some(2.0));
    assert_eq!(row.get(Number::DramBytes), Some(3e6));
    assert_eq!(row.attributes["theoretical_occupancy_pct"], "100");
}

#[test]
fn flops_are_those_of_single_and_double_or_unknown() {
    let read = import(raw_page(1).replace("op_dmul_pred_on", "op_imul_pred_on").as_bytes()).unwrap();
    assert_eq!(read.rows.row(0).get(Number::Flops), None);
    assert!(read.remarks.iter().any(|r| r.contains("no FLOPs, as single and double")), "{:?}", read.remarks);
}

#[test]
fn packed_halves_may_be_twice_as_many() {
    let half = |op: &str, like: &str, value: &'static str| {
        (format!("smsp__sass_thread_inst_executed_op_{op}_pred_on.sum"), like.to_string(), value)
    };
    let all = [half("hadd", "inst", "1"), half("hmul", "inst", "0"), half("hfma", "inst", "500")];
    let page = |value: &dyn Fn(&str) -> String| {
        let counted = METRICS.map(|(name, unit, v)| [name.to_string(), unit.to_string(), v.to_string()]);
        let halves = all.clone().map(|(name, unit, v)| [name, unit, value(v)]);
        let columns: Vec<_> = counted.into_iter().chain(halves).collect();
        let row = |i: usize| columns.iter().map(|c| c[i].as_str()).collect::<Vec<_>>();
        let blank = vec![String::new(); IDS.len()];
        line(&IDS.map(String::from), &row(0)) + &line(&blank, &row(1)) + &line(&ids("0"), &row(2))
    };
    let said = |read: &Imported| read.remarks.iter().any(|r| r.contains("packed ones (half2)"));
    let worked = import(page(&str::to_string).as_bytes()).unwrap();
    assert_eq!((worked.rows.row(0).get(Number::Flops), said(&worked)), (Some(12_002_001.0), true));
    let moved = import(page(&|v| if v == "1" { "0".into() } else { v.to_string() }).as_bytes()).unwrap();
    assert_eq!((moved.rows.row(0).get(Number::Flops), said(&moved)), (Some(12_001_000.0), false));
    let idle = import(page(&|_| "0".into()).as_bytes()).unwrap();
    assert_eq!((idle.rows.row(0).get(Number::Flops), said(&idle)), (Some(12_001_000.0), false));
}

#[test]
fn a_tensor_pipe_that_nobody_counted_leaves_the_flops_unknown() {
    let busy = raw_page(1).replace("sm__cycles_elapsed.avg.per_second", "sm__inst_executed_pipe_tensor.sum");
    let busy = busy.replace("\"cycle/nsecond\"", "\"inst\"");
    let read = import(busy.as_bytes()).unwrap();
    assert_eq!(read.rows.row(0).get(Number::Flops), None);
    assert!(read.remarks.iter().any(|r| r.contains("tensor pipes worked uncounted")), "{:?}", read.remarks);
}

#[test]
fn nonsense_is_refused_by_name() {
    for (from, to, column) in [
        ("\"256\"", "\"257\"", "launch__block_size"),
        ("(16, 16, 1)", "(16, 16, 9)", "Block Size"),
        ("(24, 3, 1)", "(24, 0, 1)", "Grid Size"),
        ("(24, 3, 1)", "(24, 3)", "Grid Size"),
        ("\"30.500000\"", "\"33.500000\"", "smsp__thread_inst_executed_per_inst_executed.ratio"),
        ("\"12.500000\"", "\"0.000000\"", "gpu__time_duration.sum"),
        ("\"12.500000\"", "\"12.5O0000\"", "gpu__time_duration.sum"),
    ] {
        let read = import(raw_page(1).replace(from, to).as_bytes()).unwrap();
        assert_eq!((read.rows.len(), read.refused_count), (0, 1), "{from} -> {to}");
        assert_eq!(read.refused[0].column, column);
        assert_eq!(read.refused[0].line, 3);
    }
}

#[test]
fn a_ratio_of_two_passes_may_be_a_little_above_what_it_can_be() {
    let read = import(raw_page(1).replace("\"30.500000\"", "\"32.011254\"").as_bytes()).unwrap();
    assert_eq!(read.rows.row(0).get(Number::ActiveThreads), Some(32.0));
}

#[test]
fn flops_of_the_vector_pipes_are_not_passed_off_as_all() {
    let read = |text: &str| {
        let read = import(text.as_bytes()).unwrap();
        (read.rows.row(0).get(Number::Flops), read.remarks.iter().any(|r| r.contains("vector pipes alone")))
    };
    let ratio = "smsp__thread_inst_executed_per_inst_executed.ratio";
    let looked = raw_page(1).replace(ratio, "sm__inst_executed_pipe_tensor.sum");
    assert_eq!(read(&raw_page(1)), (Some(12_001_000.0), true), "nobody looked at the tensor pipes");
    assert_eq!(read(&looked), (None, false), "they worked, and nobody counted what they did");
    assert_eq!(read(&looked.replace("30.500000", "0.000000")), (Some(12_001_000.0), false), "they were idle");
}

#[test]
fn a_file_of_no_known_format_is_told_which_there_are() {
    let told = |bytes: &[u8]| import(bytes).unwrap_err().message;
    assert!(told(b"a,b\n1,2\n").contains("a report of ncu, nsys"));
    assert!(told(b"").contains("is empty"));
    assert!(told(b"\xff\xfe\"\0I\0").contains("no known format"));
    assert!(told(b"==PROF== Connected\n==ERROR== no permission\n").contains("no line begins"));
}

#[test]
fn progress_is_counted_and_a_reading_can_be_cancelled() {
    let text = raw_page(2000);
    let progress = Progress::default();
    let job = ImportJob::new("big.csv", &progress);
    assert_eq!(read_bytes(text.as_bytes(), &job).unwrap().rows.len(), 2000);
    assert_eq!(progress.steps_done(), text.len());
    progress.cancel();
    assert!(read_bytes(text.as_bytes(), &job).unwrap_err().message.contains("cancelled"));
}

#[test]
fn a_kernel_name_of_half_a_megabyte_is_kept() {
    let name = format!("k<{}>", "x".repeat(500_000));
    let text = raw_page(1).replace(&ids("0")[4].replace('"', "\"\""), &format!("{name}(int)"));
    assert_eq!(only(text.as_bytes()).kernel, name);
}

// ---------------------------------------------------------------------------------------------------------------------
// From a report to the roofline
// ---------------------------------------------------------------------------------------------------------------------

#[test]
fn an_imported_kernel_stands_on_the_roofline_at_every_level_with_its_occupancy() {
    let mut session = Session::load(None).unwrap();
    let mut read = import(raw_page(1).as_bytes()).unwrap();
    read.name_gpus(&session.gpus);
    assert_eq!(read.rows.row(0).gpu, "rtx-3090");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("measured.csv");
    std::fs::write(&path, write_csv(&read.rows.to_vec())).unwrap();
    let loaded = session.add_data(&path).unwrap();
    assert_eq!((loaded.rows, loaded.refused_count), (1, 0));

    let (id, config) = session.store.configs().last().unwrap();
    let row = session.store.rows_of(id).next().unwrap();
    let (kernel, source) = (config.kernel, row.gpu);
    let subject = session.subject(kernel, config.problem, "").unwrap();
    let target = session.gpus.position("rtx-4090").unwrap();
    let answer = session.answer(&subject, source, target, Settings::default());
    let at = |level| intensity(&answer.work, level).map(|i| (100.0 * i.0).round() / 100.0);
    assert_eq!(Level::ALL.map(at), [Some(4.0), Some(2.0), Some(1.0), None]);
    // 40 registers in 8 warps: 6 blocks, 48 warps of 48.
    assert_eq!(answer.occupancy.source.unwrap().active_warps, 48);
    assert!(answer.prediction.is_ok());

    let gpus = Pair::new(source, target).map(|i| &session.gpus[i]);
    let chart = roofline_chart(&RooflineView {
        gpus,
        kernel: &session.kernels[kernel],
        problem: config.problem.to_string(),
        answer: &answer,
        further: Vec::new(),
        show: ChartSides::Both,
        levels: Level::ALL.to_vec(),
        others: Vec::new(),
    });
    let points: Vec<(&str, f64)> = chart
        .marks
        .iter()
        .filter_map(|m| match m {
            Mark::Point { label, at, meaning: Meaning::Source, .. } => Some((label.as_str(), at.0.round())),
            _ => None,
        })
        .collect();
    assert_eq!(points[1..], [("L2", 2.0), ("L1", 1.0)]);
    assert!(points[0].0.starts_with("measured") && points[0].1 == 4.0, "{points:?}");
}

#[test]
fn the_command_imports_and_the_others_take_its_rows() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let roofswap = |args: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_roofswap"));
        command.env("XDG_CONFIG_HOME", folder.path()).env("XDG_STATE_HOME", folder.path()).args(args);
        command.output().unwrap()
    };
    std::fs::write(at("raw.csv"), raw_page(2)).unwrap();
    std::fs::write(at("kernel.ncu-rep"), ncu_rep()).unwrap();
    let done = roofswap(&["import", &at("raw.csv"), &at("kernel.ncu-rep"), "-o", &at("rows.csv")]);
    assert!(done.status.success(), "{done:?}");
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(said.contains("raw.csv: 2 rows read, 0 refused"), "{said}");
    assert!(said.contains("kernel.ncu-rep: 1 row read, 0 refused"), "{said}");
    let asked = ["predict", "--from", "rtx-3090", "--to", "rtx-4090", "--kernel", "ns::blend<float, (int)4>"];
    let done = roofswap(&[&asked[..], &["--data", &at("rows.csv")]].concat());
    assert!(done.status.success(), "{done:?}");
    let table = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(table.contains("12.5 µs"), "{table}");
    std::fs::write(at("notes.txt"), "no report").unwrap();
    let told = roofswap(&["import", &at("notes.txt")]);
    assert!(!told.status.success(), "{told:?}");
    let said = String::from_utf8_lossy(&told.stderr).into_owned();
    assert!(said.contains("notes.txt:1:") && said.contains("a report of ncu, nsys"), "{said}");
}

// ---------------------------------------------------------------------------------------------------------------------
// Damage
// ---------------------------------------------------------------------------------------------------------------------

/// What a fuzzer runs: whatever the bytes, a refusal or rows that make sense.
fn body(bytes: &[u8]) {
    let Ok(read) = import(bytes) else { return };
    assert!(read.refused_count >= read.refused.len());
    for row in read.rows.iter() {
        assert!(!row.kernel.is_empty());
        assert!(row.numbers.iter().all(|(_, v)| v.is_finite() && v >= 0.0), "{row:?}");
        assert!(row.get(Number::Time).is_none_or(|t| t > 0.0), "{row:?}");
        let threads = row.block.map_or(1, |b| b.iter().fold(1u64, |a, b| a.saturating_mul(*b)));
        assert!((1..=1024).contains(&threads), "{row:?}");
    }
}

struct Seeded(u64);

impl Seeded {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }

    /// One damaged copy.
    fn damaged(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut out = bytes.to_vec();
        let at = self.below(out.len());
        match self.below(9) {
            0 => (0..=self.below(8)).for_each(|_| {
                let at = self.below(out.len());
                out[at] ^= 1 << self.below(8);
            }),
            1 => out.truncate(at),
            2 => out.insert(at, 0),
            3 => out.splice(at..at, std::iter::repeat_n(b'9', 40_000)).for_each(drop),
            4 => out = out.iter().flat_map(|b| [*b, 0]).collect(),
            5 => out[at] = b'"',
            6 => drop(out.drain(at..(at + 50).min(bytes.len()))),
            7 => out = self.columns(bytes, at.is_multiple_of(2)),
            _ => out = self.lines(bytes),
        }
        out
    }

    /// A column dropped, or standing twice.
    fn columns(&mut self, bytes: &[u8], twice: bool) -> Vec<u8> {
        let at = self.below(30);
        let mut out = Vec::new();
        for line in bytes.split_inclusive(|b| *b == b'\n') {
            for (i, field) in line.split_inclusive(|b| *b == b',').enumerate() {
                let times = if i != at { 1 } else { 2 * usize::from(twice) };
                (0..times).for_each(|_| out.extend_from_slice(field));
            }
        }
        out
    }

    /// Lines cut off, dropped and repeated.
    fn lines(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        for line in bytes.split_inclusive(|b| *b == b'\n') {
            match self.below(8) {
                0 => {}
                1 => out.extend([line, line].concat()),
                2 => out.extend_from_slice(&line[..self.below(line.len())]),
                _ => out.extend_from_slice(line),
            }
        }
        out
    }
}

#[test]
fn damage_is_refused_or_read_but_never_a_panic() {
    let nvprof = "==1== NVPROF is profiling process 1\n\"Device\",\"Kernel\",\"Invocations\",\"Metric Name\",\"Metric Description\",\
        \"Min\",\"Max\",\"Avg\"\n\"Q (0)\",\"k(int)\",3,\"flop_count_sp\",\"F\",1,1,1\n\"Start\",\"Duration\",\"Grid X\",\"Grid Y\",\
        \"Grid Z\",\"Block X\",\"Block Y\",\"Block Z\",\"Registers Per Thread\",\"Static SMem\",\"Dynamic SMem\",\"Device\",\"Name\"\n\
        ns,ns,,,,,,,,B,B,,\n1,5,1,1,1,32,1,1,8,0,0,\"Q (0)\",\"k(int) [1]\"\n";
    let nsys = "Time (%),Total Time (ns),Instances,Avg (ns),StdDev (ns),GridXYZ,BlockXYZ,Name\n\
        100.0,6,3,2.0,0.0, 64 64 1, 16 16 1,\"k(int)\"\n";
    let seeds = [raw_page(3).into_bytes(), metrics_run().into_bytes(), ncu_rep(), nvprof.into(), nsys.into()];
    let mut seeded = Seeded(0x5eed);
    for seed in &seeds {
        body(seed);
        assert!(!import(seed).unwrap().rows.is_empty());
        for _ in 0..150 {
            let mut damaged = seeded.damaged(seed);
            body(&damaged);
            if !damaged.is_empty() {
                damaged = seeded.damaged(&damaged);
                body(&damaged);
            }
        }
    }
}

#[test]
fn sizes_that_lie_are_refused_without_taking_room() {
    let rep = ncu_rep();
    for at in [4, 10, 14] {
        let mut lying = rep.clone();
        lying[at..at + 4].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(import(&lying).is_err());
    }
    for cut in 5..rep.len() {
        // Cut between blocks it is a shorter report; anywhere else it is refused.
        body(&rep[..cut]);
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Real reports
// ---------------------------------------------------------------------------------------------------------------------

/// The folder of real reports, where there is one beside the checkout.
#[allow(clippy::print_stdout, reason = "a skipped test says so")]
fn samples() -> Option<PathBuf> {
    let folder = PathBuf::from(env!("ROOFSWAP_CHECKOUT")).join("../shared/samples/profiler");
    if !folder.is_dir() {
        skip_aloud("no real reports beside this checkout");
        return None;
    }
    Some(folder)
}

fn sample(name: &str) -> Option<Imported> {
    let bytes = std::fs::read(samples()?.join(name)).unwrap();
    Some(import(&bytes).unwrap())
}

/// Largest difference that the six printed decimals of a scaled number allow.
fn agree(a: f64, b: f64, digits: f64) -> bool {
    (a - b).abs() <= digits * a.abs().max(b.abs()).max(1e-3)
}

#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared, other people's measurements")]
fn a_report_and_its_exports_agree_number_by_number() {
    for (name, pages) in [
        ("CuVectorAddDrv", &["raw", "details"][..]),
        ("CuVectorAddDrv_2", &["raw", "details"]),
        ("manual_nvtx", &["raw", "details"]),
        ("ncu24.addConstDouble", &["raw", "details"]),
        ("ncu24.sobelFloat", &["raw", "details"]),
        ("ncu24.transposeCoalesced", &["raw", "raw.base_units"]),
    ] {
        let Some(report) = sample(&format!("ncu/{name}.ncu-rep")) else { return };
        for page in pages {
            let csv = sample(&format!("ncu/{name}.{page}.csv")).unwrap();
            assert_eq!(report.rows.len(), csv.rows.len(), "{name}.{page}");
            // The details page prints two decimals, of scaled units even; the raw page six, or two.
            let digits = if *page == "details" { 6e-3 } else { 2e-4 };
            for (a, b) in report.rows.iter().zip(csv.rows.iter()) {
                let same = |r: &CanonicalRow| {
                    (r.kernel.clone(), r.problem.clone(), r.block, r.grid, r.attributes["report_id"].clone())
                };
                assert_eq!(same(&a), same(&b), "{name}.{page}");
                if *page != "details" {
                    assert_eq!((&a.gpu, &a.dtype), (&b.gpu, &b.dtype));
                    assert_eq!(a.numbers.iter().len(), b.numbers.iter().len(), "{name}.{page}");
                    assert_eq!(
                        a.attributes.keys().collect::<Vec<_>>(),
                        b.attributes.keys().collect::<Vec<_>>()
                    );
                }
                for (number, value) in b.numbers.iter() {
                    let exact = a.get(number).unwrap_or(f64::NAN);
                    // Two decimals of a small percentage are few digits.
                    let printed = number.column().ends_with("_pct") && (exact - value).abs() <= 5.1e-3;
                    let same = printed || agree(exact, value, digits);
                    assert!(same, "{name}.{page} {number:?}: {exact} and {value}");
                }
            }
        }
    }
}

#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared, other people's measurements")]
fn facts_read_off_real_reports_by_hand() {
    let Some(sobel) = sample("ncu/ncu24.sobelFloat.ncu-rep") else { return };
    let row = &sobel.rows.row(0);
    assert_eq!(
        (row.gpu.as_str(), row.kernel.as_str(), row.dtype.as_str()),
        ("NVIDIA RTX A4500", "Sobel<float>", "fp32")
    );
    // 16 fused multiply-adds in each of 1024 x 1024 threads.
    assert_eq!(row.get(Number::Fp32Fma), Some(16.0 * 1024.0 * 1024.0));
    assert_eq!(row.get(Number::Fp32Mul), Some(1024.0 * 1024.0));
    assert_eq!((row.get(Number::Time), row.get(Number::RegsPerThread)), (Some(0.031872), Some(22.0)));
    let transpose = sample("ncu/ncu24.transposeCoalesced.raw.base_units.csv").unwrap();
    let row = &transpose.rows.row(0);
    assert_eq!(row.get(Number::DramBytes), Some(268_457_472.0 + 265_940_992.0));
    // What L1 asks for; 16,788,838 sectors pass L2 together with those of other units.
    assert_eq!(row.get(Number::L2Bytes), Some(16_777_216.0 * 32.0));
    assert_eq!(row.get(Number::L1Bytes), Some(2.0 * 8_388_608.0 * 32.0));
    assert_eq!((row.get(Number::SmemWavefronts), row.get(Number::Flops)), (Some(69_544_080.0), Some(0.0)));
    let copy = sample("ncu/copy_blocked.csv").unwrap();
    assert_eq!(
        (copy.rows.row(0).get(Number::Time), copy.rows.row(0).grid),
        (Some(21.058944), Some([1024, 1, 1]))
    );
    let gemm = sample("ncu/cublaslt_ncu.log").unwrap();
    assert_eq!(gemm.rows.row(0).get(Number::Time), Some(0.40624));
    assert_eq!((gemm.rows.row(0).block, gemm.rows.row(0).grid), (Some([384, 1, 1]), Some([9, 32, 1])));
    assert_eq!(gemm.rows.row(0).get(Number::RegsPerThread), Some(168.0));
    let nvtx = sample("ncu/manual_nvtx.ncu-rep").unwrap();
    let times: Vec<_> = nvtx.rows.iter().map(|r| (r.kernel.clone(), r.get(Number::Time).unwrap())).collect();
    assert_eq!(
        times,
        [("init_data_kernel", 0.08448), ("daxpy_kernel", 0.249216), ("check_results_kernel", 0.088512)]
            .map(|(kernel, ms)| (kernel.to_string(), ms))
    );
}

/// A raw page without the columns whose names begin so.
fn without_columns(page: &str, prefixes: &[&str]) -> Vec<u8> {
    let mut rows = csv::ReaderBuilder::new().has_headers(false).from_reader(page.as_bytes());
    let rows: Vec<csv::StringRecord> = rows.records().map(Result::unwrap).collect();
    let kept = |i: &usize| !prefixes.iter().any(|p| rows[0][*i].starts_with(p));
    let mut out = csv::WriterBuilder::new().quote_style(csv::QuoteStyle::Always).from_writer(Vec::new());
    for row in &rows {
        out.write_record((0..row.len()).filter(kept).map(|i| &row[i])).unwrap();
    }
    out.into_inner().unwrap()
}

#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared, other people's measurements")]
fn what_units_were_used_says_what_counters_say() {
    let Some(folder) = samples() else { return };
    const COUNTERS: [&str; 6] = [
        "dram__bytes",
        "dram__sectors",
        "smsp__inst_issued",
        "smsp__sass_inst_executed_op_",
        "smsp__inst_executed_op_",
        "smsp__inst_executed_pipe_lsu",
    ];
    for name in ["addConstDouble", "sobelFloat", "transposeCoalesced"] {
        let page = std::fs::read_to_string(folder.join(format!("ncu/ncu24.{name}.raw.csv"))).unwrap();
        let whole = import(page.as_bytes()).unwrap();
        let few = import(&without_columns(&page, &COUNTERS)).unwrap();
        let both = |number| (whole.rows.row(0).get(number).unwrap(), few.rows.row(0).get(number).unwrap());
        let (counted, by_use) = both(Number::DramBytes);
        assert!(agree(counted, by_use, 1e-3), "{name}: {counted} and {by_use} bytes");
        let (counted, by_use) = both(Number::WarpInstsIssued);
        assert!(counted >= by_use && agree(counted, by_use, 1e-2), "{name}: {counted} and {by_use}");
        // The pipe takes special registers and barriers beside loads and stores.
        let (counted, by_use) = both(Number::LsuWarpInsts);
        assert!((1.0..1.6).contains(&(by_use / counted)), "{name}: {counted} and {by_use}");
        let launch = |of: Option<[u64; 3]>| of.unwrap().iter().product::<u64>() as f64;
        let warps = launch(few.rows.row(0).block) / 32.0 * launch(few.rows.row(0).grid);
        let further = (by_use - counted) / warps;
        assert!((further - further.round()).abs() < 0.01, "{name}: {further} further instructions a warp");
    }
    // Without any counter: 4,194,304 doubles, of which daxpy moves three arrays and the check reads one.
    let default = sample("ncu/manual_nvtx.raw.csv").unwrap();
    let bytes = |row: usize| default.rows.row(row).get(Number::DramBytes).unwrap() / (8.0 * 4_194_304.0);
    assert!((bytes(1) - 3.0).abs() < 0.03 && (bytes(2) - 1.0).abs() < 0.03, "{} {}", bytes(1), bytes(2));
}

#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared, other people's measurements")]
fn real_nvprof_logs() {
    let Some(traces) = sample("nvprof/matMul_gpu_sharedmem-traces.csv") else { return };
    assert_eq!((traces.rows.len(), traces.refused_count), (32, 0));
    let first = &traces.rows.row(0);
    assert_eq!(
        (first.gpu.as_str(), first.kernel.as_str(), first.problem.as_str()),
        ("Tesla K40c", "matMul", "size=256")
    );
    assert_eq!((first.grid, first.block), (Some([16, 16, 1]), Some([16, 16, 1])));
    assert!((first.get(Number::Time).unwrap() - 0.128898).abs() < 1e-12);
    assert_eq!((first.get(Number::SmemStatic), first.get(Number::RegsPerThread)), (Some(2048.0), Some(23.0)));
    let metrics = sample("nvprof/nvprof_metrics_K20c.csv").unwrap();
    let row = &metrics.rows.row(0);
    // Single precision alone was counted there.
    assert_eq!((metrics.rows.len(), row.get(Number::Flops)), (1, None));
    let said = "no FLOPs: flop_count_sp was counted and flop_count_dp was not";
    assert!(metrics.remarks.iter().any(|r| r.starts_with(said)), "{:?}", metrics.remarks);
    assert_eq!(row.get(Number::AchievedOccupancy), Some(91.81));
    let bare =
        std::fs::read(samples().unwrap().join("nvprof/matMul_gpu_sharedmem-kernel-traces.csv")).unwrap();
    assert!(import(&bare).unwrap_err().message.contains("has no header"));
}

#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared, other people's measurements")]
fn damaged_copies_of_real_reports() {
    let Some(folder) = samples() else { return };
    let mut seeded = Seeded(0xbad);
    for name in [
        "ncu/CuVectorAddDrv.ncu-rep",
        "ncu/CuVectorAddDrv.raw.csv",
        "ncu/CuVectorAddDrv.details.csv",
        "nvprof/nvprof_metrics_K20c.csv",
    ] {
        let bytes = std::fs::read(folder.join(name)).unwrap();
        (0..20).for_each(|_| body(&seeded.damaged(&bytes)));
    }
}

#[test]
fn a_full_set_gives_load_store_instructions_pipes_and_the_half_precision_mix() {
    let further = [
        ("sm__cycles_active.avg", "cycle", "8718.750000"),
        ("sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_elapsed", "%", "43.300000"),
        ("sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active", "%", "46.100000"),
        ("sm__pipe_alu_cycles_active.avg.pct_of_peak_sustained_elapsed", "%", "53.600000"),
        ("sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active", "%", "33.200000"),
        ("sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_elapsed", "%", "30.900000"),
        ("smsp__inst_executed_op_global_red.sum", "inst", "5.000000"),
        ("smsp__inst_executed_op_ldgsts.sum", "inst", "7.000000"),
        ("smsp__sass_inst_executed_op_global_ld.sum", "inst", "1000.000000"),
        ("smsp__sass_inst_executed_op_global_st.sum", "inst", "200.000000"),
        ("smsp__sass_inst_executed_op_local_ld.sum", "inst", "30.000000"),
        ("smsp__sass_inst_executed_op_local_st.sum", "inst", "40.000000"),
        ("smsp__sass_inst_executed_op_shared_ld.sum", "inst", "500.000000"),
        ("smsp__sass_inst_executed_op_shared_st.sum", "inst", "60.000000"),
        ("smsp__sass_thread_inst_executed_op_hadd_pred_on.sum", "inst", "1.000000"),
        ("smsp__sass_thread_inst_executed_op_hfma_pred_on.sum", "inst", "3.000000"),
        ("smsp__sass_thread_inst_executed_op_hmul_pred_on.sum", "inst", "2.000000"),
    ];
    let page = |all: &[(&str, &str, &str)]| {
        let names: Vec<&str> = METRICS.iter().chain(all).map(|m| m.0).collect();
        let units: Vec<&str> = METRICS.iter().chain(all).map(|m| m.1).collect();
        let values: Vec<&str> = METRICS.iter().chain(all).map(|m| m.2).collect();
        let blank = vec![String::new(); IDS.len()];
        line(&IDS.map(String::from), &names) + &line(&blank, &units) + &line(&ids("0"), &values)
    };
    let row = only(page(&further).as_bytes());
    let expected = [
        (Number::LsuWarpInsts, 1842.0),
        (Number::GlobalWarpInsts, 1200.0),
        (Number::PipeLsu, 43.3),
        (Number::PipeXu, 23.05),
        (Number::PipeAlu, 53.6),
        (Number::PipeFma, 30.9),
        (Number::Fp16Add, 1.0),
        (Number::Fp16Mul, 2.0),
        (Number::Fp16Fma, 3.0),
    ];
    for (column, value) in expected {
        assert_eq!(row.get(column), Some(value), "{column:?}");
    }
    assert_eq!(row.get(Number::PipeTensor), None);
    // One kind missing: the rest is not the whole.
    let partly: Vec<_> = further.into_iter().filter(|m| !m.0.contains("local_ld")).collect();
    assert_eq!(only(page(&partly).as_bytes()).get(Number::LsuWarpInsts), None);
}

#[test]
fn shared_transactions_of_nvprof_are_wavefronts() {
    let text = "==1== NVPROF is profiling process 1, command: ./a\n==1== Metric result:\n\"Device\",\"Kernel\",\"Invocations\",\
                \"Metric Name\",\"Metric Description\",\"Min\",\"Max\",\"Avg\"\n\
                \"TITAN V (0)\",\"k(int)\",1,\"shared_load_transactions\",\"d\",10,10,10\n\
                \"TITAN V (0)\",\"k(int)\",1,\"shared_store_transactions\",\"d\",5,5,5\n";
    let row = only(text.as_bytes());
    assert_eq!((row.get(Number::SmemWavefronts), row.get(Number::SmemBytes)), (Some(15.0), Some(1920.0)));
}
