//! The checks of the numbers of one file: units, sources, and that they do not contradict each other.

use crate::catalogue::{FileError, NumberFile, SourceTable, Sourced, SpecFile};
use crate::units::significant;
use std::fmt::Display;

/// Checks one file's numbers against its source table.
pub(super) struct GpuChecker<'a> {
    pub(super) file: SpecFile<'a>,
    pub(super) sources: &'a SourceTable,
}

impl GpuChecker<'_> {
    pub(super) fn sourced_number<T>(
        &self,
        field: &str,
        n: &NumberFile,
        unit: fn(f64) -> T,
    ) -> Result<Sourced<T>, FileError> {
        Ok(n.checked_number(field, self.file, self.sources)?.map(|v| unit(*v)))
    }

    pub(super) fn maybe<T>(
        &self,
        field: &str,
        n: &Option<NumberFile>,
        unit: fn(f64) -> T,
    ) -> Result<Option<Sourced<T>>, FileError> {
        n.as_ref().map(|n| self.sourced_number(field, n, unit)).transpose()
    }

    /// A number of things.
    pub(super) fn whole_number(&self, field: &str, n: &NumberFile) -> Result<Sourced<u32>, FileError> {
        let number = self.sourced_number(field, n, plain)?;
        if number.value.fract() != 0.0 || number.value > f64::from(u32::MAX) {
            let message = format!("{field} = {}: expected a whole number", number.value);
            return Err(self.file.file_error(Some(n.span()), message));
        }
        Ok(number.map(|v| *v as u32))
    }

    pub(super) fn maybe_whole(
        &self,
        field: &str,
        n: &Option<NumberFile>,
    ) -> Result<Option<Sourced<u32>>, FileError> {
        n.as_ref().map(|n| self.whole_number(field, n)).transpose()
    }

    /// That a measured rate is no more than a board can reach of its published peak; both in SI units.
    pub(super) fn below_peak<T: Display>(
        &self,
        field: &str,
        n: &NumberFile,
        [value, peak]: [f64; 2],
        unit: impl Fn(f64) -> T,
    ) -> Result<(), FileError> {
        if value <= ABOVE_PEAK * peak {
            return Ok(());
        }
        let (given, most) = (unit(value), unit(ABOVE_PEAK * peak));
        let why = format!(
            "{field}: {given} is beyond the published peak; expected at most {most}: correct it, or the peak"
        );
        Err(self.file.file_error(Some(n.span()), why))
    }

    /// That a stated number is what others of the file make; `words` says which.
    pub(super) fn agrees(
        &self,
        field: &str,
        n: &NumberFile,
        stated: f64,
        made: f64,
        words: &str,
    ) -> Result<(), FileError> {
        if (stated / made - 1.0).abs() <= APART {
            return Ok(());
        }
        let most = 100.0 * APART;
        let why = format!(
            "{field} = {stated}: contradicts {words} = {}; expected them within {most} %: correct the one that is wrong",
            significant(made)
        );
        Err(self.file.file_error(Some(n.span()), why))
    }
}

/// How far above the published peak a measured rate is believed: cards boost beyond their stated clock.
const ABOVE_PEAK: f64 = 1.25;

/// How far numbers of one file may be apart where one follows from others: documents round, and state rates at other clocks.
const APART: f64 = 0.1;

/// A number as it stands, without a unit.
pub(super) fn plain(v: f64) -> f64 {
    v
}
