//! The kernels that were typed: kept in the state file until they are dropped, and put among the rows whenever those are made
//! anew.

use super::jobs::WorkerJob;
use super::message::Effect;
use super::state::DashboardState;
use crate::kernel::{BlockSize, KernelId};
use crate::measurement::CanonicalRow;
use crate::predict::Subject;
use crate::session::Session;
use crate::workload::{KernelLine, NAMELESS, TypedKernel};
use std::collections::HashMap;
use std::sync::Arc;

/// The most that are kept: the oldest go.
const MOST_KEPT: usize = 100;

impl DashboardState {
    /// Adds the typed kernels of earlier runs; one that is wrong now is left out and said.
    pub(super) fn restore_typed(&mut self, lines: &[String]) {
        if lines.is_empty() {
            return;
        }
        let mut session = (*self.session).clone();
        for line in lines.iter().take(MOST_KEPT) {
            match typed_again(&mut session, line) {
                Ok(kernel) => self.typed.push(kernel),
                Err(why) => {
                    self.dropped_typed.push(line.clone());
                    self.notices.push(format!("a typed kernel of the state file is left out: {why}"));
                }
            }
        }
        session.arrange();
        // A kernel that is asked for may come with the files, which are read later.
        let awaited = self.awaited.take_if(|(kernel, _)| session.kernels.position(kernel).is_err());
        self.take_session(Arc::new(session));
        self.awaited = awaited;
    }

    /// The typed kernel that this row is, as it was typed; none where it is another size of it.
    #[must_use]
    pub fn typed_kernel_of(&self, row: &Subject) -> Option<&TypedKernel> {
        let is_row = |kernel: &&TypedKernel| {
            let typed = kernel.subject_in(&self.session).ok();
            typed.is_some_and(|typed| typed.kernel == row.kernel && typed.problem == row.problem)
        };
        self.all_typed().find(is_row)
    }

    /// The newest typed kernel that this row is another size of.
    pub(super) fn typed_at_other_size(&self, row: &Subject) -> Option<&TypedKernel> {
        let is_other_size = |kernel: &&TypedKernel| {
            let typed = kernel.subject_in(&self.session).ok();
            typed.is_some_and(|typed| typed.kernel == row.kernel && typed.problem != row.problem)
        };
        self.all_typed().filter(is_other_size).last()
    }

    /// Whether this row's kernel was typed at another size, and no file names it.
    pub(super) fn is_typed_alone(&self, row: &Subject) -> bool {
        let store = &self.session.store;
        let mut rows = store.of_kernel(row.kernel).iter().flat_map(|config| store.rows_of(*config));
        let is_typed = self.is_own_kernel(row.kernel) && self.typed_at_other_size(row).is_some();
        is_typed && rows.all(|row| row.is_typed())
    }

    /// The rows of the typed kernels for a file, and how many have none because no time was typed.
    #[must_use]
    pub fn rows_to_export(&self) -> (Vec<CanonicalRow>, usize) {
        let rows: Vec<CanonicalRow> =
            self.typed.iter().filter_map(|kernel| kernel.row_in(&self.session)).collect();
        let without = self.typed.len() - rows.len();
        (rows, without)
    }

    /// The kernel under a name of its own: a second one without a name is another kernel than the first.
    pub(super) fn named_apart(&self, kernel: TypedKernel) -> TypedKernel {
        let is_another = |known: &TypedKernel| known.name.is_none() && *known != kernel;
        if kernel.name.is_some() || !self.typed.iter().any(is_another) {
            return kernel;
        }
        let names = (2..).map(|number| format!("{NAMELESS}-{number}"));
        let free = |name: &String| self.session.kernels.position(name).is_err();
        TypedKernel { name: names.into_iter().find(free), ..kernel }
    }

    /// Keeps a typed kernel; the same one typed again takes the place of what it was.
    pub(super) fn keep_typed(&mut self, kernel: TypedKernel) {
        let same = |known: &TypedKernel| {
            (&known.name, &known.gpu, &known.problem) == (&kernel.name, &kernel.gpu, &kernel.problem)
        };
        if let Some(at) = self.typed.iter().position(same) {
            self.dropped_typed.push(self.typed.remove(at).to_string());
        }
        if self.typed.len() == MOST_KEPT {
            self.dropped_typed.push(self.typed.remove(0).to_string());
        }
        // Typed again, it is no longer dropped.
        let line = kernel.to_string();
        self.dropped_typed.retain(|dropped| *dropped != line);
        self.typed.push(kernel);
    }

    /// Drops a typed kernel: everything is read again without it.
    pub(super) fn drop_typed(&mut self, place: usize) -> Vec<Effect> {
        if place >= self.typed.len() {
            return Vec::new();
        }
        let dropped = self.typed.remove(place);
        self.dropped_typed.push(dropped.to_string());
        self.jobs.start_job(WorkerJob::Read, format!("dropping {dropped} …"));
        vec![Effect::Load(self.base.clone(), self.files.clone()), Effect::SaveSoon(Box::new(self.saved()))]
    }

    /// Puts the typed kernels into a session that was made anew; those that do not fit it are said.
    pub(super) fn add_typed(&mut self, session: &mut Session) {
        let refused = self.all_typed().filter_map(|kernel| {
            let why = kernel.load_into(session).err()?;
            Some(format!("{kernel}: {why}"))
        });
        let refused: Vec<String> = refused.collect();
        self.notices.extend(refused);
    }

    /// The kernels that were typed here, then those of the mix.
    fn all_typed(&self) -> impl Iterator<Item = &TypedKernel> {
        let of_mix = self.ranked.mix.iter().flat_map(|mix| &mix.kernels);
        self.typed.iter().chain(of_mix)
    }

    /// Puts the typed kernels of the mix among the user's rows; what is selected stays selected.
    pub(super) fn add_kernels_of_mix(&mut self) {
        let Some(mix) = self.ranked.mix.clone().filter(|mix| !mix.kernels.is_empty()) else { return };
        let mut session = (*self.session).clone();
        for kernel in &mix.kernels {
            if let Err(why) = kernel.load_into(&mut session) {
                self.notices.push(format!("{kernel}: {why}"));
            }
        }
        session.arrange();
        (self.workload.chooses_row, self.workload.chooses_source) = (false, false);
        self.take_session(Arc::new(session));
    }

    /// The blocks of typed kernels whose grid was not typed.
    pub(super) fn typed_blocks(&self) -> HashMap<KernelId, BlockSize> {
        let typed = self.all_typed().filter(|kernel| kernel.block.is_some() && kernel.grid.is_none());
        let subjects = typed.filter_map(|kernel| kernel.subject_in(&self.session).ok());
        subjects.filter_map(|subject| Some((subject.kernel, subject.instance.block_size?))).collect()
    }

    /// The typed kernels without a time as rows: nothing in the store says what was typed of them.
    pub(super) fn typed_rows(&self, session: &Session) -> Vec<Arc<Subject>> {
        let untimed = self.all_typed().filter(|kernel| kernel.time.is_none());
        untimed.filter_map(|kernel| kernel.subject_in(session).ok()).map(Arc::new).collect()
    }
}

/// A kernel of the state file, read and added.
fn typed_again(session: &mut Session, line: &str) -> Result<TypedKernel, String> {
    let read = KernelLine::read(line, &session.gpus, &session.kernels);
    if let Some(why) = read.unread().next() {
        return Err(why.to_string());
    }
    read.kernel.load_into(session).map_err(|why| why.to_string())?;
    Ok(read.kernel)
}
