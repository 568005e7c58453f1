//! From a CUDA source to a module on the GPU: compiled by NVRTC for the GPU found, else the PTX that ships.

use super::driver::{DeviceError, Module, OpenDevice};
use include_dir::{Dir, include_dir};

static KERNELS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/assets/kernels");

/// How a module came to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompiledModule {
    /// On the GPU.
    pub module: Module,
    /// `nvrtc`, or the file of PTX that was loaded instead: for the rows.
    pub by: String,
    /// Why the shipped PTX had to do, where it had.
    pub instead: Option<String>,
}

/// The shipped source of this name, such as `saxpy.cu` or `probe/stream.cu`.
#[must_use]
pub fn source(file: &str) -> Option<&'static str> {
    KERNELS.get_file(file).and_then(|f| f.contents_utf8())
}

/// Every shipped source, by name.
pub fn sources() -> impl Iterator<Item = (String, &'static str)> {
    let probe = KERNELS.get_dir("probe").into_iter().flat_map(|d| d.files());
    KERNELS.files().chain(probe).filter_map(|f| {
        let name = f.path().to_str().filter(|n| n.ends_with(".cu"))?.replace('\\', "/");
        Some((name, f.contents_utf8()?))
    })
}

/// The shipped PTX of a source that this GPU can run: that of the highest virtual architecture.
#[must_use]
pub fn shipped_ptx(file: &str, capability: (u8, u8)) -> Option<(String, &'static [u8])> {
    let stem = file.strip_suffix(".cu")?;
    let (folder, stem) =
        stem.strip_prefix("probe/").map_or(("compiled/ptx", stem), |s| ("compiled/probe", s));
    let mut found: Vec<_> = KERNELS
        .get_dir(folder)?
        .files()
        .filter_map(|f| {
            let name = f.path().file_name()?.to_str()?;
            let digits = name.strip_prefix(stem)?.strip_prefix(".compute_")?.strip_suffix(".ptx")?;
            let needs: u32 = digits.parse().ok()?;
            Some((needs, name.to_string(), f.contents()))
        })
        .filter(|(needs, ..)| *needs <= u32::from(capability.0) * 10 + u32::from(capability.1))
        .collect();
    found.sort_by_key(|(needs, ..)| *needs);
    found.pop().map(|(_, name, bytes)| (name, bytes))
}

/// Compiles and loads a shipped source; where NVRTC is absent, or the driver is older than its code, the shipped PTX.
///
/// # Errors
/// [`DeviceError::Compile`] for a source that does not compile, and the first reason where the shipped PTX does not load
/// either.
pub fn load_code(
    device: &mut dyn OpenDevice,
    file: &str,
    capability: (u8, u8),
) -> Result<CompiledModule, DeviceError> {
    let text = source(file)
        .ok_or_else(|| DeviceError::Compile { file: file.into(), log: "no such source ships".into() })?;
    let refused = match device.compile(file, text).and_then(|image| device.load_module(&image)) {
        Ok(module) => return Ok(CompiledModule { module, by: "nvrtc".into(), instead: None }),
        Err(e @ (DeviceError::NoCompiler(_) | DeviceError::BadImage(_))) => e,
        Err(e) => return Err(e),
    };
    let Some((name, ptx)) = shipped_ptx(file, capability) else { return Err(refused) };
    match device.load_module(ptx) {
        Ok(module) => Ok(CompiledModule { module, by: name, instead: Some(refused.to_string()) }),
        Err(e) => Err(DeviceError::BadImage(format!("{refused}; and of the shipped PTX {name}: {e}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::driver::Driver;
    use crate::device::fake::{Call, Fake};

    fn loaded(fake: &Fake, file: &str) -> Result<CompiledModule, DeviceError> {
        load_code(&mut *fake.open_device(0).unwrap(), file, (8, 9))
    }

    #[test]
    fn nvrtc_compiles_and_the_shipped_ptx_stands_in_for_it() {
        assert_eq!(loaded(&Fake::default(), "saxpy.cu").unwrap().by, "nvrtc");
        let without = Fake { compiler: false, ..Fake::default() };
        let fallback = loaded(&without, "saxpy.cu").unwrap();
        assert_eq!(fallback.by, "saxpy.compute_52.ptx");
        assert!(fallback.instead.unwrap().contains("NVRTC cannot be used"));
        let old_driver = Fake { nvrtc: (13, 0), ..Fake::default() };
        let fallback = loaded(&old_driver, "saxpy.cu").unwrap();
        assert!(fallback.instead.unwrap().contains("UNSUPPORTED_PTX_VERSION"));
    }

    #[test]
    fn what_neither_compiles_nor_loads_says_both_reasons_in_one_line() {
        let bad = DeviceError::BadImage("too old".into());
        let fake = Fake { compiler: false, ..Fake::default() }.failing(Call::Load, 0, 9, bad);
        let why = loaded(&fake, "saxpy.cu").unwrap_err().to_string();
        assert!(why.contains("not installed") && why.contains("saxpy.compute_52.ptx"), "{why}");
        assert!(!why.contains('\n'));
        assert!(matches!(loaded(&fake, "none.cu"), Err(DeviceError::Compile { .. })));
    }

    /// FNV-1a, as `compile.py` writes it: whether a record is of this source.
    fn fingerprint(text: &str) -> String {
        let step = |value: u64, byte: u8| (value ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        format!("{:016x}", text.bytes().fold(0xcbf2_9ce4_8422_2325, step))
    }

    #[test]
    fn the_shipped_ptx_of_the_micro_benchmarks_is_that_of_their_sources() {
        let record = KERNELS.get_file("compiled/probe/sources.csv").unwrap().contents_utf8().unwrap();
        let probe: Vec<_> =
            sources().filter_map(|(n, t)| Some((n.strip_prefix("probe/")?.to_string(), t))).collect();
        assert_eq!(probe.len(), record.lines().count() - 1);
        for (name, text) in probe {
            let line = format!("{},{}", name.trim_end_matches(".cu"), fingerprint(text));
            assert!(record.lines().any(|l| l == line), "{name} has changed: run compile.py --probe");
            assert!(shipped_ptx(&format!("probe/{name}"), (8, 0)).is_some(), "{name}");
        }
    }

    #[test]
    fn the_highest_architecture_that_runs_is_taken() {
        assert!(shipped_ptx("saxpy.cu", (5, 0)).is_none());
        assert_eq!(shipped_ptx("saxpy.cu", (12, 0)).unwrap().0, "saxpy.compute_52.ptx");
        assert!(shipped_ptx("none.cu", (9, 0)).is_none());
        let tensor = |capability| shipped_ptx("probe/tensor.cu", capability).map(|(name, _)| name);
        assert_eq!((tensor((6, 1)), tensor((7, 5))), (None, Some("tensor.compute_75.ptx".into())));
        assert_eq!(tensor((9, 0)), Some("tensor.compute_80.ptx".into()));
        assert!(sources().any(|(name, text)| name == "saxpy.cu" && text.contains("__global__")));
    }
}
