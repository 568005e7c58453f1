//! What `probe` and `measure` share: the machine's driver, the GPU that is meant, Ctrl-C, and a bar on stderr.

use super::Usage;
use super::training::cancelled_by_signals;
use crate::device::driver::{DeviceError, Driver, GpuFacts, choose};
use crate::progress::Progress;
use crate::session::Session;
use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};

/// The GPU that `--gpu` means: number, UUID, name, or an id of the catalogue.
pub(super) fn gpu(driver: &dyn Driver, asked: Option<&str>, session: &Session) -> Result<GpuFacts> {
    let gpus = driver.gpus()?;
    match choose(&gpus, asked) {
        Ok(one) => Ok(one.clone()),
        Err(unknown @ DeviceError::UnknownGpu { .. }) => {
            // An id of the catalogue may not look like the driver's name: `a100-pcie-40gb`.
            let id = asked.and_then(|a| session.gpus.id_named(a)).map(|i| session.gpus[i].id.as_str());
            let named = gpus.iter().find(|g| {
                id.is_some()
                    && crate::device::probe::known(&g.name, g.mig, &session.gpus).map(|k| k.id.as_str()) == id
            });
            named.cloned().ok_or_else(|| Usage(unknown.to_string()).into())
        }
        Err(other) => Err(other.into()),
    }
}

/// A progress that Ctrl-C and a polite kill cancel, so that what is done is kept.
pub(super) fn interruptible() -> Progress {
    let progress = Progress::default();
    cancelled_by_signals(&progress);
    progress
}

/// A bar of so many steps on stderr; hidden where nobody looks.
pub(super) fn bar(steps: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} {msg}");
    let bar = ProgressBar::new(steps as u64);
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}
