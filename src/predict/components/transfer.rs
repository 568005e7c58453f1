//! What a measured time says about another GPU: the arithmetic of `components`, on plain numbers.

use crate::roofline::{Component, Components, ExposedLatency};

/// How much of a source's efficiency, in ln, holds on the target where every pipe of the SM was counted: the rest is
/// drawn to [`USUAL`].
pub const CARRIED: f64 = 0.74;

/// The same where no pipe was counted: what is above such a roof is mostly work, and work is there on the target too.
const CARRIED_UNCOUNTED: f64 = 0.93;

/// What of that share holds of a kernel nearer its roof than the typical one: the clock of the source's board above the stated one is its
/// own, and so are counts that are too high. Of 0.3 to 1 the families choose 0.6 to 0.7, whichever is left out.
const CARRIED_BELOW: f64 = 0.65;

/// η of a kernel that was not measured: measured over roof, the middle of all kernels that were.
pub const USUAL: f64 = 1.05;

/// The same where another kernel runs on each GPU: a library picks it, or a compiler spills what registers cannot hold. The efficiency is the
/// library's or the compiler's then as much as the GPU's. The operators' model keeps 0.4, of other operators on other GPUs.
const CARRIED_TO_ANOTHER_BUILD: f64 = 0.3;

/// η of a library's product on vector pipes that was not measured. cuBLAS reaches 0.85 to 0.94 of the FP32 rate at its best sizes on
/// three GPUs (N = 4096 to 8192), NeuSight's products 0.7 to 0.9 of it where they are large.
const USUAL_OF_LIBRARY: f64 = 1.2;

/// How much further above their roof FLOPs of a kernel that was not timed are where no pipe was counted: n-body codes reach 0.40 to 0.71 of the FP32 rate
/// of 13 boards, and products in TF32 0.5 to 0.75 of theirs, where nothing but FLOPs and bytes is known.
const SLOWER_FLOPS: f64 = 0.4;

/// How far the time above the roof is taken to shrink with the roof, where every pipe was counted and there is little of
/// it; the rest goes with the rates of the SMs.
const WITH_ROOF: f64 = 0.7;

/// How far from the typical one, in ln, an efficiency begins to say more of the counts than of the GPU: a kernel 20 times above its roof
/// spends its time on what nobody counted, and that is carried as it is. Of 2 to 8 and none the convolution chooses 2 and gains 0.7 points,
/// the other families lose and gain 0.3 at most; what it is for are kernels far above a roof of tiny counts, which no family has.
pub(super) const FAR: f64 = 3.0;

/// How much more the time above the roof overlaps with it, as a norm, where no pipe was counted: it is work of pipes then, which
/// overlap as those of the roof do. Where all were counted it is latency, and added. Kernels at other clocks say 2 to 6
/// (`nv_dvfs` when it was chosen: 13.0 % at 1, 7.9 % at 2.6, 6.8 % at 6), kernels under NVBench 2 to 3, others nothing.
const OVERLAP_OF_UNCOUNTED: f64 = 2.0;

/// How near its roof, in ln η, a kernel has to be for its time above it to be the roof's: sustained rates are known no better. It holds as
/// far as pipes were not counted; of those that were, the counts say.
const NEAR_ROOF: f64 = 0.3;

/// How many times longer than everything else DRAM has to take for a time near the roof to be DRAM's, however much was counted: from the first in
/// part, from the second on wholly. What is left of its bandwidth on one board is left on another.
const DRAM_OVER_REST: [f64; 2] = [2.0, 5.0];

/// The same of tensor cores: products and attention of 0.2 to 0.9 of their rate stay that far below it on GPUs whose rates are 2 to 13 times apart,
/// as what feeds them was built for them. Of 0.3 to 2, chosen on products in BF16 and FP8 and on attention, each by its FLOPs with and without bytes.
const NEAR_ROOF_OF_TENSORS: f64 = 1.5;

/// How many times the time above the source's roof, at the rates of the target's SMs, the target's own may take where pipes that
/// overlap with the roof were not counted: a little time above a roof says little of a pipe that is nearly as busy.
const MOST_ABOVE: f64 = 1.5;

/// The largest factor by which a last, partly filled wave may stretch a roof.
const MOST_TAIL: f64 = 1.6;

/// How many times longer a last wave that is not full makes a launch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Tail {
    /// The pipes of the fullest SM over those of all on average: ceil(v) / v for v waves, at most 1.6. In less than one wave the SMs hold what
    /// blocks they got, b on average: ceil(b) / b. 1 where some SM has no block at all.
    pub(super) pipes: f64,
    /// The waiting of its warps: ceil(v) / v for v waves, at most 1.6. Blocks that an SM holds at once wait at the same time.
    pub(super) waiting: f64,
}

impl Tail {
    /// Of a launch without a last wave that is not full, or whose shape is unknown.
    pub(super) const NONE: Self = Self { pipes: 1.0, waiting: 1.0 };

    /// Of so many waves, and so many blocks for each SM of the GPU.
    #[inline]
    pub(super) fn from_shape(waves: f64, blocks_per_sm: f64) -> Self {
        if blocks_per_sm < 1.0 {
            return Self::NONE;
        }
        let longer = |turns: f64| (turns.ceil() / turns).min(MOST_TAIL);
        if waves < 1.0 {
            Self { pipes: longer(blocks_per_sm), waiting: 1.0 }
        } else {
            Self { pipes: longer(waves), waiting: longer(waves) }
        }
    }
}

/// The roof of a launch on one GPU.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LaunchRoof {
    /// Seconds, the last wave included; 0 where nothing was counted.
    pub time: f64,
    /// How many times longer the last wave makes the components: those of the SMs, the others not at all.
    pub tail: f64,
    /// How many times longer than its components the launch takes because its warps wait for loads and results; 1 where that is
    /// unknown.
    pub latency: f64,
    /// Whether waiting alone takes longer than the components.
    pub latency_binds: bool,
    /// How many times longer the power limit makes the components; 1 where it does not bind.
    pub power: f64,
    /// Seconds of FLOPs or bytes of DRAM alone at the rates that the GPU states; 0 where neither was counted.
    pub at_peak: f64,
    /// Seconds of FLOPs alone at the rate that the GPU states; 0 where they were not counted.
    pub flops_at_peak: f64,
    /// Seconds of bytes of DRAM alone at the bandwidth that the GPU states; 0 where they were not counted.
    pub dram_at_peak: f64,
    /// Seconds of bytes of DRAM alone at the bandwidth that is sustained; 0 where they were not counted.
    pub dram: f64,
    /// How many times longer DRAM takes than the longest other component ([`Components::dram_over_rest`]).
    pub dram_over_rest: f64,
    /// The share of the components that shared memory alone takes, 0 to 1.
    pub shared: f64,
    /// How many times longer the components took if less stayed in L2 than is taken to ([`Components::streamed`]).
    pub streamed: f64,
    /// How many times longer the components take than if more stayed in L2 ([`Components::kept`]).
    pub kept: f64,
}

impl LaunchRoof {
    /// Seconds without the warps' waiting, the last wave included.
    #[must_use]
    #[inline]
    pub fn of_components(&self) -> f64 {
        self.time / self.latency
    }

    /// The roof of these components, stretched by latency that nothing hides, and by a last wave that is not full.
    #[inline]
    pub(super) fn new(components: &Components, exposed: &ExposedLatency, tail: Tail) -> Self {
        let even = components.roof();
        let [norm, roof] = components.with_sm_tail(tail.pipes);
        let on_banks = components.component_time(Component::Shared).0;
        // The warps of a last wave wait as those of the others do.
        let waited = roof / tail.waiting;
        let latency = exposed.stretch(waited, tail.waiting);
        Self {
            time: roof * latency,
            tail: if even > 0.0 { roof / even } else { 1.0 },
            latency,
            latency_binds: exposed.binds(waited, tail.waiting),
            power: if roof > norm { roof / norm } else { 1.0 },
            at_peak: components.at_peak(),
            flops_at_peak: components.flops_at_peak(),
            dram_at_peak: components.dram_at_peak(),
            dram: components.component_time(Component::Dram).0,
            dram_over_rest: components.dram_over_rest(),
            shared: if on_banks > 0.0 { on_banks / even } else { 0.0 },
            streamed: components.streamed(),
            kept: components.kept(),
        }
    }
}

/// A body carried to another roof.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Carried {
    /// η of the source: body over roof; 0 where there is no roof.
    pub source_efficiency: f64,
    /// η taken for the target.
    pub efficiency: f64,
    /// The body if all is as much slower than the roof as on the source, in seconds; 0 where there is no roof.
    pub everything: f64,
    /// The body if the time above the roof goes with the rates of the SMs alone, in seconds.
    pub added: f64,
    /// The time above the target's roof, in seconds; 0 where the source was not above its own.
    pub above: f64,
    /// The body, in seconds.
    pub body: f64,
    /// The same before it was limited to what differs between the two GPUs.
    pub unheld: f64,
}

impl Carried {
    /// The same with a body between these, in seconds; an end that is no number is none.
    pub(super) fn between(self, [least, most]: [f64; 2]) -> Self {
        let body = self.body.min(most).max(least);
        let above = if self.above > 0.0 { self.above + body - self.body } else { 0.0 };
        Self { body, above: above.max(0.0), ..self }
    }
}

/// How a kernel behaves under its source's roof: all that is the same for every target.
#[derive(Debug, Clone, Copy)]
pub(super) struct TimeOverRoof {
    pub(super) source_efficiency: f64,
    taken: TakenEfficiency,
    /// What a time nearer the roof would say, of which most goes with the roof: one further above it is not shorter on the target.
    nearer: Option<TakenEfficiency>,
    /// How far the time above the roof overlaps with it, as a norm: 1 = one after the other.
    overlap: f64,
    /// The share of that time that waits for results of instructions, 0 to 1: all of it where everything was counted and a
    /// kernel takes e times its roof.
    pub(super) waiting: f64,
}

/// What of a source's efficiency is taken for a target.
#[derive(Debug, Clone, Copy)]
struct TakenEfficiency {
    /// η; 0 where there is no roof.
    efficiency: f64,
    /// The time beside the source's roof, as far as it is taken over: what gives the body where it overlaps with the roof.
    beside: f64,
    /// The time above the source's roof, as far as it is taken over.
    above: f64,
    /// How far that time shrinks with the roof, 0 to 1.
    with_roof: f64,
}

/// What is known of the build that was timed on the source: how far another GPU's is the same.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct SourceBuild {
    /// A library picks another kernel on each GPU.
    pub(super) by_library: bool,
    /// It has every register that there is: what it spills is the compiler's choice for each architecture.
    pub(super) at_register_limit: bool,
}

impl SourceBuild {
    /// Whether another build runs on each GPU.
    pub(super) fn is_another(self) -> bool {
        self.by_library || self.at_register_limit
    }
}

/// What is typical of the efficiency of kernels, and how far a source's own stands in its place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct TypicalEfficiency {
    /// η of a kernel that was not measured.
    pub(super) usual: f64,
    /// The share of ln η of the source that holds on a target, 0 to 1, where it is near the typical one.
    carried: f64,
    /// The same of an efficiency better than the typical one.
    carried_below: f64,
    /// The share of the source's time that is the kernel's own, 0 to 1: of the rest nothing holds.
    own: f64,
    /// The same of an efficiency better than the typical one: a body is no longer than the time that it is a part of.
    own_below: f64,
    /// How far from the typical one it is carried as it is, in ln; infinite where another build runs on the target.
    far: f64,
    /// How near its roof, in ln η, a kernel has to be for its time above it to be the roof's.
    near_roof: f64,
    /// How far a time that near is DRAM's alone, 0 to 1.
    of_dram: f64,
    pub(super) build: SourceBuild,
}

impl TypicalEfficiency {
    /// Of a kernel with this share of its pipes not counted.
    #[inline]
    pub(super) fn new(uncounted: f64, build: SourceBuild) -> Self {
        let usual = if build.by_library { USUAL_OF_LIBRARY } else { USUAL };
        if build.is_another() {
            // Where pipes were not counted, what they do is more of its efficiency than what a build spills.
            let by_pipes = if build.by_library { 0.0 } else { uncounted };
            let carried =
                CARRIED_TO_ANOTHER_BUILD + by_pipes * (CARRIED_UNCOUNTED - CARRIED_TO_ANOTHER_BUILD);
            return Self::with_shares(usual, carried, f64::INFINITY, build);
        }
        Self::with_shares(usual, CARRIED + uncounted * (CARRIED_UNCOUNTED - CARRIED), FAR, build)
    }

    #[inline]
    fn with_shares(usual: f64, carried: f64, far: f64, build: SourceBuild) -> Self {
        Self {
            usual,
            carried,
            carried_below: CARRIED_BELOW * carried,
            own: 1.0,
            own_below: 1.0,
            far,
            near_roof: NEAR_ROOF,
            of_dram: 0.0,
            build,
        }
    }

    /// The same of a kernel whose FLOPs are those of tensor cores, or not.
    #[inline]
    pub(super) fn on_tensor_cores(self, is_on_them: bool) -> Self {
        Self { near_roof: if is_on_them { NEAR_ROOF_OF_TENSORS } else { NEAR_ROOF }, ..self }
    }

    /// The same where DRAM takes so many times longer than the longest of all else on the source.
    #[inline]
    pub(super) fn with_dram_over_rest(self, ratio: f64) -> Self {
        let [from, wholly] = DRAM_OVER_REST;
        Self { of_dram: ((ratio - from) / (wholly - from)).clamp(0.0, 1.0), ..self }
    }

    /// The same where so much of the source's time is the kernel's own, 0 to 1; `own_below`: of a better efficiency than the typical one.
    #[inline]
    pub(super) fn with_own_share(self, own: f64, own_below: f64) -> Self {
        Self { own, own_below, ..self }
    }

    /// The same where this share of what would not hold holds too, 0 to 1.
    #[inline]
    pub(super) fn held(self, share: f64) -> Self {
        let more = |held: f64| held + share * (1.0 - held);
        let (carried, carried_below) = (more(self.carried), more(self.carried_below));
        let (own, own_below) = (more(self.own), more(self.own_below));
        Self { carried, carried_below, own, own_below, ..self }
    }

    /// Seconds of a kernel that was not timed, under this roof; `uncounted`: the share of pipes whose work nobody counted. A power limit that
    /// makes FLOPs slower leaves slow ones alone.
    #[inline]
    pub(super) fn untimed_body(self, roof: &LaunchRoof, uncounted: f64) -> f64 {
        let slower = if self.build.by_library { 0.0 } else { SLOWER_FLOPS * uncounted };
        let of_flops = self.usual * (1.0 + slower) * roof.flops_at_peak;
        (self.usual * roof.time).max(of_flops)
    }

    /// The same whose usual efficiency is that of this body under this roof, in seconds.
    #[inline]
    pub(super) fn with_usual_body(self, body: f64, roof: f64) -> Self {
        Self { usual: body / roof, ..self }
    }

    /// How far a time above the roof is the roof's because it is so near, at this ln η, 0 to 1.
    #[inline]
    fn near_share(self, ln: f64, uncounted: f64) -> f64 {
        let within = |far: f64| {
            let slower = ln.max(0.0) / far;
            (-slower * slower).exp()
        };
        let of_uncounted = uncounted * uncounted * within(self.near_roof);
        if self.of_dram > 0.0 { of_uncounted.max(self.of_dram * within(NEAR_ROOF)) } else { of_uncounted }
    }

    /// ln of the efficiency that is taken where this one, in ln, was measured.
    #[inline]
    fn shrunk_ln(self, measured: f64) -> f64 {
        let usual = self.usual.ln();
        let off = measured - usual;
        let far = off / self.far;
        let carried = if off < 0.0 { self.carried_below } else { self.carried };
        let own = if off < 0.0 { self.own_below } else { self.own };
        usual + own * off * (1.0 - (1.0 - carried) / (1.0 + far * far))
    }
}

impl TimeOverRoof {
    /// From a body of so many seconds under this roof, all of whose efficiency holds.
    #[inline]
    pub(super) fn as_timed(roof: f64, body: f64, uncounted: f64) -> Self {
        Self::from_times(
            roof,
            body,
            TypicalEfficiency {
                usual: USUAL,
                carried: 1.0,
                carried_below: 1.0,
                own: 1.0,
                own_below: 1.0,
                far: FAR,
                near_roof: NEAR_ROOF,
                of_dram: 0.0,
                build: SourceBuild::default(),
            },
            uncounted,
        )
    }

    /// From a body of so many seconds under this roof, its efficiency drawn to the typical one; `uncounted`: the share of pipes whose
    /// work nobody counted.
    #[inline]
    pub(super) fn from_times(roof: f64, body: f64, typical: TypicalEfficiency, uncounted: f64) -> Self {
        if roof <= 0.0 {
            let taken = TakenEfficiency { efficiency: 0.0, beside: body, above: body, with_roof: 0.0 };
            return Self { source_efficiency: 0.0, taken, nearer: None, overlap: 1.0, waiting: 0.0 };
        }
        let source_efficiency = body / roof;
        let ln = typical.shrunk_ln(source_efficiency.ln());
        let counted = (1.0 - uncounted) * (1.0 - uncounted);
        let overlap = 1.0 + OVERLAP_OF_UNCOUNTED * uncounted;
        let taken = |ln: f64| {
            let efficiency = ln.exp();
            let near = typical.near_share(ln, uncounted);
            let with_roof = near + (1.0 - near) * WITH_ROOF * counted / (1.0 + ln * ln);
            let beside = roof * beside_one(efficiency, overlap);
            TakenEfficiency { efficiency, beside, above: roof * (efficiency - 1.0), with_roof }
        };
        // Where the time that goes with the roof is the longest.
        let longest = typical.near_roof * std::f64::consts::FRAC_1_SQRT_2;
        let nearer = (ln > longest && typical.near_share(longest, uncounted) > 0.0).then(|| taken(longest));
        let waiting = counted * ln.clamp(0.0, 1.0);
        Self { source_efficiency, taken: taken(ln), nearer, overlap, waiting }
    }

    /// The same behaviour under another roof, where the time above it takes so many times as long.
    #[inline]
    pub(super) fn under(&self, roof: f64, longer: f64) -> Carried {
        let Self { source_efficiency, taken, overlap, .. } = *self;
        let [everything, added, body] = taken.under(roof, longer, overlap);
        let efficiency = taken.efficiency;
        if taken.beside <= 0.0 {
            return Carried {
                source_efficiency,
                efficiency,
                everything,
                added,
                above: 0.0,
                body,
                unheld: body,
            };
        }
        let nearer = self.nearer.filter(|_| everything > added);
        let body = nearer.map_or(body, |nearer| body.max(nearer.under(roof, longer, overlap)[2]));
        Carried { source_efficiency, efficiency, everything, added, above: body - roof, body, unheld: body }
    }
}

impl TakenEfficiency {
    /// Seconds under another roof: if all is as much slower than it, if the time above it goes with the rates of the SMs, and in between.
    #[inline]
    fn under(self, roof: f64, longer: f64, overlap: f64) -> [f64; 3] {
        let everything = roof * self.efficiency;
        if self.beside <= 0.0 {
            return [everything; 3];
        }
        let added =
            joined_by(roof, self.beside * longer, overlap).min(roof + MOST_ABOVE * self.above * longer);
        [everything, added, (1.0 - self.with_roof) * added + self.with_roof * everything]
    }
}

/// The b of (1 + b^p)^(1/p) = `whole`; 0 where nothing is left beside 1.
#[inline]
fn beside_one(whole: f64, p: f64) -> f64 {
    if p == 1.0 { (whole - 1.0).max(0.0) } else { (whole.powf(p) - 1.0).max(0.0).powf(1.0 / p) }
}

/// (a^p + b^p)^(1/p).
#[inline]
pub(super) fn joined_by(a: f64, b: f64, p: f64) -> f64 {
    if p == 1.0 || a <= 0.0 {
        return a + b;
    }
    let (short, long) = (a.min(b), a.max(b));
    long * (1.0 + (short / long).powf(p)).powf(1.0 / p)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_roof_gives_back_the_time_when_all_of_it_is_taken_over() {
        for (roof, body) in [(2.0, 5.0), (3.0, 4.0), (1.0, 0.5), (0.0, 2.0)] {
            assert!(
                (TimeOverRoof::as_timed(roof, body, 0.0).under(roof, 1.0).body / body - 1.0).abs() < 1e-12
            );
        }
    }

    #[test]
    fn time_above_the_roof_does_not_shrink_with_the_roof() {
        let carried = TimeOverRoof::as_timed(1.0, 3.0, 0.0).under(0.5, 0.9);
        assert!((carried.added - (0.5 + 1.8)).abs() < 1e-12 && (carried.everything - 1.5).abs() < 1e-12);
        let below = TimeOverRoof::as_timed(1.0, 0.8, 1.0).under(0.5, 0.9);
        assert!((below.body - 0.4).abs() < 1e-12 && below.above == 0.0);
    }

    #[test]
    fn flops_of_which_little_else_is_known_are_slower_than_their_rate_where_nobody_timed_them() {
        let roof = |flops_at_peak: f64, power: f64| LaunchRoof {
            time: flops_at_peak * power,
            tail: 1.0,
            latency: 1.0,
            latency_binds: false,
            power,
            at_peak: flops_at_peak,
            flops_at_peak,
            dram_at_peak: 0.0,
            dram: 0.0,
            dram_over_rest: 0.0,
            shared: 0.0,
            streamed: 1.0,
            kept: 1.0,
        };
        let own = TypicalEfficiency::new(1.0, SourceBuild::default());
        let library = TypicalEfficiency::new(1.0, SourceBuild { by_library: true, at_register_limit: false });
        let near = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-12, "{a} {b}");
        near(own.untimed_body(&roof(2.0, 1.0), 1.0), 2.0 * USUAL * (1.0 + SLOWER_FLOPS));
        near(own.untimed_body(&roof(2.0, 1.0), 0.0), 2.0 * USUAL);
        near(own.untimed_body(&roof(2.0, 3.0), 1.0), 6.0 * USUAL);
        near(library.untimed_body(&roof(2.0, 1.0), 1.0), 2.0 * USUAL_OF_LIBRARY);
    }

    #[test]
    fn near_the_roof_of_dram_alone_it_does_however_much_was_counted() {
        let typical = TypicalEfficiency::new(0.0, SourceBuild::default());
        let body = |ratio, taken: f64| {
            let typical = typical.with_dram_over_rest(ratio);
            TimeOverRoof::from_times(1.0, taken, typical, 0.0).under(0.1, 1.0).body
        };
        let shares = [1.0, 2.0, 3.0, 5.0, f64::INFINITY].map(|ratio| body(ratio, 1.13));
        assert!(shares.windows(2).all(|pair| pair[1] <= pair[0]), "{shares:?}");
        assert!(shares[0] > 0.13 && shares[4] < 0.125, "{shares:?}");
        assert!((body(9.0, 5.0) - body(1.0, 5.0)).abs() < 1e-3, "far above it");
    }

    #[test]
    fn where_all_is_counted_a_part_of_it_does() {
        let over_roof = |uncounted| TimeOverRoof::as_timed(1.0, 1.5, uncounted).under(0.5, 1.0).body;
        assert!(over_roof(0.0) < over_roof(0.5) && over_roof(0.5) < over_roof(1.0) && over_roof(0.0) > 0.75);
    }

    #[test]
    fn nothing_taken_over_is_the_usual_efficiency() {
        for (by_library, usual) in [(false, USUAL), (true, USUAL_OF_LIBRARY)] {
            let build = SourceBuild { by_library, at_register_limit: false };
            let typical = TypicalEfficiency::new(0.0, build).with_own_share(0.0, 0.0);
            let carried = TimeOverRoof::from_times(1.0, 100.0, typical, 0.0).under(2.0, 2.0);
            assert!((carried.everything - 2.0 * usual).abs() < 1e-12);
        }
    }

    /// A kernel of one block and a few bytes waits for what nobody counted: the smaller the counts, the less they say.
    #[test]
    fn far_from_any_roof_the_time_is_carried_as_it_is() {
        let typical = TypicalEfficiency::new(0.0, SourceBuild::default());
        let slower = |roof: f64| TimeOverRoof::from_times(roof, 1.0, typical, 0.0).under(roof, 1.0).body;
        assert!(slower(0.1) < 0.75 && slower(1e-9) > 0.88 && slower(1e-12) > slower(1e-9));
        let held =
            |share| TimeOverRoof::from_times(1e-3, 1.0, typical.held(share), 0.0).under(1e-3, 1.0).body;
        assert!(held(0.0) < held(0.5) && held(0.5) < held(1.0) && (held(1.0) - 1.0).abs() < 1e-12);
    }
}
