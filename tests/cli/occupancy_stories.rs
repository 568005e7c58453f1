//! `roofswap occupancy` as engineers and scripts meet it: barriers, carveout and clusters typed, many configurations through
//! a pipe, waves and limiters side by side, curves as pictures.

use crate::desk::Desk;
use crate::skipping::skip_aloud;
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Output, Stdio};

/// The program on a machine without settings of its own.
fn roofswap(words: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_roofswap"));
    command.env("ROOFSWAP_CONFIG", "/nonexistent-roofswap-config").args(words.split_whitespace());
    command
}

/// Exit code, stdout, stderr.
fn ends(command: &mut Command) -> (i32, String, String) {
    said(command.output().expect("it runs"))
}

/// Exit code, stdout, stderr of a run that has ended.
fn said(output: Output) -> (i32, String, String) {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
}

fn batch(input: impl Into<Vec<u8>>) -> (i32, String, String) {
    let mut child = asked_by_a_program();
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.into();
    // Beside the reading, so that neither pipe fills up; a program that stops early leaves a broken one.
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().expect("it ends");
    drop(writer.join());
    said(output)
}

/// The batch with pipes at both ends.
fn asked_by_a_program() -> Child {
    roofswap("occupancy --batch -")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts")
}

fn rows(words: &str) -> Vec<Value> {
    let (code, out, err) = ends(&mut roofswap(&format!("{words} --format json")));
    assert_eq!(code, 0, "{words}: {err}");
    serde_json::from_str(&out).expect("JSON")
}

// ---------------------------------------------------------------------------------------------------------------------
// Many configurations

#[test]
fn paper_4_table_1_comes_out_of_a_pipe() {
    // Two tiles of T x T floats in dynamic shared memory, T x T threads, on 8.9.
    let lines: String =
        [1, 4, 8, 16, 32].iter().map(|t| format!("8.9 {} 32 0 {} -1\n", t * t, 8 * t * t)).collect();
    let (code, out, err) = batch(lines);
    let blocks: Vec<&str> = out.lines().filter_map(|l| l.split(' ').next()).collect();
    assert_eq!((code, blocks, err.as_str()), (0, vec!["24", "24", "24", "6", "1"], ""));
}

#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared, other people's measurements")]
fn the_tables_own_answers_come_back() {
    let path = concat!(env!("ROOFSWAP_CHECKOUT"), "/../shared/samples/occupancy/vectors.txt");
    let Ok(text) = std::fs::read_to_string(path) else {
        skip_aloud("the table of answers is not here");
        return;
    };
    let pairs: Vec<(&str, &str)> =
        text.lines().filter(|l| !l.starts_with('#')).filter_map(|l| l.split_once(" => ")).collect();
    let asked: String = pairs.iter().map(|(asked, _)| format!("{asked}\n")).collect();
    let (code, out, _) = batch(asked);
    // The last field of an answer is the caching in effect, which is not printed.
    let expected = pairs.iter().map(|(_, answer)| answer.split(' ').take(9).collect::<Vec<_>>().join(" "));
    assert_eq!(code, 0);
    assert!(out.lines().eq(expected), "an answer differs");
}

#[test]
fn where_nvidias_headers_disagree_it_is_said() {
    let desk = Desk::new();
    let sheet = desk.types("gpus b300").works().stdout;
    assert!(sheet.contains("barriers per SM") && sheet.contains("32 in CUDA 13.5's"), "{sheet}");
    let asked = |barriers: &str| {
        desk.types(&format!("occupancy --gpu b300 --threads 64 --regs 16 {barriers}")).works().stdout
    };
    assert!(asked("--barriers 4").contains("by CUDA 13.5's 32 fit 8 blocks"), "{}", asked("--barriers 4"));
    assert!(!asked("").contains("13.5"), "{}", asked(""));
}

#[test]
fn the_form_of_a_line_is_stated_where_it_is_asked_for() {
    let help = Desk::new().types("occupancy --help").works().stdout;
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    for field in ["cc threads regs static_smem dynamic_smem carveout [barriers [gc]]", "-1 none", "W warps"] {
        assert!(help.contains(field), "{field}: {help}");
    }
    let page =
        std::fs::read_to_string(concat!(env!("ROOFSWAP_CHECKOUT"), "/docs/commands.md")).expect("a page");
    assert!(page.contains("`cc threads regs static_smem dynamic_smem carveout [barriers [gc]]`"));
}

#[test]
fn more_registers_than_a_compiler_gives_are_refused_in_one_sentence() {
    let said = "256 registers per thread, and no compiler gives one more than 255";
    let desk = Desk::new();
    for words in [
        "occupancy --gpu rtx-4070 --threads 128 --regs 256",
        "predict --from rtx-4070 --to l40s --time 10us --threads 128 --regs 256",
        "predict --from rtx-4070 --to l40s --kernel saxpy --launch regs=256",
    ] {
        let done = desk.types(words);
        assert!(done.code == 2 && done.stderr.contains(said), "{words}: {} {}", done.code, done.stderr);
    }
    // NVIDIA's calculator has a block of it: its answer, and what it is worth.
    let (code, out, err) = batch("9.0 256 256 0 0 -1 1 0\n");
    assert_eq!((code, out.as_str()), (0, "1 R 8 1 228 32 64 65536 1024\n"));
    assert!(err.contains(said) && err.contains("standard input:1: "), "{err}");
}

#[test]
fn a_line_that_cannot_be_answered_is_err_and_is_named_with_its_line() {
    let mut input = b"# a comment\r\n8.9 64 32 0 512 -1 # tile 8\r\n\r\n8.9 64 32\r\n".to_vec();
    input.extend_from_slice(b"8.9 \xff\xfe 32 0 512 -1\n");
    input.extend_from_slice(&vec![b'9'; 10_000]);
    input.extend_from_slice(b"\n8.9 64 32 0 512 -1\n4.2 64 32 0 512 -1");
    let (code, out, err) = batch(input);
    let good = "24 W|B 24 32 66 24 -1 2048 1536";
    assert_eq!(out.lines().collect::<Vec<_>>(), [good, "err", "err", "err", good, "err"]);
    assert!(code == 1 && err.contains("4 lines were refused"), "{code} {err}");
    for said in [
        "standard input:4: 3 fields",
        "standard input:5: threads: ",
        "standard input:6: a line of more",
        "standard input:8: cc: `4.2`",
    ] {
        assert!(err.contains(said), "{said} is not in\n{err}");
    }
}

#[test]
fn the_first_five_errors_are_named_and_the_others_counted() {
    let (code, out, err) = batch("x\n".repeat(1000));
    assert_eq!((code, out.lines().count(), err.lines().count()), (1, 1000, 7));
    assert!(err.contains("995 more"), "{err}");
}

#[test]
fn a_file_is_read_like_stdin_and_one_that_is_not_there_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("asked.txt");
    std::fs::write(&path, "8.9 64 32 0 512 -1\n").expect("a file");
    let (code, out, _) = ends(roofswap("occupancy --batch").arg(&path));
    assert_eq!((code, out.as_str()), (0, "24 W|B 24 32 66 24 -1 2048 1536\n"));
    let (code, _, err) = ends(roofswap("occupancy --batch").arg(folder.path().join("missing")));
    assert!(code == 1 && err.contains("missing: no such file"), "{code} {err}");
    assert_eq!(batch("").1, "");
}

#[test]
fn a_program_can_ask_line_by_line() {
    let mut child = asked_by_a_program();
    let (mut ask, answers) = (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
    let mut answers = BufReader::new(answers);
    for (asked, answer) in [("8.9 64 32 0 512 -1", "24 "), ("8.9 1024 37 8192 0 -1", "1 "), ("?", "err")] {
        writeln!(ask, "{asked}").expect("it reads");
        let mut line = String::new();
        answers.read_line(&mut line).expect("it answers before the input ends");
        assert!(line.starts_with(answer), "{asked}: {line}");
    }
    drop(ask);
    assert_eq!(child.wait().expect("it ends").code(), Some(1), "a line was refused");
}

#[test]
fn a_reader_who_goes_away_is_no_failure() {
    let mut child = asked_by_a_program();
    drop(child.stdout.take());
    let mut ask = child.stdin.take().expect("a pipe");
    // It may be gone before all is written.
    let _ = ask.write_all("8.9 64 32 0 512 -1\n".repeat(100_000).as_bytes());
    drop(ask);
    assert!(child.wait().expect("it ends").success());
}

#[test]
fn a_whole_batch_may_launch_clusters_or_not_have_opted_in() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("asked.txt");
    std::fs::write(&path, "9.0 128 32 0 60000 -1\n").expect("a file");
    let active = |flags: &str| {
        let (code, out, err) = ends(roofswap(&format!("occupancy {flags} --batch")).arg(&path));
        assert_eq!(code, 0, "{err}");
        out.split(' ').next().map(str::to_string)
    };
    // 233,472 bytes hold three blocks of 61,056; without the opt-in a block may ask for 48 KiB at most.
    assert_eq!([active(""), active("--no-opt-in")], [Some("3".into()), Some("0".into())]);
    assert_eq!(active("--cluster 2"), Some("3".into()));
}

#[test]
fn batch_goes_with_no_other_question() {
    for flag in [
        "--gpu rtx-4070",
        "--kernel saxpy",
        "--time 1ms",
        "--iterations 5",
        "--launch block=64",
        "--threads 32",
        "--regs 3",
        "--rules study",
        "--carveout 3",
    ] {
        let (code, _, err) = ends(&mut roofswap(&format!("occupancy --batch - {flag}")));
        assert!(code == 2 && err.contains("cannot be used with"), "{flag}: {err}");
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// One configuration

#[test]
fn barriers_carveout_and_caching_limit_as_typed() {
    let block = "--threads 32 --regs 20";
    let barriers = &rows(&format!("occupancy --gpu b200 {block} --barriers 16"))[0];
    assert_eq!((&barriers["by_barriers"], &barriers["active_blocks"]), (&4.into(), &4.into()));
    assert_eq!(barriers["next_step"], "16→12 barriers: 5 blk");
    // Half of 100 KiB is 50 KiB, raised to 64 KiB: seven blocks of 9 KiB with the reserve in it.
    let carved = &rows(&format!("occupancy --gpu rtx-4070 {block} --smem-static 8192 --carveout 50"))[0];
    assert_eq!((&carved["smem_per_sm_bytes"], &carved["by_shared_memory"]), (&65536.into(), &7.into()));
    assert_eq!(carved["allocated_smem_bytes"], 9216);
    let (_, _, err) = ends(&mut roofswap(&format!("occupancy --gpu b200 {block} --carveout 101")));
    assert!(err.contains("expected a percentage from 0 to 100, or -1 for no preference"), "{err}");
    let big = format!("occupancy --gpu rtx-4070 {block} --smem-dynamic 60000");
    assert_eq!(rows(&big)[0]["active_blocks"], 1);
    let refused = &rows(&format!("{big} --no-opt-in"))[0];
    assert_eq!(refused["active_blocks"], 0);
    assert!(refused["remarks"][0].as_str().is_some_and(|r| r.contains("without opting in")), "{refused}");
    let clusters = &rows(&format!("occupancy --gpu rtx-4070 {block} --cluster 4"))[0];
    assert!(clusters["remarks"][0].as_str().is_some_and(|r| r.contains("9.0 or later")), "{clusters}");
}

/// No smaller block lets a grid start that does not divide into its clusters.
#[test]
fn the_next_step_of_a_wrong_grid_is_a_grid() {
    let block = "occupancy --gpu h100-sxm5 --threads 128 --regs 168 --smem-dynamic 200000 --cluster 2 --grid";
    let step = |grid: u32| rows(&format!("{block} {grid}"))[0]["next_step"].clone();
    assert_eq!(step(133), "133→134 blocks of the grid");
    assert!(step(134).as_str().is_some_and(|step| step.contains("B smem: 2 blk")), "{}", step(134));
}

#[test]
fn two_gpus_say_how_the_limiter_changes() {
    let words = "occupancy --gpu rtx-3090,b200 --threads 32 --regs 20 --barriers 16";
    let (_, out, _) = ends(&mut roofswap(words));
    assert!(out.contains("occupancy limit: blocks → barriers (rtx-3090 → b200)"), "{out}");
    let widest = out.lines().map(|l| l.chars().count()).max();
    assert!(widest <= Some(120), "{widest:?}\n{out}");
    let (_, same, _) = ends(&mut roofswap("occupancy --gpu rtx-4070,l4 --threads 256 --regs 40"));
    assert!(!same.contains("occupancy limit"), "{same}");
}

#[test]
fn a_block_that_fills_the_gpu_is_the_suggested_one() {
    let suggested = |threads: u32| {
        let row = &rows(&format!("occupancy --gpu l4 --threads {threads} --regs 32"))[0];
        (row["occupancy"].clone(), row["best_block"].clone())
    };
    assert_eq!(suggested(256), (1.into(), 256.into()));
    assert_eq!(suggested(1024).1, 768);
}

#[test]
fn waves_say_how_the_grid_falls_on_the_gpu() {
    // 1,024 blocks of 1,024 threads, one per SM, on 46 SMs: 22 whole waves and 12 blocks.
    let row = &rows("occupancy --gpu rtx-4070 --kernel matmul_tiled --size n=1024")[0];
    assert_eq!((&row["idle_sms"], &row["best_block"]), (&34.into(), &768.into()));
    assert_eq!(row["min_grid"], 92, "two blocks of 768 threads on each SM");
    assert!((row["waves"].as_f64().unwrap_or(0.0) - 1024.0 / 46.0).abs() < 1e-12, "{row}");
    assert!((row["tail"].as_f64().unwrap_or(0.0) - 12.0 / 46.0).abs() < 1e-12, "{row}");
    assert_eq!(row["allocated_registers"], 40_960, "32 warps of 40 registers");
}

#[test]
fn a_kernel_with_a_shape_of_its_own_takes_no_other() {
    let (code, _, err) = ends(&mut roofswap("occupancy --gpu rtx-4070 --kernel saxpy --threads 64"));
    assert!(code == 2 && err.contains("saxpy: its file states its block"), "{err}");
}

#[test]
fn every_curve_is_a_picture_with_both_gpus_in_it() {
    let folder = tempfile::tempdir().expect("a folder");
    for over in ["block", "registers", "shared-memory", "size"] {
        let path = folder.path().join(format!("{over}.svg"));
        let (code, _, err) = ends(roofswap(&format!("export roofline --over {over} -o")).arg(&path));
        assert!(code == 2 && err.contains("--over goes with `curves`"), "{err}");
        let words =
            format!("export curves --over {over} --from titan-v --to rtx-4070 --kernel matmul_tiled -o");
        let (code, _, err) = ends(roofswap(&words).arg(&path));
        assert_eq!(code, 0, "{over}: {err}");
        let svg = std::fs::read_to_string(&path).expect("the picture");
        assert!(roxmltree::Document::parse(&svg).is_ok(), "{over}");
        for text in ["TITAN V (source)", "RTX 4070 (target)", "on TITAN V"] {
            assert!(svg.contains(text), "{over}: {text}");
        }
    }
}

#[test]
fn the_flags_of_a_typed_kernel_are_taken_and_those_that_change_nothing_are_named() {
    let plain = "occupancy --gpu rtx-4070 --threads 256 --regs 40 --format json";
    let (code, out, err) =
        ends(&mut roofswap(&format!("{plain} --name mine --time 4.2ms --flops 17.2GFLOP")));
    assert!(code == 0 && err.contains("--time, --flops: occupancy does not depend on that"), "{code} {err}");
    assert_eq!(out, ends(&mut roofswap(plain)).1);
}

#[test]
fn a_changed_launch_is_the_one_of_a_prediction() {
    let asked = "--kernel matmul_tiled --size n=1024 --launch block=128,regs=64";
    let row = &rows(&format!("occupancy --gpu rtx-4070 {asked}"))[0];
    let predicted = &rows(&format!("predict --from titan-v --to rtx-4070 {asked}"))[0];
    assert_eq!(row["occupancy"], predicted["occupancy_target"], "{row} {predicted}");
    assert_eq!(row["allocated_registers"], 8192, "4 warps of 64 registers");
    let (_, said, _) = ends(&mut roofswap(&format!("occupancy --gpu rtx-4070 {asked}")));
    assert!(said.contains("registers: typed"), "not those of the row: {said}");
}

#[test]
fn a_kernel_of_a_report_has_the_registers_of_its_report_everywhere() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("own.csv");
    let text = "gpu,kernel,problem,time_ms,block,grid,regs_per_thread\ntitan-v,own,n=5,1.5,256,400,100\n";
    std::fs::write(&path, text).expect("a file");
    let (code, out, err) = ends(
        roofswap("occupancy --gpu titan-v,rtx-4070 --kernel own --size n=5 --format csv --data").arg(&path),
    );
    let typed = ends(&mut roofswap(
        "occupancy --gpu titan-v,rtx-4070 --threads 256 --grid 400 --regs 100 --format csv",
    ));
    let blocks = |table: &str| -> Vec<String> {
        table
            .lines()
            .skip(1)
            .map(|line| line.split(',').skip(1).take(4).collect::<Vec<_>>().join(","))
            .collect()
    };
    assert_eq!((code, blocks(&out)), (0, blocks(&typed.1)), "{err}");
}
