//! What a trace states, as plain facts: kernels, copies, calls of the runtime, operators, ranges. Nothing is concluded.
//!
//! All times are whole nanoseconds on the clock of the trace, as both formats state them; differences are what counts.

use crate::units::{Bytes, Seconds};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// An interval of time in nanoseconds on the clock of its trace; `end` is never before `start`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Span {
    /// First nanosecond.
    pub start: i64,
    /// The nanosecond after the last.
    pub end: i64,
}

impl Span {
    /// The longest that is taken for one: eleven days.
    const LONGEST: i64 = 1_000_000_000_000_000;

    /// Further from 0 than any clock: the year 2096 after 1970. Differences of two such times still fit.
    const FARTHEST: i64 = 4_000_000_000_000_000_000;

    /// From a start and a duration; `None` where that is negative or longer than any run, or the start is no time.
    #[must_use]
    pub fn lasting(start: i64, nanoseconds: i64) -> Option<Self> {
        let sound =
            (0..=Self::LONGEST).contains(&nanoseconds) && (-Self::FARTHEST..=Self::FARTHEST).contains(&start);
        sound.then(|| Self { start, end: start + nanoseconds })
    }

    /// Its length in nanoseconds.
    #[must_use]
    pub fn nanoseconds(self) -> i64 {
        self.end - self.start
    }

    /// Its length.
    #[must_use]
    pub fn seconds(self) -> Seconds {
        Seconds(self.nanoseconds() as f64 * 1e-9)
    }

    /// The part that lies in both; `None` where they do not meet.
    #[must_use]
    pub fn overlap(self, other: Self) -> Option<Self> {
        let both = Self { start: self.start.max(other.start), end: self.end.min(other.end) };
        (both.start < both.end).then_some(both)
    }
}

/// A text that is kept once, by its place in [`TraceNames`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NameId(u32);

/// Every distinct text of a trace once: a million kernels share a few hundred names.
#[derive(Debug, Clone, Default)]
pub struct TraceNames {
    texts: Vec<Arc<str>>,
    known: HashMap<Arc<str>, NameId>,
}

impl TraceNames {
    /// The longest text that is kept whole, in bytes: what comes later are template arguments.
    const LONGEST: usize = 128 << 10;

    /// The id of this text, which is added where it is new.
    pub fn id_of(&mut self, text: &str) -> NameId {
        let end = letter_boundary(text, Self::LONGEST);
        let text = &text[..end];
        if let Some(known) = self.known.get(text) {
            return *known;
        }
        let id = NameId(u32::try_from(self.texts.len()).unwrap_or(u32::MAX));
        let shared: Arc<str> = text.into();
        self.texts.push(shared.clone());
        self.known.insert(shared, id);
        id
    }

    /// The text; empty for an id of another table.
    #[must_use]
    pub fn text(&self, id: NameId) -> &str {
        self.texts.get(id.0 as usize).map_or("", |t| t)
    }
}

/// The last place of at most `most` bytes that lies between two letters.
fn letter_boundary(text: &str, most: usize) -> usize {
    let end = most.min(text.len());
    (0..=end).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// A GPU of the traced machine.
#[derive(Debug, Clone, PartialEq)]
pub struct TracedDevice {
    /// Its number in the trace.
    pub index: u32,
    /// As its driver names it; empty where the trace does not say.
    pub name: String,
    /// Its SMs, where stated.
    pub sms: Option<u32>,
    /// Its memory, where stated.
    pub memory: Option<Bytes>,
}

/// One launch of a kernel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TracedKernel {
    /// Full name.
    pub name: NameId,
    /// Number of the GPU it ran on.
    pub device: u32,
    /// Stream.
    pub stream: u32,
    /// When it ran.
    pub span: Span,
    /// Joins it to the call that launched it; 0 where there is none.
    pub correlation: u64,
    /// The framework's operator behind it, where one is recorded.
    pub operator: Option<OperatorId>,
    /// Threads per block; zeros where the trace does not say.
    pub block: [u32; 3],
    /// Blocks; zeros where the trace does not say.
    pub grid: [u32; 3],
    /// Registers per thread, where recorded.
    pub registers: Option<u16>,
    /// Static and dynamic shared memory per block in bytes, where recorded. A PyTorch trace states only their sum.
    pub shared_bytes: Option<u32>,
}

/// An operator call's place in [`RecordedTrace::operators`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OperatorId(pub u32);

/// A call of a framework's operator: name, and shapes as one text that is kept once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TracedOperator {
    /// `aten::addmm`.
    pub name: NameId,
    /// What its call was given, as the trace has it.
    pub inputs: InputsId,
}

/// Place in [`RecordedTrace::inputs`]; the first is that of no inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct InputsId(pub u32);

/// What an operator was called with.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct OperatorInputs {
    /// Shape of every argument; empty for what is no tensor.
    pub shapes: Vec<Vec<u64>>,
    /// Shapes of the tensors of every argument that is a list of them.
    pub lists: Vec<Vec<Vec<u64>>>,
    /// Element type of every argument as the framework names it: `c10::BFloat16`.
    pub types: Vec<String>,
    /// Scalars and lists as the framework prints them: `[16, 16]`, `True`.
    pub scalars: Vec<String>,
}

/// Between whom a copy goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CopyDirection {
    /// Host to device.
    HostToDevice,
    /// Device to host.
    DeviceToHost,
    /// Within one device.
    DeviceToDevice,
    /// Between two devices.
    PeerToPeer,
    /// Host to host.
    HostToHost,
    /// A fill of device memory.
    Fill,
    /// What the trace does not say.
    Unknown,
}

impl CopyDirection {
    /// As tables and JSON have it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::HostToDevice => "host to device",
            Self::DeviceToHost => "device to host",
            Self::DeviceToDevice => "within the device",
            Self::PeerToPeer => "device to device",
            Self::HostToHost => "host to host",
            Self::Fill => "fill",
            Self::Unknown => "unknown direction",
        }
    }
}

/// One copy or fill.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TracedCopy {
    /// Between whom.
    pub direction: CopyDirection,
    /// Number of the GPU that did it.
    pub device: u32,
    /// Stream.
    pub stream: u32,
    /// When it ran.
    pub span: Span,
    /// Joins it to its call; 0 where there is none.
    pub correlation: u64,
    /// Bytes, where recorded.
    pub bytes: Option<u64>,
}

/// A CUDA graph that ran as a whole, its kernels not recorded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TracedGraph {
    /// The graph's id.
    pub graph: u64,
    /// Number of the GPU it ran on.
    pub device: u32,
    /// Stream.
    pub stream: u32,
    /// When it ran.
    pub span: Span,
    /// Joins it to its launch; 0 where there is none.
    pub correlation: u64,
}

/// What a call of the runtime or the driver does to the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CallKind {
    /// It waits until the GPU has finished.
    Synchronise,
    /// Anything else: launches, copies, allocations.
    Other,
}

/// A call of the CUDA or HIP runtime or driver.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RuntimeCall {
    /// What it does to the host.
    pub kind: CallKind,
    /// Thread of the host.
    pub thread: u64,
    /// When it ran.
    pub span: Span,
    /// Joins it to what it launched; 0 where there is none.
    pub correlation: u64,
}

impl RuntimeCall {
    /// When what it launches is queued: where it returns, or, where it waits for it, where it begins.
    #[must_use]
    pub fn queued_at(&self) -> i64 {
        if self.kind == CallKind::Synchronise { self.span.start } else { self.span.end }
    }
}

/// A range that somebody marked: NVTX, `record_function`, `ProfilerStep#7`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TracedRange {
    /// Its text.
    pub name: NameId,
    /// Thread of the host.
    pub thread: u64,
    /// When the host was in it.
    pub span: Span,
}

/// What wrote the trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TraceFormat {
    /// PyTorch's profiler (Kineto), Chrome trace JSON.
    Kineto,
    /// JAX's profiler (XLA), Chrome trace JSON.
    Xla,
    /// Nsight Systems, exported as SQLite.
    Nsys,
    /// A report of launches or totals without a time line.
    Report,
}

impl TraceFormat {
    /// As messages name it.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Kineto => "PyTorch profiler trace",
            Self::Xla => "JAX profiler trace",
            Self::Nsys => "Nsight Systems export",
            Self::Report => "report without a time line",
        }
    }
}

/// Everything that was read of one file.
#[derive(Debug, Clone)]
pub struct RecordedTrace {
    /// As named.
    pub file: String,
    /// What wrote it.
    pub format: TraceFormat,
    /// GPUs, by their number.
    pub devices: Vec<TracedDevice>,
    /// Texts.
    pub names: TraceNames,
    /// Launches of kernels, in the order of the file.
    pub kernels: Vec<TracedKernel>,
    /// Copies and fills.
    pub copies: Vec<TracedCopy>,
    /// Graphs without their kernels.
    pub graphs: Vec<TracedGraph>,
    /// Calls of the runtime.
    pub calls: Vec<RuntimeCall>,
    /// Operator calls that some kernel refers to.
    pub operators: Vec<TracedOperator>,
    /// What operators were called with, each once; the first is empty.
    pub inputs: Vec<OperatorInputs>,
    /// Marked ranges.
    pub ranges: Vec<TracedRange>,
    /// The most device memory that a framework held at once, in bytes by the GPU's number.
    pub peak_memory: BTreeMap<u32, u64>,
    /// What the user should know: what is missing, damaged or left out.
    pub remarks: Vec<String>,
}

impl RecordedTrace {
    /// A trace with nothing in it yet.
    #[must_use]
    pub fn empty(file: &str, format: TraceFormat) -> Self {
        Self {
            file: file.to_string(),
            format,
            devices: Vec::new(),
            names: TraceNames::default(),
            kernels: Vec::new(),
            copies: Vec::new(),
            graphs: Vec::new(),
            calls: Vec::new(),
            operators: Vec::new(),
            inputs: vec![OperatorInputs::default()],
            ranges: Vec::new(),
            peak_memory: BTreeMap::new(),
            remarks: Vec::new(),
        }
    }

    /// Why there is nothing to look at, where no GPU did anything.
    #[must_use]
    pub fn without_activity(&self) -> Option<String> {
        let remarks = || self.remarks.iter().map(|remark| format!("; {remark}")).collect::<String>();
        let none = "no activity of a GPU is in the trace: record with CUDA activities";
        self.active_devices().is_empty().then(|| format!("{none}{}", remarks()))
    }

    /// The numbers of the GPUs that did anything, smallest first.
    #[must_use]
    pub fn active_devices(&self) -> Vec<u32> {
        let kernels = self.kernels.iter().map(|k| k.device);
        let copies = self.copies.iter().map(|c| c.device);
        let graphs = self.graphs.iter().map(|g| g.device);
        let all: std::collections::BTreeSet<u32> = kernels.chain(copies).chain(graphs).collect();
        all.into_iter().collect()
    }

    /// What the trace says of this GPU. Where it describes a single one and a single one was active, they are the same:
    /// HIP numbers its GPUs otherwise than its traces.
    #[must_use]
    pub fn described(&self, index: u32) -> Option<&TracedDevice> {
        let only =
            self.devices.first().filter(|_| self.devices.len() == 1 && self.active_devices().len() == 1);
        self.devices.iter().find(|d| d.index == index).or(only)
    }

    /// As the driver names this GPU; empty where the trace does not say.
    #[must_use]
    pub fn device_name(&self, index: u32) -> &str {
        self.described(index).map_or("", |d| &d.name)
    }

    /// Operator and inputs behind a launch, where recorded.
    #[must_use]
    pub fn operator_of(&self, kernel: &TracedKernel) -> Option<(TracedOperator, &OperatorInputs)> {
        let operator = *self.operators.get(kernel.operator?.0 as usize)?;
        Some((operator, self.inputs.get(operator.inputs.0 as usize)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_never_ends_before_it_starts() {
        assert_eq!(Span::lasting(5, -1), None);
        assert_eq!([Span::lasting(i64::MAX, 1), Span::lasting(0, i64::MAX)], [None; 2]);
        let span = Span::lasting(5, 10).unwrap();
        assert_eq!(span.overlap(Span { start: 0, end: 7 }), Some(Span { start: 5, end: 7 }));
        assert_eq!(span.overlap(Span { start: 15, end: 17 }), None);
    }

    #[test]
    fn a_name_is_kept_once_and_cut_between_letters() {
        let mut names = TraceNames::default();
        let [a, b] = ["k", "ä"].map(|n| names.id_of(n));
        assert_eq!((names.id_of("k"), names.text(b)), (a, "ä"));
        let long = names.id_of(&"ä".repeat(TraceNames::LONGEST));
        assert_eq!(names.text(long).len(), TraceNames::LONGEST);
    }
}
