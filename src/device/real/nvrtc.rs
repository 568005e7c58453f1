//! NVRTC, NVIDIA's compiler as a library: CUDA C++ to machine code while the program runs. It needs no GPU.
//!
//! `$ROOFSWAP_NVRTC` names the library; else the system's loader looks for it under its usual names. It comes with the CUDA
//! toolkit, and as a wheel of the Python Package Index (docs/measure.md).
#![allow(unsafe_code)]

use crate::device::driver::DeviceError;
use libloading::Library;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::Path;

/// Usual names, newest first.
#[cfg(not(windows))]
const NAMES: [&str; 5] =
    ["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so", "libnvrtc.so.11.1"];
#[cfg(windows)]
const NAMES: [&str; 3] = ["nvrtc64_130_0.dll", "nvrtc64_120_0.dll", "nvrtc64_112_0.dll"];

/// The library's number for an option that it does not understand, such as an architecture newer than itself.
const INVALID_OPTION: c_int = 5;

type Program = *mut c_void;
type Create = unsafe extern "C" fn(
    *mut Program,
    *const c_char,
    *const c_char,
    c_int,
    *const *const c_char,
    *const *const c_char,
) -> c_int;
type Compile = unsafe extern "C" fn(Program, c_int, *const *const c_char) -> c_int;
type Destroy = unsafe extern "C" fn(*mut Program) -> c_int;
type Size = unsafe extern "C" fn(Program, *mut usize) -> c_int;
type Get = unsafe extern "C" fn(Program, *mut c_char) -> c_int;
type Version = unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int;

/// The library.
#[derive(Debug)]
pub struct Nvrtc {
    library: Library,
}

fn none(why: impl std::fmt::Display) -> DeviceError {
    DeviceError::NoCompiler(why.to_string())
}

impl Nvrtc {
    /// Finds the library.
    ///
    /// # Errors
    /// [`DeviceError::NoCompiler`] where there is none.
    pub fn find_library() -> Result<Self, DeviceError> {
        if let Some(path) = std::env::var_os("ROOFSWAP_NVRTC").filter(|p| !p.is_empty()) {
            return Self::open_library(Path::new(&path));
        }
        let found = NAMES.iter().find_map(|name| load_library(Path::new(name)).ok());
        let library = found.ok_or_else(|| {
            none("the library is not installed; install the CUDA toolkit, or name it in ROOFSWAP_NVRTC")
        });
        Ok(Self { library: library? })
    }

    /// Opens the library at this path.
    ///
    /// # Errors
    /// [`DeviceError::NoCompiler`] where that is none.
    pub fn open_library(path: &Path) -> Result<Self, DeviceError> {
        let wrong = |why: String| none(format!("{}: {why}", path.display()));
        if !path.is_file() {
            return Err(wrong("is no file".into()));
        }
        // Its builtins are looked for by name only; loaded first, they are found wherever it lies.
        for beside in path.parent().and_then(|f| f.read_dir().ok()).into_iter().flatten().flatten() {
            if beside.file_name().to_string_lossy().contains("nvrtc-builtins") {
                // Kept for as long as the process runs. One that does not load is missed when something is compiled.
                let _ = load_library(&beside.path()).map(std::mem::forget);
            }
        }
        let library = load_library(path).map_err(|e| wrong(e.to_string()))?;
        // SAFETY: the symbol is only looked for.
        let is_it = unsafe { library.get::<Create>(b"nvrtcCreateProgram\0") }.is_ok();
        if is_it { Ok(Self { library }) } else { Err(wrong("is another library".into())) }
    }

    /// The function of this name.
    ///
    /// # Safety
    /// `T` is its type in nvrtc.h, and it is not called after the library is dropped.
    unsafe fn symbol<T: Copy>(&self, name: &CStr) -> Result<T, DeviceError> {
        // SAFETY: by contract.
        let found = unsafe { self.library.get::<T>(name.to_bytes_with_nul()) };
        found
            .map(|s| *s)
            .map_err(|_| none(format!("this library is too old: it has no {}", name.to_string_lossy())))
    }

    /// Its version, such as 12.9.
    ///
    /// # Errors
    /// [`DeviceError::NoCompiler`].
    pub fn version(&self) -> Result<(u32, u32), DeviceError> {
        // SAFETY: the type of this function; it is called at once.
        let version: Version = unsafe { self.symbol(c"nvrtcVersion") }?;
        let (mut major, mut minor) = (0, 0);
        // SAFETY: writes two numbers to the addresses given.
        match unsafe { version(&raw mut major, &raw mut minor) } {
            0 => Ok((major as u32, minor as u32)),
            status => Err(none(format!("nvrtcVersion answers {status}"))),
        }
    }

    /// Machine code of `source` for this compute capability.
    ///
    /// # Errors
    /// [`DeviceError::Compile`] with the log, [`DeviceError::NoCompiler`] where it does not know the capability.
    pub fn cubin(&self, file: &str, source: &str, capability: (u8, u8)) -> Result<Vec<u8>, DeviceError> {
        let arch = format!("--gpu-architecture=sm_{}{}", capability.0, capability.1);
        self.compiled(file, source, &arch, c"nvrtcGetCUBINSize", c"nvrtcGetCUBIN")
    }

    /// PTX of `source` for this virtual architecture.
    ///
    /// # Errors
    /// As [`Nvrtc::cubin`].
    pub fn ptx(&self, file: &str, source: &str, capability: (u8, u8)) -> Result<Vec<u8>, DeviceError> {
        let arch = format!("--gpu-architecture=compute_{}{}", capability.0, capability.1);
        self.compiled(file, source, &arch, c"nvrtcGetPTXSize", c"nvrtcGetPTX")
    }

    fn compiled(
        &self,
        file: &str,
        source: &str,
        arch: &str,
        size: &CStr,
        get: &CStr,
    ) -> Result<Vec<u8>, DeviceError> {
        let text = |t: &str| {
            CString::new(t)
                .map_err(|_| DeviceError::Compile { file: file.into(), log: "it holds a zero".into() })
        };
        let (source, name, option) = (text(source)?, text(file)?, text(arch)?);
        // SAFETY: the types of these functions; none is kept beyond this one.
        let (create, compile, destroy): (Create, Compile, Destroy) = unsafe {
            (
                self.symbol(c"nvrtcCreateProgram")?,
                self.symbol(c"nvrtcCompileProgram")?,
                self.symbol(c"nvrtcDestroyProgram")?,
            )
        };
        let mut program: Program = std::ptr::null_mut();
        let nothing = std::ptr::null();
        // SAFETY: the texts end with a zero and live to the end of this function; no headers are given.
        let made = unsafe { create(&raw mut program, source.as_ptr(), name.as_ptr(), 0, nothing, nothing) };
        if made != 0 {
            return Err(none(format!("nvrtcCreateProgram answers {made}")));
        }
        let options = [option.as_ptr()];
        // SAFETY: the program was made above, the option ends with a zero and lives.
        let status = unsafe { compile(program, 1, options.as_ptr()) };
        let answer = match status {
            0 => self.program_bytes(program, size, get),
            INVALID_OPTION => Err(none(format!("it does not support {arch}; use a newer NVRTC"))),
            _ => {
                let log = self.program_bytes(program, c"nvrtcGetProgramLogSize", c"nvrtcGetProgramLog");
                let log = log.map(|b| String::from_utf8_lossy(&b).trim_end_matches('\0').trim().to_string());
                Err(DeviceError::Compile { file: file.into(), log: log.unwrap_or_default() })
            }
        };
        // SAFETY: the program was made above, on every way here it is still there, and it is not used again.
        unsafe { destroy(&raw mut program) };
        answer
    }

    fn program_bytes(&self, program: Program, size: &CStr, get: &CStr) -> Result<Vec<u8>, DeviceError> {
        // SAFETY: every caller names a function that says a size and one that writes as much.
        let (size_of, fetch): (Size, Get) = unsafe { (self.symbol(size)?, self.symbol(get)?) };
        let mut length = 0_usize;
        // SAFETY: the program is alive; one number is written.
        let mut status = unsafe { size_of(program, &raw mut length) };
        let mut bytes = vec![0_u8; length];
        if status == 0 && length > 0 {
            // SAFETY: the library writes as many bytes as it has just said of this program, which nothing has changed since.
            status = unsafe { fetch(program, bytes.as_mut_ptr().cast()) };
        }
        if status == 0 { Ok(bytes) } else { Err(none(format!("{} answers {status}", get.to_string_lossy()))) }
    }
}

fn load_library(path: &Path) -> Result<Library, libloading::Error> {
    // SAFETY: runs the library's initialisers, whatever they do. It is a name that the system's loader resolves, or the file
    // that whoever started this process named (ROOFSWAP_NVRTC) and what lies beside it under the name of its builtins: they
    // could run that code without us.
    unsafe { Library::new(path) }
}
