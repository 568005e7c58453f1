//! What a compiler made of a kernel on one architecture: registers, shared memory, spills.

use super::{Codes, Kernel};
use crate::catalogue::{Sourced, Spanned};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A compute capability as catalogues key it: `(major, minor)`.
pub type Cc = (u8, u8);

/// One report of a compiler: the resources by compute capability.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CompiledFile {
    pub(super) source: Spanned<String>,
    pub(super) resources: BTreeMap<String, Spanned<Resources>>,
}

/// What one build of a kernel uses; `None` = the report does not say.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Resources {
    /// Registers per thread.
    pub registers: u32,
    /// Static shared memory per block in bytes, without what the driver reserves.
    pub static_smem_bytes: Option<u32>,
    /// Named barriers per block.
    pub barriers: Option<u32>,
    /// Bytes that spilled registers store, per thread.
    pub spill_store_bytes: Option<u32>,
    /// Bytes that spilled registers load, per thread.
    pub spill_load_bytes: Option<u32>,
    /// Stack frame per thread in bytes.
    pub stack_bytes: Option<u32>,
    /// The most threads per block it was compiled for (`__launch_bounds__`).
    pub max_threads: Option<u32>,
    /// The only block it may be launched with (`.reqntid`).
    pub required_block: Option<[u32; 3]>,
}

impl Resources {
    /// What no GPU's compiler would write, in words; `None` where all is plausible.
    #[must_use]
    pub fn unsound(&self) -> Option<String> {
        // Largest values that any CUDA architecture allows; spills count every instruction and have no limit of their own.
        let limits = [
            ("registers", Some(self.registers), 1, 255),
            ("static_smem_bytes", self.static_smem_bytes, 0, 227 * 1024),
            ("barriers", self.barriers, 0, 16),
            ("spill_store_bytes", self.spill_store_bytes, 0, 1 << 30),
            ("spill_load_bytes", self.spill_load_bytes, 0, 1 << 30),
            ("stack_bytes", self.stack_bytes, 0, 1 << 20),
            ("max_threads", self.max_threads, 1, 1024),
            ("required_block (x times y times z)", self.required_threads(), 1, 1024),
        ];
        let outside = |value: Option<u32>, low, high| value.filter(|v| !(low..=high).contains(v));
        limits.into_iter().find_map(|(name, value, low, high)| {
            outside(value, low, high).map(|v| format!("{name} is {v}; expected {low} to {high}"))
        })
    }

    /// Threads of the only block it may be launched with.
    #[must_use]
    pub fn required_threads(&self) -> Option<u32> {
        self.required_block.map(|block| block.iter().fold(1_u32, |a, b| a.saturating_mul(*b)))
    }

    /// The most threads per block this build can be launched with, where it is bounded.
    #[must_use]
    pub fn most_threads(&self) -> Option<u32> {
        self.required_threads().or(self.max_threads)
    }

    /// Bytes spilled per thread, stores and loads, where there are any.
    #[must_use]
    pub fn spills(&self) -> Option<(u32, u32)> {
        let (stores, loads) = (self.spill_store_bytes.unwrap_or(0), self.spill_load_bytes.unwrap_or(0));
        (stores > 0 || loads > 0).then_some((stores, loads))
    }

    /// Both reports of one build in one: `None` where they contradict each other, because then they are of two builds.
    #[must_use]
    pub fn joined(&self, other: &Self) -> Option<Self> {
        fn join<T: Copy + PartialEq>(a: Option<T>, b: Option<T>) -> Option<Option<T>> {
            match (a, b) {
                (Some(a), Some(b)) if a != b => None,
                _ => Some(a.or(b)),
            }
        }
        Some(Self {
            registers: join(Some(self.registers), Some(other.registers))??,
            static_smem_bytes: join(self.static_smem_bytes, other.static_smem_bytes)?,
            barriers: join(self.barriers, other.barriers)?,
            spill_store_bytes: join(self.spill_store_bytes, other.spill_store_bytes)?,
            spill_load_bytes: join(self.spill_load_bytes, other.spill_load_bytes)?,
            stack_bytes: join(self.stack_bytes, other.stack_bytes)?,
            max_threads: join(self.max_threads, other.max_threads)?,
            required_block: join(self.required_block, other.required_block)?,
        })
    }
}

/// The resources for a GPU, and how well they are known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CompiledResources<'a> {
    /// What the build uses.
    pub resources: &'a Resources,
    /// The compute capability it was compiled for, when it is another one than asked for.
    pub borrowed_from: Option<Cc>,
    /// Whose word it is: a source's id.
    pub source: &'a Arc<str>,
}

/// Threads per block of a kernel whose launch shape nobody wrote down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockSize {
    /// The user said so.
    Typed(u32),
    /// The compiler was told so, and the kernel starts with nothing else.
    Required(u32),
    /// Nobody said anything; something has to stand there.
    Assumed(u32),
}

impl BlockSize {
    /// What is assumed where nobody said anything: the size that most kernels are launched with.
    pub const USUAL: u32 = 256;

    /// Threads per block.
    #[must_use]
    pub fn threads(self) -> u32 {
        match self {
            Self::Typed(n) | Self::Required(n) | Self::Assumed(n) => n,
        }
    }
}

impl Kernel {
    /// A kernel known only from a compiler's report.
    #[must_use]
    pub fn from_compiler(id: &str, name: &str, aliases: Vec<String>) -> Self {
        let mut kernel = Self::from_measurements(id, "");
        kernel.set_name(name);
        kernel.aliases = aliases;
        kernel.summary = "known only from a compiler's report: no launch shape, no work".into();
        kernel.category = "compiled".into();
        kernel
    }

    /// Puts these resources over the kernel's own, architecture by architecture. Those of an architecture are replaced
    /// as a whole: half of one build and half of another describe no build. `symbol` is what they were reported of; empty
    /// where nobody wrote it down. `codes` is what the report lists beside what others listed.
    pub fn lay_over(
        &mut self,
        symbol: &str,
        compiled: BTreeMap<Cc, Sourced<Resources>>,
        codes: Option<&Codes>,
    ) {
        if let Some(codes) = codes {
            self.codes.get_or_insert_with(Codes::default).join(codes);
        }
        if !symbol.is_empty() {
            self.symbol = symbol.to_string();
        }
        self.compiled.extend(compiled);
    }

    /// The resources on this compute capability; the nearest known one's where it has none of its own.
    #[must_use]
    pub fn resources_on(&self, major: u8, minor: u8) -> Option<CompiledResources<'_>> {
        if let Some(exact) = self.compiled.get(&(major, minor)) {
            return Some(CompiledResources {
                resources: &exact.value,
                borrowed_from: None,
                source: &exact.source,
            });
        }
        let number = |(a, b): Cc| i32::from(a) * 10 + i32::from(b);
        let asked = number((major, minor));
        let nearest = self.compiled.iter().min_by_key(|(cc, _)| (number(**cc) - asked).abs())?;
        let (cc, found) = nearest;
        Some(CompiledResources { resources: &found.value, borrowed_from: Some(*cc), source: &found.source })
    }

    /// Threads per block where the launch shape is unknown: what the compiler was told, else the usual size within its
    /// bounds. `None` for a kernel that no compiler reported.
    #[must_use]
    pub fn block_size(&self) -> Option<BlockSize> {
        let all = || self.compiled.values().map(|c| &c.value);
        if let Some(required) = all().find_map(Resources::required_threads) {
            return Some(BlockSize::Required(required));
        }
        let most = all().filter_map(|r| r.max_threads).min();
        let usual = most.map_or(BlockSize::USUAL, |most| most.min(BlockSize::USUAL));
        (!self.compiled.is_empty()).then_some(BlockSize::Assumed(usual))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn regs(registers: u32) -> Resources {
        Resources { registers, ..Resources::default() }
    }

    #[test]
    fn two_reports_of_one_build_complete_each_other_and_of_two_builds_do_not() {
        let log = Resources { spill_store_bytes: Some(8), ..regs(24) };
        let cubin = Resources { max_threads: Some(128), ..regs(24) };
        let both = log.joined(&cubin).unwrap();
        assert_eq!((both.spill_store_bytes, both.max_threads, both.registers), (Some(8), Some(128), 24));
        assert_eq!(log.joined(&regs(25)), None);
    }

    #[test]
    fn nonsense_is_named_with_what_was_expected() {
        assert_eq!(regs(255).unsound(), None);
        assert_eq!(regs(0).unsound().unwrap(), "registers is 0; expected 1 to 255");
        let block = Resources { required_block: Some([u32::MAX; 3]), ..regs(8) };
        assert!(block.unsound().unwrap().starts_with("required_block"));
    }

    #[test]
    fn an_unknown_block_is_required_else_assumed_within_the_bounds() {
        let with = |resources: Resources| {
            let mut kernel = Kernel::from_compiler("k", "k", Vec::new());
            let value = Sourced {
                value: resources,
                origin: crate::catalogue::NumberOrigin::Published,
                source: "log".into(),
                note: None,
                date: None,
            };
            kernel.lay_over("k", BTreeMap::from([((8, 9), value)]), None);
            kernel.block_size()
        };
        assert_eq!(with(regs(8)), Some(BlockSize::Assumed(256)));
        assert_eq!(with(Resources { max_threads: Some(64), ..regs(8) }), Some(BlockSize::Assumed(64)));
        let required = Resources { required_block: Some([32, 4, 1]), ..regs(8) };
        assert_eq!(with(required), Some(BlockSize::Required(128)));
        assert_eq!(Kernel::from_compiler("k", "k", Vec::new()).block_size(), None);
    }
}
