//! How the cost of a launch and the time of the kernel itself add up to the time that was measured.

use super::transfer::joined_by;
use crate::measurement::LaunchTiming;
use crate::roofline::{BufferReuse, LAUNCH_NORM, joined, rest};

/// The smallest share of a timed launch that is taken for the kernel itself, however near the floor it lies: of one that a profiler times, and of
/// one among others, between which something passes.
const LEAST_BODY: f64 = 0.3;
const LEAST_BODY_BESIDE_GAP: f64 = 0.1;

/// Seconds between kernels launched back to back that nothing hides, where a launch costs as much: the last blocks of one drain, the first
/// of the next start. A = cB inside L2 shows 1.5 on an L40, 1.9 on an A40, 2.4 on an H200, 2.6 on an A100 (gpu-benches, gpu-small-kernels),
/// conv1d under NVBench 1.8 on an RTX 3060 Ti. Of 0 to 3.5 µs the study chooses 1.5 to 1.8 and the other families nothing (docs/models.md).
const GAP: f64 = 1.8e-6;

/// How far the gaps of two GPUs are taken to be from that, in ln.
const GAP_DOUBT: f64 = 0.3;

/// The same where the launch is added to the kernel's time.
const LEAST_ADDED_BODY: f64 = 0.03;

/// The share of a timed launch that is the kernel's own from which on it sits on its floor no more, however little the roof explains: that of 1.04
/// floors. Of 0.3 to 0.75 (1.03 to 1.12 floors) the study is worse from 0.5 on, the other families are alike.
const ABOVE_FLOOR: f64 = 0.4;

/// On its floor a source's body is not taken to be longer than this many roofs.
const MOST_ROOFS_AT_FLOOR: f64 = 1.3;

/// How well the cost of a cold launch is known: its share that one launch differs from another by.
const COLD_SCATTER: f64 = 0.1;

/// How far a framework's dispatch overlaps with the kernel, as a norm: 1 = not at all. Of 1 to 8, 1.5 and 2 follow an operator over its
/// sizes on one GPU best, on each of NeuSight's five: 5 % for element-wise ones, where a sum is 10 % off (docs/models.md).
const DISPATCH_NORM: f64 = 1.5;

/// How far apart, in ln, the launches of two GPUs are taken to be where one of them was not measured.
const FLOOR_DOUBT: f64 = 0.2;

/// The same of a framework's dispatch, which is the host's: five hosts of NeuSight lie 0.22 apart, one of them 0.5 above the others.
const DISPATCH_DOUBT: f64 = 0.42;

/// What a launch costs beside the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Launching {
    /// Launches one after the other hide most of it: T = (T0^12 + (gap + body)^12)^(1/12), with the gap between two kernels at most T0.
    BackToBack,
    /// The same on other buffers each time, which no cache holds.
    OnOtherBuffers,
    /// One launch at a time, caches flushed before it: T = T0 + body.
    Cold,
    /// Caches flushed before it, by a profiler whose time hides the launch: T as back to back, without a gap.
    Profiled,
    /// The same by a tracer, on what the kernels before it left in the caches.
    Traced,
    /// Behind a framework's dispatch, which goes on while the GPU works: T = (T0^1.5 + body^1.5)^(1/1.5).
    Dispatch,
}

/// What a source's time says of the kernel itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct LaunchStart {
    /// Seconds without the launch; `None` where it was not measured.
    pub(super) body: Option<f64>,
    /// The share of the time that is the kernel's own, 0 to 1.
    pub(super) own: f64,
    /// Seconds that nothing hides between this launch and the next one, where launches cost as much.
    pub(super) gap: f64,
}

/// The roof of a launch that was timed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct TimedRoof {
    /// Seconds; 0 where there is none.
    pub(super) time: f64,
    /// Whether bytes of DRAM are in it: beside those that nobody counted it says little of how long a body may be.
    pub(super) is_whole: bool,
}

impl From<f64> for TimedRoof {
    /// Of so many seconds with all that counts.
    fn from(time: f64) -> Self {
        Self { time, is_whole: true }
    }
}

impl Launching {
    #[inline]
    pub(super) fn new(timing: LaunchTiming) -> Self {
        match timing {
            LaunchTiming::Dispatched => Self::Dispatch,
            LaunchTiming::Cold => Self::Cold,
            LaunchTiming::Profiled => Self::Profiled,
            LaunchTiming::Traced => Self::Traced,
            LaunchTiming::BackToBack => Self::BackToBack,
            LaunchTiming::OnOtherBuffers => Self::OnOtherBuffers,
        }
    }

    /// The share of pipes whose work nobody counted of a kernel of somebody's own; 0 of an operator, whose library knows each GPU.
    pub(super) fn uncounted_of_kernel(self, uncounted: f64) -> f64 {
        if self == Self::Dispatch { 0.0 } else { uncounted }
    }

    /// Whether a launch may find its buffers where an earlier one left them. One operator after another does, as a kernel
    /// in a loop does.
    #[inline]
    pub(super) fn reuse(self) -> BufferReuse {
        match self {
            Self::Cold | Self::Profiled | Self::OnOtherBuffers => BufferReuse::Never,
            Self::BackToBack | Self::Dispatch => BufferReuse::BySameLaunch,
            Self::Traced => BufferReuse::ByNextKernel,
        }
    }

    /// What a time on the source says of the kernel, under a roof of so many seconds.
    pub(super) fn start(self, timed: Option<f64>, floor: f64, roof: TimedRoof) -> LaunchStart {
        let Some(time) = timed else { return LaunchStart { body: None, own: 0.0, gap: GAP } };
        match self {
            Self::BackToBack | Self::OnOtherBuffers | Self::Profiled | Self::Traced => {
                self.back_to_back(time, floor, roof)
            }
            Self::Cold => {
                let body = (time - floor).max(LEAST_ADDED_BODY * time);
                let (squared, scatter) = (body * body, COLD_SCATTER * floor);
                LaunchStart { body: Some(body), own: squared / (squared + scatter * scatter), gap: 0.0 }
            }
            Self::Dispatch => {
                let own = 1.0 - self.share_of_error(floor, time);
                let share = own.powf(1.0 / DISPATCH_NORM).max(LEAST_ADDED_BODY);
                LaunchStart { body: Some(time * share), own, gap: 0.0 }
            }
        }
    }

    fn back_to_back(self, time: f64, floor: f64, roof: TimedRoof) -> LaunchStart {
        let own = 1.0 - self.share_of_error(floor, time);
        let [gap, above] = self.beside_floor(time, floor);
        let above_floor = (own / ABOVE_FLOOR).min(1.0);
        let body = if above_floor < 1.0 {
            // Between a time at its floor, which says nothing, and one well above it the kernel's own comes step by step. Its body is no longer than
            // that of a time which has just left the floor.
            let of_roof = MOST_ROOFS_AT_FLOOR * roof.time;
            let most = if roof.is_whole && of_roof > 0.0 { of_roof } else { of_roof.max(LEAST_BODY * time) };
            let at_floor = most.min(self.beside_floor(just_above(floor), floor)[1]);
            at_floor * (above / at_floor).max(1.0).powf(above_floor)
        } else {
            above
        };
        LaunchStart { body: Some(body), own: own.max(LEAST_BODY), gap: above_floor * gap }
    }

    /// The share of a time shorter than its counts say that is the kernel's own, where so much of one is: all of it, as its launch only makes it longer.
    /// Behind a framework's dispatch, which varies as much as short kernels take, it is no other.
    #[inline]
    pub(super) fn own_below(self, own: f64) -> f64 {
        if self == Self::Dispatch { own } else { 1.0 }
    }

    /// Of a time under this floor, the seconds between two kernels that nothing hides, and those of the kernel itself.
    fn beside_floor(self, time: f64, floor: f64) -> [f64; 2] {
        let beside_floor = rest(time, floor);
        let least = LEAST_BODY_BESIDE_GAP * time;
        // A time at its floor has no room for more.
        let gap = self.gap(floor, GAP.min((beside_floor - least).max(0.0)));
        [gap, (beside_floor - gap).max(least)]
    }

    /// Seconds between two kernels that nothing hides under this floor, of so many at most.
    #[inline]
    pub(super) fn gap(self, floor: f64, most: f64) -> f64 {
        if matches!(self, Self::BackToBack | Self::OnOtherBuffers) { floor.min(most) } else { 0.0 }
    }

    /// The time of a launch whose body takes so long behind this gap ([`Self::gap`]).
    #[inline]
    pub(super) fn launched(self, floor: f64, gap: f64, body: f64) -> f64 {
        match self {
            Self::BackToBack | Self::OnOtherBuffers | Self::Profiled | Self::Traced => {
                joined(floor, gap + body)
            }
            Self::Cold => floor + body,
            Self::Dispatch => joined_by(floor, body, DISPATCH_NORM),
        }
    }

    /// How uncertain a floor that was not measured makes a time, in ln: by the share of the time that an error of the floor goes into.
    #[inline]
    pub(super) fn floor_doubt(self, floor: f64, time: f64) -> f64 {
        let doubt = if self == Self::Dispatch { DISPATCH_DOUBT } else { FLOOR_DOUBT };
        doubt * self.share_of_error(floor, time)
    }

    /// How uncertain the gap between kernels makes a time, in ln.
    #[inline]
    pub(super) fn gap_doubt(self, gap: f64, body: f64, time: f64) -> f64 {
        if gap > 0.0 { GAP_DOUBT * self.share_of_error(gap + body, time) * gap / (gap + body) } else { 0.0 }
    }

    /// How far a small error of the body goes into the time of the launch, 0 to 1.
    #[inline]
    pub(super) fn share_of_body(self, gap: f64, body: f64, time: f64) -> f64 {
        if gap > 0.0 {
            self.share_of_error(gap + body, time) * body / (gap + body)
        } else {
            self.share_of_error(body, time)
        }
    }

    /// Whether the launch is more of this time than the kernel.
    #[inline]
    pub(super) fn is_limit(self, floor: f64, time: f64) -> bool {
        self.share_of_error(floor, time) > 0.5
    }

    /// How far a small error of a part, the launch or the body, goes into the time of both, 0 to 1.
    #[inline]
    pub(super) fn share_of_error(self, part: f64, time: f64) -> f64 {
        let share = (part / time).min(1.0);
        match self {
            Self::BackToBack | Self::OnOtherBuffers | Self::Profiled | Self::Traced => {
                share.powi(LAUNCH_NORM)
            }
            Self::Cold => share,
            Self::Dispatch => share.powf(DISPATCH_NORM),
        }
    }
}

/// The time that is no longer on its floor: of which [`ABOVE_FLOOR`] is the kernel's own.
fn just_above(floor: f64) -> f64 {
    floor * (1.0 - ABOVE_FLOOR).powf(-1.0 / f64::from(LAUNCH_NORM))
}

/// Whether it is the launch that limits a time, in seconds, above this floor: more of it is the launch than the kernel, of which
/// launches back to back hide what is shorter.
pub(in crate::predict) fn is_launch_limited(timing: LaunchTiming, floor: f64, time: f64) -> bool {
    Launching::new(timing).is_limit(floor, time)
}

/// The share of a launch's time that is the launch and not the kernel, 0 to 1: one after the other, or behind a framework's dispatch.
pub(in crate::predict) fn launch_share(timing: LaunchTiming, floor: f64, time: f64) -> f64 {
    let launching =
        if timing == LaunchTiming::Dispatched { Launching::Dispatch } else { Launching::BackToBack };
    launching.share_of_error(floor, time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_launched_again_is_the_time_it_was_taken_from() {
        for launching in [Launching::BackToBack, Launching::Cold, Launching::Profiled, Launching::Dispatch] {
            let start = launching.start(Some(9.0), 3.0, 5.0.into());
            let again = launching.launched(3.0, launching.gap(3.0, start.gap), start.body.unwrap_or(0.0));
            assert!((again - 9.0).abs() < 1e-12, "{launching:?}");
        }
    }

    /// A time at its floor says nothing of a kernel far above its roof, one a tenth above the floor all of it: between them no step.
    #[test]
    fn a_time_leaves_its_floor_without_a_step() {
        let body = |time: f64| Launching::Profiled.start(Some(time), 1.0, 0.1.into()).body.unwrap();
        let steps: Vec<f64> = (0..200).map(|i| body(1.0 + 0.001 * f64::from(i))).collect();
        assert!((steps[0] - 0.13).abs() < 1e-9 && steps[199] > 1.15, "{steps:?}");
        let most = steps.windows(2).map(|pair| pair[1] / pair[0]).fold(1.0, f64::max);
        assert!(most < 1.35 && steps.windows(2).all(|pair| pair[1] >= pair[0]), "{most} {steps:?}");
    }

    /// The longer a launch took, the longer its body, however long its counts say that it is.
    #[test]
    fn a_longer_time_has_no_shorter_body() {
        for launching in [Launching::BackToBack, Launching::Profiled, Launching::Cold, Launching::Dispatch] {
            for roof in [0.1, 1.0, 3.0, 30.0] {
                let body = |step: u32| {
                    let time = 3e-6 * (1.0 + 0.002 * f64::from(step));
                    launching.start(Some(time), 3e-6, (roof * 1e-6).into()).body.unwrap()
                };
                let shorter = (0..300).find(|step| body(step + 1) < body(*step) * (1.0 - 1e-9));
                assert_eq!(shorter, None, "{launching:?}, a roof of {roof} us");
            }
        }
    }

    /// What is hidden is no limit: a kernel 1.4 times as long as its launch is 0.2 % longer for it.
    #[test]
    fn a_launch_limits_what_it_is_most_of() {
        let limits = |launching: Launching, time: f64| launching.is_limit(1.0, time);
        for (launching, limited, free) in [
            (Launching::BackToBack, 1.05, 1.07),
            (Launching::Dispatch, 1.5, 1.6),
            (Launching::Cold, 1.9, 2.1),
        ] {
            assert!(limits(launching, limited) && !limits(launching, free), "{launching:?}");
            let body = Launching::start(launching, Some(free), 1.0, 2.0.into()).body.unwrap();
            assert!(launching.launched(1.0, 0.0, body) / body < 2.0, "{launching:?}");
        }
    }

    #[test]
    fn nothing_timed_says_nothing() {
        assert_eq!(
            Launching::Cold.start(None, 3.0, 5.0.into()),
            LaunchStart { body: None, own: 0.0, gap: GAP }
        );
    }
}
