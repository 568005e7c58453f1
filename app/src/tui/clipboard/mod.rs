//! What is copied in each view: the row under the cursor as a line, and the command that prints what the view shows.

mod application;
mod occupancy;
mod predict;
mod rows;
mod uncarried;
mod words;

use super::action::Action;
use super::asked_workload::AskedAbout;
use super::layout::{DashboardView, Pane};
use super::panes::occupancy::shows_curves;
use super::ranked::BoardRows;
use super::state::DashboardState;
use crate::evaluate::Protocol;
use crate::gpu::Ceilings;
use crate::occupancy::Rules;
use crate::predict::MODELS;
use crate::session::EditedGpu;
use application::{application_board_line, application_line, application_what_if_line};
use occupancy::occupancy_line;
use predict::{PredictPart, add_data, add_kernel, data_files, kernel_is_known, predict_line};
use words::{
    CommandWords, add_changes_of_board, add_clocks, add_clocks_to, add_form, add_prices, add_what_if_sets,
    edited_on_board, words_of_source, words_of_targets,
};

/// The sheet that this action opened, where it shows numbers of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NumberSheet {
    Gemm,
    Compare,
}

impl NumberSheet {
    fn opened_by(action: Option<Action>) -> Option<Self> {
        match action? {
            Action::Gemm => Some(Self::Gemm),
            Action::Compare => Some(Self::Compare),
            _ => None,
        }
    }
}

/// The row under the cursor as one line of text; over a sheet, which this action opened, that of the view behind it.
///
/// # Errors
/// That there is none here.
pub(super) fn copied_row(state: &DashboardState, sheet: Option<Action>) -> Result<String, String> {
    match NumberSheet::opened_by(sheet) {
        Some(NumberSheet::Gemm) => Err(rows::no_row_text(state, "sheet")),
        Some(NumberSheet::Compare) | None => rows::row_text(state),
    }
}

/// The command that prints what is shown: the sheet that this action opened, else the view.
///
/// # Errors
/// Why no command prints it, and what to do.
pub(super) fn command_line(state: &DashboardState, sheet: Option<Action>) -> Result<String, String> {
    match NumberSheet::opened_by(sheet) {
        Some(NumberSheet::Gemm) => return gemm_line(state),
        Some(NumberSheet::Compare) => return predict_line(state, PredictPart::AllModels),
        None => {}
    }
    match state.view {
        DashboardView::Swap if shows_curves(state) => predict_line(state, PredictPart::Curve(state.curve)),
        DashboardView::Swap if state.focus == Pane::Occupancy => occupancy_line(state),
        DashboardView::Swap if state.focus == Pane::Roofline => predict_line(state, PredictPart::Roofline),
        DashboardView::Swap if state.shows_explanation() => predict_line(state, PredictPart::Explanation),
        DashboardView::Swap => predict_line(state, PredictPart::Times),
        DashboardView::Board => board_line(state),
        DashboardView::WhatIf => what_if_line(state),
        DashboardView::Application => application_line(state),
        DashboardView::Evidence => evidence_line(state),
    }
}

/// `roofswap rank`.
fn board_line(state: &DashboardState) -> Result<String, String> {
    let asked = state.asked_about();
    if asked == AskedAbout::Application {
        return application_board_line(state, &ranked_gpus(state));
    }
    has_plain_settings(state, "rank")?;
    let mut words = CommandWords::new("rank");
    add_source(&mut words, state)?;
    let rows = state.ranked.rows;
    let targets = if rows == BoardRows::Gpus { ranked_gpus(state) } else { words_of_targets(state) };
    words.add("--to", &targets);
    add_changes_of_board(&mut words, state);
    add_workload(&mut words, state)?;
    match rows {
        BoardRows::Gpus => {}
        BoardRows::Variants => {
            words.remove("--variant");
            words.add_flag("--variants");
        }
        BoardRows::Blocks => words.add_flag("--blocks"),
        BoardRows::Kernels => words.add_flag("--kernels"),
    }
    words.add("--by", state.ranked.order.as_str());
    words.add("--model", MODELS[state.selection.settings.model].id());
    add_clocks_to(&mut words, state, &targets);
    add_prices(&mut words, state);
    add_data(&mut words, state);
    Ok(words.line())
}

/// The GPUs that the board shows, as `--to` names them: the edited one by its base.
fn ranked_gpus(state: &DashboardState) -> String {
    let ranked = &state.ranked;
    // A pinned GPU stands beside one of each architecture.
    let is_named = ranked.filter.is_empty() && (ranked.pins.is_empty() || !ranked.each_architecture);
    if is_named {
        return if ranked.each_architecture { "each-architecture" } else { "all" }.into();
    }
    let mut ids: Vec<&str> = Vec::new();
    for row in ranked.shown_rows(&state.session) {
        let id = state.session.gpus[state.existing_gpu(row.gpu)].id.as_str();
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    if ids.is_empty() { "all".into() } else { ids.join(",") }
}

/// What the copied command prints otherwise than the screen, to be said beside it.
pub(super) fn command_remark(state: &DashboardState, sheet: Option<Action>) -> Option<String> {
    if state.view != DashboardView::Board || NumberSheet::opened_by(sheet).is_some() {
        return None;
    }
    let is_alone = |edited: &EditedGpu| ranked_gpus(state) == state.session.gpus[edited.base].id;
    let is_beside = edited_on_board(state).is_some_and(|edited| !is_alone(edited));
    let remarks = [
        is_beside.then_some("its --set ranks the other GPUs changed, too"),
        (!state.ranked.prices.typed.is_empty())
            .then_some("without the typed prices: commands read prices from a file"),
        state
            .ranked
            .is_reversed()
            .then_some("its rows are not reversed: the first is the best, of kernels the longest"),
    ];
    let remarks: Vec<&str> = remarks.into_iter().flatten().collect();
    (!remarks.is_empty()).then(|| remarks.join("; "))
}

/// `roofswap whatif`; of an application `roofswap app --set`.
fn what_if_line(state: &DashboardState) -> Result<String, String> {
    if state.asked_about() == AskedAbout::Application {
        return application_what_if_line(state);
    }
    has_plain_settings(state, "whatif")?;
    let edited = state.edited_gpu();
    let mut words = CommandWords::new("whatif");
    words.add("--gpu", &state.session.gpus[edited.base].id);
    let is_of_scenarios = add_what_if_sets(&mut words, state);
    add_source(&mut words, state)?;
    add_workload(&mut words, state)?;
    words.add("--model", MODELS[state.selection.settings.model].id());
    let source = state.selection.source;
    add_clocks(&mut words, state, |gpu| gpu == edited.base || gpu == source);
    if !is_of_scenarios {
        add_form(&mut words, state);
    }
    add_data(&mut words, state);
    Ok(words.line())
}

/// `roofswap gemm`: the product of the sheet.
///
/// # Errors
/// That no command knows the target.
fn gemm_line(state: &DashboardState) -> Result<String, String> {
    let target = state.target();
    if state.existing_gpu(target) != target {
        return Err("the target is hypothetical: save it in the What if view for use in commands".into());
    }
    let mut words = CommandWords::new("gemm");
    words.add("--gpu", &state.session.gpus[target].id);
    for (flag, side) in ["--m", "--n", "--k"].into_iter().zip(state.gemm.gemm.size) {
        words.add(flag, &side.to_string());
    }
    add_clocks(&mut words, state, |gpu| gpu == target);
    Ok(words.line())
}

/// `roofswap models`: errors for cases like the one in question.
///
/// # Errors
/// That the command has no flag for the settings, or does not know the kernel.
fn models_line(state: &DashboardState) -> Result<String, String> {
    has_plain_settings(state, "models")?;
    if kernel_is_known(state)?.is_some_and(|_| state.is_own_kernel(state.rows[state.selected].kernel)) {
        return Err(format!("{} was typed, and `roofswap models` takes no typed kernel", state.kernel().id));
    }
    let mut words = CommandWords::new("models");
    words.add("--protocol", state.protocol.as_str());
    words.add("--kernel", &state.kernel().id);
    for (flag, gpu) in [("--from", state.selection.source), ("--to", state.target())] {
        words.add(flag, &state.session.gpus[state.existing_gpu(gpu)].id);
    }
    if state.model_chosen {
        words.add("--model", MODELS[state.selection.settings.model].id());
    }
    add_data(&mut words, state);
    Ok(words.line())
}

/// The command of the focused pane of the evidence.
fn evidence_line(state: &DashboardState) -> Result<String, String> {
    let files = data_files(state);
    match state.focus {
        Pane::Audit if files.is_empty() => {
            Err("no measurement file is loaded: there is nothing to audit".into())
        }
        Pane::Audit => {
            let mut words = CommandWords::new("audit");
            files.iter().for_each(|file| words.add_file(file));
            Ok(words.line())
        }
        Pane::Notes => Err("no command prints these notes: each prints its own as it reads files".into()),
        Pane::Models => models_line(state),
        _ => {
            let settings = state.selection.settings;
            let used = MODELS[settings.model].id();
            let mut words = CommandWords::new("evaluate");
            words.add("--protocol", state.protocol.as_str());
            words.add("--model", used);
            if state.selection.all_sources && state.protocol == Protocol::NewGpu {
                words.add("--sources", "all");
            }
            if settings.ceilings == Ceilings::Achieved {
                words.add("--ceilings", "achieved");
            }
            if settings.rules == Rules::Study {
                words.add("--rules", "study");
            }
            add_data(&mut words, state);
            Ok(words.line())
        }
    }
}

/// `--from`.
///
/// # Errors
/// That no command knows the source.
fn add_source(words: &mut CommandWords, state: &DashboardState) -> Result<(), String> {
    let source = state.selection.source;
    if state.existing_gpu(source) != source {
        return Err("the source is hypothetical: save it in the What if view for use in commands".into());
    }
    words.add("--from", &words_of_source(state));
    Ok(())
}

/// The mix that is asked about, else the selected kernel.
///
/// # Errors
/// Why no command knows the kernel.
fn add_workload(words: &mut CommandWords, state: &DashboardState) -> Result<(), String> {
    match &state.ranked.mix {
        Some(mix) if state.asked_about() == AskedAbout::Mix => words.add("--mix", mix.mix.file()),
        _ => {
            let typed = kernel_is_known(state)?;
            add_kernel(words, state, typed);
        }
    }
    Ok(())
}

/// Commands that rank or change GPUs have no flags for roofs and occupancy rules.
///
/// # Errors
/// Which key sets them back.
fn has_plain_settings(state: &DashboardState, command: &str) -> Result<(), String> {
    let settings = state.selection.settings;
    let (what, action) = match (settings.ceilings, settings.rules) {
        (Ceilings::Achieved, _) => ("achieved roofs", Action::Ceilings),
        (_, Rules::Study) => ("the study's occupancy rules", Action::Rules),
        _ => return Ok(()),
    };
    let key = state.key_for(action);
    Err(format!(
        "{command} has no flag for {what}: {key} in view 1 switches them off, and predict takes them"
    ))
}
