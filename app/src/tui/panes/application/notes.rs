//! What must be said of the totals: what their notes say in `roofswap app`, the most important first; what to profile next.

use super::findings::ApplicationFindings;
use crate::application::{Application, TargetForecast, limit_speedup, other_gpu_note, percent};
use crate::gpu::GpuId;
use crate::text::{first_names, harmless_line};
use crate::tui::action::Action;
use crate::tui::state::DashboardState;
use crate::tui::text::wrap;
use crate::units::{range, significant};
use unicode_width::UnicodeWidthStr;

/// The notes in lines of this width, the most important first.
pub(super) fn note_lines(state: &DashboardState, application: &Application, width: usize) -> Vec<String> {
    let notes = notes(state, application);
    notes.iter().flat_map(|note| wrap(&harmless_line(note), width)).collect()
}

fn notes(state: &DashboardState, application: &Application) -> Vec<String> {
    let taken = state.application.source;
    let other = taken.and_then(|taken| other_gpu_note(&state.session.gpus, application, taken));
    let other = other.map(|note| format!("! {note}"));
    other.into_iter().chain(forecast_notes(state, application)).collect()
}

fn forecast_notes(state: &DashboardState, application: &Application) -> Vec<String> {
    let found = &state.application;
    let forecasts = match &found.forecasts {
        Some(Ok(forecasts)) => forecasts,
        Some(Err(why)) => return remarks(application).filter(|text| !text.ends_with(why)).collect(),
        None => return remarks(application).collect(),
    };
    let others = || forecasts.iter().filter(|forecast| Some(forecast.target) != found.source);
    // Every caution with its first place in a forecast, where the most important ones come first, and the GPUs it is about.
    let mut cautions: Vec<(&str, usize, Vec<GpuId>)> = Vec::new();
    for forecast in others() {
        for (place, caution) in forecast.cautions.iter().enumerate() {
            match cautions.iter_mut().find(|(known, ..)| known == caution) {
                Some((_, first, gpus)) => {
                    *first = place.min(*first);
                    gpus.push(forecast.target);
                }
                None => cautions.push((caution, place, vec![forecast.target])),
            }
        }
    }
    cautions.sort_by_key(|(_, place, _)| *place);
    let all = others().count();
    let names = |gpus: &[GpuId]| {
        let names: Vec<&str> = gpus.iter().map(|gpu| state.session.gpus[*gpu].short_name()).collect();
        if names.len() == all && all > 1 { "every target".to_string() } else { first_names(&names, 3) }
    };
    let cautions = cautions.iter().map(|(caution, _, gpus)| format!("! {}: {caution}", names(gpus)));
    let kernels = others().map(|forecast| kernels_text(state, forecast));
    let mut notes: Vec<String> = cautions.collect();
    // The first caution alone is more than any number.
    let after = usize::from(!notes.is_empty());
    notes.splice(after..after, kernels);
    notes.extend(remarks(application));
    notes
}

/// `RTX 4090: kernels 742 ms ◆ (426 ms–1.29 s), 0.539×; at most 1.00× if kernels took no time, idle < 0.1 %, 0 % of kernel time predicted`.
fn kernels_text(state: &DashboardState, forecast: &TargetForecast) -> String {
    let time = forecast.kernels;
    let name = state.session.gpus[forecast.target].short_name();
    let at_most = limit_speedup(forecast)
        .map(|speedup| format!("; at most {}× if kernels took no time", significant(speedup)));
    let idle = forecast.replayed.map(|r| format!(", idle {}", percent(100.0 * r.timeline.idle_share())));
    format!(
        "{name}: kernels {} ({}), {}×{}{}, {} of kernel time predicted",
        forecast.kind.marked(time.value),
        range(time.low, time.high),
        significant(forecast.kernels_speedup),
        at_most.unwrap_or_default(),
        idle.unwrap_or_default(),
        percent(100.0 * forecast.predicted_share),
    )
}

/// What is to be known of the file.
fn remarks(application: &Application) -> impl Iterator<Item = String> {
    let typed = |remark: &String| remark.replace("give --device", "`:device N` shows it");
    application.remarks.iter().map(move |remark| format!("! {}", typed(remark)))
}

/// What to profile to narrow the total of kernels on the first target, and what to type for it; each a line. Where one is wider than
/// this, the first says what prints it whole.
pub(super) fn profile_lines(
    found: &ApplicationFindings,
    state: &DashboardState,
    width: usize,
) -> Vec<String> {
    let (Some(first), Some(target)) = (found.next.first(), found.first_target()) else { return Vec::new() };
    let name = state.session.gpus[target.target].short_name();
    let now = significant(first.half_width_percent[0]);
    let lines: Vec<String> = found
        .next
        .iter()
        .map(|next| format!("± {} %: {} <program>", significant(next.half_width_percent[1]), next.command))
        .map(|line| harmless_line(&line))
        .collect();
    let copy = state.key_for(Action::CopyCommand);
    let title = match lines.iter().any(|line| line.width() > width) {
        true => {
            format!("profile next on {name} (90 % now: ± {now} %; {copy} copies the command):")
        }
        false => format!("profile next, to narrow the kernel total on {name} (90 % now: ± {now} %):"),
    };
    std::iter::once(title).chain(lines).collect()
}
