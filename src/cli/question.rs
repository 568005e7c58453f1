//! Flags that put a question: from which GPU, to which, which kernel, at which size. `predict` and `export` share them.

use super::choices::{CeilingsChoice, RulesChoice};
use super::{Usage, load, output};
use crate::evaluate::Settings;
use crate::kernel::Problem;
use crate::predict::{MODELS, Subject, model_position};
use crate::session::Session;
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;

/// A question as it is typed.
#[derive(Debug, Args)]
pub(super) struct QuestionArgs {
    /// Source GPU: where the kernel was timed
    #[arg(long, value_name = "GPU")]
    from: Option<String>,
    /// Target GPUs: where it might run; `all` for every other one
    #[arg(long, value_name = "GPU", value_delimiter = ',')]
    to: Vec<String>,
    /// Kernels, or `all`; all of them where none is given
    #[arg(long, value_name = "KERNEL", value_delimiter = ',')]
    kernel: Vec<String>,
    /// Sizes such as n=1048576, n=2^20 or m=512,n=512,k=1k; the kernel's smallest measured one where none is given
    #[arg(long, value_name = "KEY=N", allow_hyphen_values = true)]
    size: Option<String>,
    /// Code variant of a measurement file
    #[arg(long)]
    variant: Option<String>,
    /// Models, or `all`; `roofswap models` lists them
    #[arg(long, value_name = "MODEL", value_delimiter = ',')]
    model: Vec<String>,
    /// Ceilings of the roofline
    #[arg(long, value_enum, default_value = "peak")]
    ceilings: CeilingsChoice,
    /// Occupancy arithmetic
    #[arg(long, value_enum, default_value = "exact")]
    rules: RulesChoice,
    /// Measurement files (canonical CSV)
    #[arg(long, value_name = "FILE", num_args = 1..)]
    data: Vec<PathBuf>,
}

/// The same question, checked: every name looked up, every size complete.
#[derive(Debug)]
pub(super) struct Question {
    /// All that is loaded.
    pub(super) session: Session,
    /// The source GPU's position.
    pub(super) source: usize,
    /// The target GPUs' positions.
    pub(super) targets: Vec<usize>,
    /// Kernels at their sizes.
    pub(super) subjects: Vec<Subject>,
    /// One set of settings per model.
    pub(super) settings: Vec<Settings>,
}

impl QuestionArgs {
    /// Loads the session and looks everything up.
    pub(super) fn check(&self) -> Result<Question> {
        // Typing slips are answered before files are read.
        let size: Option<Problem> = self.size.as_deref().map(str::parse).transpose()?;
        let Some(from) = &self.from else {
            let text = "no --from: give the GPU the kernel was timed on, for example --from titan-v; `roofswap gpus` lists them";
            return Err(Usage(text.into()).into());
        };
        if self.to.is_empty() {
            let text =
                "no --to: give one GPU or several, for example --to rtx-4070,a100-pcie-40gb, or --to all";
            return Err(Usage(text.into()).into());
        }
        let settings = self.settings()?;
        let session = load::session(&self.data)?;
        let source = session.gpus.position(from)?;
        let targets = gpus(&session, &self.to, Some(source))?;
        let subjects = self.subjects(&session, size.as_ref())?;
        Ok(Question { source, targets, subjects, settings, session })
    }

    fn settings(&self) -> Result<Vec<Settings>> {
        let models = match &self.model[..] {
            [] => vec![0],
            [all] if all == "all" => (0..MODELS.len()).collect(),
            some => some.iter().map(|id| model_position(id)).collect::<Result<_, _>>()?,
        };
        let with = |model| Settings { model, ceilings: self.ceilings.into(), rules: self.rules.into() };
        Ok(models.into_iter().map(with).collect())
    }

    /// A kernel that was named must fit the size; of all kernels, those that do not fit it are left out.
    fn subjects(&self, session: &Session, size: Option<&Problem>) -> Result<Vec<Subject>> {
        let subject = |at: usize| {
            let size = size.cloned().unwrap_or_else(|| session.default_size(at, None));
            session.subject(at, &size, &self.variant_of(session, at))
        };
        let named: &[String] = if self.kernel == ["all"] { &[] } else { &self.kernel };
        if !named.is_empty() {
            let one = |name: &String| Ok(subject(session.kernels.position(name)?)?);
            return named.iter().map(one).collect();
        }
        let mut fitting = Vec::new();
        let mut refused = Vec::new();
        for at in 0..session.kernels.entries().len() {
            match subject(at) {
                Ok(subject) => fitting.push(subject),
                Err(why) => refused.push(why),
            }
        }
        if fitting.is_empty() {
            let text = refused.first().map_or_else(|| "there is no kernel".into(), ToString::to_string);
            return Err(Usage(format!("no kernel fits this --size; the first says: {text}")).into());
        }
        if !refused.is_empty() {
            output::remark(format!("{} kernels left out, because --size does not fit them", refused.len()));
        }
        Ok(fitting)
    }

    /// The variant asked for, else the plain one, else the first that was timed.
    fn variant_of(&self, session: &Session, kernel: usize) -> String {
        let timed = || session.store.of_kernel(kernel).iter().map(|c| &*session.store.config(*c).variant);
        match &self.variant {
            Some(typed) => typed.clone(),
            None if timed().any(str::is_empty) => String::new(),
            None => timed().next().unwrap_or_default().to_string(),
        }
    }
}

/// Positions of the GPUs of these names; `all` means every one but `except`.
pub(super) fn gpus(session: &Session, names: &[String], except: Option<usize>) -> Result<Vec<usize>> {
    if matches!(names, [all] if all == "all") {
        return Ok((0..session.gpus.entries().len()).filter(|g| Some(*g) != except).collect());
    }
    Ok(names.iter().map(|name| session.gpus.position(name)).collect::<Result<_, _>>()?)
}
