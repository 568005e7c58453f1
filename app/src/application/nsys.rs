//! Nsight Systems exports (SQLite): kernels, copies, fills, graphs, runtime calls, NVTX ranges. NsysTables and columns that an
//! older or reduced export does not have are done without, and that is said.

use super::sqlite::{Database, MAGIC, RowValues, SqlValue, TableSchema};
use super::trace::{
    CallKind, CopyDirection, RecordedTrace, RuntimeCall, Span, TraceFormat, TracedCopy, TracedDevice,
    TracedGraph, TracedKernel, TracedRange,
};
use crate::measurement::ReadError;
use crate::progress::Progress;
use std::collections::{HashMap, HashSet};
use std::io::{Read, Seek};

/// Whether a file starts like an SQLite database.
pub(super) fn is_sqlite(head: &[u8]) -> bool {
    head.starts_with(MAGIC)
}

/// What a call of the runtime does to the host, by its name: `cudaStreamSynchronize_v3020`, `cudaMemcpy`.
pub(super) fn call_kind(name: &str) -> CallKind {
    let is_copy = name.contains("Memcpy") && !name.contains("Async");
    if name.contains("Synchronize") || is_copy { CallKind::Synchronise } else { CallKind::Other }
}

/// Reads an export.
///
/// # Errors
/// [`ReadError`] if it was cancelled, is no database, or has no table of GPU activity.
pub(super) fn read_nsys(
    from: impl Read + Seek,
    file: &str,
    progress: &Progress,
) -> Result<RecordedTrace, ReadError> {
    let refuse = |message: String| ReadError { file: file.to_string(), message };
    let mut tables = NsysTables::open(from, progress).map_err(refuse)?;
    let activity =
        ["CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"];
    if !activity.iter().any(|t| tables.find(t).is_some()) {
        let what = "has no table CUPTI_ACTIVITY_KIND_KERNEL";
        return Err(refuse(match tables.database.damage().first() {
            Some(damage) => format!("{damage}; what is left {what}"),
            None => {
                format!(
                    "{what}: record with nsys profile --trace=cuda, export with nsys export --type sqlite"
                )
            }
        }));
    }
    let mut reading = NsysReading::new(file);
    reading.kernels(&mut tables);
    reading.copies(&mut tables);
    reading.graphs(&mut tables);
    reading.calls(&mut tables);
    reading.ranges(&mut tables);
    reading.devices(&mut tables);
    reading.texts(&mut tables);
    if progress.is_cancelled() {
        return Err(refuse("cancelled".into()));
    }
    let damage = tables.database.damage();
    if let Some(damage) = damage.first().filter(|_| reading.trace.active_devices().is_empty()) {
        return Err(refuse(format!("{damage}; no activity of a GPU is in what is left")));
    }
    Ok(reading.finish(&tables))
}

/// The tables of an export.
struct NsysTables<'a, R> {
    database: Database<R>,
    all: Vec<TableSchema>,
    progress: &'a Progress,
}

impl<'a, R: Read + Seek> NsysTables<'a, R> {
    fn open(from: R, progress: &'a Progress) -> Result<Self, String> {
        let mut database = Database::open(from)?;
        let all = database.tables();
        Ok(Self { database, all, progress })
    }

    fn find(&self, name: &str) -> Option<&TableSchema> {
        self.all.iter().find(|t| t.name.eq_ignore_ascii_case(name))
    }

    /// The columns of these that a table does not have; all where there is no such table.
    fn missing(&self, table: &str, columns: &[&'static str]) -> Vec<&'static str> {
        let found = self.find(table);
        columns.iter().copied().filter(|c| found.is_none_or(|t| t.place(c).is_none())).collect()
    }

    /// Calls `take` with these columns of every row, until somebody cancels.
    fn each(&mut self, table: &str, columns: &[&str], mut take: impl FnMut(&RowValues<'_, '_>)) {
        let Some(schema) = self.find(table).cloned() else { return };
        let mut count = 0u32;
        self.database.rows(&schema, columns, &mut |row| {
            take(row);
            count = count.wrapping_add(1);
            !count.is_multiple_of(4096) || !self.progress.is_cancelled()
        });
    }
}

/// What is being read. Texts stand in a table of their own and are looked up last, those that are needed.
struct NsysReading {
    trace: RecordedTrace,
    /// Processes in the order they were met: numbers of calls are counted in each of them.
    processes: HashMap<i64, u64>,
    kernel_names: Vec<Option<i64>>,
    range_names: Vec<(Option<i64>, Option<String>)>,
    call_names: Vec<Option<i64>>,
    /// Calls that the trace says waited.
    waiting: HashSet<u64>,
    negative: u64,
}

/// A start and an end in nanoseconds.
fn span(start: SqlValue<'_>, end: SqlValue<'_>) -> Option<Span> {
    let (start, end) = (start.whole()?, end.whole()?);
    Span::lasting(start, end.checked_sub(start)?)
}

/// A whole number that fits; 0 for anything else.
fn small(value: SqlValue<'_>) -> u32 {
    value.count().and_then(|n| u32::try_from(n).ok()).unwrap_or(0)
}

/// The process of a thread's or a process's global id: both hold it above the lowest 24 bits.
fn process_part(global: SqlValue<'_>) -> i64 {
    global.whole().map_or(0, |id| id & !0x00ff_ffff)
}

impl NsysReading {
    fn new(file: &str) -> Self {
        Self {
            trace: RecordedTrace::empty(file, TraceFormat::Nsys),
            processes: HashMap::new(),
            kernel_names: Vec::new(),
            range_names: Vec::new(),
            call_names: Vec::new(),
            waiting: HashSet::new(),
            negative: 0,
        }
    }

    /// What joins a launch to its call: the number of the call in its process. 0 where there is none.
    fn correlation(&mut self, number: SqlValue<'_>, process: SqlValue<'_>) -> u64 {
        let Some(number) = number.count().filter(|n| *n > 0) else { return 0 };
        let next = self.processes.len() as u64;
        let place = *self.processes.entry(process_part(process)).or_insert(next);
        (number & 0xffff_ffff) | (place << 32)
    }

    /// The span of a row; counted where it is none.
    fn span(&mut self, row: &RowValues<'_, '_>) -> Option<Span> {
        let found = span(row.get(0), row.get(1));
        self.negative += u64::from(found.is_none());
        found
    }

    fn kernels(&mut self, tables: &mut NsysTables<'_, impl Read + Seek>) {
        let columns = [
            "start",
            "end",
            "deviceId",
            "streamId",
            "correlationId",
            "globalPid",
            "demangledName",
            "shortName",
            "registersPerThread",
            "gridX",
            "gridY",
            "gridZ",
            "blockX",
            "blockY",
            "blockZ",
            "staticSharedMemory",
            "dynamicSharedMemory",
        ];
        tables.each("CUPTI_ACTIVITY_KIND_KERNEL", &columns, |row| {
            let Some(span) = self.span(row) else { return };
            let correlation = self.correlation(row.get(4), row.get(5));
            let shared = [15, 16].map(|at| row.get(at).count());
            let known = shared.iter().any(Option::is_some);
            let shared: u64 = shared.into_iter().flatten().fold(0, u64::saturating_add);
            self.kernel_names.push(row.get(6).whole().or(row.get(7).whole()));
            self.trace.kernels.push(TracedKernel {
                name: self.trace.names.id_of(""),
                device: small(row.get(2)),
                stream: small(row.get(3)),
                span,
                correlation,
                operator: None,
                grid: [9, 10, 11].map(|at| small(row.get(at))),
                block: [12, 13, 14].map(|at| small(row.get(at))),
                registers: row.get(8).count().and_then(|n| u16::try_from(n).ok()).filter(|n| *n > 0),
                shared_bytes: u32::try_from(shared).ok().filter(|_| known),
            });
        });
    }

    fn copies(&mut self, tables: &mut NsysTables<'_, impl Read + Seek>) {
        let columns =
            ["start", "end", "deviceId", "streamId", "correlationId", "globalPid", "bytes", "copyKind"];
        for (table, is_fill) in [("CUPTI_ACTIVITY_KIND_MEMCPY", false), ("CUPTI_ACTIVITY_KIND_MEMSET", true)]
        {
            tables.each(table, &columns, |row| {
                let Some(span) = self.span(row) else { return };
                let correlation = self.correlation(row.get(4), row.get(5));
                let direction = if is_fill { CopyDirection::Fill } else { direction(row.get(7).whole()) };
                self.trace.copies.push(TracedCopy {
                    direction,
                    device: small(row.get(2)),
                    stream: small(row.get(3)),
                    span,
                    correlation,
                    bytes: row.get(6).count(),
                });
            });
        }
    }

    fn graphs(&mut self, tables: &mut NsysTables<'_, impl Read + Seek>) {
        let columns = ["start", "end", "deviceId", "streamId", "correlationId", "globalPid", "graphId"];
        tables.each("CUPTI_ACTIVITY_KIND_GRAPH_TRACE", &columns, |row| {
            let Some(span) = self.span(row) else { return };
            let correlation = self.correlation(row.get(4), row.get(5));
            self.trace.graphs.push(TracedGraph {
                graph: row.get(6).count().unwrap_or(0),
                device: small(row.get(2)),
                stream: small(row.get(3)),
                span,
                correlation,
            });
        });
        if !self.trace.graphs.is_empty() {
            let what = "CUDA graphs ran as a whole, their kernels are not in the export: record with nsys profile --cuda-graph-trace=node";
            self.trace.remarks.push(format!("{} {what}", self.trace.graphs.len()));
        }
    }

    fn calls(&mut self, tables: &mut NsysTables<'_, impl Read + Seek>) {
        let columns = ["start", "end", "correlationId", "globalTid", "nameId"];
        tables.each("CUPTI_ACTIVITY_KIND_RUNTIME", &columns, |row| {
            let Some(span) = self.span(row) else { return };
            let correlation = self.correlation(row.get(2), row.get(3));
            let thread = row.get(3).whole().unwrap_or(0) as u64;
            self.call_names.push(row.get(4).whole());
            self.trace.calls.push(RuntimeCall { kind: CallKind::Other, thread, span, correlation });
        });
        // 2: a stream waits for an event; the host does not.
        let columns = ["correlationId", "globalPid", "syncType"];
        tables.each("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", &columns, |row| {
            if row.get(2).whole() != Some(2) {
                let call = self.correlation(row.get(0), row.get(1));
                self.waiting.insert(call);
            }
        });
    }

    fn ranges(&mut self, tables: &mut NsysTables<'_, impl Read + Seek>) {
        // 59: pushed and popped, 60: started and ended; others are marks and names.
        let columns = ["start", "end", "eventType", "text", "textId", "globalTid"];
        tables.each("NVTX_EVENTS", &columns, |row| {
            let kind = row.get(2).whole();
            let Some(span) = span(row.get(0), row.get(1)).filter(|_| matches!(kind, None | Some(59 | 60)))
            else {
                return;
            };
            let text = row.get(3).text().map(|t| t.into_owned());
            self.range_names.push((row.get(4).whole(), text));
            let (name, thread) = (self.trace.names.id_of(""), row.get(5).whole().unwrap_or(0) as u64);
            self.trace.ranges.push(TracedRange { name, thread, span });
        });
    }

    fn devices(&mut self, tables: &mut NsysTables<'_, impl Read + Seek>) {
        let mut numbers: HashMap<u32, u32> = HashMap::new();
        tables.each("TARGET_INFO_CUDA_DEVICE", &["gpuId", "cudaId"], |row| {
            numbers.insert(small(row.get(0)), small(row.get(1)));
        });
        tables.each("TARGET_INFO_GPU", &["id", "name"], |row| {
            let id = small(row.get(0));
            let name = row.get(1).text().unwrap_or_default().into_owned();
            let index = numbers.get(&id).copied().unwrap_or(id);
            self.trace.devices.push(TracedDevice { index, name, sms: None, memory: None });
        });
    }

    /// Looks up the texts that something refers to.
    fn texts(&mut self, tables: &mut NsysTables<'_, impl Read + Seek>) {
        let ranges = self.range_names.iter().filter_map(|(id, text)| id.filter(|_| text.is_none()));
        let others = self.kernel_names.iter().chain(&self.call_names).flatten().copied();
        let needed: HashSet<i64> = ranges.chain(others).collect();
        let mut found: HashMap<i64, String> = HashMap::new();
        tables.each("StringIds", &["id", "value"], |row| {
            if let Some(id) = row.get(0).whole().filter(|id| needed.contains(id)) {
                found.insert(id, row.get(1).text().unwrap_or_default().into_owned());
            }
        });
        let text = |id: &Option<i64>| id.and_then(|id| found.get(&id));
        let mut nameless = 0u64;
        for (kernel, id) in self.trace.kernels.iter_mut().zip(&self.kernel_names) {
            nameless += u64::from(text(id).is_none());
            kernel.name = self.trace.names.id_of(text(id).map_or("(no name)", |t| t));
        }
        for (call, id) in self.trace.calls.iter_mut().zip(&self.call_names) {
            let waits = text(id).is_some_and(|name| call_kind(name) == CallKind::Synchronise);
            if waits || (call.correlation != 0 && self.waiting.contains(&call.correlation)) {
                call.kind = CallKind::Synchronise;
            }
        }
        for (range, (id, own)) in self.trace.ranges.iter_mut().zip(&self.range_names) {
            range.name =
                self.trace.names.id_of(own.as_deref().or(text(id).map(|t| t.as_str())).unwrap_or(""));
        }
        if nameless > 0 {
            self.trace
                .remarks
                .push(format!("{nameless} kernels refer to a name that StringIds does not have"));
        }
    }

    /// Says what was missing.
    fn finish(mut self, tables: &NsysTables<'_, impl Read + Seek>) -> RecordedTrace {
        let mut remarks = tables.database.damage();
        if self.negative > 0 {
            remarks.push(format!(
                "{} rows have a negative, missing or impossible time and are left out",
                self.negative
            ));
        }
        let kernel_columns = ["registersPerThread", "staticSharedMemory", "gridX", "blockX"];
        let missing = tables.missing("CUPTI_ACTIVITY_KIND_KERNEL", &kernel_columns);
        if !missing.is_empty() {
            remarks.push(format!(
                "columns missing in this export: {}; what rests on them is unknown",
                missing.join(", ")
            ));
        }
        if tables.find("CUPTI_ACTIVITY_KIND_RUNTIME").is_none() {
            remarks.push("no runtime calls in this export: idle gaps have no cause".into());
        }
        remarks.append(&mut self.trace.remarks);
        self.trace.remarks = remarks;
        self.trace
    }
}

/// CUPTI's kinds of copies.
fn direction(kind: Option<i64>) -> CopyDirection {
    match kind {
        Some(1 | 3 | 11) => CopyDirection::HostToDevice,
        Some(2 | 4 | 12) => CopyDirection::DeviceToHost,
        Some(5 | 6 | 7 | 8 | 13) => CopyDirection::DeviceToDevice,
        Some(9) => CopyDirection::HostToHost,
        Some(10) => CopyDirection::PeerToPeer,
        _ => CopyDirection::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_that_wait_are_known_by_name() {
        for name in
            ["cudaStreamSynchronize_v3020", "cuCtxSynchronize", "hipDeviceSynchronize", "cudaMemcpy_v3020"]
        {
            assert_eq!(call_kind(name), CallKind::Synchronise, "{name}");
        }
        for name in ["cudaMemcpyAsync_v3020", "cudaLaunchKernel_v7000", "cudaEventQuery"] {
            assert_eq!(call_kind(name), CallKind::Other, "{name}");
        }
    }

    #[test]
    fn what_is_no_export_says_what_to_record() {
        let none = read_nsys(std::io::Cursor::new(b"nothing".to_vec()), "x.sqlite", &Progress::default());
        assert!(none.unwrap_err().message.contains("shorter than the header"));
    }
}
