//! What a power limit does to the SM clock under a load: the highest clock at which the board's terms stay within the limit.

use super::{Load, PowerModel};
use crate::gpu::{ChangeError, Clocks, Gpu, GpuChanges, GpuNumber};
use crate::units::{Hertz, Watts};
use std::sync::LazyLock;

/// The fit that ships, read once; `None` where its table is damaged (a test reads it).
static SHIPPED: LazyLock<Option<PowerModel>> = LazyLock::new(|| PowerModel::shipped().ok());

/// The lowest share of the stated SM clock that a limit is followed to; boards throttle no further before they refuse the limit.
const LEAST_CLOCK: f64 = 0.1;

/// Bisections: a part in four thousand of the clock.
const STEPS: usize = 12;

impl PowerModel {
    /// The fit that ships, read once.
    #[must_use]
    pub fn shipped_once() -> Option<&'static Self> {
        SHIPPED.as_ref()
    }

    /// Refuses a limit that the board's idle power exceeds: no clock is low enough for it.
    ///
    /// # Errors
    /// [`ChangeError::Contradiction`] with both numbers.
    pub fn check_limit(&self, stock: &Gpu, limit: Watts) -> Result<(), ChangeError> {
        let idle = self.idle_power(stock);
        if limit.0 > idle.0 {
            return Ok(());
        }
        let words = |w: Watts| GpuNumber::PowerLimit.in_words(w.0);
        let origin = if stock.idle_power.is_some() { "" } else { " (assumed)" };
        Err(ChangeError::Contradiction {
            gpu: stock.id.clone(),
            first: format!("power limit {}", words(limit)),
            second: format!("idle power {}{origin}", words(idle)),
            advice: "a board cannot be held below it",
        })
    }

    /// This GPU with these numbers changed, under this id; a limit below what the board draws idle is refused too.
    ///
    /// # Errors
    /// [`ChangeError`] for changes that cannot be made.
    pub fn changed_gpu(base: &Gpu, changes: &GpuChanges, id: &str) -> Result<Gpu, ChangeError> {
        let made = base.changed(changes, id)?;
        if let (Some(model), Some(_)) = (Self::shipped_once(), made.lowered_from()) {
            model.check_limit(base, made.power_limit.value)?;
        }
        Ok(made)
    }

    /// What this board draws idle: its own measured power, else the fitted share of its limit.
    #[must_use]
    pub fn idle_power(&self, stock: &Gpu) -> Watts {
        let assumed = || Watts(self.shares.idle * stock.power_limit.value.0);
        stock.idle_power.as_ref().map_or_else(assumed, |p| p.value)
    }

    /// The share of the SM clock, at most 1, that `limit` leaves this board under a load that depends on it: `load_at` gives the load at
    /// a share of the clock, `None` where nothing runs. `stock` is the board as it is without the limit. Where the load wants more
    /// than the stated limit already, its time is one under that limit: the clock falls by what the lower limit takes away beyond it, so
    /// that the stated limit is the identity.
    pub fn capped_clock(
        &self,
        stock: &Gpu,
        limit: Watts,
        mut load_at: impl FnMut(f64) -> Option<Load>,
    ) -> f64 {
        let mut wanted = |share: f64| {
            let load = load_at(share)?;
            let stated = stock.clocks();
            let clocks = Clocks { sm: Hertz(stated.sm.0 * share), ..stated };
            Some(self.estimate(stock, clocks, &load).wanted.0)
        };
        let Some(now) = wanted(1.0) else { return 1.0 };
        let allowed = limit.0 * (now / stock.power_limit.value.0).max(1.0);
        if now <= allowed {
            return 1.0;
        }
        let (mut low, mut high) = (LEAST_CLOCK, 1.0);
        for _ in 0..STEPS {
            let middle = 0.5 * (low + high);
            match wanted(middle) {
                Some(watts) if watts <= allowed => low = middle,
                _ => high = middle,
            }
        }
        low
    }
}
