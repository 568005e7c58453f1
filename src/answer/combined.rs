//! One time from several sources: single answers, each weighted by how much its source says ([`crate::predict::weight`]),
//! joined by their weighted log-mean.
//!
//! The interval: errors average with the times, |Σ w e| <= Σ w |e|, so that its ends are the weighted log-means of those of the single
//! answers, which know what the target cannot do; never nearer than the sources are apart.

use super::answered::{Answer, Combined, Share};
use super::known_rows::KnownCorrection;
use crate::catalogue::Catalogue;
use crate::gpu::{Gpu, GpuId};
use crate::predict::{Cause, Caution, Interval, ModelRefusal, SourceKind};
use crate::text::gpus_in_words;
use crate::units::Seconds;
use std::sync::Arc;

/// Sources whose times differ by more than this factor contradict each other.
pub const FAR_APART: f64 = 3.0;

/// exp(Σ w ln T / Σ w) and the weighted standard deviation of ln T over `(T, w)`; equal weights where all are 0, `None`
/// for nothing.
#[must_use]
pub fn log_mean(parts: &[(f64, f64)]) -> Option<(f64, f64)> {
    let all: f64 = parts.iter().map(|p| p.1).sum();
    if parts.is_empty() {
        return None;
    }
    let share = |weight: f64| if all > 0.0 { weight / all } else { 1.0 / parts.len() as f64 };
    let mean: f64 = parts.iter().map(|(t, w)| share(*w) * t.ln()).sum();
    let variance: f64 = parts.iter().map(|(t, w)| share(*w) * (t.ln() - mean).powi(2)).sum();
    // Rounding must not carry the mean beyond its extremes.
    let extreme = |pick: fn(f64, f64) -> f64| parts.iter().map(|p| p.0).reduce(pick);
    let (low, high) = (extreme(f64::min)?, extreme(f64::max)?);
    Some((mean.exp().clamp(low, high), variance.sqrt()))
}

/// The answer of several sources about one target: of those that give a time, the weighted log-mean. One such source is
/// answered for by its own answer; none, by the first refusal.
///
/// Everything that is not the predicted time and its interval is that of `beside`, or of the heaviest source. `None` for
/// no answer at all.
#[must_use]
pub fn combine(gpus: &Catalogue<Gpu>, mut singles: Vec<Answer>, beside: Option<Answer>) -> Option<Answer> {
    singles.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(a.source.cmp(&b.source)));
    let (timed, refused): (Vec<Answer>, Vec<Answer>) =
        singles.into_iter().partition(|a| a.prediction.is_ok());
    let left_out: Vec<(GpuId, ModelRefusal)> =
        refused.iter().filter_map(|a| Some((a.source, a.prediction.as_ref().err()?.clone()))).collect();
    let times: Vec<(f64, f64)> =
        timed.iter().filter_map(|a| Some((a.predicted_time()?.0, a.weight))).collect();
    let Some((mean, spread)) = log_mean(&times) else { return beside.or(refused.into_iter().next()) };
    if timed.len() == 1 && beside.is_none() {
        return timed.into_iter().next().map(|alone| with_left_out(gpus, alone, &left_out));
    }
    let all: f64 = times.iter().map(|t| t.1).sum();
    let share = |weight: f64| if all > 0.0 { weight / all } else { 1.0 / times.len() as f64 };
    let shares: Vec<Share> =
        timed.into_iter().map(|answer| Share { weight: share(answer.weight), answer }).collect();
    let combined = Combined { shares, is_beside: beside.is_some(), left_out, spread };
    let heaviest = &combined.shares.first()?.answer;
    let whole = beside.unwrap_or_else(|| heaviest.clone());
    Some(joined(gpus, whole, combined, Seconds(mean)))
}

/// `whole` with the time, interval and cautions of what was combined.
fn joined(gpus: &Catalogue<Gpu>, mut whole: Answer, combined: Combined, mean: Seconds) -> Answer {
    let Some(heaviest) = combined.shares.first().map(|s| &s.answer) else { return whole };
    if whole.prediction.is_err() {
        whole.prediction.clone_from(&heaviest.prediction);
    }
    if let Ok(p) = &mut whole.prediction {
        let sources = combined.counted().count();
        p.multiply(Cause::CombinedSources(sources), mean / p.time);
        p.time = mean;
        // The correction and what the model does not correct are those of the sources.
        p.cautions.retain(|c| !matches!(c, Caution::RowsMeasuredHere { .. } | Caution::Abstains(_)));
        if !heaviest.is_estimate() {
            let is_of_size = heaviest.source_time.as_ref().is_some_and(|t| t.kind != SourceKind::Estimated);
            let scaled = if is_of_size {
                Caution::ScaledFromOthers(measured_on(gpus, &combined))
            } else {
                Caution::ScaledFromOtherSizes(sources)
            };
            let is_modelled =
                |c: &&mut Caution| matches!(c, Caution::NoMeasurement | Caution::NoMeasuredOperator);
            let modelled = p.cautions.iter_mut().filter(is_modelled);
            modelled.for_each(|caution| *caution = scaled.clone());
        }
        let corrected = correction(&combined);
        p.cautions.extend(corrected.map(|c| Caution::RowsMeasuredHere { factor: c.factor, rows: c.rows }));
        p.cautions.extend(contradiction(gpus, &combined));
        for caution in uncorrected(&combined) {
            if !p.cautions.contains(caution) {
                p.cautions.push(caution.clone());
            }
        }
        for caution in combined.counted().flat_map(|share| &share.answer.data) {
            if !p.cautions.contains(caution) {
                p.cautions.push(caution.clone());
                whole.data.push(caution.clone());
            }
        }
    }
    whole.interval = interval(&combined, mean);
    whole.correction = correction(&combined);
    let left_out = combined.left_out.clone();
    whole.combined = Some(combined);
    with_left_out(gpus, whole, &left_out)
}

/// The GPUs of these sources, heaviest first: `rtx-3090, v100-sxm2-16gb`, beyond three how many.
fn measured_on(gpus: &Catalogue<Gpu>, combined: &Combined) -> Arc<str> {
    let names: Vec<&str> = combined.counted().map(|s| gpus[s.answer.source].id.as_str()).collect();
    gpus_in_words(&names).into()
}

/// Why the model does not correct the time of a source.
fn uncorrected(combined: &Combined) -> impl Iterator<Item = &Caution> {
    let predictions = combined.counted().filter_map(|share| share.answer.prediction.as_ref().ok());
    predictions.flat_map(|p| &p.cautions).filter(|caution| matches!(caution, Caution::Abstains(_)))
}

/// What rows measured on the target did to the log-mean.
fn correction(combined: &Combined) -> Option<KnownCorrection> {
    let rows = combined.shares.iter().filter_map(|s| Some(s.answer.correction?.rows)).max()?;
    let mean = |ln: fn(&KnownCorrection) -> f64| {
        let of_share = |s: &Share| s.weight * s.answer.correction.as_ref().map_or(0.0, ln);
        combined.shares.iter().map(of_share).sum::<f64>().exp()
    };
    Some(KnownCorrection { factor: mean(|c| c.factor.ln()), width: mean(|c| c.width.ln()), rows })
}

/// The sources of the shortest and the longest time.
fn extremes(combined: &Combined) -> Option<[(GpuId, Seconds); 2]> {
    let timed = || combined.counted().filter_map(|s| Some((s.answer.source, s.answer.predicted_time()?)));
    let by_time = |a: &(GpuId, Seconds), b: &(GpuId, Seconds)| a.1.0.total_cmp(&b.1.0);
    Some([timed().min_by(by_time)?, timed().max_by(by_time)?])
}

fn with_left_out(gpus: &Catalogue<Gpu>, mut answer: Answer, left_out: &[(GpuId, ModelRefusal)]) -> Answer {
    let caution = |(gpu, why): &(GpuId, ModelRefusal)| Caution::SourceLeftOut {
        gpu: gpus[*gpu].id.as_str().into(),
        why: why.to_string().into(),
    };
    if let Ok(p) = &mut answer.prediction {
        p.cautions.extend(left_out.iter().map(caution));
    }
    answer
}

fn contradiction(gpus: &Catalogue<Gpu>, combined: &Combined) -> Option<Caution> {
    let [low, high] = extremes(combined)?;
    let named =
        |(gpu, time): (GpuId, Seconds)| -> (Arc<str>, Seconds) { (gpus[gpu].id.as_str().into(), time) };
    let far = high.1 / low.1 > FAR_APART;
    far.then(|| Caution::SourcesDisagree { shortest: named(low), longest: named(high) })
}

/// From the average low end to the average high end of its sources, and as wide as the sources are apart; `None` where one that counts has
/// none.
fn interval(combined: &Combined, mean: Seconds) -> Option<Interval> {
    let counted = || combined.counted();
    let first = combined.shares.first()?.answer.interval?;
    let known: Option<Vec<(f64, Interval)>> =
        counted().map(|s| Some((s.weight, s.answer.interval?))).collect();
    let known = known?;
    let log_mean = |of: fn(&Interval) -> f64| known.iter().map(|(w, i)| w * of(i).ln()).sum::<f64>().exp();
    let spread = combined.spread.exp();
    Some(Interval {
        low: Seconds(log_mean(|i| i.low.0).min(mean.0 / spread)),
        high: Seconds(log_mean(|i| i.high.0).max(mean.0 * spread)),
        factor: log_mean(|i| i.factor).max(spread),
        widened: counted().any(|s| s.answer.interval.is_some_and(|i| i.widened)),
        is_cut: false,
        ..first
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_mean_by_hand() {
        let (mean, spread) = log_mean(&[(1.0, 1.0), (4.0, 1.0)]).unwrap();
        assert!((mean - 2.0).abs() < 1e-12 && (spread - 2f64.ln()).abs() < 1e-12);
        let (mean, _) = log_mean(&[(1.0, 3.0), (16.0, 1.0)]).unwrap();
        assert!((mean - 2.0).abs() < 1e-12);
        assert_eq!(log_mean(&[(5.0, 0.0)]).unwrap().0, 5.0);
        assert_eq!(log_mean(&[]), None);
    }
}
