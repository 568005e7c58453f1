//! The GPU trace: a row per launch, copy and fill.

use super::cells::{plain, start};
use crate::import::kernel_name::{LONGEST_NAME, short_name, signature};
use crate::import::records::Fields;
use crate::import::{ImportJob, Imported};
use crate::import::{ImportRefusal, unexpected};
use crate::measurement::{CanonicalRow, Number};

/// Columns of a trace that are used, in this order.
const TRACE: [&str; 12] = [
    "Duration",
    "Grid X",
    "Grid Y",
    "Grid Z",
    "Block X",
    "Block Y",
    "Block Z",
    "Registers Per Thread",
    "Static SMem",
    "Dynamic SMem",
    "Device",
    "Name",
];

/// A header of the GPU trace.
pub(super) struct Trace {
    /// Where each of [`TRACE`] stands.
    at: [usize; TRACE.len()],
    width: usize,
    prefixed: bool,
    /// Milliseconds of a duration, bytes of static and dynamic shared memory, once the row of units was read.
    units: Option<[f64; 3]>,
    pub(super) copies: usize,
}

impl Trace {
    pub(super) fn new(header: &Fields) -> Result<Self, String> {
        let mut at = [0; TRACE.len()];
        for (slot, name) in at.iter_mut().zip(TRACE) {
            *slot = header
                .position(name)
                .ok_or(format!("the trace has no column `{name}`; use --print-gpu-trace"))?;
        }
        let prefixed = header.position("Start") == Some(1);
        Ok(Self { at, width: header.len(), prefixed, units: None, copies: 0 })
    }

    pub(super) fn read_record(
        &mut self,
        fields: &Fields,
        line: u64,
        job: &ImportJob<'_>,
        out: &mut Imported,
    ) -> Result<(), ImportRefusal> {
        if fields.len() != self.width {
            let message =
                format!("the row has {} fields, the header {}; is it cut off?", fields.len(), self.width);
            return Err(("row".into(), message));
        }
        let Some(units) = self.units else {
            self.units = Some(self.read_units(fields)?);
            return Ok(());
        };
        // Copies and fills have no grid.
        if self.text_at(fields, 1)?.is_empty() {
            self.copies += 1;
            return Ok(());
        }
        out.rows.push(&self.canonical_row(fields, line, job, units)?);
        Ok(())
    }

    fn text_at<'f>(&self, fields: &'f Fields, i: usize) -> Result<&'f str, ImportRefusal> {
        let why = || (TRACE[i].to_string(), "is not UTF-8; save the file as UTF-8".to_string());
        fields.text_at(self.at[i]).ok_or_else(why)
    }

    fn canonical_row(
        &self,
        fields: &Fields,
        line: u64,
        job: &ImportJob<'_>,
        units: [f64; 3],
    ) -> Result<CanonicalRow, ImportRefusal> {
        let text = |i| self.text_at(fields, i);
        let name = text(11)?;
        if name.is_empty() || name.len() > LONGEST_NAME {
            return Err(unexpected("Name", name, "the name of a kernel of at most 512 KiB"));
        }
        let number = |i: usize| match text(i)? {
            "" => Ok(None),
            t => plain(t).map(Some).ok_or_else(|| unexpected(TRACE[i], t, "a number of at least 0")),
        };
        let mut row = CanonicalRow {
            kernel: short_name(name).to_string(),
            grid: shape([text(1)?, text(2)?, text(3)?], "Grid X", u64::MAX)?,
            block: shape([text(4)?, text(5)?, text(6)?], "Block X", 1024)?,
            ..start(text(10)?, line, job)
        };
        let size = self.prefixed.then(|| fields.text_at(0).and_then(plain)).flatten();
        row.problem = size.map(|n| format!("size={n}")).unwrap_or_default();
        let time =
            number(0)?.filter(|t| *t > 0.0).ok_or_else(|| unexpected("Duration", "", "more than 0"))?;
        row.set(Number::Time, Some(time * units[0]));
        row.set(Number::RegsPerThread, number(7)?);
        row.set(Number::SmemStatic, number(8)?.map(|v| (v * units[1]).round()));
        row.set(Number::SmemDynamic, number(9)?.map(|v| (v * units[2]).round()));
        if let Some(full) = signature(name) {
            row.attributes.insert("kernel_signature".into(), full.to_string());
        }
        Ok(row)
    }

    /// A missing row of units is no reason to guess them.
    fn read_units(&self, fields: &Fields) -> Result<[f64; 3], ImportRefusal> {
        let of = |i: usize, known: &[(&str, f64)]| {
            let text = fields.text_at(self.at[i]).unwrap_or("?");
            let scale = known.iter().find(|(name, _)| *name == text).map(|(_, scale)| *scale);
            let names: Vec<&str> = known.iter().map(|(n, _)| *n).collect();
            scale.ok_or_else(|| {
                unexpected(TRACE[i], text, &format!("its unit under the header: {}", names.join(", ")))
            })
        };
        let bytes = [("B", 1.0), ("KB", 1024.0), ("MB", 1_048_576.0)];
        Ok([of(0, &[("s", 1e3), ("ms", 1.0), ("us", 1e-3), ("ns", 1e-6)])?, of(8, &bytes)?, of(9, &bytes)?])
    }
}

fn shape(texts: [&str; 3], column: &str, most: u64) -> Result<Option<[u64; 3]>, ImportRefusal> {
    let mut out = [0u64; 3];
    for (slot, text) in out.iter_mut().zip(texts) {
        let whole = text.parse().ok().filter(|n| *n > 0);
        *slot = whole.ok_or_else(|| unexpected(column, text, "whole numbers of at least 1"))?;
    }
    let all = out.iter().fold(1u64, |a, b| a.saturating_mul(*b));
    if all > most { Err(unexpected(column, &all.to_string(), "at most 1024 threads")) } else { Ok(Some(out)) }
}
