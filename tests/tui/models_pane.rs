//! The Models pane, cell by cell: every model's error here, which one is used and why, what was trained.

#![allow(
    clippy::unwrap_used,
    reason = "clippy.toml allows it in test functions; their builders stand outside"
)]

use crate::stage;
use roofswap::gpu::GpuId;
use roofswap::predict::ModelId;

use roofswap::progress::Progress;
use roofswap::session::{Session, Training};
use roofswap::train::cache::Came;
use roofswap::train::{
    Errors, ModelVerdict, SurveyOf, TrainableModel, Trained, TrainedImportance, WantedLessons, learned,
    trainers,
};
use roofswap::tui::{Effect, LoadedFiles, Message, WorkerJob, update};
use stage::{Dashboard, dashboard};

impl Dashboard {
    pub(crate) fn key(&mut self, key: &str) -> Vec<Effect> {
        update(&mut self.state, Message::Key(key.into()))
    }

    /// Opens the pane, and answers its survey.
    fn open(&mut self) -> SurveyOf {
        let effects = self.key("w");
        self.answer(&effects)
    }

    /// Answers a survey as the worker would with an empty cache.
    fn answer(&mut self, effects: &[Effect]) -> SurveyOf {
        let asked = effects.iter().find_map(|e| match e {
            Effect::Survey { session, of } => Some((session, of)),
            _ => None,
        });
        let (session, of) = asked.expect("a survey is asked for");
        let survey = session.survey(of, &Progress::default()).unwrap();
        let nothing = learned(&trainers(1), Vec::new());
        update(&mut self.state, Message::Surveyed(Some(Box::new((survey, nothing)))));
        of.clone()
    }

    /// A training ends, and the survey after it.
    fn trained(&mut self) {
        let effects = update(&mut self.state, Message::Trained(Some(Ok(Box::new(training())))));
        self.answer(&effects);
    }
}

/// What a training might say; the numbers only show the layout.
fn training() -> Training {
    let importance = |feature: &str, impurity, permutation, published| TrainedImportance {
        feature: feature.into(),
        impurity: Some(impurity),
        permutation: Some(permutation),
        published: Some(published),
    };
    let trained = Trained {
        model: "paper3".into(),
        what: "random forest for the speedup".into(),
        recipe: "forest of 200 trees, depth at most 13; best of 50 trials by MAPE under 3 folds: 27.4 %"
            .into(),
        seed: 1,
        rows: 48,
        gpus: vec!["rtx-4070".into()],
        kernels: vec!["matmul_tiled".into()],
        importances: vec![
            importance("threads_per_block", 0.6, 27.2, 0.0024),
            importance("cgma", 0.3, 0.5, 0.908),
            importance("occupancy", 0.1, -0.3, 0.0005),
        ],
        importance_unit: "points of MAPE on the tested rows".into(),
        errors: vec![
            Errors::from_predictions("80:20 of the rows", &[10.0, 20.0, 40.0], &[11.0, 18.0, 44.0]),
            Errors {
                published: true,
                protocol: "paper 3's Table 2".into(),
                n: 128,
                mape: Some(55.15),
                ..Errors::default()
            },
        ],
        used: ModelVerdict { used: false, why: "it is no time on another GPU".into() },
        notes: vec!["speedup over the slowest launch with one thread per block or one block".into()],
    };
    Training { trained, came: Came::FromCache("/cache/paper3-1.model".into()) }
}

/// Columns that have no room are left out, and none is cut.
#[test]
fn a_narrow_table_of_models_has_whole_columns() {
    let mut d = dashboard(60, 20);
    d.open();
    let screen = d.screen();
    assert!(screen.contains("cover.") && !screen.contains("n (all)"), "{screen}");
    let row = screen.lines().find(|line| line.contains("components ")).unwrap();
    assert!(row.contains("100") && !row.contains('…'), "{screen}");
}

#[test]
fn every_model_with_its_error_here_and_why_it_is_used() {
    for (w, h) in [(80, 24), (120, 40), (200, 60)] {
        let mut d = dashboard(w, h);
        d.open();
        insta::assert_snapshot!(format!("models_{w}x{h}"), d.screen());
    }
}

#[test]
fn what_was_trained_stands_below_or_beside() {
    for (w, h) in [(80, 24), (120, 40), (200, 60)] {
        let mut d = dashboard(w, h);
        d.open();
        d.trained();
        if h < 60 {
            d.key("end");
        }
        insta::assert_snapshot!(format!("models_trained_{w}x{h}"), d.screen());
    }
}

#[test]
fn the_question_in_hand_is_the_selected_row_and_the_arrow_keys_change_what_is_held_out() {
    let mut d = dashboard(80, 24);
    let of = d.open();
    let id = |at: Option<GpuId>| d.state.session.gpus[at.unwrap()].id.clone();
    assert_eq!((id(of.wanted.source).as_str(), id(of.wanted.target).as_str()), ("titan-v", "rtx-4070"));
    let kernel = of.wanted.kernel.unwrap();
    assert_eq!(d.state.session.kernels[kernel].id, "matmul_tiled");
    let protocol = |effects: &[Effect]| {
        effects.iter().find_map(|e| match e {
            Effect::Survey { of, .. } => Some(of.setup.protocol.as_str()),
            _ => None,
        })
    };
    assert_eq!(protocol(&d.key("right")), Some("new-size"));
    assert_eq!(protocol(&d.key("left")), Some("new-gpu"));
    let effects = d.key("m");
    assert!(
        matches!(&effects[..], [Effect::Survey { of, .. }] if of.used.index() == 1),
        "the next model is in use"
    );
}

#[test]
fn a_training_is_started_shown_refused_and_cancelled() {
    let mut d = dashboard(80, 24);
    d.open();
    assert!(matches!(&d.key("enter")[..], [Effect::Train { model: "hybrid", .. }]));
    d.key("o");
    assert!(matches!(&d.key("enter")[..], [Effect::Train { model: "paper3", .. }]));
    update(&mut d.state, Message::Progress(WorkerJob::Train, "training paper3: 40 of 150".into()));
    d.key("end");
    assert!(d.screen().contains("training paper3: 40 of 150 (Esc cancels)"), "{}", d.screen());
    assert!(
        matches!(d.key("esc")[..], [Effect::Cancel(WorkerJob::Train)]),
        "Esc ends the job and leaves the pane open"
    );
    assert!(d.state.jobs.shown_job().is_none() && d.screen().contains("Models ─ which one"));
    d.key("enter");
    let why = "paper3: 0 launches have a reference, and 20 are needed";
    update(&mut d.state, Message::Trained(Some(Err(why.into()))));
    d.key("end");
    assert!(d.screen().contains(why) && d.state.jobs.shown_job().is_none(), "{}", d.screen());
    update(&mut d.state, Message::JobFailed(WorkerJob::Train));
    assert!(d.screen().contains("no model was trained: internal error"), "{}", d.screen());
}

#[test]
fn importances_are_exported_once_there_are_any() {
    let mut d = dashboard(120, 40);
    d.open();
    assert!(d.key("e").is_empty());
    assert!(d.screen().contains("no trained model has importances yet"), "{}", d.screen());
    d.trained();
    d.key("e");
    let effects = d.key("enter");
    let [Effect::Export { path, spec, .. }] = &effects[..] else { panic!("{effects:?}") };
    assert_eq!(path.to_str(), Some("importances-paper3.svg"));
    assert_eq!(spec.title, "Importances: paper3");
}

#[test]
fn new_rows_forget_what_was_trained_on_others() {
    let mut d = dashboard(80, 24);
    d.open();
    update(&mut d.state, Message::Trained(Some(Ok(Box::new(training())))));
    let session = Session::load(None).unwrap();
    let loaded = LoadedFiles::without_notes(session, "3 rows");
    let effects = update(&mut d.state, Message::Loaded(loaded));
    assert!(matches!(&effects[..], [Effect::Survey { .. }]), "{effects:?}");
    assert!(d.state.models.training.is_none());
}

/// Whether the errors of every model, and those of the one in use, are asked for.
fn asked(effects: &[Effect]) -> [bool; 2] {
    [
        effects.iter().any(|e| matches!(e, Effect::Survey { .. })),
        effects.iter().any(|e| matches!(e, Effect::Evaluate { .. })),
    ]
}

#[test]
fn whatever_changes_the_question_or_opens_the_pane_asks_once() {
    let mut d = dashboard(80, 24);
    assert_eq!(asked(&d.key("w")), [true, false]);
    // The model, by its name.
    let mut effects = d.key(":");
    for key in ["m", "o", "d", "e", "l", "space", "s", "a", "m", "e", "enter"] {
        effects.extend(d.key(key));
    }
    assert_eq!(asked(&effects), [true, false], "{}", d.screen());
    // Rows that were picked.
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("own.csv");
    std::fs::write(&file, "gpu,kernel,problem,time_ms\nrtx-4070,saxpy,n=65536,0.2\n").unwrap();
    let mut session = (*d.state.session).clone();
    let added = session.add_file(&file).unwrap();
    let effects = update(&mut d.state, Message::Imported(stage::imported(session, file, added)));
    assert_eq!(asked(&effects), [true, false]);
    // A folded pane is opened: by a click on its title, and by room for all of them.
    let lines: Vec<String> = d.cells().iter().map(|line| line.concat()).collect();
    let title = lines.iter().position(|line| line.contains("▸ Errors")).unwrap();
    let effects = update(&mut d.state, Message::Click(3, title.try_into().unwrap()));
    assert_eq!(asked(&effects), [false, true], "{}", d.screen());
    assert_eq!(asked(&d.key("right")), [false, true]);
    assert_eq!(asked(&update(&mut d.state, Message::Resize(200, 60))), [true, false]);
    assert_eq!(asked(&update(&mut d.state, Message::Resize(200, 61))), [false, false]);
}

#[test]
fn a_file_of_the_cache_is_listed_with_its_state() {
    let mut d = dashboard(80, 40);
    d.key("w");
    let survey = d.state.session.survey(&SurveyOf::default(), &Progress::default()).unwrap();
    let stale = TrainableModel {
        model: "paper3".into(),
        what: "random forest".into(),
        needs: "launches".into(),
        state: "damaged".into(),
        why: "checksum 1, not 2; it is trained again where it is wanted".into(),
        path: Some("paper3-1.model".into()),
        written: Some("2026-11-21".into()),
        trained: None,
        is_comparison: false,
    };
    update(&mut d.state, Message::Surveyed(Some(Box::new((survey, vec![stale])))));
    let screen = d.screen();
    assert!(
        screen.contains("paper3: damaged, 2026-11-21") && screen.contains("checksum 1, not 2"),
        "{screen}"
    );
}

#[test]
fn the_users_rows_are_learned_from_and_hybrid_answers_where_it_was_better() {
    let mut d = dashboard(120, 40);
    let mut session = Session::load(None).unwrap();
    let mut text = String::from("gpu,kernel,problem,time_ms\n");
    // On every GPU four times as slow where L2 does not hold the working set: what `components` does not know.
    for i in 0..12 {
        let n = 65_536 + i * i * 60_000;
        for (gpu, rate, l2) in [
            ("titan-v", 600e9, 4.5e6),
            ("rtx-2080-ti", 540e9, 5.5e6),
            ("gtx-1080-ti", 400e9, 2.75e6),
            ("a100-pcie-40gb", 1400e9, 40e6),
        ] {
            let bytes = 12.0 * f64::from(n);
            let ms = 20.0 * bytes / rate * if bytes > l2 { 2.0 } else { 1.0 } * 1e3;
            text += &format!("{gpu},saxpy,n={n},{ms}\n");
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("own.csv");
    std::fs::write(&file, text).unwrap();
    session.add_data(&file).unwrap();
    let effects = update(&mut d.state, Message::Loaded(LoadedFiles::without_notes(session, "48 rows")));
    let learn = effects.iter().find_map(|e| if let Effect::Learn(of) = e { Some(of) } else { None });
    let of = learn.expect("it learns");
    assert_eq!(d.state.selection.settings.model, ModelId::default());
    let lessons = of.learn_lessons(&WantedLessons::default(), &Default::default()).unwrap();
    let used = lessons.any_used();
    let other = Session::load(None).unwrap().revision();
    let again = update(&mut d.state, Message::Learned(other, Box::new(lessons.clone())));
    assert!(again.iter().any(|e| matches!(e, Effect::Learn(_))), "asked again");
    assert_eq!(
        d.state.selection.settings.model,
        ModelId::default(),
        "learned from rows that are no longer there"
    );
    update(&mut d.state, Message::Learned(of.revision(), Box::new(lessons)));
    assert!(used && d.screen().contains("hybrid"), "{}", d.screen());
    d.key("m");
    update(&mut d.state, Message::Loaded(LoadedFiles::without_notes((*of.clone()).clone(), "again")));
    assert!(d.screen().contains("efficiency-transfer"), "a chosen model stays:\n{}", d.screen());
}

/// Of the recipes that the footer has no word for, too.
#[test]
fn the_recipe_that_is_chosen_is_named() {
    let mut d = dashboard(80, 24);
    d.open();
    for recipe in trainers(0).iter().skip(1) {
        d.key("o");
        assert!(
            d.screen().contains(&format!("Enter trains {} on the loaded rows", recipe.id())),
            "{}",
            d.screen()
        );
    }
}

/// What is still fitted is not said to wait for Enter.
#[test]
fn while_rows_are_read_no_training_is_asked_for() {
    let mut d = dashboard(200, 80);
    let hint = "no model of the loaded rows is trained: Enter trains hybrid";
    d.open();
    d.key("end");
    assert!(d.screen().contains(hint), "{}", d.screen());
    d.state.jobs.start_job(WorkerJob::Read, "reading rows.csv: 2 of 17 MB");
    let screen = d.screen();
    assert!(!screen.contains(hint) && screen.contains("`hybrid` is fitted to them"), "{screen}");
}
