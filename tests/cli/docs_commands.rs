//! Every command of README and docs/ is run as it stands there, in a folder with a sample of each file that it names.
//!
//! A block is indented by four spaces or fenced; a fenced block of `text` behind it is the answer of its last command. In a block with a command of roofswap, each line is run by `sh`, or begins with
//! the name of another program ([`OTHERS`]) or is that program's answer. `probe` and `measure` find no GPU, the dashboard no
//! terminal, `reproduce` no files of the papers' authors, and they must say so; everything else must end with 0.

#![cfg(unix)]
#![allow(clippy::unwrap_used)] // helpers of tests are tests

use crate::docs_samples::put_samples;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// Programs that the documentation names and the tests do not run.
const OTHERS: [&str; 13] = [
    "brew",
    "cargo",
    "docker",
    "export",
    "git",
    "just",
    "maturin",
    "ncu",
    "nsys",
    "nvcc",
    "packaging/archive.sh",
    "pip",
    "python3",
];

/// What stands before a command in a workflow.
const STEP: &str = "- run: ";

/// What `reproduce` says that it looks for.
const PAPER_FILES: [&str; 3] =
    ["was not found below --data", "FOLDER: no such file", "cutlass_sgemm_rtx4070.csv: cannot be read"];

/// How a command must end.
#[derive(Debug, PartialEq, Eq, Clone, Copy)]
enum Ending {
    /// With 0.
    Works,
    /// The dashboard: there is no terminal.
    NoTerminal,
    /// `probe` and `measure`: there is no GPU.
    NoGpu,
    /// `reproduce`: the authors' files are not ours to ship.
    NoPaperFiles,
    /// Parquet and Arrow: the build has them not, or the sample is none.
    NoTable,
}

/// One command of a page.
#[derive(Debug)]
struct DocCommand {
    line: usize,
    text: String,
}

/// A block of code: its lines with their numbers, and the answer that the page shows below it.
#[derive(Debug, Default)]
struct CodeBlock<'p> {
    lines: Vec<(usize, &'p str)>,
    /// What stands in the fenced block of `text` behind it: all that its last command answers.
    shown: Option<Vec<&'p str>>,
}

/// What opens and closes a fenced block.
const FENCE: &str = "```";
/// What opens a fenced block with an answer.
const ANSWER: &str = "```text";

/// The blocks of code of a page.
fn code_blocks(page: &str) -> Vec<CodeBlock<'_>> {
    let mut blocks: Vec<CodeBlock<'_>> = Vec::new();
    let (mut fence, mut in_block) = (None, false);
    for (number, line) in page.lines().enumerate() {
        let code = match fence {
            Some(_) if line == FENCE => {
                fence = None;
                None
            }
            Some(ANSWER) => {
                let shown = blocks.last_mut().and_then(|block| block.shown.as_mut());
                shown.expect("a command stands above its answer").push(line);
                None
            }
            Some(_) => Some(line),
            None if line.starts_with(FENCE) => {
                fence = Some(line);
                if line == ANSWER {
                    blocks.last_mut().expect("a command stands above its answer").shown = Some(Vec::new());
                }
                None
            }
            None => line.strip_prefix("    "),
        };
        if let Some(text) = code {
            if !in_block {
                blocks.push(CodeBlock::default());
            }
            blocks.last_mut().unwrap().lines.push((number + 1, text));
        }
        in_block = code.is_some();
    }
    blocks
}

/// The first word of a command.
fn program(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or("")
}

/// Whether roofswap has a part in this line.
fn is_ours(text: &str) -> bool {
    text.split('|').any(|part| program(part.trim().trim_start_matches(STEP)) == "roofswap")
}

/// The commands of roofswap in a block; every other line of such a block belongs to a program that is known.
fn commands_of(page: &str, block: &CodeBlock<'_>) -> Vec<DocCommand> {
    let mut commands = Vec::new();
    if !block.lines.iter().any(|(_, text)| is_ours(text)) {
        return commands;
    }
    for (line, text) in &block.lines {
        let text = text.trim_start_matches(STEP);
        if is_ours(text) {
            commands.push(DocCommand { line: *line, text: text.to_string() });
        } else {
            let known =
                OTHERS.contains(&program(text)) || program(text).starts_with("nvrtc/") || text.is_empty();
            assert!(known, "{page}:{line}: neither a command of roofswap nor of a known program: {text}");
        }
    }
    commands
}

/// How this command must end on a machine without terminal and GPU.
fn ending(text: &str) -> Ending {
    let words: Vec<&str> = text.split('#').next().unwrap_or("").split_whitespace().collect();
    match words.get(1) {
        None => Ending::NoTerminal,
        Some(word) if *word != "--version" && word.starts_with('-') => Ending::NoTerminal,
        Some(&("probe" | "measure")) if !words.iter().any(|w| ["--dry-run", "--ncu"].contains(w)) => {
            Ending::NoGpu
        }
        Some(&"reproduce") => Ending::NoPaperFiles,
        _ if text.contains(".parquet") => Ending::NoTable,
        _ => Ending::Works,
    }
}

/// A user's home with a sample of every file.
struct Home(TempDir);

impl Home {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        put_samples(&home.path().join("desk"));
        for folder in ["bin", ".config/roofswap/kernels", ".config/roofswap/gpus"] {
            fs::create_dir_all(home.path().join(folder)).unwrap();
        }
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_roofswap"), home.path().join("bin/roofswap")).unwrap();
        Self(home)
    }

    /// Lets `sh` run a line.
    fn run(&self, line: &str) -> Output {
        let path = std::env::var("PATH").unwrap_or_default();
        Command::new("sh")
            .args(["-c", line])
            .current_dir(self.0.path().join("desk"))
            .stdin(Stdio::null())
            .env("PATH", format!("{}:{path}", self.0.path().join("bin").display()))
            .env("HOME", self.0.path())
            .env("GITHUB_STEP_SUMMARY", self.0.path().join("summary.md"))
            .env("CUDA_VISIBLE_DEVICES", "") // the same on a machine with a GPU
            .env_remove("XDG_CONFIG_HOME")
            .env_remove("XDG_CACHE_HOME")
            .env_remove("XDG_STATE_HOME")
            .output()
            .unwrap()
    }
}

/// Why a command did not end as it must.
fn failure(page: &str, command: &DocCommand, done: &Output) -> Option<String> {
    let (code, remarks) = (done.status.code(), String::from_utf8_lossy(&done.stderr));
    let ended = match ending(&command.text) {
        Ending::Works => code == Some(0),
        Ending::NoTerminal => code == Some(2) && remarks.contains("needs a terminal"),
        Ending::NoGpu => code == Some(1) && remarks.contains("no NVIDIA GPU can be used here"),
        Ending::NoTable => {
            let said = if cfg!(feature = "fleet") { "cut off or damaged" } else { "--features fleet" };
            code == Some(1) && remarks.contains(said)
        }
        Ending::NoPaperFiles => {
            matches!(code, Some(1 | 2)) && PAPER_FILES.iter().any(|f| remarks.contains(f))
        }
    };
    let DocCommand { line, text } = command;
    (!ended).then(|| format!("{page}:{line}: {text}\n    ended with {code:?}: {remarks}"))
}

/// Runs the commands of a block, one after the other: what did not end as it must, and what the last one answered.
fn run_block(page: &str, commands: &[DocCommand]) -> (Vec<String>, String) {
    let home = Home::new();
    let (mut failures, mut answer) = (Vec::new(), String::new());
    for command in commands {
        let done = home.run(&command.text);
        failures.extend(failure(page, command, &done));
        answer = String::from_utf8_lossy(&done.stdout).trim_end().to_string();
    }
    (failures, answer)
}

/// The commands of a page all end as they must, and answer what it shows; `ROOFSWAP_REDRAW=1` writes the answers anew.
#[track_caller]
fn commands_work(page: &str) {
    let path = Path::new(env!("ROOFSWAP_CHECKOUT")).join(page);
    let text = fs::read_to_string(&path).unwrap();
    let (mut failures, mut redrawn) = (Vec::new(), text.clone());
    for block in code_blocks(&text) {
        let commands = commands_of(page, &block);
        if commands.is_empty() {
            assert_eq!(block.shown, None, "{page}: an answer without a command of roofswap");
            continue;
        }
        let (failed, answer) = run_block(page, &commands);
        failures.extend(failed);
        if let Some(shown) = block.shown.map(|lines| lines.join("\n")).filter(|shown| *shown != answer) {
            let line = commands[commands.len() - 1].line;
            failures.push(format!("{page}:{line}: answers (ROOFSWAP_REDRAW=1 writes it there)\n{answer}"));
            let fenced = |text: &str| format!("{ANSWER}\n{text}\n{FENCE}");
            redrawn = redrawn.replacen(&fenced(&shown), &fenced(&answer), 1);
        }
    }
    if std::env::var_os("ROOFSWAP_REDRAW").is_some() {
        fs::write(path, redrawn).unwrap();
        return;
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// One test per page, so that they run side by side.
macro_rules! pages {
    ($($test:ident: $page:literal,)*) => {
        /// Every page with a command.
        const PAGES: &[&str] = &[$($page),*];
        $(#[test] fn $test() { commands_work($page); })*
    };
}

pages! {
    commands_of_the_readme: "README.md",
    commands_of_the_tour: "docs/tour.md",
    commands_of_my_kernel: "docs/my-kernel.md",
    commands_of_my_pytorch_model: "docs/my-pytorch-model.md",
    commands_of_which_gpu: "docs/which-gpu.md",
    commands_of_ready_for_new_gpu: "docs/ready-for-new-gpu.md",
    commands_of_agents: "docs/agents.md",
    commands_of_commands: "docs/commands.md",
    commands_of_tables: "docs/fleet.md",
    commands_of_gemm: "docs/gemm.md",
    commands_of_measure: "docs/measure.md",
    commands_of_the_wheel: "packaging/pypi/README.md",
}

/// The names of the pages of docs/.
fn book_pages() -> impl Iterator<Item = String> {
    let entries = fs::read_dir(Path::new(env!("ROOFSWAP_CHECKOUT")).join("docs")).unwrap();
    entries
        .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".md"))
}

#[test]
fn no_page_with_a_command_is_left_out() {
    let root = Path::new(env!("ROOFSWAP_CHECKOUT"));
    for name in book_pages().map(|name| format!("docs/{name}")) {
        let text = fs::read_to_string(root.join(&name)).unwrap();
        let has_command = code_blocks(&text).iter().flat_map(|b| &b.lines).any(|(_, line)| is_ours(line));
        assert_eq!(has_command, PAGES.contains(&&*name), "{name}");
    }
}

#[test]
fn the_book_has_every_page_and_no_link_leads_nowhere() {
    let docs = Path::new(env!("ROOFSWAP_CHECKOUT")).join("docs");
    let summary = fs::read_to_string(docs.join("SUMMARY.md")).unwrap();
    for name in book_pages() {
        assert!(
            name == "SUMMARY.md" || summary.contains(&format!("]({name})")),
            "docs/SUMMARY.md lacks {name}"
        );
        let text = fs::read_to_string(docs.join(&name)).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            if link.contains("://") {
                continue;
            }
            let target = if file.is_empty() { docs.join(&name) } else { docs.join(file) };
            let there = fs::read_to_string(&target).unwrap_or_else(|e| panic!("docs/{name}: {link}: {e}"));
            let heading = |line: &str| line.starts_with('#') && anchor_of(line) == anchor;
            assert!(anchor.is_empty() || there.lines().any(heading), "docs/{name}: no heading for {link}");
        }
    }
}

/// A heading's anchor, as GitHub and mdBook make it.
fn anchor_of(heading: &str) -> String {
    let title = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = title.chars().filter(|c| c.is_alphanumeric() || *c == ' ' || *c == '-' || *c == '_');
    kept.collect::<String>().replace(' ', "-")
}
