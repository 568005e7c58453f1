//! Which configuration of a kernel is meant by what somebody typed of it: its size and its variant.

use super::Session;
use crate::gpu::GpuId;
use crate::kernel::{KernelId, Problem, ProblemError, ProblemValue};
use crate::measurement::{ConfigId, work_of_shape};
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

impl Session {
    /// The variants of a kernel that somebody timed, each once, in the order they were read.
    #[must_use]
    pub fn variants(&self, kernel: KernelId) -> Vec<Arc<str>> {
        let mut all: Vec<Arc<str>> = Vec::new();
        let mut seen = HashSet::new();
        for id in self.store.of_kernel(kernel) {
            let variant = self.store.config(*id).variant;
            if seen.insert(variant.clone()) {
                all.push(variant.clone());
            }
        }
        all
    }

    /// The variant a kernel is shown in at first: the plain one, unless only others were timed; then the first of those.
    /// Where the kernel was not measured, the example of its file.
    #[must_use]
    pub fn default_variant(&self, kernel: KernelId) -> Arc<str> {
        if self.store.has_plain(kernel) {
            return Arc::default();
        }
        let example = || self.kernels[kernel].example_variant().into();
        self.store.of_kernel(kernel).first().map_or_else(example, |id| self.store.config(*id).variant.clone())
    }

    /// The variants that were measured at this size, by text: on this source where any was, else on any GPU.
    #[must_use]
    pub fn variants_at(&self, kernel: KernelId, size: &Problem, source: Option<GpuId>) -> Vec<Arc<str>> {
        let at_size = |id: &ConfigId| **self.store.config(*id).problem == *size;
        let all: Vec<ConfigId> = self.store.of_kernel(kernel).iter().copied().filter(at_size).collect();
        let on_source = |id: &&ConfigId| source.is_some_and(|gpu| self.store.row_on(**id, gpu).is_some());
        let texts = |ids: &mut dyn Iterator<Item = &ConfigId>| -> BTreeSet<Arc<str>> {
            ids.map(|id| self.store.config(*id).variant.clone()).collect()
        };
        let there = texts(&mut all.iter().filter(on_source));
        let any = if there.is_empty() { texts(&mut all.iter()) } else { there };
        any.into_iter().collect()
    }

    /// The numbers of the other works of this kernel's launch shape that were measured, `work=2` in their sizes; none where the shape is
    /// itself one of them.
    #[must_use]
    pub fn other_works(&self, kernel: KernelId, shape: &Problem) -> BTreeSet<usize> {
        let configs = self.store.of_kernel(kernel).iter();
        configs.filter_map(|id| work_of_shape(self.store.config(*id).problem, shape)).collect()
    }

    /// The variant that a kernel is asked about at this size where none is named: the first by text of those that were measured at it,
    /// whatever the order of their rows; else the one that it is shown in.
    #[must_use]
    pub fn variant_at(&self, kernel: KernelId, size: &Problem, source: Option<GpuId>) -> Arc<str> {
        let first = self.variants_at(kernel, size, source).into_iter().next();
        first.unwrap_or_else(|| self.default_variant(kernel))
    }

    /// A size of this kernel as somebody types it: see [`crate::kernel::Kernel::typed`]. Of a kernel without formulas a key may have a word
    /// where rows have words, `workload=full`.
    ///
    /// # Errors
    /// [`ProblemError`] with what was expected.
    pub fn typed_size(&self, kernel: KernelId, text: &str) -> Result<Problem, ProblemError> {
        let of = &self.kernels[kernel];
        match Problem::parse_recorded(text) {
            Ok(recorded) if !of.has_formulas() && self.has_words_as_rows(kernel, &recorded) => Ok(recorded),
            _ => of.typed(text),
        }
    }

    /// Whether words stand in this size, each under a key that has words in rows of the kernel; its numbers are sizes.
    fn has_words_as_rows(&self, kernel: KernelId, size: &Problem) -> bool {
        let is_word = |value: Option<&ProblemValue>| matches!(value, Some(ProblemValue::Word(_)));
        let in_rows = |key: &str| {
            let mut ids = self.store.of_kernel(kernel).iter();
            ids.any(|id| is_word(self.store.config(*id).problem.get(key)))
        };
        size.has_words()
            && size.pairs().iter().all(|(key, value)| match value {
                ProblemValue::Word(_) => in_rows(key.as_str()),
                ProblemValue::Number(_) => value.is_size(),
            })
    }
}
