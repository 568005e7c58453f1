//! The first line: the view, and what is asked.
//!
//! ```text
//! 1 Swap  TITAN V ▶ RTX 4070  matmul_tiled n=512 fp32  model: components · roofs: peak · occupancy: exact  2 cautions
//! ```

use crate::gpu::GpuId;
use crate::pair::Pair;
use crate::predict::MODELS;
use crate::tui::layout::DashboardView;
use crate::tui::look::Look;
use crate::tui::state::DashboardState;
use crate::tui::text::clipped_text;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;
use unicode_width::UnicodeWidthStr;

/// From this width on all views are named.
const ROOM_FOR_VIEWS: u16 = 150;

/// The views with their numbers, the open one marked; where there is no room, that one alone.
fn views(state: &DashboardState, all: bool, look: Look<'_>) -> Vec<Span<'static>> {
    let named = DashboardView::ALL.into_iter().filter(|view| all || *view == state.view);
    let style = |view: DashboardView| if view == state.view { look.focus() } else { look.dim() };
    let mut spans: Vec<Span<'static>> =
        named.flat_map(|view| [Span::styled(view.title(), style(view)), Span::raw("  ")]).collect();
    if all {
        spans.push(Span::styled("│ ", look.dim()));
    }
    spans
}

/// Draws the first line.
pub fn draw_header(buffer: &mut Buffer, area: Rect, state: &DashboardState, look: Look<'_>) {
    let Pair { source, target } = state.pair();
    let answer = state.answer();
    let cautions = answer.prediction.as_ref().map_or(1, |p| p.cautions.len());
    let mut spans = Vec::new();
    spans.extend(views(state, area.width >= ROOM_FOR_VIEWS, look));
    let tuned =
        |gpu: GpuId| state.session.tuning(gpu).map_or_else(String::new, |t| format!(" {}", t.brief()));
    spans.extend([
        Span::styled(source.short_name().to_string(), look.source()),
        Span::styled(tuned(state.selection.source), look.caution()),
        Span::styled(if state.selection.all_sources { " and all sources" } else { "" }, look.source()),
        Span::styled(" ▶ ", look.dim()),
        Span::styled(target.short_name().to_string(), look.target()),
        Span::styled(tuned(state.target()), look.caution()),
    ]);
    if state.selection.targets.len() > 1 {
        spans.push(Span::styled(format!(" +{}", state.selection.targets.len() - 1), look.target()));
    }
    spans.push(Span::raw("  "));
    spans.push(Span::styled(state.kernel().label.clone(), look.title()));
    let element = match state.edited_element() {
        Some(element) => Span::styled(format!("◇ {element}"), look.estimated()),
        None => Span::raw(state.kernel().dtype.clone()),
    };
    // The size gives way to the number of cautions, then the element type.
    let width = usize::from(area.width);
    let others = spans.iter().map(Span::width).sum::<usize>() + 4 + short_count(cautions).width();
    let has_room = others + element.width() <= width;
    let room = width.saturating_sub(others + element.width());
    let size = clipped_text(&state.size_of(state.selected), room.min(32));
    if has_room {
        spans.extend([Span::raw(format!(" {size} ")), element]);
    }
    let left = usize::from(area.width).saturating_sub(spans.iter().map(Span::width).sum());
    spans.extend(facts_within(left, state, cautions, look));
    Line::from(spans).render(area, buffer);
}

/// Behind the question, in so many columns: the model, roofs and occupancy rules, what was refused or noted of files, and the number of
/// cautions, which is said in brief before it is left out.
fn facts_within(left: usize, state: &DashboardState, cautions: usize, look: Look<'_>) -> Vec<Span<'static>> {
    let settings = state.selection.settings;
    let id = MODELS[settings.model].id();
    let rates = state.answer().rates_used();
    let roofs = rates.trim_end_matches(" rates").trim_end_matches(" ceilings").trim_end_matches(" roofs");
    let notes =
        counted(state.notices.len(), "import note", "import notes").filter(|_| state.refused_rows == 0);
    let refused = counted(state.refused_rows, "row refused", "rows refused");
    let of_files = refused.map(|text| (text, look.refusal())).or(notes.map(|text| (text, look.caution())));
    let counter = counted(cautions, "caution", "cautions").unwrap_or_default();
    let brief = short_count(cautions);
    let (named, bare, none) = (format!("model: {id}"), id.to_string(), String::new());
    let forms = [(&named, &counter), (&bare, &counter), (&bare, &brief), (&none, &brief)];
    let width = |text: &str| if text.is_empty() { 0 } else { text.width() + 2 };
    let of_file_width = of_files.as_ref().map_or(0, |(text, _)| width(text));
    let fits = |room: usize| forms.into_iter().find(|(model, count)| width(model) + width(count) <= room);
    let with_files = fits(left.saturating_sub(of_file_width)).filter(|_| of_file_width <= left);
    let of_files = of_files.filter(|_| with_files.is_some());
    let (model, count) = with_files.or_else(|| fits(left)).unwrap_or((&none, &brief));
    let mut room = left.saturating_sub(width(model) + width(count));
    room = room.saturating_sub(of_files.as_ref().map_or(0, |(text, _)| width(text)));
    let mut spans = vec![Span::raw("  "), Span::styled(model.clone(), look.dim())];
    if model.is_empty() {
        spans.clear();
    }
    // The panes' titles say these too.
    for text in [format!(" · roofs: {roofs}"), format!(" · occupancy: {}", settings.rules.as_str())] {
        let fits = *model == named && text.width() <= room;
        room -= if fits { text.width() } else { 0 };
        spans.extend(fits.then(|| Span::styled(text, look.dim())));
    }
    let last = of_files.into_iter().chain([(count.clone(), look.caution())]);
    for (text, style) in last.filter(|(text, _)| !text.is_empty()) {
        spans.extend([Span::raw("  "), Span::styled(text, style)]);
    }
    spans
}

/// `2!`: so many cautions, in little room; empty for none.
fn short_count(n: usize) -> String {
    if n > 0 { format!("{n}!") } else { String::new() }
}

/// `1 caution`, `2 cautions`; nothing for none.
fn counted(n: usize, one: &str, many: &str) -> Option<String> {
    (n > 0).then(|| format!("{n} {}", if n == 1 { one } else { many }))
}
