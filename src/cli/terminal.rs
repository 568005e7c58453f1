//! How wide the screen is, where the answer goes to one.

use std::io::IsTerminal;

/// Characters of a line on the terminal that the answer goes to: `COLUMNS` where it is set, else what the terminal says;
/// `None` for a file or a pipe, which takes any width.
pub(super) fn screen_width() -> Option<usize> {
    if !std::io::stdout().is_terminal() {
        return None;
    }
    let stated = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    let measured = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    stated.or_else(measured).filter(|width| *width > 0)
}
