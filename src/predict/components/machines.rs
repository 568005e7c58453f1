//! What GPUs bring to all kernels of one arithmetic: worked out once, however many kernels are asked about.

use super::excess::PacedMachine;
use super::places::GpuPlaces;
use crate::gpu::{ComputeCapability, GpuId, SmLimits};
use crate::roofline::KernelArithmetic;
use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

/// The machines of one arithmetic, by GPU.
type MachineColumn = Rc<[OnceCell<Box<PacedMachine>>]>;

/// The GPUs that several [`super::PreparedKernel`]s are asked about, with their machines.
#[derive(Debug)]
pub struct SharedMachines<'a> {
    gpus: GpuPlaces<'a>,
    by_arithmetic: RefCell<Vec<(KernelArithmetic, MachineColumn)>>,
    classes: Rc<OccupancyClasses>,
}

impl<'a> SharedMachines<'a> {
    /// Of these GPUs, in the order of the catalogue: a GPU is asked for by its place there.
    #[must_use]
    pub fn new(gpus: impl Into<GpuPlaces<'a>>) -> Self {
        let gpus = gpus.into();
        let classes = OccupancyClasses::new(gpus.count());
        Self { gpus, by_arithmetic: RefCell::default(), classes: Rc::new(classes) }
    }

    /// Those for kernels of this arithmetic.
    pub(super) fn with_arithmetic(&self, arithmetic: KernelArithmetic) -> KernelMachines<'a> {
        let mut all = self.by_arithmetic.borrow_mut();
        let known = all.iter().find(|(known, _)| *known == arithmetic).map(|(_, column)| column.clone());
        let column = known.unwrap_or_else(|| {
            let column: MachineColumn = (0..self.gpus.count()).map(|_| OnceCell::new()).collect();
            all.push((arithmetic, column.clone()));
            column
        });
        KernelMachines { gpus: self.gpus, arithmetic, column, classes: self.classes.clone() }
    }
}

/// The GPUs as the kernels of one arithmetic find them.
#[derive(Debug, Clone)]
pub(super) struct KernelMachines<'a> {
    pub(super) gpus: GpuPlaces<'a>,
    pub(super) arithmetic: KernelArithmetic,
    column: MachineColumn,
    classes: Rc<OccupancyClasses>,
}

/// GPUs that hold the same blocks: those of one compute capability and the same limits.
#[derive(Debug)]
struct OccupancyClasses {
    by_gpu: Box<[Cell<Option<usize>>]>,
    known: RefCell<Vec<(ComputeCapability, SmLimits)>>,
}

impl OccupancyClasses {
    /// Of so many GPUs, none looked at yet.
    fn new(gpus: usize) -> Self {
        Self { by_gpu: vec![Cell::new(None); gpus].into(), known: RefCell::default() }
    }
}

impl KernelMachines<'_> {
    /// The class of the GPU at this place among those that hold the same blocks; below the number of GPUs.
    #[inline]
    pub(super) fn occupancy_class(&self, place: GpuId) -> usize {
        let OccupancyClasses { by_gpu, known } = &*self.classes;
        if let Some(class) = by_gpu[place.index()].get() {
            return class;
        }
        let cuda = &self.gpus.gpu(place).cuda;
        let key = (cuda.compute_capability, cuda.limits);
        let mut known = known.borrow_mut();
        let class = known.iter().position(|other| *other == key).unwrap_or_else(|| {
            known.push(key);
            known.len() - 1
        });
        by_gpu[place.index()].set(Some(class));
        class
    }

    /// The GPU at this place.
    #[inline]
    pub(super) fn machine(&self, place: GpuId) -> &PacedMachine {
        let made = || Box::new(PacedMachine::new(self.gpus.gpu(place), self.arithmetic));
        self.column[place.index()].get_or_init(made)
    }
}
