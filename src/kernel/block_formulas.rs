//! What a block asks for, as formulas of a kernel file: shared memory, and how many registers a thread has use for at least.

use super::{Formula, FormulaError};
use crate::catalogue::Spanned;
use serde::Deserialize;

/// A count as it is typed: a formula, where it comes from, what must be said of it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a formula with its source")]
pub(super) struct CountFile {
    pub(super) formula: Spanned<String>,
    pub(super) source: Spanned<String>,
    pub(super) note: Option<String>,
}

/// `[shared_memory]` of a kernel file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SharedMemoryFile {
    static_bytes: Option<CountFile>,
    dynamic_bytes: Option<CountFile>,
}

/// `[registers]` of a kernel file whose builds nobody reported.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RegistersFile {
    /// What a thread must keep: the sums that it accumulates, the operands of its next step.
    at_least: Option<CountFile>,
}

/// What a block asks for, as formulas.
#[derive(Debug)]
pub(super) struct BlockFormulas {
    smem_static: Option<Formula>,
    smem_dynamic: Option<Formula>,
    least_registers: Option<Formula>,
}

/// What a block asks for at one problem size; `None` where the file does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BlockAsks {
    pub(super) smem_static: Option<u32>,
    pub(super) smem_dynamic: Option<u32>,
    pub(super) least_registers: Option<u32>,
}

impl BlockFormulas {
    /// From both sections, each formula read by `parse` from the name of its field and its text.
    pub(super) fn from_sections<E>(
        shared: &SharedMemoryFile,
        registers: &RegistersFile,
        parse: impl Fn(&str, &CountFile) -> Result<Formula, E>,
    ) -> Result<Self, E> {
        let read = |field: &str, c: &Option<CountFile>| c.as_ref().map(|c| parse(field, c)).transpose();
        Ok(Self {
            smem_static: read("shared_memory.static_bytes", &shared.static_bytes)?,
            smem_dynamic: read("shared_memory.dynamic_bytes", &shared.dynamic_bytes)?,
            least_registers: read("registers.at_least", &registers.at_least)?,
        })
    }

    pub(super) fn in_scope(&self, scope: &[f64]) -> Result<BlockAsks, FormulaError> {
        let whole = |formula: &Option<Formula>| {
            formula.as_ref().map(|f| f.eval(scope)).transpose().map(|value| value.map(|v| v as u32))
        };
        Ok(BlockAsks {
            smem_static: whole(&self.smem_static)?,
            smem_dynamic: whole(&self.smem_dynamic)?,
            least_registers: whole(&self.least_registers)?,
        })
    }
}
