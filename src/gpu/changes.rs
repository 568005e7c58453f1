//! Changes of a GPU's numbers as people type them: `mem=+20%,l2=72MiB,sms=60,power=150W`.

use super::Gpu;
use super::gpu_number::GpuNumber;
use crate::units::typed_number;

/// How a number is changed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ChangeAmount {
    /// To this value, SI.
    To(f64),
    /// By this factor.
    By(f64),
}

impl ChangeAmount {
    /// What a value becomes.
    #[must_use]
    pub fn applied(self, value: f64) -> f64 {
        match self {
            Self::To(new) => new,
            Self::By(factor) => value * factor,
        }
    }
}

/// One number and its change.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GpuChange {
    /// Which number.
    pub number: GpuNumber,
    /// To what, or by how much.
    pub amount: ChangeAmount,
}

/// Changes of one GPU, each number at most once, in the order they were typed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GpuChanges(Vec<GpuChange>);

/// What is said of a text that begins as the decimals behind a comma do: changes are parted by commas.
fn decimal_point(text: &str) -> &'static str {
    if text.starts_with(|c: char| c.is_ascii_digit()) { ", decimals have a point" } else { "" }
}

/// A change that cannot be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ChangeError {
    /// Not `key=value`.
    #[error("`{0}`: expected changes such as mem=+20%,l2=72MiB{point}; the keys are {keys}", point = decimal_point(.0), keys = all_keys())]
    NotAPair(String),
    /// No such number.
    #[error("`{0}` is no number of a GPU; the keys are {keys}", keys = all_keys())]
    Key(String),
    /// No value of this number.
    #[error("{key}={value}: {reason}expected {example}")]
    Value {
        /// As typed.
        key: &'static str,
        /// As typed.
        value: String,
        /// What is wrong with it, with `; ` behind it; empty where the example says enough.
        reason: &'static str,
        /// What it looks like.
        example: &'static str,
    },
    /// A number stands twice.
    #[error("{0} stands twice; give it once")]
    Twice(&'static str),
    /// Two numbers that cannot both be true.
    #[error("{gpu}: {first} contradicts {second}: {advice}")]
    Contradiction {
        /// The base GPU's id.
        gpu: String,
        /// A number with its value.
        first: String,
        /// The other one with its value.
        second: String,
        /// What to do.
        advice: &'static str,
    },
    /// A value that no GPU could have.
    #[error("{gpu}: {} {value}: expected {least} to {most} (it has {stated})", number.title())]
    OutOfRange {
        /// The base GPU's id; boxed, so that results with this error stay small.
        gpu: Box<str>,
        /// Of what.
        number: GpuNumber,
        /// The value in words.
        value: String,
        /// The least that is taken.
        least: String,
        /// The most.
        most: String,
        /// What the base has.
        stated: String,
    },
    /// A change of something counted that leaves its count: which, and the next value.
    #[error("{0}")]
    RoundedAway(String),
    /// A memory bus that is cut within a channel: which, and the widths beside it.
    #[error("{0}")]
    NoWholeChannels(String),
    /// A power limit that no clock is low enough for.
    #[error(transparent)]
    LimitTooLow(#[from] super::LimitTooLow),
    /// The base has no such number.
    #[error("{gpu}: has no {number} to change")]
    Unknown {
        /// The base GPU's id.
        gpu: String,
        /// Its title.
        number: &'static str,
    },
}

fn all_keys() -> String {
    GpuNumber::ALL.map(GpuNumber::key).join(", ")
}

impl GpuChange {
    /// Reads `mem=+20%`.
    ///
    /// # Errors
    /// [`ChangeError`] with what was expected.
    pub fn read(key: &str, value: &str) -> Result<Self, ChangeError> {
        let short = |text: &str| crate::text::harmless_line(&crate::text::clipped_text(text.trim(), 40));
        let number = GpuNumber::from_key(key).ok_or_else(|| ChangeError::Key(short(key)))?;
        let typed = value.trim();
        let is_signed = typed.starts_with(['+', '-']);
        let (amount, reason) = match relative_factor(typed) {
            Some(factor) if factor <= 0.0 => (None, "nothing would be left; "),
            Some(factor) => (Some(ChangeAmount::By(factor)), ""),
            None if is_signed => (None, "only a percentage takes a sign; "),
            None => (number.typed(typed).map(ChangeAmount::To), ""),
        };
        let refuse = || ChangeError::Value {
            key: number.key(),
            value: short(value),
            reason,
            example: number.example(),
        };
        Ok(Self { number, amount: amount.filter(is_sound).ok_or_else(refuse)? })
    }
}

fn is_sound(amount: &ChangeAmount) -> bool {
    let (ChangeAmount::To(value) | ChangeAmount::By(value)) = amount;
    value.is_finite() && *value > 0.0
}

/// `+20%` is 1.2, `-20 %` is 0.8, `x1.5` and `1.5x` are 1.5; `None` for an absolute value.
#[must_use]
pub fn relative_factor(text: &str) -> Option<f64> {
    let text = text.trim();
    if let Some(percent) = text.strip_suffix('%') {
        let signed = percent.trim();
        let value = typed_number(signed.trim_start_matches('+'))?;
        return signed.starts_with(['+', '-']).then_some(1.0 + value / 100.0);
    }
    let factor = text.strip_prefix(['x', '×']).or_else(|| text.strip_suffix(['x', '×']))?;
    typed_number(factor)
}

impl GpuChanges {
    /// The changes, in order.
    #[must_use]
    pub fn all(&self) -> &[GpuChange] {
        &self.0
    }

    /// Whether nothing is changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The change of this number.
    #[must_use]
    pub fn get(&self, number: GpuNumber) -> Option<ChangeAmount> {
        self.0.iter().find(|change| change.number == number).map(|change| change.amount)
    }

    /// Adds a change.
    ///
    /// # Errors
    /// [`ChangeError::Twice`].
    pub fn push(&mut self, change: GpuChange) -> Result<(), ChangeError> {
        if self.get(change.number).is_some() {
            return Err(ChangeError::Twice(change.number.key()));
        }
        self.0.push(change);
        Ok(())
    }

    /// The same changes with this number at another value.
    #[must_use]
    pub fn with(mut self, number: GpuNumber, amount: ChangeAmount) -> Self {
        match self.0.iter_mut().find(|change| change.number == number) {
            Some(change) => change.amount = amount,
            None => self.0.push(GpuChange { number, amount }),
        }
        self
    }

    /// The same changes but for this number.
    #[must_use]
    pub fn without(mut self, number: GpuNumber) -> Self {
        self.0.retain(|change| change.number != number);
        self
    }

    /// The value of this number on a GPU so changed, of what is counted the whole one; `None` where it has none.
    #[must_use]
    pub fn value_on(&self, base: &Gpu, number: GpuNumber) -> Option<f64> {
        let stated = base.number(number)?;
        let value = self.get(number).map_or(stated, |amount| amount.applied(stated));
        // There is no half of an SM, and what follows goes with those that there are.
        Some(if number.is_whole() { value.round() } else { value })
    }

    /// New over old; 1 where the number is not changed.
    pub(super) fn ratio_on(&self, base: &Gpu, number: GpuNumber) -> f64 {
        let changed = self.value_on(base, number).filter(|_| self.get(number).is_some());
        changed.zip(base.number(number)).map_or(1.0, |(new, old)| new / old)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_is_read_and_shown_again() {
        for (text, shown) in [
            ("mem=+20%,l2=72MiB", "mem=+20%,l2=72MiB"),
            ("MEM=x1.5 sms=60", "mem=+50%,sms=60"),
            ("mem=600", "mem=600GB/s"),
            ("mem=0.6TB/s", "mem=600GB/s"),
            ("sm=1.2GHz,power=0.15kW", "sm=1200MHz,power=150W"),
            ("smem=100KB;regs=64Ki", "smem=100KiB,regs=65536"),
            ("launch=3us,memory=24GiB", "launch=3us,memory=24GiB"),
            ("tensor=2x", "tensor=+100%"),
            ("l2=-50%", "l2=-50%"),
            ("", ""),
        ] {
            let changes: GpuChanges = text.parse().unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!(changes.to_string(), shown, "{text}");
            assert_eq!(shown.parse::<GpuChanges>().unwrap().to_string(), shown);
        }
    }

    #[test]
    fn nonsense_is_refused_with_what_was_expected() {
        for (text, said) in [
            ("mem", "expected changes such as"),
            ("speed=2", "is no number of a GPU"),
            ("mem=-100%", "nothing would be left; expected 600GB/s"),
            ("mem=-150%", "nothing would be left; expected 600GB/s"),
            ("mem=+20", "only a percentage takes a sign; expected 600GB/s, +20%"),
            ("l2=+8MiB", "only a percentage takes a sign; expected 72MiB"),
            ("mem=0", "expected 600GB/s"),
            ("mem=nan", "expected 600GB/s"),
            ("mem=3parsec/s", "expected 600GB/s"),
            ("sms=1.5", "expected 60"),
            ("sms=-4", "only a percentage takes a sign; expected 60"),
            ("l2=20%", "expected 72MiB"),
            ("power=3ms", "expected 150W"),
            ("tensor=400", "expected +20% or x2"),
            ("mem=+20%,mem=+30%", "stands twice"),
        ] {
            let why = text.parse::<GpuChanges>().unwrap_err().to_string();
            assert!(why.contains(said), "{text}: {why}");
        }
    }
}
