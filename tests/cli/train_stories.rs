//! `metrics`, `train` and `models` as a person or a script meets them.

use crate::desk;

use desk::Desk;
use serde_json::Value;
use std::path::{Path, PathBuf};

const HEAD: &str = "gpu,kernel,problem,variant,dtype,block,grid,regs_per_thread,flops,dram_bytes,time_ms\n";

/// A kernel of one's own, at six sizes in six launch shapes on two GPUs; one thread per block is the slowest. The time falls
/// with the threads of a block up to a warp.
pub fn launches() -> String {
    let mut csv = HEAD.to_string();
    for (gpu, slower) in [("rtx-2080-ti", 1.0), ("titan-v", 1.5)] {
        for n in [1 << 14, 1 << 15, 1 << 16, 1 << 17, 1 << 18, 1 << 19] {
            for threads in [1, 8, 32, 64, 128, 256] {
                let ms =
                    slower * f64::from(n) * 1e-4 / f64::from(threads.min(32)) + 0.001 * f64::from(threads);
                let (grid, bytes) = (n / threads, 12 * n);
                csv += &format!("{gpu},mine,n={n},t={threads},fp32,{threads},{grid},32,{n},{bytes},{ms}\n");
            }
        }
    }
    csv
}

fn json(desk: &Desk, words: &str) -> Value {
    serde_json::from_str(&desk.types(words).works().stdout).expect("JSON")
}

fn models(desk: &Desk) -> Vec<PathBuf> {
    let files = std::fs::read_dir(desk.path("cache/models")).into_iter().flatten().flatten();
    files.map(|e| e.path()).collect()
}

#[test]
fn the_metrics_of_a_kernel_stand_in_both_forms_with_their_origin() {
    let desk = Desk::new();
    let rows = desk.types("metrics saxpy --gpu rtx-2080-ti --size n=2^20 --format json").works().json();
    assert_eq!(rows.len(), 9);
    let of = |name: &str| rows.iter().find(|r| r["metric"] == name).expect("a metric");
    // 4 blocks of 256 threads fill an SM of 1024: 4 x 68 of 4096 blocks. 2 FLOPs and 12 bytes an element.
    assert_eq!(of("max_percentage_of_blocks")["exact"], 6.640625);
    assert_eq!((&of("occupancy")["exact"], &of("occupancy")["paper_formula"]), (&1.into(), &1.into()));
    assert!((of("cgma")["exact"].as_f64().expect("a number") - 2.0 / 3.0).abs() < 1e-12);
    assert_eq!(of("shared_memory_utilization")["paper_formula"], 0);
    assert_eq!(of("global_memory_reduction_bytes")["exact_sense"], "assumed");
    let text = desk.types("metrics saxpy --gpu rtx-2080-ti").works().stdout;
    assert!(text.contains("~ rests on an assumption"), "{text}");
    desk.types("metrics saxpy").ends(2, &["no --gpu"]);
    desk.types("metrics nothing --gpu l4").ends(2, &["unknown kernel"]);
    desk.types("metrics torch_bmm --gpu l4").ends(2, &["block and grid unknown"]);
    desk.types("metrics").ends(2, &["required"]);
}

#[test]
fn measured_launches_have_their_metrics_and_what_is_unknown_is_named() {
    let desk = Desk::new();
    desk.file(
        "few.csv",
        "gpu,kernel,problem,block,grid,time_ms\nrtx-2080-ti,mine,n=1000,200,5,1\nrtx-2080-ti,mine,n=2000,,,1\n",
    );
    let rows = desk.types("metrics --data few.csv --format json").works().json();
    assert_eq!((rows.len(), &rows[0]["threads_per_block"]), (2, &200.into()));
    // 7 warps: 4 blocks, 28 of 32; nobody states registers, FLOPs or bytes.
    assert_eq!(rows[0]["occupancy"], 0.875);
    assert_eq!(rows[0]["unknown"], serde_json::json!(["cgma", "global_memory_reduction_bytes"]));
    let bounds = ["max_percentage_of_blocks", "occupancy", "branch_divergence_percent"];
    assert_eq!(rows[0]["bounds"], serde_json::json!(bounds));
    assert_eq!(rows[1]["unknown"], "block and grid unknown");
    let paper = desk.types("metrics --data few.csv --formulas paper --format json").works().json();
    // 1024 / 200 = 5.12 blocks of 7 warps; 1000 = 5 x 200: nobody is left over.
    let near = |value: &Value, by_hand: f64| (value.as_f64().expect("a number") - by_hand).abs() < 1e-12;
    assert!(near(&paper[0]["occupancy"], 1.12), "{}", paper[0]["occupancy"]);
    assert_eq!(paper[0]["branch_divergence_percent"], 0);
}

#[test]
fn a_forest_is_trained_kept_and_found_again() {
    let desk = Desk::new();
    desk.file("mine.csv", launches());
    let words = "train paper3 --data mine.csv --trials 3 --format json";
    let first = desk.types(words).works();
    assert!(first.stderr.contains("kept in "), "{}", first.stderr);
    let all: Value = serde_json::from_str(&first.stdout).expect("JSON");
    // 12 sizes and GPUs, of six launches each; one of them is the reference.
    assert_eq!((&all["rows"], &all["seed"]), (&60.into(), &1.into()));
    assert_eq!(all["gpus"], serde_json::json!(["titan-v", "rtx-2080-ti"]));
    let protocols: Vec<&str> =
        all["errors"].as_array().expect("a list").iter().filter_map(|e| e["held_out"].as_str()).collect();
    assert_eq!(protocols[0], "80:20 of the rows");
    assert!(protocols.contains(&"whole problems held out") && protocols.contains(&"whole GPUs held out"));
    assert!(!protocols.contains(&"whole kernels held out"), "there is one kernel only");
    let errors = |at: usize, key: &str| all["errors"][at][key].as_f64().expect("a number");
    assert_eq!(errors(0, "n"), 12.0);
    assert!(errors(0, "mape_percent") < errors(1, "mape_percent"), "better than the median alone: {all}");
    let importances = all["importances"].as_array().expect("a list");
    assert_eq!(importances.len(), 9);
    let sum: f64 = importances.iter().filter_map(|i| i["impurity"].as_f64()).sum();
    assert!((sum - 1.0).abs() < 1e-9, "{sum}");
    let again = desk.types(words).works();
    assert!(again.stderr.contains("from the cache: "), "{}", again.stderr);
    assert_eq!(again.stdout, first.stdout);
    let anew = desk.types(&format!("{words} --fresh")).works();
    assert!(anew.stderr.contains("kept in ") && anew.stdout == first.stdout, "{}", anew.stderr);
    assert_eq!(models(&desk).len(), 1);
}

#[test]
fn the_same_seed_gives_the_same_bytes_whatever_the_threads() {
    let bytes = |threads: &str| {
        let desk = Desk::new();
        desk.file("mine.csv", launches());
        let mut command = desk.command("train paper3 --data mine.csv --trials 3", &[]);
        let done = command.env("RAYON_NUM_THREADS", threads).output().expect("the program starts");
        assert!(done.status.success());
        (done.stdout, std::fs::read(&models(&desk)[0]).expect("a model file"))
    };
    let one = bytes("1");
    assert!(one == bytes("2"), "another number of threads, another model");
    let desk = Desk::new();
    desk.file("mine.csv", launches());
    let other = desk.types("train paper3 --data mine.csv --trials 3 --seed 2").works();
    assert_ne!(other.stdout.into_bytes(), one.0);
}

#[test]
fn damaged_foreign_and_stale_models_are_trained_again_with_one_line_that_says_so() {
    let desk = Desk::new();
    desk.file("mine.csv", launches());
    let words = "train paper3 --data mine.csv --trials 2";
    let sound = desk.types(words).works();
    let file = models(&desk).remove(0);
    let bytes = std::fs::read(&file).expect("a model file");
    let cut = bytes[..bytes.len() / 2].to_vec();
    let mut flipped = bytes.clone();
    *flipped.last_mut().expect("bytes") ^= 1;
    let version = format!("\"version\":\"{}\"", env!("CARGO_PKG_VERSION"));
    let header = String::from_utf8_lossy(&bytes).find(&version).expect("the header names its version");
    let mut older = bytes.clone();
    older[header + version.len() - 2] ^= 1;
    let harms: [(&str, Vec<u8>, &str); 5] = [
        ("cut", cut, "bytes of the model, not"),
        ("flipped", flipped, "damaged: checksum"),
        ("foreign", b"PK\x03\x04".to_vec(), "no model of this program"),
        ("empty", Vec::new(), "no model of this program"),
        ("older", older, "stale: its version"),
    ];
    for (name, harmed, said) in harms {
        std::fs::write(&file, harmed).expect("a harmed file");
        let listed = desk.types("models --data mine.csv --format json").works().json();
        let state =
            listed.iter().find(|r| r["model"] == "paper3").expect("the file is listed")["state"].clone();
        assert_eq!(state, if name == "older" { "stale" } else { "damaged" }, "{name}");
        let again = desk.types(words).works();
        assert!(
            again.stderr.contains("trained again: ") && again.stderr.contains(said),
            "{name}: {}",
            again.stderr
        );
        assert_eq!(again.stdout, sound.stdout, "{name}");
        assert_eq!(std::fs::read(&file).expect("a model file"), bytes, "{name}");
    }
    let other = desk.types("train paper3 --data mine.csv --trials 2 --seed 7").works();
    assert!(other.stderr.contains("trained again: ") && other.stderr.contains("stale"), "{}", other.stderr);
}

#[test]
fn a_cache_that_cannot_be_written_is_no_reason_to_fail() {
    let desk = Desk::new();
    desk.file("mine.csv", launches());
    desk.file("cache", "a file where the folder should be");
    let done = desk.types("train paper3 --data mine.csv --trials 2").works();
    assert!(done.stderr.contains("not kept: ") && done.stdout.contains("80:20"), "{}", done.stderr);
}

#[test]
fn what_cannot_be_trained_says_what_is_missing_and_what_to_do() {
    let desk = Desk::new();
    desk.file(
        "plain.csv",
        "gpu,kernel,problem,time_ms\ntitan-v,saxpy,n=1048576,1\nrtx-4070,saxpy,n=1048576,2\n",
    );
    desk.types("train paper3 --data plain.csv")
        .ends(1, &["0 launches have a reference", "give files by --data"]);
    desk.types("train paper3 --data plain.csv --reference one-thread").ends(1, &["--reference slowest"]);
    desk.types("train nothing --data plain.csv").ends(2, &["unknown model `nothing`", "paper3"]);
    desk.types("train paper3").ends(2, &["--data"]);
    desk.types("train paper3 --data absent.csv").ends(1, &["absent.csv"]);
    assert!(models(&desk).is_empty());
}

#[test]
fn where_nobody_measured_one_thread_the_slowest_launch_is_the_reference_and_that_is_said() {
    let desk = Desk::new();
    let without: Vec<String> =
        launches().lines().filter(|l| !l.contains(",t=1,")).map(|l| format!("{l}\n")).collect();
    desk.file("mine.csv", without.concat());
    let text = desk.types("train paper3 --data mine.csv --trials 2").works().stdout;
    assert!(text.contains("speedup over the slowest launch of the same kernel and problem"), "{text}");
    assert!(
        text.contains("0 references of one thread per block, 0 of one block, 12 of other shapes"),
        "{text}"
    );
    let one = desk.types("train paper3 --data mine.csv --trials 2 --reference one-thread");
    one.ends(1, &["60 without a reference"]);
}

#[test]
fn importances_are_drawn_and_leave_the_inputs_alone() {
    let desk = Desk::new();
    desk.file("mine.csv", launches());
    desk.types("train paper3 --data mine.csv --trials 2 --svg importances.svg").works();
    let svg = desk.read("importances.svg");
    assert!(svg.contains("Importances: paper3") && svg.contains("threads_per_block"), "{svg}");
    let piped = desk.types("train paper3 --data mine.csv --trials 2 --svg -").works();
    assert_eq!(piped.stdout, svg);
    desk.types("train paper3 --data mine.csv --svg mine.csv").ends(2, &["is an input"]);
}

#[test]
fn models_are_judged_on_questions_like_the_one_in_hand() {
    let desk = Desk::new();
    let all = json(&desk, "models --kernel saxpy --target rtx-4070 --format json");
    let rows = all.as_array().expect("a list");
    // Three sources onto the RTX 4070 are too few; saxpy onto all four GPUs is twelve.
    assert_eq!((&rows[0]["like"], &rows[0]["like_n"]), (&"saxpy onto all GPUs".into(), &12.into()));
    assert_eq!((&rows[0]["used"], &rows[1]["used"]), (&true.into(), &false.into()));
    let why = |at: usize| rows[at]["why"].as_str().expect("words");
    assert!(
        why(0).starts_with("the default: MAPE ") && why(1).contains("cases both cover"),
        "{} {}",
        why(0),
        why(1)
    );
    assert!(why(5).starts_with("worse than components: "), "{}", why(5));
    let told = desk.types("models --kernel saxpy --to rtx-4070").works().stdout;
    let reason = "like this question: saxpy onto all GPUs (saxpy onto rtx-4070 has 3 cases, 9 needed)";
    assert!(told.lines().next().is_some_and(|title| title.ends_with(reason)), "{told}");
    let one =
        desk.file("one.csv", "gpu,kernel,problem,flops,dram_bytes,time_ms\nrtx-3090,mine,n=1,1e9,1e6,0.2\n");
    let told = desk.types_with("models --data", &[&one]).works().stdout;
    assert!(told.lines().next().is_some_and(|title| title.ends_with("; 1 row of yours")), "{told}");
    let atomics = json(&desk, "models --kernel atomic_hotspot --format json");
    let why_not = atomics[5]["why"].as_str().expect("words");
    assert!(why_not.starts_with("not applicable: "), "{why_not}");
    let other = json(&desk, "models --kernel saxpy --model same-time --format json");
    assert!(other[6]["why"].as_str().expect("words").starts_with("chosen: "));
    assert!(other[0]["why"].as_str().expect("words").contains("better than same-time"));
    let size = desk.types("models --protocol new-size").works().stdout;
    assert!(size.contains("new size: ") && size.contains("learned models"), "{size}");
    desk.types("models --kernel nothing").ends(2, &["unknown kernel"]);
    desk.types("models --model nothing").ends(2, &["unknown model"]);
}

#[test]
fn a_trained_model_is_listed_as_fresh_for_its_own_rows_only() {
    let desk = Desk::new();
    desk.file("mine.csv", launches());
    let state = |words: &str| {
        let rows = desk.types(&format!("{words} --format json")).works().json();
        rows.iter().find(|r| r["model"] == "paper3").expect("paper3 is listed").clone()
    };
    assert_eq!(state("models")["state"], "not trained");
    desk.types("train paper3 --data mine.csv").works();
    let fresh = state("models --data mine.csv");
    assert_eq!(
        (&fresh["state"], &fresh["rows"], &fresh["kind"]),
        (&"fresh".into(), &60.into(), &"learned".into())
    );
    assert_eq!(state("models")["state"], "other data");
    assert_eq!(state("models --data mine.csv --seed 2")["state"], "stale");
}

/// The tiled GEMM that paper 4 timed at five tiles, of which tile 1 is one thread per block.
#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared, other people's measurements")]
fn speed_ups_over_one_thread_blocks_of_real_measurements() {
    let file =
        Path::new(env!("ROOFSWAP_CHECKOUT")).join("../shared/data/gpperf/tiled_matmul_rtx4070.canonical.csv");
    if !file.exists() {
        eprintln!("skipped: {} is not there", file.display());
        return;
    }
    let desk = Desk::new();
    let done = desk.types_with("train paper3 --trials 2 --format json --data", &[&file]).works();
    let all: Value = serde_json::from_str(&done.stdout).expect("JSON");
    assert_eq!(all["rows"], 48);
    let notes = all["notes"].to_string();
    assert!(notes.contains("12 references of one thread per block, 0 of one block"), "{notes}");
    assert!(notes.contains("81 without a reference, 12 used as the reference"), "{notes}");
}

/// Two kernels at five sizes that fit no L2 on four GPUs, each at 80 % of the DRAM bandwidth and 5 µs for a launch.
fn times_on_four_gpus() -> String {
    let mut text = String::from("gpu,kernel,problem,time_ms,block,grid,flops,dram_bytes\n");
    for (gpu, bandwidth) in
        [("titan-v", 652.8e9), ("rtx-2080-ti", 616e9), ("rtx-4070", 504.2e9), ("rtx-3090", 936e9)]
    {
        for (kernel, bytes) in [("reads", 8.0), ("writes_too", 16.0)] {
            for n in [1 << 24, 1 << 25, 1 << 26, 1 << 27, 1 << 28] {
                let bytes = bytes * f64::from(n);
                let ms = 5e-3 + 1e3 * bytes / (0.8 * bandwidth);
                text += &format!("{gpu},{kernel},n={n},{ms},256,{},{n},{bytes}\n", n / 256);
            }
        }
    }
    text
}

#[test]
fn a_regressor_of_paper_1_is_trained_to_compare_with_and_never_used() {
    let desk = Desk::new();
    desk.file("mine.csv", times_on_four_gpus());
    for (model, permutation) in [("forest", true), ("boosting", true), ("svr", true), ("lasso", true)] {
        let words = format!("train {model} --data mine.csv --format json");
        let told: Value = serde_json::from_str(&desk.types(&words).works().stdout).expect("JSON");
        assert_eq!((&told["rows"], &told["used"]), (&120.into(), &false.into()), "{model}");
        let held_out: Vec<(&str, f64)> = told["errors"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|e| (e["held_out"].as_str().expect("words"), e["mape_percent"].as_f64().expect("a number")))
            .collect();
        let [gpus, _, default, kernels, sizes] = held_out[..] else { panic!("{held_out:?}") };
        assert_eq!(gpus.0, "GPUs left out");
        assert!(default.0.contains("`components` on the same pairs") && default.1 < gpus.1, "{held_out:?}");
        assert!(kernels.0.starts_with("kernels left out") && sizes.0 == "largest sizes left out");
        let dealt = told["importances"].as_array().expect("a list").iter();
        assert_eq!(dealt.clone().all(|i| i["permutation"].is_f64()), permutation, "{model}");
    }
    let kept = |name: &str| models(&desk).iter().any(|f| f.to_string_lossy().contains(name));
    assert!(kept("forest-") && kept("lasso-"), "{:?}", models(&desk));
    let listed = desk.types("models --data mine.csv --format json").works().json();
    let state =
        |model: &str| listed.iter().find(|r| r["model"] == model).expect("it is listed")["state"].clone();
    assert_eq!((state("forest"), state("ridge")), ("fresh".into(), "not trained".into()));
    let people = desk.types("models --data mine.csv").works().stdout;
    assert!(people.contains("linear, ridge, nearest  not trained"), "{people}");
    let again = desk.types("train forest --data mine.csv").works();
    assert!(again.stderr.contains("from the cache: "), "{}", again.stderr);
    // Seven ways to be wrong are no model of `predict`.
    desk.types(
        "predict --from titan-v --to rtx-4070 --kernel reads --size n=1048576 --data mine.csv --model forest",
    )
    .ends(2, &["unknown model `forest`"]);
}

#[test]
fn a_regressor_stands_beside_the_models_in_an_evaluation() {
    let desk = Desk::new();
    desk.file("mine.csv", times_on_four_gpus());
    let words = "evaluate --data mine.csv --model components,nearest,linear --format json";
    let told: Value = serde_json::from_str(&desk.types(words).works().stdout).expect("JSON");
    let of = |model: &str, key: &str| told["models"][model]["overall"][key].as_f64().expect("a number");
    assert_eq!((of("components", "n"), of("nearest", "n")), (120.0, 120.0));
    assert!(of("components", "mape_percent") < of("nearest", "mape_percent"), "{told}");
    assert!(of("nearest", "coverage_90_percent") > 0.0, "{told}");
    // A linear model may say that a launch takes less than no time: counted, not scored.
    let linear = &told["models"]["linear"];
    let refused: u64 =
        linear["refused"].as_array().expect("a list").iter().filter_map(|r| r["n"].as_u64()).sum();
    assert_eq!(of("linear", "n") + refused as f64, 120.0, "{linear}");
    let onto = desk.types("evaluate --data mine.csv --model nearest --to rtx-4070").works().stdout;
    let line = onto.lines().find(|l| l.starts_with("nearest")).expect("a line of the table");
    assert_eq!(line.split_whitespace().take(3).collect::<Vec<_>>(), ["nearest", "30", "30"]);
    desk.types("evaluate --data mine.csv --model nearest --protocol new-size")
        .ends(2, &["--protocol new-gpu"]);
    desk.types("evaluate --data mine.csv --model nearest --known-rows 2").ends(2, &["--known-rows"]);
    let two: String = times_on_four_gpus()
        .lines()
        .filter(|l| !l.starts_with("rtx"))
        .fold(String::new(), |text, l| text + l + "\n");
    desk.file("one.csv", two);
    desk.types("train svr --data one.csv").ends(1, &["svr: 0 pairs of 0 GPUs", "on 3 GPUs or more"]);
}

#[test]
fn importances_say_only_what_was_measured_of_them() {
    let desk = Desk::new();
    desk.file("mine.csv", times_on_four_gpus());
    let told = desk.types("train hybrid --data mine.csv").works().stdout;
    assert!(!told.contains("rise in  when"), "{told}");
    // The first error of a model is its own, here and in the list of models.
    let own = told.find("with the residual").unwrap();
    assert!(own < told.find("`components` alone").unwrap(), "{told}");
    let svr = desk.types("train svr --data mine.csv").works().stdout;
    assert!(svr.contains("permutation: rise in points of MAPE") && !svr.contains("impurity"), "{svr}");
}
