//! The terminal that goes away, is stopped with the shell, is killed at the first byte, or cannot show a screen.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    reason = "clippy.toml allows it in test functions; their builders stand outside"
)]

use crate::walk::{PROGRAM, Walk, fresh, start, start_command};
use portable_pty::CommandBuilder;
use std::fmt::Write as _;

/// What stands in the last line, which is drawn last.
const LAST_DRAWN: &str = "? help";

/// A shell of the user, which runs this script, or asks for commands where it is `None`.
fn shell(script: Option<&str>) -> Walk {
    let mut command = CommandBuilder::new("sh");
    match script {
        Some(script) => command.args(["-c", script]),
        None => command.arg("-i"),
    }
    command.env("TERM", "xterm-256color");
    command.env("PROGRAM", PROGRAM);
    command.env("PS1", "ready> ");
    start_command(80, 24, fresh(), command)
}

#[test]
fn a_closed_terminal_ends_it_without_an_abort_and_the_selection_is_kept() {
    let mut walk = start(80, 24, fresh(), &[]);
    walk.wait("TITAN V ▶ RTX 4070").press("x").wait("RTX 4070 ▶ TITAN V");
    let (mut child, home) = walk.close_terminal();
    let status = child.wait().unwrap();
    assert_eq!(status.signal(), None, "{status:?}");
    assert!(status.exit_code() <= 1, "{status:?}");
    assert!(std::fs::read_to_string(home.path().join("state.toml")).unwrap().contains("source = "));
}

#[test]
fn a_terminal_that_is_gone_without_a_hangup_signal_ends_it() {
    let mut walk = shell(Some("trap '' HUP; \"$PROGRAM\"; echo $? > status"));
    walk.wait("TITAN V ▶ RTX 4070");
    let (mut child, home) = walk.close_terminal();
    child.wait().unwrap();
    let status = std::fs::read_to_string(home.path().join("status")).unwrap();
    assert!(["0", "1"].contains(&status.trim()), "{status}");
}

#[test]
fn ctrl_z_stops_it_and_fg_brings_it_back() {
    let mut walk = shell(None);
    walk.wait("ready>").press("\"$PROGRAM\"\r").wait(LAST_DRAWN);
    assert!(walk.screen.screen().alternate_screen());
    walk.press("\u{1a}").wait("Stopped");
    assert!(!walk.screen.screen().alternate_screen(), "the shell has its own screen");
    walk.blank().press("fg\r").wait("TITAN V ▶ RTX 4070").wait(LAST_DRAWN);
    assert!(walk.screen.screen().alternate_screen());
    walk.press("x").wait("RTX 4070 ▶ TITAN V").press("q");
    // A new prompt, not the one above the program: what is typed before it is lost.
    walk.wait_until("the shell's next prompt", |s| s.trim_end().ends_with("ready>")).press("exit\r");
    assert_eq!(walk.gone().0, 0);
}

#[test]
fn without_a_shell_ctrl_z_says_so() {
    let mut walk = start(80, 24, fresh(), &[]);
    walk.wait("Predictions").press("\u{1a}").wait("no shell started roofswap").press("q");
    assert_eq!(walk.gone().0, 0);
}

#[test]
fn what_was_stopped_from_outside_draws_itself_anew() {
    let mut walk = start(80, 24, fresh(), &[]);
    walk.wait(LAST_DRAWN).signal("STOP").blank().signal("CONT");
    walk.wait("TITAN V ▶ RTX 4070").wait(LAST_DRAWN);
    walk.signal("TSTP").wait_until("the shell's screen", |s| !s.contains("Predictions"));
    walk.wait_until_stopped()
        .blank()
        .signal("CONT")
        .wait(LAST_DRAWN)
        .press("x")
        .wait("RTX 4070 ▶ TITAN V")
        .press("q");
    assert_eq!(walk.gone().0, 0);
}

#[test]
fn a_kill_in_the_first_moments_gives_the_terminal_back() {
    for _ in 0..10 {
        let mut walk = start(80, 24, fresh(), &[]);
        walk.wait_for_alternate_screen().signal("TERM");
        assert_eq!(walk.gone().0, 0);
    }
}

#[test]
fn a_dumb_terminal_is_refused_with_what_to_do() {
    let mut command = CommandBuilder::new(PROGRAM);
    command.env("TERM", "dumb");
    let mut walk = start_command(120, 24, fresh(), command);
    walk.wait("TERM=dumb").wait("roofswap predict");
    assert_eq!(walk.gone().0, 2);
}

#[test]
fn ctrl_c_is_heard_behind_a_long_row_of_held_keys() {
    let home = fresh();
    let mut rows = String::from("gpu,kernel,problem,time_ms\n");
    for i in 0..10_000 {
        writeln!(rows, "titan-v,saxpy,n={},{}", 1000 + 7 * i, 0.01 + f64::from(i) * 1e-4).unwrap();
    }
    std::fs::write(home.path().join("runs.csv"), rows).unwrap();
    let mut walk = start(120, 40, home, &["--data", "runs.csv"]);
    walk.wait("10000 measured rows loaded").press(&"a".repeat(1001)).press("\u{3}");
    assert_eq!(walk.gone().0, 0);
}
