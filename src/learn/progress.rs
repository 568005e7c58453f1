//! How far a training is, and the wish to end it: shared between the thread that works and the one that shows it.

use super::LearnError;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Steps done and to do (trees, rounds, trials), and whether to stop. All parts may be read and written from any thread.
#[derive(Debug, Default)]
pub struct Progress {
    /// Steps done so far.
    pub done: AtomicUsize,
    /// Steps known so far; grows while a search or a stack finds out what it has to do.
    pub total: AtomicUsize,
    /// Set by whoever no longer wants the result.
    pub cancelled: Arc<AtomicBool>,
}

impl Progress {
    /// Announces `steps` more.
    pub fn expect(&self, steps: usize) {
        self.total.fetch_add(steps, Ordering::Relaxed);
    }

    /// Says that `steps` are done.
    pub fn advance(&self, steps: usize) {
        self.done.fetch_add(steps, Ordering::Relaxed);
    }

    /// A progress that counts for itself and is cancelled with this one: for work whose steps nobody wants to see.
    #[must_use]
    pub fn aside(&self) -> Self {
        Self { cancelled: Arc::clone(&self.cancelled), ..Self::default() }
    }

    /// Asks the work to end soon; it answers with [`LearnError::Cancelled`].
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// An error once somebody cancelled.
    ///
    /// # Errors
    /// [`LearnError::Cancelled`].
    pub fn check(&self) -> Result<(), LearnError> {
        if self.cancelled.load(Ordering::Relaxed) { Err(LearnError::Cancelled) } else { Ok(()) }
    }
}
