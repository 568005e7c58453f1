//! What is said a little differently is answered a little differently: times at the launch overhead, a few FLOPs, a word of shared memory, rows
//! in another order.

use crate::desk::{Desk, number};
use serde_json::Value;

fn answers(words: &str) -> Vec<Value> {
    Desk::new().types(&format!("predict --format json --name k {words}")).works().json()
}

fn answer(words: &str) -> Value {
    answers(words).remove(0)
}

fn time_ms(words: &str) -> f64 {
    number(&answer(words), "time_ms")
}

/// Answers of `predict --batch`, by the row.
fn batch(rows: &[&str], to: &str) -> Vec<Value> {
    let desk = Desk::new();
    let head = "gpu,kernel,problem,dtype,flops,dram_bytes,time_ms\n";
    desk.file("rows.csv", head.to_string() + &rows.join("\n") + "\n");
    desk.types(&format!("predict --batch rows.csv --format json --to {to}")).works().json()
}

#[test]
fn one_name_with_two_types_is_two_kernels_whichever_comes_first() {
    let rows = ["fp16", "bf16", "fp32", "fp64"].map(|dtype| format!("rtx-3090,k,n=1,{dtype},2e10,1e8,1"));
    let rows = rows.each_ref().map(String::as_str);
    let alone: Vec<f64> = rows.iter().map(|row| number(&batch(&[row], "b200")[0], "time_ms")).collect();
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]] {
        let found = batch(&order.map(|at| rows[at]), "b200");
        let times: Vec<f64> = found.iter().map(|row| number(row, "time_ms")).collect();
        assert_eq!(times, order.map(|at| alone[at]), "{order:?}");
    }
    assert!(alone[2] != alone[0] && alone[3] != alone[2], "{alone:?}");
}

/// A type that is not stated is taken for FP32: such rows are those of one kernel, and a time on the target corrects the other.
#[test]
fn rows_without_a_type_are_those_of_fp32() {
    let rows = ["rtx-3090,k,n=1,fp32,2e10,1e8,1", "b200,k,n=1,,2e10,1e8,0.3"];
    let desk = Desk::new();
    let head = "gpu,kernel,problem,dtype,flops,dram_bytes,time_ms\n";
    desk.file("rows.csv", head.to_string() + &rows.join("\n") + "\n");
    let words = "predict --data rows.csv --from rtx-3090 --to b200 --kernel k --format json";
    let found = desk.types(words).works().json().remove(0);
    assert_eq!(number(&found, "measured_ms"), 0.3, "{found}");
}

/// Of two kernels with one name the second is named by its type, and both can be asked for.
#[test]
fn both_types_of_one_name_can_be_asked_for() {
    let desk = Desk::new();
    desk.file(
        "rows.csv",
        "gpu,kernel,problem,dtype,flops,dram_bytes,time_ms\nrtx-3090,k,n=1,fp32,2e10,1e8,2\nrtx-3090,k,n=1,bf16,2e10,1e8,1\n",
    );
    let ask = |kernel: &str| {
        let mut command =
            desk.command("predict --data rows.csv --from rtx-3090 --to b200 --format json", &[]);
        let done = command.args(["--kernel", kernel]).output().expect("the program starts");
        let rows: Vec<Value> = serde_json::from_slice(&done.stdout).expect("rows");
        number(&rows[0], "source_time_ms")
    };
    assert_eq!([ask("k"), ask("k (bf16)")], [2.0, 1.0]);
}

#[test]
fn a_product_of_halves_is_answered_as_one_of_bf16() {
    for words in [
        "--from h100-sxm5 --to b200 --time 1ms --flops 50GFLOP --dram-bytes 100MB",
        "--from h100-sxm5 --to b200 --time 1ms --flops 167GFLOP --dram-bytes 100MB",
        "--from h100-sxm5 --to b200 --time 1ms --flops 400GFLOP --dram-bytes 100MB",
        "--from a100-sxm4-40gb --to b200 --flops 1TFLOP",
    ] {
        let [halves, bf16] = ["fp16", "bf16"].map(|dtype| time_ms(&format!("{words} --dtype {dtype}")));
        assert!((halves / bf16 - 1.0).abs() < 0.02, "{words}: {halves} and {bf16} ms");
    }
}

/// A loop of packed multiply-adds: no tensor core stops at just that rate.
#[test]
fn what_takes_as_long_as_packed_halves_goes_with_them() {
    let found = answer("--from a100-sxm4-40gb --to rtx-3090 --time 1ms --flops 70GFLOP --dtype fp16");
    // 78 and 35.6 TFLOP/s.
    assert!((1.7..2.6).contains(&number(&found, "time_ms")), "{found}");
}

/// FP16 at a 64th of the FP32 rate is nobody's way to compute.
#[test]
fn halves_that_a_gpu_does_slowly_are_done_as_words() {
    let to = answer("--from v100-sxm2-16gb --to gtx-1080-ti --time 1ms --flops 5GFLOP --dtype fp16");
    let as_words = answer("--from v100-sxm2-16gb --to gtx-1080-ti --time 1ms --flops 5GFLOP --dtype fp32");
    assert!(number(&to, "time_ms") < 2.0 * number(&as_words, "time_ms"), "{to}");
    let from = answer("--from gtx-1080-ti --to rtx-3090 --time 1ms --flops 6.78GFLOP --dtype fp16");
    assert!(number(&from, "low_ms") > 6.78 / 142.0 / 1.3, "above twice the dense rate: {from}");
}

#[test]
fn bytes_of_dram_of_a_kernel_that_nobody_timed_may_be_just_that() {
    for (mb, gpu, gb_per_s) in [(60.0, "l40s", 864.0), (100.0, "l40s", 864.0), (70.0, "rtx-4090", 1008.0)] {
        let found = answer(&format!("--from rtx-3090 --to {gpu} --dram-bytes {mb}MB"));
        assert!(number(&found, "high_ms") > mb / gb_per_s, "{mb} MB: {found}");
    }
}

#[test]
fn a_time_leaves_the_launch_overhead_without_a_step() {
    for words in [
        "--to rtx-2080-ti",
        "--to gtx-1080-ti",
        "--to rtx-2080-ti --flops 1MFLOP",
        "--to rtx-2080-ti --dram-bytes 10kB",
    ] {
        let at = |us: f64| time_ms(&format!("--from rtx-4070 --time {us}us {words}"));
        let mut before = at(8.0);
        for us in (1..60).map(|i| 8.0 * 1.005f64.powi(i)) {
            let now = at(us);
            assert!(now >= 0.999 * before && now < 1.25 * before, "{words} {us} us: {before}, {now}");
            before = now;
        }
    }
}

/// FLOPs that take a thousandth of a time do not make it a kernel of arithmetic.
#[test]
fn a_few_flops_say_nothing_of_a_time() {
    for (from, to) in [("l40s", "h100-sxm5"), ("rtx-3090", "rtx-4090"), ("l40s", "b200")] {
        let [alone, with] = ["", "--flops 1kFLOP"]
            .map(|flops| time_ms(&format!("--from {from} --to {to} --time 10ms {flops}")));
        assert!((with / alone - 1.0).abs() < 0.12, "{from} to {to}: {alone}, {with} ms");
    }
}

#[test]
fn threads_without_a_grid_say_nothing_of_a_time() {
    let [alone, with] =
        ["", "--threads 256"].map(|words| time_ms(&format!("--from l40s --to b200 --time 10ms {words}")));
    assert!((with / alone - 1.0).abs() < 1e-9, "{alone}, {with} ms");
}

#[test]
fn a_word_of_shared_memory_is_none() {
    let words = "--from v100-sxm2-16gb --to rtx-3090 --time 1ms --dram-bytes 400MB --flops 4GFLOP --threads 256 --grid 4000 --regs 40";
    let [none, word] = [0, 4].map(|bytes| time_ms(&format!("{words} --smem {bytes}")));
    assert!((word / none - 1.0).abs() < 0.02, "{none}, {word} ms");
}

#[test]
fn a_longer_time_is_never_a_shorter_answer() {
    for (words, from_ms) in [
        ("--from h100-sxm5 --to l40s --dram-bytes 16GB --threads 256 --grid 20000 --regs 32", 6.0),
        ("--from a100-sxm4-40gb --to l40s --dram-bytes 7GB", 5.0),
        ("--from b200 --to l40s --dram-bytes 20GB", 3.0),
    ] {
        let times: Vec<f64> =
            (0..24).map(|i| time_ms(&format!("{words} --time {}ms", from_ms * 1.04f64.powi(i)))).collect();
        assert!(times.windows(2).all(|pair| pair[1] > 0.985 * pair[0]), "{words}: {times:?}");
    }
}

#[test]
fn a_time_passes_its_roof_without_a_step() {
    let at = |gflop: f64| time_ms(&format!("--from gtx-1080-ti --to t4 --time 1ms --flops {gflop}GFLOP"));
    let times: Vec<f64> = (0..30).map(|i| at(10.5 * 1.01f64.powi(i))).collect();
    assert!(times.windows(2).all(|pair| (0.97..1.06).contains(&(pair[1] / pair[0]))), "{times:?}");
}

/// A limit above what the kernel draws is no change, whatever its number.
#[test]
fn a_limit_that_does_nothing_leaves_the_measured_time() {
    for watts in [600, 650, 660, 680, 700] {
        let found = answer(&format!("--from rtx-4090 --to rtx-4090@{watts}W --time 1ms"));
        assert_eq!([number(&found, "low_ms"), number(&found, "high_ms")], [1.0, 1.0], "{watts} W");
    }
}

/// A higher limit helps what the board's own slows, on every board, and nothing else.
#[test]
fn a_higher_limit_speeds_up_what_the_boards_own_slows() {
    let at = |work: &str, gpu: &str| {
        answer(&format!(
            "--time 10ms --from a100-sxm4-80gb --threads 256 --grid 10000 --regs 32 {work} --to {gpu}"
        ))
    };
    for (board, raised) in
        [("a40", "a40@405W"), ("rtx-4090", "rtx-4090@600W"), ("h100-nvl", "h100-nvl@700W"), ("l4", "l4@140W")]
    {
        let [own, more] = [board, raised].map(|gpu| at("--dram-bytes 100MB --flops 150GFLOP", gpu));
        assert!(number(&more, "time_ms") < 0.95 * number(&own, "time_ms"), "{raised}");
        assert!(!more.to_string().contains("does not change the time"), "{more}");
        let [own, more] = [board, raised].map(|gpu| at("--dram-bytes 10GB", gpu));
        assert_eq!(number(&more, "time_ms"), number(&own, "time_ms"), "{raised}");
        assert!(more.to_string().contains("does not change the time"), "{more}");
    }
}

/// Operators that wait for memory draw what they keep busy, and a limit slows what would draw more; products and prefill have their own clock. What a
/// source cannot have run is said.
#[test]
fn a_limit_slows_operators_and_a_launch_that_no_source_starts_is_said() {
    let of = |kind: &str, target: &str| {
        let size = "b=8,s=4096,h=32,kv=8,d=128";
        let asked = format!("--kernel attention_{kind} --size {size} --from a100-sxm4-80gb --to {target}");
        Desk::new().types(&format!("predict --format json {asked}")).works().json().remove(0)
    };
    let [free, limited, low] = ["l4", "l4@60W", "l4@25W"].map(|target| of("decode", target));
    assert_eq!(number(&free, "time_ms"), number(&limited, "time_ms"));
    assert!(limited.to_string().contains("it does not change the time"), "{limited}");
    assert!(number(&low, "time_ms") > 1.05 * number(&free, "time_ms"), "{low}");
    assert!(!free.to_string().contains("power limit"));
    let ranked = "rank --format json --kernel attention_decode --size b=8,s=4096,h=32,kv=8,d=128 --to l4@40W";
    assert_eq!(number(&Desk::new().types(ranked).works().json()[0], "board_power_w"), 40.0);
    let [free, limited] = ["l4", "l4@40W"].map(|target| of("prefill", target));
    assert!(number(&limited, "time_ms") > 1.2 * number(&free, "time_ms"), "{limited}");
    let ranked = ranked.replace("attention_decode", "attention_prefill");
    let ranked = Desk::new().types(&ranked).works().json().remove(0);
    assert_eq!(number(&ranked, "board_power_w"), 40.0, "{ranked}");
    let block = "--time 1ms --from rtx-3090 --flops 17GFLOP --threads 256 --to h100-sxm5 --smem-dynamic";
    let impossible = answer(&format!("{block} 120KB")).to_string();
    assert!(impossible.contains("rtx-3090: cannot launch: "), "{impossible}");
    assert!(!answer(&format!("{block} 60KB")).to_string().contains("cannot launch"));
}

/// What is typed and what a row says is one number.
#[test]
fn a_time_that_is_typed_is_answered_as_that_of_a_row_to_the_last_digit() {
    for ms in [45.379708, 0.3, 1.1, 7.7777777] {
        let typed = time_ms(&format!(
            "--from rtx-3090 --to b200 --time {ms}ms --dtype bf16 --flops 2e10 --dram-bytes 1e8"
        ));
        let row = batch(&[&format!("rtx-3090,k,n=1,bf16,2e10,1e8,{ms}")], "b200");
        assert_eq!(typed, number(&row[0], "time_ms"), "{ms} ms");
    }
}

/// A time at its launch overhead has no room for a kernel beside it, and stays what it was where nothing that matters changes.
#[test]
fn a_change_that_does_nothing_leaves_every_time_as_it_was() {
    for gpu in ["gtx-titan-x", "titan-v", "rtx-2080-ti", "rtx-4070"] {
        let words = format!("predict --from {gpu} --to {gpu} --set memory=x1.01 --format json");
        let rows = Desk::new().types(&words).works().json();
        let timed: Vec<Value> = rows.into_iter().filter(|row| row["source_kind"] == "published").collect();
        assert!(timed.len() >= 14, "{gpu}: {}", timed.len());
        for row in timed {
            let moved = number(&row, "time_ms") / number(&row, "source_time_ms") - 1.0;
            assert!(moved.abs() < 1e-9, "{moved}: {row}");
        }
    }
}

/// A time bounds counts at the size next to it as at its own: atomics that take longer than that are not on one address.
#[test]
fn counts_beside_a_timed_size_are_bounded_by_its_time() {
    let desk = Desk::new();
    desk.file("rows.csv", "gpu,kernel,problem,time_ms\nrtx-4070,atomic_hotspot,n=4194304,5.8\n");
    let words = "predict --data rows.csv --from rtx-4070 --to titan-v --format json --size";
    let time = |n: u32| number(&desk.types(&format!("{words} n={n}")).works().json()[0], "time_ms");
    let step = time(4_194_560) / time(4_194_304);
    assert!((0.99..1.05).contains(&step), "{step}");
}
