//! What one GPU brings to a question, whatever the other is.

use super::excess::Pace;
use super::transfer::LaunchRoof;
use crate::pair::Pair;
use crate::roofline::ABOVE_STATED_CLOCK;
use std::cmp::Ordering;

/// What one GPU brings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct End {
    pub(super) roof: LaunchRoof,
    /// The rates that the time above the roof may go with.
    pub(super) pace: Pace,
    /// Seconds per launch.
    pub(super) floor: f64,
    /// Whether the floor is of this very GPU.
    pub(super) knows_floor: bool,
    /// Whether nobody knows the registers of this build.
    pub(super) unknown_build: bool,
    /// The modelled time of the operator in seconds, where it is one.
    pub(super) operator: Option<f64>,
    /// ln of how much less this GPU issues of the work's code because fetching it is slower.
    pub(super) slower_supply: f64,
    /// What a library's kernels reach of this GPU's FP32 rate beside older GPUs, 0 to 1.
    pub(super) library_share: f64,
    /// ln of how many times the FLOPs of FP32 its tensor cores do; 0 where it has none, and where the type of such a kernel is stated.
    pub(super) ln_tensor_lead: f64,
    /// Whether DRAM binds on a board whose ECC may have been switched off.
    pub(super) may_lack_ecc: bool,
}

impl End {
    /// Whether the other is of more of some numbers and less of none, or of less and more of none; `None` where neither is so.
    pub(super) fn is_changed_to(&self, other: &Self) -> Option<Ordering> {
        self.is_changed_beyond(1.0, other)
    }

    /// The same where modelled times of an operator this many times apart are alike: whole tiles fit the SMs of one board better than another's.
    pub(super) fn is_changed_beyond(&self, alike: f64, other: &Self) -> Option<Ordering> {
        let of_roofs = Pair::new(self.roof.time, other.roof.time);
        let operators = self.operator.zip(other.operator).map(|(own, other)| Pair::new(own, other));
        let is_alike =
            operators.is_some_and(|Pair { source, target }| (source / target).max(target / source) <= alike);
        let times = operators.unwrap_or(of_roofs);
        let roofs = if is_alike { Ordering::Equal } else { times.source.partial_cmp(&times.target)? };
        match (self.pace.is_changed_to(&other.pace)?, roofs) {
            (Ordering::Equal, Ordering::Equal) => None,
            (Ordering::Equal, of_roof) => Some(of_roof),
            (of_rates, of_roof) => (of_roof == Ordering::Equal || of_roof == of_rates).then_some(of_rates),
        }
    }

    /// Seconds of the work's FLOPs on lanes of a board that runs as far above its stated clock as any.
    #[inline]
    pub(super) fn flops_above_clock(&self) -> f64 {
        self.roof.flops_at_peak / ABOVE_STATED_CLOCK
    }
}
