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
    let settings = state.selection.settings;
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
    spans.push(Span::raw(format!(" {} ", clipped_text(&state.size_of(state.selected), 32))));
    spans.push(match state.edited_element() {
        Some(element) => Span::styled(format!("◇ {element}"), look.estimated()),
        None => Span::raw(state.kernel().dtype.clone()),
    });
    let rates = answer.rates_used();
    let roofs = rates.trim_end_matches(" rates").trim_end_matches(" ceilings").trim_end_matches(" roofs");
    let notes =
        counted(state.notices.len(), "import note", "import notes").filter(|_| state.refused_rows == 0);
    // In the order they stand; the lowest ranks are kept where not all fit. The panes' titles say it too.
    let facts = [
        (0, "  ", Some(format!("model: {}", MODELS[settings.model].id())), look.dim()),
        (3, " · ", Some(format!("roofs: {roofs}")), look.dim()),
        (4, " · ", Some(format!("occupancy: {}", settings.rules.as_str())), look.dim()),
        (1, "  ", counted(state.refused_rows, "row refused", "rows refused"), look.refusal()),
        (1, "  ", notes, look.caution()),
        (2, "  ", counted(cautions, "caution", "cautions"), look.caution()),
    ];
    let mut left = usize::from(area.width).saturating_sub(spans.iter().map(Span::width).sum());
    let mut kept = [false; 6];
    for rank in 0..=4 {
        for (keep, (_, between, text, _)) in kept.iter_mut().zip(&facts).filter(|(_, f)| f.0 == rank) {
            let width = text.as_ref().map(|text| text.width() + between.width());
            *keep = width.is_some_and(|width| width <= left);
            left -= width.filter(|_| *keep).unwrap_or(0);
        }
    }
    for ((_, between, text, style), _) in facts.into_iter().zip(kept).filter(|(_, keep)| *keep) {
        spans.extend([Span::styled(between, look.dim()), Span::styled(text.unwrap_or_default(), style)]);
    }
    Line::from(spans).render(area, buffer);
}

/// `1 caution`, `2 cautions`; nothing for none.
fn counted(n: usize, one: &str, many: &str) -> Option<String> {
    (n > 0).then(|| format!("{n} {}", if n == 1 { one } else { many }))
}
