//! Evaluations that know more than one pair of GPUs: every source at once, and a few rows of the target.
//!
//! Known rows are chosen by the hash of what they time, never by how long it took; they correct the model as
//! [`crate::answer::KnownRows`] says and are not scored. Every other row of the target stays as hidden as without them.

use super::protocol::TrialScope;
use super::setup::EvaluationWorld;
use super::tally::Refused;
use crate::answer::{
    AnswerTrial, AnswerTrials, CorrectedQuestion, KnownRow, KnownRows, ResidualFold, TrialNumber,
    conformal_width, log_mean,
};
use crate::gpu::GpuId;
use crate::measurement::Measurement;
use crate::predict::Predictor;
use crate::units::Seconds;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Configuration and target of a row.
pub(super) type AskedRow = (usize, GpuId);

/// This many rows of every GPU, among those that another GPU timed too.
pub(super) fn known(world: EvaluationWorld<'_>, rows_per_gpu: usize) -> BTreeSet<AskedRow> {
    let mut by_gpu: BTreeMap<GpuId, Vec<(u64, usize)>> = BTreeMap::new();
    if rows_per_gpu == 0 {
        return BTreeSet::new();
    }
    for (at, (id, config)) in world.store.configs().enumerate() {
        let rows: Vec<&Measurement> = world.store.rows_of(id).collect();
        if rows.len() < 2 {
            continue;
        }
        let kernel = &world.kernels[config.kernel].id;
        for row in rows {
            let gpu = &world.gpus[row.gpu].id;
            let content = format!("{gpu}/{kernel}/{}/{}", config.problem, config.variant);
            by_gpu.entry(row.gpu).or_default().push((hash(&content), at));
        }
    }
    let chosen = |(gpu, mut rows): (GpuId, Vec<(u64, usize)>)| {
        rows.sort_unstable();
        rows.into_iter().take(rows_per_gpu).map(move |(_, config)| (config, gpu))
    };
    by_gpu.into_iter().flat_map(chosen).collect()
}

/// FNV-1a with its upper bits mixed in: the same choice of rows on every machine.
#[must_use]
pub fn hash(text: &str) -> u64 {
    let fnv =
        text.bytes().fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
    (fnv ^ (fnv >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Drops the known rows, and corrects every other prediction by those of its target as its source predicts them, where
/// this model is corrected at all.
pub(super) fn learn(known: &BTreeSet<AskedRow>, model: &dyn Predictor, trials: &mut AnswerTrials) {
    if known.is_empty() {
        return;
    }
    if !model.is_corrected() {
        return trials.retain(|t| !known.contains(&(t.config_index(), t.target)));
    }
    let mut rows: HashMap<(GpuId, GpuId), Vec<KnownRow>> = HashMap::new();
    for t in trials.iter().filter(|t| known.contains(&(t.config_index(), t.target))) {
        let ln = (t.measured / t.predicted).ln();
        let source_time = t.source_time.known().map(Seconds);
        let row = KnownRow { kernel: t.kernel, source_time, doubt: t.doubt.known(), ln };
        rows.entry((t.source, t.target)).or_default().push(row);
    }
    let rows: HashMap<_, _> =
        rows.into_iter().map(|(pair, rows)| (pair, KnownRows::from_rows(rows))).collect();
    trials.retain(|t| !known.contains(&(t.config_index(), t.target)));
    trials.correct(|t| {
        let source_time = t.source_time.known().map(Seconds);
        let asked = CorrectedQuestion { kernel: t.kernel, source_time, own: None };
        rows.get(&(t.source, t.target))?.correction(&asked)
    });
}

/// One prediction per configuration and target from all of these pairs, in their order, with its interval.
pub(super) fn combined(
    pairs: &AnswerTrials,
    scope: &TrialScope,
    fold: &dyn Fn(&AnswerTrial) -> ResidualFold,
) -> AnswerTrials {
    let looked_at = |t: &AnswerTrial| scope.has(t.config_index(), t.kernel, t.source, t.target);
    let mut all: AnswerTrials = groups(pairs).filter_map(|g| together(&g, looked_at)).collect();
    let mut factors: BTreeMap<ResidualFold, f64> = BTreeMap::new();
    all.set_intervals(|trial| {
        let fold = fold(trial);
        *factors.entry(fold).or_insert_with(|| common_factor(pairs, fold).unwrap_or(0.0))
    });
    all
}

/// The pairs of one configuration and target row each; they lie side by side.
fn groups(pairs: &AnswerTrials) -> impl Iterator<Item = Vec<AnswerTrial>> + '_ {
    let mut rest = pairs.iter().peekable();
    std::iter::from_fn(move || {
        let mut group = vec![rest.next()?];
        let row = group[0].target_row();
        while let Some(next) = rest.next_if(|t| t.target_row() == row) {
            group.push(next);
        }
        Some(group)
    })
}

/// The pairs of a group that may be used, as one.
fn together(group: &[AnswerTrial], used: impl Fn(&AnswerTrial) -> bool) -> Option<AnswerTrial> {
    let used: Vec<&AnswerTrial> = group.iter().filter(|t| used(t)).collect();
    let parts: Vec<(f64, f64)> = used.iter().map(|t| (t.predicted, t.weight)).collect();
    let (predicted, _) = log_mean(&parts)?;
    let first = **used.first()?;
    // No single GPU is the source: an order of two GPUs is not asked for.
    let borrowed = used.iter().any(|t| t.borrowed);
    Some(AnswerTrial {
        source: first.target,
        source_time: TrialNumber::UNKNOWN,
        predicted,
        borrowed,
        ..first
    })
}

/// The factor of a 90 % interval from predictions in which what is held out has no part, as target, as source, or as the
/// row a count was borrowed from.
fn common_factor(pairs: &AnswerTrials, fold: ResidualFold) -> Option<f64> {
    let known = |t: &AnswerTrial| match fold {
        ResidualFold::Gpu(gpu) => t.target != gpu && t.source != gpu && !t.borrowed,
        ResidualFold::Kernel(kernel) => t.kernel != kernel,
        ResidualFold::Nothing => true,
    };
    let all = groups(pairs).filter_map(|g| together(&g, known)).map(|t| t.residual()).collect();
    conformal_width(all).map(f64::exp)
}

/// The rows of the scope that were asked about and got no time from any source, with what pairs were refused for.
pub(super) fn refused(
    world: EvaluationWorld<'_>,
    scope: &TrialScope,
    known: &BTreeSet<AskedRow>,
    answered: usize,
    of_pairs: &Refused,
) -> Refused {
    let mut asked = 0usize;
    for (at, (id, config)) in world.store.configs().enumerate() {
        let rows: Vec<&Measurement> = world.store.rows_at_all_clocks(id).collect();
        let has = |target: GpuId| {
            let mut sources = rows.iter().map(|r| r.gpu).filter(|s| *s != target);
            sources.any(|source| scope.has(at, config.kernel, source, target))
        };
        asked += rows.iter().filter(|r| !known.contains(&(at, r.gpu)) && has(r.gpu)).count();
    }
    let none = asked.saturating_sub(answered);
    let reasons: Vec<&str> = of_pairs.keys().map(String::as_str).collect();
    let reason = format!("no source gives a time: {}", reasons.join("; "));
    if none > 0 { [(reason, none)].into() } else { Refused::new() }
}
