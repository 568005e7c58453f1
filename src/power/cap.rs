//! What a power limit does to the SM clock under a load: the highest clock at which the board's terms stay within the limit.
//!
//! One function for every way to say a limit (`--power-limit 150W`, `rtx-4090@150W`, `:power 150W`, `--set power=150W`) and for whoever
//! asks: [`gpu_at_limit`], and [`PowerModel::capped_share`] behind it. A limit above what the kernel draws does nothing; the less a kernel keeps busy, the less it draws.
//! Published for a board in no fit: an RTX 4090 that drew 347 W at 2,726 MHz ran at 2,443 MHz under 60 % of its limit and drew 268 W
//! (five games, Quasarzone 2022, as Hardware Times reports): a share of 0.896 of the clock; the model leaves 0.845.

use super::{Load, PowerModel};
use crate::gpu::{
    ChangeError, Clocks, Gpu, GpuChanges, GpuNumber, LimitTooLow, POWER_LIMIT, RefusedSetting, TuningError,
    most_power,
};
use crate::units::{Hertz, Watts, significant};
use std::sync::LazyLock;

/// The fit that ships, read once; `None` where its table is damaged (a test reads it).
static SHIPPED: LazyLock<Option<PowerModel>> = LazyLock::new(|| PowerModel::shipped().ok());

/// The lowest share of the SM clock that a limit is followed to.
const LEAST_CLOCK: f64 = 0.02;

/// The share of its clock at which a board must be able to run some kernel under a limit: boards refuse lower limits. What it makes (86 W of an RTX 3090, 88 of
/// an L40S, 111 of an RTX 4090) is a little below the lowest limits that nvidia-smi names (100, 100, 150: from memory).
const RUNS_AT: f64 = 0.1;

/// Bisections: a part in four thousand of the clock.
const STEPS: usize = 12;

/// [`PowerModel::check_limit`] by the fit that ships.
///
/// # Errors
/// [`LimitTooLow`] with both numbers.
pub fn check_board_limit(gpu: &Gpu) -> Result<(), LimitTooLow> {
    PowerModel::shipped_once().map_or(Ok(()), |model| model.check_limit(gpu))
}

/// A refused setting of this board: of a power limit with the lowest one as the lower end of the range.
#[must_use]
pub fn with_lowest_limit(why: TuningError, board: &Gpu) -> TuningError {
    let Some(model) = PowerModel::shipped_once() else { return why };
    match why {
        TuningError::OutOfRange(refused) if refused.what == POWER_LIMIT => {
            let most = most_power(board.power_limit.value);
            let range = format!("{}, at most {} W", model.lowest_limit_words(board), significant(most.0));
            TuningError::OutOfRange(Box::new(RefusedSetting { range, ..*refused }))
        }
        other => other,
    }
}

/// This GPU as its power limit leaves it under a kernel's load, where that is another one: at a lower clock where the kernel wants more
/// than the limit, and as its board where it wants less than a lower limit, so that this does nothing. Under a higher one it is as it is: its
/// sustained rates are those of that limit. `load_on` gives the load on such a GPU, `None` where nothing runs.
pub fn gpu_at_limit(gpu: &Gpu, mut load_on: impl FnMut(&Gpu) -> Option<Load>) -> Option<Gpu> {
    gpu.other_limit()?;
    let model = PowerModel::shipped_once()?;
    if let Some(slower) = model.capped_gpu(gpu, &mut load_on) {
        return Some(slower);
    }
    let board = gpu.at_own_limit()?;
    let wanted = model.estimate(&board, board.clocks(), &load_on(&board)?).wanted;
    (wanted <= gpu.power_limit.value).then_some(board)
}

impl PowerModel {
    /// The fit that ships, read once.
    #[must_use]
    pub fn shipped_once() -> Option<&'static Self> {
        SHIPPED.as_ref()
    }

    /// Refuses a GPU whose limit was lowered below what its board draws at the lowest clock: boards refuse such a limit as well.
    ///
    /// # Errors
    /// [`LimitTooLow`] with both numbers.
    pub fn check_limit(&self, gpu: &Gpu) -> Result<(), LimitTooLow> {
        let (limit, least) = (gpu.power_limit.value, self.lowest_limit_of(gpu));
        if gpu.lowered_from().is_none() || limit >= least {
            return Ok(());
        }
        Err(LimitTooLow { gpu: gpu.id.clone(), limit, least })
    }

    /// This GPU with these numbers changed, under this id; a limit too low for the board is refused too.
    ///
    /// # Errors
    /// [`ChangeError`] for changes that cannot be made.
    pub fn changed_gpu(base: &Gpu, changes: &GpuChanges, id: &str) -> Result<Gpu, ChangeError> {
        let made = base.changed(changes, id).map_err(|why| Self::with_least_limit(why, base))?;
        check_board_limit(&made).map_err(|why| LimitTooLow { gpu: base.id.clone(), ..why })?;
        Ok(made)
    }

    /// A refused change of this board: of a power limit with the lowest one as the lower end of the range.
    fn with_least_limit(why: ChangeError, board: &Gpu) -> ChangeError {
        let Some(model) = Self::shipped_once() else { return why };
        match why {
            ChangeError::OutOfRange {
                gpu,
                number: number @ GpuNumber::PowerLimit,
                value,
                most,
                stated,
                ..
            } => {
                let least = format!("{}, up", model.lowest_limit_words(board));
                ChangeError::OutOfRange { gpu, number, value, least, most, stated }
            }
            other => other,
        }
    }

    /// `at least 62.3 W (SMs at a tenth of their clock, modelled)`: what a limit of this board must be.
    fn lowest_limit_words(&self, board: &Gpu) -> String {
        let least = significant(self.lowest_limit_of(board).0);
        format!("at least {least} W (SMs at a tenth of their clock, modelled)")
    }

    /// What this board draws with a block on every SM at a tenth of its clock: the lowest limit there is.
    #[must_use]
    pub fn lowest_limit_of(&self, gpu: &Gpu) -> Watts {
        let stated = gpu.stated_clocks();
        let clocks = Clocks { sm: Hertz(RUNS_AT * stated.sm.0), ..stated };
        self.estimate(gpu, clocks, &Load::of_all_sms()).wanted
    }

    /// What this board draws idle: its own measured power, else the fitted share of its limit.
    #[must_use]
    pub fn idle_power(&self, gpu: &Gpu) -> Watts {
        let assumed = || Watts(self.shares.idle * gpu.stated_clocks().power_limit.0);
        gpu.idle_power.as_ref().map_or_else(assumed, |p| p.value)
    }

    /// This GPU as its lower limit leaves it under a load that `load_on` gives, where that is less than it has. What a limit leaves is the same clock
    /// whatever SM clock was typed: that of the board is lowered, and one that lies below it already takes nothing more.
    fn capped_gpu(&self, gpu: &Gpu, mut load_on: impl FnMut(&Gpu) -> Option<Load>) -> Option<Gpu> {
        let mut share_of = |gpu: &Gpu| {
            let on_board = gpu.lowered_from().and_then(|_| load_on(&gpu.board_at_settings()));
            on_board.map_or(1.0, |load| {
                self.capped_share(gpu, &load, |share| load_on(&gpu.at_clock_share(share)))
            })
        };
        let board = gpu.at_clock_of_board();
        let share = share_of(&board);
        let is_faster = gpu.boost_clock.value > board.boost_clock.value;
        if share < 1.0 || !is_faster {
            return gpu.no_faster_than(&board, share);
        }
        let left = share_of(gpu).max(board.boost_clock.value / gpu.boost_clock.value);
        (left < 1.0).then(|| gpu.no_slower_than(&board, left))
    }

    /// What the terms of this GPU may add up to under its limit, where they are these on its board without it; infinite where the limit is no lower one. Where
    /// they are more than the board's own limit already, a time is one under that limit: SMs draw that part of what they want which the lower limit leaves of
    /// what the board's leaves them, beside idle power and memory.
    fn allowed_power(&self, gpu: &Gpu, on_board: &Load) -> f64 {
        let Some(of_board) = gpu.lowered_from() else { return f64::INFINITY };
        let (board, limit) = (gpu.board_at_settings(), gpu.power_limit.value.0);
        let wanted = |load: &Load| self.estimate(&board, board.clocks(), load).wanted.0;
        let of_memory = wanted(&Load { dram_per_s: on_board.dram_per_s, ..Load::default() });
        let beyond_board = ((wanted(on_board) - of_memory) / (of_board.0 - of_memory)).max(1.0);
        limit.max(of_memory + beyond_board * (limit - of_memory))
    }

    /// The share of its SM clock, at most 1, that the limit of this GPU leaves it under a load that depends on that clock: `load_at`
    /// gives the load at a share of it, `None` where nothing runs; `on_board`: that on its board without the limit. 1 for a GPU whose limit is its board's.
    pub fn capped_share(
        &self,
        gpu: &Gpu,
        on_board: &Load,
        mut load_at: impl FnMut(f64) -> Option<Load>,
    ) -> f64 {
        let allowed = self.allowed_power(gpu, on_board);
        let Some(full_load) = load_at(1.0) else { return 1.0 };
        let now = gpu.clocks();
        let wanted = |load: &Load, share: f64| {
            let clocks = Clocks { sm: Hertz(now.sm.0 * share), ..now };
            self.estimate(gpu, clocks, load).wanted.0
        };
        let at_full_clock = wanted(&full_load, 1.0);
        if at_full_clock <= allowed {
            return 1.0;
        }
        let (mut low, mut high) = ((LEAST_CLOCK, None), (1.0, at_full_clock));
        for _ in 0..STEPS {
            let middle = 0.5 * (low.0 + high.0);
            match load_at(middle).map(|load| wanted(&load, middle)) {
                Some(watts) if watts <= allowed => low = (middle, Some(watts)),
                watts => high = (middle, watts.unwrap_or(f64::INFINITY)),
            }
        }
        // Between the last two clocks power goes with the clock: a step would make more SMs look slower.
        let between = low.1.map_or(0.0, |watts| (allowed - watts) / (high.1 - watts));
        low.0 + (high.0 - low.0) * between
    }

    /// The share of its SM clock that the limit leaves a GPU whose FP32 lanes do all they sustain: for work that nobody counted.
    #[must_use]
    pub fn busy_share(&self, gpu: &Gpu) -> f64 {
        let busy = |gpu: &Gpu| Load { flops_per_s: gpu.fp32_sustained().value.0, ..Load::of_all_sms() };
        let capped = self.capped_gpu(gpu, |gpu| Some(busy(gpu)));
        capped.map_or(1.0, |capped| capped.boost_clock.value / gpu.boost_clock.value)
    }
}
