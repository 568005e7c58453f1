//! The checks of a row: a draft becomes a row or a refusal.

mod problem;

use super::cells::{RowRefusal, clipped_cell, not_utf8, utf8};
use super::details::{ChunkDetails, CollectedDetails, RowDetails};
use super::draft::{RowDraft, TextColumn};
use super::measured::NumberPlace;
use super::new_kernels::NewName;
use super::pipe_uses::pipe_insts;
use super::row_facts::{Further, KnownNumber, RowFacts};
use super::text::SharedWord;
use super::words::{Problems, SharedWords};
use super::{DESCRIBED, Measurement, Number, TimingKind};
use crate::catalogue::Catalogue;
use crate::gpu::{Gpu, GpuId, unloaded_text};
use crate::kernel::{Kernel, KernelId, RunsAs, short_name};
use crate::units::Seconds;
use hashbrown::HashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Everything that is the same for all rows of a file, and what repeats from row to row. Each thread has its own.
pub(super) struct RowParser<'a> {
    file: Arc<str>,
    kind: TimingKind,
    gpus: &'a Catalogue<Gpu>,
    kernels: &'a Catalogue<Kernel>,
    known_gpus: HashMap<Box<[u8]>, GpuId>,
    known_kernels: HashMap<Box<[u8]>, KernelId>,
    /// What those are called whose name is not their kernel's, in whatever form.
    renamed: BTreeMap<Box<str>, KernelId>,
    /// Kernels that the catalogue does not have, in the order the chunk names them. Their rows count on from the
    /// catalogue's entries, until the place of each is known.
    new_names: Vec<NewName>,
    known_new: HashMap<Box<[u8]>, Vec<(SharedWord, KernelId)>>,
    problems: Problems,
    variants: SharedWords,
    details: CollectedDetails,
    /// Stands in every row until those of its chunk are known.
    no_details: Arc<ChunkDetails>,
    words: SharedWords,
    /// The first element types, each once.
    dtypes: Vec<SharedWord>,
    /// How many rows named a GPU that is not in the catalogue.
    unknown_gpus: usize,
    /// Numbers without a field of their own, of the row being read.
    further: Vec<(Number, f64)>,
}

impl<'a> RowParser<'a> {
    pub(super) fn new(
        file: &str,
        kind: TimingKind,
        gpus: &'a Catalogue<Gpu>,
        kernels: &'a Catalogue<Kernel>,
    ) -> Self {
        Self {
            file: file.into(),
            kind,
            gpus,
            kernels,
            known_gpus: HashMap::default(),
            known_kernels: HashMap::default(),
            renamed: BTreeMap::default(),
            new_names: Vec::new(),
            known_new: HashMap::default(),
            problems: Problems::default(),
            variants: SharedWords::default(),
            details: CollectedDetails::default(),
            no_details: Arc::new(CollectedDetails::default().take(&Arc::default(), kind)),
            words: SharedWords::default(),
            dtypes: vec![SharedWord::default()],
            unknown_gpus: 0,
            further: Vec::new(),
        }
    }

    /// The file, as messages name it.
    pub(super) fn file(&self) -> &str {
        &self.file
    }

    /// The row that this draft is.
    pub(super) fn next_row(&mut self, draft: &impl RowDraft) -> Result<Measurement, RowRefusal> {
        let time = draft.launch_time()?;
        let gpu = self.gpu(draft.text_of(TextColumn::Gpu))?;
        let (block, grid) = (draft.block_shape()?, draft.grid_shape()?);
        let block = block.map(|b| b.map(|v| u32::try_from(v).unwrap_or(u32::MAX)));
        let narrow = grid.filter(|g| g.iter().all(|n| *n <= u64::from(u32::MAX)));
        let narrow_block = block.filter(|b| b.iter().all(|n| *n <= u32::from(u16::MAX)));
        let variant = shared_word(&mut self.variants, draft.text_of(TextColumn::Variant), "variant")?;
        let source = utf8(draft.text_of(TextColumn::Source), "source")?;
        let dtype = self.dtype(draft.text_of(TextColumn::Dtype))?;
        let (kernel, problem) = self.kernel_at_size(draft, &dtype)?;
        let written = draft.text_of(TextColumn::Problem);
        let (problem, variant) = match self.launch_in_the_problem(kernel, written, &variant)? {
            Some(moved) => (moved.problem, self.left_open(kernel, moved.written.as_bytes(), moved.variant)),
            None => {
                let variant = self.chosen_by_the_source(kernel, variant);
                (problem, self.left_open(kernel, written, variant))
            }
        };
        let facts = RowFacts {
            block: narrow_block.map_or([0; 3], |b| b.map(|n| n as u16)),
            grid: narrow.map_or([0; 3], |g| g.map(|n| n as u32)),
            ..RowFacts::default()
        };
        let mut details = RowDetails { variant, dtype, facts, deviation: KnownNumber::default(), source };
        self.fill_numbers(draft, &mut details)?;
        let wide_block = block.filter(|_| narrow_block.is_none());
        let mut further = self.further(draft, wide_block, grid.filter(|_| narrow.is_none()));
        if let Some(further) = &mut further {
            further.pipe_insts = pipe_insts(&self.gpus[gpu], time, &further.numbers);
        }
        details.facts.further = further;
        let line = u32::try_from(draft.line_number()).unwrap_or(u32::MAX);
        let (place, of_chunk) = (self.details.push(details), self.no_details.clone());
        Ok(Measurement { gpu, kernel, problem, time, line, place, of_chunk })
    }

    fn fill_numbers(&mut self, draft: &impl RowDraft, row: &mut RowDetails<'_>) -> Result<(), RowRefusal> {
        self.further.clear();
        let RowDetails { facts, deviation, .. } = row;
        draft.each_number(|column, place, value| match place {
            NumberPlace::Small(which) => facts.small.set(which, value.min(f64::from(u32::MAX)) as u32),
            NumberPlace::TimeStd => *deviation = KnownNumber::new(Seconds::from_millis(value).0),
            NumberPlace::Flops => facts.flops = KnownNumber::new(value),
            NumberPlace::DramBytes => facts.dram_bytes = KnownNumber::new(value),
            NumberPlace::Further(_) => self.further.push((column, value)),
            // Read before everything else.
            NumberPlace::Time => {}
        })
    }

    fn further(
        &mut self,
        draft: &impl RowDraft,
        wide_block: Option<[u32; 3]>,
        wide_grid: Option<[u64; 3]>,
    ) -> Option<Box<Further>> {
        let mut attributes = Vec::new();
        draft.each_attribute(|name, bytes| {
            // What nobody knows is no reason to refuse a row: other encodings are kept as far as they can be.
            if bytes.is_empty() {
                return;
            }
            let text = String::from_utf8_lossy(bytes);
            if let Some(text) = self.words.shared_text(text.as_bytes()).filter(|t| !t.is_empty()) {
                attributes.push((name.clone(), text));
            }
        });
        if self.further.is_empty() && attributes.is_empty() && wide_block.is_none() && wide_grid.is_none() {
            return None;
        }
        let numbers = self.further.as_slice().into();
        let (wide_block, wide_grid) = (wide_block.map(Box::new), wide_grid.map(Box::new));
        let (pipe_insts, attributes) = (Box::default(), attributes.into());
        Some(Box::new(Further { numbers, pipe_insts, attributes, wide_block, wide_grid }))
    }

    fn dtype(&mut self, bytes: &[u8]) -> Result<SharedWord, RowRefusal> {
        /// Nobody has more; a file that does keeps each again.
        const MOST: usize = 32;
        if let Some(known) = self.dtypes.iter().find(|known| known.as_bytes() == bytes) {
            return Ok(known.clone());
        }
        let text = utf8(bytes, "dtype")?;
        let known = self.dtypes.iter().find(|known| ***known == *text).cloned();
        Ok(known.unwrap_or_else(|| {
            let word = SharedWord::from(text);
            if self.dtypes.len() < MOST {
                self.dtypes.push(word.clone());
            }
            word
        }))
    }

    fn gpu(&mut self, bytes: &[u8]) -> Result<GpuId, RowRefusal> {
        if let Some(known) = self.known_gpus.get(bytes) {
            return Ok(*known);
        }
        let name = utf8(bytes, "gpu")?;
        if let Some(known) = self.gpus.id_named(name) {
            self.known_gpus.insert(bytes.into(), known);
            return Ok(known);
        }
        if name.is_empty() {
            let why = "is blank: unknown GPU; write its name, or give `roofswap import --gpu ID` for a whole report";
            return Err(RowRefusal::new("gpu", why));
        }
        // The search for near names is for those who will read them.
        let described = self.unknown_gpus < DESCRIBED;
        self.unknown_gpus += 1;
        let near =
            || Some(unloaded_text(self.gpus, name).unwrap_or(self.gpus.position(name).err()?.to_string()));
        let why = described.then(near).flatten();
        Err(RowRefusal::new("gpu", why.as_deref().unwrap_or("unknown GPU")))
    }

    fn kernel(&mut self, bytes: &[u8], dtype: &SharedWord) -> Result<KernelId, RowRefusal> {
        let known = self.known_kernels.get(bytes).filter(|known| self.kernels[**known].takes_rows_of(dtype));
        if let Some(known) = known {
            return Ok(*known);
        }
        if let Some(new) = self.known_new.get(bytes).and_then(|new| new.iter().find(|(of, _)| of == dtype)) {
            return Ok(new.1);
        }
        let written = utf8(bytes, "kernel")?;
        let name = self.kernels.nickname_of(written).unwrap_or(written);
        let known = self.kernels.id_named(name).filter(|_| !name.is_empty());
        if let Some(known) = known.filter(|known| self.kernels[*known].takes_rows_of(dtype)) {
            self.known_kernels.insert(bytes.into(), known);
            let is_id = |text: &str| text.eq_ignore_ascii_case(&self.kernels[known].id);
            if name == written && !is_id(written) && !is_id(&short_name(written)) {
                self.renamed.insert(written.into(), known);
            }
            return Ok(known);
        }
        if name.is_empty() {
            return Err(RowRefusal::new("kernel", "is blank; expected a name"));
        }
        if !name.contains(char::is_alphanumeric) {
            let why = format!("`{}`: expected a name with letters", clipped_cell(name));
            return Err(RowRefusal::new("kernel", why));
        }
        let new = KernelId::from_index(self.kernels.entries().len() + self.new_names.len());
        self.known_new.entry(bytes.into()).or_default().push((dtype.clone(), new));
        self.new_names.push(NewName { written: written.into(), dtype: dtype.clone() });
        Ok(new)
    }

    /// What the rows since the last call call kernels whose name is another one.
    pub(super) fn renamed(&mut self) -> BTreeMap<Box<str>, KernelId> {
        std::mem::take(&mut self.renamed)
    }

    /// Completes the rows since the last call, and says which kernels they name that the catalogue does not have.
    pub(super) fn new_names(&mut self, rows: &mut [Measurement]) -> Vec<NewName> {
        let details = Arc::new(self.details.take(&self.file, self.kind));
        rows.iter_mut().for_each(|row| row.of_chunk = details.clone());
        self.known_new.clear();
        std::mem::take(&mut self.new_names)
    }
    /// A variant without what a framework chose for the GPU at hand (`impl=volta_sgemm_128x64_tn`): that is no choice of
    /// whoever wrote the kernel, and would keep rows of two GPUs from being compared.
    fn chosen_by_the_source(&mut self, kernel: KernelId, variant: Arc<str>) -> Arc<str> {
        let operator = |k: &&Kernel| k.runs_as == RunsAs::Operator && !variant.is_empty();
        match self.kernels.entry(kernel).filter(operator).map(|k| k.declared_variant(&variant)) {
            Some(declared) => self.variants.shared_text(declared.as_bytes()).unwrap_or(variant),
            None => variant,
        }
    }
}

fn shared_word(words: &mut SharedWords, bytes: &[u8], column: &str) -> Result<Arc<str>, RowRefusal> {
    words.shared_text(bytes).ok_or_else(|| not_utf8(column))
}
