//! Which job Esc cancels: the one that the screen shows, and never the automatic learning.

#![allow(
    clippy::unwrap_used,
    reason = "clippy.toml allows it in test functions; their builders stand outside"
)]

use crate::stage::{Dashboard, dashboard};
use roofswap::predict::Lessons;
use roofswap::session::Session;
use roofswap::tui::{Effect, LoadedFiles, Message, WorkerJob, update};

fn press(d: &mut Dashboard, key: &str) -> Vec<Effect> {
    update(&mut d.state, Message::Key(key.into()))
}

/// Rows of a kernel on two GPUs, from which there is something to learn.
fn rows_to_learn_from() -> Session {
    let mut session = Session::load(None).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("own.csv");
    let mut text = String::from("gpu,kernel,problem,time_ms\n");
    for (gpu, ms) in [("titan-v", 0.1), ("rtx-2080-ti", 0.2), ("gtx-1080-ti", 0.3)] {
        text += &format!("{gpu},saxpy,n=65536,{ms}\n{gpu},saxpy,n=131072,{}\n", 2.0 * ms);
    }
    std::fs::write(&file, text).unwrap();
    session.add_data(&file).unwrap();
    session
}

/// A dashboard that learns from rows; and what it learns from.
fn learning() -> (Dashboard, std::sync::Arc<Session>) {
    let mut d = dashboard(80, 24);
    let loaded = LoadedFiles::without_notes(rows_to_learn_from(), "6 rows");
    let effects = update(&mut d.state, Message::Loaded(loaded));
    let learn = effects.iter().find_map(|e| if let Effect::Learn(of) = e { Some(of) } else { None });
    let session = learn.expect("it learns");
    let session = session.clone();
    (d, session)
}

#[test]
fn a_learning_that_ends_leaves_the_evaluation_cancellable() {
    let (mut d, session) = learning();
    assert!(press(&mut d, "v").iter().any(|e| matches!(e, Effect::Evaluate { .. })));
    update(&mut d.state, Message::Learned(session.revision(), Box::<Lessons>::default()));
    assert!(d.screen().contains("evaluating the model"), "{}", d.screen());
    assert!(matches!(press(&mut d, "esc")[..], [Effect::Cancel(WorkerJob::Evaluate)]));
}

#[test]
fn esc_leaves_the_learning_alone() {
    let (mut d, _) = learning();
    press(&mut d, "z");
    update(&mut d.state, Message::Progress(WorkerJob::Learn, "learning from your rows: 3 of 12".into()));
    let screen = d.screen();
    assert!(screen.contains("learning from your rows") && !screen.contains("Esc cancels"), "{screen}");
    assert!(press(&mut d, "esc").is_empty() && !d.state.zoom, "it leaves the zoom instead");
    assert!(d.state.jobs.is_running(WorkerJob::Learn));
}

#[test]
fn esc_cancels_what_the_footer_shows_and_then_what_was_behind_it() {
    let mut d = dashboard(80, 24);
    press(&mut d, "H");
    press(&mut d, "v");
    d.state.overlays.clear();
    assert!(d.screen().contains("evaluating the model"), "{}", d.screen());
    assert!(matches!(press(&mut d, "esc")[..], [Effect::Cancel(WorkerJob::Evaluate)]));
    assert!(d.screen().contains("looking for a GPU on this machine"), "{}", d.screen());
    assert!(matches!(press(&mut d, "esc")[..], [Effect::Cancel(WorkerJob::MeasureHere)]));
    update(&mut d.state, Message::Progress(WorkerJob::MeasureHere, "timing: 3 of 20".into()));
    assert!(!d.screen().contains("timing: 3"), "a late report of a cancelled job: {}", d.screen());
}

#[test]
fn an_evaluation_is_not_cancelled_from_another_sheet() {
    let mut d = dashboard(80, 24);
    press(&mut d, "H");
    press(&mut d, "v");
    press(&mut d, "esc");
    press(&mut d, "?");
    assert!(press(&mut d, "esc").is_empty(), "Esc closes the help first");
    assert!(d.state.jobs.is_running(WorkerJob::MeasureHere));
}
