//! A driver that follows a script: times, failures, memory and samples as a test says, the same every time. For tests
//! only; no command uses it.

use super::driver::{
    Address, ComputeMode, DeviceError, Driver, DriverKernel, DriverLimits, DriverVersion, EntryFacts,
    GpuFacts, GpuSample, MemoryInfo, Module, OpenDevice, Parameter, PreparedLaunch,
};
use crate::kernel::Launch;
use crate::units::Seconds;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What a fake GPU does when a kernel is launched.
pub type FakeEffect = fn(&mut FakeMemory, &[Parameter], Launch);

/// How long a launch of a kernel takes, in seconds.
pub type Takes = fn(&[Parameter], Launch) -> f64;

/// A kernel that the fake knows.
#[derive(Clone, Copy)]
pub struct FakeKernel {
    /// What the driver says of it; `blocks_per_sm` 0 means: as many as threads and registers allow.
    pub facts: EntryFacts,
    /// Seconds of a launch.
    pub takes: Takes,
    /// What it does to memory.
    pub effect: FakeEffect,
}

/// A call that can be made to fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Call {
    /// [`Driver::open_device`].
    Open,
    /// [`OpenDevice::compile`].
    Compile,
    /// [`OpenDevice::load_module`].
    Load,
    /// [`OpenDevice::allocate`].
    Allocate,
    /// [`OpenDevice::start`].
    Start,
    /// [`OpenDevice::finish_timing`].
    Finish,
    /// [`OpenDevice::sample`].
    Sample,
}

/// Everything a fake follows and counts.
pub struct Script {
    /// Kernels by symbol.
    pub kernels: BTreeMap<String, FakeKernel>,
    /// From the how-manieth call of a kind on it fails, for how many calls, and how; the first is 0.
    pub failures: Vec<(Call, usize, usize, DeviceError)>,
    /// How often [`OpenDevice::running`] says yes after a start.
    pub looks_while_running: usize,
    /// What samples say, in turn.
    pub samples: Vec<GpuSample>,
    /// How often each call was made.
    pub calls: BTreeMap<Call, usize>,
    /// Launches so far.
    pub launches: usize,
    /// Called after every finished run, with the number of runs: a test cancels there.
    pub after_run: Option<Box<dyn FnMut(usize) + Send>>,
}

impl Default for Script {
    fn default() -> Self {
        let busy = GpuSample {
            sm_clock_hz: Some(2.5e9),
            mem_clock_hz: Some(10.5e9),
            power_w: Some(150.0),
            temperature_c: Some(60.0),
            util_pct: Some(99.0),
        };
        Self {
            kernels: BTreeMap::new(),
            failures: Vec::new(),
            looks_while_running: 3,
            samples: vec![busy],
            calls: BTreeMap::new(),
            launches: 0,
            after_run: None,
        }
    }
}

/// The scripted driver; its clones follow one script.
#[derive(Clone)]
pub struct Fake {
    /// The GPUs it sees.
    pub gpus: Vec<GpuFacts>,
    /// Its release.
    pub version: DriverVersion,
    /// Whether NVRTC is there.
    pub compiler: bool,
    /// The newest CUDA version whose PTX it takes is `version.cuda`; images are `cuda MAJOR.MINOR`.
    pub nvrtc: (u32, u32),
    /// What it follows; clones share it.
    pub script: Arc<Mutex<Script>>,
}

/// The facts of a small GPU of compute capability 8.9, called as the catalogue's RTX 4070.
#[must_use]
pub fn small_gpu() -> GpuFacts {
    GpuFacts {
        index: 0,
        name: "NVIDIA GeForce RTX 4070".into(),
        uuid: "GPU-00000000-0000-0000-0000-000000000001".into(),
        capability: (8, 9),
        sms: 46,
        sm_clock_hz: 2.475e9,
        mem_clock_hz: 10.501e9,
        bus_bits: 192,
        l2_bytes: 1 << 20,
        memory_bytes: 96 << 20,
        limits: DriverLimits {
            threads_per_sm: 1536,
            blocks_per_sm: 24,
            threads_per_block: 1024,
            regs_per_sm: 65536,
            regs_per_block: 65536,
            smem_per_sm: 102_400,
            smem_per_block: 49_152,
            smem_opt_in: 101_376,
            smem_reserved: 1024,
        },
        power_limit_w: Some(200.0),
        default_power_limit_w: Some(200.0),
        mig: false,
        compute_mode: ComputeMode::Default,
    }
}

impl Default for Fake {
    fn default() -> Self {
        Self {
            gpus: vec![small_gpu()],
            version: DriverVersion { driver: "570.00".into(), cuda: (12, 8) },
            compiler: true,
            nvrtc: (12, 8),
            script: Arc::default(),
        }
    }
}

impl Fake {
    /// Teaches it a kernel.
    #[must_use]
    pub fn knowing(self, symbol: &str, facts: EntryFacts, takes: Takes, effect: FakeEffect) -> Self {
        self.script().kernels.insert(symbol.into(), FakeKernel { facts, takes, effect });
        self
    }

    /// Lets a call fail, from the how-manieth on, so many times.
    #[must_use]
    pub fn failing(self, call: Call, from: usize, times: usize, error: DeviceError) -> Self {
        self.script().failures.push((call, from, times, error));
        self
    }

    /// The script, to read or to change.
    ///
    /// # Panics
    /// Never; a lock that a panic left behind is taken over.
    pub fn script(&self) -> MutexGuard<'_, Script> {
        self.script.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn counted(&self, call: Call) -> Result<(), DeviceError> {
        let mut script = self.script();
        let nth = *script.calls.entry(call).and_modify(|n| *n += 1).or_insert(1) - 1;
        let due = |f: &&(Call, usize, usize, DeviceError)| f.0 == call && nth >= f.1 && nth - f.1 < f.2;
        script.failures.iter().find(due).map_or(Ok(()), |f| Err(f.3.clone()))
    }
}

/// A GPU that runs `saxpy` of the suite in 25 µs, and rightly.
#[must_use]
pub fn that_runs_saxpy() -> Fake {
    let facts = EntryFacts { registers: 12, blocks_per_sm: 6, max_threads: 1024, ..EntryFacts::default() };
    let saxpy: FakeEffect = |memory, parameters, _| {
        use Parameter::{Address as At, F32, U32};
        let [F32(alpha), At(x), At(y), At(z), U32(n)] = *parameters else { return };
        let (x, y) = (memory.f32s(x, n as usize), memory.f32s(y, n as usize));
        let sums: Vec<f32> = x.iter().zip(&y).map(|(x, y)| alpha.mul_add(*x, *y)).collect();
        memory.set_f32s(z, &sums);
    };
    Fake::default().knowing("saxpy", facts, |_, _| 25e-6, saxpy)
}

impl Driver for Fake {
    fn version(&self) -> DriverVersion {
        self.version.clone()
    }

    fn gpus(&self) -> Result<Vec<GpuFacts>, DeviceError> {
        if self.gpus.is_empty() {
            return Err(DeviceError::NoDriver("the driver sees no GPU".into()));
        }
        Ok(self.gpus.clone())
    }

    fn open_device(&self, index: usize) -> Result<Box<dyn OpenDevice>, DeviceError> {
        self.counted(Call::Open)?;
        let facts = self.gpus.iter().find(|g| g.index == index).cloned().unwrap_or_default();
        match facts.compute_mode {
            ComputeMode::Prohibited => Err(DeviceError::Busy("its compute mode is `prohibited`".into())),
            _ => Ok(Box::new(FakeDevice {
                fake: self.clone(),
                facts,
                memory: FakeMemory::default(),
                entries: Vec::new(),
                looks: 0,
                elapsed: 0.0,
                runs: 0,
            })),
        }
    }
}

/// Memory of a fake GPU.
#[derive(Debug, Default)]
pub struct FakeMemory {
    blocks: BTreeMap<u64, Vec<u8>>,
    next: u64,
}

impl FakeMemory {
    fn block(&mut self, at: Address) -> Option<(&mut Vec<u8>, usize)> {
        let (base, bytes) = self.blocks.range_mut(..=at.0).next_back()?;
        let offset = (at.0 - base) as usize;
        (offset < bytes.len()).then_some((bytes, offset))
    }

    /// The bytes from here to the end of what was allocated; none for an address that was not.
    pub fn from(&mut self, at: Address) -> &mut [u8] {
        self.block(at).map(|(bytes, offset)| &mut bytes[offset..]).unwrap_or_default()
    }

    /// `n` single-precision numbers from here.
    pub fn f32s(&mut self, at: Address, n: usize) -> Vec<f32> {
        self.from(at).as_chunks::<4>().0.iter().take(n).map(|w| f32::from_le_bytes(*w)).collect()
    }

    /// Writes single-precision numbers from here on.
    pub fn set_f32s(&mut self, at: Address, values: &[f32]) {
        let words = self.from(at).as_chunks_mut::<4>().0;
        words.iter_mut().zip(values).for_each(|(word, v)| *word = v.to_le_bytes());
    }

    fn used(&self) -> u64 {
        self.blocks.values().map(|b| b.len() as u64).sum()
    }
}

struct FakeDevice {
    fake: Fake,
    facts: GpuFacts,
    memory: FakeMemory,
    entries: Vec<(String, FakeKernel)>,
    looks: usize,
    elapsed: f64,
    runs: usize,
}

fn outside() -> DeviceError {
    DeviceError::Lost("CUDA_ERROR_ILLEGAL_ADDRESS: outside what was allocated".into())
}

impl OpenDevice for FakeDevice {
    fn memory(&mut self) -> Result<MemoryInfo, DeviceError> {
        let total = self.facts.memory_bytes;
        Ok(MemoryInfo { free: total.saturating_sub(self.memory.used()), total })
    }

    fn compile(&mut self, _: &str, _: &str) -> Result<Vec<u8>, DeviceError> {
        self.fake.counted(Call::Compile)?;
        if !self.fake.compiler {
            return Err(DeviceError::NoCompiler("the library is not installed".into()));
        }
        let (major, minor) = self.fake.nvrtc;
        Ok(format!("cuda {major}.{minor}").into_bytes())
    }

    fn load_module(&mut self, image: &[u8]) -> Result<Module, DeviceError> {
        self.fake.counted(Call::Load)?;
        let text = String::from_utf8_lossy(image);
        let version = text.strip_prefix("cuda ").and_then(|v| v.split_once('.'));
        let version: Option<(u32, u32)> = version.and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
        match version {
            Some(made_with) if made_with > self.fake.version.cuda => {
                Err(DeviceError::BadImage("CUDA_ERROR_UNSUPPORTED_PTX_VERSION".into()))
            }
            _ => Ok(Module(0)),
        }
    }

    fn entry(&mut self, _: Module, symbol: &str) -> Result<DriverKernel, DeviceError> {
        let known = self.fake.script().kernels.get(symbol).copied();
        let kernel = known.ok_or_else(|| DeviceError::Call {
            call: "cuModuleGetFunction",
            why: format!("{symbol}: not found"),
        })?;
        self.entries.push((symbol.into(), kernel));
        Ok(DriverKernel(self.entries.len() - 1))
    }

    fn facts(&mut self, entry: DriverKernel, threads: u32, smem: u32) -> Result<EntryFacts, DeviceError> {
        let limits = self.facts.limits;
        if smem > limits.smem_opt_in {
            return Err(DeviceError::Refused("more shared memory than a block may have".into()));
        }
        let mut facts = self.entries[entry.0].1.facts;
        if facts.blocks_per_sm == 0 {
            let by_registers = limits.regs_per_sm / (facts.registers * threads).max(1);
            let smem = facts.static_smem + smem + limits.smem_reserved;
            facts.blocks_per_sm = (limits.threads_per_sm / threads.max(1))
                .min(limits.blocks_per_sm)
                .min(by_registers)
                .min(limits.smem_per_sm / smem.max(1));
        }
        Ok(facts)
    }

    fn allocate(&mut self, bytes: u64) -> Result<Address, DeviceError> {
        self.fake.counted(Call::Allocate)?;
        if bytes > self.memory()?.free {
            return Err(DeviceError::OutOfMemory { bytes });
        }
        self.memory.next += 1 << 40;
        self.memory.blocks.insert(self.memory.next, vec![0; bytes as usize]);
        Ok(Address(self.memory.next))
    }

    fn free(&mut self, at: Address) -> Result<(), DeviceError> {
        self.memory.blocks.remove(&at.0).map(drop).ok_or_else(outside)
    }

    fn write(&mut self, to: Address, bytes: &[u8]) -> Result<(), DeviceError> {
        let target = self.memory.from(to);
        target.get_mut(..bytes.len()).ok_or_else(outside)?.copy_from_slice(bytes);
        Ok(())
    }

    fn copy_from_device(&mut self, from: Address, bytes: &mut [u8]) -> Result<(), DeviceError> {
        let length = bytes.len();
        bytes.copy_from_slice(self.memory.from(from).get(..length).ok_or_else(outside)?);
        Ok(())
    }

    fn copy(&mut self, from: Address, to: Address, bytes: u64) -> Result<(), DeviceError> {
        let held = self.memory.from(from).get(..bytes as usize).ok_or_else(outside)?.to_vec();
        self.write(to, &held)
    }

    fn start(&mut self, of: &[PreparedLaunch], times: usize) -> Result<(), DeviceError> {
        self.fake.counted(Call::Start)?;
        self.elapsed = 0.0;
        for one in of.iter().cycle().take(times) {
            let (_, kernel) = &self.entries[one.entry.0];
            self.elapsed += (kernel.takes)(&one.parameters, one.launch);
        }
        // Answers are looked at after single launches; runs of many are there for their time.
        if let ([one, ..], 1) = (of, times) {
            let effect = self.entries[one.entry.0].1.effect;
            effect(&mut self.memory, &one.parameters, one.launch);
        }
        let mut script = self.fake.script();
        script.launches += times;
        self.looks = script.looks_while_running;
        Ok(())
    }

    fn running(&mut self) -> Result<bool, DeviceError> {
        let running = self.looks > 0;
        self.looks = self.looks.saturating_sub(1);
        Ok(running)
    }

    fn finish_timing(&mut self) -> Result<Seconds, DeviceError> {
        self.fake.counted(Call::Finish)?;
        self.looks = 0;
        self.runs += 1;
        if let Some(after) = &mut self.fake.script().after_run {
            after(self.runs);
        }
        // Some noise, the same every time: up to 0.5 %, by the number of the run.
        let noise = (self.runs * 7 % 11) as f64 / 11.0 * 0.005;
        Ok(Seconds(self.elapsed * (1.0 + noise)))
    }

    fn sample(&mut self) -> Result<GpuSample, DeviceError> {
        self.fake.counted(Call::Sample)?;
        let script = self.fake.script();
        if self.looks == 0 {
            // Between the look and the sample everything has ended: what an idle GPU says must reach no row.
            let (clock, power) = (Some(210e6), Some(12.0));
            return Ok(GpuSample {
                sm_clock_hz: clock,
                power_w: power,
                util_pct: Some(0.0),
                ..GpuSample::default()
            });
        }
        let taken = script.calls.get(&Call::Sample).copied().unwrap_or(1) - 1;
        let known = script.samples.len().max(1);
        Ok(script.samples.get(taken % known).copied().unwrap_or_default())
    }
}
