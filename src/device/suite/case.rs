//! One kernel of the suite at one problem size: everything that a launch and a check need, as numbers.

use super::fill::sampled;
use super::{Argument, Buffer, BufferRole, Element, Fill, SuiteError, SuiteKernel, SuiteRun, fill};
use crate::kernel::{Formula, Kernel, Launch, Problem};

/// The longest buffer, in elements: indices of the kernels are 32-bit numbers.
const LONGEST: f64 = 2_147_483_647.0;

/// All of a problem in one thread.
const ONE_THREAD: Launch = Launch { block: [1; 3], grid: [1; 3] };

/// The content of a buffer.
#[derive(Debug, Clone, PartialEq)]
pub enum BufferData {
    /// Single precision.
    F32(Vec<f32>),
    /// Double precision.
    F64(Vec<f64>),
    /// Signed, 32 bits.
    I32(Vec<i32>),
    /// Unsigned, 32 bits.
    U32(Vec<u32>),
}

impl BufferData {
    /// Elements.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::F32(v) => v.len(),
            Self::F64(v) => v.len(),
            Self::I32(v) => v.len(),
            Self::U32(v) => v.len(),
        }
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One element; every type fits exactly.
    #[must_use]
    pub fn value_at(&self, at: usize) -> Option<f64> {
        match self {
            Self::F32(v) => v.get(at).map(|v| f64::from(*v)),
            Self::F64(v) => v.get(at).copied(),
            Self::I32(v) => v.get(at).map(|v| f64::from(*v)),
            Self::U32(v) => v.get(at).map(|v| f64::from(*v)),
        }
    }

    /// As it lies in memory, lowest byte first.
    #[must_use]
    pub fn as_bytes(&self) -> Vec<u8> {
        match self {
            Self::F32(v) => v.iter().flat_map(|v| v.to_le_bytes()).collect(),
            Self::F64(v) => v.iter().flat_map(|v| v.to_le_bytes()).collect(),
            Self::I32(v) => v.iter().flat_map(|v| v.to_le_bytes()).collect(),
            Self::U32(v) => v.iter().flat_map(|v| v.to_le_bytes()).collect(),
        }
    }

    /// From memory; a rest that makes no element is left out.
    #[must_use]
    pub fn from_bytes(element: Element, bytes: &[u8]) -> Self {
        let words = bytes.as_chunks::<4>().0;
        match element {
            Element::F32 => Self::F32(words.iter().map(|w| f32::from_le_bytes(*w)).collect()),
            Element::F64 => {
                Self::F64(bytes.as_chunks::<8>().0.iter().map(|w| f64::from_le_bytes(*w)).collect())
            }
            Element::I32 => Self::I32(words.iter().map(|w| i32::from_le_bytes(*w)).collect()),
            Element::U32 => Self::U32(words.iter().map(|w| u32::from_le_bytes(*w)).collect()),
        }
    }
}

/// One parameter of a launch, in numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scalar {
    /// Address of the buffer at this position.
    Buffer(usize),
    /// An unsigned number.
    U32(u32),
    /// A signed number.
    I32(i32),
    /// A single-precision number.
    F32(f32),
    /// A double-precision number.
    F64(f64),
}

/// Why a case cannot be made: the suite's error, as it names kernel and field.
pub type CaseError = SuiteError;

/// A buffer of a case.
#[derive(Debug, Clone, PartialEq)]
pub struct CaseBuffer {
    /// Its name.
    pub name: String,
    /// Element type.
    pub element: Element,
    /// Elements.
    pub length: usize,
    /// What the kernel does with it.
    pub role: BufferRole,
    fill: Fill,
}

/// One kernel at one size. Its buffers can be filled, launched, and checked against the reference.
#[derive(Debug, Clone)]
pub struct SuiteCase {
    /// Id in `specs/kernels`.
    pub kernel: String,
    /// `small`, `medium`, `large` or `xlarge`.
    pub size: String,
    /// The problem, every key given.
    pub problem: Problem,
    /// Block and grid.
    pub launch: Launch,
    /// Dynamic shared memory per block in bytes.
    pub dynamic_smem: u32,
    /// Buffers, in the order of the suite's file.
    pub buffers: Vec<CaseBuffer>,
    /// Parameters in order, with the names references know them by.
    pub arguments: Vec<(String, Scalar)>,
    /// Position of the checked buffer.
    pub checked: usize,
    /// What buffers are filled from.
    pub seed: u64,
    /// Filled buffers; empty until [`SuiteCase::fill`].
    contents: Vec<BufferData>,
}

impl SuiteCase {
    /// This kernel at this problem.
    ///
    /// # Errors
    /// [`SuiteError`] for a formula that does not parse or gives no sound number, or a kernel without launch shape.
    pub fn new(of: &SuiteKernel, kernel: &Kernel, run: &SuiteRun, seed: u64) -> Result<Self, SuiteError> {
        let wrong = |field: &str, why: &dyn std::fmt::Display| SuiteError::new(&of.id, field, why);
        let problem = run_problem(of, kernel, run)?;
        let instance = kernel.instance(&problem, &of.variant).map_err(|e| wrong("launch", &e))?;
        let launch = if of.one_thread { Some(ONE_THREAD) } else { instance.launch };
        let launch = launch.ok_or_else(|| wrong("id", &"its kernel file has no [launch]; give it one"))?;
        let scope = FormulaScope::new(of, kernel, &problem, launch);
        let buffers: Vec<CaseBuffer> =
            of.buffers.iter().map(|b| scope.buffer(b)).collect::<Result<_, _>>()?;
        let arguments = of.arguments.iter().map(|a| scope.argument(a)).collect::<Result<_, _>>()?;
        let checked = buffers.iter().position(|b| b.name == of.check.buffer);
        let checked = checked.ok_or_else(|| wrong("check", &"names no buffer"))?;
        Ok(Self {
            kernel: of.id.clone(),
            size: run.size.clone(),
            problem,
            launch,
            dynamic_smem: instance.smem_dynamic.unwrap_or(0),
            buffers,
            arguments,
            checked,
            seed,
            contents: Vec::new(),
        })
    }

    /// Fills every buffer; references may be asked then.
    pub fn fill(&mut self) {
        let seed = self.seed;
        self.contents =
            self.buffers.iter().map(|b| fill(b.fill, b.element, b.length, &b.name, seed)).collect();
    }

    /// Puts other content into a filled buffer; whether it is there and the content is of its type and length.
    pub fn put(&mut self, buffer: &str, data: BufferData) -> bool {
        let place = self.buffers.iter().position(|b| b.name == buffer);
        let Some(old) = place.and_then(|p| self.contents.get_mut(p)) else { return false };
        let fits = std::mem::discriminant(old) == std::mem::discriminant(&data) && old.len() == data.len();
        if fits {
            *old = data;
        }
        fits
    }

    /// Gives the memory of [`SuiteCase::fill`] back.
    pub fn empty(&mut self) {
        self.contents = Vec::new();
    }

    /// First contents in the order of the buffers; none before [`SuiteCase::fill`].
    #[must_use]
    pub fn contents(&self) -> &[BufferData] {
        &self.contents
    }

    /// Bytes of all buffers together.
    #[must_use]
    pub fn moved_bytes(&self) -> u64 {
        self.buffers.iter().map(|b| b.length as u64 * b.element.element_bytes()).sum()
    }

    /// This problem key as a whole number; 0 for a key that it does not have.
    #[must_use]
    pub fn size_of(&self, key: &str) -> usize {
        self.problem.number_at(key).unwrap_or(0.0) as usize
    }

    /// This scalar argument; `None` for a name that no scalar has.
    #[must_use]
    pub fn scalar(&self, name: &str) -> Option<f64> {
        self.arguments.iter().find(|(n, _)| n == name).and_then(|(_, s)| match *s {
            Scalar::Buffer(_) => None,
            Scalar::U32(v) => Some(f64::from(v)),
            Scalar::I32(v) => Some(f64::from(v)),
            Scalar::F32(v) => Some(f64::from(v)),
            Scalar::F64(v) => Some(v),
        })
    }

    /// First content of this buffer; `None` for another name, or before [`SuiteCase::fill`].
    #[must_use]
    pub fn data(&self, buffer: &str) -> Option<&BufferData> {
        self.contents.get(self.buffers.iter().position(|b| b.name == buffer)?)
    }

    /// First content of a single-precision buffer; empty where there is none of this name and type.
    #[must_use]
    pub fn f32s(&self, buffer: &str) -> &[f32] {
        if let Some(BufferData::F32(v)) = self.data(buffer) { v } else { &[] }
    }

    /// First content of a signed buffer; empty where there is none of this name and type.
    #[must_use]
    pub fn i32s(&self, buffer: &str) -> &[i32] {
        if let Some(BufferData::I32(v)) = self.data(buffer) { v } else { &[] }
    }

    /// How many elements of the checked buffer are compared, about.
    #[must_use]
    pub fn compared_count(&self, sample: Option<usize>) -> usize {
        self.buffers[self.checked].length.min(sample.unwrap_or(usize::MAX))
    }

    /// Which elements of the checked buffer are compared, ascending.
    #[must_use]
    pub fn compared(&self, sample: Option<usize>) -> Vec<usize> {
        sampled(self.buffers[self.checked].length, sample, self.seed)
    }
}

/// Every case of a kernel, in the order of its runs.
///
/// # Errors
/// Those of [`SuiteCase::new`].
pub fn cases(of: &SuiteKernel, kernel: &Kernel, seed: u64) -> Result<Vec<SuiteCase>, SuiteError> {
    let named =
        || kernel.sizes.iter().map(|(name, _)| SuiteRun { size: name.clone(), problem: None }).collect();
    let runs: Vec<SuiteRun> = if of.runs.is_empty() { named() } else { of.runs.clone() };
    if runs.is_empty() {
        return Err(SuiteError::new(&of.id, "runs", "none, and its kernel file names no sizes; give one"));
    }
    runs.iter().map(|run| SuiteCase::new(of, kernel, run, seed)).collect()
}

fn run_problem(of: &SuiteKernel, kernel: &Kernel, run: &SuiteRun) -> Result<Problem, SuiteError> {
    let wrong = |why: String| SuiteError::new(&of.id, "runs", why);
    match &run.problem {
        Some(text) => kernel.typed(text).map_err(|e| wrong(e.to_string())),
        None => {
            let named = kernel.sizes.iter().find(|(name, _)| *name == run.size);
            let size = named.ok_or_else(|| {
                wrong(format!("size `{}` is not in its kernel file; give a problem", run.size))
            });
            kernel.completed_problem(&size?.1).map_err(|e| wrong(e.to_string()))
        }
    }
}

/// The names that formulas know, and their values.
struct FormulaScope<'a> {
    of: &'a SuiteKernel,
    names: Vec<String>,
    values: Vec<f64>,
}

impl<'a> FormulaScope<'a> {
    fn new(of: &'a SuiteKernel, kernel: &Kernel, problem: &Problem, launch: Launch) -> Self {
        let variant = of.variant.split(';').filter_map(|pair| pair.split_once('='));
        let variant = variant.filter_map(|(k, v)| Some((k.trim().to_string(), v.trim().parse().ok()?)));
        let keys = kernel.keys.iter().map(|k| (k.clone(), problem.number_at(k).unwrap_or(f64::NAN)));
        let shape = [("threads", f64::from(launch.threads())), ("blocks", launch.block_count() as f64)];
        let all = keys.chain(variant).chain(shape.map(|(n, v)| (n.to_string(), v)));
        let (names, values) = all.unzip();
        Self { of, names, values }
    }

    fn eval(&self, field: &str, text: &str) -> Result<f64, SuiteError> {
        let formula = Formula::parse(text, &self.names).and_then(|f| f.eval(&self.values));
        formula.map_err(|e| SuiteError::new(&self.of.id, field, e))
    }

    fn buffer(&self, typed: &Buffer) -> Result<CaseBuffer, SuiteError> {
        let field = format!("buffer `{}`", typed.name);
        let length = self.eval(&field, &typed.length)?;
        if !(1.0..=LONGEST).contains(&length) {
            let message = format!("length `{}` is {length}; expected 1 to 2^31-1", typed.length);
            return Err(SuiteError::new(&self.of.id, &field, message));
        }
        Ok(CaseBuffer {
            name: typed.name.clone(),
            element: typed.element,
            length: length as usize,
            role: typed.role,
            fill: typed.fill,
        })
    }

    fn argument(&self, typed: &Argument) -> Result<(String, Scalar), SuiteError> {
        let whole = |text: &str, most: f64| {
            let value = self.eval("arguments", text)?;
            if value.fract() != 0.0 || value > most {
                let message = format!("`{text}` is {value}; expected a whole number up to {most}");
                return Err(SuiteError::new(&self.of.id, "arguments", message));
            }
            Ok(value)
        };
        let (text, scalar) = match typed {
            Argument { buffer: Some(name), .. } => {
                let place = self.of.buffers.iter().position(|b| b.name == *name);
                (name, Scalar::Buffer(place.unwrap_or_default()))
            }
            Argument { u32: Some(t), .. } => (t, Scalar::U32(whole(t, f64::from(u32::MAX))? as u32)),
            Argument { i32: Some(t), .. } => (t, Scalar::I32(whole(t, f64::from(i32::MAX))? as i32)),
            Argument { f32: Some(t), .. } => (t, Scalar::F32(self.eval("arguments", t)? as f32)),
            Argument { f64: Some(t), .. } => (t, Scalar::F64(self.eval("arguments", t)?)),
            _ => return Err(SuiteError::new(&self.of.id, "arguments", "one says nothing")),
        };
        let name = if typed.name.is_empty() { text } else { &typed.name };
        Ok((name.clone(), scalar))
    }
}
