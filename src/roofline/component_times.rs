//! The times of all components of a launch on one GPU, and what they give together ([`super::components`]).

use super::norms::{NORM, longest, norm_of_longest, norm_of_power, p_norm, root_beside_one, root_of_norm};
use crate::kernel::Count;
use crate::units::Seconds;
use std::ops::RangeInclusive;

/// Shorter times, in seconds, are of a count of a few bytes.
const LEAST_NAMED_S: f64 = 1e-11;

/// A part of the GPU that a kernel keeps busy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Component {
    /// Device memory.
    Dram,
    /// The L2 cache.
    L2,
    /// The L1 path of global loads and stores.
    Global,
    /// The load/store units.
    Lsu,
    /// Shared memory, bank conflicts included.
    Shared,
    /// The floating-point pipes.
    Fp,
    /// The schedulers.
    Issue,
    /// The pipes of integers and logic.
    Alu,
    /// The pipes of special functions and conversions.
    Xu,
    /// The FP64 pipes, beside FLOPs that run on others.
    Fp64,
    /// Atomics on one address.
    Atomics,
}

impl Component {
    /// All components, memory side first.
    pub const ALL: [Self; 11] = [
        Self::Dram,
        Self::L2,
        Self::Global,
        Self::Lsu,
        Self::Shared,
        Self::Fp,
        Self::Issue,
        Self::Alu,
        Self::Xu,
        Self::Fp64,
        Self::Atomics,
    ];

    /// Those that a kernel's formulas count; the others are what a profiler counts beside them.
    pub const OF_FORMULAS: [Self; 8] =
        [Self::Dram, Self::L2, Self::Global, Self::Lsu, Self::Shared, Self::Fp, Self::Issue, Self::Atomics];

    /// The word on screen and in exports, as a limit too.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Dram => "DRAM",
            Self::L2 => "L2",
            Self::Global => "L1",
            Self::Lsu => "LSU",
            Self::Shared => "shared",
            Self::Fp => "compute",
            Self::Issue => "issue",
            Self::Atomics => "atomics",
            Self::Alu => "ALU",
            Self::Xu => "XU",
            Self::Fp64 => "FP64",
        }
    }

    /// The count that keeps it busy.
    #[must_use]
    pub fn component_count(self) -> Count {
        match self {
            Self::Dram => Count::DramBytes,
            Self::L2 => Count::L2Bytes,
            Self::Global => Count::GlobalWarpInsts,
            Self::Lsu => Count::LsuWarpInsts,
            Self::Shared => Count::SmemWavefronts,
            Self::Fp => Count::Flops,
            Self::Issue => Count::WarpInstsIssued,
            Self::Atomics => Count::GlobalAtomicRequests,
            Self::Alu => Count::AluWarpInsts,
            Self::Xu => Count::XuWarpInsts,
            Self::Fp64 => Count::Fp64WarpInsts,
        }
    }
}

/// How the clock under a power limit falls with the share of FP work; the exponent of the rule for φ
/// (`specs/architectures.toml`).
pub(super) const POWER_EXPONENT: f64 = 0.55;

/// The tenth power of what is left at least of components without DRAM: a quarter of them, where the others take next to nothing.
const LEAST_LEFT: f64 = 1e-6;

/// The pipes of the SMs among [`Component::ALL`].
const ON_SMS: RangeInclusive<usize> = Component::Global as usize..=Component::Fp64 as usize;

/// The time of every component in seconds, in the order of [`Component::ALL`], and what they give together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Components {
    times: [f64; Component::ALL.len()],
    /// The place of the longest.
    longest: usize,
    /// Their p-norm.
    norm: f64,
    /// The p-th power of that of the pipes of the SMs.
    power_on_sms: f64,
    /// What the power limit allows; 0 where it binds nothing.
    powered: f64,
    /// The share of FP work, and the part of its rate that pure FP work sustains; 0 where that is all of it.
    share_of_fp: f64,
    power_share: f64,
    /// FLOPs or bytes of DRAM alone at the rates that the GPU states, the longer.
    at_peak: f64,
    /// FLOPs alone at that rate.
    flops_at_peak: f64,
    /// Bytes of DRAM alone at that rate.
    dram_at_peak: f64,
    /// How many times longer they took if less stayed in L2 than is taken to.
    streamed: f64,
    /// How many times longer they take than if more stayed in L2 than is taken to.
    kept: f64,
}

impl Components {
    /// These times in seconds; every other component takes none.
    #[must_use]
    pub fn of_times(times: &[(Component, f64)]) -> Self {
        let mut all = [0.0; Component::ALL.len()];
        for (component, time) in times {
            all[*component as usize] = *time;
        }
        Self::new(all, 1.0, [1.0; 2])
    }

    /// `power_share`: the part of the FP peak that pure FP work sustains; `stated`: the parts that the times of FLOPs and of DRAM rest on, of the
    /// rates that the GPU states.
    #[inline]
    pub(super) fn new(times: [f64; Component::ALL.len()], power_share: f64, stated: [f64; 2]) -> Self {
        let [fp_share, dram_share] = stated;
        let powers = times.map(|time| time.powi(NORM));
        let power_on_sms: f64 = powers[ON_SMS].iter().sum();
        let longest = place_of_longest(&times);
        let norm = norm_of_longest(times[longest], powers.iter().sum());
        let fp = times[Component::Fp as usize];
        let dram_at_peak = dram_share * times[Component::Dram as usize];
        let flops_at_peak = fp_share * fp;
        let at_peak = flops_at_peak.max(dram_at_peak);
        let limited = power_share < 1.0 && fp > 0.0;
        let found = Self {
            times,
            longest,
            norm,
            power_on_sms,
            powered: 0.0,
            share_of_fp: if limited { fp / norm } else { 0.0 },
            power_share,
            at_peak,
            flops_at_peak,
            dram_at_peak,
            streamed: 1.0,
            kept: 1.0,
        };
        if found.may_be_limited(1.0, norm) {
            Self { powered: found.powered(1.0, 1.0), ..found }
        } else {
            found
        }
    }

    /// Whether the power limit may make the components longer than so many seconds where the SMs take so many times as long: by a bound
    /// without a power.
    #[inline]
    fn may_be_limited(&self, factor: f64, seconds: f64) -> bool {
        self.norm * self.share_of_fp.sqrt() * factor > self.power_share * seconds
    }

    /// What the power limit allows, in seconds, where the SMs take so many times as long, and all together.
    #[inline]
    fn powered(&self, factor: f64, longer: f64) -> f64 {
        let share = self.share_of_fp * factor / longer;
        let by_share = self.norm * longer * share.powf(POWER_EXPONENT) / self.power_share;
        // No longer than with the SMs at the clock that FP work alone sustains: there nothing is limited any more.
        let slowed = (factor / self.power_share).powi(NORM) - 1.0;
        least_of_power(by_share, self.norm.powi(NORM) + self.power_on_sms * slowed)
    }

    /// The time of this component.
    #[must_use]
    #[inline]
    pub fn component_time(&self, component: Component) -> Seconds {
        Seconds(self.times[component as usize])
    }

    /// Whether this component takes any time that is worth naming.
    #[must_use]
    pub fn takes_time(&self, component: Component) -> bool {
        self.times[component as usize] >= LEAST_NAMED_S
    }

    /// How many times longer DRAM takes than the longest other component; infinite where there is none, 0 without bytes of DRAM.
    #[must_use]
    #[inline]
    pub fn dram_over_rest(&self) -> f64 {
        let [dram, rest @ ..] = self.times;
        if dram > 0.0 { dram / longest(&rest) } else { 0.0 }
    }

    /// All of them together, in seconds: their p-norm, or what the power limit makes of it.
    #[must_use]
    #[inline]
    pub fn roof(&self) -> f64 {
        self.norm.max(self.powered)
    }

    /// FLOPs or bytes of DRAM alone at the rates that the GPU states, the longer, in seconds: what no launch stays below.
    #[must_use]
    #[inline]
    pub fn at_peak(&self) -> f64 {
        self.at_peak
    }

    /// FLOPs alone at the rate that the GPU states, in seconds.
    #[must_use]
    #[inline]
    pub fn flops_at_peak(&self) -> f64 {
        self.flops_at_peak
    }

    /// Bytes of DRAM alone at the bandwidth that the GPU states, in seconds.
    #[must_use]
    #[inline]
    pub fn dram_at_peak(&self) -> f64 {
        self.dram_at_peak
    }

    /// The same where it is an assumption that DRAM takes no longer: without it DRAM alone takes so many seconds.
    #[must_use]
    #[inline]
    pub(super) fn with_streamed_dram(mut self, seconds: f64) -> Self {
        if self.norm > 0.0 {
            self.streamed = root_beside_one(-self.less_with_dram(seconds), NORM);
        }
        self
    }

    /// The same where it is an assumption that DRAM takes as long: with more in L2 it takes so many seconds.
    #[must_use]
    #[inline]
    pub(super) fn with_kept_dram(mut self, seconds: f64) -> Self {
        if self.norm > 0.0 {
            self.kept = 1.0 / root_beside_one(-self.less_with_dram(seconds).min(1.0 - LEAST_LEFT), NORM);
        }
        self
    }

    /// The part of the p-th power of the norm that goes where DRAM takes so many seconds; below 0 where it grows.
    #[inline]
    fn less_with_dram(&self, seconds: f64) -> f64 {
        (self.times[Component::Dram as usize] / self.norm).powi(NORM) - (seconds / self.norm).powi(NORM)
    }

    /// How many times longer they take together than if a working set that nobody stated is a part of the bytes through L2; 1 where that changes
    /// nothing.
    #[must_use]
    #[inline]
    pub fn kept(&self) -> f64 {
        self.kept
    }

    /// How many times longer they took together if less stayed in L2: nothing where the working set is not known, what a somewhat larger one
    /// leaves where it is; 1 where nothing is taken to stay.
    #[must_use]
    #[inline]
    pub fn streamed(&self) -> f64 {
        self.streamed
    }

    /// All components but DRAM together, in seconds: what grows with the size whether buffers fit L2 or not.
    #[must_use]
    pub fn beside_dram(&self) -> f64 {
        p_norm(&self.times[Component::L2 as usize..])
    }

    /// The pipes of the SMs together, in seconds.
    #[must_use]
    #[inline]
    pub fn on_sms(&self) -> f64 {
        norm_of_power(&self.times[ON_SMS], self.power_on_sms)
    }

    /// Their p-norm where the pipes of the SMs take so many times as long, and what the power limit makes of it, in seconds.
    #[must_use]
    #[inline]
    pub fn with_sm_tail(&self, factor: f64) -> [f64; 2] {
        if factor == 1.0 || self.norm <= 0.0 {
            return [self.norm, self.roof()];
        }
        let of_sms = self.power_on_sms / self.norm.powi(NORM);
        let longer = root_beside_one((factor.powi(NORM) - 1.0) * of_sms, NORM);
        let norm = self.norm * longer;
        // All together get no longer than the SMs do.
        let limited = self.may_be_limited(factor, norm);
        [norm, if limited { norm.max(self.powered(factor, longer)) } else { norm }]
    }

    /// How much longer the power limit makes it; 1 where it does not bind.
    #[must_use]
    #[inline]
    pub fn power_stretch(&self) -> f64 {
        if self.powered > self.norm { self.powered / self.norm } else { 1.0 }
    }

    /// The components, longest first.
    #[must_use]
    pub fn ranked(&self) -> Vec<(Component, Seconds)> {
        let mut all: Vec<_> = Component::ALL.into_iter().map(|c| (c, self.component_time(c))).collect();
        all.sort_by(|a, b| b.1.0.total_cmp(&a.1.0));
        all
    }

    /// The longest one; `None` where there is no work.
    #[must_use]
    #[inline]
    pub fn binding(&self) -> Option<Component> {
        (self.times[self.longest] > 0.0).then_some(Component::ALL[self.longest])
    }
}

/// The place of the longest of these times, the first of several.
#[inline]
fn place_of_longest(times: &[f64; Component::ALL.len()]) -> usize {
    let mut longest = 0;
    for place in 1..times.len() {
        if times[place] > times[longest] {
            longest = place;
        }
    }
    longest
}

/// The shorter of a time and of one whose p-th power is known, of which a root is taken only where it is the shorter.
#[inline]
fn least_of_power(time: f64, power: f64) -> f64 {
    if time.powi(NORM) <= power { time } else { root_of_norm(power) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_of_a_power_limit_leaves_none_out_that_binds() {
        let mut bound = 0;
        for (fp, share) in
            [0.01, 0.3, 0.55, 0.8, 1.0, 3.0].into_iter().flat_map(|fp| [0.5, 0.9].map(|s| (fp, s)))
        {
            let mut times = [0.0; Component::ALL.len()];
            (times[Component::Dram as usize], times[Component::Fp as usize]) = (1.0, fp);
            let components = Components::new(times, share, [1.0; 2]);
            assert_eq!(components.roof(), components.norm.max(components.powered(1.0, 1.0)), "{fp} {share}");
            for factor in [1.0, 1.1, 1.6] {
                let [norm, roof] = components.with_sm_tail(factor);
                let powered = components.powered(factor, norm / components.norm);
                assert!((roof / norm.max(powered) - 1.0).abs() < 1e-14, "{fp} {share} {factor}");
                bound += usize::from(roof > norm);
            }
        }
        assert!((6..30).contains(&bound), "{bound}");
        assert_eq!(Components::of_times(&[(Component::Fp, 1.0)]).with_sm_tail(1.5), [1.5; 2]);
    }
}
