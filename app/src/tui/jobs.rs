//! The work outside: its kinds, and which of it runs. Every kind has its own place, text and progress.

/// Declares the kinds once, with a table that has a place for each: no index, so none out of range.
macro_rules! jobs {
    ($($(#[doc = $doc:literal])+ $name:ident = $field:ident,)+) => {
        /// The kinds of work outside. A newer job of one kind overtakes an older one of the same kind only.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum WorkerJob {
            $($(#[doc = $doc])+ $name,)+
        }

        impl WorkerJob {
            /// Every kind.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];
        }

        /// One value for every kind of job.
        #[derive(Debug, Clone, Default)]
        pub struct PerJob<T> {
            $($field: T,)+
        }

        impl<T> PerJob<T> {
            /// The value of this kind.
            #[must_use]
            pub fn value_of(&self, job: WorkerJob) -> &T {
                match job { $(WorkerJob::$name => &self.$field,)+ }
            }

            /// The value of this kind, to change.
            pub fn value_mut(&mut self, job: WorkerJob) -> &mut T {
                match job { $(WorkerJob::$name => &mut self.$field,)+ }
            }
        }
    };
}

jobs! {
    /// Reading the user's files into the session.
    Read = read,
    /// Reading a mix or prices.
    ReadSide = read_side,
    /// Listing a folder.
    List = list,
    /// Writing a chart.
    Write = write,
    /// Measuring the models.
    Evaluate = evaluate,
    /// Auditing the user's measurements.
    Audit = audit,
    /// Learning from the user's measurements.
    Learn = learn,
    /// Measuring every model.
    Survey = survey,
    /// Training a model.
    Train = train,
    /// Timing a kernel on the GPU at hand.
    MeasureHere = measure_here,
    /// Predicting the rows that are not on the screen.
    Predict = predict,
    /// Predicting the timed rows with every model.
    Compare = compare,
    /// Ranking the GPUs.
    Rank = rank,
    /// Predicting an application.
    Forecast = forecast,
    /// Finding what numbers of a GPU do.
    WhatIf = what_if,
}

impl WorkerJob {
    /// Whether a person asked for it and may end it; the others end by themselves or are overtaken.
    #[must_use]
    pub fn is_cancellable(self) -> bool {
        match self {
            Self::Read | Self::Evaluate | Self::Survey | Self::Train | Self::MeasureHere | Self::WhatIf => {
                true
            }
            Self::ReadSide
            | Self::List
            | Self::Write
            | Self::Audit
            | Self::Learn
            | Self::Predict
            | Self::Compare
            | Self::Rank
            | Self::Forecast => false,
        }
    }

    /// What did not happen when it failed inside the program.
    #[must_use]
    pub fn failure_text(self) -> &'static str {
        match self {
            Self::Read | Self::ReadSide => "the file was not read",
            Self::List => "the folder was not listed",
            Self::Write => "the chart was not written",
            Self::Evaluate | Self::Survey | Self::Compare => "the model errors were not computed",
            Self::Audit => "your measurements were not audited",
            Self::Learn => "no corrections were fitted to your measurements",
            Self::Train => "no model was trained",
            Self::MeasureHere => "the kernel was not measured",
            Self::Predict => "not every row was predicted",
            Self::Rank => "the GPUs were not ranked",
            Self::Forecast => "the application was not predicted",
            Self::WhatIf => "the changed GPUs were not predicted",
        }
    }
}

/// A job that runs.
#[derive(Debug, Clone)]
struct RunningJob {
    text: String,
    /// How many jobs were started before it.
    started: u64,
}

/// What runs outside, as the dashboard knows it.
#[derive(Debug, Clone, Default)]
pub struct JobTable {
    running: PerJob<Option<RunningJob>>,
    count: u64,
}

impl JobTable {
    /// A job of this kind starts, instead of an older one; an empty text shows nothing until it reports progress.
    pub fn start_job(&mut self, job: WorkerJob, text: impl Into<String>) {
        self.count += 1;
        let started = self.count;
        *self.running.value_mut(job) = Some(RunningJob { text: text.into(), started });
    }

    /// A job says how far it is; a report of one that was cancelled comes too late.
    pub fn report_progress(&mut self, job: WorkerJob, text: String) {
        if let Some(running) = self.running.value_mut(job) {
            running.text = text;
        }
    }

    /// A job of this kind has ended; whether one ran.
    pub fn end_job(&mut self, job: WorkerJob) -> bool {
        self.running.value_mut(job).take().is_some()
    }

    /// Whether a job of this kind runs.
    #[must_use]
    pub fn is_running(&self, job: WorkerJob) -> bool {
        self.running.value_of(job).is_some()
    }

    /// The text of the job of this kind, if one runs.
    #[must_use]
    pub fn text_of(&self, job: WorkerJob) -> Option<&str> {
        self.running.value_of(job).as_ref().map(|running| running.text.as_str())
    }

    /// The newest running job of these kinds that has something to say.
    #[must_use]
    pub fn newest_of(&self, kinds: &[WorkerJob]) -> Option<WorkerJob> {
        let running = |job: &&WorkerJob| {
            self.running.value_of(**job).as_ref().filter(|r| !r.text.is_empty()).map(|r| r.started)
        };
        kinds.iter().filter(|job| running(job).is_some()).max_by_key(running).copied()
    }

    /// The job that the screen shows: the newest that a person asked for, else the newest of the others.
    #[must_use]
    pub fn shown_job(&self) -> Option<WorkerJob> {
        let (asked, automatic): (Vec<WorkerJob>, Vec<WorkerJob>) =
            WorkerJob::ALL.iter().partition(|j| j.is_cancellable());
        self.newest_of(&asked).or_else(|| self.newest_of(&automatic))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_own_place() {
        let mut table = PerJob::<Option<WorkerJob>>::default();
        for job in WorkerJob::ALL {
            *table.value_mut(*job) = Some(*job);
        }
        assert!(WorkerJob::ALL.iter().all(|job| *table.value_of(*job) == Some(*job)));
    }

    #[test]
    fn the_newest_that_a_person_asked_for_is_shown_and_late_progress_is_dropped() {
        let mut jobs = JobTable::default();
        jobs.start_job(WorkerJob::Evaluate, "measuring");
        jobs.start_job(WorkerJob::Learn, "");
        jobs.report_progress(WorkerJob::Learn, "learning".into());
        assert_eq!(jobs.shown_job(), Some(WorkerJob::Evaluate));
        jobs.start_job(WorkerJob::Read, "reading");
        assert_eq!(jobs.shown_job(), Some(WorkerJob::Read));
        assert!(jobs.end_job(WorkerJob::Read) && !jobs.end_job(WorkerJob::Read));
        jobs.report_progress(WorkerJob::Read, "reading on".into());
        assert_eq!((jobs.shown_job(), jobs.text_of(WorkerJob::Read)), (Some(WorkerJob::Evaluate), None));
        jobs.end_job(WorkerJob::Evaluate);
        assert_eq!(jobs.shown_job(), Some(WorkerJob::Learn));
    }
}
