//! Which arithmetic pipe a kernel's FLOPs run on, why that one is taken, and its rate on a GPU.
//!
//! | first that applies | pipe | why |
//! |---|---|---|
//! | the kernel's file declares a tensor operator | tensor, its types | the file |
//! | the kernel's name states a tensor instruction | tensor, the name's types | the name |
//! | the kernel needs tensor cores | tensor, its element type | the file |
//! | dtype tf32, bf16, fp8, fp4, int8, int4 | tensor, FP32 or INT32 accumulate | assumed from dtype |
//! | dtype fp64, fp16 | the FP64 lanes, packed FP16 | dtype |
//! | anything else | the FP32 lanes | dtype |
//!
//! A tensor rate is always the dense one; where a GPU states none for the type, the FP32 lanes stand in and that is said.

use super::{MachineNumbers, Spec, vector_rate};
use crate::catalogue::{ElementType, Feature, Sourced};
use crate::gpu::{Ceilings, Gpu};
use crate::kernel::{Kernel, NameFacts, VectorPrecision};
use crate::units::FlopsPerSecond;
use std::fmt;

/// An arithmetic pipe of an SM.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pipe {
    /// The FP32 lanes.
    Fp32,
    /// The FP64 lanes.
    Fp64,
    /// Two halves per FP32 lane.
    PackedFp16,
    /// Tensor cores, dense.
    Tensor {
        /// Type of the operands.
        input: ElementType,
        /// Type that products are added in.
        accumulate: ElementType,
    },
}

/// A pipe, and why it is taken to be the kernel's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PipeChoice {
    /// The pipe.
    pub pipe: Pipe,
    /// Why: `its name states a tensor instruction`.
    pub why: &'static str,
}

impl fmt::Display for Pipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fp32 => f.write_str("FP32 lanes"),
            Self::Fp64 => f.write_str("FP64 lanes"),
            Self::PackedFp16 => f.write_str("packed FP16"),
            Self::Tensor { input, accumulate } => {
                let [input, accumulate] = [input, accumulate].map(|t| t.as_str().to_uppercase());
                write!(f, "tensor {input}, dense, {accumulate} accumulate")
            }
        }
    }
}

impl Pipe {
    /// Whether it is that of the tensor cores.
    #[must_use]
    pub fn is_tensor(self) -> bool {
        matches!(self, Self::Tensor { .. })
    }

    /// Its stated rate on this GPU; `None` where nobody states one.
    #[must_use]
    pub fn peak(self, gpu: &Gpu) -> Option<&Sourced<FlopsPerSecond>> {
        match self {
            Self::Fp32 => Some(&gpu.fp32_peak),
            Self::Fp64 => gpu.fp64_peak.as_ref(),
            Self::PackedFp16 => gpu.fp16_peak.as_ref(),
            Self::Tensor { input, accumulate } => gpu.tensor_rate(input, accumulate),
        }
    }
}

/// The pipe that a kernel's FLOPs are taken to run on.
#[must_use]
pub fn pipe_of(kernel: &Kernel) -> PipeChoice {
    if let Some(declared) = kernel.operator {
        if declared.kind.uses_tensor_cores() {
            let pipe = Pipe::Tensor { input: declared.input, accumulate: declared.accumulate };
            return PipeChoice { pipe, why: "the kernel's file declares a tensor operator" };
        }
        return PipeChoice {
            pipe: Pipe::Fp32,
            why: "the kernel's file declares an operator of single elements",
        };
    }
    // A kernel of the catalogue says it in its file; its name is a title.
    let facts = if kernel.has_formulas() { NameFacts::default() } else { NameFacts::of_name(&kernel.name) };
    if facts.is_tensor {
        let input = facts.input.or(ElementType::from_name(&kernel.dtype)).unwrap_or(ElementType::Fp16);
        let accumulate = facts.accumulate.unwrap_or(input.usual_accumulate());
        return PipeChoice {
            pipe: Pipe::Tensor { input, accumulate },
            why: "its name states a tensor instruction",
        };
    }
    pipe_of_dtype(kernel)
}

fn pipe_of_dtype(kernel: &Kernel) -> PipeChoice {
    let element = ElementType::from_name(&kernel.dtype);
    let tensor = |input: ElementType, why| {
        let pipe = Pipe::Tensor { input, accumulate: input.usual_accumulate() };
        PipeChoice { pipe, why }
    };
    match element {
        Some(input) if kernel.needs.contains(&Feature::Tensor) => {
            tensor(input, "the kernel needs tensor cores")
        }
        Some(input) if input.is_of_tensor_cores() => tensor(input, "assumed from its dtype"),
        Some(ElementType::Fp64) => PipeChoice { pipe: Pipe::Fp64, why: "its dtype" },
        Some(ElementType::Fp16) => PipeChoice { pipe: Pipe::PackedFp16, why: "its dtype" },
        _ => PipeChoice { pipe: Pipe::Fp32, why: "its dtype" },
    }
}

/// The compute roof of this kernel on a GPU: the dense tensor rate where its FLOPs are tensor cores' and one is stated, else
/// the vector rate of this precision, else the FP32 one.
#[must_use]
pub fn compute_roof<'g>(
    gpu: &'g Gpu,
    kernel: &Kernel,
    precision: VectorPrecision,
    ceilings: Ceilings,
) -> &'g Sourced<FlopsPerSecond> {
    let pipe = pipe_of(kernel).pipe;
    let tensor = pipe.peak(gpu).filter(|_| pipe.is_tensor());
    tensor.or_else(|| vector_rate(gpu, precision, ceilings)).unwrap_or(gpu.compute(ceilings))
}

/// The machine of this GPU for this kernel: as [`MachineNumbers::from_gpu`], with the dense tensor rate where its FLOPs are tensor cores'.
#[must_use]
pub fn machine_of(gpu: &Gpu, kernel: &Kernel) -> MachineNumbers {
    let machine = MachineNumbers::from_gpu(gpu, &kernel.dtype);
    let pipe = pipe_of(kernel).pipe;
    match pipe.peak(gpu).filter(|_| pipe.is_tensor()) {
        Some(rate) => {
            let clocks = f64::from(gpu.sms.value) * gpu.boost_clock.value.0;
            machine.with(Spec::FlopsPerClock, rate.value.0 / clocks).with(Spec::PowerShare, 1.0)
        }
        None => machine,
    }
}
