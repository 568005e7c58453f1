//! The CUDA driver through cudarc's bindings. The only file beside `nvrtc.rs` that may say `unsafe`.
//!
//! A call whose function the library does not have would panic in cudarc, so [`Cuda::find`] looks for every one we call
//! first.
#![allow(unsafe_code)]

use super::nvml::Watched;
use super::nvrtc::Nvrtc;
use crate::device::driver::{
    Address, ComputeMode, Device, DeviceError, Driver, DriverLimits, DriverVersion, Entry, EntryFacts,
    GpuFacts, MemoryInfo, Module, Parameter, Prepared, Sample,
};
use crate::units::Seconds;
use cudarc::driver::result::{self, DriverError};
use cudarc::driver::sys::{self, CUdevice_attribute as Attribute, CUfunction_attribute as Of, CUresult};
use std::ffi::{CString, c_int, c_void};

/// Every function of the library that this file calls, by itself or through cudarc.
const CALLED: [&str; 36] = [
    "cuInit",
    "cuDriverGetVersion",
    "cuDeviceGet",
    "cuDeviceGetCount",
    "cuDeviceGetName",
    "cuDeviceGetUuid_v2",
    "cuDeviceGetAttribute",
    "cuDeviceTotalMem_v2",
    "cuDevicePrimaryCtxRetain",
    "cuDevicePrimaryCtxRelease_v2",
    "cuCtxSetCurrent",
    "cuCtxSynchronize",
    "cuMemGetInfo_v2",
    "cuMemAlloc_v2",
    "cuMemFree_v2",
    "cuMemcpyHtoD_v2",
    "cuMemcpyDtoH_v2",
    "cuMemcpyDtoD_v2",
    "cuModuleLoadData",
    "cuModuleUnload",
    "cuModuleGetFunction",
    "cuFuncGetAttribute",
    "cuFuncSetAttribute",
    "cuOccupancyMaxActiveBlocksPerMultiprocessor",
    "cuLaunchKernel",
    "cuEventCreate",
    "cuEventRecord",
    "cuEventQuery",
    "cuEventSynchronize",
    "cuEventElapsedTime",
    "cuEventDestroy_v2",
    "cuStreamCreate",
    "cuStreamDestroy_v2",
    "cuStreamSynchronize",
    "cuGetErrorName",
    "cuGetErrorString",
];

/// The driver's error as ours.
fn error(call: &'static str, e: DriverError) -> DeviceError {
    let name = format!("{:?}", e.0);
    let text = e.error_string().ok().map(|t| t.to_string_lossy().into_owned()).unwrap_or_default();
    let why = format!("{name}: {text}");
    match e.0 {
        CUresult::CUDA_ERROR_OUT_OF_MEMORY => DeviceError::OutOfMemory { bytes: 0 },
        CUresult::CUDA_ERROR_DEVICE_UNAVAILABLE => DeviceError::Busy(why),
        CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU
        | CUresult::CUDA_ERROR_INVALID_PTX
        | CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION
        | CUresult::CUDA_ERROR_INVALID_IMAGE
        | CUresult::CUDA_ERROR_INVALID_SOURCE
        | CUresult::CUDA_ERROR_JIT_COMPILER_NOT_FOUND => DeviceError::BadImage(why),
        CUresult::CUDA_ERROR_INVALID_VALUE
        | CUresult::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES
        | CUresult::CUDA_ERROR_NOT_SUPPORTED => DeviceError::Refused(format!("{call}: {why}")),
        CUresult::CUDA_ERROR_ILLEGAL_ADDRESS
        | CUresult::CUDA_ERROR_MISALIGNED_ADDRESS
        | CUresult::CUDA_ERROR_ILLEGAL_INSTRUCTION
        | CUresult::CUDA_ERROR_INVALID_ADDRESS_SPACE
        | CUresult::CUDA_ERROR_INVALID_PC
        | CUresult::CUDA_ERROR_HARDWARE_STACK_ERROR
        | CUresult::CUDA_ERROR_LAUNCH_FAILED
        | CUresult::CUDA_ERROR_LAUNCH_TIMEOUT
        | CUresult::CUDA_ERROR_ASSERT
        | CUresult::CUDA_ERROR_ECC_UNCORRECTABLE
        | CUresult::CUDA_ERROR_CONTEXT_IS_DESTROYED => DeviceError::Lost(format!("{call}: {why}")),
        _ => DeviceError::Call { call, why },
    }
}

/// The library, initialised.
pub(super) struct Cuda {
    version: DriverVersion,
}

impl Cuda {
    /// Finds and initialises the library.
    pub(super) fn find() -> Result<Self, DeviceError> {
        let absent = |why: &str| Err(DeviceError::NoDriver(why.into()));
        // SAFETY: loads the library that the system's loader finds under the driver's names, and runs its initialisers, as
        // any program that uses CUDA does.
        if !unsafe { sys::is_culib_present() } {
            return absent("the NVIDIA driver's library (libcuda) is not installed");
        }
        // SAFETY: as above; `is_culib_present` has just loaded it, so this does not panic.
        let library = unsafe { sys::culib() };
        for name in CALLED {
            // SAFETY: the symbol is only looked for; it is not called with this type.
            if unsafe { library.get::<unsafe extern "C" fn()>(name.as_bytes()) }.is_err() {
                let why =
                    format!("the driver is too old, it has no {name}; install one of CUDA 11.4 or later");
                return Err(DeviceError::NoDriver(why));
            }
        }
        if let Err(e) = result::init() {
            return absent(&format!("the driver does not start: {}", error("cuInit", e)));
        }
        let mut number: c_int = 0;
        // SAFETY: writes one number to the address given.
        let done = unsafe { sys::cuDriverGetVersion(&raw mut number) }.result();
        done.map_err(|e| error("cuDriverGetVersion", e))?;
        let number = number.max(0) as u32;
        let cuda = (number / 1000, number % 1000 / 10);
        Ok(Self { version: DriverVersion { driver: super::nvml::driver_release(), cuda } })
    }
}

impl Driver for Cuda {
    fn version(&self) -> DriverVersion {
        self.version.clone()
    }

    fn gpus(&self) -> Result<Vec<GpuFacts>, DeviceError> {
        let count = result::device::get_count().map_err(|e| error("cuDeviceGetCount", e))?;
        if count == 0 {
            return Err(DeviceError::NoDriver(
                "the driver sees no GPU; CUDA_VISIBLE_DEVICES may hide it".into(),
            ));
        }
        (0..count).map(facts).collect()
    }

    fn open(&self, index: usize) -> Result<Box<dyn Device>, DeviceError> {
        Ok(Box::new(Opened::new(index)?))
    }
}

/// What the driver says of one GPU, and what NVML adds.
fn facts(index: c_int) -> Result<GpuFacts, DeviceError> {
    let device = result::device::get(index).map_err(|e| error("cuDeviceGet", e))?;
    // SAFETY: `device` has just been returned by the driver.
    let get = |what| unsafe { result::device::get_attribute(device, what) };
    let number = |what| get(what).map_err(|e| error("cuDeviceGetAttribute", e)).map(|v| v.max(0) as u32);
    // An attribute that an older driver does not know is 0.
    let maybe = |what| number(what).unwrap_or(0);
    let limits = DriverLimits {
        threads_per_sm: number(Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)?,
        blocks_per_sm: maybe(Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR),
        threads_per_block: number(Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
        regs_per_sm: number(Attribute::CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR)?,
        regs_per_block: number(Attribute::CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK)?,
        smem_per_sm: number(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)?,
        smem_per_block: number(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK)?,
        smem_opt_in: number(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?,
        smem_reserved: maybe(Attribute::CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK),
    };
    // The second version gives a MIG slice a UUID of its own; the first gives that of the whole GPU.
    let mut uuid = sys::CUuuid { bytes: [0; 16] };
    // SAFETY: sixteen bytes are written to the address given; `device` has just been returned by the driver.
    let got = unsafe { sys::cuDeviceGetUuid_v2(&raw mut uuid, device) }.result();
    got.map_err(|e| error("cuDeviceGetUuid", e))?;
    let capability = (
        number(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
        number(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
    );
    let mode = number(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_MODE)?;
    let mut facts = GpuFacts {
        index: index as usize,
        name: result::device::get_name(device).map_err(|e| error("cuDeviceGetName", e))?,
        uuid: written_uuid(&uuid.bytes.map(|b| b as u8)),
        capability: (capability.0 as u8, capability.1 as u8),
        sms: number(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
        sm_clock_hz: 1e3 * f64::from(number(Attribute::CU_DEVICE_ATTRIBUTE_CLOCK_RATE)?),
        mem_clock_hz: 1e3 * f64::from(number(Attribute::CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE)?),
        bus_bits: number(Attribute::CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH)?,
        l2_bytes: number(Attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)?.into(),
        // SAFETY: `device` has just been returned by the driver.
        memory_bytes: unsafe { result::device::total_mem(device) }
            .map_err(|e| error("cuDeviceTotalMem", e))? as u64,
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

/// `GPU-` and the sixteen bytes as NVML writes them.
fn written_uuid(bytes: &[u8; 16]) -> String {
    let hex: String = bytes.iter().map(|b| format!("{b:02x}")).collect();
    format!("GPU-{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

/// An opened GPU: its primary context, held until this is dropped.
struct Opened {
    device: sys::CUdevice,
    context: sys::CUcontext,
    stream: sys::CUstream,
    events: [sys::CUevent; 2],
    modules: Vec<sys::CUmodule>,
    entries: Vec<sys::CUfunction>,
    allocated: Vec<sys::CUdeviceptr>,
    capability: (u8, u8),
    compiler: Result<Nvrtc, DeviceError>,
    watched: Option<Watched>,
}

impl Opened {
    fn new(index: usize) -> Result<Self, DeviceError> {
        let facts = facts(index as c_int)?;
        if facts.compute_mode == ComputeMode::Prohibited {
            return Err(DeviceError::Busy("its compute mode is `prohibited`".into()));
        }
        let device = result::device::get(index as c_int).map_err(|e| error("cuDeviceGet", e))?;
        // SAFETY: `device` has just been returned by the driver; the context is released in `drop`.
        let context = unsafe { result::primary_ctx::retain(device) };
        let context = context.map_err(|e| error("cuDevicePrimaryCtxRetain", e))?;
        let mut opened = Self {
            device,
            context,
            stream: std::ptr::null_mut(),
            events: [std::ptr::null_mut(); 2],
            modules: Vec::new(),
            entries: Vec::new(),
            allocated: Vec::new(),
            capability: facts.capability,
            compiler: Nvrtc::find(),
            watched: Watched::of(&facts.uuid),
        };
        opened.enter()?;
        let stream = result::stream::create(result::stream::StreamKind::NonBlocking);
        opened.stream = stream.map_err(|e| error("cuStreamCreate", e))?;
        for event in &mut opened.events {
            let made = result::event::create(sys::CUevent_flags::CU_EVENT_DEFAULT);
            *event = made.map_err(|e| error("cuEventCreate", e))?;
        }
        Ok(opened)
    }

    /// Makes the context this thread's.
    fn enter(&self) -> Result<(), DeviceError> {
        // SAFETY: the context is ours until `drop`.
        unsafe { result::ctx::set_current(self.context) }.map_err(|e| error("cuCtxSetCurrent", e))
    }

    fn function(&self, entry: Entry) -> Result<sys::CUfunction, DeviceError> {
        let known = self.entries.get(entry.0).copied();
        known.ok_or(DeviceError::Call { call: "launch", why: "no such kernel was loaded".into() })
    }

    fn launch(&self, of: &Prepared) -> Result<(), DeviceError> {
        let function = self.function(of.entry)?;
        let grid = of.launch.grid.map(u32::try_from);
        let [Ok(x), Ok(y), Ok(z)] = grid else {
            return Err(DeviceError::Refused(format!("a grid of {:?} blocks", of.launch.grid)));
        };
        let [bx, by, bz] = of.launch.block;
        // Every value in memory of its own, at its own address, until the call has returned: it copies them.
        let mut words: Vec<[u8; 8]> = of.parameters.iter().map(word).collect();
        let mut pointers: Vec<*mut c_void> = words.iter_mut().map(|w| w.as_mut_ptr().cast()).collect();
        // SAFETY: function and stream belong to the current context; each pointer leads to as many bytes as its parameter
        // has, because the suite's file declares the parameters of the source it names, and no parameter is wider than 8.
        // What the addresses lead to was allocated by this value and is not freed before `finish`.
        let done = unsafe {
            result::launch_kernel(
                function,
                (x, y, z),
                (bx, by, bz),
                of.dynamic_smem,
                self.stream,
                &mut pointers,
            )
        };
        done.map_err(|e| error("cuLaunchKernel", e))
    }
}

/// A parameter as it lies in memory.
fn word(parameter: &Parameter) -> [u8; 8] {
    let four = |bytes: [u8; 4]| [bytes[0], bytes[1], bytes[2], bytes[3], 0, 0, 0, 0];
    match *parameter {
        Parameter::Address(a) => a.0.to_ne_bytes(),
        Parameter::U32(v) => four(v.to_ne_bytes()),
        Parameter::I32(v) => four(v.to_ne_bytes()),
        Parameter::F32(v) => four(v.to_ne_bytes()),
        Parameter::F64(v) => v.to_ne_bytes(),
    }
}

impl Device for Opened {
    fn memory(&mut self) -> Result<MemoryInfo, DeviceError> {
        self.enter()?;
        let (free, total) = result::mem_get_info().map_err(|e| error("cuMemGetInfo", e))?;
        Ok(MemoryInfo { free: free as u64, total: total as u64 })
    }

    fn compile(&mut self, file: &str, source: &str) -> Result<Vec<u8>, DeviceError> {
        match &self.compiler {
            Ok(nvrtc) => nvrtc.cubin(file, source, self.capability),
            Err(why) => Err(why.clone()),
        }
    }

    fn load(&mut self, image: &[u8]) -> Result<Module, DeviceError> {
        self.enter()?;
        // PTX is a text that ends with a zero; machine code knows its own length, and one byte more does no harm.
        let mut ended = image.to_vec();
        ended.push(0);
        // SAFETY: the image is whole, ended by a zero, and lives until the call has returned.
        let module = unsafe { result::module::load_data(ended.as_ptr().cast()) };
        self.modules.push(module.map_err(|e| error("cuModuleLoadData", e))?);
        Ok(Module(self.modules.len() - 1))
    }

    fn entry(&mut self, module: Module, symbol: &str) -> Result<Entry, DeviceError> {
        let missing = |why: &str| DeviceError::Call { call: "cuModuleGetFunction", why: why.to_string() };
        let name = CString::new(symbol).map_err(|_| missing("the name holds a zero"))?;
        let module = *self.modules.get(module.0).ok_or_else(|| missing("no such module"))?;
        // SAFETY: the module was loaded by this value and is unloaded in `drop` only.
        let function = unsafe { result::module::get_function(module, name) };
        self.entries.push(function.map_err(|e| missing(&format!("{symbol}: {:?}", e.0)))?);
        Ok(Entry(self.entries.len() - 1))
    }

    fn facts(&mut self, entry: Entry, threads: u32, dynamic_smem: u32) -> Result<EntryFacts, DeviceError> {
        const USUAL: u32 = 48 * 1024;
        self.enter()?;
        let function = self.function(entry)?;
        if dynamic_smem > USUAL {
            let what = Of::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            // SAFETY: the function belongs to a module that is still loaded.
            let set =
                unsafe { result::function::set_function_attribute(function, what, dynamic_smem as i32) };
            set.map_err(|e| error("cuFuncSetAttribute", e))?;
        }
        let get = |what| {
            // SAFETY: the function belongs to a module that is still loaded.
            let got = unsafe { result::function::get_function_attribute(function, what) };
            got.map(|v| v.max(0) as u32).map_err(|e| error("cuFuncGetAttribute", e))
        };
        // SAFETY: the function belongs to a module that is still loaded.
        let blocks = unsafe {
            result::occupancy::max_active_block_per_multiprocessor(
                function,
                threads as c_int,
                dynamic_smem as usize,
            )
        };
        let blocks = blocks.map_err(|e| error("cuOccupancyMaxActiveBlocksPerMultiprocessor", e))?;
        Ok(EntryFacts {
            registers: get(Of::CU_FUNC_ATTRIBUTE_NUM_REGS)?,
            static_smem: get(Of::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?,
            local_bytes: get(Of::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?,
            max_threads: get(Of::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
            blocks_per_sm: blocks.max(0) as u32,
        })
    }

    fn allocate(&mut self, bytes: u64) -> Result<Address, DeviceError> {
        self.enter()?;
        // SAFETY: the context is current; the memory is freed by `free` or in `drop`, once.
        let at =
            unsafe { result::malloc_sync(bytes as usize) }.map_err(|e| match error("cuMemAlloc", e) {
                DeviceError::OutOfMemory { .. } => DeviceError::OutOfMemory { bytes },
                other => other,
            })?;
        self.allocated.push(at);
        Ok(Address(at))
    }

    fn free(&mut self, at: Address) -> Result<(), DeviceError> {
        self.enter()?;
        let Some(place) = self.allocated.iter().position(|a| *a == at.0) else {
            return Err(DeviceError::Call { call: "cuMemFree", why: "was not allocated here".into() });
        };
        let at = self.allocated.swap_remove(place);
        // SAFETY: allocated by this value and taken off its list, so it is freed once; no launch is running by contract.
        unsafe { result::free_sync(at) }.map_err(|e| error("cuMemFree", e))
    }

    fn write(&mut self, to: Address, bytes: &[u8]) -> Result<(), DeviceError> {
        self.enter()?;
        // SAFETY: the driver checks that the range was allocated; `bytes` outlives the call, which waits.
        unsafe { result::memcpy_htod_sync(to.0, bytes) }.map_err(|e| error("cuMemcpyHtoD", e))?;
        // It may return when the bytes are staged, not when they are there, and our stream does not wait for it.
        result::ctx::synchronize().map_err(|e| error("cuCtxSynchronize", e))
    }

    fn read(&mut self, from: Address, bytes: &mut [u8]) -> Result<(), DeviceError> {
        self.enter()?;
        // SAFETY: the driver checks that the range was allocated; any bytes are sound bytes, and the call waits.
        unsafe { result::memcpy_dtoh_sync(bytes, from.0) }.map_err(|e| error("cuMemcpyDtoH", e))
    }

    fn copy(&mut self, from: Address, to: Address, bytes: u64) -> Result<(), DeviceError> {
        self.enter()?;
        // SAFETY: the driver checks that both ranges were allocated.
        let copied = unsafe { result::memcpy_dtod_sync(to.0, from.0, bytes as usize) };
        copied.map_err(|e| error("cuMemcpyDtoD", e))?;
        // A copy within the GPU may return before it is done, and our stream does not wait for it.
        result::ctx::synchronize().map_err(|e| error("cuCtxSynchronize", e))
    }

    fn start(&mut self, of: &[Prepared], times: usize) -> Result<(), DeviceError> {
        self.enter()?;
        // SAFETY: event and stream belong to the current context.
        let record = |event| unsafe { result::event::record(event, self.stream) };
        record(self.events[0]).map_err(|e| error("cuEventRecord", e))?;
        let launched = of.iter().cycle().take(times).try_for_each(|one| self.launch(one));
        // The second event also where a launch was refused, so that `finish` has something to wait for.
        record(self.events[1]).map_err(|e| error("cuEventRecord", e))?;
        launched
    }

    fn running(&mut self) -> Result<bool, DeviceError> {
        // SAFETY: the event belongs to the current context and is destroyed in `drop` only.
        match unsafe { result::event::query(self.events[1]) } {
            Ok(()) => Ok(false),
            Err(e) if e.0 == CUresult::CUDA_ERROR_NOT_READY => Ok(true),
            Err(e) => Err(error("cuEventQuery", e)),
        }
    }

    fn finish(&mut self) -> Result<Seconds, DeviceError> {
        // SAFETY: the event belongs to the current context.
        unsafe { result::event::synchronize(self.events[1]) }.map_err(|e| error("cuEventSynchronize", e))?;
        // SAFETY: both events belong to the current context and were recorded on one stream.
        let ms = unsafe { result::event::elapsed(self.events[0], self.events[1]) };
        Ok(Seconds::from_millis(f64::from(ms.map_err(|e| error("cuEventElapsedTime", e))?)))
    }

    fn sample(&mut self) -> Result<Sample, DeviceError> {
        Ok(self.watched.as_ref().map(Watched::sample).unwrap_or_default())
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        // Whatever fails here, the driver takes everything back when the process ends.
        if self.enter().is_err() {
            return;
        }
        // SAFETY: everything below was made by this value, belongs to the current context, and is given back once, after
        // all launches have ended; nothing is used afterwards. Null stands for what was not made.
        unsafe {
            let _ = result::stream::synchronize(self.stream);
            for at in self.allocated.drain(..) {
                let _ = result::free_sync(at);
            }
            for event in self.events.into_iter().filter(|e| !e.is_null()) {
                let _ = result::event::destroy(event);
            }
            if !self.stream.is_null() {
                let _ = result::stream::destroy(self.stream);
            }
            for module in self.modules.drain(..) {
                let _ = result::module::unload(module);
            }
            let _ = result::primary_ctx::release(self.device);
        }
    }
}
