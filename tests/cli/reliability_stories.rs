//! What hostile or damaged input must not do, as a user meets it: each story failed once.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

use crate::desk::{Desk, Outcome};
use roofswap::learn::saved;
use roofswap::train::Made;
use std::fmt::Write as _;
use std::fs;

/// ESC, a C1 control, a bidi override, a zero-width space and a newline in one name.
const HOSTILE: &str = "evil\u{1b}[31m\u{9b}x\u{202e}y\u{200b}z\nforged";

/// A desk with rows of a kernel of that name.
fn hostile_rows() -> Desk {
    let desk = Desk::new();
    let row = format!("titan-v,\"{HOSTILE}\",n=1000,256,4,40,1e6,1e6,0.5\n");
    let header = "gpu,kernel,problem,block,grid,regs_per_thread,flops,dram_bytes,time_ms\n";
    desk.file("rows.csv", format!("{header}{row}"));
    desk
}

/// Whether a terminal, a pager or a reader would take part of this for something else than letters.
fn has_harm(text: &str) -> bool {
    text.chars().any(|c| c != '\n' && roofswap::text::is_harmful(c))
}

#[test]
fn names_from_files_leave_harmless_in_every_form() {
    let desk = hostile_rows();
    for command in ["predict --data rows.csv --to h100-sxm5", "metrics --data rows.csv"] {
        for format in ["table", "markdown", "csv", "json"] {
            let Outcome { stdout, stderr, .. } = desk.types(&format!("{command} --format {format}")).works();
            assert!(!has_harm(&stdout) && !has_harm(&stderr), "{command} {format}: {stdout:?} {stderr:?}");
            assert!(stdout.contains("evil"), "{stdout}");
        }
        let csv = desk.types(&format!("{command} --format csv")).stdout;
        assert!(!csv.lines().any(|line| line.starts_with("forged")), "{csv}");
    }
}

#[test]
fn json_says_the_very_name_in_escapes() {
    let desk = hostile_rows();
    let answer = desk.types("predict --data rows.csv --to h100-sxm5 --format json").works();
    assert_eq!(answer.json()[0]["kernel"].as_str(), Some(HOSTILE));
}

#[test]
fn a_folder_of_the_users_that_cannot_be_read_is_said_and_the_rest_answers() {
    let desk = Desk::new();
    desk.file("config/gpus", "");
    let answer = desk.types("gpus rtx-4070").works();
    assert!(answer.stdout.contains("RTX 4070"), "{}", answer.stdout);
    assert!(answer.stderr.contains("gpus: cannot be read: "), "{}", answer.stderr);
}

#[test]
fn a_theme_of_the_users_folder_is_a_theme() {
    let desk = Desk::new();
    let dark = fs::read_to_string(concat!(env!("ROOFSWAP_CHECKOUT"), "/assets/themes/dark.toml")).unwrap();
    fs::create_dir(desk.path("config/themes")).unwrap();
    desk.file("config/themes/mine.toml", dark.replacen("\"dark\"", "\"mine\"", 1));
    desk.types("--theme mine").ends(2, &["needs a terminal"]);
    desk.types("--theme yours").ends(2, &["unknown theme `yours`; the themes are: dark, light, mono, mine"]);
    desk.file("config/themes/yours.toml", "name = \"yours\"\n");
    desk.types("--theme yours").ends(2, &["yours.toml", "missing field", "unknown theme `yours`"]);
}

#[test]
fn a_kept_model_that_does_not_decode_is_trained_again_and_the_answer_is_the_same() {
    let desk = Desk::new();
    let mut rows = String::from("gpu,kernel,problem,time_ms\n");
    for (place, gpu) in ["titan-v", "rtx-2080-ti", "rtx-3090", "rtx-4070"].iter().enumerate() {
        for kernel in ["saxpy", "vector_add", "reduce_sum"] {
            for power in 20..26 {
                let time = f64::from(1 << power) / 5e7 / (1.0 + 0.3 * place as f64);
                writeln!(rows, "{gpu},{kernel},n={},{time}", 1 << power).unwrap();
            }
        }
    }
    desk.file("rows.csv", rows);
    let asked = "predict --data rows.csv --from titan-v --to h100-sxm5 --format csv";
    let before = desk.types(asked).works().stdout;
    let models = fs::read_dir(desk.path("cache/models")).unwrap().map(|e| e.unwrap().path());
    let model = models.into_iter().next().expect("the lessons are kept");
    let whole = fs::read(&model).unwrap();
    // Whole by its checksum, of another build by its body.
    let origin = saved::origin(&whole, "model").unwrap();
    let made: Made = saved::decode(&whole, &origin, "model").unwrap();
    let other = Made { model: vec![7; made.model.len()], ..made };
    fs::write(&model, saved::encode(&origin, &other).unwrap()).unwrap();
    assert_eq!(desk.types(asked).works().stdout, before);
    assert_eq!(fs::read(&model).unwrap(), whole, "it is kept anew");
}

#[test]
fn a_kernel_file_with_endless_names_is_refused_at_once() {
    let desk = Desk::new();
    let saxpy = fs::read_to_string(concat!(env!("ROOFSWAP_CHECKOUT"), "/specs/kernels/saxpy.toml")).unwrap();
    let mut lets = String::from("[let]\nv0 = \"n\"\n");
    (1..4000).for_each(|i| writeln!(lets, "v{i} = \"v{} + 1\"", i - 1).unwrap());
    let text = saxpy.replacen("\"saxpy\"", "\"chain\"", 1).replacen("\"axpy\"", "\"chained\"", 1);
    fs::create_dir(desk.path("config/kernels")).unwrap();
    desk.file("config/kernels/chain.toml", text.replacen("[launch]", &format!("{lets}\n[launch]"), 1));
    let answer = desk.types("gpus rtx-4070").works();
    assert!(answer.stderr.contains("4000 names; expected at most 64"), "{}", answer.stderr);
}

#[test]
fn the_version_names_what_it_was_built_from() {
    let said = Desk::new().types("--version").works().stdout;
    let (version, rest) = (env!("CARGO_PKG_VERSION"), said.lines().next().unwrap());
    let from = rest.strip_prefix(&format!("roofswap {version}")).unwrap();
    let is_commit = |from: &str| {
        let hash = from.strip_prefix(" (commit ").and_then(|rest| rest.strip_suffix(')'));
        let hash = hash.map(|h| h.trim_end_matches('*'));
        hash.is_some_and(|h| h.len() >= 12 && h.chars().all(|c| c.is_ascii_hexdigit()))
    };
    assert!(from == " (debug build)" || is_commit(from), "{said}");
    assert!(said.contains("schema_version 1"), "{said}");
}

#[test]
fn the_log_of_a_repair_holds_nothing_that_a_terminal_acts_on() {
    let desk = Desk::new();
    let rows =
        "gpu,kernel,problem,flops,time_ms\ntitan-v,mine,n=1,1\u{1b}[31m\u{9b},1\ntitan-v,mine,n=2,5,1\n";
    desk.file("rows.csv", rows);
    assert!(desk.types("audit rows.csv --fix -o clean.csv").code <= 1);
    let log = desk.read("clean.csv.log");
    assert!(log.contains("refused") && log.contains("1\u{fffd}[31m\u{fffd}"), "{log:?}");
    assert!(!log.contains(['\u{1b}', '\u{9b}']), "{log:?}");
}
