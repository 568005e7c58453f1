//! Configurations that one GPU timed in several launches: block and grid tell them apart then.
//!
//! A launch is a choice of whoever runs the kernel. Rows of one kernel, size and variant that differ in it are not the
//! same measurement again. Where each GPU has one launch alone they are one configuration whatever the launch, for a grid
//! may follow from the number of SMs. Where a GPU has rows of two blocks, each block is a configuration of its own; where
//! it has rows of one block in two grids, each of these grids is one.

use super::Measurement;
use hashbrown::{HashMap, HashSet};

/// A configuration's place in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ConfigId(pub(super) u32);

/// The launch that tells a configuration from others of the same kernel, size and variant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LaunchShape {
    /// Threads per block; `None` where its rows do not say.
    pub block: Option<[u32; 3]>,
    /// Blocks; `None` where its rows do not say, or may differ in it.
    pub grid: Option<[u64; 3]>,
}

impl std::fmt::Display for LaunchShape {
    /// `block=256`, `block=16x16;grid=64`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let block = self.block.map(|b| b.map(u64::from));
        let sides = [("block", block), ("grid", self.grid)];
        let known = sides.into_iter().filter_map(|(key, sizes)| Some((key, sizes?)));
        for (at, (key, sizes)) in known.enumerate() {
            let separator = if at > 0 { ";" } else { "" };
            write!(f, "{separator}{key}={}", super::canonical::written_dimensions(sizes))?;
        }
        Ok(())
    }
}

/// Which configurations were split, and into which. The first configuration of a kernel, size and variant stands for all
/// of them; the first one of a block for those of this block.
#[derive(Debug, Clone, Default)]
pub(super) struct Launches {
    /// All configurations of a split one, itself the first.
    members: HashMap<ConfigId, Vec<ConfigId>>,
    /// The first configuration of a block, by the first one of all.
    by_block: HashMap<(ConfigId, [u32; 3]), ConfigId>,
    /// The configuration of a grid, by the first one of its block.
    by_grid: HashMap<(ConfigId, [u64; 3]), ConfigId>,
    /// Those whose block was split by grid.
    has_grids: HashSet<ConfigId>,
    shapes: HashMap<ConfigId, LaunchShape>,
}

impl Launches {
    /// Whether the rows of this configuration were parted by block.
    pub(super) fn is_split(&self, first: ConfigId) -> bool {
        self.members.contains_key(&first)
    }

    /// Whether the rows of this block were parted by grid.
    pub(super) fn is_split_by_grid(&self, of_block: ConfigId) -> bool {
        self.has_grids.contains(&of_block)
    }

    /// All configurations of a split one; nothing of any other.
    pub(super) fn members_of(&self, first: ConfigId) -> &[ConfigId] {
        self.members.get(&first).map_or(&[], Vec::as_slice)
    }

    /// Every split configuration.
    pub(super) fn groups(&self) -> impl Iterator<Item = &[ConfigId]> {
        self.members.values().map(Vec::as_slice)
    }

    /// What tells this configuration from its siblings.
    pub(super) fn shape_of(&self, id: ConfigId) -> Option<LaunchShape> {
        self.shapes.get(&id).copied()
    }

    /// The configuration of this block, or the first of all where the block is unknown; `None` where it is new.
    pub(super) fn of_block(&self, first: ConfigId, block: Option<[u32; 3]>) -> Option<ConfigId> {
        block.map_or(Some(first), |b| self.by_block.get(&(first, b)).copied())
    }

    /// The configuration of this grid, or the first of its block where the grid is unknown; `None` where it is new.
    pub(super) fn of_grid(&self, of_block: ConfigId, grid: Option<[u64; 3]>) -> Option<ConfigId> {
        grid.map_or(Some(of_block), |g| self.by_grid.get(&(of_block, g)).copied())
    }

    /// Parts a configuration by block from now on; it keeps this one.
    pub(super) fn split_by_block(&mut self, first: ConfigId, block: Option<[u32; 3]>) {
        self.members.insert(first, Vec::new());
        self.add_block(first, first, block);
    }

    /// Adds the configuration of a block.
    pub(super) fn add_block(&mut self, first: ConfigId, id: ConfigId, block: Option<[u32; 3]>) {
        self.members.entry(first).or_default().push(id);
        self.shapes.insert(id, LaunchShape { block, grid: None });
        if let Some(block) = block {
            self.by_block.insert((first, block), id);
        }
    }

    /// Parts the configuration of a block by grid from now on; it keeps this one.
    pub(super) fn split_by_grid(&mut self, of_block: ConfigId, grid: Option<[u64; 3]>) {
        self.has_grids.insert(of_block);
        self.set_grid(of_block, of_block, grid);
    }

    /// Adds the configuration of a grid.
    pub(super) fn add_grid(
        &mut self,
        first: ConfigId,
        of_block: ConfigId,
        id: ConfigId,
        grid: Option<[u64; 3]>,
    ) {
        self.members.entry(first).or_default().push(id);
        self.set_grid(of_block, id, grid);
    }

    fn set_grid(&mut self, of_block: ConfigId, id: ConfigId, grid: Option<[u64; 3]>) {
        let block = self.shape_of(of_block).and_then(|s| s.block);
        self.shapes.insert(id, LaunchShape { block, grid });
        if let Some(grid) = grid {
            self.by_grid.insert((of_block, grid), id);
        }
    }
}

/// Whether both rows state a block, or a grid, and not the same one.
pub(super) fn differ_in_launch(a: &Measurement, b: &Measurement) -> bool {
    let blocks = a.block().zip(b.block()).is_some_and(|(a, b)| a != b);
    let grids = a.grid().zip(b.grid()).is_some_and(|(a, b)| a != b);
    blocks || grids
}
