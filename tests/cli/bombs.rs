//! Files that are small and want to be large in memory: one per format. What is read of them takes at most eight times the file and
//! 64 MB, or they are refused with the reason.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)] // helpers of tests are tests

use crate::desk::Desk;
use flate2::{Compression, write::GzEncoder};
use std::io::{Read, Write};
use std::process::Stdio;
use std::time::Duration;

/// Bytes beside eight times the file.
const BESIDE: u64 = 64 << 20;

/// Bytes of a file of many lines: long enough that thirteen times the file are too many, short enough for code without
/// optimisation, whose own 44 MB count here.
const LONG: usize = 4_000_000;

/// What a command left behind, and the most memory it had, in bytes.
struct Burnt {
    code: i32,
    said: String,
    peak: u64,
}

/// Lets a command read a file of this name and content.
fn burn(words: &str, name: &str, content: &[u8]) -> Burnt {
    let desk = Desk::new();
    let file = desk.file(name, content);
    let mut command = desk.command(words, &[&file]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stderr = child.stderr.take().unwrap();
    let reader = std::thread::spawn(move || {
        let mut said = String::new();
        stderr.read_to_string(&mut said).map(|_| said)
    });
    let mut peak = 0;
    let code = loop {
        // The system counts the most there ever was, so that looking now and then is enough.
        peak = most_memory(child.id()).unwrap_or(peak);
        match child.try_wait().unwrap() {
            Some(status) => break status.code().expect("it ended by itself"),
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    };
    Burnt { code, said: reader.join().unwrap().unwrap(), peak }
}

fn most_memory(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? << 10)
}

#[track_caller]
fn is_harmless(words: &str, name: &str, content: &[u8], reason: Option<&str>) {
    let Burnt { code, said, peak } = burn(words, name, content);
    let most = 8 * content.len() as u64 + BESIDE;
    assert!(peak <= most, "{words} {name}: {} of {} bytes, and {}: {said}", peak, content.len(), most);
    match reason {
        Some(reason) => assert!(code != 0 && said.contains(reason), "{words} {name} ({code}): {said}"),
        None => assert!((0..=2).contains(&code), "{words} {name} ({code}): {said}"),
    }
}

fn gzipped(start: &[u8], filler: u8, megabytes: usize) -> Vec<u8> {
    let mut gz = GzEncoder::new(Vec::new(), Compression::best());
    gz.write_all(start).unwrap();
    let piece = vec![filler; 1 << 20];
    (0..megabytes).for_each(|_| gz.write_all(&piece).unwrap());
    gz.finish().unwrap()
}

const TRACE: &str = r#"{"traceEvents":["#;

#[test]
fn a_compressed_trace_of_nothing() {
    let spaces = gzipped(TRACE.as_bytes(), b' ', 300);
    is_harmless("app", "trace.json.gz", &spaces, Some("trace.json.gz"));
    let word = gzipped(br#"{"traceEvents":[{"name":""#, b'x', 300);
    is_harmless("app", "trace.json.gz", &word, Some("trace.json.gz"));
    let nested = gzipped(TRACE.as_bytes(), b'[', 300);
    is_harmless("app", "trace.json.gz", &nested, Some("trace.json.gz"));
}

#[test]
fn json_without_depth_and_numbers_without_end() {
    for opened in ["[", "{\"a\":", "{\"traceEvents\":[{\"args\":"] {
        let deep = TRACE.to_string() + &opened.repeat(2_000_000 / opened.len());
        is_harmless("app", "trace.json", deep.as_bytes(), Some("trace.json"));
        is_harmless(
            "import",
            "deep.json",
            opened.repeat(2_000_000 / opened.len()).as_bytes(),
            Some("deep.json"),
        );
    }
    let digits = "9".repeat(4_000_000);
    for event in ["{\"ph\":\"X\",\"dur\":", "{\"ph\":\"X\",\"args\":{\"grid\":["] {
        is_harmless("app", "trace.json", format!("{TRACE}{event}{digits}").as_bytes(), Some("trace.json"));
    }
    let tuner = format!(
        "{{\"device_name\":\"NVIDIA L4\",\"kernel_name\":\"k\",\"cache\":{{\"1\":{{\"time\":{digits}}}}}}}"
    );
    is_harmless("import", "tuner.json", tuner.as_bytes(), None);
}

#[test]
fn a_database_that_promises_more_than_it_has() {
    let mut header = b"SQLite format 3\0".to_vec();
    // Pages of 64 KiB, and as many of them as can be said.
    header.extend([0, 1, 1, 1, 0, 64, 32, 32, 0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff]);
    header.resize(65536, 0);
    // A table's page with as many cells as can be said, each of them at its own start.
    (header[100], header[103], header[104]) = (13, 0xff, 0xff);
    header[108..].fill(108);
    is_harmless("app", "trace.sqlite", &header, Some("trace.sqlite"));
    let mut inner = header.clone();
    inner[100] = 5;
    is_harmless("app", "trace.sqlite", &inner, Some("trace.sqlite"));
}

/// A message with its size before it.
fn sized(message: &[u8]) -> Vec<u8> {
    [&u32::try_from(message.len()).unwrap().to_le_bytes(), message].concat()
}

#[test]
fn a_report_of_ncu_with_millions_of_launches_of_nothing() {
    let own = std::fs::read(concat!(env!("ROOFSWAP_CHECKOUT"), "/tests/fuzz/seeds/own.ncu-rep")).unwrap();
    let header = 8 + u32::from_le_bytes(own[4..8].try_into().unwrap()) as usize;
    // `results`, the third field, as many as follow.
    let results = [&[0x18u8][..], &varint(3_000_000)].concat();
    let launches = sized(&[]).repeat(3_000_000);
    let report = [&own[..header], &sized(&results), &launches].concat();
    is_harmless("import", "tiny.ncu-rep", &report, Some("tiny.ncu-rep"));
    // Each a kernel's name and nothing else.
    let named = sized(&[0x52, 1, b'k']).repeat(1_000_000);
    let report = [&own[..header], &sized(&[&[0x18u8][..], &varint(1_000_000)].concat()), &named].concat();
    is_harmless("import", "named.ncu-rep", &report, Some("named.ncu-rep"));
}

fn varint(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

#[test]
fn a_csv_of_columns_of_quotes_and_of_lines_without_end() {
    let header = "gpu,kernel,problem,time_ms";
    let columns = format!("{header}{}\n", (0..300_000).map(|i| format!(",c{i}")).collect::<String>());
    let row = format!("titan-v,k,n=1,1{}\n", ",".repeat(300_000));
    for words in ["predict --to l4 --data", "predict --to l4 --batch", "audit"] {
        is_harmless(words, "wide.csv", (columns.clone() + &row).as_bytes(), None);
        let open = format!("{header}\ntitan-v,\"{}", "k\n".repeat(2_000_000));
        is_harmless(words, "quote.csv", open.as_bytes(), Some("quot"));
        let long = format!("{header}\ntitan-v,{}", "k".repeat(4_000_000));
        is_harmless(words, "long.csv", long.as_bytes(), Some("longer than 1 MiB"));
    }
    let empty = format!("{header}\n{}", ",,,\n".repeat(1_000_000));
    is_harmless("predict --to l4 --data", "empty.csv", empty.as_bytes(), Some("has no usable row"));
}

#[test]
fn lines_of_reports_and_of_compilers() {
    const REASONS: [(&str, &str); 1] = [("calibration_l4.out", "is larger than 2 MiB")];
    let nvcc = "ptxas info    : Compiling entry function '_Z1kv' for 'sm_89'\n".repeat(60_000);
    is_harmless("import", "ptxas.log", nvcc.as_bytes(), None);
    for seed in [
        "mixbench.txt",
        "ncu-raw.csv",
        "ncu-european.csv",
        "nvprof-metrics.csv",
        "gemm-power.csv",
        "cutlass.csv",
        "calibration_l4.out",
        "resource-usage.txt",
        "nsys.csv",
        "nvprof-trace.csv",
        "nvbench.csv",
        "paper1-runs.csv",
        "tiled-matmul.csv",
    ] {
        let path = format!("{}/tests/fuzz/seeds/{seed}", env!("ROOFSWAP_CHECKOUT"));
        let text = std::fs::read_to_string(path).unwrap();
        let last = text.trim_end().lines().last().unwrap();
        let many = format!("{text}\n{}", format!("{last}\n").repeat(LONG / (1 + last.len())));
        let reason = REASONS.into_iter().find(|(refused, _)| *refused == seed).map(|(_, reason)| reason);
        is_harmless("import --gpu titan-v", seed, many.as_bytes(), reason);
    }
}

#[test]
fn reports_of_short_lines_that_are_predicted_from_and_audited() {
    let seeds = [
        ("nvprof-trace.csv", include_str!("../fuzz/seeds/nvprof-trace.csv")),
        ("nvbench.csv", include_str!("../fuzz/seeds/nvbench.csv")),
        ("paper1-runs.csv", include_str!("../fuzz/seeds/paper1-runs.csv")),
        ("tiled-matmul.csv", include_str!("../fuzz/seeds/tiled-matmul.csv")),
    ];
    for (seed, text) in seeds {
        let last = text.trim_end().lines().last().unwrap();
        let many = format!("{text}\n{}", format!("{last}\n").repeat(LONG / (1 + last.len())));
        for words in ["predict --to l4 --from titan-v --data", "audit"] {
            is_harmless(words, seed, many.as_bytes(), None);
        }
    }
}

/// A table of so many rows of these columns, each from its number.
fn table(header: &str, rows: usize, row: impl Fn(usize) -> String) -> Vec<u8> {
    let rows = (0..rows).map(|i| row(i) + "\n").collect::<String>();
    format!("{header}\n{rows}").into_bytes()
}

#[test]
fn tables_of_as_many_kernels_or_sizes_as_rows() {
    let kernels = table("gpu,kernel,problem,block,grid,regs_per_thread,flops,time_ms,source", 20_000, |i| {
        format!("titan-v,op_{i}_x,n=4096,256,16,32,8192,0.0{},me", i % 9 + 1)
    });
    let sizes = table("gpu,kernel,problem,block,grid,time_ms", 20_000, |i| {
        format!("titan-v,k,n={},256,16,0.0{}", 1024 + i, i % 9 + 1)
    });
    let asked =
        [("kernels.csv", &kernels, "table"), ("kernels.csv", &kernels, "json"), ("sizes.csv", &sizes, "csv")];
    for (name, content, format) in asked {
        is_harmless(&format!("predict --from titan-v --to l4 --format {format} --data"), name, content, None);
    }
}

#[test]
fn four_hundred_forty_thousand_kernels_in_the_shortest_lines() {
    let kernels =
        table("gpu,kernel,problem,time_ms", 440_000, |i| format!("titan-v,k{i},n=1,0.0{}", i % 9 + 1));
    is_harmless("rank --kernel k7 --from titan-v --to l4 --data", "kernels.csv", &kernels, None);
}

#[test]
fn a_list_of_many_kernels() {
    let kernels =
        table("gpu,kernel,problem,time_ms", 60_000, |i| format!("titan-v,k{i},n=1,0.0{}", i % 9 + 1));
    for format in ["table", "json"] {
        is_harmless(&format!("kernels --format {format} --data"), "kernels.csv", &kernels, None);
    }
}

#[test]
fn metrics_of_many_launches() {
    let launches = table("gpu,kernel,problem,block,grid,time_ms", 60_000, |i| {
        format!("titan-v,k,n={},256,16,0.0{}", 1024 + i, i % 9 + 1)
    });
    for format in ["table", "json"] {
        is_harmless(&format!("metrics --format {format} --data"), "launches.csv", &launches, None);
    }
}

#[test]
fn an_evaluation_without_each_of_as_many_kernels_as_rows() {
    let kernels =
        table("gpu,kernel,problem,time_ms", 60_000, |i| format!("titan-v,k{i},n=1,0.0{}", i % 9 + 1));
    is_harmless("evaluate --protocol new-kernel --data", "kernels.csv", &kernels, None);
}

#[test]
fn a_trace_of_as_many_kernels_as_launches() {
    let text = include_str!("../fuzz/seeds/nvprof-trace.csv").trim_end();
    let (head, last) = text.rsplit_once('\n').unwrap();
    let kernels = (0..30_000).map(|i| format!("{}\n", last.replace("axpy", &format!("axpy{i}"))));
    let many = format!("{head}\n{}", kernels.collect::<String>());
    for words in ["import", "audit", "app"] {
        let begun = std::time::Instant::now();
        is_harmless(words, "kernels.csv", many.as_bytes(), None);
        // In the square of the kernels this takes minutes.
        assert!(begun.elapsed() < Duration::from_secs(60), "{words}: {:?}", begun.elapsed());
    }
}

#[cfg(feature = "fleet")]
#[test]
fn a_fleet_table_of_one_long_word_many_times() {
    use arrow_array::builder::StringDictionaryBuilder;
    use arrow_array::types::Int32Type;
    use arrow_array::{ArrayRef, RecordBatch};
    use parquet::arrow::ArrowWriter;
    use std::sync::Arc;

    let column = |word: &str, rows: usize| -> ArrayRef {
        let mut words = StringDictionaryBuilder::<Int32Type>::new();
        (0..rows).for_each(|_| words.append_value(word));
        Arc::new(words.finish())
    };
    let long = "k".repeat(900_000);
    let columns =
        [("gpu", "titan-v"), ("kernel", "k"), ("problem", "n=1"), ("time_ms", "1"), ("note", long.as_str())];
    let rows = 300;
    let batch = RecordBatch::try_from_iter(columns.map(|(name, word)| (name, column(word, rows)))).unwrap();
    let mut parquet = ArrowWriter::try_new(Vec::new(), batch.schema(), None).unwrap();
    parquet.write(&batch).unwrap();
    let file = parquet.into_inner().unwrap();
    assert!(file.len() < 4_000_000, "{}", file.len());
    is_harmless("predict --to l4 --batch", "words.parquet", &file, None);
}
