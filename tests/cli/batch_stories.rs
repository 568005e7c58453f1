//! `predict --batch` and `rank --batch`: rows of a table, each answered by itself.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

use crate::desk::{Desk, Outcome};
use std::io::Write;
use std::process::Stdio;

const HEAD: &str = "gpu,kernel,problem,block,grid,regs_per_thread,flops,dram_bytes,time_ms\n";

/// Rows of kernels of one's own, every size on three GPUs.
pub fn own_rows(rows: usize) -> String {
    let gpus = ["titan-v", "rtx-2080-ti", "a100-pcie-40gb"];
    let row = |i: usize| {
        let (gpu, config) = (gpus[i % 3], i / 3);
        let n = 100_000 * (config + 1);
        let ms = 1e-2 + n as f64 * 1e-7 * (1.0 + (i % 7) as f64);
        format!("{gpu},kernel_{},n={n},256,{},32,{},{},{ms}\n", config % 5, n / 256 + 1, 2 * n, 12 * n)
    };
    HEAD.to_string() + &(0..rows).map(row).collect::<String>()
}

/// What a command answers that is given this on its standard input.
fn piped(desk: &Desk, words: &str, input: &[u8]) -> Outcome {
    let mut command = desk.command(words, &[]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || {
        let _ = stdin.write_all(&input);
    });
    let done = child.wait_with_output().unwrap();
    writer.join().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Outcome { code: done.status.code().unwrap(), stdout: text(done.stdout), stderr: text(done.stderr) }
}

/// The lines behind the header, without the number of the row.
fn unnumbered(csv: &str) -> Vec<&str> {
    csv.lines().skip(1).map(|line| line.split_once(',').unwrap().1).collect()
}

#[test]
fn a_row_by_itself_is_the_answer_of_a_file_of_this_row() {
    let desk = Desk::new();
    let rows = own_rows(12);
    desk.file("rows.csv", &rows);
    let batch = desk.types("predict --batch rows.csv --to h100-sxm5,l4").works().stdout;
    assert_eq!(batch.lines().count(), 1 + 12 * 2);
    let mut alone = Vec::new();
    for row in rows.lines().skip(1) {
        desk.file("one.csv", format!("{HEAD}{row}\n"));
        alone.push(desk.types("predict --data one.csv --to h100-sxm5,l4 --format csv").works().stdout);
    }
    let alone: Vec<&str> = alone.iter().flat_map(|csv| csv.lines().skip(1)).collect();
    assert_eq!(unnumbered(&batch), alone);
}

#[test]
fn it_does_not_matter_how_a_table_is_cut() {
    let desk = Desk::new();
    let rows = own_rows(3000);
    let words = "predict --batch - --to h100-sxm5 --format csv";
    let whole = piped(&desk, words, rows.as_bytes()).works().stdout;
    assert_eq!(whole.lines().count(), 3001);
    let lines: Vec<&str> = rows.lines().skip(1).collect();
    let mut parts = Vec::new();
    for part in lines.chunks(700).rev() {
        parts.insert(0, piped(&desk, words, (HEAD.to_string() + &part.join("\n")).as_bytes()).works().stdout);
    }
    let parts: Vec<&str> = parts.iter().flat_map(|csv| unnumbered(csv)).collect();
    assert_eq!(unnumbered(&whole), parts);
    let one_core = desk
        .command("predict --to h100-sxm5 --batch", &[&desk.file("rows.csv", &rows)])
        .env("RAYON_NUM_THREADS", "1")
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(one_core.stdout).unwrap(), whole);
}

#[test]
fn a_row_that_is_refused_has_its_records_and_its_reason() {
    let desk = Desk::new();
    let text = format!(
        "{HEAD}titan-v,mine,n=1,256,4,32,1e6,1e6,0.5\nmoon-1,mine,n=1,256,4,32,1e6,1e6,0.5\n\n\
                        titan-v,mine,n=1,256,4,32,1e6,1e6,fast\ntitan-v,other,n=1,,,,,,0.5\n"
    );
    desk.file("rows.csv", text);
    let Outcome { stdout, stderr, .. } =
        desk.types("predict --batch rows.csv --to l4,h200 --format json").works();
    let records: Vec<serde_json::Value> = serde_json::from_str(&stdout).unwrap();
    let rows: Vec<u64> = records.iter().map(|r| r["row"].as_u64().unwrap()).collect();
    assert_eq!(rows, [1, 1, 2, 2, 3, 3, 4, 4]);
    let first_caution = |at: usize| records[at]["cautions"][0].as_str().unwrap().to_string();
    assert!(first_caution(2).contains("gpu: unknown GPU"), "{}", first_caution(2));
    assert!(first_caution(5).contains("time_ms: `fast`: expected milliseconds"), "{}", first_caution(5));
    assert_eq!(
        (records[3]["gpu_target"].as_str(), &records[3]["time_ms"]),
        (Some("h200"), &serde_json::Value::Null)
    );
    assert!(
        stderr.contains("of 4 rows of rows.csv are not predicted; the first is rows.csv:3: gpu: "),
        "{stderr}"
    );
    let none = format!("{HEAD}moon-1,mine,n=1,256,4,32,1e6,1e6,0.5\n");
    piped(&desk, "predict --batch - --to l4", none.as_bytes())
        .ends(1, &["nothing could be predicted", "moon-1"]);
}

#[test]
fn what_a_batch_is_not_is_said() {
    let desk = Desk::new();
    desk.file("rows.csv", own_rows(2));
    desk.file("other.csv", "name,ms\na,1\n");
    let asked = |words: &str| desk.types(&format!("predict --batch rows.csv {words}"));
    asked("").ends(2, &["no --to"]);
    asked("--to l4 --from titan-v").ends(2, &["cannot be used with"]);
    asked("--to l4 --format table").ends(2, &["row by row: write csv, json, parquet or arrow"]);
    desk.types("predict --from titan-v --to l4 --kernel saxpy --format arrow")
        .ends(2, &["are for --batch FILE"]);
    desk.types("predict --batch other.csv --to l4").ends(1, &["no column `gpu`"]);
    desk.types("rank --batch other.csv").ends(1, &["no column `gpu`"]);
    desk.types("rank --batch rows.csv --kernel saxpy").ends(2, &["cannot be used with"]);
}

#[test]
fn the_board_of_a_table_is_the_sum_of_its_answers() {
    let desk = Desk::new();
    desk.file("rows.csv", own_rows(500));
    let board = desk.types("rank --batch rows.csv --to h100-sxm5,l4 --format json").works().json();
    let answers = desk.types("predict --batch rows.csv --to h100-sxm5,l4 --format json").works().json();
    for row in &board {
        let of_gpu = || answers.iter().filter(|a| a["gpu_target"] == row["gpu"]);
        for column in ["time_ms", "low_ms", "high_ms"] {
            let sum: f64 = of_gpu().map(|a| a[column].as_f64().unwrap()).sum();
            let ranked = row[column].as_f64().unwrap();
            assert!((ranked / sum - 1.0).abs() < 1e-9, "{column} of {}: {ranked}, {sum}", row["gpu"]);
        }
        let source: f64 = of_gpu().map(|a| a["source_time_ms"].as_f64().unwrap()).sum();
        let speedup = row["speedup"].as_f64().unwrap();
        assert!((speedup * row["time_ms"].as_f64().unwrap() / source - 1.0).abs() < 1e-9);
    }
    let table = desk.types("rank --batch rows.csv --to h100-sxm5,l4").works().stdout;
    assert!(table.contains("on 3 GPUs"), "{table}");
}

/// A row that shows or states tensor cores says nothing of the rows beside it, wherever a table is cut.
#[test]
fn the_arithmetic_of_a_row_is_its_own() {
    let desk = Desk::new();
    let head = "gpu,kernel,dtype,pipe,flops,dram_bytes,time_ms\n";
    let plain = "titan-v,gemm,fp32,,2e10,1e8,2\n";
    let fast = "titan-v,gemm,fp32,,6e10,1e8,1\n";
    let stated = "titan-v,gemm,fp32,tensor fp16,2e10,1e8,2\n";
    let answers = |rows: &[&str]| {
        let table = head.to_string() + &rows.concat();
        let told = piped(&desk, "predict --batch - --to rtx-4090 --format csv", table.as_bytes());
        unnumbered(&told.works().stdout).into_iter().map(str::to_string).collect::<Vec<_>>()
    };
    let alone: Vec<String> = [plain, fast, stated].iter().flat_map(|row| answers(&[row])).collect();
    assert!(alone[0] != alone[1] && alone[0] != alone[2], "{alone:?}");
    let together = answers(&[plain, fast, stated, plain, stated, fast, plain]);
    let expected: Vec<&String> = [0, 1, 2, 0, 2, 1, 0].iter().map(|at| &alone[*at]).collect();
    assert_eq!(together.iter().collect::<Vec<_>>(), expected);
}
