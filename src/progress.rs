//! How far long work is, and the wish to end it: shared between the thread that works and the one that watches.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Steps done and to do (bytes, trees, configurations, trials), and whether to stop. All parts may be read and written
/// from any thread.
#[derive(Debug, Default)]
pub struct Progress {
    /// Steps done so far.
    pub done: AtomicUsize,
    /// Steps known so far; grows while the work finds out what it has to do, and stays 0 where nobody counts them.
    pub total: AtomicUsize,
    /// Set by whoever no longer wants the result.
    pub cancelled: Arc<AtomicBool>,
}

/// Somebody no longer wants the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("cancelled")]
pub struct Cancelled;

impl Progress {
    /// Announces `steps` more.
    pub fn expect(&self, steps: usize) {
        self.total.fetch_add(steps, Ordering::Relaxed);
    }

    /// Says that `steps` are done.
    pub fn advance(&self, steps: usize) {
        self.done.fetch_add(steps, Ordering::Relaxed);
    }

    /// Steps that are done.
    #[must_use]
    pub fn steps_done(&self) -> usize {
        self.done.load(Ordering::Relaxed)
    }

    /// Steps that are known, done or not.
    #[must_use]
    pub fn steps_known(&self) -> usize {
        self.total.load(Ordering::Relaxed)
    }

    /// A progress that counts for itself and is cancelled with this one: for work whose steps nobody wants to see.
    #[must_use]
    pub fn aside(&self) -> Self {
        Self { cancelled: Arc::clone(&self.cancelled), ..Self::default() }
    }

    /// Asks the work to end soon.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether to stop.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// An error once somebody cancelled.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn check_cancelled(&self) -> Result<(), Cancelled> {
        if self.is_cancelled() { Err(Cancelled) } else { Ok(()) }
    }
}
