//! Messages in, frames and effects out.

use super::action::Action;
use super::error::TuiError;
use super::message::{Effect, Message, UserFile};
use super::state::DashboardState;
use super::terminal::{Screen, copy_to_clipboard};
use super::update::update;
use super::view::view;
use super::worker::Worker;
use ratatui::Frame;
use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;

/// Of a key that is held while its effect takes longer than its repetition, so many are followed at once: an even and an
/// odd number of them stay even and odd.
const MOST_REPEATS: usize = 4;

/// What puts another question for every row.
const ASKING_ANEW: [Action; 7] = [
    Action::Swap,
    Action::AllSources,
    Action::ModelNext,
    Action::ModelPrevious,
    Action::Ceilings,
    Action::Rules,
    Action::Undo,
];

/// What reaches the loop.
#[derive(Debug)]
pub(super) struct Inbox {
    pub(super) messages: Receiver<Message>,
    /// Whether a signal asked the program to end.
    pub(super) asked_to_end: Arc<AtomicBool>,
}

impl Inbox {
    /// What is waiting, in order; where somebody asks to leave, that alone.
    fn take_waiting(&self, waiting: &mut VecDeque<Message>) {
        waiting.extend(self.messages.try_iter());
        let leaves = |message: &Message| matches!(message, Message::Leave);
        if self.asked_to_end.load(Ordering::SeqCst) || waiting.iter().any(leaves) {
            waiting.clear();
            waiting.push_back(Message::Leave);
        }
    }
}

/// Draws only after something changed; blocks otherwise.
pub(super) fn run_loop(
    screen: &mut Screen,
    state: &mut DashboardState,
    inbox: &Inbox,
    worker: &Worker,
) -> Result<(), TuiError> {
    let done = answer_messages(screen, state, inbox, worker);
    if done.is_err() {
        // A terminal that is gone is no reason to forget.
        worker.save_now(state.saved());
    }
    done
}

fn answer_messages(
    screen: &mut Screen,
    state: &mut DashboardState,
    inbox: &Inbox,
    worker: &Worker,
) -> Result<(), TuiError> {
    let size = screen.terminal().size()?;
    let mut waiting = VecDeque::from([Message::Resize(size.width, size.height)]);
    let mut after_frame = Vec::new();
    loop {
        // A burst of keys is answered with one frame.
        let mut burst = waiting.len();
        while let Some(message) = waiting.pop_front() {
            burst = burst.saturating_sub(1 + drop_repeats(state, &message, &mut waiting));
            for effect in update(state, message) {
                if waits_for_frame(&effect) {
                    after_frame.push(effect);
                } else if !perform_effect(effect, screen, worker)? {
                    return Ok(());
                }
            }
            // Whoever leaves need not wait for the keys before.
            inbox.take_waiting(&mut waiting);
            if burst == 0 {
                break;
            }
        }
        screen.terminal().draw(|frame: &mut Frame<'_>| view(frame, state))?;
        for effect in after_frame.drain(..) {
            perform_effect(effect, screen, worker)?;
        }
        if waiting.is_empty() {
            let Ok(first) = inbox.messages.recv() else { return Ok(()) };
            waiting.push_back(first);
        }
        inbox.take_waiting(&mut waiting);
    }
}

/// Whether this key puts another question for every row, so that holding it could fall behind.
fn asks_anew(state: &DashboardState, key: &str) -> bool {
    let action = state.keymap.action(&[state.place(), "any"], key).and_then(Action::from_id);
    !state.takes_text() && action.is_some_and(|action| ASKING_ANEW.contains(&action))
}

/// Drops repetitions of a held key that stand behind it, but no letters of a text and no steps of a cursor; returns how
/// many.
fn drop_repeats(state: &DashboardState, message: &Message, waiting: &mut VecDeque<Message>) -> usize {
    let Message::Key(key) = message else { return 0 };
    if !asks_anew(state, key) {
        return 0;
    }
    let same = |other: &&Message| matches!(other, Message::Key(k) if k == key);
    let repeats = waiting.iter().take_while(same).count();
    let dropped = repeats.saturating_sub(MOST_REPEATS).next_multiple_of(2).min(repeats / 2 * 2);
    waiting.drain(..dropped);
    dropped
}

/// Whether an effect is carried out once the frame is drawn: a worker that is woken before it may take this core for some milliseconds.
/// [`Effect::Cancel`] waits as well: it must not reach the worker before the question that it cancels.
const fn waits_for_frame(effect: &Effect) -> bool {
    use Effect::{Cancel, Compare, Forecast, Predict, Rank, WhatIfChanged};
    matches!(effect, Predict(_) | Compare(_) | Rank(_) | Forecast { .. } | WhatIfChanged(_) | Cancel(_))
}

/// Carries an effect out; false = leave.
fn perform_effect(effect: Effect, screen: &mut Screen, worker: &Worker) -> Result<bool, TuiError> {
    match effect {
        Effect::Quit => return Ok(false),
        Effect::Abort(why) => return Err(TuiError::Terminal(io::Error::other(why))),
        Effect::Suspend => screen.stop_until_continued()?,
        Effect::Redraw => screen.take_again()?,
        Effect::Save(saved) => worker.save_now(saved),
        Effect::SaveSoon(saved) => worker.save_soon(*saved),
        Effect::Copy(text) => copy_to_clipboard(text)?,
        Effect::Export { path, spec, theme } => worker.write_chart(path, *spec, theme),
        Effect::Predict(question) => worker.predict_rows(*question),
        Effect::Compare(question) => worker.compare_models(*question),
        Effect::Rank(question) => worker.rank_gpus(*question),
        Effect::ReadMix(session, path) => worker.read_mix(session, path),
        Effect::ReadPrices(session, path, today) => worker.read_prices(session, path, today),
        Effect::Evaluate { session, model, setup } => worker.evaluate(session, model, setup),
        Effect::Survey { session, of } => worker.survey(session, of),
        Effect::Train { session, model } => worker.train(session, model),
        Effect::MeasureHere { session, kernel, problem, prefer } => {
            worker.measure_here(session, kernel, problem, prefer);
        }
        Effect::Forecast { session, application, source, targets, settings } => {
            worker.forecast(session, application, source, targets, settings);
        }
        Effect::WhatIfChanged(question) => worker.predict_changed(*question),
        Effect::WritePage { path, page } => worker.write_page(path, page),
        Effect::WriteRows { path, rows } => worker.write_rows(path, rows),
        Effect::SaveGpu(gpu) => worker.save_gpu(*gpu),
        Effect::ReadPart { path, part } => worker.read_part(path, part),
        Effect::List(folder) => worker.list(folder),
        Effect::Import { session, path, gpu } => worker.import(session, UserFile { path, gpu }),
        Effect::Load(session, files) => worker.load_files(session, files),
        Effect::Watch(files) => worker.watch_files(files),
        Effect::Audit(session, files) => worker.audit(session, files),
        Effect::Learn(session) => worker.learn(session),
        Effect::Cancel(job) => worker.cancel_job(job),
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Session;
    use crate::tui::{DashboardOptions, first_state};

    fn keys(text: &str) -> VecDeque<Message> {
        text.chars().map(|c| Message::Key(c.into())).collect()
    }

    fn left_of(waiting: &VecDeque<Message>) -> String {
        let key = |m: &Message| if let Message::Key(key) = m { key.clone() } else { "!".into() };
        waiting.iter().map(key).collect()
    }

    #[test]
    fn a_held_key_is_followed_a_few_times_and_letters_of_a_text_are_all_taken() {
        let mut state = first_state(Session::load(None).unwrap(), &DashboardOptions::default()).unwrap();
        let held = |n: usize, state: &DashboardState| {
            let mut waiting = keys(&format!("{}q", "x".repeat(n)));
            let dropped = drop_repeats(state, &Message::Key("x".into()), &mut waiting);
            assert_eq!(left_of(&waiting).len() + dropped, n + 1);
            left_of(&waiting)
        };
        assert_eq!(held(4, &state), "xxxxq");
        assert_eq!(held(5, &state), "xxxq", "an odd number stays odd");
        assert_eq!(held(100, &state), "xxxxq");
        assert_eq!(held(101, &state), "xxxq");
        let mut waiting = keys(&"j".repeat(50));
        assert_eq!(drop_repeats(&state, &Message::Key("j".into()), &mut waiting), 0, "the cursor moves on");
        update(&mut state, Message::Key("/".into()));
        assert_eq!(held(100, &state).len(), 101);
    }

    #[test]
    fn whoever_asks_to_leave_is_heard_before_the_keys_that_wait() {
        let (sender, messages) = std::sync::mpsc::channel();
        let inbox = Inbox { messages, asked_to_end: Arc::default() };
        let mut waiting = keys("xxx");
        inbox.take_waiting(&mut waiting);
        assert_eq!(left_of(&waiting), "xxx");
        sender.send(Message::Leave).unwrap();
        inbox.take_waiting(&mut waiting);
        assert!(matches!(waiting.make_contiguous(), [Message::Leave]));
        let mut waiting = keys("xxx");
        inbox.asked_to_end.store(true, Ordering::SeqCst);
        inbox.take_waiting(&mut waiting);
        assert!(matches!(waiting.make_contiguous(), [Message::Leave]));
    }
}
