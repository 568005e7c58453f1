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
use crate::tui::layout::page_start;
use crate::tui::look::Look;
use crate::tui::panes::frame::sheet;
use crate::tui::text::clipped_text;
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

/// Lines that are no entries: the filter above, the remark below.
const AROUND: usize = 2;

/// Draws the picker.
pub(super) fn draw_picker(buffer: &mut Buffer, body: Rect, picker: &Picker, look: Look<'_>) {
    let area = body.centered(Constraint::Length(body.width.min(90)), Constraint::Length(body.height.min(20)));
    let title = picker.listing.folder.display().to_string();
    let foot = " Enter opens or reads, Backspace goes up, Esc closes ";
    let inside = sheet(buffer, area, &title, foot, look);
    let width = usize::from(inside.width.saturating_sub(2));
    if usize::from(inside.height) <= AROUND {
        return;
    }
    let line_at = |i: usize| Rect { x: inside.x + 1, y: inside.y + i as u16, width: width as u16, height: 1 };
    let typed = vec![
        Span::styled("filter: ", look.key()),
        Span::raw(picker.input.value().to_string()),
        Span::styled("_", look.dim()),
    ];
    Line::from(typed).render(line_at(0), buffer);
    let shown = picker.shown();
    let page = usize::from(inside.height) - AROUND;
    let start = page_start(picker.cursor, page, shown.len());
    for (i, name) in shown.iter().enumerate().skip(start).take(page) {
        let end = if picker.is_folder(name) { "/" } else { "" };
        let style = if i == picker.cursor { look.selection() } else { look.text() };
        let text = clipped_text(&format!("{name}{end}"), width);
        Line::styled(text, style).render(line_at(i - start + 1), buffer);
    }
    let remark = match (picker.listing.remark.as_str(), shown.len()) {
        ("", 0) => "nothing here has this name",
        (remark, _) => remark,
    };
    Line::styled(clipped_text(remark, width), look.caution()).render(line_at(page + 1), buffer);
}
