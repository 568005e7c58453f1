//! One GPU's side of a question: launch shape, what a block asks for, and whether it can run there.

use super::registers::{FoundRegisters, RegistersFrom, least_registers, registers};
use super::{Caution, ModelRefusal};
use crate::gpu::Gpu;
use crate::kernel::{
    BlockSize, CompiledResources, Count, Instance, Kernel, Launch, ProductSizes, Resources, Work,
};
use crate::measurement::Measurement;
use crate::occupancy::{BlockNeeds, Carveout, LaunchRefusal, Occupancy, Rules, launch_refusal, occupancy};
use crate::units::Bytes;

/// One GPU's side of a question.
#[derive(Debug, Clone)]
pub struct QuestionSide<'a> {
    /// The GPU.
    pub gpu: &'a Gpu,
    /// The launch shape, where known.
    pub launch: Option<Launch>,
    pub(super) full_share: f64,
    /// As [`Instance::is_compared`].
    pub(super) is_compared: bool,
    /// What a block asks for, where the launch shape or at least the threads per block are known or assumed.
    pub needs: Option<BlockNeeds>,
    /// Resident blocks of such a block.
    pub occupancy: Option<Occupancy>,
    /// Why the launch cannot start here.
    pub refusal: Option<LaunchRefusal>,
    /// Why the kernel's code cannot run here at all; looked for on the target only: a source was timed.
    pub barred: Option<ModelRefusal>,
    /// Resident blocks by which the waves of a launch are counted, where the block is somebody's word: on the GPU that exists.
    pub(super) wave_occupancy: Option<Occupancy>,
    /// Whose registers these are.
    pub registers: RegistersFrom,
    /// What must be said about the build: registers of another one, spills, a block that nobody stated.
    pub build: Vec<Caution>,
    pub(super) library_product: Option<ProductSizes>,
    /// Whether nobody stated the threads per block, so that [`QuestionSide::needs`] are those of an assumed block.
    pub block_assumed: bool,
}

/// Why the launch that `row` times cannot have started on its GPU, by the row's own words first; `any_row` gives the shape
/// where it states none. What was timed then is the refusal, and no kernel.
#[must_use]
pub fn never_started(
    kernel: &Kernel,
    instance: &Instance,
    gpu: &Gpu,
    row: &Measurement,
    any_row: Option<&Measurement>,
) -> Option<LaunchRefusal> {
    LaunchFit::new(kernel, instance, gpu, Some(row), any_row, Rules::Exact).refusal
}

/// What fits on one GPU, in numbers: the part of a [`QuestionSide`] that needs no words.
#[derive(Debug, Clone, Copy)]
pub(super) struct LaunchFit<'a> {
    pub(super) launch: Option<Launch>,
    /// As [`Instance::full_share`]; the blocks of a launch that is none of the formulas are all full.
    pub(super) full_share: f64,
    /// As [`Instance::is_compared`].
    pub(super) is_compared: bool,
    pub(super) refusal: Option<LaunchRefusal>,
    pub(super) needs: Option<BlockNeeds>,
    occupancy: Option<Occupancy>,
    wave_occupancy: Option<Occupancy>,
    /// Threads per block that stand in for an unknown launch shape.
    unstated: Option<BlockSize>,
    pub(super) registers: FoundRegisters<'a>,
    /// The compiler's word, where it is the build that runs here.
    build: Option<&'a Resources>,
}

impl<'a> LaunchFit<'a> {
    pub(super) fn new(
        kernel: &'a Kernel,
        instance: &Instance,
        gpu: &Gpu,
        row: Option<&'a Measurement>,
        any_row: Option<&'a Measurement>,
        rules: Rules,
    ) -> Self {
        let timed = |row: Option<&Measurement>| row.and_then(Measurement::launch);
        let launch = timed(row).or(timed(any_row)).or(instance.launch);
        let is_compared = instance.is_compared;
        let full_share = if launch == instance.launch { instance.full_share } else { 1.0 };
        // A row with a block and no grid still says what fits an SM.
        let timed_block = [row, any_row].into_iter().flatten().find_map(Measurement::block_of_unknown_grid);
        let unstated = if launch.is_some() { None } else { timed_block.or(instance.block_size) };
        let cc = gpu.cuda.compute_capability;
        let compiled = kernel.resources_on(cc.major, cc.minor);
        let threads = launch.map(|l| l.threads()).or(unstated.map(BlockSize::threads));
        let (regs_per_thread, registers) =
            registers(compiled, instance, row, any_row, least_registers(instance, gpu, threads));
        // Another architecture's build, or one that is not the timed one, says nothing about this one's bounds and spills.
        let build = compiled.filter(|c| c.borrowed_from.is_none());
        let build = build.map(|c| c.resources).filter(|_| !matches!(registers, FoundRegisters::TimedRow(_)));
        let needs = threads.map(|threads| BlockNeeds {
            threads,
            regs_per_thread,
            max_threads: build.and_then(Resources::most_threads),
            ..shared_needs(compiled, instance, row, any_row)
        });
        // A block that nobody asked for refuses nothing, unless no block at all could be launched.
        let smallest = |n: BlockNeeds| BlockNeeds { threads: 1, ..n };
        let asked = if is_assumed(unstated) { needs.map(smallest) } else { needs };
        let required = build.and_then(Resources::required_threads).zip(asked);
        let other_block = required.filter(|(required, asked)| *required != asked.threads);
        let refusal = other_block
            .map(|(required, n)| LaunchRefusal::OtherBlock { threads: n.threads, required })
            .or_else(|| launch_refusal(&gpu.cuda.limits, asked?, launch.as_ref()));
        let resident_on = |gpu: &Gpu| needs.map(|n| occupancy(&gpu.cuda.limits, n, rules));
        let resident = resident_on(gpu);
        let occupancy = match (rules, refusal) {
            // The study's formula knows no refusal.
            (Rules::Exact, Some(_)) => resident.map(Occupancy::refused),
            _ => resident,
        };
        let wave_occupancy = if gpu.is_hypothetical() { resident_on(gpu.existing()) } else { occupancy };
        Self {
            launch,
            full_share,
            is_compared,
            refusal,
            needs,
            occupancy,
            wave_occupancy,
            unstated,
            registers,
            build,
        }
    }

    /// As [`QuestionSide::wave_occupancy`].
    pub(super) fn wave_occupancy(&self) -> Option<Occupancy> {
        self.wave_occupancy.filter(|_| !is_assumed(self.unstated))
    }

    /// As [`QuestionSide::stated_occupancy`].
    pub(super) fn stated_occupancy(&self) -> Option<Occupancy> {
        self.occupancy.filter(|_| !is_assumed(self.unstated))
    }

    /// Resident blocks, also of an assumed block.
    pub(super) fn occupancy(&self) -> Option<Occupancy> {
        self.occupancy
    }
}

fn is_assumed(block: Option<BlockSize>) -> bool {
    matches!(block, Some(BlockSize::Assumed(_)))
}

impl<'a> QuestionSide<'a> {
    pub(super) fn new(
        kernel: &Kernel,
        instance: &Instance,
        gpu: &'a Gpu,
        row: Option<&Measurement>,
        any_row: Option<&Measurement>,
        rules: Rules,
    ) -> Self {
        let fit = LaunchFit::new(kernel, instance, gpu, row, any_row, rules);
        let LaunchFit { launch, full_share, refusal, needs, occupancy, unstated, registers, build, .. } = fit;
        let wave_occupancy = fit.wave_occupancy();
        let registers = RegistersFrom::from(registers);
        let said = [
            registers.caution(gpu),
            build.and_then(|b| spilled(gpu, b)),
            unstated.and_then(Caution::of_block),
        ];
        Self {
            gpu,
            launch,
            full_share,
            is_compared: instance.is_compared,
            needs,
            occupancy,
            refusal,
            barred: None,
            wave_occupancy,
            // Of a kernel without any block nothing is computed that registers could spoil.
            build: said.into_iter().flatten().filter(|_| needs.is_some()).collect(),
            registers,
            library_product: instance.library_product,
            block_assumed: is_assumed(unstated),
        }
    }

    /// Resident blocks, where the block is somebody's word: no model rests on an assumed one.
    pub(super) fn stated_occupancy(&self) -> Option<Occupancy> {
        self.occupancy.filter(|_| !self.block_assumed)
    }

    /// Why no time can be given on this GPU, whatever the model.
    pub(super) fn feasible(&self, work: &Work) -> Result<(), ModelRefusal> {
        if let Some(why) = &self.barred {
            return Err(why.clone());
        }
        feasible(self.gpu, self.refusal, work)
    }
}

/// [`QuestionSide::feasible`] on this GPU, where the launch may have been refused.
pub(super) fn feasible(gpu: &Gpu, refusal: Option<LaunchRefusal>, work: &Work) -> Result<(), ModelRefusal> {
    if let Some(why) = refusal {
        return Err(ModelRefusal::CannotLaunch { gpu: gpu.id.clone(), why });
    }
    let sets = [Count::WorkingSetBytes, Count::ScatteredSetBytes].into_iter().filter_map(|set| work.get(set));
    let (needed, memory) = (Bytes(sets.fold(0.0, f64::max)), gpu.memory_size.value);
    if needed > memory {
        return Err(ModelRefusal::DoesNotFit { gpu: gpu.id.clone(), needed, memory });
    }
    Ok(())
}

/// Shared memory and barriers of a block: its measured row first, then the compiler's word for this very architecture,
/// the formula, a row timed elsewhere; another architecture's build after everything.
fn shared_needs(
    compiled: Option<CompiledResources<'_>>,
    instance: &Instance,
    row: Option<&Measurement>,
    any_row: Option<&Measurement>,
) -> BlockNeeds {
    let stated = |stated: Option<u32>, of_row: fn(&Measurement) -> Option<u32>| {
        row.and_then(of_row).or(stated).or_else(|| any_row.and_then(of_row))
    };
    let [exact, nearest] = [true, false].map(|exact| {
        let fits = compiled.filter(|c| c.borrowed_from.is_none() == exact);
        fits.and_then(|c| c.resources.static_smem_bytes)
    });
    let smem_static = stated(exact.or(instance.smem_static), Measurement::smem_static).or(nearest);
    let usual = BlockNeeds::default();
    BlockNeeds {
        smem_static: smem_static.unwrap_or(0),
        smem_dynamic: stated(instance.smem_dynamic, Measurement::smem_dynamic).unwrap_or(0),
        carveout: instance.carveout_percent.map_or(usual.carveout, Carveout::Percent),
        // Any build's barriers are those of the source: they are no allocator's choice.
        barriers: compiled.and_then(|c| c.resources.barriers).unwrap_or(usual.barriers),
        ..usual
    }
}

fn spilled(gpu: &Gpu, build: &Resources) -> Option<Caution> {
    let (stores, loads) = build.spills()?;
    Some(Caution::Spills { gpu: gpu.id.as_str().into(), stores, loads })
}
