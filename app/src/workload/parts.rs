//! A workload: kernels with how often each is launched.

use crate::gpu::GpuId;
use crate::predict::Subject;
use crate::session::Session;

/// How much of a kernel a run has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RunAmount {
    /// So many launches.
    Calls(f64),
    /// This share of the run's time on the source GPU, 0 to 1.
    Share(f64),
}

/// One kernel of a workload.
#[derive(Debug, Clone)]
pub struct WorkloadPart {
    /// The kernel at its size.
    pub subject: Subject,
    /// How much of it there is.
    pub amount: RunAmount,
    /// Kernel and size, as tables show it.
    pub label: String,
}

/// What is asked about: one kernel, or several that make a run.
#[derive(Debug, Clone)]
pub struct Workload {
    /// As titles show it.
    pub name: String,
    /// Its kernels, at least one.
    pub parts: Vec<WorkloadPart>,
    /// Time of a run on the source in seconds, where the parts are shares of it.
    pub run_seconds: Option<f64>,
    /// Whether nobody stated that time: the shares are of a run that is assumed.
    pub is_run_assumed: bool,
}

impl Workload {
    /// One launch of one kernel.
    #[must_use]
    pub fn of_kernel(session: &Session, subject: Subject) -> Self {
        let label = part_label(session, &subject);
        let part = WorkloadPart { subject, amount: RunAmount::Calls(1.0), label: label.clone() };
        Self { name: label, parts: vec![part], run_seconds: None, is_run_assumed: false }
    }

    /// What is said of times of a run that is assumed.
    #[must_use]
    pub fn assumed_run_note(&self) -> Option<&'static str> {
        let note = "times are of a run of 1 s on the source, which is assumed: `run_ms` in the mix states it";
        self.is_run_assumed.then_some(note)
    }

    /// The kernel, where it is one alone.
    #[must_use]
    pub fn single(&self) -> Option<&Subject> {
        match &self.parts[..] {
            [only] if only.amount == RunAmount::Calls(1.0) => Some(&only.subject),
            _ => None,
        }
    }

    /// [`Session::own_source`] of its kernels: the GPU itself where one of them was timed under its name.
    #[must_use]
    pub fn own_source(&self, session: &Session, gpu: GpuId) -> GpuId {
        let sources = || self.parts.iter().map(|part| session.own_source(&part.subject, gpu));
        let is_own = sources().any(|source| source == gpu);
        sources().next().filter(|_| !is_own).unwrap_or(gpu)
    }
}

/// Kernel and size: `saxpy n=1048576`; with a changed launch `saxpy n=1048576 ◇ block=128`.
pub(super) fn part_label(session: &Session, subject: &Subject) -> String {
    let kernel = &session.kernels[subject.kernel];
    let size = kernel.short_problem(&subject.problem);
    let edits = subject.launch_edits;
    let edited = if edits.is_empty() { String::new() } else { format!("◇ {edits}") };
    let words = [kernel.label(), &size, &subject.variant, &edited];
    words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Problem;

    #[test]
    fn a_label_without_a_size_has_one_blank() {
        let session = Session::load(None).unwrap();
        let kernel = session.kernels.id_named("saxpy").unwrap();
        let mut subject = session.subject(kernel, &Problem::parse_recorded("n=1024").unwrap(), "").unwrap();
        assert_eq!(part_label(&session, &subject), "saxpy n=1024");
        subject.problem = Problem::default().into();
        subject.variant = "timing=traced".into();
        assert_eq!(part_label(&session, &subject), "saxpy timing=traced");
    }
}
