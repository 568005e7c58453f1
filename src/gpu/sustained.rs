//! What a model divides by: every constant of a GPU's SM and every rate it sustains, without a gap. A number that was
//! measured or published for this very GPU stands as it is; any other follows from its architecture, is marked `derived`
//! (or `assumed`, where the architecture's own number is), and its note says by which rule.

use super::architectures::{ArchitectureTable, GpuArchitecture};
use super::{Gpu, Sm};
use crate::catalogue::{NumberOrigin, Sourced};
use crate::units::{BytesPerSecond, FlopsPerSecond, Hertz, Seconds, Watts, significant};

/// What the whole GPU sustains.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Sustained {
    pub(super) fp32: Sourced<FlopsPerSecond>,
    /// How many times more of the FP32 rate the power limit leaves FLOPs whose operands stay in registers; 1 where it takes nothing.
    pub(super) register_gain: f64,
    /// What the board's power limit leaves products of the FP32 peak by the law of [`ArchitectureTable::power_law`], 0 to 1.
    pub(super) part_by_power: f64,
    /// How many times the part of the FP32 peak that it sustains at its own SM clock is that at the clock of its board.
    pub(super) clock_gain: f64,
    /// Whether a power limit holds its SM clock where it is, under the load of one kernel.
    pub(super) is_clock_held: bool,
    pub(super) int32: Sourced<FlopsPerSecond>,
    pub(super) dram: Sourced<BytesPerSecond>,
    pub(super) l2: Sourced<BytesPerSecond>,
    pub(super) launch_floor: Sourced<Seconds>,
    pub(super) block_starts: Sourced<f64>,
    pub(super) dram_latency: Sourced<Seconds>,
}

impl Sustained {
    /// Before it is known what of its peaks a GPU reaches: the peaks.
    pub(super) fn from_rates(
        fp32: &Sourced<FlopsPerSecond>,
        dram: &Sourced<BytesPerSecond>,
        launch_floor: &Sourced<Seconds>,
    ) -> Self {
        Self {
            fp32: fp32.clone(),
            register_gain: 1.0,
            part_by_power: 1.0,
            clock_gain: 1.0,
            is_clock_held: false,
            int32: fp32.clone(),
            dram: dram.clone(),
            l2: dram.clone(),
            launch_floor: launch_floor.clone(),
            block_starts: launch_floor.map(|_| 1.0),
            dram_latency: launch_floor.clone(),
        }
    }
}

/// The factor that an achieved rate may be multiplied by: what the power law says, and no more than keeps it at the new peak, or as
/// far above it as it was above the old one. `peaks` are the old and the new one.
pub(super) fn within_peak(ratio: f64, achieved: f64, [old, new]: [f64; 2]) -> f64 {
    ratio.min(new / old * (old / achieved).max(1.0))
}

/// How many times the FP32 rate that the power law leaves after a change of a GPU is that before it; 1 where the limit alone is another
/// one and the measured rate is above what the law leaves at the lower limit: the limit is not what holds it.
pub(super) fn ratio_by_power(
    [before, after]: [&Gpu; 2],
    architectures: &ArchitectureTable,
    is_limit_alone: bool,
) -> f64 {
    let law = [before, after].map(|gpu| gpu.fp32_by_power(architectures).value.0);
    let is_above = |rate: &Sourced<FlopsPerSecond>| rate.value.0 > law[0].min(law[1]);
    let is_refuted = is_limit_alone && before.fp32_achieved.as_ref().is_some_and(is_above);
    if is_refuted { 1.0 } else { law[1] / law[0] }
}

impl Gpu {
    /// FP32 rate that work sustains: measured (SGEMM or FMA loop), else what the power limit leaves of the peak.
    #[must_use]
    pub fn fp32_sustained(&self) -> &Sourced<FlopsPerSecond> {
        &self.sustained.fp32
    }

    /// Part of the FP32 peak (2 x lanes x SMs x boost clock) that work sustains; at most 1.
    #[must_use]
    pub fn fp32_sustained_part(&self) -> f64 {
        let lanes = f64::from(self.sms.value) * f64::from(self.fp32_lanes_per_sm.value);
        (self.sustained.fp32.value.0 / (2.0 * lanes * self.boost_clock.value.0)).min(1.0)
    }

    /// How many times more than [`Gpu::fp32_sustained`] the power limit leaves FLOPs whose operands stay in registers, up to the peak: what it
    /// takes of a product and not of them. 1 where it takes nothing.
    #[must_use]
    pub fn fp32_register_gain(&self) -> f64 {
        self.sustained.register_gain
    }

    /// What the board's power limit leaves products of the FP32 peak where nobody measured it, 0 to 1: 1 where it is no limit to them.
    #[must_use]
    pub fn fp32_part_by_power(&self) -> f64 {
        self.sustained.part_by_power
    }

    /// Whether a power limit holds its SM clock where it is ([`Gpu::at_clock_share`]): a higher one is not to be had.
    #[must_use]
    pub fn is_clock_held(&self) -> bool {
        self.sustained.is_clock_held
    }

    /// Rate of 32-bit integer multiply-adds, two operations each.
    #[must_use]
    pub fn int32_rate(&self) -> &Sourced<FlopsPerSecond> {
        &self.sustained.int32
    }

    /// DRAM bandwidth of a copy-like stream: measured, else the part of the peak that its relatives reach.
    #[must_use]
    pub fn bandwidth_sustained(&self) -> &Sourced<BytesPerSecond> {
        &self.sustained.dram
    }

    /// L2 read bandwidth: measured, else its architecture's bytes per clock and SM x SMs x boost clock.
    #[must_use]
    pub fn l2_bandwidth_or_derived(&self) -> &Sourced<BytesPerSecond> {
        &self.sustained.l2
    }

    /// Time of an empty launch, launches back to back: of this GPU's file, else the usual one of a Linux host. It belongs
    /// to the host, so that one measured on the host at hand comes first.
    #[must_use]
    pub fn launch_floor_or_assumed(&self) -> &Sourced<Seconds> {
        &self.sustained.launch_floor
    }

    /// Blocks of a launch that it starts per SM clock, on however many SMs.
    #[must_use]
    pub fn block_starts_per_clock(&self) -> &Sourced<f64> {
        &self.sustained.block_starts
    }

    /// Time from a load to its data in DRAM, one load at a time: that of its architecture, whose boards have memory of one kind.
    #[must_use]
    pub fn dram_latency(&self) -> &Sourced<Seconds> {
        &self.sustained.dram_latency
    }

    /// Works out what depends on the numbers of the GPU's own file, and on those laid over it.
    pub(super) fn resolve(&mut self, of: &GpuArchitecture, table: &ArchitectureTable) {
        let own = |own: Option<&Sourced<f64>>, general: &Sourced<f64>| {
            own.cloned().unwrap_or_else(|| self.derived(general, general.value, &significant(general.value)))
        };
        let of_sm = &of.sm;
        let lanes = self.lsu_lanes_per_sm.as_ref().map(|l| l.map(|v| f64::from(*v)));
        let general = |number: &Option<Sourced<f64>>| number.as_ref().map(|n| own(None, n));
        let sm = Sm {
            lsu_lanes: own(lanes.as_ref(), &of_sm.lsu_lanes),
            global_per_clock: own(self.global_per_clock.as_ref(), &of_sm.global_per_clock),
            shared_bytes_per_clock: own(self.shared_bytes_per_clock.as_ref(), &of_sm.shared_bytes_per_clock),
            issue_per_clock: own(self.issue_per_clock.as_ref(), &of_sm.issue_per_clock),
            alu_lanes: own(None, &of_sm.alu_lanes),
            imad_lanes: own(None, &of_sm.imad_lanes),
            xu_lanes: own(None, &of_sm.xu_lanes),
            dependent_issue: own(None, &of_sm.dependent_issue),
            cached_insts: self.straight_line_insts.clone().or_else(|| general(&of_sm.cached_insts)),
            fetch_cycles: general(&of_sm.fetch_cycles),
            streamed_per_clock: self
                .straight_line_issue
                .clone()
                .or_else(|| general(&of_sm.streamed_per_clock)),
            l2_holds_all_until: general(&of_sm.l2_holds_all_until),
            l2_holds_none_from: general(&of_sm.l2_holds_none_from),
            warp_mma_share: general(&of_sm.warp_mma_share),
        };
        let sustained = Sustained {
            int32: self.int32_by_lanes(of),
            register_gain: self.register_gain(table),
            part_by_power: self.part_by_power(table),
            clock_gain: self.sustained.clock_gain,
            is_clock_held: false,
            fp32: self.fp32_achieved.clone().unwrap_or_else(|| self.fp32_by_power(table)),
            dram: self.bandwidth_achieved.clone().unwrap_or_else(|| self.dram_by_relatives(of, table)),
            l2: self.l2_bandwidth.clone().unwrap_or_else(|| self.l2_by_sms(of)),
            launch_floor: self.launch_floor.clone().unwrap_or_else(|| table.launch_floor.clone()),
            block_starts: self.block_starts.clone().unwrap_or_else(|| table.block_starts.clone()),
            dram_latency: self.dram_latency_of(of),
        };
        (self.sm, self.sustained) = (sm, sustained);
    }

    /// What the power limit leaves of the peak where operands stay in registers, over what it leaves of it elsewhere.
    pub(super) fn register_gain(&self, table: &ArchitectureTable) -> f64 {
        let law = &table.power_law;
        let share = self.milliwatts_per_lane() / self.full_power(table).value;
        law.reached_part(share / law.registers_share.value) / law.reached_part(share)
    }

    /// [`Gpu::fp32_part_by_power`], worked out: at the clock of the board, whatever it is set to.
    pub(super) fn part_by_power(&self, table: &ArchitectureTable) -> f64 {
        let stated = self.stated_clocks();
        let per_lane =
            self.milliwatts_per_lane_at(stated.sm) * (stated.power_limit / self.power_limit_of_board());
        table.power_law.reached_part(per_lane / self.full_power(table).value)
    }

    /// A limit below the board's own lowers the clock instead (`limited`).
    fn power_limit_of_board(&self) -> Watts {
        self.lowered_from().unwrap_or(self.power_limit.value)
    }

    /// mW per FP32 lane and GHz that the board's limit leaves.
    fn milliwatts_per_lane(&self) -> f64 {
        self.milliwatts_per_lane_at(self.boost_clock.value)
    }

    fn milliwatts_per_lane_at(&self, clock: Hertz) -> f64 {
        let lanes = f64::from(self.sms.value) * f64::from(self.fp32_lanes_per_sm.value);
        1000.0 * self.power_limit_of_board().0 / (lanes * clock.0 / 1e9)
    }

    /// That which needs no lower clock; of the compute capability where it has its own.
    fn full_power<'t>(&self, table: &'t ArchitectureTable) -> &'t Sourced<f64> {
        let own = table.architecture_at(self.cuda.compute_capability).and_then(|of| of.full_power.as_ref());
        own.unwrap_or(&table.power_law.full_power)
    }

    /// `min(1, (w / full power)^exponent)` of the peak, w = mW per FP32 lane and GHz that the power limit leaves.
    pub(super) fn fp32_by_power(&self, table: &ArchitectureTable) -> Sourced<FlopsPerSecond> {
        let law = &table.power_law;
        let full_power = self.full_power(table);
        let limit = self.power_limit_of_board();
        let w = self.milliwatts_per_lane();
        let part = law.reached_part(w / full_power.value);
        let peak = self.fp32_peak.value;
        let rule =
            format!("{} of {peak}: {} mW per lane-GHz under {limit}", significant(part), significant(w));
        let origin = NumberOrigin::Derived.max(full_power.origin).max(law.exponent.origin);
        let value = FlopsPerSecond(part * peak.0);
        Sourced { value, origin, source: law.exponent.source.clone(), note: Some(rule.into()), date: None }
    }

    fn int32_by_lanes(&self, of: &GpuArchitecture) -> Sourced<FlopsPerSecond> {
        let (lanes, sms, clock) = (&of.sm.imad_lanes, self.sms.value, self.boost_clock.value);
        let rule = format!("2 x {} lanes x {sms} SMs x {:.0} MHz", significant(lanes.value), clock.0 / 1e6);
        self.derived(lanes, FlopsPerSecond(2.0 * lanes.value * f64::from(sms) * clock.0), &rule)
    }

    fn dram_by_relatives(&self, of: &GpuArchitecture, table: &ArchitectureTable) -> Sourced<BytesPerSecond> {
        let part = if self.ecc { &table.ecc_dram_fraction } else { &of.dram_fraction };
        let peak = self.bandwidth_peak.value;
        let ecc = if self.ecc { " with ECC" } else { "" };
        let rule = format!("{} of {peak}{ecc}", significant(part.value));
        self.derived(part, BytesPerSecond(part.value * peak.0), &rule)
    }

    fn dram_latency_of(&self, of: &GpuArchitecture) -> Sourced<Seconds> {
        let of = &of.dram_latency;
        let rule = format!("{} ns", significant(of.value * 1e9));
        self.derived(of, Seconds(of.value), &rule)
    }

    fn l2_by_sms(&self, of: &GpuArchitecture) -> Sourced<BytesPerSecond> {
        let (per_clock, clock) = (&of.l2_bytes_per_clock, self.boost_clock.value);
        let sms = self.sms.value;
        let rule = format!("{} B/clock x {sms} SMs x {:.0} MHz", significant(per_clock.value), clock.0 / 1e6);
        self.derived(per_clock, BytesPerSecond(per_clock.value * f64::from(sms) * clock.0), &rule)
    }

    /// What a number of the architecture makes of this GPU: derived, or assumed where that number is.
    fn derived<T>(&self, from: &Sourced<f64>, value: T, rule: &str) -> Sourced<T> {
        let why = from.note.as_deref().map(|n| format!(" ({n})")).unwrap_or_default();
        let note = format!("compute capability {}: {rule}{why}", self.cuda.compute_capability);
        let origin = from.origin.max(NumberOrigin::Derived);
        Sourced { value, origin, source: from.source.clone(), note: Some(note.into()), date: None }
    }
}
