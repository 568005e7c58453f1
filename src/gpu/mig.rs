//! MIG slices: a part of a GPU that a driver hands out as a GPU of its own (`specs/mig.toml`).
//!
//! | number of a slice | rule |
//! |---|---|
//! | SMs | as the driver prints them, else the guide's fraction, rounded down to whole pairs |
//! | FP32, FP64, FP16, tensor rates, L1 | the whole GPU's x SMs of the slice / SMs |
//! | memory, bus, DRAM bandwidth | x the guide's fraction of memory: memory slices have their own controllers |
//! | L2, L2 bandwidth | x the guide's fraction of L2 |
//! | board power limit | x SMs of the slice / SMs: the other slices are taken to be as busy |
//!
//! What an SM does per clock, the clocks, latencies and the launch overhead are the whole GPU's.

use super::Gpu;
use super::changes::{ChangeAmount, GpuChange, GpuChanges};
use super::gpu_number::GpuNumber;
use super::typed_note::NoteRule;
use crate::catalogue::Spanned;
use crate::catalogue::{FileError, NumberOrigin, SourceTable, Sourced, SpecFile, shipped_sources};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// Suffixes of profiles that change media engines or graphics, and neither SMs nor memory.
const ENGINE_SUFFIXES: [&str; 4] = ["+me.all", "+gfx", "+me", "-me"];

/// One profile of a GPU.
#[derive(Debug, Clone)]
pub struct MigProfile {
    /// As the driver names it: `3g.40gb`.
    pub name: String,
    /// SMs; `None` where no print of the driver was found.
    sms: Option<Sourced<u32>>,
    compute: f64,
    memory: f64,
    l2: f64,
    source: Arc<str>,
}

/// The profiles of every GPU that has MIG, by its id.
#[derive(Debug, Clone)]
pub struct MigTable(BTreeMap<String, Vec<MigProfile>>);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MigTableFile {
    board: Vec<BoardFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BoardFile {
    gpus: Vec<String>,
    source: Spanned<String>,
    sms_source: Spanned<String>,
    slice: Vec<SliceFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SliceFile {
    profile: String,
    compute: Spanned<String>,
    memory: Spanned<String>,
    l2: Spanned<String>,
    sms: Option<u32>,
    sms_assumed: Option<String>,
}

impl MigTable {
    /// The table that travels with the program, read once.
    ///
    /// # Errors
    /// [`FileError`] where it does not parse or names an unknown source (a test reads it).
    pub fn shipped() -> Result<&'static Self, FileError> {
        static TABLE: OnceLock<Result<MigTable, FileError>> = OnceLock::new();
        let text = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/specs/mig.toml"));
        let file = SpecFile { name: "specs/mig.toml", text };
        let table = TABLE.get_or_init(|| Self::from_file(file, &shipped_sources()?));
        table.as_ref().map_err(Clone::clone)
    }

    fn from_file(file: SpecFile<'_>, sources: &SourceTable) -> Result<Self, FileError> {
        let typed: MigTableFile = file.parse()?;
        let mut all = BTreeMap::new();
        for board in &typed.board {
            for id in [&board.source, &board.sms_source] {
                if !sources.contains_key(id.get_ref()) {
                    let why = format!("unknown source `{}`", id.get_ref());
                    return Err(file.file_error(Some(id.span()), why));
                }
            }
            let slices = board.slice.iter().map(|slice| slice.checked(board, file));
            let slices: Vec<MigProfile> = slices.collect::<Result<_, _>>()?;
            all.extend(board.gpus.iter().map(|gpu| (gpu.clone(), slices.clone())));
        }
        Ok(Self(all))
    }

    /// The profiles of this GPU, smallest first; empty where it has no MIG.
    #[must_use]
    pub fn profiles(&self, gpu_id: &str) -> &[MigProfile] {
        self.0.get(gpu_id).map_or(&[], Vec::as_slice)
    }

    /// The ids of the GPUs that have MIG.
    pub fn gpu_ids(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// The profile of this name on this GPU; media and graphics suffixes do not matter.
    #[must_use]
    pub fn profile_named(&self, gpu_id: &str, name: &str) -> Option<&MigProfile> {
        let lower = name.trim().to_ascii_lowercase();
        let plain = ENGINE_SUFFIXES.iter().find_map(|suffix| lower.strip_suffix(suffix)).unwrap_or(&lower);
        self.profiles(gpu_id).iter().find(|profile| profile.name == plain)
    }
}

impl SliceFile {
    fn checked(&self, board: &BoardFile, file: SpecFile<'_>) -> Result<MigProfile, FileError> {
        let share = |text: &Spanned<String>| {
            share_of_text(text.get_ref()).ok_or_else(|| {
                let why = format!("`{}`: expected a fraction of the whole GPU, such as 4/8", text.get_ref());
                file.file_error(Some(text.span()), why)
            })
        };
        let counted = self.sms.map(|value| Sourced {
            value,
            origin: if self.sms_assumed.is_some() { NumberOrigin::Assumed } else { NumberOrigin::Measured },
            source: board.sms_source.get_ref().as_str().into(),
            note: self.sms_assumed.as_deref().map(Into::into),
            date: None,
        });
        Ok(MigProfile {
            name: self.profile.clone(),
            sms: counted,
            compute: share(&self.compute)?,
            memory: share(&self.memory)?,
            l2: share(&self.l2)?,
            source: board.source.get_ref().as_str().into(),
        })
    }
}

/// `4/8` as 0.5; `None` for anything that is no part of a whole.
fn share_of_text(text: &str) -> Option<f64> {
    let (part, whole) = text.split_once('/')?;
    let (part, whole): (u32, u32) = (part.trim().parse().ok()?, whole.trim().parse().ok()?);
    (part >= 1 && part <= whole).then(|| f64::from(part) / f64::from(whole))
}

impl MigProfile {
    /// SMs of a slice of this GPU.
    fn sms_of(&self, whole: &Gpu) -> Sourced<u32> {
        self.sms.clone().unwrap_or_else(|| {
            let all = whole.sms.value;
            let value = if self.compute < 1.0 {
                ((f64::from(all) * self.compute / 2.0).floor() as u32 * 2).max(1)
            } else {
                all
            };
            let note =
                format!("{} of {all} SMs, in whole pairs: no print of the driver was found", self.name);
            let (origin, source) = (NumberOrigin::Assumed, self.source.clone());
            Sourced { value, origin, source, note: Some(note.into()), date: None }
        })
    }
}

impl Gpu {
    /// The slice of this GPU that a MIG profile makes, under the id `h100-sxm5:mig-3g.40gb`.
    pub(super) fn mig_slice(&self, profile: &MigProfile) -> Option<Self> {
        let sms = profile.sms_of(self);
        let part = f64::from(sms.value) / f64::from(self.sms.value);
        let amounts = [
            (GpuNumber::Sms, ChangeAmount::To(f64::from(sms.value))),
            (GpuNumber::PowerLimit, ChangeAmount::By(part)),
            (GpuNumber::BusBits, ChangeAmount::By(profile.memory)),
            (GpuNumber::MemorySize, ChangeAmount::By(profile.memory)),
            (GpuNumber::L2Size, ChangeAmount::By(profile.l2)),
            (GpuNumber::L2Bandwidth, ChangeAmount::By(profile.l2)),
        ];
        let mut changes = GpuChanges::default();
        for (number, amount) in amounts {
            if amount.applied(self.number(number)?) != self.number(number)? {
                changes.push(GpuChange { number, amount }).ok()?;
            }
        }
        let mut whole = self.clone();
        // Slices share what an idle board draws.
        whole.idle_power = self.idle_power.as_ref().map(|idle| idle.map(|watts| *watts * part));
        // A slice has one die.
        whole.block_starts = self.block_starts.clone().filter(|_| part > 0.5);
        let rule = NoteRule { source: profile.source.clone(), said: format!("MIG {}", profile.name) };
        let id = format!("{}:mig-{}", self.id, profile.name);
        let mut slice = whole.changed_by_rule(&changes, &id, &rule).ok()?;
        slice.sms = sms;
        slice.hypothetical = None;
        Some(slice)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{LimitsTable, load_shipped};
    use super::*;
    use crate::catalogue::Catalogue;

    fn shipped_gpus() -> Catalogue<Gpu> {
        load_shipped(&shipped_sources().unwrap(), &LimitsTable::shipped().unwrap()).0
    }

    fn slice(gpus: &Catalogue<Gpu>, gpu: &str, profile: &str) -> Gpu {
        let whole = gpus.entry_named(gpu).unwrap();
        let found = MigTable::shipped().unwrap().profile_named(&whole.id, profile).unwrap();
        whole.mig_slice(found).unwrap()
    }

    /// Profile, SMs and memory as `nvidia-smi mig -lgip` prints them (see the sources of `specs/mig.toml`).
    #[test]
    fn slices_have_what_the_driver_prints() {
        let gpus = shipped_gpus();
        for (gpu, profile, sms, gib, of_bandwidth) in [
            ("a100-sxm4-40gb", "1g.5gb", 14, 5.0, 0.125),
            ("a100-sxm4-80gb", "3g.40gb", 42, 40.0, 0.5),
            ("a30", "2g.12gb", 28, 12.0, 0.5),
            ("h100-sxm5", "1g.20gb", 26, 20.0, 0.25),
            ("h100-sxm5", "3g.40gb", 60, 40.0, 0.5),
            ("h100-pcie", "4g.40gb", 62, 40.0, 0.5),
            ("h200", "3g.71gb", 60, 70.5, 0.5),
            ("b200", "1g.23gb", 18, 22.5, 0.125),
            ("rtx-pro-6000-server", "1g.24gb+gfx", 46, 24.0, 0.25),
        ] {
            let whole = gpus.entry_named(gpu).unwrap();
            let slice = slice(&gpus, gpu, profile);
            assert_eq!(slice.sms.value, sms, "{gpu} {profile}");
            assert!((slice.memory_size.value.0 / 1_073_741_824.0 - gib).abs() < 1e-9, "{gpu} {profile}");
            let ratio = slice.bandwidth_peak.value / whole.bandwidth_peak.value;
            assert!((ratio - of_bandwidth).abs() < 1e-9, "{gpu} {profile}: {ratio}");
            assert_eq!(slice.clocks().mem, whole.clocks().mem, "its pins run as fast");
        }
    }

    #[test]
    fn rates_go_with_sms_and_every_number_says_the_rule() {
        let gpus = shipped_gpus();
        let (whole, part) = (gpus.entry_named("h100-sxm5").unwrap(), slice(&gpus, "h100-sxm5", "3g.40gb"));
        let sms = 60.0 / 132.0;
        for ratio in [
            part.fp32_peak.value / whole.fp32_peak.value,
            part.fp32_sustained().value / whole.fp32_sustained().value,
            part.tensor[0].dense.as_ref().unwrap().value / whole.tensor[0].dense.as_ref().unwrap().value,
            part.power_limit.value.0 / whole.power_limit.value.0,
        ] {
            assert!((ratio - sms).abs() < 1e-9, "{ratio}");
        }
        assert!(
            (part.l2_bandwidth_or_derived().value / whole.l2_bandwidth_or_derived().value - 0.5).abs() < 1e-9
        );
        assert_eq!((part.sms.origin, part.fp32_peak.origin), (NumberOrigin::Measured, NumberOrigin::Derived));
        assert_eq!(&*part.fp32_peak.source, "nvidia-mig-guide");
        assert!(part.fp32_peak.note.unwrap().contains("MIG 3g.40gb"));
    }

    #[test]
    fn every_board_is_in_the_catalogue_and_no_slice_has_more_than_the_whole() {
        let gpus = shipped_gpus();
        let table = MigTable::shipped().unwrap();
        for id in table.gpu_ids() {
            let whole = gpus.entry_named(id).unwrap();
            assert_eq!(whole.id, id);
            let mut before = 0;
            for profile in table.profiles(id) {
                let slice = whole.mig_slice(profile).unwrap_or_else(|| panic!("{id} {}", profile.name));
                assert!(
                    slice.sms.value >= before && slice.sms.value <= whole.sms.value,
                    "{id} {}",
                    profile.name
                );
                // The name is the rounded memory of the slice.
                let named: f64 = profile.name.split(['.', 'g']).nth(2).unwrap().parse().unwrap();
                let gib = slice.memory_size.value.0 / 1_073_741_824.0;
                assert!((gib - named).abs() < 1.0, "{id} {}: {gib}", profile.name);
                before = slice.sms.value;
            }
        }
    }

    #[test]
    fn fractions_are_parts_of_a_whole() {
        assert_eq!(share_of_text("3/7"), Some(3.0 / 7.0));
        for bad in ["", "3", "8/7", "0/7", "a/b", "1/0"] {
            assert_eq!(share_of_text(bad), None, "{bad}");
        }
    }
}
