//! What `ceilings` knows of both sides of a question: component times, roofs, floors.

use super::transfer::{CARRIED, Roof, USUAL, carry};
use super::{is_lite, lite};
use crate::gpu::Gpu;
use crate::kernel::{Kernel, Launch, RunsAs, Work};
use crate::occupancy::{Occupancy, waves};
use crate::predict::operators::modelled_seconds;
use crate::predict::{Floor, Question, Refusal, RegistersFrom, Side};
use crate::roofline::{Components, Machine, Spec, joined, machine_of, rest};
use crate::units::Seconds;

/// The smallest share of a timed launch that is taken for the kernel itself, however near the floor it lies.
const LEAST_BODY: f64 = 0.3;

/// The same for an operator behind a framework's dispatch.
const LEAST_OPERATOR_BODY: f64 = 0.03;

/// Where a source sits on its floor, its body is not believed to be longer than this many roofs.
const MOST_ROOFS_AT_FLOOR: f64 = 1.3;

/// Both sides of a question, source first.
#[derive(Debug, Clone)]
pub(super) struct Sides {
    pub(super) machines: [Machine; 2],
    pub(super) components: [Components; 2],
    pub(super) roofs: [Roof; 2],
    pub(super) floors: [Floor; 2],
    pub(super) runs_as: RunsAs,
    /// The time on the source in seconds, where one was timed at some size.
    pub(super) timed: Option<f64>,
    /// The work of one launch.
    pub(super) work: Work,
    /// Whether FLOPs and bytes are all that is known of the kernel.
    pub(super) is_lite: bool,
    /// Whether nobody knows the registers of the build, source first.
    pub(super) unknown_builds: [bool; 2],
    /// The modelled time of the operator in seconds, source first, where the kernel is one.
    pub(super) operators: [Option<f64>; 2],
}

/// What a source's time says of the kernel itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Start {
    /// Seconds without the launch; `None` where nobody timed it.
    pub(super) body: Option<f64>,
    /// The share of its efficiency, in ln, that is believed to hold elsewhere.
    pub(super) carried: f64,
}

impl Sides {
    pub(super) fn new(q: &Question<'_>) -> Result<Self, Refusal> {
        q.target.feasible(&q.work)?;
        let gpus = [q.source.gpu, q.target.gpu];
        let machines = gpus.map(|gpu| machine_of(gpu, q.kernel));
        let runs_as = q.kernel.runs_as;
        // One operator after another finds its tensors where the last one left them, as a kernel in a loop does.
        let components = machines.map(|m| m.components(&q.work));
        let roofs = roofs(&machines, &components, runs_as, [&q.source, &q.target]);
        let timed = q.source_time.as_ref().filter(|t| t.extrapolation.is_some()).map(|t| t.time.0);
        let (floors, is_lite) = (q.floors, is_lite(q.kernel, &q.work));
        let unknown_builds = unknown_builds([&q.source, &q.target]);
        Ok(Self {
            machines,
            components,
            roofs,
            floors,
            runs_as,
            timed,
            work: q.work,
            is_lite,
            unknown_builds,
            operators: gpus.map(|gpu| modelled_seconds(gpu, q.operator.as_ref(), &q.work)),
        })
    }

    /// The same GPU twice: a timed size and another one, by the kernel's formulas.
    fn of_sizes(kernel: &Kernel, sides: [&Side<'_>; 2], works: [&Work; 2], floor: Floor, timed: f64) -> Self {
        let machines = sides.map(|side| machine_of(side.gpu, kernel));
        let components = [machines[0].components(works[0]), machines[1].components(works[1])];
        let roofs = roofs(&machines, &components, kernel.runs_as, sides);
        let (floors, runs_as) = ([floor; 2], kernel.runs_as);
        let (work, is_lite) = (*works[1], is_lite(kernel, works[1]));
        let unknown_builds = unknown_builds(sides);
        Self {
            machines,
            components,
            roofs,
            floors,
            runs_as,
            timed: Some(timed),
            work,
            is_lite,
            unknown_builds,
            // Sizes of an operator are carried by its own model.
            operators: [None; 2],
        }
    }

    /// The same question to a target with one number changed by this factor.
    pub(super) fn with_target_nudged(&self, spec: Spec, factor: f64) -> Self {
        let machine = self.machines[1].scaled(spec, factor);
        let mut nudged = self.clone();
        nudged.machines[1] = machine;
        nudged.components[1] = machine.components(&self.work);
        nudged.roofs[1] = Roof::of(&machine, &nudged.components[1], self.roofs[1].tail);
        nudged
    }

    /// What the source's time says of the kernel, under a roof of so many seconds.
    fn start(&self, roof: f64) -> Start {
        start(self.runs_as, self.timed, self.floors[0].time.0, roof)
    }

    /// The time of a launch on the target whose body takes so long.
    fn launched(&self, body: f64) -> f64 {
        launched(self.runs_as, self.floors[1].time.0, body)
    }
}

/// What a time on the source says of the kernel, under a roof of so many seconds.
pub(super) fn start(runs_as: RunsAs, timed: Option<f64>, floor: f64, roof: f64) -> Start {
    let Some(time) = timed else { return Start { body: None, carried: 0.0 } };
    match runs_as {
        RunsAs::Kernel => {
            let own = 1.0 - (floor / time).min(1.0).powi(4);
            let body = rest(time, floor).max(LEAST_BODY * time);
            let at_floor = own < LEAST_BODY;
            let body = if at_floor { body.min(MOST_ROOFS_AT_FLOOR * roof) } else { body };
            Start { body: Some(body), carried: CARRIED * own.max(LEAST_BODY) }
        }
        RunsAs::Operator => {
            let own = (1.0 - floor / time).max(0.0);
            Start { body: Some(time * own.max(LEAST_OPERATOR_BODY)), carried: CARRIED * own }
        }
    }
}

/// The time of a launch whose body takes so long.
#[inline]
pub(super) fn launched(runs_as: RunsAs, floor: f64, body: f64) -> f64 {
    match runs_as {
        RunsAs::Kernel => joined(floor, body),
        RunsAs::Operator => floor + body,
    }
}

/// A time carried to another size on the same GPU, and how many times longer its roof is there; `None` where the counts
/// give no roof.
pub(in crate::predict) fn resized(
    kernel: &Kernel,
    sides: [&Side<'_>; 2],
    works: [&Work; 2],
    floor: Floor,
    timed: Seconds,
) -> Option<(Seconds, f64)> {
    let sides = Sides::of_sizes(kernel, sides, works, floor, timed.0);
    let [there, here] = &sides.roofs;
    let (from, to) = (there.whole(), here.whole());
    let sound = |x: f64| x.is_finite() && x > 0.0;
    if !sound(from) || !sound(to) {
        return None;
    }
    let start = sides.start(from);
    // On the same GPU all of the efficiency holds, but for what the floor hides.
    let carried = carry(there, here, start.body?, start.carried / CARRIED);
    let time = sides.launched(carried.body());
    sound(time).then_some((Seconds(time), to / from))
}

/// The time of a kernel nobody timed: its roof and the usual efficiency; `None` where the counts give no roof.
pub(in crate::predict) fn unmeasured(
    kernel: &Kernel,
    side: &Side<'_>,
    work: &Work,
    floor: Floor,
) -> Option<Seconds> {
    let sides = Sides::of_sizes(kernel, [side; 2], [work; 2], floor, 0.0);
    let roof =
        if is_lite(kernel, work) { lite::roof(&sides.machines[0], work) } else { sides.roofs[0].whole() };
    let time = sides.launched(USUAL * roof);
    (roof > 0.0 && time.is_finite()).then_some(Seconds(time))
}

/// On which side nobody knows the registers of the build.
fn unknown_builds(sides: [&Side<'_>; 2]) -> [bool; 2] {
    sides.map(|side| side.registers == RegistersFrom::Unknown)
}

fn roofs(
    machines: &[Machine; 2],
    components: &[Components; 2],
    runs_as: RunsAs,
    sides: [&Side<'_>; 2],
) -> [Roof; 2] {
    let waves = waves_of_both(runs_as, sides);
    let roof = |at: usize| Roof::new(&machines[at], &components[at], waves.map(|w| w[at]));
    [roof(0), roof(1)]
}

/// Waves on both sides: blocks over what all SMs hold at once. Only where one source runs with one launch shape.
fn waves_of_both(runs_as: RunsAs, sides: [&Side<'_>; 2]) -> Option<[f64; 2]> {
    if runs_as == RunsAs::Operator {
        return None;
    }
    let of = |side: &Side<'_>| waves_on(side.gpu, side.launch, side.stated_occupancy());
    Some([of(sides[0])?, of(sides[1])?])
}

/// Waves of a launch on one GPU, where it and its resident blocks are known.
pub(super) fn waves_on(gpu: &Gpu, launch: Option<Launch>, occupancy: Option<Occupancy>) -> Option<f64> {
    let found = waves(gpu, &occupancy?, launch?.blocks())?;
    Some(found.waves)
}
