//! Which rows there are: the user's, then one per built-in kernel at its first size and every other configuration of it that
//! was published.

use crate::gpu::GpuId;
use crate::kernel::KernelId;
use crate::measurement::{ConfigId, TimingKind};
use crate::predict::Subject;
use crate::session::Session;
use std::sync::Arc;

/// The most rows that the table has.
const MOST_ROWS: usize = 10_000;

/// The rows of a session, and what to say of those that have no room.
pub(super) struct FirstRows {
    pub(super) rows: Vec<Arc<Subject>>,
    /// The first so many are the user's.
    pub(super) own: usize,
    pub(super) left_out: Option<String>,
}

/// The user's rows first: every configuration that they measured, by kernel and size, and kernels beyond the first
/// `built_in` that they did not measure. Then one row per built-in kernel at its first size, and every other configuration
/// that was published; kernels without a measurement come last.
pub(super) fn first_rows(session: &Session, source: GpuId, built_in: usize) -> FirstRows {
    let store = &session.store;
    let own_kernels = session.kernels.ids().flat_map(|kernel| own_rows(session, source, built_in, kernel));
    let mut rows: Vec<Arc<Subject>> = own_kernels.take(MOST_ROWS).map(Arc::new).collect();
    let own = rows.len();
    let (measured, others): (Vec<KernelId>, Vec<KernelId>) =
        session.kernels.ids().take(built_in).partition(|k| !store.of_kernel(*k).is_empty());
    let kernels = measured.into_iter().chain(others);
    rows.extend(
        kernels.flat_map(|kernel| built_in_rows(session, source, kernel)).take(MOST_ROWS - own).map(Arc::new),
    );
    let all: usize = session.kernels.ids().map(|kernel| store.of_kernel(kernel).len().max(1)).sum();
    let left_out = (rows.len() == MOST_ROWS && all > MOST_ROWS).then(|| {
        format!(
            "{all} configurations: the first {MOST_ROWS} are shown; `roofswap predict` predicts all of them"
        )
    });
    FirstRows { rows, own, left_out }
}

/// Whether the user measured this configuration.
fn is_own(session: &Session, config: ConfigId) -> bool {
    session.store.rows_of(config).any(|row| row.kind() == TimingKind::Measured)
}

/// A kernel at its first size.
fn top_row(session: &Session, source: GpuId, kernel: KernelId) -> Option<Subject> {
    let first = session.default_size(kernel, Some(source));
    session.subject(kernel, &first, &session.default_variant(kernel)).ok()
}

/// The user's rows of one kernel.
fn own_rows(session: &Session, source: GpuId, built_in: usize, kernel: KernelId) -> Vec<Subject> {
    let configs = session.store.by_volume(kernel).iter().filter(|id| is_own(session, **id));
    // One kernel may have a million.
    let rows: Vec<Subject> =
        configs.filter_map(|id| session.timed_subject(*id).ok()).take(MOST_ROWS).collect();
    if rows.is_empty() && kernel.index() >= built_in {
        return top_row(session, source, kernel).into_iter().collect();
    }
    rows
}

/// The rows of one built-in kernel that are not the user's.
fn built_in_rows(session: &Session, source: GpuId, kernel: KernelId) -> impl Iterator<Item = Subject> {
    let top = top_row(session, source, kernel);
    let first = top.as_ref().and_then(|subject| subject.config);
    let top = top.filter(|_| first.is_none_or(|id| !is_own(session, id)));
    let others = session.store.by_volume(kernel).iter();
    let others = others.filter(move |id| Some(**id) != first && !is_own(session, **id));
    top.into_iter().chain(others.filter_map(move |id| session.timed_subject(*id).ok()))
}
