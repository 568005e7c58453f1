//! Which rows there are: one per kernel at its first size, then every other configuration that somebody timed.

use crate::gpu::GpuId;
use crate::kernel::KernelId;
use crate::predict::Subject;
use crate::session::Session;

/// The most rows that the table has.
const MOST_ROWS: usize = 10_000;

/// The rows of a session, and what to say of those that have no room.
pub(super) struct FirstRows {
    pub(super) rows: Vec<Subject>,
    pub(super) left_out: Option<String>,
}

/// One row per kernel at its first size, then every other configuration that somebody timed, by size. Kernels that nobody
/// timed come last.
pub(super) fn first_rows(session: &Session, source: GpuId) -> FirstRows {
    let store = &session.store;
    let (timed, others): (Vec<KernelId>, Vec<KernelId>) =
        session.kernels.ids().partition(|k| !store.of_kernel(*k).is_empty());
    let kernels = timed.into_iter().chain(others);
    let all_rows = kernels.clone().flat_map(|kernel| kernel_rows(session, source, kernel));
    let rows: Vec<Subject> = all_rows.take(MOST_ROWS).collect();
    let all: usize = kernels.map(|kernel| store.of_kernel(kernel).len().max(1)).sum();
    let left_out = (rows.len() == MOST_ROWS && all > MOST_ROWS)
        .then(|| format!("{all} configurations: the first {MOST_ROWS} are shown; `predict` answers all"));
    FirstRows { rows, left_out }
}

/// The rows of one kernel.
fn kernel_rows(session: &Session, source: GpuId, kernel: KernelId) -> impl Iterator<Item = Subject> {
    let store = &session.store;
    let first = session.default_size(kernel, Some(source));
    let variant = session.default_variant(kernel);
    let top = session.subject(kernel, &first, &variant).ok();
    let first = top.as_ref().and_then(|subject| subject.config);
    let others = store.by_volume(kernel).iter().filter(move |id| Some(**id) != first);
    top.into_iter().chain(others.filter_map(move |id| session.timed_subject(*id).ok()))
}
