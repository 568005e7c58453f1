//! Changes that change nothing: a number that is set to what it is.

use super::Gpu;
use super::changes::{ChangeAmount, ChangeError, GpuChange, GpuChanges};
use super::gpu_number::GpuNumber;

/// Numbers that differ by less are the same one, typed in another unit.
const SAME: f64 = 1e-9;

impl GpuChanges {
    /// Whether a GPU with them is this one: every number is given the value that it has.
    #[must_use]
    pub fn leave_as_it_is(&self, base: &Gpu) -> bool {
        self.all().iter().all(|change| change.leaves_as_it_is(base))
    }

    /// Refuses a change of something counted that leaves its count on this GPU: +20 % of 2 lanes.
    ///
    /// # Errors
    /// [`ChangeError::RoundedAway`] with the next value that is another one.
    pub fn check_effect(&self, base: &Gpu) -> Result<(), ChangeError> {
        for change in self.all().iter().filter(|change| change.number.is_whole()) {
            let (number, amount) = (change.number, change.amount);
            let Some(stated) = base.number(number) else { continue };
            let typed = amount.applied(stated);
            if typed.round() == stated && !change.leaves_as_it_is(base) {
                let stays = format!("{} {}", number.in_words(stated), number.title());
                let next = ChangeAmount::To(if typed > stated || stated < 2.0 {
                    stated + 1.0
                } else {
                    stated - 1.0
                });
                let [change, next] =
                    [amount, next].map(|a| GpuChanges::default().with(number, a).to_string());
                return Err(ChangeError::RoundedAway(format!(
                    "{}: {change} rounds to {stays}, which it has: nothing is changed; the next value is {next}",
                    base.id
                )));
            }
        }
        Ok(())
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
        let effect = |typed: &str| typed.parse::<GpuChanges>().unwrap().check_effect(base);
        let why = effect("mem=+10%,fp64-lanes=+20%").unwrap_err().to_string();
        let said = "fp64-lanes=+20% rounds to 2 FP64 lanes per SM, which it has: nothing is changed; the next value is fp64-lanes=3";
        assert_eq!(why, format!("rtx-4070: {said}"));
        assert!(effect("sms=-1%").unwrap_err().to_string().ends_with("sms=45"));
        assert_eq!(
            (effect("fp64-lanes=+30%"), effect("sms=46"), effect("l2=+0.1%")),
            (Ok(()), Ok(()), Ok(()))
        );
        let same = |typed: &str| {
            base.is_same_board_and_settings(&base.changed(&typed.parse().unwrap(), "mine").unwrap())
        };
        assert!(same("sms=46") && !same("sms=47") && !same("sms=46,l2=40MiB"));
    }
}
