//! What the dashboard shows, cell by cell, at the three sizes it is designed for.

#![allow(
    clippy::unwrap_used,
    reason = "clippy.toml allows it in test functions; their builders stand outside"
)]

use crate::stage;

use roofswap::audit::{AuditSheet, audit, read_text};
use roofswap::progress::Progress;
use roofswap::report::audit::Digest;
use roofswap::session::Session;
use roofswap::tui::{
    DashboardOptions, Effect, Evaluated, LoadedFiles, Message, WorkerJob, first_state, update,
};
use roofswap::units::Seconds;
use stage::{Dashboard, dashboard, imported};

impl Dashboard {
    /// Presses keys, separated by spaces.
    fn press(mut self, keys: &str) -> Self {
        for key in keys.split_whitespace() {
            update(&mut self.state, Message::Key(key.into()));
        }
        self
    }

    fn ascii(mut self) -> Self {
        self.state.ascii = true;
        self
    }
}

/// A screen at 80x24, 120x40 and 200x60.
macro_rules! screens {
    ($($name:ident: $keys:literal,)+) => {$(
        #[test]
        fn $name() {
            for (w, h) in [(80, 24), (120, 40), (200, 60)] {
                insta::assert_snapshot!(format!("{}_{w}x{h}", stringify!($name)), dashboard(w, h).press($keys).screen());
            }
        }
    )+};
}

screens! {
    first: "",
    swapped_and_larger: "x +",
    explained: "enter",
    explained_without_a_timed_run: "/ a t o m i c enter enter",
    gemm_tiles: "W",
    gemm_of_a_thin_product: "W right - - - - x",
    zoomed_gpus: "tab z",
    zoomed_roofline: "tab tab z L L L",
    zoomed_occupancy: "shift-tab z",
    slid_along_the_saw_tooth: "/ s a x p y enter shift-tab z left . . .",
}

/// A screen at 80x24 only.
macro_rules! small_screens {
    ($($name:ident: $keys:literal,)+) => {$(
        #[test]
        fn $name() {
            insta::assert_snapshot!(stringify!($name), dashboard(80, 24).press($keys).screen());
        }
    )+};
}

/// The evaluation of the shipped figures, as the worker would hand it over.
#[test]
fn evaluated() {
    for (w, h) in [(80, 24), (120, 40), (200, 60)] {
        let mut d = dashboard(w, h).press("v");
        let session = d.state.session.clone();
        let setup = roofswap::evaluate::EvaluationSetup::default();
        let done = Evaluated::new(&session, Default::default(), &setup, &Progress::default()).unwrap();
        update(&mut d.state, Message::Evaluated(Some(Box::new(done))));
        assert!(w != 120 || d.screen().contains("-25 %"), "the legend of the chart is whole: {}", d.screen());
        insta::assert_snapshot!(format!("evaluated_{w}x{h}"), d.screen());
    }
}

/// One row alone is no case: the reason stands there once, and there is no picture, as of `export evaluation`.
#[test]
fn an_evaluation_without_a_case_says_why_once_and_draws_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("one.csv");
    std::fs::write(&file, "gpu,kernel,problem,flops,dram_bytes,time_ms\nrtx-a4500,sobel,n=7,10,40,0.2\n")
        .unwrap();
    let mut session = Session::load(None).unwrap();
    session.add_file(&file).unwrap();
    let setup = roofswap::evaluate::EvaluationSetup::default();
    let mut d = dashboard(160, 50).press("v");
    let done = Evaluated::new(&session, Default::default(), &setup, &Progress::default()).unwrap();
    update(&mut d.state, Message::Evaluated(Some(Box::new(done))));
    let why = "no case: no configuration (kernel, problem, variant) was measured on two GPUs";
    let screen = d.screen();
    assert!(screen.contains(why) && screen.contains(", 1 row "), "{screen}");
    assert!(!screen.contains("not applicable") && !screen.contains("predicted vs measured"), "{screen}");
    let effects = update(&mut d.state, Message::Key("e".into()));
    assert!(effects.is_empty() && d.state.overlays.is_empty(), "{effects:?}");
    assert_eq!(
        d.screen().matches(why).count(),
        2,
        "in the pane and in the answer to the key: {}",
        d.screen()
    );
}

/// Names of pairs are whole where the pane has room for them, beside the chart too.
#[test]
fn pairs_of_gpus_are_named_whole_where_there_is_room() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("two.csv");
    let mut rows = "gpu,kernel,problem,flops,dram_bytes,time_ms\n".to_string();
    for (gpu, time) in [("rtx-4070-ti", 0.2), ("rtx-6000-ada", 0.1)] {
        let of_size = |n: u32| format!("{gpu},sobel,n={n},{},{},{}\n", n * 10, n * 40, time * f64::from(n));
        rows.extend([7, 8, 9].map(of_size));
    }
    std::fs::write(&file, rows).unwrap();
    let mut session = Session::load(None).unwrap();
    session.add_file(&file).unwrap();
    let setup = roofswap::evaluate::EvaluationSetup::default();
    let done = Evaluated::new(&session, Default::default(), &setup, &Progress::default()).unwrap();
    for (width, height) in [(100, 40), (120, 40)] {
        let mut d = dashboard(width, height).press("v");
        update(&mut d.state, Message::Evaluated(Some(Box::new(done.clone()))));
        let screen = d.screen();
        assert!(screen.contains("rtx-4070-ti -> rtx-6000-ada "), "{screen}");
        assert!(screen.contains("coverage"), "{screen}");
    }
}

/// Instances of one template are told apart wherever kernels are named, however long their names are.
#[test]
fn long_names_of_instances_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("long.csv");
    let mut rows = "gpu,kernel,problem,flops,dram_bytes,time_ms\n".to_string();
    for (stages, tile) in [(3, 64), (3, 128), (4, 64), (4, 128)] {
        let blank = "cutlass::gemm::collective::".repeat(8);
        let kernel =
            format!("void cutlass::device_kernel<{blank}Mma<{stages},cute::C<{tile}>,{blank}X>>(Params)");
        for (gpu, time) in [("titan-v", 0.4), ("rtx-4070", 0.3)] {
            rows.push_str(&format!("{gpu},\"{kernel}\",n=1024,2147483648,8388608,{time}\n"));
        }
    }
    std::fs::write(&file, rows).unwrap();
    let mut session = Session::load(None).unwrap();
    session.add_file(&file).unwrap();
    let setup = roofswap::evaluate::EvaluationSetup::default();
    let done = Evaluated::new(&session, Default::default(), &setup, &Progress::default()).unwrap();
    let mut d = dashboard(80, 24);
    let loaded = LoadedFiles::without_notes(session, "8 measured rows loaded");
    update(&mut d.state, Message::Loaded(loaded));
    let apart = ["3…64", "3…128", "4…64", "4…128"].map(|parts| format!("device_kernel…{parts} "));
    let is_apart = |d: &Dashboard| apart.iter().all(|name| d.screen().contains(name));
    let mut d = d.press("/ d e v i c e _ k enter");
    assert!(is_apart(&d), "{}", d.screen());
    d = d.press("v");
    update(&mut d.state, Message::Evaluated(Some(Box::new(done))));
    assert!(is_apart(&d), "{}", d.screen());
    d = d.press(": k e r n e l space d e v i c e _ k");
    assert!(is_apart(&d), "{}", d.screen());
}

/// A column that has no room is left out whole, as the rest of a line is.
#[test]
fn narrow_tables_have_whole_columns() {
    let compared = dashboard(60, 20).press("c").screen();
    assert!(compared.contains("90 % interval  ") && !compared.contains("speed"), "{compared}");
    let tiles = dashboard(60, 20).press("W").screen();
    assert!(tiles.contains("90 %  power  ") && !tiles.contains("power       90"), "{tiles}");
    assert!(tiles.contains("stepping all ") && tiles.contains("Esc closes ━"), "{tiles}");
    let mut board = dashboard(60, 20);
    for key in ["2", "o", "o"] {
        board.play(Message::Key(key.into()));
    }
    assert!(board.screen().contains(" launch $┃"), "{}", board.screen());
}

#[test]
fn an_evaluation_is_asked_for_overtaken_and_cancelled() {
    let mut d = dashboard(80, 24);
    let mut key = |key: &str| update(&mut d.state, Message::Key(key.into()));
    let first = |e: &Effect| matches!(e, Effect::Evaluate { model, .. } if model.index() == 0);
    let asked = |effects: &[Effect]| effects.iter().any(first);
    assert!(asked(&key("v")));
    let effects = key("right");
    let protocol =
        |e: &Effect| matches!(e, Effect::Evaluate { setup, .. } if setup.protocol.as_str() == "new-size");
    assert!(effects.iter().any(protocol), "right changes what is held out");
    assert!(
        key("m").iter().any(|e| matches!(e, Effect::Evaluate { model, .. } if model.index() == 1)),
        "another model is measured at once"
    );
    assert!(matches!(key("esc")[..], [Effect::Cancel(WorkerJob::Evaluate)]));
    assert!(!d.state.jobs.is_running(WorkerJob::Evaluate));
    let d = d.press("esc esc");
    assert!(d.state.jobs.shown_job().is_none() && d.screen().contains("Errors"), "{}", d.screen());
}

small_screens! {
    compared: "c",
    compared_where_some_refuse: "/ h i s t o enter c",
    explained_further_down: "enter ctrl-d ctrl-d",
    explained_by_a_model_without_components: "m m m enter",
    help: "?",
    palette: ": s w",
    limiters_differ: "/ c o n v 2 d _ 3 enter shift-tab z right",
    zoomed_predictions: "z",
    no_gpu_matches: "tab / q q q q enter",
    cannot_launch: "/ g e m m _ enter N ctrl-u n = 1 0 2 4 , t i l e = 6 4 enter",
    no_flops: "/ n a i v e _ t enter",
    a_size_nobody_measured: "N ctrl-u n = 1 0 0 0 enter",
    an_absurd_size: "N ctrl-u n = 0 enter",
    two_targets: "tab up T up T shift-tab",
    all_sources: "a z",
    all_sources_explained: "a enter ctrl-d ctrl-d",
}

#[test]
fn the_component_times_are_exported_from_the_explanation() {
    let mut d = dashboard(80, 24).press("enter tab e");
    assert!(d.screen().contains("export to: components-matmul_tiled-titan-v-rtx-4070.svg"), "{}", d.screen());
    let effects = update(&mut d.state, Message::Key("enter".into()));
    let [Effect::Export { spec, .. }] = &effects[..] else { panic!("{effects:?}") };
    let shown = roofswap::tui::components_of(&d.state).map(|(_, spec)| spec);
    assert_eq!(Some(&**spec), shown.as_ref());
    // A name that promises something else is refused, and stays to be changed.
    let d = dashboard(80, 24).press("enter tab e end backspace backspace backspace c s v enter");
    let said = d.state.message.clone().unwrap().1;
    assert!(said.contains("pictures are drawn as SVG: write components-"), "{said}");
    assert!(d.state.takes_text());
    // Every bar of the picture stands on the screen with its time.
    let screen = dashboard(200, 60).press("enter").screen();
    for mark in &spec.marks {
        let roofswap::chart::Mark::Bar { label, .. } = mark else { panic!("{mark:?}") };
        let time = label.rsplit(": ").next().unwrap();
        assert!(screen.contains(time), "{time}: {screen}");
    }
    // A model without components says so and stays.
    let d = dashboard(80, 24).press("m m enter tab e");
    assert!(d.screen().contains("efficiency-transfer has no component times"), "{}", d.screen());
}

#[test]
fn ascii_screens_are_ascii() {
    for keys in ["", "?", "enter", "c", "tab tab z L L L", "shift-tab z", ":"] {
        let screen = dashboard(120, 40).ascii().press(keys).screen();
        let strange: String = screen.chars().filter(|c| !c.is_ascii()).collect();
        assert!(strange.is_empty(), "after {keys:?}: {strange}");
        assert!(
            !screen.contains('?') || keys == "?" || !screen.replace("? help", "").contains('?'),
            "an unmapped symbol:\n{screen}"
        );
    }
    insta::assert_snapshot!("ascii_80x24", dashboard(80, 24).ascii().screen());
}

#[test]
fn the_zoomed_occupancy_has_a_curve_in_eighty_columns_and_no_word_of_one_in_fewer() {
    let screen = dashboard(80, 24).press("shift-tab z right").screen();
    assert!(screen.contains("▸ occupancy % / registers") && screen.contains("right curve"), "{screen}");
    let narrow = dashboard(72, 24);
    assert!(!narrow.press("shift-tab z").screen().contains("curve"));
    assert!(dashboard(72, 24).press("shift-tab").screen().contains("z zoom"));
}

#[test]
fn a_model_without_rates_has_none() {
    let first = dashboard(160, 50).press("M").screen().lines().next().unwrap().to_string();
    assert!(first.contains("model: same-time · rates: none"), "{first}");
}

#[test]
fn an_image_smaller_than_its_filter_is_no_size() {
    for (kernel, size) in [("conv2d_3x3", "h=2"), ("conv2d_7x7", "h=6"), ("conv2d_layer", "h=4")] {
        let kernel: String = kernel.chars().map(|c| format!("{c} ")).collect();
        let typed: String = size.chars().map(|c| format!("{c} ")).collect();
        let screen = dashboard(80, 24).press(&format!("/ {kernel} enter N ctrl-u {typed} enter")).screen();
        assert!(screen.contains(&format!("{size}: expected at least")), "{screen}");
    }
}

#[test]
fn a_model_that_was_chosen_is_named_in_eighty_columns_whatever_the_kernel() {
    let mut d = dashboard(80, 24).press(": m o d e l space s a m e - t i m e enter");
    for _ in 0..14 {
        let screen = d.screen();
        assert!(screen.lines().next().unwrap().contains("same-time"), "{screen}");
        d = d.press("j");
    }
}

#[test]
fn a_screen_too_small_says_how_large_it_should_be() {
    assert!(dashboard(39, 24).screen().contains("roofswap needs 40x10"));
    for size in [(1, 1), (2, 1), (1, 30), (5, 5)] {
        dashboard(size.0, size.1).press("enter ? : x").screen();
    }
}

/// What `predict` prints for this pair and model, one object per kernel.
fn command(model: &str, from: &str, to: &str) -> Vec<serde_json::Value> {
    let config = tempfile::tempdir().unwrap();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_roofswap"))
        .env("ROOFSWAP_CONFIG", config.path())
        .args([
            "predict", "--from", from, "--to", to, "--kernel", "all", "--model", model, "--format", "json",
        ])
        .output()
        .unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn the_screen_and_the_command_agree() {
    let time = |v: &serde_json::Value| Seconds::from_millis(v.as_f64().unwrap()).to_string();
    for (keys, model, from, to) in [
        ("", "components", "titan-v", "rtx-4070"),
        ("x", "components", "rtx-4070", "titan-v"),
        ("m m", "efficiency-transfer", "titan-v", "rtx-4070"),
        ("x M", "same-time", "rtx-4070", "titan-v"),
    ] {
        let screen = dashboard(200, 60).press(keys).screen();
        let rows = command(model, from, to);
        // Kernels that were not measured come last on the screen, and not all of them fit.
        let timed =
            rows.into_iter().filter(|row| row["source_kind"] != "estimated" && !row["source_kind"].is_null());
        let rows: Vec<_> = timed.collect();
        assert!(rows.len() >= 14);
        for row in rows {
            let name = row["kernel"].as_str().unwrap();
            let line =
                screen.lines().find(|l| l.split_whitespace().any(|w| w == name) && l.contains("┃")).unwrap();
            for column in ["source_time_ms", "time_ms", "measured_ms"]
                .map(|c| &row[c])
                .into_iter()
                .filter(|v| !v.is_null())
            {
                // A refused row shows its reason instead of what it could not use.
                let shown = line.contains(&time(column)) || row["time_ms"].is_null();
                assert!(shown, "{name} {from} to {to}: {} is not in\n{line}", time(column));
            }
            if let Some(error) = row["error_percent"].as_f64() {
                assert!(line.contains(&format!("{error:+.1} %")), "{name}: {error} is not in\n{line}");
            }
        }
    }
}

/// A dashboard into which a file was picked: the worker's answers are given by hand.
fn with_picked(log: &str) -> Dashboard {
    use roofswap::tui::{Effect, FileEntry, FolderListing};
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("build.log");
    std::fs::write(&file, log).unwrap();
    let mut d = dashboard(80, 24);
    let asked = update(&mut d.state, Message::Key("i".into()));
    let [Effect::List(asked)] = &asked[..] else { panic!("{asked:?}") };
    let entry = |name: &str, is_file| FileEntry { is_file, name: name.into() };
    let entries = vec![entry("cubins", false), entry("build.log", true), entry("notes.txt", true)];
    let listing =
        FolderListing { asked: asked.clone(), folder: "/home/me/sim".into(), entries, remark: String::new() };
    update(&mut d.state, Message::Listed(Box::new(listing)));
    let mut session = (*d.state.session).clone();
    let added = session.add_file(&file).unwrap();
    let d = d.press("l o g");
    insta::assert_snapshot!("file_picker", d.screen());
    let mut d = d;
    let effects = update(&mut d.state, Message::Key("enter".into()));
    assert!(
        matches!(&effects[..], [Effect::Import { path, .. }] if path.ends_with("sim/build.log")),
        "{effects:?}"
    );
    assert!(d.state.jobs.is_running(WorkerJob::Read));
    update(&mut d.state, Message::Imported(imported(session, file, added)));
    d
}

#[test]
fn a_picked_report_brings_kernels_whose_block_is_assumed_until_it_is_typed() {
    let log = "ptxas info    : Compiling entry function '_ZN3sim4stepEPf' for 'sm_89'\n\
        ptxas info    : Function properties for _ZN3sim4stepEPf\n\
        \x20   0 bytes stack frame, 24 bytes spill stores, 12 bytes spill loads\n\
        ptxas info    : Used 48 registers, used 1 barriers, 4096 bytes smem\n";
    let d = with_picked(log).press("shift-tab z");
    let screen = d.screen();
    assert!(screen.contains("~256") && screen.contains("spills 24 B stores, 12 B loads"), "{screen}");
    insta::assert_snapshot!("imported_kernel", screen);
    let mut d = d.press("b 5 1 2 enter");
    let typed = d.screen();
    assert!(typed.contains(" 512") && !typed.contains("~256"), "{typed}");
    update(&mut d.state, Message::Key("u".into()));
    assert!(d.screen().contains("~256"), "undo takes it back");
    let d = d.press("b 9 9 9 9 enter");
    assert!(d.screen().contains("expected 1 to 1024"), "{}", d.screen());
}

#[test]
fn a_block_that_is_known_is_changed_for_the_target() {
    let d = dashboard(120, 40).press("b");
    assert!(
        d.screen().contains("threads per block: 1024; type another number for RTX 4070"),
        "{}",
        d.screen()
    );
    let d = d.press("5 1 2 enter");
    assert!(d.screen().contains("◇ block=512"), "{}", d.screen());
    let needs = d.state.answer().needs;
    assert_eq!([needs.source, needs.target].map(|n| n.map(|n| n.threads)), [Some(1024), Some(512)]);
    let d = d.press("u");
    assert_eq!(d.state.answer().needs.target.map(|n| n.threads), Some(1024), "undo takes it back");
}

#[test]
fn an_answer_for_another_folder_comes_too_late() {
    use roofswap::tui::FolderListing;
    let mut d = dashboard(80, 24).press("i");
    let late =
        FolderListing { asked: "/old".into(), folder: "/old".into(), entries: vec![], remark: "late".into() };
    update(&mut d.state, Message::Listed(Box::new(late)));
    assert!(d.screen().contains("reading the folder") && !d.screen().contains("/old"));
}

#[test]
fn the_audit_lists_findings_with_rows_and_evidence() {
    let mut d = dashboard(100, 24).press("A");
    assert!(d.screen().contains("no measurement files of yours are loaded"));
    let file = "gpu,kernel,problem,block,grid,regs_per_thread,flops,dram_bytes,time_ms\n\
        titan-v,mine,n=1,1024,1,206,1,4,0.0014\n\
        titan-v,stream,n=65536,256,256,16,0,786432,0.02\n\
        titan-v,stream,n=1048576,256,4096,16,0,12582912,0.02\n\
        titan-v,stream,n=4194304,256,16384,16,0,50331648,0.02\n";
    let mut sheet = AuditSheet::new(&d.state.session.gpus, &d.state.session.kernels);
    read_text(file.as_bytes(), "runs.csv", &mut sheet).unwrap();
    let digest = Digest::from_findings(&sheet, &audit(&sheet));
    drop(sheet);
    update(&mut d.state, Message::Audited(Box::new(digest)));
    let d = d.press("esc A");
    insta::assert_snapshot!("audit", d.screen());
    let mut low = d;
    low.size = (100, 12);
    update(&mut low.state, Message::Resize(100, 12));
    let below = low.press("down down").screen();
    assert!(below.lines().nth(2).unwrap().contains("error ignored-size"), "{below}");
}

#[test]
fn imported_measurements_are_audited_with_the_others() {
    let mut d = dashboard(100, 24);
    let session = (*d.state.session).clone();
    let added = roofswap::session::Added::default();
    let message = Message::Imported(imported(session, "runs.csv".into(), added));
    let effects = update(&mut d.state, message);
    let asked = effects.iter().any(
        |e| matches!(e, roofswap::tui::Effect::Audit(_, files) if files[..] == [std::path::PathBuf::from("runs.csv")]),
    );
    assert!(asked && d.state.audit.is_none(), "{effects:?}");
}

#[test]
fn a_read_that_fails_inside_leaves_room_for_the_next_one() {
    let mut d = dashboard(80, 24);
    d.state.jobs.start_job(WorkerJob::Read, "reading x.log …");
    update(&mut d.state, Message::JobFailed(WorkerJob::Write));
    assert!(d.state.jobs.is_running(WorkerJob::Read), "that was another job");
    update(&mut d.state, Message::JobFailed(WorkerJob::Read));
    assert!(
        d.screen().contains("please report it") && !d.screen().contains("reading x.log"),
        "{}",
        d.screen()
    );
    let asked = update(&mut d.state, Message::Key("i".into()));
    assert!(matches!(&asked[..], [Effect::List(_)]), "{asked:?}");
    update(&mut d.state, Message::JobFailed(WorkerJob::List));
    assert!(!d.screen().contains("reading the folder"), "{}", d.screen());
}

/// A kernel that was timed on the GPU at hand, as the worker hands it over: the target is an RTX 4070.
#[test]
fn a_kernel_is_measured_here_and_its_point_appears() {
    use roofswap::measurement::{CanonicalRow, Number};
    use roofswap::session::MeasuredHere;
    let mut d = dashboard(80, 24).press("/ s a x p y enter N ctrl-u n = 4 1 9 4 3 0 4 enter");
    let before = d.screen();
    let asked = update(&mut d.state, Message::Key("H".into()));
    let [Effect::MeasureHere { problem, prefer, .. }] = &asked[..] else { panic!("{asked:?}") };
    assert_eq!(
        (problem.to_string(), &prefer[..]),
        ("n=4194304".into(), &["titan-v".into(), "rtx-4070".into()][..])
    );
    update(
        &mut d.state,
        Message::Progress(WorkerJob::MeasureHere, "timing saxpy here: 7 of 20 trials".into()),
    );
    insta::assert_snapshot!("measuring_here", d.screen());
    let mut row = CanonicalRow {
        gpu: "rtx-4070".into(),
        kernel: "saxpy".into(),
        problem: "n=4194304".into(),
        source: "roofswap measure".into(),
        ..CanonicalRow::default()
    };
    row.set(Number::Time, Some(0.1));
    let summary = "saxpy on rtx-4070: 100 µs ± 0.2 % warm".into();
    let measured = MeasuredHere { rows: vec![row], summary, notices: Vec::new() };
    update(&mut d.state, Message::MeasuredHere(Ok(Box::new(measured))));
    insta::assert_snapshot!("measured_here", d.screen());
    assert_ne!(before, d.screen());
    assert!(d.state.answer().measured.is_some(), "the point stands beside the prediction");
}

#[test]
fn without_a_gpu_the_key_says_so_in_one_line() {
    let mut d = dashboard(80, 24).press("H");
    let why = "no NVIDIA GPU can be used here: libcuda is not installed";
    update(&mut d.state, Message::MeasuredHere(Err(why.into())));
    assert!(d.screen().contains(why) && d.state.jobs.shown_job().is_none(), "{}", d.screen());
    assert!(matches!(update(&mut d.state, Message::Key("H".into()))[..], [Effect::MeasureHere { .. }]));
    assert!(matches!(
        update(&mut d.state, Message::Key("esc".into()))[..],
        [Effect::Cancel(WorkerJob::MeasureHere)]
    ));
    assert!(d.state.jobs.shown_job().is_none());
}

#[test]
fn no_command_is_copied_that_prints_other_numbers() {
    let log = "ptxas info    : Compiling entry function '_Z5saxpyPfS_if' for 'sm_89'\n\
        ptxas info    : Used 48 registers\n";
    let mut d = with_picked(log).press(": k e r n e l space s a x p y enter");
    assert_eq!(d.state.kernel().id, "saxpy");
    assert!(update(&mut d.state, Message::Key("Y".into())).is_empty(), "a report was picked");
    assert!(d.screen().contains("`roofswap import -o`"), "{}", d.screen());
    update(&mut d.state, Message::Key("down".into()));
    assert_eq!(update(&mut d.state, Message::Key("Y".into())).len(), 1, "{}", d.state.kernel().id);
    // A kernel of the user's folder, which commands know, with a block that they do not.
    let mut session = Session::load(None).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("build.log");
    std::fs::write(&file, log.replace("saxpy", "grown")).unwrap();
    session.add_file(&file).unwrap();
    let mut d = dashboard(80, 24);
    d.state = first_state(session, &DashboardOptions::default()).unwrap();
    let mut d = d.press("/ g r o w n enter");
    assert_eq!(update(&mut d.state, Message::Key("Y".into())).len(), 1);
    let mut d = d.press("b 5 1 2 enter");
    assert!(update(&mut d.state, Message::Key("Y".into())).is_empty());
    assert!(d.screen().contains("--threads 512"), "{}", d.screen());
}

/// A dashboard over a profiled kernel with every count that a kernel's own ceilings need.
fn profiled(width: u16, height: u16) -> Dashboard {
    let mut session = Session::load(None).unwrap();
    let csv = "gpu,kernel,problem,dtype,flops,dram_bytes,l2_bytes,l1_bytes,smem_wavefronts,active_threads_per_inst,\
               fp64_fma,fp64_add,fp64_mul,time_ms\n\
               v100-pcie-32gb,profiled,n=1,fp64,12e9,8e9,14e9,30e9,1e7,24,4e9,2e9,2e9,20\n";
    let read = session.edit(|w| {
        roofswap::measurement::read_csv(
            csv.as_bytes(),
            "p.csv",
            roofswap::measurement::TimingKind::Measured,
            &w.gpus,
            &mut w.kernels,
        )
    });
    session.edit(|w| w.store.add_rows(read.unwrap().rows));
    let saved = roofswap::config::Saved {
        source: Some("v100-pcie-32gb".into()),
        targets: vec!["h100-pcie".into()],
        kernel: Some("profiled".into()),
        model: Some("projection".into()),
        ..Default::default()
    };
    let state = first_state(session, &DashboardOptions { saved, ..DashboardOptions::default() }).unwrap();
    let mut d = Dashboard { state, size: (width, height) };
    update(&mut d.state, Message::Resize(width, height));
    d
}

#[test]
fn a_kernels_own_ceilings_are_drawn_at_every_size() {
    for (w, h) in [(80, 24), (120, 40), (200, 60)] {
        // DRAM, L2 and L1, and the roofline alone.
        let d = profiled(w, h).press("tab tab L L z");
        let screen = d.screen();
        assert!(
            screen.contains("ceiling 3.94 TFLOP/s") && screen.contains("ceiling 14.4 TFLOP/s"),
            "{screen}"
        );
        insta::assert_snapshot!(format!("own_ceilings_{w}x{h}"), screen);
    }
}

#[test]
fn typed_clocks_are_followed_shown_copied_and_undone() {
    let mut d = dashboard(120, 40).press("f s m = 1 2 0 0 M H z space p o w e r = 1 0 0 enter");
    let first = dashboard(120, 40);
    assert!(d.screen().contains("RTX 4070 @1200MHz/100W"), "{}", d.screen());
    let time = |d: &Dashboard| d.state.answer().prediction.as_ref().unwrap().time.0;
    assert!(time(&d) > 1.3 * time(&first), "{} {}", time(&d), time(&first));
    assert_eq!(d.state.answer().measured, None, "timed at other clocks");
    assert_eq!(d.state.pair().target.boost_clock.value.0, 1200e6, "roofline and occupancy draw this GPU");
    let copied = update(&mut d.state, Message::Key("Y".into()));
    let Effect::Copy(line) = &copied[0] else { panic!("{copied:?}") };
    assert!(line.contains("--sm-clock rtx-4070=1200MHz --power-limit rtx-4070=100W"), "{line}");
    // Data that arrive were read into the session of before.
    update(&mut d.state, Message::Loaded(LoadedFiles::without_notes(Session::load(None).unwrap(), "loaded")));
    assert_eq!(d.state.pair().target.boost_clock.value.0, 1200e6);
    let d = d.press("f enter");
    assert!(d.screen().contains("@1200MHz/100W"), "what is offered is what is set");
    let d = d.press("f ctrl-u enter");
    assert!(!d.screen().contains('@') && time(&d) == time(&first), "{}", d.screen());
    let d = d.press("u");
    assert!(d.screen().contains("@1200MHz/100W"), "undone");
    let undone = dashboard(120, 40).press("f s m = 1 2 0 0 enter u");
    assert!(undone.state.selection.tunings.is_empty() && time(&undone) == time(&first));
    let d = dashboard(80, 24).press("F s m = 9 G H z enter");
    assert!(d.screen().contains("expected 29.1 MHz to 2910 MHz"), "{}", d.screen());
}

#[test]
fn a_model_that_was_chosen_is_the_last_to_leave_the_header() {
    for model in ["efficiency-transfer", "first-principles", "same-time", "hybrid"] {
        for pair in ["", "target rtx-pro-6000-server", "target h100-sxm5", "from a100-sxm4-80gb"] {
            for keys in ["", "/ a t o m i c enter"] {
                let mut d = dashboard(80, 24);
                for line in
                    [format!("model {model}"), pair.to_string()].iter().filter(|line| !line.is_empty())
                {
                    d = d.press(":");
                    for c in line.chars() {
                        let key = if c == ' ' { "space".to_string() } else { c.to_string() };
                        update(&mut d.state, Message::Key(key));
                    }
                    d = d.press("enter");
                }
                let screen = d.press(keys).screen();
                let header = screen.lines().next().unwrap();
                assert!(header.contains(model), "{pair}: {header}");
            }
        }
    }
}

/// The size is part of what a row is; columns of further targets go before it.
#[test]
fn every_row_says_its_size_beside_several_targets() {
    for (w, h) in [(80, 24), (120, 40), (160, 50)] {
        let screen = dashboard(w, h).press("8").screen();
        let lines: Vec<&str> = screen.lines().collect();
        let head = lines.iter().find(|line| line.contains("  kernel ")).unwrap();
        assert!(head.contains(" size "), "{w}x{h}: {screen}");
        assert!(screen.contains("more target"), "{w}x{h}: {screen}");
    }
}

/// What stands over a column: ▲ where its values grow from above to below, ▼ where they fall.
#[test]
fn the_arrow_of_a_sorted_column_says_which_way_its_values_go() {
    let heading = |keys: &str| {
        let screen = dashboard(160, 50).press(keys).screen();
        screen.lines().find(|line| line.contains("  kernel ")).unwrap().to_string()
    };
    let sorted_by = |d: &Dashboard| d.state.sort.0.as_str();
    let d = dashboard(160, 50).press("o o");
    assert_eq!(sorted_by(&d), "predicted time");
    assert!(heading("o o").contains("RTX 4070▲"), "{}", heading("o o"));
    assert!(heading("o o O").contains("RTX 4070▼"), "{}", heading("o o O"));
    assert!(heading("o o o").contains("▼"), "{}", heading("o o o"));
    assert!(heading("o o o O").contains("▲"), "{}", heading("o o o O"));
}

#[test]
fn a_time_that_is_mostly_launch_has_no_percent_of_a_roof() {
    let mut d = dashboard(200, 60);
    for line in ["kernel saxpy", "size 4096"] {
        d = d.press(":");
        for c in line.chars() {
            let key = if c == ' ' { "space".to_string() } else { c.to_string() };
            update(&mut d.state, Message::Key(key));
        }
        d = d.press("enter");
    }
    let d = d.press("z");
    let answer = d.state.answer();
    assert_eq!(answer.prediction.as_ref().unwrap().bound_source, Some(roofswap::roofline::Bound::Launch));
    assert_eq!(roofswap::report::shown::efficiency(answer).as_deref(), Some("launch"));
    let screen = d.screen();
    let row = screen.lines().find(|line| line.contains("▸ saxpy")).unwrap();
    assert!(!row.contains("of roof") && row.matches("launch").count() >= 2, "{row}");
    let breakdown = answer.prediction.as_ref().unwrap().breakdown();
    let said = breakdown.steps.iter().map(|step| step.cause.to_string()).collect::<Vec<_>>();
    assert!(said.iter().any(|text| text.starts_with("launch, which is most of the time")), "{said:?}");
}

/// Notes below a zoomed roofline go on in the next line.
#[test]
fn notes_below_a_zoomed_roofline_are_whole() {
    let screen = dashboard(80, 24).press("/ n a i v e _ t enter tab tab z").screen();
    for line in [
        "caution: rtx-4070 (32.0 MiB of 36.0 MiB): the working set fits in L2 on the",
        "┃target; larger sizes gain less",
    ] {
        assert!(screen.contains(line), "{line}: {screen}");
    }
}

/// Where text is typed the help says what may be typed, and what was typed is there again below it.
#[test]
fn help_over_a_prompt_says_what_may_be_typed() {
    for (keys, said, typed) in [
        ("N 2", "the problem size of matmul_tiled, now n=512", "size: 2"),
        ("/ m a t", "mat til finds matmul_tiled", "filter kernels: mat"),
        ("f", "sm=1200MHz mem=5000MHz power=150W", "target clocks: sm=2475MHz"),
        ("3 enter 4 0", "60, +20% or x1.5", "SMs: 40"),
        (": s i z", "size 2^20: set the problem size", ": siz_"),
        ("i c s v", "letters of a file's name", "filter: csv_"),
        ("n 4 m s", "in any order, such as: 4.2ms on 3090", "kernel: 4ms"),
    ] {
        let d = dashboard(80, 24).press(keys).press("f1");
        let screen = d.screen();
        assert!(screen.contains("may be typed") && screen.contains(said), "{keys}: {screen}");
        let screen = d.press("esc").screen();
        assert!(screen.contains(typed) && !screen.contains("may be typed"), "{keys}: {screen}");
    }
}

/// View 3 after these keys, and what the worker answers.
fn what_if(width: u16, height: u16, keys: &str) -> String {
    let mut d = dashboard(width, height);
    for key in ["3"].into_iter().chain(keys.split(' ')) {
        d.play(Message::Key(key.into()));
    }
    d.screen()
}

/// Below 80 columns no number is cut, and what closes a sheet or a choice is seen.
#[test]
fn small_terminals_keep_numbers_whole_and_the_way_out() {
    for (width, height) in [(60, 20), (40, 12)] {
        let screen = |keys: &str| dashboard(width, height).press(keys).screen();
        for (keys, way) in
            [("i", "Esc closes"), ("s", "esc back"), ("enter", "enter close"), ("W", "Esc closes")]
        {
            assert!(screen(keys).contains(way), "{keys} at {width}x{height}: {}", screen(keys));
        }
        let mut d = dashboard(width, height).press("enter");
        let mut all = String::new();
        for _ in 0..40 {
            all.push_str(&d.screen());
            d = d.press("ctrl-d");
        }
        for number in ["95.1 µs ●", "178 µs", "172 µs ◆", "131–226 µs"] {
            assert!(all.contains(number), "{number} at {width}x{height}: {all}");
        }
        let said = screen("/ m a t");
        assert!(width < 60 || said.contains("n=1048576"), "{said}");
        assert!(!screen("W").contains("steppin┃"), "{}", screen("W"));
        let tornado = what_if(width, height, "tab");
        assert!(
            tornado.contains("changes nothing: memory bandwidth") && tornado.contains(" … "),
            "{tornado}"
        );
    }
    assert!(
        dashboard(60, 20).screen().contains("by kernel · MAPE 11.5 % ━"),
        "{}",
        dashboard(60, 20).screen()
    );
    let mut d = dashboard(40, 12);
    d.state.jobs.start_job(WorkerJob::WhatIf, "predicting on changed GPUs: 16 of 34");
    assert!(d.screen().contains("…  (Esc cancels)"), "{}", d.screen());
    let faster = |width: u16| what_if(width, 20, "right right right");
    assert!(faster(60).contains("faster than RTX 4070 "), "{}", faster(60));
    assert!(faster(40).contains("1.15× faster "), "{}", faster(40));
}

/// What is chosen and not seen is said, with the key that shows it.
#[test]
fn a_key_that_changes_nothing_on_the_screen_says_why() {
    let said = |keys: &str| {
        let d = dashboard(80, 24).press(keys);
        d.state.message.map(|(_, text)| text)
    };
    assert_eq!(said("L").as_deref(), Some("memory levels: DRAM, L2"));
    let closes = "E closes the explanation over the";
    assert_eq!(said("E L"), Some(format!("memory levels are those of the roofline: {closes} roofline")));
    let roofs = format!("achieved roofs: components uses sustained rates; {closes} roofline");
    assert_eq!(said("E P"), Some(roofs));
    assert_eq!(
        said("E R"),
        Some(format!("the study's occupancy: the time stays the same; {closes} occupancy"))
    );
    assert_eq!(
        said("2 P").as_deref(),
        Some("achieved roofs: components uses sustained rates; 1 shows the roofline")
    );
    let without_flops = said("/ a t o m i c _ h o t enter L").unwrap();
    assert!(without_flops.contains("no FLOPs are counted"), "{without_flops}");
}

/// A page key goes on to the first line that was not seen.
#[test]
fn a_page_of_the_help_is_as_long_as_it_is_high() {
    for (height, lines) in [(24, 20), (40, 36)] {
        let d = dashboard(80, height).press("? pagedown");
        assert!(d.screen().contains(&format!(" {}-{}/", lines + 1, 2 * lines)), "{}", d.screen());
    }
}

/// What a launch adds is said beside what it costs, and it limits no kernel that hides most of it.
#[test]
fn a_hidden_launch_overhead_is_no_limit() {
    let d = dashboard(120, 40).press("] ] ] ] E");
    let answer = d.state.answer();
    let breakdown = answer.prediction.as_ref().unwrap().breakdown();
    let links = roofswap::report::breakdown::links(&breakdown);
    let added = links.iter().find(|link| link.name == "add launch overhead").unwrap();
    assert!(added.behind.contains("of 8.90 µs (rest hidden)"), "{added:?}");
    assert!(d.screen().contains("RTX 4070: bound by L2"), "{}", d.screen());
}

#[test]
fn a_predictions_picture_says_how_many_targets_it_leaves_out() {
    let mut d = dashboard(120, 40).press("8 e");
    let further = d.state.selection.targets.len() - 1;
    assert!(further > 1);
    let effects = update(&mut d.state, Message::Key("enter".into()));
    let [Effect::Export { spec, .. }] = &effects[..] else { panic!("{effects:?}") };
    let note = format!("… and {further} more targets on screen: their times are not drawn");
    assert!(spec.title.starts_with("Predicted times") && spec.notes.contains(&note), "{:?}", spec.notes);
}

#[test]
fn the_import_dialog_takes_a_typed_path() {
    let mut d = dashboard(80, 24).press("i");
    for c in "/tmp/x/few.ncu-rep".chars() {
        update(&mut d.state, Message::Key(c.to_string()));
    }
    let effects = update(&mut d.state, Message::Key("enter".into()));
    assert!(
        matches!(&effects[..], [Effect::Import { path, .. }] if path.to_str() == Some("/tmp/x/few.ncu-rep")),
        "{effects:?}"
    );
}

/// On a narrow screen units, ends of names and what is sorted by are seen.
#[test]
fn what_a_narrow_screen_cuts_keeps_its_end() {
    let mut d = dashboard(80, 24).press(":");
    for c in "model plain-roofline".chars() {
        let key = if c == ' ' { "space".to_string() } else { c.to_string() };
        update(&mut d.state, Message::Key(key));
    }
    let screen = d.press("enter o o o").screen();
    assert!(screen.contains(" speed▼┃"), "{screen}");
    assert!(screen.contains("~54.6µs–6.38ms"), "both units of a wide interval: {screen}");
    assert!(screen.contains("cutlass_…28x128_8x2"), "{screen}");
    let screen = dashboard(80, 24).press("tab tab right right").screen();
    assert!(screen.contains("┃14.9 TFLOP/s  29.1 TFLOP/s    ┃"), "both rates of the read-out: {screen}");
    let screen = dashboard(160, 50).screen();
    assert!(screen.contains("96 KiB       100 KiB  │"), "{screen}");
}

/// Whatever the width, notes of files have no room that the number of cautions lacks.
#[test]
fn cautions_go_before_import_notes_in_the_header() {
    for width in 60..=170 {
        let mut d = dashboard(width, 40);
        d.state.notices = vec!["a note".into()];
        d.play(Message::Key("m".into()));
        let screen = d.screen();
        let first = screen.lines().next().unwrap();
        assert!(!first.contains("1 import note") || first.contains("caut"), "{width}: {first}");
    }
}

/// Targets without a column are counted, with what shows them: the zoom where it does, else the command.
#[test]
fn occupancy_says_what_shows_the_targets_without_a_column() {
    let mut d = dashboard(100, 30).press("8 shift-tab");
    let said = |d: &Dashboard, how: &str| {
        let screen = d.screen();
        assert!(screen.contains("more targets: ") && screen.contains(how), "{how}: {screen}");
        assert!(!screen.contains("+ next"), "a step of a further target names its GPU: {screen}");
    };
    assert!(d.screen().contains("more targets: "), "{}", d.screen());
    said(&d.press("z"), "more targets: z, then Y copies the command that prints all");
    d = dashboard(160, 50).press("8 shift-tab");
    said(&d, "more targets: z in this pane");
}
