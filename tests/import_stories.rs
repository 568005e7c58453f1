//! `roofswap import` as a person meets it: what is read, what is written, what is left alone.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

mod desk;

use desk::Desk;

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
    assert!(wrote.stderr.contains("taken for kernels of the catalogue"), "{}", wrote.stderr);
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
    assert!(!wrote.stderr.contains("taken for kernels of the catalogue"), "{}", wrote.stderr);
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
    assert_eq!(mixed.code, 0);
    assert_eq!(mixed.stdout.lines().count(), 2, "{}", mixed.stdout);
    for words in [
        "bad.log:1: `make: nothing to be done` is no compiler's report",
        "times.csv: is a measurement file; it needs no import",
        "usage.txt: 1 kernels of an unknown architecture",
        "--arch sm_89",
        ".: is a folder",
    ] {
        assert!(mixed.stderr.contains(words), "{words}: {}", mixed.stderr);
    }
    let told = desk.types("import usage.txt --arch sm_70 --format csv");
    assert!(told.stdout.contains("k,sm_70,40,4096,"), "{}", told.stdout);
    let nothing = desk.types("import bad.log");
    assert_eq!((nothing.code, nothing.stdout.as_str()), (1, ""));
    assert_eq!(desk.types("import good.log --arch sm_nine").code, 2);
}
