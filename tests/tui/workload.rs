//! The user's work comes first: what the dashboard opens on, what it asks, what it reads again.

#![allow(
    clippy::unwrap_used,
    reason = "clippy.toml allows it in test functions; their builders stand outside"
)]

use crate::stage::{Dashboard, dashboard, imported};
use roofswap::session::Session;
use roofswap::tui::{
    DashboardOptions, DashboardState, DashboardView, Effect, LoadedFiles, Message, Pane, UserFile,
    first_state, update,
};

const OWN: &str = "gpu,kernel,problem,flops,dram_bytes,time_ms\n\
                   rtx-2080-ti,my_kernel,n=7,1000000,4000000,0.2\n\
                   v100-pcie-16gb,my_kernel,n=9,2000000,8000000,0.3\n";

/// Keys, separated by spaces.
fn press(state: &mut DashboardState, keys: &str) -> Vec<Effect> {
    keys.split_whitespace().flat_map(|key| update(state, Message::Key(key.into()))).collect()
}

/// The dashboard as it opens with this file.
fn opened(text: &str, options: DashboardOptions) -> (Dashboard, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("own.csv");
    std::fs::write(&file, text).unwrap();
    let mut session = Session::load(None).unwrap();
    let options = DashboardOptions { data: vec![file.clone()], ..options };
    let mut d = dashboard(100, 30);
    d.state = first_state(session.clone(), &options).unwrap();
    update(&mut d.state, Message::Resize(100, 30));
    session.add_file(&file).unwrap();
    update(&mut d.state, Message::Loaded(LoadedFiles::without_notes(session, "read")));
    (d, folder)
}

#[test]
fn it_opens_on_the_users_rows_from_the_gpu_of_the_newest() {
    let (mut d, _folder) = opened(OWN, DashboardOptions::default());
    let state = &d.state;
    assert_eq!(
        (state.kernel().id.as_str(), state.pair().source.id.as_str()),
        ("my_kernel", "v100-pcie-16gb")
    );
    assert_eq!(state.workload.own_rows, 2);
    assert_eq!(state.shown, [0, 1], "built-in kernels are folded");
    let screen = d.screen();
    assert!(screen.contains("built-in kernels (Enter shows them)"), "{screen}");
    // The fold is a line of its own: Enter on it shows what it hides, and the cursor steps over it.
    assert_eq!(state.size_of(state.selected), "n=9", "the row of that GPU");
    press(&mut d.state, "down enter");
    assert!(d.state.workload.on_fold && d.state.shown.len() > 40, "{}", d.screen());
    press(&mut d.state, "down");
    assert!(!d.state.is_own_kernel(d.state.rows[d.state.selected].kernel), "{}", d.screen());
    press(&mut d.state, "[");
    assert_eq!(d.state.size_of(d.state.selected), "n=9", "the fold is no kernel");
    // A filter looks through everything.
    press(&mut d.state, "up up / s a x p y enter");
    assert_eq!(d.state.kernel().id, "saxpy", "{}", d.screen());
}

/// What was typed in an earlier session is read behind the file, and is older for who starts with the file.
#[test]
fn it_opens_on_the_file_where_a_kernel_was_typed_earlier() {
    let typed = "4.2ms on 3090, name another, 256 thr, 17.2 GFLOP, 50MB dram";
    let saved = roofswap::config::Saved { typed: vec![typed.into()], ..Default::default() };
    let (d, _folder) = opened(OWN, DashboardOptions { saved: saved.clone(), ..DashboardOptions::default() });
    let opens_on = |d: &Dashboard| (d.state.kernel().id.clone(), d.state.pair().source.id.clone());
    assert_eq!(opens_on(&d), ("my_kernel".into(), "v100-pcie-16gb".into()), "{:?}", d.state.notices);
    // A typed kernel on the very GPU of the file stands behind its rows, too.
    let saved = roofswap::config::Saved { typed: vec![typed.replace("3090", "v100-pcie-16gb")], ..saved };
    let (d, _folder) = opened(OWN, DashboardOptions { saved, ..DashboardOptions::default() });
    assert_eq!(opens_on(&d), ("my_kernel".into(), "v100-pcie-16gb".into()));
    assert_eq!(d.state.workload.own_rows, 3);
}

#[test]
fn what_was_asked_for_goes_before_what_the_rows_would_choose() {
    let saved = roofswap::config::Saved {
        source: Some("titan-v".into()),
        kernel: Some("saxpy".into()),
        ..Default::default()
    };
    let options = DashboardOptions {
        saved: saved.clone(),
        source_asked: true,
        kernel_asked: true,
        ..DashboardOptions::default()
    };
    let (d, _folder) = opened(OWN, options);
    assert_eq!((d.state.kernel().id.as_str(), d.state.pair().source.id.as_str()), ("saxpy", "titan-v"));
    assert!(d.screen().contains("saxpy"), "what is selected is shown: {}", d.screen());
    // What is merely remembered does not.
    let (d, _folder) = opened(OWN, DashboardOptions { saved, ..DashboardOptions::default() });
    assert_eq!(
        (d.state.kernel().id.as_str(), d.state.pair().source.id.as_str()),
        ("my_kernel", "v100-pcie-16gb")
    );
}

/// The newest row may be of the target that was asked for.
#[test]
fn a_target_that_was_asked_for_does_not_become_the_source() {
    let asked = |target: &str| DashboardOptions {
        saved: roofswap::config::Saved { targets: vec![target.into()], ..Default::default() },
        targets_asked: true,
        ..DashboardOptions::default()
    };
    let pair = |d: &Dashboard| d.state.pair().map(|gpu| gpu.id.clone());
    let (d, _folder) = opened(OWN, asked("v100-pcie-16gb"));
    assert_eq!([pair(&d).source, pair(&d).target], ["rtx-2080-ti", "v100-pcie-16gb"]);
    assert_eq!(d.state.size_of(d.state.selected), "n=7", "the row of that GPU");
    let one: String = OWN.split_inclusive('\n').take(2).collect();
    let (d, _folder) = opened(&one, asked("rtx-2080-ti"));
    assert_eq!([pair(&d).source, pair(&d).target], ["titan-v", "rtx-2080-ti"]);
    assert!(d.screen().contains("only the targets have rows; s sets the source"), "{}", d.screen());
}

#[test]
fn an_imported_row_is_selected_and_its_gpu_is_the_source() {
    let mut d = dashboard(100, 30);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("own.csv");
    std::fs::write(&file, OWN).unwrap();
    let mut session = (*d.state.session).clone();
    let added = session.add_file(&file).unwrap();
    let effects = update(&mut d.state, Message::Imported(imported(session, file.clone(), added)));
    assert_eq!(
        (d.state.kernel().id.as_str(), d.state.pair().source.id.as_str()),
        ("my_kernel", "rtx-2080-ti")
    );
    assert!(
        effects.iter().any(|e| matches!(e, Effect::Watch(files) if *files == [file.clone()])),
        "{effects:?}"
    );
    // The file changes: everything is read again from what was there at the start.
    let effects = update(&mut d.state, Message::FilesChanged);
    let [Effect::Load(base, files), Effect::Audit(_, audited)] = &effects[..] else { panic!("{effects:?}") };
    assert_eq!(
        (base.store.len(), files.as_slice()),
        (d.state.base.store.len(), &[UserFile { path: file.clone(), gpu: None }][..])
    );
    assert_eq!(audited[..], [file], "the same files as when it was picked");
}

#[test]
fn a_report_without_a_gpu_asks_which_of_those_its_compute_capability_leaves() {
    let mut d = dashboard(100, 30);
    let added = roofswap::session::Added {
        unnamed: Some(["8.6".to_string()].into()),
        refused: 3,
        ..Default::default()
    };
    let session = (*d.state.session).clone();
    update(&mut d.state, Message::Imported(imported(session, "profile.csv".into(), added)));
    let screen = d.screen();
    assert!(screen.contains("Which GPU was profile.csv measured on? (compute capability 8.6)"), "{screen}");
    assert!(screen.contains("RTX 3090") && !screen.contains("filter: TITAN"), "{screen}");
    let effects = press(&mut d.state, "3 0 9 0 enter");
    assert!(
        matches!(&effects[..], [Effect::Import { gpu: Some(gpu), .. }] if gpu.starts_with("rtx-3090")),
        "{effects:?}"
    );
    assert!(d.state.overlays.is_empty());
}

#[test]
fn choosing_a_source_outlives_its_filter() {
    let mut d = dashboard(100, 30);
    let target = d.state.target();
    press(&mut d.state, "s / v 1 0 0 enter");
    assert!(d.state.pair().source.id.starts_with("v100"), "{}", d.screen());
    assert_eq!((d.state.target(), d.state.focus), (target, Pane::Predictions));
    assert!(d.state.gpu_filter.is_empty() && d.state.choosing.is_none());
    let source = d.state.selection.source;
    press(&mut d.state, "t esc");
    assert_eq!((d.state.focus, d.state.choosing), (Pane::Predictions, None), "Esc leaves the choice");
    assert_eq!(d.state.selection.source, source);
    press(&mut d.state, "/ x esc / y");
    assert_eq!(d.state.row_filter, "y", "a filter starts empty");
}

#[test]
fn nouns_and_names_are_commands() {
    let mut d = dashboard(100, 30);
    press(&mut d.state, ": s i z e space 2 0 4 8 enter");
    assert_eq!(d.state.size_of(d.state.selected), "n=2048");
    press(&mut d.state, ": k e r n e l space s a x p y enter");
    assert_eq!(d.state.kernel().id, "saxpy");
    press(&mut d.state, ": p o w e r space 1 5 0 W enter");
    assert!(d.screen().contains("RTX 4070@150W") || d.screen().contains("150W"), "{}", d.screen());
    press(&mut d.state, ": h 2 0 0 enter");
    assert!(d.state.pair().target.id.starts_with("h200"), "{}", d.screen());
    press(&mut d.state, ": h 1 0 0 tab");
    assert!(d.screen().contains(": gpu h100"), "{}", d.screen());
    press(&mut d.state, "esc : e x p o r t space r o o f enter");
    assert!(d.screen().contains("export to: roofline-saxpy"), "{}", d.screen());
}

#[test]
fn five_views_by_number_and_esc_stays() {
    let mut d = dashboard(120, 40);
    for (key, view) in ["1", "2", "3", "4", "5"].into_iter().zip(DashboardView::ALL) {
        press(&mut d.state, key);
        assert_eq!(d.state.view, view);
        let screen = d.screen();
        assert!(screen.contains(view.title()), "{screen}");
    }
    press(&mut d.state, "tab tab");
    assert_eq!(d.state.focus, Pane::Audit);
    press(&mut d.state, "2 5");
    assert_eq!(d.state.focus, Pane::Audit, "a view keeps its focus");
    press(&mut d.state, "esc esc esc");
    assert_eq!((d.state.view, d.state.focus), (DashboardView::Evidence, Pane::Audit), "Esc leaves no view");
    assert!(d.screen().contains("nothing to close in this view; 1 opens Swap"), "{}", d.screen());
    // A filter of another view is not its business.
    press(&mut d.state, "1 / s a x p y enter 2 esc");
    assert_eq!((d.state.row_filter.as_str(), d.state.view), ("saxpy", DashboardView::Board));
}

#[test]
fn the_explanation_stays_open_and_follows() {
    let mut d = dashboard(100, 40);
    press(&mut d.state, "enter");
    assert!(d.screen().contains("Explanation ─ matmul_tiled n=512: TITAN V to RTX 4070"), "{}", d.screen());
    press(&mut d.state, "x + /");
    assert!(d.screen().contains("Explanation ─ matmul_tiled n=1024: RTX 4070 to TITAN V"), "{}", d.screen());
    press(&mut d.state, "esc ]");
    assert!(!d.screen().contains("Explanation ─ matmul_tiled") && d.screen().contains("Explanation ─"));
    press(&mut d.state, "enter");
    assert!(!d.screen().contains("Explanation"), "{}", d.screen());
}

#[test]
fn headings_sort_and_hints_run_when_they_are_clicked() {
    let mut d = dashboard(120, 40);
    let click = |state: &mut DashboardState, x: usize, y: usize| {
        update(state, Message::Click(u16::try_from(x).unwrap(), u16::try_from(y).unwrap()))
    };
    let place = |d: &Dashboard, text: &str| {
        let lines: Vec<String> = d.cells().iter().map(|line| line.concat()).collect();
        let y = lines.iter().rposition(|l| l.contains(text)).unwrap();
        let column = lines[y].split(text).next().unwrap().chars().count();
        (column, y)
    };
    let (x, y) = place(&d, "speedup");
    click(&mut d.state, x + 2, y);
    let first = d.state.shown[0];
    assert!(d.screen().contains("by speedup"), "{}", d.screen());
    click(&mut d.state, x + 2, y);
    assert_ne!(d.state.shown[0], first, "the second click reverses");
    let (x, y) = place(&d, "x swap");
    click(&mut d.state, x, y);
    assert_eq!(d.state.pair().source.id, "rtx-4070");
    // Over an open dialog its own keys stand there: a click closes it, and leaves the panes alone.
    press(&mut d.state, "/ s a x p y enter ?");
    let (x, y) = place(&d, "esc close");
    click(&mut d.state, x, y);
    assert!(d.state.overlays.is_empty() && d.state.row_filter == "saxpy", "{}", d.screen());
}

/// What is focused is on the screen, framed as focused: also where the explanation is open.
#[test]
fn the_explanation_gives_way_to_a_list_that_is_focused() {
    let is_seen = |d: &Dashboard| d.state.areas().pane_area(d.state.focus).height > 2;
    for (width, height) in [(60, 16), (80, 24), (120, 40), (200, 60)] {
        let mut d = dashboard(width, height);
        press(&mut d.state, "enter");
        assert!(d.state.shows_explanation(), "{}", d.screen());
        let first = d.state.target();
        press(&mut d.state, "t");
        assert!(is_seen(&d) && d.state.focus == Pane::Gpus, "{}", d.screen());
        press(&mut d.state, "down down enter");
        assert_ne!(d.state.target(), first);
        assert!(is_seen(&d) && d.state.shows_explanation(), "it comes back: {}", d.screen());
        for _ in 0..6 {
            press(&mut d.state, "tab");
            assert!(is_seen(&d) && d.screen().contains('━'), "{:?}: {}", d.state.focus, d.screen());
        }
        // Wherever the focus is, the key opens it where it is not seen.
        if width >= 180 {
            continue;
        }
        press(&mut d.state, "t E");
        assert!(d.state.shows_explanation() && is_seen(&d), "{}", d.screen());
    }
}

#[test]
fn the_interval_stands_before_the_error_where_room_is_short() {
    const PROFILED: &str = "gpu,kernel,problem,flops,dram_bytes,time_ms,sm_clock_mhz\n\
                            rtx-2080-ti,mine,n=123456,1000000,4000000,0.2,942\n";
    let (mut d, _folder) = opened(PROFILED, DashboardOptions::default());
    for width in [60, 70, 80, 90, 100, 120] {
        d.size = (width, 24);
        update(&mut d.state, Message::Resize(width, 24));
        let screen = d.screen();
        let head = screen.lines().find(|line| line.contains("┃  kernel ")).unwrap();
        assert!(
            !head.contains("error") && !head.contains("measured"),
            "nothing was measured on the target: {screen}"
        );
        assert!(width < 80 || head.contains("90 % interval"), "{width}: {screen}");
    }
}

/// The list of GPUs and the row of the kernel answer one question with one number.
#[test]
fn the_gpus_have_the_speedup_of_the_row() {
    for kernel in ["saxpy", "matmul_tiled"] {
        let mut d = dashboard(160, 50);
        press(&mut d.state, ":");
        update(&mut d.state, Message::Paste(format!("kernel {kernel}")));
        d.play(Message::Key("enter".into()));
        d.play(Message::Key("u".into()));
        let speedup = roofswap::report::shown::speedup(d.state.answer()).unwrap();
        let screen = d.screen();
        let mut cells = screen.lines().flat_map(|line| line.split(['"', '│', '┃']));
        let cell = cells.find(|cell| cell.starts_with("T ") && cell.contains("RTX 4070")).unwrap();
        assert!(cell.trim_end().ends_with(&speedup), "{kernel} {speedup}: {cell}");
    }
}

/// Somebody's profiler truncates its file before it writes: for a moment nothing is in it.
#[test]
fn a_watched_file_that_is_empty_for_a_moment_keeps_its_rows() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("own.csv");
    std::fs::write(&file, OWN).unwrap();
    let mut d = dashboard(120, 30);
    let mut session = (*d.state.session).clone();
    let added = session.add_file(&file).unwrap();
    update(&mut d.state, Message::Imported(imported(session, file.clone(), added)));
    press(&mut d.state, "down");
    let before = (d.state.session.store.len(), d.state.selected, d.state.workload.own_rows);
    for why in [None, Some("own.csv: line 1 is no heading".to_string())] {
        update(&mut d.state, Message::FilesChanged);
        let empty = vec![(file.clone(), why.clone())];
        let base = (*d.state.base).clone();
        let loaded = LoadedFiles { empty, ..*LoadedFiles::without_notes(base, "0 measured rows loaded") };
        update(&mut d.state, Message::Loaded(Box::new(loaded)));
        let now = (d.state.session.store.len(), d.state.selected, d.state.workload.own_rows);
        assert_eq!(now, before, "{}", d.screen());
        let said = d.screen();
        assert!(said.contains("; keeping the rows read before"), "{said}");
        assert!(!d.state.jobs.is_running(roofswap::tui::WorkerJob::Read));
    }
}

/// Registers of another build are no reason to look at another kernel.
#[test]
fn a_report_of_built_in_kernels_leaves_the_cursor_and_says_what_it_overrides() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("build.log");
    let of = |name: &str| {
        format!("ptxas info : Compiling entry function '{name}' for 'sm_89'\nptxas info : Used 9 registers\n")
    };
    std::fs::write(&file, of("_Z5saxpyPf") + &of("_Z11dot_productPf")).unwrap();
    let mut d = dashboard(120, 30);
    press(&mut d.state, "down down");
    let before = d.state.kernel().id.clone();
    let mut session = (*d.state.session).clone();
    let added = session.add_file(&file).unwrap();
    update(&mut d.state, Message::Imported(imported(session, file.clone(), added)));
    assert_eq!(d.state.kernel().id, before);
    let said = d.state.message.clone().unwrap().1;
    assert!(said.contains("2 builds of 2 kernels read: the registers of 2 built-in kernels"), "{said}");
    // A kernel that is new is shown.
    std::fs::write(&file, of("_Z4minePf")).unwrap();
    let mut session = (*d.state.session).clone();
    let added = session.add_file(&file).unwrap();
    update(&mut d.state, Message::Imported(imported(session, file, added)));
    assert_eq!(d.state.kernel().id, "mine");
    assert_eq!(d.state.message.clone().unwrap().1, "1 build of 1 kernel read");
}

/// Sizes that have no room are cut where the rows of a kernel on the page differ.
#[test]
fn rows_of_one_kernel_do_not_look_alike() {
    let sizes = [2, 4, 8].map(|n| {
        let row = |timing| {
            format!("titan-v,array_add_coalesced_x,rows={n};cols={n};timing={timing},1000000,4000000,0.2\n")
        };
        row("batch") + &row("cold")
    });
    let text = "gpu,kernel,problem,flops,dram_bytes,time_ms\n".to_string() + &sizes.concat();
    let (mut d, _folder) = opened(&text, DashboardOptions::default());
    d.size = (80, 24);
    update(&mut d.state, Message::Resize(80, 24));
    let screen = d.screen();
    for size in ["2 2 batch", "2 2 cold", "4 4 batch", "4 4 cold", "8 8 batch", "8 8 cold"] {
        assert!(screen.contains(size), "{size}: {screen}");
    }
}

/// What is said of a line typed after `:`.
fn said_of(line: &str) -> String {
    let mut d = dashboard(80, 24);
    update(&mut d.state, Message::Key(":".into()));
    update(&mut d.state, Message::Paste(line.into()));
    update(&mut d.state, Message::Key("enter".into()));
    assert_eq!(d.state.pair().target.id, dashboard(80, 24).state.pair().target.id, "{line}");
    d.state.message.map(|(_, text)| text).unwrap_or_default()
}

#[test]
fn commands_that_mean_nothing_as_typed_say_why() {
    for (line, said) in [
        ("solve", "only in the What if view, which 3 opens"),
        ("keep scenario", "only in the What if view, which 3 opens"),
        ("save gpu", "only in the What if view, which 3 opens"),
        ("solve 50us", "`solve` takes nothing behind it"),
        ("undo 3", "`undo` takes nothing behind it"),
        ("forget it", "no kernel was typed"),
        ("model none", "and "),
        ("view 9", "view: expected one of view swap, view board"),
        ("9", "no such command, GPU, kernel or model"),
        ("goal 50us", "no such command, GPU, kernel or model"),
        ("rtx-9999", "rtx-9999"),
    ] {
        let text = said_of(line);
        assert!(text.contains(said), "{line}: {text}");
    }
}

/// The help over a sheet is about that sheet.
#[test]
fn help_over_a_sheet_is_called_as_the_sheet_is() {
    for (key, title) in [("W", "GEMM"), ("c", "All models")] {
        let mut d = dashboard(100, 30);
        press(&mut d.state, &format!("{key} f1"));
        let screen = d.screen();
        assert!(screen.contains(&format!("Help: {title} ")), "{screen}");
        assert!(screen.contains(&format!("in {title} ")), "{screen}");
    }
}
