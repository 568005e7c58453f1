//! Stories of the papers: paper 3's metrics and forest on its own kernels, paper 4's tiled kernel, the page of all numbers.

#![allow(clippy::unwrap_used, clippy::print_stdout)] // helpers of tests are tests

use crate::desk::Desk;
use crate::skipping::skip_aloud;
use roofswap::gemm::learned::LearnedGemm;
use roofswap::gemm::tiles::{From, Tile};
use roofswap::gemm::{Gemm, answer_tiles};
use roofswap::import::read_any;
use roofswap::measurement::TimingKind;
use roofswap::session::Session;
use serde_json::Value;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn data(file: &str) -> Option<PathBuf> {
    let path = Path::new(env!("ROOFSWAP_CHECKOUT")).join("../shared/data").join(file);
    if path.exists() {
        return Some(path);
    }
    skip_aloud(&format!("{} is not here", path.display()));
    None
}

fn records(desk: &Desk, words: &str) -> Vec<Value> {
    serde_json::from_str(&desk.types(words).works().stdout).expect("a list")
}

/// A metric's number in both forms.
fn metric(rows: &[Value], name: &str) -> [Option<f64>; 2] {
    let row = rows.iter().find(|r| r["metric"] == name).unwrap_or_else(|| panic!("{name}: {rows:?}"));
    [row["exact"].as_f64(), row["paper_formula"].as_f64()]
}

/// By hand, from paper 3's formulas: the launch's keys are no part of the problem's size.
#[test]
fn launch_keys_of_paper_3s_kernels_are_no_problem_size() {
    let desk = Desk::new();
    let of = |words: &str| records(&desk, &format!("metrics {words} --gpu rtx-2080-ti --format json"));
    let add = of("elementwise_add --size n=1000000,t=200");
    assert_eq!(metric(&add, "problem_size"), [Some(1e6); 2]);
    assert_eq!(metric(&add, "blocks"), [Some(5000.0); 2]);
    // 5000 blocks of 200 threads are 10^6 threads: all run one iteration.
    assert_eq!(metric(&add, "branch_divergence_percent")[1], Some(0.0));
    let softmax = of("softmax");
    assert_eq!(metric(&softmax, "problem_size"), [Some(1024.0 * 1024.0); 2]);
    assert_eq!(metric(&softmax, "shared_memory_utilization")[1], Some(1.0));
    let search = of("binary_search --size n=2^20");
    assert_eq!(metric(&search, "problem_size"), [Some(f64::from(1 << 20)); 2]);
    assert_eq!(metric(&search, "shared_memory_utilization")[1], Some(0.0625));
    // Landmarks are more work for a point, not more points.
    assert_eq!(metric(&of("max_distance --size n=4096"), "problem_size"), [Some(4096.0); 2]);
    let counted = of("count_numbers_shared --size n=1000000");
    assert_eq!(metric(&counted, "shared_memory_utilization")[1], Some(1024.0 * 3907.0 / 1e6));
}

/// Times of three of paper 3's kernels at five sizes and ten block sizes, made up: a time for each warp, and 32 lanes' work in
/// one where a block has one thread.
fn made_up_rows() -> String {
    let mut text = String::from("gpu,kernel,problem,dtype,time_ms\n");
    for (k, kernel) in ["elementwise_add", "sigmoid", "array_reversal"].into_iter().enumerate() {
        for n in [10_000_u32, 100_000, 1_000_000, 5_000_000, 10_000_000] {
            for t in [1_u32, 32, 64, 128, 200, 256, 384, 512, 768, 1024] {
                let warps = f64::from(n.div_ceil(t) * t.div_ceil(32));
                let ms = 0.003 + warps * (2e-7 + 1e-8 * k as f64);
                writeln!(text, "rtx-2080-ti,{kernel},n={n};t={t},fp32,{ms:.6}").unwrap();
            }
        }
    }
    text
}

#[test]
fn the_forest_trains_on_paper_3s_kernels_and_says_the_speed_up_of_a_launch() {
    let desk = Desk::new();
    desk.file("mine.csv", made_up_rows());
    let text = desk.types("train paper3 --data mine.csv --trials 2").works().stdout;
    assert!(text.contains("15 references of one thread per block, 0 of one block"), "{text}");
    assert!(text.contains("left out: 15 used as the reference"), "{text}");
    let asked = "metrics elementwise_add --gpu rtx-2080-ti --size n=2000000,t=256 --data mine.csv --speedup";
    let rows = records(&desk, &format!("{asked} --format json"));
    let [value, low, high] =
        ["speed_up", "speed_up_low", "speed_up_high"].map(|name| metric(&rows, name)[0].unwrap());
    assert!(low < value && value < high, "{low} {value} {high}");
    // 32 lanes for one: no launch is faster by more than 32 times the work of a warp and its share of the start.
    assert!(value > 5.0 && value < 40.0, "{value}");
    let text = desk.types(asked).works().stdout;
    assert!(text.contains("speedup over the slowest launch with one thread per block"), "{text}");
    let beyond = asked.replace("n=2000000", "n=2^30").replace("rtx-2080-ti", "titan-v");
    let text = desk.types(&beyond).works().stdout;
    assert!(text.contains("titan-v: no row of this GPU was trained on"), "{text}");
    assert!(text.contains("does not reach there: problem_size"), "{text}");
    desk.types("metrics elementwise_add --gpu titan-v --speedup").ends(2, &["--data"]);
}

/// A profiler's report states grid and block and no size: launches of as many threads are one problem.
#[test]
fn a_report_without_a_size_has_the_threads_of_its_grid() {
    let desk = Desk::new();
    let mut text = String::from("gpu,kernel,problem,block,grid,time_ms\n");
    for (grid, block, ms) in [(1024, 64, 2.0), (512, 128, 1.0), (256, 256, 0.5)] {
        writeln!(text, "rtx-2080-ti,mine,grid={grid};block={block},{block},{grid},{ms}").unwrap();
    }
    desk.file("ncu.csv", text);
    let rows = records(&desk, "metrics --data ncu.csv --format json");
    assert!(rows.iter().all(|r| r["problem_size"] == 65536.0), "{rows:?}");
    let refused = desk.types("train paper3 --data ncu.csv --reference slowest").ends(1, &["2 launches have"]);
    assert!(refused.stderr.contains("1 used as the reference"), "{}", refused.stderr);
}

const TILED: &str = "gpu,kernel,problem,variant,block,grid,time_ms,power_w,gpu_util_pct\n\
    rtx-4070,tiled_matmul,m=1024;n=1024;k=1024,tile=8;timing=single_cold_launch,8x8,128x128,34.9,,\n\
    rtx-4070,gemm_tiled,m=1024;n=1024;k=1024;tile=16,,16x16,64x64,2.5,140,99\n";

#[test]
fn a_tile_in_the_variant_belongs_to_the_tiled_kernels_problem() {
    let desk = Desk::new();
    let file = desk.file("gt.csv", TILED);
    let session = Session::load(None).unwrap();
    let mut kernels = session.kernels.clone();
    let read = read_any(&file, TimingKind::Measured, session.stock_gpus(), &mut kernels).unwrap().read;
    let said: Vec<(String, String, String)> = read
        .rows
        .iter()
        .map(|r| (kernels[r.kernel].id.clone(), r.problem.to_string(), r.variant().to_string()))
        .collect();
    let row = |tile: u32, variant: &str| {
        ("gemm_tiled".to_string(), format!("m=1024;n=1024;k=1024;tile={tile}"), variant.to_string())
    };
    assert_eq!(said, [row(8, "timing=single_cold_launch"), row(16, "")]);
}

#[test]
fn a_measured_tile_is_the_answer_of_the_command_and_of_the_dashboard() {
    let desk = Desk::new();
    let file = desk.file("gt.csv", TILED);
    let rows = records(&desk, "gemm --gpu rtx-4070 --n 1024 --data gt.csv --format json");
    let row = rows.iter().find(|r| r["tile"] == "16x16").unwrap();
    assert_eq!((row["time_ms"].as_f64(), row["power_w"].as_f64()), (Some(2.5), Some(140.0)));
    assert_eq!((&row["time_from"], &row["power_from"]), (&"measured".into(), &"measured".into()));
    let cold = rows.iter().find(|r| r["tile"] == "8x8").unwrap();
    assert_eq!(cold["time_from"], "modelled", "a cold launch is another measurement");
    // The dashboard has the rows in its session and learns nothing else from them.
    let mut session = Session::load(None).unwrap();
    session.add_data(&file).unwrap();
    let gpu = session.gpus.position("rtx-4070").unwrap();
    let gemm = Gemm { size: [1024; 3], ..Gemm::default() };
    let answers = answer_tiles(&session, &gemm, gpu, &[Tile::Side(16)], &LearnedGemm::default()).unwrap();
    let time = answers[0].time.as_ref().unwrap();
    assert_eq!((time.value.millis(), time.from), (2.5, From::Measured));
    assert_eq!(answers[0].power.unwrap().value.0, 140.0);
}

#[test]
fn what_is_missing_for_the_page_is_said() {
    let desk = Desk::new();
    let mut text = String::from("M,N,K,Tile Size,Average Power Usage (W)\n");
    for i in 0..20 {
        writeln!(text, "{},{},{},{},{}", i, i * i % 7, i * 3 % 5, 1 + i % 4, 30 + i).unwrap();
    }
    std::fs::create_dir(desk.path("files")).unwrap();
    std::fs::write(desk.path("files/power_usage_results_all.csv"), text).unwrap();
    let page = desk.types("reproduce all --data files").works().stdout;
    assert!(page.contains("50 of 58 agree") && page.contains("-0.769036"), "{page}");
    assert!(
        page.contains("paper 1, Table 6: runs_*_final.csv with gpu_metrics.json was not found"),
        "{page}"
    );
    std::fs::create_dir(desk.path("empty")).unwrap();
    desk.types("reproduce all --data empty").ends(2, &["nothing can be reproduced"]);
}

/// Paper 4's own two files: its Tables II and III to the last digit.
#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared, other people's measurements")]
fn paper_4s_regressions_come_out_to_the_digit() {
    let files = ["gpperf/execution_times_all.csv", "gpperf/power_usage_results_all.csv"];
    let Some(files) = files.into_iter().map(data).collect::<Option<Vec<_>>>() else { return };
    let desk = Desk::new();
    let paths: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
    let done = desk.types_with("reproduce paper4 --format json --data", &paths).works();
    let rows: Vec<Value> = serde_json::from_str(&done.stdout).unwrap();
    let tables = || rows.iter().filter(|r| r["table"] != "conclusion");
    assert_eq!(tables().count(), 10);
    for row in tables() {
        let [ours, published] = ["ours", "published"].map(|key| row[key].as_f64().unwrap());
        let digits = if row["metric"] == "R2" { 1e4 } else { 1e6 };
        assert_eq!((ours * digits).round(), (published * digits).round(), "{row}");
    }
}

/// The tiled kernel's two files in the authors' form, with numbers of our own: 16x16 is twice as fast as 8x8, 32x32 draws a fifth
/// less than 1x1.
fn made_up_tiled(desk: &Desk) {
    let mut times = String::from("M,N,K,Tile Size,Execution Time\n");
    let mut powers = String::from("M,N,K,Tile Size,Average Power Usage (W)\n");
    for (m, n, k) in [(8192, 8192, 1024), (8192, 16384, 1024), (16384, 8192, 8192), (512, 512, 512)] {
        let adds = f64::from(m) * f64::from(n) * f64::from(k);
        for (tile, slower, watts) in
            [(1, 200.0, 100), (4, 6.0, 110), (8, 2.0, 95), (16, 1.0, 88), (32, 1.1, 80)]
        {
            writeln!(times, "{m},{n},{k},{tile},{}", adds * slower / 8e8).unwrap();
            writeln!(powers, "{m},{n},{k},{tile},{watts}").unwrap();
        }
    }
    desk.file("execution_times_all.csv", times);
    desk.file("power_usage_results_all.csv", powers);
}

#[test]
fn paper_4s_conclusions_and_figures_are_those_of_its_rows() {
    let desk = Desk::new();
    made_up_tiled(&desk);
    let words = "reproduce paper4 --data execution_times_all.csv power_usage_results_all.csv";
    let rows = records(&desk, &format!("{words} --svg figures --format json"));
    let of = |model: &str| rows.iter().filter(|r| r["model"] == model).collect::<Vec<_>>();
    let (its, gemm) = (of("its rows"), of("gemm"));
    let ours = |i: usize| its[i]["ours"].as_f64().unwrap();
    assert!((ours(0) - 2.0).abs() < 1e-9 && (ours(1) - 100.0).abs() < 1e-9, "{its:?}");
    assert!((ours(3) + 20.0).abs() < 1e-9, "{its:?}");
    assert!(gemm.iter().all(|r| r["ours"].is_number()), "what is modelled stands beside: {gemm:?}");
    for number in [2, 3, 4, 5] {
        let svg = desk.read(&format!("figures/paper4-figure{number}.svg"));
        assert!(svg.contains(&format!("Paper 4, figure {number}")), "{number}");
    }
    desk.types(&format!("{words} --svg one.svg")).ends(2, &["--svg FILE is of the CUTLASS runs"]);
    desk.types(&format!("{words} --view correlations")).ends(2, &["--view is of the CUTLASS runs"]);
    let page = desk.types("reproduce all --data . --svg figures").works();
    assert!(
        page.stdout.contains("blocks per SM, tile 32x32") && page.stderr.contains("4 figures are in figures")
    );
    desk.types("reproduce all --data . --svg one.svg").ends(2, &["has several figures; give a folder"]);
}

#[test]
fn the_speed_up_of_a_launch_is_predicted_and_its_tree_is_drawn() {
    let desk = Desk::new();
    desk.file("mine.csv", made_up_rows());
    let trained = desk.types("train paper3 --data mine.csv --trials 2 --tree tree.svg").works();
    assert!(trained.stdout.contains("held out"), "{}", trained.stdout);
    let tree = desk.read("tree.svg");
    assert!(tree.contains("split 1") && tree.contains("≤") && tree.contains("appendix A"), "{tree}");
    let words = "predict --model paper3 --kernel elementwise_add --to rtx-2080-ti --data mine.csv";
    let row = records(&desk, &format!("{words} --size n=1000000,t=256 --format json")).remove(0);
    let [value, low, high] =
        ["speed_up", "speed_up_low", "speed_up_high"].map(|key| row[key].as_f64().unwrap());
    assert!(low < value && value < high, "{row}");
    // The reference of this size was timed: its time over the speedup is the launch's own.
    let [reference, time] = ["reference_ms", "time_ms"].map(|key| row[key].as_f64().unwrap());
    assert!((reference - 0.203).abs() < 1e-6 && (time - reference / value).abs() < 1e-9, "{row}");
    let unknown = records(&desk, &format!("{words} --size n=2000000,t=256 --format json")).remove(0);
    assert!(unknown["reference_ms"].is_null() && unknown["time_ms"].is_null(), "{unknown}");
    for (words, said) in [
        ("predict --model paper3 --kernel sigmoid --to rtx-2080-ti", "with --data"),
        ("predict --model paper3,components --kernel sigmoid --to titan-v --data mine.csv", "name it alone"),
        ("predict --model paper3 --to titan-v --data mine.csv", "name one kernel"),
    ] {
        desk.types(words).ends(2, &[said]);
    }
    desk.types("train hybrid --data mine.csv --tree x.svg").ends(2, &["--tree are options of paper3"]);
}

#[test]
fn paper_5s_loop_is_typed_and_its_launch_range_said() {
    let desk = Desk::new();
    let words = "predict --model first-principles --from rtx-4070 --to rtx-4070 --iterations 1000";
    let row = records(&desk, &format!("{words} --threads 256 --grid 4096 --format json")).remove(0);
    // ceil(1000 / 256) x 256 x 4096 iterations of 8 bytes at 504 GB/s, and 5 µs.
    let expected = 4.0 * 256.0 * 4096.0 * 8.0 / 504e9 * 1e3 + 0.005;
    let time = row["time_ms"].as_f64().unwrap();
    assert!((time / expected - 1.0).abs() < 1e-6, "{time} {expected}");
    assert!(row.to_string().contains("a launch costs 4 to 6 µs (paper 5)"), "{row}");
    assert!(row.to_string().contains("measured on rtx-4070 (8.67 µs): "), "{row}");
    desk.types(words).ends(2, &["give --threads and --grid as well"]);
}

#[test]
fn paper_2s_rates_are_laid_by_the_name_of_their_set() {
    let desk = Desk::new();
    desk.file(
        "profile.csv",
        "gpu,kernel,problem,dtype,flops,dram_bytes,l2_bytes,l1_bytes,smem_wavefronts,active_threads_per_inst,\
         fp64_fma,fp64_add,fp64_mul,time_ms\n\
         v100-pcie-32gb,profiled,n=1,fp64,1e9,8e9,9e9,1e10,0,32,4e8,1e8,1e8,20\n",
    );
    let asked =
        "predict --data profile.csv --kernel profiled --to h100-pcie --model projection --ceilings achieved";
    let time =
        |words: &str| records(&desk, &format!("{words} --format json"))[0]["time_ms"].as_f64().unwrap();
    let [shipped, laid] =
        [asked.to_string(), format!("{asked} --roofs euro-par-2024")].map(|words| time(&words));
    assert!((laid / shipped - 1.0).abs() > 0.01, "other rates give another time: {shipped} {laid}");
    desk.types(&format!("{asked} --roofs nobody"))
        .ends(2, &["--roofs nobody: no such set of measured rates; there is euro-par-2024"]);
}

#[test]
fn paper_4s_forest_says_time_power_and_energy_of_a_product_from_ones_own_rows() {
    let desk = Desk::new();
    let mut text = String::from("gpu,kernel,problem,time_ms,power_w,flops,dram_bytes\n");
    for repeat in 0..3 {
        for side in (256..=4096).step_by(256) {
            let n = f64::from(side);
            // 20 TFLOP/s, and 60 W that rise to 180 W with the side.
            let (flops, ms) = (2.0 * n.powi(3), 2e3 * n.powi(3) / 20e12 + 0.01 + 1e-4 * f64::from(repeat));
            let watts = 60.0 + 120.0 * n / 4096.0;
            writeln!(
                text,
                "rtx-4070,cutlass_simt_sgemm_128x128_8x2,m={side};n={side};k={side},{ms},{watts},{flops},{}",
                12.0 * n * n
            )
            .unwrap();
        }
    }
    desk.file("mine.csv", text);
    let words = "gemm --gpu rtx-4070 --n 2048 --model paper4 --data mine.csv";
    let rows = records(&desk, &format!("{words} --format json"));
    let of = |number: &str| {
        let row = rows.iter().find(|r| r["number"].as_str().is_some_and(|n| n.contains(number)));
        row.unwrap_or_else(|| panic!("{number}: {rows:?}"))["predicted"].as_f64().expect("a number")
    };
    let within =
        |value: f64, by_hand: f64| assert!((value / by_hand - 1.0).abs() < 0.3, "{value} for {by_hand}");
    within(of("time"), 2e3 * 2048f64.powi(3) / 20e12 + 0.01);
    within(of("power"), 120.0);
    assert_eq!(rows.len(), 4, "{rows:?}");
    let told = desk.types(words).works().stdout;
    assert!(told.contains("by paper 4's forest") && told.contains("held out"), "{told}");
    let beyond = desk.types("gemm --gpu rtx-4070 --n 16384 --model paper4 --data mine.csv").works().stdout;
    assert!(beyond.contains("outside the range trained on"), "{beyond}");
    desk.types("gemm --gpu rtx-4070 --n 2048 --model paper4").ends(2, &["--data"]);
    desk.types(&format!("{words} --tile 16")).ends(2, &["--tile"]);
    desk.types("gemm --gpu titan-v --n 2048 --model paper4 --data mine.csv").ends(1, &["0 rows"]);
}
