//! The program: the command line, and the dashboard when no command is given.

use std::process::ExitCode;

fn main() -> ExitCode {
    roofswap::cli::run(|_| {
        anyhow::bail!("the dashboard is not built yet; `roofswap --help` lists the commands")
    })
}
