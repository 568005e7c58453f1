//! What a row of somebody's measurements leaves open of a kernel's problem.

use super::{Kernel, Problem, ProblemError, problem};

/// What the variant of a row says of keys that it does not state.
const NOT_STATED: &str = "not stated";

impl Kernel {
    /// Whether all keys of a recorded problem are words that this kernel's problem does not have. One such key among the
    /// kernel's own is a slip, and so is one too long to be a word.
    #[must_use]
    pub fn has_none_of(&self, recorded: &Problem) -> bool {
        const LONGEST: usize = 60;
        let strange = |key: &str| key.len() <= LONGEST && self.keys.iter().all(|known| known != key);
        recorded.pairs().iter().all(|(key, _)| strange(key.as_str()))
    }

    /// A recorded problem as the kernel's file completes it; `None` where its keys are none of this kernel's.
    ///
    /// # Errors
    /// [`ProblemError`] where it is no problem of this kernel.
    pub fn completed_recorded(&self, recorded: &Problem) -> Result<Option<Problem>, ProblemError> {
        match self.completed_problem(recorded) {
            Err(ProblemError::UnknownKey { .. }) if self.has_none_of(recorded) => Ok(None),
            completed => completed.map(Some),
        }
    }

    /// Whether its rows are called as another kernel, and state their size in keys which that one does not have.
    #[must_use]
    pub fn is_by_other_keys(&self) -> bool {
        !self.has_formulas() && !self.cautions.is_empty() && kernel_and_other_keys(&self.id).is_some()
    }

    /// Whether a row may leave a key open whose default is a choice of the program: the iterations of a loop, a tile.
    #[must_use]
    pub fn has_choices(&self) -> bool {
        self.formulas.as_ref().is_some_and(|f| !f.chosen.is_empty())
    }

    /// The variant of a recorded row that leaves such keys open: `iters not stated`, behind the variant that it states. Its
    /// formulas take the default, but nobody knows whether it ran with that, so that no row which states the key may be
    /// taken for the same configuration. `None` where everything is stated.
    #[must_use]
    pub fn open_variant(&self, recorded: &Problem, variant: &str) -> Option<String> {
        let chosen = &self.formulas.as_ref()?.chosen;
        let open: Vec<&str> =
            chosen.iter().map(String::as_str).filter(|key| recorded.get(key).is_none()).collect();
        let said = format!("{} {NOT_STATED}", open.join(" and "));
        if open.is_empty() || variant.ends_with(&said) {
            return None;
        }
        Some(if variant.is_empty() { said } else { format!("{variant}; {said}") })
    }
}

/// The name of a kernel whose rows are called as one that is known, but state their size in other keys: `saxpy[grid,block]`.
#[must_use]
pub fn by_other_keys(kernel: &str, recorded: &Problem) -> String {
    const MOST: usize = 6;
    let keys: Vec<String> =
        recorded.pairs().iter().take(MOST).map(|(key, _)| problem::shorten(key.as_str())).collect();
    let more = if recorded.pairs().len() > MOST { ",…" } else { "" };
    format!("{kernel}[{}{more}]", keys.join(","))
}

/// The kernel and the keys of [`by_other_keys`]; `None` for any other name.
#[must_use]
pub fn kernel_and_other_keys(name: &str) -> Option<(&str, &str)> {
    name.strip_suffix(']')?.split_once('[')
}

/// Whether this variant says that a key was not stated.
#[must_use]
pub fn leaves_open(variant: &str) -> bool {
    variant.ends_with(NOT_STATED)
}

#[cfg(test)]
mod tests {
    use crate::catalogue::shipped_sources;
    use crate::kernel::{Problem, load_shipped};

    #[test]
    fn only_a_choice_that_nobody_stated_is_left_open() {
        let (kernels, _) = load_shipped(&shipped_sources().unwrap());
        for (kernel, problem, variant, open) in [
            ("atomic_hotspot", "n=1024", "", Some("iters not stated")),
            ("atomic_hotspot", "n=1024;iters=50", "", None),
            ("gemm_tiled", "n=512", "fast", Some("fast; tile not stated")),
            ("gemm_tiled", "n=512", "tile not stated", None),
            // A square product follows from n, and there is but one shape of this launch.
            ("matmul_tiled", "n=512", "", None),
            ("shared_bank_conflict", "", "", None),
        ] {
            let recorded = Problem::parse_recorded(problem).unwrap();
            let kernel = kernels.entry_named(kernel).unwrap();
            assert_eq!(kernel.open_variant(&recorded, variant).as_deref(), open, "{} {problem}", kernel.id);
        }
    }
}
