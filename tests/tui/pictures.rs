//! The stills of the docs: each view in the dark and in the light theme, drawn again and compared at every test run.
//! `ROOFSWAP_REDRAW=1 cargo test --test tui pictures` writes them anew.

#![allow(
    clippy::unwrap_used,
    reason = "clippy.toml allows it in test functions; their helpers stand outside"
)]

use crate::application::{application, opened};
use crate::picture::{DARK, LIGHT, PageColours, assert_kept, drawn_glyphs, still_svg};
use crate::stage::Dashboard;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use roofswap::session::Session;
use roofswap::tui::{DashboardOptions, Message, first_state, view};

const SIZE: (u16, u16) = (132, 38);

fn themed(theme: &str) -> Dashboard {
    let options =
        DashboardOptions { theme: Some(theme.into()), all_colours: true, ..DashboardOptions::default() };
    let state = first_state(Session::load(None).unwrap(), &options).unwrap();
    let mut d = Dashboard { state, size: SIZE };
    d.play(Message::Resize(SIZE.0, SIZE.1));
    d
}

/// Keeps a view after the keys that lead to it, in both themes.
fn keep(name: &str, lead_to: impl Fn(&mut Dashboard)) {
    let themes: [(&str, PageColours); 2] = [("dark", DARK), ("light", LIGHT)];
    for (theme, page) in themes {
        let mut d = themed(theme);
        lead_to(&mut d);
        let mut terminal = Terminal::new(TestBackend::new(SIZE.0, SIZE.1)).unwrap();
        terminal.draw(|frame| view(frame, &d.state)).unwrap();
        let drawn = still_svg(&drawn_glyphs(terminal.backend().buffer()), page);
        assert_kept(&format!("{name}-{theme}.svg"), &drawn);
    }
}

fn press(d: &mut Dashboard, keys: &str) {
    keys.split(' ').for_each(|key| d.play(Message::Key(key.into())));
}

#[test]
fn the_swap_view_is_what_it_draws() {
    keep("swap", |_| ());
}

#[test]
fn the_board_is_what_it_draws() {
    keep("board", |d| press(d, "2"));
}

#[test]
fn the_what_if_view_is_what_it_draws() {
    keep("what-if", |d| press(d, "3"));
}

#[test]
fn the_application_view_is_what_it_draws() {
    keep("application", |d| {
        press(d, "4");
        d.play(opened(application()));
    });
}

#[test]
fn the_evidence_view_is_what_it_draws() {
    keep("evidence", |d| press(d, "5"));
}
