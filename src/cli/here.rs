//! What `probe` and `measure` share: the machine's driver, the GPU that is meant, Ctrl-C, and a bar on stderr.

use super::Usage;
use crate::device::driver::{DeviceError, Driver, GpuFacts, choose};
use crate::session::Session;
use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The GPU that `--gpu` means: number, UUID, name, or an id of the catalogue.
pub(super) fn gpu(driver: &dyn Driver, asked: Option<&str>, session: &Session) -> Result<GpuFacts> {
    let gpus = driver.gpus()?;
    match choose(&gpus, asked) {
        Ok(one) => Ok(one.clone()),
        Err(unknown @ DeviceError::UnknownGpu { .. }) => {
            // An id of the catalogue may not look like the driver's name: `a100-pcie-40gb`.
            let id = asked.and_then(|a| session.gpus.get(a)).map(|i| session.gpus[i].id.as_str());
            let named = gpus.iter().find(|g| {
                id.is_some()
                    && crate::device::probe::known(&g.name, g.mig, &session.gpus).map(|k| k.id.as_str()) == id
            });
            named.cloned().ok_or_else(|| Usage(unknown.to_string()).into())
        }
        Err(other) => Err(other.into()),
    }
}

/// A flag that Ctrl-C and a polite kill set, so that what is done is kept; a second Ctrl-C ends the program at once.
pub(super) fn cancelled() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    #[cfg(unix)]
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        // Where a handler cannot be set, Ctrl-C ends the program as it does others; every file is whole even so.
        // The order matters: the shutdown looks at the flag before it is set by the first signal.
        let _ = signal_hook::flag::register_conditional_shutdown(signal, 130, flag.clone());
        let _ = signal_hook::flag::register(signal, flag.clone());
    }
    flag
}

/// A bar of so many steps on stderr; hidden where nobody looks.
pub(super) fn bar(steps: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} {msg}");
    let bar = ProgressBar::new(steps as u64);
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}
