//! What a person waits for: the first frame, and a key until its frame, with 60 GPUs or more and 1,000 or 10,000 rows, also with
//! all models open, with further targets, and on the board; the worker predicts and ranks beside it.
//! `cargo bench --features bench` prints criterion's figures; the 99th percentile over 2,000 keys is printed before them.

#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs, reason = "a benchmark, run by hand")]

use criterion::{Criterion, criterion_group, criterion_main};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use roofswap::progress::Progress;
use roofswap::session::Session;
use roofswap::tui::{
    DashboardOptions, DashboardState, Effect, LoadedFiles, Message, first_state, lower_priority, update, view,
};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

const SCREEN: (u16, u16) = (200, 60);

/// GPUs beside the shipped ones until there are 60: copies of one shipped file under other names.
fn more_gpus(folder: &Path) {
    let shipped = include_str!("../../specs/gpus/volta/titan-v.toml");
    std::fs::create_dir_all(folder.join("gpus")).unwrap();
    let have = Session::load(None).unwrap().gpus.entries().len();
    for i in 0..60usize.saturating_sub(have) {
        let renamed: Vec<String> = shipped
            .lines()
            .map(|line| match line.split_once('=').map(|(k, _)| k.trim()) {
                Some("id") => format!("id = \"bench-{i}\""),
                Some("aliases") => "aliases = []".into(),
                _ => line.to_string(),
            })
            .collect();
        std::fs::write(folder.join(format!("gpus/bench-{i}.toml")), renamed.join("\n")).unwrap();
    }
}

/// Measured sizes until there are 1,000 rows. The times are made up: a benchmark of the screen, not of a GPU.
fn more_rows(file: &Path, rows: usize) {
    let mut text = String::from("gpu,kernel,problem,time_ms\n");
    for i in 0..rows {
        writeln!(text, "titan-v,saxpy,n={},{}", 1000 + 7 * i, 0.01 + i as f64 * 1e-4).unwrap();
    }
    std::fs::write(file, text).unwrap();
}

fn large_state(rows: usize) -> DashboardState {
    let folder = tempfile::tempdir().unwrap();
    more_gpus(folder.path());
    let mut session = Session::load(Some(folder.path())).unwrap();
    let csv = folder.path().join("rows.csv");
    let first = first_state(session.clone(), &DashboardOptions::default()).unwrap().rows.len();
    more_rows(&csv, rows - first);
    session.add_data(&csv).unwrap();
    let mut state = first_state(session, &DashboardOptions::default()).unwrap();
    assert!(state.session.gpus.entries().len() >= 60);
    assert_eq!(state.rows.len(), rows);
    update(&mut state, Message::Resize(SCREEN.0, SCREEN.1));
    state
}

/// The shipped world with the occupancy pane on the whole screen.
fn zoomed_occupancy() -> DashboardState {
    let mut state = first_state(Session::load(None).unwrap(), &DashboardOptions::default()).unwrap();
    update(&mut state, Message::Resize(SCREEN.0, SCREEN.1));
    for key in ["shift-tab", "z"] {
        update(&mut state, Message::Key(key.into()));
    }
    state
}

fn press_and_draw(state: &mut DashboardState, terminal: &mut Terminal<TestBackend>, key: &str) {
    update(state, Message::Key(key.into()));
    terminal.draw(|frame| view(frame, state)).unwrap();
}

const KEYS: &[&str] = &["x", "m", "P", "x", "R", "+", "-", "down", "o", "x"];

/// On the board: the cursor, the order, other kernels and another source.
const BOARD_KEYS: &[&str] = &["down", "o", "down", "]", "O", "up", "x", "end", "[", "home"];

/// With all models open, every key leaves them open.
const COMPARED_KEYS: &[&str] = &["x", "m", "P", "x", "R", "+", "-", "]", "M", "x"];

/// The dashboard's loop without a terminal: a worker thread answers what `update` asks for, the newest question first.
struct Loop {
    state: DashboardState,
    questions: Sender<Effect>,
    answers: Receiver<Message>,
}

impl Loop {
    fn new(state: DashboardState) -> Self {
        let (questions, asked) = channel::<Effect>();
        let (said, answers) = channel();
        rayon::broadcast(|_| lower_priority());
        std::thread::spawn(move || {
            lower_priority();
            while let Ok(first) = asked.recv() {
                let newest = asked.try_iter().last().unwrap_or(first);
                let overtaken = || false;
                let message = match newest {
                    Effect::Predict(q) => Message::Predicted(q.answer_rows(&overtaken).map(Box::new)),
                    Effect::Compare(q) => Message::Compared(q.answer_models(&overtaken).map(Box::new)),
                    Effect::Rank(q) => {
                        let board = q.rank_rows(&Progress::default());
                        Message::Ranked(board.map(|board| Box::new((q.asked, board))))
                    }
                    _ => continue,
                };
                if said.send(message).is_err() {
                    return;
                }
            }
        });
        Self { state, questions, answers }
    }

    fn press(&mut self, key: &str) {
        let effects = update(&mut self.state, Message::Key(key.into()));
        self.ask(effects);
    }

    fn ask(&self, effects: Vec<Effect>) {
        for effect in effects {
            self.questions.send(effect).unwrap();
        }
    }

    /// Of 2,000 keys with their frames, and of the worker's answers with theirs: the 50th and 99th percentile, the longest.
    fn percentiles(&mut self, terminal: &mut Terminal<TestBackend>, keys: &[&str]) -> String {
        let (mut of_keys, mut of_answers) = (Vec::new(), Vec::new());
        let mut slowest: Option<(Duration, &str)> = None;
        for i in 0..2000 {
            let key = keys[i % keys.len()];
            let took = self.timed(terminal, Message::Key(key.into()));
            slowest = slowest.filter(|(most, _)| *most >= took).or(Some((took, key)));
            of_keys.push(took);
            // As often as keys repeat while one is held; the worker answers meanwhile.
            let next = Instant::now() + REPEAT;
            while let Some(left) = next.checked_duration_since(Instant::now()) {
                if let Ok(answer) = self.answers.recv_timeout(left) {
                    of_answers.push(self.timed(terminal, answer));
                }
            }
        }
        let by_key: Vec<String> = (0..keys.len()).map(|at| median_of_key(&of_keys, at, keys)).collect();
        let slowest = slowest.map_or("", |(_, key)| key);
        let medians = by_key.join(" ");
        let (keys, answers) = (told(of_keys), told(of_answers));
        format!("keys {keys} ({slowest}); answers {answers}\n  medians {medians}")
    }

    /// Until the frame is drawn; the worker is asked after it, as in the dashboard.
    fn timed(&mut self, terminal: &mut Terminal<TestBackend>, message: Message) -> Duration {
        let start = Instant::now();
        let effects = update(&mut self.state, message);
        terminal.draw(|frame| view(frame, &self.state)).unwrap();
        let took = start.elapsed();
        self.ask(effects);
        took
    }
}

/// `x 2.1ms`: the median of the key at this place in the round.
fn median_of_key(times: &[Duration], at: usize, keys: &[&str]) -> String {
    let mut own: Vec<Duration> = times.iter().copied().skip(at).step_by(keys.len()).collect();
    own.sort();
    format!("{} {:.1?}", keys[at], own[own.len() / 2])
}

/// How often a held key repeats.
const REPEAT: Duration = Duration::from_millis(33);

fn told(mut times: Vec<Duration>) -> String {
    times.sort();
    let Some(longest) = times.last() else { return "none".into() };
    let at = |percent: usize| times[times.len() * percent / 100];
    format!("n {}, p50 {:?}, p99 {:?}, max {longest:?}", times.len(), at(50), at(99))
}

/// The zoomed occupancy with its four curves: the problem slid along the saw-tooth, GPUs swapped, rules and curve changed.
const CURVE_KEYS: &[&str] = &[".", ".", ".", ",", "x", ".", "R", "right", "R", ","];

fn percentile_99(
    state: &mut DashboardState,
    terminal: &mut Terminal<TestBackend>,
    keys: &[&str],
) -> Duration {
    let mut times: Vec<Duration> = (0..2000)
        .map(|i| {
            let start = Instant::now();
            press_and_draw(state, terminal, keys[i % keys.len()]);
            start.elapsed()
        })
        .collect();
    times.sort();
    times[times.len() * 99 / 100]
}

/// What the loop does when a million rows arrive that the worker has read and arranged; and the steps of a size after it.
fn take_a_million() {
    let folder = tempfile::tempdir().unwrap();
    let csv = folder.path().join("rows.csv");
    more_rows(&csv, 1_000_000);
    let mut session = Session::load(None).unwrap();
    let mut state = first_state(session.clone(), &DashboardOptions::default()).unwrap();
    session.add_data(&csv).unwrap();
    let start = Instant::now();
    session.arrange();
    let arranged = start.elapsed();
    let start = Instant::now();
    update(&mut state, Message::Loaded(LoadedFiles::without_notes(session, "loaded")));
    let taken = start.elapsed();
    let start = Instant::now();
    update(&mut state, Message::Key("+".into()));
    println!(
        "a million rows: arranged by the worker in {arranged:?}, taken in {taken:?}, size stepped in {:?}",
        start.elapsed()
    );
}

fn frames(c: &mut Criterion) {
    take_a_million();
    let mut terminal = Terminal::new(TestBackend::new(SCREEN.0, SCREEN.1)).unwrap();
    for rows in [1_000, 10_000] {
        let mut dashboard = Loop::new(large_state(rows));
        println!(
            "key to frame, 200x60, {} GPUs, {rows} rows: {}",
            dashboard.state.session.gpus.entries().len(),
            dashboard.percentiles(&mut terminal, KEYS)
        );
        dashboard.press("c");
        println!(
            "key to frame, the same with all models open: {}",
            dashboard.percentiles(&mut terminal, COMPARED_KEYS)
        );
        dashboard.press("esc");
        dashboard.press("8");
        println!(
            "key to frame, the same with a target of each architecture: {}",
            dashboard.percentiles(&mut terminal, KEYS)
        );
        dashboard.press("8");
        dashboard.press("2");
        println!(
            "key to frame, the board of {} GPUs: {}",
            dashboard.state.session.gpus.entries().len(),
            dashboard.percentiles(&mut terminal, BOARD_KEYS)
        );
    }
    let mut state = zoomed_occupancy();
    println!(
        "key to frame, 200x60, zoomed occupancy with four curves: p99 {:?}",
        percentile_99(&mut state, &mut terminal, CURVE_KEYS)
    );
    let mut state = zoomed_occupancy();
    c.bench_function("key_to_frame/slide_size_with_four_curves_200x60", |b| {
        let mut i = 0;
        b.iter(|| {
            i += 1;
            press_and_draw(&mut state, &mut terminal, if i % 16 < 8 { "." } else { "," });
        })
    });
    let mut state = large_state(1000);
    c.bench_function("key_to_frame/swap_1000_rows_200x60", |b| {
        b.iter(|| press_and_draw(&mut state, &mut terminal, "x"))
    });
    c.bench_function("key_to_frame/cursor_200x60", |b| {
        b.iter(|| press_and_draw(&mut state, &mut terminal, "down"))
    });
    c.bench_function("first_frame/load_and_draw_200x60", |b| {
        b.iter(|| {
            let state = first_state(Session::load(None).unwrap(), &DashboardOptions::default()).unwrap();
            terminal.draw(|frame| view(frame, &state)).unwrap();
        });
    });
}

criterion_group!(benches, frames);
criterion_main!(benches);
