//! Questions that name no source: every target is predicted by itself, and compared with nothing.

use crate::desk::{Desk, number};
use serde_json::Value;

fn predicted(words: &str) -> Vec<Value> {
    Desk::new().types(&format!("predict --format json {words}")).works().json()
}

#[test]
fn without_a_source_each_target_is_its_own() {
    for kernel in [
        "--kernel torch_linear --size n=4096",
        "--kernel linear_bf16 --size m=4096",
        "--kernel saxpy --size n=2^28",
        "--flops 1TFLOP --dram-bytes 1GB",
    ] {
        let rows = predicted(&format!("{kernel} --to rtx-4090,l4"));
        assert_eq!(rows.len(), 2);
        for row in rows {
            let gpu = row["gpu_target"].as_str().unwrap();
            let own = predicted(&format!("{kernel} --from {gpu} --to {gpu}")).remove(0);
            for same in ["time_ms", "low_ms", "high_ms", "bound_target", "occupancy_target"] {
                assert_eq!(row[same], own[same], "{kernel}: {same}");
            }
            for of_source in
                ["source_time_ms", "source_kind", "speedup", "occupancy_source", "sm_clock_mhz_source"]
            {
                assert_eq!(row[of_source], Value::Null, "{kernel}: {of_source}");
            }
            let said = row["cautions"].to_string();
            assert!(said.contains("no source: ") || said.contains("scaled from measured times"), "{row}");
            assert!(!row["cautions"].to_string().contains("source GPU"), "{row}");
        }
    }
    let row = predicted("--kernel torch_linear --size n=4096 --to l4").remove(0);
    assert_eq!(row["gpu_source"], Value::Null);
    assert!(
        row["cautions"]
            .to_string()
            .contains("no source: predicted from the kernel's counts and the GPU's rates")
    );
    let said =
        Desk::new().types("predict --kernel torch_linear --size n=4096 --to l4 --explain").works().stdout;
    assert!(
        said.starts_with("no source → l4") && said.contains("torch_linear n=4096: no source → l4"),
        "{said}"
    );
}

#[test]
fn a_board_without_a_source_has_the_times_of_predictions_and_no_speedup() {
    let desk = Desk::new();
    for (kernel, size) in [("torch_linear", "n=4096"), ("saxpy", "n=2^28")] {
        let asked = format!("--kernel {kernel} --size {size} --to rtx-4090,l4,h100-sxm5");
        let alone = predicted(&asked);
        let board = desk.types(&format!("rank {asked} --format json")).works().json();
        assert_eq!(board.len(), 3);
        for row in &board {
            let same = alone.iter().find(|found| found["gpu_target"] == row["gpu"]).unwrap();
            assert_eq!((&row["time_ms"], &row["low_ms"]), (&same["time_ms"], &same["low_ms"]), "{row}");
            assert_eq!(row["speedup"], Value::Null);
            let said = row["cautions"].to_string();
            assert!(said.contains("no source: ") || said.contains("scaled from measured times"), "{row}");
        }
    }
    let said = desk.types("rank --flops 1TFLOP --dram-bytes 1GB --to l4").works().stdout;
    assert!(said.starts_with("typed · no source · by time"), "{said}");
    desk.file(
        "calls.toml",
        "[[kernel]]\nkernel = \"saxpy\"\ncalls = 3\n[[kernel]]\nkernel = \"torch_add\"\ncalls = 2\n",
    );
    let rows = desk.types("rank --mix calls.toml --to l4,rtx-4090 --format json").works().json();
    assert!(rows.iter().all(|row| row["speedup"].is_null() && number(row, "time_ms") > 0.0), "{rows:?}");
    desk.file("shares.toml", "[[kernel]]\nkernel = \"saxpy\"\nshare = 0.5\n");
    desk.types("rank --mix shares.toml --to l4")
        .ends(2, &["shares are of a run on one GPU: give --from GPU"]);
}

#[test]
fn a_time_needs_its_gpu_and_files_are_sources_of_their_own_kernels() {
    let desk = Desk::new();
    for command in ["predict", "rank"] {
        let words = format!("{command} --time 1ms --flops 1TFLOP --to l4");
        desk.types(&words).ends(2, &["1.00 ms was measured on which GPU?", "--from on the command line"]);
    }
    let file = desk.file("a.csv", "gpu,kernel,problem,time_ms,dram_bytes\nv100-pcie-16gb,a,n=2^20,0.5,4e8\n");
    let ask =
        |words: &str| desk.types_with(&format!("predict --to l4 --format json {words} --data"), &[&file]);
    assert_eq!(ask("--kernel a").works().json()[0]["gpu_source"], "v100-pcie-16gb");
    assert_eq!(ask("--kernel torch_linear").works().json()[0]["gpu_source"], Value::Null);
}

#[test]
fn pictures_without_a_source_show_the_target_alone() {
    let desk = Desk::new();
    for chart in ["roofline", "occupancy", "predictions"] {
        let svg = desk.types(&format!("export {chart} --kernel saxpy --to l4 -o -")).works().stdout;
        assert!(svg.contains("on L4") && !svg.contains('→') && !svg.contains("speedup"), "{chart}: {svg}");
    }
    desk.types("export components --kernel saxpy --to l4 -o x.svg").ends(2, &["give --from GPU"]);
}

/// Its own row, or the times of other GPUs, of this size or another: each note says which, and no column says `sources`.
#[test]
fn what_stands_for_a_source_is_said_in_the_notes_alone() {
    let desk = Desk::new();
    for (size, own, scaled) in [
        ("n=1048576", None, "scaled from the measured time on 4 GPUs"),
        (
            "n=2097152",
            Some("no source: scaled as `components` does from the measured size n=1048576"),
            "scaled from measured times of other sizes on 4 GPUs",
        ),
    ] {
        let asked = format!("--kernel saxpy --size {size} --to rtx-4070,rtx-3090");
        let rows = predicted(&asked);
        for (row, said) in rows.iter().zip([own, Some(scaled)]) {
            assert_eq!(row["gpu_source"], Value::Null);
            let cautions = row["cautions"].to_string();
            assert!(said.is_none_or(|said| cautions.contains(said)), "{row}");
            assert!(!cautions.contains("source time"), "{row}");
        }
        let table = desk.types(&format!("predict {asked}")).works().stdout;
        let columns = table.lines().nth(2).unwrap();
        assert!(!columns.contains(" from ") && !table.contains("sources"), "{table}");
        assert!(table.contains("geometric mean of 4 GPUs"), "{table}");
        assert!(table.starts_with("measured times → several targets"), "{table}");
        let alone = desk.types(&format!("predict {}", asked.replace("rtx-4070,", ""))).works().stdout;
        assert!(alone.starts_with("4 GPUs → rtx-3090") && !alone.contains("no source"), "{alone}");
        let ranked = desk.types(&format!("rank {}", asked.replace("rtx-4070,", ""))).works().stdout;
        assert!(ranked.contains(" · scaled from 4 GPUs · by time"), "{ranked}");
    }
}

#[test]
fn a_model_that_takes_the_time_of_a_source_needs_one() {
    let desk = Desk::new();
    let asked = "--kernel saxpy --size n=1048576 --to rtx-3090,rtx-4070 --model same-time --format json";
    for command in ["predict", "rank"] {
        let rows = desk.types(&format!("{command} {asked}")).works().json();
        let of = |gpu: &str| rows.iter().find(|row| row["gpu"] == gpu || row["gpu_target"] == gpu).unwrap();
        assert!(number(of("rtx-4070"), "time_ms") > 0.0, "measured there");
        let untimed = of("rtx-3090");
        assert_eq!([&untimed["time_ms"], &untimed["low_ms"]], [&Value::Null, &Value::Null]);
        assert_eq!(
            untimed["cautions"][0],
            "same-time needs a measured time of this kernel on a source: give --from GPU"
        );
    }
}

/// What a table or a line of the explanation says, it says once, and of no source.
#[test]
fn an_explanation_without_a_source_is_of_the_target_alone() {
    let desk = Desk::new();
    for asked in
        ["--kernel torch_linear --size n=4096 --to l4", "--kernel saxpy --size n=1048576 --to rtx-4070"]
    {
        let said = desk.types(&format!("predict {asked} --explain")).works().stdout;
        let explained = said.split_once("→").unwrap().1.split_once("→").unwrap().1;
        assert!(explained.contains("component"), "{explained}");
        for of_source in [" source ", "source time", "on the source"] {
            assert!(!explained.contains(of_source), "{of_source}: {explained}");
        }
        assert_eq!(explained.matches(": bound by ").count(), 1, "{explained}");
        for row in predicted(&format!("{asked} --explain")) {
            for of_source in ["source", "source_from", "source_share"] {
                assert_eq!(row[of_source], Value::Null, "{row}");
            }
            assert_ne!(row["factor"], "time on the source");
        }
    }
    let typed = desk.types("predict --flops 1TFLOP --dram-bytes 1GB --to l4 --explain").works().stdout;
    assert!(typed.contains("\ntyped: no source → l4"), "{typed}");
}

/// A time that is scaled from the source's is none where nobody named one and nobody timed the kernel.
#[test]
fn models_of_a_source_do_not_apply_without_one() {
    let desk = Desk::new();
    let saxpy = "--kernel saxpy --size n=2^28 --model efficiency-transfer,projection,same-time --format json";
    for command in ["predict --to h200", "rank --to h200"] {
        let models = ["efficiency-transfer", "projection", "same-time"];
        for model in models {
            let asked = format!("{command} --kernel saxpy --size n=2^28 --model {model}");
            desk.types(&asked).ends(
                1,
                &[&format!("{model} needs a measured time of this kernel on a source: give --from GPU")],
            );
        }
    }
    let timed = desk.types(&format!("predict --to rtx-4070 {saxpy}").replace("2^28", "2^20")).works().json();
    assert!(timed.iter().all(|row| number(row, "time_ms") > 0.0), "the target's own time: {timed:?}");
}

#[test]
fn what_would_narrow_an_interval_names_no_source_that_nobody_named() {
    let desk = Desk::new();
    let asked = "--to h200 --kernel saxpy --size n=2^28 --model plain-roofline";
    for (command, from, said) in [
        ("predict", "", "measure the kernel on a GPU, with counters (`ncu --set full`), and give --from GPU"),
        ("rank", "", "measure the kernel on a GPU, with counters (`ncu --set full`), and give --from GPU"),
        ("predict", "--from l4", "measure the kernel on the source, with counters (`ncu --set full`)"),
    ] {
        let text = desk.types(&format!("{command} {asked} {from}")).works().stdout;
        assert!(text.contains(said), "{command} {from}: {text}");
    }
}

/// A slice that no interval was validated on is so whoever the source is.
#[test]
fn what_a_gpu_by_rule_is_made_of_is_said_without_a_source() {
    let desk = Desk::new();
    let slice = "--to a100-pcie-80gb:1g.10gb --kernel saxpy --size n=2^28";
    for command in ["predict", "predict --from h100-sxm5", "rank", "rank --from h100-sxm5"] {
        let row = desk.types(&format!("{command} {slice} --format json")).works().json().remove(0);
        let said = row["cautions"].to_string();
        assert_eq!(said.matches("MIG slice of a100-pcie-80gb").count(), 1, "{command}: {said}");
    }
    let shown = desk.types("gpus rtx-4070@1200MHz").works().stdout;
    assert!(
        !shown.lines().next().is_some_and(|title| title.contains("also:")),
        "it has no other name: {shown}"
    );
}

/// The kernel was measured, on other GPUs: only the kernel's time on this one is missing.
#[test]
fn times_of_other_gpus_are_measurements_of_the_kernel() {
    let desk = Desk::new();
    let alone = desk.types("predict --kernel saxpy --to rtx-3090 --explain").works().stdout;
    assert!(alone.contains("the longest limit; no measurement on this GPU"), "{alone}");
    let seen = desk.types("predict --kernel saxpy --from l4 --to rtx-3090 --explain").works().stdout;
    for said in [alone, seen] {
        assert!(said.contains("held-out errors on other kernels; "), "{said}");
        assert!(!said.contains("no measurement of "), "{said}");
    }
    let untimed = desk.types("predict --kernel torch_linear --size n=4096 --to l4 --explain").works().stdout;
    assert!(untimed.contains("wider because no measurement of the kernel"), "{untimed}");
}

/// What a dataset says of its rows holds for each of them that has a part in the time.
#[test]
fn what_a_dataset_says_of_its_rows_is_said_of_those_of_several_sources_too() {
    let zeros = "data: The index was all zero: every thread read one address.";
    for from in ["", "--from l4", "--from titan-v", "--from titan-v,rtx-4070"] {
        for command in ["predict", "rank"] {
            let asked = format!("{command} --kernel random_access --size n=1048576 --to rtx-3090 {from}");
            let said = Desk::new().types(&asked).works().stdout;
            assert_eq!(said.matches(zeros).count(), 1, "{asked}: {said}");
        }
    }
}

/// A launch overhead limits a short kernel on a source that nobody timed as on one that somebody did.
#[test]
fn launch_overhead_limits_an_untimed_source_too() {
    for from in ["l4", "titan-v"] {
        let asked = format!("--kernel saxpy --size n=32 --from {from} --to rtx-3090");
        let row = predicted(&asked).remove(0);
        assert_eq!([&row["bound_source"], &row["bound_target"]], ["launch", "launch"], "{row}");
        let said = Desk::new().types(&format!("predict {asked} --explain")).works().stdout;
        assert_eq!(said.matches(": bound by launch overhead").count(), 2, "{said}");
    }
    let long = predicted("--kernel saxpy --size n=2^28 --from l4 --to rtx-3090").remove(0);
    assert_eq!(long["bound_source"], "DRAM", "{long}");
}
