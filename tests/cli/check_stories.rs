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
    desk.types("check build.log --on sm_80 --baseline base.json")
        .ends(1, &["no kernel of these files is compiled for it"]);
    desk.file("base.json", "{}");
    desk.types("check build.log --baseline base.json").ends(1, &["base.json: is no baseline"]);
    desk.types("check build.log --baseline build.log --update").ends(2, &["is an input"]);
}
