//! `roofswap import` as a person meets it: what is read, what is written, what is left alone.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

use crate::desk;

use desk::Desk;
use std::path::Path;

fn log(kernels: &[(&str, &str, u32)]) -> String {
    let entry = |(name, arch, regs): &(&str, &str, u32)| {
        format!(
            "ptxas info    : Compiling entry function '{name}' for '{arch}'\n\
             ptxas info    : Function properties for {name}\n\
             \x20   0 bytes stack frame, 24 bytes spill stores, 12 bytes spill loads\n\
             ptxas info    : Used {regs} registers, used 1 barriers, 4096 bytes smem\n"
        )
    };
    kernels.iter().map(entry).collect()
}

#[test]
fn from_the_compilers_log_to_the_occupancy_of_an_own_kernel() {
    let desk = Desk::new();
    desk.file("build.log", log(&[("_ZN3sim4stepEPf", "sm_70", 40), ("_ZN3sim4stepEPf", "sm_89", 48)]));
    let looked = desk.types("import build.log");
    assert_eq!((looked.code, desk.path("config/kernels").exists()), (0, false), "{}", looked.stderr);
    assert!(looked.stdout.contains("sim::step  sm_70    40      4096"), "{}", looked.stdout);
    assert!(
        looked.stderr.contains("add -o") && looked.stderr.contains("config/kernels"),
        "{}",
        looked.stderr
    );
    assert!(looked.stderr.contains("--kernel sim_step --threads 256 --gpu "), "{}", looked.stderr);
    assert!(!looked.stderr.contains("--gpu rtx-5090"), "not compiled for it: {}", looked.stderr);
    desk.file("old.log", log(&[("_ZN3sim4stepEPf", "sm_70", 40)]));
    let old = desk.types("import old.log");
    let gpu = old.stderr.rsplit("--gpu ").next().unwrap().trim().to_string();
    assert!(gpu == "titan-v" || gpu.starts_with("v100"), "compiled for sm_70: {}", old.stderr);
    desk.types("import build.log -o kernels.csv").ends(2, &["kernels.csv: ", "give a folder"]);
    assert!(!desk.path("kernels.csv").exists());
    let wrote = desk.types("import build.log -o config/kernels");
    assert_eq!(wrote.code, 0, "{}", wrote.stderr);
    assert!(wrote.stderr.contains("1 kernel file written"), "{}", wrote.stderr);
    let command =
        "occupancy --kernel sim_step --threads 512 --smem-dynamic 1000 --gpu titan-v,rtx-4070 --format csv";
    let occupancy = desk.types(command);
    assert!(occupancy.stdout.contains("titan-v,512,40,5096,"), "{}{}", occupancy.stdout, occupancy.stderr);
    assert!(occupancy.stdout.contains("rtx-4070,512,48,5096,"), "{}", occupancy.stdout);
    assert!(occupancy.stdout.contains("spills 24 B stores, 12 B loads per thread on rtx-4070"));
    let assumed = desk.types("occupancy --kernel sim::step --gpu rtx-4070");
    assert!(assumed.stdout.contains("~256 threads per block are assumed"), "{}", assumed.stdout);
}

#[test]
fn resources_of_a_known_kernel_are_laid_over_its_own() {
    let desk = Desk::new();
    desk.file("build.log", log(&[("_Z12matmul_tiledPf", "sm_89", 99)]));
    let wrote = desk.types("import build.log -o config/kernels");
    assert!(wrote.stderr.contains("matched built-in kernels by name"), "{}", wrote.stderr);
    let ours =
        desk.types("occupancy --kernel matmul_tiled --gpu rtx-4090,v100-sxm2-16gb,rtx-4070 --format csv");
    assert!(ours.stdout.contains("rtx-4090,1024,99,4096,"), "the compiler's word first: {}", ours.stdout);
    assert!(ours.stdout.contains("v100-sxm2-16gb,1024,32,8192,"), "others stay: {}", ours.stdout);
    assert!(
        ours.stdout.contains("rtx-4070,1024,37,8192,"),
        "the build that was timed stays: {}",
        ours.stdout
    );
    let typed = desk.types("occupancy --kernel matmul_tiled --threads 64 --gpu rtx-4070");
    assert_eq!(typed.code, 2);
    assert!(typed.stderr.contains("its file states its block"), "{}", typed.stderr);
}

#[test]
fn what_the_user_had_is_not_lost() {
    let desk = Desk::new();
    desk.file("a.log", log(&[("k", "sm_70", 40), ("other", "sm_70", 8)]));
    desk.file("b.log", log(&[("k", "sm_89", 48)]));
    desk.types("import a.log -o out");
    let joined = desk.types("import b.log -o out");
    assert_eq!(joined.code, 0, "{}", joined.stderr);
    let text = desk.read("out/k.toml");
    assert!(
        text.contains("\"7.0\" = { registers = 40") && text.contains("\"8.9\" = { registers = 48"),
        "{text}"
    );
    assert!(text.contains("title = \"a.log (ptxas -v, sm_70)\""), "{text}");
    // By hand, and a whole kernel file of the same name.
    let by_hand = format!("# mine\n{text}");
    desk.file("out/k.toml", &by_hand);
    desk.file("out/other.toml", "id = \"another\"\n");
    let refused = desk.types("import a.log -o out");
    assert_eq!((refused.code, desk.read("out/k.toml")), (1, by_hand));
    assert!(refused.stderr.contains("k.toml: was changed by hand"), "{}", refused.stderr);
    assert!(
        refused.stderr.contains("other.toml: exists and was not written by import"),
        "{}",
        refused.stderr
    );
    assert_eq!(desk.read("out/other.toml"), "id = \"another\"\n");
}

#[test]
fn overloads_have_files_of_their_own_and_keep_them() {
    let desk = Desk::new();
    desk.file("b.log", log(&[("_Z1ki", "sm_89", 20)]));
    desk.file("a.log", log(&[("_Z1kf", "sm_89", 10)]));
    desk.types("import b.log -o out");
    desk.types("import a.log b.log -o out");
    assert!(desk.read("out/k.toml").contains("symbol = \"_Z1ki\""));
    assert!(desk.read("out/k_2.toml").contains("symbol = \"_Z1kf\""));
}

#[test]
fn overloads_of_a_catalogue_name_are_not_taken_for_it() {
    let desk = Desk::new();
    desk.file("both.log", log(&[("_Z5saxpyPdS_id", "sm_89", 101), ("_Z5saxpyPfS_if", "sm_89", 102)]));
    let wrote = desk.types("import both.log -o config/kernels");
    assert!(wrote.stderr.contains("several kernels are called saxpy"), "{}", wrote.stderr);
    assert!(!wrote.stderr.contains("matched built-in kernels by name"), "{}", wrote.stderr);
    assert!(!desk.path("config/kernels/saxpy.toml").exists());
    assert!(desk.read("config/kernels/saxpy_2.toml").contains("symbol = \"_Z5saxpyPdS_id\""));
    let again = desk.types("import both.log -o out");
    assert!(desk.read("out/saxpy_3.toml").contains("symbol = \"_Z5saxpyPfS_if\""), "{}", again.stderr);
}

#[test]
fn what_cannot_be_read_is_said_and_the_rest_counts() {
    let desk = Desk::new();
    desk.file("good.log", log(&[("k", "sm_70", 40)]));
    desk.file("bad.log", "make: nothing to be done\n");
    desk.file("times.csv", "gpu,kernel,problem,time_ms\ntitan-v,saxpy,n=1024,0.1\n");
    desk.file("usage.txt", "Resource usage:\n Function k:\n  REG:40 STACK:0 SHARED:4096 LOCAL:0\n");
    let mixed = desk.types("import bad.log good.log times.csv usage.txt . --format csv");
    assert_eq!(mixed.code, 1);
    assert_eq!(mixed.stdout.lines().count(), 2, "{}", mixed.stdout);
    for words in [
        "bad.log:1: `make: nothing to be done`: not a compiler report",
        "times.csv: is a measurement file; it needs no import",
        "usage.txt: 1 kernels of an unknown architecture",
        "--arch sm_89",
        ".: is a folder",
        "3 of 5 files could not be read; the others were",
    ] {
        assert!(mixed.stderr.contains(words), "{words}: {}", mixed.stderr);
    }
    let told = desk.types("import usage.txt --arch sm_70 --format csv");
    assert!(told.stdout.contains("k,sm_70,40,4096,"), "{}", told.stdout);
    let nothing = desk.types("import bad.log");
    assert_eq!((nothing.code, nothing.stdout.as_str()), (1, ""));
    assert_eq!(desk.types("import good.log --arch sm_nine").code, 2);
}

/// A report that names its size by what the tool knows: the grid.
const NSYS: &str = "Time (%),Total Time (ns),Instances,Avg (ns),StdDev (ns),GridXYZ,BlockXYZ,Name\n\
100.0,6000000,3,2000000.0,0.0, 4096    1    1, 256    1    1,\"saxpy(int, float, float *, float *)\"\n";

#[test]
fn a_report_of_a_known_kernel_gets_its_size_from_the_user() {
    let desk = Desk::new();
    desk.file("trace.csv", NSYS);
    let plain = desk.types("import trace.csv --gpu titan-v -o plain.csv");
    assert_eq!(plain.code, 0, "{}", plain.stderr);
    assert!(plain.stderr.contains("to set the size, use --problem 'saxpy:n=…'"), "{}", plain.stderr);
    assert!(desk.read("plain.csv").contains("saxpy,grid=4096;block=256,"), "{}", desk.read("plain.csv"));
    for given in ["n=2^20", "saxpy:2^20"] {
        let sized = desk.types(&format!("import trace.csv --gpu titan-v --problem {given} -o sized.csv"));
        assert!(sized.code == 0 && !sized.stderr.contains("--problem"), "{given}: {}", sized.stderr);
        assert!(desk.read("sized.csv").contains("saxpy,n=1048576,"), "{given}: {}", desk.read("sized.csv"));
    }
    let predicted =
        desk.types("predict --from titan-v --to l4 --kernel saxpy --data sized.csv --format csv").stdout;
    assert!(predicted.contains(",measured,") && predicted.contains("n=1048576"), "{predicted}");
    for (given, says) in [("reduce_sum:n=4", "fits no row"), ("saxpy:m=4", "no problem key `m`")] {
        let refused = desk.types(&format!("import trace.csv --problem {given}"));
        assert!(refused.code == 2 && refused.stderr.contains(says), "{given}: {}", refused.stderr);
    }
}

#[test]
fn flags_of_the_other_kind_of_file_are_not_swallowed() {
    let desk = Desk::new();
    desk.file("trace.csv", NSYS);
    desk.file("build.log", log(&[("k", "sm_70", 40)]));
    desk.types("import trace.csv --gpu titan-v --arch sm_89").ends(0, &["--arch is for compilers' reports"]);
    let refused = desk.types("import trace.csv --format json").ends(2, &["measurements are written as CSV"]);
    assert_eq!(refused.stdout, "");
    desk.types("import trace.csv --gpu titan-v --format csv").works();
    let kernels = desk.types("import build.log --gpu titan-v --problem n=4");
    for flag in ["--gpu is for reports of measurements", "--problem is for reports of measurements"] {
        assert!(kernels.code == 0 && kernels.stderr.contains(flag), "{}", kernels.stderr);
    }
    assert!(!desk.types("import build.log").stderr.contains("was not used"));
}

#[test]
fn a_file_that_is_not_read_is_a_failure_and_the_others_are_written() {
    let desk = Desk::new();
    desk.file("trace.csv", NSYS);
    desk.file("mine.csv", "name,device,ms\nsaxpy,l4,1\n");
    desk.file("cut.ncu-rep", b"NVR\0\x10\0\0\0cut");
    for other in ["gone.csv", "cut.ncu-rep"] {
        desk.types(&format!("import trace.csv {other} --gpu titan-v -o rows.csv"))
            .ends(1, &[other, "1 of 2 files could not be read; the others were"]);
        assert!(desk.read("rows.csv").contains("titan-v,saxpy,"), "{other}");
        std::fs::remove_file(desk.path("rows.csv")).unwrap();
    }
    desk.types("import trace.csv trace.csv --gpu titan-v").works();
}

#[test]
fn a_listing_of_machine_code_names_the_command_that_reads_it() {
    let desk = Desk::new();
    desk.file("sass.txt", "\tcode for sm_89\n\t\tFunction : k\n\t.headerflags\t@\"EF_CUDA_SM89 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM89), a, b\"\n");
    let refused = desk.types("import sass.txt").ends(1, &["`roofswap sass sass.txt` reads it"]);
    assert!(!refused.stderr.contains("NVBench"), "{}", refused.stderr);
}

#[test]
fn a_pipe_and_standard_input_are_read_once_and_whole() {
    let desk = Desk::new();
    let file = desk.file("trace.csv", NSYS);
    let from_stdin = |words: &str, file: &std::path::Path| {
        let mut command = desk.command(words, &[]);
        command.stdin(std::fs::File::open(file).unwrap());
        let done = command.output().unwrap();
        (done.status.code(), String::from_utf8(done.stdout).unwrap(), String::from_utf8(done.stderr).unwrap())
    };
    let expected = desk.types("import trace.csv --gpu titan-v").stdout;
    let (code, rows, said) = from_stdin("import - --gpu titan-v", &file);
    assert_eq!((code, rows.replace("standard input", "trace.csv")), (Some(0), expected.clone()), "{said}");
    let canonical = desk.file("runs.csv", expected.clone());
    let (code, rows, said) = from_stdin("evaluate --data - --format csv", &canonical);
    assert!(code == Some(1) && rows.contains("no case"), "{rows}{said}");
    let built = desk.file("build.log", log(&[("k", "sm_70", 40)]));
    assert!(from_stdin("import -", &built).1.contains("sm_70"));
    #[cfg(unix)]
    for (name, text, says) in
        [("fifo", NSYS.to_string(), &*expected), ("log", log(&[("k", "sm_70", 40)]), "sm_70")]
    {
        let fifo = desk.path(name);
        assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
        let writer = std::thread::spawn({
            let fifo = fifo.clone();
            move || std::fs::write(fifo, text)
        });
        let read = desk.types_with("import --gpu titan-v", &[&fifo]);
        writer.join().unwrap().unwrap();
        let rows = read.stdout.replace(&fifo.display().to_string(), "trace.csv");
        assert!(read.code == 0 && rows.contains(says), "{name}: {rows}{}", read.stderr);
    }
}

#[test]
fn what_powershell_writes_is_read() {
    let desk = Desk::new();
    let wide = |text: &str| -> Vec<u8> {
        format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect()
    };
    desk.file("trace.csv", wide(NSYS));
    let read = desk.types("import trace.csv --gpu titan-v");
    assert!(read.code == 0 && read.stdout.contains("titan-v,saxpy,grid=4096;block=256,"), "{}", read.stderr);
    desk.file("runs.csv", wide("gpu,kernel,problem,time_ms\ntitan-v,saxpy,n=1024,1\nl4,saxpy,n=1024,2\n"));
    assert_eq!(desk.types("evaluate --data runs.csv").code, 0);
    assert_eq!(desk.types("audit runs.csv").code, 0);
    desk.file("broken.csv", [&b"\xff\xfe"[..], b"gpu,kernel"].concat());
    let broken = desk.types("import broken.csv");
    assert!(broken.code == 1 && !broken.stderr.contains("panicked"), "{}", broken.stderr);
}

#[test]
fn a_table_that_nobody_knows_is_not_called_a_compilers_report() {
    let desk = Desk::new();
    desk.file("mine.csv", "name,device,ms\nsaxpy,l4,1\n");
    let refused = desk.types("import mine.csv");
    assert_eq!(refused.code, 1);
    for words in ["a table of no known kind", "`name,device,ms`", "gpu, kernel, problem, time_ms", "NVBench"]
    {
        assert!(refused.stderr.contains(words), "{words}: {}", refused.stderr);
    }
    assert!(!refused.stderr.contains("not a compiler report"), "{}", refused.stderr);
}

#[test]
fn rows_without_a_gpu_are_told_once_and_unknown_ones_are_listed() {
    let desk = Desk::new();
    let rows: String = (1..=30).map(|n| format!(",saxpy,n={n},1\n")).collect();
    desk.file("blank.csv", format!("gpu,kernel,problem,time_ms\ntitan-v,saxpy,n=99,1\n{rows}"));
    let said = desk.types("evaluate --data blank.csv").stderr;
    assert!(said.contains("30 rows (lines 3-32): gpu: is blank"), "{said}");
    assert_eq!(said.matches("is blank").count(), 1, "{said}");
    desk.file("strange.csv", "gpu,kernel,problem,time_ms\nrtx-4071,saxpy,n=9,1\nrtx-4071,saxpy,n=10,1\n");
    let audited = desk.types("audit strange.csv --format json").works().stdout;
    for words in ["unknown-gpu", "rtx-4071", "nearest: rtx-4070", "\"row_count\": 2"] {
        assert!(audited.contains(words), "{words}: {audited}");
    }
}

#[test]
fn two_names_that_the_user_gives_one_kernel_are_audited_as_one() {
    let desk = Desk::new();
    desk.file("config/aliases.toml", "\"void my::saxpy<float>(int)\" = \"saxpy\"\n");
    desk.file(
        "runs.csv",
        "gpu,kernel,problem,time_ms\ntitan-v,saxpy,n=1024,1\ntitan-v,void my::saxpy<float>(int),n=1024,1\n",
    );
    let audited = desk.types("audit runs.csv").works().stdout;
    assert!(audited.contains("duplicates"), "{audited}");
}

#[cfg(unix)]
#[test]
fn a_written_file_is_as_private_as_the_umask_or_the_file_it_replaces() {
    use std::os::unix::fs::PermissionsExt;
    let desk = Desk::new();
    desk.file("trace.csv", NSYS);
    let mode = |name: &str| std::fs::metadata(desk.path(name)).unwrap().permissions().mode() & 0o777;
    let import = |umask: &str, target: &str| {
        let program = env!("CARGO_BIN_EXE_roofswap");
        let line = format!("umask {umask}; exec {program} import trace.csv --gpu titan-v -o {target}");
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", &line]).current_dir(desk.path("."));
        shell.env("ROOFSWAP_CONFIG", desk.path("config"));
        assert!(shell.status().unwrap().success());
    };
    import("077", "private.csv");
    import("002", "shared.csv");
    assert_eq!((mode("private.csv"), mode("shared.csv")), (0o600, 0o664));
    import("000", "private.csv");
    assert_eq!(mode("private.csv"), 0o600, "what is replaced keeps its mode");
}

#[test]
fn a_dash_is_standard_output() {
    let desk = Desk::new();
    desk.file("trace.csv", NSYS);
    let plain = desk.types("import trace.csv --gpu titan-v");
    let dash = desk.types("import trace.csv --gpu titan-v -o -");
    assert_eq!((dash.code, dash.stdout), (0, plain.stdout.clone()));
    assert!(!desk.path("-").exists());
    desk.file("rows.csv", plain.stdout);
    let audit = desk.types("audit rows.csv --fix -o -");
    assert!(audit.code == 2 && audit.stderr.contains("standard output"), "{}", audit.stderr);
}

/// A report that names no GPU is a missing argument.
#[test]
fn a_report_without_a_gpu_asks_for_it_with_the_status_of_usage() {
    let desk = Desk::new();
    let head = "Problem,Provider,OperationKind,Operation,Disposition,Status,gemm_kind,m,n,k,A,B,C,D,alpha,beta,Bytes,Flops,Runtime,GB/s,GFLOPs";
    let row = "1,CUTLASS,gemm,cutlass_simt_sgemm_128x128_8x2_nn_align1,not_verified,success,universal,512,512,512,f32:column,f32:column,f32:column,f32:column,1,0,3145728,268435456,0.05,62,5368";
    desk.file("gemm.csv", format!("{head}\n{row}\n"));
    desk.types("predict --data gemm.csv --to rtx-4070").ends(2, &["gemm.csv: names no GPU", "--from GPU"]);
    desk.types("import gemm.csv -o rows.csv")
        .ends(2, &["gemm.csv: names no GPU; say which it was: --gpu GPU"]);
    assert!(!desk.path("rows.csv").exists(), "no command could use it");
    desk.types("import gemm.csv --gpu rtx-4070 -o rows.csv").works();
    // Nsight Compute states the compute capability.
    let launch = "==PROF==\n\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n\
                  \"0\",\"1\",\"app\",\"127.0.0.1\",\"k(float*)\",\"1\",\"7\",\"(256, 1, 1)\",\"(1024, 1, 1)\",\"0\",\"7.5\",\"GPU Speed Of Light Throughput\",\"Duration\",\"ms\",\"21.0\"\n";
    desk.file("ncu.csv", launch);
    let asked = "ncu.csv: names no GPU, only compute capability 7.5: quadro-rtx-4000, ";
    let ids = ["rtx-2080-ti, t4", "--from GPU, or `roofswap import ncu.csv --gpu GPU -o rows.csv`"];
    desk.types("predict --data ncu.csv --to l4").ends(2, &[&[asked][..], &ids].concat());
    desk.types("import ncu.csv").ends(2, &[asked, "say which it was: --gpu GPU"]);
}

#[test]
fn what_a_compiler_says_is_data_of_every_command() {
    let desk = Desk::new();
    let seed =
        |name: &str| std::fs::read(Path::new(env!("ROOFSWAP_CHECKOUT")).join("tests/fuzz/seeds").join(name));
    for (name, read) in
        [("ptxas.log", "1 build of 1 kernel read"), ("own.sm_80.cubin", "1 build of 1 kernel read")]
    {
        let file = desk.file(name, seed(name).unwrap());
        for words in [
            "predict --from titan-v --to l4 --kernel saxpy --data",
            "rank --from titan-v --to l4 --kernel saxpy --data",
            "whatif --gpu l4 --from titan-v --kernel saxpy --data",
            "kernels --data",
        ] {
            let done = desk.types_with(words, &[&file]).works();
            assert!(done.stderr.contains(read), "{words} {name}: {}", done.stderr);
        }
    }
    let table = desk.file("other.csv", "a,b,c\n1,2,3\n");
    let words = "rank --from titan-v --to l4 --kernel saxpy --data";
    desk.types_with(words, &[&table])
        .ends(1, &["is a table of no known kind", "gpu, kernel, problem, time_ms"]);
}
