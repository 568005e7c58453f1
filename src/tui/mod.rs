//! The dashboard: events become messages, `update` changes the state, `view` draws it, effects go to the worker.
//!
//! ```text
//! terminal event -> Message -> update(&mut State, Message) -> Vec<Effect> -> worker thread -> Message
//! ```

mod action;
mod block;
mod canvas;
mod clocks;
mod evaluated;
mod evaluation;
mod events;
mod export;
mod files;
mod filter;
mod gemm;
mod here;
mod keys;
mod lanes;
mod layout;
mod look;
mod message;
mod models;
mod models_state;
mod mouse;
mod panes;
mod prompt;
mod rows;
mod run;
mod slide;
mod state;
mod text;
mod training;
mod update;
mod view;
mod worker;

pub use action::Action;
pub use evaluated::Evaluated;
pub use export::components_of;
pub use files::{FileEntry, Listing};
pub use layout::Pane;
pub use message::{Effect, Job, Message};
pub use models_state::Models;
pub use state::{FIRST_KERNEL, State, first_targets};
pub use update::update;
pub use view::view;

use crate::config::{Keymap, Saved, Theme, themes};
use crate::session::Session;
use ratatui::crossterm::clipboard::CopyToClipboard;
use ratatui::crossterm::event::{
    DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture,
};
use ratatui::crossterm::execute;
use ratatui::{DefaultTerminal, Frame};
use state::Tone;
use std::io::{self, stdout};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use worker::Worker;

/// How the dashboard starts.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Measurement files to load while the first screen is already up.
    pub data: Vec<PathBuf>,
    /// What is selected at first.
    pub saved: Saved,
    /// The theme of this run; it is not remembered.
    pub theme: Option<String>,
    /// ASCII only.
    pub ascii: bool,
    /// The user's `keymap.toml`: its name and text.
    pub keymap: Option<(String, String)>,
}

/// Everything that can keep the dashboard from starting or running.
#[derive(Debug, thiserror::Error)]
pub enum TuiError {
    /// The terminal could not be set up, read or written.
    #[error("terminal: {0}")]
    Terminal(#[from] io::Error),
    /// A keymap is wrong.
    #[error(transparent)]
    Keymap(#[from] crate::config::KeymapError),
    /// A theme is wrong.
    #[error(transparent)]
    Theme(#[from] crate::catalogue::FileError),
    /// A theme that does not exist was asked for.
    #[error(transparent)]
    UnknownTheme(#[from] crate::config::ThemeError),
}

/// Builds the first state; the terminal is not touched.
///
/// # Errors
/// [`TuiError`] for a wrong keymap or theme.
pub fn first_state(session: Session, options: &Options) -> Result<State, TuiError> {
    let user = options.keymap.as_ref().map(|(name, text)| crate::catalogue::SpecFile { name, text });
    let keymap = Keymap::load(user, Action::IDS)?;
    let all = themes()?;
    let place = |name: &str| all.iter().position(|t| t.name == name);
    // A typed theme that does not exist is an error; a remembered one may have gone.
    let at = match &options.theme {
        Some(typed) => Theme::named(typed, &all).map(|t| place(&t.name))?,
        None => options.saved.theme.as_deref().and_then(place),
    }
    .unwrap_or(0);
    let mut state = State::new(Arc::new(session), keymap, (all, at), &options.saved);
    state.ascii = options.ascii;
    if let Some(first) = state.notices.first() {
        let more = if state.notices.len() > 1 { " (! lists all)" } else { "" };
        state.message = Some((Tone::Refused, format!("{first}{more}")));
    }
    Ok(state)
}

/// Runs the dashboard until the user leaves. The terminal is restored whatever happens.
///
/// # Errors
/// [`TuiError`] if the terminal fails, or a keymap or theme is wrong.
pub fn run(session: Session, options: Options) -> Result<(), TuiError> {
    let mut state = first_state(session, &options)?;
    let _guard = Guard;
    let mut terminal = ratatui::try_init()?;
    let _hook = QuietWorkers::install();
    // Mouse and paste are extras: a terminal without them still works.
    let _ = execute!(stdout(), EnableMouseCapture, EnableBracketedPaste);
    let (sender, inbox) = channel();
    let worker = Worker::new(sender.clone());
    if !options.data.is_empty() {
        state.data.clone_from(&options.data);
        worker.load(state.session.clone(), options.data);
    }
    let size = terminal.size()?;
    state.size = (size.width, size.height);
    events::listen_for_signals(sender.clone());
    events::listen(sender);
    event_loop(&mut terminal, &mut state, &inbox, &worker)
}

/// Restores the terminal when it goes out of scope, also while a panic unwinds.
struct Guard;

impl Drop for Guard {
    fn drop(&mut self) {
        let _ = execute!(stdout(), DisableMouseCapture, DisableBracketedPaste);
        ratatui::restore();
    }
}

/// While it lives, a panic on another thread than this one neither prints nor gives the terminal back: that thread's
/// work is answered as failed, and the dashboard goes on.
struct QuietWorkers;

impl QuietWorkers {
    fn install() -> Self {
        let (ours, loud) = (std::thread::current().id(), std::panic::take_hook());
        std::panic::set_hook(Box::new(move |info| {
            if std::thread::current().id() == ours {
                loud(info);
            }
        }));
        Self
    }
}

impl Drop for QuietWorkers {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _ = std::panic::take_hook();
        }
    }
}

/// Draws only after something changed; blocks otherwise.
fn event_loop(
    terminal: &mut DefaultTerminal,
    state: &mut State,
    inbox: &Receiver<Message>,
    worker: &Worker,
) -> Result<(), TuiError> {
    loop {
        terminal.draw(|frame: &mut Frame<'_>| view(frame, state))?;
        let Ok(first) = inbox.recv() else { return Ok(()) };
        // A burst of keys is answered with one frame.
        for message in std::iter::once(first).chain(inbox.try_iter()) {
            for effect in update(state, message) {
                if !perform(effect, worker)? {
                    return Ok(());
                }
            }
        }
    }
}

/// Carries an effect out; false = leave.
fn perform(effect: Effect, worker: &Worker) -> Result<bool, TuiError> {
    match effect {
        Effect::Quit => return Ok(false),
        Effect::Abort(why) => return Err(TuiError::Terminal(io::Error::other(why))),
        Effect::Save(saved) => worker::save(&saved),
        Effect::Copy(text) => execute!(stdout(), CopyToClipboard::to_clipboard_from(text))?,
        Effect::Export { path, spec, theme } => worker.export(path, *spec, theme),
        Effect::Evaluate { session, model, setup } => worker.evaluate(session, model, setup),
        Effect::Survey { session, of } => worker.survey(session, of),
        Effect::Train { session, model } => worker.train(session, model),
        Effect::MeasureHere { session, kernel, problem, prefer } => {
            worker.measure_here(session, kernel, problem, prefer);
        }
        Effect::List(folder) => worker.list(folder),
        Effect::Import(session, path) => worker.import(session, path),
        Effect::Audit(session, files) => worker.audit(session, files),
        Effect::Learn(session) => worker.learn(session),
        Effect::Cancel => worker.cancel(),
    }
    Ok(true)
}
