//! The GPU at hand: what it is, what it reaches, and how long kernels take on it.
//!
//! [`driver`] is the wall: the traits and their errors. Behind it stand the real driver ([`real`]) and a scripted one for
//! tests ([`fake`]); before it everything that decides something.

pub mod code;
pub mod driver;
pub mod fake;
pub mod measure;
pub mod probe;
#[cfg(feature = "nvidia")]
pub mod real;
pub mod suite;

use driver::{DeviceError, Driver};

/// How the machine's driver is had; a test gives a scripted one in its place.
pub type FindDriver = fn() -> Result<Box<dyn Driver>, DeviceError>;

/// The driver of this machine.
///
/// # Errors
/// [`DeviceError::NoDriver`] in one line where there is none.
#[cfg(feature = "nvidia")]
pub fn find_driver() -> Result<Box<dyn Driver>, DeviceError> {
    real::driver()
}

/// The driver of this machine: this build has none.
///
/// # Errors
/// Always.
#[cfg(not(feature = "nvidia"))]
pub fn find_driver() -> Result<Box<dyn Driver>, DeviceError> {
    Err(DeviceError::NoDriver("this program was built without the feature `nvidia`".into()))
}
