//! Commands, typed: nouns, names and sentences, completed while typing.
//!
//! ```text
//! ┏ Command ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┓
//! ┃ : h100_                                             ┃
//! ┃ gpu        target: H100 PCIe 80 GB                  ┃
//! ┗ Enter runs, Tab completes, Esc closes ━━━━━━━━━━━━━━┛
//! ```

mod commands;
mod nouns;

use super::application::asking::{ask_part, set_host_factor};
use super::files::listing::{FileEntry, FolderListing};
use super::gpus::put_gpu;
use super::prompt::clocks::{set_source_clocks, set_target_clocks};
use super::prompt::{ask_rows_file, set_typed_block};
use super::typing_list::{TypedChoice, TypingList, TypingSheet};
use super::what_if::editing::{set_launch, set_numbers};
use crate::answer::Settings;
use crate::application::PartOfTrace;
use crate::gpu::GpuId;
use crate::rank::boards_named;
use crate::text::{first_names, harmless_line};
use crate::tui::action::Action;
use crate::tui::jobs::WorkerJob;
use crate::tui::look::Look;
use crate::tui::message::Effect;
use crate::tui::pane::{Hint, Panel, Reaction};
use crate::tui::state::{DashboardState, Tone};
use crate::tui::text::clipped_text;
use crate::tui::undo::remember;
use commands::{CommandLine, PaletteCommand, matching_commands, why_nothing_matches};
use nouns::{NOUNS, Noun};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::path::PathBuf;
use std::sync::Arc;
use tui_input::Input;

/// The open palette.
#[derive(Debug, Clone, Default)]
pub struct CommandPalette {
    choice: TypedChoice,
    /// The files of the folder that the program was started in.
    files: Vec<FileEntry>,
}

/// Opens the palette; the names of files come from the worker.
pub fn open_palette(state: &mut DashboardState) -> Vec<Effect> {
    state.open_overlay(CommandPalette::default());
    vec![Effect::List(PathBuf::from("."))]
}

impl CommandPalette {
    fn lines(&self, state: &DashboardState) -> Vec<CommandLine> {
        matching_commands(state, self.choice.input.value().trim_start(), &self.files)
    }

    /// Makes the chosen line what is typed.
    fn type_line(&mut self, text: String) -> Reaction {
        self.choice = TypedChoice { input: Input::new(text), cursor: 0 };
        Reaction::Done(Vec::new())
    }

    /// `GPU 1 of the trace`, `range step`; of a range whose name was typed in part, which was taken, and which others fit.
    fn chosen_part_words(&self, state: &DashboardState) -> String {
        let typed = self.choice.input.value().trim();
        let argument = typed.split_once(' ').map_or("", |(_, argument)| argument.trim());
        let mut lines = self.lines(state);
        let chosen = lines.remove(self.choice.cursor);
        let PaletteCommand::Part(PartOfTrace { range: Some(_), .. }) = chosen.command else {
            return chosen.text;
        };
        let is_whole = chosen.completed.eq_ignore_ascii_case(&format!("range {argument}"));
        if chosen.kind != "range" || is_whole || argument.is_empty() || self.choice.cursor > 0 {
            return chosen.completed;
        }
        let others: Vec<&str> =
            lines.iter().map(|line| line.completed.trim_start_matches("range ")).collect();
        let also =
            if others.is_empty() { String::new() } else { format!(" (also {})", first_names(&others, 3)) };
        format!("`{}`: {}{also}", harmless_line(argument), chosen.completed)
    }

    /// Enter.
    fn run_line(&mut self, state: &mut DashboardState) -> Reaction {
        let Some(line) = self.lines(state).into_iter().nth(self.choice.cursor) else {
            let text = why_nothing_matches(state, self.choice.input.value().trim_start());
            return Reaction::Done(state.say(Tone::Refused, text));
        };
        let word = self.choice.input.value().trim().rsplit(' ').next().unwrap_or_default().to_lowercase();
        let done = match line.command {
            PaletteCommand::Choose(gpu, _) => {
                let done = run_command(state, line.command);
                say_other_boards(state, gpu, &word);
                done
            }
            PaletteCommand::Part(part) => {
                let said = self.chosen_part_words(state);
                remember(state);
                Ok(ask_part(state, part, said))
            }
            PaletteCommand::Run(action) => return Reaction::Run(action),
            PaletteCommand::AllSources if !state.selection.all_sources => {
                return Reaction::Run(Action::AllSources);
            }
            PaletteCommand::AllSources => {
                Ok(state.say(Tone::Done, "every GPU that timed the kernel is a source already"))
            }
            PaletteCommand::Export(pane) => return Reaction::Export(pane),
            PaletteCommand::Complete(text) => return self.type_line(text),
            other => run_command(state, other),
        };
        done.map_or_else(|why| Reaction::Done(state.say(Tone::Refused, why)), Reaction::Close)
    }
}

/// Says which board was taken where what was typed is the beginning of several.
fn say_other_boards(state: &mut DashboardState, taken: GpuId, word: &str) {
    let gpus = &state.session.gpus;
    if gpus.id_named(word).is_some() {
        return;
    }
    let boards = boards_named(gpus, word);
    let others: Vec<&str> =
        boards.iter().filter(|board| **board != taken).map(|board| gpus[*board].id.as_str()).collect();
    if others.is_empty() || others.len() == boards.len() {
        return;
    }
    let text = format!("`{word}`: {} is set; also {}", gpus[taken].id, others.join(", "));
    state.say_more(Tone::Done, &text);
}

/// Does what a line says; of a change of the selected kernel or of its source says where it is seen, in a view that is about an application
/// or a mix.
///
/// # Errors
/// Why it cannot be done, and what was expected.
fn run_command(state: &mut DashboardState, command: PaletteCommand) -> Result<Vec<Effect>, String> {
    let is_of_kernel = matches!(
        command,
        PaletteCommand::Size(_)
            | PaletteCommand::Kernel(_)
            | PaletteCommand::Block(_)
            | PaletteCommand::SetLaunch(_)
    );
    let is_of_source = matches!(
        command,
        PaletteCommand::Choose(_, Action::SetSource) | PaletteCommand::ChooseByRule(_, Action::SetSource)
    );
    let effects = carry_out(state, command)?;
    if let Some(words) = state.source_words().filter(|_| is_of_source) {
        state.say(Tone::Done, words);
    }
    if is_of_kernel {
        state.say_unseen_kernel();
    }
    Ok(effects)
}

fn carry_out(state: &mut DashboardState, command: PaletteCommand) -> Result<Vec<Effect>, String> {
    match command {
        PaletteCommand::Choose(gpu, action) => put_gpu(state, gpu, action),
        PaletteCommand::ChooseByRule(name, action) => {
            let mut session = Arc::clone(&state.session);
            Arc::make_mut(&mut session).add_derived_gpus([name.as_str()]).map_err(|e| e.to_string())?;
            let gpu = session.gpus.position(&name).map_err(|e| e.to_string())?;
            state.take_more(session);
            put_gpu(state, gpu, action);
        }
        PaletteCommand::Kernel(kernel) => {
            let id = state.session.kernels[kernel].id.clone();
            state.row_filter.clear();
            state.workload.on_fold = false;
            state.select_kernel(&id, None);
            state.arrange();
        }
        PaletteCommand::Model(model) => {
            state.model_chosen = true;
            let settings = Settings { model, ..state.selection.settings };
            state.reselect_settings(settings);
            state.say(Tone::Done, state.model_words());
        }
        PaletteCommand::Size(text) => {
            let kernel = state.rows[state.selected].kernel;
            let problem = state.session.typed_size(kernel, &text).map_err(|e| e.to_string())?;
            return Ok(state.set_size(&problem));
        }
        PaletteCommand::TargetClocks(text) => return set_target_clocks(state, &text),
        PaletteCommand::SourceClocks(text) => return set_source_clocks(state, &text),
        PaletteCommand::SetNumbers(text) => return set_numbers(state, &text),
        PaletteCommand::SetLaunch(text) => return set_launch(state, &text),
        PaletteCommand::Read(name) => {
            state.jobs.start_job(WorkerJob::Read, format!("reading {name} …"));
            let session = state.session.clone();
            return Ok(vec![Effect::Import { session, path: name.into(), gpu: None }]);
        }
        PaletteCommand::Prices(path) => {
            state.jobs.start_job(WorkerJob::ReadSide, format!("reading {path} …"));
            let today = state.ranked.today.clone();
            return Ok(vec![Effect::ReadPrices(state.session.clone(), path.into(), today)]);
        }
        PaletteCommand::Mix(path) => {
            state.jobs.start_job(WorkerJob::ReadSide, format!("reading {path} …"));
            return Ok(vec![Effect::ReadMix(state.session.clone(), path.into())]);
        }
        PaletteCommand::ExportTyped => return ask_rows_file(state),
        PaletteCommand::Forget(place) => return Ok(state.drop_typed(place)),
        PaletteCommand::HostFactor(text) => {
            remember(state);
            set_host_factor(state, &text)?;
        }
        PaletteCommand::Block(text) => return set_typed_block(state, &text),
        PaletteCommand::Theme(place) => {
            state.themes.1 = place;
            state.remembered_theme = Some(state.theme().name.clone());
        }
        PaletteCommand::Run(_)
        | PaletteCommand::AllSources
        | PaletteCommand::Part(_)
        | PaletteCommand::Export(_)
        | PaletteCommand::Complete(_) => {}
    }
    Ok(Vec::new())
}

impl Panel<DashboardState> for CommandPalette {
    fn key_context(&self) -> &'static str {
        "palette"
    }

    fn handle_action(&mut self, action: Action, state: &mut DashboardState) -> Reaction {
        match action {
            Action::Pick => self.run_line(state),
            Action::Cancel => Reaction::Close(Vec::new()),
            Action::FocusNext => match self.lines(state).into_iter().nth(self.choice.cursor) {
                Some(line) => self.type_line(line.completed),
                None => Reaction::Done(Vec::new()),
            },
            other => self.move_by_action(other, state),
        }
    }

    fn draw_pane(&self, buffer: &mut Buffer, body: Rect, state: &DashboardState, look: Look<'_>) {
        let found = self.lines(state);
        let list = TypingList {
            title: "Command",
            foot: " Enter runs, Tab completes, Esc closes ",
            label: ": ",
            typed: self.choice.input.value(),
            count: found.len(),
            cursor: self.choice.cursor,
            remark: None,
        };
        let entry = |at: usize, width: usize| {
            let text = clipped_text(&found[at].text, width.saturating_sub(14));
            format!("{:<13} {text}", found[at].kind)
        };
        list.draw(buffer, body, 90, entry, look);
    }

    fn hints(&self, _: &DashboardState) -> Vec<Hint> {
        vec![Hint { actions: &[Action::Pick], text: "run" }]
    }

    fn scroll_lines(&mut self, by: isize, state: &mut DashboardState) {
        self.move_cursor(by, state);
    }
}

impl TypingSheet for CommandPalette {
    fn typed_choice(&mut self) -> &mut TypedChoice {
        &mut self.choice
    }

    fn typing_words(&self) -> Vec<String> {
        let first =
            "words of an action, or the name of a GPU, kernel or model; Tab completes the chosen line";
        std::iter::once(first.to_string()).chain(NOUNS.iter().map(Noun::form)).collect()
    }

    fn entry_count(&self, state: &DashboardState) -> usize {
        self.lines(state).len()
    }

    fn take_files(&mut self, listing: Option<&FolderListing>) {
        if let Some(listing) = listing {
            self.files.clone_from(&listing.entries);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Session;
    use crate::tui::{DashboardOptions, first_state};

    fn first(typed: &str) -> PaletteCommand {
        let state = first_state(Session::load(None).unwrap(), &DashboardOptions::default()).unwrap();
        matching_commands(&state, typed, &[]).swap_remove(0).command
    }

    #[test]
    fn a_gpu_named_by_rule_becomes_the_target() {
        let mut state = first_state(Session::load(None).unwrap(), &DashboardOptions::default()).unwrap();
        for (typed, id) in [
            ("target rtx-4090@150W", "rtx-4090@150W"),
            ("gpu h100-sxm5:mig-3g.40gb", "h100-sxm5:mig-3g.40gb"),
        ] {
            let line = matching_commands(&state, typed, &[]).swap_remove(0);
            assert!(matches!(line.command, PaletteCommand::ChooseByRule(..)), "{typed}: {}", line.text);
            run_command(&mut state, line.command).unwrap();
            assert_eq!(state.session.gpus[state.target()].id, id);
        }
        // A session that was loaded before it was named keeps it.
        state.take_session(Arc::new(Session::load(None).unwrap()));
        assert_eq!(state.session.gpus[state.target()].id, "h100-sxm5:mig-3g.40gb");
        let line = matching_commands(&state, "target rtx-4090@9kW", &[]).swap_remove(0);
        let why = run_command(&mut state, line.command).unwrap_err();
        assert!(why.contains("expected at least") && why.contains("at most 900 W"), "{why}");
        assert_eq!(state.session.gpus[state.target()].id, "h100-sxm5:mig-3g.40gb", "nothing was changed");
    }

    #[test]
    fn words_that_stand_there_go_before_scattered_letters() {
        assert_eq!(first("swap"), PaletteCommand::Run(Action::Swap));
        assert_eq!(first("copy com"), PaletteCommand::Run(Action::CopyCommand));
        assert_eq!(first("power"), PaletteCommand::Complete("power ".into()));
        assert_eq!(first("power 150W"), PaletteCommand::TargetClocks("power=150W".into()));
        assert_eq!(first("size 2^20"), PaletteCommand::Size("2^20".into()));
        assert!(matches!(first("titan-v"), PaletteCommand::Choose(_, Action::SetTarget)));
        assert!(matches!(first("from titan-v"), PaletteCommand::Choose(_, Action::SetSource)));
        assert_eq!(first("source all"), PaletteCommand::AllSources);
        assert!(matches!(first("saxpy"), PaletteCommand::Kernel(_)));
        assert!(matches!(first("model hybrid"), PaletteCommand::Model(_)));
        let state = first_state(Session::load(None).unwrap(), &DashboardOptions::default()).unwrap();
        assert!(matching_commands(&state, "zzzz", &[]).is_empty());
    }

    #[test]
    fn stock_takes_a_limit_off_and_all_sources_stay_all() {
        let mut state = first_state(Session::load(None).unwrap(), &DashboardOptions::default()).unwrap();
        let run = |state: &mut DashboardState, typed: &str| {
            let line = matching_commands(state, typed, &[]).swap_remove(0);
            run_command(state, line.command)
        };
        run(&mut state, "power 150W").unwrap();
        run(&mut state, "clocks sm=1200MHz").unwrap();
        assert_eq!(state.selection.tunings.values().next().unwrap().to_string(), "sm=1200MHz power=150W");
        run(&mut state, "power stock").unwrap();
        assert_eq!(state.selection.tunings.values().next().unwrap().to_string(), "sm=1200MHz");
        run(&mut state, "clocks stock").unwrap();
        assert!(state.selection.tunings.is_empty());
        assert!(run(&mut state, "power none").unwrap_err().contains("or `stock`"));
        for _ in 0..2 {
            let mut palette = CommandPalette::default();
            palette.type_line("source all".into());
            if let Reaction::Run(action) = palette.run_line(&mut state) {
                crate::tui::dispatch::run_action(&mut state, action);
            }
            assert!(state.selection.all_sources);
        }
    }

    #[test]
    fn digits_and_single_letters_name_no_gpu() {
        assert_eq!(first("x"), PaletteCommand::Run(Action::Swap));
        assert_eq!(first("u"), PaletteCommand::Run(Action::Undo));
        assert_eq!(first("block 128"), PaletteCommand::Block("128".into()));
        for typed in ["rtx4090", "4090", "rtx 40", "h100sxm", "titan v", "tesla v100"] {
            assert!(matches!(first(typed), PaletteCommand::Choose(_, Action::SetTarget)), "{typed}");
        }
        let mut state = first_state(Session::load(None).unwrap(), &DashboardOptions::default()).unwrap();
        for (typed, said) in [
            ("sm 0", "`set sm=VALUE`"),
            ("mi300x", "mi300x"),
            ("rtx-9999", "rtx-9999"),
            ("theme neon", "theme `neon`: expected one of dark, light"),
        ] {
            assert!(matching_commands(&state, typed, &[]).is_empty(), "{typed}");
            let why = why_nothing_matches(&state, typed);
            assert!(why.contains(said), "{typed}: {why}");
        }
        run_command(&mut state, first("theme light")).unwrap();
        assert_eq!(state.theme().name, "light");
        run_command(&mut state, first("block 128")).unwrap();
        assert_eq!(state.answer().needs.target.map(|needs| needs.threads), Some(128));
    }
}
