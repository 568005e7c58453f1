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
