//! `roofswap completions SHELL` and `roofswap man [COMMAND]`.

use super::{Cli, Usage, output};
use anyhow::{Context, Result};
use clap::{Args, CommandFactory};
use clap_complete::Shell;

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
}

pub(super) fn completions(args: &CompletionsArgs) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "roofswap", &mut script);
    output::answer(&script)
}

pub(super) fn man(args: &ManArgs) -> Result<()> {
    let mut program = Cli::command();
    program.build(); // gives commands their full names
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
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page).context("the manual page cannot be rendered")?;
    output::answer(&page)
}
