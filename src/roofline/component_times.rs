//! The times of all components of a launch on one GPU, and what they give together ([`super::components`]).

use super::norms::{NORM, p_norm, root_beside_one, root_of_norm};
use crate::kernel::Count;
use crate::units::Seconds;
use std::ops::RangeInclusive;

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
    /// Their p-norm.
    norm: f64,
    /// The p-th power of that of the pipes of the SMs.
    power_on_sms: f64,
    /// What the power limit allows; 0 where it binds nothing.
    powered: f64,
    /// The same by the share of FP work alone, and the part of its rate that pure FP work sustains.
    by_share: f64,
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
        let power_on_sms: f64 = times[ON_SMS].iter().map(|time| time.powi(NORM)).sum();
        let norm = p_norm(&times);
        let fp = times[Component::Fp as usize];
        let dram_at_peak = dram_share * times[Component::Dram as usize];
        let flops_at_peak = fp_share * fp;
        let at_peak = flops_at_peak.max(dram_at_peak);
        let limited = power_share < 1.0 && fp > 0.0;
        let by_share = if limited { norm * (fp / norm).powf(POWER_EXPONENT) / power_share } else { 0.0 };
        // No longer than with the SMs at the clock that FP work alone sustains: there nothing is limited any more.
        let all_slowed = norm.powi(NORM) + power_on_sms * (power_share.powi(-NORM) - 1.0);
        let powered = if limited { least_of_power(by_share, all_slowed) } else { 0.0 };
        Self {
            times,
            norm,
            power_on_sms,
            powered,
            by_share,
            power_share,
            at_peak,
            flops_at_peak,
            dram_at_peak,
            streamed: 1.0,
            kept: 1.0,
        }
    }

    /// The time of this component.
    #[must_use]
    #[inline]
    pub fn component_time(&self, component: Component) -> Seconds {
        Seconds(self.times[component as usize])
    }

    /// How many times longer DRAM takes than the longest other component; infinite where there is none, 0 without bytes of DRAM.
    #[must_use]
    #[inline]
    pub fn dram_over_rest(&self) -> f64 {
        let [dram, rest @ ..] = self.times;
        let longest = rest.into_iter().fold(0.0, f64::max);
        if dram > 0.0 { dram / longest } else { 0.0 }
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
    pub(super) fn with_streamed_dram(self, seconds: f64) -> Self {
        let more =
            (seconds / self.norm).powi(NORM) - (self.times[Component::Dram as usize] / self.norm).powi(NORM);
        Self { streamed: if self.norm > 0.0 { root_beside_one(more, f64::from(NORM)) } else { 1.0 }, ..self }
    }

    /// The same where it is an assumption that DRAM takes as long: with more in L2 it takes so many seconds.
    #[must_use]
    #[inline]
    pub(super) fn with_kept_dram(self, seconds: f64) -> Self {
        if self.norm <= 0.0 {
            return self;
        }
        let less =
            (self.times[Component::Dram as usize] / self.norm).powi(NORM) - (seconds / self.norm).powi(NORM);
        let left = root_of_norm((1.0 - less).max(LEAST_LEFT));
        Self { kept: 1.0 / left, ..self }
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
        root_of_norm(self.power_on_sms)
    }

    /// Their p-norm where the pipes of the SMs take so many times as long, and what the power limit makes of it, in seconds.
    #[must_use]
    #[inline]
    pub fn with_sm_tail(&self, factor: f64) -> [f64; 2] {
        if factor == 1.0 || self.norm <= 0.0 {
            return [self.norm, self.roof()];
        }
        let of_sms = self.power_on_sms / self.norm.powi(NORM);
        let longer = root_beside_one((factor.powi(NORM) - 1.0) * of_sms, f64::from(NORM));
        let norm = self.norm * longer;
        // All together get no longer than the SMs do.
        if self.powered * factor <= norm {
            return [norm; 2];
        }
        let by_share = self.by_share * factor.powf(POWER_EXPONENT) * longer.powf(1.0 - POWER_EXPONENT);
        let slowed = (factor / self.power_share).powi(NORM) - 1.0;
        let powered = least_of_power(by_share, self.norm.powi(NORM) + self.power_on_sms * slowed);
        [norm, norm.max(powered)]
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
        let mut longest = 0;
        for place in 1..self.times.len() {
            if self.times[place] > self.times[longest] {
                longest = place;
            }
        }
        (self.times[longest] > 0.0).then_some(Component::ALL[longest])
    }
}

/// The shorter of a time and of one whose p-th power is known, of which a root is taken only where it is the shorter.
#[inline]
fn least_of_power(time: f64, power: f64) -> f64 {
    if time.powi(NORM) <= power { time } else { root_of_norm(power) }
}
