//! Clocks and power limits that were typed, laid over the catalogue: whatever is asked afterwards is modelled at them.

use super::Session;
use crate::catalogue::{Catalogue, NameError};
use crate::gpu::{Gpu, GpuId, Tuning, TuningError, clock, power};
use crate::power::check_board_limit;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Settings as the command line types them, each `[GPU=]VALUE`; without a GPU they are the targets'.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TypedTunings {
    /// SM clocks.
    pub sm_clock: Vec<String>,
    /// Memory clocks.
    pub mem_clock: Vec<String>,
    /// Power limits.
    pub power_limit: Vec<String>,
}

/// Why typed settings cannot be followed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TuneError {
    /// No GPU of that name.
    #[error("{flag}: {error}")]
    Name {
        /// `--sm-clock`.
        flag: &'static str,
        /// Which there are.
        error: NameError,
    },
    /// A value that is none, or that no such board could be set to.
    #[error("{flag}: {error}")]
    Value {
        /// `--sm-clock`.
        flag: &'static str,
        /// What was expected.
        error: TuningError,
    },
    /// No GPU to set it for.
    #[error("{flag} {typed}: names no GPU, and there is no target; write GPU={typed}")]
    NoGpu {
        /// `--sm-clock`.
        flag: &'static str,
        /// As typed.
        typed: String,
    },
}

impl TypedTunings {
    /// Lays them over the session's GPUs.
    ///
    /// # Errors
    /// [`TuneError`] with flag, value and what was expected; the session is unchanged then.
    pub fn lay(&self, session: &mut Session, targets: &[GpuId]) -> Result<(), TuneError> {
        let mut all: BTreeMap<GpuId, Tuning> = session.tunings();
        let flags = [
            ("--sm-clock", &self.sm_clock),
            ("--mem-clock", &self.mem_clock),
            ("--power-limit", &self.power_limit),
        ];
        let mut flag_of = BTreeMap::new();
        for (flag, texts) in flags {
            for text in texts {
                let (gpus, value) = whose(session, flag, text, targets)?;
                let refuse = |error| TuneError::Value { flag, error };
                for gpu in gpus {
                    let tuning = all.entry(gpu).or_default();
                    match flag {
                        "--sm-clock" => tuning.sm_clock = Some(clock(value).map_err(refuse)?),
                        "--mem-clock" => tuning.mem_clock = Some(clock(value).map_err(refuse)?),
                        _ => tuning.power_limit = Some(power(value).map_err(refuse)?),
                    }
                    // Tried at once, so that the flag to blame is known.
                    session.tuned_gpu(gpu, *tuning).map_err(refuse)?;
                    flag_of.insert(gpu, flag);
                }
            }
        }
        for (gpu, tuning) in all {
            let flag = flag_of.get(&gpu).copied().unwrap_or("--sm-clock");
            session.tune(gpu, tuning).map_err(|error| TuneError::Value { flag, error })?;
        }
        Ok(())
    }
}

/// The GPUs that `[GPU=]VALUE` is about, and the value.
fn whose<'t>(
    session: &Session,
    flag: &'static str,
    text: &'t str,
    targets: &[GpuId],
) -> Result<(Vec<GpuId>, &'t str), TuneError> {
    match text.rsplit_once('=') {
        Some((name, value)) => {
            let at = session.gpus.position(name).map_err(|error| TuneError::Name { flag, error })?;
            Ok((vec![at], value))
        }
        None if targets.is_empty() => {
            Err(TuneError::NoGpu { flag, typed: crate::text::clipped_text(text, 40) })
        }
        None => Ok((targets.to_vec(), text)),
    }
}

impl Session {
    /// This GPU as its documents state it; the edited one, of which no document is, as it is edited.
    #[must_use]
    pub fn stock(&self, gpu: GpuId) -> &Gpu {
        self.stock_gpus().entry(gpu).unwrap_or(&self.gpus[gpu])
    }

    /// The GPUs as their documents state them: measurements are judged by these.
    #[must_use]
    pub fn stock_gpus(&self) -> &Catalogue<Gpu> {
        &self.workspace.gpus
    }

    /// What was typed, by GPU.
    #[must_use]
    pub fn tunings(&self) -> BTreeMap<GpuId, Tuning> {
        self.typed.iter().map(|(at, (_, tuning))| (*at, *tuning)).collect()
    }

    /// The clocks and limits typed for this GPU, where some were.
    #[must_use]
    pub fn tuning(&self, gpu: GpuId) -> Option<Tuning> {
        self.typed.get(&gpu).map(|(_, tuning)| *tuning)
    }

    /// This GPU at these clocks and this limit.
    ///
    /// # Errors
    /// [`TuningError`] for a clock or limit that no such board could be set to.
    pub fn tuned_gpu(&self, gpu: GpuId, tuning: Tuning) -> Result<Gpu, TuningError> {
        let made = self.stock(gpu).tuned(tuning)?;
        check_board_limit(&made)?;
        Ok(made)
    }

    /// Sets this GPU to these clocks from now on; to those of its documents where nothing is typed.
    ///
    /// # Errors
    /// [`TuningError`] for a clock or limit that no such board could be set to; nothing is changed then.
    pub fn tune(&mut self, gpu: GpuId, tuning: Tuning) -> Result<(), TuningError> {
        let stock = self.stock(gpu).clone();
        let new = if tuning.is_none() { stock.clone() } else { self.tuned_gpu(gpu, tuning)? };
        self.typed.remove(&gpu);
        if !tuning.is_none() {
            self.typed.insert(gpu, (stock, tuning));
        }
        // The same names as before: they cannot clash.
        let replaced = Arc::make_mut(&mut self.gpus).insert(new);
        debug_assert!(replaced.is_ok(), "{replaced:?}");
        Ok(())
    }

    /// Sets exactly these tunings, and no others; those that a GPU refuses are left out.
    pub fn tune_all(&mut self, tunings: &BTreeMap<GpuId, Tuning>) {
        if self.tunings() == *tunings {
            return;
        }
        let old: Vec<GpuId> = self.typed.keys().filter(|at| !tunings.contains_key(at)).copied().collect();
        let all =
            old.into_iter().map(|at| (at, Tuning::default())).chain(tunings.iter().map(|(a, t)| (*a, *t)));
        for (at, tuning) in all {
            // Whoever made them tried them: see `TypedTunings::lay` and the dashboard's prompt.
            let _ = self.tune(at, tuning);
        }
    }
}
