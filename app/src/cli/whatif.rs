//! `roofswap whatif --gpu GPU --set mem=+20% --kernel KERNEL`: what other numbers would do.

use super::changes::typed_changes;
use super::choices::ThemeChoice;
use super::clocks::ClockArgs;
use super::launch_edits::LaunchArgs;
use super::named_gpus::{
    compared_source, only_source, source_of_application, sources_named, sources_seen_from,
};
use super::numbers::gpu_number;
use super::question::{id_of_data_source, source_of_data};
use super::training::watched_as;
use super::typed_kernel::TypedKernelArgs;
use super::whatif_format::WhatIfFormat;
use super::workload::WorkloadArgs;
use super::{Usage, app, learning, load, output};
use crate::answer::Settings;
use crate::application::{ForecastSettings, PartOfTrace};
use crate::catalogue::user_path_text;
use crate::gpu::{GpuChanges, GpuId, GpuNumber};
use crate::kernel::listed_names;
use crate::pair::Pair;
use crate::progress::Progress;
use crate::rank::select_targets;
use crate::report::TableFormat;
use crate::session::{Session, Sources};
use crate::train::WantedLessons;
use crate::units::{Bytes, Seconds};
use crate::whatif::{
    AnswerStream, ApplicationPair, ApplicationTimes, GpuToSave, ManyWorkloads, NamedChanges, WhatIf,
    WhatIfAnswer, WhatIfParts, check_scenario_count, contour_chart, tornado_chart, whatif_records,
};
use crate::workload::Workload;
use anyhow::{Result, bail};
use clap::Args;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
#[command(
    after_help = "Example: roofswap whatif --gpu rtx-4070 --set mem=+20%,l2=72MiB --kernel saxpy --size 2^28 --tornado\n\
    Numbers: sms, sm (clock), mem (bandwidth), bus, data-rate, l2, l2-bw, smem, regs, warps, fp32-lanes, fp64-lanes, tensor, lsu, \
    launch, power, memory; values such as 600GB/s, +20%, x1.5"
)]
pub(super) struct WhatIfArgs {
    /// The GPU to change; several, or `all`, with --set: the time on each of them, or with --tornado: which numbers matter there
    #[arg(long, alias = "to", value_name = "GPU", value_delimiter = ',', required = true)]
    gpu: Vec<String>,
    /// Its changes, such as mem=+20%,l2=72MiB; given again, up to four scenarios side by side. Without it a clock or power limit is the
    /// change, beside it they are of the GPU that is changed
    #[arg(long, value_name = "CHANGES")]
    set: Vec<String>,
    /// Source GPU: whose time it is predicted from, as by `predict`, and the goal (default: the GPU itself); more GPUs behind it, or
    /// `all` that timed the kernel, are combined
    #[arg(long, value_name = "GPU", value_delimiter = ',')]
    from: Vec<String>,
    #[command(flatten)]
    workload: WorkloadArgs,
    /// A whole application: a profiler's trace, as `roofswap app` reads it
    #[arg(long, value_name = "FILE",
        conflicts_with_all = ["kernel", "mix", "variant", "size", "TypedKernelArgs", "launch", "model", "data"])]
    app: Option<PathBuf>,
    /// Only what was launched in this marked range of the trace, as `roofswap app --range` takes it
    #[arg(long, value_name = "NAME")]
    range: Option<String>,
    #[command(flatten)]
    clocks: ClockArgs,
    /// The model (default: components or hybrid, as `roofswap models` says)
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    #[command(flatten)]
    launch: LaunchArgs,
    /// What each number 20 % less and 20 % more would do
    #[arg(long)]
    tornado: bool,
    /// The value of this number that makes the goal
    #[arg(long, value_name = "NUMBER", value_parser = gpu_number)]
    solve: Option<GpuNumber>,
    /// The time to reach (default: that on the source: --from, the GPU of --app, else the GPU as it is)
    #[arg(long, value_name = "TIME", value_parser = super::numbers::launch_time)]
    goal: Option<Seconds>,
    /// Two numbers to draw the time over, with --svg
    #[arg(long, value_name = "NUMBER,NUMBER", value_delimiter = ',', value_parser = gpu_number)]
    contour: Vec<GpuNumber>,
    #[arg(long, value_name = "ID", help = format!(
        "Keep the changed GPU under this id in the GPU folder {}, for every command",
        user_path_text("gpus")
    ))]
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

/// A GPU and what is changed of it, once or several times beside each other.
struct ChangedBase {
    base: GpuId,
    changes: Vec<GpuChanges>,
}

pub(super) fn run_whatif(args: &WhatIfArgs) -> Result<()> {
    if !matches!(args.contour.len(), 0 | 2) {
        return Err(Usage("--contour: give two numbers, such as mem,l2".into()).into());
    }
    args.has_use_of_every_flag()?;
    let changes: Vec<GpuChanges> =
        args.set.iter().map(|text| typed_changes(text)).collect::<Result<_, _>>()?;
    check_scenario_count(changes.len()).map_err(|why| Usage(format!("--set: {why}")))?;
    let names = args.from.iter().chain(&args.gpu).map(String::as_str);
    let named = compared_source(&args.from)?;
    let mut session = load::session_naming(&args.data, names, only_source(&args.from))?;
    let bases = select_targets(&session.gpus, &args.gpu)?;
    let several_kernels =
        args.workload.kernel.as_deref().is_some_and(|typed| typed == "all" || listed_names(typed).len() > 1);
    if let [base] = bases[..] {
        changes.iter().try_for_each(|changes| changes.check_effect(&session.gpus[base]))?;
    }
    if args.save.is_some() && args.clocks.is_typed() {
        let text = "--save keeps what --set changes: give a power limit as --set power=150W, a clock as --set sm=1200MHz";
        return Err(Usage(text.into()).into());
    }
    let base = match bases[..] {
        [only] if !several_kernels => only,
        _ if args.app.is_some() => {
            return Err(Usage("--app: give one GPU with --gpu".into()).into());
        }
        _ => return run_many(args, &mut session, &bases, changes),
    };
    if let Some(file) = &args.app {
        return run_application(args, &mut session, base, changes, file);
    }
    let is_of_data = args.from.is_empty() && !args.data.is_empty() && !args.typed.is_typed();
    let of_data = is_of_data.then(|| id_of_data_source(&session, args.workload.kernel.as_deref()));
    let of_data = of_data.transpose()?.flatten();
    let named = named.or(of_data.as_deref());
    if named.is_none() {
        args.has_goal()?;
    }
    let from = named.unwrap_or(&args.gpu[0]);
    let (workload, source) = {
        let l2 = largest_l2(&session, &[base], &changes);
        args.workload.load(&mut session, &args.typed, Some(from), &[base], l2)?
    };
    let workload = args.launch.edited_workload(&session, workload)?;
    let source = source.filter(|_| named.is_some()).unwrap_or_else(|| workload.own_source(&session, base));
    let sources = sources_seen_from(&session, &args.from, source)?;
    let (ChangedBase { base, changes }, sources) =
        args.base_at_clocks(&mut session, base, changes, sources)?;
    let source = sources.seen_from().unwrap_or(source);
    let settings = settings(args, &session, std::slice::from_ref(&workload), &[base])?;
    let asked = WhatIf::with_sources(&session, &workload, Pair::new(source, base), sources, settings);
    answer_one(args, &session, base, asked, changes, &Progress::default())
}

/// The application of a trace, on one GPU.
fn run_application(
    args: &WhatIfArgs,
    session: &mut Session,
    base: GpuId,
    changes: Vec<GpuChanges>,
    file: &Path,
) -> Result<()> {
    let part = PartOfTrace { range: args.range.clone(), ..PartOfTrace::default() };
    let application = app::read(file, &part)?;
    let source = app::forecast_source(session, &application, source_of_application(&args.from)?)?;
    let sources = Sources::from_gpu(source);
    let (ChangedBase { base, changes }, sources) = args.base_at_clocks(session, base, changes, sources)?;
    let source = sources.seen_from().unwrap_or(source);
    let settings = ForecastSettings::default();
    let pair = ApplicationPair { session, application: &application, source, base, settings };
    let progress = Progress::default();
    let asked = watched_as("predicting", &progress, || {
        WhatIf::from_times(ApplicationTimes::new(&pair, &progress, 0))
    });
    answer_one(args, session, base, asked, changes, &progress)
}

/// What is asked of one workload on one GPU, its changes side by side.
fn answer_one(
    args: &WhatIfArgs,
    session: &Session,
    base: GpuId,
    mut asked: WhatIf<'_>,
    changes: Vec<GpuChanges>,
    progress: &Progress,
) -> Result<()> {
    let answers = watched_as("predicting", progress, || {
        let several = if changes.is_empty() { vec![GpuChanges::default()] } else { changes };
        let parts = args.parts();
        several.into_iter().map(|changes| asked.whole_answer(changes, &parts)).collect::<Result<Vec<_>, _>>()
    })?;
    if let Some(id) = &args.save {
        if answers.len() > 1 {
            return Err(Usage("--save keeps one GPU: give --set once".into()).into());
        }
        let to_save = GpuToSave::new(&session.gpus, &session.gpus[base], &answers[0].changes, id);
        let to_save = to_save.map_err(|why| Usage(format!("--save: {why}")))?;
        let path = to_save.write_to_user_folder().map_err(|why| Usage(format!("--save: {why}")))?;
        output::remark(to_save.said_of_file(&path));
    }
    if let Some(page) = &args.page {
        write_page(args, &mut asked, &answers, page)?;
    }
    args.write(&answers)?;
    if answers.iter().all(|answer| answer.time.is_none()) {
        bail!("nothing could be predicted: {}", answers[0].without_time());
    }
    Ok(())
}

/// The model that was named; else the default one, which is `hybrid` where it may learn from the user's rows.
fn settings(
    args: &WhatIfArgs,
    session: &Session,
    workloads: &[Workload],
    bases: &[GpuId],
) -> Result<Settings> {
    let parts = workloads.iter().flat_map(|workload| &workload.parts);
    let kernels = parts.map(|part| part.subject.kernel).collect();
    let wanted = WantedLessons { kernels: Some(kernels), targets: Some(bases.iter().copied().collect()) };
    let model = learning::taught_model(session, args.model.as_deref(), &wanted)?;
    Ok(Settings { model, ..Settings::default() })
}

/// The times of several kernels, or on several GPUs, or which numbers matter there: each GPU is written once it is found.
fn run_many(
    args: &WhatIfArgs,
    session: &mut Session,
    bases: &[GpuId],
    changes: Vec<GpuChanges>,
) -> Result<()> {
    let one_of_each = args.solve.is_some()
        || !args.contour.is_empty()
        || args.save.is_some()
        || args.svg.is_some()
        || args.page.is_some();
    if one_of_each || changes.len() > 1 {
        let text = "several GPUs or kernels: --solve, --contour, --svg, --page, --save and a second --set take one GPU and one kernel";
        return Err(Usage(text.into()).into());
    }
    let with_tornado = args.parts().tornado;
    if !with_tornado && changes.is_empty() && !args.clocks.is_typed() {
        let text = "several GPUs or kernels: give --set CHANGES for their times, or --tornado for the numbers that matter";
        return Err(Usage(text.into()).into());
    }
    let sources = match args.from.is_empty() {
        true => source_of_data(session, None).map(Sources::from_gpu),
        false => Some(sources_named(session, &args.from)?),
    };
    let workloads = workloads_asked(args, session, bases, &changes)?;
    let beside = sources.clone().unwrap_or_else(Sources::none);
    let (bases, beside) = args.bases_at_clocks(session, bases, changes, beside)?;
    let sources = sources.map(|_| beside);
    let places: Vec<GpuId> = bases.iter().map(|of| of.base).collect();
    let settings = settings(args, session, &workloads, &places)?;
    let changes = GpuChanges::default();
    let asked = ManyWorkloads { session, workloads: &workloads, sources, changes, with_tornado, settings };
    let (mut found, mut refused) = (0, Vec::new());
    output::streamed_answer(|out| {
        let mut json = matches!(args.format, WhatIfFormat::Json).then(AnswerStream::default);
        let mut csv = matches!(args.format, WhatIfFormat::Csv).then(Vec::new);
        for ChangedBase { base, changes } in bases {
            let changes = changes.into_iter().next().unwrap_or_default();
            let answers = match (ManyWorkloads { changes, ..asked.clone() }).answers_on(base) {
                Ok(answers) => answers,
                Err(why) => {
                    refused.push(why.to_string());
                    continue;
                }
            };
            found += answers.iter().filter(|answer| answer.time.is_some()).count();
            match (&mut json, &mut csv) {
                (Some(json), _) => json.write_answers(out, &answers)?,
                (None, Some(csv)) => csv.extend(answers),
                (None, None) => out.write_all(args.format.many_text(&answers, with_tornado).as_bytes())?,
            }
        }
        if let Some(answers) = csv {
            out.write_all(whatif_records(&answers).render(TableFormat::Csv).as_bytes())?;
        }
        json.map_or(Ok(()), |json| json.finish(out))
    })?;
    output::remarks(&refused, refused.len());
    if found == 0 {
        bail!("nothing could be predicted");
    }
    Ok(())
}

/// The largest L2 that changes give these GPUs; 0 where they change none.
fn largest_l2(session: &Session, bases: &[GpuId], changes: &[GpuChanges]) -> Bytes {
    let on = |base: &GpuId, changes: &GpuChanges| {
        changes.value_on(&session.gpus[*base], GpuNumber::L2Size).unwrap_or(0.0)
    };
    Bytes(bases.iter().flat_map(|base| changes.iter().map(move |c| on(base, c))).fold(0.0, f64::max))
}

/// The kernels that were named, each at a size too large for the L2 of every GPU involved; or the mix, or the one kernel.
fn workloads_asked(
    args: &WhatIfArgs,
    session: &mut Session,
    bases: &[GpuId],
    changes: &[GpuChanges],
) -> Result<Vec<Workload>> {
    let l2 = largest_l2(session, bases, changes);
    let names = match args.workload.kernel.as_deref() {
        Some("all") => session.kernels.entries().iter().map(|kernel| kernel.id.clone()).collect(),
        Some(typed) => listed_names(typed).into_iter().map(str::to_string).collect(),
        None => Vec::new(),
    };
    if names.len() < 2 {
        let from = compared_source(&args.from)?.unwrap_or(&session.gpus[bases[0]].id).to_string();
        let (workload, _) = args.workload.load(session, &args.typed, Some(&from), bases, l2)?;
        return Ok(vec![args.launch.edited_workload(session, workload)?]);
    }
    if args.workload.size.is_some() || args.workload.variant.is_some() {
        return Err(Usage("--size and --variant are those of one kernel: give one --kernel".into()).into());
    }
    let source = compared_source(&args.from)?.map_or(Ok(bases[0]), |name| session.gpus.position(name))?;
    let (mut all, mut without) = (Vec::new(), Vec::new());
    for name in &names {
        let kernel = session.find_kernel(name)?;
        let variant = session.default_variant(kernel);
        let size = session.streaming_size(kernel, &variant, source, bases, l2).problem;
        match session.subject(kernel, &size, &variant) {
            Ok(subject) => all.push(Workload::of_kernel(session, subject)),
            Err(why) => without.push(format!("{name} is left out: {why}")),
        }
    }
    output::remarks(&without, without.len());
    Ok(all)
}

impl WhatIfArgs {
    /// The one GPU that is changed, as [`WhatIfArgs::bases_at_clocks`].
    fn base_at_clocks(
        &self,
        session: &mut Session,
        base: GpuId,
        changes: Vec<GpuChanges>,
        sources: Sources,
    ) -> Result<(ChangedBase, Sources)> {
        let (mut all, sources) = self.bases_at_clocks(session, &[base], changes.clone(), sources)?;
        Ok((all.pop().unwrap_or(ChangedBase { base, changes }), sources))
    }

    /// The GPUs that are changed, each with its changes, and the sources. Clocks and limits that were typed are those of the GPUs that `--set`
    /// changes; without it they are the change, compared with the GPU as it is.
    fn bases_at_clocks(
        &self,
        session: &mut Session,
        bases: &[GpuId],
        changes: Vec<GpuChanges>,
        sources: Sources,
    ) -> Result<(Vec<ChangedBase>, Sources)> {
        // Without a source that somebody named, settings of a GPU by its name are of what is asked about.
        let is_named = !self.from.is_empty() || self.app.is_some();
        let beside = if is_named { sources.clone() } else { Sources::none() };
        let laid = self.clocks.laid(session, bases, &beside)?;
        let places = laid.sources.places(&session.gpus);
        let is_compared = self.clocks.is_typed() && changes.is_empty();
        let changed = |(place, named): (GpuId, GpuId)| {
            let set = is_compared.then(|| session.settings_as_changes(place, named, &places)).flatten();
            match set {
                Some(set) => ChangedBase { base: named, changes: vec![set] },
                None => ChangedBase { base: place, changes: changes.clone() },
            }
        };
        let all = laid.targets.into_iter().zip(laid.named).map(changed).collect();
        Ok((all, if is_named { laid.sources } else { sources }))
    }

    /// Refuses flags that would change nothing.
    fn has_use_of_every_flag(&self) -> Result<()> {
        let refuse = |text: &str| Err(Usage(text.into()).into());
        if self.range.is_some() && self.app.is_none() {
            return refuse("--range is of a trace: give --app FILE");
        }
        if self.goal.is_some() && self.solve.is_none() && self.contour.is_empty() {
            return refuse("--goal is the time that --solve or --contour is to reach: give --solve NUMBER");
        }
        if !self.contour.is_empty() && self.svg.is_none() && !matches!(self.format, WhatIfFormat::Json) {
            return refuse("--contour is drawn: give --svg FILE, or --format json for its numbers");
        }
        if self.from.is_empty() && self.app.is_none() && self.data.is_empty() {
            self.has_goal()?;
        }
        if matches!(self.contour[..], [across, up] if across == up) {
            return refuse("--contour: give two different numbers, such as mem,l2");
        }
        Ok(())
    }

    /// Refuses to seek the GPU's own time, where no source has one and nothing is changed.
    fn has_goal(&self) -> Result<()> {
        let changes_something = !self.set.is_empty() || self.launch.is_typed() || self.clocks.is_typed();
        if self.solve.is_some() && self.goal.is_none() && !changes_something {
            let text =
                "--solve: without --goal TIME the goal is the time on the source; give --goal, or --from GPU";
            return Err(Usage(text.into()).into());
        }
        Ok(())
    }

    /// What is asked beside the time.
    fn parts(&self) -> WhatIfParts {
        let contour = match self.contour[..] {
            [across, up] => Some([across, up]),
            _ => None,
        };
        // Programs get the tornado always: it costs less than starting them.
        let tornado = self.tornado || matches!(self.format, WhatIfFormat::Json);
        WhatIfParts { tornado, solve: self.solve, contour, goal: self.goal }
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
        let text = self.format.text(answers);
        output::answer(text.as_bytes())
    }
}

/// The base and every scenario side by side.
fn write_page(
    args: &WhatIfArgs,
    asked: &mut WhatIf<'_>,
    answers: &[WhatIfAnswer],
    path: &Path,
) -> Result<()> {
    let named = |answer: &WhatIfAnswer| NamedChanges {
        name: format!("◇ {}", answer.changes),
        changes: answer.changes.clone(),
    };
    let page = asked.scenario_page(&answers.iter().map(named).collect::<Vec<_>>())?;
    let text = page.text_for_file(path).map_err(|why| Usage(format!("{}: {why}", path.display())))?;
    output::is_no_input(path, args.data.iter().map(PathBuf::as_path))?;
    output::file(path, text.as_bytes())
}
