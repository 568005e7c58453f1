//! Flags that put a question: from which GPU, to which, which kernel, at which size. `predict` and `export` share them.

use super::asked_config::AskedConfig;
use super::asked_subjects::{AskedSubjects, kernels_of_data, listed_names};
use super::changes::changed_gpus;
use super::choices::{CeilingsChoice, RulesChoice};
use super::clocks::ClockArgs;
use super::launch_edits::LaunchArgs;
use super::named_gpus::{one_of_each_name_first, only_source, sources_named, target_gpus};
use super::sass::TranslationFiles;
use super::typed_kernel::TypedKernelArgs;
use super::{Usage, learning, load, output, sass};
use crate::answer::{Answer, Settings};
use crate::gpu::{Ceilings, GpuId, lay_roof_set};
use crate::kernel::{KernelId, Problem};
use crate::predict::{HYBRID, MODELS, ModelId, ModelRates, Subject, UnknownModel, model_position};
use crate::session::{Session, Sources};
use crate::train::WantedLessons;
use anyhow::Result;
use clap::Args;
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A question as it is typed.
#[derive(Debug, Args)]
pub(super) struct QuestionArgs {
    /// Source GPU: where the kernel was timed; several, or `all` that timed it, are combined, `titan-v,all` as seen from the first. Without
    /// it that of --data, whose rows of several GPUs are combined; without a time each target is predicted from the kernel's counts
    #[arg(long, value_name = "GPU", value_delimiter = ',')]
    pub(super) from: Vec<String>,
    /// Target GPUs: where it might run; `all` for every other one, `h100` for each of its boards, `ada`, `<=300W` and the like
    #[arg(long, value_name = "GPU", value_delimiter = ',')]
    pub(super) to: Vec<String>,
    /// Kernels, or `all` (default: those of --data, else all)
    #[arg(long, value_name = "KERNEL")]
    kernel: Vec<String>,
    /// Sizes such as n=1048576, 2^20 or m=512,n=512,k=1k (default: the smallest one timed on the source, else the medium one of its file, which is said)
    #[arg(long, value_name = "KEY=N", allow_hyphen_values = true)]
    pub(super) size: Option<String>,
    /// Code variant of a measurement file
    #[arg(long)]
    pub(super) variant: Option<String>,
    /// Models, or `all`; `roofswap models` lists them
    #[arg(long, value_name = "MODEL", value_delimiter = ',')]
    pub(super) model: Vec<String>,
    /// Rates of the roofline models and of drawn roofs (default: peak); `components` and `hybrid` use sustained rates whatever is
    /// chosen
    #[arg(long, value_enum)]
    ceilings: Option<CeilingsChoice>,
    /// Occupancy arithmetic
    #[arg(long, value_enum, default_value = "exact")]
    rules: RulesChoice,
    #[command(flatten)]
    typed: TypedKernelArgs,
    #[command(flatten)]
    pub(super) clocks: ClockArgs,
    /// Change the targets, such as mem=+20%,l2=72MiB: hypothetical GPUs take their places
    #[arg(long, value_name = "CHANGES")]
    pub(super) set: Option<String>,
    #[command(flatten)]
    launch: LaunchArgs,
    /// Use a published set of measured rates: euro-par-2024 (paper 2's Table 1)
    #[arg(long, value_name = "SET")]
    roofs: Option<String>,
    /// Measurement files: the canonical CSV, or any format that `roofswap import` reads
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub(super) data: Vec<PathBuf>,
    /// Code of the kernel for the source (`cuobjdump -sass`, `nvdisasm`): with --sass-target, `projection` corrects its FLOPs
    #[arg(long, value_name = "FILE", requires = "sass_target")]
    sass_source: Option<PathBuf>,
    /// Code of the same kernel for the target
    #[arg(long, value_name = "FILE", requires = "sass_source")]
    sass_target: Option<PathBuf>,
    /// How many threads ran each basic block of --sass-source: `ncu --page source --csv`, or CSV with address and threads
    #[arg(long, value_name = "FILE", requires = "sass_source")]
    block_counts: Option<PathBuf>,
}

/// How many kernels a question may be about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KernelsAsked {
    /// Every configuration that files time.
    All,
    /// One, at one size: the one of the files where they time no other.
    One,
}

/// The same question, checked: every name looked up, every size complete.
#[derive(Debug)]
pub(super) struct CheckedQuestion {
    /// All that is loaded.
    pub(super) session: ManuallyDrop<Session>,
    /// Where the kernels were timed; `None` where no source is named, and each target is asked about by itself.
    pub(super) sources: Option<Sources>,
    /// The target GPUs' positions.
    pub(super) targets: Vec<GpuId>,
    /// Kernels at their sizes.
    pub(super) subjects: AskedSubjects,
    /// One set of settings per model.
    pub(super) settings: Vec<Settings>,
}

impl CheckedQuestion {
    /// Whose times this kernel is predicted from: the one GPU that was named, unless only others timed the kernel.
    pub(super) fn sources_of(&self, subject: &Subject, target: GpuId, settings: Settings) -> Sources {
        let own = || Sources::from_gpu(self.session.own_source(subject, target));
        let asked = self.sources.clone().unwrap_or_else(own);
        self.session.sources_asked(subject, &asked, settings.model)
    }

    /// The answer from these sources; `None` where there is no source but the target.
    pub(super) fn answer(&self, subject: &Subject, target: GpuId, settings: Settings) -> Option<Answer> {
        let sources = self.sources_of(subject, target, settings);
        let answer = self.session.answer_from(subject, &sources, target, settings)?;
        Some(if self.sources.is_none() { answer.without_source() } else { answer })
    }
}

impl QuestionArgs {
    /// The measurement files that were given.
    pub(super) fn data(&self) -> impl Iterator<Item = &Path> {
        self.data
            .iter()
            .chain(&self.sass_source)
            .chain(&self.sass_target)
            .chain(&self.block_counts)
            .map(PathBuf::as_path)
    }

    /// The same flags as the limits of an evaluation: sources, targets and kernels, all where none is named.
    pub(super) fn limits(&self) -> Result<[Vec<String>; 3]> {
        if self.size.is_some() || self.variant.is_some() {
            let text = "an evaluation takes every size and variant: leave --size and --variant out";
            return Err(Usage(text.into()).into());
        }
        let kernels = self.kernel.iter().flat_map(|typed| listed_names(typed)).map(str::to_string).collect();
        Ok([self.from.to_vec(), self.to.clone(), kernels])
    }

    /// Loads the session with the measurement files.
    pub(super) fn loaded_session(&self) -> Result<ManuallyDrop<Session>> {
        let names = self.from.iter().chain(&self.to).map(String::as_str);
        let mut session = load::session_naming(&self.data, names, only_source(&self.from))?;
        if let Some(set) = &self.roofs {
            session.edit(|w| lay_roof_set(set, &w.sources, Arc::make_mut(&mut w.gpus)))?;
        }
        Ok(session)
    }

    /// Loads the session and looks everything up.
    pub(super) fn checked_question(&self) -> Result<CheckedQuestion> {
        self.checked(KernelsAsked::All)
    }

    /// [`QuestionArgs::checked_question`] of a picture of one kernel.
    pub(super) fn checked_question_of_one(&self) -> Result<CheckedQuestion> {
        self.checked(KernelsAsked::One)
    }

    fn checked(&self, kernels: KernelsAsked) -> Result<CheckedQuestion> {
        // Typing slips are answered before files are read.
        size_is_read(self.size.as_deref())?;
        if self.to.is_empty() {
            let text =
                "no --to: give one GPU or several, for example --to rtx-4070,a100-pcie-40gb, or --to all";
            return Err(Usage(text.into()).into());
        }
        let settings = self.settings()?;
        let mut session = self.loaded_session()?;
        let typed = self.typed_subject(&mut session)?;
        let sources = self.sources(&session, typed.as_ref())?;
        let one = sources.as_ref().and_then(Sources::only);
        let mut stated = target_gpus(&session, &self.to, one)?;
        if kernels == KernelsAsked::One {
            stated = one_of_each_name_first(&session, &self.to, stated);
        }
        let changed = changed_gpus(&mut session, &stated, self.set.as_deref())?;
        let targets = if changed.is_empty() { stated } else { changed };
        if let (Some(Sources::These(some)), None) = (&sources, one) {
            for both in targets.iter().filter(|t| some.contains(t)) {
                let id = &session.gpus[*both].id;
                output::remark(format!("{id} is also a target: not used as its own source"));
            }
        }
        let beside = sources.clone().unwrap_or_else(Sources::none);
        let laid = self.clocks.laid(&mut session, &targets, &beside)?;
        let (targets, sources) = (laid.targets, sources.map(|_| laid.sources));
        let subjects = self.asked_subjects(&session, typed, sources.as_ref(), kernels)?;
        self.translate(&mut session, subjects.named())?;
        let settings = self.taught(&session, &subjects, &targets, settings)?;
        if self.ceilings.is_some() {
            let unused = |settings: &Settings| unused_ceilings(settings.model, settings.ceilings);
            settings.iter().find_map(unused).into_iter().for_each(output::remark);
        }
        Ok(CheckedQuestion { sources, targets, subjects, settings, session })
    }

    /// The GPUs of `--from`, each once; else that of the measurement files, where they time what is asked.
    fn sources(&self, session: &Session, typed: Option<&Subject>) -> Result<Option<Sources>> {
        if self.from.is_empty() {
            let source = self.source_of_data(session, typed)?;
            return Ok(source.map(|one| Sources::These(vec![one])));
        }
        sources_named(session, &self.from).map(Some)
    }

    /// The one GPU of the measurement files, or of their rows of the one kernel that is typed or named.
    fn source_of_data(&self, session: &Session, typed: Option<&Subject>) -> Result<Option<GpuId>> {
        let kernel = match (typed, &self.named_kernels()[..]) {
            (Some(typed), _) => Some(typed.kernel),
            (None, [one]) if *one != "all" => Some(session.find_kernel(one)?),
            _ => None,
        };
        Ok(source_of_data(session, kernel))
    }

    /// The kernel of the typed flags, put into the session; `None` where none was typed.
    fn typed_subject(&self, session: &mut Session) -> Result<Option<Subject>> {
        if !self.typed.is_typed() {
            return Ok(None);
        }
        let named = self.named_kernels();
        if let [name] = named[..]
            && self.typed.state_arithmetic(session, name)?
        {
            return Ok(None);
        }
        let (name, from) = match (&named[..], &self.from[..]) {
            (["all"] | [_, _, ..], _) => {
                return Err(
                    Usage("--time and its like are of one kernel: name one with --kernel".into()).into()
                );
            }
            (_, []) => (named.first().copied(), None),
            (_, [from]) if from != "all" => (named.first().copied(), Some(from.as_str())),
            _ => {
                let text = "a typed kernel starts from one GPU: give --from GPU, where its --time was measured, or leave --from out";
                return Err(Usage(text.into()).into());
            }
        };
        let known = name.map(|name| session.find_kernel(name)).transpose()?;
        let known = known.map(|at| &session.kernels[at]);
        let kernel = self.typed.kernel(known, from, self.size.as_deref())?;
        Ok(Some(kernel.load_into(session)?.subject))
    }

    /// A typed flag that changes times on GPUs, and that no other answer follows.
    pub(super) fn flag_of_times(&self) -> Option<&'static str> {
        let flags = [
            (self.ceilings.is_some(), "--ceilings"),
            (self.clocks.is_typed(), "--sm-clock, --mem-clock or --power-limit"),
            (self.set.is_some(), "--set"),
            (self.roofs.is_some(), "--roofs"),
            (self.sass_source.is_some(), "--sass-source"),
        ];
        flags.into_iter().find_map(|(is_typed, flag)| is_typed.then_some(flag))
    }

    pub(super) fn named_kernels(&self) -> Vec<&str> {
        self.kernel.iter().flat_map(|typed| listed_names(typed)).collect()
    }

    /// Lays what two listings say over the one kernel that is asked about.
    fn translate(&self, session: &mut Session, subjects: &[Subject]) -> Result<()> {
        let (Some(source), Some(target)) = (&self.sass_source, &self.sass_target) else { return Ok(()) };
        let files = TranslationFiles { source, target, block_counts: self.block_counts.as_deref() };
        let [subject] = subjects else {
            let text = "--sass-source and --sass-target are of one kernel: name it with --kernel";
            return Err(Usage(text.into()).into());
        };
        let kernel = &session.kernels[subject.kernel];
        let names: Vec<&str> = [&*kernel.symbol, &kernel.id, kernel.name(), kernel.label()]
            .into_iter()
            .filter(|n| !n.is_empty())
            .collect();
        let found = sass::translation_of(files, &names)?;
        session.translate(subject.kernel, found);
        Ok(())
    }

    /// The settings of each model asked for.
    pub(super) fn settings(&self) -> Result<Vec<Settings>> {
        let ceilings = self.ceilings.map_or_else(Ceilings::default, Into::into);
        let with = |model| Settings { model, ceilings, rules: self.rules.into() };
        Ok(models(&self.model)?.into_iter().map(with).collect())
    }

    /// Lets `hybrid` learn for this question where it may answer; it is the model of a question that names none, where it
    /// was measured to be better than `components` on GPUs and kernels left out.
    fn taught(
        &self,
        session: &Session,
        subjects: &AskedSubjects,
        targets: &[GpuId],
        settings: Vec<Settings>,
    ) -> Result<Vec<Settings>> {
        let is_default = self.model.is_empty();
        if !is_default && settings.iter().all(|s| MODELS[s.model].id() != HYBRID) {
            return Ok(settings);
        }
        let wanted = WantedLessons {
            kernels: Some(subjects.kernels(session)),
            targets: Some(targets.iter().copied().collect()),
        };
        learning::teach(session, &wanted)?;
        if !is_default {
            return Ok(settings);
        }
        let model = session.default_model_for(&wanted);
        Ok(settings.into_iter().map(|s| Settings { model, ..s }).collect())
    }

    /// The typed kernel; else the named ones; else, of measurement files, every configuration that they time.
    fn asked_subjects(
        &self,
        session: &Session,
        typed: Option<Subject>,
        sources: Option<&Sources>,
        kernels: KernelsAsked,
    ) -> Result<AskedSubjects> {
        let source = sources.and_then(Sources::seen_from);
        // A picture is of one point.
        let clocks_of = sources.and_then(Sources::only).filter(|_| kernels == KernelsAsked::All);
        let of_data = typed.is_none() && self.named_kernels().is_empty() && !self.data.is_empty();
        if of_data
            && self.size.is_none()
            && self.variant.is_none()
            && let Some(timed) = AskedSubjects::timed(session, &self.launch, clocks_of)?
            && (kernels == KernelsAsked::All || timed.len() == 1 || timed.kernels(session).len() > 1)
        {
            return Ok(timed);
        }
        let mut subjects = match typed {
            Some(subject) => vec![subject],
            None => self.subjects(session, source)?,
        };
        if let ([only], true, KernelsAsked::One) = (&subjects[..], of_data, kernels) {
            remark_on_drawn(session, only);
        }
        self.launch.edit_subjects(session, &mut subjects)?;
        Ok(AskedSubjects::Named(subjects))
    }

    /// A kernel that was named alone must fit size and variant; of several, those that do not fit are left out.
    fn subjects(&self, session: &Session, source: Option<GpuId>) -> Result<Vec<Subject>> {
        let named = self.named_kernels();
        if !named.is_empty() && named != ["all"] {
            let named: Vec<KernelId> =
                named.iter().map(|name| session.find_kernel(name)).collect::<Result<_, _>>()?;
            return output::keep_fitting(named.into_iter().map(|at| self.subject(session, at, source)));
        }
        let of_data = kernels_of_data(session);
        let is_asked = |at: &KernelId| !named.is_empty() || of_data.is_empty() || of_data.contains(at);
        let (mut fitting, mut refused) = (Vec::new(), Vec::new());
        for at in session.kernels.ids().filter(is_asked) {
            match self.subject(session, at, source) {
                Ok(subject) => fitting.push(subject),
                Err(why) => refused.push(why),
            }
        }
        let typed = match (&self.size, &self.variant) {
            (Some(_), Some(_)) => "--size or --variant",
            (None, Some(_)) => "--variant",
            _ => "--size",
        };
        if fitting.is_empty() {
            let text = refused.first().map_or_else(|| "there is no kernel".into(), ToString::to_string);
            return Err(Usage(format!("no kernel fits this {typed}; the first says: {text}")).into());
        }
        if !refused.is_empty() {
            let n = refused.len();
            output::remark(format!("{n} kernels left out, because {typed} does not fit them"));
        }
        Ok(fitting)
    }

    fn subject(&self, session: &Session, kernel: KernelId, source: Option<GpuId>) -> Result<Subject> {
        let asked = AskedConfig { size: self.size.as_deref(), variant: self.variant.as_deref(), source };
        let (subject, remarks) = asked.subject(session, kernel)?;
        // Of many kernels that nobody named, what stands in for what was not typed is not told of each.
        let named = self.named_kernels();
        if !named.is_empty() && named != ["all"] {
            remarks.into_iter().for_each(output::remark);
        }
        remark_on_launch(session, &subject);
        remark_on_clocks(session, &subject, source);
        Ok(subject)
    }
}

/// The one GPU that the user's rows were timed on, those of this kernel where one is named; `None` where there are no such rows, and where
/// several GPUs have some: their times are combined, as those of the shipped rows are.
pub(super) fn source_of_data(session: &Session, kernel: Option<KernelId>) -> Option<GpuId> {
    let gpus: Vec<GpuId> = session.own_gpus(kernel).into_iter().collect();
    if let [only] = gpus[..] { Some(only) } else { None }
}

/// The id of [`source_of_data`], of the kernel of this name where one is typed.
pub(super) fn id_of_data_source(session: &Session, kernel: Option<&str>) -> Result<Option<String>> {
    let kernel = kernel.map(|name| session.find_kernel(name)).transpose()?;
    Ok(source_of_data(session, kernel).map(|gpu| session.gpus[gpu].id.clone()))
}

/// Says which of a kernel's measured configurations a picture shows.
fn remark_on_drawn(session: &Session, subject: &Subject) {
    let configs = session.own_config_ids().count();
    if configs > 1 {
        let kernel = &session.kernels[subject.kernel];
        let (label, size, variant) =
            (kernel.label(), kernel.short_problem(&subject.problem), &subject.variant);
        let drawn = format!("{label} {size} {variant}");
        output::remark(format!(
            "--data has {configs} configurations of {label}: showing {}; --size and --variant name another",
            drawn.trim_end()
        ));
    }
}

/// Says which launch counts where rows of several fit the question.
fn remark_on_launch(session: &Session, subject: &Subject) {
    let launches =
        subject.config.map(|id| (session.store.config(id).launch, session.store.launches_beside(id)));
    let Some((Some(used), all)) = launches else { return };
    let kernel = &session.kernels[subject.kernel];
    let (label, size) = (kernel.label(), kernel.short_problem(&subject.problem));
    let why = "it was timed on most GPUs, and of several such launches it is the fastest";
    output::remark(format!("{label} {size} was timed in {} launches; {used} is used: {why}", all.len()));
}

/// Says that one row counts where the source was timed at several clocks.
fn remark_on_clocks(session: &Session, subject: &Subject, source: Option<GpuId>) {
    let Some((config, source)) = subject.config.zip(source) else { return };
    let clocks = session.own_clocks(config, source).0.len();
    if clocks > 1 {
        let kernel = &session.kernels[subject.kernel];
        let (label, size) = (kernel.label(), kernel.short_problem(&subject.problem));
        let gpu = &session.gpus[source].id;
        output::remark(format!(
            "{label} {size} was timed on {gpu} at {clocks} clocks; the row nearest to the clocks it is set to is used: \
             --sm-clock and --mem-clock set them, and without --kernel each row is predicted"
        ));
    }
}

/// The places of the models of these names, each once; the default one where none is named. `all` adds all the others.
pub(super) fn models(names: &[String]) -> Result<Vec<ModelId>, UnknownModel> {
    let mut all: Vec<ModelId> = Vec::new();
    for name in names {
        let named = if name == "all" { MODELS.ids().collect() } else { vec![model_position(name)?] };
        named.into_iter().for_each(|at| {
            if !all.contains(&at) {
                all.push(at)
            }
        });
    }
    Ok(if names.is_empty() { vec![ModelId::default()] } else { all })
}

/// What is said where `--ceilings` was typed and changes nothing in this model's times.
pub(super) fn unused_ceilings(model: ModelId, ceilings: Ceilings) -> Option<String> {
    let model = MODELS[model];
    if model.rates() == ModelRates::Chosen {
        return None;
    }
    let using = MODELS.iter().filter(|m| m.rates() == ModelRates::Chosen).map(|m| m.id());
    Some(format!(
        "--ceilings ignored: {} uses {}; it affects {}",
        model.id(),
        model.rates().words(ceilings),
        using.collect::<Vec<_>>().join(", ")
    ))
}

/// Refuses a size that no kernel could read.
pub(super) fn size_is_read(typed: Option<&str>) -> Result<()> {
    // A bare number can only be read together with a kernel, a word with its rows.
    let is_read_later = |text: &&str| Problem::parse_recorded(text).is_ok_and(|size| size.has_words());
    if let Some(text) = typed.filter(|text| text.contains('=') && !is_read_later(text)) {
        // Which keys may be 0 is the kernel's to say.
        Problem::typed(text, |_| true)?;
    }
    Ok(())
}
