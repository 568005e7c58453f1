//! What can be typed after `:`: actions by their sentences, GPUs, kernels, models and views by name, and nouns with an
//! argument.

use super::super::files::listing::FileEntry;
use super::nouns::{NOUNS, Noun};
use crate::application::PartOfTrace;
use crate::gpu::{GpuId, GpuNumber, derived_gpu};
use crate::kernel::KernelId;
use crate::predict::{MODELS, ModelId};
use crate::text::{first_names, harmless_line};
use crate::tui::action::Action;
use crate::tui::filter::Filter;
use crate::tui::layout::Pane;
use crate::tui::state::DashboardState;
use crate::units::Seconds;
use crate::workload::NAMELESS;

/// What Enter does.
#[derive(Debug, Clone, PartialEq)]
pub enum PaletteCommand {
    /// Runs an action.
    Run(Action),
    /// Makes a GPU the source, the target or a further target, by the action that says which.
    Choose(GpuId, Action),
    /// The same of a GPU that is named by rule: `rtx-4090@150W`.
    ChooseByRule(String, Action),
    /// Predicts from every GPU that timed the kernel.
    AllSources,
    /// Selects a kernel.
    Kernel(KernelId),
    /// Predicts with a model.
    Model(ModelId),
    /// Sets the problem size of the selected kernel.
    Size(String),
    /// Sets clocks or the power limit of the target.
    TargetClocks(String),
    /// The same of the source.
    SourceClocks(String),
    /// Changes numbers of the target.
    SetNumbers(String),
    /// Changes the launch of the selected kernel.
    SetLaunch(String),
    /// Exports a pane's chart.
    Export(Pane),
    /// Writes the typed kernels as a measurement file.
    ExportTyped,
    /// Reads a file.
    Read(String),
    /// Reads prices by the hour.
    Prices(String),
    /// Ranks GPUs for a mix of kernels.
    Mix(String),
    /// Drops a typed kernel, by its place.
    Forget(usize),
    /// Shows another part of the trace.
    Part(PartOfTrace),
    /// Scales the application's time on the host.
    HostFactor(String),
    /// Gives the selected kernel these threads per block.
    Block(String),
    /// Switches to a theme, by its place.
    Theme(usize),
    /// Goes on typing from here.
    Complete(String),
}

/// A line of the palette.
#[derive(Debug, Clone, PartialEq)]
pub struct CommandLine {
    /// What it is called on the left: a key, or what kind of thing it is.
    pub kind: String,
    /// What it does.
    pub text: String,
    /// What Tab makes of the typed line.
    pub completed: String,
    /// What Enter does.
    pub command: PaletteCommand,
}

/// The charts that can be exported by name.
const CHARTS: [(&str, Pane); 7] = [
    ("roofline", Pane::Roofline),
    ("occupancy", Pane::Occupancy),
    ("predictions", Pane::Predictions),
    ("components", Pane::Explanation),
    ("board", Pane::Ranking),
    ("tornado", Pane::WhatIf),
    ("errors", Pane::Errors),
];

/// The lines that fit what is typed, the best first: words that stand there before scattered letters.
#[must_use]
pub fn matching_commands(state: &DashboardState, typed: &str, files: &[FileEntry]) -> Vec<CommandLine> {
    match noun_and_argument(typed) {
        Some((noun, rest)) => with_argument(state, noun, rest, files),
        None => {
            let mut lines = Filter::new(typed).ranked(everything(state, typed));
            // A letter alone is most likely the key of an action.
            if let Some(line) = action_of_key(state, typed).map(|action| action_line(state, action)) {
                lines.retain(|other| *other != line);
                lines.insert(0, line);
            }
            lines
        }
    }
}

/// The action of the key that this one letter is.
fn action_of_key(state: &DashboardState, typed: &str) -> Option<Action> {
    let mut letters = typed.chars();
    let (Some(_), None) = (letters.next(), letters.next()) else { return None };
    let bound = state.keymap.action(&[state.place(), "any"], typed)?;
    Action::from_id(bound)
}

fn action_line(state: &DashboardState, action: Action) -> CommandLine {
    let kind = state.keymap.key_of(action.id()).unwrap_or_default().to_string();
    let (text, completed) = (action.doc().to_string(), action.id().replace('_', " "));
    CommandLine { kind, text, completed, command: PaletteCommand::Run(action) }
}

/// Whether every word that is typed begins a part of the name, where separators do not count: `rtx40` of `rtx-4070`, `4090`, and no
/// `0` of `p100`. Letters scattered over a name, and digits in its middle, name no GPU.
fn names_gpu(typed: &str, names: &[String]) -> bool {
    let plain = |text: &str| -> Vec<(char, bool)> {
        let (mut all, mut before) = (Vec::new(), ' ');
        for c in text.chars().flat_map(char::to_lowercase) {
            let is_part = !before.is_alphanumeric() || before.is_ascii_digit() != c.is_ascii_digit();
            if c.is_alphanumeric() {
                all.push((c, is_part));
            }
            before = c;
        }
        all
    };
    let names: Vec<Vec<(char, bool)>> = names.iter().map(|name| plain(name)).collect();
    let begins = |word: &[(char, bool)], name: &[(char, bool)]| {
        let same = |part: &[(char, bool)]| part[0].1 && part.iter().zip(word).all(|(a, b)| a.0 == b.0);
        !word.is_empty() && name.windows(word.len()).any(same)
    };
    let is_one_digit = typed.trim().len() == 1 && typed.trim().starts_with(|c: char| c.is_ascii_digit());
    !is_one_digit
        && typed.split_whitespace().map(plain).all(|word| names.iter().any(|name| begins(&word, name)))
}

fn noun_and_argument(typed: &str) -> Option<(&'static Noun, &str)> {
    let (word, rest) = typed.split_once(char::is_whitespace)?;
    let noun = NOUNS.iter().find(|noun| noun.words.contains(&word.to_lowercase().as_str()))?;
    Some((noun, rest.trim()))
}

/// So many of what could stand behind a word are named where nothing fits.
const MOST_NAMED: usize = 5;

/// Why no line fits what is typed, and what would.
#[must_use]
pub fn why_nothing_matches(state: &DashboardState, typed: &str) -> String {
    let Some((noun, rest)) = noun_and_argument(typed) else {
        return why_no_word_matches(state, typed);
    };
    let word = noun.words[0];
    let unknown = match word {
        "gpu" | "source" | "add" => state.session.gpus.position(rest).err().map(|why| why.to_string()),
        "kernel" => state.session.kernels.position(rest).err().map(|why| why.to_string()),
        _ => None,
    };
    let choices = || {
        let lines = with_argument(state, noun, "", &[]);
        let behind = |line: &CommandLine| line.completed[word.len()..].trim().to_string();
        first_names(&lines.iter().map(behind).collect::<Vec<_>>(), MOST_NAMED)
    };
    let text = unknown.unwrap_or_else(|| match (choices(), word) {
        (none, "forget") if none.is_empty() => "no kernel was typed".into(),
        (none, _) if none.is_empty() => "no trace is loaded".into(),
        (some, _) => format!("{word} `{rest}`: expected one of {some}"),
    });
    harmless_line(&text)
}

/// Why nothing is called what is typed: how numbers of a GPU are set, which GPU was meant.
fn why_no_word_matches(state: &DashboardState, typed: &str) -> String {
    let first = typed.split_whitespace().next().unwrap_or_default();
    if GpuNumber::from_key(&first.to_lowercase()).is_some() {
        return harmless_line(&format!("`set {first}=VALUE` changes that number of the target"));
    }
    if let Some(why) = action_refusal(&first.to_lowercase()).filter(|_| typed.trim() != first) {
        return why;
    }
    let has = |is: fn(&char) -> bool| typed.chars().any(|c| is(&c));
    // `goal 50us` is none: its first word is no part of any name.
    let begins_name = |id: GpuId| names_gpu(first, std::slice::from_ref(&state.session.gpus[id].name));
    let is_of_gpu =
        first.contains(|c: char| c.is_ascii_digit()) || state.session.listed_gpus().any(begins_name);
    let is_like_gpu = has(char::is_ascii_digit) && has(char::is_ascii_alphabetic) && is_of_gpu;
    if let Some(why) = state.session.gpus.position(typed).err().filter(|_| is_like_gpu) {
        return harmless_line(&why.to_string());
    }
    let nearest = nearest_word(typed).map_or_else(String::new, |word| format!("; nearest: {word}"));
    format!("no such command, GPU, kernel or model{nearest}")
}

/// What a command is that takes nothing behind its word, or only some words.
fn action_refusal(first: &str) -> Option<String> {
    let named = Action::ALL.iter().filter(|action| action.id().split('_').next() == Some(first));
    let words: Vec<String> = named.map(|action| action.id().replace('_', " ")).collect();
    match &words[..] {
        [] => None,
        [word] if word == first => Some(format!("`{first}` takes nothing behind it: type {first} alone")),
        _ => Some(format!("{first}: expected one of {}", first_names(&words, MOST_NAMED))),
    }
}

/// The word with an argument that begins most like the first one typed: two letters at least.
fn nearest_word(typed: &str) -> Option<&'static str> {
    let first = typed.split_whitespace().next()?.to_lowercase();
    let alike = |word: &str| word.chars().zip(first.chars()).take_while(|(a, b)| a == b).count();
    let words = NOUNS.iter().flat_map(|noun| noun.words).copied();
    words.filter(|word| alike(word) >= 2).max_by_key(|word| alike(word))
}

/// A line with the texts it is found by.
type FoundLine = (CommandLine, Vec<String>);

/// Everything that can be said in a word.
fn everything<'a>(state: &'a DashboardState, typed: &'a str) -> impl Iterator<Item = FoundLine> + 'a {
    let actions = Action::ALL.iter().map(|action| {
        let line = action_line(state, *action);
        let texts = vec![line.completed.clone(), line.text.clone()];
        (line, texts)
    });
    let nouns = NOUNS.iter().map(|noun| {
        let completed = format!("{} ", noun.words[0]);
        let text = noun.form();
        let texts = noun.words.iter().map(ToString::to_string).chain([noun.about.to_string()]).collect();
        let command = PaletteCommand::Complete(completed.clone());
        (CommandLine { kind: "…".into(), text, completed, command }, texts)
    });
    let targets = gpus(state, "gpu", Action::SetTarget).filter(move |(_, names)| names_gpu(typed, names));
    nouns.chain(actions).chain(targets).chain(kernels(state)).chain(models())
}

fn gpus(state: &DashboardState, noun: &'static str, action: Action) -> impl Iterator<Item = FoundLine> {
    state.session.listed_gpus().map(move |id| {
        let gpu = &state.session.gpus[id];
        let completed = format!("{noun} {}", gpu.id);
        let text = match action {
            Action::SetSource => format!("source: {}", gpu.short_name()),
            Action::SetTarget => format!("target: {}", gpu.short_name()),
            _ => format!("add or drop target: {}", gpu.short_name()),
        };
        let texts = vec![gpu.id.clone(), gpu.name.clone()];
        (
            CommandLine { kind: noun.into(), text, completed, command: PaletteCommand::Choose(id, action) },
            texts,
        )
    })
}

fn all_sources_line() -> FoundLine {
    let text = "sources: every GPU that timed the kernel".to_string();
    let (completed, command) = ("source all".to_string(), PaletteCommand::AllSources);
    (CommandLine { kind: "source".into(), text, completed, command }, vec!["all".into()])
}

/// The GPUs that fit what is typed, and the one that it makes by rule.
fn gpu_lines(state: &DashboardState, typed: &str, noun: &'static str, action: Action) -> Vec<CommandLine> {
    let all = (action == Action::SetSource).then(all_sources_line);
    let mut lines = Filter::new(typed).ranked(gpus(state, noun, action).chain(all));
    if let Some(made) = derived_gpu(&state.session.gpus, typed) {
        let text = match made {
            Ok(gpu) => gpu.derived.as_ref().map_or_else(String::new, |by_rule| by_rule.description.clone()),
            Err(why) => why.to_string(),
        };
        let command = PaletteCommand::ChooseByRule(typed.to_string(), action);
        let completed = format!("{noun} {typed}");
        lines.insert(0, CommandLine { kind: noun.into(), text: harmless_line(&text), completed, command });
    }
    lines
}

fn kernels(state: &DashboardState) -> impl Iterator<Item = FoundLine> {
    state.session.kernels.with_ids().map(|(id, kernel)| {
        let (completed, text) = (format!("kernel {}", kernel.id), format!("kernel: {}", kernel.label()));
        let texts = vec![kernel.id.clone(), kernel.label().to_string()];
        (CommandLine { kind: "kernel".into(), text, completed, command: PaletteCommand::Kernel(id) }, texts)
    })
}

fn models() -> impl Iterator<Item = FoundLine> {
    MODELS.ids().map(|id| {
        let name = MODELS[id].id().to_string();
        let (completed, text) =
            (format!("model {name}"), format!("model: {name}, {}", MODELS[id].method_summary()));
        (
            CommandLine { kind: "model".into(), text, completed, command: PaletteCommand::Model(id) },
            vec![name],
        )
    })
}

/// The ranges of the trace that is shown: everything, the step that repeats, those that are marked, and what is typed.
fn range_lines(state: &DashboardState, typed: &str) -> Vec<CommandLine> {
    let Some(application) = &state.application.application else { return Vec::new() };
    let line = |text: String, word: &str, range: Option<String>| CommandLine {
        kind: "range".into(),
        text: harmless_line(&text),
        completed: format!("range {}", harmless_line(word)),
        command: PaletteCommand::Part(PartOfTrace { range, ..state.application.part.clone() }),
    };
    let time = |nanoseconds: f64| Seconds(nanoseconds * 1e-9);
    let step = application.step.as_ref().map(|step| {
        let text = format!("step: {} times, {} each", step.count, time(step.median));
        line(text, "step", Some("step".into()))
    });
    let marked = application.ranges.iter().map(|range| {
        let text = format!("{}: {} times, {} each", range.name, range.count, time(range.median as f64));
        line(text, &range.name, Some(range.name.clone()))
    });
    let known = [line("all of the trace".into(), "all", None)].into_iter().chain(step).chain(marked);
    let found = known.map(|line| {
        let texts = vec![line.completed.clone()];
        (line, texts)
    });
    let mut lines = Filter::new(typed).ranked(found);
    if typed.contains(':') {
        lines.push(line(typed.to_string(), typed, Some(typed.to_string())));
    }
    lines
}

/// The GPUs of the trace that is shown.
fn devices(state: &DashboardState) -> impl Iterator<Item = FoundLine> {
    let application = state.application.application.as_ref();
    application.into_iter().flat_map(|application| &application.devices).map(|device| {
        let part = PartOfTrace { device: Some(*device), ..state.application.part.clone() };
        let line = CommandLine {
            kind: "device".into(),
            text: format!("GPU {device} of the trace"),
            completed: format!("device {device}"),
            command: PaletteCommand::Part(part),
        };
        (line, vec![device.to_string()])
    })
}

/// The lines of a noun and what stands behind it.
fn with_argument(state: &DashboardState, noun: &Noun, rest: &str, files: &[FileEntry]) -> Vec<CommandLine> {
    let word = noun.words[0];
    let filter = Filter::new(rest);
    let as_typed = |command: PaletteCommand, about: String| {
        let text = if rest.is_empty() {
            format!("{about}, such as {}", noun.example)
        } else {
            format!("{about}: {rest}")
        };
        let command = if rest.is_empty() { PaletteCommand::Complete(format!("{word} ")) } else { command };
        vec![CommandLine { kind: word.into(), text, completed: format!("{word} {rest}"), command }]
    };
    let rest = rest.to_string();
    match word {
        "size" => as_typed(PaletteCommand::Size(rest), format!("size of {}", state.kernel().label())),
        "set" => as_typed(PaletteCommand::SetNumbers(rest), noun.about.into()),
        "launch" => as_typed(PaletteCommand::SetLaunch(rest), noun.about.into()),
        "power" => {
            let setting = beside_settings(state, state.target(), &format!("power={rest}"));
            as_typed(PaletteCommand::TargetClocks(setting), noun.about.into())
        }
        "clocks" => {
            let setting = beside_settings(state, state.target(), &rest);
            as_typed(PaletteCommand::TargetClocks(setting), noun.about.into())
        }
        "source-clocks" => {
            let setting = beside_settings(state, state.selection.source, &rest);
            as_typed(PaletteCommand::SourceClocks(setting), noun.about.into())
        }
        "kernel" => filter.ranked(kernels(state)),
        "gpu" => gpu_lines(state, &rest, word, Action::SetTarget),
        "source" => gpu_lines(state, &rest, word, Action::SetSource),
        "add" => gpu_lines(state, &rest, word, Action::AddTarget),
        "model" => filter.ranked(models()),
        "block" => {
            as_typed(PaletteCommand::Block(rest), format!("threads per block of {}", state.kernel().label()))
        }
        "theme" => filter.ranked(themes(state)),
        "host" => as_typed(PaletteCommand::HostFactor(rest), noun.about.into()),
        "range" => range_lines(state, &rest),
        "device" => filter.ranked(devices(state)),
        "export" => filter.ranked(exports()),
        "forget" => filter.ranked(typed_kernels(state)),
        "prices" => file_lines(noun, &rest, files, PaletteCommand::Prices),
        "mix" => file_lines(noun, &rest, files, PaletteCommand::Mix),
        _ => file_lines(noun, &rest, files, PaletteCommand::Read),
    }
}

/// The files of this folder that fit what is typed, then what is typed as a path.
fn file_lines(
    noun: &Noun,
    typed: &str,
    files: &[FileEntry],
    command: fn(String) -> PaletteCommand,
) -> Vec<CommandLine> {
    let line = |name: &str| CommandLine {
        kind: noun.words[0].into(),
        text: harmless_line(name),
        completed: format!("{} {name}", noun.words[0]),
        command: command(name.to_string()),
    };
    let listed = files.iter().filter(|entry| entry.is_file).map(|entry| entry.name.as_str());
    let mut lines = Filter::new(typed).ranked(listed.map(|name| (line(name), vec![name.to_string()])));
    if lines.is_empty() && !typed.is_empty() {
        lines.push(line(typed));
    }
    lines
}

/// What can be exported by name: charts, and the typed kernels.
fn exports() -> impl Iterator<Item = FoundLine> {
    let line = |name: &str, text: String, command: PaletteCommand| {
        let completed = format!("export {name}");
        (CommandLine { kind: "export".into(), text, completed, command }, vec![name.to_string()])
    };
    let charts = CHARTS.iter().map(move |(name, pane)| {
        line(name, format!("export the {name} as SVG"), PaletteCommand::Export(*pane))
    });
    let typed = line("typed", "export the typed kernels as CSV".into(), PaletteCommand::ExportTyped);
    charts.chain([typed])
}

/// The themes there are.
fn themes(state: &DashboardState) -> impl Iterator<Item = FoundLine> {
    state.themes.0.iter().enumerate().map(|(place, theme)| {
        let (name, command) = (theme.name.clone(), PaletteCommand::Theme(place));
        let completed = format!("theme {}", harmless_line(&name));
        let line = CommandLine { kind: "theme".into(), text: harmless_line(&name), completed, command };
        (line, vec![name])
    })
}

/// The kernels that were typed.
fn typed_kernels(state: &DashboardState) -> impl Iterator<Item = FoundLine> {
    state.typed.iter().enumerate().map(|(place, kernel)| {
        let text = harmless_line(&kernel.to_string());
        let line = CommandLine {
            kind: "forget".into(),
            completed: format!("forget {}", harmless_line(kernel.name.as_deref().unwrap_or(NAMELESS))),
            text: text.clone(),
            command: PaletteCommand::Forget(place),
        };
        (line, vec![text])
    })
}

/// What is typed of clocks or of the power limit, beside the settings of the other kind that this GPU has.
fn beside_settings(state: &DashboardState, gpu: GpuId, typed: &str) -> String {
    let set = state.selection.tunings.get(&state.existing_gpu(gpu)).map(ToString::to_string);
    let is_power = |part: &&str| part.starts_with("power=");
    let of_other = |part: &&str| is_power(part) != typed.split(' ').any(|part| is_power(&part));
    let kept = set.iter().flat_map(|set| set.split(' ').filter(of_other));
    std::iter::once(typed).chain(kept).collect::<Vec<&str>>().join(" ")
}
