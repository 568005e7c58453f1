//! Changes as a text, read and written: `mem=+20%,l2=72MiB`.

use super::changes::{ChangeAmount, ChangeError, GpuChange, GpuChanges};
use std::fmt;
use std::str::FromStr;

impl FromStr for GpuChanges {
    type Err = ChangeError;

    fn from_str(text: &str) -> Result<Self, ChangeError> {
        let mut changes = Self::default();
        let parts = crate::units::list_parts(text).flat_map(str::split_whitespace);
        for part in parts {
            let (key, value) = part
                .split_once('=')
                .ok_or_else(|| ChangeError::NotAPair(crate::text::clipped_text(part, 40)))?;
            changes.push(GpuChange::read(key, value)?)?;
        }
        Ok(changes)
    }
}

/// `mem=+20%,l2=72MiB`, as [`GpuChanges::from_str`] reads it.
impl fmt::Display for GpuChanges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, GpuChange { number, amount }) in self.all().iter().enumerate() {
            let comma = if i == 0 { "" } else { "," };
            let key = number.key();
            match amount {
                ChangeAmount::By(factor) => {
                    let percent = (1e6 * (factor - 1.0) * 100.0).round() / 1e6;
                    write!(f, "{comma}{key}={percent:+}%")?;
                }
                ChangeAmount::To(value) => {
                    write!(f, "{comma}{key}={}{}", number.in_unit(*value), number.unit_for_programs())?;
                }
            }
        }
        Ok(())
    }
}
