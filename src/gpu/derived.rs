//! GPUs that are named by rule: `rtx-4090@150W` (a power limit or clocks, as laptops and data centres set them) and
//! `h100-sxm5:mig-3g.40gb` or `h100-sxm5:3g.40gb` (a MIG slice). Both forms can follow each other: `h100-sxm5:mig-3g.40gb@1200MHz`.

use super::hypothetical::{Hypothetical, MARK};
use super::{Gpu, GpuId, MigTable, Tuning, TuningError};
use crate::catalogue::{Catalogue, FileError, NameError};
use std::sync::Arc;

/// What stands between the id of a GPU and a MIG profile.
const MIG_SIGN: &str = ":mig-";

/// How a GPU that is in no file was made from one that is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DerivedGpu {
    /// The id of the GPU it was made from.
    pub based_on: String,
    /// In words: `rtx-4090 (power limit 150 W instead of 450 W)`, `MIG slice of h100-sxm5: 60 of 132 SMs …`.
    pub description: String,
}

/// Why a GPU cannot be made by rule.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DerivedError {
    /// No GPU of the name before the rule.
    #[error("{name}: {error}")]
    Base {
        /// As typed.
        name: String,
        /// Which there are.
        error: NameError,
    },
    /// A clock or limit that is none, or that no such board could be set to.
    #[error("{name}: {error}")]
    Setting {
        /// As typed.
        name: String,
        /// What was expected.
        error: TuningError,
    },
    /// A GPU without MIG.
    #[error("{name}: {gpu} has no MIG; these have: {having}")]
    NoMig {
        /// As typed.
        name: String,
        /// The GPU's id.
        gpu: String,
        /// The ids of those that have it.
        having: String,
    },
    /// A profile that this GPU does not have.
    #[error("{name}: {gpu} has no MIG profile `{profile}`; it has {known}")]
    NoProfile {
        /// As typed.
        name: String,
        /// The GPU's id.
        gpu: String,
        /// As typed.
        profile: String,
        /// The profiles that there are.
        known: String,
    },
    /// A table inside the program is damaged.
    #[error(transparent)]
    Table(#[from] FileError),
}

/// The GPU that a name makes by rule; `None` where the name follows no rule or is a GPU's own.
///
/// # Errors
/// [`DerivedError`] with what was expected, where the name follows a rule and no GPU can be made of it.
pub fn derived_gpu(gpus: &Catalogue<Gpu>, name: &str) -> Option<Result<Gpu, DerivedError>> {
    let name = name.trim();
    if gpus.id_named(name).is_some() {
        return None;
    }
    if let Some((base, settings)) = parts_of_settings(gpus, name) {
        return Some(base_of(gpus, base, name).and_then(|base| at_settings(&base, &settings, name)));
    }
    let (base, profile) = parts_of_slice(name)?;
    Some(base_of(gpus, base, name).and_then(|base| slice_of(&base, profile, name)))
}

/// `rtx-4070`, and `150W` and `2000MHz` of `rtx-4070@150W@2000MHz`: what stands behind every `@` but those of the GPU's own name.
fn parts_of_settings<'n>(gpus: &Catalogue<Gpu>, name: &'n str) -> Option<(&'n str, Vec<&'n str>)> {
    let (mut base, mut settings) = (name, Vec::new());
    let is_named = |base: &str| gpus.id_named(base).is_some_and(|gpu| gpus[gpu].derived.is_none());
    while let Some((before, part)) = base.rsplit_once('@').filter(|_| !is_named(base)) {
        base = before;
        settings.insert(0, part);
    }
    (!settings.is_empty()).then_some((base, settings))
}

/// `h100-sxm5` and `3g.40gb` of `h100-sxm5:mig-3g.40gb`, as of `h100-sxm5:3g.40gb`.
fn parts_of_slice(name: &str) -> Option<(&str, &str)> {
    if let Some(at) = name.to_ascii_lowercase().find(MIG_SIGN) {
        return Some((&name[..at], &name[at + MIG_SIGN.len()..]));
    }
    let (base, profile) = name.split_once(':')?;
    let (slices, _) = profile.split_once("g.")?;
    slices.parse::<u8>().is_ok().then_some((base, profile))
}

/// What to do with measured rows of a GPU that is named by rule, which are not loaded; `None` where the name follows no rule.
pub fn unloaded_text(gpus: &Catalogue<Gpu>, name: &str) -> Option<String> {
    let (base, what, advice) = match (name.rsplit_once('@'), parts_of_slice(name)) {
        (Some((base, _)), _) => {
            (base, "set clocks or a limit", "with the clocks in sm_clock_mhz and mem_clock_mhz")
        }
        (None, Some((base, _))) => (base, "MIG slices", "if it was timed on the whole board"),
        (None, None) => return None,
    };
    let base = &gpus.entry_named(base).ok()?.id;
    let name = short(name);
    Some(format!(
        "`{name}`: rows of {what} are not loaded; write {base} {advice}; `--to {name}` predicts for it"
    ))
}

/// The GPU before the rule, itself by rule where it is named so.
fn base_of(gpus: &Catalogue<Gpu>, base: &str, name: &str) -> Result<Gpu, DerivedError> {
    match derived_gpu(gpus, base) {
        Some(made) => made,
        None => {
            let refuse = |error| DerivedError::Base { name: short(name), error };
            gpus.entry_named(base).cloned().map_err(refuse)
        }
    }
}

fn at_settings(base: &Gpu, settings: &[&str], name: &str) -> Result<Gpu, DerivedError> {
    let refuse = |error| DerivedError::Setting { name: short(name), error };
    let join = |all: Tuning, part: &&str| all.joined(Tuning::from_brief(part)?);
    let tuning = settings.iter().try_fold(Tuning::default(), join).map_err(refuse)?.beside(base.clocks());
    if tuning.is_none() {
        // At its own clocks it is itself.
        return Ok(base.clone());
    }
    let made = base.tuned(tuning).map_err(refuse)?;
    let id = format!("{}{}", base.id, tuning.brief());
    let described = format!("{} ({})", base.id, made.settings_beside(base));
    let mut made = named_by_rule(made, base, &id, described);
    made.rename(marked_name(base, &tuning.brief()));
    Ok(made)
}

fn slice_of(base: &Gpu, profile: &str, name: &str) -> Result<Gpu, DerivedError> {
    let table = MigTable::shipped()?;
    let gpu = base.id.clone();
    if table.profiles(&gpu).is_empty() {
        let having = table.gpu_ids().collect::<Vec<_>>().join(", ");
        return Err(DerivedError::NoMig { name: short(name), gpu, having });
    }
    let made = table.profile_named(&gpu, profile).and_then(|found| base.mig_slice(found));
    let Some(made) = made else {
        let known = table.profiles(&gpu).iter().map(|p| p.name.as_str()).collect::<Vec<_>>().join(", ");
        return Err(DerivedError::NoProfile { name: short(name), gpu, profile: short(profile), known });
    };
    let share = made.bandwidth_peak.value / base.bandwidth_peak.value;
    let described = format!(
        "MIG slice of {}: {} of {} SMs, {:.0} % of DRAM, the other slices taken to be as busy",
        base.id,
        made.sms.value,
        base.sms.value,
        100.0 * share
    );
    let id = made.id.clone();
    let mut made = named_by_rule(made, base, &id, described);
    made.rename(marked_name(base, &format!("MIG {}", id.rsplit(MIG_SIGN).next().unwrap_or_default())));
    Ok(made)
}

/// The name of a GPU that was made of this one, marked as those are that do not exist.
fn marked_name(base: &Gpu, how: &str) -> String {
    format!("{MARK} {} {how}", base.short_name().trim_start_matches(MARK).trim())
}

impl Gpu {
    /// Its name at these settings: `◇ RTX 4070 @1200MHz`, as of the GPU that is named `rtx-4070@1200MHz`.
    #[must_use]
    pub fn name_at(&self, settings: Tuning) -> String {
        marked_name(self, &settings.brief())
    }
}

/// This GPU under the id of a rule, without the other names of its base.
fn named_by_rule(made: Gpu, base: &Gpu, id: &str, description: String) -> Gpu {
    let mut gpu = made.as_copy(id);
    gpu.derived = Some(Arc::new(DerivedGpu { based_on: base.board_id().to_string(), description }));
    gpu
}

fn short(text: &str) -> String {
    crate::text::harmless_line(&crate::text::clipped_text(text, 60))
}

/// The place of the board that the GPU at this place is at other settings or with other numbers; its own for one that exists, for a
/// MIG slice, and where the board is not in the catalogue.
#[must_use]
pub fn board_place(gpus: &Catalogue<Gpu>, gpu: GpuId) -> GpuId {
    let (id, board) = (gpus[gpu].id.as_str(), gpus[gpu].board_id());
    if id == board { gpu } else { gpus.id_named(board).unwrap_or(gpu) }
}

impl Gpu {
    /// The id of the board that it is at other settings, or with other numbers: measured rows are of that one. Its own for a GPU that
    /// exists and for a MIG slice.
    #[must_use]
    pub fn board_id(&self) -> &str {
        if let Some(made) = &self.hypothetical {
            return made.base_board_id();
        }
        let at_settings = self.derived.as_deref().filter(|_| self.id.contains('@'));
        at_settings.map_or(&self.id, |made| &made.based_on)
    }

    /// Whether nothing but settings makes the difference to its board: clocks and power limit.
    #[must_use]
    pub fn is_board_at_settings(&self) -> bool {
        self.hypothetical.as_deref().is_none_or(Hypothetical::is_at_settings)
    }

    /// Whether both are one board at the same clocks, to half a megahertz as they are printed, and the same power limit: what was
    /// measured on one was measured on the other.
    #[must_use]
    pub fn is_same_board_and_settings(&self, other: &Self) -> bool {
        let is_made_alike =
            self.id == other.id || (self.is_board_at_settings() && other.is_board_at_settings());
        self.board_id() == other.board_id() && is_made_alike && self.clocks().is_same_setting(&other.clocks())
    }

    /// `SM clock 1200 MHz instead of 2520 MHz, power limit 150 W instead of 450 W`: how its settings differ from those of another.
    #[must_use]
    pub fn settings_beside(&self, other: &Self) -> String {
        let (now, stated) = (self.clocks(), other.clocks());
        let mut all = Vec::new();
        for (what, now, stated) in [("SM", now.sm, stated.sm), ("memory", now.mem, stated.mem)] {
            if !now.is_same_clock(stated) {
                let [now, stated] = [now, stated].map(|clock| (clock.0 / 1e6).round());
                all.push(format!("{what} clock {now} MHz instead of {stated} MHz"));
            }
        }
        if now.power_limit != stated.power_limit {
            let [now, stated] = [now, stated].map(|clocks| (clocks.power_limit.0 * 1e3).round() / 1e3);
            all.push(format!("power limit {now} W instead of {stated} W"));
        }
        if all.is_empty() { "its stated clocks".into() } else { all.join(", ") }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{LimitsTable, load_shipped};
    use super::*;
    use crate::catalogue::shipped_sources;

    fn shipped_gpus() -> Catalogue<Gpu> {
        load_shipped(&shipped_sources().unwrap(), &LimitsTable::shipped().unwrap()).0
    }

    #[test]
    fn rows_of_a_gpu_named_by_rule_are_refused_with_what_to_do() {
        let gpus = &shipped_gpus();
        let text = |name| unloaded_text(gpus, name);
        let said = "`h100-sxm5@400W`: rows of set clocks or a limit are not loaded; write h100-sxm5 with the clocks in sm_clock_mhz and mem_clock_mhz; `--to h100-sxm5@400W` predicts for it";
        assert_eq!(text("h100-sxm5@400W").as_deref(), Some(said));
        assert!(
            text("h100-sxm5:mig-1g.10gb").unwrap().starts_with("`h100-sxm5:mig-1g.10gb`: rows of MIG slices")
        );
        assert_eq!([text("hal-9000"), text("hal@400W")], [None, None]);
    }

    #[test]
    fn names_by_rule_make_gpus_and_other_names_none() {
        let gpus = shipped_gpus();
        for (name, id) in [
            ("rtx-4090@150W", "rtx-4090@150W"),
            ("GeForce RTX 4090@0.15kW", "rtx-4090@150W"),
            ("rtx-4090@1200MHz/200W", "rtx-4090@1200MHz/200W"),
            ("H100-SXM5:MIG-3g.40gb", "h100-sxm5:mig-3g.40gb"),
            ("h100-sxm5:mig-1g.10gb+me", "h100-sxm5:mig-1g.10gb"),
            ("a100-pcie-80gb:1g.10gb", "a100-pcie-80gb:mig-1g.10gb"),
            ("h100-sxm5:3g.40gb@1200MHz", "h100-sxm5:mig-3g.40gb@1200MHz"),
            ("h100-sxm5:mig-3g.40gb@1200MHz", "h100-sxm5:mig-3g.40gb@1200MHz"),
        ] {
            let made = derived_gpu(&gpus, name).unwrap_or_else(|| panic!("{name}")).unwrap();
            assert_eq!(made.id, id, "{name}");
            assert!(made.is_hypothetical() && made.derived.is_some(), "{name}");
        }
        for name in ["rtx-4090", "nonsense", "", "h100:pcie", "h100:g.10gb", ":"] {
            assert!(derived_gpu(&gpus, name).is_none(), "{name}");
        }
        let limited = derived_gpu(&gpus, "rtx-4090@150W").unwrap().unwrap();
        let tuned = gpus.entry_named("rtx-4090").unwrap().tuned("power=150W".parse().unwrap()).unwrap();
        assert_eq!(limited.fp32_sustained(), tuned.fp32_sustained());
        assert_eq!(limited.derived.unwrap().description, "rtx-4090 (power limit 150 W instead of 450 W)");
        let low = derived_gpu(&gpus, "l4@60W").unwrap().unwrap();
        assert_eq!(low.derived.unwrap().description, "l4 (power limit 60 W instead of 72 W)");
    }

    #[test]
    fn what_cannot_be_made_says_what_can() {
        let gpus = shipped_gpus();
        for (name, said) in [
            ("rtx-4091@150W", "unknown GPU `rtx-4091`; nearest: rtx-4090"),
            ("rtx-4090@", "expected a power limit"),
            ("rtx-4090@fast", "`fast`: expected a power limit"),
            ("rtx-4090@4kW", "power limit 4000 W: expected 9 W to 900 W"),
            ("rtx-4090:1g.10gb", "rtx-4090 has no MIG; these have: a100-pcie-40gb"),
            ("rtx-4090:mig-1g.10gb", "rtx-4090 has no MIG; these have: a100-pcie-40gb"),
            (
                "h100-sxm5:mig-3g.41gb",
                "h100-sxm5 has no MIG profile `3g.41gb`; it has 1g.10gb, 1g.20gb, 2g.20gb, 3g.40gb, 4g.40gb, 7g.80gb",
            ),
        ] {
            let why = derived_gpu(&gpus, name).unwrap().unwrap_err().to_string();
            assert!(why.contains(said), "{name}: {why}");
        }
    }
}
