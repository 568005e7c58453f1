//! `--launch block=128,regs=32`: another launch on the target than the one that was timed.

use super::Usage;
use crate::kernel::RunsAs;
use crate::measurement::Measurement;
use crate::occupancy::BlockNeeds;
use crate::predict::{LaunchEdits, LaunchNumber, Subject};
use crate::session::Session;
use crate::workload::Workload;
use anyhow::Result;
use clap::Args;

/// The flag, as it was typed.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct LaunchArgs {
    /// Change the launch on the target, such as block=128,regs=32,static=0,dynamic=8KB,carveout=50%,dtype=fp16: modelled, not timed
    #[arg(long, value_name = "CHANGES", value_parser = launch_edits)]
    launch: Option<LaunchEdits>,
}

fn launch_edits(text: &str) -> Result<LaunchEdits, String> {
    text.parse()
}

impl LaunchArgs {
    /// Whether a change was typed.
    pub(super) fn is_typed(&self) -> bool {
        self.launch.is_some()
    }

    /// What a block asks for, so changed.
    pub(super) fn changed_needs(&self, needs: BlockNeeds) -> BlockNeeds {
        self.launch.map_or(needs, |edits| edits.changed_needs(needs))
    }

    /// The kernel of this workload with its launch changed.
    pub(super) fn edited_workload(&self, session: &Session, workload: Workload) -> Result<Workload> {
        if self.launch.is_none_or(|edits| edits.is_empty()) {
            return Ok(workload);
        }
        let Some(subject) = workload.single() else {
            return Err(Usage("--launch changes the launch of one kernel: give --kernel".into()).into());
        };
        let mut subjects = [subject.clone()];
        self.edit_subjects(session, &mut subjects)?;
        let [subject] = subjects;
        Ok(Workload::of_kernel(session, subject))
    }

    /// These kernels with their launch changed.
    pub(super) fn edit_subjects(&self, session: &Session, subjects: &mut [Subject]) -> Result<()> {
        let Some(edits) = self.launch else { return Ok(()) };
        for subject in subjects {
            let kernel = &session.kernels[subject.kernel];
            if let Some(element) = edits.element() {
                kernel
                    .in_element(&subject.instance, element)
                    .map_err(|why| Usage(format!("--launch: {why}")))?;
            }
            if kernel.runs_as == RunsAs::Operator && edits.changes_block() {
                let text = format!(
                    "--launch: {} is an operator: its library chooses the launch; change dtype alone",
                    kernel.id
                );
                return Err(Usage(text).into());
            }
            subject.launch_edits = without_own(session, subject, edits);
        }
        Ok(())
    }
}

/// The changes without a block and an element type that are the kernel's own: those are no change.
fn without_own(session: &Session, subject: &Subject, edits: LaunchEdits) -> LaunchEdits {
    let rows = subject.config.into_iter().flat_map(|config| session.store.rows_of(config));
    let launch = rows.into_iter().find_map(Measurement::launch).or(subject.instance.launch);
    let is_own_block = launch.map(|launch| launch.threads()) == edits.changed_value(LaunchNumber::Block);
    let edits = if is_own_block { edits.with(LaunchNumber::Block, None) } else { edits };
    let kernel = &session.kernels[subject.kernel];
    edits.with_element(edits.element().filter(|element| !kernel.is_in_element(*element)))
}
