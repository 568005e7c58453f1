//! How far a training is, on stderr, where somebody looks at it.

use crate::learn::Progress;
use indicatif::{ProgressBar, ProgressStyle};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Runs `work` with a bar that shows `progress`. Ctrl-C cancels the progress, so that the work ends by itself and leaves
/// nothing half-written; where the system knows no such signals, it ends the program.
pub(super) fn watched<T>(progress: &Progress, work: impl FnOnce() -> T) -> T {
    let bar = ProgressBar::new(0).with_message("training");
    let style = ProgressStyle::with_template("{msg} {bar:30} {pos}/{len} {eta}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    let (interrupted, over) = interrupted();
    std::thread::scope(|scope| {
        let (stop, stopped) = channel::<()>();
        let shown = bar.clone();
        scope.spawn(move || {
            while stopped.recv_timeout(Duration::from_millis(100)) == Err(RecvTimeoutError::Timeout) {
                if interrupted.load(Ordering::Relaxed) {
                    progress.cancel();
                }
                shown.set_length(progress.total.load(Ordering::Relaxed) as u64);
                shown.set_position(progress.done.load(Ordering::Relaxed) as u64);
            }
        });
        let done = work();
        drop(stop);
        bar.finish_and_clear();
        over.store(true, Ordering::Relaxed);
        done
    })
}

/// Set once the user presses Ctrl-C, or somebody asks the program to end; and what to set when that shall end it again.
fn interrupted() -> (Arc<AtomicBool>, Arc<AtomicBool>) {
    let flags: (Arc<AtomicBool>, Arc<AtomicBool>) = Default::default();
    #[cfg(unix)]
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        // Without a handler the signal ends the program where it stands; a file is still written whole or not at all.
        let _ = signal_hook::flag::register_conditional_default(signal, flags.1.clone());
        let _ = signal_hook::flag::register(signal, flags.0.clone());
    }
    flags
}
