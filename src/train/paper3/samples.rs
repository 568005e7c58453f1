//! Speedups that measured rows give: each configuration against a slow reference of the same kernel and problem on the
//! same GPU.
//!
//! Paper 3's target is the speedup over one thread, which hardly anybody measures. What comes nearest is taken, and said.

use super::facts::{Facts, NoFacts};
use super::metrics::{METRICS, MetricFormulas, ProfileMetric, Sense, metrics};
use crate::evaluate::EvaluationWorld;
use crate::gpu::GpuId;
use crate::kernel::{Count, Kernel, KernelId, Problem};
use crate::measurement::{ConfigId, Measurement, Number};
use crate::predict::Subject;
use crate::units::Seconds;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What the times of a group of launches are compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum ReferenceLaunch {
    /// The slowest launch with one thread per block, or with one block.
    #[default]
    OneThread,
    /// The slowest launch of all, whatever its shape: where nobody measured one thread, as in tuning spaces.
    Slowest,
}

impl ReferenceLaunch {
    /// The word on the command line.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OneThread => "one-thread",
            Self::Slowest => "slowest",
        }
    }

    /// What the speedup is over, in words.
    #[must_use]
    pub fn sentence(self) -> &'static str {
        match self {
            Self::OneThread => {
                "the slowest launch with one thread per block or one block, of the same kernel and problem on the same GPU"
            }
            Self::Slowest => {
                "the slowest launch of the same kernel and problem on the same GPU, whatever its shape"
            }
        }
    }
}

/// One launch with its metrics and its speedup.
#[derive(Debug, Clone, PartialEq)]
pub struct LaunchSample {
    /// The kernel's place in its catalogue.
    pub kernel: KernelId,
    /// The GPU's place.
    pub gpu: GpuId,
    /// The group it belongs to: launches of one kernel, problem and GPU.
    pub group: usize,
    /// The nine numbers of [`METRICS`].
    pub metrics: [ProfileMetric; METRICS.len()],
    /// Time of the reference over its own time.
    pub speedup: f64,
}

/// Rows that give no sample, by reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LeftOut {
    /// Nobody states block and grid.
    pub no_launch: usize,
    /// The launch cannot start.
    pub cannot_launch: usize,
    /// Nothing of the same kernel and problem on the same GPU can be the reference.
    pub no_reference: usize,
    /// It is the reference: its speedup is 1 by definition.
    pub is_reference: usize,
}

/// The samples of a store.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Samples {
    /// In the order of the configurations, then of the GPUs.
    pub all: Vec<LaunchSample>,
    /// What gave none.
    pub left_out: LeftOut,
    /// References of one thread per block, of one block, of other shapes.
    pub references: [usize; 3],
    /// References of one thread in all: the paper's own, one block of one thread.
    pub single_threads: usize,
}

/// The variant keys that say how a row was timed; times of two kinds are not compared.
const HOW_TIMED: [&str; 2] = ["timing", "caches"];

/// What the source of a row that `roofswap measure` wrote begins with.
const MEASURED_HERE: &str = "roofswap measure";

/// A row that can be compared.
struct Candidate<'a> {
    row: &'a Measurement,
    /// Its place among all candidates.
    place: usize,
    facts: Facts,
}

/// What launches must share to be compared: kernel, GPU, problem, how they were timed with the element type, and the
/// clocks.
type LaunchKey = (KernelId, GpuId, String, String, [u64; 2]);

impl Samples {
    /// Every launch of the store that has a reference.
    #[must_use]
    pub fn from_world(
        world: EvaluationWorld<'_>,
        reference: ReferenceLaunch,
        formulas: MetricFormulas,
    ) -> Self {
        let mut found = Self::default();
        let groups = found.gather(world);
        let mut all: Vec<(usize, LaunchSample)> = Vec::new();
        for (group, members) in groups.into_values().enumerate() {
            found.compare(group, &members, reference, formulas, &mut all);
        }
        all.sort_by_key(|(place, _)| *place);
        found.all = all.into_iter().map(|(_, sample)| sample).collect();
        found
    }

    /// The rows whose metrics are known, in groups that can be compared.
    fn gather<'a>(&mut self, world: EvaluationWorld<'a>) -> BTreeMap<LaunchKey, Vec<Candidate<'a>>> {
        let mut groups: BTreeMap<LaunchKey, Vec<Candidate<'a>>> = BTreeMap::new();
        let mut place = 0;
        for (id, config) in world.store.configs() {
            let subject = Subject::from_config(&world.kernels[config.kernel], config, Some(id));
            for row in world.store.rows_of(id) {
                let facts = subject.as_ref().map_err(|_| NoFacts::NoLaunch);
                match facts.and_then(|s| Facts::from_row(world, s, row.gpu, Some(row))) {
                    Ok(facts) => {
                        let kernel = &world.kernels[config.kernel];
                        groups.entry(key(kernel, row, &facts)).or_default().push(Candidate {
                            row,
                            place,
                            facts,
                        });
                        place += 1;
                    }
                    Err(NoFacts::NoLaunch) => self.left_out.no_launch += 1,
                    Err(NoFacts::CannotLaunch) => self.left_out.cannot_launch += 1,
                }
            }
        }
        groups
    }

    /// The speedups of one group over its reference.
    fn compare(
        &mut self,
        group: usize,
        members: &[Candidate<'_>],
        reference: ReferenceLaunch,
        formulas: MetricFormulas,
        all: &mut Vec<(usize, LaunchSample)>,
    ) {
        let slowest = slowest_launch(members, reference);
        let Some(slowest) = slowest.filter(|_| members.len() > 1) else {
            self.left_out.no_reference += members.len();
            return;
        };
        self.left_out.is_reference += 1;
        let shape = (slowest.facts.threads == 1, slowest.facts.blocks == 1);
        self.single_threads += usize::from(shape == (true, true));
        self.references[if shape.0 { 0 } else { 2 - usize::from(shape.1) }] += 1;
        let one_thread_dram_bytes = slowest.row.measured_count(Count::DramBytes).filter(|_| shape.0);
        for c in members.iter().filter(|c| c.place != slowest.place) {
            let facts = Facts { one_thread_dram_bytes, ..c.facts };
            let (kernel, gpu, speedup) = (c.row.kernel, c.row.gpu, slowest.row.time.0 / c.row.time.0);
            let metrics = metrics(&facts, formulas);
            all.push((c.place, LaunchSample { kernel, gpu, group, metrics, speedup }));
        }
    }

    /// How many numbers of each metric are unknown, and how many are only bounds or rest on an assumption.
    #[must_use]
    pub fn unknown_and_bounds(&self) -> [(usize, usize); METRICS.len()] {
        std::array::from_fn(|i| {
            let of = || self.all.iter().map(|s| &s.metrics[i]);
            let unknown = of().filter(|m| m.value.is_none()).count();
            (unknown, of().filter(|m| m.value.is_some() && m.sense != Sense::Exact).count())
        })
    }
}

/// The launch that the others of its group are compared with.
fn slowest_launch<'m, 'a>(
    members: &'m [Candidate<'a>],
    reference: ReferenceLaunch,
) -> Option<&'m Candidate<'a>> {
    let may_be = |c: &&Candidate<'_>| match reference {
        ReferenceLaunch::OneThread => c.facts.threads == 1 || c.facts.blocks == 1,
        ReferenceLaunch::Slowest => true,
    };
    members.iter().filter(may_be).max_by(|a, b| a.row.time.0.total_cmp(&b.row.time.0))
}

/// The measured time of the reference of this problem on this GPU, whatever chooses the launch; `None` where none was measured.
#[must_use]
pub fn reference_time(
    world: EvaluationWorld<'_>,
    subject: &Subject,
    gpu: GpuId,
    reference: ReferenceLaunch,
) -> Option<Seconds> {
    let kernel = &world.kernels[subject.kernel];
    let problem = problem_without_launch(kernel, &subject.problem).join(";");
    let groups = Samples::default().gather(world);
    let fitting =
        groups.iter().filter(|(key, _)| key.0 == subject.kernel && key.1 == gpu && key.2 == problem);
    let times = fitting.filter_map(|(_, members)| Some(slowest_launch(members, reference)?.row.time));
    times.max_by(|a, b| a.0.total_cmp(&b.0))
}

/// The keys of a problem that are no part of the launch, with their values.
fn problem_without_launch(kernel: &Kernel, problem: &Problem) -> Vec<String> {
    let work = problem.pairs().iter().filter(|(k, _)| !kernel.is_launch_key(k.as_str()));
    work.map(|(k, v)| format!("{}={v}", k.as_str())).collect()
}

/// The metrics of one measured launch, or why there are none.
#[derive(Debug, Clone, PartialEq)]
pub struct LaunchMetrics {
    /// The configuration's place in the store.
    pub config: ConfigId,
    /// The GPU's place.
    pub gpu: GpuId,
    /// The nine numbers of [`METRICS`].
    pub metrics: Result<[ProfileMetric; METRICS.len()], NoFacts>,
}

/// The metrics of every launch of the store, one after the other.
pub fn launches(world: EvaluationWorld<'_>, formulas: MetricFormulas) -> impl Iterator<Item = LaunchMetrics> {
    world.store.configs().flat_map(move |(config, of)| {
        let subject = Subject::from_config(&world.kernels[of.kernel], of, Some(config));
        world.store.rows_of(config).map(move |row| {
            let facts = subject.as_ref().map_err(|_| NoFacts::NoLaunch);
            let facts = facts.and_then(|s| Facts::from_row(world, s, row.gpu, Some(row)));
            LaunchMetrics { config, gpu: row.gpu, metrics: facts.map(|f| metrics(&f, formulas)) }
        })
    })
}

/// Launches that differ in what chooses the launch, in problem or variant, are compared; so the variant is left out. Where
/// the problem states no size, as in a profiler's report, launches of as many threads are taken for the same problem.
fn key(kernel: &Kernel, row: &Measurement, facts: &Facts) -> LaunchKey {
    let mut problem = problem_without_launch(kernel, &row.problem);
    if facts.size_is_threads {
        problem.push(format!("threads={}", facts.size));
    }
    let timed = row
        .variant()
        .split(';')
        .map(str::trim)
        .find(|pair| pair.split('=').next().is_some_and(|key| HOW_TIMED.contains(&key)));
    // What `measure` read while it timed is no setting: it drifts from launch to launch.
    let is_set = !row.source().text().starts_with(MEASURED_HERE);
    let clock = |column| row.number(column).filter(|_| is_set).unwrap_or(0.0).to_bits();
    let clocks = [clock(Number::SmClock), clock(Number::MemClock)];
    (row.kernel, row.gpu, problem.join(";"), format!("{};{}", row.dtype(), timed.unwrap_or("")), clocks)
}
