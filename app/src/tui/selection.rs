//! What is asked of every row, and in which order the answers stand.

use super::action::Action;
use super::layout::Pane;
use crate::answer::Settings;
use crate::application::{ForecastSettings, PartOfTrace};
use crate::gpu::{GpuId, Tuning};
use crate::kernel::KernelId;
use crate::predict::{LaunchEdits, Subject};
use crate::rank::PriceQuote;
use crate::session::{EditedGpu, Sources};
use crate::whatif::NamedChanges;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Source, targets, model and the rest: what is asked of every row.
#[derive(Debug, Clone, PartialEq)]
pub struct Selection {
    /// Position of the source GPU.
    pub source: GpuId,
    /// Positions of the targets; the first is the main one, there is always one.
    pub targets: Vec<GpuId>,
    /// Whether every GPU that timed a kernel is its source; the rest is as seen from the source above.
    pub all_sources: bool,
    /// Model, ceilings, rules.
    pub settings: Settings,
    /// Threads per block that were typed, by the kernel's position; for kernels whose launch shape nobody stated.
    pub blocks: BTreeMap<KernelId, u32>,
    /// Clocks and power limits that were typed, by GPU.
    pub tunings: BTreeMap<GpuId, Tuning>,
    /// The hypothetical GPU that is edited: it stands behind all others of the catalogue.
    pub edited: Option<EditedGpu>,
    /// What is changed of launches on the target, by the kernel's position.
    pub launches: BTreeMap<KernelId, LaunchEdits>,
}

impl Selection {
    /// Whose times kernels are predicted from.
    pub(super) fn sources(&self) -> Sources {
        Sources::beside(self.source, self.all_sources)
    }

    /// The same GPUs at other places of a catalogue.
    pub(super) fn renumber(&mut self, place: impl Fn(GpuId) -> GpuId) {
        let all = std::iter::once(&mut self.source).chain(&mut self.targets);
        all.for_each(|gpu| *gpu = place(*gpu));
        self.tunings = self.tunings.iter().map(|(gpu, tuning)| (place(*gpu), *tuning)).collect();
        if let Some(edited) = &mut self.edited {
            edited.base = place(edited.base);
        }
    }

    /// The same kernels at other places of a catalogue; none for those that were dropped.
    pub(super) fn renumber_kernels(&mut self, place: impl Fn(KernelId) -> Option<KernelId>) {
        let blocks = self.blocks.iter().filter_map(|(kernel, block)| Some((place(*kernel)?, *block)));
        self.blocks = blocks.collect();
        let launches = self.launches.iter().filter_map(|(kernel, edits)| Some((place(*kernel)?, *edits)));
        self.launches = launches.collect();
    }
}

/// A GPU is being chosen; the mode outlives filtering.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choosing {
    /// As what: `SetSource`, `SetTarget` or `AddTarget`.
    pub action: Action,
    /// The pane that is focused again afterwards.
    pub back: Pane,
    /// Whether it was zoomed.
    pub zoomed: bool,
}

/// A state that can be gone back to.
#[derive(Debug, Clone)]
pub(super) struct UndoStep {
    pub(super) selection: Selection,
    pub(super) row: usize,
    pub(super) subject: Arc<Subject>,
    /// None where no trace was loaded.
    pub(super) trace: Option<TraceSettings>,
    /// GPUs pinned on the board.
    pub(super) pins: BTreeSet<GpuId>,
    /// Prices that were typed.
    pub(super) prices: BTreeMap<GpuId, PriceQuote>,
    /// Kept scenarios of the What if view.
    pub(super) scenarios: Vec<NamedChanges>,
}

/// Which part of which trace was read, and how it was carried to other GPUs.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TraceSettings {
    pub(super) file: String,
    pub(super) part: PartOfTrace,
    pub(super) settings: ForecastSettings,
}

/// What the predictions are sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// Name, then size.
    Kernel,
    /// Time on the source.
    Source,
    /// Predicted time.
    Predicted,
    /// Source over predicted.
    Speedup,
    /// Error against the measured time.
    Error,
}

impl Sort {
    /// All, in the order of the columns.
    pub const ALL: [Self; 5] = [Self::Kernel, Self::Source, Self::Predicted, Self::Speedup, Self::Error];

    /// The word in the pane's title.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Kernel => "kernel",
            Self::Source => "source time",
            Self::Predicted => "predicted time",
            Self::Speedup => "speedup",
            Self::Error => "error",
        }
    }
}

/// The neighbour of `now` in a ring.
pub(super) fn next_in_ring<T: Copy + PartialEq>(ring: &[T], now: T, by: isize) -> T {
    let place = ring.iter().position(|item| *item == now).unwrap_or(0) as isize;
    ring[(place + by).rem_euclid(ring.len() as isize) as usize]
}
