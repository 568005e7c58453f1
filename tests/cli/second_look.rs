//! Questions of which little is known, whose answers must not be absurd: a stencil by its bytes on boards whose times others published,
//! buffers of which nobody said whether they stay in L2, registers and blocks that change by one, arithmetic that was stated.

use crate::desk;

use desk::{Desk, number};
use serde_json::Value;

/// A D3Q19 lattice Boltzmann step of FluidX3D in FP32: cells, and what its README counts per cell.
const CELLS: f64 = 16_777_216.0;
const BYTES: f64 = 153.0 * CELLS;
const FLOPS: f64 = 363.0 * CELLS;

/// Million cells a second that FluidX3D's README publishes, by GPU.
fn published() -> Vec<(&'static str, f64)> {
    let table = include_str!("../golden/measured/lbm_d3q19.csv");
    let rows = table.lines().skip(1).filter_map(|line| line.split_once(','));
    rows.map(|(gpu, rate)| (gpu, rate.parse().expect("its second column is a rate"))).collect()
}

fn answers(words: &str) -> Vec<Value> {
    Desk::new().types(&format!("predict --format json {words}")).works().json()
}

#[test]
fn a_stencil_known_by_its_bytes_goes_with_the_bandwidth() {
    let all = published();
    let to: Vec<&str> = all.iter().map(|(gpu, _)| *gpu).collect();
    let (mut errors, mut held) = (Vec::new(), 0);
    for (from, rate) in &all {
        let ms = CELLS / rate / 1e3;
        let words =
            format!("--from {from} --to {} --time {ms}ms --flops {FLOPS} --dram-bytes {BYTES}", to.join(","));
        for row in answers(&words) {
            let target = row["gpu_target"].as_str().unwrap();
            if target == *from {
                continue;
            }
            let known = CELLS / all.iter().find(|(gpu, _)| *gpu == target).unwrap().1 / 1e3;
            errors.push((number(&row, "time_ms") / known - 1.0).abs());
            held += usize::from(number(&row, "low_ms") <= known && known <= number(&row, "high_ms"));
        }
    }
    let pairs = all.len() * (all.len() - 1);
    assert_eq!(errors.len(), pairs);
    let mape = errors.iter().sum::<f64>() / pairs as f64;
    assert!(mape < 0.09, "{mape}: the ratio of sustained bandwidths alone has 0.05");
    assert!(held as f64 >= 0.9 * pairs as f64, "{held} of {pairs}");
}

#[test]
fn where_nobody_states_the_working_set_the_interval_reaches_the_time_without_l2() {
    let typed = "--from rtx-3090 --to rtx-4090 --time 39us --flops 33.6MFLOP --dram-bytes 33.6MB --threads 128 --grid 4096 --regs 40";
    let unsaid = answers(typed).remove(0);
    let streamed = answers(&format!("{typed} --working-set 14GB")).remove(0);
    assert!(number(&unsaid, "high_ms") > number(&streamed, "time_ms"), "{unsaid} {streamed}");
    assert!(
        number(&streamed, "time_ms") > 33.6e6 / 1008e9 * 1e3,
        "no sooner than its bytes at the datasheet's bandwidth"
    );
    let said = unsaid["cautions"].to_string();
    assert!(
        said.contains(
            "rtx-4090 (32.0 MiB of 72.0 MiB): the working set fits in L2 on the target; taken to stay there"
        ),
        "{said}"
    );
    assert!(!streamed["cautions"].to_string().contains("fits in L2"), "{streamed}");
}

#[test]
fn one_more_register_or_block_does_not_turn_the_answer_round() {
    let speedup = |words: &str| number(&answers(words).remove(0), "speedup");
    let registers = |n: u32| {
        speedup(&format!(
            "--from v100-sxm2-16gb --to p100-sxm2 --time 10ms --dram-bytes 500MB --flops 20GFLOP --threads 128 --grid 4096 --regs {n}"
        ))
    };
    assert!(
        registers(240) < 1.0 && registers(248) < 1.0 && registers(255) < 1.0,
        "P100 is worse in every rate"
    );
    let blocks = |n: u32| {
        speedup(&format!(
            "--from v100-pcie-16gb --to a100-sxm4-40gb --time 300us --flops 80MFLOP --dram-bytes 240MB --threads 512 --regs 32 --grid {n}"
        ))
    };
    assert!((blocks(320) / blocks(321) - 1.0).abs() < 0.02, "{} {}", blocks(320), blocks(321));
}

#[test]
fn no_interval_ends_below_the_bytes_at_the_stated_bandwidth() {
    let row =
        answers("--from l40s --to rtx-3090 --time 4.98ms --flops 1GFLOP --dram-bytes 4GB --working-set 4GB")
            .remove(0);
    let shortest = 4e9 / 936.2e9 * 1e3;
    assert!(number(&row, "low_ms") >= 0.999 * shortest, "{row}");
    assert!(number(&row, "high_ms") > 1.1 * number(&row, "time_ms"), "{row}");
}

#[test]
fn stated_double_precision_runs_on_the_lanes_for_it() {
    let question = "--from v100-sxm2-16gb --to rtx-3090 --time 19.9ms --flops 137.4GFLOP --dram-bytes 800MB";
    let of = |more: &str| number(&answers(&format!("{question} {more}")).remove(0), "time_ms");
    // 137.4 GFLOP at the 0.556 TFLOP/s of an RTX 3090 take 247 ms.
    for stated in ["--dtype fp64", "--pipe fp64", "--pipe tensor-fp64", "--name volta_dgemm_128x64_nn"] {
        assert!(of(stated) > 240.0, "{stated}: {}", of(stated));
    }
    let a100 =
        answers(&question.replace("rtx-3090", "a100-sxm4-80gb").replace("19.9ms", "19.9ms --dtype fp64"))
            .remove(0);
    assert!(a100["cautions"].to_string().contains("say --pipe tensor-fp64"), "{a100}");
    // 19 TFLOP/s are more than an A100's lanes do: what was said stands on other GPUs, whatever the dtype, and the tensor cores are named.
    for dtype in ["fp64", "fp32", "fp16"] {
        let question = "--from a100-sxm4-80gb --to h100-sxm5,gtx-1080,v100-pcie-16gb --time 52ms --flops 1e12 --dram-bytes 1e6";
        for row in answers(&format!("{question} --pipe fp64 --dtype {dtype}")) {
            let peak = match row["gpu_target"].as_str().unwrap() {
                "h100-sxm5" => 33.5,
                "gtx-1080" => 0.277,
                _ => 7.0,
            };
            assert!(number(&row, "time_ms") >= 0.99e3 / (1.3 * peak), "{row}");
            assert!(row["cautions"].to_string().contains("say --pipe tensor-fp64"), "{row}");
        }
    }
}

#[test]
fn counts_that_explain_nothing_are_said_to() {
    let row = answers("--from rtx-3090 --to a100-sxm4-40gb --time 4.2ms --flops 17.2").remove(0);
    assert!(row["cautions"].to_string().contains("far below its roof"), "{row}");
}

#[test]
fn times_that_do_not_grow_with_the_work_hold_a_dispatch() {
    let desk = Desk::new();
    let mut rows = String::from("gpu,kernel,problem,time_ms,flops,dram_bytes\n");
    // 30 µs of dispatch, and bytes at 750 GB/s on a V100, 220 GB/s on a T4.
    for (gpu, rate, floor) in [("v100-pcie-16gb", 750e9, 30e-6), ("t4", 220e9, 32e-6)] {
        for step in 0..14 {
            let n = 4096.0 * f64::from(1 << step);
            let body: f64 = 12.0 * n / rate;
            let time: f64 = (body.powf(1.5) + f64::powf(floor, 1.5)).powf(1.0 / 1.5);
            rows += &format!("{gpu},my_add,n={n},{},{n},{}\n", time * 1e3, 12.0 * n);
        }
    }
    let file = desk.file("ops.csv", rows);
    let ask = |to: &str| {
        let words = format!(
            "predict --from v100-pcie-16gb --to {to} --kernel my_add --size n=65536 --format json --data"
        );
        desk.types_with(&words, &[&file]).works().json().remove(0)
    };
    let row = ask("p100-pcie-16gb");
    let time = number(&row, "time_ms");
    assert!((0.026..0.04).contains(&time), "a small one takes its dispatch anywhere: {row}");
    assert!(row["cautions"].to_string().contains("read as a framework's dispatch"), "{row}");
}

#[test]
fn a_kernel_file_of_three_lines_says_that_a_dispatch_is_in_its_times() {
    let desk = Desk::new();
    let few = "gpu,kernel,problem,time_ms,dram_bytes\nv100-pcie-16gb,my_op,n=4096,0.032,49152\n";
    let file = desk.file("few.csv", few);
    let words =
        "predict --from v100-pcie-16gb --to h100-sxm5 --kernel my_op --size n=4096 --format json --data";
    let time = || number(&desk.types_with(words, &[&file]).works().json().remove(0), "time_ms");
    let alone = time();
    std::fs::create_dir_all(desk.path("config/kernels")).unwrap();
    desk.file(
        "config/kernels/my_op.toml",
        "id = \"my_op\"\nruns_as = \"operator\"\nproblem.keys = [\"n\"]\n",
    );
    let dispatched = time();
    assert!(
        alone < 0.025 && dispatched > 0.025,
        "{alone} {dispatched}: a host's dispatch stays, a kernel's time does not"
    );
}

#[test]
fn repeated_rows_are_said_to_be() {
    let desk = Desk::new();
    let rows = "gpu,kernel,problem,time_ms,dram_bytes\nt4,mine,n=4,1.0,1e8\nt4,mine,n=4,1.4,1e8\nt4,mine,n=8,2.0,2e8\n";
    let file = desk.file("runs.csv", rows);
    let words = "predict --from t4 --to l4 --kernel mine --size n=4 --format json --data";
    let told = desk.types_with(words, &[&file]).works();
    assert!(
        told.stderr.contains("1 row repeats a configuration on the same GPU; the last one is used"),
        "{}",
        told.stderr
    );
    assert_eq!(told.json()[0]["source_time_ms"].as_f64(), Some(1.4), "{}", told.stdout);
}

/// A transpose of 534 MB near the roof of its wavefronts: an L4 has half of the A4500's bandwidth and more SMs.
#[test]
fn bytes_that_nobody_counted_widen_an_interval_whatever_was_counted_beside_them() {
    let desk = Desk::new();
    let width = |columns: &str, cells: &str| {
        let rows = format!(
            "gpu,kernel,problem,block,grid,dtype,{columns}time_ms\nrtx-a4500,mine,n=1,256,65536,fp32,{cells}1.42\n"
        );
        let file = desk.file("mine.csv", rows);
        let row = desk.types_with("predict --to l4 --format json --data", &[&file]).works().json().remove(0);
        number(&row, "high_ms") / number(&row, "low_ms")
    };
    let [alone, with_wavefronts] = [width("", ""), width("smem_wavefronts,", "4194304,")];
    assert!(with_wavefronts > 4.0 && with_wavefronts < alone, "{with_wavefronts} {alone}");
}

/// A softmax of PyTorch on an H100: 14 % of its bandwidth.
#[test]
fn a_kernel_of_several_roofs_is_said_to_be_far_below_it() {
    let said = |bytes: &str| {
        let words = format!("--from h100-sxm5 --to h200 --time 5.72ms --dram-bytes {bytes}");
        answers(&words)[0]["cautions"].to_string()
    };
    assert!(said("3.78GB").contains("far below its roof (4.39×)"), "{}", said("3.78GB"));
    assert!(said("3.78GB").contains("more of what limits its roof gains little"));
    assert!(said("0.378GB").contains("check the units of the counts"));
    assert!(!said("9GB").contains("far below its roof"));
}

#[test]
fn clocks_that_are_typed_for_the_target_are_none_of_the_source() {
    let desk = Desk::new();
    let rows = "gpu,kernel,problem,flops,dram_bytes,dtype,sm_clock_mhz,time_ms\nrtx-a4500,mine,n=1,1e9,1e9,fp32,942,3.19\n";
    let file = desk.file("mine.csv", rows);
    for typed in ["rtx-a4500 --sm-clock 942", "rtx-a4500 --set mem=+30%"] {
        let told = desk.types_with(&format!("predict --to {typed} --data"), &[&file]).works();
        assert!(
            told.stdout.contains("at stock clocks") && !told.stdout.contains("set clocks"),
            "{}",
            told.stdout
        );
    }
    // Typed for the source they are those that the column is of.
    let told =
        desk.types_with("predict --to l4 --sm-clock rtx-a4500=1200MHz --data", &[&file]).works().stdout;
    let head = told.lines().find(|line| line.starts_with("kernel")).unwrap_or_default();
    assert!(head.contains("at set clocks") && !told.contains("stock clocks"), "{told}");
    assert!(!told.contains("(set clocks)"), "{told}");
}

/// Rows of saxpy on five GPUs, from which corrections are learned.
fn saxpy_on_five_gpus() -> String {
    let mut rows = String::from("gpu,kernel,problem,time_ms\n");
    for (gpu, rate) in [
        ("titan-v", 600e9),
        ("rtx-2080-ti", 540e9),
        ("rtx-4070", 470e9),
        ("rtx-3090", 860e9),
        ("v100-pcie-16gb", 800e9),
    ] {
        for n in (0..40).map(|i| (1 << 22) + 400_000 * i) {
            rows += &format!("{gpu},saxpy,n={n},{}\n", 12.0 * f64::from(n) / rate * 1e3);
        }
    }
    rows
}

#[test]
fn a_ranking_learns_from_the_rows_as_a_prediction_does() {
    let desk = Desk::new();
    let file = desk.file("runs.csv", saxpy_on_five_gpus());
    let words = "--from titan-v --to rtx-3080 --kernel saxpy --size n=4194304 --format json";
    let ask = |command: &str| {
        desk.types_with(&format!("{command} {words} --data"), &[&file]).works().json().remove(0)
    };
    for model in ["", "--model hybrid", "--model components"] {
        let [predicted, ranked] = ["predict", "rank"].map(|command| ask(&format!("{command} {model}")));
        for field in ["time_ms", "low_ms", "high_ms"] {
            let ratio = number(&predicted, field) / number(&ranked, field);
            assert!((ratio - 1.0).abs() < 1e-9, "{model} {field}: {predicted} {ranked}");
        }
    }
    assert!(ask("rank --model hybrid")["time_ms"] != ask("rank --model components")["time_ms"]);
}

#[test]
fn a_learned_model_answers_both_spellings_of_a_clock_alike() {
    let desk = Desk::new();
    let file = desk.file("runs.csv", saxpy_on_five_gpus());
    let ask = |to: &str| {
        let words = format!(
            "predict --from titan-v --to {to} --kernel saxpy --size n=4194304 --model hybrid --format json --data"
        );
        desk.types_with(&words, &[&file]).works().json().remove(0)
    };
    let (spelled, flagged) = (ask("rtx-4070@1500MHz"), ask("rtx-4070 --sm-clock rtx-4070=1500MHz"));
    let learned = |row: &Value| {
        let all = row["cautions"].as_array().unwrap().clone();
        all.into_iter().find(|c| c.as_str().unwrap().starts_with("hybrid:"))
    };
    assert!(learned(&flagged).is_some(), "{flagged}");
    assert_eq!(learned(&spelled), learned(&flagged));
    for field in ["time_ms", "low_ms", "high_ms"] {
        assert!(
            (number(&spelled, field) / number(&flagged, field) - 1.0).abs() < 1e-9,
            "{field}: {spelled} {flagged}"
        );
    }
}

/// The rate of FP16 sums is missing in the files of B200 and L40S: that of FP32 sums is nearer than the FP32 lanes.
#[test]
fn a_rate_of_another_accumulate_type_stands_in_before_the_lanes_do() {
    let words = "--from a100-sxm4-80gb --to b200,l40s --time 10ms --flops 2e12 --dram-bytes 1e9 --pipe";
    let [halves, singles] =
        ["tensor-fp16-fp16", "tensor-fp16"].map(|pipe| answers(&format!("{words} {pipe}")));
    for (half, single) in halves.iter().zip(&singles) {
        assert!((number(half, "time_ms") / number(single, "time_ms") - 1.0).abs() < 0.01, "{half} {single}");
        let said = half["cautions"].to_string();
        assert!(said.contains("its rate for another accumulate type stands in"), "{said}");
    }
}

/// 200 TFLOP/s are more than an A100 does on its lanes, 400 more than its tensor cores do unless sparse, 1,000 more than anything.
#[test]
fn more_flops_than_the_lanes_do_are_those_of_tensor_cores() {
    let words = "--from a100-sxm4-80gb --to h100-sxm5,rtx-4090 --dram-bytes 1e9 --flops 2e12 --time";
    let assumed = answers(&format!("{words} 10ms"));
    let named = answers(&format!("{words} 10ms --pipe tensor-fp16"));
    for (assumed, named) in assumed.iter().zip(&named) {
        assert_eq!(number(assumed, "time_ms"), number(named, "time_ms"));
        assert!(
            assumed["cautions"]
                .to_string()
                .contains("assumed: its FLOPs in this time are more than vector lanes do")
        );
    }
    let sparse = answers(&format!("{words} 5ms")).remove(0)["cautions"].to_string();
    assert!(sparse.contains("above its roof") && sparse.contains("assumed: its FLOPs"), "{sparse}");
    let wrong = answers(&format!("{words} 2ms")).remove(0)["cautions"].to_string();
    assert!(wrong.contains("above its roof") && !wrong.contains("tensor"), "{wrong}");
    let without_bytes =
        answers("--from a100-sxm4-80gb --to l4 --time 0.5ms --flops 300GFLOP --pipe fp32").remove(0);
    assert!(without_bytes["cautions"].to_string().contains("above its roof"), "{without_bytes}");
}

/// 1.4 PFLOP/s on an H100 are more than its FP16 rate: whatever did it, a GPU with FP16 tensor cores or without any is not refused for that.
#[test]
fn tensor_cores_that_were_only_assumed_bar_no_gpu() {
    let desk = Desk::new();
    desk.file(
        "rows.csv",
        "gpu,kernel,time_ms,flops,dram_bytes\nh100-sxm5,gemm_x,1,1.4e12,1e8\na100-sxm4-80gb,gemm_x,5,1.4e12,1e8\n",
    );
    let asked = |from: &str| {
        let words = format!("predict --data rows.csv --from {from} --to t4,gtx-titan-x --format json");
        desk.types(&words).works().json()
    };
    for from in ["h100-sxm5", "a100-sxm4-80gb"] {
        let answers = asked(from);
        assert!(answers.iter().all(|answer| answer["time_ms"].is_number()), "{answers:?}");
    }
}

/// Hashes: an RTX 3090 has twice the FP32 lanes of an RTX 2080 Ti per SM, and as many for integers.
#[test]
fn integer_operations_go_with_the_integer_lanes() {
    let words =
        "--from rtx-2080-ti --to rtx-3090 --time 1s --threads 256 --grid 65536 --regs 40 --dram-bytes 1MB";
    let speedup = |work: &str| number(&answers(&format!("{words} {work}")).remove(0), "speedup");
    let lanes = 82.0 * 1695.0 / (68.0 * 1545.0);
    let integers = speedup("--int-ops 6e12");
    assert!((integers / lanes - 1.0).abs() < 0.06, "{integers} for {lanes}");
    assert!(speedup("--flops 11e12") > 1.3 * integers);
}

/// 70 W feed the tensor cores of an L4 to less than half of their 121 TFLOP/s; an L40S and an A10 to three quarters at most.
#[test]
fn a_power_limit_slows_tensor_cores_of_a_typed_kernel() {
    let words =
        "--from a100-sxm4-80gb --time 4.3ms --flops 1.1e12 --dram-bytes 400MB --pipe tensor-fp16 --to";
    for (gpu, most) in [("l4", 65.0), ("l40s", 270.0), ("a10", 95.0), ("h100-sxm5", 990.0)] {
        let reached = 1.1 / number(&answers(&format!("{words} {gpu}")).remove(0), "time_ms") * 1e3;
        assert!((0.4 * most..most).contains(&reached), "{gpu}: {reached} TFLOP/s");
    }
}

/// A profiler's short kernels: no launch of theirs costs more on another GPU because somebody else's host was slow there.
#[test]
fn short_kernels_of_one_gpu_are_no_longer_on_another_than_its_launches() {
    let desk = Desk::new();
    let row = |(i, ms): (usize, &str)| format!("h100-sxm5,k{i},n=1,64,1,16,1e4,1e4,{ms},mine\n");
    let rows: String =
        ["0.00160", "0.00165", "0.00170", "0.00172"].into_iter().enumerate().map(row).collect();
    let head = "gpu,kernel,problem,block,grid,regs_per_thread,flops,dram_bytes,time_ms,source\n";
    let file = desk.file("mine.csv", format!("{head}{rows}"));
    let words =
        "predict --kernel k0 --size n=1 --from h100-sxm5 --to rtx-4070,rtx-4090,l40s --format json --data";
    for row in desk.types_with(words, &[&file]).works().json() {
        let time = number(&row, "time_ms");
        assert!((1.5e-3..2.0e-3).contains(&time), "{row}");
    }
}

#[test]
fn a_filter_larger_than_its_image_is_refused_and_stops_no_other_row() {
    let desk = Desk::new();
    let asked = |kernel: &str, size: &str, said: &str| {
        let words = format!("predict --from titan-v --to t4 --kernel {kernel} --time 1ms --size {size}");
        desk.types(&words).ends(2, &[said]);
    };
    asked(
        "torch_conv",
        "ic=3,hw=4,ks=7,pad=1",
        "torch_conv: hw=4: expected at least max(ks-2*pad, 1) = 5: the filter is larger",
    );
    asked("torch_conv", "ic=3,hw=2,ks=3,pad=0", "hw=2: expected at least max(ks-2*pad, 1) = 3");
    desk.types("predict --from titan-v --to t4 --kernel torch_conv --time 1ms --size ic=3,hw=3,ks=3,pad=0")
        .works();
    desk.file(
        "rows.csv",
        "gpu,kernel,problem,dtype,time_ms\n\
         titan-v,torch_conv,b=16;ic=64;oc=64;ks=3;hw=16;stride=1;pad=1,fp32,0.5\n\
         titan-v,torch_conv,b=1;ic=3;oc=64;ks=7;hw=3;stride=1;pad=1,fp32,0.5\n\
         titan-v,torch_conv,b=16;ic=64;oc=128;ks=3;hw=16;stride=1;pad=1,fp32,0.7\n",
    );
    let told = desk.types("predict --to t4 --data rows.csv --format json").works();
    assert!(
        told.stderr.contains("rows.csv:3: problem: torch_conv: hw=3: expected at least"),
        "{}",
        told.stderr
    );
    assert!(told.stderr.contains("2 rows loaded, 1 refused"), "{}", told.stderr);
    assert_eq!(told.json().len(), 2);
}

/// Rows of one instruction of tensor cores, of lanes, of FP64 and of an instruction that a GPU has not.
#[test]
fn what_a_pipe_says_of_instructions_is_true_of_the_gpus() {
    let desk = Desk::new();
    let ask = |pipe: &str, more: &str| {
        let words =
            format!("predict --from h100-sxm5 --time 30ms --flops 1e12 --pipe {pipe} --to b200 {more}");
        desk.types(&words).works().stdout
    };
    assert!(
        ask("tensor,fp16,fp32", "")
            .contains("mma.sync reaches 0.63 of that rate on h100-sxm5, 0.25 of that rate on b200")
    );
    for pipe in ["tensor,fp64", "fp32", "fp64"] {
        assert!(!ask(pipe, "").contains("mma.sync"), "{pipe}");
    }
    let lacking = ask("tensor,fp16,fp32,tcgen05", "");
    assert!(
        lacking.contains("no such instruction on h100-sxm5") && !lacking.contains("on b200:"),
        "{lacking}"
    );
    for (pipe, why) in
        [("fp32,mma.sync", "write `tensor tf32`"), ("tensor,fp16,mma,wgmma", "a second instruction")]
    {
        desk.types(&format!("predict --flops 1e12 --pipe {pipe} --to b200")).ends(2, &[why]);
    }
    desk.types("predict --int-ops 1e14 --to b200").works();
    desk.types("predict --rate 1e308TFLOPS --flops 1e12 --from l4 --to b200").ends(2, &["expected a rate"]);
}

/// Beside a size that was timed stands its time, and an interval as wide as that of a launch that is timed again.
#[test]
fn a_size_next_to_a_timed_one_has_its_time() {
    let desk = Desk::new();
    let row = |n: u32| {
        let words =
            format!("predict --kernel saxpy --from rtx-4070 --to rtx-4070 --size n={n} --format json");
        desk.types(&words).works().json().swap_remove(0)
    };
    let timed = row(1_048_576)["time_ms"].as_f64().unwrap();
    for n in [1_048_575, 1_048_577] {
        let near = row(n);
        let number = |field: &str| near[field].as_f64().unwrap();
        assert!((number("time_ms") / timed - 1.0).abs() < 1e-4, "{near}");
        assert!(number("high_ms") / number("low_ms") > 1.03, "{near}");
    }
}

/// Blocks that start one after another may take a whole time, and bytes that nobody counted may as well.
#[test]
fn a_count_that_explains_nothing_leaves_a_time_alone_as_it_is() {
    let typed = "--time 0.17ms --from h200 --to l4,gtx-980 --threads 128 --grid 262144";
    let (alone, beside) = (answers(typed), answers(&format!("{typed} --flops 10kFLOP")));
    for (alone, beside) in alone.iter().zip(&beside) {
        let ratio = number(beside, "time_ms") / number(alone, "time_ms");
        assert!((0.9..1.1).contains(&ratio), "{alone} {beside}");
    }
}

#[test]
fn a_board_that_is_less_in_everything_is_no_faster_than_its_sister() {
    let desk = Desk::new();
    let rows = "gpu,kernel,problem,dtype,time_ms\n\
                l40s,linear_bf16,m=3;n=64;k=7168,bf16,0.041\n\
                a100-pcie-40gb,torch_linear,b=1;m=172;n=58;k=29984,fp32,0.4046\n\
                h100-sxm5,linear_bf16,m=64;n=64;k=64,bf16,0.05\n\
                rtx-3090,linear_bf16,m=1024;n=1024;k=1024,bf16,0.104\n";
    let rows = desk.file("rows.csv", rows);
    let time = |words: &str| {
        let row = desk
            .types_with(&format!("predict --format json {words} --data"), &[&rows])
            .works()
            .json()
            .remove(0);
        number(&row, "time_ms")
    };
    let small = "--kernel linear_bf16 --size m=3,n=64,k=7168 --from l40s";
    assert!(time(&format!("{small} --to l40")) >= 0.041 && time(&format!("{small} --to l4")) >= 0.041);
    let deep = "--kernel torch_linear --size b=1,m=172,n=58,k=29984 --from a100-pcie-40gb --to a30";
    assert!(time(deep) >= 0.38, "but for what a dispatch is of it: {}", time(deep));
    assert!(time("--kernel linear_bf16 --size m=64,n=64,k=64 --from h100-sxm5 --to h100-pcie") >= 0.05);
    assert!(
        time("--kernel linear_bf16 --size n=1024 --from rtx-3090 --to rtx-3080") >= 0.104,
        "tiles fit it better"
    );
}

/// An A100 keeps a part of its tensor rate in causal prefill, boards of half the rate more of it: softmax takes as long on all.
#[test]
fn softmax_is_more_of_an_attention_whose_products_are_fast() {
    let to = "a100-sxm4-80gb,rtx-4090,rtx-3090,l40s,l4";
    let words = format!("--kernel attention_prefill --size b=4,s=16384,h=32,kv=32,d=128 --to {to}");
    let flops = 2.0 * 4.0 * 32.0 * 16384f64.powi(2) * 128.0;
    let rates = [312e12, 165.2e12, 71.2e12, 362.05e12, 121e12];
    let shares: Vec<f64> = answers(&words)
        .iter()
        .zip(rates)
        .map(|(row, rate)| flops / (number(row, "time_ms") * 1e-3) / rate)
        .collect();
    let [a100, rtx_4090, rtx_3090, l40s, l4] = shares[..] else { panic!("{shares:?}") };
    assert!((0.62..0.7).contains(&a100) && (0.54..0.65).contains(&l40s), "as measured: {shares:?}");
    assert!(rtx_4090 > 0.8 && rtx_3090 > 0.8 && l4 < l40s, "{shares:?}");
}

#[test]
fn equal_boards_are_as_sure_of_an_operator_as_of_a_kernel() {
    let desk = Desk::new();
    let rows = desk.file(
        "rows.csv",
        "gpu,kernel,problem,dtype,time_ms\nv100-pcie-32gb,torch_linear,b=1;m=8192;n=8192;k=8192,fp32,85\n",
    );
    let words = "predict --format json --from v100-pcie-32gb --to v100-pcie-16gb \
                 --kernel torch_linear --size b=1,m=8192,n=8192,k=8192 --data";
    let row = desk.types_with(words, &[&rows]).works().json().remove(0);
    assert!(number(&row, "high_ms") / number(&row, "low_ms") < 1.5, "{row}");
}

#[test]
fn a_call_of_a_framework_takes_what_its_operator_usually_does() {
    let of = |kernel: &str, size: &str| {
        let row = answers(&format!("--kernel {kernel} --size {size} --to a10")).remove(0);
        number(&row, "time_ms")
    };
    let (product, sum) = (of("torch_linear", "b=1,m=16,n=16,k=16"), of("torch_add", "b=16,h=16"));
    assert!((0.05..0.06).contains(&product) && (0.024..0.03).contains(&sum), "{product} {sum}");
}

#[test]
fn more_experts_than_there_are_cannot_be_chosen() {
    let words = "predict --kernel moe_gemm_bf16 --size tokens=8,experts=4,top_k=8,n=128,k=128 --to h100-sxm5";
    Desk::new().types(words).ends(2, &["experts=4: expected at least top_k = 8"]);
}

/// The model in use is that of predictions with these rows, whatever is held out to measure it.
#[test]
fn the_model_in_use_is_the_same_under_every_protocol() {
    let desk = Desk::new();
    let file = desk.file("runs.csv", saxpy_on_five_gpus());
    for protocol in ["new-gpu", "new-size"] {
        let words = format!("models --protocol {protocol} --format json --data");
        let rows = desk.types_with(&words, &[&file]).works().json();
        let used = rows.iter().filter(|row| row["used"] == true && row["kind"] == "analytical");
        let used: Vec<&str> = used.filter_map(|row| row["model"].as_str()).collect();
        assert_eq!(used, ["hybrid"], "{protocol}: {rows:?}");
    }
}

/// Integers have no FLOPs: rates and intensities of their pipes are of operations.
#[test]
fn rates_of_integers_are_operations() {
    let desk = Desk::new();
    let rows = "gpu,kernel,problem,time_ms,flops,dram_bytes,dtype\n\
                titan-v,hash,n=1000000,10,5e10,1e9,int32\ntitan-v,sums,n=1000000,10,5e10,1e9,fp32\n";
    let file = desk.file("int.csv", rows);
    let drawn = |kernel: &str| {
        let words = format!("export roofline --kernel {kernel} --from titan-v --to rtx-4070 -o - --data");
        desk.types_with(&words, &[&file]).works().stdout
    };
    let (integers, floats) = (drawn("hash"), drawn("sums"));
    for said in ["performance, OP/s", "operational intensity (DRAM), OP/B", "TITAN V 14.9 TOP/s"] {
        assert!(integers.contains(said) && !floats.contains(said), "{said}: {integers}");
    }
    assert!(!integers.contains("FLOP/") && floats.contains("TITAN V 14.9 TFLOP/s"), "{integers}");
}

#[test]
fn a_kernel_file_says_what_a_call_of_its_operator_takes() {
    let desk = Desk::new();
    std::fs::create_dir_all(desk.path("config/kernels")).unwrap();
    let file = |us: &str| {
        let work = "[problem]\nkeys = [\"n\"]\n[problem.sizes]\nsmall = \"n=64\"\n\
                    [work]\nflops = { formula = \"n\", source = \"own\" }\ndram_bytes = { formula = \"8*n\", source = \"own\" }\n\
                    [sources.own]\ntitle = \"own count\"\nkind = \"assumed\"\n";
        let dispatch = format!("[dispatch]\nus = {us}\nsource = \"own\"\n");
        let text = format!(
            "id = \"my_op\"\nname = \"My op\"\nsource = \"own\"\nruns_as = \"operator\"\n{dispatch}{work}"
        );
        desk.file("config/kernels/my_op.toml", text);
        desk.types("predict --kernel my_op --size n=64 --to a10 --format json")
    };
    let time = number(&file("75").works().json().remove(0), "time_ms");
    assert!((0.074..0.078).contains(&time), "{time}");
    let said = ["my_op.toml", "dispatch.us: expected microseconds above 0, at most 10000"];
    let refused = file("-3");
    assert!(said.iter().all(|words| refused.stderr.contains(words)), "{}", refused.stderr);
}

/// Names of templates have commas of their own, in every command.
#[test]
fn a_template_name_with_commas_is_one_kernel_everywhere() {
    let desk = Desk::new();
    let name = |ept: u32| format!("vector_fft<4096, EPT<{ept}>, 1, float>");
    let row = |gpu: &str, ept: u32, ms: f64| {
        format!("{gpu},\"{}\",grid=4096;block=256,2e9,134217728,{ms}\n", name(ept))
    };
    let rows = [row("h200", 16, 0.0697), row("h200", 32, 0.08), row("h100-sxm5", 16, 0.0937)].concat();
    desk.file("fft.csv", format!("gpu,kernel,problem,flops,dram_bytes,time_ms\n{rows}"));
    let kernel = name(16);
    let types = |words: &str| {
        desk.types_with(&format!("{words} --data fft.csv --kernel"), &[std::path::Path::new(&kernel)])
            .works()
            .stdout
    };
    assert!(types("whatif --gpu h200").starts_with("vector_fft<4096, EPT<16>"));
    assert!(types("evaluate").contains("components"));
    let ranked = types("rank --from h200 --to h100-sxm5");
    assert!(ranked.starts_with(&format!("{} grid=4096", name(16))), "two of this template: {ranked}");
}

#[test]
fn launches_of_other_work_are_no_repeats_for_the_audit_either() {
    let desk = Desk::new();
    let rows = "gpu,kernel,problem,warp_insts_issued,dram_bytes,time_ms\n\
                h100-sxm5,chase,grid=512;block=256,1e6,4.2e6,0.064\n\
                h100-sxm5,chase,grid=512;block=256,1e6,495e6,0.240\n";
    let file = desk.file("rows.csv", rows);
    let said = desk.types_with("audit", &[&file]).works().stdout;
    assert!(!said.contains("duplicates"), "{said}");
    let stated = desk.file("stated.csv", rows.replace("block=256", "block=256;work=2"));
    let said = desk.types_with("audit", &[&stated]).works().stdout;
    assert!(said.contains("in 2 rows") && !said.contains("refused"), "{said}");
}

#[test]
fn other_works_of_a_launch_shape_are_named_with_what_asks_for_them() {
    let desk = Desk::new();
    let rows = "gpu,kernel,problem,warp_insts_issued,dram_bytes,time_ms\n\
                h100-sxm5,chase,grid=512;block=256,1e6,4.2e6,0.064\n\
                h100-sxm5,chase,grid=512;block=256,1e6,495e6,0.240\n\
                h100-sxm5,chase,grid=64;block=256,1e6,4.2e6,0.064\n";
    desk.file("rows.csv", rows);
    let said = |words: &str| desk.types(&format!("{words} --kernel chase --data rows.csv")).works().stderr;
    let note =
        "chase grid=512;block=256: this is the first of 2 works of this launch shape; add work=2 to --size";
    for words in ["predict --to h200", "rank --to h200", "whatif --gpu h200"] {
        let said = said(&format!("{words} --size grid=512,block=256"));
        assert!(said.contains(note), "{words}: {said}");
    }
    for size in ["grid=512,block=256,work=2", "grid=64,block=256"] {
        assert!(!said(&format!("predict --to h200 --size {size}")).contains("works of this"), "{size}");
    }
}

#[test]
fn tables_show_the_short_name_of_a_template_and_programs_get_it_whole() {
    let desk = Desk::new();
    let name = "scan::DeviceScanKernel<scan::policy_hub<float, unsigned int, cuda::plus<void>>::Policy1000, float *>";
    let row = |gpu: &str| format!("{gpu},\"{name}\",grid=1366;block=128,1e8,0.0153\n");
    desk.file(
        "rows.csv",
        format!("gpu,kernel,problem,dram_bytes,time_ms\n{}{}", row("h200"), row("h100-sxm5")),
    );
    let said = |words: &str| desk.types(&format!("{words} --data rows.csv")).works().stdout;
    let predict = "predict --from h200 --to h100-sxm5";
    for words in [predict, "evaluate"] {
        let table = said(words);
        assert!(
            table.contains("\nscan::DeviceScanKernel  ") && !table.contains("policy_hub"),
            "{words}: {table}"
        );
        for format in ["csv", "json"] {
            let all = said(&format!("{words} --format {format}"));
            assert!(all.contains(name), "{words} {format}: {all}");
        }
    }
    let explained = said(&format!("{predict} --explain"));
    assert!(
        explained.contains("scan::DeviceScanKernel grid=1366") && !explained.contains("policy_hub"),
        "{explained}"
    );
}
