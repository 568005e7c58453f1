//! The real program in a real pseudo-terminal: it draws, answers keys, survives a resize, and gives the terminal back.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    reason = "clippy.toml allows it in test functions; their builders stand outside"
)]

use crate::walk::{PROGRAM, Walk, fresh, start, start_command};
use portable_pty::CommandBuilder;

#[test]
fn a_first_walk_swaps_resizes_exports_and_remembers() {
    let mut walk = start(80, 24, fresh(), &[]);
    walk.wait("GPUs").wait("Roofline").wait("Occupancy").wait("Predictions").wait("TITAN V ▶ RTX 4070");
    walk.press("x").wait("RTX 4070 ▶ TITAN V");
    walk.press("m").wait("hybrid").press("m").wait("efficiency-transfer");
    walk.press("+").wait("n=1024");
    walk.press("\t\t")
        .press("z")
        .wait_until("the zoomed roofline", |s| s.contains("Roofline") && !s.contains("Predictions"));
    walk.press("z").wait("Predictions");
    walk.resize(200, 60).wait("occupancy: exact");
    walk.press("e").wait("export to: ").press("\r").wait("wrote roofline-matmul_tiled-rtx-4070-titan-v.svg");
    walk.press("q");
    let (code, home) = walk.gone();
    assert_eq!(code, 0);
    let svg =
        std::fs::read_to_string(home.path().join("roofline-matmul_tiled-rtx-4070-titan-v.svg")).unwrap();
    assert!(svg.contains("RTX 4070") && svg.trim_end().ends_with("</svg>"));

    let mut again = start(80, 24, home, &[]);
    again.wait("RTX 4070 ▶ TITAN V").wait("n=1024").wait("efficiency-transfer");
    again.press("q");
    let (_, home) = again.gone();

    let mut forgetful = start(80, 24, home, &["--fresh"]);
    forgetful.wait("TITAN V ▶ RTX 4070").press("\u{3}");
    assert_eq!(forgetful.gone().0, 0, "Ctrl-C leaves in order, too");
}

/// What the program asks a terminal for its background with.
const BACKGROUND_QUESTION: &[u8] = b"\x1b]11;?\x1b\\";

#[test]
fn a_light_background_is_asked_for_and_followed() {
    let mut walk = start_unthemed();
    walk.wait_for_bytes(BACKGROUND_QUESTION);
    // xterm's two answers: the colour, then its device attributes.
    walk.press("\x1b]11;rgb:ffff/ffff/dddd\x1b\\\x1b[?62;22c");
    walk.wait_for_screen("the light theme", |screen| source_colour(screen) == Some(LIGHT_SOURCE));
    walk.press("q");
    assert_eq!(walk.gone().0, 0, "no letter of the answer was taken for a key");
}

#[test]
fn a_terminal_that_says_nothing_of_its_background_is_not_waited_for() {
    let mut walk = start_unthemed();
    walk.wait_for_bytes(BACKGROUND_QUESTION);
    // It answers the second question alone: no answer to the first will come.
    walk.press("\x1b[?1;2c").wait("Predictions");
    let shown = source_colour(walk.screen.screen());
    assert!(shown.is_some() && shown != Some(LIGHT_SOURCE), "the dark theme: {shown:?}");
    walk.press("q");
    assert_eq!(walk.gone().0, 0);
    // And one that answers nothing at all, or late: the first frame comes at once, and a late answer is followed and no key.
    let mut walk = start_unthemed();
    walk.wait_for_bytes(BACKGROUND_QUESTION).wait("Predictions");
    walk.press("\x1b]11;rgb:ffff/ffff/ffff\x1b\\");
    walk.wait_for_screen("the light theme", |screen| source_colour(screen) == Some(LIGHT_SOURCE));
    walk.press("x").wait("RTX 4070 ▶ TITAN V").press("q");
    assert_eq!(walk.gone().0, 0);
}

/// Blue, as the light theme has the source where sixteen colours are known.
const LIGHT_SOURCE: vt100::Color = vt100::Color::Idx(4);

/// A terminal of sixteen colours of whose background the environment says nothing.
fn start_unthemed() -> Walk {
    let mut command = CommandBuilder::new(PROGRAM);
    command.env("TERM", "xterm");
    for name in ["COLORTERM", "COLORFGBG", "NO_COLOR"] {
        command.env_remove(name);
    }
    start_command(80, 24, fresh(), command)
}

/// The colour of the source's name in the header; none before it is drawn.
fn source_colour(screen: &vt100::Screen) -> Option<vt100::Color> {
    let header = screen.rows(0, 80).next()?;
    let before = header.split_once("TITAN V ▶")?.0.chars().count();
    Some(screen.cell(0, u16::try_from(before).ok()?)?.fgcolor())
}

#[test]
fn a_storm_of_resizes_and_keys_leaves_a_living_dashboard() {
    let mut walk = start(80, 24, fresh(), &["--ascii"]);
    walk.wait("Predictions");
    for (columns, rows) in [(1, 1), (200, 60), (40, 10), (39, 9), (3, 50), (120, 40)] {
        walk.resize(columns, rows).press("x").press("+").press("\t");
    }
    walk.wait("Roofline").press("q");
    assert_eq!(walk.gone().0, 0);
}

#[test]
fn measurement_files_load_behind_the_first_screen_and_bad_rows_are_listed() {
    let home = fresh();
    let rows = "gpu,kernel,problem,time_ms\ntitan-v,saxpy,n=4194304,0.0981\nmars,saxpy,n=1,1\n";
    std::fs::write(home.path().join("runs.csv"), rows).unwrap();
    let mut walk = start(120, 40, home, &["--data", "runs.csv", "--kernel", "saxpy"]);
    walk.wait("1 measured row loaded, 1 row refused").wait("n=4194304").wait("98.1");
    walk.press("!").wait("runs.csv:3: gpu: unknown GPU `mars`").press("q").press("q");
    assert_eq!(walk.gone().0, 0);
}

#[test]
fn a_compilers_log_is_picked_and_its_kernel_gets_a_block() {
    let home = fresh();
    std::fs::create_dir(home.path().join("build")).unwrap();
    let log = "ptxas info    : Compiling entry function '_ZN3sim4stepEPf' for 'sm_89'\n\
               ptxas info    : Used 48 registers, used 1 barriers, 4096 bytes smem\n";
    std::fs::write(home.path().join("build/ptxas.log"), log).unwrap();
    std::fs::write(home.path().join("build/notes.txt"), "hello\n").unwrap();
    let mut walk = start(120, 40, home, &[]);
    walk.wait("TITAN V ▶ RTX 4070").press("i").wait("┃ build/").press("bui").wait("filter: bui_");
    walk.press("\r").wait("notes.txt").press("notes\r").wait("not a compiler report");
    walk.press("i").wait("┃ build/").press("bui\r").wait("ptxas.log").press("ptx").wait("filter: ptx_");
    walk.press("\r").wait("1 build of 1 kernel read").wait("sim_step").wait("~256");
    walk.press("b")
        .wait("threads per block: 256")
        .press("512\r")
        .wait_until("512 threads", |s| s.contains("512") && !s.contains("~256"));
    walk.press("q");
    assert_eq!(walk.gone().0, 0);
}

#[test]
fn what_is_typed_wrong_is_said_before_the_terminal_is_touched() {
    let walk = start(120, 24, fresh(), &["--from", "rtx-4071"]);
    let mut walk = walk;
    walk.wait("unknown GPU `rtx-4071`; nearest: rtx-4070");
    assert_eq!(walk.gone().0, 2);
}

#[test]
fn a_kill_gives_the_terminal_back_and_remembers_the_selection() {
    for signal in ["TERM", "HUP", "INT", "QUIT"] {
        let mut walk = start(80, 24, fresh(), &[]);
        walk.wait("TITAN V ▶ RTX 4070").press("x").wait("RTX 4070 ▶ TITAN V");
        walk.signal(signal);
        let (code, home) = walk.gone();
        assert_eq!(code, 0, "{signal}");
        assert!(
            std::fs::read_to_string(home.path().join("state.toml"))
                .unwrap()
                .contains("source = \"rtx-4070\"")
        );
    }
}

#[test]
fn a_kernel_that_comes_with_the_data_can_be_asked_for_at_once() {
    let home = fresh();
    let rows = "gpu,kernel,problem,flops,dram_bytes,time_ms\ntitan-v,my_kernel,n=7,1000000,4000000,0.2\n";
    std::fs::write(home.path().join("runs.csv"), rows).unwrap();
    let mut walk = start(120, 40, home, &["--data", "runs.csv", "--kernel", "my_kernel"]);
    walk.wait("▸ my_kernel").wait("200 µs ●").press("q");
    assert_eq!(walk.gone().0, 0);
}

#[test]
fn a_number_is_changed_watched_and_undone() {
    let mut walk = start(80, 24, fresh(), &["--kernel", "saxpy"]);
    walk.wait("TITAN V ▶ RTX 4070").press("3").wait("memory bandwidth").wait("what would help most");
    walk.press("jjllll").wait("+20 %").wait("◇ RTX 4070");
    walk.press("\r")
        .wait("type 600GB/s")
        .press("0\r")
        .wait("expected 600GB/s")
        .press("\u{1b}")
        .wait_until("the closed line", |s| !s.contains("memory bandwidth, GB/s: "));
    walk.press("=").wait("goal, a time: ").press("1us\r").wait("no value of memory bandwidth");
    walk.press("K").wait("keep as: A").press("\r").wait("kept as A");
    walk.press("\t\t").wait("speed over").press("\t").wait("+20 %");
    walk.press("uuuuu").wait_until("the stock GPU again", |s| !s.contains('◇'));
    walk.press("q");
    assert_eq!(walk.gone().0, 0);
}
