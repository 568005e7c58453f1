//! What a model is asked: a kernel at a size, a source, a target, and what is known on either side.

use super::ModelRefusal;
use super::barred::{barred, impossible_source};
use super::floor::{Floor, KernelFloors, LaunchCost, capped_floor, subject_timing};
use super::known_blocks::KnownBlocks;
use super::lesson::Lesson;
use super::registers::RegistersFrom;
use super::side::QuestionSide;
use super::source::{SourceKind, SourceTime};
use super::source_time::{SourceQuestion, source_time};
use super::subject::Subject;
use super::visible::Visible;
use super::{Caution, Provenance};
use crate::catalogue::NumberOrigin;
use crate::gpu::{Ceilings, Gpu, GpuId};
use crate::kernel::{
    Cc, Count, CountContradiction, Kernel, Mix, Operator, Translation, Work, contradictions,
};
use crate::measurement::{ConfigId, LaunchTiming, Measurement};
use crate::occupancy::Rules;
use crate::pair::Pair;
use crate::roofline::KernelArithmetic;
use crate::units::Seconds;

/// A whole question.
#[derive(Debug, Clone)]
pub struct Question<'a> {
    /// The kernel.
    pub kernel: &'a Kernel,
    /// The work of one launch.
    pub work: Work,
    /// The operator of a tensor library at this size, where the kernel is one.
    pub operator: Option<Operator>,
    /// Where it was timed, or is supposed to have been.
    pub source: QuestionSide<'a>,
    /// Where it might run.
    pub target: QuestionSide<'a>,
    /// Static and dynamic shared memory per block by the kernel's formulas, where they are known.
    smem_of_formulas: (Option<u32>, Option<u32>),
    mix_of_formulas: Mix,
    /// What rows and formulas say of its blocks.
    pub(super) blocks: KnownBlocks,
    /// The rows that may be asked where a count comes from, and where in the store and on which GPU to look first.
    rows: (Visible<'a>, Option<ConfigId>, GpuId),
    /// The time on the source.
    pub source_time: Option<SourceTime>,
    /// What a launch costs on source and target.
    pub floors: Pair<Floor>,
    /// How launches are timed.
    pub timing: LaunchTiming,
    /// The ceilings in use on both sides.
    pub ceilings: Ceilings,
    /// The ceilings that were asked for.
    pub ceilings_asked: Ceilings,
    /// Set where other ceilings were asked for than are in use.
    pub ceilings_caution: Option<Caution>,
    /// What other GPUs taught about `components` on this kernel, where anything was learned; [`question`] leaves it empty.
    pub lesson: Option<&'a Lesson>,
}

impl Question<'_> {
    /// Whether the target is the GPU of the source at the clocks and limits of its time: what was measured is the answer
    /// there.
    #[must_use]
    pub fn is_same_gpu(&self) -> bool {
        self.source.gpu.is_same_board_and_settings(self.target.gpu)
    }

    /// The time on the source where it was timed at some size: it bounds counts.
    pub(super) fn timed(&self) -> Option<Seconds> {
        self.source_time.as_ref().and_then(SourceTime::timed)
    }
}

/// Gathers all that is known for `subject` on two GPUs, source and target with their positions in the catalogue.
#[must_use]
pub fn question<'a>(
    kernel: &'a Kernel,
    subject: &Subject,
    gpus: Pair<(GpuId, &'a Gpu)>,
    store: impl Into<Visible<'a>>,
    ceilings: Ceilings,
    rules: Rules,
) -> Question<'a> {
    let store: Visible<'a> = store.into();
    let config = subject.config;
    let rows = SharedRows::from_rows(config.into_iter().flat_map(|c| store.rows_of(c)));
    let source_row = config.and_then(|c| store.row_on(c, gpus.source.0));
    let any_row = rows.shape(source_row);
    let side = |(at, gpu): (GpuId, &'a Gpu)| {
        let row = config.and_then(|c| store.row_on(c, at));
        QuestionSide::new(kernel, &subject.instance, gpu, row, any_row, rules)
    };
    let Pair { source, mut target } = gpus.map(side);
    target.barred = barred(kernel, target.gpu);
    if cc(source.gpu) == cc(target.gpu) && matches!(source.registers, RegistersFrom::TimedRow(_)) {
        // The same machine code runs on both.
        target.build.retain(|caution| !matches!(caution, Caution::RegistersOfOtherBuild(_)));
    }
    let ceilings_asked = ceilings;
    let (ceilings, ceilings_caution) = usable(ceilings, Pair::new(source.gpu, target.gpu));
    let work = rows.work(subject, source_row);
    let cannot_launch = source.refusal.is_some();
    let at_source = Some(gpus.source.0);
    let timing = subject_timing(kernel, subject, at_source, store);
    let of_kernel = KernelFloors::new(kernel, subject, at_source, timing, store);
    let floors = gpus.map(|(at, gpu)| of_kernel.on_gpu(at, gpu));
    let source_time = if cannot_launch && source_row.is_none() {
        None
    } else {
        let (at, side) = (gpus.source.0, &source);
        let launch = LaunchCost { floor: floors.source, timing };
        source_time(SourceQuestion { kernel, subject, work: &work, at, side, launch, store, rules })
    };
    if source_time.as_ref().is_some_and(|t| t.kind != SourceKind::Estimated) {
        let refused = refused_source(&source, &target, source_row);
        target.barred = target.barred.or_else(|| impossible_source(kernel, source.gpu)).or(refused);
    }
    let timed = source_time.as_ref().and_then(SourceTime::timed).map(|time| time.0);
    let on_source = floors.source.time.0;
    let floors =
        floors.map(|floor| Floor { time: Seconds(capped_floor(timed, on_source, floor.time.0)), ..floor });
    Question {
        kernel,
        work,
        operator: subject.instance.operator,
        blocks: rows.blocks.beside_formulas(&subject.instance),
        rows: (store, config, gpus.source.0),
        smem_of_formulas: (subject.instance.smem_static, subject.instance.smem_dynamic),
        mix_of_formulas: subject.instance.mix,
        source_time,
        floors,
        timing,
        source,
        target,
        ceilings,
        ceilings_asked,
        ceilings_caution,
        lesson: None,
    }
}

/// What the rows of one configuration say on every GPU, whoever the source is: shapes and counters hold everywhere, so
/// whoever wrote them down is asked, the source's own row first.
#[derive(Debug, Clone, Copy)]
pub(super) struct SharedRows<'a> {
    /// The first row that states a launch, else the first one.
    shape: Option<&'a Measurement>,
    /// Every counter of the first row that has it.
    counted: Work,
    /// What they say of blocks.
    pub(super) blocks: KnownBlocks,
}

impl<'a> SharedRows<'a> {
    pub(super) fn from_rows(rows: impl Iterator<Item = &'a Measurement>) -> Self {
        let mut all = Self { shape: None, counted: Work::default(), blocks: KnownBlocks::default() };
        for row in rows {
            if all.shape.is_none_or(|s| s.launch().is_none() && row.launch().is_some()) {
                all.shape = Some(row);
            }
            all.counted = row.filling(all.counted);
            all.blocks = all.blocks.beside_row(row);
        }
        all
    }

    /// The row whose shape holds where a GPU's own row states none, asked from a source with this row.
    pub(super) fn shape(&self, source: Option<&'a Measurement>) -> Option<&'a Measurement> {
        source.filter(|r| r.launch().is_some()).or(self.shape)
    }

    /// The work, asked from a source with this row.
    pub(super) fn work(&self, subject: &Subject, source: Option<&Measurement>) -> Work {
        let counted = source.map_or(self.counted, |own| self.counted.overlaid(&own.work()));
        subject.instance.work.with_counts(&counted)
    }
}

/// That the row of the source states a launch which its own GPU refuses: where the target refuses it too, it is the row that is
/// wrong.
fn refused_source(
    source: &QuestionSide<'_>,
    target: &QuestionSide<'_>,
    row: Option<&Measurement>,
) -> Option<ModelRefusal> {
    let is_stated = row.is_some_and(Measurement::describes_launch) && target.refusal.is_some();
    let why = source.refusal.filter(|_| is_stated)?;
    Some(ModelRefusal::RefusedSource { gpu: source.gpu.id.clone(), why })
}

/// Peak and achieved are never mixed: where one GPU has no achieved ceilings, both use peak.
fn usable(asked: Ceilings, gpus: Pair<&Gpu>) -> (Ceilings, Option<Caution>) {
    let without = gpus.iter().find(|g| g.bandwidth_achieved.is_none() || g.fp32_achieved.is_none());
    match (asked, without) {
        (Ceilings::Achieved, Some(gpu)) => {
            (Ceilings::Peak, Some(Caution::CeilingsFellBack { gpu: gpu.id.as_str().into() }))
        }
        _ => (asked, None),
    }
}

fn cc(gpu: &Gpu) -> Cc {
    (gpu.cuda.compute_capability.major, gpu.cuda.compute_capability.minor)
}

impl<'a> Question<'a> {
    /// Cautions that hold whatever the model.
    pub(super) fn question_cautions(&self, uses_source: bool) -> Vec<Caution> {
        let mut all = Vec::new();
        if uses_source {
            all.extend(self.source_time.iter().flat_map(|t| t.cautions.clone()));
            all.extend(self.source.build.iter().cloned());
        }
        for caution in &self.target.build {
            if !all.contains(caution) {
                all.push(caution.clone());
            }
        }
        all.extend(self.ceilings_caution.clone());
        all.extend(self.contradictions());
        let capabilities = [&self.source, &self.target].map(|on| on.gpu.cuda.compute_capability.to_string());
        all.extend(self.kernel.cautions_beside(&capabilities).map(|c| Caution::Kernel(c.into())));
        let timed = self.timed().is_some();
        let atomics = self.work.get(Count::GlobalAtomicRequests).is_some_and(|a| a > 0.0);
        if uses_source && timed && atomics {
            all.push(Caution::AtomicsNotModelled);
        }
        all
    }

    /// Counts that cannot both be true, with their sources.
    fn contradictions(&self) -> Vec<Caution> {
        let tensor = KernelArithmetic::from_kernel(self.kernel).is_on_tensor_cores();
        let found = contradictions(&self.work, &self.kernel.dtype, tensor);
        let said = |c: &CountContradiction| {
            let both = c.named(|count| format!(" ({})", self.counted(count)));
            Caution::Contradiction(format!("{both}: {}; {}", c.why, c.done).into())
        };
        found.iter().map(said).collect()
    }

    /// How the arithmetic changes on the target, where two listings were read and the second one's code runs there.
    pub(super) fn translation(&self) -> Option<&Translation> {
        let [source, target] = [self.source.gpu, self.target.gpu].map(cc);
        let t = self.kernel.translation.as_deref()?;
        (Translation::runs(t.source, source) && Translation::runs(t.target, target)).then_some(t)
    }

    /// What must be said where two listings were read that do not fit these GPUs.
    pub(super) fn translation_caution(&self) -> Option<Caution> {
        let t = self.kernel.translation.as_deref().filter(|_| self.translation().is_none())?;
        Some(Caution::ListingsDoNotFit { from: t.from.as_str().into(), to: t.to.as_str().into() })
    }

    /// The rows that may be asked, the source's own first.
    fn source_rows(&self) -> impl Iterator<Item = &'a Measurement> {
        let (store, config, source) = self.rows;
        let own = config.and_then(|c| store.row_on(c, source));
        own.into_iter().chain(config.into_iter().flat_map(move |c| store.rows_of(c)))
    }

    /// Arithmetic by instruction and bytes of shared memory, of the first rows that counted them, else of the kernel's file.
    #[must_use]
    pub fn mix(&self) -> Mix {
        self.source_rows().fold(Mix::default(), |found, row| found.or(row.mix())).or(self.mix_of_formulas)
    }

    /// Where the arithmetic of the mix comes from.
    pub(super) fn mix_from(&self) -> Option<Provenance> {
        let row = self.source_rows().find(|r| r.mix().single.is_some() || r.mix().double.is_some());
        let of_row =
            row.map(|r| Provenance::Stated(SourceKind::from(r.kind()).origin(), r.source().text().into()));
        let formulas = || self.kernel.instruction_formulas();
        of_row.or_else(|| formulas().map(|f| Provenance::Stated(f.origin, f.source.clone())))
    }

    /// Shared memory per block in bytes, where a row or the kernel's formulas state all of it.
    pub(super) fn shared_memory(&self) -> Option<u64> {
        let both = |(a, b): (Option<u32>, Option<u32>)| Some(u64::from(a?) + u64::from(b?));
        let of_row = self.source_rows().find_map(|r| both((r.smem_static(), r.smem_dynamic())));
        of_row.or_else(|| both(self.smem_of_formulas))
    }

    /// Where this count comes from: the source's row, the first other one that counted it, else the kernel file's formula.
    pub(super) fn counted(&self, count: Count) -> Provenance {
        let row = self.source_rows().find(|r| r.measured_count(count).is_some());
        let of_row =
            row.map(|r| Provenance::Stated(SourceKind::from(r.kind()).origin(), r.source().text().into()));
        of_row
            .or_else(|| {
                self.kernel.count_formula(count).map(|c| Provenance::Stated(c.origin, c.source.clone()))
            })
            .unwrap_or_else(|| Provenance::Stated(NumberOrigin::Assumed, "".into()))
    }

    /// Whether the working set fits in the L2 of this GPU.
    pub fn fits_l2(&self, gpu: &Gpu) -> bool {
        self.work.get(Count::WorkingSetBytes).is_some_and(|w| w <= gpu.l2_size.value.0)
    }
}
