//! Keys of prompts, pickers and sheets come from the keymap like all others.

#![allow(
    clippy::unwrap_used,
    reason = "clippy.toml allows it in test functions; their builders stand outside"
)]

use roofswap::session::Session;
use roofswap::tui::{DashboardOptions, DashboardState, Effect, Message, first_state, update};

fn with_keys(text: &str) -> DashboardState {
    let keymap = Some(("keymap.toml".to_string(), text.to_string()));
    first_state(Session::load(None).unwrap(), &DashboardOptions { keymap, ..DashboardOptions::default() })
        .unwrap()
}

fn press(state: &mut DashboardState, keys: &str) -> Vec<Effect> {
    keys.split(' ').flat_map(|key| update(state, Message::Key(key.into()))).collect()
}

#[test]
fn the_users_keys_accept_close_and_edit_what_is_typed() {
    let mut state = with_keys(
        "[[key]]\non=['f5']\nrun='pick'\nwhen='prompt'\ndesc='accept'\n\
         [[key]]\non=['f6']\nrun='delete_line'\nwhen='text'\ndesc='clear'\n\
         [[key]]\non=['f7']\nrun='cancel'\nwhen='files'\ndesc='close'\n",
    );
    press(&mut state, "N f6 2 0 4 8 f5");
    assert_eq!(state.size_of(state.selected), "n=2048");
    assert!(state.overlays.is_empty());
    press(&mut state, "i f7");
    assert!(state.overlays.is_empty());
    press(&mut state, "/ x q");
    assert_eq!(state.row_filter, "xq", "letters that run actions elsewhere are letters here");
    press(&mut state, "esc");
    assert!(state.row_filter.is_empty() && state.overlays.is_empty());
}

/// A key that changes a setting says so, also where no pane shows it.
#[test]
fn a_changed_setting_is_said_in_every_view() {
    for view in ["1", "2", "3", "5"] {
        for (key, word) in
            [("P", "roofs"), ("O", "reversed"), ("m", "model: "), ("a", "sources: "), ("f2", "theme: ")]
        {
            let mut state = with_keys("");
            press(&mut state, view);
            press(&mut state, key);
            let said = state.message.clone().map(|(_, text)| text).unwrap_or_default();
            assert!(said.contains(word), "{key} in view {view}: {said:?}");
        }
    }
}

#[test]
fn a_sheet_has_its_own_keys_before_those_of_all_sheets_and_of_the_panes() {
    let mut state = with_keys(
        "[[key]]\non=['J']\nrun='down'\nwhen='overlay'\ndesc='down'\n\
         [[key]]\non=['space']\nrun='page_down'\nwhen='help'\ndesc='page'\n",
    );
    press(&mut state, "? J space");
    assert_eq!(state.overlays.len(), 1, "both scroll");
    press(&mut state, "q");
    assert!(state.overlays.is_empty(), "q closes a sheet and leaves nothing else");
    assert!(matches!(press(&mut state, "q")[..], [Effect::Save(_), Effect::Quit]));
}

#[test]
fn a_wrong_line_of_a_keymap_is_said_and_stops_nothing() {
    let mut state = with_keys(
        "[[key]]\non=['x']\nrun='swap'\nwhen='moon'\ndesc=''\n[[key]]\non=['J']\nrun='help'\ndesc='help'\n",
    );
    let said = &state.notices[0];
    assert!(said.starts_with("keymap.toml:1") && said.contains("unknown place `moon`; known: any"), "{said}");
    let before = state.selection.source;
    press(&mut state, "x");
    assert_ne!(state.selection.source, before, "the shipped key still swaps");
    press(&mut state, "J");
    assert_eq!(state.overlays.len(), 1, "the line that is right holds");
}

#[test]
fn an_export_from_a_sheet_comes_back_to_it() {
    let mut state = first_state(Session::load(None).unwrap(), &DashboardOptions::default()).unwrap();
    press(&mut state, "W e");
    assert_eq!(state.overlays.len(), 2);
    assert!(matches!(press(&mut state, "enter")[..], [Effect::Export { .. }]));
    assert_eq!(state.overlays.len(), 1, "the sheet is still open");
}

/// The lines of the help, without its frame.
fn help_lines(d: &mut crate::stage::Dashboard) -> Vec<String> {
    d.key("?");
    let mut lines = Vec::new();
    for line in d.screen().lines().skip(2) {
        lines.push(line.trim_matches(|c| "\"┃ ".contains(c)).to_string());
    }
    d.key("esc");
    lines
}

#[test]
fn no_key_is_told_twice_in_the_help_of_any_view() {
    for view in ["1", "2", "3", "4", "5"] {
        let mut d = crate::stage::dashboard(120, 140);
        d.key(view);
        let lines = help_lines(&mut d);
        let start = lines.iter().position(|line| line.starts_with("in ")).unwrap();
        let end = lines.iter().position(|line| line == "columns of the predictions").unwrap();
        let keys: Vec<&str> = lines[start + 1..end]
            .iter()
            .filter_map(|line| line.split_once("  ").map(|(keys, _)| keys))
            .flat_map(|keys| keys.split(' '))
            .filter(|key| !key.is_empty() && *key != ":")
            .collect();
        let mut once = keys.clone();
        once.sort_unstable();
        once.dedup();
        assert!(keys.len() > 30, "{keys:?}");
        assert_eq!(once.len(), keys.len(), "view {view}: {keys:?}");
    }
}

#[test]
fn the_footer_offers_the_help_at_every_width_and_no_key_that_does_something_else_here() {
    for width in [40, 80, 120, 200] {
        for view in ["1", "2", "3", "4", "5"] {
            let mut d = crate::stage::dashboard(width, 24);
            d.state.message = None;
            d.key(view);
            d.state.message = None;
            let screen = d.screen();
            let footer = screen.lines().last().unwrap();
            if d.state.jobs.shown_job().is_none() {
                assert!(footer.contains("? help"), "view {view} at {width}: {footer}");
            }
            let is_taken = matches!(view, "2" | "3");
            assert!(!(is_taken && footer.contains("next pane")), "tab does something else: {footer}");
        }
    }
}

#[test]
fn evidence_leads_from_pane_to_pane_and_says_where_nothing_can_be_exported() {
    let mut d = crate::stage::dashboard(80, 24);
    d.key("5");
    for _ in 0..4 {
        d.state.message = None;
        let screen = d.screen();
        if d.state.jobs.shown_job().is_none() {
            assert!(screen.lines().last().unwrap().contains("tab next pane"), "{screen}");
        }
        d.key("tab");
    }
    d.key("A");
    d.key("e");
    let said = d.state.message.clone().map(|(_, text)| text);
    assert_eq!(said.as_deref(), Some("there is no chart here to export"));
}

#[test]
fn a_model_that_has_no_room_in_the_header_does_not_take_that_of_the_size() {
    let mut d = crate::stage::dashboard(80, 24);
    for model in 0..7 {
        let screen = d.screen();
        let header = screen.lines().next().unwrap();
        assert!(header.contains("matmul_tiled n=512 fp32"), "{model}: {header}");
        d.key("m");
    }
}
