//! What `components` knows of both sides of a question: component times, roofs, floors.

use super::bounded_work::bounded_work;
use super::excess::{Excess, LaunchInUse};
use super::launching::{LaunchStart, Launching};
use super::nearness::{Nearness, OtherBoard};
use super::transfer::{LaunchRoof, SourceBuild, TypicalEfficiency};
use super::wave_shape::{ShapeOccupancies, WaveShape};
use crate::gpu::Gpu;
use crate::kernel::{Kernel, NamedCode, RunsAs, Work};
use crate::occupancy::{BlockNeeds, is_at_register_limit};
use crate::pair::{Pair, Side};
use crate::predict::floor::LaunchCost;
use crate::predict::known_blocks::KnownBlocks;
use crate::predict::operators::modelled_seconds;
use crate::predict::{Floor, ModelRefusal, Question, QuestionSide};
use crate::roofline::{Component, Components, KernelArithmetic, MachineNumbers, Spec};
use crate::units::Seconds;
use std::f64::consts::E;

/// Both sides of a question, source first.
#[derive(Debug, Clone)]
pub(super) struct QuestionSides {
    pub(super) machines: Pair<MachineNumbers>,
    pub(super) components: Pair<Components>,
    pub(super) roofs: Pair<LaunchRoof>,
    pub(super) floors: Pair<Floor>,
    pub(super) launching: Launching,
    /// The shapes, where both sides know theirs.
    pub(super) shapes: Pair<WaveShape>,
    /// The time on the source in seconds, where one was timed at some size.
    pub(super) timed: Option<f64>,
    /// The same, or the modelled one where nobody timed the kernel there.
    pub(super) on_source: Option<f64>,
    /// Whether this very size was timed on the source.
    pub(super) is_of_size: bool,
    /// The work of one launch, its bounds included ([`bounded_work`]).
    pub(super) work: Work,
    /// What nobody counted of it, and what the time above the roof may go with.
    pub(super) excess: Excess,
    /// Whether nobody knows the registers of the build, or it has all there are, source first.
    pub(super) unknown_builds: Pair<bool>,
    /// The modelled time of the operator in seconds, source first, where the kernel is one.
    pub(super) operators: Pair<Option<f64>>,
    /// As in [`End`](super::end::End), source first.
    pub(super) ln_tensor_leads: Pair<f64>,
    /// How near the target is to the GPU that was timed.
    pub(super) nearness: Nearness,
    /// What is known of the build on the source.
    pub(super) source_build: SourceBuild,
}

impl QuestionSides {
    pub(super) fn new(q: &Question<'_>) -> Result<Self, ModelRefusal> {
        q.target.feasible(&q.work)?;
        let gpus = Pair::new(q.source.gpu, q.target.gpu);
        let arithmetic = KernelArithmetic::from_kernel(q.kernel);
        let machines = gpus.map(|gpu| arithmetic.machine(gpu));
        let launching = Launching::new(q.timing);
        let shapes = shapes(q.kernel, Pair::new(&q.source, &q.target));
        let bounded = |time| bounded_work(q.work, time, &machines.source);
        let work = q.timed().map_or(q.work, bounded);
        let timed = q.timed().map(|time| time.0);
        let named = q.kernel.named_code();
        let is_unknown = |side: &QuestionSide<'_>| {
            is_unknown_build(!side.registers.is_unknown(), side.needs, named, side.gpu)
        };
        let of_kernel = Self::from_machines(machines, Pair::same(&work), launching, shapes, q.floors, timed);
        Ok(Self {
            is_of_size: q.source_time.as_ref().is_some_and(|t| t.timed_at_size().is_some()),
            on_source: q.source_time.as_ref().map(|t| t.time.0),
            excess: Excess::of_arithmetic(&q.work, q.blocks, arithmetic),
            unknown_builds: Pair::new(&q.source, &q.target).map(is_unknown),
            ln_tensor_leads: gpus.map(|gpu| arithmetic.ln_tensor_lead(gpu)),
            operators: gpus.map(|gpu| modelled_seconds(gpu, q.operator.as_ref(), &q.work)),
            nearness: Nearness::from_gpus(gpus, arithmetic, LaunchInUse::new(&q.work, shapes.target.blocks)),
            source_build: source_build(&q.source),
            ..of_kernel
        })
    }

    /// The same GPU twice: a timed size and another one, by the kernel's formulas.
    fn of_sizes(
        kernel: &Kernel,
        sides: Pair<&QuestionSide<'_>>,
        works: Pair<&Work>,
        cost: LaunchCost,
        timed: f64,
    ) -> Self {
        let arithmetic = KernelArithmetic::from_kernel(kernel);
        let machines = sides.map(|side| arithmetic.machine(side.gpu));
        let launching = Launching::new(cost.timing);
        let shapes = shapes(kernel, sides);
        let floors = Pair::same(cost.floor);
        Self {
            source_build: source_build(sides.source),
            ..Self::from_machines(machines, works, launching, shapes, floors, Some(timed))
        }
    }

    fn from_machines(
        machines: Pair<MachineNumbers>,
        works: Pair<&Work>,
        launching: Launching,
        shapes: Pair<WaveShape>,
        floors: Pair<Floor>,
        timed: Option<f64>,
    ) -> Self {
        let reuse = launching.reuse();
        let limits = Side::ALL.map(|side| shapes[side].limits(&machines[side], works[side], reuse));
        let components = limits.map(|limits| limits.components);
        let roofs = limits.map(|limits| limits.roof);
        Self {
            machines,
            components,
            roofs,
            floors,
            launching,
            shapes,
            timed,
            is_of_size: false,
            on_source: timed,
            work: *works.target,
            excess: Excess::new(works.target, KnownBlocks::default(), false),
            unknown_builds: Pair::same(false),
            // Sizes of an operator are carried by its own model.
            operators: Pair::same(None),
            ln_tensor_leads: Pair::same(0.0),
            nearness: Nearness::Other(OtherBoard::default()),
            source_build: SourceBuild::default(),
        }
    }

    /// The GPU of this side as the launch finds it.
    pub(super) fn filled(&self, side: Side) -> MachineNumbers {
        self.machines[side].filled(&self.work, self.shapes[side].residents(&self.work))
    }

    /// The same question to a target with one number changed by this factor.
    pub(super) fn with_target_nudged(&self, spec: Spec, factor: f64) -> Self {
        let mut nudged = self.clone();
        let shape = &self.shapes.target;
        nudged.machines.target = self.machines.target.scaled_at_power(spec, factor);
        let limits = shape.limits(&nudged.machines.target, &self.work, self.launching.reuse());
        (nudged.components.target, nudged.roofs.target) = (limits.components, limits.roof);
        nudged.nearness = self.nearness.nudged();
        nudged
    }

    /// The time of a launch on the target whose body takes so long, from a source that says so of the gap before it.
    fn launched(&self, start: LaunchStart, body: f64) -> f64 {
        let floor = self.floors.target.time.0;
        self.launching.launched(floor, self.launching.gap(floor, start.gap), body)
    }
}

/// A time carried to another size on the same GPU.
pub(in crate::predict) struct ResizedTime {
    pub(in crate::predict) time: Seconds,
    /// How many times longer its roof is there.
    pub(in crate::predict) ratio: f64,
    /// How far that is, in ln, from how many times more work the SMs have.
    pub(in crate::predict) bend: f64,
    /// How far an error of the time without its launch goes into it, 0 to 1.
    pub(in crate::predict) in_body: f64,
}

/// A time carried to another size on the same GPU; `None` where the counts give no roof.
pub(in crate::predict) fn resized(
    kernel: &Kernel,
    sides: Pair<&QuestionSide<'_>>,
    works: Pair<&Work>,
    cost: LaunchCost,
    timed: Seconds,
) -> Option<ResizedTime> {
    let floor = cost.floor.time.0;
    let sides = QuestionSides::of_sizes(kernel, sides, works, cost, timed.0);
    let Pair { source: from, target: to } = sides.roofs.map(|roof| roof.time);
    let sound = |x: f64| x.is_finite() && x > 0.0;
    if !sound(from) || !sound(to) {
        return None;
    }
    let start = sides.launching.start(sides.timed, floor, from.into());
    // On the same GPU all of the efficiency holds, but for what the floor hides.
    let usual = typical(&sides).usual;
    let efficiency = usual * (start.body? / from / usual).powf(start.own);
    let Pair { source: here, target: there } = sides.components.map(|c| c.beside_dram());
    let is_of_memory = |c: &Components| matches!(c.binding(), Some(Component::Dram | Component::L2));
    let may_have_fitted = is_of_memory(&sides.components.source) || is_of_memory(&sides.components.target);
    let body = if efficiency > 1.0 {
        grown(from, to, efficiency, there / here)
    } else {
        to * efficiency.powf(if may_have_fitted { held_below(to / from) } else { 1.0 })
    };
    // The nearer the size, the nearer the time that was measured.
    let at_timed = timed.0 / sides.launched(start, efficiency * from);
    let time = sides.launched(start, body) * at_timed.powf(held_below(to / from));
    let bend = (to / from / (there / here)).ln().abs();
    let in_body = (sides.launched(start, body * E) / sides.launched(start, body)).ln();
    sound(time).then_some(ResizedTime {
        time: Seconds(time),
        ratio: to / from,
        bend: if bend.is_finite() { bend } else { 0.0 },
        in_body: in_body.clamp(0.0, 1.0),
    })
}

/// What is typical of a kernel's efficiency, whatever was counted of it.
fn typical(sides: &QuestionSides) -> TypicalEfficiency {
    TypicalEfficiency::new(0.0, sides.source_build)
}

/// How much of what was measured at a size holds at one whose roof is so many times as long, 0 to 1, where its roof says otherwise: near by what
/// was there is there too, twice as far nothing is taken below its roof, whatever fitted L2 at the other size.
fn held_below(ratio: f64) -> f64 {
    (1.0 - ratio.log2().abs()).max(0.0)
}

/// How far the time above a roof overlaps with it where the size changes, as a norm: 1 = not at all.
const OVERLAP: f64 = 1.5;

/// The body at another size, under the roof `to`, of a kernel that took `efficiency` times `from`. Time above the roof grows
/// with the work on the SMs and in L2: it does not jump where buffers stop to fit L2.
fn grown(from: f64, to: f64, efficiency: f64, work: f64) -> f64 {
    if !work.is_finite() {
        return to * efficiency;
    }
    let power = |x: f64| x.powf(OVERLAP);
    let above = power(efficiency * from) - power(from);
    (power(to) + above * power(work)).powf(1.0 / OVERLAP)
}

/// The time of a kernel that was not measured: its roof and the usual efficiency; `None` where the counts give no roof.
pub(in crate::predict) fn unmeasured(
    kernel: &Kernel,
    side: &QuestionSide<'_>,
    work: &Work,
    cost: LaunchCost,
) -> Option<Seconds> {
    let sides = QuestionSides::of_sizes(kernel, Pair::same(side), Pair::same(work), cost, 0.0);
    let roof = &sides.roofs.source;
    let start = sides.launching.start(None, sides.floors.target.time.0, roof.time.into());
    let uncounted = sides.launching.uncounted_of_kernel(sides.excess.uncounted);
    let time = sides.launched(start, typical(&sides).untimed_body(roof, uncounted));
    (roof.time > 0.0 && time.is_finite()).then_some(Seconds(time))
}

/// The shapes of both sides. Only where one source runs with one launch shape that both sides know.
fn shapes(kernel: &Kernel, sides: Pair<&QuestionSide<'_>>) -> Pair<WaveShape> {
    if kernel.runs_as == RunsAs::Operator {
        return sides.map(|side| WaveShape::of_operator(kernel, side.gpu, side.library_product));
    }
    let of_side = |side: &QuestionSide<'_>| {
        let occupancy = ShapeOccupancies { of_waves: side.wave_occupancy, own: side.stated_occupancy() };
        WaveShape::on(side.gpu, side.launch, side.full_share, occupancy)
            .map(|shape| shape.compared(side.is_compared))
    };
    of_side(sides.source)
        .zip(of_side(sides.target))
        .map_or(Pair::same(WaveShape::default()), |(source, target)| Pair::new(source, target))
}

/// What is known of the build on a source.
pub(super) fn source_build(side: &QuestionSide<'_>) -> SourceBuild {
    SourceBuild {
        by_library: side.library_product.is_some(),
        at_register_limit: side.needs.is_some_and(is_at_register_limit),
    }
}

/// Whether a library runs another kernel on this GPU, as the code that the name states does not run there.
fn is_another_kernel(named: Option<NamedCode>, gpu: &Gpu) -> bool {
    let cc = gpu.cuda.compute_capability;
    named.is_some_and(|code| !code.runs_on((cc.major, cc.minor)))
}

/// Whether the build on a GPU may spill where another one does not. `knows_registers`: whether anybody states those of a thread.
pub(super) fn is_unknown_build(
    knows_registers: bool,
    needs: Option<BlockNeeds>,
    named: Option<NamedCode>,
    gpu: &Gpu,
) -> bool {
    !knows_registers || needs.is_some_and(is_at_register_limit) || is_another_kernel(named, gpu)
}
