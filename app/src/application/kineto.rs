//! PyTorch's profiler (Kineto): Chrome trace JSON with kernels, runtime calls, operators and their shapes.
//!
//! | event | what is taken |
//! |---|---|
//! | `kernel` | name, time, device, stream, grid, block, registers, shared memory, `correlation`, `External id` |
//! | `gpu_memcpy`, `gpu_memset` | time, bytes, direction by its name |
//! | `cuda_runtime`, `cuda_driver` (and HIP's under the same names) | time, thread, `correlation` |
//! | `cpu_op` | name, `External id`, `Input Dims`, `Input type`, `Concrete Inputs` |
//! | `user_annotation` | its range on the host |
//! | `cpu_instant_event` | bytes that the framework's allocator holds |
//! | everything else | passed over without being parsed |
//!
//! JAX's profiler writes the same form without `cat`: there a kernel or copy is what has `kernel_details`, `memcpy_details` or `memset_details`,
//! on the GPU that its process is named after (`/device:GPU:0`).
//!
//! Of the keys around the list only `deviceProperties` is read.

use super::json_event::{Members, nanoseconds, number, text, three, whole};
use super::json_stream::{Ending, EventStream, StreamItem};
use super::trace::{
    CopyDirection, InputsId, OperatorId, OperatorInputs, RecordedTrace, RuntimeCall, Span, TraceFormat,
    TracedCopy, TracedDevice, TracedKernel, TracedOperator, TracedRange,
};
use super::xla::{LaunchDetails, XlaActivity, activity, bytes_in, process_and_gpu};
use crate::measurement::ReadError;
use crate::progress::Progress;
use crate::units::Bytes;
use serde_json::Value;
use std::collections::HashMap;
use std::io::Read;

/// The longest inputs of one operator that are kept, in bytes of JSON.
const LONGEST_INPUTS: usize = 64 << 10;

/// Reads a trace to its end, or to where it breaks off; what was complete is used, and a remark says so.
///
/// # Errors
/// [`ReadError`] if it was cancelled, or no event could be read.
pub(super) fn read_kineto(
    from: impl Read,
    file: &str,
    progress: &Progress,
) -> Result<RecordedTrace, ReadError> {
    let refuse = |message: String| ReadError { file: file.to_string(), message };
    let mut reading = KinetoReading::new(file);
    let mut stream = EventStream::new(from, &["deviceProperties"]);
    let mut events = 0u64;
    while let Some(item) = stream.next_item() {
        match item {
            StreamItem::Member(value) => reading.devices(value),
            StreamItem::Event(event) => {
                events += 1;
                reading.event(event);
            }
        }
        if events.is_multiple_of(4096) && progress.is_cancelled() {
            return Err(refuse("cancelled".into()));
        }
    }
    if progress.is_cancelled() {
        return Err(refuse("cancelled".into()));
    }
    match stream.ending() {
        Ending::Broken(why) if events == 0 => Err(refuse(format!("{why}; no event could be read"))),
        Ending::Broken(why) if reading.trace.active_devices().is_empty() => Err(refuse(format!(
            "{why}: no activity of a GPU is in the {events} events before it; copy the whole file"
        ))),
        Ending::Broken(why) => {
            let kept = format!("{why}: the {events} events before it are used; copy the whole file");
            reading.trace.remarks.push(kept);
            Ok(reading.finish())
        }
        Ending::Whole if events == 0 => {
            Err(refuse("has no events: record a trace with activities on the GPU".into()))
        }
        Ending::Whole => Ok(reading.finish()),
    }
}

/// What is being read.
struct KinetoReading {
    trace: RecordedTrace,
    /// Operators by `External id`, all of them: kernels come after.
    operators: HashMap<u64, TracedOperator>,
    known_inputs: HashMap<Box<[u8]>, InputsId>,
    /// Place of a known operator and inputs in the trace.
    placed: HashMap<TracedOperator, OperatorId>,
    /// GPUs by process, as JAX's profiler names them.
    gpu_of_process: HashMap<u32, u32>,
    /// `External id` of each kernel, 0 where there is none.
    external: Vec<u64>,
    broken: u64,
    negative: u64,
    untimed: u64,
    first_broken: Option<String>,
}

/// The wanted members of an event.
#[derive(Default)]
struct EventParts<'a> {
    phase: &'a [u8],
    name: &'a [u8],
    start: &'a [u8],
    duration: &'a [u8],
    thread: &'a [u8],
    device: &'a [u8],
    arguments: &'a [u8],
}

/// Which kind of event is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Category {
    Kernel,
    Copy,
    Call,
    Operator,
    Range,
    Memory,
}

fn category(value: &[u8]) -> Option<Category> {
    Some(match value {
        b"kernel" | b"Kernel" => Category::Kernel,
        b"gpu_memcpy" | b"gpu_memset" | b"Memcpy" | b"Memset" => Category::Copy,
        b"cuda_runtime" | b"cuda_driver" | b"hip_runtime" | b"hip_driver" | b"Runtime" => Category::Call,
        b"cpu_op" | b"Operator" => Category::Operator,
        b"user_annotation" => Category::Range,
        b"cpu_instant_event" => Category::Memory,
        _ => return None,
    })
}

/// The category of an event without parsing it: the value of its first key `"cat"`.
fn category_of(event: &[u8]) -> Option<Category> {
    let mut rest = event;
    loop {
        let at = memchr::memmem::find(rest, b"\"cat\"")?;
        rest = &rest[at + 5..];
        let value = rest.trim_ascii_start();
        if let Some(value) = value.strip_prefix(b":") {
            let value = value.trim_ascii_start().strip_prefix(b"\"")?;
            let end = memchr::memchr(b'"', value)?;
            return category(&value[..end]);
        }
    }
}

/// The category of an event of JAX's profiler, which states none.
fn xla_category(event: &[u8]) -> Option<Category> {
    Some(match activity(event)? {
        XlaActivity::Kernel => Category::Kernel,
        XlaActivity::Copy => Category::Copy,
    })
}

impl KinetoReading {
    fn new(file: &str) -> Self {
        Self {
            trace: RecordedTrace::empty(file, TraceFormat::Kineto),
            operators: HashMap::new(),
            known_inputs: HashMap::new(),
            placed: HashMap::new(),
            gpu_of_process: HashMap::new(),
            external: Vec::new(),
            broken: 0,
            negative: 0,
            untimed: 0,
            first_broken: None,
        }
    }

    fn devices(&mut self, value: &[u8]) {
        let Ok(Value::Array(all)) = serde_json::from_slice::<Value>(value) else {
            self.trace.remarks.push("deviceProperties cannot be read: the GPUs have no names".into());
            return;
        };
        for device in &all {
            let Some(index) = device["id"].as_u64().and_then(|i| u32::try_from(i).ok()) else { continue };
            let name = device["name"].as_str().unwrap_or_default().to_string();
            let sms = device["numSms"].as_u64().and_then(|n| u32::try_from(n).ok());
            let memory = device["totalGlobalMem"].as_f64().map(Bytes);
            self.trace.devices.push(TracedDevice { index, name, sms, memory });
        }
    }

    fn event(&mut self, event: &[u8]) {
        let stated = category_of(event);
        let Some(category) = stated.or_else(|| xla_category(event)) else {
            self.gpu_of_process.extend(process_and_gpu(event).map(|[process, gpu]| (process, gpu)));
            return;
        };
        let mut parts = EventParts::default();
        let mut members = Members::new(event);
        for (key, value) in members.by_ref() {
            match key {
                b"ph" => parts.phase = value,
                b"name" => parts.name = value,
                b"ts" => parts.start = value,
                b"dur" => parts.duration = value,
                b"tid" => parts.thread = value,
                b"pid" => parts.device = value,
                b"args" => parts.arguments = value,
                _ => {}
            }
        }
        if members.is_broken {
            return self.refuse(event);
        }
        if category == Category::Memory {
            return self.memory(parts.arguments);
        }
        // Flow arrows and instants carry the same categories. JAX's host has copies too: the calls that start them.
        let is_of_host = stated.is_none() && !self.gpu_of_process.contains_key(&number(parts.device));
        if parts.phase != b"\"X\"" || is_of_host {
            return;
        }
        let Some(start) = nanoseconds(parts.start) else {
            self.untimed += 1;
            return;
        };
        let Some(span) = nanoseconds(parts.duration).and_then(|lasting| Span::lasting(start, lasting)) else {
            self.negative += 1;
            return;
        };
        let Some(name) = text(parts.name) else { return self.refuse(event) };
        match category {
            Category::Kernel => self.kernel(&name, span, &parts),
            Category::Copy => self.copy(&name, span, &parts),
            Category::Call => self.call(&name, span, &parts),
            Category::Operator => self.operator(&name, &parts),
            Category::Range => self.range(&name, span, &parts),
            Category::Memory => {}
        }
    }

    /// The GPU of an event: by its process, where that is named after one.
    fn device(&self, parts: &EventParts<'_>) -> u32 {
        let process = number(parts.device);
        self.gpu_of_process.get(&process).copied().unwrap_or(process)
    }

    fn refuse(&mut self, event: &[u8]) {
        self.broken += 1;
        if self.first_broken.is_none() {
            let text = String::from_utf8_lossy(&event[..event.len().min(60)]).into_owned();
            self.first_broken = Some(crate::text::harmless_line(&crate::text::clipped_text(text, 50)));
        }
    }

    fn kernel(&mut self, name: &str, span: Span, parts: &EventParts<'_>) {
        let mut kernel = TracedKernel {
            name: self.trace.names.id_of(name),
            device: self.device(parts),
            stream: number(parts.thread),
            span,
            correlation: 0,
            operator: None,
            block: [0; 3],
            grid: [0; 3],
            registers: None,
            shared_bytes: None,
        };
        let mut external = 0;
        for (key, value) in arguments(parts.arguments) {
            match key {
                b"device" | b"Device" => kernel.device = number(value),
                b"stream" | b"Stream" => kernel.stream = number(value),
                b"correlation" | b"Correlation" => kernel.correlation = whole(value).unwrap_or(0),
                b"External id" | b"external id" => external = whole(value).unwrap_or(0),
                b"grid" => kernel.grid = three(value).unwrap_or_default(),
                b"block" => kernel.block = three(value).unwrap_or_default(),
                b"registers per thread" => {
                    kernel.registers = whole(value).and_then(|n| u16::try_from(n).ok()).filter(|n| *n > 0);
                }
                b"kernel_details" => {
                    self.trace.format = TraceFormat::Xla;
                    let details = LaunchDetails::from_text(&text(value).unwrap_or_default());
                    let LaunchDetails { registers, shared_bytes, grid, block } = details;
                    kernel = TracedKernel { registers, shared_bytes, grid, block, ..kernel };
                }
                b"shared memory" => kernel.shared_bytes = whole(value).and_then(|n| u32::try_from(n).ok()),
                _ => {}
            }
        }
        self.trace.kernels.push(kernel);
        self.external.push(external);
    }

    fn copy(&mut self, name: &str, span: Span, parts: &EventParts<'_>) {
        let mut copy = TracedCopy {
            direction: direction(name),
            device: self.device(parts),
            stream: number(parts.thread),
            span,
            correlation: 0,
            bytes: None,
        };
        for (key, value) in arguments(parts.arguments) {
            match key {
                b"device" | b"Device" => copy.device = number(value),
                b"stream" | b"Stream" => copy.stream = number(value),
                b"correlation" | b"Correlation" => copy.correlation = whole(value).unwrap_or(0),
                b"bytes" | b"Bytes" => copy.bytes = whole(value),
                b"memcpy_details" | b"Memcpy_details" | b"memset_details" | b"Memset_details" => {
                    copy.bytes = bytes_in(&text(value).unwrap_or_default());
                }
                _ => {}
            }
        }
        self.trace.copies.push(copy);
    }

    fn call(&mut self, name: &str, span: Span, parts: &EventParts<'_>) {
        let mut correlation = 0;
        for (key, value) in arguments(parts.arguments) {
            if matches!(key, b"correlation" | b"Correlation") {
                correlation = whole(value).unwrap_or(0);
            }
        }
        let kind = super::nsys::call_kind(name);
        self.trace.calls.push(RuntimeCall { kind, thread: thread(parts), span, correlation });
    }

    fn operator(&mut self, name: &str, parts: &EventParts<'_>) {
        let (mut external, mut raw) = (0, Vec::new());
        for (key, value) in arguments(parts.arguments) {
            match key {
                b"External id" | b"external id" => external = whole(value).unwrap_or(0),
                b"Input Dims" | b"Input dims" => label(&mut raw, b'd', value),
                b"Input type" => label(&mut raw, b't', value),
                b"Concrete Inputs" => label(&mut raw, b'c', value),
                _ => {}
            }
        }
        if external == 0 {
            return;
        }
        let inputs = self.inputs(raw);
        let name = self.trace.names.id_of(name);
        self.operators.insert(external, TracedOperator { name, inputs });
    }

    /// What the framework's allocator holds: of type 1, a GPU.
    fn memory(&mut self, parts: &[u8]) {
        let (mut device, mut is_gpu, mut reserved) = (0, false, 0);
        for (key, value) in arguments(parts) {
            match key {
                b"Device Id" => device = number(value),
                b"Device Type" => is_gpu = whole(value) == Some(1),
                b"Total Reserved" => reserved = whole(value).unwrap_or(0),
                _ => {}
            }
        }
        if is_gpu && reserved > 0 {
            let peak = self.trace.peak_memory.entry(device).or_default();
            *peak = reserved.max(*peak);
        }
    }

    /// The place of these inputs, which are parsed where they are new.
    fn inputs(&mut self, raw: Vec<u8>) -> InputsId {
        if raw.is_empty() || raw.len() > LONGEST_INPUTS {
            return InputsId::default();
        }
        if let Some(known) = self.known_inputs.get(raw.as_slice()) {
            return *known;
        }
        let id = InputsId(u32::try_from(self.trace.inputs.len()).unwrap_or(0));
        self.trace.inputs.push(parse_inputs(&raw));
        self.known_inputs.insert(raw.into(), id);
        id
    }

    fn range(&mut self, name: &str, span: Span, parts: &EventParts<'_>) {
        let name = self.trace.names.id_of(name);
        self.trace.ranges.push(TracedRange { name, thread: thread(parts), span });
    }

    /// Joins kernels and operators, and says what was left out.
    fn finish(mut self) -> RecordedTrace {
        for (kernel, external) in self.trace.kernels.iter_mut().zip(&self.external) {
            let Some(operator) = self.operators.get(external).filter(|_| *external != 0) else { continue };
            let next = OperatorId(u32::try_from(self.trace.operators.len()).unwrap_or(u32::MAX));
            let place = *self.placed.entry(*operator).or_insert(next);
            if place == next {
                self.trace.operators.push(*operator);
            }
            kernel.operator = Some(place);
        }
        let mut remark = |n: u64, what: &str| {
            if n > 0 {
                self.trace.remarks.push(format!("{n} {what}"));
            }
        };
        let first = self.first_broken.take().unwrap_or_default();
        remark(self.broken, &format!("events cannot be read and are left out; the first begins `{first}`"));
        remark(self.negative, "events have a negative, missing or impossible time and are left out");
        remark(self.untimed, "events have no start and are left out");
        self.trace
    }
}

/// A thread of the host, whatever its process.
fn thread(parts: &EventParts<'_>) -> u64 {
    whole(parts.thread).unwrap_or(0)
}

fn arguments(value: &[u8]) -> Members<'_> {
    Members::new(if value.is_empty() { b"{}" } else { value })
}

/// `Memcpy HtoD (Pageable -> Device)`, `Memset (Device)`; HIP's `CopyHostToDevice`.
fn direction(name: &str) -> CopyDirection {
    let words: [(&str, CopyDirection); 14] = [
        ("memset", CopyDirection::Fill),
        ("memcpyh2d", CopyDirection::HostToDevice),
        ("memcpyd2h", CopyDirection::DeviceToHost),
        ("memcpyd2d", CopyDirection::DeviceToDevice),
        ("memcpyp2p", CopyDirection::PeerToPeer),
        ("fillbuffer", CopyDirection::Fill),
        ("htod", CopyDirection::HostToDevice),
        ("hosttodevice", CopyDirection::HostToDevice),
        ("dtoh", CopyDirection::DeviceToHost),
        ("devicetohost", CopyDirection::DeviceToHost),
        ("ptop", CopyDirection::PeerToPeer),
        ("peertopeer", CopyDirection::PeerToPeer),
        ("dtod", CopyDirection::DeviceToDevice),
        ("devicetodevice", CopyDirection::DeviceToDevice),
    ];
    let lower = crate::text::clipped_text(name, 80).to_ascii_lowercase();
    let found = words.iter().find(|(word, _)| lower.contains(word)).map(|(_, direction)| *direction);
    found.unwrap_or(CopyDirection::Unknown)
}

/// Appends a labelled value: together they are the key that equal inputs share.
fn label(raw: &mut Vec<u8>, label: u8, value: &[u8]) {
    raw.push(label);
    raw.extend_from_slice(value);
    raw.push(0);
}

fn parse_inputs(raw: &[u8]) -> OperatorInputs {
    let mut out = OperatorInputs::default();
    for piece in raw.split(|b| *b == 0).filter(|p| !p.is_empty()) {
        let Ok(Value::Array(all)) = serde_json::from_slice::<Value>(&piece[1..]) else { continue };
        match piece[0] {
            b'd' => {
                out.shapes = all.iter().map(dimensions).collect();
                let is_list = |v: &Value| v.get(0).is_some_and(Value::is_array);
                let list = |v: &Value| match v.as_array() {
                    Some(parts) if is_list(v) => parts.iter().map(dimensions).collect(),
                    _ => Vec::new(),
                };
                if all.iter().any(is_list) {
                    out.lists = all.iter().map(list).collect();
                }
            }
            b't' => out.types = all.iter().map(as_str).collect(),
            _ => out.scalars = all.iter().map(as_str).collect(),
        }
    }
    out
}

/// The dimensions of one argument; none for a scalar or a list of tensors.
fn dimensions(value: &Value) -> Vec<u64> {
    let all = value.as_array().map(Vec::as_slice).unwrap_or_default();
    all.iter().map(Value::as_u64).collect::<Option<_>>().unwrap_or_default()
}

fn as_str(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = r#"{"metadata":{"TOKEN":"secret"},"deviceProperties":[{"id":0,"name":"NVIDIA H100 80GB HBM3","totalGlobalMem":85018279936}],"traceEvents":["#;

    fn read(events: &str) -> RecordedTrace {
        let text = format!("{HEAD}{events}]}}");
        assert!(crate::import::is_event_trace(text.as_bytes()));
        read_kineto(text.as_bytes(), "t.json", &Progress::default()).unwrap()
    }

    const KERNEL: &str = r#"{"ph":"X","cat":"kernel","name":"k<float>(int)","pid":0,"tid":7,"ts":10.5,"dur":2.25,"args":{"External id":3,"device":0,"stream":7,"correlation":9,"registers per thread":32,"shared memory":2112,"grid":[8,2,1],"block":[256,1,1]}}"#;

    #[test]
    fn a_kernel_knows_its_launch_its_call_and_its_operator() {
        let operator = r#"{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":1,"dur":1,"args":{"External id":3,"Input Dims":[[4,8],[8,2],[]],"Input type":["c10::BFloat16","c10::BFloat16",""],"Concrete Inputs":["","","True"]}}"#;
        let call = r#"{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":5,"ts":2,"dur":3,"args":{"correlation":9}}"#;
        let other = r#"{"ph":"X","cat":"python_function","name":"broken " "#;
        let arrow = r#"{"ph":"s","cat":"kernel","name":"flow"}"#;
        let trace = read(&[operator, call, KERNEL, arrow].join(","));
        let kernel = trace.kernels[0];
        assert_eq!((trace.kernels.len(), trace.names.text(kernel.name)), (1, "k<float>(int)"));
        assert_eq!(kernel.span, Span { start: 10_500, end: 12_750 });
        assert_eq!((kernel.grid, kernel.block), ([8, 2, 1], [256, 1, 1]));
        assert_eq!((kernel.registers, kernel.shared_bytes, kernel.correlation), (Some(32), Some(2112), 9));
        let (operator, inputs) = trace.operator_of(&kernel).unwrap();
        assert_eq!((trace.names.text(operator.name), &inputs.shapes[1]), ("aten::mm", &vec![8, 2]));
        assert_eq!((inputs.types[0].as_str(), inputs.scalars[2].as_str()), ("c10::BFloat16", "True"));
        assert_eq!((trace.calls.len(), trace.device_name(0)), (1, "NVIDIA H100 80GB HBM3"));
        assert!(trace.remarks.is_empty(), "{:?}", trace.remarks);
        assert!(category_of(other.as_bytes()).is_none());
    }

    #[test]
    fn a_kernel_of_jax_states_its_launch_as_text() {
        let process = r#"{"ph":"M","pid":3,"name":"process_name","args":{"name":"/device:GPU:2"}}"#;
        let kernel = r#"{"ph":"X","pid":3,"tid":14,"ts":10.5,"dur":2.25,"name":"loop_add_fusion","args":{"hlo_op":"add.1","kernel_details":"regs:16 static_shared:0 dynamic_shared:8 grid:9,1,1 block:128,1,1 occ_pct:100"}}"#;
        let copy = r#"{"ph":"X","pid":3,"tid":13,"ts":1,"dur":2,"name":"MemcpyH2D","args":{"memcpy_details":"kind_src:pinned kind_dst:device size:512 dest:0 async:1"}}"#;
        let host = r#"{"ph":"X","pid":701,"tid":1,"ts":1,"dur":2,"name":"MemcpyH2D","args":{"memcpy_details":"size:512"}}"#;
        let trace = read(&[process, copy, kernel, host].join(","));
        let read = trace.kernels[0];
        assert_eq!((read.device, read.stream, read.span), (2, 14, Span { start: 10_500, end: 12_750 }));
        assert_eq!(
            (read.registers, read.shared_bytes, read.grid, read.block),
            (Some(16), Some(8), [9, 1, 1], [128, 1, 1])
        );
        let copied = trace.copies[0];
        assert_eq!(
            (copied.device, copied.bytes, copied.direction),
            (2, Some(512), CopyDirection::HostToDevice)
        );
        assert_eq!((trace.format, trace.kernels.len(), trace.copies.len()), (TraceFormat::Xla, 1, 1));
    }

    #[test]
    fn what_is_no_time_is_left_out_and_said() {
        let negative = KERNEL.replace("2.25", "-1");
        let untimed = KERNEL.replace("10.5", "\"never\"");
        let broken = r#"{"ph":"X","cat":"kernel","name" 1}"#;
        let trace = read(&[&negative, &untimed, broken, KERNEL].join(","));
        assert_eq!((trace.kernels.len(), trace.remarks.len()), (1, 3), "{:?}", trace.remarks);
        assert!(trace.kernels[0].operator.is_none());
    }

    #[test]
    fn a_broken_end_keeps_what_was_complete() {
        let text = format!("{HEAD}{KERNEL},{}", &KERNEL[..40]);
        let trace = read_kineto(text.as_bytes(), "t.json", &Progress::default()).unwrap();
        assert_eq!(trace.kernels.len(), 1);
        assert!(trace.remarks[0].contains("the 1 events before it are used"), "{:?}", trace.remarks);
        let none = read_kineto(&text.as_bytes()[..HEAD.len()], "t.json", &Progress::default()).unwrap_err();
        assert!(none.message.contains("no event could be read"), "{}", none.message);
    }

    #[test]
    fn directions_are_read_from_names() {
        for (name, expected) in [
            ("Memcpy HtoD (Pageable -> Device)", CopyDirection::HostToDevice),
            ("Memcpy DtoH (Device -> Pinned)", CopyDirection::DeviceToHost),
            ("Memcpy DtoD (Device -> Device)", CopyDirection::DeviceToDevice),
            ("Memcpy PtoP (Device -> Device)", CopyDirection::PeerToPeer),
            ("CopyHostToDevice", CopyDirection::HostToDevice),
            ("Memset (Device)", CopyDirection::Fill),
            ("?", CopyDirection::Unknown),
        ] {
            assert_eq!(direction(name), expected, "{name}");
        }
    }
}
