//! The dashboard: events become messages, `update` changes the state, `view` draws it, effects go to the worker.
//!
//! ```text
//! terminal event -> Message -> update(&mut State, Message) -> Vec<Effect> -> worker thread -> Message
//! ```

mod action;
mod arrange;
mod asked_about;
mod asked_workload;
mod axis_ticks;
mod background;
mod board_filter;
mod canvas;
mod clipboard;
mod dispatch;
mod error;
mod event_loop;
mod events;
mod filter;
mod first_rows;
mod focus;
mod further;
mod here;
mod jobs;
mod key_names;
mod keys;
mod layout;
mod look;
mod many_rows;
mod message;
mod mouse;
mod order;
mod own_rows;
mod pane;
mod panes;
mod pending;
mod predictions;
mod ranked;
mod ranking;
mod refused;
mod roof_settings;
mod row_answers;
mod scroll;
mod selection;
mod slide;
mod state;
mod terminal;
mod text;
mod typed_kernels;
mod undo;
mod update;
mod view;
mod worker;
mod workload;

pub use action::{Action, TextEdit};
pub use error::TuiError;
pub use jobs::WorkerJob;
pub use layout::{DashboardView, Pane};
pub use many_rows::{ModelsQuestion, RowsQuestion};
pub use message::{Effect, ImportedFile, LoadedFiles, Message, UserFile};
pub use panes::evaluate::outcome::Evaluated;
pub use panes::explain::components::components_of;
pub use panes::files::listing::{FileEntry, FolderListing};
pub use panes::models::findings::ModelFindings;
pub use panes::what_if::findings::{WhatIfFindings, WhatIfForm};
pub use panes::what_if::worker_question::ChangedQuestion;
pub use ranked::{BoardRows, LoadedMix};
pub use row_answers::{RowAnswers, RowFigures};
pub use state::{DashboardState, FIRST_KERNEL, first_targets};
pub use update::update;
pub use view::view;
pub use worker::priority::lower_priority;

use crate::calendar::utc_date;
use crate::config::{Keymap, PaintTheme, Saved, ThemeBook};
use crate::rank::PriceBook;
use crate::session::Session;
use action::keymap_ids;
use background::{LateAnswer, ask_background, follow_light_background};
use event_loop::{Inbox, run_loop};
use state::Tone;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::channel;
use std::time::SystemTime;
use terminal::{PanicHook, Screen, has_shell, watch_for_hangup};
use worker::Worker;

/// How the dashboard starts.
#[derive(Debug, Clone, Default)]
pub struct DashboardOptions {
    /// Measurement files to load while the first screen is already up.
    pub data: Vec<PathBuf>,
    /// What is selected at first.
    pub saved: Saved,
    /// Whether a person asked for its kernel just now: then the user's rows do not choose another one.
    pub kernel_asked: bool,
    /// Likewise for its source.
    pub source_asked: bool,
    /// Likewise for its targets: none of them becomes the source.
    pub targets_asked: bool,
    /// The themes there are; the shipped ones where nobody looked for more.
    pub themes: Option<ThemeBook>,
    /// The theme of this run; it is not remembered.
    pub theme: Option<String>,
    /// ASCII only.
    pub ascii: bool,
    /// Whether the terminal shows all colours, not the sixteen of ANSI alone.
    pub all_colours: bool,
    /// Whether its background is light: then the light theme is the first, unless one was chosen. The terminal is asked where
    /// nobody knows.
    pub light_background: Option<bool>,
    /// The user's `keymap.toml`: its name and text.
    pub keymap: Option<(String, String)>,
    /// What is to be known of files that could not be read.
    pub notices: Vec<String>,
    /// Prices by the hour.
    pub prices: PriceBook,
}

/// Builds the first state; the terminal is not touched.
///
/// # Errors
/// [`TuiError`] for a theme that is asked for and does not exist, or a shipped file that is damaged.
pub fn first_state(session: Session, options: &DashboardOptions) -> Result<DashboardState, TuiError> {
    let user = options.keymap.as_ref().map(|(name, text)| crate::catalogue::SpecFile { name, text });
    let (keymap, refused_keys) = Keymap::with_user_file(user, &keymap_ids())?;
    let ThemeBook { themes: all, refused } = match &options.themes {
        Some(book) => book.clone(),
        None => ThemeBook::load(None)?,
    };
    let place = |name: &str| all.iter().position(|t| t.name == name);
    // A typed theme that does not exist is an error; a remembered one may have gone.
    let at = match &options.theme {
        Some(typed) => PaintTheme::named(typed, &all).map(|t| place(&t.name))?,
        None => options.saved.theme.as_deref().and_then(place),
    }
    .unwrap_or_else(|| place("light").filter(|_| options.light_background == Some(true)).unwrap_or(0));
    let in_colours = |theme: PaintTheme| if options.all_colours { theme.in_all_colours() } else { theme };
    let all: Vec<PaintTheme> = all.into_iter().map(in_colours).collect();
    let mut state = DashboardState::new(Arc::new(session), keymap, all, at, &options.saved);
    state.ascii = options.ascii;
    state.ranked.prices = options.prices.clone();
    state.data.clone_from(&options.data);
    // As in commands, files that name no GPU are of the source that was asked for.
    let gpu = options.source_asked.then(|| state.session.gpus[state.selection.source].id.clone());
    state.files = options.data.iter().map(|path| UserFile { path: path.clone(), gpu: gpu.clone() }).collect();
    // Before anything waits for the user's files: they have the last word on what is selected.
    state.restore_typed(&options.saved.typed);
    state.workload.chooses_row = !options.data.is_empty() && !options.kernel_asked;
    state.workload.chooses_source = !options.data.is_empty() && !options.source_asked;
    state.workload.targets_asked = options.targets_asked;
    let said = refused_keys.iter().map(ToString::to_string).chain(refused).chain(options.notices.clone());
    state.notices.extend(said.map(|text| crate::text::harmless_line(&text)));
    state.first_notices = state.notices.len();
    if let Some(first) = state.notices.first() {
        let more = if state.notices.len() > 1 { " (! shows all)" } else { "" };
        state.message = Some((Tone::Refused, format!("{first}{more}")));
    }
    Ok(state)
}

/// Takes the light theme where the terminal says that its background is light, and nobody chose a theme or knows the background.
fn follow_background(state: &mut DashboardState, options: &DashboardOptions) -> LateAnswer {
    let is_chosen = options.theme.is_some() || options.saved.theme.is_some();
    if is_chosen || options.light_background.is_some() {
        return LateAnswer::default();
    }
    let answer = ask_background();
    if answer.is_light == Some(true) {
        follow_light_background(state);
    }
    LateAnswer::expected(&answer)
}

/// Runs the dashboard until the user leaves. The terminal is restored whatever happens.
///
/// # Errors
/// [`TuiError`] if the terminal fails, or a theme is asked for that does not exist.
pub fn run_dashboard(session: Session, options: DashboardOptions) -> Result<(), TuiError> {
    let mut state = first_state(session, &options)?;
    let (sender, messages) = channel();
    let asked_to_end = Arc::<AtomicBool>::default();
    // Before the terminal is taken: whoever ends the program from now on finds it given back.
    events::listen_for_signals(sender.clone(), asked_to_end.clone());
    let _hook = PanicHook::install();
    let mut screen = Screen::take()?;
    let late = follow_background(&mut state, &options);
    let worker = Worker::new(sender.clone());
    rayon::broadcast(|_| lower_priority());
    if let Some(first) = options.data.first() {
        state.jobs.start_job(WorkerJob::Read, format!("reading {} …", first.display()));
        worker.load_files(state.session.clone(), state.files.clone());
        worker.audit(state.session.clone(), state.data.clone());
        worker.watch_files(options.data);
    }
    state.ranked.today = utc_date(SystemTime::now());
    state.has_shell = has_shell();
    watch_for_hangup(sender.clone());
    events::listen(sender, late);
    run_loop(&mut screen, &mut state, &Inbox { messages, asked_to_end }, &worker)
}
