//! The filter of the board, in the meaning of `rank --to`: names and architectures add to it, limits such as `<=300W` or `<=2$/h`
//! take away, and all of them are to hold. Letters of a name stand for a name, too.

use super::filter::Filter;
use crate::catalogue::Catalogue;
use crate::gpu::{Gpu, GpuId};
use crate::rank::{LimitSign, PriceQuote, RankedRow, TargetError, select_targets};
use crate::session::Session;

/// A filter of the board, read.
#[derive(Default)]
pub(super) struct BoardFilter {
    /// A row is of one of these, where any is named.
    named: Vec<NamedRows>,
    /// And within all of these.
    limits: Vec<FilterLimit>,
}

/// What stands between two commas, without its limits.
enum NamedRows {
    /// The GPUs of names and architectures.
    Gpus(Vec<GpuId>),
    /// Rows that each of these words fits, one of which is no name.
    Words(Vec<NameWord>),
}

/// A word of a name.
enum NameWord {
    /// The GPUs that it names.
    Gpus(Vec<GpuId>),
    /// Rows with these letters in their name.
    Letters(Filter),
}

/// What a limit lets through.
enum FilterLimit {
    /// The GPUs within a limit.
    Gpus(Vec<GpuId>),
    /// Rows whose price by the hour is within a limit; one without a price is not.
    Price(LimitSign, f64),
    /// Every row: a limit that is none, or is still being typed, hides nothing. It is said once it is accepted.
    Unread(String),
}

impl BoardFilter {
    /// The filter as typed.
    pub(super) fn read(typed: &str, session: &Session) -> Self {
        let gpus = &session.gpus;
        let mut filter = Self::default();
        for part in typed.split(',') {
            let (limits, words): (Vec<&str>, Vec<&str>) = part.split_whitespace().partition(is_limit);
            filter.limits.extend(limits.into_iter().map(|limit| FilterLimit::read(limit, gpus)));
            if !words.is_empty() {
                filter.named.push(NamedRows::read(&words, gpus));
            }
        }
        filter
    }

    /// Whether this row is shown.
    pub(super) fn fits_row(&self, row: &RankedRow) -> bool {
        let is_named = self.named.is_empty() || self.named.iter().any(|named| named.fits_row(row));
        is_named && self.is_within_limits(row.gpu, row.price.as_ref())
    }

    /// Whether a GPU at this price is within all limits, whatever its name.
    pub(super) fn is_within_limits(&self, gpu: GpuId, price: Option<&PriceQuote>) -> bool {
        self.limits.iter().all(|limit| limit.fits_gpu(gpu, price))
    }

    /// The first word that is no limit, and what one looks like.
    pub(super) fn unread(&self) -> Option<&str> {
        self.limits.iter().find_map(|limit| match limit {
            FilterLimit::Unread(why) => Some(why.as_str()),
            _ => None,
        })
    }

    /// Whether a price by the hour is asked for.
    pub(super) fn asks_for_prices(&self) -> bool {
        self.limits.iter().any(|limit| matches!(limit, FilterLimit::Price(..)))
    }
}

fn is_limit(word: &&str) -> bool {
    word.contains('$') || word.starts_with(['<', '>', '='])
}

/// The letters of names that a list is to hold: those between two commas, without limits; one that everything fits where there are none.
pub(super) fn lettered_parts(typed: &str) -> Vec<Filter> {
    let words =
        |part: &str| part.split_whitespace().filter(|word| !is_limit(word)).collect::<Vec<_>>().join(" ");
    let mut parts: Vec<Filter> = typed.split(',').map(|part| Filter::new(&words(part))).collect();
    parts.retain(|part| !part.is_empty());
    if parts.is_empty() { vec![Filter::new("")] } else { parts }
}

impl NamedRows {
    fn read(words: &[&str], gpus: &Catalogue<Gpu>) -> Self {
        match select_targets(gpus, &[words.join(" ")]) {
            Ok(named) => Self::Gpus(named),
            Err(_) => Self::Words(words.iter().map(|word| NameWord::read(word, gpus)).collect()),
        }
    }

    fn fits_row(&self, row: &RankedRow) -> bool {
        match self {
            Self::Gpus(gpus) => gpus.contains(&row.gpu),
            Self::Words(words) => words.iter().all(|word| match word {
                NameWord::Gpus(gpus) => gpus.contains(&row.gpu),
                NameWord::Letters(letters) => letters.score(&[&row.name, &row.gpu_id]).is_some(),
            }),
        }
    }
}

impl NameWord {
    fn read(word: &str, gpus: &Catalogue<Gpu>) -> Self {
        let named = select_targets(gpus, &[word.to_string()]);
        named.map_or_else(|_| Self::Letters(Filter::new(word)), Self::Gpus)
    }
}

impl FilterLimit {
    fn read(word: &str, gpus: &Catalogue<Gpu>) -> Self {
        if word.contains('$') {
            return price_limit(word).map_or_else(
                || Self::Unread(format!("`{word}`: expected a price by the hour such as `<=2$/h`")),
                |(sign, usd)| Self::Price(sign, usd),
            );
        }
        match select_targets(gpus, &[word.to_string()]) {
            Ok(gpus) => Self::Gpus(gpus),
            Err(error @ TargetError::Limit(_)) => Self::Unread(format!("{error}, or `<=2$/h`")),
            Err(_) => Self::Gpus(Vec::new()),
        }
    }

    fn fits_gpu(&self, gpu: GpuId, price: Option<&PriceQuote>) -> bool {
        match self {
            Self::Gpus(gpus) => gpus.contains(&gpu),
            Self::Price(sign, usd) => price.is_some_and(|price| sign.holds(price.usd_per_hour, *usd)),
            Self::Unread(_) => true,
        }
    }
}

/// `<=2$/h`, `<$2`, `$<2`, `$/h<=2`: a limit of the price in US dollars by the hour.
fn price_limit(word: &str) -> Option<(LimitSign, f64)> {
    let plain = word.replace("/h", "").replace('$', "");
    let (sign, amount) = LimitSign::read(&plain)?;
    let usd: f64 = amount.parse().ok()?;
    (usd.is_finite() && usd > 0.0).then_some((sign, usd))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_is_typed_with_the_dollar_on_either_side() {
        for typed in ["<=2$/h", "<2$/h", "<=$2/h", "$<2", "$/h<=2", "<2$"] {
            assert_eq!(price_limit(typed), Some((LimitSign::AtMost, 2.0)), "{typed}");
        }
        assert_eq!(price_limit(">=0.5$/h"), Some((LimitSign::AtLeast, 0.5)));
        for wrong in ["$2", "<=$", "<=x$/h", "<=-1$/h", "<=inf$"] {
            assert_eq!(price_limit(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn what_is_no_limit_is_named_and_a_limit_that_no_gpu_meets_leaves_none() {
        let session = Session::load(None).expect("what ships loads");
        let of = |typed: &str| BoardFilter::read(typed, &session);
        assert!(of("<=3oW").unread().is_some_and(|why| why.contains("`<=3oW`") && why.contains("<=2$/h")));
        assert!(of("ada,<=xyz").unread().is_some());
        assert!(of("ada <=300W <=2$/h").unread().is_none());
        assert!(matches!(&of("<=1W").limits[..], [FilterLimit::Gpus(gpus)] if gpus.is_empty()));
    }
}
