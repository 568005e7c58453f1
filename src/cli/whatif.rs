//! `roofswap whatif --gpu GPU --set mem=+20% --kernel KERNEL`: what other numbers would do.

use super::choices::ThemeChoice;
use super::terminal::screen_width;
use super::training::watched_as;
use super::typed_kernel::TypedKernelArgs;
use super::workload::WorkloadArgs;
use super::{Usage, load, output};
use crate::config::{user_folder, write_whole};
use crate::gpu::{GpuChanges, GpuNumber, hypothetical_text};
use crate::progress::Progress;
use crate::report::TableFormat;
use crate::units::Seconds;
use crate::whatif::{
    Scenario, ScenarioPage, WhatIf, WhatIfAnswer, contour_chart, scenario_html, scenario_markdown,
    tornado_chart, whatif_json, whatif_table,
};
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
#[command(
    after_help = "Example: roofswap whatif --gpu rtx-4070 --set mem=+20%,l2=72MiB --kernel saxpy --size 2^28 --tornado\n\
    Numbers: sms, sm (clock), mem (bandwidth), bus, data-rate, l2, l2-bw, smem, regs, warps, fp32-lanes, fp64-lanes, tensor, lsu, \
    launch, power, memory; values such as 600GB/s, +20%, x1.5"
)]
pub(super) struct WhatIfArgs {
    /// The GPU to change
    #[arg(long, value_name = "GPU")]
    gpu: String,
    /// Its changes, such as mem=+20%,l2=72MiB; given again, scenarios side by side
    #[arg(long, value_name = "CHANGES")]
    set: Vec<String>,
    /// Source GPU: where it was timed, and whose time is the goal; the GPU itself if not said
    #[arg(long, value_name = "GPU")]
    from: Option<String>,
    #[command(flatten)]
    workload: WorkloadArgs,
    /// What each number 20 % less and 20 % more would do
    #[arg(long)]
    tornado: bool,
    /// The value of this number that makes the goal
    #[arg(long, value_name = "NUMBER", value_parser = number)]
    solve: Option<GpuNumber>,
    /// The time to reach; the source's if not said
    #[arg(long, value_name = "TIME", value_parser = super::numbers::launch_time)]
    goal: Option<Seconds>,
    /// Two numbers to draw the time over, with --svg
    #[arg(long, value_name = "NUMBER,NUMBER", value_delimiter = ',', value_parser = number)]
    contour: Vec<GpuNumber>,
    /// Keep the changed GPU under this id in the gpus folder of the configuration: every command knows it then
    #[arg(long, value_name = "ID")]
    save: Option<String>,
    #[command(flatten)]
    typed: TypedKernelArgs,
    /// Measurement files
    #[arg(long, value_name = "FILE", num_args = 1..)]
    data: Vec<PathBuf>,
    /// How to write it
    #[arg(long, value_enum, default_value = "table")]
    format: WhatIfFormat,
    /// Draw the tornado, or the contour, into this SVG file as well; `-` for stdout, without the table
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write the scenarios side by side as a page: .html with the charts in it, or .md
    #[arg(long, value_name = "FILE")]
    page: Option<PathBuf>,
    /// Colours of the picture
    #[arg(long, value_enum, default_value = "light")]
    theme: ThemeChoice,
}

/// `--format`.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum WhatIfFormat {
    /// Aligned columns
    Table,
    /// One object
    Json,
    /// A pipe table
    Markdown,
}

fn number(text: &str) -> Result<GpuNumber, String> {
    let all = || GpuNumber::ALL.map(GpuNumber::key).join(", ");
    GpuNumber::from_key(text).ok_or_else(|| format!("expected one of {}", all()))
}

pub(super) fn run_whatif(args: &WhatIfArgs) -> Result<()> {
    if !matches!(args.contour.len(), 0 | 2) {
        return Err(Usage("--contour: give two numbers, such as mem,l2".into()).into());
    }
    let changes: Vec<GpuChanges> = args.set.iter().map(|text| text.parse()).collect::<Result<_, _>>()?;
    let mut session = load::session(&args.data)?;
    let base = session.gpus.position(&args.gpu)?;
    let from = args.from.as_deref().unwrap_or(&args.gpu);
    let (workload, source) = args.workload.load(&mut session, &args.typed, Some(from), &[base])?;
    let mut asked = WhatIf::new(&session, &workload, source, base);
    let progress = Progress::default();
    let answers = watched_as("predicting", &progress, || {
        let several = if changes.is_empty() { vec![GpuChanges::default()] } else { changes.clone() };
        several
            .into_iter()
            .map(|one| args.answer(&mut asked, &workload.name, one))
            .collect::<Result<Vec<_>>>()
    })?;
    if let Some(id) = &args.save {
        save(id, &session.gpus[base].id, session.gpus[base].short_name(), &answers[0].changes)?;
    }
    if let Some(page) = &args.page {
        write_page(args, &mut asked, &workload.name, &answers, page)?;
    }
    args.write(&answers)?;
    if answers.iter().all(|answer| answer.time.is_none()) {
        bail!(
            "nothing could be predicted: {} cannot run there, or nothing is known of its work",
            workload.name
        );
    }
    Ok(())
}

impl WhatIfArgs {
    fn answer(&self, asked: &mut WhatIf<'_>, workload: &str, changes: GpuChanges) -> Result<WhatIfAnswer> {
        let time = asked.time(&changes)?;
        // Programs get it always: it costs less than starting them.
        let wants_tornado = self.tornado || self.page.is_some() || matches!(self.format, WhatIfFormat::Json);
        let tornado = if wants_tornado { asked.tornado(&changes)? } else { Vec::new() };
        let solution = self.solve.map(|number| asked.solve(&changes, number, self.goal)).transpose()?;
        let contour = match self.contour[..] {
            [across, up] => Some(asked.contour(&changes, [across, up], 25, self.goal)?),
            _ => None,
        };
        Ok(WhatIfAnswer {
            workload: workload.to_string(),
            base: asked.base().id.clone(),
            base_name: asked.base().short_name().to_string(),
            time,
            interval: time.and_then(|time| asked.interval(time)),
            base_time: asked.base_time(),
            changes,
            tornado,
            solution,
            contour,
        })
    }

    fn write(&self, answers: &[WhatIfAnswer]) -> Result<()> {
        if let (Some(path), Some(answer)) = (&self.svg, answers.first()) {
            let chart = match &answer.contour {
                Some(contour) => contour_chart(answer, contour),
                None if answer.tornado.is_empty() => {
                    let text = "--svg draws a tornado or a contour: give --tornado, or --contour mem,l2";
                    return Err(Usage(text.into()).into());
                }
                None => tornado_chart(answer),
            };
            output::picture(&chart, self.theme.into(), path, self.data.iter().map(PathBuf::as_path))?;
            if output::is_stdout(path) {
                return Ok(());
            }
        }
        let mut text = String::new();
        for answer in answers {
            match self.format {
                WhatIfFormat::Json => text.push_str(&whatif_json(answer)),
                WhatIfFormat::Table => {
                    let table = whatif_table(answer);
                    let fitted =
                        screen_width().map_or(table.clone(), |width| table.fitted(width, &["effect"]));
                    text.push_str(&fitted.render(TableFormat::Table));
                }
                WhatIfFormat::Markdown => text.push_str(&whatif_table(answer).render(TableFormat::Markdown)),
            }
        }
        output::answer(text.as_bytes())
    }
}

/// The base and every scenario side by side.
fn write_page(
    args: &WhatIfArgs,
    asked: &mut WhatIf<'_>,
    workload: &str,
    answers: &[WhatIfAnswer],
    path: &Path,
) -> Result<()> {
    let base = args.answer(asked, workload, GpuChanges::default())?;
    let mut scenarios = vec![Scenario { name: base.base_name.clone(), answer: base }];
    let named = answers.iter().filter(|a| !a.changes.is_empty());
    scenarios.extend(named.map(|a| Scenario { name: format!("◇ {}", a.changes), answer: a.clone() }));
    let page = ScenarioPage { title: format!("What if: {workload}"), scenarios };
    let end = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    let text = match end.as_str() {
        "html" | "htm" => scenario_html(&page)?,
        "md" | "markdown" => scenario_markdown(&page),
        _ => {
            let text = format!("{}: a page is written as .html or .md", path.display());
            return Err(Usage(text).into());
        }
    };
    output::is_no_input(path, args.data.iter().map(PathBuf::as_path))?;
    output::file(path, text.as_bytes())
}

/// Writes the changed GPU where every command finds it; never over another file.
fn save(id: &str, base: &str, name: &str, changes: &GpuChanges) -> Result<()> {
    if changes.is_empty() {
        return Err(Usage("--save: nothing is changed; give --set".into()).into());
    }
    let is_id =
        id.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-') && id.len() <= 40;
    if !is_id || !id.contains(|c: char| c.is_ascii_alphanumeric()) {
        return Err(Usage(format!("--save {id}: expected lower-case letters, digits and `-`")).into());
    }
    let folder = user_folder().context("there is no configuration folder to keep it in")?.join("gpus");
    let path = folder.join(format!("{id}.toml"));
    if path.exists() {
        return Err(Usage(format!("{} exists; give another id, or remove it", path.display())).into());
    }
    std::fs::create_dir_all(&folder).with_context(|| format!("{}: cannot be made", folder.display()))?;
    let text = hypothetical_text(id, &format!("{name}, {changes}"), base, changes);
    write_whole(&path, text.as_bytes()).with_context(|| format!("{}: was not written", path.display()))?;
    output::remark(format!("{}: `{id}` can be used in every command", path.display()));
    Ok(())
}
