//! Flags that say what runs: a kernel with its size, a typed kernel, a mix.

use super::asked_config::AskedConfig;
use super::asked_subjects::kernels_of_data;
use super::typed_kernel::TypedKernelArgs;
use super::{Usage, output, question};
use crate::gpu::GpuId;
use crate::kernel::KernelId;
use crate::session::Session;
use crate::units::Bytes;
use crate::workload::{MixFile, Workload};
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;

/// The flags, as they were typed.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct WorkloadArgs {
    /// The kernel; `roofswap kernels` lists those of the catalogue
    #[arg(long, value_name = "KERNEL", conflicts_with = "mix")]
    pub(super) kernel: Option<String>,
    /// Its sizes such as n=2^28 (default: one too large for the L2 of every GPU involved)
    #[arg(long, value_name = "KEY=N", conflicts_with = "mix", allow_hyphen_values = true)]
    pub(super) size: Option<String>,
    /// Its code variant
    #[arg(long, conflicts_with = "mix")]
    pub(super) variant: Option<String>,
    /// A mix of kernels with their calls or shares, as TOML
    #[arg(long, value_name = "FILE", conflicts_with_all = ["time", "rate", "threads", "flops", "dram_bytes", "name"])]
    pub(super) mix: Option<PathBuf>,
}

impl WorkloadArgs {
    /// What runs, and the source: the GPU that was named, else the one of the measurement files, if any. `changed_l2`: the largest L2 of
    /// targets with changed numbers, 0 without any.
    pub(super) fn load(
        &self,
        session: &mut Session,
        typed: &TypedKernelArgs,
        from: Option<&str>,
        targets: &[GpuId],
        changed_l2: Bytes,
    ) -> Result<(Workload, Option<GpuId>)> {
        question::size_is_read(self.size.as_deref())?;
        if let Some(file) = &self.mix {
            let workload = MixFile::read(file)?.load_into(session)?;
            let source = source(session, from, None)?;
            if source.is_none() && workload.run_seconds.is_some() {
                let text = "--mix: its shares are of a run on one GPU: give --from GPU, or `calls` in place of `share`";
                return Err(Usage(text.into()).into());
            }
            return Ok((workload, source));
        }
        let is_stated = match &self.kernel {
            Some(name) => typed.state_arithmetic(session, name)?,
            None => false,
        };
        if typed.is_typed() && !is_stated {
            return self.load_typed(session, typed, from);
        }
        let kernel = match &self.kernel {
            Some(name) => session.find_kernel(name)?,
            None => kernel_of_data(session)?,
        };
        let source = source(session, from, Some(kernel))?;
        let asked = AskedConfig { size: self.size.as_deref(), variant: self.variant.as_deref(), source };
        let typed = asked.typed_size(session, kernel)?;
        let variant = asked.chosen_variant(session, kernel, typed.as_ref())?;
        let size = match typed {
            Some(size) => size,
            None => {
                let start = source.or(targets.first().copied()).unwrap_or_default();
                let compared = session.streaming_size(kernel, &variant, start, targets, changed_l2);
                let is_usual = compared.problem == session.default_size_of(kernel, &variant, source);
                let why = match compared.may_stay_in_l2 {
                    true if compared.is_largest_timed => {
                        Some("the largest measured on the source; it may fit in the L2 of a GPU")
                    }
                    true => Some("the largest known; it may fit in the L2 of a GPU"),
                    false if is_usual => None,
                    false => Some("larger than every L2"),
                };
                let size = session.kernels[kernel].short_problem(&compared.problem);
                why.into_iter().for_each(|why| output::remark(format!("no --size: using {size}, {why}")));
                compared.problem
            }
        };
        let subject = session.subject(kernel, &size, &variant)?;
        asked.remarks(session, &subject).into_iter().for_each(output::remark);
        Ok((Workload::of_kernel(session, subject), source))
    }

    fn load_typed(
        &self,
        session: &mut Session,
        typed: &TypedKernelArgs,
        from: Option<&str>,
    ) -> Result<(Workload, Option<GpuId>)> {
        let source = from.map(|from| session.gpus.position(from)).transpose()?;
        let known = self.kernel.as_deref().map(|name| session.find_kernel(name)).transpose()?;
        let known = known.map(|at| &session.kernels[at]);
        let kernel = typed.kernel(known, from, self.size.as_deref())?;
        let subject = kernel.load_into(session)?.subject;
        Ok((Workload::of_kernel(session, subject), source))
    }
}

/// The one kernel of the measurement files, where none was named.
fn kernel_of_data(session: &Session) -> Result<KernelId> {
    let kernels: Vec<KernelId> = kernels_of_data(session).into_iter().collect();
    match &kernels[..] {
        [only] => Ok(*only),
        [] => {
            let text = "no kernel: give --kernel, a typed kernel (--time, --flops …), or --mix";
            Err(Usage(text.into()).into())
        }
        [first, ..] => {
            let (n, first) = (kernels.len(), &session.kernels[*first].id);
            let text = format!(
                "no --kernel, and --data has rows of {n} kernels: give one, such as {first}, or --mix"
            );
            Err(Usage(text).into())
        }
    }
}

fn source(session: &Session, from: Option<&str>, kernel: Option<KernelId>) -> Result<Option<GpuId>> {
    match from {
        Some(from) => Ok(Some(session.gpus.position(from)?)),
        None => Ok(question::source_of_data(session, kernel)),
    }
}
