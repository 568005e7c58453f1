//! Clocks, power, temperature and modes from NVML. Whatever it does not know is left out.
//!
//! Ten functions, looked for by name while the program runs; types, numbers and signatures are those of `nvml.h`, as the
//! NVML API Reference Guide says (<https://docs.nvidia.com/deploy/nvml-api/>): "Device Queries" and "Device Structs".
#![allow(unsafe_code)]

use crate::device::driver::{GpuFacts, GpuSample};
use libloading::Library;
use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::sync::OnceLock;

/// Names under which the system's loader may find the library.
#[cfg(windows)]
const NAMES: [&str; 1] = ["nvml.dll"];
#[cfg(not(windows))]
const NAMES: [&str; 2] = ["libnvidia-ml.so.1", "libnvidia-ml.so"];

/// `NVML_SUCCESS`.
const SUCCESS: c_int = 0;
/// `NVML_CLOCK_SM` of `nvmlClockType_t`.
const CLOCK_SM: c_int = 1;
/// `NVML_CLOCK_MEM` of `nvmlClockType_t`.
const CLOCK_MEMORY: c_int = 2;
/// `NVML_TEMPERATURE_GPU` of `nvmlTemperatureSensors_t`.
const TEMPERATURE_GPU: c_int = 0;
/// `NVML_DEVICE_MIG_ENABLE`.
const MIG_ENABLED: c_uint = 1;
/// `NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE`.
const VERSION_BYTES: usize = 80;

/// `nvmlDevice_t`.
type Handle = *mut c_void;

type InitFunction = unsafe extern "C" fn() -> c_int;
type VersionFunction = unsafe extern "C" fn(*mut c_char, c_uint) -> c_int;
type HandleFunction = unsafe extern "C" fn(*const c_char, *mut Handle) -> c_int;
type NumberFunction = unsafe extern "C" fn(Handle, *mut c_uint) -> c_int;
type KindFunction = unsafe extern "C" fn(Handle, c_int, *mut c_uint) -> c_int;
type MigFunction = unsafe extern "C" fn(Handle, *mut c_uint, *mut c_uint) -> c_int;
type UtilizationFunction = unsafe extern "C" fn(Handle, *mut Utilization) -> c_int;

/// `nvmlUtilization_t`.
#[repr(C)]
#[derive(Default)]
struct Utilization {
    gpu_pct: c_uint,
    memory_pct: c_uint,
}

/// The library, initialised; it stays so for as long as the process runs.
struct Nvml {
    library: Library,
}

/// The library, once; `None` where it is not there.
fn library() -> Option<&'static Nvml> {
    static LIBRARY: OnceLock<Option<Nvml>> = OnceLock::new();
    LIBRARY.get_or_init(Nvml::load).as_ref()
}

impl Nvml {
    fn load() -> Option<Self> {
        // SAFETY: runs the library's initialisers, as any program that asks NVML does.
        let library = NAMES.iter().find_map(|name| unsafe { Library::new(*name) }.ok())?;
        let nvml = Self { library };
        // SAFETY: `nvmlInit_v2` takes nothing.
        let init: InitFunction = unsafe { nvml.symbol(c"nvmlInit_v2") }?;
        // SAFETY: as above.
        (unsafe { init() } == SUCCESS).then_some(nvml)
    }

    /// The function of this name.
    ///
    /// # Safety
    /// `T` is its type in nvml.h.
    unsafe fn symbol<T: Copy>(&self, name: &CStr) -> Option<T> {
        // SAFETY: by contract; the library is never unloaded.
        unsafe { self.library.get::<T>(name.to_bytes_with_nul()) }.ok().map(|found| *found)
    }

    fn driver_version(&self) -> Option<String> {
        // SAFETY: the type of this function.
        let version: VersionFunction = unsafe { self.symbol(c"nvmlSystemGetDriverVersion") }?;
        let mut text = [0_u8; VERSION_BYTES];
        // SAFETY: at most as many bytes are written as the array has, a zero at their end.
        let answer = unsafe { version(text.as_mut_ptr().cast(), VERSION_BYTES as c_uint) };
        let ended = CStr::from_bytes_until_nul(&text).ok()?;
        (answer == SUCCESS).then(|| ended.to_string_lossy().into_owned())
    }

    fn gpu_by_uuid(&'static self, uuid: &str) -> Option<SampledGpu> {
        // SAFETY: the type of this function.
        let find: HandleFunction = unsafe { self.symbol(c"nvmlDeviceGetHandleByUUID") }?;
        let uuid = CString::new(uuid).ok()?;
        let mut handle = std::ptr::null_mut();
        // SAFETY: the text ends with a zero and outlives the call; one handle is written.
        let answer = unsafe { find(uuid.as_ptr(), &raw mut handle) };
        (answer == SUCCESS).then_some(SampledGpu { nvml: self, handle })
    }
}

/// The driver's release; empty where NVML is not there.
pub(super) fn driver_release() -> String {
    library().and_then(Nvml::driver_version).unwrap_or_default()
}

/// Adds what only NVML knows.
pub(super) fn complete(facts: &mut GpuFacts) {
    let Some(gpu) = SampledGpu::find(&facts.uuid) else {
        // CUDA gives a MIG slice a UUID that NVML knows under `MIG-` only.
        let mig = facts.uuid.replacen("GPU-", "MIG-", 1);
        if SampledGpu::find(&mig).is_some() {
            (facts.uuid, facts.mig) = (mig, true);
        }
        return;
    };
    let watts = |milliwatts: u32| f64::from(milliwatts) / 1e3;
    facts.power_limit_w = gpu.device_number(c"nvmlDeviceGetEnforcedPowerLimit").map(watts);
    facts.default_power_limit_w = gpu.device_number(c"nvmlDeviceGetPowerManagementDefaultLimit").map(watts);
    facts.mig = gpu.mig_mode() == Some(MIG_ENABLED);
}

/// A GPU that is sampled.
pub(super) struct SampledGpu {
    nvml: &'static Nvml,
    handle: Handle,
}

impl SampledGpu {
    /// That of this UUID; `None` where NVML does not know it.
    pub(super) fn find(uuid: &str) -> Option<Self> {
        library()?.gpu_by_uuid(uuid)
    }

    /// Its state now.
    pub(super) fn sample(&self) -> GpuSample {
        let hertz =
            |clock| self.number_of_kind(c"nvmlDeviceGetClockInfo", clock).map(|mhz| f64::from(mhz) * 1e6);
        let temperature = self.number_of_kind(c"nvmlDeviceGetTemperature", TEMPERATURE_GPU);
        GpuSample {
            sm_clock_hz: hertz(CLOCK_SM),
            mem_clock_hz: hertz(CLOCK_MEMORY),
            power_w: self.device_number(c"nvmlDeviceGetPowerUsage").map(|mw| f64::from(mw) / 1e3),
            temperature_c: temperature.map(f64::from),
            util_pct: self.utilization().map(|u| f64::from(u.gpu_pct)),
        }
    }

    /// What a function says that takes the GPU and writes one number.
    fn device_number(&self, name: &CStr) -> Option<u32> {
        // SAFETY: every caller, all of them in this file, names a function of this type.
        let get: NumberFunction = unsafe { self.nvml.symbol(name) }?;
        let mut number = 0;
        // SAFETY: the handle is NVML's own; one number is written.
        (unsafe { get(self.handle, &raw mut number) } == SUCCESS).then_some(number)
    }

    /// What a function says that takes the GPU and a kind, and writes one number.
    fn number_of_kind(&self, name: &CStr, kind: c_int) -> Option<u32> {
        // SAFETY: every caller, all of them in this file, names a function of this type.
        let get: KindFunction = unsafe { self.nvml.symbol(name) }?;
        let mut number = 0;
        // SAFETY: the handle is NVML's own; one number is written.
        (unsafe { get(self.handle, kind, &raw mut number) } == SUCCESS).then_some(number)
    }

    /// The mode it is in, not the one that the next reset brings.
    fn mig_mode(&self) -> Option<u32> {
        // SAFETY: the type of this function.
        let get: MigFunction = unsafe { self.nvml.symbol(c"nvmlDeviceGetMigMode") }?;
        let (mut current, mut pending) = (0, 0);
        // SAFETY: the handle is NVML's own; two numbers are written.
        (unsafe { get(self.handle, &raw mut current, &raw mut pending) } == SUCCESS).then_some(current)
    }

    fn utilization(&self) -> Option<Utilization> {
        // SAFETY: the type of this function.
        let get: UtilizationFunction = unsafe { self.nvml.symbol(c"nvmlDeviceGetUtilizationRates") }?;
        let mut rates = Utilization::default();
        // SAFETY: the handle is NVML's own; the struct has the layout of nvml.h.
        (unsafe { get(self.handle, &raw mut rates) } == SUCCESS).then_some(rates)
    }
}
