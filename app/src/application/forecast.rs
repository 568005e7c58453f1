//! An application on other GPUs: every group by the best that is known of it, copies by their link, the host as it was.
//!
//! | group | time on the target | interval |
//! |---|---|---|
//! | a product or attention of the catalogue, near its modelled time | mean x predicted / measured, by the operator model | that answer's |
//! | others with counts | the same by the default model | that answer's |
//! | without, or where that answer gives no time; a kernel that cannot start there is said so | geometric mean of the two ends, products of long kernels nearer to arithmetic | from the ratio of DRAM bandwidth to the ratio of arithmetic rates, at the clocks that a lower power limit leaves busy lanes, each end wider by a tenth; no narrower than that of a kernel known by its time alone |
//! | ... of known FLOPs and bytes | the ratio of their rooflines | that of a kernel known by its time alone |
//! | messages between GPUs | as recorded | [`COMMUNICATION_WITHIN`] either way; it counts as unpredicted |
//!
//! The errors of one pair of GPUs are alike: the half-width of a total of kernels is `sqrt(ρ (Σ h)² + (1 - ρ) Σ h²)` with the
//! half-widths h of its groups and [`PAIR_CORRELATION`] ρ. The wall clock is a [`Replay`] of the trace with the predicted times;
//! its ends are replays with all kernels at the ends of that total.

use super::asked::AskedGroups;
use super::category::KernelCategory;
use super::group::KernelGroup;
use super::group_answers::GroupTargets;
use super::group_forecast::{
    COMMUNICATION_WITHIN, ForecastBasis, GroupForecast, NoAnswer, TimeRange, ratio_or_one,
};
use super::limited::limit_note;
use super::link::{HostLinks, copied_over};
use super::ratios::{bandwidth_ratio, between_ratios};
use super::recorded::{Application, CopyTotal};
use super::replay::{Replay, ReplayTimes, Replayed, Speeds};
use super::source::stated_size_caution;
use super::timeline::Timeline;
use super::trace::CopyDirection;
use super::unexplained::unexplained;
use crate::answer::Settings;
use crate::cores;
use crate::gpu::{Gpu, GpuId};
use crate::measurement::SAME_CLOCK;
use crate::pair::Pair;
use crate::predict::{Caution, gpu_with_differences};
use crate::report::shown::{ESTIMATED, TimeKind};
use crate::session::Session;
use crate::units::Seconds;
use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};
use std::collections::HashSet;

/// Correlation of the errors (in ln) of two kernels of one pair of GPUs: the mean product over pairs of kernels by the mean
/// square, of medians per kernel and pair. With GPUs left out (tests/engine/pair_correlation.rs): 0.02 on the shipped figures (14
/// kernels, 12 pairs), 0.31 on NeuSight's operators (9, 20), 0.16 on the NVBench rows of PMPP kernels (17, 6). The largest when it was chosen.
pub const PAIR_CORRELATION: f64 = 0.35;

/// From this share of the kernel time on that is predicted a total is one; below it lies between two ratios.
const MOSTLY: f64 = 0.5;

/// A window that is replayed as it was recorded is this near to itself.
const AS_RECORDED: f64 = 1e-6;

/// Copies that change by less than this share of their time are not worth a word.
const SAID_OF_COPIES: f64 = 0.01;

/// Where this share of a window or more would remain if kernels took no time, the GPU's SMs do not matter.
const HOST_BOUND: f64 = 0.95;

/// From this share of the wall clock on that the GPU idles, the interval of its kernels says too little alone.
const HELD_HOST: f64 = 0.1;

/// How an application is carried to other GPUs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ForecastSettings {
    /// Of the answers about kernels.
    pub answers: Settings,
    /// Time on the host as a factor of the recorded one.
    pub host: f64,
}

impl Default for ForecastSettings {
    fn default() -> Self {
        Self { answers: Settings::default(), host: 1.0 }
    }
}

/// A typed factor of the time on the host: `1.3x`, `1.3`, `130%`.
///
/// # Errors
/// What was expected.
pub fn host_factor(text: &str) -> Result<f64, String> {
    let trimmed = text.trim();
    let (digits, scale) = match trimmed.strip_suffix('%') {
        Some(percent) => (percent, 0.01),
        None => (trimmed.trim_end_matches(['x', 'X', '×']), 1.0),
    };
    let factor = digits.trim().parse::<f64>().ok().map(|f| f * scale);
    let factor = factor.filter(|f| (0.01..=100.0).contains(f));
    factor.ok_or_else(|| "expected a factor from 0.01 to 100, such as 1.3x".into())
}

/// An application on a target.
#[derive(Debug, Clone, PartialEq)]
pub struct TargetForecast {
    /// The GPU.
    pub target: GpuId,
    /// One per group, in the order of [`Application::groups`].
    pub groups: Vec<GroupForecast>,
    /// Summed time of all kernels.
    pub kernels: TimeRange,
    /// The window as a whole; `None` without a time line.
    pub wall: Option<TimeRange>,
    /// The replay behind the wall clock.
    pub replayed: Option<Replayed>,
    /// The wall clock if kernels took no time at all.
    pub wall_without_kernels: Option<Seconds>,
    /// Part of the recorded kernel time that rests on a prediction, 0 to 1.
    pub predicted_share: f64,
    /// Recorded kernel time over the predicted one.
    pub kernels_speedup: f64,
    /// Recorded window over the predicted one.
    pub wall_speedup: Option<f64>,
    /// How its times are known.
    pub kind: TimeKind,
    /// What must be said of it.
    pub cautions: Vec<String>,
}

impl TargetForecast {
    /// Of the window as a whole; without a time line of all kernels.
    #[must_use]
    pub fn time_range(&self) -> TimeRange {
        self.wall.unwrap_or(self.kernels)
    }

    /// The recorded time over that of [`TargetForecast::time_range`].
    #[must_use]
    pub fn overall_speedup(&self) -> f64 {
        self.wall_speedup.unwrap_or(self.kernels_speedup)
    }
}

/// The application on these targets, in their order.
///
/// # Errors
/// What is wrong with the application for it: kernels of AMD; or a damaged table of the program.
pub fn forecast(
    session: &Session,
    application: &Application,
    source: GpuId,
    targets: &[GpuId],
    settings: ForecastSettings,
) -> Result<Vec<TargetForecast>, String> {
    if application.is_amd() {
        let gpu = &application.gpu_name;
        return Err(format!(
            "its kernels ran on {gpu}: they are listed, and no model predicts kernels of AMD GPUs"
        ));
    }
    if let Some(why) = application.without_times() {
        return Err(why);
    }
    let asked = AskedGroups::new(session, application, source)?;
    let links = HostLinks::shipped().map_err(|why| why.to_string())?;
    let replay = Replay::new(application);
    let on_targets = GroupTargets { source, targets, settings: settings.answers };
    let answers_of = |place: usize, group: &KernelGroup| match group.category {
        KernelCategory::Communication => {
            let why = || Err("messages between GPUs are not modelled: their time is kept".to_string().into());
            targets.iter().map(|_| why()).collect()
        }
        _ => on_targets.answers(&asked, place, group, &session.gpus),
    };
    let answers: Vec<Vec<Result<GroupForecast, NoAnswer>>> =
        cores::collect(application.groups.len(), |at| answers_of(at, &application.groups[at]));
    let shortest = shortest_launch(application, &session.gpus[source]);
    let time_alone = on_targets.time_alone_ends(&asked);
    let of_target = |times: &mut ReplayTimes<WALLS>, (at, target): (usize, &GpuId)| {
        let time_alone = time_alone[at];
        let pair = ForecastPair { session, source, target: *target, settings, shortest, time_alone };
        let group =
            |(group, all): (&KernelGroup, &Vec<Result<GroupForecast, NoAnswer>>)| pair.group(group, &all[at]);
        let groups = application.groups.iter().zip(&answers).map(group).collect();
        pair.forecast(application, groups, &links, replay.as_ref().map(|replay| (replay, times)))
    };
    Ok(targets.par_iter().enumerate().map_init(ReplayTimes::default, of_target).collect())
}

/// Replays of one forecast: at its times, with all kernels at the ends of their interval, and without kernels.
const WALLS: usize = 4;

/// Source and target of one forecast.
struct ForecastPair<'a> {
    session: &'a Session,
    source: GpuId,
    target: GpuId,
    settings: ForecastSettings,
    /// What a launch takes whatever it does.
    shortest: Seconds,
    /// The ends, over the predicted time, of the interval of a kernel of which nothing but a time is known.
    time_alone: Option<[f64; 2]>,
}

/// What a launch takes whatever it does: as long as the shortest kernel that was recorded, and no longer than a launch on this GPU.
fn shortest_launch(application: &Application, source: &Gpu) -> Seconds {
    let kernels = application.groups.iter().filter(|group| group.category != KernelCategory::Communication);
    let floor = source.launch_floor_or_assumed().value;
    kernels.map(KernelGroup::mean).fold(floor, Seconds::min)
}

impl ForecastPair<'_> {
    fn gpus(&self) -> Pair<&Gpu> {
        Pair::new(&self.session.gpus[self.source], &self.session.gpus[self.target])
    }

    fn is_same_gpu(&self) -> bool {
        self.source == self.target && self.session.tuning(self.target).is_none()
    }

    fn forecast(
        &self,
        application: &Application,
        groups: Vec<GroupForecast>,
        links: &HostLinks,
        replay: Option<(&Replay<'_>, &mut ReplayTimes<WALLS>)>,
    ) -> TargetForecast {
        let kernels = total_of(&application.groups, &groups);
        let mut of_copies = Vec::new();
        let copies: Vec<f64> =
            application.copies.iter().map(|c| self.copy_factor(c, links, &mut of_copies)).collect();
        let factors: Vec<f64> = application
            .groups
            .iter()
            .zip(&groups)
            .map(|(g, f)| ratio_or_one(f.time.value, g.mean()))
            .collect();
        let ends = [ratio_or_one(kernels.low, kernels.value), ratio_or_one(kernels.high, kernels.value)];
        let scales = [1.0, ends[0], ends[1], 0.0];
        let speeds = Speeds { kernels: &factors, copies: &copies, host: self.settings.host, scales };
        let replayed = replay.map(|(replay, times)| replay.run(&speeds, times));
        let wall_at = |at: usize| replayed.as_ref().map(|r| Seconds(r.walls[at] * 1e-9));
        let wall = wall_at(0).zip(wall_at(1)).zip(wall_at(2));
        let wall =
            wall.map(|((value, low), high)| TimeRange { value, low: low.min(value), high: high.max(value) });
        let recorded = application.groups_total();
        let window = application.timeline.map(|l| l.window.seconds());
        let predicted: f64 = application
            .groups
            .iter()
            .zip(&groups)
            .filter(|(_, f)| f.basis.is_predicted())
            .map(|(g, _)| g.share)
            // The sum of none is -0.
            .fold(0.0, std::ops::Add::add);
        let idle = replayed.as_ref().map_or(0.0, |r| r.first.timeline.idle_share());
        let beside =
            replayed.as_ref().and_then(|r| bound_beside_kernels(wall, wall_at(3), &r.first.timeline));
        let of_host = [beside, held_host(idle, self.settings.host)];
        // What makes a total worthless stands before what explains it.
        let mut cautions = Vec::from_iter(self.too_little_memory(application));
        let of_slice = stated_size_caution(&self.session.gpus, application, self.source);
        cautions.extend(of_slice.filter(|_| !self.is_same_gpu()));
        cautions.extend(unexplained(&application.groups, &groups));
        cautions.extend(of_host.into_iter().flatten().filter(|_| !self.is_same_gpu()));
        cautions.extend(of_copies);
        cautions.extend(self.of_settings(application));
        cautions.extend(limit_note(self.gpus().target, &application.groups, &groups));
        let kernels_speedup = ratio_or_one(recorded, kernels.value);
        let wall_speedup = wall.zip(window).map(|(wall, window)| ratio_or_one(window, wall.value));
        let is_as_recorded = (wall_speedup.unwrap_or(kernels_speedup) - 1.0).abs() < AS_RECORDED;
        let kind =
            TimeKind::new(self.is_same_gpu() && is_as_recorded, groups.is_empty() || predicted >= MOSTLY);
        cautions.extend((kind == TimeKind::Modelled).then(|| mark_note(predicted)));
        let mut said = HashSet::new();
        cautions.retain(|caution| said.insert(caution.clone()));
        TargetForecast {
            target: self.target,
            kernels_speedup,
            wall_speedup,
            wall_without_kernels: wall_at(3),
            groups,
            kernels,
            wall,
            replayed: replayed.map(|r| r.first),
            predicted_share: predicted,
            kind,
            cautions,
        }
    }

    /// The group by its answer, or by what holds without one.
    fn group(&self, group: &KernelGroup, answer: &Result<GroupForecast, NoAnswer>) -> GroupForecast {
        let mean = group.mean();
        // A profiler may have held the clocks: its row is asked about at those of the GPU, as anywhere.
        let is_asked = group.profiled.is_some() && answer.is_ok();
        if self.is_same_gpu() && !is_asked {
            let time = TimeRange::exactly(mean);
            return GroupForecast {
                time,
                basis: ForecastBasis::Measured,
                limit: None,
                far_below_roof: false,
                clock_at_limit: None,
                reason: None,
            };
        }
        let (basis, reason) = match answer {
            Ok(found) => return found.clone(),
            Err(NoAnswer::CannotStart(why)) => (ForecastBasis::CannotStart, why),
            Err(NoAnswer::NotModelled(why)) if group.category == KernelCategory::Communication => {
                (ForecastBasis::Unchanged, why)
            }
            Err(NoAnswer::NotModelled(why)) => (ForecastBasis::Ratios, why),
        };
        let time = match basis {
            ForecastBasis::Unchanged => TimeRange::within(mean, COMMUNICATION_WITHIN),
            _ => between_ratios(group, self.gpus(), self.shortest, self.time_alone),
        };
        let reason = Some(reason.clone());
        GroupForecast { time, basis, limit: None, far_below_roof: false, clock_at_limit: None, reason }
    }

    /// The time of a copy as a factor of the recorded one.
    fn copy_factor(&self, copy: &CopyTotal, links: &HostLinks, cautions: &mut Vec<String>) -> f64 {
        let Pair { source, target } = self.gpus();
        if self.is_same_gpu() {
            return 1.0;
        }
        match copy.direction {
            CopyDirection::Fill | CopyDirection::DeviceToDevice => bandwidth_ratio(self.gpus()),
            CopyDirection::HostToDevice | CopyDirection::DeviceToHost => {
                let Some((from, to)) = links.of_gpu(source).zip(links.of_gpu(target)) else {
                    cautions.push("host link unknown: copies keep their time".into());
                    return 1.0;
                };
                let factor = copied_over(copy, &Pair::new(from.rate, to.rate));
                if (factor - 1.0).abs() > SAID_OF_COPIES {
                    cautions.push(format!("copies scaled by the host link: {} to {}", from.name, to.name));
                }
                factor
            }
            CopyDirection::PeerToPeer => {
                cautions
                    .push("copies between GPUs keep their time: links between GPUs are not modelled".into());
                1.0
            }
            CopyDirection::HostToHost | CopyDirection::Unknown => 1.0,
        }
    }

    /// That the application needs more memory than the target has.
    fn too_little_memory(&self, application: &Application) -> Option<String> {
        let Pair { target, .. } = self.gpus();
        let present = target.memory_size.value;
        let needed = application.least_memory().filter(|needed| needed.0 > present.0)?;
        let (needed, present) = (needed.as_capacity(), present.as_capacity());
        Some(format!("needs {needed} of device memory, this GPU has {present}: it does not fit"))
    }

    /// At which clocks the times were recorded, what the target is, and what the file leaves out.
    fn of_settings(&self, application: &Application) -> Vec<String> {
        let mut out = Vec::from_iter(self.profiled_clocks(application));
        let Pair { target, .. } = self.gpus();
        out.extend(Caution::of_made_gpu(target).map(|caution| caution.to_string()));
        out.extend(self.set_clocks().map(|caution| caution.to_string()));
        if application.timeline.is_none() {
            out.push("no time line: kernels only".into());
        }
        out
    }
}

impl ForecastPair<'_> {
    /// That the target is modelled at other clocks or limits than its documents state.
    fn set_clocks(&self) -> Option<Caution> {
        let Pair { target, .. } = self.gpus();
        let stock = self.session.stock(self.target);
        let named =
            target.derived.as_deref().map(|made| Caution::DerivedGpu(made.description.as_str().into()));
        let is_set = !target.clocks().is_same_setting(&stock.clocks());
        named.or_else(|| is_set.then(|| Caution::Hypothetical(gpu_with_differences(target, stock))))
    }

    /// That the recorded times are those of other clocks than the GPU is set to: `ncu` holds them at base.
    fn profiled_clocks(&self, application: &Application) -> Option<String> {
        let Pair { source, .. } = self.gpus();
        let mut clocks = application.groups.iter().filter_map(|group| group.profiled?.sm_clock);
        let held = clocks.find(|clock| (*clock / source.boost_clock.value - 1.0).abs() > SAME_CLOCK)?;
        let [held, set] = [held, source.boost_clock.value].map(|clock| clock.0 / 1e6);
        Some(format!(
            "speedup: over the times at the profiled clocks (SM {held:.0} MHz); {} is set to SM {set:.0} MHz",
            source.id
        ))
    }
}

/// Why a time is marked an estimate: so much of the kernel time is predicted.
fn mark_note(share: f64) -> String {
    let predicted = super::table::percent(100.0 * share);
    format!("marked {ESTIMATED}: {predicted} of kernel time is predicted, less than half")
}

/// That kernels have next to no part in the time of the window, and what has: copies, or the host.
fn bound_beside_kernels(
    wall: Option<TimeRange>,
    without_kernels: Option<Seconds>,
    timeline: &Timeline,
) -> Option<String> {
    let (wall, without) = wall.zip(without_kernels)?;
    if without.0 < HOST_BOUND * wall.value.0 {
        return None;
    }
    let share = |part: i64| part_words(part as f64 / timeline.window.nanoseconds().max(1) as f64);
    let idle = timeline.idle.total();
    Some(if timeline.copy_only > idle {
        format!("copy-bound there: copies alone are {} of the window", share(timeline.copy_only))
    } else {
        format!("host-bound there: the GPU idles for {} of the window", share(idle))
    })
}

/// `most`, `less than half`: so roughly that GPUs share one note; the table has the idle share in a column.
fn part_words(share: f64) -> &'static str {
    if share >= 0.5 { "most" } else { "less than half" }
}

/// That the interval of the wall clock is none of what the host does, where that is this share of it.
fn held_host(idle: f64, host: f64) -> Option<String> {
    let host = if host == 1.0 { "kept as recorded" } else { "scaled by --host" };
    (idle >= HELD_HOST).then(|| {
        format!(
            "wall clock: host time {host}; the interval covers kernels only; record a trace on the target's host to include it"
        )
    })
}

/// Summed kernel time, with an interval whose errors are partly the same.
pub(super) fn total_of(groups: &[KernelGroup], forecasts: &[GroupForecast]) -> TimeRange {
    let mut value = 0.0;
    let (mut linear, mut squares) = ([0.0; 2], [0.0; 2]);
    for (group, forecast) in groups.iter().zip(forecasts) {
        let calls = group.calls as f64;
        let time = calls * forecast.time.value.0;
        value += time;
        let ends = [forecast.time.value / forecast.time.low, forecast.time.high / forecast.time.value];
        for (end, ratio) in ends.into_iter().enumerate().filter(|(_, r)| r.is_finite()) {
            let half = time * ratio.ln();
            linear[end] += half;
            squares[end] += half * half;
        }
    }
    let half = |end: usize| {
        let alike = PAIR_CORRELATION * linear[end] * linear[end];
        let own = (1.0 - PAIR_CORRELATION) * squares[end];
        if value > 0.0 { (alike + own).sqrt() / value } else { 0.0 }
    };
    let [low, high] = [(-half(0)).exp(), half(1).exp()];
    TimeRange { value: Seconds(value), low: Seconds(value * low), high: Seconds(value * high) }
}

#[cfg(test)]
mod tests {
    use super::super::timeline::IdleSplit;
    use super::super::trace::Span;
    use super::*;

    #[test]
    fn what_a_window_without_kernels_is_made_of_is_named() {
        let window = Span { start: 0, end: 1000 };
        let said = |copy_only: i64, host: i64, without: f64| {
            let idle = IdleSplit { host, ..IdleSplit::default() };
            let line = Timeline { window, copy_only, idle, ..Timeline::default() };
            bound_beside_kernels(Some(TimeRange::exactly(Seconds(1e-6))), Some(Seconds(without)), &line)
        };
        let copies = said(970, 20, 0.99e-6).unwrap();
        assert_eq!(copies, "copy-bound there: copies alone are most of the window");
        let host = said(20, 970, 0.99e-6).unwrap();
        assert_eq!(host, "host-bound there: the GPU idles for most of the window");
        assert_eq!(said(20, 630, 0.99e-6).unwrap(), host, "GPUs share one note");
        let less = said(20, 430, 0.99e-6).unwrap();
        assert_eq!(less, "host-bound there: the GPU idles for less than half of the window");
        assert_eq!(said(970, 20, 0.9e-6), None, "kernels have a part in it");
    }
}
