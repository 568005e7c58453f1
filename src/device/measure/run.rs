//! The loop over a plan: load, check, time, hand over the rows.

use super::check::{occupancy_difference, wrong};
use super::rows::{Caches, Ran, RunMachine, canonical_row};
use super::timing::{TimedOutcome, timed_runs};
use super::{MeasureOptions, MeasurePlan, Planned};
use crate::device::code::{self, CompiledModule};
use crate::device::driver::{Address, DeviceError, DriverKernel, OpenDevice, Parameter, PreparedLaunch};
use crate::device::suite::{BufferData, BufferRole, CpuReference, Scalar, SuiteCase};
use crate::gpu::SmLimits;
use crate::measurement::CanonicalRow;
use crate::progress::Progress;
use std::collections::BTreeMap;

/// Copies of the buffers at most: with more, their parameters alone would not stay in the caches of the CPU.
const MOST_COPIES: u64 = 4096;

/// The part of the free memory that is used at most; the driver needs some for itself.
const USED: f64 = 0.9;

/// Distance of the copies' buffers in bytes: that of separate allocations.
const ALIGNED: u64 = 256;

/// What a configuration came to that was not timed, or not whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// `saxpy n=262144`.
    pub name: String,
    /// Why, in one line.
    pub why: String,
}

/// What a run came to.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunOutcome {
    /// Configurations that were timed.
    pub timed: usize,
    /// Configurations that do not fit into this GPU's memory, or have no cold figure; no failure.
    pub skipped: Vec<Skipped>,
    /// Configurations with a wrong answer, a refused launch or a source that does not compile.
    pub failed: Vec<Skipped>,
    /// Where the driver's occupancy is not ours.
    pub differences: Vec<Skipped>,
    /// What else has to be said, each once: such as why shipped PTX was loaded.
    pub remarks: Vec<String>,
    /// What sampling cost, by configuration, as a share.
    pub overheads: Vec<f64>,
    /// Whether it was cancelled.
    pub cancelled: bool,
}

/// Who looks at a run.
pub trait RunWatch {
    /// A configuration begins: its place, and how many there are.
    fn begins(&mut self, place: usize, of: usize, name: &str);

    /// The rows of a configuration, warm and cold; the run ends with what this answers where they cannot be kept.
    ///
    /// # Errors
    /// Why they cannot be kept, in one line.
    fn take_rows(&mut self, rows: Vec<CanonicalRow>) -> Result<(), String>;
}

/// Why a run ended early.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Ended {
    /// The GPU cannot be used on.
    #[error("{name}: {error}; run the same command again to go on, or leave the kernel out with --kernel")]
    Device {
        /// The configuration.
        name: String,
        /// Why.
        error: DeviceError,
    },
    /// Rows could not be kept.
    #[error("{0}")]
    NotKept(String),
}

/// What a run needs beside the GPU and the plan.
#[derive(Clone, Copy)]
pub struct RunSetup<'a> {
    /// GPU and driver, for the rows.
    pub machine: &'a RunMachine,
    /// Limits of the GPU's compute capability as we know them; occupancies are not compared where we know none.
    pub limits: Option<&'a SmLimits>,
    /// How much is done.
    pub options: &'a MeasureOptions,
    /// The CPU reference of a kernel.
    pub reference: fn(&str) -> Option<CpuReference>,
    /// Counts the trials that are done, warm and cold; where it is cancelled, the run stops and what is done is kept.
    pub progress: &'a Progress,
}

/// Measures every configuration of the plan.
///
/// # Errors
/// [`Ended`] where the GPU is lost or rows cannot be kept; what came before was handed over.
pub fn measure(
    device: &mut dyn OpenDevice,
    plan: &mut MeasurePlan<'_>,
    setup: RunSetup<'_>,
    watch: &mut dyn RunWatch,
) -> Result<RunOutcome, Ended> {
    let progress = setup.progress;
    let mut run = RunningPlan { device, setup, loaded: BTreeMap::new(), outcome: RunOutcome::default() };
    let of = plan.configurations.len();
    for (place, planned) in plan.configurations.iter_mut().enumerate() {
        if progress.is_cancelled() {
            run.outcome.cancelled = true;
            break;
        }
        let name = planned.name();
        watch.begins(place, of, &name);
        let done = run.configuration(planned);
        planned.case.empty();
        match done {
            Ok(Some(rows)) => {
                run.outcome.timed += 1;
                watch.take_rows(rows).map_err(Ended::NotKept)?;
            }
            Ok(None) => run.outcome.cancelled = true,
            Err(Failure::Skipped(why)) => run.outcome.skipped.push(Skipped { name, why }),
            Err(Failure::Device(error @ (DeviceError::Lost(_) | DeviceError::Busy(_)))) => {
                return Err(Ended::Device { name, error });
            }
            Err(Failure::Device(DeviceError::OutOfMemory { bytes })) => {
                let why = format!("out of memory: {bytes} bytes were asked for");
                run.outcome.skipped.push(Skipped { name, why });
            }
            Err(Failure::Device(error)) => {
                run.outcome.failed.push(Skipped { name, why: error.to_string() });
            }
            Err(Failure::Wrong(why)) => run.outcome.failed.push(Skipped { name, why }),
        }
    }
    Ok(run.outcome)
}

/// Why a configuration has no rows.
enum Failure {
    Skipped(String),
    Wrong(String),
    Device(DeviceError),
}

impl From<DeviceError> for Failure {
    fn from(e: DeviceError) -> Self {
        Self::Device(e)
    }
}

struct RunningPlan<'a> {
    device: &'a mut dyn OpenDevice,
    setup: RunSetup<'a>,
    /// Modules by source, so that each is compiled once.
    loaded: BTreeMap<String, CompiledModule>,
    outcome: RunOutcome,
}

/// The buffers of a case in one piece of memory, several times over.
struct Slab {
    at: Address,
    /// Where each buffer begins.
    offsets: Vec<u64>,
    /// Bytes from one copy to the next.
    stride: u64,
    copies: u64,
}

impl Slab {
    /// Where each buffer of a copy begins, and the bytes of all.
    fn layout(case: &SuiteCase) -> (Vec<u64>, u64) {
        let mut next = 0;
        let offsets = case.buffers.iter().map(|b| {
            let at = next;
            next += (b.length as u64 * b.element.element_bytes()).next_multiple_of(ALIGNED);
            at
        });
        (offsets.collect(), next)
    }

    fn buffer(&self, copy: u64, buffer: usize) -> Address {
        self.at.plus(copy * self.stride + self.offsets[buffer])
    }

    fn prepared(&self, case: &SuiteCase, entry: DriverKernel, copy: u64) -> PreparedLaunch {
        let parameter = |(_, scalar): &(String, Scalar)| match *scalar {
            Scalar::Buffer(at) => Parameter::Address(self.buffer(copy, at)),
            Scalar::U32(v) => Parameter::U32(v),
            Scalar::I32(v) => Parameter::I32(v),
            Scalar::F32(v) => Parameter::F32(v),
            Scalar::F64(v) => Parameter::F64(v),
        };
        let parameters = case.arguments.iter().map(parameter).collect();
        PreparedLaunch { entry, launch: case.launch, dynamic_smem: case.dynamic_smem, parameters }
    }
}

impl RunningPlan<'_> {
    /// The rows of a configuration; `None` where it was cancelled.
    fn configuration(&mut self, planned: &mut Planned<'_>) -> Result<Option<Vec<CanonicalRow>>, Failure> {
        let reference = (self.setup.reference)(&planned.of.id)
            .ok_or_else(|| Failure::Wrong("has no CPU reference, so it is not timed".into()))?;
        let (offsets, stride) = Slab::layout(&planned.case);
        let room = (self.device.memory()?.free as f64 * USED) as u64;
        if stride > room {
            let mib = |bytes: u64| bytes.div_ceil(1 << 20);
            return Err(Failure::Skipped(format!(
                "needs {} MiB, {} MiB of GPU memory free",
                mib(stride),
                mib(room)
            )));
        }
        let loaded = self.module(&planned.of.file)?;
        let entry = self.device.entry(loaded.module, &planned.of.symbol)?;
        let threads = planned.case.launch.threads();
        let facts = self.device.facts(entry, threads, planned.case.dynamic_smem)?;
        let differs = self
            .setup
            .limits
            .and_then(|limits| occupancy_difference(limits, &facts, threads, planned.case.dynamic_smem));
        if let Some(differs) = differs {
            self.outcome.differences.push(Skipped { name: planned.name(), why: differs.to_string() });
        }
        // One thread alone is a reference: it is timed warm, as the launches beside it are. What is not timed needs no copies.
        let warm_alone = planned.of.one_thread || self.setup.options.launch_once;
        let copies = if warm_alone { Ok(1) } else { self.copies(stride, room) };
        let options = planned.options(self.setup.options);
        planned.case.fill();
        let at = self.device.allocate(stride * copies.as_ref().map_or(1, |c| *c))?;
        let slab = Slab { at, offsets, stride, copies: copies.as_ref().map_or(1, |c| *c) };
        let ran =
            Ran { machine: self.setup.machine, planned, facts, compiled_by: &loaded.by, options: &options };
        let rows = self.on_slab(&ran, entry, &slab, reference);
        let freed = self.device.free(at);
        let rows = rows?;
        freed?;
        if let (Err(why), Some(_)) = (copies, &rows) {
            let why = format!("has no cold figure: {why}");
            self.outcome.skipped.push(Skipped { name: planned.name(), why });
        }
        Ok(rows)
    }

    fn module(&mut self, file: &str) -> Result<CompiledModule, DeviceError> {
        if let Some(known) = self.loaded.get(file) {
            return Ok(known.clone());
        }
        let loaded = code::load_code(self.device, file, self.setup.machine.facts.capability)?;
        if let Some(why) = loaded.instead.as_ref().map(|why| format!("shipped PTX is used: {why}"))
            && !self.outcome.remarks.contains(&why)
        {
            self.outcome.remarks.push(why);
        }
        self.loaded.insert(file.into(), loaded.clone());
        Ok(loaded)
    }

    /// How many copies exceed twice the L2 beside the one in use; else why there is no cold figure.
    fn copies(&self, stride: u64, room: u64) -> Result<u64, String> {
        let copies = 1 + (2 * self.setup.machine.facts.l2_bytes).div_ceil(stride).max(1);
        if copies > MOST_COPIES {
            return Err(format!(
                "{MOST_COPIES} copies of its {stride} bytes of buffers do not exceed twice the L2"
            ));
        }
        if copies.saturating_mul(stride) > room {
            let mib = stride.div_ceil(1 << 20);
            return Err(format!("{copies} copies of its {mib} MiB of buffers do not fit the GPU's memory"));
        }
        Ok(copies)
    }

    fn on_slab(
        &mut self,
        ran: &Ran<'_>,
        entry: DriverKernel,
        slab: &Slab,
        reference: CpuReference,
    ) -> Result<Option<Vec<CanonicalRow>>, Failure> {
        let case = &ran.planned.case;
        for (i, data) in case.contents().iter().enumerate() {
            self.device.write(slab.buffer(0, i), &data.as_bytes())?;
        }
        for copy in 1..slab.copies {
            self.device.copy(slab.at, slab.at.plus(copy * slab.stride), slab.stride)?;
        }
        let warm = [slab.prepared(case, entry, 0)];
        self.check_result(ran, &warm, slab, reference)?;
        if ran.options.launch_once {
            return Ok(Some(Vec::new()));
        }
        let Some(warm) = self.timed(ran, &warm, slab)? else { return Ok(None) };
        let mut rows = vec![canonical_row(ran, &warm, Caches::Warm)];
        if slab.copies > 1 {
            let all: Vec<PreparedLaunch> = (0..slab.copies).map(|c| slab.prepared(case, entry, c)).collect();
            let Some(cold) = self.timed(ran, &all, slab)? else { return Ok(None) };
            rows.push(canonical_row(ran, &cold, Caches::Cold(slab.copies as usize)));
        }
        self.outcome.overheads.extend(warm.sampling_overhead());
        Ok(Some(rows))
    }

    /// One launch against the CPU.
    fn check_result(
        &mut self,
        ran: &Ran<'_>,
        launch: &[PreparedLaunch],
        slab: &Slab,
        reference: CpuReference,
    ) -> Result<(), Failure> {
        let (case, check) = (&ran.planned.case, &ran.planned.of.check);
        self.device.start(launch, 1)?;
        self.device.finish_timing()?;
        let buffer = &case.buffers[case.checked];
        let mut bytes = vec![0; buffer.length * buffer.element.element_bytes() as usize];
        self.device.copy_from_device(slab.buffer(0, case.checked), &mut bytes)?;
        let got = BufferData::from_bytes(buffer.element, &bytes);
        let at = case.compared(check.sample);
        let expected = reference(case, &at);
        wrong(&got, &expected, &at, check).map_or(Ok(()), |why| Err(Failure::Wrong(why)))
    }

    /// Times launches on all copies given; what launches change is filled anew before every trial.
    fn timed(
        &mut self,
        ran: &Ran<'_>,
        of: &[PreparedLaunch],
        slab: &Slab,
    ) -> Result<Option<super::CaseTiming>, DeviceError> {
        let case = &ran.planned.case;
        let used = of.len() as u64;
        let changed: Vec<usize> =
            (0..case.buffers.len()).filter(|i| case.buffers[*i].role == BufferRole::Changed).collect();
        let anew = |device: &mut dyn OpenDevice| {
            for i in &changed {
                let bytes = case.contents()[*i].as_bytes();
                for copy in 0..used {
                    device.write(slab.buffer(copy, *i), &bytes)?;
                }
            }
            Ok(())
        };
        match timed_runs(self.device, of, ran.options, self.setup.progress, anew)? {
            TimedOutcome::Done(timing) => Ok(Some(timing)),
            TimedOutcome::Cancelled => Ok(None),
        }
    }
}
