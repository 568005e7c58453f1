//! What GPUs bring to all kernels of one arithmetic: worked out once, however many kernels are asked about.

use super::excess::PacedMachine;
use super::places::GpuPlaces;
use crate::gpu::GpuId;
use crate::roofline::KernelArithmetic;
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

/// The machines of one arithmetic, by GPU.
type MachineColumn = Rc<[OnceCell<Box<PacedMachine>>]>;

/// The GPUs that several [`super::PreparedKernel`]s are asked about, with their machines.
#[derive(Debug)]
pub struct SharedMachines<'a> {
    gpus: GpuPlaces<'a>,
    by_arithmetic: RefCell<Vec<(KernelArithmetic, MachineColumn)>>,
}

impl<'a> SharedMachines<'a> {
    /// Of these GPUs, in the order of the catalogue: a GPU is asked for by its place there.
    #[must_use]
    pub fn new(gpus: impl Into<GpuPlaces<'a>>) -> Self {
        Self { gpus: gpus.into(), by_arithmetic: RefCell::default() }
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
        KernelMachines { gpus: self.gpus, arithmetic, column }
    }
}

/// The GPUs as the kernels of one arithmetic find them.
#[derive(Debug, Clone)]
pub(super) struct KernelMachines<'a> {
    pub(super) gpus: GpuPlaces<'a>,
    arithmetic: KernelArithmetic,
    column: MachineColumn,
}

impl KernelMachines<'_> {
    /// The GPU at this place.
    pub(super) fn machine(&self, place: GpuId) -> &PacedMachine {
        let made = || Box::new(PacedMachine::new(self.arithmetic.machine(self.gpus.gpu(place))));
        self.column[place.index()].get_or_init(made)
    }
}
