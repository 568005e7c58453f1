//! The real driver: CUDA for the work, NVML for clocks, power and modes, NVRTC for compiling. All three libraries are looked
//! for while the program runs; where one is not there, that is an error like any other.
//!
//! None of this has been run on a GPU by a test: what is above the trait is tested against [`super::fake`], the calls themselves against
//! two libraries of the tests' own (`tests/mock_driver`). Miri runs no foreign functions, so each `unsafe` is argued where it stands:
//! what the function is given, how long that lives, what it writes.

mod allocation;
mod cuda;
mod libcuda;
mod nvml;
mod nvrtc;

pub use nvrtc::Nvrtc;

use super::driver::{DeviceError, Driver};

/// The driver of this machine.
///
/// # Errors
/// [`DeviceError::NoDriver`], in one line, where there is none or it is too old.
pub fn driver() -> Result<Box<dyn Driver>, DeviceError> {
    Ok(Box::new(cuda::Cuda::find()?))
}
