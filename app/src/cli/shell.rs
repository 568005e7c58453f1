//! `roofswap completions SHELL` and `roofswap man [COMMAND]`.

use super::{Cli, Usage, load, output};
use crate::learn::learners::Table6Model;
use crate::predict::MODELS;
use crate::train::trainers;
use anyhow::{Context, Result};
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Arg, Args, Command, CommandFactory};
use clap_complete::Shell;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
#[command(
    after_help = "Example: roofswap completions bash > ~/.local/share/bash-completion/completions/roofswap"
)]
pub(super) struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

#[derive(Debug, Args)]
#[command(after_help = "Example: roofswap man predict | man -l -")]
pub(super) struct ManArgs {
    /// A command; without one, the page of the program
    command: Option<String>,
    /// Write the pages of the program and of all its commands into this folder
    #[arg(long, value_name = "FOLDER", conflicts_with = "command")]
    all: Option<PathBuf>,
}

pub(super) fn completions(args: &CompletionsArgs) -> Result<()> {
    let mut script = Vec::new();
    let mut program = with_known_names(Cli::command())?;
    clap_complete::generate(args.shell, &mut program, "roofswap", &mut script);
    output::answer(&script)
}

/// The commands with the names that their flags take: GPUs, kernels and models of what ships and of the user's folder, as they are
/// now.
fn with_known_names(program: Command) -> Result<Command> {
    let session = load::session(&[])?;
    let all = || std::iter::once("all".to_string());
    // The program ends when the script is written: nothing is lost by what clap wants to be static.
    let kept =
        |names: Vec<String>| -> Vec<&'static str> { names.into_iter().map(|name| &*name.leak()).collect() };
    let gpus: Vec<String> = all().chain(session.gpus.entries().iter().map(|gpu| gpu.id.clone())).collect();
    let kernels: Vec<String> = all().chain(session.kernels.entries().iter().map(|k| k.id.clone())).collect();
    let models: Vec<String> = all().chain(MODELS.iter().map(|model| model.id().to_string())).collect();
    let fitted = Table6Model::ALL.iter().map(|model| model.id().to_string());
    let evaluated: Vec<String> = models.iter().cloned().chain(fitted).collect();
    let trained: Vec<String> = trainers(0).iter().map(|trainer| trainer.id().to_string()).collect();
    let [gpus, kernels, models] = [gpus, kernels, models].map(kept);
    let [evaluated, trained] = [evaluated, trained].map(kept);
    let named = |command: &str, arg: Arg| {
        let value =
            arg.get_value_names().and_then(|names| names.first()).map(|name| name.as_str().to_string());
        let known = match value.as_deref() {
            Some("GPU") => &gpus,
            Some("KERNEL") => &kernels,
            Some("MODEL") if command == "evaluate" => &evaluated,
            Some("MODEL") if command == "train" => &trained,
            Some("MODEL") => &models,
            _ => return arg,
        };
        arg.value_parser(PossibleValuesParser::new(known.iter().map(|name| PossibleValue::new(*name))))
    };
    Ok(program.mut_subcommands(|command| {
        let name = command.get_name().to_string();
        command.mut_args(|arg| named(&name, arg))
    }))
}

pub(super) fn man(args: &ManArgs) -> Result<()> {
    let mut program = Cli::command();
    program.build(); // gives commands their full names
    if let Some(folder) = &args.all {
        return write_pages(&program, folder);
    }
    let command = match &args.command {
        None => program,
        Some(name) => match program.find_subcommand(name) {
            Some(found) => found.clone(),
            None => {
                let all: Vec<&str> = program.get_subcommands().map(clap::Command::get_name).collect();
                return Err(
                    Usage(format!("unknown command `{name}`; the commands are: {}", all.join(", "))).into()
                );
            }
        },
    };
    output::answer(manual_page(&command)?.as_bytes())
}

/// The page of a command in the language of troff, in ASCII: groff takes other bytes for Latin-1 unless it is told.
fn manual_page(command: &Command) -> Result<String> {
    let mut page = Vec::new();
    let man = clap_mangen::Man::new(command.clone());
    man.render(&mut page).context("the manual page cannot be rendered")?;
    let text = String::from_utf8(page).context("the manual page is no text")?;
    let escaped = |c: char| match c {
        c if c.is_ascii() => c.to_string(),
        c => format!("\\[u{:04X}]", u32::from(c)),
    };
    Ok(text.chars().map(escaped).collect())
}

/// The pages of the program and of its commands, as the program's page names them.
fn write_pages(program: &Command, folder: &Path) -> Result<()> {
    let cannot = |path: &Path| format!("{}: cannot be written", path.display());
    std::fs::create_dir_all(folder).with_context(|| cannot(folder))?;
    let commands = program.get_subcommands().filter(|command| command.get_name() != "help");
    for command in std::iter::once(program).chain(commands) {
        let name = command.get_display_name().unwrap_or(command.get_name());
        let path = folder.join(format!("{}.1", name.replace(' ', "-")));
        std::fs::write(&path, manual_page(command)?).with_context(|| cannot(&path))?;
    }
    Ok(())
}
