//! What paper 3's metrics are made of: everything known of one launch on one GPU.

use crate::evaluate::EvaluationWorld;
use crate::gpu::{Ceilings, GpuId, SmLimits};
use crate::kernel::{Count, Kernel, Launch, Problem, ProblemValue, Work};
use crate::measurement::Measurement;
use crate::occupancy::{Occupancy, Rules};
use crate::pair::Pair;
use crate::predict::{Subject, question};

/// One launch on one GPU, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Facts {
    /// The product of the problem's keys that say how many elements there are; the threads of the grid, where the problem
    /// has no such key.
    pub size: f64,
    /// Whether no key says how many elements there are, as in a profiler's report.
    pub size_is_threads: bool,
    /// Whether the problem has one key alone, so that its elements can be counted off thread by thread.
    pub one_dimensional: bool,
    /// Blocks in the grid.
    pub blocks: u64,
    /// Threads per block.
    pub threads: u32,
    /// Registers per thread; `None` where nobody said.
    pub registers: Option<u32>,
    /// Static and dynamic shared memory per block in bytes, as far as somebody stated it.
    pub shared: u32,
    /// SMs of the GPU.
    pub sms: u32,
    /// Limits of its compute capability.
    pub limits: SmLimits,
    /// What fits on an SM, by the exact rules.
    pub occupancy: Occupancy,
    /// Floating-point operations.
    pub flops: Option<f64>,
    /// Bytes to and from DRAM.
    pub dram_bytes: Option<f64>,
    /// The same of the launch with one thread, where it was measured too.
    pub one_thread_dram_bytes: Option<f64>,
    /// Active threads per warp instruction, at most 32.
    pub active_threads: Option<f64>,
    /// Warp instructions issued.
    pub warp_instructions: Option<f64>,
    /// Bytes of an element, by the kernel's type.
    pub element_bytes: f64,
}

/// Why there are no metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NoFacts {
    /// Nobody states block and grid.
    NoLaunch,
    /// The launch cannot start on this GPU, so that what was timed is no run of the kernel.
    CannotLaunch,
}

impl NoFacts {
    /// In words, for a message.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NoLaunch => "block and grid unknown",
            Self::CannotLaunch => "the launch cannot start on its GPU",
        }
    }
}

impl Facts {
    /// Everything known of `subject` on the GPU at this place: the row's own word first, then the kernel's formulas.
    ///
    /// # Errors
    /// [`NoFacts`] where block or grid are unknown, or the launch cannot start.
    pub fn from_row(
        world: EvaluationWorld<'_>,
        subject: &Subject,
        gpu: GpuId,
        row: Option<&Measurement>,
    ) -> Result<Self, NoFacts> {
        let kernel = &world.kernels[subject.kernel];
        let on = (gpu, &world.gpus[gpu]);
        let q = question(kernel, subject, Pair::new(on, on), world.store, Ceilings::Peak, Rules::Exact);
        let side = &q.source;
        if side.refusal.is_some() {
            return Err(NoFacts::CannotLaunch);
        }
        let launch = row.and_then(Measurement::launch).or(side.launch).ok_or(NoFacts::NoLaunch)?;
        let (needs, occupancy) = side.needs.zip(side.occupancy).ok_or(NoFacts::NoLaunch)?;
        let sizes = sizes(kernel, &subject.problem);
        let work = counts(&q.work, subject, launch, row);
        let known = !side.registers.is_unknown() && needs.regs_per_thread > 0;
        let of_row = row.map(Measurement::dtype).filter(|d| !d.is_empty());
        Ok(Self {
            size: if sizes.is_empty() { threads_of(launch) } else { sizes.iter().product() },
            size_is_threads: sizes.is_empty(),
            one_dimensional: sizes.len() == 1,
            blocks: launch.block_count(),
            threads: launch.threads(),
            registers: known.then_some(needs.regs_per_thread),
            shared: needs.smem(),
            sms: on.1.sms.value,
            limits: on.1.cuda.limits,
            occupancy,
            flops: work.get(Count::Flops),
            dram_bytes: work.get(Count::DramBytes),
            one_thread_dram_bytes: None,
            active_threads: work.get(Count::ActiveThreadsPerInst),
            warp_instructions: work.get(Count::WarpInstsIssued),
            element_bytes: element_bytes(of_row.unwrap_or(&kernel.dtype)),
        })
    }
}

/// The numbers of a problem that say how many elements there are.
fn sizes(kernel: &Kernel, problem: &Problem) -> Vec<f64> {
    let work = problem.pairs().iter().filter(|(k, _)| kernel.is_size_key(k.as_str()));
    work.filter_map(|(_, v)| if let ProblemValue::Number(n) = v { Some(*n) } else { None }).collect()
}

/// Threads of the whole grid.
fn threads_of(launch: Launch) -> f64 {
    launch.block_count() as f64 * f64::from(launch.threads())
}

/// The counts of this launch. Formulas count instructions for the launch they state: where the row ran another one, only
/// what does not depend on it (FLOPs, compulsory bytes) is taken from them.
fn counts(all: &Work, subject: &Subject, launch: Launch, row: Option<&Measurement>) -> Work {
    if subject.instance.launch.is_none_or(|l| l == launch) {
        return *all;
    }
    let own = row.map_or_else(Work::default, Measurement::work);
    let of_any = [Count::Flops, Count::DramBytes];
    of_any.into_iter().fold(own, |work, c| {
        let value = work.get(c).or(all.get(c));
        work.with(c, value)
    })
}

/// Bytes of one element of this type; four where the type says nothing.
#[must_use]
pub fn element_bytes(dtype: &str) -> f64 {
    let bits: String =
        dtype.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
    match bits.parse::<u32>() {
        Ok(bits @ (8 | 16 | 32 | 64)) => f64::from(bits / 8),
        _ => 4.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_as_wide_as_their_type_says() {
        let widths = ["fp32", "fp64", "fp16", "bf16", "uint8", "int32", "", "mixed", "fp8_e4m3", "tf32"];
        assert_eq!(widths.map(element_bytes), [4.0, 8.0, 2.0, 2.0, 1.0, 4.0, 4.0, 4.0, 1.0, 4.0]);
    }
}
