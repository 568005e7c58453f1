//! What cannot run on the target gets a reason instead of a number: code that was not compiled for it, features it lacks.
//! And what cannot be true of a kernel, or is not known of it, is named beside the number.

use crate::desk;

use desk::Desk;
use serde_json::Value;

const LOG: &str = "ptxas info    : Compiling entry function '_Z5saxpyPfS_if' for 'sm_89'\n\
                   ptxas info    : Used 12 registers\n";

/// The same kernel in a program: machine code for 8.0 and PTX for 8.9.
const PROGRAM: &str = "Fatbin elf code:\n================\narch = sm_80\n\nResource usage:\n Function _Z5saxpyPfS_if:\n  \
                       REG:12 STACK:0 SHARED:0 LOCAL:0 CONSTANT[0]:372 TEXTURE:0 SURFACE:0 SAMPLER:0\n\n\
                       Fatbin ptx code:\n================\narch = sm_89\n";

fn predict(desk: &Desk, to: &str) -> Value {
    let words = format!("predict --from titan-v --to {to} --kernel saxpy --format json");
    let told = desk.types(&words);
    let row = told.json().remove(0);
    // Where nothing could be predicted, the exit code says so.
    assert_eq!(told.code, i32::from(row["time_ms"].is_null()), "{}", told.stderr);
    row
}

#[test]
fn code_that_runs_nowhere_on_the_target_is_refused_and_says_what_to_compile() {
    let desk = Desk::new();
    let free = predict(&desk, "rtx-2080-ti");
    assert!(free["time_ms"].is_number(), "our own kernel files are no such statement");
    let log = desk.file("build.log", LOG);
    desk.types_with("import -o config/kernels", &[&log]).works();
    assert!(desk.read("config/kernels/saxpy.toml").contains(r#"code = ["sm_89", "compute_?"]"#));
    let refused = predict(&desk, "rtx-2080-ti");
    assert_eq!((&refused["time_ms"], &refused["speedup"]), (&Value::Null, &Value::Null));
    let why =
        "rtx-2080-ti: not compiled for 7.5: there is sm_89; compile with -gencode arch=compute_75,code=sm_75";
    assert_eq!(refused["cautions"][0], why);
    let table = desk.types("predict --from titan-v --to rtx-2080-ti --kernel saxpy").ends(1, &[]).stdout;
    assert!(table.contains("not compiled for 7.5"), "{table}");
    assert!(predict(&desk, "rtx-4070")["time_ms"].is_number());
    assert!(predict(&desk, "h100-pcie")["time_ms"].is_number(), "ptxas cannot say whether its PTX was kept");
    // A second report adds what it lists.
    let more = desk.file("turing.log", LOG.replace("sm_89", "sm_75"));
    desk.types_with("import -o config/kernels", &[&more]).works();
    assert!(predict(&desk, "rtx-2080-ti")["time_ms"].is_number());
}

#[test]
fn a_program_lists_its_ptx_too() {
    let desk = Desk::new();
    let program = desk.file("usage.txt", PROGRAM);
    desk.types_with("import -o config/kernels", &[&program]).works();
    assert!(desk.read("config/kernels/saxpy.toml").contains(r#"code = ["sm_80", "compute_89"]"#));
    assert!(predict(&desk, "a100-pcie-40gb")["time_ms"].is_number(), "machine code of 8.0");
    assert!(predict(&desk, "h100-pcie")["time_ms"].is_number(), "PTX of 8.9");
    let why = predict(&desk, "rtx-2080-ti")["cautions"][0].to_string();
    assert!(why.contains("not compiled for 7.5: there is sm_80, compute_89"), "{why}");
    let alone = Desk::new();
    let only = alone.file("usage.txt", PROGRAM.split("Fatbin ptx").next().unwrap_or(PROGRAM));
    alone.types_with("import -o config/kernels", &[&only]).works();
    let why = predict(&alone, "h100-pcie")["cautions"][0].to_string();
    assert!(why.contains("h100-pcie: not compiled for 9.0: there is sm_80;"), "{why}");
    let shown = alone.types("kernels saxpy").works().stdout;
    assert!(shown.contains("sm_80"), "{shown}");
}

#[test]
fn a_kernel_that_needs_what_the_target_lacks_is_refused() {
    let desk = Desk::new();
    let shipped = include_str!("../../specs/kernels/saxpy.toml");
    let needs = |features: &str| {
        let text = shipped
            .replace("[shared_memory]", &format!("[needs]\nfeatures = [{features}]\n\n[shared_memory]"));
        let folder = desk.path("config/kernels");
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join("saxpy.toml"), text).expect("a kernel file");
    };
    needs(r#""async_copy", "tma""#);
    let why = predict(&desk, "rtx-4070")["cautions"][0].to_string();
    assert!(
        why.contains("rtx-4070: lacks tma: the kernel needs compute capability 9.0, and this is 8.9"),
        "{why}"
    );
    assert!(predict(&desk, "h100-pcie")["time_ms"].is_number());
    desk.types("predict --kernel linear_fp8 --size n=4096 --time 1ms --from titan-v --to h200").ends(
        1,
        &["titan-v: cannot be the GPU that was timed: lacks fp8; the kernel needs compute capability 8.9, and this is 7.0"],
    );
    let shown = desk.types("kernels saxpy").works().stdout;
    assert!(shown.contains("async_copy") && shown.contains("tma"), "{shown}");
    needs(r#""telepathy""#);
    let said = desk.types("kernels").works().stderr;
    assert!(
        said.contains("saxpy.toml") && said.contains("telepathy") && said.contains("async_copy"),
        "{said}"
    );
}

const COUNTED: &str =
    "gpu,kernel,problem,time_ms,dtype,flops,dram_bytes,l2_bytes,warp_insts_issued,active_threads_per_inst\n";

fn of_row(row: &str) -> String {
    let desk = Desk::new();
    let file = desk.file("runs.csv", format!("{COUNTED}{row}\n"));
    let words = "predict --from titan-v --to rtx-4070 --kernel mine --format json --data";
    let answer = desk.types_with(words, &[&file]).works().json().remove(0);
    assert!(answer["time_ms"].is_number(), "{answer}");
    answer["cautions"].to_string()
}

#[test]
fn contradictory_counts_are_named_with_values_and_sources() {
    let said = of_row("titan-v,mine,n=1,1,fp32,1e9,2e9,8e8,1e6,40");
    for words in [
        "dram_bytes 2.00e9 (measured) against l2_bytes 8.00e8 (measured): DRAM brings at most two sectors of L2 for one that is asked for; components takes each",
        "flops 1.00e9 (measured) against warp_insts_issued 1.00e6 (measured): a warp instruction does at most 64 FLOPs",
        "active_threads_per_inst 40.0 (measured): a warp has 32 threads; components uses 32",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert!(!of_row("titan-v,mine,n=1,1,fp32,1e9,1e9,1e9,1e8,32").contains("contradict"));
    let desk = Desk::new();
    let file = desk.file("runs.csv", format!("{COUNTED}titan-v,mine,n=1,1,fp32,1e9,2e9,8e8,,\n"));
    let found = desk.types_with("audit", &[&file]);
    let found = found.stdout;
    assert!(
        found.contains(
            "dram_bytes 2.00e9 against l2_bytes 8.00e8 at n=1, but DRAM brings at most two sectors of L2"
        ),
        "{found}"
    );
}

#[test]
fn missing_counts_are_named() {
    let few = of_row("titan-v,mine,n=1,1,fp32,1e9,1e9,,,");
    assert!(few.contains("counters missing: l2_bytes, global_warp_insts, lsu_warp_insts"), "{few}");
    let partly = of_row("titan-v,mine,n=1,1,fp32,1e9,1e9,,1e8,32");
    assert!(
        partly.contains("counters missing: l2_bytes, global_warp_insts, lsu_warp_insts, smem_wavefronts"),
        "{partly}"
    );
    assert!(
        partly.contains("L2 bytes assumed equal to DRAM bytes, the other limits are ignored"),
        "{partly}"
    );
}
