//! The filter of the board: names, architectures, limits such as `<=300W` or `<=2$/h`. Words are all to hold, commas join
//! alternatives.

use super::filter::Filter;
use crate::gpu::GpuId;
use crate::rank::{LimitSign, RankedRow, TargetError, select_targets};
use crate::session::Session;

/// A filter of the board, read.
pub(super) struct BoardFilter {
    words: Vec<FilterWord>,
}

/// What one word lets through.
enum FilterWord {
    /// The GPUs of a name, an architecture or a limit.
    Gpus(Vec<GpuId>),
    /// Rows whose price by the hour is within a limit; one without a price is not.
    Price(LimitSign, f64),
    /// Rows with these letters in their name.
    Letters(Filter),
    /// What one of these lets through.
    AnyOf(Vec<Self>),
    /// Every row: a limit that is none, or is still being typed, hides nothing. It is said once it is accepted.
    Unread(String),
}

impl BoardFilter {
    /// The filter as typed.
    pub(super) fn read(typed: &str, session: &Session) -> Self {
        Self { words: typed.split_whitespace().map(|word| FilterWord::read(word, session)).collect() }
    }

    /// Whether this row is shown.
    pub(super) fn fits_row(&self, row: &RankedRow) -> bool {
        self.words.iter().all(|word| word.fits_row(row))
    }

    /// The first word that is no limit, and what one looks like.
    pub(super) fn unread(&self) -> Option<&str> {
        self.words.iter().find_map(FilterWord::unread)
    }

    /// Whether a price by the hour is asked for.
    pub(super) fn asks_for_prices(&self) -> bool {
        self.words.iter().any(FilterWord::asks_for_prices)
    }
}

impl FilterWord {
    fn read(word: &str, session: &Session) -> Self {
        // A comma joins alternatives: `4090,5090,h100`.
        if word.contains(',') {
            let words = word.split(',').filter(|part| !part.is_empty());
            return Self::AnyOf(words.map(|part| Self::read(part, session)).collect());
        }
        if word.contains('$') {
            return price_limit(word).map_or_else(
                || Self::Unread(format!("`{word}`: expected a price by the hour such as `<=2$/h`")),
                |(sign, usd)| Self::Price(sign, usd),
            );
        }
        match select_targets(&session.gpus, &[word.to_string()]) {
            Ok(gpus) => Self::Gpus(gpus),
            Err(TargetError::NoneLeft { .. } | TargetError::NoneNamed) => Self::Gpus(Vec::new()),
            Err(error @ TargetError::Limit(_)) => Self::Unread(format!("{error}, or `<=2$/h`")),
            Err(TargetError::Name { .. }) => Self::Letters(Filter::new(word)),
        }
    }

    fn fits_row(&self, row: &RankedRow) -> bool {
        match self {
            Self::Gpus(gpus) => gpus.contains(&row.gpu),
            Self::Price(sign, usd) => {
                row.price.as_ref().is_some_and(|price| sign.holds(price.usd_per_hour, *usd))
            }
            Self::Unread(_) => true,
            Self::AnyOf(words) => words.iter().any(|word| word.fits_row(row)),
            Self::Letters(letters) => letters.score(&[&row.name, &row.gpu_id]).is_some(),
        }
    }

    fn unread(&self) -> Option<&str> {
        match self {
            Self::Unread(why) => Some(why),
            Self::AnyOf(words) => words.iter().find_map(Self::unread),
            Self::Gpus(_) | Self::Price(..) | Self::Letters(_) => None,
        }
    }

    fn asks_for_prices(&self) -> bool {
        match self {
            Self::Price(..) => true,
            Self::AnyOf(words) => words.iter().any(Self::asks_for_prices),
            _ => false,
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
        assert!(matches!(&of("<=1W").words[..], [FilterWord::Gpus(gpus)] if gpus.is_empty()));
    }
}
