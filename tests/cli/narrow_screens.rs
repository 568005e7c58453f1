//! What commands print on narrow terminals.

#![cfg(unix)]

use crate::app_stories::trace;
use crate::desk;

use desk::Desk;
use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use std::io::Read;
use unicode_width::UnicodeWidthStr;

/// What stands on a terminal of so many columns; remarks go to a file.
fn screen(desk: &Desk, columns: u16, words: &str) -> String {
    let size = PtySize { rows: 200, cols: columns, pixel_width: 0, pixel_height: 0 };
    let pair = native_pty_system().openpty(size).expect("a pseudo-terminal");
    let mut command = CommandBuilder::new("sh");
    command.args(["-c", "exec \"$0\" \"$@\" 2>remarks", env!("CARGO_BIN_EXE_roofswap")]);
    command.args(words.split_whitespace());
    command.cwd(desk.path(""));
    command.env_remove("COLUMNS");
    command.env("NO_COLOR", "1");
    command.env("ROOFSWAP_CONFIG", desk.path("config"));
    command.env("ROOFSWAP_CACHE", desk.path("cache"));
    let mut child = pair.slave.spawn_command(command).expect("the program starts");
    drop(pair.slave);
    let mut reader = pair.master.try_clone_reader().expect("a reader of the terminal");
    let (mut shown, mut part) = (Vec::new(), [0; 8192]);
    // Linux ends a terminal that nobody writes to with an error.
    while let Ok(n @ 1..) = reader.read(&mut part) {
        shown.extend_from_slice(&part[..n]);
    }
    assert!(child.wait().expect("it ends").success(), "{words}: {}", desk.read("remarks"));
    String::from_utf8(shown).expect("UTF-8 on the terminal").replace('\r', "")
}

/// The headings of the first table on it.
fn headings(screen: &str) -> &str {
    screen.split("\n\n").nth(1).and_then(|table| table.lines().next()).unwrap_or_default()
}

#[test]
fn a_narrow_board_keeps_the_column_that_it_is_ordered_by() {
    let desk = Desk::new();
    desk.file("prices.csv", "gpu,usd_per_hour,provider,region,date\nl40s,1,a,us,2026-11-01\n");
    let asked = "rank --kernel saxpy --from titan-v --to l40s,h100-sxm5,rtx-4090@200W";
    for (order, column) in [
        ("--by energy", "energy"),
        ("--by energy --prices prices.csv", "energy"),
        ("--by price", "launch price"),
        ("--by price --prices prices.csv", "$/1M runs"),
        ("--by time --prices prices.csv", "time"),
    ] {
        let shown = screen(&desk, 80, &format!("{asked} {order}"));
        assert!(headings(&shown).contains(column), "{order}: {shown}");
        assert!(shown.contains("left out to fit 80 characters"), "{order}: {shown}");
    }
}

/// An id is typed as it stands there: problem sizes give way, then the intensity.
#[test]
fn no_id_of_a_kernel_is_cut() {
    let desk = Desk::new();
    let all = desk.types("kernels --format json").works().json();
    for columns in [80, 74] {
        let shown = screen(&desk, columns, "kernels");
        for kernel in &all {
            let id = kernel["id"].as_str().expect("an id");
            assert!(shown.lines().any(|line| line.split(' ').next() == Some(id)), "{id}: {shown}");
        }
        assert_eq!(
            shown.lines().next().is_some_and(|head| head.ends_with("FLOP/B")),
            columns == 80,
            "{shown}"
        );
    }
}

/// A listing of machine code with an instruction of each common class.
fn listing() -> String {
    let code = [
        "MOV R1, R2",
        "LDG.E R2, [R4]",
        "FFMA R5, R2, R3, R5",
        "FADD R5, R2, R3",
        "IADD3 R5, R2, R3, R5",
        "LDS R2, [R4]",
        "STS [R4], R2",
        "BAR.SYNC 0x0",
        "RED.E.ADD [R4], R2",
        "STG.E [R6], R5",
        "BRA 0x0",
        "EXIT",
    ];
    let lines =
        code.iter().enumerate().map(|(at, line)| format!("        /*{:04x}*/    {line} ;\n", 16 * at));
    format!("\tcode for sm_89\n\t\tFunction : shared_bank_conflict\n{}", lines.collect::<String>())
}

/// What is printed is no wider than the terminal, but for commands that are copied.
#[test]
fn no_line_is_wider_than_the_terminal() {
    let desk = Desk::new();
    desk.file("run.json", trace());
    desk.file("code.sass", listing());
    desk.file("build.log", include_bytes!("../fuzz/seeds/ptxas.log"));
    for words in [
        "sass code.sass",
        "sass code.sass --blocks",
        "sass code.sass code.sass",
        "import build.log",
        "occupancy --gpu titan-v,rtx-4070 --kernel matmul_tiled",
        "metrics saxpy --gpu rtx-2080-ti",
        "app run.json",
        "app run.json --to h200,l4 --kernels",
        "app run.json --to all",
        "evaluate",
        "evaluate --kernel saxpy",
        "models",
        "models --kernel saxpy --from titan-v --to rtx-4070",
        "gpus",
        "gpus b200",
        "gpus gb10",
        "kernels clblast_xgemm",
        "kernels linear_bf16",
        "kernels naive_transpose",
        "kernels random_gather",
        "predict --kernel all --from titan-v --to rtx-4070,h200,b300",
        "predict --kernel saxpy --from titan-v --to all",
        "rank --kernel saxpy --from titan-v --to all",
        "whatif --kernel saxpy --gpu h200,l4 --tornado",
        "gemm --n 4096 --gpu h100-sxm5",
    ] {
        is_no_wider(&desk, 80, words);
    }
    // Of columns that have no room the least needed are left out.
    for words in [
        "sass code.sass",
        "sass code.sass --blocks",
        "sass code.sass code.sass",
        "evaluate --kernel saxpy",
        "models",
        "models --kernel saxpy --from titan-v --to rtx-4070",
        "gpus",
        "gpus gb10",
        "kernels",
        "kernels saxpy",
        "kernels linear_bf16",
        "whatif --kernel saxpy --gpu rtx-4070 --tornado",
        "gemm --n 4096 --gpu h100-sxm5",
        "gemm --n 256 --gpu rtx-4070",
    ] {
        is_no_wider(&desk, 60, words);
    }
}

fn is_no_wider(desk: &Desk, columns: u16, words: &str) {
    let shown = screen(desk, columns, words);
    let is_wide = |line: &&str| line.width() > usize::from(columns) && !line.starts_with("ncu ");
    let wide: Vec<&str> = shown.lines().filter(is_wide).collect();
    assert!(wide.is_empty(), "{words}: {wide:#?}");
    assert!(shown.lines().count() > 2, "{words}: {shown}");
}
