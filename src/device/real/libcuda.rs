//! The functions of the CUDA driver that [`super::cuda`] calls, looked for by name while the program runs.
//!
//! Types, numbers and signatures are those of `cuda.h`, as the CUDA Driver API says
//! (<https://docs.nvidia.com/cuda/cuda-driver-api/>, release 12.9): sections "Data types used by CUDA driver" for the
//! numbers and "Modules" for the functions. A name that ends in `_v2` is what `cuda.h` maps the plain name to since
//! CUDA 4.0 (`cuDeviceGetUuid_v2` since 11.4).
#![allow(unsafe_code)]

use libloading::Library;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

/// `CUdevice`: a GPU's number in this process.
pub(super) type DeviceNumber = c_int;
/// `CUcontext`.
pub(super) type Context = *mut c_void;
/// `CUstream`.
pub(super) type Stream = *mut c_void;
/// `CUevent`.
pub(super) type Event = *mut c_void;
/// `CUmodule`.
pub(super) type LoadedModule = *mut c_void;
/// `CUfunction`.
pub(super) type Function = *mut c_void;
/// `CUdeviceptr`: an address in the GPU's memory.
pub(super) type DevicePointer = u64;

/// What a call answers that did not succeed: a `CUresult` that is not 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Status(pub(super) c_int);

/// `CUresult`: the answers that the program tells from each other.
pub(super) mod status {
    use super::Status;

    pub(in super::super) const INVALID_VALUE: Status = Status(1);
    pub(in super::super) const OUT_OF_MEMORY: Status = Status(2);
    pub(in super::super) const DEVICE_UNAVAILABLE: Status = Status(46);
    pub(in super::super) const INVALID_IMAGE: Status = Status(200);
    pub(in super::super) const NO_BINARY_FOR_GPU: Status = Status(209);
    pub(in super::super) const ECC_UNCORRECTABLE: Status = Status(214);
    pub(in super::super) const INVALID_PTX: Status = Status(218);
    pub(in super::super) const JIT_COMPILER_NOT_FOUND: Status = Status(221);
    pub(in super::super) const UNSUPPORTED_PTX_VERSION: Status = Status(222);
    pub(in super::super) const INVALID_SOURCE: Status = Status(300);
    pub(in super::super) const NOT_READY: Status = Status(600);
    pub(in super::super) const ILLEGAL_ADDRESS: Status = Status(700);
    pub(in super::super) const LAUNCH_OUT_OF_RESOURCES: Status = Status(701);
    pub(in super::super) const LAUNCH_TIMEOUT: Status = Status(702);
    pub(in super::super) const CONTEXT_IS_DESTROYED: Status = Status(709);
    pub(in super::super) const ASSERT: Status = Status(710);
    pub(in super::super) const HARDWARE_STACK_ERROR: Status = Status(714);
    pub(in super::super) const ILLEGAL_INSTRUCTION: Status = Status(715);
    pub(in super::super) const MISALIGNED_ADDRESS: Status = Status(716);
    pub(in super::super) const INVALID_ADDRESS_SPACE: Status = Status(717);
    pub(in super::super) const INVALID_PC: Status = Status(718);
    pub(in super::super) const LAUNCH_FAILED: Status = Status(719);
    pub(in super::super) const NOT_SUPPORTED: Status = Status(801);
}

/// `CUdevice_attribute`: what is asked of a GPU.
pub(super) mod attribute {
    use std::ffi::c_int;

    pub(in super::super) const MAX_THREADS_PER_BLOCK: c_int = 1;
    pub(in super::super) const MAX_SHARED_MEMORY_PER_BLOCK: c_int = 8;
    pub(in super::super) const MAX_REGISTERS_PER_BLOCK: c_int = 12;
    pub(in super::super) const CLOCK_RATE: c_int = 13;
    pub(in super::super) const MULTIPROCESSOR_COUNT: c_int = 16;
    pub(in super::super) const COMPUTE_MODE: c_int = 20;
    pub(in super::super) const MEMORY_CLOCK_RATE: c_int = 36;
    pub(in super::super) const GLOBAL_MEMORY_BUS_WIDTH: c_int = 37;
    pub(in super::super) const L2_CACHE_SIZE: c_int = 38;
    pub(in super::super) const MAX_THREADS_PER_MULTIPROCESSOR: c_int = 39;
    pub(in super::super) const COMPUTE_CAPABILITY_MAJOR: c_int = 75;
    pub(in super::super) const COMPUTE_CAPABILITY_MINOR: c_int = 76;
    pub(in super::super) const MAX_SHARED_MEMORY_PER_MULTIPROCESSOR: c_int = 81;
    pub(in super::super) const MAX_REGISTERS_PER_MULTIPROCESSOR: c_int = 82;
    pub(in super::super) const MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: c_int = 97;
    pub(in super::super) const MAX_BLOCKS_PER_MULTIPROCESSOR: c_int = 106;
    pub(in super::super) const RESERVED_SHARED_MEMORY_PER_BLOCK: c_int = 111;
}

/// `CUfunction_attribute`: what is asked of a kernel.
pub(super) mod function_attribute {
    use std::ffi::c_int;

    pub(in super::super) const MAX_THREADS_PER_BLOCK: c_int = 0;
    pub(in super::super) const SHARED_SIZE_BYTES: c_int = 1;
    pub(in super::super) const LOCAL_SIZE_BYTES: c_int = 3;
    pub(in super::super) const NUM_REGS: c_int = 4;
    pub(in super::super) const MAX_DYNAMIC_SHARED_SIZE_BYTES: c_int = 8;
}

/// `CU_STREAM_NON_BLOCKING`: does not wait for the stream that others of the process use.
pub(super) const STREAM_NON_BLOCKING: c_uint = 1;

/// `CU_EVENT_DEFAULT`: keeps its time.
pub(super) const EVENT_DEFAULT: c_uint = 0;

/// `CUDA_SUCCESS`.
const SUCCESS: c_int = 0;

/// Names under which the system's loader may find the library.
#[cfg(windows)]
const NAMES: [&str; 1] = ["nvcuda.dll"];
#[cfg(target_os = "macos")]
const NAMES: [&str; 1] = ["libcuda.dylib"];
#[cfg(not(any(windows, target_os = "macos")))]
const NAMES: [&str; 2] = ["libcuda.so.1", "libcuda.so"];

/// Why the library cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unusable {
    /// The loader finds none.
    Absent,
    /// It has no function of this name.
    TooOld(&'static str),
}

/// Declares the functions: a field with the address of each, and a method that calls it.
macro_rules! driver_functions {
    ($($method:ident = $symbol:literal ($($argument:ident: $type:ty),*);)*) => {
        /// The driver's library, every function of it that the program calls found.
        pub(super) struct Libcuda {
            $($method: unsafe extern "system" fn($($type),*) -> c_int,)*
            /// Kept loaded for as long as the addresses are.
            _library: Library,
        }

        impl Libcuda {
            /// Looks for every function in a library.
            fn with_functions(library: Library) -> Result<Self, Unusable> {
                Ok(Self {
                    // SAFETY: the type is that of the function of this name in cuda.h; the address is not used after
                    // the library, which stands in the same value.
                    $($method: unsafe { address(&library, $symbol) }?,)*
                    _library: library,
                })
            }

            $(
                #[doc = concat!("`", $symbol, "`; what its parameters must be, the CUDA Driver API says there.")]
                #[allow(clippy::too_many_arguments)] // cuda.h has as many
                pub(super) unsafe fn $method(&self, $($argument: $type),*) -> Result<(), Status> {
                    // SAFETY: the caller keeps what the function asks for.
                    succeeded(unsafe { (self.$method)($($argument),*) })
                }
            )*
        }
    };
}

driver_functions! {
    init = "cuInit" (flags: c_uint);
    driver_version = "cuDriverGetVersion" (version: *mut c_int);
    device_get = "cuDeviceGet" (device: *mut DeviceNumber, ordinal: c_int);
    device_count = "cuDeviceGetCount" (count: *mut c_int);
    device_name = "cuDeviceGetName" (name: *mut c_char, length: c_int, device: DeviceNumber);
    device_uuid = "cuDeviceGetUuid_v2" (uuid: *mut [u8; 16], device: DeviceNumber);
    device_attribute = "cuDeviceGetAttribute" (value: *mut c_int, attribute: c_int, device: DeviceNumber);
    device_memory = "cuDeviceTotalMem_v2" (bytes: *mut usize, device: DeviceNumber);
    primary_context_retain = "cuDevicePrimaryCtxRetain" (context: *mut Context, device: DeviceNumber);
    primary_context_release = "cuDevicePrimaryCtxRelease_v2" (device: DeviceNumber);
    context_set_current = "cuCtxSetCurrent" (context: Context);
    context_synchronize = "cuCtxSynchronize" ();
    memory_info = "cuMemGetInfo_v2" (free: *mut usize, total: *mut usize);
    memory_allocate = "cuMemAlloc_v2" (address: *mut DevicePointer, bytes: usize);
    memory_free = "cuMemFree_v2" (address: DevicePointer);
    copy_to_device = "cuMemcpyHtoD_v2" (to: DevicePointer, from: *const c_void, bytes: usize);
    copy_to_host = "cuMemcpyDtoH_v2" (to: *mut c_void, from: DevicePointer, bytes: usize);
    copy_on_device = "cuMemcpyDtoD_v2" (to: DevicePointer, from: DevicePointer, bytes: usize);
    module_load = "cuModuleLoadData" (module: *mut LoadedModule, image: *const c_void);
    module_unload = "cuModuleUnload" (module: LoadedModule);
    module_function = "cuModuleGetFunction" (function: *mut Function, module: LoadedModule, name: *const c_char);
    function_attribute = "cuFuncGetAttribute" (value: *mut c_int, attribute: c_int, function: Function);
    function_set_attribute = "cuFuncSetAttribute" (function: Function, attribute: c_int, value: c_int);
    occupancy = "cuOccupancyMaxActiveBlocksPerMultiprocessor" (
        blocks: *mut c_int, function: Function, threads: c_int, dynamic_smem: usize
    );
    launch = "cuLaunchKernel" (
        function: Function, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint, block_y: c_uint,
        block_z: c_uint, dynamic_smem: c_uint, stream: Stream, parameters: *mut *mut c_void, extra: *mut *mut c_void
    );
    event_create = "cuEventCreate" (event: *mut Event, flags: c_uint);
    event_record = "cuEventRecord" (event: Event, stream: Stream);
    event_query = "cuEventQuery" (event: Event);
    event_synchronize = "cuEventSynchronize" (event: Event);
    event_elapsed = "cuEventElapsedTime" (milliseconds: *mut f32, start: Event, end: Event);
    event_destroy = "cuEventDestroy_v2" (event: Event);
    stream_create = "cuStreamCreate" (stream: *mut Stream, flags: c_uint);
    stream_destroy = "cuStreamDestroy_v2" (stream: Stream);
    stream_synchronize = "cuStreamSynchronize" (stream: Stream);
    error_name = "cuGetErrorName" (status: c_int, text: *mut *const c_char);
    error_text = "cuGetErrorString" (status: c_int, text: *mut *const c_char);
}

impl Libcuda {
    /// Loads the library under one of its names.
    pub(super) fn load() -> Result<Self, Unusable> {
        // SAFETY: runs the library's initialisers, as any program that uses CUDA does.
        let loaded = NAMES.iter().find_map(|name| unsafe { Library::new(*name) }.ok());
        Self::with_functions(loaded.ok_or(Unusable::Absent)?)
    }

    /// Name and text of a status, `CUDA_ERROR_OUT_OF_MEMORY: out of memory`.
    pub(super) fn describe(&self, status: Status) -> String {
        let mut name = std::ptr::null();
        let mut text = std::ptr::null();
        // SAFETY: each writes the address of a text that lives as long as the library, or null.
        let (named, told) =
            unsafe { (self.error_name(status.0, &raw mut name), self.error_text(status.0, &raw mut text)) };
        // SAFETY: as above.
        let (name, text) = unsafe { (text_at(named, name), text_at(told, text)) };
        format!(
            "{}: {}",
            name.unwrap_or_else(|| format!("CUDA error {}", status.0)),
            text.unwrap_or_default()
        )
    }
}

/// The text that a successful call has pointed to.
///
/// # Safety
/// `address` is null or leads to a text that ends with a zero.
unsafe fn text_at(answer: Result<(), Status>, address: *const c_char) -> Option<String> {
    if answer.is_err() || address.is_null() {
        return None;
    }
    // SAFETY: by contract.
    Some(unsafe { CStr::from_ptr(address) }.to_string_lossy().into_owned())
}

/// The address of a function.
///
/// # Safety
/// `T` is the type of the function of this name, and the address is not used after the library.
unsafe fn address<T: Copy>(library: &Library, name: &'static str) -> Result<T, Unusable> {
    // SAFETY: by contract.
    unsafe { library.get::<T>(name) }.map(|found| *found).map_err(|_| Unusable::TooOld(name))
}

fn succeeded(answer: c_int) -> Result<(), Status> {
    if answer == SUCCESS { Ok(()) } else { Err(Status(answer)) }
}
