//! Kernels that do more FLOPs in their time than the lanes of the GPU can: their arithmetic is that of tensor cores, whoever did not say so
//! ([`tensor_types_of_lanes`]: the first type whose tensor cores do as much). A kernel with a row that
//! reaches still more has wrong counts or times, and stays as it is.

use crate::catalogue::Catalogue;
use crate::gpu::Gpu;
use crate::kernel::{ArithmeticSource, Count, Kernel, KernelId, NameFacts, StatedArithmetic};
use crate::measurement::Measurement;
use crate::roofline::{ABOVE_STATED_CLOCK, first_type_in_reach, pipe_of, tensor_types_of_lanes};
use crate::units::FlopsPerSecond;
use std::collections::BTreeMap;

/// Assumes tensor cores where rows show them.
pub(super) fn assume_tensor_cores(
    rows: &[Measurement],
    gpus: &Catalogue<Gpu>,
    kernels: &mut Catalogue<Kernel>,
) {
    let mut reached: BTreeMap<KernelId, Option<usize>> = BTreeMap::new();
    for row in rows {
        let Some(needed) = needed_type(row, &kernels[row.kernel], gpus) else { continue };
        let known = reached.entry(row.kernel).or_insert(needed);
        *known = known.zip(needed).map(|(a, b)| a.max(b));
    }
    for (id, needed) in reached {
        let mut kernel = kernels[id].clone();
        let Some(input) = needed.and_then(|at| tensor_types_of_lanes(&kernel).get(at).copied()) else {
            continue;
        };
        let facts = NameFacts { is_tensor: true, input: Some(input), ..NameFacts::default() };
        let stated = StatedArithmetic { source: ArithmeticSource::Reached, facts };
        if kernel.state_arithmetic(stated).is_ok() {
            // Its names are those it has.
            let _ = kernels.insert(kernel);
        }
    }
}

/// Which of the candidates it takes for what this row reached, `Some(None)` where none is enough; `None` where the lanes do it.
fn needed_type(row: &Measurement, kernel: &Kernel, gpus: &Catalogue<Gpu>) -> Option<Option<usize>> {
    let gpu = &gpus[row.gpu];
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
    let types = tensor_types_of_lanes(kernel);
    Some(first_type_in_reach(gpu, types, FlopsPerSecond(reached)))
}
