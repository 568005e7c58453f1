//! The command line as a person or a script meets it: what is typed, what is answered, how it ends.

use crate::desk;
use crate::skipping::skip_aloud;

use desk::Desk;
use serde_json::Value;
use std::path::Path;
use std::process::Stdio;

const COLUMNS: [&str; 30] = [
    "gpu_source",
    "gpu_target",
    "kernel",
    "problem",
    "model",
    "source_time_ms",
    "source_kind",
    "time_ms",
    "low_ms",
    "high_ms",
    "speedup",
    "bound_source",
    "bound_target",
    "occupancy_source",
    "occupancy_target",
    "efficiency",
    "measured_ms",
    "error_percent",
    "cautions",
    "levels_low_ms",
    "levels_high_ms",
    "sm_clock_mhz_source",
    "sm_clock_mhz_target",
    "mem_clock_mhz_source",
    "mem_clock_mhz_target",
    "power_limit_w_source",
    "power_limit_w_target",
    "speedup_over_profile",
    "time_kind",
    "variant",
];

const SAXPY: &str = "predict --from titan-v --to rtx-4070 --kernel saxpy --model efficiency-transfer";

fn near(value: &Value, expected: f64) -> bool {
    value.as_f64().is_some_and(|v| (v / expected - 1.0).abs() < 1e-9)
}

// ---------------------------------------------------------------------------------------------------------------------
// Predictions
// ---------------------------------------------------------------------------------------------------------------------

#[test]
fn a_prediction_has_the_promised_columns_and_the_values_worked_out_by_hand() {
    let rows = Desk::new().types(&format!("{SAXPY} --size n=1048576 --format json")).works().json();
    assert_eq!(rows.len(), 1);
    let row = &rows[0];
    assert_eq!(row.as_object().unwrap().keys().collect::<Vec<_>>(), COLUMNS);
    assert_eq!((&row["kernel"], &row["problem"]), (&"saxpy".into(), &"n=1048576".into()));
    assert_eq!((&row["source_time_ms"], &row["source_kind"]), (&0.024558.into(), &"published".into()));
    // saxpy moves 12 bytes for 2 FLOPs: I = 1/6 FLOP/B, far left of both ridge points, so DRAM binds on both GPUs and
    // the roof is I x bandwidth. Both run 256 threads of 12 registers: occupancy 1 on both.
    // T = 0.024558 ms x 652.8 GB/s / 504 GB/s = 0.0318084571... ms.
    assert!(near(&row["time_ms"], 0.024558 * 652.8 / 504.0), "{row}");
    assert_eq!((&row["bound_source"], &row["bound_target"]), (&"DRAM".into(), &"DRAM".into()));
    assert_eq!((&row["occupancy_source"], &row["occupancy_target"]), (&1.into(), &1.into()));
    assert!(near(&row["speedup"], 504.0 / 652.8), "{row}");
    // 12 x 2^20 bytes in 0.024558 ms over 652.8 GB/s.
    assert!(near(&row["efficiency"], 12.0 * 1_048_576.0 / 0.024558e-3 / 652.8e9), "{row}");
    assert_eq!(row["measured_ms"], 0.009304);
    assert!(near(&row["error_percent"], 100.0 * (0.024558 * 652.8 / 504.0 / 0.009304 - 1.0)), "{row}");
    let (low, time, high) = (&row["low_ms"], &row["time_ms"], &row["high_ms"]);
    assert!(low.as_f64() < time.as_f64() && time.as_f64() < high.as_f64(), "{row}");
}

#[test]
fn csv_and_json_have_the_same_columns_and_numbers() {
    let desk = Desk::new();
    let csv = desk
        .types("predict --from titan-v --to rtx-4070,rtx-2080-ti --model all --format csv")
        .works()
        .stdout;
    let json = desk
        .types("predict --from titan-v --to rtx-4070,rtx-2080-ti --model all --format json")
        .works()
        .json();
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    assert_eq!(reader.headers().unwrap().iter().collect::<Vec<_>>(), COLUMNS);
    let records: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(records.len(), json.len());
    for (record, object) in records.iter().zip(&json) {
        for (field, column) in record.iter().zip(COLUMNS) {
            match &object[column] {
                Value::Null => assert_eq!(field, "", "{column}"),
                Value::Number(n) => {
                    // serde_json reads the last digit of a long number only roughly.
                    let (field, n): (f64, f64) = (field.parse().unwrap(), n.as_f64().unwrap());
                    assert!((field - n).abs() <= 4.0 * f64::EPSILON * n.abs(), "{column}: {field} {n}");
                }
                Value::String(s) => assert_eq!(field, s, "{column}"),
                list => {
                    let texts: Vec<&str> =
                        list.as_array().unwrap().iter().filter_map(Value::as_str).collect();
                    assert_eq!(field, texts.join(" | "), "{column}");
                }
            }
        }
    }
}

#[test]
fn a_size_nobody_timed_is_scaled_and_says_so() {
    let desk = Desk::new();
    let row = desk.types(&format!("{SAXPY} --size n=2^22 --format json")).works().json().remove(0);
    assert_eq!(row["source_kind"], "estimated");
    assert_eq!(row["measured_ms"], Value::Null);
    assert!(
        row["cautions"][0]
            .as_str()
            .unwrap()
            .contains("scaled as `components` does from the measured size n=1048576")
    );
    let table = desk.types(&format!("{SAXPY} --size n=2^22")).works().stdout;
    let line = table.lines().find(|l| l.starts_with("saxpy")).unwrap();
    assert_eq!(line.matches('◆').count(), 2, "both times are scaled from another size: {line}");
    assert!(!line.contains('~') && !line.contains('●'), "{line}");
}

#[test]
fn a_kernel_that_cannot_launch_is_an_answer_without_a_time() {
    let words =
        "predict --from titan-v --to rtx-4070 --kernel gemm_tiled --size n=1024,tile=64 --format json";
    let row = Desk::new().types(words).ends(1, &["nothing could be predicted"]).json().remove(0);
    for column in ["source_time_ms", "source_kind", "time_ms", "low_ms", "high_ms", "speedup", "bound_target"]
    {
        assert_eq!(row[column], Value::Null, "{column}");
    }
    assert!(
        row["cautions"][0].as_str().unwrap().contains("cannot launch: 4096 threads per block, at most 1024"),
        "{row}"
    );
}

#[test]
fn every_kernel_is_answered_for_where_none_is_named() {
    let desk = Desk::new();
    let rows = desk.types("predict --from titan-v --to rtx-4070 --format json").works().json();
    let kernels = desk.types("kernels --format json").works().json();
    assert_eq!(rows.len(), kernels.len());
    assert!(rows.len() >= 16);
    let everywhere =
        desk.types("predict --from titan-v --to all --kernel saxpy --format json").works().json();
    let gpus = desk.types("gpus --format json").works().json();
    assert_eq!(everywhere.len(), gpus.len() - 1, "every GPU but the source");
}

#[test]
fn the_explanation_leads_to_the_predicted_time_and_its_interval() {
    let desk = Desk::new();
    let text = desk.types(&format!("{SAXPY} --explain")).works().stdout;
    assert!(
        text.contains("roof ratio") && text.contains("published: titan-v-page | published: geforce-40"),
        "{text}"
    );
    let predicted =
        text.lines().position(|l| l.starts_with("predicted time") && l.contains("31.8 µs")).unwrap();
    let after: Vec<&str> = text.lines().skip(predicted + 1).filter(|l| !l.is_empty()).collect();
    assert!(
        after[0].starts_with("90 % interval 12.0–84.4 µs (a factor of 2.65 either way): from 156 errors"),
        "{after:?}"
    );
    assert_eq!(after[1], "measured (published) on the target: 9.30 µs; predicted is 241.9 % higher");
    assert!(after[2..].iter().all(|l| l.starts_with("data: ")) && after.len() > 3, "{after:?}");
    let factors = desk.types(&format!("{SAXPY} --explain --format json")).works().json();
    let roof = factors.iter().find(|f| f["factor"] == "DRAM bandwidth").unwrap();
    assert!(
        near(&roof["source"], 652.8e9) && near(&roof["target"], 504e9) && roof["unit"] == "B/s",
        "{roof}"
    );
}

const MATMUL: &str = "predict --from titan-v --to rtx-4070 --kernel matmul_tiled --size n=512";

#[test]
fn a_prediction_taken_apart_multiplies_to_itself_and_names_what_binds() {
    let desk = Desk::new();
    let rows = desk.types(&format!("{MATMUL} --explain --format json")).works().json();
    let of = |part: &'static str| rows.iter().filter(move |r| r["part"] == part);
    let time =
        desk.types(&format!("{MATMUL} --format json")).works().json()[0]["time_ms"].as_f64().unwrap() / 1e3;
    let steps: Vec<&Value> = of("step").collect();
    assert_eq!((&steps[0]["factor"], &steps[0]["times"]), (&"time on the source".into(), &Value::Null));
    let product: f64 = steps.iter().filter_map(|s| s["times"].as_f64()).product();
    assert!(near(&steps[0]["time_s"], 95.146e-6) && near(&(95.146e-6 * product).into(), time), "{product}");
    assert!(near(&steps[steps.len() - 1]["time_s"], time));
    let sms = steps.iter().find(|s| s["factor"] == "SMs").unwrap();
    assert_eq!((&sms["source"], &sms["target"]), (&80.into(), &46.into()));
    assert!(sms["times"].as_f64() > Some(1.0), "fewer SMs, more time: {sms}");
    // 16 load/store lanes beside 32: LSU binds on the target, twice as long as shared memory, the next.
    let component = |name: &str| of("component").find(|r| r["factor"] == name).unwrap();
    assert_eq!(component("LSU")["target_share"], 1);
    let next = component("shared")["target_share"].as_f64().unwrap();
    assert!(
        next < 0.5
            && of("component").all(|r| r["factor"] == "LSU" || r["target_share"].as_f64() <= Some(next))
    );
    assert!(
        of("elasticity").all(|r| r["elasticity"].as_f64() < Some(0.0) && r["times"].as_f64() < Some(1.0))
    );
    assert!(of("measure").count() >= 1);
}

#[test]
fn a_prediction_taken_apart_reads_from_the_source_to_the_target() {
    let text = Desk::new().types(&format!("{MATMUL} --explain")).works().stdout;
    let line = |start: &str| {
        text.lines().find(|l| l.starts_with(start)).unwrap_or_else(|| panic!("{start}: {text}"))
    };
    assert!(line("time on the source").contains("95.1 µs ●"));
    assert!(line("SMs ").contains("80 → 46"));
    assert!(line("exposed latency").contains("warps wait for loads and results: roof × 1.01 → × 1.24"));
    assert!(line("predicted ").contains("172 µs ◆"));
    assert!(line("LSU ").matches('◀').count() == 2);
    assert_eq!(
        line("RTX 4070: "),
        "RTX 4070: bound by latency, 1.24× over LSU; next limit: shared, 2.10× below"
    );
    assert!(line("10 % more load/store lanes (16)").ends_with("% faster"));
    // It was not measured on the source: the chain begins at what binds on the target.
    let untimed = "predict --from titan-v --to rtx-4070 --kernel atomic_hotspot --explain";
    let text = Desk::new().types(untimed).works().stdout;
    assert!(text.contains("atomics on the target") && text.contains("typical efficiency"), "{text}");
    // Its DRAM bytes are those of one counter.
    let line = |start: &str| text.lines().find(|line| line.starts_with(start));
    assert!(line("L1 ").is_some() && line("L2 ").is_none(), "{text}");
}

#[test]
fn models_side_by_side_say_how_far_apart_they_lie_and_which_is_the_default() {
    let desk = Desk::new();
    let text =
        desk.types("predict --from titan-v --to rtx-4070 --kernel histogram --model all").works().stdout;
    assert!(
        text.contains("histogram n=1048576 on rtx-4070: models disagree by 2.15×: 40.9–87.8 µs"),
        "{text}"
    );
    assert!(text.contains("components is the default: its MAPE over the shipped figures"), "{text}");
    // What refuses has a dash and its reason below.
    let refused = text.lines().find(|l| l.contains("first-principles")).unwrap();
    assert!(refused.contains(" -  ") && text.contains("and first-principles does not model them"), "{text}");
    let one = desk.types("predict --from titan-v --to rtx-4070 --kernel histogram").works().stdout;
    assert!(!one.contains("apart"), "{one}");
}

#[test]
fn component_times_are_drawn_for_models_that_know_them() {
    let desk = Desk::new();
    let export = "export components --from titan-v --to rtx-4070 --kernel matmul_tiled --size n=512 -o -";
    let svg = desk.types(export).works().stdout;
    for text in ["TITAN V: 49.6 µs ◀", "RTX 4070: 101 µs ◀", "time, µs", "LSU", "L1", "compute"] {
        assert!(svg.contains(text), "{text}");
    }
    assert!(!svg.contains("atomics"), "a component without work has no bar");
    desk.types(&format!("{export} --model same-time"))
        .ends(2, &["same-time has no component times", "--model components"]);
    let tile =
        "export components --from titan-v --to rtx-4070 --kernel gemm_tiled --size n=1024,tile=64 -o -";
    desk.types(tile).ends(1, &["4096 threads"]);
    desk.types("export components --from titan-v --to rtx-4070 -o -").ends(2, &["give one --kernel"]);
}

#[test]
fn the_title_names_the_ceilings_really_used() {
    let desk = Desk::new();
    let title = |words: &str| desk.types(words).works().stdout.lines().next().unwrap_or_default().to_string();
    assert!(title(&format!("{SAXPY} --ceilings achieved")).contains("· achieved roofs ·"));
    // Nobody measured the ceilings of a Tesla T4.
    let fell_back =
        title("predict --from titan-v --to t4 --kernel saxpy --model plain-roofline --ceilings achieved");
    assert!(fell_back.contains("· peak roofs ·"), "{fell_back}");
    let mixed = title(&format!("{SAXPY} --to t4 --ceilings achieved"));
    assert!(mixed.contains("where both GPUs have them"), "{mixed}");
    // The default model's times rest on neither, and whoever chose one is told so.
    let words = "predict --from titan-v --to rtx-4070 --kernel saxpy";
    let default = desk.types(&format!("{words} --ceilings achieved")).works();
    assert!(
        default.stdout.lines().next().unwrap_or_default().contains("· sustained rates ·"),
        "{}",
        default.stdout
    );
    let told = "--ceilings ignored: components uses sustained rates; it affects";
    assert!(default.stderr.contains(told), "{}", default.stderr);
    assert_eq!(desk.types(words).works().stderr, "", "nobody chose anything");
}

#[test]
fn markdown_is_a_pipe_table() {
    let text = Desk::new().types(&format!("{SAXPY} --format markdown")).works().stdout;
    let pipes: Vec<usize> =
        text.lines().filter(|l| l.starts_with('|')).map(|l| l.matches('|').count()).collect();
    assert_eq!(pipes.len(), 3, "{text}");
    assert!(pipes.windows(2).all(|w| w[0] == w[1]), "{text}");
}

// ---------------------------------------------------------------------------------------------------------------------
// Slips
// ---------------------------------------------------------------------------------------------------------------------

#[test]
fn targets_and_sizes_are_read_as_people_type_them() {
    let desk = Desk::new();
    let boards = desk.types("predict --from titan-v --to h100 --kernel saxpy --format json").works().json();
    let names: Vec<&Value> = boards.iter().map(|row| &row["gpu_target"]).collect();
    assert_eq!(names, ["h100-pcie", "h100-sxm5", "h100-nvl"]);
    let typed = "predict --from v100-sxm2 --to l4 --kernel saxpy --time 1ms --size 2^26";
    assert!(desk.types(typed).works().stdout.contains("n=67108864"));
    desk.types("predict --from v100-sxm2 --to l4 --name mine --time 1ms --size 2^26")
        .ends(2, &["write the key as well"]);
    desk.types("predict --from h100 --to l4 --kernel saxpy").ends(2, &["ambiguous", "h100-sxm5"]);
}

/// What is wrong, where, and what to type instead, without what helps nobody.
#[test]
fn an_error_says_what_was_expected_in_few_words() {
    let desk = Desk::new();
    desk.file("text.txt", "hello world\n");
    desk.file("few.csv", "kernel,problem,time_ms\nsaxpy,n=4,1\n");
    desk.file("mix.csv", "kernel,calls\nsaxpy,2\n");
    desk.file("calls.toml", "[[kernel]]\nkernel = \"saxpy\"\ncalls = -1\n");
    desk.file("empty.csv", "");
    let data = "predict --to l4 --data";
    let trace = "expected a PyTorch or JAX trace (.json, .json.gz), an Nsight Systems export (.sqlite) or a report of ncu";
    let mix = "expected TOML with a [[kernel]] for each: kernel = \"saxpy\", size = \"n=2^24\", calls = 120";
    for (words, code, said) in [
        (&*format!("{data} none.csv"), 1, "error: none.csv: no such file\n"),
        ("rank --kernel saxpy --to l4 --prices none.csv", 1, "error: none.csv: no such file\n"),
        ("occupancy --batch none.csv", 1, "error: none.csv: no such file\n"),
        ("sass config", 1, "error: config: is a folder; give a file in it\n"),
        ("rank --to l4 --mix config", 1, "error: config: is a folder; give a file in it\n"),
        (
            &format!("{data} few.csv"),
            1,
            "few.csv:1: `kernel,problem,time_ms`: no column `gpu`; expected measurements",
        ),
        (&format!("{data} empty.csv"), 1, "NVBench, or of a compiler\n"),
        ("app text.txt", 1, &format!("text.txt: is of no known format; {trace}")),
        ("app empty.csv", 1, &format!("empty.csv: is empty; {trace}")),
        ("rank --to l4 --mix mix.csv", 1, &format!("mix.csv: is no mix of kernels; {mix}")),
        ("rank --to l4 --mix empty.csv", 1, &format!("empty.csv: is empty; {mix}")),
        ("rank --to l4 --mix -", 1, &format!("standard input: is empty; {mix}")),
        ("rank --to l4 --mix calls.toml", 1, "calls.toml:3: calls = -1: expected a number above 0\n"),
        ("rank --kernel saxpy --to l4 --prices empty.csv", 1, "SkyPilot; it has none\n"),
        ("predict --kernel saxpy --to adda", 2, "unknown GPU `adda`; nearest: ada\n"),
        ("predict --kernel saxpy --to rtx-4O70", 2, "rtx-4080, rtx-4090\n"),
        ("predict --kernel saxpy --to nobody", 2, "`each-architecture`"),
        ("predict --to l4 --kernel=", 2, "expected a kernel and found an empty name"),
        ("predict --to l4 --time 1ms --from l4 --dram-bytes 4,2GB", 2, "; decimals have a point\n"),
        ("audit text.txt --check foo", 2, "error: unexpected argument '--check' found; usage: "),
        ("occupancy --batch empty.csv", 0, "empty.csv: is empty; expected lines of cc threads regs"),
    ] {
        desk.types(words).ends(code, &[said]);
    }
}

#[test]
fn an_unknown_name_is_answered_with_the_nearest() {
    let desk = Desk::new();
    desk.types("predict --from titan-v --to rtx-4071").ends(2, &["unknown GPU `rtx-4071`", "rtx-4070"]);
    desk.types("predict --from titan-v --to rtx-4070 --kernel saxpi").ends(2, &["unknown kernel", "saxpy"]);
    desk.types(&format!("{SAXPY} --model magic")).ends(2, &["unknown model `magic`", "same-time"]);
    desk.types("gpus rtx").ends(2, &["ambiguous", "rtx-3080"]);
    desk.types("kernels nothing").ends(2, &["unknown kernel `nothing`"]);
    desk.types("man nothing").ends(2, &["unknown command `nothing`", "predict"]);
    desk.types("predict --bogus").ends(2, &["--bogus"]);
}

#[test]
fn an_absurd_size_is_refused_with_what_was_expected() {
    let desk = Desk::new();
    for size in ["n=0", "n=-4", "n=1e30", "n=1.5", "n=", "n=nan"] {
        desk.types(&format!("{SAXPY} --size {size}")).ends(2, &["expected a whole number from 1 to 2^53"]);
    }
    desk.types(&format!("{SAXPY} --size much")).ends(2, &["expected key=value"]);
    desk.types(&format!("{SAXPY} --size -4")).ends(2, &["n=-4: expected a whole number"]);
    desk.types(&format!("{SAXPY} --size m=4")).ends(2, &["saxpy has no problem key `m`; its keys are n"]);
    desk.types("predict --from titan-v --to rtx-4070 --size zz=4").ends(2, &["no kernel fits"]);
    desk.types("occupancy --gpu rtx-4070 --kernel saxpy --size n=0").ends(2, &["expected a whole number"]);
    // The largest size there is leaves no number unsound.
    desk.types(&format!("{SAXPY} --size n=2^53 --format json")).ends(1, &["blocks along x"]).json();
}

#[test]
fn a_bare_size_is_enough_where_one_key_can_be_meant() {
    let desk = Desk::new();
    let problem = |words: &str| {
        let row = desk.types(&format!("predict --from titan-v --to rtx-4070 --format json {words}")).works();
        row.json()[0]["problem"].as_str().unwrap().to_string()
    };
    assert_eq!(problem("--kernel saxpy --size 2^20"), "n=1048576");
    assert_eq!(problem("--kernel matmul_tiled --size 1k"), "m=1000;n=1000;k=1000");
    let two = "predict --from titan-v --to rtx-4070 --kernel squared_distance --size 1024";
    desk.types(two).ends(2, &["`1024`", "the keys k, b, t; type k=128;b=1024"]);
}

#[test]
fn a_variant_nobody_timed_is_answered_with_those_there_are() {
    let desk = Desk::new();
    desk.types(&format!("{SAXPY} --variant wide"))
        .ends(2, &["saxpy has no variant `wide`", "leave --variant out"]);
    let header = "gpu,kernel,problem,variant,time_ms\n";
    let rows: String = (0..7).map(|i| format!("titan-v,saxpy,n=4096,v{i},0.05\n")).collect();
    let file = desk.file("variants.csv", format!("{header}{rows}"));
    desk.types_with(&format!("{SAXPY} --variant wide --data"), &[&file])
        .ends(2, &["some of its 7 variants are v0, v1, v2, v3, v4"]);
    let row = desk.types_with(&format!("{SAXPY} --variant v3 --format json --data"), &[&file]).works();
    assert_eq!(row.json()[0]["problem"], "n=4096", "the size this variant was timed at");
}

#[test]
fn a_theme_that_does_not_exist_is_a_slip_of_the_keyboard() {
    Desk::new().types("--theme pink").ends(2, &["unknown theme `pink`", "dark, light"]);
}

#[test]
fn what_is_missing_is_asked_for() {
    let desk = Desk::new();
    desk.types("predict").ends(2, &["no --to"]);
    desk.types("predict --from titan-v").ends(2, &["no --to", "rtx-4070"]);
    desk.types("occupancy").ends(2, &["no --gpu"]);
    desk.types("occupancy --gpu rtx-4070").ends(2, &["--kernel NAME", "--threads N and --regs N"]);
    desk.types("occupancy --gpu rtx-4070 --threads 256").ends(2, &["--regs N"]);
    desk.types("occupancy --gpu rtx-4070 --threads 0 --regs 8").ends(2, &["--threads"]);
}

#[test]
fn without_a_terminal_the_dashboard_names_the_commands_instead() {
    let said = Desk::new().types("").ends(2, &["needs a terminal", "roofswap predict", "roofswap gpus"]);
    assert_eq!(said.stdout, "");
}

// ---------------------------------------------------------------------------------------------------------------------
// The user's own files
// ---------------------------------------------------------------------------------------------------------------------

const HEADER: &str = "gpu,kernel,problem,time_ms\n";

#[test]
fn a_measurement_of_ones_own_goes_before_the_published_figure() {
    let desk = Desk::new();
    let good = desk.file("good.csv", format!("{HEADER}titan-v,saxpy,n=1048576,0.05\n"));
    let done = desk.types_with(&format!("{SAXPY} --format json --data"), &[&good]).works();
    assert_eq!(done.stderr, "");
    let row = done.json().remove(0);
    assert_eq!((&row["source_time_ms"], &row["source_kind"]), (&0.05.into(), &"measured".into()));
}

#[test]
fn a_half_written_file_gives_its_good_rows_and_names_the_bad_one() {
    let desk = Desk::new();
    let half = desk.file("half.csv", format!("{HEADER}titan-v,saxpy,n=1048576,0.05\nrtx-4070,saxpy,n=10"));
    let done = desk.types_with(&format!("{SAXPY} --format json --data"), &[&half]).works();
    assert!(done.stderr.contains("half.csv:3: row: the row has 3 fields"), "{}", done.stderr);
    assert!(done.stderr.contains("1 row loaded, 1 refused"), "{}", done.stderr);
    assert_eq!(done.json()[0]["source_time_ms"], 0.05);
}

#[test]
fn many_bad_rows_are_counted_not_poured_out() {
    let desk = Desk::new();
    let bad = desk.file("bad.csv", format!("{HEADER}{}", "rtx-9999,saxpy,n=1,1\n".repeat(500)));
    desk.types_with(&format!("{SAXPY} --data"), &[&bad]).ends(1, &["bad.csv: has no usable row"]);
    let one = "titan-v,saxpy,n=1,1\n";
    let bad = desk.file("bad.csv", format!("{HEADER}{one}{}", "rtx-9999,saxpy,n=1,1\n".repeat(500)));
    let done = desk.types_with(&format!("{SAXPY} --data"), &[&bad]).works();
    assert_eq!(done.stderr.lines().count(), 3, "{}", done.stderr);
    for words in ["100 rows (lines 3-102): gpu: unknown GPU `rtx-9999`", "and 400 more", "500 refused"] {
        assert!(done.stderr.contains(words), "{words}: {}", done.stderr);
    }
}

#[test]
fn a_file_that_cannot_be_read_is_named_and_fails() {
    let desk = Desk::new();
    let binary = desk.file("binary.csv", [0_u8, 159, 146, 150].repeat(1000));
    let wide = HEADER.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let wide = desk.file("utf16.csv", wide);
    let empty = desk.file("empty.csv", "");
    let missing = desk.path("missing.csv");
    for path in [&binary, &wide, &empty, &missing, &desk.path("")] {
        let name = path.file_name().unwrap().to_str().unwrap().to_string();
        desk.types_with(&format!("{SAXPY} --data"), &[path]).ends(1, &[&name]);
    }
}

#[test]
fn a_row_in_another_encoding_is_refused_and_the_rest_loads() {
    let desk = Desk::new();
    let mut bytes = format!("{HEADER}titan-v,saxpy,n=1048576,0.05\ntitan-v,caf").into_bytes();
    bytes.extend(b"\xe9,n=1,1\n");
    let latin = desk.file("latin.csv", bytes);
    let done = desk.types_with(&format!("{SAXPY} --format json --data"), &[&latin]);
    assert!(done.stderr.contains("latin.csv"), "{}", done.stderr);
    assert!(!done.stderr.contains("panicked"));
    if done.code == 0 {
        assert_eq!(done.json()[0]["source_time_ms"], 0.05);
    }
}

#[test]
fn a_bad_file_in_the_users_folder_is_a_warning() {
    let desk = Desk::new();
    std::fs::create_dir(desk.path("config/gpus")).unwrap();
    desk.file("config/gpus/mine.toml", "id = \"mine\"\nname = = 3\n");
    let done = desk.types("gpus --format csv").works();
    assert!(done.stderr.contains("mine.toml:2"), "{}", done.stderr);
    assert!(done.stdout.contains("rtx-4070"));
}

#[test]
fn a_name_with_escape_codes_never_reaches_the_terminal() {
    let desk = Desk::new();
    let sly =
        desk.file("sly.csv", format!("{HEADER}titan-v,\u{1b}[2Jwiped,n=1,1\n\u{1b}[31mred,saxpy,n=1,1\n"));
    let done = desk.types_with("predict --from titan-v --to rtx-4070 --data", &[&sly]).works();
    assert!(!done.stdout.contains('\u{1b}') && !done.stderr.contains('\u{1b}'));
}

// ---------------------------------------------------------------------------------------------------------------------
// Occupancy, lists, models
// ---------------------------------------------------------------------------------------------------------------------

#[test]
fn occupancy_names_both_limiters_of_the_tiled_product() {
    let desk = Desk::new();
    let row =
        desk.types("occupancy --kernel matmul_tiled --gpu rtx-4070 --format json").works().json().remove(0);
    // 37 registers x 32 = 1,184, rounded up to 1,280 per warp; 65,536 / 4 / 1,280 = 12 warps per part, 48 in all: one
    // block of 32 warps. 48 warp slots hold one such block too.
    assert_eq!(
        (&row["active_blocks"], &row["active_warps"], &row["max_warps"]),
        (&1.into(), &32.into(), &48.into())
    );
    assert_eq!(row["limiters"], serde_json::json!(["registers", "warps"]));
    assert!(near(&row["occupancy"], 2.0 / 3.0));
    let text = desk.types("occupancy --kernel matmul_tiled --gpu rtx-4070").works().stdout;
    assert!(text.contains("32/48") && text.contains("66.7 %"), "{text}");
}

#[test]
fn occupancy_of_a_typed_block_agrees_with_the_kernel_of_that_shape() {
    let desk = Desk::new();
    let typed = desk
        .types("occupancy --gpu rtx-4070,titan-v --threads 1024 --regs 37 --smem-static 8192 --format json")
        .works()
        .json();
    assert_eq!((&typed[0]["active_blocks"], &typed[1]["active_blocks"]), (&1.into(), &1.into()));
    let study = "occupancy --gpu titan-v --threads 704 --regs 88 --format json";
    assert_eq!(desk.types(study).works().json()[0]["active_blocks"], 0);
    assert_eq!(desk.types(&format!("{study} --rules study")).works().json()[0]["active_blocks"], 1);
}

#[test]
fn the_tiled_product_fits_as_paper_4_says() {
    // Table I: active blocks on an SM of the RTX 4070, by tile.
    for (tile, blocks) in [(1, 24), (4, 24), (8, 24), (16, 6), (32, 1)] {
        let words =
            format!("occupancy --gpu rtx-4070 --kernel gemm_tiled --size n=1024;tile={tile} --format json");
        assert_eq!(Desk::new().types(&words).works().json()[0]["active_blocks"], blocks, "tile {tile}");
    }
}

#[test]
fn lists_show_every_entry_and_details_name_their_sources() {
    let desk = Desk::new();
    let gpus = desk.types("gpus --format json").works().json();
    assert!(gpus.len() >= 45, "{}", gpus.len());
    let ada = gpus.iter().find(|g| g["id"] == "rtx-4070").unwrap();
    assert_eq!(
        (&ada["sms"], &ada["dram_gb_per_s"], &ada["dram_achieved_gb_per_s"]),
        (&46.into(), &504.into(), &449.1.into())
    );
    let detail = desk.types("gpus rtx-4070 --format json").works().json();
    let bandwidth = detail.iter().find(|r| r["field"] == "DRAM bandwidth, achieved").unwrap();
    assert_eq!((&bandwidth["origin"], &bandwidth["unit"]), (&"measured".into(), &"GB/s".into()));
    let kernel = desk.types("kernels matmul_tiled --format json").works().json();
    let flops = kernel.iter().find(|r| r["item"] == "flops").unwrap();
    assert_eq!((&flops["formula"], &flops["value"]), (&"2048*steps".into(), &268_435_456.into()));
    let fma = kernel.iter().find(|r| r["item"] == "fp32_fma").unwrap();
    assert_eq!((&fma["formula"], &fma["value"]), (&"1024*steps".into(), &134_217_728.into()));
    let kernel = desk.types("kernels clblast_xgemm --format json").works().json();
    assert!(
        kernel.iter().any(|r| r["item"] == "l1_bytes" && r["value"] == "unknown" && r["note"].is_string())
    );
}

#[test]
fn models_are_listed_with_their_error_and_the_baseline_among_them() {
    let rows = Desk::new().types("models --format json").works().json();
    let ids: Vec<&str> = rows.iter().filter_map(|r| r["model"].as_str()).collect();
    assert_eq!(
        ids,
        [
            "components",
            "hybrid",
            "efficiency-transfer",
            "first-principles",
            "plain-roofline",
            "projection",
            "same-time",
            "hybrid",
            "paper3",
            "linear",
            "ridge",
            "lasso",
            "svr",
            "forest",
            "boosting",
            "nearest"
        ]
    );
    // 14 kernels timed on 4 GPUs: 14 x 4 x 3 ordered pairs, or 13 kernels where the model does not know the atomics that
    // bind the histogram. Projection: 13 kernels that count bytes through L1, 3 GPUs with a known L1 bandwidth.
    let counts: Vec<u64> = rows.iter().filter_map(|r| r["predictions"].as_u64()).collect();
    assert_eq!(counts, [168, 168, 168, 156, 156, 78, 168]);
}

#[test]
fn the_shell_gets_completions_and_manual_pages() {
    let desk = Desk::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(desk.types(&format!("completions {shell}")).works().stdout.contains("roofswap"), "{shell}");
    }
    assert!(desk.types("man").works().stdout.starts_with(".ie"));
    assert!(desk.types("man predict").works().stdout.contains("\\-\\-ceilings"));
    desk.types("man --all pages").works();
    let page = desk.read("pages/roofswap-gpus.1");
    let named = desk.read("pages/roofswap.1");
    assert!(page.is_ascii() && named.is_ascii() && named.contains("roofswap\\-gpus(1)"), "{named}");
    assert!(desk.types("--help").works().stdout.contains("predict"));
    assert!(desk.types("--version").works().stdout.starts_with("roofswap "));
}

// ---------------------------------------------------------------------------------------------------------------------
// Streams
// ---------------------------------------------------------------------------------------------------------------------

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let desk = Desk::new();
    for words in
        ["gpus", "predict --from titan-v --to all --format json", "man", "completions bash", "--help"]
    {
        // The reading end is closed before the program writes: what `| head -0` does.
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let mut command = desk.command(words, &[]);
        let done = command.stdout(writer).stderr(Stdio::piped()).output().expect("the program starts");
        assert_eq!(String::from_utf8_lossy(&done.stderr), "", "{words}");
        assert_eq!(done.status.code(), Some(0), "{words}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_behind_stdout_is_said() {
    let desk = Desk::new();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux has it");
    let mut command = desk.command("gpus", &[]);
    let done = command.stdout(full).stderr(Stdio::piped()).output().expect("the program starts");
    assert_eq!(done.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&done.stderr).contains("stdout cannot be written"));
}

// ---------------------------------------------------------------------------------------------------------------------
// Pictures
// ---------------------------------------------------------------------------------------------------------------------

const ROOFLINE: &str = "export roofline --from titan-v --to rtx-4070 --kernel saxpy";

#[test]
fn every_chart_is_written_and_the_same_question_gives_the_same_bytes() {
    let desk = Desk::new();
    for chart in ["roofline", "occupancy", "predictions"] {
        let words = format!("export {chart} --from titan-v --to rtx-4070 --kernel saxpy --output");
        let file = desk.path(&format!("{chart}.svg"));
        assert_eq!(desk.types_with(&words, &[&file]).works().stdout, "", "{chart}");
        let svg = std::fs::read_to_string(&file).unwrap();
        assert_eq!(desk.types(&format!("{words} -")).works().stdout, svg, "{chart}");
        let document = roxmltree::Document::parse(&svg).unwrap();
        let texts: String = document.descendants().filter_map(|n| n.text()).collect();
        assert!(texts.contains("TITAN V") && texts.contains("RTX 4070"), "{chart}: {texts}");
        assert_eq!(std::fs::read_dir(desk.path("")).unwrap().count(), 2, "no temporary file stays behind");
        std::fs::remove_file(file).unwrap();
    }
}

#[test]
fn one_side_more_levels_and_the_other_theme_change_the_picture() {
    let desk = Desk::new();
    let plain = desk.types(&format!("{ROOFLINE} -o -")).works().stdout;
    for more in [
        "--show source",
        "--show target",
        "--levels dram,l2,l1,shared",
        "--theme dark",
        "--ceilings achieved",
    ] {
        let other = desk.types(&format!("{ROOFLINE} {more} -o -")).works().stdout;
        assert!(other.contains("<svg") && other != plain, "{more}");
    }
}

#[test]
fn a_question_that_does_not_fit_one_picture_is_refused() {
    let desk = Desk::new();
    desk.types("export roofline --from titan-v --to rtx-4070 -o -").ends(2, &["give one --kernel"]);
    desk.types(&format!("{ROOFLINE} --model all -o -")).ends(2, &["at most one --model"]);
    desk.types("export predictions --from titan-v --to rtx-4070,t4 -o -").ends(2, &["give one --to"]);
    desk.types("export predictions --from titan-v --to rtx-4070").ends(2, &["--output"]);
    desk.types("export predictions --from titan-v --to rtx-4070 -o -").works();
    // Nothing to draw but why: still a picture.
    desk.types("export roofline --from titan-v --to rtx-4070 --kernel gemm_tiled --size n=1024,tile=64 -o -")
        .works();
}

#[test]
fn an_export_that_fails_keeps_what_was_there() {
    let desk = Desk::new();
    let missing = desk.path("none/chart.svg");
    desk.types_with(&format!("{ROOFLINE} -o"), &[&missing]).ends(1, &["none/chart.svg", "does not exist"]);
    desk.types_with(&format!("{ROOFLINE} -o"), &[&desk.path("config")]).ends(1, &["config", "is a folder"]);
    let kept = desk.file("kept.svg", "mine");
    let mut permissions = std::fs::metadata(&kept).unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&kept, permissions).unwrap();
    desk.types_with(&format!("{ROOFLINE} -o"), &[&kept]).ends(1, &["kept.svg", "is read-only"]);
    assert_eq!(std::fs::read(&kept).unwrap(), b"mine");
}

#[cfg(unix)]
#[test]
fn an_export_into_a_read_only_folder_says_so() {
    use std::os::unix::fs::PermissionsExt;
    let desk = Desk::new();
    let folder = desk.path("locked");
    std::fs::create_dir(&folder).unwrap();
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o555)).unwrap();
    let root_writes_anywhere = std::fs::write(folder.join("probe"), "").is_ok();
    let done = desk.types_with(&format!("{ROOFLINE} -o"), &[&folder.join("chart.svg")]);
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o755)).unwrap();
    if root_writes_anywhere {
        skip_aloud("this user may write into a read-only folder");
        return;
    }
    done.ends(1, &["locked/chart.svg", "was not written"]);
}

#[cfg(unix)]
#[test]
fn a_device_is_written_into_and_a_link_stays_a_link() {
    use std::os::unix::fs::FileTypeExt;
    let desk = Desk::new();
    // Through a link, so that a mistake replaces the link and not the machine's device.
    let null = desk.path("null");
    std::os::unix::fs::symlink("/dev/null", &null).unwrap();
    desk.types_with(&format!("{ROOFLINE} -o"), &[&null]).works();
    assert!(std::fs::metadata(&null).unwrap().file_type().is_char_device());
    let (real, link) = (desk.file("real.svg", "old"), desk.path("link.svg"));
    std::os::unix::fs::symlink(&real, &link).unwrap();
    desk.types_with(&format!("{ROOFLINE} -o"), &[&link]).works();
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(std::fs::read_to_string(&real).unwrap().contains("<svg"));
}

#[test]
fn a_picture_is_never_written_over_the_measurements_it_is_drawn_from() {
    let desk = Desk::new();
    let rows = "gpu,kernel,problem,time_ms\ntitan-v,saxpy,n=1048576,1\nrtx-4070,saxpy,n=1048576,2\n";
    let file = desk.file("runs.csv", rows);
    let told = ["runs.csv", "is an input and is never written"];
    desk.types_with(&format!("{ROOFLINE} -o"), &[&file, Path::new("--data"), &file]).ends(2, &told);
    desk.types_with("evaluate --data", &[&file, Path::new("--svg"), &file]).ends(2, &told);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), rows);
}

// ---------------------------------------------------------------------------------------------------------------------
// Clocks and power
// ---------------------------------------------------------------------------------------------------------------------

#[test]
fn clocks_that_are_typed_are_modelled_and_said() {
    let desk = Desk::new();
    let predict = |more: &str| {
        desk.types(&format!(
            "predict --from titan-v --to rtx-4070 --kernel saxpy --model plain-roofline --format json {more}"
        ))
        .works()
        .json()
        .remove(0)
    };
    let (stated, half) = (predict(""), predict("--mem-clock 5250MHz"));
    // saxpy is bound by DRAM: half of 10500 MHz doubles its time.
    assert!(near(&half["time_ms"], 2.0 * stated["time_ms"].as_f64().unwrap()), "{half}");
    assert_eq!(
        (&stated["mem_clock_mhz_target"], &half["mem_clock_mhz_target"]),
        (&10500.into(), &5250.into())
    );
    assert_eq!(
        (&half["measured_ms"], &half["error_percent"]),
        (&Value::Null, &Value::Null),
        "timed at other clocks"
    );
    assert!(
        half["cautions"]
            .to_string()
            .contains("rtx-4070 (memory clock 5250 MHz instead of 10500 MHz): interval not validated"),
        "{half}"
    );
    let named = predict("--sm-clock titan-v=1.2GHz --power-limit titan-v=150W");
    // A shipped row states no limit: it was measured at the board's own.
    assert_eq!((&named["sm_clock_mhz_source"], &named["power_limit_w_source"]), (&1200.into(), &250.into()));
    let cautions = named["cautions"].to_string();
    for said in [
        "clocks set: titan-v at SM clock 1200 MHz instead of 1455 MHz; source time assumed measured at these clocks",
        "source measured with titan-v at power limit 250 W instead of 150 W (the board's own limit: the row states none)",
    ] {
        assert!(cautions.contains(said), "{cautions}");
    }
    assert_eq!(named["sm_clock_mhz_target"], 2475);
    assert_eq!(named["gpu_source"], "titan-v@1200MHz/150W");
    // Settings that name a GPU are of it as source and as target, those without one of the targets alone.
    for (flags, names) in [
        (
            "--from titan-v --to titan-v,rtx-4070 --power-limit titan-v=150W",
            "titan-v@150W titan-v@150W,rtx-4070",
        ),
        ("--from titan-v --to titan-v,rtx-4070 --power-limit 150W", "titan-v titan-v@150W,rtx-4070@150W"),
        (
            "--from titan-v,rtx-4070 --to l4 --sm-clock rtx-4070=1500MHz --power-limit 60W",
            "titan-v,rtx-4070@1500MHz l4@60W",
        ),
    ] {
        let (from, to) = names.split_once(' ').unwrap();
        for format in ["table", "json", "csv"] {
            let ask = |gpus: &str| {
                let words = format!("predict --kernel saxpy --size 2^28 {gpus} --format {format}");
                let answer = desk.types(&words).works();
                (answer.stdout, answer.stderr)
            };
            assert_eq!(ask(flags), ask(&format!("--from {from} --to {to}")), "{flags} {format}");
        }
    }
    let of_all =
        desk.types("predict --kernel saxpy --from all --to l4 --sm-clock titan-v=1.2GHz --format csv");
    assert!(of_all.works().stdout.contains("\ntitan-v@1200MHz,l4,"), "a source of many");
    for (typed, said) in [
        ("--sm-clock 0", "--sm-clock: clock `0`: expected megahertz above 0"),
        ("--sm-clock 9GHz", "rtx-4070: SM clock 9000 MHz: expected 49.5 MHz to 4950 MHz"),
        ("--mem-clock voodoo=500", "--mem-clock: unknown GPU `voodoo`"),
        ("--power-limit 5xW", "power limit `5xW`: expected watts"),
    ] {
        desk.types(&format!("predict --from titan-v --to rtx-4070 {typed}")).ends(2, &[said]);
    }
    desk.types("gpus --sm-clock 900").ends(2, &["names no GPU"]);
    let shown = desk.types("gpus titan-v --sm-clock 1200MHz --format csv").works().stdout;
    assert!(shown.contains("boost clock,1200,MHz,assumed"), "{shown}");
}

#[test]
fn a_source_row_that_states_its_clock_is_modelled_at_it() {
    let desk = Desk::new();
    // 1.024e9 FLOPs and no byte: bound by arithmetic, which goes with the SM clock.
    let header = "gpu,kernel,problem,flops,dram_bytes,time_ms,sm_clock_mhz\n";
    let at =
        |name: &str, clock: &str| desk.file(name, format!("{header}titan-v,spin,n=1,1e12,1,100,{clock}\n"));
    let predict = |path: &Path| {
        let words = "predict --from titan-v --to titan-v --kernel spin --format json --sm-clock 1455 --data";
        let mut all = desk.types_with(words, &[path]).works().json();
        all.remove(0)
    };
    let (unstated, slow) = (predict(&at("a.csv", "")), predict(&at("b.csv", "727.5")));
    assert_eq!(slow["sm_clock_mhz_source"], 727.5);
    assert!(
        slow["cautions"]
            .to_string()
            .contains("source measured with titan-v at SM clock 728 MHz instead of 1455 MHz"),
        "{slow}"
    );
    let ratio = unstated["time_ms"].as_f64().unwrap() / slow["time_ms"].as_f64().unwrap();
    assert!((1.6..2.1).contains(&ratio), "half the clock took twice as long: {ratio}");
    let absurd = predict(&at("c.csv", "99999"));
    assert_eq!(absurd["sm_clock_mhz_source"], 1455);
    assert!(absurd["cautions"].to_string().contains("states one that is ignored"), "{absurd}");
}

#[test]
fn a_target_row_with_a_clock_that_no_board_has_is_measured_there() {
    let desk = Desk::new();
    let head = "gpu,kernel,problem,block,grid,flops,dram_bytes,time_ms,mem_clock_mhz";
    let of = |gpu: &str, time: &str| format!("\n{gpu},kk,n=1000,256,4000,2.0e9,1.2e7,{time}");
    let path =
        desk.file("clk.csv", format!("{head}{},{},99999\n", of("titan-v", "0.5"), of("rtx-4070", "0.4")));
    let words = "predict --from titan-v --to rtx-4070 --format json --data";
    let all = desk.types_with(words, &[&path]).works().json();
    assert_eq!(all[0]["measured_ms"], 0.4, "{all:?}");
    assert!(all[0]["cautions"].to_string().contains("states one that is ignored"), "{all:?}");
}

#[test]
fn a_row_that_its_own_gpu_refuses_is_said_to_be_wrong_in_place_of_the_target() {
    let desk = Desk::new();
    for (block, registers, why) in [
        (2048, 32, "cannot launch: 2048 threads per block, at most 1024"),
        (256, 300, "cannot launch: 300 registers per thread, and no compiler gives one more than 255"),
    ] {
        let row = format!("rtx-4070,kk,n=1000,{block},400,{registers},2.0e9,1.2e7,0.4\n");
        let text = format!("gpu,kernel,problem,block,grid,regs_per_thread,flops,dram_bytes,time_ms\n{row}");
        let path = desk.file("rows.csv", text);
        let noted = format!("rows.csv: line 2: kk on rtx-4070 {why}: the time must be of another launch");
        let said = format!("row timed on rtx-4070: {why}; its time must come from another launch");
        for words in ["predict --to h100-sxm5 --data", "rank --kernel kk --to h100-sxm5,l4 --data"] {
            let told = desk.types_with(words, &[&path]).ends(1, &[&noted, &said]);
            assert!(!told.stderr.contains(&format!("h100-sxm5: {why}")), "{}", told.stderr);
        }
    }
}

#[test]
fn a_clock_that_no_board_has_does_not_take_the_other_one_of_its_row_with_it() {
    let desk = Desk::new();
    let header =
        "gpu,kernel,problem,block,grid,regs_per_thread,flops,dram_bytes,time_ms,sm_clock_mhz,mem_clock_mhz";
    let row = |mem: &str| format!("{header}\nrtx-4070,kk,n=1000,256,4000,40,2.0e9,1.2e7,0.473,1200,{mem}\n");
    let predict = |mem: &str| {
        let path = desk.file("clk.csv", row(mem));
        let all = desk.types_with("predict --to h100-sxm5 --format json --data", &[&path]).works().json();
        all[0].clone()
    };
    let plain = predict("");
    for (mem, why) in [
        ("21002", "memory clock 21002 MHz: that is the data rate, twice the clock of 10500 MHz"),
        ("20990", "that is the data rate"),
        ("990000", "memory clock 990000 MHz: expected 210 MHz to 21000 MHz"),
    ] {
        let found = predict(mem);
        assert_eq!((&found["sm_clock_mhz_source"], &found["time_ms"]), (&1200.into(), &plain["time_ms"]));
        assert!(found["cautions"].to_string().contains(why), "{mem}: {found}");
        let path = desk.file("clk.csv", row(mem));
        let audited = desk.types_with("audit", &[&path]);
        assert!(
            audited.stdout.contains("impossible-clock") && audited.stdout.contains(why),
            "{}",
            audited.stdout
        );
    }
}

/// Instances of templates that differ in several arguments, some of them not demangled, at two sizes each.
const INSTANCES: [&str; 9] = [
    "void ns::vectorized_elementwise_kernel<4, ns::native::AddFunctor<float>, ns::detail::Array<char*, 3> >(int)",
    "void ns::vectorized_elementwise_kernel<4, ns::native::AddFunctor<Half>, ns::detail::Array<char*, 3> >(int)",
    "void ns::vectorized_elementwise_kernel<4, ns::native::MulFunctor<float>, ns::detail::Array<char*, 3> >(int)",
    "void ns::vectorized_elementwise_kernel<2, ns::native::AddFunctor<float>, ns::detail::Array<char*, 3> >(int)",
    "mma_gemm_f32f32_tf32f32_f32_tn_n_tilesize32x32x64_stage6_warpsize2x2x1_tensor16x8x8_kernel",
    "mma_gemm_f32f32_tf32f32_f32_tn_n_tilesize64x32x64_stage6_warpsize2x2x1_tensor16x8x8_kernel",
    "_ZN7example6kernelIfLi128ELi4EEEvPKT_PS1_i",
    "_ZN7example6kernelIfLi256ELi4EEEvPKT_PS1_i",
    "_ZN7example6kernelIdLi128ELi4EEEvPKT_PS1_i",
];

#[test]
fn every_bar_of_the_predictions_has_a_name_of_its_own() {
    let desk = Desk::new();
    let row = |name: &str, n: u32| format!("titan-v,\"{name}\",n={n},{n},{},{}e-6\n", 8 * n, n / 1000);
    let rows = INSTANCES.map(|name| row(name, 1_048_576) + &row(name, 4_194_304));
    desk.file("own.csv", "gpu,kernel,problem,flops,dram_bytes,time_ms\n".to_string() + &rows.concat());
    desk.types("export predictions --from titan-v --to l4 --data own.csv -o own.svg").works();
    let svg = desk.read("own.svg");
    let lines = svg.lines().filter(|line| line.contains(" n=1048576") || line.contains(" n=4194304"));
    let labels: Vec<&str> = lines.collect();
    let distinct: std::collections::HashSet<&&str> = labels.iter().collect();
    assert_eq!((labels.len(), distinct.len()), (18, 18), "{labels:#?}");
    let table = desk.types("predict --from titan-v --to l4 --data own.csv").works().stdout;
    for arguments in ["float, 128, 4", "float, 256, 4", "double, 128, 4"] {
        assert!(table.contains(&format!("example::kernel<{arguments}>")), "{table}");
    }
}

/// A picture has room for four targets: one of every name that was typed goes first, and those left out are named.
#[test]
fn a_picture_of_many_targets_has_one_of_each_name_and_names_the_rest() {
    let asked = "export roofline --kernel saxpy --size n=1048576 --from titan-v --to h100,l4,4070 -o -";
    let svg = Desk::new().types(asked).works().stdout;
    for drawn in ["TITAN V → H100 PCIe", "L4", "RTX 4070"] {
        assert!(svg.contains(drawn), "{drawn}: {svg}");
    }
    assert!(svg.contains("not drawn, as a chart shows 4 targets: H100 NVL"), "{svg}");
}

#[test]
fn formats_that_a_build_lacks_are_said_to_be_missing() {
    for command in ["predict", "rank"] {
        let help = Desk::new().types(&format!("{command} --help")).works().stdout;
        let words = help.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("builds with --features fleet"), "{command}: {words}");
        let is_said = words.contains("not in this build");
        assert_eq!(is_said, command == "predict" && !cfg!(feature = "fleet"), "{command}: {words}");
    }
}
