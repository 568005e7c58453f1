//! The file picker over the panes.
//!
//! ```text
//! ╔ /home/me/build ═══════════════╗
//! ║ filter: cub_                  ║
//! ║ old-cubins/                   ║
//! ║ kernels.sm_89.cubin           ║
//! ╚ Enter opens, Esc closes ══════╝
//! ```

use super::picker::Picker;
use crate::tui::look::Look;
use crate::tui::panes::typing_list::TypingList;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// Draws the picker.
pub(super) fn draw_picker(buffer: &mut Buffer, body: Rect, picker: &Picker, look: Look<'_>) {
    let shown = picker.shown();
    let remark = match (picker.listing.remark.as_str(), shown.len()) {
        ("", 0) => "nothing here has this name",
        (remark, _) => remark,
    };
    let list = TypingList {
        title: &picker.listing.folder.display().to_string(),
        foot: " a name or path: Enter opens, Tab completes, Backspace goes up, Esc closes ",
        label: "filter: ",
        typed: picker.input.value(),
        count: shown.len(),
        cursor: picker.cursor,
        remark: Some(remark),
    };
    let entry = |at: usize, _| {
        let name = shown[at];
        format!("{name}{}", if picker.is_folder(name) { "/" } else { "" })
    };
    list.draw(buffer, body, 90, entry, look);
}
