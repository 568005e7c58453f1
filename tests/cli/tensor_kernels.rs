//! Kernels of tensor cores and operators, by what a person knows of them: rates that no board has, the source that has no part, types that nobody states.

use crate::desk;

use desk::{Desk, number};
use serde_json::Value;

fn answers(words: &str) -> Vec<Value> {
    Desk::new().types(&format!("predict --format json {words}")).works().json()
}

fn answer(words: &str) -> Value {
    answers(words).remove(0)
}

fn cautions(row: &Value) -> String {
    row["cautions"].to_string()
}

/// Bytes at the stated bandwidth, and FLOPs at 1.3 times the stated rate: no interval of an operator begins below.
#[test]
fn no_interval_of_an_operator_begins_below_its_bytes_or_its_flops() {
    let decode = "--kernel attention_decode --size b=256,s=8192,h=64,kv=8,d=128 --from a100-sxm4-80gb";
    let product = "--kernel linear_bf16 --size m=4096,n=4096,k=4096 --from h100-sxm5";
    let flops = 2.0 * 4096f64.powi(3);
    for (words, least) in [
        (format!("{decode} --to rtx-4090"), 8.59e9 / 1008e9),
        (format!("{decode} --to h100-sxm5"), 8.59e9 / 3350e9),
        (format!("{product} --to rtx-4090"), flops / (1.3 * 165.2e12)),
    ] {
        let found = answer(&words);
        assert!(number(&found, "low_ms") >= 0.999e3 * least, "{words}: {least} s: {found}");
    }
}

#[test]
fn any_side_alone_is_a_square_product() {
    for kernel in ["linear_bf16", "linear_fp16", "linear_fp8", "linear_fp4", "torch_linear", "matmul_tiled"] {
        let size = |typed: &str| {
            answer(&format!("--kernel {kernel} --size {typed} --to b200"))["problem"]
                .as_str()
                .unwrap()
                .to_string()
        };
        let square = size("m=2048,n=2048,k=2048");
        for typed in ["m=2048", "n=2048", "k=2048", "2048"] {
            assert_eq!(size(typed), square, "{kernel} {typed}");
        }
    }
    Desk::new()
        .types("predict --kernel linear_bf16 --size m=2048,k=512 --to b200")
        .ends(2, &["linear_bf16 needs `n`"]);
    // A row of one: as wide as it is deep, as of every other product.
    assert_eq!(answer("--kernel linear_bf16 --size m=1,n=2048 --to b200")["problem"], "m=1;n=2048;k=2048");
}

#[test]
fn what_was_compared_on_hopper_is_said_of_hopper_alone() {
    let note = "cuBLAS with one scale took 0.55 to 0.85";
    let has_note =
        |words: &str| cautions(&answer(&format!("--kernel linear_fp8 --size m=4096 {words}"))).contains(note);
    assert!(has_note("--to h100-sxm5") && has_note("--to h200") && has_note("--from h200 --to b200"));
    assert!(!has_note("--to b200") && !has_note("--from rtx-4090 --to l4"));
    let said = Desk::new().types("kernels linear_fp8").works().stdout;
    assert!(said.contains("compute capability 9.0: ") && said.contains(note), "{said}");
}

#[test]
fn no_interval_begins_below_its_flops() {
    let words = "--time 160ms --from v100-sxm2-16gb --flops 1TFLOP --dtype fp64 --to";
    for (gpu, tflops) in [("rtx-4090", 1.29), ("gtx-1080-ti", 0.354), ("t4", 0.253)] {
        let found = answer(&format!("{words} {gpu}"));
        assert!(number(&found, "low_ms") >= 0.99e3 / (1.3 * tflops), "{gpu}: {found}");
    }
}

/// 47 of an RTX 3090's 71 TFLOP/s are no latency: what feeds the tensor cores of a B200 was built for those.
#[test]
fn a_tensor_kernel_keeps_its_share_of_the_peak() {
    let words = "--time 2.9ms --from rtx-3090 --flops 137.4GFLOP --dram-bytes 100MB --pipe tensor-bf16 --to b200,h100-sxm5";
    for (found, peak_tflops) in answers(words).iter().zip([2250.0, 989.0]) {
        let share = 137.4 / number(found, "time_ms") / peak_tflops;
        assert!((0.28..0.7).contains(&share), "{share} of the peak: {found}");
    }
}

/// Nine times its bytes' time on an H800 is most likely the tensor cores' time, which an H20 has a seventh of.
#[test]
fn what_takes_longer_than_its_bytes_goes_with_tensor_cores_where_its_type_is_theirs() {
    let words = "--time 0.6797618ms --from h800-sxm5 --dram-bytes 252968960 --dtype fp8 --to h20";
    let found = answer(words);
    // Measured: pipeweave's product of m = 12288, n = 6400, k = 5120.
    assert!(number(&found, "low_ms") < 2.909 && number(&found, "high_ms") > 2.909, "{found}");
    assert!(number(&found, "time_ms") > 1.3, "{found}");
}

/// What is kept of measured over modelled is uncertain as far as it is kept in part: all of it holds on a GPU that is alike.
#[test]
fn an_operator_far_from_its_model_is_less_certain_but_on_a_gpu_that_is_alike() {
    let width = |time: &str, to: &str| {
        let words =
            format!("--kernel linear_bf16 --size m=4096,n=4096,k=4096 --time {time} --from h100-sxm5");
        let found = answer(&format!("{words} --to {to}"));
        number(&found, "high_ms") / number(&found, "low_ms")
    };
    assert!(width("380us", "a100-sxm4-80gb") > 1.05 * width("190us", "a100-sxm4-80gb"));
    assert!(width("380us", "h800-sxm5") < 0.95 * width("380us", "a100-sxm4-80gb"));
}

/// What limits an operator on a GPU is the same whoever is asked about beside it.
#[test]
fn an_operator_on_its_own_gpu_is_explained_by_its_own_model() {
    let words = "--kernel linear_bf16 --size m=512,n=4096,k=4096 --time 30us";
    let bound = |from: &str| answer(&format!("{words} --from {from} --to h100-sxm5"))["bound_target"].clone();
    assert_eq!(bound("h100-sxm5"), bound("h200"));
    let own = answer(&format!("{words} --from h100-sxm5 --to h100-sxm5"));
    assert_eq!((own["bound_source"].clone(), number(&own, "time_ms")), (own["bound_target"].clone(), 0.03));
}

#[test]
fn a_source_that_timed_nothing_has_no_part() {
    let words = "--kernel cutlass_simt_sgemm_128x128_8x2 --size m=4096,n=4096,k=4096 --to rtx-4070 --from";
    let all = ["gtx-titan-x", "titan-v", "h100-sxm5", "rtx-4070"];
    let times = all.map(|from| number(&answer(&format!("{words} {from}")), "time_ms"));
    assert!(times.iter().all(|time| (time / times[0] - 1.0).abs() < 1e-9), "{times:?}");
}

/// A kernel that moves more than the bus of its GPU was miscounted; a GPU that has more of everything is no slower for it.
#[test]
fn counts_that_are_too_high_make_no_better_gpu_slower_and_widen_the_interval() {
    let width = |found: &Value| number(found, "high_ms") / number(found, "low_ms");
    let asked =
        |bytes: &str| answer(&format!("--time 1ms --from rtx-3090 --dram-bytes {bytes} --to rtx-4090"));
    let (possible, impossible) = (asked("800MB"), asked("1.2GB"));
    assert!(number(&impossible, "time_ms") <= 1.0, "{impossible}");
    assert!(width(&impossible) > width(&possible), "{impossible} {possible}");
}

#[test]
fn a_time_without_a_type_says_what_tensor_cores_would_make_of_it() {
    let words = "--time 2ms --from rtx-3090 --to h100-sxm5";
    let said = "if the kernel runs on those, state its dtype";
    assert!(cautions(&answer(words)).contains(said));
    for more in ["--dtype fp32", "--pipe tensor-bf16", "--flops 1GFLOP"] {
        assert!(!cautions(&answer(&format!("{words} {more}"))).contains(said), "{more}");
    }
    let alike = answer("--time 2ms --from h100-sxm5 --to h200");
    assert!(!cautions(&alike).contains(said), "both rates are the same: {alike}");
}

/// 25 TFLOP/s of FP16 are below the 31.4 of a V100.
#[test]
fn packed_halves_are_measured_by_their_own_rate() {
    let found = answer("--time 40ms --from v100-sxm2-16gb --flops 1TFLOP --dtype fp16 --to p100-sxm2");
    assert!(!cautions(&found).contains("above its roof"), "{found}");
    let beyond =
        answer("--time 20ms --from v100-sxm2-16gb --flops 1TFLOP --dtype fp16 --pipe fp16 --to p100-sxm2");
    assert!(cautions(&beyond).contains("above its roof"), "{beyond}");
}

#[test]
fn query_heads_share_the_others_evenly() {
    for (heads, kv) in [(8, 32), (30, 8)] {
        let size = format!("b=1,s=1024,h={heads},kv={kv},d=128");
        let words = format!("predict --kernel attention_decode --size {size} --from h100-sxm5 --to l4");
        Desk::new()
            .types(&words)
            .ends(2, &[&format!("h={heads} query heads on kv={kv}: expected a multiple")]);
    }
}

/// No change of a block gives a GPU clusters.
#[test]
fn a_cluster_that_a_gpu_lacks_has_no_next_step() {
    let words = "occupancy --gpu l4 --threads 256 --regs 32 --cluster 16 --smem-dynamic 100000";
    let shown = Desk::new().types(words).stdout;
    assert!(shown.contains("clusters of 16 blocks need") && !shown.contains("50176"), "{shown}");
}

/// No advice to measure where the type does not exist.
#[test]
fn a_gpu_without_the_type_is_not_to_measure_it() {
    let asked = "predict --kernel linear_bf16 --size n=4096 --to h100-sxm5 --explain --from";
    let said = |from: &str| Desk::new().types(&format!("{asked} {from}")).works().stdout;
    let volta = said("titan-v");
    assert!(volta.contains("measure: this operator on a GPU that runs it"), "{volta}");
    assert!(said("a100-sxm4-80gb").contains("measure: this operator on a100-sxm4-80gb"));
}

#[test]
fn a_size_that_nobody_typed_or_timed_is_said() {
    let said = |asked: &str| Desk::new().types(&format!("predict --from h100-sxm5 --to b200 {asked}")).stderr;
    let note = "no --size: using linear_bf16 m=256;n=4096, as no size of it was timed";
    assert!(said("--kernel linear_bf16").contains(note), "{}", said("--kernel linear_bf16"));
    for quiet in ["--kernel linear_bf16 --size n=4096", "--kernel saxpy"] {
        assert!(!said(quiet).contains("no --size"), "{quiet}");
    }
}
