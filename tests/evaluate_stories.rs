//! `evaluate` and `reproduce` as a person or a script meets them.

mod desk;

use desk::Desk;
use serde_json::Value;

const KEYS: [&str; 12] = [
    "n",
    "mape_percent",
    "median_ape_percent",
    "median_ratio",
    "within_10_percent",
    "within_25_percent",
    "within_50_percent",
    "order_accuracy_percent",
    "coverage_90_percent",
    "width",
    "r2",
    "mae_ms",
];

/// 1 ms on a TITAN V, 2 ms on an RTX 4070, and a kernel that nobody counted.
const TIMES: &str = "gpu,kernel,problem,time_ms\n\
    titan-v,saxpy,n=1048576,1\nrtx-4070,saxpy,n=1048576,2\ntitan-v,mine,n=1,3\nrtx-4070,mine,n=1,3\n";

/// Paper 1's layout.
const RUNS: &str = "kernel,regs,shmem,mean_ms,std_ms,N,rows,cols,iters,block,grid_blocks,size_kind,FLOPs,BYTES,\
working_set_bytes,mem_pattern,gpu_device_name\n\
saxpy,12,0,0.04,0,1024,0,0,,256,4,N,2048,12288,12288,c,NVIDIA TITAN V\n\
saxpy,12,0,0.06,0,1024,0,0,,256,4,N,2048,12288,12288,c,NVIDIA GeForce RTX 4070\n";
const METRICS: &str = r#"[
    {"device_name": "NVIDIA TITAN V", "sustained_bandwidth_gbps": 300, "sustained_compute_gflops": 9000},
    {"device_name": "NVIDIA GeForce RTX 4070", "sustained_bandwidth_gbps": 200, "sustained_compute_gflops": 9000}]"#;

fn json(desk: &Desk, words: &str) -> Value {
    let outcome = desk.types(&format!("{words} --format json")).works();
    serde_json::from_str(&outcome.stdout).expect("JSON")
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

#[test]
fn the_shipped_figures_are_evaluated_where_no_file_is_given() {
    let all = json(&Desk::new(), "evaluate");
    assert_eq!(keys(&all), ["protocol", "ceilings", "rules", "models"]);
    assert_eq!((&all["protocol"], &all["ceilings"]), (&"new-gpu".into(), &"peak".into()));
    assert_eq!(keys(&all["models"]), ["ceilings", "same-time", "plain-roofline"]);
    let model = &all["models"]["same-time"];
    assert_eq!(keys(model), ["asked", "overall", "per_pair", "per_kernel", "refused"]);
    assert_eq!(keys(&model["overall"]), KEYS);
    assert_eq!(keys(&model["per_kernel"]["saxpy"]), KEYS);
    // Fourteen kernels on four GPUs: twelve ordered pairs each.
    assert_eq!((&model["asked"], &model["overall"]["n"]), (&168.into(), &168.into()));
    assert_eq!(keys(&model["per_pair"]).len(), 12);
    assert_eq!(model["overall"]["order_accuracy_percent"], 50);
    assert!(model["overall"]["coverage_90_percent"].is_number());
}

#[test]
fn a_file_of_ones_own_is_evaluated_alone_and_refusals_are_named() {
    let desk = Desk::new();
    desk.file("mine.csv", TIMES);
    let all = json(&desk, "evaluate --data mine.csv --model efficiency-transfer");
    let same = &all["models"]["same-time"]["overall"];
    // Half, twice, and twice exactly right.
    assert_eq!(
        (&same["n"], &same["mape_percent"], &same["median_ratio"]),
        (&4.into(), &37.5.into(), &1.into())
    );
    assert_eq!((&same["within_10_percent"], &same["within_50_percent"]), (&50.into(), &75.into()));
    assert_eq!((&same["mae_ms"], &same["coverage_90_percent"]), (&0.5.into(), &Value::Null));
    let transfer = &all["models"]["efficiency-transfer"];
    assert_eq!((&transfer["asked"], &transfer["overall"]["n"]), (&4.into(), &2.into()));
    assert_eq!(transfer["refused"][0]["reason"], "nobody counted flops");
    assert_eq!(transfer["refused"][0]["n"], 2);
    let text = desk.types("evaluate --data mine.csv --model efficiency-transfer").stdout;
    assert!(text.contains("2 refused: nobody counted flops (efficiency-transfer)"), "{text}");
    assert!(text.contains("efficiency-transfer, per kernel, worst first"), "{text}");
    let one = json(&desk, "evaluate --data mine.csv --target rtx-4070 --kernel saxpy");
    assert_eq!(one["models"]["same-time"]["overall"]["mape_percent"], 50);
    assert_eq!(keys(&one["models"]["same-time"]["per_pair"]), ["titan-v -> rtx-4070"]);
}

#[test]
fn csv_has_a_row_per_model_and_group_and_nothing_to_ask_is_said() {
    let desk = Desk::new();
    desk.file("mine.csv", TIMES);
    let csv = desk.types("evaluate --data mine.csv --model same-time --format csv").stdout;
    assert_eq!(csv.lines().next(), Some(format!("model,group,name,{}", KEYS.join(",")).as_str()));
    assert!(
        csv.contains("same-time,overall,,4,37.5,") && csv.contains("same-time,kernel,mine,2,0,"),
        "{csv}"
    );
    let text = desk.types("evaluate --data mine.csv --protocol new-size").stdout;
    assert!(text.contains("nothing to ask: no kernel was timed at two sizes"), "{text}");
    desk.file("one.csv", "gpu,kernel,problem,time_ms\ntitan-v,saxpy,n=1,1\n");
    let alone = desk.types("evaluate --data one.csv --format markdown");
    assert!(alone.code == 0 && alone.stdout.contains("nothing to ask: no configuration"), "{}", alone.stdout);
}

#[test]
fn the_scatter_is_drawn_with_its_diagonal() {
    let desk = Desk::new();
    let done = desk.types("evaluate --svg scatter.svg");
    assert!(done.code == 0 && done.stdout.contains("ceilings"), "{}", done.stderr);
    let svg = desk.read("scatter.svg");
    let tree = roxmltree::Document::parse(&svg).expect("XML");
    let points = tree.descendants().filter(|n| n.has_tag_name("circle")).count();
    assert!(points >= 168, "{points} points");
    for words in ["Predicted and measured times: ceilings", "predicted = measured", "0.9 to 1.1"] {
        assert!(svg.contains(words), "{words}");
    }
    assert_eq!(desk.types("evaluate --svg -").stdout, svg);
}

#[test]
fn what_was_typed_wrong_is_answered_before_anything_is_read() {
    let desk = Desk::new();
    for (words, says) in [
        ("evaluate --model best", "unknown model `best`"),
        ("evaluate --target rtx-9999", "unknown GPU `rtx-9999`"),
        ("evaluate --kernel nothing", "unknown kernel `nothing`"),
        ("evaluate --ceilings sustained", "no file of --data states any"),
        ("evaluate --protocol new-year", "possible values: new-gpu, new-size, new-kernel"),
        ("reproduce paper1", "--data"),
        ("reproduce paper1 --data .", "has no runs_*.csv"),
    ] {
        let outcome = desk.types(words);
        assert!(
            outcome.code == 2 && outcome.stderr.contains(says),
            "{words}: {} {}",
            outcome.code,
            outcome.stderr
        );
    }
}

#[test]
fn stated_ceilings_come_from_a_recognised_file_and_are_named() {
    let desk = Desk::new();
    desk.file("runs_a.csv", RUNS);
    desk.file("gpu_metrics.json", METRICS);
    let words = "evaluate --data runs_a.csv gpu_metrics.json --rules study --ceilings sustained --model efficiency-transfer";
    let all = json(&desk, words);
    // 0.06 x 200/300 = 0.04 exactly, and back.
    let transfer = &all["models"]["efficiency-transfer"]["overall"];
    assert_eq!(transfer["n"], 2);
    assert!(transfer["mape_percent"].as_f64().is_some_and(|v| v < 1e-9), "{transfer}");
    assert_eq!(all["ceilings"], "sustained");
    let bare = json(&desk, &format!("{words} --rows-only"));
    assert_eq!(bare["models"]["efficiency-transfer"]["overall"]["n"], 2);
    let said = desk.types(words).stderr;
    assert!(said.contains("gpu_metrics.json: sustained_bandwidth_gbps"), "{said}");
}

#[test]
fn a_folder_of_paper_1_gives_its_tables_beside_the_published_ones() {
    let desk = Desk::new();
    desk.file("runs_a.csv", RUNS);
    let without = desk.types("reproduce paper1 --data .");
    assert!(without.code == 1 && without.stderr.contains("give gpu_metrics.json too"), "{}", without.stderr);
    desk.file("gpu_metrics.json", METRICS);
    let done = desk.types("reproduce paper1 --data . --format csv");
    assert_eq!(done.code, 0, "{}", done.stderr);
    let first = "experiment,metric,ours,published,difference,agrees,same_time";
    assert_eq!(done.stdout.lines().next(), Some(first));
    assert!(done.stdout.contains(",pairs,1,"), "{}", done.stdout);
    assert!(done.stdout.contains(",86.62,") && done.stdout.contains(",871.52,"), "{}", done.stdout);
}
