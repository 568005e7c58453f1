//! What `y` and `Y` copy: the row and the command of the view that is shown.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

use crate::application::{application, opened};
use crate::stage::{Dashboard, dashboard};
use roofswap::application::{Application, PartOfTrace};
use roofswap::tui::{Effect, LoadedFiles, Message, update};
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
    assert!(copied(&mut d, "a Y").ends_with(" --sources all"));
    let models = copied(&mut d, "a w Y");
    let question = "--kernel matmul_tiled --from titan-v --to rtx-4070";
    assert_eq!(models, format!("roofswap models --protocol new-gpu {question}"));
    let (survey, _) = &**d.state.models.survey.as_ref().unwrap();
    let first = format!("{:.1}", survey.models[0].of_like.unwrap().errors.mape_percent);
    assert!(printed(&models, here.path()).contains(&first), "{models}: {first}");
    let predict = copied(&mut d, "1 Y");
    assert!(predict.starts_with("roofswap predict --from titan-v --to rtx-4070"), "{predict}");
}

/// The sheet of matrix products and the list of models show other numbers than the view behind them.
#[cfg(unix)]
#[test]
fn a_sheet_with_numbers_copies_the_command_that_prints_them() {
    let here = tempfile::tempdir().unwrap();
    let mut d = unranked();
    let gemm = copied(&mut d, "f s m = 1 2 0 0 M H z enter W right - Y");
    let expected = "roofswap gemm --gpu rtx-4070 --m 256 --n 512 --k 512 --sm-clock rtx-4070=1200MHz";
    assert_eq!(gemm, expected);
    let screen = d.screen();
    assert!(screen.contains("GEMM on ◇ RTX 4070 @1200MHz"), "{screen}");
    let fastest = screen.lines().find(|line| line.contains("▸")).unwrap().to_string();
    let number = fastest.split_whitespace().find(|word| word.parse::<f64>().is_ok()).unwrap();
    assert!(printed(&gemm, here.path()).contains(&format!(" {number} ")), "{fastest}");
    let effects = update(&mut d.state, Message::Key("y".into()));
    assert!(effects.is_empty() && d.screen().contains("no row under a cursor"), "{}", d.screen());
    let before = d.state.selection.settings;
    d.play(Message::Key("m".into()));
    assert_eq!(d.state.selection.settings, before);
    assert!(d.screen().contains("m does nothing here; esc closes this"), "{}", d.screen());
    let models = copied(&mut d, "esc T down enter c Y");
    assert!(models.contains("--to rtx-4070 ") && models.contains("--model all"), "{models}");
    let line = d.screen().lines().find(|line| line.contains("plain-roofline")).unwrap().to_string();
    let time = line.split_whitespace().nth(2).unwrap().to_string();
    let text = printed(&models, here.path());
    let row = text.lines().find(|line| line.contains("plain-roofline")).unwrap();
    assert!(row.contains(&time), "{line}: {text}");
}

/// What is focused, or open, is what the command prints.
#[cfg(unix)]
#[test]
fn the_occupancy_the_explanation_and_a_solved_goal_have_commands_of_their_own() {
    let here = tempfile::tempdir().unwrap();
    let mut d = unranked();
    let kernel = "--kernel matmul_tiled --size 'm=512;n=512;k=512'";
    let occupancy = copied(&mut d, "R shift-tab Y");
    assert_eq!(occupancy, format!("roofswap occupancy --gpu titan-v,rtx-4070 {kernel} --rules study"));
    let on_target = d.state.answer().occupancy.target.unwrap();
    let shown = format!("{}/{}", on_target.active_warps, on_target.max_warps);
    assert!(printed(&occupancy, here.path()).contains(&shown), "{shown}");
    let explained = copied(&mut d, "R tab E Y");
    assert!(explained.contains(" --explain"), "{explained}");
    let text = printed(&explained, here.path());
    assert!(text.contains("exposed latency") && d.screen().contains("exposed latency"), "{text}");
    let picture = copied(&mut d, "E shift-tab shift-tab L Y");
    assert!(
        picture.starts_with("roofswap export roofline --levels dram,l2 --output roofline.svg --from titan-v"),
        "{picture}"
    );
    printed(&picture, here.path());
    assert!(here.path().join("roofline.svg").is_file());
    let curve = copied(&mut d, "tab z right right right Y");
    assert!(
        curve.starts_with("roofswap export curves --over size --output curves.svg --from titan-v"),
        "{curve}"
    );
    printed(&curve, here.path());
    assert!(here.path().join("curves.svg").is_file());
    copied(&mut d, "z Y");
    let solved = copied(&mut d, "3 down down = enter Y");
    assert!(solved.ends_with("--tornado --solve mem"), "{solved}");
    let words = d.state.what_if.solution.as_ref().unwrap().in_words();
    assert!(printed(&solved, here.path()).contains(&words), "{words}");
    let with_goal = copied(&mut d, "= 2 0 0 u s enter Y");
    assert!(with_goal.ends_with("--solve mem --goal 0.2ms"), "{with_goal}");
    let words = d.state.what_if.solution.as_ref().unwrap().in_words();
    assert!(printed(&with_goal, here.path()).contains(&words), "{words}");
    let contour = copied(&mut d, "space up space Y");
    assert!(contour.contains("--contour mem,sm --svg contour.svg"), "{contour}");
    printed(&contour, here.path());
    assert!(here.path().join("contour.svg").is_file());
}

/// A kernel that no file has is asked about by what its blocks need.
#[cfg(unix)]
#[test]
fn the_occupancy_of_typed_and_traced_kernels_is_printed_from_their_blocks() {
    let here = tempfile::tempdir().unwrap();
    let mut d = unranked();
    d.play(opened(application()));
    let traced = copied(&mut d, "4 down down enter shift-tab Y");
    assert!(traced.contains("--threads 128 --grid 512 --regs 64"), "{traced} {}", d.screen());
    let on_target = d.state.answer().occupancy.target.unwrap();
    let shown = format!("{}/{}", on_target.active_warps, on_target.max_warps);
    assert!(printed(&traced, here.path()).contains(&shown), "{shown}");
    d.play(Message::Key("3".into()));
    d.play(Message::Key("l".into()));
    d.play(Message::Key("1".into()));
    let effects = update(&mut d.state, Message::Key("Y".into()));
    assert!(effects.is_empty() && d.screen().contains("occupancy --set"), "{}", d.screen());
}

/// The clocks of a GPU whose numbers are edited are those of its base, typed before or afterwards.
#[cfg(unix)]
#[test]
fn a_changed_gpu_keeps_the_clocks_of_its_base() {
    let here = tempfile::tempdir().unwrap();
    let mut d = unranked();
    copied(&mut d, "3 down down l 1 f s m = 1 2 0 0 M H z enter Y");
    let screen = d.screen();
    assert!(screen.contains("◇ RTX 4070, mem=+5% @1200MHz"), "{screen}");
    let row = copied(&mut d, "y");
    assert!(row.contains("-> rtx-4070@1200MHz --set mem=+5% "), "{row}");
    let time = d.state.answer().predicted_time().unwrap().to_string();
    for view in ["1", "3"] {
        let command = copied(&mut d, &format!("{view} Y"));
        assert!(
            command.contains("--set 'mem=+5%'") && command.contains("--sm-clock rtx-4070=1200MHz"),
            "{command}"
        );
        assert!(printed(&command, here.path()).contains(&time), "{command}: {time}");
    }
    // The SM clock is changed as well: it is one or the other.
    "3 up l 1 Y".split(' ').for_each(|key| d.play(Message::Key(key.into())));
    assert!(d.screen().contains("copy whatif in view 3"), "{}", d.screen());
    "f s m = 9 0 0 M H z enter".split(' ').for_each(|key| d.play(Message::Key(key.into())));
    assert!(d.screen().contains("reset the number in the What if view first"), "{}", d.screen());
}

/// Clocks that were typed for a GPU that a command does not name are not in it, nor a variant where all are asked for.
#[cfg(unix)]
#[test]
fn a_copied_command_has_the_clocks_of_the_gpus_it_names() {
    let here = tempfile::tempdir().unwrap();
    let mut d = unranked();
    let named = copied(&mut d, ": c l o c k s space s m = 1 2 0 0 M H z enter Y");
    assert!(named.contains("--sm-clock rtx-4070=1200MHz"), "{named}");
    let other = copied(&mut d, ": g p u space l 4 0 s enter Y");
    assert!(other.contains("--to l40s ") && !other.contains("--sm-clock"), "{other}");
    printed(&other, here.path());
    let limited =
        copied(&mut d, ": p o w e r space 2 0 0 W enter : c l o c k s space s m = 1 5 0 0 M H z enter Y");
    assert!(limited.contains("--sm-clock l40s=1500MHz --power-limit l40s=200W"), "{limited}");
    printed(&limited, here.path());
}

/// A typed line longer than the screen is seen where the cursor is.
#[test]
fn a_long_typed_line_is_seen_at_its_end() {
    let mut d = unranked();
    d.play(Message::Key("n".into()));
    for n in 0..60 {
        d.play(Message::Key(char::from(b'a' + (n % 26) as u8).to_string()));
        d.play(Message::Key(char::from(b'0' + (n % 10) as u8).to_string()));
        d.play(Message::Key("x".into()));
    }
    let screen = d.screen();
    assert!(screen.lines().any(|line| line.contains("g8xh9x")), "{screen}");
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
    let book = roofswap::rank::PriceBook::read(&file, &d.state.session.gpus, None).unwrap();
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
    let without = copied(&mut d, "$ 3 enter Y");
    assert!(without.contains("my prices.csv'"), "{without}");
    assert!(d.state.message.clone().unwrap().1.contains("without the typed prices"), "{}", d.screen());
    copied(&mut d, "$ enter Y");
    assert!(!d.state.message.clone().unwrap().1.contains("typed prices"), "{}", d.screen());
}

/// A hypothetical GPU on the board is in its command: alone where the filter leaves it alone, else the others are changed, too.
#[cfg(unix)]
#[test]
fn the_command_of_a_board_has_its_hypothetical_gpu() {
    let here = tempfile::tempdir().unwrap();
    let mut d = unranked();
    let all = copied(&mut d, "3 l 2 Y");
    assert!(all.contains("--to all --set 'sms=+5%'"), "{all}");
    let said = |d: &Dashboard| d.state.message.clone().unwrap().1;
    assert!(said(&d).ends_with("; its --set ranks the other GPUs changed, too"), "{}", said(&d));
    copied(&mut d, "O Y");
    let reversed = "; its rows are not reversed: the first is the best, of kernels the longest";
    assert!(said(&d).ends_with(reversed), "{}", said(&d));
    copied(&mut d, "O Y");
    assert!(!said(&d).contains("reversed"), "{}", said(&d));
    let alone = copied(&mut d, "/ s m s enter Y");
    assert!(alone.contains("--to rtx-4070 --set 'sms=+5%'"), "{alone}");
    assert!(printed(&alone, here.path()).contains("RTX 4070, sms=+5%"));
    assert!(said(&d).ends_with("(OSC 52)"), "{}", said(&d));
    assert!(!copied(&mut d, "/ l 4 0 s enter Y").contains("--set"), "{}", d.screen());
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
    // Its table lists no more groups than some, the view all of them.
    let groups = (0..7).flat_map(|_| application().groups).collect();
    let several = Application { groups, ..application() };
    d.play(opened(several));
    assert_eq!(copied(&mut d, "Y"), "roofswap app run.json --to rtx-4070 --kernels --top 21");
    let mut amd = dashboard(120, 40);
    amd.play(opened(Application { gpu_name: "AMD Instinct MI300X".into(), ..application() }));
    assert_eq!(copied(&mut amd, "Y"), "roofswap app run.json");
}

/// What if and the board of a range are those of `app --range`; of one of several GPUs `app` alone is.
#[test]
fn a_range_of_a_trace_goes_to_every_command_that_takes_one() {
    let mut d = dashboard(120, 40);
    d.play(opened(application()));
    let part = PartOfTrace { range: Some("step".into()), ..PartOfTrace::default() };
    d.play(Message::ApplicationRead(Box::new((application(), part.clone()))));
    let [what_if, board] = ["3 Y", "2 Y"].map(|keys| copied(&mut d, keys));
    assert_eq!(what_if, "roofswap whatif --gpu rtx-4070 --app run.json --range step --tornado");
    assert_eq!(board, "roofswap rank --app run.json --range step --to all --by time");
    d.play(Message::ApplicationRead(Box::new((application(), PartOfTrace { device: Some(1), ..part }))));
    let board = copied(&mut d, "2 Y");
    assert!(board.starts_with("roofswap app run.json --device 1 --range step --to all"), "{board}");
}

/// Commands end at a file that cannot be read: one that was refused at loading is named by none.
#[test]
fn a_refused_file_is_in_no_command() {
    let mut d = dashboard(120, 40);
    d.state.data.extend(["good.csv".into(), "no rows.csv".into(), "bad.csv".into()]);
    let why = |text: &str| Some(text.to_string());
    let empty = vec![("no rows.csv".into(), None), ("bad.csv".into(), why("bad.csv: no column `time_ms`"))];
    let loaded = LoadedFiles { empty, ..*LoadedFiles::without_notes((*d.state.base).clone(), "read") };
    d.play(Message::Loaded(Box::new(loaded)));
    assert!(copied(&mut d, "1 Y").ends_with("--data good.csv --data 'no rows.csv'"));
    assert_eq!(copied(&mut d, "A Y"), "roofswap audit good.csv 'no rows.csv'");
}

/// Copies no command in these views, and says why.
fn refused(d: &mut Dashboard, views: &[&str], text: &str) {
    for view in views.iter().copied() {
        d.play(Message::Key(view.into()));
        let effects = update(&mut d.state, Message::Key("Y".into()));
        assert!(effects.iter().all(|e| !matches!(e, Effect::Copy(_))), "{view}: {effects:?}");
        let said = d.state.message.clone().unwrap().1;
        assert!(said.contains(text), "{view}: {said}");
    }
}

/// `app` starts from the GPU of the trace alone: of a row that shows another time than it prints nothing is copied.
#[test]
fn a_row_of_a_trace_that_app_answers_otherwise_is_not_copied() {
    let mut d = dashboard(120, 40);
    d.play(opened(application()));
    for key in ["4", "enter", "a"] {
        d.play(Message::Key(key.into()));
    }
    refused(&mut d, &["1", "2", "3"], "has its time on h100-sxm5: make that the only source, then copy");
    d.play(Message::Key("a".into()));
    d.play(opened(Application { file: "other.json".into(), ..application() }));
    refused(&mut d, &["1"], "another trace is open: open run.json again, then copy");
}

/// Another size of an opened group is scaled from the trace's row, which commands do not have.
#[test]
fn another_size_of_a_row_of_a_trace_is_not_copied() {
    let mut d = dashboard(120, 40);
    d.play(opened(application()));
    for key in ["4", "enter", "+"] {
        d.play(Message::Key(key.into()));
    }
    assert!(d.state.answer().source_time.as_ref().unwrap().source.starts_with("run.json: group"));
    refused(&mut d, &["1", "2", "3"], "no command prints this row");
    assert!(d.state.message.clone().unwrap().1.contains("on h100-sxm5, of run.json"));
}

/// A typed kernel is known to commands at the size it was typed at, and so is a typed time.
#[test]
fn another_size_of_a_typed_kernel_is_not_copied() {
    for (line, size, why) in [
        ("4.2ms on 3090, 256 thr, 40 regs, 17.2 GFLOP, 50MB dram", "n=5", "was typed at another size"),
        ("2ms saxpy n=16777216 on 3090", "n=5000000", "from the time typed on rtx-3090"),
    ] {
        let mut d = dashboard(120, 40);
        for (key, typed) in [("n", line), ("N", size)] {
            d.play(Message::Key(key.into()));
            d.play(Message::Key("ctrl-u".into()));
            d.play(Message::Paste(typed.into()));
            d.play(Message::Key("enter".into()));
        }
        assert!(d.state.size_of(d.state.selected).starts_with("n=5"), "{}", d.screen());
        refused(&mut d, &["1", "2", "3"], why);
    }
}
