//! Which arithmetic pipe a kernel's FLOPs run on, why that one is taken, and its rate on a GPU.
//!
//! | first that applies | pipe | why |
//! |---|---|---|
//! | the kernel's file declares a tensor operator | tensor, its types | the file |
//! | somebody states it: `--pipe`, the column `pipe` of its row, `pipe` of its file | as stated | who states it |
//! | the kernel's name states a tensor instruction | tensor, the name's types; those of its dtype column where that is no FP32 | the name |
//! | the name states double precision (`_dgemm`), and no dtype another type | the FP64 lanes | the name |
//! | the kernel needs tensor cores | tensor, its element type | the file |
//! | dtype tf32, bf16, fp8, fp4, int8, int4; fp16 of no kernel file | tensor, FP32 or INT32 accumulate | assumed from dtype |
//! | dtype fp64, fp16, int32 | the FP64 lanes, packed FP16, integer multiply-adds | dtype |
//! | anything else | the FP32 lanes | dtype |
//!
//! A tensor rate is always the dense one. Where a GPU states none for the type, that of FP16 stands in for FP8 and FP4 (code converts to it),
//! of INT8 for INT4, else the FP32 lanes, and that is said.

use super::{MachineNumbers, Spec, vector_rate};
use crate::catalogue::{ElementType, Feature, Sourced};
use crate::gpu::{Ceilings, Gpu, TensorPower};
use crate::kernel::{Kernel, NameFacts, VectorPrecision};
use crate::pair::Pair;
use crate::units::{FlopsPerSecond, Operation};
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
    /// Integer multiply-adds of 32 bits, two operations each.
    Int32,
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
            Self::Int32 => f.write_str("INT32 multiply-adds"),
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

    /// The type of the operands of tensor cores; `None` for other pipes.
    #[must_use]
    pub fn tensor_input(self) -> Option<ElementType> {
        match self {
            Self::Tensor { input, .. } => Some(input),
            _ => None,
        }
    }

    /// Whether it does arithmetic of FP64, on whatever lanes.
    #[must_use]
    pub fn is_double(self) -> bool {
        matches!(self, Self::Fp64 | Self::Tensor { input: ElementType::Fp64, .. })
    }

    /// What its rates and intensities are counted in.
    #[must_use]
    pub fn operation(self) -> Operation {
        let is_integer = self == Self::Int32 || self.tensor_input().is_some_and(ElementType::is_integer);
        if is_integer { Operation::Op } else { Operation::Flop }
    }

    /// Its stated rate on this GPU, of tensor cores else that of another accumulate type, else that of the type that code for narrower ones
    /// converts to; `None` where nobody states one.
    #[must_use]
    pub fn peak(self, gpu: &Gpu) -> Option<&Sourced<FlopsPerSecond>> {
        match self {
            Self::Fp32 => Some(&gpu.fp32_peak),
            Self::Fp64 => gpu.fp64_peak.as_ref(),
            Self::PackedFp16 => gpu.fp16_peak.as_ref().filter(|rate| rate.value >= gpu.fp32_peak.value),
            Self::Int32 => Some(gpu.int32_rate()),
            Self::Tensor { input, accumulate } => {
                let rate = |input, accumulate| gpu.tensor_rate_or_other_accumulate(input, accumulate);
                rate(input, accumulate).or_else(|| {
                    let wider = wider_type(input)?;
                    rate(wider, wider.usual_accumulate())
                })
            }
        }
    }

    /// Whether [`Pipe::peak`] is that of another accumulate type.
    fn has_other_accumulate(self, gpu: &Gpu) -> bool {
        match self {
            Self::Tensor { input, accumulate } => {
                gpu.tensor_rate(input, accumulate).is_none()
                    && gpu.tensor_rate_or_other_accumulate(input, accumulate).is_some()
            }
            _ => false,
        }
    }

    /// Whether [`Pipe::peak`] is that of a wider type.
    fn has_wider_type(self, gpu: &Gpu) -> bool {
        match self {
            Self::Tensor { input, accumulate } => {
                gpu.tensor_rate_or_other_accumulate(input, accumulate).is_none() && self.peak(gpu).is_some()
            }
            _ => false,
        }
    }
}

/// What code with operands of this type computes in on GPUs whose tensor cores do not take them; `None` where there is no habit.
fn wider_type(input: ElementType) -> Option<ElementType> {
    match input {
        ElementType::Fp8 | ElementType::Fp4 => Some(ElementType::Fp16),
        ElementType::Int4 => Some(ElementType::Int8),
        _ => None,
    }
}

/// The pipe and why it is taken, where that is worth a word: tensor cores, and whatever somebody stated. Operators declare theirs. Beside it
/// those of both GPUs that state no such rate.
#[must_use]
pub fn pipe_note(kernel: &Kernel, gpus: Pair<&Gpu>) -> Option<String> {
    let is_stated = kernel.states_pipe();
    let choice = pipe_of(kernel);
    let is_told = kernel.operator.is_none() && (choice.pipe.is_tensor() || is_stated);
    let is_bf16 = matches!(choice.pipe, Pipe::Tensor { input: ElementType::Bf16, .. });
    let lanes = match choice.pipe {
        pipe if pipe.is_double() => "FP64 lanes stand",
        _ if is_bf16 => "FP32 lanes at 0.55 of their rate stand",
        _ => "FP32 lanes stand",
    };
    let without = stand_in(gpus, "rate", lanes, |gpu| choice.pipe.peak(gpu).is_none());
    let other = stand_in(gpus, "rate", "rate for another accumulate type stands", |gpu| {
        choice.pipe.has_other_accumulate(gpu)
    });
    let wider = stand_in(gpus, "rate", "rate for a wider type stands", |gpu| choice.pipe.has_wider_type(gpu));
    let stand_in = without + &other;
    let by_warp = if has_newer_instructions(choice.pipe) { of_one_warp(kernel, gpus) } else { String::new() };
    is_told.then(|| format!("arithmetic: {}; {}{stand_in}{wider}{by_warp}", choice.pipe, choice.why))
}

/// Whether newer GPUs have faster instructions for it than those of one warp: for FP64 none has.
fn has_newer_instructions(pipe: Pipe) -> bool {
    pipe.is_tensor() && !pipe.is_double()
}

/// `; its instruction reaches 0.63 of that rate on h100-sxm5`, or how to say so where nobody stated an instruction; nothing where any reaches
/// all of it.
fn of_one_warp(kernel: &Kernel, gpus: Pair<&Gpu>) -> String {
    let share = |gpu: &&Gpu| Some(format!("{} of that rate on {}", warp_share(gpu)?.value, gpu.id.as_str()));
    let mut shares: Vec<String> = gpus.iter().filter_map(share).collect();
    shares.dedup();
    let shares = shares.join(", ");
    let facts = kernel.arithmetic_facts();
    let states_other = facts.instruction.is_some();
    let lacks = |gpu: &Gpu| !facts.runs_on_major(gpu.cuda.compute_capability.major);
    if kernel.states_pipe() && gpus.iter().any(|gpu| lacks(gpu)) {
        return stand_in(gpus, "instruction", "own tensor instruction stands", lacks);
    }
    match KernelArithmetic::from_kernel(kernel).by_warp {
        _ if shares.is_empty() => String::new(),
        true => format!("; its instruction reaches {shares}"),
        false if states_other || !kernel.states_pipe() => String::new(),
        false => format!("; mma.sync reaches {shares}: with it, add instruction=mma.sync"),
    }
}

/// What is left of the FP32 rate where its lanes do products of BF16, each operand converted: cuBLAS reaches 0.52 to 0.57 of its own FP32 rate on
/// four boards of Maxwell to Turing, 0.73 on a V100S (products of 8192, a public table of PyTorch's).
const BF16_ON_LANES: f64 = 0.55;

/// How many times more FLOPs than at its stated clock a board may do, because it runs above that: FMA loops reach 1.03 to 1.23 of the stated rate
/// on GeForce and Quadro boards (OpenCL-Benchmark; the most an RTX 2080 Ti).
pub const ABOVE_STATED_CLOCK: f64 = 1.3;

/// The same of tensor cores, which their power keeps nearer to it.
const TENSOR_ABOVE_STATED_CLOCK: f64 = 1.05;

/// `; no such rate on a, b: its FP32 lanes stand in`; nothing where no GPU lacks it.
fn stand_in(gpus: Pair<&Gpu>, lacking: &str, what: &str, lacks: impl Fn(&Gpu) -> bool) -> String {
    let mut without: Vec<&str> = gpus.iter().filter(|gpu| lacks(gpu)).map(|gpu| gpu.id.as_str()).collect();
    without.dedup();
    if without.is_empty() {
        return String::new();
    }
    format!("; no such {lacking} on {}: its {what} in", without.join(", "))
}

/// [`tensor_types_of_lanes`] of this kernel: by the pipe that is stated before its type.
fn tensor_types_of(kernel: &Kernel) -> &'static [ElementType] {
    tensor_types_of_lanes(if pipe_of(kernel).pipe.is_double() { "fp64" } else { &kernel.dtype })
}

/// Element types of the tensor cores that may do the arithmetic of a kernel of this type, slower ones first.
#[must_use]
pub fn tensor_types_of_lanes(dtype: &str) -> &'static [ElementType] {
    use ElementType::{Fp16, Fp32, Fp64, Tf32};
    match ElementType::from_name(dtype) {
        None | Some(Fp16) => &[Fp16],
        Some(Fp32) => &[Tf32, Fp16],
        Some(Fp64) => &[Fp64],
        Some(_) => &[],
    }
}

/// The place of the first of these types whose tensor cores do as much on this GPU; FP16 may be twice as fast: sparse, or operands of eight bits.
/// `None` where none does.
#[must_use]
pub fn first_type_in_reach(gpu: &Gpu, types: &[ElementType], reached: FlopsPerSecond) -> Option<usize> {
    let does = |(at, input): (usize, &ElementType)| {
        let rate = gpu.tensor_rate_or_other_accumulate(*input, input.usual_accumulate())?;
        let doubled = if *input == ElementType::Fp16 { 2.0 } else { 1.0 };
        (doubled * TENSOR_ABOVE_STATED_CLOCK * rate.value.0 >= reached.0).then_some(at)
    };
    types.iter().enumerate().find_map(does)
}

/// The type that `--pipe` would name where a kernel of vector pipes reached more on this GPU than they do, and tensor cores do as much.
#[must_use]
pub fn tensor_type_in_reach(gpu: &Gpu, kernel: &Kernel, reached: FlopsPerSecond) -> Option<ElementType> {
    let machine = machine_of(gpu, kernel);
    let lanes: f64 =
        [Spec::FlopsPerClock, Spec::Sms, Spec::Clock].map(|spec| machine.spec_value(spec)).iter().product();
    if pipe_of(kernel).pipe.is_tensor() || reached.0 <= ABOVE_STATED_CLOCK * lanes {
        return None;
    }
    let types = tensor_types_of(kernel);
    first_type_in_reach(gpu, types, reached).map(|at| types[at])
}

/// That a GPU's tensor cores do more FP64 than the lanes that this kernel is taken to run on: a library's matrix product uses them there.
#[must_use]
pub fn tensor_fp64_note(gpu: &Gpu, kernel: &Kernel) -> Option<String> {
    if pipe_of(kernel).pipe != Pipe::Fp64 || kernel.states_pipe() {
        return None;
    }
    let lanes = gpu.fp64_peak.as_ref()?.value;
    let cores =
        gpu.tensor_rate(ElementType::Fp64, ElementType::Fp64).filter(|rate| rate.value > lanes)?.value;
    Some(format!(
        "{}: FP64 lanes {lanes}, tensor cores {cores}; for a matrix product say --pipe tensor-fp64",
        gpu.id
    ))
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
    let facts = kernel.arithmetic_facts();
    let by_file = ElementType::from_name(&kernel.dtype);
    if let Some(stated) = kernel.stated_arithmetic.as_ref().filter(|_| kernel.states_pipe()) {
        return PipeChoice { pipe: stated_pipe(&facts, by_file), why: stated.source.as_str() };
    }
    if facts.is_tensor {
        // Tensors of FP32 run on tensor cores as TF32: their dtype says nothing of the instruction.
        let by_row = by_file.filter(|dtype| !matches!(dtype, ElementType::Fp32 | ElementType::Fp64));
        let same = by_row.is_none() || by_row == facts.input;
        let input = by_row.or(facts.input).or(by_file).unwrap_or(ElementType::Fp16);
        let accumulate = facts.accumulate.filter(|_| same).unwrap_or(input.usual_accumulate());
        let why = if same || facts.input.is_none() {
            "its name states a tensor instruction"
        } else {
            "its name states a tensor instruction, its dtype another type"
        };
        return PipeChoice { pipe: Pipe::Tensor { input, accumulate }, why };
    }
    if facts.input == Some(ElementType::Fp64) && by_file.is_none() {
        return PipeChoice { pipe: Pipe::Fp64, why: "its name states double precision" };
    }
    pipe_of_dtype(kernel)
}

/// The pipe of facts that somebody stated; the type of the kernel where none is among them.
fn stated_pipe(facts: &NameFacts, dtype: Option<ElementType>) -> Pipe {
    let input = facts.input.or(dtype).unwrap_or(ElementType::Fp16);
    match input {
        _ if facts.is_tensor => {
            Pipe::Tensor { input, accumulate: facts.accumulate.unwrap_or(input.usual_accumulate()) }
        }
        ElementType::Fp64 => Pipe::Fp64,
        ElementType::Fp16 => Pipe::PackedFp16,
        ElementType::Int32 => Pipe::Int32,
        _ => Pipe::Fp32,
    }
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
        // A kernel's file names its pipe. Anybody else who counts FLOPs of FP16 has a product or attention first.
        Some(input @ ElementType::Fp16) if !kernel.has_formulas() => tensor(input, "assumed from its dtype"),
        Some(ElementType::Fp64) => PipeChoice { pipe: Pipe::Fp64, why: "its dtype" },
        Some(ElementType::Fp16) => PipeChoice { pipe: Pipe::PackedFp16, why: "its dtype" },
        Some(ElementType::Int32) => PipeChoice { pipe: Pipe::Int32, why: "its dtype" },
        _ => PipeChoice { pipe: Pipe::Fp32, why: "its dtype" },
    }
}

/// The compute roof of this kernel on a GPU: the dense tensor rate where its FLOPs are tensor cores' and one is stated, else
/// the vector rate that is stated or of this precision, else the FP32 one.
#[must_use]
pub fn compute_roof<'g>(
    gpu: &'g Gpu,
    kernel: &Kernel,
    precision: VectorPrecision,
    ceilings: Ceilings,
) -> &'g Sourced<FlopsPerSecond> {
    let pipe = pipe_of(kernel).pipe;
    let is_own = pipe.is_tensor() || matches!(pipe, Pipe::PackedFp16 | Pipe::Int32);
    let own = pipe.peak(gpu).filter(|_| is_own);
    let precision = if pipe.is_double() { VectorPrecision::Double } else { precision };
    own.or_else(|| vector_rate(gpu, precision, ceilings)).unwrap_or(gpu.compute(ceilings))
}

/// What of a kernel decides which rates of a GPU it runs at: all kernels of one arithmetic find the same machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelArithmetic {
    /// `fp64`, `fp16`, `int32`, or `fp32` for everything else.
    lanes: &'static str,
    pipe: Pipe,
    /// Whether its tensor instructions are those of one warp on every GPU.
    by_warp: bool,
    /// Whether somebody stated the pipe.
    is_stated: bool,
    /// Whether FP32 lanes are assumed, as nobody stated a type.
    is_assumed: bool,
}

impl KernelArithmetic {
    /// That of this kernel.
    #[must_use]
    pub fn from_kernel(kernel: &Kernel) -> Self {
        let by_dtype = ["fp64", "fp16"].into_iter().find(|lanes| *lanes == kernel.dtype).unwrap_or("fp32");
        let pipe = pipe_of(kernel).pipe;
        let lanes = match pipe {
            _ if pipe.is_double() => "fp64",
            Pipe::PackedFp16 => "fp16",
            Pipe::Int32 => "int32",
            Pipe::Fp32 if kernel.states_pipe() => "fp32",
            _ => by_dtype,
        };
        // The name is a library's, which takes another kernel on another GPU.
        let stated = kernel.stated_arithmetic.as_ref().filter(|_| has_newer_instructions(pipe));
        let by_warp = stated.is_some_and(|stated| stated.facts.is_of_one_warp());
        let is_stated = kernel.states_pipe() && !kernel.arithmetic_is_reached();
        let is_assumed = pipe == Pipe::Fp32
            && kernel.dtype.is_empty()
            && !(kernel.states_pipe() || kernel.has_formulas() || kernel.operator.is_some());
        Self { lanes, pipe, by_warp, is_stated, is_assumed }
    }

    /// ln of how many times the FLOPs of FP32 this GPU's tensor cores do in FP16; 0 where it has none, and where somebody stated the type of such kernels.
    #[must_use]
    pub fn ln_tensor_lead(self, gpu: &Gpu) -> f64 {
        let half = ElementType::Fp16;
        let tensor = gpu.tensor_rate_or_other_accumulate(half, half.usual_accumulate());
        let lead = tensor.filter(|_| self.is_assumed).map(|rate| rate.value.0 / gpu.fp32_peak.value.0);
        lead.map_or(0.0, |lead| lead.ln().max(0.0))
    }

    /// Whether FLOPs are those of lanes, as somebody said: then no time is shorter than these lanes take.
    #[must_use]
    pub fn is_on_stated_lanes(self) -> bool {
        self.is_stated && !self.pipe.is_tensor()
    }

    /// Whether FLOPs are those of tensor cores.
    #[must_use]
    pub fn is_on_tensor_cores(self) -> bool {
        self.pipe.is_tensor()
    }

    /// Whether FLOPs are those of FP64, on whatever lanes.
    #[must_use]
    pub fn is_double(self) -> bool {
        self.pipe.is_double()
    }

    /// The type of the operands and the stated dense rate where FLOPs are those of tensor cores and this GPU states one.
    #[must_use]
    pub fn tensor_rate_on(self, gpu: &Gpu) -> Option<(ElementType, FlopsPerSecond)> {
        Some((self.pipe.tensor_input()?, self.pipe.peak(gpu)?.value))
    }

    /// The machine of this GPU for such kernels: as [`MachineNumbers::from_gpu`], with the dense tensor rate where FLOPs are tensor
    /// cores'.
    #[must_use]
    pub fn machine(self, gpu: &Gpu) -> MachineNumbers {
        let machine = MachineNumbers::from_gpu(gpu, self.lanes);
        let Pipe::Tensor { input, .. } = self.pipe else { return machine };
        let clock = gpu.boost_clock.value.0;
        let at_power = |rate: FlopsPerSecond| {
            let share = TensorPower::new(gpu, input).clock_share(clock, rate);
            (rate.0 / (f64::from(gpu.sms.value) * clock), share)
        };
        let share = warp_share(gpu).filter(|_| self.by_warp).map_or(1.0, |share| share.value);
        let rate = self.pipe.peak(gpu).map(|rate| at_power(FlopsPerSecond(share * rate.value.0)));
        let on_lanes = rate.is_none() && input == ElementType::Bf16;
        let machine = machine.for_tensor_kernel(rate);
        if on_lanes { machine.scaled(Spec::FlopsPerClock, BF16_ON_LANES) } else { machine }
    }
}

/// What tensor instructions of one warp reach of this GPU's tensor rate; `None` where they reach all of it.
fn warp_share(gpu: &Gpu) -> Option<&Sourced<f64>> {
    gpu.sm.warp_mma_share.as_ref()
}

/// The machine of this GPU for this kernel: [`KernelArithmetic::machine`].
#[must_use]
pub fn machine_of(gpu: &Gpu, kernel: &Kernel) -> MachineNumbers {
    KernelArithmetic::from_kernel(kernel).machine(gpu)
}
