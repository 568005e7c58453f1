//! The What if view: numbers edited in place, the same answer as the command's, undo, scenarios, charts, an application.

#![allow(
    clippy::unwrap_used,
    reason = "clippy.toml allows it in test functions; their builders stand outside"
)]

use crate::stage::{Dashboard, dashboard};
use roofswap::gpu::GpuNumber;
use roofswap::pair::Pair;
use roofswap::progress::Progress;
use roofswap::session::Session;
use roofswap::tui::{Effect, LoadedFiles, Message, WhatIfForm, update};
use roofswap::units::Seconds;
use roofswap::whatif::{Solution, TornadoBar};
use std::process::Command;

/// Sends a message, and answers what it asks of the worker about changed GPUs; what else it asks.
fn play(d: &mut Dashboard, message: Message) -> Vec<Effect> {
    let mut rest = Vec::new();
    for effect in update(&mut d.state, message) {
        match effect {
            Effect::WhatIfChanged(question) => {
                let answer = question.answer_changed(&Progress::default()).map(Box::new);
                rest.extend(play(d, Message::WhatIfChanged(answer)));
            }
            Effect::Rank(question) => {
                let board = question.rank_rows(&Progress::default()).unwrap();
                let ranked = Box::new((question.asked.clone(), board));
                rest.extend(play(d, Message::Ranked(Some(ranked))));
            }
            other => rest.push(other),
        }
    }
    rest
}

/// Keys, separated by spaces.
fn press(d: &mut Dashboard, keys: &str) -> Vec<Effect> {
    keys.split_whitespace().flat_map(|key| play(d, Message::Key(key.into()))).collect()
}

/// Types a line and ends it.
fn type_line(d: &mut Dashboard, text: &str) -> Vec<Effect> {
    for c in text.chars() {
        let key = if c == ' ' { "space".to_string() } else { c.to_string() };
        play(d, Message::Key(key));
    }
    press(d, "enter")
}

/// saxpy at 2^28 from TITAN V to RTX 4070, in the view.
fn view_of_saxpy(width: u16, height: u16) -> Dashboard {
    let mut d = dashboard(width, height);
    for line in ["kernel saxpy", "size 2^28"] {
        press(&mut d, ":");
        type_line(&mut d, line);
    }
    press(&mut d, "3");
    d
}

/// Moves to a number of the GPU.
fn go_to(d: &mut Dashboard, number: GpuNumber) {
    let base = &d.state.session.gpus[d.state.edited_gpu().base];
    let before = GpuNumber::ALL.into_iter().take_while(|n| *n != number);
    let place = before.filter(|n| base.number(*n).is_some()).count();
    press(d, "home");
    (0..place).for_each(|_| drop(press(d, "down")));
}

/// Sets a number as typed.
fn set(d: &mut Dashboard, number: GpuNumber, value: &str) {
    go_to(d, number);
    press(d, "enter");
    type_line(d, value);
}

fn message(d: &Dashboard) -> String {
    d.state.message.as_ref().map_or_else(String::new, |(_, text)| text.clone())
}

fn changes(d: &Dashboard) -> String {
    d.state.edited_gpu().changes.to_string()
}

/// What the command prints as JSON.
fn command(words: &str) -> serde_json::Value {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_roofswap"))
        .args(words.split(' '))
        .env("ROOFSWAP_CONFIG", folder.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{words}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A line of the screen with this text.
fn line_with(d: &Dashboard, text: &str) -> String {
    let screen = d.screen();
    screen.lines().find(|line| line.contains(text)).unwrap_or_default().to_string()
}

#[test]
fn a_prompt_names_what_is_typed_and_a_reset_of_nothing_is_said() {
    let mut d = view_of_saxpy(80, 24);
    let last = |d: &Dashboard| d.screen().lines().last().unwrap().to_string();
    for (keys, label) in [
        ("b", "\"threads per block: "),
        ("esc home enter", "\"SMs: "),
        ("esc down enter", "\"SM clock, MHz: "),
    ] {
        press(&mut d, keys);
        assert!(last(&d).starts_with(label), "{keys}: {}", d.screen());
    }
    press(&mut d, "esc backspace");
    assert!(d.screen().contains("SM clock: unchanged, nothing to reset"), "{}", d.screen());
    press(&mut d, "R");
    assert!(d.screen().contains("no number is changed: nothing to reset"), "{}", d.screen());
    press(&mut d, "right backspace");
    assert!(!d.screen().contains("nothing to reset"), "{}", d.screen());
}

#[test]
fn a_typed_power_limit_is_typed_and_compared_with_the_board_at_its_own() {
    let mut d = dashboard(120, 40);
    for line in ["kernel matmul_tiled", "size 512", "power 100W"] {
        press(&mut d, ":");
        type_line(&mut d, line);
    }
    press(&mut d, "3");
    assert!(line_with(&d, "┃  power limit ").contains("100 W          typed"), "{}", d.screen());
    let words = "whatif --from titan-v --gpu rtx-4070 --kernel matmul_tiled --size n=512 --power-limit 100W";
    let printed = command(&format!("{words} --format json"));
    let base = Seconds(printed["base_time_ms"].as_f64().unwrap() / 1e3);
    let head = line_with(&d, "slower than RTX 4070, ");
    assert!(head.contains(&format!("slower than RTX 4070, {base}")), "{base}: {}", d.screen());
    // The SM clock, and what follows from it.
    press(&mut d, ":");
    type_line(&mut d, "clocks sm=1200MHz");
    assert!(line_with(&d, "┃  SM clock ").contains("1200 MHz          typed"), "{}", d.screen());
    assert!(line_with(&d, "┃  FP32 peak ").contains("follows"), "{}", d.screen());
}

/// The tiles are not the selected kernel in another type.
#[test]
fn the_gemm_sheet_says_that_it_is_fp32() {
    let mut d = dashboard(120, 40);
    press(&mut d, ":");
    type_line(&mut d, "kernel linear_bf16");
    press(&mut d, "W");
    let screen = d.screen();
    assert!(screen.contains("GEMM on RTX 4070: FP32, no tensor cores"), "{screen}");
    assert!(
        screen.contains("is bf16: view 1 has its time; these tiles are FP32, no tensor cores"),
        "{screen}"
    );
    assert!(screen.contains("other types are kernels: linear_bf16, linear_fp16"), "{screen}");
}

#[test]
fn an_operator_under_a_cuda_graph_has_the_launch_overhead_of_its_model() {
    let mut d = dashboard(120, 40);
    for line in ["kernel linear_bf16", "to h100-sxm5"] {
        press(&mut d, ":");
        type_line(&mut d, line);
    }
    press(&mut d, "3");
    assert!(line_with(&d, "launch overhead  ").contains("2.47 µs          in graph"), "{}", d.screen());
    go_to(&mut d, GpuNumber::LaunchOverhead);
    press(&mut d, "right");
    assert_eq!(changes(&d), "");
    assert!(message(&d).contains("the model's own launch overhead, 2.47 µs"), "{}", message(&d));
}

#[test]
fn the_view_at_every_size() {
    for (width, height) in [(40, 12), (80, 24), (120, 40), (160, 50), (200, 60)] {
        let mut d = view_of_saxpy(width, height);
        go_to(&mut d, GpuNumber::Bandwidth);
        press(&mut d, "l l l l");
        insta::assert_snapshot!(format!("what_if_{width}x{height}"), d.screen());
    }
}

#[test]
fn the_charts_and_scenarios_at_some_sizes() {
    for (width, height) in [(40, 12), (80, 24), (160, 50)] {
        let mut d = view_of_saxpy(width, height);
        set(&mut d, GpuNumber::Bandwidth, "+20%");
        press(&mut d, "K enter");
        set(&mut d, GpuNumber::L2Size, "72MiB");
        press(&mut d, "K enter");
        press(&mut d, "up");
        d.state.what_if.form = WhatIfForm::Scenarios;
        play(&mut d, Message::Resize(width, height));
        d.state.message = None;
        insta::assert_snapshot!(format!("scenarios_{width}x{height}"), d.screen());
        d.state.what_if.form = WhatIfForm::List;
        go_to(&mut d, GpuNumber::Bandwidth);
        press(&mut d, "space");
        go_to(&mut d, GpuNumber::SmClock);
        press(&mut d, "space up");
        d.state.message = None;
        insta::assert_snapshot!(format!("two_numbers_{width}x{height}"), d.screen());
        d.state.what_if.form = WhatIfForm::List;
        press(&mut d, "end h up l l up up l");
        d.state.what_if.form = WhatIfForm::Tornado;
        insta::assert_snapshot!(format!("launch_{width}x{height}"), d.screen());
    }
}

#[test]
fn the_screen_says_what_the_commands_say() {
    let mut d = view_of_saxpy(160, 50);
    set(&mut d, GpuNumber::Bandwidth, "+20%");
    set(&mut d, GpuNumber::L2Size, "72MiB");
    set(&mut d, GpuNumber::Sms, "x0.5");
    assert_eq!(changes(&d), "mem=+20%,l2=72MiB,sms=-50%");
    let asked = "--set mem=+20%,l2=72MiB,sms=-50% --kernel saxpy --size n=268435456 --format json";
    let whatif = command(&format!("whatif --gpu rtx-4070 --from titan-v {asked}"));
    let predict = command(&format!("predict --to rtx-4070 --from titan-v {asked}"));
    let near = |shown: Option<roofswap::units::Seconds>, said: &serde_json::Value| {
        let (shown, said) = (shown.unwrap().millis(), said.as_f64().unwrap());
        assert!((shown / said - 1.0).abs() < 1e-9, "{shown} {said}");
    };
    let answer = d.state.what_if.answer().unwrap().clone();
    near(answer.time, &whatif["time_ms"]);
    near(answer.base_time, &whatif["base_time_ms"]);
    near(answer.interval.map(|[low, _]| low), &whatif["low_ms"]);
    near(d.state.answer().predicted_time(), &predict[0]["time_ms"]);
    for (power, watts, joules) in [
        (answer.power, "board_power_w", "energy_j"),
        (answer.base_power, "base_board_power_w", "base_energy_j"),
    ] {
        let power = power.unwrap();
        for (shown, key) in [(power.board.0, watts), (power.energy.0, joules)] {
            assert!((shown / whatif[key].as_f64().unwrap() - 1.0).abs() < 1e-9, "{shown} {key}: {whatif}");
        }
    }
    let words = answer.power_in_words().unwrap();
    assert!(d.screen().contains(&words), "{words}: {}", d.screen());
    let said = whatif["tornado"].as_array().unwrap();
    assert!(said.len() > 10 && said.len() == answer.tornado.len(), "{}", said.len());
    for (bar, said) in answer.tornado.iter().zip(said) {
        assert_eq!(bar.number.key(), said["number"]);
        if let Some(less) = said["minus20_time_ms"].as_f64() {
            assert!((bar.less.unwrap().millis() / less - 1.0).abs() < 1e-9, "{said}");
        }
    }
    press(&mut d, "1");
    let effects = press(&mut d, "Y");
    let copied =
        effects.iter().find_map(|e| if let Effect::Copy(text) = e { Some(text.clone()) } else { None });
    let copied = copied.unwrap();
    assert!(copied.contains("--to rtx-4070 --set 'mem=+20%,l2=72MiB,sms=-50%'"), "{copied}");
}

#[test]
fn the_changed_gpu_is_live_and_marked_in_every_view() {
    let mut d = view_of_saxpy(200, 60);
    let before = d.state.answer().predicted_time().unwrap();
    set(&mut d, GpuNumber::Bandwidth, "+20%");
    assert!(d.state.answer().predicted_time().unwrap() < before);
    for view in ["1", "2", "3"] {
        press(&mut d, view);
        let screen = d.screen();
        assert!(screen.contains("◇ RTX 4070"), "{view}: {screen}");
    }
    let cautions = &d.state.answer().prediction.as_ref().unwrap().cautions;
    let said: Vec<String> = cautions.iter().map(ToString::to_string).collect();
    assert!(said.iter().any(|text| text.contains("rtx-4070 (mem=+20%): hypothetical GPU")), "{said:?}");
    assert_eq!(d.state.saved().targets, ["rtx-4070"], "what is remembered is a GPU that exists");
    // Files that are read again bring another session.
    let loaded = LoadedFiles::without_notes(Session::load(None).unwrap(), "loaded");
    play(&mut d, Message::Loaded(loaded));
    assert!(d.screen().contains("◇ RTX 4070"));
    press(&mut d, "3 R");
    assert_eq!((changes(&d).as_str(), d.state.pair().target.id.as_str()), ("", "rtx-4070"));
    press(&mut d, "2");
    assert!(!d.screen().contains('◇'), "{}", d.screen());
}

#[test]
fn every_edit_can_be_undone() {
    let mut d = view_of_saxpy(160, 50);
    let first = d.state.selection.clone();
    go_to(&mut d, GpuNumber::Bandwidth);
    press(&mut d, "l l H");
    set(&mut d, GpuNumber::L2Size, "72MiB");
    press(&mut d, "K enter backspace B");
    press(&mut d, "end h up L");
    let edited = d.state.selection.clone();
    press(&mut d, "R");
    assert!(d.state.selection.edited.is_none() && d.state.selection.launches.is_empty());
    press(&mut d, "u");
    assert_eq!(d.state.selection, edited);
    (0..20).for_each(|_| drop(press(&mut d, "u")));
    assert_eq!(d.state.selection, first);
    assert!(message(&d).contains("nothing to undo"));
}

#[test]
fn what_cannot_be_is_said_with_both_numbers() {
    let mut d = view_of_saxpy(120, 40);
    for (number, value, said) in [
        (GpuNumber::Bandwidth, "fast", "mem=fast: expected 600GB/s"),
        (GpuNumber::Bandwidth, "-120%", "expected 600GB/s"),
        (GpuNumber::Sms, "100000", "expected 1 to 4600 (it has 46)"),
        (GpuNumber::PowerLimit, "3W", "is too low"),
        (GpuNumber::L2Size, "", "expected 72MiB"),
    ] {
        set(&mut d, number, value);
        assert!(message(&d).contains(said), "{value}: {}", message(&d));
        press(&mut d, "esc");
        assert_eq!(changes(&d), "", "{value}");
    }
    press(&mut d, ":");
    type_line(&mut d, "set fp32=40TFLOP/s");
    press(&mut d, "enter");
    assert!(message(&d).contains("FP32 peak 40.0 TFLOP/s contradicts SMs 46"), "{}", message(&d));
    press(&mut d, "esc");
    go_to(&mut d, GpuNumber::Fp32Peak);
    for key in ["l", "enter", "=", "space"] {
        d.state.message = None;
        press(&mut d, key);
        let said = "FP32 peak follows from SMs, FP32 lanes per SM and SM clock: change one of these";
        assert_eq!(message(&d), said, "{key}");
        assert!(d.state.typed_line().is_none() && d.state.what_if.marked.is_empty(), "{key}");
    }
    // Held down, a number ends where a GPU can no longer be, and says so.
    go_to(&mut d, GpuNumber::SharedPerSm);
    (0..60).for_each(|_| drop(press(&mut d, "L")));
    assert!(message(&d).contains("shared memory per SM"), "{}", message(&d));
    (0..60).for_each(|_| drop(press(&mut d, "H")));
    d.screen();
}

#[test]
fn a_value_is_solved_for_and_set() {
    let mut narrow = view_of_saxpy(50, 24);
    go_to(&mut narrow, GpuNumber::Bandwidth);
    press(&mut narrow, "=");
    type_line(&mut narrow, "4ms");
    let screen = narrow.screen();
    let said = screen.lines().find(|line| line.contains("makes")).unwrap();
    assert!(said.contains('…'), "what is cut is marked: {screen}");
    let mut d = view_of_saxpy(120, 40);
    go_to(&mut d, GpuNumber::Bandwidth);
    press(&mut d, "=");
    type_line(&mut d, "4ms");
    assert!(message(&d).contains("makes 4.00 ms (goal 4.00 ms)"), "{}", message(&d));
    assert!(message(&d).ends_with("press Enter twice to set it"), "{}", message(&d));
    assert!(matches!(d.state.what_if.solution, Some(Solution::Value { .. })));
    press(&mut d, "enter");
    let offered = d.state.typed_line().unwrap().1.value().to_string();
    assert!(offered.ends_with("GB/s") && offered.len() <= "1234.5GB/s".len(), "{offered}");
    press(&mut d, "enter");
    let time = d.state.what_if.answer().unwrap().time.unwrap().millis();
    assert!((0.999..=4.0 / 4.0).contains(&(time / 4.0)), "rounded to the faster side: {time}");
    press(&mut d, "=");
    type_line(&mut d, "1us");
    assert!(
        message(&d).contains("no value of memory bandwidth makes 1.00 µs: limited by"),
        "{}",
        message(&d)
    );
    press(&mut d, "=");
    type_line(&mut d, "soon");
    assert!(message(&d).contains("expected a time such as 1.5ms"), "{}", message(&d));
    press(&mut d, "esc =");
    press(&mut d, "enter");
    let source = d.state.answer().source_time.as_ref().unwrap().time;
    assert!(message(&d).contains(&format!("goal {source}")), "{}", message(&d));
}

#[test]
fn four_scenarios_are_kept_compared_and_written() {
    let mut d = view_of_saxpy(160, 50);
    press(&mut d, "K");
    assert!(message(&d).contains("no number of the GPU is changed"), "{}", message(&d));
    assert!(d.state.typed_line().is_none(), "no name is asked for");
    for value in ["+10%", "+20%", "+30%", "+40%"] {
        set(&mut d, GpuNumber::Bandwidth, value);
        press(&mut d, "K enter");
        assert!(message(&d).contains("kept as"), "{}", message(&d));
    }
    let long = ["x"; 25].join(" ");
    press(&mut d, &format!("K {long} enter"));
    assert!(message(&d).contains("a name has at most 24 characters"), "{}", message(&d));
    press(&mut d, "esc");
    set(&mut d, GpuNumber::Bandwidth, "+50%");
    press(&mut d, "K enter");
    assert!(message(&d).contains("5 scenarios: at most 4 stand beside the base"), "{}", message(&d));
    press(&mut d, "esc tab tab");
    let screen = d.screen();
    for name in ["mem=+10%", "mem=+20%", "mem=+30%", "mem=+40%", "speed over", "1.49×"] {
        assert!(screen.contains(name), "{name}: {screen}");
    }
    press(&mut d, "B");
    assert_eq!(changes(&d), "mem=+10%");
    press(&mut d, "B B B B");
    assert_eq!(changes(&d), "", "after the last one the base");
    press(&mut d, "e");
    let effects = press(&mut d, "enter");
    let Some(Effect::WritePage { path, page }) = effects.first() else { panic!("{effects:?}") };
    let html = page.text_for_file(path).unwrap();
    assert!(html.contains("<svg") && html.contains("mem=+40%"), "{}", path.display());
    assert!(page.text_for_file(std::path::Path::new("a.pdf")).is_err());
    let four = d.state.what_if.kept.clone();
    press(&mut d, "D");
    assert_eq!(d.state.what_if.kept.len(), 3);
    press(&mut d, "u");
    assert!(
        message(&d).contains("undone: kept scenarios") && d.state.what_if.kept == four,
        "{}",
        message(&d)
    );
}

/// SMs are counted: so is the number of them at which times are equal.
#[test]
fn a_break_even_of_what_is_counted_is_a_whole_number() {
    let mut d = view_of_saxpy(160, 50);
    go_to(&mut d, GpuNumber::Bandwidth);
    press(&mut d, "space");
    go_to(&mut d, GpuNumber::Sms);
    press(&mut d, "space");
    let contour = d.state.what_if.contour.clone().unwrap().unwrap();
    let up = &contour.contour.as_ref().unwrap().up;
    assert!(up.len() > 5 && up.iter().all(|sms| sms.fract() == 0.0), "{up:?}");
    let chart = roofswap::whatif::contour_chart(&contour, contour.contour.as_ref().unwrap());
    let note = chart.notes.iter().find(|note| note.contains("SMs")).unwrap();
    let sms = note.split("SMs ").nth(1).unwrap();
    assert!(!sms.contains('.') && note.contains("about"), "{note}");
}

#[test]
fn a_changed_gpu_is_saved_under_an_id_of_its_own() {
    let mut d = view_of_saxpy(120, 40);
    press(&mut d, "S");
    assert!(message(&d).contains("no number of the GPU is changed"), "{}", message(&d));
    set(&mut d, GpuNumber::Bandwidth, "+20%");
    press(&mut d, "S");
    type_line(&mut d, "rtx-4080");
    assert!(message(&d).contains("is a name of rtx-4080"), "{}", message(&d));
    press(&mut d, "esc S");
    let effects = press(&mut d, "enter");
    assert!(matches!(effects.first(), Some(Effect::SaveGpu(_))), "{effects:?}");
}

#[test]
fn keys_of_the_list_are_refused_where_scenarios_stand_in_its_place() {
    let mut d = view_of_saxpy(80, 24);
    set(&mut d, GpuNumber::Bandwidth, "+10%");
    press(&mut d, "K enter tab tab");
    assert!(d.screen().contains("side by side") || d.screen().contains("speed over"), "{}", d.screen());
    let (before, cursor) = (changes(&d), d.state.what_if.cursor);
    for key in ["right", "H", "enter", "backspace", "space", "=", "down", "end"] {
        press(&mut d, key);
        assert!(
            message(&d).contains("the list of numbers is hidden: tab goes on to it"),
            "{key}: {}",
            message(&d)
        );
        assert!((changes(&d), d.state.what_if.cursor) == (before.clone(), cursor), "{key}");
    }
    d.state.message = None;
    assert!(!d.screen().contains("left/right step") && d.screen().contains("tab "), "{}", d.screen());
    press(&mut d, "tab right");
    assert_ne!(changes(&d), before);
}

#[test]
fn another_launch_changes_occupancy_and_waves() {
    let mut d = dashboard(160, 50);
    press(&mut d, "3");
    let now = |d: &Dashboard| d.state.what_if.found.clone().unwrap().launches.unwrap();
    let first = now(&d);
    let [as_it_is] = &first[..] else { panic!("{first:?}") };
    // The last five lines are those of the launch: threads, registers, static and dynamic shared memory, carveout.
    press(&mut d, "end up up up enter");
    type_line(&mut d, "x2");
    let changed = now(&d).remove(1);
    assert!(changed.needs.regs_per_thread == 2 * as_it_is.needs.regs_per_thread);
    assert!(changed.occupancy.active_warps <= as_it_is.occupancy.active_warps);
    press(&mut d, "up enter");
    type_line(&mut d, "2048");
    assert!(message(&d).contains("threads per block from 1 to 1024"), "{}", message(&d));
    press(&mut d, "esc enter");
    type_line(&mut d, "1024");
    let changed = now(&d).remove(1);
    assert_eq!(changed.needs.threads, 1024);
    let refused = changed.refusal.is_some();
    assert_eq!(refused, changed.time.is_none(), "{changed:?}");
    press(&mut d, "u u");
    assert_eq!(now(&d), first);
    press(&mut d, "end enter");
    type_line(&mut d, "25%");
    let half = now(&d).remove(1);
    assert!(half.occupancy.shared_memory_per_sm < as_it_is.occupancy.shared_memory_per_sm, "{half:?}");
}

#[test]
fn a_changed_launch_is_live_and_marked_in_every_view() {
    let mut d = dashboard(160, 50);
    press(&mut d, "3");
    let before = d.state.answer().predicted_time().unwrap();
    press(&mut d, "end up up up enter");
    type_line(&mut d, "128");
    let edits = d.state.launch_changes().to_string();
    assert_eq!(edits, "regs=128");
    let answer = d.state.answer().clone();
    let Pair { source, target } = answer.needs.map(|needs| needs.unwrap().regs_per_thread);
    assert!(source != 128 && target == 128 && answer.measured.is_none());
    let row = format!("◇ {edits}");
    press(&mut d, "1");
    assert!(d.screen().contains("◇ RTX 4070"), "the occupancy says whose launch is changed:\n{}", d.screen());
    assert!(d.screen().contains(&row), "{}", d.screen());
    press(&mut d, "2");
    let board = d.state.ranked.board.clone().unwrap();
    let ranked = board.rows.iter().find(|row| row.gpu == d.state.target()).unwrap();
    assert_eq!(ranked.time, answer.predicted_time());
    assert!(board.workload.contains(&row) && d.screen().contains(&row), "{}", d.screen());
    press(&mut d, "3 R");
    assert_eq!(d.state.answer().predicted_time(), Some(before));
    press(&mut d, "u");
    assert_eq!(d.state.answer().predicted_time(), answer.predicted_time());
}

#[test]
fn an_element_type_is_changed_where_the_kernel_is_modelled_in_others() {
    let mut d = view_of_saxpy(160, 50);
    // Above the five numbers of the launch.
    press(&mut d, "end up up up up up l");
    assert!(message(&d).contains("element type of saxpy: its bytes"), "{}", message(&d));
    press(&mut d, "enter");
    assert!(message(&d).contains("were counted as fp32"), "{}", message(&d));
    press(&mut d, ":");
    type_line(&mut d, "kernel rmsnorm_bf16");
    press(&mut d, "end");
    let time = |d: &Dashboard| d.state.answer().predicted_time().unwrap();
    let before = time(&d);
    press(&mut d, "enter");
    type_line(&mut d, "fp32");
    assert_eq!(d.state.launch_changes().to_string(), "dtype=fp32");
    assert!(d.screen().lines().next().unwrap().contains("◇ fp32"), "{}", d.screen());
    press(&mut d, "1");
    assert!(d.screen().contains("◇ fp32: roofs and points are those of bf16"), "{}", d.screen());
    press(&mut d, "3 end");
    assert!(time(&d) > before, "twice the bytes: {} and {before}", time(&d));
    press(&mut d, "enter");
    type_line(&mut d, "bf16");
    assert!(d.state.launch_changes().is_empty() && time(&d) == before);
}

#[test]
fn each_form_is_exported_as_its_chart() {
    let mut d = view_of_saxpy(120, 40);
    press(&mut d, "e");
    let effects = press(&mut d, "enter");
    let Some(Effect::Export { path, spec, .. }) = effects.first() else { panic!("{effects:?}") };
    assert!(path.to_string_lossy().starts_with("tornado-saxpy"), "{}", path.display());
    let answer = d.state.what_if.answer().unwrap().clone();
    assert_eq!(**spec, roofswap::whatif::tornado_chart(&answer));
    set(&mut d, GpuNumber::Bandwidth, "605GB/s");
    press(&mut d, "e");
    let effects = press(&mut d, "enter");
    let Some(Effect::Export { path, .. }) = effects.first() else { panic!("{effects:?}") };
    assert!(path.to_string_lossy().ends_with("-titan-v-rtx-4070-mem-605GB-s.svg"), "{}", path.display());
    press(&mut d, "u");
    press(&mut d, "tab e");
    assert!(message(&d).contains("mark two numbers with space"), "{}", message(&d));
    go_to(&mut d, GpuNumber::Bandwidth);
    press(&mut d, "space");
    go_to(&mut d, GpuNumber::SmClock);
    press(&mut d, "space e");
    let effects = press(&mut d, "enter");
    let Some(Effect::Export { spec, .. }) = effects.first() else { panic!("{effects:?}") };
    assert!(spec.title.contains("time over memory bandwidth and SM clock"), "{}", spec.title);
    press(&mut d, "tab e");
    assert!(message(&d).contains("no scenario is kept"), "{}", message(&d));
}

/// A program of two launches: a product and one whose counts nobody knows.
fn application() -> roofswap::application::Application {
    let kernel = |name: &str, start: u32, dur: u32, correlation: u32| {
        format!(
            r#"{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":9,"ts":{},"dur":2,"args":{{"correlation":{correlation}}}}},
            {{"ph":"X","cat":"kernel","name":"{name}","pid":0,"tid":7,"ts":{start},"dur":{dur},"args":{{"External id":{correlation},"device":0,"stream":7,"correlation":{correlation},"registers per thread":64,"shared memory":0,"grid":[512,1,1],"block":[128,1,1]}}}}"#,
            start - 5
        )
    };
    let text = format!(
        r#"{{"deviceProperties":[{{"id":0,"name":"NVIDIA H100 80GB HBM3"}}],"traceEvents":[
        {{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":9,"tid":9,"ts":0,"dur":1,"args":{{"External id":1,"Input Dims":[[2048,1024],[1024,4096]],"Input type":["c10::BFloat16","c10::BFloat16"]}}}},
        {},{}]}}"#,
        kernel("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1", 10, 48, 1),
        kernel("mystery_kernel", 70, 200, 2),
    );
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.json");
    std::fs::write(&path, text).unwrap();
    let recorded = roofswap::application::read_application(&path, &Progress::default()).unwrap();
    recorded.application(&Default::default()).unwrap()
}

#[test]
fn an_application_under_a_typed_limit_is_compared_with_the_board_at_its_own() {
    let mut d = view_of_saxpy(160, 50);
    play(&mut d, Message::ApplicationRead(Box::new((application(), Default::default()))));
    press(&mut d, "3");
    let before = d.state.what_if.answer().unwrap().time.unwrap();
    press(&mut d, ":");
    type_line(&mut d, "power 60W");
    let limited = d.state.what_if.answer().unwrap().time.unwrap();
    assert!(limited > before, "{limited} after {before}");
    assert!(d.screen().contains(&format!("slower than RTX 4070, {before}")), "{before}: {}", d.screen());
}

#[test]
fn an_application_has_its_tornado_from_the_worker() {
    let mut d = view_of_saxpy(160, 50);
    press(&mut d, "w");
    assert!(message(&d).contains("no application is loaded"), "{}", message(&d));
    assert!(message(&d).contains("`:mix FILE` loads a mix"), "{}", message(&d));
    play(&mut d, Message::ApplicationRead(Box::new((application(), Default::default()))));
    press(&mut d, "3");
    let answer = d.state.what_if.answer().unwrap().clone();
    assert!(answer.workload.ends_with("run.json") && answer.tornado.iter().any(|bar| bar.matters()));
    // Its picture is named after it and the GPU that it ran on, whatever the source of kernels is.
    let ran_on = d.state.session.gpus[d.state.application.source.unwrap()].id.clone();
    let other = ["v100-sxm2-16gb", "titan-v"].into_iter().find(|id| *id != ran_on).unwrap();
    type_line(&mut d, &format!(": source {other}"));
    press(&mut d, "e");
    let effects = press(&mut d, "enter");
    let Some(Effect::Export { path, spec, .. }) = effects.first() else { panic!("{effects:?}") };
    let name = path.to_string_lossy().into_owned();
    assert!(name.starts_with(&format!("tornado-run.json-{ran_on}-")), "{name}");
    assert!(spec.title.contains("run.json"), "{}", spec.title);
    let before = answer.time.unwrap();
    set(&mut d, GpuNumber::Bandwidth, "x2");
    let answer = d.state.what_if.answer().unwrap().clone();
    assert!(answer.time.unwrap() < before, "{answer:?}");
    assert_eq!(answer.base_time, Some(before));
    for caution in &answer.cautions {
        assert!(d.screen().contains(&format!("! {}", &caution[..40])), "{caution}: {}", d.screen());
    }
    // The same GPU in the view of the application.
    let effects = press(&mut d, "4");
    assert!(effects.iter().any(|e| matches!(e, Effect::Forecast { .. })), "{effects:?}");
    // One that is cancelled is no answer.
    press(&mut d, "3");
    let key = Message::Key("l".into());
    let asked = update(&mut d.state, key);
    let question = asked.into_iter().find_map(|e| match e {
        Effect::WhatIfChanged(question) => Some(question),
        _ => None,
    });
    let progress = Progress::default();
    progress.cancel();
    assert!(question.unwrap().answer_changed(&progress).is_none());
    assert!(d.state.what_if.answer().is_none());
    press(&mut d, "esc");
    assert!(d.screen().contains("cancelled"), "{}", d.screen());
    // A goal, two numbers, and scenarios, each by the worker.
    press(&mut d, "h");
    go_to(&mut d, GpuNumber::Bandwidth);
    press(&mut d, "=");
    type_line(&mut d, "");
    let solution = d.state.what_if.solution.clone().unwrap();
    assert_eq!(
        message(&d).contains("sets it"),
        matches!(solution, Solution::Value { .. }),
        "{}",
        message(&d)
    );
    press(&mut d, "K enter");
    d.state.what_if.form = WhatIfForm::Scenarios;
    press(&mut d, "up");
    let page = d.state.what_if.page.clone().unwrap().unwrap();
    assert_eq!(page.scenarios.len(), 2);
    assert!(page.title.contains("run.json") && d.screen().contains("90 % interval"), "{}", d.screen());
    assert!(press(&mut d, "down").is_empty(), "asked once");
    press(&mut d, "e");
    assert!(press(&mut d, "enter").iter().any(|e| matches!(e, Effect::WritePage { .. })));
    go_to(&mut d, GpuNumber::Bandwidth);
    press(&mut d, "space");
    go_to(&mut d, GpuNumber::SmClock);
    press(&mut d, "space");
    let contour = d.state.what_if.contour.clone().unwrap().unwrap().contour.clone().unwrap();
    assert_eq!((contour.times.len(), contour.across.len()), (7, 7));
    // Back at the kernel, nobody waits for the application.
    update(&mut d.state, Message::Key("l".into()));
    let effects = update(&mut d.state, Message::Key("w".into()));
    assert!(effects.iter().any(|e| matches!(e, Effect::Cancel(_))), "{effects:?}");
}

#[test]
fn what_is_said_of_an_application_leaves_the_tornado_its_bars() {
    let mut d = view_of_saxpy(80, 20);
    play(&mut d, Message::ApplicationRead(Box::new((application(), Default::default()))));
    press(&mut d, "3");
    let answer = d.state.what_if.answer().unwrap().clone();
    let bars = answer.tornado.iter().filter(|bar| bar.matters()).count();
    let screen = d.screen();
    assert_eq!(
        screen.lines().filter(|line| line.contains('│') && line.contains('█')).count(),
        bars,
        "{screen}"
    );
    assert!(screen.contains("! ") && screen.contains(" more line"), "{screen}");
}

/// A mix of two kernels, loaded.
fn load_mix(d: &mut Dashboard) {
    let text = "name = \"step\"\n[[kernel]]\nkernel = \"saxpy\"\nsize = \"n=2^28\"\ncalls = 120\n[[kernel]]\nkernel = \"matmul_tiled\"\nsize = \"n=4096\"\ncalls = 2\n";
    let mix = roofswap::workload::MixFile::parse("mix.toml", text.into()).unwrap();
    let kernels = mix.typed_kernels(&d.state.session);
    let loaded = roofswap::tui::LoadedMix { name: "step".into(), mix, kernels };
    play(d, Message::MixRead(Ok(std::sync::Arc::new(loaded))));
}

#[test]
fn a_mix_has_the_whole_view_from_the_worker() {
    let mut d = view_of_saxpy(160, 50);
    let of_kernel = d.state.what_if.answer().unwrap().base_time.unwrap();
    load_mix(&mut d);
    press(&mut d, "3");
    let answer = d.state.what_if.answer().unwrap().clone();
    assert_eq!(answer.workload, "step");
    assert!(answer.base_time.unwrap() > of_kernel * 120.0 && answer.tornado.len() > 10, "{answer:?}");
    assert!(d.screen().contains("step on RTX 4070") && !d.screen().contains("launch of"), "{}", d.screen());
    set(&mut d, GpuNumber::Bandwidth, "+20%");
    let faster = d.state.what_if.answer().unwrap().time.unwrap();
    assert!(faster < answer.base_time.unwrap());
    press(&mut d, "K enter");
    d.state.what_if.form = WhatIfForm::Scenarios;
    press(&mut d, "up");
    let page = d.state.what_if.page.clone().unwrap().unwrap();
    assert_eq!((page.scenarios.len(), page.scenarios[1].answer.time), (2, Some(faster)));
    go_to(&mut d, GpuNumber::Bandwidth);
    press(&mut d, "=");
    type_line(&mut d, "");
    assert!(d.state.what_if.solution.is_some(), "{}", message(&d));
    press(&mut d, "space");
    go_to(&mut d, GpuNumber::SmClock);
    press(&mut d, "space");
    assert!(d.state.what_if.contour.clone().unwrap().unwrap().contour.is_some());
    press(&mut d, "w");
    assert_eq!(d.state.what_if.answer().unwrap().workload, "saxpy n=268435456");
}

#[test]
fn scenarios_and_two_numbers_of_a_kernel_are_the_workers_and_can_be_cancelled() {
    let mut d = view_of_saxpy(160, 50);
    set(&mut d, GpuNumber::Bandwidth, "+20%");
    press(&mut d, "K enter");
    d.state.what_if.form = WhatIfForm::Scenarios;
    let asked = update(&mut d.state, Message::Key("up".into()));
    let Some(Effect::WhatIfChanged(question)) = asked.into_iter().next() else {
        panic!("the worker is asked")
    };
    assert!(d.state.what_if.page.is_none() && d.screen().contains("predicting"), "{}", d.screen());
    let progress = Progress::default();
    assert!(question.answer_changed(&progress).is_some());
    assert!(progress.steps_known() > 40 && progress.steps_done() == progress.steps_known());
    progress.cancel();
    assert!(question.answer_changed(&progress).is_none());
    let effects = press(&mut d, "esc");
    assert!(effects.iter().any(|e| matches!(e, Effect::Cancel(_))), "{effects:?}");
    assert!(d.screen().contains("cancelled"), "{}", d.screen());
}

#[test]
fn the_tornado_of_an_application_counts_its_forecasts() {
    let mut d = view_of_saxpy(160, 50);
    play(&mut d, Message::ApplicationRead(Box::new((application(), Default::default()))));
    let asked = update(&mut d.state, Message::Key("3".into()));
    let question = asked.into_iter().find_map(|e| match e {
        Effect::WhatIfChanged(question) => Some(question),
        _ => None,
    });
    let progress = Progress::default();
    question.unwrap().answer_changed(&progress).unwrap();
    assert!(progress.steps_done() > 20 && progress.steps_done() <= progress.steps_known());
}

#[test]
fn the_view_answers_by_the_model_that_was_chosen() {
    let mut d = view_of_saxpy(160, 50);
    for model in ["plain-roofline", "efficiency-transfer", "projection", "hybrid"] {
        press(&mut d, ":");
        type_line(&mut d, &format!("model {model}"));
        set(&mut d, GpuNumber::Bandwidth, "+20%");
        let asked = "--set mem=+20% --kernel saxpy --size n=268435456 --format json";
        let told = command(&format!("whatif --gpu rtx-4070 --from titan-v {asked} --model {model}"));
        let shown = d.state.what_if.answer().unwrap().time.unwrap().millis();
        assert!(
            (shown / told["time_ms"].as_f64().unwrap() - 1.0).abs() < 1e-9,
            "{model}: {shown} and {told}"
        );
        let on_screen = d.state.answer().predicted_time().unwrap().millis();
        assert!((shown / on_screen - 1.0).abs() < 1e-9, "{model}: {shown} and {on_screen}");
    }
    press(&mut d, ":");
    type_line(&mut d, "model same-time");
    assert!(d.screen().contains("same-time: no number of the GPU changes the time"), "{}", d.screen());
}

#[test]
fn the_mark_of_a_time_stays_beside_it_in_a_narrow_launch_box() {
    let mut d = view_of_saxpy(80, 24);
    for typed in ["", "regs=64"] {
        if !typed.is_empty() {
            press(&mut d, ":");
            type_line(&mut d, &format!("set {typed}"));
        }
        let screen = d.screen();
        let alone = |line: &str| {
            let right = line.chars().skip(45).collect::<String>();
            right.chars().filter(|c| !c.is_whitespace() && *c != '┃').all(|c| "~◆●".contains(c))
                && right.contains(['~', '◆', '●'])
        };
        assert!(!screen.lines().any(alone), "{screen}");
    }
}

#[test]
fn what_was_edited_is_undone_by_name_and_the_gpu_list_stays_on_its_target() {
    let mut d = view_of_saxpy(80, 24);
    press(&mut d, "l u");
    assert!(d.screen().contains("undone: RTX 4070 is unchanged again"), "{}", d.screen());
    press(&mut d, "l l u");
    assert!(d.screen().contains("undone: RTX 4070 has sms=+5% again"), "{}", d.screen());
    for keys in ["R 1", "3 l u 1", "3 l R 1"] {
        press(&mut d, keys);
        assert_eq!(d.state.gpus.get(d.state.gpu_cursor), Some(&d.state.target()), "{keys}: {}", d.screen());
    }
}

#[test]
fn a_changed_launch_stands_beside_its_own_and_makes_no_gpu_to_save() {
    let mut d = view_of_saxpy(160, 50);
    assert!(d.screen().contains("change a number and watch"), "{}", d.screen());
    press(&mut d, "G up l");
    let screen = d.screen();
    assert!(screen.contains("with its own launch, "), "{screen}");
    assert!(!screen.contains("change a number and watch"), "{screen}");
    press(&mut d, "S");
    assert!(d.screen().contains("no number of the GPU is changed"), "{}", d.screen());
    assert!(d.state.overlays.is_empty(), "no name is asked for");
}

#[test]
fn the_times_over_two_numbers_have_a_unit() {
    for (width, height) in [(80, 24), (160, 50)] {
        let mut d = view_of_saxpy(width, height);
        press(&mut d, "space j space");
        assert!(d.screen().contains("time, ms: one curve per value"), "{}", d.screen());
    }
}

#[test]
fn another_launch_is_typed_in_the_palette_as_behind_the_flag() {
    let mut d = view_of_saxpy(160, 50);
    press(&mut d, ":");
    type_line(&mut d, "launch block=128,regs=16");
    let launch = d.state.answer().needs.target.unwrap();
    assert_eq!((launch.threads, launch.regs_per_thread), (128, 16));
    assert!(d.screen().contains("with its own launch, "), "{}", d.screen());
    press(&mut d, ":");
    type_line(&mut d, "launch registers=16");
    assert!(d.screen().contains("is no number of a launch; the keys are block, regs"), "{}", d.screen());
    press(&mut d, "esc u");
    assert!(d.screen().contains("undone: launch of saxpy"), "{}", d.screen());
}

#[test]
fn the_list_of_gpus_shows_a_target_that_was_chosen_elsewhere() {
    let mut d = dashboard(80, 24);
    press(&mut d, ":");
    type_line(&mut d, "gpu l40s");
    assert!(d.screen().contains("T ▸L40S"), "{}", d.screen());
    press(&mut d, "u");
    assert!(d.screen().contains("T ▸RTX 4070"), "{}", d.screen());
}

#[test]
fn what_would_help_most_is_what_gains_most_and_not_what_costs_most() {
    let mut d = view_of_saxpy(120, 40);
    let found = d.state.what_if.answer().unwrap().clone();
    let now = found.time.unwrap();
    let bar = |number, less: f64, more: f64| TornadoBar {
        number,
        value: 1.0,
        less: Some(Seconds(now.0 * less)),
        more: Some(Seconds(now.0 * more)),
        effect: (less - 1.0).abs().max((more - 1.0).abs()),
    };
    // Largest gain first, whatever a fifth less costs.
    let tornado = vec![
        bar(GpuNumber::Bandwidth, 1.01, 0.92),
        bar(GpuNumber::LaunchOverhead, 0.95, 1.05),
        bar(GpuNumber::Sms, 1.5, 0.97),
        bar(GpuNumber::RegistersPerSm, 1.9, 1.0),
    ];
    let mut answer = (*found).clone();
    answer.tornado = tornado;
    assert_eq!(answer.advice().unwrap(), "what would help most: memory bandwidth, then launch overhead");
    // On the screen too.
    press(&mut d, ":");
    type_line(&mut d, "kernel matmul_tiled");
    let answer = d.state.what_if.answer().unwrap().clone();
    let now = answer.time.unwrap();
    let gain =
        |bar: &&TornadoBar| 1.0 - bar.less.into_iter().chain(bar.more).map(|t| t / now).fold(1.0, f64::min);
    let best = answer.tornado.iter().max_by(|a, b| gain(a).total_cmp(&gain(b))).unwrap();
    let said = answer.advice().unwrap();
    assert!(said.starts_with(&format!("what would help most: {}", best.number.title())), "{said}");
    assert!(d.screen().contains(&said), "{}", d.screen());
}

#[test]
fn the_launch_overhead_of_the_list_is_the_kernels_own_and_typing_it_changes_nothing() {
    let mut d = view_of_saxpy(160, 50);
    press(&mut d, ":");
    type_line(&mut d, "kernel matmul_tiled");
    let of_launch = |d: &Dashboard| {
        let answer = d.state.what_if.answer().unwrap().clone();
        let bar = answer.tornado.iter().find(|bar| bar.number == GpuNumber::LaunchOverhead).unwrap();
        (bar.value, answer.time.unwrap())
    };
    let (own, time) = of_launch(&d);
    let stated = d.state.session.gpus[d.state.target()].number(GpuNumber::LaunchOverhead).unwrap();
    go_to(&mut d, GpuNumber::LaunchOverhead);
    let shown = GpuNumber::LaunchOverhead.in_words(own);
    assert_ne!(shown, GpuNumber::LaunchOverhead.in_words(stated), "the kernel's own differs");
    let line = |d: &Dashboard| {
        let screen = d.screen();
        screen
            .lines()
            .find(|line| line.contains("▸ launch overhead") || line.contains("▸  launch overhead"))
            .unwrap_or(&screen)
            .to_string()
    };
    assert!(line(&d).contains(&shown), "{shown}: {}", line(&d));
    press(&mut d, "enter");
    assert!(message(&d).contains(&shown), "{}", message(&d));
    type_line(&mut d, &shown.replace(' ', ""));
    assert!(d.state.edited_gpu().changes.is_empty(), "{}", d.state.edited_gpu().changes);
    assert_eq!(of_launch(&d), (own, time));
    // A value that is set is stepped from where it is.
    set(&mut d, GpuNumber::LaunchOverhead, "1us");
    press(&mut d, "right");
    let (stepped, _) = of_launch(&d);
    assert!((1.0e-6..own).contains(&stepped), "{stepped}: {}", line(&d));
}

#[test]
fn a_data_rate_beside_a_bandwidth_is_refused_with_both() {
    let mut d = view_of_saxpy(120, 40);
    set(&mut d, GpuNumber::Bandwidth, "+25%");
    set(&mut d, GpuNumber::DataRate, "+40%");
    let said = message(&d);
    for part in
        ["memory bandwidth 630 GB/s contradicts", "memory data rate 29.4 Gbit/s", "leave one of them out"]
    {
        assert!(said.contains(part), "{part}: {said}");
    }
    // The tornado still moves the bandwidth where the data rate is what was changed.
    press(&mut d, "esc esc");
    go_to(&mut d, GpuNumber::Bandwidth);
    press(&mut d, "backspace");
    set(&mut d, GpuNumber::DataRate, "+40%");
    let answer = d.state.what_if.answer().unwrap().clone();
    let bar = answer.tornado.iter().find(|bar| bar.number == GpuNumber::Bandwidth).unwrap();
    assert!(
        (bar.value / 705.6e9 - 1.0).abs() < 0.01 && bar.less > answer.time && bar.more < answer.time,
        "{bar:?}"
    );
}

/// A chart is of the question that is put now, not of the one that the view was opened for.
#[test]
fn a_tornado_of_another_kernel_is_no_chart_of_this_one() {
    let mut d = dashboard(160, 50);
    let ask =
        |d: &mut Dashboard, keys: &str| keys.split(' ').for_each(|key| d.play(Message::Key(key.into())));
    ask(&mut d, ": e x p o r t space t o r n a d o enter");
    assert!(d.screen().contains("open view 3 first"), "{}", d.screen());
    ask(&mut d, "3 1 ] : e x p o r t space t o r n a d o enter");
    assert!(d.screen().contains("open view 3 first"), "{}", d.screen());
    ask(&mut d, "3 : e x p o r t space t o r n a d o enter");
    assert!(!d.screen().contains("open view 3 first"), "{}", d.screen());
}

/// Of a launch that was profiled at other clocks the time at the source's own is sought, as the command does.
#[test]
fn the_offered_goal_is_the_time_that_an_empty_line_solves_for() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("slow.csv");
    let rows = "gpu,kernel,problem,time_ms,sm_clock_mhz\ntitan-v,saxpy,n=268435456,30,200\n";
    std::fs::write(&file, rows).unwrap();
    let mut session = Session::load(None).unwrap();
    session.add_data(&file).unwrap();
    let mut d = view_of_saxpy(160, 50);
    play(&mut d, Message::Loaded(LoadedFiles::without_notes(session, "loaded")));
    go_to(&mut d, GpuNumber::Bandwidth);
    press(&mut d, "=");
    let offered = message(&d);
    press(&mut d, "enter");
    let goal = match d.state.what_if.solution.as_ref().unwrap() {
        Solution::Value { goal, .. } | Solution::None { goal, .. } => goal.time,
    };
    assert!(goal < Seconds(30e-3), "{goal}");
    assert!(offered.ends_with(&format!("empty: as fast as TITAN V, {goal}")), "{goal}: {offered}");
}
