//! `--launch`: what is said of another launch is of that launch, and one that is the kernel's own is no other one.

use crate::desk::{Desk, number};
use serde_json::Value;

const PRODUCT: &str = "--from titan-v --kernel matmul_tiled --size n=2048 --launch block=64,carveout=50%";

fn rows(words: &str) -> Vec<Value> {
    Desk::new().types(&format!("{words} --format json")).works().json()
}

fn row(words: &str) -> Value {
    rows(words).remove(0)
}

#[test]
fn the_explanation_of_another_launch_is_of_that_launch() {
    let asked = format!("predict --to rtx-4070 {PRODUCT}");
    let time = number(&row(&asked), "time_ms");
    let explained = rows(&format!("{asked} --explain"));
    let of_part = |part: &str, factor: &str| {
        let is_it = |row: &&Value| row["part"] == part && row["factor"] == factor;
        explained.iter().find(is_it).unwrap_or_else(|| panic!("{part} {factor}: {explained:?}"))
    };
    let more = number(&row(&format!("{asked} --set sm=+10%")), "time_ms") / time;
    let said = number(of_part("elasticity", "SM clock"), "times");
    assert!((said / more - 1.0).abs() < 0.005, "{said} said, {more} asked");
    let last = number(of_part("step", "launch as changed"), "time_s") * 1e3;
    assert!((last / time - 1.0).abs() < 1e-9, "{last} {time}");
    let roof = number(of_part("number", "roof"), "target")
        + number(of_part("number", "time above the roof"), "target");
    assert!((roof * 1e3 / time - 1.0).abs() < 0.01, "{roof} {time}");
    let other = rows("predict --to rtx-4070 --from titan-v --kernel matmul_tiled --size n=2048 --explain");
    let tail = |rows: &[Value]| {
        rows.iter().find(|row| row["factor"] == "tail effect").map(|row| number(row, "target"))
    };
    assert!(tail(&explained) < tail(&other), "{explained:?}");
}

#[test]
fn what_limits_another_launch_is_one_answer() {
    let desk = Desk::new();
    let limit = row(&format!("predict --to rtx-4070 {PRODUCT}"))["bound_target"].to_string().replace('"', "");
    let text = desk.types(&format!("predict --to rtx-4070 {PRODUCT} --explain")).works().stdout;
    assert!(text.contains(&format!("RTX 4070: bound by {limit}; next")), "{limit}: {text}");
    let solved = desk.types(&format!("whatif --gpu rtx-4070 {PRODUCT} --solve mem --goal 1ms"));
    assert!(solved.stdout.contains(&format!("limited by {limit}")), "{limit}: {}", solved.stdout);
}

#[test]
fn a_model_without_components_lists_the_changed_launch_as_a_number() {
    let text = Desk::new()
        .types(&format!("predict --to rtx-4070 {PRODUCT} --model efficiency-transfer --explain"))
        .works()
        .stdout;
    assert!(text.lines().filter(|line| line.starts_with("launch as changed")).count() == 2, "{text}");
}

#[test]
fn a_launch_that_is_the_kernels_own_is_no_change() {
    for (kernel, own) in [
        ("--from titan-v --kernel matmul_tiled --size n=512", "block=1024"),
        ("--from h200 --kernel linear_bf16 --size n=4096", "dtype=bf16"),
    ] {
        for command in ["predict --to rtx-4070,b200", "rank --to rtx-4070,b200"] {
            let [same, changed] = ["".to_string(), format!("--launch {own}")]
                .map(|launch| rows(&format!("{command} {kernel} {launch}")));
            assert_eq!(same, changed, "{command} {kernel}");
        }
    }
    let registers = |count: u32| {
        row(&format!(
            "predict --from titan-v --to rtx-4070 --kernel matmul_tiled --size n=512 --launch regs={count}"
        ))
    };
    let is_changed = |row: &Value| row["cautions"].to_string().contains("launch changed");
    let own: Vec<u32> = (24..48).filter(|count| !is_changed(&registers(*count))).collect();
    assert_eq!(own.len(), 1, "the registers that the compiler gives on this GPU: {own:?}");
}
