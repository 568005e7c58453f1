//! What a what-if is asked of: times of one workload on GPUs made of one base.

use crate::gpu::Gpu;
use crate::progress::Progress;
use crate::report::shown::TimeKind;
use crate::roofline::Bound;
use crate::text::marked_estimate;
use crate::units::{Joules, Seconds, Watts};

/// The time of a run on a changed GPU.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WhatIfTime {
    /// The time; `None` where the workload cannot run or be predicted there.
    pub time: Option<Seconds>,
    /// Its 90 % interval: one of numbers that no GPU has was never validated.
    pub interval: Option<[Seconds; 2]>,
    /// What takes the largest share of it: `DRAM`, `the host`.
    pub limit: Option<&'static str>,
}

impl WhatIfTime {
    /// Where there is no such GPU, or nothing runs there.
    pub const NONE: Self = Self { time: None, interval: None, limit: None };
}

/// What a run draws, modelled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RunPower {
    /// Mean board power.
    pub board: Watts,
    /// Energy of the run.
    pub energy: Joules,
}

impl RunPower {
    /// Of a run that takes so long; `None` where one of both is not known.
    pub(super) fn of_run(energy: Option<Joules>, time: Option<Seconds>) -> Option<Self> {
        let (energy, time) = energy.zip(time)?;
        Some(Self { board: Watts(energy.0 / time.0), energy })
    }

    /// `~607 W`: no board was measured at this load.
    pub(super) fn board_text(self) -> String {
        marked_estimate(self.board, false)
    }

    /// `~18.9 mJ`.
    pub(super) fn energy_text(self) -> String {
        marked_estimate(self.energy, false)
    }
}

/// The time of a run on a changed GPU, and what must be known of it.
#[derive(Debug, Clone, PartialEq)]
pub struct NotedTime {
    /// The time.
    pub time: WhatIfTime,
    /// How it is known.
    pub kind: TimeKind,
    /// What it draws; `None` where that is not known.
    pub power: Option<RunPower>,
    /// Why there is no time, where there is none.
    pub refusal: Option<String>,
    /// What must be known of it, the most important first.
    pub cautions: Vec<String>,
}

/// A time that is sought.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GoalTime {
    /// The time.
    pub time: Seconds,
    /// Whether it is a source's time that rests on no measurement.
    pub is_estimate: bool,
}

impl std::fmt::Display for GoalTime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&marked_estimate(self.time, !self.is_estimate))
    }
}

/// A workload (kernels, or an application) and a base GPU, ready to be asked.
pub trait ChangedTimes<'a> {
    /// The workload, as titles show it.
    fn workload_name(&self) -> &str;
    /// The model that answers, where it is to be named.
    fn model_id(&self) -> Option<&'static str> {
        None
    }
    /// What is changed of the launch of its kernel, on the base too: `block=128`.
    fn launch_changes(&self) -> Vec<String> {
        Vec::new()
    }
    /// Tells this progress of every GPU that is asked about from now on.
    fn watch_progress(&mut self, _: &'a Progress) {}
    /// The base GPU as it is.
    fn base(&self) -> &Gpu;
    /// Its id, with the clocks and the limit that were typed for it.
    fn base_id(&self) -> String {
        self.base().id.clone()
    }
    /// Its name on screen, with them.
    fn base_name(&self) -> String {
        self.base().short_name().to_string()
    }
    /// The time of a run on the source; the goal that a break-even is sought for.
    fn source_time(&self) -> Option<Seconds>;
    /// Whether that time rests on an estimate and on no measurement.
    fn is_source_estimated(&self) -> bool {
        false
    }
    /// What a launch of the kernel costs on this GPU, made of the base, which may be another than the GPU states; `None` where several
    /// kernels run.
    fn launch_overhead_on(&self, _made: &Gpu) -> Option<Seconds> {
        None
    }
    /// What the launches of a kernel under a CUDA graph cost on this GPU, which no launch overhead of the GPU changes; `None` of others.
    fn graph_launch_on(&self, _made: &Gpu) -> Option<Seconds> {
        None
    }
    /// A run on the base.
    fn on_base(&self) -> WhatIfTime;
    /// The same with what must be known of it, as `rank` and `app` say it of this GPU.
    fn noted_time_on_base(&self) -> NotedTime;
    /// A run on this GPU, made of the base.
    fn noted_time_on(&mut self, made: &Gpu) -> NotedTime;
    /// Whether a measured time stands behind every part of the times.
    fn rests_on_measurement(&self) -> bool;
    /// How many values of each number a grid of two numbers has.
    fn grid_steps(&self) -> usize;
    /// A run on each of these GPUs, made of the base. Once somebody cancelled, none has a time: whoever cancels drops the answer.
    fn times_on(&mut self, made: &[Gpu]) -> Vec<WhatIfTime>;
}

/// What a run takes, kernel by kernel.
pub(super) struct RunSum {
    time: Option<f64>,
    ends: Option<[f64; 2]>,
    limits: Vec<(Bound, f64)>,
}

impl RunSum {
    pub(super) const NOTHING: Self = Self { time: Some(0.0), ends: Some([0.0; 2]), limits: Vec::new() };

    /// All launches of a kernel: the time in seconds, and the ends of its interval over that time.
    pub(super) fn add(&mut self, time: Option<f64>, ends: Option<[f64; 2]>, limit: Option<Bound>) {
        self.time = self.time.zip(time).map(|(sum, time)| sum + time);
        let ends = time.zip(ends).map(|(time, ends)| ends.map(|end| end * time));
        self.ends = self.ends.zip(ends).map(|(sum, ends)| [sum[0] + ends[0], sum[1] + ends[1]]);
        self.limits.extend(limit.zip(time));
    }

    pub(super) fn what_if_time(&self) -> WhatIfTime {
        let (time, interval) = (self.time.map(Seconds), self.ends.map(|ends| ends.map(Seconds)));
        WhatIfTime { time, interval, limit: largest(&self.limits).map(Bound::as_str) }
    }
}

/// The limit with the largest sum of times.
fn largest(limits: &[(Bound, f64)]) -> Option<Bound> {
    let total =
        |of: Bound| limits.iter().filter(|(limit, _)| *limit == of).map(|(_, time)| time).sum::<f64>();
    limits.iter().map(|(limit, _)| *limit).max_by(|a, b| total(*a).total_cmp(&total(*b)))
}
