//! How far long work is, on stderr, where somebody looks at it; and Ctrl-C, which ends it in order.

use super::output;
use crate::progress::Progress;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::Scope;
use std::time::{Duration, Instant};

/// How often a bar moves.
const LOOK: Duration = Duration::from_millis(100);

/// So long nothing is said of work where no bar is seen.
const PATIENCE: Duration = Duration::from_secs(2);

/// [`watched_as`] of a training.
pub(super) fn watched<T>(progress: &Progress, work: impl FnOnce() -> T) -> T {
    watched_as("training", progress, work)
}

/// Runs `work` with a bar that shows `progress` and is called `what`. Ctrl-C cancels the progress, so that the work ends by
/// itself and leaves nothing half-written; pressed again, it ends the program. Where stderr is no terminal, long work is said once.
pub(super) fn watched_as<T>(what: &str, progress: &Progress, work: impl FnOnce() -> T) -> T {
    let bar = ProgressBar::new(0).with_message(what.to_string());
    let style = ProgressStyle::with_template("{msg} {bar:30} {pos}/{len} {eta}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    let over = cancelled_by_signals(progress);
    let (start, said) = (Instant::now(), AtomicBool::new(std::io::stderr().is_terminal()));
    let look = || {
        move_to(&bar, progress);
        line_when_due(what, start.elapsed(), &said).into_iter().for_each(output::remark);
    };
    let done = with_moving(&bar, &look, work);
    over.store(true, Ordering::Relaxed);
    done
}

/// What is said of work that has run so long, once.
fn line_when_due(what: &str, elapsed: Duration, said: &AtomicBool) -> Option<String> {
    let is_due = elapsed >= PATIENCE && !said.swap(true, Ordering::Relaxed);
    is_due.then(|| format!("{what} …"))
}

fn move_to(bar: &ProgressBar, progress: &Progress) {
    bar.set_length(progress.steps_known() as u64);
    bar.set_position(progress.steps_done() as u64);
}

/// Runs `work`, and `look` ever and again while it runs; the bar is gone afterwards.
pub(super) fn with_moving<T>(bar: &ProgressBar, look: &(dyn Fn() + Sync), work: impl FnOnce() -> T) -> T {
    std::thread::scope(|scope| {
        let stop = look_again(scope, look);
        let done = work();
        drop(stop);
        bar.finish_and_clear();
        done
    })
}

/// Calls `look` ever and again, until what is returned is dropped.
fn look_again<'s>(scope: &'s Scope<'s, '_>, look: &'s (dyn Fn() + Sync)) -> Sender<()> {
    let (stop, stopped) = channel::<()>();
    scope.spawn(move || {
        while stopped.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
            look();
        }
    });
    stop
}

/// Lets Ctrl-C and a polite kill cancel this progress; a second one ends the program at once, and so does the first after
/// the flag that is returned was set. Where the system knows no such signals, or has no room for a handler, they end the
/// program as they do others: a file is written whole or not at all even so.
pub(super) fn cancelled_by_signals(progress: &Progress) -> Arc<AtomicBool> {
    let over = Arc::<AtomicBool>::default();
    #[cfg(unix)]
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        // The order matters: the shutdown looks at the flag before it is set by the first signal.
        let _ = signal_hook::flag::register_conditional_default(signal, over.clone());
        let _ = signal_hook::flag::register_conditional_shutdown(signal, 130, progress.cancelled.clone());
        let _ = signal_hook::flag::register(signal, progress.cancelled.clone());
    }
    #[cfg(not(unix))]
    let _ = progress;
    over
}

/// A test that raises a signal writes, a test that a signal would cancel reads: all run in one process.
#[cfg(test)]
pub(super) static SIGNALS_IN_TESTS: std::sync::RwLock<()> = std::sync::RwLock::new(());

#[cfg(test)]
mod tests {
    #[test]
    fn long_work_is_said_once() {
        use super::*;
        let said = AtomicBool::default();
        assert_eq!(line_when_due("training", PATIENCE / 2, &said), None);
        assert_eq!(line_when_due("training", PATIENCE, &said).as_deref(), Some("training …"));
        assert_eq!(line_when_due("training", 2 * PATIENCE, &said), None);
    }

    #[cfg(unix)]
    #[test]
    fn ctrl_c_ends_the_work_and_not_the_program() {
        let _alone = SIGNALS_IN_TESTS.write().unwrap();
        use super::*;
        let progress = Progress::default();
        let rounds = watched_as("counting", &progress, || {
            signal_hook::low_level::raise(signal_hook::consts::SIGINT).expect("a signal can be raised");
            (0..100).take_while(|_| !progress.is_cancelled()).count()
        });
        assert!(rounds < 100 && progress.is_cancelled());
    }
}
