//! `--sm-clock`, `--mem-clock`, `--power-limit`: GPUs at other settings than their documents state.

use super::output;
use crate::gpu::GpuId;
use crate::session::{LaidTargets, Session, Sources, TypedTunings};
use anyhow::Result;
use clap::Args;

/// The flags, as they were typed.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct ClockArgs {
    /// SM clock, such as 1200MHz for the targets alone, or titan-v=1.2GHz for that GPU, as source and as target: titan-v@1200MHz
    /// (default: the boost clock). A source is as measured unless it is named so
    #[arg(long, value_name = "[GPU=]MHZ")]
    sm_clock: Vec<String>,
    /// Memory clock as nvidia-smi prints it (half the data rate per pin), such as 5001MHz or titan-v=850MHz; whose it is: as of --sm-clock
    #[arg(long, value_name = "[GPU=]MHZ")]
    mem_clock: Vec<String>,
    /// Board power limit, such as 150W for the targets alone, or titan-v=150W for that GPU, as source and as target: titan-v@150W. A
    /// source is as measured unless it is named so
    #[arg(long, value_name = "[GPU=]W")]
    power_limit: Vec<String>,
}

impl ClockArgs {
    /// Whether one of them was typed.
    pub(super) fn is_typed(&self) -> bool {
        !(self.sm_clock.is_empty() && self.mem_clock.is_empty() && self.power_limit.is_empty())
    }

    /// The targets at these settings where no GPU is a source. See [`ClockArgs::laid`].
    pub(super) fn laid_targets(&self, session: &mut Session, targets: &[GpuId]) -> Result<Vec<GpuId>> {
        Ok(self.laid(session, targets, &Sources::none())?.targets)
    }

    /// Lays them over the session; the targets and sources to ask about then, with a remark on those that cannot be set so. See
    /// [`TypedTunings::lay_beside`].
    pub(super) fn laid(
        &self,
        session: &mut Session,
        targets: &[GpuId],
        sources: &Sources,
    ) -> Result<LaidTargets> {
        let laid = self.typed().lay_beside(session, targets, sources)?;
        let left_out: Vec<String> = laid.left_out.iter().map(|why| format!("left out: {why}")).collect();
        output::remarks(&left_out, left_out.len());
        Ok(laid)
    }

    /// For a session to follow.
    pub(super) fn typed(&self) -> TypedTunings {
        let Self { sm_clock, mem_clock, power_limit } = self.clone();
        TypedTunings { sm_clock, mem_clock, power_limit }
    }
}
