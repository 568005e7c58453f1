//! The micro-benchmarks, one after the other.

use super::straight_line;
use super::{Probe, Reading, ReadingUnit};
use crate::device::code;
use crate::device::driver::{
    Address, DeviceError, DriverKernel, DriverVersion, GpuFacts, GpuSample, OpenDevice, Parameter,
    PreparedLaunch,
};
use crate::kernel::Launch;
use crate::progress::Progress;
use std::collections::BTreeMap;

/// Repeats of each.
const REPEATS: usize = 11;

/// Time of one repeat, about, in seconds.
const REPEAT: f64 = 5e-3;

/// Threads per block.
const THREADS: u32 = 256;

/// Steps of the pointer chase.
const STEPS: u32 = 65_536;

/// Bytes of a line, and between the places of the pointer chase.
const LINE: u64 = 128;

/// Launches back to back for the launch floor.
const FLOOR_LAUNCHES: usize = 1000;

/// One micro-benchmark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bench {
    /// What its readings are called.
    pub id: &'static str,
    /// What it is, for the progress line.
    pub name: &'static str,
}

/// All, in the order in which they run.
const ALL: [(Bench, Measure); 16] = [
    (Bench { id: "launch_floor", name: "launch overhead, back to back" }, floor_back_to_back),
    (Bench { id: "launch_alone", name: "launch overhead, alone" }, floor_alone),
    (Bench { id: "dram_copy", name: "DRAM copy" }, |b| stream(b, "probe_copy", 2)),
    (Bench { id: "dram_triad", name: "DRAM triad" }, |b| stream(b, "probe_triad", 3)),
    (Bench { id: "dram_read", name: "DRAM read" }, |b| stream(b, "probe_read", 1)),
    (Bench { id: "dram_latency", name: "DRAM latency" }, dram_latency),
    (Bench { id: "l2_latency", name: "L2 latency" }, l2_latency),
    (Bench { id: "dram_by_occupancy", name: "DRAM copy over blocks per SM" }, by_occupancy),
    (Bench { id: "l2_read", name: "L2 read by working set" }, l2),
    (Bench { id: "l1_read", name: "L1 read by working set" }, l1),
    (Bench { id: "shared_read", name: "shared memory" }, shared),
    (Bench { id: "fp32_fma", name: "FP32 multiply-adds" }, |b| fma(b, "probe_fp32")),
    (Bench { id: "fp64_fma", name: "FP64 multiply-adds" }, |b| fma(b, "probe_fp64")),
    (Bench { id: "fp16_fma", name: "FP16 multiply-adds" }, |b| fma(b, "probe_fp16")),
    (Bench { id: "tensor_fp16", name: "tensor cores, fp16 into fp32" }, tensor),
    (Bench { id: "straight_line", name: "code without loops by its length" }, straight_line_code),
];

/// How a bench is run.
type Measure = fn(&mut Desk<'_>) -> Result<(), DeviceError>;

/// Measures every ceiling; `begins` is told the place, the number and the name of each. A benchmark that this GPU or this
/// driver cannot run is missing, and said so.
///
/// # Errors
/// [`DeviceError::Lost`] and [`DeviceError::Busy`], after which nothing more can be asked.
pub fn run_benches(
    device: &mut dyn OpenDevice,
    facts: &GpuFacts,
    version: &DriverVersion,
    progress: &Progress,
    mut begins: impl FnMut(usize, usize, &str),
) -> Result<Probe, DeviceError> {
    let mut desk = Desk { device, facts, entries: BTreeMap::new(), bench: ALL[0].0, readings: Vec::new() };
    let (mut missing, mut stopped) = (Vec::new(), false);
    for (place, (bench, measure)) in ALL.into_iter().enumerate() {
        if progress.is_cancelled() {
            stopped = true;
            break;
        }
        begins(place, ALL.len(), bench.name);
        desk.bench = bench;
        match measure(&mut desk) {
            Ok(()) => {}
            Err(e @ (DeviceError::Lost(_) | DeviceError::Busy(_))) => return Err(e),
            Err(why) => missing.push(format!("{} ({}): {why}", bench.name, bench.id)),
        }
    }
    let readings = desk.readings;
    Ok(Probe { facts: facts.clone(), version: version.clone(), readings, missing, cancelled: stopped })
}

/// What a benchmark works with.
struct Desk<'a> {
    device: &'a mut dyn OpenDevice,
    facts: &'a GpuFacts,
    entries: BTreeMap<&'static str, DriverKernel>,
    bench: Bench,
    readings: Vec<Reading>,
}

/// One point that is to be measured.
struct BenchPoint<'a> {
    at: String,
    unit: ReadingUnit,
    /// Bytes, operations or steps of a launch.
    work: f64,
    of: &'a PreparedLaunch,
    /// Launches of a repeat.
    launches: usize,
    method: String,
}

impl Desk<'_> {
    fn entry(&mut self, file: &str, symbol: &'static str) -> Result<DriverKernel, DeviceError> {
        if let Some(known) = self.entries.get(symbol) {
            return Ok(*known);
        }
        let loaded = code::load_code(self.device, file, self.facts.capability)?;
        let entry = self.device.entry(loaded.module, symbol)?;
        self.entries.insert(symbol, entry);
        Ok(entry)
    }

    /// A grid of so many blocks per SM.
    fn full_launch(&self, per_sm: u32) -> Launch {
        Launch { block: [THREADS, 1, 1], grid: [u64::from(self.facts.sms.max(1)) * u64::from(per_sm), 1, 1] }
    }

    /// Blocks that are resident on an SM.
    fn resident(&mut self, entry: DriverKernel) -> Result<u32, DeviceError> {
        Ok(self.device.facts(entry, THREADS, 0)?.blocks_per_sm.max(1))
    }

    /// Memory for a benchmark, given back after it.
    fn with_memory(
        &mut self,
        bytes: u64,
        work: impl FnOnce(&mut Self, Address) -> Result<(), DeviceError>,
    ) -> Result<(), DeviceError> {
        let at = self.device.allocate(bytes)?;
        let done = work(self, at);
        // The first error is the one that says what happened.
        let freed = self.device.free(at);
        done.and(freed)
    }

    /// The sum of free memory that streams may use: far more than L2, and not all there is.
    fn stream_bytes(&mut self, buffers: u64) -> Result<u64, DeviceError> {
        const MOST: u64 = 1 << 30;
        let free = self.device.memory()?.free;
        let wanted = (8 * self.facts.l2_bytes).clamp(256 << 20, MOST);
        Ok(wanted.min(free * 8 / 10 / buffers) / 4096 * 4096)
    }

    fn measure(&mut self, point: &BenchPoint<'_>) -> Result<(), DeviceError> {
        let of = std::slice::from_ref(point.of);
        self.device.start(of, 2)?;
        self.device.finish_timing()?;
        let (mut values, mut samples) = (Vec::with_capacity(REPEATS), Vec::new());
        for _ in 0..REPEATS {
            self.device.start(of, point.launches)?;
            if samples.len() < 3 && self.device.running()? {
                let sample = self.device.sample()?;
                if self.device.running()? {
                    samples.push(sample);
                }
            }
            let one = self.device.finish_timing()?.0 / point.launches as f64;
            values.push(if point.unit == ReadingUnit::Seconds {
                one / point.work
            } else {
                point.work / one.max(1e-12)
            });
        }
        let reading = reading(self.bench.id, point, values, &samples);
        self.readings.push(reading);
        Ok(())
    }
}

fn reading(id: &'static str, point: &BenchPoint<'_>, mut values: Vec<f64>, samples: &[GpuSample]) -> Reading {
    values.sort_by(f64::total_cmp);
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let std = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0)).sqrt();
    let ends = (values.first().copied().unwrap_or(0.0), values.last().copied().unwrap_or(0.0));
    let clocks: Vec<f64> = samples.iter().filter_map(|s| s.sm_clock_hz).collect();
    Reading {
        id,
        at: point.at.clone(),
        unit: point.unit,
        median: values.get(values.len() / 2).copied().unwrap_or(0.0),
        best: if point.unit == ReadingUnit::Seconds { ends.0 } else { ends.1 },
        spread: if mean > 0.0 { std / mean } else { 0.0 },
        repeats: values.len(),
        sm_clock_hz: (!clocks.is_empty()).then(|| clocks.iter().sum::<f64>() / clocks.len() as f64),
        method: point.method.clone(),
    }
}

fn floor(desk: &mut Desk<'_>, launches: usize, method: &str) -> Result<(), DeviceError> {
    let entry = desk.entry("probe/empty.cu", "probe_empty")?;
    let launch = Launch { block: [1; 3], grid: [1; 3] };
    let of = PreparedLaunch { entry, launch, dynamic_smem: 0, parameters: Vec::new() };
    let (at, unit) = (String::new(), ReadingUnit::Seconds);
    desk.measure(&BenchPoint { at, unit, work: 1.0, of: &of, launches, method: method.into() })
}

fn floor_back_to_back(desk: &mut Desk<'_>) -> Result<(), DeviceError> {
    floor(desk, FLOOR_LAUNCHES, "empty kernel, 1000 launches between two events, time per launch")
}

fn floor_alone(desk: &mut Desk<'_>) -> Result<(), DeviceError> {
    floor(desk, 1, "empty kernel, one launch between two events")
}

/// Copy, triad or read through `buffers` arrays.
fn stream(desk: &mut Desk<'_>, symbol: &'static str, buffers: u64) -> Result<(), DeviceError> {
    let entry = desk.entry("probe/stream.cu", symbol)?;
    let bytes = desk.stream_bytes(buffers)?;
    desk.with_memory(bytes * buffers + 256, |desk, at| {
        let of = streamed(desk.full_launch(32), entry, buffers, bytes, at, 0);
        let mib = bytes >> 20;
        let method = format!("{symbol}, {buffers} arrays of {mib} MiB, 16 bytes a thread and step, 32 blocks of {THREADS} per SM");
        let work = (bytes * buffers) as f64;
        desk.measure(&BenchPoint { at: String::new(), unit: ReadingUnit::BytesPerSecond, work, of: &of, launches: 1, method })
    })
}

fn streamed(
    launch: Launch,
    entry: DriverKernel,
    buffers: u64,
    bytes: u64,
    at: Address,
    dynamic_smem: u32,
) -> PreparedLaunch {
    let mut parameters: Vec<Parameter> =
        (0..buffers).map(|i| Parameter::Address(at.plus(i * bytes))).collect();
    match buffers {
        1 => parameters.push(Parameter::Address(at.plus(bytes))),
        3 => parameters.push(Parameter::F32(0.5)),
        _ => {}
    }
    parameters.push(Parameter::U32((bytes / 16) as u32));
    PreparedLaunch { entry, launch, dynamic_smem, parameters }
}

/// The copy with 1, 2, … blocks on an SM: dynamic shared memory that nobody uses keeps the others away.
fn by_occupancy(desk: &mut Desk<'_>) -> Result<(), DeviceError> {
    let entry = desk.entry("probe/stream.cu", "probe_copy")?;
    let most = desk.resident(entry)?;
    let limits = desk.facts.limits;
    let bytes = desk.stream_bytes(2)?;
    desk.with_memory(bytes * 2, |desk, at| {
        for blocks in 1..=most {
            let share = (limits.smem_per_sm / blocks).saturating_sub(limits.smem_reserved);
            let smem = if blocks == most { 0 } else { share.min(limits.smem_opt_in) / 256 * 256 };
            let resident = desk.device.facts(entry, THREADS, smem)?.blocks_per_sm;
            if resident != blocks {
                continue; // not to be had by shared memory alone
            }
            let of = streamed(desk.full_launch(blocks), entry, 2, bytes, at, smem);
            let method = format!("probe_copy, {blocks} resident blocks of {THREADS} threads per SM, held by dynamic shared memory");
            let (at, work) = (format!("{blocks} blocks/SM"), 2.0 * bytes as f64);
            desk.measure(&BenchPoint { at, unit: ReadingUnit::BytesPerSecond, work, of: &of, launches: 1, method })?;
        }
        Ok(())
    })
}

fn dram_latency(desk: &mut Desk<'_>) -> Result<(), DeviceError> {
    // So far beyond L2 that what one launch leaves there is gone before the chain comes round to it; what writing the chain
    // left there is driven out by zeros.
    let l2 = desk.facts.l2_bytes;
    let free = desk.device.memory()?.free;
    latency(desk, (4 * l2).max(64 << 20).min(free / 4), 2 * l2)
}

fn l2_latency(desk: &mut Desk<'_>) -> Result<(), DeviceError> {
    // Beyond any L1, within L2, and read whole by the launches that warm up.
    let bytes = (desk.facts.l2_bytes / 8).clamp(512 << 10, 2 * u64::from(STEPS) * LINE);
    latency(desk, bytes, 0)
}

/// A chain through all lines of a buffer, in random order: each step waits for memory. So many bytes (`flushing`) are
/// written between the chain and its first launch.
fn latency(desk: &mut Desk<'_>, bytes: u64, flushing: u64) -> Result<(), DeviceError> {
    let entry = desk.entry("probe/chase.cu", "probe_chase")?;
    let bytes = bytes / LINE * LINE;
    let chain = chain((bytes / LINE) as usize, (LINE / 4) as usize);
    desk.with_memory(bytes + 256 + flushing, |desk, at| {
        desk.device.write(at, &chain)?;
        desk.device.write(at.plus(bytes + 256), &vec![0; flushing as usize])?;
        // The first launch begins at the first line, every other one where the one before has ended.
        desk.device.write(at.plus(bytes), &[0; 4])?;
        let parameters =
            vec![Parameter::Address(at), Parameter::Address(at.plus(bytes)), Parameter::U32(STEPS)];
        let of = PreparedLaunch {
            entry,
            launch: Launch { block: [1; 3], grid: [1; 3] },
            dynamic_smem: 0,
            parameters,
        };
        let method = format!(
            "one thread, {STEPS} dependent loads in random order over {} KiB, one per {LINE} bytes",
            bytes >> 10
        );
        let work = f64::from(STEPS);
        desk.measure(&BenchPoint {
            at: String::new(),
            unit: ReadingUnit::Seconds,
            work,
            of: &of,
            launches: 1,
            method,
        })
    })
}

/// One cycle through `lines` places, `words` apart (Sattolo's shuffle, fixed seed), as the bytes of unsigned numbers.
fn chain(lines: usize, words: usize) -> Vec<u8> {
    let mut order: Vec<u32> = (0..lines as u32).collect();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for i in (1..lines).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let other = ((u128::from(state) * i as u128) >> 64) as usize;
        order.swap(i, other);
    }
    let mut bytes = vec![0; lines * words * 4];
    for (line, next) in order.into_iter().enumerate() {
        let at = line * words * 4;
        bytes[at..at + 4].copy_from_slice(&(next * words as u32).to_le_bytes());
    }
    bytes
}

/// How a benchmark of repeated reads is launched: how often its loop runs, so that a launch takes about [`REPEAT`].
fn rounds(desk: &Desk<'_>, threads: f64, per_thread: f64, per_clock_and_sm: f64) -> u32 {
    let rate = per_clock_and_sm * f64::from(desk.facts.sms.max(1)) * desk.facts.sm_clock_hz.max(1e8);
    (REPEAT * rate / (threads * per_thread)).ceil().clamp(1.0, 1e6) as u32
}

fn l2(desk: &mut Desk<'_>) -> Result<(), DeviceError> {
    let cache = desk.facts.l2_bytes.max(1 << 18);
    // From an eighth of the cache to four times it: the highest is the ceiling, the fall shows where L2 ends.
    let sets: Vec<u64> = (0..6).map(|i| ((cache / 8) << i).next_power_of_two()).collect();
    sets_read(desk, "probe_read_l2", &sets, 64.0)
}

fn l1(desk: &mut Desk<'_>) -> Result<(), DeviceError> {
    sets_read(
        desk,
        "probe_read_l1",
        &[4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10, 256 << 10],
        64.0,
    )
}

fn sets_read(
    desk: &mut Desk<'_>,
    symbol: &'static str,
    sets: &[u64],
    per_clock: f64,
) -> Result<(), DeviceError> {
    let entry = desk.entry("probe/cache.cu", symbol)?;
    let resident = desk.resident(entry)?;
    let room = desk.device.memory()?.free / 2;
    for set in sets.iter().copied().filter(|s| *s <= room) {
        desk.with_memory(set + 256, |desk, at| {
            let launch = desk.full_launch(resident);
            let threads = f64::from(THREADS) * launch.block_count() as f64;
            let rounds = rounds(desk, threads, 64.0, per_clock);
            let parameters = vec![
                Parameter::Address(at),
                Parameter::Address(at.plus(set)),
                Parameter::U32((set / 16) as u32),
                Parameter::U32(rounds),
            ];
            let of = PreparedLaunch { entry, launch, dynamic_smem: 0, parameters };
            let kib = set >> 10;
            let method = format!(
                "{symbol}, {kib} KiB read {rounds} x 4 times by {resident} blocks of {THREADS} per SM"
            );
            let work = 64.0 * threads * f64::from(rounds);
            desk.measure(&BenchPoint {
                at: format!("{kib} KiB"),
                unit: ReadingUnit::BytesPerSecond,
                work,
                of: &of,
                launches: 1,
                method,
            })
        })?;
    }
    Ok(())
}

fn shared(desk: &mut Desk<'_>) -> Result<(), DeviceError> {
    let entry = desk.entry("probe/shared.cu", "probe_shared")?;
    let resident = desk.resident(entry)?;
    desk.with_memory(256, |desk, at| {
        let launch = desk.full_launch(resident);
        let threads = f64::from(THREADS) * launch.block_count() as f64;
        let rounds = rounds(desk, threads, 64.0, 128.0);
        let parameters = vec![Parameter::Address(at), Parameter::U32(rounds)];
        let of = PreparedLaunch { entry, launch, dynamic_smem: 0, parameters };
        let method = format!(
            "probe_shared, 16-byte reads without bank conflict, {resident} blocks of {THREADS} per SM"
        );
        let work = 64.0 * threads * f64::from(rounds);
        desk.measure(&BenchPoint {
            at: String::new(),
            unit: ReadingUnit::BytesPerSecond,
            work,
            of: &of,
            launches: 1,
            method,
        })
    })
}

/// A loop of multiply-adds from registers.
struct FmaLoop {
    entry: DriverKernel,
    /// FLOPs of a thread and round.
    flops: f64,
    /// What x is multiplied by, and what is added to it.
    numbers: [Parameter; 2],
    at: String,
    /// What it is, before the blocks per SM.
    name: String,
}

fn fma_loop(desk: &mut Desk<'_>, of: FmaLoop) -> Result<(), DeviceError> {
    let FmaLoop { entry, flops, numbers: [a, b], at: point, name } = of;
    let resident = desk.resident(entry)?;
    desk.with_memory(256, |desk, at| {
        let launch = desk.full_launch(resident);
        let threads = f64::from(THREADS) * launch.block_count() as f64;
        // FP64 runs at a half to a 64th of this: its launches take longer, and no more than some tenths of a second.
        let rounds = rounds(desk, threads, flops, 256.0);
        let parameters = vec![Parameter::Address(at), a, b, Parameter::U32(rounds)];
        let of = PreparedLaunch { entry, launch, dynamic_smem: 0, parameters };
        let method = format!("{name}, {resident} blocks of {THREADS} per SM");
        let work = flops * threads * f64::from(rounds);
        let unit = ReadingUnit::FlopsPerSecond;
        desk.measure(&BenchPoint { at: point, unit, work, of: &of, launches: 1, method })
    })
}

fn fma(desk: &mut Desk<'_>, symbol: &'static str) -> Result<(), DeviceError> {
    let entry = desk.entry("probe/fma.cu", symbol)?;
    let (flops, numbers) = match symbol {
        "probe_fp16" => (512.0, [Parameter::U32(0x3800_3800), Parameter::U32(0x3400_3400)]),
        "probe_fp64" => (256.0, [Parameter::F64(0.5), Parameter::F64(0.25)]),
        _ => (256.0, [Parameter::F32(0.5), Parameter::F32(0.25)]),
    };
    let name = format!("{symbol}, 8 independent chains a thread in registers");
    fma_loop(desk, FmaLoop { entry, flops, numbers, at: String::new(), name })
}

/// Multiply-adds in loops of more and more instructions.
fn straight_line_code(desk: &mut Desk<'_>) -> Result<(), DeviceError> {
    for instructions in straight_line::SIZES {
        let module = desk.device.load_module(straight_line::ptx(instructions).as_bytes())?;
        let entry = desk.device.entry(module, straight_line::SYMBOL)?;
        let (flops, numbers) = (2.0 * f64::from(instructions), [Parameter::F32(0.5), Parameter::F32(0.25)]);
        let (at, symbol) = (format!("{instructions} instructions"), straight_line::SYMBOL);
        let name = format!("{symbol}, a loop of {instructions} multiply-adds in 8 chains");
        fma_loop(desk, FmaLoop { entry, flops, numbers, at, name })?;
    }
    Ok(())
}

fn tensor(desk: &mut Desk<'_>) -> Result<(), DeviceError> {
    let capability = desk.facts.capability;
    if capability < (7, 0) {
        let why = "this compute capability has no tensor cores".to_string();
        return Err(DeviceError::Call { call: "probe_tensor", why });
    }
    let (per_warp, shape) =
        if capability >= (8, 0) { (4096.0, "m16n8k16") } else { (2048.0, "m16n8k8 or m8n8k4") };
    let entry = desk.entry("probe/tensor.cu", "probe_tensor")?;
    let resident = desk.resident(entry)?;
    desk.with_memory(256, |desk, at| {
        let launch = desk.full_launch(resident);
        let warps = f64::from(THREADS / 32) * launch.block_count() as f64;
        let rounds = rounds(desk, warps, 8.0 * per_warp, 1024.0);
        let parameters = vec![Parameter::Address(at), Parameter::U32(0x3c00_3c00), Parameter::U32(rounds)];
        let of = PreparedLaunch { entry, launch, dynamic_smem: 0, parameters };
        let method = format!("mma.sync {shape}, dense, fp16 accumulated in fp32, 8 accumulators a warp, {resident} blocks of {THREADS} per SM");
        let work = 8.0 * per_warp * warps * f64::from(rounds);
        desk.measure(&BenchPoint { at: String::new(), unit: ReadingUnit::FlopsPerSecond, work, of: &of, launches: 1, method })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chain_is_one_cycle_through_every_line() {
        let (lines, words) = (1000, 32);
        let bytes = chain(lines, words);
        let next = |at: usize| u32::from_le_bytes(*bytes[4 * at..].first_chunk().unwrap()) as usize;
        let (mut at, mut steps) = (next(0), 1);
        while at != 0 {
            assert_eq!(at % words, 0);
            at = next(at);
            steps += 1;
        }
        assert_eq!(steps, lines);
    }
}
