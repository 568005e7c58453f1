//! `--sm-clock`, `--mem-clock`, `--power-limit`: GPUs at other settings than their documents state.

use crate::session::TypedTunings;
use clap::Args;

/// The flags, as they were typed.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct ClockArgs {
    /// SM clock of a GPU, such as 1200MHz or titan-v=1.2GHz; without a GPU it is the targets'; the boost clock if not said
    #[arg(long, value_name = "[GPU=]MHZ")]
    sm_clock: Vec<String>,
    /// Memory clock as nvidia-smi prints it (half the data rate per pin), such as 5001MHz or titan-v=850MHz
    #[arg(long, value_name = "[GPU=]MHZ")]
    mem_clock: Vec<String>,
    /// Board power limit, such as 150W or titan-v=150W
    #[arg(long, value_name = "[GPU=]W")]
    power_limit: Vec<String>,
}

impl ClockArgs {
    /// Whether one of them was typed.
    pub(super) fn is_typed(&self) -> bool {
        !(self.sm_clock.is_empty() && self.mem_clock.is_empty() && self.power_limit.is_empty())
    }

    /// For a session to follow.
    pub(super) fn typed(&self) -> TypedTunings {
        let Self { sm_clock, mem_clock, power_limit } = self.clone();
        TypedTunings { sm_clock, mem_clock, power_limit }
    }
}
