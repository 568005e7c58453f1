//! `roofswap app`: what is typed, what is answered.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

use crate::desk::{Desk, number};
use serde_json::Value;
use std::fmt::Write as _;

/// A trace of a host that launches a product and an addition again and again.
pub fn trace() -> String {
    let mut events = String::new();
    for i in 0..40u64 {
        let (call, start) = (100 * i, 100 * i + 20);
        let product = i % 2 == 0;
        let (name, dur, op) = if product {
            ("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64", 60, 1)
        } else {
            (
                "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul> >(int)",
                10,
                2,
            )
        };
        write!(events, r#"{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":9,"ts":{call},"dur":8,"args":{{"correlation":{i}1}}}},"#).unwrap();
        write!(events, r#"{{"ph":"X","cat":"kernel","name":"{name}","pid":0,"tid":7,"ts":{start},"dur":{dur},"args":{{"External id":{op},"device":0,"stream":7,"correlation":{i}1,"registers per thread":64,"shared memory":0,"grid":[512,1,1],"block":[128,1,1]}}}},"#).unwrap();
    }
    format!(
        r#"{{"metadata":{{"TOKEN":"hidden"}},"deviceProperties":[{{"id":0,"name":"NVIDIA H100 80GB HBM3","totalGlobalMem":85018279936}}],"traceEvents":[
        {{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":9,"tid":9,"ts":0,"dur":1,"args":{{"External id":1,"Input Dims":[[2048,1024],[1024,4096]],"Input type":["c10::BFloat16","c10::BFloat16"]}}}},
        {{"ph":"X","cat":"cpu_op","name":"aten::add","pid":9,"tid":9,"ts":0,"dur":1,"args":{{"External id":2,"Input Dims":[[2048,4096],[2048,4096],[]],"Input type":["c10::BFloat16","c10::BFloat16","Scalar"]}}}},
        {}{{"ph":"X","cat":"user_annotation","name":"step#1","pid":9,"tid":9,"ts":0,"dur":2000}}]}}"#,
        events
    )
}

fn answer(desk: &Desk, words: &str) -> String {
    desk.types(words).works().stdout
}

fn assert_same(a: &Value, b: &Value) {
    let ratio = a.as_f64().unwrap() / b.as_f64().unwrap();
    assert!((ratio - 1.0).abs() < 1e-9, "{a} {b}");
}

fn object(desk: &Desk, words: &str) -> Value {
    serde_json::from_str(&answer(desk, words)).unwrap()
}

/// 50 MB in 78 µs are a fifth of an H100's bandwidth: more of it gains little.
#[test]
fn kernel_time_far_below_its_roof_is_said() {
    let desk = Desk::new();
    let said = |trace: String| {
        desk.file("trace.json", trace);
        answer(&desk, "app trace.json --to h200,l40s")
    };
    let note = "of kernel time is far below its roof (vectorized_elementwise_kernel most)";
    assert!(!said(trace()).contains("far below its roof"), "{}", said(trace()));
    let slow = said(trace().replace(r#""dur":10,"#, r#""dur":78,"#));
    assert!(slow.contains(&format!("56.5 % {note}")), "{slow}");
    assert!(!slow.contains("counters do not explain"), "a trace has none: {slow}");
    assert!(slow.split_whitespace().collect::<Vec<_>>().join(" ").contains("profile it with ncu"), "{slow}");
}

/// The sum of the kernels one by one is the sum of the target, in each format.
#[test]
fn the_kernels_of_an_application_one_by_one() {
    let desk = Desk::new();
    desk.file("run.json", trace());
    let json: Value =
        serde_json::from_str(&answer(&desk, "app run.json --to l40s,a100-sxm4-40gb --kernels --format json"))
            .unwrap();
    for target in json["targets"].as_array().unwrap() {
        let kernels = target["kernels"].as_array().unwrap();
        assert_eq!(kernels.len(), 2);
        let total = |k: &Value| k["calls"].as_f64().unwrap() * k["time_ms"].as_f64().unwrap();
        let sum: f64 = kernels.iter().map(total).sum();
        assert!((sum / target["kernels_ms"].as_f64().unwrap() - 1.0).abs() < 1e-9, "{target}");
    }
    let first = &json["targets"][0]["kernels"][0];
    let csv = answer(&desk, "app run.json --to l40s --kernels --format csv");
    let mut lines = csv.lines();
    assert!(lines.next().unwrap().starts_with("gpu,name,calls,recorded_ms,time_ms"), "{csv}");
    assert_eq!(csv.lines().count(), 3, "{csv}");
    let of_csv: f64 = lines.next().unwrap().split(',').nth(4).unwrap().parse().unwrap();
    assert!((of_csv / first["time_ms"].as_f64().unwrap() - 1.0).abs() < 1e-12, "{csv} {first}");
    assert!(csv.lines().next().unwrap().ends_with(",operator,block,grid"), "{csv}");
    assert!(csv.contains("\"aten::mm [2048,1024] [1024,4096]\",128,512\n"), "{csv}");
    for field in ["operator", "input_shapes", "block", "grid"] {
        assert_eq!(first[field], json["groups"][0][field], "{field}");
    }
    let table = answer(&desk, "app run.json --to l40s --kernels --top 1");
    for part in ["kernels on L40S, a launch of each", "rests on", "… and 1 group more; --top N shows N"] {
        assert!(table.contains(part), "{part}:\n{table}");
    }
    desk.types("app run.json --kernels").ends(2, &["--to"]);
}

#[test]
fn an_application_as_tables_and_json() {
    let desk = Desk::new();
    desk.file("run.json", trace());
    let table = answer(&desk, "app run.json --to l40s,h200");
    for part in [
        "window",
        "idle: host not ready",
        "aten::mm [2048,1024] [1024,4096]",
        "profile next",
        "L40S",
        "at most",
    ] {
        assert!(table.contains(part), "{part}:\n{table}");
    }
    assert!(!table.contains("hidden"));
    let json: Value =
        serde_json::from_str(&answer(&desk, "app run.json --to h100-sxm5,l40s --format json")).unwrap();
    assert_eq!((json["source_gpu"].as_str(), json["kernel_count"].as_u64()), (Some("h100-sxm5"), Some(40)));
    assert_eq!(json["kernel_sum_ms"].as_f64().map(|ms| (ms * 1e6).round()), Some(1_400_000.0));
    let groups = json["groups"].as_array().unwrap();
    assert_eq!(groups[0]["flops"].as_f64(), Some(2.0 * 2048.0 * 1024.0 * 4096.0));
    assert_eq!(
        (groups[0]["counts_from"].as_str(), groups[0]["grid"][0].as_u64()),
        (Some("shapes of aten::mm"), Some(512))
    );
    let shares: f64 = groups.iter().map(|g| g["share_percent"].as_f64().unwrap()).sum();
    assert!((shares - 100.0).abs() < 1e-9);
    let same = &json["targets"][0];
    assert_eq!(
        (same["wall_ms"].as_f64(), same["kernels_speedup"].as_f64()),
        (json["window_ms"].as_f64(), Some(1.0))
    );
    for name in [
        "kernels_low_ms",
        "kernels_high_ms",
        "wall_low_ms",
        "wall_high_ms",
        "wall_speedup",
        "predicted_share_percent",
    ] {
        assert!(json["targets"][1][name].is_number(), "{name}");
    }
    let slower: Value =
        serde_json::from_str(&answer(&desk, "app run.json --to h100-sxm5 --host 1.5x --format json"))
            .unwrap();
    assert!(slower["targets"][0]["wall_ms"].as_f64() > json["window_ms"].as_f64());
}

#[test]
fn what_cannot_be_done_says_what_to_type() {
    let desk = Desk::new();
    desk.file("run.json", trace());
    desk.file("nameless.json", trace().replace("NVIDIA H100 80GB HBM3", ""));
    for (arguments, words) in [
        ("app run.json --range nowhere", "no such range; there are step#"),
        ("app run.json --device 3", "activity of GPU 0"),
        ("app run.json --to h2000", "h200"),
        ("app run.json --to h200 --host fast", "such as 1.3x"),
        ("app nameless.json --to h200", "give --from GPU"),
        ("app missing.json", "no such file"),
    ] {
        let done = desk.types(arguments);
        assert!(done.code != 0 && done.stderr.contains(words), "{arguments}: {}", done.stderr);
        assert!(!done.stderr.contains("panicked"), "{}", done.stderr);
    }
    let named = answer(&desk, "app nameless.json --from h100-sxm5 --to h200");
    assert!(named.contains("H200"));
    let step = answer(&desk, "app run.json --range step#1");
    assert!(step.contains("20 kernel launches in 2 groups"), "{step}");
}

#[test]
fn an_application_is_ranked_and_priced() {
    let desk = Desk::new();
    desk.file("run.json", trace());
    desk.file(
        "prices.csv",
        "gpu,usd_per_hour,provider,region,date\nh200,3.5,cloud,eu,2026-11-01\nl40s,1.2,cloud,eu,2026-11-01\n",
    );
    let ranked =
        answer(&desk, "rank --app run.json --to h200,l40s,t4 --prices prices.csv --by perf-per-dollar");
    let place = |name: &str| ranked.find(name).unwrap_or(usize::MAX);
    assert!(place("L40S") < place("T4") && place("H200") < place("T4"), "{ranked}");
    let json: Value =
        serde_json::from_str(&answer(&desk, "app run.json --to h200,t4 --prices prices.csv --format json"))
            .unwrap();
    let [priced, unpriced] = [0, 1].map(|at| json["targets"][at]["usd_per_million_runs"].as_f64());
    let expected = 3.5 / 3600.0 * json["targets"][0]["wall_ms"].as_f64().unwrap() * 1e3;
    assert!((priced.unwrap() - expected).abs() < 1e-9 && unpriced.is_none());
    desk.types("rank --app run.json --kernel saxpy --to h200").ends(2, &["cannot be used with"]);
    // An old price is marked as it is for a kernel.
    desk.file("old.csv", "gpu,usd_per_hour,provider,region,date\nl40s,1.10,mycloud,eu,2025-01-20\n");
    let old = "price of 2025-01-20, ";
    let asked = "--app run.json --to h200,l40s --prices old.csv --by perf-per-dollar";
    assert!(answer(&desk, &format!("rank {asked}")).contains(old));
    assert!(answer(&desk, &format!("rank {asked} --format json")).contains(old));
    for form in ["json", "table"] {
        let asked = format!("app run.json --to h200,l40s --prices old.csv --format {form}");
        assert!(answer(&desk, &asked).contains(old), "{form}");
    }
}

#[test]
fn an_application_is_ranked_by_the_range_and_the_order_that_there_are() {
    let desk = Desk::new();
    desk.file("run.json", trace());
    let app: Value =
        serde_json::from_str(&answer(&desk, "app run.json --range step#1 --to l40s --format json")).unwrap();
    let rank = desk.types("rank --app run.json --range step#1 --to l40s --format json").works().json();
    let [ranked, alone] = [&rank[0]["time_ms"], &app["targets"][0]["wall_ms"]].map(|ms| ms.as_f64().unwrap());
    assert!((ranked / alone - 1.0).abs() < 1e-9, "{ranked} {alone}");
    let whole = desk.types("rank --app run.json --to l40s --format json").works().json();
    assert_ne!(rank[0]["time_ms"], whole[0]["time_ms"]);
    desk.types("rank --kernel saxpy --range step --to l4")
        .ends(2, &["--range is of a trace: give --app FILE"]);
    let by_energy = desk.types("rank --app run.json --to l40s,t4 --by perf-per-watt").works();
    let table = &by_energy.stdout;
    assert!(table.contains("· by time ·") && table.contains("energy unknown"), "{table}");
    assert!(by_energy.stderr.contains("power of an application is not modelled"), "{}", by_energy.stderr);
}

/// Kernels of such a GPU are predicted from nothing that could be typed.
#[test]
fn kernels_that_no_model_covers_are_said_to_be_by_every_command() {
    let desk = Desk::new();
    desk.file("amd.json", trace().replace("NVIDIA H100 80GB HBM3", "AMD Instinct MI300X"));
    for words in ["rank --app amd.json --to l4", "whatif --app amd.json --gpu l4", "app amd.json --to l4"] {
        let said = desk.types(words).ends(1, &["no model covers kernels of AMD Instinct MI300X"]);
        assert!(!said.stderr.contains("--from"), "{words}: {}", said.stderr);
    }
}

#[test]
fn the_bars_are_a_picture() {
    let desk = Desk::new();
    desk.file("run.json", trace());
    let svg = answer(&desk, "app run.json --to h200,t4 --svg -");
    let parsed = roxmltree::Document::parse(&svg).unwrap();
    let texts: Vec<&str> = parsed.descendants().filter_map(|n| n.text()).collect();
    for word in ["matrix product", "host-bound", "H200 SXM 141 GB", "T4", "H100 SXM5 80 GB"] {
        assert!(texts.iter().any(|t| t.contains(word)), "{word}: {texts:?}");
    }
    // Each part stands in the legend behind its colour.
    let nodes: Vec<_> = parsed.root_element().children().filter(|node| node.is_element()).collect();
    for part in ["matrix product", "host-bound"] {
        let is_entry = |at: &usize| {
            nodes[*at].text().is_some_and(|text| text.trim() == part) && nodes[at - 2].has_tag_name("polygon")
        };
        let at = (2..nodes.len()).find(is_entry).unwrap();
        let [fill, opacity] = ["fill", "opacity"].map(|name| nodes[at - 2].attribute(name));
        let alike = nodes.iter().filter(|n| n.has_tag_name("polygon") && n.attribute("fill") == fill);
        let alike = alike.filter(|n| n.attribute("opacity") == opacity).count();
        assert!(alike >= 3, "{part}: {alike} of a bar and its legend, {svg}");
    }
}

#[test]
fn each_caution_is_said_once_and_the_largest_part_first() {
    let desk = Desk::new();
    let event = |category: &str, name: &str, start: u64, dur: u64, more: &str| {
        format!(
            r#"{{"ph":"X","cat":"{category}","name":"{name}","pid":0,"tid":7,"ts":{start},"dur":{dur},"args":{{"device":0,"stream":7{more}}}}}"#
        )
    };
    // 64 MiB in 1.5 ms: as fast as the link.
    let bytes = r#","bytes":67108864"#;
    let events = [
        event("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 0, 1500, bytes),
        event("kernel", "ncclDevKernel_AllReduce_Sum_f32", 2000, 100, ""),
        event("kernel", "nobody_knows_it", 2200, 900, ""),
        event("gpu_memcpy", "Memcpy DtoH (Device -> Pinned)", 4000, 1500, bytes),
    ];
    let text = format!(
        r#"{{"deviceProperties":[{{"id":0,"name":"NVIDIA H100 80GB HBM3"}}],"traceEvents":[{}]}}"#,
        events.join(",")
    );
    desk.file("run.json", text);
    let json: Value = serde_json::from_str(&answer(&desk, "app run.json --to l40s --format json")).unwrap();
    let cautions: Vec<&str> =
        json["targets"][0]["cautions"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let starts = [
        "90.0 % of kernel time",
        "10.0 % of kernel time",
        "wall clock: host time",
        "copies scaled by the host link: ",
        "marked ~: 0 % of kernel time is predicted",
    ];
    assert_eq!(cautions.len(), starts.len(), "{cautions:?}");
    for (caution, start) in cautions.iter().zip(starts) {
        assert!(caution.starts_with(start), "{cautions:?}");
    }
}

#[test]
fn an_application_on_changed_gpus_stands_beside_the_gpus_as_they_are() {
    let desk = Desk::new();
    desk.file("run.json", trace());
    let words = "app run.json --to l40s,h100-sxm5 --set mem=+20%,sm=+10%";
    let json: Value = serde_json::from_str(&answer(&desk, &format!("{words} --format json"))).unwrap();
    let targets = json["targets"].as_array().unwrap();
    let ids: Vec<&str> = targets.iter().filter_map(|t| t["gpu"].as_str()).collect();
    assert_eq!(ids, ["l40s", "h100-sxm5", "l40s?mem=+20%,sm=+10%", "h100-sxm5?mem=+20%,sm=+10%"]);
    let time = |at: usize| targets[at]["kernels_ms"].as_f64().unwrap();
    assert!(time(2) < time(0) && time(3) < time(1), "{targets:?}");
    let cautions = |at: usize| targets[at]["cautions"].to_string();
    assert!(cautions(2).contains("l40s (mem=+20%,sm=+10%): hypothetical GPU"), "{}", cautions(2));
    assert!(!cautions(0).contains("hypothetical"), "{}", cautions(0));
    let table = answer(&desk, words);
    assert!(table.contains("◇ L40S") || table.contains("◇ NVIDIA L40S"), "{table}");
    answer(&desk, &format!("{words} --svg bars.svg"));
    assert!(desk.read("bars.svg").contains('◇'));
    let csv = answer(&desk, &format!("{words} --format csv"));
    assert!(csv.contains("l40s?mem=+20%"), "{csv}");
    desk.types("app run.json --to l40s --set mem=0").ends(2, &["mem=0: expected"]);
    desk.types("app run.json --set mem=+20%").ends(2, &["--to"]);
}

/// A raw page of `ncu` of two kernels at clocks held at base, everything counted that the models ask for.
const PROFILED: &str = concat!(
    "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\",\"Block Size\",\"Grid Size\",\"Device\",",
    "\"CC\",\"device__attribute_display_name\",\"gpu__time_duration.sum\",\"dram__bytes.sum\",\"lts__t_bytes.sum\",\"l1tex__t_bytes.sum\",",
    "\"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum\",\"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum\",",
    "\"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum\",\"smsp__sass_thread_inst_executed_op_dadd_pred_on.sum\",",
    "\"smsp__sass_thread_inst_executed_op_dmul_pred_on.sum\",\"smsp__sass_thread_inst_executed_op_dfma_pred_on.sum\",",
    "\"smsp__inst_issued.sum\",\"launch__registers_per_thread\",\"smsp__cycles_elapsed.avg.per_second\"\n",
    "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"nsecond\",\"byte\",\"byte\",\"byte\",\"inst\",\"inst\",\"inst\",\"inst\",\"inst\",\"inst\",\"inst\",\"register/thread\",\"cycle/nsecond\"\n",
    "\"0\",\"1\",\"p\",\"h\",\"sobel\",\"1\",\"7\",\"(16, 16, 1)\",\"(64, 64, 1)\",\"0\",\"8.6\",\"NVIDIA RTX A4500\",\"31872\",\"4265088\",\"9543744\",\"50330432\",\"13629441\",\"1048576\",\"16777216\",\"0\",\"0\",\"0\",\"5222776\",\"22\",\"0.942\"\n",
    "\"1\",\"1\",\"p\",\"h\",\"scale\",\"1\",\"7\",\"(256, 1, 1)\",\"(12288, 1, 1)\",\"0\",\"8.6\",\"NVIDIA RTX A4500\",\"89700\",\"47900000\",\"50000000\",\"52000000\",\"0\",\"3145728\",\"0\",\"0\",\"0\",\"0\",\"1400000\",\"16\",\"1.01\"\n",
);

#[test]
fn counts_without_times_are_no_application() {
    let desk = Desk::new();
    let metrics = "==1== NVPROF is profiling process 1, command: ./a\n\"Device\",\"Kernel\",\"Invocations\",\"Metric Name\",\"Metric Description\",\"Min\",\"Max\",\"Avg\"\n\
                   \"Tesla K20c (0)\",\"vecadd\",1,\"flop_count_sp\",\"FLOPs\",1024,1024,1024\n";
    desk.file("metrics.csv", metrics);
    desk.types("app metrics.csv").ends(1, &["counts of kernels without their times", "--print-gpu-trace"]);
}

#[test]
fn a_report_has_one_answer_whichever_command_is_asked() {
    let desk = Desk::new();
    desk.file("report.csv", PROFILED);
    let lines: Vec<&str> = PROFILED.lines().collect();
    for (launch, target) in [(2, "l40s"), (2, "rtx-a4500"), (3, "l40s"), (3, "h100-pcie"), (3, "rtx-a4500")] {
        desk.file("one.csv", format!("{}\n{}\n{}\n", lines[0], lines[1], lines[launch]));
        let asked = answer(&desk, &format!("predict --data one.csv --to {target} --format json"));
        let rows: Vec<Value> = serde_json::from_str(&asked).unwrap();
        let asked = answer(&desk, &format!("app one.csv --to {target} --format json"));
        let application: Value = serde_json::from_str(&asked).unwrap();
        let on_target = &application["targets"][0];
        for (app, predict) in
            [("kernels_ms", "time_ms"), ("kernels_low_ms", "low_ms"), ("kernels_high_ms", "high_ms")]
        {
            let [app, predict] = [&on_target[app], &rows[0][predict]].map(|n| n.as_f64().unwrap());
            assert!((app / predict - 1.0).abs() < 1e-9, "{launch} on {target}: {app} and {predict}");
        }
    }
    let table = answer(&desk, "app report.csv --to l40s");
    assert!(!table.contains("profile next"), "all of it was counted\n{table}");
    assert!(table.contains("speedup: over the times at the profiled clocks (SM 1010 MHz)"), "{table}");
    let heading = table.lines().find(|line| line.starts_with("GPU ")).unwrap();
    assert!(heading.contains("speedup of kernels") && !heading.contains("wall"), "no time line: {heading}");
}

/// A kernel whose name states BF16 tensor cores runs on no GPU without them, however few FLOPs per second it reached.
#[test]
fn tensor_kernels_are_predicted_on_no_gpu_without_their_type() {
    let desk = Desk::new();
    let named = "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64";
    for (other, dur) in [
        ("cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_32x32_128x2_tn_align8", 60),
        ("cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_32x32_128x2_tn_align8", 900),
        ("flash_fwd_kernel", 900),
    ] {
        let text = trace().replace(named, other).replace("\"dur\":60,", &format!("\"dur\":{dur},"));
        desk.file("run.json", text);
        let command = "app run.json --to titan-v,p100-pcie-16gb,l40s --kernels --format json";
        let json: Value = serde_json::from_str(&answer(&desk, command)).unwrap();
        for target in json["targets"].as_array().unwrap() {
            let kernels = target["kernels"].as_array().unwrap();
            let product = kernels.iter().find(|k| k["name"].as_str().unwrap().contains(other)).unwrap();
            let expected = match target["gpu"].as_str().unwrap() {
                "titan-v" => "\"lacks bf16: the kernel needs compute capability 8.0",
                "p100-pcie-16gb" => "\"lacks tensor: the kernel needs compute capability 7.0",
                _ => "null",
            };
            assert!(product["reason"].to_string().contains(expected), "{other} {dur}: {product}");
        }
    }
}

#[test]
fn the_picture_names_the_time_of_every_bar() {
    let desk = Desk::new();
    desk.file("run.json", trace());
    for targets in
        ["titan-v", "h200,l40s,rtx-4090,titan-v", "h200,l40s,rtx-4090,titan-v,l4,a100-sxm4-80gb,gtx-1080"]
    {
        let svg = answer(&desk, &format!("app run.json --to {targets} --svg -"));
        assert!(!svg.contains("has no room"), "{targets}: {svg}");
        let labels = svg.lines().filter(|line| line.ends_with('×') && line.contains(", "));
        assert_eq!(labels.count(), targets.split(',').count(), "{targets}: {svg}");
    }
    // What is modelled without a measurement keeps its mark.
    assert!(!answer(&desk, "app run.json --to l40s --svg -").contains('~'));
    uncounted(&desk);
    let svg = answer(&desk, "app run.json --to l40s --svg -");
    assert!(svg.contains('~') && svg.contains("modelled without a measurement"), "{svg}");
}

#[test]
fn csv_is_one_table_and_says_where_the_rest_is() {
    let desk = Desk::new();
    desk.file("run.json", trace());
    let said = |words: &str| desk.types(&format!("app run.json {words} --format csv")).works().stderr;
    assert!(said("--to l4").contains("with --kernels"));
    assert!(said("--to l4 --kernels").contains("without --kernels"));
    assert!(!said("").contains("csv is one table"));
}

/// What a kernel's time rests on is decided by what it took on its GPU: a target's board or clock changes no model.
#[test]
fn what_a_time_rests_on_does_not_depend_on_the_target() {
    let desk = Desk::new();
    let mut met = std::collections::BTreeSet::new();
    for dur in [20, 30, 36, 42, 46, 50, 54, 58, 62, 68, 80, 120] {
        desk.file("run.json", trace().replace("\"dur\":60,", &format!("\"dur\":{dur},")));
        let boards = "h200,gh200,h800-sxm5,h100-pcie,h20,a100-sxm4-80gb,l40s";
        let mut bases = Vec::new();
        for words in [boards.to_string(), "h200 --sm-clock 1400".into(), "h200 --sm-clock 1900".into()] {
            let asked = answer(&desk, &format!("app run.json --to {words} --kernels --format json"));
            let json: Value = serde_json::from_str(&asked).unwrap();
            for target in json["targets"].as_array().unwrap() {
                let mut kernels = target["kernels"].as_array().unwrap().iter();
                let product = kernels.find(|k| k["name"].as_str().unwrap().contains("gemm")).unwrap();
                bases.push(product["rests_on"].as_str().unwrap().to_string());
            }
        }
        assert!(bases.iter().all(|basis| *basis == bases[0]), "{dur}: {bases:?}");
        met.insert(bases[0].clone());
    }
    assert_eq!(met.into_iter().collect::<Vec<_>>(), ["counts", "operator model"]);
}

/// Two kernels of which a profiler says nothing but their times and launches, as a trace and as the summary of `nsys stats`.
fn uncounted(desk: &Desk) -> [&'static str; 2] {
    let mut events = String::new();
    let mut rows = String::from(
        "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),GridXYZ,BlockXYZ,Name\n",
    );
    for (at, (name, dur)) in [("mine_add", 900), ("mine_gemm_nn", 700)].into_iter().enumerate() {
        for call in 0..2 {
            let (start, correlation) = (2000 * (2 * at + call) + 10, 10 * at + call + 1);
            write!(events, r#"{{"ph":"X","cat":"kernel","name":"{name}","pid":0,"tid":7,"ts":{start},"dur":{dur},"args":{{"device":0,"stream":7,"correlation":{correlation},"registers per thread":32,"shared memory":0,"grid":[128,1,1],"block":[256,1,1]}}}},"#).unwrap();
        }
        let ns = 1000 * dur;
        writeln!(rows, "50.0,{},2,{ns}.0,{ns}.0,{ns},{ns},0.0,128 1 1,256 1 1,{name}", 2 * ns).unwrap();
    }
    events.pop();
    desk.file(
        "run.json",
        format!(
            r#"{{"deviceProperties":[{{"id":0,"name":"NVIDIA H100 80GB HBM3"}}],"traceEvents":[{events}]}}"#
        ),
    );
    desk.file("sum.csv", rows);
    ["run.json", "sum.csv"]
}

#[test]
fn a_trace_and_a_summary_of_the_same_launches_are_one_answer() {
    let desk = Desk::new();
    let answers = uncounted(&desk).map(|file| {
        let asked =
            answer(&desk, &format!("app {file} --from h100-sxm5 --to l40s,t4,b200 --kernels --format json"));
        let json: Value = serde_json::from_str(&asked).unwrap();
        json["targets"].as_array().unwrap().clone()
    });
    for (of_trace, of_summary) in answers[0].iter().zip(&answers[1]) {
        for name in ["kernels_ms", "kernels_low_ms", "kernels_high_ms"] {
            let [a, b] = [of_trace, of_summary].map(|t| t[name].as_f64().unwrap());
            assert!((a / b - 1.0).abs() < 1e-9, "{name}: {of_trace} {of_summary}");
        }
        for target in [of_trace, of_summary] {
            assert_eq!(target["predicted_share_percent"].as_f64(), Some(0.0), "{target}");
            for kernel in target["kernels"].as_array().unwrap() {
                assert_eq!(kernel["rests_on"], "between bandwidth and compute ratio", "{kernel}");
            }
        }
    }
}

/// Two ratios that happen to agree say no more than a time alone does.
#[test]
fn kernels_without_counts_are_no_surer_than_a_time_alone() {
    let desk = Desk::new();
    uncounted(&desk);
    for target in ["rtx-2070", "l40s", "t4", "b200", "a100-sxm4-80gb", "v100-sxm2-16gb"] {
        let ends = |json: &Value| {
            ["low_ms", "high_ms"].map(|end| json[end].as_f64().unwrap() / json["time_ms"].as_f64().unwrap())
        };
        let asked = answer(&desk, &format!("app run.json --to {target} --kernels --format json"));
        let json: Value = serde_json::from_str(&asked).unwrap();
        let alone = answer(&desk, &format!("predict --time 1s --from h100-sxm5 --to {target} --format json"));
        let alone: Value = serde_json::from_str(&alone).unwrap();
        let [low, high] = ends(&alone[0]);
        for kernel in json["targets"][0]["kernels"].as_array().unwrap() {
            let [low_there, high_there] = ends(kernel);
            // A launch's own time is the same everywhere.
            assert!(low_there <= low * 1.05 && high_there >= high * 0.95, "{target}: {kernel} {alone}");
        }
    }
}

#[test]
fn a_report_whose_gpu_is_typed_asks_for_none() {
    let desk = Desk::new();
    uncounted(&desk);
    let said = desk.types("app sum.csv --from rtx-3090 --to l4").works();
    assert!(
        !said.stdout.contains("names no GPU") && !said.stderr.contains("names no GPU"),
        "{}",
        said.stdout
    );
    desk.types("app sum.csv --to l4").ends(2, &["names no GPU", "give --from GPU"]);
}

/// A trace of an H100: 64 MiB copied to it in so many microseconds, then a kernel.
fn copying(microseconds: u64) -> String {
    let event = |category: &str, name: &str, start: u64, dur: u64, more: &str| {
        format!(
            r#"{{"ph":"X","cat":"{category}","name":"{name}","pid":0,"tid":7,"ts":{start},"dur":{dur},"args":{{"device":0,"stream":7{more}}}}}"#
        )
    };
    let bytes = r#","bytes":67108864"#;
    let events = [
        event("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 0, microseconds, bytes),
        event("kernel", "mine", microseconds + 10, 100, ""),
    ];
    format!(
        r#"{{"deviceProperties":[{{"id":0,"name":"NVIDIA H100 80GB HBM3"}}],"traceEvents":[{}]}}"#,
        events.join(",")
    )
}

/// At half the rate of the link, 2.13 ms, and where pinned copies are, a little longer is a little longer there.
#[test]
fn a_copy_that_took_a_little_longer_takes_a_little_longer_there() {
    let desk = Desk::new();
    let mut before: Option<Vec<f64>> = None;
    for microseconds in [1260, 1300, 1340, 1380, 2080, 2100, 2120, 2140, 2160] {
        desk.file("run.json", copying(microseconds));
        let asked = answer(&desk, "app run.json --to l40s,t4,h200 --format json");
        let json: Value = serde_json::from_str(&asked).unwrap();
        let walls: Vec<f64> =
            json["targets"].as_array().unwrap().iter().map(|t| t["wall_ms"].as_f64().unwrap()).collect();
        for (now, before) in walls.iter().zip(before.iter().flatten()) {
            let most = if microseconds == 2080 { 2.0 } else { 1.1 };
            assert!(now >= before && *now < most * before, "{microseconds}: {before} to {now}");
        }
        before = Some(walls);
    }
}

/// Through a slower link the copies alone can take longer than the whole run did.
#[test]
fn the_limit_without_kernels_says_whose_copies_it_counts() {
    let desk = Desk::new();
    desk.file("run.json", copying(1300));
    let json: Value = serde_json::from_str(&answer(&desk, "app run.json --to l40s --format json")).unwrap();
    assert!(json["targets"][0]["wall_speedup_limit"].as_f64().unwrap() < 1.0, "{json}");
    let table = answer(&desk, "app run.json --to l40s");
    assert!(table.contains("below 1 if host and copies alone exceed"), "{table}");
}

/// A library takes another kernel where one cannot start: that is said first, and the GPU is ranked by its time as any other.
#[test]
fn a_kernel_that_cannot_start_there_is_a_note_and_no_bar() {
    let desk = Desk::new();
    uncounted(&desk);
    let large = std::fs::read_to_string(desk.path("run.json")).unwrap();
    desk.file("run.json", large.replace(r#""shared memory":0"#, r#""shared memory":200000"#));
    desk.file(
        "prices.csv",
        "gpu,usd_per_hour,provider,region,date\nrtx-4090,0.1,a,b,2026-11-01\nh200,9,a,b,2026-11-01\n",
    );
    let asked = answer(&desk, "app run.json --to rtx-4090,h200 --kernels --format json");
    let json: Value = serde_json::from_str(&asked).unwrap();
    let [small, large] = [&json["targets"][0], &json["targets"][1]];
    for kernel in small["kernels"].as_array().unwrap() {
        assert_eq!(kernel["rests_on"], "cannot start there", "{kernel}");
        assert!(
            kernel["reason"]
                .as_str()
                .unwrap()
                .contains("200000 bytes of shared memory per block, at most 101376"),
            "{kernel}"
        );
    }
    let first = small["cautions"][0].as_str().unwrap();
    assert!(
        first
            .starts_with("100 % of kernel time (2 groups) is of kernels that cannot start there as recorded"),
        "{first}"
    );
    assert!(!large.to_string().contains("cannot start"), "{large}");
    let board = answer(&desk, "app run.json --to rtx-4090,h200 --prices prices.csv");
    assert!(board.contains("*1  RTX 4090"), "by money: {board}");
    let by_time = answer(&desk, "rank --app run.json --to rtx-4090,t4,h200 --format csv");
    let times: Vec<f64> =
        by_time.lines().skip(1).map(|row| row.split(',').nth(2).unwrap().parse().unwrap()).collect();
    assert!(times.len() == 3 && times.is_sorted(), "{by_time}");
    assert!(
        !answer(&desk, "app run.json --to rtx-4090").contains("profile next"),
        "counters do not let it start"
    );
    let what_if = object(&desk, "whatif --app run.json --gpu rtx-4090 --tornado --format json");
    assert_same(&what_if["time_ms"], &small["wall_ms"]);
    assert_eq!(what_if["time_kind"], "modelled", "{what_if}");
    answer(&desk, "whatif --app run.json --gpu h200 --set smem=-50%");
    let goal = ["", " --from h100-sxm5"].map(|from| {
        desk.types(&format!("whatif --app run.json --gpu h200 --solve mem --format json{from}"))
            .works()
            .stdout
    });
    assert!(goal[0].contains("\"solve\"") && goal[0] == goal[1], "the trace is of that GPU: {}", goal[0]);
}

/// What half of the kernel time or more is predicted of is scaled from the trace, the rest an estimate: the mark is said.
#[test]
fn the_mark_of_an_application_goes_by_the_share_that_is_predicted() {
    let desk = Desk::new();
    desk.file("counted.json", trace());
    uncounted(&desk);
    let row = |file: &str| object(&desk, &format!("rank --app {file} --to l40s --format json"));
    assert_eq!(row("counted.json")[0]["time_kind"], "scaled");
    let uncounted = row("run.json");
    assert_eq!(uncounted[0]["time_kind"], "modelled");
    assert!(
        uncounted.to_string().contains("marked ~: 0 % of kernel time is predicted, less than half"),
        "{uncounted}"
    );
    let what_if = object(&desk, "whatif --app run.json --gpu l40s --format json");
    assert_eq!(what_if["time_kind"], "modelled", "{what_if}");
    assert_eq!(what_if["cautions"], uncounted[0]["cautions"], "one question, one answer");
}

/// What is said of a total by `app` stands in every form of the answer of `whatif`.
#[test]
fn a_what_if_says_what_the_application_says_of_that_gpu() {
    let desk = Desk::new();
    uncounted(&desk);
    for changes in ["", " --set smem=-20%"] {
        let app = object(&desk, &format!("app run.json --to l40s{changes} --format json"));
        let of_app = app["targets"].as_array().unwrap().last().unwrap()["cautions"].as_array().unwrap();
        assert!(of_app.len() >= 2, "{app}");
        let words = format!("whatif --app run.json --gpu l40s{changes}");
        let of_what_if = object(&desk, &format!("{words} --format json"))["cautions"].clone();
        for form in ["", " --format markdown", " --format csv"] {
            let text = answer(&desk, &format!("{words}{form}"));
            for caution in of_app {
                assert!(of_what_if.as_array().unwrap().contains(caution), "{caution}: {of_what_if}");
                assert!(text.contains(caution.as_str().unwrap()), "{caution}: {text}");
            }
        }
    }
    answer(&desk, "whatif --app run.json --gpu l40s --set mem=+20% --page page.md");
    assert!(desk.read("page.md").contains("scaled by the hardware ratios"), "{}", desk.read("page.md"));
    let kernel = "--kernel saxpy --size 2^20 --from titan-v";
    let predicted =
        object(&desk, &format!("predict {kernel} --to l40s --format json"))[0]["cautions"].clone();
    let what_if = object(&desk, &format!("whatif {kernel} --gpu l40s --format json"))["cautions"].clone();
    assert_eq!(what_if, predicted);
}

/// GPUs that are nearly alike share a note: one per tenth of the window, not one per GPU.
#[test]
fn notes_of_gpus_that_are_nearly_alike_are_one() {
    let desk = Desk::new();
    desk.file("run.json", trace());
    let table = answer(&desk, "rank --app run.json");
    let notes = table.lines().filter(|line| line.contains("the GPU idles for")).count();
    assert!((1..=10).contains(&notes), "{table}");
}

#[test]
fn a_what_if_of_a_range_is_of_that_range() {
    let desk = Desk::new();
    desk.file("run.json", trace());
    let app = object(&desk, "app run.json --range step#1 --to l40s --format json");
    let what_if = object(&desk, "whatif --app run.json --range step#1 --gpu l40s --format json");
    assert_same(&what_if["time_ms"], &app["targets"][0]["wall_ms"]);
    let without = desk.types("whatif --kernel saxpy --gpu l40s --range step");
    without.ends(2, &["--range is of a trace: give --app FILE"]);
}

/// A driver gives most traces of a slice the name of the whole board: its SMs and memory say which slice it was.
#[test]
fn a_slice_is_the_source_by_its_name_or_its_size() {
    let desk = Desk::new();
    let of_gpu = |properties: &str| {
        trace().replace(r#""name":"NVIDIA H100 80GB HBM3","totalGlobalMem":85018279936"#, properties)
    };
    let cautions =
        |words: &str| object(&desk, &format!("{words} --format json"))["targets"][0]["cautions"].to_string();
    let whole = r#""name":"NVIDIA A100-SXM4-80GB","numSms":108,"totalGlobalMem":84986691584"#;
    desk.file("run.json", of_gpu(whole));
    assert!(!cautions("app run.json --to l40s").contains("recorded on a GPU of"));
    desk.file(
        "run.json",
        of_gpu(r#""name":"NVIDIA A100-SXM4-80GB","numSms":42,"totalGlobalMem":42000000000"#),
    );
    let slice = "a100-sxm4-80gb:mig-3g.40gb";
    assert_eq!(object(&desk, "app run.json --to l40s --format json")["source_gpu"], slice);
    assert!(!cautions("app run.json --to l40s").contains("recorded on a GPU of"));
    let said = cautions("app run.json --to l40s --from a100-sxm4-80gb");
    for part in ["42 SMs and 39.1 GiB", "has 108 SMs and 80.0 GiB", "--from a100-sxm4-80gb:mig-3g.40gb,"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let typed = desk.types("app run.json --to l40s --from a100-sxm4-80gb:mig-3g.40gb --format json").works();
    assert!(
        !typed.stdout.contains("recorded on") && !typed.stderr.contains("recorded on"),
        "{}",
        typed.stderr
    );
    desk.file("run.json", of_gpu(r#""name":"NVIDIA A100-SXM4-80GB","numSms":50"#));
    assert!(cautions("app run.json --to l40s").contains("taken as those of a100-sxm4-80gb; give --from GPU"));
    desk.file("run.json", of_gpu(r#""name":"NVIDIA H100 80GB HBM3 MIG 3g.40gb""#));
    let named = object(&desk, "app run.json --to l40s --format json");
    assert_eq!(named["source_gpu"], "h100-sxm5:mig-3g.40gb");
    let typed = object(&desk, "app run.json --to l40s --from h100-sxm5:mig-3g.40gb --format json");
    assert_eq!(named, typed);
    assert!(answer(&desk, "rank --app run.json --to l40s").contains(" on ◇ H100 SXM5 80 GB MIG 3g.40gb"));
}

#[test]
fn a_name_of_several_gpus_is_said_to_be_one() {
    let desk = Desk::new();
    desk.file("run.json", trace().replace("NVIDIA H100 80GB HBM3", "NVIDIA H100"));
    for words in ["app run.json --to l40s", "rank --app run.json --to l40s"] {
        desk.types(words).ends(2, &["which is one of h100-pcie, h100-sxm5, h100-nvl", "give --from"]);
    }
}

#[test]
fn kernels_without_a_duration_are_listed_and_not_predicted() {
    let desk = Desk::new();
    desk.file("run.json", trace().replace(r#""dur":60"#, r#""dur":0"#).replace(r#""dur":10"#, r#""dur":0"#));
    let listed = answer(&desk, "app run.json");
    assert!(listed.contains("no kernel has a duration") && listed.contains("40 kernel launches"), "{listed}");
    for words in ["app run.json --to l40s", "rank --app run.json --to l40s"] {
        desk.types(words).ends(2, &["run.json: no kernel has a duration"]);
    }
}

#[test]
fn a_trace_without_a_kernel_that_counts_is_not_predicted() {
    let desk = Desk::new();
    desk.file(
        "run.json",
        trace().replace(r#""dur":60"#, r#""dur":-60"#).replace(r#""dur":10"#, r#""dur":-10"#),
    );
    for words in ["app run.json --to l40s", "rank --app run.json --to l40s"] {
        desk.types(words).ends(1, &["run.json: no ", "have a negative, missing or impossible time"]);
    }
}

#[test]
fn a_trace_that_is_cut_before_its_first_kernel_is_damaged_and_says_where_it_ends() {
    let desk = Desk::new();
    let whole = trace();
    let first = whole.find("\"kernel\"").unwrap();
    let head = whole[..first].rfind("{\"ph\"").unwrap_or(first);
    desk.file("cut.json", &whole[..head]);
    let told = desk.types("app cut.json --to l40s").ends(1, &["cut.json: the file ends at byte"]);
    let asks = ["are used", "record with"].iter().any(|words| told.stderr.contains(words));
    assert!(!asks && told.stderr.contains("copy the whole file"), "{}", told.stderr);
    let empty = whole.replace("\"kernel\"", "\"other\"");
    desk.file("empty.json", empty);
    desk.types("app empty.json").ends(1, &["empty.json: no activity of a GPU is in the trace: record with"]);
}

#[test]
fn changed_boards_of_an_application_have_their_legend_and_every_range_of_clocks() {
    let desk = Desk::new();
    desk.file("run.json", trace());
    let told = answer(&desk, "app run.json --to l40s --set mem=+20% --power-limit 250W");
    assert!(told.contains("\n◇ hypothetical GPU\n"), "{told}");
    assert!(told.contains("l40s (250 W, SM 2520 to ") && !told.contains(" more): the power limit"), "{told}");
    assert!(!answer(&desk, "app run.json --to l40s").contains("◇"));
}

/// Two files merged by hand: a kernel runs once on its stream at a time.
#[test]
fn activities_that_are_recorded_twice_count_once() {
    let desk = Desk::new();
    desk.file("run.json", trace());
    let sum = |desk: &Desk| {
        let printed = desk.types("app run.json --to l40s --format json").works().stdout;
        let printed: serde_json::Value = serde_json::from_str(&printed).unwrap();
        number(&printed, "kernel_sum_ms")
    };
    let once = sum(&desk);
    let (text, opening) = (trace(), "\"traceEvents\":[");
    let (head, events) = text.split_once(opening).unwrap();
    let events = events.trim_end().strip_suffix("]}").unwrap();
    desk.file("run.json", format!("{head}{opening}{events},{events}]}}"));
    assert!(answer(&desk, "app run.json").contains("are recorded twice, alike in name, stream and times"));
    assert_eq!(sum(&desk), once);
}

/// Links differ: what is kept as recorded is no certainty on another GPU.
#[test]
fn messages_between_gpus_have_an_interval_on_another_gpu() {
    let desk = Desk::new();
    let product = "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64";
    let all_reduce = trace().replace(product, "ncclDevKernel_AllReduce_Sum_bf16_RING_LL");
    desk.file("run.json", all_reduce.replace("aten::mm", "x"));
    let json = object(&desk, "app run.json --to h200,h100-sxm5 --kernels --format json");
    let times = |target: usize| {
        let kernel = &json["targets"][target]["kernels"][0];
        ["low_ms", "time_ms", "high_ms"].map(|key| (kernel[key].as_f64().unwrap() * 1e9).round() / 1e9)
    };
    assert_eq!(times(0), [0.03, 0.06, 0.12]);
    assert_eq!(times(1), [0.06; 3]);
    let total = &json["targets"][0];
    assert!(total["kernels_high_ms"].as_f64() > Some(1.5 * total["kernels_ms"].as_f64().unwrap()), "{total}");
    let note = "kept as recorded, assumed within a factor of 2: communication between GPUs is not modelled";
    assert!(total["cautions"].to_string().contains(note), "{total}");
}
