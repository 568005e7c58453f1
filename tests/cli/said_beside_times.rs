//! What is said beside a time: the right reason, once, in words of the field.

use crate::app_stories::trace;
use crate::desk::Desk;
use serde_json::Value;

/// Numbered notes under a table.
fn notes(table: &str) -> Vec<&str> {
    table.lines().filter(|line| line.starts_with('[')).collect()
}

/// The time of the only answer, in milliseconds.
fn time_of(answers: &[Value]) -> f64 {
    answers[0]["time_ms"].as_f64().unwrap_or(f64::NAN)
}

#[test]
fn a_larger_product_is_not_faster() {
    let desk = Desk::new();
    for kernel in ["cutlass_simt_sgemm_128x128_8x2", "matmul_tiled", "gemm_tiled"] {
        for [small, large] in [[128, 129], [512, 513], [1024, 1025]] {
            let time = |n: u32| {
                let words =
                    format!("predict --kernel {kernel} --size n={n} --from titan-v --to a100-sxm4-80gb");
                time_of(&desk.types(&format!("{words} --format json")).works().json())
            };
            let [small_time, large_time] = [small, large].map(time);
            assert!(
                large_time >= 0.999 * small_time,
                "{kernel}: {small} {small_time}, {large} {large_time} ms"
            );
        }
    }
    // 4.29 GFLOP of whole tiles on 32 of 46 SMs.
    let words = "gemm --gpu rtx-4070 --m 1 --n 4096 --k 4096 --tile 128 --format json";
    let row = desk.types(words).works().json()[0].clone();
    let [time, rate] = ["time_ms", "tflops"].map(|key| row[key].as_f64().unwrap());
    assert!(time > 0.2, "{row}");
    assert!((rate * time / (2.0 * 4096.0 * 4096.0 / 1e9) - 1.0).abs() < 1e-3, "of useful FLOPs: {row}");
}

#[test]
fn code_that_a_name_binds_to_an_architecture_is_told() {
    let desk = Desk::new();
    let ask = |name: &str, from: &str, to: &str| {
        let words = format!("predict --time 0.6ms --name {name} --flops 137GFLOP --dram-bytes 100MB");
        desk.types(&format!("{words} --from {from} --to {to}")).works().stdout
    };
    let hopper = "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_stage4";
    let table = ask(hopper, "h100-sxm5", "a100-sxm4-80gb,rtx-4090,b200,h200");
    let said = "a100-sxm4-80gb, rtx-4090, b200: code for sm_90, which the name states, does not run there";
    assert!(table.contains(said), "{table}");
    // Another kernel runs there: its interval is wider than that of code which runs everywhere, and one answer has it as many have.
    let width = |name: &str| {
        let words =
            format!("predict --time 0.6ms --name {name} --flops 137GFLOP --dram-bytes 100MB --regs 168");
        let words =
            format!("{words} --threads 256 --grid 5000 --from h100-sxm5 --to a100-sxm4-80gb --format json");
        let row = desk.types(&words).works().json().remove(0);
        row["high_ms"].as_f64().unwrap() / row["low_ms"].as_f64().unwrap()
    };
    let anywhere = "sm80_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_stage4";
    assert!(width(hopper) > 1.01 * width(anywhere));
    let blackwell = "cutlass3x_sm100_tensorop_s64x256x32gemm_f8_f8_f32_f16_f16_64x256x128_1x1x1_0_tnn";
    let table = ask(blackwell, "h100-sxm5", "a100-sxm4-80gb");
    assert!(table.contains("h100-sxm5: code for sm_100"), "{table}");
    assert!(table.contains("check the source"), "{table}");
    for name in
        ["sm80_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_stage3", "ampere_sgemm_128x64_tn"]
    {
        let table = ask(name, "a100-sxm4-80gb", "rtx-4090,h100-sxm5,b200");
        assert!(!table.contains("does not run there"), "{table}");
    }
}

#[test]
fn fp8_is_converted_whoever_states_it() {
    let desk = Desk::new();
    let time = |stated: &str| {
        let words =
            format!("predict --time 1ms --flops 137GFLOP {stated} --from h100-sxm5 --to a100-sxm4-80gb");
        let done = desk.types(&words).works();
        assert!(done.stdout.contains("its rate for a wider type stands in"), "{}", done.stdout);
        time_of(&desk.types(&format!("{words} --format json")).works().json())
    };
    let by_name = time("--name sm90_xmma_gemm_e4m3bf16_e4m3f32_f32_tn_n_tilesize64x64x64_stage4");
    assert_eq!(time("--pipe tensor-fp8"), by_name);
}

#[test]
fn counts_are_compared_with_the_sms_that_have_a_block() {
    let desk = Desk::new();
    let ask = |words: &str| desk.types(&format!("predict {words}")).works().stdout;
    let flops =
        "--time 1ms --from rtx-3090 --threads 256 --regs 40 --flops 10GFLOP --dram-bytes 500MB --to l4";
    let table = ask(&format!("{flops} --grid 1"));
    assert!(table.contains("above the roof of the SMs that have a block (1 of 82 on rtx-3090)"), "{table}");
    assert!(!ask(&format!("{flops} --grid 82")).contains("above"), "a full GPU does it");
    let bytes = "--time 416ms --from b200 --dram-bytes 1.28e12 --threads 32 --grid 1 --to h100-sxm5";
    let table = ask(bytes);
    assert!(table.contains("SMs that have a block (1 of 148 on b200)"), "{table}");
}

#[test]
fn a_joined_note_names_both_gpus_that_it_compares() {
    let desk = Desk::new();
    let told = desk.types("rank --from titan-v --kernel saxpy --top 12").works().stdout;
    let note = told.lines().find(|line| line.contains("DRAM bandwidth is measured, that of")).unwrap();
    assert!(note.contains(" is derived from the peak") && !told.contains("this GPU"), "{told}");
    for line in told.lines().filter(|line| line.ends_with(']')) {
        let Some((_, cell)) = line.trim_end_matches(']').rsplit_once('[') else { continue };
        let numbers: Vec<u32> = cell.split(' ').map(|number| number.parse().unwrap()).collect();
        assert!(numbers.is_sorted(), "{line}");
    }
}

#[test]
fn a_roofline_of_several_targets_names_the_one_whose_speedup_it_says() {
    let desk = Desk::new();
    let of = |targets: &str| {
        let words = format!("export roofline --from titan-v --to {targets} --kernel saxpy -o -");
        desk.types(&words).works().stdout
    };
    assert!(of("rtx-4070,l4").contains("predicted speedup on RTX 4070 "));
    let alone = of("rtx-4070");
    assert!(alone.contains("predicted speedup ") && !alone.contains("predicted speedup on"), "{alone}");
}

#[test]
fn an_order_of_launch_overheads_is_called_one() {
    let desk = Desk::new();
    let words =
        "rank --time 4us --from rtx-3090 --flops 1e6 --to rtx-4060,rtx-4070,rtx-4070-ti,rtx-4070-laptop";
    let table = desk.types(words).works().stdout;
    assert!(!table.contains("DRAM bandwidth is"), "{table}");
    assert!(table.contains(": launch overhead was measured on one host and is assumed for"), "{table}");
    assert!(!table.contains("this GPU"), "{table}");
    assert!(table.contains("--set launch=3us"), "{table}");
    let words = "predict --time 4us --from rtx-3090 --flops 1e6 --to rtx-4070 --explain";
    let explained = desk.types(words).works().stdout;
    assert!(explained.contains("shortest that several kernels reach in the data of this GPU"), "{explained}");
    let listed = desk.types("gpus rtx-4070").works().stdout;
    assert!(listed.contains("predictions use the shortest that several kernels reach"), "{listed}");
}

#[test]
fn a_changed_l2_counts_when_a_size_is_chosen() {
    let desk = Desk::new();
    for words in [
        "whatif --gpu rtx-4070 --set mem=+20% --set l2=72MiB --kernel saxpy",
        "rank --from titan-v --kernel saxpy --to rtx-4070 --set l2=72MiB",
    ] {
        let done = desk.types(words).works();
        assert!(done.stderr.contains("larger than every L2"), "{}", done.stderr);
        assert!(!done.stdout.contains("fits in L2") && !done.stdout.contains("3.40"), "{}", done.stdout);
        assert!(done.stdout.contains("n=16777216"), "192 MiB: {}", done.stdout);
    }
}

#[test]
fn blocks_of_a_product_are_bounded_by_the_registers_of_its_file() {
    let desk = Desk::new();
    let table = desk.types("gemm --gpu rtx-4070 --n 4096 --tile 128").works().stdout;
    assert!(table.contains("≤2") && table.contains("≤33 %"), "{table}");
    assert!(table.contains("occupancy is an upper bound"), "{table}");
    let table = desk.types("gemm --gpu rtx-4070 --n 4096 --tile 16").works().stdout;
    assert!(!table.contains('≤'), "{table}");
}

#[test]
fn a_note_of_many_gpus_is_one() {
    let desk = Desk::new();
    let words = "predict --time 4us --from rtx-3090 --flops 1e6 --to all";
    let table = desk.types(words).works().stdout;
    assert!(notes(&table).len() < 8, "{table}");
    assert!(table.contains(" more: under 10 µs, launch overhead may be most of it"), "{table}");
    let rows = desk.types(&format!("{words} --format json")).works().json();
    let last = rows.last().unwrap();
    let own = format!("{}: under 10 µs", last["gpu_target"].as_str().unwrap());
    assert!(last["cautions"].to_string().contains(&own), "JSON keeps them: {last}");
    let sizes: String = (1..30).map(|n| format!("k40,my_k,n={n}000,256,{n}0,{}.5\n", n)).collect();
    desk.file("sizes.csv", format!("gpu,kernel,problem,block,grid,time_ms\n{sizes}"));
    let table = desk.types("predict --data sizes.csv --to rtx-4090").works().stdout;
    assert!(notes(&table).len() < 8, "{table}");
}

#[test]
fn atomics_alone_narrow_nothing() {
    let desk = Desk::new();
    desk.file(
        "counted.csv",
        "gpu,kernel,problem,block,grid,regs_per_thread,flops,dram_bytes,l2_bytes,global_warp_insts,lsu_warp_insts,\
         smem_wavefronts,warp_insts_issued,time_ms\n\
         rtx-3090,my_k,n=1000,256,4096,40,2.0e9,1.2e8,1.2e8,1e6,1e6,0,2e7,0.473\n",
    );
    let table = desk.types("predict --data counted.csv --to l4").works().stdout;
    assert!(table.contains("counters missing: global_atomic_requests; assumed 0"), "{table}");
    assert!(!table.contains("narrow the interval"), "{table}");
}

#[test]
fn the_interval_of_a_wall_clock_is_said_to_leave_the_host_out() {
    let desk = Desk::new();
    desk.file("run.json", trace());
    for words in ["app run.json --to l40s", "rank --app run.json --to l40s"] {
        let table = desk.types(words).works().stdout;
        assert!(table.contains("host time kept as recorded; the interval covers kernels only"), "{table}");
    }
}

#[test]
fn no_person_stands_in_help_or_notes() {
    let desk = Desk::new();
    let commands = ["predict", "rank", "whatif", "evaluate", "occupancy", "metrics", "gemm", "app"];
    let helps = commands.map(|command| format!("{command} --help"));
    let kernels = ["kernels cutlass_simt_sgemm_128x128_8x2", "kernels clblast_xgemm", "kernels"];
    let asked = ["predict --time 1ms --from rtx-3090 --dram-bytes 3MB --to rtx-4070 --explain"];
    for words in helps.iter().map(String::as_str).chain(kernels).chain(asked) {
        let shown = desk.types(words).works().stdout.to_lowercase();
        for person in ["nobody", "somebody", "insisted", "believe"] {
            assert!(!shown.contains(person), "{words}: {person}: {shown}");
        }
    }
}

#[test]
fn an_explanation_has_no_empty_table_and_no_number_of_work_that_was_not_counted() {
    let desk = Desk::new();
    let words = "predict --time 1ms --threads 256 --grid 1000 --from titan-v --to l4 --explain";
    let explained = desk.types(words).works().stdout;
    assert!(!explained.contains("component "), "{explained}");
    assert!(explained.contains("10 % more SMs (58)") && !explained.contains("more FLOPs"), "{explained}");
    assert!(!explained.contains("\n\n\n"), "{explained}");
    let words = "predict --kernel naive_transpose --from titan-v --to rtx-4070 --explain";
    let explained = desk.types(words).works().stdout;
    assert!(
        explained.contains("10 % more issue per clock") && !explained.contains("more FLOPs"),
        "{explained}"
    );
}

#[test]
fn a_share_under_the_power_limit_says_of_what_it_is_and_nothing_is_kept_of_a_source_without_time() {
    let desk = Desk::new();
    let words = "predict --time 1ms --flops 5e12 --bytes 1e6 --from rtx-3090 --to l4 --explain";
    let explained = desk.types(words).works().stdout;
    let step = explained.lines().find(|line| line.starts_with("FLOP rate under power limit"));
    assert!(step.is_some_and(|line| line.ends_with("100 % of peak → 63.7 % of peak")), "{explained}");
    let words = "predict --kernel linear_bf16 --size n=8192 --to l40s --explain";
    let explained = desk.types(words).works().stdout;
    assert!(!explained.contains("of the source") && !explained.contains("source correction"), "{explained}");
    assert_eq!(explained.matches("\npower limit ").count(), 2, "a step and a number: {explained}");
}

#[test]
fn an_explanation_without_a_time_is_its_reason() {
    let desk = Desk::new();
    desk.file("large.csv", "gpu,kernel,problem,block,grid,regs_per_thread,smem_dynamic_bytes,dram_bytes,time_ms\nb200,large,n=1,128,1000,32,205000,1e8,0.1\n");
    let rows = desk.types("predict --data large.csv --to l4 --explain --format json").ends(1, &[]).json();
    let said = [&rows[0]["part"], &rows[0]["factor"]].map(|field| field.as_str().unwrap_or_default());
    assert!(rows.len() == 1 && said[0] == "no_time" && said[1].contains("cannot launch"), "{rows:?}");
}

#[test]
fn what_fits_in_l2_is_one_note_for_all_gpus_and_kernels() {
    let desk = Desk::new();
    let words = "predict --kernel saxpy,vector_add --from titan-v --to rtx-4070,rtx-4090,l40s";
    let table = desk.types(words).works().stdout;
    let said: Vec<&str> = notes(&table).into_iter().filter(|note| note.contains("fits in L2 on")).collect();
    assert_eq!(said.len(), 1, "{table}");
    let gpus =
        "rtx-4070 (12.0 MiB of 36.0 MiB), rtx-4090 (12.0 MiB of 72.0 MiB), l40s (12.0 MiB of 96.0 MiB): the";
    assert!(said[0].contains(gpus), "{said:?}");
}

#[test]
fn a_gpu_whose_limit_gives_each_kernel_another_clock_is_named_once() {
    let desk = Desk::new();
    let words = "predict --kernel saxpy,dot_product,matmul_naive,matmul_tiled --from titan-v --to rtx-4070 --power-limit 110W";
    let table = desk.types(words).works().stdout;
    let said: Vec<&str> =
        notes(&table).into_iter().filter(|note| note.contains("lowers the SM clock")).collect();
    assert_eq!(said.len(), 1, "{table}");
    assert!(
        said[0].matches("rtx-4070").count() == 1 && said[0].contains(" more): the power limit"),
        "{said:?}"
    );
}

#[test]
fn a_side_alone_says_which_product_it_is() {
    let desk = Desk::new();
    let ask = |size: &str| {
        let words = format!("predict --kernel matmul_tiled --from titan-v --to rtx-4070 --size {size}");
        desk.types(&words).works()
    };
    let told = ask("m=4");
    assert!(
        told.stderr.contains("matmul_tiled m=4: one side alone is a square: m=4;n=4;k=4"),
        "{}",
        told.stderr
    );
    for size in ["n=4", "4", "m=4,n=8", "k=4,n=8"] {
        assert!(!ask(size).stderr.contains("square"), "{size}");
    }
}
