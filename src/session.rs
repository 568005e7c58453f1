//! Everything that is loaded, in one value that answers questions: catalogues, datasets, the user's files, calibration.

mod answers;
mod derived;
mod edited_gpu;
mod edited_place;
mod engine;
mod evaluation;
mod here;
mod hypothetical;
mod import;
mod lessons;
mod loaded;
mod named_configs;
mod own_rows;
mod reached;
mod row_answers;
mod streaming_size;
mod training;
mod tuning;
mod user_files;
mod workspace;

pub use edited_place::EditedGpu;
pub use here::{MeasureFile, MeasuredHere};
pub use import::{Added, Recognised, loaded_rows_text, read_compiled};
pub use row_answers::{RowAlone, RowQuestions};
pub use training::Training;
pub use tuning::{LaidTargets, TuneError, TypedTunings};
pub use workspace::{Revision, Workspace};

pub use crate::answer::Sources;

use crate::answer::TypedClocks;
use crate::catalogue::{Catalogue, FileError, SpecFile, shipped_sources};
use crate::evaluate::PublishedFigures;
use crate::gpu::{self, Gpu, GpuId, LimitsTable};
use crate::import::{AchievedRoof, OpenedFile, read_opened};
use crate::kernel::{self, FormulaError, Kernel, KernelId, Problem, ProblemError, Translation};
use crate::measurement::{
    CanonicalRow, ConfigId, Dataset, ReadError, ReadResult, RowError, Store, TimingKind, read_csv, read_rows,
    told_apart_text,
};
use crate::predict::{LaunchEdits, Subject};
use crate::progress::Progress;
use crate::text::counted;
use include_dir::{Dir, include_dir};
use std::collections::BTreeSet;
use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;

use edited_place::EditedPlace;
use engine::Engine;
use user_files::KnownFacts;

static PUBLISHED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/datasets/published");

/// Everything that is loaded, and what was derived from it.
///
/// The loaded facts are a [`Workspace`] that nobody changes in place: [`Session::edit`] makes the next revision of it, and
/// with it a new set of derived values. Clones share both.
#[derive(Debug, Clone)]
pub struct Session {
    /// GPUs, oldest architecture first, the user's last; those at typed clocks ([`Session::tune`]) as they are set.
    pub gpus: Arc<Catalogue<Gpu>>,
    workspace: Arc<Workspace>,
    revision: Revision,
    /// The GPUs at typed clocks as their documents state them, with what was typed.
    typed: TypedClocks,
    /// The hypothetical GPU that is edited, behind all others in `gpus` and nowhere else.
    edited: Option<EditedPlace>,
    engine: Arc<Engine>,
}

/// The loaded facts: `session.kernels` is that of its workspace.
impl Deref for Session {
    type Target = Workspace;

    fn deref(&self) -> &Workspace {
        &self.workspace
    }
}

/// What came of a measurement file.
#[derive(Debug, Clone, Default)]
pub struct LoadedFile {
    /// How many rows were added.
    pub rows: usize,
    /// The first hundred that were refused.
    pub refused: Vec<RowError>,
    /// How many were refused in all.
    pub refused_count: usize,
    /// What the importer of its format says: what is missing, what was left out.
    pub remarks: Vec<String>,
    /// The compute capabilities that rows without a GPU state; `None` where every row names its GPU.
    pub unnamed: Option<BTreeSet<String>>,
}

/// Why a question could not be put.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SubjectError {
    /// The sizes do not fit the kernel.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// A formula of the kernel gives no sound number for them.
    #[error("kernel {kernel}: {error}")]
    Formula {
        /// The kernel's id.
        kernel: String,
        /// What went wrong.
        error: FormulaError,
    },
}

impl Session {
    /// Loads what ships with the program, then `gpus/*.toml` and `kernels/*.toml` of the user's folder. A bad file is put
    /// into [`Workspace::problems`]; the rest still loads.
    ///
    /// # Errors
    /// [`FileError`] only if a table inside the program itself is damaged.
    pub fn load(user_folder: Option<&Path>) -> Result<Self, FileError> {
        let sources = shipped_sources()?;
        let limits = LimitsTable::shipped()?;
        let ((gpus, gpu_problems), (mut kernels, kernel_problems)) =
            rayon::join(|| gpu::load_shipped(&sources, &limits), || kernel::load_shipped(&sources));
        let mut problems: Vec<String> =
            gpu_problems.iter().chain(&kernel_problems).map(ToString::to_string).collect();
        let mut store = Store::default();
        let mut datasets = Vec::new();
        match load_dataset(&PUBLISHED, &gpus, &mut kernels) {
            Ok((dataset, read)) => {
                problems.extend(read.refused.iter().map(ToString::to_string));
                store.add_rows(read.rows);
                datasets.push(dataset);
            }
            Err(why) => problems.push(why),
        }
        let mut gpus = Arc::new(gpus);
        // Intervals rest on the shipped figures alone; a user's rows are what they are compared with.
        let figures = PublishedFigures { gpus: gpus.clone(), kernels: kernels.clone(), store: store.clone() };
        let calibration = figures.into_calibration()?;
        if let Some(folder) = user_folder {
            let known = KnownFacts { sources: &sources, limits: &limits };
            problems.extend(user_files::load_user_folder(folder, known, &mut gpus, &mut kernels));
        }
        let roofs = Vec::new();
        Ok(Self::of_workspace(
            Workspace { gpus, kernels, sources, store, datasets, roofs, problems },
            calibration,
        ))
    }

    /// Adds a measurement file of the user's, canonical or of a format that an importer knows. Good rows are kept.
    ///
    /// # Errors
    /// [`ReadError`] if the file as a whole is unreadable; nothing is added then.
    pub fn add_data(&mut self, path: &Path) -> Result<LoadedFile, ReadError> {
        self.add_opened(OpenedFile::path(path)?, &Progress::default())
    }

    /// [`Session::add_data`] of a file that is open, for those who watch how far it is, or may cancel it.
    ///
    /// # Errors
    /// [`ReadError`] as there, and if it was cancelled; nothing is added then.
    pub fn add_opened(
        &mut self,
        opened: OpenedFile<'_>,
        progress: &Progress,
    ) -> Result<LoadedFile, ReadError> {
        self.add_opened_of(opened, None, progress)
    }

    /// [`Session::add_opened`] of a report that names no GPU: its rows are of this one.
    ///
    /// # Errors
    /// [`ReadError`] as there.
    pub fn add_opened_of(
        &mut self,
        opened: OpenedFile<'_>,
        gpu: Option<&str>,
        progress: &Progress,
    ) -> Result<LoadedFile, ReadError> {
        let mut kernels = self.kernels.clone();
        let any = read_opened(opened, gpu, TimingKind::Measured, &self.gpus, &mut kernels, progress)?;
        let loaded = self.take_rows(kernels, any.read, any.remarks, any.roofs);
        Ok(LoadedFile { unnamed: any.unnamed, ..loaded })
    }

    /// Adds rows that an importer made from this report, by the same checks as those of a file; see [`read_rows`].
    ///
    /// # Errors
    /// [`ReadError`] if they are unreadable as a whole; nothing is added then.
    pub fn add_rows(&mut self, rows: &[CanonicalRow], file: &str) -> Result<LoadedFile, ReadError> {
        let mut kernels = self.kernels.clone();
        let read = read_rows(rows, file, TimingKind::Measured, &self.gpus, &mut kernels)?;
        Ok(self.take_rows(kernels, read, Vec::new(), Vec::new()))
    }

    /// The next revision: with these rows and roofs, whose kernels are in this catalogue.
    fn take_rows(
        &mut self,
        kernels: Catalogue<Kernel>,
        read: ReadResult,
        mut remarks: Vec<String>,
        roofs: Vec<AchievedRoof>,
    ) -> LoadedFile {
        let ReadResult { rows, refused, refused_count, renamed, told_apart } = read;
        let mut kernels = kernels;
        remarks.extend(loaded::state_arithmetic(&rows, &self.gpus, &mut kernels));
        remarks.extend(loaded::remarks(&rows, &kernels));
        remarks.extend(loaded::refused_launches_remark(&rows, &self.gpus, &kernels));
        remarks.extend(loaded::renamed_remark(&renamed, &kernels));
        remarks.extend(told_apart_text(told_apart, &counted(rows.len(), "row")));
        let (added, repeated) = (rows.len(), self.store.repeated_count());
        self.edit(|workspace| {
            workspace.kernels = kernels;
            workspace.roofs.extend(roofs);
            workspace.store.add_rows(rows);
        });
        remarks.extend(loaded::repeated_remark(self.store.repeated_count() - repeated));
        LoadedFile { rows: added, refused, refused_count, remarks, unnamed: None }
    }

    /// Every row as a file would hold it, for [`crate::measurement::write_csv`]; those of the shipped datasets too.
    pub fn canonical_rows(&self) -> impl Iterator<Item = CanonicalRow> {
        self.store.rows().map(|row| CanonicalRow::from_measurement(row, &self.gpus, &self.kernels))
    }

    /// A kernel at typed sizes: defaults filled in, formulas evaluated.
    ///
    /// # Errors
    /// [`SubjectError`] where the sizes do not fit the kernel.
    pub fn subject(&self, kernel: KernelId, typed: &Problem, variant: &str) -> Result<Subject, SubjectError> {
        let of = &self.kernels[kernel];
        let problem = of.completed_problem(typed)?;
        let instance = of
            .instance(&problem, variant)
            .map_err(|error| SubjectError::Formula { kernel: of.id.clone(), error })?;
        let config = self.store.config_id(kernel, &problem, variant);
        let launch_edits = LaunchEdits::default();
        let problem = Arc::new(problem);
        Ok(Subject {
            kernel,
            problem,
            variant: variant.into(),
            instance,
            config,
            timed_at: None,
            launch_edits,
        })
    }

    /// A kernel as somebody timed it: at its size, in its variant and launch.
    ///
    /// # Errors
    /// [`SubjectError`] where the size does not fit the kernel.
    pub fn timed_subject(&self, id: ConfigId) -> Result<Subject, SubjectError> {
        let config = self.store.config(id);
        let subject = self.subject(config.kernel, config.problem, config.variant)?;
        Ok(Subject { config: subject.config.map(|_| id), ..subject })
    }

    /// Lays what two listings of machine code say over a kernel.
    pub fn translate(&mut self, kernel: KernelId, found: Translation) {
        let mut changed = self.kernels[kernel].clone();
        changed.translation = Some(Arc::new(found));
        let id = changed.id.clone();
        let replaced = self.edit(|workspace| workspace.kernels.insert(changed));
        replaced.unwrap_or_else(|clash| unreachable!("{id} replaces itself: {clash}"));
    }

    /// The sizes to offer for a kernel, smallest first: its named ones and every measured one.
    #[must_use]
    pub fn sizes(&self, kernel: KernelId, variant: &str) -> Vec<Problem> {
        let mut sizes: Vec<Problem> = self.kernels[kernel].sizes.iter().map(|(_, p)| p.clone()).collect();
        let measured = self.store.of_kernel(kernel).iter().map(|c| self.store.config(*c));
        sizes.extend(measured.filter(|c| **c.variant == *variant).map(|c| (**c.problem).clone()));
        sizes.sort_by(|a, b| a.volume().total_cmp(&b.volume()));
        sizes.dedup();
        sizes
    }

    /// The next larger or smaller of [`Session::sizes`], without making them all: a kernel may have a million.
    #[must_use]
    pub fn next_size(&self, kernel: KernelId, variant: &str, now: f64, up: bool) -> Option<Problem> {
        let past = |p: &&Problem| if up { p.volume() > now } else { p.volume() < now };
        let named = self.kernels[kernel].sizes.iter().map(|(_, p)| p).filter(past);
        let volume = |p: &&Problem| p.volume();
        let store = &self.store;
        let problem = |id: &ConfigId| Some(store.config(*id)).filter(|c| **c.variant == *variant);
        let sorted = store.by_volume(kernel);
        let of = |id: &ConfigId| store.config(*id).problem.volume();
        let next = if up {
            let measured = &sorted[sorted.partition_point(|id| of(id) <= now)..];
            let measured = measured.iter().find_map(problem).map(|c| &**c.problem);
            named.chain(measured).min_by(|a, b| volume(a).total_cmp(&volume(b)))
        } else {
            let measured = &sorted[..sorted.partition_point(|id| of(id) < now)];
            let measured = measured.iter().rev().find_map(problem).map(|c| &**c.problem);
            named.chain(measured).max_by(|a, b| volume(a).total_cmp(&volume(b)))
        };
        next.cloned()
    }

    /// The size a kernel is shown at first, in its default variant: the smallest that the user timed on this source, else
    /// the smallest that anybody did, else the smallest timed anywhere, else the second named one.
    #[must_use]
    pub fn default_size(&self, kernel: KernelId, source: Option<GpuId>) -> Problem {
        self.default_size_of(kernel, &self.default_variant(kernel), source)
    }

    /// [`Session::default_size`] for this variant.
    #[must_use]
    pub fn default_size_of(&self, kernel: KernelId, variant: &str, source: Option<GpuId>) -> Problem {
        let smallest = |fits: &dyn Fn(ConfigId) -> bool| {
            let timed = self.store.by_volume(kernel).iter();
            let mut configs = timed.map(|id| (*id, self.store.config(*id)));
            configs.find(|(id, c)| **c.variant == *variant && fits(*id)).map(|(_, c)| c.problem)
        };
        let on_source = |id| source.and_then(|gpu| self.store.row_on(id, gpu));
        let named = &self.kernels[kernel].sizes;
        smallest(&|id| on_source(id).is_some_and(|r| r.kind() == TimingKind::Measured))
            .or_else(|| smallest(&|id| on_source(id).is_some()))
            .or_else(|| smallest(&|_| true))
            .map(|p| (**p).clone())
            .or_else(|| named.get(1).or(named.first()).map(|(_, p)| p.clone()))
            .unwrap_or_default()
    }

    /// What the dataset behind a source time says of all of its rows; nothing for a user's own row or an estimate without
    /// one. What it says of one kernel is among the cautions of its answers.
    pub fn data_cautions<'a>(&'a self, source: &'a str) -> impl Iterator<Item = &'a str> {
        let behind = self.datasets.iter().filter(move |d| d.source == source);
        behind.flat_map(|d| d.of_all()).map(String::as_str)
    }
}

/// A shipped dataset: what it says of itself, and its rows.
fn load_dataset(
    folder: &Dir<'_>,
    gpus: &Catalogue<Gpu>,
    kernels: &mut Catalogue<Kernel>,
) -> Result<(Dataset, ReadResult), String> {
    let name = |file: &str| format!("datasets/published/{file}");
    let about = folder.files().find(|f| f.path().ends_with("about.toml")).and_then(|f| f.contents_utf8());
    let text = about.ok_or_else(|| format!("{}: is missing or not UTF-8", name("about.toml")))?;
    let dataset =
        Dataset::from_file(SpecFile { name: &name("about.toml"), text }).map_err(|e| e.to_string())?;
    let mut all = ReadResult::default();
    for csv in folder.files().filter(|f| f.path().extension().is_some_and(|e| e == "csv")) {
        let file = name(&csv.path().display().to_string());
        let read = read_csv(csv.contents(), &file, dataset.kind, gpus, kernels).map_err(|e| e.to_string())?;
        all.rows.extend(read.rows);
        all.refused.extend(read.refused);
        all.refused_count += read.refused_count;
    }
    Ok((dataset, all))
}
