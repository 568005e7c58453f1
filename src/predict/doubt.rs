//! How uncertain one answer is beside another of the same model: what an interval's width is scaled with.

use crate::gpu::Gpu;

/// No answer about another GPU is surer than this, in ln: a board's own clocks, and what nobody looks at.
const LEAST: f64 = 0.13;

/// What the components of a doubt are made of.
#[derive(Debug, Clone, Copy)]
pub(super) struct Causes {
    /// How far an error of the time without its launch goes into the predicted one, 0 to 1.
    pub(super) in_body: f64,
    /// |ln| between the time above the roof added and the same efficiency everywhere.
    pub(super) readings: f64,
    /// How far the rates that the time above the roof may go with disagree, in ln, times its share of the body.
    pub(super) spread: f64,
    /// ln η on the source: measured over roof.
    pub(super) efficiency: f64,
    /// |ln| of how far below a roof the source's time is where counts must be too high; 0 elsewhere.
    pub(super) below_roof: f64,
    /// |ln| between η on the source and what is taken of it where another build runs on the target; 0 elsewhere.
    pub(super) drawn: f64,
    /// The share of the SM's pipes whose work nobody counted.
    pub(super) uncounted: f64,
    /// As [`distance_between`] says.
    pub(super) distance: f64,
    pub(super) unknown_build: bool,
    /// What an error of its launch floor makes of the predicted time, in ln; 0 where the floor is known.
    pub(super) floor: f64,
    /// |ln| between what both GPUs issue less of this code because fetching it is slower.
    pub(super) supply: f64,
    /// |ln| between what instructions and wavefronts make of shared memory where nobody counted its instructions, times its share of
    /// the roof.
    pub(super) conflicts: f64,
    /// |ln| between how many times longer the roofs were if less stayed in L2, times the roof's share of the body.
    pub(super) reuse: f64,
    /// |ln| between how many times longer the power limits make the roofs of tensor cores on the two GPUs.
    pub(super) power: f64,
    /// |ln| between what a library's kernels reach of the two GPUs' FP32 rates beside older GPUs.
    pub(super) library: f64,
    /// |ln| between what FP32 lanes and tensor cores make of FLOPs of an unstated type.
    pub(super) element_type: f64,
    /// The share of the predicted time that no launch stays below.
    pub(super) shortest: f64,
    /// As [`Doubt::by_rates`].
    pub(super) by_rates: [f64; 2],
}

/// What makes an answer less certain; each in ln, 0 where it does not apply. Weights are those of the likeliest Laplace
/// scale of ln(measured / predicted) over six files with counts taken away step by step, rounded; with one family of
/// kernels left out at a time they stay (docs/models.md, "Intervals").
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Doubt {
    /// What every answer about another GPU has: 0.13.
    pub least: f64,
    /// 0.9 |ln| between the time above the roof added and the same efficiency everywhere, over 1 + (ln η / 3)⁴.
    pub readings: f64,
    /// 1.4 times the spread of the rates that the time above the roof may go with, times its share.
    pub spread: f64,
    /// 0.2 ln η over 1 + (ln η / 3)⁴ where the kernel is slower than a roof of counts that are all known; half of |ln η / 0.85| where it is faster
    /// than 0.85 of one, for no GPU does that.
    pub efficiency: f64,
    /// 0.3 |ln| of how far η was drawn to the usual one where another build runs on the target, twice that at the register limit.
    pub drawn: f64,
    /// 0.39 of the root of the share of pipes that nobody counted: each adds as much variance.
    pub counts: f64,
    /// 0.08 where source and target are of different architectures, 0.2 where Volta lies between them; 0.11 of a library's operator.
    pub distance: f64,
    /// 0.21 where the registers of a build are unknown, or it has all there are: it may spill on one GPU and not on the other.
    pub build: f64,
    /// 0.2 of the share of the time that is a launch floor that was not measured there, 0.42 of a framework's dispatch.
    pub floor: f64,
    /// 0.25 |ln| of how much more one GPU slows down on code without loops: its rate was quoted of one family of kernels.
    pub supply: f64,
    /// 0.38 |ln| between what instructions and wavefronts make of shared memory where its wavefronts alone were counted: conflicts pass
    /// its banks, words the load/store unit as well. Nobody counted them apart in the five families; so wide, 90 % of the recompiled convolution hold.
    pub conflicts: f64,
    /// 0.86 |ln| of how much longer one of the roofs were if nothing stayed in L2, where the working set is not stated, or what a tenth more of it leaves, where it
    /// is; times the roof's share of the body: so wide, 90 % intervals reach the answer without L2.
    pub reuse: f64,
    /// Half of |ln| between how many times longer the power limits make the roofs of tensor cores: products of zeros draw a part of what those
    /// of random operands do, and nobody says which were timed.
    pub power: f64,
    /// 0.8 |ln| between what a library's kernels reach of the two GPUs: it chooses other algorithms there, well for one size and badly for the next.
    pub library: f64,
    /// 0.9 |ln| between what FP32 lanes and tensor cores make of FLOPs whose type nobody stated, as far as they may be either's: so wide, 90 % intervals reach both.
    pub element_type: f64,
    /// The share of the predicted time that no launch stays below, 0 to 1: that of its bytes of DRAM at the bandwidth that the target states; 0
    /// where they were not counted. No part of the total: it ends an interval.
    pub shortest: f64,
    /// The least and the most of the predicted time that the rates of the two GPUs can make of the source's: the one that grew most, the one that
    /// fell most, and 1.6 beyond; 0 and infinity where another kernel may run. No part of the total: they end an interval.
    pub by_rates: [f64; 2],
}

/// Two independent errors together, in ln: a hypotenuse of numbers that neither overflow nor vanish.
#[must_use]
#[inline]
pub fn joined_doubts(a: f64, b: f64) -> f64 {
    if b == 0.0 { a } else { (a * a + b * b).sqrt() }
}

/// What of the distance between what stays in L2 and what might counts in a doubt: times the width of an interval it is all of it.
const REUSE: f64 = 0.86;

/// No ends.
const ANY_RATES: [f64; 2] = [0.0, f64::INFINITY];

/// What another architecture adds to a doubt.
const OTHER_ARCHITECTURE: f64 = 0.08;

/// What another SM adds: from Volta on L1 and shared memory are one and a scheduler issues one instruction a clock. With 0.08 intervals of products, convolutions and
/// paper 1's kernels held 83 % in the mean of the pairs with Volta between them, beside 92 of all others.
const OTHER_SM: f64 = 0.2;

/// What another architecture adds to the doubt of a library's operator: BF16 products and attention onto an L40S hold 81 and 80 % with it.
const OTHER_LIBRARY: f64 = 0.11;

/// What another architecture adds to a doubt, in ln: 0 on the same one.
#[must_use]
pub(super) fn distance_between(source: &Gpu, target: &Gpu) -> f64 {
    if source.architecture == target.architecture {
        0.0
    } else if source.has_unified_l1() == target.has_unified_l1() {
        OTHER_ARCHITECTURE
    } else {
        OTHER_SM
    }
}

/// The same of what libraries bring: they have kernels of their own for each architecture, whatever its SM.
#[must_use]
pub(super) fn library_distance(distance: f64) -> f64 {
    if distance > 0.0 { OTHER_LIBRARY } else { 0.0 }
}

impl Doubt {
    #[must_use]
    #[inline]
    pub(super) fn new(causes: Causes) -> Self {
        let Causes { in_body, readings, spread, efficiency, uncounted, .. } = causes;
        let counted = (1.0 - uncounted) * (1.0 - uncounted);
        let applies = |applies: bool, weight: f64| if applies { weight } else { 0.0 };
        Self {
            least: LEAST,
            readings: 0.9 * in_body * readings,
            spread: 1.4 * in_body * spread,
            efficiency: in_body * (0.2 * counted * efficiency.max(0.0) + 0.5 * causes.below_roof),
            drawn: 0.3 * in_body * causes.drawn,
            counts: in_body * 0.39 * uncounted.sqrt(),
            distance: causes.distance,
            build: in_body * applies(causes.unknown_build, 0.21),
            floor: causes.floor,
            supply: 0.25 * in_body * causes.supply,
            conflicts: 0.38 * in_body * causes.conflicts,
            reuse: REUSE * in_body * causes.reuse,
            power: 0.5 * in_body * causes.power,
            library: 0.8 * in_body * causes.library,
            element_type: 0.9 * in_body * causes.element_type,
            shortest: causes.shortest.min(1.0),
            by_rates: [causes.by_rates[0].min(1.0), causes.by_rates[1].max(1.0)],
        }
    }

    /// The same between boards that have this share in common of what differs from board to board, 0 to 1: what nobody knows of the kernel is the same
    /// on both, as far as they are.
    #[must_use]
    #[inline]
    pub(super) fn between_alike(self, held: f64) -> Self {
        let apart = 1.0 - held;
        Self {
            efficiency: apart * self.efficiency,
            drawn: apart * self.drawn,
            counts: apart * self.counts,
            build: apart * self.build,
            ..self
        }
    }

    /// That of the very GPU that was timed.
    #[must_use]
    pub(super) fn none() -> Self {
        Self {
            least: 0.0,
            readings: 0.0,
            spread: 0.0,
            efficiency: 0.0,
            drawn: 0.0,
            counts: 0.0,
            distance: 0.0,
            build: 0.0,
            floor: 0.0,
            supply: 0.0,
            conflicts: 0.0,
            reuse: 0.0,
            power: 0.0,
            library: 0.0,
            element_type: 0.0,
            shortest: 0.0,
            by_rates: ANY_RATES,
        }
    }

    /// Whether it is that of the very GPU that was timed, or of its board where nothing that the kernel uses is changed.
    #[must_use]
    pub fn is_of_timed_gpu(&self) -> bool {
        *self == Self { shortest: self.shortest, ..Self::none() }
    }

    /// That of every answer about something else than was timed.
    #[must_use]
    pub fn least() -> Self {
        Self { least: LEAST, ..Self::none() }
    }

    /// |ln| of how much longer the time were if nothing stayed in L2 where the working set is not stated: all of it, whatever the width.
    #[must_use]
    #[inline]
    pub fn unknown_reuse(&self) -> f64 {
        self.reuse / REUSE
    }

    /// The same where no launch stays below this share of the predicted time.
    #[must_use]
    pub(super) fn no_shorter_than(self, share: f64) -> Self {
        Self { shortest: share.min(1.0), ..self }
    }

    /// The least and the most of the predicted time that an interval so many times as wide either way reaches.
    #[must_use]
    #[inline]
    pub fn interval_ends(&self, factor: f64) -> [f64; 2] {
        let [least, most] = self.by_rates;
        [(1.0 / factor).max(self.shortest).max(least), factor.min(most)]
    }

    /// Of an operator: how far, in ln, the source lies from its modelled time, and how far the architectures are apart.
    #[must_use]
    pub(super) fn of_operator(off: f64, distance: f64) -> Self {
        Self { efficiency: 0.5 * off, distance: library_distance(distance), ..Self::least() }
    }

    /// All of it, in ln: independent causes add as squares.
    #[must_use]
    #[inline]
    pub fn total(&self) -> f64 {
        let Self { least, readings, spread, efficiency, drawn, counts, .. } = *self;
        let Self { distance, build, floor, supply, conflicts, reuse, power, library, element_type, .. } =
            *self;
        let of_kernel = [least, readings, spread, efficiency, drawn, counts];
        let of_gpus = [distance, build, floor, supply, conflicts, reuse, power, library, element_type];
        let squares = |causes: &[f64], sum: f64| causes.iter().fold(sum, |sum, d| sum + d * d);
        squares(&of_gpus, squares(&of_kernel, 0.0)).sqrt()
    }

    /// The largest cause in words; nothing where none stands out of what every answer has.
    #[must_use]
    pub fn reason(&self) -> Option<&'static str> {
        let causes = [
            (self.readings, "the time above the roof may or may not shrink with the roof"),
            (self.spread, "far above its roof; counters do not explain why"),
            (self.efficiency, "its efficiency is far from the typical one; counters do not explain why"),
            (self.drawn, "the target may run another build; only part of the source's efficiency is applied"),
            (self.counts, "some pipes of the SM were not counted"),
            (self.distance, "source and target are of different architectures"),
            (self.build, "register counts unknown or at the maximum: one build may spill"),
            (self.floor, "the time is mostly launch overhead, which was not measured there"),
            (self.supply, "how fast one of the GPUs fetches code without loops was not measured"),
            (self.conflicts, "shared-memory bytes known but not its instructions: bank conflicts unknown"),
            (self.element_type, "element type not stated: tensor cores may do its FLOPs; give its dtype"),
            (self.library, "the library runs other algorithms there"),
            (self.power, "how much power tensor cores draw depends on the operands"),
            (self.reuse, "its buffers may or may not stay in L2"),
        ];
        let (largest, why) = causes.into_iter().max_by(|a, b| a.0.total_cmp(&b.0))?;
        (largest > 0.5 * LEAST).then_some(why)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SURE: Causes = Causes {
        in_body: 1.0,
        readings: 0.0,
        spread: 0.0,
        efficiency: 0.0,
        below_roof: 0.0,
        drawn: 0.0,
        uncounted: 0.0,
        distance: 0.0,
        unknown_build: false,
        floor: 0.0,
        supply: 0.0,
        conflicts: 0.0,
        reuse: 0.0,
        power: 0.0,
        library: 0.0,
        element_type: 0.0,
        shortest: 0.0,
        by_rates: ANY_RATES,
    };

    #[test]
    fn doubt_adds_up_and_names_its_largest_cause() {
        let sure = Doubt::new(SURE);
        assert!((sure.total() - LEAST).abs() < 1e-15 && sure.reason().is_none());
        let far = Doubt::new(Causes { readings: 1.0, distance: 0.08, unknown_build: true, ..SURE });
        assert!(far.total() > 0.7 && far.reason().is_some_and(|r| r.contains("shrink with the roof")));
        assert!(Doubt::new(Causes { floor: 0.8, ..SURE }).reason().is_some_and(|r| r.contains("launch")));
        assert!(
            Doubt::new(Causes { supply: 1.2, ..SURE }).reason().is_some_and(|r| r.contains("without loops"))
        );
        assert_eq!(Doubt::none().total(), 0.0);
    }

    #[test]
    fn what_nobody_knows_of_a_kernel_is_the_same_on_equal_boards() {
        let causes = Causes { uncounted: 1.0, unknown_build: true, efficiency: 1.0, floor: 0.2, ..SURE };
        let held = |held| Doubt::new(causes).between_alike(held).total();
        assert!(held(0.0) > held(0.5) && held(0.5) > held(1.0));
        assert!((held(1.0) - joined_doubts(LEAST, 0.2)).abs() < 1e-12, "the host is another");
    }

    #[test]
    fn an_interval_ends_where_rates_and_bytes_do() {
        let ends = |shortest, by_rates| Doubt::new(Causes { shortest, by_rates, ..SURE }).interval_ends(4.0);
        assert_eq!(ends(0.0, ANY_RATES), [0.25, 4.0]);
        assert_eq!(ends(0.5, [0.4, 3.0]), [0.5, 3.0]);
        assert_eq!(ends(0.3, [0.4, 9.0]), [0.4, 4.0]);
        assert_eq!(ends(2.0, [2.0, 0.5]), [1.0, 1.0], "the predicted time is inside");
    }

    #[test]
    fn a_slow_kernel_is_no_riddle_where_nothing_was_counted() {
        let slow = |uncounted| Doubt::new(Causes { efficiency: 2.0, uncounted, ..SURE });
        assert!(slow(0.0).efficiency > 0.3 && slow(1.0).efficiency == 0.0 && slow(1.0).counts > 0.0);
    }
}
