//! How full the blocks of a launch are.

use super::slider::bisected;
use super::{Count, FormulaError, Kernel, KernelFormulas, Launch, Work};

/// Grids of more blocks keep every GPU busy, whatever the last of them lack.
const FEW_BLOCKS: u64 = 16_384;

/// Counts that go with the warps of a block, or else with its threads.
const OF_BLOCKS: [Count; 4] =
    [Count::WarpInstsIssued, Count::LsuWarpInsts, Count::GlobalWarpInsts, Count::Flops];

impl Kernel {
    /// Blocks with work for all their threads that do as much as this launch at these keys, over those it has, 0 to 1. Less than 1 where the last
    /// ones reach over the edge of the problem: 257 elements in blocks of 256 are one block and a warp, and take about as long as 256. The work of a full
    /// block is that of the largest sizes with the same grid; a key that makes its threads work longer too does not count twice.
    pub(super) fn full_share(
        &self,
        f: &KernelFormulas,
        keys: &[f64],
        variant: &str,
        launch: &Launch,
        work: &Work,
    ) -> Result<f64, FormulaError> {
        let blocks = launch.block_count();
        let is_counted = |count: &Count| Some((f.work.get(count)?, work.get(*count).filter(|n| *n > 0.0)?));
        let counted = OF_BLOCKS.iter().find_map(is_counted);
        let Some((count, counted)) = counted.filter(|_| (2..=FEW_BLOCKS).contains(&blocks)) else {
            return Ok(1.0);
        };
        let is_same =
            |keys: &[f64]| self.launch_at(f, keys, variant).is_ok_and(|(at, _)| at == Some(*launch));
        let mut padded = keys.to_vec();
        for at in 0..keys.len() {
            padded[at] = largest_alike(keys[at], |value| {
                let mut sizes = padded.clone();
                sizes[at] = value;
                is_same(&sizes)
            });
        }
        let longer: f64 =
            padded.iter().zip(keys).filter(|(most, own)| most > own).map(|(most, own)| most / own).product();
        if longer == 1.0 {
            return Ok(1.0);
        }
        let (_, scope) = self.launch_at(f, &padded, variant)?;
        let lacking = (count.formula.eval(&scope)? / counted).min(longer);
        Ok(1.0 / lacking.clamp(1.0, blocks as f64))
    }
}

/// The largest size with the same grid. One that may double without another block is not one of the grid, and stays.
fn largest_alike(size: f64, is_same: impl Fn(f64) -> bool) -> f64 {
    if !is_same(size + 1.0) || is_same(2.0 * size) {
        return size;
    }
    bisected([size + 1.0, 2.0 * size], is_same)[0]
}

#[cfg(test)]
mod tests {
    use crate::catalogue::{Catalogue, SpecFile, shipped_sources};
    use crate::kernel::load_text;

    /// The full blocks of a kernel of these lines at this size.
    fn full_blocks(lines: &str, size: &str) -> f64 {
        let lines = lines.replace('@', size);
        let text = format!(
            "id = \"k\"\nname = \"k\"\ncategory = \"own\"\ndtype = \"fp32\"\nsource = \"paper1\"\n{lines}"
        );
        let mut all = Catalogue::new("kernel");
        load_text(SpecFile { name: "k.toml", text: &text }, &shipped_sources().unwrap(), &mut all).unwrap();
        let kernel = &all.entries()[0];
        let made = kernel.instance(&kernel.typed(size).unwrap(), "").unwrap();
        made.full_share * made.launch.unwrap().block_count() as f64
    }

    fn near(found: f64, expected: f64) {
        assert!((found / expected - 1.0).abs() < 1e-12, "{found} is not {expected}");
    }

    /// By hand: of 25 blocks of 16 x 16, 16 are full; a full block has 8 warps of two rows, and 65 rows of five blocks are 33 x 5 warps.
    #[test]
    fn a_matrix_over_the_edge_has_the_warps_of_its_rows() {
        let product = "[problem]\nkeys = ['m', 'n', 'k']\n[problem.sizes]\nsmall = '@'\n[launch]\nblock = ['16', '16']\n\
            grid = ['ceil(n/16)', 'ceil(m/16)']\nsource = 'paper1'\n[work]\n\
            warp_insts_issued = { formula = '3*k*ceil(n/16)*ceil(m/2)', source = 'paper1' }";
        near(full_blocks(product, "m=64;n=64;k=64"), 16.0);
        near(full_blocks(product, "m=65;n=65;k=65"), 33.0 * 5.0 / 8.0);
        near(full_blocks(product, "m=80;n=80;k=65"), 25.0);
        // One row of blocks is as full as it is.
        near(full_blocks(product, "m=3;n=64;k=64"), 4.0);
    }

    /// Threads that each look at all others work longer at a larger size, and are no fuller for it.
    #[test]
    fn a_size_that_makes_threads_work_longer_counts_once() {
        let pairs = "[problem]\nkeys = ['n']\n[problem.sizes]\nsmall = '@'\n[launch]\nblock = ['256']\ngrid = ['ceil(n/256)']\n\
            source = 'paper1'\n[work]\nflops = { formula = '20*n*n', source = 'paper1' }";
        near(full_blocks(pairs, "n=256"), 1.0);
        near(full_blocks(pairs, "n=257"), 257.0 / 256.0);
        near(full_blocks(pairs, "n=768"), 3.0);
    }

    #[test]
    fn a_key_of_no_grid_pads_nothing() {
        let loops = "[problem]\nkeys = ['n', 'times']\n[problem.sizes]\nsmall = '@'\n[launch]\nblock = ['256']\n\
            grid = ['ceil(n/256)']\nsource = 'paper1'\n[work]\nflops = { formula = '2*n*times', source = 'paper1' }";
        near(full_blocks(loops, "n=384;times=100"), 1.5);
    }
}
