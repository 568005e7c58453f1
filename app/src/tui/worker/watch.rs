//! What leads from a running job to the dashboard: its answers, its progress, the wish that it stops.

use crate::progress::Progress;
use crate::tui::jobs::WorkerJob;
use crate::tui::message::Message;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// What leads from a running job to the dashboard.
pub(super) struct JobWatch<'a> {
    pub(super) job: WorkerJob,
    pub(super) answers: &'a Sender<Message>,
    pub(super) progress: &'a Progress,
}

impl JobWatch<'_> {
    pub(super) fn is_cancelled(&self) -> bool {
        self.progress.cancelled.load(Ordering::SeqCst)
    }

    /// Sends a message that is still wanted. A closed channel means the dashboard has gone: nobody waits for the answer.
    pub(super) fn send_message(&self, message: Message) {
        if !self.is_cancelled() {
            self.answers.send(message).unwrap_or(());
        }
    }

    /// Says how far the job is.
    pub(super) fn report_progress(&self, text: String) {
        self.send_message(Message::Progress(self.job, text));
    }

    /// Runs `work` on another thread, and says what `shown` makes of its progress whenever that changes.
    pub(super) fn watch_progress<T: Send>(
        &self,
        mut shown: impl FnMut() -> Option<String>,
        work: impl FnOnce() -> T + Send,
    ) -> T {
        let (mut work, mut made) = (Some(work), None);
        self.watch_work(&mut shown, &mut || made = work.take().map(|work| work()));
        made.expect("work that panics unwinds from here as well")
    }

    fn watch_work(&self, shown: &mut dyn FnMut() -> Option<String>, work: &mut (dyn FnMut() + Send)) {
        const LOOK: Duration = Duration::from_millis(40);
        let (done, is_done) = channel::<()>();
        let result = std::thread::scope(|scope| {
            let running = scope.spawn(move || {
                // Dropped at the end, also while a panic unwinds: nobody waits a whole look for a short job.
                let _done = done;
                work()
            });
            let mut said = None;
            while is_done.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                let text = shown();
                if text != said {
                    text.iter().for_each(|text| self.report_progress(text.clone()));
                    said = text;
                }
            }
            running.join()
        });
        result.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    }

    /// Runs `read`, which reads this file and reports on the same progress, and says how far it is.
    pub(super) fn watch_reading<T: Send>(&self, path: &Path, read: impl FnOnce() -> T + Send) -> T {
        let size = std::fs::metadata(path).map_or(0, |m| m.len());
        self.progress.done.store(0, Ordering::Relaxed);
        let shown = || {
            let (read, mb) = (self.progress.steps_done() as u64, |bytes: u64| bytes / 1_000_000);
            let far = format!("reading {}: {} of {} MB", path.display(), mb(read), mb(size));
            (mb(read) > 0).then_some(far)
        };
        self.watch_progress(shown, read)
    }
}
