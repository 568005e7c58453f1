//! From the screen to a file or the clipboard: the chart of the pane with the keyboard, the selected row, the command line
//! that prints it.

use super::layout::Pane;
use super::message::Effect;
use super::models::importances_spec;
use super::prompt::{Overlay, PromptKind};
use super::run::say;
use super::state::{State, Tone};
use crate::chart::{
    ChartSpec, Curve, CurveView, PredictionRow, RooflineView, Sides, Theme, component_chart, curve_chart,
    occupancy_chart, predictions_chart, roofline_chart,
};
use crate::gpu::Ceilings;
use crate::kernel::BlockSize;
use crate::occupancy::Rules;
use crate::predict::{Explanation, MODELS};
use crate::roofline::Level;
use crate::units::Seconds;

/// The roofline of the selected row, as the pane and the export draw it.
#[must_use]
pub fn roofline_spec(state: &State) -> ChartSpec {
    let answer = state.answer();
    let others =
        state.shown.iter().filter(|r| **r != state.selected).filter_map(|r| state.answers[*r].timed_point());
    roofline_chart(&RooflineView {
        gpus: state.pair(),
        kernel: state.kernel(),
        problem: state.size_of(state.selected),
        answer,
        show: Sides::Both,
        levels: Level::ALL[..state.levels].to_vec(),
        others: others.take(200).map(|(i, p)| (i.0, p.0)).collect(),
    })
}

/// The occupancy of the selected row.
#[must_use]
pub fn occupancy_spec(state: &State) -> ChartSpec {
    let size = state.size_of(state.selected);
    occupancy_chart(state.pair(), state.kernel(), &size, state.answer(), Sides::Both)
}

/// Narrower than this the zoomed occupancy has room for its numbers only.
const ROOM_FOR_CURVES: u16 = 78;

/// Whether the occupancy fills a screen that is wide enough for its curves.
#[must_use]
pub fn shows_curves(state: &State) -> bool {
    state.zoomed() == Some(Pane::Occupancy) && state.size.0 >= ROOM_FOR_CURVES
}

/// One curve of the selected row, as the zoomed pane and the export draw it.
#[must_use]
pub fn curve_spec(state: &State, curve: Curve) -> ChartSpec {
    let (gpus, kernel, answer) = (state.pair(), state.kernel(), state.answer());
    let row = &state.rows[state.selected];
    let (problem, variant) = (&*row.problem, &*row.variant);
    curve_chart(&CurveView { gpus, kernel, problem, variant, answer, show: Sides::Both }, curve)
}

/// The selected prediction taken apart, and its component chart, as the pane and the export draw it; `None` where the model
/// knows no components.
#[must_use]
pub fn components_of(state: &State) -> Option<(Explanation, ChartSpec)> {
    let answer = state.answer();
    let e = answer.component_times()?;
    let spec = component_chart(state.pair(), state.kernel(), &state.size_of(state.selected), answer, &e);
    Some((e, spec))
}

/// The most rows one chart can show legibly.
const MOST_ROWS: usize = 60;

/// The predictions that are shown.
#[must_use]
pub fn predictions_spec(state: &State) -> ChartSpec {
    let row = |r: &usize| {
        PredictionRow::new(format!("{} {}", state.kernel_of(*r).label, state.size_of(*r)), &state.answers[*r])
    };
    let rows: Vec<PredictionRow> = state.shown.iter().take(MOST_ROWS).map(row).collect();
    let subtitle = format!("{}, {}", MODELS[state.selection.settings.model].id(), state.answer().used());
    let mut chart = predictions_chart(&rows, state.pair(), &subtitle);
    if state.shown.len() > rows.len() {
        chart.notes.push(format!(
            "the first {} of {} rows; filter to see others",
            rows.len(),
            state.shown.len()
        ));
    }
    chart
}

/// Asks where to export to; the name offered says what is on the chart.
pub(super) fn ask_path(state: &mut State) -> Vec<Effect> {
    let what = match state.focus {
        Pane::Gpus | Pane::Roofline => format!("roofline-{}", state.kernel().label),
        Pane::Occupancy if shows_curves(state) => {
            format!("{}-curve-{}", state.curve.word(), state.kernel().label)
        }
        Pane::Occupancy => format!("occupancy-{}", state.kernel().label),
        Pane::Predictions => "predictions".into(),
    };
    let name = file_name(state, &what);
    state.overlay = Overlay::prompt(PromptKind::ExportPath, name);
    Vec::new()
}

/// Asks where to export the component times to.
pub(super) fn ask_components(state: &mut State) -> Vec<Effect> {
    if components_of(state).is_none() {
        let model = MODELS[state.selection.settings.model].id();
        let why = format!("{model} has no component times here; m changes the model");
        return say(state, Tone::Refused, why);
    }
    let name = file_name(state, &format!("components-{}", state.kernel().label));
    state.overlay = Overlay::prompt(PromptKind::ExportComponents, name);
    Vec::new()
}

/// Hands the component chart to the worker.
pub(super) fn start_components(state: &State, path: &str) -> Vec<Effect> {
    components_of(state).map_or_else(Vec::new, |(_, spec)| to_worker(state, path, spec))
}

/// A name that says what is on the chart and between which GPUs.
fn file_name(state: &State, what: &str) -> String {
    let [source, target] = state.pair();
    let safe: String =
        what.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' }).take(80).collect();
    format!("{safe}-{}-{}.svg", source.id, target.id)
}

pub(super) fn to_worker(state: &State, path: &str, spec: ChartSpec) -> Vec<Effect> {
    let theme = if state.theme().name == "dark" { Theme::Dark } else { Theme::Light };
    vec![Effect::Export { path: path.into(), spec: Box::new(spec), theme }]
}

/// Hands the chart of the pane with the keyboard to the worker.
pub(super) fn start(state: &mut State, path: &str) -> Vec<Effect> {
    let spec = match state.focus {
        Pane::Gpus | Pane::Roofline => roofline_spec(state),
        Pane::Occupancy if shows_curves(state) => curve_spec(state, state.curve),
        Pane::Occupancy => occupancy_spec(state),
        Pane::Predictions => predictions_spec(state),
    };
    to_worker(state, path, spec)
}

/// Hands the chart of the evaluation to the worker.
pub(super) fn start_evaluation(state: &State, path: &str) -> Vec<Effect> {
    let Some(evaluated) = &state.evaluated else { return Vec::new() };
    to_worker(state, path, evaluated.chart.clone())
}

/// Hands the importances of what was trained to the worker.
pub(super) fn start_importances(state: &State, path: &str) -> Vec<Effect> {
    importances_spec(state).map_or_else(Vec::new, |spec| to_worker(state, path, spec))
}

/// The selected row as one line of text.
pub(super) fn row_text(state: &State) -> String {
    let answer = state.answer();
    let [source, target] = state.pair();
    let time = |t: Option<Seconds>| t.map_or("-".into(), |t| t.to_string());
    let source_time = answer.source_time.as_ref();
    let predicted = match (&answer.prediction, &answer.interval) {
        (Ok(p), Some(i)) => format!("{} ({} to {})", p.time, i.low, i.high),
        (Ok(p), None) => p.time.to_string(),
        (Err(e), _) => e.to_string(),
    };
    format!(
        "{} {}: {} {} ({}) -> {} {} [{}]; measured {}",
        state.kernel().id,
        state.size_of(state.selected),
        source.id,
        time(source_time.map(|t| t.time)),
        source_time.map_or("unknown", |t| t.kind.word()),
        target.id,
        predicted,
        MODELS[answer.settings.model].id(),
        time(answer.measured.map(|m| m.time)),
    )
}

/// The command that prints what the selected row shows; every word quoted as a shell needs it, because names come from
/// files.
///
/// # Errors
/// Why no command prints it, and what to do.
pub(super) fn command_line(state: &State) -> Result<String, String> {
    let row = &state.rows[state.selected];
    let id = &state.kernel().id;
    if state.picked.contains(&row.kernel) {
        return Err(format!("{id} is from a report picked here: `roofswap import -o` gives it to commands"));
    }
    if let (Some(BlockSize::Typed(n)), [None, None]) = (row.instance.block_size, state.answer().launch) {
        let how = format!("roofswap occupancy --threads {n}");
        return Err(format!("predict takes no typed threads per block; `{how}` does"));
    }
    Ok(predict_command(state))
}

fn predict_command(state: &State) -> String {
    let gpus = &state.session.gpus;
    let targets: Vec<&str> = state.selection.targets.iter().map(|t| gpus[*t].id.as_str()).collect();
    let settings = state.selection.settings;
    let subject = &state.rows[state.selected];
    let mut words = vec!["roofswap".to_string(), "predict".into()];
    let mut add = |flag: &str, value: &str| words.extend([flag.to_string(), quoted(value)]);
    let all = state.selection.all_sources && state.answer().combined.is_some();
    add("--from", if all { "all" } else { &gpus[state.selection.source].id });
    add("--to", &targets.join(","));
    add("--kernel", &state.kernel().id);
    if !subject.problem.pairs().is_empty() {
        add("--size", &subject.problem.to_string());
    }
    if !subject.variant.is_empty() {
        add("--variant", &subject.variant);
    }
    add("--model", MODELS[settings.model].id());
    if settings.ceilings == Ceilings::Achieved {
        add("--ceilings", "achieved");
    }
    if settings.rules == Rules::Study {
        add("--rules", "study");
    }
    for (gpu, tuning) in &state.selection.tunings {
        let id = &gpus[*gpu].id;
        for (flag, word) in [("--sm-clock", "sm="), ("--mem-clock", "mem="), ("--power-limit", "power=")] {
            let text = tuning.to_string();
            if let Some(value) = text.split(' ').find_map(|part| part.strip_prefix(word)) {
                add(flag, &format!("{id}={value}"));
            }
        }
    }
    for file in &state.data {
        add("--data", &file.display().to_string());
    }
    words.join(" ")
}

/// A word as a POSIX shell reads it back.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=.,/:+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_string();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_from_files_cannot_break_out_of_the_command() {
        assert_eq!(quoted("titan-v,l4"), "titan-v,l4");
        assert_eq!(quoted("m=1;n=2"), "'m=1;n=2'");
        assert_eq!(quoted("x'$(reboot)'"), r"'x'\''$(reboot)'\'''");
    }
}
