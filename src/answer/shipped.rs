//! How wrong `components` has been, family by family: quantiles of |ln(measured / predicted)| over the answer's doubt, derived
//! from other people's measurements and shipped in `specs/intervals.toml`. A question about a kernel is answered from the
//! families it does not belong to, so that an interval never saw the kernel it is asked about.

use super::coverage::COVERAGE;
use super::trials::AnswerTrials;
use crate::catalogue::{Catalogue, FileError, SpecFile};
use crate::kernel::{Kernel, KernelId};
use serde::Deserialize;
use std::collections::HashMap;
use std::sync::OnceLock;

/// The table.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct ShippedErrors {
    pub(super) size_extrapolation: SizeExtrapolation,
    /// Families of kernels.
    #[serde(rename = "family", default)]
    pub families: Vec<Family>,
    /// Made when a width is first asked for.
    #[serde(skip)]
    widths: OnceLock<Widths>,
}

/// Half a width for a timed source, and for one that was not measured.
type HalfWidths = [Option<HalfWidth>; 2];

/// The half widths for every kernel: all kernels of the same families have the same.
#[derive(Debug, Clone, Default)]
struct Widths {
    of_kernel: HashMap<String, HalfWidths>,
    /// For a kernel of no family.
    of_others: HalfWidths,
}

#[derive(Debug, Clone, Default, Deserialize)]
pub(super) struct SizeExtrapolation {
    pub(super) ln_per_doubling: f64,
}

/// Kernels that one study measured on several GPUs.
#[derive(Debug, Clone, Deserialize)]
pub struct Family {
    /// In words.
    pub name: String,
    /// Ids of the kernels.
    pub kernels: Vec<String>,
    /// GPUs that timed them.
    pub gpus: usize,
    /// Ordered pairs behind the quantiles.
    pub pairs: usize,
    /// Quantiles (i + 0.5)/n of |ln(measured / predicted)| over the doubt, ascending.
    pub scores: Vec<f64>,
    /// Quantiles of |ln(measured / predicted)| where nothing was timed on the source.
    pub unmeasured: Vec<f64>,
}

/// Half a width in units of doubt (or in ln), and how many pairs stand behind it.
pub(super) type HalfWidth = (f64, usize);

impl ShippedErrors {
    /// The shipped table.
    ///
    /// # Errors
    /// [`FileError`] where `specs/intervals.toml` does not parse (a test reads it).
    pub fn from_specs() -> Result<Self, FileError> {
        let text = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/specs/intervals.toml"));
        SpecFile { name: "specs/intervals.toml", text }.parse()
    }

    /// The 90 % point of the scores of every family without this kernel, each weighing the same.
    pub(super) fn half_width(&self, kernel: &str) -> Option<HalfWidth> {
        self.widths(kernel)[0]
    }

    /// The same for a kernel that was not measured on the source, in ln.
    pub(super) fn unmeasured(&self, kernel: &str) -> Option<HalfWidth> {
        self.widths(kernel)[1]
    }

    /// Sets the interval of every trial of a model that says how uncertain its answer is.
    pub fn widen(&self, trials: &mut AnswerTrials, kernels: &Catalogue<Kernel>) {
        let mut known: HashMap<KernelId, Option<f64>> = HashMap::new();
        trials.set_intervals(|trial| {
            let Some(doubt) = trial.doubt.known() else { return trial.interval };
            let id = || &kernels[trial.kernel].id;
            let width = known.entry(trial.kernel).or_insert_with(|| self.half_width(id()).map(|(w, _)| w));
            trial.width.known().or(*width).map_or(0.0, |width| (width * doubt).exp())
        });
    }

    fn widths(&self, kernel: &str) -> HalfWidths {
        let Widths { of_kernel, of_others } = self.widths.get_or_init(|| self.all_widths());
        of_kernel.get(kernel).copied().unwrap_or(*of_others)
    }

    /// Sorts the scores once for each set of families that some kernel belongs to.
    fn all_widths(&self) -> Widths {
        let mut of_families: HashMap<Vec<bool>, HalfWidths> = HashMap::new();
        let mut pair = |kernel: &str| {
            let has = |f: &Family| f.kernels.iter().any(|k| k == kernel);
            let own = self.families.iter().map(has).collect();
            let both = |own: &Vec<bool>| [self.point(own, |f| &f.scores), self.point(own, |f| &f.unmeasured)];
            *of_families.entry(own).or_insert_with_key(both)
        };
        let kernels = self.families.iter().flat_map(|f| &f.kernels);
        Widths { of_kernel: kernels.map(|k| (k.clone(), pair(k))).collect(), of_others: pair("") }
    }

    /// The 90 % point without those of the families that are marked as the kernel's own. The score that is asked for counts as one
    /// more, as in [`conformal_rank`](super::conformal_rank).
    fn point(&self, own: &[bool], of: fn(&Family) -> &Vec<f64>) -> Option<HalfWidth> {
        let others = || self.families.iter().zip(own).filter(|(_, own)| !**own).map(|(f, _)| f);
        let mut weighed: Vec<(f64, f64)> =
            others().flat_map(|f| of(f).iter().map(|score| (*score, 1.0 / of(f).len() as f64))).collect();
        weighed.sort_by(|a, b| a.0.total_cmp(&b.0));
        let weights = || weighed.iter().map(|(_, weight)| weight);
        let wanted = COVERAGE * (weights().sum::<f64>() + weights().copied().fold(0.0, f64::max));
        let mut below = 0.0;
        let at = weighed.iter().position(|(_, weight)| {
            below += weight;
            below >= wanted
        });
        let at = at.or(weighed.len().checked_sub(1))?;
        Some((weighed[at].0, others().map(|f| f.pairs).sum()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn family(kernel: &str, scores: &[f64]) -> Family {
        let kernels = vec![kernel.to_string()];
        let (scores, unmeasured) = (scores.to_vec(), scores.to_vec());
        Family { name: kernel.into(), kernels, gpus: 2, pairs: 10, scores, unmeasured }
    }

    #[test]
    fn families_weigh_the_same_and_ones_own_is_left_out() {
        let tame: Vec<f64> = (1..=100).map(|i| f64::from(i) / 100.0).collect();
        let wild: Vec<f64> = (1..=10).map(f64::from).collect();
        let all =
            ShippedErrors { families: vec![family("a", &tame), family("b", &wild)], ..Default::default() };
        assert_eq!(all.half_width("b"), Some((0.91, 10)), "b's own wild scores are left out");
        // Half the weight lies within 1; of 90 % of both halves and one more of the ten the rest is 0.89: 9 of 10.
        assert_eq!(all.half_width("c"), Some((9.0, 20)));
        assert_eq!(ShippedErrors::default().half_width("c"), None);
    }
}
