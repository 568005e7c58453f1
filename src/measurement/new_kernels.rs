//! Kernels that a file names and the catalogue does not have: added in the order of the file, whichever thread read them.

use crate::catalogue::Catalogue;
use crate::kernel::{Kernel, KernelId, kernel_and_other_keys, long_name};
use hashbrown::{HashMap, HashSet};
use std::sync::Arc;

/// A kernel as the first row that names it has it; its name has letters.
#[derive(Debug)]
pub(super) struct NewName {
    pub(super) written: Box<str>,
    pub(super) dtype: Arc<str>,
}

/// The catalogue, and what was added to it.
pub(super) struct NewKernels<'a> {
    catalogue: &'a mut Catalogue<Kernel>,
    /// How many the catalogue had.
    known: usize,
    places: HashMap<Box<str>, KernelId>,
    /// What the kernels are shown as; filled when a new one comes.
    labels: HashSet<String>,
}

impl<'a> NewKernels<'a> {
    pub(super) fn new(catalogue: &'a mut Catalogue<Kernel>) -> Self {
        let known = catalogue.entries().len();
        Self { catalogue, known, places: HashMap::default(), labels: HashSet::default() }
    }

    pub(super) fn catalogue(&self) -> &Catalogue<Kernel> {
        self.catalogue
    }

    /// The catalogue, whose entries may be changed and not replaced by others.
    pub(super) fn catalogue_mut(&mut self) -> &mut Catalogue<Kernel> {
        self.catalogue
    }

    /// How many kernels were known before the file was read.
    pub(super) fn known(&self) -> usize {
        self.known
    }

    /// The place of this kernel, added if need be.
    pub(super) fn kernel_id(&mut self, new: &NewName) -> KernelId {
        if let Some(place) = self.places.get(&new.written) {
            return *place;
        }
        let nickname = self.catalogue.nickname_of(&new.written).map(str::to_string);
        let name = nickname.as_deref().unwrap_or(&new.written);
        let place = self.catalogue.id_named(name).unwrap_or_else(|| self.add_name(name, new));
        self.places.insert(new.written.clone(), place);
        place
    }

    fn add_name(&mut self, name: &str, new: &NewName) -> KernelId {
        let mut kernel = Kernel::from_measurements(name, &new.dtype);
        let named = kernel_and_other_keys(name).map(|(of, keys)| (self.catalogue.id_named(of), keys));
        if let Some((Some(of), keys)) = named {
            let of = &self.catalogue[of];
            kernel.cautions.push(format!(
                "its rows state {keys}, and {} is known by {}: nothing of that kernel's file is used for them",
                of.id,
                of.keys.join(", ")
            ));
        }
        if name != &*new.written {
            kernel.name = new.written.to_string();
        }
        // Two instances of one template are told apart by their arguments.
        if self.labels.is_empty() {
            self.labels = self.catalogue.entries().iter().map(|k| k.label.clone()).collect();
        }
        if self.labels.contains(&kernel.label) {
            kernel.label = long_name(name);
        }
        self.labels.insert(kernel.label.clone());
        self.catalogue.insert(kernel).expect("nobody has this name, and it has no other");
        KernelId::from_index(self.catalogue.entries().len() - 1)
    }
}
