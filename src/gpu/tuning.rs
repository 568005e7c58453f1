//! A GPU at other clocks or another power limit than its documents state: a hypothesis, every changed number marked so.
//!
//! | number | at SM clock f instead of f0, memory clock m instead of m0, power limit P above P0 |
//! |---|---|
//! | FP32, FP64, FP16 and tensor peaks, L2 bandwidth | x f/f0 |
//! | data rate, DRAM peak | x m/m0 |
//! | FP32 achieved, sustained | peak x the part that the power law leaves at f and P over the part it leaves at f0 and P0 |
//! | FP64, FP16 achieved | the same |
//! | DRAM achieved | x m/m0, at most what L2 passes on |
//!
//! A limit below P0 changes no rate: it lowers the clock of each kernel by what that kernel draws (`limited`, `src/power/cap.rs`).
//! What an SM does per clock, sizes, limits, occupancy and the launch floor stay. The memory clock is the one that
//! `nvidia-smi` prints: half the data rate per pin.

use super::sustained::{ratio_by_power, within_peak};
use super::typed_note::{TYPED, TypedNote};
use super::{ArchitectureTable, Gpu};
use crate::catalogue::{FileError, Sourced};
use crate::units::{FlopsPerSecond, Hertz, Watts};
use std::fmt;
use std::str::FromStr;

/// The most a clock or limit may be of the stated one: boards are not overclocked further.
const MOST: f64 = 2.0;

/// The least: idle memory clocks are about 4 % of the rated ones.
const LEAST: f64 = 0.02;

/// A memory clock this near the data rate is the data rate: tools print either.
const NEAR_DATA_RATE: f64 = 0.05;

/// What a power limit is called where one is out of range.
pub const POWER_LIMIT: &str = "power limit";

/// The most watts that a limit of this board may be.
#[must_use]
pub fn most_power(stated: Watts) -> Watts {
    Watts(MOST * stated.0)
}

/// Clocks and a power limit to model with; `None` = as the documents state it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Tuning {
    /// SM clock.
    pub sm_clock: Option<Hertz>,
    /// Memory clock as `nvidia-smi` prints it: half the data rate per pin.
    pub mem_clock: Option<Hertz>,
    /// Board power limit.
    pub power_limit: Option<Watts>,
}

/// The clocks a GPU is modelled at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clocks {
    /// SM clock.
    pub sm: Hertz,
    /// Memory clock as `nvidia-smi` prints it.
    pub mem: Hertz,
    /// Board power limit.
    pub power_limit: Watts,
}

impl Clocks {
    /// Whether both are one setting: clocks no more than half a megahertz apart, the same limit.
    #[must_use]
    pub fn is_same_setting(&self, other: &Self) -> bool {
        let Self { sm, mem, power_limit } = *self;
        // A limit that was multiplied and divided again is the same.
        let is_same_limit = (power_limit.0 / other.power_limit.0 - 1.0).abs() < 1e-9;
        sm.is_same_clock(other.sm) && mem.is_same_clock(other.mem) && is_same_limit
    }
}

/// A clock or limit far from what the GPU's documents state.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{gpu}: {what} {typed}: expected {range} (its documents state {stated})")]
pub struct RefusedSetting {
    /// The GPU's id.
    pub gpu: String,
    /// `SM clock`.
    pub what: &'static str,
    /// What was typed.
    pub typed: String,
    /// What is taken: `29.1 MHz to 2910 MHz`.
    pub range: String,
    /// What its documents state.
    pub stated: String,
}

/// A clock or limit that no GPU could be set to, or a text that is none.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TuningError {
    /// Far from what the GPU's documents state.
    #[error(transparent)]
    OutOfRange(Box<RefusedSetting>),
    /// A memory clock of a row that is the data rate, two transfers per clock.
    #[error("{gpu}: memory clock {typed}: that is the data rate, twice the clock of {stated}")]
    DataRate {
        /// The GPU's id.
        gpu: String,
        /// As the row states it.
        typed: String,
        /// What its documents state.
        stated: String,
    },
    /// No clock.
    #[error("clock `{0}`: expected megahertz above 0, such as 1200, 1200MHz or 1.2GHz")]
    NoClock(String),
    /// No power.
    #[error("power limit `{0}`: expected watts above 0, such as 150 or 150W")]
    NoPower(String),
    /// A limit that no clock is low enough for.
    #[error(transparent)]
    LimitTooLow(#[from] super::LimitTooLow),
    /// No setting.
    #[error("`{0}`: expected settings such as sm=1200MHz mem=5000MHz power=150W")]
    NoSetting(String),
    /// No setting behind the `@` of an id.
    #[error(
        "`{0}`: expected a power limit, an SM clock or a memory clock, such as 150W, 1200MHz/150W or mem=5000MHz"
    )]
    NoBrief(String),
    /// Two values of one setting behind the `@`s of an id.
    #[error("the {0} is set twice; give it once")]
    Twice(&'static str),
    /// A table inside the program is damaged.
    #[error(transparent)]
    Table(#[from] FileError),
}

impl Tuning {
    /// Whether nothing is changed.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// `@1200MHz/mem=850MHz/150W`, for a line with little room, and behind the id of a GPU; [`Tuning::from_brief`] reads it.
    #[must_use]
    pub fn brief(&self) -> String {
        let clock =
            |name: &str, clock: Option<Hertz>| clock.map(|c| format!("{name}{}MHz", plain(c.0 / 1e6)));
        let power = self.power_limit.map(|w| format!("{}W", plain(w.0)));
        let all = [clock("", self.sm_clock), clock("mem=", self.mem_clock), power];
        format!("@{}", all.into_iter().flatten().collect::<Vec<_>>().join("/"))
    }

    /// Reads what stands behind the `@` of [`Tuning::brief`]: `150W`, `1200MHz/150W`, `mem=850MHz`.
    ///
    /// # Errors
    /// [`TuningError`] for a part that is no clock and no power, and where nothing or something twice stands there.
    pub fn from_brief(text: &str) -> Result<Self, TuningError> {
        let mut tuning = Self::default();
        let parts = text.split('/').filter(|part| !part.is_empty());
        for part in parts {
            let lower = part.to_ascii_lowercase();
            let named = match lower.split_once('=') {
                Some(_) => lower,
                None if lower.ends_with('w') => format!("power={lower}"),
                None if lower.ends_with("hz") => format!("sm={lower}"),
                None => return Err(TuningError::NoBrief(short(part))),
            };
            tuning = tuning.joined(named.parse()?)?;
        }
        if tuning.is_none() { Err(TuningError::NoBrief(short(text))) } else { Ok(tuning) }
    }

    /// What the id of a GPU states of its settings: those behind every `@`.
    #[must_use]
    pub fn of_name(id: &str) -> Self {
        let parts = id.split('@').skip(1).filter_map(|part| Self::from_brief(part).ok());
        parts.fold(Self::default(), |all, part| part.over(all))
    }

    /// These settings, and those of `other` where these are silent.
    #[must_use]
    pub fn over(self, other: Self) -> Self {
        Self {
            sm_clock: self.sm_clock.or(other.sm_clock),
            mem_clock: self.mem_clock.or(other.mem_clock),
            power_limit: self.power_limit.or(other.power_limit),
        }
    }

    /// Both.
    ///
    /// # Errors
    /// [`TuningError::Twice`] with the setting that both state.
    pub fn joined(self, other: Self) -> Result<Self, TuningError> {
        let both = [
            ("SM clock", self.sm_clock.is_some() && other.sm_clock.is_some()),
            ("memory clock", self.mem_clock.is_some() && other.mem_clock.is_some()),
            (POWER_LIMIT, self.power_limit.is_some() && other.power_limit.is_some()),
        ];
        let twice = both.into_iter().find(|(_, is_of_both)| *is_of_both);
        twice.map_or(Ok(self.over(other)), |(what, _)| Err(TuningError::Twice(what)))
    }

    /// What of it differs from these clocks.
    #[must_use]
    pub fn beside(self, stated: Clocks) -> Self {
        let other = |typed: f64, stated: f64| (typed / stated - 1.0).abs() > 1e-5;
        Self {
            sm_clock: self.sm_clock.filter(|c| other(c.0, stated.sm.0)),
            mem_clock: self.mem_clock.filter(|c| other(c.0, stated.mem.0)),
            power_limit: self.power_limit.filter(|p| other(p.0, stated.power_limit.0)),
        }
    }
}

/// `sm=1200MHz mem=850MHz power=150W`, as [`Tuning::from_str`] reads it, where `stock` sets nothing; empty where nothing is changed.
impl fmt::Display for Tuning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let clock =
            |name: &str, clock: Option<Hertz>| clock.map(|c| format!("{name}={}MHz", plain(c.0 / 1e6)));
        let power = self.power_limit.map(|w| format!("power={}W", plain(w.0)));
        let all = [clock("sm", self.sm_clock), clock("mem", self.mem_clock), power];
        f.write_str(&all.into_iter().flatten().collect::<Vec<_>>().join(" "))
    }
}

impl FromStr for Tuning {
    type Err = TuningError;

    fn from_str(text: &str) -> Result<Self, TuningError> {
        let mut tuning = Self::default();
        for word in text.split([' ', ',', ';']).filter(|w| !w.is_empty() && *w != STOCK) {
            let (name, value) = word.split_once('=').ok_or_else(|| TuningError::NoSetting(short(word)))?;
            match name.to_ascii_lowercase().as_str() {
                "sm" | "mem" | "power" if value == STOCK => {}
                "sm" => tuning.sm_clock = Some(clock(value)?),
                "mem" => tuning.mem_clock = Some(clock(value)?),
                "power" => tuning.power_limit = Some(power(value)?),
                _ => return Err(TuningError::NoSetting(short(word))),
            }
        }
        Ok(tuning)
    }
}

/// What takes a clock or a limit off.
const STOCK: &str = "stock";

/// A typed clock: `1200`, `1200MHz`, `1.2GHz`.
///
/// # Errors
/// [`TuningError::NoClock`] for anything else, and for 0.
pub fn clock(text: &str) -> Result<Hertz, TuningError> {
    let lower = text.trim().to_ascii_lowercase();
    let (digits, unit) = match lower.strip_suffix("hz") {
        Some(rest) => match (rest.strip_suffix('g'), rest.strip_suffix('m'), rest.strip_suffix('k')) {
            (Some(digits), ..) => (digits, 1e9),
            (_, Some(digits), _) => (digits, 1e6),
            (.., Some(digits)) => (digits, 1e3),
            _ => (rest, 1.0),
        },
        None => (lower.as_str(), 1e6),
    };
    number_in_unit(digits, unit).map(Hertz).ok_or_else(|| TuningError::NoClock(short(text)))
}

/// A typed power: `150`, `150W`, `0.3kW`.
///
/// # Errors
/// [`TuningError::NoPower`] for anything else, and for 0.
pub fn power(text: &str) -> Result<Watts, TuningError> {
    let lower = text.trim().to_ascii_lowercase();
    let (digits, unit) = match (lower.strip_suffix("kw"), lower.strip_suffix('w')) {
        (Some(digits), _) => (digits, 1e3),
        (_, Some(digits)) => (digits, 1.0),
        _ => (lower.as_str(), 1.0),
    };
    number_in_unit(digits, unit).map(Watts).ok_or_else(|| TuningError::NoPower(short(text)))
}

fn number_in_unit(digits: &str, unit: f64) -> Option<f64> {
    let digits = digits.trim();
    let plain = digits.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let value: f64 = digits.parse().ok().filter(|_| plain)?;
    Some(value * unit).filter(|v| v.is_finite() && *v > 0.0)
}

fn short(text: &str) -> String {
    crate::text::harmless_line(&crate::text::clipped_text(text, 40))
}

/// Without digits that a change of unit leaves behind.
fn plain(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}

impl Gpu {
    /// The clocks and the limit this GPU is modelled at.
    #[must_use]
    pub fn clocks(&self) -> Clocks {
        let mem = Hertz(self.data_rate.value / 2.0);
        Clocks { sm: self.boost_clock.value, mem, power_limit: self.power_limit.value }
    }

    /// This GPU at other clocks or under another limit. Tune what the documents state, not what was tuned before.
    ///
    /// # Errors
    /// [`TuningError::OutOfRange`] for a clock or limit that no such board could be set to.
    pub fn tuned(&self, tuning: Tuning) -> Result<Self, TuningError> {
        let now = self.clocks();
        let mhz = |hz: f64| format!("{} MHz", plain(hz / 1e6));
        let watts = |w: f64| format!("{} W", plain(w));
        let sm = tuning.sm_clock.map_or(now.sm.0, |c| c.0);
        let mem = tuning.mem_clock.map_or(now.mem.0, |c| c.0);
        let power = tuning.power_limit.map_or(now.power_limit.0, |p| p.0);
        let by_sm = self.ratio("SM clock", [sm, now.sm.0], mhz)?;
        let by_mem = self.ratio("memory clock", [mem, now.mem.0], mhz)?;
        let by_power = self.ratio(POWER_LIMIT, [power, now.power_limit.0], watts)?;
        let architectures = ArchitectureTable::shipped()?;
        let mut gpu = self.clone();
        let sm_note = TypedNote::of_ratio(by_sm, &mhz(sm), &mhz(now.sm.0));
        let mem_note = TypedNote::of_ratio(by_mem, &format!("{} memory clock", mhz(mem)), &mhz(now.mem.0));
        let power_note =
            TypedNote::of_ratio(by_power, &format!("a limit of {}", watts(power)), &watts(now.power_limit.0));
        gpu.power_limit = power_note.on(&self.power_limit, |w| *w * by_power);
        gpu.set_sm_clock(by_sm, &sm_note);
        gpu.data_rate = mem_note.on(&self.data_rate, |r| r * by_mem);
        gpu.bandwidth_peak = mem_note.on(&self.bandwidth_peak, |b| *b * by_mem);
        gpu.keep_stated_clocks(self);
        if let Some(architecture) = architectures.architecture_at(self.cuda.compute_capability) {
            // First without anything achieved: what the power law leaves at both settings.
            let compute = ratio_by_power([self, &gpu], architectures, by_sm == 1.0);
            let all = TypedNote::joined(&[&sm_note, &mem_note, &power_note]);
            gpu.set_achieved(self, compute, by_mem, &all);
            gpu.resolve(architecture, architectures);
            gpu.keep_clock_gain(self);
            gpu.mark_sustained(self, &all);
        }
        Ok(gpu)
    }

    /// Why this board cannot have run at these clocks of a measured row, SM and memory.
    #[must_use]
    pub fn refused_clocks(&self, [sm, mem]: [Option<Hertz>; 2]) -> [Option<TuningError>; 2] {
        let (now, mhz) = (self.clocks(), |hz: f64| format!("{} MHz", plain(hz / 1e6)));
        let range = |what, clock: Hertz, stated: Hertz| self.ratio(what, [clock.0, stated.0], mhz).err();
        let is_rate = |clock: &Hertz| (clock.0 / self.data_rate.value - 1.0).abs() <= NEAR_DATA_RATE;
        let rate = mem.filter(is_rate).map(|clock| TuningError::DataRate {
            gpu: self.id.clone(),
            typed: mhz(clock.0),
            stated: mhz(now.mem.0),
        });
        let by_range = mem.and_then(|clock| range("memory clock", clock, now.mem));
        [sm.and_then(|clock| range("SM clock", clock, now.sm)), rate.or(by_range)]
    }

    fn ratio(
        &self,
        what: &'static str,
        [typed, stated]: [f64; 2],
        show: impl Fn(f64) -> String,
    ) -> Result<f64, TuningError> {
        let ratio = typed / stated;
        if (LEAST..=MOST).contains(&ratio) {
            return Ok(ratio);
        }
        let [typed, least, most, stated] = [typed, LEAST * stated, MOST * stated, stated].map(show);
        let (gpu, range) = (self.id.clone(), format!("{least} to {most}"));
        Err(TuningError::OutOfRange(Box::new(RefusedSetting { gpu, what, typed, range, stated })))
    }

    /// Everything stated that goes with the SM clock.
    fn set_sm_clock(&mut self, by: f64, note: &TypedNote) {
        self.fp32_peak = note.on(&self.fp32_peak, |r| *r * by);
        self.fp64_peak = note.scaled_rate(&self.fp64_peak, by);
        self.fp16_peak = note.scaled_rate(&self.fp16_peak, by);
        self.tensor = self.tensor.iter().map(|t| note.scaled_tensor(t, by)).collect();
        self.l2_bandwidth = self.l2_bandwidth.as_ref().map(|b| note.on(b, |v| *v * by));
        self.boost_clock = note.on(&self.boost_clock, |c| *c * by);
        self.limit_held_clocks(note);
    }

    /// What somebody reached, at the new clocks: arithmetic by `compute`, DRAM by `memory`, at most what L2 passes on.
    fn set_achieved(&mut self, stock: &Self, compute: f64, memory: f64, note: &TypedNote) {
        let clocks = self.boost_clock.value / stock.boost_clock.value;
        let scaled = |rate: &Option<Sourced<FlopsPerSecond>>, peak: f64| {
            let by =
                rate.as_ref().map_or(1.0, |rate| within_peak(compute, rate.value.0, [peak, peak * clocks]));
            note.scaled_rate(rate, by)
        };
        let or_fp32 = |peak: &Option<Sourced<FlopsPerSecond>>| {
            peak.as_ref().map_or(stock.fp32_peak.value.0, |peak| peak.value.0)
        };
        self.fp32_achieved = scaled(&stock.fp32_achieved, stock.fp32_peak.value.0);
        self.fp64_achieved = scaled(&stock.fp64_achieved, or_fp32(&stock.fp64_peak));
        self.fp16_achieved = scaled(&stock.fp16_achieved, or_fp32(&stock.fp16_peak));
        let l2 = stock.l2_bandwidth_or_derived().value * (self.boost_clock.value / stock.boost_clock.value);
        self.bandwidth_achieved = stock.bandwidth_achieved.as_ref().map(|b| {
            let value = (b.value * memory).min(l2);
            if value == b.value { b.clone() } else { note.on(b, |_| value) }
        });
    }

    /// Marks what the whole GPU sustains where it is another number than before.
    fn mark_sustained(&mut self, stock: &Self, note: &TypedNote) {
        let (new, old) = (&mut self.sustained, &stock.sustained);
        if new.fp32.value != old.fp32.value && &*new.fp32.source != TYPED {
            new.fp32 = note.on(&new.fp32, |v| *v);
        }
        if new.int32.value != old.int32.value && &*new.int32.source != TYPED {
            new.int32 = note.on(&new.int32, |v| *v);
        }
        if new.dram.value != old.dram.value && &*new.dram.source != TYPED {
            new.dram = note.on(&new.dram, |v| *v);
        }
        if new.l2.value != old.l2.value && &*new.l2.source != TYPED {
            new.l2 = note.on(&new.l2, |v| *v);
        }
    }
}

impl TypedNote {
    /// `at 1200 MHz instead of 1740 MHz (typed)`; empty for a factor of 1.
    fn of_ratio(by: f64, typed: &str, stated: &str) -> Self {
        let said = if by == 1.0 { String::new() } else { format!("at {typed} instead of {stated} (typed)") };
        Self { said, keeps_remark: true, rule: None }
    }

    fn joined(notes: &[&Self]) -> Self {
        let said: Vec<&str> = notes.iter().map(|n| n.said.as_str()).filter(|n| !n.is_empty()).collect();
        Self { said: said.join(", "), keeps_remark: true, rule: None }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{LimitsTable, NumberOrigin, load_shipped};
    use super::*;
    use crate::catalogue::shipped_sources;

    fn gpu(id: &str) -> Gpu {
        let sources = shipped_sources().unwrap();
        let (gpus, _) = load_shipped(&sources, &LimitsTable::shipped().unwrap());
        gpus.entry_named(id).unwrap().clone()
    }

    fn at(gpu: &Gpu, text: &str) -> Gpu {
        gpu.tuned(text.parse().unwrap()).unwrap()
    }

    #[test]
    fn half_the_sm_clock_halves_what_goes_with_it_and_nothing_else() {
        let stock = gpu("titan-v");
        let half = at(&stock, "sm=727.5MHz");
        for (new, old) in [
            (&half.fp32_peak, &stock.fp32_peak),
            (half.fp64_peak.as_ref().unwrap(), stock.fp64_peak.as_ref().unwrap()),
        ] {
            assert!((new.value.0 / old.value.0 - 0.5).abs() < 1e-12);
            assert_eq!((new.origin, &*new.source), (NumberOrigin::Assumed, "typed"));
            assert!(new.note.as_ref().unwrap().starts_with("at 727.5 MHz instead of 1455 MHz (typed)"));
        }
        assert!(
            (half.l2_bandwidth_or_derived().value.0 / stock.l2_bandwidth_or_derived().value.0 - 0.5).abs()
                < 1e-12
        );
        assert_eq!(half.l2_bandwidth_or_derived().origin, NumberOrigin::Assumed);
        assert_eq!(half.bandwidth_peak, stock.bandwidth_peak);
        assert_eq!(
            (half.cuda.limits, half.sms.clone(), half.sm.clone()),
            (stock.cuda.limits, stock.sms.clone(), stock.sm.clone())
        );
        assert_eq!(half.launch_floor_or_assumed(), stock.launch_floor_or_assumed());
    }

    #[test]
    fn the_memory_clock_is_half_the_data_rate_and_moves_dram_alone() {
        let stock = gpu("titan-v");
        assert_eq!(stock.clocks().mem, Hertz(850e6));
        let slow = at(&stock, "mem=425");
        assert!((slow.bandwidth_peak.value.0 / stock.bandwidth_peak.value.0 - 0.5).abs() < 1e-12);
        assert!(
            (slow.bandwidth_sustained().value.0 / stock.bandwidth_sustained().value.0 - 0.5).abs() < 1e-12
        );
        assert_eq!(slow.bandwidth_sustained().origin, NumberOrigin::Assumed);
        assert_eq!((&slow.fp32_peak, slow.fp32_sustained()), (&stock.fp32_peak, stock.fp32_sustained()));
    }

    #[test]
    fn a_higher_limit_acts_through_the_power_law_and_a_lower_one_changes_no_rate() {
        // Its limit leaves less than the peak.
        let stock = gpu("rtx-4090");
        let table = ArchitectureTable::shipped().unwrap();
        let law = &table.power_law;
        let full = table.architecture_at(stock.cuda.compute_capability).unwrap().full_power.clone().unwrap();
        let high = at(&stock, "power=600W");
        let lanes = f64::from(stock.sms.value * stock.fp32_lanes_per_sm.value);
        let w = 600_000.0 / (lanes * stock.boost_clock.value.0 / 1e9);
        let part = (w / full.value).powf(law.exponent.value).min(1.0);
        let before = stock.fp32_by_power(table).value.0;
        let expected = stock.fp32_sustained().value.0 * part * stock.fp32_peak.value.0 / before;
        assert!((high.fp32_sustained().value.0 / expected - 1.0).abs() < 1e-12);
        assert!(high.fp32_sustained().value.0 > stock.fp32_sustained().value.0);
        assert_eq!(high.fp32_peak, stock.fp32_peak);
        let low = at(&stock, "power=200W");
        assert_eq!(low.fp32_sustained().value, stock.fp32_sustained().value);
        // A slower clock needs less power: the part that is left grows.
        let slow = at(&stock, "power=200W sm=1200MHz");
        assert!(slow.fp32_sustained_part() > low.fp32_sustained_part());
    }

    #[test]
    fn the_stated_clocks_change_nothing() {
        for id in ["titan-v", "rtx-4070", "a100-pcie-40gb", "gtx-980"] {
            let stock = gpu(id);
            let Clocks { sm, mem, power_limit } = stock.clocks();
            let same = stock.tuned(Tuning {
                sm_clock: Some(sm),
                mem_clock: Some(mem),
                power_limit: Some(power_limit),
            });
            assert_eq!(format!("{:?}", same.unwrap()), format!("{stock:?}"), "{id}");
        }
    }

    #[test]
    fn what_stands_behind_an_id_is_read_back() {
        for (text, shown) in [
            ("150W", "@150W"),
            ("0.15kw", "@150W"),
            ("1.2GHz/150W", "@1200MHz/150W"),
            ("mem=5001MHz/1200mhz", "@1200MHz/mem=5001MHz"),
            ("sm=1200/power=150", "@1200MHz/150W"),
        ] {
            let tuning = Tuning::from_brief(text).unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!(tuning.brief(), shown, "{text}");
            assert_eq!(Tuning::from_brief(&shown[1..]).unwrap(), tuning);
        }
        for bad in ["", "/", "150", "W", "fast", "mem=", "x=3W"] {
            let why = Tuning::from_brief(bad).unwrap_err().to_string();
            assert!(why.contains("expected"), "{bad}: {why}");
        }
        for (bad, what) in [("150W/200W", "power limit"), ("1200MHz/1300MHz", "SM clock")] {
            let why = Tuning::from_brief(bad).unwrap_err().to_string();
            assert_eq!(why, format!("the {what} is set twice; give it once"), "{bad}");
        }
    }

    #[test]
    fn what_is_typed_is_read_back_and_nonsense_is_refused() {
        for (text, shown) in [
            ("sm=1.2GHz", "sm=1200MHz"),
            ("power=0.15kW, MEM=5001MHZ", "mem=5001MHz power=150W"),
            ("sm=1200", "sm=1200MHz"),
            ("", ""),
        ] {
            let tuning: Tuning = text.parse().unwrap();
            assert_eq!(tuning.to_string(), shown, "{text}");
            assert_eq!(shown.parse::<Tuning>().unwrap(), tuning);
        }
        for bad in
            ["sm=0", "sm=-1", "sm=nan", "sm=1e3", "sm=", "sm", "clock=3", "power=0W", "mem=inf", "power=1MHz"]
        {
            let why = bad.parse::<Tuning>().unwrap_err().to_string();
            assert!(why.contains("expected"), "{bad}: {why}");
        }
        let stock = gpu("titan-v");
        for (bad, words) in [
            (
                "sm=3GHz",
                "titan-v: SM clock 3000 MHz: expected 29.1 MHz to 2910 MHz (its documents state 1455 MHz)",
            ),
            ("sm=1MHz", "SM clock 1 MHz"),
            ("mem=9GHz", "memory clock 9000 MHz"),
            ("power=1kW", "power limit 1000 W: expected 5 W to 500 W"),
        ] {
            let why = stock.tuned(bad.parse().unwrap()).unwrap_err().to_string();
            assert!(why.contains(words), "{bad}: {why}");
        }
    }
}
