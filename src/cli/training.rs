//! How far a training is, on stderr, where somebody looks at it.

use crate::learn::Progress;
use indicatif::{ProgressBar, ProgressStyle};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Runs `work` with a bar that shows `progress`. Ctrl-C ends the program; a command writes nothing before all is done.
pub(super) fn watched<T>(progress: &Progress, work: impl FnOnce() -> T) -> T {
    let bar = ProgressBar::new(0).with_message("training");
    let style = ProgressStyle::with_template("{msg} {bar:30} {pos}/{len} {eta}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    std::thread::scope(|scope| {
        let (stop, stopped) = channel::<()>();
        let shown = bar.clone();
        scope.spawn(move || {
            while stopped.recv_timeout(Duration::from_millis(100)) == Err(RecvTimeoutError::Timeout) {
                shown.set_length(progress.total.load(Ordering::Relaxed) as u64);
                shown.set_position(progress.done.load(Ordering::Relaxed) as u64);
            }
        });
        let done = work();
        drop(stop);
        bar.finish_and_clear();
        done
    })
}
