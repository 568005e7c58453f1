//! The selected prediction taken apart: what binds, the chain of factors, which numbers move it, the component times as bars,
//! every number with its origin.
//!
//! ```text
//! RTX 4070: bound by LSU; next limit: shared, 2.10x below
//!
//! time on the source               95.1 µs ●  published: …
//! SMs                    × 1.73     165 µs    80 → 46
//! …
//! component  TITAN V                         RTX 4070
//! LSU        █████████▊ 49.5 µs ◀            ████████████████████ 101 µs ◀
//! ```

use super::components::components_of;
use crate::chart::{ChartSpec, Mark, Scale};
use crate::pair::Pair;
use crate::predict::{Amount, Explanation, Factor, MODELS, Prediction};
use crate::report::{breakdown, interval_words, shown, sources};
use crate::tui::look::Look;
use crate::tui::state::DashboardState;
use crate::tui::text::{clipped_text, pad_right, paragraph, wrap};
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

/// From here on everything stands beside what it belongs to.
const WIDE: usize = 106;
/// Columns of the longest bar.
const BAR: usize = 20;
/// So many numbers are told on a screen that is narrow.
const FEW: usize = 3;

/// From what is known to the predicted time.
pub fn explain_lines(state: &DashboardState, width: usize, look: Look<'_>) -> Vec<Line<'static>> {
    let answer = state.answer();
    let model = MODELS[answer.settings.model];
    let about = || {
        let mut lines =
            paragraph(&format!("{}: {}", model.id(), model.method_summary()), width, look.title());
        lines.extend(paragraph(&state.kernel().summary, width, look.dim()));
        lines
    };
    let prediction = match &answer.prediction {
        Ok(p) => p,
        Err(refusal) => {
            let mut lines = about();
            lines.push(Line::default());
            lines.extend(paragraph(&refusal.to_string(), width, look.refusal()));
            return lines;
        }
    };
    let Some((e, spec)) = components_of(state) else {
        let mut lines = about();
        lines.push(Line::default());
        lines.extend(chain_lines(&breakdown::links(&prediction.breakdown()), width, look));
        lines.push(Line::default());
        lines.extend(factor_lines(state, prediction, |_| true, width, look));
        let predicted = prediction.time.to_string();
        lines.push(Line::from(vec![
            Span::styled(format!("{:<34}", "predicted"), look.title()),
            Span::styled(format!("{predicted:>16}"), look.predicted()),
        ]));
        lines.extend(certainty(state, width, look));
        lines.extend(caution_lines(state, prediction, width, look));
        return lines;
    };
    let mut lines = essentials(state, prediction, &e, width, look);
    lines.push(Line::default());
    let bars = bars(state, prediction, &spec, width, look);
    if !bars.is_empty() {
        lines.extend(bars);
        lines.push(Line::default());
    }
    // What stands beside the steps and bars of a wide screen is not told twice.
    let told = |f: &Factor| width < WIDE || !is_told_above(f);
    lines.extend(factor_lines(state, prediction, told, width, look));
    lines.extend(certainty(state, width, look));
    for text in breakdown::beside(&e, prediction.time).into_iter().chain(breakdown::to_measure(&e)) {
        lines.extend(paragraph(&text, width, look.text()));
    }
    lines.extend(caution_lines(state, prediction, width, look));
    lines.push(Line::default());
    lines.extend(about());
    lines
}

/// Whether a number stands among the steps or the bars.
fn is_told_above(f: &Factor) -> bool {
    let component = crate::roofline::Component::ALL.iter().any(|c| c.as_str() == f.name);
    component
        || ["source time", "launch overhead", "tail effect", "exposed latency", "above the roof"]
            .contains(&f.name)
}

/// What binds, the chain, the numbers that move it most.
fn essentials(
    state: &DashboardState,
    prediction: &Prediction,
    e: &Explanation,
    width: usize,
    look: Look<'_>,
) -> Vec<Line<'static>> {
    let answer = state.answer();
    let names = state.pair().map(|g| g.short_name());
    let mut lines: Vec<Line<'static>> = Vec::new();
    let mut bindings = breakdown::bindings(e, names);
    bindings.reverse();
    if bindings.join(" · ").width() <= width {
        bindings = vec![bindings.join(" · ")];
    }
    lines.extend(bindings.iter().flat_map(|t| paragraph(t, width, look.limiter())));
    lines.push(Line::default());
    let links = breakdown::links(&prediction.breakdown());
    lines.extend(chain_lines(&links, width, look));
    let range = shown::interval(answer).map(|i| format!("  90 % interval {i}")).unwrap_or_default();
    let predicted = shown::predicted(answer).unwrap_or_else(|| prediction.time.to_string());
    let names = names_width(&links, width);
    let time = [
        Span::styled(pad_right("predicted", names), look.title()),
        Span::styled(format!("{predicted:>LINK_NUMBERS$}"), look.predicted()),
    ];
    let range = Span::styled(range, look.dim());
    if names + LINK_NUMBERS + range.width() <= width {
        lines.push(Line::from_iter(time.into_iter().chain([range])));
    } else {
        lines.extend([Line::from_iter(time), Line::from(range)]);
    }
    lines.push(Line::default());
    lines.extend(paragraph(&moves(e, width), width, look.text()));
    lines
}

/// Columns of a step's factor and time.
const LINK_NUMBERS: usize = 20;

/// Columns of the names of the steps; in few of them a longer name has a line of its own.
fn names_width(links: &[breakdown::FactorWords], width: usize) -> usize {
    let longest = links.iter().map(|l| l.name.width()).max().unwrap_or(0).max(24);
    longest.min(width.saturating_sub(LINK_NUMBERS).max(12))
}

/// The first time and what it is multiplied by.
fn chain_lines(links: &[breakdown::FactorWords], width: usize, look: Look<'_>) -> Vec<Line<'static>> {
    let names = names_width(links, width);
    let lines = |(i, l): (usize, &breakdown::FactorWords)| link(l, i == 0, [names, width], look);
    links.iter().enumerate().flat_map(lines).collect()
}

/// One link; what stands behind it goes below it where it does not fit beside, and is never cut.
fn link(
    l: &breakdown::FactorWords,
    first: bool,
    [names, width]: [usize; 2],
    look: Look<'_>,
) -> Vec<Line<'static>> {
    // A mark behind the first time does not move the others' units.
    let time = if first { l.time.clone() } else { format!("{}  ", l.time) };
    let is_long = l.name.width() > names;
    let alone = is_long.then(|| Line::raw(l.name.clone()));
    let mut spans = vec![
        Span::raw(pad_right(if is_long { "" } else { &l.name }, names)),
        Span::styled(format!("{:>9}", l.factor), look.text()),
        Span::styled(format!("{time:>11}"), if first { look.source() } else { look.target() }),
    ];
    let used = 2 + spans.iter().map(|s| s.content.width()).sum::<usize>();
    if used + l.behind.width() <= width {
        spans.push(Span::styled(format!("  {}", l.behind), look.dim()));
        return alone.into_iter().chain([Line::from(spans)]).collect();
    }
    let below = wrap(&l.behind, width.saturating_sub(4))
        .into_iter()
        .map(|t| Line::styled(format!("    {t}"), look.dim()));
    alone.into_iter().chain([Line::from(spans)]).chain(below).collect()
}

/// `10 % more SMs (46): 9.99 % faster; SM clock (2.48 GHz): …`.
fn moves(e: &Explanation, width: usize) -> String {
    if e.elasticities.is_empty() {
        return "no rate of the target changes this prediction: launch overhead is all of it".into();
    }
    let most = if width < WIDE { FEW } else { e.elasticities.len() };
    let all: Vec<String> = e.elasticities.iter().take(most).map(breakdown::elasticity).collect();
    all.join("; ").replace("; 10 % more ", "; ")
}

/// The component chart in lines, the source's bars left, the target's right, on one scale; nothing of a kernel without counts.
fn bars(
    state: &DashboardState,
    prediction: &Prediction,
    spec: &ChartSpec,
    width: usize,
    look: Look<'_>,
) -> Vec<Line<'static>> {
    let Scale::Category(names) = &spec.y.scale else { return Vec::new() };
    if names.is_empty() {
        return Vec::new();
    }
    let of_bars = spec.marks.iter().filter_map(|m| match m {
        Mark::Bar { meaning, slot, value, label, .. } => Some((*slot, *meaning, *value, label)),
        _ => None,
    });
    let all: Vec<_> = of_bars.collect();
    let longest = all.iter().map(|b| b.2).fold(0.0, f64::max);
    let longest_bar = (width.saturating_sub(11) / 2).saturating_sub(12).min(BAR);
    let column = longest_bar + 12;
    let gpus = state.pair().map(|g| clipped_text(g.short_name(), column - 1));
    let mut lines = vec![Line::from(vec![
        Span::styled(format!("{:<11}", "component"), look.dim()),
        Span::styled(format!("{:<column$}", gpus.source), look.source()),
        Span::styled(format!("{:<column$}", gpus.target), look.target()),
        Span::styled(if width < WIDE { "" } else { "  count" }, look.dim()),
    ])];
    for (slot, name) in names.iter().enumerate() {
        let mut spans = vec![Span::raw(format!("{name:<11}"))];
        for (_, meaning, value, label) in all.iter().filter(|b| b.0 == slot) {
            // The label begins with the GPU, which stands over the column here.
            let time = label.rsplit(": ").next().unwrap_or_default();
            let text = format!("{} {time}", bar(*value / longest, longest_bar));
            spans.push(Span::styled(format!("{text:<column$}"), look.mark(*meaning)));
        }
        let from = prediction.factors.iter().find(|f| f.name == *name).and_then(|f| f.from.source.as_ref());
        if let Some(from) = from.filter(|_| width >= WIDE) {
            let text = from.to_string();
            let text = text.strip_prefix("count ").unwrap_or(&text);
            spans.push(Span::styled(format!("  {}", clipped_text(text, width - 77)), look.dim()));
        }
        lines.push(Line::from(spans));
    }
    lines
}

/// A bar of this part of the longest, which has so many columns, in eighths of a column; never nothing where there is something.
fn bar(part: f64, columns: usize) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    if !part.is_finite() || part <= 0.0 || columns == 0 {
        return String::new();
    }
    let eighths = ((part * columns as f64 * 8.0).round() as usize).clamp(1, columns * 8);
    format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8])
}

/// The prediction's numbers, one per line, each with its origin.
fn factor_lines(
    state: &DashboardState,
    prediction: &Prediction,
    told: impl Fn(&Factor) -> bool,
    width: usize,
    look: Look<'_>,
) -> Vec<Line<'static>> {
    let factors: Vec<&Factor> = prediction.factors.iter().filter(|f| told(f)).collect();
    if factors.is_empty() {
        return Vec::new();
    }
    let name = |g: &crate::gpu::Gpu| clipped_text(g.short_name(), 15);
    let Pair { source, target } = state.pair();
    let mut lines = vec![Line::from(vec![
        Span::raw(" ".repeat(width.saturating_sub(32).min(18))),
        Span::styled(format!("{:>16}", name(source)), look.source()),
        Span::styled(format!("{:>16}", name(target)), look.target()),
        Span::styled(if width < 62 { "" } else { "  where from" }, look.dim()),
    ])];
    lines.extend(factors.into_iter().flat_map(|f| factor_lines_of(f, width, look)));
    lines
}

/// A factor on one line, or on two where its origin does not fit beside it: the origin is never cut.
fn factor_lines_of(f: &Factor, width: usize, look: Look<'_>) -> Vec<Line<'static>> {
    const NUMBERS: usize = 50;
    let amount = |a: &Option<Amount>| a.map(|a| a.to_string()).unwrap_or_default();
    let origin = format!("  {}", breakdown::origins(f));
    let numbers = |name: &str, source: usize| {
        vec![
            Span::raw(name.to_string()),
            Span::styled(format!("{:>source$}", amount(&f.source)), look.source()),
            Span::styled(format!("{:>16}", amount(&f.target)), look.target()),
        ]
    };
    let is_narrow = width < NUMBERS;
    let alone = is_narrow.then(|| Line::raw(f.name));
    let mut first = if is_narrow {
        numbers("", width.saturating_sub(16))
    } else {
        numbers(&format!("{:<22}", f.name), 12)
    };
    if NUMBERS + origin.width() <= width {
        first.push(Span::styled(origin, look.dim()));
        return vec![Line::from(first)];
    }
    let below = wrap(&origin, width.saturating_sub(4)).into_iter();
    alone
        .into_iter()
        .chain([Line::from(first)])
        .chain(below.map(|t| Line::styled(format!("    {t}"), look.dim())))
        .collect()
}

/// Interval and its reason, the measured time.
fn certainty(state: &DashboardState, width: usize, look: Look<'_>) -> Vec<Line<'static>> {
    let answer = state.answer();
    let levels = breakdown::levels(answer).map(|t| paragraph(&t, width, look.text()));
    let interval = interval_words::interval(answer).map(|t| paragraph(&t, width, look.text()));
    let measured = breakdown::measured(answer).map(|t| paragraph(&t, width, look.measured()));
    let shares = sources::source_lines(&state.session.gpus, answer);
    let shares: Vec<_> =
        shares.iter().map(|text| Line::styled(clipped_text(text, width), look.source())).collect();
    let spread = sources::spread(answer).map(|t| paragraph(&t, width, look.text()));
    let said = levels.into_iter().chain(spread).chain(interval).chain(measured).flatten();
    shares.into_iter().chain(said).collect()
}

/// What the data say of themselves, and the prediction's cautions.
fn caution_lines(
    state: &DashboardState,
    prediction: &Prediction,
    width: usize,
    look: Look<'_>,
) -> Vec<Line<'static>> {
    let answer = state.answer();
    let mut lines = Vec::new();
    let source = answer.source_time.as_ref().map_or("", |t| &t.source);
    for text in state.session.data_cautions(source) {
        lines.extend(paragraph(&format!("data: {text}"), width, look.dim()));
    }
    if !prediction.cautions.is_empty() {
        lines.push(Line::default());
    }
    for caution in &prediction.cautions {
        let mut wrapped = wrap(&caution.to_string(), width.saturating_sub(2)).into_iter();
        lines.extend(wrapped.next().map(|t| Line::styled(format!("! {t}"), look.caution())));
        lines.extend(wrapped.map(|t| Line::styled(format!("  {t}"), look.caution())));
    }
    lines
}
