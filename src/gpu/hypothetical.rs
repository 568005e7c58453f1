//! A GPU with some numbers changed: the rest follows, what contradicts itself is refused, and it is marked.
//!
//! | changed | follows |
//! |---|---|
//! | SMs, SM clock, FP32 lanes | FP32 and FP16 peaks; achieved FP32 by the power law at the new w per lane and clock |
//! | SMs, SM clock, FP64 lanes | FP64 peak and achieved |
//! | SMs, SM clock, tensor rate | tensor rates |
//! | SM clock | L2 bandwidth (it runs with the SMs, as in `tuning`) |
//! | bandwidth and bus, or bus and data rate | the third of the three; achieved bandwidth by the same factor |
//! | power limit above that of the board | sustained FP32 by the power law |
//! | power limit below it | nothing here: the clock of each kernel, by what it draws (`limited`) |
//!
//! L2 bandwidth, load/store lanes, registers, shared memory, warps, launch overhead and memory size stand for themselves. What is
//! derived from the architecture (`sustained`) is derived from the numbers of the base first, so that changing one number changes no
//! other one's rule.

use super::changes::{ChangeAmount, ChangeError, GpuChange, GpuChanges};
use super::gpu_number::GpuNumber;
use super::sustained::{ratio_by_power, within_peak};
use super::typed_note::{NoteRule, TYPED, TypedNote};
use super::{ArchitectureTable, Gpu, Tuning};
use crate::catalogue::Sourced;
use crate::units::{Bytes, BytesPerSecond, FlopsPerSecond, Hertz, Seconds, Watts};
use std::sync::Arc;

/// Stands before the name of a GPU that does not exist, wherever it is shown.
pub(super) const MARK: char = '◇';

/// Two numbers this near to each other say the same.
const SAME: f64 = 0.01;

/// No number is changed by more than this factor, either way: a slip of the unit.
const MOST: f64 = 100.0;

/// No SM clock is set higher, in hertz: twice what shipped GPUs state at most (a test asks). A slip of the unit or of a digit lies above it.
const HIGHEST_CLOCK: f64 = 6e9;

/// None is set lower: GPUs that do nothing run at 135 MHz. `sm=51` below it most likely counts SMs.
const LOWEST_CLOCK: f64 = 100e6;

/// What a GPU that does not exist was made of.
#[derive(Debug, Clone)]
pub struct Hypothetical {
    /// The id of the GPU it is based on.
    pub based_on: String,
    /// What was changed of that one.
    pub changes: GpuChanges,
    base: Gpu,
}

impl Hypothetical {
    /// The GPU it is based on.
    #[must_use]
    pub fn base(&self) -> &Gpu {
        &self.base
    }

    pub(super) fn base_board_id(&self) -> &str {
        self.base.board_id()
    }

    /// How many times faster each pin of another memory is; a changed data rate is another clock of the same one.
    fn memory_gain(&self) -> f64 {
        let ratio = |number| self.changes.ratio_on(&self.base, number);
        let is_other = self.changes.get(GpuNumber::Bandwidth).is_some();
        if is_other { ratio(GpuNumber::Bandwidth) / ratio(GpuNumber::BusBits) } else { 1.0 }
    }

    /// Whether clocks and power limit are all that was changed; a number that was set to what it is was not.
    pub(super) fn is_at_settings(&self) -> bool {
        let is_setting =
            |number| matches!(number, GpuNumber::SmClock | GpuNumber::DataRate | GpuNumber::PowerLimit);
        let is_other = |change: &&GpuChange| !change.leaves_as_it_is(&self.base);
        let mut changed = self.changes.all().iter().filter(is_other);
        self.base.is_board_at_settings() && changed.all(|change| is_setting(change.number))
    }
}

impl Gpu {
    /// The launch overhead that was set to a value, which holds whatever the launches of a host took; one that was changed by a
    /// factor changes those by as much.
    #[must_use]
    pub fn set_launch_overhead(&self) -> Option<&Sourced<Seconds>> {
        let changed = self.hypothetical.as_ref()?.changes.get(GpuNumber::LaunchOverhead)?;
        matches!(changed, ChangeAmount::To(_)).then(|| self.launch_floor_or_assumed())
    }

    /// Whether it is none of the catalogue: some numbers were typed, or follow from a rule.
    #[must_use]
    pub fn is_hypothetical(&self) -> bool {
        self.hypothetical.is_some() || self.derived.is_some()
    }

    /// Whether its name, or a change that made it, states one of these settings already.
    #[must_use]
    pub fn states_setting(&self, typed: Tuning) -> bool {
        let by_name = Tuning::of_name(&self.id).joined(typed).is_err();
        by_name
            || self.hypothetical.as_ref().is_some_and(|made| {
                let is_changed = |number| made.changes.get(number).is_some();
                let by_change = (typed.sm_clock.is_some() && is_changed(GpuNumber::SmClock))
                    || (typed.mem_clock.is_some() && is_changed(GpuNumber::DataRate))
                    || (typed.mem_clock.is_some() && is_changed(GpuNumber::Bandwidth))
                    || (typed.power_limit.is_some() && is_changed(GpuNumber::PowerLimit));
                by_change || made.base.states_setting(typed)
            })
    }

    /// The GPU that exists: this one, or what a hypothetical one is based on in the end. The waves of a launch are counted on it:
    /// a last wave that is not full comes and goes with every SM, and would make more SMs slower here and there.
    #[must_use]
    pub fn existing(&self) -> &Self {
        self.hypothetical.as_ref().map_or(self, |made| made.base.existing())
    }

    /// How many times faster than that of its board its memory is at the same setting: 1 but where its bandwidth was changed.
    #[must_use]
    pub fn memory_gain(&self) -> f64 {
        self.hypothetical.as_ref().map_or(1.0, |made| made.memory_gain() * made.base.memory_gain())
    }

    /// The same GPU under another id, without its other names.
    #[must_use]
    pub fn as_copy(&self, id: &str) -> Self {
        Self {
            id: id.to_string(),
            names: Vec::new(),
            aliases: Vec::new(),
            instances: Vec::new(),
            ..self.clone()
        }
    }

    /// A number in SI; `None` where nobody states it. Of tensor rates, which are several, 1.
    #[must_use]
    pub fn number(&self, number: GpuNumber) -> Option<f64> {
        Some(match number {
            GpuNumber::Sms => f64::from(self.sms.value),
            GpuNumber::SmClock => self.boost_clock.value.0,
            GpuNumber::Bandwidth => self.bandwidth_peak.value.0,
            GpuNumber::BusBits => f64::from(self.bus_bits.value),
            GpuNumber::DataRate => self.data_rate.value,
            GpuNumber::L2Size => self.l2_size.value.0,
            GpuNumber::L2Bandwidth => self.l2_bandwidth_or_derived().value.0,
            GpuNumber::SharedPerSm => f64::from(self.cuda.limits.smem_per_sm),
            GpuNumber::RegistersPerSm => f64::from(self.cuda.limits.regs_per_sm),
            GpuNumber::MaxWarps => f64::from(self.cuda.limits.warps_per_sm()),
            GpuNumber::Fp32Lanes => f64::from(self.fp32_lanes_per_sm.value),
            GpuNumber::Fp64Lanes => f64::from(self.fp64_lanes_per_sm.as_ref()?.value),
            GpuNumber::Fp32Peak => self.fp32_peak.value.0,
            GpuNumber::TensorRate => self.tensor.first().map(|_| 1.0)?,
            GpuNumber::LsuLanes => self.sm.lsu_lanes.value,
            GpuNumber::LaunchOverhead => self.launch_floor_or_assumed().value.0,
            GpuNumber::PowerLimit => self.power_limit.value.0,
            GpuNumber::MemorySize => self.memory_size.value.0,
        })
    }

    /// This GPU with these numbers changed, under this id, marked hypothetical.
    ///
    /// # Errors
    /// [`ChangeError`] for a value that no GPU could have, and for two numbers that contradict each other: both are named.
    pub fn changed(&self, changes: &GpuChanges, id: &str) -> Result<Self, ChangeError> {
        self.changed_by(ChangePlan { base: self, changes, rule: None }, id)
    }

    /// [`Gpu::changed`], where a rule changes the numbers and nobody typed them.
    ///
    /// # Errors
    /// As [`Gpu::changed`].
    pub(super) fn changed_by_rule(
        &self,
        changes: &GpuChanges,
        id: &str,
        rule: &NoteRule,
    ) -> Result<Self, ChangeError> {
        self.changed_by(ChangePlan { base: self, changes, rule: Some(rule) }, id)
    }

    /// This GPU itself with numbers corrected by a user's file; what follows from them follows. It is no other GPU, and hypothetical no
    /// more than before.
    ///
    /// # Errors
    /// As [`Gpu::changed`].
    pub(super) fn corrected(&self, changes: &GpuChanges, file: &str) -> Result<Self, ChangeError> {
        let rule = NoteRule { source: TYPED.into(), said: format!("by {file}") };
        let made = self.changed_by_rule(changes, &self.id, &rule)?;
        Ok(Self {
            name: self.name.clone(),
            names: self.names.clone(),
            aliases: self.aliases.clone(),
            instances: self.instances.clone(),
            hypothetical: self.hypothetical.clone(),
            ..made
        })
    }

    fn changed_by(&self, plan: ChangePlan<'_>, id: &str) -> Result<Self, ChangeError> {
        let changes = plan.changes;
        plan.check()?;
        let mut gpu = self.as_copy(id);
        plan.set_compute(&mut gpu);
        plan.set_memory(&mut gpu);
        plan.set_limits(&mut gpu);
        gpu.rename(format!("{MARK} {}, {changes}", self.short_name().trim_start_matches(MARK).trim()));
        let (based_on, changes) = (self.id.clone(), changes.clone());
        gpu.hypothetical = Some(Arc::new(Hypothetical { based_on, changes, base: self.clone() }));
        Ok(gpu)
    }
}

/// A base and its changes.
#[derive(Clone, Copy)]
struct ChangePlan<'a> {
    base: &'a Gpu,
    changes: &'a GpuChanges,
    /// What changes them, where nobody typed them.
    rule: Option<&'a NoteRule>,
}

impl ChangePlan<'_> {
    /// New over old; 1 where the number is not changed.
    fn ratio(&self, number: GpuNumber) -> f64 {
        self.changes.ratio_on(self.base, number)
    }

    fn is_changed(&self, number: GpuNumber) -> bool {
        self.changes.get(number).is_some()
    }

    fn value(&self, number: GpuNumber) -> f64 {
        self.changes.value_on(self.base, number).unwrap_or(0.0)
    }

    fn words(&self, number: GpuNumber) -> String {
        format!("{} {}", number.title(), number.in_words(self.value(number)))
    }

    fn check(&self) -> Result<(), ChangeError> {
        for change in self.changes.all() {
            self.check_value(change.number)?;
        }
        self.check_memory()?;
        self.check_peak()
    }

    fn check_value(&self, number: GpuNumber) -> Result<(), ChangeError> {
        let gpu = self.base.id.clone();
        let Some(old) = self.base.number(number) else {
            return Err(ChangeError::Unknown { gpu, number: number.title() });
        };
        let new = self.value(number);
        let (least, most) = match number {
            GpuNumber::SharedPerSm => (4096.0, 252.0 * 1024.0),
            GpuNumber::MaxWarps => (1.0, 128.0),
            GpuNumber::SmClock => {
                ((old / MOST).max(LOWEST_CLOCK).min(old), (old * MOST).min(HIGHEST_CLOCK).max(old))
            }
            // What the occupancy rules count in: at most 512 units.
            GpuNumber::RegistersPerSm => (1024.0, 512.0 * f64::from(self.base.cuda.limits.reg_unit_per_warp)),
            // A tenth of an SM is none.
            _ if number.is_whole() => ((old / MOST).max(1.0), old * MOST),
            _ => (old / MOST, old * MOST),
        };
        let whole = |v: f64| if number.is_whole() { v.round().max(1.0) } else { v };
        if new > 0.0 && (least * (1.0 - 1e-9)..=most * (1.0 + 1e-9)).contains(&new) {
            return Ok(());
        }
        let reason = match number {
            GpuNumber::SmClock if new > most => "; no GPU that is sold states more than 3 GHz",
            GpuNumber::SmClock => "; `sms` sets the number of SMs",
            _ => "",
        };
        let [least, most, stated] = [least, most, old].map(|v| number.in_words(whole(v)));
        let value = number.in_words(new);
        let (gpu, stated) = (gpu.into_boxed_str(), format!("{stated}{reason}"));
        Err(ChangeError::OutOfRange { gpu, number, value, least, most, stated })
    }

    fn contradiction(&self, first: String, second: String, advice: &'static str) -> ChangeError {
        ChangeError::Contradiction { gpu: self.base.id.clone(), first, second, advice }
    }

    /// Bandwidth = bus x data rate / 8, where all three are stated.
    fn check_memory(&self) -> Result<(), ChangeError> {
        use GpuNumber::{Bandwidth, BusBits, DataRate};
        // The data rate follows from a bandwidth that is set; another one beside it would do nothing.
        if self.is_changed(Bandwidth) && self.is_changed(DataRate) {
            let by_parts = self.ratio(BusBits) * self.ratio(DataRate);
            let made = self.value(BusBits) * self.value(DataRate) / 8.0;
            let differs = |ratio: f64| (ratio - 1.0).abs() > SAME;
            if differs(by_parts / self.ratio(Bandwidth)) && differs(made / self.value(Bandwidth)) {
                let parts = format!(
                    "{} x {} = {}",
                    self.words(BusBits),
                    self.words(DataRate),
                    Bandwidth.in_words(made)
                );
                let advice = "leave one of them out: the others follow";
                return Err(self.contradiction(self.words(Bandwidth), parts, advice));
            }
        }
        let (l2, memory) = (self.value(GpuNumber::L2Size), self.value(GpuNumber::MemorySize));
        if l2 > memory {
            let (l2, memory) = (self.words(GpuNumber::L2Size), self.words(GpuNumber::MemorySize));
            return Err(self.contradiction(l2, memory, "a cache is smaller than its memory"));
        }
        Ok(())
    }

    /// The FP32 peak is 2 x lanes x SMs x clock.
    fn check_peak(&self) -> Result<(), ChangeError> {
        if !self.is_changed(GpuNumber::Fp32Peak) {
            return Ok(());
        }
        let made = self.base.fp32_peak.value.0 * self.compute_ratio();
        if (made / self.value(GpuNumber::Fp32Peak) - 1.0).abs() <= SAME {
            return Ok(());
        }
        use GpuNumber::{Fp32Lanes, Fp32Peak, SmClock, Sms};
        let parts = format!(
            "{} x {} x 2 x {} = {}",
            self.words(Sms),
            self.words(Fp32Lanes),
            self.words(SmClock),
            Fp32Peak.in_words(made)
        );
        Err(self.contradiction(self.words(Fp32Peak), parts, "change sms, fp32-lanes or sm instead"))
    }

    /// What the FP32 peak is multiplied by.
    fn compute_ratio(&self) -> f64 {
        self.ratio(GpuNumber::Sms) * self.ratio(GpuNumber::SmClock) * self.ratio(GpuNumber::Fp32Lanes)
    }

    fn note(&self, numbers: &[GpuNumber]) -> TypedNote {
        let changed = numbers.iter().filter(|number| self.is_changed(**number));
        let said = changed.map(|number| {
            let stated = self.base.number(*number).unwrap_or(0.0);
            format!(
                "{} {} instead of {}",
                number.title(),
                number.in_words(self.value(*number)),
                number.in_words(stated)
            )
        });
        let mut said = said.collect::<Vec<_>>().join(", ");
        if !said.is_empty() {
            let why = self.rule.map_or("hypothetical", |rule| &rule.said);
            said.push_str(&format!(" ({why})"));
        }
        TypedNote { said, keeps_remark: false, rule: self.rule.map(|rule| rule.source.clone()) }
    }

    fn set_compute(&self, gpu: &mut Gpu) {
        use GpuNumber::{Fp32Lanes, Fp64Lanes, PowerLimit, SmClock, Sms, TensorRate};
        let per_sm = self.ratio(Sms) * self.ratio(SmClock);
        let [fp32, fp64, tensor] =
            [per_sm * self.ratio(Fp32Lanes), per_sm * self.ratio(Fp64Lanes), per_sm * self.ratio(TensorRate)];
        let note = self.note(&[Sms, SmClock, Fp32Lanes, Fp64Lanes, TensorRate, PowerLimit]);
        gpu.sms = self.note(&[Sms]).on(&gpu.sms, |_| self.value(Sms).round() as u32);
        gpu.boost_clock = self.note(&[SmClock]).on(&gpu.boost_clock, |_| Hertz(self.value(SmClock)));
        gpu.limit_held_clocks(&note);
        gpu.fp32_lanes_per_sm =
            self.note(&[Fp32Lanes]).on(&gpu.fp32_lanes_per_sm, |_| self.value(Fp32Lanes).round() as u32);
        gpu.fp64_lanes_per_sm = gpu
            .fp64_lanes_per_sm
            .as_ref()
            .map(|lanes| self.note(&[Fp64Lanes]).on(lanes, |_| self.value(Fp64Lanes).round() as u32));
        gpu.power_limit = self.note(&[PowerLimit]).on(&gpu.power_limit, |_| Watts(self.value(PowerLimit)));
        // A rule makes another board, whose limit is its own.
        if self.rule.is_none() {
            gpu.keep_stated_clocks(self.base);
        }
        if fp32 != 1.0 {
            gpu.fp32_peak = note.on(&gpu.fp32_peak, |peak| *peak * fp32);
        }
        gpu.fp16_peak = note.scaled_rate(&gpu.fp16_peak, fp32);
        gpu.fp64_peak = note.scaled_rate(&gpu.fp64_peak, fp64);
        gpu.fp64_achieved = note.scaled_rate(&gpu.fp64_achieved, fp64);
        gpu.tensor = gpu.tensor.iter().map(|t| note.scaled_tensor(t, tensor)).collect();
        if per_sm != 1.0 {
            gpu.sustained.int32 = note.on(&gpu.sustained.int32, |rate| *rate * per_sm);
            gpu.l1_achieved = gpu.l1_achieved.as_ref().map(|rate| note.on(rate, |v| *v * per_sm));
        }
        self.set_sustained_compute(gpu, &note);
    }

    /// What FP32 and FP16 work sustains goes with the peak and with what the power law leaves of it.
    fn set_sustained_compute(&self, gpu: &mut Gpu, note: &TypedNote) {
        let Ok(table) = ArchitectureTable::shipped() else { return };
        gpu.sustained.register_gain = gpu.register_gain(table);
        gpu.sustained.part_by_power = gpu.part_by_power(table);
        let is_limit_alone = self.base.fp32_peak.value == gpu.fp32_peak.value;
        let ratio = ratio_by_power([self.base, gpu], table, is_limit_alone);
        if ratio == 1.0 {
            return;
        }
        let peaks = [self.base.fp32_peak.value.0, gpu.fp32_peak.value.0];
        let within = |rate: &Sourced<FlopsPerSecond>| within_peak(ratio, rate.value.0, peaks);
        gpu.fp32_achieved = gpu.fp32_achieved.as_ref().map(|rate| note.on(rate, |v| *v * within(rate)));
        let fp16 = self.base.fp16_peak.as_ref().zip(gpu.fp16_peak.as_ref());
        let fp16 = fp16.map_or(peaks, |(old, new)| [old.value.0, new.value.0]);
        let of_fp16 = |rate: &Sourced<FlopsPerSecond>| within_peak(ratio, rate.value.0, fp16);
        gpu.fp16_achieved = gpu.fp16_achieved.as_ref().map(|rate| note.on(rate, |v| *v * of_fp16(rate)));
        let sustained = within(&gpu.sustained.fp32);
        gpu.sustained.fp32 = note.on(&gpu.sustained.fp32, |v| *v * sustained);
        gpu.keep_clock_gain(self.base);
    }

    fn set_memory(&self, gpu: &mut Gpu) {
        use GpuNumber::{Bandwidth, BusBits, DataRate, L2Bandwidth, L2Size, MemorySize, SmClock};
        let note = self.note(&[Bandwidth, BusBits, DataRate]);
        let by_parts = self.ratio(BusBits) * self.ratio(DataRate);
        let ratio = if self.is_changed(Bandwidth) { self.ratio(Bandwidth) } else { by_parts };
        if ratio != 1.0 {
            let rate = |r: &Sourced<BytesPerSecond>| note.on(r, |b| *b * ratio);
            gpu.bandwidth_peak = rate(&gpu.bandwidth_peak);
            gpu.bandwidth_achieved = gpu.bandwidth_achieved.as_ref().map(rate);
            gpu.sustained.dram = rate(&gpu.sustained.dram);
        }
        gpu.bus_bits = self.note(&[BusBits]).on(&gpu.bus_bits, |_| self.value(BusBits).round() as u32);
        // The pins carry what the bus does not explain.
        let per_pin = ratio / self.ratio(BusBits);
        if per_pin != 1.0 {
            gpu.data_rate = note.on(&gpu.data_rate, |r| r * per_pin);
            if self.rule.is_none() {
                gpu.keep_stated_clocks(self.base);
            }
        }
        if self.is_changed(GpuNumber::Sms) {
            // It stands for itself, at other clocks too, where it would be worked out from the SMs again.
            gpu.l2_bandwidth.get_or_insert_with(|| gpu.sustained.l2.clone());
        }
        let l2_note = self.note(&[L2Bandwidth, SmClock]);
        let l2_ratio = self.ratio(L2Bandwidth) * self.ratio(SmClock);
        if l2_ratio != 1.0 {
            let rate = |r: &Sourced<BytesPerSecond>| l2_note.on(r, |b| *b * l2_ratio);
            gpu.l2_bandwidth = gpu.l2_bandwidth.as_ref().map(rate);
            gpu.sustained.l2 = rate(&gpu.sustained.l2);
        }
        gpu.l2_size = self.note(&[L2Size]).on(&gpu.l2_size, |_| Bytes(self.value(L2Size)));
        gpu.memory_size = self.note(&[MemorySize]).on(&gpu.memory_size, |_| Bytes(self.value(MemorySize)));
    }

    /// What an SM holds, its load/store lanes, and what a launch costs.
    fn set_limits(&self, gpu: &mut Gpu) {
        use GpuNumber::{LaunchOverhead, LsuLanes, MaxWarps, RegistersPerSm, SharedPerSm};
        let capability = gpu.cuda.compute_capability;
        let limits = &mut gpu.cuda.limits;
        if self.is_changed(SharedPerSm) {
            // Handed out in steps of 4 KiB.
            let bytes = (self.value(SharedPerSm) / 4096.0).floor() as u32 * 4096;
            limits.carveout = limits.carveout.up_to(bytes);
            // Since Volta a block may have all that its SM has; before, 48 KiB whatever that is.
            let has_all = capability.major >= 7;
            let most = bytes.saturating_sub(limits.smem_reserved);
            limits.smem_per_sm = bytes;
            limits.smem_opt_in = if has_all { most } else { most.min(limits.smem_opt_in) };
            limits.smem_per_block = limits.smem_per_block.min(limits.smem_opt_in);
        }
        if self.is_changed(RegistersPerSm) {
            limits.regs_per_sm = self.value(RegistersPerSm) as u32;
            limits.regs_per_block = limits.regs_per_block.min(limits.regs_per_sm);
        }
        if self.is_changed(MaxWarps) {
            limits.threads_per_sm = self.value(MaxWarps).round() as u32 * super::SmLimits::WARP;
        }
        if self.is_changed(LsuLanes) {
            gpu.sm.lsu_lanes = self.note(&[LsuLanes]).on(&gpu.sm.lsu_lanes, |_| self.value(LsuLanes));
        }
        if self.is_changed(LaunchOverhead) {
            let note = self.note(&[LaunchOverhead]);
            let floor = note.on(&gpu.sustained.launch_floor, |_| Seconds(self.value(LaunchOverhead)));
            gpu.launch_floor = Some(floor.clone());
            gpu.sustained.launch_floor = floor;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ChangeAmount, LimitsTable, NumberOrigin, load_shipped};
    use super::*;
    use crate::catalogue::{Catalogue, shipped_sources};

    fn gpus() -> Catalogue<Gpu> {
        let sources = shipped_sources().unwrap();
        load_shipped(&sources, &LimitsTable::shipped().unwrap()).0
    }

    fn changed(id: &str, changes: &str) -> Result<Gpu, ChangeError> {
        gpus().entry_named(id).unwrap().changed(&changes.parse().unwrap(), "mine")
    }

    #[test]
    fn derived_numbers_follow() {
        let catalogue = gpus();
        let base = catalogue.entry_named("rtx-4070").unwrap();
        let more = changed("rtx-4070", "sms=+50%,mem=+20%,l2=72MiB").unwrap();
        assert_eq!(more.sms.value, 69);
        assert!((more.fp32_peak.value / base.fp32_peak.value - 1.5).abs() < 1e-12);
        assert!((more.bandwidth_peak.value / base.bandwidth_peak.value - 1.2).abs() < 1e-12);
        assert!((more.data_rate.value / base.data_rate.value - 1.2).abs() < 1e-12);
        assert!((more.bandwidth_sustained().value / base.bandwidth_sustained().value - 1.2).abs() < 1e-12);
        assert_eq!(more.l2_size.value, Bytes::from_mebi(72.0));
        assert_eq!(more.l2_bandwidth_or_derived().value, base.l2_bandwidth_or_derived().value);
        let sustained = more.fp32_sustained().value / base.fp32_sustained().value;
        assert!((1.0..1.5).contains(&sustained), "the power limit stays: {sustained}");
        assert!(more.is_hypothetical() && !base.is_hypothetical());
        assert_eq!((more.sms.origin, &*more.sms.source), (NumberOrigin::Assumed, "typed"));
        let bus = changed("rtx-4070", "bus=256").unwrap();
        assert!((bus.bandwidth_peak.value / base.bandwidth_peak.value - 256.0 / 192.0).abs() < 1e-12);
        assert_eq!(bus.data_rate.value, base.data_rate.value);
    }

    #[test]
    fn a_change_by_nothing_changes_no_number() {
        for (_, base) in gpus().with_ids() {
            for number in GpuNumber::ALL.into_iter().filter(|n| base.number(*n).is_some()) {
                let same = base
                    .changed(&GpuChanges::default().with(number, ChangeAmount::By(1.0)), &base.id)
                    .unwrap();
                for other in GpuNumber::ALL {
                    assert_eq!(same.number(other), base.number(other), "{}: {}", base.id, number.key());
                }
            }
        }
    }

    #[test]
    fn contradictions_name_both_numbers() {
        for (changes, said) in [
            ("fp32=40TFLOP/s", "FP32 peak 40.0 TFLOP/s contradicts SMs 46 x FP32 lanes per SM 128"),
            (
                "mem=1000GB/s,bus=192,data-rate=21",
                "memory bandwidth 1000 GB/s contradicts memory bus 192 bit",
            ),
            (
                "mem=+25%,data-rate=+40%",
                "memory bandwidth 630 GB/s contradicts memory bus 192 bit x memory data rate 29.4 Gbit/s = 706 GB/s",
            ),
            ("l2=100GiB,memory=20GiB", "L2 size"),
            ("sms=100000", "expected 1 to 4600 (it has 46)"),
            (
                "sm=51",
                "SM clock 51.0 MHz: expected 100 MHz to 6000 MHz (it has 2480 MHz; `sms` sets the number of SMs)",
            ),
            ("smem=1MiB", "expected 4.00 KiB to 252 KiB"),
            (
                "sm=9GHz",
                "expected 100 MHz to 6000 MHz (it has 2480 MHz; no GPU that is sold states more than 3 GHz)",
            ),
        ] {
            let why = changed("rtx-4070", changes).unwrap_err().to_string();
            assert!(why.contains(said), "{changes}: {why}");
        }
        assert!(changed("rtx-4070", "fp32=29.1TFLOP/s").is_ok());
        assert!(changed("rtx-4070", "sm=3.5GHz").is_ok());
        assert!(changed("rtx-4070", "mem=+40%,data-rate=+40%").is_ok());
        assert!(changed("rtx-4070", "mem=+40%,bus=256").is_ok(), "the data rate follows");
    }

    #[test]
    fn fewer_sms_never_sustain_more_than_their_peak() {
        let gpus = gpus();
        for id in ["h100-sxm5", "h100-pcie", "rtx-4090", "a100-sxm4-80gb"] {
            let board = gpus.entry_named(id).unwrap();
            let part = |gpu: &Gpu| gpu.fp32_sustained().value.0 / gpu.fp32_peak.value.0;
            for sms in [16, 40, 64, 70] {
                let few = board.changed(&format!("sms={sms}").parse().unwrap(), "few").unwrap();
                assert!(part(&few) <= part(board).max(1.0) + 1e-12, "{id} {sms}: {}", part(&few));
            }
            let slow = board.tuned("sm=700MHz".parse().unwrap()).unwrap();
            assert!(part(&slow) <= part(board).max(1.0) + 1e-12, "{id}: {}", part(&slow));
        }
    }

    #[test]
    fn no_shipped_gpu_states_more_than_the_clock_that_a_refusal_names() {
        assert!(gpus().entries().iter().all(|gpu| gpu.boost_clock.value.0 <= 3e9));
    }
}
