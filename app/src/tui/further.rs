//! The selected row on the targets beside the main one: whole answers, which the charts and the occupancy table are drawn of.

use super::pending::FurtherAnswers;
use super::state::DashboardState;
use crate::chart::FurtherTarget;
use std::sync::Arc;

/// Of more targets than these only the times are known; the board ranks them all.
const MOST_ANSWERED: usize = 8;

impl DashboardState {
    /// Answers the selected row on the further targets, where its answers belong to another question.
    pub(super) fn answer_further_targets(&mut self) {
        let (revision, subject) = (self.pending.revision, &self.rows[self.selected]);
        let is_known = self
            .further_answers
            .asked
            .as_ref()
            .is_some_and(|(of, row)| *of == revision && Arc::ptr_eq(row, subject));
        if is_known {
            return;
        }
        let query = self.row_query();
        let targets = self.selection.targets[1..].iter().take(MOST_ANSWERED);
        let answers = targets.map(|target| query.answer_row(&self.session, subject, *target)).collect();
        self.further_answers = FurtherAnswers { asked: Some((revision, subject.clone())), answers };
    }

    /// The selected row on the further targets, in their order; of many the first.
    #[must_use]
    pub fn further_targets(&self) -> Vec<FurtherTarget<'_>> {
        let gpus = &self.session.gpus;
        let answers = self.further_answers.answers.iter();
        answers.map(|answer| FurtherTarget { gpu: &gpus[answer.target], answer }).collect()
    }
}
