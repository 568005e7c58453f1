//! Clocks, power, temperature and modes from NVML. Whatever it does not know is left out.

use crate::device::driver::{GpuFacts, Sample};
use nvml_wrapper::Nvml;
use nvml_wrapper::enum_wrappers::device::{Clock, TemperatureSensor};
use std::sync::OnceLock;

/// The library, once; `None` where it is not there.
fn library() -> Option<&'static Nvml> {
    static LIBRARY: OnceLock<Option<Nvml>> = OnceLock::new();
    LIBRARY.get_or_init(|| Nvml::init().ok()).as_ref()
}

/// The driver's release; empty where NVML is not there.
pub(super) fn driver_release() -> String {
    library().and_then(|n| n.sys_driver_version().ok()).unwrap_or_default()
}

/// Adds what only NVML knows.
pub(super) fn complete(facts: &mut GpuFacts) {
    let Some(device) = library().and_then(|n| n.device_by_uuid(facts.uuid.as_str()).ok()) else {
        // CUDA gives a MIG slice a UUID that NVML knows under `MIG-` only.
        let mig = facts.uuid.replacen("GPU-", "MIG-", 1);
        if library().is_some_and(|n| n.device_by_uuid(mig.as_str()).is_ok()) {
            (facts.uuid, facts.mig) = (mig, true);
        }
        return;
    };
    let watts = |milliwatts: u32| f64::from(milliwatts) / 1e3;
    facts.power_limit_w = device.enforced_power_limit().ok().map(watts);
    facts.default_power_limit_w = device.power_management_limit_default().ok().map(watts);
    facts.mig = device.mig_mode().is_ok_and(|m| m.current == 1);
}

/// A GPU that is sampled.
pub(super) struct Watched {
    device: nvml_wrapper::Device<'static>,
}

impl Watched {
    /// That of this UUID; `None` where NVML does not know it.
    pub(super) fn of(uuid: &str) -> Option<Self> {
        Some(Self { device: library()?.device_by_uuid(uuid).ok()? })
    }

    /// Its state now.
    pub(super) fn sample(&self) -> Sample {
        let hertz = |clock| self.device.clock_info(clock).ok().map(|mhz| f64::from(mhz) * 1e6);
        Sample {
            sm_clock_hz: hertz(Clock::SM),
            mem_clock_hz: hertz(Clock::Memory),
            power_w: self.device.power_usage().ok().map(|mw| f64::from(mw) / 1e3),
            temperature_c: self.device.temperature(TemperatureSensor::Gpu).ok().map(f64::from),
            util_pct: self.device.utilization_rates().ok().map(|u| f64::from(u.gpu)),
        }
    }
}
