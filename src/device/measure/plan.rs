//! What will be measured, and about how long it takes.

use super::MeasureOptions;
use super::timing::{MOST_SAMPLED, SAMPLING};
use crate::device::suite::{SuiteCase, SuiteError, SuiteKernel, cases, joined, reference};
use crate::gpu::Gpu;
use crate::kernel::{Count, Kernel};
use crate::units::Seconds;

/// Time of an estimate over the time of its roof: kernels of the suite run at a third of it, about. Assumed.
const ABOVE_ROOF: f64 = 3.0;

/// Bytes per second that buffers are filled and sent at. Assumed: one CPU core, PCIe.
const FILLED_PER_SECOND: f64 = 0.5e9;

/// Steps of a CPU reference per second. Assumed: one core.
const STEPS_PER_SECOND: f64 = 0.3e9;

/// Compiling and loading one source. Assumed.
const COMPILED: f64 = 0.15;

/// Trials of a launch with one thread.
const ONE_THREAD_TRIALS: usize = 3;

/// Time of one thread per byte of its buffers: an element of 4 bytes in half the latency of DRAM. Assumed.
const ONE_THREAD_BYTE: f64 = 60e-9;

/// The names of sizes, smallest first.
pub(crate) const SIZES: [&str; 4] = ["small", "medium", "large", "xlarge"];

/// Something that is not in the suite.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// A kernel.
    #[error("kernel `{asked}` is not in the suite; give some of: {known}")]
    UnknownKernel {
        /// As typed.
        asked: String,
        /// All ids.
        known: String,
    },
    /// A size.
    #[error("size `{0}` is unknown; give some of: small, medium, large, xlarge")]
    UnknownSize(String),
    /// Nothing is left to measure.
    #[error(
        "no configuration of these kernels has one of these sizes; leave out --size, or name another kernel"
    )]
    Nothing,
    /// The suite's file is wrong.
    #[error(transparent)]
    Suite(#[from] SuiteError),
}

/// One configuration of the plan.
#[derive(Debug, Clone)]
pub struct Planned<'a> {
    /// Its kernel in the suite.
    pub of: &'a SuiteKernel,
    /// Its kernel in the catalogue.
    pub kernel: &'a Kernel,
    /// The kernel at this size.
    pub case: SuiteCase,
}

/// Everything that will be measured, in order.
#[derive(Debug, Clone)]
pub struct MeasurePlan<'a> {
    /// Kernel by kernel, small sizes first.
    pub configurations: Vec<Planned<'a>>,
}

/// About how long a configuration takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConfigEstimate {
    /// One launch, about: three times its roof, and the launch floor.
    pub launch: Seconds,
    /// Filling, sending, checking.
    pub preparing: Seconds,
    /// Both timings.
    pub timing: Seconds,
}

impl ConfigEstimate {
    /// All of it.
    #[must_use]
    pub fn total(&self) -> Seconds {
        Seconds(self.preparing.0 + self.timing.0)
    }
}

/// The configurations of these kernels at these sizes; everything where none is named.
///
/// # Errors
/// [`PlanError`] for a name that the suite does not have.
pub fn plan<'a>(
    suite: &'a [SuiteKernel],
    catalogue: &'a crate::catalogue::Catalogue<Kernel>,
    kernels: &[String],
    sizes: &[String],
    options: &MeasureOptions,
) -> Result<MeasurePlan<'a>, PlanError> {
    if let Some(asked) = sizes.iter().find(|s| !SIZES.contains(&s.as_str())) {
        return Err(PlanError::UnknownSize(asked.clone()));
    }
    let all = joined(suite, catalogue)?;
    let is_named = |asked: &String, of: &SuiteKernel, kernel: &Kernel| {
        *asked == of.id || catalogue.id_named(asked).is_some_and(|i| catalogue[i].id == kernel.id)
    };
    for asked in kernels.iter().filter(|k| *k != "all") {
        if !all.iter().any(|(of, kernel)| is_named(asked, of, kernel)) {
            let known: Vec<&str> = suite.iter().map(|k| k.id.as_str()).collect();
            return Err(PlanError::UnknownKernel { asked: asked.clone(), known: known.join(", ") });
        }
    }
    let mut configurations = Vec::new();
    for (of, kernel) in all {
        if !kernels.is_empty() && !kernels.iter().any(|a| a == "all" || is_named(a, of, kernel)) {
            continue;
        }
        for case in cases(of, kernel, options.seed)? {
            if sizes.is_empty() || sizes.contains(&case.size) {
                configurations.push(Planned { of, kernel, case });
            }
        }
    }
    if configurations.is_empty() { Err(PlanError::Nothing) } else { Ok(MeasurePlan { configurations }) }
}

impl Planned<'_> {
    /// `saxpy n=262144`.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{} {}", self.kernel.id, self.kernel.short_problem(&self.case.problem))
    }

    /// How much is done for it: one thread alone may take seconds.
    #[must_use]
    pub fn options(&self, usual: &MeasureOptions) -> MeasureOptions {
        if !self.of.one_thread {
            return *usual;
        }
        MeasureOptions {
            trials: ONE_THREAD_TRIALS.min(usual.trials),
            most_launches: 1,
            usual_launches: 1,
            least_launches: 1,
            warm_up: 1,
            ..*usual
        }
    }

    /// About how long it takes on this GPU: estimated, not measured.
    #[must_use]
    pub fn estimate(&self, gpu: &Gpu, usual: &MeasureOptions) -> ConfigEstimate {
        let options = &self.options(usual);
        let work =
            self.kernel.instance(&self.case.problem, &self.of.variant).map(|i| i.work).unwrap_or_default();
        let per = |count: Count, rate: f64| work.get(count).map_or(0.0, |v| v / rate);
        let roof = per(Count::Flops, gpu.fp32_sustained().value.0)
            .max(per(Count::DramBytes, gpu.bandwidth_sustained().value.0))
            .max(per(Count::L2Bytes, gpu.l2_bandwidth_or_derived().value.0));
        let one_thread =
            if self.of.one_thread { self.case.moved_bytes() as f64 * ONE_THREAD_BYTE } else { 0.0 };
        let launch = one_thread.max(ABOVE_ROOF * roof) + gpu.launch_floor_or_assumed().value.0;
        let launches = options.launches(Seconds(launch)) * options.trials + options.warm_up + 1;
        let compared = self.case.compared_count(self.of.check.sample);
        let steps = reference::steps(&self.case, compared).unwrap_or(0.0);
        // Filled once; checked once; sent for each trial where launches change it, which is little beside.
        let preparing = self.case.moved_bytes() as f64 / FILLED_PER_SECOND + steps / STEPS_PER_SECOND;
        let timings = if self.of.one_thread { 1.0 } else { 2.0 };
        // What is too short for samples while it is timed is kept running for them.
        let sampling = (MOST_SAMPLED as f64 * launch).min(SAMPLING);
        ConfigEstimate {
            launch: Seconds(launch),
            preparing: Seconds(preparing),
            timing: Seconds(timings * (launches as f64 * launch + sampling)),
        }
    }
}

impl MeasurePlan<'_> {
    /// About how long all of it takes on this GPU, compiling included.
    #[must_use]
    pub fn estimate(&self, gpu: &Gpu, options: &MeasureOptions) -> Seconds {
        let mut files: Vec<&str> = self.configurations.iter().map(|c| c.of.file.as_str()).collect();
        files.dedup();
        let each: f64 = self.configurations.iter().map(|c| c.estimate(gpu, options).total().0).sum();
        Seconds(each + files.len() as f64 * COMPILED)
    }
}
