//! What a changed GPU draws, what a limit alone is compared with, and what is said where a launch is barred or a measured time is not used.

use crate::desk;

use desk::Desk;
use serde_json::Value;

fn object(desk: &Desk, words: &str) -> Value {
    let text = desk.types(&format!("{words} --format json")).works().stdout;
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{words}: {e}: {text}"))
}

/// Both are none, or the same number.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one.as_f64(), other.as_f64()) {
        (Some(one), Some(other)) => (one / other - 1.0).abs() < 1e-9,
        (one, other) => one == other,
    }
}

/// Time, power and energy of the base and of the change are those of `rank` at these settings, so are the notes of the change.
#[test]
fn a_what_if_draws_what_the_board_says() {
    let desk = Desk::new();
    desk.file("mix.toml", "[[kernel]]\nkernel = \"saxpy\"\nsize = \"n=2^24\"\ncalls = 3\n[[kernel]]\nkernel = \"matmul_tiled\"\nsize = \"n=1024\"\ncalls = 2\n");
    for asked in [
        "--kernel saxpy --size n=2^24",
        "--kernel matmul_tiled --size n=512 --from titan-v",
        "--kernel matmul_tiled --size n=512 --from titan-v --launch block=256",
        "--kernel linear_bf16 --size n=4096",
        "--kernel attention_decode",
        "--mix mix.toml --from titan-v",
    ] {
        for set in ["power=250W", "mem=+20%,sms=-25%"] {
            let ranked = object(&desk, &format!("rank {asked} --to h100-sxm5 --set {set}"));
            let ranked = ranked.as_array().unwrap();
            let of =
                |is_base: bool| ranked.iter().find(|row| (row["gpu"] == "h100-sxm5") == is_base).unwrap();
            let told = object(&desk, &format!("whatif {asked} --gpu h100-sxm5 --set {set}"));
            for (row, time, watts, joules) in [
                (of(false), "time_ms", "board_power_w", "energy_j"),
                (of(true), "base_time_ms", "base_board_power_w", "base_energy_j"),
            ] {
                let pairs = [("time_ms", time), ("board_power_w", watts), ("energy_j", joules)];
                for (ranked, told_as) in pairs {
                    assert!(is_same(&row[ranked], &told[told_as]), "{asked} {set} {told_as}: {row} {told}");
                }
            }
            if !asked.contains("mix") {
                assert_eq!(told["cautions"], of(false)["cautions"], "{asked} {set}");
            }
        }
    }
}

#[test]
fn power_and_energy_stand_in_every_form() {
    let desk = Desk::new();
    let words = "whatif --kernel saxpy --size n=2^24 --gpu h100-sxm5 --set power=250W";
    let text = desk.types(words).works().stdout;
    assert!(
        text.contains("board power ~250 W, ~19.2 mJ per run; H100 SXM5 80 GB: ~338 W, ~25.9 mJ"),
        "{text}"
    );
    let csv = desk.types(&format!("{words} --format csv")).works().stdout;
    let head = "board_power_w,energy_j,base_board_power_w,base_energy_j,base_time_kind";
    assert!(csv.lines().next().unwrap().ends_with(head), "{csv}");
    let told = object(&desk, words);
    let ends = ["energy_j", "base_board_power_w", "base_energy_j"].map(|key| told[key].to_string()).join(",");
    let ends = format!("{ends},scaled");
    assert!(csv.lines().nth(1).unwrap().ends_with(&ends), "{csv}: {ends}");
    desk.types(&format!("{words} --page page.md")).works();
    assert!(desk.read("page.md").contains("| energy | ~25.9 mJ | ~19.2 mJ |"), "{}", desk.read("page.md"));
    // Of a time alone nobody can say what is drawn.
    let alone = desk.types("whatif --time 2ms --from h100-sxm5 --gpu h100-sxm5 --set sm=-10%").works().stdout;
    assert!(!alone.contains("board power"), "{alone}");
}

/// A limit or a clock alone is the change: it is compared with the board as it is. Beside `--set` it is that of the board that is changed.
#[test]
fn a_limit_alone_is_compared_with_the_board_as_it_is() {
    let desk = Desk::new();
    let asked = "whatif --kernel matmul_tiled --size n=512 --gpu h100-sxm5";
    for (typed, set) in [
        ("--power-limit 250W", "power=250W"),
        ("--power-limit h100-sxm5=250W", "power=250W"),
        ("--sm-clock 1200MHz --from titan-v", "sm=1200MHz"),
        ("--mem-clock 2000MHz --power-limit 300W", "data-rate=4Gbit/s,power=300W"),
    ] {
        let from = if typed.contains("--from") { "--from titan-v" } else { "" };
        let by_change = object(&desk, &format!("{asked} --set {set} {from}"));
        assert_eq!(object(&desk, &format!("{asked} {typed}")), by_change, "{typed}");
    }
    let base = object(&desk, asked);
    let at_limit = object(&desk, &format!("{asked} --power-limit 250W --set mem=+20%"));
    let limited = object(&desk, &format!("{asked} --power-limit 250W"));
    assert!(is_same(&limited["base_time_ms"], &base["time_ms"]) && limited["time_ms"] != base["time_ms"]);
    assert!(is_same(&at_limit["base_time_ms"], &limited["time_ms"]), "{at_limit}");
    let several = "whatif --kernel saxpy,matmul_tiled --gpu h100-sxm5,l40s --power-limit 250W";
    let text = desk.types(several).works().stdout;
    assert!(
        text.contains("◇ H100 SXM5 80 GB with power=250W\n") && text.contains("◇ L40S with power=250W\n"),
        "{text}"
    );
    // How many SMs make up for the limit.
    let solved = object(&desk, &format!("{asked} --power-limit 250W --solve sms"));
    assert!(is_same(&solved["solve"]["goal_ms"], &base["time_ms"]), "{solved}");
}

#[test]
fn what_bars_a_launch_is_named() {
    let desk = Desk::new();
    let regs = "32 registers x 1024 threads need 32768, a block may have 6554";
    let asked = "--kernel matmul_tiled --size n=512";
    let changed = format!("whatif {asked} --gpu h100-sxm5 --set regs=-90%");
    let told = desk.types(&changed).ends(1, &["cannot run on ◇ H100 SXM5 80 GB with regs=-90%", regs]);
    assert!(told.stdout.contains(regs), "{}", told.stdout);
    let many = "whatif --kernel saxpy,matmul_tiled --gpu h100-sxm5 --set regs=-90%";
    assert!(desk.types(many).works().stdout.contains(regs));
    let shared = format!("whatif {asked} --gpu h100-sxm5 --set smem=5KiB");
    desk.types(&shared).ends(1, &["8192 bytes of shared memory"]);
}

#[test]
fn an_interval_that_says_nothing_is_said_to_by_a_what_if_too() {
    let desk = Desk::new();
    let typed = "--time 3ms --from rtx-3090 --flops 1e9 --dtype bf16";
    for changes in ["", " --set mem=+20%"] {
        let told = object(&desk, &format!("whatif {typed} --gpu b200{changes}"));
        let first = told["cautions"][0].as_str().unwrap();
        assert!(first.starts_with("interval wider than 10×"), "{changes}: {told}");
    }
}

/// Of a board and of the same board changed one note is enough.
#[test]
fn a_short_launch_is_said_once_of_one_board() {
    let desk = Desk::new();
    let asked = "--kernel saxpy --size n=1048576";
    for words in ["predict --to h100-sxm5", "rank --to h100-sxm5"] {
        let text = desk.types(&format!("{words} {asked} --set power=250W")).works().stdout;
        assert_eq!(text.matches("h100-sxm5: under 10 µs").count(), 1, "{text}");
        assert!(!text.contains("power=250W: under"), "{text}");
    }
    let two = desk.types(&format!("predict --from rtx-3090 --to h100-sxm5 {asked}")).works().stdout;
    assert!(two.contains("h100-sxm5: under 10 µs"), "{two}");
}

/// A board that was measured, changed and predicted from another one: that its own time is there is said, with what uses it.
#[test]
fn a_measured_time_that_is_not_used_is_said() {
    let desk = Desk::new();
    desk.file(
        "mine.csv",
        "gpu,kernel,problem,dram_bytes,time_ms\nh100-sxm5,mine,n=4,1e8,0.2\nl40s,mine,n=4,1e8,0.25\n",
    );
    let note =
        "l40s: measured there, 250 µs, but predicted from another GPU as asked; name l40s as the source";
    let asked = "--data mine.csv --kernel mine --size n=4";
    let says = |words: &str| desk.types(&format!("{words} {asked}")).works().stdout.contains(note);
    for words in [
        "whatif --from h100-sxm5 --gpu l40s",
        "whatif --from h100-sxm5 --gpu l40s --set mem=+20%",
        "rank --from h100-sxm5 --to l40s --set mem=+20%",
        "predict --from h100-sxm5 --to l40s --set mem=+20%",
        "predict --from h100-sxm5 --to l40s --power-limit 150W",
    ] {
        assert!(says(words), "{words}");
    }
    // Where it is the answer, starts it, or stands beside it in a column, it needs no note.
    for words in [
        "whatif --gpu l40s --set mem=+20%",
        "predict --from h100-sxm5 --to l40s",
        "rank --from h100-sxm5 --to l40s",
        "whatif --from h100-sxm5 --gpu l4 --set mem=+20%",
    ] {
        assert!(!says(words), "{words}");
    }
}
