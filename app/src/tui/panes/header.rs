//! The first line: the view, and what is asked.
//!
//! ```text
//! 1 Swap  TITAN V ▶ RTX 4070  matmul_tiled n=512 fp32  model: components · roofs: peak · occupancy: exact  2 cautions
//! ```

use crate::gpu::GpuId;
use crate::predict::{MODELS, ModelId};
use crate::text::harmless_line;
use crate::tui::layout::DashboardView;
use crate::tui::look::Look;
use crate::tui::state::DashboardState;
use crate::tui::text::{clipped_middle, clipped_text};
use crate::workload::is_nameless;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;
use unicode_width::UnicodeWidthStr;

/// A kernel's name is not cut shorter than this.
const SHORTEST_KERNEL: usize = 8;
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
    let mut spans = views(state, area.width >= ROOM_FOR_VIEWS, look);
    let width = usize::from(area.width);
    if state.is_beside_kernel() {
        spans.extend(loaded_spans(state, width.saturating_sub(width_of(&spans)), look));
    } else {
        let gpus = gpu_spans(state, Some(state.selection.source), beside_source(state, false), look);
        let kept = SHORTEST_KERNEL + chosen_width(state);
        spans.extend(shortened(gpus, width.saturating_sub(width_of(&spans) + kept)));
        spans.extend(kernel_spans(state, width.saturating_sub(width_of(&spans)), look));
    }
    Line::from(spans).render(area, buffer);
}

fn width_of(spans: &[Span<'_>]) -> usize {
    spans.iter().map(Span::width).sum()
}

/// The longest texts cut until all of them fit into so many columns, none below [`SHORTEST_KERNEL`].
fn shortened(mut spans: Vec<Span<'static>>, room: usize) -> Vec<Span<'static>> {
    loop {
        let over = width_of(&spans).saturating_sub(room);
        let longest = spans.iter_mut().max_by_key(|span| span.width()).filter(|_| over > 0);
        let Some(span) = longest.filter(|span| span.width() > SHORTEST_KERNEL) else { return spans };
        let width = (span.width() - 1).max(SHORTEST_KERNEL);
        let text = span.content.trim_end_matches('…').to_string();
        span.content = clipped_text(&format!("{text}…"), width).into();
    }
}

/// What stands behind the source where all sources are asked for: an application has one all the same.
pub fn beside_source(state: &DashboardState, is_application: bool) -> &'static str {
    match (state.selection.all_sources, is_application) {
        (true, false) => " and all sources",
        (true, true) => " alone",
        (false, _) => "",
    }
}

/// Source and targets, with the clocks that were typed for them; the source of a program may be unknown.
fn gpu_spans(
    state: &DashboardState,
    source: Option<GpuId>,
    beside: &'static str,
    look: Look<'_>,
) -> Vec<Span<'static>> {
    let tuned =
        |gpu: GpuId| state.session.settings_of(gpu).map_or_else(String::new, |t| format!(" {}", t.brief()));
    let short = |gpu: GpuId| state.session.gpus[gpu].short_name().to_string();
    let further = state.selection.targets.len() - 1;
    vec![
        Span::styled(source.map_or("GPU unknown".into(), short), look.source()),
        Span::styled(source.map_or_else(String::new, tuned), look.caution()),
        Span::styled(beside, look.source()),
        Span::styled(" ▶ ", look.dim()),
        Span::styled(short(state.target()), look.target()),
        Span::styled(tuned(state.target()), look.caution()),
        Span::styled(if further > 0 { format!(" +{further}") } else { String::new() }, look.target()),
        Span::raw("  "),
    ]
}

/// The application or the mix with the GPU that it ran on, in so many columns.
fn loaded_spans(state: &DashboardState, left: usize, look: Look<'_>) -> Vec<Span<'static>> {
    let application = state.application.application.as_ref();
    let (kind, name, source) = match application.filter(|_| state.speaks_of_application()) {
        Some(application) => {
            ("application", harmless_line(application.file_name()), state.application.source)
        }
        None => ("mix", state.asked_name(), Some(state.selection.source)),
    };
    let mut spans = gpu_spans(state, source, beside_source(state, kind == "application"), look);
    if kind == "application" || !is_nameless(&name) {
        spans.push(Span::raw(format!("{kind} ")));
    }
    let room = left.saturating_sub(width_of(&spans));
    spans.push(Span::styled(clipped_text(&name, room), look.title()));
    if kind == "mix" {
        let model =
            Span::styled(format!("  model: {}", MODELS[state.selection.settings.model].id()), look.dim());
        spans.extend(Some(model).filter(|model| width_of(&spans) + model.width() <= left));
    }
    let of_files = of_files(state, look).filter(|span| width_of(&spans) + 2 + span.width() <= left);
    spans.extend(of_files.into_iter().flat_map(|span| [Span::raw("  "), span]));
    spans
}

/// Columns of the name of a model that is not the default, and the gap before it.
fn chosen_width(state: &DashboardState) -> usize {
    let model = state.model_shown();
    if model == ModelId::default() { 0 } else { MODELS[model].id().width() + 2 }
}

/// The kernel with its size, the model, and what there is to be known of its prediction, in so many columns.
fn kernel_spans(state: &DashboardState, left: usize, look: Look<'_>) -> Vec<Span<'static>> {
    let answer = state.answer();
    let cautions = answer.prediction.as_ref().map_or(1, |p| p.cautions.len());
    let brief = short_count(cautions);
    // A model that was chosen goes last: the kernel's name gives way to it, then the number of cautions.
    let chosen = chosen_width(state);
    let least = left.saturating_sub(chosen).min(SHORTEST_KERNEL);
    let room = left.saturating_sub(brief.width() + 2 + chosen).max(least);
    let mut spans = vec![Span::styled(clipped_middle(state.kernel().label(), room), look.title())];
    let element = match state.edited_element() {
        Some(element) => Span::styled(format!("◇ {element}"), look.estimated()),
        None => Span::raw(state.kernel().dtype.clone()),
    };
    // The size gives way to the number of cautions, then the element type.
    let others = width_of(&spans) + 4 + brief.width() + chosen;
    let has_room = others + element.width() <= left;
    let room = left.saturating_sub(others + element.width());
    let size = clipped_text(&state.size_of(state.selected), room.min(32));
    if has_room {
        let size = if size.is_empty() { size } else { format!(" {size}") };
        let gap = if element.content.is_empty() { "" } else { " " };
        spans.extend([Span::raw(format!("{size}{gap}")), element]);
    }
    let left = left.saturating_sub(width_of(&spans));
    spans.extend(facts_within(left, state, cautions, look));
    spans
}

/// What was refused or noted of files.
fn of_files(state: &DashboardState, look: Look<'_>) -> Option<Span<'static>> {
    let refused = Some(state.refused.in_words()).filter(|words| !words.is_empty());
    let notes =
        counted(state.notices.len(), "import note", "import notes").filter(|_| state.refused.is_none());
    refused
        .map(|text| Span::styled(text, look.refusal()))
        .or(notes.map(|text| Span::styled(text, look.caution())))
}

/// Behind the question, in so many columns: the model, roofs and occupancy rules, what was refused or noted of files, and the number of
/// cautions, which is shortened before it is left out.
fn facts_within(left: usize, state: &DashboardState, cautions: usize, look: Look<'_>) -> Vec<Span<'static>> {
    let settings = state.selection.settings;
    let id = MODELS[state.model_shown()].id();
    let rates = state.answer().rates_used();
    // `rates: sustained`, `roofs: peak`, `rates: none`.
    let (kind, noun) = rates.rsplit_once(' ').unwrap_or((&rates, "rates"));
    let kind = if kind == "no" { "none" } else { kind };
    let of_files = of_files(state, look).map(|span| (span.content.to_string(), span.style));
    let counter = counted(cautions, "caution", "cautions").unwrap_or_default();
    let brief = short_count(cautions);
    let (named, bare, none) = (format!("model: {id}"), id.to_string(), String::new());
    let is_chosen = state.model_shown() != ModelId::default();
    let last = if is_chosen { (&bare, &none) } else { (&none, &brief) };
    let forms = [(&named, &counter), (&bare, &counter), (&bare, &brief), last];
    let width = |text: &str| if text.is_empty() { 0 } else { text.width() + 2 };
    let of_file_width = of_files.as_ref().map_or(0, |(text, _)| width(text));
    let fits = |room: usize| forms.into_iter().find(|(model, count)| width(model) + width(count) <= room);
    // Cautions go before notes of files.
    let keeps_cautions = |count: &str| cautions == 0 || !count.is_empty();
    let with_files = fits(left.saturating_sub(of_file_width))
        .filter(|(_, count)| of_file_width <= left && keeps_cautions(count));
    let of_files = of_files.filter(|_| with_files.is_some());
    let (model, count) =
        with_files.or_else(|| fits(left)).unwrap_or(if is_chosen { last } else { (&none, &none) });
    let mut room = left.saturating_sub(width(model) + width(count));
    room = room.saturating_sub(of_files.as_ref().map_or(0, |(text, _)| width(text)));
    let mut spans = vec![Span::raw("  "), Span::styled(model.clone(), look.dim())];
    if model.is_empty() {
        spans.clear();
    }
    // The panes' titles say these too.
    for text in [format!(" · {noun}: {kind}"), format!(" · occupancy: {}", settings.rules.as_str())] {
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

/// `2 caut.`: so many cautions, in little room; `2!` would name the key of the import notes. Empty for none.
fn short_count(n: usize) -> String {
    if n > 0 { format!("{n} caut.") } else { String::new() }
}

/// `1 caution`, `2 cautions`; nothing for none.
fn counted(n: usize, one: &str, many: &str) -> Option<String> {
    (n > 0).then(|| format!("{n} {}", if n == 1 { one } else { many }))
}
