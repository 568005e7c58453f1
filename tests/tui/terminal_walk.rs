//! The real program in a real pseudo-terminal: it draws, answers keys, survives a resize, and gives the terminal back.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    reason = "clippy.toml allows it in test functions; their builders stand outside"
)]

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use std::io::{Read, Write};
use std::num::NonZero;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long a text may take to appear before the walk fails; nothing sleeps for it.
const PATIENCE: Duration = Duration::from_secs(20);

struct Walk {
    master: Box<dyn MasterPty + Send>,
    child: Box<dyn Child + Send + Sync>,
    keys: Box<dyn Write + Send>,
    output: Receiver<Vec<u8>>,
    screen: vt100::Parser,
    home: TempDir,
}

fn cells(n: u16) -> NonZero<u16> {
    NonZero::new(n).unwrap()
}

fn size(columns: u16, rows: u16) -> PtySize {
    PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 }
}

fn start(columns: u16, rows: u16, home: TempDir, arguments: &[&str]) -> Walk {
    let pair = native_pty_system().openpty(size(columns, rows)).unwrap();
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_roofswap"));
    command.args(arguments);
    command.cwd(home.path());
    command.env("ROOFSWAP_CONFIG", home.path().join("config"));
    command.env("ROOFSWAP_STATE", home.path().join("state.toml"));
    command.env("TERM", "xterm-256color");
    let child = pair.slave.spawn_command(command).unwrap();
    drop(pair.slave);
    let mut reader = pair.master.try_clone_reader().unwrap();
    let keys = pair.master.take_writer().unwrap();
    let (sender, output) = channel();
    std::thread::spawn(move || {
        let mut buffer = [0; 8192];
        while let Ok(n) = reader.read(&mut buffer) {
            if n == 0 || sender.send(buffer[..n].to_vec()).is_err() {
                return;
            }
        }
    });
    Walk {
        master: pair.master,
        child,
        keys,
        output,
        screen: vt100::Parser::new(cells(rows), cells(columns), 0),
        home,
    }
}

impl Walk {
    fn text(&self) -> String {
        self.screen.screen().contents()
    }

    /// Reads until the screen satisfies `wanted`.
    fn wait_until(&mut self, what: &str, wanted: impl Fn(&str) -> bool) -> &mut Self {
        let end = Instant::now() + PATIENCE;
        while !wanted(&self.text()) {
            let left = end.checked_duration_since(Instant::now());
            let Some(bytes) = left.and_then(|l| self.output.recv_timeout(l).ok()) else {
                panic!("{what} never came; the screen is\n{}", self.text());
            };
            self.screen.process(&bytes);
        }
        self
    }

    fn wait(&mut self, text: &str) -> &mut Self {
        self.wait_until(text, |screen| screen.contains(text))
    }

    fn press(&mut self, keys: &str) -> &mut Self {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
        self
    }

    fn resize(&mut self, columns: u16, rows: u16) -> &mut Self {
        self.master.resize(size(columns, rows)).unwrap();
        self.screen.screen_mut().set_size(cells(rows), cells(columns));
        self
    }

    /// Waits for the program to end and for the terminal to be the shell's again.
    fn gone(mut self) -> (u32, TempDir) {
        let status = self.child.wait().unwrap();
        while let Ok(bytes) = self.output.recv_timeout(Duration::from_millis(500)) {
            self.screen.process(&bytes);
        }
        let screen = self.screen.screen();
        assert!(!screen.alternate_screen(), "the alternate screen was left on");
        assert!(!screen.hide_cursor(), "the cursor was left hidden");
        assert_eq!(
            screen.mouse_protocol_mode(),
            vt100::MouseProtocolMode::None,
            "the mouse was left captured"
        );
        (status.exit_code(), self.home)
    }
}

fn fresh() -> TempDir {
    tempfile::tempdir().unwrap()
}

#[test]
fn a_first_walk_swaps_resizes_exports_and_remembers() {
    let mut walk = start(80, 24, fresh(), &[]);
    walk.wait("1 GPUs")
        .wait("2 Roofline")
        .wait("3 Occupancy")
        .wait("4 Predictions")
        .wait("TITAN V ▶ RTX 4070");
    walk.press("x").wait("RTX 4070 ▶ TITAN V");
    walk.press("m").wait("hybrid").press("m").wait("efficiency-transfer");
    walk.press("+").wait("n=1024");
    walk.press("2")
        .press("z")
        .wait_until("the zoomed roofline", |s| s.contains("2 Roofline") && !s.contains("4 Predictions"));
    walk.press("z").wait("4 Predictions");
    walk.resize(160, 50).wait("rules exact");
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

#[test]
fn a_storm_of_resizes_and_keys_leaves_a_living_dashboard() {
    let mut walk = start(80, 24, fresh(), &["--ascii"]);
    walk.wait("4 Predictions");
    for (columns, rows) in [(1, 1), (200, 60), (40, 10), (39, 9), (3, 50), (120, 40)] {
        walk.resize(columns, rows).press("x").press("+").press("\t");
    }
    walk.wait("2 Roofline").press("q");
    assert_eq!(walk.gone().0, 0);
}

#[test]
fn measurement_files_load_behind_the_first_screen_and_bad_rows_are_listed() {
    let home = fresh();
    let rows = "gpu,kernel,problem,time_ms\ntitan-v,saxpy,n=4194304,0.0981\nmars,saxpy,n=1,1\n";
    std::fs::write(home.path().join("runs.csv"), rows).unwrap();
    let mut walk = start(120, 40, home, &["--data", "runs.csv", "--kernel", "saxpy"]);
    walk.wait("1 measured rows loaded, 1 refused").wait("n=4194304").wait("98.1");
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
    walk.wait("TITAN V ▶ RTX 4070").press("i").wait("║ build/").press("bui").wait("filter: bui_");
    walk.press("\r").wait("notes.txt").press("notes\r").wait("is no compiler's report");
    walk.press("i").wait("║ build/").press("bui\r").wait("ptxas.log").press("ptx").wait("filter: ptx_");
    walk.press("\r").wait("1 builds of 1 kernels read").wait("sim_step").wait("~256");
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
        let id = walk.child.process_id().unwrap().to_string();
        assert!(std::process::Command::new("kill").args(["-s", signal, &id]).status().unwrap().success());
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
