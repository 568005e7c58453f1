//! Where jobs of one kind run: never more than two at once, whatever is asked for how often. The newest is the one that
//! counts; the one before it has been told to stop, and may need a moment.

use super::priority::lower_priority;
use crate::progress::Progress;
use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A job with everything it needs.
type LaneTask = Box<dyn FnOnce() + Send>;

/// Jobs of one kind.
#[derive(Debug, Default)]
pub(super) struct Lane(Arc<Mutex<Jobs>>);

#[derive(Default)]
struct Jobs {
    /// Progress of the newest job, which can be cancelled.
    newest: Arc<Progress>,
    running: usize,
    waiting: VecDeque<LaneTask>,
}

impl std::fmt::Debug for Jobs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} running, {} waiting", self.running, self.waiting.len())
    }
}

impl Lane {
    /// Tells what runs to stop, and forgets what waits.
    pub(super) fn cancel(&self) {
        let mut jobs = lock(&self.0);
        jobs.newest.cancelled.store(true, Ordering::SeqCst);
        jobs.waiting.clear();
    }

    /// Runs a job instead of all before it: at once, unless two older ones have not stopped yet; then as the next one.
    pub(super) fn instead(&self, job: impl FnOnce(&Progress) + Send + 'static) {
        self.cancel();
        let progress = Arc::<Progress>::default();
        lock(&self.0).newest = progress.clone();
        self.start(2, Box::new(move || job(&progress)));
    }

    /// Runs a job after all before it.
    pub(super) fn after(&self, job: impl FnOnce(&Progress) + Send + 'static) {
        self.start(1, Box::new(move || job(&Progress::default())));
    }

    fn start(&self, at_once: usize, task: LaneTask) {
        let mut jobs = lock(&self.0);
        jobs.waiting.push_back(task);
        if jobs.running >= at_once {
            return;
        }
        jobs.running += 1;
        let lane = self.0.clone();
        std::thread::spawn(move || {
            lower_priority();
            while next(&lane).map(|task| task()).is_some() {}
        });
    }
}

/// The job that has waited longest; the thread that asks ends where there is none.
fn next(lane: &Mutex<Jobs>) -> Option<LaneTask> {
    let mut jobs = lock(lane);
    let next = jobs.waiting.pop_front();
    if next.is_none() {
        jobs.running -= 1;
    }
    next
}

fn lock(jobs: &Mutex<Jobs>) -> MutexGuard<'_, Jobs> {
    jobs.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    const PATIENCE: Duration = Duration::from_secs(20);

    #[test]
    fn two_run_one_waits_and_the_newest_wins() {
        let (lane, (said, heard)) = (Lane::default(), channel());
        let mut doors = Vec::new();
        for i in 0..5 {
            let (said, (open, door)) = (said.clone(), channel::<()>());
            doors.push(open);
            lane.instead(move |progress| {
                said.send((i, "starts", false)).unwrap();
                door.recv().unwrap_or(());
                said.send((i, "ends", progress.cancelled.load(Ordering::SeqCst))).unwrap();
            });
            if i < 2 {
                assert_eq!(heard.recv_timeout(PATIENCE), Ok((i, "starts", false)));
            }
        }
        assert_eq!(format!("{:?}", lock(&lane.0)), "2 running, 1 waiting");
        drop(doors.remove(0));
        assert_eq!(heard.recv_timeout(PATIENCE), Ok((0, "ends", true)));
        assert_eq!(heard.recv_timeout(PATIENCE), Ok((4, "starts", false)));
        drop(doors.pop());
        assert_eq!(heard.recv_timeout(PATIENCE), Ok((4, "ends", false)));
    }

    #[test]
    fn what_comes_after_waits_for_all_before_it() {
        let (lane, (said, heard)) = (Lane::default(), channel());
        for i in 0..20 {
            let said = said.clone();
            lane.after(move |_| said.send(i).unwrap());
        }
        let order: Vec<i32> = (0..20).map(|_| heard.recv_timeout(PATIENCE).unwrap()).collect();
        assert_eq!(order, (0..20).collect::<Vec<_>>());
    }
}
