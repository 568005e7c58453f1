//! `roofswap check`: a gate for builds.

use crate::desk::Desk;

/// What `ptxas -v` says of two kernels.
fn log(registers: u32, spills: u32) -> String {
    let kernel = |name: &str, registers: u32, spills: u32| {
        format!(
            "ptxas info    : Compiling entry function '{name}' for 'sm_90'\n\
             ptxas info    : Function properties for {name}\n\
             \x20   0 bytes stack frame, {spills} bytes spill stores, {spills} bytes spill loads\n\
             ptxas info    : Used {registers} registers, used 1 barriers, 2048 bytes smem\n"
        )
    };
    kernel("axpy", registers, spills) + &kernel("dot", 32, 0)
}

#[test]
fn a_build_is_compared_with_its_baseline() {
    let desk = Desk::new();
    desk.file("build.log", log(33, 0));
    desk.types("check build.log --baseline base.json").ends(2, &["does not exist; write it with --update"]);
    desk.types("check build.log --baseline base.json --update").works();
    let same = desk.types("check build.log --on sm_90 --baseline base.json").works().stdout;
    assert!(same.contains("no regression") && same.contains("2 unchanged"), "{same}");
    desk.file("more.log", log(72, 8));
    let more =
        desk.types("check more.log --baseline base.json").ends(1, &["1 of 2 kernels and targets failed"]);
    for part in
        ["| axpy ", "33 → 72", "39 registers more", "16 bytes more spills", "occupancy", "1 unchanged"]
    {
        assert!(more.stdout.contains(part), "{part}: {}", more.stdout);
    }
    assert!(!more.stdout.contains("| dot "), "{}", more.stdout);
    desk.file("few.log", log(40, 0));
    desk.types("check few.log --baseline base.json --max-regs-increase 8").works();
    desk.types("check few.log --baseline base.json --max-regs-increase 8 --min-occupancy 101")
        .ends(2, &["percentage"]);
    desk.types("check build.log --baseline base.json --min-occupancy 99 --threads 1024").ends(1, &["failed"]);
    let why = "no kernel of these files is compiled for it; they hold sm_";
    desk.types("check build.log --on sm_80 --baseline base.json").ends(1, &[why]);
    let of_gpu = desk.types("check build.log --on b200 --baseline base.json");
    of_gpu.ends(1, &["--on sm_100: ", why, "compile with -gencode arch=compute_100,code=sm_100"]);
    desk.types("check build.log --on h100 --baseline base.json").works();
    desk.types("check build.log --on l4 --baseline base.json").ends(1, &["--on sm_89: "]);
    desk.types("check build.log --on titan --baseline base.json")
        .ends(2, &["GPUs of this name are of sm_61, sm_70, sm_75; type one of them"]);
    desk.types("check build.log --on rtx-99 --baseline base.json").ends(2, &["or the id of a GPU"]);
    desk.file("base.json", "{}");
    desk.types("check build.log --baseline base.json").ends(1, &["base.json: is no baseline"]);
    desk.types("check build.log --baseline build.log --update").ends(2, &["is an input"]);
}

#[test]
fn limits_on_the_build_itself_need_no_baseline_and_none_is_advised() {
    let desk = Desk::new();
    desk.file("build.log", log(33, 8));
    desk.types("check build.log").ends(2, &["--baseline FILE", "--no-spills"]);
    desk.types("check build.log --update").ends(2, &["--baseline"]);
    desk.types("check build.log --min-occupancy 50").works();
    let alone = desk.types("check build.log --no-spills").ends(1, &["kernels and targets failed"]);
    assert!(!alone.stderr.contains("--update"), "{}", alone.stderr);
    let passing = desk.types("check build.log --min-occupancy 50").works();
    assert!(passing.stdout.contains("2 kernels and targets, all pass"), "{}", passing.stdout);
    assert!(alone.stdout.contains("FAIL: spills") && alone.stdout.contains("- 1 pass"), "{}", alone.stdout);
    desk.types("check build.log --baseline base.json --update").works();
    let with =
        desk.types("check build.log --baseline base.json --no-spills").ends(1, &["--update does not help"]);
    assert!(!with.stderr.contains("write the baseline"), "{}", with.stderr);
}

#[test]
fn programs_get_numbers_of_every_kernel() {
    let desk = Desk::new();
    desk.file("build.log", log(33, 0));
    desk.file("more.log", log(72, 8));
    desk.types("check build.log --baseline base.json --update").works();
    let rows = desk.types("check more.log --baseline base.json --format json").json();
    let words: Vec<&str> = rows.iter().filter_map(|row| row["result"].as_str()).collect();
    assert_eq!(words, ["fail", "same"]);
    let number = |field| crate::desk::number(&rows[0], field);
    assert_eq!([number("regs_before"), number("regs"), number("smem_bytes")], [33.0, 72.0, 2048.0]);
    assert_eq!([number("spill_before_bytes"), number("spill_bytes")], [0.0, 16.0]);
    assert_eq!([number("occupancy_before"), number("occupancy"), number("threads")], [0.75, 0.375, 256.0]);
    assert_eq!(rows[0]["failures"].as_array().map(Vec::len), Some(3));
}

#[test]
fn an_architecture_is_set_where_a_report_names_none_and_another_one_is_paired_by_name() {
    let desk = Desk::new();
    desk.file("use.sm_70.txt", "Resource usage:\n Function k:\n  REG:40 STACK:0 SHARED:4096 LOCAL:0\n");
    desk.types("check use.sm_70.txt --baseline base.json --update")
        .ends(0, &["--arch of", "`roofswap check`"]);
    let other = desk.types("check use.sm_70.txt --arch sm_90 --baseline base.json").works();
    assert!(!other.stderr.contains("taken from the file's name"), "{}", other.stderr);
    assert!(other.stdout.contains("the baseline is of sm_70, the build of sm_90"), "{}", other.stdout);
}

#[test]
fn a_build_whose_spills_are_no_longer_stated_fails() {
    let desk = Desk::new();
    desk.file("build.log", log(33, 0));
    desk.types("check build.log --baseline base.json --update").works();
    let usage = "Resource usage:\n Function axpy:\n  REG:33 STACK:0 SHARED:3072 LOCAL:0\n Function dot:\n  REG:32 STACK:0 SHARED:3072 LOCAL:0\n";
    desk.file("use.sm_90.txt", usage);
    let said = desk
        .types("check use.sm_90.txt --baseline base.json")
        .ends(1, &["2 of 2 kernels and targets failed", "write the baseline with --update"]);
    let why = "FAIL: spills no longer stated: give the ptxas -v log as well";
    assert!(said.stdout.contains(why) && said.stdout.contains("0 B → ?"), "{}", said.stdout);
    desk.types("check use.sm_90.txt build.log --baseline base.json").works();
}
