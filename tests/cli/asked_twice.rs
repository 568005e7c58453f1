//! One question has one answer: other targets beside one, other spellings of a setting and other commands change nothing of a row; and
//! what would change nothing is refused or said.

use crate::app_stories::trace;
use crate::desk::Desk;
use serde_json::Value;
use std::fmt::Write as _;

const TYPED: &str =
    "--time 4.2ms --threads 256 --grid 4096 --regs 64 --flops 17.2GFLOP --dram-bytes 50MB --from rtx-3090";

/// A kernel that two GPUs timed.
const TIMED_TWICE: &str = "gpu,kernel,problem,block,grid,regs_per_thread,flops,dram_bytes,time_ms\n\
    rtx-3090,my_k,n=1000,256,4096,40,2.0e9,1.2e8,0.473\nl40s,my_k,n=1000,256,4096,40,2.0e9,1.2e8,0.400\n";

/// The row of this GPU among those of an answer.
fn row_of<'r>(rows: &'r [Value], column: &str, gpu: &str) -> &'r Value {
    rows.iter().find(|row| row[column] == gpu).unwrap_or_else(|| panic!("{gpu} is not in {rows:?}"))
}

fn time(row: &Value) -> f64 {
    row["time_ms"].as_f64().unwrap_or_else(|| panic!("no time in {row}"))
}

#[test]
fn a_setting_of_the_targets_leaves_the_source_as_it_was_timed() {
    let desk = Desk::new();
    let ask = |words: &str| desk.types(&format!("{words} --format json")).works().json();
    let alone = ask(&format!("predict {TYPED} --to rtx-4090 --sm-clock 1500MHz"));
    let beside = ask(&format!("predict {TYPED} --to rtx-4090,rtx-3090 --sm-clock 1500MHz"));
    assert_eq!(time(&alone[0]), time(row_of(&beside, "gpu_target", "rtx-4090@1500MHz")));
    let named = ask(&format!("predict {TYPED} --to rtx-3090@1500MHz"));
    assert_eq!(time(&named[0]), time(row_of(&beside, "gpu_target", "rtx-3090@1500MHz")));
    assert!(time(&named[0]) > 4.2, "slower clocks");
    let board = ask(&format!("rank {TYPED} --to rtx-4090,rtx-3090 --sm-clock 1500MHz"));
    assert_eq!(time(row_of(&board, "gpu", "rtx-4090@1500MHz")), time(&alone[0]));
    assert_eq!(time(row_of(&board, "gpu", "rtx-3090@1500MHz")), time(&named[0]));
}

/// A limit that changes nothing leaves the numbers of a changed GPU as they are: L2 as fast with fewer SMs.
#[test]
fn changes_and_settings_of_one_gpu_are_the_same_in_either_order() {
    let desk = Desk::new();
    let words = "--kernel saxpy --size n=4194304 --from rtx-4070 --set l2=x2,sms=-20%";
    let ask = |words: String| desk.types(&words).works().stdout;
    let time_of =
        |text: String| text.lines().find(|line| line.contains("\"time_ms\"")).unwrap().trim().to_string();
    for limit in ["", "--power-limit l4=70W"] {
        let predicted = time_of(ask(format!("predict {words} --to l4 {limit} --format json")));
        assert_eq!(
            time_of(ask(format!("whatif {words} --gpu l4 {limit} --format json"))),
            predicted,
            "{limit}"
        );
    }
}

#[test]
fn an_application_is_ranked_alike_whatever_else_is_ranked() {
    let desk = Desk::new();
    desk.file("run.json", trace());
    let ask = |to: &str| {
        let words = format!("rank --app run.json --to {to} --sm-clock 1200MHz --format json");
        desk.types(&words).works().json()
    };
    let (alone, beside) = (ask("h200"), ask("h100-sxm5,h200"));
    assert_eq!(time(&alone[0]), time(row_of(&beside, "gpu", "h200@1200MHz")));
    assert!(alone[0]["cautions"].to_string().contains("h200 (SM clock 1200 MHz instead of"), "{}", alone[0]);
    assert!(time(row_of(&beside, "gpu", "h100-sxm5@1200MHz")) > 0.0);
    let table = desk.types("rank --app run.json --to h200 --sm-clock 1200MHz").works().stdout;
    assert!(table.contains("◇ H200"), "{table}");
}

#[test]
fn another_launch_leaves_the_source_as_it_was_timed() {
    let desk = Desk::new();
    desk.file("runs.csv", TIMED_TWICE.lines().take(2).collect::<Vec<_>>().join("\n"));
    let words = "--data runs.csv --kernel my_k --to l40s,rtx-3090 --launch block=64,dynamic=90KB";
    let predicted = desk.types(&format!("predict {words} --format json")).works().json();
    let ranked = desk.types(&format!("rank {words} --format json")).works().json();
    for gpu in ["l40s", "rtx-3090"] {
        let (one, other) = (row_of(&predicted, "gpu_target", gpu), row_of(&ranked, "gpu", gpu));
        assert_eq!((time(one), &one["speedup"]), (time(other), &other["speedup"]), "{gpu}");
        assert_eq!(one["low_ms"], other["low_ms"], "{gpu}");
    }
    let source = row_of(&ranked, "gpu", "rtx-3090");
    let ends = ["low_ms", "high_ms"].map(|end| source[end].as_f64().unwrap() / time(source));
    assert!(
        ends[0] < 0.95 && ends[1] > 1.05,
        "that of the measured time is not that of a modelled one: {source}"
    );
    let table = desk.types(&format!("rank {words}")).works().stdout;
    assert!(table.contains("473 µs ● on RTX 3090") && !table.contains("ms ●"), "{table}");
    let blocks = "--kernel matmul_tiled --size n=1024 --from rtx-4070 --to rtx-4070,titan-v";
    let by_launch = desk.types(&format!("rank {blocks} --launch block=64 --format json")).works().json();
    let by_blocks = desk.types(&format!("rank {blocks} --blocks --format json")).works().json();
    let small = |gpu: &str| {
        by_blocks.iter().find(|row| row["gpu"] == gpu && row["name"].to_string().contains("· 64 "))
    };
    let small = small("titan-v").unwrap_or_else(|| panic!("{by_blocks:?}"));
    assert_eq!(small["speedup"], row_of(&by_launch, "gpu", "titan-v")["speedup"]);
}

#[test]
fn a_time_measured_on_the_target_is_the_time_it_is_ranked_by() {
    let desk = Desk::new();
    desk.file("two.csv", TIMED_TWICE);
    let words = "rank --data two.csv --kernel my_k --size n=1000 --from rtx-3090 --to l40s,h200";
    let rows = desk.types(&format!("{words} --format json")).works().json();
    let own = row_of(&rows, "gpu", "l40s");
    assert_eq!((time(own), &own["low_ms"], &own["high_ms"]), (0.4, &own["time_ms"], &own["time_ms"]));
    assert!(desk.types(words).works().stdout.contains("400 µs ●"));
    let at_other_clocks = desk.types(&format!("{words} --sm-clock 1500MHz --format json")).works().json();
    let set = row_of(&at_other_clocks, "gpu", "l40s@1500MHz");
    assert_ne!(set["low_ms"], set["high_ms"], "nobody measured it at these");
    desk.file("mix.toml", "kernel = [{ kernel = \"my_k\", size = \"n=1000\", calls = 10 }]\n");
    let mix = "rank --data two.csv --mix mix.toml --from rtx-3090 --to l40s --format json";
    let mix = desk.types(mix).works().json();
    assert!((time(&mix[0]) - 4.0).abs() < 1e-9, "{mix:?}");
}

#[test]
fn a_gpu_named_at_a_clock_is_the_gpu_set_to_it() {
    let desk = Desk::new();
    let words = "--kernel matmul_tiled --size n=512 --format json";
    let ask = |gpu: &str| -> Value {
        let answer = desk.types(&format!("whatif --gpu {gpu} {words}")).works().stdout;
        serde_json::from_str(&answer).expect("JSON")
    };
    let (named, set) = (ask("rtx-4070@1000MHz"), ask("rtx-4070 --set sm=1000MHz"));
    let (named, set) = (named["time_ms"].as_f64(), set["time_ms"].as_f64());
    assert!(named.zip(set).is_some_and(|(a, b)| (a / b - 1.0).abs() < 1e-9), "{named:?} {set:?}");
    let product = "gemm --n 4096 --tile 128 --format json";
    let times =
        [format!("{product} --gpu rtx-4070@150W"), format!("{product} --gpu rtx-4070 --power-limit 150W")]
            .map(|words| desk.types(&words).works().json()[0]["time_ms"].as_f64());
    assert!(times[0].is_some());
    assert_eq!(times[0], times[1]);
}

#[test]
fn a_window_that_the_host_takes_is_said_to_be_one() {
    let desk = Desk::new();
    desk.file("run.json", trace());
    let rows = desk.types("rank --app run.json --to h100-sxm5,h200 --format json").works().json();
    let said = |gpu: &str| row_of(&rows, "gpu", gpu)["cautions"].to_string().contains("host-bound");
    assert!(said("h200") && !said("h100-sxm5"), "{rows:?}");
    desk.file("ahead.json", trace_of_a_host_ahead());
    let busy = desk.types("rank --app ahead.json --to h200 --format json").works().json();
    assert!(!busy[0]["cautions"].to_string().contains("host-bound"), "{busy:?}");
}

/// A trace whose host launches everything in the first microseconds, while the GPU works for long.
fn trace_of_a_host_ahead() -> String {
    let mut events = String::new();
    for i in 0..40u64 {
        let name = ["gemm_a", "gemm_b", "add", "norm"][(i % 4) as usize];
        let (call, start) = (i, 100 + 100 * i);
        write!(events, r#"{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":9,"ts":{call},"dur":1,"args":{{"correlation":{i}1}}}},"#)
            .expect("a text");
        write!(events, r#"{{"ph":"X","cat":"kernel","name":"{name}","pid":0,"tid":7,"ts":{start},"dur":90,"args":{{"device":0,"stream":7,"correlation":{i}1,"registers per thread":64,"shared memory":0,"grid":[512,1,1],"block":[128,1,1]}}}},"#)
            .expect("a text");
    }
    let events = events.trim_end_matches(',');
    format!(r#"{{"deviceProperties":[{{"id":0,"name":"NVIDIA H100 80GB HBM3"}}],"traceEvents":[{events}]}}"#)
}

#[test]
fn a_step_found_by_its_kernels_is_cut_out_by_them() {
    let desk = Desk::new();
    desk.file("ahead.json", trace_of_a_host_ahead());
    let whole = desk.types("app ahead.json").works().stdout;
    assert!(whole.contains("repeats 10 times, by the order of kernels: 400 µs"), "{whole}");
    let step = desk.types("app ahead.json --range step --format json").works().stdout;
    let step: Value = serde_json::from_str(&step).expect("JSON");
    assert_eq!((step["kernel_count"].as_u64(), step["window_ms"].as_f64()), (Some(4), Some(0.4)));
    desk.types("app ahead.json --range step:2").ends(2, &["`step:2`: the trace has no ranges"]);
}

#[test]
fn what_would_change_nothing_is_refused_or_said() {
    let desk = Desk::new();
    desk.file("run.json", trace());
    desk.file("two.csv", TIMED_TWICE);
    let saxpy = "--kernel saxpy --size n=1048576 --from titan-v";
    for (words, said) in [
        (format!("predict {TYPED} --to rtx-4090@1500MHz --sm-clock 1600MHz"), "rtx-4090@1500MHz states that"),
        (
            format!("predict {saxpy} --to rtx-4070 --sm-clock l4=1.5GHz"),
            "l4 is neither a source nor a target",
        ),
        ("gemm --gpu rtx-4070 --n 512 --power-limit l4=60W".into(), "l4 is neither a source nor a target"),
        (format!("predict {saxpy} --to ,"), "expected GPUs and found none"),
        ("predict --batch two.csv --to l4 --launch block=64".into(), "cannot be used with"),
        ("rank --batch two.csv --to l4 --launch block=64".into(), "cannot be used with"),
        ("rank --app run.json --to l4 --model same-time".into(), "cannot be used with"),
        ("rank --app run.json --to l4 --launch block=128".into(), "cannot be used with"),
        ("rank --app run.json --to l4 --data two.csv".into(), "cannot be used with"),
        ("whatif --gpu rtx-4070 --kernel saxpy --goal 1us".into(), "--goal is the time that --solve"),
        ("whatif --gpu rtx-4070 --kernel saxpy --contour mem,l2".into(), "--contour is drawn"),
        (
            "whatif --gpu rtx-4070 --kernel saxpy --contour mem,mem --svg x.svg".into(),
            "two different numbers",
        ),
        (format!("predict {saxpy} --to l4 --set ,"), "--set changes nothing"),
        (format!("predict {saxpy} --to l4 --set mem=+20"), "only a percentage takes a sign"),
        (format!("predict {saxpy} --to l4 --sm-clock 1200MHz --sm-clock 1300MHz"), "has two values of it"),
        ("gpus l4 --sm-clock t4=1200MHz".into(), "t4 is neither a source nor a target"),
        ("whatif --gpu l4 --kernel saxpy --solve mem".into(), "give --goal, or --from GPU"),
        ("whatif --gpu l4,t4 --kernel saxpy".into(), "give --set CHANGES"),
        (
            "predict --kernel all --time 1ms --from t4 --to l4".into(),
            "are of one kernel: name one with --kernel",
        ),
        ("predict --kernel all --rate 1TFLOPS --to l4".into(), "are of one kernel: name one with --kernel"),
        (
            "export predictions --flops 1e12 --to l4,t4 -o x.svg".into(),
            "this chart shows one target: give one --to",
        ),
        (
            format!("predict {TYPED} --to l4 --iterations 10"),
            "--iterations changes nothing beside --flops and --dram-bytes",
        ),
        (format!("predict {} --to l4", TYPED.replace("50MB", "50Mb")), "Mb and Gb are bits"),
        (
            format!("predict {} --to l4", TYPED.replace("--threads 256", "--threads 2000")),
            "2000 threads per block",
        ),
        ("occupancy --gpu l4 --threads 256 --smem 48KB".into(), "no registers per thread"),
        ("check two.csv --baseline b.json --min-occupancy 0.9".into(), "90 for 90 %"),
        ("gemm --gpu l4,t4 --n 512".into(), "give one GPU"),
        (
            "rank --kernel linear_bf16 --from a100-sxm4-80gb --to l4 --launch block=64".into(),
            "change dtype alone",
        ),
    ] {
        desk.types(&words).ends(2, &[said]);
    }
    let misspelt = TIMED_TWICE.replace("dram_bytes", "dram_byte");
    desk.file("misspelt.csv", misspelt);
    for command in ["predict", "rank"] {
        let done = desk.types(&format!("{command} --batch misspelt.csv --to l4")).works();
        assert!(done.stderr.contains("dram_byte (meant: dram_bytes"), "{command}: {}", done.stderr);
    }
    let other = desk.types("rank --app run.json --from l40s --to l4").works();
    assert!(other.stderr.contains("run.json was recorded on h100-sxm5"), "{}", other.stderr);
    let all = desk.types(&format!("predict {saxpy} --to k20,l4 --sm-clock 1500MHz --format json")).works();
    assert!(all.stderr.contains("left out: --sm-clock: k20: SM clock 1500 MHz"), "{}", all.stderr);
    assert_eq!(all.json().len(), 1);
}

#[test]
fn a_setting_that_names_a_gpu_holds_for_it() {
    let desk = Desk::new();
    let ask = |to: &str, clocks: &str| {
        let words = format!("predict {TYPED} --to {to} {clocks} --format json");
        desk.types(&words).works().json()
    };
    let both = ask("rtx-4090,l4", "--sm-clock l4=1200MHz --sm-clock 1500MHz");
    assert_eq!(time(row_of(&both, "gpu_target", "l4@1200MHz")), time(&ask("l4", "--sm-clock 1200MHz")[0]));
    assert_eq!(
        time(row_of(&both, "gpu_target", "rtx-4090@1500MHz")),
        time(&ask("rtx-4090", "--sm-clock 1500MHz")[0])
    );
    let saxpy = "predict --kernel saxpy --size n=1048576 --from titan-v --to rtx-4070 --format json";
    let rounded = desk.types(&format!("{saxpy} --mem-clock 10501MHz")).works().json();
    assert!(rounded[0]["measured_ms"].is_number(), "10501 MHz is what tools print for 10500: {rounded:?}");
}

#[test]
fn a_size_is_of_the_kernels_of_the_file_and_a_chosen_one_is_said() {
    let desk = Desk::new();
    desk.file("two.csv", TIMED_TWICE);
    let asked = "predict --data two.csv --from rtx-3090 --to l4 --format json";
    let rows = desk.types(&format!("{asked} --size n=1000")).works().json();
    assert_eq!((rows.len(), &rows[0]["kernel"]), (1, &"my_k".into()));
    let other = desk.types(&format!("{asked} --size n=2000"));
    other.ends(1, &["this size was not measured"]);
    let chosen = desk.types("rank --kernel saxpy --from titan-v --to rtx-4070").works().stderr;
    assert!(chosen.contains("larger than every L2"), "{chosen}");
    // 128 MiB, of which the L2 of a B200 may hold a part.
    let most = desk.types("rank --kernel random_access --from titan-v --to b200").works().stderr;
    assert!(
        most.contains("no --size: using n=16777216, the largest known; it may fit in the L2 of a GPU"),
        "{most}"
    );
    let typed = desk.types("rank --kernel saxpy --size 2^24 --from titan-v --to rtx-4070").works().stderr;
    assert!(!typed.contains("no --size"), "{typed}");
}

#[test]
fn an_error_is_one_line_whoever_finds_it() {
    let desk = Desk::new();
    desk.file("comma.csv", "gpu,kernel,problem,time_ms\nl4,k,n=1,\"0,5\"\nl4,k,n=2,0.5ms\nl4,k,n=3,-1\n");
    for (words, code, said) in [
        (
            "gemm --gpu l4",
            2,
            "roofswap: error: the following required arguments were not provided: --n <N>; usage: ",
        ),
        ("predict --unheard-of", 2, "roofswap: error: unexpected argument '--unheard-of' found"),
        ("predict --to nowhere --from l4 --kernel saxpy", 2, "roofswap: error: "),
    ] {
        let done = desk.types(words);
        done.ends(code, &[said]);
    }
    let refused = desk.types("predict --data comma.csv --to t4").stderr;
    for said in [
        "milliseconds above 0, with a decimal point",
        "milliseconds above 0, without a unit",
        "`-1`: expected milliseconds above 0",
    ] {
        assert!(refused.contains(said), "{said}: {refused}");
    }
}

#[test]
fn a_time_is_none_of_a_gpu_that_lacks_what_the_kernel_needs() {
    let desk = Desk::new();
    for (words, said) in [
        ("--time 1ms --from a100-sxm4-80gb --to h100-sxm5 --flops 100GFLOP --pipe tensor-fp8", "lacks fp8"),
        (
            "--kernel linear_bf16 --size m=4096,n=4096,k=4096 --time 1ms --from v100-sxm2-16gb --to a100-sxm4-80gb",
            "lacks bf16",
        ),
    ] {
        for command in ["predict", "rank"] {
            let done =
                desk.types(&format!("{command} {words}")).ends(1, &["nothing could be predicted", said]);
            assert!(!done.stdout.contains('◆') || done.stdout.contains('-'), "{}", done.stdout);
        }
    }
}

#[test]
fn an_order_that_rows_have_no_number_of_is_said() {
    let desk = Desk::new();
    desk.file("run.json", trace());
    let watts = desk.types("rank --app run.json --to l4,h200,l40s --by perf-per-watt").works().stdout;
    assert!(watts.contains("energy unknown: the rows are ordered by time"), "{watts}");
    let rows =
        desk.types("rank --app run.json --to l4,h200,l40s --by perf-per-watt --format json").works().json();
    assert!(rows.windows(2).all(|two| time(&two[0]) <= time(&two[1])), "{rows:?}");
    desk.file("prices.csv", "gpu,usd_per_hour\nl4,1.00\n");
    let dollars = "rank --kernel saxpy --size 2^28 --from titan-v --to h200,l40s,l4 --by perf-per-dollar --prices prices.csv";
    let dollars = desk.types(dollars).works().stdout;
    assert!(dollars.contains("price unknown for 2 of 3 rows"), "{dollars}");
}

#[test]
fn an_updated_baseline_replaces_nothing_but_a_baseline() {
    let desk = Desk::new();
    let log = "ptxas info    : Compiling entry function 'axpy' for 'sm_90'\n\
        ptxas info    : Used 32 registers, used 1 barriers, 2048 bytes smem\n";
    desk.file("build.log", log);
    desk.file("runs.csv", TIMED_TWICE);
    desk.types("check build.log --baseline runs.csv --update")
        .ends(2, &["is no baseline; --update would overwrite it"]);
    assert_eq!(desk.read("runs.csv"), TIMED_TWICE);
    for _ in 0..2 {
        desk.types("check build.log --baseline base.json --update").works();
    }
}

/// A number that one of several GPUs cannot have leaves that one out, and is said; of one alone it is refused.
#[test]
fn a_change_that_one_of_several_gpus_cannot_have_leaves_it_out() {
    let desk = Desk::new();
    let ask =
        |to: &str| desk.types(&format!("predict --kernel saxpy --from titan-v --set tensor=+20% --to {to}"));
    let both = ask("gtx-1080-ti,l4").works();
    assert!(both.stderr.contains("left out: gtx-1080-ti"), "{}", both.stderr);
    assert!(both.stdout.contains("l4?tensor=+20%"), "{}", both.stdout);
    ask("gtx-1080-ti").ends(2, &["gtx-1080-ti"]);
}

/// A changed board starts from its own measured time in every command, as one at other settings does.
#[test]
fn a_change_without_a_source_starts_from_the_row_of_its_board() {
    let desk = Desk::new();
    for (kernel, gpu, changes) in [
        ("saxpy", "rtx-4070", "memory=24GiB"),
        ("saxpy", "rtx-4070", "mem=+10%"),
        ("vector_add_divergent", "gtx-titan-x", "mem=+20%"),
        ("torch_linear", "l4", "mem=+20%"),
    ] {
        let size = if kernel == "torch_linear" { "n=4096" } else { "n=1048576" };
        let ask = |words: String| {
            desk.types(&format!("{words} --kernel {kernel} --size {size} --set {changes} --format json"))
                .works()
                .stdout
        };
        let rows = |words| -> Vec<Value> { serde_json::from_str(&ask(words)).unwrap() };
        let [predicted, ranked] = [format!("predict --to {gpu}"), format!("rank --to {gpu}")].map(rows);
        let changed = format!("{gpu}?{changes}");
        let expected = time(row_of(&predicted, "gpu_target", &changed));
        assert_eq!(time(row_of(&ranked, "gpu", &changed)), expected, "{kernel}");
        let whatif: Value = serde_json::from_str(&ask(format!("whatif --gpu {gpu}"))).unwrap();
        assert!(whatif.to_string().contains(&format!("\"time_ms\":{expected}")), "{kernel}: {whatif}");
    }
}

/// The measured time of a target is the answer, marked as one, and has no error against itself.
#[test]
fn a_measured_target_is_marked_so_and_has_no_error_against_itself() {
    let desk = Desk::new();
    let rows = "gpu,kernel,problem,dram_bytes,time_ms\nrtx-3090,mine,n=4,1e8,0.2\nl40s,mine,n=4,1e8,0.25\n";
    let file = desk.file("mine.csv", rows);
    let asked = |more: &str| desk.types_with(&format!("predict --to l40s {more} --data"), &[&file]).works();
    let row = asked("--format json").json().remove(0);
    assert!(row["error_percent"].is_null() && row["time_kind"] == "measured", "{row}");
    assert_eq!(asked("").stdout.matches("250 µs ●").count(), 2, "{}", asked("").stdout);
    let from_other = asked("--from rtx-3090 --format json").json().remove(0);
    assert!(from_other["error_percent"].is_number() && from_other["time_kind"] == "scaled", "{from_other}");
}

/// A time was taken under the power limit that its row states, whether another limit is typed or not.
#[test]
fn a_row_states_the_power_limit_of_its_time() {
    let desk = Desk::new();
    desk.file("lim.csv", "gpu,kernel,problem,time_ms,power_limit_w\nh100-sxm5,linear_bf16,n=8192,2.8,300\n");
    let words = "--data lim.csv --kernel linear_bf16 --size n=8192 --format json --from";
    let to_h200 = |from: &str| desk.types(&format!("predict {words} {from} --to h200")).works().json();
    let (plain, named) = (to_h200("h100-sxm5"), to_h200("h100-sxm5@300W"));
    assert!(time(&plain[0]) < 1.5, "of a board that runs at 700 W: {plain:?}");
    assert_eq!(time(&plain[0]), time(&named[0]));
    let rows = desk.types(&format!("rank {words} h100-sxm5 --to h100-sxm5,h100-sxm5@300W")).works().json();
    let [stock, limited] = ["h100-sxm5", "h100-sxm5@300W"].map(|gpu| time(row_of(&rows, "gpu", gpu)));
    assert!((limited - 2.8).abs() < 1e-9 && stock < 1.5, "{rows:?}");
}

/// Rows on the target and a clock that is set for it: `rank`, `predict` and `whatif` answer from the source that was named.
#[test]
fn a_timed_target_at_a_set_clock_has_one_answer() {
    let desk = Desk::new();
    let rows =
        "gpu,kernel,problem,time_ms\nrtx-4070,saxpy,n=2097152,0.0185\ntitan-v,saxpy,n=2097152,0.0412\n";
    desk.file("rows.csv", rows);
    let words = "--data rows.csv --from titan-v --kernel saxpy --size n=2097152 --sm-clock rtx-4070=1500MHz --format json";
    let ask = |command: &str| desk.types(&format!("{command} {words}")).works();
    let predicted = time(&ask("predict --to rtx-4070").json()[0]);
    assert_eq!(time(&ask("rank --to rtx-4070").json()[0]), predicted);
    let whatif: Value = serde_json::from_str(&ask("whatif --gpu rtx-4070").stdout).unwrap();
    assert_eq!(time(&whatif), predicted);
}

/// An interval ends at no time that is estimated itself, and under a limit it is as wide in every command.
#[test]
fn an_interval_is_not_cut_at_an_estimate() {
    let desk = Desk::new();
    let ends = |row: &Value| ["low_ms", "time_ms", "high_ms"].map(|key| row[key].as_f64().unwrap());
    let whatif = |words: &str| {
        let told = desk.types(&format!("whatif --gpu rtx-4070 {words} --format json")).works().stdout;
        serde_json::from_str::<Value>(&told).unwrap()
    };
    let more = whatif("--kernel saxpy --size n=2^24 --set mem=+1%");
    assert!(ends(&more)[2] > 1.1 * more["base_time_ms"].as_f64().unwrap(), "{more}");
    let words = "--kernel matmul_tiled --size n=1024";
    let limited = ends(&whatif(&format!("{words} --power-limit 100W")));
    let ranked = desk.types(&format!("rank {words} --to rtx-4070@100W --format json")).works().json();
    let apart = limited.iter().zip(ends(&ranked[0])).map(|(a, b)| (a / b - 1.0).abs());
    assert!(apart.fold(0.0, f64::max) < 1e-9, "{limited:?}: {ranked:?}");
}

/// A trace says nothing of a power limit: the one that is set for its GPU is the one it ran under, however that was said.
#[test]
fn a_limit_of_a_traced_gpu_is_the_same_by_name_and_by_flag() {
    let desk = Desk::new();
    desk.file("run.json", trace());
    let kernels = |words: &str| {
        let rows = desk.types(&format!("app run.json --to h200 {words} --format json")).works().stdout;
        let told: Value = serde_json::from_str(&rows).unwrap();
        told["targets"][0]["kernels_ms"].as_f64().unwrap()
    };
    let named = kernels("--from h100-sxm5@300W");
    assert_eq!(named, kernels("--power-limit h100-sxm5=300W"));
    assert!(named < 0.95 * kernels(""), "faster than it was under 300 W");
}
