//! Answers that the hardware itself contradicts: last waves that wait twice, rates above a datasheet, counts that the measured time rules out,
//! intervals further than any rate can move a time.

use crate::desk;

use desk::{Desk, number};
use serde_json::Value;

fn answer(words: &str) -> Value {
    Desk::new().types(&format!("predict --format json {words}")).works().json().remove(0)
}

/// Of a measurement file with these lines.
fn of_row(columns: &str, row: &str, words: &str) -> Value {
    let desk = Desk::new();
    let file = desk.file("mine.csv", format!("{columns}\n{row}\n"));
    desk.types_with(&format!("predict --format json {words} --data"), &[&file]).works().json().remove(0)
}

/// 81 rows are 81 blocks on the 80 SMs of a V100: one SM holds two, which wait for their loads at the same time.
#[test]
fn blocks_that_share_an_sm_wait_at_the_same_time() {
    let ms = |rows: u32| {
        let words = format!("--from titan-v --to v100-sxm2-16gb --kernel softmax --size rows={rows}");
        number(&answer(&words), "time_ms")
    };
    assert!(ms(81) <= 1.02 * ms(160), "{} {}", ms(81), ms(160));
    assert!(ms(81) >= ms(80));
}

/// The source's roof is that of its power limit; the target's bus moves 273 GB/s all the same.
#[test]
fn no_answer_moves_more_than_the_bus_of_its_target() {
    let words = "--time 0.367415ms --from rtx-pro-5000 --flops 1.72163e10 --dram-bytes 4.43102e8 --working-set 4.43102e8 --threads 256 --grid 20000 --regs 40 --to gb10";
    let found = answer(words);
    assert!(number(&found, "time_ms") >= 4.43102e8 / 273e9 * 1e3 * 0.999, "{found}");
}

/// Conflicts are wavefronts and no instructions: 70 million of them in 1.4 ms are more than an RTX A4500's load/store unit takes.
#[test]
fn wavefronts_alone_are_no_more_instructions_than_fit_the_time() {
    let columns = "gpu,kernel,problem,dtype,block,grid,regs_per_thread,smem_static_bytes,dram_bytes,smem_wavefronts,time_ms";
    let row = "rtx-a4500,transpose,n=2048,fp32,32x8,65536,16,4096,33554432,70650000,1.42";
    let found = of_row(columns, row, "--to h100-sxm5");
    // One wavefront a clock and SM, 132 SMs at 1,980 MHz.
    let banks = 70.65e6 / (132.0 * 1.98e9) * 1e3;
    assert!(number(&found, "time_ms") > 0.98 * banks, "{banks} ms on the banks: {found}");
}

/// A stream whose bytes were counted at L2 alone is a stream still.
#[test]
fn bytes_through_l2_stand_for_those_of_dram_that_nobody_counted() {
    let columns = "gpu,kernel,problem,dtype,block,grid,regs_per_thread,dram_bytes,l2_bytes,time_ms";
    let asked = |dram: &str| {
        let row = format!("rtx-a4500,add_constant,n=1,fp64,256,12288,16,{dram},503316480,0.9");
        of_row(columns, &row, "--to rtx-4060-ti")
    };
    let (without, with) = (asked(""), asked("503316480"));
    let [a, b] = [&without, &with].map(|row| number(row, "time_ms"));
    assert!((a / b - 1.0).abs() < 0.15, "{a} {b}");
    assert!(without["cautions"].to_string().contains("dram_bytes"), "still not counted: {without}");
    // Time that DRAM cannot fill is not its.
    let slow = "rtx-a4500,add_constant,n=1,fp64,256,12288,16,,503316480,90.0";
    assert!(number(&of_row(columns, slow, "--to rtx-4060-ti"), "time_ms") < 200.0);
}

/// FP64 on a GTX 980 and a P100: its lanes are 8 times as fast there, SMs x clock 1.5 times. No rate makes 20 ms of 2.8.
#[test]
fn an_interval_ends_where_no_rate_can_take_the_time() {
    let columns =
        "gpu,kernel,problem,dtype,block,grid,flops,dram_bytes,l2_bytes,time_ms,sm_clock_mhz,mem_clock_mhz";
    let row = "gtx-980,options,n=1,fp64,256,28,224387436,1477024,33726560,2.8147,1500,2600";
    let found = of_row(columns, row, "--to p100-pcie-16gb");
    assert!(number(&found, "high_ms") < 2.0 * 2.8147 * 1.6, "{found}");
    assert!(number(&found, "low_ms") > 0.1, "{found}");
    // Where the bus of the target alone makes the time, an interval has room above it all the same.
    let one_block = "--time 1ms --from rtx-3090 --threads 256 --grid 1 --regs 40 --flops 10GFLOP --dram-bytes 500MB --to l4";
    let found = answer(one_block);
    assert!(number(&found, "high_ms") > 1.2 * number(&found, "time_ms"), "{found}");
}

/// The time of a kernel at the launch overhead is the host's, and nobody measured that of an RTX 4090.
#[test]
fn a_time_at_its_launch_overhead_is_no_surer_than_the_overhead() {
    let columns = "gpu,kernel,problem,dtype,block,grid,regs_per_thread,flops,dram_bytes,time_ms";
    let found = of_row(columns, "rtx-3090,add,n=50000,fp32,256,196,16,50000,600000,0.0029", "--to rtx-4090");
    let [low, time, high] = ["low_ms", "time_ms", "high_ms"].map(|field| number(&found, field));
    assert!(low < 0.9 * time && high > 1.1 * time, "{found}");
}

/// Several sources that were not measured: none of them ends below the bytes of DRAM at the bandwidth that the target states.
#[test]
fn combined_sources_end_where_each_does() {
    let found = answer("--kernel saxpy --size n=2^28 --from all --to h200");
    let bus = 12.0 * 268_435_456.0 / 4.8e12 * 1e3;
    assert!(number(&found, "low_ms") >= 0.999 * bus, "{bus} ms on the bus: {found}");
}

/// Another size on the very GPU that was timed.
#[test]
fn another_size_on_the_same_gpu_ends_at_its_bus_too() {
    let found = answer("--kernel saxpy --size n=2^26 --from rtx-4070 --to rtx-4070");
    let bus = 12.0 * 67_108_864.0 / 504e9 * 1e3;
    assert!(number(&found, "low_ms") >= 0.999 * bus, "{bus} ms on the bus: {found}");
}

/// Buffers that nearly fill L2 may or may not stay there: 48 MiB of an L4, 12 bytes an element.
#[test]
fn buffers_about_as_large_as_l2_are_less_certain_than_small_and_large_ones() {
    let width = |n: u32| {
        let found = answer(&format!("--kernel saxpy --size n={n} --from titan-v --to l4"));
        number(&found, "high_ms") / number(&found, "low_ms")
    };
    assert!(width(4_200_000) > 1.3 * width(2_000_000) && width(4_200_000) > 1.3 * width(8_000_000));
}

/// Boards run above the clock that is stated: 15.75 TFLOP/s of an RTX 2080 Ti are those of its lanes (OpenCL-Benchmark).
#[test]
fn a_board_above_its_stated_clock_needs_no_tensor_cores() {
    let words = |ms: f64| {
        format!(
            "--time {ms}ms --from rtx-2080-ti --flops 1TFLOP --dram-bytes 1MB --threads 256 --to a100-pcie-40gb"
        )
    };
    let [lanes, tensor] = [63.5, 40.0].map(|ms| answer(&words(ms)));
    assert!(number(&lanes, "time_ms") > 40.0 && number(&lanes, "high_ms") > 51.9, "{lanes}");
    assert!(number(&tensor, "time_ms") < 30.0, "{tensor}");
}

/// Integer multiply-adds: three 16-bit ones each on Pascal, half as many as lanes of FP32 since GA102. Measured from a GTX 1070 (462 ms): 65.5 ms on
/// an RTX 2080 Ti, 52.0 on an A100 PCIe, 22.5 on an L40, 27.4 on a B200, 1,400 on a K40 (OpenCL-Benchmark).
#[test]
fn integer_multiply_adds_have_their_own_rate() {
    let measured =
        [("rtx-2080-ti", 65.5), ("a100-pcie-40gb", 52.0), ("l40", 22.5), ("b200", 27.4), ("k40", 1400.0)];
    for (gpu, ms) in measured {
        let found = answer(&format!(
            "--time 462ms --from gtx-1070 --flops 1e12 --dtype int32 --dram-bytes 1MB --threads 256 --to {gpu}"
        ));
        let off = number(&found, "time_ms") / ms;
        assert!((0.7..1.43).contains(&off), "{gpu}: {off} of the measured time: {found}");
        assert!(number(&found, "low_ms") < ms && ms < number(&found, "high_ms"), "{found}");
    }
}

/// An H800 SXM5 is an H100 SXM5 to a matrix product: what the library does on one it does on the other.
#[test]
fn an_operator_on_the_same_chip_takes_the_same_time() {
    let words = "--kernel linear_bf16 --size m=512;n=4096;k=4096 --from h100-sxm5 --time 31us";
    let same = number(&answer(&format!("{words} --to h800-sxm5")), "time_ms");
    assert!((same / 0.031 - 1.0).abs() < 0.01, "{same} ms");
    let slower = number(&answer(&format!("{words} --to h100-sxm5 --sm-clock 1979MHz")), "time_ms");
    assert!((slower / 0.031 - 1.0).abs() < 0.01, "{slower} ms");
}

/// A T4 reaches its stated FP32 rate in FMA loops (OpenCL-Benchmark) and half of it in products: 70 W are enough for lanes that take their
/// operands from registers.
#[test]
fn a_power_limit_takes_less_of_work_on_registers_than_of_products() {
    let ms = |bytes: f64| {
        let words = "--from rtx-2080-ti --to t4 --time 63.5ms --flops 1e12 --dtype fp32 --threads 256";
        number(&answer(&format!("{words} --dram-bytes {bytes}")), "time_ms")
    };
    // By the ratio of the stated rates, 13.4 and 8.1 TFLOP/s, 105 ms.
    let (loop_on_registers, product) = (ms(1e6), ms(8e8));
    assert!(loop_on_registers < 1.05 * 105.0, "{loop_on_registers}");
    assert!(product > 1.2 * loop_on_registers, "{product} {loop_on_registers}");
    // Between both it does not jump.
    let steps: Vec<f64> = (0..20).map(|i| ms(8e8 / 1.4_f64.powi(i))).collect();
    let most = steps.windows(2).map(|pair| (pair[1] / pair[0] - 1.0).abs()).fold(0.0, f64::max);
    assert!(most < 0.1, "{steps:?}");
}

/// Bytes through L2 stand for those of DRAM; 8.4 MB of a stencil that an A100 holds may be 4 MB that an RTX 3090 holds as well.
#[test]
fn bytes_through_l2_may_stay_in_a_smaller_l2_too() {
    let columns = "gpu,kernel,problem,dtype,block,grid,flops,dram_bytes,l2_bytes,working_set_bytes,time_ms";
    let asked = |dram: &str, l2: &str, touched: &str| {
        let row = format!("a100-sxm4-80gb,stencil,w=1024,fp32,16x16,64x64,1.7e7,{dram},{l2},{touched},0.006");
        of_row(columns, &row, "--to rtx-3090 --model components")
    };
    let (unknown, held) = (asked("", "8400000", ""), asked("0", "8400000", ""));
    assert!(number(&unknown, "low_ms") < number(&held, "time_ms"), "{unknown} {held}");
    assert!(number(&unknown, "high_ms") > number(&unknown, "time_ms") * 1.3, "{unknown}");
    // Whoever states what is touched leaves no doubt.
    let stated = asked("8400000", "8400000", "8400000");
    assert!(number(&stated, "low_ms") > number(&held, "time_ms"), "{stated}");
}

/// Of a time and nothing else the target's bandwidth says more than of one whose blocks are known: it may be an application's.
#[test]
fn a_time_without_a_launch_goes_with_bandwidth_first() {
    let ms = |more: &str| {
        let words = format!("--from quadro-rtx-8000 --to rtx-4090 --time 180ms {more}");
        number(&answer(&words), "time_ms")
    };
    let (alone, launched) = (ms(""), ms("--threads 256 --grid 100000"));
    assert!(alone > 1.03 * launched, "{alone} {launched}");
}

/// Ten reductions and scans under NVBench took 25 to 110 µs on three hosts, whatever the GPU: copies and waits between launches are no work.
#[test]
fn what_lies_between_several_launches_is_no_faster_on_a_faster_gpu() {
    let columns = "gpu,kernel,problem,variant,dram_bytes,time_ms";
    let ms = |bytes: &str, time: &str| {
        let row = format!("gtx-1650,own_scan,n=1024,launches=multi;timing=cold,{bytes},{time}");
        number(&of_row(columns, &row, "--to rtx-3060-ti"), "time_ms") / time.parse::<f64>().unwrap()
    };
    assert!((0.8..1.25).contains(&ms("4100", "0.081")), "{}", ms("4100", "0.081"));
    // Most of 10 ms is.
    assert!(ms("1e9", "10") < 0.6, "{}", ms("1e9", "10"));
}

/// An efficiency of a hundredth that is given up and comes back as time above the roof is one step.
#[test]
fn no_two_steps_of_an_explanation_undo_each_other() {
    let columns = "gpu,kernel,problem,dram_bytes,time_ms";
    let desk = Desk::new();
    let file = desk.file("mine.csv", format!("{columns}\ngtx-1650,tiny,n=1024,4100,0.0055\n"));
    let asked = desk.types_with("predict --format json --explain --to rtx-2060 --data", &[&file]);
    let steps: Vec<f64> = asked.works().json().iter().filter_map(|row| row["times"].as_f64()).collect();
    assert!(steps.len() > 2 && steps.iter().all(|times| (0.2..5.0).contains(times)), "{steps:?}");
}
