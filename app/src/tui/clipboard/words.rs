//! The words of a command line, each quoted as a shell needs it, because names come from files.

use crate::gpu::GpuId;
use crate::session::EditedGpu;
use crate::tui::panes::what_if::findings::WhatIfForm;
use crate::tui::state::DashboardState;
use crate::whatif::Solution;

/// A command line that grows.
pub(super) struct CommandWords(Vec<String>);

impl CommandWords {
    /// `roofswap rank`.
    pub(super) fn new(subcommand: &str) -> Self {
        Self(vec!["roofswap".into(), subcommand.into()])
    }

    /// A flag with its value.
    pub(super) fn add(&mut self, flag: &str, value: &str) {
        match value.strip_prefix('-') {
            // Such a word alone would be read as a flag.
            Some(_) => self.0.push(format!("{flag}={}", quoted(value))),
            None => self.0.extend([flag.to_string(), quoted(value)]),
        }
    }

    /// A flag without a value.
    pub(super) fn add_flag(&mut self, flag: &str) {
        self.0.push(flag.to_string());
    }

    /// The same without this flag and its value.
    pub(super) fn remove(&mut self, flag: &str) {
        if let Some(at) = self.0.iter().position(|word| word == flag) {
            self.0.drain(at..(at + 2).min(self.0.len()));
        }
    }

    /// A file.
    pub(super) fn add_file(&mut self, file: &str) {
        // Such a word alone would be read as a flag.
        let file = if file.starts_with('-') { format!("./{file}") } else { file.to_string() };
        self.0.push(quoted(&file));
    }

    /// The line.
    pub(super) fn line(self) -> String {
        self.0.join(" ")
    }
}

/// The targets by their ids; of the edited GPU its base, once.
pub(super) fn words_of_targets(state: &DashboardState) -> String {
    let mut ids: Vec<&str> = Vec::new();
    for target in &state.selection.targets {
        let id = state.session.gpus[state.existing_gpu(*target)].id.as_str();
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    ids.join(",")
}

/// A word as a POSIX shell reads it back.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=.,/:+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_string();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// The source, with `all` beside it where all sources are asked for.
pub(super) fn words_of_source(state: &DashboardState) -> String {
    let id = &state.session.gpus[state.selection.source].id;
    if state.selection.all_sources { format!("{id},all") } else { id.clone() }
}

/// Clocks and power limits that were typed, of the GPUs that the command names: commands refuse those of others.
pub(super) fn add_clocks(words: &mut CommandWords, state: &DashboardState, is_named: impl Fn(GpuId) -> bool) {
    for (gpu, tuning) in state.selection.tunings.iter().filter(|(gpu, _)| is_named(**gpu)) {
        let id = &state.session.gpus[*gpu].id;
        for (flag, word) in [("--sm-clock", "sm="), ("--mem-clock", "mem="), ("--power-limit", "power=")] {
            let text = tuning.to_string();
            if let Some(value) = text.split(' ').find_map(|part| part.strip_prefix(word)) {
                words.add(flag, &format!("{id}={value}"));
            }
        }
    }
}

/// [`add_clocks`] of a command about kernels with these targets, from the sources that are selected.
pub(super) fn add_clocks_to(words: &mut CommandWords, state: &DashboardState, to: &str) {
    let (source, all) = (Some(state.selection.source), state.selection.all_sources);
    add_clocks(words, state, |gpu| all || names_gpu(state, to, source, gpu));
}

/// Whether a command with these targets and this source names a GPU.
pub(super) fn names_gpu(state: &DashboardState, to: &str, source: Option<GpuId>, gpu: GpuId) -> bool {
    let is_shown = || state.ranked.shown_rows(&state.session).iter().any(|row| row.gpu == gpu);
    let of_board = to == "all" || to == "each-architecture" && is_shown();
    source == Some(gpu) || of_board || to.split(',').any(|word| word == state.session.gpus[gpu].id)
}

/// The edited GPU where the board shows it: `--set` ranks each GPU of `--to` unchanged and changed.
pub(super) fn edited_on_board(state: &DashboardState) -> Option<&EditedGpu> {
    let place = state.session.edited_place();
    let is_shown = || state.ranked.shown_rows(&state.session).iter().any(|row| row.gpu == place);
    state.selection.edited.as_ref().filter(|_| is_shown())
}

/// Its changes.
pub(super) fn add_changes_of_board(words: &mut CommandWords, state: &DashboardState) {
    if let Some(edited) = edited_on_board(state) {
        words.add("--set", &edited.changes.to_string());
    }
}

/// The changes of the scenarios that are shown side by side, or of the edited GPU; whether it is the scenarios.
pub(super) fn add_what_if_sets(words: &mut CommandWords, state: &DashboardState) -> bool {
    let (edited, kept) = (state.edited_gpu(), &state.what_if.kept);
    let is_of_scenarios = state.what_if.form == WhatIfForm::Scenarios && !kept.is_empty();
    if is_of_scenarios {
        kept.iter().for_each(|kept| words.add("--set", &kept.changes.to_string()));
    } else if !edited.changes.is_empty() {
        words.add("--set", &edited.changes.to_string());
    }
    is_of_scenarios
}

/// What stands beside the numbers of What if: the tornado, or the time over two numbers as a picture; and the value that was sought.
pub(super) fn add_form(words: &mut CommandWords, state: &DashboardState) {
    let found = &state.what_if;
    match (found.form, &found.marked[..]) {
        (WhatIfForm::Contour, [across, up]) => {
            words.add("--contour", &format!("{},{}", across.key(), up.key()));
            words.add("--svg", "contour.svg");
        }
        _ => words.add_flag("--tornado"),
    }
    if let Some(Solution::Value { number, .. } | Solution::None { number, .. }) = &found.solution {
        words.add("--solve", number.key());
        if let Some(goal) = found.typed_goal {
            words.add("--goal", &format!("{}ms", goal.typed_millis()));
        }
    }
}

/// The file of prices by the hour.
pub(super) fn add_prices(words: &mut CommandWords, state: &DashboardState) {
    if let Some(file) = &state.ranked.prices.file {
        words.add("--prices", file);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_from_files_cannot_break_out_of_the_command() {
        assert_eq!(quoted("titan-v,l4"), "titan-v,l4");
        assert_eq!(quoted("m=1;n=2"), "'m=1;n=2'");
        assert_eq!(quoted("x'$(reboot)'"), r"'x'\''$(reboot)'\'''");
        let mut words = CommandWords::new("app");
        words.add_file("-rf");
        words.add("--size", "-1");
        assert_eq!(words.line(), "roofswap app ./-rf --size=-1");
    }
}
