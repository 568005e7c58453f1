//! The terminal: taken, given back whatever happens, stopped and continued with the shell, and watched for its end. The only
//! file that writes to it besides the drawing.

use super::message::Message;
use ratatui::DefaultTerminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::clipboard::CopyToClipboard;
use ratatui::crossterm::cursor::Show;
use ratatui::crossterm::event::{
    DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture,
};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use std::io::{self, Write as _, stdout};
use std::mem::ManuallyDrop;
use std::sync::mpsc::Sender;

/// The terminal while it is ours; given back when it goes out of scope, also while a panic unwinds.
#[derive(Debug)]
pub(super) struct Screen {
    /// Never dropped: ratatui's own drop prints where it fails, which panics where nobody listens any more.
    terminal: ManuallyDrop<DefaultTerminal>,
}

impl Screen {
    /// Takes the terminal.
    ///
    /// # Errors
    /// The I/O error; the terminal is as before.
    pub(super) fn take() -> io::Result<Self> {
        let taken = take_terminal().and_then(|()| DefaultTerminal::new(CrosstermBackend::new(stdout())));
        match taken {
            Ok(terminal) => Ok(Self { terminal: ManuallyDrop::new(terminal) }),
            Err(why) => {
                give_back();
                Err(why)
            }
        }
    }

    /// What is drawn on.
    pub(super) fn terminal(&mut self) -> &mut DefaultTerminal {
        &mut self.terminal
    }

    /// Takes the terminal again after somebody else had it, and forgets what was drawn.
    ///
    /// # Errors
    /// The I/O error.
    pub(super) fn take_again(&mut self) -> io::Result<()> {
        // Otherwise the raw mode counts as set, whatever the shell has made of it.
        let _ = disable_raw_mode();
        take_terminal()?;
        execute!(stdout(), Clear(ClearType::All))?;
        // A new one remembers nothing that was drawn. Ratatui's own `clear` asks the terminal where its cursor stands, and
        // the answer goes to the thread that reads keys.
        self.terminal = ManuallyDrop::new(DefaultTerminal::new(CrosstermBackend::new(stdout()))?);
        Ok(())
    }

    /// Gives the terminal to the shell and stops; comes back when the shell continues the program.
    ///
    /// # Errors
    /// The I/O error.
    #[cfg(unix)]
    pub(super) fn stop_until_continued(&mut self) -> io::Result<()> {
        give_back();
        signal_hook::low_level::raise(signal_hook::consts::SIGSTOP)?;
        self.take_again()
    }

    /// There is no shell to give it to.
    ///
    /// # Errors
    /// None.
    #[cfg(not(unix))]
    pub(super) fn stop_until_continued(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
    }
}

fn take_terminal() -> io::Result<()> {
    enable_raw_mode()?;
    execute!(stdout(), EnterAlternateScreen)?;
    // Mouse and paste are extras: a terminal without them still works.
    let _ = execute!(stdout(), EnableMouseCapture, EnableBracketedPaste);
    Ok(())
}

/// Makes the terminal the shell's again. One that is gone needs nothing, and there is nobody to tell.
pub(super) fn give_back() {
    let _ = execute!(stdout(), DisableMouseCapture, DisableBracketedPaste);
    let _ = disable_raw_mode();
    let _ = execute!(stdout(), LeaveAlternateScreen, Show);
}

/// Writes these bytes, which draw nothing.
///
/// # Errors
/// The I/O error.
#[cfg(unix)]
pub(super) fn write_at_once(bytes: &[u8]) -> io::Result<()> {
    stdout().write_all(bytes)?;
    stdout().flush()
}

/// Puts text on the clipboard, also over ssh.
///
/// # Errors
/// The I/O error.
pub(super) fn copy_to_clipboard(text: String) -> io::Result<()> {
    execute!(stdout(), CopyToClipboard::to_clipboard_from(text))
}

/// While it lives, a panic on this thread gives the terminal back before it is printed; one on another thread neither
/// prints nor gives it back: that thread's work is answered as failed, and the dashboard goes on.
pub(super) struct PanicHook;

impl PanicHook {
    pub(super) fn install() -> Self {
        let (ours, print) = (std::thread::current().id(), std::panic::take_hook());
        std::panic::set_hook(Box::new(move |info| {
            if std::thread::current().id() == ours {
                give_back();
                print(info);
            }
        }));
        Self
    }
}

impl Drop for PanicHook {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _ = std::panic::take_hook();
        }
    }
}

/// Whether a shell is there to give the terminal to; a program that leads its session would stop for ever.
#[cfg(unix)]
pub(super) fn has_shell() -> bool {
    use rustix::process::{getpid, getsid};
    getsid(None) != Ok(getpid())
}

/// Whether a shell is there to give the terminal to.
#[cfg(not(unix))]
pub(super) fn has_shell() -> bool {
    false
}

/// Tells the loop when the terminal is gone: reading alone never finds out (crossterm reads nothing for ever).
#[cfg(unix)]
pub(super) fn watch_for_hangup(sender: Sender<Message>) {
    use rustix::event::{PollFd, PollFlags, poll};
    std::thread::spawn(move || {
        let input = io::stdin();
        let gone = PollFlags::HUP | PollFlags::ERR;
        loop {
            // Nothing is asked for: only an end or an error is reported.
            let mut watched = [PollFd::new(&input, PollFlags::empty())];
            match poll(&mut watched, None) {
                Err(rustix::io::Errno::INTR) => {}
                Ok(_) if watched[0].revents().intersects(gone) => break,
                _ => return,
            }
        }
        // A closed channel means that the loop has ended already.
        let _ = sender.send(Message::InputLost("terminal closed".into()));
    });
}

/// Elsewhere reading finds out.
#[cfg(not(unix))]
pub(super) fn watch_for_hangup(_: Sender<Message>) {}
