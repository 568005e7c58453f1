//! The kernel and the problem of a record: completed by the kernel's formulas, in other keys than the kernel's, or with a key
//! left open.

use super::{RowDraft, RowParser, RowRefusal, TextColumn, utf8};
use crate::kernel::{Kernel, KernelId, Problem, by_other_keys};
use crate::measurement::SharedWord;
use std::sync::Arc;

/// Why there is no problem.
enum UnreadProblem {
    /// These keys are none of the kernel's.
    Foreign(Problem),
    /// It is none at all.
    Refused(RowRefusal),
}

/// A problem that took its launch from the variant.
pub(super) struct MovedLaunch {
    pub(super) problem: Arc<Problem>,
    /// As the row would have written it.
    pub(super) written: String,
    /// What is left of the variant.
    pub(super) variant: Arc<str>,
}

impl RowParser<'_> {
    /// The kernel and the size. Where the size is in keys that the kernel's formulas do not know, as in a profiler's report,
    /// the row is of a kernel of its own, which is called by those keys as well.
    pub(super) fn kernel_at_size(
        &mut self,
        draft: &impl RowDraft,
        dtype: &SharedWord,
    ) -> Result<(KernelId, Arc<Problem>), RowRefusal> {
        let kernel = self.kernel(draft.text_of(TextColumn::Kernel), dtype)?;
        let bytes = draft.text_of(TextColumn::Problem);
        let recorded = match self.shared_problem(bytes, kernel) {
            Ok(problem) => return Ok((kernel, problem)),
            Err(UnreadProblem::Foreign(recorded)) => recorded,
            Err(UnreadProblem::Refused(why)) => return Err(why),
        };
        let own = by_other_keys(&self.kernels[kernel].id, &recorded);
        let kernel = self.kernel(own.as_bytes(), dtype)?;
        let problem = self.shared_problem(bytes, kernel).map_err(|e| match e {
            UnreadProblem::Refused(why) => why,
            UnreadProblem::Foreign(_) => {
                RowRefusal::new("problem", format!("`{own}` is another kernel's name"))
            }
        })?;
        Ok((kernel, problem))
    }

    fn shared_problem(&mut self, bytes: &[u8], kernel: KernelId) -> Result<Arc<Problem>, UnreadProblem> {
        // Only a kernel with formulas has a say in it; all others can share.
        let of = self.kernels.entry(kernel).filter(|k| k.has_formulas());
        self.problems.shared_problem(of.map(|_| kernel), bytes, || {
            let text = utf8(bytes, "problem").map_err(UnreadProblem::Refused)?;
            let refused = |e| UnreadProblem::Refused(RowRefusal::new("problem", e));
            let recorded = Problem::parse_recorded(text).map_err(refused)?;
            let Some(of) = of else { return recorded.with_sizes().map_err(refused) };
            let completed = of.completed_recorded(&recorded).map_err(refused)?;
            completed.ok_or(UnreadProblem::Foreign(recorded))
        })
    }

    /// A variant's `tile=16` belongs to the problem of a kernel whose file has that key for its launch; `None` where the
    /// variant has no such key.
    pub(super) fn launch_in_the_problem(
        &mut self,
        kernel: KernelId,
        written: &[u8],
        variant: &str,
    ) -> Result<Option<MovedLaunch>, RowRefusal> {
        let has_launch = |k: &&Kernel| !k.launch_keys.is_empty() && !variant.is_empty();
        let Some(of) = self.kernels.entry(kernel).filter(has_launch) else { return Ok(None) };
        let text = utf8(written, "problem")?;
        let recorded = Problem::parse_recorded(text).map_err(|e| RowRefusal::new("problem", e))?;
        let open = |pair: &&str| {
            let key = pair.split('=').next().unwrap_or("").trim();
            of.launch_keys.iter().any(|k| k == key) && recorded.get(key).is_none()
        };
        let (moved, kept): (Vec<&str>, Vec<&str>) = variant.split(';').partition(open);
        if moved.is_empty() {
            return Ok(None);
        }
        let written = format!("{text};{}", moved.join(";"));
        let problem = self.shared_problem(written.as_bytes(), kernel).map_err(|e| match e {
            UnreadProblem::Refused(why) => why,
            UnreadProblem::Foreign(_) => {
                RowRefusal::new("problem", format!("`{written}` is of other keys than the kernel's"))
            }
        })?;
        let variant = self.variants.shared_text(kept.join(";").as_bytes()).unwrap_or_default();
        Ok(Some(MovedLaunch { problem, written, variant }))
    }

    /// The variant, and what the row leaves open of its problem.
    pub(super) fn left_open(&mut self, kernel: KernelId, problem: &[u8], variant: Arc<str>) -> Arc<str> {
        let of = self.kernels.entry(kernel).filter(|k| k.has_choices());
        let recorded = of.and_then(|_| Problem::parse_recorded(std::str::from_utf8(problem).ok()?).ok());
        let open = of.zip(recorded).and_then(|(of, recorded)| of.open_variant(&recorded, &variant));
        open.and_then(|text| self.variants.shared_text(text.as_bytes())).unwrap_or(variant)
    }
}
