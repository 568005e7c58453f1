//! Any sequence of keys, clicks and resizes leaves a state that can be drawn, and never panics.

#![allow(
    clippy::unwrap_used,
    reason = "clippy.toml allows it in test functions; their builders stand outside"
)]

use proptest::prelude::*;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use roofswap::session::Session;
use roofswap::tui::{
    DashboardOptions, DashboardState, Effect, LoadedFiles, Message, first_state, update, view,
};
use std::sync::OnceLock;

const KEYS: &[&str] = &[
    "s",
    "t",
    "T",
    "x",
    "+",
    "-",
    ".",
    ",",
    ">",
    "<",
    "n",
    "i",
    "b",
    "f",
    "F",
    "backspace",
    "]",
    "[",
    "m",
    "M",
    "c",
    "P",
    "L",
    "R",
    "E",
    "z",
    "e",
    "/",
    "o",
    "O",
    "u",
    "y",
    "Y",
    "!",
    ":",
    "?",
    "tab",
    "shift-tab",
    "1",
    "2",
    "3",
    "4",
    "5",
    "space",
    "ctrl-d",
    "ctrl-u",
    "up",
    "down",
    "left",
    "right",
    "pageup",
    "pagedown",
    "home",
    "end",
    "enter",
    "enter",
    "esc",
    "esc",
    "backspace",
    "ctrl-u",
    "space",
    "=",
    "0",
    "9",
    "q",
    "v",
    "w",
    "W",
    "A",
    "a",
    "H",
    "ctrl-z",
    "l",
    "h",
    "j",
    "k",
    "K",
    "B",
    "D",
    "S",
    "delete",
    "é",
    "f9",
    "ctrl-x",
];

/// Lines that are typed whole: what opens them, and what is typed.
const LINES: &[(&str, &str)] = &[
    ("n", "4.2ms on 3090, name mykern, 256 thr, 40 regs, 17.2 GFLOP, 50MB dram"),
    ("n", "name other, 1 GFLOP, 4MB dram, 128 thr"),
    (":", "forget mykern"),
    (":", "forget other"),
    (":", "forget nothing"),
    (":", "kernel mykern"),
    (":", "kernel saxpy"),
    (":", "size 2^12"),
    (":", "gpu l40s"),
    (":", "source rtx-4090@150W"),
    (":", "add a100-pcie-40gb"),
    (":", "set mem=+20%,sms=50"),
    (":", "power 150W"),
    (":", "source-clocks sm=942MHz"),
    (":", "model roofline"),
    (":", "range nope"),
    (":", "device 7"),
    (":", "host 2x"),
    (":", "export typed"),
];

/// What a person does: one message, or a line that is opened, typed and accepted.
fn step() -> impl Strategy<Value = Vec<Message>> {
    prop_oneof![
        9 => message().prop_map(|message| vec![message]),
        1 => prop::sample::select(LINES).prop_map(|(opens, text)| typed_line(opens, text)),
    ]
}

fn typed_line(opens: &str, text: &str) -> Vec<Message> {
    let letters = text.chars().map(|c| if c == ' ' { "space".to_string() } else { c.to_string() });
    let before = ["esc", "esc", "esc", opens].map(str::to_string);
    before.into_iter().chain(letters).chain(["enter".to_string()]).map(Message::Key).collect()
}

/// What the worker answers where it is asked to read everything again: no file is the user's here.
fn read_again(state: &mut DashboardState, effects: Vec<Effect>) {
    for effect in effects {
        if let Effect::Load(base, _) = effect {
            let loaded = LoadedFiles::without_notes((*base).clone(), "read");
            update(state, Message::Loaded(loaded));
        }
    }
}

fn message() -> impl Strategy<Value = Message> {
    prop_oneof![
        12 => prop::sample::select(KEYS).prop_map(|k| Message::Key(k.to_string())),
        1 => (0..250u16, 0..80u16).prop_map(|(x, y)| Message::Click(x, y)),
        1 => (0..250u16, 0..80u16, any::<bool>()).prop_map(|(x, y, d)| Message::Wheel(x, y, d)),
        1 => (1..220u16, 1..70u16).prop_map(|(w, h)| Message::Resize(w, h)),
        1 => ".{0,40}".prop_map(Message::Paste),
    ]
}

fn fresh() -> DashboardState {
    static FIRST: OnceLock<DashboardState> = OnceLock::new();
    FIRST
        .get_or_init(|| first_state(Session::load(None).unwrap(), &DashboardOptions::default()).unwrap())
        .clone()
}

fn draw(state: &DashboardState) {
    let mut terminal = Terminal::new(TestBackend::new(state.size.0, state.size.1)).unwrap();
    terminal.draw(|frame| view(frame, state)).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, rng_seed: proptest::test_runner::RngSeed::Fixed(7), ..ProptestConfig::default() })]

    #[test]
    fn any_sequence_leaves_a_sound_state(steps in prop::collection::vec(step(), 1..60)) {
        let mut state = fresh();
        for message in steps.into_iter().flatten() {
            let effects = update(&mut state, message);
            read_again(&mut state, effects);
            prop_assert_eq!(state.answers.figures().len(), state.rows.len());
            prop_assert!(state.answers.figures().iter().all(Option::is_some), "few rows are predicted at once");
            prop_assert!(state.selected < state.rows.len());
            let kernels = state.session.kernels.entries().len();
            prop_assert!(state.rows.iter().all(|row| row.kernel.index() < kernels));
            prop_assert!(!state.selection.targets.is_empty());
            prop_assert!(state.shown.iter().all(|r| *r < state.rows.len()));
            prop_assert!(state.gpus.is_empty() || state.gpu_cursor < state.gpus.len());
            for row in 0..state.rows.len() {
                let further = state.answers.on_further_targets(row);
                prop_assert_eq!(further.len() + 1, state.selection.targets.len());
            }
        }
        draw(&state);
    }
}

#[test]
fn undo_goes_all_the_way_back() {
    let first = fresh();
    let mut state = first.clone();
    for key in ["f", "s", "m", "=", "9", "0", "0", "enter"] {
        update(&mut state, Message::Key(key.into()));
    }
    for key in ["x", "m", "P", "+", "+", "-", "tab", "up", "t", "shift-tab", "down", "+", "R"] {
        update(&mut state, Message::Key(key.into()));
    }
    assert_ne!(state.selection, first.selection);
    for _ in 0..20 {
        update(&mut state, Message::Key("u".into()));
    }
    assert_eq!(state.selection, first.selection);
    assert!(state.rows.iter().zip(first.rows.iter()).all(|(a, b)| a.problem == b.problem));
}

#[test]
fn what_is_remembered_comes_back() {
    let mut state = fresh();
    for key in ["x", "m", "+", "P"] {
        update(&mut state, Message::Key(key.into()));
    }
    let options = DashboardOptions { saved: state.saved(), ..DashboardOptions::default() };
    let again = first_state(Session::load(None).unwrap(), &options).unwrap();
    assert_eq!(again.selection, state.selection);
    assert_eq!(again.rows[again.selected].problem, state.rows[state.selected].problem);
}

#[test]
fn data_that_arrive_do_not_move_the_selection() {
    let options = DashboardOptions { saved: fresh().saved(), ..DashboardOptions::default() };
    let mut state = first_state(Session::load(None).unwrap(), &options).unwrap();
    update(&mut state, Message::Key("down".into()));
    let chosen = state.kernel().id.clone();
    assert_ne!(Some(&chosen), options.saved.kernel.as_ref());
    let loaded = LoadedFiles::without_notes(Session::load(None).unwrap(), "loaded");
    update(&mut state, Message::Loaded(loaded));
    assert_eq!(state.kernel().id, chosen);
}

#[test]
fn a_pasted_size_replaces_the_offered_one_like_a_typed_one() {
    let mut state = fresh();
    update(&mut state, Message::Key("N".into()));
    update(&mut state, Message::Paste("1024".into()));
    update(&mut state, Message::Key("enter".into()));
    assert_eq!(state.size_of(state.selected), "n=1024");
}
