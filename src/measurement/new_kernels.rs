//! Kernels that a file names and the catalogue does not have: added in the order of the file, whichever thread read them.

use super::text::SharedWord;
use crate::catalogue::Catalogue;
use crate::kernel::{
    Kernel, KernelId, MeasuredKernels, WIDEST_LABEL, dtype_or_fp32, kernel_and_other_keys, long_name,
    long_name_within, names_by_difference, short_name,
};
use hashbrown::{DefaultHashBuilder, HashMap, HashTable};
use std::borrow::Cow;
use std::hash::BuildHasher;

/// The longest part of a name that is looked at for a difference, in characters.
const LONGEST_LOOK: usize = 4096;
/// So many kernels that are cut alike are told apart: more are seldom kernels of one program.
const MOST_ALIKE: usize = 2000;

/// A kernel as the first row that names it has it; its name has letters.
#[derive(Debug)]
pub(super) struct NewName {
    pub(super) written: Box<str>,
    pub(super) dtype: SharedWord,
}

/// The catalogue, and what was added to it.
pub(super) struct NewKernels<'a> {
    catalogue: &'a mut Catalogue<Kernel>,
    /// How many the catalogue had.
    known: usize,
    measured: MeasuredKernels,
    /// Those that were added, by what the file calls them, which is their name.
    added: HashTable<KernelId>,
    /// Those that the file calls by another name, such as an alias.
    renamed: HashMap<Box<str>, KernelId>,
    /// One kernel of each [`label_alone`]; filled when a new one comes.
    labels: HashTable<KernelId>,
    hasher: DefaultHashBuilder,
}

impl<'a> NewKernels<'a> {
    pub(super) fn new(catalogue: &'a mut Catalogue<Kernel>) -> Self {
        let known = catalogue.entries().len();
        Self {
            catalogue,
            known,
            measured: MeasuredKernels::default(),
            added: HashTable::default(),
            renamed: HashMap::default(),
            labels: HashTable::default(),
            hasher: DefaultHashBuilder::default(),
        }
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

    /// The place of the kernel of this name and type, added if need be. Names that have rows of several types are several kernels: `gemm`,
    /// and `gemm (bf16)` for those of another type than the first.
    pub(super) fn kernel_id(&mut self, new: &NewName) -> KernelId {
        let place = self.named(new);
        if self.catalogue[place].takes_rows_of(&new.dtype) {
            return place;
        }
        let suffix = format!(" ({})", dtype_or_fp32(&new.dtype).to_lowercase());
        let of_first_type = &self.catalogue[place];
        let (typed, label) =
            (of_first_type.id.clone() + &suffix, of_first_type.label().to_string() + &suffix);
        self.catalogue.id_named(&typed).unwrap_or_else(|| self.add_name(&typed, new, Some(&label)))
    }

    fn named(&mut self, new: &NewName) -> KernelId {
        let hash = self.hasher.hash_one(&*new.written);
        let is_same = |id: &KernelId| *self.catalogue[*id].name() == *new.written;
        if let Some(place) = self.added.find(hash, is_same).or_else(|| self.renamed.get(&new.written)) {
            return *place;
        }
        let nickname = self.catalogue.nickname_of(&new.written).map(str::to_string);
        let name = nickname.as_deref().unwrap_or(&new.written);
        let Some(place) = self.catalogue.id_named(name) else {
            let place = self.add_name(name, new, None);
            let Self { catalogue, added, hasher, .. } = self;
            added.insert_unique(hash, place, |id| hasher.hash_one(catalogue[*id].name()));
            return place;
        };
        self.renamed.insert(new.written.clone(), place);
        place
    }

    fn add_name(&mut self, name: &str, new: &NewName, label: Option<&str>) -> KernelId {
        let mut kernel = self.measured.kernel(name, &new.dtype);
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
            kernel.set_name(&new.written);
        }
        // Two instances of one template are told apart by their arguments.
        if self.labels.is_empty() {
            self.catalogue.ids().for_each(|id| self.add_label(id));
        }
        if let Some(label) = label {
            kernel.set_label(label);
        } else if let Some(other) = self.of_same_label(kernel.label()) {
            kernel.set_label(&long_name(name));
            self.show_arguments(other);
        }
        let place = KernelId::from_index(self.catalogue.entries().len());
        self.catalogue.insert(kernel).expect("nobody has this name, and it has no other");
        self.add_label(place);
        place
    }

    /// The first kernel that was shown as this when it was alone.
    fn of_same_label(&self, label: &str) -> Option<KernelId> {
        let hash = self.hasher.hash_one(label);
        self.labels.find(hash, |id| *label_alone(&self.catalogue[*id]) == *label).copied()
    }

    /// Shows a kernel with its template arguments, where its name has some.
    fn show_arguments(&mut self, place: KernelId) {
        let kernel = &self.catalogue[place];
        if kernel.label() != kernel.id && kernel.label() == short_name(&kernel.id) {
            let label = long_name(&kernel.id);
            self.catalogue.edit_entry(place, |kernel| kernel.set_label(&label));
        }
    }

    /// Kernels whose labels are cut alike are shown by what their names differ in.
    pub(super) fn cut_labels_apart(&mut self) {
        let mut alike: HashMap<&str, Vec<KernelId>> = HashMap::default();
        for id in self.catalogue.ids() {
            let kernel = &self.catalogue[id];
            if is_cut(kernel) {
                alike.entry(kernel.label()).or_default().push(id);
            }
        }
        let mut cut: Vec<(KernelId, String)> = Vec::new();
        for ids in alike.into_values().filter(|ids| (2..=MOST_ALIKE).contains(&ids.len())) {
            let name = |id: &KernelId| long_name_within(&self.catalogue[*id].id, LONGEST_LOOK);
            let labels = names_by_difference(&ids.iter().map(name).collect::<Vec<_>>(), WIDEST_LABEL);
            cut.extend(ids.into_iter().zip(labels));
        }
        for (id, label) in cut {
            self.catalogue.edit_entry(id, |kernel| kernel.set_label(&label));
        }
    }

    fn add_label(&mut self, place: KernelId) {
        let Self { catalogue, labels, hasher, .. } = self;
        let hash_of = |id: &KernelId| hasher.hash_one(&*label_alone(&catalogue[*id]));
        let label = label_alone(&catalogue[place]);
        let hash = hash_of(&place);
        if labels.find(hash, |id| label_alone(&catalogue[*id]) == label).is_none() {
            labels.insert_unique(hash, place, hash_of);
        }
    }
}

/// Whether the label of a kernel lacks some of its name. Those of a trace have the labels of its groups, and their operators tell them apart.
fn is_cut(kernel: &Kernel) -> bool {
    kernel.label().contains('…') && !kernel.id.contains(" #")
}

/// What a kernel is shown as where no other one is called so: an instance of a template without its arguments, and whole where it was
/// cut apart from others.
fn label_alone(kernel: &Kernel) -> Cow<'_, str> {
    let label = kernel.label();
    let has_arguments = label.contains('<') || label.starts_with("_Z");
    if is_cut(kernel) || has_arguments && label == long_name(&kernel.id) {
        return Cow::Owned(short_name(&kernel.id));
    }
    Cow::Borrowed(label)
}
