//! What another launch of a kernel would do on one GPU: its occupancy, its waves, and by the model its time.
//!
//! ```text
//! time = t x m(changed launch) / m(launch as it is)
//! ```
//!
//! t is the answer's own time, m the model's time of the same work on this GPU alone, without any measured row. What the model says of
//! a launch is its waves (a last wave that is not full, SMs that get no block) and whether it can start at all; more resident warps
//! that only hide latency are no part of it. The number of threads stays: a larger block makes fewer blocks.

use crate::answer::Answer;
use crate::gpu::{Gpu, GpuId};
use crate::kernel::{Instance, Kernel, Launch};
use crate::measurement::Store;
use crate::occupancy::{
    BlockNeeds, LaunchRefusal, Occupancy, Rules, Waves, launch_refusal, occupancy, waves,
};
use crate::predict::{PreparedKernel, Subject};
use crate::units::{KiloBytes, Seconds, typed_bytes, typed_count};

/// A number of a launch that can be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LaunchNumber {
    /// Threads per block.
    Block,
    /// Registers per thread.
    Registers,
    /// Static shared memory per block in bytes.
    StaticShared,
    /// Dynamic shared memory per block in bytes.
    DynamicShared,
}

impl LaunchNumber {
    /// All of them, in the order of a list to edit.
    pub const ALL: [Self; 4] = [Self::Block, Self::Registers, Self::StaticShared, Self::DynamicShared];

    /// Its name on screen.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Block => "threads per block",
            Self::Registers => "registers per thread",
            Self::StaticShared => "static shared",
            Self::DynamicShared => "dynamic shared",
        }
    }

    /// What its values look like.
    #[must_use]
    pub fn example(self) -> &'static str {
        match self {
            Self::Block => "256, 16x16, +25% or x2",
            Self::Registers => "32, -20% or x0.5",
            Self::StaticShared | Self::DynamicShared => "8KB, 0, +25% or x2",
        }
    }

    fn is_size(self) -> bool {
        matches!(self, Self::StaticShared | Self::DynamicShared)
    }

    /// The most a program can ask for: no GPU has more, so that a larger value is a slip.
    fn most(self) -> u32 {
        match self {
            Self::Block => 1024,
            Self::Registers => 255,
            Self::StaticShared | Self::DynamicShared => 256 * 1024,
        }
    }

    fn least(self) -> u32 {
        if self.is_size() { 0 } else { 1 }
    }

    /// `8.00 KiB`, `256`: a value in words.
    #[must_use]
    pub fn in_words(self, value: u32) -> String {
        if self.is_size() && value >= 1024 {
            return format!("{} KiB", crate::units::significant(f64::from(value) / 1024.0));
        }
        if self.is_size() { format!("{value} B") } else { value.to_string() }
    }

    /// How far one step goes: a warp, a register allocation unit of eight, a kibibyte; a coarse one four or eight times as far.
    fn step(self, is_coarse: bool) -> u32 {
        match (self, is_coarse) {
            (Self::Block, false) => 32,
            (Self::Block, true) => 128,
            (Self::Registers, false) => 8,
            (Self::Registers, true) => 32,
            (_, false) => 1024,
            (_, true) => 8 * 1024,
        }
    }

    /// The next multiple of a step above or below this value, within what a program can ask for.
    #[must_use]
    pub fn stepped(self, now: u32, is_up: bool, is_coarse: bool) -> u32 {
        let step = self.step(is_coarse);
        let next = if is_up { (now / step + 1) * step } else { now.saturating_sub(1) / step * step };
        let least = if self.is_size() { 0 } else { self.step(false) };
        next.clamp(least, self.most())
    }

    /// A typed value, absolute or relative to the value now.
    ///
    /// # Errors
    /// What was expected.
    pub fn typed_value(self, text: &str, now: u32) -> Result<u32, String> {
        let text = text.trim();
        let relative = crate::gpu::relative_factor(text).map(|factor| (f64::from(now) * factor).round());
        let absolute = || match self {
            _ if self.is_size() => typed_bytes(text, KiloBytes::Binary).map(|bytes| bytes.0),
            Self::Block => crate::units::typed_number(text),
            _ => typed_count(text).map(|count| count as f64),
        };
        let [least, most] = [self.least(), self.most()];
        relative
            .or_else(absolute)
            .filter(|v| v.fract() == 0.0 && (f64::from(least)..=f64::from(most)).contains(v))
            .map(|v| v as u32)
            .ok_or_else(|| {
                let text = crate::text::harmless_line(&crate::text::clipped_text(text, 40));
                let [least, most] = [least, most].map(|value| self.in_words(value));
                format!(
                    "`{text}`: expected {} from {least} to {most}, such as {}",
                    self.title(),
                    self.example()
                )
            })
    }
}

/// What is changed of a launch; everything else stays as it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LaunchEdits([Option<u32>; LaunchNumber::ALL.len()]);

impl LaunchEdits {
    /// Whether nothing is changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(Option::is_none)
    }

    /// The value that this number is changed to.
    #[must_use]
    pub fn changed_value(&self, number: LaunchNumber) -> Option<u32> {
        self.0[number as usize]
    }

    /// The same changes with this number at another value, or as it is.
    #[must_use]
    pub fn with(mut self, number: LaunchNumber, value: Option<u32>) -> Self {
        self.0[number as usize] = value;
        self
    }

    /// A block so changed.
    #[must_use]
    fn changed_needs(&self, needs: BlockNeeds) -> BlockNeeds {
        let value = |number: LaunchNumber| self.changed_value(number).unwrap_or(launch_value(&needs, number));
        BlockNeeds {
            threads: value(LaunchNumber::Block),
            regs_per_thread: value(LaunchNumber::Registers),
            smem_static: value(LaunchNumber::StaticShared),
            smem_dynamic: value(LaunchNumber::DynamicShared),
            ..needs
        }
    }
}

/// A number of a block; registers that nobody knows are 0.
#[must_use]
pub fn launch_value(needs: &BlockNeeds, number: LaunchNumber) -> u32 {
    match number {
        LaunchNumber::Block => needs.threads,
        LaunchNumber::Registers => needs.regs_per_thread,
        LaunchNumber::StaticShared => needs.smem_static,
        LaunchNumber::DynamicShared => needs.smem_dynamic,
    }
}

/// A launch on one GPU.
#[derive(Debug, Clone, PartialEq)]
pub struct LaunchOnGpu {
    /// What a block asks for.
    pub needs: BlockNeeds,
    /// Resident blocks.
    pub occupancy: Occupancy,
    /// How the grid falls on the GPU, where it is known and something fits.
    pub waves: Option<Waves>,
    /// Why it cannot start.
    pub refusal: Option<LaunchRefusal>,
    /// The time of the launch; `None` where it cannot start or nothing is known of it.
    pub time: Option<Seconds>,
}

/// A kernel on a GPU, and how its launch is changed.
#[derive(Debug, Clone, Copy)]
pub struct LaunchQuestion<'a> {
    /// The kernel.
    pub kernel: &'a Kernel,
    /// At this size.
    pub subject: &'a Subject,
    /// The answer for the launch as it is, onto this GPU.
    pub answer: &'a Answer,
    /// The GPU.
    pub gpu: &'a Gpu,
    /// How occupancy is counted.
    pub rules: Rules,
    /// The changes.
    pub changes: LaunchEdits,
}

impl LaunchQuestion<'_> {
    /// The launch as it is, and as it is changed; `None` where nobody knows the threads per block.
    #[must_use]
    pub fn launches(&self) -> Option<[LaunchOnGpu; 2]> {
        let needs = self.answer.needs[1]?;
        let as_it_is = self.launch_on_gpu(needs);
        let mut changed = self.launch_on_gpu(self.changes.changed_needs(needs));
        let time = self.answer.predicted_time();
        changed.time = if changed.refusal.is_some() {
            None
        } else if self.changes.is_empty() {
            time
        } else {
            let [before, after] = [needs, changed.needs].map(|needs| self.model_seconds(needs));
            time.zip(before.zip(after)).map(|(time, (before, after))| time * (after / before))
        };
        Some([LaunchOnGpu { time, ..as_it_is }, changed])
    }

    fn launch_on_gpu(&self, needs: BlockNeeds) -> LaunchOnGpu {
        let launch = self.launch_of_threads(needs.threads);
        let limits = &self.gpu.cuda.limits;
        let occupancy = occupancy(limits, needs, self.rules);
        LaunchOnGpu {
            needs,
            occupancy,
            waves: launch.and_then(|launch| waves(self.gpu, &occupancy, launch.block_count())),
            refusal: launch_refusal(limits, needs, launch.as_ref()),
            time: None,
        }
    }

    /// The same threads in blocks of so many; as it is where that is their number already.
    fn launch_of_threads(&self, threads: u32) -> Option<Launch> {
        let launch = self.answer.launch[1]?;
        if threads == launch.threads() {
            return Some(launch);
        }
        let all = launch.block_count().saturating_mul(u64::from(launch.threads()));
        let blocks = all.div_ceil(u64::from(threads.max(1)));
        Some(Launch { block: [threads, 1, 1], grid: [blocks, 1, 1] })
    }

    /// The model's time of this work in such blocks on this GPU, without any row.
    fn model_seconds(&self, needs: BlockNeeds) -> Option<Seconds> {
        // What was compiled or timed goes before what is typed, so neither is there.
        let mut kernel = self.kernel.clone();
        kernel.compiled.clear();
        let instance = Instance {
            launch: self.launch_of_threads(needs.threads),
            regs_per_thread: Some(needs.regs_per_thread).filter(|regs| *regs > 0),
            smem_static: Some(needs.smem_static),
            smem_dynamic: Some(needs.smem_dynamic),
            work: self.answer.work,
            ..self.subject.instance.clone()
        };
        let subject = Subject { instance, config: None, ..self.subject.clone() };
        let (store, gpus) = (Store::default(), [self.gpu.clone()]);
        let mut prepared = PreparedKernel::new(&kernel, &subject, &gpus, &store, self.rules);
        let here = GpuId::from_index(0);
        let found = prepared.start(here).estimate(here);
        found.ok().map(|estimate| estimate.time)
    }
}
