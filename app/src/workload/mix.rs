//! A mix file: kernels of a run with how often each is launched, or with their shares of the run's time.
//!
//! ```toml
//! name = "training step"
//!
//! [[kernel]]
//! kernel = "saxpy"      # of the catalogue or of --data
//! size = "n=2^24"       # default: the one it is shown at
//! calls = 120           # launches in a run; or: share = 0.4, of the run's time on the source
//!
//! [[kernel]]
//! typed = "4.2ms on 3090, 256 thr, 17.2 GFLOP, 50MB dram"
//! calls = 2
//! ```

use super::kernel_line::KernelLine;
use super::parts::{RunAmount, Workload, WorkloadPart, part_label};
use super::typed_kernel::{TypedKernel, TypedKernelError};
use crate::catalogue::Spanned;
use crate::catalogue::{FileError, NameError, SpecFile, limited_text, read_limited};
use crate::kernel::ProblemError;
use crate::predict::Subject;
use crate::session::{Session, SubjectError};
use serde::Deserialize;
use std::path::Path;

/// Shares without the time of a run are of a second.
const RUN_SECONDS: f64 = 1.0;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TypedMix {
    #[serde(default)]
    name: String,
    /// Time of a run on the source in milliseconds, where kernels are shares of it.
    run_ms: Option<Spanned<f64>>,
    #[serde(rename = "kernel")]
    kernels: Vec<TypedPart>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TypedPart {
    kernel: Option<Spanned<String>>,
    typed: Option<Spanned<String>>,
    size: Option<Spanned<String>>,
    variant: Option<String>,
    calls: Option<Spanned<f64>>,
    #[serde(alias = "weight")]
    share: Option<Spanned<f64>>,
}

/// A mix file, read; its kernels are looked up by [`MixFile::load_into`].
#[derive(Debug)]
pub struct MixFile {
    file: String,
    text: String,
    typed: TypedMix,
}

/// Why a mix was refused.
#[derive(Debug, thiserror::Error)]
pub enum MixError {
    /// The file, with its line.
    #[error(transparent)]
    File(#[from] FileError),
    /// A kernel that is not known.
    #[error("{file}:{line}: {error}")]
    Name {
        /// The file.
        file: String,
        /// The first is 1.
        line: usize,
        /// Which there are.
        error: NameError,
    },
}

/// That a file is nothing like a mix.
fn no_mix(file: &str, text: &str) -> FileError {
    let what = if text.trim().is_empty() { "is empty" } else { "is no mix of kernels" };
    let message = format!(
        "{what}; expected TOML with a [[kernel]] for each: kernel = \"saxpy\", size = \"n=2^24\", calls = 120"
    );
    FileError { file: file.into(), line: None, message }
}

impl MixFile {
    /// Reads a mix file; `-` is standard input.
    ///
    /// # Errors
    /// [`MixError`] with file, line and what was expected.
    pub fn read(path: &Path) -> Result<Self, MixError> {
        if path.as_os_str() == "-" {
            let file = "standard input";
            return Self::parse(file, limited_text(std::io::stdin().lock(), file)?);
        }
        Self::parse(&path.display().to_string(), read_limited(path)?)
    }

    /// Reads the text of one.
    ///
    /// # Errors
    /// As [`MixFile::read`].
    pub fn parse(file: &str, text: String) -> Result<Self, MixError> {
        let typed = SpecFile { name: file, text: &text }.parse::<TypedMix>();
        let typed = typed.map_err(|why| if text.contains('[') { why } else { no_mix(file, &text) })?;
        let mix = Self { file: file.to_string(), text, typed };
        mix.check()?;
        Ok(mix)
    }

    /// The file, as it was named.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.file
    }

    fn spec(&self) -> SpecFile<'_> {
        SpecFile { name: &self.file, text: &self.text }
    }

    fn refuse<T>(&self, at: &Spanned<T>, message: impl Into<String>) -> MixError {
        self.spec().file_error(Some(at.span()), message.into()).into()
    }

    fn check(&self) -> Result<(), MixError> {
        if self.typed.kernels.is_empty() {
            let message = "has no [[kernel]]: expected at least one".to_string();
            return Err(self.spec().file_error(None, message).into());
        }
        if let Some(ms) = self.typed.run_ms.as_ref().filter(|ms| !is_positive(*ms.get_ref())) {
            return Err(self.refuse(ms, format!("run_ms = {}: expected milliseconds above 0", ms.get_ref())));
        }
        let shares = self.typed.kernels.iter().filter(|part| part.share.is_some()).count();
        for part in &self.typed.kernels {
            self.check_part(part, shares > 0)?;
        }
        Ok(())
    }

    fn check_part(&self, part: &TypedPart, has_shares: bool) -> Result<(), MixError> {
        let named = part.kernel.as_ref().or(part.typed.as_ref());
        let Some(named) = named.filter(|_| part.kernel.is_none() || part.typed.is_none()) else {
            let message =
                "a [[kernel]] has either kernel = \"name\" or typed = \"4.2ms on 3090, …\"".to_string();
            return Err(self.spec().file_error(part.kernel.as_ref().map(Spanned::span), message).into());
        };
        match (&part.calls, &part.share) {
            (Some(_), Some(share)) => Err(self.refuse(share, "calls and share: give one of them")),
            (Some(calls), None) if has_shares => {
                Err(self.refuse(calls, "calls beside shares: give either to all kernels of the mix"))
            }
            (Some(n), None) | (None, Some(n)) if !is_positive(*n.get_ref()) => {
                let key = if part.calls.is_some() { "calls" } else { "share" };
                Err(self.refuse(n, format!("{key} = {}: expected a number above 0", n.get_ref())))
            }
            (None, None) if has_shares => {
                Err(self.refuse(named, "no share: give one to every kernel of the mix, or calls to all"))
            }
            _ => Ok(()),
        }
    }

    /// Its typed kernels.
    #[must_use]
    pub fn typed_kernels(&self, session: &Session) -> Vec<TypedKernel> {
        let lines = self.typed.kernels.iter().filter_map(|part| part.typed.as_ref());
        lines.map(|line| KernelLine::read(line.get_ref(), &session.gpus, &session.kernels).kernel).collect()
    }

    /// Looks its kernels up; typed ones become rows of the session.
    ///
    /// # Errors
    /// [`MixError`] with the line to blame.
    pub fn load_into(&self, session: &mut Session) -> Result<Workload, MixError> {
        let shares: f64 =
            self.typed.kernels.iter().filter_map(|p| p.share.as_ref()).map(|s| *s.get_ref()).sum();
        let mut parts = Vec::with_capacity(self.typed.kernels.len());
        for typed in &self.typed.kernels {
            let subject = self.subject(session, typed)?;
            let amount = match (&typed.calls, &typed.share) {
                (_, Some(share)) => RunAmount::Share(share.get_ref() / shares),
                (Some(calls), None) => RunAmount::Calls(*calls.get_ref()),
                (None, None) => RunAmount::Calls(1.0),
            };
            parts.push(WorkloadPart { label: part_label(session, &subject), subject, amount });
        }
        let run_ms = self.typed.run_ms.as_ref().map(|ms| ms.get_ref() / 1e3);
        let run_seconds = (shares > 0.0).then(|| run_ms.unwrap_or(RUN_SECONDS));
        let count = parts.len();
        let name = if self.typed.name.is_empty() {
            format!("{NAMELESS_MIX}{}", crate::text::counted(count, "kernel"))
        } else {
            self.typed.name.clone()
        };
        let is_run_assumed = run_seconds.is_some() && run_ms.is_none();
        Ok(Workload { name: crate::text::harmless_line(&name), parts, run_seconds, is_run_assumed })
    }

    fn subject(&self, session: &mut Session, part: &TypedPart) -> Result<Subject, MixError> {
        if let Some(line) = &part.typed {
            let read = KernelLine::read(line.get_ref(), &session.gpus, &session.kernels);
            if let Some(why) = read.unread().next() {
                return Err(self.refuse(line, why));
            }
            let loaded = read.kernel.load_into(session);
            return loaded.map(|l| l.subject).map_err(|e: TypedKernelError| self.refuse(line, e.to_string()));
        }
        let Some(name) = &part.kernel else { unreachable!("checked when the file was read") };
        let named = |error| {
            let before = &self.text[..name.span().start.min(self.text.len())];
            MixError::Name { file: self.file.clone(), line: 1 + before.matches('\n').count(), error }
        };
        let kernel = session.find_kernel(name.get_ref()).map_err(named)?;
        let size = match &part.size {
            Some(size) => {
                let typed = session.typed_size(kernel, size.get_ref());
                Some(typed.map_err(|e: ProblemError| self.refuse(size, e.to_string()))?)
            }
            None => None,
        };
        let variant = match (&part.variant, &size) {
            (Some(variant), _) => variant.as_str().into(),
            (None, Some(size)) => session.variant_at(kernel, size, None),
            (None, None) => session.default_variant(kernel),
        };
        let size = size.unwrap_or_else(|| session.default_size_of(kernel, &variant, None));
        session.subject(kernel, &size, &variant).map_err(|e: SubjectError| self.refuse(name, e.to_string()))
    }
}

fn is_positive(value: f64) -> bool {
    value.is_finite() && value > 0.0
}

/// What a mix is called whose file gives no name, before the number of its kernels.
const NAMELESS_MIX: &str = "mix of ";

/// Whether this name of a mix says itself that it is one.
#[must_use]
pub fn is_nameless(mix_name: &str) -> bool {
    mix_name.starts_with(NAMELESS_MIX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(text: &str) -> Result<Workload, MixError> {
        let mut session = Session::load(None).expect("what ships loads");
        MixFile::parse("mix.toml", text.into())?.load_into(&mut session)
    }

    #[test]
    fn kernels_come_with_calls_or_with_shares() {
        let calls = load(
            "name = \"step\"\n[[kernel]]\nkernel = \"saxpy\"\nsize = \"n=2^24\"\ncalls = 120\n[[kernel]]\n\
             typed = \"4.2ms on 3090, 256 thr, 17.2 GFLOP, 50MB dram, name mine\"\n",
        );
        let calls = calls.unwrap();
        assert_eq!((calls.name.as_str(), calls.run_seconds), ("step", None));
        let amounts: Vec<RunAmount> = calls.parts.iter().map(|p| p.amount).collect();
        assert_eq!(amounts, [RunAmount::Calls(120.0), RunAmount::Calls(1.0)]);
        assert_eq!([&calls.parts[0].label, &calls.parts[1].label], ["saxpy n=16777216", "mine"]);
        let shares = load(
            "[[kernel]]\nkernel = \"saxpy\"\nshare = 30\n[[kernel]]\nkernel = \"dot_product\"\nweight = 10\n",
        );
        let shares = shares.unwrap();
        assert_eq!((shares.run_seconds, shares.parts[0].amount), (Some(1.0), RunAmount::Share(0.75)));
        assert!(shares.is_run_assumed && !calls.is_run_assumed);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        for (text, said) in [
            ("", "kernel"),
            ("kernel = []", "expected at least one"),
            ("[[kernel]]\ncalls = 2\n", "either kernel"),
            ("[[kernel]]\nkernel = \"saxpi\"\n", "mix.toml:2: unknown kernel `saxpi`"),
            ("[[kernel]]\nkernel = \"saxpy\"\ncalls = 0\n", "mix.toml"),
            ("[[kernel]]\nkernel = \"saxpy\"\ncalls = 1\nshare = 0.1\n", "give one of them"),
            ("[[kernel]]\nkernel = \"saxpy\"\nshare = 1\n[[kernel]]\nkernel = \"saxpy\"\n", "no share"),
            ("[[kernel]]\nkernel = \"saxpy\"\nsize = \"n=0\"\n", "expected a whole number"),
            ("[[kernel]]\ntyped = \"4.2ms\"\n", "on which GPU"),
            ("[[kernel]]\ntyped = \"4.2ms on 4711\"\n", "unknown GPU"),
            ("run_ms = -1\n[[kernel]]\nkernel = \"saxpy\"\nshare = 1\n", "milliseconds above 0"),
            ("[[kernel]]\nkernel = \"saxpy\"\nfactor = 2\n", "factor"),
        ] {
            let why = load(text).unwrap_err().to_string();
            assert!(why.contains(said), "{text}: {why}");
        }
    }
}
