//! The application's part: the group under the cursor, and `roofswap app`.

use super::words::{
    CommandWords, add_changes_of_board, add_clocks, add_form, add_prices, add_what_if_sets, names_gpu,
    words_of_targets,
};
use crate::application::{GROUPS_LISTED, PartOfTrace, forecast, recorded_gpu_id};
use crate::gpu::GpuId;
use crate::measurement::CanonicalRow;
use crate::tui::asked_about::none_loaded_text;
use crate::tui::panes::application::group_line;
use crate::tui::state::DashboardState;
use crate::units::range;

/// The group under the cursor.
///
/// # Errors
/// That no application is loaded.
pub(super) fn group_text(state: &DashboardState) -> Result<String, String> {
    group_line(state).ok_or_else(|| none_loaded_text(state))
}

/// `roofswap app trace.json.gz --to h200`: what the view shows.
///
/// # Errors
/// That no application is loaded.
pub(super) fn application_line(state: &DashboardState) -> Result<String, String> {
    let found = &state.application;
    let Some(application) = &found.application else { return Err(none_loaded_text(state)) };
    let mut words = CommandWords::new("app");
    words.add_file(&application.file);
    add_part(&mut words, &found.part);
    let Some(source) = found.source.filter(|_| !application.is_amd()) else { return Ok(words.line()) };
    add_source(&mut words, state, source);
    add_targets(&mut words, state);
    add_host(&mut words, state);
    add_groups(&mut words, state);
    Ok(words.line())
}

/// `roofswap whatif --app trace.json.gz --gpu h200 --tornado`: the numbers that matter to the application; of one of several GPUs, or on another
/// host, `roofswap app`.
///
/// # Errors
/// That no application is loaded.
pub(super) fn application_what_if_line(state: &DashboardState) -> Result<String, String> {
    let found = &state.application;
    let Some(application) = &found.application else { return Err(none_loaded_text(state)) };
    if found.part.device.is_some() || has_host_factor(state) {
        return application_line(state);
    }
    let edited = state.edited_gpu();
    let mut words = CommandWords::new("whatif");
    words.add("--gpu", &state.session.gpus[edited.base].id);
    words.add("--app", &application.file);
    add_part(&mut words, &found.part);
    match found.source {
        // Where no goal is typed, the time on the source is it: the command wants to see that it is meant.
        Some(source) if state.what_if.solution.is_some() => {
            words.add("--from", &state.session.gpus[source].id);
        }
        Some(source) => add_source(&mut words, state, source),
        None => {}
    }
    let is_of_scenarios = add_what_if_sets(&mut words, state);
    add_clocks(&mut words, state, |gpu| gpu == edited.base || Some(gpu) == found.source);
    if !is_of_scenarios {
        add_form(&mut words, state);
    }
    Ok(words.line())
}

/// `roofswap rank --app trace.json.gz --to all`: the board of the application; of one of several GPUs, or on another host, `roofswap app`.
///
/// # Errors
/// That no application is loaded.
pub(super) fn application_board_line(state: &DashboardState, targets: &str) -> Result<String, String> {
    let found = &state.application;
    let Some(application) = &found.application else { return Err(none_loaded_text(state)) };
    let is_plain = found.part.device.is_none() && !has_host_factor(state);
    let mut words = CommandWords::new(if is_plain { "rank" } else { "app" });
    if is_plain {
        words.add("--app", &application.file);
    } else {
        words.add_file(&application.file);
    }
    add_part(&mut words, &found.part);
    if let Some(source) = found.source {
        add_source(&mut words, state, source);
    }
    words.add("--to", targets);
    add_changes_of_board(&mut words, state);
    add_clocks(&mut words, state, |gpu| names_gpu(state, targets, found.source, gpu));
    if is_plain {
        words.add("--by", state.ranked.order.as_str());
    }
    add_host(&mut words, state);
    add_prices(&mut words, state);
    Ok(words.line())
}

/// The command for the selected row where it was opened from a trace: no measurement file has it, and `app --kernels` prints it.
///
/// # Errors
/// That it was measured here, and no file has it.
pub(super) fn of_trace(state: &DashboardState) -> Result<Option<String>, String> {
    let row = &state.rows[state.selected];
    let id = &state.kernel().id;
    let size = row.problem.to_string();
    let is_row = |kernel: &str, problem: &str| kernel == id && (problem == size || problem.is_empty());
    let kept = state.kept_rows.iter().rev().find(|kept| is_row(&kept.kernel, &kept.problem));
    let Some(kept) = kept else { return Ok(None) };
    let of_file = |file: &&String| kept.source.starts_with(&format!("{file}: group "));
    let Some(file) = state.application.traces.iter().find(of_file) else {
        let text = format!("{id} was measured here: `roofswap measure -o` keeps such rows for commands");
        return Err(text);
    };
    app_prints_the_same(state, kept, file)?;
    let mut words = CommandWords::new("app");
    words.add_file(file);
    if state.application.application.as_ref().is_some_and(|shown| shown.file == *file) {
        add_part(&mut words, &state.application.part);
    }
    if let Ok(source) = state.session.gpus.position(&kept.gpu) {
        add_source(&mut words, state, source);
    }
    add_targets(&mut words, state);
    add_groups(&mut words, state);
    Ok(Some(words.line()))
}

/// `app` takes matrix products and attention by their operator and has neither models nor roofs to choose: whether it prints what
/// the screen shows of this row.
///
/// # Errors
/// What it prints instead, or that it cannot be known.
fn app_prints_the_same(state: &DashboardState, kept: &CanonicalRow, file: &str) -> Result<(), String> {
    let (selection, gpu) = (&state.selection, &kept.gpu);
    let source = state.session.gpus.position(gpu).ok();
    let Some(source) = source.filter(|gpu| *gpu == selection.source && !selection.all_sources) else {
        return Err(format!("a trace has its time on {gpu}: make that the only source, then copy"));
    };
    let shown = state.application.application.as_ref().filter(|shown| shown.file == file);
    let place = kept.source.rsplit_once(": group ").and_then(|(_, n)| n.parse::<usize>().ok());
    let (Some(read), Some(place)) = (shown, place.and_then(|place| place.checked_sub(1))) else {
        return Err(format!("another trace is open: open {file} again, then copy"));
    };
    let settings = state.application.settings;
    let found = forecast(&state.session, read, source, &[state.target()], settings)?;
    let printed = found.first().and_then(|target| target.groups.get(place));
    let answer = state.answer();
    let of_screen = answer.predicted_time().zip(answer.interval.as_ref());
    let of_screen =
        of_screen.map(|(time, interval)| format!("{time} ({})", range(interval.low, interval.high)));
    let time =
        printed.map(|group| format!("{} ({})", group.time.value, range(group.time.low, group.time.high)));
    if time.is_some() && time == of_screen {
        return Ok(());
    }
    let by = printed.map_or("", |group| group.basis.as_str());
    Err(format!(
        "no command prints this row: `roofswap app --kernels` has {} by {by}, not {}",
        time.as_deref().unwrap_or("no time"),
        of_screen.as_deref().unwrap_or("no time"),
    ))
}

/// The GPU that it ran on, where its file does not say so.
fn add_source(words: &mut CommandWords, state: &DashboardState, source: GpuId) {
    let gpus = &state.session.gpus;
    let recorded = state.application.application.as_ref().and_then(|read| recorded_gpu_id(gpus, read));
    let source = &gpus[source].id;
    if recorded.as_ref() != Some(source) {
        words.add("--from", source);
    }
}

/// The targets, and the changes of the edited GPU where it is one of them.
fn add_targets(words: &mut CommandWords, state: &DashboardState) {
    words.add("--to", &words_of_targets(state));
    let source = state.application.source;
    // Settings of a board are those of what is made of it.
    let is_target = |gpu: GpuId| {
        state.selection.targets.iter().any(|target| [*target, state.existing_gpu(*target)].contains(&gpu))
    };
    add_clocks(words, state, |gpu| Some(gpu) == source || is_target(gpu));
    let is_target = state.selection.targets.contains(&state.session.edited_place());
    if let Some(edited) = state.selection.edited.as_ref().filter(|_| is_target) {
        words.add("--set", &edited.changes.to_string());
    }
}

/// The time of every group: tables list no more than some, where nobody says how many.
fn add_groups(words: &mut CommandWords, state: &DashboardState) {
    words.add_flag("--kernels");
    let count = state.application.application.as_ref().map_or(0, |read| read.groups.len());
    if count > GROUPS_LISTED {
        words.add("--top", &count.to_string());
    }
}

/// Which GPU and range of the trace are shown.
fn add_part(words: &mut CommandWords, part: &PartOfTrace) {
    if let Some(device) = part.device {
        words.add("--device", &device.to_string());
    }
    if let Some(range) = &part.range {
        words.add("--range", range);
    }
}

fn has_host_factor(state: &DashboardState) -> bool {
    (state.application.settings.host - 1.0).abs() > f64::EPSILON
}

fn add_host(words: &mut CommandWords, state: &DashboardState) {
    if has_host_factor(state) {
        words.add("--host", &format!("{}x", state.application.settings.host));
    }
}
