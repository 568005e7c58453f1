//! The two ends of a question on plain numbers: what each GPU brings whatever the other is, and what they give together.

use super::Answered;
use super::end::End;
use super::excess::Excess;
use super::launching::{LaunchStart, Launching, TimedRoof};
use super::nearness::{Nearness, OtherBoard, alike_by};
use super::transfer::{Carried, FAR, LaunchRoof, TimeOverRoof, TypicalEfficiency};
use super::unstated_type::UnstatedType;
use crate::pair::Pair;
use crate::predict::floor::capped_floor;
use crate::predict::operators::carried;
use crate::predict::{Causes, Doubt, ModelRefusal, joined_doubts, library_distance, sound};
use crate::roofline::{MachineNumbers, Spec};
use crate::units::Seconds;
use std::cmp::Ordering;

/// The share of pipes that were not counted from which on a build at the register limit gains no more on another architecture than the
/// rate that grew most: so much of its efficiency is unknown that nothing says that it spills.
const FEW_COUNTED: f64 = 0.5;

/// Modelled times of an operator on sister boards up to this factor apart say nothing of which is the faster.
const ALIKE_MODELLED: f64 = 1.05;

/// Bandwidth of reads alone over that of a copy, which sustained bandwidths are: as of decode attention on three GPUs.
const READS_OVER_COPIES: f64 = 1.1;

/// How much more of what a build at the register limit keeps of its efficiency is doubted than of a library's: what one compiler spills another may not. With as
/// much as a library's, rows of 255 registers of the recompiled convolution held 56 % from an RTX 3090 to an RTX 2080 Ti.
const DRAWN_AT_REGISTER_LIMIT: f64 = 2.0;

/// What of the distance between the ratios of bandwidths and of SMs adds to the spread of rates where bytes were not counted.
const NOTHING_COUNTED: f64 = 0.32;

/// How long a launch that DRAM binds takes without ECC, of its time with it: 0.76 of the stated bandwidth with, 0.93 to 0.98 without (an A40 and an L40 of
/// gpu-benches). Such a time says that ECC is off there, and nothing of the other GPU.
const WITHOUT_ECC: f64 = 0.8;

/// How far beyond what any rate can make of a time an interval may reach: beyond 1.5 lie 0 to 1.5 points of the coverage of six families at
/// seven levels of information.
const BEYOND_RATES: f64 = 1.6;

/// The same of a launch floor that was measured of the very GPU: it belongs to the host, and launches of one host differ by as much.
const BEYOND_KNOWN_FLOOR: f64 = 1.25;

/// What counts of how much shorter a roof were if more of the bytes through L2 stayed there, beside how much longer one were if less did: so wide,
/// 90 % intervals reach the answer without DRAM and not far beyond.
const KEPT_REACH: f64 = 0.3;

/// The share of its roof below which a time on the source says that counts are too high: clocks and sustained rates are known to a tenth. Of 0.85,
/// 0.92 and 1 this one costs the families nothing.
const BELOW_ROOF: f64 = 0.85;

/// What a source says to every target.
#[derive(Debug, Clone, Copy)]
pub(super) struct SourceShare {
    end: End,
    launching: Launching,
    excess: Excess,
    timed: Option<f64>,
    /// The same where this very size was timed: a number of the board bounds what a change of the board leaves of it.
    of_size: Option<f64>,
    /// The same where it is below the floor of launches: those of targets cost less as well ([`capped_floor`]).
    below_floor: Option<f64>,
    start: LaunchStart,
    /// The time over the sum of its launch and what was taken for its body: below 1 where a time at its floor has no room for one.
    timed_over_sum: f64,
    over_roof: TimeOverRoof,
    typical: TypicalEfficiency,
    unstated_type: UnstatedType,
    /// ln η; 0 where there is no roof.
    ln_efficiency: f64,
    /// (ln η over [`FAR`])^4: far above its roof a kernel's time does not shrink with the roof alone.
    far: f64,
}

impl SourceShare {
    /// `timed`: the time on this GPU in seconds, where one was timed at some size.
    /// `typical`: what is typical of the efficiency of such kernels.
    pub(super) fn new(
        end: End,
        timed: Option<f64>,
        launching: Launching,
        excess: Excess,
        typical: TypicalEfficiency,
    ) -> Self {
        let roof = end.roof.time;
        let below_floor = timed.filter(|timed| *timed < end.floor);
        let floor = capped_floor(below_floor, end.floor, end.floor);
        let start = launching.start(timed, floor, TimedRoof { time: roof, is_whole: excess.knows_dram });
        let sum = |body| launching.launched(floor, launching.gap(floor, start.gap), body);
        let timed_over_sum = timed.zip(start.body).map_or(1.0, |(time, body)| time / sum(body));
        let typical = typical
            .with_own_share(start.own, launching.own_below(start.own))
            .with_dram_over_rest(end.roof.dram_over_rest);
        let body = start.body.unwrap_or_else(|| {
            typical.untimed_body(&end.roof, launching.uncounted_of_kernel(excess.uncounted))
        });
        let roof =
            if end.may_lack_ecc && timed.is_some() { roof.min(body.max(WITHOUT_ECC * roof)) } else { roof };
        let over_roof = TimeOverRoof::from_times(roof, body, typical, excess.uncounted);
        let ln_efficiency = if roof > 0.0 { over_roof.source_efficiency.ln() } else { 0.0 };
        let far = (ln_efficiency / FAR).powi(4);
        let excess = excess.with_explained(end.roof.flops_at_peak / body);
        Self {
            end,
            launching,
            excess,
            timed,
            of_size: timed,
            below_floor,
            start,
            timed_over_sum,
            over_roof,
            typical,
            unstated_type: UnstatedType::on(&end, &excess, body),
            ln_efficiency,
            far,
        }
    }

    /// The same of a time that is carried from another size where `is_of_size` does not hold: an estimate bounds nothing.
    #[must_use]
    pub(super) fn timed_at_size(self, is_of_size: bool) -> Self {
        Self { of_size: self.timed.filter(|_| is_of_size), ..self }
    }

    /// The answer on this target.
    #[inline]
    pub(super) fn answered(&self, target: &End, nearness: Nearness) -> Result<Answered, ModelRefusal> {
        // A number of the board that this kernel has no use for changes nothing.
        let is_untouched = || nearness == Nearness::SameBoard && self.end == *target;
        let same = nearness == Nearness::SameSettings || is_untouched();
        if let Some(both) = self.operators(target).filter(|_| !same || self.timed.is_none()) {
            return self.operator(target, both, nearness);
        }
        let roofs = Pair::new(self.end.roof.time, target.roof.time);
        let has_roofs = roofs.iter().all(|r| *r > 0.0);
        if !has_roofs && self.start.body.is_none() {
            return Err(ModelRefusal::NeitherTimeNorWork { model: super::ID });
        }
        let start = self.start;
        if let (Some(time), Some(body), true) = (self.timed, start.body, same) {
            let carried = TimeOverRoof::as_timed(roofs.source, body, 1.0).under(roofs.source, 1.0);
            let time = sound(Seconds(time), super::ID)?;
            return Ok(Answered { time, body, start, roofs: Pair::same(roofs.source), carried, same });
        }
        // Whole tiles of a library's product leave SMs idle: the roof of more of them may be longer under a power limit, which the source's hides.
        let is_of_target = start.body.is_none() && roofs.target > 0.0 && !self.typical.build.by_library;
        let over_roof = match (nearness, start.body) {
            // All of it: the smaller the change, the nearer the answer to the time that was measured.
            (Nearness::SameBoard, Some(body)) => {
                TimeOverRoof::as_timed(roofs.source, body, self.excess.uncounted)
            }
            (Nearness::Other(OtherBoard { held, .. }), Some(body)) if held > 0.0 => {
                TimeOverRoof::from_times(roofs.source, body, self.typical.held(held), self.excess.uncounted)
            }
            // Nothing was timed: the source has no part in it.
            _ if is_of_target => self.usual_over(&target.roof),
            _ => self.over_roof,
        };
        let slower = if is_of_target {
            1.0
        } else {
            self.excess.slower(&self.end.pace, &target.pace, over_roof.waiting)
        };
        let carried = over_roof.under(target.roof.time, slower);
        let carried = match (nearness, start.body) {
            (Nearness::Other(board), Some(body)) if has_roofs => {
                let carried = self.in_reach(carried, body, target, board);
                let own = self.start.own;
                let carried = carried.between(self.in_order([own * body, body / own], target, nearness));
                let of_lanes = if self.excess.on_stated_lanes { target.flops_above_clock() } else { 0.0 };
                let carried = carried.between([of_lanes, f64::INFINITY]);
                self.of_unstated_type(carried, body, target)
            }
            _ => carried,
        };
        let body = carried.body;
        let (floor, gap) = (self.floor_on(target), self.gap_on(target));
        // The smaller the change of a board, the nearer the answer to the time that was measured.
        let kept = if nearness == Nearness::SameBoard { self.timed_over_sum } else { 1.0 };
        let time = sound(Seconds(kept * self.launching.launched(floor, gap, body)), super::ID)?;
        Ok(Answered { time, body, start, roofs, carried, same: false })
    }

    /// The same of a kernel that tensor cores may do, which took so many seconds on the source.
    #[inline]
    fn of_unstated_type(&self, carried: Carried, timed: f64, target: &End) -> Carried {
        if !self.unstated_type.may_be() {
            return carried;
        }
        let of_tensors = self.on_tensor_cores(timed, target);
        carried.between([self.unstated_type.body(carried.body, of_tensors); 2])
    }

    /// A kernel of which nothing was timed under this roof, in seconds.
    fn usual_over(&self, roof: &LaunchRoof) -> TimeOverRoof {
        let uncounted = self.excess.uncounted;
        let body = self.typical.untimed_body(roof, self.launching.uncounted_of_kernel(uncounted));
        TimeOverRoof::from_times(roof.time, body, self.typical.with_usual_body(body, roof.time), uncounted)
    }

    /// Whether a library may run another kernel on the target.
    #[inline]
    fn picks_another(&self) -> bool {
        self.typical.build.by_library || self.launching == Launching::Dispatch
    }

    /// The same no further from a body that was timed, in seconds, than what differs can move it. The components take their time whatever
    /// warps were thought to wait. A library may run another kernel there; any other does no more than the target's rates allow where it
    /// did no more than those of the source, whose power limit a shorter time disproves. On GPUs of one architecture it gains no more than
    /// the rate that grew most, and loses no more than the one that fell most, or its roof where that moved further; the first holds on
    /// others too for a build at the register limit of which little was counted, the second for a time below its roof, of which nothing waits.
    #[inline]
    fn in_reach(&self, carried: Carried, timed: f64, target: &End, board: OtherBoard) -> Carried {
        let (from, to) = (self.end.roof.of_components(), target.roof.of_components());
        let no_sooner = |from: f64, to: f64| [(timed / from).min(1.0) * to, f64::INFINITY];
        if self.picks_another() {
            return carried.between(no_sooner(from, to));
        }
        let at_peak = no_sooner(self.end.roof.at_peak, target.roof.at_peak);
        let carried = carried.between(no_sooner(from / self.end.roof.power, to));
        let little_counted = self.typical.build.at_register_limit && self.excess.uncounted >= FEW_COUNTED;
        let gains_no_more = board.is_same_architecture || little_counted;
        let below_roof = timed / self.end.roof.time;
        let loses_no_more = board.is_same_architecture || below_roof < 1.0;
        if !gains_no_more && !loses_no_more {
            return carried.between(at_peak);
        }
        let roofs = target.roof.time / self.end.roof.time;
        let [gained, lost] = self.excess.rate_range(&self.end.pace, &target.pace);
        let least = if gains_no_more { timed * gained.min(roofs) } else { 0.0 };
        // The nearer the roof, the less a time says that counts are too high.
        let nearer = ((below_roof - BELOW_ROOF) / (1.0 - BELOW_ROOF)).max(0.0);
        let loosened = if board.is_same_architecture { 1.0 } else { 1.0 + nearer * nearer };
        let most = if loses_no_more { loosened * timed * lost.max(roofs) } else { f64::INFINITY };
        carried.between([least, most]).between(at_peak)
    }

    /// The least and the most seconds on a target of the same architecture: the first of these where it has less of some rates than the source and more
    /// of none, the second where it has more of some and less of none.
    #[inline]
    fn in_order(&self, [least, most]: [f64; 2], target: &End, nearness: Nearness) -> [f64; 2] {
        let is_sister = matches!(nearness, Nearness::Other(OtherBoard { is_same_architecture: true, .. }));
        match self.end.is_changed_beyond(ALIKE_MODELLED, target).filter(|_| is_sister) {
            Some(Ordering::Greater) => [0.0, most],
            Some(Ordering::Less) => [least, f64::INFINITY],
            _ => [0.0, f64::INFINITY],
        }
    }

    /// What a launch costs on this target, in seconds.
    #[inline]
    pub(super) fn floor_on(&self, target: &End) -> f64 {
        capped_floor(self.below_floor, self.end.floor, target.floor)
    }

    /// What passes between kernels there that nothing hides, in seconds.
    #[inline]
    fn gap_on(&self, target: &End) -> f64 {
        self.launching.gap(self.floor_on(target), self.start.gap)
    }

    /// Whether the answer is that of the operators' model.
    #[inline]
    pub(super) fn is_by_operator(&self, target: &End) -> bool {
        self.operators(target).is_some()
    }

    /// The modelled times of the operator. Where the source was not measured, it need not have what the operator runs
    /// on: the target's own time stands for it.
    #[inline]
    fn operators(&self, target: &End) -> Option<Pair<f64>> {
        let there = target.operator?;
        let untimed = || Some(there).filter(|_| self.timed.is_none());
        Some(Pair::new(self.end.operator.or_else(untimed)?, there))
    }

    /// The operators' model: its two times stand in the places of the roofs. What was taken of a fast source is no more than the target's
    /// bytes and FLOPs allow.
    fn operator(&self, target: &End, times: Pair<f64>, nearness: Nearness) -> Result<Answered, ModelRefusal> {
        let time = carried(times, self.timed, nearness.share_alike(), super::ID)?;
        let [least, most] =
            self.timed.map_or([0.0, f64::INFINITY], |timed| self.in_order([timed; 2], target, nearness));
        let time = Seconds(time.0.min(most).max(least));
        // What was not timed may find its operands in L2, which its model knows.
        let time = if self.timed.is_some() { time.max(Seconds(self.least_body(target))) } else { time };
        let start = LaunchStart { body: self.timed, own: 1.0, gap: 0.0 };
        let Pair { source, target } = times;
        let carried = TimeOverRoof::as_timed(source, source, 0.0).under(target, 1.0);
        Ok(Answered { time, body: time.0, start, roofs: times, carried, same: false })
    }

    /// What makes this answer less certain than others; `distance`: of the architectures.
    #[inline]
    pub(super) fn doubt(
        &self,
        target: &End,
        answered: &Answered,
        nearness: Nearness,
        distance: f64,
    ) -> Doubt {
        if answered.same {
            // A size that was not measured moves its bytes all the same.
            return Doubt::none().no_shorter_than(self.shortest_body(target) / answered.time.0);
        }
        if let Some(Pair { source, .. }) = self.operators(target) {
            let off = self.timed.map_or(0.0, |timed| (timed / source).ln().abs());
            let shortest = self.shortest_body(target) / answered.time.0;
            // Where the model of one that was not timed keeps more in L2 than that, it is no bound.
            let is_bound = self.timed.is_some() || shortest <= 1.0;
            return Doubt::of_operator((1.0 - nearness.share_alike()) * off, distance)
                .no_shorter_than(if is_bound { shortest } else { 0.0 });
        }
        let Answered { carried, body, time, .. } = *answered;
        let gap = self.gap_on(target);
        let in_body = self.launching.share_of_body(gap, body, time.0);
        let has_roof = carried.everything > 0.0;
        let above = carried.above > 0.0;
        // The farther above its roof, the less this reading counts.
        let far = self.far;
        let apart = || (carried.added / carried.everything).ln().abs() / (1.0 + far);
        let readings = if above && has_roof { apart() } else { 0.0 };
        let spread = if above { self.excess.spread(&self.end.pace, &target.pace) } else { 0.0 };
        let spread = carried.above / body * spread;
        // Bytes that nobody counted may bind the target whatever was counted beside them.
        let spread = if self.excess.knows_dram {
            spread
        } else {
            let apart = Excess::bandwidth_against_sms(&self.end.pace, &target.pace);
            joined_doubts(spread, NOTHING_COUNTED * apart)
        };
        let efficiency = if has_roof { self.ln_efficiency } else { 0.0 };
        let idle_sms = self.excess.unknown_blocks(&self.end.pace, &target.pace, efficiency);
        let spread = joined_doubts(spread, idle_sms);
        let is_drawn = has_roof && self.typical.build.is_another();
        let drawn = if is_drawn { (carried.efficiency / carried.source_efficiency).ln().abs() } else { 0.0 };
        let drawn =
            if self.typical.build.at_register_limit { DRAWN_AT_REGISTER_LIMIT * drawn } else { drawn };
        let unknown = self.launching != Launching::Dispatch;
        let floor =
            if target.knows_floor { 0.0 } else { self.launching.floor_doubt(self.floor_on(target), time.0) };
        let floor = joined_doubts(floor, self.launching.gap_doubt(gap, body, time.0));
        let doubt = Doubt::new(Causes {
            in_body,
            readings,
            spread,
            efficiency: efficiency / (1.0 + far),
            below_roof: (BELOW_ROOF.ln() - efficiency).max(0.0),
            drawn,
            uncounted: self.excess.uncounted,
            distance: if self.launching == Launching::Dispatch {
                library_distance(distance)
            } else {
                distance
            },
            unknown_build: unknown && (self.end.unknown_build || target.unknown_build),
            floor,
            supply: (self.end.slower_supply - target.slower_supply).abs(),
            conflicts: self.end.roof.shared.max(target.roof.shared)
                * self.excess.unknown_conflicts(&self.end.pace, &target.pace),
            reuse: (target.roof.time / body).min(1.0) * of_share(self.unknown_reuse(target), in_body),
            power: if self.excess.on_tensor_cores {
                ln_apart(target.roof.power, self.end.roof.power)
            } else {
                0.0
            },
            library: ln_apart(target.library_share, self.end.library_share),
            element_type: self.of_element_type(target, body),
            shortest: self.shortest_body(target) / time.0,
            by_rates: self.range_by_rates(target, *answered, nearness),
        });
        match nearness {
            Nearness::Other(board) if board.held > 0.0 => {
                // Launches of two hosts differ, however alike their boards are.
                let of_board = (1.0 - self.floor_on(target) / time.0).max(0.0);
                let of_dram = alike_by(Excess::bandwidths_apart(&self.end.pace, &target.pace));
                doubt.between_alike(board.held * of_dram * of_board)
            }
            Nearness::Other(_) | Nearness::SameSettings | Nearness::SameBoard => doubt,
        }
    }

    /// The seconds on a target of a body of so many if tensor cores do the FLOPs of an unstated type.
    #[inline]
    fn on_tensor_cores(&self, body: f64, target: &End) -> f64 {
        UnstatedType::on_tensor_cores(body, [&self.end, target], &self.excess)
    }

    /// |ln| between a body and what it were if tensor cores did the FLOPs of an unstated type.
    #[inline]
    fn of_element_type(&self, target: &End, body: f64) -> f64 {
        let timed = self.start.body.filter(|_| self.unstated_type.may_be());
        timed.map_or(0.0, |timed| self.unstated_type.doubt(body, self.on_tensor_cores(timed, target)))
    }

    /// |ln| of how much longer one of the roofs were if less stayed in L2, or if more did where bytes through L2 stand for those of DRAM.
    #[inline]
    fn unknown_reuse(&self, target: &End) -> f64 {
        let (from, to) = (&self.end.roof, &target.roof);
        let kept = if self.excess.knows_dram { 0.0 } else { ln_apart(to.kept, from.kept) };
        ln_apart(to.streamed, from.streamed) + KEPT_REACH * kept
    }

    /// The least and the most of the predicted time that the rates of the two GPUs can make of the source's, and of the predicted body in any
    /// case [`BEYOND_RATES`]. Where it is not known whether buffers stay in L2, both are meant. More of a board's numbers and less of none
    /// makes nothing longer, less and more of none nothing shorter.
    #[inline]
    fn range_by_rates(&self, target: &End, answered: Answered, nearness: Nearness) -> [f64; 2] {
        let is_one_board = nearness == Nearness::SameBoard;
        let runs_another = self.picks_another() || self.typical.build.at_register_limit;
        let Some(body) = self.start.body.filter(|_| is_one_board || !runs_another) else {
            return [0.0, f64::INFINITY];
        };
        let [mut gained, mut lost] = self.excess.rate_range(&self.end.pace, &target.pace);
        if self.unstated_type.may_be() {
            let of_tensors = self.on_tensor_cores(body, target) / body;
            (gained, lost) = (gained.min(of_tensors), lost.max(of_tensors));
        }
        let (from, to) = (&self.end.roof, &target.roof);
        if from.time > 0.0 {
            let [less, more] = if self.excess.knows_dram { [1.0; 2] } else { [to.kept, from.kept] };
            gained = gained.min(to.time / (less * from.time * from.streamed));
            lost = lost.max(more * to.time * to.streamed / from.time);
        }
        let (floor, gap) = (self.floor_on(target), self.gap_on(target));
        let other_host = if target.knows_floor { BEYOND_KNOWN_FLOOR } else { BEYOND_RATES };
        let share = |floor: f64, body: f64| self.launching.launched(floor, gap, body) / answered.time.0;
        let predicted = answered.body;
        let (least, most) = (predicted.min(body * gained), predicted.max(body * lost));
        let beyond =
            [share(floor / other_host, least / BEYOND_RATES), share(floor * other_host, most * BEYOND_RATES)];
        let timed = self.of_size.filter(|_| is_one_board).map(|timed| timed / answered.time.0);
        // Of another board nothing is made of it.
        match timed.zip(timed.and_then(|_| self.end.is_changed_to(target))) {
            Some((timed, Ordering::Greater)) => [beyond[0], timed],
            Some((timed, Ordering::Less)) => [timed, beyond[1]],
            _ if self.picks_another() => [0.0, f64::INFINITY],
            _ => beyond,
        }
    }

    /// Seconds that no launch on this target stays below: its bytes of DRAM at the bandwidth that is stated and its FLOPs at a clock that a board
    /// may have. A source that took less says that counts are too high: by the square of that they limit less. Bytes that nobody counted do not at all.
    #[inline]
    fn shortest_body(&self, target: &End) -> f64 {
        self.least_body_by(target, |roof| roof.dram_at_peak)
    }

    /// What an estimate does not stay below: the same with its bytes read at the bandwidth that is sustained, where the source kept to that as well.
    #[inline]
    fn least_body(&self, target: &End) -> f64 {
        self.least_body_by(target, |roof| roof.dram / READS_OVER_COPIES).max(self.shortest_body(target))
    }

    #[inline]
    fn least_body_by(&self, target: &End, dram: impl Fn(&LaunchRoof) -> f64) -> f64 {
        let (from, to) = (dram(&self.end.roof), dram(&target.roof));
        let at_least = |source: f64, target: f64| match self.start.body {
            Some(body) if body < source => (body / source).powi(2) * target,
            _ => target,
        };
        let of_flops = if self.unstated_type.may_be() {
            0.0
        } else {
            at_least(self.end.flops_above_clock(), target.flops_above_clock())
        };
        let of_bytes = if self.excess.knows_dram { at_least(from, to) } else { 0.0 };
        of_flops.max(of_bytes)
    }
}

/// ln by which a part grows, as ln of the whole over its share: of a large one the whole gains more than by share.
#[inline]
fn of_share(ln: f64, share: f64) -> f64 {
    if ln == 0.0 || share <= 0.0 { ln } else { (share * ln.exp_m1()).ln_1p() / share }
}

/// |ln a / b|: mostly of the same number twice.
#[inline]
fn ln_apart(a: f64, b: f64) -> f64 {
    if a == b { 0.0 } else { (a / b).ln().abs() }
}

/// ln of how many times less a GPU issues of a work's code as a launch finds it than it could.
#[inline]
pub(super) fn slower_supply(machine: &MachineNumbers, filled: &MachineNumbers) -> f64 {
    let (most, supplied) = (machine.spec_value(Spec::IssuePerClock), filled.spec_value(Spec::IssuePerClock));
    if most == supplied { 0.0 } else { (most / supplied).ln() }
}
