//! What `hybrid` learned is neither lost nor stale: clocks are typed, files are read and kernels are timed while it learns.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

use crate::stage::{Dashboard, dashboard};
use roofswap::measurement::CanonicalRow;
use roofswap::predict::{HYBRID, Lesson, Lessons, MODELS};
use roofswap::session::{MeasuredHere, Session};
use roofswap::train::WantedLessons;
use roofswap::tui::{Effect, LoadedFiles, Message, update};
use std::sync::Arc;

/// saxpy on four GPUs, twice as slow where L2 does not hold the working set: what `components` does not know.
fn own_rows() -> String {
    let gpus = [
        ("titan-v", 600e9, 4.5e6),
        ("rtx-2080-ti", 540e9, 5.5e6),
        ("gtx-1080-ti", 400e9, 2.75e6),
        ("a100-pcie-40gb", 1400e9, 40e6),
    ];
    let mut text = String::from("gpu,kernel,problem,time_ms\n");
    for i in 0..12 {
        let n = 65_536 + i * i * 60_000;
        for (gpu, rate, l2) in gpus {
            let bytes = 12.0 * f64::from(n);
            let ms = 20.0 * bytes / rate * if bytes > l2 { 2.0 } else { 1.0 } * 1e3;
            text += &format!("{gpu},saxpy,n={n},{ms}\n");
        }
    }
    text
}

fn press(d: &mut Dashboard, key: &str) -> Vec<Effect> {
    update(&mut d.state, Message::Key(key.into()))
}

/// The session that an effect wants to be learned from.
fn learning_of(effects: &[Effect]) -> Arc<Session> {
    let found = effects.iter().find_map(|e| if let Effect::Learn(of) = e { Some(of.clone()) } else { None });
    found.unwrap_or_else(|| panic!("nobody learns: {effects:?}"))
}

fn lessons_of(session: &Session) -> Lessons {
    session.learn_lessons(&WantedLessons::default(), &Default::default()).unwrap()
}

fn model_of(d: &Dashboard) -> &'static str {
    MODELS[d.state.selection.settings.model].id()
}

/// A dashboard with these rows loaded, and the session that it learns from.
fn with_own_rows() -> (Dashboard, Arc<Session>) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("own.csv");
    std::fs::write(&file, own_rows()).unwrap();
    let mut session = Session::load(None).unwrap();
    session.add_data(&file).unwrap();
    let mut d = dashboard(120, 40);
    let effects = update(&mut d.state, Message::Loaded(LoadedFiles::without_notes(session, "48 rows")));
    let of = learning_of(&effects);
    (d, of)
}

#[test]
fn what_was_learned_while_a_clock_was_typed_is_kept() {
    let (mut d, of) = with_own_rows();
    let lessons = lessons_of(&of);
    press(&mut d, "f");
    update(&mut d.state, Message::Paste("mem=5000MHz".into()));
    press(&mut d, "enter");
    assert_eq!(d.state.session.tunings().len(), 1, "{:?}", d.state.overlays);
    update(&mut d.state, Message::Learned(of.revision(), Box::new(lessons)));
    assert!(d.state.session.lessons().any_used());
    assert_eq!(model_of(&d), HYBRID);
}

#[test]
fn rows_that_are_timed_here_are_learned_from_and_what_is_stale_is_not_used() {
    let (mut d, of) = with_own_rows();
    let lessons = lessons_of(&of);
    update(&mut d.state, Message::Learned(of.revision(), Box::new(lessons.clone())));
    assert_eq!(model_of(&d), HYBRID);
    let row = CanonicalRow {
        gpu: "titan-v".into(),
        kernel: "saxpy".into(),
        problem: "n=4096".into(),
        ..CanonicalRow::default()
    };
    let mut row = row;
    row.set(roofswap::measurement::Number::Time, Some(0.01));
    let (rows, summary) = (vec![row], "saxpy on titan-v: 10 µs".to_string());
    let timed = MeasuredHere { rows, summary, notices: Vec::new() };
    let effects = update(&mut d.state, Message::MeasuredHere(Ok(Box::new(timed))));
    let again = learning_of(&effects);
    assert_ne!(again.revision(), of.revision());
    assert!(
        d.state.message.as_ref().unwrap().1.contains("`hybrid` is fitted again"),
        "{:?}",
        d.state.message
    );
    // The old answer comes late: it is asked for once more.
    let asked = update(&mut d.state, Message::Learned(of.revision(), Box::new(lessons)));
    assert_eq!(learning_of(&asked).revision(), again.revision());
    assert!(d.state.session.lessons().is_empty());
    update(&mut d.state, Message::Learned(again.revision(), Box::new(lessons_of(&again))));
    assert_eq!(model_of(&d), HYBRID);
}

#[test]
fn another_build_of_a_kernel_is_learned_from_again() {
    let (mut d, of) = with_own_rows();
    update(&mut d.state, Message::Learned(of.revision(), Box::new(lessons_of(&of))));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("build.log");
    let log =
        "ptxas info : Compiling entry function '_Z5saxpyPf' for 'sm_89'\nptxas info : Used 77 registers\n";
    std::fs::write(&file, log).unwrap();
    let mut session = (*d.state.session).clone();
    let added = session.add_file(&file).unwrap();
    let effects = update(&mut d.state, Message::Imported(crate::stage::imported(session, file, added)));
    assert_ne!(learning_of(&effects).revision(), of.revision());
    assert!(d.state.session.lessons().is_empty(), "learned from the errors of another build");
}

/// What `hybrid` is used for is said: kernels without corrections have the times of `components`.
#[test]
fn the_kernels_that_hybrid_corrects_are_counted() {
    let (mut d, of) = with_own_rows();
    let mut lessons = lessons_of(&of);
    let other = of.kernels.position("dot_product").unwrap();
    let unused = lessons.iter().next().map(|(.., lesson)| Lesson { taught: None, ..lesson.clone() }).unwrap();
    lessons.insert(other, None, Arc::new(unused));
    update(&mut d.state, Message::Learned(of.revision(), Box::new(lessons.clone())));
    let said = d.state.message.clone().unwrap().1;
    assert!(
        said.contains(
            "using `hybrid` for 1 of 2 kernels: its corrections lower the error on GPUs or kernels left out"
        ),
        "{said}"
    );
    let (mut d, of) = with_own_rows();
    update(&mut d.state, Message::Learned(of.revision(), Box::new(lessons_of(&of))));
    let said = d.state.message.clone().unwrap().1;
    assert!(
        said.contains("using `hybrid`: its corrections lower the error on GPUs or kernels left out"),
        "{said}"
    );
}
