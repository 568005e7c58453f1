//! A kernel whose element type nobody stated: FP32 is assumed, and tensor cores may do it.
//!
//! FLOPs near the rate of the source's lanes are as likely those of tensor cores: few kernels come nearer than 0.8 to it, and 1.3 times as much no lanes do
//! (`ABOVE_STATED_CLOCK`): loops on registers, which move next to no bytes. In between the body goes from one reading to the other, and the interval reaches both. Where FLOPs were not counted either, the time above
//! the roof may be tensor cores' on any GPU that has some.

use super::end::End;
use super::excess::Excess;
use super::transfer::TimeOverRoof;
use crate::roofline::ABOVE_STATED_CLOCK;

/// The share of the lanes' rate from which on FLOPs are as likely those of tensor cores: less of it says less. Of BF16 products of three GPUs without their type
/// intervals held 76 % without such a doubt.
const AS_LIKELY: f64 = 0.4;

/// The share from which on they are taken for those of tensor cores in part.
const IN_PART: f64 = 0.8;

/// How far a time of which nothing was counted may be theirs, 0 to 1: with 1 those of FP8 products hold 100 % in thirteen times the width.
const OF_A_TIME_ALONE: f64 = 0.5;

/// The most that is taken of the other reading, 0 to 1.
const MOST: f64 = 0.95;

/// How far a kernel of an unstated type may be one of tensor cores.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct UnstatedType {
    /// How far it is taken for one, 0 to 1.
    taken: f64,
    /// How far it may be one, 0 to 1.
    may_be: f64,
}

impl UnstatedType {
    /// Of a body of so many seconds on this source.
    pub(super) fn on(source: &End, excess: &Excess, body: f64) -> Self {
        if source.ln_tensor_lead == 0.0 {
            return Self { taken: 0.0, may_be: 0.0 };
        }
        if source.roof.flops_at_peak > 0.0 {
            return Self::reaching(source.roof.flops_at_peak / body).times(excess.product_share);
        }
        let has_roof = source.roof.time > 0.0;
        let may_be = if has_roof { (1.0 - source.roof.time / body).max(0.0) } else { OF_A_TIME_ALONE };
        Self { taken: 0.0, may_be }
    }

    /// Of FLOPs that reach this share of the lanes' rate on a source with tensor cores.
    fn reaching(of_lanes: f64) -> Self {
        let between = |from: f64, to: f64| ((of_lanes - from) / (to - from)).clamp(0.0, 1.0);
        Self { taken: MOST * between(IN_PART, ABOVE_STATED_CLOCK), may_be: between(0.0, AS_LIKELY) }
    }

    fn times(self, share: f64) -> Self {
        Self { taken: share * self.taken, may_be: share * self.may_be }
    }

    /// Whether it may be one at all.
    pub(super) fn may_be(self) -> bool {
        self.may_be > 0.0
    }

    /// The seconds on a target of a body of so many on the source if tensor cores do it: FLOPs that were counted are their roof, and what is above it goes with
    /// the rates of the SMs; those that were not take the time that they take there.
    pub(super) fn on_tensor_cores(body: f64, ends: [&End; 2], excess: &Excess) -> f64 {
        let [source, target] = ends;
        if source.roof.flops_at_peak <= 0.0 {
            let slower = Excess::ln_slower_flops(&source.pace, &target.pace)
                + (source.ln_tensor_lead - target.ln_tensor_lead);
            return (body * slower.exp()).max(target.roof.dram);
        }
        let [from, to] = ends.map(|end| end.roof.dram.max(end.roof.flops_at_peak / end.ln_tensor_lead.exp()));
        let over_roof = TimeOverRoof::as_timed(from, body, excess.uncounted);
        over_roof.under(to, excess.slower(&source.pace, &target.pace, 0.0)).body
    }

    /// A body on the target that is FP32 lanes', as far as it is taken for one of tensor cores, which would take so many seconds.
    pub(super) fn body(self, of_lanes: f64, of_tensors: f64) -> f64 {
        if self.taken == 0.0 { of_lanes } else { of_lanes * (of_tensors / of_lanes).powf(self.taken) }
    }

    /// |ln| of how far this body, [`Self::body`], may lie from the truth: from the reading that is farther from it.
    pub(super) fn doubt(self, body: f64, of_tensors: f64) -> f64 {
        let apart = (of_tensors / body).ln().abs() / (1.0 - self.taken);
        self.may_be * apart * self.taken.max(1.0 - self.taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearer_flops_are_to_more_than_lanes_do_the_more_they_are_those_of_tensor_cores() {
        let bodies = [0.1, 0.7, 0.9, 1.1, 1.3, 2.0].map(|share| UnstatedType::reaching(share).body(8.0, 1.0));
        assert!(bodies.windows(2).all(|pair| pair[1] <= pair[0]), "{bodies:?}");
        assert!(bodies[1] == 8.0 && bodies[5] < 1.2, "{bodies:?}");
    }

    #[test]
    fn the_doubt_reaches_the_reading_that_is_farther() {
        let apart = 8.0_f64.ln();
        for (share, expected) in [(0.2, 0.5 * apart), (0.7, apart), (1.3, MOST * apart)] {
            let unstated = UnstatedType::reaching(share);
            let doubt = unstated.doubt(unstated.body(8.0, 1.0), 1.0);
            assert!((doubt - expected).abs() < 1e-9, "{share}: {doubt}");
        }
        assert_eq!(UnstatedType { taken: 0.0, may_be: 0.0 }.doubt(8.0, 1.0), 0.0);
    }
}
