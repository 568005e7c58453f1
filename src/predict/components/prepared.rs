//! Many answers about one kernel at one size: what a GPU brings is worked out once, and an answer is what carrying the time leaves to do.
//!
//! The arithmetic is that of [`super::ends`], which a single question runs through as well. Shapes and counters may come
//! from the source's own row: sources that say the same share what was worked out for their targets, any other has its own.

use super::bounded_work::bounded_work;
use super::end::End;
use super::ends::{SourceShare, slower_supply};
use super::excess::{Excess, LaunchInUse};
use super::launching::Launching;
use super::machines::{KernelMachines, SharedMachines};
use super::nearness::Nearness;
use super::places::GpuPlaces;
use super::sides::{is_unknown_build, source_build};
use super::transfer::TypicalEfficiency;
use super::wave_shape::{LaunchLimits, ShapeOccupancies, WaveShape, launch_limit};
use crate::gpu::{Gpu, GpuId};
use crate::kernel::{Kernel, Launch, NamedCode, RunsAs, Work};
use crate::measurement::{LaunchTiming, Measurement};
use crate::occupancy::Rules;
use crate::predict::barred::Requirements;
use crate::predict::floor::{KernelFloors, LaunchCost, subject_timing};
use crate::predict::operators::{bound_by, modelled};
use crate::predict::question::SharedRows;
use crate::predict::side::{LaunchFit, feasible};
use crate::predict::source_time::{SourceQuestion, source_time};
use crate::predict::{
    Floor, ModelRefusal, QuestionSide, SourceTime, Subject, TimeEstimate, Visible, distance_between,
};
use crate::roofline::{Bound, Component, KernelArithmetic};
use std::cell::OnceCell;

/// One kernel at one size, ready to be asked about any two GPUs.
#[derive(Debug)]
pub struct PreparedKernel<'a> {
    of: GpuFreeTerms<'a>,
    shared: SharedRows<'a>,
    /// By what their sources say.
    groups: Vec<SourcesAlike<'a>>,
    /// Whose rows say how launches were timed, where none is of this size.
    told_by: Option<GpuId>,
}

/// What does not depend on any GPU, and the machines that kernels of this arithmetic find.
#[derive(Debug, Clone)]
struct GpuFreeTerms<'a> {
    kernel: &'a Kernel,
    named_code: Option<NamedCode>,
    requirements: Requirements<'a>,
    subject: &'a Subject,
    machines: KernelMachines<'a>,
    store: Visible<'a>,
    rules: Rules,
    timing: LaunchTiming,
    floors: KernelFloors<'a>,
}

/// The targets as sources see them whose rows state the same.
#[derive(Debug)]
struct SourcesAlike<'a> {
    work: Work,
    /// The same with its bounds ([`bounded_work`]).
    bounded: Work,
    excess: Excess,
    shape: Option<&'a Measurement>,
    /// By GPU.
    ready: Vec<OnceCell<Box<Ready>>>,
    rows: Vec<Option<&'a Measurement>>,
    /// What fits GPUs without a row, by class of those that hold the same blocks.
    fits: Vec<OnceCell<Box<LaunchFit<'a>>>>,
}

/// What one GPU brings, and what limits a launch there.
#[derive(Debug, Clone, Copy)]
struct BoundEnd {
    end: End,
    /// Blocks of the launch, where waves count.
    blocks: Option<f64>,
    binding: Option<Bound>,
    /// The same by the model of operators.
    operator_binding: Option<Bound>,
}

/// How a launch fits one GPU. Waves count only where both sides know them.
#[derive(Debug)]
struct GpuFit {
    /// With its last wave, where waves are known.
    waves: Option<WaveShape>,
    refusal: Option<Box<ModelRefusal>>,
    /// Whether nobody knows the registers of the build.
    unknown_build: bool,
    /// 0 to 1.
    occupancy: Option<f64>,
    /// Blocks of the launch, where it is known.
    blocks: Option<f64>,
}

/// One GPU under one work and shape, kept for further questions.
#[derive(Debug)]
struct Ready {
    fit: GpuFit,
    /// With its last wave, and without one; each made where it is asked for.
    waved: OnceCell<BoundEnd>,
    plain: OnceCell<BoundEnd>,
}

/// A source, ready to be asked for any target.
#[derive(Debug)]
pub struct Starting<'p, 'a> {
    of: GpuFreeTerms<'a>,
    group: &'p SourcesAlike<'a>,
    gpu: &'a Gpu,
    /// Its place in the catalogue.
    at: GpuId,
    waved: Option<SourceShare>,
    /// Without its last wave; made where a target's is not known.
    plain: OnceCell<SourceShare>,
    /// Its time in seconds, where one was timed at some size.
    timed: Option<f64>,
    /// What is typical of the efficiency of such kernels.
    typical: TypicalEfficiency,
    /// The time on the source.
    pub source_time: Option<SourceTime>,
}

impl<'a> PreparedKernel<'a> {
    /// For this kernel at this size. `gpus` are all of the catalogue, in its order: a GPU is asked for by its place there.
    #[must_use]
    pub fn new(
        kernel: &'a Kernel,
        subject: &'a Subject,
        gpus: impl Into<GpuPlaces<'a>>,
        store: impl Into<Visible<'a>>,
        rules: Rules,
    ) -> Self {
        Self::with_machines(kernel, subject, &SharedMachines::new(gpus), store, rules)
    }

    /// The same on machines that other kernels are asked about too.
    #[must_use]
    pub fn with_machines(
        kernel: &'a Kernel,
        subject: &'a Subject,
        machines: &SharedMachines<'a>,
        store: impl Into<Visible<'a>>,
        rules: Rules,
    ) -> Self {
        let store = store.into();
        let timing = subject_timing(kernel, subject, None, store);
        let machines = machines.with_arithmetic(KernelArithmetic::from_kernel(kernel));
        let floors = KernelFloors::new(kernel, subject, None, timing, store);
        let (named_code, requirements) = (kernel.named_code(), Requirements::of_kernel(kernel));
        let of = GpuFreeTerms {
            kernel,
            named_code,
            requirements,
            subject,
            machines,
            store,
            rules,
            timing,
            floors,
        };
        let shared = SharedRows::from_rows(of.rows());
        Self { of, shared, groups: Vec::new(), told_by: None }
    }

    /// Of a size that nobody timed the rows of each source say how its launches were timed, and where.
    fn hear(&mut self, source: GpuId) {
        let GpuFreeTerms { kernel, subject, store, .. } = self.of;
        if subject.config.is_some() || self.told_by == Some(source) {
            return;
        }
        self.told_by = Some(source);
        self.of.timing = subject_timing(kernel, subject, self.told_by, store);
        self.of.floors = KernelFloors::new(kernel, subject, self.told_by, self.of.timing, store);
        self.groups.clear();
    }

    /// Everything that the GPU at this place says as a source.
    pub fn start(&mut self, source: GpuId) -> Starting<'_, 'a> {
        self.hear(source);
        let of = self.of.clone();
        let row = of.row_on(source);
        let (work, shape) = (self.shared.work(of.subject, row), self.shared.shape(row));
        let side = of.side(source, of.row_on(of.machines.gpus.board_place(source)), shape);
        let source_time = of.source_time(source, row, &work, &side);
        let timed = source_time.as_ref().and_then(SourceTime::timed);
        let machine = &of.machines.machine(source).numbers;
        let bounded = timed.map_or(work, |time| bounded_work(work, time, machine));
        let alike =
            |g: &SourcesAlike<'_>| g.work == work && g.bounded == bounded && stated(g.shape) == stated(shape);
        let at = self.groups.iter().position(alike).unwrap_or_else(|| {
            let gpus = of.machines.gpus.count();
            let ready = (0..gpus).map(|_| OnceCell::new()).collect();
            let fits = (0..gpus).map(|_| OnceCell::new()).collect();
            let mut rows = vec![None; gpus];
            of.rows().for_each(|row| rows[row.gpu.index()] = Some(row));
            let blocks = self.shared.blocks.beside_formulas(&of.subject.instance);
            let excess = Excess::of_arithmetic(&work, blocks, of.machines.arithmetic);
            self.groups.push(SourcesAlike { work, bounded, excess, shape, ready, rows, fits });
            self.groups.len() - 1
        });
        let group = &self.groups[at];
        let typical = TypicalEfficiency::new(group.excess.uncounted, source_build(&side))
            .on_tensor_cores(group.excess.on_tensor_cores);
        let (gpu, plain, timed) = (side.gpu, OnceCell::new(), timed.map(|time| time.0));
        let without =
            Starting { gpu, of, group, at: source, waved: None, plain, timed, typical, source_time };
        let ready = group.ready(&without.of, source);
        let waved = group.waved(&without.of, source, ready).map(|bound| without.share(bound));
        Starting { waved, ..without }
    }
}

impl<'a> GpuFreeTerms<'a> {
    #[inline]
    fn row_on(&self, gpu: GpuId) -> Option<&'a Measurement> {
        self.subject.config.and_then(|c| self.store.row_on(c, gpu))
    }

    #[inline]
    fn floor(&self, gpu: GpuId) -> Floor {
        let gpus = self.machines.gpus;
        self.floors.on_gpu(gpus.board_place(gpu), gpus.gpu(gpu))
    }

    /// The GPU at this place, whose row is this one; `any_row` gives the shape where it states none.
    fn side(
        &self,
        at: GpuId,
        row: Option<&'a Measurement>,
        any_row: Option<&'a Measurement>,
    ) -> QuestionSide<'a> {
        let gpu = self.machines.gpus.gpu(at);
        QuestionSide::new(self.kernel, &self.subject.instance, gpu, row, any_row, self.rules)
    }

    /// The time of this work on a source; none where it cannot be launched and no `row` says otherwise.
    fn source_time(
        &self,
        at: GpuId,
        row: Option<&Measurement>,
        work: &Work,
        side: &QuestionSide<'a>,
    ) -> Option<SourceTime> {
        if side.refusal.is_some() && row.is_none() {
            return None;
        }
        let Self { kernel, subject, store, rules, timing, .. } = *self;
        let launch = LaunchCost { floor: self.floor(at), timing };
        source_time(SourceQuestion { kernel, subject, work, at, side, launch, store, rules })
    }

    /// A launch on the GPU at this place without a last wave.
    #[inline]
    fn unwaved(&self, at: GpuId) -> WaveShape {
        let product = self.subject.instance.library_product;
        WaveShape::of_operator(self.kernel, self.machines.gpus.gpu(at), product)
    }

    #[inline]
    fn launching(&self) -> Launching {
        Launching::new(self.timing)
    }

    fn rows(&self) -> impl Iterator<Item = &'a Measurement> + use<'a> {
        let store = self.store;
        self.subject.config.into_iter().flat_map(move |c| store.rows_of(c))
    }
}

/// What [`QuestionSide::new`] takes from the row of another GPU.
fn stated(row: Option<&Measurement>) -> Option<(Option<Launch>, [Option<u32>; 3])> {
    row.map(|r| (r.launch(), [r.regs_per_thread(), r.smem_static(), r.smem_dynamic()]))
}

impl<'a> SourcesAlike<'a> {
    #[inline]
    fn row_on(&self, of: &GpuFreeTerms<'a>, at: GpuId) -> Option<&'a Measurement> {
        self.rows[of.machines.gpus.board_place(at).index()]
    }

    #[inline]
    fn ready(&self, of: &GpuFreeTerms<'a>, at: GpuId) -> &Ready {
        let made = || Ready { fit: self.gpu_fit(of, at), waved: OnceCell::new(), plain: OnceCell::new() };
        self.ready[at.index()].get_or_init(|| Box::new(made()))
    }

    /// What fits the GPU at this place; `own` holds it where no other GPU shares it.
    #[inline]
    fn fit<'f>(
        &'f self,
        of: &GpuFreeTerms<'a>,
        at: GpuId,
        own: &'f mut Option<LaunchFit<'a>>,
    ) -> &'f LaunchFit<'a> {
        let gpu = of.machines.gpus.gpu(at);
        let row = self.row_on(of, at).filter(|row| row.describes_launch());
        let made = || LaunchFit::new(of.kernel, &of.subject.instance, gpu, row, self.shape, of.rules);
        // Waves of a hypothetical GPU are counted on the one that exists.
        if row.is_some() || gpu.is_hypothetical() {
            return own.insert(made());
        }
        self.fits[of.machines.occupancy_class(at)].get_or_init(|| Box::new(made()))
    }

    #[inline]
    fn gpu_fit(&self, of: &GpuFreeTerms<'a>, at: GpuId) -> GpuFit {
        let gpu = of.machines.gpus.gpu(at);
        let mut own = None;
        let fit = self.fit(of, at, &mut own);
        let shaped = of.kernel.runs_as == RunsAs::Kernel;
        let occupancy = ShapeOccupancies { of_waves: fit.wave_occupancy(), own: fit.stated_occupancy() };
        let waves = WaveShape::on(gpu, fit.launch.filter(|_| shaped), fit.full_share, occupancy)
            .map(|shape| shape.compared(fit.is_compared));
        let unknown_build = is_unknown_build(!fit.registers.is_unknown(), fit.needs, of.named_code, gpu);
        let barred = of.requirements.barred_on(gpu);
        let refusal = barred.or_else(|| feasible(gpu, fit.refusal, &self.work).err()).map(Box::new);
        GpuFit {
            waves,
            refusal,
            unknown_build,
            occupancy: fit.occupancy().map(|o| o.fraction()),
            blocks: fit.launch.map(|l| l.block_count() as f64),
        }
    }

    /// The end of this GPU with its last wave, where waves are known.
    #[inline]
    fn waved<'r>(&self, of: &GpuFreeTerms<'a>, at: GpuId, ready: &'r Ready) -> Option<&'r BoundEnd> {
        let shape = ready.fit.waves.as_ref()?;
        Some(ready.waved.get_or_init(|| self.bound_end(of, at, shape, ready.fit.unknown_build)))
    }

    /// The same without one.
    #[inline]
    fn plain<'r>(&self, of: &GpuFreeTerms<'a>, at: GpuId, ready: &'r Ready) -> &'r BoundEnd {
        let made = || self.bound_end(of, at, &of.unwaved(at), ready.fit.unknown_build);
        ready.plain.get_or_init(made)
    }

    #[inline]
    fn bound_end(
        &self,
        of: &GpuFreeTerms<'a>,
        at: GpuId,
        shape: &WaveShape,
        unknown_build: bool,
    ) -> BoundEnd {
        let machine = of.machines.machine(at);
        let floor = of.floor(at);
        let on_this = |operator| modelled(of.machines.gpus.gpu(at), &operator, &self.work);
        let operator = of.subject.instance.operator.and_then(on_this);
        let residents = shape.residents(&self.bounded);
        let filled = machine.numbers.filled(&self.bounded, residents);
        let reuse = of.launching().reuse();
        let limits = shape.limits_on_filled(&filled, &self.bounded, &residents, reuse);
        let LaunchLimits { components, roof } =
            shape.or_with_fewer_blocks(limits, &machine.numbers, &self.bounded, reuse);
        let end = End {
            roof,
            pace: self.excess.filled_pace(machine, &filled),
            floor: floor.time.0,
            knows_floor: floor.is_known(),
            unknown_build,
            operator: operator.map(|parts| parts.time),
            slower_supply: slower_supply(&machine.numbers, &filled),
            library_share: shape.library_share,
            ln_tensor_lead: machine.ln_tensor_lead,
            may_lack_ecc: machine.numbers.has_ecc() && components.binding() == Some(Component::Dram),
        };
        let operator_binding = operator.as_ref().and_then(bound_by);
        let binding = launch_limit(&components, &roof);
        BoundEnd { end, blocks: shape.blocks, binding, operator_binding }
    }
}

impl Starting<'_, '_> {
    /// The work of a launch, as this source and the rows count it.
    #[must_use]
    pub fn work(&self) -> &Work {
        &self.group.work
    }

    /// Blocks of the launch on the GPU at this place, where they are known.
    #[must_use]
    pub fn blocks(&self, target: GpuId) -> Option<f64> {
        self.group.ready(&self.of, target).fit.blocks
    }

    /// How near the GPU at this place is; of the others of the catalogue without a look at their ids.
    #[inline]
    fn nearness(&self, target: GpuId, blocks: Option<f64>, is_same_architecture: bool) -> Nearness {
        let gpus = self.of.machines.gpus;
        if target == self.at {
            Nearness::SameSettings
        } else if gpus.board_place(target) == self.at {
            Nearness::of_board(self.gpu, gpus.gpu(target)).unwrap_or(Nearness::SameBoard)
        } else {
            let machines = &self.of.machines;
            let (source, target) = (machines.machine(self.at), machines.machine(gpus.board_place(target)));
            let launch = LaunchInUse::new(self.work(), blocks);
            Nearness::of_others(source, target, launch, is_same_architecture)
        }
    }

    /// What the source says where its launch ends like this.
    fn share(&self, bound: &BoundEnd) -> SourceShare {
        let is_of_size = self.source_time.as_ref().is_some_and(|t| t.timed_at_size().is_some());
        SourceShare::new(bound.end, self.timed, self.of.launching(), self.group.excess, self.typical)
            .timed_at_size(is_of_size)
    }

    /// The same without its last wave.
    fn plain(&self) -> &SourceShare {
        let ready = self.group.ready(&self.of, self.at);
        self.plain.get_or_init(|| self.share(self.group.plain(&self.of, self.at, ready)))
    }

    /// The time on the GPU at this place, and how uncertain it is: the numbers of [`crate::predict::Predictor::estimate`].
    ///
    /// # Errors
    /// As [`crate::predict::Predictor::predict`].
    pub fn estimate(&self, target: GpuId) -> Result<TimeEstimate, ModelRefusal> {
        let ready = self.group.ready(&self.of, target);
        if let Some(why) = &ready.fit.refusal {
            return Err((**why).clone());
        }
        match self.waved.as_ref().zip(self.group.waved(&self.of, target, ready)) {
            Some((origin, bound)) => self.estimate_on(target, &ready.fit, origin, bound),
            None => {
                let bound = self.group.plain(&self.of, target, ready);
                self.estimate_on(target, &ready.fit, self.plain(), bound)
            }
        }
    }

    /// [`Starting::estimate`] for those who ask of each GPU once: nothing is kept for a second question.
    ///
    /// # Errors
    /// As there.
    #[inline]
    pub fn estimate_once(&self, target: GpuId) -> Result<TimeEstimate, ModelRefusal> {
        if self.group.ready[target.index()].get().is_some() {
            return self.estimate(target);
        }
        let fit = self.group.gpu_fit(&self.of, target);
        if let Some(why) = fit.refusal {
            return Err(*why);
        }
        let waved = self.waved.as_ref().zip(fit.waves);
        let (origin, shape) = waved.unwrap_or_else(|| (self.plain(), self.of.unwaved(target)));
        let bound = self.group.bound_end(&self.of, target, &shape, fit.unknown_build);
        self.estimate_on(target, &fit, origin, &bound)
    }

    #[inline]
    fn estimate_on(
        &self,
        target: GpuId,
        fit: &GpuFit,
        origin: &SourceShare,
        bound: &BoundEnd,
    ) -> Result<TimeEstimate, ModelRefusal> {
        let end = &bound.end;
        let distance = distance_between(self.gpu, self.of.machines.gpus.gpu(target));
        let nearness = self.nearness(target, bound.blocks, distance == 0.0);
        let answered = origin.answered(end, nearness)?;
        let rests_on_measurement = self.source_time.as_ref().is_some_and(SourceTime::rests_on_measurement);
        let doubt = Some(origin.doubt(end, &answered, nearness, distance));
        let time = answered.time;
        let limit = if origin.is_by_operator(end) {
            bound.operator_binding
        } else if self.of.launching().is_limit(origin.floor_on(end), time.0) {
            Some(Bound::Launch)
        } else {
            bound.binding
        };
        let (width, interval, occupancy) = (None, None, fit.occupancy);
        Ok(TimeEstimate { time, doubt, width, interval, rests_on_measurement, limit, occupancy })
    }
}
