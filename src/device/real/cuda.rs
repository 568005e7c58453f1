//! The CUDA driver: what the program does with a GPU, through the functions of [`super::libcuda`].
#![allow(unsafe_code)]

use super::allocation::Allocation;
use super::libcuda::{
    Context, DeviceNumber, EVENT_DEFAULT, Event, Function, Libcuda, LoadedModule, STREAM_NON_BLOCKING,
    Status, Stream, Unusable, attribute, function_attribute, status,
};
use super::nvml::SampledGpu;
use super::nvrtc::Nvrtc;
use crate::device::driver::{
    Address, ComputeMode, DeviceError, Driver, DriverKernel, DriverLimits, DriverVersion, EntryFacts,
    GpuFacts, GpuSample, MemoryInfo, Module, OpenDevice, Parameter, PreparedLaunch,
};
use crate::units::Seconds;
use std::ffi::{CStr, CString, c_int, c_void};
use std::sync::OnceLock;

/// The driver's error as ours.
fn call_error_of(api: &Libcuda, call: &'static str, status: Status) -> DeviceError {
    let why = api.describe(status);
    match status {
        status::OUT_OF_MEMORY => DeviceError::OutOfMemory { bytes: 0 },
        status::DEVICE_UNAVAILABLE => DeviceError::Busy(why),
        status::NO_BINARY_FOR_GPU
        | status::INVALID_PTX
        | status::UNSUPPORTED_PTX_VERSION
        | status::INVALID_IMAGE
        | status::INVALID_SOURCE
        | status::JIT_COMPILER_NOT_FOUND => DeviceError::BadImage(why),
        status::INVALID_VALUE | status::LAUNCH_OUT_OF_RESOURCES | status::NOT_SUPPORTED => {
            DeviceError::Refused(format!("{call}: {why}"))
        }
        status::ILLEGAL_ADDRESS
        | status::MISALIGNED_ADDRESS
        | status::ILLEGAL_INSTRUCTION
        | status::INVALID_ADDRESS_SPACE
        | status::INVALID_PC
        | status::HARDWARE_STACK_ERROR
        | status::LAUNCH_FAILED
        | status::LAUNCH_TIMEOUT
        | status::ASSERT
        | status::ECC_UNCORRECTABLE
        | status::CONTEXT_IS_DESTROYED => DeviceError::Lost(format!("{call}: {why}")),
        _ => DeviceError::Call { call, why },
    }
}

/// What a call writes to the address it is given; `start` stands there before.
fn written<T>(start: T, call: impl FnOnce(*mut T) -> Result<(), Status>) -> Result<T, Status> {
    let mut value = start;
    call(&raw mut value).map(|()| value)
}

/// The library, once, for as long as the process runs.
fn library() -> Result<&'static Libcuda, Unusable> {
    static LIBRARY: OnceLock<Result<Libcuda, Unusable>> = OnceLock::new();
    LIBRARY.get_or_init(Libcuda::load).as_ref().map_err(|why| *why)
}

/// The library, initialised.
pub(super) struct Cuda {
    api: &'static Libcuda,
    version: DriverVersion,
}

impl Cuda {
    /// Finds and initialises the library.
    pub(super) fn find() -> Result<Self, DeviceError> {
        let api = library().map_err(|why| {
            DeviceError::NoDriver(match why {
                Unusable::Absent => "the NVIDIA driver's library (libcuda) is not installed".into(),
                Unusable::TooOld(name) => {
                    format!("the driver is too old, it has no {name}; install one of CUDA 11.4 or later")
                }
            })
        })?;
        // SAFETY: the only flag that the driver knows is none.
        if let Err(e) = unsafe { api.init(0) } {
            let why = format!("the driver does not start: {}", call_error_of(api, "cuInit", e));
            return Err(DeviceError::NoDriver(why));
        }
        // SAFETY: writes one number to the address given.
        let number = written(0, |to| unsafe { api.driver_version(to) });
        let number = number.map_err(|e| call_error_of(api, "cuDriverGetVersion", e))?.max(0) as u32;
        let cuda = (number / 1000, number % 1000 / 10);
        Ok(Self { api, version: DriverVersion { driver: super::nvml::driver_release(), cuda } })
    }
}

impl Driver for Cuda {
    fn version(&self) -> DriverVersion {
        self.version.clone()
    }

    fn gpus(&self) -> Result<Vec<GpuFacts>, DeviceError> {
        // SAFETY: writes one number to the address given.
        let count = written(0, |to| unsafe { self.api.device_count(to) });
        let count = count.map_err(|e| call_error_of(self.api, "cuDeviceGetCount", e))?;
        if count == 0 {
            return Err(DeviceError::NoDriver(
                "the driver sees no GPU; CUDA_VISIBLE_DEVICES may hide it".into(),
            ));
        }
        (0..count).map(|index| facts(self.api, index)).collect()
    }

    fn open_device(&self, index: usize) -> Result<Box<dyn OpenDevice>, DeviceError> {
        Ok(Box::new(OpenedGpu::new(self.api, index)?))
    }
}

/// What the driver says of one GPU, and what NVML adds.
fn facts(api: &Libcuda, index: c_int) -> Result<GpuFacts, DeviceError> {
    let device = device_number(api, index)?;
    // SAFETY: `device` has just been returned by the driver; one number is written.
    let get = |what| written(0, |to| unsafe { api.device_attribute(to, what, device) });
    let number =
        |what| get(what).map_err(|e| call_error_of(api, "cuDeviceGetAttribute", e)).map(|v| v.max(0) as u32);
    // An attribute that an older driver does not know is 0.
    let maybe = |what| number(what).unwrap_or(0);
    let limits = DriverLimits {
        threads_per_sm: number(attribute::MAX_THREADS_PER_MULTIPROCESSOR)?,
        blocks_per_sm: maybe(attribute::MAX_BLOCKS_PER_MULTIPROCESSOR),
        threads_per_block: number(attribute::MAX_THREADS_PER_BLOCK)?,
        regs_per_sm: number(attribute::MAX_REGISTERS_PER_MULTIPROCESSOR)?,
        regs_per_block: number(attribute::MAX_REGISTERS_PER_BLOCK)?,
        smem_per_sm: number(attribute::MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)?,
        smem_per_block: number(attribute::MAX_SHARED_MEMORY_PER_BLOCK)?,
        smem_opt_in: number(attribute::MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?,
        smem_reserved: maybe(attribute::RESERVED_SHARED_MEMORY_PER_BLOCK),
    };
    // The second version gives a MIG slice a UUID of its own; the first gives that of the whole GPU.
    // SAFETY: sixteen bytes are written to the address given; `device` has just been returned by the driver.
    let uuid = written([0; 16], |to| unsafe { api.device_uuid(to, device) });
    let uuid = uuid.map_err(|e| call_error_of(api, "cuDeviceGetUuid", e))?;
    let capability =
        (number(attribute::COMPUTE_CAPABILITY_MAJOR)?, number(attribute::COMPUTE_CAPABILITY_MINOR)?);
    let mode = number(attribute::COMPUTE_MODE)?;
    let mut facts = GpuFacts {
        index: index as usize,
        name: device_name(api, device)?,
        uuid: written_uuid(&uuid),
        capability: (capability.0 as u8, capability.1 as u8),
        sms: number(attribute::MULTIPROCESSOR_COUNT)?,
        sm_clock_hz: 1e3 * f64::from(number(attribute::CLOCK_RATE)?),
        mem_clock_hz: 1e3 * f64::from(number(attribute::MEMORY_CLOCK_RATE)?),
        bus_bits: number(attribute::GLOBAL_MEMORY_BUS_WIDTH)?,
        l2_bytes: number(attribute::L2_CACHE_SIZE)?.into(),
        memory_bytes: device_memory(api, device)?,
        limits,
        compute_mode: match mode {
            0 => ComputeMode::Default,
            2 => ComputeMode::Prohibited,
            _ => ComputeMode::Exclusive,
        },
        ..GpuFacts::default()
    };
    super::nvml::complete(&mut facts);
    Ok(facts)
}

/// The driver's handle of its GPU of this number.
fn device_number(api: &Libcuda, index: c_int) -> Result<DeviceNumber, DeviceError> {
    // SAFETY: writes one number to the address given.
    let device = written(0, |to| unsafe { api.device_get(to, index) });
    device.map_err(|e| call_error_of(api, "cuDeviceGet", e))
}

/// The driver's name of a GPU.
fn device_name(api: &Libcuda, device: DeviceNumber) -> Result<String, DeviceError> {
    let mut name = [0_u8; 128];
    // SAFETY: at most as many bytes are written as the array has, a zero at their end.
    let got = unsafe { api.device_name(name.as_mut_ptr().cast(), name.len() as c_int, device) };
    got.map_err(|e| call_error_of(api, "cuDeviceGetName", e))?;
    let ended = CStr::from_bytes_until_nul(&name).unwrap_or_default();
    Ok(ended.to_string_lossy().into_owned())
}

/// Its memory in bytes.
fn device_memory(api: &Libcuda, device: DeviceNumber) -> Result<u64, DeviceError> {
    // SAFETY: writes one number to the address given.
    let bytes = written(0, |to| unsafe { api.device_memory(to, device) });
    bytes.map(|b| b as u64).map_err(|e| call_error_of(api, "cuDeviceTotalMem", e))
}

/// `GPU-` and the sixteen bytes as NVML writes them.
fn written_uuid(bytes: &[u8; 16]) -> String {
    let hex: String = bytes.iter().map(|b| format!("{b:02x}")).collect();
    format!("GPU-{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

/// An opened GPU: its primary context, held until this is dropped.
struct OpenedGpu {
    api: &'static Libcuda,
    device: DeviceNumber,
    context: Context,
    stream: Stream,
    events: [Event; 2],
    modules: Vec<LoadedModule>,
    entries: Vec<Function>,
    allocated: Vec<Allocation>,
    capability: (u8, u8),
    compiler: Result<Nvrtc, DeviceError>,
    watched: Option<SampledGpu>,
}

impl OpenedGpu {
    fn new(api: &'static Libcuda, index: usize) -> Result<Self, DeviceError> {
        let facts = facts(api, index as c_int)?;
        if facts.compute_mode == ComputeMode::Prohibited {
            return Err(DeviceError::Busy("its compute mode is `prohibited`".into()));
        }
        let device = device_number(api, index as c_int)?;
        // SAFETY: `device` has just been returned by the driver; the context is released in `drop`.
        let context = written(std::ptr::null_mut(), |to| unsafe { api.primary_context_retain(to, device) });
        let context = context.map_err(|e| call_error_of(api, "cuDevicePrimaryCtxRetain", e))?;
        let mut opened = Self {
            api,
            device,
            context,
            stream: std::ptr::null_mut(),
            events: [std::ptr::null_mut(); 2],
            modules: Vec::new(),
            entries: Vec::new(),
            allocated: Vec::new(),
            capability: facts.capability,
            compiler: Nvrtc::find_library(),
            watched: SampledGpu::find(&facts.uuid),
        };
        opened.enter()?;
        // SAFETY: writes the stream to the address given.
        let stream =
            written(std::ptr::null_mut(), |to| unsafe { api.stream_create(to, STREAM_NON_BLOCKING) });
        opened.stream = stream.map_err(|e| call_error_of(api, "cuStreamCreate", e))?;
        for event in &mut opened.events {
            // SAFETY: writes the event to the address given.
            let made = written(std::ptr::null_mut(), |to| unsafe { api.event_create(to, EVENT_DEFAULT) });
            *event = made.map_err(|e| call_error_of(api, "cuEventCreate", e))?;
        }
        Ok(opened)
    }

    /// Makes the context this thread's.
    fn enter(&self) -> Result<(), DeviceError> {
        // SAFETY: the context is ours until `drop`.
        unsafe { self.api.context_set_current(self.context) }
            .map_err(|e| self.call_error("cuCtxSetCurrent", e))
    }

    fn call_error(&self, call: &'static str, status: Status) -> DeviceError {
        call_error_of(self.api, call, status)
    }

    /// Waits for everything that the context has been given.
    fn synchronize(&self) -> Result<(), DeviceError> {
        // SAFETY: takes nothing; the context is current.
        unsafe { self.api.context_synchronize() }.map_err(|e| self.call_error("cuCtxSynchronize", e))
    }

    /// An address is a number that anybody can make, and where CPU and GPU share their addresses the driver takes any: what
    /// is copied must lie in memory that was allocated here.
    fn check_range(&self, call: &'static str, at: Address, bytes: u64) -> Result<(), DeviceError> {
        if self.allocated.iter().any(|memory| memory.holds(at.0, bytes)) {
            return Ok(());
        }
        Err(DeviceError::Call { call, why: "reaches beyond what was allocated here".into() })
    }

    fn function(&self, entry: DriverKernel) -> Result<Function, DeviceError> {
        let known = self.entries.get(entry.0).copied();
        known.ok_or(DeviceError::Call { call: "launch", why: "no such kernel was loaded".into() })
    }

    fn launch_kernel(&self, of: &PreparedLaunch) -> Result<(), DeviceError> {
        let function = self.function(of.entry)?;
        let grid = of.launch.grid.map(u32::try_from);
        let [Ok(x), Ok(y), Ok(z)] = grid else {
            return Err(DeviceError::Refused(format!("a grid of {:?} blocks", of.launch.grid)));
        };
        let [bx, by, bz] = of.launch.block;
        // Every value in memory of its own, at its own address, until the call has returned: it copies them.
        let mut words: Vec<[u8; 8]> = of.parameters.iter().map(parameter_bytes).collect();
        let mut pointers: Vec<*mut c_void> = words.iter_mut().map(|w| w.as_mut_ptr().cast()).collect();
        // SAFETY: function and stream belong to this value's context, which every caller has made current. The driver reads
        // as many pointers as the kernel has parameters, and of each as many bytes as it has: only kernels of this program
        // are loaded, the suite declares the parameters of each (tests/files/kernel_suite.rs compares them with its source
        // and its PTX), those of the micro-benchmarks stand beside their launches, and none is wider than 8 bytes. The
        // addresses are those that the caller was given by `allocate`; freeing one waits for what runs.
        let done = unsafe {
            let none = std::ptr::null_mut();
            let parameters = pointers.as_mut_ptr();
            self.api.launch(function, x, y, z, bx, by, bz, of.dynamic_smem, self.stream, parameters, none)
        };
        done.map_err(|e| self.call_error("cuLaunchKernel", e))
    }
}

/// A parameter as it lies in memory.
fn parameter_bytes(parameter: &Parameter) -> [u8; 8] {
    let four = |bytes: [u8; 4]| [bytes[0], bytes[1], bytes[2], bytes[3], 0, 0, 0, 0];
    match *parameter {
        Parameter::Address(a) => a.0.to_ne_bytes(),
        Parameter::U32(v) => four(v.to_ne_bytes()),
        Parameter::I32(v) => four(v.to_ne_bytes()),
        Parameter::F32(v) => four(v.to_ne_bytes()),
        Parameter::F64(v) => v.to_ne_bytes(),
    }
}

impl OpenDevice for OpenedGpu {
    fn memory(&mut self) -> Result<MemoryInfo, DeviceError> {
        self.enter()?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: writes two numbers to the addresses given; the context is current.
        let got = unsafe { self.api.memory_info(&raw mut free, &raw mut total) };
        got.map_err(|e| self.call_error("cuMemGetInfo", e))?;
        Ok(MemoryInfo { free: free as u64, total: total as u64 })
    }

    fn compile(&mut self, file: &str, source: &str) -> Result<Vec<u8>, DeviceError> {
        match &self.compiler {
            Ok(nvrtc) => nvrtc.cubin(file, source, self.capability),
            Err(why) => Err(why.clone()),
        }
    }

    fn load_module(&mut self, image: &[u8]) -> Result<Module, DeviceError> {
        self.enter()?;
        // PTX is a text that ends with a zero; machine code knows its own length, and one byte more does no harm.
        let mut ended = image.to_vec();
        ended.push(0);
        // SAFETY: the image is whole, ended by a zero, and lives until the call has returned.
        let module =
            written(std::ptr::null_mut(), |to| unsafe { self.api.module_load(to, ended.as_ptr().cast()) });
        self.modules.push(module.map_err(|e| self.call_error("cuModuleLoadData", e))?);
        Ok(Module(self.modules.len() - 1))
    }

    fn entry(&mut self, module: Module, symbol: &str) -> Result<DriverKernel, DeviceError> {
        let missing = |why: &str| DeviceError::Call { call: "cuModuleGetFunction", why: why.to_string() };
        let name = CString::new(symbol).map_err(|_| missing("the name holds a zero"))?;
        let module = *self.modules.get(module.0).ok_or_else(|| missing("no such module"))?;
        // SAFETY: the module was loaded by this value and is unloaded in `drop` only.
        let function = written(std::ptr::null_mut(), |to| unsafe {
            self.api.module_function(to, module, name.as_ptr())
        });
        let function = function.map_err(|e| missing(&format!("{symbol}: {}", self.api.describe(e))))?;
        self.entries.push(function);
        Ok(DriverKernel(self.entries.len() - 1))
    }

    fn facts(&mut self, entry: DriverKernel, threads: u32, smem: u32) -> Result<EntryFacts, DeviceError> {
        const USUAL: u32 = 48 * 1024;
        self.enter()?;
        let function = self.function(entry)?;
        if smem > USUAL {
            let what = function_attribute::MAX_DYNAMIC_SHARED_SIZE_BYTES;
            // SAFETY: the function belongs to a module that is still loaded.
            let set = unsafe { self.api.function_set_attribute(function, what, smem as c_int) };
            set.map_err(|e| self.call_error("cuFuncSetAttribute", e))?;
        }
        let get = |what| {
            // SAFETY: the function belongs to a module that is still loaded.
            let got = written(0, |to| unsafe { self.api.function_attribute(to, what, function) });
            got.map(|v| v.max(0) as u32).map_err(|e| self.call_error("cuFuncGetAttribute", e))
        };
        // SAFETY: the function belongs to a module that is still loaded.
        let blocks =
            written(0, |to| unsafe { self.api.occupancy(to, function, threads as c_int, smem as usize) });
        let blocks = blocks.map_err(|e| self.call_error("cuOccupancyMaxActiveBlocksPerMultiprocessor", e))?;
        Ok(EntryFacts {
            registers: get(function_attribute::NUM_REGS)?,
            static_smem: get(function_attribute::SHARED_SIZE_BYTES)?,
            local_bytes: get(function_attribute::LOCAL_SIZE_BYTES)?,
            max_threads: get(function_attribute::MAX_THREADS_PER_BLOCK)?,
            blocks_per_sm: blocks.max(0) as u32,
        })
    }

    fn allocate(&mut self, bytes: u64) -> Result<Address, DeviceError> {
        self.enter()?;
        // SAFETY: the context is current; the memory is freed by `free` or in `drop`, once.
        let at = written(0, |to| unsafe { self.api.memory_allocate(to, bytes as usize) });
        let at = at.map_err(|e| match self.call_error("cuMemAlloc", e) {
            DeviceError::OutOfMemory { .. } => DeviceError::OutOfMemory { bytes },
            other => other,
        })?;
        self.allocated.push(Allocation { start: at, bytes });
        Ok(Address(at))
    }

    fn free(&mut self, at: Address) -> Result<(), DeviceError> {
        self.enter()?;
        let Some(place) = self.allocated.iter().position(|a| a.start == at.0) else {
            return Err(DeviceError::Call { call: "cuMemFree", why: "was not allocated here".into() });
        };
        let Allocation { start, .. } = self.allocated.swap_remove(place);
        // SAFETY: allocated by this value and taken off its list, so it is freed once; the driver waits for what still runs.
        unsafe { self.api.memory_free(start) }.map_err(|e| self.call_error("cuMemFree", e))
    }

    fn write(&mut self, to: Address, bytes: &[u8]) -> Result<(), DeviceError> {
        self.enter()?;
        self.check_range("cuMemcpyHtoD", to, bytes.len() as u64)?;
        // SAFETY: the range lies in memory that was allocated by this value; `bytes` outlives the call, which reads all of it
        // before it returns.
        let copied = unsafe { self.api.copy_to_device(to.0, bytes.as_ptr().cast(), bytes.len()) };
        copied.map_err(|e| self.call_error("cuMemcpyHtoD", e))?;
        // It may return when the bytes are staged, not when they are there, and our stream does not wait for it.
        self.synchronize()
    }

    fn copy_from_device(&mut self, from: Address, bytes: &mut [u8]) -> Result<(), DeviceError> {
        self.enter()?;
        self.check_range("cuMemcpyDtoH", from, bytes.len() as u64)?;
        // SAFETY: the range lies in memory that was allocated by this value; any bytes are sound bytes, and the call waits.
        let copied = unsafe { self.api.copy_to_host(bytes.as_mut_ptr().cast(), from.0, bytes.len()) };
        copied.map_err(|e| self.call_error("cuMemcpyDtoH", e))
    }

    fn copy(&mut self, from: Address, to: Address, bytes: u64) -> Result<(), DeviceError> {
        self.enter()?;
        self.check_range("cuMemcpyDtoD", from, bytes)?;
        self.check_range("cuMemcpyDtoD", to, bytes)?;
        // SAFETY: both ranges lie in memory that was allocated by this value.
        let copied = unsafe { self.api.copy_on_device(to.0, from.0, bytes as usize) };
        copied.map_err(|e| self.call_error("cuMemcpyDtoD", e))?;
        // A copy within the GPU may return before it is done, and our stream does not wait for it.
        self.synchronize()
    }

    fn start(&mut self, of: &[PreparedLaunch], times: usize) -> Result<(), DeviceError> {
        self.enter()?;
        // SAFETY: event and stream belong to the current context.
        let record = |event| unsafe { self.api.event_record(event, self.stream) };
        record(self.events[0]).map_err(|e| self.call_error("cuEventRecord", e))?;
        let launched = of.iter().cycle().take(times).try_for_each(|one| self.launch_kernel(one));
        // The second event also where a launch was refused, so that `finish` has something to wait for.
        record(self.events[1]).map_err(|e| self.call_error("cuEventRecord", e))?;
        launched
    }

    fn running(&mut self) -> Result<bool, DeviceError> {
        self.enter()?;
        // SAFETY: the event belongs to the current context and is destroyed in `drop` only.
        match unsafe { self.api.event_query(self.events[1]) } {
            Ok(()) => Ok(false),
            Err(status::NOT_READY) => Ok(true),
            Err(e) => Err(self.call_error("cuEventQuery", e)),
        }
    }

    fn finish_timing(&mut self) -> Result<Seconds, DeviceError> {
        self.enter()?;
        // SAFETY: the event belongs to the current context.
        unsafe { self.api.event_synchronize(self.events[1]) }
            .map_err(|e| self.call_error("cuEventSynchronize", e))?;
        // SAFETY: both events belong to the current context and were recorded on one stream.
        let ms = written(0.0, |to| unsafe { self.api.event_elapsed(to, self.events[0], self.events[1]) });
        Ok(Seconds::from_millis(f64::from(ms.map_err(|e| self.call_error("cuEventElapsedTime", e))?)))
    }

    fn sample(&mut self) -> Result<GpuSample, DeviceError> {
        Ok(self.watched.as_ref().map(SampledGpu::sample).unwrap_or_default())
    }
}

impl Drop for OpenedGpu {
    fn drop(&mut self) {
        // Whatever fails here, the driver takes everything back when the process ends.
        if self.enter().is_err() {
            return;
        }
        // SAFETY: everything below was made by this value, belongs to the current context, and is given back once, after
        // all launches have ended; nothing is used afterwards. Null stands for what was not made: as a stream it is the
        // context's own. The context stays this thread's by name only: whoever works with one enters its own first.
        unsafe {
            let _ = self.api.stream_synchronize(self.stream);
            for memory in self.allocated.drain(..) {
                let _ = self.api.memory_free(memory.start);
            }
            for event in self.events.into_iter().filter(|e| !e.is_null()) {
                let _ = self.api.event_destroy(event);
            }
            if !self.stream.is_null() {
                let _ = self.api.stream_destroy(self.stream);
            }
            for module in self.modules.drain(..) {
                let _ = self.api.module_unload(module);
            }
            let _ = self.api.primary_context_release(self.device);
        }
    }
}
