//! Reports that a spreadsheet, a shell or a person saved again, and those with numbers that no profiler means.

use crate::desk::{Desk, Outcome};
use flate2::{Compression, write::GzEncoder};
use std::io::Write;

const TO: &str = "predict --from rtx-4090 --to h100-sxm5 --format json --data";

/// A raw page of ncu with one launch of this time in this unit, and so many registers.
fn raw_page(time: &str, unit: &str, registers: &str) -> String {
    format!(
        "\"ID\",\"Process ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"CC\",\"gpu__time_duration.sum\",\"launch__registers_per_thread\"\n\
         \"\",\"\",\"\",\"\",\"\",\"\",\"{unit}\",\"register/thread\"\n\
         \"0\",\"7\",\"scale(float *, int)\",\"(256, 1, 1)\",\"(4096, 1, 1)\",\"8.9\",\"{time}\",\"{registers}\"\n"
    )
}

const SUMMARY: &str = "Time (%),Total Time (ns),Instances,Avg (ns),Name\n\
    90.0,600000,10,60000.0,\"void axpy<float>(float *, int)\"\n\
    10.0,7000,1,7000.0,saxpy\n";

fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(bytes).expect("memory");
    gzip.finish().expect("memory")
}

fn predicted(name: &str, content: impl AsRef<[u8]>) -> Outcome {
    let desk = Desk::new();
    desk.types_with(TO, &[&desk.file(name, content)])
}

/// Without quotation marks where they are not needed, and this between the cells.
fn separated_by(separator: &str, page: &str) -> String {
    let cells = |line: &str| {
        let inner = &line[1..line.len() - 1];
        inner.split("\",\"").map(str::to_string).collect::<Vec<_>>().join(separator)
    };
    page.lines().map(|line| cells(line) + "\n").collect()
}

#[test]
fn a_table_is_read_whatever_separates_its_columns_and_lines() {
    let page = raw_page("12.5", "us", "24");
    let plain = predicted("page.csv", &page).works().stdout;
    assert!(plain.contains("\"scale\""), "{plain}");
    for separator in [";", "\t"] {
        assert_eq!(predicted("page.csv", separated_by(separator, &page)).works().stdout, plain);
        assert_eq!(
            predicted("page.csv", page.replace("\",\"", &format!("\"{separator}\""))).works().stdout,
            plain
        );
    }
    assert_eq!(predicted("page.csv", page.replace('\n', "\r")).works().stdout, plain);
    let summary = predicted("sum.csv", SUMMARY).works().stdout;
    for separator in [";", "\t"] {
        let other = SUMMARY.replace(',', separator).replace(&format!("*{separator} int"), "*, int");
        assert_eq!(predicted("sum.csv", other).works().stdout, summary);
    }
    let rows = "gpu;kernel;problem;flops;dram_bytes;time_ms\nl4;mine;\"n=4;m=5\";1e9;1e6;0.5\n";
    assert_eq!(predicted("rows.csv", rows).works().json()[0]["problem"], "n=4;m=5");
    let comma = rows.replace("0.5", "0,5");
    predicted("rows.csv", comma)
        .ends(1, &["rows.csv:2: time_ms: `0,5`: expected milliseconds above 0, with a decimal point"]);
}

#[test]
fn a_compressed_file_is_read_by_every_command_that_reads_it_uncompressed() {
    let page = raw_page("12.5", "us", "24");
    let plain = predicted("page.csv", &page).works().stdout;
    assert_eq!(predicted("page.csv", gzipped(page.as_bytes())).works().stdout, plain);
    let desk = Desk::new();
    let packed = desk.file("page.csv.gz", gzipped(page.as_bytes()));
    let rows = desk.types_with("import --gpu rtx-4090", &[&packed]).works().stdout;
    assert!(rows.contains("rtx-4090,scale,grid=4096;block=256"), "{rows}");
    desk.types_with("audit", &[&desk.file("rows.csv.gz", gzipped(rows.as_bytes()))]).works();
    let trace = desk.file("trace.json.gz", gzipped(br#"{"schemaVersion": 1, "traceEvents": []}"#));
    desk.types_with(TO, &[&trace])
        .ends(1, &["trace.json.gz: is a trace of an application (PyTorch, JAX): give it to"]);
}

#[test]
fn a_trace_in_utf_16_is_a_trace() {
    let desk = Desk::new();
    let trace = r#"{"schemaVersion": 1, "traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "ts": 1, "dur": 2, "args": {"device": 0}}]}"#;
    let wide: Vec<u8> = format!("\u{feff}{trace}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    let answer = |bytes: &[u8]| {
        let path = desk.file("trace.json", bytes);
        desk.types_with("app --from h200 --to h100-sxm5", &[&path]).works().stdout
    };
    assert_eq!(answer(&wide), answer(trace.as_bytes()));
}

#[test]
fn a_details_page_sorted_by_metric_is_the_same_page() {
    let header = "\"ID\",\"Process ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"CC\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n";
    let metrics = [
        ["Duration", "us", "12.5"],
        ["Registers Per Thread", "register/thread", "24"],
        ["SM Frequency", "Ghz", "2.52"],
    ];
    let line = |launch: usize, [name, unit, value]: [&str; 3]| {
        format!(
            "\"{launch}\",\"7\",\"scale(float *, int)\",\"(256, 1, 1)\",\"({}, 1, 1)\",\"8.9\",\"{name}\",\"{unit}\",\"{value}\"\n",
            4096 * (launch + 1)
        )
    };
    let by_launch: String = (0..3).flat_map(|id| metrics.map(|metric| line(id, metric))).collect();
    let by_metric: String = metrics.iter().flat_map(|metric| [0, 1, 2].map(|id| line(id, *metric))).collect();
    let plain = predicted("page.csv", format!("{header}{by_launch}")).works();
    assert_eq!(plain.json().len(), 3);
    assert_eq!(predicted("page.csv", format!("{header}{by_metric}")).works().stdout, plain.stdout);
    // More launches than are kept waiting.
    let many: String = metrics.iter().flat_map(|metric| (0..5000).map(|id| line(id, *metric))).collect();
    predicted("page.csv", format!("{header}{many}"))
        .ends(1, &["page.csv: line 5002: the rows of launch 0 are not together; sort the file by ID"]);
}

#[test]
fn a_time_that_cannot_be_used_is_shown_and_nothing_else_is_said_to_be_missing() {
    for (time, unit, said) in [
        ("-5", "us", "`-5`: expected a time above 0"),
        ("nan", "us", "`nan`: expected a time above 0"),
        ("12.5", "", "its unit `` is not known; expected ns, us, ms or s"),
        ("1e300", "ns", "1e300: expected at most 1e15"),
    ] {
        let refused = predicted("page.csv", raw_page(time, unit, "24"))
            .ends(1, &[&format!("page.csv:3: gpu__time_duration.sum: {said}")]);
        assert!(!refused.stderr.contains("every launch"), "{}", refused.stderr);
        assert!(!refused.stderr.contains("is blank"), "{}", refused.stderr);
    }
    let plain = predicted("page.csv", raw_page("12.5", "us", "24")).works().stdout;
    assert_eq!(predicted("page.csv", raw_page("12.5", "µs", "24")).works().stdout, plain);
    predicted("page.csv", raw_page("12.5", "us", "0"))
        .ends(1, &["launch__registers_per_thread: 0: expected a whole number from 1"]);
}

#[test]
fn a_refused_row_of_a_report_is_named_by_its_line_alone() {
    let outcome = predicted("sum.csv", SUMMARY).works();
    assert!(outcome.stderr.contains("sum.csv:3: problem: saxpy needs `n`"), "{}", outcome.stderr);
    assert!(!outcome.stderr.contains("sum.csv:3)"), "{}", outcome.stderr);
}

#[test]
fn a_report_without_launches_is_said_to_be_one() {
    let page = raw_page("12.5", "us", "24");
    let lines: Vec<&str> = page.lines().collect();
    for part in [
        format!("{}\n", lines[0]),
        format!("{}\n{}\n", lines[0], lines[1]),
        format!("{}\r{}\r", lines[0], lines[1]),
    ] {
        let refused = predicted("page.csv", part).ends(1, &["page.csv: is a report (ncu CSV"]);
        assert!(!refused.stderr.contains("expected lines such as"), "{}", refused.stderr);
    }
}

#[test]
fn decimal_commas_do_not_make_another_compute_capability() {
    let page = raw_page("12,5", "us", "24").replace("\"8.9\"", "\"8,9\"");
    let outcome = predicted("page.csv", page).works();
    assert!(!outcome.stderr.contains("another GPU"), "{}", outcome.stderr);
    let other = predicted("page.csv", raw_page("12.5", "us", "24").replace("\"8.9\"", "\"8,6\"")).works();
    assert!(
        other.stderr.contains("compute capability 8.6, and rtx-4090 has 8.9: another GPU?"),
        "{}",
        other.stderr
    );
}

#[test]
fn numbers_that_a_launch_cannot_have_are_refused() {
    let row = |problem: &str, grid: &str, registers: &str| {
        format!(
            "gpu,kernel,problem,block,grid,regs_per_thread,flops,dram_bytes,time_ms\nl4,mine,{problem},256,{grid},{registers},2e9,1e7,0.4\n"
        )
    };
    for (row, said) in [
        (row("n=0", "64", "24"), "problem: n=0: expected a whole number from 1"),
        (row("n=-1", "64", "24"), "problem: n=-1: expected a whole number from 1"),
        (row("n=9;m=-1", "64", "24"), "problem: m=-1: expected"),
        (row("n=9", "64", "0"), "regs_per_thread: 0: expected a whole number from 1, or blank"),
        (row("n=9", "64", "40.5"), "regs_per_thread: 40.5: expected a whole number from 1, or blank"),
        (row("n=9", "99999999999999999999", "24"), "grid: `99999999999999999999` is too large"),
    ] {
        predicted("rows.csv", &row).ends(1, &[said]);
        let desk = Desk::new();
        let audited = desk.types_with("audit", &[&desk.file("rows.csv", &row)]);
        assert!((audited.stdout + &audited.stderr).contains(said), "{said}");
    }
    for problem in ["pad=0;n=9", "layout=nt", "n=9"] {
        predicted("rows.csv", row(problem, "64", "24")).works();
    }
}
