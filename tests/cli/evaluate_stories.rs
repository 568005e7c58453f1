//! `evaluate` and `reproduce` as a person or a script meets them.

use crate::desk;

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
    assert_eq!(keys(&all["models"]), ["components", "same-time", "plain-roofline"]);
    let model = &all["models"]["same-time"];
    let sections = ["asked", "overall", "common", "per_pair", "per_kernel", "per_kind", "ranking", "refused"];
    assert_eq!(keys(model), sections);
    let ranking = &all["models"]["components"]["ranking"];
    assert!(
        ranking["bandwidth_order_percent"].as_f64().is_some_and(|p| (0.0..=100.0).contains(&p)),
        "{ranking}"
    );
    let kinds = keys(&model["per_kind"]);
    for kind in ["onto ada", "kernels: memory", "known: all counts"] {
        assert!(kinds.contains(&kind), "{kinds:?}");
    }
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
    assert_eq!(transfer["refused"][0]["reason"], "not counted: flops");
    assert_eq!(transfer["refused"][0]["n"], 2);
    let text = desk.types("evaluate --data mine.csv --model efficiency-transfer").stdout;
    assert!(text.contains("2 not applicable: not counted: flops (efficiency-transfer)"), "{text}");
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
    let none = desk.types("evaluate --data mine.csv --protocol new-size");
    assert!(none.stderr.contains("no case: no kernel was measured at two sizes"), "{}", none.stderr);
    assert!(none.stdout.is_empty(), "no table without a case: {}", none.stdout);
    desk.file("one.csv", "gpu,kernel,problem,time_ms\ntitan-v,saxpy,n=1,1\n");
    let alone = desk.types("evaluate --data one.csv --format markdown");
    assert!(alone.code == 1 && alone.stderr.contains("no case: no configuration"), "{}", alone.stderr);
    assert!(alone.stderr.contains("give the times of a second GPU too"), "{}", alone.stderr);
    let clocks = desk.types("evaluate --data mine.csv --protocol new-clocks");
    clocks.ends(1, &["give the times of one GPU at other clocks too (columns sm_clock_mhz, mem_clock_mhz)"]);
    let json = desk.types("evaluate --data one.csv --protocol new-size --format json");
    let all: Value = serde_json::from_str(&json.stdout).expect("JSON");
    assert_eq!(all["reason"], "no case: no kernel was measured at two sizes on one GPU");
    assert_eq!((json.code, &all["models"]["same-time"]["asked"]), (1, &0.into()));
    let csv = desk.types("evaluate --data one.csv --format csv");
    assert!(csv.code == 1 && csv.stdout.contains("same-time,reason,\"no case: no conf"), "{}", csv.stdout);
    let drawn = desk.types("evaluate --data one.csv --svg -");
    assert!(drawn.code == 1 && !drawn.stdout.contains("<svg"), "{}", drawn.stdout);
    let scoped = desk.types("evaluate --data mine.csv --kernel vector_add");
    assert!(scoped.code == 1 && scoped.stderr.contains("leave out one of the flags"), "{}", scoped.stderr);
    desk.file("uncounted.csv", "gpu,kernel,problem,time_ms\ntitan-v,mine,n=1,1\nrtx-4070,mine,n=1,2\n");
    let refused = desk.types("export evaluation --data uncounted.csv --model plain-roofline -o -");
    assert!(
        refused.code == 1 && refused.stderr.contains("none of the 2 cases is covered by a model"),
        "{}",
        refused.stderr
    );
}

#[test]
fn models_that_refuse_different_questions_are_compared_on_what_all_answered() {
    let desk = Desk::new();
    desk.file("mine.csv", TIMES);
    let all = json(&desk, "evaluate --data mine.csv --model efficiency-transfer");
    let n = |model: &str, of: &str| all["models"][model][of]["n"].clone();
    assert_eq!((n("same-time", "overall"), n("same-time", "common")), (4.into(), 2.into()));
    assert_eq!(n("efficiency-transfer", "common"), 2);
    // saxpy alone: half and twice the time.
    assert_eq!(all["models"]["same-time"]["common"]["mape_percent"], 75);
    for format in ["table", "markdown"] {
        let text = desk
            .types(&format!("evaluate --data mine.csv --model efficiency-transfer --format {format}"))
            .stdout;
        assert!(text.contains("on the 2 cases every model covers"), "{text}");
    }
    let csv = desk.types("evaluate --data mine.csv --format csv").stdout;
    assert!(csv.contains("same-time,common,,2,75,"), "{csv}");
    let saxpy = desk.types("evaluate --data mine.csv --kernel saxpy").stdout;
    assert!(!saxpy.contains("every model answered"), "there is nothing to set apart: {saxpy}");
}

#[test]
fn a_launch_that_cannot_start_was_never_timed_whatever_the_model() {
    let desk = Desk::new();
    // 206 registers x 1,024 threads are more than the 65,536 of a block; the RTX 4070's row says nothing of registers.
    desk.file(
        "refused.csv",
        "gpu,kernel,problem,block,grid,regs_per_thread,flops,dram_bytes,time_ms\n\
         titan-v,mine,n=1,1024,1,206,1000,1000,0.002\nrtx-4070,mine,n=1,1024,1,32,1000,1000,0.002\n\
         titan-v,saxpy,n=1048576,,,,,,1\nrtx-4070,saxpy,n=1048576,,,,,,2\n",
    );
    let all = json(&desk, "evaluate --data refused.csv --model all");
    for (model, said) in all["models"].as_object().expect("an object") {
        assert_eq!((&said["asked"], &said["overall"]["n"]), (&4.into(), &2.into()), "{model}");
        assert_eq!(said["refused"][0]["reason"], "cannot launch on titan-v", "{model}");
    }
}

#[test]
fn a_time_of_another_size_is_not_called_the_same() {
    let desk = Desk::new();
    desk.file(
        "sizes.csv",
        "gpu,kernel,problem,time_ms\ntitan-v,saxpy,n=1048576,1\ntitan-v,saxpy,n=2097152,2\n",
    );
    let text = desk.types("evaluate --data sizes.csv --protocol new-size").stdout;
    assert!(text.contains("same-time (work-scaled)") && text.contains("nearest smaller size"), "{text}");
    let all = json(&desk, "evaluate --data sizes.csv --protocol new-size");
    assert_eq!(all["models"]["same-time"]["overall"]["n"], 1);
    assert!(!desk.types("evaluate").stdout.contains("work-scaled"));
}

#[test]
fn rows_that_leave_a_key_open_are_no_pair_of_rows_that_state_it() {
    let desk = Desk::new();
    desk.file(
        "hot.csv",
        "gpu,kernel,problem,time_ms\n\
         titan-v,atomic_hotspot,n=1048576;iters=100,2\nrtx-4070,atomic_hotspot,n=1048576,1\n\
         rtx-2080-ti,atomic_hotspot,n=1048576;iters=100,3\nl4,atomic_hotspot,n=1048576,4\n",
    );
    let all = json(&desk, "evaluate --data hot.csv --model same-time");
    let pairs = keys(&all["models"]["same-time"]["per_pair"]).join(" ");
    assert_eq!(all["models"]["same-time"]["asked"], 4, "{pairs}");
    assert!(pairs.contains("rtx-4070 -> l4") && pairs.contains("titan-v -> rtx-2080-ti"), "{pairs}");
    let said = desk.types("evaluate --data hot.csv").stderr;
    assert!(said.contains("hot.csv: 2 rows of atomic_hotspot: iters not stated"), "{said}");
}

#[test]
fn rows_in_a_reports_own_keys_are_a_kernel_of_their_own() {
    let desk = Desk::new();
    let rows = "titan-v,saxpy,grid=64;block=256,1\nrtx-4070,saxpy,grid=64;block=256,2\nl4,saxpy,n=1024,3\n";
    desk.file("report.csv", format!("gpu,kernel,problem,time_ms\n{rows}"));
    let all = json(&desk, "evaluate --data report.csv --model same-time");
    assert_eq!(keys(&all["models"]["same-time"]["per_kernel"]), ["saxpy[grid,block]"]);
    let said = desk.types("evaluate --data report.csv").stderr;
    assert!(said.contains("2 rows of saxpy have the keys `grid,block`, expected `n`"), "{said}");
    assert!(said.contains("--problem saxpy:n="), "{said}");
    let predicted = desk.types(
        "predict --from titan-v --to rtx-4070 --kernel saxpy[grid,block] --model same-time --data report.csv --explain",
    );
    let text = predicted.stdout;
    assert!(
        text.contains("1.00 ms") && text.contains("nothing of that kernel's file"),
        "{text}{}",
        predicted.stderr
    );
}

#[test]
fn all_may_stand_among_other_models() {
    let all = json(&Desk::new(), "evaluate --model same-time,all");
    assert_eq!(
        keys(&all["models"]),
        [
            "same-time",
            "components",
            "hybrid",
            "efficiency-transfer",
            "first-principles",
            "plain-roofline",
            "projection"
        ]
    );
    let both =
        Desk::new().types("predict --from titan-v --to l4 --kernel saxpy --model all,same-time --format csv");
    assert_eq!((both.code, both.stdout.lines().count()), (0, 8), "{}", both.stderr);
}

#[test]
fn an_evaluation_has_its_pictures() {
    let desk = Desk::new();
    let scatter = desk.types("evaluate --svg - --model plain-roofline");
    assert!(scatter.stderr.contains("shows plain-roofline alone"), "{}", scatter.stderr);
    let drawn = |words: &str| desk.types(&format!("export evaluation {words} -o -")).works().stdout;
    assert_eq!(drawn("--model plain-roofline"), scatter.stdout);
    for (words, says) in [
        ("--view distribution", "0.9 to 1.1"),
        ("--view pairs --from titan-v", "titan-v -&gt; rtx-4070"),
        ("--view kernels --kernel saxpy --kernel histogram", "histogram"),
        ("--view scatter --protocol new-kernel", "new-kernel, sustained rates, exact occupancy"),
    ] {
        let svg = drawn(words);
        assert!(svg.contains(says), "{words}: {says}");
        roxmltree::Document::parse(&svg).expect("XML");
    }
    assert!(!drawn("--view pairs --from titan-v").contains("rtx-4070 -&gt; titan-v"));
    for (words, says) in
        [("--model all", "at most one --model"), ("--size n=1", "leave --size and --variant out")]
    {
        let refused = desk.types(&format!("export evaluation {words} -o -"));
        assert!(refused.code == 2 && refused.stderr.contains(says), "{words}: {}", refused.stderr);
    }
    let other = desk.types("export roofline --view pairs --from titan-v --to l4 --kernel saxpy -o -");
    assert!(other.code == 2 && other.stderr.contains("go with `evaluation`"), "{}", other.stderr);
}

#[test]
fn the_scatter_is_drawn_with_its_diagonal() {
    let desk = Desk::new();
    let done = desk.types("evaluate --svg scatter.svg");
    assert!(done.code == 0 && done.stdout.contains("components"), "{}", done.stderr);
    let svg = desk.read("scatter.svg");
    let tree = roxmltree::Document::parse(&svg).expect("XML");
    let points = tree.descendants().filter(|n| n.has_tag_name("circle")).count();
    assert!(points >= 168, "{points} points");
    for words in ["Predicted and measured times: components", "predicted = measured", "0.9 to 1.1"] {
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
    // The picture is of the same settings.
    let picture = "export evaluation --data runs_a.csv gpu_metrics.json --rules study --sustained --rows-only --view kernels";
    let drawn = desk.types(&format!("{picture} --model efficiency-transfer -o -")).works().stdout;
    assert!(drawn.contains("sustained") && drawn.contains("<svg"), "{drawn}");
    desk.types("export evaluation --rows-only -o -").ends(2, &["--data"]);
    desk.types("export roofline --sustained --data runs_a.csv --kernel saxpy -o -")
        .ends(2, &["go with `evaluation`"]);
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
    assert!(done.stderr.contains("CSV holds one table: --part learned prints Table 6"), "{}", done.stderr);
}

/// Six sizes of one kernel on two GPUs, with numbers of our own.
fn six_sizes() -> String {
    let mut text = RUNS.lines().next().expect("a header").to_owned();
    for (gpu, slower) in [("NVIDIA TITAN V", 1.0), ("NVIDIA GeForce RTX 4070", 1.5)] {
        for doubled in 0..6 {
            let n = 1024 << doubled;
            let time = slower * f64::from(n) * 1e-5;
            text +=
                &format!("\nsaxpy,12,0,{time},0,{n},0,0,,256,4,N,{},{},{},c,{gpu}", 2 * n, 12 * n, 12 * n);
        }
    }
    text
}

#[test]
fn the_learned_models_of_paper_1_stand_beside_its_table_6() {
    let desk = Desk::new();
    desk.file("runs_a.csv", six_sizes());
    desk.file("gpu_metrics.json", METRICS);
    let words = "reproduce paper1 --data . --seeds 2";
    let both = desk.types(words).works().stdout;
    assert!(both.contains("Algorithm 1") && both.contains("Table 6"), "{both}");
    assert!(
        both.contains("1: new GPU: trained on the other targets; 6 pairs trained on, 6 tested"),
        "{both}"
    );
    let all = json(&desk, words);
    assert_eq!(keys(&all), ["analytical", "learned"]);
    let rows = all["learned"].as_array().expect("rows");
    assert_eq!(rows.len(), 28);
    let row = |experiment: &str, model: &str| {
        let found = rows.iter().find(|r| r["experiment"] == experiment && r["model"] == model);
        found.unwrap_or_else(|| panic!("{experiment} {model}"))
    };
    assert_eq!(
        (&row("1", "svr")["published"], &row("1", "svr")["within_1_percent"]),
        (&78.01.into(), &false.into())
    );
    assert!(row("2", "forest")["seeds_least"].as_f64() <= row("2", "forest")["seeds_most"].as_f64());
    assert!(row("3", "linear")["ours"].is_null(), "none of the four new kernels is there");
    assert!(both.contains("3 linear: the error metric has no meaning for the tested pairs"), "{both}");
    let csv = desk.types(&format!("{words} --part learned --format csv")).works().stdout;
    let first =
        "experiment,model,published,ours,differs_percent,within_1_percent,seeds_least,seeds_most,in_logs";
    assert_eq!((csv.lines().next(), csv.lines().count()), (Some(first), 29));
}

#[test]
fn raw_files_that_cannot_be_learned_from_are_refused_with_their_place() {
    let desk = Desk::new();
    let learned = "reproduce paper1 --data . --part learned";
    let refused = |files: [(&str, String); 2], says: &str| {
        files.into_iter().for_each(|(name, text)| drop(desk.file(name, text)));
        let outcome = desk.types(learned);
        assert!(outcome.code == 1 && outcome.stderr.contains(says), "{says}: {}", outcome.stderr);
    };
    let (runs, metrics) = (six_sizes(), METRICS.to_owned());
    let with = |runs: String, metrics: String| [("runs_a.csv", runs), ("gpu_metrics.json", metrics)];
    refused(with(runs.replace("BYTES", "bytes"), metrics.clone()), "runs_a.csv: no column `BYTES`");
    refused(with(runs.replace(",4096,24576", ",NaN,24576"), metrics.clone()), ":3: FLOPs: `NaN`");
    refused(with(runs.replace("saxpy,12,0,0.01024", "saxpy,12,0,-1"), metrics.clone()), ":2: mean_ms: `-1`");
    refused(with(runs.clone(), metrics.replace("TITAN V", "TITAN Z")), "what NVIDIA TITAN V is");
    refused(with(runs.clone(), metrics.replace("300", "\"300\"")), "sustained_bandwidth_gbps: `\"300\"`");
    refused(with(runs.clone(), metrics.replace("}]", "}")), "gpu_metrics.json");
    // One GPU alone has no pairs: every model says so, nothing panics.
    let one: Vec<&str> = runs.lines().filter(|l| !l.contains("4070")).collect();
    desk.file("runs_a.csv", one.join("\n"));
    desk.file("gpu_metrics.json", &metrics);
    let done = desk.types(learned).works().stdout;
    assert!(done.contains("1 forest: 0 rows: learning needs at least 2"), "{done}");
}

#[test]
fn an_evaluation_is_told_in_the_words_of_the_field() {
    let desk = Desk::new();
    desk.file("times.csv", TIMES);
    let table = desk.types("evaluate --data times.csv --model all").works().stdout;
    for word in ["cases", "predicted", "within 10 %", "within 25 %", "rank accuracy %", "not applicable: "] {
        assert!(table.contains(word), "{word}:\n{table}");
    }
    for word in ["asked", "answered", "questions", "refused", "order %", " in 10 %"] {
        assert!(!table.contains(word), "{word}:\n{table}");
    }
    let roofs = "roofs: sustained rates (components), achieved roofs (plain-roofline); occupancy: exact\n";
    let typed = desk
        .types("evaluate --data times.csv --ceilings achieved")
        .ends(0, &["--ceilings ignored: components uses sustained rates; it affects"]);
    assert!(typed.stdout.contains(roofs), "{}", typed.stdout);
    let plain = desk.types("evaluate --data times.csv").works();
    assert!(plain.stdout.contains("peak roofs (plain-roofline)") && !plain.stderr.contains("ignored"));
}

/// A kernel of one's own at two sizes on two GPUs, counted.
const TWO_SIZES: &str = "gpu,kernel,problem,block,grid,flops,dram_bytes,time_ms\n\
    titan-v,own,n=1,256,4096,2e6,1.2e8,0.25\ntitan-v,own,n=4,256,16384,8e6,4.8e8,0.98\n\
    rtx-4070,own,n=1,256,4096,2e6,1.2e8,0.31\nrtx-4070,own,n=4,256,16384,8e6,4.8e8,1.2\n";

#[test]
fn another_size_of_a_kernel_of_ones_own_is_scaled_by_what_was_counted_of_both() {
    let desk = Desk::new();
    desk.file("sizes.csv", TWO_SIZES);
    let all = json(&desk, "evaluate --data sizes.csv --protocol new-size --model components");
    let overall = &all["models"]["components"]["overall"];
    assert_eq!(overall["n"], 2, "{all}");
    assert!(overall["mape_percent"].as_f64().unwrap() < 20.0, "{overall}");
    desk.file("uncounted.csv", "gpu,kernel,problem,time_ms\ntitan-v,own,n=1,0.25\ntitan-v,own,n=4,0.98\n");
    let alone = desk.types("evaluate --data uncounted.csv --protocol new-size");
    let said = "its file has no formulas that give its counts at another size";
    assert!(alone.stdout.contains(said), "{}", alone.stdout);
    assert!(!alone.stdout.contains("neither FLOPs nor DRAM bytes"), "{}", alone.stdout);
}

#[test]
fn a_folder_that_is_not_there_is_named_whatever_is_reproduced() {
    let desk = Desk::new();
    for what in ["all", "paper1"] {
        let done = desk.types(&format!("reproduce {what} --data nowhere"));
        assert!(done.code == 1 && done.stderr.contains("nowhere: no such file"), "{what}: {}", done.stderr);
    }
}
