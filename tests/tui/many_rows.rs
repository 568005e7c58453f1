//! Many rows: what is on the screen is predicted at once, the rest by the worker, and the newest question wins.

#![allow(
    clippy::unwrap_used,
    reason = "clippy.toml allows it in test functions; their builders stand outside"
)]

use crate::stage::{Dashboard, dashboard};
use roofswap::session::Session;
use roofswap::tui::{DashboardState, Effect, LoadedFiles, Message, RowFigures, update};
use std::fmt::Write as _;

/// Rows of the user: some more than are predicted at once.
const ROWS: u64 = 400;

fn session_with_rows() -> Session {
    let mut session = Session::load(None).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("own.csv");
    let mut text = String::from("gpu,kernel,problem,time_ms\n");
    for i in 0..ROWS {
        let n = 100_000 + 7 * i * i;
        writeln!(text, "titan-v,saxpy,n={n},{}", 0.01 + n as f64 * 2e-8).unwrap();
        writeln!(text, "rtx-4070,saxpy,n={n},{}", 0.02 + n as f64 * 3e-8).unwrap();
    }
    std::fs::write(&file, text).unwrap();
    session.add_data(&file).unwrap();
    session
}

/// A dashboard whose worker has not answered yet, and what it asks of it.
fn unanswered() -> (Dashboard, Vec<Effect>) {
    let mut d = dashboard(120, 40);
    let loaded = LoadedFiles::without_notes(session_with_rows(), "loaded");
    let effects = update(&mut d.state, Message::Loaded(loaded));
    (d, effects)
}

/// Answers what the worker is asked, until it is asked nothing more.
fn answer(state: &mut DashboardState, mut effects: Vec<Effect>) -> usize {
    let mut answered = 0;
    while let Some(effect) = effects.pop() {
        let message = match effect {
            Effect::Predict(question) => Message::Predicted(question.answer_rows(&|| false).map(Box::new)),
            Effect::Compare(question) => Message::Compared(question.answer_models(&|| false).map(Box::new)),
            _ => continue,
        };
        answered += 1;
        effects.extend(update(state, message));
    }
    answered
}

fn press(d: &mut Dashboard, key: &str) -> Vec<Effect> {
    update(&mut d.state, Message::Key(key.into()))
}

fn missing(state: &DashboardState) -> usize {
    state.answers.figures().iter().filter(|figures| figures.is_none()).count()
}

#[test]
fn the_screen_is_predicted_at_once_and_the_rest_by_the_worker() {
    let (mut d, effects) = unanswered();
    assert!(missing(&d.state) as u64 > ROWS / 2, "{}", missing(&d.state));
    let screen = d.screen();
    assert!(screen.contains("predicting") && !screen.contains("MAPE"), "{screen}");
    let table: Vec<&str> = screen.lines().filter(|l| l.contains("saxpy  ")).collect();
    assert!(table.len() > 5 && table.iter().all(|l| !l.contains(" … ")), "{screen}");
    assert_eq!(answer(&mut d.state, effects), 1);
    assert_eq!(missing(&d.state), 0);
    assert!(d.screen().contains("MAPE") && !d.screen().contains("predicting"), "{}", d.screen());
}

#[test]
fn the_cursor_never_meets_a_row_without_an_answer() {
    let (mut d, _) = unanswered();
    for key in ["end", "home", "pagedown", "down", "end", "up", "/", "s", "a", "enter", "end"] {
        press(&mut d, key);
        let rows: Vec<String> =
            d.screen().lines().filter(|l| l.contains("▸saxpy")).map(String::from).collect();
        assert!(rows.iter().all(|l| !l.contains('…')), "{key}: {}", d.screen());
        let _ = d.state.answer();
    }
}

#[test]
fn whole_answers_are_those_of_the_rows_on_the_screen() {
    let (mut d, effects) = unanswered();
    answer(&mut d.state, effects);
    let whole = |state: &DashboardState| {
        let all = 0..state.rows.len();
        all.filter(|row| state.answers.whole(*row).is_some()).collect::<Vec<usize>>()
    };
    let rows = d.state.rows.len();
    assert!(rows > 400 && whole(&d.state).len() < 64, "{} of {rows}", whole(&d.state).len());
    for key in ["pagedown"; 20] {
        press(&mut d, key);
        let screen = d.screen();
        // A row without its answer has such a mark in every column.
        assert!(screen.lines().all(|line| line.matches('…').count() < 5), "{screen}");
    }
    let kept = whole(&d.state);
    assert!(d.state.selected > 300 && kept.len() <= 256 && kept.contains(&d.state.selected), "{kept:?}");
}

#[test]
fn an_answer_to_an_older_question_is_dropped() {
    let (mut d, old) = unanswered();
    let new = press(&mut d, "x");
    let before = missing(&d.state);
    answer(&mut d.state, old);
    assert_eq!(missing(&d.state), before, "these are predictions of the other direction");
    answer(&mut d.state, new);
    assert_eq!(missing(&d.state), 0);
    let [source, target] = [d.state.selection.source, d.state.target()];
    let of_pair = |row: usize| {
        let answer = d.state.whole_answer(row);
        (answer.source, answer.target) == (source, target)
            && d.state.figures_of(row) == Some(&RowFigures::from(&*answer))
    };
    assert!((0..d.state.rows.len()).all(of_pair));
}

#[test]
fn the_worker_says_what_the_screen_would_have_said() {
    let (mut d, effects) = unanswered();
    answer(&mut d.state, effects);
    for key in ["m", "P", "a", "T", "R"] {
        let effects = press(&mut d, key);
        answer(&mut d.state, effects);
        let state = &d.state;
        let query = state.row_query();
        for (row, kept) in state.answers.figures().iter().enumerate().step_by(37) {
            let fresh = query.answer_row(&state.session, &state.rows[row], state.target());
            assert_eq!(*kept, Some(RowFigures::from(&fresh)), "{key}, row {row}");
        }
    }
}

#[test]
fn nothing_is_asked_again_where_nothing_changed() {
    let (mut d, effects) = unanswered();
    answer(&mut d.state, effects);
    let effects = press(&mut d, "c");
    assert!(matches!(&effects[..], [Effect::Compare(_)]), "{effects:?}");
    answer(&mut d.state, effects);
    let compared = d.state.errors.clone();
    assert!(compared.iter().filter(|e| e.is_some()).count() > 3, "{compared:?}");
    let progress = Message::Progress(roofswap::tui::WorkerJob::Read, "reading".into());
    for message in [Message::Resize(120, 40), progress, Message::Wheel(1, 1, true)] {
        assert!(update(&mut d.state, message).is_empty());
    }
    assert_eq!(d.state.errors, compared);
}

#[test]
fn a_row_at_another_size_changes_the_comparison_of_that_row_only() {
    let (mut d, effects) = unanswered();
    answer(&mut d.state, effects);
    let effects = press(&mut d, "c");
    answer(&mut d.state, effects);
    let effects = press(&mut d, "+");
    assert!(!effects.iter().any(|e| matches!(e, Effect::Compare(_))), "{effects:?}");
    let stepped = d.state.errors.clone();
    // The same from the beginning.
    press(&mut d, "esc");
    for key in ["x", "x", "c"] {
        let effects = press(&mut d, key);
        answer(&mut d.state, effects);
    }
    assert_eq!(d.state.errors, stepped);
}

#[test]
fn every_target_has_its_own_mark() {
    let mut session = Session::load(None).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("own.csv");
    let text = "gpu,kernel,problem,flops,dram_bytes,time_ms\nrtx-4070,mine,n=7,1000000,40000000,0.2\n";
    std::fs::write(&file, text).unwrap();
    session.add_data(&file).unwrap();
    let mut d = dashboard(200, 60);
    update(&mut d.state, Message::Loaded(LoadedFiles::without_notes(session, "loaded")));
    // Timed on the main target alone: for it nothing is measured elsewhere, for a further target it is.
    for key in ["a", "tab", "up", "T", "shift-tab", "/", "m", "i", "n", "e", "enter"] {
        press(&mut d, key);
    }
    assert_eq!(d.state.kernel().id, "mine");
    let further = d.state.answers.on_further_targets(d.state.selected)[0].unwrap();
    assert!(d.state.answer().is_estimate() && further.rests_on_measurement, "{}", d.screen());
    let screen = d.screen();
    let line = screen.lines().find(|l| l.contains("▸ mine")).unwrap();
    assert!(line.contains(&format!("{} ◆", further.time)), "{line}");
}

#[test]
fn wide_names_keep_the_columns_in_line() {
    let mut session = Session::load(None).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("own.csv");
    let text = "gpu,kernel,problem,flops,dram_bytes,time_ms\n\
                titan-v,行列乗算カーネル,n=7,1000000,40000000,0.2\ntitan-v,plain,n=7,1000000,40000000,0.2\n";
    std::fs::write(&file, text).unwrap();
    session.add_data(&file).unwrap();
    let mut d = dashboard(120, 40);
    update(&mut d.state, Message::Loaded(LoadedFiles::without_notes(session, "loaded")));
    for key in ["/", "n", "=", "7", "enter"] {
        press(&mut d, key);
    }
    let cells = d.cells();
    let columns: Vec<usize> = ["行列", "plain"]
        .iter()
        .map(|name| {
            let line = cells.iter().find(|l| l[0] == "┃" && l.concat().replace(' ', "").contains(name));
            let line = line.unwrap_or_else(|| panic!("{name}: {}", d.screen()));
            line.iter().position(|cell| cell == "●").unwrap()
        })
        .collect();
    assert_eq!(columns[0], columns[1], "{}", d.screen());
}
