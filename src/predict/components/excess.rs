//! The time above the roof: which rates of a GPU it may go with.
//!
//! What a roof does not explain is latency, instruction supply, or work that nobody counted. It is carried to another GPU by
//! the weighted geometric mean of the rates it may wait for: SMs x clock, every pipe of the SM, and DRAM where its bytes
//! are unknown. A pipe whose work nobody counted weighs more than one whose time is in the roof already. Of a kernel far above
//! a roof of counts that are all known, instructions wait for results: that time also goes with the cycles a result takes,
//! 6 up to Pascal and 4 since Volta.

use crate::gpu::Gpu;
use crate::kernel::{Count, Work};
use crate::predict::known_blocks::KnownBlocks;
use crate::roofline::{KernelArithmetic, MachineNumbers, Spec};
use std::cmp::Ordering;

/// How many rates there are: SMs x clock, DRAM, five pipes.
const RATES: usize = 7;

/// What SMs x clock weighs, whatever was counted.
const OF_SMS: f64 = 0.4;

/// What DRAM weighs where neither its bytes nor FLOPs are known. Of 0.25, 1, 2 and 3, all but 3 are alike on the six families of kernels;
/// of 19 kinds of published figures that had no part in any fit, 2 took the mean error of a time alone from 37.0 to 30.4 %.
const OF_DRAM: f64 = 2.0;

/// The same where no launch is known either: such a time is an application's as often as a kernel's, and training, inference and small kernels go
/// with bandwidth more than a kernel among others does (docs/models.md, "A time alone").
const OF_DRAM_WITHOUT_LAUNCH: f64 = 6.0;

/// What DRAM weighs where FLOPs are known and its bytes are not.
const OF_DRAM_BESIDE_FLOPS: f64 = 1.0;

/// How far apart two GPUs are by the ratio of their bandwidths, beside one of the same size of a rate of their SMs.
const DRAM_DISTANCE: f64 = 0.25;

/// What DRAM weighs for a kernel of tensor cores whose bytes are known, times the share of what was not counted: operands wait for memory
/// more than for the lanes. Of 1 and 2 chosen with published training and inference rates (docs/models.md, "Published figures").
const OF_DRAM_FOR_TENSORS: f64 = 2.0;

/// What a pipe weighs whose work was counted; an uncounted one weighs 1.
const OF_COUNTED: f64 = 0.6;

/// What the load/store unit weighs where nobody counted its work and blocks use shared memory: those accesses pass it too. Of 1, 2, 4
/// and 10 this one is the best for the others, whichever family of kernels is left out (docs/models.md, "With fewer counts").
const OF_LSU_WITH_SHARED: f64 = 4.0;

/// Bytes of shared memory per thread from which on blocks use it as those of the families do: one word of a few for a whole block is passed
/// once. All kernels of the families that have any have more.
const SHARED_IN_USE: f64 = 1.0;

/// What shared memory weighs where the load/store unit's work is known and its wavefronts are not: what is left of such a time is conflicts
/// first. Of 1, 2, 4 and 8, 2 or 4 is the best for the others, whichever family of kernels is left out.
const OF_CONFLICTS: f64 = 2.0;

/// What tensor cores weigh where their FLOPs were not counted: what runs on them mostly waits for them. Of 1, 2, 4 and 8 for products and prefill
/// attention by their times and bytes (BF16 of three GPUs, FP8 of two): 8 is the best of those, and worse for training rates of 12 GPUs.
const OF_TENSORS: f64 = 4.0;

/// The pipes of an SM: the count that keeps one busy, and its rate.
const PIPES: [(Count, Spec); 5] = [
    (Count::GlobalWarpInsts, Spec::GlobalPerClock),
    (Count::LsuWarpInsts, Spec::LsuLanes),
    (Count::SmemWavefronts, Spec::SharedPerClock),
    (Count::Flops, Spec::FlopsPerClock),
    (Count::WarpInstsIssued, Spec::IssuePerClock),
];

/// Where two of them stand in it.
const LSU_INSTS: usize = 1;
const WAVEFRONTS: usize = 2;
const FLOPS: usize = 3;

/// The share of a time that FLOPs explain at which they say half of what they would at much more: a kernel whose FLOPs take a hundredth of its
/// time is as little known by them as one without.
const FLOPS_THAT_SAY: f64 = 0.02;

/// From how many roofs on, in ln, a launch of unknown blocks may leave SMs idle, and what of the distance between the SMs of two GPUs counts then: launches under
/// NVBench without their grids held 81 % without it.
const FEW_BLOCKS_FROM: f64 = 0.7;
const FEW_BLOCKS: f64 = 0.4;

/// FLOPs for each byte of DRAM in what may be a product of tensor cores at most, and in what is a loop on registers at least: 5,500 in BF16 products of 16,384, a million in
/// loops of multiply-adds, which reach 1.18 of the stated rate of an RTX 2080 Ti (OpenCL-Benchmark).
const OF_PRODUCTS: f64 = 1e4;
const OF_LOOPS: f64 = 1e5;

/// What the time above the roof may go with, by what was counted of a kernel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Excess {
    /// Of every rate; they add up to 1.
    weights: [f64; RATES],
    /// The same where the FLOPs that were counted explain nothing of the time; `None` where that makes no difference.
    without_flops: Option<[f64; RATES]>,
    /// How far they stand in the place of the first, 0 to 1.
    silent_flops: f64,
    /// The share of pipes whose work nobody counted, DRAM as one more of them, 0 to 1.
    pub(super) uncounted: f64,
    /// Whether bytes of DRAM were counted.
    pub(super) knows_dram: bool,
    /// Whether FLOPs are those of tensor cores.
    pub(super) on_tensor_cores: bool,
    /// How far the work moves as many bytes beside its FLOPs as products do, 0 to 1.
    pub(super) product_share: f64,
    /// Whether nobody knows its blocks: few of them leave SMs idle.
    has_unknown_blocks: bool,
    /// Whether FLOPs are those of lanes that somebody stated.
    pub(super) on_stated_lanes: bool,
    /// Whether wavefronts of shared memory were counted and its instructions were not.
    knows_wavefronts_alone: bool,
}

/// The rates of one GPU.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pace {
    rates: Rates,
    /// The weighted mean of their logarithms.
    ln_mean: f64,
    /// The mean of the logarithms by the weights without FLOPs.
    ln_mean_without_flops: f64,
    /// SM clock, Hz.
    clock: f64,
    /// Clock cycles from an instruction to one that needs its result, as a logarithm.
    latency: f64,
}

/// SMs x clock, DRAM bandwidth, and every pipe of all SMs, and their logarithms.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Rates {
    plain: [f64; RATES],
    ln: [f64; RATES],
}

impl Excess {
    /// [`Excess::new`] of this arithmetic.
    pub(super) fn of_arithmetic(work: &Work, blocks: KnownBlocks, arithmetic: KernelArithmetic) -> Self {
        let on_stated_lanes = arithmetic.is_on_stated_lanes();
        Self { on_stated_lanes, ..Self::new(work, blocks, arithmetic.is_on_tensor_cores()) }
    }

    /// By the counts that were made, what is known of blocks (one that asks for no shared memory never waits for it), and whether FLOPs are
    /// those of tensor cores.
    pub(super) fn new(work: &Work, blocks: KnownBlocks, on_tensor_cores: bool) -> Self {
        let known = PIPES.map(|(count, _)| work.get(count).is_some());
        let knows_dram = work.get(Count::DramBytes).is_some();
        let missing = known.iter().filter(|known| !**known).count() + usize::from(!knows_dram);
        let uses_shared = blocks.shared_bytes_per_thread.map(|bytes| (bytes / SHARED_IN_USE).min(1.0));
        let mut weights = [0.0; RATES];
        weights[0] = OF_SMS;
        let uncounted = missing.min(PIPES.len()) as f64 / PIPES.len() as f64;
        let of_dram_alone = if blocks.have_launch { OF_DRAM } else { OF_DRAM_WITHOUT_LAUNCH };
        weights[1] = match (knows_dram, work.get(Count::Flops)) {
            (true, Some(_)) if on_tensor_cores => OF_DRAM_FOR_TENSORS * uncounted,
            (true, _) => 0.0,
            (false, Some(_)) => OF_DRAM_BESIDE_FLOPS,
            (false, None) => of_dram_alone,
        };
        for ((weight, known), (count, _)) in weights[2..].iter_mut().zip(known).zip(PIPES) {
            *weight = match (count, uses_shared) {
                _ if known => OF_COUNTED,
                (Count::SmemWavefronts, Some(uses)) if work.get(Count::LsuWarpInsts).is_some() => {
                    OF_CONFLICTS * uses
                }
                (Count::SmemWavefronts, Some(uses)) => uses,
                (Count::LsuWarpInsts, Some(uses)) => 1.0 + (OF_LSU_WITH_SHARED - 1.0) * uses,
                (Count::Flops, _) if on_tensor_cores => OF_TENSORS,
                _ => 1.0,
            };
        }
        let is_of_flops = !knows_dram && work.get(Count::Flops).is_some() && !on_tensor_cores;
        let without_flops = is_of_flops.then(|| {
            let mut weights = weights;
            weights[1] = of_dram_alone;
            normalized(weights)
        });
        Self {
            weights: normalized(weights),
            without_flops,
            silent_flops: 0.0,
            uncounted,
            knows_dram,
            on_tensor_cores,
            product_share: product_share(work),
            has_unknown_blocks: !blocks.have_launch,
            on_stated_lanes: false,
            knows_wavefronts_alone: known[WAVEFRONTS] && !known[LSU_INSTS],
        }
    }

    /// The same where FLOPs alone explain so much of the source's time, 0 to 1.
    pub(super) fn with_explained(self, share: f64) -> Self {
        let Some(without) = self.without_flops else { return self };
        let silent_flops = 1.0 / (1.0 + (share / FLOPS_THAT_SAY).powi(2));
        let mut weights = self.weights;
        for (weight, without) in weights.iter_mut().zip(without) {
            *weight += silent_flops * (without - *weight);
        }
        Self { weights, silent_flops, ..self }
    }

    /// ln of how many times longer the rates make the time above the roof on the other GPU.
    #[inline]
    fn ln_slower(&self, source: &Pace, target: &Pace) -> f64 {
        let slower = source.ln_mean - target.ln_mean;
        if self.silent_flops == 0.0 {
            return slower;
        }
        let without_flops = source.ln_mean_without_flops - target.ln_mean_without_flops;
        slower + self.silent_flops * (without_flops - slower)
    }

    /// How many times longer the same excess takes on the other GPU; `waiting`: the share of it that waits for results, and
    /// so goes with the cycles that one takes.
    #[inline]
    pub(super) fn slower(&self, source: &Pace, target: &Pace, waiting: f64) -> f64 {
        (self.ln_slower(source, target) + waiting * (target.latency - source.latency)).exp()
    }

    /// |ln| between what the load/store unit and what the banks of shared memory make of the ratio of two GPUs, where nobody counted the
    /// instructions beside the wavefronts; 0 elsewhere.
    #[inline]
    pub(super) fn unknown_conflicts(&self, source: &Pace, target: &Pace) -> f64 {
        if !self.knows_wavefronts_alone {
            return 0.0;
        }
        let slower = |pipe: usize| source.rates.ln_over(&target.rates, 2 + pipe);
        (slower(LSU_INSTS) - slower(WAVEFRONTS)).abs()
    }

    /// The rates of this GPU, as a launch finds it.
    pub(super) fn pace(&self, machine: &MachineNumbers) -> Pace {
        let clock = machine.spec_value(Spec::Clock);
        self.pace_from_rates(Rates::of_machine(machine), clock, machine.dependent_issue().ln())
    }

    /// The rates of this GPU as a launch finds it, which mostly leaves SMs and pipes as they are.
    #[inline]
    pub(super) fn filled_pace(&self, machine: &PacedMachine, filled: &MachineNumbers) -> Pace {
        let bits = |numbers: &MachineNumbers, spec| numbers.spec_value(spec).to_bits();
        let is_as_it_is = |spec| bits(filled, spec) == bits(&machine.numbers, spec);
        let is_full =
            is_as_it_is(Spec::Sms) && is_as_it_is(Spec::FlopsPerClock) && is_as_it_is(Spec::IssuePerClock);
        let mut rates = if is_full { machine.rates } else { Rates::of_machine(filled) };
        rates.plain[1] = filled.spec_value(Spec::DramBandwidth);
        // Where it weighs nothing, any logarithm will do.
        if self.weights[1] > 0.0 {
            rates.ln[1] = rates.plain[1].ln();
        }
        self.pace_from_rates(rates, machine.clock, machine.latency)
    }

    #[inline]
    fn pace_from_rates(&self, rates: Rates, clock: f64, latency: f64) -> Pace {
        let mean_of = |weights: &[f64; RATES]| weights.iter().zip(rates.ln).map(|(w, r)| w * r).sum::<f64>();
        let ln_mean = mean_of(&self.weights);
        let ln_mean_without_flops = self.without_flops.as_ref().map_or(ln_mean, mean_of);
        Pace { rates, ln_mean, ln_mean_without_flops, clock, latency }
    }

    /// How many times longer one rate may make a time, at least and at most: the SM clock, and every rate that the time above the roof may go
    /// with.
    #[inline]
    pub(super) fn rate_range(&self, source: &Pace, target: &Pace) -> [f64; 2] {
        let clock = source.clock / target.clock;
        let [mut least, mut most] = [clock; 2];
        for (i, (source, target)) in source.rates.plain.iter().zip(&target.rates.plain).enumerate() {
            let slower = if i == 1 && self.weights[1] == 0.0 { clock } else { source / target };
            least = if slower < least { slower } else { least };
            most = if slower > most { slower } else { most };
        }
        [least, most]
    }

    /// |ln| of the ratio of the SMs of two GPUs where nobody knows how many of them a launch reaches, as far as a time so many roofs long, in ln, says that it is
    /// not all of them; 0 elsewhere.
    #[inline]
    pub(super) fn unknown_blocks(&self, source: &Pace, target: &Pace, ln_efficiency: f64) -> f64 {
        if !self.has_unknown_blocks || ln_efficiency <= FEW_BLOCKS_FROM {
            return 0.0;
        }
        let sms = source.rates.ln_over(&target.rates, 0) - (source.clock / target.clock).ln();
        FEW_BLOCKS * (1.0 - (FEW_BLOCKS_FROM - ln_efficiency).exp()) * sms.abs()
    }

    /// ln of how many times longer FLOPs take on the other GPU, on the lanes.
    #[inline]
    pub(super) fn ln_slower_flops(source: &Pace, target: &Pace) -> f64 {
        source.rates.ln_over(&target.rates, 2 + FLOPS)
    }

    /// |ln| of the ratio of the bandwidths of two GPUs, whether bytes were counted or not.
    #[inline]
    pub(super) fn bandwidths_apart(source: &Pace, target: &Pace) -> f64 {
        (source.rates.plain[1] / target.rates.plain[1]).ln().abs()
    }

    /// How far bandwidth and the SMs disagree about the ratio of two GPUs, in ln: what a time of which nothing was counted may go with.
    #[inline]
    pub(super) fn bandwidth_against_sms(source: &Pace, target: &Pace) -> f64 {
        let slower = |rate: usize| source.rates.ln_over(&target.rates, rate);
        (slower(1) - slower(0)).abs()
    }

    /// How far the rates disagree about the ratio of two GPUs: the weighted standard deviation in ln.
    #[inline]
    pub(super) fn spread(&self, source: &Pace, target: &Pace) -> f64 {
        let mean = self.ln_slower(source, target);
        let mut variance = 0.0;
        for i in 0..RATES {
            let off = source.rates.ln_over(&target.rates, i) - mean;
            variance += self.weights[i] * off * off;
        }
        variance.sqrt()
    }
}

impl Pace {
    /// Whether some rates of the other are greater and none less, or some less and none greater; `None` where some are each.
    pub(super) fn is_changed_to(&self, other: &Self) -> Option<Ordering> {
        let pairs = || self.rates.plain.iter().zip(&other.rates.plain);
        let (rises, falls) =
            (pairs().any(|(own, other)| other > own), pairs().any(|(own, other)| other < own));
        match (rises, falls) {
            (true, true) => None,
            _ => Some(rises.cmp(&falls)),
        }
    }
}

impl Rates {
    fn of_machine(machine: &MachineNumbers) -> Self {
        let sms = machine.spec_value(Spec::Sms) * machine.spec_value(Spec::Clock);
        let mut plain = [sms; RATES];
        plain[1] = machine.spec_value(Spec::DramBandwidth);
        for (rate, (_, spec)) in plain[2..].iter_mut().zip(PIPES) {
            *rate *= machine.spec_value(spec);
        }
        Self { plain, ln: plain.map(f64::ln) }
    }

    /// ln of how many times longer one rate alone makes a time on the other GPU.
    #[inline]
    fn ln_over(&self, target: &Self, place: usize) -> f64 {
        self.ln[place] - target.ln[place]
    }
}

/// How far a work moves as many bytes beside its FLOPs as products do, 0 to 1.
fn product_share(work: &Work) -> f64 {
    let Some(bytes) = work.get(Count::DramBytes) else { return 1.0 };
    let intensity = work.get(Count::Flops).unwrap_or(0.0) / bytes;
    let beyond = (intensity / OF_PRODUCTS).ln() / (OF_LOOPS / OF_PRODUCTS).ln();
    1.0 - if beyond > 0.0 { beyond.min(1.0) } else { 0.0 }
}

/// What of a GPU a launch uses.
#[derive(Debug, Clone, Copy)]
pub(super) struct LaunchInUse {
    /// Its blocks, where they are known: no more SMs than these work.
    pub(super) blocks: Option<f64>,
    /// Whether its DRAM bytes are counted: their time is in the roof then, and no part of what is above.
    pub(super) knows_dram: bool,
}

impl LaunchInUse {
    #[inline]
    pub(super) fn new(work: &Work, blocks: Option<f64>) -> Self {
        Self { blocks, knows_dram: work.get(Count::DramBytes).is_some() }
    }
}

/// A GPU with its rates, which most launches leave as they are.
#[derive(Debug, Clone, Copy)]
pub(super) struct PacedMachine {
    pub(super) numbers: MachineNumbers,
    rates: Rates,
    /// As in [`Pace`].
    clock: f64,
    latency: f64,
    /// As in [`End`](super::end::End).
    pub(super) ln_tensor_lead: f64,
    /// ln of its SM clock and its memory clock over those of its board, which are no part of how alike two boards are.
    ln_set_clocks: [f64; 2],
}

impl PacedMachine {
    /// This GPU as kernels of this arithmetic find it.
    pub(super) fn new(gpu: &Gpu, arithmetic: KernelArithmetic) -> Self {
        let numbers = arithmetic.machine(gpu);
        let clock = numbers.spec_value(Spec::Clock);
        let (now, stated) = (gpu.clocks(), gpu.stated_clocks());
        Self {
            numbers,
            rates: Rates::of_machine(&numbers),
            clock,
            latency: numbers.dependent_issue().ln(),
            ln_tensor_lead: arithmetic.ln_tensor_lead(gpu),
            ln_set_clocks: [now.sm.0 / stated.sm.0, now.mem.0 / stated.mem.0].map(f64::ln),
        }
    }

    /// How far apart two boards are for a launch, at their stated clocks: the largest |ln| of the ratio of any rate that its time above the
    /// roof may go with; `None` from this one on.
    #[inline]
    pub(super) fn distance_below(&self, from: f64, other: &Self, launch: LaunchInUse) -> Option<f64> {
        let by_sm_clock = self.ln_set_clocks[0] - other.ln_set_clocks[0];
        let by_mem_clock = self.ln_set_clocks[1] - other.ln_set_clocks[1];
        let idle = self.ln_sms_over_busy(launch.blocks) - other.ln_sms_over_busy(launch.blocks);
        let of_busy = |place: usize| (self.rates.ln_over(&other.rates, place) - by_sm_clock - idle).abs();
        let of_dram = || DRAM_DISTANCE * (self.rates.ln_over(&other.rates, 1) - by_mem_clock).abs();
        let dram = if launch.knows_dram { 0.0 } else { of_dram() };
        let mut farthest = dram;
        for place in (0..RATES).filter(|place| *place != 1) {
            farthest = farthest.max(of_busy(place));
            if farthest >= from {
                return None;
            }
        }
        Some(farthest)
    }

    /// ln of all SMs over those that so many blocks keep busy.
    #[inline]
    fn ln_sms_over_busy(&self, blocks: Option<f64>) -> f64 {
        let sms = self.numbers.spec_value(Spec::Sms);
        blocks.filter(|blocks| *blocks < sms).map_or(0.0, |blocks| (sms / blocks).ln())
    }
}

/// The same weights with a sum of 1.
fn normalized(weights: [f64; RATES]) -> [f64; RATES] {
    let sum: f64 = weights.iter().sum();
    weights.map(|w| w / sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_without_shared_memory_does_not_wait_for_it() {
        let blocks = |uses| KnownBlocks {
            have_launch: true,
            shared_bytes_per_thread: Some(if uses { 4.0 } else { 0.0 }),
        };
        let [with, without] =
            [true, false].map(|uses| Excess::new(&Work::default(), blocks(uses), false).weights);
        let at = |count| 2 + PIPES.iter().position(|(c, _)| *c == count).unwrap();
        assert_eq!(without[at(Count::SmemWavefronts)], 0.0);
        assert!(with[at(Count::LsuWarpInsts)] > with[at(Count::SmemWavefronts)]);
    }

    #[test]
    fn what_waits_for_results_goes_with_their_latency() {
        let [old, new] = [6.0, 4.0].map(|cycles: f64| Pace {
            rates: Rates { plain: [1.0; RATES], ln: [0.0; RATES] },
            ln_mean: 2_f64.ln(),
            ln_mean_without_flops: 2_f64.ln(),
            clock: 1.0,
            latency: cycles.ln(),
        });
        let excess = Excess::new(&Work::default(), KnownBlocks::default(), false);
        let slower = |source, target, waiting| excess.slower(source, target, waiting);
        assert!((slower(&new, &old, 1.0) - 1.5).abs() < 1e-12);
        assert!((slower(&old, &new, 1.0) - 1.0 / 1.5).abs() < 1e-12);
        assert_eq!((slower(&new, &old, 0.0), slower(&new, &new, 1.0)), (1.0, 1.0));
    }

    #[test]
    fn what_nobody_counted_weighs_more() {
        let counts = PIPES.iter().map(|(count, _)| *count).chain([Count::DramBytes]);
        let counted = counts.fold(Work::default(), |work, count| work.with(count, Some(1.0)));
        let of = |work: &Work| Excess::new(work, KnownBlocks::default(), false);
        let (none, all) = (of(&Work::default()), of(&counted));
        assert!((none.uncounted, all.uncounted) == (1.0, 0.0));
        assert!(none.weights[1] > 0.0 && all.weights[1] == 0.0);
        assert!(all.weights[0] > none.weights[0]);
        assert!([none, all].iter().all(|e| (e.weights.iter().sum::<f64>() - 1.0).abs() < 1e-12));
    }
}
