//! What the board of the target draws while the kernel runs: the same for every command and view that says it.

use super::answered::Answer;
use crate::gpu::Gpu;
use crate::kernel::Kernel;
use crate::power::{Load, PowerModel};
use crate::units::Watts;

impl Answer {
    /// What the target, which is this GPU, draws while this kernel runs there, modelled; `None` where there is no time, or neither operations nor
    /// bytes are known.
    #[must_use]
    pub fn board_power(&self, kernel: &Kernel, gpu: &Gpu) -> Option<Watts> {
        let blocks = self.launch.target.map(|launch| launch.block_count() as f64);
        let load = Load::of_counted_work(kernel, &self.work, blocks, gpu, self.predicted_time()?)?;
        Some(PowerModel::shipped_once()?.drawn_power(gpu, gpu.clocks(), &load))
    }
}
