//! Trials of one kernel, and what is sampled meanwhile.

use super::MeasureOptions;
use crate::device::driver::{DeviceError, GpuSample, OpenDevice, PreparedLaunch};
use crate::progress::Progress;
use crate::stats;
use crate::units::Seconds;

/// Samples of one trial at most.
const PER_TRIAL: usize = 2;

/// Samples that are wanted of one timing.
const WANTED: usize = 3;

/// How long launches are kept running for the missing samples, in seconds: NVML's power is a mean over about that time.
pub(super) const SAMPLING: f64 = 0.1;

/// Launches that are kept running for samples at most.
pub(super) const MOST_SAMPLED: usize = 1000;

/// Every trial of one kernel on one set of buffers.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CaseTiming {
    /// Mean time of a launch in each trial, in order; none left out.
    pub trials: Vec<Seconds>,
    /// Which of them were sampled.
    pub sampled: Vec<bool>,
    /// Launches of a trial.
    pub launches: usize,
    /// What was sampled while launches ran.
    pub samples: Vec<GpuSample>,
}

/// A timing, or why there is none.
#[derive(Debug, Clone, PartialEq)]
pub enum TimedOutcome {
    /// All trials.
    Done(CaseTiming),
    /// It was cancelled.
    Cancelled,
}

impl CaseTiming {
    /// Mean over the trials.
    #[must_use]
    pub fn mean(&self) -> Seconds {
        Seconds(stats::mean(&self.seconds()).unwrap_or(0.0))
    }

    /// Standard deviation over the trials (n - 1); 0 for a single one.
    #[must_use]
    pub fn std(&self) -> Seconds {
        Seconds(stats::sample_deviation(&self.seconds()).unwrap_or(0.0))
    }

    /// Median over the trials.
    #[must_use]
    pub fn median(&self) -> Seconds {
        Seconds(stats::median(&mut self.seconds()).unwrap_or(0.0))
    }

    fn seconds(&self) -> Vec<f64> {
        self.trials.iter().map(|t| t.0).collect()
    }

    /// Mean of what the samples say of one quantity.
    #[must_use]
    pub fn sampled(&self, what: fn(&GpuSample) -> Option<f64>) -> Option<f64> {
        let values: Vec<f64> = self.samples.iter().filter_map(what).collect();
        stats::mean(&values)
    }

    /// Median of the sampled trials over that of the others, less 1: what sampling costs. `None` without both.
    #[must_use]
    pub fn sampling_overhead(&self) -> Option<f64> {
        let median_of = |wanted: bool| {
            let trials = self.trials.iter().zip(&self.sampled).filter(|(_, s)| **s == wanted);
            stats::median(&mut trials.map(|(t, _)| t.0).collect::<Vec<_>>())
        };
        Some(median_of(true)? / median_of(false)? - 1.0)
    }
}

/// Times launches of `of`, taken in turn. `before` is called before every trial, while nothing runs; `progress` counts trials.
///
/// # Errors
/// [`DeviceError`] of a launch.
pub fn timed_runs(
    device: &mut dyn OpenDevice,
    of: &[PreparedLaunch],
    options: &MeasureOptions,
    progress: &Progress,
    mut before: impl FnMut(&mut dyn OpenDevice) -> Result<(), DeviceError>,
) -> Result<TimedOutcome, DeviceError> {
    before(device)?;
    device.start(of, 1)?;
    device.finish_timing()?; // the first launch of a module also loads it
    let warm_up = options.warm_up.max(1);
    device.start(of, warm_up)?;
    let one = Seconds(device.finish_timing()?.0 / warm_up as f64);
    let launches = options.launches(one);
    let mut timing = CaseTiming { launches, ..CaseTiming::default() };
    for trial in 0..options.trials {
        if progress.is_cancelled() {
            return Ok(TimedOutcome::Cancelled);
        }
        before(device)?;
        device.start(of, launches)?;
        // Every other trial is sampled, so that what sampling costs can be seen in the file.
        let most = if trial % 2 == 0 { PER_TRIAL } else { 0 };
        let taken = sample_while_running(device, most, &mut timing.samples)?;
        let elapsed = device.finish_timing()?;
        timing.trials.push(Seconds(elapsed.0 / launches as f64));
        timing.sampled.push(taken > 0);
        progress.advance(1);
    }
    if timing.samples.len() < WANTED && !progress.is_cancelled() {
        before(device)?;
        let long = (SAMPLING / one.0.max(1e-9)).ceil() as usize;
        device.start(of, long.clamp(1, MOST_SAMPLED))?;
        let missing = WANTED - timing.samples.len();
        sample_while_running(device, missing, &mut timing.samples)?;
        device.finish_timing()?;
    }
    Ok(TimedOutcome::Done(timing))
}

/// Takes samples while launches run; one that ends after them is thrown away. How many samples were taken, kept or not.
fn sample_while_running(
    device: &mut dyn OpenDevice,
    most: usize,
    kept: &mut Vec<GpuSample>,
) -> Result<usize, DeviceError> {
    let mut taken = 0;
    while taken < most && device.running()? {
        let sample = device.sample()?;
        taken += 1;
        if device.running()? {
            kept.push(sample);
        }
    }
    Ok(taken)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::driver::{Driver, EntryFacts, Module};
    use crate::device::fake::Fake;
    use crate::kernel::Launch;

    fn timed(fake: &Fake) -> CaseTiming {
        let mut device = fake.open_device(0).unwrap();
        let entry = device.entry(Module(0), "empty").unwrap();
        let launch = Launch { block: [1; 3], grid: [1; 3] };
        let of = [PreparedLaunch { entry, launch, dynamic_smem: 0, parameters: Vec::new() }];
        match timed_runs(&mut *device, &of, &MeasureOptions::default(), &Progress::default(), |_| Ok(()))
            .unwrap()
        {
            TimedOutcome::Done(timing) => timing,
            TimedOutcome::Cancelled => panic!("nobody cancelled"),
        }
    }

    fn empty() -> Fake {
        Fake::default().knowing("empty", EntryFacts::default(), |_, _| 1e-4, |_, _, _| {})
    }

    #[test]
    fn ten_trials_are_kept_and_samples_come_from_running_launches_only() {
        let fake = empty();
        let timing = timed(&fake);
        assert_eq!((timing.trials.len(), timing.launches), (10, 100));
        assert!((timing.mean().0 / 1e-4 - 1.0).abs() < 0.005);
        assert_eq!(timing.sampled(|s| s.power_w), Some(150.0));
        assert!(timing.samples.len() >= WANTED);
        assert_eq!(timing.sampled.iter().filter(|s| **s).count(), 5);
    }

    #[test]
    fn launches_too_short_for_a_sample_give_none_and_never_an_idle_one() {
        let fake = empty();
        // Running at the first look, done at the second: the sample in between is of a GPU that may be idle.
        fake.script().looks_while_running = 1;
        let timing = timed(&fake);
        assert_eq!((timing.samples.len(), timing.sampled(|s| s.power_w)), (0, None));
    }

    #[test]
    fn statistics_by_hand() {
        let trials = [1.0, 2.0, 4.0, 9.0].map(Seconds).to_vec();
        let t = CaseTiming { trials, sampled: vec![true, false, true, false], ..CaseTiming::default() };
        assert_eq!((t.mean().0, t.median().0), (4.0, 3.0));
        assert!((t.std().0 - (38.0_f64 / 3.0).sqrt()).abs() < 1e-12);
        assert!((t.sampling_overhead().unwrap() - (2.5 / 5.5 - 1.0)).abs() < 1e-12);
    }
}
