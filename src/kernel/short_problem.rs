//! A size in as few keys as a person would type.

use super::{Kernel, Problem};

impl Kernel {
    /// The problem as a person would type it: keys that equal their default are left out.
    #[must_use]
    pub fn short_problem(&self, problem: &Problem) -> String {
        let Some(formulas) = &self.formulas else { return problem.to_string() };
        let without = |left_out: &dyn Fn(&str) -> bool| {
            let pairs = problem.pairs().iter().filter(|(key, _)| !left_out(key.as_str()));
            let typed = Problem::from_pairs(pairs.cloned().collect());
            let is_same = |full: Problem| full == *problem && !typed.pairs().is_empty();
            self.completed_problem(&typed).is_ok_and(is_same).then_some(typed)
        };
        let has_default = |key: &str| formulas.defaults.contains_key(key);
        if let Some(typed) = without(&has_default) {
            return typed.to_string();
        }
        // Some of them are not their defaults: what follows from those is left out.
        let mut left_out: Vec<&str> = Vec::new();
        let mut shortest = problem.clone();
        for (key, _) in problem.pairs().iter().filter(|(key, _)| has_default(key.as_str())) {
            left_out.push(key.as_str());
            match without(&|key| left_out.contains(&key)) {
                Some(typed) => shortest = typed,
                None => drop(left_out.pop()),
            }
        }
        shortest.to_string()
    }
}

#[cfg(test)]
mod tests {
    use crate::catalogue::shipped_sources;
    use crate::kernel::load_shipped;

    #[test]
    fn keys_that_follow_from_the_others_are_left_out() {
        let (kernels, _) = load_shipped(&shipped_sources().unwrap());
        let kernel = kernels.entry_named("gemm_tiled").unwrap();
        for (typed, short) in [
            ("n=1024", "n=1024"),
            ("n=1024,tile=32", "n=1024;tile=32"),
            ("m=512,n=1024,k=1024,tile=32", "m=512;n=1024;tile=32"),
            ("m=1,n=2,k=3,tile=4", "m=1;n=2;k=3;tile=4"),
        ] {
            let full = kernel.typed(typed).unwrap();
            assert_eq!(kernel.short_problem(&full), short);
            assert_eq!(kernel.typed(short).unwrap(), full);
        }
    }
}
