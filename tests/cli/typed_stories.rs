//! A kernel without a file, typed in flags; the rows of a measurement file; numbers as people type them.

use crate::desk;

use desk::Desk;
use serde_json::Value;

const MATMUL: &str = "predict --time 4.2ms --threads 16x16 --grid 128x128 --regs 40 --smem 8KB --flops 17.2GFLOP \
    --dram-bytes 50MB --from 3090 --format json";

fn ms(row: &Value, key: &str) -> f64 {
    row[key].as_f64().unwrap_or_else(|| panic!("{key} in {row}"))
}

#[test]
fn a_typed_kernel_is_predicted_on_other_gpus_in_one_command() {
    let desk = Desk::new();
    let rows = desk.types(&format!("{MATMUL} --to 4090,5090,h100-sxm5 --name my_matmul")).works().json();
    let targets: Vec<&str> = rows.iter().filter_map(|r| r["gpu_target"].as_str()).collect();
    assert_eq!(targets, ["rtx-4090", "rtx-5090", "h100-sxm5"]);
    for row in &rows {
        assert_eq!((&row["kernel"], &row["source_time_ms"]), (&"my_matmul".into(), &4.2.into()));
        assert_eq!(row["source_kind"], "measured");
        assert!(ms(row, "low_ms") < ms(row, "time_ms") && ms(row, "time_ms") < ms(row, "high_ms"), "{row}");
        assert_eq!(row["occupancy_source"], 1);
    }
}

#[test]
fn a_typed_kernel_says_the_same_as_the_row_of_a_file() {
    let desk = Desk::new();
    let file = desk.file(
        "mine.csv",
        "gpu,kernel,problem,block,grid,regs_per_thread,smem_static_bytes,flops,dram_bytes,time_ms\n\
         rtx-3090,my_matmul,,16x16,128x128,40,8192,17.2e9,50e6,4.2\n",
    );
    let typed = desk.types(&format!("{MATMUL} --to rtx-4090 --name my_matmul")).works().json().remove(0);
    let words = "predict --to rtx-4090 --format json --data";
    let read = desk.types_with(words, &[&file]).works().json();
    assert_eq!(read.len(), 1, "the rows of the file alone");
    for key in ["time_ms", "low_ms", "high_ms", "occupancy_target", "bound_target"] {
        assert_eq!(typed[key], read[0][key], "{key}");
    }
}

#[test]
fn a_kernel_of_the_catalogue_takes_a_typed_time() {
    let desk = Desk::new();
    let words =
        "predict --time 4.2ms --from 3090 --kernel gemm_tiled --size n=2k --to rtx-4090 --format json";
    let row = desk.types(words).works().json().remove(0);
    assert_eq!((&row["kernel"], &row["source_time_ms"]), (&"gemm_tiled".into(), &4.2.into()));
    assert!(row["problem"].as_str().is_some_and(|p| p.contains("n=2000")), "{row}");
}

#[test]
fn a_kernel_without_a_time_is_modelled_from_its_work() {
    let desk = Desk::new();
    let words = "predict --flops 17.2GFLOP --dram-bytes 50MB --from 3090 --to rtx-4090 --format json";
    let row = desk.types(words).works().json().remove(0);
    assert_eq!((&row["kernel"], &row["source_kind"]), (&"typed".into(), &"estimated".into()));
    // 17.2 GFLOP at no more than 82.6 TFLOP/s.
    assert!(ms(&row, "time_ms") > 17.2e9 / 82.6e12 * 1e3, "{row}");
}

#[test]
fn what_is_missing_or_wrong_is_said_with_what_to_type() {
    let desk = Desk::new();
    for (words, said) in [
        ("predict --time 4.2ms --to rtx-4090", "measured on which GPU?"),
        ("predict --time 4.2 --from 3090 --to rtx-4090", "expected a time above 0 with its unit"),
        ("predict --time 4.2ms --from all --to rtx-4090", "give --from GPU"),
        ("predict --threads 16x --from 3090 --to rtx-4090", "such as 256, 16x16"),
        ("predict --flops 3TFLOPS --from 3090 --to rtx-4090", "a rate is none"),
        ("predict --regs 40 --from 3090 --to rtx-4090", "neither a time nor work"),
        ("predict --dtype complex64 --from 3090 --to rtx-4090", "expected one of fp64"),
    ] {
        desk.types(words).ends(2, &[said]);
    }
}

#[test]
fn a_rate_becomes_the_time_of_what_is_counted() {
    let desk = Desk::new();
    for (work, rate, expected) in [
        ("--kernel linear_bf16 --size n=8192", "700TFLOPS", 2.0 * 8192f64.powi(3) / 700e12 * 1e3),
        ("--flops 7TFLOP --dram-bytes 1GB --dtype bf16", "700TFLOP/s", 10.0),
        ("--flops 1GFLOP --dram-bytes 9GB", "900GB/s", 10.0),
        ("--kernel saxpy --size n=2^28", "1.2TB/s", 12.0 * (1u64 << 28) as f64 / 1.2e12 * 1e3),
    ] {
        let asked = format!("predict --from h100-sxm5 --to b200 --format json {work}");
        let done = desk.types(&format!("{asked} --rate {rate}")).works();
        assert!(done.stderr.contains("--rate ") && done.stderr.contains(": a time of "), "{}", done.stderr);
        let row = done.json().remove(0);
        assert!((ms(&row, "source_time_ms") / expected - 1.0).abs() < 1e-9, "{rate}: {expected} ms: {row}");
        let timed =
            desk.types(&format!("{asked} --time {}ms", row["source_time_ms"])).works().json().remove(0);
        assert!((ms(&row, "time_ms") / ms(&timed, "time_ms") - 1.0).abs() < 1e-9, "{rate}");
    }
    for (words, said) in [
        ("--rate 700TFLOPS --dram-bytes 1GB", "700 TFLOP/s of how many FLOPs? add `17.2 GFLOP`, or --flops"),
        ("--rate 900GB/s --flops 1GFLOP", "900 GB/s of how many bytes of DRAM?"),
        ("--rate 700TFLOPS --kernel linear_bf16", "700 TFLOP/s at which size?"),
        ("--rate 700TFLOP --flops 1TFLOP", "expected a rate with its unit, such as 700TFLOPS or 900GB/s"),
        ("--rate 700TFLOPS --time 1ms --flops 1TFLOP", "cannot be used with"),
    ] {
        desk.types(&format!("predict --from h100-sxm5 --to b200 {words}")).ends(2, &[said]);
    }
}

#[test]
fn instructions_of_tensor_cores_are_words_of_a_pipe() {
    let desk = Desk::new();
    let asked = "predict --from rtx-a5000 --to b200 --flops 1TFLOP --time 20ms --format json --pipe";
    for pipe in
        ["tensor-fp16-fp32-instruction=mma.sync", "fp16-fp32-mma", "wgmma-fp16", "tensor-fp16-tcgen05"]
    {
        let row = desk.types(&format!("{asked} {pipe}")).works().json().remove(0);
        assert!(row["cautions"].to_string().contains("arithmetic: tensor FP16"), "{row}");
    }
    desk.types(&format!("{asked} tensor-fp16-instruction=foo")).ends(2, &["expected one of mma.sync, wgmma"]);
}

#[test]
fn a_file_of_one_gpu_has_its_source_and_one_of_two_combines_them() {
    let desk = Desk::new();
    let header = "gpu,kernel,problem,time_ms,dram_bytes\n";
    let one = desk.file("one.csv", format!("{header}v100-pcie-16gb,Sobel<float>,n=1_000_000,0.5,4e8\n"));
    let rows =
        desk.types_with("predict --kernel sobel --to l40s --format json --data", &[&one]).works().json();
    assert_eq!((&rows[0]["kernel"], &rows[0]["problem"]), (&"Sobel<float>".into(), &"n=1000000".into()));
    assert_eq!(rows[0]["gpu_source"], "v100-pcie-16gb");
    let two =
        desk.file("two.csv", format!("{header}v100-pcie-16gb,a,n=2^20,0.5,4e8\nrtx-3090,a,n=1Mi,0.4,4e8\n"));
    let both = "--kernel a --to l40s --format json --data";
    let rows = desk.types_with(&format!("predict {both}"), &[&two]).works().json();
    assert!(rows[0]["cautions"].to_string().contains("\"scaled from the measured time on"), "{rows:?}");
    let ranked = desk.types_with(&format!("rank {both}"), &[&two]).works().json();
    assert_eq!(ranked[0]["time_ms"], rows[0]["time_ms"]);
    let whatif =
        desk.types_with("whatif --kernel a --gpu l40s --set memory=50GiB --format json --data", &[&two]);
    assert!(whatif.works().stdout.contains(&format!("\"base_time_ms\": {}", rows[0]["time_ms"])));
    let rows =
        desk.types_with("predict --from rtx-3090 --to l40s --format json --data", &[&two]).works().json();
    assert_eq!((rows.len(), &rows[0]["problem"]), (1, &"n=1048576".into()), "both rows are of one size");
}

#[test]
fn numbers_are_read_the_same_way_everywhere() {
    let desk = Desk::new();
    let saxpy = "predict --from titan-v --to rtx-4070 --kernel saxpy --format json --size";
    let plain = desk.types(&format!("{saxpy} n=1048576")).works().stdout;
    for size in ["2^20", "2**20", "1<<20", "1Mi", "1_048_576", "1,048,576", "n=1024x1024", "n=1,048,576"] {
        assert_eq!(desk.types(&format!("{saxpy} {size}")).works().stdout, plain, "{size}");
    }
    let block = "occupancy --gpu rtx-4070 --format json --regs 40";
    let plain = desk.types(&format!("{block} --threads 256 --smem-static 8192")).works().stdout;
    assert_eq!(desk.types(&format!("{block} --threads 16x16 --smem 8K")).works().stdout, plain);
    let gemm = "gemm --gpu rtx-4070 --format json --tile 16";
    let plain = desk.types(&format!("{gemm} --n 4096")).works().stdout;
    assert_eq!(desk.types(&format!("{gemm} --n 2**12")).works().stdout, plain);
}

#[test]
fn a_comma_in_a_time_is_not_taken_for_thousands() {
    let desk = Desk::new();
    let file = desk.file("comma.csv", "gpu,kernel,problem,time_ms\nrtx-3090,a,n=1,\"1,500\"\n");
    let refused = desk.types_with("predict --to l40s --data", &[&file]);
    refused.ends(1, &["time_ms", "1,500"]);
}

#[test]
fn a_type_that_a_gpu_has_no_unit_for_is_said_and_so_are_tensor_cores_that_nobody_named() {
    let desk = Desk::new();
    let asked = |words: &str| {
        let words = format!("predict --flops 2TFLOP --time 10ms --format json {words}");
        desk.types(&words).works().json()[0]["cautions"].to_string()
    };
    let lanes = asked("--dram-bytes 100MB --dtype bf16 --from a100-sxm4-80gb --to t4");
    assert!(
        lanes.contains(
            "; assumed from its dtype; no such rate on t4: its FP32 lanes at 0.55 of their rate stand in"
        ),
        "{lanes}"
    );
    let units = asked("--bytes 100MB --dtype bf16 --from a100-sxm4-80gb --to h100-sxm5");
    assert!(units.contains("assumed from its dtype\""), "{units}");
    // 200 TFLOP/s: an A100 has 78 on its lanes, and 312 on tensor cores.
    let halves = asked("--bytes 100MB --dtype fp16 --from a100-sxm4-80gb --to h100-sxm5");
    assert!(halves.contains("tensor FP16, dense, FP32 accumulate; assumed from its dtype"), "{halves}");
    // 67 TFLOP/s.
    let packed = desk.types("predict --flops 2TFLOP --time 30ms --dtype fp16 --from a100-sxm4-80gb --to l4");
    assert!(
        packed
            .works()
            .stdout
            .contains("packed FP16; assumed: its FLOPs in this time are what packed FP16 does")
    );
    let said = asked("--bytes 100MB --dtype fp16 --pipe tensor-fp16 --from a100-sxm4-80gb --to h100-sxm5");
    assert!(!said.contains("above its roof"), "{said}");
}

#[test]
fn what_a_name_says_of_the_arithmetic_is_shown_and_can_be_stated_otherwise() {
    let desk = Desk::new();
    let name = "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_tn";
    let row = |kernel: &str, pipe: &str| {
        format!("a100-sxm4-80gb,{kernel},m=4096;n=4096;k=4096,137438953472,100663296,0.6,{pipe}\n")
    };
    let head = "gpu,kernel,problem,flops,dram_bytes,time_ms,pipe\n";
    desk.file("named.csv", format!("{head}{}", row(name, "")));
    desk.file("stated.csv", format!("{head}{}", row("my_gemm", "tensor fp16 tile=64x256")));
    let asked = |words: &str, file: &str| {
        let words =
            format!("predict --to h100-sxm5 --from a100-sxm4-80gb {words} --data {file} --format json");
        let told = desk.types(&words).works().json().remove(0);
        let cautions = told["cautions"].to_string();
        (told["time_ms"].as_f64().unwrap(), cautions)
    };
    for (words, file, said) in [
        (
            "",
            "named.csv",
            "arithmetic: tensor BF16, dense, FP32 accumulate; its name states a tensor instruction",
        ),
        ("--dtype fp16", "named.csv", "arithmetic: tensor FP16, dense, FP32 accumulate; typed"),
        ("--pipe fp32", "named.csv", "arithmetic: FP32 lanes; typed"),
        (
            "",
            "stated.csv",
            "arithmetic: tensor FP16, dense, FP32 accumulate; stated by the column pipe of its row",
        ),
        ("--pipe tensor-bf16", "stated.csv", "arithmetic: tensor BF16, dense, FP32 accumulate; typed"),
    ] {
        let kernel = if file == "named.csv" { name } else { "my_gemm" };
        let (_, cautions) = asked(&format!("--kernel {kernel} {words}"), file);
        assert!(cautions.contains(said), "{words}: {cautions}");
    }
    let (on_tensor, _) = asked("--kernel my_gemm", "stated.csv");
    let (on_lanes, _) = asked("--kernel my_gemm --pipe fp32", "stated.csv");
    assert!((on_lanes / on_tensor - 1.0).abs() > 0.01, "another pipe, another roof: {on_lanes} {on_tensor}");
    // The sheet of the kernel says the same.
    let sheet = desk.types("kernels my_gemm --data stated.csv --format json").works().stdout;
    for said in ["tensor FP16, dense, FP32 accumulate", "stated by the column pipe of its row", "64x256"] {
        assert!(sheet.contains(said), "{said}: {sheet}");
    }
    desk.file("odd.csv", format!("{head}{}", row("odd_gemm", "warp drive")));
    let told = desk.types("predict --to h100-sxm5 --kernel odd_gemm --data odd.csv").works();
    assert!(
        told.stderr.contains("pipe `warp drive`: `warp` is not understood; expected `tensor`"),
        "{}",
        told.stderr
    );
    let words = "predict --from a100-sxm4-80gb --to h100-sxm5 --kernel linear_bf16 --pipe fp32";
    desk.types(words).ends(2, &["linear_bf16 is an operator of bf16 by its file"]);
}

#[test]
fn fp4_runs_where_there_is_fp4_and_says_why_elsewhere() {
    let desk = Desk::new();
    let words = "predict --from b200 --to rtx-5090,b300,h100-sxm5 --kernel linear_fp4 --format json";
    let told = desk.types(words).works().json();
    let time = |i: usize| told[i]["time_ms"].as_f64();
    assert!(time(0).is_some() && time(1).is_some() && time(2).is_none(), "{told:?}");
    let sheet = desk.types("predict --from b200 --to h100-sxm5 --kernel linear_fp4").ends(1, &[]).stdout;
    assert!(
        sheet.contains("lacks fp4: the kernel needs compute capability 10.0, and this is 9.0"),
        "{sheet}"
    );
    // Four bits are at most twice as fast as eight, and never slower.
    let of = |kernel: &str| {
        let words = format!(
            "predict --from b300 --to b200 --kernel {kernel} --size m=8192;n=8192;k=8192 --format json"
        );
        desk.types(&words).works().json()[0]["time_ms"].as_f64().unwrap()
    };
    let ratio = of("linear_fp8") / of("linear_fp4");
    assert!((1.2..2.6).contains(&ratio), "{ratio}");
}

#[test]
fn bytes_that_no_bandwidth_moves_in_the_time_are_above_their_roof() {
    let desk = crate::desk::Desk::new();
    for work in ["--dram-bytes 1GB", "--dram-bytes 1GB --flops 1GFLOP"] {
        let table =
            desk.types(&format!("predict --from rtx-4070 --to l40s --time 100us {work}")).works().stdout;
        assert!(table.contains("above its roof on rtx-4070"), "{work}:\n{table}");
    }
}

/// The time in ms on one GPU, and upper over lower end of its interval.
fn time_and_width(desk: &Desk, words: &str) -> (f64, f64) {
    let row = desk.types(&format!("predict {words} --format json")).works().json().remove(0);
    (ms(&row, "time_ms"), ms(&row, "high_ms") / ms(&row, "low_ms"))
}

/// An H200 is an H100 with more memory: what neither counts as DRAM's gains nothing on it, and nothing on the way back.
#[test]
fn boards_with_the_same_sms_differ_by_what_memory_takes_alone() {
    let desk = Desk::new();
    let counted = "--time 1.7ms --flops 4GFLOP --dram-bytes 100MB --l2-bytes 200MB --threads 256 --regs 64 --grid 100000";
    let time = |from: &str, to: &str| time_and_width(&desk, &format!("{counted} --from {from} --to {to}")).0;
    let (better, weaker) = (time("h100-sxm5", "h200"), time("h200", "h100-sxm5"));
    assert!(better > 1.65 && better <= 1.7, "{better}");
    assert!((1.7..1.75).contains(&weaker), "{weaker}");
    let one_block =
        "--time 5ms --flops 1GFLOP --dram-bytes 1MB --threads 1024 --grid 1 --regs 32 --from rtx-4090";
    let smaller = time_and_width(&desk, &format!("{one_block} --to rtx-4060")).0;
    assert!(smaller > 4.9, "one SM of an RTX 4060 is no faster than one of an RTX 4090: {smaller}");
}

/// A kernel far above the roof of what was counted: the count says little, and makes little of the interval.
#[test]
fn a_count_that_explains_little_of_a_time_does_not_open_its_interval() {
    let desk = Desk::new();
    let asked = "--time 6ms --threads 256 --from h100-sxm5 --to l40s";
    let alone = time_and_width(&desk, asked).1;
    for counts in [
        "--flops 3GFLOP",
        "--flops 3GFLOP --dtype fp64",
        "--dram-bytes 10MB",
        "--flops 3GFLOP --dtype fp64 --dram-bytes 10MB",
    ] {
        let counted = time_and_width(&desk, &format!("{asked} {counts}")).1;
        assert!(counted < 5.0 * alone, "{counts}: {counted} for {alone}");
    }
}

/// A launch cannot cost more than a kernel took.
#[test]
fn a_time_below_the_usual_launch_overhead_stays_below_it() {
    let desk = Desk::new();
    let asked = "--time 1.60us --from h100-sxm5 --threads 128 --grid 141 --regs 24 --dram-bytes 433000";
    let row = time_and_width(&desk, &format!("{asked} --to h200")).0;
    // By 3.10 over 2.98 µs, what their files state of a launch.
    assert!(row < 1.67e-3, "{row} ms");
    assert_eq!(time_and_width(&desk, &format!("{asked} --to h100-sxm5")), (1.6e-3, 1.0));
}

#[test]
fn tensor_cores_that_a_gpu_lacks_are_named_in_the_place_of_a_time() {
    let desk = Desk::new();
    let asked = "predict --time 400us --flops 400GFLOP --dram-bytes 100MB --threads 256 --from h100-sxm5";
    for (dtype, gpu) in [("bf16", "v100-sxm2-16gb"), ("fp16", "p100-sxm2")] {
        let words = format!("{asked} --dtype {dtype} --pipe tensor-{dtype}-fp32 --to {gpu} --format json");
        let told = desk.types(&words);
        let rows = told.json();
        assert!(rows[0]["time_ms"].is_null(), "{rows:?}");
        assert!(rows[0].to_string().contains("lacks"), "{rows:?}");
    }
}

/// A code for FP8 computes in FP16 where tensor cores take no FP8, not on the lanes of FP32.
#[test]
fn a_wider_type_stands_in_for_one_that_tensor_cores_do_not_take() {
    let desk = Desk::new();
    let asked = |dtype: &str| {
        let words =
            format!("--time 2ms --flops 1TFLOP --dram-bytes 100MB --dtype {dtype} --from h100-sxm5 --to");
        let row =
            desk.types(&format!("predict {words} a100-sxm4-80gb --format json")).works().json().remove(0);
        (ms(&row, "time_ms"), row["cautions"].to_string())
    };
    assert_eq!(asked("fp8").0, asked("fp8 --pipe tensor-fp8").0, "stated or by its type");
    let (narrow, said) = asked("fp8");
    assert!(said.contains("no such rate on a100-sxm4-80gb: its rate for a wider type stands in"), "{said}");
    assert!((2.0..14.0).contains(&narrow), "{narrow} ms");
}

/// Two settings of one clock, counts beside a kernel's own, a time at no size: each is refused with what to type.
#[test]
fn what_contradicts_a_kernel_or_a_gpu_is_refused() {
    let desk = Desk::new();
    let on = "--from titan-v --to rtx-4070 --kernel saxpy";
    let size = "--size n=1048576";
    for (words, said) in [
        (format!("predict {on} {size} --flops 1e9"), "counts its FLOPs and bytes by its file"),
        (format!("predict {on} {size} --dram-bytes 1e9"), "counts its FLOPs and bytes by its file"),
        (format!("predict {on} --time 4.2ms"), "saxpy: 4.20 ms at which size?"),
        ("predict --from titan-v --to l4 --name axpy --time 2ms --dram-bytes 1GB".into(), "at which size?"),
    ] {
        let refused = desk.types(&words);
        refused.ends(2, &[said]);
    }
    desk.types(&format!("predict {on} {size} --time 40us")).works();
}

#[test]
fn a_number_below_zero_is_a_value_that_says_what_is_expected() {
    let desk = Desk::new();
    let pair = "--from titan-v --to l4";
    for (words, said) in [
        (format!("predict {pair} --time -3ms"), "expected a time above 0 with its unit"),
        (format!("predict {pair} --time 4,2ms"), "such as 4.2ms, 31us or 1.5s; decimals have a point"),
        (format!("predict {pair} --time 4ms --flops 17,2GFLOP"), "decimals have a point"),
        ("whatif --gpu l4 --kernel saxpy --set mem=1,5x".into(), "mem=+20%,l2=72MiB, decimals have a point"),
        (format!("predict {pair} --time 1ms --flops -1G"), "expected operations, such as"),
        (format!("predict {pair} --kernel saxpy --sm-clock -5"), "expected megahertz above 0"),
        (format!("predict {pair} --kernel saxpy --regs -5"), "expected a whole number above 0"),
        ("rank --from titan-v --kernel saxpy --top -1".into(), "expected a whole number above 0"),
        (
            "whatif --gpu l4 --kernel saxpy --solve mem --goal -1ms".into(),
            "expected a time above 0 with its unit",
        ),
        ("app trace.json --device -1".into(), "expected a whole number from 0"),
        ("app trace.json --device x".into(), "expected a whole number"),
        ("app trace.json --top -1".into(), "expected a whole number"),
        ("app trace.json --host -1".into(), "expected a factor"),
    ] {
        desk.types(&words).ends(2, &[said]);
    }
}

/// What stands under the heading of a loop is of the loop.
#[test]
fn flags_of_every_kernel_stand_under_no_heading_of_a_typed_one() {
    for command in ["predict", "rank", "whatif", "occupancy", "export"] {
        let help = Desk::new().types(&format!("{command} --help")).works().stdout;
        let typed = help.split("A kernel without a file, per launch:").nth(1).unwrap_or_default();
        assert!(typed.contains("--stores-per-iteration"), "{help}");
        for flag in ["--data", "--format", "--sm-clock", "--theme", "--launch"] {
            assert!(!typed.contains(&format!("  {flag} <")), "{command} {flag}: {typed}");
        }
    }
}
