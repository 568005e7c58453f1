//! The board and the typed kernel: GPUs in order for what a person has.

#![allow(
    clippy::unwrap_used,
    reason = "clippy.toml allows it in test functions; their builders stand outside"
)]

use crate::stage::{Dashboard, dashboard};
use roofswap::chart::{ChartSpec, Mark};
use roofswap::tui::{DashboardView, Effect, Message, update};

/// Keys, separated by spaces; the worker's ranking comes at once.
fn press(d: &mut Dashboard, keys: &str) -> Vec<Effect> {
    let mut all = Vec::new();
    for key in keys.split_whitespace() {
        let effects = update(&mut d.state, Message::Key(key.into()));
        rank(d, &effects);
        all.extend(effects);
    }
    all
}

/// Ranks the GPUs as the worker would.
fn rank(d: &mut Dashboard, effects: &[Effect]) {
    for effect in effects {
        if let Effect::Rank(question) = effect {
            let board = question.rank_rows(&roofswap::progress::Progress::default()).unwrap();
            let answer = Box::new((question.asked.clone(), board));
            update(&mut d.state, Message::Ranked(Some(answer)));
        }
    }
}

/// Types a line.
fn type_line(d: &mut Dashboard, text: &str) {
    for c in text.chars() {
        let key = if c == ' ' { "space".to_string() } else { c.to_string() };
        update(&mut d.state, Message::Key(key));
    }
}

fn ranked(w: u16, h: u16, keys: &str) -> Dashboard {
    let mut d = unranked(w, h);
    press(&mut d, "2");
    press(&mut d, keys);
    d
}

/// A dashboard that has yet to ask for its first ranking.
fn unranked(w: u16, h: u16) -> Dashboard {
    let mut d = dashboard(w, h);
    d.state.ranked.asked = None;
    d
}

#[test]
fn the_board_at_every_size() {
    for (w, h) in [(40, 12), (80, 24), (120, 40), (160, 50), (200, 60)] {
        insta::assert_snapshot!(format!("board_{w}x{h}"), ranked(w, h, "").screen());
    }
}

/// Rows of the question before stay while the worker ranks, and are marked as such; its late answers are dropped.
#[test]
fn a_board_that_is_ranked_anew_says_so() {
    let mut d = ranked(80, 24, "down down");
    assert!(!d.screen().contains("ranking anew"), "{}", d.screen());
    let line = |d: &Dashboard| d.screen().lines().position(|line| line.contains('▸'));
    let before = line(&d);
    let late = update(&mut d.state, Message::Key("]".into()));
    assert!(d.screen().contains("GPUs by time, ranking anew …"), "{}", d.screen());
    let newest = update(&mut d.state, Message::Key("]".into()));
    rank(&mut d, &late);
    assert!(d.screen().contains("GPUs by time, ranking anew …"), "{}", d.screen());
    assert_eq!(line(&d), before);
    rank(&mut d, &newest);
    assert!(!d.screen().contains("ranking anew"), "{}", d.screen());
    let name = d.state.kernel().label().to_string();
    assert!(d.screen().contains(&format!("Board ─ {name}")), "{}", d.screen());
}

#[test]
fn no_two_columns_of_the_board_have_one_heading() {
    for width in [80, 100, 160] {
        let screen = ranked(width, 24, "").screen();
        let heading = screen.lines().find(|line| line.contains("limit")).unwrap();
        let words: Vec<&str> = heading.split("  ").map(str::trim).filter(|word| *word == "speedup").collect();
        assert_eq!(words.len(), 1, "{width}: {heading}");
    }
}

#[test]
fn a_picture_of_the_board_is_in_the_order_of_the_screen_and_says_so() {
    let spec = |keys: &str| {
        let mut d = ranked(160, 50, keys);
        let effects = press(&mut d, "e enter");
        let Some(Effect::Export { spec, .. }) = effects.into_iter().next() else { panic!("{}", d.screen()) };
        spec
    };
    let labels = |spec: &ChartSpec| -> Vec<String> {
        let label = |mark: &Mark| match mark {
            Mark::Point { label, .. } => Some(label.clone()),
            _ => None,
        };
        spec.marks.iter().filter_map(label).collect()
    };
    let has_joules = |spec: &ChartSpec| labels(spec).iter().any(|label| label.ends_with('J'));
    let by_time = spec("");
    assert!(by_time.subtitle.contains("by time · ") && !has_joules(&by_time), "{}", by_time.subtitle);
    let by_energy = spec("o");
    assert!(by_energy.subtitle.contains("by perf-per-watt · "), "{}", by_energy.subtitle);
    assert!(by_energy.subtitle.ends_with(", J: energy of a run") && has_joules(&by_energy));
    let by_price = spec("o o");
    assert!(by_price.subtitle.contains("by perf-per-dollar · "), "{}", by_price.subtitle);
    assert!(labels(&by_price).iter().any(|label| label.contains("  $")), "{:?}", labels(&by_price));
    let is_reversed = |spec: &ChartSpec| spec.notes.iter().any(|note| note.contains("reversed"));
    assert_eq!([is_reversed(&spec("O")), is_reversed(&by_time)], [true, false]);
}

#[test]
fn the_other_views_at_every_size() {
    for (w, h) in [(40, 12), (80, 24), (120, 40), (160, 50), (200, 60)] {
        let mut swap = unranked(w, h);
        press(&mut swap, "]");
        insta::assert_snapshot!(format!("swap_{w}x{h}"), swap.screen());
        let mut evidence = dashboard(w, h);
        press(&mut evidence, "!");
        insta::assert_snapshot!(format!("evidence_{w}x{h}"), evidence.screen());
    }
}

#[test]
fn rows_are_filtered_sorted_pinned_and_priced() {
    let mut d = ranked(160, 40, "");
    let all = d.screen();
    assert!(all.contains("149 GPUs by time"), "{all}");
    press(&mut d, "/");
    type_line(&mut d, "ada <=100W");
    press(&mut d, "enter");
    let screen = d.screen();
    assert!(screen.contains("“ada <=100W”") && !screen.contains("H100"), "{screen}");
    press(&mut d, "esc");
    assert!(d.screen().contains("149 GPUs"));
    press(&mut d, "end space home");
    assert_eq!(d.state.ranked.pins.len(), 1, "Space pins, and does not page");
    let pinned = *d.state.ranked.pins.iter().next().unwrap();
    assert_eq!(d.state.ranked.shown_rows(&d.state.session)[0].gpu, pinned, "a pinned row stands first");
    press(&mut d, "$");
    type_line(&mut d, "2.49 lambda");
    press(&mut d, "enter");
    let screen = d.screen();
    assert!(screen.contains("$/h") && screen.contains("2.49"), "{screen}");
    press(&mut d, "8");
    assert!(d.screen().contains("one of each architecture"), "{}", d.screen());
    press(&mut d, "enter 1");
    assert_eq!(d.state.view, DashboardView::Swap);
    press(&mut d, "2 e");
    assert!(d.screen().contains("export to: board-matmul_tiled-titan-v.svg"), "{}", d.screen());
}

#[test]
fn four_generations_side_by_side_in_one_key() {
    let mut d = unranked(120, 30);
    press(&mut d, "2 8");
    let screen = d.screen();
    assert!(screen.contains("one of each architecture"), "{screen}");
    assert!(d.state.ranked.shown_rows(&d.state.session).len() >= 8, "{screen}");
}

#[test]
fn one_key_makes_one_of_each_architecture_the_targets() {
    let mut d = unranked(160, 50);
    press(&mut d, "8");
    let gpus = &d.state.session.gpus;
    let architectures: Vec<&str> =
        d.state.selection.targets.iter().map(|gpu| gpus[*gpu].architecture.as_str()).collect();
    assert_eq!(
        architectures,
        ["ada", "blackwell", "hopper", "ampere", "turing", "volta", "pascal", "maxwell"],
        "the target, then the newest first"
    );
    insta::assert_snapshot!("each_architecture_160x50", d.screen());
    press(&mut d, "8");
    assert_eq!(d.state.selection.targets.len(), 1, "the same key takes them back");
}

#[test]
fn further_targets_have_columns_a_roof_and_their_occupancy() {
    let mut d = unranked(200, 60);
    press(&mut d, ":");
    type_line(&mut d, "add h100-pcie");
    press(&mut d, "enter :");
    type_line(&mut d, "add rtx-5090");
    press(&mut d, "enter");
    insta::assert_snapshot!("three_targets_200x60", d.screen());
    let offered = d.state.further_targets();
    assert_eq!(offered.len(), 2);
    for target in offered {
        assert!(target.answer.prediction.is_ok() && target.answer.occupancy.target.is_some());
    }
    // A narrow screen says how the others are seen.
    let mut narrow = unranked(80, 24);
    press(&mut narrow, "8");
    assert!(narrow.screen().contains("more targets: press 2"), "{}", narrow.screen());
}

#[test]
fn a_pinned_gpu_is_a_further_target_and_one_that_is_unpinned_is_none() {
    let mut d = ranked(160, 40, "home space");
    let pinned = *d.state.ranked.pins.iter().next().unwrap();
    assert_eq!(d.state.selection.targets[1..], [pinned]);
    press(&mut d, "space");
    assert!(d.state.ranked.pins.is_empty() && d.state.selection.targets.len() == 1);
}

/// No blanks stand where a size would.
#[test]
fn a_kernel_without_a_size_is_copied_without_a_gap() {
    let mut d = dashboard(120, 30);
    press(&mut d, "n");
    type_line(&mut d, "4.2ms on 3090, 17.2 GFLOP, 50MB dram");
    press(&mut d, "enter");
    for view in ["1", "2"] {
        let effects = press(&mut d, &format!("{view} y"));
        let copied = effects.iter().find_map(|e| if let Effect::Copy(text) = e { Some(text) } else { None });
        let copied = copied.unwrap_or_else(|| panic!("{}", d.screen()));
        assert!(!copied.contains(" :") && !copied.contains("  "), "{copied}");
    }
    assert!(!d.screen().contains("  from"), "{}", d.screen());
}

#[test]
fn a_typed_kernel_is_a_row_of_its_own_and_its_gpu_the_source() {
    let mut d = dashboard(120, 30);
    press(&mut d, "n");
    type_line(&mut d, "4.2ms on 3090, 17.2 GFLOP, 50MB dram");
    let screen = d.screen();
    assert!(screen.contains("4.20 ms") && screen.contains('['), "chips while typing: {screen}");
    press(&mut d, "enter");
    let screen = d.screen();
    assert!(d.state.pair().source.id.starts_with("rtx-3090"), "{screen}");
    assert!(screen.contains("4.20 ms ●"), "the typed time is a measurement: {screen}");
    let judged = d.state.session.rows_to_evaluate();
    assert!(
        judged.len() > 50 && judged.rows().all(|row| !row.is_typed()),
        "one typed kernel judges no model"
    );
    press(&mut d, "n");
    type_line(&mut d, "4.2ms on 3090, 12 parsecs");
    press(&mut d, "enter");
    assert!(d.state.takes_text(), "what is not understood stays open: {}", d.screen());
}

#[test]
fn variants_and_block_sizes_of_the_kernel_are_rows() {
    let mut d = ranked(160, 40, "tab");
    assert!(d.screen().contains("no variant was measured at"), "{}", d.screen());
    press(&mut d, "tab");
    insta::assert_snapshot!("blocks_160x40", d.screen());
    let rows = d.state.ranked.shown_rows(&d.state.session);
    let labels: Vec<&str> = rows.iter().map(|row| row.label.as_str()).collect();
    assert!(labels.contains(&"1024 threads, as it is") && labels.contains(&"256 threads"), "{labels:?}");
    let as_it_is = rows.iter().find(|row| row.label.ends_with("as it is")).unwrap();
    let here = d.state.answer().predicted_time().unwrap();
    assert!((as_it_is.time.unwrap() / here - 1.0).abs() < 1e-9, "its own block has its own time");
    press(&mut d, "down down e");
    assert!(d.screen().contains("export to: board-"), "{}", d.screen());
    press(&mut d, "esc tab");
    assert!(d.screen().contains("149 GPUs by time"), "{}", d.screen());
}

/// A mix as the worker reads it.
fn loaded_mix(d: &Dashboard, name: &str, text: &str) -> std::sync::Arc<roofswap::tui::LoadedMix> {
    let mix = roofswap::workload::MixFile::parse("mix.toml", text.into()).unwrap();
    let kernels = mix.typed_kernels(&d.state.session);
    std::sync::Arc::new(roofswap::tui::LoadedMix { name: name.into(), mix, kernels })
}

#[test]
fn the_kernels_of_a_mix_are_rows_of_the_board_and_of_the_table() {
    let mut d = ranked(160, 40, "");
    let selected = d.state.kernel().id.clone();
    let text = "name = \"step\"\n[[kernel]]\nkernel = \"saxpy\"\ncalls = 30\n[[kernel]]\n\
                typed = \"4.2ms on titan-v, 256 thr, 17.2 GFLOP, 50MB dram, name mine\"\n";
    let loaded = loaded_mix(&d, "step", text);
    let effects = update(&mut d.state, Message::MixRead(Ok(loaded)));
    rank(&mut d, &effects);
    let total = d.state.ranked.row_of(d.state.target()).and_then(|row| row.time).unwrap();
    press(&mut d, "tab");
    assert!(d.screen().contains("step from TITAN V: 2 kernels on RTX 4070 by time"), "{}", d.screen());
    insta::assert_snapshot!("mix_kernels_160x40", d.screen());
    let rows = d.state.ranked.shown_rows(&d.state.session);
    assert!(rows[0].label.starts_with("mine") && rows[1].label.ends_with("x 30"), "the longest first");
    let sum: f64 = rows.iter().map(|row| row.time.unwrap().0).sum();
    assert!((sum / total.0 - 1.0).abs() < 1e-9, "its kernels are the whole of it: {sum} {total}");
    assert!(rows.iter().all(|row| !row.is_pareto), "parts of a run are no choices");
    // The typed one stands among the user's rows, what was selected stays so.
    assert_eq!(d.state.kernel().id, selected);
    press(&mut d, "1 / m i n e enter");
    assert!(d.screen().contains("▸ mine") && d.screen().contains("4.20 ms ●"), "{}", d.screen());
    press(&mut d, "2 esc");
    assert!(d.screen().contains("step from TITAN V"), "Esc drops no mix: {}", d.screen());
    press(&mut d, "w");
    assert!(d.screen().contains("mine from TITAN V: 149 GPUs by time"), "{}", d.screen());
}

#[test]
fn a_mix_is_ranked_beside_the_kernel_and_prices_take_the_place_of_those_before() {
    let mut d = ranked(160, 40, "");
    let text =
        "name = \"two\"\n[[kernel]]\nkernel = \"saxpy\"\ncalls = 3\n[[kernel]]\nkernel = \"dot_product\"\n";
    let loaded = loaded_mix(&d, "two", text);
    let effects = update(&mut d.state, Message::MixRead(Ok(loaded)));
    rank(&mut d, &effects);
    assert!(d.screen().contains("two from TITAN V: 149 GPUs by time"), "{}", d.screen());
    let book = roofswap::rank::PriceBook::parse(
        "gpu,usd_per_hour,provider,region,date\nl4,0.5,acme,eu,2026-11-01\n",
        "prices.csv",
        "prices",
        &d.state.session.gpus,
        None,
    );
    let effects = update(&mut d.state, Message::PricesRead(Ok(Box::new(book.unwrap()))));
    rank(&mut d, &effects);
    assert!(d.screen().contains("prices of 1 GPU;"), "{}", d.screen());
    assert!(d.screen().contains("149 GPUs by $ per run"), "{}", d.screen());
    let rows = d.state.ranked.shown_rows(&d.state.session);
    assert!(rows[0].gpu_id == "l4" && rows[0].usd_per_million_runs.is_some(), "{:?}", rows[0]);
    press(&mut d, "w");
    assert!(d.screen().contains("matmul_tiled n=512 from TITAN V"), "{}", d.screen());
    press(&mut d, "w");
    assert!(d.screen().contains("two from TITAN V"), "{}", d.screen());
}

#[test]
fn a_filter_by_price_hides_what_costs_more_and_one_that_is_no_limit_stays_open() {
    let mut d = ranked(120, 40, "");
    for (typed, said) in
        [("<=3oW", "`<=3oW`: expected a limit"), ("<=1$/h", "no prices by the hour are loaded")]
    {
        press(&mut d, "/");
        type_line(&mut d, typed);
        press(&mut d, "enter");
        assert!(d.screen().contains(said) && d.state.typed_line().is_some(), "{}", d.screen());
        press(&mut d, "esc");
    }
    let book = roofswap::rank::PriceBook::parse(
        "gpu,usd_per_hour\nl4,0.5\nh100-sxm5,3\n",
        "p.csv",
        "p",
        &d.state.session.gpus,
        None,
    );
    let effects = update(&mut d.state, Message::PricesRead(Ok(Box::new(book.unwrap()))));
    rank(&mut d, &effects);
    let mut shown = |typed: &str| {
        press(&mut d, "/");
        type_line(&mut d, typed);
        press(&mut d, "enter");
        let rows = d.state.ranked.shown_rows(&d.state.session);
        rows.into_iter().map(|row| row.gpu_id.clone()).collect::<Vec<_>>()
    };
    assert_eq!(shown("<=1$/h"), ["l4"]);
    assert_eq!(shown(">1$/h"), ["h100-sxm5"]);
    assert_eq!(shown("<=1$/h <=1W"), [""; 0]);
}

#[test]
fn the_time_of_the_source_is_marked_as_measured() {
    let d = ranked(160, 50, "");
    let rows = d.state.ranked.shown_rows(&d.state.session);
    let marks: Vec<char> = ["titan-v", "rtx-4070", "l4"]
        .map(|id| rows.iter().find(|r| r.gpu_id == id).unwrap().kind().mark())
        .into();
    assert_eq!(marks, ['●', '●', '◆'], "the RTX 4070 was measured as well");
    assert!(d.screen().contains("95.1 µs ●"), "{}", d.screen());
}

#[test]
fn a_typed_kernel_without_a_grid_has_the_occupancy_that_predict_has() {
    for line in
        ["4.2ms on 3090, 256 thr, 40 regs, 17.2 GFLOP, 50MB dram", "256 thr, 40 regs, 17.2 GFLOP, 50MB dram"]
    {
        let mut d = dashboard(120, 40);
        press(&mut d, "n");
        type_line(&mut d, line);
        press(&mut d, "enter");
        let occupancy = d.state.answer().occupancy.target.map(|o| o.fraction());
        assert_eq!(occupancy, Some(1.0), "{line}: {}", d.screen());
        assert!(!d.screen().contains("launch shape unknown"), "{}", d.screen());
    }
}

#[test]
fn typed_kernels_are_written_as_a_file_that_loads_again() {
    let mut d = dashboard(120, 30);
    press(&mut d, ": e x p o r t space t y p e d enter");
    assert!(d.screen().contains("no kernel was typed with a time"), "{}", d.screen());
    press(&mut d, "esc");
    for line in [
        "4.2ms on 3090, name mine, 17.2 GFLOP, 50MB dram, 16x16 thr, grid 4096, 40 regs, 8KB smem, pipe=tensor-bf16",
        "name other, 1 GFLOP, 4MB dram, 256 thr",
    ] {
        press(&mut d, "n");
        type_line(&mut d, line);
        press(&mut d, "enter");
    }
    press(&mut d, ": e x p o r t space t y p e d enter");
    assert!(d.screen().contains("export to: typed-kernels.csv"), "{}", d.screen());
    let effects = update(&mut d.state, Message::Key("enter".into()));
    let [Effect::WriteRows { path, rows }] = &effects[..] else { panic!("{effects:?}") };
    assert_eq!((path.to_str(), rows.len()), (Some("typed-kernels.csv"), 1), "without a time it is no row");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("typed-kernels.csv");
    std::fs::write(&file, roofswap::measurement::write_csv(rows)).unwrap();
    let mut session = roofswap::session::Session::load(None).unwrap();
    let loaded = session.add_data(&file).unwrap();
    assert_eq!((loaded.rows, loaded.refused_count), (1, 0), "{:?}", loaded.refused);
    let kernel = session.kernels.position("mine").unwrap();
    assert!(session.kernels[kernel].arithmetic_facts().is_tensor, "its pipe came with it");
    let of = &d.state.session;
    let [typed, read] = [&**of, &session].map(|session| {
        let kernel = session.kernels.position("mine").unwrap();
        let subject = session.subject(kernel, &Default::default(), "").unwrap();
        let [source, target] = ["rtx-3090", "rtx-4090"].map(|gpu| session.gpus.position(gpu).unwrap());
        session.answer(&subject, source, target, Default::default()).predicted_time().unwrap()
    });
    assert!((typed / read - 1.0).abs() < 1e-12, "{typed} {read}");
}

#[cfg(unix)]
#[test]
fn the_copied_command_types_the_kernel_again() {
    for line in [
        "4.2ms on 3090, name mine, 17.2 GFLOP, 50MB dram, 16x16 thr, grid 4096, 40 regs, 8KB smem, pipe=tensor-bf16",
        "4.2ms on 3090 matmul_tiled n=2048",
        "on 3090, name other, 1 GFLOP, 4MB dram, 256 thr",
    ] {
        let mut d = dashboard(120, 30);
        press(&mut d, "n");
        type_line(&mut d, line);
        press(&mut d, "enter");
        let effects = update(&mut d.state, Message::Key("Y".into()));
        let [Effect::Copy(command)] = &effects[..] else { panic!("{line}: {effects:?} {}", d.screen()) };
        let program = crate::walk::PROGRAM;
        let command = command.replacen("roofswap", program, 1) + " --format json";
        let output = std::process::Command::new("sh").args(["-c", &command]).output().unwrap();
        let told = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
        let rows: serde_json::Value = serde_json::from_str(&told).unwrap();
        let row = rows.as_array().map_or(&rows["rows"][0], |rows| &rows[0]);
        let wanted = d.state.answer().predicted_time().unwrap().millis();
        let found = row["time_ms"].as_f64().unwrap_or_else(|| panic!("{command}: {told}"));
        assert!((found / wanted - 1.0).abs() < 1e-9, "{command}: {found} ms, the screen has {wanted}");
    }
    // From another source a typed time would be of the wrong GPU.
    let mut d = dashboard(120, 30);
    press(&mut d, "n");
    type_line(&mut d, "4.2ms on 3090, name mine, 17.2 GFLOP, 50MB dram");
    press(&mut d, "enter x");
    assert!(update(&mut d.state, Message::Key("Y".into())).is_empty());
    assert!(d.screen().contains(":export typed"), "{}", d.screen());
}

#[test]
fn typed_kernels_come_back_and_one_that_is_wrong_is_said() {
    let mut d = dashboard(120, 30);
    for line in ["4.2ms on 3090, name mine, 17.2 GFLOP, 50MB dram", "name other, 1 GFLOP, 4MB dram, 256 thr"]
    {
        press(&mut d, "n");
        type_line(&mut d, line);
        press(&mut d, "enter");
    }
    let saved = d.state.saved();
    assert_eq!(saved.typed.len(), 2, "{:?}", saved.typed);
    let text = saved.to_text();
    let mut again = roofswap::config::Saved::parse(&text);
    again.typed.push("12 parsecs".into());
    let session = roofswap::session::Session::load(None).unwrap();
    let options = roofswap::tui::DashboardOptions { saved: again, ..Default::default() };
    let state = roofswap::tui::first_state(session, &options).unwrap();
    let names: Vec<&str> =
        state.rows.iter().map(|row| state.session.kernels[row.kernel].id.as_str()).collect();
    assert!(names.contains(&"mine") && names.contains(&"other"), "{names:?}");
    assert_eq!(state.kernel().id, "other", "what was selected last is selected");
    assert!(state.answer().prediction.is_ok(), "its work came back with it");
    assert!(state.notices.iter().any(|n| n.contains("left out")), "{:?}", state.notices);
    assert_eq!(state.saved().typed.len(), 2);
}

/// Answers what the worker is asked for where a typed kernel is dropped.
fn forget(d: &mut Dashboard, name: &str) {
    press(d, ":");
    type_line(d, &format!("forget {name}"));
    for effect in press(d, "enter") {
        if let Effect::Load(base, _) = effect {
            let loaded = roofswap::tui::LoadedFiles::without_notes((*base).clone(), "read");
            let effects = update(&mut d.state, Message::Loaded(loaded));
            rank(d, &effects);
        }
    }
}

#[test]
fn a_typed_kernel_that_is_dropped_is_gone_in_every_view() {
    for view in ["1", "2", "3", "4", "5"] {
        for (first, second) in [("mykern", "sibling"), ("sibling", "mykern")] {
            let mut d = dashboard(160, 50);
            for line in [
                "4.2ms on 3090, name mykern, 256 thr, 40 regs, 17.2 GFLOP, 50MB dram",
                "name sibling, 1 GFLOP, 4MB dram",
            ] {
                press(&mut d, "n");
                type_line(&mut d, line);
                press(&mut d, "enter");
            }
            // Its threads are typed, too: they go with it and stay with the other one.
            press(&mut d, "b");
            type_line(&mut d, "96");
            press(&mut d, "enter");
            press(&mut d, view);
            forget(&mut d, first);
            let screen = d.screen();
            let has = |d: &Dashboard, name: &str| {
                d.state.rows.iter().any(|row| d.state.session.kernels[row.kernel].id == name)
            };
            assert!(!has(&d, first) && has(&d, second), "{first} in view {view}: {screen}");
            assert!(!screen.contains(first), "{first} in view {view}: {screen}");
            let threads: Vec<u32> = d.state.selection.blocks.values().copied().collect();
            assert_eq!(threads, if second == "sibling" { vec![96] } else { vec![] });
            assert_eq!(d.state.saved().typed.len(), 1);
            forget(&mut d, second);
            assert!(!d.screen().contains(second) && d.state.workload.own_rows == 0, "{}", d.screen());
            assert!(d.state.saved().typed.is_empty() && d.state.selection.blocks.is_empty());
        }
    }
}

#[test]
fn a_name_of_several_boards_says_which_one_was_taken() {
    let mut d = dashboard(160, 50);
    press(&mut d, ":");
    type_line(&mut d, "gpu h100");
    press(&mut d, "enter");
    let screen = d.screen();
    assert!(screen.contains("`h100`: h100-"), "{screen}");
    let taken = d.state.session.gpus[d.state.target()].id.clone();
    for board in ["h100-pcie", "h100-sxm5", "h100-nvl"] {
        assert!(screen.contains(board), "{board}: {screen}");
    }
    press(&mut d, ":");
    type_line(&mut d, &format!("gpu {taken}"));
    press(&mut d, "enter");
    assert!(!d.screen().contains("also h100"), "{}", d.screen());
}

#[test]
fn the_number_of_cautions_stays_in_the_narrow_header() {
    let mut d = dashboard(80, 24);
    for typed in ["power 150W", "gpu h100-pcie", "power 250W", "source-clocks sm=1200MHz mem=700MHz"] {
        press(&mut d, ":");
        type_line(&mut d, typed);
        press(&mut d, "enter");
        let cautions = d.state.answer().prediction.as_ref().map_or(1, |p| p.cautions.len());
        let screen = d.screen();
        let header = screen.lines().next().unwrap();
        assert!(cautions == 0 || header.contains(&format!("{cautions} caut")), "{typed}: {header}");
        assert!(!header.contains('!'), "the key of the import notes: {header}");
    }
}

#[test]
fn a_filter_that_leaves_short_names_leaves_a_board() {
    for (w, h) in [(120, 40), (160, 50), (200, 60)] {
        let mut d = ranked(w, h, "/");
        type_line(&mut d, "l4");
        press(&mut d, "enter");
        assert!(d.screen().contains("L4 "), "{}", d.screen());
    }
}

#[test]
fn every_view_starts_from_the_same_sources() {
    let mut d = dashboard(160, 50);
    for typed in ["source h100-sxm5", "gpu l4"] {
        press(&mut d, ":");
        type_line(&mut d, typed);
        press(&mut d, "enter");
    }
    let state = &d.state;
    let (subject, model) = (&state.rows[state.selected], state.selection.settings.model);
    let sources = state.session.usual_sources(subject, state.selection.source, model);
    assert!(sources.only().is_none(), "others timed it, the source did not");
    let asked = state.session.answer_from(subject, &sources, state.target(), state.selection.settings);
    let by_commands = asked.unwrap().predicted_time();
    assert!(by_commands.is_some());
    assert_eq!(state.answer().predicted_time(), by_commands);
    let machines = state.session.machines();
    let further = state.row_query().estimate_row(&state.session, &machines, subject, &[state.target()]);
    assert_eq!(further[0].map(|estimate| estimate.time), by_commands);
}

/// What stands behind a noun is named, with what it may be.
#[test]
fn a_wrong_argument_is_named_with_what_was_expected() {
    let mut d = unranked(120, 40);
    for (typed, said) in [
        ("model foo", "model `foo`: expected one of components"),
        ("export nope", "export `nope`: expected one of roofline"),
        ("add nosuch", "nosuch"),
        ("kernel sobel", "sobel"),
        ("range nope", "no trace is loaded"),
        ("forget x", "no kernel was typed"),
    ] {
        press(&mut d, ":");
        type_line(&mut d, typed);
        press(&mut d, "enter");
        let screen = d.screen();
        assert!(screen.contains(said) && !screen.contains("no such command"), "{typed}: {screen}");
        press(&mut d, "esc");
    }
}

#[test]
fn a_board_without_rows_says_why_whatever_is_pressed() {
    let mut d = ranked(80, 24, "tab");
    assert!(d.screen().contains("no variant was measured"), "{}", d.screen());
    for key in ["enter", "e"] {
        press(&mut d, key);
        let screen = d.screen();
        assert!(screen.lines().last().unwrap().contains("no variant was measured"), "{key}: {screen}");
    }
}

/// A dashboard at 80x24 on the variants of a kernel, all measured on one GPU, as a tuner writes them.
fn ranked_variants() -> (Dashboard, tempfile::TempDir) {
    ranked_variants_of("KWG_OF_A_NAME_THAT_IS_TOO_LONG")
}

/// The same with a key of this name.
fn ranked_variants_of(key: &str) -> (Dashboard, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tuned.csv");
    let row = |(mwg, sa): (u32, u32)| {
        let time = f64::from(mwg) / 64.0 + f64::from(sa);
        format!(
            "titan-v,my_gemm,n=64,MWG={mwg};NWG_OF_A_LONG_NAME=16;{key}={mwg};SA={sa},1000000,4000000,{time}\n"
        )
    };
    let rows: String = [(64, 0), (64, 1), (128, 0), (128, 1)].map(row).concat();
    std::fs::write(&file, format!("gpu,kernel,problem,variant,flops,dram_bytes,time_ms\n{rows}")).unwrap();
    let mut d = unranked(80, 24);
    let mut session = (*d.state.session).clone();
    session.add_file(&file).unwrap();
    update(&mut d.state, Message::Loaded(roofswap::tui::LoadedFiles::without_notes(session, "read")));
    press(&mut d, "/ m y _ g e m m enter 2 tab");
    (d, folder)
}

#[test]
fn rows_of_variants_are_told_apart_in_eighty_columns() {
    let (d, _folder) = ranked_variants();
    let screen = d.screen();
    assert!(screen.contains("4 variants on RTX 4070"), "{screen}");
    for name in [
        "MWG;KWG_OF_A_NAME_THAT_IS_TOO_LONG;SA ",
        "64;64;0 ",
        "64;64;1 ",
        "128;128;0 ",
        "64;64;0: 90 % interval",
    ] {
        assert!(screen.contains(name), "{name}: {screen}");
    }
}

#[test]
fn long_keys_of_variants_leave_the_time_its_column() {
    let (d, _folder) = ranked_variants_of(&"A_KEY_OF_SIXTY_LETTERS".repeat(3));
    let screen = d.screen();
    let heading = screen.lines().nth(2).unwrap();
    assert!(heading.contains("time▲") && heading.contains("speedup"), "{screen}");
}

#[test]
fn enter_on_a_variant_or_a_block_size_uses_it() {
    let (mut d, _folder) = ranked_variants();
    assert!(d.screen().contains("enter use variant"), "{}", d.screen());
    press(&mut d, "end");
    let under = d.state.ranked.cursor.clone().unwrap().label;
    assert_ne!(*d.state.rows[d.state.selected].variant, under);
    press(&mut d, "enter");
    assert_eq!(*d.state.rows[d.state.selected].variant, under, "{}", d.screen());
    assert!(d.screen().contains("my_gemm: variant selected"), "{}", d.screen());
    let mut d = ranked(80, 24, "tab tab home enter");
    let under = d.state.ranked.shown_rows(&d.state.session)[0].label.clone();
    assert!(d.screen().contains(&format!("{under} on the target")), "{}", d.screen());
    assert_eq!(d.state.launch_changes().to_string(), format!("block={}", under.replace(" threads", "")));
    press(&mut d, "u");
    assert!(d.state.launch_changes().is_empty(), "{}", d.screen());
}

#[test]
fn what_is_of_gpus_is_neither_done_nor_offered_on_variants_and_blocks() {
    let mut d = ranked(80, 24, "space tab tab");
    assert_eq!(d.state.ranked.pins.len(), 1);
    let help = ranked(160, 50, "tab tab ?").screen();
    assert!(!help.contains("pin") && !help.contains("one of each architecture"), "{help}");
    assert!(!d.screen().contains('^'), "a pin is of a GPU, not of its rows: {}", d.screen());
    for key in ["space", "8"] {
        press(&mut d, key);
        assert!(d.screen().contains("these rows are block sizes: tab goes on to the GPUs"), "{}", d.screen());
    }
    assert!(d.state.ranked.pins.len() == 1 && !d.state.ranked.each_architecture);
}

#[test]
fn one_step_of_undo_takes_back_a_pin_and_its_target() {
    let mut d = ranked(80, 24, "home space");
    assert!(d.state.ranked.pins.len() == 1 && d.state.selection.targets.len() == 2);
    press(&mut d, "u");
    assert!(d.state.ranked.pins.is_empty() && d.state.selection.targets.len() == 1, "{}", d.screen());
    assert!(d.screen().contains("undone: target is RTX 4070 again, pins"), "{}", d.screen());
    press(&mut d, "u");
    assert!(d.screen().contains("nothing to undo"), "{}", d.screen());
}

#[test]
fn the_list_of_gpus_is_filtered_by_limits_as_the_board_is() {
    let gpus = |d: &Dashboard| d.state.gpus.iter().copied().collect::<std::collections::BTreeSet<_>>();
    for filter in ["ada <=100W", "<=60W", "turing, volta"] {
        let mut board = ranked(160, 50, "/");
        type_line(&mut board, filter);
        let mut list = unranked(160, 50);
        press(&mut list, "shift-tab shift-tab shift-tab /");
        type_line(&mut list, filter);
        let of_board = board.state.ranked.shown_rows(&board.state.session);
        let of_board: std::collections::BTreeSet<_> = of_board.iter().map(|row| row.gpu).collect();
        assert!(!of_board.is_empty() && gpus(&list) == of_board, "{filter}: {}", list.screen());
    }
    let mut list = unranked(160, 50);
    press(&mut list, "shift-tab shift-tab shift-tab /");
    type_line(&mut list, "<=3oW");
    press(&mut list, "enter");
    assert!(list.screen().contains("`<=3oW`"), "{}", list.screen());
}

#[test]
fn the_target_under_the_cursor_is_the_target_already() {
    let mut d = ranked(80, 24, "/");
    type_line(&mut d, "4070");
    press(&mut d, "enter");
    let place = |d: &Dashboard| d.state.ranked.cursor.as_ref().map(|row| row.gpu);
    for _ in 0..10 {
        if place(&d) != Some(d.state.target()) {
            press(&mut d, "down");
        }
    }
    press(&mut d, "enter");
    assert!(d.screen().contains("RTX 4070 is the target already"), "{}", d.screen());
}

#[test]
fn variants_and_blocks_of_one_gpu_are_named_whole_on_a_narrow_board() {
    let d = ranked(80, 24, "tab tab");
    let screen = d.screen();
    assert!(screen.contains("block sizes on RTX 4070 by time"), "{screen}");
    assert!(screen.contains("1024 threads, as it is"), "{screen}");
    assert!(!screen.contains("RTX 4070 ·"), "the title names the GPU: {screen}");
}

/// A bar is as long on any page, whatever the fastest row of that page.
#[test]
fn bars_have_one_scale_on_all_pages() {
    let mut d = ranked(120, 20, "");
    let bar = |d: &Dashboard, name: &str| {
        let line = d.screen().lines().find(|line| line.contains(name)).map(str::to_string);
        line.map(|line| line.chars().filter(|c| "█▓░".contains(*c)).count())
    };
    let name = d.state.ranked.shown_rows(&d.state.session)[16].name.clone();
    press(&mut d, "pagedown");
    let with_faster = bar(&d, &name).unwrap();
    press(&mut d, "end");
    press(&mut d, "home");
    let first = d.state.ranked.shown_rows(&d.state.session)[0].name.clone();
    let (longest, rows) = (bar(&d, &first).unwrap() as f64, d.state.ranked.shown_rows(&d.state.session));
    let slower = rows[0].time.unwrap().0 / rows[16].time.unwrap().0;
    assert!((with_faster as f64 - slower * longest).abs() <= 3.0, "{with_faster} of {longest}, {slower}");
}

#[test]
fn the_note_of_a_star_names_what_the_rows_are() {
    let d = ranked(160, 40, "tab tab");
    assert!(d.screen().contains("* block size to take on"), "{}", d.screen());
    let d = ranked(160, 40, "? end");
    assert!(d.screen().contains("no other row shown is both"), "{}", d.screen());
}

#[test]
fn a_board_by_launch_prices_shows_them() {
    let d = ranked(80, 24, "o o");
    let screen = d.screen();
    assert!(screen.contains("by time × launch price"), "{screen}");
    assert!(screen.contains("launch $") && !screen.contains("▲"), "the key is no column: {screen}");
    assert!(!ranked(80, 24, "").screen().contains("launch $"));
}

#[test]
fn an_interval_without_a_measurement_is_marked_on_the_board_and_in_its_table() {
    let mut d = dashboard(160, 50);
    press(&mut d, ":");
    type_line(&mut d, "kernel binary_search");
    press(&mut d, "enter 2");
    let board = d.state.ranked.board.clone().unwrap();
    let row = board.rows.iter().find(|row| !row.rests_on_measurement && row.low.is_some()).unwrap();
    let interval = row.interval_text().unwrap();
    assert!(interval.starts_with('~'), "{interval}");
    assert!(d.screen().contains(&format!("90 % interval   {}", board.rows[0].interval_text().unwrap())));
    let table = roofswap::rank::board_table(&board, None).to_text();
    assert!(table.contains(&interval), "{table}");
}

#[test]
fn a_filter_and_one_of_each_architecture_stand_in_the_title_together() {
    let mut d = ranked(120, 40, "8 /");
    type_line(&mut d, "rtx");
    press(&mut d, "enter");
    let screen = d.screen();
    assert!(screen.contains("one of each architecture, “rtx” by time"), "{screen}");
}

/// What `rank --to` makes of the same words.
#[test]
fn a_filter_of_the_board_means_what_it_means_to_rank() {
    let shown = |filter: &str| {
        let mut d = ranked(120, 40, "/");
        type_line(&mut d, filter);
        press(&mut d, "enter");
        let mut gpus: Vec<_> =
            d.state.ranked.shown_rows(&d.state.session).iter().map(|row| row.gpu).collect();
        gpus.sort_unstable();
        (gpus, d)
    };
    let limits_hold_for_all =
        ["ada,<=300W", "ada,hopper,<=400W", "<=300W,>=24GB", "ada hopper", "4090,5090,h100", "<=300W ada"];
    for filter in limits_hold_for_all {
        let (gpus, d) = shown(filter);
        let mut named = roofswap::rank::select_targets(&d.state.session.gpus, &[filter.to_string()]).unwrap();
        let listed: Vec<_> = d.state.session.listed_gpus().collect();
        named.retain(|gpu| listed.contains(gpu));
        named.sort_unstable();
        assert_eq!(gpus, named, "{filter}");
    }
    // Letters that are no name narrow a name beside them, and widen behind a comma.
    let of = |d: &Dashboard, gpus: &[roofswap::gpu::GpuId]| -> Vec<String> {
        gpus.iter().map(|gpu| d.state.session.gpus[*gpu].id.clone()).collect()
    };
    let (gpus, d) = shown("h100 sxm");
    assert_eq!(of(&d, &gpus), ["h100-sxm5"]);
    let (gpus, d) = shown("titan,<=250W");
    assert!(!gpus.is_empty() && of(&d, &gpus).iter().all(|id| id.starts_with("titan")), "{gpus:?}");
}

#[test]
fn one_of_each_architecture_is_chosen_among_what_the_filter_leaves() {
    let mut d = ranked(120, 40, "8 /");
    type_line(&mut d, "<=150W");
    press(&mut d, "enter");
    let session = &d.state.session;
    let rows = d.state.ranked.shown_rows(session);
    let gpus: Vec<_> = rows.iter().map(|row| &session.gpus[row.gpu]).collect();
    assert!(gpus.iter().all(|gpu| gpu.power_limit.value.0 <= 150.0));
    assert!(gpus.iter().any(|gpu| gpu.architecture == "ada"), "{}", d.screen());
    let mut architectures: Vec<&str> = gpus.iter().map(|gpu| gpu.architecture.as_str()).collect();
    architectures.sort_unstable();
    let all = architectures.len();
    architectures.dedup();
    assert!(all >= 5 && all == architectures.len(), "{}", d.screen());
}

#[test]
fn a_power_in_kilowatts_keeps_its_unit() {
    let mut d = unranked(160, 40);
    press(&mut d, ":");
    type_line(&mut d, "kernel linear_bf16");
    press(&mut d, "enter :");
    type_line(&mut d, "size m=16384,n=8192");
    press(&mut d, "enter 2 /");
    type_line(&mut d, "gb200");
    press(&mut d, "enter");
    let screen = d.screen();
    let row = screen.lines().find(|line| line.contains('▸')).unwrap();
    let list: String = row.chars().take(115).collect();
    assert!(screen.contains("power") && list.contains(" kW "), "{screen}");
}

/// A caution names a GPU that stands near the top, and none that nobody looks at.
#[test]
fn a_caution_of_assumed_overheads_names_the_first_gpu_of_which_they_are() {
    let mut d = unranked(160, 40);
    press(&mut d, ":");
    type_line(&mut d, "kernel saxpy");
    press(&mut d, "enter :");
    type_line(&mut d, "size 4096");
    press(&mut d, "enter 2");
    let session = &d.state.session;
    let rows = d.state.ranked.shown_rows(session);
    let is_assumed = |row: &&&roofswap::rank::RankedRow| {
        let origin = session.gpus[row.gpu].launch_floor_or_assumed().origin;
        origin > roofswap::catalogue::NumberOrigin::Published
    };
    let first = rows.iter().find(is_assumed).unwrap();
    let said: Vec<&String> = rows
        .iter()
        .flat_map(|row| &row.cautions)
        .filter(|caution| caution.contains("is assumed for"))
        .collect();
    let named = format!("is assumed for {} ", first.gpu_id);
    assert!(!said.is_empty() && said.iter().all(|caution| caution.contains(&named)), "{named}: {said:?}");
}

#[test]
fn a_pinned_row_that_the_filter_hides_is_not_counted() {
    let mut d = ranked(160, 40, "/");
    type_line(&mut d, "ada");
    press(&mut d, "enter");
    let count = d.state.ranked.shown_rows(&d.state.session).len();
    press(&mut d, "esc end space /");
    type_line(&mut d, "ada");
    press(&mut d, "enter");
    assert_eq!(d.state.ranked.shown_rows(&d.state.session).len(), count + 1, "the pinned one is shown");
    assert!(d.screen().contains(&format!("{count} GPUs “ada”")), "{}", d.screen());
}

/// A build for another compute capability bars the source as a target, not as what speedups are relative to.
#[test]
fn builds_that_do_not_run_on_the_source_leave_its_time_as_the_base() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("ptxas.txt");
    let text =
        "ptxas info : Compiling entry function '_Z5saxpyPf' for 'sm_89'\nptxas info : Used 12 registers\n";
    std::fs::write(&log, text).unwrap();
    let mut d = unranked(120, 40);
    press(&mut d, ":");
    type_line(&mut d, "kernel saxpy");
    press(&mut d, "enter 2");
    let speedup = |d: &Dashboard, id: &str| {
        let gpu = d.state.session.gpus.position(id).unwrap();
        d.state.ranked.row_of(gpu).unwrap().speedup
    };
    let before = speedup(&d, "rtx-4090").unwrap();
    let mut session = (*d.state.session).clone();
    let added = session.add_file(&log).unwrap();
    session.arrange();
    let effects = update(&mut d.state, Message::Imported(crate::stage::imported(session, log, added)));
    rank(&mut d, &effects);
    let after = speedup(&d, "rtx-4090");
    assert!(after.is_some_and(|after| (after / before - 1.0).abs() < 0.5), "{before} {after:?}");
    let source = d.state.ranked.row_of(d.state.selection.source).unwrap();
    assert!(source.time.is_none() && source.cautions[0].contains("not compiled for 7.0"), "{source:?}");
    // A mix of it, too.
    let text = "[[kernel]]\nkernel = \"saxpy\"\nsize = \"n=2^24\"\ncalls = 120\n[[kernel]]\nkernel = \"matmul_tiled\"\ncalls = 3\n";
    let mix = loaded_mix(&d, "step", text);
    d.play(Message::MixRead(Ok(mix)));
    assert!(speedup(&d, "rtx-4090").is_some(), "{}", d.screen());
}

/// A dashboard that is killed loses no kernel that was typed.
#[test]
fn typed_kernels_are_remembered_before_the_dashboard_is_left() {
    let mut d = dashboard(120, 30);
    press(&mut d, "n");
    type_line(&mut d, "4.2ms on 3090, name mine, 17.2 GFLOP, 50MB dram");
    let lines = |effects: Vec<Effect>| {
        effects
            .into_iter()
            .find_map(|e| if let Effect::SaveSoon(saved) = e { Some(saved.typed.len()) } else { None })
    };
    assert_eq!(lines(press(&mut d, "enter")), Some(1));
    press(&mut d, ":");
    type_line(&mut d, "forget mine");
    assert_eq!(lines(press(&mut d, "enter")), Some(0));
}

/// A GPU at a typed limit has its limit in its name, and all sources stand in the title.
#[test]
fn the_board_names_typed_limits_and_all_sources() {
    let mut d = ranked(160, 40, "");
    press(&mut d, ":");
    type_line(&mut d, "power 100W");
    press(&mut d, "enter 2 / 4 0 7 0 enter");
    assert!(d.screen().contains("◇ RTX 4070 @100W"), "{}", d.screen());
    press(&mut d, "1 a 2");
    assert!(d.screen().contains("from TITAN V and all sources: "), "{}", d.screen());
    let narrow = ranked(80, 24, "");
    let screen = narrow.screen();
    assert!(screen.contains("from TITAN V: 149 GPUs by time"), "the workload is cut first: {screen}");
}

/// A typed price is one step of undo, and an empty line takes it away.
#[test]
fn a_typed_price_is_undone_and_removed() {
    let mut d = ranked(160, 40, "");
    let price = |d: &Dashboard| {
        let best = d.state.ranked.shown_rows(&d.state.session)[0].gpu;
        d.state.ranked.prices.quote(&d.state.session.gpus, best).map(|quote| quote.usd_per_hour)
    };
    press(&mut d, "$ 3 enter");
    assert_eq!(price(&d), Some(3.0));
    press(&mut d, "u");
    assert!(d.screen().contains("undone: typed prices") && price(&d).is_none(), "{}", d.screen());
    press(&mut d, "$ 3 enter $");
    assert!(d.screen().contains("empty removes the typed one"), "{}", d.screen());
    press(&mut d, "enter");
    assert!(price(&d).is_none() && d.state.typed_line().is_none(), "{}", d.screen());
    press(&mut d, "$ enter");
    assert!(d.screen().contains("expected US dollars per hour"), "none is there to remove: {}", d.screen());
}

/// A filter that is cancelled leaves the cursors where they were.
#[test]
fn a_cancelled_filter_leaves_what_was_selected() {
    let mut d = dashboard(120, 40);
    press(&mut d, "down down");
    let before = d.state.selected;
    press(&mut d, "/ s a x");
    assert_ne!(d.state.selected, before, "{}", d.screen());
    press(&mut d, "esc");
    assert_eq!(d.state.selected, before);
    press(&mut d, "t");
    let cursor = d.state.gpu_cursor;
    press(&mut d, "/ k 2 0 esc");
    assert_eq!(d.state.gpu_cursor, cursor);
}

#[test]
fn a_typed_kernel_leaves_what_can_be_undone_and_undo_leaves_it_selected() {
    let mut d = dashboard(120, 40);
    let first = d.state.selection.clone();
    press(&mut d, ":");
    type_line(&mut d, "target h100-sxm5");
    press(&mut d, "enter + n");
    type_line(&mut d, "4.2ms on 3090, name mine, 17.2 GFLOP, 50MB dram");
    press(&mut d, "enter");
    let of = |d: &Dashboard| (d.state.kernel().label().to_string(), d.state.pair().map(|gpu| gpu.id.clone()));
    assert_eq!(of(&d).0, "mine");
    press(&mut d, "u");
    assert!(d.screen().contains("undone: source is TITAN V again"), "{}", d.screen());
    assert_eq!(of(&d).0, "mine", "what is selected stays selected");
    press(&mut d, "u");
    assert!(d.screen().contains("undone: size of matmul_tiled"), "{}", d.screen());
    assert_eq!(of(&d).0, "matmul_tiled", "whose size comes back is said and shown");
    press(&mut d, ":");
    type_line(&mut d, "kernel mine");
    press(&mut d, "enter u");
    assert!(d.screen().contains("undone: target is RTX 4070 again"), "{}", d.screen());
    assert_eq!(of(&d).0, "mine");
    assert_eq!((d.state.selection.source, &d.state.selection.targets), (first.source, &first.targets));
    press(&mut d, "u");
    assert!(d.screen().contains("nothing to undo"), "{}", d.screen());
}

#[test]
fn the_explanation_says_where_the_first_time_is_from_and_that_there_is_more() {
    let mut d = dashboard(80, 24);
    d.key("enter");
    assert!(d.screen().contains("published: Debdeep23/Kernel_Performance_Prediction"), "{}", d.screen());
    for line in ["kernel vector_add_divergent", "to a100-sxm4-80gb"] {
        d.key(":");
        for letter in line.chars() {
            d.key(if letter == ' ' { "space".into() } else { letter.to_string() }.as_str());
        }
        d.key("enter");
    }
    let screen = d.screen();
    let title = screen.lines().find(|line| line.contains("Explanation ─")).unwrap();
    assert!(title.contains("… ─ 1-12/"), "{screen}");
}
