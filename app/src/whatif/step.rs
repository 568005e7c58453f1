//! One step of a number, up or down: what a held key changes.

use crate::gpu::{ChangeAmount, Gpu, GpuChanges, GpuNumber};

/// A step of a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NumberStep {
    /// Which number.
    pub number: GpuNumber,
    /// In percent of the base's value: steps end on its multiples.
    pub percent: f64,
    /// Whether the number grows.
    pub is_up: bool,
}

impl NumberStep {
    /// The changes after this step: to the next multiple of so many percent of what the base has; of a number that counts things at
    /// least to the next whole one. No step reaches zero. `None` where the base has no such number.
    #[must_use]
    pub fn stepped(self, base: &Gpu, changes: &GpuChanges) -> Option<GpuChanges> {
        let stated = base.number(self.number)?;
        // As typed: what is counted ends beside a multiple.
        let now = changes.get(self.number).map_or(stated, |amount| amount.applied(stated));
        let percent_now = 100.0 * (now / stated - 1.0);
        let steps = percent_now / self.percent;
        // What rounding leaves beside a multiple is that multiple.
        let next = if self.is_up { (steps + 1e-6).floor() + 1.0 } else { (steps - 1e-6).ceil() - 1.0 };
        let percent = self.percent * next;
        let factor = 1.0 + percent / 100.0;
        let changes = changes.clone();
        if percent.abs() < 1e-9 {
            return Some(changes.without(self.number));
        }
        let unit = base.counted_in(self.number);
        // A share of a bus is cut within a channel.
        let is_cut = unit.is_some_and(|unit| (stated * factor).round() % unit != 0.0);
        let is_same_count = unit.is_some() && (stated * factor).round() == now.round();
        if is_same_count || is_cut || factor <= 0.0 {
            let smaller = unit.map_or(now / 2.0, |unit| self.next_count(now.round() / unit) * unit);
            let to_stated = (smaller == stated).then(|| changes.clone().without(self.number));
            return Some(to_stated.unwrap_or_else(|| changes.with(self.number, ChangeAmount::To(smaller))));
        }
        Some(changes.with(self.number, ChangeAmount::By(factor)))
    }

    /// The next whole number on this side, at least one.
    fn next_count(self, now: f64) -> f64 {
        let next = if self.is_up { now.floor() + 1.0 } else { now.ceil() - 1.0 };
        next.max(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Session;

    fn stepped(changes: &str, number: GpuNumber, percent: f64, is_up: bool) -> String {
        let session = Session::load(None).unwrap();
        let base = session.gpus.entry_named("rtx-4070").unwrap();
        let step = NumberStep { number, percent, is_up };
        step.stepped(base, &changes.parse().unwrap()).unwrap().to_string()
    }

    #[test]
    fn steps_end_on_multiples_of_what_the_base_has() {
        use GpuNumber::{Bandwidth, Fp64Lanes, Sms};
        for (before, number, percent, is_up, after) in [
            ("", Bandwidth, 5.0, true, "mem=+5%"),
            ("", GpuNumber::BusBits, 5.0, true, "bus=224bit"),
            ("bus=224bit", GpuNumber::BusBits, 5.0, false, ""),
            ("bus=32bit", GpuNumber::BusBits, 5.0, false, "bus=32bit"),
            ("mem=+5%", Bandwidth, 5.0, true, "mem=+10%"),
            ("mem=+5%", Bandwidth, 5.0, false, ""),
            ("mem=+7%", Bandwidth, 5.0, true, "mem=+10%"),
            ("mem=+7%", Bandwidth, 5.0, false, "mem=+5%"),
            ("mem=+5%", Bandwidth, 25.0, true, "mem=+25%"),
            ("mem=504GB/s", Bandwidth, 25.0, false, "mem=-25%"),
            ("mem=-95%", Bandwidth, 5.0, false, "mem=12.6GB/s"),
            ("sms=+5%", Sms, 5.0, true, "sms=+10%"),
            ("sms=69", Sms, 5.0, true, "sms=+55%"),
            // Two lanes per SM: a twentieth of one is none.
            ("", Fp64Lanes, 5.0, true, "fp64-lanes=3"),
            ("", Fp64Lanes, 5.0, false, "fp64-lanes=1"),
            ("fp64-lanes=1", Fp64Lanes, 5.0, false, "fp64-lanes=1"),
        ] {
            assert_eq!(stepped(before, number, percent, is_up), after, "{before} {number:?} {is_up}");
        }
    }

    #[test]
    fn a_step_there_and_back_is_none_for_every_number() {
        let session = Session::load(None).unwrap();
        for (_, base) in session.gpus.with_ids() {
            for number in GpuNumber::ALL.into_iter().filter(|n| base.number(*n).is_some()) {
                let step = |changes: &GpuChanges, is_up| {
                    NumberStep { number, percent: 25.0, is_up }.stepped(base, changes).unwrap()
                };
                let up = step(&GpuChanges::default(), true);
                let back = step(&up, false);
                let value = |changes: &GpuChanges| changes.value_on(base, number).unwrap();
                assert!(value(&up) > value(&GpuChanges::default()), "{} {number:?}", base.id);
                assert_eq!(value(&back), base.number(number).unwrap(), "{} {number:?}: {back}", base.id);
            }
        }
    }
}
