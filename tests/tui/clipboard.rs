//! What `y` and `Y` copy: the row and the command of the view that is shown.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

use crate::application::{application, opened};
use crate::stage::{Dashboard, dashboard};
use roofswap::application::Application;
use roofswap::tui::{Effect, Message, update};
use std::path::Path;

/// A dashboard that has yet to ask for its first ranking.
fn unranked() -> Dashboard {
    let mut d = dashboard(120, 40);
    d.state.ranked.asked = None;
    d
}

/// Presses keys and answers what they ask for; what the last one copies.
fn copied(d: &mut Dashboard, keys: &str) -> String {
    let (before, last) = keys.rsplit_once(' ').unwrap_or(("", keys));
    before.split(' ').filter(|key| !key.is_empty()).for_each(|key| d.play(Message::Key(key.into())));
    let effects = update(&mut d.state, Message::Key(last.into()));
    let text =
        effects.iter().find_map(|e| if let Effect::Copy(text) = e { Some(text.clone()) } else { None });
    text.unwrap_or_else(|| panic!("{keys}: {}", d.screen()))
}

/// What the command prints, run in this folder.
#[cfg(unix)]
fn printed(command: &str, folder: &Path) -> String {
    let line = command.replacen("roofswap", crate::walk::PROGRAM, 1);
    let output = std::process::Command::new("sh").args(["-c", &line]).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[cfg(unix)]
#[test]
fn each_view_copies_the_command_that_prints_it() {
    let here = tempfile::tempdir().unwrap();
    let mut d = unranked();
    let board = copied(&mut d, "2 Y");
    let begin = "roofswap rank --from titan-v --to all --kernel matmul_tiled --size 'm=512;n=512;k=512'";
    assert!(board.starts_with(begin), "{board}");
    let best = d.state.ranked.board.as_ref().unwrap().rows[0].name.clone();
    assert!(printed(&format!("{board} --top 1"), here.path()).contains(&best), "{board}");
    let blocks = copied(&mut d, "tab tab Y");
    assert!(blocks.contains("--to rtx-4070 ") && blocks.contains("--blocks"), "{blocks}");
    printed(&blocks, here.path());
    let some = copied(&mut d, "tab / 4 0 7 0 enter Y");
    assert!(some.contains("--to ") && some.contains("rtx-4070") && !some.contains("--to all"), "{some}");
    printed(&some, here.path());
    let what_if = copied(&mut d, "3 Y");
    assert!(
        what_if.starts_with("roofswap whatif --gpu rtx-4070 --from titan-v --kernel matmul_tiled"),
        "{what_if}"
    );
    printed(&what_if, here.path());
    let changed = copied(&mut d, "l Y");
    assert!(changed.contains("--set 'sms=+5%'"), "{changed}");
    printed(&changed, here.path());
    let errors = copied(&mut d, "3 R v Y");
    assert!(errors.starts_with("roofswap evaluate --protocol new-gpu --model components"), "{errors}");
    let survey = copied(&mut d, "w Y");
    assert!(survey.contains("--model all"), "{survey}");
    let predict = copied(&mut d, "1 Y");
    assert!(predict.starts_with("roofswap predict --from titan-v --to rtx-4070"), "{predict}");
}

/// With all sources the views show one time, and each copies the command that prints it.
#[cfg(unix)]
#[test]
fn with_all_sources_every_view_and_its_command_have_one_time() {
    let here = tempfile::tempdir().unwrap();
    let mut d = unranked();
    let before = copied(&mut d, ": t a r g e t space l 4 enter 2 Y");
    let of_board = |d: &Dashboard| d.state.ranked.row_of(d.state.target()).unwrap().time.unwrap();
    let from_one = of_board(&d);
    assert!(before.contains("--from titan-v "), "{before}");
    let predict = copied(&mut d, "1 a Y");
    let shown = d.state.answer().predicted_time().unwrap();
    let board = copied(&mut d, "2 Y");
    assert_eq!(of_board(&d), shown, "{}", d.screen());
    assert_ne!(of_board(&d), from_one, "the sources change nothing here");
    let what_if = copied(&mut d, "3 Y");
    assert!(d.screen().contains("TITAN V and all sources"), "{}", d.screen());
    for (command, is_array) in [(predict, true), (board, true), (what_if, false)] {
        let command = command.replace("--to all", "--to l4");
        assert!(command.contains("--from titan-v,all"), "{command}");
        let json: serde_json::Value =
            serde_json::from_str(&printed(&format!("{command} --format json"), here.path())).unwrap();
        let row = if is_array { json.as_array().unwrap().last().unwrap() } else { &json };
        let millis = row["time_ms"].as_f64().unwrap();
        assert!((millis / shown.millis() - 1.0).abs() < 1e-12, "{command}: {millis} {shown}");
    }
}

/// What the board shows and what its command prints: the same prices, the same stars among the same GPUs.
#[cfg(unix)]
#[test]
fn the_command_of_a_board_has_its_prices_and_its_stars() {
    let here = tempfile::tempdir().unwrap();
    let file = here.path().join("my prices.csv");
    std::fs::write(&file, "gpu,usd_per_hour\nl4,0.5\nh200,4\nb200,9\n").unwrap();
    let mut d = unranked();
    d.play(Message::Key("2".into()));
    let book = roofswap::rank::PriceBook::read(&file, &d.state.session.gpus).unwrap();
    d.play(Message::PricesRead(Ok(Box::new(book))));
    for keys in ["Y", "8 Y", "8 / a d a enter Y"] {
        let command = copied(&mut d, keys);
        assert!(command.contains("my prices.csv'") && command.contains("--by perf-per-dollar"), "{command}");
        let csv = printed(&format!("{command} --format csv"), here.path());
        let starred = csv.lines().filter(|line| line.split(',').nth(14) == Some("true"));
        let shown = d.state.ranked.shown_rows(&d.state.session);
        let marks = d.state.ranked.pareto_marks(&shown);
        let on_screen: Vec<&str> =
            shown.iter().zip(&marks).filter(|(_, m)| **m).map(|(row, _)| &*row.gpu_id).collect();
        let printed: Vec<&str> = starred.map(|line| line.split(',').next().unwrap()).collect();
        assert_eq!(on_screen, printed, "{keys}: {csv}");
        let other = d.state.ranked.board.as_ref().unwrap().rows.iter().filter(|row| row.is_pareto).count();
        assert!(keys == "Y" || other != printed.len(), "{keys}: the stars of all GPUs are others");
    }
    d.play(Message::Key("$".into()));
    for key in ["3", "enter", "Y"] {
        d.play(Message::Key(key.into()));
    }
    assert!(d.state.message.clone().unwrap().1.contains("a typed price is in no file"), "{}", d.screen());
}

/// Clocks and limits go into every command that prints a GPU which has them.
#[cfg(unix)]
#[test]
fn a_typed_power_limit_is_in_the_command_of_every_view() {
    let here = tempfile::tempdir().unwrap();
    let mut d = unranked();
    let limit = "--power-limit rtx-4070=100W";
    let predict = copied(&mut d, "f p o w e r = 1 0 0 enter Y");
    let what_if = copied(&mut d, "3 Y");
    for line in [&predict, &what_if] {
        assert!(line.contains(limit), "{line}");
    }
    assert!(printed(&what_if, here.path()).contains("100 W"), "{what_if}");
    d.play(opened(application()));
    assert_eq!(copied(&mut d, "4 Y"), format!("roofswap app run.json --to rtx-4070 {limit} --kernels"));
    assert_eq!(copied(&mut d, "2 Y"), format!("roofswap rank --app run.json --to all {limit} --by time"));
}

#[test]
fn each_view_copies_the_row_under_its_cursor() {
    let mut d = unranked();
    let first = copied(&mut d, "1 y");
    assert!(first.starts_with("matmul_tiled n=512: titan-v "), "{first}");
    let on_board = copied(&mut d, "2 down y");
    let second = d.state.ranked.board.as_ref().unwrap().rows[1].gpu;
    let id = &d.state.session.gpus[second].id;
    assert!(on_board.contains(&format!("matmul_tiled n=512: titan-v -> {id} ")), "{on_board}");
    let number = copied(&mut d, "3 down y");
    assert!(number.starts_with("rtx-4070: SM clock "), "{number}");
    let changed = copied(&mut d, "up l 1 y");
    assert!(changed.contains("-> rtx-4070 --set sms=+5% ") && !changed.contains('?'), "{changed}");
    for key in ["w", "v", "A", "!"] {
        let effects = update(&mut d.state, Message::Key(key.into()));
        drop(effects);
        assert!(update(&mut d.state, Message::Key("y".into())).iter().all(|e| !matches!(e, Effect::Copy(_))));
        let said = d.state.message.clone().unwrap().1;
        assert!(said.contains("no row under a cursor"), "{key}: {said}");
    }
}

#[test]
fn without_an_application_its_view_copies_nothing_and_says_so() {
    let mut d = dashboard(120, 40);
    for key in ["y", "Y"] {
        d.play(Message::Key("4".into()));
        let effects = update(&mut d.state, Message::Key(key.into()));
        assert!(effects.iter().all(|e| !matches!(e, Effect::Copy(_))), "{key}: {effects:?}");
        assert!(d.screen().contains("no application is loaded"), "{}", d.screen());
    }
}

#[test]
fn a_trace_goes_to_app_and_to_no_other_command() {
    let mut d = dashboard(120, 40);
    d.state.data.push("run.json".into());
    d.play(opened(application()));
    assert_eq!(copied(&mut d, "Y"), "roofswap app run.json --to rtx-4070 --kernels");
    assert_eq!(copied(&mut d, "3 Y"), "roofswap whatif --gpu rtx-4070 --app run.json --tornado");
    copied(&mut d, "4 Y");
    let group = copied(&mut d, "y");
    assert!(group.contains("aten::mm [2048,1024] [1024,4096]") && group.contains("rtx-4070 "), "{group}");
    assert_eq!(copied(&mut d, "2 Y"), "roofswap rank --app run.json --to all --by time");
    // The kernel opened from it is in no measurement file.
    let of_group = copied(&mut d, "4 enter Y");
    assert_eq!(of_group, "roofswap app run.json --to rtx-4070 --kernels");
    let built_in = copied(&mut d, "k Y");
    assert!(!built_in.contains("--data"), "{built_in}");
    let mut amd = dashboard(120, 40);
    amd.play(opened(Application { gpu_name: "AMD Instinct MI300X".into(), ..application() }));
    assert_eq!(copied(&mut amd, "Y"), "roofswap app run.json");
}

/// `app` starts from the GPU of the trace alone: of a row that shows another time than it prints nothing is copied.
#[test]
fn a_row_of_a_trace_that_app_answers_otherwise_is_not_copied() {
    let mut d = dashboard(120, 40);
    d.play(opened(application()));
    for key in ["4", "enter", "a"] {
        d.play(Message::Key(key.into()));
    }
    let said = |d: &mut Dashboard, views: &[&str], text: &str| {
        for view in views.iter().copied() {
            d.play(Message::Key(view.into()));
            let effects = update(&mut d.state, Message::Key("Y".into()));
            assert!(effects.iter().all(|e| !matches!(e, Effect::Copy(_))), "{view}: {effects:?}");
            let said = d.state.message.clone().unwrap().1;
            assert!(said.contains(text), "{view}: {said}");
        }
    };
    said(&mut d, &["1", "2", "3"], "has its time on h100-sxm5: make that the only source, then copy");
    d.play(Message::Key("a".into()));
    d.play(opened(Application { file: "other.json".into(), ..application() }));
    said(&mut d, &["1"], "another trace is open: open run.json again, then copy");
}
