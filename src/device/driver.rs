//! What the program needs of a GPU's driver: one trait for the machine, one for an opened GPU.
//!
//! [`super::real`] is CUDA and NVML, [`super::fake`] a scripted one for tests. Everything that decides something stands
//! above this wall, so that it is tested without a GPU.

use crate::kernel::Launch;
use crate::units::Seconds;

/// Why something could not be done with a GPU. Each reads as one line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    /// No driver, or one that cannot be used.
    #[error("no NVIDIA GPU can be used here: {0}")]
    NoDriver(String),
    /// No GPU of this name.
    #[error("no GPU here is `{asked}`; give one of: {}", known.join(", "))]
    UnknownGpu {
        /// As typed.
        asked: String,
        /// Number, name and UUID of each.
        known: Vec<String>,
    },
    /// The memory asked for is not free.
    #[error("out of memory on the GPU: {bytes} bytes were asked for")]
    OutOfMemory {
        /// As asked for.
        bytes: u64,
    },
    /// Another process has the GPU for itself, or nobody may compute on it.
    #[error(
        "the GPU is busy or exclusive: {0}; end the other process, or set its compute mode to default (nvidia-smi -c DEFAULT)"
    )]
    Busy(String),
    /// The driver refuses compiled code: PTX newer than the driver, or code for other GPUs.
    #[error("the driver does not take the compiled code: {0}")]
    BadImage(String),
    /// There is no NVRTC, or none for this GPU.
    #[error("NVRTC cannot be used: {0}")]
    NoCompiler(String),
    /// A source does not compile.
    #[error("{file} does not compile: {log}")]
    Compile {
        /// The source.
        file: String,
        /// What NVRTC says.
        log: String,
    },
    /// A launch that the driver refuses; the GPU can be used on.
    #[error("the launch was refused: {0}")]
    Refused(String),
    /// A kernel failed while it ran, or the GPU fell off the bus: nothing more can be asked of this process's context.
    #[error("the GPU's context is lost: {0}")]
    Lost(String),
    /// Anything else that a call answers.
    #[error("{call} failed: {why}")]
    Call {
        /// The function.
        call: &'static str,
        /// Its error, in the driver's words.
        why: String,
    },
}

/// The driver's release, and the CUDA version it knows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DriverVersion {
    /// Such as `570.86.15`; empty where NVML is not there.
    pub driver: String,
    /// Such as 12.8.
    pub cuda: (u32, u32),
}

/// Who may compute on a GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ComputeMode {
    /// Everybody.
    #[default]
    Default,
    /// One process at a time.
    Exclusive,
    /// Nobody.
    Prohibited,
}

/// What driver and NVML say of one GPU before it is opened. Numbers that they do not know are `None`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GpuFacts {
    /// The driver's number of it.
    pub index: usize,
    /// The driver's name of it: `NVIDIA GeForce RTX 4070`.
    pub name: String,
    /// `GPU-…`, or `MIG-…` for a slice.
    pub uuid: String,
    /// Compute capability.
    pub capability: (u8, u8),
    /// Streaming multiprocessors.
    pub sms: u32,
    /// SM clock in Hz that it boosts to at most.
    pub sm_clock_hz: f64,
    /// Memory clock in Hz, as the driver counts it: two transfers each.
    pub mem_clock_hz: f64,
    /// Width of the memory bus in bits.
    pub bus_bits: u32,
    /// L2 in bytes.
    pub l2_bytes: u64,
    /// Memory in bytes.
    pub memory_bytes: u64,
    /// Limits of a launch and of an SM.
    pub limits: DriverLimits,
    /// Power limit in force, in watts.
    pub power_limit_w: Option<f64>,
    /// Power limit it comes with, in watts.
    pub default_power_limit_w: Option<f64>,
    /// Whether it is cut into MIG slices.
    pub mig: bool,
    /// Who may compute on it.
    pub compute_mode: ComputeMode,
}

/// The limits of a compute capability, as the driver says them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DriverLimits {
    /// Resident threads of an SM.
    pub threads_per_sm: u32,
    /// Resident blocks of an SM.
    pub blocks_per_sm: u32,
    /// Threads of a block.
    pub threads_per_block: u32,
    /// Registers of an SM.
    pub regs_per_sm: u32,
    /// Registers of a block.
    pub regs_per_block: u32,
    /// Shared memory of an SM in bytes.
    pub smem_per_sm: u32,
    /// Shared memory of a block in bytes.
    pub smem_per_block: u32,
    /// The same where it is asked for.
    pub smem_opt_in: u32,
    /// What the system keeps of each block's shared memory, in bytes.
    pub smem_reserved: u32,
}

impl GpuFacts {
    /// `0: NVIDIA GeForce RTX 4070 (GPU-…)`.
    #[must_use]
    pub fn one_line(&self) -> String {
        format!("{}: {} ({})", self.index, self.name, self.uuid)
    }

    /// Stated memory bandwidth in bytes per second: bus x two transfers per clock.
    #[must_use]
    pub fn bandwidth(&self) -> f64 {
        f64::from(self.bus_bits) / 8.0 * 2.0 * self.mem_clock_hz
    }
}

/// An address in the GPU's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address(pub u64);

impl Address {
    /// So many bytes further.
    #[must_use]
    pub fn plus(self, bytes: u64) -> Self {
        Self(self.0 + bytes)
    }
}

/// A loaded module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Module(pub usize);

/// A kernel of a loaded module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct DriverKernel(pub usize);

/// What the driver says of a kernel at one block size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EntryFacts {
    /// Registers per thread.
    pub registers: u32,
    /// Static shared memory per block in bytes.
    pub static_smem: u32,
    /// Local memory per thread in bytes: stack and spills.
    pub local_bytes: u32,
    /// Threads of a block at most.
    pub max_threads: u32,
    /// Blocks of this size on one SM.
    pub blocks_per_sm: u32,
}

/// One parameter of a launch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Parameter {
    /// An address.
    Address(Address),
    /// An unsigned number.
    U32(u32),
    /// A signed number.
    I32(i32),
    /// A single-precision number.
    F32(f32),
    /// A double-precision number.
    F64(f64),
}

/// A launch with everything it needs.
#[derive(Debug, Clone, PartialEq)]
pub struct PreparedLaunch {
    /// The kernel.
    pub entry: DriverKernel,
    /// Block and grid.
    pub launch: Launch,
    /// Dynamic shared memory per block in bytes.
    pub dynamic_smem: u32,
    /// Parameters in order.
    pub parameters: Vec<Parameter>,
}

/// Free and whole memory in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryInfo {
    /// Not taken.
    pub free: u64,
    /// All.
    pub total: u64,
}

/// State of the GPU at one moment; what NVML does not know is `None`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct GpuSample {
    /// SM clock in Hz.
    pub sm_clock_hz: Option<f64>,
    /// Memory clock in Hz.
    pub mem_clock_hz: Option<f64>,
    /// Board power in watts.
    pub power_w: Option<f64>,
    /// Die temperature in degrees Celsius.
    pub temperature_c: Option<f64>,
    /// Part of the last sampling period in which a kernel ran, in percent.
    pub util_pct: Option<f64>,
}

/// The machine's driver.
pub trait Driver: Send + Sync {
    /// Its release.
    fn version(&self) -> DriverVersion;

    /// Every GPU it sees, in its order.
    ///
    /// # Errors
    /// [`DeviceError::NoDriver`] where it sees none.
    fn gpus(&self) -> Result<Vec<GpuFacts>, DeviceError>;

    /// Opens a GPU by its number; what it allocates lives until the answer is dropped.
    ///
    /// # Errors
    /// [`DeviceError::Busy`] in exclusive mode, and others.
    fn open_device(&self, index: usize) -> Result<Box<dyn OpenDevice>, DeviceError>;
}

/// An opened GPU. Launches run one after the other; a run is [`OpenDevice::start`]ed, may be watched, and is
/// [`OpenDevice::finish_timing`]ed before anything else is asked.
pub trait OpenDevice {
    /// Free and whole memory.
    ///
    /// # Errors
    /// [`DeviceError`].
    fn memory(&mut self) -> Result<MemoryInfo, DeviceError>;

    /// Compiles a source for this GPU.
    ///
    /// # Errors
    /// [`DeviceError::NoCompiler`] and [`DeviceError::Compile`].
    fn compile(&mut self, file: &str, source: &str) -> Result<Vec<u8>, DeviceError>;

    /// Loads compiled code, machine code or PTX.
    ///
    /// # Errors
    /// [`DeviceError::BadImage`] where the driver does not take it.
    fn load_module(&mut self, image: &[u8]) -> Result<Module, DeviceError>;

    /// The kernel of this name.
    ///
    /// # Errors
    /// [`DeviceError::Call`] where the module has none.
    fn entry(&mut self, module: Module, symbol: &str) -> Result<DriverKernel, DeviceError>;

    /// What the driver says of a kernel at this block size; lets it have this much (`smem`) dynamic shared memory.
    ///
    /// # Errors
    /// [`DeviceError::Refused`] for more shared memory than there is.
    fn facts(&mut self, entry: DriverKernel, threads: u32, smem: u32) -> Result<EntryFacts, DeviceError>;

    /// Memory of this size, not cleared.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`].
    fn allocate(&mut self, bytes: u64) -> Result<Address, DeviceError>;

    /// Gives memory back.
    ///
    /// # Errors
    /// [`DeviceError`].
    fn free(&mut self, at: Address) -> Result<(), DeviceError>;

    /// Writes to the GPU's memory.
    ///
    /// # Errors
    /// [`DeviceError`].
    fn write(&mut self, to: Address, bytes: &[u8]) -> Result<(), DeviceError>;

    /// Reads from the GPU's memory.
    ///
    /// # Errors
    /// [`DeviceError`].
    fn copy_from_device(&mut self, from: Address, bytes: &mut [u8]) -> Result<(), DeviceError>;

    /// Copies within the GPU's memory.
    ///
    /// # Errors
    /// [`DeviceError`].
    fn copy(&mut self, from: Address, to: Address, bytes: u64) -> Result<(), DeviceError>;

    /// Starts `times` launches back to back between two events, taking those of `of` in turn; does not wait for them.
    ///
    /// # Errors
    /// [`DeviceError::Refused`] for a launch that cannot start.
    fn start(&mut self, of: &[PreparedLaunch], times: usize) -> Result<(), DeviceError>;

    /// Whether launches that were started are still running.
    ///
    /// # Errors
    /// [`DeviceError::Lost`] where one of them failed.
    fn running(&mut self) -> Result<bool, DeviceError>;

    /// Waits for the launches; the time between the two events.
    ///
    /// # Errors
    /// [`DeviceError::Lost`] where one of them failed.
    fn finish_timing(&mut self) -> Result<Seconds, DeviceError>;

    /// Clocks, power, temperature and utilisation now.
    ///
    /// # Errors
    /// [`DeviceError`]; what is merely unknown is none.
    fn sample(&mut self) -> Result<GpuSample, DeviceError>;
}

/// The GPU that was asked for: by number, UUID or a part of it, catalogue id or name; the only one where nothing was.
///
/// # Errors
/// [`DeviceError::UnknownGpu`] where none or several fit.
pub fn choose<'a>(gpus: &'a [GpuFacts], asked: Option<&str>) -> Result<&'a GpuFacts, DeviceError> {
    let unknown = |asked: &str| DeviceError::UnknownGpu {
        asked: asked.to_string(),
        known: gpus.iter().map(GpuFacts::one_line).collect(),
    };
    let Some(asked) = asked else {
        return match gpus {
            [] => Err(DeviceError::NoDriver("the driver sees no GPU".into())),
            [only] => Ok(only),
            _ => Err(unknown("(several are here)")),
        };
    };
    if let Ok(number) = asked.parse::<usize>() {
        return gpus.iter().find(|g| g.index == number).ok_or_else(|| unknown(asked));
    }
    let plain = |text: &str| -> String {
        text.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
    };
    let wanted = plain(asked);
    let fits = |g: &&GpuFacts| {
        !wanted.is_empty() && (plain(&g.name).contains(&wanted) || plain(&g.uuid).contains(&wanted))
    };
    let mut fitting = gpus.iter().filter(fits);
    match (fitting.next(), fitting.next()) {
        (Some(one), None) => Ok(one),
        _ => Err(unknown(asked)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gpu(index: usize, name: &str, uuid: &str) -> GpuFacts {
        GpuFacts { index, name: name.into(), uuid: uuid.into(), ..GpuFacts::default() }
    }

    #[test]
    fn a_gpu_is_found_by_number_name_or_uuid_and_never_guessed() {
        let two = [gpu(0, "NVIDIA GeForce RTX 4070", "GPU-11aa"), gpu(1, "NVIDIA L4", "GPU-22bb")];
        let index = |asked: Option<&str>| choose(&two, asked).map(|g| g.index);
        assert_eq!(index(Some("1")), Ok(1));
        assert_eq!(index(Some("rtx-4070")), Ok(0));
        assert_eq!(index(Some("GPU-22bb")), Ok(1));
        let several = index(None).unwrap_err().to_string();
        assert!(several.contains("0: NVIDIA GeForce RTX 4070 (GPU-11aa), 1: NVIDIA L4"), "{several}");
        assert!(index(Some("nvidia")).is_err() && index(Some("7")).is_err() && index(Some("--")).is_err());
        assert_eq!(choose(&two[..1], None).map(|g| g.index), Ok(0));
        assert!(choose(&[], None).unwrap_err().to_string().contains("no NVIDIA GPU can be used here"));
    }
}
