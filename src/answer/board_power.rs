//! What the board of the target draws while the kernel runs: the same for every command and view that says it.

use super::answered::Answer;
use crate::gpu::Gpu;
use crate::kernel::Kernel;
use crate::power::{Load, PowerModel};
use crate::predict::Caution;
use crate::units::Watts;

impl Answer {
    /// What the target, which is this GPU, draws while this kernel runs there, modelled; `None` where there is no time, neither operations nor
    /// bytes are known, or the time is not one under the power limit that was asked for, so that neither is what is drawn.
    #[must_use]
    pub fn board_power(&self, kernel: &Kernel, gpu: &Gpu) -> Option<Watts> {
        let prediction = self.prediction.as_ref().ok()?;
        if prediction.cautions.iter().any(|caution| matches!(caution, Caution::LimitIgnored { .. })) {
            return None;
        }
        let blocks = self.launch.target.map(|launch| launch.block_count() as f64);
        let load = Load::of_counted_work(kernel, &self.work, blocks, gpu, prediction.time)?;
        Some(PowerModel::shipped_once()?.drawn_power(gpu, gpu.clocks(), &load))
    }
}
