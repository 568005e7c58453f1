//! `roofswap predict` of the selected row, and the words about a kernel that other commands take as well.

use super::application::of_trace;
use super::uncarried::other_size_refusal;
use super::words::{CommandWords, add_clocks_to, words_of_source, words_of_targets};
use crate::chart::Curve;
use crate::gpu::Ceilings;
use crate::kernel::BlockSize;
use crate::occupancy::Rules;
use crate::pair::Pair;
use crate::predict::MODELS;
use crate::roofline::Level;
use crate::session::EditedGpu;
use crate::tui::action::Action;
use crate::tui::state::DashboardState;
use crate::workload::{TypedKernel, typed_shape};

/// What is shown of the selected row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PredictPart {
    /// Its times on all targets.
    Times,
    /// The same, and where they come from.
    Explanation,
    /// Its roofline on all targets, as a picture.
    Roofline,
    /// One curve of its occupancy on the main target, as a picture.
    Curve(Curve),
    /// Every model's time on the main target.
    AllModels,
}

impl PredictPart {
    fn is_picture(self) -> bool {
        matches!(self, Self::Roofline | Self::Curve(_))
    }

    /// Whether the further targets are not shown.
    fn is_of_main_target(self) -> bool {
        matches!(self, Self::Curve(_) | Self::AllModels)
    }
}

/// The command that prints what the selected row shows.
///
/// # Errors
/// Why no command prints it, and what to do.
pub(super) fn predict_line(state: &DashboardState, part: PredictPart) -> Result<String, String> {
    match (of_trace(state)?, part) {
        (Some(line), PredictPart::Times) => return Ok(line),
        (Some(_), _) => {
            let id = crate::text::harmless_line(state.kernel().label());
            let what = "`roofswap app --kernels` prints its times alone: copy that in Predictions";
            return Err(format!("{id} is of a trace, and {what}"));
        }
        (None, _) => {}
    }
    let typed = carried_kernel(state)?;
    let block = state.rows[state.selected].instance.block_size;
    if let (None, Some(BlockSize::Typed(n)), Pair { source: None, target: None }) =
        (typed, block, state.answer().launch)
    {
        let how = format!("roofswap occupancy --threads {n}");
        return Err(format!("predict takes no typed threads per block; `{how}` does"));
    }
    if part.is_picture() && state.selection.all_sources {
        let key = state.key_for(Action::AllSources);
        return Err(format!("a picture has one source: {key} predicts from one"));
    }
    if let Some(why) = set_refusal(state, part) {
        return Err(why);
    }
    Ok(predict_command(state, typed, part))
}

/// The mix's or the files' word for the selected kernel: as it was typed, where it was.
///
/// # Errors
/// Why no command but `app` knows it, and what to do.
pub(super) fn kernel_is_known(state: &DashboardState) -> Result<Option<&TypedKernel>, String> {
    match of_trace(state)? {
        None => carried_kernel(state),
        Some(_) => {
            let id = crate::text::harmless_line(state.kernel().label());
            Err(format!("{id} is of a trace, which only `roofswap app --kernels` reads: copy that in view 1"))
        }
    }
}

/// [`findable_kernel`], whose times rest on nothing that commands do not have.
fn carried_kernel(state: &DashboardState) -> Result<Option<&TypedKernel>, String> {
    match (findable_kernel(state)?, other_size_refusal(state)) {
        (None, Some(why)) => Err(why),
        (typed, _) => Ok(typed),
    }
}

/// As it was typed, where it was.
///
/// # Errors
/// Why no command knows it, and what to do.
pub(super) fn findable_kernel(state: &DashboardState) -> Result<Option<&TypedKernel>, String> {
    let row = &state.rows[state.selected];
    let id = &state.kernel().id;
    if state.picked.contains(&row.kernel) {
        return Err(format!("{id} is from a report picked here: `roofswap import -o` gives it to commands"));
    }
    let typed = state.typed_kernel_of(row);
    match typed.and_then(|kernel| typed_refusal(state, kernel)) {
        Some(why) => Err(why),
        None if state.is_typed_alone(row) && typed.is_none() => Err(format!(
            "{id} was typed at another size: no command knows it at this one; type it at {}",
            state.size_of(state.selected)
        )),
        None => Ok(typed),
    }
}

/// Why no command types this kernel again: a typed time is of the command's source.
fn typed_refusal(state: &DashboardState, kernel: &TypedKernel) -> Option<String> {
    let typed_on = kernel.gpu.as_deref().and_then(|gpu| state.session.gpus.position(gpu).ok());
    kernel.time?;
    let is_source = typed_on == Some(state.selection.source);
    let (id, gpu) = (&state.kernel().id, kernel.gpu.as_deref().unwrap_or_default());
    if state.selection.all_sources || !is_source {
        return Some(format!(
            "{id} was typed with its time on {gpu}: make that the only source, or `:export typed`"
        ));
    }
    None
}

/// Why no command asks about the edited GPU: `--set` changes every target, and no source.
fn set_refusal(state: &DashboardState, part: PredictPart) -> Option<String> {
    let place = state.session.edited_place();
    let selection = &state.selection;
    selection.edited.as_ref()?;
    if selection.source == place {
        return Some("the source is hypothetical: save it in the What if view for use in commands".into());
    }
    let is_target = state.target() == place;
    let is_set_twice = |edited: &EditedGpu| {
        selection.tunings.get(&edited.base).is_some_and(|t| state.session.gpus[place].states_setting(*t))
    };
    if selection.edited.as_ref().is_some_and(|edited| is_target && is_set_twice(edited)) {
        let key = state.key_for(Action::ViewWhatIf);
        return Some(format!(
            "predict takes no clock or limit beside a change of the same: copy whatif in view {key}"
        ));
    }
    let is_alone = selection.targets.len() == 1 || part.is_of_main_target();
    let is_beside = !is_alone && selection.targets.contains(&place);
    is_beside.then(|| "predict --set changes every target: drop the further ones first".into())
}

/// The flags of a typed kernel with their values, its name and size left out.
fn typed_flags(kernel: &TypedKernel) -> Vec<(&'static str, String)> {
    let bytes = |flag: &'static str, n: Option<u32>| n.map(|n| (flag, n.to_string()));
    let all = [
        kernel.time.map(|time| ("--time", format!("{}ms", time.typed_millis()))),
        kernel.block.map(|d| ("--threads", typed_shape(d))),
        kernel.grid.map(|d| ("--grid", typed_shape(d))),
        kernel.regs_per_thread.map(|n| ("--regs", n.to_string())),
        bytes("--smem", kernel.smem_static_bytes),
        bytes("--smem-dynamic", kernel.smem_dynamic_bytes),
        kernel.flops.map(|n| ("--flops", n.0.to_string())),
        kernel.int_ops.map(|n| ("--int-ops", n.to_string())),
        kernel.dram_bytes.map(|n| ("--dram-bytes", n.0.to_string())),
        kernel.l2_bytes.map(|n| ("--l2-bytes", n.0.to_string())),
        kernel.working_set.map(|n| ("--working-set", n.0.to_string())),
        kernel.dtype.map(|dtype| ("--dtype", dtype.as_str().to_string())),
        kernel.pipe.as_ref().map(|stated| ("--pipe", stated.to_string())),
    ];
    all.into_iter().flatten().collect()
}

/// `--kernel matmul_tiled --size n=512`, or the flags that type it again.
pub(super) fn add_kernel(words: &mut CommandWords, state: &DashboardState, typed: Option<&TypedKernel>) {
    let subject = &state.rows[state.selected];
    // A name that no file knows is typed as well.
    let is_new = typed.is_some_and(|_| state.is_own_kernel(subject.kernel));
    words.add(if is_new { "--name" } else { "--kernel" }, &state.kernel().id);
    for (flag, value) in typed.map(typed_flags).unwrap_or_default() {
        words.add(flag, &value);
    }
    if !subject.problem.pairs().is_empty() {
        words.add("--size", &subject.problem.to_string());
    }
    if !subject.variant.is_empty() {
        words.add("--variant", &subject.variant);
    }
    if !subject.launch_edits.is_empty() {
        words.add("--launch", &subject.launch_edits.to_string());
    }
}

/// The user's files, but for traces of applications: only `app` reads those.
pub(super) fn add_data(words: &mut CommandWords, state: &DashboardState) {
    for file in data_files(state) {
        words.add("--data", &file);
    }
}

/// The user's files that hold rows or builds; commands end at one that cannot be read.
pub(super) fn data_files(state: &DashboardState) -> Vec<String> {
    let read = state.data.iter().filter(|file| !state.unread.contains(*file));
    let names = read.map(|file| file.display().to_string());
    names.filter(|name| !state.application.traces.contains(name)).collect()
}

/// `roofswap export` of this chart, drawn over these.
fn picture_words(chart: &str, flag: &str, over: &str) -> CommandWords {
    let mut words = CommandWords::new(&format!("export {chart}"));
    words.add(flag, over);
    words.add("--output", &format!("{chart}.svg"));
    words
}

fn predict_command(state: &DashboardState, typed: Option<&TypedKernel>, part: PredictPart) -> String {
    let settings = state.selection.settings;
    let mut words = match part {
        PredictPart::Roofline => {
            let levels = Level::ALL[..state.levels].iter().map(|level| level.as_str().to_lowercase());
            picture_words("roofline", "--levels", &levels.collect::<Vec<_>>().join(","))
        }
        PredictPart::Curve(curve) => picture_words("curves", "--over", curve.as_str()),
        _ => CommandWords::new("predict"),
    };
    words.add("--from", &words_of_source(state));
    let main = &state.session.gpus[state.existing_gpu(state.target())].id;
    let of_all_models = part == PredictPart::AllModels;
    let targets = if part.is_of_main_target() { main.clone() } else { words_of_targets(state) };
    words.add("--to", &targets);
    let is_edited = state.target() == state.session.edited_place();
    if let Some(edited) = state.selection.edited.as_ref().filter(|_| is_edited) {
        words.add("--set", &edited.changes.to_string());
    }
    add_kernel(&mut words, state, typed);
    let is_of_one = part.is_of_main_target() || state.selection.targets.len() == 1;
    let model = if is_of_one { state.model_shown() } else { settings.model };
    words.add("--model", if of_all_models { "all" } else { MODELS[model].id() });
    if part == PredictPart::Explanation {
        words.add_flag("--explain");
    }
    if settings.ceilings == Ceilings::Achieved {
        words.add("--ceilings", "achieved");
    }
    if settings.rules == Rules::Study {
        words.add("--rules", "study");
    }
    add_clocks_to(&mut words, state, &targets);
    add_data(&mut words, state);
    words.line()
}
