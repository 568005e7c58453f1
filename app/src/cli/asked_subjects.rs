//! The kernels of a question: some that were named, or every configuration that the user's rows time.

use super::launch_edits::LaunchArgs;
use super::output;
use crate::gpu::GpuId;
use crate::kernel::KernelId;
use crate::measurement::ConfigId;
use crate::predict::Subject;
use crate::session::Session;
use crate::text::counted;
use anyhow::Result;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// What is asked about.
#[derive(Debug)]
pub(super) enum AskedSubjects {
    /// Kernels at their sizes.
    Named(Vec<Subject>),
    /// Configurations as they were timed. A file has millions of them: each becomes a [`Subject`] when it is asked about.
    Timed {
        /// By kernel, in the order they were read.
        rows: Vec<TimedRow>,
        /// What is changed of every launch.
        launch: LaunchArgs,
        /// Whose clocks are told apart.
        source: Option<GpuId>,
    },
}

/// A configuration as the source timed it, at one of several clocks where it has rows at several.
#[derive(Debug, Clone, Copy)]
pub(super) struct TimedRow {
    config: ConfigId,
    /// Which of the clocks of [`Session::own_clocks`], where there are several.
    clocks: Option<u16>,
}

impl AskedSubjects {
    /// Every configuration that the user's rows time, at each clock that this source timed it at; `None` where they time none.
    ///
    /// # Errors
    /// The first one that cannot be asked about.
    pub(super) fn timed(
        session: &Session,
        launch: &LaunchArgs,
        source: Option<GpuId>,
    ) -> Result<Option<Self>> {
        let mut left_out = 0;
        let each_clock = |config: ConfigId| {
            let (clocks, scattered) = source.map_or((0, 0), |source| {
                let (clocks, scattered) = session.own_clocks(config, source);
                (clocks.len(), scattered)
            });
            left_out += scattered;
            let places =
                if clocks > 1 { (0..clocks).map(|n| u16::try_from(n).ok()).collect() } else { vec![None] };
            places.into_iter().map(move |clocks| TimedRow { config, clocks })
        };
        let rows: Vec<TimedRow> = session.own_config_ids().flat_map(each_clock).collect();
        if left_out > 0 {
            output::remark(format!(
                "{} at clocks that differ from a later row's by the profiler's scatter alone (launches below 50 µs): the later one is used",
                counted(left_out, "row")
            ));
        }
        // What can be refused is refused before anything is written.
        for row in &rows {
            if launch.is_typed() || session.kernels[session.store.config(row.config).kernel].has_formulas() {
                timed_subject(session, *row, launch, source)?;
            }
        }
        Ok(match &rows[..] {
            [] => None,
            [only] => Some(Self::Named(vec![timed_subject(session, *only, launch, source)?])),
            _ => Some(Self::Timed { rows, launch: launch.clone(), source }),
        })
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Named(subjects) => subjects.len(),
            Self::Timed { rows, .. } => rows.len(),
        }
    }

    /// Those that stand ready: all that were named, and none of many that were timed.
    pub(super) fn named(&self) -> &[Subject] {
        match self {
            Self::Named(subjects) => subjects,
            Self::Timed { .. } => &[],
        }
    }

    /// Their kernels.
    pub(super) fn kernels(&self, session: &Session) -> BTreeSet<KernelId> {
        match self {
            Self::Named(subjects) => subjects.iter().map(|subject| subject.kernel).collect(),
            Self::Timed { rows, .. } => {
                rows.iter().map(|row| session.store.config(row.config).kernel).collect()
            }
        }
    }

    /// The one at this place, which is below [`AskedSubjects::len`].
    pub(super) fn subject_at(&self, session: &Session, place: usize) -> Cow<'_, Subject> {
        match self {
            Self::Named(subjects) => Cow::Borrowed(&subjects[place]),
            Self::Timed { rows, launch, source } => Cow::Owned(
                timed_subject(session, rows[place], launch, *source)
                    .expect("each was put together when they were listed"),
            ),
        }
    }

    /// All of them, one after the other.
    pub(super) fn each<'s>(&'s self, session: &'s Session) -> impl Iterator<Item = Cow<'s, Subject>> {
        (0..self.len()).map(|place| self.subject_at(session, place))
    }
}

/// The kernels that the user's rows time.
pub(super) fn kernels_of_data(session: &Session) -> BTreeSet<KernelId> {
    session.own_config_ids().map(|config| session.store.config(config).kernel).collect()
}

fn timed_subject(
    session: &Session,
    row: TimedRow,
    launch: &LaunchArgs,
    source: Option<GpuId>,
) -> Result<Subject> {
    let mut subject = [session.timed_subject(row.config)?];
    if let Some((clocks, source)) = row.clocks.zip(source) {
        subject[0].timed_at = session.own_clocks(row.config, source).0.get(usize::from(clocks)).copied();
    }
    launch.edit_subjects(session, &mut subject)?;
    let [subject] = subject;
    Ok(subject)
}

/// The names in a list: at commas, but not within the brackets of a template, `blend<float, 4>`.
pub(super) fn listed_names(list: &str) -> Vec<&str> {
    let mut depth = 0i32;
    let at_comma = |c: char| {
        match c {
            '<' | '(' | '[' => depth += 1,
            '>' | ')' | ']' => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0
    };
    list.split(at_comma).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_kernels_is_split_outside_of_templates() {
        assert_eq!(
            listed_names("saxpy,blend<float, (int)4>,copy[a,b]"),
            ["saxpy", "blend<float, (int)4>", "copy[a,b]"]
        );
    }
}
