//! The launch shape of a kernel: formulas, and what they give for one problem.

use super::formula::{Formula, FormulaError};

/// The launch of one problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Launch {
    /// Threads per block, x y z.
    pub block: [u32; 3],
    /// Blocks, x y z.
    pub grid: [u64; 3],
}

impl Launch {
    /// Threads per block. Saturates, so that absurd input is caught by the launch limits.
    #[must_use]
    #[inline]
    pub fn threads(&self) -> u32 {
        self.block.iter().fold(1, |a, b| a.saturating_mul(*b))
    }

    /// Blocks in the grid.
    #[must_use]
    #[inline]
    pub fn block_count(&self) -> u64 {
        self.grid.iter().fold(1, |a, b| a.saturating_mul(*b))
    }

    /// The same threads in blocks of so many; as it is where that is their number already.
    #[must_use]
    pub fn in_blocks_of(self, threads: u32) -> Self {
        if threads == self.threads() {
            return self;
        }
        let all = self.block_count().saturating_mul(u64::from(self.threads()));
        let blocks = all.div_ceil(u64::from(threads.max(1)));
        Self { block: [threads, 1, 1], grid: [blocks, 1, 1] }
    }
}

/// The launch shape of a kernel, one formula per dimension.
#[derive(Debug)]
pub(super) struct LaunchFormulas {
    pub(super) block: Vec<Formula>,
    pub(super) grid: Vec<Formula>,
}

impl LaunchFormulas {
    /// The launch; `threads` and `blocks` are put behind the scope.
    pub(super) fn launch_in_scope(&self, scope: &mut Vec<f64>) -> Result<Launch, FormulaError> {
        let block = dimensions(&self.block, scope, Formula::at_least_one)?.map(|v| v as u32);
        scope.push(block.iter().map(|b| f64::from(*b)).product());
        let grid = dimensions(&self.grid, scope, Formula::eval)?.map(|v| v as u64);
        scope.push(grid.iter().map(|g| *g as f64).product());
        Ok(Launch { block, grid })
    }
}

/// Up to three dimensions, rounded up, at least 1 each.
fn dimensions(
    formulas: &[Formula],
    scope: &[f64],
    eval: fn(&Formula, &[f64]) -> Result<f64, FormulaError>,
) -> Result<[f64; 3], FormulaError> {
    let mut out = [1.0; 3];
    for (slot, formula) in out.iter_mut().zip(formulas) {
        *slot = eval(formula, scope)?.ceil().max(1.0);
    }
    Ok(out)
}
