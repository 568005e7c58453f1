//! Lets `hybrid` learn from the files of `--data`, with a bar on stderr.

use crate::learn::Progress;
use crate::session::Session;
use crate::train::Wanted;
use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Learns what is wanted and keeps it in the session.
pub(super) fn teach(session: &Session, wanted: &Wanted) -> Result<()> {
    /// A person sees nothing shorter.
    const LOOK: Duration = Duration::from_millis(100);
    let progress = Progress::default();
    let style = ProgressStyle::with_template("{msg} {bar:30} {pos} of {len}")?;
    let lessons = std::thread::scope(|scope| {
        let run = scope.spawn(|| session.learn_lessons(wanted, &progress));
        let bar = ProgressBar::new(0).with_message("learning from your rows").with_style(style);
        while !run.is_finished() {
            bar.set_length(progress.total.load(Ordering::Relaxed) as u64);
            bar.set_position(progress.done.load(Ordering::Relaxed) as u64);
            std::thread::park_timeout(LOOK);
        }
        bar.finish_and_clear();
        run.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })?;
    session.teach(Arc::new(lessons));
    Ok(())
}
