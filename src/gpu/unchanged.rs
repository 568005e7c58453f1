//! Changes that change nothing: a number that is set to what it is.

use super::Gpu;
use super::changes::{ChangeAmount, GpuChange, GpuChanges, GpuNumber};

/// Numbers that differ by less are the same one, typed in another unit.
const SAME: f64 = 1e-9;

impl GpuChanges {
    /// Whether a GPU with them is this one: every number is given the value that it has.
    #[must_use]
    pub fn leave_as_it_is(&self, base: &Gpu) -> bool {
        self.all().iter().all(|change| change.leaves_as_it_is(base))
    }
}

impl GpuChange {
    /// Whether this GPU has this value. A launch overhead that is set holds whatever the launches of a host took, and is a change.
    pub(super) fn leaves_as_it_is(&self, base: &Gpu) -> bool {
        let sets_launch =
            self.number == GpuNumber::LaunchOverhead && matches!(self.amount, ChangeAmount::To(_));
        let is_same = |stated: f64| (self.amount.applied(stated) / stated - 1.0).abs() < SAME;
        !sets_launch && base.number(self.number).is_some_and(is_same)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::shipped_sources;
    use crate::gpu::{LimitsTable, load_shipped};

    #[test]
    fn a_number_set_to_what_it_is_is_no_change() {
        let (gpus, _) = load_shipped(&shipped_sources().unwrap(), &LimitsTable::shipped().unwrap());
        let base = gpus.entry_named("rtx-4070").unwrap();
        let leaves = |typed: &str| typed.parse::<GpuChanges>().unwrap().leave_as_it_is(base);
        assert!(leaves("sms=46") && leaves("l2=36MiB,mem=504GB/s") && leaves("mem=+0%"));
        assert!(!leaves("sms=47") && !leaves("sms=46,mem=505GB/s") && !leaves("launch=8.67us"));
        let same = |typed: &str| {
            base.is_same_board_and_settings(&base.changed(&typed.parse().unwrap(), "mine").unwrap())
        };
        assert!(same("sms=46") && !same("sms=47") && !same("sms=46,l2=40MiB"));
    }
}
