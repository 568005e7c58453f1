//! The real program in a real pseudo-terminal: started, typed into, waited for.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    reason = "clippy.toml allows it in test functions; their builders stand outside"
)]

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use std::io::{Read, Write};
use std::num::NonZero;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The program.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_roofswap");

/// How long a text may take to appear before the walk fails; nothing sleeps for it.
const PATIENCE: Duration = Duration::from_secs(20);

pub struct Walk {
    master: Box<dyn MasterPty + Send>,
    pub child: Box<dyn Child + Send + Sync>,
    keys: Box<dyn Write + Send>,
    output: Receiver<Vec<u8>>,
    pub screen: vt100::Parser,
    pub home: TempDir,
}

fn cells(n: u16) -> NonZero<u16> {
    NonZero::new(n).unwrap()
}

fn size(columns: u16, rows: u16) -> PtySize {
    PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 }
}

/// The program in a terminal of this size.
pub fn start(columns: u16, rows: u16, home: TempDir, arguments: &[&str]) -> Walk {
    let mut command = CommandBuilder::new(PROGRAM);
    command.args(arguments);
    command.env("TERM", "xterm-256color");
    start_command(columns, rows, home, command)
}

/// A command in a terminal of this size.
pub fn start_command(columns: u16, rows: u16, home: TempDir, mut command: CommandBuilder) -> Walk {
    let pair = native_pty_system().openpty(size(columns, rows)).unwrap();
    command.cwd(home.path());
    command.env("ROOFSWAP_CONFIG", home.path().join("config"));
    command.env("ROOFSWAP_STATE", home.path().join("state.toml"));
    command.env("ROOFSWAP_CACHE", home.path().join("cache"));
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
    pub fn text(&self) -> String {
        self.screen.screen().contents()
    }

    /// Reads until the screen satisfies `wanted`.
    pub fn wait_until(&mut self, what: &str, wanted: impl Fn(&str) -> bool) -> &mut Self {
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

    /// Reads until the screen, colours and all, satisfies `wanted`.
    pub fn wait_for_screen(&mut self, what: &str, wanted: impl Fn(&vt100::Screen) -> bool) -> &mut Self {
        let end = Instant::now() + PATIENCE;
        while !wanted(self.screen.screen()) {
            let left = end.checked_duration_since(Instant::now());
            let Some(bytes) = left.and_then(|l| self.output.recv_timeout(l).ok()) else {
                panic!("{what} never came; the screen is\n{}", self.text());
            };
            self.screen.process(&bytes);
        }
        self
    }

    /// Reads until these bytes came, which need not be seen on the screen.
    pub fn wait_for_bytes(&mut self, wanted: &[u8]) -> &mut Self {
        let mut read = Vec::new();
        while !read.windows(wanted.len()).any(|bytes| bytes == wanted) {
            let bytes = self.output.recv_timeout(PATIENCE).unwrap();
            self.screen.process(&bytes);
            read.extend(bytes);
        }
        self
    }

    /// Reads until nothing was drawn for a while: for recordings, never for tests.
    pub fn wait_until_silent(&mut self) -> &mut Self {
        while let Ok(bytes) = self.output.recv_timeout(Duration::from_secs(2)) {
            self.screen.process(&bytes);
        }
        self
    }

    pub fn wait(&mut self, text: &str) -> &mut Self {
        self.wait_until(text, |screen| screen.contains(text))
    }

    pub fn press(&mut self, keys: &str) -> &mut Self {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
        self
    }

    pub fn resize(&mut self, columns: u16, rows: u16) -> &mut Self {
        self.master.resize(size(columns, rows)).unwrap();
        self.screen.screen_mut().set_size(cells(rows), cells(columns));
        self
    }

    /// Sends a signal to the program.
    pub fn signal(&mut self, name: &str) -> &mut Self {
        let id = self.child.process_id().unwrap().to_string();
        assert!(std::process::Command::new("kill").args(["-s", name, &id]).status().unwrap().success());
        self
    }

    /// Waits until the program has stopped: it gives the terminal back before it does.
    pub fn wait_until_stopped(&mut self) -> &mut Self {
        let end = Instant::now() + PATIENCE;
        while process_state(self.child.process_id().unwrap()) != Some('T') {
            assert!(Instant::now() < end, "it does not stop");
        }
        self
    }

    /// Reads until the program has taken the screen.
    pub fn wait_for_alternate_screen(&mut self) -> &mut Self {
        while !self.screen.screen().alternate_screen() {
            let bytes = self.output.recv_timeout(PATIENCE).unwrap();
            self.screen.process(&bytes);
        }
        self
    }

    /// Forgets what was drawn, so that what comes is what is drawn from now on.
    pub fn blank(&mut self) -> &mut Self {
        let (rows, columns) = self.screen.screen().size();
        self.screen = vt100::Parser::new(rows, columns, 0);
        self
    }

    /// Closes the terminal as a window is closed: nobody reads from it or types into it any more.
    pub fn close_terminal(self) -> (Box<dyn Child + Send + Sync>, TempDir) {
        let Self { master, child, mut keys, output, home, .. } = self;
        // The reader ends with the next frame, which this key asks for.
        drop(output);
        keys.write_all(b"x").unwrap();
        keys.flush().unwrap();
        drop((keys, master));
        (child, home)
    }

    /// Waits for the program to end and for the terminal to be the shell's again.
    pub fn gone(mut self) -> (u32, TempDir) {
        let end = Instant::now() + PATIENCE;
        while let Some(left) = end.checked_duration_since(Instant::now()) {
            match self.output.recv_timeout(left) {
                Ok(bytes) => self.screen.process(&bytes),
                // The last one that held the terminal has ended.
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("it does not end; the screen is\n{}", self.text()),
            }
        }
        let status = self.child.wait().unwrap();
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

/// The letter of a process's state, `T` of a stopped one: by `/proc` where there is one, else by `ps`.
fn process_state(id: u32) -> Option<char> {
    if let Ok(stat) = std::fs::read_to_string(format!("/proc/{id}/stat")) {
        return stat.rsplit(") ").next()?.chars().next();
    }
    let said =
        std::process::Command::new("ps").args(["-o", "state=", "-p", &id.to_string()]).output().ok()?;
    String::from_utf8_lossy(&said.stdout).trim_start().chars().next()
}

pub fn fresh() -> TempDir {
    tempfile::tempdir().unwrap()
}
