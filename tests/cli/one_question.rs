//! One question has one answer, with one mark and the same notes, whatever form asks.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

use crate::app_stories::trace;
use crate::desk::Desk;
use serde_json::Value;

fn text(desk: &Desk, words: &str) -> String {
    desk.types(words).works().stdout
}

fn object(desk: &Desk, words: &str) -> Value {
    serde_json::from_str(&text(desk, &format!("{words} --format json"))).unwrap()
}

/// The field of the last row of a CSV.
fn csv_field(csv: &str, name: &str) -> String {
    let mut rows = csv::Reader::from_reader(csv.as_bytes());
    let at = rows.headers().unwrap().iter().position(|head| head == name).unwrap();
    rows.records().last().unwrap().unwrap()[at].to_string()
}

#[test]
fn a_measured_base_is_measured_in_every_form() {
    let desk = Desk::new();
    let saxpy = "--kernel saxpy --size 2^20";
    for words in [format!("predict --to rtx-4070 {saxpy}"), format!("rank --to rtx-4070 {saxpy}")] {
        assert_eq!(object(&desk, &words)[0]["time_kind"], "measured", "{words}");
        assert!(text(&desk, &words).contains("9.30 µs ●"), "{words}");
    }
    let base = format!("whatif --gpu rtx-4070 {saxpy}");
    let told = object(&desk, &base);
    assert_eq!([&told["time_kind"], &told["base_time_kind"]], ["measured"; 2], "{told}");
    assert!(text(&desk, &base).contains("RTX 4070: 9.30 µs ● (8.89–9.72 µs, 90 % interval)"));
    let changed = format!("{base} --set sm=+20%");
    let told = object(&desk, &changed);
    assert_eq!([&told["time_kind"], &told["base_time_kind"]], ["scaled", "measured"], "{told}");
    let table = text(&desk, &changed);
    assert!(table.contains("◆ (") && table.contains("than RTX 4070, 9.30 µs ●"), "{table}");
    let csv = text(&desk, &format!("{changed} --format csv"));
    assert_eq!(["time_kind", "base_time_kind"].map(|name| csv_field(&csv, name)), ["scaled", "measured"]);
    let other_launch = object(&desk, &format!("{base} --launch block=128"));
    assert_eq!(other_launch["time_kind"], "scaled", "{other_launch}");
    let several = text(&desk, "whatif --gpu rtx-4070 --kernel saxpy,dot_product --set mem=+20%");
    let marks: Vec<usize> =
        several.lines().skip(3).take(2).map(|row| row.matches(['●', '◆', '~']).count()).collect();
    assert!(several.contains("14.5 µs ●") && marks.iter().all(|marks| *marks >= 2), "{several}");
}

#[test]
fn an_application_on_its_own_gpu_is_measured_in_every_form() {
    let desk = Desk::new();
    desk.file("run.json", trace());
    let table = text(&desk, "whatif --app run.json --gpu h100-sxm5");
    assert!(table.starts_with("run.json · H100 SXM5 80 GB: 3.91 ms ●\n"), "no interval of no width: {table}");
    assert_eq!(object(&desk, "whatif --app run.json --gpu h100-sxm5")["time_kind"], "measured");
    assert_eq!(object(&desk, "app run.json --to h100-sxm5")["targets"][0]["time_kind"], "measured");
    assert_eq!(object(&desk, "rank --app run.json --to h100-sxm5")[0]["time_kind"], "measured");
    let app = text(&desk, "app run.json --to h100-sxm5,l40s");
    assert!(app.contains("3.91 ms ●") && app.contains(" ms ◆") && app.contains("● measured"), "{app}");
    let changed = object(&desk, "whatif --app run.json --gpu h100-sxm5 --set mem=-50%");
    assert_eq!([&changed["time_kind"], &changed["base_time_kind"]], ["scaled", "measured"]);
}

/// The notes of a target do not depend on the form, nor on the targets before it.
#[test]
fn an_application_has_one_list_of_notes() {
    let desk = Desk::new();
    let slow = trace().replace(r#""dur":10,"#, r#""dur":78,"#);
    let uncounted = trace().replace("\"Input Dims\"", "\"Dims\"");
    for run in [slow, uncounted] {
        desk.file("run.json", run);
        let of = |words: &str| {
            object(&desk, words)["targets"].as_array().unwrap().last().unwrap()["cautions"].clone()
        };
        let alone = of("app run.json --to l40s");
        assert_eq!(of("app run.json --to h100-sxm5,l40s"), alone);
        assert_eq!(object(&desk, "whatif --app run.json --gpu l40s")["cautions"], alone);
        assert_eq!(object(&desk, "rank --app run.json --to l40s")[0]["cautions"], alone);
        let notes = alone.as_array().unwrap();
        assert!(
            notes.iter().any(|note| note.to_string().contains("far below its roof")
                || note.to_string().contains("marked ~"))
        );
        for words in
            ["app run.json --to l40s", "whatif --app run.json --gpu l40s", "rank --app run.json --to l40s"]
        {
            let table = text(&desk, words);
            assert!(notes.iter().all(|note| table.contains(note.as_str().unwrap())), "{words}: {table}");
        }
    }
}

#[test]
fn every_reason_without_a_prediction_is_said_once() {
    let desk = Desk::new();
    let mut shared = [120_000, 150_000, 180_000].iter().cycle();
    let parts: Vec<String> = trace().split(r#""shared memory":0"#).map(str::to_string).collect();
    let joined = parts.iter().skip(1).fold(parts[0].clone(), |all, part| {
        format!("{all}\"shared memory\":{}{part}", shared.next().unwrap())
    });
    desk.file("run.json", joined.replace("\"Input Dims\"", "\"Dims\""));
    let said = object(&desk, "app run.json --to l40s")["targets"][0]["cautions"].to_string();
    assert_eq!(said.matches("cannot start there").count(), 1, "{said}");
    assert!(said.contains("120000 to 150000 bytes of shared memory per block, at most "), "{said}");
}

#[test]
fn a_page_has_the_notes_of_every_scenario() {
    let desk = Desk::new();
    let words = "whatif --gpu rtx-4070 --kernel saxpy --size 2^28 --set mem=+20% --set power=100W";
    let told = object(&desk, words);
    text(&desk, &format!("{words} --page page.md"));
    let page = desk.read("page.md");
    for (scenario, head) in told.as_array().unwrap().iter().zip(["1", "2"]) {
        for note in scenario["cautions"].as_array().unwrap().iter().map(|note| note.as_str().unwrap()) {
            let line = match (note.contains("hypothetical"), note.contains("power limit")) {
                (true, _) => "- ◇ hypothetical GPU: predicted, not measured".to_string(),
                (_, true) => format!("- {head}: {note}\n"),
                _ => format!("- {note}\n"),
            };
            assert!(page.contains(&line), "{line}{page}");
        }
    }
    assert!(page.contains("- 2: rtx-4070 (100 W"), "what the limit does: {page}");
}

#[test]
fn one_note_names_the_gpus_of_a_limit_or_a_clock() {
    let desk = Desk::new();
    let saxpy = "--kernel saxpy --size 2^28 --from titan-v";
    let gpus = "l40s,rtx-4070,h200,h100-sxm5,a10";
    for words in [
        format!("predict {saxpy} --to {gpus} --sm-clock 1200MHz"),
        format!("rank {saxpy} --to {gpus} --power-limit 140W"),
    ] {
        let table = text(&desk, &words);
        assert_eq!(table.matches("interval not validated").count(), 1, "{table}");
        assert!(table.matches("lowers the SM clock").count() <= 1, "{table}");
        let note = table.lines().find(|line| line.contains("interval not validated")).unwrap();
        // Under a limit that does nothing to the kernel a GPU is its board.
        let is_set = |gpu: &&str| words.starts_with("predict") || !["rtx-4070", "a10"].contains(gpu);
        assert!(gpus.split(',').filter(is_set).all(|gpu| note.contains(&format!("{gpu} ("))), "{note}");
    }
    let named = gpus.split(',').map(|gpu| format!("{gpu}@140W")).collect::<Vec<_>>().join(",");
    for words in [format!("rank {saxpy} --to {named}"), format!("rank {saxpy} --to {gpus} --set mem=+20%")] {
        let table = text(&desk, &words);
        assert_eq!(table.matches("interval not validated for it").count(), 1, "{table}");
    }
}

/// Clocks and a limit make one GPU, whether its name states them or flags do: the same ids, titles and notes everywhere.
#[test]
fn settings_by_name_and_by_flag_are_one_question() {
    let desk = Desk::new();
    desk.file("run.json", trace());
    for (name, flags) in [
        ("l40s@200W", ["l40s --power-limit 200W", "l40s --power-limit l40s=200W"]),
        ("l40s@1200MHz/200W", ["l40s --sm-clock 1200MHz --power-limit 200W", "l40s@200W --sm-clock 1200MHz"]),
        ("l40s", ["l40s@350W", "l40s --power-limit 350W"]),
    ] {
        for asked in [
            "predict --kernel saxpy --size 2^26 --from titan-v --to",
            "predict --kernel linear_bf16 --to",
            "rank --kernel saxpy --from titan-v --to",
            "rank --kernel matmul_tiled --to",
            "rank --app run.json --to",
            "app run.json --to",
            "whatif --kernel saxpy --set mem=+20% --gpu",
            "whatif --app run.json --set mem=+20% --gpu",
            "gemm --n 1024 --gpu",
            "gpus",
        ] {
            for format in ["table", "json", "csv"] {
                let ask = |gpu: &str| desk.types(&format!("{asked} {gpu} --format {format}")).works().stdout;
                let by_name = ask(name);
                for flags in flags {
                    assert_eq!(ask(flags), by_name, "{asked} {flags} {format}");
                }
            }
        }
    }
}

/// The base of a what-if is named with its settings where they are the source's as well.
#[test]
fn a_base_at_settings_is_named_with_them() {
    let desk = Desk::new();
    desk.file("run.json", trace());
    let words = "whatif --app run.json --from h100-sxm5 --gpu h100-sxm5 --power-limit h100-sxm5=300W --set mem=+20% --format";
    assert!(text(&desk, &format!("{words} json")).contains("\"base\": \"h100-sxm5@300W\""));
    assert!(text(&desk, &format!("{words} csv")).contains("\nh100-sxm5@300W,"));
}

#[test]
fn one_setting_of_a_name_has_one_value() {
    let desk = Desk::new();
    for (name, said) in [
        ("rtx-4090@200W@300W", "rtx-4090@200W@300W: the power limit is set twice; give it once"),
        ("rtx-4090@450W@300W", "the power limit is set twice"),
        ("rtx-4090@200W/300W", "the power limit is set twice"),
        ("rtx-4090@1200MHz@200W@1300MHz", "the SM clock is set twice"),
        ("rtx-4090@mem=5000MHz/mem=4000MHz", "the memory clock is set twice"),
    ] {
        desk.types(&format!("predict --kernel saxpy --from titan-v --to {name}")).ends(2, &[said]);
    }
}

#[test]
fn a_board_of_an_application_has_no_columns_without_values() {
    let desk = Desk::new();
    desk.file("run.json", trace());
    let board = text(&desk, "rank --app run.json --to l40s,h200");
    let head = board.lines().nth(2).unwrap();
    assert!(head.contains("speedup") && head.contains("notes"), "{board}");
    for column in ["limit", "occupancy", "power", "energy"] {
        assert!(!head.contains(column), "{board}");
    }
    assert!(!board.contains("* best"), "nothing is starred: {board}");
}

#[test]
fn an_operator_is_not_said_to_have_a_typical_efficiency() {
    let desk = Desk::new();
    let said = object(&desk, "predict --kernel linear_bf16 --from l40s --to h200")[0]["cautions"].to_string();
    assert!(
        said.contains("no measurement on the source GPU: modelled from the rates of the GPUs alone"),
        "{said}"
    );
    assert!(!said.contains("typical efficiency"), "{said}");
}

/// Rows of a board are at its clocks; what is made of the board has other ones, and no rows.
#[test]
fn rows_at_other_clocks_are_those_of_the_board() {
    let desk = Desk::new();
    desk.file("rows.csv", "gpu,kernel,problem,time_ms\nl40s,saxpy,n=1048576,0.0120\n");
    let words = "predict --data rows.csv --from titan-v --to l40s --kernel saxpy --size 2^24";
    let said = |settings: &str| object(&desk, &format!("{words} {settings}"))[0]["cautions"].to_string();
    let made = said("--set mem=+20%");
    assert!(made.contains("rows measured on the target") && !made.contains("other than those set"), "{made}");
    let tuned = said("--sm-clock 1200MHz");
    assert!(
        tuned.contains("clocks: 1 of 1 row on l40s was measured at clocks other than those set"),
        "{tuned}"
    );
}

/// A limit and a clock that are the board's own change nothing; under a lower one more SMs and lanes would draw more, so that they are not offered.
#[test]
fn a_board_at_its_own_limit_is_that_board_and_one_below_it_offers_no_more_sms() {
    let desk = Desk::new();
    let words = "predict --kernel linear_bf16 --size n=8192 --to rtx-4090";
    let [own, stock] = ["@450W", ""].map(|setting| object(&desk, &format!("{words}{setting}")));
    assert_eq!(own[0]["cautions"], stock[0]["cautions"]);
    assert_eq!(own[0]["time_ms"], stock[0]["time_ms"]);
    let explained = desk.types(&format!("{words}@150W --explain")).works().stdout;
    assert!(!explained.contains("more SM") && !explained.contains("more FLOPs"), "{explained}");
    assert!(!explained.contains("power limit × 1.00"), "{explained}");
    assert!(explained.contains("SM 2520 to "), "{explained}");
}
