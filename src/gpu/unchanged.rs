//! What numbers of a GPU are counted in, and changes that change nothing: a number that is set to what it is.

use super::Gpu;
use super::changes::{ChangeAmount, ChangeError, GpuChange, GpuChanges};
use super::gpu_number::GpuNumber;

/// Numbers that differ by less are the same one, typed in another unit.
const SAME: f64 = 1e-9;

/// Bits of a memory channel: of HBM one of the eight of a stack, of GDDR and LPDDR that of one chip's half.
const HBM_CHANNEL: f64 = 128.0;
const GDDR_CHANNEL: f64 = 32.0;

impl Gpu {
    /// What this number is counted in: a memory bus by whole channels, SMs one by one; `None` of what is no count.
    #[must_use]
    pub fn counted_in(&self, number: GpuNumber) -> Option<f64> {
        let channel = if self.memory_type.starts_with("HBM") { HBM_CHANNEL } else { GDDR_CHANNEL };
        let unit = if number == GpuNumber::BusBits { channel } else { 1.0 };
        number.is_whole().then_some(unit)
    }
}

impl GpuChanges {
    /// Whether a GPU with them is this one: every number is given the value that it has.
    #[must_use]
    pub fn leave_as_it_is(&self, base: &Gpu) -> bool {
        self.all().iter().all(|change| change.leaves_as_it_is(base))
    }

    /// Refuses a change of something counted that leaves its count on this GPU, +20 % of 2 lanes, and a memory bus without whole channels.
    ///
    /// # Errors
    /// [`ChangeError::RoundedAway`] with the next value that is another one, [`ChangeError::NoWholeChannels`] with those beside it.
    pub fn check_effect(&self, base: &Gpu) -> Result<(), ChangeError> {
        let changed = self.all().iter().filter(|change| !change.leaves_as_it_is(base));
        for GpuChange { number, amount } in changed {
            let counted = base.counted_in(*number).zip(base.number(*number));
            let Some((unit, stated)) = counted else { continue };
            let as_typed = |amount| GpuChanges::default().with(*number, amount).to_string();
            let typed = amount.applied(stated);
            if typed.round() == stated {
                let next = if typed > stated || stated < 2.0 * unit { stated + unit } else { stated - unit };
                let stays = format!("{} {}", number.in_words(stated), number.title());
                let [change, next] = [*amount, ChangeAmount::To(next)].map(as_typed);
                return Err(ChangeError::RoundedAway(format!(
                    "{}: {change} rounds to {stays}, which it has: nothing is changed; the next value is {next}",
                    base.id
                )));
            }
            let units = typed.round() / unit;
            if units.fract() != 0.0 {
                let beside =
                    [units.floor().max(1.0), units.ceil()].map(|n| as_typed(ChangeAmount::To(n * unit)));
                let change = as_typed(*amount);
                let in_bits =
                    if change.ends_with("bit") { String::new() } else { format!(" is {typed:.0} bit") };
                return Err(ChangeError::NoWholeChannels(format!(
                    "{}: {change}{in_bits}: a bus has whole memory channels of {unit} bit ({}); nearest: {}",
                    base.id,
                    base.memory_type,
                    beside.join(", ")
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
        assert!(effect("bus=+0.1%").unwrap_err().to_string().ends_with("the next value is bus=224bit"));
        let same = |typed: &str| {
            base.is_same_board_and_settings(&base.changed(&typed.parse().unwrap(), "mine").unwrap())
        };
        assert!(same("sms=46") && !same("sms=47") && !same("sms=46,l2=40MiB"));
    }

    #[test]
    fn a_memory_bus_has_whole_channels() {
        let (gpus, _) = load_shipped(&shipped_sources().unwrap(), &LimitsTable::shipped().unwrap());
        for gpu in gpus.entries() {
            let unit = gpu.counted_in(GpuNumber::BusBits).unwrap();
            assert_eq!(f64::from(gpu.bus_bits.value) % unit, 0.0, "{}", gpu.id);
        }
        let effect = |gpu: &str, typed: &str| {
            let base = gpus.entry_named(gpu).unwrap();
            typed.parse::<GpuChanges>().unwrap().check_effect(base).map_err(|why| why.to_string())
        };
        for (gpu, typed, said) in [
            (
                "rtx-4070",
                "bus=193bit",
                "rtx-4070: bus=193bit: a bus has whole memory channels of 32 bit (GDDR6X); nearest: bus=192bit, bus=224bit",
            ),
            (
                "rtx-4070",
                "bus=+20%",
                "rtx-4070: bus=+20% is 230 bit: a bus has whole memory channels of 32 bit (GDDR6X); nearest: bus=224bit, bus=256bit",
            ),
            (
                "h100-sxm5",
                "bus=5152",
                "h100-sxm5: bus=5152bit: a bus has whole memory channels of 128 bit (HBM3); nearest: bus=5120bit, bus=5248bit",
            ),
        ] {
            assert_eq!(effect(gpu, typed), Err(said.to_string()));
        }
        for (gpu, typed) in [("rtx-4070", "bus=256bit"), ("rtx-4070", "bus=x2"), ("h100-sxm5", "bus=6144")] {
            assert_eq!(effect(gpu, typed), Ok(()));
        }
    }
}
