//! Many answers about one kernel at one size: what a GPU brings is reckoned once, and an answer is what carrying the time leaves to do.
//!
//! The arithmetic is that of [`super::ends`], which a single question runs through as well. Shapes and counters may come
//! from the source's own row: sources that say the same share what was reckoned for their targets, any other has its own.

use super::ends::{End, SourceShare};
use super::excess::Excess;
use super::launching::Launching;
use super::nearness::Nearness;
use super::places::GpuPlaces;
use super::transfer::LaunchRoof;
use super::wave_shape::{ShapeOccupancies, WaveShape};
use crate::gpu::{Gpu, GpuId};
use crate::kernel::{Kernel, Launch, RunsAs, Work};
use crate::measurement::{LaunchTiming, Measurement};
use crate::occupancy::Rules;
use crate::predict::floor::{LaunchCost, floor, is_launch_limited};
use crate::predict::operators::modelled_seconds;
use crate::predict::question::{LaunchFit, SharedRows, barred, feasible};
use crate::predict::source_time::{SourceQuestion, source_time};
use crate::predict::{
    Floor, ModelRefusal, QuestionSide, SourceKind, SourceTime, Subject, TimeEstimate, Visible,
};
use crate::roofline::{Bound, machine_of};
use std::cell::OnceCell;

/// One kernel at one size, ready to be asked about any two GPUs.
#[derive(Debug)]
pub struct PreparedKernel<'a> {
    of: GpuFreeTerms<'a>,
    shared: SharedRows<'a>,
    /// By what their sources say.
    groups: Vec<SourcesAlike<'a>>,
}

/// What does not depend on any GPU.
#[derive(Debug, Clone, Copy)]
struct GpuFreeTerms<'a> {
    kernel: &'a Kernel,
    subject: &'a Subject,
    gpus: GpuPlaces<'a>,
    store: Visible<'a>,
    rules: Rules,
    timing: LaunchTiming,
}

/// The targets as sources see them whose rows state the same.
#[derive(Debug)]
struct SourcesAlike<'a> {
    work: Work,
    excess: Excess,
    shape: Option<&'a Measurement>,
    /// By GPU.
    ready: Vec<OnceCell<Box<Ready>>>,
    rows: Vec<Option<&'a Measurement>>,
}

/// The same without a last wave, and with one where waves are known: they count only where both sides know them.
#[derive(Debug)]
struct Waved<T> {
    without: T,
    with: Option<T>,
}

/// One GPU under one work and shape.
#[derive(Debug)]
struct Ready {
    end: Waved<End>,
    refusal: Option<Box<ModelRefusal>>,
    /// The component that takes longest; `None` for an operator, whose limit its own model names.
    binding: Option<Bound>,
    /// 0 to 1.
    occupancy: Option<f64>,
    /// Blocks of the launch, where it is known.
    blocks: Option<f64>,
}

/// A source, ready to be asked for any target.
#[derive(Debug)]
pub struct Starting<'p, 'a> {
    of: GpuFreeTerms<'a>,
    group: &'p SourcesAlike<'a>,
    gpu: &'a Gpu,
    /// Its place in the catalogue.
    at: GpuId,
    origin: Waved<SourceShare>,
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
        let timing = LaunchTiming::from_variant(&subject.variant);
        let (gpus, store) = (gpus.into(), store.into());
        let of = GpuFreeTerms { kernel, subject, gpus, store, rules, timing };
        Self { of, shared: SharedRows::from_rows(of.rows()), groups: Vec::new() }
    }

    /// Everything that the GPU at this place says as a source.
    pub fn start(&mut self, source: GpuId) -> Starting<'_, 'a> {
        let of = self.of;
        let row = of.row_on(source);
        let (work, shape) = (self.shared.work(of.subject, row), self.shared.shape(row));
        let alike = |g: &SourcesAlike<'_>| g.work == work && stated(g.shape) == stated(shape);
        let at = self.groups.iter().position(alike).unwrap_or_else(|| {
            let ready = (0..of.gpus.count()).map(|_| OnceCell::new()).collect();
            let mut rows = vec![None; of.gpus.count()];
            of.rows().for_each(|row| rows[row.gpu.index()] = Some(row));
            let uses_shared = self.shared.uses_shared_memory(&of.subject.instance);
            let excess = Excess::new(&work, uses_shared);
            self.groups.push(SourcesAlike { work, excess, shape, ready, rows });
            self.groups.len() - 1
        });
        let group = &self.groups[at];
        let side = group.side(of, source);
        let ready = group.ready(of, source);
        let GpuFreeTerms { kernel, subject, store, rules, timing, .. } = of;
        let launch = LaunchCost { floor: of.floor(source), timing };
        let asked = SourceQuestion {
            kernel,
            subject,
            work: &group.work,
            at: source,
            side: &side,
            launch,
            store,
            rules,
        };
        let source_time = if side.refusal.is_some() && row.is_none() { None } else { source_time(asked) };
        let timed = source_time.as_ref().filter(|t| t.extrapolation.is_some()).map(|t| t.time.0);
        let (launching, excess) = (of.launching(), group.excess);
        let origin = |end: End| SourceShare::new(end, timed, launching, excess);
        let Waved { without, with } = &ready.end;
        let origin = Waved { without: origin(*without), with: with.map(origin) };
        Starting { of, group, gpu: side.gpu, at: source, origin, source_time }
    }
}

impl<'a> GpuFreeTerms<'a> {
    fn row_on(&self, gpu: GpuId) -> Option<&'a Measurement> {
        self.subject.config.and_then(|c| self.store.row_on(c, gpu))
    }

    fn floor(&self, gpu: GpuId) -> Floor {
        floor(self.kernel, self.subject, self.gpus.board_place(gpu), self.gpus.gpu(gpu), self.store)
    }

    fn launching(&self) -> Launching {
        Launching::new(self.kernel.runs_as, self.timing)
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
    fn side(&self, of: GpuFreeTerms<'a>, at: GpuId) -> QuestionSide<'a> {
        QuestionSide::new(
            of.kernel,
            &of.subject.instance,
            of.gpus.gpu(at),
            self.row_on(of, at),
            self.shape,
            of.rules,
        )
    }

    fn row_on(&self, of: GpuFreeTerms<'a>, at: GpuId) -> Option<&'a Measurement> {
        self.rows[of.gpus.board_place(at).index()]
    }

    fn ready(&self, of: GpuFreeTerms<'a>, at: GpuId) -> &Ready {
        self.ready[at.index()].get_or_init(|| Box::new(self.reckon(of, at)))
    }

    fn reckon(&self, of: GpuFreeTerms<'a>, at: GpuId) -> Ready {
        let gpu = of.gpus.gpu(at);
        let fit =
            LaunchFit::new(of.kernel, &of.subject.instance, gpu, self.row_on(of, at), self.shape, of.rules);
        let machine = machine_of(gpu, of.kernel);
        let (floor, excess, unknown_build) = (of.floor(at), self.excess, fit.registers_unknown());
        let operator = modelled_seconds(gpu, of.subject.instance.operator.as_ref(), &self.work);
        let reused = of.launching().reuses_buffers();
        let end = |shape: WaveShape| {
            let limits = shape.limits(&machine, &self.work, reused);
            End {
                roof: LaunchRoof::new(limits.components.roof(), limits.exposed, shape.waves),
                pace: excess.pace(&machine.filled(shape.residents(&self.work))),
                floor: floor.time.0,
                knows_floor: floor.is_known(),
                unknown_build,
                operator,
            }
        };
        let shaped = of.kernel.runs_as == RunsAs::Kernel;
        let occupancy = ShapeOccupancies { of_waves: fit.wave_occupancy(), own: fit.stated_occupancy() };
        let shape = WaveShape::on(gpu, fit.launch.filter(|_| shaped), occupancy);
        let refusal =
            barred(of.kernel, gpu).or_else(|| feasible(gpu, fit.refusal, &self.work).err()).map(Box::new);
        let residents = shape.unwrap_or_default().residents(&self.work);
        let binding = machine.filled(residents).components(&self.work, reused).binding();
        Ready {
            end: Waved { without: end(WaveShape::default()), with: shape.map(end) },
            refusal,
            binding: binding.map(Bound::from).filter(|_| operator.is_none()),
            occupancy: fit.occupancy().map(|o| o.fraction()),
            blocks: fit.launch.map(|l| l.block_count() as f64),
        }
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
        self.group.ready(self.of, target).blocks
    }

    /// How near the GPU at this place is; of the others of the catalogue without a look at their ids.
    #[inline]
    fn nearness(&self, target: GpuId) -> Nearness {
        if target == self.at {
            Nearness::SameSettings
        } else if self.of.gpus.board_place(target) == self.at {
            Nearness::between(self.gpu, self.of.gpus.gpu(target))
        } else {
            Nearness::Other
        }
    }

    /// The time on the GPU at this place, and how uncertain it is: the numbers of [`crate::predict::Predictor::estimate`].
    ///
    /// # Errors
    /// As [`crate::predict::Predictor::predict`].
    pub fn estimate(&self, target: GpuId) -> Result<TimeEstimate, ModelRefusal> {
        let (of, group) = (self.of, self.group);
        let ready = group.ready(of, target);
        if let Some(why) = &ready.refusal {
            return Err((**why).clone());
        }
        let (mine, theirs) = (&self.origin, &ready.end);
        let waved = mine.with.as_ref().zip(theirs.with.as_ref());
        let (origin, end) = waved.unwrap_or((&mine.without, &theirs.without));
        let answered = origin.answered(end, self.nearness(target))?;
        let other = self.gpu.architecture != of.gpus.gpu(target).architecture;
        let rests_on_measurement = self.source_time.as_ref().is_some_and(|t| t.kind != SourceKind::Estimated);
        let doubt = Some(origin.doubt(end, &answered, other));
        let time = answered.time;
        let limit = if is_launch_limited(time.0, end.floor) { Some(Bound::Launch) } else { ready.binding };
        let (width, interval, occupancy) = (None, None, ready.occupancy);
        Ok(TimeEstimate { time, doubt, width, interval, rests_on_measurement, limit, occupancy })
    }
}
