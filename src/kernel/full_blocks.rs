//! Blocks of a launch that have work for all their threads.

use super::slider::bisected;
use super::{Count, FormulaError, Kernel, KernelFormulas, Launch, Work};

/// Grids of more blocks keep every GPU busy, whatever the last of them lack.
const FEW_BLOCKS: u64 = 1024;

/// Counts that go with the warps of a block, or else with its threads.
const OF_BLOCKS: [Count; 4] =
    [Count::WarpInstsIssued, Count::LsuWarpInsts, Count::GlobalWarpInsts, Count::Flops];

impl Kernel {
    /// Blocks with work for all their threads that do as much as this launch at these keys. Fewer than it has where the last ones reach over the edge
    /// of the problem: 257 elements in blocks of 256 are one block and a warp, and take about as long as 256. The work of a full
    /// block is that of the largest sizes with the same grid; a key that makes its threads work longer too does not count twice.
    pub(super) fn full_blocks(
        &self,
        f: &KernelFormulas,
        keys: &[f64],
        variant: &str,
        launch: &Launch,
        work: &Work,
    ) -> Result<f64, FormulaError> {
        let blocks = launch.block_count();
        let counted = OF_BLOCKS.iter().find_map(|count| Some((count, work.get(*count).filter(|n| *n > 0.0)?)));
        let Some((count, counted)) = counted.filter(|_| (2..=FEW_BLOCKS).contains(&blocks)) else {
            return Ok(blocks as f64);
        };
        let is_same = |keys: &[f64]| self.launch_at(f, keys, variant).is_ok_and(|(at, _)| at == Some(*launch));
        let mut padded = keys.to_vec();
        for at in 0..keys.len() {
            padded[at] = largest_alike(keys[at], |value| {
                let mut sizes = padded.clone();
                sizes[at] = value;
                is_same(&sizes)
            });
        }
        if padded == keys {
            return Ok(blocks as f64);
        }
        let (_, scope) = self.launch_at(f, &padded, variant)?;
        let of_full = f.work.iter().find(|(c, _)| *c == count).map(|(_, c)| c.formula.eval(&scope));
        let longer: f64 = padded.iter().zip(keys).map(|(most, own)| most / own).product();
        let lacking = (of_full.transpose()?.unwrap_or(counted) / counted).min(longer);
        Ok((blocks as f64 / lacking.max(1.0)).max(1.0))
    }
}

/// The largest size with the same grid. One that may double without another block is not one of the grid, and stays.
fn largest_alike(size: f64, is_same: impl Fn(f64) -> bool) -> f64 {
    if !is_same(size + 1.0) || is_same(2.0 * size) {
        return size;
    }
    bisected([size + 1.0, 2.0 * size], is_same)[0]
}
