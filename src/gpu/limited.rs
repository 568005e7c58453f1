//! A GPU whose power limit is below that of its board. Typed, behind an `@`, or changed: the limit is the same one, and what it does
//! depends on the kernel. The power model finds the clock (`src/power/cap.rs`); the rates at that clock are here.

use super::tuning::{Clocks, Tuning};
use super::{Gpu, TensorRate};
use crate::catalogue::Sourced;
use crate::units::{FlopsPerSecond, Hertz, Watts, significant};
use std::borrow::Cow;

/// A limit that no clock is low enough for.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{gpu}: power limit {} W is too low: it draws {} W with its SMs at a tenth of their clock (modelled)", significant(limit.0), significant(least.0))]
pub struct LimitTooLow {
    /// The GPU's id.
    pub gpu: String,
    /// The limit.
    pub limit: Watts,
    /// What the board draws at the lowest clock that a limit is followed to.
    pub least: Watts,
}

impl Gpu {
    /// Clocks and limit of the board it was made from; its own where it is no other board at other settings.
    #[must_use]
    pub fn stated_clocks(&self) -> Clocks {
        self.stated.unwrap_or_else(|| self.clocks())
    }

    /// The limit of its board, where its own is lower; `None` for every other GPU.
    #[must_use]
    pub fn lowered_from(&self) -> Option<Watts> {
        let board = self.stated_clocks().power_limit;
        (self.power_limit.value < board).then_some(board)
    }

    /// The limit of its board, where its own is another one; `None` for every other GPU.
    #[must_use]
    pub fn other_limit(&self) -> Option<Watts> {
        let board = self.stated_clocks().power_limit;
        (self.power_limit.value != board).then_some(board)
    }

    /// This GPU under the limit of its board; `None` where its own is no lower one.
    #[must_use]
    pub fn at_own_limit(&self) -> Option<Self> {
        let power_limit = self.lowered_from()?;
        let mut gpu = self.clone();
        // A lower one changed no rate.
        gpu.power_limit.value = power_limit;
        Some(gpu)
    }

    /// Notes the settings of the board this GPU was made from, where they are other ones.
    pub(super) fn keep_stated_clocks(&mut self, board: &Self) {
        if self.clocks() != board.clocks() {
            self.stated = Some(board.stated_clocks());
        }
    }

    /// Notes what its SM clock does to the part of the FP32 peak that the board it was made from sustains.
    pub(super) fn keep_clock_gain(&mut self, board: &Self) {
        let part = |gpu: &Self| gpu.sustained.fp32.value / gpu.fp32_peak.value;
        if self.boost_clock.value != board.boost_clock.value {
            self.sustained.clock_gain = board.sustained.clock_gain * part(self) / part(board);
        }
    }

    /// This GPU at the SM clock of its board, the power limit and everything else its own.
    #[must_use]
    pub fn at_clock_of_board(&self) -> Cow<'_, Self> {
        let ratio = self.stated_clocks().sm / self.boost_clock.value;
        if ratio == 1.0 {
            return Cow::Borrowed(self);
        }
        let mut board = self.at_clock_share(ratio);
        board.sustained.is_clock_held = false;
        board.sustained.fp32.value.0 /= self.sustained.clock_gain;
        Cow::Owned(board)
    }

    /// The board that this GPU was made from, at its SM clock and at the memory clock that it has over the stated one; itself where it is no other one.
    #[must_use]
    pub fn board_at_settings(&self) -> Cow<'_, Self> {
        if self.is_board_at_settings() {
            return Cow::Borrowed(self);
        }
        let Clocks { sm, mem, .. } = self.clocks();
        let mem = Hertz(mem.0 / self.memory_gain());
        let tuning = Tuning { sm_clock: Some(sm), mem_clock: Some(mem), power_limit: None };
        let board = self.existing();
        // A clock out of the board's range is one of a made GPU alone.
        board.tuned(tuning).map_or(Cow::Borrowed(board), Cow::Owned)
    }

    /// This GPU at a share of its SM clock, with no less of the FP32 rate than `board` sustains: a higher clock that was typed takes nothing away.
    #[must_use]
    pub fn no_slower_than(&self, board: &Self, share: f64) -> Self {
        let mut gpu = self.at_clock_share(share);
        let rate = &mut gpu.sustained.fp32.value.0;
        *rate = rate.max(board.sustained.fp32.value.0);
        gpu
    }

    /// This GPU under a limit that leaves `board` ([`Self::at_clock_of_board`]) a share of its SM clock: at that clock where its own is no lower, else
    /// at its own with no more of the FP32 rate than is left there; `None` where that takes nothing of it.
    #[must_use]
    pub fn no_faster_than(&self, board: &Self, share: f64) -> Option<Self> {
        if share * board.boost_clock.value.0 <= self.boost_clock.value.0 {
            return (share < 1.0).then(|| board.at_clock_share(share));
        }
        let left = share * board.sustained.fp32.value.0;
        (left < self.sustained.fp32.value.0).then(|| {
            let mut gpu = self.clone();
            gpu.sustained.fp32.value.0 = left;
            gpu
        })
    }

    /// This GPU at a share of its SM clock, everything that runs with the SMs slower by as much. The part of the FP32 peak that its
    /// board sustains stays: the power that a lower clock would free is what the limit takes.
    #[must_use]
    pub fn at_clock_share(&self, share: f64) -> Self {
        let mut gpu = self.clone();
        gpu.stated = Some(self.stated_clocks());
        gpu.sustained.is_clock_held = share < 1.0;
        let slower = |rate: &mut Sourced<FlopsPerSecond>| rate.value.0 *= share;
        gpu.boost_clock.value = Hertz(gpu.boost_clock.value.0 * share);
        slower(&mut gpu.fp32_peak);
        slower(&mut gpu.sustained.fp32);
        slower(&mut gpu.sustained.int32);
        let rates = [
            &mut gpu.fp32_achieved,
            &mut gpu.fp64_peak,
            &mut gpu.fp64_achieved,
            &mut gpu.fp16_peak,
            &mut gpu.fp16_achieved,
        ];
        rates.into_iter().flatten().for_each(slower);
        let tensor_rates = |tensor: &'_ mut TensorRate| {
            [&mut tensor.dense, &mut tensor.sparse].into_iter().flatten().for_each(slower);
        };
        gpu.tensor.iter_mut().for_each(tensor_rates);
        gpu.sustained.l2.value.0 *= share;
        for bandwidth in [&mut gpu.l2_bandwidth, &mut gpu.l1_achieved].into_iter().flatten() {
            bandwidth.value.0 *= share;
        }
        gpu
    }
}

#[cfg(test)]
mod tests {
    use super::super::{LimitsTable, load_shipped};
    use super::*;
    use crate::catalogue::shipped_sources;

    #[test]
    fn every_way_to_lower_a_limit_keeps_the_rates_and_the_limit_of_the_board() {
        let gpus = load_shipped(&shipped_sources().unwrap(), &LimitsTable::shipped().unwrap()).0;
        let board = gpus.entry_named("rtx-4090").unwrap();
        let typed = board.tuned("power=200W".parse().unwrap()).unwrap();
        let changed = board.changed(&"power=200W".parse().unwrap(), "mine").unwrap();
        let named = super::super::derived_gpu(&gpus, "rtx-4090@200W").unwrap().unwrap();
        for made in [&typed, &changed, &named] {
            assert_eq!(made.lowered_from(), Some(Watts(450.0)), "{}", made.id);
            assert_eq!(made.fp32_sustained().value, board.fp32_sustained().value, "{}", made.id);
            let lower = made.changed(&"power=-20%".parse().unwrap(), "lower").unwrap();
            assert_eq!((lower.power_limit.value, lower.lowered_from()), (Watts(160.0), Some(Watts(450.0))));
        }
        assert_eq!(board.lowered_from(), None);
        let higher = board.changed(&"power=+10%".parse().unwrap(), "higher").unwrap();
        assert_eq!(higher.lowered_from(), None);
    }

    #[test]
    fn a_share_of_the_clock_is_that_share_of_every_rate_of_the_sms() {
        let gpus = load_shipped(&shipped_sources().unwrap(), &LimitsTable::shipped().unwrap()).0;
        let board = gpus.entry_named("h100-sxm5").unwrap();
        let half = board.at_clock_share(0.5);
        assert_eq!(half.boost_clock.value.0, 0.5 * board.boost_clock.value.0);
        assert_eq!(half.fp32_sustained_part(), board.fp32_sustained_part());
        assert_eq!(half.l2_bandwidth_or_derived().value.0, 0.5 * board.l2_bandwidth_or_derived().value.0);
        assert_eq!(half.bandwidth_sustained().value, board.bandwidth_sustained().value);
        assert_eq!(half.stated_clocks(), board.clocks());
    }
}
