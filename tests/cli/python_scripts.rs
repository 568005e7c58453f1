//! The Python scripts of docs/ that call the program work, at sizes as small as can be. Nothing here is timed.

#![cfg(unix)]
#![allow(clippy::unwrap_used)] // helpers of tests are tests

use crate::desk::Desk;
use crate::skipping::skip_aloud;
use std::path::Path;
use std::process::{Command, Output};

/// Whether `python3` is there and imports these modules; says why not.
fn imports(modules: &str) -> bool {
    let tried = Command::new("python3").args(["-c", &format!("import {modules}")]).output();
    let there = tried.is_ok_and(|done| done.status.success());
    if !there {
        skip_aloud(&format!("no python3 with {modules}"));
    }
    there
}

fn script(desk: &Desk, name: &str, args: &[&str]) -> Output {
    Command::new("python3")
        .arg(Path::new(env!("ROOFSWAP_CHECKOUT")).join("docs").join(name))
        .args(args)
        .current_dir(desk.path(""))
        .env("ROOFSWAP", env!("CARGO_BIN_EXE_roofswap"))
        .env("ROOFSWAP_CONFIG", desk.path("config"))
        .env("ROOFSWAP_CACHE", desk.path("cache"))
        .output()
        .unwrap()
}

#[test]
fn growth_measures_every_command_and_prints_a_table() {
    if !imports("math, random, tempfile") {
        return;
    }
    let desk = Desk::new();
    let done = script(&desk, "growth.py", &[env!("CARGO_BIN_EXE_roofswap"), "60,120"]);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let table = String::from_utf8(done.stdout).unwrap();
    let lines: Vec<&str> = table.lines().collect();
    assert!(lines[0].starts_with("| CPU s (MB) | 60 rows (0 MB) | 120 rows (0 MB) |"), "{table}");
    for (line, command) in
        lines[2..].iter().zip(["load", "audit", "evaluate", "train", "predict --batch", "rank --batch"])
    {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        assert_eq!((cells.len(), cells[0]), (4, command), "{table}");
        assert!(cells[3].parse::<f64>().is_ok(), "{table}");
    }
    assert_eq!(lines.len(), 8, "{table}");
    assert!(!script(&desk, "growth.py", &["no-program", "60,120"]).status.success());
}

#[cfg(feature = "fleet")]
#[test]
fn two_workers_of_dask_answer_as_the_single_process() {
    if !imports("dask.dataframe, pandas, pyarrow") {
        return;
    }
    let desk = Desk::new();
    desk.file("rows.csv", crate::batch_stories::own_rows(200));
    // Row groups are partitions.
    let to_parquet =
        "import pandas; pandas.read_csv('rows.csv').to_parquet('fleet.parquet', row_group_size=60)";
    let made = Command::new("python3").args(["-c", to_parquet]).current_dir(desk.path("")).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let words = ["fleet.parquet", "answers/", "--to", "h100-sxm5,l4", "--check"];
    let done = script(&desk, "fleet_dask.py", &words);
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success(), "{said}{}", String::from_utf8_lossy(&done.stderr));
    assert_eq!(said.trim(), "400 rows, equal to the single process");
    assert_eq!(std::fs::read_dir(desk.path("answers")).unwrap().count(), 4);
}
