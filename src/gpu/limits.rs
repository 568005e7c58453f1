//! Limits per compute capability (`specs/compute-capabilities.toml`).

use crate::catalogue::{FileError, SpecFile};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// A compute capability such as 8.9.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(try_from = "String")]
pub struct ComputeCapability {
    /// 8 of 8.9.
    pub major: u8,
    /// 9 of 8.9.
    pub minor: u8,
}

impl fmt::Display for ComputeCapability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}.{}", self.major, self.minor))
    }
}

impl FromStr for ComputeCapability {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let parsed = text
            .split_once('.')
            .and_then(|(a, b)| Some(Self { major: a.parse().ok()?, minor: b.parse().ok()? }));
        parsed.ok_or_else(|| format!("compute capability `{text}`: expected major.minor, for example 8.9"))
    }
}

impl TryFrom<String> for ComputeCapability {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

/// What one SM of a compute capability can hold, and in which units it hands it out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SmLimits {
    /// Resident threads per SM.
    pub threads_per_sm: u32,
    /// Resident blocks per SM.
    pub blocks_per_sm: u32,
    /// Threads per block.
    pub threads_per_block: u32,
    /// 32-bit registers per SM.
    pub regs_per_sm: u32,
    /// Registers one block may have.
    pub regs_per_block: u32,
    /// Registers are handed to a warp in multiples of this.
    pub reg_unit_per_warp: u32,
    /// Most registers per thread that a launch accepts.
    pub regs_per_thread: u32,
    /// Parts of an SM with registers of their own; a warp lives in one.
    pub sub_partitions: u32,
    /// Shared memory per SM in bytes.
    pub smem_per_sm: u32,
    /// Shared memory is handed to a block in multiples of this many bytes.
    pub smem_unit: u32,
    /// Shared memory the system keeps for itself in every block, in bytes.
    pub smem_reserved: u32,
    /// Most shared memory per block without opting in, in bytes.
    pub smem_per_block: u32,
    /// Most shared memory per block after opting in, in bytes.
    pub smem_opt_in: u32,
    /// What shared memory per SM can be set to.
    pub carveout: CarveoutSizes,
    /// Named barriers per SM, where they limit the blocks.
    pub barrier_pool: Option<u32>,
    /// What a later header of NVIDIA's than the one followed here says instead (CUDA 13.5 beside 12.9).
    pub later_barrier_pool: Option<u32>,
    /// Whether a kernel can ask for partitioned global caching.
    pub global_caching: bool,
    /// Thread-block clusters, where there are any.
    pub cluster: Option<ClusterLimits>,
}

/// The sizes shared memory can be set to; one where it has an SRAM of its own.
///
/// All are multiples of 4 KiB: for each multiple the next size up is kept, in KiB, so that finding it has no branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CarveoutSizes([u8; CarveoutSizes::STEPS]);

impl CarveoutSizes {
    /// Multiples of 4 KiB, from 0; 228 KiB is the most there is.
    const STEPS: usize = 64;
    const STEP_KIB: u32 = 4;
    /// Where no size is large enough.
    const NONE: u8 = u8::MAX;

    /// From sizes in KiB, smallest first.
    fn new(sizes_kib: &[u8]) -> Self {
        let holding = |step: usize| {
            let kib = step as u32 * Self::STEP_KIB;
            sizes_kib.iter().copied().find(|size| u32::from(*size) >= kib).unwrap_or(Self::NONE)
        };
        Self(std::array::from_fn(holding))
    }

    /// The smallest size in bytes that holds this many bytes; beyond the largest, the largest number.
    #[must_use]
    #[inline]
    pub fn holding(&self, bytes: u32) -> u32 {
        let step = bytes.div_ceil(Self::STEP_KIB * 1024) as usize;
        match self.0[step.min(Self::STEPS - 1)] {
            Self::NONE => u32::MAX,
            kib => u32::from(kib) * 1024,
        }
    }

    /// The sizes below so many bytes, and that one, which is a multiple of 4 KiB.
    #[must_use]
    pub fn up_to(&self, bytes: u32) -> Self {
        let kept = self.iter().filter(|size| *size < bytes).chain([bytes]);
        let kib: Vec<u8> = kept.filter_map(|size| u8::try_from(size / 1024).ok()).collect();
        Self::new(&kib)
    }

    /// Every size in bytes, smallest first.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let first_of_its_kind = |at: &usize| *at == 0 || self.0[*at] != self.0[*at - 1];
        let sizes = (0..Self::STEPS).filter(first_of_its_kind).map(|at| self.0[at]);
        sizes.filter(|kib| *kib != Self::NONE).map(|kib| u32::from(kib) * 1024)
    }
}

/// How many thread blocks a cluster may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClusterLimits {
    /// On every GPU that has clusters.
    pub portable: u32,
    /// After asking for a non-portable size.
    pub most: u32,
}

impl SmLimits {
    /// Threads per warp on every NVIDIA GPU.
    pub const WARP: u32 = 32;

    /// Resident warps per SM.
    #[must_use]
    pub fn warps_per_sm(&self) -> u32 {
        self.threads_per_sm / Self::WARP
    }
}

/// Limits of every known compute capability.
#[derive(Debug, Clone, Default)]
pub struct LimitsTable(BTreeMap<ComputeCapability, SmLimits>);

impl LimitsTable {
    /// Reads the table that travels with the program.
    ///
    /// # Errors
    /// [`FileError`] where the file does not parse (a test reads it).
    pub fn shipped() -> Result<Self, FileError> {
        let text = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/specs/compute-capabilities.toml"));
        let table: LimitsTableFile = SpecFile { name: "specs/compute-capabilities.toml", text }.parse()?;
        let mut all = BTreeMap::new();
        for row in &table.limits {
            for cc in &row.compute_capability {
                all.insert(*cc, row.limits(&table.common, *cc));
            }
        }
        Ok(Self(all))
    }

    /// Limits of this compute capability.
    #[must_use]
    pub fn limits_at(&self, cc: ComputeCapability) -> Option<SmLimits> {
        self.0.get(&cc).copied()
    }

    /// All of them, lowest first.
    pub fn iter(&self) -> impl Iterator<Item = (ComputeCapability, SmLimits)> + '_ {
        self.0.iter().map(|(c, l)| (*c, *l))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LimitsTableFile {
    common: CommonFile,
    limits: Vec<LimitsFile>,
    /// Read by [`super::FeatureTable`].
    #[serde(rename = "feature")]
    _feature: serde::de::IgnoredAny,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CommonFile {
    regs_per_sm: u32,
    reg_unit_per_warp: u32,
    threads_per_block: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LimitsFile {
    compute_capability: Vec<ComputeCapability>,
    threads_per_sm: u32,
    blocks_per_sm: u32,
    regs_per_thread: u32,
    sub_partitions: u32,
    smem_per_sm_kib: u8,
    smem_unit_bytes: u32,
    smem_reserved_bytes: u32,
    smem_per_block_kib: u32,
    smem_opt_in_kib: u32,
    regs_per_sm: Option<u32>,
    #[serde(default)]
    regs_per_block: BTreeMap<String, u32>,
    #[serde(default)]
    carveout_kib: Vec<u8>,
    barrier_pool: Option<u32>,
    #[serde(default)]
    later_barrier_pool: BTreeMap<String, u32>,
    #[serde(default)]
    global_caching: Vec<ComputeCapability>,
    cluster_blocks: Option<ClusterLimits>,
}

impl LimitsFile {
    fn limits(&self, common: &CommonFile, cc: ComputeCapability) -> SmLimits {
        SmLimits {
            threads_per_sm: self.threads_per_sm,
            blocks_per_sm: self.blocks_per_sm,
            threads_per_block: common.threads_per_block,
            regs_per_sm: self.regs_per_sm.unwrap_or(common.regs_per_sm),
            regs_per_block: self.regs_per_block.get(&cc.to_string()).copied().unwrap_or(common.regs_per_sm),
            reg_unit_per_warp: common.reg_unit_per_warp,
            regs_per_thread: self.regs_per_thread,
            sub_partitions: self.sub_partitions,
            smem_per_sm: u32::from(self.smem_per_sm_kib) * 1024,
            smem_unit: self.smem_unit_bytes,
            smem_reserved: self.smem_reserved_bytes,
            smem_per_block: self.smem_per_block_kib * 1024,
            smem_opt_in: self.smem_opt_in_kib * 1024,
            carveout: match &self.carveout_kib[..] {
                [] => CarveoutSizes::new(&[self.smem_per_sm_kib]),
                sizes => CarveoutSizes::new(sizes),
            },
            barrier_pool: self.barrier_pool,
            later_barrier_pool: self.later_barrier_pool.get(&cc.to_string()).copied(),
            global_caching: self.global_caching.contains(&cc),
            cluster: self.cluster_blocks,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_compute_capability_of_the_occupancy_reference_is_there() {
        let table = LimitsTable::shipped().unwrap();
        for cc in
            "3.5 3.7 5.0 5.2 5.3 6.0 6.1 6.2 7.0 7.2 7.5 8.0 8.6 8.7 8.9 9.0 10.0 10.1 10.3 11.0 12.0 12.1"
                .split(' ')
        {
            assert!(table.limits_at(cc.parse().unwrap()).is_some(), "{cc}");
        }
        assert_eq!(table.iter().count(), 22);
    }

    #[test]
    fn sizes_and_units_are_what_the_arithmetic_relies_on() {
        for (cc, l) in LimitsTable::shipped().unwrap().iter() {
            for power in [l.sub_partitions, l.reg_unit_per_warp, l.smem_unit] {
                assert!(power.is_power_of_two(), "{cc}: {power}");
            }
            assert_eq!(l.smem_opt_in % l.smem_unit, 0, "{cc}");
            let sizes: Vec<u32> = l.carveout.iter().collect();
            assert!(sizes.is_sorted() && sizes.iter().all(|s| s.is_multiple_of(4096)), "{cc}: {sizes:?}");
            assert!(sizes.iter().all(|s| l.carveout.holding(*s) == *s), "{cc}: {sizes:?}");
            assert_eq!(sizes.len() > 1, cc.major >= 7, "{cc}: {sizes:?}");
            assert_eq!(sizes.last(), Some(&l.smem_per_sm), "{cc}: the largest carveout is all of it");
            assert_eq!(l.carveout.holding(l.smem_per_sm + 1), u32::MAX, "{cc}");
            assert_eq!(l.barrier_pool.is_some(), cc.major >= 9, "{cc}");
            assert_eq!(l.cluster.is_some(), cc.major >= 9, "{cc}");
        }
    }

    #[test]
    fn compute_capabilities_sort_by_number_and_refuse_nonsense() {
        let cc = |s: &str| s.parse::<ComputeCapability>();
        assert!(cc("10.0").unwrap() > cc("9.0").unwrap());
        for bad in ["", "8", "8.9.1", "eight", "8.-1", "300.0"] {
            assert!(cc(bad).unwrap_err().contains("expected major.minor"), "{bad}");
        }
    }
}
