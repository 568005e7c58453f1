//! Lists of GPUs as people type them: ids, what several boards are called (`h100`), `all`, an architecture, one of each
//! architecture, and limits such as `<=300W`.

use crate::catalogue::{Catalogue, NameError, is_near_name};
use crate::gpu::{Gpu, GpuId};
use crate::units::{KiloBytes, bytes_per, number_and_unit};

/// The word for one GPU of each architecture.
const EACH: &str = "each-architecture";

/// Why a list of GPUs was refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TargetError {
    /// A name that is none, or fits several GPUs.
    #[error(transparent)]
    Name(NameError),
    /// A name near to no GPU's.
    #[error(
        "{error}; `all`, `each-architecture`, an architecture ({architectures}) or a limit such as `<=300W` work too"
    )]
    NoName {
        /// That it is unknown.
        error: NameError,
        /// The architectures of the catalogue.
        architectures: String,
    },
    /// A limit that is none.
    #[error("`{0}`: expected a limit such as `<=300W`, `>=24GB`, `>=1000GB/s` or `>=2020`")]
    Limit(String),
    /// Nothing but blanks and commas.
    #[error("expected GPUs and found none; `all` means every one")]
    NoneNamed,
    /// Nothing is left.
    #[error("no GPU is left of {all} by {limits}; `roofswap gpus` lists their numbers")]
    NoneLeft {
        /// How many there were.
        all: usize,
        /// The limits, as typed.
        limits: String,
    },
}

/// The GPUs that this list means, as typed and in the catalogue's order, each once: names, architectures and `all` add to it, limits
/// take away; a list of limits alone starts from all.
///
/// # Errors
/// [`TargetError`] with what was expected.
pub fn select_targets(gpus: &Catalogue<Gpu>, words: &[String]) -> Result<Vec<GpuId>, TargetError> {
    let words = words.iter().flat_map(|w| typed_words(gpus, w)).map(str::trim).filter(|w| !w.is_empty());
    let (limits, names): (Vec<&str>, Vec<&str>) = words.partition(|w| w.starts_with(['<', '>', '=']));
    if limits.is_empty() && names.is_empty() {
        return Err(TargetError::NoneNamed);
    }
    let limits: Vec<Limit> = limits.into_iter().map(Limit::read).collect::<Result<_, _>>()?;
    let mut chosen: Vec<GpuId> = if names.is_empty() { gpus.ids().collect() } else { Vec::new() };
    for name in names {
        for gpu in named(gpus, name)? {
            if !chosen.contains(&gpu) {
                chosen.push(gpu);
            }
        }
    }
    let all = chosen.len();
    chosen.retain(|gpu| limits.iter().all(|limit| limit.holds(&gpus[*gpu])));
    if chosen.is_empty() {
        let limits = limits.iter().map(|l| l.typed.as_str()).collect::<Vec<_>>().join(" and ");
        return Err(TargetError::NoneLeft { all, limits });
    }
    Ok(chosen)
}

fn named(gpus: &Catalogue<Gpu>, name: &str) -> Result<Vec<GpuId>, TargetError> {
    let lower = name.to_lowercase();
    if lower == "all" {
        return Ok(gpus.ids().collect());
    }
    if lower == EACH || lower == "each" {
        return Ok(each_architecture(gpus));
    }
    let of_architecture: Vec<GpuId> =
        gpus.with_ids().filter(|(_, gpu)| gpu.architecture == lower).map(|(id, _)| id).collect();
    if !of_architecture.is_empty() {
        return Ok(of_architecture);
    }
    gpus.position(name).map(|gpu| vec![gpu]).or_else(|error| match boards_named(gpus, &lower) {
        boards if boards.is_empty() => Err(unknown_name(gpus, error)),
        boards => Ok(boards),
    })
}

/// Why no GPU has a name, with what else a list of GPUs takes where none is near.
fn unknown_name(gpus: &Catalogue<Gpu>, error: NameError) -> TargetError {
    match error {
        NameError::Unknown { what, name, nearest } if nearest.is_empty() && !name.contains('?') => {
            let all = architectures(gpus);
            let near = all.iter().filter(|architecture| is_near_name(&name, architecture));
            let nearest: Vec<String> = near.map(|architecture| (*architecture).to_string()).collect();
            let is_near = !nearest.is_empty();
            let error = NameError::Unknown { what, name, nearest };
            match is_near {
                true => TargetError::Name(error),
                false => TargetError::NoName { error, architectures: all.join(", ") },
            }
        }
        error => TargetError::Name(error),
    }
}

/// The boards that carry this name with more behind it: of `h100` the PCIe, SXM5 and NVL ones.
#[must_use]
pub fn boards_named(gpus: &Catalogue<Gpu>, name: &str) -> Vec<GpuId> {
    let is_board = |gpu: &Gpu| gpu.id.strip_prefix(name).is_some_and(|rest| rest.starts_with('-'));
    gpus.with_ids().filter(|(_, gpu)| is_board(gpu) && !gpu.is_hypothetical()).map(|(id, _)| id).collect()
}

/// What stands between commas and blanks, unless the whole is a name: profilers write `NVIDIA A100-SXM4-80GB`.
fn typed_words<'t>(gpus: &Catalogue<Gpu>, typed: &'t str) -> Vec<&'t str> {
    if gpus.position(typed).is_ok() { vec![typed] } else { typed.split([',', ' ']).collect() }
}

/// The architectures of a catalogue, oldest first.
fn architectures(gpus: &Catalogue<Gpu>) -> Vec<&str> {
    let mut all: Vec<(crate::gpu::ComputeCapability, &str)> =
        gpus.entries().iter().map(|gpu| (gpu.cuda.compute_capability, gpu.architecture.as_str())).collect();
    all.sort();
    let mut names = Vec::new();
    for (_, name) in all {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The oldest generation (major compute capability) that compilers of today build for: CUDA 12 dropped Kepler.
const OLDEST_BUILT_FOR: u8 = 5;

/// One GPU of each architecture that compilers still build for, oldest first: the one with the highest DRAM bandwidth, the first by id where two have the
/// same. A rule, and no judgement: of each generation the board with the fastest memory.
#[must_use]
pub fn each_architecture(gpus: &Catalogue<Gpu>) -> Vec<GpuId> {
    each_architecture_among(gpus, |_| true)
}

/// [`each_architecture`] of the GPUs that may be chosen.
#[must_use]
pub fn each_architecture_among(gpus: &Catalogue<Gpu>, may_be_chosen: impl Fn(GpuId) -> bool) -> Vec<GpuId> {
    let best_of = |architecture: &str| {
        let members =
            gpus.with_ids().filter(|(_, gpu)| gpu.architecture == architecture && !gpu.is_hypothetical());
        let built_for = |gpu: &Gpu| gpu.cuda.compute_capability.major >= OLDEST_BUILT_FOR;
        members
            .filter(|(id, gpu)| built_for(gpu) && may_be_chosen(*id))
            .max_by(|(_, a), (_, b)| {
                a.bandwidth_peak.value.0.total_cmp(&b.bandwidth_peak.value.0).then(b.id.cmp(&a.id))
            })
            .map(|(id, _)| id)
    };
    architectures(gpus).into_iter().filter_map(best_of).collect()
}

/// A limit of one number of a GPU.
struct Limit {
    typed: String,
    number: fn(&Gpu) -> f64,
    sign: LimitSign,
    value: f64,
}

/// Which numbers a limit lets through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitSign {
    /// `<=`, `<`.
    AtMost,
    /// `>=`, `>`.
    AtLeast,
    /// `=`.
    Exactly,
}

impl LimitSign {
    /// The sign that a limit begins with, and what stands behind it; `None` where it begins with none.
    #[must_use]
    pub fn read(text: &str) -> Option<(Self, &str)> {
        let signs = [
            ("<=", Self::AtMost),
            (">=", Self::AtLeast),
            ("<", Self::AtMost),
            (">", Self::AtLeast),
            ("=", Self::Exactly),
        ];
        signs.iter().find_map(|(written, sign)| Some((*sign, text.strip_prefix(written)?)))
    }

    /// Whether this number is within the limit.
    #[must_use]
    pub fn holds(self, number: f64, limit: f64) -> bool {
        match self {
            Self::AtMost => number <= limit * (1.0 + 1e-9),
            Self::AtLeast => number >= limit * (1.0 - 1e-9),
            Self::Exactly => (number / limit - 1.0).abs() < 1e-6,
        }
    }
}

impl Limit {
    fn read(text: &str) -> Result<Self, TargetError> {
        let refuse = || TargetError::Limit(crate::text::clipped_text(text, 30));
        let (sign, amount) = LimitSign::read(text).ok_or_else(refuse)?;
        let (value, unit) = number_and_unit(amount).ok_or_else(refuse)?;
        let (number, scale) = number_of_unit(unit, value).ok_or_else(refuse)?;
        Ok(Self { typed: text.to_string(), number, sign, value: value * scale })
    }

    fn holds(&self, gpu: &Gpu) -> bool {
        self.sign.holds((self.number)(gpu), self.value)
    }
}

/// One number of a GPU, SI.
type GpuNumberIn = fn(&Gpu) -> f64;

/// The number of a GPU that has this unit, and the scale of the unit: watts, memory, bandwidth, the year of launch.
fn number_of_unit(unit: &str, value: f64) -> Option<(GpuNumberIn, f64)> {
    let rate = unit.strip_suffix("/s");
    if let Some(scale) = rate.filter(|_| unit.contains('B')).and_then(|u| bytes_per(u, KiloBytes::Decimal)) {
        return Some((|gpu| gpu.bandwidth_peak.value.0, scale));
    }
    match unit {
        "W" | "w" => Some((|gpu| gpu.power_limit.value.0, 1.0)),
        "GB" | "GiB" | "G" => Some((|gpu| gpu.memory_size.value.0, bytes_per(unit, KiloBytes::Binary)?)),
        "" if (1990.0..2100.0).contains(&value) => Some((|gpu| f64::from(gpu.launch_year), 1.0)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Session;

    fn ids(words: &[&str]) -> Result<Vec<String>, TargetError> {
        let session = Session::load(None).expect("what ships loads");
        let words: Vec<String> = words.iter().map(|w| (*w).to_string()).collect();
        let chosen = select_targets(&session.gpus, &words)?;
        Ok(chosen.into_iter().map(|gpu| session.gpus[gpu].id.clone()).collect())
    }

    #[test]
    fn names_add_and_limits_take_away() {
        assert_eq!(ids(&["rtx-4070,h100-sxm5", "rtx-4070"]).unwrap(), ["rtx-4070", "h100-sxm5"]);
        let session = Session::load(None).unwrap();
        let ada = ids(&["ada"]).unwrap();
        let count = session.gpus.entries().iter().filter(|g| g.architecture == "ada").count();
        assert_eq!(ada.len(), count);
        let frugal = ids(&["ada,<=200W"]).unwrap();
        let is_frugal = |id: &String| session.gpus.entry_named(id).unwrap().power_limit.value.0 <= 200.0;
        assert!(!frugal.is_empty() && frugal.len() < ada.len() && frugal.iter().all(is_frugal));
        let large: Vec<String> = ids(&[">=80GB", ">=3000GB/s"]).unwrap();
        assert!(
            large.contains(&"h100-sxm5".to_string()) && !large.contains(&"h100-pcie".to_string()),
            "{large:?}"
        );
    }

    #[test]
    fn a_name_of_several_boards_means_them_all() {
        assert_eq!(ids(&["h100"]).unwrap(), ["h100-pcie", "h100-sxm5", "h100-nvl"]);
        assert_eq!(ids(&["NVIDIA A100-SXM4-80GB"]).unwrap(), ["a100-sxm4-80gb"]);
        assert_eq!(ids(&["l40"]).unwrap(), ["l40"], "a name of one is that one");
        assert!(ids(&["6000"]).is_err(), "part of names of other families");
    }

    #[test]
    fn one_of_each_architecture_is_eight_generations_in_order() {
        let session = Session::load(None).unwrap();
        let of = |id: &String| session.gpus.entry_named(id).unwrap().architecture.clone();
        let each = ids(&["each-architecture"]).unwrap();
        assert_eq!(
            each.iter().map(of).collect::<Vec<_>>(),
            ["maxwell", "pascal", "volta", "turing", "ampere", "ada", "hopper", "blackwell"]
        );
    }

    #[test]
    fn nonsense_is_refused_with_what_to_type() {
        for (words, said) in [
            ("rtx-4071", "nearest: rtx-4070"),
            ("<=300", "expected a limit"),
            ("<=W", "expected a limit"),
            (">=300parsec", "expected a limit"),
            ("ada,>=5000W", "no GPU is left"),
        ] {
            let why = ids(&[words]).unwrap_err().to_string();
            assert!(why.contains(said), "{words}: {why}");
        }
    }
}
