//! What other numbers of a GPU would do, asked on the command line.

use crate::desk;

use desk::Desk;
use serde_json::Value;

const SAXPY: &str = "--kernel saxpy --size 2^28";

fn object(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}: {text}"))
}

fn number(value: &Value, key: &str) -> f64 {
    value[key].as_f64().unwrap_or_else(|| panic!("{key} in {value}"))
}

#[test]
fn a_what_if_has_the_promised_fields_and_says_what_matters() {
    let desk = Desk::new();
    let words = format!("whatif --gpu rtx-4070 --from titan-v --set mem=+20%,l2=72MiB {SAXPY} --format json");
    let told = object(&desk.types(&words).works().stdout);
    let keys: Vec<&String> = told.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        [
            "base",
            "changes",
            "time_ms",
            "low_ms",
            "high_ms",
            "base_time_ms",
            "tornado",
            "solve",
            "time_kind",
            "cautions",
            "board_power_w",
            "energy_j",
            "base_board_power_w",
            "base_energy_j",
            "base_time_kind"
        ]
    );
    assert_eq!(
        (&told["base"], &told["changes"][0], &told["changes"][1]),
        (&"rtx-4070".into(), &"mem=+20%".into(), &"l2=72MiB".into())
    );
    assert_eq!(told["solve"], Value::Null);
    assert!(number(&told, "time_ms") < number(&told, "base_time_ms"));
    assert!(
        number(&told, "low_ms") < number(&told, "time_ms")
            && number(&told, "time_ms") < number(&told, "high_ms")
    );
    let first = &told["tornado"][0];
    let keys: Vec<&String> = first.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["number", "value", "unit", "minus20_time_ms", "plus20_time_ms"]);
    assert_eq!((&first["number"], &first["unit"]), (&"mem".into(), &"GB/s".into()));
    assert!((number(first, "value") / (1.2 * 504.0) - 1.0).abs() < 1e-9, "{first}");
    assert!(number(first, "minus20_time_ms") > number(&told, "time_ms"), "{first}");
    let table = desk.types(&format!("whatif --gpu rtx-4070 --from titan-v {SAXPY} --tornado")).works().stdout;
    assert!(
        table.contains("memory bandwidth") && table.contains("what would help most: memory bandwidth"),
        "{table}"
    );
    assert!(table.contains("changes nothing:"), "{table}");
}

#[test]
fn every_kernel_on_several_gpus_is_a_table_per_gpu_or_a_list_of_objects() {
    let desk = Desk::new();
    let words = "whatif --gpu rtx-4070,h100-sxm5 --kernel saxpy,matmul_tiled --from titan-v --tornado";
    let text = desk.types(words).works().stdout;
    for said in ["RTX 4070: the time with each number", "H100", "saxpy", "matmul_tiled", "memory bandwidth"] {
        assert!(text.contains(said), "{said}: {text}");
    }
    let all = desk.types(&format!("{words} --format json")).works().json();
    assert_eq!(all.len(), 4);
    // Each is what is said of it alone.
    for found in &all {
        let (gpu, workload) = (found["base"].as_str().unwrap(), found["workload"].as_str().unwrap());
        let (kernel, size) = workload.split_once(' ').unwrap();
        let alone =
            format!("whatif --gpu {gpu} --kernel {kernel} --size {size} --from titan-v --format json");
        let mut told = object(&desk.types(&alone).works().stdout);
        told["workload"] = workload.into();
        assert_eq!(&told, found, "{alone}");
    }
    let changed = words.replace("--tornado", "--set mem=+20%");
    let text = desk.types(&changed).works().stdout;
    for said in [
        "◇ RTX 4070 with mem=+20%\n",
        "◇ H100",
        "unchanged GPU  speedup   power    energy  unchanged power  unchanged energy  notes\nsaxpy",
        "rtx-4070 (mem=+20%): hypothetical GPU",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
    let csv = desk.types(&format!("{changed} --format csv")).works().stdout;
    assert_eq!(csv.lines().count(), 1 + 4, "a row each: {csv}");
    for (words, said) in [
        ("whatif --gpu rtx-4070,l4 --kernel saxpy", "give --set CHANGES for their times, or --tornado"),
        ("whatif --gpu all --kernel saxpy --tornado --solve mem --goal 1ms", "take one GPU and one kernel"),
        ("whatif --gpu rtx-4070 --kernel saxpy,matmul_tiled --size n=64 --tornado", "give one --kernel"),
    ] {
        desk.types(words).ends(2, &[said]);
    }
}

#[test]
fn predict_and_rank_say_the_same_of_changed_gpus() {
    let desk = Desk::new();
    let whatif = object(
        &desk
            .types(&format!("whatif --gpu rtx-4070 --from titan-v --set mem=+20% {SAXPY} --format json"))
            .works()
            .stdout,
    );
    let predicted = desk
        .types(&format!("predict --from titan-v --to rtx-4070 --set mem=+20% {SAXPY} --format json"))
        .works()
        .json()
        .remove(0);
    assert!((number(&predicted, "time_ms") / number(&whatif, "time_ms") - 1.0).abs() < 1e-9, "{predicted}");
    assert_eq!(predicted["gpu_target"], "rtx-4070?mem=+20%");
    assert!(
        predicted["cautions"].to_string().contains("rtx-4070 (mem=+20%): hypothetical GPU"),
        "{predicted}"
    );
    let ranked = desk
        .types(&format!("rank --from titan-v --to rtx-4070 --set mem=+20% {SAXPY} --format json"))
        .works()
        .json();
    assert_eq!(ranked.len(), 2, "as it is, and so changed");
    assert!(ranked[0]["name"].as_str().is_some_and(|name| name.starts_with("◇ RTX 4070")), "{ranked:?}");
    assert!((number(&ranked[0], "time_ms") / number(&whatif, "time_ms") - 1.0).abs() < 1e-9);
    assert!((number(&ranked[1], "time_ms") / number(&whatif, "base_time_ms") - 1.0).abs() < 1e-9);
    let occupancy = desk
        .types("occupancy --gpu rtx-4070 --set regs=-50% --threads 256 --regs 64 --format json")
        .works()
        .json();
    assert_eq!(occupancy.len(), 2);
}

/// More of a rate is no way past the limit that it raises: the number that binds then is named.
#[test]
fn a_limit_that_the_number_raises_is_not_what_limits_it() {
    let desk = Desk::new();
    let words = "whatif --gpu h200 --kernel linear_bf16 --solve tensor --goal 1us --format json";
    let solve = &object(&desk.types(words).works().stdout)["solve"];
    assert_eq!(solve["none"], true);
    assert_ne!(solve["limited_by"], "compute");
    let named = solve["limited_by"].as_str().unwrap();
    let set = "whatif --gpu h200 --kernel linear_bf16 --set tensor=+4900% --tornado";
    assert!(desk.types(set).works().stdout.contains(&format!("what would help most: {named}")), "{named}");
}

#[test]
fn a_break_even_is_found_or_said_to_be_out_of_reach() {
    let desk = Desk::new();
    let words = format!("whatif --gpu rtx-4070 --from titan-v {SAXPY} --solve mem --format json");
    let told = object(&desk.types(&format!("{words} --goal 4ms")).works().stdout);
    let solve = &told["solve"];
    assert_eq!(
        (&solve["number"], &solve["unit"], &solve["goal_ms"]),
        (&"mem".into(), &"GB/s".into(), &4.into())
    );
    assert!((number(solve, "time_ms") / 4.0 - 1.0).abs() < 1e-6, "{solve}");
    let set = format!("mem={}GB/s", number(solve, "value"));
    let again =
        desk.types(&format!("whatif --gpu rtx-4070 --from titan-v {SAXPY} --set {set} --format json"));
    assert!((number(&object(&again.works().stdout), "time_ms") / 4.0 - 1.0).abs() < 1e-6);
    let told = object(&desk.types(&format!("{words} --goal 1us")).works().stdout);
    assert_eq!(told["solve"]["none"], true);
    assert!(told["solve"]["limited_by"].is_string(), "{told}");
    assert!(told["solve"]["why"].is_string(), "{told}");
    let text = desk
        .types(&format!("whatif --gpu rtx-4070 --from titan-v {SAXPY} --solve mem --goal 1us"))
        .works()
        .stdout;
    assert!(text.contains("no value of memory bandwidth makes 1.00 µs: limited by"), "{text}");
}

#[test]
fn a_changed_gpu_is_kept_and_used_by_every_command() {
    let desk = Desk::new();
    let words =
        format!("whatif --gpu rtx-4070 --from titan-v --set mem=+20% {SAXPY} --format json --save my-4070");
    let kept = desk.types(&words).works();
    let time = number(&object(&kept.stdout), "time_ms");
    assert!(desk.read("config/gpus/my-4070.toml").contains("based_on = \"rtx-4070\""));
    desk.types(&words).ends(2, &["exists; give another id"]);
    let row = desk
        .types(&format!("predict --from titan-v --to my-4070 {SAXPY} --format json"))
        .works()
        .json()
        .remove(0);
    assert!((number(&row, "time_ms") / time - 1.0).abs() < 1e-9, "{row}");
    assert_eq!(row["gpu_target"], "my-4070");
    let sheet = desk.types("gpus my-4070").works().stdout;
    assert!(sheet.contains('◇') && sheet.contains("605"), "{sheet}");
    desk.file("config/gpus/a.toml", "id = \"a\"\nbased_on = \"b\"\n[changes]\nmem = \"+5%\"\n");
    desk.file("config/gpus/b.toml", "id = \"b\"\nbased_on = \"a\"\n");
    let said = desk.types("gpus").works().stderr;
    assert!(said.contains("goes round in a circle"), "{said}");
}

#[test]
fn nonsense_is_refused_with_what_to_type() {
    let desk = Desk::new();
    for (set, said) in [
        ("speed=2", "is no number of a GPU; the keys are sms"),
        ("mem=fast", "mem=fast: expected 600GB/s"),
        ("mem=-120%", "expected 600GB/s"),
        ("sms=0", "sms=0: expected 60"),
        ("fp32=90TFLOP/s", "FP32 peak 90.0 TFLOP/s contradicts SMs 46"),
        (
            "mem=+25%,data-rate=+40%",
            "memory bandwidth 630 GB/s contradicts memory bus 192 bit x memory data rate",
        ),
        ("power=1W", "expected at least 49.3 W (SMs at a tenth of their clock, modelled), up to 20000 W"),
        ("power=50kW", "expected at least 49.3 W (SMs at a tenth of their clock, modelled), up to 20000 W"),
        ("power=20W", "power limit 20.0 W is too low"),
    ] {
        desk.types(&format!("whatif --gpu rtx-4070 --set {set} {SAXPY}")).ends(2, &[said]);
    }
    desk.types("whatif --gpu rtx-4070").ends(2, &["no kernel"]);
    desk.types(&format!("whatif --gpu rtx-4070 {SAXPY} --solve speed")).ends(2, &["expected one of sms"]);
}

#[test]
fn scenarios_stand_side_by_side_on_a_page() {
    let desk = Desk::new();
    let words = format!("whatif --gpu rtx-4070 --from titan-v --set mem=+20% --set l2=72MiB,sms=60 {SAXPY}");
    desk.types(&format!("{words} --page page.html")).works();
    let page = desk.read("page.html");
    for text in ["<!doctype html>", "◇ RTX 4070 mem=+20%", "l2=72MiB,sms=60", "<svg", "90 % interval"] {
        assert!(page.contains(text), "{text}");
    }
    desk.types(&format!("{words} --page page.md")).works();
    assert!(desk.read("page.md").contains("| base | 1 | 2 |"), "{}", desk.read("page.md"));
    desk.types(&format!("{words} --page page.pdf")).ends(2, &["written as .html or .md"]);
    desk.types(&format!("{words} --tornado --svg tornado.svg")).works();
    assert!(desk.read("tornado.svg").contains("which numbers matter"));
    desk.types(&format!("{words} --contour mem,l2 --svg contour.svg")).works();
    assert!(desk.read("contour.svg").contains("break-even"));
    desk.types(&format!("{words} --tornado --svg tornado.png")).ends(2, &["drawn as SVG: write tornado.svg"]);
}

#[test]
fn the_id_of_a_gpu_that_is_there_is_refused_and_nothing_is_written() {
    let desk = Desk::new();
    let words = format!("whatif --gpu rtx-4070 --from titan-v --set mem=+20% {SAXPY} --save");
    for id in ["rtx-4080", "rtx4080", "RTX-4080", "x_y"] {
        desk.types(&format!("{words} {id}")).ends(2, &["--save: id `"]);
    }
    assert!(!desk.path("config/gpus/rtx-4080.toml").exists());
    let two = format!("whatif --gpu rtx-4070 --set mem=+20% --set l2=72MiB {SAXPY} --save mine");
    desk.types(&two).ends(2, &["--save keeps one GPU"]);
    desk.types("gpus rtx-4080").works();
}

#[test]
fn four_scenarios_are_one_array_and_five_are_refused() {
    let desk = Desk::new();
    let sets = |count: usize| (1..=count).map(|n| format!("--set mem=+{n}0% ")).collect::<String>();
    let words = format!("whatif --gpu rtx-4070 --from titan-v {SAXPY}");
    let all = object(&desk.types(&format!("{words} {} --format json", sets(4).trim())).works().stdout);
    let all = all.as_array().unwrap();
    assert_eq!(all.len(), 4);
    for (n, answer) in all.iter().enumerate() {
        assert_eq!(answer["changes"][0], format!("mem=+{}0%", n + 1));
    }
    assert!(number(&all[3], "time_ms") < number(&all[0], "time_ms"));
    desk.types(&format!("{words} {} --page page.md", sets(4).trim())).works();
    assert!(desk.read("page.md").contains("| base | 1 | 2 | 3 | 4 |"));
    let refused = format!("{words} {} --page five.md", sets(5).trim());
    desk.types(&refused).ends(2, &["5 scenarios: at most 4 stand beside the base"]);
    assert!(!desk.path("five.md").exists());
}

#[test]
fn a_gpu_named_by_rule_is_one_wherever_a_gpu_is_named() {
    let desk = Desk::new();
    let time = |words: &str| {
        let told = object(&desk.types(&format!("predict {words} {SAXPY} --format json")).works().stdout);
        (number(&told[0], "time_ms"), told[0]["gpu_target"].clone())
    };
    // The limit by a flag and by a name is one question.
    let (by_flag, _) = time("--from titan-v --to a100-pcie-40gb --power-limit 125W");
    let (by_name, id) = time("--from titan-v --to a100-pcie-40gb@125W");
    assert_eq!(id, "a100-pcie-40gb@125W");
    assert!((by_flag / by_name - 1.0).abs() < 1e-9, "{by_flag} {by_name}");
    // Half of the memory of a GPU: a stream takes twice as long.
    let (whole, _) = time("--from titan-v --to h100-sxm5");
    let (half, _) = time("--from titan-v --to H100-SXM5:mig-3g.40gb");
    assert!((1.8..2.1).contains(&(half / whole)), "{half} {whole}");
    for words in [
        "gpus h100-sxm5:mig-3g.40gb",
        "occupancy --gpu h100-sxm5:mig-1g.10gb --threads 256 --regs 32",
        &format!("rank --from titan-v --to rtx-4090@150W,a30:mig-2g.12gb {SAXPY}"),
        &format!("whatif --gpu h100-sxm5:mig-3g.40gb --from titan-v --set mem=+20% {SAXPY}"),
        "gemm --gpu rtx-4090@300W --n 4096",
        &format!("export roofline --from titan-v --to rtx-4090@150W {SAXPY} -o roofline.svg"),
    ] {
        let answer = desk.types(words).works().stdout;
        let id = ["mig-", "MIG", "@", "roofline.svg"].into_iter().any(|mark| answer.contains(mark));
        assert!(id || words.starts_with("gemm") || words.starts_with("export"), "{words}: {answer}");
    }
    for (words, said) in [
        ("gpus h100-sxm5:mig-9g.90gb", "has no MIG profile `9g.90gb`; it has 1g.10gb"),
        ("gpus rtx-4070:mig-1g.10gb", "rtx-4070 has no MIG"),
        ("gpus rtx-4070@1MW", "expected"),
    ] {
        desk.types(words).ends(2, &[said]);
    }
}

#[test]
fn the_model_that_is_named_says_what_predict_says_of_the_same_change() {
    let desk = Desk::new();
    let pair = "--set mem=+20%,power=150W --kernel gemm_tiled --size n=2048";
    for model in
        ["components", "hybrid", "efficiency-transfer", "first-principles", "plain-roofline", "same-time"]
    {
        let words = format!("whatif --gpu rtx-4070 --from titan-v {pair} --model {model} --format json");
        let told = object(&desk.types(&words).works().stdout);
        let words = format!("predict --from titan-v --to rtx-4070 {pair} --model {model} --format json");
        let predicted = desk.types(&words).works().json().remove(0);
        for key in ["time_ms", "low_ms", "high_ms"] {
            let [whatif, predict] = [number(&told, key), number(&predicted, key)];
            assert!((whatif / predict - 1.0).abs() < 1e-9, "{model}, {key}: {whatif} and {predict}");
        }
    }
    let same = format!("whatif --gpu rtx-4070 --from titan-v {SAXPY} --tornado --model");
    let text = desk.types(&format!("{same} same-time")).works().stdout;
    assert!(text.contains("same-time: no number of the GPU changes the time"), "{text}");
    assert!(!text.contains("what would help"), "{text}");
    let atomics = "whatif --gpu rtx-4070 --from titan-v --set mem=+20% --kernel atomic_hotspot --tornado";
    desk.types(&format!("{atomics} --model projection"))
        .ends(1, &["nothing could be predicted", "projection covers fp32 and fp64 arithmetic"]);
    desk.types(&format!("{same} oracle")).ends(2, &["unknown model `oracle`"]);
}

#[test]
fn another_launch_is_asked_of_every_command_and_marked() {
    let desk = Desk::new();
    let pair = "--kernel matmul_tiled --size n=2048 --launch block=64,regs=128,carveout=50%";
    let whatif = format!("whatif --gpu rtx-4070 --from titan-v {pair} --format json");
    let told = object(&desk.types(&whatif).works().stdout);
    assert_eq!(told["changes"], serde_json::json!(["block=64", "regs=128", "carveout=50%"]));
    let predict = format!("predict --from titan-v --to rtx-4070 {pair} --format json");
    let row = desk.types(&predict).works().json().remove(0);
    assert!((number(&row, "time_ms") / number(&told, "time_ms") - 1.0).abs() < 1e-9, "{row}");
    let cautions = row["cautions"].to_string();
    assert!(cautions.contains("block=64,regs=128,carveout=50%: launch changed on the target"), "{row}");
    let ranked =
        desk.types(&format!("rank --from titan-v --to rtx-4070 {pair} --format json")).works().json();
    assert!((number(&ranked[0], "time_ms") / number(&told, "time_ms") - 1.0).abs() < 1e-9, "{ranked:?}");
    let board = desk.types(&format!("rank --from titan-v --to rtx-4070 {pair}")).works().stdout;
    assert!(board.contains("◇ block=64"), "{board}");
    let fp8 = "whatif --gpu h200 --from h100-sxm5 --kernel linear_bf16 --size m=8192 --launch dtype=fp8 --format json";
    let told = object(&desk.types(fp8).works().stdout);
    assert_eq!(told["changes"][0], "dtype=fp8");
}

/// Another launch on the target leaves the time on the source what it was: the one that speedups are over.
#[test]
fn a_changed_launch_is_solved_for_the_time_on_the_source_as_it_was_timed() {
    let pair = "--from titan-v --kernel matmul_tiled --size n=1024";
    let desk = Desk::new();
    for launch in ["", " --launch block=64"] {
        let words = format!("whatif --gpu rtx-4070 {pair}{launch} --solve sms --format json");
        let told = object(&desk.types(&words).works().stdout);
        let words = format!("predict --to rtx-4070 {pair}{launch} --format json");
        let predicted = desk.types(&words).works().json().remove(0);
        let ratio = number(&told["solve"], "goal_ms") / number(&predicted, "source_time_ms");
        assert!((ratio - 1.0).abs() < 1e-9, "{launch}: {told:?}");
    }
}

#[test]
fn a_launch_that_cannot_be_is_refused_with_what_to_type() {
    let desk = Desk::new();
    let words = "whatif --gpu rtx-4070 --from titan-v --kernel saxpy --size 2^20 --launch";
    for (launch, said) in [
        ("dtype=fp16", "element type of saxpy: its bytes and instructions were counted as fp32"),
        ("dtype=fp7", "expected an element type"),
        ("block=2048", "expected threads per block from 1 to 1024"),
        ("grid=4", "is no number of a launch; the keys are block"),
        ("carveout=120%", "expected shared carveout from 0 % to 100 %"),
    ] {
        desk.types(&format!("{words} {launch}")).ends(2, &[said]);
    }
    desk.types(&format!("{words} block=1024,regs=255")).ends(1, &["nothing could be predicted"]);
    desk.file("mix.toml", "[[kernel]]\nkernel = \"saxpy\"\nsize = \"n=2^20\"\ncalls = 2\n");
    let mix = "whatif --gpu rtx-4070 --from titan-v --mix mix.toml --launch block=64";
    desk.types(mix).ends(2, &["--launch"]);
}

#[test]
fn a_launch_that_cannot_start_has_no_time_and_no_interval() {
    let desk = Desk::new();
    let asked =
        "predict --from rtx-4070 --to l40s --kernel shared_transpose --launch dynamic=200KB --format json";
    let done = desk.types(asked);
    let rows: Value = serde_json::from_str(&done.stdout).unwrap();
    for number in ["time_ms", "low_ms", "high_ms"] {
        assert!(rows[0][number].is_null(), "{number}: {}", rows[0]);
    }
    let few =
        desk.types("rank --from rtx-4070 --to l40s --set warps=28 --kernel shared_transpose --format json");
    let rows: Value = serde_json::from_str(&few.stdout).unwrap();
    let row =
        rows.as_array().unwrap().iter().find(|row| row["name"].as_str().unwrap().contains('◇')).unwrap();
    assert!(row["time_ms"].is_null() && row["low_ms"].is_null(), "{row}");
    assert!(row["cautions"].to_string().contains("32 warps per block, an SM holds 28"), "{row}");
}

/// A launch overhead that is set is the one that is computed with, and what is advised can be measured.
#[test]
fn a_set_launch_overhead_holds_and_the_advice_names_a_gpu_that_exists() {
    let desk = Desk::new();
    let words = "predict --from rtx-3090 --to rtx-4070 --kernel saxpy --set launch=1us --explain";
    let said = desk.types(words).works().stdout;
    let overhead = said.lines().filter(|line| line.starts_with("add launch overhead"));
    assert!(overhead.clone().any(|line| line.contains("1.00 µs, assumed or set")), "{said}");
    let advice: Vec<&str> = said.lines().filter(|line| line.contains("to narrow it, measure")).collect();
    assert!(advice.iter().all(|line| !line.contains('?')), "{advice:?}");
    assert!(advice.iter().any(|line| line.contains("on rtx-4070:")), "{advice:?}");
}

/// An id as it is answered says how it is typed; a limit that is refused says what the board draws idle.
#[test]
fn refused_gpus_say_what_to_type() {
    let desk = Desk::new();
    let predict = "predict --from titan-v --kernel saxpy";
    let set = "named by --set: `rtx-4070` with `--set mem=+20%`";
    desk.types(&format!("{predict} --to rtx-4070?mem=+20%")).ends(2, &[set]);
    let range = "expected at least 49.3 W (SMs at a tenth of their clock, modelled), at most 400 W";
    desk.types(&format!("{predict} --to rtx-4070 --power-limit 1W")).ends(2, &[range]);
    desk.types(&format!("{predict} --to rtx-4070@1W")).ends(2, &[range]);
    desk.types(&format!("{predict} --to rtx-4070@10W")).ends(2, &["power limit 10.0 W is too low"]);
}

/// A number set to what it is changes nothing, its interval neither: a file whose row is of the GPU that is changed, and one whose row is not.
#[test]
fn a_number_set_to_what_it_is_changes_nothing() {
    let desk = Desk::new();
    for asked in
        ["--from titan-v --kernel saxpy", "--kernel vector_add_divergent", "--time 5ms --dram-bytes 1e9"]
    {
        let told = |set: &str| {
            let words = format!("whatif --format json --gpu rtx-4070 {asked} {set}");
            object(&desk.types(&words).works().stdout)
        };
        let base = told("");
        for set in ["sms=46", "sm=2475MHz", "l2=36MiB", "power=200W", "mem=+0%", "sms=46,l2=36MiB"] {
            let same = told(&format!("--set {set}"));
            for field in ["time_ms", "low_ms", "high_ms"] {
                assert_eq!(same[field], base[field], "{asked} {set}: {field}");
            }
        }
    }
}

/// The GPU that is changed was timed itself: its own time stands on it where no other GPU is named; else it is predicted from that, as `predict` does.
#[test]
fn a_time_that_was_measured_on_the_base_is_where_a_change_starts() {
    let desk = Desk::new();
    let columns = "gpu,kernel,problem,dtype,block,grid,flops,dram_bytes,time_ms";
    let rows = "titan-v,mine,n=1048576,fp32,256,4096,2.1e6,1.26e7,0.025\nrtx-4070,mine,n=1048576,fp32,256,4096,2.1e6,1.26e7,0.06";
    let file = desk.file("mine.csv", format!("{columns}\n{rows}\n"));
    let asked = |words: &str| {
        desk.types_with(&format!("{words} --kernel mine --format json --data"), &[&file]).works()
    };
    let found = object(&asked("whatif --gpu rtx-4070 --set sms=60").stdout);
    assert!((number(&found, "base_time_ms") - 0.06).abs() < 1e-9, "{found}");
    assert!(number(&found, "time_ms") > 0.03, "{found}");
    let from = object(&asked("whatif --gpu rtx-4070 --from titan-v --set sms=60").stdout);
    let predicted = asked("predict --to rtx-4070 --from titan-v --set sms=60").json();
    assert!(
        (number(&from, "time_ms") / number(&predicted[0], "time_ms") - 1.0).abs() < 1e-9,
        "{from} {predicted:?}"
    );
}

/// What the dashboard shows of an application, and of a GPU at other clocks, is said by the command too.
#[test]
fn applications_and_clocks_are_asked_as_on_the_screen() {
    let desk = Desk::new();
    desk.file("run.json", crate::app_stories::trace());
    let whatif = |words: &str| object(&desk.types(&format!("whatif {words} --format json")).works().stdout);
    let found = whatif("--gpu l40s --app run.json --set mem=+20%");
    let app = object(&desk.types("app run.json --to l40s --set mem=+20% --format json").works().stdout);
    let wall = |target: usize| number(&app["targets"][target], "wall_ms");
    assert!((number(&found, "base_time_ms") / wall(0) - 1.0).abs() < 1e-9, "{found}");
    assert!((number(&found, "time_ms") / wall(1) - 1.0).abs() < 1e-9, "{found}");
    assert_eq!(found["time_kind"], "scaled");
    let limited = whatif("--gpu l40s --app run.json --power-limit 200W");
    let app = object(&desk.types("app run.json --to l40s --power-limit 200W --format json").works().stdout);
    assert!((number(&limited, "time_ms") / number(&app["targets"][0], "wall_ms") - 1.0).abs() < 1e-9);
    assert!(number(&limited, "time_ms") > 1.01 * number(&found, "base_time_ms"), "{limited}");
    let table = desk.types("app run.json --to l40s --power-limit 200W").works().stdout;
    assert!(table.contains("L40S @200W"), "{table}");
    // The product draws more than 200 W, the addition does not.
    let note = "of kernel time): the power limit lowers the SM clock under load (modelled)";
    assert!(table.contains("l40s (200 W, SM 2520 to ") && table.contains(note), "{table}");
    assert!(limited["cautions"].to_string().contains(note), "{limited}");
    let free = desk.types("app run.json --to a100-sxm4-80gb --power-limit 395W").works().stdout;
    let note = "a100-sxm4-80gb (395 W): the power limit is above what the predicted kernels draw (modelled)";
    assert!(free.contains(note), "{free}");
    let pair = format!("--from titan-v {SAXPY} --sm-clock 1000MHz");
    let slow = whatif(&format!("--gpu rtx-4070 {pair}"));
    let predicted = desk.types(&format!("predict --to rtx-4070 {pair} --format json")).works().json();
    assert!((number(&slow, "time_ms") / number(&predicted[0], "time_ms") - 1.0).abs() < 1e-9, "{slow}");
    desk.types("app run.json --sm-clock 1000MHz").ends(2, &["settings of the targets: give --to"]);
    desk.types("whatif --gpu l40s,l4 --app run.json").ends(2, &["--app: give one GPU"]);
    desk.types("whatif --gpu l4 --app run.json --kernel saxpy").ends(2, &["cannot be used with"]);
    let save = format!("whatif --gpu l4 {SAXPY} --set mem=+5% --power-limit 50W --save mine");
    desk.types(&save).ends(2, &["power=150W"]);
}

#[test]
fn a_what_if_is_rows_of_a_csv_too() {
    let desk = Desk::new();
    let words = format!("whatif --gpu rtx-4070 --from titan-v {SAXPY} --set mem=+20% --format");
    let found = object(&desk.types(&format!("{words} json --solve mem")).works().stdout);
    let rows = |more: &str| {
        let csv = desk.types(&format!("{words} csv {more}")).works().stdout;
        let lines = csv.lines().map(|line| line.split(',').map(str::to_string).collect::<Vec<_>>());
        lines.collect::<Vec<_>>()
    };
    let alone = rows("");
    assert_eq!((alone.len(), alone[0].len(), alone[1].len()), (2, 20, 20), "{alone:?}");
    let cell = |rows: &[Vec<String>], row: usize, column: &str| {
        rows[row][rows[0].iter().position(|name| name == column).unwrap()].clone()
    };
    assert_eq!(cell(&alone, 1, "changes"), "mem=+20%");
    assert_eq!(cell(&alone, 1, "time_ms").parse::<f64>().unwrap(), number(&found, "time_ms"));
    assert_eq!(cell(&alone, 1, "time_kind"), found["time_kind"]);
    let all = rows("--tornado --solve mem");
    assert_eq!(all.len(), 2 + found["tornado"].as_array().unwrap().len());
    assert_eq!(
        cell(&all, 1, "plus20_time_ms").parse::<f64>().unwrap(),
        number(&found["tornado"][0], "plus20_time_ms")
    );
    let last = all.len() - 1;
    assert_eq!(cell(&all, last, "value").parse::<f64>().unwrap(), number(&found["solve"], "value"));
    let several = format!("whatif --gpu rtx-4070,l4 --from titan-v {SAXPY} --tornado --format csv");
    let csv = desk.types(&several).works().stdout;
    assert_eq!(csv.lines().filter(|line| line.starts_with("base,")).count(), 1, "{csv}");
    assert!(csv.contains("\nl4,") && csv.contains("\nrtx-4070,"), "{csv}");
}

/// The board at the typed clock is what is changed, whichever command is asked.
#[test]
fn changes_are_of_the_board_at_typed_clocks_in_every_command() {
    let desk = Desk::new();
    for (changes, clocks) in [
        ("sm=+20%", "--sm-clock 1200MHz"),
        ("sm=1500MHz", "--sm-clock rtx-4070=1200MHz"),
        ("mem=+20%", "--mem-clock 5001MHz"),
        ("power=100W", "--power-limit 150W"),
        ("l2=72MiB", "--sm-clock 1200MHz"),
    ] {
        let asked =
            format!("--from titan-v --kernel saxpy --size n=2^28 --set {changes} {clocks} --format json");
        let told = object(&desk.types(&format!("whatif --gpu rtx-4070 {asked}")).works().stdout);
        let predicted = desk.types(&format!("predict --to rtx-4070 {asked}")).works().json().remove(0);
        let ranked = desk.types(&format!("rank --to rtx-4070 {asked}")).works().json();
        let is_made = |row: &&Value| row["gpu"].as_str().is_some_and(|gpu| gpu.ends_with(changes));
        let ranked = ranked.iter().find(is_made).expect("the changed board is on the board");
        for row in [&predicted, ranked] {
            let ratio = number(row, "time_ms") / number(&told, "time_ms");
            assert!((ratio - 1.0).abs() < 1e-9, "{changes} {clocks}: {row}");
            let said = row["cautions"].to_string();
            assert!(
                said.contains("rtx-4070@") && said.contains(&format!("({changes}): hypothetical GPU")),
                "{said}"
            );
        }
    }
    let far = "predict --from titan-v --to l4 --kernel saxpy --set sm=-50% --sm-clock";
    desk.types(&format!("{far} 4000MHz")).works();
    desk.types(&format!("{far} 5000MHz")).ends(2, &["--sm-clock: l4: SM clock 5000 MHz: expected"]);
    desk.types(
        "predict --from titan-v --to rtx-4070@1200MHz --kernel saxpy --set sms=+20% --sm-clock 1300MHz",
    )
    .ends(2, &["the name rtx-4070@1200MHz states that already"]);
}

#[test]
fn typed_clocks_of_a_saved_gpu_are_said() {
    let desk = Desk::new();
    desk.types("whatif --gpu rtx-4070 --set mem=+20% --kernel saxpy --save my-4070").works();
    let asked = "predict --from titan-v --to my-4070 --kernel saxpy --sm-clock 1200MHz --format json";
    let said = desk.types(asked).works().json()[0]["cautions"].to_string();
    for words in ["rtx-4070 (mem=+20%): hypothetical GPU", "my-4070 (SM clock 1200 MHz instead of 24"] {
        assert!(said.contains(words), "{words}: {said}");
    }
}

#[test]
fn a_change_that_the_kernel_does_not_use_leaves_the_interval_of_the_measured_time() {
    let desk = Desk::new();
    let saxpy = "--kernel saxpy --size n=1048576 --format json";
    for gpu in ["titan-v", "rtx-4070"] {
        let pair = format!("--from {gpu} --to {gpu} {saxpy}");
        let board = desk.types(&format!("predict {pair}")).works().json().remove(0);
        let made = desk.types(&format!("predict {pair} --set memory=24GiB")).works().json().remove(0);
        let told =
            object(&desk.types(&format!("whatif --gpu {gpu} {saxpy} --set memory=24GiB")).works().stdout);
        let ranked = desk.types(&format!("rank {pair} --set memory=24GiB")).works().json();
        let ranked = ranked.iter().find(|row| row["gpu"] != gpu).expect("the changed board");
        for number in ["time_ms", "low_ms", "high_ms"] {
            for row in [&made, &told, ranked] {
                assert_eq!(row[number], board[number], "{gpu} {number}: {row}");
            }
        }
        assert!(
            made["measured_ms"].is_null() && number(&made, "low_ms") < number(&made, "high_ms"),
            "{made}"
        );
        let faster = desk.types(&format!("predict {pair} --set mem=+20%")).works().json().remove(0);
        assert!(number(&faster, "low_ms") < number(&board, "low_ms"), "{faster}");
    }
    let pair = "predict --from titan-v --to titan-v --kernel saxpy --set memory=24GiB --explain";
    let text = desk.types(pair).works().stdout;
    assert!(text.contains("measured on the board without these changes"), "{text}");
}

#[test]
fn a_what_if_says_what_a_power_limit_does_and_that_there_is_no_source() {
    let says = |asked: &str, what: &str| {
        let told = Desk::new().types(&format!("whatif {asked}")).works();
        assert!(told.stdout.contains(what), "{}", told.stdout);
    };
    let timed = "--from h100-sxm5 --time 22ms --kernel cutlass_simt_sgemm_128x128_8x2 --size n=8192";
    says(&format!("--gpu rtx-4090 {timed} --set power=-40%"), "rtx-4090 (270 W, SM 2520 to ");
    says("--gpu l40s --kernel linear_bf16 --size n=4096 --set mem=+20%", "no source: predicted");
}

/// Nobody gave a counter: none is said to explain nothing.
#[test]
fn a_time_alone_asks_for_counts() {
    let asked = "predict --time 3ms --from a100-sxm4-80gb --to rtx-5090 --explain";
    let told = Desk::new().types(asked).works();
    assert!(told.stdout.contains("no counts were given") && !told.stdout.contains("counters do not explain"));
}

#[test]
fn a_change_that_rounds_to_what_is_there_is_refused_with_the_next_value() {
    let desk = Desk::new();
    let why = "rtx-4070: fp64-lanes=+20% rounds to 2 FP64 lanes per SM, which it has: nothing is changed; the next value is fp64-lanes=3";
    desk.types(&format!("whatif --gpu rtx-4070 {SAXPY} --set fp64-lanes=+20%")).ends(2, &[why]);
    desk.types(&format!("predict {SAXPY} --from titan-v --to rtx-4070 --set fp64-lanes=+20%"))
        .ends(2, &[why]);
    let several =
        desk.types(&format!("rank {SAXPY} --from titan-v --to rtx-4070,h200 --set fp64-lanes=+20%")).works();
    assert!(several.stderr.contains(why) && several.stdout.contains("◇ H200"), "{}", several.stderr);
    desk.types(&format!("whatif --gpu rtx-4070 {SAXPY} --set fp64-lanes=+50%")).works();
    desk.types(&format!("whatif --gpu rtx-4070 {SAXPY} --tornado")).works();
}

#[test]
fn a_memory_bus_is_changed_by_whole_channels() {
    let desk = Desk::new();
    let ask = "whatif --kernel saxpy --gpu rtx-4070";
    let said = "rtx-4070: bus=193bit: a bus has whole memory channels of 32 bit (GDDR6X); nearest: bus=192bit, bus=224bit";
    desk.types(&format!("{ask} --set bus=193bit")).ends(2, &[said]);
    desk.types(&format!("{ask} --set bus=224bit")).works();
    let solved = object(&desk.types(&format!("{ask} --solve bus --goal 300us --format json")).works().stdout);
    assert_eq!(
        (&solved["solve"]["value"], &solved["solve"]["unit"]),
        (&96.into(), &"bit".into()),
        "{solved}"
    );
    let drawn = format!("{ask} --contour bus,l2 --format json");
    let contour = desk.types(&drawn).works().stdout;
    assert!(contour.contains("\"number\""), "{contour}");
}

/// `--data` means the same as in `predict`: its GPU is the source.
#[test]
fn the_gpu_of_the_file_is_the_source() {
    let desk = Desk::new();
    desk.file("one.csv", "gpu,kernel,problem,time_ms,dram_bytes\nrtx-a4500,mine,n=1048576,1.42,800000000\n");
    let asked = "--gpu rtx-4070 --data one.csv --set mem=+20% --format json";
    let own = object(&desk.types(&format!("whatif {asked}")).works().stdout);
    let named = object(&desk.types(&format!("whatif {asked} --from rtx-a4500")).works().stdout);
    assert_eq!(own, named);
    assert!(!own.to_string().contains("no source"), "{own}");
    let solved = desk.types("whatif --gpu rtx-4070 --data one.csv --solve mem").works().stdout;
    assert!(solved.contains("(goal 1.42 ms)"), "{solved}");
    let several = desk.types("whatif --gpu rtx-4070,l4 --data one.csv --set mem=+20%").works().stdout;
    let from =
        desk.types("whatif --gpu rtx-4070,l4 --data one.csv --set mem=+20% --from rtx-a4500").works().stdout;
    assert_eq!(several, from);
    desk.file(
        "two.csv",
        "gpu,kernel,problem,time_ms\nrtx-a4500,mine,n=1048576,1.42\nl4,mine,n=1048576,2.5\n",
    );
    desk.types("whatif --gpu rtx-4070 --data two.csv --solve mem").ends(2, &["give --goal, or --from GPU"]);
}
