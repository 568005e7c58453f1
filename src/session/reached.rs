//! Kernels that do more FLOPs in their time than the lanes of the GPU can: their arithmetic is that of tensor cores, whoever did not say so
//! ([`tensor_types_of_lanes`]: the first type whose tensor cores do as much). A kernel with a row that reaches still more has wrong counts or
//! times, and stays as it is. FLOPs of FP16, which are tensor cores' unless somebody says otherwise, are packed halves' where a row does as
//! many as those do and no more.

use crate::catalogue::{Catalogue, ElementType};
use crate::gpu::Gpu;
use crate::kernel::{ArithmeticSource, Count, Kernel, KernelId, NameFacts, StatedArithmetic};
use crate::measurement::Measurement;
use crate::roofline::{ABOVE_STATED_CLOCK, Pipe, first_type_in_reach, pipe_of, tensor_types_of_lanes};
use crate::units::FlopsPerSecond;
use std::collections::BTreeMap;

/// What does the FLOPs of a row in its time; what holds of one row of a kernel goes before what is less in another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reached {
    /// The lanes, or nobody counted.
    Lanes,
    /// Two halves per lane, on a GPU whose tensor cores do more.
    PackedFp16,
    /// Tensor cores of this one of [`tensor_types_of_lanes`].
    Tensor(usize),
    /// Nothing does as much.
    Beyond,
}

/// Assumes tensor cores where rows show them.
pub(super) fn assume_tensor_cores(
    rows: &[Measurement],
    gpus: &Catalogue<Gpu>,
    kernels: &mut Catalogue<Kernel>,
) {
    let mut most: BTreeMap<KernelId, Reached> = BTreeMap::new();
    for row in rows {
        let reached = reached_by(row, &kernels[row.kernel], gpus);
        if reached > Reached::Lanes {
            let known = most.entry(row.kernel).or_insert(reached);
            *known = reached.max(*known);
        }
    }
    for (id, reached) in most {
        let Some(stated) = reached.arithmetic(&kernels[id]) else { continue };
        let mut kernel = kernels[id].clone();
        if kernel.state_arithmetic(stated).is_ok() {
            // Its names are those it has.
            let _ = kernels.insert(kernel);
        }
    }
}

/// What this row alone shows of a kernel of which nothing is stated; `None` where the lanes do it.
pub(super) fn arithmetic_that_a_row_shows(
    row: &Measurement,
    kernel: &Kernel,
    gpus: &Catalogue<Gpu>,
) -> Option<StatedArithmetic> {
    reached_by(row, kernel, gpus).arithmetic(kernel)
}

impl Reached {
    fn arithmetic(self, kernel: &Kernel) -> Option<StatedArithmetic> {
        let facts = match self {
            Self::Lanes | Self::Beyond => return None,
            Self::PackedFp16 => NameFacts { input: Some(ElementType::Fp16), ..NameFacts::default() },
            Self::Tensor(at) => {
                let input = tensor_types_of_lanes(&kernel.dtype).get(at).copied();
                NameFacts { is_tensor: true, input, ..NameFacts::default() }
            }
        };
        let source =
            if facts.is_tensor { ArithmeticSource::Reached } else { ArithmeticSource::ReachedPacked };
        Some(StatedArithmetic { source, facts })
    }
}

fn reached_by(row: &Measurement, kernel: &Kernel, gpus: &Catalogue<Gpu>) -> Reached {
    let gpu = &gpus[row.gpu];
    reached_above_lanes(row, kernel, gpu)
        .or_else(|| reached_by_packed_halves(row, kernel, gpu))
        .unwrap_or(Reached::Lanes)
}

/// What loops of packed FP16 multiply-adds reach of the stated rate: 0.85 to 1.16 on GPUs of Volta to Blackwell (OpenCL-Benchmark).
const OF_PACKED: std::ops::RangeInclusive<f64> = 0.8..=1.2;

/// `None` where it does not reach the rate of packed halves, or more than that, and where a kernel states its arithmetic.
fn reached_by_packed_halves(row: &Measurement, kernel: &Kernel, gpu: &Gpu) -> Option<Reached> {
    let is_said = kernel.has_formulas() || kernel.states_pipe() || kernel.arithmetic_facts().is_tensor;
    if kernel.dtype != "fp16" || is_said {
        return None;
    }
    let tensor = pipe_of(kernel).pipe;
    let packed = Pipe::PackedFp16.peak(gpu)?.value.0;
    let reached = row.measured_count(Count::Flops)? / row.time.0;
    let is_packed = OF_PACKED.contains(&(reached / packed));
    let has_more = tensor.is_tensor() && tensor.peak(gpu).is_some_and(|rate| rate.value.0 > packed);
    (is_packed && has_more).then_some(Reached::PackedFp16)
}

/// `None` where the lanes do it.
fn reached_above_lanes(row: &Measurement, kernel: &Kernel, gpu: &Gpu) -> Option<Reached> {
    let reached = row.measured_count(Count::Flops)? / row.time.0;
    let slowest = if kernel.dtype == "fp64" { gpu.fp64_peak.as_ref()? } else { &gpu.fp32_peak };
    if reached <= ABOVE_STATED_CLOCK * slowest.value.0 || kernel.has_formulas() || kernel.operator.is_some() {
        return None;
    }
    let pipe = pipe_of(kernel).pipe;
    let lanes = pipe.peak(gpu).filter(|_| !pipe.is_tensor())?;
    if reached <= ABOVE_STATED_CLOCK * lanes.value.0 {
        return None;
    }
    let types = tensor_types_of_lanes(&kernel.dtype);
    let type_at = first_type_in_reach(gpu, types, FlopsPerSecond(reached));
    Some(type_at.map_or(Reached::Beyond, Reached::Tensor))
}
